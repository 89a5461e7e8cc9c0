"""Ink in Python: opens drawings, draws them, and draws data sets of them fast enough to do it while a model is trained.

The guide is docs/guides/python.md in the checkout. Names are imported when they are first used, as they need NumPy: so
`import pentimento` alone loads the library and nothing else.
"""

from . import _library

_homes = {
    "open": "_drawing",
    "Drawing": "_drawing",
    "Stroke": "_drawing",
    "Frames": "_drawing",
    "render_batch": "_batch",
    "render_inkml": "_batch",
    "Affine": "_batch",
    "Jitter": "_batch",
    "Width": "_batch",
    "Collection": "_collection",
    "read_quickdraw": "_collection",
    "read_omniglot": "_collection",
    "read_quickdraw_binary": "_collection",
    "read_inkml": "_collection",
    "flatten": "_collection",
    "Error": "_errors",
    "UnreadableError": "_errors",
    "TooLargeError": "_errors",
    "EmptyError": "_errors",
    "ClosedError": "_errors",
    "UnwritableError": "_errors",
}

# `from pentimento import *` leaves Python's own `open` in place.
__all__ = sorted(_homes.keys() - {"open"})

_library.load()


def __getattr__(name):
    home = _homes.get(name)
    if home is None:
        if name == "__version__":
            from importlib.metadata import version

            return version("pentimento")
        raise AttributeError(f"module 'pentimento' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module("." + home, __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(_homes)
