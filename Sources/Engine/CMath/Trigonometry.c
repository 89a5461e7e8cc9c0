#include "Exact.h"

#include "Tables.inc"

/// An angle from -π/4 to π/4 in two parts, and the quarter turns that were subtracted from it.
typedef struct {
  Parts rest;
  uint32_t quarters;
} Reduced;

/// 32 bits of 2/π, of which the first is the one with the value 2^-(index + 1).
static uint32_t bitsFrom(int32_t index) {
  if (index <= -32) return 0;
  if (index < 0) return twoOverPi[0] >> -index;
  const int32_t word = index >> 5, shift = index & 31;
  if (!shift) return twoOverPi[word];
  return twoOverPi[word] << shift | twoOverPi[word + 1] >> (32 - shift);
}

/// Reduces any angle in integers: multiplies it by 192 bits of 2/π. Higher bits are left out, since
/// their products are multiples of four quarter turns.
static Reduced reduceByIntegers(double angle) {
  const uint64_t fraction = (bitsOf(angle) & FRACTION) | (uint64_t)1 << FRACTION_BITS;
  const int32_t first = exponentOf(angle) - EXPONENT_BIAS - FRACTION_BITS - 2;
  // The product, with the lowest word first. Its upper two bits count quarters.
  uint32_t words[6] = {0};
  for (int32_t part = 0; part < 2; part++) {
    const uint64_t factor = part ? fraction >> 32 : (uint32_t)fraction;
    uint64_t carry = 0;
    for (int32_t word = 0; word + part < 6; word++) {
      carry += factor * bitsFrom(first + 32 * (5 - word)) + words[word + part];
      words[word + part] = (uint32_t)carry;
      carry >>= 32;
    }
  }
  uint64_t top = (uint64_t)words[5] << 32 | words[4], middle = (uint64_t)words[3] << 32 | words[2];
  uint64_t bottom = (uint64_t)words[1] << 32 | words[0];
  uint32_t quarters = (uint32_t)(top >> 62);
  top = top << 2 | middle >> 62;
  middle = middle << 2 | bottom >> 62;
  bottom <<= 2;
  double sign = 1;
  if (top >> 63) {
    // More than half a quarter: the negative distance to the next one.
    quarters++;
    sign = -1;
    bottom = ~bottom + 1;
    middle = ~middle + (bottom == 0);
    top = ~top + (bottom == 0 && middle == 0);
  }
  int32_t shift = 0;
  if (!top) {
    top = middle;
    middle = bottom;
    shift = 64;
  }
  // Doubles are that far from multiples of π/2 that some of these bits are set.
  const int32_t zeros = top ? __builtin_clzll(top) : 0;
  if (zeros) {
    top = top << zeros | middle >> (64 - zeros);
    middle <<= zeros;
  }
  const double high = (double)(top >> 11) * powerOfTwo(-53 - zeros - shift);
  const double low =
      (double)((top << 53 | middle >> 11) >> 11) * powerOfTwo(-106 - zeros - shift);
  const Parts whole = product(high, HALF_PI);
  const Parts rest = sumOfLarger(whole.high, whole.low + (high * HALF_PI_REST + low * HALF_PI));
  return (Reduced){{sign * rest.high, sign * rest.low}, quarters};
}

/// Reduces an angle of 0 or more.
static inline Reduced reduce(double angle) {
  if (angle <= 0x1.921fb54442d18p-1) return (Reduced){{angle, 0}, 0};
  if (angle < 0x1p20) {
    // The products with the first two parts of π/2 are exact.
    const double count = nearest(angle * 0x1.45f306dc9c883p-1);
    const Parts first = sum(angle - count * HALF_PI_1, -(count * HALF_PI_2));
    // Nearer to a multiple, the error of the third product counts.
    if (magnitude(first.high) > 0x1p-24) {
      const Parts rest = sumOfLarger(first.high, first.low - count * HALF_PI_3);
      return (Reduced){rest, (uint32_t)count};
    }
  }
  return reduceByIntegers(angle);
}

/// The sine by its power series; of up to π/4, the first term left out is below 2^-63 of it. Terms
/// are added in pairs, since each addition waits for the one before.
static inline double sineOf(Parts angle) {
  const double x = angle.high, square = x * x, fourth = square * square;
  const double a = -1.0 / 6 + square * (1.0 / 120), b = -1.0 / 5040 + square * (1.0 / 362880);
  const double c = -1.0 / 39916800 + square * (1.0 / 6227020800.0);
  const double d = -1.0 / 1307674368000.0 + square * (1.0 / 355687428096000.0);
  const double series = (a + fourth * b) + fourth * fourth * (c + fourth * d);
  return x + (angle.low * (1 - 0.5 * square) + x * square * series);
}

