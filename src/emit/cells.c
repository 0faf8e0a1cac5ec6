// Tables of the operators that remember: guards for the solver, memories for the commit, clocks, delays, probes.
#include "emit/builder.h"
#include "schedule/reads.h"

#include <math.h>

// ---- guards
// ----------------------------------------------------------------------------------------------------------

static SymReg event_result(Builder* b, uint32_t ctx, ScalarId value)
{
    SymReg dst = compiler_reg(&b->c, REG_TEMP);
    vec_push(b->arena, b->event_sinks, (Sink){ctx, value, dst});
    return dst;
}

static GuardKind guard_kind(NodeOp op)
{
    switch (op)
    {
    case NODE_UP: return GUARD_UP;
    case NODE_DOWN: return GUARD_DOWN;
    case NODE_CROSS: return GUARD_CROSS;
    case NODE_LT:
    case NODE_GT: return GUARD_LESS;
    default: return GUARD_LESS_EQUAL;
    }
}

static SymReg presence_register(Builder* b, uint32_t ctx, ScalarId present, bool react)
{
    double v;
    if (scalar_is_const(&b->c.scalars, present, &v) && v != 0)
        return NO_REG;
    return react ? react_result(b, ctx, present) : event_result(b, ctx, present);
}

enum
{
    SMALL = 200  // tasks behind a guard that gets code of its own
};

// Code that computes g and its slope alone: the search asks for one guard at a time.
static void guard_slope_code(Builder* b, Guard* guard, ScalarId g, ScalarId slope, const Reads* turns)
{
    if (turns->tasks > SMALL)
        return;
    Sink sinks[] = {{guard->ctx, g, guard->g}, {guard->ctx, slope, guard->slope}};
    ProgramSpec spec = {.phase = PHASE_FLOW, .sinks = sinks, .sink_count = 2, .slopes_given = !guard->rates};
    guard->slope_code = build_program(b->programs, &spec, NULL);
}

// Code that computes g alone, if g is small enough to be worth it, with the derivatives that it reads (decision 0306).
static void guard_code(Builder* b, Guard* guard, ScalarId g, const Reads* reads)
{
    if (reads->slopes != guard->rates || reads->tasks > SMALL)
        return;
    guard->first_state = b->guard_states.count;
    guard->state_count = reads->states.count;
    for (uint32_t i = 0; i < reads->states.count; i++)
        vec_push(b->arena, b->guard_states, (int32_t)reads->states.at[i]);
    Sink sink = {guard->ctx, g, guard->g};
    ProgramSpec spec = {.phase = PHASE_FLOW, .sinks = &sink, .sink_count = 1, .slopes_given = !guard->rates};
    guard->code = build_program(b->programs, &spec, NULL);
}

// What a register is defined as, if it has one definition.
static ScalarId definition_of(Compiler* c, ScalarId leaf)
{
    uint32_t task;
    if (!map_get(&c->task_of, c->scalars.list.at[leaf].reg, &task) || task_item_count(c, task) != 1)
        return 0;
    TaskKind kind = c->tasks.at[task].kind;
    return kind == TASK_DEFINITION || kind == TASK_DERIVATIVE ? task_item(c, PHASE_FLOW, task, 0).value.value : 0;
}

static ScalarId size_of_terms(Compiler* c, ScalarId id, int depth, Map* memo);

// The sizes of the values of a row, as a list.
static ScalarId sizes_of_list(Compiler* c, ScalarId list, int depth, Map* memo)
{
    VEC(ScalarId) sizes = {0};
    Span span = c->scalars.list.at[list].span;
    for (Scalar a = c->scalars.list.at[list]; a.op == VM_ARGUMENT; a = c->scalars.list.at[a.arg[1]])
        vec_push(c->arena, sizes, size_of_terms(c, a.arg[0], depth, memo));
    ScalarId out = scalar_const(&c->scalars, 0);
    for (uint32_t i = sizes.count; i-- > 0;)
        out = scalar_make(&c->scalars, VM_ARGUMENT, sizes.at[i], out, 0, span);
    return out;
}

