// What importers of the trade do to FMUs beyond what examples of the standard show: URIs in every spelling, calls with
// nothing in them, values set twice, everything read in every mode, runs again after the end, steps of no length and
// beyond the end. The model: x' = u, two events, a level that is counted.
#include "fmu/fmi2.h"
#include "fmu_fixture.h"

#include <math.h>

#define X(result, name, arguments) fmi2##name##TYPE* name;
typedef struct Functions
{
    FMI2_FUNCTIONS(X)
} Functions;
#undef X

static Functions f;
static int lines;

static void logger(fmi2ComponentEnvironment e, fmi2String instance, fmi2Status status, fmi2String category,
                   fmi2String message, ...)
{
    (void)e, (void)instance, (void)status;
    va_list args;
    va_start(args, message);
    assert_non_null(category);
    listen(va_arg(args, const char*));
    lines++;
    va_end(args);
}

static const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};

static const char text[] =
    "model M { param k [1/s] = 2; input u = 1; state x = 0; x' = k*u; discrete n = 0; event hit = up(x - 1)\n"
    "  output y = 3*x; output event tick = clock(0.25[s], 0.25[s]); when hit { n := n + 1 }\n"
    "  modes { initial mode low { on x > 1 -> high } mode high { on x < 1 -> low } } }\n"
    "experiment e of M { stop = 4 }\n";

static int make_fmu(void** state)
{
    static Unpacked u;
    u = unpack_export(text, 2, false);
#define X(result, name, arguments)                                                                                     \
    {                                                                                                                  \
        void* symbol = dlsym(u.library, "fmi2" #name);                                                                 \
        memcpy(&f.name, &symbol, sizeof symbol);                                                                       \
    }
    FMI2_FUNCTIONS(X)
#undef X
    *state = &u;
    return 0;
}

static int remove_fmu(void** state)
{
    unpack_remove(*state);
    return 0;
}

#define OK(call)                                                                                                       \
    do                                                                                                                 \
    {                                                                                                                  \
        fmi2Status answer = (call);                                                                                    \
        if (answer != fmi2OK)                                                                                          \
            print_message("%s: %s\n", #call, said);                                                                    \
        assert_int_equal(answer, fmi2OK);                                                                              \
    } while (0)
#define NO(call, words) REFUSED(call, fmi2Error, words)

static fmi2Component make(const Unpacked* u, fmi2Type type)
{
    fmi2Component c = f.Instantiate("it", type, u->guid, u->resources, &callbacks, fmi2True, fmi2True);
    assert_non_null(c);
    return c;
}

static double real(const Unpacked* u, fmi2Component c, const char* name)
{
    fmi2ValueReference r = reference(u, name);
    double value = NAN;
    OK(f.GetReal(c, &r, 1, &value));
    return value;
}

static void set(const Unpacked* u, fmi2Component c, const char* name, double value)
{
    fmi2ValueReference r = reference(u, name);
    OK(f.SetReal(c, &r, 1, &value));
}

static void near(double a, double b, double within)
{
    if (!(fabs(a - b) <= within))
        print_message("%.17g is not %.17g\n", a, b);
    assert_true(fabs(a - b) <= within);
}

static void begin(fmi2Component c)
{
    OK(f.SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0));
    OK(f.EnterInitializationMode(c));
    OK(f.ExitInitializationMode(c));
}

static void settle(fmi2Component c)
{
    fmi2EventInfo info = {.newDiscreteStatesNeeded = fmi2True};
    for (int i = 0; i < 20 && info.newDiscreteStatesNeeded; i++)
        OK(f.NewDiscreteStates(c, &info));
    assert_false(info.newDiscreteStatesNeeded);
}

// Every variable, as its type says.
static void read_all(const Unpacked* u, fmi2Component c)
{
    static const char* const reals[] = {"time", "k", "u", "x", "y", "n", "der(x)", "hit.value", "tick.value"};
    static const char* const integers[] = {"hit.count", "tick.count", "mode"};
    static const char* const truths[] = {"hit", "tick"};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        assert_true(isfinite(real(u, c, reals[i])));
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
    {
        fmi2ValueReference r = reference(u, integers[i]);
        int value;
        OK(f.GetInteger(c, &r, 1, &value));
    }
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
    {
        fmi2ValueReference r = reference(u, truths[i]);
        int value;
        OK(f.GetBoolean(c, &r, 1, &value));
    }
}

// ---- folders

static void test_uris(void** state)
{
    const Unpacked* u = *state;
    char to[200], command[800], uri[300];
    snprintf(to, sizeof to, "%s/a folder, 50%% of it (ä)", u->folder);
    snprintf(command, sizeof command, "mkdir '%s' && cp '%s'/*.txt '%s'/*.kai '%s'", to, u->folder, u->folder, to);
    assert_int_equal(system(command), 0);
    const char* const spelt[] = {"file://%s/a%%20folder,%%2050%%25%%20of%%20it%%20(%%c3%%a4)",
                                 "file:%s/a%%20folder,%%2050%%25%%20of%%20it%%20(%%C3%%A4)/",
                                 "file://localhost%s/a%%20folder,%%2050%%25%%20of%%20it%%20(ä)",
                                 "file://%s/a folder, 50%% of it (ä)//", "%s/a folder, 50%% of it (ä)"};
    for (size_t i = 0; i < sizeof spelt / sizeof *spelt; i++)
    {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(uri, sizeof uri, spelt[i], u->folder);
#pragma GCC diagnostic pop
        fmi2Component c = f.Instantiate("it", fmi2CoSimulation, u->guid, uri, &callbacks, fmi2False, fmi2True);
        if (c == NULL)
            print_message("%s: %s\n", uri, said);
        assert_non_null(c);
        f.FreeInstance(c);
    }
    assert_null(f.Instantiate("it", fmi2CoSimulation, u->guid, "file:///none", &callbacks, fmi2False, fmi2False));
    assert_non_null(strstr(said, "the resources of the FMU are not in /none"));
}

// ---- nothing

static void test_nothing(void** state)
{
    const Unpacked* u = *state;
    fmi2Component c = make(u, fmi2ModelExchange);
    for (int mode = 0; mode < 3; mode++)
    {
        OK(f.GetReal(c, NULL, 0, NULL));
        OK(f.GetInteger(c, NULL, 0, NULL));
        OK(f.GetBoolean(c, NULL, 0, NULL));
        OK(f.GetString(c, NULL, 0, NULL));
        OK(f.SetReal(c, NULL, 0, NULL));
        OK(f.SetInteger(c, NULL, 0, NULL));
        OK(f.SetBoolean(c, NULL, 0, NULL));
        OK(f.SetString(c, NULL, 0, NULL));
        OK(f.SetDebugLogging(c, fmi2True, 0, NULL));
        if (mode == 0)
        {
            OK(f.SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0));
            OK(f.EnterInitializationMode(c));
        }
        else if (mode == 1)
            OK(f.ExitInitializationMode(c));
    }
    OK(f.GetDirectionalDerivative(c, NULL, 0, NULL, 0, NULL, NULL));
    f.FreeInstance(c);
    f.FreeInstance(NULL);
}

