// choice = all: the decisions of a run, and which alternative comes next.
#ifndef KAIROS_RUN_EXPLORE_H
#define KAIROS_RUN_EXPLORE_H

#include "kernel/kernel.h"

// One choice between several enabled alternatives.
typedef struct Decision
{
    kaiTag tag;
    uint32_t reaction;        // the one that fires
    uint32_t taken, enabled;  // its rank among the enabled ones, in the order of the text
} Decision;

typedef struct Explorer Explorer;

// Decisions below script_count are to be taken as they stand, new ones are added behind.
typedef struct Explore
{
    Decision* decisions;
    uint32_t decision_capacity, script_count;
    uint32_t decision_count;  // made since the start
    bool merged;              // the run has come to where another one was: nothing new follows
    Explorer* explorer;       // NULL: nobody asks for the other alternatives
} Explore;

kaiStatus explore_decide(kaiSim* sim, bool fresh, uint32_t enabled, uint32_t* rank);

#endif
