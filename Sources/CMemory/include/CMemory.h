#pragma once

#include <stddef.h>

/// Allocates zeroed memory, whose pages the system creates when they are first used. From 2 MB on it asks for
/// huge pages. Returns NULL if there is no memory.
void *_Nullable lazyMemoryCreate(size_t byteCount);
/// Frees memory of `lazyMemoryCreate`; `byteCount` must be the same.
void lazyMemoryFree(void *_Nonnull memory, size_t byteCount);
