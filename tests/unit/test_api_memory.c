// Memory of the public functions: nothing is allocated in a run, every allocation that fails is a status and leaves
// nothing behind, and two threads share a model.
#include "unit/api_fixture.h"

typedef struct Job
{
    const kaiModel* model;
    Rows rows;
    kaiStatus status;
} Job;

static void* run_job(void* user)
{
    Job* job = user;
    kaiSimOptions options = kaiModel_SimOptions(job->model);
    options.row = keep_row;
    options.row_user = &job->rows;
    kaiError failure = {0};
    kaiSim* sim = kaiSim_Create(job->model, &options, &failure);
    if (sim == NULL)
        return NULL;
    kaiSim_Columns(sim, &job->rows.columns);
    job->status = kaiSim_Run(sim);
    kaiSim_Free(sim);
    return NULL;
}

static void test_two_threads(void** state)
{
    (void)state;
    kaiModel* model = load(plant_text, "e");
    Job jobs[3] = {{.model = model}, {.model = model}, {.model = model}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    run_job(&jobs[2]);
    for (int i = 0; i < 3; i++)
    {
        assert_int_equal(jobs[i].status, KAI_END);
        assert_true(jobs[i].rows.count > 0);
        assert_same_rows(jobs[2].rows.at, jobs[i].rows.at, jobs[2].rows.count, jobs[i].rows.count);
    }
    for (int i = 0; i < 3; i++)
        free(jobs[i].rows.at);
    kaiModel_Free(model);
}

// What a mode needs is made when it is met first: in the first `warm` instants.
static void check_no_allocation(const char* text, const char* experiment, const char* solver, int warm)
{
    kaiModel* model = load_for(text, experiment, solver);
    Heap heap = {.fail_at = -1};
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.allocator = (kaiAllocator){heap_alloc, &heap};
    options.solver = solver;
    kaiSim* sim = create(model, &options);
    for (int i = 0; i < warm; i++)
        assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);
    long before = heap.calls;
    int64_t instants = 0;
    kaiStatus status;
    while ((status = kaiSim_Step(sim)) == KAI_INSTANT)
        instants++;
    assert_int_equal(status, KAI_END);
    assert_true(instants > 10);
    assert_int_equal(heap.calls, before);
    kaiSim_Free(sim);
    assert_int_equal(heap.live, 0);
    kaiModel_Free(model);
}

// Modes, clocks and events of its own; without `delay`, whose lines may grow.
static const char busy_text[] = "model Busy {\n"
                                "  param T = 0.05\n"
                                "  state x = 0\n"
                                "  discrete n = 0, v = 1\n"
                                "  event tick = clock(T), s = sample(x, tick), turn\n"
                                "  signal h = hold(s, 0)\n"
                                "  x' = v\n"
                                "  when tick { n := n + 1; emit turn(n) }\n"
                                "  when turn if h > 0.5 { v := -1 }\n"
                                "  when down(x) { v := 1 }\n"
                                "  modes {\n"
                                "    initial mode a { state r = 0; r' = 1; on x > 0.3 -> b }\n"
                                "    mode b { on x < 0.2 -> a }\n"
                                "  }\n"
                                "  choose { when n == 7 { n := 9 } when n == 7 { n := 8 } }\n"
                                "}\n"
                                "experiment e of Busy { stop = 5 }\n";

static void test_no_allocation_in_a_run(void** state)
{
    (void)state;
    check_no_allocation(ball_text, "bounce", "rk45", 2);
    check_no_allocation(busy_text, "e", "rk45", 40);
    check_no_allocation(busy_text, "e", "rk23", 40);
    check_no_allocation(busy_text, "e", "euler", 40);
    check_no_allocation(busy_text, "e", "rosenbrock", 40);
}

// Everything a program does with the library, with an allocator that fails once. True: nothing failed.
static bool live_with(Heap* heap, const char* text, const char* experiment, const char* solver)
{
    LoadOptions options = text_options(text, experiment);
    options.allocator = (kaiAllocator){heap_alloc, heap};
    options.solver = solver;
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    bool fine = false;
    kaiStatus status = load_model(&options, &model, &messages);
    kaiProgram_Free(messages);
    if (status != KAI_OK)
    {
        assert_int_equal(status, KAI_ERR_MEMORY);
        assert_null(model);
        return false;
    }
    kaiSimOptions run = kaiModel_SimOptions(model);
    run.allocator = options.allocator;
    run.solver = solver;
    kaiError failure = {0};
    kaiSim* sim = kaiSim_Create(model, &run, &failure);
    if (sim == NULL)
        assert_int_equal(failure.status, KAI_ERR_MEMORY);
    else
    {
        kaiSnapshot* snapshot = NULL;
        status = kaiSim_Step(sim);
        if (status == KAI_INSTANT)
        {
            snapshot = kaiSim_Save(sim);
            status = kaiSim_Run(sim);
        }
        if (status == KAI_END && snapshot != NULL)
            fine = kaiSim_Restore(sim, snapshot) == KAI_OK;
        assert_true(status == KAI_END || status == KAI_ERR_MEMORY);
        kaiSnapshot_Free(snapshot);
    }
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return fine;
}

static void sweep_failures(const char* text, const char* experiment, const char* solver)
{
    for (long n = 0; n < 5000; n++)
    {
        Heap heap = {.fail_at = n};
        bool fine = live_with(&heap, text, experiment, solver);
        if (heap.live != 0)
            print_message("%s: allocation %ld of %ld failed, %ld bytes are left\n", solver, n, heap.calls, heap.live);
        assert_int_equal(heap.live, 0);
        if (heap.calls <= n)
        {
            assert_true(fine);
            assert_true(n > 20);
            return;
        }
        assert_false(fine);
    }
    fail();
}

static void test_allocation_failures(void** state)
{
    (void)state;
    sweep_failures(ball_text, "bounce", "rk45");
    sweep_failures(plant_text, "e", "rk45");
    sweep_failures(plant_text, "apart", "rk45");
    sweep_failures(ball_text, "bounce", "rosenbrock");
    sweep_failures(ball_text, "bounce", "cvode_bdf");
}

// The other doors: checks, listings, the formatter, opening alone.
static kaiStatus open_door(int door, const LoadOptions* options)
{
    kaiProgram* program = NULL;
    const char* text = NULL;
    kaiCompileOptions compile = load_compile(options);
    kaiStatus status = load_program(options, &program);
    if (status == KAI_OK && door < 4)
        status = door == 0   ? kaiProgram_Check(program)
                 : door == 1 ? kaiProgram_List(program, &compile, "flat", &text)
                 : door == 2 ? kaiProgram_List(program, &compile, "schedule", &text)
                             : kaiProgram_Format(program, &text);
    kaiProgram_Free(program);
    return status;
}

static void test_allocation_failures_of_other_calls(void** state)
{
    (void)state;
    for (int door = 0; door < 5; door++)
        for (long n = 0;; n++)
        {
            Heap heap = {.fail_at = n};
            LoadOptions options = text_options(plant_text, NULL);
            options.allocator = (kaiAllocator){heap_alloc, &heap};
            kaiStatus status = open_door(door, &options);
            if (heap.live != 0)
                print_message("call %d: allocation %ld failed, %ld bytes are left\n", door, n, heap.live);
            assert_int_equal(heap.live, 0);
            assert_int_equal(status, heap.calls <= n ? KAI_OK : KAI_ERR_MEMORY);
            if (heap.calls <= n)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_threads),
        cmocka_unit_test(test_no_allocation_in_a_run),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_allocation_failures_of_other_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
