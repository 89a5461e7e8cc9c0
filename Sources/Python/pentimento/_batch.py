"""Pictures of many drawings."""

import math
from ctypes import byref, sizeof
from dataclasses import dataclass

import numpy as np

from . import _collection, _library
from ._collection import Collection, flatten
from ._drawing import thread_count
from ._library import BatchOptions, Lines, call


@dataclass(frozen=True)
class Affine:
    """Turns, scales, shears and moves each drawing at random, by an even distribution.

    `rotate` and `shear` are the greatest angles in degrees either way, `scale` the least and the greatest factor, and
    `translate` the greatest way either way, as a part of the picture's side.
    """

    rotate: float = 0.0
    scale: tuple = (1.0, 1.0)
    shear: float = 0.0
    translate: float = 0.0

    def _set(self, options):
        options.rotation, options.shear, options.translation = self.rotate, self.shear, self.translate
        options.scale[:] = self.scale


@dataclass(frozen=True)
class Jitter:
    """Moves each point at random; `sigma` is the standard deviation of each coordinate, in the units of `line_width`."""

    sigma: float

    def _set(self, options):
        options.jitter = self.sigma


@dataclass(frozen=True)
class Width:
    """Multiplies the width of each drawing's lines by a random factor between two."""

    least: float
    greatest: float

    def _set(self, options):
        options.width_factor[:] = (self.least, self.greatest)


# Drawings that are drawn by one call of the library, of about this many bytes: between calls, Python notices Ctrl-C.
_block_bytes = 1 << 25


def render_batch(drawings, size=28, *, line_width=None, padding=None, frame=256, fit=False,
                 bins=None, threads=None, augment=(), seed=0, indices=None, inverted=False,
                 out=None):
    """Draws each drawing as a grey picture: uint8[drawings, height, width], white on black.

    drawings: a `Collection`; a list of drawings as `flatten` takes it; the bytes of Quick, Draw!'s lines; or a list of
        texts in InkML, which are fitted.
    size: the side of the pictures in pixels, or (height, width).
    line_width, padding: in units of the data, 16 and 16 by default, as in the recipe for pictures of 28 pixels; in pixels
        if drawings are fitted.
    frame: the side of the data's square, whose middle the drawings are moved to, as in the recipe; or (left, top, width,
        height), which is shown as it is.
    fit: whether each drawing is scaled to fill its picture.
    bins: the number of pictures of each drawing, for equal parts of its time: the result is
        uint8[drawings, bins, height, width] then.
    threads: their number; by default that of the processors. The pictures do not depend on it.
    augment: `Affine`, `Jitter` and `Width`, or a list of them. Changes depend on `seed` and on the drawing's index alone.
    indices: the index of each drawing for random changes; 0, 1, 2 … by default.
    inverted: whether lines are black on white.
    out: an array for the result, which is made otherwise.
    """
    collection, is_inkml = _collected(drawings, threads)
    options = _options(
        size, line_width, padding, frame, fit or is_inkml, bins, threads, augment, seed, inverted)
    shape = (len(collection), *((options.bins,) if bins is not None else ()), options.height,
             options.width)
    if out is None:
        out = np.empty(shape, np.uint8)
    elif out.shape != shape or out.dtype != np.uint8 or not out.flags.c_contiguous:
        raise ValueError(f"out must be a uint8 array of the shape {shape} without gaps")
    numbers = None
    if indices is not None:
        numbers = np.ascontiguousarray(indices, np.int64)
        if numbers.shape != (len(collection),):
            raise ValueError(f"indices must have the shape [{len(collection)}]")
    elif len(collection) > 0:
        numbers = np.arange(len(collection), dtype=np.int64)
    _draw(collection, options, numbers, out)
    return out


def render_inkml(texts, size=256, **options):
    """Reads a list of texts in InkML and draws each, fitted, as `render_batch` does."""
    return render_batch(_collection.read_inkml(texts, threads=options.get("threads")), size,
                        fit=True, **options)


