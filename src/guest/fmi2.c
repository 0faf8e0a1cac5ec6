// The calls of FMI 2.0.
#include "guest/guest.h"

#include "fmu/fmi2.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef fmi2FMUstate Copy;

#define X(result, name, arguments) fmi2##name##TYPE* name;
typedef struct Instance
{
    GuestInstance common;
    FMI2_FUNCTIONS(X)
    fmi2Component c;
    Copy kept;
    fmi2CallbackFunctions callbacks;
} Instance;
#undef X

// What 3.0 spells otherwise.
#define GetFMUState GetFMUstate
#define SetFMUState SetFMUstate
#define FreeFMUState FreeFMUstate
#define SerializedFMUStateSize SerializedFMUstateSize
#define SerializeFMUState SerializeFMUstate
#define DeserializeFMUState DeSerializeFMUstate
#define GetContinuousStateDerivatives GetDerivatives
#define VERSION "2"
#include "guest/calls.h"

// Messages may refer to variables as #r12#; they are left as they are.
static void hear(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status, fmi2String category,
                 fmi2String message, ...)
{
    char text[300];
    (void)instance, (void)category;
    va_list args;
    va_start(args, message);
    vsnprintf(text, sizeof text, message != NULL ? message : "", args);
    va_end(args);
    if (environment != NULL && status != fmi2OK && status != fmi2Pending)
        guest_log(environment, status >= fmi2Error, text);
}

