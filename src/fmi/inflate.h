// What deflate has made small (RFC 1951), made large again.
#ifndef KAIROS_FMI_INFLATE_H
#define KAIROS_FMI_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Exactly `room` bytes to `to`. False: the bytes are damaged, or are those of more or less than that.
bool inflate_bytes(const uint8_t* from, size_t size, uint8_t* to, size_t room);

#endif
