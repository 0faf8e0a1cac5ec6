// The functions of FMI 2.0 of tank.c.
#define TANK_INSIDE
#include "tank.h"

#include "plain2.h"

#include <stdlib.h>
#include <string.h>

#define STATUS2(value) (fmi2Status)(value)

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)name, (void)type, (void)resources, (void)visible, (void)logging;
    if (strcmp(guid, "{tank}") != 0)
        return NULL;
    Tank* tank = tank_make(0);
    tank->callbacks = *callbacks;
    return tank;
}

void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerates, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stops, fmi2Real stop)
{
    Tank* tank = c;
    (void)tolerates, (void)tolerance, (void)stops, (void)stop;
    tank->t = start;
    tank->next = start + 0.4;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    Tank* tank = c;
    return STATUS2(tank->trouble == TANK_NO_START ? tank_say(tank, 3, "the tap is stuck") : 0);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    (void)c;
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

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real values[])
{
    Tank* tank = c;
    for (size_t i = 0; i < n; i++)
        values[i] = r[i] == TANK_X ? tank->x : tank_rate(tank);
    return STATUS2(tank_look(tank));
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real values[])
{
    Tank* tank = c;
    for (size_t i = 0; i < n; i++)
        switch (r[i])
        {
        case TANK_X: tank->x = values[i]; break;
        case TANK_K: tank->k = values[i]; break;
        case TANK_U: tank->u = values[i]; break;
        case TANK_TROUBLE: tank->trouble = (int)values[i]; break;
        default: return fmi2Error;
        }
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Integer values[])
{
    Tank* tank = c;
    for (size_t i = 0; i < n; i++)
        values[i] = r[i] == TANK_RINGS ? tank->rings : (int)tank->numbers[0] + 1;
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer values[])
{
    (void)r, (void)n;
    ((Tank*)c)->numbers[0] = values[0];
    return fmi2OK;
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Boolean values[])
{
    (void)r, (void)n;
    values[0] = !((Tank*)c)->truth;
    return fmi2OK;
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Boolean values[])
{
    (void)r, (void)n;
    ((Tank*)c)->truth = values[0] != 0;
    return fmi2OK;
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2String values[])
{
    (void)c, (void)r, (void)n, (void)values;
    return fmi2Error;
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2String values[])
{
    (void)c, (void)r, (void)n, (void)values;
    return fmi2Error;
}

#ifndef TANK_FEW
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state)
{
    return STATUS2(tank_copy(c, state));
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    return STATUS2(tank_go_back(c, state));
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size)
{
    (void)state;
    return STATUS2(tank_copy_size(c, size));
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    (void)c, (void)size;
    memcpy(bytes, state, sizeof(Tank));
    return fmi2OK;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state)
{
    (void)c;
    return STATUS2(tank_from_bytes(bytes, size, state));
}

#endif

// ---- Model Exchange

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info)
{
    Tank* tank = c;
    bool moved, ends, more = tank_react(tank, &moved, &ends);
    *info = (fmi2EventInfo){.newDiscreteStatesNeeded = more,
                            .terminateSimulation = ends,
                            .valuesOfContinuousStatesChanged = moved,
                            .nextEventTimeDefined = fmi2True,
                            .nextEventTime = tank_next_time(tank)};
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_back, fmi2Boolean* event, fmi2Boolean* end)
{
    Tank* tank = c;
    (void)no_back;
    *event = tank->trouble == TANK_STEP_EVENT;
    *end = tank->trouble == TANK_STEP_ENDS && tank->t >= 0.7;
    if (tank->trouble == TANK_WARNS && !tank->ahead && (tank->ahead = true))
        tank_say(tank, 1, "the water is cold");
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t)
{
    ((Tank*)c)->t = t;
    return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    (void)n;
    ((Tank*)c)->x = x[0];
    return fmi2OK;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    (void)n;
    x[0] = ((Tank*)c)->x;
    return fmi2OK;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real rates[], size_t n)
{
    (void)n;
    rates[0] = tank_rate(c);
    return STATUS2(tank_look(c));
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n)
{
    (void)n;
    z[0] = ((Tank*)c)->x - 0.5;
    return fmi2OK;
}

// ---- Co-Simulation

#ifndef TANK_FEW
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_back)
{
    Tank* tank = c;
    (void)no_back;
    bool half = tank->trouble == TANK_HALF || tank->trouble == TANK_HALF_SILENT;
    tank->t = t;
    switch (tank->trouble)
    {
    case TANK_FATAL: return fmi2Fatal;
    case TANK_PENDING: return fmi2Pending;
    case TANK_STANDS_STILL: return fmi2Discard;
    case TANK_STEP_ENDS:
        if (t + h < 0.7)
            break;
        return fmi2Discard;
    default: break;
    }
    tank_flow_through(tank, half && h > 0.01 ? h / 2 : h);
    if (tank->t >= tank->next)
    {
        tank->rings++;
        tank->next += 0.4;
    }
    return half && h > 0.01 ? fmi2Discard : fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    (void)c;
    return fmi2Error;
}
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status* value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value)
{
    const Tank* tank = c;
    *value = tank->t;
    return kind == fmi2LastSuccessfulTime && tank->trouble != TANK_HALF_SILENT ? fmi2OK : fmi2Discard;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value)
{
    *value = kind == fmi2Terminated && ((Tank*)c)->trouble == TANK_STEP_ENDS;
    return fmi2OK;
}
#endif
