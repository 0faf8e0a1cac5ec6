// Numeric impulses in a run (paper 003, section 4; decision 0016): the registers that tell differences which step they
// are taken over, what the numbers can grow to (eq. 39), and impulse backward Euler (paper 004, section 3.2.3).
#include "base/tolerance.h"
#include "flow/flow.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double binomial(int n, int k)
{
    double out = 1;
    for (int i = 1; i <= k; i++)
        out = out * (n - k + i) / i;
    return out;
}

// The largest number in the approximation of δ⁽ⁿ⁻¹⁾: C(n-1, ⌊(n-1)/2⌋)/hⁿ (eq. 39, garbled in print).
static double largest(int n, double h)
{
    return binomial(n - 1, (n - 1) / 2) / pow(h, n);
}

static bool uses_ibe(const Flow* flow)
{
    return strcmp(flow->kernel->options->breakpoint_solver, "ibe") == 0;
}

// The length of a pulse: the step, or with impulse backward Euler one so short that neither the motion during the
// pulses (h²) nor the rounding of numbers like 1/hⁿ is much: both are of the size ε^(2/(n + 2)) for h = ε^(1/(n + 2)).
static double pulse_length(const Flow* flow)
{
    double step = flow->kernel->options->step > 0 ? flow->kernel->options->step : STEP_FIXED;
    if (flow->kernel->options->max_step > 0)
        step = fmin(step, flow->kernel->options->max_step);
    if (!uses_ibe(flow))
        return step;
    return fmin(step, ldexp(1, (int)round(-52.0 / (2 + fmax(0, flow->model->impulse_order)))));
}

void pulse_start(Flow* flow)
{
    const kaiModel* model = flow->model;
    double h = pulse_length(flow);
    flow->kernel->R[model->reg_pulse] = flow->kernel->R[model->reg_step_taken] = h;
    flow->kernel->R[model->reg_step_from] = flow->kernel->R[model->reg_step_end] = flow->kernel->options->start;
    for (uint32_t i = 0; i < model->memories_count; i++)  // there was no step before
        if (model->memories[i].steps)
            flow->kernel->R[model->memories[i].dst] = model->memories[i].idle;
    int n = model->impulse_order + 1;
    double most = n > 0 ? largest(n, h) : 0;
    if (most > DBL_MAX / 1e8)
        kernel_warn(
            flow->kernel, model->impulse_place,
            "numeric impulses near overflow: derivative %d of a unit step grows to C(%d,%d)/h^%d = %.3g with h = "
            "%g; take a longer step, or impulses = symbolic",
            n, n - 1, (n - 1) / 2, n, most, h);
}

// A model with numeric impulses has one island.
static Ode* solver(const Flow* flow)
{
    return island_ode(flow, 0);
}

// Differences are taken over the step that the solver tries.
void pulse_trial(Flow* flow, double t)
{
    flow->kernel->R[flow->model->reg_step_end] = t;
    flow->kernel->R[flow->model->reg_step_taken] = ode_step_length(solver(flow));
}

void pulse_step_taken(Flow* flow)
{
    pulse_trial(flow, ode_time(solver(flow)));
}

void pulse_left_limit(Flow* flow)
{
    flow->kernel->R[flow->model->reg_step_from] = flow->kernel->R[flow->model->reg_time];
}

// What differences are taken to in the next step.
kaiStatus pulse_step_done(Flow* flow)
{
    const kaiModel* model = flow->model;
    memcpy(kernel_slopes(flow->kernel), ode_slope(solver(flow)), sizeof(double) * model->state_count);
    kaiStatus status = kernel_run(flow->kernel, model->events);
    for (ActiveWalk w = {0}; active_memory(flow->kernel, &w);)
    {
        const Memory* memory = &model->memories[w.index];
        if (memory->steps)
            flow->kernel->R[memory->dst] = flow->kernel->R[memory->left];
    }
    pulse_left_limit(flow);
    return status;
}

// ---- impulse backward Euler
// ------------------------------------------------------------------------------------------

static bool has_pulses(Flow* flow)
{
    const kaiModel* model = flow->model;
    for (ActiveWalk w = {0}; active_memory(flow->kernel, &w);)
    {
        const Memory* memory = &model->memories[w.index];
        if (memory->shares && flow->kernel->R[memory->dst] != 0)
            return true;
    }
    return false;
}

static kaiStatus settle_step(Flow* flow, double h, double t)
{
    int failed = ode_impulse_step(solver(flow), h, t);
    if (failed != ODE_OK)
        return flow_ode_failed(flow, 0, failed);
    memcpy(kernel_states(flow->kernel), ode_state(solver(flow)), sizeof(double) * flow->model->state_count);
    flow->kernel->R[flow->model->reg_time] = t;
    pulse_step_taken(flow);
    return pulse_step_done(flow);
}

// The numbers that stand for δ⁽ⁿ⁾ need n steps more to come to an end. They are taken with the short length of the
// pulse, and then as many backward in time, which takes back what moved besides. Time does not advance, so that the
// delay of n steps that the numeric approximation has otherwise is gone.
kaiStatus pulse_settle(Flow* flow, bool* moved)
{
    const kaiModel* model = flow->model;
    if (!uses_ibe(flow) || model->impulse_order < 1 || !has_pulses(flow))
        return KAI_OK;
    double t = flow->kernel->now.t, h = flow->kernel->R[model->reg_pulse];
    int n = model->impulse_order;
    memcpy(flow->island_start, kernel_states(flow->kernel), sizeof(double) * model->state_count);
    int failed = ode_restart(solver(flow), t, flow->island_start, false);
    kaiStatus status = failed == ODE_OK ? KAI_OK : flow_ode_failed(flow, 0, failed);
    for (int k = 1; k <= 2 * n && status == KAI_OK; k++)
        status = settle_step(flow, k <= n ? h : -h, t + (k <= n ? k : 2 * n - k) * h);
    *moved = true;
    kernel_disturb_all(flow->kernel);
    return status;
}
