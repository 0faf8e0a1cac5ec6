// Tables of what a commit may do: whens, transitions with their modes and machines, assertions.
#include "emit/builder.h"

static uint32_t add_reaction(Builder* b, uint32_t ctx, ScalarId fire, uint32_t choice, NodeId weight, Span span)
{
    Reaction r = {.ctx = ctx, .choice = choice, .weight = NO_REG, .place = build_place(b, span)};
    r.fire = react_result(b, ctx, fire);
    if (weight != 0)
        r.weight = react_result(b, ctx, lower(&b->c, PHASE_REACT, weight).value);
    vec_push(b->arena, b->reactions, r);
    return b->reactions.count - 1;
}

static void build_modes(Builder* b, const FlatMachine* m)
{
    for (uint32_t i = 0; i < m->modes.count; i++)
    {
        const FlatMode* mode = &m->modes.at[i];
        ModeInfo info = {.name = build_string(b, mode->name), .ctx = mode->ctx, .entry = b->c.entries[mode->ctx]};
        info.on = mode->on;
        info.first_transition = b->transitions.count;
        info.transition_count = mode->transitions.count;
        for (uint32_t k = 0; k < mode->transitions.count; k++)
        {
            const FlatTransition* t = &b->c.flat->transitions.at[mode->transitions.at[k]];
            uint32_t reaction = b->c.flat->whens.count + mode->transitions.at[k];
            vec_push(b->arena, b->transitions,
                     (Transition){reaction, t->to, t->preempt, t->resume, t->posterior, t->one_way, t->one_way_var});
        }
        info.first_machine = b->mode_machines.count;
        info.machine_count = mode->machines.count;
        for (uint32_t k = 0; k < mode->machines.count; k++)
            vec_push(b->arena, b->mode_machines, mode->machines.at[k]);
        vec_push(b->arena, b->modes, info);
    }
}

static void build_machines(Builder* b)
{
    Flat* flat = b->c.flat;
    for (uint32_t i = 0; i < flat->machines.count; i++)
    {
        const FlatMachine* m = &flat->machines.at[i];
        Machine machine = {.name = build_string(b, flat->vars.at[m->mode_var].name),
                           .ctx = m->ctx,
                           .reg = b->c.vars.at[m->mode_var].reg,
                           .initial = m->initial,
                           .start = m->start,
                           .first_mode = b->modes.count,
                           .mode_count = m->modes.count,
                           .place = build_place(b, m->span),
                           .junction = m->junction != 0};
        vec_push(b->arena, b->machines, machine);
        build_modes(b, m);
    }
}

static void build_assertions(Builder* b)
{
    Flat* flat = b->c.flat;
    Scalars* s = &b->c.scalars;
    for (uint32_t i = 0; i < flat->asserts.count; i++)
    {
        const FlatAssert a = flat->asserts.at[i];
        Lowered l = lower(&b->c, PHASE_REACT, a.condition);
        ScalarId broken = scalar_and(s, l.present, scalar_not(s, l.value));
        broken = scalar_and(s, broken, scalar_not(s, lower_preempted(&b->c, a.ctx)));
        Assertion made = {.ctx = a.ctx, .text = build_string(b, a.text), .place = build_place(b, a.span)};
        made.broken = react_result(b, a.ctx, broken);
        made.source = build_string(b, flat_text(flat, b->arena, a.condition));
        vec_push(b->arena, b->assertions, made);
    }
}

void build_reactions(Builder* b)
{
    Flat* flat = b->c.flat;
    for (uint32_t i = 0; i < flat->whens.count; i++)
    {
        FlatWhen w = flat->whens.at[i];
        add_reaction(b, w.ctx, lower_fires(&b->c, w.trigger, w.guard), w.choice, w.weight, w.span);
    }
    for (uint32_t i = 0; i < flat->transitions.count; i++)
    {
        FlatTransition t = flat->transitions.at[i];
        add_reaction(b, t.ctx, lower_fires(&b->c, t.trigger, t.guard), t.choice, t.weight, t.span);
    }
    build_assertions(b);
    build_machines(b);
}

// Derivatives that an action reads must be computed by the reaction.
static void want_tasks(Builder* b, ScalarId root)
{
    Compiler* c = &b->c;
    uint32_t task;
    scalar_walk(&c->scalars);
    scalar_walk_push(&c->scalars, root);
    for (Scalar x; scalar_walk_next(&c->scalars, &x);)
        if (x.op == SCALAR_REG && map_get(&c->task_of, x.reg, &task) && c->tasks.at[task].kind != TASK_DEFINITION)
            vec_push(b->arena, b->react_tasks, task);
}

static void lower_actions(Builder* b, const FlatActions* actions)
{
    for (uint32_t i = 0; i < actions->count; i++)
        if (actions->at[i].value != 0)
            want_tasks(b, lower(&b->c, PHASE_REACT, actions->at[i].value).value);
}

// Lowers everything that the code below will emit, so that all cells and tasks are known before the programs are made.
void build_reaction_values(Builder* b)
{
    Flat* flat = b->c.flat;
    for (uint32_t i = 0; i < flat->whens.count; i++)
        lower_actions(b, &flat->whens.at[i].actions);
    for (uint32_t i = 0; i < flat->transitions.count; i++)
        lower_actions(b, &flat->transitions.at[i].actions);
    for (uint32_t i = 0; i < flat->machines.count; i++)
        for (uint32_t k = 0; k < flat->machines.at[i].modes.count; k++)
        {
            const FlatMode* mode = &flat->machines.at[i].modes.at[k];
            for (uint32_t s = 0; s < mode->states.count; s++)
                if (flat->vars.at[mode->states.at[s]].init != 0)
                    lower(&b->c, PHASE_REACT, flat->vars.at[mode->states.at[s]].init);
        }
}

