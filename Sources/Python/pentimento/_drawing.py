"""Drawings of any known format of ink."""

import builtins
import os
from ctypes import byref, c_int32, c_int64, sizeof, string_at
from functools import cached_property

import numpy as np

from . import _library
from ._arrays import lent
from ._library import Handle, Info, PictureOptions, StrokeInfo, call

_channels = {
    "x": 0, "y": 1, "time": 2, "width": 3, "height": 4, "force": 5, "azimuth": 6, "altitude": 7,
    "opacity": 8,
}
_styles = {"light": 0, "dark": 1, "stored": 2}
_papers = {
    None: -1, "own": -1, "blank": 0, "dotted": 1, "lined": 2, "grid": 3, "graph": 4,
    "isometric": 5, "staves": 6, "cornell": 7,
}
_backgrounds = {None: 0, "page": 0, "transparent": 1, "automatic": 3}


def open(file, *, page=0, format=None):
    """Opens a drawing from a path, or from the bytes of a file.

    The format is recognized by the content unless it is given by its name. Of a file with several pages, one is opened.
    """
    if isinstance(file, (str, os.PathLike)):
        with builtins.open(file, "rb") as stream:
            file = stream.read()
    elif hasattr(file, "read"):
        file = file.read()
    return Drawing(file, page=page, format=format)


class Drawing:
    """A page of a file of ink. Its channels are arrays over the library's memory, which cannot be written."""

    def __init__(self, data, *, page=0, format=None):
        data = _bytes(data)
        name = None if format is None else format.encode()
        pointer = call("open", data.ctypes.data, data.size, name, page)
        self._handle = Handle(pointer, "")
        info = Info(size=sizeof(Info))
        call("get_info", pointer, byref(info))
        self._info = info

    def close(self):
        """Frees the drawing, or as soon as no array of its channels is left."""
        self._handle = Handle(None, "")
        self._arrays.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return (
            f"<pentimento.Drawing: {self.format}, {len(self.strokes)} strokes, "
            f"{self._info.point_count} points>")

    @cached_property
    def format(self):
        """The name of the file's format."""
        return call("format", self._handle.pointer).decode()

    @property
    def page(self):
        """The page that was opened, from 0."""
        return self._info.page

    @property
    def page_count(self):
        """The number of pages of the file."""
        return self._info.page_count

    @property
    def size(self):
        """Width and height of the page in points of 1/72 inch; None if it has no edges."""
        return (self._info.width, self._info.height) if self._info.width > 0 else None

    @property
    def bounds(self):
        """The box of the ink in points: left, top, width, height."""
        return tuple(self._info.bounds)

    @property
    def duration(self):
        """The seconds that a replay takes, with its pauses."""
        return self._info.duration

    @property
    def background(self):
        """The page's colour as (red, green, blue, opacity) from 0 to 255; None if it has none."""
        color = self._info.background
        return tuple(color.to_bytes(4, "big")) if self._info.has_background else None

    @cached_property
    def damage(self):
        """What of the file could not be read, as texts."""
        return [
            call("damage", self._handle.pointer, number).decode()
            for number in range(self._info.damage_count)
        ]

    def text(self, name):
        """A text about the page, "title" for example; None if there is none."""
        value = call("text", self._handle.pointer, name.encode())
        return None if value is None else value.decode()

    def channel(self, name):
        """A channel of all points as float32[points]: x, y, time, width, height, force, azimuth, altitude or opacity."""
        if name not in _channels:
            raise KeyError(f"there is no channel {name!r}; there are {', '.join(_channels)}")
        if name not in self._arrays:
            count = c_int64()
            address = call("column", self._handle.pointer, _channels[name], byref(count))
            self._arrays[name] = lent(address, (count.value,), np.float32, self._handle)
        return self._arrays[name]

    @cached_property
    def _arrays(self):
        return {}

    @cached_property
    def strokes(self):
        """The strokes from back to front."""
        return [Stroke(self, number) for number in range(self._info.stroke_count)]

    @property
    def inks(self):
        """The ink and the colour of each stroke: a list of (name, (red, green, blue, opacity))."""
        return [(stroke.ink, stroke.color) for stroke in self.strokes]

    def render(self, size=None, *, scale=1.0, style="light", paper=None, background="page",
               region=None, margin=0.0, threads=None):
        """The drawing as uint8[height, width, 4], RGBA with colours that are not multiplied by their opacity.

        `size` is (width, height), or the length of the longer side; without it, a point has `scale` pixels.
        """
        options = _options(size, scale, style, paper, background, region, margin, threads)
        pointer = call("render", self._handle.pointer, byref(options))
        handle = Handle(pointer, "picture_")
        width, height, pitch = c_int32(), c_int32(), c_int64()
        address = call("picture_data", pointer, byref(width), byref(height), byref(pitch))
        return lent(
            address, (height.value, width.value, 4), np.uint8, handle, (pitch.value, 4, 1))

    def frames(self, fps=30.0, size=None, *, scale=1.0, style="light", paper=None,
               background="page", region=None, margin=0.0, speed=1.0, maximum_pause=None,
               threads=None):
        """The replay as a sequence of uint8[height, width, 4]."""
        options = _options(size, scale, style, paper, background, region, margin, threads)
        return Frames(self, options, fps, speed, maximum_pause)

    def to_svg(self):
        """The drawing as the text of an SVG file."""
        return self.encode("svg").decode()

    def to_pkd(self):
        """The drawing as the bytes of a .pkd file, with its events."""
        return self.encode("pkd")

    def encode(self, format):
        """The bytes of a file: pkd, json, pencilkit, svg, pdf, events, quickdraw, xournal, excalidraw or inkml."""
        handle = Handle(call("encode", self._handle.pointer, format.encode()), "bytes_")
        count = c_int64()
        address = call("bytes_data", handle.pointer, byref(count))
        return string_at(address, count.value)


