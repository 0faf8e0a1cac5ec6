// Importers that do what the standard allows and nobody else does (FMI 2.0): levels and payloads in any order, taken
// back, set for the start; steps of no length at what was just set; resetting in every mode; instances that take turns,
// in threads, by the hundred; going back over an event, and numbers that are none. The model: events that are counted
// and summed, a ball with a closed form.
#include "fmu2_fixture.h"

#include <pthread.h>

static const char text[] = "model M { input event kick; input u = 0; param e = 0.9\n"
                           "  state y = 1, v = 0; discrete n = 0, total = 0, ups = 0\n"
                           "  y' = v; v' = -9.81\n"
                           "  event hit = down(y); output event tick = clock(0.25[s], 0.25[s])\n"
                           "  when hit { v := -e*v }\n"
                           "  when kick { n := n + 1; total := total + kick }\n"
                           "  when up(u - 1) { ups := ups + 1 } }\n"
                           "experiment e of M { stop = 4 }\n";

typedef struct References
{
    fmi2ValueReference kick, payload, u, y, n, total, ups, hits, ticks, time;
} References;

static References r;

static int make_fmu(void** state)
{
    static Unpacked u;
    u = unpack_export(text, 2, false);
    load(&u);
    r = (References){reference(&u, "kick"), reference(&u, "kick.value"), reference(&u, "u"),
                     reference(&u, "y"),    reference(&u, "n"),          reference(&u, "total"),
                     reference(&u, "ups"),  reference(&u, "hit.count"),  reference(&u, "tick.count"),
                     reference(&u, "time")};
    *state = &u;
    return 0;
}

static int remove_fmu(void** state)
{
    unpack_remove(*state);
    return 0;
}

static void set_truth(fmi2Component c, fmi2ValueReference reference, int value)
{
    OK(f.SetBoolean(c, &reference, 1, &value));
}

// What was set is seen: by a round of events, or by a step of no length at t.
static void see(fmi2Component c, fmi2Type type, double t)
{
    fmi2EventInfo info;
    if (type == fmi2ModelExchange)
        assert_true(settle(c, &info) < 100);
    else
        OK(f.DoStep(c, t, 0, fmi2True));
}

static fmi2Component begin(const Unpacked* u, fmi2Type type)
{
    fmi2Component c = make(u, type);
    OK(f.SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0));
    OK(f.EnterInitializationMode(c));
    OK(f.ExitInitializationMode(c));
    return c;
}

// ---- events that are set

static void check_sets(const Unpacked* u, fmi2Type type)
{
    fmi2Component c = begin(u, type);
    see(c, type, 0);
    set_truth(c, r.kick, 1);
    set_real(c, r.payload, 3);  // the payload comes behind
    assert_int_equal(truth(c, r.kick), 1);
    see(c, type, 0);
    near(real(c, r.n), 1, 0);
    near(real(c, r.total), 3, 0);
    see(c, type, 0);  // the level stands: no event
    near(real(c, r.n), 1, 0);
    set_truth(c, r.kick, 0);
    set_real(c, r.payload, 0);  // a payload of 0 is one
    set_truth(c, r.kick, 1);
    see(c, type, 0);
    near(real(c, r.n), 2, 0);
    near(real(c, r.total), 3, 0);
    set_truth(c, r.kick, 0);
    see(c, type, 0);
    set_truth(c, r.kick, 1);
    set_truth(c, r.kick, 0);  // taken back before anything saw it
    see(c, type, 0);
    near(real(c, r.n), 2, 0);
    set_real(c, r.u, 2);
    set_real(c, r.u, 0);  // nothing jumped
    see(c, type, 0);
    near(real(c, r.ups), 0, 0);
    set_real(c, r.u, 0.5);
    set_real(c, r.u, 2);
    see(c, type, 0);
    near(real(c, r.ups), 1, 0);
    f.FreeInstance(c);
}

static void test_sets(void** state)
{
    check_sets(*state, fmi2ModelExchange);
    check_sets(*state, fmi2CoSimulation);
}

// A level that is there from the beginning is an event of the beginning, whatever was read or set meanwhile.
static void test_set_for_the_start(void** state)
{
    for (int type = 0; type < 2; type++)
        for (int read = 0; read < 2; read++)
        {
            fmi2Component c = make(*state, (fmi2Type)type);
            OK(f.SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0));
            set_real(c, r.payload, 0);
            near(real(c, r.payload), 0, 0);
            OK(f.EnterInitializationMode(c));
            set_truth(c, r.kick, 1);
            if (read)
                near(real(c, r.y), 1, 0);
            set_real(c, r.u, 0.25);
            OK(f.ExitInitializationMode(c));
            near(real(c, r.n), 0, 0);
            see(c, (fmi2Type)type, 0);
            near(real(c, r.n), 1, 0);
            near(real(c, r.total), 0, 0);
            OK(f.Reset(c));
            assert_int_equal(truth(c, r.kick), 0);
            near(real(c, r.payload), 1, 0);
            start(c);
            see(c, (fmi2Type)type, 0);
            near(real(c, r.n), 0, 0);  // nothing of it is left
            f.FreeInstance(c);
        }
}

