// The binary of an FMU of version 3.0: clocks in and out, instants tag by tag, states that are saved between two tags
// of one, structural parameters, steps that end early, and what the standard forbids.
#include "fmu3_fixture.h"

// ---- clocks and instants

// A tick makes a; a makes b one tag later; b makes c in the tag after that.
static const char chain[] = "model M { input event tick; input u = 1; output event last\n"
                            "  output y = 2*u; discrete n = 0; state x = 0; x' = u; event a, b\n"
                            "  when tick { n := n + tick; emit a }\n"
                            "  when a { x := x + 1; emit b }\n"
                            "  when b { x := 10*x; emit last(n) } }\n"
                            "experiment e of M { stop = 5 }\n";

static void tick(const Unpacked* u, fmi3Instance c, double payload)
{
    fmi3ValueReference clock = reference(u, "tick"), value = reference(u, "tick.value");
    fmi3Clock on = true;
    OK(f.SetFloat64(c, &value, 1, &payload, 1));
    OK(f.SetClock(c, &clock, 1, &on));
}

static void test_tags(void** state)
{
    (void)state;
    Unpacked u = export_text(chain, false);
    fmi3Instance c = exchange(&u), other = exchange(&u);
    fmi3ValueReference last = reference(&u, "last"), x = reference(&u, "x"), rate = reference(&u, "der(x)");
    fmi3FMUState saved = NULL, read = NULL;
    double next, dx;
    size_t size = 0;
    fmi3Clock on = true;
    start(c);
    while (update(c, &next))
        ;
    tick(&u, c, 3);
    assert_true(update(c, &next));  // the tag of the tick, and there is more
    NO(f.GetFloat64(c, &rate, 1, &dx, 1), "der(x) has no value between the tags of an instant");
    NO(f.EnterContinuousTimeMode(c), "the instant is not over: fmi3UpdateDiscreteStates asks to be called again");
    OK(f.GetFMUState(c, &saved));
    OK(f.SerializedFMUStateSize(c, saved, &size));
    fmi3Byte* bytes = malloc(size);
    OK(f.SerializeFMUState(c, saved, bytes, size));
    OK(f.DeserializeFMUState(other, bytes, size, &read));
    OK(f.SetFMUState(other, read));
    int rounds = 1;
    while (update(c, &next))
        rounds++;
    while (update(other, &next))
        ;
    assert_true(rounds >= 2);
    near(real(c, x), 10, 0);
    near(real(other, x), 10, 0);  // restored in the middle of the instant, to the same end
    near(real(c, reference(&u, "last.value")), 3, 0);
    assert_int_equal(integer(c, reference(&u, "last.count")), 1);
    OK(f.GetClock(c, &last, 1, &on));
    assert_true(on);
    OK(f.EnterContinuousTimeMode(c));
    OK(f.GetContinuousStateDerivatives(c, &dx, 1));
    near(dx, 1, 0);
    OK(f.EnterEventMode(c));  // another instant: what ticked in the last one does not tick any longer
    OK(f.GetClock(c, &last, 1, &on));
    assert_false(on);
    OK(f.FreeFMUState(c, &saved));
    OK(f.FreeFMUState(c, &read));
    NO(f.DeserializeFMUState(c, bytes, size / 2, &read), "these bytes are no state of an FMU of Kairos, or damaged");
    assert_int_equal(f.SerializeFMUState(c, NULL, bytes, size), fmi3Error);
    free(bytes);
    f.FreeInstance(c);
    f.FreeInstance(other);
    unpack_remove(&u);
}

