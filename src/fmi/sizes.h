// Which sizes of arrays follow which parameters of a model.
#ifndef KAIROS_FMI_SIZES_H
#define KAIROS_FMI_SIZES_H

#include "fmi/shape.h"
#include "kairos/program.h"

// Compiles the model again with another value of each parameter that decides its structure and may be a size. What
// becomes other variables then, or no model, follows nothing.
void sizes_find(SizeRules* rules, Arena* arena, kaiProgram* program, const kaiCompileOptions* which,
                const kaiModel* model);

#endif
