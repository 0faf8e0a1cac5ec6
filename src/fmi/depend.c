// See depend.h. The code is walked once as the machine would run it, with a list of knowns in each register instead of
// a number. The blocks of a SWITCH start from the same registers and are joined at its end; the unknowns of NEWTON
// depend on all that its residuals do; the body of FIX is walked until no list grows.
#include "fmi/depend.h"

#include "model/code.h"

#include <string.h>

enum
{
    ENTRIES_MOST = 20000000,  // of all lists: a model above it has no dependencies in its description
    ROUNDS_MOST = 50,
};

typedef struct Cell
{
    DependList list;
    DependKind level;  // of a register without knowns: how its value varies
} Cell;

typedef struct Written
{
    uint32_t reg;
    Cell before;
} Written;

typedef struct Walk
{
    Arena* arena;
    const kaiModel* model;
    Cell* cells;
    VEC(Written) written;  // since the outermost SWITCH, to go back for its next block
    int inside;            // of how many SWITCHes
    bool weak;             // in a FIX: what was there stays
    bool grew, spent;
    size_t entries;
} Walk;

// ---- lists
// ----------------------------------------------------------------------------------------------------------

static DependKind weaker(DependKind a, DependKind b)
{
    return a > b ? a : b;
}

// Both, each at least of the kind that is said.
static DependList join(Walk* w, DependList a, DependKind at_least_a, DependList b, DependKind at_least_b)
{
    DependList both = {NULL, 0};
    if (a.count + b.count == 0 || w->spent)
        return both;
    Depends* made = arena_array(w->arena, Depends, a.count + b.count);
    uint32_t i = 0, k = 0, n = 0;
    while (i < a.count || k < b.count)
    {
        bool from_a = i < a.count && (k == b.count || a.at[i].known <= b.at[k].known);
        bool from_b = k < b.count && (i == a.count || b.at[k].known <= a.at[i].known);
        made[n].known = from_a ? a.at[i].known : b.at[k].known;
        made[n].kind = weaker(from_a ? weaker(a.at[i].kind, at_least_a) : DEPEND_CONSTANT,
                              from_b ? weaker(b.at[k].kind, at_least_b) : DEPEND_CONSTANT);
        i += from_a;
        k += from_b;
        n++;
    }
    w->entries += a.count + b.count;
    w->spent |= w->entries > ENTRIES_MOST;
    both.at = made;
    both.count = n;
    return both;
}

static bool is_same(DependList a, DependList b)
{
    bool same = a.count == b.count;
    for (uint32_t i = 0; i < a.count && same; i++)
        same = a.at[i].known == b.at[i].known && a.at[i].kind == b.at[i].kind;
    return same;
}

static Cell joined(Walk* w, const Cell* a, const Cell* b, DependKind at_least)
{
    return (Cell){join(w, a->list, at_least, b->list, at_least), weaker(a->level, b->level)};
}

// How much a factor varies: one that moves makes a product anything but a sum.
static DependKind level_of(const Cell* cell)
{
    return cell->list.count > 0 ? DEPEND_ANYHOW : cell->level;
}

// ---- instructions
// ---------------------------------------------------------------------------------------------------

static void put(Walk* w, uint32_t reg, Cell cell)
{
    Cell* to = &w->cells[reg];
    if (w->inside > 0)
        vec_push(w->arena, w->written, ((Written){reg, *to}));
    if (w->weak)
    {
        cell = joined(w, to, &cell, DEPEND_CONSTANT);
        w->grew |= !is_same(to->list, cell.list);
    }
    *to = cell;
}

static Cell product(Walk* w, const Cell* a, const Cell* b)
{
    return (Cell){join(w, a->list, level_of(b), b->list, level_of(a)), weaker(a->level, b->level)};
}

// Any function of some registers.
static Cell function_of(Walk* w, const uint32_t* regs, uint32_t count)
{
    Cell cell = {{NULL, 0}, DEPEND_CONSTANT};
    for (uint32_t i = 0; i < count; i++)
        cell = joined(w, &cell, &w->cells[regs[i]], DEPEND_ANYHOW);
    return cell;
}

static Cell row(Walk* w, const uint32_t* pc)
{
    const kaiModel* model = w->model;
    uint32_t n = (uint32_t)model->constants[pc[3] - model->reg_first[REG_CONST]];
    Cell cell = {{NULL, 0}, DEPEND_DISCRETE};
    for (uint32_t i = 0; i < n; i++)
    {
        Cell term = product(w, &w->cells[pc[1] + i], &w->cells[pc[2] + i]);
        cell = joined(w, &cell, &term, DEPEND_DISCRETE);  // another mode, other coefficients
    }
    return cell;
}

