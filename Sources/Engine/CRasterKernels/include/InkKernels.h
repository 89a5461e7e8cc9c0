// The inner loops of textured inks: strokes leave fields on a tile, and fields become coverage.
#pragma once

#include "CRasterKernels.h"

enum {
  // The octaves of noise that a grain may have.
  RasterGrainOctaves = 3,
  // A dwell of one pass in the field of dwells.
  RasterDwellUnit = 16384,
  // One pixel in the field of depths.
  RasterDepthUnit = 64,
  // The scales of fibres that a reed may have.
  RasterFibreScales = 3,
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
  /// The additional ink on one side of the path relative to the other.
  const float *_Nonnull lean;
  int32_t count;
} RasterInkPath;

/// How a nib leaves ink behind.
typedef struct {
  uint32_t seed;
  /// The sideways wandering of the nib: a multiple of its radius, the maximum in pixels, and the
  /// cell of that noise in pixels.
  float wander, wanderLimit, wanderCell;
  /// The contrast of lengthwise lanes, from 0 to 1, and their width and length in pixels. Nibs
  /// below `laneRadius` pixels have weaker lanes; 0 is no limit.
  float lanes, laneWidth, laneLength, laneRadius;
  /// The fading of a blade's sides outwards and inwards, in pixels.
  float featherOut, featherIn;
  /// The length of a blade's leading strip, the only part that deposits ink, in pixels.
  float strip;
  /// The radius of the ink of a disc that does not move, as a multiple of its own.
  float rest;
  /// Whether a blade leaves its print where the path begins.
  uint8_t hasPrint;
  /// Whether a disc lays down more in its middle.
  uint8_t isRounded;
  /// Whether it lays down the same amount from edge to edge, a quarter for each pass.
  uint8_t countsPasses;
  /// Whether the depth below the edge and the wetness are recorded too.
  uint8_t hasDepth;
} RasterDeposit;

/// One lattice of noise. The pixel (x, y) of the picture lies in its cell
/// ((ux·x + uy·y + u) / 65,536, (vx·x + vy·y + v) / 65,536); the sums wrap around.
typedef struct {
  uint32_t ux, uy, u, vx, vy, v;
  /// The lattice's hash, of 16 bits.
  uint32_t seed;
  /// The weight in the sum of all octaves, in 1/32,767; 0 for an octave that is left out.
  int32_t weight;
} RasterOctave;

/// Grain: a sum of octaves. It is computed once for a tile, however many strokes have it.
typedef struct {
  RasterOctave octaves[RasterGrainOctaves];
} RasterGrain;

/// The tone of pencil and crayon; `ToothStyle` gives the formula.
typedef struct {
  RasterGrain grain;
  /// The difference between the extremes of the grain.
  float range;
  /// Half the width over which the tone is averaged, for detail that is smaller than a pixel.
  float spread;
  /// The depth of the grain, the contrast of the tone, and the maximum coverage.
  float depth, gain, cap;
  /// The maximum dwell that counts.
  float ceiling;
} RasterTooth;

/// The tone of a marker.
typedef struct {
  /// The maximum dwell that counts.
  float ceiling;
} RasterMarker;

/// The tone of a flat ink whose passes count.
typedef struct {
  /// The share of the pixel below that one pass leaves visible.
  float rest;
  /// The maximum number of passes that count.
  float ceiling;
} RasterPasses;

/// The ink of a reed at a point of its nib; see `ReedStyle`.
typedef struct {
  /// The fibres' width across the nib and length along the way, in pixels, and the weight of each
  /// scale; 0 for a scale that is left out.
  float width[RasterFibreScales], length[RasterFibreScales], weight[RasterFibreScales];
  /// The width of the ramp between ink and no ink, in units of the fibres' noise; and 12 times the
  /// variance of one scale, which gives the width of an even distribution.
  float ramp, variance;
  /// The additional dryness of the nib's ends, and the share of the ink that does not depend on
  /// fibres.
  float endDryness, body;
  /// The depth of the edges' tears, and the length of a tear, in pixels.
  float tear, tearLength;
} RasterFibres;

/// The tone of watercolor; see `WashStyle`.
typedef struct {
  RasterGrain wobble, cloud, pigment;
  /// The wobble of the edge from one extreme to the other, in pixels.
  float sway;
  /// The factors of clouds and pigment in the tone of the body.
  float clouds, specks;
  /// The fading of the edge outwards and inwards, in pixels.
  float edgeOut, edgeIn;
  /// The inward extent of the rim and of the pool, in pixels.
  float rim, pool;
  /// A factor on all coverage.
  float strength;
} RasterWash;

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
  /// `average` for such pixels.
  void (*_Nonnull averageDeep)(const uint16_t *_Nonnull tile, const uint8_t *_Nonnull drawn,
                               int32_t shift, uint16_t *_Nonnull pixels, int32_t pitch,
                               uint8_t *_Nonnull groups, int32_t firstGroup);
  /// Adds the ink that a disc lays down between two points of a path.
  void (*_Nonnull depositDisc)(RasterInkSpace *_Nonnull, RasterInkPath path, int32_t first,
                               int32_t end, int32_t left, int32_t top,
                               const RasterDeposit *_Nonnull deposit);
  /// Adds the ink that a blade lays down.
  void (*_Nonnull depositBlade)(RasterInkSpace *_Nonnull, RasterInkPath path, int32_t first,
                                int32_t end, int32_t left, int32_t top,
                                const RasterDeposit *_Nonnull deposit);
  /// Adds the ink that the fibres of a reed's blade lay down.
  void (*_Nonnull depositFibres)(RasterInkSpace *_Nonnull, RasterInkPath path, int32_t first,
                                 int32_t end, int32_t left, int32_t top,
                                 const RasterDeposit *_Nonnull deposit,
                                 const RasterFibres *_Nonnull fibres);
  /// Turn fields into coverages and clear them. The result is valid until the next call.
  RasterCoverage (*_Nonnull tooth)(RasterInkSpace *_Nonnull, const RasterTooth *_Nonnull);
  RasterCoverage (*_Nonnull marker)(RasterInkSpace *_Nonnull, const RasterMarker *_Nonnull);
  RasterCoverage (*_Nonnull passes)(RasterInkSpace *_Nonnull, const RasterPasses *_Nonnull);
  RasterCoverage (*_Nonnull reed)(RasterInkSpace *_Nonnull);
  RasterCoverage (*_Nonnull wash)(RasterInkSpace *_Nonnull, const RasterWash *_Nonnull);
} RasterInkKernels;

/// The loops for a level, or for the best one that the processor supports if that is lower.
const RasterInkKernels *_Nonnull rasterInkKernels(int32_t level);

/// Memory for the fields of one tile; null if there is no memory.
RasterInkSpace *_Nullable rasterInkSpaceCreate(void);
/// Sets the pixel of the picture at which the tile begins, on which grain depends, and how many of
/// its pixels in a row and in a column are used, up to `RasterTileSide`.
void rasterInkSpaceMove(RasterInkSpace *_Nonnull, int32_t left, int32_t top, int32_t side);
void rasterInkSpaceFree(RasterInkSpace *_Nonnull);
/// The groups that strokes have touched since the caller last set these to 0; see
/// `rasterSpaceGroups`.
uint8_t *_Nonnull rasterInkSpaceGroups(RasterInkSpace *_Nonnull);
/// Whether all fields are clear.
int32_t rasterInkSpaceIsClear(const RasterInkSpace *_Nonnull);
