// The loops of textured inks for processors with AVX2.
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdalign.h>
#include <string.h>

#pragma clang attribute push(__attribute__((target("avx2,popcnt,bmi,bmi2,lzcnt"))), apply_to = function)
#define LEVEL 1
#include "Ink.inc"
#pragma clang attribute pop
#endif
