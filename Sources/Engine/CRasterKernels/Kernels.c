// The samples of a tile, tables, and the choice of a level.
#include "CInstructions.h"
#include "Space.h"
#include "Tables.h"

#include <stdatomic.h>
#include <stdlib.h>

alignas(64) uint8_t indicesOfBits[256][8];
alignas(64) uint64_t patterns8[64][16];
alignas(64) uint64_t patterns16[256][16];

/// A number's lowest bits in reverse order.
static uint32_t reversed(uint32_t number, int32_t bits) {
  uint32_t result = 0;
  for (int32_t bit = 0; bit < bits; bit++) result |= (number >> bit & 1) << (bits - 1 - bit);
  return result;
}

/// The rank of a sample in an order that fills every row and every column of a pixel evenly, and
/// diagonals nearly so. So a line of two rows has the same weight in all rows.
static uint32_t rank(uint32_t row, uint32_t column, int32_t bits) {
  const uint32_t side = 1u << bits;
  return side * ((5 * column + 7 * row) & (side - 1)) + reversed(row & (side - 1), bits);
}

/// Fills the patterns of `1 << bits` samples on a side: each level adds the samples of one rank.
static void fillPatterns(uint64_t (*patterns)[16], int32_t bits) {
  const uint32_t levels = 1u << 2 * bits;
  for (uint32_t row = 0; row < 16; row++) {
    for (uint32_t bit = 0; bit < 64; bit++) {
      const uint32_t level = rank(row, bit, bits) + 1;
      if (level < levels) patterns[level][row] |= (uint64_t)1 << bit;
    }
    for (uint32_t level = 1; level < levels; level++)
      patterns[level][row] |= patterns[level - 1][row];
  }
}

static void fillTables(void) {
  for (int32_t byte = 0; byte < 256; byte++) {
    int32_t count = 0;
    for (uint8_t bit = 0; bit < 8; bit++)
      if (byte >> bit & 1) indicesOfBits[byte][count++] = bit;
  }
  fillPatterns(patterns8, 3);
  fillPatterns(patterns16, 4);
}

// One thread fills the tables, others wait for it: some microseconds, once. Without pthreads, which
// a web page has not.
static void fillTablesOnce(void) {
  enum { EMPTY, FILLING, FILLED };
  static atomic_int state = EMPTY;
  if (atomic_load_explicit(&state, memory_order_acquire) == FILLED) return;
  int expected = EMPTY;
  if (atomic_compare_exchange_strong_explicit(
          &state, &expected, FILLING, memory_order_acquire, memory_order_acquire)) {
    fillTables();
    atomic_store_explicit(&state, FILLED, memory_order_release);
    return;
  }
  while (atomic_load_explicit(&state, memory_order_acquire) != FILLED) {
  }
}

extern const RasterKernels rasterKernelsOfLevel0[2];
#if defined(__x86_64__)
extern const RasterKernels rasterKernelsOfLevel1[2];
extern const RasterKernels rasterKernelsOfLevel2[2];
#endif

int32_t rasterBestLevel(void) { return instructionLevel(); }

const RasterKernels *rasterKernels(int32_t level, int32_t samples) {
  // Not before the program starts, since most commands draw nothing.
  fillTablesOnce();
  const int32_t index = samples == 16;
#if defined(__x86_64__)
  const int32_t best = rasterBestLevel();
  if (level > best) level = best;
  if (level == 2) return &rasterKernelsOfLevel2[index];
  if (level == 1) return &rasterKernelsOfLevel1[index];
#endif
  return &rasterKernelsOfLevel0[index];
}

static size_t wordCount(int32_t samples) {
  return (size_t)(TILE * samples / 64 + 1) * (size_t)(TILE * samples + PADDING);
}

RasterSpace *rasterSpaceCreate(int32_t samples) {
  const size_t size = (sizeof(RasterSpace) + 63) & ~(size_t)63;
  RasterSpace *space = aligned_alloc(64, size);
  if (!space) return NULL;
  memset(space, 0, size);
  const size_t bytes = (wordCount(samples) * sizeof(uint64_t) + 63) & ~(size_t)63;
  space->words = aligned_alloc(64, bytes);
  if (!space->words) {
    free(space);
    return NULL;
  }
  memset(space->words, 0, bytes);
  space->samples = samples;
  space->firstRow = space->firstOpen = TILE;
  for (int32_t row = 0; row < TILE * 16 + 64; row++) {
    space->low[row] = EMPTY_LOW;
    space->high[row] = EMPTY_HIGH;
  }
  return space;
}

void rasterSpaceFree(RasterSpace *space) {
  free(space->words);
  free(space);
}

uint8_t *rasterSpaceGroups(RasterSpace *space) { return space->groups; }

int32_t rasterSpaceIsClear(const RasterSpace *space) {
  // Words below the tile, which vectors may set, are never read.
  const size_t rows = (size_t)(TILE * space->samples);
  for (size_t i = 0; i < wordCount(space->samples); i++)
    if (i % (rows + PADDING) < rows && space->words[i]) return 0;
  for (size_t row = 0; row < rows; row++)
    if (space->low[row] != EMPTY_LOW || space->high[row] != EMPTY_HIGH) return 0;
  for (int32_t y = 0; y < TILE; y++)
    if (space->touched[y] || space->whole[y]) return 0;
  return 1;
}
