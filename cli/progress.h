// How far a run is, on stderr, if that is a terminal.
#ifndef KAIROS_CLI_PROGRESS_H
#define KAIROS_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Progress
{
    bool on, shown;
    double start, stop;         // model time, or the number of runs of a sweep
    double passed;              // of that before it began: an earlier process did it
    double begun, next_report;  // wall time
} Progress;

double wall_time(void);

// `wanted` is not enough: stderr must be a terminal, and the rows must not go to the same one.
void progress_begin(Progress* progress, bool wanted, bool rows_to_stdout, double start, double stop);
// `what` is the name of what advances ("t", "run"); `count` of `unit` so far gives a rate ("instants").
void progress_show(Progress* progress, const char* what, double at, int64_t count, const char* unit);
// Removes the bar.
void progress_end(Progress* progress);

#endif
