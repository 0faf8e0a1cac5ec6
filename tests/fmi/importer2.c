// The importer's side of FMI 2.0.
#include "importer.h"

#include "../../src/fmu/fmi2.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(result, name, arguments) fmi2##name##TYPE* name;
typedef struct Binary2
{
    FMI2_FUNCTIONS(X) fmi2Component c;
} Binary2;
#undef X

static void must(fmi2Status status, const char* what)
{
    if (status == fmi2OK)
        return;
    fprintf(stderr, "importer: %s answers %d\n", what, (int)status);
    exit(3);
}
#define MUST(call) must((call), #call)

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
    Binary2* m = self;
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
    Binary2* m = self;
    fmi2Integer integer = (fmi2Integer)value;
    fmi2ValueReference r = v->reference;
    if (v->type == TYPE_REAL)
        MUST(m->SetReal(m->c, &r, 1, &value));
    else if (v->type == TYPE_BOOLEAN)
        MUST(m->SetBoolean(m->c, &r, 1, &integer));
    else
        MUST(m->SetInteger(m->c, &r, 1, &integer));
}

static void set_time(void* self, double t)
{
    Binary2* m = self;
    MUST(m->SetTime(m->c, t));
}

static void set_states(void* self, const double* x, int count)
{
    Binary2* m = self;
    MUST(m->SetContinuousStates(m->c, x, (size_t)count));
}

static void get_states(void* self, double* x, int count)
{
    Binary2* m = self;
    MUST(m->GetContinuousStates(m->c, x, (size_t)count));
}

static void rates(void* self, double* dx, int count)
{
    Binary2* m = self;
    MUST(m->GetDerivatives(m->c, dx, (size_t)count));
}

static void watch(void* self, double* z, int count)
{
    Binary2* m = self;
    MUST(m->GetEventIndicators(m->c, z, (size_t)count));
}

static void enter_event(void* self)
{
    Binary2* m = self;
    MUST(m->EnterEventMode(m->c));
}

static void update(void* self, Events* events)
{
    Binary2* m = self;
    fmi2EventInfo info;
    MUST(m->NewDiscreteStates(m->c, &info));
    *events = (Events){.more = info.newDiscreteStatesNeeded != 0,
                       .terminate = info.terminateSimulation != 0,
                       .has_next = info.nextEventTimeDefined != 0,
                       .next = info.nextEventTime};
}

static void enter_continuous(void* self)
{
    Binary2* m = self;
    MUST(m->EnterContinuousTimeMode(m->c));
}

static bool step_done(void* self)
{
    Binary2* m = self;
    fmi2Boolean event = fmi2False, terminate = fmi2False;
    MUST(m->CompletedIntegratorStep(m->c, fmi2True, &event, &terminate));
    return event != 0;
}

static char* save(void* self, size_t* size)
{
    Binary2* m = self;
    fmi2FMUstate state = NULL;
    MUST(m->GetFMUstate(m->c, &state));
    MUST(m->SerializedFMUstateSize(m->c, state, size));
    char* bytes = malloc(*size);
    MUST(m->SerializeFMUstate(m->c, state, bytes, *size));
    MUST(m->FreeFMUstate(m->c, &state));
    return (char*)bytes;
}

static void restore(void* self, const char* bytes, size_t size)
{
    Binary2* m = self;
    fmi2FMUstate state = NULL;
    MUST(m->DeSerializeFMUstate(m->c, (const char*)bytes, size, &state));
    MUST(m->SetFMUstate(m->c, state));
    MUST(m->FreeFMUstate(m->c, &state));
}

static double do_step(void* self, double from, double length, bool* over)
{
    Binary2* m = self;
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
    Binary2* m = self;
    double seed = 2, result = 0;
    MUST(m->GetDirectionalDerivative(m->c, &unknown->reference, 1, &known->reference, 1, &seed, &result));
    return result / 2;
}

static void initialize(void* self, double start)
{
    Binary2* m = self;
    MUST(m->SetupExperiment(m->c, fmi2False, 0, start, fmi2False, 0));
    MUST(m->EnterInitializationMode(m->c));
    MUST(m->ExitInitializationMode(m->c));
}

static void release(void* self)
{
    Binary2* m = self;
    m->FreeInstance(m->c);
    free(m);
}

static void end(void* self)
{
    Binary2* m = self;
    MUST(m->Terminate(m->c));
    release(m);
}

void open_2(const Call* call, const Description* d, Port* port)
{
    static const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
    char uri[4200];
    Binary2* m = calloc(1, sizeof *m);
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
    *port = (Port){.self = m,
                   .set_time = set_time,
                   .set_states = set_states,
                   .get_states = get_states,
                   .rates = rates,
                   .watch = watch,
                   .enter_event = enter_event,
                   .update = update,
                   .enter_continuous = enter_continuous,
                   .step_done = step_done,
                   .save = save,
                   .restore = restore,
                   .get = get,
                   .set = set,
                   .do_step = do_step,
                   .along = along,
                   .initialize = initialize,
                   .end = end,
                   .release = release};
}
