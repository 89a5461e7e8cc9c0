// In C, because Swift offers neither these instructions nor a check for them at run time.
#include "CChecksums.h"

#if defined(__x86_64__)

#include <nmmintrin.h>
#include <wmmintrin.h>
#include <string.h>

bool crc32c_has_instruction(void) { return __builtin_cpu_supports("sse4.2"); }

__attribute__((target("sse4.2")))
uint32_t crc32c_by_instruction(uint32_t crc, const void *bytes, size_t count) {
  const unsigned char *next = bytes;
  uint64_t wide = crc;
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  crc = (uint32_t)wide;
  for (; count > 0; count--, next++) crc = _mm_crc32_u8(crc, *next);
  return crc;
}

bool crc32_has_multiplication(void) {
  return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
}

// Bytes that are n bits before others contribute the same as their product with xⁿ, modulo the
// polynomial, at the later position. All bits are in reverse order, as in the checksum, so a
// product is one bit too low. The constants compensate for this: each is twice the reversed 32 bits
// of the power.
__attribute__((target("pclmul,sse4.1")))
static inline __m128i folded(__m128i early, __m128i powers, __m128i late) {
  __m128i low = _mm_clmulepi64_si128(early, powers, 0x00);
  __m128i high = _mm_clmulepi64_si128(early, powers, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), late);
}

__attribute__((target("pclmul,sse4.1")))
void crc32_fold(uint32_t state, const uint8_t *bytes, size_t count, uint8_t folded16[16]) {
  const __m128i by512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);  // x⁴⁸⁰, x⁵⁴⁴
  const __m128i by128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);  // x⁹⁶, x¹⁶⁰
  const __m128i *next = (const __m128i *)bytes;
  __m128i a = _mm_xor_si128(_mm_loadu_si128(next), _mm_cvtsi32_si128((int)state));
  __m128i b = _mm_loadu_si128(next + 1);
  __m128i c = _mm_loadu_si128(next + 2);
  __m128i d = _mm_loadu_si128(next + 3);
  size_t groups = count / 16 - 4;
  for (next += 4; groups >= 4; groups -= 4, next += 4) {
    a = folded(a, by512, _mm_loadu_si128(next));
    b = folded(b, by512, _mm_loadu_si128(next + 1));
    c = folded(c, by512, _mm_loadu_si128(next + 2));
    d = folded(d, by512, _mm_loadu_si128(next + 3));
  }
  a = folded(folded(folded(a, by128, b), by128, c), by128, d);
  for (; groups > 0; groups--, next++) a = folded(a, by128, _mm_loadu_si128(next));
  _mm_storeu_si128((__m128i *)folded16, a);
}

#else

bool crc32c_has_instruction(void) { return false; }

uint32_t crc32c_by_instruction(uint32_t crc, const void *bytes, size_t count) {
  (void)bytes;
  (void)count;
  return crc;
}

bool crc32_has_multiplication(void) { return false; }

void crc32_fold(uint32_t state, const uint8_t *bytes, size_t count, uint8_t folded[16]) {
  (void)state;
  (void)bytes;
  (void)count;
  (void)folded;
}

#endif
