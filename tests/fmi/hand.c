// An FMU written by hand against FMI 2.0 alone, Model Exchange: what an importer must get right, with closed forms.
//
//   x' = rate from 0, rate is 1. At t = 1, 2, 3, … (time events, the next announced each time) `ticks` counts, and x
//   grows by 10 in the first round of the iteration and by 20 in the second: valuesOfContinuousStatesChanged both
//   times, three rounds in all. When x passes 31.5 (the indicator is positive below) the rate becomes -2, when it falls
//   to 31 (positive above) it becomes 0. So x is t, 31 + (t - 1) from 1, 31.5 - 2 (t - 1.5) from 1.5, 31 from 1.75 on,
//   61 from 2, 91 from 3. y' = -k y + u, in km. The mode of the standard is kept, and every call that it forbids is an
//   error with a sentence.
//
// cc -shared -fPIC hand.c; HAND_CRASH=2.5 crashes in the derivatives from then on, HAND_HANG=2.5 hangs, HAND_EXIT=2.5
// ends the process, HAND_DRIFT=1 gives other derivatives each time, HAND_WARN=1 warns.
#include "plain2.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    X,
    Y,
    DER_X,
    DER_Y,
    K,
    U,
    TICKS,
    RATE,
    COUNT
};

typedef enum Mode
{
    NEW,
    INITIALIZING,
    EVENT,
    CONTINUOUS
} Mode;

typedef struct Hand
{
    fmi2CallbackFunctions callbacks;
    char name[100];
    Mode mode;
    double t, r[COUNT];
    double next;
    double done, asked;  // the last finished step; how often derivatives were wanted
    int round;           // of the iteration at a tick; 0: none
    int ticks;
    int stage;  // 0 until x passes 31.5, 1 until it falls to 31
} Hand;

static fmi2Status no(Hand* h, const char* what)
{
    h->callbacks.logger(h->callbacks.componentEnvironment, h->name, fmi2Error, "logStatusError", "%s in mode %d", what,
                        (int)h->mode);
    return fmi2Error;
}

static void trouble(double t)
{
    const char *crash = getenv("HAND_CRASH"), *hang = getenv("HAND_HANG"), *end = getenv("HAND_EXIT");
    if (crash != NULL && t >= atof(crash))
        raise(SIGSEGV);
    if (hang != NULL && t >= atof(hang))
        for (;;)
            usleep(1000);
    if (end != NULL && t >= atof(end))
        _exit(7);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)type, (void)resources, (void)visible, (void)logging;
    if (strcmp(guid, "{hand}") != 0)
    {
        callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError", "wrong GUID");
        return NULL;
    }
    Hand* h = callbacks->allocateMemory(1, sizeof *h);
    h->callbacks = *callbacks;
    snprintf(h->name, sizeof h->name, "%s", name);
    h->r[K] = 0.5;
    return h;
}

void fmi2FreeInstance(fmi2Component c)
{
    Hand* h = c;
    h->callbacks.freeMemory(h);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerates, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stops, fmi2Real stop)
{
    Hand* h = c;
    (void)tolerates, (void)tolerance, (void)stops, (void)stop;
    h->t = start;
    return h->mode == NEW ? fmi2OK : no(h, "SetupExperiment");
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    Hand* h = c;
    if (h->mode != NEW)
        return no(h, "EnterInitializationMode");
    h->mode = INITIALIZING;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    Hand* h = c;
    if (h->mode != INITIALIZING)
        return no(h, "ExitInitializationMode");
    h->mode = EVENT;
    h->r[RATE] = 1;
    h->next = floor(h->t) + 1;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}
fmi2Status fmi2Reset(fmi2Component c)
{
    (void)c;
    return fmi2Error;
}

