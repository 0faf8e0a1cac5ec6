// All runs of a sweep to one result, in the order of their numbers whatever thread finishes first.
//
// The run whose turn it is writes its rows directly; the others keep theirs in a spool until the runs before them are
// written. No run starts more than a window ahead of the one whose turn it is, so that memory and temporary files are
// bounded. Whoever completes the run whose turn it is also writes the finished ones behind it. Everything on stderr
// comes at that moment too, and so in the same order every time.
//
// With choice = all a run has branches. The number of the branch travels with each row, as a value behind the last
// column, and becomes the column before t when the row is written.
#include "cli/columns.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/runner.h"
#include "cli/spool.h"
#include "cli/sweep.h"
#include "cli/workers.h"

#include <pthread.h>
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
    const RunRequest* request;
    Sweep sweep;
    Columns columns;
    kaiCsv* csv;
    int workers;
    bool explores;       // choice = all
    double lead_branch;  // that the rows now begin with

    pthread_mutex_t lock;  // protects what follows
    pthread_cond_t moved;  // `next` has advanced, or everything stops
    Slot* slots;           // of point i: slots[i % window]
    int64_t window;
    int64_t taken;     // the next point to start
    int64_t next;      // the point whose turn it is
    bool writing;      // someone writes rows of `next`
    kaiStatus output;  // the first failed write, or KAI_INTERRUPTED for a reader that has gone

    int64_t outcomes, choices, merged;
    int64_t complete, failed, instants, steps, rejected, rows;
    char remark[500];  // the runs that are not whole
    Progress progress;
} SweepRun;

// ---- columns
// ---------------------------------------------------------------------------------------------------------

static bool add_columns_of(SweepRun* s, const kaiModel* model)
{
    kaiError failure = {0};
    kaiSimOptions options = request_options(s->request, model);
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    if (sim == NULL)
    {
        usage_error("%s", failure.message);
        return false;
    }
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    bool added = columns_add(&s->columns, columns, count);
    kaiSim_Free(sim);
    return added;
}

// The columns of all variants. One that cannot be compiled has none; its runs fail later and say why.
static bool collect_columns(SweepRun* s)
{
    SweepVariant variant = {0};
    bool fine = true;
    for (int64_t i = 0; fine && i < s->sweep.variants && *interrupt_flag() == 0; i++)
    {
        if (sweep_model(&s->sweep, sweep_point_of(&s->sweep, i), &variant) == KAI_OK)
            fine = add_columns_of(s, variant.model);
    }
    sweep_variant_free(&variant);
    return fine;
}

// ---- writing
// ---------------------------------------------------------------------------------------------------------

static void set_lead(SweepRun* s, int64_t point, double branch)
{
    double lead[SWEEP_MAX + 2] = {(double)(point + 1)};
    sweep_values(&s->sweep, point, lead + 1);
    lead[s->sweep.dimension_count + 1] = branch;
    kaiCsv_SetLead(s->csv, lead);
    s->lead_branch = branch;
}

// A row of the run whose turn it is; behind its columns the number of its branch.
static kaiStatus write_row(void* user, const kaiRow* row)
{
    SweepRun* s = user;
    double branch = row->values[s->columns.count];
    if (branch != s->lead_branch)
        set_lead(s, s->next, branch);
    return kaiCsv_Row(s->csv, row);
}

static void remark_run(SweepRun* s, int64_t point, const Slot* slot)
{
    size_t length = strlen(s->remark);
    if (length > sizeof s->remark - 80)
        return;
    snprintf(s->remark + length, sizeof s->remark - length, "%srun %lld stopped at t = %.17g",
             length == 0 ? "not whole: " : ", ", (long long)point + 1, slot->reached);
    if (strlen(s->remark) > sizeof s->remark - 80)
        strcat(s->remark, ", …");
}

