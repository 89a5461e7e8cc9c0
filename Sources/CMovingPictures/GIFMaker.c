#include "CMovingPictures.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// The interface of giflib 5, which the library's name, libgif.so.7, fixes.

typedef struct {
  uint8_t red, green, blue;
} GIFColor;

typedef struct {
  int colorCount;
  int bitsPerPixel;
  bool isSorted;
  GIFColor *colors;
} GIFColorMap;

typedef struct {
  int width, height, colorResolution, background;
  uint8_t aspect;
  GIFColorMap *colors;
  int imageCount;
  struct {
    int left, top, width, height;
    bool isInterlaced;
    GIFColorMap *colors;
  } image;
  void *savedImages;
  int extensionCount;
  void *extensions;
  int error;
  void *user;
  void *internals;
} GIFFile;

enum { gifOK = 1, graphicsControl = 0xF9, application = 0xFF };

typedef struct {
  GIFFile *(*open)(void *, int (*)(GIFFile *, const uint8_t *, int), int *);
  int (*close)(GIFFile *, int *);
  void (*setVersion)(GIFFile *, bool);
  int (*putScreen)(GIFFile *, int, int, int, int, const GIFColorMap *);
  int (*putImage)(GIFFile *, int, int, int, int, bool, const GIFColorMap *);
  int (*putLine)(GIFFile *, uint8_t *, int);
  int (*putExtension)(GIFFile *, int, int, const void *);
  int (*putLeader)(GIFFile *, int);
  int (*putBlock)(GIFFile *, int, const void *);
  int (*putTrailer)(GIFFile *);
  GIFColorMap *(*makeMap)(int, const GIFColor *);
  void (*freeMap)(GIFColorMap *);
} GIFLibrary;

struct GIFMaker {
  void *handle;
  GIFLibrary library;
  GIFFile *file;
  uint8_t *line;
  uint8_t *bytes;
  size_t count, capacity;
};

static bool load(GIFMaker *maker) {
  GIFLibrary *library = &maker->library;
  const struct {
    const char *name;
    void *target;
  } functions[] = {
      {"EGifOpen", &library->open},
      {"EGifCloseFile", &library->close},
      {"EGifSetGifVersion", &library->setVersion},
      {"EGifPutScreenDesc", &library->putScreen},
      {"EGifPutImageDesc", &library->putImage},
      {"EGifPutLine", &library->putLine},
      {"EGifPutExtension", &library->putExtension},
      {"EGifPutExtensionLeader", &library->putLeader},
      {"EGifPutExtensionBlock", &library->putBlock},
      {"EGifPutExtensionTrailer", &library->putTrailer},
      {"GifMakeMapObject", &library->makeMap},
      {"GifFreeMapObject", &library->freeMap},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(maker->handle, functions[i].name);
    if (!function) return false;
    memcpy(functions[i].target, &function, sizeof function);
  }
  return true;
}

static int append(GIFFile *file, const uint8_t *bytes, int length) {
  GIFMaker *maker = file->user;
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

/// Whether the library's file structure has the layout declared here: it must hold the values that it
/// was just given.
static bool hasDeclaredLayout(const GIFMaker *maker, int32_t width, int32_t height) {
  const GIFFile *file = maker->file;
  return file->width == width && file->height == height && file->user == maker && file->internals
         && maker->count >= 13 && memcmp(maker->bytes, "GIF89a", 6) == 0;
}

static MovingPictureProblem begin(
    GIFMaker *maker, int32_t width, int32_t height, const uint8_t *colors, int32_t colorCount,
    int32_t plays) {
  GIFLibrary *library = &maker->library;
  int bits = 1;
  while (1 << bits < colorCount) bits++;
  GIFColor table[256] = {0};
  memcpy(table, colors, 3 * (size_t)colorCount);
  GIFColorMap *map = library->makeMap(1 << bits, table);
  if (!map) return MovingPictureNoMemory;
  bool isValid = map->colorCount == 1 << bits && map->bitsPerPixel == bits;
  if (isValid) {
    int problem = 0;
    maker->file = library->open(maker, append, &problem);
    if (!maker->file) {
      library->freeMap(map);
      return MovingPictureNoMemory;
    }
    library->setVersion(maker->file, true);
    isValid = maker->file->user == maker
              && library->putScreen(maker->file, width, height, bits, 0, map) == gifOK
              && hasDeclaredLayout(maker, width, height);
  }
  library->freeMap(map);
  if (!isValid) return MovingPictureOtherLibrary;
  if (plays == 1) return MovingPictureReady;
  // The number of repetitions, in the extension that browsers read.
  int again = plays > 0 ? plays - 1 : 0;
  const uint8_t loop[3] = {1, again & 255, again >> 8 & 255};
  bool isWritten = library->putLeader(maker->file, application) == gifOK
                   && library->putBlock(maker->file, 11, "NETSCAPE2.0") == gifOK
                   && library->putBlock(maker->file, 3, loop) == gifOK
                   && library->putTrailer(maker->file) == gifOK;
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
  maker->handle = dlopen("libgif.so.7", RTLD_NOW | RTLD_LOCAL);
  if (!maker->handle)
    *problem = MovingPictureNoLibrary;
  else if (!load(maker))
    *problem = MovingPictureOtherLibrary;
  else if (maker->line)
    *problem = begin(maker, width, height, colors, colorCount, plays);
  if (*problem == MovingPictureReady) return maker;
  gifMakerFree(maker);
  return NULL;
}

void gifMakerFree(GIFMaker *maker) {
  if (maker->file) {
    int problem = 0;
    maker->library.close(maker->file, &problem);
  }
  if (maker->handle) dlclose(maker->handle);
  free(maker->line);
  free(maker->bytes);
  free(maker);
}

int32_t gifMakerAdd(GIFMaker *maker, GIFPart part, const uint8_t *indices) {
  GIFLibrary *library = &maker->library;
  bool hasClear = part.clearIndex >= 0;
  const uint8_t control[4] = {
      (uint8_t)(part.disposal << 2 | hasClear), 0, 0, hasClear ? (uint8_t)part.clearIndex : 0};
  if (library->putExtension(maker->file, graphicsControl, 4, control) != gifOK) return 0;
  if (library->putImage(
          maker->file, part.left, part.top, part.width, part.height, false, NULL)
      != gifOK)
    return 0;
  for (int32_t y = 0; y < part.height; y++) {
    // The library modifies its input.
    memcpy(maker->line, indices + (size_t)y * (size_t)part.width, (size_t)part.width);
    if (library->putLine(maker->file, maker->line, part.width) != gifOK) return 0;
  }
  return 1;
}

int32_t gifMakerEnd(GIFMaker *maker) {
  int problem = 0;
  int answer = maker->library.close(maker->file, &problem);
  maker->file = NULL;
  return answer == gifOK;
}

const uint8_t *gifMakerBytes(const GIFMaker *maker, size_t *count) {
  *count = maker->count;
  return maker->bytes;
}

void gifMakerForget(GIFMaker *maker) { maker->count = 0; }