// Somebody looked further ahead, came back, and has an event at the earlier time.
static void test_event_behind_a_look(void** state)
{
    fmi2Component c = begin(*state, fmi2ModelExchange);
    fmi2EventInfo info;
    double x[2], dx[2];
    settle(c, &info);
    OK(f.EnterContinuousTimeMode(c));
    OK(f.GetContinuousStates(c, x, 2));
    OK(f.SetTime(c, 0.2));
    OK(f.GetDerivatives(c, dx, 2));
    OK(f.SetTime(c, 0.1));
    OK(f.EnterEventMode(c));
    set_truth(c, r.kick, 1);
    settle(c, &info);
    near(real(c, r.n), 1, 0);
    f.FreeInstance(c);
}

// ---- resetting

// Into a mode: 0 instantiated, 1 initializing, 2 event mode or between steps, 3 in the middle of an instant, 4 in
// continuous time or later in a run, 5 terminated.
static void go_into(fmi2Component c, fmi2Type type, int mode)
{
    fmi2EventInfo info;
    if (mode == 0)
        return;
    OK(f.SetupExperiment(c, fmi2True, 1e-6, 1, fmi2True, 3));
    set_real(c, r.u, 7);
    OK(f.EnterInitializationMode(c));
    set_truth(c, r.kick, 1);
    if (mode == 1)
        return;
    OK(f.ExitInitializationMode(c));
    if (mode == 3 && type == fmi2ModelExchange)
        OK(f.NewDiscreteStates(c, &info));
    if (mode < 4)
        return;
    see(c, type, 1);
    if (type == fmi2ModelExchange)
        OK(f.EnterContinuousTimeMode(c));
    else
        OK(f.DoStep(c, 1, 1, fmi2True));
    if (mode == 5)
        OK(f.Terminate(c));
}

static void run_from_the_start(fmi2Component c, fmi2Type type, double* y, int* hits)
{
    OK(f.SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0));
    OK(f.EnterInitializationMode(c));
    OK(f.ExitInitializationMode(c));
    fmi2EventInfo info;
    if (type == fmi2ModelExchange)
        settle(c, &info);
    else
        for (int i = 0; i < 8; i++)
            OK(f.DoStep(c, 0.125 * i, 0.125, fmi2False));
    *y = real(c, r.y);
    *hits = integer(c, r.hits);
    near(real(c, r.n), 0, 0);
    near(real(c, r.u), 0, 0);
    near(real(c, r.time), type == fmi2ModelExchange ? 0 : 1, 0);
}

static void test_reset_anywhere(void** state)
{
    for (int type = 0; type < 2; type++)
        for (int mode = 0; mode < 6; mode++)
        {
            fmi2Component c = make(*state, (fmi2Type)type), fresh = make(*state, (fmi2Type)type);
            double y, wanted;
            int hits, all;
            go_into(c, (fmi2Type)type, mode);
            OK(f.Reset(c));
            run_from_the_start(c, (fmi2Type)type, &y, &hits);
            run_from_the_start(fresh, (fmi2Type)type, &wanted, &all);
            near(y, wanted, 0);
            assert_int_equal(hits, all);
            f.FreeInstance(c);
            f.FreeInstance(fresh);
        }
}

// ---- many

// To t = 2 in n steps of Co-Simulation, with a kick in each: y at the end.
static double ride(fmi2Component c, int n)
{
    for (int i = 0; i < n; i++)
    {
        set_truth(c, r.kick, i % 2);
        OK(f.DoStep(c, 2.0 * i / n, 2.0 / n, fmi2False));
    }
    return real(c, r.y);
}

static void* ride_in_thread(void* state)
{
    static _Thread_local double y[4];
    for (int i = 0; i < 4; i++)
    {
        fmi2Component c = begin(state, fmi2CoSimulation);
        y[i] = ride(c, 16);
        f.FreeInstance(c);
    }
    double* all = malloc(sizeof y);
    memcpy(all, y, sizeof y);
    return all;
}

static void test_threads(void** state)
{
    enum
    {
        THREADS = 8
    };
    pthread_t threads[THREADS];
    fmi2Component c = begin(*state, fmi2CoSimulation);
    double wanted = ride(c, 16);
    near(real(c, r.n), 8, 0);
    f.FreeInstance(c);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ride_in_thread, *state), 0);
    for (int i = 0; i < THREADS; i++)
    {
        void* y = NULL;
        assert_int_equal(pthread_join(threads[i], &y), 0);
        for (int k = 0; k < 4; k++)
            near(((double*)y)[k], wanted, 0);
        free(y);
    }
}

