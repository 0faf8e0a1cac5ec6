// Importers that do what the standard allows and nobody else does, FMI 3.0 (test_fmu_foreign.c: 2.0): clocks set twice
// or taken back, payloads behind them, steps of no length, events without early return, resetting in every mode.
#include "fmu3_fixture.h"

static const char text[] =
    "model M { input event kick; input u = 0; param N = 2; param e = 0.9; state w[i in 1..N] = 1\n"
    "  for i in 1..N { w[i]' = 0 }\n"
    "  state y = 1, v = 0; discrete n = 0, total = 0\n"
    "  y' = v; v' = -9.81; event hit = down(y)\n"
    "  when hit { v := -e*v }\n"
    "  when kick { n := n + 1; total := total + kick } }\n"
    "experiment e of M { stop = 4 }\n";

static void set_clock(const Unpacked* u, fmi3Instance c, bool on)
{
    fmi3ValueReference r = reference(u, "kick");
    fmi3Clock value = on;
    OK(f.SetClock(c, &r, 1, &value));
}

static void set_real(const Unpacked* u, fmi3Instance c, const char* name, double value)
{
    fmi3ValueReference r = reference(u, name);
    OK(f.SetFloat64(c, &r, 1, &value, 1));
}

static void settle(fmi3Instance c)
{
    double next;
    for (int i = 0; i < 20; i++)
        if (!update(c, &next))
            return;
    fail_msg("%s", "the instant does not end");
}

static double step(fmi3Instance c, double from, double length, bool* event)
{
    fmi3Boolean wanted, terminate, early;
    double reached = NAN;
    OK(f.DoStep(c, from, length, false, &wanted, &terminate, &early, &reached));
    assert_false(terminate);
    assert_true(early == (reached < from + length));
    *event = wanted;
    return reached;
}

// ---- clocks

static void check_clocks(const Unpacked* u, fmi3Instance c)
{
    start(c);
    settle(c);
    set_clock(u, c, true);
    set_real(u, c, "kick.value", 3);  // behind the clock
    settle(c);
    near(real(c, reference(u, "n")), 1, 0);
    near(real(c, reference(u, "total")), 3, 0);
    set_clock(u, c, true);
    set_clock(u, c, true);  // still one tick
    settle(c);
    near(real(c, reference(u, "n")), 2, 0);
    set_clock(u, c, true);
    set_clock(u, c, false);  // none
    settle(c);
    near(real(c, reference(u, "n")), 2, 0);
    set_real(u, c, "kick.value", 0);
    set_clock(u, c, true);
    settle(c);
    near(real(c, reference(u, "n")), 3, 0);
    near(real(c, reference(u, "total")), 6, 0);
    settle(c);  // nothing more
    near(real(c, reference(u, "n")), 3, 0);
}

static void test_clocks(void** state)
{
    (void)state;
    Unpacked u = export_text(text, false);
    fmi3Instance me = exchange(&u), cs = steps(&u, true, true, NULL);
    check_clocks(&u, me);
    check_clocks(&u, cs);
    bool event;
    OK(f.EnterStepMode(cs));
    near(step(cs, 0, 0, &event), 0, 0);  // no length
    assert_false(event);
    f.FreeInstance(me);
    f.FreeInstance(cs);
    unpack_remove(&u);
}

// ---- steps

static int heard;
static void hear_all(fmi3InstanceEnvironment e, fmi3Float64 t, fmi3Boolean set, fmi3Boolean get, fmi3Boolean done,
                     fmi3Boolean may, fmi3Boolean* wanted, fmi3Float64* at)
{
    (void)e, (void)set, (void)get, (void)done;
    assert_false(may);  // it was not asked for
    heard++;
    *wanted = true;
    *at = t;
}

// Impacts at t1, t1 (1 + 2 e), …: four before t = 3, wherever steps end and whatever is asked for.
static void test_steps(void** state)
{
    (void)state;
    Unpacked u = export_text(text, false);
    const double t1 = sqrt(2 / 9.81), fourth = t1 * (1 + 2 * (0.9 + 0.81 + 0.729));
    assert_true(fourth < 3 && fourth + 2 * 0.6561 * t1 > 2.7);
    for (int events = 0; events < 2; events++)
        for (int early = 0; early < 2; early++)
        {
            fmi3Instance c = steps(&u, events, early, early ? NULL : hear_all);
            bool event = false;
            double t = 0, end = 2.7;
            int stops = 0;
            heard = 0;
            OK(f.EnterInitializationMode(c, false, 0, 0, false, 0));
            OK(f.ExitInitializationMode(c));
            if (events)
            {
                settle(c);
                OK(f.EnterStepMode(c));
            }
            while (t < end)
            {
                t = step(c, t, end - t, &event);
                if (!event)
                    continue;
                stops++;
                OK(f.EnterEventMode(c));
                settle(c);
                settle(c);
                OK(f.EnterStepMode(c));
            }
            assert_int_equal(integer(c, reference(&u, "hit.count")), 4);
            assert_int_equal(stops, events && early ? 4 : 0);
            assert_int_equal(heard, early ? 0 : 5);  // at the impacts, and where the step ends
            f.FreeInstance(c);
        }
    unpack_remove(&u);
}

// ---- resetting

// 0 instantiated, 1 configuring, 2 configured, 3 initializing, 4 in event mode, 5 with a tick to come, 6 running, 7
// terminated.
static void go_into(const Unpacked* u, fmi3Instance c, bool me, int mode)
{
    fmi3ValueReference n = reference(u, "N");
    fmi3UInt64 five = 5;
    bool event;
    if (mode == 1 || mode == 2)
    {
        OK(f.EnterConfigurationMode(c));
        OK(f.SetUInt64(c, &n, 1, &five, 1));
        if (mode == 2)
            OK(f.ExitConfigurationMode(c));
    }
    if (mode <= 2)
        return;
    set_real(u, c, "e", 0.5);
    OK(f.EnterInitializationMode(c, true, 1e-5, 1, true, 3));
    set_real(u, c, "u", 4);
    if (mode == 3)
        return;
    OK(f.ExitInitializationMode(c));
    settle(c);
    if (mode == 5)
        set_clock(u, c, true);
    if (mode <= 5)
        return;
    if (me)
        OK(f.EnterContinuousTimeMode(c));
    else
    {
        OK(f.EnterStepMode(c));
        step(c, 1, 0.25, &event);
    }
    if (mode == 7)
        OK(f.Terminate(c));
}

static void test_reset(void** state)
{
    (void)state;
    Unpacked u = export_text(text, false);
    for (int me = 0; me < 2; me++)
        for (int mode = 0; mode < 8; mode++)
        {
            fmi3Instance c = me ? exchange(&u) : steps(&u, true, true, NULL);
            size_t count = 0;
            go_into(&u, c, me, mode);
            OK(f.Reset(c));
            OK(f.GetNumberOfContinuousStates(c, &count));
            assert_int_equal(count, 4);
            near(real(c, reference(&u, "e")), 0.9, 0);
            OK(f.EnterInitializationMode(c, false, 0, 0, false, 0));
            near(real(c, reference(&u, "u")), 0, 0);
            OK(f.ExitInitializationMode(c));
            settle(c);
            near(real(c, reference(&u, "time")), 0, 0);
            near(real(c, reference(&u, "n")), 0, 0);
            if (!me)
            {
                bool event;
                OK(f.EnterStepMode(c));
                near(step(c, 0, 1, &event), sqrt(2 / 9.81), 1e-9);
                assert_true(event);
            }
            f.FreeInstance(c);
        }
    unpack_remove(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
