// An allocator that counts, and that gives nothing once: at the call that is asked to fail.
#ifndef KAIROS_TESTS_HEAP_H
#define KAIROS_TESTS_HEAP_H

#include <stdlib.h>

typedef struct Heap
{
    long live, calls, fail_at;  // bytes out; calls that ask for memory; which of them gets none, -1: none
} Heap;

static inline void* heap_alloc(void* user, void* block, size_t old_size, size_t size)
{
    Heap* heap = user;
    if (size == 0)
    {
        heap->live -= block != NULL ? (long)old_size : 0;
        free(block);
        return NULL;
    }
    if (heap->calls++ == heap->fail_at)
        return NULL;
    heap->live += (long)size - (block != NULL ? (long)old_size : 0);
    return realloc(block, size);
}

#endif
