// The runs of a study in all threads, their rows in order. Each thread has one sim, which is set back to its start by a
// snapshot; each takes a few runs at a time, and whoever has finished the batch whose turn it is hands out the rows of
// all batches that are ready behind it. No batch starts more than a window ahead.
#include "base/error.h"
#include "study/study.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum
{
    BATCH = 32,   // runs
    WINDOW = 64,  // batches
};

typedef struct RunResult
{
    kaiStatus status;
    int passed, failed;
    char reason[STUDY_REASON];
} RunResult;

typedef struct Batch
{
    bool ready, partial;  // partial: the runs behind `count` were not made
    int count;
    RunResult results[BATCH];
    double* numbers;  // BATCH × (factors + measures)
} Batch;

typedef struct StudyRun
{
    const kaiStudy* study;
    const kaiStudyRunOptions* options;
    int64_t count;  // runs of this call
    volatile int stop;
    pthread_mutex_t lock;  // protects what follows
    pthread_cond_t moved;
    int64_t taken, next;  // batches
    bool writing;
    kaiStatus output;
    kaiError* error;
    Batch* batches;
    double* numbers;
} StudyRun;

kaiStudyRunOptions kaiDefaultStudyRunOptions(void)
{
    return (kaiStudyRunOptions){.cookie = KAI_COOKIE, .step = 1, .end = -1};
}

static size_t width(const kaiStudy* s)
{
    return (size_t)(s->factor_count + s->measure_count);
}

static int64_t run_number(const StudyRun* r, int64_t batch, int at)
{
    return r->options->first + (batch * BATCH + at) * r->options->step;
}

static bool goes_on(const StudyRun* r)
{
    return r->stop == 0 && (r->options->interrupt == NULL || *r->options->interrupt == 0);
}

// ---- one run

typedef struct Worker
{
    StudyRun* run;
    kaiSim* sim;
    kaiSnapshot* fresh;
} Worker;

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

