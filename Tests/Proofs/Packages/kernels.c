// Feeds the kernels in C with the same random input on every machine, and prints a hash of what each one gives:
// kernels LEVEL, where 0 are the loops for any processor. Inputs are whole numbers and sums of powers of two, so that
// they are the same wherever this is compiled.
#include "CChecksums.h"
#include "CMath.h"
#include "CMemory.h"
#include "CPNGKernels.h"
#include "CRasterKernels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

static uint64_t state = 0x9E3779B97F4A7C15;

static uint64_t bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static uint32_t below(uint32_t limit) { return (uint32_t)((bits() >> 32) % limit); }
static int32_t between(int32_t first, int32_t last) {
  return first + (int32_t)below((uint32_t)(last - first + 1));
}
/// From 0 to `limit`, in 65,536 steps.
static float fraction(float limit) { return (float)below(65537) * limit / 65536; }
#define oneOf(...) (((const float[]){__VA_ARGS__})[below(sizeof((const float[]){__VA_ARGS__}) / sizeof(float))])

static uint64_t hash;
static uint64_t doneCount;

static void begin(void) {
  hash = 0xCBF29CE484222325;
  doneCount = 0;
}
static void add(const void *bytes, size_t count) {
  for (size_t index = 0; index < count; index++)
    hash = (hash ^ ((const uint8_t *)bytes)[index]) * 0x100000001B3;
  doneCount += count;
}
static void end(const char *name) { printf("%-24s %016" PRIx64 " of %" PRIu64 " bytes\n", name, hash, doneCount); }

// Mathematics.

static double number(int isSmall) {
  const uint64_t pattern = bits();
  if (isSmall) return (double)((int64_t)pattern >> 11) * 0x1p-48;
  double result;
  memcpy(&result, &pattern, sizeof result);
  return result;
}

static void mathematics(void) {
  static const char *names[] = {"arc tangent", "cube root", "cosine", "power", "remainder", "sine"};
  for (int function = 0; function < 6; function++) {
    begin();
    for (int index = 0; index < 200000; index++) {
      const int isSmall = bits() & 1;
      const double x = number(isSmall), y = number(isSmall);
      double value = 0;
      switch (function) {
      case 0: value = mathArcTangent(y, x); break;
      case 1: value = mathCubeRoot(x); break;
      case 2: value = mathCosine(x); break;
      case 3: value = mathPower(x < 0 ? -x : x, y); break;
      case 4: value = mathRemainder(x, y); break;
      default: value = mathSine(x);
      }
      // The bits of what is no number are not defined.
      if (value != value) value = 0;
      add(&value, sizeof value);
    }
    end(names[function]);
  }
}

// Checksums.

static void fill(uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < count; index++) bytes[index] = (uint8_t)(bits() >> 56);
}

