// The options of a run, checked.
#ifndef KAIROS_RUN_OPTIONS_H
#define KAIROS_RUN_OPTIONS_H

#include "flow/flow.h"

// Every field of the options by the table of settings (model/settings.def), and what belongs together. False: `why` is
// a sentence that says what is wrong and what would be right. The options may be NULL, zero or never set.
bool options_check(const kaiModel* model, const kaiSimOptions* o, OdeOptions* ode, RootMethod* root, char* why,
                   size_t size);

#endif
