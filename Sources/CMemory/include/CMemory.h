#pragma once

#include <stddef.h>

/// Memory that is zero without being touched: the system makes its pages when they are first used. Large memory
/// lies in large pages, where there are such. NULL where there is no memory.
void *_Nullable lazyMemoryCreate(size_t byteCount);
void lazyMemoryFree(void *_Nonnull memory, size_t byteCount);
