// The modes that were entered so far: open addressing over the bits of their ON/OFF vectors. See cache.h.
#include "bond/cache.h"

#include <string.h>

typedef struct Visited
{
    BondMode* mode;
    void* attachment;
    uint64_t hash;
} Visited;

struct BondCache
{
    const BondGraph* graph;
    kaiAllocator allocator;
    Visited* visited;  // in order of first visit
    int* slots;        // index + 1, 0 = free
    int count, capacity, slot_count;
    int last;  // the one asked for last: most questions repeat it
};

BondCache* bond_cache_create(const BondGraph* graph, kaiAllocator allocator)
{
    BondCache* cache = allocator.alloc(allocator.user, NULL, 0, sizeof *cache);
    if (cache)
        *cache = (BondCache){.graph = graph, .allocator = allocator};
    return cache;
}

void bond_cache_destroy(BondCache* cache)
{
    if (!cache)
        return;
    kaiAllocator allocator = cache->allocator;
    for (int i = 0; i < cache->count; i++)
        bond_mode_destroy(cache->visited[i].mode);
    if (cache->visited)
        allocator.alloc(allocator.user, cache->visited, (size_t)cache->capacity * sizeof(Visited), 0);
    if (cache->slots)
        allocator.alloc(allocator.user, cache->slots, (size_t)cache->slot_count * sizeof(int), 0);
    allocator.alloc(allocator.user, cache, sizeof *cache, 0);
}

static uint64_t hash_of(const bool* on, int count)
{
    uint64_t hash = 14695981039346656037u;  // FNV-1a, then mixed: neighbouring vectors must not cluster
    for (int i = 0; i < count; i++)
        hash = (hash ^ (on[i] ? 1u : 0u)) * 1099511628211u;
    return hash ^ hash >> 29;
}

static bool is_mode(const BondCache* cache, int index, const bool* on)
{
    for (int i = 0; i < cache->graph->switch_count; i++)
        if (bond_mode_on(cache->visited[index].mode, i) != on[i])
            return false;
    return true;
}

// The slot of `on`, or the free one where it belongs.
static int* find_slot(const BondCache* cache, uint64_t hash, const bool* on)
{
    int mask = cache->slot_count - 1, i = (int)(hash & (uint64_t)mask);
    while (cache->slots[i] != 0 &&
           (cache->visited[cache->slots[i] - 1].hash != hash || !is_mode(cache, cache->slots[i] - 1, on)))
        i = (i + 1) & mask;
    return &cache->slots[i];
}

static bool grow(BondCache* cache)
{
    kaiAllocator a = cache->allocator;
    int capacity = cache->capacity == 0 ? 8 : 2 * cache->capacity, slot_count = 2 * capacity;
    int* slots = a.alloc(a.user, NULL, 0, (size_t)slot_count * sizeof(int));
    if (!slots)
        return false;
    Visited* visited =
        a.alloc(a.user, cache->visited, (size_t)cache->capacity * sizeof(Visited), (size_t)capacity * sizeof(Visited));
    if (!visited)
    {
        a.alloc(a.user, slots, (size_t)slot_count * sizeof(int), 0);
        return false;
    }
    if (cache->slots)
        a.alloc(a.user, cache->slots, (size_t)cache->slot_count * sizeof(int), 0);
    memset(slots, 0, (size_t)slot_count * sizeof(int));
    cache->slots = slots;
    cache->slot_count = slot_count;
    cache->visited = visited;
    cache->capacity = capacity;
    for (int m = 0; m < cache->count; m++)
    {
        int i = (int)(visited[m].hash & (uint64_t)(slot_count - 1));
        while (slots[i] != 0)
            i = (i + 1) & (slot_count - 1);
        slots[i] = m + 1;
    }
    return true;
}

BondMode* bond_cache_mode(BondCache* cache, const bool* on, const double* storage)
{
    if (cache->count > 0 && is_mode(cache, cache->last, on))
        return cache->visited[cache->last].mode;
    uint64_t hash = hash_of(on, cache->graph->switch_count);
    int* slot = cache->slots ? find_slot(cache, hash, on) : NULL;
    if (!slot || *slot == 0)
    {
        if (cache->count == cache->capacity && !grow(cache))
            return NULL;
        BondMode* mode = bond_mode_create(cache->graph, on, storage, cache->allocator);
        if (!mode)
            return NULL;
        slot = find_slot(cache, hash, on);
        cache->visited[cache->count] = (Visited){mode, NULL, hash};
        *slot = ++cache->count;
    }
    cache->last = *slot - 1;
    return cache->visited[cache->last].mode;
}

void** bond_cache_attachment(BondCache* cache, const BondMode* mode)
{
    if (cache->count > 0 && cache->visited[cache->last].mode == mode)
        return &cache->visited[cache->last].attachment;
    for (int i = 0; i < cache->count; i++)
        if (cache->visited[i].mode == mode)
            return &cache->visited[i].attachment;
    return NULL;
}

int bond_cache_count(const BondCache* cache)
{
    return cache->count;
}

BondMode* bond_cache_at(const BondCache* cache, int index)
{
    return cache->visited[index].mode;
}
