#ifndef CPNGKERNELS_H
#define CPNGKERNELS_H

#include <stddef.h>
#include <stdint.h>

// The leaf loops of writing PNG: pixels become bytes, bytes become tokens, tokens become bits. Every
// level gives the same tokens and the same bits.

enum {
  /// Rows are looked at in groups of so many pixels.
  PNGGroupWidth = 16,
  /// Bytes before a row, in which its predecessor's last ones lie, and behind it, which kernels spoil.
  PNGRowMargin = 64,
  /// Tokens that kernels may spoil behind the last one.
  PNGTokenMargin = 128,
};

// A token is one of these numbers, and deflate's bits for it stand in one table.
enum {
  /// 0 to 255 are bytes as they are.
  PNGTokenEnd = 256,
  /// Plus a length of 3 to 258: so many bytes again from a pixel before.
  PNGTokenRun = 257 - 3,
  /// Plus a length of 3 to 258: so many bytes from further away; a distance follows.
  PNGTokenLength = PNGTokenRun + 256,
  /// Plus a number of deflate's, 0 to 29: a distance; its extra bits follow.
  PNGTokenDistance = PNGTokenLength + 259,
  /// Plus 2 to the power n, less 2, plus a number: n bits of 1 to 8 as they are.
  PNGTokenBits = PNGTokenDistance + 30,
  PNGTokenCount = PNGTokenBits + 510,
};

/// A part of a picture on its way to tokens.
typedef struct {
  /// Where the next token goes.
  uint16_t *next;
  /// How far in memory the next row of pixels lies.
  size_t pitch;
  /// Bytes that repeat the pixel before them and are not told yet.
  uint64_t run;
  /// Bytes so far.
  uint64_t position;
  /// All bytes together, and each times its position.
  uint64_t sum, weightedSum;
  /// How many pixels the last row begins with that are background.
  uint32_t lead;
  /// The last pixel, and whether there is one.
  uint32_t last, hasLast;
  /// How many pixels were looked at, and how many of them had a colour that had been there; whether it
  /// is worth looking for these.
  uint32_t seen, seenAgain, isGrain;
} PNGTokens;

enum {
  PNGMetBits = 12,
  /// So that an entry that is zero is too far away for any pixel.
  PNGMetOffset = 1 << 16,
  /// An entry of a colour that was only seen.
  PNGMetNoted = 1,
  PNGSampleSize = 1024,
};

/// Where colours were last told: the colour above 32 bits, and its position and `PNGMetOffset`.
typedef struct {
  uint64_t entries[1 << PNGMetBits];
} PNGMet;

enum { PNGPaletteBits = 11 };

/// Colours in the order in which they were met, and a table that finds them.
typedef struct {
  uint32_t colors[256];
  uint32_t count;
  uint32_t keys[1 << PNGPaletteBits];
  /// Zero where a slot is free, otherwise one more than the colour's place.
  uint16_t places[1 << PNGPaletteBits];
} PNGPalette;

/// What was found where a picture differs from the one before.
typedef struct {
  /// Whether all changed pixels are solid, and whether one of them has the key's colour.
  uint32_t areSolid, isKeyTaken;
} PNGChanges;

enum {
  PNGFarBits = 12,
  PNGFarWindow = 1 << 15,
  /// How many places are looked at, a length from which on fewer are, and one that is enough.
  PNGFarTries = 16,
  PNGFarGood = 8,
  PNGFarEnough = 64,
};

/// Where three bytes were seen last, and before each place: numbers of places and one.
typedef struct {
  uint32_t last[1 << PNGFarBits];
  uint32_t before[PNGFarWindow];
} PNGFar;

/// Bits on their way to bytes.
typedef struct {
  uint8_t *next;
  uint64_t bits;
  uint32_t count;
} PNGBits;

// Tokens in no hurry.

