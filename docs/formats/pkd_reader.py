#!/usr/bin/env python3
"""A second reader of `.pkd` recordings, from `pkd.md` alone (its sections are in brackets).

    pkd_reader.py FILE             the drawing as JSON (`json.md`), including erased strokes
    pkd_reader.py --stored FILE…   every stored value, as integers and bits of floats, for comparing
    pkd_reader.py --archive FILE…  the residue of a PencilKit archive, in hexadecimal
    pkd_reader.py --chunks FILE…   the chunks

It is written to be read rather than to be fast, and limits counts only by the number of bytes.
"""

import bisect
import functools
import json
import math
import os
import struct
import sys

FLOATS = ["x", "y", "timeOffset", "width", "secondaryWidth", "lateralJitter"]
WORDS = ["aspect", "edge", "force", "azimuth", "altitude", "opacity", "threshold"]
CHANNELS = FLOATS + WORDS
X, Y, TIME, WIDTH, SECONDARY = 0, 1, 2, 3, 4
DEFAULT, CONSTANT, FIRST_ORDER, SECOND_ORDER, AS_WIDTH, LINEAR, STEADY, FUNCTION = range(8)
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


class Damage(Exception):
    """A rule of the format is broken."""


def need(condition, what):
    if not condition:
        raise Damage(what)


# Numbers [1]


def unzigzag(value):
    return value >> 1 ^ -(value & 1)


def wrap(value, bits=32):
    """A sum, wrapped to a signed number of this many bits."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def ordered(bits, width=32):
    """The ordered bits of a float's bits; the same function converts back."""
    value = wrap(bits, width)
    return value ^ ((1 << (width - 1)) - 1) if value < 0 else value


def float32(bits):
    return struct.unpack("<f", struct.pack("<I", bits & M32))[0]


def bits32(value):
    """The bits of a number, rounded to 32-bit float."""
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError as error:
        raise Damage("a float is too large") from error


def float64(bits):
    return struct.unpack("<d", struct.pack("<Q", bits & M64))[0]


def bits64(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


class Bytes:
    """Reads bytes in order."""

    def __init__(self, data):
        self.data, self.offset = data, 0

    def take(self, count):
        need(count <= len(self.data) - self.offset, "the bytes end too early")
        self.offset += count
        return self.data[self.offset - count : self.offset]

    def whole(self, count):
        return int.from_bytes(self.take(count), "little")

    def byte(self, below=256):
        value = self.whole(1)
        need(value < below, "a byte is too large")
        return value

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            need(shift < 63 or byte <= 1, "a varint is too long")
            need(shift == 0 or byte != 0, "a varint is not in its shortest form")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        return unzigzag(self.varint())

    def text(self):
        try:
            return self.take(self.varint()).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Damage("a text is not UTF-8") from error

    def double(self):
        value = float64(self.whole(8))
        need(math.isfinite(value), "a number is not finite")
        return value

    def single(self):
        value = float32(self.whole(4))
        need(math.isfinite(value), "a number is not finite")
        return value

    def numbers(self, count):
        read = self.single if self.byte(2) else self.double
        need(count <= len(self.data), "more numbers than bytes")
        return [read() for _ in range(count)]

    def name(self):
        return self.take(16)

    def end(self):
        need(self.offset == len(self.data), "bytes are left over")


# Chunks [2]


def crc32c(data):
    crc = M32
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 255]
    return crc ^ M32


def crc_row(value):
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


CRC_TABLE = [crc_row(byte) for byte in range(256)]
SIGNATURE = b"\x89PKD\r\n\x1a\n"
KNOWN = {"HEAD", "TABL", "STRK", "LIVE", "EVNT", "nAME", "aRCH", "pREV", "wORD", "iNDX", "tAIL"}
SECTIONS = [None, "HEAD", "TABL", "STRK", "EVNT", "nAME", "aRCH"]


def read_chunk(data):
    length = data.whole(4)
    body = data.take(4 + length)
    need(crc32c(body) == data.whole(4), "a checksum does not match")
    need(body[:4].isalpha() and body[:4].isascii(), "a type is not letters")
    return body[:4].decode(), body[4:]


def read_sections(data):
    """The sections of a page [2]: offset in it, type and payload."""
    while data.offset < len(data.data):
        offset, number = data.offset, data.byte(len(SECTIONS))
        need(number > 0, "the section 0 is unknown")
        yield offset, SECTIONS[number], data.take(data.varint())


# Statistics [8] and segments [7]

KINDS = "location time force angle width velocity correction start constant gap".split()
KINDS += "pointCount reference pause corner extent".split()
TYPICAL = dict(zip(KINDS, [12, 16, 12, 2, 4, 200, 0, 1000, 0, 0, 20, 0, 200, 20, 10]))
WIDE = {"bits": 4000, "index": 12, "tick": 8000, "function": 8, "flag": 0}
SPARSE = {"angle", "width", "correction", "flag"}
CONTEXTS, TOKENS, LARGEST = 32, 72, 16383
WIDE_CONTEXTS, WIDE_LARGEST = 54, (1 << 24) - 1


def token_range(token):
    if token < 16:
        return token, 0
    if token == 71:
        return 0, 32
    exponent = 4 + (token - 16) // 2
    return (1 << exponent) + (token % 2 << (exponent - 1)), exponent - 1


