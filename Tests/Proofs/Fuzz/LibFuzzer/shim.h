#include <stddef.h>
#include <stdint.h>

// libFuzzer's own mutator, which changes bytes blindly. The fuzzer that the toolchain links brings it.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maximumSize);
