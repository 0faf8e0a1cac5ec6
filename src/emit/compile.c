// Flat model → kaiModel. The order matters: registers for variables, then everything is lowered (which finds the cells
// and the derivatives that are needed), then the programs are written, then symbolic registers become numbers.
#include "emit/compile.h"

#include "base/checked.h"
#include "emit/builder.h"
#include "model/fields.h"
#include "model/validate.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- registers
// -------------------------------------------------------------------------------------------------------

static void assign_registers(Builder* b)
{
    Compiler* c = &b->c;
    c->time = compiler_reg(c, REG_MEMORY);
    c->coefficients = sym_reg(REG_MEMORY, c->reg_counts[REG_MEMORY]);
    c->reg_counts[REG_MEMORY] += c->flat->coefficient_count;
    c->step = (StepRegs){NO_REG, NO_REG, NO_REG, NO_REG};
    if (c->numeric)
    {
        c->step.length = compiler_reg(c, REG_MEMORY);
        c->step.from = compiler_reg(c, REG_MEMORY);
        c->step.end = compiler_reg(c, REG_MEMORY);
        c->step.taken = compiler_reg(c, REG_MEMORY);
    }
    for (uint32_t v = 0; v < c->vars.count; v++)
    {
        const FlatVar* var = &c->flat->vars.at[v];
        VarInfo* info = &c->vars.at[v];
        bool event = var->kind == VAR_EVENT || (var->kind == VAR_INPUT && var->type == TYPE_EVENT);
        bool defined = info->first_def[0] != 0 || info->implicit != 0;
        switch (var->kind)
        {
        case VAR_PARAM: info->reg = compiler_reg(c, REG_PARAM); break;
        case VAR_STATE:
            info->reg = compiler_reg(c, REG_STATE);
            info->deriv = compiler_reg(c, REG_DERIV);
            vec_push(b->arena, b->state_vars, v);
            break;
        case VAR_SIGNAL:
        case VAR_EVENT: info->reg = compiler_reg(c, defined ? REG_VALUE : REG_MEMORY); break;
        default: info->reg = compiler_reg(c, REG_MEMORY); break;
        }
        if (event || (var->kind == VAR_SIGNAL && info->maybe_absent && info->implicit == 0))
            info->present = compiler_reg(c, defined ? REG_VALUE : REG_MEMORY);
        if (event && !defined)
            vec_push(b->arena, b->event_flags, info->present);
        for (int k = 0; k < info->order + 1; k++)
        {
            SymReg weight = compiler_reg(c, REG_VALUE);
            info->first_impulse = k == 0 ? weight : info->first_impulse;
        }
        if (info->rhs_order >= 0)
        {
            info->area = compiler_reg(c, REG_VALUE);
            info->now = compiler_reg(c, REG_VALUE);
            vec_push(b->arena, b->now_states, (NowState){info->reg, info->now});
        }
    }
}

// Parameters that follow from others, each after what it needs; chains of them may be long. Constants are put in by the
// run (they can be changed).
typedef struct Binding
{
    Builder* b;
    uint8_t* bound;
    VEC(uint32_t) stack;
} Binding;

// Puts the parameters that the value of `v` reads on the stack, the first on top; false: all are bound.
static bool push_unbound(Binding* w, uint32_t v)
{
    Compiler* c = &w->b->c;
    uint32_t before = w->stack.count;
    walk_begin(&c->nodes);
    walk_push(&c->nodes, c->flat->vars.at[v].init);
    for (NodeId n; (n = node_walk_next(c)) != 0;)
    {
        const Node* node = &c->flat->nodes.at[n];
        if (node->op == NODE_VAR && !w->bound[node->aux] && c->flat->vars.at[node->aux].kind == VAR_PARAM)
            vec_push(w->b->arena, w->stack, node->aux);
    }
    return w->stack.count > before;
}

