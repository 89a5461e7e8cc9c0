#include "CInstructions.h"

#if defined(__x86_64__)
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Whether a variable of the environment forbids instructions: a level is compared with another one
// on the same machine in this way.
static int32_t instructionLimit(void) {
  const char *const name = getenv("PENTIMENTO_INSTRUCTIONS");
  return !name ? 2 : !strcmp(name, "any") ? 0 : !strcmp(name, "avx2") ? 1 : 2;
}

static int32_t findInstructionLevel(void) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("popcnt") ||
      !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("pclmul"))
    return 0;
  // Skylake and Cascade Lake have no more than these.
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512cd")
             ? 2
             : 1;
}
#endif

int32_t instructionLevel(void) {
#if defined(__x86_64__)
  static atomic_int known = -1;
  int32_t level = atomic_load_explicit(&known, memory_order_relaxed);
  if (level < 0) {
    const int32_t limit = instructionLimit();
    level = findInstructionLevel();
    if (level > limit) level = limit;
    atomic_store_explicit(&known, level, memory_order_relaxed);
  }
  return level;
#else
  return 0;
#endif
}
