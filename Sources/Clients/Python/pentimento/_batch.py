"""Pictures of many drawings."""

import math
import re
from ctypes import byref, sizeof
from dataclasses import dataclass

import numpy as np

from . import _collection, _library
from ._arguments import (
    buffer,
    indices as checked_indices,
    is_list,
    is_path,
    number,
    several,
    sides,
    thread_count,
    whole,
)
from ._collection import Collection, flatten
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
        options.rotation, options.shear = number(self.rotate, "rotate"), number(self.shear, "shear")
        options.translation = number(self.translate, "translate")
        options.scale[:] = several(self.scale, "scale", (2,), "two factors")


@dataclass(frozen=True)
class Jitter:
    """Moves each point at random; `sigma` is the standard deviation of each coordinate, in the units of `line_width`."""

    sigma: float

    def _set(self, options):
        options.jitter = number(self.sigma, "sigma")


@dataclass(frozen=True)
class Width:
    """Multiplies the width of each drawing's lines by a random factor between two."""

    least: float
    greatest: float

    def _set(self, options):
        options.width_factor[:] = number(self.least, "least"), number(self.greatest, "greatest")


# The approximate bytes of the drawings in one call of the library: between calls, Python handles
# Ctrl-C.
_block_bytes = 1 << 25


def render_batch(
    drawings,
    size=28,
    *,
    line_width=None,
    padding=None,
    frame=256,
    fit=False,
    bins=None,
    threads=None,
    augment=(),
    seed=0,
    indices=None,
    inverted=False,
    out=None,
):
    """Draws each drawing as a grey picture: uint8[drawings, height, width], white on black.

    drawings: a `Collection`; a list of drawings as `flatten` takes it; Quick, Draw!'s lines, as a path or bytes; or a
        list of paths or texts in InkML, which are fitted.
    size: the side of the pictures in pixels, or (height, width).
    line_width, padding: in units of the data, 16 and 16 by default, as in the recipe for pictures of 28 pixels; in pixels
        if drawings are fitted.
    frame: the side of the data's square, whose middle the drawings are moved to, as in the recipe; or (left, top, width,
        height), which is shown as it is.
    fit: whether each drawing is scaled to fill its picture.
    bins: the number of pictures of each drawing, for equal parts of its time: the result is
        uint8[drawings, bins, height, width] then.
    threads: their number; by default that of the processors. The pictures do not depend on it.
    augment: `Affine`, `Jitter` and `Width`, or a list of them, each at most once. Changes depend on `seed` and on
        the drawing's index alone.
    indices: the index of each drawing for random changes; 0, 1, 2 … by default. As for `take`, a mask is the list of the
        indices where it is true.
    inverted: whether lines are black on white.
    out: an array for the result, which is made otherwise.
    """
    collection, is_inkml = _collected(drawings, threads)
    options = _options(size, line_width, padding, frame, fit or is_inkml, bins, threads, augment, seed, inverted)
    shape = (len(collection), *((options.bins,) if bins is not None else ()), options.height, options.width)
    if out is None:
        out = np.empty(shape, np.uint8)
    elif not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
    elif not out.flags.writeable:
        raise ValueError("out must be an array that can be written")
    elif out.shape != shape or out.dtype != np.uint8 or not out.flags.c_contiguous:
        raise ValueError(f"out must be a uint8 array of the shape {shape} without gaps")
    numbers = None
    if indices is not None:
        numbers = checked_indices(indices, "indices")
        if numbers.dtype == bool:
            numbers = np.flatnonzero(numbers)
        if len(numbers) != len(collection):
            raise ValueError(f"indices must be {len(collection)} numbers, one for each drawing, not {len(numbers)}")
    elif len(collection) > 0:
        numbers = np.arange(len(collection), dtype=np.int64)
    _draw(collection, options, numbers, out)
    return out


