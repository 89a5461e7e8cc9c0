#pragma once

// The functions of the C mathematics library that the core uses. They are declared here so that it compiles
// wherever such a library is linked, also for web pages.

double atan2(double y, double x);
double cbrt(double value);
double cos(double angle);
double log2(double value);
double pow(double base, double exponent);
double remainder(double dividend, double divisor);
double sin(double angle);
