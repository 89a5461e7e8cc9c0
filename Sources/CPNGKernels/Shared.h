// What all levels share.
#pragma once

#include "CPNGKernels.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

// Names of one level's functions are put together.
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)

enum { GROUP = PNGGroupWidth };

extern uint32_t crcOfByte[256];

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

/// Where to look for a colour in a table of a power of two of slots.
INLINE uint32_t slotOf(uint32_t color, uint32_t bits) { return color * 0x9E3779B1u >> (32 - bits); }

/// The place of a colour, which is added where it is new; 256 where there is no room for it.
INLINE uint32_t placeOf(PNGPalette *palette, uint32_t color) {
  uint32_t slot = slotOf(color, PNGPaletteBits);
  while (palette->places[slot] && palette->keys[slot] != color)
    slot = (slot + 1) & ((1 << PNGPaletteBits) - 1);
  if (!palette->places[slot]) {
    if (palette->count == 256) return 256;
    palette->keys[slot] = color;
    palette->colors[palette->count] = color;
    palette->places[slot] = (uint16_t)++palette->count;
  }
  return palette->places[slot] - 1u;
}

/// Tells `run` bytes, three at least, that repeat the pixel before.
INLINE uint16_t *putRun(uint16_t *next, uint64_t run) {
  while (run > 260) {
    *next++ = PNGTokenRun + 258;
    run -= 258;
  }
  // No one or two bytes may be left over.
  if (run > 258) {
    *next++ = PNGTokenRun + (uint16_t)(run - 3);
    run = 3;
  }
  *next++ = PNGTokenRun + (uint16_t)run;
  return next;
}

/// The tokens of bytes from further away, beside each other, and how many they are.
INLINE uint64_t farTokens(uint32_t length, uint32_t distance, uint32_t *count) {
  const uint32_t less = distance - 1;
  const uint32_t extra = less < 4 ? 0 : 30 - (uint32_t)__builtin_clz(less);
  const uint32_t symbol = less < 4 ? less : 2 * extra + 2 + (less >> extra & 1);
  // Extra bits go eight at a time; how many there are is hard to foresee, so there is no branch.
  const uint32_t bits = less & ((1u << extra) - 1), low = extra < 8 ? extra : 8, high = extra - low;
  *count = 2 + (low > 0) + (high > 0);
  return (uint64_t)(PNGTokenLength + length) | (uint64_t)(PNGTokenDistance + symbol) << 16 |
         (uint64_t)(PNGTokenBits - 2 + (1u << low) + (bits & 255)) << 32 |
         (uint64_t)(PNGTokenBits - 2 + (1u << high) + (bits >> low)) << 48;
}

// Of parsing.

/// With so many bytes of a run left, nothing is looked for, but where it begins.
enum { ShortRun = 10 };
/// What is repeated is noted for so many lengths at most.
enum { MatchLimit = 24 };
/// Steps that are not lists of what is repeated, but of runs: where nothing leads, inside of one, where one
/// may be entered, and where it must be followed by whole lengths; of a pixel where the number is odd,
/// otherwise of a byte.
enum { Desert = 26, Inside = 27, EntryBytes = 28, EntryPixels, ForcedBytes, ForcedPixels };
/// How many of a run's last lengths are tried from inside.
enum { InsideTail = 10 };
/// So many lengths are looked at side by side.
enum { ManyLengths = 12 };
/// More than any way costs.
static const uint32_t never = 0xC0000000;

extern uint16_t pngSymbolOfToken[PNGTokenCount];
extern uint8_t pngFractions[1024];
enum { PNGShareCount = 4096 };
extern uint32_t pngShares[PNGShareCount];

INLINE uint32_t logarithm(uint32_t number) {
  const uint32_t whole = 31 - (uint32_t)__builtin_clz(number);
  const uint32_t steps = whole >= 10 ? number >> (whole - 10) : number << (10 - whole);
  return whole * PNGCostOfBit + pngFractions[steps - 1024];
}

/// Tells bytes from further away; four tokens may be stored.
INLINE uint16_t *putFar(uint16_t *next, uint32_t length, uint32_t distance) {
  uint32_t count;
  store64(next, farTokens(length, distance, &count));
  return next + count;
}