static void report_point(SweepRun* s, int64_t point, const Slot* slot)
{
    char values[600];
    s->complete += slot->status == KAI_END;
    s->failed += slot->status < 0;
    s->instants += slot->counters.instants;
    s->steps += slot->counters.steps;
    s->rejected += slot->counters.rejected;
    s->rows += slot->counters.rows;
    s->outcomes += slot->exploration.outcomes;
    s->choices += slot->exploration.choices;
    s->merged += slot->exploration.merged;
    if (slot->status != KAI_END)
        remark_run(s, point, slot);
    if (slot->status >= 0)
        return;
    progress_end(&s->progress);
    sweep_describe(&s->sweep, point, values, sizeof values);
    fprintf(stderr, "kairos: run %lld (%s) failed: %s\n", (long long)point + 1, values, slot->message);
}

// `next` is in the result: the one behind it has its turn. With the lock.
static void advance(SweepRun* s, kaiStatus written)
{
    Slot* slot = &s->slots[s->next % s->window];
    report_point(s, s->next, slot);
    spool_close(&slot->spool);
    slot->finished = false;
    if (written != KAI_OK && s->output == KAI_OK)
    {
        s->output = written;
        interrupt_all();
    }
    s->next++;
    s->writing = false;
    progress_show(&s->progress, "run", (double)s->next, s->next, "runs");
    pthread_cond_broadcast(&s->moved);
}

