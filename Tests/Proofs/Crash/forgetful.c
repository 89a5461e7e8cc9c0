// File functions that omit one operation, preloaded before those of the system (LD_PRELOAD). If the crash tests
// do not detect the omission, they are incomplete. TEST_FORGETS names the omitted operation.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool forgets(const char *what) {
  const char *word = getenv("TEST_FORGETS");
  return word && strcmp(word, what) == 0;
}

static bool isFolder(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

// Synchronizes a file or folder; or does not, or loses the bytes of a failed file without reporting it.
static int synchronized(int file, const char *name) {
  const bool folder = isFolder(file);
  if (forgets(folder ? "to synchronize folders" : "to synchronize files")) return 0;
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const int code = next(file);
  if (code == 0 || !forgets("errors of synchronizing")) return code;
  return folder ? 0 : ftruncate(file, 0);
}

int fsync(int file) { return synchronized(file, "fsync"); }

int fdatasync(int file) { return synchronized(file, "fdatasync"); }

ssize_t write(int file, const void *bytes, size_t count) {
  ssize_t (*next)(int, const void *, size_t) =
      (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  const ssize_t done = next(file, bytes, count);
  return forgets("the rest of a write") && done > 0 ? (ssize_t)count : done;
}
