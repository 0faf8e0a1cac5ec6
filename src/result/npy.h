// Headers of NumPy's NPY format (numpy.lib.format: magic, version, length, a Python dictionary as text).
#ifndef KAIROS_RESULT_NPY_H
#define KAIROS_RESULT_NPY_H

#include "result/format.h"

enum
{
    NPY_HEAD_MAX = 256  // of an array of one type
};

// The header of an array of `count` elements of one type ("<f8", "<U7"), in `text`. Its length, a multiple of 64.
size_t npy_head(char text[NPY_HEAD_MAX], const char* type, uint64_t count);
// Characters that the longest mode of a column has, at least 1; as UTF-32 they fill a field of 4 times as many bytes.
int npy_mode_width(const kaiColumn* column);
// The text as UTF-32, filled up with zeros.
void npy_wide(uint32_t* out, int width, const char* text);

#endif
