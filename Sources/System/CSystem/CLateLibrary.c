#ifdef __linux__
#include "CLateLibrary.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Several threads may load a library at once: the system counts how often.
void *lateLoad(struct LateLibrary *library) {
  void *handle = __atomic_load_n(&library->handle, __ATOMIC_ACQUIRE);
  if (handle) return handle;
  handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    dprintf(STDERR_FILENO, "pkd: %s; it is needed for this, and is in the package %s\n", dlerror(), library->package);
    _exit(1);
  }
  __atomic_store_n(&library->handle, handle, __ATOMIC_RELEASE);
  return handle;
}

/// The address of a function.
__attribute__((used, visibility("hidden"))) void *lateAddress(struct LateFunction *function) {
  struct LateLibrary *library = function->library;
  void *address = dlsym(lateLoad(library), function->name);
  if (!address) {
    dprintf(STDERR_FILENO, "pkd: %s is too old: it has no function %s\n", library->file, function->name);
    _exit(1);
  }
  __atomic_store_n(&function->address, address, __ATOMIC_RELEASE);
  return address;
}

// Finds the address of the function whose record is in a register, and jumps there with all
// arguments as they were.
#if defined(__x86_64__)
__asm__(
  ".text\n"
  ".globl lateCall\n"
  ".hidden lateCall\n"
  ".type lateCall, %function\n"
  "lateCall:\n"
  "  .cfi_startproc\n"
  "  pushq %rbp\n"
  "  .cfi_def_cfa_offset 16\n"
  "  .cfi_offset %rbp, -16\n"
  "  movq %rsp, %rbp\n"
  "  .cfi_def_cfa_register %rbp\n"
  "  subq $192, %rsp\n"
  "  movq %rdi, -8(%rbp)\n"
  "  movq %rsi, -16(%rbp)\n"
  "  movq %rdx, -24(%rbp)\n"
  "  movq %rcx, -32(%rbp)\n"
  "  movq %r8, -40(%rbp)\n"
  "  movq %r9, -48(%rbp)\n"
  "  movq %rax, -56(%rbp)\n"
  "  movups %xmm0, -80(%rbp)\n"
  "  movups %xmm1, -96(%rbp)\n"
  "  movups %xmm2, -112(%rbp)\n"
  "  movups %xmm3, -128(%rbp)\n"
  "  movups %xmm4, -144(%rbp)\n"
  "  movups %xmm5, -160(%rbp)\n"
  "  movups %xmm6, -176(%rbp)\n"
  "  movups %xmm7, -192(%rbp)\n"
  "  movq %r11, %rdi\n"
  "  call lateAddress\n"
  "  movq %rax, %r11\n"
  "  movq -8(%rbp), %rdi\n"
  "  movq -16(%rbp), %rsi\n"
  "  movq -24(%rbp), %rdx\n"
  "  movq -32(%rbp), %rcx\n"
  "  movq -40(%rbp), %r8\n"
  "  movq -48(%rbp), %r9\n"
  "  movq -56(%rbp), %rax\n"
  "  movups -80(%rbp), %xmm0\n"
  "  movups -96(%rbp), %xmm1\n"
  "  movups -112(%rbp), %xmm2\n"
  "  movups -128(%rbp), %xmm3\n"
  "  movups -144(%rbp), %xmm4\n"
  "  movups -160(%rbp), %xmm5\n"
  "  movups -176(%rbp), %xmm6\n"
  "  movups -192(%rbp), %xmm7\n"
  "  leave\n"
  "  .cfi_def_cfa %rsp, 8\n"
  "  jmp *%r11\n"
  "  .cfi_endproc\n"
  ".size lateCall, . - lateCall\n");
#elif defined(__aarch64__)
__asm__(
  ".text\n"
  ".globl lateCall\n"
  ".hidden lateCall\n"
  ".type lateCall, %function\n"
  "lateCall:\n"
  "  .cfi_startproc\n"
  "  stp x29, x30, [sp, #-224]!\n"
  "  .cfi_def_cfa_offset 224\n"
  "  .cfi_offset x29, -224\n"
  "  .cfi_offset x30, -216\n"
  "  mov x29, sp\n"
  "  stp x0, x1, [sp, #16]\n"
  "  stp x2, x3, [sp, #32]\n"
  "  stp x4, x5, [sp, #48]\n"
  "  stp x6, x7, [sp, #64]\n"
  "  str x8, [sp, #80]\n"
  "  stp q0, q1, [sp, #96]\n"
  "  stp q2, q3, [sp, #128]\n"
  "  stp q4, q5, [sp, #160]\n"
  "  stp q6, q7, [sp, #192]\n"
  "  mov x0, x16\n"
  "  bl lateAddress\n"
  "  mov x17, x0\n"
  "  ldp x0, x1, [sp, #16]\n"
  "  ldp x2, x3, [sp, #32]\n"
  "  ldp x4, x5, [sp, #48]\n"
  "  ldp x6, x7, [sp, #64]\n"
  "  ldr x8, [sp, #80]\n"
  "  ldp q0, q1, [sp, #96]\n"
  "  ldp q2, q3, [sp, #128]\n"
  "  ldp q4, q5, [sp, #160]\n"
  "  ldp q6, q7, [sp, #192]\n"
  "  ldp x29, x30, [sp], #224\n"
  "  br x17\n"
  "  .cfi_endproc\n"
  ".size lateCall, . - lateCall\n");
#else
#error "Libraries are loaded late on x86-64 and arm64 only."
#endif
#endif