def _collected(drawings, threads):
    """A collection of what a caller passes, and whether it was InkML."""
    if isinstance(drawings, Collection):
        return drawings, False
    if isinstance(drawings, (bytes, bytearray, memoryview)):
        start = bytes(memoryview(drawings)[:64]).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        if start == b"<":
            return _collection.read_inkml(drawings, threads=threads), True
        return _collection.read_quickdraw(drawings, threads=threads), False
    drawings = list(drawings)
    if drawings and isinstance(drawings[0], (str, bytes)):
        return _collection.read_inkml(drawings, threads=threads), True
    return flatten(drawings), False


def _options(size, line_width, padding, frame, fit, bins, threads, augment, seed, inverted):
    options = _library.defaults(BatchOptions, "batch")
    height, width = (size, size) if isinstance(size, (int, np.integer)) else size
    if not (1 <= height <= 2048 and 1 <= width <= 2048):
        raise ValueError(f"size must be from 1 to 2048 pixels, not {size}")
    options.height, options.width = int(height), int(width)
    side = min(options.height, options.width)
    if fit:
        options.placement = 1
        # Lines and air as in the thumbnails of `pkd`.
        options.line_width = max(side / 64, 1.25) if line_width is None else line_width
        options.padding = side * (0.06 / 1.12) if padding is None else padding
    else:
        if line_width is not None:
            options.line_width = line_width
        if padding is not None:
            options.padding = padding
        if isinstance(frame, (int, float, np.number)):
            options.frame[:] = (0, 0, frame, frame)
        else:
            options.placement = 2
            options.frame[:] = frame
    if bins is not None:
        if not 1 <= bins <= 256:
            raise ValueError(f"bins must be from 1 to 256, not {bins}")
        options.bins = bins
    options.threads = thread_count(threads)
    options.is_inverted = bool(inverted)
    options.seed = seed & 0xFFFF_FFFF_FFFF_FFFF
    for change in augment if isinstance(augment, (list, tuple)) else (augment,):
        if not isinstance(change, (Affine, Jitter, Width)):
            raise TypeError(f"augment takes Affine, Jitter and Width, not {change!r}")
        change._set(options)
    return options


def _draw(collection, options, numbers, out):
    """Draws a collection in blocks, each by one call."""
    points, strokes, drawings = (
        collection.points, collection.stroke_ends, collection.drawing_ends)
    count = max(_block_bytes // (options.bins * options.width * options.height), 64)
    # Blocks of equal sizes, so that the last one keeps all threads busy, too.
    count = math.ceil(len(collection) / max(math.ceil(len(collection) / count), 1))
    lines = Lines(size=sizeof(Lines), step=2)
    for start in range(0, len(collection), count or 1):
        end = min(start + count, len(collection))
        first = int(drawings[start - 1]) if start > 0 else 0
        last = int(drawings[end - 1])
        stroke_ends, drawing_ends = strokes[first:last], drawings[start:end]
        point = int(strokes[first - 1]) if first > 0 else 0
        if start > 0:
            stroke_ends, drawing_ends = stroke_ends - point, drawing_ends - first
        lines.point_count = (int(strokes[last - 1]) if last > 0 else 0) - point
        lines.stroke_count, lines.drawing_count = last - first, end - start
        lines.x = points.ctypes.data + 8 * point
        lines.y = lines.x + 4
        lines.times = (
            None if collection.times is None else collection.times.ctypes.data + 4 * point)
        lines.stroke_ends, lines.drawing_ends = stroke_ends.ctypes.data, drawing_ends.ctypes.data
        part = out[start:end]
        try:
            call("render_batch", byref(lines), byref(options), numbers[start:].ctypes.data,
                 part.ctypes.data, part.nbytes)
        except ValueError as error:
            if start == 0:
                raise
            raise type(error)(f"{error} (counted from drawing {start})") from None
