// choice = all and choice = random through the public headers: the set of outcomes, its order, merging, bounds, rows of
// a branch, failures, memory; frequencies of random choices. Expected values are closed forms and counts.
#include "load_fixture.h"
#include "snippets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------------------- models

static const char billiard_text[] =
    "function after(m, v, mo, vo, e) = (m*v + mo*vo + mo*e*(vo - v))/(m + mo)\n"
    "model Mass { param m [kg] = 1; state x [m] = 0, v [m/s] = 0; x' = v; v' = 0 }\n"
    "model Billiard {\n"
    "  param e = 1, ma [kg] = 1, mc [kg] = 1\n"
    "  a : Mass(m = ma, x = -1, v = 1);  b : Mass;  c : Mass(m = mc, x = 1, v = -1)\n" SNIPPET_COLLISIONS "}\n"
    "experiment equal of Billiard { stop = 2; choice = all }\n"
    "experiment unequal of Billiard(ma = 0.2, mc = 5) { stop = 2; choice = all }\n"
    "experiment watched of Billiard { stop = 2; choice = all; expect at(1.0000000000000004, 2, b.v) ~ 1 within 0 }\n";

// Four alternatives that do not commute: every permutation is an outcome.
static const char digits_text[] = "model Digits {\n"
                                  "  discrete done[i in 1..4] = 0, order = 0\n"
                                  "  state y = 0\n"
                                  "  y' = if order > 3000 then 1 else 0\n"
                                  "  choose {\n"
                                  "    for i in 1..4 { when time >= 1 and done[i] == 0 { done[i] := 1; "
                                  "order := 10*order + i } }\n"
                                  "  }\n"
                                  "  assert order != 4321 \"not backwards\"\n"
                                  "}\n"
                                  "experiment e of Digits { stop = 2; choice = all }\n";

// Delays, a clock, a crossing and choices at several instants.
static const char plant_text[] = "model Plant {\n"
                                 "  state x = 0, w = 1, z = 0\n"
                                 "  discrete n = 0, last = 0\n"
                                 "  event tick = clock(0.5), report, echo = delay(report, 0.2)\n"
                                 "  signal far = delay(x, 0.3)\n"
                                 "  x' = n - x - 0.1*far\n"
                                 "  w' = z\n"
                                 "  z' = -25*w\n"
                                 "  when echo { last := last + echo }\n"
                                 "  choose {\n"
                                 "    when tick { n := n + 1; emit report(x) }\n"
                                 "    when tick if w > 0 { n := 0 }\n"
                                 "    when tick if w < 0 { z := 0.5*z; n := n - 1 }\n"
                                 "  }\n"
                                 "}\n"
                                 "experiment e of Plant { stop = 2.2; choice = all }\n"
                                 "experiment stiff of Plant { stop = 2.2; choice = all; solver = cvode_bdf }\n"
                                 "experiment implicit of Plant { stop = 1.2; choice = all; solver = rosenbrock }\n";

// At the start both assign `a`, and the transition is staged when that is found: 2 * 2 * 2 orders fail one after the
// other.
static const char twice_text[] = "model Twice {\n"
                                 "  discrete a = 0, b = 0\n"
                                 "  choose { when a == 0 { a := 1 }  when a == 0 { a := 2 } }\n"
                                 "  choose { when b == 0 { b := 10 }  when b == 0 { b := 20 } }\n"
                                 "  modes {\n"
                                 "    initial mode idle {\n"
                                 "      choose { on a == 0 -> left { a := -1 }  on a == 0 -> right { a := -2 } }\n"
                                 "    }\n"
                                 "    mode left { }\n"
                                 "    mode right { }\n"
                                 "  }\n"
                                 "}\n"
                                 "experiment e of Twice { stop = 1; choice = all }\n";

// --------------------------------------------------------------------------------------------------- what is collected

enum
{
    BRANCH_MAX = 200,
    VALUE_MAX = 6,
    DECISION_MAX = 40
};

typedef struct Branch
{
    kaiStatus status;
    double values[VALUE_MAX];
    int taken[DECISION_MAX];
    int decision_count;
    uint64_t rows;  // hash
    int row_count;
} Branch;

typedef struct Collected
{
    const char* const* names;
    const kaiModel* model;
    Branch branches[BRANCH_MAX];
    int count, begun;
    int stop_after;  // 0: never
    int columns;
    kaiExploration result;
    kaiStatus status;
    char failure[1000];
    kaiPlace place;
} Collected;

static void hash(uint64_t* h, const void* bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *h = (*h ^ ((const unsigned char*)bytes)[i]) * 1099511628211u;
}

