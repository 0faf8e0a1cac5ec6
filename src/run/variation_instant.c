// Tangents through an instant, the start among them: the instant is run again from registers that are moved a little
// along a tangent, three steps to either side, and the differences say where the tangent goes. What such a run shares
// with the one that is differentiated is checked: other modes, other relations or another number of tags mean that the
// map has a border there.
#include "run/variation_parts.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/tolerance.h"
#include "kernel/bonds.h"
#include "kernel/guard.h"
#include "vm/tangent.h"

#include <math.h>
#include <string.h>

enum
{
    SIDES = 3,    // points on each side
    SHRINKS = 6,  // how often a border may be avoided by a shorter way
};

static const double weights[SIDES] = {0.75, -0.15, 1.0 / 60};

bool variation_had_instant(const Variation* v)
{
    return v->sim->kernel.instant_runs != v->instants;
}

// A guard in a mode of a switched junction: nothing but the mode hangs on it, and a current that has just ended leaves
// a voltage of 0 on whichever side of its level rounding has it.
static bool serves_junction(const kaiModel* model, const Guard* guard)
{
    return guard->ctx != 0 && model->machines[model->contexts[guard->ctx].machine].junction;
}

// Where an instant has led: modes and relations. They must not change for the map to be smooth.
static uint64_t structure(const Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    uint64_t hash = HASH_START;
    for (uint32_t i = 0; i < model->machines_count; i++)
        hash = hash_bytes(hash, &kernel->R[model->machines[i].reg], sizeof(double));
    for (uint32_t i = 0; i < model->guards_count; i++)
        if (guard_is_active(kernel, &model->guards[i], false) && !is_crossing(&model->guards[i]) &&
            !serves_junction(model, &model->guards[i]))
            hash = hash_bytes(hash, &kernel->R[model->guards[i].latch], sizeof(double));
    return hash;
}

// ---- one run of a map, moved by `way` times direction k

typedef kaiStatus Shoot(Variation* v, uint32_t k, double way);

// Nor must the number of tags. (Not their names: a current that ends jumps by its rounding, or by nothing.)
static kaiStatus run_counted(Variation* v, double t, bool start)
{
    Kernel* kernel = &v->eval->kernel;
    uint64_t before = kernel->reaction;
    kaiStatus status = instant_run(kernel, t, start);
    v->tags = kernel->reaction - before;
    return status;
}

static kaiStatus shoot_start(Variation* v, uint32_t k, double way)
{
    Kernel* kernel = &v->eval->kernel;
    bool ok = true;
    kernel_load(kernel, v->fresh, &ok);
    if (!ok)
        return KAI_ERR_MEMORY;
    if (way != 0)
    {
        kernel->set[v->variables[k]] = 1;
        kernel->set_values[v->variables[k]] = v->values[k] + way;
        kernel->R[v->model->vars[v->variables[k]].reg] = v->values[k] + way;
    }
    kernel->located_count = kernel->due_clocks.count = 0;
    kaiStatus status = flow_prepare(kernel);
    if (status == KAI_OK)
        status = schedule_start(kernel);
    return status == KAI_OK ? run_counted(v, v->eval->options.start, true) : status;
}

static void move_registers(Variation* v, uint32_t k, double way)
{
    double *R = v->eval->kernel.R, *D = variation_tangent(v, k);
    uint32_t from = v->model->reg_first[REG_PARAM], to = v->model->reg_first[REG_VALUE];
    for (uint32_t i = from; i < to; i++)
        R[i] = v->left[i] + (way != 0 && D[i] != 0 ? way * D[i] : 0);
}

static void take_due(Variation* v, double t)
{
    Kernel* kernel = &v->eval->kernel;
    kernel->due_clocks.count = 0;
    for (uint32_t i = 0; i < v->model->clocks_count; i++)
        if (kernel_reached(kernel, agenda_time(&kernel->agenda, i), t))
        {
            agenda_set(&kernel->agenda, i, INFINITY);
            kernel->due_clocks.at[kernel->due_clocks.count++] = i;
        }
    kernel->located_count = v->located_count;
    if (v->located_count > 0)
        memcpy(kernel->located, v->located, sizeof *v->located * v->located_count);
    for (uint32_t i = 0; i < v->located_count; i++)
        agenda_set(&kernel->agenda, v->model->clocks_count + v->located[i], INFINITY);
}

