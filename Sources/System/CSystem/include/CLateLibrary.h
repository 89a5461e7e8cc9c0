// Libraries that are loaded at the first call of one of their functions. Loading those for HTTP,
// TLS and databases takes 25 ms, which every command of a program that links them would pay.
//
// A C module lists the functions that it calls. Each gets a symbol of its own name, which jumps to
// the function of the library. If the library is missing, the program ends with a message that
// explains how to install it.
#pragma once

/// A library, and the package of Debian that has it.
struct LateLibrary {
  const char *file;
  const char *package;
  void *handle;
};

/// Loads a library, and returns the system's handle. Long-running programs call this at their
/// start: a missing library must not end them later.
void *lateLoad(struct LateLibrary *library);

/// A function; its address is null until it is first called.
struct LateFunction {
  void *address;
  const char *name;
  struct LateLibrary *library;
};

#if defined(__x86_64__)
#define LATE_JUMP(name)                         \
  "  leaq lateFunction_" #name "(%rip), %r11\n" \
  "  movq (%r11), %r10\n"                       \
  "  testq %r10, %r10\n"                        \
  "  je lateCall\n"                             \
  "  jmp *%r10\n"
#elif defined(__aarch64__)
#define LATE_JUMP(name)                              \
  "  adrp x16, lateFunction_" #name "\n"             \
  "  add x16, x16, :lo12:lateFunction_" #name "\n"   \
  "  ldr x17, [x16]\n"                               \
  "  cbz x17, 1f\n"                                  \
  "  br x17\n"                                       \
  "1: b lateCall\n"
#endif

/// Defines a function of a library, whose `struct LateLibrary` is in scope.
#define LATE_FUNCTION(library, name)                                                            \
  __attribute__((used, visibility("hidden"))) struct LateFunction lateFunction_##name = {       \
    0, #name, &library};                                                                        \
  __asm__(                                                                                      \
    ".text\n"                                                                                   \
    ".globl " #name "\n"                                                                        \
    ".hidden " #name "\n"                                                                       \
    ".type " #name ", %function\n" #name ":\n" LATE_JUMP(name) ".size " #name ", . - " #name "\n");
