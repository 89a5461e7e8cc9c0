// A disk's door that leaves one thing out, put before the system's (LD_PRELOAD): what the crash tests find no
// fault with would be a hole in them. FORGETS says what is left out.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool forgets(const char *what) {
  const char *word = getenv("FORGETS");
  return word && strcmp(word, what) == 0;
}

static bool isFolder(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

// What waits until bytes or names are safe; or does not, or keeps to itself that they are lost.
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