static Cell instruction(Walk* w, VmOp op, const uint32_t* pc, uint32_t stride)
{
    const Cell* cells = w->cells;
    Cell a, b;
    switch (op)
    {
    case VM_MOVE:
    case VM_NEG: return cells[pc[1]];
    case VM_ADD:
    case VM_SUB: return joined(w, &cells[pc[1]], &cells[pc[2]], DEPEND_CONSTANT);
    case VM_MUL: return product(w, &cells[pc[1]], &cells[pc[2]]);
    case VM_DIV:
        a = (Cell){join(w, cells[pc[1]].list, level_of(&cells[pc[2]]), cells[pc[2]].list, DEPEND_ANYHOW),
                   weaker(cells[pc[1]].level, cells[pc[2]].level)};
        return a;
    case VM_SELECT:
        a = function_of(w, pc + 1, 1);
        b = joined(w, &cells[pc[2]], &cells[pc[3]], level_of(&cells[pc[1]]));
        b.level = weaker(b.level, DEPEND_DISCRETE);
        return joined(w, &a, &b, DEPEND_CONSTANT);
    case VM_ROW: return row(w, pc);
    default: return function_of(w, pc + 1, stride - 1);
    }
}

static void run_of(Walk* w, const CodeItem* item)
{
    uint32_t stride = item->stride > 0 ? item->stride : 1;
    for (uint32_t i = 0; i + stride <= item->reg_count; i += stride)
    {
        const uint32_t* pc = w->model->code + item->first_reg + i;
        put(w, pc[0], instruction(w, (VmOp)item->op, pc, stride));
    }
}

// ---- control
// --------------------------------------------------------------------------------------------------------

static void walk(Walk* w, uint32_t at, uint32_t end);

// What the block left, in a list of its own, and the registers as they were.
static void take_back(Walk* w, uint32_t from, Written** left, uint32_t* count)
{
    *count = w->written.count - from;
    *left = arena_array(w->arena, Written, *count + 1);
    for (uint32_t i = 0; i < *count; i++)
        (*left)[i] = (Written){w->written.at[from + i].reg, w->cells[w->written.at[from + i].reg]};
    while (w->written.count > from)
    {
        const Written* last = &w->written.at[--w->written.count];
        w->cells[last->reg] = last->before;
    }
}

static void walk_switch(Walk* w, const CodeItem* item)
{
    const uint32_t* pc = w->model->code + item->at;
    uint32_t base = item->at + item->words, blocks = pc[2], end = base + pc[3 + blocks];
    Written** left = arena_array(w->arena, Written*, blocks + 1);
    uint32_t* counts = arena_array(w->arena, uint32_t, blocks + 1);
    w->inside++;
    for (uint32_t k = 0; k < blocks; k++)
    {
        uint32_t from = w->written.count;
        if (pc[3 + k] != NO_REG)
            walk(w, base + pc[3 + k], end);
        take_back(w, from, &left[k], &counts[k]);
    }
    w->inside--;
    for (uint32_t k = 0; k < blocks; k++)
        for (uint32_t i = 0; i < counts[k]; i++)
        {
            Cell cell = joined(w, &w->cells[left[k][i].reg], &left[k][i].before, DEPEND_CONSTANT);
            cell.level = weaker(cell.level, DEPEND_DISCRETE);
            for (uint32_t j = 0; j < cell.list.count; j++)
                if (cell.list.at[j].kind < DEPEND_DISCRETE)
                {
                    cell.list = join(w, cell.list, DEPEND_DISCRETE, (DependList){NULL, 0}, DEPEND_CONSTANT);
                    break;
                }
            put(w, left[k][i].reg, cell);
        }
}

static void walk_newton(Walk* w, const CodeItem* item)
{
    const uint32_t* pc = w->model->code + item->at;
    uint32_t n = pc[2], body = item->at + item->words;
    walk(w, body, body + item->body);
    Cell cell = function_of(w, w->model->code + item->first_reg + n, n);
    for (uint32_t i = 0; i < n; i++)
        put(w, w->model->code[item->first_reg + i], cell);
    walk(w, body, body + item->body);
}

static void walk_fix(Walk* w, const CodeItem* item)
{
    uint32_t body = item->at + item->words;
    bool weak = w->weak, grew = w->grew;
    w->weak = true;
    w->grew = true;
    for (int round = 0; round < ROUNDS_MOST && w->grew; round++)
    {
        w->grew = false;
        walk(w, body, body + item->body);
    }
    w->weak = weak;
    w->grew = grew || weak;
}

static void walk(Walk* w, uint32_t at, uint32_t end)
{
    CodeItem item;
    const uint32_t* code = w->model->code;
    while (at < end && !w->spent && code_item(code, at, end, &item) && item.op != VM_JUMP)
    {
        at += item.words + (item.op == VM_SWITCH ? code[at + 3 + code[at + 2]] : item.body);
        if (item.op == VM_SWITCH)
            walk_switch(w, &item);
        else if (item.op == VM_NEWTON)
            walk_newton(w, &item);
        else if (item.op == VM_FIX)
            walk_fix(w, &item);
        else
            run_of(w, &item);
    }
}

// ---- unknowns
// -------------------------------------------------------------------------------------------------------

static void begin(Walk* w)
{
    const kaiModel* model = w->model;
    w->written.count = 0;
    for (uint32_t i = 0; i < model->reg_count; i++)
        w->cells[i] = (Cell){{NULL, 0},
                             i < model->reg_first[REG_PARAM]   ? DEPEND_CONSTANT
                             : i < model->reg_first[REG_STATE] ? DEPEND_FIXED
                                                               : DEPEND_DISCRETE};
}

