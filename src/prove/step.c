// One reaction and its commit as a relation between two frames (rules R4, R7, M1, M2, N1): which reactions fire, what
// they stage, what is remembered. All at once, reading the values of the reaction.
#include "prove/switching.h"

typedef struct Step
{
    Encoder* e;
    Frame *from, *to;
    uint32_t group;
    Formula* reset;     // per variable: a mode that declares it is entered
    Formula* assigned;  // per variable: some reaction assigns (or emits) it
    Formula* value;     // per variable: what is assigned
    Formula* taken;     // per machine and mode (by slot): a transition enters this mode
    Formula* restarts;  // per machine: an outer mode is entered anew
    Formula* resumes;   // per machine: an outer mode is entered as it was left
    Formula* leaves;    // per context: it is left
} Step;

static bool in_group(const Step* s, uint32_t slot)
{
    return slot != NO_SLOT && s->e->slots.at[slot].written && slot_group(s->e, slot) == s->group;
}

// Junctions switch by a rule of their own.
static bool is_junction(const Step* s, const Reaction* r)
{
    return r->transition != NULL && s->e->flat->machines.at[r->transition->machine].junction != 0;
}

static bool reacts_in_group(const Step* s, const Reaction* r)
{
    return !is_junction(s, r) && r->group != NO_SLOT && slot_group(s->e, r->group) == s->group;
}

// ---- what is enabled
// -------------------------------------------------------------------------------------------------

static Formula sign_condition(Encoder* e, Frame* f, const Change* c)
{
    Logic* l = e->logic;
    Formula x = f->slots[e->var_slot[c->var]];
    switch (c->sign)
    {
    case 1: return logic_less(l, l->zero, x);
    case 2: return logic_at_most(l, l->zero, x);
    case -1: return logic_less(l, x, l->zero);
    default: return logic_at_most(l, x, l->zero);
    }
}

Formula encode_changed_guard(Encoder* e, Frame* f, uint32_t r, Formula holds)
{
    for (uint32_t i = 0; i < e->change_count; i++)
        if (e->changes[i].sign != 0 && e->changes[i].reaction == r)
            holds = logic_and(e->logic, holds, sign_condition(e, f, &e->changes[i]));
    return holds;
}

static Formula guard_holds(Encoder* e, Frame* f, uint32_t r)
{
    const Reaction* reaction = &e->reactions.at[r];
    Formula holds = logic_and(e->logic, encode_ctx(e, f, reaction->ctx), encode_condition(e, f, reaction->trigger));
    if (reaction->guard != 0)
        holds = logic_and(e->logic, holds, encode_condition(e, f, reaction->guard));
    return encode_changed_guard(e, f, r, holds);
}

static void choose_first(Step* s, const Formula* holds)
{
    Encoder* e = s->e;
    for (uint32_t r = 0; r < e->reactions.count; r++)
        for (uint32_t k = 0; holds[r] != NULL && e->reactions.at[r].choice != 0 && k < r; k++)
            if (holds[k] != NULL && e->reactions.at[k].choice == e->reactions.at[r].choice)
                s->from->enabled[r] = logic_and(e->logic, s->from->enabled[r], logic_not(e->logic, holds[k]));
}

// One enabled alternative is kept, whichever (rule N1).
static void choose(Step* s, Formula* holds)
{
    Encoder* e = s->e;
    Logic* l = e->logic;
    for (uint32_t r = 0; r < e->reactions.count; r++)
        if (holds[r] != NULL && e->reactions.at[r].choice != 0)
        {
            s->from->enabled[r] = logic_variable(l, arena_printf(e->arena, "choose%u@%u", r, e->unique++), true);
            encode_side(e, logic_or(l, logic_not(l, s->from->enabled[r]), holds[r]));
        }
    for (uint32_t r = 0; r < e->reactions.count; r++)
    {
        if (holds[r] == NULL || e->reactions.at[r].choice == 0)
            continue;
        Formula any = l->no;
        for (uint32_t k = 0; k < e->reactions.count; k++)
            if (holds[k] != NULL && e->reactions.at[k].choice == e->reactions.at[r].choice)
            {
                any = logic_or(l, any, s->from->enabled[k]);
                if (k < r)
                    encode_side(e, logic_not(l, logic_and(l, s->from->enabled[k], s->from->enabled[r])));
            }
        encode_side(e, logic_or(l, logic_not(l, holds[r]), any));
    }
}

