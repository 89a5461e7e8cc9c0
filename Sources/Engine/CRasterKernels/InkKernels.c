// The fields of a tile for textured inks, and the choice of a level.
#include "InkSpace.h"

#include <stddef.h>
#include <stdlib.h>

extern const RasterInkKernels rasterInkKernelsOfLevel0;
#if defined(__x86_64__)
extern const RasterInkKernels rasterInkKernelsOfLevel1;
extern const RasterInkKernels rasterInkKernelsOfLevel2;
#endif

const RasterInkKernels *rasterInkKernels(int32_t level) {
#if defined(__x86_64__)
  const int32_t best = rasterBestLevel();
  if (level > best) level = best;
  if (level == 2) return &rasterInkKernelsOfLevel2;
  if (level == 1) return &rasterInkKernelsOfLevel1;
#endif
  return &rasterInkKernelsOfLevel0;
}

RasterInkSpace *rasterInkSpaceCreate(void) {
  const size_t size = (sizeof(RasterInkSpace) + 63) & ~(size_t)63;
  RasterInkSpace *space = aligned_alloc(64, size);
  if (!space) return NULL;
  // The values of grains are written before they are read, and most strokes have none.
  memset(space, 0, offsetof(RasterInkSpace, grains));
  for (int32_t i = 0; i < GRAIN_TILES; i++) space->grains[i].lastUse = 0;
  space->firstRow = TILE;
  space->side = TILE;
  for (int32_t i = 0; i < FIELD_SIZE; i++) space->depth[i] = NO_DEPTH;
  return space;
}

void rasterInkSpaceFree(RasterInkSpace *space) { free(space); }

void rasterInkSpaceMove(RasterInkSpace *space, int32_t left, int32_t top, int32_t side) {
  space->side = side;
  if (space->left == left && space->top == top) return;
  space->left = left;
  space->top = top;
  for (int32_t i = 0; i < GRAIN_TILES; i++) {
    if (space->grains[i].lastUse) memset(space->grains[i].isComputed, 0, TILE);
  }
}

RasterGrainTile *rasterGrainTile(RasterInkSpace *space, const RasterGrain *grain) {
  // The one that was not used for longest is replaced, so that a tone can have several at once.
  RasterGrainTile *oldest = space->grains;
  for (int32_t i = 0; i < GRAIN_TILES; i++) {
    RasterGrainTile *tile = &space->grains[i];
    // The structure has no gaps.
    if (tile->lastUse && !memcmp(&tile->grain, grain, sizeof *grain)) {
      tile->lastUse = ++space->useCount;
      return tile;
    }
    if (tile->lastUse < oldest->lastUse) oldest = tile;
  }
  oldest->grain = *grain;
  oldest->lastUse = ++space->useCount;
  memset(oldest->isComputed, 0, TILE);
  return oldest;
}

uint8_t *rasterInkSpaceGroups(RasterInkSpace *space) { return space->groups; }

int32_t rasterInkSpaceIsClear(const RasterInkSpace *space) {
  for (int32_t y = 0; y < TILE; y++) {
    if (space->touched[y]) return 0;
    for (int32_t i = y * FIELD_PITCH; i < y * FIELD_PITCH + TILE; i++) {
      if (space->dwell[i] || space->ink[i] || space->wet[i] || space->depth[i] != NO_DEPTH)
        return 0;
    }
  }
  return 1;
}
