// For tests of FMUs of version 2.0: the functions of an unpacked export, what their logger hears, values by reference.
#ifndef KAIROS_TESTS_FMU2_FIXTURE_H
#define KAIROS_TESTS_FMU2_FIXTURE_H

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

static inline void load(const Unpacked* u)
{
#define X(result, name, arguments)                                                                                     \
    {                                                                                                                  \
        void* symbol = dlsym(u->library, "fmi2" #name);                                                                \
        assert_non_null(symbol);                                                                                       \
        memcpy(&f.name, &symbol, sizeof symbol);                                                                       \
    }
    FMI2_FUNCTIONS(X)
#undef X
}

static inline void logger(fmi2ComponentEnvironment e, fmi2String instance, fmi2Status status, fmi2String category,
                          fmi2String message, ...)
{
    (void)e, (void)status, (void)category;
    va_list args;
    va_start(args, message);
    assert_string_equal(instance, "it");
    listen(va_arg(args, const char*));
    va_end(args);
}

static const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};

static inline fmi2Component make(const Unpacked* u, fmi2Type type)
{
    fmi2Component c = f.Instantiate("it", type, u->guid, u->resources, &callbacks, fmi2False, fmi2False);
    if (c == NULL)
        print_message("%s\n", said);
    assert_non_null(c);
    return c;
}

#define OK(call) assert_int_equal((call), fmi2OK)
#define NO(call, words) REFUSED(call, fmi2Error, words)

static inline void start(fmi2Component c)
{
    OK(f.SetupExperiment(c, fmi2True, 1e-10, 0, fmi2True, 5));
    OK(f.EnterInitializationMode(c));
    OK(f.ExitInitializationMode(c));
}

static inline double real(fmi2Component c, fmi2ValueReference r)
{
    double value = NAN;
    OK(f.GetReal(c, &r, 1, &value));
    return value;
}

static inline int integer(fmi2Component c, fmi2ValueReference r)
{
    int value = -1;
    OK(f.GetInteger(c, &r, 1, &value));
    return value;
}

static inline int truth(fmi2Component c, fmi2ValueReference r)
{
    int value = -1;
    OK(f.GetBoolean(c, &r, 1, &value));
    return value;
}

static inline void set_real(fmi2Component c, fmi2ValueReference r, double value)
{
    OK(f.SetReal(c, &r, 1, &value));
}

static inline void near(double a, double b, double within)
{
    if (!(fabs(a - b) <= within))
        print_message("%.17g is not %.17g\n", a, b);
    assert_true(fabs(a - b) <= within);
}

static inline int settle(fmi2Component c, fmi2EventInfo* info)
{
    int rounds = 0;
    do
        OK(f.NewDiscreteStates(c, info));
    while (++rounds < 100 && info->newDiscreteStatesNeeded);
    return rounds;
}

#endif
