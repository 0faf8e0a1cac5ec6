// See worker.h.
#include "study/worker.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

bool worker_open(Worker* w, const kaiStudy* s, const volatile int* interrupt, kaiError* error)
{
    kaiSimOptions options = kaiModel_SimOptions(s->model);
    if (s->options.adjust != NULL)
        s->options.adjust(s->options.user, s->model, &options);
    options.interrupt = interrupt;
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
    for (int i = s->expect_count; i < s->measure_count; i++)
        if (!kaiSim_Get(sim, s->measures[i - s->expect_count], &measures[i]))
            measures[i] = NAN;
}

void worker_run(Worker* w, int64_t number, RunResult* result, double* numbers)
{
    const kaiStudy* s = w->study;
    double* measures = numbers + s->factor_count;
    result->passed = result->failed = 0;
    result->reason[0] = 0;
    kaiStudy_Values(s, number, numbers);
    for (int i = 0; i < s->measure_count; i++)
        measures[i] = NAN;
    kaiStatus status = kaiSim_Restore(w->sim, w->fresh);
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
