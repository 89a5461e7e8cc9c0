// Small tables that all levels look into.
#pragma once

#include "Space.h"

/// The places of the bits that are set in a byte.
extern uint8_t placesOfBits[256][8];
/// For weights in 64ths, or 256ths, the samples of sixteen rows that hairlines keep.
extern uint64_t patterns8[64][16];
extern uint64_t patterns16[256][16];
