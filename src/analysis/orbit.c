// Periodic orbits: Newton's method on the map of one period, whose derivative is the monodromy matrix of a variation.
// Of an autonomous model the period is one more unknown, and the step stays at right angles to the flow.
#include "kairos/analysis.h"

#include "base/dense.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "model/code.h"
#include "num/eigen.h"
#include "run/variation.h"

#include <math.h>
#include <string.h>

struct kaiOrbitSearch
{
    const kaiModel* model;
    kaiAllocator allocator;
    kaiSimOptions sim;
    int n;
    int* states;
    double *x, *end, *f0, *f1, *M, *re, *im;
    double *matrix, *step;  // (n + 1)²; n + 1
    uint32_t* pivots;
    kaiOrbit orbit;
    size_t size;
};

kaiOrbitOptions kaiDefaultOrbitOptions(void)
{
    return (kaiOrbitOptions){.cookie = KAI_COOKIE, .at = NAN};
}

// Everything here is in the units of the declarations, as start values are set.
static Scale unit_of(const kaiOrbitSearch* s, int state)
{
    return var_scale(&s->model->vars[s->states[state]]);
}

// ---- does it depend on time?

static bool reads(const kaiModel* model, CodeRange range, uint32_t reg)
{
    CodeItem item;
    for (uint32_t at = range.start; at < range.end && code_item(model->code, at, range.end, &item); at += item.words)
        for (uint32_t i = 0; i < item.reg_count; i++)
            if (model->code[item.first_reg + i] == reg && (item.stride == 0 || i % item.stride != 0))
                return true;
    return false;
}

static bool is_driven(const kaiModel* model)
{
    return model->clocks_count > 0 || model->delays_count > 0 || reads(model, model->deriv, model->reg_time) ||
           reads(model, model->events, model->reg_time);
}

// ---- one period

static kaiStatus fail_back(double t, const char* what, const char* name, kaiError* error)
{
    return error_set(error, KAI_ERR_RUN, "%s %s is not after one period (t = %.9g) what it was before", what, name, t);
}

// What is discrete must come back by itself.
static kaiStatus check_back(const kaiModel* model, const kaiSim* sim, const double* before, kaiError* error)
{
    const Kernel* kernel = &sim->kernel;
    for (uint32_t i = 0; i < model->vars_count; i++)
    {
        const ModelVar* var = &model->vars[i];
        bool discrete = var->kind == MODEL_DISCRETE || var->kind == MODEL_MODE;
        double was = before[var->reg], is = kernel->R[var->reg];
        if (!discrete || var->hidden || fabs(is - was) <= ORBIT_BACK * fmax(fabs(was), 1))
            continue;
        return fail_back(kernel->now.t, var->kind == MODEL_MODE ? "the mode" : "the discrete",
                         model_string(model, var->name), error);
    }
    return KAI_OK;
}

typedef struct Period
{
    double* before;  // registers behind the start
    size_t size;
    Variation* variation;
} Period;

static kaiStatus run_period(kaiOrbitSearch* s, Period* p, double T, kaiError* error)
{
    double end = s->sim.start + T;
    kaiStatus status = KAI_OK;
    for (int i = 0; i < s->n && status == KAI_OK; i++)
        status = variation_set(p->variation, s->states[i], s->x[i]);
    if (status != KAI_OK)
        return error_set(error, KAI_ERR_USAGE, "a start value cannot be set");
    status = variation_step(p->variation, end, error);
    if (status < 0)
        return status;
    memcpy(p->before, variation_sim(p->variation)->kernel.R, p->size);
    const double* slopes = variation_slopes(p->variation);
    for (int i = 0; i < s->n; i++)
        s->f0[i] = slopes != NULL ? scale_difference(unit_of(s, i), slopes[i]) : NAN;
    int64_t instants = 0;
    while ((status = variation_step(p->variation, end, error)) == KAI_INSTANT)
        instants++;
    if (status < 0 || status == KAI_INTERRUPTED)
        return status;
    s->orbit.instants = instants;
    return check_back(s->model, variation_sim(p->variation), p->before, error);
}

