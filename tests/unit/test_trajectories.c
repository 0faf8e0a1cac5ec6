// Studies and sweeps where whole runs are kept: trajectories in order, in memory or beyond it, among threads and ranks;
// measures of the model; what is refused, and what fails on the way. x = a exp(-k t) throughout.
#include "study/spool.h"
#include "unit/heap.h"
#include "unit/load_fixture.h"
#include "unit/ranks_fixture.h"

#include <math.h>
#include <stdio.h>

static const char grid[] = "model M { param a = 1, k = 1; state x = a; x' = -k*x; assert x < 3.5 \"too much\" }\n"
                           "experiment e of M { stop = 1; rtol = 1e-10; sweep a in (1, 2, 3, 4); sweep k in (0, 1) }\n";

typedef struct Kept
{
    int64_t rows, begun, points[8];
    int columns, wanted;
    int64_t stop_at;
    double last[8];
    volatile int* interrupt;
} Kept;

static kaiStatus on_row(void* user, const kaiStudyRow* row)
{
    Kept* k = user;
    k->rows++;
    assert_true(row->run < 8);
    if (row->run / 2 == 3)
        assert_non_null(strstr(row->reason, "too much"));
    return KAI_OK;
}

static kaiStatus on_begin(void* user, const kaiColumn* columns, int count)
{
    Kept* k = user;
    k->begun++;
    k->columns = count;
    assert_string_equal(columns[0].name, "x");
    return KAI_OK;
}

// A run's rows follow its own row, and each lies on its curve.
static kaiStatus on_trajectory(void* user, const kaiStudyRow* run, const kaiRow* row)
{
    Kept* k = user;
    double a = (double)(1 + run->run / 2), rate = (double)(run->run % 2);
    assert_true(fabs(row->values[0] - a * exp(-rate * row->t)) < 1e-8);
    k->points[run->run]++;
    k->last[run->run] = row->t;
    return k->stop_at > 0 && k->points[run->run] >= k->stop_at ? KAI_ERR_IO : KAI_OK;
}

static bool is_wanted(void* user, int64_t run)
{
    return ((const Kept*)user)->wanted == 8 || run == ((const Kept*)user)->wanted;
}

static kaiStudyRunOptions keeping(Kept* k, int threads)
{
    kaiStudyRunOptions options = kaiDefaultStudyRunOptions();
    options.threads = threads;
    options.row = on_row;
    options.begin = on_begin;
    options.trajectory = on_trajectory;
    options.wanted = is_wanted;
    options.user = k;
    return options;
}

static kaiStudy* study_of(const kaiModel* model)
{
    kaiStudyOptions options = kaiDefaultStudyOptions();
    kaiError error = {0};
    options.design = KAI_DESIGN_GRID;
    kaiStudy* study = kaiStudy_Create(model, &options, &error);
    if (study == NULL)
        fail_msg("%s", error.message);
    return study;
}

static void trajectories_come_in_order(void** state)
{
    (void)state;
    kaiModel* model = load_text(grid, "e");
    kaiStudy* study = study_of(model);
    kaiError error;
    for (int threads = 1; threads <= 3; threads += 2)
    {
        Kept all = {.wanted = 8}, one = {.wanted = 2};
        kaiStudyRunOptions options = keeping(&all, threads);
        assert_int_equal(kaiStudy_Run(study, &options, &error), KAI_OK);
        assert_int_equal(all.rows, 8);
        assert_int_equal(all.begun, 1);
        assert_int_equal(all.columns, 1);
        for (int i = 0; i < 6; i++)
            assert_true(all.points[i] > 1 && all.last[i] == 1);
        options = keeping(&one, threads);
        options.only_wanted = true;
        assert_int_equal(kaiStudy_Run(study, &options, &error), KAI_OK);
        assert_int_equal(one.rows, 1);  // the others were not made
        assert_int_equal(one.points[2], all.points[2]);
        assert_int_equal(one.points[0], 0);
        Kept full = {.wanted = 8, .stop_at = 2};
        options = keeping(&full, threads);
        assert_int_equal(kaiStudy_Run(study, &options, &error), KAI_ERR_IO);
        assert_int_equal(full.points[0], 2);
    }
    kaiStudy_Free(study);
    kaiModel_Free(model);
}

static kaiStatus refuse(void* user, const kaiColumn* columns, int count)
{
    (void)user, (void)columns, (void)count;
    return KAI_ERR_IO;
}

