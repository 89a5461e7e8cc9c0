#include "Exact.h"

/// A positive number as a whole number of 53 bits and an exponent.
static uint64_t normalized(double value, int32_t *exponent) {
  uint64_t fraction = bitsOf(value) & FRACTION;
  *exponent = exponentOf(value);
  if (*exponent) return fraction | (uint64_t)1 << FRACTION_BITS;
  *exponent = 1;
  const int32_t shift = __builtin_clzll(fraction) - 11;
  *exponent -= shift;
  return fraction << shift;
}

double mathRemainder(double dividend, double divisor) {
  const double size = magnitude(dividend), unit = magnitude(divisor);
  if (dividend != dividend || divisor != divisor) return dividend + divisor;
  if (size == ofBits(INFINITE) || unit == 0) return (dividend - dividend) / (divisor - divisor);
  if (unit == ofBits(INFINITE) || size == 0) return dividend;
  double rest = size;
  int32_t exponent, unitExponent;
  uint64_t bits = normalized(size, &exponent);
  const uint64_t unitBits = normalized(unit, &unitExponent);
  uint64_t isOdd = 0;
  if (exponent >= unitExponent) {
    // Long division, up to eleven bits at a time. Of the quotient only the last bit counts.
    isOdd = bits / unitBits & 1;
    bits %= unitBits;
    while (exponent > unitExponent && bits) {
      const int32_t step = exponent - unitExponent < 11 ? exponent - unitExponent : 11;
      isOdd = (bits << step) / unitBits & 1;
      bits = (bits << step) % unitBits;
      exponent -= step;
    }
    if (!bits) {
      // The mantissa is 0, so the remaining exponent does not matter.
      return withSign(0, dividend);
    }
    const int32_t shift = __builtin_clzll(bits) - 11;
    bits <<= shift;
    exponent = unitExponent - shift;
    rest = exponent > 0 ? ofBits((bits & FRACTION) | (uint64_t)exponent << FRACTION_BITS)
                        : ofBits(bits >> (1 - exponent));
  }
  // More than half of the divisor: the next multiple is nearer; of two equally near ones the even
  // one. The differences are exact.
  const double other = unit - rest;
  if (rest > other || (rest == other && isOdd)) rest = -other;
  return bitsOf(dividend) >> 63 ? -rest : rest;
}
