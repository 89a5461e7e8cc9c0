#ifndef CPNGSHIM_H
#define CPNGSHIM_H

#include <stddef.h>
#include <stdint.h>

// libpng reports errors by longjmp, which must not cross Swift. Every function here returns whether
// it succeeded; the reader holds the reason.

typedef struct PNGShimReader PNGShimReader;

/// The contents of the IHDR and pHYs chunks.
typedef struct {
  uint32_t width;
  uint32_t height;
  int32_t depth;
  /// Whether pixels have alpha: four components, not three.
  int32_t hasAlpha;
  /// Zero if there is no resolution.
  uint32_t pixelsPerMeter;
} PNGShimHeader;

/// A text with a keyword. The keyword is Latin-1; the text is UTF-8 if `isUnicode` is set,
/// otherwise Latin-1.
typedef struct {
  const char *keyword;
  const char *text;
  size_t length;
  int32_t isUnicode;
} PNGShimText;

/// A reader of bytes that must stay valid. It uses at most `memoryLimit` bytes, and no chunk
/// besides the pixels may be larger than `chunkLimit` bytes. Returns NULL if there is no memory.
PNGShimReader *pngReaderCreate(
    const uint8_t *bytes, size_t count, uint32_t sideLimit, size_t memoryLimit, size_t chunkLimit);
void pngReaderFree(PNGShimReader *reader);
/// Reads all chunks before the pixels. `rowBytes` is the size of the file's rows, before pixels are
/// expanded to four components.
int32_t pngReaderBegin(PNGShimReader *reader, PNGShimHeader *header, uint64_t *rowBytes);
/// Reads all pixels, as four components of 8 or 16 bits, and the chunks after them.
int32_t pngReaderPixels(PNGShimReader *reader, uint8_t *pixels, size_t bytesPerRow);
int32_t pngReaderTextCount(PNGShimReader *reader);
PNGShimText pngReaderText(PNGShimReader *reader, int32_t index);
const char *pngReaderReason(const PNGShimReader *reader);
/// The number of bytes read.
size_t pngReaderOffset(const PNGShimReader *reader);

#endif