static void checksums(void) {
  enum { SIZE = 64 * 500 };
  static uint8_t bytes[SIZE];
  fill(bytes, SIZE);
  begin();
  uint32_t digest[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (size_t count = 1; count < 500; count += 37) {
    sha256_add(0, digest, bytes, count);
    add(digest, sizeof digest);
  }
  end("SHA-256");
}

static void memory(void) {
  begin();
  for (size_t size = 1; size < 20u << 20; size = size * 3 + 1) {
    uint8_t *bytes = lazyMemoryCreate(size);
    if (!bytes || (uintptr_t)bytes % 64) abort();
    for (size_t at = 0; at < size; at += 4097) bytes[at] += 1;
    add(bytes, size < 100000 ? size : 100000);
    lazyMemoryFree(bytes, size);
  }
  end("memory");
}

// Rasterizing.

enum { SIDE = RasterTileSide, POINTS = 40, LIMIT = 262143 * 1024 };
static const int32_t origins[][2] = {{0, 0}, {128, 384}, {-128, 0}, {99968, 0}, {-262144, 4096}};

static int32_t limited(int64_t position) {
  return position > LIMIT ? LIMIT : position < -LIMIT ? -LIMIT : (int32_t)position;
}

/// Points near a tile, whose distances are up to `step` pixels.
static void walk(int32_t *x, int32_t *y, int32_t count, int32_t left, int32_t top, int32_t step) {
  int64_t px = ((int64_t)left + between(-10, 138)) * 1024 + below(1024);
  int64_t py = ((int64_t)top + between(-10, 138)) * 1024 + below(1024);
  for (int32_t index = 0; index < count; index++) {
    x[index] = limited(px);
    y[index] = limited(py);
    px += between(-step * 1024, step * 1024);
    py += below(4) ? between(-step * 1024, step * 1024) : 0;
  }
}

static void addCoverage(RasterCoverage coverage) {
  add(&coverage.partialCount, sizeof coverage.partialCount);
  add(coverage.partial, 2 * (size_t)coverage.partialCount);
  add(coverage.coverage, RasterGroupWidth * (size_t)coverage.partialCount);
  add(&coverage.wholeCount, sizeof coverage.wholeCount);
  add(coverage.whole, 2 * (size_t)coverage.wholeCount);
}

static void sweeps(int32_t level, int32_t samples, int isElliptic, const char *name) {
  const RasterKernels *kernels = rasterKernels(level, samples);
  RasterSpace *space = rasterSpaceCreate(samples);
  begin();
  for (int32_t round = 0; round < 3000; round++) {
    const int32_t *origin = origins[round % 5];
    const int32_t count = between(1, round % 9 ? 9 : POINTS), last = count > 1 ? count - 1 : 1;
    const float radius = oneOf(0.13f, 2.5f, 12, 70, 4000);
    int32_t x[POINTS], y[POINTS];
    float r[POINTS], xx[POINTS], xy[POINTS], yy[POINTS];
    walk(x, y, count, origin[0], origin[1], (int32_t)oneOf(0, 1, 8, 40, 4000));
    const int isEven = bits() & 1;
    for (int32_t index = 0; index < count; index++) {
      r[index] = isEven && index ? r[index - 1] : fraction(radius);
      const float tangent = fraction(2) - 1, squeeze = oneOf(0, 0.01f, 0.3f, 1);
      const float square = tangent * tangent, over = 1 + square;
      const float cosine = (1 - square) / over, sine = 2 * tangent / over;
      const float a = r[index] * r[index], b = a * squeeze * squeeze;
      const float ac = a * cosine, bs = b * sine, as = a * sine, bc = b * cosine;
      xx[index] = ac * cosine + bs * sine;
      xy[index] = (a - b) * cosine * sine;
      yy[index] = as * sine + bc * cosine;
    }
    if (isElliptic)
      kernels->sweepElliptic(space, (RasterEllipticPath){x, y, xx, xy, yy, count}, 0, last, origin[0], origin[1]);
    else
      kernels->sweepRound(space, (RasterRoundPath){x, y, r, count}, 0, last, origin[0], origin[1]);
    if (round % 3 == 0) continue;
    addCoverage(kernels->resolve(space));
  }
  add(rasterSpaceGroups(space), SIDE);
  end(name);
  rasterSpaceFree(space);
}

static void paths(int32_t level) {
  const RasterKernels *kernels = rasterKernels(level, 8);
  begin();
  for (int32_t round = 0; round < 3000; round++) {
    const int32_t count = between(1, RasterSpanCount);
    float px[RasterSpanCount + 3], py[RasterSpanCount + 3];
    const float step = oneOf(0, 0.3f, 4, 60, 40000);
    for (int32_t index = 0; index < count + 3; index++) {
      px[index] = (index ? px[index - 1] : 0) + (fraction(2) - 1) * step;
      py[index] = (index ? py[index - 1] : 0) + (fraction(2) - 1) * step;
    }
    const RasterDivision division = {1.5, 0.1, -0.1, 1.5, 7.3, -1.9, oneOf(0.1f, 6, 80), 4000};
    RasterSpanEnds ends;
    kernels->divideSpans(px, py, count, division, &ends);
    add(ends.pieces, (size_t)count);
    add(ends.x, (size_t)count * sizeof *ends.x);
    add(ends.y, (size_t)count * sizeof *ends.y);
    int32_t x[POINTS + 8] = {0}, y[POINTS + 8] = {0};
    float r[POINTS + 8] = {0};
    const int32_t points = between(1, POINTS);
    walk(x, y, points, 0, 0, (int32_t)oneOf(0, 1, 8, 40, 4000));
    for (int32_t index = 0; index < points; index++) r[index] = fraction(30);
    const RasterExtent extent = kernels->measureRound((RasterRoundPath){x, y, r, points}, 256, 384);
    add(&extent, sizeof extent);
  }
  end("paths");
}

/// Coverages of random groups, some of them whole.
static RasterCoverage randomCoverage(void) {
  static uint16_t partial[RasterGroupsPerTile], whole[RasterGroupsPerTile];
  static uint8_t coverage[RasterGroupsPerTile * RasterGroupWidth + 64];
  RasterCoverage result = {partial, coverage, 0, whole, 0};
  for (uint16_t group = 0; group < RasterGroupsPerTile; group++) {
    const uint32_t kind = below(4);
    if (kind == 0) whole[result.wholeCount++] = group;
    if (kind < 2) continue;
    for (int32_t pixel = 0; pixel < RasterGroupWidth; pixel++)
      coverage[result.partialCount * RasterGroupWidth + pixel] = kind == 2 ? (uint8_t)below(256) : 255 * below(2);
    partial[result.partialCount++] = group;
  }
  return result;
}

static uint8_t pixels[4 * SIDE * SIDE], tile[4 * SIDE * SIDE], smaller[4 * SIDE * SIDE];
static uint16_t deepPixels[4 * SIDE * SIDE], deepTile[4 * SIDE * SIDE], deepSmaller[4 * SIDE * SIDE];

/// Premultiplied pixels, some of them blank or opaque.
static void fillPixels(uint8_t *bytes, uint16_t *words) {
  for (int32_t index = 0; index < SIDE * SIDE; index++) {
    const uint32_t kind = below(4), top = kind == 0 ? 0 : kind == 1 ? 65535 : below(65536);
    for (int32_t channel = 0; channel < 4; channel++) {
      const uint32_t value = channel == 3 ? top : below(top + 1);
      words[4 * index + channel] = (uint16_t)value;
      bytes[4 * index + channel] = (uint8_t)(value >> 8);
    }
  }
}

static void blends(int32_t level) {
  const RasterKernels *kernels = rasterKernels(level, 8);
  const RasterInkKernels *deep = rasterInkKernels(level);
  const int32_t pitch = 4 * SIDE;
  begin();
  for (int32_t round = 0; round < 60; round++) {
    fillPixels(pixels, deepPixels);
    const RasterCoverage coverage = randomCoverage();
    const uint8_t mixing = round % 3 ? (uint8_t)below(256) : 255;
    kernels->blend(pixels, pitch, coverage,
                   (RasterPaint){(uint8_t)below(256), (uint8_t)below(256), (uint8_t)below(256),
                                 round % 2 ? 255 : (uint8_t)below(256), mixing, (uint8_t)(round % 5)});
    add(pixels, sizeof pixels);
    deep->blendDeep(deepPixels, randomCoverage(),
                    (RasterDeepPaint){(uint16_t)below(65536), (uint16_t)below(65536), (uint16_t)below(65536),
                                      round % 2 ? 65535 : (uint16_t)below(65536), mixing * 257, (uint8_t)(round % 5)});
    add(deepPixels, sizeof deepPixels);
  }
  end("blending");

  begin();
  for (int32_t round = 0; round < 60; round++) {
    uint8_t groups[SIDE], result[SIDE] = {0};
    fill(groups, SIDE);
    fillPixels(pixels, deepPixels);
    fillPixels(tile, deepTile);
    memset(smaller, 0, sizeof smaller);
    memset(deepSmaller, 0, sizeof deepSmaller);
    const int32_t shift = 1 + round % 4;
    kernels->average(pixels, groups, shift, smaller, pitch, result, 0);
    add(smaller, sizeof smaller);
    add(result, sizeof result);
    deep->averageDeep(deepPixels, groups, shift, deepSmaller, 2 * pitch, result, 0);
    add(deepSmaller, sizeof deepSmaller);
    kernels->compositeTile(pixels, pitch, tile, groups);
    deep->compositeTileDeep(deepPixels, deepTile, groups);
    add(pixels, sizeof pixels);
    add(tile, sizeof tile);
    add(deepPixels, sizeof deepPixels);
    add(deepTile, sizeof deepTile);
  }
  end("tiles");
}

static RasterGrain grain(void) {
  static const uint32_t steps[] = {0, 65536, 46341, 0xFFFF0000, 123456789, 0xFFFFFFFF};
  RasterGrain result;
  for (int index = 0; index < RasterGrainOctaves; index++)
    result.octaves[index] = (RasterOctave){steps[below(6)], steps[below(6)], (uint32_t)bits(), steps[below(6)],
                                           steps[below(6)], (uint32_t)bits(), below(65536),
                                           (int32_t)oneOf(0, 10922, 9000)};
  return result;
}

static void inks(int32_t level) {
  static const char *names[] = {"pencil, crayon", "marker", "passes", "reed", "watercolor"};
  const RasterInkKernels *kernels = rasterInkKernels(level);
  RasterInkSpace *space = rasterInkSpaceCreate();
  for (int32_t tone = 0; tone < 5; tone++) {
    begin();
    for (int32_t round = 0; round < 400; round++) {
      const int32_t *origin = origins[round % 5];
      const int32_t count = between(1, 5), last = count > 1 ? count - 1 : 1;
      const float radius = oneOf(0.3f, 2.5f, 12, 40, 2000);
      int32_t x[5], y[5];
      float r[5], thickness[5], cosine[5], sine[5], flow[5], arc[5], lean[5];
      walk(x, y, count, origin[0], origin[1], (int32_t)oneOf(0, 1, 8, 40, 400));
      const float start = oneOf(0, 3.5f, 900000);
      for (int32_t index = 0; index < count; index++) {
        const float tangent = below(2) ? oneOf(0, 1, -1) : fraction(2) - 1;
        const float square = tangent * tangent, over = 1 + square;
        r[index] = fraction(radius);
        thickness[index] = r[index] * oneOf(0.02f, 0.3f, 1, 3);
        cosine[index] = (1 - square) / over;
        sine[index] = 2 * tangent / over;
        flow[index] = oneOf(0, 0.4f, 1, 2, 900);
        arc[index] = start + (float)index * 7;
        lean[index] = round % 2 ? 0 : fraction(3) - 1.5f;
      }
      RasterDeposit deposit = {
        (uint32_t)bits(), oneOf(0, 0.05f, 0.14f, 0.56f), oneOf(0, 0.4f, 3, 20), oneOf(0, 0.3f, 1.4f, 50),
        oneOf(0, 0, 0.26f, 1), oneOf(0, 0.01f, 1.2f, 30), oneOf(0, 0.5f, 24), oneOf(0, 4),
        oneOf(0, 0.3f, 1, 8), oneOf(0.5f, 0.75f, 6), oneOf(0.5f, 5, 40),
        oneOf(0.35f, 1), (uint8_t)below(2), (uint8_t)below(2), tone == 2 || below(2), tone == 4 || (tone % 2 && below(2)),
      };
      RasterFibres fibres = {.ramp = oneOf(0.08f, 0.5f), .variance = 0.744f, .endDryness = oneOf(0, 0.16f),
                             .body = oneOf(0.74f, 1), .tear = oneOf(0, 0.7f), .tearLength = oneOf(1, 10)};
      for (int scale = 0; scale < RasterFibreScales; scale++) {
        fibres.width[scale] = oneOf(0.9f, 1.6f, 20);
        fibres.length[scale] = oneOf(40, 55, 440);
        fibres.weight[scale] = oneOf(0, 0.3f, 0.8f);
      }
      const RasterInkPath path = {x, y, r, thickness, cosine, sine, flow, arc, lean, count};
      rasterInkSpaceMove(space, origin[0], origin[1], RasterTileSide);
      // The nibs that these inks have.
      if (tone == 3)
        kernels->depositFibres(space, path, 0, last, origin[0], origin[1], &deposit, &fibres);
      else if (tone == 1)
        kernels->depositBlade(space, path, 0, last, origin[0], origin[1], &deposit);
      else
        kernels->depositDisc(space, path, 0, last, origin[0], origin[1], &deposit);
      const RasterTooth tooth = {grain(), oneOf(0, 1.8f), oneOf(0, 0.3f), oneOf(0.62f, 1.05f), oneOf(1, 1.4f),
                                 oneOf(0.88f, 1), oneOf(1, 4)};
      const RasterMarker marker = {oneOf(1, 4)};
      const RasterPasses passes = {oneOf(0, 0.5f, 0.97f), oneOf(1, 2, 16)};
      const RasterWash wash = {grain(), grain(), grain(), oneOf(0, 4.8f), oneOf(0, 0.8f), oneOf(0, 0.34f), 1.6f, 1,
                               oneOf(0, 0.4f, 4.8f), oneOf(0, 1, 13), oneOf(1, 1.45f)};
      switch (tone) {
      case 0: addCoverage(kernels->tooth(space, &tooth)); break;
      case 1: addCoverage(kernels->marker(space, &marker)); break;
      case 2: addCoverage(kernels->passes(space, &passes)); break;
      case 3: addCoverage(kernels->reed(space)); break;
      default: addCoverage(kernels->wash(space, &wash));
      }
      if (!rasterInkSpaceIsClear(space)) abort();
    }
    end(names[tone]);
  }
  rasterInkSpaceFree(space);
}

// PNG.

enum { WIDTH = 1000, ROWS = 60 };

/// Rows with runs, repeated colours and noise, opaque or not; groups without a flag are background.
static void picture(uint8_t *rows, int isOpaque, uint32_t background) {
  uint32_t colors[12];
  for (int index = 0; index < 12; index++) {
    const uint32_t alpha = isOpaque ? 255 : below(256);
    colors[index] = alpha << 24 | below(alpha + 1) << 16 | below(alpha + 1) << 8 | below(alpha + 1);
  }
  colors[0] = background;
  for (int32_t at = 0; at < WIDTH * ROWS;) {
    const uint32_t color = colors[below(12)];
    for (int32_t left = between(1, below(3) ? 5 : 400); left > 0 && at < WIDTH * ROWS; left--, at++)
      memcpy(rows + 4 * at, &color, 4);
  }
}

static void pngs(int32_t level) {
  const PNGKernels *kernels = pngKernels(level);
  pngPrepare();
  static uint8_t image[4 * WIDTH * ROWS + 64], flags[WIDTH], buffer[4 * WIDTH * ROWS + 4 * PNGRowMargin];
  static uint16_t tokens[6 * WIDTH * ROWS + PNGTokenMargin];
  static uint32_t counts[PNGTokenCount + 1], codes[PNGTokenCount], symbols[PNGSymbolCount + 1];
  static uint8_t written[8 * WIDTH * ROWS];
  static PNGRecentColors recent;
  static PNGPalette palette;
  static PNGHashChains chains;
  for (int32_t index = 0; index < PNGTokenCount; index++) {
    const uint32_t length = 1 + below(16);
    codes[index] = (below(1u << length)) << 6 | length;
  }

  begin();
  for (int32_t round = 0; round < 40; round++) {
    const int isOpaque = round % 2;
    const uint32_t background = isOpaque ? 0xFFFFFFFF : 0;
    picture(image, isOpaque, background);
    for (int32_t row = 0; row < ROWS; row++) {
      const uint8_t *line = image + 4 * WIDTH * row;
      const size_t width = WIDTH - (size_t)row;
      memset(flags, 0, sizeof flags);
      kernels->findDrawn(line, width, background, flags);
      add(flags, (width + 127) / 128);
      memset(buffer, 0, sizeof buffer);
      kernels->unpremultiply(line, flags, width, buffer + PNGRowMargin);
      add(buffer + PNGRowMargin, 4 * width);
      size_t first = 0, last = 0;
      if (row) kernels->findChange(line, line - 4 * WIDTH, 4 * width, &first, &last);
      add(&first, sizeof first);
      add(&last, sizeof last);
      const size_t changes = kernels->countColorChanges(line, width);
      add(&changes, sizeof changes);
      if (isOpaque) {
        const int32_t fits = kernels->packRGB(line, width, buffer + PNGRowMargin);
        add(&fits, sizeof fits);
        add(buffer + PNGRowMargin, 3 * width);
      }
      pngPaletteBegin(&palette, background);
      const int32_t fits = kernels->packPaletteIndices(line, flags, width, &palette, buffer + PNGRowMargin);
      add(&fits, sizeof fits);
      if (fits) add(buffer + PNGRowMargin, width);
      add(palette.colors, 4 * palette.count);
    }
    const uint32_t crc = kernels->checksum(~0u, image, 4 * WIDTH * ROWS - (size_t)round);
    add(&crc, sizeof crc);
  }
  end("PNG: rows");

  begin();
  for (int32_t round = 0; round < 40; round++) {
    const int isOpaque = round % 2, kind = round % 4;
    const uint32_t background = isOpaque ? 0xFFFFFFFF : 0;
    const size_t perPixel = kind < 2 ? (isOpaque ? 3 : 4) : kind == 2 ? 1 : 4;
    picture(image, isOpaque, background);
    PNGTokens part = {.next = tokens, .pitch = 4 * WIDTH};
    memset(&recent, 0, sizeof recent);
    memset(&chains, 0, sizeof chains);
    memset(buffer, 0, sizeof buffer);
    uint8_t *row = buffer + PNGRowMargin;
    if (kind < 2) {
      for (int32_t line = 0; line < ROWS; line++) {
        const uint8_t *pixel = image + 4 * WIDTH * line;
        memset(flags, 0, sizeof flags);
        kernels->findDrawn(pixel, WIDTH, background, flags);
        const int32_t fits = (isOpaque ? kernels->tokenizeRGB : kernels->tokenizeRGBA)(
          &part, &recent, pixel, flags, WIDTH, background);
        add(&fits, sizeof fits);
      }
    } else if (kind == 2) {
      for (int32_t line = 0; line < ROWS; line++) {
        for (int32_t at = 0; at < WIDTH; at++) row[at] = image[4 * (WIDTH * line + at)];
        kernels->tokenizeBytes(&part, row, WIDTH, perPixel);
        memcpy(row - 4, row + WIDTH - 4, 4);
      }
      pngTokenizeRun(&part, row);
    } else {
      memcpy(row, image, 4 * WIDTH * ROWS);
      kernels->tokenizeMatches(&part, &chains, row, 4 * WIDTH * ROWS, perPixel);
    }
    const size_t count = (size_t)(part.next - tokens);
    add(&count, sizeof count);
    add(tokens, 2 * count);
    add(&part.sum, sizeof part.sum);
    add(&part.weightedSum, sizeof part.weightedSum);
    memset(counts, 0, sizeof counts);
    kernels->count(tokens, count, counts);
    add(counts, 4 * PNGTokenCount);
    memset(symbols, 0, sizeof symbols);
    kernels->countSymbols(tokens, count, symbols);
    add(symbols, 4 * PNGSymbolCount);
    const uint64_t cost = kernels->estimateCost(symbols, NULL);
    add(&cost, sizeof cost);
    PNGBits stream = {.next = written};
    kernels->write(tokens, count, codes, &stream);
    add(written, (size_t)(stream.next - written));
  }
  end("PNG: tokens");
}

int main(int count, char **arguments) {
  const int32_t level = count > 1 ? atoi(arguments[1]) : 0;
  if (level > rasterBestLevel() || level > pngBestLevel()) {
    fprintf(stderr, "This processor has no level %d.\n", level);
    return 1;
  }
  mathematics();
  checksums();
  memory();
  sweeps(level, 8, 0, "round nibs, 64 samples");
  sweeps(level, 16, 0, "round nibs, 256 samples");
  sweeps(level, 8, 1, "ellipses, 64 samples");
  sweeps(level, 16, 1, "ellipses, 256 samples");
  blends(level);
  paths(level);
  inks(level);
  pngs(level);
  return 0;
}
