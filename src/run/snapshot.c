// Snapshots: a copy of everything that changes, floor by floor. Restoring and going on gives the same bits as going on,
// also after the copy has been through a file: the bytes hold no addresses that anybody reads.
#include "base/error.h"
#include "base/hash.h"
#include "kernel/blocks.h"
#include "kernel/bonds.h"
#include "model/save.h"
#include "run/sim.h"

#include <string.h>

struct kaiSnapshot
{
    kaiAllocator allocator;
    const kaiModel* model;
    size_t size;
    // What a file holds from here on.
    size_t data_size, fixed_size;  // of all; of the floors whose size the options of the run decide
    OdeMethod method;              // whose steps are in it
    kaiJump jump;
    double energy_scale;
    uint32_t decision_count;
    bool merged;
    char data[];  // flow, kernel, record, zeno, warnings
};

static size_t fixed_size(const kaiSim* sim)
{
    return flow_save_size(&sim->flow) + record_save_size(&sim->record) + zeno_save_size(&sim->zeno) +
           surfaces_save_size(&sim->surfaces) + sliding_save_size(&sim->sliding);
}

// What a run has warned of is told when it is over, perhaps by another process.
typedef struct SavedWarning
{
    kaiTag tag;
    uint32_t place;
    char text[600];
} SavedWarning;

static void save_warnings(const Kernel* kernel, char* at)
{
    for (uint32_t i = 0; i < kernel->warning_count; i++, at += sizeof(SavedWarning))
    {
        SavedWarning w = {.tag = kernel->warnings.list[i].tag, .place = kernel->warnings.places[i]};
        memcpy(w.text, kernel->warnings.texts[i], sizeof w.text);
        memcpy(at, &w, sizeof w);
    }
}

static void load_warnings(Kernel* kernel, const char* end)
{
    const char* at = end - kernel->warning_count * sizeof(SavedWarning);
    for (uint32_t i = 0; i < kernel->warning_count; i++, at += sizeof(SavedWarning))
    {
        SavedWarning w;
        memcpy(&w, at, sizeof w);
        memcpy(kernel->warnings.texts[i], w.text, sizeof w.text);
        kernel->warnings.places[i] = w.place;
        kernel->warnings.list[i] = (kaiError){.status = KAI_OK,
                                              .tag = w.tag,
                                              .place = model_place(kernel->model, w.place),
                                              .message = kernel->warnings.texts[i]};
    }
}

kaiSnapshot* snapshot_save(kaiSim* sim, kaiAllocator a)
{
    size_t warnings = sim->kernel.warning_count * sizeof(SavedWarning);
    size_t data = kernel_save_size(&sim->kernel) + fixed_size(sim) + warnings, size = sizeof(kaiSnapshot) + data;
    kaiSnapshot* s = a.alloc(a.user, NULL, 0, size);
    if (s == NULL)
        return NULL;
    memset(s, 0, size);  // what lies between fields goes into files too
    s->allocator = a;
    s->model = sim->model;
    s->size = size;
    s->data_size = data;
    s->fixed_size = fixed_size(sim);
    s->method = sim->method;
    s->jump = sim->balance.jump;
    s->energy_scale = sim->balance.energy_scale;
    s->decision_count = sim->explore.decision_count;
    s->merged = sim->explore.merged;
    char* at = flow_save(&sim->flow, s->data);  // CVODE forgets its past then: before the registers are taken
    at = kernel_save(&sim->kernel, at);
    at = record_save(&sim->record, at);
    at = zeno_save(&sim->zeno, at);
    at = surfaces_save(&sim->surfaces, at);
    sliding_save(&sim->sliding, at);
    save_warnings(&sim->kernel, s->data + data - warnings);
    return s;
}

// Foreign code that cannot be asked for its state: the reason is told, and the run goes on.
static bool is_fixed(kaiSim* sim)
{
    Text why = {0};
    if (sim == NULL || !blocks_fixed(&sim->kernel, false, &why))
        return false;
    kernel_fail(&sim->kernel, 0, NULL, "%s", why.at);
    sim->kernel.failure.status = KAI_OK;
    return true;
}

// It may outlive the sim, and the budget with it.
kaiSnapshot* kaiSim_Save(kaiSim* sim)
{
    if (is_fixed(sim))
        return NULL;
    return sim != NULL ? snapshot_save(sim, sim->budget.outer) : NULL;
}

// Steps of another solver, and values for other columns, mean nothing here.
static kaiStatus check_fits(kaiSim* sim, const kaiSnapshot* s)
{
    if (s->method != sim->method)
        kernel_fail(&sim->kernel, 0, "make both with the same options",
                    "the snapshot was saved with solver = %s, and this run has solver = %s", ode_method_name(s->method),
                    ode_method_name(sim->method));
    else if (s->fixed_size != fixed_size(sim))
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
    at = zeno_load(&sim->zeno, at);
    at = surfaces_load(&sim->surfaces, at);
    sliding_load(&sim->sliding, at);
    load_warnings(&sim->kernel, s->data + s->data_size);
    return KAI_OK;
}

