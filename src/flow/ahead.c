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
    WORDS = 48,             // of its code
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

// An island that starts again.
static void fetch_own(const Flow* flow, uint32_t island)
{
    const Kernel* kernel = flow->kernel;
    ode_fetch(flow->island_odes[island]);
    series_fetch(flow->island_systems[island].series);
    __builtin_prefetch(&kernel->due_where[agenda_island(kernel, island)]);
}

// And one that is only read.
static void fetch_near(const Flow* flow, uint32_t island)
{
    const uint32_t base = flow->islands[island].base;
    fetch(&flow->model->islands[island], sizeof(Island));
    if (base == NO_REG)
        return;
    __builtin_prefetch(&flow->shorts[PIECE_TERMS * (size_t)base]);
    __builtin_prefetch(&kernel_states(flow->kernel)[base]);
    __builtin_prefetch(&kernel_slopes(flow->kernel)[base]);
}

static void fetch_all(const Flow* flow, uint32_t guard, const Scene* scene)
{
    const kaiModel* model = flow->model;
    const IndexRange own = model->guards[guard].islands;
    for (uint32_t i = 0; i < own.count; i++)
        fetch_own(flow, model->guard_islands[own.first + i]);
    for (uint32_t i = 0; i < scene->islands; i++)
        fetch_near(flow, scene_islands(scene)[i]);
    for (uint32_t i = 0; i < scene->guards; i++)
    {
        fetch_registers(flow->kernel, &model->guards[scene_guards(scene)[i]]);
        __builtin_prefetch(&flow->kernel->due_where[agenda_guard(flow->kernel, scene_guards(scene)[i])]);
    }
    for (uint32_t i = 0; i < scene->reacts; i++)
        fetch(scene_reacts(scene)[i].from, sizeof(uint32_t) * WORDS);
}

static void fetch_heads(const Flow* flow, uint32_t guard, const Scene* scene)
{
    const kaiModel* model = flow->model;
    const IndexRange own = model->guards[guard].islands;
    for (uint32_t i = 0; i < own.count; i++)
    {
        uint32_t island = model->guard_islands[own.first + i];
        fetch(&flow->island_systems[island], sizeof(IslandSystem));
        __builtin_prefetch(&flow->island_odes[island]);
    }
    for (uint32_t i = 0; i < scene->islands; i++)
        fetch(&flow->islands[scene_islands(scene)[i]], sizeof(IslandState));
    for (uint32_t i = 0; i < scene->guards; i++)
    {
        fetch(&model->guards[scene_guards(scene)[i]], sizeof(Guard));
        fetch(&flow->kernel->guards[scene_guards(scene)[i]], sizeof(GuardState));
    }
    for (uint32_t i = 0; i < scene->whens; i++)
        fetch(&model->reactions[scene_whens(scene)[i]], sizeof(Reaction));
}

// Whoever stands behind the first stays there for some instants: once is enough.
static bool is_seen(Flow* flow, uint32_t guard)
{
    for (uint32_t i = 0; i < AHEAD_SEEN; i++)
        if (flow->seen[i] == guard)
            return true;
    flow->seen[flow->seen_next++ % AHEAD_SEEN] = guard;
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
    for (uint32_t i = 0; i <= BEHIND; i++)
    {
        uint32_t guard = agenda->heap[i].item - flow->model->clocks_count;
        const Scene* scene = guard < flow->model->guards_count ? flow->kernel->scenes[guard] : NULL;
        if (scene == NULL || scene->none)
            continue;
        if (i == 0)
            fetch_all(flow, guard, scene);
        else if (!is_seen(flow, guard))
            fetch_heads(flow, guard, scene);
    }
}
