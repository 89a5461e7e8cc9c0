#pragma once

#include <stddef.h>

/// Allocates zeroed memory, whose pages the system creates when they are first used. From 2 MB on it asks for
/// huge pages. Returns NULL if there is no memory.
void *_Nullable lazyMemoryCreate(size_t byteCount);
/// Frees memory of `lazyMemoryCreate`; `byteCount` must be the same.
void lazyMemoryFree(void *_Nonnull memory, size_t byteCount);
/// Extends the heap of the process by this many bytes of huge pages, a multiple of 8 MB, before anything large
/// is allocated. Of a huge page the first byte costs as much as of seventy small ones, and all others nothing.
/// Memory is used only when it is touched. Without such pages nothing changes.
void heapUseHugePages(size_t byteCount);
