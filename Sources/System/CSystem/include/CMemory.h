#pragma once

#include <stddef.h>

/// Allocates zeroed memory that begins at a cache line: up to 4 MB from the heap, above that as
/// huge pages that the system creates when they are first used. Returns NULL if there is no memory.
void *_Nullable lazyMemoryCreate(size_t byteCount);
/// Frees memory of `lazyMemoryCreate`; `byteCount` must be the same.
void lazyMemoryFree(void *_Nonnull memory, size_t byteCount);
/// Asks for huge pages in memory that was not touched yet. It does nothing for less than 4 MB.
void memoryUseHugePages(void *_Nonnull memory, size_t byteCount);
/// Extends the heap of the process by this many bytes of huge pages, a multiple of 8 MB, before
/// anything large is allocated. The first access to a huge page costs as much as first accesses to
/// seventy small ones, and all later ones cost nothing. Memory is used only when it is touched.
/// Without such pages nothing changes.
void heapUseHugePages(size_t byteCount);

/// Lets all threads that start later use the one heap, and not each its own of small pages.
void heapUseOneArena(void);
