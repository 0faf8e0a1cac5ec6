// Fits: residuals and their derivatives along one run with its tangents, steps by Levenberg and Marquardt. Each
// measured variable has a deviation of its own, which is estimated from its residuals and weighs them in the next pass.
#include "kairos/analysis.h"

#include "base/dense.h"
#include "base/error.h"
#include "base/student.h"
#include "base/tolerance.h"
#include "run/variation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    EVENTS_MOST = 64,  // events that are measured
    PASSES = 3,        // estimates of the deviations
    ROUNDS = 100,      // of one pass
};

struct kaiFit
{
    const kaiModel* model;
    kaiAllocator allocator;
    kaiSimOptions sim;
    int n, count;  // data, parameters
    int* variables;
    kaiMeasured* data;     // sorted by time
    int* order;            // values by time: indices
    double *theta, *half;  // count
    double *r, *J;         // n; n × count
    double* weight;        // per datum: 1 / deviation
    double *A, *inverse;   // count × count
    double *g, *step, *trial;
    uint32_t* pivots;
    bool* seen;  // per datum
    int events[EVENTS_MOST], event_count, occurred[EVENTS_MOST];
    int rounds;
    double lambda;
    size_t size;
};

kaiFitOptions kaiDefaultFitOptions(void)
{
    return (kaiFitOptions){.cookie = KAI_COOKIE};
}

// ---- one run

static kaiStatus on_row(void* user, Variation* v, const kaiRow* row, bool known, bool instant)
{
    kaiFit* f = user;
    (void)known;
    for (int e = 0; e < f->event_count && instant && row->p >= 0; e++)
    {
        if (!row->present[e])
            continue;
        int number = ++f->occurred[e];
        for (int i = 0; i < f->n; i++)
        {
            if (f->data[i].variable != f->events[e] || f->data[i].occurrence != number)
                continue;
            f->r[i] = row->t - f->data[i].t;
            f->seen[i] = true;
            for (int k = 0; k < f->count; k++)
                f->J[i * f->count + k] = variation_time(v, k);
        }
    }
    return KAI_OK;
}

static kaiStatus take_value(kaiFit* f, Variation* v, int i)
{
    double value;
    if (!kaiSim_Get(variation_sim(v), f->data[i].variable, &value))
        return KAI_ERR_RUN;
    f->r[i] = value - f->data[i].value;
    f->seen[i] = true;
    for (int k = 0; k < f->count; k++)
        f->J[i * f->count + k] = variation_of(v, f->data[i].variable, k);
    return KAI_OK;
}

// To the last event that was measured: as far as it may move.
static bool waits_for_events(const kaiFit* f)
{
    for (int i = 0; i < f->n; i++)
        if (f->data[i].occurrence > 0 && !f->seen[i])
            return true;
    return false;
}

static kaiStatus run_along(kaiFit* f, Variation* v, kaiError* error)
{
    kaiStatus status = variation_step(v, f->sim.start, error);
    for (int at = 0; at < f->n && status >= 0; at++)
    {
        int i = f->order[at];
        if (f->data[i].occurrence > 0)
            continue;
        while (status >= 0 && status != KAI_END && status != KAI_INTERRUPTED && variation_now(v) < f->data[i].t)
            status = variation_step(v, f->data[i].t, error);
        if (status >= 0 && take_value(f, v, i) != KAI_OK)
            status = error_set(error, KAI_ERR_RUN, "%s has no value at t = %.9g",
                               kaiModel_VariableName(f->model, f->data[i].variable), f->data[i].t);
    }
    while (status >= 0 && status != KAI_END && status != KAI_INTERRUPTED && waits_for_events(f))
        status = variation_step(v, f->sim.stop, error);
    return status;
}

static kaiStatus check_seen(const kaiFit* f, kaiError* error)
{
    for (int i = 0; i < f->n; i++)
        if (!f->seen[i] || !isfinite(f->r[i]))
            return error_set(error, KAI_ERR_RUN, "the run has no %s number %d, or ends before t = %.9g",
                             kaiModel_VariableName(f->model, f->data[i].variable), f->data[i].occurrence, f->data[i].t);
    return KAI_OK;
}