static kaiStatus add_row(void* user, const kaiRow* row)
{
    Collected* c = user;
    Branch* b = &c->branches[c->begun - 1];
    hash(&b->rows, &row->t, sizeof row->t);
    hash(&b->rows, &row->p, sizeof row->p);
    hash(&b->rows, &row->m, sizeof row->m);
    hash(&b->rows, row->values, sizeof(double) * (size_t)c->columns);
    b->row_count++;
    return KAI_OK;
}

static kaiStatus begin(void* user, int branch)
{
    Collected* c = user;
    assert_int_equal(branch, c->begun + 1);
    assert_true(branch <= BRANCH_MAX);
    c->begun = branch;
    return KAI_OK;
}

static kaiStatus end(void* user, kaiSim* sim, int branch, kaiStatus status)
{
    Collected* c = user;
    Branch* b = &c->branches[c->count++];
    assert_int_equal(branch, c->count);
    b->status = status;
    for (int i = 0; c->names != NULL && c->names[i] != NULL; i++)
        assert_true(kaiSim_Get(sim, kaiModel_FindVariable(c->model, c->names[i]), &b->values[i]));
    kaiDecision d;
    for (int i = 0; kaiSim_Decision(sim, i, &d); i++)
    {
        assert_true(i < DECISION_MAX);
        assert_true(d.taken < d.enabled && d.enabled > 1);
        b->taken[b->decision_count++] = d.taken;
    }
    return c->count == c->stop_after ? KAI_INTERRUPTED : KAI_OK;
}

static void explore_with(Collected* c, const kaiModel* model, kaiSimOptions options, bool rows)
{
    kaiError failure = {0};
    c->model = model;
    options.row = rows ? add_row : NULL;
    options.row_user = c;
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    assert_non_null(sim);
    kaiSim_Columns(sim, &c->columns);
    kaiExploreEvents events = {begin, end, c};
    c->status = kaiSim_Explore(model, sim, &events, &c->result);
    const kaiError* f = kaiSim_Failure(sim);
    snprintf(c->failure, sizeof c->failure, "%s", f->message != NULL ? f->message : "");
    c->place = f->place;
    kaiSim_Free(sim);
}

static Collected* explore(const kaiModel* model, const char* const* names, bool rows)
{
    Collected* c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->names = names;
    explore_with(c, model, kaiModel_SimOptions(model), rows);
    return c;
}

static void assert_near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within))
        fail_msg("%.17g is not %.17g", value, expected);
}

// -------------------------------------------------------------------------------------------------------------- orders

static const char* const speeds[] = {"a.v", "b.v", "c.v", "a.x", NULL};

static void test_unequal_masses(void** state)
{
    (void)state;
    kaiModel* model = load_text(billiard_text, "unequal");
    Collected* c = explore(model, speeds, false);
    assert_int_equal(c->status, KAI_END);
    assert_int_equal(c->count, 2);
    assert_int_equal(c->result.outcomes, 2);
    assert_int_equal(c->result.merged, 0);
    assert_int_equal(c->result.choices, 1);
    static const double expected[2][3] = {{-73.0 / 27, -40.0 / 27, -5.0 / 9}, {-31.0 / 9, -7.0 / 9, -2.0 / 3}};
    for (int i = 0; i < 2; i++)
    {
        for (int k = 0; k < 3; k++)
            assert_near(c->branches[i].values[k], expected[i][k], 1e-13);
        assert_near(c->branches[i].values[3], expected[i][0], 1e-12);  // from 0 at t = 1 to t = 2
        assert_int_equal(c->branches[i].decision_count, 1);
        assert_int_equal(c->branches[i].taken[0], i);
    }
    free(c);
    kaiModel_Free(model);
}

static void test_equal_masses(void** state)
{
    (void)state;
    kaiModel* model = load_text(billiard_text, "equal");
    Collected* c = explore(model, speeds, false);
    assert_int_equal(c->status, KAI_END);
    assert_int_equal(c->count, 1);
    assert_int_equal(c->result.merged, 1);
    static const double expected[] = {-1, 0, 1};
    for (int k = 0; k < 3; k++)
        assert_near(c->branches[0].values[k], expected[k], 1e-13);
    free(c);
    kaiModel_Free(model);
}

