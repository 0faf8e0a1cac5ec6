// Every pair of features in one model. A model has two blocks that feel each other at events only: each has a signal
// `out` and an event `mark` with closed forms; a mark makes a state of its own jump and samples the other block. A
// feature is a block (with the setting it needs), a setting, or a way to go through the run. A pair agrees with the
// closed forms and with both runs that lack one of its features: the same tags, the same values; or it is refused
// before the run with a sentence that gives the reason.
#include "combination_blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --------------------------------------------------------------------------------------------------- what is collected

enum
{
    MARK_MAX = 40,
    BRANCH_MAX = 20,
    VARIABLES = 9,  // two outs, two marks, two followers, two samples, the state between them
};

static const char* const names[VARIABLES] = {"a.out", "b.out", "a.mark", "b.mark", "fa.x", "fb.x", "ga", "gb", "j"};

typedef struct Mark
{
    kaiTag tag;
    double other;  // `out` of the other block
} Mark;

typedef struct Trace
{
    const Setup* setup;
    int count[2];
    Mark marks[2][MARK_MAX];
    double final[VARIABLES];
    int rows;
    bool any_order;  // not the first alternatives: no closed form for the block with the choice
    double worst;    // distance from the closed forms
    double worst_at;
    int branches;
    double ends[BRANCH_MAX];  // `out` of the block with the choice
    int column[VARIABLES];
} Trace;

static bool has_form(const Trace* trace, int slot)
{
    const Block* block = trace->setup->blocks[slot];
    return block != &choice || (!trace->any_order && strcmp(trace->setup->choice, "random") != 0);
}

static void compare_form(Trace* trace, int slot, double t, double value)
{
    const Block* block = trace->setup->blocks[slot];
    for (int i = 0; i < 4; i++)
        if (block->jumps[i] != 0 && fabs(t - block->jumps[i]) < 1e-3)
            return;
    double error = fabs(value - block->out(t));
    if (has_form(trace, slot) && !(error <= trace->worst))
    {
        trace->worst = error;
        trace->worst_at = t;
    }
}

static kaiStatus collect(void* user, const kaiRow* row)
{
    Trace* trace = user;
    trace->rows++;
    for (int slot = 0; slot < 2; slot++)
    {
        compare_form(trace, slot, row->t, row->values[trace->column[slot]]);
        if (!row->present[trace->column[2 + slot]])
            continue;
        if (trace->count[slot] < MARK_MAX)
            trace->marks[slot][trace->count[slot]] =
                (Mark){{row->t, row->p, row->m}, row->values[trace->column[1 - slot]]};
        trace->count[slot]++;
    }
    return KAI_OK;
}

// ---------------------------------------------------------------------------------------------------------------- runs

typedef struct Run
{
    kaiModel* model;
    kaiSimOptions options;
    int variables[VARIABLES];
    Trace* trace;
    char refusal[600];
} Run;

static void read_final(Run* run, kaiSim* sim)
{
    for (int i = 0; i < VARIABLES; i++)
        if (!kaiSim_Get(sim, run->variables[i], &run->trace->final[i]))
            run->trace->final[i] = 0;  // a mark that is absent
}

static kaiSim* create(Run* run)
{
    kaiError error;
    kaiSim* sim = kaiSim_Create(run->model, &run->options, &error);
    if (sim == NULL)
        snprintf(run->refusal, sizeof run->refusal, "%s", error.message);
    else if (run->trace->setup->follow)
        kaiSim_Follow(sim, (int[]){1, 0, 1}, strcmp(run->trace->setup->choice, "all") == 0 ? 3 : 0);
    return sim;
}

static void end_plain(Run* run, kaiSim* sim)
{
    kaiStatus status = kaiSim_Run(sim);
    if (status != KAI_END)
        print_message("the run fails: %s\n", kaiSim_Failure(sim)->message);
    assert_int_equal(status, KAI_END);
    read_final(run, sim);
}