static void find_enabled(Step* s)
{
    Encoder* e = s->e;
    Formula* holds = arena_array(e->arena, Formula, e->reactions.count + 1);
    for (uint32_t r = 0; r < e->reactions.count; r++)
        if (reacts_in_group(s, &e->reactions.at[r]))
            s->from->enabled[r] = holds[r] = guard_holds(e, s->from, r);
    if (e->first_choice)
        choose_first(s, holds);
    else
        choose(s, holds);
}

// ---- what fires
// ------------------------------------------------------------------------------------------------------

static uint32_t first_transition(const Encoder* e)
{
    return e->flat->whens.count;
}

// A mode around is left, by `preempt` or by any transition.
static Formula left(Step* s, uint32_t ctx, bool preempt)
{
    Encoder* e = s->e;
    Formula any = e->logic->no;
    for (; ctx != 0; ctx = e->flat->ctxs.at[ctx].parent)
    {
        const FlatCtx* at = &e->flat->ctxs.at[ctx];
        const FlatMode* mode = &e->flat->machines.at[at->machine].modes.at[at->mode];
        for (uint32_t i = 0; i < mode->transitions.count; i++)
        {
            uint32_t r = first_transition(e) + mode->transitions.at[i];
            if ((e->reactions.at[r].transition->preempt || !preempt) && s->from->enabled[r] != NULL)
                any = logic_or(e->logic, any, s->from->enabled[r]);
        }
    }
    return any;
}

// A mode that is preempted, or lies in one that is, does not react (rule M1).
static Formula preempted(Step* s, uint32_t ctx)
{
    return left(s, ctx, true);
}

// Preempting transitions first, then in the order of the text.
static void fire_transitions(Step* s, const FlatMode* mode, uint32_t machine_ctx)
{
    Encoder* e = s->e;
    Formula free = logic_not(e->logic, left(s, machine_ctx, false));  // the outer transition decides (rule M3)
    for (int preempt = 1; preempt >= 0; preempt--)
        for (uint32_t i = 0; i < mode->transitions.count; i++)
        {
            uint32_t r = first_transition(e) + mode->transitions.at[i];
            if (s->from->enabled[r] == NULL || e->reactions.at[r].transition->preempt != preempt)
                continue;
            s->from->fires[r] = logic_and(e->logic, free, s->from->enabled[r]);
            free = logic_and(e->logic, free, logic_not(e->logic, s->from->enabled[r]));
        }
}

static void find_firing(Step* s)
{
    Encoder* e = s->e;
    for (uint32_t r = 0; r < first_transition(e); r++)
        if (s->from->enabled[r] != NULL)
            s->from->fires[r] =
                logic_and(e->logic, s->from->enabled[r], logic_not(e->logic, preempted(s, e->reactions.at[r].ctx)));
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
        for (uint32_t k = 0; k < e->flat->machines.at[m].modes.count; k++)
            fire_transitions(s, &e->flat->machines.at[m].modes.at[k], e->flat->machines.at[m].ctx);
}

// ---- what is staged
// --------------------------------------------------------------------------------------------------

static Formula either(Logic* l, Formula a, Formula b)
{
    return a == NULL ? b : logic_or(l, a, b);
}