@functools.cache
def read_statistics():
    """For each kind and context, what each slot decodes to: the token's count, the slot's index in
    the token, the token's smallest number and its count of raw bits."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pkd-statistics.txt")
    with open(path) as file:
        letters = iter([ord(letter) - 48 for letter in file.read() if letter not in "\r\n"])
    counts = []
    for number in letters:
        if number < 47:
            counts.append(number)
        elif number < 64:
            counts.append((number - 47) * 64 + next(letters))
        else:
            counts += [0] * (next(letters) + 2)
    assert len(counts) == (len(KINDS) * CONTEXTS + WIDE_CONTEXTS) * TOKENS
    tables = {}
    rows = (counts[at : at + TOKENS] for at in range(0, len(counts), TOKENS))
    for kind in KINDS + ["wide"]:
        tables[kind] = []
        for _ in range(WIDE_CONTEXTS if kind == "wide" else CONTEXTS):
            slots = [
                (count, entry, *token_range(token)) for token, count in enumerate(next(rows)) for entry in range(count)
            ]
            assert len(slots) == 1024
            tables[kind].append(slots)
    return tables


def context_of(size):
    n = size + 1
    e = n.bit_length() - 1
    return 2 * e + (n >> (e - 1) & 1 if e else 0)


class Segment:
    def __init__(self, data, lanes, tables):
        need(len(data) >= 4 * lanes, "a segment is too short")
        self.data, self.tables = data, tables
        self.states = list(struct.unpack_from("<%dI" % lanes, data))
        need(min(self.states) >= 65536, "a state is too small")
        self.bits = int.from_bytes(data[4 * lanes :], "little")
        self.raw_start, self.bit_offset, self.words = 4 * lanes, 0, len(data)

    def number(self, lane, table):
        state = self.states[lane]
        count, entry, base, bit_count = table[state & 1023]
        state = count * (state >> 10) + entry
        if state < 65536:
            self.words -= 2
            need(self.words >= self.raw_start, "a segment ends too early")
            state = state << 16 | self.data[self.words] | self.data[self.words + 1] << 8
        self.states[lane] = state
        if bit_count:
            # Slices of the bytes, since shifting one long number would take time with its length.
            start = self.raw_start + self.bit_offset // 8
            bits = int.from_bytes(self.data[start : start + 5], "little") >> self.bit_offset % 8
            base += bits & ((1 << bit_count) - 1)
            self.bit_offset += bit_count
        return base & M32

    def column(self, kind, count, companions=None):
        if count == 0:
            return []
        if kind in SPARSE:
            flag = self.runs("gap", 1, 1, None)[0]
            if flag:
                return self.sparse(kind, count, flag - 1)
        return self.runs(kind, count, len(self.states), companions)

    def sparse(self, kind, count, nonzero):
        need(2 * nonzero < count, "a sparse column is not sparse")
        lanes = len(self.states)
        gaps = self.runs("gap", nonzero, lanes, None)
        values = self.runs(kind, nonzero, lanes, None)
        result, index = [0] * count, 0
        for gap, value in zip(gaps, values):
            index += gap
            need(index < count and value < M32, "a gap is too long")
            result[index] = value + 1
            index += 1
        return result

    def runs(self, kind, count, lanes, companions):
        need(count <= 4096 * len(self.data), "more numbers than bytes can code")
        is_wide, result = kind in WIDE, [0] * count
        tables = self.tables["wide" if is_wide else kind]
        length, longer = divmod(count, lanes)
        starts = [lane * length + min(lane, longer) for lane in range(lanes)]
        sums = [4 * WIDE[kind] if is_wide else 2 * TYPICAL[kind]] * lanes
        for turn in range(length + (longer > 0)):
            for lane in range(lanes if turn < length else longer):
                index = starts[lane] + turn
                h = sums[lane]
                if is_wide:
                    value = self.number(lane, tables[context_of(h)])
                    sums[lane] = h - (h >> 2) + min(value, WIDE_LARGEST)
                    result[index] = value
                    continue
                size = 2 * h
                if companions:
                    size = 3 * h // 2 + min(companions[index], LARGEST)
                value = self.number(lane, tables[context_of(size)])
                sums[lane] = h // 2 + min(value, LARGEST)
                result[index] = value
        return result

    def end(self):
        raw_end = self.raw_start + (self.bit_offset + 7) // 8
        need(all(state == 65536 for state in self.states), "the final states are wrong")
        need(raw_end == self.words, "a segment has bytes left over")
        padding = self.bits >> self.bit_offset & ((1 << -self.bit_offset % 8) - 1)
        need(padding == 0, "padding bits are not 0")


# Tables [4]

BITS = ("bits", 0.0, 0.0)


def grid(step, offset=0.0):
    return ("grid", step, offset)


def stretched(step):
    return ("stretched", step, 0.0)


KNOWN_STEPS = [BITS, grid(1e-3), grid(0.1), grid(3 / 256), grid(1 / 64), grid(1 / 256)]
KNOWN_STEPS += [grid(1 / 8), grid(1 / 2), grid(1.0), grid(0.01), grid(1 / 240), grid(1 / 8000)]
KNOWN_STEPS += [stretched(1e-3), grid(16.0), grid(32.0), grid(64.0)]
NEW_STEPS = [grid(1 / 6), grid(1 / 24000000)]

TRAITS = "box archivedBox exactBox milliseconds seed transform mask ranges part piece group bare"
TRAITS = {name: 1 << bit for bit, name in enumerate(TRAITS.split())}


class Tables:
    def __init__(self, version):
        self.version, self.steps = version, KNOWN_STEPS + (NEW_STEPS if version > 1 else [])
        self.shapes, self.inks, self.forms = [], [], []

    def read(self, data):
        for _ in range(data.varint()):
            self.steps.append(self.read_steps(data))
        for _ in range(data.varint()):
            self.shapes.append(self.read_shape(data))
        for _ in range(data.varint()):
            self.inks.append(read_ink(data, self.version))
        for _ in range(data.varint()):
            shape, ink, traits = data.varint(), data.varint(), data.varint()
            need(shape <= len(self.shapes) and ink < len(self.inks), "a form refers to nothing")
            need(traits < 1 << len(TRAITS), "a trait is unknown")
            has = {name for name, bit in TRAITS.items() if traits & bit}
            self.forms.append((self.shapes[shape - 1] if shape else None, ink, has))
        data.end()

    def read_steps(self, data):
        kind, step = data.byte(), data.double()
        need(kind in (1, 2, 3) and step > 0, "steps are not valid")
        offset = data.double() if kind == 2 else 0.0
        need(kind != 2 or offset != 0, "an offset of 0 needs another kind")
        return stretched(step) if kind == 3 else grid(step, offset)

    def read_shape(self, data):
        shape = {"scale": data.byte(2), "varying": data.varint(), "present": data.varint()}
        need(shape["varying"] >> 13 == 0 and shape["present"] >> 13 == 0, "an unknown channel")
        need(shape["varying"] & 3 == 3, "x or y does not vary")
        count = data.varint()
        need(count <= 13, "a shape has too many rows")
        kinds = 5 if self.version == 1 else 8
        rows = [divmod(data.varint(), kinds)[::-1] for _ in range(count)]
        shape["rows"] = rows + [(DEFAULT, 0)] * (13 - count)
        for channel in range(13):
            self.check_row(shape, channel)
        return shape

    def check_row(self, shape, channel):
        kind, row = shape["rows"][channel]
        need(row < len(self.steps), "a shape refers to nothing")
        need(row == 0 or kind not in (DEFAULT, AS_WIDTH), "steps without numbers")
        need(row == 0 or channel not in (X, Y), "steps of x and y are in heads")
        need(kind in (DEFAULT, CONSTANT) or shape["varying"] >> channel & 1, "a constant channel")
        if kind == AS_WIDTH:
            need(channel == SECONDARY and self.has_width(shape), "no width to copy")
        if kind == FUNCTION:
            valid = channel > WIDTH and (row == 0 or channel >= len(FLOATS))
            need(valid and self.has_width(shape), "a function of nothing")
        need(kind not in (LINEAR, STEADY) or channel < len(FLOATS), "words are not predicted")
        name, step, offset = self.steps[row]
        if channel >= len(FLOATS) and name != "bits":
            whole = step == int(step) and 1 <= step <= 65535
            need(name == "grid" and offset == 0 and whole, "steps that are not allowed for words")
        valid = name != "stretched" or kind in (FIRST_ORDER, SECOND_ORDER)
        need(valid, "other numbers than differences on a stretched grid")

    def has_width(self, shape):
        kind = shape["rows"][WIDTH][0]
        return kind in (FIRST_ORDER, SECOND_ORDER, LINEAR, STEADY) and shape["varying"] >> WIDTH & 1


INKS = "pen pencil marker monoline fountainPen watercolor crayon reed".split()
IDENTIFIERS = "pen pencil marker monoline fountainpen watercolor crayon reedcalligraphy".split()


def read_ink(data, version):
    if version == 1:
        flags = data.byte(8)
        kind = data.text()
        colour = [data.single() if flags & 1 else data.double() for _ in range(4)]
        return {"kind": kind, "colour": colour, "p3": flags >> 1 & 1, "plain": flags >> 2}
    flags = data.byte(9 << 4)
    kind = "com.apple.ink." + IDENTIFIERS[(flags >> 4) - 1] if flags >> 4 else data.text()
    parts = [
        data.double,
        data.single,
        lambda: data.byte() / 255,
        lambda: float32(bits32(data.byte() / 255)),
    ]
    colour = [parts[flags & 3]() for _ in range(4)]
    return {"kind": kind, "colour": colour, "p3": flags >> 2 & 1, "plain": flags >> 3 & 1}


# Heads [5]

HEAD_COLUMNS = [
    ("form", "reference"),
    ("pointCount", "pointCount"),
    ("duration", "pause"),
    ("pause", "pause"),
    ("correction", "correction"),
    ("x", "corner"),
    ("y", "corner"),
    ("width", "extent"),
    ("height", "extent"),
    ("xSteps", "reference"),
    ("ySteps", "reference"),
    ("family", "reference"),
    ("group", "reference"),
    ("sharedPath", "reference"),
]


def has_column(form, column):
    shape, _, traits = form
    if column == "form":
        return True
    if column in ("pause", "correction"):
        return shape is not None and "milliseconds" in traits
    if column in ("x", "y", "width", "height"):
        return "box" in traits
    if column in ("family", "group"):
        return ("piece" if column == "family" else "group") in traits
    return (shape is None) == (column == "sharedPath")


def millisecond(date):
    """The nearest millisecond, ties away from zero."""
    value = date * 1000.0
    whole = math.floor(abs(value))
    whole += abs(value) - whole >= 0.5
    return int(math.copysign(min(whole, 9 * 10**15), value))


class Previous:
    """The values of the previous stroke."""

    def __init__(self, base):
        self.steps, self.corner = [0, 0], (0, 0)
        self.date, self.end = base, millisecond(base)


def read_columns(segment, count, forms):
    columns, row, used = {}, 0, []
    for column, kind in HEAD_COLUMNS:
        length = sum(has_column(form, column) for form in used) if used else 0
        columns[column] = segment.column(kind, count if column == "form" else length)
        if column == "form":
            for number in columns["form"]:
                row += unzigzag(number)
                need(0 <= row < len(forms), "a stroke refers to a missing form")
                used.append(forms[row])
    segment.end()
    return used, {name: iter(values) for name, values in columns.items()}


def read_heads(data, tables, base, statistics, record_count):
    first = data.varint()
    count, plain = first >> 1, first & 1
    need(count <= 16, "a block has too many strokes")
    head_size, extra_size = data.varint(), data.varint()
    segment = Segment(data.take(head_size), 1, statistics)
    extras = Bytes(data.take(extra_size))
    forms, columns = read_columns(segment, count, tables.forms)
    previous, heads = Previous(base), []
    for form in forms:
        head = read_head(form, columns, extras, previous, tables)
        number = record_count + len(heads)
        need(max(head.get("family", 0), head.get("group", 0)) <= number, "a number is too large")
        heads.append(head)
    extras.end()
    return heads, plain


def read_head(form, columns, extras, previous, tables):
    shape, ink, traits = form
    head = {"shape": shape, "ink": tables.inks[ink], "traits": traits, "count": 0}

    def plain(name):
        return next(columns[name])

    def signed(name):
        return unzigzag(next(columns[name]))

    steps, date, end = [0, 0], 0.0, 0
    if shape is not None:
        head["count"], duration = plain("pointCount"), plain("duration")
        if "milliseconds" in traits:
            date = (previous.end + signed("pause")) / 1000
            correction = signed("correction")
            date = float64(ordered(ordered(bits64(date), 64) + correction, 64))
        steps = [previous.steps[0] + signed("xSteps"), previous.steps[1] + signed("ySteps")]
        for channel, row in enumerate(steps):
            kind = shape["rows"][channel][0]
            need(0 <= row < len(tables.steps), "steps refer to nothing")
            need(kind != DEFAULT or row == 0, "steps without numbers")
            valid = tables.steps[row][0] != "stretched" or kind in (FIRST_ORDER, SECOND_ORDER)
            need(valid, "other numbers than differences on a stretched grid")
    if "box" in traits:
        x, y = previous.corner[0] + signed("x"), previous.corner[1] + signed("y")
        width, height = plain("width"), plain("height")
        head["box"] = [x, y, x + width, y + height]
        previous.corner = (x + width, y)
    if "piece" in traits:
        head["family"] = plain("family")
    if "group" in traits:
        head["group"] = plain("group")
    if shape is None:
        head["sharedPath"] = plain("sharedPath")
    elif "milliseconds" not in traits:
        date = float64(ordered(ordered(bits64(previous.date), 64) + extras.signed(), 64))
        need(math.isfinite(date), "a date is not finite")
    if shape is not None:
        end = millisecond(date) + duration
    read_extras(head, traits, extras)
    head["date"], head["steps"] = date, steps
    if shape is not None:
        previous.steps, previous.date, previous.end = steps, date, end
    return head


def read_extras(head, traits, data):
    if "exactBox" in traits:
        exact = data.numbers(4)
    if "archivedBox" in traits:
        head["archivedBox"] = exact if "exactBox" in traits else head.get("box")
    head["seed"] = data.whole(4) if "seed" in traits else 0
    head["transform"] = data.numbers(6) if "transform" in traits else [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    if "mask" in traits:
        head["mask"] = read_mask(data)
    if "ranges" in traits:
        numbers = data.numbers(2 * data.varint())
        head["ranges"] = [sorted(numbers[at : at + 2]) for at in range(0, len(numbers), 2)]
    if "part" in traits:
        lower, upper = float64(data.whole(8)), float64(data.whole(8))
        need(math.isfinite(lower) and upper >= lower, "a part is not valid")
        head["part"] = [lower, upper]


def read_mask(data):
    rule = data.byte(2)
    elements = data.take(data.varint())
    need(all(element <= 4 for element in elements), "an unknown element of a mask")
    need(elements[:1] in (b"", b"\0"), "a mask does not begin with a contour")
    lengths = [(2, 2, 4, 6, 0)[element] for element in elements]
    numbers = iter(data.numbers(sum(lengths)))
    path, start, is_closed = [], [], False
    for element, length in zip(elements, lengths):
        coordinates = [next(numbers) for _ in range(length)]
        if element == 0:
            start = coordinates
        elif element < 4 and is_closed:
            path.append(("M", start))
        if element < 4 or not is_closed:
            path.append(("MLQCZ"[element], coordinates))
        is_closed = element == 4
    return {"rule": "evenodd" if rule else "nonzero", "path": path}


# Points [6]


def residual_kind(channel):
    kinds = {X: "location", Y: "location", TIME: "time", 8: "force", 9: "angle", 10: "angle"}
    return kinds.get(channel, "width")


class Column(list):
    """Signed numbers that are taken from the front."""

    def __init__(self, numbers):
        super().__init__(unzigzag(number) for number in reversed(numbers))

    def take(self, count):
        return [self.pop() for _ in range(count)]


def read_points(data, heads, plain, tables, statistics):
    """The stored values of each own path: a list for each channel, floats as their bits."""
    owners = [head for head in heads if head["shape"] is not None]
    if plain:
        data = Bytes(data)
        paths = [read_plain(data, head) for head in owners]
        data.end()
        return paths
    total = sum(head["count"] for head in owners)
    need(total <= 64 * len(data), "more points than bytes can code")
    if total == 0:
        need(not data, "bytes without points")
        return [[[] for _ in CHANNELS] for head in owners]
    segment = Segment(data, 4 if total >= 200 else 1, statistics)
    paths, x_residuals, x_flags = [[] for _ in owners], None, [[] for _ in owners]
    for channel in range(13):
        rows = [steps_of(head, channel, tables) for head in owners]
        starts = sum(
            0 if kind in (DEFAULT, AS_WIDTH, FUNCTION) else 2 if steps[0] == "stretched" else 1 for kind, steps in rows
        )
        velocities = residuals = corrections = 0
        for head, (kind, steps) in zip(owners, rows):
            if kind in (FIRST_ORDER, SECOND_ORDER):
                velocities += kind == SECOND_ORDER and head["count"] > 1
                residuals += max(head["count"] - (2 if kind == SECOND_ORDER else 1), 0)
                corrections += head["count"] if steps[0] == "stretched" else 0
        first = Column(segment.column("start" if channel in (X, Y) else "constant", starts))
        velocity = Column(segment.column("velocity", velocities))
        has_companions = channel == Y and x_residuals and len(x_residuals) == residuals
        companions = x_residuals if has_companions else None
        residual = segment.column(residual_kind(channel), residuals, companions)
        x_residuals = residual if channel == X else None
        residual = Column(residual)
        correction = Column(segment.column("correction", corrections))
        flags, index, bits = read_predicted(segment, owners, rows, channel, x_flags)
        functions = sum(head["count"] for head, (kind, _) in zip(owners, rows) if kind == FUNCTION)
        numbers, function = Column(segment.column("function", functions)), WidthFunction()
        last, last_predicted = [0, 0], 0
        for head, path, (kind, steps), own_flags in zip(owners, paths, rows, flags):
            if kind in (LINEAR, STEADY):
                values = predicted_values(head["count"], kind, steps, first, own_flags, index, bits, last_predicted)
                last_predicted = values[0]
            elif kind == FUNCTION:
                widths = path[WIDTH]
                values = function.values(widths, numbers.take(len(widths)), steps, channel)
            else:
                values = channel_values(
                    head["count"], kind, steps, channel, first, velocity, residual, correction, last
                )
            if values is None:
                values = path[WIDTH] if kind == AS_WIDTH else default_values(head, channel)
            path.append(spread(values, head, channel))
    segment.end()
    return paths


def steps_of(head, channel, tables):
    if head["count"] == 0:
        return DEFAULT, tables.steps[0]
    kind, row = head["shape"]["rows"][channel]
    return kind, tables.steps[head["steps"][channel] if channel in (X, Y) else row]


def spread(values, head, channel):
    """As many values as the source stored."""
    count = head["count"] if head["shape"]["varying"] >> channel & 1 else min(head["count"], 1)
    return values * count if len(values) == 1 else values


def default_values(head, channel):
    floats = [0.0, 0.0, 0.0, 0.0, -1.0, 1.0]
    words = [[1000, 0, 0, 32767, 0, 32767, 0], [1000, 0, 0, 0, 255, 255, 0]]
    if head["count"] == 0:
        return []
    if channel < len(FLOATS):
        return [bits32(floats[channel])]
    return [words[head["shape"]["scale"]][channel - len(FLOATS)]]


def channel_values(count, kind, steps, channel, first, velocity, residual, correction, last):
    """The values of a channel of a path; None if no numbers are coded."""
    if kind in (DEFAULT, AS_WIDTH):
        return None
    name, step, offset = steps
    if name == "stretched":
        last[1] = anchor = wrap(last[1] + first.pop())
        base = stretched_base(anchor, first.pop())
        number = 0
    else:
        last[0] = number = wrap(last[0] + first.pop())
    numbers = [number]
    if kind == SECOND_ORDER and count > 1:
        change = velocity.pop()
        numbers.append(wrap(number + change))
        for difference in residual.take(count - 2):
            change = wrap(change + difference)
            numbers.append(wrap(numbers[-1] + change))
    elif kind == FIRST_ORDER:
        for change in residual.take(count - 1):
            numbers.append(wrap(numbers[-1] + change))
    if channel >= len(FLOATS):
        words = [wrap(number * int(step)) if name == "grid" else number for number in numbers]
        need(all(0 <= word <= 65535 for word in words), "a word is too large")
        return words
    if name == "bits":
        values = [ordered(number) & M32 for number in numbers]
    elif name == "grid":
        values = [bits32(offset + number * step) for number in numbers]
    else:
        values = []
        for number, off in zip(numbers, correction.take(count)):
            bits = bits32(base + number * step)
            values.append(ordered(ordered(bits) + off) & M32)
    need(all(value >> 23 & 255 != 255 for value in values), "a value is not finite")
    return values


def read_predicted(segment, owners, rows, channel, x_flags):
    """Of the paths with a prediction [6.4]: the flags of each, and the columns of numbers on the grid
    and off it."""
    counts = [head["count"] if kind in (LINEAR, STEADY) else 0 for head, (kind, _) in zip(owners, rows)]
    grids = [count > 0 and steps[0] == "grid" for count, (_, steps) in zip(counts, rows)]
    tails = iter(segment.column("reference", sum(grids)))
    lengths = [count - next(tails) if has else 0 for count, has in zip(counts, grids)]
    need(all(length > 0 or not has for length, has in zip(lengths, grids)), "a point without a flag")
    stored, flags = iter(segment.column("flag", sum(lengths))), []
    for number, length in enumerate(lengths):
        own = [next(stored) for _ in range(length)]
        if channel == Y:
            others = x_flags[number] + [0] * length
            own = [flag ^ other for flag, other in zip(own, others)]
        need(all(flag <= 1 for flag in own), "a flag is too large")
        flags.append(own)
        if channel == X:
            x_flags[number] = own
    on_grid = sum(own[1:].count(0) for own in flags)
    others = sum(max(count - 1, 0) for count in counts) - on_grid
    index = Column(segment.column("tick" if channel == TIME else "index", on_grid))
    return flags, index, Column(segment.column("bits", others))


def as_bits(value):
    need(math.isfinite(value), "a value is not finite")
    bits = bits32(value)
    need(bits >> 23 & 255 != 255, "a value is not finite")
    return bits


def grid_index(value, step, offset):
    """The number of the nearest point of a grid; None if it is too large."""
    number = (value - offset) / step
    return None if not abs(number) <= 2e9 or abs(round(number)) > 1e9 else round(number)


def predicted_values(count, kind, steps, first, flags, index, bits, last):
    _, step, offset = steps
    if flags and not flags[0]:
        number = (grid_index(float32(last), step, offset) or 0) + first.pop()
        values = [as_bits(offset + number * step)]
    else:
        values = [ordered(wrap(ordered(last) + first.pop())) & M32]
    change = 0.0
    for number in range(1, count):
        need(values[-1] >> 23 & 255 != 255, "a value is not finite")
        value = float32(values[-1])
        if number > 1:
            newest = value - float32(values[-2])
            is_mean = kind == STEADY and number > 2
            change = change + (newest - change) / 16 if is_mean else newest
        try:
            predicted = bits32(value + change)
        except Damage:
            predicted = values[-1]
        if predicted >> 23 & 255 == 255:
            predicted = values[-1]
        if number < len(flags) and not flags[number]:
            nearest = grid_index(float32(predicted), step, offset)
            need(nearest is not None, "a prediction is too far away")
            values.append(as_bits(offset + (nearest + index.pop()) * step))
        else:
            values.append(ordered(wrap(ordered(predicted) + bits.pop())) & M32)
    need(values[-1] >> 23 & 255 != 255, "a value is not finite")
    return values


class WidthFunction:
    """Values by the widths that they were seen with [6.5]."""

    def __init__(self):
        self.widths, self.seen = [], []

    def predicted(self, key, at):
        if at < len(self.widths) and self.widths[at] == key or at == 0:
            return self.seen[at] if self.seen else 0.0
        if at == len(self.widths):
            return self.seen[at - 1]
        width, left, right = (float32(ordered(k)) for k in (key, self.widths[at - 1], self.widths[at]))
        if left == right:
            return self.seen[at]
        share = (width - left) / (right - left)
        return self.seen[at - 1] + (self.seen[at] - self.seen[at - 1]) * share

    def values(self, widths, numbers, steps, channel):
        result = []
        for width, number in zip(widths, numbers):
            key = ordered(width)
            at = bisect.bisect_left(self.widths, key)
            predicted = self.predicted(key, at)
            if channel < len(FLOATS):
                bits = ordered(wrap(ordered(bits32(predicted)) + number)) & M32
                need(bits >> 23 & 255 != 255, "a value is not finite")
                value, entry = bits, float32(bits)
            else:
                entry = wrap(round(predicted) + number)
                value = wrap(entry * int(steps[1])) if steps[0] == "grid" else entry
                need(0 <= value <= 65535 and 0 <= entry <= 65535, "a word is too large")
                entry = float(entry)
            result.append(value)
            if at < len(self.widths) and self.widths[at] == key:
                self.seen[at] = entry
            elif len(self.widths) < 1024:
                self.widths.insert(at, key)
                self.seen.insert(at, entry)
        return result


def stretched_base(anchor, eighths):
    bits = ordered(anchor) & M32
    need(bits >> 23 & 255 != 255, "an anchor is not finite")
    unit = math.ldexp(1.0, max(bits >> 23 & 255, 1) - 150)
    return float32(bits) + eighths * unit / 8


def read_plain(data, head):
    path = []
    for channel in range(13):
        code = "I" if channel < len(FLOATS) else "H"
        varying = head["shape"]["varying"] >> channel & 1
        count = head["count"] if varying else min(head["count"], 1)
        size = struct.calcsize(code)
        values = list(struct.unpack("<%d%s" % (count, code), data.take(size * count)))
        finite = code == "H" or all(value >> 23 & 255 != 255 for value in values)
        need(finite, "a value is not finite")
        path.append(values)
    return path


# Names [9]


def mix(z):
    z = (z + 0x9E3779B97F4A7C15) & M64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & M64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & M64
    return z ^ z >> 31


def derived(name, word, number):
    a, b = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
    halves = [int.from_bytes(name[:8], "big"), int.from_bytes(name[8:], "big")]
    for part in [*halves, *word.encode(), number]:
        a = mix(a ^ part)
        b = mix((b + part + 0x165667B19E3779F9) & M64)
    a = a & ~0xF000 | 0x4000
    b = b & (1 << 62) - 1 | 1 << 63
    return a.to_bytes(8, "big") + b.to_bytes(8, "big")


class Names:
    def __init__(self, records):
        zero = bytes(16)
        self.of_pieces = [record.get("family") for record in records]
        families = 1 + max([f for f in self.of_pieces if f is not None], default=-1)
        groups = 1 + max([record.get("group", -1) for record in records], default=-1)
        self.strokes = [derived(zero, "pkd stroke", n) for n in range(len(records))]
        self.families = [derived(zero, "pkd family", n) for n in range(families)]
        self.groups = [derived(zero, "pkd group", n) for n in range(groups)]

    @staticmethod
    def put(names, index, name):
        # A file that was cut may have more names than records.
        if index < len(names):
            names[index] = name

    def read(self, data):
        stroke, family, group = data.varint(), data.varint(), data.varint()
        owners = []
        for index in range(family, family + data.varint()):
            how = data.varint()
            if how == 1:
                self.put(self.families, index, data.name())
            elif how > 1:
                owners.append((index, how - 2))
        for index in range(group, group + data.varint()):
            if data.byte(2):
                self.put(self.groups, index, data.name())
        runs = [divmod(data.varint(), 3) for _ in range(data.varint())]
        seen, pieces = {}, []
        for before in self.of_pieces[:stroke]:
            seen[before] = seen.get(before, 0) + 1
        for count, how in runs:
            for _ in range(count):
                if how == 1:
                    self.put(self.strokes, stroke, data.name())
                if stroke < len(self.strokes):
                    own = self.of_pieces[stroke]
                    if how == 2:
                        need(own is not None, "a piece without a family")
                        pieces.append((stroke, own, seen.get(own, 0)))
                    seen[own] = seen.get(own, 0) + 1
                elif how != 1:
                    break
                stroke += 1
        for index, owner in owners:
            if owner < len(self.strokes):
                self.put(self.families, index, self.strokes[owner])
        for index, own, number in pieces:
            self.strokes[index] = derived(self.families[own], "piece", number)
        data.end()


# Events [10]

EVENTS = "begun extended ended erased undone redone moved cleared toolChanged edited".split()
ERASERS = {1: "vector", 2: "bitmap", 3: "fixedWidthBitmap"}


class Events:
    def __init__(self, records, base):
        self.records, self.now, self.next, self.list = records, base, 0, []

    def read(self, data):
        person = 0
        for _ in range(data.varint()):
            kind = data.byte()
            if kind == 10:
                person = data.varint()
                need(person < 1 << 16, "a person's number is too large")
                continue
            time = data.double() if kind & 128 else None
            need(kind & 127 < len(EVENTS), "an event is unknown")
            event = {"event": EVENTS[kind & 127]}
            first = self.next
            try:
                expected = self.read_action(event, data)
            except Damage:
                self.next = first
                raise
            self.now = expected if time is None else time
            self.list.append({"time": self.now, **event, **({"person": person} if person else {})})
        data.end()

    def read_action(self, event, data):
        kind = event["event"]
        if kind == "begun":
            event["record"] = self.take()
            return max(self.now, self.records[event["record"]]["date"])
        if kind == "extended":
            event["record"] = self.take()
            event["id"], _ = self.reference(data)
            return max(self.now, end_of(self.records[event["record"]]))
        if kind == "ended":
            event["id"], record = self.reference(data)
            return max(self.now, end_of(record)) if record else self.now
        if kind == "erased":
            event["record"] = self.take()
            event["tool"] = read_tool(data)
            need(event["tool"]["tool"] in ERASERS.values(), "a tool that erases is not an eraser")
            event["changes"] = self.changes(data)
            return max(self.now, self.records[event["record"]]["date"])
        if kind == "edited":
            event["changes"] = self.changes(data)
            event["above"] = self.take_all(data)
            event["below"] = self.take_all(data)
        if kind == "moved":
            event["ids"] = [self.reference(data)[0] for _ in range(data.varint())]
            event["transform"] = data.numbers(6)
        if kind == "toolChanged":
            event["tool"] = read_tool(data)
        return self.now

    def changes(self, data):
        return [[self.reference(data)[0], self.take_all(data)] for _ in range(data.varint())]

    def take_all(self, data):
        return [self.take() for _ in range(data.varint())]

    def take(self):
        need(self.next < len(self.records), "an event refers to a missing stroke")
        self.next += 1
        return self.next - 1

    def reference(self, data):
        number = data.varint()
        if number == 0:
            return data.name(), None
        need(number <= len(self.records), "a reference to a missing record")
        return self.records[number - 1]["id"], self.records[number - 1]

    def add_implied(self):
        """Adds the events of strokes that no stored event mentions, of a file that was cut."""
        drawn = []
        while self.next < len(self.records) and "bare" not in self.records[self.next]["traits"]:
            drawn.append(self.take())
        for event in implied_events(self.records, drawn):
            self.now = max(self.now, event["time"])
            self.list.append({**event, "time": self.now})


def read_tool(data):
    kind = data.byte(5)
    if kind == 0:
        tool = {"tool": "ink", "kind": data.text(), "p3": data.byte(2)}
        tool["numbers"] = [data.double() for _ in range(5)]
        return tool
    if kind == 4:
        return {"tool": "lasso", "numbers": []}
    return {"tool": ERASERS[kind], "numbers": [data.double()]}


def end_of(record):
    times = record["points"][TIME]
    return record["date"] + max(float32(times[-1]) - float32(times[0]) if times else 0.0, 0.0)


def implied_events(records, numbers):
    now = records[numbers[0]]["date"] if numbers else 0.0
    events, last = [], None
    for number in numbers:
        record = records[number]
        now = max(now, record["date"])
        events.append({"time": now, "event": "begun", "record": number})
        if record.get("family") is None or record.get("family") != last:
            now += end_of({**record, "date": 0.0})
        last = record.get("family")
        events.append({"time": now, "event": "ended", "id": record["id"]})
    return events


# Archives [11]


class Archive:
    """The bytes of an outline."""

    KEY, NUMBER, LENGTH, BYTES, NAME, RAW, NAME_VERSION = range(7)

    def __init__(self, data, names, version):
        self.version, self.models, self.groups = version, {}, []
        self.memory, self.names = {}, iter(names)
        tree = self.read_first(data) if version == 1 else self.read_second(data)
        self.data, self.offset = data.take(len(data.data) - data.offset), 4
        self.code = int.from_bytes(self.data[:4].ljust(4, b"\0"), "big")
        self.range = M32
        if tree is None:
            while len(self.output) < self.size:
                self.output.append(self.byte(1, self.RAW, 0, 0))
        else:
            self.message(tree, 1)
        exact = version == 1 or tree is None
        need(not exact or len(self.output) == self.size, "an archive has another size")

    def read_first(self, data):
        form = data.byte(2)
        self.size = data.varint()
        self.output = bytearray(data.take(min(6, self.size) if form == 0 else 0))
        return self.read_tree(data, 0) if data.byte(2) else None

    def read_second(self, data):
        flags = data.byte(16)
        need(flags & 12 != 12 and flags & 3 != 3, "flags that exclude each other")
        self.output = bytearray(b"" if flags & 1 else b"wrd\xf0\1\0")
        if flags & 2:
            count = data.varint()
            need(count <= 6, "a header is too long")
            self.output = bytearray(data.take(count))
        tree = {}
        if flags & 4:
            tree = self.read_tree(data, 0)
        self.size = 1 << 26
        if flags & 8:
            self.size, tree = len(self.output) + data.varint(), None
        typical = {}
        for template in TEMPLATES:
            Primer(self, template.split(), typical)
        self.memory = {}
        return typical if tree == {} and not flags & 4 else tree

    def read_tree(self, data, depth):
        need(depth <= 12, "a tree is too deep")
        return {data.varint(): self.read_tree(data, depth + 1) for _ in range(data.varint())}

    def bit(self, models, node):
        bit = self.plain_bit(models[node][0])
        self.adapt(models, node, bit)
        return bit

    def adapt(self, models, node, bit):
        p, age = models[node]
        if self.version == 1:
            shift = min(age // 2 + 2, 6)
            p += -(p >> shift) if bit else 65535 - p >> shift
            age = min(age + 1, 10)
        else:
            rate = 655360 // (10 * age + 13)
            p += -(p * rate >> 16) if bit else (65535 - p) * rate >> 16
            age = min(age + 1, 20)
        models[node] = (max(64, min(p, 65472)), age)

    def plain_bit(self, p=32768):
        bound = self.range * p >> 16
        if self.code < bound:
            bit, self.range = 0, bound
        else:
            bit, self.code, self.range = 1, self.code - bound, self.range - bound
        while self.range < 1 << 24:
            self.range <<= 8
            byte = self.data[self.offset] if self.offset < len(self.data) else 0
            self.code = (self.code << 8 | byte) & M32
            self.offset += 1
            need(self.offset <= len(self.data) + 8, "an archive ends too early")
        return bit

    def context(self, path, role, detail, index):
        h = path * 0x9E3779B97F4A7C15 & M64
        for x in (role, detail, min(index, 40)):
            h = (h ^ x) * 0xD6E8FEB86659FD93 & M64
            h ^= h >> 32
        if h not in self.models:
            if len(self.models) == 1 << 14:
                return self.groups[h % (1 << 14)]
            self.models[h] = [(32768, 0)] * 256
            self.groups.append(self.models[h])
        return self.models[h]

    def byte(self, path, role, detail, index):
        models, node = self.context(path, role, detail, index), 1
        for _ in range(8):
            node = 2 * node + self.bit(models, node)
        return node - 256

    def coded(self, path, role, detail):
        value = 0
        for index in range(10):
            byte = self.byte(path, role, detail, index)
            value |= (byte & 127) << 7 * index
            if byte < 128:
                return value & M64
        raise Damage("a coded varint is too long")

    def relative(self, path, role):
        """A number that is coded relative to the last one of its field."""
        value = (self.memory.get(path, 0) + unzigzag(self.coded(path, role, 0))) & M64
        self.memory[path] = value
        return value

    def message(self, tree, path):
        last = 0
        while True:
            last = key = self.coded(path, self.KEY, last)
            if key == 0:
                return
            self.output += varint(key)
            field = (path * 0x1000001B3 & M64) ^ ((key >> 3) + 0x51)
            if key & 7 == 0:
                self.output += varint(self.relative(field, self.NUMBER))
            elif key & 7 in (1, 5):
                before = self.memory.get(("bytes", field), bytes(8))
                size = 8 if key & 7 == 1 else 4
                value = bytes(
                    self.byte(field, self.BYTES, 1, index) + (before + bytes(8))[index] & 255 for index in range(size)
                )
                self.memory["bytes", field] = value
                self.output += value
            elif key & 7 == 2 and key >> 3 in tree:
                start = len(self.output)
                self.message(tree[key >> 3], field)
                self.output[start:start] = varint(len(self.output) - start)
            else:
                need(key & 7 == 2, "the kind of a field is unknown")
                self.length_delimited(field)
            need(len(self.output) <= self.size, "an archive is too long")

    def length_delimited(self, field):
        length = self.relative(field, self.LENGTH)
        need(length <= self.size - len(self.output), "an archive is too long")
        self.output += varint(length)
        if length == 16 and self.bit(self.context(field, self.NAME, 0, 0), 0):
            name = next(self.names, None)
            need(name is not None, "more names than strokes")
            self.output += name
        elif length == 16 and self.version > 1:
            self.other_name(field)
        else:
            for index in range(length):
                self.output.append(self.byte(field, self.BYTES, 0, index))

    def other_name(self, field):
        if self.bit(self.context(field, self.NAME, 1, 0), 0):
            self.output += bytes(16)
            return
        for index in range(16):
            byte = 0
            for number in range(8):
                if number < VERSION_BITS.get(index, 0):
                    models = self.context(field, self.NAME_VERSION, 8 * index + number, 0)
                    byte = byte << 1 | self.bit(models, 0)
                else:
                    byte = byte << 1 | self.plain_bit()
            self.output.append(byte)


VERSION_BITS = {6: 4, 8: 2}

# Typical outlines of archives [11]: a field is its number and =number, #hexadecimal bytes, .text,
# !a name of zeros, *another name, @a stroke's name or {a message, which ends with }.
EMPTY = """
    1=0 7{ 1=0 2=9223372036854775807 3=0 } 8*