static void run_plain(Run* run)
{
    kaiSim* sim = create(run);
    if (sim != NULL)
        end_plain(run, sim);
    kaiSim_Free(sim);
}

static void go_to(kaiSim* sim, double t)
{
    kaiStatus status;
    while ((status = kaiSim_StepTo(sim, t)) == KAI_INSTANT)
        continue;
    if (status != KAI_OK)
        print_message("the run fails: %s\n", kaiSim_Failure(sim)->message);
    assert_int_equal(status, KAI_OK);
}

// Ahead of the snapshot and back, and the same way again by another sim: bit for bit the same.
static kaiSim* repeat(Run* run, kaiSim* sim, double t)
{
    Trace* trace = run->trace;
    go_to(sim, t);
    kaiSnapshot* snapshot = kaiSim_Save(sim);
    assert_non_null(snapshot);
    Trace before = *trace, ahead;
    go_to(sim, t + 0.4);
    read_final(run, sim);
    ahead = *trace;
    kaiSim* other = create(run);
    kaiSim* const both[2] = {sim, other};
    for (int i = 0; i < 2; i++)
    {
        *trace = before;
        assert_int_equal(kaiSim_Restore(both[i], snapshot), KAI_OK);
        go_to(both[i], t + 0.4);
        read_final(run, both[i]);
        assert_memory_equal(trace->marks, ahead.marks, sizeof ahead.marks);
        assert_memory_equal(trace->final, ahead.final, sizeof ahead.final);
    }
    *trace = before;
    assert_int_equal(kaiSim_Restore(other, snapshot), KAI_OK);
    kaiSnapshot_Free(snapshot);
    kaiSim_Free(sim);
    return other;
}

static void run_snapshots(Run* run)
{
    static const double times[] = {0.05, 0.33, 0.6, 0.7, 0.95, 1.2, 1.7, 2.2, 2.5};
    kaiSim* sim = create(run);
    for (size_t i = 0; i < sizeof times / sizeof *times && sim != NULL; i++)
        sim = repeat(run, sim, times[i]);
    if (sim != NULL)
        end_plain(run, sim);
    kaiSim_Free(sim);
}

// ---- choice = all

typedef struct Branches
{
    Run* run;
    Trace first;
} Branches;

static kaiStatus begin_branch(void* user, int branch)
{
    Branches* b = user;
    Trace fresh = {.setup = b->run->trace->setup, .any_order = branch > 1};
    fresh.branches = b->run->trace->branches;
    memcpy(fresh.ends, b->run->trace->ends, sizeof fresh.ends);
    memcpy(fresh.column, b->run->trace->column, sizeof fresh.column);
    *b->run->trace = fresh;
    return KAI_OK;
}

static void check_forms(const Trace* trace);

static kaiStatus end_branch(void* user, kaiSim* sim, int branch, kaiStatus status)
{
    Branches* b = user;
    Trace* trace = b->run->trace;
    assert_int_equal(status, KAI_END);
    read_final(b->run, sim);
    check_forms(trace);
    if (branch == 1)
        b->first = *trace;
    int slot = trace->setup->blocks[0] == &choice ? 0 : 1;
    assert_true(trace->branches < BRANCH_MAX);
    trace->ends[trace->branches++] = trace->final[slot];
    return KAI_OK;
}

// Three ticks, up or down each: eight outcomes, all different.
static void check_outcomes(const Trace* trace)
{
    assert_int_equal(trace->branches, 8);
    for (int i = 0; i < 8; i++)
    {
        double end = ((i & 4) != 0 ? -2.63 : 2.63) + ((i & 2) != 0 ? -1.63 : 1.63) + ((i & 1) != 0 ? -0.63 : 0.63);
        assert_true(fabs(trace->ends[i] - end) < (is_rough(trace->setup) ? coarse : fine));
    }
}

static void run_all(Run* run)
{
    Branches branches = {.run = run};
    kaiExploreEvents events = {begin_branch, end_branch, &branches};
    kaiExploration result;
    kaiSim* sim = create(run);
    if (sim == NULL)
        return;
    assert_int_equal(kaiSim_Explore(run->model, sim, &events, &result), KAI_END);
    check_outcomes(run->trace);
    *run->trace = branches.first;
    kaiSim_Free(sim);
}