static inline double cosineOf(Parts angle) {
  const double x = angle.high, square = x * x, half = 0.5 * square, fourth = square * square;
  const double a = 1.0 / 24 + square * (-1.0 / 720), b = 1.0 / 40320 + square * (-1.0 / 3628800);
  const double c = 1.0 / 479001600.0 + square * (-1.0 / 87178291200.0);
  const double series = (a + fourth * b) + fourth * fourth * (c + fourth * (1.0 / 20922789888000.0));
  const double start = 1 - half;
  return start + (((1 - start) - half) + (fourth * series - x * angle.low));
}

/// Changes the sign if the lowest bit is set.
static inline double negatedIf(uint64_t bit, double value) { return ofBits(bitsOf(value) ^ bit << 63); }

double mathSine(double angle) {
  const double size = magnitude(angle);
  if (size < 0x1p-27) return angle;
  if (!(size < ofBits(INFINITE))) return angle - angle;
  const Reduced reduced = reduce(size);
  const double value = reduced.quarters & 1 ? cosineOf(reduced.rest) : sineOf(reduced.rest);
  return negatedIf(reduced.quarters >> 1 ^ bitsOf(angle) >> 63, value);
}

double mathCosine(double angle) {
  const double size = magnitude(angle);
  if (!(size < ofBits(INFINITE))) return angle - angle;
  const Reduced reduced = reduce(size);
  const double value = reduced.quarters & 1 ? sineOf(reduced.rest) : cosineOf(reduced.rest);
  return negatedIf((reduced.quarters + 1) >> 1, value);
}

/// The arc tangent of a / b in two parts, for 0 < a ≤ b, neither very small nor very large: that of
/// the nearest sixteenth, and that of the rest, tan(α − β) = (a − c·b) / (b + c·a).
static inline Parts arcOf(double a, double b) {
  const double steps = nearest(16 * (a / b)), c = steps / 16;
  const double a1 = upperHalf(a), b1 = upperHalf(b);
  Parts above = sum(a, -(c * b1));
  above = sum(above.high, above.low - c * (b - b1));
  Parts below = sum(b, c * a1);
  below = sumOfLarger(below.high, below.low + c * (a - a1));
  const double t = above.high / below.high;
  const Parts back = product(t, below.high);
  const double rest =
      (((above.high - back.high) - back.low) + (above.low - t * below.low)) / below.high;
  const double square = t * t, fourth = square * square;
  const double series =
      t * square *
      ((-1.0 / 3 + square * (1.0 / 5)) +
       fourth * ((-1.0 / 7 + square * (1.0 / 9)) + fourth * (-1.0 / 11)));
  const double *const arc = arcs[(int32_t)steps];
  const Parts total = sum(arc[0], t);
  return sumOfLarger(total.high, total.low + (arc[1] + (rest + series)));
}

double mathArcTangent(double y, double x) {
  if (x != x || y != y) return x + y;
  double a = magnitude(y), b = magnitude(x);
  const int32_t isSteep = a > b, isLeft = bitsOf(x) >> 63 != 0;
  if (a == ofBits(INFINITE) && b == ofBits(INFINITE)) a = b = 1;
  if (isSteep) {
    const double other = a;
    a = b;
    b = other;
  }
  Parts arc;
  const int32_t distance = exponentOf(b) - exponentOf(a);
  if (a == 0 || b == ofBits(INFINITE)) {
    arc = (Parts){0, 0};
  } else if (distance > 60) {
    // Too small to be seen next to π/2, and in front of it equal to its tangent.
    arc = (Parts){a / b, 0};
  } else {
    // Both near 1; multiplying by powers of two is exact.
    int32_t shift = EXPONENT_BIAS - exponentOf(b);
    if (exponentOf(b) < 128) {
      a *= 0x1p200;
      b *= 0x1p200;
      shift = EXPONENT_BIAS - exponentOf(b);
    }
    if (shift < -1000) {
      a *= 0x1p-100;
      b *= 0x1p-100;
      shift += 100;
    }
    arc = arcOf(a * powerOfTwo(shift), b * powerOfTwo(shift));
  }
  double result = arc.high + arc.low;
  if (isSteep) {
    const double sign = isLeft ? 1 : -1;
    const Parts total = sumOfLarger(HALF_PI, sign * arc.high);
    result = total.high + (total.low + (HALF_PI_REST + sign * arc.low));
  } else if (isLeft) {
    const Parts total = sumOfLarger(PI, -arc.high);
    result = total.high + (total.low + (PI_REST - arc.low));
  }
  return withSign(result, y);
}
