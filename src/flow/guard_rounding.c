// What rounding may have moved the value of a guard by: a bound from a walk over its code with the derivatives of its
// operators (decision 0200). log(1 + log(1 + x^2)^2) is 0 for |x| < 1e-4, and as far as it can tell it was never
// anything else there; where x goes on, it has only touched its level.
#include "base/tolerance.h"
#include "flow/guard_path.h"

#include "model/code.h"
#include "vm/tangent.h"

#include <float.h>
#include <math.h>
#include <string.h>

double* rounding_bounds(Flow* flow)
{
    kaiAllocator a = flow->kernel->options->allocator;
    size_t bytes = sizeof(double) * flow->model->reg_count;
    if (flow->guard_errors == NULL && (flow->guard_errors = a.alloc(a.user, NULL, 0, bytes)) != NULL)
        memset(flow->guard_errors, 0, bytes);
    flow->no_memory |= flow->guard_errors == NULL;
    return flow->guard_errors;
}

// What each of the states that the guard reads is known to, as a part of itself.
static void set_states(const GuardPath* path, double part, double* bounds)
{
    const kaiModel* model = path->flow->model;
    const Guard* guard = path->guard;
    const double* x = kernel_states(path->flow->kernel);
    bool own = guard_has_code(guard);
    for (uint32_t i = 0; i < (own ? guard->state_count : model->state_count); i++)
    {
        uint32_t state = own ? (uint32_t)model->guard_states[guard->first_state + i] : i;
        bounds[model->reg_first[REG_STATE] + state] = part * fabs(x[state]);
    }
}

// So that the next question finds zeros: it costs what this one has touched, not all registers of the model.
static void clear(const GuardPath* path, CodeRange code, double* bounds)
{
    const kaiModel* model = path->flow->model;
    CodeItem item;
    set_states(path, 0, bounds);
    for (uint32_t at = code.start; at < code.end && code_item(model->code, at, code.end, &item); at += item.words)
        for (uint32_t i = 0; i < item.reg_count; i++)
            bounds[model->code[item.first_reg + i]] = 0;
}

double guard_path_rounding(const GuardPath* path, double theta)
{
    Flow* flow = path->flow;
    CodeRange code = guard_has_code(path->guard) ? path->guard->code : path->guard->look;
    double *bounds = rounding_bounds(flow), rounding = 0;
    if (bounds == NULL)
        return 0;
    guard_path_load(path, theta);
    vm_run(flow->model, flow->kernel->R, code, &flow->trial);
    set_states(path, 0.5 * DBL_EPSILON, bounds);
    if (vm_rounding(flow->model, flow->kernel->R, code, &flow->trial, bounds))
        rounding = bounds[path->guard->g];
    clear(path, code, bounds);
    return isfinite(rounding) ? rounding : 0;
}

// ---- its slope
// -------------------------------------------------------------------------------------------------------

static void set_all_states(const Flow* flow, double part, double* bounds)
{
    const double* x = kernel_states(flow->kernel);
    for (uint32_t i = 0; i < flow->model->state_count; i++)
        bounds[flow->model->reg_first[REG_STATE] + i] = part * fabs(x[i]);
}

static bool walk(const Flow* flow, CodeRange code, double* bounds)
{
    const VmHost* host = &flow->kernel->host;
    return vm_run(flow->model, flow->kernel->R, code, host) == 0 &&
           vm_rounding(flow->model, flow->kernel->R, code, host, bounds);
}

bool guard_stands(Flow* flow, uint32_t index)
{
    const kaiModel* model = flow->model;
    const Guard* guard = &model->guards[index];
    double* bounds = rounding_bounds(flow);
    bool known = bounds != NULL && flow->kernel->holds + flow->kernel->slides == 0;
    if (!known)
        return false;
    set_all_states(flow, 0.5 * DBL_EPSILON, bounds);
    for (uint32_t i = 0; i < guard->islands.count && known; i++)
        known = walk(flow, model->islands[model->guard_islands[guard->islands.first + i]].deriv, bounds);
    known = known && walk(flow, guard->look, bounds);
    double most = known ? CROSSING_ROUNDINGS * bounds[guard->slope] : 0;
    memset(bounds, 0, sizeof(double) * model->reg_count);
    return fabs(flow->kernel->R[guard->slope]) <= most && isfinite(most);
}

// ---- on its level
// ----------------------------------------------------------------------------------------------------

// Off its level by so much of its terms that no rounding is that large. Of a sum of states they are at hand.
static bool is_clear(const GuardPath* path, double g)
{
    return !isfinite(g) || (path->guard->one_way && !path->guard->curved) ||
           (path->flow->guard_affine[path->index] &&
            fabs(g) > GUARD_NEAR * guard_largest_term(path, g, path->flow->kernel->R[path->guard->slope]));
}

// What does not move, but for rounding, keeps its distance from its level: by what its states have been rounded by in
// all their steps it is on it. What it reads is loaded. Of a one-way junction the selection has the last word.
static bool stands_there(const GuardPath* path, double g, double rounding)
{
    double steps = 1 + guard_steps_behind(path) / TIME_STEPS_SAME;
    bool near = fabs(g) <= CROSSING_ROUNDINGS * steps * rounding;
    return near && !path->guard->one_way && guard_stands(path->flow, path->index);
}

bool guard_path_stands(const GuardPath* path, double theta, double g)
{
    return !is_clear(path, g) && stands_there(path, g, guard_path_rounding(path, theta));
}

bool guard_path_on_level(const GuardPath* path, double theta, double g)
{
    if (is_clear(path, g))
        return false;
    double rounding = guard_path_rounding(path, theta);
    bool on = path->guard->curved && rounding > 0 && fabs(g) <= CROSSING_ROUNDINGS * rounding;
    return on || stands_there(path, g, rounding);
}
