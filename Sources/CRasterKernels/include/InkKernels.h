// The inner loops of textured inks: strokes leave fields on a tile, and fields become coverage.
#pragma once

#include "CRasterKernels.h"

enum {
  // The side of a square of grain in pixels; it repeats in all directions.
  RasterGrainSide = 256,
  // The length of its rows, which repeat their beginning, so that a group of pixels is read at
  // once.
  RasterGrainPitch = RasterGrainSide + RasterGroupWidth,
  // A dwell of one pass in the field of dwells.
  RasterDwellUnit = 16384,
  // One pixel in the field of depths.
  RasterDepthUnit = 64,
};

/// The fields that the strokes of one mark have left on a tile so far.
typedef struct RasterInkSpace RasterInkSpace;

/// A path of a textured ink: an array for each property of its points.
typedef struct {
  const int32_t *_Nonnull x;
  const int32_t *_Nonnull y;
  /// Half the nib's width in pixels, and for a blade half its thickness; up to 131,072.
  const float *_Nonnull radius;
  const float *_Nonnull thickness;
  /// The direction of a blade.
  const float *_Nonnull cosine;
  const float *_Nonnull sine;
  /// The amount of ink that is laid down, in passes.
  const float *_Nonnull flow;
  /// The way from the stroke's beginning, in pixels, up to 1,048,576, so that cells can be counted.
  const float *_Nonnull arc;
  /// How much more ink one side of the way gets than the other.
  const float *_Nonnull lean;
  int32_t count;
} RasterInkPath;

/// How a nib leaves ink behind.
typedef struct {
  uint32_t seed;
  /// How far the nib wanders sideways, as a multiple of its radius, and the cell of that noise, in
  /// pixels.
  float wander, wanderCell;
  /// How much lengthwise lanes differ, from 0 to 1, and their width and length in pixels.
  float lanes, laneWidth, laneLength;
  /// How far a blade's sides fade outwards and inwards, in pixels.
  float featherOut, featherIn;
  /// Whether a blade leaves its print where the path begins.
  uint8_t hasPrint;
  /// Whether a disc lays down more in its middle.
  uint8_t isRounded;
  /// Whether it lays down the same amount from edge to edge, a quarter for each pass.
  uint8_t countsPasses;
  /// Whether the depth below the edge and the wetness are recorded too.
  uint8_t hasDepth;
} RasterDeposit;

/// Grain, and the position of a tile's first pixel in it.
typedef struct {
  const uint8_t *_Nonnull texels;
  /// From pixels to texels: the origin x, y and the matrix. Upright grain has x and y in whole
  /// texels and no matrix; other grain has all in 1/65,536 texels.
  int32_t x, y, xx, xy, yx, yy;
  uint8_t isUpright;
} RasterGrain;

/// The tone of pencil and crayon; `ToothStyle` gives the formula.
typedef struct {
  RasterGrain grain;
  /// The depth of the grain, the contrast of the tone, and the maximum coverage.
  float depth, gain, cap;
  /// How clearly the grain shows at this scale, from 0 to 1; the rest is its mean.
  float detail;
  /// The maximum dwell that counts.
  float ceiling;
} RasterTooth;

/// The tone of a marker.
typedef struct {
  /// The maximum dwell that counts, and the dwell of the print where the blade touches down.
  float ceiling, print;
} RasterMarker;

/// The tone of a flat ink whose passes count.
typedef struct {
  /// The share of the pixel below that one pass leaves visible.
  float rest;
  /// The maximum number of passes that count.
  float ceiling;
} RasterPasses;

/// The tone of a reed; see `ReedStyle`.
typedef struct {
  /// The edge's distance from the blade and the depth of the torn rim, in pixels.
  float edge, depth;
  /// The roughness of the edge, and how far dryness parts the fibres.
  float rough, dry;
  /// How clearly the fibres show at this scale, from 0 to 1.
  float detail;
} RasterReed;