static void take(kaiOrbitSearch* s, Variation* v)
{
    const double* slopes = variation_slopes(v);
    for (int i = 0; i < s->n; i++)
    {
        s->end[i] = scale_from_si(unit_of(s, i), variation_states(v)[i]);
        s->f1[i] = slopes != NULL ? scale_difference(unit_of(s, i), slopes[i]) : NAN;
        for (int j = 0; j < s->n; j++)
            s->M[i * s->n + j] = variation_shown(v, s->states[i], j, variation_state(v, i, j));
    }
}

// x, f and the monodromy matrix after one period.
static kaiStatus shoot(kaiOrbitSearch* s, double T, kaiError* error)
{
    kaiSimOptions sim = s->sim;
    kaiAllocator a = s->allocator;
    sim.stop = sim.start + T;
    Period p = {.size = sizeof(double) * s->model->saved_count};
    p.before = a.alloc(a.user, NULL, 0, p.size + 1);
    if (p.before == NULL)
        return error_memory(error);
    VariationOptions options = {.sim = &sim, .variables = s->states, .count = s->n};
    p.variation = variation_create(s->model, &options, error);
    kaiStatus status = p.variation != NULL ? run_period(s, &p, T, error) : KAI_ERR_USAGE;
    if (status >= 0)
        take(s, p.variation);
    variation_free(p.variation);
    a.alloc(a.user, p.before, p.size + 1, 0);
    return status;
}

// ---- Newton's method

// (M - 1) dx + f dT = x - x(T), and f(x) dx = 0 of an autonomous model.
static bool solve(kaiOrbitSearch* s)
{
    int n = s->n, m = s->orbit.driven ? n : n + 1;
    for (int i = 0; i < n; i++)
    {
        for (int j = 0; j < n; j++)
            s->matrix[i * m + j] = s->M[i * n + j] - (i == j);
        s->step[i] = s->x[i] - s->end[i];
        if (m > n)
        {
            s->matrix[i * m + n] = s->f1[i];
            s->matrix[n * m + i] = s->f0[i];
        }
    }
    if (m > n)
        s->matrix[n * m + n] = s->step[n] = 0;
    if (!dense_factor(s->matrix, s->pivots, (uint32_t)m))
        return false;
    dense_solve(s->matrix, s->pivots, s->step, (uint32_t)m);
    for (int i = 0; i < m; i++)
        if (!isfinite(s->step[i]))
            return false;
    return true;
}

static double step_size(const kaiOrbitSearch* s)
{
    double most = 0, scale = 0;
    for (int i = 0; i < s->n; i++)
        scale = fmax(scale, fabs(s->x[i]));
    for (int i = 0; i < s->n; i++)
        most = fmax(most, fabs(s->step[i]) / fmax(fabs(s->x[i]), NEWTON_SETTLED_SIZE * fmax(scale, DBL_MIN)));
    return s->orbit.driven ? most : fmax(most, fabs(s->step[s->n]) / s->orbit.period);
}

static kaiStatus iterate(kaiOrbitSearch* s, kaiError* error)
{
    enum
    {
        ROUNDS = 40
    };
    double before = INFINITY;
    for (int round = 1; round <= ROUNDS; round++)
    {
        kaiStatus status = shoot(s, s->orbit.period, error);
        if (status < 0 || status == KAI_INTERRUPTED)
            return status < 0 ? status : error_set(error, KAI_ERR_RUN, "interrupted");
        if (!solve(s))
            return error_set(error, KAI_ERR_RUN,
                             "the orbit is not isolated: a multiplier is 1, so that every start near it comes back (a "
                             "position that nothing holds, energy that nothing loses)");
        double size = step_size(s);
        s->orbit.rounds = round;
        if (size <= ORBIT_SETTLED || (size >= before && size <= ORBIT_ROUNDED))
            return KAI_OK;
        before = size;
        double part = !s->orbit.driven && fabs(s->step[s->n]) > s->orbit.period / 2
                          ? s->orbit.period / 2 / fabs(s->step[s->n])
                          : 1;
        for (int i = 0; i < s->n; i++)
            s->x[i] += part * s->step[i];
        s->orbit.period += s->orbit.driven ? 0 : part * s->step[s->n];
    }
    return error_set(error, KAI_ERR_RUN,
                     "no periodic orbit was found in %d rounds: begin nearer to one (--at after a while, --set, or a "
                     "better --period)",
                     ROUNDS);
}

