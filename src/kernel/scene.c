// What an instant touches is followed along lists of readers (touch.c), and where a crossing assigns a few variables
// the walk costs more than what it leads to. It leads to the same every time: to what reads the event, to what the
// reactions to it assign, and to what reads that. So it is made once for a guard and kept as a scene: its guards,
// its reactions, the islands and the code. An instant that stays within its scene is ordinary (ordinary.c); one
// that goes on from there gets the lists as the walk leaves them.
//
// A scene may hold more than an instant needs: a register that is touched and does not change keeps its value.
#include "kernel/routine.h"

#include "kernel/blocks.h"
#include "kernel/guard.h"

#include <string.h>

enum
{
    SCENE_UNITS = 96,   // at most: beyond that the units cost more than the walk
    SCENE_WORDS = 512,  // of code at most that it has a copy of
    SCENES_VAIN = 8,    // walks without a scene, of those that nobody has asked for
};

static const Scene no_scene = {.none = true};

bool scenes_begin(Kernel* kernel)
{
    kernel->simple = kernel->options->fired == NULL && kernel->hooks->calm != NULL &&
                     kernel->model->delays_count == 0 && kernel->bonds == NULL && kernel_blocks(kernel) == NULL &&
                     !kernel_numeric(kernel);
    return !kernel->simple || !kernel->model->fused || scene_serves_modes(kernel, &kernel->simple);
}

// ---- what may be in one
// ----------------------------------------------------------------------------------------------

static bool is_simple_guard(const Guard* guard)
{
    return is_crossing(guard) && guard->ctx == 0 && !guard->time_only && !guard->one_way && guard->present == NO_REG &&
           guard->react_present == NO_REG && guard->islands.count > 0;
}

bool scene_takes_reaction(const kaiModel* model, const Reaction* reaction)
{
    bool simple = reaction->choice == 0;
    for (uint32_t i = 0; i < reaction->act_count; i++)
        simple &= model->acts[reaction->first_act + i].kind == ACT_ASSIGN;
    return simple;
}

static bool are_simple(const kaiModel* model, const TouchSet* set)
{
    bool simple = set->memories.count + set->assertions.count + set->machines.count + set->faults.count +
                          set->delays.count + set->nows.count ==
                      0 &&
                  set->reacts.count + set->flows.count <= SCENE_UNITS;
    for (uint32_t i = 0; i < set->guards.count && simple; i++)
        simple = is_simple_guard(&model->guards[set->guards.at[i]]);
    for (uint32_t i = 0; i < set->whens.count && simple; i++)
        simple = model->reactions[set->whens.at[i]].ctx == 0 &&
                 scene_takes_reaction(model, &model->reactions[set->whens.at[i]]);
    return simple;
}

// ---- following
// -------------------------------------------------------------------------------------------------------

// What reads the event of a guard, or of a clock. False: another guard is among it, which the event may take across its
// level without a jump of what it reads.
static bool touch_event(Kernel* kernel, uint32_t place)
{
    const kaiModel* model = kernel->model;
    if (place >= model->guards_count)
    {
        touch_register(kernel, model->clocks[place - model->guards_count].flag);
        return kernel->fresh.guards.count == 0 && model->clocks[place - model->guards_count].ctx == 0;
    }
    touch_guard(kernel, place);
    touch_register(kernel, model->guards[place].latch);
    return kernel->fresh.guards.count == 1;
}

// What the reactions to it assign; those that only this leads to come at the next tag, where the scene ends.
static void touch_targets(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    uint32_t count = kernel->fresh.whens.count;
    for (uint32_t i = 0; i < count; i++)
    {
        const Reaction* reaction = &model->reactions[kernel->fresh.whens.at[i]];
        for (uint32_t k = 0; k < reaction->act_count; k++)
            if (model->acts[reaction->first_act + k].kind == ACT_ASSIGN)
                touch_register(kernel, model->acts[reaction->first_act + k].target);
    }
    for (uint32_t i = 0; i < model->always_units_count; i++)
        touch_unit(kernel, model->always_units[i]);
}

static void forget(TouchSet* set)
{
#define X(name, size) set->name.count = 0;
    TOUCH_LISTS(X)
#undef X
}

void scene_spread(Kernel* kernel)
{
    if (kernel->scene.open == 0)
        return;
    uint32_t place = kernel->scene.open - 1;
    kernel->scene.open = 0;
    forget(&kernel->touched);
    forget(&kernel->settled);
    forget(&kernel->fresh);
    touch_event(kernel, place);
    touch_targets(kernel);
    kernel->fresh.flows.count = 0;  // left limits have been taken
    touch_accept(kernel);
    touch_merge(kernel);
}

// ---- making
// ----------------------------------------------------------------------------------------------------------

typedef struct SceneDraft
{
    uint32_t islands[2 * SCENE_UNITS], island_count;
    ScenePiece signals[SCENE_UNITS], reacts[SCENE_UNITS];
    uint32_t signal_count, react_count;
    bool full;
} SceneDraft;

static void add_islands(const kaiModel* model, SceneDraft* draft, IndexRange range)
{
    for (uint32_t i = 0; i < range.count; i++)
    {
        uint32_t island = model->unit_islands[range.first + i], k = 0;
        while (k < draft->island_count && draft->islands[k] != island)
            k++;
        draft->full |= k == 2 * SCENE_UNITS;
        if (k == draft->island_count && !draft->full)
            draft->islands[draft->island_count++] = island;
    }
}

// Code that follows the last piece goes on with it.
static void add_code(const kaiModel* model, CodeRange code, ScenePiece* pieces, uint32_t* count)
{
    ScenePiece piece = {model->code + code.start, model->code + code.end};
    if (code.start == code.end)
        return;
    if (*count > 0 && pieces[*count - 1].to == piece.from)
        pieces[*count - 1].to = piece.to;
    else
        pieces[(*count)++] = piece;
}

