// Studies, checkpoints and inputs from files: designs whose values and rows are known, the same rows from threads and
// from processes that share the work, runs that go on bit for bit in a later process, inputs that come at their times.
#include "kairos/drive.h"
#include "kairos/kairos.h"
#include "unit/load_fixture.h"
#include "unit/ranks_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// x = a exp(-k): a uniform on 1 … 3, k normal around 1; with k above 1.9 the run fails.
static const char decay[] =
    "model M { param a ~ uniform(1, 3), k ~ normal(1, 0.25); state x = a; x' = -k*x; assert k < 1.9 }\n"
    "experiment e of M { stop = 1; rtol = 1e-10; expect final(x) ~ 0.9 within 0.6 }\n";
static const char grid[] = "model M { param a = 1, k = 1; state x = a; x' = -k*x }\n"
                           "experiment e of M { stop = 1; rtol = 1e-10; sweep a in (1, 2, 3); sweep k in (0, 1) }\n";

typedef struct Rows
{
    int64_t count, failed;
    int passed;
    double x[2000], a[2000], k[2000];
    int64_t stop_at;
    char reason[300];
} Rows;

static kaiStatus on_row(void* user, const kaiStudyRow* row)
{
    Rows* r = user;
    if (row->status == KAI_END)
    {
        assert_true(fabs(row->measures[row->passed + row->failed > 0] - row->factors[0] * exp(-row->factors[1])) <
                    1e-8);
        r->x[r->count] = row->measures[0];
        r->passed += row->passed;
    }
    else
    {
        r->failed++;
        snprintf(r->reason, sizeof r->reason, "%s", row->reason);
    }
    r->a[r->count] = row->factors[0];
    r->k[r->count] = row->factors[1];
    r->count++;
    return r->count == r->stop_at ? KAI_ERR_IO : KAI_OK;
}

static kaiStudy* make(const kaiModel* model, kaiDesign design, int64_t runs, const int* x)
{
    kaiStudyOptions options = kaiDefaultStudyOptions();
    kaiError error;
    options.design = design;
    options.runs = runs;
    options.seed = 7;
    options.measures = x;
    options.measure_count = 1;
    kaiStudy* study = kaiStudy_Create(model, &options, &error);
    if (study == NULL)
        print_message("%s\n", error.message);
    assert_non_null(study);
    return study;
}

static kaiStatus run(kaiStudy* study, int threads, Rows* rows)
{
    kaiStudyRunOptions options = kaiDefaultStudyRunOptions();
    kaiError error;
    options.threads = threads;
    options.row = on_row;
    options.user = rows;
    return kaiStudy_Run(study, &options, &error);
}

static void test_designs(void** state)
{
    (void)state;
    static Rows one, two;
    static const kaiDesign designs[] = {KAI_DESIGN_RANDOM, KAI_DESIGN_LATIN, KAI_DESIGN_SOBOL};
    kaiModel* model = load_text(decay, "e");
    int x = kaiModel_FindVariable(model, "x");
    for (int d = 0; d < 3; d++)
    {
        kaiStudy* study = make(model, designs[d], 300, &x);
        memset(&one, 0, sizeof one);
        memset(&two, 0, sizeof two);
        assert_int_equal(kaiStudy_RunCount(study), 300);
        assert_non_null(strstr(kaiStudy_Measure(study, 0), "final(x)"));
        assert_int_equal(run(study, 1, &one), KAI_OK);
        assert_int_equal(run(study, 3, &two), KAI_OK);
        assert_memory_equal(&one, &two, sizeof one);
        assert_int_equal(one.count, 300);
        double mean = 0;
        for (int i = 0; i < 300; i++)
        {
            assert_true(one.a[i] >= 1 && one.a[i] <= 3);
            mean += one.a[i] / 300;
        }
        assert_true(fabs(mean - 2) < (d == 0 ? 0.15 : 0.01));  // slices and Sobol's points are even
        kaiStudy_Free(study);
    }
    assert_true(one.passed > 200);
    kaiModel_Free(model);
}

