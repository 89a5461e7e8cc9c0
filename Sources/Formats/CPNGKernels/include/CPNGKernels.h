#ifndef CPNGKERNELS_H
#define CPNGKERNELS_H

#include <stddef.h>
#include <stdint.h>

// The inner loops of the PNG encoder: pixels to bytes, bytes to tokens, tokens to bits. Every level
// gives the same tokens and the same bits.

enum {
  /// The number of pixels in a group, for which drawn pixels are flagged together.
  PNGGroupWidth = 16,
  /// Bytes before a row, which hold the end of the previous row, and bytes after it, which kernels
  /// may overwrite.
  PNGRowMargin = 64,
  /// Tokens after the last one that kernels may overwrite.
  PNGTokenMargin = 128,
  /// The maximum length of a match.
  PNGLongestMatch = 258,
};

// A token is one of these numbers; one table holds deflate's bits for all of them.
enum {
  /// 0 to 255 are literals.
  PNGTokenEnd = 256,
  /// Plus a length of 3 to 258: a match at the distance of one pixel.
  PNGTokenRun = 257 - 3,
  /// Plus a length of 3 to 258: a match; the tokens of its distance follow.
  PNGTokenLength = PNGTokenRun + 256,
  /// Plus deflate's distance symbol, 0 to 29; the tokens of its extra bits follow.
  PNGTokenDistance = PNGTokenLength + 259,
  /// Plus 2^n - 2, plus a number of n bits: 1 to 8 raw bits.
  PNGTokenBits = PNGTokenDistance + 30,
  PNGTokenCount = PNGTokenBits + 510,
};

/// The state of tokenizing a part of a picture.
typedef struct {
  /// Where the next token is stored.
  uint16_t *next;
  /// The distance in memory to the next row of pixels, in bytes.
  size_t pitch;
  /// The pending run: bytes that repeat the previous pixel and are not tokenized yet.
  uint64_t run;
  /// The number of bytes so far.
  uint64_t position;
  /// The sum of all bytes, and their sum weighted by position.
  uint64_t sum, weightedSum;
  /// The number of background pixels at the start of the last row.
  uint32_t lead;
  /// The previous pixel, and whether there is one.
  uint32_t last, hasLast;
  /// The number of pixels sampled, how many of them had occurred before, and whether recent colours
  /// are looked up.
  uint32_t seen, seenBefore, looksForRecentColors;
} PNGTokens;

enum {
  PNGRecentColorBits = 12,
  /// Added to positions, so that an entry of zero is out of reach of any pixel.
  PNGRecentColorOffset = 1 << 16,
  /// The position of a colour that was only sampled.
  PNGRecentColorSeen = 1,
  PNGSampleSize = 1024,
};

/// The last position of colours by hash: the colour in the upper 32 bits, below it the position
/// plus `PNGRecentColorOffset`.
typedef struct {
  uint64_t entries[1 << PNGRecentColorBits];
} PNGRecentColors;

enum { PNGPaletteBits = 11 };

/// Colours in the order in which they occur, and a hash table that finds them.
typedef struct {
  uint32_t colors[256];
  uint32_t count;
  uint32_t keys[1 << PNGPaletteBits];
  /// Zero if a slot is free, otherwise the colour's index plus 1.
  uint16_t indices[1 << PNGPaletteBits];
  /// The opaque colours, with their indices in place of the opacity; otherwise zero.
  uint32_t opaque[1 << PNGPaletteBits];
} PNGPalette;

/// Properties of the pixels that differ from the previous picture.
typedef struct {
  /// Whether all changed pixels are opaque, and whether one of them has the key's colour.
  uint32_t areOpaque, isKeyUsed;
} PNGChanges;

enum {
  PNGChainHashBits = 12,
  PNGChainWindow = 1 << 15,
  /// How many candidates are tried, the length from which on fewer are, and the length that ends
  /// the search.
  PNGChainTries = 16,
  PNGGoodLength = 8,
  PNGSufficientLength = 64,
};

/// Hash chains of positions by their first three bytes: the newest per hash, and the previous one
/// for each position. Positions are stored plus 1.
typedef struct {
  uint32_t last[1 << PNGChainHashBits];
  uint32_t before[PNGChainWindow];
} PNGHashChains;

/// A bit stream that is being written.
typedef struct {
  uint8_t *next;
  uint64_t bits;
  uint32_t count;
} PNGBits;

// Search for smaller tokens.