// A moved run crosses the level that was crossed, and the tangent leads there but for squares: the flow does the rest,
// as a one-way junction would not switch a little beside its level. Squares are the same on both sides, and cancel.
static kaiStatus go_to_level(Variation* v, double* t)
{
    enum
    {
        ROUNDS = 2
    };
    Kernel* kernel = &v->eval->kernel;
    const Guard* guard = &v->model->guards[v->located[0]];
    kaiStatus status = KAI_OK;
    for (int i = 0; i < ROUNDS && status == KAI_OK; i++)
    {
        status = kernel_run(kernel, v->model->events);
        double g = guard_value(kernel, guard), dt = -g / kernel->R[guard->slope];
        if (status != KAI_OK || !isfinite(dt) || dt == 0)
            return status;
        double *x = kernel_states(kernel), *f = kernel_slopes(kernel);
        for (uint32_t s = 0; s < v->n; s++)
            x[s] += dt * f[s];
        *t += dt;
        touch_moment(kernel, *t);
        status = kernel_run(kernel, v->model->deriv);
    }
    return status;
}

static kaiStatus shoot_instant(Variation* v, uint32_t k, double way)
{
    Kernel* kernel = &v->eval->kernel;
    bool ok = true;
    kernel_load(kernel, v->block, &ok);
    if (!ok)
        return KAI_ERR_MEMORY;
    take_due(v, v->t);
    move_registers(v, k, way);
    kaiStatus status = kernel->bonds != NULL ? bonds_start(kernel) : KAI_OK;
    double t = v->t + (way != 0 ? way * v->dt[k] : 0);
    touch_moment(kernel, t);
    if (status == KAI_OK)
        status = kernel_run(kernel, v->model->deriv);
    if (status == KAI_OK && v->located_count > 0)
        status = go_to_level(v, &t);
    return status == KAI_OK ? run_counted(v, t, false) : status;
}

// ---- derivatives

// The derivative of all registers along direction k, into v->sum. False: the runs do not share their structure.
static bool differences(Variation* v, Shoot* shoot, uint32_t k, double h, uint64_t expected)
{
    uint32_t saved = v->model->saved_count;
    memset(v->sum, 0, sizeof(double) * saved);
    for (int j = -SIDES; j <= SIDES; j++)
    {
        if (j == 0)
            continue;
        double weight = (j > 0 ? 1 : -1) * weights[(j > 0 ? j : -j) - 1] / h;
        if (shoot(v, k, j * h) != KAI_OK || structure(&v->eval->kernel) != expected || v->tags != v->nominal_tags)
            return false;
        for (uint32_t i = 0; i < saved; i++)
            v->sum[i] += weight * (v->eval->kernel.R[i] - v->nominal[i]);
    }
    return true;
}

static kaiStatus differentiate(Variation* v, Shoot* shoot, uint32_t k, double h, uint64_t expected, kaiError* error)
{
    uint32_t from = v->model->reg_first[REG_PARAM], to = v->model->reg_first[REG_VALUE];
    for (int i = 0; i < SHRINKS; i++, h /= 16)
    {
        if (!differences(v, shoot, k, h, expected))
            continue;
        double* D = variation_tangent(v, k);
        memset(D, 0, sizeof(double) * v->model->reg_count);
        for (uint32_t r = from; r < to; r++)
            D[r] = isfinite(v->sum[r]) ? v->sum[r] : 0;  // sides of guards that are not watched
        return KAI_OK;
    }
    return error_set(error, KAI_ERR_RUN,
                     "the instant at t = %.9g goes another way when %s changes a little (other modes, or another order "
                     "of what happens at once): there is no derivative with respect to it from there on",
                     v->t, model_string(v->model, v->model->vars[v->variables[k]].name));
}

static uint64_t keep_nominal(Variation* v)
{
    memcpy(v->nominal, v->eval->kernel.R, sizeof(double) * v->model->saved_count);
    v->nominal_tags = v->tags;
    return structure(&v->eval->kernel);
}

// ---- the start

