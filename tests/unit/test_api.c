// The library as a program sees it that embeds it: only public headers. Load, messages, parameters, instants, signals,
// snapshots, threads, memory. Expected values are closed forms.
#include "kairos/kairos.h"
#include "unit/heap.h"
#include "unit/load.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ------------------------------------------------------------------------------------------------------------- models

static const char ball_text[] = "model Ball {\n"
                                "  param g [m/s^2] = 9.81, e = 0.8, v_rest [m/s] = 0.01\n"
                                "  state y [m] = 1, v [m/s] = 0\n"
                                "  event hit = down(y)\n"
                                "  modes {\n"
                                "    initial mode falling {\n"
                                "      y' = v\n"
                                "      v' = -g\n"
                                "      when hit { v := -e*v }\n"
                                "      on hit if abs(v) < v_rest -> sitting { y := 0 }\n"
                                "    }\n"
                                "    mode sitting { y' = 0; v' = 0 }\n"
                                "  }\n"
                                "}\n"
                                "experiment bounce of Ball {\n"
                                "  stop = 5\n"
                                "  expect time_of(hit, 1) ~ 0.451523640985731 within 1e-12\n"
                                "  expect final(y) ~ 1 within 1e-9 \"it does not fly\"\n"
                                "  expect time_of(hit, 1000) ~ 5 within 1\n"
                                "}\n";

// Modes, clocks, events that are emitted, sampled, held and delayed, crossings, a state that is assigned.
static const char plant_text[] = "model Plant {\n"
                                 "  input u = 1\n"
                                 "  param k = 2, T = 0.25\n"
                                 "  state x = 0, w = 1, z = 0\n"
                                 "  discrete n = 0, last = 0\n"
                                 "  event tick = clock(T), up_x = up(x - 0.6), report, echo = delay(report, 0.1)\n"
                                 "  event s = sample(x, tick)\n"
                                 "  signal h = hold(s, -1), far = delay(x, 0.3)\n"
                                 "  x' = k*(u*(if far > 0.7 then 0.2 else 1.5) - x)\n"
                                 "  w' = z\n"
                                 "  z' = -25*w\n"
                                 "  when tick { n := n + 1; emit report(x) }\n"
                                 "  when echo { last := echo }\n"
                                 "  when up_x { z := 0.99*z }\n"
                                 "  modes {\n"
                                 "    initial mode low { signal a = x; on n >= 6 and w > 0 -> high }\n"
                                 "    mode high { signal b = -x; state c = 3; c' = -c; on w < -0.9 -> low }\n"
                                 "  }\n"
                                 "}\n"
                                 "experiment e of Plant { stop = 6; step = 0.01 }\n"
                                 "experiment apart of Plant { stop = 6; step = 0.01; islands = auto }\n";

// ------------------------------------------------------------------------------------------------------------- memory

// ------------------------------------------------------------------------------------------------------------ helpers

static LoadOptions text_options(const char* text, const char* experiment)
{
    LoadOptions options = load_default();
    options.path = "text.kai";
    options.text = text;
    options.experiment = experiment;
    return options;
}

static kaiModel* load_for(const char* text, const char* experiment, const char* solver)
{
    LoadOptions options = text_options(text, experiment);
    options.solver = solver;
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    kaiStatus status = load_model(&options, &model, &messages);
    for (int i = 0; i < kaiProgram_MessageCount(messages); i++)
        print_message("%s\n", kaiProgram_MessageText(messages, i, false));
    kaiProgram_Free(messages);
    assert_int_equal(status, KAI_OK);
    assert_non_null(model);
    return model;
}

static kaiModel* load(const char* text, const char* experiment)
{
    return load_for(text, experiment, NULL);
}

static int variable(const kaiModel* model, const char* name)
{
    int v = kaiModel_FindVariable(model, name);
    if (v < 0)
        print_message("no variable %s\n", name);
    assert_true(v >= 0);
    return v;
}

static kaiSim* create(const kaiModel* model, const kaiSimOptions* options)
{
    kaiError failure = {0};
    kaiSim* sim = kaiSim_Create(model, options, &failure);
    if (sim == NULL)
        print_message("%s\n", failure.message);
    assert_non_null(sim);
    return sim;
}

static double get(kaiSim* sim, int v)
{
    double value = NAN;
    assert_true(kaiSim_Get(sim, v, &value));
    return value;
}

