// All runs of a sweep to one result, in the order of their numbers whatever thread finishes first.
//
// The run whose turn it is writes its rows directly; the others keep theirs in a spool until the runs before them are
// written. No run starts more than a window ahead of the one whose turn it is, so that memory and temporary files are
// bounded. Whoever completes the run whose turn it is also hands out the finished ones behind it, and says how they
// ended: in the same order every time.
//
// With choice = all a run has branches. The number of the branch travels with each row, as a value behind the last
// column, and becomes the column before t when the row is written.
#include "base/budget.h"
#include "base/error.h"
#include "study/columns.h"
#include "study/spool.h"
#include "study/sweep.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A run between its start and its place in the result.
typedef struct Slot
{
    bool finished;
    kaiStatus status;  // KAI_END, or why it is not whole
    Spool spool;
    kaiCounters counters;
    kaiExploration exploration;
    double reached;      // model time
    char message[1000];  // of a failed run
} Slot;

typedef struct SweepRun
{
    kaiSweep* sweep;
    const kaiSweepOptions* options;
    kaiSweepResult* result;
    kaiError* error;
    const volatile int* interrupt;
    volatile int stop;  // what it points to if the caller gives none
    Columns columns;
    bool explores;               // choice = all
    double lead[SWEEP_MAX + 2];  // that the rows now begin with: run, values, branch

    pthread_mutex_t lock;  // protects what follows
    pthread_cond_t moved;  // `next` has advanced, or everything stops
    Slot* slots;           // of point i: slots[i % window]
    int64_t window;
    int64_t taken;  // the next point to start
    int64_t next;   // the point whose turn it is
    bool writing;   // someone writes rows of `next`
} SweepRun;

// ---- columns
// ---------------------------------------------------------------------------------------------------------

static kaiSimOptions run_options(const SweepRun* s, const kaiModel* model)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    if (s->options->adjust != NULL)
        s->options->adjust(s->options->user, model, &options);
    options.interrupt = s->interrupt;
    return options;
}

static bool add_columns_of(SweepRun* s, const kaiModel* model)
{
    kaiSimOptions options = run_options(s, model);
    kaiSim* sim = kaiSim_Create(model, &options, s->error);
    if (sim == NULL)
        return false;
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    bool added = columns_add(&s->columns, columns, count);
    kaiSim_Free(sim);
    if (!added)
        error_memory(s->error);
    return added;
}

// The columns of all variants. One that is wrong has none; its runs fail later and say why. What could not be compiled
// for another reason might be then, and have columns that nobody knows of.
static bool collect_columns(SweepRun* s)
{
    SweepVariant variant = {0};
    bool fine = true;
    for (int64_t i = 0; fine && i < s->sweep->variants && !budget_flag(s->interrupt); i++)
    {
        kaiStatus status = sweep_model(s->sweep, sweep_point_of(s->sweep, i), &variant);
        if (status == KAI_OK)
            fine = add_columns_of(s, variant.model);
        else if (status != KAI_ERR_MODEL)
        {
            error_set(s->error, status, "the models of the sweep cannot all be compiled");
            fine = false;
        }
    }
    sweep_variant_free(&variant);
    return fine;
}

// ---- writing
// ---------------------------------------------------------------------------------------------------------

static void set_lead(SweepRun* s, int64_t point, double branch)
{
    s->lead[0] = (double)(point + 1);
    kaiSweep_Values(s->sweep, point, s->lead + 1);
    s->lead[s->sweep->dimension_count + 1] = branch;
}

// A row of the run whose turn it is; behind its columns the number of its branch.
static kaiStatus write_row(void* user, const kaiRow* row)
{
    SweepRun* s = user;
    s->lead[s->sweep->dimension_count + 1] = row->values[s->columns.count];
    return s->options->row != NULL ? s->options->row(s->options->user, s->lead, row) : KAI_OK;
}