static void stage_entry(Step* s, uint32_t machine, uint32_t mode, Formula when)
{
    Encoder* e = s->e;
    const FlatMode* entered = &e->flat->machines.at[machine].modes.at[mode];
    for (uint32_t i = 0; i < entered->states.count; i++)
    {
        Formula* reset = &s->reset[entered->states.at[i]];
        *reset = either(e->logic, *reset, when);
    }
    for (uint32_t i = 0; i < entered->machines.count; i++)
    {
        uint32_t inner = entered->machines.at[i];
        s->restarts[inner] = either(e->logic, s->restarts[inner], when);
        stage_entry(s, inner, e->flat->machines.at[inner].initial, when);
    }
}

static void stage_resumed(Step* s, uint32_t machine, uint32_t mode, Formula when)
{
    Encoder* e = s->e;
    const FlatMode* entered = &e->flat->machines.at[machine].modes.at[mode];
    for (uint32_t i = 0; i < entered->machines.count; i++)
    {
        uint32_t inner = entered->machines.at[i];
        s->resumes[inner] = either(e->logic, s->resumes[inner], when);
        for (uint32_t k = 0; k < e->flat->machines.at[inner].modes.count; k++)
            stage_resumed(s, inner, k, logic_and(e->logic, when, s->from->slots[e->machine_slot[inner] + k]));
    }
}

static void leave(Step* s, uint32_t machine, uint32_t mode, Formula when)
{
    Encoder* e = s->e;
    const FlatMode* left = &e->flat->machines.at[machine].modes.at[mode];
    s->leaves[left->ctx] = either(e->logic, s->leaves[left->ctx], when);
    for (uint32_t i = 0; i < left->machines.count; i++)
        for (uint32_t k = 0; k < e->flat->machines.at[left->machines.at[i]].modes.count; k++)
            leave(s, left->machines.at[i], k, when);
}

// Two assignments of one commit, or an absent value, end the run: no cycle has them.
static void stage_action(Step* s, const FlatAction* action, Formula when)
{
    Encoder* e = s->e;
    Logic* l = e->logic;
    if (action->kind == FLAT_HALT)
    {
        encode_side(e, logic_not(l, when));
        return;
    }
    uint32_t v = action->var;
    if (!e->decides[v])
        return;
    Term t = action->value != 0 ? encode_node(e, s->from, action->value) : (Term){l->one, l->yes};
    encode_side(e, logic_or(l, logic_not(l, when), t.present));
    if (s->assigned[v] != NULL)
        encode_side(e, logic_not(l, logic_and(l, when, s->assigned[v])));
    s->value[v] = s->assigned[v] == NULL ? t.value : logic_if(l, when, t.value, s->value[v]);
    s->assigned[v] = either(l, s->assigned[v], when);
}

static void stage_reactions(Step* s)
{
    Encoder* e = s->e;
    for (uint32_t r = 0; r < e->reactions.count; r++)
    {
        Formula when = s->from->fires[r];
        const Reaction* reaction = &e->reactions.at[r];
        const FlatTransition* t = reaction->transition;
        if (when == NULL || is_junction(s, reaction))
            continue;
        for (uint32_t i = 0; i < reaction->actions->count; i++)
            stage_action(s, &reaction->actions->at[i], when);
        if (t == NULL)
            continue;
        uint32_t slot = e->machine_slot[t->machine] + t->to;
        s->taken[slot] = either(e->logic, s->taken[slot], when);
        if (t->resume)
            stage_resumed(s, t->machine, t->to, when);
        else
            stage_entry(s, t->machine, t->to, when);
        if (t->from != t->to || !t->resume)
            leave(s, t->machine, t->from, when);
        s->from->active = logic_or(e->logic, s->from->active, when);
    }
}

// ---- the next value of each slot
// -------------------------------------------------------------------------------------

static Formula or_no(Logic* l, Formula a)
{
    return a != NULL ? a : l->no;
}

// What the jump of a bond graph adds to a state outside it.
static Formula carried_area(Step* s, uint32_t v)
{
    Encoder* e = s->e;
    Formula sum = e->logic->zero;
    for (uint32_t i = 0; i < e->flat->carried.count; i++)
    {
        const FlatCarried* c = &e->flat->carried.at[i];
        if (c->var == v)
            sum = logic_add(e->logic, sum,
                            logic_if(e->logic, encode_ctx(e, s->from, c->ctx),
                                     encode_node(e, s->from->committed, c->area).value, e->logic->zero));
    }
    return sum;
}