// Rows, packed: t, p, m, then value and presence of each column.
typedef struct Rows
{
    int columns;
    size_t count, capacity;  // doubles
    double* at;
} Rows;

static void put_number(Rows* rows, double value)
{
    if (rows->count == rows->capacity)
    {
        rows->capacity = rows->capacity > 0 ? 2 * rows->capacity : 4096;
        rows->at = realloc(rows->at, rows->capacity * sizeof *rows->at);
        if (rows->at == NULL)
            abort();
    }
    rows->at[rows->count++] = value;
}

static kaiStatus keep_row(void* user, const kaiRow* row)
{
    Rows* rows = user;
    put_number(rows, row->t);
    put_number(rows, row->p);
    put_number(rows, row->m);
    for (int i = 0; i < rows->columns; i++)
    {
        put_number(rows, row->present[i] ? row->values[i] : 0);
        put_number(rows, row->present[i]);
    }
    return KAI_OK;
}

static kaiSim* create_recorded(const kaiModel* model, kaiSimOptions options, Rows* rows)
{
    options.row = keep_row;
    options.row_user = rows;
    kaiSim* sim = create(model, &options);
    kaiSim_Columns(sim, &rows->columns);
    return sim;
}

static void run_to_end(kaiSim* sim)
{
    kaiStatus status = kaiSim_Run(sim);
    if (status != KAI_END)
        print_message("%s\n", kaiSim_Failure(sim)->message != NULL ? kaiSim_Failure(sim)->message : "no reason given");
    assert_int_equal(status, KAI_END);
}

static void assert_same_rows(const double* a, const double* b, size_t count_a, size_t count_b)
{
    assert_int_equal(count_a, count_b);
    for (size_t i = 0; i < count_a; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
        {
            print_message("number %zu of %zu differs: %.17g and %.17g\n", i, count_a, a[i], b[i]);
            fail();
        }
}

// --------------------------------------------------------------------------------------------------------------- load

static void test_load_and_ask(void** state)
{
    (void)state;
    kaiModel* model = load(ball_text, "bounce");
    assert_string_equal(kaiModel_Name(model), "Ball");
    assert_int_equal(kaiModel_StateCount(model), 2);
    assert_int_equal(kaiModel_ExpectCount(model), 3);
    assert_int_equal(kaiModel_FindVariable(model, "nobody"), -1);
    assert_string_equal(kaiModel_NearestVariable(model, "v_res"), "v_rest");
    kaiVariable v;
    assert_true(kaiModel_Variable(model, variable(model, "g"), &v) && v.settable);
    assert_true(kaiModel_Variable(model, variable(model, "hit"), &v) && !v.settable);
    for (int i = 0; i < kaiModel_VariableCount(model); i++)
        assert_int_equal(kaiModel_FindVariable(model, kaiModel_VariableName(model, i)), i);
    kaiModel_Free(model);
    kaiModel_Free(NULL);
    kaiProgram_Free(NULL);
    kaiSim_Free(NULL);
    kaiSnapshot_Free(NULL);
}

static void test_list_experiments(void** state)
{
    (void)state;
    LoadOptions options = text_options(ball_text, NULL);
    kaiProgram* program = NULL;
    kaiExperiment experiment;
    assert_int_equal(load_program(&options, &program), KAI_OK);
    assert_int_equal(kaiProgram_ExperimentCount(program), 1);
    assert_true(kaiProgram_Experiment(program, 0, &experiment));
    assert_string_equal(experiment.name, "bounce");
    assert_string_equal(experiment.model, "Ball");
    assert_true(experiment.has_expect);
    assert_false(experiment.has_sweep);
    assert_int_equal(experiment.place.line, 15);
    assert_false(kaiProgram_Experiment(program, 1, &experiment));
    kaiProgram_Free(program);
}

// Two mistakes, two messages, each with code, place and a way out.
static void test_messages(void** state)
{
    (void)state;
    LoadOptions options = text_options("model M {\n  param gain = 2\n  state x = 0\n  x' = gian*x\n  y = 3\n}\n", NULL);
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    assert_int_equal(load_model(&options, &model, &messages), KAI_ERR_MODEL);
    assert_null(model);
    assert_non_null(messages);
    assert_int_equal(kaiProgram_MessageCount(messages), 2);
    assert_int_equal(kaiProgram_ErrorCount(messages), 2);
    const kaiError* d = kaiProgram_Message(messages, 0);
    assert_int_equal(d->severity, KAI_ERROR);
    assert_string_equal(d->code, "K020");
    assert_string_equal(d->place.file, "text.kai");
    assert_int_equal(d->place.line, 4);
    assert_int_equal(d->place.column, 8);
    assert_int_equal(d->place.end_column, 12);
    assert_non_null(d->help);
    assert_non_null(strstr(d->help, "gain"));
    assert_int_equal(kaiProgram_Message(messages, 1)->place.line, 5);
    const char* text = kaiProgram_MessageText(messages, 0, false);
    assert_non_null(strstr(text, "text.kai:4:8: error[K020]"));
    assert_non_null(strstr(text, "x' = gian*x"));
    assert_non_null(strstr(text, "^"));
    assert_non_null(strstr(text, "help:"));
    kaiProgram_Free(messages);
}

static void test_missing_file(void** state)
{
    (void)state;
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiProgram* program = NULL;
    kaiError error;
    options.path = "/no/such/file.kai";
    assert_int_equal(kaiProgram_Open(&options, &program, &error), KAI_ERR_IO);
    assert_null(program);
    assert_int_equal(error.status, KAI_ERR_IO);
    assert_non_null(strstr(error.message, "/no/such/file.kai"));
    assert_non_null(error.help);
}

static void test_overrides(void** state)
{
    (void)state;
    kaiOverride overrides[] = {{"e", 0.5}, {"y", 2}};
    LoadOptions options = text_options(ball_text, "bounce");
    options.overrides = overrides;
    options.override_count = 2;
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    assert_int_equal(load_model(&options, &model, &messages), KAI_OK);
    kaiProgram_Free(messages);
    kaiSimOptions run = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &run);
    assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);
    assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);
    assert_true(fabs(kaiSim_Now(sim).t - sqrt(2 * 2 / 9.81)) < 1e-12);
    assert_true(fabs(get(sim, variable(model, "v")) - 0.5 * sqrt(2 * 9.81 * 2)) < 1e-10);
    kaiSim_Free(sim);
    kaiModel_Free(model);

    overrides[0].name = "ee";
    assert_int_equal(load_model(&options, &model, &messages), KAI_ERR_MODEL);
    assert_string_equal(kaiProgram_Message(messages, 0)->code, "K028");
    kaiProgram_Free(messages);
}