static void report_point(SweepRun* s, int64_t point, const Slot* slot)
{
    kaiSweepResult* r = s->result;
    r->complete += slot->status == KAI_END;
    r->failed += slot->status < 0;
    r->instants += slot->counters.instants;
    r->steps += slot->counters.steps;
    r->rejected += slot->counters.rejected;
    r->rows += slot->counters.rows;
    r->outcomes += slot->exploration.outcomes;
    r->choices += slot->exploration.choices;
    r->merged += slot->exploration.merged;
    kaiSweepPoint said = {point, slot->status, slot->reached, slot->status < 0 ? slot->message : ""};
    if (s->options->point != NULL)
        s->options->point(s->options->user, &said);
}

// `next` is in the result: the one behind it has its turn. With the lock.
static void advance(SweepRun* s, kaiStatus written)
{
    Slot* slot = &s->slots[s->next % s->window];
    report_point(s, s->next, slot);
    spool_close(&slot->spool);
    slot->finished = false;
    if (written != KAI_OK && s->result->output == KAI_OK)
    {
        s->result->output = written;
        __atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
    }
    s->result->handed_out = ++s->next;
    s->writing = false;
    pthread_cond_broadcast(&s->moved);
}

// Writes the finished runs whose turn it is. With the lock, which is free while rows are written.
static void write_finished(SweepRun* s)
{
    Slot* slot;
    while (!s->writing && (slot = &s->slots[s->next % s->window])->finished)
    {
        s->writing = true;
        bool good = s->result->output == KAI_OK;
        pthread_mutex_unlock(&s->lock);
        kaiStatus written = KAI_OK;
        if (good)
        {
            set_lead(s, s->next, 1);
            written = spool_replay(&slot->spool, write_row, s);
        }
        pthread_mutex_lock(&s->lock);
        advance(s, written);
    }
}

// ---- one point
// -------------------------------------------------------------------------------------------------------

typedef struct PointRun
{
    SweepRun* turn;  // its turn: directly
    Spool* spool;    // not yet
    Slot* slot;
    double branch;
    ColumnMap map;
    kaiStatus written;
} PointRun;

static kaiStatus point_row(void* user, const kaiRow* row)
{
    PointRun* p = user;
    kaiRow whole = columnmap_row(&p->map, row);
    p->map.values[p->map.to->count] = p->branch;
    p->written = p->turn != NULL ? write_row(p->turn, &whole) : spool_add(p->spool, &whole);
    return p->written;
}

static void say_failure(Slot* slot, kaiStatus status, const kaiError* f)
{
    slot->status = status < 0 ? status : KAI_ERR_RUN;
    if (f->place.file != NULL)
        snprintf(slot->message, sizeof slot->message, "%s:%d:%d: %s", f->place.file, f->place.line, f->place.column,
                 f->message);
    else
        snprintf(slot->message, sizeof slot->message, "%s", f->message != NULL ? f->message : "out of memory");
}

// The first error, in one line.
static void say_messages(Slot* slot, kaiStatus status, const kaiProgram* program)
{
    const kaiError* d = NULL;
    for (int i = 0; (d = kaiProgram_Message(program, i)) != NULL && d->severity != KAI_ERROR; i++)
        ;
    say_failure(slot, status, d != NULL && status != KAI_ERR_MEMORY ? d : &(kaiError){.message = "out of memory"});
}

static kaiStatus begin_branch(void* user, int branch)
{
    PointRun* p = user;
    p->branch = branch;
    return KAI_OK;
}

static void add_counters(kaiCounters* sum, const kaiCounters* more)
{
    sum->instants += more->instants;
    sum->steps += more->steps;
    sum->rejected += more->rejected;
    sum->rows += more->rows;
}

