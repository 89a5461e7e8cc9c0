"""Drawings of data sets in columns."""

from ctypes import byref, c_int64
from functools import cached_property
from itertools import chain

import numpy as np

from ._arrays import lent
from ._drawing import _bytes, thread_count
from ._errors import UnreadableError
from ._library import Handle, call


class Collection:
    """Many drawings: the points of all of them one after the other, and where strokes and drawings end.

    `points` is float32[points, 2] in the units of the data, `stroke_ends` and `drawing_ends` are int64 with the index
    behind the last point of each stroke, and behind the last stroke of each drawing. `times` is float32[points], or None.
    """

    def __init__(self, points, stroke_ends, drawing_ends, times=None):
        self.points = _column(points, np.float32, "points")
        if self.points.ndim != 2 or self.points.shape[1] != 2:
            raise ValueError(f"points must have the shape [points, 2], not {self.points.shape}")
        self.stroke_ends = _ends(stroke_ends, len(self.points), "stroke_ends", "points")
        self.drawing_ends = _ends(
            drawing_ends, len(self.stroke_ends), "drawing_ends", "strokes")
        self.times = None if times is None else _column(times, np.float32, "times")
        if self.times is not None and self.times.shape != (len(self.points),):
            raise ValueError(
                f"times must have the shape [{len(self.points)}], not {self.times.shape}")
        self.damage = []
        self._handle = None

    def __len__(self):
        return len(self.drawing_ends)

    def __repr__(self):
        return (
            f"<pentimento.Collection: {len(self)} drawings, {len(self.stroke_ends)} strokes, "
            f"{len(self.points)} points>")

    def __getitem__(self, index):
        """The strokes of a drawing as a list of float32[points, 2], or a collection of those that a slice names."""
        if isinstance(index, slice):
            return self._slice(*index.indices(len(self)))
        index = range(len(self))[index]
        first, end = self._strokes(index)
        starts = [self._start(first), *self.stroke_ends[first:end].tolist()]
        return [self.points[a:b] for a, b in zip(starts, starts[1:])]

    def __getstate__(self):
        """Copies of all columns, for another process."""
        return {
            name: np.array(value) if isinstance(value, np.ndarray) else value
            for name, value in {
                **self.__dict__, "labels": self.labels, "keys": self.keys,
                "recognized": self.recognized, "_handle": None}.items()
        }

    def take(self, indices):
        """A collection of some drawings, in the order of their indices."""
        indices = np.asarray(indices, np.int64)
        if indices.ndim != 1 or (len(indices) and not 0 <= indices.min() <= indices.max() < len(self)):
            raise IndexError(f"indices must be a list of numbers from 0 to {len(self) - 1}")
        strokes = _ranges(self.drawing_ends, indices)
        points = _ranges(self.stroke_ends, strokes)
        counts = np.diff(self.drawing_ends, prepend=0)[indices]
        lengths = np.diff(self.stroke_ends, prepend=0)[strokes]
        taken = Collection(
            self.points[points], np.cumsum(lengths), np.cumsum(counts),
            None if self.times is None else self.times[points])
        if self._handle is not None or "labels" in self.__dict__:
            taken.labels = [self.labels[index] for index in indices]
            taken.keys = [self.keys[index] for index in indices]
            taken.recognized = self.recognized[indices]
        return taken

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

    def _texts(self, column):
        if self._handle is None:
            return [""] * len(self)
        text = _lent_column(self._handle, column, np.uint8).tobytes()
        ends = _lent_column(self._handle, column + 1, np.int64).tolist()
        return [text[a:b].decode("utf-8", "replace") for a, b in zip([0, *ends], ends)]


def read_quickdraw(data, *, threads=None, damaged="raise"):
    """Reads Quick, Draw!'s lines of JSON, raw or simplified, from bytes. Each line is a drawing."""
    return _read(data, 0, threads, damaged)


def read_quickdraw_binary(data, *, threads=None, damaged="raise"):
    """Reads Quick, Draw!'s binary records from bytes."""
    return _read(data, 1, threads, damaged)


def read_omniglot(data, *, threads=None, damaged="raise"):
    """Reads Omniglot's strokes: the bytes of the zip archive, or a list with the text of each drawing."""
    return _read(data, 2, threads, damaged)


def read_inkml(data, *, threads=None, damaged="raise"):
    """Reads texts in InkML: a text, or a list with a text for each drawing."""
    return _read(data, 3, threads, damaged)


