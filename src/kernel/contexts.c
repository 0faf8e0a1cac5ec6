// Which contexts are active, as a list: a reaction visits what belongs to them and nothing else, so its cost does not
// grow with the number of modes that are not active. What leaves the list forgets its memories, so that it starts
// afresh.
#include "kernel/brief.h"

#include <math.h>

// A model whose units are fused goes over the guards of all of them, again and again.
static void list_guards(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    kernel->active_guards.count = 0;
    for (uint32_t a = 0; a < kernel->active_count && model->fused; a++)
    {
        IndexRange guards = model->contexts[kernel->active[a]].guards;
        for (uint32_t i = 0; i < guards.count; i++)
            kernel->active_guards.at[kernel->active_guards.count++] = model->ctx_guards[guards.first + i];
    }
}

void contexts_refresh(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    kernel->active_count = 0;
    kernel->scene.now = NULL;
    if (model->contexts_count > 0)
        kernel->active[kernel->active_count++] = 0;
    for (uint32_t a = 0; a < kernel->active_count; a++)
    {
        IndexRange machines = model->contexts[kernel->active[a]].machines;
        for (uint32_t i = 0; i < machines.count; i++)
        {
            const Machine* machine = &model->machines[model->ctx_machines[machines.first + i]];
            kernel->active[kernel->active_count++] =
                model->modes[machine->first_mode + kernel_mode(kernel, machine)].ctx;
        }
    }
    list_guards(kernel);
    if (kernel->brief != NULL)
        kernel->brief->stale = true;
}

void contexts_drop_guard(Kernel* kernel, uint32_t index)
{
    kernel->guards[index].active = false;
    kernel->guards[index].due = INFINITY;
    agenda_set(&kernel->agenda, agenda_guard(kernel, index), INFINITY);
}

static void forget_guard(Kernel* kernel, uint32_t index)
{
    const Guard* guard = &kernel->model->guards[index];
    kernel->guards[index].left = !isnan(kernel->R[guard->last_g]);
    kernel->R[guard->last_g] = NAN;
    if (guard->side != NO_REG)
        kernel->R[guard->side] = 2;
    contexts_drop_guard(kernel, index);
}

void contexts_leave(Kernel* kernel, uint32_t ctx)
{
    const kaiModel* model = kernel->model;
    const Context* c = &model->contexts[ctx];
    for (uint32_t i = 0; i < c->guards.count; i++)
        forget_guard(kernel, model->ctx_guards[c->guards.first + i]);
    for (uint32_t i = 0; i < c->memories.count; i++)
    {
        const Memory* memory = &model->memories[model->ctx_memories[c->memories.first + i]];
        if (memory->has_idle)
            kernel->R[memory->dst] = memory->idle;
    }
    for (uint32_t i = 0; i < c->machines.count; i++)
    {
        const Machine* machine = &model->machines[model->ctx_machines[c->machines.first + i]];
        contexts_leave(kernel, model->modes[machine->first_mode + kernel_mode(kernel, machine)].ctx);
    }
}
