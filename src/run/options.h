// The options of a run: what the experiment says, checked before anything is made of them.
#ifndef KAIROS_RUN_OPTIONS_H
#define KAIROS_RUN_OPTIONS_H

#include "flow/flow.h"

// The words of the options as the run uses them.
typedef struct RunOptions
{
    OdeOptions ode;
    RootMethod root;
    ChoicePolicy policy;
} RunOptions;

// Every field of `options` by the table of settings, and what belongs together. False: `why` is a sentence that says
// what is wrong and what would be right. `options` may be NULL, zero or never set.
bool options_check(const kaiModel* model, const kaiSimOptions* options, RunOptions* run, char* why, size_t size);

#endif
