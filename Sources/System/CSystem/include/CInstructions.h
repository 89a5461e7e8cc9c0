#ifndef CInstructions_h
#define CInstructions_h

#include <stdint.h>

/// The highest level of instructions that this processor has, and that the environment allows: 0 for
/// those of any processor, 1 for AVX2, 2 for AVX-512 as of 2017.
int32_t instructionLevel(void);

#endif