kaiStatus variation_start_tangents(Variation* v, kaiError* error)
{
    Kernel* kernel = &v->eval->kernel;
    kernel_save(kernel, v->fresh);
    v->eval->started = true;
    v->instants = v->sim->kernel.instant_runs;
    kaiStatus status = flow_prepare(kernel);
    for (uint32_t k = 0; k < v->count; k++)
        v->values[k] = kernel->R[v->model->vars[v->variables[k]].reg];
    if (status == KAI_OK)
        status = shoot_start(v, 0, 0);
    if (status != KAI_OK)
        return error_copy(error, &kernel->failure);
    uint64_t expected = keep_nominal(v);
    for (uint32_t k = 0; k < v->count && status == KAI_OK; k++)
    {
        double size = fabs(v->values[k]);
        status = differentiate(v, shoot_start, k, DIFFERENCE_SIXTH * (size > 0 ? size : 1), expected, error);
    }
    return status;
}

// ---- what fired, and how its time moves

static kaiStatus fail_grazing(const Variation* v, uint32_t guard, kaiError* error)
{
    return error_set(
        error, KAI_ERR_RUN,
        "%s is crossed as a tangent at t = %.9g (grazing): the time of the crossing has no derivative there",
        model_string(v->model, v->model->guards[guard].text), v->t);
}

// All tangents of guards and their slopes at the left limit.
static kaiStatus look_left(Variation* v, kaiError* error)
{
    Kernel* kernel = &v->eval->kernel;
    variation_load(v, v->t, v->y);
    kaiStatus status = kernel_run(kernel, v->model->deriv);
    if (status == KAI_OK)
        status = kernel_run(kernel, v->model->events);
    if (status != KAI_OK)
        return error_copy(error, &kernel->failure);
    for (uint32_t k = 0; k < v->count; k++)
        if (!vm_tangent(v->model, kernel->R, v->model->deriv, &kernel->host, variation_tangent(v, k)) ||
            !vm_tangent(v->model, kernel->R, v->model->events, &kernel->host, variation_tangent(v, k)))
            return error_set(error, KAI_ERR_RUN, "a guard has no derivative at t = %.9g", v->t);
    memcpy(v->left, kernel->R, sizeof(double) * v->model->reg_count);
    return KAI_OK;
}

static void find_located(Variation* v, double since)
{
    const Kernel *led = &v->sim->kernel, *kernel = &v->eval->kernel;
    double near = VARIATION_LOCATED * fmax(v->t - since, kernel_slack(led, v->t));
    v->located_count = 0;
    for (uint32_t i = 0; i < led->fired_count; i++)
    {
        const Guard* guard = &v->model->guards[led->fired[i]];
        double g = guard_value(kernel, guard), slope = kernel->R[guard->slope];
        bool grazes = fabs(slope) <= VARIATION_GRAZING * v->steepest[led->fired[i]];
        if (fabs(g) <= near * fabs(slope) || (grazes && fabs(g) <= near * v->steepest[led->fired[i]]))
            v->located[v->located_count++] = led->fired[i];
    }
}

// Whatever fires together must move together.
static kaiStatus agree(Variation* v, bool* first, uint32_t k, double dt, kaiError* error)
{
    if (*first)
        v->dt[k] = dt;
    double whole = v->values[k] != 0 ? fabs(v->values[k]) : 1, apart = fabs(dt - v->dt[k]);
    if (apart <= VARIATION_TOGETHER * fmax(fabs(dt), fabs(v->dt[k])) || apart * whole <= VARIATION_STANDS * fabs(v->t))
        return KAI_OK;
    return error_set(error, KAI_ERR_RUN,
                     "events coincide at t = %.9g, and a change of %s moves them apart: what follows depends on which "
                     "comes first, so that there is no derivative",
                     v->t, model_string(v->model, v->model->vars[v->variables[k]].name));
}

static kaiStatus times_of_guards(Variation* v, bool* first, kaiError* error)
{
    for (uint32_t i = 0; i < v->located_count; i++, *first = false)
    {
        const Guard* guard = &v->model->guards[v->located[i]];
        double slope = v->left[guard->slope];
        if (fabs(slope) <= VARIATION_GRAZING * v->steepest[v->located[i]])
            return fail_grazing(v, v->located[i], error);
        for (uint32_t k = 0; k < v->count; k++)
        {
            kaiStatus status = agree(v, first, k, -variation_tangent(v, k)[guard->g] / slope, error);
            if (status != KAI_OK)
                return status;
        }
    }
    return KAI_OK;
}

