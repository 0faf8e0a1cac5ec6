// What fired in a run and when: a log for `kairos explain`.
#ifndef KAIROS_STUDY_FIRINGS_H
#define KAIROS_STUDY_FIRINGS_H

#include "kairos/study.h"

// One guard, clock or reaction of the text.
typedef struct Source
{
    kaiFiredKind kind;
    kaiPlace place;
    char* text;
    int64_t count;
} Source;

typedef struct Firing
{
    int source;
    int64_t rank;  // the how manieth of its source, from 1
    double t;
} Firing;

typedef struct Firings
{
    Source* sources;
    int source_count, source_capacity;
    int* slots;  // hash table: index in `sources` + 1
    int slot_count;
    Firing* list;  // of crossings only: clocks tick when they should
    int64_t count, capacity;
    bool cut;     // there were more than are kept
    bool failed;  // out of memory: the log is not complete
} Firings;

// A kaiFiredFn; `user` is a Firings.
void firings_add(void* user, const kaiFired* fired);
// The source of `other` that is the same place and text in `firings`, or -1.
int firings_find(const Firings* firings, const Source* other);
void firings_free(Firings* firings);

#endif
