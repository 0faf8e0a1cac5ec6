// Machines, their modes, and transitions. Each mode is a context; what stands in it holds while the context is active.
#include "elab/elab.h"

const char* mode_name_of(Elab* e, uint32_t ctx)
{
    const FlatCtx* context = &e->flat->ctxs.at[ctx];
    return e->flat->machines.at[context->machine].modes.at[context->mode].name;
}

// A machine is called after the modes around it, up to its instance: a machine in mode `lit` has `lit.mode`, one in no
// mode `mode`; a second one at the same place has `mode2`, and so on.
static const char* symbol_name(Elab* e, const Env* env)
{
    uint64_t place = (uint64_t)env->instance << 32 | env->ctx;
    uint32_t number = 0;
    map_get(&e->machine_places, place, &number);
    map_set(&e->machine_places, place, ++number);
    const char* name = number == 1 ? e->word_mode : arena_printf(e->arena, "mode%u", number);
    for (uint32_t ctx = env->ctx; ctx != 0; ctx = e->flat->ctxs.at[ctx].parent)
    {
        if (e->machine_instance.at[e->flat->ctxs.at[ctx].machine] != env->instance)
            break;
        name = arena_printf(e->arena, "%s.%s", mode_name_of(e, ctx), name);
    }
    return intern_string(e->program->names, name);
}

// `scope` is where the name is added: the element, for a junction.
static uint32_t add_mode_var(Elab* e, const Env* scope, const char* name, Span span)
{
    uint32_t var = declare_var(e, scope, VAR_MODE, TYPE_MODE, name, span);
    e->flat->vars.at[var].machine = e->flat->machines.count - 1;
    e->vars.at[var].type_progress = DONE;
    scope_add(e, scope, SYMBOL_VAR, name, span)->first = var;
    return var;
}

enum
{
    FEW_MODES = 16  // are found faster one by one
};

static uint32_t find_mode(const FlatMachine* machine, const char* name)
{
    uint32_t found;
    if (machine->modes.count > FEW_MODES)
        return map_get(&machine->mode_index, (uint64_t)(uintptr_t)name, &found) ? found : UINT32_MAX;
    for (uint32_t i = 0; i < machine->modes.count; i++)
        if (machine->modes.at[i].name == name)
            return i;
    return UINT32_MAX;
}

static void add_mode(Elab* e, FlatMachine* machine, uint32_t index, const Mode* mode)
{
    uint32_t before = find_mode(machine, mode->name);
    if (before != UINT32_MAX)
    {
        Diag* diag = elab_error(e, K_DUPLICATE_NAME, mode->span, "mode `%s` is declared twice", mode->name);
        elab_note(e, diag, machine->modes.at[before].span, "first declared here");
        elab_help(e, diag, "rename one of them");
    }
    FlatMode flat = {.name = mode->name, .ctx = e->flat->ctxs.count, .on = mode->switch_state == 1, .span = mode->span};
    if (!machine->junction != !mode->switch_state)
    {
        Diag* diag = elab_error(e, K_SWITCH_MODE, mode->span, "mode `%s` %s", mode->name,
                                machine->junction ? "of a junction must say whether it is ON or OFF"
                                                  : "cannot be ON or OFF: only junctions are");
        elab_help(e, diag, machine->junction ? "write `mode %s : ON { … }`" : "write `mode %s { … }`", mode->name);
    }
    vec_push(e->arena, e->flat->ctxs,
             (FlatCtx){.parent = machine->ctx, .machine = index, .mode = machine->modes.count});
    vec_push(e->arena, machine->modes, flat);
    if (machine->modes.count <= FEW_MODES)
        return;
    bool first = machine->mode_index.arena == NULL;  // the few before it as well
    if (first)
        map_init(&machine->mode_index, e->arena);
    for (uint32_t i = first ? 0 : machine->modes.count - 1; i < machine->modes.count; i++)
        if (!map_get(&machine->mode_index, (uint64_t)(uintptr_t)machine->modes.at[i].name, NULL))
            map_set(&machine->mode_index, (uint64_t)(uintptr_t)machine->modes.at[i].name, i);
}

static void find_initial(Elab* e, FlatMachine* machine, const Item* item)
{
    const Mode* first = NULL;
    for (uint32_t i = 0; i < item->modes.count; i++)
    {
        const Mode* mode = item->modes.at[i];
        if (!mode->initial)
            continue;
        if (first)
        {
            Diag* diag = elab_error(e, K_INITIAL_MODE, mode->span, "modes `%s` and `%s` are both initial", first->name,
                                    mode->name);
            elab_note(e, diag, first->span, "the first is here");
            elab_help(e, diag, "exactly one mode is where the run begins");
            continue;
        }
        first = mode;
        machine->initial = i;
    }
    if (first)
        return;
    Diag* diag = elab_error(e, K_INITIAL_MODE, item->span, "none of these modes is initial");
    if (item->modes.count > 0)
        elab_help(e, diag, "write `initial mode %s { … }`", item->modes.at[0]->name);
}

// --set and sweeps give the number of the mode in which the run starts.
static uint32_t start_mode(Elab* e, const FlatMachine* machine, uint32_t mode_var)
{
    if (!declare_override(e, mode_var))
        return machine->initial;
    double value = e->flat->nodes.at[e->flat->vars.at[mode_var].init].value;
    e->flat->vars.at[mode_var].init = 0;
    return value >= 0 && value < machine->modes.count ? (uint32_t)value : machine->initial;
}