// ---- everything, everywhere

static void test_read_everything(void** state)
{
    const Unpacked* u = *state;
    for (int type = 0; type < 2; type++)
    {
        fmi2Component c = make(u, type == 0 ? fmi2ModelExchange : fmi2CoSimulation);
        read_all(u, c);
        set(u, c, "k", 5);
        set(u, c, "k", 4);  // the last one holds
        near(real(u, c, "k"), 4, 0);
        OK(f.SetupExperiment(c, fmi2True, 0, 0, fmi2True, 4));  // a tolerance of 0 says nothing
        read_all(u, c);
        OK(f.EnterInitializationMode(c));
        set(u, c, "u", 2);
        set(u, c, "u", 3);
        read_all(u, c);
        near(real(u, c, "der(x)"), 12, 0);
        set(u, c, "k", 2);  // and back to where it was
        near(real(u, c, "der(x)"), 6, 0);
        OK(f.ExitInitializationMode(c));
        if (type == 0)
            settle(c);
        else
            OK(f.DoStep(c, 0, 0.1, fmi2True));
        read_all(u, c);
        near(real(u, c, "der(x)"), 6, 0);
        if (type == 0)
            OK(f.EnterContinuousTimeMode(c));
        read_all(u, c);
        OK(f.Terminate(c));
        read_all(u, c);
        near(real(u, c, "y"), type == 0 ? 0 : 1.8, 1e-12);
        f.FreeInstance(c);
    }
}

// ---- inputs in event mode

static void test_inputs_in_event_mode(void** state)
{
    const Unpacked* u = *state;
    fmi2Component c = make(u, fmi2ModelExchange);
    begin(c);
    set(u, c, "u", 7);
    near(real(u, c, "u"), 7, 0);
    settle(c);
    near(real(u, c, "der(x)"), 14, 0);
    set(u, c, "u", 1);
    settle(c);  // an instant of its own, at the same time
    near(real(u, c, "der(x)"), 2, 0);
    OK(f.EnterContinuousTimeMode(c));
    set(u, c, "u", 0.5);
    near(real(u, c, "der(x)"), 1, 0);
    f.FreeInstance(c);
}

// ---- again

static double run_steps(const Unpacked* u, fmi2Component c, double k)
{
    set(u, c, "k", k);
    begin(c);
    for (int i = 0; i < 8; i++)
        OK(f.DoStep(c, 0.125 * i, 0.125, fmi2False));
    return real(u, c, "x");
}

