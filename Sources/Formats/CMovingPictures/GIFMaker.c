#include "CMovingPictures.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

struct GIFMaker {
  GifFileType *file;
  uint8_t *line;
  uint8_t *bytes;
  size_t count, capacity;
};

static int append(GifFileType *file, const GifByteType *bytes, int length) {
  GIFMaker *maker = file->UserData;
  size_t count = (size_t)length;
  if (length < 0) return 0;
  if (count > maker->capacity - maker->count) {
    size_t capacity = maker->capacity;
    while (count > capacity - maker->count) capacity = capacity ? 2 * capacity : 1 << 14;
    uint8_t *grown = realloc(maker->bytes, capacity);
    if (!grown) return 0;
    maker->bytes = grown;
    maker->capacity = capacity;
  }
  memcpy(maker->bytes + maker->count, bytes, count);
  maker->count += count;
  return length;
}

/// Writes the colours, the size and the number of plays.
static MovingPictureProblem begin(
    GIFMaker *maker, int32_t width, int32_t height, const uint8_t *colors, int32_t colorCount,
    int32_t plays) {
  int bits = 1;
  while (1 << bits < colorCount) bits++;
  GifColorType table[256] = {0};
  for (int32_t i = 0; i < colorCount; i++)
    table[i] = (GifColorType){colors[3 * i], colors[3 * i + 1], colors[3 * i + 2]};
  ColorMapObject *map = GifMakeMapObject(1 << bits, table);
  if (!map) return MovingPictureNoMemory;
  int problem = 0;
  maker->file = EGifOpen(maker, append, &problem);
  bool isWritten = false;
  if (maker->file) {
    EGifSetGifVersion(maker->file, true);
    isWritten = EGifPutScreenDesc(maker->file, width, height, bits, 0, map) == GIF_OK;
  }
  GifFreeMapObject(map);
  if (isWritten && plays != 1) {
    // The number of repetitions, in the extension that browsers read.
    const int again = plays > 0 ? plays - 1 : 0;
    const uint8_t loop[3] = {1, again & 255, again >> 8 & 255};
    isWritten = EGifPutExtensionLeader(maker->file, APPLICATION_EXT_FUNC_CODE) == GIF_OK
                && EGifPutExtensionBlock(maker->file, 11, "NETSCAPE2.0") == GIF_OK
                && EGifPutExtensionBlock(maker->file, 3, loop) == GIF_OK
                && EGifPutExtensionTrailer(maker->file) == GIF_OK;
  }
  return isWritten ? MovingPictureReady : MovingPictureNoMemory;
}

GIFMaker *gifMakerCreate(
    int32_t width, int32_t height, const uint8_t *colors, int32_t colorCount, int32_t plays,
    MovingPictureProblem *problem) {
  *problem = MovingPictureUnsupported;
  if (width < 1 || height < 1 || width > 65535 || height > 65535) return NULL;
  if (colorCount < 1 || colorCount > 256 || plays < 0 || plays > 65536) return NULL;
  *problem = MovingPictureNoMemory;
  GIFMaker *maker = calloc(1, sizeof *maker);
  if (!maker) return NULL;
  maker->line = malloc((size_t)width);
  if (maker->line) *problem = begin(maker, width, height, colors, colorCount, plays);
  if (*problem == MovingPictureReady) return maker;
  gifMakerFree(maker);
  return NULL;
}

void gifMakerFree(GIFMaker *maker) {
  if (maker->file) {
    int problem = 0;
    EGifCloseFile(maker->file, &problem);
  }
  free(maker->line);
  free(maker->bytes);
  free(maker);
}

int32_t gifMakerAdd(GIFMaker *maker, GIFPart part, const uint8_t *indices) {
  const bool hasClear = part.clearIndex >= 0;
  const uint8_t control[4] = {
      (uint8_t)(part.disposal << 2 | hasClear), 0, 0, hasClear ? (uint8_t)part.clearIndex : 0};
  if (EGifPutExtension(maker->file, GRAPHICS_EXT_FUNC_CODE, 4, control) != GIF_OK) return 0;
  if (EGifPutImageDesc(
          maker->file, part.left, part.top, part.width, part.height, false, NULL)
      != GIF_OK)
    return 0;
  for (int32_t y = 0; y < part.height; y++) {
    // The library modifies its input.
    memcpy(maker->line, indices + (size_t)y * (size_t)part.width, (size_t)part.width);
    if (EGifPutLine(maker->file, maker->line, part.width) != GIF_OK) return 0;
  }
  return 1;
}

int32_t gifMakerEnd(GIFMaker *maker) {
  int problem = 0;
  int answer = EGifCloseFile(maker->file, &problem);
  maker->file = NULL;
  return answer == GIF_OK;
}

const uint8_t *gifMakerBytes(const GIFMaker *maker, size_t *count) {
  *count = maker->count;
  return maker->bytes;
}

void gifMakerForget(GIFMaker *maker) { maker->count = 0; }