/// The tone of watercolor; see `WashStyle`.
typedef struct {
  RasterGrain wobbleA, wobbleB, cloudA, cloudB, pigment;
  /// How far the edge wobbles, and how far it fades outwards and inwards, in pixels.
  float swayA, swayB, edgeOut, edgeIn;
  /// How far the rim and the pool reach inwards, in pixels.
  float rim, pool;
  /// How clearly specks of pigment show, from 0 to 1, and a factor on all coverage.
  float detail, strength;
} RasterWash;

/// A turned lattice for noise. The sides of the square of grain are (along, -across) and
/// (across, along) in cells of the lattice, so that it repeats without a seam.
typedef struct {
  int32_t along, across;
  uint32_t seed;
  /// The weight of this lattice in the sum.
  float share;
} RasterLattice;

/// The colour and the mix of a stroke for pixels of 16 bits; see `RasterPaint`.
typedef struct {
  uint16_t red, green, blue, alpha, mixing;
  uint8_t mix;
} RasterDeepPaint;

/// The loops for one instruction set.
typedef struct {
  /// Blends into a tile of premultiplied pixels of 16 bits, whose rows have no gaps between them.
  void (*_Nonnull blendDeep)(uint16_t *_Nonnull pixels, RasterCoverage coverage,
                             RasterDeepPaint paint);
  /// `compositeTile` for two tiles of such pixels.
  void (*_Nonnull compositeTileDeep)(uint16_t *_Nonnull below, uint16_t *_Nonnull tile,
                               const uint8_t *_Nonnull groups);
  /// Fills a square of grain from two lattices.
  void (*_Nonnull fillGrain)(uint8_t *_Nonnull texels, RasterLattice fine, RasterLattice coarse,
                             float contrast);
  /// Adds the ink that a disc lays down between two points of a path.
  void (*_Nonnull depositDisc)(RasterInkSpace *_Nonnull, RasterInkPath path, int32_t first,
                               int32_t end, int32_t left, int32_t top,
                               const RasterDeposit *_Nonnull deposit);
  /// Adds the ink that a blade lays down.
  void (*_Nonnull depositBlade)(RasterInkSpace *_Nonnull, RasterInkPath path, int32_t first,
                                int32_t end, int32_t left, int32_t top,
                                const RasterDeposit *_Nonnull deposit);
  /// Records for each pixel how deep it lies inside the sweep of a blade, and the fibre there.
  void (*_Nonnull depositBladeDepth)(RasterInkSpace *_Nonnull, RasterInkPath path, int32_t first,
                             int32_t end, int32_t left, int32_t top,
                             const RasterDeposit *_Nonnull deposit);
  /// Turn fields into coverages and clear them. The result is valid until the next call.
  RasterCoverage (*_Nonnull tooth)(RasterInkSpace *_Nonnull, const RasterTooth *_Nonnull);
  RasterCoverage (*_Nonnull marker)(RasterInkSpace *_Nonnull, const RasterMarker *_Nonnull);
  RasterCoverage (*_Nonnull passes)(RasterInkSpace *_Nonnull, const RasterPasses *_Nonnull);
  RasterCoverage (*_Nonnull reed)(RasterInkSpace *_Nonnull, const RasterReed *_Nonnull);
  RasterCoverage (*_Nonnull wash)(RasterInkSpace *_Nonnull, const RasterWash *_Nonnull);
} RasterInkKernels;

/// The loops for a level, or for the best one that the processor supports if that is lower.
const RasterInkKernels *_Nonnull rasterInkKernels(int32_t level);

/// Memory for the fields of one tile; null if there is no memory.
RasterInkSpace *_Nullable rasterInkSpaceCreate(void);
void rasterInkSpaceFree(RasterInkSpace *_Nonnull);
/// The groups that strokes have touched since the caller last set these to 0; see
/// `rasterSpaceGroups`.
uint8_t *_Nonnull rasterInkSpaceGroups(RasterInkSpace *_Nonnull);
/// Whether all fields are clear.
int32_t rasterInkSpaceIsClear(const RasterInkSpace *_Nonnull);
