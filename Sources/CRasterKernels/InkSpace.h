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

struct RasterInkSpace {
  int32_t firstRow, endRow;
  alignas(64) uint8_t touched[TILE];
  alignas(64) uint8_t groups[TILE];
  /// How long the nib has rested on each pixel, in 1/RasterDwellUnit.
  alignas(64) uint16_t dwell[FIELD_SIZE];
  /// The maximum depth of the pixel inside the sweep, in 1/RasterDepthUnit pixels.
  alignas(64) int16_t depth[FIELD_SIZE];
  /// The maximum wetness, or the print of a blade.
  alignas(64) uint8_t wet[FIELD_SIZE];
  /// Depth (16 bits), fibre (8) and opacity (8) in one number, of which the maximum counts.
  alignas(64) int32_t key[FIELD_SIZE];
  alignas(64) uint16_t partial[RasterGroupsPerTile + 16];
  alignas(64) uint8_t coverage[RasterGroupsPerTile * RasterGroupWidth];
};
