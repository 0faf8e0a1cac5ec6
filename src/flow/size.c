// States that stay below their absolute tolerance: their error is not controlled, and nobody would notice. `nominal`
// gives a state its size; where none is given, the run says so at its end. Only states that have always been small are
// looked at, so that a step costs nothing once they have grown.
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

void size_start(Flow* flow)
{
    flow->small_count = 0;
    for (uint32_t i = 0; i < flow->model->state_count; i++)
        if (fabs(kernel_states(flow->kernel)[i]) < tolerance_of(flow, i))
        {
            flow->small[flow->small_count++] = i;
            flow->small_size[i] = fabs(kernel_states(flow->kernel)[i]);
        }
}

void size_look(Flow* flow)
{
    for (uint32_t k = 0; k < flow->small_count;)
    {
        uint32_t state = flow->small[k];
        double size = fabs(ode_state(ode_of(flow, state))[flow->model->state_slots[state]]);
        flow->small_size[state] = larger(flow->small_size[state], size);
        if (size >= tolerance_of(flow, state))
            flow->small[k] = flow->small[--flow->small_count];
        else
            k++;
    }
}

void size_end(Flow* flow)
{
    const kaiModel* model = flow->model;
    for (uint32_t k = 0; k < flow->small_count; k++)
    {
        uint32_t state = flow->small[k];
        const ModelVar* var = &model->vars[model->state_vars[state]];
        if (flow->small_size[state] == 0 || var->hidden)
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
