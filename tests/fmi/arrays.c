// An FMU written by hand against FMI 3.0 alone, Model Exchange, with arrays and clocks as the standard has them:
//
//   x[1]' = -k (x[1] - w[1]), x[2]' = -k (x[2] - w[2]), k = 1000, from x = (0, 0): x[i] is w[i] soon
//   y[1] = w[3] x[1] + u[1], y[2] = w[3] x[2] + u[2]
//   `tick`, a triggered output clock, ticks at t = 1, 2, 3, …, in event mode before the update and once; `number` is
//   how often, at the tag of the tick already. `poke` is a triggered input clock, `pokes` counts it. `not_b` is not b.
//
// A call in a mode that the standard forbids is an error.
#include "../../src/fmu/fmi3.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum
{
    N,
    X,
    DER,
    W,
    U,
    Y,
    TICK,
    NUMBER,
    POKE,
    POKES,
    B,
    NOT_B,
};

static const double k = 1000;

typedef struct Arrays
{
    double t, x[2], w[3], u[2], next;
    int mode;  // 0 new, 1 initializing, 2 event, 3 continuous
    bool b, due, told, poked;
    int number, pokes;
} Arrays;

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log;
    Arrays* a = calloc(1, sizeof *a);
    a->next = 1;
    a->w[2] = 1;
    return a;
}

void fmi3FreeInstance(fmi3Instance c)
{
    free(c);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerates, fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean ends, fmi3Float64 stop)
{
    Arrays* a = c;
    (void)tolerates, (void)tolerance, (void)ends, (void)stop;
    a->t = start;
    return a->mode++ == 0 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    return ((Arrays*)c)->mode++ == 1 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    Arrays* a = c;
    if (a->mode != 3)
        return fmi3Error;
    a->mode = 2;
    a->due = a->t >= a->next - 1e-9;
    a->told = false;
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* more, fmi3Boolean* end, fmi3Boolean* nominals,
                                    fmi3Boolean* states, fmi3Boolean* timed, fmi3Float64* next)
{
    Arrays* a = c;
    *more = *end = *nominals = *states = false;
    if (a->mode != 2)
        return fmi3Error;
    a->pokes += a->poked;
    a->number += a->due;
    a->next += a->due;
    a->poked = a->due = false;
    *timed = true;
    *next = a->next;
    return fmi3OK;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c)
{
    Arrays* a = c;
    return a->mode == 2 ? (a->mode = 3, fmi3OK) : fmi3Error;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_back, fmi3Boolean* event, fmi3Boolean* end)
{
    (void)c, (void)no_back;
    *event = *end = false;
    return fmi3OK;
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t)
{
    ((Arrays*)c)->t = t;
    return ((Arrays*)c)->mode == 3 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n)
{
    memcpy(((Arrays*)c)->x, x, sizeof *x * n);
    return n == 2 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    memcpy(x, ((Arrays*)c)->x, sizeof *x * n);
    return n == 2 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 dx[], size_t n)
{
    const Arrays* a = c;
    for (size_t i = 0; i < n; i++)
        dx[i] = -k * (a->x[i] - a->w[i]);
    return n == 2 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 z[], size_t n)
{
    (void)c, (void)z;
    return n == 0 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
                                        const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                        size_t seeds, fmi3Float64 result[], size_t results)
{
    (void)c;
    if (unknown_count != 1 || unknowns[0] != DER || known_count != 1 || seeds != 2 || results != 2)
        return fmi3Error;
    for (size_t i = 0; i < 2; i++)
        result[i] = knowns[0] == X ? -k * seed[i] : 0;
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference v[], size_t n, fmi3Float64 values[], size_t count)
{
    const Arrays* a = c;
    if (n != 1 || a->mode == 0 || count != (v[0] == W ? 3 : 2))
        return fmi3Error;
    for (size_t i = 0; i < count; i++)
        values[i] = v[0] == X     ? a->x[i]
                    : v[0] == W   ? a->w[i]
                    : v[0] == U   ? a->u[i]
                    : v[0] == DER ? -k * (a->x[i] - a->w[i])
                                  : a->w[2] * a->x[i] + a->u[i];
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference v[], size_t n, const fmi3Float64 values[],
                          size_t count)
{
    Arrays* a = c;
    if (n != 1 || (v[0] != W && v[0] != U) || count != (v[0] == W ? 3 : 2))
        return fmi3Error;
    memcpy(v[0] == W ? a->w : a->u, values, sizeof *values * count);
    return fmi3OK;
}

fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference v[], size_t n, fmi3Int32 values[], size_t count)
{
    const Arrays* a = c;
    values[0] = v[0] == NUMBER ? a->number + (a->mode == 2 && a->due) : a->pokes;
    return n == 1 && count == 1 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference v[], size_t n, fmi3Boolean values[], size_t count)
{
    values[0] = v[0] == B ? ((Arrays*)c)->b : !((Arrays*)c)->b;
    return n == 1 && count == 1 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference v[], size_t n, const fmi3Boolean values[],
                          size_t count)
{
    Arrays* a = c;
    a->b = values[0];
    return n == 1 && count == 1 && v[0] == B && a->mode < 3 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference v[], size_t n, fmi3Clock values[])
{
    Arrays* a = c;
    values[0] = a->due && !a->told;
    a->told |= a->due;
    return n == 1 && v[0] == TICK && a->mode == 2 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference v[], size_t n, const fmi3Clock values[])
{
    Arrays* a = c;
    a->poked |= values[0];
    return n == 1 && v[0] == POKE && a->mode == 2 ? fmi3OK : fmi3Error;
}

// ---- what nobody calls here

const char* fmi3GetVersion(void)
{
    return "3.0";
}
fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String list[])
{
    (void)c, (void)on, (void)n, (void)list;
    return fmi3OK;
}
fmi3Status fmi3Terminate(fmi3Instance c)
{
    return (void)c, fmi3OK;
}
fmi3Status fmi3Reset(fmi3Instance c)
{
    return (void)c, fmi3Error;
}
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c)
{
    return (void)c, fmi3OK;
}
fmi3Status fmi3GetInt64(fmi3Instance c, const fmi3ValueReference v[], size_t n, fmi3Int64 values[], size_t count)
{
    (void)c, (void)v, (void)n, (void)values, (void)count;
    return fmi3Error;
}
fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference v[], size_t n, const fmi3Int64 values[], size_t count)
{
    (void)c, (void)v, (void)n, (void)values, (void)count;
    return fmi3Error;
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    return fmi3OK;
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t* n)
{
    return (void)c, *n = 0, fmi3OK;
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t* n)
{
    return (void)c, *n = 2, fmi3OK;
}
