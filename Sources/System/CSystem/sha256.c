// SHA-256 (FIPS 180-4): by the processor's instructions if it has them, otherwise two blocks at
// once with AVX2, or in portable C.
#include "CChecksums.h"

#include <string.h>

static const uint32_t roundWords[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline uint32_t rotated(uint32_t word, int32_t bits) {
  return word >> bits | word << (32 - bits);
}

// Instead of moving words between variables, each round permutes their names.
#define ROUND(a, b, c, d, e, f, g, h, sum)                                                          \
  do {                                                                                              \
    h += (sum) + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + (g ^ (e & (f ^ g)));              \
    d += h;                                                                                         \
    h += (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) | (c & (a | b)));                \
  } while (0)
#define FOUR_ROUNDS(a, b, c, d, e, f, g, h, sums)                                                   \
  do {                                                                                              \
    ROUND(a, b, c, d, e, f, g, h, (sums)[0]);                                                       \
    ROUND(h, a, b, c, d, e, f, g, (sums)[1]);                                                       \
    ROUND(g, h, a, b, c, d, e, f, (sums)[2]);                                                       \
    ROUND(f, g, h, a, b, c, d, e, (sums)[3]);                                                       \
  } while (0)
#define ADD_STATE                                                                                   \
  (a = state[0] += a, b = state[1] += b, c = state[2] += c, d = state[3] += d,                      \
   e = state[4] += e, f = state[5] += f, g = state[6] += g, h = state[7] += h)

static void addPortably(uint32_t state[8], const uint8_t *bytes, size_t blockCount) {
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (; blockCount > 0; blockCount--, bytes += 64) {
    uint32_t words[64];
    for (int32_t i = 0; i < 16; i++) {
      uint32_t word;
      memcpy(&word, bytes + 4 * i, 4);
      words[i] = __builtin_bswap32(word);
    }
    for (int32_t i = 16; i < 64; i++) {
      const uint32_t far = words[i - 15], near = words[i - 2];
      words[i] = words[i - 16] + words[i - 7] + (rotated(far, 7) ^ rotated(far, 18) ^ far >> 3) +
                 (rotated(near, 17) ^ rotated(near, 19) ^ near >> 10);
    }
    for (int32_t i = 0; i < 64; i++) words[i] += roundWords[i];
    for (int32_t i = 0; i < 64; i += 8) {
      FOUR_ROUNDS(a, b, c, d, e, f, g, h, words + i);
      FOUR_ROUNDS(e, f, g, h, a, b, c, d, words + i + 4);
    }
    ADD_STATE;
  }
}

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

static inline __attribute__((target("avx2"), always_inline))
__m256i rotatedWords(__m256i words, int32_t bits) {
  return _mm256_or_si256(_mm256_srli_epi32(words, bits), _mm256_slli_epi32(words, 32 - bits));
}

static inline __attribute__((target("avx2"), always_inline))
__m256i mixedWords(__m256i words, int32_t first, int32_t second, int32_t shift) {
  return _mm256_xor_si256(
      _mm256_xor_si256(rotatedWords(words, first), rotatedWords(words, second)),
      _mm256_srli_epi32(words, shift));
}

// Adds the round constants to four words of two blocks, and computes the four words that follow.
static inline __attribute__((target("avx2"), always_inline))
void addWords(uint32_t sums[8], __m256i words[4], int32_t round, bool isEnding) {
  const __m256i now = words[round % 4], last = words[(round + 3) % 4];
  const __m256i constants = _mm256_broadcastsi128_si256(
      _mm_loadu_si128((const __m128i *)(roundWords + 4 * round)));
  _mm256_store_si256((__m256i *)sums, _mm256_add_epi32(now, constants));
  if (isEnding) return;
  const __m256i far = _mm256_alignr_epi8(words[(round + 1) % 4], now, 4);
  const __m256i sum = _mm256_add_epi32(
      _mm256_add_epi32(now, mixedWords(far, 7, 18, 3)),
      _mm256_alignr_epi8(last, words[(round + 2) % 4], 4));
  // Two words depend on the last two; the other two depend on these.
  const __m256i low = _mm256_add_epi32(
      sum, mixedWords(_mm256_shuffle_epi32(last, 0xFE), 17, 19, 10));
  const __m256i high = _mm256_add_epi32(
      sum, mixedWords(_mm256_shuffle_epi32(low, 0x40), 17, 19, 10));
  words[round % 4] = _mm256_blend_epi32(low, high, 0xCC);
}

