// The calls that both versions of the standard have, with the same arguments but types of their own: compiled once for
// each, into importer2.c and importer3.c (and nowhere else, hence no guard). Before it stand `struct Binary` with the
// functions under their names of 3.0, #define for those that 2.0 spells otherwise, the types Status, State, Byte and
// Truth, and FINE, the status of what went well.

static void must(Status status, const char* what)
{
    if (status == FINE)
        return;
    fprintf(stderr, "importer: %s answers %d\n", what, (int)status);
    exit(3);
}
#define MUST(call) must((call), #call)

// What each version has to define.
static double get(void* self, const Variable* v);
static void set(void* self, const Variable* v, double value);
static void update(void* self, Events* events);
static double do_step(void* self, double from, double length, bool* over);
static double along(void* self, const Variable* unknown, const Variable* known);
static void initialize(void* self, double start);

static void set_time(void* self, double t)
{
    Binary* m = self;
    MUST(m->SetTime(m->c, t));
}

static void set_states(void* self, const double* x, int count)
{
    Binary* m = self;
    MUST(m->SetContinuousStates(m->c, x, (size_t)count));
}

static void get_states(void* self, double* x, int count)
{
    Binary* m = self;
    MUST(m->GetContinuousStates(m->c, x, (size_t)count));
}

static void rates(void* self, double* dx, int count)
{
    Binary* m = self;
    MUST(m->GetContinuousStateDerivatives(m->c, dx, (size_t)count));
}

static void watch(void* self, double* z, int count)
{
    Binary* m = self;
    MUST(m->GetEventIndicators(m->c, z, (size_t)count));
}

static void enter_event(void* self)
{
    Binary* m = self;
    MUST(m->EnterEventMode(m->c));
}

static void enter_continuous(void* self)
{
    Binary* m = self;
    MUST(m->EnterContinuousTimeMode(m->c));
}

static bool step_done(void* self)
{
    Binary* m = self;
    Truth event = false, terminate = false;
    MUST(m->CompletedIntegratorStep(m->c, true, &event, &terminate));
    return event != 0;
}

static char* save(void* self, size_t* size)
{
    Binary* m = self;
    State state = NULL;
    MUST(m->GetFMUState(m->c, &state));
    MUST(m->SerializedFMUStateSize(m->c, state, size));
    Byte* bytes = malloc(*size);
    MUST(m->SerializeFMUState(m->c, state, bytes, *size));
    MUST(m->FreeFMUState(m->c, &state));
    return (char*)bytes;
}

static void restore(void* self, const char* bytes, size_t size)
{
    Binary* m = self;
    State state = NULL;
    MUST(m->DeserializeFMUState(m->c, (const Byte*)bytes, size, &state));
    MUST(m->SetFMUState(m->c, state));
    MUST(m->FreeFMUState(m->c, &state));
}

static void release(void* self)
{
    Binary* m = self;
    m->FreeInstance(m->c);
    free(m);
}

static void end(void* self)
{
    Binary* m = self;
    MUST(m->Terminate(m->c));
    release(m);
}

static void fill_port(Binary* m, Port* port)
{
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
