// The importer for FMI 2.0: a fixed-step Runge-Kutta method of order four with bisection of event indicators, and
// Co-Simulation with fixed communication steps.
#include "importer.h"

#include "../../src/fmu/fmi2.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(result, name, arguments) fmi2##name##TYPE* name;
typedef struct Functions
{
    FMI2_FUNCTIONS(X)
} Functions;
#undef X

typedef struct Importer
{
    const Call* call;
    const Description* d;
    Functions f;
    fmi2Component c;
    double t, *x, *z;
    int states, indicators;
    fmi2EventInfo info;
    int instants, rounds;
    unsigned random;
    double* work;
} Importer;

static void must(const Importer* m, fmi2Status status, const char* what)
{
    if (status == fmi2OK)
        return;
    fprintf(stderr, "importer: %s answers %d at t = %.17g\n", what, (int)status, m->t);
    exit(3);
}
#define MUST(call) must(m, (call), #call)

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

static double get(Importer* m, const Variable* v)
{
    fmi2Real real = 0;
    fmi2Integer integer = 0;
    fmi2ValueReference r = v->reference;
    if (v->type == TYPE_REAL)
        return MUST(m->f.GetReal(m->c, &r, 1, &real)), real;
    if (v->type == TYPE_BOOLEAN)
        MUST(m->f.GetBoolean(m->c, &r, 1, &integer));
    else
        MUST(m->f.GetInteger(m->c, &r, 1, &integer));
    return integer;
}

static void set(Importer* m, const Variable* v, double value)
{
    fmi2Integer integer = (fmi2Integer)value;
    fmi2ValueReference r = v->reference;
    if (v->type == TYPE_REAL)
        MUST(m->f.SetReal(m->c, &r, 1, &value));
    else if (v->type == TYPE_BOOLEAN)
        MUST(m->f.SetBoolean(m->c, &r, 1, &integer));
    else
        MUST(m->f.SetInteger(m->c, &r, 1, &integer));
}

// ---- styles
// ----------------------------------------------------------------------------------------------------------

static unsigned draw(Importer* m)
{
    m->random = m->random * 1664525u + 1013904223u;
    return m->random >> 8;
}

static bool is_rate(const Variable* v)
{
    return strncmp(v->name, "der(", 4) == 0;
}

static void ask_anything(Importer* m, bool continuous)
{
    for (int k = 0; k < 5 && m->call->style == STYLE_ANY; k++)
    {
        const Variable* v = &m->d->variables[draw(m) % (unsigned)m->d->count];
        if (continuous || !is_rate(v))
            get(m, v);
    }
}

static void save_and_restore(Importer* m)
{
    fmi2FMUstate state = NULL, again = NULL;
    size_t size = 0;
    if (m->call->style != STYLE_SAVES)
        return;
    MUST(m->f.GetFMUstate(m->c, &state));
    MUST(m->f.SerializedFMUstateSize(m->c, state, &size));
    char* bytes = malloc(size);
    MUST(m->f.SerializeFMUstate(m->c, state, bytes, size));
    MUST(m->f.FreeFMUstate(m->c, &state));
    MUST(m->f.DeSerializeFMUstate(m->c, bytes, size, &again));
    MUST(m->f.SetFMUstate(m->c, again));
    MUST(m->f.FreeFMUstate(m->c, &again));
    free(bytes);
}

// ---- Model Exchange
// --------------------------------------------------------------------------------------------------

static void rates(Importer* m, double t, const double* x, double* dx)
{
    MUST(m->f.SetTime(m->c, t));
    if (m->states > 0)
        MUST(m->f.SetContinuousStates(m->c, x, (size_t)m->states));
    ask_anything(m, true);
    MUST(m->f.GetDerivatives(m->c, dx, (size_t)m->states));
}