static Formula next_variable(Step* s, uint32_t v)
{
    Encoder* e = s->e;
    const FlatVar* var = &e->flat->vars.at[v];
    Formula next = e->var_slot[v] != NO_SLOT ? s->from->slots[e->var_slot[v]] : NULL;
    if (s->from->committed != NULL && var->kind == VAR_STATE)
        next = logic_add(e->logic, s->from->committed->slots[e->var_slot[v]], carried_area(s, v));
    if (e->impulsive[v])
        next = encode_var(e, s->from, v, 0).value;
    if (s->reset[v] != NULL)
    {
        Formula zero = var->type == TYPE_BOOL ? e->logic->no : e->logic->zero;
        Formula init = var->init != 0 ? encode_node(e, s->from, var->init).value : zero;
        next = logic_if(e->logic, s->reset[v], init, next);
    }
    return s->assigned[v] != NULL ? logic_if(e->logic, s->assigned[v], s->value[v], next) : next;
}

static Formula next_mode(Step* s, const Slot* slot, uint32_t index)
{
    Encoder* e = s->e;
    Logic* l = e->logic;
    const FlatMachine* machine = &e->flat->machines.at[slot->index];
    if (machine->junction != 0)
        return s->from->committed->slots[index];
    Formula moved = l->no;
    for (uint32_t k = 0; k < machine->modes.count; k++)
        moved = logic_or(l, moved, or_no(l, s->taken[e->machine_slot[slot->index] + k]));
    Formula next = s->from->slots[index];
    if (s->restarts[slot->index] != NULL)
        next = logic_if(l, s->restarts[slot->index], slot->mode == machine->initial ? l->yes : l->no, next);
    return logic_if(l, moved, or_no(l, s->taken[index]), next);
}

static Formula sign_of(Logic* l, Formula g)
{
    return logic_if(l, logic_less(l, l->zero, g), l->one,
                    logic_if(l, logic_less(l, g, l->zero), logic_number(l, -1), l->zero));
}

static Formula crossing_active(Step* s, const Node* node, Term g)
{
    Formula there = logic_and(s->e->logic, encode_ctx(s->e, s->from, node->ctx), g.present);
    return logic_and(s->e->logic, there, logic_not(s->e->logic, or_no(s->e->logic, s->leaves[node->ctx])));
}

static Formula next_side(Step* s, const Slot* slot)
{
    Encoder* e = s->e;
    const Node* node = &e->flat->nodes.at[slot->node];
    Term g = encode_node(e, s->from, node->arg[0]);
    return logic_if(e->logic, crossing_active(s, node, g), sign_of(e->logic, g.value), logic_number(e->logic, 2));
}

// `up` {-, 0} → +, `down` {+, 0} → -, `cross` - ↔ + (rule C2).
static Formula next_crossed(Step* s, const Slot* slot)
{
    Encoder* e = s->e;
    Logic* l = e->logic;
    const Node* node = &e->flat->nodes.at[slot->node];
    Term g = encode_node(e, s->from, node->arg[0]);
    Formula before = s->from->slots[slot_of_node(e, slot->node)], known = logic_less(l, before, logic_number(l, 2));
    Formula above = logic_less(l, l->zero, before), below = logic_less(l, before, l->zero);
    Formula up = logic_less(l, l->zero, g.value), down = logic_less(l, g.value, l->zero);
    Formula fires;
    if (node->op == NODE_UP)
        fires = logic_and(l, up, logic_not(l, above));
    else if (node->op == NODE_DOWN)
        fires = logic_and(l, down, logic_not(l, below));
    else
        fires = logic_or(l, logic_and(l, up, below), logic_and(l, down, above));
    fires = logic_and(l, logic_and(l, known, fires), logic_and(l, encode_ctx(e, s->from, node->ctx), g.present));
    s->from->active = logic_or(l, s->from->active, fires);
    return fires;
}

