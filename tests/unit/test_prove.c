// Proofs through the public headers: answers that follow by hand, witnesses that runs confirm, and random models: what
// is proved survives every start of a grid in every mode, what is refuted loops.
#include "kairos/kairos.h"
#include "unit/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prove/rational.h"

// ---- asking
// ----------------------------------------------------------------------------------------------------------

static kaiProof* ask(const char* text, const char* experiment, double seconds)
{
    LoadOptions load = load_default();
    char path[] = "/tmp/kairos-prove-XXXXXX";  // the witness imports the model
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE* out = fdopen(file, "w");
    fputs(text, out);
    fclose(out);
    load.path = path;
    load.experiment = experiment;
    kaiProveOptions options = kaiDefaultProveOptions();
    options.timeout = seconds;
    kaiProof* proof = NULL;
    kaiProgram* messages = NULL;
    kaiCompileOptions compile = load_compile(&load);
    kaiStatus status = load_program(&load, &messages);
    if (messages != NULL)
        status = kaiProgram_Prove(messages, &compile, &options, &proof);
    if (status != KAI_OK)
        fail_msg("not proved (%d): %s\n%s", status,
                 kaiProgram_MessageCount(messages) > 0 ? kaiProgram_MessageText(messages, 0, false) : "", text);
    kaiProgram_Free(messages);
    remove(path);
    return proof;
}

// The answer, and texts that the report must have (NULL ends the list).
static void answers(kaiAnswer expected, const char* text, ...)
{
    kaiProof* proof = ask(text, strstr(text, "experiment e of") != NULL ? "e" : NULL, 20);
    const char* said = kaiProof_Text(proof);
    if (kaiProof_Answer(proof) != expected)
        fail_msg("answer %d instead of %d for\n%s\n%s", kaiProof_Answer(proof), expected, text, said);
    if (expected == KAI_REFUTED && kaiProof_Replay(proof) == NULL)
        fail_msg("the witness does not loop:\n%s\n%s", said, kaiProof_Experiment(proof));
    va_list list;
    va_start(list, text);
    for (const char* part; (part = va_arg(list, const char*)) != NULL;)
        if (strstr(said, part) == NULL)
            fail_msg("the report does not say `%s`:\n%s", part, said);
    va_end(list);
    kaiProof_Free(proof);
}

// ---- rules
// -----------------------------------------------------------------------------------------------------------

static void test_levels(void** state)
{
    (void)state;
    answers(KAI_REFUTED,
            "model M { state x = 1; x' = -1\n modes { initial mode above { on x <= 0 -> below }\n"
            " mode below { on x >= 0 -> above } } }",
            "x = 0", "microsteps", "write `<` for `<=`", NULL);
    answers(KAI_PROVED,
            "model M { state x = 1; x' = -1\n modes { initial mode above { on x < 0 -> below }\n"
            " mode below { on x >= 0 -> above } } }",
            "no part of it has more than 1 reactions", NULL);
}

// An edge fires once as long as its Boolean stays true (R7); two that excite each other do for ever.
static void test_edges(void** state)
{
    (void)state;
    answers(KAI_PROVED, "model M { discrete n = 0; when n > 5 { n := n + 1 } }", NULL);
    answers(KAI_REFUTED, "model M { discrete b = false; when b { b := false }; when not b { b := true } }",
            "b = ", NULL);
    answers(KAI_REFUTED, "model M { discrete n = 0; choose { when n > 5 { n := 6 }; when n < 9 { n := 7 } } }", NULL);
}

// A transition to its own mode is taken again and again, whether it changes anything or not.
static void test_self_transition(void** state)
{
    (void)state;
    answers(KAI_REFUTED, "model M { state v = 0; v' = 1; modes { initial mode a { on v <= 0 -> a { v := -v/2 } } } }",
            "v = 0", "write `<` for `<=`", NULL);
    answers(KAI_PROVED, "model M { state v = 0; v' = 1; modes { initial mode a { on v < 0 -> a { v := -v/2 } } } }",
            NULL);
}

