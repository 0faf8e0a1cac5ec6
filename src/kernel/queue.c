#include "kernel/queue.h"

#include <math.h>
#include <string.h>

static bool before(const Queue* q, uint32_t x, uint32_t y)
{
    const QueueEntry *a = &q->entries[x], *b = &q->entries[y];
    return a->t != b->t ? a->t < b->t : a->order < b->order;
}

static void put(Queue* q, uint32_t place, uint32_t entry)
{
    q->heap[place] = entry;
    q->entries[entry].place = place;
}

static void sift_up(Queue* q, uint32_t place, uint32_t entry)
{
    for (; place > 0 && before(q, entry, q->heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(q, place, q->heap[(place - 1) / 2]);
    put(q, place, entry);
}

static void sift_down(Queue* q, uint32_t place, uint32_t entry)
{
    for (uint32_t child; (child = 2 * place + 1) < q->count; place = child)
    {
        if (child + 1 < q->count && before(q, q->heap[child + 1], q->heap[child]))
            child++;
        if (!before(q, q->heap[child], entry))
            break;
        put(q, place, q->heap[child]);
    }
    put(q, place, entry);
}

// ---- groups
// ------------------------------------------------------------------------------------------------------------

// Heaps are named by their first entry + 1; 0 is the empty one.
static uint32_t joined(Queue* q, uint32_t a, uint32_t b)
{
    if (a == 0 || b == 0)
        return a + b;
    uint32_t first = before(q, b - 1, a - 1) ? b : a, other = a + b - first;
    q->entries[other - 1].beside = q->entries[first - 1].below;
    q->entries[first - 1].below = other;
    return first;
}

// One heap of all that stand side by side: in pairs first, then one pair after the other.
static uint32_t joined_all(Queue* q, uint32_t list)
{
    uint32_t pairs = 0, all = 0, next;
    for (; list != 0; list = next)
    {
        uint32_t second = q->entries[list - 1].beside;
        next = second != 0 ? q->entries[second - 1].beside : 0;
        uint32_t pair = joined(q, list, second);
        q->entries[pair - 1].beside = pairs;
        pairs = pair;
    }
    for (; pairs != 0; pairs = next)
    {
        next = q->entries[pairs - 1].beside;
        all = joined(q, all, pairs);
    }
    if (all != 0)
        q->entries[all - 1].beside = 0;
    return all;
}

static bool is_grouped(const Queue* q, uint32_t entry)
{
    return q->firsts != NULL && q->entries[entry].group != QUEUE_ALONE;
}

double queue_next_of(const Queue* q, uint32_t group)
{
    return q->firsts[group] != 0 ? q->entries[q->firsts[group] - 1].t : INFINITY;
}

// ---- all
// ---------------------------------------------------------------------------------------------------------------

static void* resized(kaiAllocator a, void* block, size_t old_count, size_t count, size_t size)
{
    return a.alloc(a.user, block, old_count * size, count * size);
}

static bool reserve(Queue* q, kaiAllocator a, uint32_t capacity)
{
    if (capacity <= q->capacity)
        return true;
    QueueEntry* entries = resized(a, q->entries, q->capacity, capacity, sizeof *entries);
    if (entries == NULL)
        return false;
    q->entries = entries;
    uint32_t* heap = resized(a, q->heap, q->capacity, capacity, sizeof *heap);
    if (heap == NULL)
    {
        // The larger block stays; told as the smaller one it could not be released: shrink it back.
        q->entries = resized(a, entries, capacity, q->capacity, sizeof *entries);
        return false;
    }
    q->heap = heap;
    q->capacity = capacity;
    return true;
}

static uint64_t handle_of(const Queue* q, uint32_t entry)
{
    return q->entries[entry].order << 32 | entry;
}

// The number of the new entry, or that of none.
static uint32_t add(Queue* q, kaiAllocator a, QueueEntry fresh)
{
    uint32_t entry = q->free != 0 ? q->free - 1 : q->used;
    if (q->free == 0 && q->used == q->capacity && !reserve(q, a, q->capacity < 64 ? 64 : 2 * q->capacity))
        return UINT32_MAX;
    if (q->free != 0)
        q->free = q->entries[entry].place;
    else
        q->used++;
    q->entries[entry] = fresh;
    q->entries[entry].order = q->arrivals++;
    sift_up(q, q->count++, entry);
    return entry;
}

bool queue_push(Queue* q, kaiAllocator a, double t, uint32_t target, double value, uint32_t group)
{
    uint32_t entry = add(q, a, (QueueEntry){.t = t, .value = value, .target = target, .group = group});
    if (entry != UINT32_MAX && is_grouped(q, entry))
        q->firsts[group] = joined(q, q->firsts[group], entry + 1);
    return entry != UINT32_MAX;
}

bool queue_push_alone(Queue* q, kaiAllocator a, double t, uint32_t target, double value, uint64_t* handle)
{
    uint32_t entry = add(q, a, (QueueEntry){.t = t, .value = value, .target = target, .group = QUEUE_ALONE});
    if (entry != UINT32_MAX && handle != NULL)
        *handle = handle_of(q, entry);
    return entry != UINT32_MAX;
}

static void take_out(Queue* q, uint32_t entry)
{
    uint32_t place = q->entries[entry].place, last = q->heap[--q->count];
    if (last != entry)
    {
        sift_up(q, place, last);
        sift_down(q, q->entries[last].place, last);
    }
    q->entries[entry].place = q->free;
    q->free = entry + 1;
}

// The first of all is the first of its group.
QueueEntry queue_pop(Queue* q)
{
    QueueEntry first = *queue_at(q, 0);
    if (is_grouped(q, q->heap[0]))
        q->firsts[first.group] = joined_all(q, first.below);
    take_out(q, q->heap[0]);
    return first;
}

bool queue_cancel(Queue* q, uint64_t handle)
{
    uint32_t entry = (uint32_t)handle;
    if (entry >= q->used || handle_of(q, entry) != handle)
        return false;
    uint32_t place = q->entries[entry].place;
    if (place >= q->count || q->heap[place] != entry)
        return false;
    take_out(q, entry);
    return true;
}

double queue_next(const Queue* q)
{
    return q->count > 0 ? queue_at(q, 0)->t : INFINITY;
}

void queue_free(Queue* q, kaiAllocator a)
{
    if (q->entries != NULL)
        resized(a, q->entries, q->capacity, 0, sizeof *q->entries);
    if (q->heap != NULL)
        resized(a, q->heap, q->capacity, 0, sizeof *q->heap);
    *q = (Queue){.firsts = q->firsts};
}

// ---- snapshots
// -------------------------------------------------------------------------------------------------------

size_t queue_save_size(const Queue* q)
{
    return sizeof *q + q->used * sizeof *q->entries + q->count * sizeof *q->heap;
}

void queue_save(const Queue* q, void* block)
{
    char* to = block;
    memcpy(to, q, sizeof *q);
    if (q->used == 0)
        return;
    memcpy(to + sizeof *q, q->entries, q->used * sizeof *q->entries);
    memcpy(to + sizeof *q + q->used * sizeof *q->entries, q->heap, q->count * sizeof *q->heap);
}

bool queue_load(Queue* q, kaiAllocator a, const void* block)
{
    const char* from = block;
    Queue saved;
    memcpy(&saved, from, sizeof saved);
    if (!reserve(q, a, saved.used))
        return false;
    q->count = saved.count;
    q->used = saved.used;
    q->free = saved.free;
    q->arrivals = saved.arrivals;
    if (q->used == 0)
        return true;
    memcpy(q->entries, from + sizeof saved, q->used * sizeof *q->entries);
    memcpy(q->heap, from + sizeof saved + q->used * sizeof *q->entries, q->count * sizeof *q->heap);
    return true;
}
