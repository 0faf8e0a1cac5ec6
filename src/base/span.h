// A piece of a source file, as byte offsets: 12 bytes, so that every token and node can carry one.
#ifndef KAIROS_BASE_SPAN_H
#define KAIROS_BASE_SPAN_H

#include <stdint.h>

typedef struct Span
{
    uint32_t file;        // index in the Sources of the compilation + 1; 0 = nowhere
    uint32_t start, end;  // [start, end)
} Span;

static inline Span span_join(Span a, Span b)
{
    if (a.file == 0)
        return b;
    if (b.file == a.file && b.end > a.end)
        a.end = b.end;
    return a;
}

#endif
