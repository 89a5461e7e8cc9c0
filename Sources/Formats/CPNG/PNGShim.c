#include "CPNG.h"

#include <malloc.h>
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

struct PNGShimReader {
  Trap trap;
  png_structp png;
  png_infop info;
  const uint8_t *bytes;
  size_t count, offset;
  size_t memory, memoryLimit;
};

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
  PNGShimReader *reader = png_get_mem_ptr(png);
  if (size > reader->memoryLimit - reader->memory) return NULL;
  void *memory = malloc(size);
  if (memory) reader->memory += malloc_usable_size(memory);
  // The system allocates a little more than requested.
  if (reader->memory > reader->memoryLimit) reader->memory = reader->memoryLimit;
  return memory;
}

static void release(png_structp png, png_voidp memory) {
  PNGShimReader *reader = png_get_mem_ptr(png);
  size_t size = memory ? malloc_usable_size(memory) : 0;
  reader->memory -= size < reader->memory ? size : reader->memory;
  free(memory);
}

static void take(png_structp png, png_bytep bytes, size_t count) {
  PNGShimReader *reader = png_get_io_ptr(png);
  if (count > reader->count - reader->offset) png_error(png, "the file is truncated");
  memcpy(bytes, reader->bytes + reader->offset, count);
  reader->offset += count;
}

PNGShimReader *pngReaderCreate(
    const uint8_t *bytes, size_t count, uint32_t sideLimit, size_t memoryLimit, size_t chunkLimit) {
  PNGShimReader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->bytes = bytes;
  reader->count = count;
  reader->memoryLimit = memoryLimit;
  if (setjmp(reader->trap.escape)) {
    pngReaderFree(reader);
    return NULL;
  }
  reader->png = png_create_read_struct_2(
      PNG_LIBPNG_VER_STRING, &reader->trap, fail, ignoreWarning, reader, allocate, release);
  reader->info = reader->png ? png_create_info_struct(reader->png) : NULL;
  if (!reader->info) {
    pngReaderFree(reader);
    return NULL;
  }
  png_set_read_fn(reader->png, reader, take);
  png_set_user_limits(reader->png, sideLimit, sideLimit);
  png_set_chunk_malloc_max(reader->png, chunkLimit);
  png_set_crc_action(reader->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  return reader;
}

void pngReaderFree(PNGShimReader *reader) {
  png_destroy_read_struct(&reader->png, &reader->info, NULL);
  free(reader);
}

int32_t pngReaderBegin(PNGShimReader *reader, PNGShimHeader *header, uint64_t *rowBytes) {
  png_structp png = reader->png;
  if (setjmp(reader->trap.escape)) return 0;
  png_read_info(png, reader->info);
  *rowBytes = png_get_rowbytes(png, reader->info);
  header->width = png_get_image_width(png, reader->info);
  header->height = png_get_image_height(png, reader->info);
  header->depth = png_get_bit_depth(png, reader->info) == 16 ? 16 : 8;
  header->hasAlpha = (png_get_color_type(png, reader->info) & PNG_COLOR_MASK_ALPHA) != 0 ||
                     png_get_valid(png, reader->info, PNG_INFO_tRNS) != 0;
  png_uint_32 x = 0, y = 0;
  int unit = PNG_RESOLUTION_UNKNOWN;
  png_get_pHYs(png, reader->info, &x, &y, &unit);
  header->pixelsPerMeter = unit == PNG_RESOLUTION_METER && x == y ? x : 0;
  return 1;
}

int32_t pngReaderPixels(PNGShimReader *reader, uint8_t *pixels, size_t bytesPerRow) {
  png_structp png = reader->png;
  if (setjmp(reader->trap.escape)) return 0;
  png_set_expand(png);
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 0xFFFF, PNG_FILLER_AFTER);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  png_set_swap(png);
#endif
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, reader->info);
  if (png_get_rowbytes(png, reader->info) > bytesPerRow) png_error(png, "a row is too long");
  png_uint_32 height = png_get_image_height(png, reader->info);
  for (int pass = 0; pass < passes; pass++) {
    for (png_uint_32 y = 0; y < height; y++) {
      png_read_row(png, pixels + (size_t)y * bytesPerRow, NULL);
    }
  }
  png_read_end(png, reader->info);
  return 1;
}

int32_t pngReaderTextCount(PNGShimReader *reader) {
  png_textp texts = NULL;
  int count = 0;
  png_get_text(reader->png, reader->info, &texts, &count);
  return count;
}

PNGShimText pngReaderText(PNGShimReader *reader, int32_t index) {
  png_textp texts = NULL;
  int count = 0;
  png_get_text(reader->png, reader->info, &texts, &count);
  const png_text *text = &texts[index];
  int isUnicode = text->compression >= PNG_ITXT_COMPRESSION_NONE;
  return (PNGShimText){
      .keyword = text->key,
      .text = text->text,
      .length = isUnicode ? text->itxt_length : text->text_length,
      .isUnicode = isUnicode,
  };
}

const char *pngReaderReason(const PNGShimReader *reader) { return reader->trap.reason; }

size_t pngReaderOffset(const PNGShimReader *reader) { return reader->offset; }