static kaiStatus interrupt(void* user, const kaiStudyRow* row)
{
    Kept* k = user;
    k->rows++;
    *k->interrupt = row->run == 2;
    return KAI_OK;
}

static void a_study_may_be_stopped(void** state)
{
    (void)state;
    kaiModel* model = load_text(grid, "e");
    kaiStudy* study = study_of(model);
    kaiError error;
    Kept none = {.wanted = 8};
    kaiStudyRunOptions options = keeping(&none, 1);
    options.begin = refuse;
    assert_int_equal(kaiStudy_Run(study, &options, &error), KAI_ERR_IO);
    assert_int_equal(none.rows, 0);
    volatile int stop = 0;
    Kept some = {.wanted = 8, .interrupt = &stop};
    options = keeping(&some, 1);
    options.row = interrupt;
    options.interrupt = &stop;
    assert_int_equal(kaiStudy_Run(study, &options, &error), KAI_INTERRUPTED);
    assert_int_equal(some.rows, 3);
    kaiStudy_Free(study);
    kaiModel_Free(model);
}

static void break_options(void* user, const kaiModel* model, kaiSimOptions* options)
{
    (void)user, (void)model;
    options->solver = "none";
}

static void stop_early(void* user, const kaiModel* model, kaiSimOptions* options)
{
    (void)model;
    options->stop = *(const double*)user;
}

// Options of all runs alike: what no run can be made with is told, with or without columns.
static void runs_can_be_adjusted(void** state)
{
    (void)state;
    double stop = 0.25;
    kaiModel* model = load_text(grid, "e");
    kaiStudyOptions design = kaiDefaultStudyOptions();
    kaiError error = {0};
    design.design = KAI_DESIGN_GRID;
    design.adjust = stop_early;
    design.user = &stop;
    kaiStudy* study = kaiStudy_Create(model, &design, &error);
    Kept kept = {.wanted = 8};
    kaiStudyRunOptions options = keeping(&kept, 2);
    assert_int_equal(kaiStudy_Run(study, &options, &error), KAI_OK);
    assert_true(kept.last[1] == 0.25);
    kaiStudy_Free(study);
    design.adjust = break_options;
    study = kaiStudy_Create(model, &design, &error);
    assert_int_equal(kaiStudy_Run(study, &options, &error), KAI_ERR_USAGE);
    assert_non_null(strstr(error.message, "solver"));
    options.begin = NULL;
    assert_true(kaiStudy_Run(study, &options, &error) < 0);
    assert_non_null(strstr(error.message, "solver"));
    kaiStudy_Free(study);
    kaiModel_Free(model);
}

// ---- ranks

// Rows do not travel: rank 0 makes the runs that are wanted again.
static void ranks_hand_trajectories_on(void** state)
{
    (void)state;
    kaiModel* model = load_text(grid, "e");
    Kept kept = {.wanted = 3};
    Rank ranks[RANKS];
    pthread_t threads[RANKS];
    assert_int_equal(pipe(back), 0);
    for (int i = 0; i < RANKS; i++)
    {
        assert_int_equal(pipe(to_rank[i]), 0);
        ranks[i] = (Rank){.rank = i, .study = study_of(model), .options = keeping(&kept, 1)};
        assert_int_equal(pthread_create(&threads[i], NULL, be_rank, &ranks[i]), 0);
    }
    for (int i = 0; i < RANKS; i++)
    {
        pthread_join(threads[i], NULL);
        assert_int_equal(ranks[i].status, KAI_OK);
        kaiStudy_Free(ranks[i].study);
    }
    assert_int_equal(kept.rows, 8);
    assert_true(kept.points[3] > 1 && kept.last[3] == 1);
    assert_int_equal(kept.points[2], 0);
    kaiModel_Free(model);
}

static bool is_dead(int to, const void* message, size_t size)
{
    (void)to, (void)message, (void)size;
    return false;
}