static kaiStatus times_of_clocks(Variation* v, bool* first, kaiError* error)
{
    const Kernel* kernel = &v->eval->kernel;
    for (uint32_t i = 0; i < v->model->clocks_count; i++)
    {
        const Clock* clock = &v->model->clocks[i];
        if (!kernel_reached(kernel, agenda_time(&kernel->agenda, i), v->t))
            continue;
        for (uint32_t k = 0; k < v->count; k++)
        {
            const double* D = variation_tangent(v, k);
            double dt = D[clock->first] + v->left[clock->count] * D[clock->period];
            kaiStatus status = agree(v, first, k, dt, error);
            if (status != KAI_OK)
                return status;
        }
        *first = false;
    }
    return KAI_OK;
}

// An event that waited was sent at an instant whose motion nobody remembers.
static kaiStatus times_of_delays(Variation* v, bool* first, kaiError* error)
{
    bool moved = false;
    if (!kernel_reached(&v->eval->kernel, delay_next_time(&v->eval->kernel), v->t))
        return KAI_OK;
    for (uint32_t k = 0; k < v->count; k++)
    {
        moved |= v->dt[k] != 0;
        v->dt[k] = *first ? 0 : v->dt[k];
    }
    *first = false;
    return !moved ? KAI_OK
                  : error_set(error, KAI_ERR_RUN,
                              "a delayed event arrives at t = %.9g, and the time at which it was sent moves with a "
                              "parameter: derivatives through delays are not computed",
                              v->t);
}

static kaiStatus find_times(Variation* v, kaiError* error)
{
    bool first = true;
    kaiStatus status = times_of_delays(v, &first, error);
    if (status == KAI_OK)
        status = times_of_guards(v, &first, error);
    if (status == KAI_OK)
        status = times_of_clocks(v, &first, error);
    for (uint32_t k = 0; k < v->count && first; k++)
        v->dt[k] = 0;
    return status;
}

// ---- the instant

// To where the crossing moves: the states go on with the flow for dt.
static double carry(Variation* v, uint32_t k)
{
    double *D = variation_tangent(v, k), most = 0;
    uint32_t state = v->model->reg_first[REG_STATE], slope = v->model->reg_first[REG_DERIV];
    for (uint32_t i = 0; i < v->n; i++)
        D[state + i] += v->dt[k] != 0 ? v->left[slope + i] * v->dt[k] : 0;
    D[v->model->reg_time] = v->dt[k];
    for (uint32_t i = v->model->reg_first[REG_PARAM]; i < v->model->reg_first[REG_VALUE]; i++)
        if (D[i] != 0)
            most = fmax(most, fabs(D[i]) / (v->size[i] > 0 ? v->size[i] : 1));
    return most;
}

static kaiStatus fail_other(const Variation* v, kaiError* error)
{
    return error_set(error, KAI_ERR_RUN,
                     "the instant at t = %.9g depends on more than its left limit (the run slides, or rests on a "
                     "contact): its derivatives are not computed",
                     v->t);
}

kaiStatus variation_through(Variation* v, kaiError* error)
{
    double since = v->since;
    v->instants = v->sim->kernel.instant_runs;
    kaiStatus status = look_left(v, error);
    if (status != KAI_OK)
        return status;
    find_located(v, since);
    status = find_times(v, error);
    if (status != KAI_OK)
        return status;
    if (shoot_instant(v, 0, 0) != KAI_OK)
        return error_copy(error, &v->eval->kernel.failure);
    uint64_t expected = keep_nominal(v);
    if (expected != structure(&v->sim->kernel))
        return fail_other(v, error);
    for (uint32_t k = 0; k < v->count && status == KAI_OK; k++)
    {
        double most = carry(v, k);
        if (most > 0)
            status = differentiate(v, shoot_instant, k, DIFFERENCE_SIXTH / most, expected, error);
    }
    return status;
}