// Each of 300 slices of equal probability has one value.
static void test_slices(void** state)
{
    (void)state;
    kaiModel* model = load_text(decay, "e");
    int x = kaiModel_FindVariable(model, "x");
    kaiStudy* study = make(model, KAI_DESIGN_LATIN, 300, &x);
    bool seen[300] = {false};
    double values[2];
    for (int64_t i = 0; i < 300; i++)
    {
        assert_true(kaiStudy_Values(study, i, values));
        int slice = (int)((values[0] - 1) / 2 * 300);
        assert_false(seen[slice]);
        seen[slice] = true;
    }
    kaiStudy_Free(study);
    kaiModel_Free(model);
}

static void test_grid_and_list(void** state)
{
    (void)state;
    static Rows rows;
    kaiModel* model = load_text(grid, "e");
    int x = kaiModel_FindVariable(model, "x");
    kaiStudy* study = make(model, KAI_DESIGN_GRID, 0, &x);
    double values[2];
    assert_int_equal(kaiStudy_RunCount(study), 6);
    assert_true(kaiStudy_Values(study, 3, values));
    assert_true(values[0] == 2 && values[1] == 1);  // the first sweep varies slowest
    memset(&rows, 0, sizeof rows);
    assert_int_equal(run(study, 2, &rows), KAI_OK);
    assert_int_equal(rows.count, 6);
    kaiStudy_Free(study);
    int factors[2] = {kaiModel_FindVariable(model, "a"), kaiModel_FindVariable(model, "k")};
    double list[4] = {5, 0.5, 7, 2};
    kaiStudyOptions options = kaiDefaultStudyOptions();
    kaiError error;
    options.design = KAI_DESIGN_LIST;
    options.variables = factors;
    options.variable_count = 2;
    options.values = list;
    options.value_runs = 2;
    options.measures = &x;
    options.measure_count = 1;
    study = kaiStudy_Create(model, &options, &error);
    assert_non_null(study);
    assert_int_equal(kaiStudy_Factor(study, 1), factors[1]);
    memset(&rows, 0, sizeof rows);
    assert_int_equal(run(study, 1, &rows), KAI_OK);
    assert_true(rows.count == 2 && rows.a[1] == 7);
    kaiStudy_Free(study);
    kaiModel_Free(model);
}

static void test_stops(void** state)
{
    (void)state;
    static Rows rows;
    static const volatile int stopped = 1;
    kaiModel* model = load_text(decay, "e");
    int x = kaiModel_FindVariable(model, "x");
    kaiStudy* study = make(model, KAI_DESIGN_RANDOM, 400, &x);
    kaiStudyRunOptions options = kaiDefaultStudyRunOptions();
    kaiError error;
    memset(&rows, 0, sizeof rows);
    rows.stop_at = 5;
    assert_int_equal(run(study, 2, &rows), KAI_ERR_IO);
    assert_int_equal(rows.count, 5);
    options.interrupt = &stopped;
    assert_int_equal(kaiStudy_Run(study, &options, &error), KAI_INTERRUPTED);
    memset(&rows, 0, sizeof rows);
    options.interrupt = NULL;
    options.row = on_row;
    options.user = &rows;
    options.first = 1;
    options.step = 100;
    assert_int_equal(kaiStudy_Run(study, &options, &error), KAI_OK);  // runs 1, 101, 201, 301
    assert_int_equal(rows.count, 4);
    kaiStudy_Free(study);
    kaiModel_Free(model);
}

// ---- ranks

static Rank rank_of(int rank, kaiStudy* study, Rows* rows)
{
    Rank made = {.rank = rank, .study = study, .options = kaiDefaultStudyRunOptions()};
    made.options.row = on_row;
    made.options.user = rows;
    return made;
}

