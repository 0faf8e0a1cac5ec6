// Loops of definitions: fixed points, which a constructive loop reaches in as many rounds as it has members (rule R1);
// loops through equations and bond graphs, solved by Newton's method; and those that nothing can break, refused.
#include "emit/program_inside.h"

typedef struct Knowing
{
    Programs* p;
    const uint32_t* members;
    uint32_t count;
    SymReg first_known;
    Map task_index;  // task → number in the loop
    Map memo;        // scalar → scalar: is it known
} Knowing;

static ScalarId known_register(Knowing* k, SymReg reg)
{
    Compiler* c = k->p->emitter.c;
    uint32_t task, index;
    if (map_get(&c->task_of, reg, &task) && map_get(&k->task_index, task, &index))
        return scalar_reg(&c->scalars, sym_reg(REG_TEMP, sym_index(k->first_known) + index));
    return scalar_const(&c->scalars, 1);
}

// When the value of an expression is known: all arguments are, except that `select` needs only the chosen side and
// and/or are decided by one side (the monotone extensions of the constructive semantics).
static ScalarId known(Knowing* k, ScalarId s)
{
    Compiler* c = k->p->emitter.c;
    Scalars* z = &c->scalars;
    uint32_t found;
    if (map_get(&k->memo, s, &found))
        return found;
    const Scalar x = z->list.at[s];
    ScalarId out = scalar_const(z, 1);
    if (x.op == SCALAR_REG)
        out = known_register(k, x.reg);
    else if (x.op == VM_SELECT)
        out = scalar_and(z, known(k, x.arg[0]), scalar_select(z, x.arg[0], known(k, x.arg[1]), known(k, x.arg[2])));
    else if (x.op == VM_AND || x.op == VM_OR)
    {
        ScalarId ka = known(k, x.arg[0]), kb = known(k, x.arg[1]);
        ScalarId a = x.op == VM_OR ? x.arg[0] : scalar_not(z, x.arg[0]);
        ScalarId b = x.op == VM_OR ? x.arg[1] : scalar_not(z, x.arg[1]);
        out = scalar_or(z, scalar_and(z, ka, kb), scalar_or(z, scalar_and(z, ka, a), scalar_and(z, kb, b)));
    }
    else
        for (int i = 0; i < vm_op_arity((VmOp)x.op); i++)
            out = scalar_and(z, out, known(k, x.arg[i]));
    map_set(&k->memo, s, out);
    return out;
}

static void emit_member(Knowing* k, Phase phase, uint32_t member)
{
    Compiler* c = k->p->emitter.c;
    Scalars* z = &c->scalars;
    uint32_t task = k->members[member];
    SymReg flag = sym_reg(REG_TEMP, sym_index(k->first_known) + member);
    Sinks items = {0};
    bool modal = false;
    for (uint32_t i = 0; i < task_item_count(c, task); i++)
    {
        TaskItem item = task_item(c, phase, task, i);
        const Task* t = &c->tasks.at[task];
        ScalarId sure =
            scalar_and(z, known(k, item.value.present),
                       scalar_select(z, item.value.present, known(k, item.value.value), scalar_const(z, 1)));
        vec_push(c->arena, items, (Sink){item.ctx, item.value.value, t->reg});
        if (t->present != NO_REG)
            vec_push(c->arena, items, (Sink){item.ctx, item.value.present, t->present});
        vec_push(c->arena, items, (Sink){item.ctx, sure, flag});
        modal |= item.ctx != 0;
    }
    if (modal)  // in a mode without a definition it is absent, and that is known
    {
        if (c->tasks.at[task].present != NO_REG)
            emit_constant(&k->p->emitter, 0, c->tasks.at[task].present);
        emit_constant(&k->p->emitter, 1, flag);
    }
    emit_in(k->p, items.at, items.count, 0);
}

static const char* place_text(Compiler* c, Span span)
{
    kaiPlace at = sources_place(c->sources, span);
    return at.file != NULL ? arena_printf(c->arena, "%s:%d:%d", at.file, at.line, at.column) : "";
}