// The run stands for all its branches: it has failed if one of them has; the first one that did is told.
static kaiStatus end_branch(void* user, kaiSim* sim, int branch, kaiStatus status)
{
    PointRun* p = user;
    kaiCounters counters = kaiSim_Counters(sim);
    add_counters(&p->slot->counters, &counters);
    if (status < 0 && p->slot->message[0] == 0)
    {
        char order[300], said[sizeof p->slot->message];
        say_failure(p->slot, status, kaiSim_Failure(sim));
        memcpy(said, p->slot->message, sizeof said);
        kaiSim_OrderText(sim, order, sizeof order);
        snprintf(p->slot->message, sizeof p->slot->message, "branch %d (%s): %.600s", branch, order, said);
    }
    return KAI_OK;
}

static kaiStatus explore_point(const kaiModel* model, kaiSim* sim, PointRun* p)
{
    kaiExploreEvents events = {begin_branch, end_branch, p};
    kaiStatus status = kaiSim_Explore(model, sim, &events, &p->slot->exploration);
    if (status < 0 || p->slot->message[0] == 0)
        return status;
    return KAI_ERR_RUN;
}

static void run_sim(SweepRun* s, int64_t point, const SweepVariant* variant, kaiSim* sim, PointRun* p, Slot* slot)
{
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    kaiStatus status = kaiSweep_Set(s->sweep, point, variant->model, sim);
    if (status != KAI_OK)
        say_failure(slot, status, &(kaiError){.message = "a value cannot be set"});
    else if (!columnmap_open(&p->map, &s->columns, columns, count))
        say_failure(slot, KAI_ERR_MEMORY, &(kaiError){.message = "out of memory"});
    else
    {
        slot->status = s->explores ? explore_point(variant->model, sim, p) : kaiSim_Run(sim);
        if (slot->status < 0 && p->turn == NULL && p->written < 0)
            say_failure(slot, slot->status, &(kaiError){.message = "there is no room for its rows"});
        else if (slot->status < 0 && slot->message[0] == 0)
            say_failure(slot, slot->status, kaiSim_Failure(sim));
    }
    columnmap_close(&p->map);
    if (!s->explores)
        slot->counters = kaiSim_Counters(sim);
    slot->reached = kaiSim_Now(sim).t;
}

static void run_point(SweepRun* s, int64_t point, SweepVariant* variant, PointRun* p, Slot* slot)
{
    kaiError failure = {0};
    kaiStatus status = sweep_model(s->sweep, point, variant);
    if (status != KAI_OK)
        say_messages(slot, status, sweep_program(s->sweep, variant));
    else
    {
        kaiSimOptions options = run_options(s, variant->model);
        options.row = point_row;
        options.row_user = p;
        slot->reached = options.start;
        kaiSim* sim = kaiSim_Create(variant->model, &options, &failure);
        if (sim != NULL)
            run_sim(s, point, variant, sim, p, slot);
        else
            say_failure(slot, failure.status, &failure);
        kaiSim_Free(sim);
    }
}

// ---- all points
// ------------------------------------------------------------------------------------------------------

static bool goes_on(const SweepRun* s)
{
    return !budget_flag(s->interrupt) && !budget_flag(&s->stop);
}

// The next point to run, or -1. With the lock.
static int64_t take_point(SweepRun* s)
{
    while (goes_on(s) && s->taken < s->sweep->points && s->taken >= s->next + s->window)
        pthread_cond_wait(&s->moved, &s->lock);
    return goes_on(s) && s->taken < s->sweep->points ? s->taken++ : -1;
}

static void run_taken(SweepRun* s, int64_t point, SweepVariant* variant)
{
    Slot* slot = &s->slots[point % s->window];
    PointRun p = {.spool = &slot->spool, .slot = slot, .branch = 1};
    *slot = (Slot){.status = KAI_OK};
    spool_open(&slot->spool, s->columns.count + 1);
    if (point == s->next && !s->writing)
    {
        s->writing = true;
        p.turn = s;
        set_lead(s, point, 1);
    }
    pthread_mutex_unlock(&s->lock);
    run_point(s, point, variant, &p, slot);
    pthread_mutex_lock(&s->lock);
    slot->finished = true;
    if (p.turn != NULL)
        advance(s, p.written);
    write_finished(s);
}

