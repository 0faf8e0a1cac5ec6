// A model as text, complete: two models are the same if and only if their listings are.
#ifndef KAIROS_MODEL_PRINT_H
#define KAIROS_MODEL_PRINT_H

#include "model/model.h"

// One record or instruction a line, `line` is called for each. Registers are r7, absent ones `-`; strings are quoted;
// of runs of one operator with many instructions the first are shown.
void model_print(const kaiModel* model, void (*line)(void* user, const char* text), void* user);

#endif