// What has gone into a delay is part of where a run stands: at t = 2 the orders differ in nothing else, and what was 1
// or 2 for half a second comes out later.
static const char delayed_text[] =
    "model M {\n"
    "  discrete u = 0, a = 0, b = 0, c = 0; state x = 0\n"
    "  x' = delay(u, 2)\n"
    "  choose { when time >= 1 and a == 0 { a := 1; u := 1 }\n"
    "           when time >= 1 and a == 0 { a := 1; u := 2 } }\n"
    "  when time >= 1.5 and b == 0 { b := 1; u := 0 }\n"
    "  choose { when time >= 2 and c == 0 { c := 1 } when time >= 2 and c == 0 { c := 1 } }\n"
    "}\n"
    "experiment e of M { stop = 4; choice = all }\n";

static void test_other_pasts(void** state)
{
    (void)state;
    static const char* const names[] = {"x", NULL};
    kaiModel* model = load_text(delayed_text, "e");
    Collected* c = explore(model, names, false);
    assert_int_equal(c->status, KAI_END);
    assert_int_equal(c->count, 2);
    assert_near(c->branches[0].values[0], 0.5, 1e-12);
    assert_near(c->branches[1].values[0], 1, 1e-12);
    free(c);
    kaiModel_Free(model);
}

// The orders end in the same state, but an expectation looks between the collisions: it must see both.
static void test_watched_orders(void** state)
{
    (void)state;
    kaiModel* model = load_text(billiard_text, "watched");
    Collected* c = explore(model, speeds, false);
    assert_int_equal(c->status, KAI_END);
    assert_int_equal(c->count, 2);
    free(c);
    kaiModel_Free(model);
}

static void test_permutations(void** state)
{
    (void)state;
    static const char* const names[] = {"order", NULL};
    kaiModel* model = load_text(digits_text, "e");
    Collected* c = explore(model, names, false);
    assert_int_equal(c->status, KAI_END);
    assert_int_equal(c->count, 24);
    assert_int_equal(c->result.failed, 1);
    for (int i = 1; i < 23; i++)  // in the order of the text
        assert_true(c->branches[i].values[0] > c->branches[i - 1].values[0]);
    assert_int_equal(c->branches[23].status, KAI_ERR_RUN);  // 4321: its order fails, the others do not
    for (int i = 0; i < 23; i++)
        assert_int_equal(c->branches[i].status, KAI_END);
    assert_int_equal(c->result.choices, 1 + 4 + 12);
    free(c);
    kaiModel_Free(model);
}

// 2^n - n - 1 states have more than one of n alternatives left. Relations between continuous values also remember the
// tag before, that is the last alternative taken: 1 + Σ k C(n, k), k = 1 … n - 2; not n! orders.
static void test_commuting(void** state)
{
    (void)state;
    kaiModel* model =
        load_text("model M {\n  state x[i in 1..8] = 0\n  for i in 1..8 { x[i]' = 0.1*i }\n"
                  "  choose { for i in 1..8 { when time >= 1 and x[i] > 0 and x[i] < 5 { x[i] := 10 - x[i]/3 } "
                  "} }\n}\nexperiment e of M { stop = 2; choice = all }\n",
                  "e");
    Collected* c = explore(model, NULL, false);
    assert_int_equal(c->status, KAI_END);
    assert_int_equal(c->count, 1);
    assert_int_equal(c->result.choices, 961);
    free(c);
    kaiModel_Free(model);
}

// A cycle is not an outcome that was seen before: it never ends, and that is told.
static void test_cycle(void** state)
{
    (void)state;
    static const char* const names[] = {"x", NULL};
    kaiModel* model = load_text("model M {\n  discrete x = 0\n  choose {\n    when time >= 1 and x == 0 { x := 1 }\n"
                                "    when time >= 1 and x == 0 { x := 2 }\n    when x == 1 { x := 0 }\n  }\n}\n"
                                "experiment e of M { stop = 2; choice = all }\n",
                                "e");
    Collected* c = explore(model, names, false);
    assert_int_equal(c->status, KAI_END);
    assert_int_equal(c->result.failed, 1);
    assert_int_equal(c->count, 2);
    assert_int_equal(c->branches[0].status, KAI_ERR_RUN);
    assert_int_equal(c->branches[1].status, KAI_END);
    assert_near(c->branches[1].values[0], 2, 0);
    free(c);
    kaiModel_Free(model);
}

// ---------------------------------------------------------------------------------------------------------------- rows