enum {
  PNGNearestBits = 16,
  PNGHeadBits = 15,
  PNGRunBits = 8,
  PNGRunCount = 8,
  PNGWindow = 1 << 15,
  PNGWindowMask = PNGWindow - 1,
};

/// The ends of the last runs of some pixels, the newest first, and their lengths in bytes.
typedef struct {
  uint32_t ends[PNGRunCount], lengths[PNGRunCount];
} PNGRuns;

/// The match finder: hash tables of the last position of three bytes, and of some more, and the
/// previous position in each chain.
typedef struct {
  uint32_t nearest[1 << PNGNearestBits];
  uint32_t heads[1 << PNGHeadBits];
  uint32_t before[PNGWindow];
  PNGRuns runs[1 << PNGRunBits];
  /// The next position, the run around it, and the end of a long match inside of which nothing is
  /// searched.
  size_t position, runStart, runEnd, distance, searchResumesAt;
} PNGFinder;

/// The parameters of a search: the bytes and the thoroughness.
typedef struct {
  /// Bytes by position. The first position is above zero; eight bytes past the end may be read.
  const uint8_t *bytes;
  size_t first;
  /// Position 0 is `phase` bytes after the start of a row; a row has `stride` bytes.
  size_t phase, stride;
  uint32_t perPixel;
  /// The distance between positions at which matches may start: 1, or the bytes of a pixel.
  uint32_t step;
  /// How many bytes are hashed, from four to eight.
  uint32_t hashed;
  /// How many candidates are tried per position, and which match length ends the search.
  uint32_t depth, enough;
  /// Positions inside of runs of at least `longRun` bytes are skipped, but for the last `runTail`.
  uint32_t longRun, runTail;
  /// Whether runs of more than 258 bytes may be entered at any position.
  uint32_t entersLongRuns;
} PNGSearch;

/// The cost of each token, in 1/`PNGCostOfBit` bits.
typedef struct {
  uint32_t bytes[256], lengths[259], distances[30];
} PNGCosts;

/// A token and its position at which a block may start.
typedef struct {
  size_t token, position;
} PNGMark;

/// Literals, the end and lengths, then distances.
enum { PNGSymbolCount = 286 + 30 };
/// The cost of one bit.
enum { PNGCostOfBit = 64 };

