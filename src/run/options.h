// The options of a run, checked.
#ifndef KAIROS_RUN_OPTIONS_H
#define KAIROS_RUN_OPTIONS_H

#include "flow/flow.h"

// False: `why` says what cannot be.
bool options_check(const kaiModel* model, const kaiSimOptions* o, OdeOptions* ode, RootMethod* root, char* why,
                   size_t size);

#endif