// ---- first guesses

static void read_states(const kaiOrbitSearch* s, kaiSim* sim, double* x)
{
    for (int i = 0; i < s->n; i++)
        kaiSim_Get(sim, s->states[i], &x[i]);
}

// The first time at which the run comes back through the plane across the flow at its start, near to where it began.
static bool find_return(kaiOrbitSearch* s, kaiSim* sim, double span, double* period)
{
    enum
    {
        LOOKS = 20000
    };
    double from = kaiSim_Now(sim).t, farthest = 0, last = 0;
    bool left = false;
    for (int k = 1; k <= LOOKS; k++)
    {
        double t = from + span * k / LOOKS, side = 0, distance = 0;
        kaiStatus status;
        while ((status = kaiSim_StepTo(sim, t)) == KAI_INSTANT)
            ;
        if (status != KAI_OK)
            return false;
        read_states(s, sim, s->end);
        for (int i = 0; i < s->n; i++)
        {
            side += s->f0[i] * (s->end[i] - s->x[i]);
            distance = hypot(distance, s->end[i] - s->x[i]);
        }
        farthest = fmax(farthest, distance);
        left |= side < 0;
        if (left && last < 0 && side >= 0 && distance < farthest / 4)
            return *period = t - from, true;
        last = side;
    }
    return false;
}

static kaiStatus guess(kaiOrbitSearch* s, const kaiOrbitOptions* o, kaiError* error)
{
    kaiSimOptions sim = s->sim;
    double at = isfinite(o->at) ? o->at : sim.start, span = fmax(sim.stop - sim.start, 0);
    sim.stop = INFINITY;
    kaiSim* run = kaiSim_Create(s->model, &sim, error);
    if (run == NULL)
        return KAI_ERR_USAGE;
    kaiStatus status = kaiSim_Step(run);
    while (status == KAI_INSTANT && kaiSim_Now(run).t < at)
        status = kaiSim_StepTo(run, at);
    bool fine = status >= 0;
    if (!fine)
        error_copy(error, kaiSim_Failure(run));
    else
        read_states(s, run, s->x);
    s->orbit.period = o->period;
    if (fine && o->period == 0)
    {
        double h = span * DIFFERENCE_PART;  // the direction of the flow is enough
        while ((status = kaiSim_StepTo(run, kaiSim_Now(run).t + h)) == KAI_INSTANT)
            ;
        read_states(s, run, s->f0);
        for (int i = 0; i < s->n; i++)
            s->f0[i] -= s->x[i];
        fine = status >= 0 && find_return(s, run, span, &s->orbit.period);
        if (!fine)
            error_set(error, KAI_ERR_RUN,
                      "the run does not come back to where it was within %g s: name a period, or run longer (--stop)",
                      span);
    }
    kaiSim_Free(run);
    return fine ? KAI_OK : KAI_ERR_RUN;
}

// ---- making

