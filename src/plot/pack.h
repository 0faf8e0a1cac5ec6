// Columns of numbers as few bytes, and bytes as base64: how a page carries its rows. Little-endian on every machine.
//
// A column begins with a byte that says how it is kept: see PackKind. What is absent is a NaN.
#ifndef KAIROS_PLOT_PACK_H
#define KAIROS_PLOT_PACK_H

#include <stddef.h>
#include <stdint.h>

typedef enum PackKind
{
    PACK_ABSENT,    // nothing at all
    PACK_CONSTANT,  // one double for all rows
    PACK_DOUBLES,   // a double a row
    PACK_BYTES,     // whole numbers from 0 to 254, a byte a row; 255: absent
    PACK_FLOATS,    // a float a row: all of them are exact as such
    PACK_SPARSE,    // a count (4 bytes), then for each present value its row (2 bytes) and a double
} PackKind;

enum
{
    PACK_ROWS = 4096,                                // at most, in one column
    PACK_MOST = 1 + (int)sizeof(double) * PACK_ROWS  // bytes that a column may need
};

// The smallest of the kinds that keeps every value exactly. Returns the bytes written to `out` (PACK_MOST).
size_t pack_column(uint8_t* out, const double* values, int count);
size_t pack_number(uint8_t* out, uint32_t number);
size_t pack_double(uint8_t* out, double value);

// Returns the characters written: 4 for every 3 bytes begun.
size_t pack_base64(char* out, const uint8_t* bytes, size_t size);

#endif