// Inputs jump in event mode and move in continuous time; y = 2 u, so its derivative along u is 2.
static void test_inputs(void** state)
{
    (void)state;
    Unpacked u = export_text(chain, false);
    fmi3Instance c = exchange(&u);
    fmi3ValueReference in = reference(&u, "u"), y = reference(&u, "y"), x = reference(&u, "x");
    fmi3ValueReference rate = reference(&u, "der(x)"), unknowns[] = {y, rate};
    double next, value = 3, seed[2] = {1, 10}, result[2] = {0, 0};
    size_t count = 0;
    fmi3Boolean event, terminate;
    start(c);
    while (update(c, &next))
        ;
    OK(f.SetFloat64(c, &in, 1, &value, 1));
    while (update(c, &next))
        ;
    near(real(c, y), 6, 0);
    OK(f.GetDirectionalDerivative(c, unknowns, 2, &in, 1, seed, 1, result, 2));
    near(result[0], 2, 1e-8);
    near(result[1], 1, 1e-8);
    OK(f.GetAdjointDerivative(c, unknowns, 2, &in, 1, seed, 2, result, 1));
    near(result[0], 12, 1e-7);  // 1*2 + 10*1
    OK(f.EnterContinuousTimeMode(c));
    value = 4;
    OK(f.SetTime(c, 0.5));
    OK(f.SetFloat64(c, &in, 1, &value, 1));
    near(real(c, y), 8, 0);
    value = 7;
    OK(f.SetFloat64(c, &x, 1, &value, 1));  // states belong to the importer
    OK(f.GetContinuousStates(c, result, 1));
    near(result[0], 7, 0);
    OK(f.CompletedIntegratorStep(c, true, &event, &terminate));
    OK(f.GetNumberOfContinuousStates(c, &count));
    assert_int_equal(count, 1);
    OK(f.GetNumberOfEventIndicators(c, &count));
    OK(f.GetNominalsOfContinuousStates(c, result, 1));
    OK(f.SetContinuousStates(c, result, 1));
    OK(f.EnterEventMode(c));
    OK(f.SetTime(c, 0.25));
    f.FreeInstance(c);
    unpack_remove(&u);
}

// ---- steps

static double return_at;
static int updates;
static void intermediate(fmi3InstanceEnvironment e, fmi3Float64 t, fmi3Boolean set, fmi3Boolean get, fmi3Boolean done,
                         fmi3Boolean may, fmi3Boolean* wanted, fmi3Float64* at)
{
    (void)e, (void)set, (void)get, (void)done;
    updates++;
    *wanted = may && t < return_at;
    *at = return_at;
}

// The impact at sqrt(2/g) ends the step where the importer wants to see events.
static void test_early(void** state)
{
    (void)state;
    Unpacked u = unpack(fmi_export("examples/ball/model.kai", 3));
    load(&u);
    fmi3Instance c = steps(&u, true, true, NULL);
    fmi3Boolean event, terminate, early;
    double reached = 0, next, t1 = sqrt(2 / 9.81);
    fmi3ValueReference hit = reference(&u, "hit"), watch = reference(&u, "_indicator_1");
    fmi3Clock on = false;
    start(c);
    while (update(c, &next))
        ;
    NO(f.EnterContinuousTimeMode(c), "there is no continuous-time mode in Co-Simulation");
    OK(f.EnterStepMode(c));
    OK(f.DoStep(c, 0, 1, true, &event, &terminate, &early, &reached));
    assert_true(event && early && !terminate);
    near(reached, t1, 1e-12);
    OK(f.EnterEventMode(c));
    OK(f.GetClock(c, &hit, 1, &on));
    assert_true(on);
    NO(f.GetFloat64(c, &watch, 1, &next, 1), "_indicator_1 has no value here");
    assert_false(update(c, &next));
    OK(f.EnterStepMode(c));
    OK(f.DoStep(c, reached, 1 - reached, true, &event, &terminate, &early, &reached));
    assert_true(!early && reached == 1);
    double s = 1 - t1;
    near(real(c, reference(&u, "y")), 0.8 * 9.81 * t1 * s - 9.81 * s * s / 2, 1e-8);
    NO(f.DoStep(c, 0, 1, true, &event, &terminate, &early, &reached), "does not begin at 1");
    assert_int_equal(f.DoStep(c, 1, 1, true, NULL, &terminate, &early, &reached), fmi3Error);
    f.FreeInstance(c);
    c = steps(&u, false, true, intermediate);
    return_at = 0.7;
    start(c);
    OK(f.DoStep(c, 0, 1, true, &event, &terminate, &early, &reached));
    near(reached, 0.7, 1e-9);  // asked for at the impact
    assert_true(early && !event && updates >= 1);
    f.FreeInstance(c);
    unpack_remove(&u);
}

static const char counter[] =
    "model M { input event e; input u = 1; param p [km] = 2; output s [km] = p*u; discrete n = 0; state t = 0\n"
    "  t' = 1; signal late = t > 2; output event twice = up(n - 1.5)\n"
    "  when e { n := n + e } when down(t - 3) { halt \"over\" } when up(t - 4) { halt \"over\" } }\n"
    "experiment e of M { stop = 5 }\n";

