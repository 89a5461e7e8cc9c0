"""Drawings of data sets in columns."""

from collections.abc import Mapping, Set
from ctypes import byref, c_int64
from functools import cached_property
from itertools import chain

import numpy as np

from ._arguments import buffer, contents, encoded, indices as checked_indices, is_path, thread_count, whole
from ._arrays import lent
from ._errors import UnreadableError
from ._library import Handle, call


class Collection:
    """Many drawings: the points of all of them one after the other, and where strokes and drawings end.

    `points` is float32[points, 2] in the units of the data, `stroke_ends` and `drawing_ends` are int64 with the index
    behind the last point of each stroke, and behind the last stroke of each drawing. `times` is float32[points], or None.

    Arrays of points and times that have these types already are not copied: whoever writes them changes the drawings, and
    must not do so while these are drawn. Where strokes and drawings end is copied, and cannot be changed.
    """

    def __init__(self, points, stroke_ends, drawing_ends, times=None):
        points = _column(points, np.float32, "points")
        if points.shape == (0,):
            points = points.reshape(0, 2)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ValueError(f"points must have the shape [points, 2], not {list(points.shape)}")
        self._points = points
        self._stroke_ends = _ends(stroke_ends, len(points), "stroke_ends", "points")
        self._drawing_ends = _ends(drawing_ends, len(self._stroke_ends), "drawing_ends", "strokes")
        self._times = None if times is None else _column(times, np.float32, "times")
        if times is not None and self._times.shape != (len(points),):
            raise ValueError(f"times must have the shape [{len(points)}], not {list(self._times.shape)}")
        self.damage = []
        self._handle = None

    # Drawing relies on the initializer's checks, so no other array can be assigned.
    points = property(lambda self: self._points, doc="float32[points, 2] in the units of the data.")
    times = property(lambda self: self._times, doc="float32[points], or None.")
    stroke_ends = property(
        lambda self: self._stroke_ends, doc="int64[strokes], the index behind the last point of each."
    )
    drawing_ends = property(
        lambda self: self._drawing_ends, doc="int64[drawings], the index behind the last stroke of each."
    )

    def __len__(self):
        return len(self.drawing_ends)

    def __repr__(self):
        return (
            f"<pentimento.Collection: {len(self)} drawings, {len(self.stroke_ends)} strokes, {len(self.points)} points>"
        )

    def __getitem__(self, index):
        """The strokes of a drawing as a list of float32[points, 2], or a collection of those that a slice names."""
        if isinstance(index, slice):
            return self._slice(*index.indices(len(self)))
        index = whole(index, "a drawing's index")
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no drawing {index} of {len(self)}")
        index %= len(self)
        first, end = self._strokes(index)
        starts = [self._start(first), *self.stroke_ends[first:end].tolist()]
        return [self.points[a:b] for a, b in zip(starts, starts[1:])]

    def __getstate__(self):
        """Copies of all columns, for another process."""
        return {
            name: np.array(value) if isinstance(value, np.ndarray) else value
            for name, value in {
                **self.__dict__,
                "labels": self.labels,
                "keys": self.keys,
                "recognized": self.recognized,
                "_handle": None,
            }.items()
        }

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._stroke_ends.flags.writeable = self._drawing_ends.flags.writeable = False

    def take(self, indices):
        """A collection of some drawings: in the order of their indices, or those where a mask, bool[drawings], is true."""
        indices = checked_indices(indices, "indices")
        if indices.dtype == bool:
            if len(indices) != len(self):
                raise TypeError(f"indices is a mask of {len(indices)} values, but there are {len(self)} drawings")
            indices = np.flatnonzero(indices)
        wrong = indices[(indices < 0) | (indices >= len(self))]
        if len(wrong):
            raise IndexError(f"indices has {wrong[0]}, but there are {len(self)} drawings")
        strokes, counts = _ranges(self.drawing_ends, indices)
        points, lengths = _ranges(self.stroke_ends, strokes)
        taken = _made(
            self.points[points],
            np.cumsum(lengths),
            np.cumsum(counts),
            None if self.times is None else self.times[points],
        )
        if self._handle is not None or "labels" in self.__dict__:
            # Texts that have not been created yet are created for these drawings alone.
            taken.labels = self._taken_texts("labels", 4, indices)
            taken.keys = self._taken_texts("keys", 6, indices)
            taken.recognized = self.recognized[indices]
        return taken

    def _taken_texts(self, name, column, indices):
        if name in self.__dict__ or self._handle is None:
            texts = getattr(self, name)
            return [texts[index] for index in indices.tolist()]
        return self._texts(column, indices)

    def _slice(self, start, stop, step):
        return self.take(range(start, stop, step))

    def _strokes(self, index):
        return int(self.drawing_ends[index - 1]) if index > 0 else 0, int(self.drawing_ends[index])

    def _start(self, stroke):
        return int(self.stroke_ends[stroke - 1]) if stroke > 0 else 0

    @cached_property
    def labels(self):
        """What each drawing shows: a word, a formula or the name of a character; "" if that is not known."""
        return self._texts(4)

    @cached_property
    def keys(self):
        """The name of each drawing in its data set; "" if it has none."""
        return self._texts(6)

    @cached_property
    def recognized(self):
        """int8[drawings]: 1 if the game guessed the drawing, 0 if not, -1 if that is not known."""
        if self._handle is None:
            return np.full(len(self), -1, np.int8)
        return _lent_column(self._handle, 8, np.int8)

    def _texts(self, column, indices=None):
        """The texts of all drawings, or of those with some indices."""
        if self._handle is None:
            return [""] * len(self)
        text = _lent_column(self._handle, column, np.uint8)
        ends = _lent_column(self._handle, column + 1, np.int64)
        if indices is None:
            text, ends = text.tobytes(), ends.tolist()
            return [text[a:b].decode("utf-8", "replace") for a, b in zip([0, *ends], ends)]
        starts, ends = _starts(ends, indices).tolist(), ends[indices].tolist()
        return [text[a:b].tobytes().decode("utf-8", "replace") for a, b in zip(starts, ends)]


