#include "CMovingPictures.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// The interfaces of libwebp and libwebpmux, which the upper bytes of their versions fix. The libraries
// report their versions.

enum { encoderVersion = 0x020F, muxVersion = 0x0108 };

typedef struct {
  int isLossless;
  float quality;
  int method;
  int others[26];
} WebPSettings;

typedef struct {
  int usesARGB;
  int colorSpace;
  int width, height;
  uint8_t *planes[3];
  int planeStrides[2];
  uint8_t *alpha;
  int alphaStride;
  uint32_t spare1[2];
  uint32_t *argb;
  int argbStride;
  uint32_t spare2[3];
  void *writer;
  void *writerUser;
  int extraKind;
  uint8_t *extra;
  void *statistics;
  int error;
  void *progress;
  void *user;
  uint32_t spare3[3];
  uint8_t *spare4[2];
  uint32_t spare5[8];
  void *memory[2];
  void *spare6[2];
} WebPFrame;

typedef struct {
  uint32_t background;
  int plays;
  int minimizesSize, keyMinimum, keyMaximum, allowsMixed, isVerbose;
  uint32_t spare[4];
} WebPMovie;

typedef struct {
  const uint8_t *bytes;
  size_t count;
} WebPBytes;

typedef struct {
  int (*initSettings)(WebPSettings *, int, float, int);
  int (*makeLossless)(WebPSettings *, int);
  int (*initFrame)(WebPFrame *, int);
  int (*import)(WebPFrame *, const uint8_t *, int);
  void (*freeFrame)(WebPFrame *);
  void (*freeBytes)(void *);
  int (*initMovie)(WebPMovie *, int);
  void *(*create)(int, int, const WebPMovie *, int);
  int (*add)(void *, WebPFrame *, int, const WebPSettings *);
  int (*assemble)(void *, WebPBytes *);
  const char *(*reason)(void *);
  void (*destroy)(void *);
} WebPLibrary;

struct WebPMaker {
  void *handle, *muxHandle;
  WebPLibrary library;
  WebPSettings settings;
  WebPFrame frame;
  void *movie;
  WebPBytes bytes;
};

static bool load(WebPMaker *maker) {
  WebPLibrary *library = &maker->library;
  const struct {
    void *handle;
    const char *name;
    void *target;
  } functions[] = {
      {maker->handle, "WebPConfigInitInternal", &library->initSettings},
      {maker->handle, "WebPConfigLosslessPreset", &library->makeLossless},
      {maker->handle, "WebPPictureInitInternal", &library->initFrame},
      {maker->handle, "WebPPictureImportRGBA", &library->import},
      {maker->handle, "WebPPictureFree", &library->freeFrame},
      {maker->handle, "WebPFree", &library->freeBytes},
      {maker->muxHandle, "WebPAnimEncoderOptionsInitInternal", &library->initMovie},
      {maker->muxHandle, "WebPAnimEncoderNewInternal", &library->create},
      {maker->muxHandle, "WebPAnimEncoderAdd", &library->add},
      {maker->muxHandle, "WebPAnimEncoderAssemble", &library->assemble},
      {maker->muxHandle, "WebPAnimEncoderGetError", &library->reason},
      {maker->muxHandle, "WebPAnimEncoderDelete", &library->destroy},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(functions[i].handle, functions[i].name);
    if (!function) return false;
    memcpy(functions[i].target, &function, sizeof function);
  }
  return true;
}

static MovingPictureProblem begin(
    WebPMaker *maker, int32_t width, int32_t height, int32_t plays) {
  WebPLibrary *library = &maker->library;
  WebPMovie movie;
  // The well-known defaults show whether the fields have the declared offsets.
  bool isValid = library->initSettings(&maker->settings, 0, 75, encoderVersion)
                 && maker->settings.isLossless == 0 && maker->settings.quality == 75
                 && maker->settings.method == 4
                 && library->makeLossless(&maker->settings, 4)
                 && maker->settings.isLossless == 1
                 && library->initFrame(&maker->frame, encoderVersion)
                 && library->initMovie(&movie, muxVersion) && movie.plays == 0
                 && movie.background == 0xFFFFFFFF;
  if (!isValid) return MovingPictureOtherLibrary;
  movie.background = 0;
  movie.plays = plays;
  maker->frame.usesARGB = 1;
  maker->frame.width = width;
  maker->frame.height = height;
  maker->movie = library->create(width, height, &movie, muxVersion);
  return maker->movie ? MovingPictureReady : MovingPictureNoMemory;
}

WebPMaker *webpMakerCreate(
    int32_t width, int32_t height, int32_t plays, MovingPictureProblem *problem) {
  *problem = MovingPictureUnsupported;
  if (width < 1 || height < 1 || width > 16383 || height > 16383) return NULL;
  if (plays < 0 || plays > 65535) return NULL;
  *problem = MovingPictureNoMemory;
  WebPMaker *maker = calloc(1, sizeof *maker);
  if (!maker) return NULL;
  maker->handle = dlopen("libwebp.so.7", RTLD_NOW | RTLD_LOCAL);
  maker->muxHandle = maker->handle ? dlopen("libwebpmux.so.3", RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!maker->muxHandle)
    *problem = MovingPictureNoLibrary;
  else if (!load(maker))
    *problem = MovingPictureOtherLibrary;
  else
    *problem = begin(maker, width, height, plays);
  if (*problem == MovingPictureReady) return maker;
  webpMakerFree(maker);
  return NULL;
}

void webpMakerFree(WebPMaker *maker) {
  if (maker->library.freeFrame) maker->library.freeFrame(&maker->frame);
  if (maker->movie) maker->library.destroy(maker->movie);
  if (maker->bytes.bytes) maker->library.freeBytes((void *)(uintptr_t)maker->bytes.bytes);
  if (maker->muxHandle) dlclose(maker->muxHandle);
  if (maker->handle) dlclose(maker->handle);
  free(maker);
}

int32_t webpMakerAdd(
    WebPMaker *maker, const uint8_t *pixels, size_t bytesPerRow, int32_t milliseconds) {
  return maker->library.import(&maker->frame, pixels, (int)bytesPerRow)
         && maker->library.add(maker->movie, &maker->frame, milliseconds, &maker->settings);
}

int32_t webpMakerEnd(WebPMaker *maker, int32_t milliseconds) {
  return maker->library.add(maker->movie, NULL, milliseconds, NULL)
         && maker->library.assemble(maker->movie, &maker->bytes);
}

const uint8_t *webpMakerBytes(const WebPMaker *maker, size_t *count) {
  *count = maker->bytes.count;
  return maker->bytes.bytes;
}

const char *webpMakerReason(const WebPMaker *maker) { return maker->library.reason(maker->movie); }