static void test_settled_inputs(void** state)
{
    (void)state;
    Unpacked u = export_text(counter, false);
    fmi3Instance c = steps(&u, true, false, NULL);
    fmi3ValueReference e = reference(&u, "e"), in = reference(&u, "u"), value = reference(&u, "e.value");
    fmi3Boolean event, terminate, early;
    double next, reached = 0, two = 2, half = 0.5;
    fmi3Clock on = true;
    start(c);
    near(real(c, reference(&u, "s")), 2000, 0);  // SI
    OK(f.SetFloat64(c, &in, 1, &half, 1));
    OK(f.SetFloat64(c, &value, 1, &two, 1));
    OK(f.SetClock(c, &e, 1, &on));
    while (update(c, &next))
        ;
    near(real(c, reference(&u, "n")), 2, 0);
    near(real(c, reference(&u, "s")), 1000, 1e-12);
    assert_int_equal(integer(c, reference(&u, "twice.count")), 1);
    OK(f.EnterStepMode(c));
    OK(f.DoStep(c, 0, 5, true, &event, &terminate, &early, &reached));
    assert_true(terminate && early);
    near(reached, 4, 1e-9);
    OK(f.Terminate(c));
    OK(f.Reset(c));
    near(real(c, reference(&u, "u")), 1, 0);
    f.FreeInstance(c);
    unpack_remove(&u);
}

// ---- structure

static const char sized[] = "model M { param N = 3; param g = 2; state x[i in 1..N] = 1; signal s = g*N\n"
                            "  for i in 1..N { x[i]' = 1 } }\n"
                            "experiment e of M { stop = 1 }\n";
static const char scaled[] = "model M { param deep = false; param g = 2; state x = 0\n"
                             "  if deep { x' = 10*g }\n  if not deep { x' = g } }\n"
                             "experiment e of M { stop = 1 }\n";

static fmi3ValueReference structural(const Unpacked* u, const char* name, fmi3Instance c)
{
    fmi3ValueReference r = reference(u, name);
    OK(f.EnterConfigurationMode(c));
    return r;
}

static void test_structure(void** state)
{
    (void)state;
    Unpacked u = export_text(scaled, false);
    fmi3Instance c = exchange(&u);
    fmi3ValueReference r = reference(&u, "deep"), g = reference(&u, "g");
    fmi3Boolean yes = true;
    double dx = 0, five = 5;
    said[0] = 0;
    assert_int_equal(f.SetBoolean(c, &r, 1, &yes, 1), fmi3Error);
    if (strstr(said, "is set in configuration mode") != NULL)
    {
        OK(f.SetFloat64(c, &g, 1, &five, 1));
        structural(&u, "deep", c);
        OK(f.SetBoolean(c, &r, 1, &yes, 1));
        OK(f.ExitConfigurationMode(c));
        start(c);
        OK(f.GetContinuousStateDerivatives(c, &dx, 1));
        near(dx, 50, 0);  // the other branch, with the value of before
    }
    else
        fail_msg("%s", said);
    f.FreeInstance(c);
    unpack_remove(&u);
}

static const char ragged[] = "model M { param N = 2; state x[i in 1..N] = 1; for i in 1..N { x[i]' = 1 }\n"
                             "  if N > 4 { state more = 0; more' = 1 } }\n"
                             "experiment e of M { stop = 1 }\n";

// Sizes are what an importer says, as long as the variables stay the same; a hidden model has its own.
static void test_sizes(void** state)
{
    (void)state;
    Unpacked u = export_text(sized, false);
    fmi3Instance c = exchange(&u);
    fmi3UInt64 five = 5, n = 0;
    size_t states = 0, dependencies = 0;
    double x[5] = {0}, dx[5], set[5] = {1, 2, 3, 4, 5};
    fmi3ValueReference r = structural(&u, "N", c), array = reference(&u, "x"), g = reference(&u, "g");
    fmi3ValueReference rate = reference(&u, "der(x)");
    OK(f.SetUInt64(c, &r, 1, &five, 1));
    NO(f.SetFloat64(c, &g, 1, x, 1), "g is no structural parameter: it is set after configuration mode");
    OK(f.ExitConfigurationMode(c));
    OK(f.GetUInt64(c, &r, 1, &n, 1));
    assert_int_equal(n, 5);
    OK(f.GetNumberOfContinuousStates(c, &states));
    assert_int_equal(states, 5);
    OK(f.SetFloat64(c, &array, 1, set, 5));
    NO(f.SetFloat64(c, &array, 1, set, 3), "3 values instead of the 5 of the 1 variables asked for");
    start(c);
    near(real(c, reference(&u, "s")), 10, 0);
    OK(f.GetContinuousStates(c, x, 5));
    OK(f.GetContinuousStateDerivatives(c, dx, 5));
    for (int i = 0; i < 5; i++)
        assert_true(x[i] == i + 1 && dx[i] == 1);
    OK(f.GetNumberOfVariableDependencies(c, rate, &dependencies));
    assert_int_equal(dependencies, 0);
    OK(f.Reset(c));  // as it was instantiated
    OK(f.GetNumberOfContinuousStates(c, &states));
    assert_int_equal(states, 3);
    f.FreeInstance(c);
    unpack_remove(&u);
}

