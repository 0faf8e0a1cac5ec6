// Scenes of models whose units are fused: one program is the reaction, so that all guards and reactions of the modes
// that are active take part in every ordinary instant. There is one scene for each set of modes that the run has been
// in; an instant that goes from one to another begins in the one and ends in the other (ordinary.c).
#include "kernel/routine.h"

#include "kernel/brief.h"
#include "kernel/guard.h"
#include "model/code.h"

#include <string.h>

// ---- which models have any
// -------------------------------------------------------------------------------------------

// One pass over the code of a reaction: what is computed from a marked register is marked. True: there was more of it.
static bool mark_readers(const kaiModel* model, bool* marked)
{
    const uint32_t* code = model->code;
    CodeItem item;
    bool more = false;
    for (uint32_t at = model->react.start; at < model->react.end; at += item.words)
    {
        if (!code_item(code, at, model->react.end, &item))
            return false;
        uint32_t stride = item.stride > 0 ? item.stride : item.reg_count;  // a control word may do anything with it
        for (uint32_t i = 0; i < item.reg_count; i += stride)
        {
            const uint32_t* regs = code + item.first_reg + i;
            bool reads = false;
            for (uint32_t k = item.stride > 0; k < stride; k++)
                reads |= marked[regs[k]];
            for (uint32_t k = 0; reads && k < (item.stride > 0 ? 1 : stride); k++)
            {
                more |= !marked[regs[k]];
                marked[regs[k]] = true;
            }
        }
    }
    return more;
}

// Whether an event takes some guard across its level by its presence alone: then its left limit is not what the first
// reaction finds.
static bool guards_read_events(const kaiModel* model, bool* marked)
{
    bool reads = false;
    for (uint32_t i = 0; i < model->clocks_count; i++)
        marked[model->clocks[i].flag] = true;
    for (uint32_t i = 0; i < model->guards_count; i++)
        marked[model->guards[i].latch] = true;
    while (mark_readers(model, marked))
        ;
    for (uint32_t i = 0; i < model->guards_count; i++)
        reads |= marked[model->guards[i].react_g];
    return reads;
}

// Somebody is told where a mode is entered: the second tag has an event.
static bool tells_entries(const kaiModel* model)
{
    bool tells = false;
    for (uint32_t i = 0; i < model->modes_count; i++)
        tells |= model->modes[i].entry != NO_REG;
    return tells;
}

bool scene_serves_modes(const Kernel* kernel, bool* serves)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    *serves = model->memories_count + model->assertions_count + model->faults_count + model->now_states_count +
                      model->choice_count ==
                  0 &&
              !tells_entries(model);
    if (!*serves || model->guards_count == 0)
        return true;
    bool* marked = a.alloc(a.user, NULL, 0, model->reg_count);
    if (marked == NULL)
        return false;
    memset(marked, 0, model->reg_count);
    *serves = !guards_read_events(model, marked);
    a.alloc(a.user, marked, model->reg_count, 0);
    return true;
}

// ---- which sets of modes
// ---------------------------------------------------------------------------------------------

// The left limit of a relation that moves is asked for by itself.
static bool has_level(const Guard* guard)
{
    return is_relation(guard) && guard->searched;
}

static bool takes_guard(const Guard* guard)
{
    bool whole = guard->present == NO_REG && guard->react_present == NO_REG && !guard->time_only;
    if (is_relation(guard))
        return whole && (!guard->searched || guard->code.end > guard->code.start);
    return whole && is_crossing(guard) && !guard->one_way && guard->islands.count > 0;
}

// The mode that a context is; NULL: it is the model.
static const ModeInfo* mode_of(const kaiModel* model, uint32_t ctx)
{
    const Context* at = &model->contexts[ctx];
    return ctx == 0 ? NULL : &model->modes[model->machines[at->machine].first_mode + at->mode];
}

static const Reaction* reaction_of(const kaiModel* model, const ModeInfo* mode, uint32_t i)
{
    return &model->reactions[model->transitions[mode->first_transition + i].reaction];
}

