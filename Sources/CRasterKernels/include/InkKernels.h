// The leaf loops of textured inks: strokes leave fields on a tile, and fields become coverages.
#pragma once

#include "CRasterKernels.h"

enum {
  // Grain is a square of so many pixels that repeats in all directions.
  RasterGrainSide = 256,
  // Its rows are so much longer than the square, so that a group of pixels is read in one go.
  RasterGrainPitch = RasterGrainSide + RasterGroupWidth,
  // How much ink was laid down is told in such parts.
  RasterDwellUnit = 16384,
  // Distances are told in such parts of a pixel.
  RasterDepthUnit = 64,
};

/// What the strokes of one mark have left on a tile so far.
typedef struct RasterInkSpace RasterInkSpace;

/// A path that a textured ink is drawn along, in columns.
typedef struct {
  const int32_t *_Nonnull x;
  const int32_t *_Nonnull y;
  /// Half the nib's width in pixels, and for a blade half its thickness; up to 131,072.
  const float *_Nonnull radius;
  const float *_Nonnull thickness;
  /// The direction of a blade.
  const float *_Nonnull cosine;
  const float *_Nonnull sine;
  /// How much ink is laid down.
  const float *_Nonnull flow;
  /// The way from the stroke's beginning, in pixels; up to 1,048,576, so that cells can be counted.
  const float *_Nonnull arc;
  /// How much more ink the left side gets than the right one.
  const float *_Nonnull lean;
  int32_t count;
} RasterInkPath;

/// How a nib leaves ink behind.
typedef struct {
  uint32_t seed;
  /// How far the nib wanders to the sides, in parts of its radius, and within how many pixels.
  float wander, wanderCell;
  /// How much lengthwise lanes differ, how wide they are and how long, in pixels.
  float lanes, laneWidth, laneLength;
  /// How far a blade's sides fade outwards and inwards, in pixels.
  float featherOut, featherIn;
  /// Whether a blade leaves its print where the path begins.
  uint8_t hasPrint;
  /// Whether a disc lays down more in its middle.
  uint8_t isRounded;
  /// Whether it lays down the same from edge to edge, a quarter for each pass.
  uint8_t countsPasses;
  /// Whether the depth below the edge and the wetness are wanted too.
  uint8_t hasDepth;
} RasterDeposit;

/// Grain, and where a tile's first pixel lies in it.
typedef struct {
  const uint8_t *_Nonnull texels;
  /// From pixels to texels: in 1/65,536, which are only looked at where it is not upright.
  int32_t x, y, xx, xy, yx, yy;
  uint8_t isUpright;
} RasterGrain;

/// What turns the fields of pencil and crayon into coverage.
typedef struct {
  RasterGrain grain;
  /// How deep the grain is, how steep its edges are, and how much it covers at most.
  float depth, gain, cap;
  /// How much of the grain is seen at this scale; the rest is its mean.
  float detail;
  /// The most ink that counts.
  float ceiling;
} RasterTooth;

/// What turns a marker's field into coverage.
typedef struct {
  /// The most ink that counts, and what the blade leaves where it touches down.
  float ceiling, print;
} RasterMarker;

/// What turns passes of a flat ink into its opacity.
typedef struct {
  /// What one pass leaves of what lies below.
  float rest;
  /// The most passes that count.
  float ceiling;
} RasterPasses;

/// What turns a reed's field into coverage.
typedef struct {
  /// In pixels: where the edge is, how deep the dry fibres begin, how rough they make the edge.
  float edge, depth, rough, dry;
  /// How much of the fibres is seen at this scale.
  float detail;
} RasterReed;

/// What turns watercolor's fields into coverage.
typedef struct {
  RasterGrain wobbleA, wobbleB, cloudA, cloudB, pigment;
  /// In pixels: how far the edge wobbles, and where it lies.
  float swayA, swayB, edgeOut, edgeIn;
  /// In pixels: how far the rim and the pool reach inwards.
  float rim, pool;
  float detail, strength;
} RasterWash;

/// A turned lattice for noise: the square's sides are (along, -across) and (across, along) in cells,
/// so that it repeats without a seam.
typedef struct {
  int32_t along, across;
  uint32_t seed;
  /// How much this lattice counts.
  float share;
} RasterLattice;

/// What a stroke is blended with into deep pixels; see `RasterPaint`.
typedef struct {
  uint16_t red, green, blue, alpha, mixing;
  uint8_t mix;
} RasterDeepPaint;

/// The loops for one set of instructions.
typedef struct {
  /// Blends into a tile of premultiplied pixels of 16 bits, whose rows follow each other.
  void (*_Nonnull blendDeep)(uint16_t *_Nonnull pixels, RasterCoverage coverage,
                             RasterDeepPaint paint);
  /// Lays a tile of such pixels over another, as `layTile` does.
  void (*_Nonnull layTileDeep)(uint16_t *_Nonnull below, uint16_t *_Nonnull tile,
                               const uint8_t *_Nonnull groups);
  /// Fills a square of grain from two lattices.
  void (*_Nonnull fillGrain)(uint8_t *_Nonnull texels, RasterLattice fine, RasterLattice coarse,
                             float contrast);
  /// Adds what a disc leaves behind between two points of a path.
  void (*_Nonnull depositDisc)(RasterInkSpace *_Nonnull, RasterInkPath path, int32_t first,
                               int32_t end, int32_t left, int32_t top,
                               const RasterDeposit *_Nonnull deposit);
  /// Adds what a blade leaves behind.
  void (*_Nonnull depositBlade)(RasterInkSpace *_Nonnull, RasterInkPath path, int32_t first,
                                int32_t end, int32_t left, int32_t top,
                                const RasterDeposit *_Nonnull deposit);
  /// Notes for each pixel how deep it lies inside the sweep of a blade, and the fibre above it.
  void (*_Nonnull sinkBlade)(RasterInkSpace *_Nonnull, RasterInkPath path, int32_t first,
                             int32_t end, int32_t left, int32_t top,
                             const RasterDeposit *_Nonnull deposit);
  /// Turn fields into coverages and forget them. What they give is valid until the next call.
  RasterCoverage (*_Nonnull tooth)(RasterInkSpace *_Nonnull, const RasterTooth *_Nonnull);
  RasterCoverage (*_Nonnull marker)(RasterInkSpace *_Nonnull, const RasterMarker *_Nonnull);
  RasterCoverage (*_Nonnull passes)(RasterInkSpace *_Nonnull, const RasterPasses *_Nonnull);
  RasterCoverage (*_Nonnull reed)(RasterInkSpace *_Nonnull, const RasterReed *_Nonnull);
  RasterCoverage (*_Nonnull wash)(RasterInkSpace *_Nonnull, const RasterWash *_Nonnull);
} RasterInkKernels;

/// The loops for a level up to the best one.
const RasterInkKernels *_Nonnull rasterInkKernels(int32_t level);

/// A space for the fields of one tile; null where memory ends.
RasterInkSpace *_Nullable rasterInkSpaceCreate(void);
void rasterInkSpaceFree(RasterInkSpace *_Nonnull);
/// The groups that strokes have touched since these were last set to 0; see `rasterSpaceGroups`.
uint8_t *_Nonnull rasterInkSpaceGroups(RasterInkSpace *_Nonnull);
/// Whether all fields are blank.
int32_t rasterInkSpaceIsClear(const RasterInkSpace *_Nonnull);