static Act build_act(Builder* b, const FlatAction* a)
{
    Compiler* c = &b->c;
    Act act = {.kind = (uint8_t)(a->kind == FLAT_ASSIGN ? ACT_ASSIGN
                                 : a->kind == FLAT_EMIT ? ACT_EMIT
                                                        : ACT_HALT),
               .var = a->var,
               .target = NO_REG,
               .flag = NO_REG,
               .value = NO_REG,
               .present = NO_REG,
               .text = build_string(b, a->text),
               .place = build_place(b, a->span)};
    if (a->kind == FLAT_HALT)
        return act;
    act.target = c->vars.at[a->var].reg;
    act.flag = a->kind == FLAT_EMIT ? c->vars.at[a->var].present : NO_REG;
    ScalarId one = scalar_const(&c->scalars, 1);
    Lowered value = a->value != 0 ? lower(c, PHASE_REACT, a->value) : (Lowered){one, one};
    double v;
    act.value = emit_value(&b->programs->emitter, value.value);
    if (!scalar_is_const(&c->scalars, value.present, &v) || v == 0)
        act.present = emit_value(&b->programs->emitter, value.present);
    return act;
}

static void reaction_code(Builder* b, uint32_t reaction, const FlatActions* actions)
{
    uint32_t start = emit_begin(&b->programs->emitter), first = b->acts.count;
    for (uint32_t i = 0; i < actions->count; i++)
    {
        Act act = build_act(b, &actions->at[i]);
        vec_push(b->arena, b->acts, act);
    }
    Reaction* r = &b->reactions.at[reaction];
    r->code = emit_end(&b->programs->emitter, start);
    r->first_act = first;
    r->act_count = actions->count;
}

static void reset_code(Builder* b, ModeInfo* info, const FlatMode* mode)
{
    Compiler* c = &b->c;
    uint32_t start = emit_begin(&b->programs->emitter);
    info->first_reset = b->resets.count;
    for (uint32_t i = 0; i < mode->states.count; i++)
    {
        uint32_t v = mode->states.at[i];
        NodeId init = c->flat->vars.at[v].init;
        ScalarId value = init != 0 ? lower(c, PHASE_REACT, init).value : scalar_const(&c->scalars, 0);
        vec_push(b->arena, b->resets, (Reset){c->vars.at[v].reg, emit_value(&b->programs->emitter, value)});
    }
    info->reset_count = mode->states.count;
    info->reset = emit_end(&b->programs->emitter, start);
}

void build_reaction_code(Builder* b)
{
    Flat* flat = b->c.flat;
    for (uint32_t i = 0; i < flat->whens.count; i++)
        reaction_code(b, i, &flat->whens.at[i].actions);
    for (uint32_t i = 0; i < flat->transitions.count; i++)
        reaction_code(b, flat->whens.count + i, &flat->transitions.at[i].actions);
    for (uint32_t i = 0, at = 0; i < flat->machines.count; i++)
        for (uint32_t k = 0; k < flat->machines.at[i].modes.count; k++, at++)
            reset_code(b, &b->modes.at[at], &flat->machines.at[i].modes.at[k]);
}

// ---- random draws

// Marks the draws below `root` as used whenever `when` holds.
static void mark_draws(Builder* b, NodeId root, ScalarId when)
{
    Compiler* c = &b->c;
    walk_begin(&c->nodes);
    walk_push(&c->nodes, root);
    for (NodeId n; (n = node_walk_next(c)) != 0;)
    {
        NodeOp op = (NodeOp)c->flat->nodes.at[n].op;
        if (op < NODE_UNIFORM || op > NODE_EXPONENTIAL)
            continue;
        uint32_t before;
        bool known = map_get(&b->draw_uses, n, &before);
        map_set(&b->draw_uses, n, known ? scalar_or(&c->scalars, before, when) : when);
    }
}

static void mark_actions(Builder* b, const FlatActions* actions, uint32_t ctx, NodeId trigger, NodeId guard)
{
    for (uint32_t i = 0; i < actions->count; i++)
        if (actions->at[i].value != 0)
            mark_draws(b, actions->at[i].value,
                       scalar_and(&b->c.scalars, lower_ctx_active(&b->c, ctx), lower_fires(&b->c, trigger, guard)));
}

void find_draws(Builder* b)
{
    Flat* flat = b->c.flat;
    if (flat->streams.count == 0)
        return;
    for (uint32_t i = 0; i < flat->whens.count; i++)
        mark_actions(b, &flat->whens.at[i].actions, flat->whens.at[i].ctx, flat->whens.at[i].trigger,
                     flat->whens.at[i].guard);
    for (uint32_t i = 0; i < flat->transitions.count; i++)
        mark_actions(b, &flat->transitions.at[i].actions, flat->transitions.at[i].ctx, flat->transitions.at[i].trigger,
                     flat->transitions.at[i].guard);
    for (NodeId n = 1; n < b->c.source_nodes; n++)
    {
        const Node node = flat->nodes.at[n];
        if (node.op == NODE_SAMPLE)
            mark_draws(b, node.arg[0], lower(&b->c, PHASE_REACT, node.arg[1]).present);
        else if (node.op == NODE_DELAY && node.type == TYPE_EVENT)
            mark_draws(b, node.arg[1], lower(&b->c, PHASE_REACT, node.arg[0]).present);
        else if (node.op == NODE_DELTA)
            mark_draws(b, node.arg[1], lower(&b->c, PHASE_REACT, node.arg[0]).present);
    }
}
