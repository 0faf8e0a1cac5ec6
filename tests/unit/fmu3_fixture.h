// For tests of FMUs of version 3.0: the functions of an unpacked export, what their logger hears, values by reference.
#ifndef KAIROS_TESTS_FMU3_FIXTURE_H
#define KAIROS_TESTS_FMU3_FIXTURE_H

#include "fmu/fmi3.h"
#include "fmu_fixture.h"

#include <math.h>

#define X(result, name, arguments) fmi3##name##TYPE* name;
#define VALUES(name, type)                                                                                             \
    fmi3Get##name##TYPE* Get##name;                                                                                    \
    fmi3Set##name##TYPE* Set##name;
typedef struct Functions
{
    FMI3_FUNCTIONS(X)
    FMI3_TYPES(VALUES)
} Functions;
#undef X
#undef VALUES

static Functions f;

static inline void find(const Unpacked* u, const char* name, void* to)
{
    void* symbol = dlsym(u->library, name);
    assert_non_null(symbol);
    memcpy(to, &symbol, sizeof symbol);
}

static inline void load(const Unpacked* u)
{
#define X(result, name, arguments) find(u, "fmi3" #name, &f.name);
#define VALUES(name, type)                                                                                             \
    find(u, "fmi3Get" #name, &f.Get##name);                                                                            \
    find(u, "fmi3Set" #name, &f.Set##name);
    FMI3_FUNCTIONS(X)
    FMI3_TYPES(VALUES)
#undef X
#undef VALUES
}

static inline Unpacked export_text(const char* text, bool hide)
{
    Unpacked u = unpack_export(text, 3, hide);
    load(&u);
    return u;
}

static inline void log_message(fmi3InstanceEnvironment e, fmi3Status status, fmi3String category, fmi3String message)
{
    (void)e, (void)status, (void)category;
    listen(message);
}

static inline void must(fmi3Status status, const char* call)
{
    if (status != fmi3OK)
        print_message("%s: %s\n", call, said);
    assert_int_equal(status, fmi3OK);
}
#define OK(call) must((call), #call)
#define NO(call, words) REFUSED(call, fmi3Error, words)

static inline fmi3Instance exchange(const Unpacked* u)
{
    fmi3Instance c = f.InstantiateModelExchange("it", u->guid, u->resources, false, false, NULL, log_message);
    assert_non_null(c);
    return c;
}

static inline fmi3Instance steps(const Unpacked* u, bool events, bool early, fmi3IntermediateUpdateCallback update)
{
    fmi3Instance c = f.InstantiateCoSimulation("it", u->guid, u->resources, false, false, events, early, NULL, 0, NULL,
                                               log_message, update);
    assert_non_null(c);
    return c;
}

static inline void start(fmi3Instance c)
{
    OK(f.EnterInitializationMode(c, true, 1e-10, 0, true, 5));
    OK(f.ExitInitializationMode(c));
}

static inline double real(fmi3Instance c, fmi3ValueReference r)
{
    double value = NAN;
    OK(f.GetFloat64(c, &r, 1, &value, 1));
    return value;
}

static inline int64_t integer(fmi3Instance c, fmi3ValueReference r)
{
    int64_t value = -1;
    OK(f.GetInt64(c, &r, 1, &value, 1));
    return value;
}

static inline void near(double a, double b, double within)
{
    if (!(fabs(a - b) <= within))
        print_message("%.17g is not %.17g\n", a, b);
    assert_true(fabs(a - b) <= within);
}

static inline bool update(fmi3Instance c, double* next)
{
    fmi3Boolean more, terminate, nominals, states, has_next;
    OK(f.UpdateDiscreteStates(c, &more, &terminate, &nominals, &states, &has_next, next));
    assert_false(nominals);
    if (!has_next)
        *next = INFINITY;
    return more;
}

#endif
