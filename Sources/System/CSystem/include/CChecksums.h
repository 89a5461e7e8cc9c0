#ifndef CCHECKSUMS_H
#define CCHECKSUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this processor has instructions for CRC-32C, so that `crc32c_by_instruction` may be
/// called.
bool crc32c_has_instruction(void);

/// Continues an inverted CRC-32C (its state between two calls, before the final complement).
uint32_t crc32c_by_instruction(uint32_t crc, const void *bytes, size_t count);

/// Whether this processor multiplies without carry, so that `crc32_fold` may be called.
bool crc32_has_multiplication(void);

/// Folds whole groups of 16 bytes, at least four, into 16 bytes whose raw CRC-32 from the state 0
/// is that of all bytes from a state.
void crc32_fold(uint32_t state, const uint8_t *bytes, size_t count, uint8_t folded[16]);

/// Whether this processor supports an implementation of SHA-256: 0 portable, 1 AVX2, 2 SHA
/// instructions.
bool sha256_has_implementation(int32_t implementation);

/// Adds whole blocks of 64 bytes to a SHA-256 state, by an implementation that the processor
/// supports.
void sha256_add(int32_t implementation, uint32_t state[8], const uint8_t *bytes, size_t blockCount);

#endif
