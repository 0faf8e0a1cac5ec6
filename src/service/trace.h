// What a run leaves behind for a picture: rows as columns of numbers, and what fired. It grows while the library runs,
// so it never jumps out: a row for which there is no memory ends the run with a status.
#ifndef KAIROS_SERVICE_TRACE_H
#define KAIROS_SERVICE_TRACE_H

#include "kairos/sim.h"

#include <stdbool.h>

enum
{
    TRACE_FIRED_MOST = 50000,  // beyond them only rows are kept
    TRACE_TEXT = 80,
};

typedef struct TraceFired
{
    kaiTag tag;
    kaiFiredKind kind;
    kaiPlace place;
    char text[TRACE_TEXT];  // cut
} TraceFired;

typedef struct Trace
{
    kaiAllocator allocator;
    size_t memory;             // bytes of rows at most; 0: any
    bool last_only;            // keep the rows of the latest time only
    volatile double* reached;  // the time of the latest row, for whoever looks; NULL: nobody does
    int columns;
    double** values;  // of each column; absent is NaN
    double* t;
    int32_t *p, *m;
    size_t rows, capacity;
    TraceFired* fired;
    size_t fired_count, fired_capacity;
} Trace;

// False: no memory.
bool trace_init(Trace* trace, kaiAllocator allocator, int columns);
void trace_free(Trace* trace);
// For kaiSimOptions, with the trace as user.
kaiStatus trace_row(void* trace, const kaiRow* row);
void trace_fired(void* trace, const kaiFired* fired);

#endif
