#ifndef CFILESYSTEM_H
#define CFILESYSTEM_H

/// Waits until everything is safe that was written to the file system of an open file; 0 where it is. The
/// system's own function, which its headers show to C alone.
int synchronizeFileSystem(int file);

/// Opens a folder by a path below an open one, through no links; -1 where it cannot, as on systems before
/// Linux 5.6.
int openFolderBelow(int folder, const char *path);

#endif
