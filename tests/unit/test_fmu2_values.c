// What an importer of version 2.0 sees of things that FMI has no word for: impulses as sums, values that may be absent,
// modes and truths; options that the export keeps; and runs that fail, each in its sentence.
#include "fmu2_fixture.h"

static Unpacked export_text(const char* text, const kaiFmuOptions* how, const kaiCompileOptions* compile)
{
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = compile != NULL ? *compile : kaiDefaultCompileOptions();
    kaiFmuOptions options = how != NULL ? *how : kaiDefaultFmuOptions();
    Bytes made = {NULL, 0, 0};
    kaiError error = {0};
    source.path = "text.kai";
    source.text = text;
    which.experiment = "e";
    options.version = 2;
    options.sink = (kaiSink){bytes_write, &made};
    if (kaiFmu_Export(&source, &which, &options, &error) != KAI_OK)
        fail_msg("%s: %s", text, error.message);
    Unpacked u = unpack(made);
    load(&u);
    return u;
}

// Whatever is due until then; the only state moves at events alone.
static void ride_to(fmi2Component c, fmi2EventInfo* info, double until)
{
    for (double t = 0, x; t < until;)
    {
        bool due = info->nextEventTimeDefined && info->nextEventTime <= until;
        t = due ? info->nextEventTime : until;
        OK(f.SetTime(c, t));
        OK(f.GetContinuousStates(c, &x, 1));
        OK(f.SetContinuousStates(c, &x, 1));
        if (!due)
            continue;
        OK(f.EnterEventMode(c));
        settle(c, info);
        OK(f.EnterContinuousTimeMode(c));
    }
}

// ---- impulses and absence

static const char rich[] = "model M { param k = 3; state x = 0; event tick = clock(1, 1)\n"
                           "  signal F = delta(tick, 2); x' = F\n"
                           "  discrete lit = false; when tick { lit := not lit }\n"
                           "  modes { initial mode low { signal part = 10*k; on time >= 1.5 -> high }\n"
                           "          mode high { signal other = 7 } } }\n"
                           "experiment e of M { stop = 5 }\n";

static void check_rich(const Unpacked* u, fmi2Component c, int ticks, bool high)
{
    near(real(c, reference(u, "F.area")), 2 * ticks, 0);
    near(real(c, reference(u, "x")), 2 * ticks, 1e-12);
    assert_int_equal(truth(c, reference(u, "lit")), ticks % 2);
    assert_int_equal(integer(c, reference(u, "mode")), high ? 2 : 1);
    assert_int_equal(truth(c, reference(u, "part.present")), !high);
    near(real(c, reference(u, "part")), 30, 0);  // absent: the last value
    assert_int_equal(truth(c, reference(u, "other.present")), high);
}

static void test_absent_steps(void** state)
{
    (void)state;
    Unpacked u = export_text(rich, NULL, NULL);
    fmi2Component c = make(&u, fmi2CoSimulation);
    start(c);
    OK(f.DoStep(c, 0, 1.25, fmi2True));
    check_rich(&u, c, 1, false);
    OK(f.DoStep(c, 1.25, 1, fmi2True));
    check_rich(&u, c, 2, true);
    near(real(c, reference(&u, "other")), 7, 0);
    f.FreeInstance(c);
    unpack_remove(&u);
}

// Two sources through diodes onto a resistor: where they cross both conduct for no time, with currents of no size. The
// weight of that is infinite; nothing is carried, so the sum of weights stays 0.
static void test_infinite_weights(void** state)
{
    (void)state;
    Unpacked u = export_text("import \"electrical.kai\"\nmodel M { a : VoltageSource; b : VoltageSource; g : Ground\n"
                             "  d1 : Diode; d2 : Diode; r : Resistor(R = 2); a.u = time; b.u = 1 - time\n"
                             "  connect a.b, b.b, r.b, g.a; connect a.a, d1.a; connect b.a, d2.a\n"
                             "  connect d1.b, d2.b, r.a }\nexperiment e of M { stop = 1 }\n",
                             NULL, NULL);
    fmi2Component c = make(&u, fmi2CoSimulation);
    start(c);
    OK(f.DoStep(c, 0, 0.25, fmi2True));
    near(real(c, reference(&u, "b.i")), 0.375, 1e-12);
    OK(f.DoStep(c, 0.25, 0.5, fmi2True));
    near(real(c, reference(&u, "a.i")), 0.375, 1e-12);
    near(real(c, reference(&u, "a.i.area")), 0, 0);
    near(real(c, reference(&u, "b.i.area")), 0, 0);
    f.FreeInstance(c);
    unpack_remove(&u);
}

