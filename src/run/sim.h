// A run: the three floors put together. The floors below know each other only through their hooks.
#ifndef KAIROS_RUN_SIM_H
#define KAIROS_RUN_SIM_H

#include "flow/flow.h"
#include "run/explore.h"
#include "watch/balance.h"
#include "watch/contact.h"
#include "watch/endless.h"
#include "watch/fired.h"
#include "watch/record.h"
#include "watch/zeno.h"

struct kaiSim
{
    const kaiModel* model;
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
    Balance balance;
    Explore explore;
};

#endif