// A size that follows from another is told, and held against what it is; an indicator is a variable like others.
static void test_what_follows(void** state)
{
    (void)state;
    static const char text[] =
        "model M { param n = 2; input u = 0; state w[i in 1..n - 1] = 0; for i in 1..n - 1 { w[i]' = i }\n"
        "  state q[i in 1..n] = 0; for i in 1..n { q[i]' = 1 }\n"
        "  event over = up(u - w[1] - 1); discrete k = 0; when over { k := 1 } }\n"
        "experiment e of M { stop = 1 }\n";
    Unpacked u = export_text(text, false);
    fmi3Instance c = exchange(&u);
    fmi3ValueReference size = reference(&u, "_size_w"), n = structural(&u, "n", c),
                       watch = reference(&u, "_indicator_1");
    fmi3UInt64 two = 2, three = 3, got = 0;
    double z = 0, same = 0;
    size_t count = 0;
    OK(f.GetUInt64(c, &size, 1, &got, 1));
    assert_int_equal(got, 1);
    OK(f.SetUInt64(c, &n, 1, &three, 1));
    OK(f.SetUInt64(c, &size, 1, &three, 1));
    NO(f.ExitConfigurationMode(c), "_size_w");
    OK(f.SetUInt64(c, &size, 1, &two, 1));
    OK(f.GetUInt64(c, &size, 1, &got, 1));
    assert_int_equal(got, 2);
    OK(f.ExitConfigurationMode(c));
    NO(f.SetUInt64(c, &size, 1, &two, 1), "_size_w decides the structure of the model");
    start(c);
    OK(f.GetEventIndicators(c, &z, 1));
    OK(f.GetFloat64(c, &watch, 1, &same, 1));
    near(same, z, 0);
    assert_true(z != 0);
    OK(f.GetNumberOfVariableDependencies(c, watch, &count));
    f.FreeInstance(c);
    unpack_remove(&u);
}

static const char rows[] = "model P { input f; state x = 1, v = 2; x' = v; v' = f }\n"
                           "model M { param n = 2; input u; p : P[i in 1..n]; state w[i in 1..n - 1] = 0\n"
                           "  for i in 1..n { p[i].f = u - 3*p[i].x }\n"
                           "  for i in 1..n - 1 { w[i]' = p[i + 1].v } }\n"
                           "experiment e of M { stop = 1 }\n";