static void test_absent_exchange(void** state)
{
    (void)state;
    Unpacked u = export_text(rich, NULL, NULL);
    fmi2Component c = make(&u, fmi2ModelExchange);
    fmi2EventInfo info;
    start(c);
    settle(c, &info);
    OK(f.EnterContinuousTimeMode(c));
    ride_to(c, &info, 1.25);
    check_rich(&u, c, 1, false);
    ride_to(c, &info, 2.25);
    check_rich(&u, c, 2, true);
    f.FreeInstance(c);
    unpack_remove(&u);
}

// ---- what an export keeps

static void test_kept_options(void** state)
{
    (void)state;
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiOverride over = {"k", 5};
    kaiGiven value = {"x", "2*5"}, setting = {"solver", "cvode_bdf"};
    which.overrides = &over;
    which.override_count = 1;
    which.values = &value;
    which.value_count = 1;
    which.settings = &setting;
    which.setting_count = 1;
    Unpacked u =
        export_text("model M { param k = 1; state x = 0; x' = -k*x }\nexperiment e of M { stop = 5 }\n", NULL, &which);
    fmi2Component c = make(&u, fmi2CoSimulation);
    start(c);
    near(real(c, reference(&u, "x")), 10, 0);
    OK(f.DoStep(c, 0, 0.2, fmi2True));  // an FMU has no CVODE: another method, the same solution
    near(real(c, reference(&u, "x")), 10 * exp(-1), 1e-6);
    f.FreeInstance(c);
    unpack_remove(&u);
}

static const char chain[] = "model M { state x = 0; x' = 1; event a = clock(1, 1), b, last\n"
                            "  when a { x := 0; emit b } when b { x := x + 1; emit last } when last { x := 10*x } }\n"
                            "experiment e of M { stop = 5 }\n";

// All tags of an instant in one round, or one in each: the same end.
static void test_whole_instants(void** state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++)
    {
        kaiFmuOptions how = kaiDefaultFmuOptions();
        how.whole_instants = whole != 0;
        Unpacked u = export_text(chain, &how, NULL);
        fmi2Component c = make(&u, fmi2ModelExchange);
        fmi2EventInfo info;
        double x = 1, dx;
        start(c);
        settle(c, &info);
        assert_true(info.nextEventTimeDefined && info.nextEventTime == 1);
        OK(f.EnterContinuousTimeMode(c));
        OK(f.SetTime(c, 1));
        OK(f.SetContinuousStates(c, &x, 1));
        OK(f.EnterEventMode(c));
        OK(f.NewDiscreteStates(c, &info));
        assert_int_equal(info.newDiscreteStatesNeeded, !whole);
        if (!whole)
        {
            fmi2ValueReference rate = reference(&u, "der(x)");
            NO(f.EnterContinuousTimeMode(c), "the instant is not over: fmi2NewDiscreteStates asks to be called again");
            NO(f.GetDerivatives(c, &dx, 1), "there are no derivatives between the tags of an instant");
            NO(f.GetReal(c, &rate, 1, &dx), "der(x) has no value between the tags of an instant");
            settle(c, &info);
        }
        OK(f.GetContinuousStates(c, &x, 1));
        near(x, 10, 0);
        f.FreeInstance(c);
        unpack_remove(&u);
    }
}

// ---- failures

static void test_failed_start(void** state)
{
    (void)state;
    Unpacked u = export_text(
        "model M { param p = 1; state x; x' = 0; initial x^2 == p }\nexperiment e of M { stop = 5 }\n", NULL, NULL);
    for (int type = 0; type < 2; type++)
    {
        fmi2ValueReference p = reference(&u, "p"), x = reference(&u, "x"), rate = reference(&u, "der(x)");
        double minus = -1, one = 1, any;
        fmi2Component c = make(&u, type == 0 ? fmi2ModelExchange : fmi2CoSimulation);
        OK(f.SetReal(c, &p, 1, &minus));
        OK(f.SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0));
        OK(f.EnterInitializationMode(c));
        NO(f.GetReal(c, &x, 1, &any), "the initial equations could not be solved");
        f.FreeInstance(c);
        c = make(&u, type == 0 ? fmi2ModelExchange : fmi2CoSimulation);
        OK(f.SetReal(c, &p, 1, &minus));
        OK(f.SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0));
        OK(f.EnterInitializationMode(c));
        NO(f.GetDirectionalDerivative(c, &rate, 1, &x, 1, &one, &any), "the initial equations could not be solved");
        NO(f.ExitInitializationMode(c), "must not be called after an error");
        f.FreeInstance(c);
    }
    unpack_remove(&u);
}

