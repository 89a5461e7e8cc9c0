"""Drawings of any known format of ink."""

import os
from ctypes import byref, c_int32, c_int64, sizeof, string_at

import numpy as np

from . import _library
from ._arguments import buffer, choice, contents, number, rest, several, sides, thread_count, whole, word
from ._arrays import lent
from ._errors import ClosedError
from ._library import Handle, Info, PictureOptions, StrokeInfo, call

_channels = {
    "x": 0,
    "y": 1,
    "time": 2,
    "width": 3,
    "height": 4,
    "force": 5,
    "azimuth": 6,
    "altitude": 7,
    "opacity": 8,
}
_styles = {"light": 0, "dark": 1, "stored": 2}
_papers = {
    None: -1,
    "own": -1,
    "blank": 0,
    "dotted": 1,
    "lined": 2,
    "grid": 3,
    "graph": 4,
    "isometric": 5,
    "staves": 6,
    "cornell": 7,
}
_backgrounds = {None: 0, "page": 0, "transparent": 1, "automatic": 3}
# The library refuses larger files.
_maximum_bytes = 1 << 30


def open(file, *, page=0, format=None):
    """Opens a drawing from a path, a stream of bytes, or the bytes of a file.

    The format is recognized by the content unless it is given by its name. Of a file with several pages, one is opened.
    """
    if isinstance(file, (str, os.PathLike)):
        file = contents(file, "file", _maximum_bytes)
    elif hasattr(file, "read"):
        file = rest(file, "file", _maximum_bytes)
    return Drawing(file, page=page, format=format)


class _Columns:
    """The library's drawing and the arrays over its columns.

    A drawing shares them with its strokes. These do not hold the drawing, which holds them: so its memory is free as soon
    as nothing uses it, and not only when Python looks for cycles.
    """

    __slots__ = ("_handle", "_arrays")

    def __init__(self, handle):
        self._handle, self._arrays = handle, {}

    def opened(self):
        """The handle; an error if the drawing was closed.

        A caller takes it once and keeps it as long as it uses the memory, as another thread may close the drawing meanwhile.
        """
        handle = self._handle
        if handle is None:
            raise ClosedError("the drawing was closed")
        return handle

    @property
    def is_closed(self):
        return self._handle is None

    def close(self):
        self._handle, self._arrays = None, {}

    def __getitem__(self, name):
        # In the opposite order to `close`, so that an array is never stored in a closed drawing.
        arrays, handle = self._arrays, self.opened()
        array = arrays.get(name)
        if array is None:
            count = c_int64()
            address = call("column", handle, _channels[name], byref(count))
            array = arrays[name] = lent(address, (count.value,), np.float32, handle)
        return array


class Drawing:
    """A page of a file of ink. Its channels are arrays over the library's memory, which cannot be written.

    After `close`, everything but another `close` raises a `ClosedError`. Arrays, replays and the facts of strokes that were
    taken before stay as they are.
    """

    # A drawing whose opening failed behaves like a closed one.
    _columns = _Columns(None)

    def __init__(self, data, *, page=0, format=None):
        data = buffer(data, "file")
        name = None if format is None else word(format, "format")
        page = whole(page, "page", 0, 0x7FFF_FFFF)
        handle = Handle(call("open", data.ctypes.data, data.size, name, page), "")
        info = Info(size=sizeof(Info))
        call("get_info", handle, byref(info))
        self._columns = _Columns(handle)
        self._facts = info
        self._format = call("format", handle).decode()
        self._strokes = None

    def close(self):
        """Frees the drawing, or as soon as no array of its channels is left."""
        self._strokes = None
        self._columns.close()

    @property
    def _handle(self):
        return self._columns.opened()

    @property
    def _info(self):
        self._columns.opened()
        return self._facts

    def __enter__(self):
        self._columns.opened()
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        if self._columns.is_closed:
            return "<pentimento.Drawing: closed>"
        return (
            f"<pentimento.Drawing: {self._format}, {self._facts.stroke_count} strokes, "
            f"{self._facts.point_count} points>"
        )

    @property
    def format(self):
        """The name of the file's format."""
        self._columns.opened()
        return self._format

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
        info = self._info
        return (info.width, info.height) if info.width > 0 else None

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
        info = self._info
        return tuple(info.background.to_bytes(4, "big")) if info.has_background else None

    @property
    def damage(self):
        """What of the file could not be read, as texts."""
        return [call("damage", self._handle, place).decode() for place in range(self._info.damage_count)]

    def text(self, name):
        """A text about the page, "title" for example; None if there is none."""
        value = call("text", self._handle, word(name, "name"))
        return None if value is None else value.decode()

    def channel(self, name):
        """A channel of all points as float32[points]: x, y, time, width, height, force, azimuth, altitude or opacity."""
        if not isinstance(name, str):
            raise TypeError(f"name must be a str, not {type(name).__name__}")
        if name not in _channels:
            raise KeyError(f"there is no channel {name!r}; there are {', '.join(_channels)}")
        return self._columns[name]

    @property
    def strokes(self):
        """The strokes from back to front."""
        handle, strokes = self._handle, self._strokes
        if strokes is None:
            strokes = self._strokes = [
                Stroke(self._columns, handle, number) for number in range(self._facts.stroke_count)
            ]
        return strokes

    @property
    def inks(self):
        """The ink and the colour of each stroke: a list of (name, (red, green, blue, opacity))."""
        return [(stroke.ink, stroke.color) for stroke in self.strokes]

    def render(
        self,
        size=None,
        *,
        scale=1.0,
        style="light",
        paper=None,
        background="page",
        region=None,
        margin=0.0,
        threads=None,
    ):
        """The drawing as uint8[height, width, 4], RGBA with colours that are not multiplied by their opacity.

        `size` is (width, height), or the length of the longer side; without it, a point has `scale` pixels.
        """
        options = _options(size, scale, style, paper, background, region, margin, threads)
        handle = Handle(call("render", self._handle, byref(options)), "picture_")
        width, height, pitch = c_int32(), c_int32(), c_int64()
        address = call("picture_data", handle, byref(width), byref(height), byref(pitch))
        return lent(address, (height.value, width.value, 4), np.uint8, handle, (pitch.value, 4, 1))

    def frames(
        self,
        fps=30.0,
        size=None,
        *,
        scale=1.0,
        style="light",
        paper=None,
        background="page",
        region=None,
        margin=0.0,
        speed=1.0,
        maximum_pause=None,
        threads=None,
    ):
        """The replay as a sequence of uint8[height, width, 4]."""
        options = _options(size, scale, style, paper, background, region, margin, threads)
        return Frames(self._handle, options, fps, speed, maximum_pause)

    def to_svg(self):
        """The drawing as the text of an SVG file."""
        return self.encode("svg").decode()

    def to_pkd(self):
        """The drawing as the bytes of a .pkd file, with its events."""
        return self.encode("pkd")

    def encode(self, format):
        """The bytes of a file: pkd, json, pencilkit, svg, pdf, events, quickdraw, xournal, excalidraw or inkml."""
        handle = Handle(call("encode", self._handle, word(format, "format")), "bytes_")
        count = c_int64()
        address = call("bytes_data", handle, byref(count))
        return string_at(address, count.value)