// The size of the terms that a value is the sum of.
static ScalarId size_of_terms(Compiler* c, ScalarId id, int depth, Map* memo)
{
    Scalars* s = &c->scalars;
    const Scalar made = s->list.at[id];
    uint32_t known;
    if (map_get(memo, id, &known))
        return known;
    ScalarId size = 0, defined = made.op == SCALAR_REG && depth > 0 ? definition_of(c, id) : 0;
    if (defined)
        size = size_of_terms(c, defined, depth - 1, memo);
    else if (depth > 0 && (made.op == VM_ADD || made.op == VM_SUB || made.op == VM_MUL))
        size = scalar_make(s, made.op == VM_MUL ? VM_MUL : VM_ADD, size_of_terms(c, made.arg[0], depth - 1, memo),
                           size_of_terms(c, made.arg[1], depth - 1, memo), 0, made.span);
    else if (depth > 0 && made.op == VM_NEG)
        size = size_of_terms(c, made.arg[0], depth - 1, memo);
    else if (depth > 0 && made.op == VM_ROW)
        size = scalar_make(s, VM_ROW_SIZE, sizes_of_list(c, made.arg[0], depth - 1, memo), made.arg[1], made.arg[2],
                           made.span);
    else
        size = scalar_make(s, VM_ABS, id, 0, 0, made.span);
    map_set(memo, id, size);
    return size;
}

// The guard of a junction that stands on its level leaves it by more than rounding (rule B5): a diode that stops
// conducting at the top of a sine has a voltage of 0 that does not move at first, and must not conduct again because of
// the last digit. That time itself has a last digit makes the slope less exact than a value: 1e-9, not 1e-12. Whoever
// leaves more slowly is found by the search, a step later.
static ScalarId rounded_slope(Builder* b, ScalarId slope)
{
    enum
    {
        DEPTH = 40
    };
    Scalars* s = &b->c.scalars;
    Span span = s->list.at[slope].span;
    map_clear(&b->c.scalars.asked);
    ScalarId bound =
        scalar_make(s, VM_MUL, scalar_const(s, 1e-9), size_of_terms(&b->c, slope, DEPTH, &b->c.scalars.asked), 0, span);
    ScalarId small = scalar_make(s, VM_LT, scalar_make(s, VM_ABS, slope, 0, 0, span), bound, 0, span);
    return scalar_select(s, small, scalar_const(s, 0), slope);
}

static void add_guard(Builder* b, Guard guard, ScalarId g, const Cell* cell)
{
    ScalarId slope = flow_derivative(&b->c, g);
    const Node* node = &b->c.flat->nodes.at[cell->node];
    if (node->op >= NODE_LT && node->op <= NODE_NE && node->aux == 1)
        slope = rounded_slope(b, slope);
    for (uint32_t i = 0; i < b->c.flat->transitions.count && !guard.one_way; i++)
        guard.one_way = b->c.flat->transitions.at[i].one_way_watch == cell->node;
    Reads reads = what_it_reads(&b->c, g);
    guard.searched = (reads.mask & (READS_TIME | READS_CONTINUOUS)) != 0;
    guard.time_only = reads.mask == READS_TIME && what_it_reads(&b->c, slope).mask == 0;
    Reads turns = what_it_reads(&b->c, slope);
    guard.curved = !guard.time_only && ((turns.mask & READS_TIME) != 0 || turns.states.count > 0);
    if (reads.slopes && !b->c.flat->solves_slopes)
    {
        Reads behind = what_its_rates_read(&b->c, g);
        guard.rates = behind.tasks <= SMALL;
        reads = guard.rates ? behind : reads;
    }
    guard.curved |= guard.rates;
    guard.g = event_result(b, cell->ctx, g);
    guard.slope = event_result(b, cell->ctx, slope);
    if (guard.searched)
        guard_code(b, &guard, g, &reads);
    if (guard.searched && !guard.time_only)
        guard_slope_code(b, &guard, g, slope, &turns);
    guard.time_only &= guard.code.end > guard.code.start;
    vec_push(b->arena, b->guards, guard);
}

// Events that are one crossing each lend it their name; the first of several.
static void name_events(Builder* b)
{
    const Flat* flat = b->c.flat;
    for (uint32_t i = flat->defs.count; i-- > 0;)
    {
        const FlatDef* def = &flat->defs.at[i];
        if (def->order == 0 && def->value != 0 && flat->vars.at[def->var].type == TYPE_EVENT &&
            !flat->vars.at[def->var].hidden)
            map_set(&b->event_names, def->value, def->var + 1);
    }
}