// Rank 0 gets the rows that one process would have, in their order.
static void test_ranks(void** state)
{
    (void)state;
    static Rows alone, shared;
    kaiModel* model = load_text(decay, "e");
    int x = kaiModel_FindVariable(model, "x");
    kaiStudy* study = make(model, KAI_DESIGN_RANDOM, 1500, &x);
    memset(&alone, 0, sizeof alone);
    assert_int_equal(run(study, 1, &alone), KAI_OK);
    assert_int_equal(pipe(back), 0);
    for (int stop = 0; stop < 2; stop++)
    {
        pthread_t threads[RANKS];
        Rank ranks[RANKS];
        memset(&shared, 0, sizeof shared);
        shared.stop_at = stop ? 40 : 0;
        for (int i = 0; i < RANKS; i++)
        {
            if (stop == 0)
                assert_int_equal(pipe(to_rank[i]), 0);
            ranks[i] = rank_of(i, make(model, KAI_DESIGN_RANDOM, 1500, &x), &shared);
            assert_int_equal(pthread_create(&threads[i], NULL, be_rank, &ranks[i]), 0);
        }
        for (int i = 0; i < RANKS; i++)
        {
            pthread_join(threads[i], NULL);
            assert_int_equal(ranks[i].status, i == 0 && stop ? KAI_ERR_IO : KAI_OK);
            kaiStudy_Free(ranks[i].study);
        }
        if (stop == 0)
            assert_memory_equal(&alone, &shared, sizeof alone);
        else
            assert_int_equal(shared.count, 40);
    }
    deaf = true;  // the others are gone
    Rank lone = rank_of(0, study, &shared);
    be_rank(&lone);
    assert_int_equal(lone.status, KAI_ERR_IO);
    lone.rank = 1;
    be_rank(&lone);
    assert_int_equal(lone.status, KAI_ERR_IO);
    kaiStudy_Free(study);
    kaiModel_Free(model);
}

// ---- sweeps with choices, and values that no model has

static const char choices[] = "model M { param k = 1; discrete a = 0, b = 0, order = 0; state x = 0; x' = k\n"
                              "  choose { when time >= 1 and a == 0 { a := 1; order := 10*order + 1 }\n"
                              "           when time >= 1 and b == 0 { b := 1; order := 10*order + 2 } }\n"
                              "  assert k < 2 or order < 20 \"too late\" }\n"
                              "experiment e of M { stop = 2; choice = all; sweep k in (1, 3) }\n";
static const char sizes[] = "model M { param n = 2; state x[i in 1..n] = 1/(3 - n); for i in 1..n { x[i]' = -x[i] } if "
                            "n > 3 { y : Nothing } }\n"
                            "experiment e of M { stop = 1; sweep n in (1, 2) }\n";

typedef struct Points
{
    int64_t count, failed;
    char message[600];
    int rows, leads;
} Points;

static kaiStatus on_begin(void* user, const kaiColumn* columns, int count, const char* const* names, int lead_count)
{
    (void)columns, (void)count, (void)names;
    ((Points*)user)->leads = lead_count;
    return KAI_OK;
}

static kaiStatus on_sweep_row(void* user, const double* lead, const kaiRow* row)
{
    (void)lead, (void)row;
    ((Points*)user)->rows++;
    return KAI_OK;
}

static void on_point(void* user, const kaiSweepPoint* point)
{
    Points* p = user;
    assert_int_equal(point->point, p->count);
    p->count++;
    if (point->status < 0)
    {
        p->failed++;
        snprintf(p->message, sizeof p->message, "%s", point->message);
    }
}

static kaiStatus sweep(const char* text, int threads, Points* points, kaiSweepResult* result)
{
    LoadOptions load = load_default();
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    kaiError error = {0};
    load.path = "text.kai";
    load.text = text;
    load.experiment = "e";
    assert_int_equal(load_model(&load, &model, &program), KAI_OK);
    kaiCompileOptions which = load_compile(&load);
    kaiSweep* s = kaiSweep_Create(program, model, &which, &error);
    if (s == NULL)
        fail_msg("%s", error.message);
    kaiSweepOptions options = kaiDefaultSweepOptions();
    options.threads = threads;
    options.begin = on_begin;
    options.row = on_sweep_row;
    options.point = on_point;
    options.user = points;
    kaiStatus status = kaiSweep_Run(s, &options, result, &error);
    kaiSweep_Free(s);
    kaiModel_Free(model);
    kaiProgram_Free(program);
    return status;
}