// Residuals and derivatives for these values.
static kaiStatus evaluate(kaiFit* f, const double* theta, kaiError* error)
{
    kaiSimOptions sim = f->sim;
    sim.record = f->events;
    sim.record_count = f->event_count;
    VariationOptions options = {.sim = &sim,
                                .variables = f->variables,
                                .count = f->count,
                                .row = f->event_count > 0 ? on_row : NULL,
                                .user = f};
    Variation* v = variation_create(f->model, &options, error);
    if (v == NULL)
        return KAI_ERR_USAGE;
    memset(f->occurred, 0, sizeof f->occurred);
    memset(f->seen, 0, sizeof *f->seen * (size_t)f->n);
    kaiStatus status = KAI_OK;
    for (int k = 0; k < f->count && status == KAI_OK; k++)
        status = variation_set(v, f->variables[k], theta[k]);
    status = status == KAI_OK ? run_along(f, v, error) : error_set(error, status, "a value cannot be set");
    variation_free(v);
    if (status == KAI_INTERRUPTED)
        return error_set(error, KAI_ERR_RUN, "interrupted");
    return status < 0 ? status : check_seen(f, error);
}

// ---- steps

static double cost(const kaiFit* f)
{
    double sum = 0;
    for (int i = 0; i < f->n; i++)
        sum += f->r[i] * f->weight[i] * f->r[i] * f->weight[i];
    return sum;
}

static void normal_equations(kaiFit* f)
{
    int m = f->count;
    memset(f->A, 0, sizeof(double) * (size_t)(m * m));
    memset(f->g, 0, sizeof(double) * (size_t)m);
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < m; k++)
        {
            double by = f->J[i * m + k] * f->weight[i];
            f->g[k] += by * f->r[i] * f->weight[i];
            for (int j = 0; j < m; j++)
                f->A[k * m + j] += by * f->J[i * m + j] * f->weight[i];
        }
}

// (A + lambda diag A) step = -g, in units in which the diagonal is 1.
static bool solve(kaiFit* f)
{
    int m = f->count;
    for (int i = 0; i < m; i++)
    {
        double d = sqrt(f->A[i * m + i]);
        for (int j = 0; j < m; j++)
            f->inverse[i * m + j] = f->A[i * m + j] / (d * sqrt(f->A[j * m + j])) + (i == j ? f->lambda : 0);
        f->step[i] = -f->g[i] / d;
    }
    if (!dense_factor(f->inverse, f->pivots, (uint32_t)m))
        return false;
    dense_solve(f->inverse, f->pivots, f->step, (uint32_t)m);
    for (int i = 0; i < m; i++)
    {
        f->step[i] /= sqrt(f->A[i * m + i]);
        f->trial[i] = f->theta[i] + f->step[i];
        if (!isfinite(f->trial[i]))
            return false;
    }
    return true;
}

static bool is_small(const kaiFit* f)
{
    for (int k = 0; k < f->count; k++)
        if (fabs(f->step[k]) > FIT_SETTLED * fmax(fabs(f->theta[k]), FIT_SETTLED))
            return false;
    return true;
}

static kaiStatus fail_undetermined(const kaiFit* f, kaiError* error)
{
    for (int k = 0; k < f->count; k++)
        if (!(f->A[k * f->count + k] > 0))
            return error_set(error, KAI_ERR_RUN, "the data do not depend on %s: it cannot be fitted",
                             kaiModel_VariableName(f->model, f->variables[k]));
    return error_set(error, KAI_ERR_RUN, "the data do not determine all parameters: several of them do the same");
}

// One pass with the weights as they are.
static kaiStatus descend(kaiFit* f, kaiError* error)
{
    kaiStatus status = evaluate(f, f->theta, error);
    f->lambda = 1e-3;
    for (int round = 0; round < ROUNDS && status == KAI_OK; round++, f->rounds++)
    {
        double before = cost(f);
        bool better = false;
        normal_equations(f);
        for (int try = 0; try < 30 && !better; try++)
        {
            if (!solve(f))
                return fail_undetermined(f, error);
            kaiError said;
            bool small = is_small(f);
            better = evaluate(f, f->trial, &said) == KAI_OK && cost(f) <= before;
            if (!better && small)
                return evaluate(f, f->theta, error);
            f->lambda *= better ? 0.1 : 10;
        }
        if (!better)
            return error_set(error, KAI_ERR_RUN, "no step makes the residuals smaller: begin nearer, with --set");
        memcpy(f->theta, f->trial, sizeof(double) * (size_t)f->count);
        if (is_small(f))
            return KAI_OK;
    }
    return status != KAI_OK ? status : error_set(error, KAI_ERR_RUN, "the fit did not settle in %d rounds", ROUNDS);
}