static Formula next_slot(Step* s, uint32_t index)
{
    Encoder* e = s->e;
    Logic* l = e->logic;
    const Slot* slot = &e->slots.at[index];
    const Node* node = &e->flat->nodes.at[slot->node];
    switch (slot->kind)
    {
    case SLOT_STATE:
    case SLOT_DISCRETE: return next_variable(s, slot->index);
    case SLOT_MODE: return next_mode(s, slot, index);
    case SLOT_ENTRY:
    {
        const FlatCtx* at = &e->flat->ctxs.at[slot->index];
        uint32_t mode_slot = e->machine_slot[at->machine] + at->mode;
        Formula entered = or_no(l, s->taken[mode_slot]);
        if (at->mode == e->flat->machines.at[at->machine].initial)
            entered = logic_or(l, entered, or_no(l, s->restarts[at->machine]));
        return logic_or(l, entered, logic_and(l, or_no(l, s->resumes[at->machine]), s->from->slots[mode_slot]));
    }
    case SLOT_EVENT: return or_no(l, s->assigned[slot->index]);
    case SLOT_PAYLOAD:
        return s->assigned[slot->index] != NULL ? logic_if(l, s->assigned[slot->index], s->value[slot->index], l->zero)
                                                : l->zero;
    case SLOT_EDGE:
        return logic_and(l, logic_and(l, encode_ctx(e, s->from, node->ctx), encode_condition(e, s->from, node->arg[0])),
                         logic_not(l, or_no(l, s->leaves[node->ctx])));
    case SLOT_PRE: return encode_node(e, s->from, node->arg[0]).value;
    case SLOT_PRE_HERE: return encode_node(e, s->from, node->arg[0]).present;
    case SLOT_HOLD: return encode_node(e, s->from, slot->node).value;
    case SLOT_SIDE: return next_side(s, slot);
    case SLOT_CROSSED: return next_crossed(s, slot);
    }
    return l->no;
}

// ---- the step
// --------------------------------------------------------------------------------------------------------

static Step open_step(Encoder* e, Frame* from, uint32_t group)
{
    uint32_t vars = e->flat->vars.count + 1;
    Step s = {.e = e, .from = from, .group = group};
    s.reset = arena_array(e->arena, Formula, vars);
    s.assigned = arena_array(e->arena, Formula, vars);
    s.value = arena_array(e->arena, Formula, vars);
    s.taken = arena_array(e->arena, Formula, e->slots.count + 1);
    s.restarts = arena_array(e->arena, Formula, e->flat->machines.count + 1);
    s.resumes = arena_array(e->arena, Formula, e->flat->machines.count + 1);
    s.leaves = arena_array(e->arena, Formula, e->flat->ctxs.count);
    return s;
}

void encode_take_side(Encoder* e, Formulas* into)
{
    for (uint32_t i = 0; i < e->side.count; i++)
        vec_push(e->arena, *into, e->side.at[i]);
    e->side.count = 0;
}

// The a-posteriori run ends in a set that can rest and be committed.
static void switch_junctions(Step* s)
{
    Encoder* e = s->e;
    Frame* trial;
    if (!switching_in_group(e, s->group))
        return;
    Frame* first;
    if (e->inner == ANY_REST)
        trial = first = switching_any_rest(e, s->from, s->group);
    else
    {
        trial = first = switching_prior(e, s->from, s->group);
        for (uint32_t i = 0; i < e->inner; i++)
        {
            vec_push(e->arena, s->from->trials, trial);
            trial = switching_posterior(e, trial, s->group, true);
        }
        encode_side(e, logic_not(e->logic, switching_goes_on(e, trial, s->group)));
    }
    s->from->active = switching_happened(e, s->from, first, s->group);

    encode_side(e, circuit_consistent(e, trial, s->group));
    s->from->committed = trial;
}

