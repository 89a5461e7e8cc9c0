#pragma once

#include <stdint.h>

// The functions of mathematics that the core uses. They are our own, so that all processors give
// the same bits, also web pages: only additions, multiplications, divisions and roots are used,
// which IEEE 754 defines to the bit, and none are contracted. Results are at most one unit in the
// last place away from the nearest double of the exact result. Special values are those of C's
// functions.

/// The angle from -π to π whose tangent is `y / x`, in the quadrant of (x, y).
double mathArcTangent(double y, double x);
/// The cube root, also of negative numbers.
double mathCubeRoot(double value);
/// The cosine of an angle of any size.
double mathCosine(double angle);
/// A power.
double mathPower(double base, double exponent);
/// The remainder after subtracting the nearest multiple of the divisor; exact.
double mathRemainder(double dividend, double divisor);
/// The sine of an angle of any size.
double mathSine(double angle);
