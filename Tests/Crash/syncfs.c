// The lab knows `sync` and not `syncfs`, which a restore ends with: to the lab they are one.
#include <unistd.h>

int syncfs(int file) {
  (void)file;
  sync();
  return 0;
}
