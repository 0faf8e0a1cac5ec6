// Sequences of sets of junction modes from one state, one set at a time.
#ifndef KAIROS_PROVE_SETS_H
#define KAIROS_PROVE_SETS_H

#include "prove/search.h"

typedef struct SetsResult
{
    uint32_t longest;  // sets after the first, all together
    bool fallback;     // somewhere it takes one switch at a time to come to rest
    uint32_t sets;     // that were looked at
} SetsResult;

// Few enough sets to begin with.
bool sets_fit(Search* s);
// NO: every a-posteriori run ends. YES: one does not, together or one at a time. UNKNOWN: time is over, or not linear.
Verdict sets_search(Search* s, SetsResult* result);

#endif
