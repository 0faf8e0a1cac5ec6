// A crossing that is nothing but the error of a step. x' = c - √x with a small c > 0 stays above 0, since it rises
// there; what a solver has instead is off by its tolerance, and may pass 0 wherever x is smaller than that. The field
// itself tells: on the level, and on the side that the guard comes from, it leads back, so no solution arrives from
// there. The step is not believed from half of the way to that place on, and the next one is no longer than that.
#include "base/tolerance.h"
#include "flow/guard_path.h"

#include <math.h>

enum
{
    PLACES_BACK = 4,   // steps that t resolves: nothing shorter is taken again
    CREEPS_MOST = 64,  // shorter ways
};

#define BACK_PART 0.25  // of a step that is taken again

// The guard's slope by the field at theta of the step, before it has switched.
static double slope_of_field(const GuardPath* path, double theta)
{
    Flow* flow = path->flow;
    const kaiModel* model = flow->model;
    double* R = flow->kernel->R;
    island_look(flow, path->island, path->start, path->length, theta, false);
    flow->islands[path->island].loaded = NAN;
    R[model->reg_time] = guard_path_time(path, theta);
    if (vm_run(model, R, model->islands[path->island].deriv, &flow->trial) != 0)
        return NAN;
    vm_run(model, R, path->guard->look, &flow->trial);
    return R[path->guard->slope];
}

static bool leads_back(Flow* flow, uint32_t index, uint32_t island, double theta)
{
    GuardPath path = guard_path_of_step(flow, index, island);
    if (path.guard->one_way || path.guard->islands.count != 1)
        return false;
    return path.toward * slope_of_field(&path, theta) < 0 && !guard_stands(flow, index);
}

// Whether the step may end at theta: the guard is off its level there, by more than rounding.
static bool is_off(Flow* flow, uint32_t index, uint32_t island, double theta)
{
    GuardPath path = guard_path_of_step(flow, index, island);
    double g = guard_path_value(&path, theta);
    return -path.toward * g > CROSSING_ROUNDINGS * guard_path_rounding(&path, theta);
}

// No step may end where its guard has no side.
static bool may_end(Flow* flow, uint32_t island, double theta)
{
    GuardPath path = guard_path_of_step(flow, flow->kernel->located[0], island);
    bool off = guard_path_time(&path, theta) > path.start;
    for (uint32_t i = 0; i < flow->kernel->located_count && off; i++)
        off = is_off(flow, flow->kernel->located[i], island, theta);
    return off;
}

static bool is_error(Flow* flow, uint32_t island, double theta)
{
    Kernel* kernel = flow->kernel;
    bool back = kernel->located_count > 0;
    for (uint32_t i = 0; i < kernel->located_count && back; i++)
        back = leads_back(flow, kernel->located[i], island, theta);
    ode_asked(island_ode(flow, island));
    return back;
}

// Up to half of the way; where that is nothing the step has gone wrong where it begins, and is not believed at all.
// Where t hardly resolves the way it goes on by as much a few times, and then has crossed; a method that remembers
// steps has forgotten them, and cannot.
GuardBack guard_steps_back(Flow* flow, uint32_t island, double theta)
{
    Ode* ode = island_ode(flow, island);
    IslandState* s = &flow->islands[island];
    double length = ode_dense_length(ode), way = 0.5 * theta * length, least = PLACES_BACK * ode_shortest_step(ode);
    bool tells = flow->sharp[island].any && !ode_method_is_fixed(ode_method(ode)) && !kernel_numeric(flow->kernel);
    if (!tells || flow->kernel->holds + flow->kernel->slides > 0 || !is_error(flow, island, theta))
        return BACK_NOT;
    bool creeps = way <= least, remembers = ode_method(ode) == ODE_CVODE_ADAMS || ode_method(ode) == ODE_CVODE_BDF;
    bool some = (!creeps || (!remembers && s->creeps < CREEPS_MOST)) && may_end(flow, island, 0.5 * theta);
    if (!some && !(length > least))
    {
        s->creeps = 0;
        return BACK_NOT;
    }
    if (some && creeps)
        s->creeps++;
    flow->kernel->located_count = 0;
    ode_retreat(ode, some ? 0.5 * theta : 0, some ? larger(way, 2 * least) : BACK_PART * length);
    return some ? BACK_SOME : BACK_ALL;
}