// The rows of a branch are those of a run that follows its decisions, bit for bit (a solver with a memory forgets it at
// a snapshot, so the same to its tolerance only).
static void follow(const kaiModel* model, const Branch* b, bool same_bits)
{
    Collected* c = calloc(1, sizeof *c);
    assert_non_null(c);
    kaiError failure = {0};
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.row = add_row;
    options.row_user = c;
    c->begun = 1;
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    assert_non_null(sim);
    kaiSim_Columns(sim, &c->columns);
    assert_int_equal(kaiSim_Follow(sim, b->taken, b->decision_count), KAI_OK);
    assert_int_equal(kaiSim_Run(sim), b->status);
    if (same_bits)
    {
        assert_int_equal(c->branches[0].row_count, b->row_count);
        assert_true(c->branches[0].rows == b->rows);
    }
    static const char* const names[] = {"x", "w", "n", "last"};
    for (int i = 0; i < 4; i++)
    {
        double value;
        assert_true(kaiSim_Get(sim, kaiModel_FindVariable(model, names[i]), &value));
        assert_near(value, b->values[i], same_bits ? 0 : 1e-5);
    }
    assert_int_equal(kaiSim_Follow(sim, b->taken, b->decision_count), KAI_ERR_USAGE);
    kaiSim_Free(sim);
    free(c);
}

static void test_rows(void** state)
{
    (void)state;
    static const char* const names[] = {"x", "w", "n", "last", NULL};
    static const char* const experiments[] = {"e", "stiff", "implicit"};
    for (int k = 0; k < 3; k++)
    {
        kaiModel* model = load_text(plant_text, experiments[k]);
        Collected* c = explore(model, names, true);
        assert_int_equal(c->status, KAI_END);
        assert_true(c->count > 2);
        for (int i = 0; i < c->count; i++)
        {
            assert_true(c->branches[i].row_count > 20);
            follow(model, &c->branches[i], k == 0);
        }
        free(c);
        kaiModel_Free(model);
    }
}

// With rows or without: the same outcomes. And twice the same.
static void test_deterministic(void** state)
{
    (void)state;
    static const char* const names[] = {"x", "w", "n", "last", NULL};
    kaiModel* model = load_text(plant_text, "stiff");
    Collected *a = explore(model, names, true), *b = explore(model, names, false), *c = explore(model, names, true);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->count, c->count);
    for (int i = 0; i < a->count; i++)
    {
        assert_memory_equal(a->branches[i].values, b->branches[i].values, sizeof a->branches[i].values);
        assert_memory_equal(&a->branches[i], &c->branches[i], sizeof a->branches[i]);
    }
    free(a);
    free(b);
    free(c);
    kaiModel_Free(model);
}

// -------------------------------------------------------------------------------------------------------------- bounds

