// The binary of an FMU of version 2.0, called as an importer calls it: the closed form of the ball in Model Exchange
// and Co-Simulation, states that are saved and come back, and every call that the standard forbids in its sentence.
#include "fmu2_fixture.h"

// References of examples/ball: as its description counts them.
enum
{
    TIME,
    G,
    E,
    V_REST,
    Y,
    V,
    HIT,
    HIT_COUNT,
    HIT_VALUE,
    MODE,
    RATE_Y,
    RATE_V
};

// The first impact: y = 1 - g t²/2 = 0 with v = -g t, then v = 0.8 g t.
static void fall(fmi2Component c, fmi2EventInfo* info)
{
    double t1 = sqrt(2 / 9.81), x[2] = {-1e-9, -9.81 * t1}, z = 0;
    fmi2Boolean event, terminate;
    OK(f.EnterContinuousTimeMode(c));
    OK(f.GetEventIndicators(c, &z, 1));
    assert_true(z > 0);
    OK(f.SetTime(c, t1));
    OK(f.SetContinuousStates(c, x, 2));
    OK(f.GetEventIndicators(c, &z, 1));
    assert_true(z <= 0);
    OK(f.CompletedIntegratorStep(c, fmi2True, &event, &terminate));
    assert_false(terminate);
    OK(f.EnterEventMode(c));
    settle(c, info);
    OK(f.GetContinuousStates(c, x, 2));
    near(x[1], 0.8 * 9.81 * t1, 1e-12);
}

static void test_exchange(void** state)
{
    Unpacked* u = *state;
    fmi2Component c = make(u, fmi2ModelExchange);
    fmi2EventInfo info;
    double x[2], dx[2], nominal[2] = {0, 0};
    assert_string_equal(f.GetVersion(), "2.0");
    assert_string_equal(f.GetTypesPlatform(), "default");
    OK(f.SetDebugLogging(c, fmi2True, 0, NULL));
    near(real(c, E), 0.8, 0);  // as the description says, before anything runs
    near(real(c, TIME), 0, 0);
    start(c);
    settle(c, &info);
    assert_false(info.nextEventTimeDefined);
    OK(f.GetContinuousStates(c, x, 2));
    near(x[0], 1, 0);
    OK(f.GetDerivatives(c, dx, 2));
    near(dx[0], 0, 0);
    near(dx[1], -9.81, 0);
    near(real(c, RATE_V), -9.81, 0);
    OK(f.GetNominalsOfContinuousStates(c, nominal, 2));
    near(nominal[1], 1, 0);
    assert_int_equal(integer(c, MODE), 1);  // falling
    fall(c, &info);
    assert_int_equal(integer(c, HIT_COUNT), 1);
    assert_true(info.valuesOfContinuousStatesChanged || real(c, V) > 0);
    near(real(c, TIME), sqrt(2 / 9.81), 0);
    OK(f.Terminate(c));
    OK(f.Reset(c));
    near(real(c, Y), 1, 0);
    f.FreeInstance(c);
    f.FreeInstance(NULL);
}

// d(der y)/dv = 1 is exact; d(der v)/dg needs differences, and is -1 to their accuracy.
static void test_derivatives(void** state)
{
    Unpacked* u = *state;
    fmi2Component c = make(u, fmi2ModelExchange);
    fmi2ValueReference unknowns[] = {RATE_Y, RATE_V}, known = V, none = 99, y = Y;
    double seed = 2, result[2];
    OK(f.SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0));
    OK(f.EnterInitializationMode(c));
    OK(f.GetDirectionalDerivative(c, unknowns, 2, &known, 1, &seed, result));
    near(result[0], 2, 0);
    near(result[1], 0, 0);
    known = G;
    OK(f.GetDirectionalDerivative(c, unknowns, 2, &known, 1, &seed, result));
    near(result[0], 0, 1e-8);
    near(result[1], -2, 1e-8);
    OK(f.GetDirectionalDerivative(c, &y, 1, &known, 0, &seed, result));
    near(result[0], 0, 0);
    NO(f.GetDirectionalDerivative(c, &none, 1, &known, 1, &seed, result),
       "there is no variable with value reference 99");
    NO(f.GetDirectionalDerivative(c, unknowns, 1, &none, 1, &seed, result),
       "there is no variable with value reference 99");
    f.FreeInstance(c);
}