typedef struct Sizes
{
    uint32_t guards, whens, levels, moves;
    bool simple;
} Sizes;

// The transitions that may be taken from a context.
static void add_transitions(const kaiModel* model, uint32_t ctx, Sizes* sizes)
{
    const ModeInfo* mode = mode_of(model, ctx);
    if (mode == NULL)
        return;
    sizes->moves += mode->transition_count;
    sizes->simple &= !model->machines[model->contexts[ctx].machine].junction;
    for (uint32_t i = 0; i < mode->transition_count; i++)
        sizes->simple &= scene_takes_reaction(model, reaction_of(model, mode, i));
}

static Sizes measure(const Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    Sizes sizes = {.simple = true};
    for (uint32_t a = 0; a < kernel->active_count; a++)
    {
        const Context* at = &model->contexts[kernel->active[a]];
        add_transitions(model, kernel->active[a], &sizes);
        sizes.guards += at->guards.count;
        sizes.whens += at->whens.count;
        for (uint32_t i = 0; i < at->guards.count; i++)
        {
            const Guard* guard = &model->guards[model->ctx_guards[at->guards.first + i]];
            sizes.simple &= takes_guard(guard);
            sizes.levels += has_level(guard);
        }
        for (uint32_t i = 0; i < at->whens.count; i++)
            sizes.simple &= scene_takes_reaction(model, &model->reactions[model->ctx_whens[at->whens.first + i]]);
    }
    return sizes;
}

// ---- making
// ----------------------------------------------------------------------------------------------------------

static uint32_t* put_guards(const Kernel* kernel, uint32_t* to, bool levels)
{
    const kaiModel* model = kernel->model;
    for (uint32_t a = 0; a < kernel->active_count; a++)
    {
        IndexRange range = model->contexts[kernel->active[a]].guards;
        for (uint32_t i = 0; i < range.count; i++)
            if (!levels || has_level(&model->guards[model->ctx_guards[range.first + i]]))
                *to++ = model->ctx_guards[range.first + i];
    }
    return to;
}

// Whether taking it enters the mode and nothing else.
static bool is_short_entry(const kaiModel* model, const Machine* machine, const Transition* t)
{
    const ModeInfo* to = &model->modes[machine->first_mode + t->to];
    return !t->resume && to->machine_count == 0 && to->reset_count == 0 && to->reset.start == to->reset.end &&
           to->entry == NO_REG;
}

// In the order in which those of a machine are asked.
static void put_moves(const Kernel* kernel, SceneMove* to)
{
    const kaiModel* model = kernel->model;
    for (uint32_t a = 0; a < kernel->active_count; a++)
    {
        const ModeInfo* mode = mode_of(model, kernel->active[a]);
        uint32_t machine = model->contexts[kernel->active[a]].machine;
        for (int preempt = 1; preempt >= 0 && mode != NULL; preempt--)
            for (uint32_t i = 0; i < mode->transition_count; i++)
            {
                uint32_t index = mode->first_transition + i;
                bool entry = is_short_entry(model, &model->machines[machine], &model->transitions[index]);
                if (model->transitions[index].preempt == preempt)
                    *to++ = (SceneMove){reaction_of(model, mode, i)->fire, machine, entry ? index : NO_REG, NULL};
            }
    }
}

enum
{
    PROGRAM_WORDS = 4096  // of a reaction at most, that is cut down for each set of modes
};

static Slice* cut_program(Kernel* kernel, CodeRange range)
{
    bool cut = range.end - range.start <= PROGRAM_WORDS && slice_is_possible(kernel->model, range);
    return cut ? brief_of_modes(kernel, range) : NULL;
}

static void make_programs(Kernel* kernel, Scene* scene)
{
    const kaiModel* model = kernel->model;
    CodeRange react = model->react;
    scene->program = !scene->none ? cut_program(kernel, react) : NULL;
    scene->looks = !scene->none ? cut_program(kernel, model->islands[0].events) : NULL;
    if (scene->program != NULL)
        scene->pieces[0] = (ScenePiece){scene->program->words, scene->program->words + scene->program->count};
    else
        scene->pieces[0] = (ScenePiece){model->code + react.start, model->code + react.end};
}

