// Every sentence with which a run can fail, each from the smallest model that brings it about; tools/run-messages lists
// the sentences of the sources and asks whether a test says them.
#include "unit/heap.h"
#include "unit/load_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Case
{
    const char *model, *settings, *says;
} Case;

static const Case cases[] = {
    // ---- reactions
    {"discrete n = 0; event t = clock(1, 1); when t { n := 1 } when t { n := 2 }", "",
     "n is assigned twice at t = 1, here and at text.kai:1:"},
    {"discrete n = 0; event a = clock(1, 1); when a { n := sqrt(n - 1) }", "",
     "the value for n is not a number at t = 1"},
    {"param p = 1; event a = clock(p - 1); discrete n = 0; when a { n := 1 }", "",
     "a clock with period 0 and first tick"},
    {"signal z = 1, x = y + z, y = pre(x, 0)", "", "the microsteps are endless; still changing"},
    {"discrete n = 0; when n >= 0 { n := -1 } when n < 0 { n := 1 }", "",
     "the reactions repeat themselves every 2 tags"},
    {"state x = 1; x' = -1; assert x > 0.5 \"too small\"", "", "assertion failed at t = 0.5"},
    {"param T = -1; event a = clock(1, 1), b = delay(a, T); discrete n = 0; when b { n := 1 }", "",
     "a delay of -1 at t = 1"},
    {"param p = 1e-18; event a = clock(p); discrete n = 0; when a { n := n + 1 }", "start = 1; stop = 2",
     "the ticks of a clock with period 1e-18 are closer together than time can resolve"},
    // ---- loops
    {"signal z = 1, x = y + z, y = x + 1", "", "nonconstructive: "},
    {"signal z = 1, x = y + z, y = x + 1", "", "are unknown at t = 0; known: z = 1; the loop: "},
    {"unknown z = 1; equation z^2 == -1", "", "the equations could not be solved at t = 0: "},
    {"state x = 1; x' = -1; unknown z = 1; equation z^2 == x", "", "the equations could not be solved at t = "},
    {"u : Se(e = 1); r : R(e = f^2 + 2); s : R(r = 1); j : J1; bond u -> j; bond j -> r; bond j -> s", "",
     "the algebraic loop through a bond graph has no solution that could be found at t = 0"},
    // ---- values
    {"param p = 0; state x = 1/p; x' = 0", "", "the start value of x is inf"},
    {"param p = 0; state x = 0 nominal p; x' = 1", "", "the nominal size of x is 0"},
    {"state x; x' = 0; initial x^2 == -1", "",
     "the initial equations could not be solved; the least residual reached is 1"},
    {"state x = 0; x' = delta(clock(1, 1), 1e308*10)", "", "an impulse makes x inf at t = 1"},
    {"state x = 1; x' = sqrt(-1 - x)", "", "the derivative of x is not a number at t = 0"},
    {"signal s = sqrt(0.5 - time); state x = 0; x' = 1", "", "s is not a number at t = 0.5"},
    {"state x = 0; x' = x^2 + 1", "solver = backward_euler; step = 1",
     "the solver could not solve its implicit equations at t = "},
    {"state x = 0; x' = sqrt(x) + 1", "solver = taylor",
     "solver = taylor: there is no power series at t = 0: a root or a power of 0?"},
    {"state x = 0; x' = 1/(1 + exp(-500*(time - 4)))", "solver = taylor",
     "solver = taylor: there is no power series at t = 0, where an operator overflows: exp(2000)"},
    {"state x = 1; x' = if x > 0 then -1 else 1", "solver = taylor; zeno = continue",
     "solver = taylor needs power series, and there is none of the motion along a surface (t = "},
    {"state x = 0; x' = 1", "start = 1; stop = 2; record x every 1e-18",
     "s are closer together than time can resolve, at t = "},
    {"state x = 1; x' = x^2", "stop = 2", "x grows without bound: at t = 1 it is"},
    {"state x = 1; x' = sqrt(0.5 - time)", "", "the derivative of x has no value beyond t = 0.5: sqrt("},
    {"state x = 2; x' = -1e16*(x - cos(1e9*time))", "solver = rk45; start = 1e3; stop = 1001",
     "the step size became too small at t = "},
    // A power that comes to 0 has no series there; what is beyond is legal, by `max`, so the solution does not end.
    {"state y = 0.1, v = 0; y' = v; v' = -9.81 + 1e5*max(0, -y)^1.5", "solver = taylor; stop = 2",
     "the step size of solver = taylor became too small at t = 0.1736"},
    {"state x = 0, y = 0; x' = 1; y' = 1; initial x + y == 1", "",
     "1 initial equations for 0 states without a start value"},
    {"event k = up(time - 3e-60); state x = 0; x' = der(der(der(der(der(delta(k, 1))))))",
     "impulses = numeric; step = 1e-60; stop = 2e-59", "numeric impulses overflow in x at t = "},
    {"signal x = if time < 1 then sin(2*pi*time/(1 - time)) else 0", "stop = 2",
     "x has no left limit at t = 1: sin(inf): it swings without end before that time"},
    // ---- delays
    {"param T = -1; state x = 0; x' = delay(time, T)", "", "a transport delay of -1 at t = 0"},
    {"state x = 1; x' = -delay(x, 1e-17)", "start = 1; stop = 2", "a transport delay of 1e-17 is nothing beside t = 1"},
    {"state x = 0; x' = delay(time, 1, sqrt(time))", "", "the past of a delayed signal is not a number at t = -1"},
    {"state x = 0; x' = delay(sqrt(time), 1, sqrt(time))", "",
     "the past of a delayed signal is not a number at t = -1"},
    // ---- energy: two capacitors are joined at 0.7 and -0.13 V, and a last digit is missing
    {"a : C(c = 0.3, e0 = 0.7); b : C(c = 0.11, e0 = -0.13); d : C(c = 0.17, e0 = 0.019); j : J0\n"
     "s : J1 switched { initial mode off_ : OFF { on time >= 0.3 -> on_ } mode on_ : ON { } }\n"
     "bond a -> s -> j; bond j -> b; bond j -> d",
     "balance = 1e-300", "the energy does not balance across the jump at t = 0: "},
    // ---- Zeno, contacts, surfaces
    {"state y = 1, v = 0; y' = v; v' = -9.81; when down(y) { v := -0.8*v }", "stop = 9",
     "each interval 0.8 of the one before; the events accumulate at t = 4.0637127688"},
    {"state x = 1; x' = if x > 0 then -1 else 1", "stop = 2",
     "both vector fields push the solution onto the surface of"},
    {"state y = 1, v = 0; y' = v; v' = -9.81; when down(y) { v := 0 }", "stop = 2",
     "and is pushed against it: the reaction assigns v"},
    {"state y = 1, v = 0; discrete n = 0; y' = v; v' = -9.81; when down(y) { v := -v; y := 0 } when up(y) { n := n + "
     "1; v := -v }",
     "stop = 2", "t = 0.4515"},
    {"state x = 0; x' = 1; signal s = sin(1/(1 - time)); discrete n = 0; when up(s) { n := n + 1 }", "stop = 2",
     "fires ever faster, the intervals shrink like 1/n^"},
    {"state a = 1, b = 1; discrete k = 1; a' = 0.75*k - 0.5; b' = 0.75*(1 - k) - 0.5; when down(a) { k := 1 } when "
     "down(b) { k := 0 }",
     "stop = 10", "the events accumulate at t = 8"},
    {"state y = 1, v = 0; y' = v; v' = -9.81; when down(y) { v := 0; y := 0 }", "stop = 2", "contact at t = 0.4515"},
    // ---- bond graphs
    {"event k = clock(1, 1); s : Se(e = delta(k, 1)); c : C(c = 1); n : J0; bond s -> n; bond n -> c", "",
     "an impulse of a source meets a storage that depends on it, or another source: that would be δ′"},
    {"param k = 1; l : I(i = [[2, 1], [1.5, 2]]); a : J1; b : J1; r : R(r = 1); u : Se(e = 1)\nbond a -> l; bond b -> "
     "l; bond u -> a; bond b -> r",
     "", "the matrix of l is not symmetric: row 1, column 2 is 1, row 2, column 1 is 1.5"},
    {"param k = 1; l : I(i = [[2, 0], [0, 0]]); a : J1; b : J1; r : R(r = 1); u : Se(e = 1)\nbond a -> l; bond b -> l; "
     "bond u -> a; bond b -> r",
     "", "the matrix of l is singular: it has no inverse"},
    {"param k = 1; l : I(i = [[2, 0], [0, 1/(k - 1)]]); a : J1; b : J1; r : R(r = 1); u : Se(e = 1)\nbond a -> l; bond "
     "b -> l; bond u -> a; bond b -> r",
     "", "row 2, column 2 of the matrix of l is inf at the start"},
    {"param k = 1; c : C(c = k - 1, e0 = 1); r : R(r = 1); j : J0; bond j -> c; bond j -> r", "",
     "the parameter of c is 0 at the start"},
    {"u : Se(e = 1); r : R(r = 1); s : R(r = -1); a : J1; bond u -> a; bond a -> r; bond a -> s", "",
     "have no unique solution in this set of modes"},
    {"param k = 1; l : I(i = k - 1); r : R(r = 1); j : J1; bond j -> l; bond j -> r", "",
     "the parameter of l is 0 at the start"},
    {"u : Se(e = sin(20*time)); a : J1; b : J1; l : I(i = 2); m : I(i = [[3, 1], [1, 2]]); r : R(r = 1); t : TF(n = "
     "2 + sin(3*time)); c : J1; s : R(r = 2)\nbond u "
     "-> a; bond a -> l; bond a -> t; bond t -> b; bond b -> m; bond b -> r; bond c -> m; bond c -> s",
     "rtol = 1e-4; atol = 1e-5; balance = 1e-9", "W are missing; m is off by "},
};

