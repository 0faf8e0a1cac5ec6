// A study among processes. Rank 0 hands out batches, takes their results and hands on the rows in order; it makes no
// runs itself, so that it always answers. A worker asks with the results of its last batch.
#include "base/budget.h"
#include "base/error.h"
#include "study/ranks.h"
#include "study/worker.h"

#include <string.h>

enum
{
    AHEAD = 64,  // batches ahead of the one whose turn it is
    WORKERS_MOST = 4096,
};

// What rank 0 says: these runs, or count = 0: it is over.
typedef struct Task
{
    int64_t batch, first, step;
    int32_t count;
} Task;

// And what it is told: batch < 0: nothing yet. Numbers follow.
typedef struct Answer
{
    int64_t batch;
    int32_t count, failed;  // failed: the worker cannot make runs
    RunResult results[BATCH];
    double numbers[];
} Answer;

static const RanksPart* load(kaiError* error)
{
    const char* trouble = NULL;
    const RanksPart* part = part_load(PART_MPI, sizeof *part, &trouble);
    if (part == NULL)
        error_set(error, KAI_ERR_IO, "%s", trouble);
    return part;
}

kaiStatus kaiRanks_Begin(int* rank, int* count, kaiError* error)
{
    if (rank == NULL || count == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no room for the rank");
    const RanksPart* part = load(error);
    if (part == NULL)
        return KAI_ERR_IO;
    return part->begin(rank, count) ? KAI_OK : error_set(error, KAI_ERR_IO, "MPI cannot begin");
}

void kaiRanks_End(void)
{
    const RanksPart* part = load(NULL);
    if (part != NULL)
        part->end();
}

static size_t answer_size(const kaiStudy* s)
{
    return sizeof(Answer) + sizeof(double) * BATCH * study_width(s);
}

static void* get(const kaiStudy* s, size_t size)
{
    void* block = s->allocator.alloc(s->allocator.user, NULL, 0, size);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

// ---- a worker

static kaiStatus work(kaiStudy* s, const RanksPart* part, const kaiStudyRunOptions* o, kaiError* error)
{
    size_t size = answer_size(s);
    Answer* answer = get(s, size);
    Worker w;
    if (answer == NULL)
        return error_memory(error);
    bool made = worker_open(&w, s, o, error);
    answer->batch = -1;
    answer->failed = !made;
    Task task = {.count = 1};
    int boss = 0;
    bool heard = true;
    while (heard && task.count > 0)
    {
        heard = part->send(0, answer, size) && part->receive(&boss, &task, sizeof task);
        for (int i = 0; heard && made && i < task.count; i++)
            worker_run(&w, task.first + i * task.step, &answer->results[i],
                       answer->numbers + (size_t)i * study_width(s), NULL);
        answer->batch = task.batch;
        answer->count = task.count;
    }
    worker_close(&w);
    s->allocator.alloc(s->allocator.user, answer, size, 0);
    return !heard ? error_set(error, KAI_ERR_IO, "rank 0 does not answer") : made ? KAI_OK : KAI_ERR_USAGE;
}

// ---- rank 0

typedef struct Boss
{
    kaiStudy* study;
    const RanksPart* part;
    const kaiStudyRunOptions* options;
    int64_t count, taken, next;
    int idle[WORKERS_MOST], idle_count;  // workers that wait
    int workers;                         // that have not been sent home
    bool ready[AHEAD];
    Answer* answers[AHEAD];  // by batch
    Worker own;              // for trajectories
    double* numbers;         // of its runs
    kaiStatus output;
} Boss;

static int64_t batches(const Boss* b)
{
    return (b->count + BATCH - 1) / BATCH;
}

static bool goes_on(const Boss* b)
{
    return b->output == KAI_OK && !budget_flag(b->options->interrupt);
}

// Rows do not travel: rank 0 makes the run again, which gives the same.
static kaiStatus repeat(Boss* b, const kaiStudyRow* row)
{
    RunResult result;
    Spool spool;
    if (b->own.sim == NULL)
        return KAI_ERR_MEMORY;
    worker_run(&b->own, row->run, &result, b->numbers, &spool);
    return worker_replay(b->options, row, &spool);
}

static void write_ready(Boss* b)
{
    while (b->next < b->taken && b->ready[b->next % AHEAD])
    {
        const Answer* a = b->answers[b->next % AHEAD];
        b->ready[b->next % AHEAD] = false;
        for (int i = 0; i < a->count && b->output == KAI_OK; i++)
        {
            int64_t run = b->options->first + (b->next * BATCH + i) * b->options->step;
            kaiStudyRow row = worker_row(b->study, run, &a->results[i], a->numbers + (size_t)i * study_width(b->study));
            if (b->options->row != NULL)
                b->output = b->options->row(b->options->user, &row);
            if (b->output == KAI_OK && b->options->wanted != NULL && b->options->wanted(b->options->user, run))
                b->output = repeat(b, &row);
        }
        b->next++;
    }
}

// Work for all that wait, as far as there is some within reach; home with them when there is none left.
static bool hand_out(Boss* b)
{
    bool sent = true;
    while (b->idle_count > 0 && sent)
    {
        bool over = !goes_on(b) || b->taken == batches(b);
        if (!over && b->taken >= b->next + AHEAD)
            return true;
        Task task = {.batch = -1};
        if (!over)
        {
            int64_t left = b->count - b->taken * BATCH;
            task = (Task){b->taken, b->options->first + b->taken * BATCH * b->options->step, b->options->step,
                          left < BATCH ? (int32_t)left : BATCH};
            b->taken++;
        }
        else
            b->workers--;
        sent = b->part->send(b->idle[--b->idle_count], &task, sizeof task);
    }
    return sent;
}

static kaiStatus listen(Boss* b, Answer* heard, kaiError* error)
{
    while (b->workers > 0)
    {
        int from = -1;
        if (!b->part->receive(&from, heard, answer_size(b->study)))
            return error_set(error, KAI_ERR_IO, "a worker does not answer");
        if (heard->failed && b->output == KAI_OK)
            b->output = error_set(error, KAI_ERR_USAGE, "rank %d cannot make runs of the model", from);
        if (heard->batch >= 0)
        {
            int at = (int)(heard->batch % AHEAD);
            memcpy(b->answers[at], heard, answer_size(b->study));
            b->ready[at] = true;
            write_ready(b);
        }
        b->idle[b->idle_count++] = from;
        if (!hand_out(b))
            return error_set(error, KAI_ERR_IO, "a worker is gone");
    }
    return b->output;
}

static kaiStatus lead(kaiStudy* s, const RanksPart* part, int ranks, const kaiStudyRunOptions* o, kaiError* error)
{
    int64_t end = o->end >= 0 && o->end < s->runs ? o->end : s->runs;
    size_t each = answer_size(s), size = sizeof(Boss) + (AHEAD + 2) * each;
    if (ranks > WORKERS_MOST)
        return error_set(error, KAI_ERR_USAGE, "at most %d ranks", WORKERS_MOST);
    Boss* b = get(s, size);
    if (b == NULL)
        return error_memory(error);
    b->study = s;
    b->part = part;
    b->options = o;
    b->workers = ranks - 1;
    b->count = end > o->first ? (end - o->first + o->step - 1) / o->step : 0;
    for (int i = 0; i < AHEAD; i++)
        b->answers[i] = (Answer*)(void*)((char*)(b + 1) + (size_t)i * each);
    b->numbers = (double*)(void*)((char*)(b + 1) + (AHEAD + 1) * each);  // room for more than one run
    if (o->wanted != NULL && !worker_open(&b->own, s, o, error))
        b->output = KAI_ERR_USAGE;
    kaiStatus status = listen(b, (Answer*)(void*)((char*)(b + 1) + AHEAD * each), error);
    if (status == KAI_OK && b->next < batches(b))
        status = KAI_INTERRUPTED;
    worker_close(&b->own);
    s->allocator.alloc(s->allocator.user, b, size, 0);
    return status;
}

kaiStatus study_share(kaiStudy* s, const RanksPart* part, int rank, int count, const kaiStudyRunOptions* o,
                      kaiError* error)
{
    return rank == 0 ? lead(s, part, count, o, error) : work(s, part, o, error);
}

kaiStatus study_run_ranks(kaiStudy* s, const kaiStudyRunOptions* o, kaiError* error)
{
    int rank, count;
    kaiStatus status = kaiRanks_Begin(&rank, &count, error);
    if (status != KAI_OK)
        return status;
    if (count == 1)
    {
        kaiStudyRunOptions alone = *o;
        alone.ranks = false;
        return kaiStudy_Run(s, &alone, error);
    }
    return study_share(s, load(error), rank, count, o, error);
}