kaiStatus kaiSim_Restore(kaiSim* sim, const kaiSnapshot* s)
{
    if (sim == NULL || s == NULL || s->model != sim->model)
        return KAI_ERR_USAGE;
    if (s->decision_count >
        sim->explore.decision_capacity)  // the decisions themselves stay with the run that made them
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
        status = bonds_resume(&sim->kernel);
    if (status != KAI_OK)
        return status;
    guard_affine_refresh_all(&sim->flow);
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

// ---- files
// -----------------------------------------------------------------------------------------------------------

typedef struct SnapshotHead
{
    char magic[8];
    uint64_t build;    // sizes of what is copied: another build may lay it out otherwise
    uint64_t model;    // hash of the model
    uint64_t size;     // of what follows
    uint64_t content;  // hash of it
} SnapshotHead;

static const char magic[8] = "KAISNAP1";

static uint64_t build_stamp(void)
{
    const size_t sizes[] = {sizeof(kaiSnapshot), sizeof(GuardState), sizeof(IslandState),
                            sizeof(ProbeState),  sizeof(ZenoGuard),  sizeof(History),
                            sizeof(kaiCounters), sizeof(QueueEntry), sizeof(SavedWarning)};
    return hash_bytes(hash_bytes(HASH_START, KAIROS_VERSION, strlen(KAIROS_VERSION)), sizes, sizeof sizes);
}

static bool hash_model(const kaiModel* model, uint64_t* hash)
{
    size_t size = 0;
    kaiAllocator a = kaiDefaultAllocator();
    void* bytes = model_save(model, a, &size);
    if (bytes == NULL)
        return false;
    *hash = hash_bytes(HASH_START, bytes, size);
    a.alloc(a.user, bytes, size, 0);
    return true;
}

enum
{
    FIRST = offsetof(kaiSnapshot, data_size)
};

kaiStatus kaiSnapshot_Write(const kaiSnapshot* s, const kaiSink* sink)
{
    SnapshotHead head = {.build = build_stamp()};
    if (s == NULL || sink == NULL || sink->write == NULL)
        return KAI_ERR_USAGE;
    if (!hash_model(s->model, &head.model))
        return KAI_ERR_MEMORY;
    const char* from = (const char*)s + FIRST;
    memcpy(head.magic, magic, sizeof magic);
    head.size = s->size - FIRST;
    head.content = hash_bytes(HASH_START, from, head.size);
    kaiStatus status = sink->write(sink->user, (const char*)&head, sizeof head);
    return status == KAI_OK ? sink->write(sink->user, from, head.size) : status;
}

static const char* trouble_with(const kaiModel* model, const SnapshotHead* head, const char* bytes, size_t size)
{
    uint64_t hash = 0;
    if (size < sizeof *head || memcmp(head->magic, magic, sizeof magic) != 0)
        return "this is no saved snapshot";
    if (head->build != build_stamp())
        return "the snapshot was saved by another build of Kairos: run again from the start with this one";
    if (head->size != size - sizeof *head || head->size < sizeof(kaiSnapshot) - FIRST ||
        head->content != hash_bytes(HASH_START, bytes + sizeof *head, head->size))
        return "the saved snapshot is damaged";
    if (!hash_model(model, &hash))
        return "out of memory";
    return head->model != hash ? "the snapshot belongs to another model, or to another version of it" : NULL;
}

kaiSnapshot* kaiSnapshot_Read(const kaiModel* model, const void* bytes, size_t size, kaiError* error)
{
    SnapshotHead head = {.size = 0};
    kaiAllocator a = kaiDefaultAllocator();
    if (model == NULL || bytes == NULL)
    {
        error_set(error, KAI_ERR_USAGE, "there is no model, or there are no bytes");
        return NULL;
    }
    if (size >= sizeof head)
        memcpy(&head, bytes, sizeof head);
    const char* trouble = trouble_with(model, &head, bytes, size);
    if (trouble != NULL)
    {
        error_set(error, KAI_ERR_IO, "%s", trouble);
        return NULL;
    }
    kaiSnapshot* s = a.alloc(a.user, NULL, 0, FIRST + head.size);
    if (s == NULL)
    {
        error_memory(error);
        return NULL;
    }
    memset(s, 0, sizeof *s);
    s->allocator = a;
    s->model = model;
    s->size = FIRST + head.size;
    memcpy((char*)s + FIRST, (const char*)bytes + sizeof head, head.size);
    return s;
}
