// See point.h.
#include "analysis/point.h"

#include "analysis/ties.h"
#include "base/dense.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "kernel/guard.h"
#include "run/variation_parts.h"
#include "vm/tangent.h"

#include <math.h>
#include <string.h>

static kaiStatus run_to(Variation* v, double at, kaiError* error)
{
    kaiStatus status = variation_step(v, at, error);
    while (status == KAI_INSTANT && at > variation_now(v))
        status = variation_step(v, at, error);
    return status;
}

bool point_open(Point* p, const kaiModel* model, const kaiSimOptions* sim, double at, const int* variables, int count,
                kaiError* error)
{
    size_t n = model->state_count, regs = model->reg_count;
    *p = (Point){.model = model, .allocator = sim->allocator, .n = (int)n, .regs = (int)regs};
    p->variation =
        variation_create(model, &(VariationOptions){.sim = sim, .variables = variables, .count = count}, error);
    if (p->variation == NULL)
        return false;
    p->size = sizeof(double) * (4 * n + 2 * n * n + regs) + sizeof(uint32_t) * (n + 2) + sizeof(int) * n;
    p->block = p->allocator.alloc(p->allocator.user, NULL, 0, p->size);
    if (p->block == NULL)
        return error_memory(error), point_close(p), false;
    memset(p->block, 0, p->size);
    p->x = p->block;
    p->f = p->x + n;
    p->J = p->f + n;
    p->work = p->J + n * n;
    p->D = p->work + n * n + n;
    p->ties = p->D + regs;
    p->pivots = (uint32_t*)(void*)(p->ties + n);
    p->tied = (int*)(void*)(p->pivots + n + 2);
    if (isfinite(at) && at < sim->start)
        return error_set(error, KAI_ERR_USAGE, "the run begins at t = %g, after t = %g", sim->start, at),
               point_close(p), false;
    if (run_to(p->variation, isfinite(at) ? at : sim->start, error) < 0)
        return point_close(p), false;
    p->t = variation_now(p->variation);
    if (n > 0)
        memcpy(p->x, variation_states(p->variation), sizeof(double) * n);
    return true;
}

void point_close(Point* p)
{
    variation_free(p->variation);
    if (p->block != NULL)
        p->allocator.alloc(p->allocator.user, p->block, p->size, 0);
    p->variation = NULL;
    p->block = NULL;
}

static Kernel* kernel_of(Point* p)
{
    return &p->variation->eval->kernel;
}

static void load(Point* p)
{
    touch_moment(kernel_of(p), p->t);
    if (p->n > 0)
        memcpy(kernel_states(kernel_of(p)), p->x, sizeof(double) * (size_t)p->n);
}

bool point_slopes(Point* p)
{
    load(p);
    Kernel* kernel = kernel_of(p);
    if (kernel_run(kernel, p->model->deriv) != KAI_OK || kernel_run(kernel, p->model->flow) != KAI_OK)
        return false;
    if (p->n > 0)
        memcpy(p->f, kernel_slopes(kernel), sizeof(double) * (size_t)p->n);
    return true;
}

void point_still(Point* p)
{
    memset(p->D, 0, sizeof(double) * (size_t)p->regs);
}

bool point_move(Point* p)
{
    Kernel* kernel = kernel_of(p);
    return vm_tangent(p->model, kernel->R, p->model->deriv, &kernel->host, p->D) &&
           vm_tangent(p->model, kernel->R, p->model->flow, &kernel->host, p->D);
}

bool point_jacobian(Point* p)
{
    uint32_t state = p->model->reg_first[REG_STATE], slope = p->model->reg_first[REG_DERIV];
    for (int j = 0; j < p->n; j++)
    {
        point_still(p);
        p->D[state + (uint32_t)j] = 1;
        if (!point_move(p))
            return false;
        for (int i = 0; i < p->n; i++)
            p->J[i * p->n + j] = p->D[slope + (uint32_t)i];
        p->tie_count = ties_move(p, p->tied, p->ties);
        for (int k = 0; k < p->tie_count; k++)
            p->J[p->tied[k] * p->n + j] = p->ties[k];
    }
    return true;
}