static void test_events(void** state)
{
    (void)state;
    answers(KAI_REFUTED,
            "model M { event ping, pong; discrete k = 0; when k > 0 { emit ping }\n when ping { emit pong }\n"
            " when pong { emit ping } }",
            "k = 1", NULL);
    // The same with a condition that the payload fails at last.
    answers(KAI_PROVED,
            "model M { event ping, pong; discrete k = 0; when k > 0 { emit ping(1) }\n when ping { emit pong(2) }\n"
            " when pong if pong < 2 { emit ping(1) } }",
            NULL);
    // Jumps across a level are seen one tag later (C2).
    answers(KAI_REFUTED,
            "model M { state x = 1; x' = 0; when up(x) { x := -1 }; when down(x) { x := 1 }; when clock(1, 0.5) { x := "
            "-x } }",
            "time = 0.5", "pinnacles", NULL);
    answers(KAI_PROVED,
            "model M { state x = 1; x' = 0; when up(x) { x := 0 }; when down(x) { x := 1 }; when clock(1, 0.5) { x := "
            "-x } }",
            NULL);
    // `cross` needs both sides, `up` also comes from zero.
    answers(KAI_REFUTED, "model M { state x = 1; x' = 0; when up(x) { x := 0 }; when not (x > 0) { x := 1 } }", NULL);
    answers(KAI_PROVED, "model M { state x = 1; x' = 0; when cross(x) { x := 0 }; when not (x > 0) { x := 1 } }", NULL);
}

// All right-hand sides read the reaction (R4): a swap comes back after two, a chain settles.
static void test_commit(void** state)
{
    (void)state;
    answers(KAI_REFUTED, "model M { discrete a = 0, b = 1; choose { when a != b { a := b; b := a } } }", "2 reactions",
            NULL);
    answers(KAI_PROVED, "model M { discrete a = 0, b = 1; choose { when a != b { a := b } } }", NULL);
    // Two assignments of one commit end the run with an error: no cycle.
    answers(KAI_PROVED,
            "model M { state x = 0; x' = 1; modes { initial mode a { on x > 0 -> a { x := 1 } } }\n"
            " modes { initial mode b { on x > 0 -> b { x := 2 } } } }",
            NULL);
}

// Any order of `choose` (N1): only one order of these three comes back.
static void test_choice(void** state)
{
    (void)state;
    answers(
        KAI_REFUTED,
        "model M { discrete n = 0; choose { when n == 1 { n := 2 }; when n == 2 { n := 3 }; when n == 2 { n := 1 } } }",
        NULL);
    answers(
        KAI_PROVED,
        "model M { discrete n = 0; choose { when n == 1 { n := 2 }; when n == 2 { n := 3 }; when n == 2 { n := 4 } } }",
        NULL);
    // One of them at a tag: both together would turn a and b for ever.
    answers(KAI_PROVED,
            "model M { discrete a = 0, b = 0; choose { when a == b { a := 1 - a }; when a == b { b := 1 - b } } }",
            NULL);
    answers(KAI_REFUTED, "model M { discrete a = 0; choose { when a < 2 { a := 1 - a }; when a < 0 { a := 5 } } }",
            NULL);
}

// Priority by text, preemption first (M1); entry resets what the mode declares, `resume` does not (M2).
static void test_modes(void** state)
{
    (void)state;
    answers(KAI_PROVED,
            "model M { state x = 0; x' = 1; modes { initial mode a { on x > 0 -> c; on x > 0 -> b }\n"
            " mode b { on x > 0 -> a } mode c { } } }",
            NULL);
    answers(KAI_REFUTED,
            "model M { state x = 0; x' = 1; modes { initial mode a { on x > 0 -> c; preempt on x > 0 -> b }\n"
            " mode b { on x > 0 -> a } mode c { } } }",
            NULL);
    answers(KAI_PROVED,
            "model M { state x = 0; x' = 1; modes { initial mode a { preempt on x > 0 -> c; when x > 0 { x := -x } }\n"
            " mode c { } } }",
            "no part of it has more than 1", NULL);
    const char* nested = "model M { state x = 0; x' = 1; modes { initial mode a { on x > 0 -> b }\n"
                         " mode b { discrete k = 0; on x > 0 and k < 1 -> %s a { k := %s } } } }";
    char text[500];
    snprintf(text, sizeof text, nested, "", "k + 1");
    answers(KAI_REFUTED, text, NULL);
    answers(KAI_PROVED,
            "model M { state x = 0; x' = 1; modes { initial mode a { on x > 0 -> resume b }\n"
            " mode b { discrete k = 0; on x > 0 and k < 1 -> a { k := k + 1 } } } }",
            NULL);
}