// Height after the first impact, by the closed form.
static double height(double t)
{
    double t1 = sqrt(2 / 9.81), s = t - t1, v = 0.8 * 9.81 * t1;
    return t <= t1 ? 1 - 9.81 * t * t / 2 : v * s - 9.81 * s * s / 2;
}

static void test_steps(void** state)
{
    Unpacked* u = *state;
    fmi2Component c = make(u, fmi2CoSimulation);
    double time = 0;
    int over = -1;
    fmi2ValueReference rate = RATE_Y;
    start(c);
    for (int i = 0; i < 10; i++)
    {
        OK(f.DoStep(c, 0.1 * i, 0.1, fmi2True));
        near(real(c, Y), height(0.1 * (i + 1)), 1e-8);
        assert_int_equal(truth(c, HIT), i == 4);  // the step in which it happened
        assert_int_equal(integer(c, HIT_COUNT), i >= 4);
    }
    OK(f.GetRealStatus(c, fmi2LastSuccessfulTime, &time));
    near(time, 1, 1e-12);
    OK(f.GetBooleanStatus(c, fmi2Terminated, &over));
    assert_int_equal(over, 0);
    NO(f.DoStep(c, 0.5, 0.1, fmi2True), "does not begin at 1, where the last one ended");
    NO(f.DoStep(c, 1, -0.1, fmi2True), "a step from 1 of length -0.1");
    NO(f.GetReal(c, &rate, 1, &time), "der(y) has no value in Co-Simulation");
    NO(f.CancelStep(c), "there is no step to cancel");
    assert_int_equal(f.GetStatus(c, fmi2DoStepStatus, NULL), fmi2Discard);
    assert_int_equal(f.GetIntegerStatus(c, fmi2DoStepStatus, NULL), fmi2Discard);
    assert_int_equal(f.GetStringStatus(c, fmi2PendingStatus, NULL), fmi2Discard);
    assert_int_equal(f.GetRealStatus(c, fmi2DoStepStatus, &time), fmi2Discard);
    assert_int_equal(f.GetBooleanStatus(c, fmi2DoStepStatus, &over), fmi2Discard);
    assert_int_equal(f.GetStatus(NULL, fmi2DoStepStatus, NULL), fmi2Error);
    assert_int_equal(f.CancelStep(NULL), fmi2Error);
    NO(f.SetRealInputDerivatives(c, NULL, 0, NULL, NULL), "canInterpolateInputs is false");
    NO(f.GetRealOutputDerivatives(c, &rate, 1, &over, &time), "maxOutputDerivativeOrder is 0");
    near(time, 0, 0);
    f.FreeInstance(c);
}

// ---- states

static void go(fmi2Component c, fmi2Type type, double from, double to)
{
    fmi2EventInfo info;
    if (type == fmi2CoSimulation)
        OK(f.DoStep(c, from, to - from, fmi2True));
    else
    {
        settle(c, &info);
        fall(c, &info);
    }
}

// The same bits after a state was saved, written, read by another instance and resumed there.
static void check_state(const Unpacked* u, fmi2Type type)
{
    fmi2Component a = make(u, type), b = make(u, type);
    fmi2FMUstate saved = NULL, read = NULL;
    size_t size = 0;
    start(a);
    if (type == fmi2CoSimulation)
        go(a, type, 0, 0.3);
    OK(f.GetFMUstate(a, &saved));
    OK(f.GetFMUstate(a, &saved));  // an old one is used again
    OK(f.SerializedFMUstateSize(a, saved, &size));
    char* bytes = malloc(size);
    assert_int_equal(f.SerializeFMUstate(a, saved, bytes, size - 1), fmi2Error);
    OK(f.SerializeFMUstate(a, saved, bytes, size));
    OK(f.DeSerializeFMUstate(b, bytes, size, &read));
    OK(f.SetFMUstate(b, read));
    go(a, type, 0.3, 1);
    go(b, type, 0.3, 1);
    assert_true(real(a, Y) == real(b, Y) && real(a, V) == real(b, V) && integer(b, HIT_COUNT) == 1);
    OK(f.SetFMUstate(a, saved));
    go(a, type, 0.3, 1);
    assert_true(real(a, V) == real(b, V));
    OK(f.FreeFMUstate(a, &saved));
    OK(f.FreeFMUstate(b, &read));
    OK(f.FreeFMUstate(b, NULL));
    assert_null(saved);
    NO(f.DeSerializeFMUstate(b, bytes, 20, &read), "these bytes are no state of an FMU of Kairos, or damaged");
    bytes[8] ^= 1;
    NO(f.DeSerializeFMUstate(b, bytes, size, &read), "these bytes are no state of an FMU of Kairos, or damaged");
    bytes[8] ^= 1;
    fmi2Component other = make(u, type == fmi2CoSimulation ? fmi2ModelExchange : fmi2CoSimulation);
    OK(f.DeSerializeFMUstate(other, bytes, size, &read));
    NO(f.SetFMUstate(other, read), "the state is that of another FMU, or of the other kind of it");
    OK(f.FreeFMUstate(other, &read));
    if (type == fmi2CoSimulation)
    {
        bytes[size - 3] ^= 1;
        NO(f.DeSerializeFMUstate(b, bytes, size, &read), "");
        assert_true(said[0] != 0);
    }
    free(bytes);
    f.FreeInstance(other);
    f.FreeInstance(a);
    f.FreeInstance(b);
}

