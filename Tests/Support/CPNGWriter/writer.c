#include "CPNGWriter.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/// The target of `longjmp` after an error, and the reason.
typedef struct {
  jmp_buf escape;
  char reason[160];
} Trap;

static void fail(png_structp png, png_const_charp reason) {
  Trap *trap = png_get_error_ptr(png);
  strncpy(trap->reason, reason, sizeof trap->reason - 1);
  longjmp(trap->escape, 1);
}

static void ignoreWarning(png_structp png, png_const_charp reason) {
  (void)png;
  (void)reason;
}

struct PNGShimWriter {
  Trap trap;
  png_structp png;
  png_infop info;
  uint8_t *bytes;
  size_t count, capacity;
};

static void append(png_structp png, png_bytep bytes, size_t count) {
  PNGShimWriter *writer = png_get_io_ptr(png);
  if (count > writer->capacity - writer->count) {
    size_t capacity = writer->capacity;
    while (count > capacity - writer->count) capacity = capacity ? 2 * capacity : 1 << 14;
    uint8_t *grown = realloc(writer->bytes, capacity);
    if (!grown) png_error(png, "out of memory");
    writer->bytes = grown;
    writer->capacity = capacity;
  }
  memcpy(writer->bytes + writer->count, bytes, count);
  writer->count += count;
}

static void flush(png_structp png) { (void)png; }

PNGShimWriter *pngWriterCreate(void) {
  PNGShimWriter *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  if (setjmp(writer->trap.escape)) {
    pngWriterFree(writer);
    return NULL;
  }
  writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer->trap, fail, ignoreWarning);
  writer->info = writer->png ? png_create_info_struct(writer->png) : NULL;
  if (!writer->info) {
    pngWriterFree(writer);
    return NULL;
  }
  png_set_write_fn(writer->png, writer, append, flush);
  return writer;
}

void pngWriterFree(PNGShimWriter *writer) {
  png_destroy_write_struct(&writer->png, &writer->info);
  free(writer->bytes);
  free(writer);
}

int32_t pngWriterBegin(
    PNGShimWriter *writer, PNGShimHeader header, const uint8_t *codePoints, const uint8_t *profile,
    size_t profileLength, const PNGShimText *texts, int32_t textCount) {
  png_structp png = writer->png;
  if (setjmp(writer->trap.escape)) return 0;
  // The caller has checked the size, which may exceed libpng's default limit of a million pixels
  // per side.
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(
      png, writer->info, header.width, header.height, header.depth,
      header.hasAlpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
      PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (profile) {
    png_set_iCCP(
        png, writer->info, "Display P3", PNG_COMPRESSION_TYPE_BASE, profile,
        (png_uint_32)profileLength);
  } else {
    png_set_sRGB(png, writer->info, PNG_sRGB_INTENT_RELATIVE);
  }
  if (header.pixelsPerMeter) {
    png_set_pHYs(
        png, writer->info, header.pixelsPerMeter, header.pixelsPerMeter, PNG_RESOLUTION_METER);
  }
  for (int32_t index = 0; index < textCount; index++) {
    const PNGShimText *given = &texts[index];
    png_text text = {
        .compression =
            given->isUnicode ? PNG_ITXT_COMPRESSION_NONE : PNG_TEXT_COMPRESSION_NONE,
        .key = (char *)given->keyword,
        .text = (char *)given->text,
        .text_length = given->isUnicode ? 0 : given->length,
        .itxt_length = given->isUnicode ? given->length : 0,
        .lang = "",
        .lang_key = "",
    };
    png_set_text(png, writer->info, &text, 1);
  }
  if (profile) {
    // libpng 1.6 does not know this chunk, which must precede the palette.
    png_write_info_before_PLTE(png, writer->info);
    png_write_chunk(png, (png_const_bytep) "cICP", codePoints, 4);
  }
  png_write_info(png, writer->info);
  return 1;
}

int32_t pngWriterAddRow(PNGShimWriter *writer, const uint8_t *row) {
  if (setjmp(writer->trap.escape)) return 0;
  png_write_row(writer->png, row);
  return 1;
}

int32_t pngWriterEnd(PNGShimWriter *writer) {
  if (setjmp(writer->trap.escape)) return 0;
  png_write_end(writer->png, NULL);
  return 1;
}

const char *pngWriterReason(const PNGShimWriter *writer) { return writer->trap.reason; }

const uint8_t *pngWriterBytes(const PNGShimWriter *writer, size_t *count) {
  *count = writer->count;
  return writer->bytes;
}

void pngWriterForget(PNGShimWriter *writer) { writer->count = 0; }
