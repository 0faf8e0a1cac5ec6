// The functions of FMI 3.0 on an instance (unit.h): its life, modes, Model Exchange and Co-Simulation.
#include "fmu/fmi3_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void tell(void* user, UnitLevel level, const char* text)
{
    const Instance* c = user;
    static const char* const categories[] = {"logEvents", "logStatusWarning", "logStatusError"};
    static const fmi3Status statuses[] = {fmi3OK, fmi3Warning, fmi3Error};
    if (c->log != NULL)
        c->log(c->environment, statuses[level], categories[level], text);
}

// ---- life
// ------------------------------------------------------------------------------------------------------------

const char* fmi3GetVersion(void)
{
    return "3.0";
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t count, const fmi3String categories[])
{
    Instance* c = instance;
    return fmi3_status(fmi3_may(c, IN_ANY, "SetDebugLogging") && unit_listen(c->unit, on, count, categories));
}

void fmi3FreeInstance(fmi3Instance instance)
{
    Instance* c = instance;
    if (c == NULL)
        return;
    unit_free(c->unit);
    free(c);
}

static Instance* instantiate(const char* name, const char* token, const char* resources, bool exchange,
                             const Instance* like)
{
    Instance* c = malloc(sizeof *c);
    if (c == NULL)
        return NULL;
    *c = *like;
    if (name == NULL || name[strspn(name, " ")] == 0)
        tell(c, UNIT_ERROR, "the instance has no name");
    else
        c->unit = unit_create(resources, 3, exchange, tell, c);
    const char* guid = c->unit != NULL ? c->unit->store.guid : NULL;
    if (c->unit != NULL && guid != NULL && token != NULL && strcmp(token, guid) == 0)
        return unit_listen(c->unit, c->logging, 0, NULL) ? c : NULL;
    if (c->unit != NULL)
        unit_refuse(c->unit, "the instantiation token %s of the description is not that of the resources, %s",
                    token != NULL ? token : "NULL", guid != NULL ? guid : "none");
    fmi3FreeInstance(c);
    return NULL;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    (void)visible;
    Instance like = {.environment = environment, .log = log, .logging = logging};
    return instantiate(name, token, resources, true, &like);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference wanted[], size_t wanted_count,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update)
{
    (void)visible, (void)wanted, (void)wanted_count;
    Instance like = {.environment = environment,
                     .log = log,
                     .update = update,
                     .logging = logging,
                     .event_mode = event_mode,
                     .early_return = early_return};
    return instantiate(name, token, resources, false, &like);
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)clock, (void)lock, (void)unlock;
    Instance c = {.environment = environment, .log = log, .logging = logging};
    tell(&c, UNIT_ERROR, "this FMU has Model Exchange and Co-Simulation, no Scheduled Execution");
    return NULL;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)
{
    Instance* c = instance;
    return fmi3_status(fmi3_may(c, IN_INSTANTIATED, "EnterInitializationMode") &&
                       unit_set_up(c->unit, has_tolerance ? tolerance : NAN, start, has_stop, stop) &&
                       unit_begin_initialization(c->unit));
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_INITIALIZING, "ExitInitializationMode") || !unit_end_initialization(c->unit))
        return fmi3Error;
    if (c->event_mode)
        c->unit->mode = UNIT_EVENT;
    return fmi3OK;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_INSTANTIATED, "EnterConfigurationMode"))
        return fmi3Error;
    c->unit->mode = UNIT_CONFIGURING;
    return fmi3OK;
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_CONFIGURING, "ExitConfigurationMode") || !unit_configure(c->unit))
        return fmi3Error;
    c->unit->mode = UNIT_INSTANTIATED;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_RUN, "Terminate"))
        return fmi3Error;
    c->unit->mode = UNIT_TERMINATED;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
    Instance* c = instance;
    return fmi3_status(fmi3_may(c, IN_ANY, "Reset") && unit_reset(c->unit));
}

