#ifndef CCHECKSUM_H
#define CCHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this processor has instructions for CRC-32C, so that `crc32c_by_instruction` may be called.
bool crc32c_has_instruction(void);

/// Goes on with a CRC-32C whose bits are turned around, as it is between two runs of bytes.
uint32_t crc32c_by_instruction(uint32_t crc, const void *bytes, size_t count);

/// Whether this processor has a way of SHA-256: 0 plainly, 1 by AVX2, 2 by its own instructions.
bool sha256_has_way(int32_t way);

/// Goes on with a SHA-256 over whole blocks of 64 bytes, in a way that the processor has.
void sha256_add(int32_t way, uint32_t state[8], const uint8_t *bytes, size_t blockCount);

#endif