// x' = v, v' = u - 3 x, of three where two were exported: the states of arrays stand together wherever the solver has
// them, w is one shorter, each element hangs on its own, and derivatives run along them.
static void test_rows(void** state)
{
    (void)state;
    Unpacked u = export_text(rows, false);
    fmi3Instance c = exchange(&u);
    fmi3UInt64 three = 3;
    fmi3ValueReference n = structural(&u, "n", c), x = reference(&u, "p.x"), v = reference(&u, "p.v");
    fmi3ValueReference w = reference(&u, "w"), dx = reference(&u, "der(p.x)"), dv = reference(&u, "der(p.v)");
    fmi3ValueReference in = reference(&u, "u");
    double one = 1, all[8], rates[8], got[3], along[3];
    const double xs[] = {1, 2, 3}, vs[] = {4, 5, 6}, ws[] = {7, 8}, seed[] = {1, 10, 100};
    OK(f.SetUInt64(c, &n, 1, &three, 1));
    OK(f.ExitConfigurationMode(c));
    OK(f.SetFloat64(c, &in, 1, &one, 1));
    OK(f.SetFloat64(c, &x, 1, xs, 3));
    OK(f.SetFloat64(c, &v, 1, vs, 3));
    OK(f.SetFloat64(c, &w, 1, ws, 2));
    start(c);
    OK(f.GetContinuousStates(c, all, 8));
    OK(f.GetContinuousStateDerivatives(c, rates, 8));
    double sum = 0;
    for (int i = 0; i < 8; i++)
        sum += all[i];
    near(sum, 36, 0);
    for (int i = 0; i < 8; i++)  // each of them is known by its value
        near(rates[i], all[i] <= 3 ? all[i] + 3 : all[i] <= 6 ? 1 - 3 * (all[i] - 3) : all[i] - 2, 0);
    for (int i = 0; i < 8; i++)
        all[i] += 10;
    OK(f.SetContinuousStates(c, all, 8));
    OK(f.GetFloat64(c, &x, 1, got, 3));
    for (int i = 0; i < 3; i++)
        near(got[i], xs[i] + 10, 0);
    OK(f.GetDirectionalDerivative(c, &dv, 1, &x, 1, seed, 3, along, 3));
    for (int i = 0; i < 3; i++)
        near(along[i], -3 * seed[i], 1e-12);
    OK(f.GetAdjointDerivative(c, &dx, 1, &v, 1, seed, 3, along, 3));
    for (int i = 0; i < 3; i++)
        near(along[i], seed[i], 1e-12);
    NO(f.GetDirectionalDerivative(c, &dv, 1, &x, 1, seed, 2, along, 3), "2 numbers do not fit the 1 variables");

    size_t count = 0, elements[8], known_elements[8];
    fmi3ValueReference knowns[8];
    fmi3DependencyKind kinds[8];
    OK(f.GetNumberOfVariableDependencies(c, dv, &count));
    assert_int_equal(count, 6);
    OK(f.GetVariableDependencies(c, dv, elements, knowns, known_elements, kinds, 6));
    for (size_t i = 0; i < 6; i++)
    {
        assert_true(elements[i] == i / 2 + 1 && (knowns[i] == x || knowns[i] == in));
        assert_int_equal(known_elements[i], knowns[i] == x ? elements[i] : 1);
    }
    NO(f.GetVariableDependencies(c, dv, elements, knowns, known_elements, kinds, 5), "has 6 dependencies, not 5");
    NO(f.GetVariableDependencies(c, dv, NULL, NULL, NULL, NULL, 6), "there is no room for the dependencies");
    NO(f.GetNumberOfVariableDependencies(c, 999, &count), "there is no variable with value reference 999");
    f.FreeInstance(c);
    unpack_remove(&u);
}

// A state brings the sizes that it was saved with, to the same instance after a reset and to one that has other sizes.
static void state_of_other_size(bool cs)
{
    Unpacked u = export_text(sized, false);
    fmi3Instance c = cs ? steps(&u, false, false, NULL) : exchange(&u),
                 other = cs ? steps(&u, false, false, NULL) : exchange(&u);
    fmi3UInt64 five = 5;
    fmi3FMUState saved = NULL, read = NULL;
    size_t size = 0, states = 0;
    fmi3ValueReference r = structural(&u, "N", c), array = reference(&u, "x");
    double x[5] = {0};
    OK(f.SetUInt64(c, &r, 1, &five, 1));
    OK(f.ExitConfigurationMode(c));
    start(c);
    OK(f.GetFMUState(c, &saved));
    OK(f.SerializedFMUStateSize(c, saved, &size));
    fmi3Byte* bytes = malloc(size);
    OK(f.SerializeFMUState(c, saved, bytes, size));
    OK(f.Reset(c));
    NO(f.GetFloat64(c, &array, 1, x, 5), "5 values instead of the 3");
    OK(f.SetFMUState(c, saved));
    OK(f.GetFloat64(c, &array, 1, x, 5));
    near(x[4], 1, 0);
    OK(f.DeserializeFMUState(other, bytes, size, &read));
    OK(f.SetFMUState(other, read));
    OK(f.GetNumberOfContinuousStates(other, &states));
    assert_int_equal(states, 5);
    OK(f.GetFloat64(other, &array, 1, x, 5));
    OK(f.FreeFMUState(c, &saved));
    OK(f.FreeFMUState(other, &read));
    free(bytes);
    f.FreeInstance(c);
    f.FreeInstance(other);
    unpack_remove(&u);
}

static void test_states_of_other_sizes(void** state)
{
    (void)state;
    state_of_other_size(false);
    state_of_other_size(true);
}