static void know(Walk* w, uint32_t reg, uint32_t entry)
{
    Depends* one = arena_array(w->arena, Depends, 1);
    *one = (Depends){entry, DEPEND_CONSTANT};
    w->cells[reg] = (Cell){{one, 1}, DEPEND_CONSTANT};
}

static void know_all(Walk* w, const Catalogue* c, bool parameters)
{
    for (uint32_t i = 1; i < c->list.count; i++)
    {
        const FmiVariable* v = &c->list.at[i];
        if (v->variable < 0 || v->aspect != FMI_VALUE)
            continue;
        bool known = parameters ? v->causality == FMI_PARAMETER : v->causality == FMI_INPUT || v->state >= 0;
        if (known)
            know(w, w->model->vars[v->variable].reg, i);
    }
    if (!parameters)
        know(w, w->model->reg_time, 0);
}

// A product of what moves is what a Boolean or an enumeration cannot be.
static void found(const Walk* w, Dependence* d, const FmiVariable* v, uint32_t entry, uint32_t reg)
{
    DependList list = w->cells[reg].list;
    if (v->type != FMI_REAL && list.count > 0)
    {
        Depends* made = arena_array(w->arena, Depends, list.count);
        for (uint32_t i = 0; i < list.count; i++)
            made[i] = (Depends){list.at[i].known, DEPEND_ANYHOW};
        list.at = made;
    }
    d->lists[entry] = list;
    d->has[entry] = true;
}

// At a tag an event hangs on what the code of a reaction reads: on inputs that jump there and on input events with
// what they carry. Guards that cross and clocks that tick are memories.
static void know_events(Walk* w, const Catalogue* c)
{
    for (uint32_t i = 1; i < c->list.count; i++)
    {
        const FmiVariable* v = &c->list.at[i];
        if (v->causality != FMI_INPUT || v->variable < 0)
            continue;
        const ModelVar* var = &w->model->vars[v->variable];
        if (v->aspect == FMI_PRESENT && var->present != NO_REG)
            know(w, var->present, i);
        else if (v->aspect == FMI_PAYLOAD)
            know(w, var->reg, i);
    }
}

static void find_events(Walk* w, Dependence* d, const Catalogue* c)
{
    for (uint32_t i = 1; i < c->list.count; i++)
    {
        const FmiVariable* v = &c->list.at[i];
        if (v->aspect != FMI_PRESENT || v->causality != FMI_OUTPUT || v->variable < 0)
            continue;
        const ModelVar* var = &w->model->vars[v->variable];
        if (var->column != KAI_COLUMN_EVENT || var->present == NO_REG)
            continue;
        w->cells[var->present] = joined(w, &w->cells[var->present], &w->cells[var->reg], DEPEND_ANYHOW);
        found(w, d, v, i, var->present);
    }
}

static void find(const Walk* w, Dependence* d, const Catalogue* c, FmiAspect aspect, FmiCausality causality)
{
    for (uint32_t i = 1; i < c->list.count; i++)
    {
        const FmiVariable* v = &c->list.at[i];
        if (v->aspect != aspect || v->causality != causality)
            continue;
        if (aspect == FMI_RATE)
            found(w, d, v, i, w->model->reg_first[REG_DERIV] + (uint32_t)v->state);
        else if (aspect == FMI_WATCH)
            found(w, d, v, i, w->model->guards[v->state].g);
        else if (!catalogue_may_be_absent(w->model, v->variable))  // the last value of one that is absent is a memory
            found(w, d, v, i, w->model->vars[v->variable].reg);
    }
}

void depend_make(Dependence* d, Arena* arena, const kaiModel* model, const Catalogue* c)
{
    Walk w = {.arena = arena, .model = model, .cells = arena_array(arena, Cell, model->reg_count + 1)};
    d->lists = arena_array(arena, DependList, c->list.count + 1);
    d->has = arena_array(arena, bool, c->list.count + 1);
    begin(&w);
    know_all(&w, c, true);
    walk(&w, model->params.start, model->params.end);
    find(&w, d, c, FMI_VALUE, FMI_CALCULATED);
    begin(&w);
    know_all(&w, c, false);
    walk(&w, model->flow.start, model->flow.end);
    find(&w, d, c, FMI_VALUE, FMI_OUTPUT);
    begin(&w);
    know_all(&w, c, false);
    walk(&w, model->deriv.start, model->deriv.end);
    find(&w, d, c, FMI_RATE, FMI_LOCAL);
    walk(&w, model->events.start, model->events.end);
    find(&w, d, c, FMI_WATCH, FMI_LOCAL);
    begin(&w);
    know_all(&w, c, false);
    know_events(&w, c);
    walk(&w, model->react.start, model->react.end);
    find_events(&w, d, c);
    if (w.spent)
        memset(d->has, 0, sizeof *d->has * c->list.count);
}

const char* depend_word(DependKind kind)
{
    static const char* const words[] = {"constant", "fixed", "discrete", "dependent"};
    return words[kind];
}
