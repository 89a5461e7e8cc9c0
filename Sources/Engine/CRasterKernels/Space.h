// Shared by all levels: the samples of a tile, and vectors, which the compiler splits for each
// level.
#pragma once

#include "CRasterKernels.h"

#include <stdalign.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

enum {
  TILE = RasterTileSide,
  GROUPS = RasterGroupsPerRow,
  // The maximum number of points of a path that are processed at a time, and the same with space
  // for one more vector.
  CHUNK = 1024,
  CAPACITY = CHUNK + 16,
  // Rows of words that vectors may reach beyond a tile. Not a power of two, to avoid cache
  // aliasing.
  PADDING = 24,
  // An empty interval.
  EMPTY_LOW = 1 << 20,
  EMPTY_HIGH = -1,
};

struct RasterSpace {
  // Samples are bits: a word holds those of 8 or 4 neighbouring pixels in one row of samples, and
  // the words of one column of words are stored one after the other.
  uint64_t *words;
  int32_t samples;
  // The rows of pixels that were drawn in.
  int32_t firstRow, endRow;
  // The rows of pixels that have an open interval.
  int32_t firstOpen, endOpen;
  alignas(64) uint8_t touched[TILE + 64];
  alignas(64) uint8_t whole[TILE + 64];
  alignas(64) uint8_t groups[TILE];
  // One interval for each row of samples, in samples from the tile's left edge; see Sweep.inc.
  alignas(64) int32_t low[TILE * 16 + 64];
  alignas(64) int32_t high[TILE * 16 + 64];
  // Arrays of points and of the segments between them.
  alignas(64) int32_t x[CAPACITY], y[CAPACITY];
  alignas(64) float radius[CAPACITY], weight[CAPACITY];
  alignas(64) float ux[CAPACITY], uy[CAPACITY], length[CAPACITY];
  alignas(64) float extension[CAPACITY], above[CAPACITY], below[CAPACITY];
  alignas(64) float xx[CAPACITY], xy[CAPACITY], yy[CAPACITY];
  alignas(64) int32_t isSharp[CAPACITY], isSkew[CAPACITY], column[CAPACITY];
  alignas(64) int32_t windowRow[CAPACITY], windowEnd[CAPACITY];
  alignas(64) int32_t firstColumn[CAPACITY], lastColumn[CAPACITY];
  alignas(64) float row[CAPACITY], rows[CAPACITY], lowest[CAPACITY], highest[CAPACITY];
  alignas(64) float start[8][CAPACITY], slope[8][CAPACITY];
  alignas(64) uint16_t partial[RasterGroupsPerTile + 16], wholes[RasterGroupsPerTile + 16];
  alignas(64) uint8_t coverage[RasterGroupsPerTile * RasterGroupWidth];
};

/// Whether a part of a path has fat shapes, whose insides are not sampled, and hairlines.
typedef struct {
  int32_t isFat, isThin;
} Path;

// Vectors are only passed to inlined functions, which have no calling convention.
#pragma clang diagnostic ignored "-Wpsabi"

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