static void test_other_variables(void** state)
{
    (void)state;
    Unpacked u = export_text(ragged, false);
    fmi3Instance c = exchange(&u);
    fmi3ValueReference r = structural(&u, "N", c);
    fmi3UInt64 five = 5;
    OK(f.SetUInt64(c, &r, 1, &five, 1));
    NO(f.ExitConfigurationMode(c), "the model has other variables than its description");
    f.FreeInstance(c);
    unpack_remove(&u);
    u = export_text(sized, true);
    c = exchange(&u);
    r = structural(&u, "N", c);
    double real_five = 5;
    NO(f.SetFloat64(c, &r, 1, &real_five, 1), "N is fixed: the FMU holds the compiled model only");
    OK(f.ExitConfigurationMode(c));
    f.FreeInstance(c);
    unpack_remove(&u);
}

// ---- failures

static const char broken[] = "model M { state x = 1; x' = -1; assert x > 0.5 \"too small\" }\n"
                             "experiment e of M { stop = 5 }\n";

static void test_failed_run(void** state)
{
    (void)state;
    Unpacked u = export_text(broken, false);
    fmi3Instance c = steps(&u, false, false, NULL);
    fmi3Boolean flags[3];
    double reached;
    start(c);
    NO(f.DoStep(c, 0, 1, true, &flags[0], &flags[1], &flags[2], &reached), "too small");
    assert_non_null(strstr(said, "model.kai:1:"));
    NO(f.DoStep(c, 0, 1, true, &flags[0], &flags[1], &flags[2], &reached), "must not be called after an error");
    f.FreeInstance(c);
    unpack_remove(&u);
}

// ---- what is forbidden

static void test_order(void** state)
{
    (void)state;
    Unpacked u = export_text(chain, false);
    assert_string_equal(f.GetVersion(), "3.0");
    assert_null(f.InstantiateModelExchange(" ", u.guid, u.resources, false, false, NULL, log_message));
    assert_string_equal(said, "the instance has no name");
    assert_null(f.InstantiateModelExchange("it", "other", u.resources, false, false, NULL, log_message));
    assert_non_null(strstr(said, "the instantiation token other of the description is not that of the resources"));
    assert_null(
        f.InstantiateScheduledExecution("it", u.guid, u.resources, false, false, NULL, log_message, NULL, NULL, NULL));
    assert_string_equal(said, "this FMU has Model Exchange and Co-Simulation, no Scheduled Execution");
    fmi3Instance c = exchange(&u);
    fmi3Boolean b = false;
    double x = 0;
    NO(f.EnterStepMode(c), "fmi3EnterStepMode must not be called before initialization");
    NO(f.EnterInitializationMode(c, false, 0, INFINITY, false, 0),
       "the start time inf and the stop time 0 do not belong together");
    NO(f.ExitConfigurationMode(c), "must not be called before initialization");
    NO(f.Terminate(c), "must not be called before initialization");
    OK(f.SetDebugLogging(c, true, 0, NULL));
    start(c);
    OK(f.EvaluateDiscreteStates(c));
    NO(f.EnterConfigurationMode(c), "must not be called in event mode");
    NO(f.EnterStepMode(c), "there is no step mode in Model Exchange");
    NO(f.DoStep(c, 0, 1, true, &b, &b, &b, &x), "must not be called in event mode");
    NO(f.GetContinuousStates(c, &x, 2), "the array has 2 values instead of 1");
    assert_int_equal(f.UpdateDiscreteStates(c, NULL, &b, &b, &b, &b, &x), fmi3Error);
    assert_int_equal(f.GetNumberOfContinuousStates(c, NULL), fmi3Error);
    assert_int_equal(f.GetContinuousStates(NULL, &x, 1), fmi3Error);
    assert_int_equal(f.SetDebugLogging(NULL, true, 0, NULL), fmi3Error);
    assert_int_equal(f.FreeFMUState(NULL, NULL), fmi3Error);
    assert_int_equal(f.GetFMUState(c, NULL), fmi3Error);
    assert_int_equal(f.SetFMUState(c, NULL), fmi3Error);
    assert_int_equal(f.SerializedFMUStateSize(c, NULL, NULL), fmi3Error);
    assert_int_equal(f.DeserializeFMUState(c, NULL, 0, NULL), fmi3Error);
    assert_int_equal(f.ActivateModelPartition(NULL, 0, 0), fmi3Error);
    f.FreeInstance(c);
    f.FreeInstance(NULL);
    c = steps(&u, false, false, NULL);
    start(c);
    NO(f.SetContinuousStates(c, &x, 1), "must not be called in step mode");
    NO(f.GetContinuousStates(c, &x, 1), "must not be called in step mode");
    NO(f.EnterEventMode(c), "must not be called in step mode");
    NO(f.GetNominalsOfContinuousStates(c, &x, 1), "fmi3GetNominalsOfContinuousStates is for Model Exchange");
    NO(f.GetOutputDerivatives(c, NULL, 0, NULL, NULL, 0), "maxOutputDerivativeOrder is 0");
    NO(f.ActivateModelPartition(c, 0, 0), "there is no Scheduled Execution");
    f.FreeInstance(c);
    unpack_remove(&u);
}

