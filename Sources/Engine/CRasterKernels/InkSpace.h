// The fields that textured inks leave on a tile.
#pragma once

#include "Space.h"

enum {
  // Rows of fields are longer than the tile's, because vectors reach beyond its edge.
  FIELD_PITCH = TILE + 32,
  // One more row, because rows may be processed in pairs.
  FIELD_SIZE = (TILE + 1) * FIELD_PITCH,
  // Less than all depths: the pixel is outside of all sweeps.
  NO_DEPTH = -32768,
};

/// The grain of a tile. Groups of pixels are computed when they are first needed.
typedef struct {
  RasterGrain grain;
  /// When it was used last; 0 for never.
  uint64_t lastUse;
  /// A bit for each group of a row that was computed.
  uint8_t isComputed[TILE];
  alignas(64) uint8_t values[TILE * TILE];
} RasterGrainTile;

enum {
  // Grains of one tile that are kept: paper, and strokes with transforms of their own.
  GRAIN_TILES = 16,
};

struct RasterInkSpace {
  int32_t firstRow, endRow;
  /// The tile's first pixel in the picture.
  int32_t left, top;
  /// The number of its pixels in a row and in a column that are used.
  int32_t side;
  /// The number of uses of grains so far.
  uint64_t useCount;
  alignas(64) uint8_t touched[TILE];
  alignas(64) uint8_t groups[TILE];
  /// How long the nib has rested on each pixel, in 1/RasterDwellUnit.
  alignas(64) uint16_t dwell[FIELD_SIZE];
  /// The maximum depth of the pixel inside the sweep, in 1/RasterDepthUnit pixels.
  alignas(64) int16_t depth[FIELD_SIZE];
  /// The ink that fibres laid down, in the unit of dwells.
  alignas(64) uint16_t ink[FIELD_SIZE];
  /// The maximum wetness, the print of a blade, or the coverage by a blade.
  alignas(64) uint8_t wet[FIELD_SIZE];
  alignas(64) uint16_t partial[RasterGroupsPerTile + 16];
  alignas(64) uint8_t coverage[RasterGroupsPerTile * RasterGroupWidth];
  RasterGrainTile grains[GRAIN_TILES];
};

/// The grain's values on the tile, as far as they were computed.
RasterGrainTile *rasterGrainTile(RasterInkSpace *space, const RasterGrain *grain);
