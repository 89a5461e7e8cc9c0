// The library `libpentimento.so` is built from this module; its C functions are those of the
// imported module.

@_exported import CInterface