// Left limits of guards are taken from the first reaction, whose states are the same.
static void draft_units(Kernel* kernel, SceneDraft* draft)
{
    const kaiModel* model = kernel->model;
    const TouchSet* set = &kernel->fresh;
    for (uint32_t i = 0; i < set->flows.count; i++)
    {
        const ModelUnit* unit = &model->units[set->flows.at[i]];
        add_islands(model, draft, unit->islands);
        if (unit->kind != UNIT_GUARD)
            add_code(model, unit->code, draft->signals, &draft->signal_count);
    }
    for (uint32_t i = 0; i < set->reacts.count; i++)
    {
        const ModelUnit* unit = &model->units[set->reacts.at[i]];
        add_islands(model, draft, unit->islands);
        add_code(model, unit->code, draft->reacts, &draft->react_count);
    }
}

Scene* scene_allocate(Kernel* kernel, uint32_t pieces, uint32_t words)
{
    kaiAllocator a = kernel->options->allocator;
    uint32_t size = (uint32_t)(sizeof(Scene) + sizeof(ScenePiece) * pieces + sizeof(uint32_t) * words);
    Scene* scene = a.alloc(a.user, NULL, 0, size);
    if (scene != NULL)
        *scene = (Scene){.size = size, .at = (uint32_t*)(void*)(scene->pieces + pieces)};
    return scene;
}

static uint32_t count_words(const ScenePiece* pieces, uint32_t count)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < count; i++)
        words += (uint32_t)(pieces[i].to - pieces[i].from);
    return words;
}

// The reaction in one piece, copied: it is run twice an instant, and its pieces lie far apart.
static ScenePiece join(const ScenePiece* pieces, uint32_t count, uint32_t* to)
{
    ScenePiece whole = {to, to};
    for (uint32_t i = 0; i < count; i++)
        whole.to = scene_put(to + (whole.to - whole.from), pieces[i].from, (uint32_t)(pieces[i].to - pieces[i].from));
    return whole;
}

static Scene* pack(Kernel* kernel, const IndexList* guards, const IndexList* whens, const SceneDraft* draft)
{
    uint32_t lists = guards->count + whens->count + draft->island_count;
    uint32_t words = count_words(draft->reacts, draft->react_count);
    bool joined = draft->react_count > 1 && words <= SCENE_WORDS;
    Scene* scene =
        scene_allocate(kernel, draft->signal_count + (joined ? 1 : draft->react_count), lists + (joined ? words : 0));
    if (scene == NULL)
        return NULL;
    scene->guards = guards->count;
    scene->whens = whens->count;
    scene->islands = draft->island_count;
    scene->signals = draft->signal_count;
    scene->reacts = joined ? 1 : draft->react_count;
    uint32_t* at = scene_put((uint32_t*)(uintptr_t)scene->at, guards->at, guards->count);
    at = scene_put(at, whens->at, whens->count);
    at = scene_put(at, draft->islands, draft->island_count);
    for (uint32_t i = 0; i < scene->signals; i++)
        scene->pieces[i] = draft->signals[i];
    for (uint32_t i = 0; i < scene->reacts; i++)
        scene->pieces[scene->signals + i] = joined ? join(draft->reacts, draft->react_count, at) : draft->reacts[i];
    return scene;
}

// The instant at t has not begun: what is followed here has a number of its own, which no instant gets.
static const Scene* make(Kernel* kernel, uint32_t place, double t)
{
    SceneDraft draft;  // its lists are filled as far as they are counted
    draft.island_count = draft.signal_count = draft.react_count = 0;
    draft.full = false;
    uint64_t touch = kernel->touch;
    touch_begin(kernel);
    kernel->touch = ~(uint64_t)place;
    touch_moment(kernel, t);
    bool simple = touch_event(kernel, place);
    touch_targets(kernel);
    simple &= are_simple(kernel->model, &kernel->fresh);
    if (simple)
    {
        touch_sort(&kernel->fresh);
        draft_units(kernel, &draft);
    }
    const Scene* scene =
        simple && !draft.full ? pack(kernel, &kernel->fresh.guards, &kernel->fresh.whens, &draft) : &no_scene;
    forget(&kernel->fresh);
    kernel->touch = touch;
    return scene != NULL ? scene : &no_scene;
}

const Scene* scene_of(Kernel* kernel, uint32_t place, double t)
{
    if (kernel->model->fused)
        return scene_of_modes(kernel);
    if (kernel->scenes[place] == NULL)
        kernel->scenes[place] = make(kernel, place, t);
    return kernel->scenes[place]->none ? NULL : kernel->scenes[place];
}

// A walk that leads to half the model says so only at its end: not many of these are made in vain.
void scenes_make(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    uint32_t vain = 0;
    for (uint32_t i = 0; i < model->guards_count && vain < SCENES_VAIN; i++)
        if (model->guards[i].searched && is_simple_guard(&model->guards[i]))
            vain += scene_of(kernel, i, kernel->now.t) == NULL;
}

void scenes_free(Kernel* kernel)
{
    kaiAllocator a = kernel->options->allocator;
    for (uint32_t i = 0; kernel->scenes != NULL && i < scene_count(kernel->model); i++)
        if (kernel->scenes[i] != NULL && kernel->scenes[i]->size > 0)
        {
            slice_free(kernel->scenes[i]->program, a);
            slice_free(kernel->scenes[i]->looks, a);
            routine_free(kernel, kernel->scenes[i]->routine);
            a.alloc(a.user, (void*)(uintptr_t)kernel->scenes[i], kernel->scenes[i]->size, 0);
        }
}
