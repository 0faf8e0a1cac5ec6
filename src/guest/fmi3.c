// The calls of FMI 3.0.
#include "guest/guest.h"

#include "fmu/fmi3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef fmi3FMUState Copy;

#define X(result, name, arguments) fmi3##name##TYPE* name;
#define VALUES(name, type) X(, Get##name, ) X(, Set##name, )
typedef struct Instance
{
    GuestInstance common;
    FMI3_FUNCTIONS(X)
    FMI3_TYPES(VALUES)
    fmi3Instance c;
    Copy kept;
    void* raw;
    size_t raw_size;
} Instance;
#undef X

#define VERSION "3"
#include "guest/calls.h"

static void hear(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    (void)category;
    if (environment != NULL && status != fmi3OK && message != NULL)
        guest_log(environment, status >= fmi3Error, message);
}

// An importer that lets the FMU go on.
static void pass(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set_requested,
                 fmi3Boolean get_allowed, fmi3Boolean step_finished, fmi3Boolean can_return,
                 fmi3Boolean* return_requested, fmi3Float64* return_time)
{
    (void)environment, (void)set_requested, (void)get_allowed, (void)step_finished, (void)can_return;
    if (return_requested != NULL)
        *return_requested = false;
    if (return_time != NULL)
        *return_time = time;
}

// What the calls below cannot do without.
static const char* missing(const Instance* i)
{
    bool exchange = i->common.guest->exchange;
    const struct
    {
        const char* name;
        bool there;
    } wanted[] = {{"FreeInstance", i->FreeInstance != NULL},
                  {"EnterInitializationMode", i->EnterInitializationMode != NULL},
                  {"ExitInitializationMode", i->ExitInitializationMode != NULL},
                  {"GetFloat64", i->GetFloat64 != NULL},
                  {"SetFloat64", i->SetFloat64 != NULL},
                  {"InstantiateModelExchange", !exchange || i->InstantiateModelExchange != NULL},
                  {"InstantiateCoSimulation", exchange || i->InstantiateCoSimulation != NULL},
                  {"DoStep", exchange || i->DoStep != NULL},
                  {"EnterEventMode", !exchange || i->EnterEventMode != NULL},
                  {"UpdateDiscreteStates", !exchange || i->UpdateDiscreteStates != NULL},
                  {"EnterContinuousTimeMode", !exchange || i->EnterContinuousTimeMode != NULL},
                  {"CompletedIntegratorStep", !exchange || i->CompletedIntegratorStep != NULL},
                  {"SetTime", !exchange || i->SetTime != NULL},
                  {"SetContinuousStates", !exchange || i->SetContinuousStates != NULL},
                  {"GetContinuousStates", !exchange || i->GetContinuousStates != NULL},
                  {"GetContinuousStateDerivatives", !exchange || i->GetContinuousStateDerivatives != NULL},
                  {"GetEventIndicators", !exchange || i->GetEventIndicators != NULL}};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        if (!wanted[k].there)
            return wanted[k].name;
    return NULL;
}

