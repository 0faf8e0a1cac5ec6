// States that stay below their absolute tolerance: their error is not controlled, and nobody would notice. `nominal`
// gives a state its size; where none is given, the run says so at its end. Only states that have always been small are
// looked at, each when its island has taken a step, so that a step costs nothing once they have grown.
#include "flow/flow.h"

#include <math.h>

static Ode* ode_of(const Flow* flow, uint32_t state)
{
    return flow->island_odes[flow->model->state_islands[state]];
}

// Fixed steps heed none: no state is below it.
static double tolerance_of(const Flow* flow, uint32_t state)
{
    const Ode* ode = ode_of(flow, state);
    return ode_method_is_fixed(ode_method(ode)) ? 0 : ode_tolerance(ode, (int)flow->model->state_slots[state]);
}

// `state q = 0 nominal 1e-12`: what counts as 1 for atol.
kaiStatus nominals_start(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < model->nominals_count; i++)
    {
        uint32_t state = model->nominals[i].target - model->reg_first[REG_STATE];
        double size = kernel->R[model->nominals[i].value];
        if (!(size > 0) || !isfinite(size))
            return kernel_fail(kernel, model->vars[model->state_vars[state]].place, "give it a positive size",
                               "the nominal size of %s is %g",
                               model_string(model, model->vars[model->state_vars[state]].name), size);
        kernel->hooks->unit(kernel->owner, state, size);
    }
    return KAI_OK;
}

static void set_small(Flow* flow, uint32_t state, bool small)
{
    flow->small[state] = small;
    flow->small_in[flow->model->state_islands[state]] += small ? 1 : UINT32_MAX;
    flow->small_count += small ? 1 : UINT32_MAX;
}

void size_start(Flow* flow)
{
    for (uint32_t i = 0; i < flow->model->state_count; i++)
    {
        flow->small_size[i] = fabs(kernel_states(flow->kernel)[i]);
        if (flow->small_size[i] < tolerance_of(flow, i))
            set_small(flow, i, true);
    }
}

static void look_at(Flow* flow, uint32_t state, double value)
{
    flow->small_size[state] = larger(flow->small_size[state], fabs(value));
    if (fabs(value) >= tolerance_of(flow, state))
        set_small(flow, state, false);
}

// The largest that it was in the last step: one that begins and ends at 0, as the current of a rectifier, need not have
// been small between.
static double size_in_step(Ode* ode, int state)
{
    enum
    {
        PARTS = 4
    };
    double size = fabs(ode_state(ode)[state]);
    for (int i = 1; i < PARTS && ode_step_length(ode) > 0; i++)
        size = larger(size, fabs(ode_dense_value(ode, (double)i / PARTS, state)));
    return size;
}

void size_look(Flow* flow, uint32_t island)
{
    for (uint32_t slot = 0; slot < flow->model->islands[island].states.count && flow->small_in[island] > 0; slot++)
    {
        uint32_t state = island_state(flow, island, slot);
        if (flow->small[state])
            look_at(flow, state, size_in_step(flow->island_odes[island], (int)slot));
    }
}

// The states are in the registers, those of islands that have glided with the rest.
void size_end(Flow* flow)
{
    const kaiModel* model = flow->model;
    for (uint32_t state = 0; state < model->state_count && flow->small_count > 0; state++)
    {
        if (flow->small[state])
            look_at(flow, state, kernel_states(flow->kernel)[state]);
        const ModelVar* var = &model->vars[model->state_vars[state]];
        if (!flow->small[state] || flow->small_size[state] == 0 || var->hidden)
            continue;
        Scale si = var_scale(var);
        kernel_warn(flow->kernel, var->place,
                    "%s stays below its absolute tolerance, |%s| <= %.3g < %.3g, so its error is not controlled: write "
                    "`nominal %.1g` behind its start value, or a smaller atol",
                    model_string(model, var->name), model_string(model, var->name),
                    scale_difference(si, flow->small_size[state]), scale_difference(si, tolerance_of(flow, state)),
                    scale_difference(si, flow->small_size[state]));
    }
}
