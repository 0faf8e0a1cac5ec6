// What is due when: an indexed heap over a fixed set of items, each with a time. Finding the earliest costs
// nothing, moving an item the logarithm of their number, so an instant pays for what it moves. A few items are not
// worth a heap: moving one is writing its time, and the earliest is looked for.
#ifndef KAIROS_KERNEL_AGENDA_H
#define KAIROS_KERNEL_AGENDA_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct AgendaEntry
{
    double time;
    uint32_t item;
} AgendaEntry;

typedef struct Agenda
{
    uint32_t count;
    double* times;      // [item], of a few; inf = never. Of many it is filled by agenda_collect
    AgendaEntry* heap;  // its place 1 begins a line of the cache, as then do the four below each place
    uint32_t* where;    // [item]: its place in the heap
} Agenda;

enum
{
    AGENDA_FEW = 8,
    AGENDA_BELOW = 4,   // places of the heap below each
    AGENDA_BEFORE = 3,  // entries before the first, for that
};

void agenda_init(Agenda* a);           // the arrays are given; nothing is due
void agenda_rebuild(Agenda* a);        // after `times` was filled from outside
void agenda_collect(const Agenda* a);  // fills `times`, whoever is going to read it
void agenda_move(Agenda* a, uint32_t item, double t);
static inline double agenda_time(const Agenda* a, uint32_t item)
{
    return a->count <= AGENDA_FEW ? a->times[item] : a->heap[a->where[item]].time;
}
static inline void agenda_set(Agenda* a, uint32_t item, double t)
{
    if (a->count <= AGENDA_FEW)
        a->times[item] = t;
    else
        agenda_move(a, item, t);
}
// The earliest item (the smallest of several) and its time; inf if the agenda is empty.
static inline double agenda_next(const Agenda* a, uint32_t* item)
{
    if (a->count > AGENDA_FEW)
    {
        *item = a->heap[0].item;
        return a->heap[0].time;
    }
    const double* times = a->times;
    uint32_t first = 0, count = a->count;
    double next = INFINITY;
    for (uint32_t i = 0; i < count; i++)
        if (times[i] < next)
        {
            next = times[i];
            first = i;
        }
    *item = first;
    return next;
}
// The same, with the time of the next item but one.
static inline double agenda_next_two(const Agenda* a, uint32_t* item, double* second)
{
    double next = INFINITY;
    *second = INFINITY;
    *item = 0;
    if (a->count > AGENDA_FEW)
    {
        for (uint32_t i = 1; i <= AGENDA_BELOW; i++)
            *second = a->heap[i].time < *second ? a->heap[i].time : *second;
        *item = a->heap[0].item;
        return a->heap[0].time;
    }
    for (uint32_t i = 0; i < a->count; i++)
    {
        double time = a->times[i];
        if (!(time < *second))
            continue;
        *second = time < next ? next : time;
        *item = time < next ? i : *item;
        next = time < next ? time : next;
    }
    return next;
}
// The latest time up to `bound`; -inf if there is none.
double agenda_last(const Agenda* a, double bound);

#endif