def render_inkml(texts, size=256, **options):
    """Reads a list of texts in InkML and draws each, fitted, as `render_batch` does."""
    return render_batch(_collection.read_inkml(texts, threads=options.get("threads")), size, fit=True, **options)


def _collected(drawings, threads):
    """A collection of what a caller passes, and whether it was InkML."""
    if isinstance(drawings, Collection):
        return drawings, False
    drawings = _collection.loaded(drawings)
    if isinstance(drawings, (bytes, bytearray, memoryview)):
        if _start(drawings) == b"<":
            return _collection.read_inkml(drawings, threads=threads), True
        return _collection.read_quickdraw(drawings, threads=threads), False
    drawings = _collection.listed(drawings)
    if drawings and is_path(drawings[0]):
        drawings = list(map(_collection.loaded, drawings))
    if drawings and isinstance(drawings[0], (str, bytes, bytearray, memoryview)):
        if _start(drawings[0]) in (b"{", b"\x1f"):
            raise ValueError(
                "drawings must be a list of drawings or of texts in InkML; read_quickdraw takes a list of files "
                "or lines of Quick, Draw!"
            )
        return _collection.read_inkml(drawings, threads=threads), True
    return flatten(drawings), False


def _start(text):
    """The first byte of a text that is no space."""
    if isinstance(text, str):
        text = text[:64].encode("utf-8", "replace")
    return bytes(buffer(text, "drawings")[:64]).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]


def _options(size, line_width, padding, frame, fit, bins, threads, augment, seed, inverted):
    options = _library.defaults(BatchOptions, "batch")
    lengths = sides(size, 2048)
    options.height, options.width = lengths[0], lengths[-1]
    side = min(options.height, options.width)
    if line_width is not None:
        line_width = number(line_width, "line_width")
    if padding is not None:
        padding = number(padding, "padding")
    if fit:
        options.placement = 1
        # Line width and padding as in the thumbnails of `pkd`.
        options.line_width = max(side / 64, 1.25) if line_width is None else line_width
        options.padding = side * (0.06 / 1.12) if padding is None else padding
    else:
        if line_width is not None:
            options.line_width = line_width
        if padding is not None:
            options.padding = padding
        if is_list(frame):
            options.placement = 2
            options.frame[:] = several(frame, "frame", (4,), "a number or four")
        else:
            options.frame[2:] = [number(frame, "frame")] * 2
    if bins is not None:
        options.bins = whole(bins, "bins", 1, 256)
    options.threads = thread_count(threads)
    options.is_inverted = bool(inverted)
    options.seed = whole(seed, "seed") & 0xFFFF_FFFF_FFFF_FFFF
    kinds = set()
    for change in augment if isinstance(augment, (list, tuple)) else (augment,):
        if not isinstance(change, (Affine, Jitter, Width)):
            raise TypeError(f"augment takes Affine, Jitter and Width, not {change!r:.80}")
        kind = type(change).__name__
        if kind in kinds:
            raise ValueError(f"augment takes each kind of change once, but {kind} is there twice")
        kinds.add(kind)
        change._set(options)
    return options


def _draw(collection, options, numbers, out):
    """Draws a collection in blocks, each by one call."""
    points, strokes, drawings = (collection.points, collection.stroke_ends, collection.drawing_ends)
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
        lines.times = None if collection.times is None else collection.times.ctypes.data + 4 * point
        lines.stroke_ends, lines.drawing_ends = stroke_ends.ctypes.data, drawing_ends.ctypes.data
        part = out[start:end]
        try:
            call(
                "render_batch", byref(lines), byref(options), numbers[start:].ctypes.data, part.ctypes.data, part.nbytes
            )
        except ValueError as error:
            if start == 0:
                raise
            # The library counts from the start of the block.
            message = re.sub(
                r"^drawing (\d+)", lambda found, start=start: f"drawing {start + int(found[1])}", str(error)
            )
            raise type(error)(message) from None
