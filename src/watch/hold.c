// What zeno = continue holds at rest (decision 0013): states at which events accumulate get their limits at the time of
// the accumulation and keep them until the free field would move g off the level.
#include "base/tolerance.h"
#include "watch/zeno_parts.h"

#include <math.h>
#include <string.h>

// ---- the free field
// --------------------------------------------------------------------------------------------------

// Derivatives and the slope of a guard from the states in the registers, nothing held.
double hold_free_slope(Zeno* zeno, uint32_t guard)
{
    vm_run(zeno->model, zeno->kernel->R, zeno->model->deriv, &zeno->kernel->host);
    vm_run(zeno->model, zeno->kernel->R, zeno->model->events, &zeno->kernel->host);
    return zeno->kernel->R[zeno->model->guards[guard].slope];
}

// How the slope of g changes along the free field: the second derivative of g, up to a positive factor.
static double free_bend(Zeno* zeno, uint32_t guard)
{
    const kaiModel* model = zeno->model;
    double t = zeno->kernel->R[model->reg_time], small = ZENO_STEP * fmax(fabs(t), ZENO_EARLY),
           *x = kernel_states(zeno->kernel);
    memcpy(zeno->free_state, x, sizeof(double) * model->state_count);
    double before = hold_free_slope(zeno, guard);
    memcpy(zeno->free_slope, kernel_slopes(zeno->kernel), sizeof(double) * model->state_count);
    for (uint32_t i = 0; i < model->state_count; i++)
        x[i] += small * zeno->free_slope[i];
    zeno->kernel->R[model->reg_time] = t + small;
    double after = hold_free_slope(zeno, guard);
    memcpy(x, zeno->free_state, sizeof(double) * model->state_count);
    zeno->kernel->R[model->reg_time] = t;
    return after - before;
}

// ---- holding
// ---------------------------------------------------------------------------------------------------------

static void release(Zeno* zeno, uint32_t guard)
{
    for (uint32_t i = 0; i < zeno->model->state_count; i++)
        if (zeno->kernel->hold_by[i] == guard + 1)
            zeno->kernel->hold_by[i] = 0;
    zeno->guards[guard].holding = false;
    zeno->guards[guard].hold_due = 0;
    zeno->kernel->holds--;
    kernel_disturb_all(zeno->kernel);
}

// Held, but the free field would take g to the side it bounced to.
static bool would_leave(Zeno* zeno, uint32_t guard)
{
    return -zeno->guards[guard].barrier * free_bend(zeno, guard) > 0;
}

static bool was_moved(const Zeno* zeno, uint32_t guard)
{
    for (uint32_t i = 0; i < zeno->model->state_count; i++)
        if (zeno->kernel->hold_by[i] == guard + 1 &&
            zeno->kernel->R[zeno->model->reg_first[REG_STATE] + i] != zeno->kernel->hold_limit[i])
            return true;
    return false;
}

// At the end of an instant: a jump of a held state, a mode that was left or a new force frees it.
void zeno_check_held(Zeno* zeno)
{
    for (uint32_t i = 0; i < zeno->model->guards_count; i++)
    {
        const ZenoGuard* z = &zeno->guards[i];
        if (!z->holding || z->hold_due > 0)
            continue;
        if (!guard_is_active(zeno->kernel, &zeno->model->guards[i], false) || was_moved(zeno, i) ||
            would_leave(zeno, i))
            release(zeno, i);
    }
}

static bool leaves_at(Zeno* zeno, uint32_t guard, double theta)
{
    const Ode* ode = zeno->flow->island_odes[0];  // holding states needs a model with one island
    double start = ode_step_start(ode), length = ode_time(ode) - start;
    island_look(zeno->flow, 0, start, length, theta, false);
    zeno->kernel->R[zeno->model->reg_time] = start + theta * length;
    return would_leave(zeno, guard);
}

bool zeno_search(Zeno* zeno, double* theta)
{
    bool found = false;
    for (uint32_t i = 0; i < zeno->model->guards_count; i++)
    {
        const ZenoGuard* z = &zeno->guards[i];
        if (!z->holding || z->hold_due > 0 || !leaves_at(zeno, i, *theta))
            continue;
        double lo = 0, hi = *theta;
        while (hi - lo > ZENO_LEAVES)
        {
            double mid = 0.5 * (lo + hi);
            *(leaves_at(zeno, i, mid) ? &hi : &lo) = mid;
        }
        if (hi < *theta)
            zeno->kernel->located_count = 0;
        *theta = hi;
        found = true;
    }
    return found;
}

void hold_wait(Zeno* zeno, double t)
{
    zeno->kernel->hold_next = t;
    agenda_set(&zeno->kernel->agenda, agenda_hold(zeno->kernel), t);
}

void hold_set_limits(Zeno* zeno, double t)
{
    const kaiModel* model = zeno->model;
    hold_wait(zeno, INFINITY);
    for (uint32_t g = 0; g < model->guards_count; g++)
    {
        ZenoGuard* z = &zeno->guards[g];
        if (!z->holding || !(z->hold_due > 0))
            continue;
        if (z->hold_due > t + 4e-16 * fabs(t))
        {
            hold_wait(zeno, fmin(zeno->kernel->hold_next, z->hold_due));
            continue;
        }
        z->hold_due = 0;
        for (uint32_t i = 0; i < model->state_count; i++)
            if (zeno->kernel->hold_by[i] == g + 1)
                kernel_states(zeno->kernel)[i] = zeno->kernel->hold_limit[i];
        kernel_disturb_all(zeno->kernel);
    }
}
