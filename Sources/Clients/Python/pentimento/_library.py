"""`libpentimento.so` through ctypes: its functions and structures, as `pentimento.h` documents them.

ctypes lets other threads of Python run while a function of the library does.
"""

import ctypes
import os
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_float, c_int32, c_int64, c_uint8
from ctypes import c_uint32, c_uint64, c_void_p

VERSION = 1
_library = None


class ErrorInfo(ctypes.Structure):
    _fields_ = [("code", c_int32), ("message", c_char * 256)]


class Info(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("page_count", c_int32),
        ("page", c_int32),
        ("damage_count", c_int32),
        ("stroke_count", c_int64),
        ("point_count", c_int64),
        ("width", c_double),
        ("height", c_double),
        ("bounds", c_double * 4),
        ("duration", c_double),
        ("background", c_uint32),
        ("has_background", c_int32),
    ]


class StrokeInfo(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("is_masked", c_int32),
        ("first_point", c_int64),
        ("end_point", c_int64),
        ("start", c_double),
        ("color", c_double * 4),
        ("transform", c_double * 6),
        ("ink", c_char_p),
        ("seed", c_uint32),
        ("id", c_uint8 * 16),
    ]


class PictureOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("width", c_int32),
        ("height", c_int32),
        ("style", c_int32),
        ("background", c_int32),
        ("paper", c_int32),
        ("background_color", c_uint32),
        ("threads", c_int32),
        ("scale", c_double),
        ("region", c_double * 4),
        ("margin", c_double),
        ("maximum_pixels", c_int64),
    ]


class Lines(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("step", c_int32),
        ("x", c_void_p),
        ("y", c_void_p),
        ("times", c_void_p),
        ("stroke_ends", c_void_p),
        ("drawing_ends", c_void_p),
        ("point_count", c_int64),
        ("stroke_count", c_int64),
        ("drawing_count", c_int64),
    ]


class BatchOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("width", c_int32),
        ("height", c_int32),
        ("placement", c_int32),
        ("bins", c_int32),
        ("threads", c_int32),
        ("is_inverted", c_int32),
        ("line_width", c_float),
        ("padding", c_float),
        ("frame", c_float * 4),
        ("seed", c_uint64),
        ("rotation", c_float),
        ("scale", c_float * 2),
        ("shear", c_float),
        ("translation", c_float),
        ("jitter", c_float),
        ("width_factor", c_float * 2),
    ]


_error = POINTER(ErrorInfo)
# The result type of each function, and its argument types; an error pointer is added at the end.
_functions = {
    "version": (c_int32, []),
    "bytes_data": (c_void_p, [c_void_p, POINTER(c_int64), _error]),
    "bytes_close": (None, [c_void_p]),
    "open": (c_void_p, [c_void_p, c_int64, c_char_p, c_int32, _error]),
    "close": (None, [c_void_p]),
    "get_info": (c_int32, [c_void_p, POINTER(Info), _error]),
    "format": (c_char_p, [c_void_p, _error]),
    "text": (c_char_p, [c_void_p, c_char_p, _error]),
    "damage": (c_char_p, [c_void_p, c_int32, _error]),
    "column": (c_void_p, [c_void_p, c_int32, POINTER(c_int64), _error]),
    "get_stroke": (c_int32, [c_void_p, c_int64, POINTER(StrokeInfo), _error]),
    "encode": (c_void_p, [c_void_p, c_char_p, _error]),
    "picture_defaults": (None, [POINTER(PictureOptions)]),
    "render": (c_void_p, [c_void_p, POINTER(PictureOptions), _error]),
    "picture_data": (c_void_p, [c_void_p, POINTER(c_int32), POINTER(c_int32), POINTER(c_int64), _error]),
    "picture_close": (None, [c_void_p]),
    "frames_open": (c_void_p, [c_void_p, POINTER(PictureOptions), c_double, c_double, c_double, _error]),
    "frames_size": (c_int32, [c_void_p, POINTER(c_int32), POINTER(c_int32), POINTER(c_int64), _error]),
    "frames_draw": (c_int32, [c_void_p, c_int64, c_void_p, c_int64, _error]),
    "frames_close": (None, [c_void_p]),
    "collection_read": (c_void_p, [c_void_p, c_int64, c_void_p, c_int64, c_int32, c_int32, _error]),
    "collection_close": (None, [c_void_p]),
    "collection_column": (c_void_p, [c_void_p, c_int32, POINTER(c_int64), _error]),
    "collection_damage_count": (c_int64, [c_void_p, _error]),
    "collection_damage": (c_char_p, [c_void_p, c_int64, POINTER(c_int64), _error]),
    "batch_defaults": (None, [POINTER(BatchOptions)]),
    "render_batch": (c_int32, [POINTER(Lines), POINTER(BatchOptions), c_void_p, c_void_p, c_int64, _error]),
}


def load():
    """Loads the library; an ImportError says what is missing."""
    global _library
    path = os.environ.get("PENTIMENTO_LIBRARY") or os.path.join(os.path.dirname(__file__), "libpentimento.so")
    if not os.path.exists(path):
        raise ImportError(
            f"{path} is missing: this package was not built. In a checkout, type pip install ./Sources/Clients/Python"
        )
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(_reason(path, str(error))) from error
    try:
        for name, (result, arguments) in _functions.items():
            function = getattr(library, "pentimento_" + name)
            function.restype = result
            function.argtypes = arguments
    except AttributeError as error:
        raise ImportError(f"{path} is older than this package: {error}") from error
    found = library.pentimento_version()
    if found < VERSION:
        raise ImportError(f"{path} has version {found} of its interface; {VERSION} is needed")
    _library = library


def _reason(path, text):
    """Why the library cannot be loaded, in plain words."""
    import platform
    import re

    needed = re.search(r"version [`']GLIBC_([0-9.]+)' not found", text)
    if needed:
        name, has = platform.libc_ver()
        return (
            f"pentimento needs glibc {needed.group(1)} or newer, and this system has "
            f"{name or 'another C library'} {has}. Build the package here: "
            "pip install ./Sources/Clients/Python in a checkout"
        )
    if "cannot open shared object file" in text:
        missing = text.split(":")[0]
        return f"pentimento needs the shared library {missing}, which this system does not have"
    return f"{path} cannot be loaded on this {platform.machine()} system: {text}"


def call(name, *arguments):
    """Calls a function that has an error as its last argument; raises it."""
    error = ErrorInfo()
    result = getattr(_library, "pentimento_" + name)(*arguments, byref(error))
    if error.code != 0:
        from ._errors import exception

        raise exception(error.code, error.message.decode("utf-8", "replace"))
    return result


def defaults(structure, name):
    """A structure with the usual values of its fields."""
    value = structure()
    getattr(_library, f"pentimento_{name}_defaults")(byref(value))
    return value


class Handle:
    """An object of the library, which is closed when nothing in Python needs it any more."""

    __slots__ = ("pointer", "_close")

    def __init__(self, pointer, kind):
        self.pointer = pointer
        self._close = getattr(_library, f"pentimento_{kind}close")

    @property
    def _as_parameter_(self):
        # ctypes reads this attribute of an argument, and keeps the argument alive during the call.
        # A number alone would not keep the object open.
        return self.pointer

    def __reduce__(self):
        raise TypeError("objects of the library stay in their process; pickle a file's bytes instead")

    def __del__(self):
        # The interpreter may be shutting down, or the object's initializer was interrupted.
        if getattr(self, "_close", None) is not None:
            self._close(self.pointer)
