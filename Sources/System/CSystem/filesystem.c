#define _GNU_SOURCE
#include "CFileSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

int synchronizeFileSystem(int file) { return syncfs(file); }

bool flushingFileSystemSuffices(int file) {
  struct statfs disk;
  struct utsname system;
  int major = 0, minor = 0;
  if (fstatfs(file, &disk) != 0 || disk.f_type != EXT4_SUPER_MAGIC) return false;
  if (uname(&system) != 0 || sscanf(system.release, "%d.%d", &major, &minor) != 2) return false;
  return major > 5 || (major == 5 && minor >= 17);
}

int waitForWrites(int file) {
  return sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE);
}

int openFolderBelow(int folder, const char *path) {
  // The C library has no function of its own for this call.
  const struct open_how how = {
      .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
      .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH,
  };
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

int lockByte(int file, int64_t byte, bool waits) {
  struct flock region = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  int status;
  do {
    status = fcntl(file, waits ? F_OFD_SETLKW : F_OFD_SETLK, &region);
  } while (status != 0 && errno == EINTR);
  return status;
}