// Writes the finished runs whose turn it is. With the lock, which is free while rows are written.
static void write_finished(SweepRun* s)
{
    Slot* slot;
    while (!s->writing && (slot = &s->slots[s->next % s->window])->finished)
    {
        s->writing = true;
        bool good = s->output == KAI_OK;
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
    kaiStatus status = sweep_set(&s->sweep, point, variant, sim);
    if (status != KAI_OK || !columnmap_open(&p->map, &s->columns, columns, count))
        say_failure(slot, status, &(kaiError){.message = status != KAI_OK ? "a value cannot be set" : "out of memory"});
    else
    {
        slot->status = s->explores ? explore_point(variant->model, sim, p) : kaiSim_Run(variant->model, sim);
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
    kaiStatus status = sweep_model(&s->sweep, point, variant);
    if (status != KAI_OK)
        say_messages(slot, status, sweep_program(&s->sweep, variant));
    else
    {
        kaiSimOptions options = request_options(s->request, variant->model);
        options.row = point_row;
        options.row_user = p;
        slot->reached = options.start;
        kaiSim* sim = kaiSim_Create(variant->model, &options, &failure);
        if (sim != NULL)
            run_sim(s, point, variant, sim, p, slot);
        else
            say_failure(slot, KAI_ERR_USAGE, &failure);
        kaiSim_Free(sim);
    }
}

// ---- all points
// ------------------------------------------------------------------------------------------------------

// The next point to run, or -1. With the lock.
static int64_t take_point(SweepRun* s)
{
    while (*interrupt_flag() == 0 && s->taken < s->sweep.points && s->taken >= s->next + s->window)
        pthread_cond_wait(&s->moved, &s->lock);
    return *interrupt_flag() == 0 && s->taken < s->sweep.points ? s->taken++ : -1;
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
    if (s->sweep.structural)  // it compiles, and a program serves one thread
        kaiProgram_Open(&s->request->source, &variant.program, NULL);
    pthread_mutex_lock(&s->lock);
    while ((point = take_point(s)) >= 0)
        run_taken(s, point, &variant);
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
    sweep_variant_free(&variant);
    kaiProgram_Free(variant.program);
    return NULL;
}

// ---- result
// ----------------------------------------------------------------------------------------------------------

static void print_summary(const SweepRun* s, const kaiModel* model)
{
    char title[2 * NAME_MAX_LENGTH];
    request_title(s->request, model, title, sizeof title);
    fprintf(stderr, "%s: %lld of %lld runs complete, %lld failed; %lld instants, %lld steps (%lld rejected), ", title,
            (long long)s->complete, (long long)s->sweep.points, (long long)s->failed, (long long)s->instants,
            (long long)s->steps, (long long)s->rejected);
    if (s->explores)
        fprintf(stderr, "%lld outcomes, %lld choice points, %lld orders merged, ", (long long)s->outcomes,
                (long long)s->choices, (long long)s->merged);
    print_rows(s->rows, s->request->view);
    fprintf(stderr, "; %d thread%s, %.3g s\n", s->workers, s->workers > 1 ? "s" : "", wall_time() - s->progress.begun);
}

static int conclude(SweepRun* s, const kaiModel* model, const char* path)
{
    bool missing = s->next < s->sweep.points;
    if (missing && s->remark[0] == 0)
        snprintf(s->remark, sizeof s->remark, "not whole: ");
    if (missing)
        snprintf(s->remark + strlen(s->remark), sizeof s->remark - strlen(s->remark), "%sruns from %lld on are missing",
                 s->remark[strlen(s->remark) - 2] == ':' ? "" : "; ", (long long)s->next + 1);
    kaiStatus closed = kaiCsv_Close(s->csv, s->remark[0] != 0 ? s->remark : NULL);
    bool unwritten = closed < 0 || s->output < 0;
    progress_end(&s->progress);
    if (unwritten)
        fprintf(stderr, "kairos: %s cannot be written\n", path);
    if (interrupt_came())
        fprintf(stderr, "kairos: interrupted after %lld of %lld runs\n", (long long)s->complete,
                (long long)s->sweep.points);
    if (!s->request->quiet)
        print_summary(s, model);
    return unwritten ? EXIT_FILE : interrupt_came() || s->failed > 0 ? EXIT_RUN : EXIT_DONE;
}

// The names before t. A swept start value whose variable is recorded too is `x.start`: no name stands twice.
static void name_lead(const SweepRun* s, const char* names[SWEEP_MAX + 2], char texts[SWEEP_MAX][NAME_MAX_LENGTH])
{
    names[0] = "run";
    names[s->sweep.dimension_count + 1] = "branch";
    for (int i = 0; i < s->sweep.dimension_count; i++)
    {
        names[i + 1] = s->sweep.dimensions[i].name;
        for (int k = 0; k < s->columns.count; k++)
            if (strcmp(s->columns.at[k].name, s->sweep.dimensions[i].name) == 0)
            {
                snprintf(texts[i], NAME_MAX_LENGTH, "%s.start", s->sweep.dimensions[i].name);
                names[i + 1] = texts[i];
            }
    }
}

static int run_points(SweepRun* s, const kaiModel* model)
{
    char texts[SWEEP_MAX][NAME_MAX_LENGTH];
    const char* names[SWEEP_MAX + 2];
    kaiError error;
    const char* path = s->request->output != NULL ? s->request->output : "-";
    name_lead(s, names, texts);
    s->csv = kaiCsv_Open(path, s->columns.at, s->columns.count, s->request->view, names,
                         s->sweep.dimension_count + (s->explores ? 2 : 1), kaiDefaultAllocator(), &error);
    if (s->csv == NULL)
    {
        fprintf(stderr, "kairos: %s\n", error.message);
        return EXIT_FILE;
    }
    progress_begin(&s->progress, !s->request->quiet, strcmp(path, "-") == 0, 0, (double)s->sweep.points);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->moved, NULL);
    workers_run(s->workers, sweep_worker, s);
    pthread_cond_destroy(&s->moved);
    pthread_mutex_destroy(&s->lock);
    return conclude(s, model, path);
}

int run_sweep(const RunRequest* r, const kaiModel* model)
{
    SweepRun s = {.request = r};
    const char* why = sweep_plan(&s.sweep, model, r->program, &r->load);
    if (why != NULL)
        return usage_error("%s", why);
    kaiSimOptions options = request_options(r, model);
    s.explores = explores_choices(&options);
    s.workers = workers_wanted(s.sweep.points);
    s.window = 64 + 4 * s.workers;
    s.slots = calloc((size_t)s.window, sizeof *s.slots);
    int code = EXIT_USAGE;
    if (s.slots == NULL)
        usage_error("out of memory");
    else if (collect_columns(&s))
        code = run_points(&s, model);
    columns_free(&s.columns);
    free(s.slots);
    return code;
}
