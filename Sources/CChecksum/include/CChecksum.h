#ifndef CCHECKSUM_H
#define CCHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this processor has instructions for CRC-32C, so that `crc32c_by_instruction` may be called.
bool crc32c_has_instruction(void);

/// Goes on with a CRC-32C whose bits are turned around, as it is between two runs of bytes.
uint32_t crc32c_by_instruction(uint32_t crc, const void *bytes, size_t count);

#endif