// The part of a variable that a task computes: a loop may go through one of them and not the others (rule R2).
static const char* task_name(Compiler* c, uint32_t task)
{
    const Task* t = &c->tasks.at[task];
    const char* own = c->flat->vars.at[t->var].name;
    const char* name = own[0] == '$' ? "a value inside" : own;
    bool state = c->flat->vars.at[t->var].kind == VAR_STATE;
    switch (t->kind)
    {
    case TASK_RIGHT_HAND_SIDE: return arena_printf(c->arena, "%s'", name);
    case TASK_DERIVATIVE: return arena_printf(c->arena, "the derivative of %s", name);
    case TASK_IMPULSE: return arena_printf(c->arena, "the %s of %s", state && t->base == 0 ? "jump" : "impulse", name);
    case TASK_NOW: return arena_printf(c->arena, "the value of %s after its jump", name);
    default: return name;
    }
}

// A cycle through the members, as "x (file:line:col) needs y (…) needs x".
static const char* loop_text(TaskGraph* n, const uint32_t* members, uint32_t count)
{
    Compiler* c = n->c;
    Map inside, visited;
    map_init(&inside, c->arena);
    map_init(&visited, c->arena);
    for (uint32_t i = 0; i < count; i++)
        map_set(&inside, members[i], i);
    const char* text = "";
    uint32_t at = members[0], seen;
    for (uint32_t step = 0; step < 12 && !map_get(&visited, at, &seen); step++)
    {
        map_set(&visited, at, 1);
        uint32_t task = n->tasks.at[at];
        Span span = task_item(c, n->spec->phase, task, 0).span;
        text = arena_printf(c->arena, "%s%s (%s) needs ", text, task_name(c, task), place_text(c, span));
        for (uint32_t e = n->first.at[at]; e < n->first.at[at + 1]; e++)
            if (map_get(&inside, n->edges.at[e], &seen))
            {
                at = n->edges.at[e];
                break;
            }
    }
    return arena_printf(c->arena, "%s%s", text, task_name(c, n->tasks.at[at]));
}

// What the loop reads from outside, so that a message can tell what is known.
static void loop_inputs(TaskGraph* n, const uint32_t* local, uint32_t count, LoopInfo* loop)
{
    Compiler* c = n->c;
    Map seen;
    map_init(&seen, c->arena);
    uint32_t ignored;
    for (uint32_t i = 0; i < count; i++)
        map_set(&seen, local[i], 1);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t e = n->first.at[local[i]]; e < n->first.at[local[i] + 1]; e++)
            if (!map_get(&seen, n->edges.at[e], &ignored))
            {
                map_set(&seen, n->edges.at[e], 1);
                vec_push(c->arena, loop->inputs, c->tasks.at[n->tasks.at[n->edges.at[e]]].var);
            }
}

// ---- loops through bond graphs, solved by Newton's method

// Unknowns of the loop and the derivatives of everything in it with respect to one of them.
typedef struct Newton
{
    Programs* p;
    TaskGraph* n;
    VEC(uint32_t) tears;   // tasks
    VEC(uint32_t) others;  // local tasks, each after what it needs
    uint32_t column;       // the unknown that is differentiated for
    Map partial;           // register * NEWTON_MAX + column → scalar
} Newton;

static ScalarId newton_leaf(Compiler* c, void* user, SymReg reg)
{
    Newton* w = user;
    uint32_t found;
    if (reg == c->tasks.at[w->tears.at[w->column]].reg)
        return scalar_const(&c->scalars, 1);
    return map_get(&w->partial, (uint64_t)reg * NEWTON_MAX + w->column, &found) ? found : 0;
}

static ScalarId newton_derivative(Newton* w, ScalarId value)
{
    Map memo;
    map_init(&memo, w->n->c->arena);
    return differentiate(w->n->c, value, newton_leaf, w, &memo);
}