// Rounds depend on each other, which leaves execution units idle. They compute the message words of
// two blocks while the rounds of the first run, so that the second block finds its words ready.
__attribute__((target("avx2,bmi2")))
static void addPairs(uint32_t state[8], const uint8_t *bytes, size_t blockCount) {
  const __m256i bigEndian =
      _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203));
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (; blockCount >= 2; blockCount -= 2, bytes += 128) {
    _Alignas(32) uint32_t sums[16][8];
    __m256i words[4];
#pragma GCC unroll 4
    for (int32_t i = 0; i < 4; i++) {
      words[i] = _mm256_shuffle_epi8(
          _mm256_loadu2_m128i(
              (const __m128i *)(bytes + 64 + 16 * i), (const __m128i *)(bytes + 16 * i)),
          bigEndian);
    }
#pragma GCC unroll 8
    for (int32_t i = 0; i < 16; i += 2) {
      addWords(sums[i], words, i, i >= 12);
      FOUR_ROUNDS(a, b, c, d, e, f, g, h, sums[i]);
      addWords(sums[i + 1], words, i + 1, i >= 12);
      FOUR_ROUNDS(e, f, g, h, a, b, c, d, sums[i + 1]);
    }
    ADD_STATE;
    for (int32_t i = 0; i < 16; i += 2) {
      FOUR_ROUNDS(a, b, c, d, e, f, g, h, sums[i] + 4);
      FOUR_ROUNDS(e, f, g, h, a, b, c, d, sums[i + 1] + 4);
    }
    ADD_STATE;
  }
  addPortably(state, bytes, blockCount);
}

__attribute__((target("sha,sse4.1")))
static void addByInstruction(uint32_t state[8], const uint8_t *bytes, size_t blockCount) {
  // The instructions expect the state in the orders ABEF and CDGH, the first word highest.
  const __m128i dcba = _mm_loadu_si128((const __m128i *)state);
  const __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1), efgh = _mm_shuffle_epi32(hgfe, 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  const __m128i bigEndian = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
  for (; blockCount > 0; blockCount--, bytes += 64) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i words[16];
#pragma GCC unroll 16
    for (int32_t i = 0; i < 16; i++) {
      words[i] =
          i < 4 ? _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), bigEndian)
                : _mm_sha256msg2_epu32(
                      _mm_add_epi32(
                          _mm_sha256msg1_epu32(words[i - 4], words[i - 3]),
                          _mm_alignr_epi8(words[i - 1], words[i - 2], 4)),
                      words[i - 1]);
      const __m128i sum =
          _mm_add_epi32(words[i], _mm_loadu_si128((const __m128i *)(roundWords + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

bool sha256_has_implementation(int32_t implementation) {
  uint32_t a, b, c, d;
  switch (implementation) {
    case 2:
      return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 29 & 1;
    case 1: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    default: return implementation == 0;
  }
}

void sha256_add(int32_t implementation, uint32_t state[8], const uint8_t *bytes, size_t blockCount) {
  switch (implementation) {
    case 2: return addByInstruction(state, bytes, blockCount);
    case 1: return addPairs(state, bytes, blockCount);
    default: return addPortably(state, bytes, blockCount);
  }
}

#else

bool sha256_has_implementation(int32_t implementation) { return implementation == 0; }

void sha256_add(int32_t implementation, uint32_t state[8], const uint8_t *bytes, size_t blockCount) {
  addPortably(state, bytes, blockCount);
}

#endif
