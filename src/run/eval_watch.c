// Event indicators as importers of FMUs expect them: z is positive after an instant and stays so until the guard has
// crossed; where it is 0 or below, an event is due. An importer knows no guards. It stops where z is 0 exactly, a
// little before, or a step too far, it may ask in any order and go back in time, and it need not say when a step is
// over. So nothing here depends on what was asked before; all that is remembered is set when an instant ends.
//
// Around each level lies a band of rounding. z is 0 not on the level but a band behind it: who stops there has crossed
// for certain. A guard that is on its level at the end of an instant (it has just fired) is lifted out of the band by
// its bias, so that leaving the level is no event (hysteresis).
#include "base/tolerance.h"
#include "kernel/guard.h"
#include "run/eval.h"

#include <math.h>
#include <string.h>

static size_t watch_size(const kaiEval* eval)
{
    return sizeof(Indicator) * (eval->model->guards_count + 1);
}

bool eval_watch_make(kaiEval* eval)
{
    kaiAllocator a = eval->options.allocator;
    eval->indicators = a.alloc(a.user, NULL, 0, watch_size(eval));
    if (eval->indicators == NULL)
        return false;
    memset(eval->indicators, 0, watch_size(eval));
    return true;
}

void eval_watch_free(kaiEval* eval)
{
    kaiAllocator a = eval->options.allocator;
    if (eval->indicators != NULL)
        a.alloc(a.user, eval->indicators, watch_size(eval), 0);
}

// How far the guard is before the level that it is watched for.
static double before_level(const Kernel* kernel, uint32_t guard, const Indicator* z)
{
    return -z->toward * guard_value(kernel, &kernel->model->guards[guard]);
}

static void set_scale(Indicator* z, double g, double slope)
{
    double size = fabs(g) > 0 ? fabs(g) : fabs(slope);
    int exponent = 0;
    if (!isfinite(size) || size == 0)
        size = 1;
    frexp(size, &exponent);
    if (z->scale == 0 || fabs(g) > z->scale)
        z->scale = ldexp(1, exponent);
}

// On its level, as far as an importer can tell: it stops up to a bias behind it.
static bool is_near(const Indicator* z, double g)
{
    return fabs(g) <= 2 * fmax(z->band, z->bias);
}

// A crossing that may fire in one direction only has two sides: before the level it is waited for, behind it its
// return is. On the level it belongs to the side that it goes to; standing still, to the one it came from; if it was
// never elsewhere, to the one that it fires from, since leaving counts (rule C2) and an input does not say where it
// goes.
static void take_side(Kernel* kernel, const Guard* guard, Indicator* z, double g, double slope)
{
    int side = is_near(z, g) ? sign_of(slope) : sign_of(g);
    if (side == 0)
        side = kernel->R[guard->side] != 0 ? (kernel->R[guard->side] < 0 ? -1 : 1) : guard->kind == GUARD_UP ? -1 : 1;
    kernel->R[guard->side] = side;
    z->toward = (int8_t)-side;
    z->back = (guard->kind == GUARD_UP && side > 0) || (guard->kind == GUARD_DOWN && side < 0);
}

static void arm_indicator(Kernel* kernel, uint32_t index, Indicator* z)
{
    const Guard* guard = &kernel->model->guards[index];
    GuardState* state = &kernel->guards[index];
    z->toward = 0;
    z->back = false;
    if (guard->time_only || state->sliding != 0 || !guard_is_active(kernel, guard, false))
        return;
    double g = guard_value(kernel, guard), slope = kernel->R[guard->slope];
    set_scale(z, g, slope);
    z->band = fmax(INDICATOR_BAND * z->scale, INDICATOR_SLACKS * fabs(slope) * kernel_slack(kernel, kernel->now.t));
    if (is_crossing(guard))
        take_side(kernel, guard, z, g, slope);
    else
        z->toward = direction(kernel, guard);
    // Far past its level (a relation whose first truth was wrong, a floor that was overstepped by two): it fires at
    // once.
    bool near = is_near(z, g);
    z->bias = z->band + (near ? fmax(0, z->band - before_level(kernel, index, z)) : 0);
    state->g = g;
    state->slope = slope;
    state->toward = z->toward;
}

kaiStatus eval_watch_arm(kaiEval* eval, double t, const double* x)
{
    kaiStatus status = eval_look(eval, t, x);
    for (uint32_t i = 0; i < eval->model->guards_count && status == KAI_OK; i++)
        arm_indicator(&eval->kernel, i, &eval->indicators[i]);
    if (status == KAI_OK)
        eval_ahead_arm(eval, t);
    return status;
}

void eval_watch_loosen(kaiEval* eval)
{
    for (uint32_t i = 0; i < eval->model->guards_count; i++)
    {
        Indicator* z = &eval->indicators[i];
        if (z->toward != 0 && before_level(&eval->kernel, i, z) > 2 * z->band)
            z->bias = z->band;
    }
}

kaiStatus kaiEval_Watch(kaiEval* eval, double t, const double* x, double* values)
{
    if (eval == NULL || !eval->started || eval->inside || x == NULL || values == NULL)
        return KAI_ERR_USAGE;
    kaiStatus status = eval_look(eval, t, x);
    for (uint32_t i = 0; i < eval->model->guards_count; i++)
    {
        const Indicator* z = &eval->indicators[i];
        values[i] = z->toward != 0 ? (before_level(&eval->kernel, i, z) + z->bias) / z->scale : 1;
    }
    return status;
}

// Where its indicator is 0; or on the way there and so near that an importer that stops before a change of sign means
// it, or that it shares the instant of another guard.
static bool is_there(const Kernel* kernel, uint32_t guard, const Indicator* z)
{
    double before = before_level(kernel, guard, z), slope = kernel->R[kernel->model->guards[guard].slope];
    if (before + z->bias <= 0)
        return true;
    return slope * z->toward > 0 && before + z->bias <= (z->bias == z->band ? 2 * z->band : z->band / 2);
}

kaiStatus kaiEval_Rearm(kaiEval* eval, double t, const double* x)
{
    if (eval == NULL || !eval->started || eval->inside || x == NULL)
        return KAI_ERR_USAGE;
    kaiStatus status = eval->delays ? eval_look(eval, t, x) : KAI_OK;
    if (status == KAI_OK && eval->delays)
        status = eval_delay_feed(eval, t);
    return status == KAI_OK ? eval_watch_arm(eval, t, x) : status;
}

bool kaiEval_Pending(kaiEval* eval, double t, const double* x)
{
    if (eval == NULL || !eval->started || eval->inside || x == NULL || eval_look(eval, t, x) != KAI_OK)
        return false;
    const Kernel* kernel = &eval->kernel;
    for (uint32_t i = 0; i < eval->model->guards_count; i++)
        if (eval->indicators[i].toward != 0 && !eval->indicators[i].back && is_there(kernel, i, &eval->indicators[i]))
            return true;
    return kernel->outside_count > 0 || kernel_reached(kernel, eval_due(eval), t);
}

void eval_watch_locate(kaiEval* eval)
{
    Kernel* kernel = &eval->kernel;
    for (uint32_t i = 0; i < eval->model->guards_count; i++)
    {
        const Guard* guard = &eval->model->guards[i];
        const Indicator* z = &eval->indicators[i];
        if (z->toward == 0)
            continue;
        bool there = is_there(kernel, i, z);
        if (z->back && there)
            kernel->R[guard->side] = z->toward;  // it is back on the side that it fires from
        else if (there)
            kernel->located[kernel->located_count++] = i;
        kernel->guards[i].toward = z->toward;
    }
}