// The members that are no unknowns, in an order in which they can be computed once the unknowns are given.
static bool order_others(Newton* w, const uint32_t* local, uint32_t count)
{
    TaskGraph* n = w->n;
    Compiler* c = n->c;
    Map index;
    map_init(&index, c->arena);
    VEC(uint32_t) members = {0}, first = {0}, edges = {0};
    for (uint32_t i = 0; i < count; i++)
    {
        if (is_tear(c, n->tasks.at[local[i]]))
        {
            vec_push(c->arena, w->tears, n->tasks.at[local[i]]);
            continue;
        }
        map_set(&index, local[i], members.count);
        vec_push(c->arena, members, local[i]);
    }
    bool fine = w->tears.count <= NEWTON_MAX;
    for (uint32_t i = 0; i < members.count; i++)
    {
        vec_push(c->arena, first, edges.count);
        uint32_t to;
        for (uint32_t e = n->first.at[members.at[i]]; e < n->first.at[members.at[i] + 1]; e++)
            if (map_get(&index, n->edges.at[e], &to))
            {
                vec_push(c->arena, edges, to);
                fine &= to != i;
            }
    }
    vec_push(c->arena, first, edges.count);
    Components k = graph_components(c->arena, members.count, first.at, edges.at);
    for (uint32_t i = 0; i < members.count; i++)
        vec_push(c->arena, w->others, members.at[k.nodes[i]]);
    return fine && k.count == members.count;
}

// A member and its derivatives.
static void emit_other(Newton* w, uint32_t task)
{
    Programs* p = w->p;
    Compiler* c = p->emitter.c;
    Phase phase = w->n->spec->phase;
    Sinks sinks = {0};
    task_sinks(p, phase, task, &sinks);
    emit_sinks(p, sinks.at, sinks.count);
    for (w->column = 0; w->column < w->tears.count; w->column++)
    {
        Sinks slopes = {0};
        double zero;
        bool constant = true;
        SymReg dst = compiler_reg(c, REG_TEMP);
        for (uint32_t i = 0; i < task_item_count(c, task); i++)
        {
            TaskItem item = task_item(c, phase, task, i);
            ScalarId slope = newton_derivative(w, item.value.value);
            constant &= scalar_is_const(&c->scalars, slope, &zero) && zero == 0;
            vec_push(c->arena, slopes, (Sink){item.ctx, slope, dst});
        }
        if (constant)
            continue;
        emit_sinks(p, slopes.at, slopes.count);
        map_set(&w->partial, (uint64_t)c->tasks.at[task].reg * NEWTON_MAX + w->column, scalar_reg(&c->scalars, dst));
    }
}

// What a message says of the loop: its equations, and its unknowns.
static void name_equations(Newton* w, LoopInfo* loop)
{
    Compiler* c = w->p->emitter.c;
    const char* text = NULL;
    for (uint32_t i = 0; i < w->tears.count; i++)
    {
        uint32_t var = c->tasks.at[w->tears.at[i]].var;
        const char* equation = c->flat->implicits.at[c->vars.at[var].implicit - 1].text;
        if (equation != NULL && i < 8)
            text = arena_printf(c->arena, "%s%s%s", text != NULL ? text : "", text != NULL ? "; " : "", equation);
    }
    if (text == NULL)
        return;
    loop->text = text;
    loop->count = w->tears.count;
    for (uint32_t i = 0; i < w->tears.count; i++)
    {
        loop->vars[i] = c->tasks.at[w->tears.at[i]].var;
        loop->names[i] = task_name(c, w->tears.at[i]);
    }
}

static void emit_newton_loop(Programs* p, TaskGraph* n, const uint32_t* local, uint32_t count, LoopInfo* loop)
{
    Compiler* c = p->emitter.c;
    Newton w = {.p = p, .n = n};
    map_init(&w.partial, c->arena);
    if (!order_others(&w, local, count))
    {
        Diag* d = diag_error(c->diags, K_NOT_YET, task_item(c, n->spec->phase, n->tasks.at[local[0]], 0).span,
                             "an algebraic loop through a bond graph is %s: %s",
                             w.tears.count > NEWTON_MAX ? "too large" : "closed outside of it too", loop->text);
        diag_help(c->diags, d, "break it by `pre`, or by a storage in between");
        return;
    }
    uint32_t m = w.tears.count;
    name_equations(&w, loop);
    SymReg* registers = arena_array(c->arena, SymReg, newton_registers(m));
    for (uint32_t i = 0; i < newton_registers(m); i++)
        registers[i] = i < m ? c->tasks.at[w.tears.at[i]].reg : compiler_reg(c, REG_TEMP);
    uint32_t head = emit_newton(&p->emitter, m, registers, p->loops.count);
    loop->newton = loop->derivative = true;
    for (uint32_t i = 0; i < m; i++)
        loop->derivative &= c->tasks.at[w.tears.at[i]].kind == TASK_DERIVATIVE;
    for (uint32_t i = 0; i < w.others.count; i++)
        emit_other(&w, n->tasks.at[w.others.at[i]]);
    for (uint32_t i = 0; i < m; i++)
    {
        ScalarId residual = task_item(c, n->spec->phase, w.tears.at[i], 0).value.value;
        emit_to(&p->emitter, residual, registers[m + i]);
        for (w.column = 0; w.column < m; w.column++)
            emit_to(&p->emitter, newton_derivative(&w, residual), registers[2 * m + i * m + w.column]);
    }
    emit_newton_end(&p->emitter, head);
    vec_push(c->arena, p->loops, *loop);
}