// ---- deviations and confidence

double kaiFit_Deviation(const kaiFit* f, int variable)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; f != NULL && i < f->n; i++)
        if (f->data[i].variable == variable)
        {
            sum += f->r[i] * f->r[i];
            n++;
        }
    // Every datum bears its share of the parameters.
    return n > 0 ? sqrt(sum / (n * (1 - (double)f->count / f->n))) : NAN;
}

static void weigh(kaiFit* f)
{
    for (int i = 0; i < f->n; i++)
    {
        double deviation = kaiFit_Deviation(f, f->data[i].variable);
        f->weight[i] = deviation > 0 ? 1 / deviation : f->weight[i];
    }
}

// At first a variable counts by the spread of its measurements.
static void weigh_first(kaiFit* f)
{
    for (int i = 0; i < f->n; i++)
    {
        double sum = 0, squares = 0;
        int n = 0;
        for (int j = 0; j < f->n; j++)
            if (f->data[j].variable == f->data[i].variable)
            {
                double value = f->data[j].occurrence > 0 ? f->data[j].t : f->data[j].value;
                sum += value;
                squares += value * value;
                n++;
            }
        double spread = sqrt(fmax(squares / n - sum / n * (sum / n), 0));
        f->weight[i] = spread > 0 ? 1 / spread : 1;
    }
}

static bool confide(kaiFit* f)
{
    int m = f->count;
    weigh(f);
    normal_equations(f);
    double t = student_975(f->n - m);
    for (int i = 0; i < m; i++)
        f->trial[i] = sqrt(f->A[i * m + i]);  // units in which the diagonal is 1
    for (int i = 0; i < m * m; i++)
        f->inverse[i] = f->A[i] / (f->trial[i / m] * f->trial[i % m]);
    if (!dense_factor(f->inverse, f->pivots, (uint32_t)m))
        return false;
    double* column = f->step;
    for (int k = 0; k < m; k++)
    {
        for (int i = 0; i < m; i++)
            column[i] = i == k;
        dense_solve(f->inverse, f->pivots, column, (uint32_t)m);
        if (!(column[k] > 0 && column[k] < FIT_ALIKE))
            return false;
        for (int i = 0; i < m; i++)
            f->A[i * m + k] = column[i] / (f->trial[i] * f->trial[k]);  // A has been used: now the covariance
        f->half[k] = t * sqrt(column[k]) / f->trial[k];
    }
    return true;
}

static kaiStatus fit(kaiFit* f, kaiError* error)
{
    weigh_first(f);
    for (int pass = 0; pass < PASSES; pass++)
    {
        kaiStatus status = descend(f, error);
        if (status != KAI_OK)
            return status;
        if (cost(f) == 0)
            break;
        weigh(f);
    }
    return confide(f) ? KAI_OK : fail_undetermined(f, error);
}

// ---- making

static bool check(const kaiModel* model, const kaiFitOptions* o, kaiError* error)
{
    if (!error_check_cookie(&o->cookie, "kaiDefaultFitOptions", error))
        return false;
    if (o->variable_count < 1 || o->variables == NULL || o->data == NULL || o->data_count <= o->variable_count)
        return error_set(error, KAI_ERR_USAGE, "a fit needs parameters, and more data than these"), false;
    for (int i = 0; i < o->data_count; i++)
    {
        kaiVariable v;
        const kaiMeasured* d = &o->data[i];
        if (!kaiModel_Variable(model, d->variable, &v) || (d->occurrence > 0) != (v.kind == KAI_EVENT) ||
            !isfinite(d->t) || (d->occurrence <= 0 && !isfinite(d->value)) || d->occurrence < 0)
            return error_set(error, KAI_ERR_USAGE, "datum %d is neither a value of a variable nor the time of an event",
                             i + 1),
                   false;
    }
    return true;
}

