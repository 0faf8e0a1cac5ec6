// What a block said of its indicators at the last places where it was set. Every guard of a block is searched by
// itself, at the same places of a step as the others, and what costs is to ask: so it is asked once for all of them.
#ifndef KAIROS_BLOCK_MEMORY_H
#define KAIROS_BLOCK_MEMORY_H

#include "kairos/block.h"

typedef struct BlockMemory
{
    double* places;  // each: time, states, inputs, indicators; NULL: none yet
    uint32_t used, next;
} BlockMemory;

typedef struct MemoryPlace
{
    double time;
    const double *states, *inputs;
} MemoryPlace;

void memory_free(BlockMemory* m, const kaiBlock* block, kaiAllocator allocator);
// Of another discrete state nothing is known.
void memory_forget(BlockMemory* m);
bool memory_recall(const BlockMemory* m, const kaiBlock* block, const MemoryPlace* at, double* indicators);
// Where there is no memory for it, or a place is large, nothing is kept.
void memory_keep(BlockMemory* m, const kaiBlock* block, kaiAllocator allocator, const MemoryPlace* at,
                 const double* indicators);

#endif