static void bind_parameter(Binding* w, uint32_t root)
{
    Builder* b = w->b;
    Emitter* e = &b->programs->emitter;
    vec_push(b->arena, w->stack, root);
    while (w->stack.count > 0)
    {
        uint32_t v = w->stack.at[w->stack.count - 1];
        NodeId init = b->c.flat->vars.at[v].init;
        bool computed = init != 0 && b->c.flat->nodes.at[init].op != NODE_CONST;
        if (!w->bound[v] && computed && push_unbound(w, v))
            continue;
        w->stack.count--;
        if (w->bound[v])
            continue;
        w->bound[v] = 1;
        if (!computed)
            continue;
        SymReg from = emit_value(e, lower(&b->c, PHASE_FLOW, init).value);
        vec_push(b->arena, e->fixed_code, (Instruction){.op = VM_MOVE, .dst = b->c.vars.at[v].reg, .src = {from}});
    }
}

// All parameters are bound by then.
static void bind_guess(Builder* b, uint32_t v)
{
    NodeId guess = b->c.flat->vars.at[v].init;
    Emitter* e = &b->programs->emitter;
    SymReg from = emit_value(e, lower(&b->c, PHASE_FLOW, guess).value);
    vec_push(b->arena, e->fixed_code, (Instruction){.op = VM_MOVE, .dst = b->c.vars.at[v].reg, .src = {from}});
}

static void bind_parameters(Builder* b)
{
    Binding w = {.b = b, .bound = arena_array(b->arena, uint8_t, b->c.vars.count + 1)};
    uint32_t start = emit_begin(&b->programs->emitter);
    for (uint32_t v = 0; v < b->c.vars.count; v++)
        if (b->c.flat->vars.at[v].kind == VAR_PARAM)
            bind_parameter(&w, v);
    for (uint32_t v = 0; v < b->c.vars.count; v++)  // where Newton's method starts
        if (b->c.flat->vars.at[v].unknown && b->c.flat->vars.at[v].init != 0)
            bind_guess(b, v);
    emit_end(&b->programs->emitter, start);
}

// ---- programs
// --------------------------------------------------------------------------------------------------------

typedef VEC(uint32_t) TaskList;

static TaskList tasks_of(Builder* b, TaskKind kind)
{
    TaskList list = {0};
    for (uint32_t i = 0; i < b->c.tasks.count; i++)
        if (b->c.tasks.at[i].kind == kind)
            vec_push(b->arena, list, i);
    return list;
}

static void build_nominals(Builder* b)
{
    for (uint32_t v = 0; v < b->c.vars.count; v++)
    {
        NodeId nominal = b->c.flat->vars.at[v].nominal;
        if (nominal == 0)
            continue;
        SymReg dst = compiler_reg(&b->c, REG_MEMORY);
        vec_push(b->arena, b->start_sinks, (Sink){0, lower(&b->c, PHASE_REACT, nominal).value, dst});
        vec_push(b->arena, b->nominals, (Reset){b->c.vars.at[v].reg, dst});
    }
}

static void build_start(Builder* b)
{
    build_nominals(b);
    Flat* flat = b->c.flat;
    uint32_t first = b->c.tasks.count;
    for (uint32_t v = 0; v < b->c.vars.count; v++)
    {
        VarKind kind = flat->vars.at[v].kind;
        if (kind == VAR_STATE || kind == VAR_DISCRETE || kind == VAR_INPUT)
            make_start_task(&b->c, v);
    }
    TaskList tasks = {0};
    for (uint32_t i = first; i < b->c.tasks.count; i++)
        vec_push(b->arena, tasks, i);
    ProgramSpec spec = {.phase = PHASE_REACT,
                        .tasks = tasks.at,
                        .task_count = tasks.count,
                        .start = true,
                        .sinks = b->start_sinks.at,
                        .sink_count = b->start_sinks.count};
    b->draft.start = build_program(b->programs, &spec, NULL);
}

