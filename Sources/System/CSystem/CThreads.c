#define _GNU_SOURCE
#include "CThreads.h"

#include <sched.h>

int32_t availableProcessorCount(void) {
  cpu_set_t processors;
  // Fails on machines with more than 1024 processors.
  if (sched_getaffinity(0, sizeof processors, &processors) != 0) return 0;
  return CPU_COUNT(&processors);
}
