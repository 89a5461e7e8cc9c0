#ifndef CFILESYSTEM_H
#define CFILESYSTEM_H

/// Waits until everything that was written to the file system of an open file is durable; returns 0, or -1 with
/// `errno`. Calls `syncfs`, which Swift does not import.
int synchronizeFileSystem(int file);

/// Opens a folder by a path below an open folder, without following links. Returns its descriptor, or -1 if
/// that is not possible: always before Linux 5.6.
int openFolderBelow(int folder, const char *path);

#endif
