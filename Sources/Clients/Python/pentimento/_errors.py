"""Exceptions. All are values that are wrong, so that all are `ValueError`s, too; only memory is Python's `MemoryError`."""


class Error(ValueError):
    """The library refused a call; the message says why."""


class UnreadableError(Error):
    """The bytes are damaged, or no ink of a known format."""


class TooLargeError(Error):
    """The input or the result is larger than a limit."""


class EmptyError(Error):
    """There is nothing to draw."""


class ClosedError(Error):
    """The drawing was closed."""


class UnwritableError(Error):
    """The drawing has what the format cannot hold."""


_by_code = {
    2: ClosedError,
    3: UnreadableError,
    4: TooLargeError,
    5: EmptyError,
    6: UnwritableError,
    7: MemoryError,
}

# Messages about an argument begin with its name in C. This table contains the names that differ in
# Python.
_python_names = {
    "rotation": "rotate",
    "translation": "translate",
    "jitter": "sigma",
    "width_factor": "Width(least, greatest)",
    "frames_per_second": "fps",
    "frame[0]": "frame",
    "frame[1]": "frame",
    "frame[2]": "frame",
    "frame[3]": "frame",
}


def exception(code, message):
    """The exception for a code of the library."""
    name, space, rest = message.partition(" ")
    return _by_code.get(code, Error)(_python_names.get(name, name) + space + rest)