static kaiStatus ignore_row(void* user, const kaiRow* row)
{
    (void)user, (void)row;
    return KAI_OK;
}

static kaiStatus run_text(const char* text, const char* experiment, kaiSim** sim, kaiModel** model)
{
    LoadOptions load = load_default();
    kaiProgram* program = NULL;
    load.path = "text.kai";
    load.text = text;
    load.experiment = experiment;
    kaiStatus status = load_model(&load, model, &program);
    for (int i = 0; status != KAI_OK && i < kaiProgram_MessageCount(program); i++)
        print_message("%s\n", kaiProgram_MessageText(program, i, false));
    kaiProgram_Free(program);
    *sim = NULL;
    if (status != KAI_OK)
        return status;
    kaiSimOptions options = kaiModel_SimOptions(*model);
    kaiError error;
    options.limits = (kaiLimits){.seconds = 5};
    options.row = ignore_row;
    *sim = kaiSim_Create(*model, &options, &error);
    if (*sim == NULL)
        print_message("%s\n", error.message);
    return *sim != NULL ? kaiSim_Run(*sim) : error.status;
}

static void test_sentences(void** state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        const Case* c = &cases[i];
        char text[2000];
        kaiSim* sim;
        kaiModel* model;
        bool stop = strstr(c->settings, "stop") != NULL;
        snprintf(text, sizeof text, "model M { %s }\nexperiment e of M { %s%s }\n", c->model, stop ? "" : "stop = 3; ",
                 c->settings);
        kaiStatus status = run_text(text, "e", &sim, &model);
        const char* message = sim != NULL ? kaiSim_Failure(sim)->message : NULL;
        if (status != KAI_ERR_RUN || message == NULL || strstr(message, c->says) == NULL)
        {
            print_message("%zu: status %d, %s\n   instead of %s\n", i, status, message != NULL ? message : "-",
                          c->says);
            wrong++;
        }
        kaiSim_Free(sim);
        kaiModel_Free(model);
    }
    assert_int_equal(wrong, 0);
}

