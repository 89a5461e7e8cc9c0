// The kernels for any processor.
#define LEVEL 0
#include "Level.inc"
