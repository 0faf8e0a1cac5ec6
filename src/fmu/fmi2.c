// The functions of FMI 2.0 on an instance (unit.h): which may be called when, and what they answer. Times and values
// are checked here; what is not supported answers as the standard says.
#include "fmu/fmi2.h"

#include "fmu/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Component
{
    Unit* unit;
    char* name;
    fmi2CallbackFunctions callbacks;
} Component;

static void tell(void* user, UnitLevel level, const char* text)
{
    const Component* c = user;
    static const char* const categories[] = {"logEvents", "logStatusWarning", "logStatusError"};
    static const fmi2Status statuses[] = {fmi2OK, fmi2Warning, fmi2Error};
    if (c->callbacks.logger != NULL)
        c->callbacks.logger(c->callbacks.componentEnvironment, c->name, statuses[level], categories[level], "%s", text);
}

static bool may(const Component* c, unsigned modes, const char* function)
{
    return c != NULL && unit_may(c->unit, modes, function);
}

static fmi2Status status_of(bool ok)
{
    return ok ? fmi2OK : fmi2Error;
}

// ---- life
// ------------------------------------------------------------------------------------------------------------

const char* fmi2GetTypesPlatform(void)
{
    return "default";
}

const char* fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    Component* c = component;
    return status_of(may(c, IN_ANY, "SetDebugLogging") && unit_listen(c->unit, on != fmi2False, count, categories));
}

void fmi2FreeInstance(fmi2Component component)
{
    Component* c = component;
    if (c == NULL)
        return;
    unit_free(c->unit);
    free(c->name);
    free(c);
}

static bool is_named(const char* name)
{
    for (; name != NULL && *name != 0; name++)
        if (*name != ' ')
            return true;
    return false;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)visible;
    Component* c = callbacks != NULL ? calloc(1, sizeof *c) : NULL;
    if (c == NULL)
        return NULL;
    c->callbacks = *callbacks;
    c->name = strdup(name != NULL ? name : "");
    if (!is_named(name))
        tell(c, UNIT_ERROR, "the instance has no name");
    else if (c->name != NULL)
        c->unit = unit_create(resources, 2, type == fmi2ModelExchange, tell, c);
    if (c->unit != NULL && (guid == NULL || c->unit->store.guid == NULL || strcmp(guid, c->unit->store.guid) != 0))
    {
        unit_refuse(c->unit, "the GUID %s of the description is not that of the resources, %s",
                    guid != NULL ? guid : "NULL", c->unit->store.guid != NULL ? c->unit->store.guid : "none");
        unit_free(c->unit);
        c->unit = NULL;
    }
    if (c->unit != NULL && unit_listen(c->unit, logging != fmi2False, 0, NULL))
        return c;
    fmi2FreeInstance(c);
    return NULL;
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop)
{
    Component* c = component;
    return status_of(may(c, IN_INSTANTIATED, "SetupExperiment") &&
                     unit_set_up(c->unit, has_tolerance ? tolerance : NAN, start, has_stop, stop));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component)
{
    Component* c = component;
    return status_of(may(c, IN_INSTANTIATED, "EnterInitializationMode") && unit_begin_initialization(c->unit));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component)
{
    Component* c = component;
    return status_of(may(c, IN_INITIALIZING, "ExitInitializationMode") && unit_end_initialization(c->unit));
}

fmi2Status fmi2Terminate(fmi2Component component)
{
    Component* c = component;
    if (!may(c, IN_RUN, "Terminate"))
        return fmi2Error;
    c->unit->mode = UNIT_TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component component)
{
    Component* c = component;
    return status_of(may(c, IN_ANY, "Reset") && unit_reset(c->unit));
}

// ---- values
// ----------------------------------------------------------------------------------------------------------

// The type that a reference must have; an enumeration is read and written as an Integer.
static bool has_type(Component* c, fmi2ValueReference reference, FmiType type, const char* word)
{
    const Catalogue* list = &c->unit->catalogue;
    if (reference >= list->list.count)
        return unit_refuse(c->unit, "there is no variable with value reference %u", reference);
    FmiType found = list->list.at[reference].type == FMI_ENUMERATION ? FMI_INTEGER : list->list.at[reference].type;
    return found == type || unit_refuse(c->unit, "%s is no %s", list->list.at[reference].name, word);
}

static bool get_one(Component* c, fmi2ValueReference reference, FmiType type, const char* word, double* value)
{
    return has_type(c, reference, type, word) && unit_get(c->unit, reference, value);
}

