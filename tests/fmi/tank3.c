// The functions of FMI 3.0 of tank.c.
#define TANK_INSIDE
#include "tank.h"

#include <stdlib.h>
#include <string.h>

#define STATUS3(value) (fmi3Status)(value)
#define HEAD3 (void)n, (void)m

const char* fmi3GetVersion(void)
{
    return "3.0";
}
fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String list[])
{
    (void)c, (void)on, (void)n, (void)list;
    return fmi3OK;
}

static Tank* make3(fmi3String token, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    if (strcmp(token, "{tank}") != 0)
    {
        log(environment, fmi3Error, "log", "another token");
        return NULL;
    }
    Tank* tank = tank_make(0);
    tank->environment = environment;
    tank->log = log;
    return tank;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    (void)name, (void)resources, (void)visible, (void)logging;
    return make3(token, environment, log);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference intermediate[], size_t n,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update)
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)early, (void)intermediate, (void)n;
    Tank* tank = make3(token, environment, log);
    fmi3Boolean back = true;
    fmi3Float64 when = 0;
    if (tank == NULL)
        return NULL;
    tank->event_mode = events;
    update(environment, 0, false, false, false, true, &back, &when);  // an importer that asks for nothing
    if (back)
        free(tank);
    return back ? NULL : tank;
}

void fmi3FreeInstance(fmi3Instance c)
{
    free(c);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerates, fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stops, fmi3Float64 stop)
{
    Tank* tank = c;
    (void)tolerates, (void)tolerance, (void)stops, (void)stop;
    tank->t = start;
    tank->next = start + 0.4;
    return STATUS3(tank->trouble == TANK_NO_START ? tank_say(tank, 3, "the tap is stuck") : 0);
}

#define FINE(name)                                                                                                     \
    fmi3Status fmi3##name(fmi3Instance c)                                                                              \
    {                                                                                                                  \
        (void)c;                                                                                                       \
        return fmi3OK;                                                                                                 \
    }
fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    Tank* tank = c;
    tank->tick = tank->trouble == TANK_TICKS_FIRST;
    return fmi3OK;
}
FINE(EnterEventMode)
FINE(Terminate)
FINE(Reset)
FINE(EvaluateDiscreteStates)
FINE(EnterContinuousTimeMode)
FINE(EnterStepMode)

// ---- values

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 values[], size_t m)
{
    Tank* tank = c;
    HEAD3;
    values[0] = r[0] == TANK_X ? tank->x : r[0] == TANK_LEVEL ? tank->x - 0.5 : tank_rate(tank);
    return STATUS3(tank_look(tank));
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Float64 values[], size_t m)
{
    HEAD3;
    return STATUS3(fmi2SetReal(c, r, 1, values));
}

// One larger than what came in.
#define NUMBER(name, type, index)                                                                                      \
    fmi3Status fmi3Get##name(fmi3Instance c, const fmi3ValueReference r[], size_t n, type values[], size_t m)          \
    {                                                                                                                  \
        const Tank* tank = c;                                                                                          \
        HEAD3;                                                                                                         \
        values[0] = (type)(r[0] == TANK_RINGS ? tank->rings : tank->numbers[index] + 1);                               \
        return fmi3OK;                                                                                                 \
    }                                                                                                                  \
    fmi3Status fmi3Set##name(fmi3Instance c, const fmi3ValueReference r[], size_t n, const type values[], size_t m)    \
    {                                                                                                                  \
        (void)r;                                                                                                       \
        HEAD3;                                                                                                         \
        ((Tank*)c)->numbers[index] = (double)values[0];                                                                \
        return fmi3OK;                                                                                                 \
    }
NUMBER(Float32, fmi3Float32, 0)
NUMBER(Int8, fmi3Int8, 1)
NUMBER(UInt8, fmi3UInt8, 2)
NUMBER(Int16, fmi3Int16, 3)
NUMBER(UInt16, fmi3UInt16, 4)
NUMBER(Int32, fmi3Int32, 5)
#ifndef TANK_FEW
NUMBER(UInt32, fmi3UInt32, 6)
#endif
NUMBER(Int64, fmi3Int64, 7)
NUMBER(UInt64, fmi3UInt64, 8)

fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Boolean values[], size_t m)
{
    (void)r;
    HEAD3;
    values[0] = !((Tank*)c)->truth;
    return fmi3OK;
}
fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Boolean values[], size_t m)
{
    (void)r;
    HEAD3;
    ((Tank*)c)->truth = values[0];
    return fmi3OK;
}
fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Clock values[])
{
    Tank* tank = c;
    (void)r, (void)n;
    values[0] = tank->tick;
    return fmi3OK;
}
fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Clock values[])
{
    (void)r, (void)n;
    ((Tank*)c)->tick = values[0];
    return fmi3OK;
}

// ---- copies

#ifndef TANK_FEW
fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state)
{
    return STATUS3(tank_copy(c, state));
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    return STATUS3(tank_go_back(c, state));
}
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state)
{
    return STATUS3(fmi2FreeFMUstate(c, state));
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t* size)
{
    (void)state;
    return STATUS3(tank_copy_size(c, size));
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    (void)c, (void)size;
    memcpy(bytes, state, sizeof(Tank));
    return fmi3OK;
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState* state)
{
    (void)c;
    return STATUS3(tank_from_bytes(bytes, size, state));
}

#endif

// ---- Model Exchange

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* more, fmi3Boolean* end, fmi3Boolean* nominals,
                                    fmi3Boolean* states, fmi3Boolean* timed, fmi3Float64* next)
{
    Tank* tank = c;
    bool moved, ends;
    *more = tank_react(tank, &moved, &ends);
    *end = ends;
    *nominals = false;
    *states = moved;
    *timed = true;
    *next = tank_next_time(tank);
    tank->tick = false;  // a clock ticks for one round
    return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_back, fmi3Boolean* event, fmi3Boolean* end)
{
    fmi2Boolean wanted, over;
    fmi2Status status = fmi2CompletedIntegratorStep(c, no_back, &wanted, &over);
    *event = wanted != 0;
    *end = over != 0;
    return STATUS3(status);
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t)
{
    return STATUS3(fmi2SetTime(c, t));
}
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n)
{
    return STATUS3(fmi2SetContinuousStates(c, x, n));
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    return STATUS3(fmi2GetContinuousStates(c, x, n));
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    return STATUS3(fmi2GetNominalsOfContinuousStates(c, x, n));
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 rates[], size_t n)
{
    return STATUS3(fmi2GetDerivatives(c, rates, n));
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 z[], size_t n)
{
    return STATUS3(fmi2GetEventIndicators(c, z, n));
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t* n)
{
    (void)c;
    *n = 1;
    return fmi3OK;
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t* n)
{
    return fmi3GetNumberOfEventIndicators(c, n);
}

// ---- Co-Simulation

#ifndef TANK_FEW
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_back, fmi3Boolean* event,
                      fmi3Boolean* end, fmi3Boolean* early, fmi3Float64* last)
{
    Tank* tank = c;
    (void)no_back;
    *event = *end = *early = false;
    *last = t;
    if (tank->trouble == TANK_FATAL)
        return fmi3Fatal;
    if (tank->trouble == TANK_STANDS_STILL)
        return *early = true, fmi3OK;
    tank->t = t;
    if (tank->event_mode)
    {
        *early = tank_flow(tank, h) < h;
        *event = tank->x <= 0.5 || tank->t >= tank->next;
    }
    else
        tank_flow_through(tank, h);
    *end = tank->trouble == TANK_STEP_ENDS && tank->t >= 0.7;
    *last = tank->t;
    return fmi3OK;
}
#endif