enum {
  PNGNearestBits = 14,
  PNGHeadBits = 14,
  PNGRunBits = 8,
  PNGRunCount = 8,
  PNGWindow = 1 << 15,
  PNGWindowMask = PNGWindow - 1,
};

/// Where the last runs of some pixels ended, the last one first, and how long they were.
typedef struct {
  uint32_t ends[PNGRunCount], lengths[PNGRunCount];
} PNGRuns;

/// Where three bytes, and some more, were seen last, and for each place the one before.
typedef struct {
  uint32_t nearest[1 << PNGNearestBits];
  uint32_t heads[1 << PNGHeadBits];
  uint32_t before[PNGWindow];
  PNGRuns runs[1 << PNGRunBits];
  /// The place that comes next, the run around it, and where a long match ends in which nothing is
  /// looked for.
  size_t place, runStart, runEnd, distance, quietEnd;
} PNGFinder;

/// What is searched, and how hard.
typedef struct {
  /// Bytes by their places, of which the first is above zero; eight more may be read.
  const uint8_t *bytes;
  size_t first;
  /// How far a place is from a row's beginning, as far as rows have bytes.
  size_t phase, stride;
  uint32_t perPixel;
  /// Whether every byte may begin something, or only pixels: 1, or the bytes of one.
  uint32_t step;
  /// By how many bytes, four to eight, places are found again.
  uint32_t hashed;
  /// How many places are tried, and which length is enough.
  uint32_t depth, enough;
  /// Runs of so many bytes are not looked at inside, but for so many of their last ones.
  uint32_t longRun, runTail;
  /// Whether runs of more than the greatest length may be entered anywhere.
  uint32_t isPatient;
} PNGSearch;

/// What each token costs, in parts of a bit.
typedef struct {
  uint32_t bytes[256], lengths[259], distances[30];
} PNGCosts;

/// A place where a block may begin.
typedef struct {
  size_t token, place;
} PNGMark;

/// Bytes, the end and lengths, then distances.
enum { PNGSymbolCount = 286 + 30 };
/// Costs are told in parts of a bit.
enum { PNGCostOfBit = 64 };