// ---- kaiEval

enum
{
    STATE_MAX = 20
};

static void foreign_step(kaiEval* eval, double t, double h, const double* x, double* out)
{
    static const double part[] = {0, 0.5, 0.5, 1};
    int n = kaiEval_StateCount(eval);
    double k[4][STATE_MAX], at[STATE_MAX];
    memcpy(at, x, sizeof(double) * (size_t)n);
    for (int s = 0; s < 4; s++)
    {
        for (int i = 0; s > 0 && i < n; i++)
            at[i] = x[i] + part[s] * h * k[s - 1][i];
        assert_int_equal(kaiEval_Rates(eval, t + part[s] * h, at, k[s]), KAI_OK);
    }
    for (int i = 0; i < n; i++)
        out[i] = x[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

// The shortest step that ends behind the crossing.
static double foreign_locate(kaiEval* eval, double t, double h, const double* x, double* out)
{
    double before = 0;
    for (int i = 0; i < 60 && h - before > 1e-15; i++)
    {
        double middle = 0.5 * (before + h);
        foreign_step(eval, t, middle, x, out);
        *(kaiEval_Crossed(eval, t + middle, out) ? &h : &before) = middle;
    }
    foreign_step(eval, t, h, x, out);
    return h;
}

static void integrate(kaiEval* eval)
{
    double x[STATE_MAX], next[STATE_MAX], t = 0;
    assert_true(kaiEval_StateCount(eval) <= STATE_MAX);
    assert_int_equal(kaiEval_Start(eval, x), KAI_OK);
    while (t < stop)
    {
        double due = kaiEval_Next(eval), end = fmin(t + 1.0 / 256, fmin(due, stop));
        foreign_step(eval, t, end - t, x, next);
        bool crossed = kaiEval_Crossed(eval, end, next);
        if (crossed)
            end = t + foreign_locate(eval, t, end - t, x, next);
        if (crossed || end >= due)
            assert_int_equal(kaiEval_Instant(eval, end, next), KAI_OK);
        else
            assert_int_equal(kaiEval_StepDone(eval, end, next), KAI_OK);
        memcpy(x, next, sizeof x);
        t = end;
    }
}

static void run_eval(Run* run)
{
    kaiError error;
    kaiEval* eval = kaiEval_Create(run->model, &run->options, &error);
    if (eval == NULL)
    {
        snprintf(run->refusal, sizeof run->refusal, "%s", error.message);
        return;
    }
    integrate(eval);
    for (int i = 0; i < VARIABLES; i++)
        if (!kaiEval_Get(eval, run->variables[i], &run->trace->final[i]))
            run->trace->final[i] = 0;
    kaiEval_Free(eval);
}

// ---- all of them

// What a text is refused with, or a model; "" if it runs.
static void load_pair(Run* run, const char* text)
{
    LoadOptions options = load_default();
    kaiProgram* messages = NULL;
    options.path = "pair.kai";
    options.text = text;
    options.experiment = "e";
    if (load_model(&options, &run->model, &messages) != KAI_OK)
        snprintf(run->refusal, sizeof run->refusal, "%s", kaiProgram_MessageText(messages, 0, false));
    kaiProgram_Free(messages);
}

// A signal may have columns of impulses beside it.
static void find_columns(Run* run)
{
    int count = 0, order;
    kaiSim* sim = kaiSim_Create(run->model, &run->options, NULL);
    if (sim != NULL)
        kaiSim_Columns(sim, &count);
    for (int c = 0; c < count; c++)
    {
        int variable = kaiSim_ColumnVariable(sim, c, &order);
        for (int i = 0; i < VARIABLES; i++)
            if (run->variables[i] == variable && order == 0)
                run->trace->column[i] = c;
    }
    kaiSim_Free(sim);
}

static void run_setup(const Setup* setup, Trace* trace, char refusal[600])
{
    char text[3000];
    Run run = {.trace = trace};
    *trace = (Trace){.setup = setup, .any_order = setup->follow && strcmp(setup->choice, "all") == 0};
    write_model(setup, text, sizeof text);
    load_pair(&run, text);
    if (run.model != NULL)
    {
        run.options = kaiModel_SimOptions(run.model);
        run.options.row = collect;
        run.options.row_user = trace;
        run.options.record = run.variables;
        run.options.record_count = VARIABLES;
        for (int i = 0; i < VARIABLES; i++)
            run.variables[i] = kaiModel_FindVariable(run.model, names[i]);
        find_columns(&run);
        bool explored = strcmp(setup->choice, "all") == 0 && !setup->follow;
        (setup->eval ? run_eval : setup->snapshots ? run_snapshots : explored ? run_all : run_plain)(&run);
    }
    snprintf(refusal, 600, "%s", run.refusal);
    kaiModel_Free(run.model);
}

// ------------------------------------------------------------------------------------------------------------- checks

static void near(const char* what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        print_message("%s: %.17g instead of %.17g\n", what, value, expected);
    assert_true(fabs(value - expected) <= tolerance);
}

static void check_marks(const Trace* trace, int slot, double tolerance)
{
    const Block* block = trace->setup->blocks[slot];
    int expected = 0;
    while (block->marks[expected] != 0)
        expected++;
    if (trace->count[slot] != expected)
        print_message("%s: %d marks instead of %d\n", block->name, trace->count[slot], expected);
    assert_int_equal(trace->count[slot], expected);
    for (int i = 0; i < expected; i++)
        near(block->name, trace->marks[slot][i].tag.t, block->marks[i], tolerance);
}

// Closed forms of everything in the model.
static void check_forms(const Trace* trace)
{
    double tolerance = is_rough(trace->setup) ? coarse : fine;
    if (!(trace->worst <= tolerance))
        print_message("%g away from the closed form at t = %g\n", trace->worst, trace->worst_at);
    assert_true(trace->worst <= tolerance);
    for (int slot = 0; slot < 2; slot++)
    {
        double follower = exp(-stop);
        check_marks(trace, slot, tolerance);
        if (has_form(trace, slot))
            near("at the end", trace->final[slot], trace->setup->blocks[slot]->out(stop), tolerance);
        for (int i = 0; i < trace->count[slot]; i++)
            follower += exp(-(stop - trace->marks[slot][i].tag.t));
        near(slot == 0 ? "follower a" : "follower b", trace->final[4 + slot], follower, tolerance);
        near("sample", trace->final[7 - slot], trace->marks[slot][trace->count[slot] - 1].other, 1e-12);
    }
    if (!trace->setup->coupled)
        near("j", trace->final[8], 1 - exp(-stop), tolerance);
}

// A slot that has another block in the other run is not compared.
static void check_same(const Trace* trace, const Trace* plain)
{
    double tolerance = is_rough(trace->setup) || is_rough(plain->setup) ? coarse : fine;
    bool same[2];
    for (int slot = 0; slot < 2; slot++)
    {
        same[slot] = trace->setup->blocks[slot] == plain->setup->blocks[slot];
        if (!same[slot])
            continue;
        assert_int_equal(trace->count[slot], plain->count[slot]);
        for (int i = 0; i < trace->count[slot]; i++)
        {
            const Mark *a = &trace->marks[slot][i], *b = &plain->marks[slot][i];
            near("t", a->tag.t, b->tag.t, tolerance);
            assert_true(a->tag.p == b->tag.p && a->tag.m == b->tag.m);
        }
        near("out", trace->final[slot], plain->final[slot], tolerance);
    }
    for (int i = 4; i < VARIABLES && same[0] && same[1]; i++)
        near(names[i], trace->final[i], plain->final[i], tolerance);
}

// -------------------------------------------------------------------------------------------------------------- pairs

static bool is_between(Feature f, Feature g, Feature first, Feature last)
{
    return f >= first && f <= last && g >= first && g <= last;
}

// Values of one setting; and kaiEval, which has no clock of its own to go back on.
static bool excludes(Feature f, Feature g)
{
    return is_between(f, g, FIRST, ALL) || is_between(f, g, SYMBOLIC, NUMERIC) || is_between(f, g, RK45, ROSENBROCK) ||
           (f == SNAPSHOT && g == EVAL);
}

// f < g. What the refusal says; NULL: the pair runs.
static const char* reason(Feature f, Feature g)
{
    if (f == ZENO && g == NUMERIC)
        return "numeric impulses have a fixed step, which passes over motions shorter than itself";
    if (f == NUMERIC && g >= RK45 && g <= ROSENBROCK)
        return "numeric impulses are integrated by the right Riemann sum";
    if (g != EVAL)
        return NULL;
    return f == NUMERIC ? "numeric impulses are made of steps, which belong to the caller"
           : f == ALL   ? "choice = all goes back in time"
           : f == ZENO  ? "zeno = continue holds states, which belong to the caller"
                        : NULL;
}

typedef struct Pair
{
    Feature f, g;
    bool coupled;
    char name[80];
} Pair;

static void pair_agrees(void** state)
{
    const Pair* pair = *state;
    const char* wanted = reason(pair->f, pair->g);
    char refusal[600];
    Trace trace, plain;
    Setup setup = setup_of(pair->f, pair->g, 3, pair->coupled);
    run_setup(&setup, &trace, refusal);
    if (refusal[0] != 0)
        print_message("refused: %s\n", refusal);
    assert_true((wanted != NULL) == (refusal[0] != 0));
    if (wanted != NULL)
    {
        assert_non_null(strstr(refusal, wanted));
        return;
    }
    check_forms(&trace);
    for (int on = 1; on <= 2; on++)
    {
        Setup without = setup_of(pair->f, pair->g, on, pair->coupled);
        run_setup(&without, &plain, refusal);
        assert_string_equal(refusal, "");
        check_forms(&plain);
        check_same(&trace, &plain);
    }
}

enum
{
    PAIR_MAX = FEATURES * FEATURES
};

// Each pair is a test of its own, so that the list of what passed is the table.
static int list_pairs(Pair* pairs, struct CMUnitTest* tests)
{
    int count = 0;
    for (int coupled = 0; coupled < 2; coupled++)
        for (int f = 0; f < FEATURES; f++)
            for (int g = f + 1; g < FEATURES; g++)
            {
                Pair* pair = &pairs[count];
                if (excludes((Feature)f, (Feature)g))
                    continue;
                *pair = (Pair){.f = (Feature)f, .g = (Feature)g, .coupled = coupled != 0};
                snprintf(pair->name, sizeof pair->name, "%s x %s%s%s", words[f], words[g], coupled ? ", coupled" : "",
                         reason(pair->f, pair->g) != NULL ? ": refused" : "");
                tests[count++] =
                    (struct CMUnitTest){.name = pair->name, .test_func = pair_agrees, .initial_state = pair};
            }
    return count;
}

// ------------------------------------------------------------------------------------ settings that come after the
// model

static void refused(const kaiModel* model, const kaiSimOptions* options, const char* word)
{
    kaiError error;
    assert_null(kaiSim_Create(model, options, &error));
    assert_int_equal(error.status, KAI_ERR_USAGE);
    assert_non_null(strstr(error.message, word));
    assert_non_null(strstr(error.message, "islands = one"));
}

// The text decides whether there are islands; what needs all states in one cannot be asked for afterwards.
static void islands_are_decided_before(void** state)
{
    (void)state;
    static const char* const islands[] = {"auto", "none"};
    for (int i = 0; i < 2; i++)
    {
        char text[3000];
        Run run = {0};
        Setup setup = setup_of(DELAY_EVENT, ISLANDS, 3, false);
        setup.islands = islands[i];
        write_model(&setup, text, sizeof text);
        load_pair(&run, text);
        kaiSimOptions continues = kaiModel_SimOptions(run.model), all = continues;
        continues.zeno = "continue";
        all.choice = "all";
        if (i == 0)
        {
            refused(run.model, &continues, "zeno = continue");
            refused(run.model, &all, "choice = all");
        }
        else
        {
            kaiSim* sims[2] = {kaiSim_Create(run.model, &continues, NULL), kaiSim_Create(run.model, &all, NULL)};
            assert_true(sims[0] != NULL && sims[1] != NULL);
            kaiSim_Free(sims[0]);
            kaiSim_Free(sims[1]);
        }
        kaiModel_Free(run.model);
    }
}

// ----------------------------------------------------------------------------------------- snapshots of another sim

static const char charge_text[] = "model M { param R = 1\n"
                                  "  c : C(c = 1, e0 = 1); r : R(r = R); n : J0\n"
                                  "  bond n -> c; bond n -> r }\n"
                                  "experiment e of M { stop = 3; rtol = 1e-10 }\n";

static kaiSim* charge_sim(const kaiModel* model, double resistance, double t)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    assert_non_null(sim);
    assert_int_equal(kaiSim_Set(sim, kaiModel_FindVariable(model, "R"), resistance), KAI_OK);
    if (t > 0)
        go_to(sim, t);
    return sim;
}

// A snapshot brings the parameters it was made with, and what the start makes of them, to a sim that had others; before
// the start and in the middle of the run.
static void snapshots_bring_parameters(void** state)
{
    (void)state;
    static const double times[] = {0, 1};
    kaiModel* model = load_text(charge_text, "e");
    for (int i = 0; i < 4; i++)
    {
        double voltage = 0;
        kaiSim *from = charge_sim(model, 2, times[i & 1]), *to = charge_sim(model, 5, 2 * times[i >> 1]);
        kaiSnapshot* snapshot = kaiSim_Save(from);
        assert_int_equal(kaiSim_Restore(to, snapshot), KAI_OK);
        assert_int_equal(kaiSim_Run(to), KAI_END);
        assert_true(kaiSim_Get(to, kaiModel_FindVariable(model, "c.e"), &voltage));
        near("voltage", voltage, exp(-stop / 2), fine);
        kaiSnapshot_Free(snapshot);
        kaiSim_Free(from);
        kaiSim_Free(to);
    }
    kaiModel_Free(model);
}

// Steps of one solver are nothing to another: refused, and both runs go on.
static void snapshots_know_their_solver(void** state)
{
    (void)state;
    static const char* const solvers[] = {"rk45", "taylor", "rosenbrock", "riemann"};
    kaiModel* model = load_text(charge_text, "e");
    kaiSim* from = charge_sim(model, 2, 1);
    kaiSnapshot* snapshot = kaiSim_Save(from);
    for (int i = 1; i < 4; i++)
    {
        double voltage = 0;
        kaiSimOptions options = kaiModel_SimOptions(model);
        options.solver = solvers[i];
        kaiSim* to = kaiSim_Create(model, &options, NULL);
        assert_int_equal(kaiSim_Restore(to, snapshot), KAI_ERR_USAGE);
        assert_non_null(strstr(kaiSim_Failure(to)->message, "saved with solver = auto"));
        assert_int_equal(kaiSim_Run(to), KAI_END);
        assert_true(kaiSim_Get(to, kaiModel_FindVariable(model, "c.e"), &voltage));
        near("voltage", voltage, exp(-stop), i < 3 ? fine : coarse);
        kaiSim_Free(to);
    }
    kaiSnapshot_Free(snapshot);
    kaiSim_Free(from);
    kaiModel_Free(model);
}

int main(void)
{
    static Pair pairs[PAIR_MAX];
    static struct CMUnitTest tests[PAIR_MAX + 3];
    int count = list_pairs(pairs, tests);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(islands_are_decided_before);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(snapshots_bring_parameters);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(snapshots_know_their_solver);
    return _cmocka_run_group_tests("combinations", tests, (size_t)count, NULL, NULL);
}