// ---- loops that nothing can break

// Whether a value can become known under some condition, given which members can.
static bool can_be_known(Knowing* k, const bool* members, ScalarId s, Map* memo)
{
    Compiler* c = k->p->emitter.c;
    uint32_t found, task;
    if (map_get(memo, s, &found))
        return found;
    const Scalar x = c->scalars.list.at[s];
    bool can = true;
    if (x.op == SCALAR_REG)
        can = !map_get(&c->task_of, x.reg, &task) || !map_get(&k->task_index, task, &found) || members[found];
    else if (x.op == VM_SELECT)
        can = can_be_known(k, members, x.arg[0], memo) &&
              (can_be_known(k, members, x.arg[1], memo) || can_be_known(k, members, x.arg[2], memo));
    else if (x.op == VM_AND || x.op == VM_OR)
        can = can_be_known(k, members, x.arg[0], memo) || can_be_known(k, members, x.arg[1], memo);
    else
        for (int i = 0; i < vm_op_arity((VmOp)x.op) && can; i++)
            can = x.arg[i] == 0 || can_be_known(k, members, x.arg[i], memo);
    map_set(memo, s, can);
    return can;
}

static bool item_can(Knowing* k, const bool* members, const TaskItem* item, Map* memo)
{
    double there;
    bool always = scalar_is_const(&k->p->emitter.c->scalars, item->value.present, &there) && there != 0;
    return can_be_known(k, members, item->value.present, memo) &&
           (!always || can_be_known(k, members, item->value.value, memo));  // what is absent needs no value
}

// While `ctx` is active: of the definitions that can hold then one must be possible, the one that surely holds if there
// is one.
static bool member_can(Knowing* k, Phase phase, const bool* members, uint32_t member, uint32_t ctx, Map* memo)
{
    Compiler* c = k->p->emitter.c;
    bool open = true;  // perhaps none of them holds, and it is absent
    for (uint32_t i = 0; i < task_item_count(c, k->members[member]); i++)
    {
        TaskItem item = task_item(c, phase, k->members[member], i);
        if (ctx_exclusive(c->flat, item.ctx, ctx))
            continue;
        if (ctx_inside(c->flat, ctx, item.ctx))
            return item_can(k, members, &item, memo);
        if (item_can(k, members, &item, memo))
            return true;
        const Task* t = &c->tasks.at[k->members[member]];
        open &= t->kind != TASK_DEFINITION || !definitions_cover(c, t->var, 0, 0);
    }
    return open;
}

// The definition that holds while a context is active.
static TaskItem item_in(Compiler* c, Phase phase, uint32_t task, uint32_t ctx)
{
    for (uint32_t i = 0; i < task_item_count(c, task); i++)
    {
        TaskItem item = task_item(c, phase, task, i);
        if (ctx_inside(c->flat, ctx, item.ctx))
            return item;
    }
    return task_item(c, phase, task, 0);
}