static void run_one(Worker* w, int64_t number, RunResult* result, double* numbers)
{
    const kaiStudy* s = w->run->study;
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

static bool run_batch(Worker* w, int64_t batch)
{
    StudyRun* r = w->run;
    Batch* b = &r->batches[batch % WINDOW];
    int64_t left = r->count - batch * BATCH;
    b->count = left < BATCH ? (int)left : BATCH;
    b->partial = false;
    for (int i = 0; i < b->count; i++)
    {
        run_one(w, run_number(r, batch, i), &b->results[i], b->numbers + (size_t)i * width(r->study));
        if (b->results[i].status == KAI_INTERRUPTED || !goes_on(r))
        {
            b->count = i + (b->results[i].status != KAI_INTERRUPTED);
            b->partial = true;  // nothing behind it may be written
            return false;
        }
    }
    return true;
}

// ---- rows in order

static kaiStatus write_batch(StudyRun* r, int64_t batch)
{
    const Batch* b = &r->batches[batch % WINDOW];
    kaiStatus status = KAI_OK;
    for (int i = 0; i < b->count && status == KAI_OK && r->options->row != NULL; i++)
    {
        const double* numbers = b->numbers + (size_t)i * width(r->study);
        kaiStudyRow row = {.run = run_number(r, batch, i),
                           .status = b->results[i].status,
                           .factors = numbers,
                           .measures = numbers + r->study->factor_count,
                           .passed = b->results[i].passed,
                           .failed = b->results[i].failed,
                           .reason = b->results[i].reason};
        status = r->options->row(r->options->user, &row);
    }
    return status == KAI_OK && b->partial ? KAI_INTERRUPTED : status;
}

// With the lock, which is free while rows are written.
static void write_ready(StudyRun* r)
{
    while (!r->writing && r->batches[r->next % WINDOW].ready)
    {
        r->writing = true;
        pthread_mutex_unlock(&r->lock);
        kaiStatus status = r->output == KAI_OK ? write_batch(r, r->next) : KAI_OK;
        pthread_mutex_lock(&r->lock);
        r->batches[r->next % WINDOW].ready = false;
        r->next++;
        r->writing = false;
        if (status != KAI_OK && r->output == KAI_OK)
        {
            r->output = status;
            r->stop = 1;
        }
        pthread_cond_broadcast(&r->moved);
    }
}

static int64_t batch_count(const StudyRun* r)
{
    return (r->count + BATCH - 1) / BATCH;
}

// With the lock. -1: there is nothing more to do.
static int64_t take_batch(StudyRun* r)
{
    while (goes_on(r) && r->taken < batch_count(r) && r->taken >= r->next + WINDOW)
        pthread_cond_wait(&r->moved, &r->lock);
    return goes_on(r) && r->taken < batch_count(r) ? r->taken++ : -1;
}

// ---- threads

static bool make_sim(Worker* w, kaiError* error)
{
    const kaiStudy* s = w->run->study;
    kaiSimOptions options = kaiModel_SimOptions(s->model);
    if (s->options.adjust != NULL)
        s->options.adjust(s->options.user, s->model, &options);
    options.interrupt = w->run->options->interrupt;
    w->sim = kaiSim_Create(s->model, &options, error);
    w->fresh = w->sim != NULL ? kaiSim_Save(w->sim) : NULL;
    if (w->sim != NULL && w->fresh == NULL)
        error_memory(error);
    return w->fresh != NULL;
}

static void* work(void* user)
{
    StudyRun* r = user;
    Worker w = {.run = r};
    kaiError error;
    bool made = make_sim(&w, &error), whole = true;
    pthread_mutex_lock(&r->lock);
    if (!made && r->output == KAI_OK)
    {
        r->output = error_copy(r->error, &error);
        r->stop = 1;
    }
    for (int64_t batch; made && whole && (batch = take_batch(r)) >= 0;)
    {
        pthread_mutex_unlock(&r->lock);
        whole = run_batch(&w, batch);
        pthread_mutex_lock(&r->lock);
        r->batches[batch % WINDOW].ready = true;
        if (!whole)
            r->stop = 1;
        write_ready(r);
    }
    pthread_cond_broadcast(&r->moved);
    pthread_mutex_unlock(&r->lock);
    kaiSnapshot_Free(w.fresh);
    kaiSim_Free(w.sim);
    return NULL;
}

// ---- all runs

static kaiStatus check(const kaiStudy* s, const kaiStudyRunOptions* o, kaiError* error)
{
    if (s == NULL || o == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no study, or there are no options");
    if (!error_check_cookie(&o->cookie, "kaiDefaultStudyRunOptions", error))
        return KAI_ERR_USAGE;
    if (o->first < 0 || o->step < 1 || o->threads < 0)
        return error_set(error, KAI_ERR_USAGE, "runs are counted from 0, in steps of at least 1");
    return KAI_OK;
}

static bool make_batches(StudyRun* r)
{
    kaiAllocator a = r->study->allocator;
    size_t each = BATCH * width(r->study);
    r->batches = a.alloc(a.user, NULL, 0, WINDOW * sizeof *r->batches);
    r->numbers = a.alloc(a.user, NULL, 0, WINDOW * each * sizeof(double) + 1);
    if (r->batches == NULL || r->numbers == NULL)
        return false;
    memset(r->batches, 0, WINDOW * sizeof *r->batches);
    for (int i = 0; i < WINDOW; i++)
        r->batches[i].numbers = r->numbers + (size_t)i * each;
    return true;
}

static void free_batches(StudyRun* r)
{
    kaiAllocator a = r->study->allocator;
    if (r->batches != NULL)
        a.alloc(a.user, r->batches, WINDOW * sizeof *r->batches, 0);
    if (r->numbers != NULL)
        a.alloc(a.user, r->numbers, WINDOW * BATCH * width(r->study) * sizeof(double) + 1, 0);
}

kaiStatus kaiStudy_Run(kaiStudy* study, const kaiStudyRunOptions* options, kaiError* error)
{
    kaiStatus status = check(study, options, error);
    if (status != KAI_OK)
        return status;
    int64_t end = options->end >= 0 && options->end < study->runs ? options->end : study->runs;
    StudyRun r = {.study = study, .options = options, .error = error};
    r.count = end > options->first ? (end - options->first + options->step - 1) / options->step : 0;
    if (!make_batches(&r))
        status = error_memory(error);
    else
    {
        pthread_mutex_init(&r.lock, NULL);
        pthread_cond_init(&r.moved, NULL);
        int threads = options->threads > 0 ? options->threads : kaiThreads_Wanted(batch_count(&r));
        if (threads > batch_count(&r))
            threads = batch_count(&r) > 0 ? (int)batch_count(&r) : 1;
        kaiThreads_Run(threads, work, &r);
        pthread_cond_destroy(&r.moved);
        pthread_mutex_destroy(&r.lock);
        status = r.output != KAI_OK ? r.output : r.next < batch_count(&r) || r.stop != 0 ? KAI_INTERRUPTED : KAI_OK;
    }
    free_batches(&r);
    return status;
}
