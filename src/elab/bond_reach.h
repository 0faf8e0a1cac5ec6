// What the value of a source hangs on (bond_reach.c), for bond_graph.c.
#ifndef KAIROS_ELAB_BOND_REACH_H
#define KAIROS_ELAB_BOND_REACH_H

#include "elab/elab.h"

typedef enum ReachGoal
{
    REACH_MAP,    // an output of a map, at this very tag
    REACH_STATE,  // that, or a state whose slope hangs on one
    REACH_FLOW,   // whatever changes between instants
} ReachGoal;

// What a graph has to do with a variable.
enum
{
    BOND_MARK_MAPPED = 1,  // a map defines it, or it is solved with one
    BOND_MARK_OUTPUT =
        2,  // it is an effort or flow that the graph gives: from a map, as a sum, or as one that is imposed
};

bool bond_value_reaches(Elab* e, const uint8_t* marks, uint32_t var, ReachGoal goal);
// Whether it changes only where a discrete is assigned or an ordinary mode left: a ratio that the run reads anew then.
bool bond_value_steps(Elab* e, const uint8_t* marks, uint32_t var);
bool bond_value_returns(Elab* e, const uint8_t* marks, uint32_t var);  // to itself, through an output

#endif
