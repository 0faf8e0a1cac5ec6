// In a run of many islands an instant works on what no other has worked on for a long time, and waits for memory more
// than it computes. But what comes next is known while this is worked on: it is fetched meanwhile. The first of the
// agenda with all that it touches, those behind it as far as needed to know what that is. Nothing here
// changes anything, and nothing is lost where something else comes first.
#include "flow/flow.h"
#include "kernel/scene.h"

enum
{
    MANY = 200,  // islands: with so many the scenes of all guards are made at the start
    FAR = 2000,  // fewer are at hand soon enough
    LINE = 64,
    BEHIND = AGENDA_BELOW,  // items behind the first
};

static void fetch(const void* at, size_t size)
{
    for (size_t i = 0; i < size; i += LINE)
        __builtin_prefetch((const char*)at + i);
    __builtin_prefetch((const char*)at + size - 1);
}

static void fetch_registers(const Kernel* kernel, const Guard* guard)
{
    const double* R = kernel->R;
    __builtin_prefetch(&R[guard->g]);
    __builtin_prefetch(&R[guard->slope]);
    __builtin_prefetch(&R[guard->argument]);
    __builtin_prefetch(&R[guard->react_g]);
    __builtin_prefetch(&R[guard->latch]);
    __builtin_prefetch(&R[guard->last_g]);
    __builtin_prefetch(&R[guard->side]);
}

static void fetch_island(const Flow* flow, uint32_t island)
{
    const Kernel* kernel = flow->kernel;
    const IslandState* s = &flow->islands[island];
    ode_fetch(flow->island_odes[island]);
    fetch(&flow->model->islands[island], sizeof(Island));
    __builtin_prefetch(&kernel->due_where[agenda_island(kernel, island)]);
    if (s->base == NO_REG)
        return;
    __builtin_prefetch(flow->island_systems[island].states);
    __builtin_prefetch(island_rates(flow, &flow->island_systems[island]));
    series_fetch(flow->island_systems[island].series);
}

static void fetch_all(const Flow* flow, const Scene* scene)
{
    const kaiModel* model = flow->model;
    for (uint32_t i = 0; i < scene->islands; i++)
        fetch_island(flow, scene_islands(scene)[i]);
    for (uint32_t i = 0; i < scene->guards; i++)
        fetch_registers(flow->kernel, &model->guards[scene_guards(scene)[i]]);
    for (uint32_t i = 0; i < scene->reacts; i++)
        __builtin_prefetch(scene_reacts(scene)[i].from);
}

static void fetch_heads(const Flow* flow, const Scene* scene)
{
    const Kernel* kernel = flow->kernel;
    for (uint32_t i = 0; i < scene->islands; i++)
    {
        uint32_t island = scene_islands(scene)[i];
        fetch(&flow->islands[island], sizeof(IslandState));
        fetch(&flow->island_systems[island], sizeof(IslandSystem));
    }
    for (uint32_t i = 0; i < scene->guards; i++)
    {
        uint32_t guard = scene_guards(scene)[i];
        fetch(&flow->model->guards[guard], sizeof(Guard));
        fetch(&kernel->guards[guard], sizeof(GuardState));
    }
    for (uint32_t i = 0; i < scene->whens; i++)
        fetch(&flow->model->reactions[scene_whens(scene)[i]], sizeof(Reaction));
}

// Of a guard in the agenda. NULL: no guard, or no scene has been made.
static const Scene* scene_of_item(const Flow* flow, uint32_t item)
{
    uint32_t guard = item - flow->model->clocks_count;
    return guard < flow->model->guards_count ? flow->kernel->scenes[guard] : NULL;
}

// Whoever stands behind the first stays there for some instants: once is enough.
static bool is_seen(Flow* flow, uint32_t item)
{
    for (uint32_t i = 0; i < AHEAD_SEEN; i++)
        if (flow->seen[i] == item)
            return true;
    flow->seen[flow->seen_next++ % AHEAD_SEEN] = item;
    return false;
}

static bool serves(const Flow* flow)
{
    return flow->model->islands_count >= MANY && flow->kernel->simple;
}

void ahead_prepare(Flow* flow)
{
    if (serves(flow))
        scenes_make(flow->kernel);
}

void ahead_fetch(Flow* flow)
{
    const Agenda* agenda = &flow->kernel->agenda;
    if (!serves(flow) || flow->model->islands_count < FAR)
        return;
    const Scene* next = scene_of_item(flow, agenda->heap[0].item);
    if (next != NULL)
        fetch_all(flow, next);
    for (uint32_t i = 1; i <= BEHIND; i++)
    {
        const Scene* later = scene_of_item(flow, agenda->heap[i].item);
        if (later != NULL && !is_seen(flow, agenda->heap[i].item))
            fetch_heads(flow, later);
    }
}