static void build_initial(Builder* b)
{
    Flat* flat = b->c.flat;
    Sinks sinks = {0};
    for (uint32_t i = 0; i < flat->initials.count; i++)
    {
        Node eq = flat->nodes.at[flat->initials.at[i]];
        NodeId difference = flat_node(flat, NODE_SUB, TYPE_REAL, eq.arg[0], eq.arg[1], 0, 0, 0, eq.span);
        SymReg dst = compiler_reg(&b->c, REG_TEMP);
        vec_push(b->arena, sinks, (Sink){0, lower(&b->c, PHASE_FLOW, difference).value, dst});
        vec_push(b->arena, b->residuals, dst);
    }
    if (sinks.count == 0)
        return;
    for (uint32_t v = 0; v < b->c.vars.count; v++)
        if (flat->vars.at[v].kind == VAR_STATE && (flat->vars.at[v].init == 0 || flat->vars.at[v].guessed))
            vec_push(b->arena, b->unknowns, b->c.vars.at[v].reg);
    ProgramSpec spec = {.phase = PHASE_FLOW, .sinks = sinks.at, .sink_count = sinks.count};
    b->draft.initial = build_program(b->programs, &spec, NULL);
}

static void list_task(Builder* b, uint32_t task, const char* indent)
{
    Compiler* c = &b->c;
    const Task* t = &c->tasks.at[task];
    const char* form = t->kind == TASK_RIGHT_HAND_SIDE ? "%s%s'" : t->kind == TASK_DERIVATIVE ? "%sder %s" : "%s%s";
    char name[600];
    snprintf(name, sizeof name, form, indent, c->flat->vars.at[t->var].name);
    Span span = task_item_count(c, task) > 0 ? task_item(c, PHASE_FLOW, task, 0).span : (Span){0};
    kaiPlace at = sources_place(c->sources, span);
    if (at.file != NULL)
        writer_say(&b->programs->listing, "%-40s %s:%d\n", name, at.file, at.line);
    else
        writer_say(&b->programs->listing, "%s\n", name);
}

// The tasks of a program in their order, loops marked.
static void list_order(Builder* b, const char* title, const Order* order)
{
    writer_say(&b->programs->listing, "%s\n", title);
    for (uint32_t i = 0; i < order->count; i++)
    {
        uint32_t first = order->first[i], end = order->first[i + 1];
        if (order->looped[i])
            writer_say(&b->programs->listing, "  fixed point of %u:\n", end - first);
        for (uint32_t k = first; k < end; k++)
            list_task(b, order->tasks[k], order->looped[i] ? "    " : "  ");
    }
}

static void give_code(Builder* b, const CodeRequest* r, uint32_t number, CodeRange code)
{
    switch (r->owner)
    {
    case OWNER_UNIT: b->units.at[r->index + number].code = code; break;
    case OWNER_ISLAND: b->islands.at[r->index].deriv = code; break;
    case OWNER_ISLAND_EVENTS: b->islands.at[r->index].events = code; break;
    case OWNER_GUARD: b->guards.at[r->index].look = code; break;
    case OWNER_DELAY: b->delays.at[r->index].look = code; break;
    }
}

// The code that src/schedule has asked for.
static void write_requests(Builder* b)
{
    for (uint32_t i = 0; i < b->requests.count; i++)
    {
        const CodeRequest* r = &b->requests.at[i];
        Order order = {0};
        CodeRange* codes = NULL;
        if (r->form == FORM_COMPONENTS)
            codes = build_components(b->programs, &r->spec, &order);
        for (uint32_t k = 0; k < order.count; k++)
            give_code(b, r, k, codes[k]);
        if (r->form == FORM_VALUES)
            give_code(b, r, 0, build_values(b->programs, r->spec.sinks, r->spec.sink_count));
        if (r->form == FORM_PROGRAM)
            give_code(b, r, 0, build_program(b->programs, &r->spec, NULL));
    }
}

