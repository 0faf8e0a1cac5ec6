// Events that wait for their time. A heap of numbers of entries, so that an entry can be found again and taken out:
// adding, taking the first and cancelling cost the logarithm of what waits; entries at one time keep the order of their
// arrival. Entries may belong to groups, of which the earliest is known: a pairing heap through the entries of each.
#ifndef KAIROS_KERNEL_QUEUE_H
#define KAIROS_KERNEL_QUEUE_H

#include "kairos/base.h"

#include <stdbool.h>

typedef struct QueueEntry
{
    double t, value;
    uint64_t order;   // of arrival
    uint32_t target;  // who gets it: meaning is the owner's
    uint32_t place;   // in the heap; of a free entry the next free one
    uint32_t group;
    uint32_t below, beside;  // in the heap of the group: the first of those behind it, the next beside it; entry + 1
} QueueEntry;

enum
{
    QUEUE_ALONE = UINT32_MAX  // of no group
};

typedef struct Queue
{
    QueueEntry* entries;
    uint32_t* heap;            // numbers of entries
    uint32_t count, capacity;  // waiting; room
    uint32_t used, free;       // entries ever used; the first free one + 1, 0 = none
    uint64_t arrivals;
    uint32_t* firsts;  // the owner's: of each group the first entry + 1; NULL: nobody asks for groups
} Queue;

// False: no memory.
bool queue_push(Queue* q, kaiAllocator allocator, double t, uint32_t target, double value, uint32_t group);
// The same of an entry of no group; the handle finds it as long as it waits.
bool queue_push_alone(Queue* q, kaiAllocator allocator, double t, uint32_t target, double value, uint64_t* handle);
QueueEntry queue_pop(Queue* q);                        // of a queue that is not empty
bool queue_cancel(Queue* q, uint64_t handle);          // false: it does not wait any more
double queue_next(const Queue* q);                     // time of the first; inf = none
double queue_next_of(const Queue* q, uint32_t group);  // of the first of a group
void queue_free(Queue* q, kaiAllocator allocator);

// A copy in a block of queue_save_size bytes, and back. False: no memory.
size_t queue_save_size(const Queue* q);
void queue_save(const Queue* q, void* block);
bool queue_load(Queue* q, kaiAllocator allocator, const void* block);

static inline const QueueEntry* queue_at(const Queue* q, uint32_t place)
{
    return &q->entries[q->heap[place]];
}

#endif