def _read(data, kind, threads, damaged):
    """Reads a text or several. Damage raises an error unless `damaged` is "keep"; then drawings have what could be read,
    and `damage` has a list of (drawing, text)."""
    if damaged not in ("raise", "keep"):
        raise ValueError(f"damaged must be 'raise' or 'keep', not {damaged!r}")
    ends = None
    if isinstance(data, str):
        data = data.encode()
    elif isinstance(data, (list, tuple)):
        texts = [text.encode() if isinstance(text, str) else text for text in data]
        try:
            lengths = list(map(len, texts))
            data = b"".join(texts)
        except TypeError as error:
            raise TypeError(f"texts must be str or bytes: {error}") from None
        ends = np.cumsum(lengths, dtype=np.int64)
    buffer = _bytes(data)
    pointer = call(
        "collection_read", buffer.ctypes.data, buffer.size,
        None if ends is None else ends.ctypes.data, 0 if ends is None else len(ends), kind,
        thread_count(threads))
    handle = Handle(pointer, "collection_")
    count = call("collection_damage_count", pointer)
    damage = []
    for number in range(min(count, 1 if damaged == "raise" else 100)):
        drawing = c_int64()
        text = call("collection_damage", pointer, number, byref(drawing)).decode()
        if damaged == "raise":
            more = f" ({count} places in all)" if count > 1 else ""
            raise UnreadableError(f"drawing {drawing.value}: {text}{more}")
        damage.append((drawing.value, text))
    collection = Collection.__new__(Collection)
    collection.points = _lent_column(handle, 0, np.float32, 2)
    collection.times = _lent_column(handle, 1, np.float32)
    if len(collection.times) == 0:
        collection.times = None
    collection.stroke_ends = _lent_column(handle, 2, np.int64)
    collection.drawing_ends = _lent_column(handle, 3, np.int64)
    collection.damage = damage
    collection._handle = handle
    return collection


def _lent_column(handle, column, dtype, width=None):
    count = c_int64()
    address = call("collection_column", handle.pointer, column, byref(count))
    shape = (count.value,) if width is None else (count.value, width)
    return lent(address, shape, dtype, handle)


def flatten(drawings):
    """A collection of drawings in Python.

    A drawing is a list of strokes. A stroke is an array [points, 2], or [points, 3] with times; or a pair of lists, xs and
    ys, or a triple with times, as the files of Quick, Draw! have them.
    """
    drawings = list(drawings)
    try:
        counts = list(map(len, drawings))
    except TypeError:
        raise TypeError("drawings must be lists of strokes") from None
    strokes = list(chain.from_iterable(drawings))
    if not strokes:
        return Collection(np.empty((0, 2), np.float32), [], np.cumsum(counts, dtype=np.int64))
    kinds = set(map(type, strokes))
    if all(issubclass(kind, np.ndarray) for kind in kinds):
        points, times, lengths = _from_arrays(strokes)
    elif not any(issubclass(kind, np.ndarray) for kind in kinds):
        points, times, lengths = _from_lists(strokes)
    else:
        raise TypeError("strokes must be all arrays or all pairs of lists")
    return Collection(
        points, np.cumsum(lengths, dtype=np.int64), np.cumsum(counts, dtype=np.int64), times)


def _from_arrays(strokes):
    try:
        # Arrays of one type need no conversion, which would take half as long again.
        points = np.concatenate(strokes)
    except (ValueError, TypeError) as error:
        raise ValueError(f"strokes must be arrays [points, 2]: {error}") from None
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ValueError(
            f"strokes must be arrays [points, 2], or [points, 3] with times, not "
            f"[{', '.join(['points', *map(str, points.shape[1:])])}]")
    lengths = list(map(len, strokes))
    if points.shape[1] == 2:
        return points, None, lengths
    return points[:, :2], points[:, 2], lengths


def _from_lists(strokes):
    try:
        widths = set(map(len, strokes))
    except TypeError:
        raise TypeError("strokes must be arrays, or pairs of lists") from None
    if len(widths) != 1 or not widths <= {2, 3}:
        raise ValueError(
            "strokes that are no arrays must be pairs of lists, xs and ys, or all triples with times")
    width = widths.pop()
    try:
        lengths = [len(stroke[0]) for stroke in strokes]
        for stroke, length in zip(strokes, lengths):
            if any(len(values) != length for values in stroke):
                raise ValueError("the lists of a stroke must have one length")
        columns = [
            np.fromiter(
                chain.from_iterable(stroke[column] for stroke in strokes), np.float64, sum(lengths))
            for column in range(width)
        ]
    except TypeError as error:
        raise TypeError(f"strokes must be pairs of lists of numbers: {error}") from None
    times = columns[2] if width == 3 else None
    return np.stack(columns[:2], 1), times, lengths


def _column(values, dtype, name):
    """An array without gaps of a type, from one of numbers."""
    values = np.asarray(values)
    if values.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be numbers, not {values.dtype}")
    return np.ascontiguousarray(values, dtype)


def _ends(values, limit, name, what):
    ends = np.asarray(values)
    if ends.size == 0:
        ends = np.empty(0, np.int64)
    if ends.ndim != 1 or ends.dtype.kind not in "iu":
        raise TypeError(f"{name} must be a list of whole numbers")
    ends = np.ascontiguousarray(ends, np.int64)
    last = int(ends[-1]) if len(ends) else 0
    if last != limit or (len(ends) and (ends[0] < 0 or (np.diff(ends) < 0).any())):
        raise ValueError(f"{name} must rise to {limit}, the number of {what}")
    return ends


def _ranges(ends, indices):
    """The numbers of all ranges with some indices, where a range ends at its end and begins at that of the one before."""
    lengths = np.diff(ends, prepend=0)[indices]
    starts = ends[indices] - lengths
    first = np.cumsum(lengths) - lengths
    return np.repeat(starts - first, lengths) + np.arange(lengths.sum())
