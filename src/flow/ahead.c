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
    WORDS = 256,            // of its code at most
};

static void fetch(const void* at, size_t size)
{
    for (size_t i = 0; i < size; i += LINE)
        __builtin_prefetch((const char*)at + i);
    __builtin_prefetch((const char*)at + size - 1);
}

static size_t smaller_size(size_t a, size_t b)
{
    return a < b ? a : b;
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

static void fetch_code(const Flow* flow, CodeRange code)
{
    if (code.end > code.start)
        fetch(flow->model->code + code.start, sizeof(uint32_t) * (code.end - code.start));
}

// An island that starts again.
static void fetch_own(const Flow* flow, uint32_t island)
{
    const Kernel* kernel = flow->kernel;
    const IslandState* s = &flow->islands[island];
    if (!s->gliding)
    {
        ode_fetch(flow->island_odes[island]);
        series_fetch(flow->island_systems[island].series);
    }
    fetch(&flow->model->islands[island], sizeof(Island));
    __builtin_prefetch(&kernel->due_where[agenda_island(kernel, island)]);
    __builtin_prefetch(&kernel->island_disturbed[island]);
    if (s->base == NO_REG)
        return;
    __builtin_prefetch(&kernel->stamps[flow->model->reg_first[REG_STATE] + s->base]);
    __builtin_prefetch(&flow->model->state_islands[s->base]);
    __builtin_prefetch(&flow->model->reg_island_first[s->base]);
}

// And one that is only read.
static void fetch_near(const Flow* flow, uint32_t island)
{
    const IslandState* s = &flow->islands[island];
    if (s->gliding)
        fetch_code(flow, flow->glides[island].code);
    else
        fetch(&flow->model->islands[island], sizeof(Island));
    if (s->base == NO_REG || s->count == 0)
        return;
    fetch(&flow->shorts[PIECE_TERMS * (size_t)s->base], sizeof(double) * PIECE_TERMS * s->count);
    fetch(&kernel_states(flow->kernel)[s->base], sizeof(double) * s->count);
    fetch(&kernel_slopes(flow->kernel)[s->base], sizeof(double) * s->count);
}

static void fetch_guard(const Flow* flow, uint32_t index)
{
    const Guard* guard = &flow->model->guards[index];
    fetch_registers(flow->kernel, guard);
    fetch_code(flow, guard->look);
    fetch_code(flow, guard->code);
    __builtin_prefetch(&flow->model->guard_states[guard->first_state]);
    __builtin_prefetch(&flow->guard_factors[guard->first_state]);
    __builtin_prefetch(&flow->model->guard_islands[guard->islands.first]);
    __builtin_prefetch(&flow->kernel->due_where[agenda_guard(flow->kernel, index)]);
}

static void fetch_reaction(const Flow* flow, const Reaction* reaction)
{
    __builtin_prefetch(&flow->kernel->R[reaction->fire]);
    if (reaction->act_count > 0)
        fetch(&flow->model->acts[reaction->first_act], sizeof(Act) * reaction->act_count);
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
        fetch_guard(flow, scene_guards(scene)[i]);
    for (uint32_t i = 0; i < scene->whens; i++)
        fetch_reaction(flow, &model->reactions[scene_whens(scene)[i]]);
    for (const ScenePiece *piece = scene_reacts(scene), *end = piece + scene->reacts; piece < end; piece++)
        fetch(piece->from,
              smaller_size(sizeof(uint32_t) * (size_t)(piece->to - piece->from), sizeof(uint32_t) * WORDS));
}

static void fetch_heads(const Flow* flow, uint32_t guard, const Scene* scene)
{
    const kaiModel* model = flow->model;
    const IndexRange own = model->guards[guard].islands;
    for (uint32_t i = 0; i < own.count; i++)
    {
        uint32_t island = model->guard_islands[own.first + i];
        if (flow->islands[island].gliding)
            continue;
        fetch(&flow->island_systems[island], sizeof(IslandSystem));
        __builtin_prefetch(&flow->island_odes[island]);
    }
    for (uint32_t i = 0; i < scene->islands; i++)
    {
        fetch(&flow->islands[scene_islands(scene)[i]], sizeof(IslandState));
        __builtin_prefetch(&flow->glides[scene_islands(scene)[i]]);
    }
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