static void derive(Hand* h)
{
    trouble(h->t);
    h->r[DER_X] = h->r[RATE];
    h->r[DER_Y] = -h->r[K] * h->r[Y] + h->r[U];
    if (getenv("HAND_DRIFT") != NULL)
        h->r[DER_Y] += ++h->asked;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real values[])
{
    Hand* h = c;
    derive(h);
    for (size_t i = 0; i < n; i++)
        values[i] = h->r[r[i]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real values[])
{
    Hand* h = c;
    for (size_t i = 0; i < n; i++)
    {
        bool start = h->mode <= INITIALIZING && (r[i] == K || r[i] == X || r[i] == Y);
        if (!start && r[i] != U)
            return no(h, "SetReal");
        h->r[r[i]] = values[i];
    }
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Integer values[])
{
    Hand* h = c;
    for (size_t i = 0; i < n; i++)
        values[i] = r[i] == TICKS ? h->ticks : 0;
    return fmi2OK;
}

#define NOT_HERE(name, ...)                                                                                            \
    fmi2Status fmi2##name(fmi2Component c, const fmi2ValueReference r[], size_t n, __VA_ARGS__)                        \
    {                                                                                                                  \
        (void)r, (void)n, (void)values;                                                                                \
        return no(c, #name);                                                                                           \
    }
NOT_HERE(GetBoolean, fmi2Boolean values[])
NOT_HERE(GetString, fmi2String values[])
NOT_HERE(SetInteger, const fmi2Integer values[])
NOT_HERE(SetBoolean, const fmi2Boolean values[])
NOT_HERE(SetString, const fmi2String values[])

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    Hand* h = c;
    if (h->mode != CONTINUOUS)
        return no(h, "EnterEventMode");
    h->mode = EVENT;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info)
{
    Hand* h = c;
    if (h->mode != EVENT)
        return no(h, "NewDiscreteStates");
    memset(info, 0, sizeof *info);
    if (h->round == 0 && h->t >= h->next)
    {
        h->round = 1;
        h->ticks++;
        h->next += 1;
    }
    if (h->round == 1 || h->round == 2)
    {
        h->r[X] += h->round == 1 ? 10 : 20;
        info->valuesOfContinuousStatesChanged = fmi2True;
        info->newDiscreteStatesNeeded = fmi2True;
        h->round++;
    }
    else
        h->round = 0;
    if (h->stage == 0 && h->ticks == 1 && !info->newDiscreteStatesNeeded && h->r[X] >= 31.5)
    {
        h->stage = 1;
        h->r[RATE] = -2;
    }
    else if (h->stage == 1 && !info->newDiscreteStatesNeeded && h->r[X] <= 31)
    {
        h->stage = 2;
        h->r[RATE] = 0;
    }
    info->nextEventTimeDefined = fmi2True;
    info->nextEventTime = h->next;
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    Hand* h = c;
    if (h->mode != EVENT || h->round != 0)
        return no(h, "EnterContinuousTimeMode");
    h->mode = CONTINUOUS;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_back, fmi2Boolean* event, fmi2Boolean* end)
{
    Hand* h = c;
    (void)no_back;
    *event = *end = fmi2False;
    if (h->t < h->done || (h->t < 1 && fabs(h->r[X] - h->t) > 1e-9))  // a trial of the solver is no step
        return no(h, "CompletedIntegratorStep elsewhere");
    h->done = h->t;
    if (getenv("HAND_WARN") != NULL && h->t > 1)
    {
        unsetenv("HAND_WARN");
        h->callbacks.logger(h->callbacks.componentEnvironment, h->name, fmi2Warning, "logStatusWarning", "it is %s",
                            "late");
        return fmi2Warning;
    }
    return h->mode == CONTINUOUS ? fmi2OK : no(h, "CompletedIntegratorStep");
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t)
{
    Hand* h = c;
    h->t = t;
    return h->mode == CONTINUOUS || h->mode == EVENT ? fmi2OK : no(h, "SetTime");
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    Hand* h = c;
    memcpy(h->r, x, sizeof *x * n);
    return h->mode == CONTINUOUS ? fmi2OK : no(h, "SetContinuousStates");
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    memcpy(x, ((Hand*)c)->r, sizeof *x * n);
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n)
{
    Hand* h = c;
    derive(h);
    memcpy(dx, h->r + DER_X, sizeof *dx * n);
    return h->mode >= EVENT ? fmi2OK : no(h, "GetDerivatives");
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n)
{
    Hand* h = c;
    (void)n;
    z[0] = h->stage == 0 ? 31.5 - h->r[X] : h->stage == 1 ? h->r[X] - 31 : 1;
    return h->mode >= EVENT ? fmi2OK : no(h, "GetEventIndicators");
}
