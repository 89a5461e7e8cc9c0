#!/usr/bin/env python3
"""Writes Tables.inc: logarithms, powers of two, arc tangents, pi and 2/pi. Needs mpmath."""

from mpmath import atan, floor, log, mp, mpf, pi

mp.prec = 2400


def parts(value, bits=53):
    """The nearest number of `bits` bits, and that of the rest, as literals."""
    scale = mpf(2) ** (bits - 1 - int(floor(log(abs(value), 2)))) if value else mpf(1)
    high = float(floor(value * scale + mpf(1) / 2) / scale)
    return high.hex(), float(value - mpf(high)).hex()


def rounded(value, bits):
    """A value rounded to a multiple of 2^-bits, and the rest."""
    high = float(floor(value * mpf(2) ** bits + mpf(1) / 2) / mpf(2) ** bits)
    return high.hex(), float(value - mpf(high)).hex()


out = ["// Made by tables.py.", ""]
out += [
    "// For each of 128 intervals of [1, 2) a number of nine bits near the reciprocal of its",
    "// middle, and minus its natural logarithm in two parts, the first a multiple of 2^-40.",
    "// From 1.41 on numbers count as halves, so that the logarithm of 1 and its neighbours is exact.",
]
out += ["static const double logarithms[128][3] = {"]
for i in range(128):
    middle = 1 + (mpf(i) + mpf(1) / 2) / 128
    if i >= 53:
        middle /= 2
    inverse = floor(256 / middle + mpf(1) / 2) / 256
    if i == 0 or i == 127:
        inverse = mpf(1)
    high, low = rounded(-log(inverse), 40)
    out += ["  {%s, %s, %s}," % (float(inverse).hex(), high, low)]
out += ["};", "", "// 2^(i/64) in two parts.", "static const double powers[64][2] = {"]
for i in range(64):
    out += ["  {%s, %s}," % parts(mpf(2) ** (mpf(i) / 64))]
out += ["};", ""]
for name, value, bits in [("LN2", log(2), 40), ("LN2_64", log(2) / 64, 38)]:
    out += [
        "static const double %s_HIGH = %s, %s_LOW = %s;"
        % ((name, rounded(value, bits)[0], name, rounded(value, bits)[1]))
    ]
third = pi / 2
first = rounded(third, 32)[0]
second = rounded(third - mpf(float.fromhex(first)), 66)[0]
rest = parts(third - mpf(float.fromhex(first)) - mpf(float.fromhex(second)))
out += ["// Half of pi in parts; the first two have 33 and 34 bits."]
out += ["static const double HALF_PI_1 = %s, HALF_PI_2 = %s, HALF_PI_3 = %s, HALF_PI_4 = %s;" % (first, second, *rest)]
out += ["static const double HALF_PI = %s, HALF_PI_REST = %s;" % parts(pi / 2)]
out += ["static const double PI = %s, PI_REST = %s;" % parts(pi), ""]
out += ["// The arc tangents of i/16 in two parts.", "static const double arcs[17][2] = {"]
for i in range(17):
    out += ["  {%s, %s}," % (parts(atan(mpf(i) / 16)) if i else ("0", "0"))]
out += ["};", "", "// The bits of 2/pi behind the point, 32 in each word.", "static const uint32_t twoOverPi[40] = {"]
bits = int(floor(2 / pi * mpf(2) ** 1280))
words = ["0x%08x" % (bits >> (1280 - 32 * (i + 1)) & 0xFFFFFFFF) for i in range(40)]
for i in range(0, 40, 8):
    out += ["  " + ", ".join(words[i : i + 8]) + ","]
out += ["};"]
open(__file__.replace("tables.py", "Tables.inc"), "w").write("\n".join(out) + "\n")