#define GETTER(Name, Type, TYPE, word)                                                                                 \
    fmi2Status fmi2Get##Name(fmi2Component component, const fmi2ValueReference references[], size_t count,             \
                             Type values[])                                                                            \
    {                                                                                                                  \
        double value = 0;                                                                                              \
        if (!may(component, IN_FINE, "Get" #Name))                                                                     \
            return fmi2Error;                                                                                          \
        for (size_t i = 0; i < count; i++)                                                                             \
        {                                                                                                              \
            if (!get_one(component, references[i], TYPE, word, &value))                                                \
                return fmi2Error;                                                                                      \
            values[i] = (Type)value;                                                                                   \
        }                                                                                                              \
        return fmi2OK;                                                                                                 \
    }
GETTER(Real, fmi2Real, FMI_REAL, "Real")
GETTER(Integer, fmi2Integer, FMI_INTEGER, "Integer")
GETTER(Boolean, fmi2Boolean, FMI_BOOLEAN, "Boolean")

#define SETTER(Name, Type, TYPE, word)                                                                                 \
    fmi2Status fmi2Set##Name(fmi2Component component, const fmi2ValueReference references[], size_t count,             \
                             const Type values[])                                                                      \
    {                                                                                                                  \
        Component* c = component;                                                                                      \
        if (!may(c, IN_INSTANTIATED | IN_INITIALIZING | IN_RUN, "Set" #Name))                                          \
            return fmi2Error;                                                                                          \
        for (size_t i = 0; i < count; i++)                                                                             \
            if (!has_type(c, references[i], TYPE, word) || !unit_set(c->unit, references[i], (double)values[i]))       \
                return fmi2Error;                                                                                      \
        return fmi2OK;                                                                                                 \
    }
SETTER(Real, fmi2Real, FMI_REAL, "Real")
SETTER(Integer, fmi2Integer, FMI_INTEGER, "Integer")
SETTER(Boolean, fmi2Boolean, FMI_BOOLEAN, "Boolean")

static fmi2Status no_strings(Component* c, const char* function, size_t count)
{
    if (!may(c, IN_ANY, function))
        return fmi2Error;
    return count == 0 ? fmi2OK : status_of(unit_refuse(c->unit, "the model has no String variables"));
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2String values[])
{
    (void)references, (void)values;
    return no_strings(c, "GetString", count);
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference references[], size_t count,
                         const fmi2String values[])
{
    (void)references, (void)values;
    return no_strings(c, "SetString", count);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference unknowns[],
                                        size_t unknown_count, const fmi2ValueReference knowns[], size_t known_count,
                                        const fmi2Real seed[], fmi2Real result[])
{
    Component* c = component;
    if (!may(c, IN_INITIALIZING | IN_EVENT | IN_CONTINUOUS, "GetDirectionalDerivative"))
        return fmi2Error;
    return status_of(unit_along(c->unit, unknowns, unknown_count, knowns, known_count, seed, result));
}

// ---- states
// ----------------------------------------------------------------------------------------------------------

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state)
{
    Component* c = component;
    return status_of(may(c, IN_FINE, "GetFMUstate") && state != NULL && unit_state_save(c->unit, state));
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state)
{
    Component* c = component;
    return status_of(may(c, IN_ANY, "SetFMUstate") && state != NULL && unit_state_restore(c->unit, state));
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state)
{
    if (!may(component, IN_ANY, "FreeFMUstate"))
        return fmi2Error;
    if (state != NULL)
    {
        unit_state_free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t* size)
{
    return status_of(may(component, IN_ANY, "SerializedFMUstateSize") && state != NULL && size != NULL &&
                     unit_state_size(state, size));
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte to[], size_t size)
{
    return status_of(may(component, IN_ANY, "SerializeFMUstate") && state != NULL && unit_state_write(state, to, size));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state)
{
    Component* c = component;
    return status_of(may(c, IN_ANY, "DeSerializeFMUstate") && bytes != NULL && state != NULL &&
                     unit_state_read(c->unit, bytes, size, state));
}

// ---- Model Exchange
// --------------------------------------------------------------------------------------------------

fmi2Status fmi2EnterEventMode(fmi2Component component)
{
    Component* c = component;
    if (!may(c, IN_EVENT | IN_CONTINUOUS, "EnterEventMode"))
        return fmi2Error;
    c->unit->mode = UNIT_EVENT;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component component, fmi2EventInfo* info)
{
    Component* c = component;
    UnitEvents events;
    if (!may(c, IN_EVENT, "NewDiscreteStates") || info == NULL || !unit_tag(c->unit, &events))
        return fmi2Error;
    *info = (fmi2EventInfo){.newDiscreteStatesNeeded = events.more,
                            .terminateSimulation = events.terminate,
                            .valuesOfContinuousStatesChanged = events.states_changed,
                            .nextEventTimeDefined = isfinite(events.next),
                            .nextEventTime = isfinite(events.next) ? events.next : 0};
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component component)
{
    Component* c = component;
    if (!may(c, IN_EVENT | IN_CONTINUOUS, "EnterContinuousTimeMode"))
        return fmi2Error;
    if (c->unit->inside)
        return status_of(
            unit_refuse(c->unit, "the instant is not over: fmi2NewDiscreteStates asks to be called again"));
    unit_clear_events(c->unit);
    c->unit->mode = UNIT_CONTINUOUS;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component component, fmi2Boolean final, fmi2Boolean* event,
                                       fmi2Boolean* terminate)
{
    Component* c = component;
    (void) final;
    if (!may(c, IN_CONTINUOUS, "CompletedIntegratorStep") || event == NULL || terminate == NULL)
        return fmi2Error;
    *event = *terminate = fmi2False;
    return status_of(unit_step_done(c->unit));
}

fmi2Status fmi2SetTime(fmi2Component component, fmi2Real time)
{
    Component* c = component;
    return status_of(may(c, IN_EVENT | IN_CONTINUOUS, "SetTime") && unit_set_time(c->unit, time));
}

fmi2Status fmi2SetContinuousStates(fmi2Component component, const fmi2Real x[], size_t count)
{
    Component* c = component;
    if (!may(c, IN_EVENT | IN_CONTINUOUS, "SetContinuousStates") || !unit_has_count(c->unit, count, c->unit->states))
        return fmi2Error;
    unit_set_states(c->unit, x);
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component component, fmi2Real x[], size_t count)
{
    Component* c = component;
    if (!may(c, IN_INITIALIZING | IN_EVENT | IN_CONTINUOUS, "GetContinuousStates") ||
        !unit_has_count(c->unit, count, c->unit->states) || !unit_ready(c->unit))
        return fmi2Error;
    if (count > 0)
        memcpy(x, c->unit->x, sizeof *x * count);
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component component, fmi2Real dx[], size_t count)
{
    Component* c = component;
    return status_of(may(c, IN_INITIALIZING | IN_EVENT | IN_CONTINUOUS, "GetDerivatives") &&
                     unit_has_count(c->unit, count, c->unit->states) && unit_rates(c->unit, dx));
}

fmi2Status fmi2GetEventIndicators(fmi2Component component, fmi2Real z[], size_t count)
{
    Component* c = component;
    return status_of(may(c, IN_INITIALIZING | IN_EVENT | IN_CONTINUOUS, "GetEventIndicators") &&
                     unit_has_count(c->unit, count, c->unit->indicators) && unit_indicators(c->unit, z));
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component component, fmi2Real nominals[], size_t count)
{
    Component* c = component;
    if (!may(c, IN_FINE, "GetNominalsOfContinuousStates") || !unit_has_count(c->unit, count, c->unit->states))
        return fmi2Error;
    for (size_t i = 0; i < count; i++)
        nominals[i] = 1;
    return fmi2OK;
}

// ---- Co-Simulation
// ---------------------------------------------------------------------------------------------------

fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const fmi2ValueReference references[], size_t count,
                                       const fmi2Integer orders[], const fmi2Real values[])
{
    Component* c = component;
    (void)references, (void)count, (void)orders, (void)values;
    if (!may(c, IN_ANY, "SetRealInputDerivatives"))
        return fmi2Error;
    return status_of(
        unit_refuse(c->unit, "inputs are held between the points of communication: canInterpolateInputs is false"));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const fmi2ValueReference references[], size_t count,
                                        const fmi2Integer orders[], fmi2Real values[])
{
    Component* c = component;
    (void)references, (void)orders;
    if (!may(c, IN_ANY, "GetRealOutputDerivatives"))
        return fmi2Error;
    for (size_t i = 0; i < count; i++)
        values[i] = 0;
    return status_of(unit_refuse(c->unit, "outputs have no derivatives here: maxOutputDerivativeOrder is 0"));
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real from, fmi2Real step, fmi2Boolean no_going_back)
{
    Component* c = component;
    (void)no_going_back;
    if (!may(c, IN_STEPPING, "DoStep"))
        return fmi2Error;
    if (!unit_is_step(c->unit, from, step))
        return fmi2Error;
    if (!c->unit->halted && !unit_step(c->unit, from + step))
        return fmi2Error;
    c->unit->experiment.last = c->unit->t;
    return c->unit->halted ? fmi2Discard : fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component component)
{
    Component* c = component;
    return c == NULL ? fmi2Error
                     : status_of(unit_refuse(c->unit, "there is no step to cancel: steps are not asynchronous"));
}

static fmi2Status no_status(Component* c)
{
    return c == NULL ? fmi2Error : (unit_refuse(c->unit, "there is no such status"), fmi2Discard);
}

fmi2Status fmi2GetStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Status* value)
{
    (void)kind, (void)value;
    return no_status(component);
}

fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real* value)
{
    Component* c = component;
    if (c == NULL || value == NULL || kind != fmi2LastSuccessfulTime)
        return no_status(c);
    *value = c->unit->experiment.last;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Integer* value)
{
    (void)kind, (void)value;
    return no_status(component);
}

fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Boolean* value)
{
    Component* c = component;
    if (c == NULL || value == NULL || kind != fmi2Terminated)
        return no_status(c);
    *value = c->unit->halted;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component component, const fmi2StatusKind kind, fmi2String* value)
{
    (void)kind, (void)value;
    return no_status(component);
}