// -------------------------------------------------------------------------------------------------------------
// instants

// t_n = t_1 (1 + 2 (e + ... + e^(n-1))) with t_1 = sqrt(2 h / g).
static void test_step_through_bounces(void** state)
{
    (void)state;
    kaiModel* model = load(ball_text, "bounce");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    const double g = 1.62, e = 0.9;
    assert_int_equal(kaiSim_Set(sim, variable(model, "g"), g), KAI_OK);
    assert_int_equal(kaiSim_Set(sim, variable(model, "e"), e), KAI_OK);
    assert_int_equal(kaiSim_Set(sim, variable(model, "y"), 0.5), KAI_OK);
    assert_int_equal(kaiSim_Set(sim, variable(model, "hit"), 1), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Set(sim, -1, 1), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Set(sim, kaiModel_VariableCount(model), 1), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);  // the start
    assert_true(kaiSim_Now(sim).t == 0);
    assert_int_equal(kaiSim_Set(sim, variable(model, "g"), 3), KAI_ERR_USAGE);  // too late
    double t = sqrt(2 * 0.5 / g), v = sqrt(2 * g * 0.5), flight = 2 * t, unused;
    for (int n = 1; t < 5; n++)
    {
        assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);
        assert_true(fabs(kaiSim_Now(sim).t - t) < 1e-10);
        v *= e;
        assert_true(fabs(get(sim, variable(model, "v")) - v) < 1e-9);
        assert_int_equal(kaiSim_Now(sim).p, 1);
        assert_false(kaiSim_Get(sim, variable(model, "hit"), &unused));  // the event has gone
        flight *= e;
        t += flight;
        assert_int_equal(kaiSim_Counters(sim).instants, n + 1);
    }
    assert_int_equal(kaiSim_Step(sim), KAI_END);
    assert_true(kaiSim_Now(sim).t == 5);
    assert_int_equal(kaiSim_Step(sim), KAI_END);  // and stays there
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