static void* sweep_worker(void* user)
{
    SweepRun* s = user;
    SweepVariant variant = {0};
    int64_t point;
    pthread_mutex_lock(&s->lock);
    if (s->sweep->structural)  // it compiles, and a program serves one thread
        kaiProgram_Clone(s->sweep->program, &variant.program);
    while ((point = take_point(s)) >= 0)
        run_taken(s, point, &variant);
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
    sweep_variant_free(&variant);
    kaiProgram_Free(variant.program);
    return NULL;
}

// ---- the sweep

// The names before t. A swept start value whose variable is recorded too is `x.start`: no name stands twice.
static void name_lead(const SweepRun* s, const char* names[SWEEP_MAX + 2], char texts[SWEEP_MAX][SWEEP_NAME_MAX])
{
    names[0] = "run";
    names[s->sweep->dimension_count + 1] = "branch";
    for (int i = 0; i < s->sweep->dimension_count; i++)
    {
        const SweepDimension* d = &s->sweep->dimensions[i];
        bool recorded = false;
        for (int k = 0; k < s->columns.count; k++)
            recorded |= strcmp(s->columns.at[k].name, d->name) == 0;
        bool has_unit = d->unit != NULL;
        snprintf(texts[i], SWEEP_NAME_MAX, "%.150s%s%s%.30s%s", d->name, recorded ? ".start" : "", has_unit ? " [" : "",
                 has_unit ? d->unit : "", has_unit ? "]" : "");
        names[i + 1] = texts[i];
    }
}

static kaiStatus begin_rows(SweepRun* s)
{
    char texts[SWEEP_MAX][SWEEP_NAME_MAX];
    const char* names[SWEEP_MAX + 2];
    if (s->options->begin == NULL)
        return KAI_OK;
    name_lead(s, names, texts);
    return s->options->begin(s->options->user, s->columns.at, s->columns.count, names,
                             s->sweep->dimension_count + (s->explores ? 2 : 1));
}

static kaiStatus run_points(SweepRun* s)
{
    kaiStatus status = s->result->output = begin_rows(s);
    if (status != KAI_OK)
        return status;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->moved, NULL);
    kaiThreads_Run(s->result->threads, sweep_worker, s);
    pthread_cond_destroy(&s->moved);
    pthread_mutex_destroy(&s->lock);
    if (s->result->output != KAI_OK)
        return s->result->output;
    return s->next < s->sweep->points ? KAI_INTERRUPTED : KAI_OK;
}

kaiSweepOptions kaiDefaultSweepOptions(void)
{
    return (kaiSweepOptions){.cookie = KAI_COOKIE};
}

kaiStatus kaiSweep_Run(kaiSweep* sweep, const kaiSweepOptions* options, kaiSweepResult* result, kaiError* error)
{
    error_clear(error);
    if (!error_check_cookie(options != NULL ? &options->cookie : NULL, "kaiDefaultSweepOptions", error))
        return KAI_ERR_USAGE;
    if (sweep == NULL || result == NULL || options->threads < 0)
        return error_set(error, KAI_ERR_USAGE, "there is no sweep, no place for the result, or no thread");
    kaiError own;
    SweepRun s = {.sweep = sweep, .options = options, .result = result, .error = error != NULL ? error : &own};
    s.interrupt = options->interrupt != NULL ? options->interrupt : &s.stop;
    kaiSimOptions run = run_options(&s, sweep->model);
    *result = (kaiSweepResult){.points = sweep->points, .explored = s.explores = sweep_explores(&run)};
    result->threads = options->threads > 0 ? options->threads : kaiThreads_Wanted(sweep->points);
    s.window = 64 + 4 * result->threads;
    s.slots = calloc((size_t)s.window, sizeof *s.slots);
    kaiStatus status = s.slots == NULL ? error_memory(s.error) : KAI_OK;
    if (status == KAI_OK)
        status = collect_columns(&s) ? run_points(&s) : s.error->status;
    columns_free(&s.columns);
    free(s.slots);
    return status;
}
