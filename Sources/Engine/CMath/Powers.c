#include "Exact.h"

#include "Tables.inc"

/// The natural logarithm of a positive number in two parts, with an error below 2^-66 of it.
/// `scale` is added to the exponent.
static inline Parts logarithm(double value, int32_t scale) {
  const uint64_t bits = bitsOf(value);
  const int32_t index = (int32_t)(bits >> 45 & 127), isUpper = index >= 53;
  const double exponent =
      (double)((int32_t)(bits >> FRACTION_BITS) - EXPONENT_BIAS + scale + isUpper);
  const double mantissa =
      ofBits((bits & FRACTION) | (uint64_t)(EXPONENT_BIAS - isUpper) << FRACTION_BITS);
  const double *const row = logarithms[index];
  // mantissa × row − 1, exactly: the factor has nine bits.
  const double upper = upperHalf(mantissa);
  const Parts x = sum(upper * row[0] - 1, (mantissa - upper) * row[0]);
  const Parts square = product(x.high, x.high);
  const double r = x.high;
  // Terms are added in pairs, since each addition waits for the one before.
  const double r2 = square.high;
  const double series = r2 * r *
                        (((1.0 / 3 - r * (1.0 / 4)) + r2 * (1.0 / 5 - r * (1.0 / 6))) +
                         r2 * r2 * ((1.0 / 7 - r * (1.0 / 8)) + r2 * (1.0 / 9)));
  // Multiples of 2^-40, so that this sum is exact.
  const Parts first = sum(exponent * LN2_HIGH + row[1], r);
  const Parts second = sum(first.high, -0.5 * square.high);
  const double low = (first.low + second.low) + (x.low - 0.5 * square.low - r * x.low) +
                     (exponent * LN2_LOW + row[2]) + series;
  return sumOfLarger(second.high, low);
}

/// e to a power in two parts.
static inline double exponential(Parts power) {
  if (power.high > 710) return ofBits(INFINITE);
  if (power.high < -746) return 0;
  const double steps = nearest(power.high * 0x1.71547652b82fep+6);
  const double r = (power.high - steps * LN2_64_HIGH) + (power.low - steps * LN2_64_LOW);
  const int32_t count = (int32_t)steps, exponent = count >> 6;
  const double *const row = powers[count & 63];
  const double r2 = r * r;
  const double series =
      r + r2 * ((0.5 + r * (1.0 / 6)) + r2 * ((1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720)));
  const double value = row[0] + (row[1] + row[0] * series);
  if (exponent > 1000) return value * powerOfTwo(exponent - 100) * 0x1p100;
  if (exponent < -1000) return value * powerOfTwo(exponent + 100) * 0x1p-100;
  return value * powerOfTwo(exponent);
}

/// 0 for a fraction, 1 for an odd number, 2 for an even one.
static int32_t parity(double value) {
  const int32_t exponent = exponentOf(value) - EXPONENT_BIAS;
  if (exponent < 0) return value == 0 ? 2 : 0;
  if (exponent > FRACTION_BITS) return 2;
  const uint64_t bits = (bitsOf(value) & FRACTION) | (uint64_t)1 << FRACTION_BITS;
  const uint64_t unit = (uint64_t)1 << (FRACTION_BITS - exponent);
  return bits & (unit - 1) ? 0 : bits & unit ? 1 : 2;
}

double mathPower(double base, double exponent) {
  if (exponent == 0 || base == 1) return 1;
  if (base != base || exponent != exponent) return base + exponent;
  const double size = magnitude(base), infinite = ofBits(INFINITE);
  if (magnitude(exponent) == infinite)
    return size == 1 ? 1 : (size > 1) == (exponent > 0) ? infinite : 0;
  const int32_t isNegative = bitsOf(base) >> 63 != 0;
  const int32_t kind = isNegative ? parity(exponent) : 2;
  const double sign = kind == 1 ? -1 : 1;
  if (size == 0 || size == infinite) return sign * ((size == 0) == (exponent > 0) ? 0 : infinite);
  if (kind == 0) return (base - base) / (base - base);
  // The logarithm of the nearest number to 1 is 2^-53, the largest of all below 2^10.
  if (magnitude(exponent) > 0x1p70) {
    if (size == 1) return sign;
    return sign * ((size > 1) == (exponent > 0) ? infinite : 0);
  }
  if (magnitude(exponent) < 0x1p-70) return sign;
  const int32_t isSmall = exponentOf(size) == 0;
  const Parts log = logarithm(isSmall ? size * 0x1p54 : size, isSmall ? -54 : 0);
  Parts power = product(log.high, exponent);
  power.low += log.low * exponent;
  return sign * exponential(power);
}

double mathCubeRoot(double value) {
  double size = magnitude(value);
  if (size == 0 || !(size < ofBits(INFINITE))) return value + value;
  int32_t exponent = -EXPONENT_BIAS;
  if (exponentOf(size) == 0) {
    size *= 0x1p54;
    exponent -= 54;
  }
  exponent += exponentOf(size);
  // A third of the exponent, rounded down; from 1 to 8 is left.
  const int32_t third = (exponent + 3 * 400) / 3 - 400;
  const double m = ofBits((bitsOf(size) & FRACTION) |
                          (uint64_t)(EXPONENT_BIAS + exponent - 3 * third) << FRACTION_BITS);
  // A parabola within 3 %, and Halley's iteration, which triples the number of correct bits.
  double root = 0.75 + m * (0.265 - 0.0142 * m);
  for (int32_t step = 0; step < 2; step++) {
    const double cube = root * root * root;
    root *= (cube + 2 * m) / (2 * cube + m);
  }
  // Of 26 bits the square is exact, and so is the difference of the cube.
  root = upperHalf(root);
  const double square = root * root, upper = upperHalf(square);
  const double rest = (m - upper * root) - (square - upper) * root;
  const double part = rest / (3 * (square * root));
  return withSign((root + root * part * (1 - part)) * powerOfTwo(third), value);
}