/// Pixels are red, green, blue and alpha, one byte each. Flags have one bit per group, which is set
/// if a pixel may differ from the background; groups without it are not read.
typedef struct {
  /// Sets the flags of a row.
  void (*findDrawn)(const uint8_t *pixels, size_t width, uint32_t background, uint8_t *flags);

  // Rows of one byte per pixel. Functions with a result return 0 if a pixel does not fit.

  /// Packs opaque greys, XORed with `inversion`.
  int32_t (*packGreys)(
      const uint8_t *pixels, const uint8_t *flags, size_t width, uint32_t background, uint8_t inversion,
      uint8_t *row);
  /// Packs the alpha of one ink.
  int32_t (*packOpacities)(
      const uint8_t *pixels, const uint8_t *flags, size_t width, uint32_t ink, int32_t isStraight,
      uint8_t *row);
  /// Packs palette indices; new colours are added to the palette.
  int32_t (*packPaletteIndices)(
      const uint8_t *pixels, const uint8_t *flags, size_t width, PNGPalette *palette, uint8_t *row);

  /// Converts premultiplied components to straight ones.
  void (*unpremultiply)(const uint8_t *pixels, const uint8_t *flags, size_t width, uint8_t *straight);

  /// Tokenizes a row of bytes, `perPixel` for each pixel.
  void (*tokenizeBytes)(PNGTokens *tokens, uint8_t *row, size_t count, size_t perPixel);
  /// Tokenizes a row of opaque pixels as three bytes each; returns 0 if one is not opaque.
  int32_t (*tokenizeRGB)(
      PNGTokens *tokens, PNGRecentColors *recent, const uint8_t *pixels, const uint8_t *flags, size_t width,
      uint32_t background);
  /// Tokenizes a row of pixels as four bytes each.
  int32_t (*tokenizeRGBA)(
      PNGTokens *tokens, PNGRecentColors *recent, const uint8_t *pixels, const uint8_t *flags, size_t width,
      uint32_t background);

  /// Adds to the counts of tokens.
  void (*count)(const uint16_t *tokens, size_t count, uint32_t *counts);
  /// Writes tokens as bits. A table entry holds a code of at most 26 bits above six bits of its
  /// length.
  void (*write)(const uint16_t *tokens, size_t count, const uint32_t *codes, PNGBits *bits);
  /// Continues a CRC-32 of PNG chunks.
  uint32_t (*checksum)(uint32_t crc, const uint8_t *bytes, size_t count);

  // Successive pictures.

  /// Finds the range of bytes that differ; `first` and `end` are zero if none does.
  void (*findChange)(
      const uint8_t *a, const uint8_t *b, size_t count, size_t *first, size_t *end);
  /// Copies changed pixels and gives all others the key's colour. If `before` is NULL, pixels are
  /// only examined.
  void (*keyUnchanged)(
      const uint8_t *pixels, const uint8_t *before, size_t width, uint32_t key, uint8_t *keyed,
      PNGChanges *changes);
  /// Counts the pixels of a row that differ from the previous one.
  size_t (*countColorChanges)(const uint8_t *pixels, size_t width);
  /// Packs opaque pixels as three bytes each, and writes one byte more; returns 0 if one is not
  /// opaque.
  int32_t (*packRGB)(const uint8_t *pixels, size_t width, uint8_t *row);
  /// Tokenizes rows of bytes with matches up to 32 kB back.
  void (*tokenizeMatches)(
      PNGTokens *tokens, PNGHashChains *chains, const uint8_t *bytes, size_t count, size_t perPixel);

  // Search for smaller tokens.

  /// Expands tokens into bytes, some of which may repeat earlier ones; returns the number of bytes.
  size_t (*expand)(const uint16_t *tokens, size_t count, size_t perPixel, uint8_t *bytes);
  /// Starts a search at a position, with the bytes of the window before it inserted.
  void (*begin)(PNGFinder *finder, const PNGSearch *search, size_t position);
  /// Searches up to `end`, or until `steps` is full. A step lists the matches at a position and the
  /// distance to the next step. Returns the end of the steps.
  uint32_t *(*find)(
      PNGFinder *finder, const PNGSearch *search, size_t end, uint32_t *steps, const uint32_t *full);
  /// Finds the cheapest path from every step to the end, walking backwards from `position` to
  /// `from` or just before it; returns the step at which it stopped. Path costs and choices are
  /// indexed by position.
  const uint32_t *(*findCheapestPath)(
      const PNGCosts *costs, const uint8_t *bytes, const uint32_t *steps, const uint32_t *last,
      size_t *position, size_t from, uint32_t perPixel, uint32_t *pathCosts, uint32_t *choices);
  /// Tokenizes the chosen path, with a mark every `tokensPerMark` tokens; returns the number of
  /// tokens.
  size_t (*tokenizePath)(
      const uint8_t *bytes, size_t position, size_t end, uint32_t perPixel, const uint32_t *choices,
      uint16_t *tokens, PNGMark *marks, size_t *markCount, size_t tokensPerMark);
  /// Adds to the counts of symbols; the last entry counts tokens that have none.
  void (*countSymbols)(const uint16_t *tokens, size_t count, uint32_t *counts);
  /// Estimates the cost of a block from its symbol counts; `others`, if not NULL, are added to
  /// them.
  uint64_t (*estimateCost)(const uint32_t *counts, const uint32_t *others);
} PNGKernels;

/// The highest level that this processor supports: 0 any, 1 AVX2, 2 AVX-512.
int32_t pngBestLevel(void);
/// The kernels of a level, or of the highest supported one below it.
const PNGKernels *pngKernels(int32_t level);

/// Resets the palette to one colour.
void pngPaletteBegin(PNGPalette *palette, uint32_t color);
/// The palette index of a colour, which is added if it is new; 256 if the palette is full.
uint32_t pngPaletteAdd(PNGPalette *palette, uint32_t color);

/// Fills the tables of the parser; to be called once.
void pngPrepare(void);
/// The binary logarithm of a number above 0, in 1/`PNGCostOfBit` bits.
uint32_t pngLogarithm(uint32_t number);

/// Tokenizes the pending run at the end of a part; the bytes before `row` are the last ones.
void pngTokenizeRun(PNGTokens *tokens, const uint8_t *row);
/// Tokenizes the pending run, and `count` bytes that are at least three and repeat those `distance`
/// bytes before. The caller adds the position and the sums.
void pngTokenizeCopy(PNGTokens *tokens, const uint8_t *row, size_t count, uint32_t distance);

/// Whether two rows are equal. With flags of both, only flagged groups are compared.
int32_t pngRowsAreEqual(
    const void *a, const void *b, const uint8_t *flagsA, const uint8_t *flagsB, size_t width,
    size_t bytesPerPixel);

#endif
