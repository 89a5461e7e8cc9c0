"""Exceptions. All are values that are wrong, so that all are `ValueError`s, too."""


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


_by_code = {2: ClosedError, 3: UnreadableError, 4: TooLargeError, 5: EmptyError, 6: UnwritableError}


def exception(code, message):
    """The exception for a code of the library."""
    return _by_code.get(code, Error)(message)