class Stroke:
    """A stroke of a drawing. Each channel of its points is an array: `stroke.x`, `stroke.force`."""

    __slots__ = ("_columns", "_info", "_ink")

    def __init__(self, columns, handle, number):
        info = StrokeInfo(size=sizeof(StrokeInfo))
        call("get_stroke", handle, number, byref(info))
        self._columns, self._info = columns, info
        # A copy: the text behind `info.ink` is freed with the drawing.
        self._ink = info.ink.decode()

    def __len__(self):
        return self._info.end_point - self._info.first_point

    def __repr__(self):
        return f"<pentimento.Stroke: {self._ink}, {len(self)} points>"

    def __getattr__(self, name):
        if name not in _channels:
            raise AttributeError(f"a stroke has no {name!r}")
        return self._columns[name][self._info.first_point : self._info.end_point]

    @property
    def points(self):
        """The places of the points on the page as float64[points, 2], moved by the stroke's transform."""
        a, b, c, d, tx, ty = self._info.transform
        x, y = self.x.astype(float), self.y.astype(float)
        return np.stack([a * x + c * y + tx, b * x + d * y + ty], 1)

    @property
    def ink(self):
        """The name of the ink."""
        return self._ink

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
        fps, speed = number(fps, "fps"), number(speed, "speed")
        pause = -1.0 if maximum_pause is None else number(maximum_pause, "maximum_pause")
        self._handle = Handle(call("frames_open", drawing, byref(options), fps, speed, pause), "frames_")
        width, height, count = c_int32(), c_int32(), c_int64()
        call("frames_size", self._handle, byref(width), byref(height), byref(count))
        self.fps = fps
        self.shape = (height.value, width.value, 4)
        self._count = count.value

    def __len__(self):
        return self._count

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._count))]
        index = whole(index, "a frame's index")
        if not -self._count <= index < self._count:
            raise IndexError(f"there is no frame {index} of {self._count}")
        frame = np.empty(self.shape, np.uint8)
        call("frames_draw", self._handle, index % self._count, frame.ctypes.data, frame.size)
        return frame


def _options(size, scale, style, paper, background, region, margin, threads):
    options = _library.defaults(PictureOptions, "picture")
    if size is not None:
        # The library limits the number of pixels; this limit only prevents overflows of its 32-bit
        # fields.
        options.width, options.height = (*sides(size, 1 << 20), 0)[:2]
    options.scale, options.margin = number(scale, "scale"), number(margin, "margin")
    options.style = choice(_styles, style, "style")
    options.paper = choice(_papers, paper, "paper")
    if isinstance(background, (tuple, list)):
        color = several(background, "background", (3, 4), "3 or 4 whole numbers", whole, least=0, greatest=255)
        options.background = 2
        options.background_color = int.from_bytes(bytes((*color, 255)[:4]), "big")
    else:
        options.background = choice(_backgrounds, background, "background")
    if region is not None:
        options.region[:] = several(region, "region", (4,), "4 numbers")
    options.threads = thread_count(threads)
    return options