static void test_states(void** state)
{
    check_state(*state, fmi2CoSimulation);
    check_state(*state, fmi2ModelExchange);
}

// ---- what is forbidden

static void test_order(void** state)
{
    Unpacked* u = *state;
    fmi2Component c = make(u, fmi2ModelExchange);
    fmi2EventInfo info;
    fmi2Boolean flag;
    double x[3] = {0, 0, 0};
    fmi2FMUstate saved = NULL;
    NO(f.EnterEventMode(c), "fmi2EnterEventMode must not be called before initialization");
    NO(f.ExitInitializationMode(c), "fmi2ExitInitializationMode must not be called before initialization");
    NO(f.Terminate(c), "fmi2Terminate must not be called before initialization");
    NO(f.SetupExperiment(c, fmi2False, 0, 3, fmi2True, 1),
       "the start time 3 and the stop time 1 do not belong together");
    OK(f.SetupExperiment(c, fmi2False, 0, 0, fmi2True, 1));
    OK(f.EnterInitializationMode(c));
    NO(f.EnterInitializationMode(c), "must not be called during initialization");
    NO(f.SetupExperiment(c, fmi2False, 0, 0, fmi2False, 1), "must not be called during initialization");
    OK(f.ExitInitializationMode(c));
    NO(f.SetTime(NULL, 0), "");
    NO(f.CompletedIntegratorStep(c, fmi2True, &flag, &flag), "must not be called in event mode");
    NO(f.DoStep(c, 0, 1, fmi2True), "fmi2DoStep must not be called in event mode");
    settle(c, &info);
    OK(f.EnterContinuousTimeMode(c));
    NO(f.NewDiscreteStates(c, &info), "must not be called in continuous-time mode");
    NO(f.GetContinuousStates(c, x, 3), "the array has 3 values instead of 2");
    NO(f.SetContinuousStates(c, x, 1), "the array has 1 values instead of 2");
    NO(f.GetEventIndicators(c, x, 2), "the array has 2 values instead of 1");
    assert_int_equal(f.CompletedIntegratorStep(c, fmi2True, NULL, &flag), fmi2Error);
    assert_int_equal(f.GetFMUstate(c, NULL), fmi2Error);
    assert_int_equal(f.SetFMUstate(c, NULL), fmi2Error);
    assert_int_equal(f.SerializedFMUstateSize(c, NULL, NULL), fmi2Error);
    assert_int_equal(f.SerializeFMUstate(c, NULL, NULL, 0), fmi2Error);
    assert_int_equal(f.DeSerializeFMUstate(c, NULL, 0, &saved), fmi2Error);
    assert_int_equal(f.SetDebugLogging(NULL, fmi2True, 0, NULL), fmi2Error);
    assert_int_equal(f.FreeFMUstate(NULL, &saved), fmi2Error);
    OK(f.Terminate(c));
    NO(f.SetTime(c, 1), "must not be called after its end");
    f.FreeInstance(c);
}

