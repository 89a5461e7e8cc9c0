// The kernels for processors with AVX-512.
#if defined(__x86_64__)
#include "Shared.h"
#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx2,popcnt,bmi,bmi2,lzcnt,pclmul"))), apply_to = function)
#define LEVEL 2
#include "Level.inc"
#pragma clang attribute pop
#endif
