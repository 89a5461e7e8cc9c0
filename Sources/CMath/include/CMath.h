#pragma once

// The functions of the C library's mathematics that the core uses, declared here so that it compiles wherever
// there is such a library, in a page too.

double atan2(double y, double x);
double cbrt(double value);
double cos(double angle);
double log2(double value);
double pow(double base, double exponent);
double remainder(double dividend, double divisor);
double sin(double angle);