static Scene* make(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    Sizes sizes = measure(kernel);
    // Moves come behind the one piece of code, before the words: they hold pointers, too.
    uint32_t pieces =
        1 + (uint32_t)(((size_t)sizes.moves * sizeof(SceneMove) + sizeof(ScenePiece) - 1) / sizeof(ScenePiece));
    Scene* scene = scene_allocate(kernel, pieces, sizes.guards + sizes.whens + 1 + sizes.levels + kernel->active_count);
    if (scene == NULL)
        return NULL;
    scene->move = (SceneMove*)(void*)(scene->pieces + 1);
    scene->moves = sizes.moves;
    put_moves(kernel, scene->move);
    scene->none = !sizes.simple;
    scene->guards = sizes.guards;
    scene->whens = sizes.whens;
    scene->levels = sizes.levels;
    scene->contexts = kernel->active_count;
    scene->islands = scene->reacts = 1;
    uint32_t* at = put_guards(kernel, (uint32_t*)(uintptr_t)scene->at, false);
    for (uint32_t a = 0; a < kernel->active_count; a++)
    {
        IndexRange range = model->contexts[kernel->active[a]].whens;
        at = scene_put(at, model->ctx_whens + range.first, range.count);
    }
    *at++ = 0;
    scene->first_level = (uint32_t)(at - scene->at);
    at = put_guards(kernel, at, true);
    scene->first_context = (uint32_t)(at - scene->at);
    scene_put(at, kernel->active, kernel->active_count);
    make_programs(kernel, scene);
    scene->routine = !scene->none ? routine_make(kernel, scene) : NULL;
    return scene;
}

// ---- finding
// ---------------------------------------------------------------------------------------------------------

static inline bool is_of_modes(const Kernel* kernel, const Scene* scene)
{
    const uint32_t* contexts = scene_contexts(scene);
    bool same = scene->contexts == kernel->active_count;
    for (uint32_t i = 0; i < scene->contexts && same; i++)
        same = contexts[i] == kernel->active[i];
    return same;
}

// Sets beyond those that there is room for have none. Modes often follow one another in a circle: the search begins
// where the last one ended.
const Scene* scene_of_modes(Kernel* kernel)
{
    uint32_t looked = 0, used = kernel->scene.sets, i = kernel->scene.last;
    if (kernel->scene.now != NULL)
        return kernel->scene.now->none ? NULL : kernel->scene.now;
    for (; looked < used && !is_of_modes(kernel, kernel->scenes[i]); looked++)
        i = i + 1 < used ? i + 1 : 0;
    if (looked == used)
    {
        if (used == scene_count(kernel->model) || (kernel->scenes[used] = make(kernel)) == NULL)
            return NULL;
        i = kernel->scene.sets++;
    }
    kernel->scene.last = i;
    kernel->scene.now = kernel->scenes[i];
    return kernel->scenes[i]->none ? NULL : kernel->scenes[i];
}

// Contexts and guards of a scene are what contexts_refresh would list.
void scene_adopt(Kernel* kernel, const Scene* scene)
{
    const uint32_t *contexts = scene_contexts(scene), *guards = scene_guards(scene);
    kernel->scene.now = scene;
    kernel->active_count = scene->contexts;
    for (uint32_t i = 0; i < scene->contexts; i++)
        kernel->active[i] = contexts[i];
    kernel->active_guards.count = scene->guards;
    for (uint32_t i = 0; i < scene->guards; i++)
        kernel->active_guards.at[i] = guards[i];
}

const Scene* scene_after(Kernel* kernel, SceneMove* move)
{
    if (move != NULL && move->next != NULL)
    {
        scene_adopt(kernel, move->next);
        return move->next;
    }
    contexts_refresh(kernel);
    const Scene* next = scene_of_modes(kernel);
    if (move != NULL)
        move->next = next;
    return next;
}
