#pragma once

#include <stdint.h>

/// The number of processors that the calling thread may run on; 0 if it is unknown.
int32_t availableProcessorCount(void);