static const char* event_name(Builder* b, NodeId node)
{
    uint32_t var;
    if (b->guards.count == 0)
        name_events(b);
    return map_get(&b->event_names, node, &var) ? b->c.flat->vars.at[var - 1].name : NULL;
}

// The ends of the segment of a table that its argument is in.
static void add_edge_guards(Builder* b, Guard guard, const Cell* cell, ScalarId segment)
{
    Compiler* c = &b->c;
    const Node place = c->flat->nodes.at[cell->g];
    Lowered u = lower(c, PHASE_FLOW, place.arg[0]);
    for (int up = 1; up >= 0; up--)
    {
        RowsEdge edge = rows_edge(c, place.aux, u.value, segment, up == 1, place.span);
        guard.kind = up ? GUARD_FLOOR_UP : GUARD_FLOOR_DOWN;
        guard.present = presence_register(b, cell->ctx, scalar_and(&c->scalars, u.present, edge.present), false);
        add_guard(b, guard, edge.beyond, cell);
    }
}

static void build_guard(Builder* b, const Cell* cell)
{
    Compiler* c = &b->c;
    Node node = c->flat->nodes.at[cell->node];
    Lowered flow = lower(c, PHASE_FLOW, cell->g), react = lower(c, PHASE_REACT, cell->g);
    Guard guard = {.ctx = cell->ctx, .latch = cell->latch, .last_g = cell->last, .side = cell->side, .truth = NO_REG};
    if (cell->kind == CELL_RELATION && node.aux == 0)
    {
        react.present = scalar_and(&c->scalars, react.present, relation_needed(c, PHASE_REACT, cell->node));
        flow.present = scalar_and(&c->scalars, flow.present, relation_needed(c, PHASE_FLOW, cell->node));
    }
    guard.kind = (uint8_t)guard_kind((NodeOp)node.op);
    guard.text = build_string(b, flat_text(c->flat, b->arena, cell->node));
    guard.name = build_string(b, event_name(b, cell->node));
    guard.place = build_place(b, node.span);
    guard.react_g = react_result(b, cell->ctx, react.value);
    guard.react_present = presence_register(b, cell->ctx, react.present, true);
    guard.present = presence_register(b, cell->ctx, flow.present, false);
    if (cell->kind != CELL_CROSSING)
        guard.truth = react_result(b, cell->ctx, lower(c, PHASE_REACT, cell->node).value);
    else
        vec_push(b->arena, b->event_flags, cell->latch);
    guard.argument = event_result(b, cell->ctx, flow.value);
    if (cell->kind != CELL_FLOOR)
    {
        add_guard(b, guard, flow.value, cell);
        return;
    }
    Scalars* s = &c->scalars;
    ScalarId n = scalar_reg(s, cell->latch);
    if (node.op == NODE_SEGMENT)
    {
        add_edge_guards(b, guard, cell, n);
        return;
    }
    ScalarId next = scalar_make(s, VM_ADD, n, scalar_const(s, 1), 0, node.span);
    guard.kind = GUARD_FLOOR_UP;
    add_guard(b, guard, scalar_make(s, VM_SUB, flow.value, next, 0, node.span), cell);
    guard.kind = GUARD_FLOOR_DOWN;
    add_guard(b, guard, scalar_make(s, VM_SUB, flow.value, n, 0, node.span), cell);
}

// ---- memories, clocks, delays, probes
// --------------------------------------------------------------------------------

static SymReg start_result(Builder* b, NodeId node)
{
    SymReg dst = compiler_reg(&b->c, REG_MEMORY);
    vec_push(b->arena, b->start_sinks, (Sink){0, lower(&b->c, PHASE_REACT, node).value, dst});
    return dst;
}

static void build_pre(Builder* b, const Cell* cell)
{
    Compiler* c = &b->c;
    Node node = c->flat->nodes.at[cell->node];
    const VarInfo* info = &c->vars.at[c->flat->nodes.at[node.arg[0]].aux];
    Memory memory = {.dst = cell->latch, .src = info->reg, .left = info->reg, .forces = true, .ctx = 0};
    memory.has_first = node.arg[1] != 0;
    if (memory.has_first)
        vec_push(b->arena, b->start_sinks, (Sink){0, lower(c, PHASE_REACT, node.arg[1]).value, cell->latch});
    vec_push(b->arena, b->memories, memory);
    if (cell->latch_present == NO_REG)
        return;
    memory.dst = cell->latch_present;
    memory.src = memory.left = info->present;
    if (info->present == NO_REG)  // local to a mode: present while the mode is active
    {
        Lowered now = lower(c, PHASE_REACT, node.arg[0]);
        memory.src = react_result(b, 0, now.present);
        memory.left = NO_REG;
    }
    if (memory.has_first)
        vec_push(b->arena, b->start_sinks, (Sink){0, scalar_const(&c->scalars, 1), cell->latch_present});
    vec_push(b->arena, b->memories, memory);
}

