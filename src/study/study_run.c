// The runs of a study in all threads, their rows in order. Each thread has one sim, which is set back to its start by a
// snapshot; each takes a few runs at a time, and whoever has finished the batch whose turn it is hands out the rows of
// all batches that are ready behind it. No batch starts more than a window ahead.
#include "base/budget.h"
#include "base/error.h"
#include "study/ranks.h"
#include "study/worker.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum
{
    WINDOW = 64,  // batches
};

typedef struct Batch
{
    bool ready, partial;  // partial: the runs behind `count` were not made
    int count;
    RunResult results[BATCH];
    double* numbers;  // BATCH × (factors + measures)
    bool kept;        // the rows of its one run
    Spool spool;
} Batch;

typedef struct StudyRun
{
    const kaiStudy* study;
    const kaiStudyRunOptions* options;
    int64_t count;  // runs of this call
    int size;       // of a batch; 1 where trajectories may have to wait for their turn
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

static int64_t run_number(const StudyRun* r, int64_t batch, int at)
{
    return r->options->first + (batch * r->size + at) * r->options->step;
}

static bool goes_on(const StudyRun* r)
{
    return r->stop == 0 && !budget_flag(r->options->interrupt);
}

// ---- a batch

static bool run_batch(StudyRun* r, Worker* w, int64_t batch)
{
    Batch* b = &r->batches[batch % WINDOW];
    int64_t left = r->count - batch * r->size;
    b->count = left < r->size ? (int)left : r->size;
    b->partial = false;
    for (int i = 0; i < b->count; i++)
    {
        int64_t run = run_number(r, batch, i);
        b->kept = r->options->wanted != NULL && r->options->wanted(r->options->user, run);
        if (!b->kept && r->options->only_wanted)
            b->results[i].status = KAI_OK;  // not made
        else
            worker_run(w, run, &b->results[i], b->numbers + (size_t)i * study_width(r->study),
                       b->kept ? &b->spool : NULL);
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
    Batch* b = &r->batches[batch % WINDOW];
    kaiStatus status = KAI_OK;
    for (int i = 0; i < b->count && status == KAI_OK; i++)
    {
        const double* numbers = b->numbers + (size_t)i * study_width(r->study);
        kaiStudyRow row = worker_row(r->study, run_number(r, batch, i), &b->results[i], numbers);
        if (r->options->row != NULL && row.status != KAI_OK)
            status = r->options->row(r->options->user, &row);
        if (b->kept && status == KAI_OK)
            status = worker_replay(r->options, &row, &b->spool);
    }
    return status == KAI_OK && b->partial ? KAI_INTERRUPTED : status;
}

static void free_spool(Batch* b)
{
    if (b->kept)
        spool_close(&b->spool);
    b->kept = false;
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
        free_spool(&r->batches[r->next % WINDOW]);
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
    return (r->count + r->size - 1) / r->size;
}

// With the lock. -1: there is nothing more to do.
static int64_t take_batch(StudyRun* r)
{
    while (goes_on(r) && r->taken < batch_count(r) && r->taken >= r->next + WINDOW)
        pthread_cond_wait(&r->moved, &r->lock);
    return goes_on(r) && r->taken < batch_count(r) ? r->taken++ : -1;
}

// ---- threads

static void* work(void* user)
{
    StudyRun* r = user;
    Worker w;
    kaiError error;
    bool made = worker_open(&w, r->study, r->options, &error), whole = true;
    pthread_mutex_lock(&r->lock);
    if (!made && r->output == KAI_OK)
    {
        r->output = error_copy(r->error, &error);
        r->stop = 1;
    }
    for (int64_t batch; made && whole && (batch = take_batch(r)) >= 0;)
    {
        pthread_mutex_unlock(&r->lock);
        whole = run_batch(r, &w, batch);
        pthread_mutex_lock(&r->lock);
        r->batches[batch % WINDOW].ready = true;
        if (!whole)
            r->stop = 1;
        write_ready(r);
    }
    pthread_cond_broadcast(&r->moved);
    pthread_mutex_unlock(&r->lock);
    worker_close(&w);
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
    size_t each = BATCH * study_width(r->study);
    r->batches = a.alloc(a.user, NULL, 0, WINDOW * sizeof *r->batches);
    r->numbers = a.alloc(a.user, NULL, 0, WINDOW * each * sizeof(double) + 1);
    if (r->batches != NULL)
        memset(r->batches, 0, WINDOW * sizeof *r->batches);
    if (r->batches == NULL || r->numbers == NULL)
        return false;
    for (int i = 0; i < WINDOW; i++)
        r->batches[i].numbers = r->numbers + (size_t)i * each;
    return true;
}

static void free_batches(StudyRun* r)
{
    kaiAllocator a = r->study->allocator;
    for (int i = 0; r->batches != NULL && i < WINDOW; i++)
        free_spool(&r->batches[i]);
    if (r->batches != NULL)
        a.alloc(a.user, r->batches, WINDOW * sizeof *r->batches, 0);
    if (r->numbers != NULL)
        a.alloc(a.user, r->numbers, WINDOW * BATCH * study_width(r->study) * sizeof(double) + 1, 0);
}

static kaiStatus run_threads(kaiStudy* study, const kaiStudyRunOptions* options, kaiError* error)
{
    kaiStatus status;
    int64_t end = options->end >= 0 && options->end < study->runs ? options->end : study->runs;
    StudyRun r = {.study = study, .options = options, .error = error, .size = options->wanted != NULL ? 1 : BATCH};
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

kaiStatus kaiStudy_Run(kaiStudy* study, const kaiStudyRunOptions* options, kaiError* error)
{
    kaiStatus status = check(study, options, error);
    if (status != KAI_OK)
        return status;
    Worker first = {0};  // whose columns are those of all
    int count;
    if (options->begin != NULL)
    {
        if (!worker_open(&first, study, options, error))
            status = error != NULL && error->status != KAI_OK ? error->status : KAI_ERR_MEMORY;
        const kaiColumn* columns = kaiSim_Columns(first.sim, &count);
        status = status == KAI_OK ? options->begin(options->user, columns, count) : status;
    }
    if (status == KAI_OK)
        status = options->ranks ? study_run_ranks(study, options, error) : run_threads(study, options, error);
    worker_close(&first);
    return status;
}