"""
ERASED = """
    1=0 2! 2* 2* 3{ 1=0 2=0 3=0 } 3{ 1=3 2=1 3=3 } 3{ 1=2 2=2 3=0 } 4{ 1{ 1#00000000
    2#00000000 3#00000000 4#0000803F } 2.com.apple.ink.pencil 3=3 8#0000000000000000 } 4{ 1{
    1#0000803F 2#00000000 3#00000000 4#0000803F } 2.com.apple.ink.marker 3=3 4.linear } 5{ 1@
    2{ 1=0 2=1 3=1 } 3{ 1=0 2=1 3=0 } 4=0 5{ 1* 2. 3. 4. 5. 6. 7. 8=1 } 6. 8=137438953472 } 5{
    1@ 2{ 1=1 2=1 3=2 } 3{ 1=1 2=1 3=0 } 4=0 8=168033870720 16* } 5{ 1@ 2{ 1=2 2=1 3=3 } 3{
    1=0 2=1 3=0 } 4=1 5{ 1* 2. 3. 4. 5. 6. 7. 8=1 } 8=168033870720 9{ 1=0 2=2 3=0 } 11{ 1* 2{
    1=0 2=1 3=1 } 3{ 1=0 2=1 3=0 } 6. 8=168033870734 10. 12. } 11{ 1* 2{ 1=0 2=1 3=1 } 3{ 1=0
    2=1 3=0 } 6. 8=168033870734 10. 12. } } 7{ 1=0 2=0 3=0 } 8*
"""
EARLY = """
    1=0 2! 2* 3{ 1=0 2=0 3=0 } 3{ 1=2 2=1 3=2 } 4{ 1{ 1#0000803F 2#0000803F 3#0000803F
    4#0000803F } 2.com.apple.ink.pen 3=3 } 5{ 1@ 2{ 1=0 2=1 3=1 } 3{ 1=0 2=1 3=0 } 4=0 5{ 1*
    2. 3. 4. 5. 6. 7. 8=1 } 6. 8=137438953472 } 5{ 1@ 2{ 1=1 2=1 3=2 } 3{ 1=0 2=1 3=0 } 4=0 5{
    1* 2. 3. 4. 5. 6. 7. 8=1 } 6. 8=137438953472 } 7{ 1=0 2=0 3=0 }
"""
SINGLE = """
    1=0 2! 2* 3{ 1=0 2=0 3=0 } 3{ 1=1 2=1 3=1 } 4{ 1{ 1#00000000 2#00000000 3#00000000
    4#0000803F } 2.com.apple.ink.pen 3=3 8#0000000000000000 } 5{ 1@ 2{ 1=0 2=1 3=1 } 3{ 1=0
    2=1 3=0 } 4=0 5{ 1* 2. 3. 4. 5. 6. 7. } 6. 8=137438953472 } 7{ 1=0 2=0 3=0 } 8*
"""
TEMPLATES = [EMPTY, ERASED, EARLY, SINGLE, EARLY]


class Primer:
    """Adapts the models of an archive as coding a typical outline does."""

    def __init__(self, archive, words, tree):
        self.archive, self.values = archive, {}
        self.message(iter(words), 1, tree)

    def message(self, words, path, tree):
        last = 0
        for word in words:
            if word == "}":
                break
            digits = len(word) - len(word.lstrip("0123456789"))
            number, kind, text = int(word[:digits]), word[digits], word[digits + 1 :]
            wire = {"=": 0, "#": 5 if len(text) == 8 else 1}.get(kind, 2)
            self.coded(path, Archive.KEY, last, number << 3 | wire)
            last = number << 3 | wire
            field = (path * 0x1000001B3 & M64) ^ (number + 0x51)
            if kind == "{":
                self.message(words, field, tree.setdefault(number, {}))
            else:
                self.field(kind, text, field)
        self.coded(path, Archive.KEY, last, 0)

    def field(self, kind, text, field):
        if kind == "=":
            self.relative(field, Archive.NUMBER, int(text))
        elif kind == "#":
            value = bytes.fromhex(text)
            before = self.values.get(("bytes", field), bytes(8))
            for index, byte in enumerate(value):
                self.byte(field, Archive.BYTES, 1, index, byte - (before + bytes(8))[index] & 255)
            self.values["bytes", field] = value
        else:
            self.relative(field, Archive.LENGTH, len(text) if kind == "." else 16)
            if kind == ".":
                for index, byte in enumerate(text.encode()):
                    self.byte(field, Archive.BYTES, 0, index, byte)
                return
            self.bit(field, Archive.NAME, 0, kind == "@")
            if kind != "@":
                self.bit(field, Archive.NAME, 1, kind == "!")
            if kind == "*":
                for number, bit in enumerate((0, 1, 0, 0)):
                    self.bit(field, Archive.NAME_VERSION, 48 + number, bit)
                for number, bit in enumerate((1, 0)):
                    self.bit(field, Archive.NAME_VERSION, 64 + number, bit)

    def relative(self, field, role, value):
        change = wrap(value - self.values.get(field, 0), 64)
        self.values[field] = value
        self.coded(field, role, 0, (change << 1 ^ change >> 63) & M64)

    def coded(self, path, role, detail, value):
        for index, byte in enumerate(varint(value)):
            self.byte(path, role, detail, index, byte)

    def byte(self, path, role, detail, index, byte):
        models, node = self.archive.context(path, role, detail, index), 1
        for shift in range(7, -1, -1):
            bit = byte >> shift & 1
            self.archive.adapt(models, node, bit)
            node = 2 * node + bit

    def bit(self, path, role, detail, bit):
        self.archive.adapt(self.archive.context(path, role, detail, 0), 0, int(bit))


def varint(value):
    result = bytearray()
    while value >= 128:
        result.append(value & 127 | 128)
        value >>= 7
    return result + bytes([value])


# Files [16]


class Recording:
    def __init__(self, file):
        need(file[:8] == SIGNATURE, "not a recording")
        self.damage, self.chunks, self.records = None, [], []
        self.statistics, self.live, self.live_names = read_statistics(), None, {}
        data = Bytes(file)
        data.offset = 8
        chunks = self.read_chunks(data)
        offset, kind, payload = next(chunks)
        need(kind == "HEAD", "a file begins with HEAD")
        self.read_header(Bytes(payload))
        need(self.version > 1 or file[12:16] != b"PAGE", "a page of version 1")
        self.tables = Tables(self.version)
        self.chunks.append((offset, kind, payload))
        try:
            for offset, kind, payload in chunks:
                self.read_record_chunk(kind, payload)
                self.chunks.append((offset, kind, payload))
        except Damage as damage:
            self.damage = str(damage)
        self.read_other_chunks()

    @staticmethod
    def read_chunks(data):
        """All chunks; the sections of a page in its place."""
        is_first = True
        while is_first or data.offset < len(data.data):
            offset = data.offset
            kind, payload = read_chunk(data)
            if kind == "PAGE" and is_first:
                sections = read_sections(Bytes(payload))
                yield from ((offset + 8 + start, *section) for start, *section in sections)
            else:
                yield offset, kind, payload
            is_first = False

    def read_header(self, data):
        self.version = data.byte()
        need(self.version in (1, 2), "the file needs a newer reader")
        minor, self.profile = data.byte(), data.byte(3)
        need(data.byte() == self.version, "the statistics are unknown")
        flags = data.byte(8)
        need(flags & 6 != 4, "a colour space without a colour")
        self.base = data.double()
        self.size = [data.double(), data.double()] if flags & 1 else None
        self.background = [data.double() for _ in range(4)] if flags & 2 else None
        self.background_space = "p3" if flags & 4 else "srgb"
        self.texts = [(data.text(), data.text()) for _ in range(data.varint())]
        names = [name.encode() for name, _ in self.texts]
        need(all(a < b for a, b in zip(names, names[1:])), "texts are not in order")
        if minor == 0:
            data.end()

    def read_record_chunk(self, kind, payload):
        if kind == "TABL":
            self.tables.read(Bytes(payload))
        elif kind == "STRK":
            self.read_strokes(Bytes(payload))
            if self.live and self.live["number"] < len(self.records):
                self.live = None
        elif kind == "LIVE":
            self.read_live(Bytes(payload))
        else:
            known = kind in KNOWN and kind != "HEAD"
            need(known or kind[0].islower(), "the chunk %s is unknown" % kind)

    def read_strokes(self, data):
        first = len(self.records)
        heads, plain = read_heads(data, self.tables, self.base, self.statistics, first)
        for number, head in enumerate(heads):
            if head["shape"] is None:
                index = first + number - head["sharedPath"]
                need(0 <= index < first + number, "a shared path is missing")
                owner = (self.records + heads)[index]
                need(owner["shape"] is not None, "a shared path is itself shared")
                head["owner"] = owner
        points = data.take(len(data.data) - data.offset)
        paths = iter(read_points(points, heads, plain, self.tables, self.statistics))
        for head in heads:
            owner = head if head["shape"] is not None else head["owner"]
            if owner is head:
                head["points"] = next(paths)
            head["points"], head["date"] = owner["points"], owner["date"]
            head["pathShape"] = owner["shape"]
        self.records += heads

    def payloads(self, kind):
        return [Bytes(payload) for _, other, payload in self.chunks if other == kind]

    def read_other_chunks(self):
        names = Names(self.records)
        for number, name in self.live_names.items():
            names.put(names.strokes, number, name)
        self.try_each(names.read, self.payloads("nAME"))
        self.families = names.families
        for record, name in zip(self.records, names.strokes):
            record["id"] = bytes(16) if "bare" in record["traits"] else name
            record["groupID"] = names.groups[record["group"]] if "group" in record else None
            record["root"] = names.families[record["family"]] if "family" in record else None
            record["archiveName"] = record["root"] or name
        logs = self.payloads("EVNT")
        if logs:
            events = Events(self.records, self.base)
            self.try_each(events.read, logs)
            events.add_implied()
            self.events = events.list
        else:
            drawn = [n for n, r in enumerate(self.records) if "bare" not in r["traits"]]
            self.events = implied_events(self.records, drawn)
        if self.live:
            self.add_live(self.live)
        self.words = None
        self.try_each(self.read_words, self.payloads("wORD")[-1:])

    def read_words(self, data):
        """The words that a program has recognized [21]."""
        about, words = [data.text() for _ in range(3)], []
        for _ in range(data.varint()):
            text, box, strokes, following = data.text(), data.numbers(4), [], 0
            need(box[0] <= box[2] and box[1] <= box[3], "the box of a word is inside out")
            for _ in range(data.varint()):
                following += data.varint()
                need(following < len(self.records), "a word of a missing stroke")
                strokes.append(self.records[following]["id"])
                following += 1
            words.append((text, box, strokes))
        data.end()
        self.words = (about, words)

    def add_live(self, stroke):
        """An unfinished stroke begins last of all."""
        columns = stroke["points"]
        varying = {channel for channel in range(13) if len(set(columns[channel])) > 1} | {X, Y}
        stroke["pathShape"]["varying"] = sum(1 << channel for channel in varying)
        for channel, column in enumerate(columns):
            if channel not in varying:
                del column[1:]
        now = self.events[-1]["time"] if self.events else self.base
        event = {"time": max(now, stroke["date"]), "event": "begun", "record": len(self.records)}
        self.events.append(event)
        self.records.append({**stroke, "groupID": None, "root": None})

    def try_each(self, read, payloads):
        try:
            for payload in payloads:
                read(payload)
        except Damage as damage:
            self.damage = self.damage or str(damage)
            return False
        return True

    def archive(self):
        names = []
        for record in self.records:
            if names[-1:] != [record["archiveName"]]:
                names.append(record["archiveName"])
        payloads = self.payloads("aRCH")
        return bytes(Archive(payloads[-1], names, self.version).output) if payloads else b""

    def read_live(self, data):
        """Points of an unfinished stroke [12]."""
        number, first = data.varint(), data.varint()
        if data.byte(2):
            ink = read_ink(data, self.version)
            date, seed = data.double(), data.whole(4)
            transform, name = data.numbers(6), data.name()
            stroke = {"ink": ink, "date": date, "seed": seed, "transform": transform, "id": name}
            stroke.update({"traits": set(), "points": [[] for _ in CHANNELS], "number": number})
        else:
            stroke = self.live
        scale, present = data.byte(2), data.varint()
        shape = {"scale": scale, "present": present, "varying": 3}
        need(number <= len(self.records), "the number of a live stroke is too large")
        if number == len(self.records):
            need(stroke and len(stroke["points"][X]) == first, "points before these are missing")
            need(stroke.setdefault("pathShape", shape) == shape, "points of another shape")
            self.live = stroke
            self.live_names[number] = stroke["id"]
            for _ in range(data.varint()):
                values = struct.unpack("<6I7H", data.take(38))
                need(all(v >> 23 & 255 != 255 for v in values[:6]), "a value is not finite")
                for column, value in zip(stroke["points"], values):
                    column.append(value)
            data.end()


# Stored values, for comparing


def identifier(name):
    text = name.hex().upper()
    return "-".join([text[:8], text[8:12], text[12:16], text[16:20], text[20:]])


def hexes(numbers):
    return " ".join("%016x" % bits64(number) for number in numbers)


def print_stored(recording):
    print("file")
    if recording.size:
        print("size", hexes(recording.size))
    if recording.background:
        print("background", recording.background_space, hexes(recording.background))
    for name, text in recording.texts:
        print("text", name, text)
    for number, record in enumerate(recording.records):
        ink, shape = record["ink"], record["pathShape"]
        law = "plain" if ink["plain"] else "pencilKit"
        print("stroke", number)
        print("id", identifier(record["id"]))
        print("ink", ink["kind"], "p3" if ink["p3"] else "srgb", law, hexes(ink["colour"]))
        print("date", hexes([record["date"]]))
        print("seed", record["seed"])
        print("transform", hexes(record["transform"]))
        if record.get("archivedBox"):
            print("bounds", hexes(map(float, record["archivedBox"])))
        if "mask" in record:
            path = record["mask"]["path"]
            words = [(letter + " " + hexes(numbers)).strip() for letter, numbers in path]
            print("mask", record["mask"]["rule"], *words)
        if "ranges" in record:
            print("ranges", hexes([end for pair in record["ranges"] for end in pair]))
        if "part" in record:
            print("part", hexes(record["part"]))
        if record["groupID"]:
            print("group", identifier(record["groupID"]))
        if record["root"]:
            print("pieceOf", identifier(record["root"]))
        count = len(record["points"][X])
        print("points", count, shape["scale"], shape["varying"], shape["present"])
        for channel, values in enumerate(record["points"]):
            form = "%08x" if channel < len(FLOATS) else "%d"
            if count:
                print(CHANNELS[channel], " ".join([form % value for value in values]))
    for event in recording.events:
        words = [event["event"], hexes([event["time"]])]
        words += ["by", str(event["person"])] if "person" in event else []
        words += [str(event["record"])] if "record" in event else []
        words += [identifier(event["id"])] if "id" in event else []
        if "tool" in event:
            tool = event["tool"]
            words += [tool["tool"]]
            words += [tool["kind"], "p3" if tool["p3"] else "srgb"] if "kind" in tool else []
            words += [hexes(tool["numbers"])] if tool["numbers"] else []
        for name, left in event.get("changes", []):
            words += [identifier(name), *map(str, left), ";"]
        for strokes in ("above", "below"):
            words += [*map(str, event[strokes]), ";"] if strokes in event else []
        words += map(identifier, event.get("ids", []))
        words += [hexes(event["transform"])] if "transform" in event else []
        print("event", *words)
    if recording.words:
        print("words", "|".join(recording.words[0]))
        for text, box, strokes in recording.words[1]:
            print("word", text, hexes(box), *map(identifier, strokes))
    print("damage" if recording.damage else "intact")
    if recording.damage:
        print(recording.damage, file=sys.stderr)


# The JSON format

INK_NAMES = {"com.apple.ink." + text: ink for text, ink in zip(IDENTIFIERS, INKS)}


def json_point(values, scale, present):
    """One point of 13 stored values [14]."""
    x, y, t, w, secondary, jitter = (float32(bits) for bits in values[:6])
    aspect, edge, force, azimuth, altitude, opacity, threshold = values[6:]
    turn = 2 * math.pi * azimuth / 65535
    point = {
        "x": x,
        "y": y,
        "t": t,
        "w": w,
        "h": w * aspect / 1000,
        "opacity": opacity / 255 if scale else 1 if opacity == 32768 else 2 * opacity / 65535,
        "force": force / 1000,
        "azimuth": turn if scale else turn - math.pi,
        "altitude": altitude * (math.pi / 2) / 255 if scale else (1 - altitude / 65535) * math.pi / 2,
        "secondaryScale": 1.0 if w == 0 or secondary == -1 else secondary / w,
        "threshold": 2 * threshold / 65535,
    }
    if edge:
        point["edge"] = edge / 10
    if jitter != 1:
        point["jitter"] = jitter
    if w == 0 and aspect != 1000:
        point["aspect"] = aspect
    is_present = present >> SECONDARY & 1
    if (secondary == -1 and is_present) or (secondary != -1 and w == 0 and secondary != 0):
        point["secondaryWidth"] = secondary
    return point


def json_masks(mask):
    """The mask as polygons of control points; `maskPath` has the curves."""
    polygons = []
    for letter, numbers in mask["path"]:
        if letter == "M":
            polygons.append([])
        polygons[-1] += [list(pair) for pair in zip(numbers[::2], numbers[1::2])]
    return polygons


def json_stroke(record):
    ink, shape, points = record["ink"], record["pathShape"], record["points"]
    stroke = {"id": identifier(record["id"])}
    kind = INK_NAMES.get(ink["kind"].lower(), ink["kind"])
    stroke["ink"] = {"type": kind, "color": ink["colour"]}
    if ink["p3"]:
        stroke["ink"]["colorSpace"] = "p3"
    if ink["plain"]:
        stroke["ink"]["widthLaw"] = "plain"
    stroke["date"], stroke["seed"] = record["date"], record["seed"]
    stroke["transform"], stroke["masks"] = record["transform"], []
    if "mask" in record:
        mask = record["mask"]
        stroke["masks"] = json_masks(mask)
        words = [word for letter, numbers in mask["path"] for word in [letter, *map(repr, numbers)]]
        stroke["maskPath"], stroke["maskRule"] = " ".join(words), mask["rule"]
    whole = [0.0, float(max(len(points[X]) - 1, 0))]
    part = [min(max(end, 0.0), whole[1]) for end in record.get("part", whole)]
    if "ranges" in record:
        stroke["ranges"] = record["ranges"]
        if "mask" not in record:
            stroke["rangesFromArchive"] = True
    elif "mask" not in record:
        stroke["ranges"] = [part] if points[X] else []
    if part != whole:
        stroke["part"] = part
    if record.get("groupID"):
        stroke["group"] = identifier(record["groupID"])
    if record.get("root"):
        stroke["pieceOf"] = identifier(record["root"])
    if record.get("archivedBox"):
        left, upper, right, lower = record["archivedBox"]
        stroke["bounds"] = [left, upper, right - left, lower - upper]
    if shape["scale"]:
        stroke["scale"] = "notes2018"
    changing = sum(1 << n for n, values in enumerate(points) if len(set(values)) > 1) | 3
    if shape["varying"] != changing or shape["present"] != 8191:
        stroke["channels"] = {"varying": shape["varying"], "present": shape["present"]}
    count = len(points[X])
    columns = [values if len(values) == count else values * count for values in points]
    stroke["points"] = [json_point(row, shape["scale"], shape["present"]) for row in zip(*columns)]
    return stroke


def print_json(recording):
    """The page, events and damage have keys of their own, which readers of the JSON format skip: it has events in another form."""
    named = [record for record in recording.records if "bare" not in record["traits"]]
    form = {
        "format": "pentimento-drawing",
        "version": 1,
        "strokes": [json_stroke(record) for record in named],
        "page": {
            "size": recording.size,
            "background": recording.background,
            "colorSpace": recording.background_space,
            "texts": dict(recording.texts),
        },
        "recordedEvents": recording.events,
        "damage": recording.damage,
    }
    print(json.dumps(form, indent=1, default=identifier))


def print_chunks(recording):
    for offset, kind, payload in recording.chunks:
        print(offset, kind, len(payload))


def main(words):
    options = [word for word in words if word.startswith("--")]
    files = [word for word in words if not word.startswith("--")]
    prints = {
        "--stored": print_stored,
        "--archive": lambda recording: print(recording.archive().hex()),
        "--chunks": print_chunks,
    }
    if not files or len(options) > 1 or any(option not in prints for option in options):
        sys.exit(__doc__)
    show = prints[options[0]] if options else print_json
    for file in files:
        with open(file, "rb") as opened:
            show(Recording(opened.read()))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    try:
        main(sys.argv[1:])
    except Damage as damage:
        sys.exit("damaged: %s" % damage)
