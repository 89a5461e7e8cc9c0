#define _GNU_SOURCE
#include "CMemory.h"

#include <sys/mman.h>

void *lazyMemoryCreate(size_t byteCount) {
  void *memory =
      mmap(NULL, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  // With pages of 4 kB, page faults would take longer than drawing.
  if (byteCount >= 1 << 21) madvise(memory, byteCount, MADV_HUGEPAGE);
  return memory;
}

void lazyMemoryFree(void *memory, size_t byteCount) { munmap(memory, byteCount); }
