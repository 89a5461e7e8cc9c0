// glibc has `arc4random_buf` only since 2.36, and Swift's archive calls it to seed its
// dictionaries. `libpentimento.so` is linked with `--wrap=arc4random_buf`, so that it also loads
// with glibc 2.35, the version of Ubuntu 22.04.
#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

void __wrap_arc4random_buf(void *buffer, size_t count) {
  char *next = buffer;
  while (count > 0) {
    // Signals do not interrupt up to 256 bytes.
    const ssize_t part = getrandom(next, count < 256 ? count : 256, 0);
    if (part < 0) abort();
    next += part;
    count -= (size_t)part;
  }
}
