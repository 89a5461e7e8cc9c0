// libpng's archive on Debian is compiled for programs: it reads `stderr` by a distance that is fixed when it is linked,
// which no shared library can have to a variable of the C library. So `libpentimento.so` is linked with `--wrap=stderr`,
// and all in it reads this variable. Elsewhere nothing does.
#include <stdio.h>

extern FILE *__real_stderr __attribute__((weak));
FILE *__wrap_stderr;

__attribute__((constructor)) static void setStandardError(void) {
  if (&__real_stderr) __wrap_stderr = __real_stderr;
}
