// Where a solver cannot go on because the solution itself ends: the equations have no value a little further on (the
// logarithm or root of a number that becomes negative), or a state grows without bound (x' = x^2). Both look like
// stiffness to the step size control, and are not.
#include "flow/flow.h"

#include "kernel/guard.h"

#include <math.h>

typedef struct Edge
{
    Flow* flow;
    uint32_t island, count;
    CodeRange code;
    double t;
} Edge;

static uint32_t state_of(const Edge* e, uint32_t slot)
{
    return island_state(e->flow, e->island, slot);
}

// The rates at the last point of the solver, moved on along them by h.
static void rates_ahead(const Edge* e, const double* x, double h)
{
    Kernel* kernel = e->flow->kernel;
    const kaiModel* model = e->flow->model;
    for (uint32_t i = 0; i < e->count; i++)
        kernel_states(kernel)[state_of(e, i)] = x[i];
    kernel->R[model->reg_time] = e->t;
    vm_run(model, kernel->R, e->code, &kernel->host);
    if (h == 0)
        return;
    for (uint32_t i = 0; i < e->count; i++)
        kernel_states(kernel)[state_of(e, i)] += h * kernel_slopes(kernel)[state_of(e, i)];
    kernel->R[model->reg_time] = e->t + h;
    vm_run(model, kernel->R, e->code, &kernel->host);
}

static const char* name_of(const Edge* e, uint32_t state)
{
    return model_string(e->flow->model, e->flow->model->vars[e->flow->model->state_vars[state]].name);
}

static uint32_t first_broken(const Edge* e)
{
    uint32_t i = 0;
    while (i < e->count && !isnan(kernel_slopes(e->flow->kernel)[state_of(e, i)]))
        i++;
    return i;
}

// Whether a relation that switches there keeps the rates legal (max(h, 0)^1.5): then it is the solver that does not get
// there. Latches stay as they have become, since the run is over.
static bool switches_ahead(const Edge* e)
{
    guard_settle(e->flow->kernel);
    vm_run(e->flow->model, e->flow->kernel->R, e->code, &e->flow->kernel->host);
    return first_broken(e) == e->count;
}

// The first rate that is not a number a little further on; e->count: none.
static uint32_t broken_ahead(const Edge* e, const double* x)
{
    uint32_t broken = e->count;
    double h = EDGE_NEAREST * fmax(fabs(e->t), 1);
    for (; h <= EDGE_FARTHEST * fmax(fabs(e->t), 1) && broken == e->count; h *= 10)
    {
        rates_ahead(e, x, h);
        broken = first_broken(e);
    }
    if (broken == e->count || switches_ahead(e))
        return e->count;
    return broken;
}

static kaiStatus fail_broken(const Edge* e, uint32_t slot)
{
    Kernel* kernel = e->flow->kernel;
    const kaiModel* model = e->flow->model;
    uint32_t state = state_of(e, slot), reg = model->reg_first[REG_DERIV] + state;
    uint32_t culprit = vm_trace_nan(model, kernel->R, e->code, reg);
    char text[100];
    return kernel_fail(kernel, model->reg_places[culprit],
                       "the run cannot go beyond: end it before, or say what happens there (a guard, a mode, `max`)",
                       "the derivative of %s has no value beyond t = %.9g%s", name_of(e, state), e->t,
                       vm_say_operator(model, kernel->R, e->code, culprit, text, sizeof text));
}

// The state that grows fastest for its size: away from 0, and within a time that is nothing beside t.
static uint32_t growing(const Edge* e, const double* x)
{
    uint32_t found = e->count;
    double least = EDGE_GROWTH * fmax(fabs(e->t - e->flow->kernel->options->start), EDGE_NEAREST);
    for (uint32_t i = 0; i < e->count; i++)
    {
        double rate = kernel_slopes(e->flow->kernel)[state_of(e, i)], time = fabs(x[i] / rate);
        bool grows = (x[i] > 0) == (rate > 0) && rate != 0;
        if (grows && fabs(x[i]) > EDGE_HUGE)
            return i;
        if (grows && fabs(x[i]) > 1 && time < least)
            least = time, found = i;
    }
    return found;
}

static kaiStatus fail_growing(const Edge* e, uint32_t slot, const double* x)
{
    const kaiModel* model = e->flow->model;
    uint32_t state = state_of(e, slot);
    const ModelVar* var = &model->vars[model->state_vars[state]];
    double rate = kernel_slopes(e->flow->kernel)[state];
    return kernel_fail(e->flow->kernel, var->place,
                       "the solution ends there, no solver can pass it: is a sign wrong, or what limits it missing?",
                       "%s grows without bound: at t = %.9g it is %.3g%s and doubles within %.2g s", name_of(e, state),
                       e->t, var_shown(var, x[slot]), var_unit_said(model, var), fabs(x[slot] / rate) * log(2));
}

kaiStatus edge_explain(Flow* flow, uint32_t island)
{
    const Ode* ode = island_ode(flow, island);
    Edge e = {flow, island, flow->model->islands[island].states.count, flow->model->islands[island].deriv,
              ode_time(ode)};
    const double* x = ode_state(ode);
    uint32_t slot = broken_ahead(&e, x);
    if (slot < e.count)
        return fail_broken(&e, slot);
    rates_ahead(&e, x, 0);
    slot = growing(&e, x);
    return slot < e.count ? fail_growing(&e, slot, x) : KAI_OK;
}
