// The library as a program sees it that embeds it: only public headers. Load, messages, parameters, instants, signals,
// snapshots, threads, memory. Expected values are closed forms.
#include "unit/api_fixture.h"

static int variable(const kaiModel* model, const char* name)
{
    int v = kaiModel_FindVariable(model, name);
    if (v < 0)
        print_message("no variable %s\n", name);
    assert_true(v >= 0);
    return v;
}

static double get(kaiSim* sim, int v)
{
    double value = NAN;
    assert_true(kaiSim_Get(sim, v, &value));
    return value;
}

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
    kaiSnapshot* between = kaiSim_Save(sim);  // what was set and not seen yet is part of it
    assert_int_equal(kaiSim_Restore(sim, between), KAI_OK);
    kaiSnapshot_Free(between);
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
        cmocka_unit_test(test_energy_of_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
