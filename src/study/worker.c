// See worker.h.
#include "study/worker.h"

#include "base/error.h"
#include "study/design.h"

#include <math.h>
#include <stdio.h>

static kaiStatus keep_row(void* user, const kaiRow* row)
{
    Worker* w = user;
    return w->spool != NULL ? spool_add(w->spool, row) : KAI_OK;
}

bool worker_open(Worker* w, const kaiStudy* s, const kaiStudyRunOptions* o, kaiError* error)
{
    kaiSimOptions options = kaiModel_SimOptions(s->model);
    if (s->options.adjust != NULL)
        s->options.adjust(s->options.user, s->model, &options);
    options.interrupt = o->interrupt;
    options.row = o->wanted != NULL ? keep_row : NULL;
    options.row_user = w;
    *w = (Worker){.study = s, .sim = kaiSim_Create(s->model, &options, error)};
    w->fresh = w->sim != NULL ? kaiSim_Save(w->sim) : NULL;
    if (w->sim != NULL && w->fresh == NULL)
        error_memory(error);
    return w->fresh != NULL;
}

void worker_close(Worker* w)
{
    kaiSnapshot_Free(w->fresh);
    kaiSim_Free(w->sim);
}

static void say_failure(RunResult* result, kaiStatus status, const kaiError* f)
{
    const char* message = f != NULL && f->message != NULL ? f->message : "out of memory";
    result->status = status < 0 ? status : KAI_ERR_RUN;
    if (f != NULL && f->place.file != NULL)
        snprintf(result->reason, sizeof result->reason, "%s:%d:%d: %s", f->place.file, f->place.line, f->place.column,
                 message);
    else
        snprintf(result->reason, sizeof result->reason, "%s", message);
}

static void measure(const kaiStudy* s, kaiSim* sim, RunResult* result, double* measures)
{
    for (int i = 0; i < s->expect_count; i++)
    {
        kaiExpectResult expect;
        bool there = kaiSim_Expect(sim, i, &expect) == KAI_OK;
        measures[i] = there && expect.present ? expect.value : NAN;
        result->passed += there && expect.passed;
        result->failed += !there || !expect.passed;
    }
    int first = s->expect_count + s->asked_count;
    for (int i = s->expect_count; i < first; i++)
        if (!kaiSim_Measure(sim, i - s->expect_count, &measures[i]))
            measures[i] = NAN;
    for (int i = first; i < s->measure_count; i++)
        if (!kaiSim_Get(sim, s->measures[i - first], &measures[i]))
            measures[i] = NAN;
}

static void open_spool(Worker* w, Spool* spool)
{
    int count = 0;
    w->spool = spool;
    if (spool != NULL)
    {
        kaiSim_Columns(w->sim, &count);
        spool_open(spool, count);
    }
}

void worker_run(Worker* w, int64_t number, RunResult* result, double* numbers, Spool* spool)
{
    const kaiStudy* s = w->study;
    open_spool(w, spool);
    double* measures = numbers + s->factor_count;
    result->passed = result->failed = 0;
    result->reason[0] = 0;
    kaiStudy_Values(s, number, numbers);
    for (int i = 0; i < s->measure_count; i++)
        measures[i] = NAN;
    kaiStatus status = kaiSim_Restore(w->sim, w->fresh);
    if (status == KAI_OK)
        status = kaiSim_SetSeed(w->sim, design_seed(s->options.seed, (uint64_t)number));
    for (int i = 0; i < s->factor_count && status == KAI_OK; i++)
        status = kaiSim_Set(w->sim, s->factors[i].variable, numbers[i]);
    if (status == KAI_OK)
        status = kaiSim_Run(w->sim);
    result->status = status;
    if (status == KAI_END)
        measure(s, w->sim, result, measures);
    else if (status != KAI_INTERRUPTED)
        say_failure(result, status, kaiSim_Failure(w->sim));
}

kaiStudyRow worker_row(const kaiStudy* study, int64_t number, const RunResult* result, const double* numbers)
{
    return (kaiStudyRow){.run = number,
                         .status = result->status,
                         .factors = numbers,
                         .measures = numbers + study->factor_count,
                         .passed = result->passed,
                         .failed = result->failed,
                         .reason = result->reason};
}

typedef struct Replay
{
    const kaiStudyRunOptions* options;
    const kaiStudyRow* run;
} Replay;

static kaiStatus hand_on(void* user, const kaiRow* row)
{
    const Replay* r = user;
    return r->options->trajectory != NULL ? r->options->trajectory(r->options->user, r->run, row) : KAI_OK;
}

kaiStatus worker_replay(const kaiStudyRunOptions* options, const kaiStudyRow* run, Spool* spool)
{
    Replay r = {options, run};
    kaiStatus status = spool_replay(spool, hand_on, &r);
    spool_close(spool);
    return status;
}
