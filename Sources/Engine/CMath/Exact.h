// Arithmetic with errors that are known exactly. A number in two parts is the sum of its parts.
#pragma once

#include "CMath.h"

#include <string.h>

// A fused multiplication would give other bits on processors that have one.
#pragma STDC FP_CONTRACT OFF

typedef struct {
  double high, low;
} Parts;

static inline uint64_t bitsOf(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double ofBits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

enum { EXPONENT_BIAS = 1023, FRACTION_BITS = 52, EXPONENT_MASK = 0x7ff };
static const uint64_t SIGN = (uint64_t)1 << 63, INFINITE = (uint64_t)0x7ff << 52;
static const uint64_t FRACTION = ((uint64_t)1 << 52) - 1;

/// The biased exponent.
static inline int32_t exponentOf(double value) {
  return (int32_t)(bitsOf(value) >> FRACTION_BITS & EXPONENT_MASK);
}

/// A power of two from -1022 to 1023.
static inline double powerOfTwo(int32_t exponent) {
  return ofBits((uint64_t)(exponent + EXPONENT_BIAS) << FRACTION_BITS);
}

static inline double magnitude(double value) { return ofBits(bitsOf(value) & ~SIGN); }
static inline double withSign(double value, double sign) {
  return ofBits((bitsOf(value) & ~SIGN) | (bitsOf(sign) & SIGN));
}

/// The nearest whole number, ties to even, below 2^51.
static inline double nearest(double value) {
  const double shift = 0x1.8p52;
  return (value + shift) - shift;
}

/// The upper 26 bits of a number, whose product with as many is exact.
static inline double upperHalf(double value) { return ofBits(bitsOf(value) & ~(uint64_t)0x7ffffff); }

/// A sum and its rounding error.
static inline Parts sum(double a, double b) {
  const double total = a + b, part = total - a;
  return (Parts){total, (a - (total - part)) + (b - part)};
}

/// The same if the first number is the larger one, or 0.
static inline Parts sumOfLarger(double a, double b) {
  const double total = a + b;
  return (Parts){total, b - (total - a)};
}

/// A product and its rounding error.
static inline Parts product(double a, double b) {
  const double a1 = upperHalf(a), a2 = a - a1, b1 = upperHalf(b), b2 = b - b1;
  const double total = a * b;
  return (Parts){total, ((a1 * b1 - total) + a1 * b2 + a2 * b1) + a2 * b2};
}
