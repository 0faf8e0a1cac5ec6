// The trajectories that a study keeps: which runs, and where their rows go.
#ifndef KAIROS_CLI_TRAJECTORIES_H
#define KAIROS_CLI_TRAJECTORIES_H

#include "cli/inquiry.h"

#include <limits.h>

enum
{
    KEPT_RANGES = 256,
    FAN_RUNS = 1000  // a fan needs no more, and its runs are made with rows
};

typedef struct Trajectories
{
    const Inquiry* inquiry;
    const kaiStudy* study;
    int64_t from[KEPT_RANGES], to[KEPT_RANGES];  // runs that are kept, from 0; `to` is one of them
    int range_count;
    bool alone;  // --run: a result as that of kairos run
    char path[PATH_MAX];
    kaiColumn* columns;  // of the writer and the fan: a study may be run in several parts, each with columns of its own
    kaiWriter* writer;
    kaiFan* fan;          // --chart fan; NULL: not wanted
    int64_t fan_stride;   // of its runs; 0: there is none
    int64_t run, fan_at;  // whose rows came last
    kaiError error;       // why there is no writer or fan
} Trajectories;

// From --keep, --trajectories, --run and --chart. An exit code.
int trajectories_choose(Trajectories* t, const Inquiry* inquiry, const kaiStudy* study);
// Whether any run is wanted, or this one.
bool trajectories_any(const Trajectories* t);
bool trajectories_want(const Trajectories* t, int64_t run);
// As kaiStudyRunOptions has them.
kaiStatus trajectories_begin(Trajectories* t, const kaiColumn* columns, int count);
kaiStatus trajectories_row(Trajectories* t, const kaiStudyRow* run, const kaiRow* row);
// The file gets its name and the fan is drawn if all is `whole`. An exit code.
int trajectories_close(Trajectories* t, bool whole);

#endif