// ---- events
// ----------------------------------------------------------------------------------------------------------

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    Instance* c = instance;
    unsigned modes = IN_EVENT | IN_CONTINUOUS | (c != NULL && c->event_mode ? IN_STEPPING : 0);
    if (!fmi3_may(c, modes, "EnterEventMode"))
        return fmi3Error;
    c->unit->mode = UNIT_EVENT;
    return fmi3OK;
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance)
{
    return fmi3_status(fmi3_may(instance, IN_EVENT | IN_INITIALIZING, "EvaluateDiscreteStates"));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* more, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals_changed, fmi3Boolean* states_changed, fmi3Boolean* has_next,
                                    fmi3Float64* next)
{
    Instance* c = instance;
    UnitEvents events = {.next = INFINITY};
    bool places = more != NULL && terminate != NULL && nominals_changed != NULL && states_changed != NULL &&
                  has_next != NULL && next != NULL;
    if (!fmi3_may(c, IN_EVENT, "UpdateDiscreteStates") || !places)
        return fmi3Error;
    if (!(c->unit->exchange ? unit_tag(c->unit, &events) : unit_settle(c->unit, &events)))
        return fmi3Error;
    *more = events.more;
    *terminate = events.terminate;
    *nominals_changed = false;
    *states_changed = events.states_changed;
    *has_next = isfinite(events.next);
    *next = *has_next ? events.next : 0;
    return fmi3OK;
}

// ---- Model Exchange
// --------------------------------------------------------------------------------------------------

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_EVENT | IN_CONTINUOUS, "EnterContinuousTimeMode"))
        return fmi3Error;
    if (c->unit->inside)
        return fmi3_status(
            unit_refuse(c->unit, "the instant is not over: fmi3UpdateDiscreteStates asks to be called again"));
    if (!c->unit->exchange)
        return fmi3_status(unit_refuse(c->unit, "there is no continuous-time mode in Co-Simulation"));
    unit_clear_events(c->unit);
    c->unit->mode = UNIT_CONTINUOUS;
    return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean final, fmi3Boolean* event,
                                       fmi3Boolean* terminate)
{
    Instance* c = instance;
    (void) final;
    if (!fmi3_may(c, IN_CONTINUOUS, "CompletedIntegratorStep") || event == NULL || terminate == NULL)
        return fmi3Error;
    *event = *terminate = false;
    return fmi3_status(unit_step_done(c->unit));
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time)
{
    Instance* c = instance;
    return fmi3_status(fmi3_may(c, IN_EVENT | IN_CONTINUOUS, "SetTime") && unit_set_time(c->unit, time));
}

static bool may_exchange(Instance* c, unsigned modes, const char* function, size_t count, int wanted)
{
    return fmi3_may(c, modes, function) &&
           (c->unit->exchange || unit_refuse(c->unit, "fmi3%s is for Model Exchange", function)) &&
           unit_has_count(c->unit, count, wanted);
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 x[], size_t count)
{
    Instance* c = instance;
    if (c == NULL || !may_exchange(c, IN_EVENT | IN_CONTINUOUS, "SetContinuousStates", count, c->unit->states))
        return fmi3Error;
    if (c->unit->structure.shapes.ordered)
    {
        unit_set_states(c->unit, x);
        return fmi3OK;
    }
    for (size_t i = 0; i < count; i++)
        c->unit->scratch[c->unit->structure.shapes.states[i]] = x[i];
    unit_set_states(c->unit, c->unit->scratch);
    return fmi3OK;
}