// The second machine must start in a mode that is not its initial one: the witness says so.
static void test_start_mode(void** state)
{
    (void)state;
    kaiProof* proof = ask("model M { state x = 0; x' = 1; modes { initial mode off { on x > 9 and x < 5 -> warm }\n"
                          " mode warm { on x >= 0 -> hot } mode hot { on x <= 5 -> warm } } }",
                          NULL, 20);
    assert_int_equal(kaiProof_Answer(proof), KAI_REFUTED);
    assert_non_null(strstr(kaiProof_Experiment(proof), "sweep mode in ("));
    assert_non_null(kaiProof_Replay(proof));
    kaiProof_Free(proof);
}

static void test_pre_and_hold(void** state)
{
    (void)state;
    answers(KAI_REFUTED, "model M { signal x = 1 - pre(x, 0) }", NULL);
    answers(KAI_PROVED, "model M { state y = 0; y' = 1; signal x = pre(y) + 1; when x > 3 { y := 0 } }", NULL);
    answers(KAI_REFUTED,
            "model M { event e; discrete n = 1; signal h = hold(e, 0)\n choose { when h < 1 { emit e(n) }\n"
            " when h >= 1 { emit e(0) } } }",
            NULL);
}

static void test_impulses(void** state)
{
    (void)state;
    answers(KAI_REFUTED,
            "model M { event kick; state v = 0; v' = delta(kick, -2*pre(v)); choose { when v > 0 { emit kick }\n"
            " when v < 0 { emit kick } } }",
            "pinnacles", NULL);
    answers(KAI_PROVED,
            "model M { event kick; state v = 0; v' = delta(kick, -2*pre(v)); choose { when v > 0 { emit kick } } }",
            NULL);
}

// A region, parameters of the experiment, ranks of degree 1 and 2.
static void test_regions_and_ranks(void** state)
{
    (void)state;
    answers(KAI_PROVED,
            "model M { state x = 1, v = 0; x' = v; v' = -9.81\n modes { initial mode fly { on x <= 0 -> sit }\n"
            " mode sit { on v >= 0 -> fly } } }\nexperiment e of M { stop = 1; region = v < 0 }",
            NULL);
    kaiProof* proof = ask("model M { param a = 1; discrete n = 0; choose { when n < 10 { n := n + a } } }\n"
                          "experiment still of M(a = 0) { stop = 1 }\nexperiment counts of M { stop = 1 }",
                          "counts", 20);
    assert_int_equal(kaiProof_Answer(proof), KAI_PROVED);
    assert_non_null(strstr(kaiProof_Text(proof), "lowers one of them"));
    kaiProof_Free(proof);
    proof = ask("model M { param a = 1; discrete n = 0; choose { when n < 10 { n := n + a } } }\n"
                "experiment still of M(a = 0) { stop = 1 }",
                "still", 20);
    assert_int_equal(kaiProof_Answer(proof), KAI_PROVED);  // nothing changes: the instant rests
    kaiProof_Free(proof);
    // A rotation by 36.87 degrees with 0.9: endless and shrinking, |z|^2 is the rank.
    answers(KAI_PROVED,
            "model M { discrete x = 1, y = 0; choose { when x*x + y*y > 1 { x := 0.9*(0.8*x - 0.6*y); y := 0.9*(0.6*x "
            "+ 0.8*y) } } }",
            "x^2", NULL);
    // The same by 90 degrees without shrinking comes back after four.
    answers(KAI_REFUTED, "model M { discrete x = 1, y = 0; choose { when x*x + y*y > 1 { x := -y; y := x } } }",
            "4 reactions", NULL);
}

// Counters that nobody reads do not hide a cycle.
static void test_counters(void** state)
{
    (void)state;
    answers(
        KAI_REFUTED,
        "model M { state x = 1; discrete n = 0; x' = -1\n modes { initial mode a { on x <= 0 -> b { n := n + 1 } }\n"
        " mode b { on x >= 0 -> a } } }",
        NULL);
}