static void test_again(void** state)
{
    const Unpacked* u = *state;
    fmi2Component c = make(u, fmi2CoSimulation);
    fmi2ValueReference count = reference(u, "tick.count");
    int ticks = 0;
    near(run_steps(u, c, 4), 4, 1e-9);
    OK(f.Terminate(c));
    OK(f.Reset(c));
    near(real(u, c, "k"), 2, 0);
    near(run_steps(u, c, 3), 3, 1e-9);
    OK(f.GetInteger(c, &count, 1, &ticks));
    assert_int_equal(ticks, 4);  // of this run
    OK(f.Reset(c));
    OK(f.Reset(c));
    near(run_steps(u, c, 4), 4, 1e-9);
    f.FreeInstance(c);
}

// ---- states

static void test_early_states(void** state)
{
    const Unpacked* u = *state;
    for (int type = 0; type < 2; type++)
    {
        fmi2Component c = make(u, type == 0 ? fmi2ModelExchange : fmi2CoSimulation);
        fmi2FMUstate before = NULL, later = NULL;
        set(u, c, "k", 6);
        OK(f.GetFMUstate(c, &before));
        set(u, c, "k", 7);
        begin(c);
        OK(f.GetFMUstate(c, &later));
        OK(f.SetFMUstate(c, before));
        near(real(u, c, "k"), 6, 0);
        begin(c);  // it stands before initialization again
        if (type == 0)
            settle(c);
        near(real(u, c, "der(x)"), 6, 0);
        OK(f.SetFMUstate(c, later));
        near(real(u, c, "der(x)"), 7, 0);
        OK(f.FreeFMUstate(c, &before));
        OK(f.FreeFMUstate(c, &before));  // NULL by now
        OK(f.FreeFMUstate(c, &later));
        f.FreeInstance(c);
    }
}

// ---- steps

static void test_steps(void** state)
{
    const Unpacked* u = *state;
    fmi2Component c = make(u, fmi2CoSimulation);
    fmi2ValueReference count = reference(u, "tick.count");
    int ticks = -1;
    OK(f.SetupExperiment(c, fmi2False, 0, 0, fmi2True, 0.3));
    OK(f.EnterInitializationMode(c));
    OK(f.ExitInitializationMode(c));
    OK(f.DoStep(c, 0, 0, fmi2True));
    OK(f.DoStep(c, 0, 0.25, fmi2True));
    OK(f.DoStep(c, 0.25, 0, fmi2True));
    OK(f.GetInteger(c, &count, 1, &ticks));
    assert_int_equal(ticks, 1);                     // neither lost nor twice
    OK(f.DoStep(c, 0.25, 0.05 + 1e-12, fmi2True));  // as importers add
    NO(f.DoStep(c, 0.3, 0.1, fmi2True), "goes beyond the stop time");
    near(real(u, c, "x"), 0.6, 1e-9);
    f.FreeInstance(c);
    c = make(u, fmi2CoSimulation);
    begin(c);
    OK(f.DoStep(c, 0, 40, fmi2True));  // far behind the default experiment, which is only that
    near(real(u, c, "x"), 80, 1e-7);
    f.FreeInstance(c);
}

// ---- many

static void test_many(void** state)
{
    enum
    {
        MANY = 20
    };
    const Unpacked* u = *state;
    fmi2Component all[MANY];
    for (int i = 0; i < MANY; i++)
    {
        all[i] = make(u, i % 2 == 0 ? fmi2CoSimulation : fmi2ModelExchange);
        set(u, all[i], "k", i);
        begin(all[i]);
    }
    for (int i = 0; i < MANY; i += 2)
        OK(f.DoStep(all[i], 0, 1, fmi2True));
    for (int i = MANY - 1; i >= 0; i--)
    {
        near(real(u, all[i], "der(x)"), i, 0);
        near(real(u, all[i], "x"), i % 2 == 0 ? i : 0, 1e-9);
        f.FreeInstance(all[i]);
    }
}

// ---- logging

static void test_logging(void** state)
{
    const Unpacked* u = *state;
    fmi2Component c = f.Instantiate("it", fmi2CoSimulation, u->guid, u->resources, &callbacks, fmi2False, fmi2False);
    fmi2String categories[] = {"logStatusError", "logEvents"}, none[] = {"logNonsense"};
    double value = 0;
    fmi2ValueReference wrong = 999;
    OK(f.SetDebugLogging(c, fmi2True, 2, categories));
    NO(f.SetDebugLogging(c, fmi2True, 1, none), "logNonsense");
    lines = 0;
    NO(f.GetReal(c, &wrong, 1, &value), "there is no variable with value reference 999");
    assert_int_equal(lines, 1);
    f.FreeInstance(c);
    c = f.Instantiate("it", fmi2ModelExchange, u->guid, u->resources, &callbacks, fmi2False, fmi2False);
    begin(c);
    settle(c);
    assert_int_equal(lines, 1);  // nobody wants to hear of events
    set(u, c, "u", 2);
    OK(f.SetDebugLogging(c, fmi2True, 2, categories));
    settle(c);
    assert_non_null(strstr(said, "an instant at t = 0"));
    f.FreeInstance(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uris),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_read_everything),
        cmocka_unit_test(test_inputs_in_event_mode),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_early_states),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_logging),
    };
    return cmocka_run_group_tests(tests, make_fmu, remove_fmu);
}