static kaiSim* create(const kaiModel* model, const kaiSimOptions* options)
{
    kaiSim* sim = kaiSim_Create(model, options, NULL);
    assert_non_null(sim);
    return sim;
}

static void says(kaiSim* sim, const char* words)
{
    const char* message = kaiSim_Failure(sim)->message;
    if (message == NULL || strstr(message, words) == NULL)
        fail_msg("%s instead of %s", message != NULL ? message : "-", words);
}

// What the caller did wrong is told in the same words, and the run has not failed.
static void test_calls(void** state)
{
    (void)state;
    kaiModel* model =
        load_text("model M { input u = 0; state x = 0, y = 0; x' = u; y' = 1 }\nexperiment e of M { stop = 3 }\n", "e");
    kaiSimOptions options = kaiModel_SimOptions(model), other = options;
    int x = kaiModel_FindVariable(model, "x");
    kaiSim* sim = create(model, &options);
    while (kaiSim_Now(sim).t < 2)
        assert_true(kaiSim_StepTo(sim, 2) >= 0);
    assert_int_equal(kaiSim_Post(sim, kaiModel_FindVariable(model, "u"), 1, 1, NULL), KAI_ERR_USAGE);
    says(sim, "u is posted for t = 1, which has passed: the run has come to t = 2");
    kaiSnapshot* saved = kaiSim_Save(sim);
    other.solver = "rosenbrock";
    kaiSim* stiff = create(model, &other);
    assert_int_equal(kaiSim_Restore(stiff, saved), KAI_ERR_USAGE);
    says(stiff, "the snapshot was saved with solver = ");
    other = options;
    other.record = &x;
    other.record_count = 1;
    other.row = ignore_row;
    kaiSim* narrow = create(model, &other);
    if (kaiSim_Restore(narrow, saved) != KAI_OK)
        says(narrow, "the snapshot was saved by a run that records other variables than this one");
    kaiSnapshot_Free(saved);
    kaiSim_Free(narrow);
    kaiSim_Free(stiff);
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// The value of `name` at the end of a run with k = 0, or NAN if it failed as it should.
static double with_zero(const char* text, const char* name)
{
    kaiModel* model = load_text(text, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    double value = NAN;
    assert_int_equal(kaiSim_Set(sim, kaiModel_FindVariable(model, "k"), 0), KAI_OK);
    if (kaiSim_Run(sim) >= KAI_OK)
        kaiSim_Get(sim, kaiModel_FindVariable(model, name), &value);
    else
        says(sim, "the resistance of s is 0 in this run, and was not when the model was compiled");
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return value;
}

// A wire where another resistance, or an inductor, is in series changes no structure. One that ties a capacitor to its
// source does.
static void test_set_to_zero(void** state)
{
    (void)state;
    double with_other =
        with_zero("model M { param k = 1; u : Se(e = 1); r : R(r = 1); s : R(r = k); c : C(c = 1); j : J1\n"
                  "  bond u -> j; bond j -> r; bond j -> s; bond j -> c }\n"
                  "experiment e of M { stop = 1; rtol = 1e-9 }\n",
                  "c.e");
    assert_true(fabs(with_other - (1 - exp(-1))) < 1e-8);
    double with_coil = with_zero("model M { param k = 1; u : Se(e = 1); s : R(r = k); l : I(i = 2); j : J1\n"
                                 "  bond u -> j; bond j -> s; bond j -> l }\n"
                                 "experiment e of M { stop = 1 }\n",
                                 "l.f");
    assert_true(fabs(with_coil - 0.5) < 1e-9);
    double tied = with_zero("model M { param k = 1; u : Se(e = 1); s : R(r = k); c : C(c = 1); j : J1\n"
                            "  bond u -> j; bond j -> s; bond j -> c }\n"
                            "experiment e of M { stop = 1 }\n",
                            "c.e");
    assert_true(isnan(tied));
}

// A crank that is written from its slider has no ratio at its dead point: the message says to turn it round.
static void test_dead_point(void** state)
{
    (void)state;
    kaiModel* model = load_text("model M { state a = 0; c : I(i = 1, f0 = 1); s : I(i = 1); t : TF(n = 1/sin(a))\n"
                                "  x : J1; y : J1; bond x -> c; bond y -> s; bond y -> t -> x; a' = c.f }\n"
                                "experiment e of M { stop = 1 }\n",
                                "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    assert_int_equal(kaiSim_Run(sim), KAI_ERR_RUN);
    says(sim, "the ratio of t is inf at t = 0");
    assert_non_null(strstr(kaiSim_Failure(sim)->help, "exchange its two sides"));
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

static void test_too_many_orders(void** state)
{
    (void)state;
    kaiModel* model = load_text("model M { discrete a = 0, b = 0, order = 0\n"
                                "  choose { when time >= 1 and a == 0 { a := 1; order := 10*order + 1 }\n"
                                "           when time >= 1 and b == 0 { b := 1; order := 10*order + 2 } } }\n"
                                "experiment e of M { stop = 2; choice = all; max_branches = 1 }\n",
                                "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiExploration found;
    kaiSim* sim = create(model, &options);
    assert_true(kaiSim_Explore(model, sim, &(kaiExploreEvents){NULL, NULL, NULL}, &found) < 0);
    says(sim, "choice = all: there are more than 1 outcomes (max_branches); 1 outcomes are complete, 0 orders merged, "
              "the last choice was made here at t = 1");
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// A run that is told, call after call, that there is no memory: which of the sentences it has said.
static bool says_without_memory(const char* text, const char* words)
{
    kaiModel* model = load_text(text, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    bool said = false;
    for (long n = 0, calls = 1; n < calls && !said; n++)
    {
        Heap heap = {.fail_at = -1};
        options.allocator = (kaiAllocator){heap_alloc, &heap};
        kaiSim* sim = create(model, &options);
        calls = heap.calls + 1000;
        heap.fail_at = heap.calls + n;
        kaiStatus status = kaiSim_Run(sim);
        const char* message = kaiSim_Failure(sim)->message;
        said = status < 0 && message != NULL && strstr(message, words) != NULL;
        bool over = heap.calls <= heap.fail_at;
        kaiSim_Free(sim);
        assert_int_equal(heap.live, 0);
        if (over)
            break;
    }
    kaiModel_Free(model);
    return said;
}

static void test_no_memory(void** state)
{
    (void)state;
    assert_true(
        says_without_memory("model M { c1 : C(c = 1, e0 = 10); c2 : C(c = 2); a : J0; b : J0\n"
                            "  w : J1 switched { initial mode open : OFF { on time >= 1 -> shut } mode shut : ON {} }\n"
                            "  bond a -> c1; bond b -> c2; bond a -> w -> b }\nexperiment e of M { stop = 2 }\n",
                            "out of memory for the equations of a bond graph"));
    assert_true(says_without_memory(
        "model M { event a = clock(1e-3); event b = delay(a, 1); discrete n = 0; when b { n := n + 1 } }\n"
        "experiment e of M { stop = 1.5 }\n",
        "out of memory at t = "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sentences),       cmocka_unit_test(test_calls),
                                       cmocka_unit_test(test_set_to_zero),     cmocka_unit_test(test_dead_point),
                                       cmocka_unit_test(test_too_many_orders), cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