static kaiOrbitSearch* make(const kaiModel* model, const kaiSimOptions* sim)
{
    size_t n = model->state_count, numbers = 6 * n + n * n + (n + 1) * (n + 1) + n + 1;
    size_t size = sizeof(kaiOrbitSearch) + sizeof(double) * numbers + sizeof(uint32_t) * (2 * n + 2);
    kaiAllocator a = sim->allocator;
    kaiOrbitSearch* s = a.alloc(a.user, NULL, 0, size);
    if (s == NULL)
        return NULL;
    memset(s, 0, size);
    s->model = model;
    s->allocator = a;
    s->sim = *sim;
    s->sim.row = NULL;
    s->sim.rtol = fmin(s->sim.rtol, VARIATION_RTOL);
    s->sim.atol = s->sim.atol > 0 ? fmin(s->sim.atol, VARIATION_ATOL) : 0;
    s->n = (int)n;
    s->size = size;
    double* at = (double*)(void*)(s + 1);
    double** const parts[] = {&s->x, &s->end, &s->f0, &s->f1, &s->re, &s->im, &s->M, &s->matrix, &s->step};
    const size_t counts[] = {n, n, n, n, n, n, n * n, (n + 1) * (n + 1), n + 1};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; at += counts[i++])
        *parts[i] = at;
    s->pivots = (uint32_t*)(void*)at;
    s->states = (int*)(void*)(s->pivots + n + 1);
    for (size_t i = 0; i < n; i++)
        s->states[i] = (int)model->state_vars[i];
    s->orbit = (kaiOrbit){.state_count = (int)n,
                          .states = s->states,
                          .x = s->x,
                          .start = sim->start,
                          .driven = is_driven(model),
                          .monodromy = s->M,
                          .real = s->re,
                          .imaginary = s->im};
    return s;
}

static kaiStatus find(kaiOrbitSearch* s, const kaiOrbitOptions* o, kaiError* error)
{
    kaiStatus status = guess(s, o, error);
    return status == KAI_OK ? iterate(s, error) : status;
}

// A model often starts on a border of its map, all at rest where sources are 0 and diodes may go either way, and is
// past it a period later.
static kaiStatus find_later(kaiOrbitSearch* s, const kaiOrbitOptions* o, kaiError* error)
{
    kaiOrbitOptions later = *o;
    kaiError other = {0};
    kaiStatus status = find(s, o, error);
    if (status != KAI_ERR_RUN || isfinite(o->at) || o->period == 0)
        return status;
    later.at = s->sim.start + o->period;
    return find(s, &later, &other) == KAI_OK ? KAI_OK : status;
}

static kaiStatus search(kaiOrbitSearch* s, const kaiOrbitOptions* o, kaiError* error)
{
    if (s->n == 0)
        return error_set(error, KAI_ERR_USAGE, "the model has no continuous states");
    if (o->period == 0 && s->orbit.driven)
        return error_set(error, KAI_ERR_USAGE, "the model depends on time: its period must be named");
    kaiStatus status = find_later(s, o, error);
    if (status != KAI_OK)
        return status;
    status = eigen_values(s->M, s->n, s->re, s->im, s->allocator);
    if (status == KAI_ERR_MEMORY)
        return error_memory(error);
    return status == KAI_OK ? KAI_OK : error_set(error, KAI_ERR_RUN, "the multipliers could not be computed");
}

kaiOrbitSearch* kaiOrbitSearch_Create(const kaiModel* model, const kaiSimOptions* sim, const kaiOrbitOptions* options,
                                      kaiError* error)
{
    if (model == NULL || sim == NULL || options == NULL || sim->allocator.alloc == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no model, or there are no options"), NULL;
    if (!error_check_cookie(&options->cookie, "kaiDefaultOrbitOptions", error))
        return NULL;
    if (!(options->period >= 0) || isinf(options->period))
        return error_set(error, KAI_ERR_USAGE, "a period is a positive time, or 0"), NULL;
    kaiOrbitSearch* s = make(model, sim);
    if (s == NULL)
        return error_memory(error), NULL;
    if (search(s, options, error) == KAI_OK)
        return s;
    kaiOrbitSearch_Free(s);
    return NULL;
}

void kaiOrbitSearch_Free(kaiOrbitSearch* s)
{
    if (s != NULL)
        s->allocator.alloc(s->allocator.user, s, s->size, 0);
}

kaiOrbit kaiOrbitSearch_Orbit(const kaiOrbitSearch* s)
{
    return s != NULL ? s->orbit : (kaiOrbit){.state_count = 0};
}
