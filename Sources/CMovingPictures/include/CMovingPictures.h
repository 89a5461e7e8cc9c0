#ifndef CMOVINGPICTURES_H
#define CMOVINGPICTURES_H

#include <stddef.h>
#include <stdint.h>

// Moving pictures through libraries that may be installed or not: they are looked for while the program
// runs, so nothing is linked to them, and no headers are needed to build. What their interfaces fix for
// good is declared in the two sources, and whether it is so is asked before anything is written.

/// Why there is no maker.
typedef enum {
  MovingPictureReady = 0,
  /// A library is not installed.
  MovingPictureNoLibrary,
  /// It is another than the one that is meant.
  MovingPictureOtherLibrary,
  MovingPictureNoMemory,
  /// It does not take pictures like these.
  MovingPictureUnfit,
} MovingPictureProblem;

// MARK: - GIF

typedef struct GIFMaker GIFMaker;

/// Begins a file with up to 256 colours, three bytes each. `plays` says how often it is shown: 0 for
/// without end. NULL where that cannot be, and why.
GIFMaker *gifMakerCreate(
    int32_t width, int32_t height, const uint8_t *colors, int32_t colorCount, int32_t plays,
    MovingPictureProblem *problem);
void gifMakerFree(GIFMaker *maker);
/// What is done with the place of a picture before the next one.
typedef enum { GIFKeep = 1, GIFClear = 2 } GIFDisposal;
/// A part of the picture.
typedef struct {
  int32_t left, top, width, height;
  GIFDisposal disposal;
  /// The colour that is none, or -1.
  int32_t clearIndex;
} GIFPart;
/// Adds a part, a byte each pixel. It begins with eight bytes whose fifth and sixth tell how long it
/// is shown, in hundredths of a second, the lower one first. These say zero.
int32_t gifMakerAdd(GIFMaker *maker, GIFPart part, const uint8_t *indices);
/// Ends the file.
int32_t gifMakerEnd(GIFMaker *maker);
/// What was written since the last `gifMakerForget`.
const uint8_t *gifMakerBytes(const GIFMaker *maker, size_t *count);
void gifMakerForget(GIFMaker *maker);

// MARK: - WebP

typedef struct WebPMaker WebPMaker;

/// Begins a file that loses nothing. `plays` says how often it is shown: 0 for without end.
WebPMaker *webpMakerCreate(
    int32_t width, int32_t height, int32_t plays, MovingPictureProblem *problem);
void webpMakerFree(WebPMaker *maker);
/// Adds a whole picture, four bytes each pixel, not multiplied by opacity.
int32_t webpMakerAdd(
    WebPMaker *maker, const uint8_t *pixels, size_t bytesPerRow, int32_t milliseconds);
/// Ends the file, which then lies in `webpMakerBytes`.
int32_t webpMakerEnd(WebPMaker *maker, int32_t milliseconds);
const uint8_t *webpMakerBytes(const WebPMaker *maker, size_t *count);
/// What the library said.
const char *webpMakerReason(const WebPMaker *maker);

#endif
