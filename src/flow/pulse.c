// Numeric impulses in a run (paper 003, section 4; decision 0016): the registers that tell differences which step they
// are taken over, what the numbers can grow to (eq. 39), and impulse backward Euler (paper 004, section 3.2.3).
#include "kernel/sim.h"

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

static bool uses_ibe(const kaiSim* sim)
{
    return strcmp(sim->options.breakpoint_solver, "ibe") == 0;
}

// The length of a pulse: the step, or with impulse backward Euler one so short that neither the motion during the
// pulses (h²) nor the rounding of numbers like 1/hⁿ is much: both are of the size ε^(2/(n + 2)) for h = ε^(1/(n + 2)).
static double pulse_length(const kaiSim* sim)
{
    double step = sim->options.step > 0 ? sim->options.step : 1e-3;
    if (sim->options.max_step > 0)
        step = fmin(step, sim->options.max_step);
    if (!uses_ibe(sim))
        return step;
    return fmin(step, ldexp(1, (int)round(-52.0 / (2 + fmax(0, sim->model->impulse_order)))));
}

void pulse_start(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    double h = pulse_length(sim);
    sim->R[model->reg_pulse] = sim->R[model->reg_step_taken] = h;
    sim->R[model->reg_step_from] = sim->R[model->reg_step_end] = sim->options.start;
    for (uint32_t i = 0; i < model->memories_count; i++)  // there was no step before
        if (model->memories[i].steps)
            sim->R[model->memories[i].dst] = model->memories[i].idle;
    int n = model->impulse_order + 1;
    double most = n > 0 ? largest(n, h) : 0;
    if (most > DBL_MAX / 1e8)
        sim_warn(sim, model->impulse_place,
                 "numeric impulses near overflow: derivative %d of a unit step grows to C(%d,%d)/h^%d = %.3g with h = "
                 "%g; take a longer step, or impulses = symbolic",
                 n, n - 1, (n - 1) / 2, n, most, h);
}

// A model with numeric impulses has one island.
static Ode* solver(const kaiSim* sim)
{
    return sim->island_odes[0];
}

// Differences are taken over the step that the solver tries.
void pulse_trial(kaiSim* sim, double t)
{
    sim->R[sim->model->reg_step_end] = t;
    sim->R[sim->model->reg_step_taken] = ode_step_length(solver(sim));
}

void pulse_step_taken(kaiSim* sim)
{
    pulse_trial(sim, ode_time(solver(sim)));
}

void pulse_left_limit(kaiSim* sim)
{
    sim->R[sim->model->reg_step_from] = sim->R[sim->model->reg_time];
}

// What differences are taken to in the next step.
kaiStatus pulse_step_done(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    memcpy(sim_slopes(sim), ode_slope(solver(sim)), sizeof(double) * model->state_count);
    kaiStatus status = sim_run_code(sim, model->events);
    for (ActiveWalk w = {0}; active_memory(sim, &w);)
    {
        const Memory* memory = &model->memories[w.index];
        if (memory->steps)
            sim->R[memory->dst] = sim->R[memory->left];
    }
    pulse_left_limit(sim);
    return status;
}

kaiStatus pulse_overflow(kaiSim* sim, uint32_t state)
{
    const kaiModel* model = sim->model;
    const ModelVar* var = &model->vars[model->state_vars[state]];
    if (!sim_numeric(sim))
        return sim_fail(sim, var->place, "check the weights of the impulses that it integrates",
                        "an impulse makes %s %g at t = %.17g", model_string(model, var->name), sim_states(sim)[state],
                        sim->now.t);
    int n = model->impulse_order + 1;
    return sim_fail(sim, var->place, "take a longer step, or impulses = symbolic",
                    "numeric impulses overflow in %s at t = %.17g: they grow like 1/h^%d = %.3g times their weights",
                    model_string(model, var->name), sim->now.t, n, pow(sim->R[model->reg_pulse], -n));
}

// ---- impulse backward Euler
// ------------------------------------------------------------------------------------------

static bool has_pulses(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (ActiveWalk w = {0}; active_memory(sim, &w);)
    {
        const Memory* memory = &model->memories[w.index];
        if (memory->shares && sim->R[memory->dst] != 0)
            return true;
    }
    return false;
}

static kaiStatus settle_step(kaiSim* sim, double h, double t)
{
    int failed = ode_impulse_step(solver(sim), h, t);
    if (failed != ODE_OK)
        return sim_ode_failed(sim, 0, failed);
    memcpy(sim_states(sim), ode_state(solver(sim)), sizeof(double) * sim->model->state_count);
    sim->R[sim->model->reg_time] = t;
    pulse_step_taken(sim);
    return pulse_step_done(sim);
}

// The numbers that stand for δ⁽ⁿ⁾ need n steps more to come to an end. They are taken with the short length of the
// pulse, and then as many backward in time, which takes back what moved besides. Time does not advance, so that the
// delay of n steps that the numeric approximation has otherwise is gone.
kaiStatus pulse_settle(kaiSim* sim, bool* moved)
{
    const kaiModel* model = sim->model;
    if (!uses_ibe(sim) || model->impulse_order < 1 || !has_pulses(sim))
        return KAI_OK;
    double t = sim->now.t, h = sim->R[model->reg_pulse];
    int n = model->impulse_order;
    memcpy(sim->x, sim_states(sim), sizeof(double) * model->state_count);
    int failed = ode_restart(solver(sim), t, sim->x, false);
    kaiStatus status = failed == ODE_OK ? KAI_OK : sim_ode_failed(sim, 0, failed);
    for (int k = 1; k <= 2 * n && status == KAI_OK; k++)
        status = settle_step(sim, k <= n ? h : -h, t + (k <= n ? k : 2 * n - k) * h);
    *moved = true;
    islands_disturb_all(sim);
    return status;
}
