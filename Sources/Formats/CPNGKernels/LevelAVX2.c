// The kernels for processors with AVX2.
#if defined(__x86_64__)
#include "Shared.h"
#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2,popcnt,bmi,bmi2,lzcnt,pclmul"))), apply_to = function)
#define LEVEL 1
#include "Level.inc"
#pragma clang attribute pop
#endif
