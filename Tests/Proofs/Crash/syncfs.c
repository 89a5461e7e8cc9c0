// The lab traces `sync` but not `syncfs`, with which a restore ends, so this replaces one by the other.
#include <unistd.h>

int syncfs(int file) {
  (void)file;
  sync();
  return 0;
}
