// From a set of wanted values to code, in the order that src/schedule gives. Neighbours that live in modes of the same
// machine share one switch.
#include "emit/program_inside.h"

#include <stdlib.h>

// ---- items by context
// ------------------------------------------------------------------------------------------------

// The machine that stands directly in context `at` on the way down to `ctx`, and its mode there.
static FlatCtx step_down(const Flat* flat, uint32_t at, uint32_t ctx)
{
    while (flat->ctxs.at[ctx].parent != at)
        ctx = flat->ctxs.at[ctx].parent;
    return flat->ctxs.at[ctx];
}

// An item, the mode that it belongs to, and its number among the items.
typedef struct ModeItem
{
    Sink sink;
    uint32_t mode, order;
} ModeItem;

static int compare_modes(const void* a, const void* b)
{
    const ModeItem *x = a, *y = b;
    if (x->mode != y->mode)
        return x->mode < y->mode ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

// Whether a table over all modes would be much longer than what stands in it. Each mode then gets a question of its
// own, so that a machine with many modes and something small in each has code as long as its text.
static bool is_sparse(uint32_t items, uint32_t modes)
{
    enum
    {
        FEW = 64,
        RATIO = 16
    };
    return modes > FEW && items < modes / RATIO;
}

static SwitchPatch ask_mode(Emitter* e, SymReg mode, uint32_t wanted)
{
    Scalars* s = &e->c->scalars;
    ScalarId is = scalar_make(s, VM_EQ, scalar_reg(s, mode), scalar_const(s, wanted), 0, (Span){0});
    return emit_switch(e, emit_value(e, is), 2);
}

static void emit_machine(Programs* p, const Sink* items, uint32_t count, uint32_t at, uint32_t machine)
{
    Emitter* e = &p->emitter;
    Compiler* c = e->c;
    const FlatMachine* m = &c->flat->machines.at[machine];
    SymReg reg = c->vars.at[m->mode_var].reg;
    bool sparse = is_sparse(count, m->modes.count);
    ModeItem* sorted = arena_array(c->arena, ModeItem, count);
    Sink* sinks = arena_array(c->arena, Sink, count);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (ModeItem){items[i], step_down(c->flat, at, items[i].ctx).mode, i};
    qsort(sorted, count, sizeof *sorted, compare_modes);
    for (uint32_t i = 0; i < count; i++)
        sinks[i] = sorted[i].sink;
    SwitchPatch patch = {0};
    if (!sparse)
        patch = emit_switch(e, reg, m->modes.count);
    for (uint32_t i = 0, end; i < count; i = end)
    {
        uint32_t mode = sorted[i].mode;
        for (end = i; end < count && sorted[end].mode == mode;)
            end++;
        if (sparse)
            patch = ask_mode(e, reg, mode);
        emit_case(e, &patch, sparse ? 1 : mode);
        emit_in(p, sinks + i, end - i, m->modes.at[mode].ctx);
        emit_case_end(e, &patch);
        if (sparse)
            emit_switch_end(e, &patch);
    }
    if (!sparse)
        emit_switch_end(e, &patch);
    arena_release(c->arena, sorted, sizeof *sorted * count);
    arena_release(c->arena, sinks, sizeof *sinks * count);
}

void emit_in(Programs* p, const Sink* items, uint32_t count, uint32_t at)
{
    const Flat* flat = p->emitter.c->flat;
    for (uint32_t i = 0; i < count;)
    {
        if (items[i].ctx == at)
        {
            emit_to(&p->emitter, items[i].value, items[i].dst);
            i++;
            continue;
        }
        uint32_t machine = step_down(flat, at, items[i].ctx).machine, end = i;
        while (end < count && items[end].ctx != at && step_down(flat, at, items[end].ctx).machine == machine)
            end++;
        emit_machine(p, items + i, end - i, at, machine);
        i = end;
    }
}

// Registers that only some modes write start at 0.
static void emit_defaults(Programs* p, const Sink* items, uint32_t count)
{
    Map seen;
    map_init(&seen, p->emitter.c->arena);
    uint32_t ignored;
    for (uint32_t i = 0; i < count; i++)
        if (items[i].ctx != 0 && !map_get(&seen, items[i].dst, &ignored))
        {
            map_set(&seen, items[i].dst, 1);
            emit_constant(&p->emitter, 0, items[i].dst);
        }
}

void emit_sinks(Programs* p, const Sink* sinks, uint32_t count)
{
    emit_defaults(p, sinks, count);
    emit_in(p, sinks, count, 0);
}

// ---- code of tasks
// ---------------------------------------------------------------------------------------------------

void task_sinks(Programs* p, Phase phase, uint32_t task, Sinks* out)
{
    Compiler* c = p->emitter.c;
    for (uint32_t k = 0; k < task_item_count(c, task); k++)
    {
        TaskItem item = task_item(c, phase, task, k);
        const Task* t = &c->tasks.at[task];
        vec_push(c->arena, *out, (Sink){item.ctx, item.value.value, t->reg});
        if (t->present != NO_REG)
            vec_push(c->arena, *out, (Sink){item.ctx, item.value.present, t->present});
    }
}

// The machine a task belongs to at the top level + 1; 0 = it stands outside all modes.
static uint32_t task_machine(Programs* p, Phase phase, uint32_t task)
{
    Compiler* c = p->emitter.c;
    if (task_item_count(c, task) == 0)
        return 0;
    uint32_t ctx = task_item(c, phase, task, 0).ctx;
    return ctx == 0 ? 0 : step_down(c->flat, 0, ctx).machine + 1;
}

// ---- programs
// --------------------------------------------------------------------------------------------------------

static void emit_ordered(Programs* p, TaskGraph* n, const Order* order)
{
    Phase phase = n->spec->phase;
    for (uint32_t i = 0; i < order->count;)
    {
        const uint32_t* first = order->tasks + order->first[i];
        if (order->looped[i])
        {
            emit_loop(p, n, first, order->first[i + 1] - order->first[i]);
            i++;
            continue;
        }
        uint32_t machine = task_machine(p, phase, n->tasks.at[*first]);
        Sinks group = {0};
        for (; i < order->count && !order->looped[i]; i++)
        {
            uint32_t task = n->tasks.at[order->tasks[order->first[i]]];
            if (task_machine(p, phase, task) != machine)
                break;
            task_sinks(p, phase, task, &group);
        }
        emit_sinks(p, group.at, group.count);
    }
}

static int compare_contexts(const void* a, const void* b)
{
    const Sink *x = a, *y = b;
    if (x->ctx != y->ctx)
        return x->ctx < y->ctx ? -1 : 1;
    return (x->dst > y->dst) - (x->dst < y->dst);
}

// The sinks ordered by context, so that a machine is switched over once.
static const Sink* by_context(Programs* p, const ProgramSpec* spec)
{
    Sink* sorted = arena_array(p->emitter.c->arena, Sink, spec->sink_count + 1);
    for (uint32_t i = 0; i < spec->sink_count; i++)
        sorted[i] = spec->sinks[i];
    if (spec->sink_count > 1)
        qsort(sorted, spec->sink_count, sizeof *sorted, compare_contexts);
    return sorted;
}

CodeRange build_program(Programs* p, const ProgramSpec* spec, Order* out)
{
    TaskGraph n = task_graph(p->emitter.c, spec);
    Order order = graph_order(&n);
    uint32_t start = emit_begin(&p->emitter);
    emit_ordered(p, &n, &order);
    emit_in(p, by_context(p, spec), spec->sink_count, 0);  // no defaults: what is not active is not read
    CodeRange range = emit_end(&p->emitter, start);
    order_globally(&n, &order);
    task_graph_release(&n);
    if (out != NULL)
        *out = order;
    return range;
}

CodeRange* build_components(Programs* p, const ProgramSpec* spec, Order* out)
{
    TaskGraph n = task_graph(p->emitter.c, spec);
    Order order = graph_order(&n);
    CodeRange* codes = arena_array(p->emitter.c->arena, CodeRange, order.count + 1);
    for (uint32_t i = 0; i < order.count; i++)
    {
        const uint32_t* first = order.tasks + order.first[i];
        uint32_t start = emit_begin(&p->emitter);
        Sinks group = {0};
        if (order.looped[i])
            emit_loop(p, &n, first, order.first[i + 1] - order.first[i]);
        else
            task_sinks(p, spec->phase, n.tasks.at[*first], &group);
        emit_sinks(p, group.at, group.count);
        codes[i] = emit_end(&p->emitter, start);
    }
    order_globally(&n, &order);
    task_graph_release(&n);
    *out = order;
    return codes;
}

CodeRange build_values(Programs* p, const Sink* sinks, uint32_t count)
{
    ProgramSpec spec = {.sinks = sinks, .sink_count = count};
    uint32_t start = emit_begin(&p->emitter);
    emit_in(p, by_context(p, &spec), count, 0);
    return emit_end(&p->emitter, start);
}
