#include "CMovingPictures.h"

#include <stdlib.h>
#include <webp/encode.h>
#include <webp/mux.h>

struct WebPMaker {
  WebPConfig settings;
  WebPPicture frame;
  WebPAnimEncoder *movie;
  WebPData bytes;
};

static MovingPictureProblem begin(
    WebPMaker *maker, int32_t width, int32_t height, int32_t plays) {
  WebPAnimEncoderOptions movie;
  if (!WebPConfigInit(&maker->settings) || !WebPConfigLosslessPreset(&maker->settings, 4)
      || !WebPPictureInit(&maker->frame) || !WebPAnimEncoderOptionsInit(&movie))
    return MovingPictureNoMemory;
  movie.anim_params.bgcolor = 0;
  movie.anim_params.loop_count = plays;
  maker->frame.use_argb = 1;
  maker->frame.width = width;
  maker->frame.height = height;
  maker->movie = WebPAnimEncoderNew(width, height, &movie);
  return maker->movie ? MovingPictureReady : MovingPictureNoMemory;
}

WebPMaker *webpMakerCreate(
    int32_t width, int32_t height, int32_t plays, MovingPictureProblem *problem) {
  *problem = MovingPictureUnsupported;
  if (width < 1 || height < 1 || width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION)
    return NULL;
  if (plays < 0 || plays > 65535) return NULL;
  *problem = MovingPictureNoMemory;
  WebPMaker *maker = calloc(1, sizeof *maker);
  if (!maker) return NULL;
  *problem = begin(maker, width, height, plays);
  if (*problem == MovingPictureReady) return maker;
  webpMakerFree(maker);
  return NULL;
}

void webpMakerFree(WebPMaker *maker) {
  WebPPictureFree(&maker->frame);
  WebPAnimEncoderDelete(maker->movie);
  WebPDataClear(&maker->bytes);
  free(maker);
}

int32_t webpMakerAdd(
    WebPMaker *maker, const uint8_t *pixels, size_t bytesPerRow, int32_t milliseconds) {
  return WebPPictureImportRGBA(&maker->frame, pixels, (int)bytesPerRow)
         && WebPAnimEncoderAdd(maker->movie, &maker->frame, milliseconds, &maker->settings);
}

int32_t webpMakerEnd(WebPMaker *maker, int32_t milliseconds) {
  return WebPAnimEncoderAdd(maker->movie, NULL, milliseconds, NULL)
         && WebPAnimEncoderAssemble(maker->movie, &maker->bytes);
}

const uint8_t *webpMakerBytes(const WebPMaker *maker, size_t *count) {
  *count = maker->bytes.size;
  return maker->bytes.bytes;
}

const char *webpMakerReason(const WebPMaker *maker) {
  return WebPAnimEncoderGetError(maker->movie);
}