Frame* encode_step(Encoder* e, Frame* from, uint32_t group, Formulas* into)
{
    Step s = open_step(e, from, group);
    switch_junctions(&s);
    find_enabled(&s);
    find_firing(&s);
    stage_reactions(&s);
    s.to = frame_new(e, from->number + 1, false);
    for (uint32_t i = 0; i < e->slots.count; i++)
    {
        if (!in_group(&s, i))
            continue;
        Formula next = next_slot(&s, i);
        vec_push(e->arena, *into, logic_equal(e->logic, s.to->slots[i], next));
        if (e->slots.at[i].kind == SLOT_EVENT)
            from->active = logic_or(e->logic, from->active, next);
        Formula same = logic_equal(e->logic, from->slots[i], s.to->slots[i]);
        from->active = logic_or(e->logic, from->active, logic_not(e->logic, same));
    }
    encode_take_side(e, into);
    return s.to;
}

Formula encode_same(Encoder* e, const Frame* a, const Frame* b, uint32_t group)
{
    Formula same = e->logic->yes;
    for (uint32_t i = 0; i < e->slots.count; i++)
        if (e->slots.at[i].written && slot_group(e, i) == group)
            same = logic_and(e->logic, same, logic_equal(e->logic, a->slots[i], b->slots[i]));
    return same;
}

// ---- where sequences begin
// -------------------------------------------------------------------------------------------

void encode_modes(Encoder* e, const Frame* f, uint32_t group, Formulas* into)
{
    Logic* l = e->logic;
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
    {
        uint32_t first = e->machine_slot[m], count = e->flat->machines.at[m].modes.count;
        Formula any = l->no;
        if (slot_group(e, first) != group)
            continue;
        for (uint32_t k = 0; k < count; k++)
        {
            any = logic_or(l, any, f->slots[first + k]);
            for (uint32_t i = 0; i < k; i++)
                vec_push(e->arena, *into, logic_not(l, logic_and(l, f->slots[first + i], f->slots[first + k])));
        }
        vec_push(e->arena, *into, any);
    }
}

// What is remembered before a run: edges were false, nothing was emitted, the modes have just been entered, `pre` is
// the start value.
static Formula start_value(Encoder* e, Frame* f, const Slot* slot)
{
    Logic* l = e->logic;
    const Node* node = &e->flat->nodes.at[slot->node];
    switch (slot->kind)
    {
    case SLOT_STATE:
    case SLOT_DISCRETE:
    {
        const FlatVar* var = &e->flat->vars.at[slot->index];  // those of a mode cannot be set from outside
        Formula zero = var->type == TYPE_BOOL ? l->no : l->zero;
        return var->ctx == 0 ? NULL : var->init != 0 ? encode_node(e, f, var->init).value : zero;
    }
    case SLOT_ENTRY: return encode_ctx(e, f, slot->index);
    case SLOT_EVENT:
    case SLOT_EDGE:
    case SLOT_CROSSED: return l->no;
    case SLOT_PAYLOAD: return l->zero;
    case SLOT_HOLD: return encode_node(e, f, node->arg[1]).value;
    case SLOT_SIDE: return sign_of(l, encode_node(e, f, node->arg[0]).value);
    case SLOT_PRE: return encode_node(e, f, node->arg[1] != 0 ? node->arg[1] : node->arg[0]).value;
    case SLOT_PRE_HERE: return node->arg[1] != 0 ? l->yes : encode_node(e, f, node->arg[0]).present;
    default: return NULL;
    }
}

void encode_start(Encoder* e, Frame* f, uint32_t group, Formulas* into)
{
    for (uint32_t i = 0; i < e->slots.count; i++)
    {
        if (!e->slots.at[i].written || slot_group(e, i) != group)
            continue;
        Formula value = start_value(e, f, &e->slots.at[i]);
        if (value != NULL)
            vec_push(e->arena, *into, logic_equal(e->logic, f->slots[i], value));
    }
    encode_take_side(e, into);
}