static void test_absent_values(void** state)
{
    (void)state;
    kaiModel* model = load(plant_text, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    int a = variable(model, "a"), b = variable(model, "b"), c = variable(model, "c"), mode = variable(model, "mode");
    double value;
    bool seen[2] = {false, false};
    for (kaiStatus status = kaiSim_Step(sim); status == KAI_INSTANT; status = kaiSim_Step(sim))
    {
        bool high = get(sim, mode) == 1;
        seen[high] = true;
        assert_int_equal(kaiSim_Get(sim, a, &value), !high);
        assert_int_equal(kaiSim_Get(sim, b, &value), high);
        assert_int_equal(kaiSim_Get(sim, c, &value), high);
    }
    assert_true(seen[0] && seen[1]);
    assert_false(kaiSim_Get(sim, -1, &value));
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// The rows of one bounce: left limit, the event, the right limit.
static void test_rows_of_a_bounce(void** state)
{
    (void)state;
    kaiModel* model = load(ball_text, "bounce");
    Rows rows = {0};
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.stop = 1;
    kaiSim* sim = create_recorded(model, options, &rows);
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    assert_int_equal(count, 4);
    assert_string_equal(columns[0].name, "y");
    assert_string_equal(columns[0].unit, "m");
    assert_int_equal(columns[2].kind, KAI_COLUMN_EVENT);
    assert_int_equal(columns[3].kind, KAI_COLUMN_MODE);
    assert_string_equal(columns[3].mode_names[1], "sitting");
    run_to_end(sim);
    const size_t width = 3 + 2 * 4;
    size_t first = 0;
    while (first < rows.count && rows.at[first + 1] != -1)
        first += width;
    assert_true(first + 3 * width <= rows.count);
    const double *left = rows.at + first, *event = left + width, *right = event + width;
    assert_true(left[0] == event[0] && event[0] == right[0]);
    assert_true(left[1] == -1 && left[2] == 0 && event[1] == 0 && event[2] == 0 && right[1] == 1 && right[2] == 0);
    assert_true(left[8] == 0 && event[8] == 1 && right[8] == 0);  // hit is present at one tag
    assert_true(left[5] == event[5] && right[5] == -0.8 * event[5]);
    assert_true(right + width == rows.at + rows.count || right[width] > right[0]);
    kaiSim_Free(sim);
    kaiModel_Free(model);
    free(rows.at);
}

// A step that ends in mid-flight, wherever it ends, is no impact: the ball has left the floor and not come back.
static void test_no_impact_in_mid_flight(void** state)
{
    (void)state;
    kaiModel* model = load(ball_text, "bounce");
    for (int i = 1; i < 12; i++)
    {
        kaiSimOptions options = kaiModel_SimOptions(model);
        options.stop = 0.4516 + 0.06 * i;  // impacts are at 0.4515 and 1.1740
        kaiSim* sim = create(model, &options);
        run_to_end(sim);
        assert_int_equal(kaiSim_Counters(sim).instants, 2);
        kaiSim_Free(sim);
    }
    kaiModel_Free(model);
}

// Kinks and edges that depend on time alone are scheduled; none of them is due at the start.
static void test_guards_of_time(void** state)
{
    (void)state;
    kaiModel* model = load("model M { signal y = min(2*time, 1); state x = 0; x' = y; discrete n = 0\n"
                           "  when time >= 0 { n := n + 1 }\n  when time >= 0.25 { n := n + 10 } }\n"
                           "experiment e of M { stop = 1 }\n",
                           "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    run_to_end(sim);
    assert_true(fabs(get(sim, variable(model, "x")) - 0.75) < 1e-9);
    assert_true(get(sim, variable(model, "n")) == 11);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

static double final_of(const char* text, const char* name)
{
    kaiModel* model = load(text, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    run_to_end(sim);
    double value = get(sim, variable(model, name));
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return value;
}

// A pendulum let go at its threshold: on the level, without speed, so only the curvature says where it goes.
static void test_start_at_rest_on_a_level(void** state)
{
    (void)state;
    assert_true(final_of("model M { state x = 1, v = 0; x' = v; v' = -x; discrete n = 0; when x < 1 { n := n + 1 } }\n"
                         "experiment e of M { stop = 1 }\n",
                         "n") == 1);
    assert_true(fabs(final_of("model M { state x = 1, v = 0; x' = v; v' = -x; state i = 0; i' = floor(2*x) }\n"
                              "experiment e of M { stop = 1 }\n",
                              "i") -
                     1) < 1e-7);  // floor is 1 until cos t = 1/2, at t = 1.047
}

// Before the start a delayed signal has its start value, in the first evaluation too: x' = 1 exactly.
static void test_delay_at_the_start(void** state)
{
    (void)state;
    assert_true(fabs(final_of("model M { signal d = delay(cos(0*time), 0.5); state x = 0; x' = d }\n"
                              "experiment e of M { stop = 1 }\n",
                              "x") -
                     1) < 1e-12);
}

// x' = u - x from 0, u = 1 until an instant near 0.5, then 3.
static void test_inputs_from_outside(void** state)
{
    (void)state;
    kaiModel* model = load("model M { input u = 1; state x = 0; x' = u - x; event tick = clock(0.5)\n"
                           "  signal twice = 2*u; discrete n = 0; when u > 2 { n := n + 1 }\n"
                           "  discrete crossings = 0; when up(u - 2.5) { crossings := crossings + 1 } }\n"
                           "experiment e of M { stop = 2 }\n",
                           "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    int u = variable(model, "u"), x = variable(model, "x");
    while (kaiSim_Now(sim).t < 0.5)
        assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);
    assert_int_equal(kaiSim_Set(sim, u, 3), KAI_OK);
    run_to_end(sim);
    double at_half = 1 - exp(-0.5);
    assert_true(fabs(get(sim, x) - (3 + (at_half - 3) * exp(-1.5))) < 1e-8);
    assert_true(get(sim, variable(model, "twice")) == 6);
    assert_true(get(sim, variable(model, "n")) == 1);  // the jump of u was an event of the model
    assert_true(get(sim, variable(model, "crossings")) == 1);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

static void test_expectations(void** state)
{
    (void)state;
    kaiModel* model = load(ball_text, "bounce");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    run_to_end(sim);
    kaiExpectResult r;
    assert_int_equal(kaiSim_Expect(sim, 0, &r), KAI_OK);
    assert_true(r.passed && r.present && r.has_target && r.target == 0.451523640985731 && r.within == 1e-12);
    assert_int_equal(kaiSim_Expect(sim, 1, &r), KAI_OK);
    assert_true(!r.passed && r.present && r.target == 1 && fabs(r.value) < 1e-9);
    assert_string_equal(r.text, "it does not fly");
    assert_string_equal(r.source, "final(y) ~ 1 within 1e-9");
    assert_int_equal(r.place.line, 18);
    assert_int_equal(kaiSim_Expect(sim, 2, &r), KAI_OK);
    assert_true(!r.passed && !r.present);
    assert_int_equal(kaiSim_Expect(sim, 3, &r), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Expect(sim, -1, &r), KAI_ERR_USAGE);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// -------------------------------------------------------------------------------------------------------------
// failures

static void test_wrong_options(void** state)
{
    (void)state;
    kaiModel* model = load(ball_text, "bounce");
    kaiError failure = {0};
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.solver = "rk99";
    assert_null(kaiSim_Create(model, &options, &failure));
    assert_int_equal(failure.status, KAI_ERR_USAGE);
    assert_non_null(strstr(failure.message, "rk99"));
    options = kaiModel_SimOptions(model);
    options.root = "guess";
    assert_null(kaiSim_Create(model, &options, &failure));
    assert_non_null(strstr(failure.message, "guess"));
    options = kaiModel_SimOptions(model);
    options.choice = "some";
    assert_null(kaiSim_Create(model, &options, &failure));
    assert_non_null(strstr(failure.message, "some"));
    options = kaiModel_SimOptions(model);
    options.start = 1;
    options.stop = 0.5;
    assert_null(kaiSim_Create(model, &options, &failure));
    assert_int_equal(failure.status, KAI_ERR_USAGE);
    assert_non_null(strstr(failure.message, "stop"));
    options.stop = NAN;
    assert_null(kaiSim_Create(model, &options, &failure));
    kaiModel_Free(model);
}

// A failed run says when, where and what; it stays failed.
static void test_failed_run(void** state)
{
    (void)state;
    kaiModel* model = load("model M {\n  state x = 1\n  x' = -1\n  assert x > 0.25 \"too low\"\n"
                           "  event tick = clock(0.1)\n}\nexperiment e of M { stop = 2 }\n",
                           "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = create(model, &options);
    assert_int_equal(kaiSim_Run(sim), KAI_ERR_RUN);
    const kaiError* failure = kaiSim_Failure(sim);
    assert_int_equal(failure->status, KAI_ERR_RUN);
    assert_true(failure->tag.t > 0.7499 && failure->tag.t < 0.8001);
    assert_int_equal(failure->place.line, 4);
    assert_non_null(strstr(failure->message, "too low"));
    assert_int_equal(kaiSim_Step(sim), KAI_ERR_RUN);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

static void test_interrupt(void** state)
{
    (void)state;
    kaiModel* model = load(ball_text, "bounce");
    volatile int interrupt = 0;
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.interrupt = &interrupt;
    kaiSim* sim = create(model, &options);
    assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);
    interrupt = 1;
    assert_int_equal(kaiSim_Run(sim), KAI_INTERRUPTED);
    interrupt = 0;  // it may go on
    run_to_end(sim);
    assert_int_equal(kaiSim_Counters(sim).instants, 30);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// The energies of the jumps at an instant: what was stored, what sources gave, what is stored, what went into switches.
static void check_jump_met(const char* text, double before, double given, double after, double lost, double met)
{
    kaiModel* model = load(text, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.balance = 1e-9;
    kaiSim* sim = create(model, &options);
    kaiJump jump;
    assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);  // the start
    assert_false(kaiSim_Jump(sim, &jump));
    assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);
    assert_true(kaiSim_Jump(sim, &jump));
    assert_int_equal(jump.jumps, 1);
    assert_true(fabs(jump.before - before) < 1e-12 && fabs(jump.after - after) < 1e-12);
    assert_true(fabs(jump.given - given) < 1e-12 && fabs(jump.lost - lost) < 1e-12 && fabs(jump.met - met) < 1e-12);
    kaiCounters counters = kaiSim_Counters(sim);
    assert_true(counters.jumps == 1 && fabs(counters.energy_jumped - (after - before)) < 1e-12);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

static void check_jump(const char* text, double before, double given, double after, double lost)
{
    check_jump_met(text, before, given, after, lost, 0);
}

static void test_energy_of_jumps(void** state)
{
    (void)state;
#define SWITCH "w : J1 switched { initial mode open : OFF { on time >= 1 -> shut } mode shut : ON {} }\n"
    // 10 C on 1 F and 2 F: 50 J become 100/6 J, the rest is lost.
    check_jump("model M { a : C(c = 1, e0 = 10); b : C(c = 2); j : J0; k : J0\n" SWITCH
               "bond j -> a; bond k -> b; bond j -> w -> k }\nexperiment e of M { stop = 2 }",
               50, 0, 100.0 / 6, 100.0 / 3);
    // A source of 10 V on 2 F gives c u² and stores half of it; the arrow of the source does not matter.
    check_jump("model M { s : Se(e = 10); b : C(c = 2); j : J0; k : J0\n" SWITCH
               "bond s -> j; bond k -> b; bond j -> w -> k }\nexperiment e of M { stop = 2 }",
               0, 200, 100, 100);
    check_jump("model M { s : Se(e = 10); b : C(c = 2); j : J0; k : J0\n" SWITCH
               "bond j -> s; bond k -> b; bond j -> w -> k }\nexperiment e of M { stop = 2 }",
               0, 200, 100, 100);
    // A blow of 6 N s on 2 kg at 1 m/s: to 4 m/s, at 2.5 m/s on the average. Nothing is lost.
    check_jump("model M { m : I(i = 2, f0 = 1); s : Se(e = delta(hit, 6)); event hit = up(time - 1); v : J1\n"
               "bond s -> v -> m }\nexperiment e of M { stop = 2 }",
               1, 15, 16, 0);
    // The same blow through a wheel: 1 kg and 2 kg that moves twice as fast.
    check_jump("model M { a : I(i = 1); b : I(i = 2); t : TF(n = 2); s : Se(e = delta(hit, 6)); v : J1\n"
               "event hit = up(time - 1); bond s -> v; bond v -> a; bond v -> t; bond t -> b }\n"
               "experiment e of M { stop = 2 }",
               0, 2, 2, 0);
    // A source that steps from 2 V to 5 V on 3 F gives 9 C at 5 V; half of 3 · 3² is the price of it.
    check_jump_met("model M { s : Se(e = if time < 1 then 2 else 5); b : C(c = 3, e0 = 2); j : J0\n"
                   "bond s -> j -> b }\nexperiment e of M { stop = 2 }",
                   6, 45, 37.5, 0, 13.5);
    // 10 C on 1 F, and a capacitor with e = q³: q + q³ = 10, so 50 J become 32 J and q⁴/4 = 4 J.
    check_jump("model M { a : C(c = 1, e0 = 10); b : C(e = q^3); j : J0; k : J0\n" SWITCH
               "bond j -> a; bond k -> b; bond j -> w -> k }\nexperiment e of M { stop = 2 }",
               50, 0, 36, 14);
#undef SWITCH
}

// ------------------------------------------------------------------------------------------------------------
// snapshots

// Run A straight on; run B saves in the middle, goes on, comes back, goes on again. All that follows the middle is the
// same, bit for bit. Taking a snapshot of CVODE starts it anew, so there A saves too.
static void check_snapshot(const char* text, const char* experiment, const char* solver)
{
    bool cvode = strncmp(solver, "cvode", 5) == 0;
    kaiModel* model = load_for(text, experiment, solver);
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.solver = solver;
    options.rtol = 1e-6;
    options.step = 0.005;
    options.stop = 4;
    Rows rows[2] = {{0}, {0}};
    kaiSim* a = create_recorded(model, options, &rows[0]);
    kaiSim* b = create_recorded(model, options, &rows[1]);
    kaiSnapshot* unused = NULL;
    for (int i = 0; i < 6; i++)
        assert_int_equal(kaiSim_Step(a), KAI_INSTANT);
    if (cvode)
        unused = kaiSim_Save(a);
    run_to_end(a);
    for (int i = 0; i < 6; i++)
        assert_int_equal(kaiSim_Step(b), KAI_INSTANT);
    size_t middle = rows[1].count;
    kaiSnapshot* snapshot = kaiSim_Save(b);
    assert_non_null(snapshot);
    kaiTag tag = kaiSim_Now(b);
    run_to_end(b);
    size_t end = rows[1].count;
    kaiCounters first = kaiSim_Counters(b);
    assert_same_rows(rows[0].at, rows[1].at, rows[0].count, rows[1].count);
    for (int again = 0; again < 2; again++)
    {
        assert_int_equal(kaiSim_Restore(b, snapshot), KAI_OK);
        assert_true(kaiSim_Now(b).t == tag.t && kaiSim_Now(b).p == tag.p && kaiSim_Now(b).m == tag.m);
        rows[1].count = end;
        run_to_end(b);
        assert_same_rows(rows[0].at + middle, rows[1].at + end, end - middle, rows[1].count - end);
        assert_int_equal(kaiSim_Counters(b).rows, first.rows);
        assert_int_equal(kaiSim_Counters(b).instants, first.instants);
    }
    // Into another sim of the same model, which has not started.
    Rows other_rows = {0};
    kaiSim* other = create_recorded(model, options, &other_rows);
    assert_int_equal(kaiSim_Restore(other, snapshot), KAI_OK);
    run_to_end(other);
    assert_same_rows(rows[0].at + middle, other_rows.at, end - middle, other_rows.count);
    kaiSnapshot_Free(snapshot);
    kaiSnapshot_Free(unused);
    kaiSim_Free(other);
    kaiSim_Free(a);
    kaiSim_Free(b);
    kaiModel_Free(model);
    free(rows[0].at);
    free(rows[1].at);
    free(other_rows.at);
}

static const char* const solvers[] = {"rk45",           "rk23",      "rosenbrock", "euler",
                                      "backward_euler", "trapezoid", "cvode_bdf",  "cvode_adams"};

enum
{
    SOLVERS = sizeof solvers / sizeof *solvers
};

static void test_snapshot_ball(void** state)
{
    (void)state;
    for (int i = 0; i < SOLVERS; i++)
    {
        print_message("%s\n", solvers[i]);
        check_snapshot(ball_text, "bounce", solvers[i]);
    }
}

static void test_snapshot_plant(void** state)
{
    (void)state;
    for (int i = 0; i < SOLVERS; i++)
    {
        print_message("%s\n", solvers[i]);
        check_snapshot(plant_text, "e", solvers[i]);
        check_snapshot(plant_text, "apart", solvers[i]);
    }
}

// Histories, what was given of the past, delays that vary, what is about to come out of them.
static void test_snapshot_delays(void** state)
{
    (void)state;
    const char* text = "model M {\n"
                       "  state x = 1, y = 1, z = 0\n"
                       "  x' = -2*delay(x, 0.7, cos(time))\n"
                       "  y' = -delay(y, 0.5 + 0.2*sin(3*time))\n"
                       "  z' = 1\n"
                       "  signal fast = delay(sin(20*time)*z, 0.4), jumps = delay(floor(5*z), 0.9 + z/10)\n"
                       "  event tick = clock(0.3, 0.1), up_fast = up(fast)\n"
                       "  discrete n = 0\n"
                       "  when tick { n := n + jumps; z := z/2 }\n"
                       "}\n"
                       "experiment e of M { stop = 4 }\n"
                       "experiment apart of M { stop = 4; islands = auto }\n";
    static const char* const names[] = {"rk45", "taylor", "rosenbrock", "cvode_bdf"};
    for (int i = 0; i < 4; i++)
    {
        print_message("%s\n", names[i]);
        check_snapshot(text, "e", names[i]);
        check_snapshot(text, "apart", names[i]);
    }
}

// Numeric impulses remember the step before: differences, pulses and the delayed ones.
static void test_snapshot_numeric(void** state)
{
    (void)state;
    static const char text[] =
        "model M {\n"
        "  event k = clock(0.3, 0.1), hit = down(y)\n"
        "  signal d = delta(k, 1), e = der(der(d)), late = delay(d, 0.2501)\n"
        "  state x = 0, z = 0, y = 1, v = 0\n"
        "  x' = e - x\n"
        "  z' = late + der(x)\n"
        "  y' = v\n"
        "  v' = delta(hit, -2*pre(v)) - 9.81\n"
        "}\n"
        "experiment plain of M { stop = 3; impulses = numeric; step = 0.005 }\n"
        "experiment ibe of M { stop = 3; impulses = numeric; step = 0.005; breakpoint_solver = ibe }\n";
    check_snapshot(text, "plain", "riemann");
    check_snapshot(text, "ibe", "riemann");
}

static void test_snapshot_of_another_model(void** state)
{
    (void)state;
    kaiModel *ball = load(ball_text, "bounce"), *plant = load(plant_text, "e");
    kaiSimOptions ball_options = kaiModel_SimOptions(ball), plant_options = kaiModel_SimOptions(plant);
    kaiSim *a = create(ball, &ball_options), *b = create(plant, &plant_options);
    kaiSnapshot* snapshot = kaiSim_Save(a);
    assert_int_equal(kaiSim_Restore(b, snapshot), KAI_ERR_USAGE);
    kaiSnapshot_Free(snapshot);
    kaiSim_Free(a);
    kaiSim_Free(b);
    kaiModel_Free(ball);
    kaiModel_Free(plant);
}

// --------------------------------------------------------------------------------------------------------------
// threads

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

// ---------------------------------------------------------------------------------------------------------------
// memory

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
        cmocka_unit_test(test_load_and_ask),
        cmocka_unit_test(test_list_experiments),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_step_through_bounces),
        cmocka_unit_test(test_absent_values),
        cmocka_unit_test(test_rows_of_a_bounce),
        cmocka_unit_test(test_no_impact_in_mid_flight),
        cmocka_unit_test(test_guards_of_time),
        cmocka_unit_test(test_start_at_rest_on_a_level),
        cmocka_unit_test(test_delay_at_the_start),
        cmocka_unit_test(test_inputs_from_outside),
        cmocka_unit_test(test_expectations),
        cmocka_unit_test(test_wrong_options),
        cmocka_unit_test(test_failed_run),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_snapshot_ball),
        cmocka_unit_test(test_snapshot_plant),
        cmocka_unit_test(test_snapshot_delays),
        cmocka_unit_test(test_snapshot_numeric),
        cmocka_unit_test(test_energy_of_jumps),
        cmocka_unit_test(test_snapshot_of_another_model),
        cmocka_unit_test(test_two_threads),
        cmocka_unit_test(test_no_allocation_in_a_run),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_allocation_failures_of_other_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
