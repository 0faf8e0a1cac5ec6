// States that stay below their absolute tolerance: their error is not controlled, and nobody would notice. `nominal`
// gives a state its size; where none is given, the run says so at its end. Only states that have always been small are
// looked at, so that a step costs nothing once they have grown.
#include "kernel/sim.h"

#include <math.h>

static Ode* ode_of(const kaiSim* sim, uint32_t state)
{
    return sim->island_odes[sim->model->state_islands[state]];
}

static double tolerance_of(const kaiSim* sim, uint32_t state)
{
    return ode_tolerance(ode_of(sim, state), (int)sim->model->state_slots[state]);
}

// `state q = 0 nominal 1e-12`: what counts as 1 for atol.
kaiStatus size_nominals(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->nominals_count; i++)
    {
        uint32_t state = model->nominals[i].target - model->reg_first[REG_STATE];
        double size = sim->R[model->nominals[i].value];
        if (!(size > 0) || !isfinite(size))
            return sim_fail(sim, model->vars[model->state_vars[state]].place, "give it a positive size",
                            "the nominal size of %s is %g",
                            model_string(model, model->vars[model->state_vars[state]].name), size);
        ode_set_unit(ode_of(sim, state), (int)model->state_slots[state], size);
    }
    return KAI_OK;
}

void size_start(kaiSim* sim)
{
    sim->small_count = 0;
    for (uint32_t i = 0; i < sim->model->state_count; i++)
        if (fabs(sim_states(sim)[i]) < tolerance_of(sim, i))
        {
            sim->small[sim->small_count++] = i;
            sim->small_size[i] = fabs(sim_states(sim)[i]);
        }
}

void size_look(kaiSim* sim)
{
    for (uint32_t k = 0; k < sim->small_count;)
    {
        uint32_t state = sim->small[k];
        double size = fabs(ode_state(ode_of(sim, state))[sim->model->state_slots[state]]);
        sim->small_size[state] = fmax(sim->small_size[state], size);
        if (size >= tolerance_of(sim, state))
            sim->small[k] = sim->small[--sim->small_count];
        else
            k++;
    }
}

void size_end(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t k = 0; k < sim->small_count; k++)
    {
        uint32_t state = sim->small[k];
        const ModelVar* var = &model->vars[model->state_vars[state]];
        if (sim->small_size[state] == 0 || var->hidden)
            continue;
        sim_warn(sim, var->place,
                 "%s stays below its absolute tolerance, |%s| <= %.3g < %.3g, so its error is not controlled: write "
                 "`nominal %.1g` behind its start value, or a smaller atol",
                 model_string(model, var->name), model_string(model, var->name), sim->small_size[state],
                 tolerance_of(sim, state), sim->small_size[state]);
    }
}
