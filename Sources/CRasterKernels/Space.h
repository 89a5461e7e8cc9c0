// What all levels share: the space of samples, and vectors of sixteen lanes, which every level
// splits as it must.
#pragma once

#include "CRasterKernels.h"

#include <stdalign.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

enum {
  TILE = RasterTileSide,
  GROUPS = RasterGroupsPerRow,
  // Points of a path that are looked at in one go, with room for a vector more.
  CHUNK = 1024,
  ROOM = CHUNK + 16,
  // Rows of words that vectors may reach beyond a tile; no power of two, against aliasing.
  PADDING = 24,
  // An interval that holds nothing.
  EMPTY_LOW = 1 << 20,
  EMPTY_HIGH = -1,
};

struct RasterSpace {
  // Samples are bits: a word holds those of some neighbouring pixels in one row of samples, and the
  // words of one column of pixels lie below each other.
  uint64_t *words;
  int32_t samples;
  // The rows of pixels that something was drawn in.
  int32_t firstRow, endRow;
  // The rows of samples that have an open interval.
  int32_t firstOpen, endOpen;
  alignas(64) uint8_t touched[TILE + 64];
  alignas(64) uint8_t whole[TILE + 64];
  alignas(64) uint8_t groups[TILE];
  // One interval for each row of samples, in samples from the tile's left edge; see Sweep.inc.
  alignas(64) int32_t low[TILE * 16 + 64];
  alignas(64) int32_t high[TILE * 16 + 64];
  // Columns of points and of the segments between them.
  alignas(64) int32_t x[ROOM], y[ROOM];
  alignas(64) float radius[ROOM], weight[ROOM];
  alignas(64) float ux[ROOM], uy[ROOM], length[ROOM], extension[ROOM], above[ROOM], below[ROOM];
  alignas(64) float xx[ROOM], xy[ROOM], yy[ROOM];
  alignas(64) int32_t isSharp[ROOM], isSkew[ROOM], column[ROOM];
  alignas(64) int32_t windowRow[ROOM], windowEnd[ROOM], firstColumn[ROOM], lastColumn[ROOM];
  alignas(64) float row[ROOM], rows[ROOM], lowest[ROOM], highest[ROOM];
  alignas(64) float start[8][ROOM], slope[8][ROOM];
  alignas(64) uint16_t partial[RasterGroupsPerTile + 16], wholes[RasterGroupsPerTile + 16];
  alignas(64) uint8_t coverage[RasterGroupsPerTile * RasterGroupWidth];
};

/// What a part of a path has: shapes whose insides are not sampled, and hairlines.
typedef struct {
  int32_t isFat, isThin;
} Path;

// Vectors are arguments of inlined functions alone, which have no calling convention.
#pragma clang diagnostic ignored "-Wpsabi"

typedef float F __attribute__((ext_vector_type(16)));
typedef int32_t I __attribute__((ext_vector_type(16)));
typedef int32_t I8 __attribute__((ext_vector_type(8)));
typedef uint64_t U64x8 __attribute__((ext_vector_type(8)));
typedef uint64_t U64x4 __attribute__((ext_vector_type(4)));
typedef uint8_t U8x64 __attribute__((ext_vector_type(64)));
typedef uint8_t U8x32 __attribute__((ext_vector_type(32)));
typedef uint8_t U8x16 __attribute__((ext_vector_type(16)));
typedef uint8_t U8x8 __attribute__((ext_vector_type(8)));
typedef uint16_t U16x8 __attribute__((ext_vector_type(8)));
typedef uint16_t U16x16 __attribute__((ext_vector_type(16)));
typedef uint16_t U16x32 __attribute__((ext_vector_type(32)));
typedef uint32_t U32x16 __attribute__((ext_vector_type(16)));

#define INLINE static inline __attribute__((always_inline))
