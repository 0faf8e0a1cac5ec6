// A slice of a program: those of its instructions whose results somebody wants, and what they need. It leaves the same
// bits in the registers that were asked for, and nothing new in the others.
#ifndef KAIROS_VM_SLICE_H
#define KAIROS_VM_SLICE_H

#include "vm/native.h"

typedef struct Slice
{
    size_t size;     // of the block
    uint32_t count;  // words
    Hot hot;
    uint32_t words[];
} Slice;

// Whether a program can be sliced: it has nothing that repeats, remembers or calls.
bool slice_is_possible(const kaiModel* model, CodeRange range);

// Marks what a program reads and has not computed itself by then. `seen`: a number per register, none above *last,
// which grows.
void slice_mark_read(const kaiModel* model, CodeRange range, uint32_t* seen, uint32_t* last, uint8_t* needed);

// Marks what the instructions of a program need for what is marked, and makes a program of them. NULL: no memory.
// `modes`: registers in whose modes alone it is going to run, so that it has no switches; NULL: in all.
Slice* slice_make(const kaiModel* model, CodeRange range, const double* modes, uint8_t* needed, kaiAllocator allocator);
// One that has no switches without copies that nobody asked for, where the registers `wanted` are read by others; it
// stays as it is without memory.
void slice_tidy(Slice* slice, const kaiModel* model, const uint8_t* wanted, kaiAllocator allocator);
// The instructions of one that has no switches in an order that makes fewer runs; it stays as it is without memory.
void slice_order(Slice* slice, const kaiModel* model, kaiAllocator allocator);
void slice_free(Slice* slice, kaiAllocator allocator);

static inline uint32_t slice_run(Slice* slice, const kaiModel* model, double* R, const VmHost* host)
{
    return hot_run(&slice->hot, model, R, slice->words, slice->words + slice->count, host);
}

#endif