// What an expression was at the tag before. Its left limit comes from the flow.
static ScalarId value_or_nan(Compiler* c, Lowered l)
{
    return scalar_select(&c->scalars, l.present, l.value, scalar_const(&c->scalars, NAN));
}

static void build_last(Builder* b, const Cell* cell)
{
    Compiler* c = &b->c;
    SymReg src = react_result(b, cell->ctx, value_or_nan(c, lower(c, PHASE_REACT, cell->node)));
    SymReg left = event_result(b, cell->ctx, value_or_nan(c, lower(c, PHASE_FLOW, cell->node)));
    Memory memory = {.dst = cell->latch, .src = src, .left = left, .ctx = cell->ctx, .has_idle = true, .idle = NAN};
    memory.steps = c->numeric;
    vec_push(b->arena, b->memories, memory);
}

// Numeric impulses. The shares of an instant begin with nothing; a difference is remembered from the end of a step on.
static void build_pulse(Builder* b, const Cell* cell)
{
    SymReg src = react_result(b, cell->ctx, numeric_shares(&b->c, cell->node));
    SymReg zero = b->c.scalars.list.at[scalar_const(&b->c.scalars, 0)].reg;
    Memory memory = {.dst = cell->latch, .src = src, .left = zero, .ctx = cell->ctx, .has_idle = true};
    memory.steps = memory.shares = true;
    vec_push(b->arena, b->memories, memory);
}

static void build_step(Builder* b, const Cell* cell)
{
    Memory memory = {.dst = cell->latch, .src = cell->latch, .ctx = cell->ctx, .has_idle = true, .idle = NAN};
    memory.left = event_result(b, cell->ctx, value_or_nan(&b->c, lower(&b->c, PHASE_FLOW, cell->node)));
    memory.steps = true;
    vec_push(b->arena, b->memories, memory);
}

// An impulse under `pre` shows one tag later; the left limit of an instant has none.
static void build_pre_impulse(Builder* b, const Cell* cell)
{
    Compiler* c = &b->c;
    NodeId x = c->flat->nodes.at[cell->node].arg[0];
    SymReg src = react_result(b, 0, impulse_part(c, x, (int)cell->index));
    SymReg zero = c->scalars.list.at[scalar_const(&c->scalars, 0)].reg;
    vec_push(b->arena, b->memories,
             (Memory){.dst = cell->latch, .src = src, .left = zero, .forces = true, .pulse = true});
}

static ScalarId derivative_of(Builder* b, Phase phase, NodeId n, uint32_t order)
{
    Lowered now = lower(&b->c, phase, n);
    for (uint32_t k = 0; k < order; k++)
        now.value = flow_derivative(&b->c, now.value);
    return scalar_select(&b->c.scalars, now.present, now.value, scalar_const(&b->c.scalars, 0));
}

static void build_pre_derivative(Builder* b, const Cell* cell)
{
    NodeId x = b->c.flat->nodes.at[cell->node].arg[0];
    SymReg src = react_result(b, 0, derivative_of(b, PHASE_REACT, x, cell->index));
    SymReg left = event_result(b, 0, derivative_of(b, PHASE_FLOW, x, cell->index));
    Memory memory = {.dst = cell->latch, .src = src, .left = left};
    memory.has_first = b->c.flat->nodes.at[cell->node].arg[1] != 0;  // what was written is a constant
    vec_push(b->arena, b->memories, memory);
}