// What is no polynomial: proofs hold for any value of it, refutations must be confirmed.
static void test_vague(void** state)
{
    (void)state;
    const char* form =
        "model M { state x = 0; x' = 1; modes { initial mode a { on sin(x) > %s -> b }\n mode b { on %s -> a } } }";
    char text[400];
    snprintf(text, sizeof text, form, "0.5", "sin(x) < 0.4");
    answers(KAI_PROVED, text, "may have any value", NULL);
    snprintf(text, sizeof text, form, "0.1", "cos(x) > 0.1");
    answers(KAI_REFUTED, text, NULL);
    snprintf(text, sizeof text, form, "0.9", "cos(x) > 0.9");  // never both: sin^2 + cos^2 = 1
    answers(KAI_UNKNOWN, text, "sin(x)", NULL);
}

// ---- fractions
// -------------------------------------------------------------------------------------------------------

static void test_fractions(void** state)
{
    (void)state;
    Arena arena;
    jmp_buf fail;
    assert_int_equal(setjmp(fail), 0);
    arena_init(&arena, kaiDefaultAllocator(), &fail);
    assert_string_equal(rational_text(&arena, 0.8), "4/5");
    assert_string_equal(rational_text(&arena, -1.0 / 3), "-1/3");
    assert_string_equal(rational_text(&arena, 9.81), "981/100");
    assert_string_equal(rational_text(&arena, 1e-6), "1/1000000");
    assert_string_equal(rational_text(&arena, 0), "0");
    assert_string_equal(rational_text(&arena, 1e20), "100000000000000000000");
    assert_string_equal(rational_text(&arena, 0x1p-70), "1/1180591620717411303424");
    for (int i = 0; i < 2000; i++)
    {
        double x = ldexp((double)(rand() % 100003) / (1 + rand() % 9973), rand() % 60 - 30);
        const char* text = rational_text(&arena, x);
        const char* slash = strchr(text, '/');
        assert_true(strtod(text, NULL) / (slash != NULL ? strtod(slash + 1, NULL) : 1) == x);
    }
    arena_free(&arena);
}

// ---- random models
// ---------------------------------------------------------------------------------------------------

static uint64_t seed;

static int draw(int count)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)count);
}

static void random_condition(char* out, size_t size)
{
    static const char* const terms[] = {"x", "y", "x - y", "x + y", "2*x - y", "x + 1", "y - 1"};
    static const char* const relations[] = {"<", "<=", ">", ">="};
    int length = snprintf(out, size, "%s %s %d", terms[draw(7)], relations[draw(4)], draw(3) - 1);
    if (draw(3) == 0)
        snprintf(out + length, size - (size_t)length, " and %s %s 0", terms[draw(7)], relations[draw(4)]);
}

static void random_actions(char* out, size_t size)
{
    static const char* const actions[] = {"x := -x",    "y := -y",  "x := y",         "x := x - y",
                                          "y := x",     "x := 0",   "x := y; y := x", "y := y + 1",
                                          "x := 1 - x", "x := x/2", "y := -2*y",      "x := -y; y := x"};
    if (draw(2) == 0)
        snprintf(out, size, " { %s }", actions[draw(12)]);
    else
        out[0] = 0;
}

static void random_machine(char* out, size_t size, const char* name)
{
    char c[3][200], a[3][100];
    for (int i = 0; i < 3; i++)
    {
        random_condition(c[i], sizeof c[i]);
        random_actions(a[i], sizeof a[i]);
    }
    snprintf(out, size,
             "  modes {\n    initial mode %s0 { on %s -> %s1%s; %son %s -> %s2%s }\n    mode %s1 { on %s -> %s%d%s }\n"
             "    mode %s2 { }\n  }\n",
             name, c[0], name, a[0], draw(4) == 0 ? "preempt " : "", c[1], name, a[1], name, c[2], name, draw(2) * 2,
             a[2], name);
}

