#ifndef CFILESYSTEM_H
#define CFILESYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/// Waits until everything that was written to the file system of an open file is durable; returns
/// 0, or -1 with `errno`. Calls `syncfs`, which Swift does not import.
int synchronizeFileSystem(int file);

/// Whether `synchronizeFileSystem` gives the guarantee of `fsync` for all files, and reports every
/// error: on ext4, with Linux 5.17 or newer. Other file systems may leave the disk's cache as it
/// is, or do nothing.
bool flushingFileSystemSuffices(int file);

/// Waits until the bytes of an open file that are being written have reached the disk, though
/// perhaps only its cache. Returns 0, or -1 with `errno` if some could not be written since the
/// file was opened. Calls `sync_file_range`, which Swift does not import.
int waitForWrites(int file);

/// Opens a folder by a path below an open folder, without following links. Returns its descriptor,
/// or -1 if that is not possible: always before Linux 5.6.
int openFolderBelow(int folder, const char *path);

/// Takes the lock of one byte of an open file, which need not exist, and waits for it or not. The
/// lock belongs to the opened file, so it excludes other threads that have opened it, and ends when
/// it is closed. Returns 0, or -1 with `errno`: `EAGAIN` if it is taken and the caller does not
/// wait.
int lockByte(int file, int64_t byte, bool waits);

#endif
