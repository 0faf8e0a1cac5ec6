// Snapshots: a copy of everything that changes. Restoring and going on gives the same bits as going on.
#include "kernel/sim.h"

#include <stddef.h>
#include <string.h>

struct kaiSnapshot
{
    kaiAllocator allocator;
    size_t size;
    kaiSim sim;   // its plain fields; pointers in it are not used
    char data[];  // registers, guards, probes, values before, solver, queue, histories
};

typedef struct Part
{
    void* at;
    size_t size;
} Part;

enum
{
    FIXED_PARTS = 10
};

static void fixed_parts(kaiSim* sim, Part parts[FIXED_PARTS])
{
    const kaiModel* m = sim->model;
    parts[0] = (Part){sim->R, sizeof(double) * m->saved_count};
    parts[1] = (Part){sim->guards, sizeof *sim->guards * m->guards_count};
    parts[2] = (Part){sim->probes, sizeof *sim->probes * m->probes_count};
    parts[3] = (Part){sim->tag_last, sizeof(double) * m->saved_count};
    parts[4] = (Part){sim->tag_before, sizeof(double) * m->saved_count};
    parts[5] = (Part){sim->zeno_past, sizeof(double) * 3 * m->state_count};
    parts[6] = (Part){sim->hold_limit, sizeof(double) * m->state_count};
    parts[7] = (Part){sim->hold_by, sizeof(uint32_t) * m->state_count};
    parts[8] = (Part){sim->islands, sizeof *sim->islands * m->islands_count};
    parts[9] = (Part){sim->agenda.times, sizeof(double) * sim->agenda.count};
}

static size_t padded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static size_t data_size(kaiSim* sim)
{
    Part parts[FIXED_PARTS];
    fixed_parts(sim, parts);
    size_t size = padded(queue_save_size(&sim->queue));
    for (uint32_t i = 0; i < sim->model->islands_count; i++)
        size += padded(ode_save_size(sim->island_odes[i]));
    for (int i = 0; i < FIXED_PARTS; i++)
        size += padded(parts[i].size);
    for (uint32_t i = 0; i < sim->model->delays_count; i++)
        size += padded(sizeof(History)) + padded(sizeof(HistoryPoint) * sim->histories[i].capacity);
    return size;
}

static char* put(char* at, const void* from, size_t size)
{
    if (size > 0)
        memcpy(at, from, size);
    return at + padded(size);
}

static const char* get(const char* at, void* to, size_t size)
{
    if (size > 0)
        memcpy(to, at, size);
    return at + padded(size);
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
    s->allocator = a;
    s->size = size;
    s->sim = *sim;
    Part parts[FIXED_PARTS];
    fixed_parts(sim, parts);
    char* at = s->data;
    for (uint32_t i = 0; i < sim->model->islands_count; i++)
    {
        ode_save(sim->island_odes[i], at);
        at += padded(ode_save_size(sim->island_odes[i]));
    }
    for (int i = 0; i < FIXED_PARTS; i++)
        at = put(at, parts[i].at, parts[i].size);
    queue_save(&sim->queue, at);
    at += padded(queue_save_size(&sim->queue));
    for (uint32_t i = 0; i < sim->model->delays_count; i++)
    {
        at = put(at, &sim->histories[i], sizeof(History));
        at = put(at, sim->histories[i].points, sizeof(HistoryPoint) * sim->histories[i].capacity);
    }
    return s;
}

static void* resized(kaiSim* sim, void* block, size_t old_size, size_t size)
{
    kaiAllocator a = sim->options.allocator;
    return size > 0 ? a.alloc(a.user, block, old_size, size) : block;
}

// The fields between `now` and `R` are those that change (see sim.h).
static void restore_fields(kaiSim* sim, const kaiSim* from)
{
    size_t first = offsetof(kaiSim, now), end = offsetof(kaiSim, R);
    memcpy((char*)sim + first, (const char*)from + first, end - first);
    sim->row_pending = from->row_pending;
    sim->zero_pending = from->zero_pending;
    sim->failure = (kaiError){0};
}

static const char* restore_history(kaiSim* sim, History* h, const char* at, bool* ok)
{
    History from;
    at = get(at, &from, sizeof from);
    if (from.capacity != h->capacity)
    {
        HistoryPoint* made = resized(sim, h->points, sizeof *made * h->capacity, sizeof *made * from.capacity);
        *ok = made != NULL || from.capacity == 0;
        if (!*ok)
            return at;
        h->points = made;
    }
    from.points = h->points;
    *h = from;
    return get(at, h->points, sizeof(HistoryPoint) * h->capacity);
}

kaiStatus kaiSim_Restore(kaiSim* sim, const kaiSnapshot* s)
{
    if (sim == NULL || s == NULL)
        return KAI_ERR_USAGE;
    if (s->sim.model != sim->model)
        return KAI_ERR_USAGE;
    Part parts[FIXED_PARTS];
    fixed_parts(sim, parts);
    const char* at = s->data;
    bool ok = true;
    for (uint32_t i = 0; i < sim->model->islands_count; i++)
    {
        ok &= ode_load(sim->island_odes[i], at) == ODE_OK;
        at += padded(ode_save_size(sim->island_odes[i]));
    }
    restore_fields(sim, &s->sim);
    for (int i = 0; i < FIXED_PARTS; i++)
        at = get(at, parts[i].at, parts[i].size);
    ok &= queue_load(&sim->queue, sim->options.allocator, at);
    at += padded(queue_save_size(&s->sim.queue));
    for (uint32_t i = 0; i < sim->model->delays_count && ok; i++)
        at = restore_history(sim, &sim->histories[i], at, &ok);
    contexts_refresh(sim);
    sim->raised_count = 0;
    islands_refresh(sim);
    return ok ? KAI_OK : KAI_ERR_MEMORY;
}

void kaiSnapshot_Free(kaiSnapshot* s)
{
    if (s != NULL)
        s->allocator.alloc(s->allocator.user, s, s->size, 0);
}