def read_quickdraw(data, *, threads=None, damaged="raise"):
    """Reads Quick, Draw!'s lines of JSON, raw or simplified, also packed by gzip: a path, bytes, or a list of them. Each
    line is a drawing."""
    return _read(data, 0, threads, damaged)


def read_quickdraw_binary(data, *, threads=None, damaged="raise"):
    """Reads Quick, Draw!'s binary records: a path or bytes."""
    return _read(data, 1, threads, damaged)


def read_omniglot(data, *, threads=None, damaged="raise"):
    """Reads Omniglot's strokes: the zip archive, as a path or bytes, or a list with the path or text of each drawing."""
    return _read(data, 2, threads, damaged)


def read_inkml(data, *, threads=None, damaged="raise"):
    """Reads InkML: a path or a text, or a list with one for each drawing."""
    return _read(data, 3, threads, damaged)


def _read(data, kind, threads, damaged):
    """Reads a text or several. Damage raises an error unless `damaged` is "keep"; then drawings have what could be read,
    and `damage` has a list of (drawing, text)."""
    if damaged not in ("raise", "keep"):
        raise ValueError(f"damaged must be 'raise' or 'keep', not {damaged!r}")
    ends = None
    data = loaded(data)
    if isinstance(data, str):
        data = encoded(data, "data")
    elif isinstance(data, (list, tuple)) or isinstance(data, np.ndarray) and data.dtype.kind in "OU":
        texts = list(map(_text, data))
        ends = np.cumsum(list(map(len, texts)), dtype=np.int64)
        data = b"".join(texts)
    data = buffer(data, "data")
    pointer = call(
        "collection_read",
        data.ctypes.data,
        data.size,
        None if ends is None else ends.ctypes.data,
        0 if ends is None else len(ends),
        kind,
        thread_count(threads),
    )
    handle = Handle(pointer, "collection_")
    count = call("collection_damage_count", handle)
    damage = []
    for number in range(min(count, 1 if damaged == "raise" else 100)):
        drawing = c_int64()
        text = call("collection_damage", handle, number, byref(drawing)).decode()
        if damaged == "raise":
            more = f" ({count} places in all)" if count > 1 else ""
            raise UnreadableError(f"drawing {drawing.value}: {text}{more}")
        damage.append((drawing.value, text))
    times = _lent_column(handle, 1, np.float32)
    collection = _made(
        _lent_column(handle, 0, np.float32, 2),
        _lent_column(handle, 2, np.int64),
        _lent_column(handle, 3, np.int64),
        times if len(times) else None,
    )
    collection.damage = damage
    collection._handle = handle
    return collection


def loaded(value):
    """The bytes of a file, if a value is its path; else the value."""
    # Reads at most the library's limit.
    return contents(value, "data", 1 << 36) if is_path(value) else value


def _text(value):
    """The bytes of one of several texts."""
    value = loaded(value)
    if isinstance(value, (bytes, bytearray)):
        return value
    if isinstance(value, str):
        return encoded(value, "data")
    try:
        return buffer(value, "data").tobytes()
    except TypeError:
        raise TypeError(f"data must be texts, str or bytes, not {type(value).__name__}") from None


def _lent_column(handle, column, dtype, width=None):
    count = c_int64()
    address = call("collection_column", handle, column, byref(count))
    shape = (count.value,) if width is None else (count.value, width)
    return lent(address, shape, dtype, handle)


# Types with a length and elements that are not lists of drawings, strokes or numbers.
_no_lists = (str, bytes, bytearray, memoryview, Mapping, Set)


def listed(drawings):
    """A list of what a caller passes for drawings."""
    try:
        if isinstance(drawings, _no_lists):
            raise TypeError
        each = iter(drawings)
    except TypeError:
        raise TypeError(
            "drawings must be a Collection, a list of drawings, a path or the bytes of a file of Quick, Draw!, "
            f"or a list of paths or texts in InkML, not {type(drawings).__name__}"
        ) from None
    return list(each)