static void find_functions(Instance* i)
{
#define X(result, name, arguments)                                                                                     \
    {                                                                                                                  \
        void* symbol = guest_symbol(i->common.guest, "fmi3" #name);                                                    \
        memcpy(&i->name, &symbol, sizeof symbol);                                                                      \
    }
    FMI3_FUNCTIONS(X)
    FMI3_TYPES(VALUES)
#undef X
}

static kaiStatus instantiate(GuestInstance* common)
{
    Instance* i = of(common);
    const Guest* g = common->guest;
    char folder[320], text[120];
    find_functions(i);
    if (missing(i) != NULL)
    {
        snprintf(text, sizeof text, "its binary has no function fmi3%s", missing(i));
        return guest_log(common, true, text), KAI_ERR_RUN;
    }
    snprintf(folder, sizeof folder, "%s/resources/", g->folder);
    if (g->exchange)
        i->c =
            i->InstantiateModelExchange(common->host.instance, g->described.guid, folder, false, false, common, hear);
    else
        i->c = i->InstantiateCoSimulation(common->host.instance, g->described.guid, folder, false, false, g->event_mode,
                                          g->event_mode, NULL, 0, common, hear, pass);
    return i->c != NULL ? KAI_OK : KAI_ERR_RUN;
}

static void free_instance(GuestInstance* common)
{
    Instance* i = of(common);
    free_component(i);
    free(i->raw);
    i->raw = NULL;
}

// ---- values

#define NUMBERS(X)                                                                                                     \
    X(FLOAT32, Float32, fmi3Float32)                                                                                   \
    X(FLOAT64, Float64, fmi3Float64)                                                                                   \
    X(INT8, Int8, fmi3Int8)                                                                                            \
    X(UINT8, UInt8, fmi3UInt8)                                                                                         \
    X(INT16, Int16, fmi3Int16)                                                                                         \
    X(UINT16, UInt16, fmi3UInt16)                                                                                      \
    X(INT32, Int32, fmi3Int32)                                                                                         \
    X(UINT32, UInt32, fmi3UInt32)                                                                                      \
    X(INT64, Int64, fmi3Int64)                                                                                         \
    X(UINT64, UInt64, fmi3UInt64)

static kaiStatus lacks(Instance* i)
{
    guest_log(&i->common, true, "its binary has no function for a type of its variables");
    return KAI_ERR_RUN;
}

// Room for the elements of an array, which the standard gets and sets as a whole.
static void* raw_room(Instance* i, uint32_t count)
{
    size_t size = sizeof(double) * count;
    if (size > i->raw_size)
    {
        free(i->raw);
        i->raw = malloc(size);
        i->raw_size = i->raw != NULL ? size : 0;
    }
    return i->raw;
}

// `values` takes all elements of the variable.
static kaiStatus get_whole(Instance* i, const GuestVariable* v, double* values)
{
    fmi3ValueReference r = v->reference;
    fmi3Boolean tick = false;
    void* raw = raw_room(i, v->size);
    kaiStatus status = raw != NULL ? KAI_OK : KAI_ERR_MEMORY;
    if (status != KAI_OK)
        return status;
    switch (v->type)
    {
#define X(kind, name, type)                                                                                            \
    case GUEST_##kind:                                                                                                 \
        status = i->Get##name != NULL ? CALL(Get##name, &r, 1, (type*)raw, v->size) : lacks(i);                        \
        for (uint32_t k = 0; k < v->size && status == KAI_OK; k++)                                                     \
            values[k] = (double)((type*)raw)[k];                                                                       \
        return status;
        NUMBERS(X)
        X(BOOLEAN, Boolean, fmi3Boolean)
#undef X
    case GUEST_CLOCK:
        status = i->GetClock != NULL ? CALL(GetClock, &r, 1, &tick) : lacks(i);
        values[0] = tick ? 1 : 0;
        return status;
    default: return KAI_OK;
    }
}

static kaiStatus set_whole(Instance* i, const GuestVariable* v, const double* values)
{
    fmi3ValueReference r = v->reference;
    fmi3Boolean tick = values[0] != 0;
    void* raw = raw_room(i, v->size);
    if (raw == NULL)
        return KAI_ERR_MEMORY;
    switch (v->type)
    {
#define X(kind, name, type)                                                                                            \
    case GUEST_##kind:                                                                                                 \
        for (uint32_t k = 0; k < v->size; k++)                                                                         \
            ((type*)raw)[k] = (type)(GUEST_##kind > GUEST_FLOAT64 ? rint(values[k]) : values[k]);                      \
        return i->Set##name != NULL ? CALL(Set##name, &r, 1, (const type*)raw, v->size) : lacks(i);
        NUMBERS(X)
#undef X
    case GUEST_BOOLEAN:
        for (uint32_t k = 0; k < v->size; k++)
            ((fmi3Boolean*)raw)[k] = values[k] != 0;
        return i->SetBoolean != NULL ? CALL(SetBoolean, &r, 1, (const fmi3Boolean*)raw, v->size) : lacks(i);
    case GUEST_CLOCK:  // it ticks where the input is set, and is not set back
        return !tick ? KAI_OK : i->SetClock != NULL ? CALL(SetClock, &r, 1, &tick) : lacks(i);
    default: return KAI_OK;
    }
}

// One element: the others stay.
static kaiStatus one_element(Instance* i, const GuestVariable* v, double* value, bool sets)
{
    double* all = malloc(sizeof *all * v->size);
    if (all == NULL)
        return KAI_ERR_MEMORY;
    kaiStatus status = get_whole(i, v, all);
    if (status == KAI_OK && sets)
    {
        all[v->element] = *value;
        status = set_whole(i, v, all);
    }
    *value = all[v->element];
    free(all);
    return status;
}

// How many entries of the list from here on are the whole of one variable; 0: it begins inside one.
static uint32_t whole_of(const GuestVariable* list, uint32_t count)
{
    return list->element == 0 && list->size <= count ? list->size : 0;
}

// Clocks may be asked in event mode only.
static kaiStatus get(GuestInstance* common, const GuestVariable* list, uint32_t count, double* values)
{
    Instance* i = of(common);
    kaiStatus status = KAI_OK;
    for (uint32_t k = 0; k < count && status == KAI_OK;)
    {
        uint32_t whole = whole_of(&list[k], count - k);
        if (list[k].type == GUEST_CLOCK && common->mode != MODE_EVENT)
            values[k] = 0;
        else
            status = whole > 0 ? get_whole(i, &list[k], &values[k]) : one_element(i, &list[k], &values[k], false);
        k += whole > 0 ? whole : 1;
    }
    return status;
}

static kaiStatus set(GuestInstance* common, const GuestVariable* list, uint32_t count, const double* values)
{
    Instance* i = of(common);
    kaiStatus status = KAI_OK;
    for (uint32_t k = 0; k < count && status == KAI_OK;)
    {
        uint32_t whole = whole_of(&list[k], count - k);
        double one = values[k];
        if (list[k].type != GUEST_CLOCK || common->mode == MODE_EVENT)
            status = whole > 0 ? set_whole(i, &list[k], &values[k]) : one_element(i, &list[k], &one, true);
        k += whole > 0 ? whole : 1;
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
        status = CALL(EnterInitializationMode, true, host->tolerance, t, ends, ends ? host->stop : 0);
    if (status == KAI_OK)
        status = set(common, g->inputs, g->block.input_count, inputs);
    return status == KAI_OK ? CALL0(ExitInitializationMode) : status;
}

// ---- Model Exchange

static kaiStatus get_slopes(GuestInstance* common, const GuestVariable* known, double* slopes, size_t count)
{
    Instance* i = of(common);
    const Guest* g = common->guest;
    double* seed = raw_room(i, known->size);
    if (i->GetDirectionalDerivative == NULL)
        return guest_log(common, true, "its binary has no function fmi3GetDirectionalDerivative"), KAI_ERR_RUN;
    if (seed == NULL)
        return KAI_ERR_MEMORY;
    for (uint32_t k = 0; k < known->size; k++)
        seed[k] = k == known->element;
    return CALL(GetDirectionalDerivative, g->rates, g->rate_count, &known->reference, 1, seed, known->size, slopes,
                count);
}

static kaiStatus enter_step(GuestInstance* common)
{
    Instance* i = of(common);
    return i->EnterStepMode != NULL ? CALL0(EnterStepMode) : KAI_OK;
}

static kaiStatus update(GuestInstance* common, kaiBlockEvents* events, bool* states_changed)
{
    Instance* i = of(common);
    fmi3Boolean more = false, end = false, nominals = false, states = false, timed = false;
    fmi3Float64 next = INFINITY;
    kaiStatus status = CALL(UpdateDiscreteStates, &more, &end, &nominals, &states, &timed, &next);
    *states_changed = states;
    events->more = more;
    events->end = end;
    events->next = timed ? next : INFINITY;
    return status;
}

static kaiStatus step_done(GuestInstance* common, bool* event, bool* end)
{
    Instance* i = of(common);
    fmi3Boolean enter = false, terminate = false;
    kaiStatus status = CALL(CompletedIntegratorStep, true, &enter, &terminate);
    *event = enter;
    *end = terminate;
    return status;
}

// ---- Co-Simulation

static kaiStatus do_step(GuestInstance* common, double t, double h, double* reached, bool* event, bool* end)
{
    Instance* i = of(common);
    fmi3Boolean wanted = false, over = false, early = false;
    fmi3Float64 last = t + h;
    kaiStatus status = CALL(DoStep, t, h, true, &wanted, &over, &early, &last);
    *event = wanted && common->guest->event_mode;
    *end |= over;
    *reached = early || over ? last : t + h;
    return status;
}

GuestInstance* guest_make_3(kaiAllocator a, size_t* size)
{
    return make(a, size);
}
