// The loops for every processor.
#define LEVEL 0
#include "Level.inc"