static kaiFit* make(const kaiModel* model, const kaiSimOptions* sim, const kaiFitOptions* o)
{
    size_t n = (size_t)o->data_count, m = (size_t)o->variable_count;
    size_t numbers = 2 * m + 2 * n + n * m + 2 * m * m + 3 * m;
    size_t size = sizeof(kaiFit) + sizeof(double) * numbers + n * (sizeof(kaiMeasured) + sizeof(int) + 1) +
                  (2 * m + 2) * sizeof(uint32_t);
    kaiFit* f = sim->allocator.alloc(sim->allocator.user, NULL, 0, size);
    if (f == NULL)
        return NULL;
    memset(f, 0, size);
    f->model = model;
    f->allocator = sim->allocator;
    f->sim = *sim;
    f->sim.row = NULL;
    f->n = (int)n;
    f->count = (int)m;
    f->size = size;
    f->data = (kaiMeasured*)(void*)(f + 1);
    double* at = (double*)(void*)(f->data + n);
    double** const parts[] = {&f->theta, &f->half,    &f->r, &f->weight, &f->J,
                              &f->A,     &f->inverse, &f->g, &f->step,   &f->trial};
    const size_t counts[] = {m, m, n, n, n * m, m * m, m * m, m, m, m};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; at += counts[i++])
        *parts[i] = at;
    f->pivots = (uint32_t*)(void*)at;
    f->variables = (int*)(void*)(f->pivots + m + 1);
    f->order = f->variables + m;
    f->seen = (bool*)(f->order + n);
    memcpy(f->data, o->data, sizeof *f->data * n);
    memcpy(f->variables, o->variables, sizeof(int) * m);
    return f;
}

// Insertion: data come nearly sorted.
static void sort(kaiFit* f)
{
    for (int i = 0; i < f->n; i++)
    {
        int k = i;
        for (; k > 0 && f->data[f->order[k - 1]].t > f->data[i].t; k--)
            f->order[k] = f->order[k - 1];
        f->order[k] = i;
    }
}

static bool find_events(kaiFit* f, kaiError* error)
{
    for (int i = 0; i < f->n; i++)
    {
        int e = 0;
        if (f->data[i].occurrence == 0)
        {
            f->sim.stop = fmax(f->sim.stop, f->data[i].t);
            continue;
        }
        // An event that comes too late as yet must come at all.
        f->sim.stop = fmax(f->sim.stop, f->sim.start + FIT_LATER * (f->data[i].t - f->sim.start));
        while (e < f->event_count && f->events[e] != f->data[i].variable)
            e++;
        if (e == EVENTS_MOST)
            return error_set(error, KAI_ERR_USAGE, "at most %d events are fitted", EVENTS_MOST), false;
        f->events[e] = f->data[i].variable;
        f->event_count = e == f->event_count ? e + 1 : f->event_count;
    }
    return true;
}

// The values that the model gives.
static bool first_values(kaiFit* f, kaiError* error)
{
    VariationOptions options = {.sim = &f->sim, .variables = f->variables, .count = f->count};
    Variation* v = variation_create(f->model, &options, error);
    bool ok = v != NULL && variation_step(v, f->sim.start, error) >= 0;
    for (int k = 0; k < f->count && ok; k++)
        f->theta[k] = variation_value(v, k);
    variation_free(v);
    return ok;
}

kaiFit* kaiFit_Create(const kaiModel* model, const kaiSimOptions* sim, const kaiFitOptions* options, kaiError* error)
{
    if (model == NULL || sim == NULL || options == NULL || sim->allocator.alloc == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no model, or there are no options"), NULL;
    if (!check(model, options, error))
        return NULL;
    kaiFit* f = make(model, sim, options);
    if (f == NULL)
        return error_memory(error), NULL;
    sort(f);
    if (find_events(f, error) && first_values(f, error) && fit(f, error) == KAI_OK)
        return f;
    kaiFit_Free(f);
    return NULL;
}

void kaiFit_Free(kaiFit* f)
{
    if (f != NULL)
        f->allocator.alloc(f->allocator.user, f, f->size, 0);
}

kaiFitResult kaiFit_Result(const kaiFit* f)
{
    if (f == NULL)
        return (kaiFitResult){.variable_count = 0};
    return (kaiFitResult){f->count, f->theta, f->half, f->A, f->rounds, f->n - f->count};
}
