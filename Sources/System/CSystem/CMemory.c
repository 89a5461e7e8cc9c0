#define _GNU_SOURCE
#include "CMemory.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  // Memory up to this size comes from the heap, whose pages may have been touched before, and may
  // be huge. Bands of pixels are smaller; faults of new small pages took 9 % of drawing a page.
  fromHeap = 1 << 22,
  cacheLine = 64,
};

void *lazyMemoryCreate(size_t byteCount) {
  if (byteCount <= fromHeap) {
    // glibc does not use aligned memory again, so the block is aligned here, and its beginning
    // kept.
    char *const block = calloc(byteCount + cacheLine, 1);
    if (!block) return NULL;
    char *const memory = block + cacheLine - ((uintptr_t)block & (cacheLine - 1));
    memcpy(memory - sizeof block, &block, sizeof block);
    return memory;
  }
  void *memory =
      mmap(NULL, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  // With pages of 4 kB, page faults would take longer than drawing.
  madvise(memory, byteCount, MADV_HUGEPAGE);
  return memory;
}

void lazyMemoryFree(void *memory, size_t byteCount) {
  if (byteCount > fromHeap) {
    munmap(memory, byteCount);
    return;
  }
  void *block;
  memcpy(&block, (char *)memory - sizeof block, sizeof block);
  free(block);
}

void memoryUseHugePages(void *memory, size_t byteCount) {
  enum { page = 1 << 12 };
  if (byteCount < 1 << 22) return;
  const uintptr_t start = ((uintptr_t)memory + page - 1) & ~(uintptr_t)(page - 1);
  const uintptr_t end = ((uintptr_t)memory + byteCount) & ~(uintptr_t)(page - 1);
  madvise((void *)start, end - start, MADV_HUGEPAGE);
}

#ifdef __GLIBC__
void heapUseHugePages(size_t byteCount) {
  enum { huge = 1 << 21, block = 1 << 18 };
  const uintptr_t end = (uintptr_t)sbrk(0);
  if (end == (uintptr_t)-1) return;
  // Blocks as large as this come from the heap, too, and it is never given back.
  mallopt(M_MMAP_THRESHOLD, (int)(byteCount / 4));
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  // More than the allocator has left, so that it extends the heap.
  mallopt(M_TOP_PAD, (int)byteCount);
  char *const first = malloc(block);
  if (!first) return;
  mallopt(M_TOP_PAD, huge);
  // Nothing beyond the block has been touched: a page that was touched stays small.
  const uintptr_t start = ((uintptr_t)first + block + huge) & ~(uintptr_t)(huge - 1);
  const uintptr_t newEnd = (uintptr_t)sbrk(0);
  if (newEnd <= start || madvise((void *)start, newEnd - start, MADV_HUGEPAGE) != 0)
    return free(first);
  // The small pages up to there are never used, so that all that follows is on huge ones.
  void *volatile rest = malloc(start - (uintptr_t)first - block);
  (void)rest;
}

void heapUseOneArena(void) { mallopt(M_ARENA_MAX, 1); }
#else
void heapUseHugePages(size_t byteCount) { (void)byteCount; }
void heapUseOneArena(void) {}
#endif
