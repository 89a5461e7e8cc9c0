// What the core asks of a system, for a page that has none: memory comes from the allocator of
// wasi-libc, which extends the module's own memory. Nothing is imported from the page.
#include "CMemory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { cacheLine = 64 };

void *lazyMemoryCreate(size_t byteCount) {
  if (byteCount > PTRDIFF_MAX - cacheLine) return NULL;
  void *const memory =
      aligned_alloc(cacheLine, (byteCount + cacheLine - 1) & ~(size_t)(cacheLine - 1));
  if (memory) memset(memory, 0, byteCount);
  return memory;
}

void lazyMemoryFree(void *memory, size_t byteCount) {
  (void)byteCount;
  free(memory);
}

void memoryUseHugePages(void *memory, size_t byteCount) {
  (void)memory;
  (void)byteCount;
}

void heapUseHugePages(size_t byteCount) { (void)byteCount; }

// Embedded Swift seeds its hashes with this. A page has nobody to hide the seed from, and no picture
// depends on the order of a dictionary.
void arc4random_buf(void *bytes, size_t count) {
  static uint64_t state = 0x9e3779b97f4a7c15;
  for (size_t index = 0; index < count; index++) {
    state = state * 6364136223846793005 + 1442695040888963407;
    ((uint8_t *)bytes)[index] = (uint8_t)(state >> 56);
  }
}

// Swift's functions keep this word at the end of their frame, and trap if it has changed.
uintptr_t __stack_chk_guard = 0x5bd1e995;

_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

// The product of 128 bits, which compilers call where the processor has no such instruction.
__int128 __multi3(__int128 left, __int128 right) {
  const uint64_t a = (uint64_t)left, b = (uint64_t)right, low = 0xffffffff;
  const uint64_t a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const uint64_t other = a0 * b1 + (middle & low);
  const uint64_t high = a1 * b1 + (middle >> 32) + (other >> 32) +
                        a * (uint64_t)(right >> 64) + b * (uint64_t)(left >> 64);
  return (__int128)((unsigned __int128)high << 64 | (a * b));
}