// An assertion that fails at an event.
static void test_failed_exchange(void** state)
{
    (void)state;
    Unpacked u = export_text("model M { state x = 1; x' = 0; discrete n = 0; event a = clock(1, 1)\n"
                             "  when a { n := 1 } assert n < 1 \"too many\" }\nexperiment e of M { stop = 5 }\n",
                             NULL, NULL);
    fmi2Component c = make(&u, fmi2ModelExchange);
    fmi2EventInfo info;
    double x = 1;
    start(c);
    settle(c, &info);
    OK(f.EnterContinuousTimeMode(c));
    OK(f.SetTime(c, 1));
    OK(f.SetContinuousStates(c, &x, 1));
    OK(f.EnterEventMode(c));
    fmi2Status status = fmi2OK;
    for (int i = 0; i < 9 && status == fmi2OK; i++)
        status = f.NewDiscreteStates(c, &info);
    assert_int_equal(status, fmi2Error);
    assert_non_null(strstr(said, "too many"));
    NO(f.NewDiscreteStates(c, &info), "must not be called after an error");
    f.FreeInstance(c);
    unpack_remove(&u);
}

// An importer sees only ever more events: they are ended where time no longer goes on between them.
static void test_zeno(void** state)
{
    (void)state;
    Unpacked u = export_text("model M { state x = 0; x' = 1; discrete n = 0; when up(x - n - 1) { n := n + 1 } }\n"
                             "experiment e of M { stop = 5 }\n",
                             NULL, NULL);
    fmi2Component c = make(&u, fmi2ModelExchange);
    fmi2EventInfo info;
    fmi2Status status = fmi2OK;
    start(c);
    settle(c, &info);
    double t = 1;
    for (int i = 1; i < 3000 && status == fmi2OK; i++, t += 1e-9)
    {
        double x = i + 0.5;
        OK(f.EnterContinuousTimeMode(c));
        OK(f.SetTime(c, t));
        OK(f.SetContinuousStates(c, &x, 1));
        OK(f.EnterEventMode(c));
        do
            status = f.NewDiscreteStates(c, &info);
        while (status == fmi2OK && info.newDiscreteStatesNeeded);
    }
    assert_int_equal(status, fmi2Error);
    assert_non_null(strstr(said, "events accumulate at t = 1.000"));
    assert_non_null(strstr(said, "give the model a state in which it rests, or set zeno = off"));
    f.FreeInstance(c);
    unpack_remove(&u);
}

static void hear(fmi2ComponentEnvironment e, fmi2String instance, fmi2Status status, fmi2String category,
                 fmi2String message, ...)
{
    (void)e, (void)instance, (void)status, (void)category;
    va_list args;
    va_start(args, message);
    listen(va_arg(args, const char*));
    va_end(args);
}

static void test_before_the_event(void** state)
{
    (void)state;
    Unpacked u = export_text("model M { state x = 0; x' = 1; discrete n = 0; when up(x - n - 1) { n := n + 1 } }\n"
                             "experiment e of M { stop = 5 }\n",
                             NULL, NULL);
    fmi2Component c = make(&u, fmi2ModelExchange);
    fmi2EventInfo info;
    double x = 1.5;
    start(c);
    settle(c, &info);
    for (int i = 0; i < 2; i++)
    {
        OK(f.EnterContinuousTimeMode(c));
        OK(f.SetTime(c, i == 0 ? 1 : 0.5));
        OK(f.SetContinuousStates(c, &x, 1));
        OK(f.EnterEventMode(c));
        if (i == 0)
            settle(c, &info);
        x = 2.5;
    }
    NO(f.NewDiscreteStates(c, &info), "time t = 0.5 lies before the last event");
    f.FreeInstance(c);
    const fmi2CallbackFunctions others = {hear, calloc, free, NULL, NULL};
    assert_null(f.Instantiate(NULL, fmi2CoSimulation, u.guid, u.resources, &others, 0, 0));
    assert_string_equal(said, "the instance has no name");
    unpack_remove(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absent_steps), cmocka_unit_test(test_absent_exchange),
        cmocka_unit_test(test_absent_steps), cmocka_unit_test(test_infinite_weights),
        cmocka_unit_test(test_kept_options), cmocka_unit_test(test_whole_instants),
        cmocka_unit_test(test_failed_start), cmocka_unit_test(test_failed_exchange),
        cmocka_unit_test(test_zeno),         cmocka_unit_test(test_before_the_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
