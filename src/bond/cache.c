// The modes that were entered so far: open addressing over the bits of their ON/OFF vectors. See cache.h.
#include "bond/cache.h"

#include <string.h>

typedef struct Visited
{
    BondMode* mode;
    void* attachment;
    size_t attached;  // bytes
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
    size_t size;
    BondMode* reference;  // a plain set, kept near the one that was made last: others are made from it
    bool alone;           // no set is plain
};

BondCache* bond_cache_create(const BondGraph* graph, kaiAllocator allocator)
{
    BondCache* cache = allocator.alloc(allocator.user, NULL, 0, sizeof *cache);
    if (cache)
        *cache = (BondCache){.graph = graph, .allocator = allocator};
    return cache;
}

static void forget(BondCache* cache, Visited* visited)
{
    kaiAllocator a = cache->allocator;
    cache->size -= bond_mode_size(visited->mode) + visited->attached;
    bond_mode_destroy(visited->mode);
    if (visited->attachment)
        a.alloc(a.user, visited->attachment, visited->attached, 0);
}

void bond_cache_destroy(BondCache* cache)
{
    if (!cache)
        return;
    kaiAllocator allocator = cache->allocator;
    for (int i = 0; i < cache->count; i++)
        forget(cache, &cache->visited[i]);
    bond_mode_destroy(cache->reference);
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
    return bond_mode_is(cache->visited[index].mode, on);
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

static void place(BondCache* cache, int index)
{
    int i = (int)(cache->visited[index].hash & (uint64_t)(cache->slot_count - 1));
    while (cache->slots[i] != 0)
        i = (i + 1) & (cache->slot_count - 1);
    cache->slots[i] = index + 1;
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
        place(cache, m);
    return true;
}

static void refer_to(BondCache* cache, BondMode* reference)
{
    bond_mode_destroy(cache->reference);
    cache->reference = reference;
}

// A plain set to start from, if there is one.
static void find_reference(BondCache* cache, const double* storage, const BondMode* base)
{
    kaiAllocator a = cache->allocator;
    size_t size = (size_t)cache->graph->switch_count + 1;
    bool* on = a.alloc(a.user, NULL, 0, size);
    if (on == NULL)
        return;
    if (bond_mode_find_plain(base, on, a))
        refer_to(cache, bond_mode_create(cache->graph, on, storage, NULL, a));
    a.alloc(a.user, on, size, 0);
    if (cache->reference && !bond_mode_plain(cache->reference))
        refer_to(cache, NULL);
    cache->alone = cache->reference == NULL;
}

// A set from the plain one that is nearest to it. NULL: it has to be made anew.
static BondMode* make_from_near(BondCache* cache, const bool* on, const double* storage, const BondMode* base)
{
    if (!bond_mode_plain(base) && !cache->reference && !cache->alone)
        find_reference(cache, storage, base);
    const BondMode* start = bond_mode_plain(base) ? base : cache->reference;
    if (!start)
        return NULL;
    BondMode* near = bond_mode_near(start, on, storage, cache->allocator);
    if (!near)  // too many switches ago: its digits are refreshed
    {
        refer_to(cache, NULL);
        return NULL;
    }
    if (bond_mode_is(near, on))
        return near;
    BondMode* mode = bond_mode_create(cache->graph, on, storage, near, cache->allocator);
    refer_to(cache, near);
    return mode;
}

BondMode* bond_cache_find(BondCache* cache, const bool* on)
{
    if (cache->count > 0 && is_mode(cache, cache->last, on))
        return cache->visited[cache->last].mode;
    int* slot = cache->slots ? find_slot(cache, hash_of(on, cache->graph->switch_count), on) : NULL;
    if (!slot || *slot == 0)
        return NULL;
    cache->last = *slot - 1;
    return cache->visited[cache->last].mode;
}

BondMode* bond_cache_mode(BondCache* cache, const bool* on, const double* storage, const BondMode* base)
{
    BondMode* mode = bond_cache_find(cache, on);
    if (mode != NULL)
        return mode;
    if (cache->count == cache->capacity && !grow(cache))
        return NULL;
    mode = base ? bond_mode_switch(base, on, storage, cache->allocator) : NULL;
    if (!mode && base)
        mode = make_from_near(cache, on, storage, base);
    if (!mode)
        mode = bond_mode_create(cache->graph, on, storage, NULL, cache->allocator);
    if (!mode)
        return NULL;
    uint64_t hash = hash_of(on, cache->graph->switch_count);
    int* slot = find_slot(cache, hash, on);
    cache->visited[cache->count] = (Visited){mode, NULL, 0, hash};
    cache->size += bond_mode_size(mode);
    *slot = ++cache->count;
    cache->last = *slot - 1;
    return mode;
}

static Visited* find_visited(BondCache* cache, const BondMode* mode)
{
    if (cache->count > 0 && cache->visited[cache->last].mode == mode)
        return &cache->visited[cache->last];
    for (int i = 0; i < cache->count; i++)
        if (cache->visited[i].mode == mode)
            return &cache->visited[i];
    return NULL;
}

void* bond_cache_attachment(BondCache* cache, const BondMode* mode, size_t size, bool* made)
{
    Visited* visited = find_visited(cache, mode);
    *made = visited->attachment == NULL;
    if (!*made)
        return visited->attachment;
    visited->attachment = cache->allocator.alloc(cache->allocator.user, NULL, 0, size);
    if (visited->attachment == NULL)
        return NULL;
    memset(visited->attachment, 0, size);
    visited->attached = size;
    cache->size += size;
    return visited->attachment;
}

size_t bond_cache_size(const BondCache* cache)
{
    return cache->size;
}

void bond_cache_trim(BondCache* cache, const BondMode* keep, const BondMode* also)
{
    int kept = 0;
    for (int i = 0; i < cache->count; i++)
        if (cache->visited[i].mode == keep || cache->visited[i].mode == also)
            cache->visited[kept++] = cache->visited[i];
        else
            forget(cache, &cache->visited[i]);
    cache->count = kept;
    cache->last = 0;
    if (cache->slots)
        memset(cache->slots, 0, (size_t)cache->slot_count * sizeof(int));
    for (int i = 0; i < kept; i++)
        place(cache, i);
}

int bond_cache_count(const BondCache* cache)
{
    return cache->count;
}

BondMode* bond_cache_at(const BondCache* cache, int index)
{
    return cache->visited[index].mode;
}
