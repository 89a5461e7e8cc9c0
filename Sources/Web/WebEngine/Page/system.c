// The system functions that the core calls, for a page that has no system: memory comes from the
// allocator of wasi-libc, which grows the module's own memory. Nothing is imported from the page.
#include "CMemory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { cacheLine = 64 };

// Memory for the allocator, which asks for 64 kB at a time. The module's own memory grows by an
// eighth, at most by 4 MB: browsers replace its buffer at each step, and 1,200 steps took half a
// second.
void *sbrk(intptr_t increment) {
  enum { page = 1 << 16, maximumStep = 64 };
  static uintptr_t end;
  const uintptr_t size = __builtin_wasm_memory_size(0) * (uintptr_t)page, failed = (uintptr_t)-1;
  if (!end) end = size;
  if (increment < 0 || increment % page) return (void *)failed;
  const uintptr_t start = end, unused = size - end;
  if ((uintptr_t)increment > unused) {
    const uintptr_t missing = ((uintptr_t)increment - unused) / page;
    uintptr_t step = size / page / 8;
    if (step > maximumStep) step = maximumStep;
    if (step < missing) step = missing;
    if (__builtin_wasm_memory_grow(0, step) == failed &&
        __builtin_wasm_memory_grow(0, missing) == failed)
      return (void *)failed;
  }
  end += (uintptr_t)increment;
  return (void *)start;
}

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

// Embedded Swift seeds its hashes with this function. A page need not keep the seed secret, and no
// picture depends on the order of a dictionary.
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

// The product of 128 bits; compilers call this where the processor has no such instruction.
__int128 __multi3(__int128 left, __int128 right) {
  const uint64_t a = (uint64_t)left, b = (uint64_t)right, low = 0xffffffff;
  const uint64_t a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const uint64_t other = a0 * b1 + (middle & low);
  const uint64_t high = a1 * b1 + (middle >> 32) + (other >> 32) +
                        a * (uint64_t)(right >> 64) + b * (uint64_t)(left >> 64);
  return (__int128)((unsigned __int128)high << 64 | (a * b));
}

// A 128-bit number as two words: compilers call functions to shift it.
typedef union {
  unsigned __int128 value;
  struct {
    uint64_t low, high;
  };
} Words;

// The quotient and the remainder of unsigned numbers, bit by bit. Only crossings of outlines need
// them.
static unsigned __int128 divide(unsigned __int128 dividend, unsigned __int128 divisor,
                                unsigned __int128 *rest) {
  const Words from = {.value = dividend};
  Words quotient = {.value = 0};
  *rest = 0;
  for (int bit = 127; bit >= 0; bit--) {
    const uint64_t next = (bit < 64 ? from.low >> bit : from.high >> (bit - 64)) & 1;
    *rest = *rest + *rest + next;
    if (*rest < divisor) continue;
    *rest -= divisor;
    if (bit < 64)
      quotient.low |= (uint64_t)1 << bit;
    else
      quotient.high |= (uint64_t)1 << (bit - 64);
  }
  return quotient.value;
}

static unsigned __int128 magnitude(__int128 value) {
  return value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
}

__int128 __divti3(__int128 dividend, __int128 divisor) {
  unsigned __int128 rest;
  const unsigned __int128 quotient = divide(magnitude(dividend), magnitude(divisor), &rest);
  return (__int128)((dividend < 0) != (divisor < 0) ? -quotient : quotient);
}

__int128 __modti3(__int128 dividend, __int128 divisor) {
  unsigned __int128 rest;
  (void)divide(magnitude(dividend), magnitude(divisor), &rest);
  return (__int128)(dividend < 0 ? -rest : rest);
}
