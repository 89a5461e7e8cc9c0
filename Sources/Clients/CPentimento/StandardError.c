// libpng's archive on Debian is compiled for programs: it reads `stderr` at an offset that is fixed
// at link time, and a shared library cannot have a fixed offset to a variable of the C library. So
// `libpentimento.so` is linked with `--wrap=stderr`, and all its code reads this variable. Other
// products do not use it.
#include <stdio.h>

extern FILE *__real_stderr __attribute__((weak));
FILE *__wrap_stderr;

__attribute__((constructor)) static void setStandardError(void) {
  if (&__real_stderr) __wrap_stderr = __real_stderr;
}
