// Selects a level, and contains the code that all levels share.
#include "CInstructions.h"
#include "Shared.h"

// By half bytes. Most bytes of a checksum are folded 64 at once, and a constant needs no first
// call.
const uint32_t crcOfHalfByte[16] = {
  0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
  0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
};

extern const PNGKernels pngKernelsOfLevel0;
#if defined(__x86_64__)
extern const PNGKernels pngKernelsOfLevel1;
extern const PNGKernels pngKernelsOfLevel2;
#endif

int32_t pngBestLevel(void) { return instructionLevel(); }

const PNGKernels *pngKernels(int32_t level) {
#if defined(__x86_64__)
  const int32_t best = pngBestLevel();
  if (level > best) level = best;
  if (level == 2) return &pngKernelsOfLevel2;
  if (level == 1) return &pngKernelsOfLevel1;
#endif
  (void)level;
  return &pngKernelsOfLevel0;
}

void pngPaletteBegin(PNGPalette *palette, uint32_t color) {
  memset(palette->indices, 0, sizeof palette->indices);
  memset(palette->opaque, 0, sizeof palette->opaque);
  palette->count = 0;
  pngPaletteAdd(palette, color);
}

uint32_t pngPaletteAdd(PNGPalette *palette, uint32_t color) { return paletteIndexOf(palette, color); }

void pngTokenizeRun(PNGTokens *tokens, const uint8_t *row) {
  if (tokens->run >= 3)
    tokens->next = putRun(tokens->next, tokens->run);
  else
    for (uint64_t back = tokens->run; back > 0; back--) *tokens->next++ = *(row - back);
  tokens->run = 0;
}

void pngTokenizeCopy(PNGTokens *tokens, const uint8_t *row, size_t count, uint32_t distance) {
  pngTokenizeRun(tokens, row);
  uint16_t *next = tokens->next;
  uint32_t tokenCount;
  const uint64_t longest = matchTokens(PNGLongestMatch, distance, &tokenCount);
  for (; count > PNGLongestMatch + 2; count -= PNGLongestMatch) {
    store64(next, longest);
    next += tokenCount;
  }
  // No remainder of one or two bytes is possible.
  if (count > PNGLongestMatch) {
    next = putMatch(next, (uint32_t)count - 3, distance);
    count = 3;
  }
  tokens->next = putMatch(next, (uint32_t)count, distance);
}

int32_t pngRowsAreEqual(
    const void *a, const void *b, const uint8_t *flagsA, const uint8_t *flagsB, size_t width,
    size_t bytesPerPixel) {
  if (!flagsA || !flagsB) return !memcmp(a, b, width * bytesPerPixel);
  // Neighbouring groups are compared at once.
  const size_t groups = (width + GROUP - 1) / GROUP;
  for (size_t group = 0; group < groups;) {
    const uint32_t left = (uint32_t)(flagsA[group >> 3] | flagsB[group >> 3]) >> (group & 7);
    if (!left) {
      group = (group | 7) + 1;
      continue;
    }
    group += (size_t)__builtin_ctz(left);
    // Flags beyond the last pixel may be set.
    if (group >= groups) break;
    size_t end = group + 1;
    while (end < groups && (isFlagged(flagsA, end) || isFlagged(flagsB, end))) end++;
    const size_t stop = end * GROUP < width ? end * GROUP : width, first = group * GROUP * bytesPerPixel;
    if (memcmp((const char *)a + first, (const char *)b + first, stop * bytesPerPixel - first)) return 0;
    group = end;
  }
  return 1;
}

/// The symbol of each token: literals, the end, and lengths, then distances, then one for tokens of
/// extra bits.
uint16_t pngSymbolOfToken[PNGTokenCount];
/// Logarithms of 1 to 2 in steps of 1/1,024.
uint8_t pngLogarithmFractions[1024];
/// Small numbers times their logarithms.
uint32_t pngEntropyShares[PNGEntropyShareCount];

void pngPrepare(void) {
  for (uint32_t token = 0; token <= PNGTokenEnd; token++) pngSymbolOfToken[token] = (uint16_t)token;
  for (uint32_t length = 3; length <= 258; length++) {
    uint32_t symbol = 28;
    if (length < 258) {
      const uint32_t less = length - 3;
      const uint32_t extra = less < 8 ? 0 : 29 - (uint32_t)__builtin_clz(less);
      symbol = (extra << 2) + (less >> extra);
    }
    pngSymbolOfToken[PNGTokenRun + length] = (uint16_t)(257 + symbol);
    pngSymbolOfToken[PNGTokenLength + length] = (uint16_t)(257 + symbol);
  }
  for (uint32_t symbol = 0; symbol < 30; symbol++)
    pngSymbolOfToken[PNGTokenDistance + symbol] = (uint16_t)(286 + symbol);
  for (uint32_t token = PNGTokenBits; token < PNGTokenCount; token++)
    pngSymbolOfToken[token] = PNGSymbolCount;
  // Each squaring yields one more bit of the logarithm.
  for (uint32_t step = 0; step < 1024; step++) {
    double value = 1 + step / 1024.0;
    uint32_t bits = 0;
    for (uint32_t round = 0; round < 7; round++) {
      value *= value;
      bits = bits << 1 | (value >= 2);
      if (value >= 2) value /= 2;
    }
    pngLogarithmFractions[step] = (uint8_t)((bits + 1) / 2);
  }
  for (uint32_t number = 1; number < PNGEntropyShareCount; number++)
    pngEntropyShares[number] = number * logarithm(number);
}

uint32_t pngLogarithm(uint32_t number) { return logarithm(number); }