static void test_bounds(void** state)
{
    (void)state;
    kaiModel* model = load_text(digits_text, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    assert_int_equal(options.max_branches, 1000);
    assert_int_equal(options.max_choices, 100000);
    Collected* c = calloc(1, sizeof *c);
    assert_non_null(c);
    options.max_branches = 5;
    explore_with(c, model, options, false);
    assert_int_equal(c->status, KAI_ERR_RUN);
    assert_int_equal(c->count, 5);
    assert_non_null(strstr(c->failure, "more than 5 outcomes (max_branches)"));
    assert_int_equal(c->place.line, 6);
    memset(c, 0, sizeof *c);
    options.max_branches = 24;  // as many as there are
    options.max_choices = 17;
    explore_with(c, model, options, false);
    assert_int_equal(c->status, KAI_END);
    memset(c, 0, sizeof *c);
    options.max_choices = 16;
    explore_with(c, model, options, true);
    assert_int_equal(c->status, KAI_ERR_RUN);
    assert_non_null(strstr(c->failure, "more than 16 choice points (max_choices)"));
    free(c);
    kaiModel_Free(model);
}

static void test_stopped(void** state)
{
    (void)state;
    kaiModel* model = load_text(digits_text, "e");
    Collected* c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->stop_after = 3;
    explore_with(c, model, kaiModel_SimOptions(model), false);
    assert_int_equal(c->status, KAI_INTERRUPTED);
    assert_int_equal(c->count, 3);
    free(c);
    kaiModel_Free(model);
}

static void test_texts(void** state)
{
    (void)state;
    kaiModel* model = load_text(billiard_text, "unequal");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiError failure = {0};
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    char text[300], small[20];
    kaiSim_OrderText(sim, text, sizeof text);
    assert_string_equal(text, "no choice");
    static const int second[] = {1};
    assert_int_equal(kaiSim_Follow(sim, second, 1), KAI_OK);
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    kaiSim_OrderText(sim, text, sizeof text);
    assert_string_equal(text, "at t = 1: line 11 (b.v, c.v)");
    kaiSim_OutcomeText(sim, 2, text, sizeof text);
    assert_string_equal(text, "a.x = -3.44444444, a.v = -3.44444444, …");
    kaiSim_OutcomeText(sim, 6, small, sizeof small);
    assert_string_equal(small, "a.x = -3.44444444, ");
    kaiExploration result;
    assert_int_equal(kaiSim_Explore(model, sim, &(kaiExploreEvents){0}, &result), KAI_ERR_USAGE);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// -------------------------------------------------------------------------------------------------------------- memory

typedef struct Meter
{
    int left;  // allocations until they fail
    long live;
} Meter;

static void* metered(void* user, void* block, size_t old_size, size_t size)
{
    Meter* m = user;
    if (size == 0)
    {
        m->live -= block != NULL ? (long)old_size : 0;
        free(block);
        return NULL;
    }
    if (m->left-- <= 0)
        return NULL;
    void* made = realloc(block, size);
    m->live += (long)size - (block != NULL ? (long)old_size : 0);
    return made;
}

static void test_memory(void** state)
{
    (void)state;
    kaiModel* model = load_text(digits_text, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    bool done = false;
    for (int limit = 0; !done && limit < 2000; limit += limit < 60 ? 1 : 17)
    {
        Meter meter = {.left = limit};
        kaiError failure = {0};
        kaiExploration result;
        options.allocator = (kaiAllocator){metered, &meter};
        kaiSim* sim = kaiSim_Create(model, &options, &failure);
        if (sim != NULL)
        {
            kaiStatus status = kaiSim_Explore(model, sim, &(kaiExploreEvents){0}, &result);
            assert_true(status == KAI_ERR_MEMORY || status == KAI_END);
            done = status == KAI_END;
        }
        kaiSim_Free(sim);
        assert_int_equal(meter.live, 0);
    }
    assert_true(done);
    kaiModel_Free(model);
}

// -------------------------------------------------------------------------------------------------------------- random

// Footnote 4 of paper 000: a probabilistic choice. Over many seeds the share of each alternative is that of its weight.
static void test_weights(void** state)
{
    (void)state;
    enum
    {
        RUNS = 20000
    };
    kaiModel* model = load_text("model M {\n  discrete x = 0\n  choose {\n"
                                "    weight 1 : when time >= 1 and x == 0 { x := 1 }\n"
                                "    weight 2.5 : when time >= 1 and x == 0 { x := 2 }\n"
                                "    weight 0 : when time >= 1 and x == 0 { x := 3 }\n"
                                "    weight 0.5 : when time >= 1 and x == 0 { x := 4 }\n"
                                "  }\n}\nexperiment e of M { stop = 2; choice = random }\n",
                                "e");
    static const double share[] = {0, 0.25, 0.625, 0, 0.125};
    int counts[5] = {0};
    int x = kaiModel_FindVariable(model, "x");
    for (uint64_t seed = 1; seed <= RUNS; seed++)
    {
        kaiError failure = {0};
        kaiSimOptions options = kaiModel_SimOptions(model);
        options.seed = seed;
        kaiSim* sim = kaiSim_Create(model, &options, &failure);
        double value = -1;
        assert_int_equal(kaiSim_Run(sim), KAI_END);
        assert_true(kaiSim_Get(sim, x, &value));
        counts[(int)value]++;
        kaiSim_Free(sim);
    }
    for (int i = 0; i < 5; i++)
        assert_near(counts[i], RUNS * share[i], 4 * sqrt(RUNS * share[i] * (1 - share[i])));
    kaiModel_Free(model);
}

static void test_failed_orders(void** state)
{
    (void)state;
    static const char* const names[] = {"a", "b", NULL};
    kaiModel* model = load_text(twice_text, "e");
    Collected* c = explore(model, names, false);
    assert_int_equal(c->result.choices, 7);  // 1 + 2 + 4: a tree of three choices of two
    assert_int_equal(c->result.outcomes, c->result.failed);
    for (int i = 0; i < c->count; i++)
    {
        assert_int_equal(c->branches[i].status, KAI_ERR_RUN);
        assert_true(c->branches[i].values[0] == 0 && c->branches[i].values[1] == 0);  // nothing was committed
    }
    free(c);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unequal_masses), cmocka_unit_test(test_equal_masses),
        cmocka_unit_test(test_other_pasts),    cmocka_unit_test(test_watched_orders),
        cmocka_unit_test(test_permutations),   cmocka_unit_test(test_commuting),
        cmocka_unit_test(test_cycle),          cmocka_unit_test(test_rows),
        cmocka_unit_test(test_deterministic),  cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_stopped),        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_weights),
        cmocka_unit_test(test_failed_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