// Two orders for each value; with k = 3 the second one fails, and is named.
static void test_sweep_choices(void** state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++)
    {
        Points points = {0};
        kaiSweepResult result;
        assert_int_equal(sweep(choices, threads, &points, &result), KAI_OK);
        assert_true(result.explored && result.points == 2 && result.failed == 1);
        assert_int_equal(result.outcomes, 4);
        assert_int_equal(points.leads, 3);  // run, k, branch
        assert_non_null(strstr(points.message, "branch 2 ("));
        assert_non_null(strstr(points.message, "too late"));
    }
}

static void test_sweep_sizes(void** state)
{
    (void)state;
    Points points = {0};
    kaiSweepResult result;
    assert_int_equal(sweep(sizes, 2, &points, &result), KAI_OK);
    assert_true(result.complete == 2 && points.failed == 0 && points.rows > 0);
}

// ---- checkpoints

static const char ball[] =
    "model M { state y = 1, v = 0; discrete n = 0; y' = v; v' = -9.81; when down(y) { v := -0.8*v; n := n + 1 } }\n"
    "experiment e of M { stop = 3 }\n";

static void test_checkpoint(void** state)
{
    (void)state;
    char folder[] = "/tmp/kairos-checkpoint-XXXXXX", path[100], damaged[100];
    const char* const words[] = {"run", "model.kai"};
    kaiError error;
    size_t size;
    double a = 0, b = 1;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c", folder);
    snprintf(damaged, sizeof damaged, "%s/d", folder);
    kaiModel* model = load_text(ball, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim *sim = kaiSim_Create(model, &options, NULL), *later = kaiSim_Create(model, &options, NULL);
    assert_true(kaiSim_StepTo(sim, 1) >= 0);
    kaiCheckpointParts parts = {words, 2, sim, NULL};
    assert_int_equal(kaiCheckpoint_Write(path, &parts, &error), KAI_OK);
    kaiCheckpoint* read = kaiCheckpoint_Read(path, &error);
    assert_non_null(read);
    assert_int_equal(kaiCheckpoint_WordCount(read), 2);
    assert_string_equal(kaiCheckpoint_Word(read, 1), "model.kai");
    assert_null(kaiCheckpoint_Word(read, 2));
    assert_null(kaiCheckpoint_Mark(read, &size));
    assert_int_equal(kaiCheckpoint_Restore(read, model, later, &error), KAI_OK);
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    assert_int_equal(kaiSim_Run(later), KAI_END);
    kaiSim_Get(sim, kaiModel_FindVariable(model, "y"), &a);
    kaiSim_Get(later, kaiModel_FindVariable(model, "y"), &b);
    assert_true(a == b);
    kaiModel* other = load_text(grid, "e");
    assert_int_not_equal(kaiCheckpoint_Restore(read, other, later, &error), KAI_OK);
    assert_int_equal(kaiCheckpoint_Restore(NULL, model, later, &error), KAI_ERR_USAGE);
    options.solver = "riemann";
    kaiSim* rough = kaiSim_Create(model, &options, NULL);
    assert_int_not_equal(kaiCheckpoint_Restore(read, model, rough, &error), KAI_OK);
    assert_non_null(strstr(error.message, "saved with solver"));
    kaiCheckpoint_Free(read);

    FILE *in = fopen(path, "rb"), *out = fopen(damaged, "wb");
    for (int c, i = 0; (c = fgetc(in)) != EOF; i++)
        fputc(i == 100 ? c ^ 1 : c, out);
    fclose(in);
    fclose(out);
    assert_null(kaiCheckpoint_Read(damaged, &error));
    assert_non_null(strstr(error.message, "is no checkpoint, or it is damaged"));
    assert_int_equal(truncate(damaged, 10), 0);
    assert_null(kaiCheckpoint_Read(damaged, &error));
    unlink(damaged);
    unlink(path);
    assert_null(kaiCheckpoint_Read(path, &error));
    assert_non_null(strstr(error.message, "cannot be read: No such file"));
    assert_null(kaiCheckpoint_Read(NULL, &error));
    rmdir(folder);
    assert_int_equal(kaiCheckpoint_Write(path, &parts, &error), KAI_ERR_IO);
    assert_int_equal(kaiCheckpoint_Write(NULL, &parts, &error), KAI_ERR_USAGE);
    kaiSim_Free(sim);
    kaiSim_Free(later);
    kaiSim_Free(rough);
    kaiModel_Free(model);
    kaiModel_Free(other);
}

// ---- inputs

static const char driven[] =
    "model M { input u [km] = 1; input event e; state x = 0; discrete n = 0; x' = u; when e { n := n + e } }\n"
    "experiment e of M { stop = 4 }\n";

static kaiStatus post(const char* table, double* x, double* n, kaiError* error)
{
    char path[] = "/tmp/kairos-inputs-XXXXXX.csv";
    int file = mkstemps(path, 4);
    assert_int_equal(write(file, table, strlen(table)), strlen(table));
    close(file);
    kaiModel* model = load_text(driven, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    kaiStatus status = kaiInputs_Post(path, model, sim, error);
    if (status == KAI_OK)
    {
        assert_int_equal(kaiSim_Run(sim), KAI_END);
        kaiSim_Get(sim, kaiModel_FindVariable(model, "x"), x);
        kaiSim_Get(sim, kaiModel_FindVariable(model, "n"), n);
    }
    kaiSim_Free(sim);
    kaiModel_Free(model);
    unlink(path);
    return status;
}

// u = 2 km before 1, 3 km until 2.5, 0 then: 2 + 4.5 km; events of weight 5 and 6.
static void test_inputs(void** state)
{
    (void)state;
    double x = 0, n = 0;
    kaiError error;
    assert_int_equal(post("t,u,e\n-1,9,100\n0,2,\n1,3,5\n1.5,3,\n2.5,0,6\n9,7,50\n", &x, &n, &error), KAI_OK);
    assert_true(fabs(x - 6500) < 1e-6);
    assert_true(n == 11);
    assert_int_equal(post("time,u [km]\n0,2\n", &x, &n, &error), KAI_OK);
    assert_true(fabs(x - 8000) < 1e-6);
    assert_int_equal(post("t,u\n0,1\n2,2\n1,3\n", &x, &n, &error), KAI_ERR_USAGE);
    assert_non_null(strstr(error.message, "row 3: its time 1 comes behind 2"));
    assert_int_equal(post("t,v\n0,1\n", &x, &n, &error), KAI_ERR_USAGE);
    assert_non_null(strstr(error.message, "`v` is no input of model M"));
    assert_int_equal(kaiInputs_Post("/nowhere.csv", NULL, NULL, &error), KAI_ERR_USAGE);
    kaiModel* model = load_text(driven, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    assert_int_equal(kaiInputs_Post("/nowhere.csv", model, sim, &error), KAI_ERR_IO);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

static kaiStatus on_progress(void* user, double t)
{
    (void)t;
    return ++*(int*)user == 3 ? KAI_INTERRUPTED : KAI_OK;
}

static void test_drive(void** state)
{
    (void)state;
    static const volatile int stopped = 1;
    int calls = 0;
    kaiModel* model = load_text(ball, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    kaiDrive drive = {.pace = 1000, .interval = 0, .progress = on_progress, .user = &calls};
    assert_int_equal(kaiSim_Drive(sim, &drive), KAI_INTERRUPTED);
    assert_int_equal(calls, 3);
    kaiDrive wait = {.pace = 1e-6, .interrupt = &stopped};  // three million seconds, if nobody stopped it
    assert_int_equal(kaiSim_Drive(sim, &wait), KAI_INTERRUPTED);
    kaiDrive plain = {.pace = 0};
    assert_int_equal(kaiSim_Drive(sim, &plain), KAI_END);
    assert_int_equal(kaiDrive_At(NULL, 0), KAI_ERR_USAGE);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_designs),     cmocka_unit_test(test_slices), cmocka_unit_test(test_grid_and_list),
        cmocka_unit_test(test_stops),       cmocka_unit_test(test_ranks),  cmocka_unit_test(test_checkpoint),
        cmocka_unit_test(test_inputs),      cmocka_unit_test(test_drive),  cmocka_unit_test(test_sweep_choices),
        cmocka_unit_test(test_sweep_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