// What the model has no variables of answers as the standard says: nothing for none, no for some.
static void test_no_values(void** state)
{
    (void)state;
    Unpacked u = export_text(chain, false);
    fmi3Instance c = exchange(&u);
    fmi3ValueReference r = 1;
#define NONE(name, type)                                                                                               \
    OK(f.Get##name(c, NULL, 0, NULL, 0));                                                                              \
    OK(f.Set##name(c, NULL, 0, NULL, 0));                                                                              \
    NO(f.Get##name(c, &r, 1, NULL, 1), "the model has no " #name " variables");                                        \
    NO(f.Set##name(c, &r, 1, NULL, 1), "the model has no " #name " variables");
    NONE(Float32, )
    NONE(Int8, )
    NONE(UInt8, )
    NONE(Int16, )
    NONE(UInt16, )
    NONE(Int32, )
    NONE(UInt32, )
    NONE(String, )
#undef NONE
    NO(f.GetUInt64(c, &r, 1, NULL, 1), "is no UInt64");
    NO(f.GetBinary(c, &r, 1, NULL, NULL, 1), "the model has no Binary variables");
    NO(f.SetBinary(c, &r, 1, NULL, NULL, 1), "the model has no Binary variables");
    NO(f.GetIntervalDecimal(c, &r, 1, NULL, NULL), "fmi3GetIntervalDecimal: all clocks are triggered");
    NO(f.GetIntervalFraction(c, &r, 1, NULL, NULL, NULL), "fmi3GetIntervalFraction: all clocks are triggered");
    NO(f.GetShiftDecimal(c, &r, 1, NULL), "fmi3GetShiftDecimal: all clocks are triggered");
    NO(f.GetShiftFraction(c, &r, 1, NULL, NULL), "fmi3GetShiftFraction: all clocks are triggered");
    NO(f.SetIntervalDecimal(c, &r, 1, NULL), "fmi3SetIntervalDecimal: all clocks are triggered");
    NO(f.SetIntervalFraction(c, &r, 1, NULL, NULL), "fmi3SetIntervalFraction: all clocks are triggered");
    NO(f.SetShiftDecimal(c, &r, 1, NULL), "fmi3SetShiftDecimal: all clocks are triggered");
    NO(f.SetShiftFraction(c, &r, 1, NULL, NULL), "fmi3SetShiftFraction: all clocks are triggered");
    NO(f.GetVariableDependencies(c, 500, NULL, NULL, NULL, NULL, 0), "no variable with value reference 500");
    double x = 1;
    int64_t i = 1;
    r = 500;
    NO(f.GetFloat64(c, &r, 1, &x, 1), "there is no variable with value reference 500");
    NO(f.GetFloat64(c, &r, 1, &x, 2), "2 values instead of the 1 of the 1 variables");
    r = reference(&u, "x");
    NO(f.GetInt64(c, &r, 1, &i, 1), "x is no Int64");
    r = reference(&u, "tick");
    NO(f.SetFloat64(c, &r, 1, &x, 1), "tick is no Float64");
    assert_int_equal(f.GetFloat32(NULL, NULL, 0, NULL, 0), fmi3Error);
    f.FreeInstance(c);
    unpack_remove(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags),       cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_early),      cmocka_unit_test(test_settled_inputs),
        cmocka_unit_test(test_structure),  cmocka_unit_test(test_other_variables),
        cmocka_unit_test(test_sizes),      cmocka_unit_test(test_states_of_other_sizes),
        cmocka_unit_test(test_rows),       cmocka_unit_test(test_what_follows),
        cmocka_unit_test(test_failed_run), cmocka_unit_test(test_order),
        cmocka_unit_test(test_no_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