static void build_delay_impulse(Builder* b, const Cell* cell)
{
    Compiler* c = &b->c;
    Node node = c->flat->nodes.at[cell->node];
    Scalars* s = &c->scalars;
    ScalarId weight = impulse_part(c, node.arg[0], (int)cell->side);
    Delay delay = {.event = true, .ctx = cell->ctx, .out = cell->latch, .out_present = cell->latch_present};
    delay.value = react_result(b, cell->ctx, weight);
    delay.present = react_result(b, cell->ctx, scalar_make(s, VM_NE, weight, scalar_const(s, 0), 0, node.span));
    delay.flow_value = delay.flow_slope = delay.edge = delay.past = NO_REG;
    delay.time = start_result(b, node.arg[1]);
    if (node_varies(c, node.arg[1]) != VARIES_NEVER)
        diag_error(c->diags, K_DELAY_VARIES, c->flat->nodes.at[node.arg[1]].span,
                   "the delay of a signal with impulses must not change during the run");
    delay.place = build_place(b, node.span);
    vec_push(b->arena, b->event_flags, cell->latch_present);
    vec_push(b->arena, b->delays, delay);
}

static void build_edge(Builder* b, const Cell* cell)
{
    Compiler* c = &b->c;
    Lowered now = lower(c, PHASE_REACT, c->flat->nodes.at[cell->node].arg[0]);
    SymReg src = react_result(b, cell->ctx, scalar_and(&c->scalars, now.present, now.value));
    Memory memory = {.dst = cell->latch, .src = src, .left = NO_REG, .ctx = cell->ctx, .has_idle = true};
    vec_push(b->arena, b->memories, memory);
}

static void build_hold(Builder* b, const Cell* cell)
{
    Compiler* c = &b->c;
    SymReg src = react_result(b, cell->ctx, lower(c, PHASE_REACT, cell->node).value);
    vec_push(b->arena, b->memories, (Memory){.dst = cell->latch, .src = src, .left = NO_REG, .ctx = cell->ctx});
    NodeId first = c->flat->nodes.at[cell->node].arg[1];
    vec_push(b->arena, b->start_sinks, (Sink){0, lower(c, PHASE_REACT, first).value, cell->latch});
}

static void build_clock(Builder* b, const Cell* cell)
{
    Node node = b->c.flat->nodes.at[cell->node];
    Clock clock = {.ctx = cell->ctx, .flag = cell->latch, .count = cell->count, .place = build_place(b, node.span)};
    clock.period = start_result(b, node.arg[0]);
    clock.first = start_result(b, node.arg[1] != 0 ? node.arg[1] : flat_const(b->c.flat, 0, TYPE_REAL));
    vec_push(b->arena, b->event_flags, cell->latch);
    vec_push(b->arena, b->clocks, clock);
}

// Each event may wait for its own time, known when it is sent.
static SymReg delay_time(Builder* b, const Cell* cell, const Node* node)
{
    Compiler* c = &b->c;
    if (node_varies(c, node->arg[1]) == VARIES_NEVER)
        return start_result(b, node->arg[1]);
    if (node->type == TYPE_EVENT)
        return react_result(b, cell->ctx, value_or_nan(c, lower(c, PHASE_REACT, node->arg[1])));
    return event_result(b, cell->ctx, value_or_nan(c, lower(c, PHASE_FLOW, node->arg[1])));
}

// A delay that varies: what broke at `edge` comes out where t - T crosses that time.
static void delay_guard(Builder* b, const Cell* cell, const Node* node, Delay* delay)
{
    Compiler* c = &b->c;
    Scalars* s = &c->scalars;
    ScalarId T[2] = {lower(c, PHASE_FLOW, node->arg[1]).value, lower(c, PHASE_REACT, node->arg[1]).value}, g[2];
    delay->edge = compiler_reg(c, REG_MEMORY);
    for (int i = 0; i < 2; i++)
        g[i] = scalar_make(s, VM_SUB, scalar_make(s, VM_SUB, scalar_reg(s, c->time), T[i], 0, node->span),
                           scalar_reg(s, delay->edge), 0, node->span);
    Guard guard = {.ctx = cell->ctx, .kind = GUARD_UP, .truth = NO_REG, .present = NO_REG, .react_present = NO_REG};
    guard.latch = compiler_reg(c, REG_MEMORY);
    guard.last_g = compiler_reg(c, REG_MEMORY);
    guard.side = compiler_reg(c, REG_MEMORY);
    guard.text = build_string(b, arena_printf(b->arena, "delay(%s, %s)", flat_text(c->flat, b->arena, node->arg[0]),
                                              flat_text(c->flat, b->arena, node->arg[1])));
    guard.place = delay->place;
    guard.react_g = react_result(b, cell->ctx, g[1]);
    guard.argument = event_result(b, cell->ctx, g[0]);
    vec_push(b->arena, b->event_flags, guard.latch);
    delay->guard = b->guards.count;
    add_guard(b, guard, g[0], cell);
}