static void random_model(char* out, size_t size)
{
    char machine[2][1200], when[800] = "", c[200], d[200], a[100] = "", b[100] = "";
    random_machine(machine[0], sizeof machine[0], "a");
    random_machine(machine[1], sizeof machine[1], "b");
    random_condition(c, sizeof c);
    random_condition(d, sizeof d);
    while (a[0] == 0)
        random_actions(a, sizeof a);
    while (b[0] == 0)
        random_actions(b, sizeof b);
    int kind = draw(3);
    if (kind == 0)
        snprintf(when, sizeof when, "  when %s%s\n", c, a);
    else if (kind == 1)
        snprintf(when, sizeof when, "  choose { when %s%s; when %s%s }\n", c, a, d, b);
    snprintf(
        out, size,
        "model M {\n  state x = 0, y = 0\n  x' = 0; y' = 0\n%s%s%s}\nexperiment e of M { stop = 1; choice = all }\n",
        machine[0], draw(3) == 0 ? machine[1] : "", when);
}

typedef struct Grid
{
    int loops;
    char where[200];
} Grid;

static kaiStatus look(void* user, kaiSim* sim, int branch, kaiStatus status)
{
    (void)branch;
    Grid* grid = user;
    const kaiError* f = kaiSim_Failure(sim);
    if (status == KAI_ERR_RUN && f->message != NULL && strstr(f->message, "repeat themselves") != NULL)
        grid->loops++;
    return KAI_OK;
}

// Every start of a grid in every mode of the first machine, first alternatives.
static void run_grid(const char* text, Grid* grid)
{
    for (int mode = 0; mode < 3; mode++)
    {
        LoadOptions load = load_default();
        kaiOverride start = {"mode", mode};
        kaiModel* model = NULL;
        kaiProgram* messages = NULL;
        load.text = text;
        load.experiment = "e";
        load.overrides = &start;
        load.override_count = 1;
        assert_int_equal(load_model(&load, &model, &messages), KAI_OK);
        int x = kaiModel_FindVariable(model, "x"), y = kaiModel_FindVariable(model, "y");
        kaiSimOptions options = kaiModel_SimOptions(model);
        options.max_microsteps = 100;
        options.choice = "first";
        for (int i = 0; i < 49; i++)
        {
            kaiError failure;
            kaiSim* sim = kaiSim_Create(model, &options, &failure);
            kaiSim_Set(sim, x, i % 7 / 2.0 - 1.5);
            kaiSim_Set(sim, y, i / 7 / 2.0 - 1.5);
            int before = grid->loops;
            look(grid, sim, 1, kaiSim_Run(sim));
            if (grid->loops > before && before == 0)
                snprintf(grid->where, sizeof grid->where, "mode %d, x = %g, y = %g", mode, i % 7 / 2.0 - 1.5,
                         i / 7 / 2.0 - 1.5);
            kaiSim_Free(sim);
        }
        kaiModel_Free(model);
        kaiProgram_Free(messages);
    }
}

static void test_random(void** state)
{
    (void)state;
    int counts[3] = {0}, shown = 0;
    for (int i = 0; i < 25; i++)
    {
        char text[4000];
        seed = (uint64_t)i + 1;
        random_model(text, sizeof text);
        kaiProof* proof = ask(text, "e", 2);
        kaiAnswer answer = kaiProof_Answer(proof);
        counts[answer]++;
        Grid grid = {0};
        run_grid(text, &grid);
        shown += grid.loops > 0;
        if (answer == KAI_PROVED && grid.loops > 0)
            fail_msg("proved, but it loops from %s:\n%s\n%s", grid.where, text, kaiProof_Text(proof));
        if (answer == KAI_REFUTED && kaiProof_Experiment(proof) != NULL && kaiProof_Replay(proof) == NULL)
            fail_msg("refuted, but the witness rests:\n%s\n%s\n%s", text, kaiProof_Text(proof),
                     kaiProof_Experiment(proof));
        kaiProof_Free(proof);
    }
    print_message("%d proved, %d refuted, %d unknown; %d loop on the grid\n", counts[0], counts[1], counts[2], shown);
    assert_true(counts[KAI_PROVED] >= 5 && counts[KAI_REFUTED] >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_self_transition),
        cmocka_unit_test(test_commit),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_start_mode),
        cmocka_unit_test(test_pre_and_hold),
        cmocka_unit_test(test_impulses),
        cmocka_unit_test(test_regions_and_ranks),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_vague),
        cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