static bool find_functions(Instance* i)
{
    static const char* const optional = "GetFMUstate SetFMUstate FreeFMUstate SerializedFMUstateSize SerializeFMUstate "
                                        "DeSerializeFMUstate GetDirectionalDerivative SetRealInputDerivatives "
                                        "GetRealOutputDerivatives CancelStep GetStatus GetRealStatus GetIntegerStatus "
                                        "GetBooleanStatus GetStringStatus";
    bool all = true;
#define X(result, name, arguments)                                                                                     \
    {                                                                                                                  \
        void* symbol = guest_symbol(i->common.guest, "fmi2" #name);                                                    \
        memcpy(&i->name, &symbol, sizeof symbol);                                                                      \
        bool exchange = strstr("EnterEventMode NewDiscreteStates EnterContinuousTimeMode CompletedIntegratorStep "     \
                               "SetTime SetContinuousStates GetDerivatives GetEventIndicators GetContinuousStates "    \
                               "GetNominalsOfContinuousStates",                                                        \
                               #name) != NULL;                                                                         \
        bool other = i->common.guest->exchange ? strcmp(#name, "DoStep") == 0 : exchange;                              \
        if (symbol == NULL && !other && strstr(optional, #name) == NULL)                                               \
        {                                                                                                              \
            guest_log(&i->common, true, "its binary has no function fmi2" #name);                                      \
            all = false;                                                                                               \
        }                                                                                                              \
    }
    FMI2_FUNCTIONS(X)
#undef X
    return all;
}

static kaiStatus instantiate(GuestInstance* common)
{
    Instance* i = of(common);
    const Guest* g = common->guest;
    char uri[320];
    if (!find_functions(i))
        return KAI_ERR_RUN;
    snprintf(uri, sizeof uri, "file://%s/resources", g->folder);
    i->callbacks = (fmi2CallbackFunctions){hear, calloc, free, NULL, common};
    i->c = i->Instantiate(common->host.instance, g->exchange ? fmi2ModelExchange : fmi2CoSimulation, g->described.guid,
                          uri, &i->callbacks, fmi2False, fmi2False);
    if (i->c == NULL)
        return KAI_ERR_RUN;
    return KAI_OK;
}

static void free_instance(GuestInstance* common)
{
    free_component(of(common));
}

// ---- values

static kaiStatus get(GuestInstance* common, const GuestVariable* list, uint32_t count, double* values)
{
    Instance* i = of(common);
    kaiStatus status = KAI_OK;
    for (uint32_t k = 0; k < count && status == KAI_OK; k++)
    {
        fmi2ValueReference r = list[k].reference;
        fmi2Integer whole = 0;
        if (list[k].type == GUEST_FLOAT64)
            status = CALL(GetReal, &r, 1, &values[k]);
        else if (list[k].type == GUEST_BOOLEAN)
            status = CALL(GetBoolean, &r, 1, &whole);
        else
            status = CALL(GetInteger, &r, 1, &whole);
        if (list[k].type != GUEST_FLOAT64)
            values[k] = list[k].type == GUEST_BOOLEAN ? whole != 0 : whole;
    }
    return status;
}

static kaiStatus set(GuestInstance* common, const GuestVariable* list, uint32_t count, const double* values)
{
    Instance* i = of(common);
    kaiStatus status = KAI_OK;
    for (uint32_t k = 0; k < count && status == KAI_OK; k++)
    {
        fmi2ValueReference r = list[k].reference;
        fmi2Integer whole = list[k].type == GUEST_BOOLEAN ? values[k] != 0 : (fmi2Integer)lrint(values[k]);
        if (list[k].type == GUEST_FLOAT64)
            status = CALL(SetReal, &r, 1, &values[k]);
        else if (list[k].type == GUEST_BOOLEAN)
            status = CALL(SetBoolean, &r, 1, &whole);
        else if (list[k].type != GUEST_NONE)
            status = CALL(SetInteger, &r, 1, &whole);
    }
    return status;
}

static kaiStatus initialize(GuestInstance* common, double t, const double* parameters, const double* inputs)
{
    Instance* i = of(common);
    const Guest* g = common->guest;
    const kaiBlockHost* host = &common->host;
    uint32_t own = g->block.parameter_count - (g->exchange ? 0 : 1);
    bool ends = g->exchange && isfinite(host->stop);  // its last step of Co-Simulation may lead beyond
    kaiStatus status = set(common, g->parameters, own, parameters);
    if (status == KAI_OK)
        status =
            CALL(SetupExperiment, fmi2True, host->tolerance, t, ends ? fmi2True : fmi2False, ends ? host->stop : 0);
    if (status == KAI_OK)
        status = CALL0(EnterInitializationMode);
    if (status == KAI_OK)
        status = set(common, g->inputs, g->block.input_count, inputs);
    return status == KAI_OK ? CALL0(ExitInitializationMode) : status;
}

// ---- Model Exchange

static kaiStatus get_slopes(GuestInstance* common, const GuestVariable* known, double* slopes, size_t count)
{
    Instance* i = of(common);
    const double one = 1;
    if (i->GetDirectionalDerivative == NULL)
        return guest_log(common, true, "its binary has no function fmi2GetDirectionalDerivative"), KAI_ERR_RUN;
    return CALL(GetDirectionalDerivative, common->guest->rates, count, &known->reference, 1, &one, slopes);
}

static kaiStatus enter_step(GuestInstance* common)
{
    return (void)common, KAI_OK;
}

static kaiStatus update(GuestInstance* common, kaiBlockEvents* events, bool* states_changed)
{
    Instance* i = of(common);
    fmi2EventInfo info = {0};
    kaiStatus status = CALL(NewDiscreteStates, &info);
    *states_changed = info.valuesOfContinuousStatesChanged != 0;
    events->more = info.newDiscreteStatesNeeded != 0;
    events->end = info.terminateSimulation != 0;
    events->next = info.nextEventTimeDefined ? info.nextEventTime : INFINITY;
    return status;
}

static kaiStatus step_done(GuestInstance* common, bool* event, bool* end)
{
    Instance* i = of(common);
    fmi2Boolean enter = fmi2False, terminate = fmi2False;
    kaiStatus status = CALL(CompletedIntegratorStep, fmi2True, &enter, &terminate);
    *event = enter != 0;
    *end = terminate != 0;
    return status;
}

// ---- Co-Simulation

static kaiStatus do_step(GuestInstance* common, double t, double h, double* reached, bool* event, bool* end)
{
    Instance* i = of(common);
    fmi2Boolean over = fmi2False;
    fmi2Status status = i->DoStep(i->c, t, h, fmi2True);
    *event = false;
    *reached = t + h;
    if (status == fmi2Pending)
        return guest_log(common, true, "its steps are asynchronous, which is not supported"), KAI_ERR_RUN;
    if (status != fmi2Discard)
        return guest_answer(common, (int)status, "fmi2DoStep");
    if (i->GetBooleanStatus != NULL && i->GetBooleanStatus(i->c, fmi2Terminated, &over) == fmi2OK && over)
        *end = true;
    if (i->GetRealStatus == NULL || i->GetRealStatus(i->c, fmi2LastSuccessfulTime, reached) != fmi2OK)
        return guest_log(common, true, "it discards a step and does not say how far it came"), KAI_ERR_RUN;
    return KAI_OK;
}

GuestInstance* guest_make_2(kaiAllocator a, size_t* size)
{
    return make(a, size);
}