// ---- steady states

static double norm(const double* x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static bool depends_on_time(Point* p)
{
    point_still(p);
    p->D[p->model->reg_time] = 1;
    bool depends = false;
    if (point_move(p))
        for (int i = 0; i < p->n; i++)
            depends |= p->D[p->model->reg_first[REG_DERIV] + (uint32_t)i] != 0;
    return depends;
}

// The guard that has its crossing between where the run was and the steady state; NULL: none.
static const char* crossed_guard(Point* p)
{
    Kernel* kernel = kernel_of(p);
    if (!point_slopes(p) || kernel_run(kernel, p->model->events) != KAI_OK)
        return NULL;
    for (uint32_t i = 0; i < p->model->guards_count; i++)
    {
        const Guard* guard = &p->model->guards[i];
        if (kernel->guards[i].active && is_past(kernel, guard, guard_value(kernel, guard)))
            return model_string(p->model, guard->text);
    }
    return NULL;
}

// x := from + part · step, with a smaller part while f does not become smaller. False: no part does.
static bool walk(Point* p, const double* from, const double* step, double before)
{
    for (double part = 1; part > NEWTON_LEAST_PART; part /= 2)
    {
        for (int i = 0; i < p->n; i++)
            p->x[i] = from[i] + part * step[i];
        if (point_slopes(p) && (norm(p->f, p->n) < before || before == 0))
            return true;
    }
    return false;
}

static kaiStatus fail_singular(const Point* p, kaiError* error)
{
    return error_set(error, KAI_ERR_RUN,
                     "df/dx is singular at t = %.9g: no steady state is isolated there (a position or a charge that "
                     "nothing holds); hold it, or leave it out of the model",
                     p->t);
}

kaiStatus point_settle(Point* p, kaiError* error)
{
    enum
    {
        ROUNDS = 60
    };
    double *step = p->work + p->n * p->n, *from = p->variation->slopes;
    if (!point_slopes(p))
        return error_set(error, KAI_ERR_RUN, "the model has no value at t = %.9g", p->t);
    if (depends_on_time(p))
        return error_set(error, KAI_ERR_RUN,
                         "the right-hand sides depend on time: there is no steady state; look for a periodic orbit "
                         "(kairos steady --period T)");
    for (int round = 0; round < ROUNDS; round++)
    {
        double size = 0, before = norm(p->f, p->n);
        if (!point_jacobian(p))
            return error_set(error, KAI_ERR_RUN, "df/dx does not exist at t = %.9g", p->t);
        memcpy(p->work, p->J, sizeof(double) * (size_t)p->n * (size_t)p->n);
        if (!dense_factor(p->work, p->pivots, (uint32_t)p->n))
            return fail_singular(p, error);
        for (int i = 0; i < p->n; i++)
        {
            step[i] = -p->f[i];
            from[i] = p->x[i];
        }
        for (int k = 0; k < p->tie_count; k++)
            step[p->tied[k]] = 0;
        dense_solve(p->work, p->pivots, step, (uint32_t)p->n);
        for (int i = 0; i < p->n; i++)
            size = fmax(size, fabs(step[i]) / fmax(fabs(from[i]), NEWTON_SETTLED_SIZE));
        if (!isfinite(size))
            return fail_singular(p, error);
        bool better = walk(p, from, step, before);
        if (!better)  // rounding: it does not get closer
            memcpy(p->x, from, sizeof(double) * (size_t)p->n);
        if (size <= NEWTON_SETTLED || (!better && size <= NEWTON_ROUNDED))
        {
            const char* crossed = crossed_guard(p);
            return crossed == NULL ? KAI_OK
                                   : error_set(error, KAI_ERR_RUN,
                                               "the steady state of these modes lies beyond %s: the run leaves them "
                                               "before; begin later, with --at",
                                               crossed);
        }
        if (!better)
            break;
    }
    return error_set(error, KAI_ERR_RUN,
                     "no steady state was found from t = %.9g on: begin nearer to one, with --at or --set", p->t);
}