// Hundreds that take turns, some of them reset or ended in between.
static void test_turns(void** state)
{
    enum
    {
        MANY = 200
    };
    static fmi2Component all[MANY];
    fmi2Component alone = begin(*state, fmi2CoSimulation);
    double wanted = ride(alone, 16);
    f.FreeInstance(alone);
    for (int i = 0; i < MANY; i++)
        all[i] = begin(*state, fmi2CoSimulation);
    for (int k = 0; k < 16; k++)
        for (int i = 0; i < MANY; i++)
        {
            if (all[i] == NULL)
                continue;
            set_truth(all[i], r.kick, k % 2);
            OK(f.DoStep(all[i], 0.125 * k, 0.125, fmi2False));
            if (k == 7 && i % 3 == 0)
            {
                f.FreeInstance(all[i]);
                all[i] = NULL;
            }
        }
    for (int i = 0; i < MANY; i++)
        if (all[i] != NULL)
        {
            near(real(all[i], r.y), wanted, 0);
            f.FreeInstance(all[i]);
        }
}

// ---- back over an event

// The first impact, sqrt(2/g), with the states that belong to it; v afterwards.
static double fall(fmi2Component c)
{
    fmi2EventInfo info;
    double t = sqrt(2 / 9.81), x[2] = {-1e-9, -9.81 * t};
    OK(f.EnterContinuousTimeMode(c));
    OK(f.SetTime(c, t));
    OK(f.SetContinuousStates(c, x, 2));
    OK(f.EnterEventMode(c));
    settle(c, &info);
    OK(f.GetContinuousStates(c, x, 2));
    return x[1];
}

static void test_back_over_an_event(void** state)
{
    fmi2Component c = begin(*state, fmi2ModelExchange);
    fmi2EventInfo info;
    fmi2FMUstate before = NULL;
    double v = 0.9 * sqrt(2 * 9.81), x[2] = {1, 0};
    settle(c, &info);
    OK(f.GetFMUstate(c, &before));
    for (int i = 0; i < 3; i++)
    {
        near(fall(c), v, 1e-9);
        assert_int_equal(integer(c, r.hits), 1);  // once each time
        OK(f.SetFMUstate(c, before));
        assert_int_equal(integer(c, r.hits), 0);
    }
    OK(f.FreeFMUstate(c, &before));
    near(fall(c), v, 1e-9);
    OK(f.EnterContinuousTimeMode(c));
    OK(f.SetTime(c, 0.1));  // to where it has been: getters answer, an instant is refused
    OK(f.SetContinuousStates(c, x, 2));
    near(real(c, r.y), 1, 0);
    OK(f.EnterEventMode(c));
    set_truth(c, r.kick, 1);
    NO(f.NewDiscreteStates(c, &info), "lies before the last event");
    f.FreeInstance(c);
}

// ---- numbers that are none

static void test_no_numbers(void** state)
{
    fmi2Component c = begin(*state, fmi2CoSimulation);
    NO(f.DoStep(c, 0, INFINITY, fmi2True), "does not begin at 0");
    NO(f.DoStep(c, 0, NAN, fmi2True), "does not begin at 0");
    NO(f.DoStep(c, 0, -1, fmi2True), "does not begin at 0");
    NO(f.DoStep(c, NAN, 1, fmi2True), "does not begin at 0");
    OK(f.DoStep(c, 0, 0.25, fmi2True));
    assert_int_equal(integer(c, r.ticks), 1);
    f.FreeInstance(c);
    c = begin(*state, fmi2ModelExchange);
    fmi2EventInfo info;
    double x[2] = {NAN, NAN}, z[4], dx[2];
    settle(c, &info);
    OK(f.EnterContinuousTimeMode(c));
    NO(f.SetTime(c, NAN), "nan is no time");
    NO(f.SetTime(c, INFINITY), "inf is no time");
    OK(f.SetContinuousStates(c, x, 2));  // a step that an integrator tried
    (void)f.GetDerivatives(c, dx, 2);
    (void)f.GetEventIndicators(c, z, 4);
    x[0] = 1;
    x[1] = 0;
    OK(f.SetContinuousStates(c, x, 2));
    OK(f.GetDerivatives(c, dx, 2));
    near(dx[0], 0, 0);
    near(dx[1], -9.81, 0);
    f.FreeInstance(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_set_for_the_start),
        cmocka_unit_test(test_event_behind_a_look),
        cmocka_unit_test(test_reset_anywhere),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_back_over_an_event),
        cmocka_unit_test(test_no_numbers),
    };
    return cmocka_run_group_tests(tests, make_fmu, remove_fmu);
}
