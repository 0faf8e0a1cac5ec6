// The importer's side of FMI 2.0.
#include "importer.h"

#include "../../src/fmu/fmi2.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(result, name, arguments) fmi2##name##TYPE* name;
typedef struct Binary
{
    FMI2_FUNCTIONS(X) fmi2Component c;
} Binary;
#undef X

typedef fmi2Status Status;
typedef fmi2FMUstate State;
typedef fmi2Byte Byte;
typedef fmi2Boolean Truth;
#define FINE fmi2OK
// What 3.0 spells otherwise.
#define GetContinuousStateDerivatives GetDerivatives
#define GetFMUState GetFMUstate
#define SetFMUState SetFMUstate
#define FreeFMUState FreeFMUstate
#define SerializedFMUStateSize SerializedFMUstateSize
#define SerializeFMUState SerializeFMUstate
#define DeserializeFMUState DeSerializeFMUstate
#include "importer_calls.h"

static void logger(fmi2ComponentEnvironment e, fmi2String instance, fmi2Status status, fmi2String category,
                   fmi2String message, ...)
{
    (void)e, (void)instance, (void)status, (void)category;
    va_list args;
    va_start(args, message);
    vfprintf(stderr, message, args);
    va_end(args);
    fputs("\n", stderr);
}

static double get(void* self, const Variable* v)
{
    Binary* m = self;
    fmi2Real real = 0;
    fmi2Integer integer = 0;
    fmi2ValueReference r = v->reference;
    if (v->type == TYPE_REAL)
        return MUST(m->GetReal(m->c, &r, 1, &real)), real;
    if (v->type == TYPE_BOOLEAN)
        MUST(m->GetBoolean(m->c, &r, 1, &integer));
    else
        MUST(m->GetInteger(m->c, &r, 1, &integer));
    return integer;
}

static void set(void* self, const Variable* v, double value)
{
    Binary* m = self;
    fmi2Integer integer = (fmi2Integer)value;
    fmi2ValueReference r = v->reference;
    if (v->type == TYPE_REAL)
        MUST(m->SetReal(m->c, &r, 1, &value));
    else if (v->type == TYPE_BOOLEAN)
        MUST(m->SetBoolean(m->c, &r, 1, &integer));
    else
        MUST(m->SetInteger(m->c, &r, 1, &integer));
}

static void update(void* self, Events* events)
{
    Binary* m = self;
    fmi2EventInfo info;
    MUST(m->NewDiscreteStates(m->c, &info));
    *events = (Events){.more = info.newDiscreteStatesNeeded != 0,
                       .terminate = info.terminateSimulation != 0,
                       .has_next = info.nextEventTimeDefined != 0,
                       .next = info.nextEventTime};
}

static double do_step(void* self, double from, double length, bool* over)
{
    Binary* m = self;
    fmi2Status status = m->DoStep(m->c, from, length, fmi2True);
    double reached = from + length;
    *over = status == fmi2Discard;
    if (*over)
        MUST(m->GetRealStatus(m->c, fmi2LastSuccessfulTime, &reached));
    else
        must(status, "DoStep");
    return reached;
}

static double along(void* self, const Variable* unknown, const Variable* known)
{
    Binary* m = self;
    double seed = 2, result = 0;
    MUST(m->GetDirectionalDerivative(m->c, &unknown->reference, 1, &known->reference, 1, &seed, &result));
    return result / 2;
}

static void initialize(void* self, double start)
{
    Binary* m = self;
    MUST(m->SetupExperiment(m->c, fmi2False, 0, start, fmi2False, 0));
    MUST(m->EnterInitializationMode(m->c));
    MUST(m->ExitInitializationMode(m->c));
}

void open_2(const Call* call, const Description* d, Port* port)
{
    static const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
    char uri[4200];
    Binary* m = calloc(1, sizeof *m);
    void* library = load_library(call->folder, "linux64", d->identifier);
#define X(result, name, arguments)                                                                                     \
    {                                                                                                                  \
        void* symbol = load_symbol(library, "fmi2" #name);                                                             \
        memcpy(&m->name, &symbol, sizeof symbol);                                                                      \
    }
    FMI2_FUNCTIONS(X)
#undef X
    snprintf(uri, sizeof uri, "file://%s/resources", call->folder);
    m->c = m->Instantiate("it", strcmp(call->kind, "me") == 0 ? fmi2ModelExchange : fmi2CoSimulation, d->guid, uri,
                          &callbacks, fmi2False, fmi2False);
    if (m->c == NULL)
        exit(3);
    fill_port(m, port);
}
