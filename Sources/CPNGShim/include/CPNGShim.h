#ifndef CPNGSHIM_H
#define CPNGSHIM_H

#include <stddef.h>
#include <stdint.h>

// libpng reports errors by jumping out of it, which must not cross Swift. Every function here comes
// back with whether it worked, and the reason lies in the writer or reader.

typedef struct PNGShimWriter PNGShimWriter;
typedef struct PNGShimReader PNGShimReader;

/// What is known of a picture before its pixels.
typedef struct {
  uint32_t width;
  uint32_t height;
  int32_t depth;
  /// Whether pixels have four components, and not three.
  int32_t hasAlpha;
  /// Zero where it is not told.
  uint32_t pixelsPerMeter;
} PNGShimHeader;

/// A text by name. The name is Latin-1; the text is UTF-8 where `isUnicode` says so.
typedef struct {
  const char *keyword;
  const char *text;
  size_t length;
  int32_t isUnicode;
} PNGShimText;

/// NULL without memory.
PNGShimWriter *pngWriterCreate(void);
void pngWriterFree(PNGShimWriter *writer);
/// Writes all that stands before the pixels. Without a profile the picture is sRGB, and with one it is
/// what the four bytes of `codePoints` say, too.
int32_t pngWriterBegin(
    PNGShimWriter *writer, PNGShimHeader header, const uint8_t *codePoints, const uint8_t *profile,
    size_t profileLength, const PNGShimText *texts, int32_t textCount);
/// The bytes of a row as they stand in the file, before they are filtered.
int32_t pngWriterAddRow(PNGShimWriter *writer, const uint8_t *row);
int32_t pngWriterEnd(PNGShimWriter *writer);
const char *pngWriterReason(const PNGShimWriter *writer);
/// What was written since the last `pngWriterForget`.
const uint8_t *pngWriterBytes(const PNGShimWriter *writer, size_t *count);
void pngWriterForget(PNGShimWriter *writer);

/// A reader of bytes that stay where they are; it takes no more memory than `memoryLimit`, and no
/// chunk beside the pixels may be larger than `chunkLimit`. NULL without memory.
PNGShimReader *pngReaderCreate(
    const uint8_t *bytes, size_t count, uint32_t sideLimit, size_t memoryLimit, size_t chunkLimit);
void pngReaderFree(PNGShimReader *reader);
/// Reads what stands before the pixels. `rowBytes` are those of the file's rows, before pixels are
/// given four components.
int32_t pngReaderBegin(PNGShimReader *reader, PNGShimHeader *header, uint64_t *rowBytes);
/// Reads all pixels, four components each of 8 or 16 bits, and what stands behind them.
int32_t pngReaderPixels(PNGShimReader *reader, uint8_t *pixels, size_t bytesPerRow);
int32_t pngReaderTextCount(PNGShimReader *reader);
PNGShimText pngReaderText(PNGShimReader *reader, int32_t index);
const char *pngReaderReason(const PNGShimReader *reader);
/// How many bytes were read.
size_t pngReaderOffset(const PNGShimReader *reader);

#endif
