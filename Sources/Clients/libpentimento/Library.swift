// The library `libpentimento.so` is this module, whose functions for C are those of the one that it imports.

@_exported import CInterface
