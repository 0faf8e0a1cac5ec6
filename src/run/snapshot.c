// Snapshots: a copy of everything that changes, floor by floor. Restoring and going on gives the same bits as going on.
#include "kernel/bonds.h"
#include "run/sim.h"

struct kaiSnapshot
{
    kaiAllocator allocator;
    const kaiModel* model;
    size_t size;
    OdeMethod method;  // whose steps are in it
    size_t record_size;
    kaiJump jump;
    double energy_scale;
    uint32_t decision_count;
    bool merged;
    char data[];  // kernel, flow, record, zeno
};

static size_t data_size(const kaiSim* sim)
{
    return kernel_save_size(&sim->kernel) + flow_save_size(&sim->flow) + record_save_size(&sim->record) +
           zeno_save_size(&sim->zeno);
}

kaiSnapshot* kaiSim_Save(kaiSim* sim)
{
    if (sim == NULL)
        return NULL;
    kaiAllocator a = sim->options.allocator;
    size_t size = sizeof(kaiSnapshot) + data_size(sim);
    kaiSnapshot* s = a.alloc(a.user, NULL, 0, size);
    if (s == NULL)
        return NULL;
    *s = (kaiSnapshot){.allocator = a,
                       .model = sim->model,
                       .size = size,
                       .method = sim->method,
                       .record_size = record_save_size(&sim->record),
                       .jump = sim->balance.jump,
                       .energy_scale = sim->balance.energy_scale,
                       .decision_count = sim->explore.decision_count,
                       .merged = sim->explore.merged};
    char* at = flow_save(&sim->flow, s->data);  // CVODE forgets its past then: before the registers are taken
    at = kernel_save(&sim->kernel, at);
    at = record_save(&sim->record, at);
    zeno_save(&sim->zeno, at);
    return s;
}

// Steps of another solver, and values for other columns, mean nothing here.
static kaiStatus check_fits(kaiSim* sim, const kaiSnapshot* s)
{
    if (s->method != sim->method)
        kernel_fail(&sim->kernel, 0, "make both with the same options",
                    "the snapshot was saved with solver = %s, and this run has solver = %s", ode_method_name(s->method),
                    ode_method_name(sim->method));
    else if (s->record_size != record_save_size(&sim->record))
        kernel_fail(&sim->kernel, 0, "make both with the same options",
                    "the snapshot was saved by a run that records other variables than this one");
    else
        return KAI_OK;
    sim->kernel.failure.status = KAI_OK;  // the run itself has not failed
    return KAI_ERR_USAGE;
}

static kaiStatus load_floors(kaiSim* sim, const kaiSnapshot* s)
{
    bool ok = true;
    const char* at = flow_load(&sim->flow, s->data, &ok);
    at = kernel_load(&sim->kernel, at, &ok);
    if (!ok)
        return KAI_ERR_MEMORY;
    at = record_load(&sim->record, at);
    zeno_load(&sim->zeno, at);
    return KAI_OK;
}

kaiStatus kaiSim_Restore(kaiSim* sim, const kaiSnapshot* s)
{
    if (sim == NULL || s == NULL)
        return KAI_ERR_USAGE;
    if (s->model != sim->model)
        return KAI_ERR_USAGE;
    kaiStatus status = check_fits(sim, s);
    if (status == KAI_OK)
        status = load_floors(sim, s);
    if (status == KAI_OK && sim->flow.started && !flow_is_derived(&sim->flow))
    {
        status = flow_derive(&sim->flow);
        status = status == KAI_OK ? load_floors(sim, s) : status;
    }
    if (status == KAI_OK && sim->flow.started && sim->kernel.bonds != NULL)
        status = bonds_enter(&sim->kernel);
    if (status != KAI_OK)
        return status;
    islands_refresh(&sim->flow);  // with the guards as they were
    sim->balance.jump = s->jump;
    sim->balance.energy_scale = s->energy_scale;
    sim->explore.decision_count = s->decision_count;
    sim->explore.merged = s->merged;
    return KAI_OK;
}

void kaiSnapshot_Free(kaiSnapshot* s)
{
    if (s != NULL)
        s->allocator.alloc(s->allocator.user, s, s->size, 0);
}
