// See foreign.c.
#ifndef KAIROS_ELAB_FOREIGN_H
#define KAIROS_ELAB_FOREIGN_H

#include "elab/elaborate.h"

typedef FileAst* BlockReader(void* user, uint32_t source);  // parses and keeps it
// Finds the block and reads its text; what is wrong is reported.
void foreign_load(Program* program, const Foreign* foreign, BlockReader* read, void* user);

#endif
