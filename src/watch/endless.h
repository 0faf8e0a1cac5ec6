// Instants that do not end (rule R5).
#ifndef KAIROS_WATCH_ENDLESS_H
#define KAIROS_WATCH_ENDLESS_H

#include "watch/record.h"

typedef struct Endless
{
    Kernel* kernel;
    const Record* record;
    double* rounds;        // of variables: values at the last tags of a long instant
    uint32_t round_slots;  // how many tags
    uint32_t tags, mark, next_mark, changed_states;
    uint64_t marked;
    uint64_t reactions[64];      // hashes of what fired at the last tags
    uint32_t period, confirmed;  // of a round that repeats; tags in a row at which it shrinks steadily
    bool limited, shrinks;
    uint32_t show, cycle;  // the verdict is known: tags still to be shown, tags of a round
    uint32_t place;
    double ratio;
    Text text;
    char limit[240];
} Endless;

bool endless_make(Endless* e, Kernel* kernel, const Record* record);
void endless_free(Endless* e);
void endless_begin(Endless* e);
kaiStatus endless_watch(Endless* e, kaiTag at, bool state_changed);

#endif
