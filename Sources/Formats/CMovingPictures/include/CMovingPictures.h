#ifndef CMOVINGPICTURES_H
#define CMOVINGPICTURES_H

#include <stddef.h>
#include <stdint.h>

// Encodes moving pictures with giflib and libwebp.

/// The reason why there is no maker.
typedef enum {
  MovingPictureReady = 0,
  MovingPictureNoMemory,
  /// The form does not support this size or loop count.
  MovingPictureUnsupported,
} MovingPictureProblem;

// MARK: - GIF

typedef struct GIFMaker GIFMaker;

/// Begins a file with up to 256 colours, three bytes each, that plays `plays` times, or forever for
/// 0. Returns NULL and sets `problem` if that fails.
GIFMaker *gifMakerCreate(
    int32_t width, int32_t height, const uint8_t *colors, int32_t colorCount, int32_t plays,
    MovingPictureProblem *problem);
void gifMakerFree(GIFMaker *maker);
/// The disposal of the area of a part before the next part is drawn.
typedef enum { GIFKeep = 1, GIFClear = 2 } GIFDisposal;
/// A rectangle of the picture.
typedef struct {
  int32_t left, top, width, height;
  GIFDisposal disposal;
  /// The index for transparent pixels, or -1.
  int32_t clearIndex;
} GIFPart;
/// Adds a part with one byte for each pixel. Its bytes start with a graphic control extension of
/// eight bytes. The fifth and sixth are the delay in hundredths of a second, little-endian, and are
/// zero.
int32_t gifMakerAdd(GIFMaker *maker, GIFPart part, const uint8_t *indices);
/// Ends the file.
int32_t gifMakerEnd(GIFMaker *maker);
/// The bytes written since the last `gifMakerForget`.
const uint8_t *gifMakerBytes(const GIFMaker *maker, size_t *count);
void gifMakerForget(GIFMaker *maker);

// MARK: - WebP

typedef struct WebPMaker WebPMaker;

/// Begins a lossless file that plays `plays` times, or forever for 0.
WebPMaker *webpMakerCreate(
    int32_t width, int32_t height, int32_t plays, MovingPictureProblem *problem);
void webpMakerFree(WebPMaker *maker);
/// Adds a whole picture: RGBA with straight alpha, one byte for each component.
int32_t webpMakerAdd(
    WebPMaker *maker, const uint8_t *pixels, size_t bytesPerRow, int32_t milliseconds);
/// Ends the file; `webpMakerBytes` then returns it.
int32_t webpMakerEnd(WebPMaker *maker, int32_t milliseconds);
const uint8_t *webpMakerBytes(const WebPMaker *maker, size_t *count);
/// The library's error message, or NULL.
const char *webpMakerReason(const WebPMaker *maker);

#endif
