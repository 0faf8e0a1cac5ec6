// Which contexts are active, as a list: a reaction visits what belongs to them and nothing else, so its cost does not
// grow with the number of modes that are not active. What leaves the list forgets its memories, so that it starts
// afresh.
#include "kernel/sim.h"

#include <math.h>

void contexts_refresh(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    sim->active_count = 0;
    if (model->contexts_count > 0)
        sim->active[sim->active_count++] = 0;
    for (uint32_t a = 0; a < sim->active_count; a++)
    {
        IndexRange machines = model->contexts[sim->active[a]].machines;
        for (uint32_t i = 0; i < machines.count; i++)
        {
            const Machine* machine = &model->machines[model->ctx_machines[machines.first + i]];
            uint32_t mode = (uint32_t)sim->R[machine->reg];
            sim->active[sim->active_count++] = model->modes[machine->first_mode + mode].ctx;
        }
    }
}

static void forget_guard(kaiSim* sim, uint32_t index)
{
    const Guard* guard = &sim->model->guards[index];
    sim->R[guard->last_g] = NAN;
    if (guard->side != NO_REG)
        sim->R[guard->side] = 2;
    sim->guards[index].active = false;
    sim->guards[index].due = INFINITY;
    agenda_set(&sim->agenda, agenda_guard(sim, index), INFINITY);
}

void contexts_leave(kaiSim* sim, uint32_t ctx)
{
    const kaiModel* model = sim->model;
    const Context* c = &model->contexts[ctx];
    for (uint32_t i = 0; i < c->guards.count; i++)
        forget_guard(sim, model->ctx_guards[c->guards.first + i]);
    for (uint32_t i = 0; i < c->memories.count; i++)
    {
        const Memory* memory = &model->memories[model->ctx_memories[c->memories.first + i]];
        if (memory->has_idle)
            sim->R[memory->dst] = memory->idle;
    }
    for (uint32_t i = 0; i < c->machines.count; i++)
    {
        const Machine* machine = &model->machines[model->ctx_machines[c->machines.first + i]];
        contexts_leave(sim, model->modes[machine->first_mode + (uint32_t)sim->R[machine->reg]].ctx);
    }
}