static void report_unbroken(Knowing* k, Phase phase, uint32_t member, uint32_t ctx, const char* text)
{
    Compiler* c = k->p->emitter.c;
    const Task* t = &c->tasks.at[k->members[member]];
    const FlatVar* var = &c->flat->vars.at[t->var];
    TaskItem item = item_in(c, phase, k->members[member], ctx);
    const FlatCtx at = c->flat->ctxs.at[ctx];
    const char* mode = ctx != 0 ? c->flat->machines.at[at.machine].modes.at[at.mode].name : "";
    if (!report_is_new(c, K_LOOP_UNBROKEN, item.span))
        return;
    Diag* diag = diag_error(c->diags, K_LOOP_UNBROKEN, item.span,
                            "nonconstructive%s%s: nothing decides which is computed first; the loop: %s",
                            ctx != 0 ? " in mode " : "", mode, text);
    if (t->kind == TASK_DEFINITION && var->kind == VAR_SIGNAL && !var->hidden && t->defs.count == 1)
        diag_help(c->diags, diag, "break it with `pre`, or solve it: `unknown %s = 0` and `equation %s == %s`",
                  var->name, var->name, flat_text(c->flat, c->arena, c->flat->defs.at[t->defs.at[0]].value));
}

// The least set of members that can be known while a context is active, whatever else holds: if one is missing, no run
// gets past it. False: reported.
static bool check_unbroken(Knowing* k, Phase phase, uint32_t ctx, const char* text)
{
    Compiler* c = k->p->emitter.c;
    bool* members = arena_array(c->arena, bool, k->count);
    for (bool changed = true; changed;)
    {
        Map memo;
        map_init(&memo, c->arena);
        changed = false;
        for (uint32_t i = 0; i < k->count; i++)
            if (!members[i] && member_can(k, phase, members, i, ctx, &memo))
                members[i] = changed = true;
    }
    for (uint32_t i = k->count; i-- > 0;)
        if (!members[i])
            return report_unbroken(k, phase, i, ctx, text), false;
    return true;
}

static void refuse_unbroken(Knowing* k, Phase phase, const char* text)
{
    enum
    {
        CONTEXTS_MAX = 64
    };
    Compiler* c = k->p->emitter.c;
    Map seen;
    map_init(&seen, c->arena);
    uint32_t found, count = 0;
    bool fine = check_unbroken(k, phase, 0, text);
    for (uint32_t i = 0; i < k->count && fine; i++)
        for (uint32_t d = 0; d < task_item_count(c, k->members[i]) && fine && count < CONTEXTS_MAX; d++)
        {
            uint32_t ctx = task_item(c, phase, k->members[i], d).ctx;
            if (ctx == 0 || map_get(&seen, ctx, &found))
                continue;
            map_set(&seen, ctx, 1);
            count++;
            fine = check_unbroken(k, phase, ctx, text);
        }
}

static bool has_tear(TaskGraph* n, const uint32_t* local, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_tear(n->c, n->tasks.at[local[i]]))
            return true;
    return false;
}

void emit_loop(Programs* p, TaskGraph* n, const uint32_t* local, uint32_t count)
{
    Compiler* c = p->emitter.c;
    uint32_t* members = arena_array(c->arena, uint32_t, count);
    LoopInfo loop = {.count = count, .vars = arena_array(c->arena, uint32_t, count)};
    loop.names = arena_array(c->arena, const char*, count);
    Knowing k = {.p = p, .members = members, .count = count};
    map_init(&k.task_index, c->arena);
    map_init(&k.memo, c->arena);
    for (uint32_t i = 0; i < count; i++)
    {
        members[i] = n->tasks.at[local[i]];
        map_set(&k.task_index, members[i], i);
        loop.vars[i] = c->tasks.at[members[i]].var;
        loop.names[i] = task_name(c, members[i]);
        SymReg flag = compiler_reg(c, REG_TEMP);
        k.first_known = i == 0 ? flag : k.first_known;
    }
    loop.first_known = k.first_known;
    loop.text = loop_text(n, local, count);
    loop_inputs(n, local, count, &loop);
    if (has_tear(n, local, count))
    {
        emit_newton_loop(p, n, local, count, &loop);
        return;
    }
    if (c->decide)
        refuse_unbroken(&k, n->spec->phase, loop.text);
    uint32_t head = emit_fix(&p->emitter, k.first_known, count, p->loops.count);
    vec_push(c->arena, p->loops, loop);
    for (uint32_t i = 0; i < count; i++)
        emit_member(&k, n->spec->phase, i);
    emit_fix_end(&p->emitter, head);
}
