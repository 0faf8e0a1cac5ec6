// The hostile build (base/hostile.h) between two steps of a run. Nothing in the others.
#ifndef KAIROS_RUN_HOSTILE_H
#define KAIROS_RUN_HOSTILE_H

#include "run/sim.h"

#ifdef KAIROS_HOSTILE
kaiStatus hostile_visit(kaiSim* sim);
#else
static inline kaiStatus hostile_visit(kaiSim* sim)
{
    (void)sim;
    return KAI_OK;
}
#endif

#endif
