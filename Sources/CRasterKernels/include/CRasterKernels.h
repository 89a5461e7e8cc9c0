// The leaf loops of the rasterizer. Each exists once in C, compiled for several sets of
// instructions, and once in plain Swift, with equal results bit for bit: no loop fuses a
// multiplication with an addition, and none depends on how many lanes it has.
#pragma once

#include <stdint.h>

enum {
  // A tile is so many pixels wide and high.
  RasterTileSide = 128,
  // Pixels are resolved and blended in groups of so many neighbours.
  RasterGroupWidth = 16,
  RasterGroupsPerRow = RasterTileSide / RasterGroupWidth,
  RasterGroupsPerTile = RasterTileSide * RasterGroupsPerRow,
  // Positions are whole numbers of 1/1024 of a pixel.
  RasterPositionBits = 10,
};

/// The samples of one tile that a stroke covers, and scratch memory for the loops.
typedef struct RasterSpace RasterSpace;

/// A path that a round nib is swept along, in columns.
typedef struct {
  const int32_t *_Nonnull x;
  const int32_t *_Nonnull y;
  /// In pixels.
  const float *_Nonnull radius;
  int32_t count;
} RasterRoundPath;

/// A path that an elliptic nib is swept along. The nib is the image of the unit disc under a
/// matrix M; its columns are those of M·Mᵀ, in square pixels.
typedef struct {
  const int32_t *_Nonnull x;
  const int32_t *_Nonnull y;
  const float *_Nonnull xx;
  const float *_Nonnull xy;
  const float *_Nonnull yy;
  int32_t count;
} RasterEllipticPath;

/// What a tile's samples come to. A group's number is its row times 8 plus its column.
typedef struct {
  /// Groups of which some pixels are covered, not wholly perhaps.
  const uint16_t *_Nonnull partial;
  /// For each of those 16 coverages from 0 to 255.
  uint8_t *_Nonnull coverage;
  int32_t partialCount;
  /// Groups that are wholly covered.
  const uint16_t *_Nonnull whole;
  int32_t wholeCount;
} RasterCoverage;

/// How ink meets the ink below it.
typedef enum {
  /// It lies on top.
  RasterMixOver = 0,
  /// Each channel takes the lesser one.
  RasterMixDarken = 1,
  /// Each channel takes the greater one.
  RasterMixLighten = 2,
  /// Channels are multiplied.
  RasterMixMultiply = 3,
  /// Channels' complements are multiplied.
  RasterMixScreen = 4,
} RasterMix;

/// What a stroke is blended with.
typedef struct {
  uint8_t red, green, blue;
  /// What coverages are multiplied with.
  uint8_t alpha;
  /// How much of the mix there is, the rest is as on top: 255 for all of it.
  uint8_t mixing;
  uint8_t mix;
} RasterPaint;

/// The loops for one set of instructions and one number of samples.
typedef struct {
  /// Adds what a nib covers on its way from point `first` to point `end`, in a tile with its left
  /// and upper edge at some pixel.
  void (*_Nonnull sweepRound)(RasterSpace *_Nonnull, RasterRoundPath path, int32_t first,
                              int32_t end, int32_t left, int32_t top);
  void (*_Nonnull sweepElliptic)(RasterSpace *_Nonnull, RasterEllipticPath path, int32_t first,
                                 int32_t end, int32_t left, int32_t top);
  /// Turns samples into coverages and forgets them. What it gives is valid until the next call.
  RasterCoverage (*_Nonnull resolve)(RasterSpace *_Nonnull);
  /// Blends into premultiplied pixels; `pitch` is the way from row to row in bytes.
  void (*_Nonnull blend)(uint8_t *_Nonnull pixels, int32_t pitch, RasterCoverage coverage,
                         RasterPaint paint);
  /// Lays a tile of premultiplied pixels over others, in the groups that are marked: a byte a row,
  /// a bit a group. Those groups of the tile are blank afterwards.
  void (*_Nonnull layTile)(uint8_t *_Nonnull below, int32_t pitch, uint8_t *_Nonnull tile,
                           const uint8_t *_Nonnull groups);
} RasterKernels;

/// The sets of instructions that this processor has: 0 is what every one has.
int32_t rasterBestLevel(void);

/// The loops for a level up to the best one; 8 or 16 samples a pixel and side.
const RasterKernels *_Nonnull rasterKernels(int32_t level, int32_t samples);

/// A space for 8 or 16 samples a pixel and side; null where memory ends.
RasterSpace *_Nullable rasterSpaceCreate(int32_t samples);
void rasterSpaceFree(RasterSpace *_Nonnull);
/// For each row of the tile the groups that any call of `resolve` has named, a bit for each, since
/// these were last set to 0.
uint8_t *_Nonnull rasterSpaceGroups(RasterSpace *_Nonnull);
/// Whether no sample is set, as it must be after `resolve`.
int32_t rasterSpaceIsClear(const RasterSpace *_Nonnull);

#include "InkKernels.h"