// The states of arrays stand together, those of the solver as it likes.
static void take_states(const Instance* c, const double* from, double* to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[c->unit->structure.shapes.states[i]];
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 x[], size_t count)
{
    Instance* c = instance;
    if (c == NULL ||
        !may_exchange(c, IN_INITIALIZING | IN_EVENT | IN_CONTINUOUS, "GetContinuousStates", count, c->unit->states) ||
        !unit_ready(c->unit))
        return fmi3Error;
    take_states(c, c->unit->x, x, count);
    return fmi3OK;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 dx[], size_t count)
{
    Instance* c = instance;
    if (c == NULL || !may_exchange(c, IN_INITIALIZING | IN_EVENT | IN_CONTINUOUS, "GetContinuousStateDerivatives",
                                   count, c->unit->states))
        return fmi3Error;
    if (c->unit->structure.shapes.ordered)
        return fmi3_status(unit_rates(c->unit, dx));
    if (!unit_rates(c->unit, c->unit->dx))
        return fmi3Error;
    take_states(c, c->unit->dx, dx, count);
    return fmi3OK;
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 z[], size_t count)
{
    Instance* c = instance;
    return fmi3_status(
        c != NULL &&
        may_exchange(c, IN_INITIALIZING | IN_EVENT | IN_CONTINUOUS, "GetEventIndicators", count, c->unit->indicators) &&
        unit_indicators(c->unit, z));
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[], size_t count)
{
    Instance* c = instance;
    if (c == NULL || !may_exchange(c, IN_FINE, "GetNominalsOfContinuousStates", count, c->unit->states))
        return fmi3Error;
    for (size_t i = 0; i < count; i++)
        nominals[i] = 1;
    return fmi3OK;
}

static fmi3Status tell_count(Instance* c, const char* function, size_t* count, bool states)
{
    if (!fmi3_may(c, IN_FINE, function) || count == NULL)
        return fmi3Error;
    *count = (size_t)(states ? c->unit->states : c->unit->indicators);
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t* count)
{
    return tell_count(instance, "GetNumberOfEventIndicators", count, false);
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t* count)
{
    return tell_count(instance, "GetNumberOfContinuousStates", count, true);
}

// ---- Co-Simulation
// ---------------------------------------------------------------------------------------------------

fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    Instance* c = instance;
    if (!fmi3_may(c, IN_EVENT, "EnterStepMode"))
        return fmi3Error;
    if (c->unit->exchange)
        return fmi3_status(unit_refuse(c->unit, "there is no step mode in Model Exchange"));
    unit_clear_events(c->unit);
    c->unit->mode = UNIT_STEPPING;
    return fmi3OK;
}

// The importer may look, and ask to stop: at every instant, and at the end of the step.
static bool update(Instance* c, double t, double* until)
{
    fmi3Boolean wanted = false;
    fmi3Float64 at = t;
    if (c->update == NULL)
        return false;
    c->update(c->environment, t, false, true, true, c->early_return, &wanted, &at);
    if (!wanted || !c->early_return)
        return false;
    *until = fmin(*until, fmax(t, at));
    return *until <= t;
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 from, fmi3Float64 step, fmi3Boolean no_going_back,
                      fmi3Boolean* event, fmi3Boolean* terminate, fmi3Boolean* early, fmi3Float64* reached)
{
    Instance* c = instance;
    (void)no_going_back;
    if (!fmi3_may(c, IN_STEPPING, "DoStep") || event == NULL || terminate == NULL || early == NULL || reached == NULL)
        return fmi3Error;
    if (!unit_is_step(c->unit, from, step))
        return fmi3Error;
    double end = from + step, until = end;
    bool stopped = c->unit->halted, instant = false;
    unit_clear_events(c->unit);
    while (!stopped)
    {
        if (!unit_advance(c->unit, until, &instant))
            return fmi3Error;
        stopped = c->unit->halted || c->unit->t >= until || update(c, c->unit->t, &until) ||
                  (instant && c->event_mode && c->early_return);
    }
    if (c->unit->t >= end)
        update(c, c->unit->t, &until);
    *event = instant && c->event_mode;
    *terminate = c->unit->halted;
    *early = c->unit->t < end;
    *reached = c->unit->experiment.last = c->unit->t;
    return fmi3OK;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                    const fmi3Int32 orders[], fmi3Float64 values[], size_t value_count)
{
    Instance* c = instance;
    (void)references, (void)count, (void)orders, (void)values, (void)value_count;
    if (!fmi3_may(c, IN_FINE, "GetOutputDerivatives"))
        return fmi3Error;
    return fmi3_status(unit_refuse(c->unit, "outputs have no derivatives here: maxOutputDerivativeOrder is 0"));
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 time)
{
    Instance* c = instance;
    (void)clock, (void)time;
    return c == NULL ? fmi3Error : fmi3_status(unit_refuse(c->unit, "there is no Scheduled Execution"));
}
