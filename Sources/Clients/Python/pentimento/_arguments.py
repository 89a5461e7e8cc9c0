"""Checks of arguments: errors give the argument's name and what it takes."""

import os
from operator import index

import numpy as np

from ._errors import TooLargeError


def whole(value, name, least=None, greatest=None):
    """A whole number of any type, which is within limits."""
    try:
        value = index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r:.80}") from None
    if least is not None and not least <= value <= greatest:
        raise ValueError(f"{name} must be from {least} to {greatest}, not {value}")
    return value


def number(value, name):
    """A real number of any type as a float. Text is none, even if it has digits."""
    try:
        if not (hasattr(value, "__float__") or hasattr(value, "__index__")):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r:.80}") from None
    except OverflowError:
        raise ValueError(f"{name} is too large") from None


def several(values, name, counts, what, check=number, **limits):
    """A list of numbers, of which there must be as many as one of the counts says."""
    if not is_list(values):
        raise TypeError(f"{name} must be {what}, not {values!r:.80}")
    if len(values) not in counts:
        raise ValueError(f"{name} must be {what}, not {len(values)} values")
    return [check(value, name, **limits) for value in values]


def is_list(value):
    """Whether a value has several numbers: a list, a tuple or an array, but not an array without dimensions."""
    return (
        hasattr(value, "__len__")
        and hasattr(value, "__getitem__")
        and not isinstance(value, (str, dict))
        and getattr(value, "ndim", 1) > 0
    )


def sides(size, greatest):
    """One length in pixels or two."""
    if is_list(size):
        return several(size, "size", (2,), "a whole number or two", whole, least=1, greatest=greatest)
    return [whole(size, "size", 1, greatest)]


def thread_count(threads):
    """The library's number for a number of threads, where None stands for that of the processors."""
    return 0 if threads is None else whole(threads, "threads", 1, 256)


def choice(values, value, name):
    """What a dictionary has for one of its keys."""
    try:
        return values[value]
    except (KeyError, TypeError):
        known = ", ".join(str(key) for key in values if key)
        raise ValueError(f"{name} must be one of {known}, not {value!r:.80}") from None


def encoded(text, name):
    """A text as UTF-8."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, not {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} has half of a surrogate pair, which UTF-8 cannot hold") from None


def word(text, name):
    """A text for the library, where a zero byte would end it."""
    data = encoded(text, name)
    if b"\0" in data:
        raise ValueError(f"{name} must not have zero bytes")
    return data


def buffer(data, name):
    """Bytes, or anything with a buffer, as uint8[count]."""
    try:
        view = memoryview(data)
        if view.nbytes == 0:
            return np.empty(0, np.uint8)
        return np.frombuffer(view.cast("B"), np.uint8)
    except (TypeError, ValueError, BufferError, NotImplementedError):
        raise TypeError(f"{name} must be bytes without gaps, not {type(data).__name__}") from None


def indices(values, name):
    """int64[count] of a list of whole numbers; or bool[count], which is a mask."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise TypeError(f"{name} must be a list of whole numbers") from None
    if array is not values and array.dtype.kind not in "iub":
        # NumPy converts a list of numbers of different types to floats or texts.
        array = np.asarray(values, object)
    values = array
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iubO"):
        raise TypeError(
            f"{name} must be a list of whole numbers, or a mask, not {values.dtype} with the shape {list(values.shape)}"
        )
    if values.dtype.kind == "b":
        return values
    # NumPy stores numbers that are too large for signed integers as unsigned integers or objects.
    largest = values.max(keepdims=True) if values.dtype.kind == "u" and values.size else ()
    for value in values if values.dtype.kind == "O" else largest:
        if not -1 << 63 <= whole(value, name) < 1 << 63:
            raise IndexError(f"{name} must have numbers of 64 bits, not {value}")
    return values.astype(np.int64)


def is_path(value):
    """Whether a value is the name of a file, and not a text to read: that begins with a brace or an angle, or has lines."""
    if isinstance(value, str):
        return value.lstrip("\ufeff \t\r")[:1] not in ("", "{", "<") and "\n" not in value
    return isinstance(value, os.PathLike)


def contents(path, name, limit):
    """The bytes of a file."""
    try:
        stream = open(path, "rb", buffering=0)
    except ValueError:
        raise ValueError(f"{name} must be a path, not {path!r:.80}") from None
    with stream:
        return rest(stream, name, limit)


def rest(stream, name, limit):
    """The bytes of a stream.

    They are read in parts, as devices and pipes do not say how long they are.
    """
    data = bytearray()
    while True:
        part = stream.read(1 << 20)
        if part is None:
            raise ValueError(f"{name} must be a stream that waits for its bytes")
        if isinstance(part, str):
            raise TypeError(f"{name} must be a stream of bytes: open it with mode 'rb'")
        part = buffer(part, f"what {name}.read returns")
        if len(part) == 0:
            return data
        if len(data) + len(part) > limit:
            raise TooLargeError(f"{name} has more than {limit >> 20} MiB")
        data += part.data
