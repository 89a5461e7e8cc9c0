#ifndef CFILESYSTEM_H
#define CFILESYSTEM_H

/// Waits until everything is safe that was written to the file system of an open file; 0 where it is. The
/// system's own function, which its headers show to C alone.
int synchronizeFileSystem(int file);

#endif
