// The calls that both versions of the standard have, with the same arguments but types of their own: compiled once for
// each, into fmi2.c and fmi3.c (and nowhere else, hence no guard). Before it stand the version, `struct Instance` with
// the functions of the binary under their names of 3.0, and #define for those that 2.0 spells otherwise; `Copy` is the
// type of a copy of the state.
#include <string.h>

// A function of the binary; what it answers as a status, after a sentence where it is not well.
#define CALL(...) CALL_NAMED(__VA_ARGS__)
#define CALL_NAMED(name, ...) guest_answer(&i->common, (int)i->name(i->c, __VA_ARGS__), "fmi" VERSION #name)
#define CALL0(name) guest_answer(&i->common, (int)i->name(i->c), "fmi" VERSION #name)

// What each version has to define.
static kaiStatus instantiate(GuestInstance* common);
static void free_instance(GuestInstance* common);
static kaiStatus initialize(GuestInstance* common, double t, const double* parameters, const double* inputs);
static kaiStatus get(GuestInstance* common, const GuestVariable* list, uint32_t count, double* values);
static kaiStatus set(GuestInstance* common, const GuestVariable* list, uint32_t count, const double* values);
static kaiStatus get_slopes(GuestInstance* common, const GuestVariable* known, double* slopes, size_t count);
static kaiStatus enter_step(GuestInstance* common);
static kaiStatus update(GuestInstance* common, kaiBlockEvents* events, bool* states_changed);
static kaiStatus step_done(GuestInstance* common, bool* event, bool* end);
static kaiStatus do_step(GuestInstance* common, double t, double h, double* reached, bool* event, bool* end);

static Instance* of(GuestInstance* common)
{
    return (Instance*)(void*)common;
}

// ---- Model Exchange

static kaiStatus set_time(GuestInstance* common, double t)
{
    Instance* i = of(common);
    return CALL(SetTime, t);
}

static kaiStatus set_states(GuestInstance* common, const double* x, size_t count)
{
    Instance* i = of(common);
    return CALL(SetContinuousStates, x, count);
}

static kaiStatus get_states(GuestInstance* common, double* x, size_t count)
{
    Instance* i = of(common);
    return CALL(GetContinuousStates, x, count);
}

static kaiStatus get_rates(GuestInstance* common, double* dx, size_t count)
{
    Instance* i = of(common);
    return CALL(GetContinuousStateDerivatives, dx, count);
}

static kaiStatus get_indicators(GuestInstance* common, double* z, size_t count)
{
    Instance* i = of(common);
    return CALL(GetEventIndicators, z, count);
}

static kaiStatus enter_event(GuestInstance* common)
{
    Instance* i = of(common);
    return CALL0(EnterEventMode);
}

static kaiStatus enter_continuous(GuestInstance* common)
{
    Instance* i = of(common);
    return CALL0(EnterContinuousTimeMode);
}

// ---- copies

static kaiStatus save(GuestInstance* common, void* bytes, size_t* size)
{
    Instance* i = of(common);
    Copy state = NULL;
    size_t needed = 0;
    if (i->GetFMUState == NULL || i->SerializedFMUStateSize == NULL || i->SerializeFMUState == NULL)
        return KAI_ERR_RUN;
    kaiStatus status = CALL(GetFMUState, &state);
    if (status == KAI_OK)
        status = CALL(SerializedFMUStateSize, state, &needed);
    if (status == KAI_OK && bytes != NULL)
        status = needed == *size ? CALL(SerializeFMUState, state, bytes, needed) : KAI_ERR_RUN;
    if (state != NULL && i->FreeFMUState != NULL)
        i->FreeFMUState(i->c, &state);
    *size = needed;
    return status;
}

static kaiStatus restore(GuestInstance* common, const void* bytes, size_t size)
{
    Instance* i = of(common);
    Copy state = NULL;
    if (i->SetFMUState == NULL || i->DeserializeFMUState == NULL)
        return KAI_ERR_RUN;
    kaiStatus status = CALL(DeserializeFMUState, bytes, size, &state);
    if (status == KAI_OK)
        status = CALL(SetFMUState, state);
    if (state != NULL && i->FreeFMUState != NULL)
        i->FreeFMUState(i->c, &state);
    return status;
}

static kaiStatus keep(GuestInstance* common)
{
    Instance* i = of(common);
    if (i->GetFMUState == NULL || i->SetFMUState == NULL)
        return guest_log(common, true, "its binary has no functions for copies of its state"), KAI_ERR_RUN;
    return CALL(GetFMUState, &i->kept);
}

static kaiStatus take_back(GuestInstance* common)
{
    Instance* i = of(common);
    return CALL(SetFMUState, i->kept);
}

// The instance goes, and what was kept of it.
static void free_component(Instance* i)
{
    if (i->c != NULL && i->kept != NULL && i->FreeFMUState != NULL)
        i->FreeFMUState(i->c, &i->kept);
    if (i->c != NULL)
        i->FreeInstance(i->c);
    i->c = NULL;
}

static GuestInstance* make(kaiAllocator a, size_t* size)
{
    static const GuestCalls calls = {.instantiate = instantiate,
                                     .free = free_instance,
                                     .initialize = initialize,
                                     .get = get,
                                     .set = set,
                                     .set_time = set_time,
                                     .set_states = set_states,
                                     .get_states = get_states,
                                     .get_rates = get_rates,
                                     .get_indicators = get_indicators,
                                     .get_slopes = get_slopes,
                                     .enter_event = enter_event,
                                     .enter_continuous = enter_continuous,
                                     .enter_step = enter_step,
                                     .update = update,
                                     .step_done = step_done,
                                     .do_step = do_step,
                                     .save = save,
                                     .restore = restore,
                                     .keep = keep,
                                     .take_back = take_back};
    Instance* made = a.alloc(a.user, NULL, 0, *size = sizeof *made);
    if (made == NULL)
        return NULL;
    memset(made, 0, sizeof *made);
    made->common.calls = &calls;
    return &made->common;
}
