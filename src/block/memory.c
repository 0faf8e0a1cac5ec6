// See memory.h.
#include "block/memory.h"

#include <string.h>

enum
{
    PLACES = 64,       // a search of a smooth guard is at 17, with slopes at 51
    PLACE_MOST = 200,  // doubles: beyond that, comparing costs what asking does
};

static size_t place_size(const kaiBlock* block)
{
    return 1 + (size_t)block->state_count + block->input_count + block->indicator_count;
}

static size_t room_size(const kaiBlock* block)
{
    return sizeof(double) * PLACES * place_size(block);
}

void memory_free(BlockMemory* m, const kaiBlock* block, kaiAllocator allocator)
{
    if (m->places != NULL)
        allocator.alloc(allocator.user, m->places, room_size(block), 0);
    *m = (BlockMemory){NULL, 0, 0};
}

void memory_forget(BlockMemory* m)
{
    m->used = m->next = 0;
}

static bool is_same(const double* a, const double* b, uint32_t count)
{
    return count == 0 || memcmp(a, b, sizeof *a * count) == 0;
}

bool memory_recall(const BlockMemory* m, const kaiBlock* block, const MemoryPlace* at, double* indicators)
{
    const double* p = m->places;
    for (uint32_t i = 0; i < m->used; i++, p += place_size(block))
        if (is_same(p, &at->time, 1) && is_same(p + 1, at->states, block->state_count) &&
            is_same(p + 1 + block->state_count, at->inputs, block->input_count))
        {
            memcpy(indicators, p + 1 + block->state_count + block->input_count, sizeof *p * block->indicator_count);
            return true;
        }
    return false;
}

static double* put(double* to, const double* values, uint32_t count)
{
    if (count > 0)
        memcpy(to, values, sizeof *to * count);
    return to + count;
}

void memory_keep(BlockMemory* m, const kaiBlock* block, kaiAllocator allocator, const MemoryPlace* at,
                 const double* indicators)
{
    if (m->places == NULL && place_size(block) <= PLACE_MOST)
        m->places = allocator.alloc(allocator.user, NULL, 0, room_size(block));
    if (m->places == NULL)
        return;
    double* to = m->places + m->next * place_size(block);
    to = put(to, &at->time, 1);
    to = put(to, at->states, block->state_count);
    to = put(to, at->inputs, block->input_count);
    put(to, indicators, block->indicator_count);
    m->next = (m->next + 1) % PLACES;
    m->used = m->used < PLACES ? m->used + 1 : PLACES;
}