def flatten(drawings):
    """A collection of drawings in Python.

    A drawing is a list of strokes. A stroke is an array [points, 2], or [points, 3] with times; or a pair of lists, xs and
    ys, or a triple with times, as the files of Quick, Draw! have them.
    """
    drawings = listed(drawings)
    for kind in set(map(type, drawings)):
        if issubclass(kind, _no_lists):
            raise TypeError(f"drawings must be lists of strokes, not {kind.__name__}")
    try:
        counts = list(map(len, drawings))
        strokes = list(chain.from_iterable(drawings))
    except TypeError:
        raise TypeError("drawings must be lists of strokes") from None
    if not strokes:
        return Collection(np.empty((0, 2), np.float32), [], np.cumsum(counts, dtype=np.int64))
    kinds = set(map(type, strokes))
    for kind in kinds:
        if issubclass(kind, _no_lists) or not hasattr(kind, "__len__"):
            raise TypeError(f"strokes must be arrays or pairs of lists, not {kind.__name__}")
    if all(issubclass(kind, np.ndarray) for kind in kinds):
        points, times, lengths = _from_arrays(strokes)
    elif not any(issubclass(kind, np.ndarray) for kind in kinds):
        points, times, lengths = _from_lists(strokes)
    else:
        raise TypeError("strokes must be all arrays or all pairs of lists")
    return Collection(points, np.cumsum(lengths, dtype=np.int64), np.cumsum(counts, dtype=np.int64), times)


def _from_arrays(strokes):
    try:
        # Arrays of one type need no conversion, which would take half as long as concatenating.
        points = np.asarray(np.concatenate(strokes))
    except (ValueError, TypeError):
        raise ValueError("strokes must be arrays [points, 2], or all [points, 3] with times, of numbers") from None
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ValueError(
            f"strokes must be arrays [points, 2], or [points, 3] with times, not "
            f"[{', '.join(['points', *map(str, points.shape[1:])])}]"
        )
    lengths = list(map(len, strokes))
    if points.shape[1] == 2:
        return points, None, lengths
    return points[:, :2], points[:, 2], lengths


def _from_lists(strokes):
    widths = set(map(len, strokes))
    if len(widths) != 1 or not widths <= {2, 3}:
        raise ValueError("strokes that are no arrays must be pairs of lists, xs and ys, or all triples with times")
    width = widths.pop()
    try:
        lengths = [len(stroke[0]) for stroke in strokes]
        are_even = all(len(values) == length for stroke, length in zip(strokes, lengths) for values in stroke)
    except (TypeError, LookupError):
        raise TypeError("strokes must be pairs of lists of numbers") from None
    if not are_even:
        raise ValueError("the lists of a stroke must have one length")
    try:
        columns = [
            np.fromiter(chain.from_iterable(stroke[column] for stroke in strokes), np.float64, sum(lengths))
            for column in range(width)
        ]
    except (TypeError, ValueError, OverflowError):
        raise TypeError("strokes must be pairs of lists of numbers") from None
    times = columns[2] if width == 3 else None
    return np.stack(columns[:2], 1), times, lengths


def _column(values, dtype, name):
    """An array without gaps of a type, from one of numbers."""
    try:
        values = np.asarray(values)
    except ValueError:
        raise TypeError(f"{name} must be an array of numbers") from None
    if values.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be numbers, not {values.dtype}")
    # Numbers that are too large become infinite; drawing refuses these with the number of their
    # drawing.
    with np.errstate(over="ignore"):
        return np.require(values, dtype, "CA")


def _ends(values, limit, name, what):
    """A copy of a column with ends, which nobody else can write while the library reads it."""
    try:
        ends = np.asarray(values)
    except ValueError:
        raise TypeError(f"{name} must be a list of whole numbers") from None
    if ends.size == 0:
        ends = np.empty(0, np.int64)
    if ends.ndim != 1 or ends.dtype.kind not in "iu":
        raise TypeError(f"{name} must be a list of whole numbers")
    ends = np.array(ends, np.int64)
    last = int(ends[-1]) if len(ends) else 0
    # Differences would wrap around.
    if last != limit or (len(ends) and (ends[0] < 0 or (ends[1:] < ends[:-1]).any())):
        raise ValueError(f"{name} must rise to {limit}, the number of {what}")
    ends.flags.writeable = False
    return ends


def _ranges(ends, indices):
    """The numbers in all ranges with some indices, and the length of each range. It ends at its end and begins at that of the
    one before."""
    starts = _starts(ends, indices)
    lengths = ends[indices] - starts
    first = np.cumsum(lengths) - lengths
    return np.repeat(starts - first, lengths) + np.arange(lengths.sum()), lengths


def _starts(ends, indices):
    """Where the ranges with some indices begin: each at the end of the one before."""
    # Nothing here may be as long as `ends`: a batch of a large data set must cost no more than one
    # of a small data set.
    return np.where(indices > 0, ends[indices - 1], 0)


def _made(points, stroke_ends, drawing_ends, times):
    """A collection of columns of the right types that fit each other."""
    collection = Collection.__new__(Collection)
    collection._points, collection._times = points, times
    collection._stroke_ends, collection._drawing_ends = stroke_ends, drawing_ends
    stroke_ends.flags.writeable = drawing_ends.flags.writeable = False
    collection.damage, collection._handle = [], None
    return collection
