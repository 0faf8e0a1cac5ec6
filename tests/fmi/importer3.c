// The importer's side of FMI 3.0.
#include "importer.h"

#include "../../src/fmu/fmi3.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(result, name, arguments) fmi3##name##TYPE* name;
typedef struct Binary
{
    FMI3_FUNCTIONS(X)
#undef X
#define X(name, type)                                                                                                  \
    fmi3Get##name##TYPE* Get##name;                                                                                    \
    fmi3Set##name##TYPE* Set##name;
    FMI3_TYPES(X)
#undef X
    fmi3Instance c;
    bool event_mode;
    double updated;  // the last time of an intermediate update
} Binary;

typedef fmi3Status Status;
typedef fmi3FMUState State;
typedef fmi3Byte Byte;
typedef fmi3Boolean Truth;
#define FINE fmi3OK
#include "importer_calls.h"

static void logger(fmi3InstanceEnvironment e, fmi3Status status, fmi3String category, fmi3String message)
{
    (void)e, (void)status, (void)category;
    fprintf(stderr, "%s\n", message);
}

// All elements of an array are read and written together.
#define ARRAY(Name, Type)                                                                                              \
    static double get_##Name(Binary* m, const Variable* v)                                                             \
    {                                                                                                                  \
        size_t n = (size_t)v->elements;                                                                                \
        Type* values = calloc(n, sizeof *values);                                                                      \
        MUST(m->Get##Name(m->c, &v->reference, 1, values, n));                                                         \
        double value = (double)values[v->element];                                                                     \
        free(values);                                                                                                  \
        return value;                                                                                                  \
    }                                                                                                                  \
    static void set_##Name(Binary* m, const Variable* v, double value)                                                 \
    {                                                                                                                  \
        size_t n = (size_t)v->elements;                                                                                \
        Type* values = calloc(n, sizeof *values);                                                                      \
        if (n > 1)                                                                                                     \
            MUST(m->Get##Name(m->c, &v->reference, 1, values, n));                                                     \
        values[v->element] = (Type)value;                                                                              \
        MUST(m->Set##Name(m->c, &v->reference, 1, values, n));                                                         \
        free(values);                                                                                                  \
    }
ARRAY(Float64, fmi3Float64)
ARRAY(Int64, fmi3Int64)
ARRAY(UInt64, fmi3UInt64)
ARRAY(Boolean, fmi3Boolean)

static double get(void* self, const Variable* v)
{
    Binary* m = self;
    fmi3Boolean truth = false;
    switch (v->type)
    {
    case TYPE_REAL: return get_Float64(m, v);
    case TYPE_BOOLEAN: return get_Boolean(m, v);
    case TYPE_UNSIGNED: return get_UInt64(m, v);
    case TYPE_CLOCK: MUST(m->GetClock(m->c, &v->reference, 1, &truth)); return truth;
    case TYPE_INTEGER:
    case TYPE_ENUMERATION: break;
    }
    return get_Int64(m, v);
}

static void set(void* self, const Variable* v, double value)
{
    Binary* m = self;
    fmi3Boolean truth = value != 0;
    bool structural = strcmp(v->causality, "structuralParameter") == 0;
    if (structural)
        MUST(m->EnterConfigurationMode(m->c));
    switch (v->type)
    {
    case TYPE_CLOCK:
        if (truth)
            MUST(m->SetClock(m->c, &v->reference, 1, &truth));
        break;
    case TYPE_REAL: set_Float64(m, v, value); break;
    case TYPE_BOOLEAN: set_Boolean(m, v, truth); break;
    case TYPE_UNSIGNED: set_UInt64(m, v, value); break;
    case TYPE_INTEGER:
    case TYPE_ENUMERATION: set_Int64(m, v, value); break;
    }
    if (structural)
        MUST(m->ExitConfigurationMode(m->c));
}

static void sizes(void* self, size_t* states, size_t* indicators)
{
    Binary* m = self;
    MUST(m->GetNumberOfContinuousStates(m->c, states));
    MUST(m->GetNumberOfEventIndicators(m->c, indicators));
}

static void update(void* self, Events* events)
{
    Binary* m = self;
    fmi3Boolean nominals = false, states = false;
    MUST(m->EvaluateDiscreteStates(m->c));
    MUST(m->UpdateDiscreteStates(m->c, &events->more, &events->terminate, &nominals, &states, &events->has_next,
                                 &events->next));
}

static void settle(Binary* m)
{
    Events events = {.more = true};
    while (events.more)
        update(m, &events);
    MUST(m->EnterStepMode(m->c));
}

static double do_step(void* self, double from, double length, bool* over)
{
    Binary* m = self;
    fmi3Boolean event = false, early = false;
    double reached = from;
    MUST(m->DoStep(m->c, from, length, true, &event, over, &early, &reached));
    if (m->updated < reached)
        must(fmi3Error, "there was no intermediate update, and DoStep");
    if (event)
    {
        MUST(m->EnterEventMode(m->c));
        settle(m);
    }
    return reached;
}

static void intermediate(fmi3InstanceEnvironment e, fmi3Float64 time, fmi3Boolean set_requested,
                         fmi3Boolean get_allowed, fmi3Boolean step_finished, fmi3Boolean can_return,
                         fmi3Boolean* return_requested, fmi3Float64* return_time)
{
    Binary* m = e;
    (void)set_requested, (void)get_allowed, (void)step_finished, (void)can_return, (void)return_time;
    *return_requested = false;
    m->updated = time;
}

// Of elements: the others of the known stay, those of the unknown are looked away from.
static double along(void* self, const Variable* unknown, const Variable* known)
{
    Binary* m = self;
    size_t from = (size_t)known->elements, to = (size_t)unknown->elements;
    double *seed = calloc(2 * (from + to), sizeof *seed), *forward = seed + from, *weight = forward + to,
           *back = weight + to;
    const fmi3ValueReference *u = &unknown->reference, *k = &known->reference;
    seed[known->element] = weight[unknown->element] = 2;
    MUST(m->GetDirectionalDerivative(m->c, u, 1, k, 1, seed, from, forward, to));
    MUST(m->GetAdjointDerivative(m->c, u, 1, k, 1, weight, to, back, from));
    double value = forward[unknown->element], apart = value - back[known->element];
    must(apart < 1e-8 && apart > -1e-8 ? fmi3OK : fmi3Error,
         "the adjoint derivative is another one, and GetAdjointDerivative");
    free(seed);
    return value / 2;
}

static void initialize(void* self, double start)
{
    Binary* m = self;
    MUST(m->EnterInitializationMode(m->c, false, 0, start, false, 0));
    MUST(m->ExitInitializationMode(m->c));
    if (m->event_mode)
        settle(m);
}

void open_3(const Call* call, const Description* d, Port* port)
{
    char path[4200];
    Binary* m = calloc(1, sizeof *m);
    void* library = load_library(call->folder, "x86_64-linux", d->identifier);
#define LOAD(name)                                                                                                     \
    {                                                                                                                  \
        void* symbol = load_symbol(library, "fmi3" #name);                                                             \
        memcpy(&m->name, &symbol, sizeof symbol);                                                                      \
    }
#define X(result, name, arguments) LOAD(name)
    FMI3_FUNCTIONS(X)
#undef X
#define X(name, type) LOAD(Get##name) LOAD(Set##name)
    FMI3_TYPES(X)
#undef X
    snprintf(path, sizeof path, "%s/resources/", call->folder);
    if (strcmp(call->kind, "me") == 0)
        m->c = m->InstantiateModelExchange("it", d->guid, path, false, false, m, logger);
    else
    {
        m->event_mode = call->style != STYLE_SILENT;
        m->c = m->InstantiateCoSimulation("it", d->guid, path, false, false, m->event_mode, m->event_mode, NULL, 0, m,
                                          logger, intermediate);
    }
    if (m->c == NULL)
        exit(3);
    fill_port(m, port);
    port->sizes = sizes;
}