static uint32_t add_machine(Elab* e, const Env* env, const Env* scope, const Item* item, uint32_t junction)
{
    uint32_t index = e->flat->machines.count;
    const char* symbol = symbol_name(e, scope);
    FlatMachine machine = {.ctx = env->ctx, .junction = junction, .span = item->span};
    for (uint32_t i = 0; i < item->modes.count; i++)
        add_mode(e, &machine, index, item->modes.at[i]);
    find_initial(e, &machine, item);
    vec_push(e->arena, e->flat->machines, machine);
    vec_push(e->arena, e->machine_instance, env->instance);
    uint32_t mode_var = add_mode_var(e, scope, symbol, item->span);
    e->flat->machines.at[index].mode_var = mode_var;
    e->flat->machines.at[index].start = start_mode(e, &machine, mode_var);
    if (env->ctx != 0)
    {
        const FlatCtx* outer = &e->flat->ctxs.at[env->ctx];
        vec_push(e->arena, e->flat->machines.at[outer->machine].modes.at[outer->mode].machines, index);
    }
    for (uint32_t i = 0; i < item->modes.count; i++)
    {
        Env inside = *env;
        inside.ctx = e->flat->machines.at[index].modes.at[i].ctx;
        inside.junction = junction != 0;
        declare_items(e, &inside, &item->modes.at[i]->items);
    }
    return index;
}

void declare_machine(Elab* e, const Env* env, const Item* item)
{
    add_machine(e, env, env, item, 0);
}

uint32_t declare_switch(Elab* e, const Env* env, uint32_t element, const Item* item)
{
    Env scope = {.instance = element, .ctx = env->ctx};
    return add_machine(e, env, &scope, item, e->instances.at[element].bond_node);
}

// The machine whose mode directly holds the transition: an instance inside a mode does not lend its mode to `on`.
static bool transition_place(Elab* e, const Work* work, uint32_t* machine)
{
    *machine = e->flat->ctxs.at[work->env->ctx].machine;
    if (work->env->ctx != 0 && e->machine_instance.at[*machine] == work->env->instance)
        return true;
    Diag* diag = elab_error(e, K_TRANSITION_PLACE, work->item->span, "a transition must stand inside a mode");
    elab_help(e, diag, "write it into `mode … { }`; for a reaction use `when`");
    return false;
}

static bool find_target(Elab* e, const Item* item, uint32_t machine, uint32_t* target)
{
    const FlatMachine* flat = &e->flat->machines.at[machine];
    *target = find_mode(flat, item->target);
    if (*target != UINT32_MAX)
        return true;
    const char** names = arena_array(e->arena, const char*, flat->modes.count + 1);
    for (uint32_t i = 0; i < flat->modes.count; i++)
        names[i] = flat->modes.at[i].name;
    Diag* diag = elab_error(e, K_UNKNOWN_MODE, item->target_span, "there is no mode `%s` beside `%s`", item->target,
                            flat->modes.count ? names[0] : "");
    elab_suggest(e, diag, item->target, names, flat->modes.count);
    return false;
}

// A transition of a switched junction has one guard and does nothing else (rule B3).
static void finish_switch(Elab* e, const Item* item, FlatTransition* t)
{
    if (t->actions.count > 0 || t->preempt || t->resume || t->choice)
    {
        Diag* diag = elab_error(e, K_SWITCH_TRANSITION, item->span, "a junction switches and does nothing else: %s",
                                t->actions.count > 0 ? "it has no actions"
                                : t->choice          ? "it has no `choose`"
                                                     : "it has no `preempt` and no `resume`");
        elab_help(e, diag, "let a `when` outside react to the change of its mode");
    }
    NodeId guard = t->trigger;
    if (t->guard && guard)
        guard = flat_node(e->flat, NODE_AND, TYPE_BOOL, guard, t->guard, 0, 0, 0, item->span);
    t->trigger = t->guard = 0;
    if (guard)
        junction_guard(e, t, guard);
}

void elaborate_transition(Elab* e, const Work* work)
{
    const Item* item = work->item;
    const Env* env = work->env;
    FlatTransition transition = {.ctx = env->ctx, .preempt = item->preempt, .resume = item->resume};
    transition.choice = env->choice;
    transition.span = item->span;
    transition.trigger = elaborate_guard(e, env, item->value);
    transition.guard = item->guard ? elaborate_guard(e, env, item->guard) : 0;
    transition.weight = elaborate_weight(e, env, item);
    bool placed =
        transition_place(e, work, &transition.machine) && find_target(e, item, transition.machine, &transition.to);
    Env inside = *env;
    if (placed)
        inside.entered = e->flat->machines.at[transition.machine].modes.at[transition.to].ctx;
    elaborate_actions(e, &inside, &item->actions, &transition.actions);
    if (!placed)
        return;
    transition.from = e->flat->ctxs.at[env->ctx].mode;
    if (e->flat->machines.at[transition.machine].junction)
        finish_switch(e, item, &transition);
    FlatMode* from = &e->flat->machines.at[transition.machine].modes.at[transition.from];
    vec_push(e->arena, from->transitions, e->flat->transitions.count);
    vec_push(e->arena, e->flat->transitions, transition);
}
