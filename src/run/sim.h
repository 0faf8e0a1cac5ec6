// A run: the three floors put together. The floors below know each other only through their hooks.
#ifndef KAIROS_RUN_SIM_H
#define KAIROS_RUN_SIM_H

#include "base/budget.h"
#include "flow/flow.h"
#include "run/explore.h"
#include "watch/balance.h"
#include "watch/contact.h"
#include "watch/endless.h"
#include "watch/fired.h"
#include "watch/record.h"
#include "watch/steady.h"
#include "watch/zeno.h"

struct kaiSim
{
    const kaiModel* model;
    Budget budget;  // the options have its allocator, the caller's is `outer` in it
    kaiSimOptions options;
    OdeMethod method;
    Kernel kernel;
    Flow flow;
    Record record;
    Zeno zeno;
    Contact contact;
    Motion motion;
    Surfaces surfaces;
    Sliding sliding;
    Endless endless;
    Steady steady;
    Balance balance;
    Explore explore;
#ifdef KAIROS_HOSTILE
    uint64_t hostile;  // run/hostile.c
#endif
};

extern const KernelHooks sim_kernel_hooks;  // hooks.c
extern const FlowHooks sim_flow_hooks;

#ifdef KAIROS_HOSTILE
// All but the options, the record and the exploration made anew, as they are before a start. False: no memory.
bool sim_remake(kaiSim* sim);
#endif
// A snapshot in memory of `allocator`.
kaiSnapshot* snapshot_save(kaiSim* sim, kaiAllocator allocator);

#endif