// What went in before the start, as a program of its own.
static void delay_past(Builder* b, const Node* node, Delay* delay)
{
    ScalarId value = lower(&b->c, PHASE_FLOW, node->arg[2]).value;
    delay->past = compiler_reg(&b->c, REG_TEMP);
    Sink sink = {0, value, delay->past};
    ProgramSpec spec = {.phase = PHASE_FLOW, .sinks = &sink, .sink_count = 1};
    delay->past_code = build_program(b->programs, &spec, NULL);
}

// Code that computes what goes in alone, as for guards.
static void delay_code(Builder* b, Delay* delay, ScalarId value)
{
    Reads reads = what_it_reads(&b->c, value);
    if (reads.slopes || reads.tasks > SMALL)
        return;
    delay->first_state = b->guard_states.count;
    delay->state_count = reads.states.count;
    for (uint32_t i = 0; i < reads.states.count; i++)
        vec_push(b->arena, b->guard_states, (int32_t)reads.states.at[i]);
    Sink sink = {delay->ctx, value, delay->flow_value};
    ProgramSpec spec = {.phase = PHASE_FLOW, .sinks = &sink, .sink_count = 1, .slopes_given = true};
    delay->code = build_program(b->programs, &spec, NULL);
}

static void build_delay(Builder* b, const Cell* cell)
{
    Compiler* c = &b->c;
    Node node = c->flat->nodes.at[cell->node];
    Lowered react = lower(c, PHASE_REACT, node.arg[0]), flow = lower(c, PHASE_FLOW, node.arg[0]);
    Delay delay = {.event = node.type == TYPE_EVENT, .ctx = cell->ctx, .out = cell->latch};
    delay.edge = delay.past = NO_REG;
    delay.out_present = cell->latch_present;
    delay.value = react_result(b, cell->ctx, react.value);
    delay.present = presence_register(b, cell->ctx, react.present, true);
    delay.flow_value = delay.event ? NO_REG : event_result(b, cell->ctx, flow.value);
    delay.flow_slope = delay.event ? NO_REG : event_result(b, cell->ctx, flow_derivative(c, flow.value));
    delay.time = delay_time(b, cell, &node);
    delay.place = build_place(b, node.span);
    if (delay.event)
        vec_push(b->arena, b->event_flags, cell->latch_present);
    else
        delay_code(b, &delay, flow.value);
    delay.varies = !delay.event && node_varies(c, node.arg[1]) != VARIES_NEVER;
    if (delay.varies)
        delay_guard(b, cell, &node, &delay);
    if (node.arg[2] != 0)
        delay_past(b, &node, &delay);
    vec_push(b->arena, b->delays, delay);
}

static void build_queue(Builder* b, const Cell* cell)
{
    Node node = b->c.flat->nodes.at[cell->node];
    Lowered put = lower(&b->c, PHASE_REACT, node.arg[0]), out = lower(&b->c, PHASE_REACT, cell->node);
    Delay queue = {.event = true, .queue = true, .ctx = cell->ctx, .out = cell->latch, .out_present = cell->count};
    queue.value = react_result(b, cell->ctx, put.value);
    queue.present = react_result(b, cell->ctx, put.present);
    queue.time = react_result(b, cell->ctx, out.present);
    queue.flow_value = queue.flow_slope = queue.edge = queue.past = NO_REG;
    queue.place = build_place(b, node.span);
    vec_push(b->arena, b->delays, queue);
}

// The time of a probe: known before the run, or the time of an event.
static SymReg probe_time(Builder* b, NodeId node)
{
    Compiler* c = &b->c;
    Lowered time = lower(c, PHASE_REACT, node);
    if (c->flat->nodes.at[node].op == NODE_TIME_OF)
        return c->scalars.list.at[time.value].reg;
    if (!c->scalars.list.at[time.value].fixed)
    {
        Diag* d =
            diag_error(c->diags, K_NOT_CONSTANT, c->flat->nodes.at[node].span, "the time must be known before the run");
        diag_help(c->diags, d, "give a number, parameters, or time_of(event, k) alone");
    }
    return start_result(b, node);
}