static void build_programs(Builder* b, const CompileOptions* options, bool listing)
{
    TaskList definitions = tasks_of(b, TASK_DEFINITION), slopes = tasks_of(b, TASK_RIGHT_HAND_SIDE);
    for (uint32_t i = 0; i < b->c.tasks.count; i++)
    {
        TaskKind kind = b->c.tasks.at[i].kind;
        if (kind == TASK_IMPLICIT && b->c.flat->vars.at[b->c.tasks.at[i].var].unknown)
            vec_push(b->arena, definitions, i);
        if (kind == TASK_DEFINITION || kind == TASK_IMPLICIT || kind == TASK_IMPULSE || kind == TASK_NOW)
            vec_push(b->arena, b->react_tasks, i);
    }
    Order order;
    Programs* p = b->programs;
    ProgramSpec deriv = {.phase = PHASE_FLOW, .tasks = slopes.at, .task_count = slopes.count};
    b->draft.deriv = build_program(p, &deriv, &order);
    if (listing)
        list_order(b, "state transition (derivatives):", &order);
    ProgramSpec flow = {.phase = PHASE_FLOW, .tasks = definitions.at, .task_count = definitions.count};
    b->draft.flow = build_program(p, &flow, &order);
    if (listing)
        list_order(b, "outputs (between instants):", &order);
    bool rates = false;
    for (uint32_t i = 0; i < b->guards.count; i++)
        rates |= b->guards.at[i].rates;
    ProgramSpec events = {
        .phase = PHASE_FLOW, .sinks = b->event_sinks.at, .sink_count = b->event_sinks.count, .slopes_given = !rates};
    b->draft.events = build_program(p, &events, &order);
    if (listing)
        list_order(b, "event generation (guards need):", &order);
    build_bonds(b);
    ProgramSpec react = {.phase = PHASE_REACT,
                         .tasks = b->react_tasks.at,
                         .task_count = b->react_tasks.count,
                         .sinks = b->react_sinks.at,
                         .sink_count = b->react_sinks.count};
    b->draft.react = build_program(p, &react, &order);
    if (listing)
        list_order(b, "reaction:", &order);
    build_units(b);
    write_requests(b);
    build_start(b);
    build_initial(b);
    build_reaction_code(b);
    build_expectations(b);
    if (options->jacobian)
        build_jacobian(b, slopes.at, slopes.count);
    b->draft.params = emit_parameters(&p->emitter);
}

// ---- tables
// ----------------------------------------------------------------------------------------------------------

static uint8_t column_kind(const FlatVar* var)
{
    if (var->kind == VAR_MODE)
        return KAI_COLUMN_MODE;
    if (var->type == TYPE_EVENT || var->kind == VAR_EVENT)
        return KAI_COLUMN_EVENT;
    return var->type == TYPE_BOOL ? KAI_COLUMN_BOOL : KAI_COLUMN_REAL;
}

