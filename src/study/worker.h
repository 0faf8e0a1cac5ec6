// Whoever makes runs of a study: one sim that is set back by a snapshot, in a thread or in a process of its own.
#ifndef KAIROS_STUDY_WORKER_H
#define KAIROS_STUDY_WORKER_H

#include "study/spool.h"
#include "study/study.h"

enum
{
    BATCH = 32,  // runs that are taken at a time
};

typedef struct RunResult
{
    kaiStatus status;
    int passed, failed;
    char reason[STUDY_REASON];
} RunResult;

typedef struct Worker
{
    const kaiStudy* study;
    kaiSim* sim;
    kaiSnapshot* fresh;
    Spool* spool;  // where the rows of the run go; NULL: nobody wants them
} Worker;

// It must stay where it is until it is closed.
bool worker_open(Worker* worker, const kaiStudy* study, const kaiStudyRunOptions* options, kaiError* error);
void worker_close(Worker* worker);
// One run: `numbers` are its factors, then its measures. `spool` gets its rows if they are wanted, and must be closed
// then; NULL: nobody wants them.
void worker_run(Worker* worker, int64_t number, RunResult* result, double* numbers, Spool* spool);

// Hands the rows of a run to `trajectory`, and closes the spool.
kaiStatus worker_replay(const kaiStudyRunOptions* options, const kaiStudyRow* run, Spool* spool);

static inline size_t study_width(const kaiStudy* s)
{
    return (size_t)(s->factor_count + s->measure_count);
}

// A result as the caller of a study sees it.
kaiStudyRow worker_row(const kaiStudy* study, int64_t number, const RunResult* result, const double* numbers);

#endif