static void test_values(void** state)
{
    Unpacked* u = *state;
    fmi2Component c = make(u, fmi2CoSimulation);
    fmi2ValueReference v = V, e = E, hit = HIT, none = 77, count = HIT_COUNT;
    double x = 0.5;
    int i = 1;
    NO(f.GetReal(c, &none, 1, &x), "there is no variable with value reference 77");
    NO(f.GetInteger(c, &v, 1, &i), "v is no Integer");
    NO(f.GetReal(c, &hit, 1, &x), "hit is no Real");
    NO(f.SetBoolean(c, &v, 1, &i), "v is no Boolean");
    NO(f.SetReal(c, &none, 1, &x), "there is no variable with value reference 77");
    NO(f.SetInteger(c, &count, 1, &i), "hit.count cannot be set at all");
    OK(f.GetString(c, NULL, 0, NULL));
    OK(f.SetString(c, NULL, 0, NULL));
    NO(f.GetString(c, &v, 1, NULL), "the model has no String variables");
    assert_int_equal(f.GetString(NULL, &v, 1, NULL), fmi2Error);
    set_real(c, E, 0.5);
    near(real(c, E), 0.5, 0);
    start(c);
    NO(f.SetReal(c, &e, 1, &x), "e cannot be set any more: the run has begun");
    OK(f.DoStep(c, 0, 0.6, fmi2True));
    double t1 = sqrt(2 / 9.81);
    near(real(c, V), 0.5 * 9.81 * t1 - 9.81 * (0.6 - t1), 1e-8);
    f.FreeInstance(c);
}

static void test_instances(void** state)
{
    Unpacked* u = *state;
    said[0] = 0;
    assert_null(f.Instantiate(" ", fmi2CoSimulation, u->guid, u->resources, NULL, 0, 0));
    assert_null(f.Instantiate("it", fmi2CoSimulation, "{other}", u->resources, &callbacks, 0, 0));
    assert_non_null(strstr(said, "the GUID {other} of the description is not that of the resources, {"));
    assert_null(f.Instantiate("it", fmi2CoSimulation, u->guid, "/nowhere", &callbacks, 0, 0));
    assert_string_equal(said, "the resources of the FMU are not in /nowhere: kairos.txt cannot be read");
    assert_null(f.Instantiate("it", fmi2CoSimulation, u->guid, NULL, &callbacks, 0, 0));
    assert_string_equal(said, "the importer does not say where the resources of the FMU are");
    char escaped[100];  // %6B is k, and a host is passed over
    snprintf(escaped, sizeof escaped, "file://localhost/tmp/%%6B%s", strstr(u->folder, "airos"));
    fmi2Component c = f.Instantiate("it", fmi2CoSimulation, u->guid, escaped, &callbacks, 0, 0);
    assert_non_null(c);
    f.FreeInstance(c);
    unpack_text(u->folder, "kairos.txt", "kairos\t2\n");
    assert_null(f.Instantiate("it", fmi2CoSimulation, u->guid, u->resources, &callbacks, 0, 0));
    assert_non_null(strstr(said, "kairos.txt is of another version, or damaged"));
    static const char* const wrong[] = {"nonsense\n", "nonsense\tx\n", "nonsense\tx\ty\n"};
    for (int i = 0; i < 3; i++)
    {
        unpack_text(u->folder, "kairos.txt", wrong[i]);
        assert_null(f.Instantiate("it", fmi2CoSimulation, u->guid, u->resources, &callbacks, 0, 0));
    }
    unpack_text(u->folder, "kairos.txt", "compiled\n");
    assert_null(f.Instantiate("it", fmi2CoSimulation, u->guid, u->resources, &callbacks, 0, 0));
    assert_non_null(strstr(said, "model.bin cannot be read"));
    unpack_text(u->folder, "model.bin", "what");
    assert_null(f.Instantiate("it", fmi2CoSimulation, u->guid, u->resources, &callbacks, 0, 0));
    unpack_text(u->folder, "kairos.txt", "file\tmodel.kai\tmodel.kai\noverride\te\t1\nmodel\tBell\n");
    assert_null(f.Instantiate("it", fmi2CoSimulation, u->guid, u->resources, &callbacks, 0, 0));
    assert_non_null(strstr(said, "Bell"));
    unpack_text(u->folder, "kairos.txt", "file\tx.kai\tmodel.kai\n");
    assert_null(f.Instantiate("it", fmi2CoSimulation, u->guid, u->resources, &callbacks, 0, 0));
}

static int set_up(void** state)
{
    static Unpacked u;
    u = unpack(fmi_export("examples/ball/model.kai", 2));
    load(&u);
    *state = &u;
    return 0;
}

static int tear_down(void** state)
{
    unpack_remove(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange),  cmocka_unit_test(test_derivatives), cmocka_unit_test(test_steps),
        cmocka_unit_test(test_states),    cmocka_unit_test(test_order),       cmocka_unit_test(test_values),
        cmocka_unit_test(test_instances),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
