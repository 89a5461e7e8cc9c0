// Vectors of numbers, in operations that compile for every level and any number of lanes.
#pragma once

#include "Space.h"

// Builds the names of one level's functions.
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)

typedef float F __attribute__((ext_vector_type(LANES)));
typedef int32_t I __attribute__((ext_vector_type(LANES)));
typedef uint32_t U32 __attribute__((ext_vector_type(LANES)));
typedef uint16_t U16 __attribute__((ext_vector_type(LANES)));
typedef int16_t I16 __attribute__((ext_vector_type(LANES)));
typedef uint8_t U8 __attribute__((ext_vector_type(LANES)));

INLINE F loadF(const float *p) {
  F v;
  memcpy(&v, p, sizeof v);
  return v;
}
INLINE I loadI(const int32_t *p) {
  I v;
  memcpy(&v, p, sizeof v);
  return v;
}
INLINE void storeF(float *p, F v) { memcpy(p, &v, sizeof v); }
INLINE void storeI(int32_t *p, I v) { memcpy(p, &v, sizeof v); }

INLINE F toF(I v) { return __builtin_convertvector(v, F); }
INLINE I toI(F v) { return __builtin_convertvector(v, I); }
INLINE F minF(F a, F b) { return a < b ? a : b; }
INLINE F maxF(F a, F b) { return a > b ? a : b; }
INLINE I minI(I a, I b) { return a < b ? a : b; }
INLINE I maxI(I a, I b) { return a > b ? a : b; }
INLINE F rootF(F v) { return __builtin_elementwise_sqrt(v); }
INLINE F absF(F v) { return v < 0 ? -v : v; }
/// Converts whole numbers from 0 to 8,388,607: they become the lowest bits of a number's fraction.
/// Compilers see that such numbers have no sign, and web pages convert those slowly.
INLINE F smallF(U32 v) { return (F)(v | 0x4B000000u) - 8388608.0f; }

/// The greatest whole number up to `v`, which fits into 32 bits.
INLINE F floorF(F v) {
#if defined(__x86_64__) && !defined(__SSE4_1__)
  // The processor has no instruction for it. Comparisons give -1 in true lanes.
  const F whole = toF(toI(v));
  return whole + toF(whole > v);
#else
  return __builtin_elementwise_floor(v);
#endif
}

INLINE int32_t floorOf(float v) {
  const int32_t i = (int32_t)v;
  return i - ((float)i > v);
}
INLINE int32_t minInt(int32_t a, int32_t b) { return a < b ? a : b; }
INLINE int32_t maxInt(int32_t a, int32_t b) { return a > b ? a : b; }

/// The numbers of a vector's lanes.
#if LANES == 4
static const F lanes = {0, 1, 2, 3};
#elif LANES == 8
static const F lanes = {0, 1, 2, 3, 4, 5, 6, 7};
#else
static const F lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#endif