static void build_probe(Builder* b, const Cell* cell)
{
    Flat* flat = b->c.flat;
    Node node = flat->nodes.at[cell->node];
    Probe probe = {.out = cell->latch, .out_present = cell->latch_present, .time = NO_REG, .index = NO_REG};
    NodeId x = node.arg[0];
    switch (node.op)
    {
    case NODE_AT:
        probe.kind = PROBE_AT;
        x = node.arg[1];
        probe.time = probe_time(b, node.arg[0]);
        break;
    case NODE_LEFT:
        probe.kind = PROBE_LEFT;
        x = node.arg[1];
        probe.time = probe_time(b, node.arg[0]);
        break;
    case NODE_AT_INDEX:
        probe.kind = PROBE_INDEX;
        x = node.arg[2];
        probe.time = probe_time(b, node.arg[0]);
        probe.index = start_result(b, node.arg[1]);
        break;
    case NODE_TIME_OF:
        probe.kind = PROBE_TIME_OF;
        probe.index = start_result(b, node.arg[1]);
        break;
    case NODE_FINAL: probe.kind = PROBE_FINAL; break;
    case NODE_COUNT: probe.kind = PROBE_COUNT; break;
    case NODE_LEAST: probe.kind = PROBE_MIN; break;
    default: probe.kind = PROBE_MAX; break;
    }
    probe.var = flat->nodes.at[x].aux;
    vec_push(b->arena, b->probes, probe);
}

// The number of a draw goes up by one whenever it is used: the reaction it stands in fires, or the event it is sampled
// at comes.
static void build_draw(Builder* b, const Cell* cell)
{
    Scalars* s = &b->c.scalars;
    uint32_t used;
    ScalarId when = map_get(&b->draw_uses, cell->node, &used) ? used : scalar_const(s, 0);
    ScalarId next = scalar_make(s, VM_ADD, scalar_reg(s, cell->latch), when, 0, (Span){0});
    vec_push(b->arena, b->memories,
             (Memory){.dst = cell->latch, .src = react_result(b, 0, next), .left = NO_REG, .ctx = 0});
}

static void build_faults(Builder* b)
{
    for (; b->faults.count < b->c.faults.count;)
    {
        FaultInfo info = b->c.faults.at[b->faults.count];
        ModelFault fault = {.ctx = info.ctx, .text = build_string(b, info.text), .place = build_place(b, info.span)};
        fault.code = build_string(b, diag_code_text(info.code));
        fault.help = build_string(b, diag_code_remedy(info.code));
        fault.condition = react_result(b, info.ctx, info.condition);
        vec_push(b->arena, b->faults, fault);
    }
}

void build_cells(Builder* b)
{
    for (uint32_t i = 0; i < b->c.cells.count; i++)  // lowering what a cell reads may add cells
    {
        Cell cell = b->c.cells.at[i];
        switch (cell.kind)
        {
        case CELL_PRE: build_pre(b, &cell); break;
        case CELL_DRAW: build_draw(b, &cell); break;
        case CELL_LAST: build_last(b, &cell); break;
        case CELL_PULSE: build_pulse(b, &cell); break;
        case CELL_STEP: build_step(b, &cell); break;
        case CELL_PRE_IMPULSE: build_pre_impulse(b, &cell); break;
        case CELL_PRE_DERIVATIVE: build_pre_derivative(b, &cell); break;
        case CELL_DELAY_IMPULSE: build_delay_impulse(b, &cell); break;
        case CELL_EDGE: build_edge(b, &cell); break;
        case CELL_HOLD: build_hold(b, &cell); break;
        case CELL_CLOCK: build_clock(b, &cell); break;
        case CELL_QUEUE: build_queue(b, &cell); break;
        case CELL_DELAY: build_delay(b, &cell); break;
        case CELL_PROBE: build_probe(b, &cell); break;
        case CELL_COMMITTED:
            vec_push(
                b->arena, b->committed,
                (Reset){cell.latch, b->c.vars.at[b->c.flat->nodes.at[b->c.flat->nodes.at[cell.node].arg[0]].aux].reg});
            break;
        default: build_guard(b, &cell); break;
        }
    }
    build_faults(b);
}