static void indicators(Importer* m, double t, const double* x, double* z)
{
    MUST(m->f.SetTime(m->c, t));
    if (m->states > 0)
        MUST(m->f.SetContinuousStates(m->c, x, (size_t)m->states));
    MUST(m->f.GetEventIndicators(m->c, z, (size_t)m->indicators));
    ask_anything(m, true);
}

static void step(Importer* m, double t, const double* x, double h, double* to)
{
    int n = m->states;
    double *k1 = m->work, *k2 = k1 + n, *k3 = k2 + n, *k4 = k3 + n, *y = k4 + n;
    rates(m, t, x, k1);
    for (int i = 0; i < n; i++)
        y[i] = x[i] + h / 2 * k1[i];
    rates(m, t + h / 2, y, k2);
    for (int i = 0; i < n; i++)
        y[i] = x[i] + h / 2 * k2[i];
    rates(m, t + h / 2, y, k3);
    for (int i = 0; i < n; i++)
        y[i] = x[i] + h * k3[i];
    rates(m, t + h, y, k4);
    for (int i = 0; i < n; i++)
        to[i] = x[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

static bool changed(const Importer* m, const double* z)
{
    for (int i = 0; i < m->indicators; i++)
        if ((m->z[i] > 0) != (z[i] > 0))
            return true;
    return false;
}

static bool has_zero(const Importer* m, const double* z)
{
    for (int i = 0; i < m->indicators; i++)
        if (z[i] == 0)
            return true;
    return false;
}

// The length of the step up to the first change of sign.
static double locate(Importer* m, double h, double* x1, double* z1)
{
    double low = 0, high = h;
    for (int k = 0; k < 200 && high - low > 2e-16 * (fabs(m->t) + high); k++)
    {
        double middle = (low + high) / 2;
        step(m, m->t, m->x, middle, x1);
        indicators(m, m->t + middle, x1, z1);
        if (m->call->style == STYLE_EXACT && has_zero(m, z1))
            return middle;
        if (changed(m, z1))
            high = middle;
        else
            low = middle;
    }
    return m->call->style == STYLE_BEFORE ? low : high;
}

static void iterate(Importer* m)
{
    m->instants++;
    do
    {
        MUST(m->f.NewDiscreteStates(m->c, &m->info));
        m->rounds++;
        ask_anything(m, false);
        save_and_restore(m);
    } while (m->info.newDiscreteStatesNeeded && !m->info.terminateSimulation);
    if (m->call->verbose)
        printf("instant %.17g\n", m->t);
    MUST(m->f.EnterContinuousTimeMode(m->c));
    if (m->states > 0)
        MUST(m->f.GetContinuousStates(m->c, m->x, (size_t)m->states));
    MUST(m->f.GetEventIndicators(m->c, m->z, (size_t)m->indicators));
}

static void look_back(Importer* m, double h, double* x1, double* z1)
{
    for (int k = 0; k < 3 && m->call->style == STYLE_BACK; k++)
    {
        double part = h * (double)(draw(m) % 1000) / 1000;
        step(m, m->t, m->x, part, x1);
        indicators(m, m->t + part, x1, z1);
    }
}

static bool one_step(Importer* m, double* x1, double* z1)
{
    double end = fmin(m->t + m->call->step, m->call->stop);
    bool due = m->info.nextEventTimeDefined && m->info.nextEventTime <= end;
    if (due)
        end = fmax(m->t, m->info.nextEventTime);
    double h = end - m->t;
    fmi2Boolean event = fmi2False, terminate = fmi2False;
    step(m, m->t, m->x, h, x1);
    indicators(m, end, x1, z1);
    bool crossed = changed(m, z1);
    if (crossed && m->call->style != STYLE_OVER)
    {
        double part = locate(m, h, x1, z1);
        due = due && part == h;
        end = part == h ? end : m->t + part;
        h = part;
    }
    look_back(m, h, x1, z1);
    step(m, m->t, m->x, h, x1);
    indicators(m, end, x1, z1);
    m->t = end;
    memcpy(m->x, x1, sizeof *x1 * (size_t)m->states);
    memcpy(m->z, z1, sizeof *z1 * (size_t)m->indicators);
    if (m->call->style != STYLE_SILENT)
        MUST(m->f.CompletedIntegratorStep(m->c, fmi2True, &event, &terminate));
    if (!crossed && !due && !event)
        return true;
    MUST(m->f.EnterEventMode(m->c));
    iterate(m);
    return !m->info.terminateSimulation;
}

static void exchange(Importer* m)
{
    double* x1 = calloc((size_t)(m->states + m->indicators + 2), sizeof *x1);
    double* z1 = x1 + m->states;
    iterate(m);
    while (m->t < m->call->stop && !m->info.terminateSimulation && one_step(m, x1, z1))
        save_and_restore(m);
    free(x1);
}

// ---- both
// ------------------------------------------------------------------------------------------------------------

static void cosimulate(Importer* m)
{
    for (int k = 1; m->t < m->call->stop; k++)
    {
        double next = fmin(m->d->start + k * m->call->step, m->call->stop);
        fmi2Status status = m->f.DoStep(m->c, m->t, next - m->t, fmi2True);
        if (status == fmi2Discard)
            return;
        must(m, status, "DoStep");
        m->t = next;
        ask_anything(m, false);
        save_and_restore(m);
    }
}

static void load(Importer* m, const Description* d)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/binaries/linux64/%s.so", m->call->folder, d->identifier);
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
    {
        fprintf(stderr, "importer: %s\n", dlerror());
        exit(4);
    }
#define X(result, name, arguments)                                                                                     \
    {                                                                                                                  \
        void* symbol = load_symbol(library, "fmi2" #name);                                                             \
        memcpy(&m->f.name, &symbol, sizeof symbol);                                                                    \
    }
    FMI2_FUNCTIONS(X)
#undef X
}

static void initialize(Importer* m)
{
    char uri[4200];
    bool me = strcmp(m->call->kind, "me") == 0;
    static const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
    snprintf(uri, sizeof uri, "file://%s/resources", m->call->folder);
    m->c = m->f.Instantiate("it", me ? fmi2ModelExchange : fmi2CoSimulation, m->d->guid, uri, &callbacks, fmi2False,
                            fmi2False);
    if (m->c == NULL)
        exit(3);
    MUST(m->f.SetupExperiment(m->c, fmi2False, 0, m->d->start, fmi2False, 0));
    for (int i = 0; i < m->call->set_count; i++)
    {
        char name[200];
        const char* equals = strchr(m->call->sets[i], '=');
        snprintf(name, sizeof name, "%.*s", (int)(equals - m->call->sets[i]), m->call->sets[i]);
        const Variable* v = description_find(m->d, name);
        if (v != NULL)
            set(m, v, atof(equals + 1));
    }
    MUST(m->f.EnterInitializationMode(m->c));
    MUST(m->f.ExitInitializationMode(m->c));
    m->t = m->d->start;
}

int run_2(const Call* call, const Description* d)
{
    Importer it = {.call = call, .d = d, .t = d->start, .states = d->states, .indicators = d->indicators, .random = 7};
    Importer* m = &it;
    bool me = strcmp(call->kind, "me") == 0;
    load(m, d);
    m->x = calloc((size_t)(7 * d->states + d->indicators + 2), sizeof *m->x);
    m->z = m->x + d->states;
    m->work = m->z + d->indicators;
    initialize(m);
    if (me)
        exchange(m);
    else
        cosimulate(m);
    printf("end %.17g\ninstants %d\nrounds %d\n", m->t, m->instants, m->rounds);
    for (int i = 0; i < d->count; i++)
        if (me || !is_rate(&d->variables[i]))
            printf("%s %.17g\n", d->variables[i].name, get(m, &d->variables[i]));
    MUST(m->f.Terminate(m->c));
    m->f.FreeInstance(m->c);
    free(m->x);
    return 0;
}