// The column of a variable. t, p, m and run are columns already.
static uint32_t column_title(Builder* b, const char* name)
{
    static const char* const taken[] = {"t", "p", "m", "run", "branch"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return build_string(b, arena_printf(b->arena, "%s.%s", b->c.flat->model_name, name));
    return build_string(b, name);
}

// The unit of the weight of δ, δ′ …: that of the signal times s, s² …
static const char* weight_unit(Arena* arena, const char* unit, uint32_t power)
{
    size_t length = strlen(unit);
    if (length > 2 && strcmp(unit + length - 2, "/s") == 0 && power == 1)
        return arena_printf(arena, "%.*s", (int)length - 2, unit);
    if (length > 4 && strcmp(unit + length - 4, "/s^2") == 0 && power == 1)
        return arena_printf(arena, "%.*s", (int)length - 2, unit);
    return arena_printf(arena, power == 1 ? "%s*s" : "%s*s^%u", unit, power);
}

static void build_impulse(Builder* b, const FlatVar* var, const ModelVar* made, uint32_t order)
{
    const char* format = order == 0 ? "%s.impulse" : "%s.impulse%u";
    const char* unit = var->unit.text ? weight_unit(b->arena, var->unit.text, order + 1) : NULL;
    vec_push(b->arena, b->impulse_titles,
             build_string(b, arena_printf(b->arena, format, b->strings.at + made->title, order)));
    vec_push(b->arena, b->impulse_units, build_string(b, unit));
}

// The area of an effort or flow of a bond graph, or of a signal that is one by another name: `signal i = c.f`.
static SymReg bond_area_of(const Builder* b, uint32_t v, int depth)
{
    const VarInfo* info = &b->c.vars.at[v];
    uint32_t def = info->first_def[0];
    if (info->sum_area != NO_REG)
        return info->sum_area;
    if (info->bond_area != NO_REG || def == 0 || def != info->last_def[0] || depth > 8)
        return info->bond_area;
    const FlatDef* made = &b->c.flat->defs.at[def - 1];
    const Node* node = &b->c.flat->nodes.at[made->value];
    return made->ctx == 0 && node->op == NODE_VAR ? bond_area_of(b, node->aux, depth + 1) : NO_REG;
}

// Without a switch nothing of a graph jumps but storages that depend on sources or on each other, and what a source
// strikes: the columns of other signals would stay empty.
static bool can_jump(const Builder* b)
{
    const Flat* flat = b->c.flat;
    for (uint32_t i = 0; i < flat->bond_nodes.count; i++)
        if (flat->bond_nodes.at[i].machine)
            return true;
    for (uint32_t i = 0; i < flat->graphs.count; i++)
    {
        const FlatBondGraph* graph = &flat->graphs.at[i];
        for (uint32_t k = 0; k < graph->inputs.count; k++)
            if (b->c.vars.at[graph->inputs.at[k].var].order >= 0)
                return true;
        if (graph->depends)
            return true;
    }
    return false;
}

static void build_var(Builder* b, uint32_t v, bool jumps)
{
    const FlatVar* var = &b->c.flat->vars.at[v];
    const VarInfo* info = &b->c.vars.at[v];
    bool literal = var->init == 0 || b->c.flat->nodes.at[var->init].op == NODE_CONST;
    ModelVar made = {
        .name = build_string(b, var->name),
        .title = column_title(b, var->name),
        .unit = build_string(b, var->unit.text),
        .unit_said = build_string(b, var->unit.text ? arena_printf(b->arena, "[%s]", var->unit.text) : NULL),
        .scale = var->unit.si.scale,
        .offset = var->unit.si.offset,
        .description = build_string(b, var->description),
        .kind = (uint8_t)var->kind,
        .column = column_kind(var),
        .hidden = var->hidden,
        .inner = var->inner,
        .structural = var->structural,
        .settable = var->kind == VAR_PARAM
                        ? literal && !var->structural
                        : var->kind == VAR_STATE || var->kind == VAR_DISCRETE || var->kind == VAR_INPUT,
        .is_input = var->input,
        .is_output = var->output,
        .reg = info->reg,
        .present = info->present,
        .ctx = var->ctx,
        .machine = var->machine,
        .place = build_place(b, var->span),
    };
    bool shown = info->order >= 0 && !b->c.numeric;  // a number contains its impulse
    made.impulse = shown ? info->first_impulse : NO_REG;
    made.impulse_count = shown ? (uint32_t)(info->order + 1) : 0;
    made.first_title = b->impulse_titles.count;
    SymReg area = jumps ? bond_area_of(b, v, 0) : info->bond_area;
    if (area != NO_REG)  // the jump of the bond graph writes it, not the reaction
    {
        made.impulse = area;
        made.impulse_count = 1;
    }
    for (uint32_t k = 0; k < made.impulse_count; k++)
        build_impulse(b, var, &made, k);
    if (var->kind == VAR_PARAM)
    {
        double value = literal && var->init != 0 ? b->c.flat->nodes.at[var->init].value : 0;
        vec_push(b->arena, b->starts, (Reset){info->reg, b->numbers.count});
        vec_push(b->arena, b->numbers, value);
    }
    vec_push(b->arena, b->vars, made);
}

static void build_loops(Builder* b)
{
    for (uint32_t i = 0; i < b->programs->loops.count; i++)
    {
        const LoopInfo* loop = &b->programs->loops.at[i];
        Component made = {.first_known = loop->first_known, .count = loop->count, .text = build_string(b, loop->text)};
        made.newton = loop->newton;
        made.derivative = loop->derivative;
        made.first_member = b->component_vars.count;
        for (uint32_t k = 0; k < loop->count; k++)
            vec_push(b->arena, b->component_vars, loop->vars[k]);
        made.first_name = b->component_names.count;
        for (uint32_t k = 0; k < loop->count; k++)
            vec_push(b->arena, b->component_names, build_string(b, loop->names[k]));
        made.first_input = b->component_vars.count;
        made.input_count = loop->inputs.count;
        for (uint32_t k = 0; k < loop->inputs.count; k++)
            vec_push(b->arena, b->component_vars, loop->inputs.at[k]);
        vec_push(b->arena, b->components, made);
    }
}

// The indices 0 … count - 1 sorted by context (counting sort, stable), and each context's share at `offset` in Context.
static uint32_t* index_by_ctx(Builder* b, const uint32_t* ctxs, uint32_t count, size_t offset)
{
    uint32_t* list = arena_array(b->arena, uint32_t, count + 1);
    uint32_t* first = arena_array(b->arena, uint32_t, b->contexts.count + 1);
    for (uint32_t i = 0; i < count; i++)
        first[ctxs[i] + 1]++;
    for (uint32_t ctx = 0; ctx < b->contexts.count; ctx++)
    {
        IndexRange range = {first[ctx], first[ctx + 1]};
        memcpy((char*)&b->contexts.at[ctx] + offset, &range, sizeof range);
        first[ctx + 1] += first[ctx];
    }
    for (uint32_t i = 0; i < count; i++)
        list[first[ctxs[i]]++] = i;
    return list;
}

static void build_contexts(Builder* b)
{
    const Flat* flat = b->c.flat;
    for (uint32_t i = 0; i < flat->ctxs.count; i++)
    {
        const FlatCtx* ctx = &flat->ctxs.at[i];
        vec_push(b->arena, b->contexts, (Context){.parent = ctx->parent, .machine = ctx->machine, .mode = ctx->mode});
    }
#define INDEX(table, list, field, limit)                                                                               \
    do                                                                                                                 \
    {                                                                                                                  \
        uint32_t* ctxs = arena_array(b->arena, uint32_t, (limit) + 1);                                                 \
        for (uint32_t i = 0; i < (limit); i++)                                                                         \
            ctxs[i] = b->table.at[i].ctx;                                                                              \
        b->list.at = index_by_ctx(b, ctxs, (limit), offsetof(Context, field));                                         \
        b->list.count = (limit);                                                                                       \
    } while (0)
    INDEX(guards, ctx_guards, guards, b->guards.count);
    INDEX(reactions, ctx_whens, whens, flat->whens.count);
    INDEX(memories, ctx_memories, memories, b->memories.count);
    INDEX(assertions, ctx_assertions, assertions, b->assertions.count);
    INDEX(machines, ctx_machines, machines, b->machines.count);
#undef INDEX
}

static void lay_out(Builder* b)
{
    uint32_t next = 0;
    for (int cls = 0; cls < REG_CLASS_COUNT; cls++)
    {
        b->draft.reg_first[cls] = next;
        next += cls == REG_CONST ? b->c.scalars.constants.count : b->c.reg_counts[cls];
        if (cls == REG_VALUE)
            b->draft.saved_count = next;
    }
    b->draft.reg_count = next;
    b->draft.state_count = b->c.reg_counts[REG_STATE];
}

static void build_reg_places(Builder* b)
{
    for (uint32_t i = 0; i < b->draft.reg_count; i++)
        vec_push(b->arena, b->reg_places, 0);
    for (int cls = 0; cls < REG_CLASS_COUNT; cls++)
        for (uint32_t i = 0; i < b->programs->emitter.reg_spans[cls].count; i++)
            b->reg_places.at[b->draft.reg_first[cls] + i] = build_place(b, b->programs->emitter.reg_spans[cls].at[i]);
}

// The draft sees the tables as they are now.
static void point_draft(Builder* b)
{
#define X(type, name, ...) b->draft.name = b->name.at, b->draft.name##_count = b->name.count;
    MODEL_ARRAYS(X)
#undef X
}

// Every register in every record: symbolic → number. The tables are still ours alone.
static void relocate_table(Builder* b, const ModelTable* table)
{
    char* record = (char*)table_at(&b->draft, table);
    for (uint32_t i = 0; i < table_count(&b->draft, table); i++, record += table->size)
        for (uint32_t n = 0; n < table->field_count; n++)
        {
            if (!field_is_register(&table->fields[n]))
                continue;
            uint32_t reg = relocate(field_get(record, &table->fields[n]), b->draft.reg_first);
            memcpy(record + table->fields[n].offset, &reg, sizeof reg);
        }
}

static void relocate_tables(Builder* b)
{
    b->draft.reg_time = b->c.time;
    b->draft.reg_seed = b->c.seed;
    b->draft.reg_pulse = b->c.step.length;
    b->draft.reg_step_from = b->c.step.from;
    b->draft.reg_step_end = b->c.step.end;
    b->draft.reg_step_taken = b->c.step.taken;
    point_draft(b);
    for (uint32_t i = 0; i < MODEL_TABLE_COUNT; i++)
        relocate_table(b, &model_tables[i]);
}

// In checked builds: what the compiler made is what a loader would accept. False: no memory for the check.
static bool check_whole(const kaiModel* model)
{
#ifdef KAI_CHECKED
    Text why = {0};
    if (model_validate(model, &why))
        return true;
    if (why.length == 0)
        return false;
    fprintf(stderr, "the compiler made a model that is not whole: %s\n", why.at);
    abort();
#else
    (void)model;
    return true;
#endif
}

// Choices without alternatives get no number: a run goes through them at every reaction.
static uint32_t number_choices(Builder* b)
{
    uint32_t most = b->c.flat->choices.count, count = 0;
    uint32_t* numbers = arena_array(b->arena, uint32_t, most + 1);
    for (uint32_t i = 0; i < b->reactions.count; i++)
        numbers[b->reactions.at[i].choice] = 1;
    for (uint32_t i = 1; i <= most; i++)
        numbers[i] = numbers[i] != 0 ? ++count : 0;
    numbers[0] = 0;
    for (uint32_t i = 0; i < b->reactions.count; i++)
        b->reactions.at[i].choice = numbers[b->reactions.at[i].choice];
    return count;
}

static kaiModel* finish(Builder* b, kaiAllocator allocator)
{
    bool jumps = can_jump(b);
    for (uint32_t v = 0; v < b->c.vars.count; v++)
        build_var(b, v, jumps);
    build_loops(b);
    build_contexts(b);
    for (uint32_t i = 0; i < b->modes.count; i++)
        b->modes.at[i].entry = b->c.entries[b->modes.at[i].ctx];
    for (uint32_t i = 0; i < b->c.flat->ctxs.count; i++)
        if (b->c.entries[i] != NO_REG)
            vec_push(b->arena, b->event_flags, b->c.entries[i]);
    for (uint32_t v = 0; v < b->c.vars.count; v++)
        b->draft.instant_signals |= b->c.flat->vars.at[v].kind == VAR_SIGNAL && b->c.vars.at[v].event_dependent;
    b->draft.choice_count = number_choices(b);
    b->draft.impulse_order = b->c.highest != 0 ? node_order(&b->c, b->c.highest) : -1;
    b->draft.impulse_place = b->c.highest != 0 ? build_place(b, b->c.flat->nodes.at[b->c.highest].span) : 0;
    b->draft.when_count = b->c.flat->whens.count;
    b->draft.name = build_string(b, b->c.flat->model_name);
    lay_out(b);
    build_reg_places(b);
    emit_relocate(&b->programs->emitter, b->draft.reg_first);
    relocate_tables(b);
    finish_units(b);
    for (uint32_t i = 0; i < b->c.scalars.constants.count; i++)
        vec_push(b->arena, b->constants, b->c.scalars.constants.at[i]);
    for (uint32_t i = 0; i < b->programs->emitter.code.count; i++)
        vec_push(b->arena, b->code, b->programs->emitter.code.at[i]);
    point_draft(b);
    kaiModel* model = model_pack(&b->draft, allocator);
    if (model != NULL && (!model_bind(model) || !check_whole(model)))  // in this order: what is freed was held
    {
        model_free(model);
        return NULL;
    }
    return model;
}

static bool is_word(const char* word, const char* text)
{
    return word != NULL && strcmp(word, text) == 0;
}

static void choose_impulses(Compiler* c)
{
    const FlatExperiment* x = &c->flat->experiment;
    c->numeric = is_word(x->impulses, "numeric");
    if (c->numeric && x->solver != NULL && !is_word(x->solver, "riemann"))
        diag_error(c->diags, K_NUMERIC_SOLVER, x->solver_span,
                   "numeric impulses are integrated by the right Riemann sum, not by `%s`", x->solver);
}

static kaiModel* compile_in(Arena* arena, const Flat* flat, Diags* diags, const Sources* sources,
                            const CompileOptions* options, const char** listing)
{
    uint32_t errors = diags->error_count;  // of other models of the file
    Builder* b = arena_new(arena, Builder);
    builder_init(b, arena, flat, diags, sources);
    b->programs = arena_new(arena, Programs);
    b->programs->listing.arena = arena;
    b->c.decide = options->decide;
    choose_impulses(&b->c);
    index_definitions(&b->c);
    b->c.source_nodes = flat->nodes.count;
    analyse(&b->c);
    infer_impulses(&b->c);
    refuse_conditions(&b->c);
    refuse_absence(&b->c);
    if (listing != NULL && options->list_impulses)
        *listing = print_impulses(&b->c);
    if (diags->error_count > errors)
        return NULL;
    scalar_const(&b->c.scalars, 0);  // constant number 0 is no PARAM register: see Emitter.fixed
    assign_registers(b);
    make_tasks(&b->c);
    emitter_init(&b->programs->emitter, &b->c);
    bind_parameters(b);
    build_reactions(b);
    build_reaction_values(b);
    build_experiment(b);
    for (uint32_t i = 0; i < b->c.tasks.count; i++)  // finds all cells and derivatives, in both phases
        for (uint32_t k = 0; k < task_item_count(&b->c, i); k++)
        {
            task_item(&b->c, PHASE_REACT, i, k);
            task_item(&b->c, PHASE_FLOW, i, k);
        }
    find_draws(b);
    build_carried(b);
    if (can_jump(b))
        build_sums(b);
    find_externals(b);
    build_cells(b);
    index_sinks(b);
    build_islands(b);
    if (diags->error_count > errors)
        return NULL;
    bool list_schedule = listing != NULL && !options->list_impulses;
    build_programs(b, options, list_schedule);
    if (diags->error_count > errors)
        return NULL;
    if (list_schedule)
    {
        *listing = writer_text(&b->programs->listing);
    }
    return finish(b, options->allocator);
}

// What the compiler needs besides the model goes when it is done, whoever keeps the flat model and the messages.
// Messages come from the arena outside; when that one fails, ours must go first.
kaiModel* compile_model(Arena* arena, const Flat* flat, Diags* diags, const Sources* sources,
                        const CompileOptions* options, const char** listing)
{
    Arena work;
    jmp_buf fail, *outer = arena->fail;
    kaiModel* volatile model = NULL;
    arena_init(&work, arena->allocator, &fail);
    arena->fail = &fail;
    if (setjmp(fail) != 0)
    {
        model_free(model);
        arena_free(&work);
        arena->fail = outer;
        arena_fail(arena);
    }
    const char* text = NULL;
    model = compile_in(&work, flat, diags, sources, options, listing != NULL ? &text : NULL);
    if (text != NULL)
        *listing = arena_copy_string(arena, text, strlen(text));
    arena_free(&work);
    arena->fail = outer;
    return model;
}
