// Listeners at lean instants: see steady.c.
#ifndef KAIROS_WATCH_STEADY_H
#define KAIROS_WATCH_STEADY_H

#include "kernel/lean.h"
#include "watch/contact.h"
#include "watch/record.h"
#include "watch/zeno.h"

typedef struct Steady  // who is told
{
    Record* record;
    Zeno* zeno;
    Sliding* sliding;
    const Contact* contact;
} Steady;

// Of a model without blocks. False: one of them has a suspicion, and none has noted anything.
bool steady_note(const Steady* s, const Lean* lean);

#endif