class Stroke:
    """A stroke of a drawing. Each channel of its points is an array: `stroke.x`, `stroke.force`."""

    __slots__ = ("_drawing", "_number", "_info")

    def __init__(self, drawing, number):
        self._drawing = drawing
        self._number = number
        info = StrokeInfo(size=sizeof(StrokeInfo))
        call("get_stroke", drawing._handle.pointer, number, byref(info))
        self._info = info

    def __len__(self):
        return self._info.end_point - self._info.first_point

    def __repr__(self):
        return f"<pentimento.Stroke: {self.ink}, {len(self)} points>"

    def __getattr__(self, name):
        if name not in _channels:
            raise AttributeError(name)
        return self._drawing.channel(name)[self._info.first_point:self._info.end_point]

    @property
    def points(self):
        """The places of the points on the page as float64[points, 2], moved by the stroke's transform."""
        a, b, c, d, tx, ty = self._info.transform
        x, y = self.x.astype(float), self.y.astype(float)
        return np.stack([a * x + c * y + tx, b * x + d * y + ty], 1)

    @property
    def ink(self):
        """The name of the ink."""
        return self._info.ink.decode()

    @property
    def color(self):
        """Red, green, blue and opacity from 0 to 1, in sRGB."""
        return tuple(self._info.color)

    @property
    def transform(self):
        """The matrix from the points to the page, as (a, b, c, d, tx, ty)."""
        return tuple(self._info.transform)

    @property
    def start(self):
        """When the stroke began, in seconds since 1970; the channel `time` counts from here."""
        return self._info.start

    @property
    def is_masked(self):
        """Whether an eraser has left only a part of the stroke."""
        return bool(self._info.is_masked)

    @property
    def id(self):
        """The stroke's identifier as 16 bytes."""
        return bytes(self._info.id)


class Frames:
    """The pictures of a replay, drawn when they are asked for. In their order only changes are drawn."""

    def __init__(self, drawing, options, fps, speed, maximum_pause):
        pause = -1.0 if maximum_pause is None else maximum_pause
        self._handle = Handle(
            call("frames_open", drawing._handle.pointer, byref(options), fps, speed, pause),
            "frames_")
        width, height, count = c_int32(), c_int32(), c_int64()
        call("frames_size", self._handle.pointer, byref(width), byref(height), byref(count))
        self.fps = fps
        self.shape = (height.value, width.value, 4)
        self._count = count.value

    def __len__(self):
        return self._count

    def __getitem__(self, number):
        if isinstance(number, slice):
            return [self[index] for index in range(*number.indices(self._count))]
        number = number + self._count if number < 0 else number
        if not 0 <= number < self._count:
            raise IndexError(f"there is no frame {number} of {self._count}")
        frame = np.empty(self.shape, np.uint8)
        call("frames_draw", self._handle.pointer, number, frame.ctypes.data, frame.size)
        return frame


def _bytes(data):
    """Bytes, or anything with a buffer, as uint8[count]."""
    try:
        view = memoryview(data).cast("B")
    except (TypeError, BufferError) as error:
        raise TypeError(f"bytes are needed, not {type(data).__name__}: {error}") from None
    return np.frombuffer(view, np.uint8) if view.nbytes else np.empty(0, np.uint8)


def _choice(values, value, name):
    try:
        return values[value]
    except (KeyError, TypeError):
        known = ", ".join(str(key) for key in values if key)
        raise ValueError(f"{name} must be one of {known}, not {value!r}") from None


def _options(size, scale, style, paper, background, region, margin, threads):
    options = _library.defaults(PictureOptions, "picture")
    if size is not None:
        width, height = (size, 0) if isinstance(size, (int, np.integer)) else size
        if width <= 0 or height < 0 or width > 1 << 20 or height > 1 << 20:
            raise ValueError(f"size must be above 0, not {size}")
        options.width, options.height = int(width), int(height)
    options.scale, options.margin = scale, margin
    options.style = _choice(_styles, style, "style")
    options.paper = _choice(_papers, paper, "paper")
    if isinstance(background, tuple):
        red, green, blue, opacity = (*background, 255)[:4]
        options.background = 2
        options.background_color = int.from_bytes(bytes([red, green, blue, opacity]), "big")
    else:
        options.background = _choice(_backgrounds, background, "background")
    if region is not None:
        options.region[:] = region
    options.threads = thread_count(threads)
    return options


def thread_count(threads):
    """The library's number for a number of threads, where None stands for that of the processors."""
    if threads is None:
        return 0
    if not 1 <= threads <= 256:
        raise ValueError(f"threads must be from 1 to 256, not {threads}")
    return int(threads)
