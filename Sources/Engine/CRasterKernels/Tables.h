// Small lookup tables that all levels share.
#pragma once

#include "Space.h"

/// The indices of the bits that are set in a byte.
extern uint8_t indicesOfBits[256][8];
/// The samples of sixteen rows that hairlines keep, for weights in 64ths and in 256ths.
extern uint64_t patterns8[64][16];
extern uint64_t patterns16[256][16];
