// Values before the run, as the text says them: of parameters and of what has a start value.
#ifndef KAIROS_API_STARTS_H
#define KAIROS_API_STARTS_H

#include "model/model.h"

// Computes them once, when the model is made, so that asking for one needs no run. False: out of memory.
bool starts_compute(kaiModel* model);

#endif
