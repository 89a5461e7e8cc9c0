// The inner loops of the rasterizer. Each exists once in C, compiled for several instruction sets,
// and once in plain Swift in the tests, with the same results bit for bit: no loop fuses a
// multiplication with an addition, and none depends on the number of lanes.
#pragma once

#include <stdint.h>

enum {
  // The width and height of a tile in pixels.
  RasterTileSide = 128,
  // Pixels are resolved and blended in groups of this many neighbours in a row.
  RasterGroupWidth = 16,
  RasterGroupsPerRow = RasterTileSide / RasterGroupWidth,
  RasterGroupsPerTile = RasterTileSide * RasterGroupsPerRow,
  // Positions are integers in 1/1024 pixels.
  RasterPositionBits = 10,
};

/// The samples of one tile that a stroke covers, and scratch memory for the loops.
typedef struct RasterSpace RasterSpace;

/// A path of a round nib: an array for each property of its points.
typedef struct {
  const int32_t *_Nonnull x;
  const int32_t *_Nonnull y;
  /// In pixels.
  const float *_Nonnull radius;
  int32_t count;
} RasterRoundPath;

/// A path of an elliptic nib. The nib is the image of the unit disc under a matrix M; `xx`, `xy`
/// and `yy` are the entries of M·Mᵀ, in square pixels.
typedef struct {
  const int32_t *_Nonnull x;
  const int32_t *_Nonnull y;
  const float *_Nonnull xx;
  const float *_Nonnull xy;
  const float *_Nonnull yy;
  int32_t count;
} RasterEllipticPath;

/// The division of spans of a spline into straight pieces, in pixels.
typedef struct {
  /// From the path's points to pixels.
  double a, b, c, d, tx, ty;
  /// One over the square of eight tolerances, in points of the path.
  double squaredBends;
  /// Longer spans are unusual.
  double longest;
} RasterDivision;

enum {
  // The maximum number of spans that are divided in one call.
  RasterSpanCount = 64,
};

/// Divided spans.
typedef struct {
  /// The positions at which they end, in pixels.
  double x[RasterSpanCount];
  double y[RasterSpanCount];
  /// The number of pieces of each, 1 to 3; 0 for unusual spans.
  uint8_t pieces[RasterSpanCount];
} RasterSpanEnds;

/// The extent of a chain of nibs.
typedef struct {
  /// The box of its points, in 1/1024 pixels.
  int32_t left, top, right, bottom;
  /// The visits of pixels that it takes to draw it.
  double visits;
} RasterExtent;

/// The coverage of a tile, as lists of groups. A group's number is its row times 8 plus its column.
typedef struct {
  /// Groups that may be partly covered.
  const uint16_t *_Nonnull partial;
  /// 16 coverages from 0 to 255 for each of those.
  uint8_t *_Nonnull coverage;
  int32_t partialCount;
  /// Groups that are completely covered.
  const uint16_t *_Nonnull whole;
  int32_t wholeCount;
} RasterCoverage;

/// How ink is mixed with the ink below it.
typedef enum {
  /// The ink is painted on top.
  RasterMixOver = 0,
  /// The lesser value of each channel.
  RasterMixDarken = 1,
  /// The greater value of each channel.
  RasterMixLighten = 2,
  /// The product of each channel.
  RasterMixMultiply = 3,
  /// The complement of the product of each channel's complements.
  RasterMixScreen = 4,
} RasterMix;

/// The colour and the mix of a stroke.
typedef struct {
  uint8_t red, green, blue;
  /// The opacity, by which coverages are multiplied.
  uint8_t alpha;
  /// The share of the ink that is mixed, up to 255; the rest is painted on top.
  uint8_t mixing;
  /// A `RasterMix`.
  uint8_t mix;
} RasterPaint;

/// The loops for one instruction set and one number of samples.
typedef struct {
  /// Adds the samples that a nib covers on its way from point `first` to point `end`, in the tile
  /// whose corner is the pixel at `left` and `top`.
  void (*_Nonnull sweepRound)(RasterSpace *_Nonnull, RasterRoundPath path, int32_t first,
                              int32_t end, int32_t left, int32_t top);
  void (*_Nonnull sweepElliptic)(RasterSpace *_Nonnull, RasterEllipticPath path, int32_t first,
                                 int32_t end, int32_t left, int32_t top);
  /// Turns samples into coverages and clears them. The result is valid until the next call.
  RasterCoverage (*_Nonnull resolve)(RasterSpace *_Nonnull);
  /// Blends into premultiplied pixels; `pitch` is the distance between rows in bytes.
  void (*_Nonnull blend)(uint8_t *_Nonnull pixels, int32_t pitch, RasterCoverage coverage,
                         RasterPaint paint);
  /// Composites a tile of premultiplied pixels over others in the given groups: a byte for each
  /// row, with a bit for each group. Those groups of the tile are blank afterwards.
  void (*_Nonnull compositeTile)(uint8_t *_Nonnull below, int32_t pitch, uint8_t *_Nonnull tile,
                           const uint8_t *_Nonnull groups);
  /// Averages squares of `1 << shift` by `1 << shift` pixels of a tile, at least of 2 by 2, where
  /// some of them were drawn in. Adds their groups to those of the picture's tile; `firstGroup` is
  /// the number of groups of the tiles on the left.
  void (*_Nonnull average)(const uint8_t *_Nonnull tile, const uint8_t *_Nonnull drawn,
                           int32_t shift, uint8_t *_Nonnull pixels, int32_t pitch,
                           uint8_t *_Nonnull groups, int32_t firstGroup);
  /// Divides `count` spans between neighbouring control points, at most `RasterSpanCount`. The
  /// first control point is the one before the first span, and one follows after the last span.
  void (*_Nonnull divideSpans)(const float *_Nonnull x, const float *_Nonnull y, int32_t count,
                               RasterDivision division, RasterSpanEnds *_Nonnull ends);
  /// Measures a chain in a picture of a size in pixels. Reads up to 8 points beyond it.
  RasterExtent (*_Nonnull measureRound)(RasterRoundPath path, double width, double height);
} RasterKernels;

/// The highest level that this processor supports: 0 for any processor, 1 for AVX2, 2 for AVX-512.
int32_t rasterBestLevel(void);

/// The loops for a level, or for the best one that the processor supports if that is lower.
/// `samples` is 8 or 16: pixels have `samples` × `samples` samples.
const RasterKernels *_Nonnull rasterKernels(int32_t level, int32_t samples);

/// Memory for the samples of a tile, 8 × 8 or 16 × 16 in each pixel; null if there is no memory.
RasterSpace *_Nullable rasterSpaceCreate(int32_t samples);
void rasterSpaceFree(RasterSpace *_Nonnull);
/// The groups that calls of `resolve` have returned since the caller last set these to 0: a byte
/// for each row of the tile, with a bit for each group.
uint8_t *_Nonnull rasterSpaceGroups(RasterSpace *_Nonnull);
/// Whether no sample is set, as must be the case after `resolve`.
int32_t rasterSpaceIsClear(const RasterSpace *_Nonnull);

#include "InkKernels.h"