// A worker that can make no runs says so, and all go home; one that is gone ends it; there are not more than 4096.
static void ranks_that_cannot(void** state)
{
    (void)state;
    kaiModel* model = load_text(grid, "e");
    kaiStudyOptions design = kaiDefaultStudyOptions();
    kaiError error = {0};
    Kept kept = {.wanted = 8};
    design.design = KAI_DESIGN_GRID;
    design.adjust = break_options;
    Rank ranks[RANKS];
    pthread_t threads[RANKS];
    for (int i = 0; i < RANKS; i++)
    {
        kaiStudy* study = i == 0 ? study_of(model) : kaiStudy_Create(model, &design, &error);
        ranks[i] = (Rank){.rank = i, .study = study, .options = keeping(&kept, 1)};
        assert_int_equal(pthread_create(&threads[i], NULL, be_rank, &ranks[i]), 0);
    }
    for (int i = 0; i < RANKS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(ranks[0].status, KAI_ERR_USAGE);
    assert_non_null(strstr(ranks[0].error.message, " cannot make runs of the model"));
    assert_int_equal(ranks[1].status, KAI_ERR_USAGE);
    assert_int_equal(kept.rows, 0);
    const RanksPart dead = {.send = is_dead, .receive = receive_message};
    assert_int_equal(study_share(ranks[0].study, &dead, 1, 2, &ranks[0].options, &error), KAI_ERR_IO);
    assert_string_equal(error.message, "rank 0 does not answer");
    assert_int_equal(study_share(ranks[0].study, &dead, 0, 5000, &ranks[0].options, &error), KAI_ERR_USAGE);
    assert_string_equal(error.message, "at most 4096 ranks");
    for (int i = 0; i < RANKS; i++)
        kaiStudy_Free(ranks[i].study);
    kaiModel_Free(model);
}

// ---- more than memory should hold

static kaiStatus count_row(void* user, const kaiRow* row)
{
    int64_t* n = user;
    assert_true(row->t == (double)*n && row->p == (int)(*n % 7) && row->values[1] == 2.0 * (double)*n);
    assert_int_equal(row->present[0], *n % 2);
    return ++*n == 70000 ? KAI_INTERRUPTED : KAI_OK;
}

// Three megabytes of rows go through a file and come back as they were.
static void rows_beyond_memory(void** state)
{
    (void)state;
    Spool spool;
    spool_open(&spool, 2);
    for (int64_t n = 0; n < 80000; n++)
    {
        double values[] = {0, 2.0 * (double)n};
        uint8_t present[] = {(uint8_t)(n % 2), 1};
        assert_int_equal(spool_add(&spool, &(kaiRow){(double)n, (int)(n % 7), 0, values, present}), KAI_OK);
    }
    int64_t seen = 0;
    assert_int_equal(spool_replay(&spool, count_row, &seen), KAI_INTERRUPTED);
    assert_int_equal(seen, 70000);
    spool_close(&spool);
}

// ---- what is no study, and no sweep

static void refused(const char* text, kaiDesign design, int64_t runs, const char* words)
{
    kaiModel* model = load_text(text, "e");
    kaiStudyOptions options = kaiDefaultStudyOptions();
    kaiError error = {0};
    options.design = design;
    options.runs = runs;
    assert_null(kaiStudy_Create(model, &options, &error));
    if (strstr(error.message, words) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", error.message, words);
    kaiModel_Free(model);
}

static void what_cannot_vary_is_refused(void** state)
{
    (void)state;
    char many[1200] = "model M { param p1 ~ uniform(0, 1)", wide[1200] = "model M { param p1 = 1";
    for (int i = 2; i <= 17; i++)
        sprintf(many + strlen(many), ", p%d ~ uniform(0, 1)", i);
    strcat(many, "; state x = 0; x' = p1 }\nexperiment e of M { stop = 1 }\n");
    for (int i = 2; i <= 15; i++)
        sprintf(wide + strlen(wide), ", p%d = 1", i);
    strcat(wide, "; state x = 0; x' = p1 }\nexperiment e of M { stop = 1");
    for (int i = 1; i <= 15; i++)
        sprintf(wide + strlen(wide), "; sweep p%d from 1 to 10 by 1", i);
    strcat(wide, " }\n");
    refused(many, KAI_DESIGN_SOBOL, 10, "Sobol's sequence is there for at most 16 factors");
    refused(many, KAI_DESIGN_LATIN, 0, "a study has at least one run");
    refused(wide, KAI_DESIGN_GRID, 0, "the grid has more than 2^40 runs");
    refused("model M { param n = 1; state x[i in 1..n] = 0; for i in 1..n { x[i]' = 1 } }\n"
            "experiment e of M { stop = 1; sweep n in (1, 2) }\n",
            KAI_DESIGN_GRID, 0, "n decides the structure of the model, which a study compiles once");
    refused("model M { state x = 0; x' = 1 }\nexperiment e of M { stop = 1 }\n", KAI_DESIGN_GRID, 0,
            "the experiment has no `sweep` lines");
    kaiModel* model = load_text(wide, "e");
    kaiProgram* program = NULL;
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiError error = {0};
    source.text = wide;
    assert_int_equal(kaiProgram_Open(&source, &program, NULL), KAI_OK);
    assert_null(kaiSweep_Create(program, model, &which, &error));
    assert_string_equal(error.message, "the sweep has more than 10 million points");
    kaiProgram_Free(program);
    kaiModel_Free(model);
}

// Measures that a model was compiled with, and values that do not exist: 1/2 is crossed at a/2, or not at all.
static kaiStatus measured(void* user, const kaiStudyRow* row)
{
    ++*(int*)user;
    if (row->factors[0] > 6)
        assert_true(isnan(row->measures[0]));
    else
        assert_true(fabs(row->measures[0] - row->factors[0] / 2) < 1e-9);
    return KAI_OK;
}

static void measures_of_the_model(void** state)
{
    (void)state;
    int rows = 0;
    static const char text[] = "model M { param a = 1; state x = 0; x' = 1/a; event half = up(x - 0.5) }\n"
                               "experiment e of M { stop = 3; sweep a in (1, 2, 4, 8) }\n";
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    const kaiGiven asked = {"half", "time_of(half, 1)"};
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    source.text = text;
    which.experiment = "e";
    which.measures = &asked;
    which.measure_count = 1;
    assert_int_equal(kaiProgram_Open(&source, &program, NULL), KAI_OK);
    assert_int_equal(kaiProgram_Compile(program, &which, &model), KAI_OK);
    kaiStudy* study = study_of(model);
    assert_string_equal(kaiStudy_Measure(study, 0), "half");
    assert_null(kaiStudy_Measure(study, 1));
    kaiStudyRunOptions options = kaiDefaultStudyRunOptions();
    kaiError error;
    options.row = measured;
    options.user = &rows;
    assert_int_equal(kaiStudy_Run(study, &options, &error), KAI_OK);
    assert_int_equal(rows, 4);
    kaiStudy_Free(study);
    kaiModel_Free(model);
    kaiProgram_Free(program);
}

// ---- memory

static kaiStatus whole_study(Heap* heap)
{
    LoadOptions load = load_default();
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    load.path = "text.kai";
    load.text = grid;
    load.experiment = "e";
    load.allocator = (kaiAllocator){heap_alloc, heap};
    kaiStatus status = load_model(&load, &model, &program);
    kaiError error = {0};
    if (status == KAI_OK)
    {
        Kept kept = {.wanted = 3};
        kaiStudyOptions options = kaiDefaultStudyOptions();
        kaiStudyRunOptions run = keeping(&kept, 1);
        options.design = KAI_DESIGN_GRID;
        run.row = NULL;
        run.end = 4;
        kaiStudy* study = kaiStudy_Create(model, &options, &error);
        status = study == NULL ? error.status : kaiStudy_Run(study, &run, &error);
        kaiStudy_Free(study);
    }
    kaiModel_Free(model);
    kaiProgram_Free(program);
    return status;
}

static void no_memory_is_a_status(void** state)
{
    (void)state;
    Heap all = {.fail_at = -1};
    assert_int_equal(whole_study(&all), KAI_OK);
    assert_int_equal(all.live, 0);
    for (long n = 0; n < all.calls; n++)
    {
        Heap heap = {.fail_at = n};
        kaiStatus status = whole_study(&heap);
        if (heap.live != 0 || (status != KAI_ERR_MEMORY && status != KAI_OK))
            fail_msg("call %ld of %ld: status %d, %ld bytes", n, all.calls, status, heap.live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trajectories_come_in_order),  cmocka_unit_test(a_study_may_be_stopped),
        cmocka_unit_test(runs_can_be_adjusted),        cmocka_unit_test(ranks_hand_trajectories_on),
        cmocka_unit_test(ranks_that_cannot),           cmocka_unit_test(rows_beyond_memory),
        cmocka_unit_test(what_cannot_vary_is_refused), cmocka_unit_test(measures_of_the_model),
        cmocka_unit_test(no_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
