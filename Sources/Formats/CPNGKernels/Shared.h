// The definitions that all levels share.
#pragma once

#include "CPNGKernels.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

// Builds the names of one level's functions.
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)

enum { GROUP = PNGGroupWidth };

extern const uint32_t crcOfHalfByte[16];

INLINE uint64_t load64(const void *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
INLINE uint32_t load32(const void *p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
INLINE void store64(void *p, uint64_t v) { memcpy(p, &v, sizeof v); }

INLINE int32_t isFlagged(const uint8_t *flags, size_t group) { return flags[group >> 3] >> (group & 7) & 1; }

/// The hash of a colour, of `bits` bits.
INLINE uint32_t hashOf(uint32_t color, uint32_t bits) { return color * 0x9E3779B1u >> (32 - bits); }

/// The palette index of a colour, which is added if it is new; 256 if the palette is full.
INLINE uint32_t paletteIndexOf(PNGPalette *palette, uint32_t color) {
  uint32_t slot = hashOf(color, PNGPaletteBits);
  while (palette->indices[slot] && palette->keys[slot] != color)
    slot = (slot + 1) & ((1 << PNGPaletteBits) - 1);
  if (!palette->indices[slot]) {
    if (palette->count == 256) return 256;
    palette->keys[slot] = color;
    palette->colors[palette->count] = color;
    if (color >> 24 == 255) palette->opaque[slot] = (color & 0xFFFFFF) | palette->count << 24;
    palette->indices[slot] = (uint16_t)++palette->count;
  }
  return palette->indices[slot] - 1u;
}

/// Writes the tokens of a run of at least three bytes that repeat the previous pixel.
INLINE uint16_t *putRun(uint16_t *next, uint64_t run) {
  while (run > 260) {
    *next++ = PNGTokenRun + 258;
    run -= 258;
  }
  // No remainder of one or two bytes is possible.
  if (run > 258) {
    *next++ = PNGTokenRun + (uint16_t)(run - 3);
    run = 3;
  }
  *next++ = PNGTokenRun + (uint16_t)run;
  return next;
}

/// The tokens of a match, packed into 64 bits, and their number.
INLINE uint64_t matchTokens(uint32_t length, uint32_t distance, uint32_t *count) {
  const uint32_t less = distance - 1;
  const uint32_t extra = less < 4 ? 0 : 30 - (uint32_t)__builtin_clz(less);
  const uint32_t symbol = less < 4 ? less : 2 * extra + 2 + (less >> extra & 1);
  // Extra bits are written eight at a time. Their number is hard to predict, so there is no branch.
  const uint32_t bits = less & ((1u << extra) - 1), low = extra < 8 ? extra : 8, high = extra - low;
  *count = 2 + (low > 0) + (high > 0);
  return (uint64_t)(PNGTokenLength + length) | (uint64_t)(PNGTokenDistance + symbol) << 16 |
         (uint64_t)(PNGTokenBits - 2 + (1u << low) + (bits & 255)) << 32 |
         (uint64_t)(PNGTokenBits - 2 + (1u << high) + (bits >> low)) << 48;
}

// Parsing

/// With this many bytes of a run left, matches are only searched at its start.
enum { ShortRun = 10 };
/// The maximum number of matches stored per position.
enum { MatchLimit = 24 };
/// Kinds of steps without a list of matches: positions that no path leads through, positions inside
/// of a run, positions where a run may be entered, and positions from which the run must continue
/// in maximum lengths. Odd values are runs of pixels, even ones runs of bytes.
enum { Unreachable = 26, Inside = 27, EntryBytes = 28, EntryPixels, ForcedBytes, ForcedPixels };
/// How many of the longest lengths are tried inside of a run.
enum { InsideTail = 10 };
/// From this many lengths on, the minimum is computed with vector instructions.
enum { ManyLengths = 12 };
/// More than the cost of any path.
static const uint32_t unreachableCost = 0xC0000000;

extern uint16_t pngSymbolOfToken[PNGTokenCount];
extern uint8_t pngLogarithmFractions[1024];
enum { PNGEntropyShareCount = 4096 };
extern uint32_t pngEntropyShares[PNGEntropyShareCount];

INLINE uint32_t logarithm(uint32_t number) {
  const uint32_t whole = 31 - (uint32_t)__builtin_clz(number);
  const uint32_t steps = whole >= 10 ? number >> (whole - 10) : number << (10 - whole);
  return whole * PNGCostOfBit + pngLogarithmFractions[steps - 1024];
}

/// Writes the tokens of a match; may store four.
INLINE uint16_t *putMatch(uint16_t *next, uint32_t length, uint32_t distance) {
  uint32_t count;
  store64(next, matchTokens(length, distance, &count));
  return next + count;
}
