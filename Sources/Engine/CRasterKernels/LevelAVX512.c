// The loops for processors with AVX-512 as of 2017.
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdalign.h>
#include <string.h>

#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,popcnt,bmi,bmi2,lzcnt"))), apply_to = function)
#define LEVEL 2
#include "Level.inc"
#pragma clang attribute pop
#endif
