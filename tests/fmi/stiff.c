// A stiff FMU written by hand against FMI 2.0, Model Exchange, with directional derivatives:
//
//   x' = -s (x - cos t) - sin t,  y' = -s (y - u) + s (x - cos t),  s = 1e6, u an input
//
// From x = 1 and y = 0, with u = 0, x is cos t and y is 0. What a solver does with it: STIFF_COUNTS names a file that
// takes "rates N slopes M", how often derivatives and directional derivatives were asked for, when the instance ends.
#include "plain2.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    X,
    Y,
    DER_X,
    DER_Y,
    U,
    COUNT
};

typedef struct Stiff
{
    fmi2CallbackFunctions callbacks;
    double t, r[COUNT];
    long rates, slopes;
} Stiff;

static const double s = 1e6;

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)name, (void)type, (void)guid, (void)resources, (void)visible, (void)logging;
    Stiff* f = callbacks->allocateMemory(1, sizeof *f);
    f->callbacks = *callbacks;
    f->r[X] = 1;
    return f;
}

void fmi2FreeInstance(fmi2Component c)
{
    Stiff* f = c;
    const char* path = getenv("STIFF_COUNTS");
    FILE* out = path != NULL && f->rates > 0 ? fopen(path, "w") : NULL;
    if (out != NULL)
    {
        fprintf(out, "rates %ld slopes %ld\n", f->rates, f->slopes);
        fclose(out);
    }
    f->callbacks.freeMemory(f);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerates, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stops, fmi2Real stop)
{
    (void)tolerates, (void)tolerance, (void)stops, (void)stop;
    ((Stiff*)c)->t = start;
    return fmi2OK;
}

#define NOTHING(name)                                                                                                  \
    fmi2Status fmi2##name(fmi2Component c)                                                                             \
    {                                                                                                                  \
        (void)c;                                                                                                       \
        return fmi2OK;                                                                                                 \
    }
NOTHING(EnterInitializationMode)
NOTHING(ExitInitializationMode)
NOTHING(Terminate)
NOTHING(Reset)
NOTHING(EnterEventMode)
NOTHING(EnterContinuousTimeMode)

static void derive(Stiff* f)
{
    f->r[DER_X] = -s * (f->r[X] - cos(f->t)) - sin(f->t);
    f->r[DER_Y] = -s * (f->r[Y] - f->r[U]) + s * (f->r[X] - cos(f->t));
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference v[], size_t n, fmi2Real values[])
{
    Stiff* f = c;
    derive(f);
    for (size_t i = 0; i < n; i++)
        values[i] = f->r[v[i]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference v[], size_t n, const fmi2Real values[])
{
    for (size_t i = 0; i < n; i++)
        ((Stiff*)c)->r[v[i]] = values[i];
    return fmi2OK;
}

#define NO_VALUES(name, type)                                                                                          \
    fmi2Status fmi2Get##name(fmi2Component c, const fmi2ValueReference v[], size_t n, type values[])                   \
    {                                                                                                                  \
        (void)c, (void)v, (void)values;                                                                                \
        return n == 0 ? fmi2OK : fmi2Error;                                                                            \
    }                                                                                                                  \
    fmi2Status fmi2Set##name(fmi2Component c, const fmi2ValueReference v[], size_t n, const type values[])             \
    {                                                                                                                  \
        (void)c, (void)v, (void)values;                                                                                \
        return n == 0 ? fmi2OK : fmi2Error;                                                                            \
    }
NO_VALUES(Integer, fmi2Integer)
NO_VALUES(Boolean, fmi2Boolean)
NO_VALUES(String, fmi2String)

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info)
{
    (void)c;
    memset(info, 0, sizeof *info);
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_back, fmi2Boolean* event, fmi2Boolean* end)
{
    (void)c, (void)no_back;
    *event = *end = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t)
{
    ((Stiff*)c)->t = t;
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    memcpy(((Stiff*)c)->r, x, sizeof *x * n);
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    memcpy(x, ((Stiff*)c)->r, sizeof *x * n);
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n)
{
    Stiff* f = c;
    f->rates++;
    derive(f);
    memcpy(dx, f->r + DER_X, sizeof *dx * n);
    return fmi2OK;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n)
{
    (void)c, (void)z;
    return n == 0 ? fmi2OK : fmi2Error;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t unknown_count,
                                        const fmi2ValueReference knowns[], size_t known_count, const fmi2Real seed[],
                                        fmi2Real result[])
{
    Stiff* f = c;
    double move[COUNT] = {0};
    f->slopes++;
    for (size_t i = 0; i < known_count; i++)
        move[knowns[i]] = seed[i];
    for (size_t i = 0; i < unknown_count; i++)
        result[i] = unknowns[i] == DER_X ? -s * move[X] : -s * (move[Y] - move[U]) + s * move[X];
    return fmi2OK;
}
