// The fields that textured inks leave on a tile.
#pragma once

#include "Space.h"

enum {
  // Rows of fields are longer than the tile's, since vectors reach beyond its edge.
  FIELD_PITCH = TILE + 32,
  // A row more, for the second one of a pair.
  FIELD_SIZE = (TILE + 1) * FIELD_PITCH,
  // A depth below all others.
  NO_DEPTH = -32768,
};

struct RasterInkSpace {
  int32_t firstRow, endRow;
  alignas(64) uint8_t touched[TILE];
  alignas(64) uint8_t groups[TILE];
  /// How long the nib has rested on each pixel.
  alignas(64) uint16_t dwell[FIELD_SIZE];
  /// How deep it lies inside the sweep, and how much pigment there is at most.
  alignas(64) int16_t depth[FIELD_SIZE];
  alignas(64) uint8_t wet[FIELD_SIZE];
  /// A depth, a fibre and an opacity in one number, of which the greatest counts.
  alignas(64) int32_t key[FIELD_SIZE];
  alignas(64) uint16_t partial[RasterGroupsPerTile + 16];
  alignas(64) uint8_t coverage[RasterGroupsPerTile * RasterGroupWidth];
};
