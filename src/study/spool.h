// Rows of a run that must wait for their turn: in memory while they are few, in a temporary file when they are many.
#ifndef KAIROS_STUDY_SPOOL_H
#define KAIROS_STUDY_SPOOL_H

#include "kairos/kairos.h"

#include <stdio.h>

typedef struct Spool
{
    char* memory;
    size_t size, capacity;
    FILE* file;  // NULL: everything is in memory
    int column_count;
} Spool;

void spool_open(Spool* spool, int column_count);
// KAI_ERR_IO or KAI_ERR_MEMORY if there is no room.
kaiStatus spool_add(Spool* spool, const kaiRow* row);
// Hands the rows on in their order; stops at the first nonzero status and returns it.
kaiStatus spool_replay(Spool* spool, kaiRowFn* row, void* user);
void spool_close(Spool* spool);

#endif
