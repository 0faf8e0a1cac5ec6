// What is due when: an indexed binary heap over a fixed set of items, each with a time. Finding the earliest costs
// nothing, moving an item the logarithm of their number, so an instant pays for what it moves.
#ifndef KAIROS_KERNEL_AGENDA_H
#define KAIROS_KERNEL_AGENDA_H

#include <stdint.h>

typedef struct Agenda
{
    uint32_t count;
    double* times;    // [item]; inf = never
    uint32_t* heap;   // items
    uint32_t* where;  // [item]: its place in the heap
} Agenda;

void agenda_init(Agenda* a);     // the arrays are given; nothing is due
void agenda_rebuild(Agenda* a);  // after `times` was filled from outside
void agenda_set(Agenda* a, uint32_t item, double t);
// The earliest item (the smallest of several) and its time; inf if the agenda is empty.
double agenda_next(const Agenda* a, uint32_t* item);
// The latest time up to `bound`; -inf if there is none.
double agenda_last(const Agenda* a, double bound);

#endif
