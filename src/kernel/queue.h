// Events that wait for their time. A heap of numbers of entries, so that an entry can be found again and taken out:
// adding, taking the first and cancelling cost the logarithm of what waits; entries at one time keep the order of their
// arrival.
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
} QueueEntry;

typedef struct Queue
{
    QueueEntry* entries;
    uint32_t* heap;            // numbers of entries
    uint32_t count, capacity;  // waiting; room
    uint32_t used, free;       // entries ever used; the first free one + 1, 0 = none
    uint64_t arrivals;
} Queue;

// A handle finds the entry as long as it waits. False: no memory.
bool queue_push(Queue* q, kaiAllocator allocator, double t, uint32_t target, double value, uint64_t* handle);
QueueEntry queue_pop(Queue* q);                // of a queue that is not empty
bool queue_cancel(Queue* q, uint64_t handle);  // false: it does not wait any more
double queue_next(const Queue* q);             // time of the first; inf = none
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
