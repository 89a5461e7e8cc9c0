#ifndef CPNGWRITER_H
#define CPNGWRITER_H

#include "CPNG.h"

// As in CPNG: every function returns whether it succeeded; the writer holds the reason.

typedef struct PNGShimWriter PNGShimWriter;

/// Returns NULL if there is no memory.
PNGShimWriter *pngWriterCreate(void);
void pngWriterFree(PNGShimWriter *writer);
/// Writes all chunks before the pixels. Without a profile the picture is sRGB; with one it also
/// stores the four bytes of `codePoints` (cICP).
int32_t pngWriterBegin(
    PNGShimWriter *writer, PNGShimHeader header, const uint8_t *codePoints, const uint8_t *profile,
    size_t profileLength, const PNGShimText *texts, int32_t textCount);
/// Adds the bytes of a row, unfiltered.
int32_t pngWriterAddRow(PNGShimWriter *writer, const uint8_t *row);
int32_t pngWriterEnd(PNGShimWriter *writer);
const char *pngWriterReason(const PNGShimWriter *writer);
/// The bytes written since the last `pngWriterForget`.
const uint8_t *pngWriterBytes(const PNGShimWriter *writer, size_t *count);
void pngWriterForget(PNGShimWriter *writer);

#endif
