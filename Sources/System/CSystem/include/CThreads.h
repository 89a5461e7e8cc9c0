#pragma once

#include <stdint.h>

/// The number of processors that the calling thread may run on; 0 if it is unknown.
int32_t availableProcessorCount(void);

/// Lets the processor rest for a moment in a loop that waits.
static inline void threadPause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}