/// Pixels are red, green, blue and alpha, a byte each. Flags have a bit a group, which is set where a
/// pixel may differ from the background; a group without it is not read.
typedef struct {
  /// Sets the flags of a row.
  void (*findDrawn)(const uint8_t *pixels, size_t width, uint32_t background, uint8_t *flags);

  // Rows of a byte a pixel. Those that say so give 0 where a pixel has no such byte.

  /// Solid greys, the background's bits turned.
  int32_t (*packGreys)(
      const uint8_t *pixels, const uint8_t *flags, size_t width, uint32_t background, uint8_t turned,
      uint8_t *row);
  /// One ink by its opacities.
  int32_t (*packOpacities)(
      const uint8_t *pixels, const uint8_t *flags, size_t width, uint32_t ink, int32_t isStraight,
      uint8_t *row);
  /// Colours by their places in a palette, which grows as they are met.
  int32_t (*packPlaces)(
      const uint8_t *pixels, const uint8_t *flags, size_t width, PNGPalette *palette, uint8_t *row);

  /// Takes pixels to straight components.
  void (*straighten)(const uint8_t *pixels, const uint8_t *flags, size_t width, uint8_t *straight);

  /// Tells a row of bytes whose pixels take some of them.
  void (*tellBytes)(PNGTokens *tokens, uint8_t *row, size_t count, size_t perPixel);
  /// Tells a row of solid pixels, three bytes each; 0 where one is not solid.
  int32_t (*tellSolids)(
      PNGTokens *tokens, PNGMet *met, const uint8_t *pixels, const uint8_t *flags, size_t width,
      uint32_t background);
  /// Tells a row of pixels, four bytes each.
  int32_t (*tellPixels)(
      PNGTokens *tokens, PNGMet *met, const uint8_t *pixels, const uint8_t *flags, size_t width,
      uint32_t background);

  /// Adds how often each token occurs.
  void (*count)(const uint16_t *tokens, size_t count, uint32_t *counts);
  /// Writes tokens by a table of codes: at most 26 bits, and below them in six bits their number.
  void (*write)(const uint16_t *tokens, size_t count, const uint32_t *codes, PNGBits *bits);
  /// Goes on with a CRC-32 as PNG keeps it.
  uint32_t (*check)(uint32_t crc, const uint8_t *bytes, size_t count);

  // Pictures that follow each other.

  /// The bytes from the first that differs up to behind the last; both are zero where none does.
  void (*findChange)(
      const uint8_t *a, const uint8_t *b, size_t count, size_t *first, size_t *end);
  /// Gives a key to pixels that are as they were before. Where nothing was, pixels are only looked at.
  void (*keyUnchanged)(
      const uint8_t *pixels, const uint8_t *before, size_t width, uint32_t key, uint8_t *keyed,
      PNGChanges *changes);
  /// How many pixels of a row differ from the one before them.
  size_t (*countSteps)(const uint8_t *pixels, size_t width);
  /// Solid pixels, three bytes each, and one byte more; 0 where one is not solid.
  int32_t (*packSolids)(const uint8_t *pixels, size_t width, uint8_t *row);
  /// Tells rows of bytes, repeating what was told up to 32 kB before.
  void (*tellFar)(
      PNGTokens *tokens, PNGFar *far, const uint8_t *bytes, size_t count, size_t perPixel);

  // In no hurry.

  /// Writes the bytes that tokens stand for, of which some may be repeated from before; gives how many.
  size_t (*expand)(const uint16_t *tokens, size_t count, size_t perPixel, uint8_t *bytes);
  /// Begins at a place, with what lies up to a window before it in mind.
  void (*begin)(PNGFinder *finder, const PNGSearch *search, size_t place);
  /// Goes on to a place, or until there is no room for more steps: what each could repeat, and how far
  /// the next one is. Gives where the steps end.
  uint32_t *(*find)(
      PNGFinder *finder, const PNGSearch *search, size_t end, uint32_t *steps, const uint32_t *full);
  /// Finds the cheapest way from every step to the end, walking back from a place to another or before
  /// it; gives the step it ended at. Ways and choices are by place.
  const uint32_t *(*weigh)(
      const PNGCosts *costs, const uint8_t *bytes, const uint32_t *steps, const uint32_t *last,
      size_t *place, size_t from, uint32_t perPixel, uint32_t *ways, uint32_t *choices);
  /// Tells the way that was chosen, with a mark after so many tokens; gives how many there are.
  size_t (*tellWay)(
      const uint8_t *bytes, size_t place, size_t end, uint32_t perPixel, const uint32_t *choices,
      uint16_t *tokens, PNGMark *marks, size_t *markCount, size_t tokensPerMark);
  /// Adds how often each symbol occurs; one more is for what is none.
  void (*countSymbols)(const uint16_t *tokens, size_t count, uint32_t *counts);
  /// About what a block costs in which symbols occur so often, or so often and so often more.
  uint64_t (*worth)(const uint32_t *counts, const uint32_t *others);
} PNGKernels;

/// The best level that this processor has: 0 for any, 1 with AVX2, 2 with AVX-512.
int32_t pngBestLevel(void);
/// The loops of a level, or of the best one below it.
const PNGKernels *pngKernels(int32_t level);

/// Forgets all colours but one.
void pngPaletteBegin(PNGPalette *palette, uint32_t color);
/// The place of a colour, which is added where it is new; 256 where there is no room for it.
uint32_t pngPaletteAdd(PNGPalette *palette, uint32_t color);

/// Makes the tables of parsing, once.
void pngPrepare(void);
/// The logarithm of a number that is not 0, to the base of two, in costs.
uint32_t pngLogarithm(uint32_t number);

/// Tells what is pending, at the end of a part.
void pngTellRun(PNGTokens *tokens, const uint8_t *row);

#endif
