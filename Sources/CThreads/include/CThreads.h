#pragma once

#include <stdint.h>

/// How many processors the calling thread may run on; 0 where the system does not say.
int32_t availableProcessorCount(void);
