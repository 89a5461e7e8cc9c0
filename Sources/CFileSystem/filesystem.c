#define _GNU_SOURCE
#include "CFileSystem.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int synchronizeFileSystem(int file) { return syncfs(file); }

int openFolderBelow(int folder, const char *path) {
  // The C library has no function of its own for this call.
  const struct open_how how = {
      .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
      .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH,
  };
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}
