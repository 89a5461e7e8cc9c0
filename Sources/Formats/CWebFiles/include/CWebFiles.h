#ifndef CWEBFILES_H
#define CWEBFILES_H

#include <stddef.h>

/// A file for browsers, which the compiler has put into the program.
typedef struct {
  const char *name;
  const unsigned char *bytes;
  size_t count;
} WebFile;

/// Files in the order of their names.
typedef struct {
  const WebFile *files;
  size_t count;
} WebFiles;

/// Scripts and styles of the player: `Animation/Player`.
WebFiles webPlayerFiles(void);

/// Scripts, styles and pictures of the elements for drawing: `Web/Canvas`.
WebFiles webCanvasFiles(void);

/// The files of the server's pages: `WebPages/Site`.
WebFiles webPageFiles(void);

/// The engine that replays `.pkd` files, as gzip. It has no bytes if the program was compiled
/// before the engine was: `Sources/Web/WebEngine/build` makes it.
WebFile webPlayerEngine(void);

/// The engine for drawing, as gzip, with the same reservation.
WebFile webCanvasEngine(void);

/// The whole engine, as gzip, with the same reservation.
WebFile webPageEngine(void);

#endif
