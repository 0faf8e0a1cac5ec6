// A result in memory: its runs as columns. What compares results and what takes values from one stand on it.
#ifndef KAIROS_RESULT_RUNS_H
#define KAIROS_RESULT_RUNS_H

#include "kairos/result.h"

typedef struct Run
{
    char label[512];  // what leads its rows; "" if there is only one
    kaiRecorder* rows;
} Run;

typedef struct Runs
{
    kaiAllocator allocator;
    kaiReader* reader;  // owns the columns
    const kaiColumn* columns;
    int column_count;
    Run* at;
    int count, capacity;
} Runs;

// Reads all of a file. After a failure too runs_free has to follow.
kaiStatus runs_read(Runs* runs, const char* path, kaiAllocator allocator, const volatile int* interrupt,
                    kaiError* error);
void runs_free(Runs* runs);
// The column of a name; -1: there is none.
int runs_find(const Runs* runs, const char* name);

#endif
