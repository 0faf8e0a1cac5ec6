// Questions to a run about itself: along which surface it went, which guard has which name, which state kept the steps
// short, how an order of choices reads; options that do not go together; memory that ends while a run is copied; saved
// models that call C functions.
#include "unit/api_fixture.h"

static double value_of(kaiSim* sim, int variable)
{
    double value = NAN;
    assert_true(kaiSim_Get(sim, variable, &value));
    return value;
}

// ---- where a run went and why

// x falls to 0 and both fields push it back: it slides from 1 to the end.
static void test_slide(void** state)
{
    (void)state;
    kaiModel* model = load("model M { state x = 1; x' = if x > 0 then -1 else 1 }\n"
                           "experiment e of M { stop = 3; zeno = continue }\n",
                           "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    double from = NAN, to = NAN;
    const char* text = NULL;
    kaiPlace place;
    assert_false(kaiSim_Slide(sim, 0, &from, &to, &text, &place));
    run_to_end(sim);
    assert_true(kaiSim_Slide(sim, 0, &from, &to, &text, &place));
    assert_true(fabs(from - 1) < 1e-9);
    assert_true(isnan(to) || fabs(to - 3) < 1e-9);
    assert_string_equal(text, "x > 0");
    assert_int_equal(place.line, 1);
    assert_false(kaiSim_Slide(sim, 1, &from, &to, &text, &place));
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

static void test_guards(void** state)
{
    (void)state;
    kaiModel* model = load("model M { state x = 0, k = 0; event hit = up(x - 1); x' = 1; k' = 0\n"
                           "  when hit { k := 1 } when up(x - 2) { k := 2 } }\nexperiment e of M { stop = 3 }\n",
                           "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    int named = 0, count = 0;
    double touched;
    int64_t located, touches;
    const char* text;
    kaiPlace place;
    run_to_end(sim);
    for (; kaiSim_GuardCount(sim, count, &located, &touches, &text, &place); count++)
    {
        const char* name = kaiSim_GuardName(sim, count);
        named += name != NULL && strcmp(name, "hit") == 0;
        assert_int_equal(located, 1);
        assert_false(kaiSim_GuardTouched(sim, count, &touched));
    }
    assert_int_equal(count, 2);
    assert_int_equal(named, 1);
    assert_null(kaiSim_GuardName(sim, 2));
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// A fast state between two slow ones: every rejected step is its.
static void test_worst(void** state)
{
    (void)state;
    kaiModel* model = load("model M { state a = 0, fast = 0, b = 0; a' = 1e-3; b' = 1e-3\n"
                           "  fast' = 1e3*cos(300*time*time) }\nexperiment e of M { stop = 2; solver = rk45 }\n",
                           "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.profile = true;
    kaiSim* sim = create(model, &options);
    assert_int_equal(kaiSim_WorstState(sim), -1);
    run_to_end(sim);
    int64_t steps = 0, rejected = 0, all = 0;
    int fast = kaiModel_FindVariable(model, "fast");
    for (int i = 0; i < kaiModel_StateCount(model); i++)
    {
        assert_true(kaiSim_StateLimits(sim, i, &steps, &rejected));
        all += rejected;
        assert_true(rejected == 0 || kaiModel_StateVariable(model, i) == fast);
    }
    assert_true(all > 0);
    assert_int_equal(kaiSim_WorstState(sim), fast);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// ---- choices

typedef struct Orders
{
    int count;
    char order[4][200], outcome[4][200];
} Orders;

static kaiStatus take_order(void* user, kaiSim* sim, int branch, kaiStatus status)
{
    Orders* o = user;
    (void)branch;
    assert_int_equal(status, KAI_END);
    kaiSim_OrderText(sim, o->order[o->count], sizeof o->order[0]);
    kaiSim_OutcomeText(sim, 5, o->outcome[o->count++], sizeof o->outcome[0]);
    return KAI_OK;
}

static void test_orders(void** state)
{
    (void)state;
    kaiModel* model = load("model M { modes { initial mode idle { choose {\n"
                           "  on time >= 1 -> left\n  on time >= 1 -> right } } mode left { } mode right { } }\n"
                           "  discrete n = 0 }\nexperiment e of M { stop = 2; choice = all }\n",
                           "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    Orders orders = {0};
    kaiExploration found;
    assert_int_equal(kaiSim_Explore(model, sim, &(kaiExploreEvents){.end = take_order, .user = &orders}, &found),
                     KAI_END);
    assert_int_equal(orders.count, 2);
    assert_string_equal(orders.order[0], "at t = 1: line 2 (-> left)");
    assert_string_equal(orders.order[1], "at t = 1: line 3 (-> right)");
    assert_string_equal(orders.outcome[0], "n = 0, mode = left");
    assert_string_equal(orders.outcome[1], "n = 0, mode = right");
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// ---- options

static void refused(const kaiModel* model, const kaiSimOptions* options, const char* words)
{
    kaiError error = {0};
    assert_null(kaiSim_Create(model, options, &error));
    assert_int_equal(error.status, KAI_ERR_USAGE);
    if (strstr(error.message, words) == NULL)
        fail_msg("%s instead of %s", error.message, words);
}

static void test_options(void** state)
{
    (void)state;
    kaiModel* model = load("model M { state x = 0; x' = 1 }\nexperiment e of M { stop = 3 }\n", "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.rtol = 0;
    options.atol = 0;
    refused(model, &options, "with rtol = 0 the absolute error alone is controlled: give `atol`");
    options = kaiModel_SimOptions(model);
    options.min_step = 2;
    options.max_step = 1;
    refused(model, &options, "`min_step` 2 is longer than `max_step` 1");
    options = kaiModel_SimOptions(model);
    options.stop = -1;
    refused(model, &options, "the stop time -1 lies before the start time 0");
    kaiModel_Free(model);
    model = load("model M { state x = 0; event k = clock(1); x' = delta(k, 1) }\n"
                 "experiment e of M { stop = 3; impulses = numeric; step = 0.1 }\n",
                 "e");
    options = kaiModel_SimOptions(model);
    options.solver = "rk45";
    refused(model, &options, "the solver is riemann, not rk45");
    kaiModel_Free(model);
}

// ---- copies without memory

typedef struct Bytes
{
    char* at;
    size_t size;
} Bytes;

static kaiStatus append(void* user, const char* bytes, size_t size)
{
    Bytes* b = user;
    b->at = realloc(b->at, b->size + size);
    memcpy(b->at + b->size, bytes, size);
    b->size += size;
    return KAI_OK;
}

// What is posted for the present happens where the run is asked to go no further than the present, once, and an event
// that is to come waits; a run that is asked to go back does nothing.
static void test_posted_for_now(void** state)
{
    (void)state;
    kaiModel* model = load("model M { input event kick; state x = 0; x' = 1; discrete n = 0, total = 0, echoes = 0\n"
                           "  event echo = delay(kick, 0.5[s])\n"
                           "  when kick { n := n + 1; total := total + kick } when echo { echoes := echoes + 1 } }\n"
                           "experiment e of M { stop = 3 }\n",
                           "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    int kick = kaiModel_FindVariable(model, "kick"), n = kaiModel_FindVariable(model, "n");
    int total = kaiModel_FindVariable(model, "total"), echoes = kaiModel_FindVariable(model, "echoes");
    while (kaiSim_StepTo(sim, 1) == KAI_INSTANT)
        ;
    assert_int_equal(kaiSim_Post(sim, kick, 4, 1, NULL), KAI_OK);
    assert_int_equal(kaiSim_Post(sim, kick, 9, 1.25, NULL), KAI_OK);
    assert_int_equal(kaiSim_StepTo(sim, 0.5), KAI_OK);
    assert_true(value_of(sim, n) == 0 && kaiSim_Now(sim).t == 1);
    assert_int_equal(kaiSim_StepTo(sim, 1), KAI_INSTANT);
    assert_true(value_of(sim, n) == 1 && value_of(sim, total) == 4 && kaiSim_Now(sim).t == 1);
    assert_int_equal(kaiSim_StepTo(sim, 1), KAI_OK);
    while (kaiSim_StepTo(sim, 1.25) == KAI_INSTANT)
        ;
    assert_true(value_of(sim, n) == 2 && value_of(sim, total) == 13 && value_of(sim, echoes) == 0);
    while (kaiSim_StepTo(sim, 1.5) == KAI_INSTANT)
        ;
    assert_true(value_of(sim, echoes) == 1);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// Whichever call gets no memory, the copy is refused and the run goes on to the same end.
static void test_scarce_copies(void** state)
{
    (void)state;
    kaiModel* model = load(plant_text, "apart");
    kaiSimOptions options = kaiModel_SimOptions(model);
    Heap heap = {.fail_at = -1};
    options.allocator = (kaiAllocator){heap_alloc, &heap};
    int x = kaiModel_FindVariable(model, "x"), failed = 0;
    kaiSim *sim = create(model, &options), *other = create(model, &options);
    assert_true(kaiSim_StepTo(sim, 0) >= 0);
    while (kaiSim_Now(sim).t < 2)
        assert_true(kaiSim_StepTo(sim, 2) >= 0);
    kaiSnapshot* kept = kaiSim_Save(sim);
    assert_non_null(kept);
    for (long n = 0; n < 20; n++)
    {
        heap.fail_at = heap.calls + n;
        kaiSnapshot* snapshot = kaiSim_Save(sim);
        failed += snapshot == NULL;
        kaiSnapshot_Free(snapshot);
        heap.fail_at = heap.calls + n;
        kaiStatus status = kaiSim_Restore(other, kept);
        assert_true(status == KAI_OK || status == KAI_ERR_MEMORY);
        failed += status != KAI_OK;
        heap.fail_at = -1;
    }
    assert_true(failed > 0);
    assert_int_equal(kaiSim_Restore(other, kept), KAI_OK);
    run_to_end(sim);
    run_to_end(other);
    double a = NAN, b = NAN;
    assert_true(kaiSim_Get(sim, x, &a) && kaiSim_Get(other, x, &b));
    assert_memory_equal(&a, &b, sizeof a);
    kaiSnapshot_Free(kept);
    kaiSim_Free(sim);
    kaiSim_Free(other);
    kaiModel_Free(model);
    assert_int_equal(heap.live, 0);
}

// ---- saved models that call C functions

static kaiModel* load_trusted(const char* text)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    options.path = "text.kai";
    options.text = text;
    options.policy.allow_external = true;
    which.experiment = "e";
    assert_int_equal(kaiProgram_Open(&options, &program, NULL), KAI_OK);
    assert_int_equal(kaiProgram_Compile(program, &which, &model), KAI_OK);
    kaiProgram_Free(program);
    return model;
}

static void test_saved_calls(void** state)
{
    (void)state;
    Bytes saved = {NULL, 0};
    kaiModel* model = load_trusted("external erf(x) = \"libm.so.6:erf\"\nmodel M { state x = 0; x' = erf(time + 2) }\n"
                                   "experiment e of M { stop = 1; rtol = 1e-12 }\n");
    kaiError error = {0};
    assert_int_equal(kaiModel_Save(model, &(kaiSink){append, &saved}), KAI_OK);
    kaiModel_Free(model);
    assert_int_equal(kaiModel_LoadSaved(saved.at, saved.size, false, &model, &error), KAI_ERR_USAGE);
    assert_string_equal(error.message, "the saved model calls C functions, which has not been allowed");
    assert_null(model);
    assert_int_equal(kaiModel_LoadSaved(saved.at, saved.size, true, &model, &error), KAI_OK);
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    double x = NAN, pi = acos(-1);
    run_to_end(sim);
    assert_true(kaiSim_Get(sim, kaiModel_FindVariable(model, "x"), &x));
    double primitive =
        3 * erf(3) + exp(-9) / sqrt(pi) - 2 * erf(2) - exp(-4) / sqrt(pi);  // of erf: z erf(z) + e^(-z²)/√π
    assert_true(fabs(x - primitive) < 1e-9);
    kaiSim_Free(sim);
    kaiModel_Free(model);
    free(saved.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slide),       cmocka_unit_test(test_guards),         cmocka_unit_test(test_worst),
        cmocka_unit_test(test_orders),      cmocka_unit_test(test_options),        cmocka_unit_test(test_scarce_copies),
        cmocka_unit_test(test_saved_calls), cmocka_unit_test(test_posted_for_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
