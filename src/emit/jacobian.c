// The analytic Jacobian df/dx and df/dt: forward accumulation over the tasks in the order in which the derivative
// program computes them. Each signal carries its partial derivatives with respect to the states it depends on, and no
// others, so that a chain stays a chain.
#include "emit/builder.h"
#include "emit/readers.h"

#include <stdlib.h>

enum
{
    PARTIALS_MAX = 4000000
};  // beyond this differences are cheaper than the code

typedef struct Partial
{
    uint32_t column;  // state, or state count for time
    SymReg reg;
} Partial;
typedef VEC(Partial) PartialList;

// A register that an expression reads, and a column that it depends on.
typedef struct Hit
{
    uint32_t column;
    ScalarId leaf;
} Hit;
typedef VEC(Hit) HitList;

typedef struct Jacobian
{
    Builder* b;
    Map list_of;  // register of a task → index in lists
    Map memo;     // of one derivative
    VEC(PartialList) lists;
    Readers readers;  // of the task in work
    HitList hits;     // by column
    uint32_t total;
    uint32_t column;  // being differentiated for
} Jacobian;

static uint32_t time_column(const Jacobian* j)
{
    return j->b->c.reg_counts[REG_STATE];
}

static int by_column(const void* a, const void* b)
{
    uint32_t x = ((const Partial*)a)->column, y = ((const Partial*)b)->column;
    return (x > y) - (x < y);
}

static ScalarId leaf(Compiler* c, void* user, SymReg reg)
{
    Jacobian* j = user;
    if (sym_class(reg) == REG_STATE)
        return sym_index(reg) == j->column ? scalar_const(&c->scalars, 1) : 0;
    if (reg == c->time)
        return j->column == time_column(j) ? scalar_const(&c->scalars, 1) : 0;
    uint32_t list;
    if (!map_get(&j->list_of, reg, &list))
        return 0;
    const PartialList* partials = &j->lists.at[list];
    const Partial wanted = {.column = j->column}, *found = NULL;
    if (partials->count > 0)
        found = bsearch(&wanted, partials->at, partials->count, sizeof wanted, by_column);
    return found != NULL ? scalar_reg(&c->scalars, found->reg) : 0;
}

// The columns that a register depends on.
static void add_hits(Jacobian* j, ScalarId leaf)
{
    const Compiler* c = &j->b->c;
    SymReg reg = c->scalars.list.at[leaf].reg;
    uint32_t list;
    if (sym_class(reg) == REG_STATE)
        vec_push(j->b->arena, j->hits, (Hit){sym_index(reg), leaf});
    else if (reg == c->time)
        vec_push(j->b->arena, j->hits, (Hit){time_column(j), leaf});
    else if (map_get(&j->list_of, reg, &list))
        for (uint32_t i = 0; i < j->lists.at[list].count; i++)
            vec_push(j->b->arena, j->hits, (Hit){j->lists.at[list].at[i].column, leaf});
}

static int by_column_and_leaf(const void* a, const void* b)
{
    const Hit *x = a, *y = b;
    if (x->column != y->column)
        return (x->column > y->column) - (x->column < y->column);
    return (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

// All that the items of a task read.
static void read_task(Jacobian* j, uint32_t task)
{
    Compiler* c = &j->b->c;
    readers_begin(&j->readers);
    for (uint32_t i = 0; i < task_item_count(c, task); i++)
        readers_add(&j->readers, task_item(c, PHASE_FLOW, task, i).value.value);
    j->hits.count = 0;
    for (uint32_t i = 0; i < j->readers.leaves.count; i++)
        add_hits(j, j->readers.leaves.at[i]);
    if (j->hits.count > 0)
        qsort(j->hits.at, j->hits.count, sizeof *j->hits.at, by_column_and_leaf);
}

// One column of a task: *hit is its first, and that of the next one after it.
static void column_partials(Jacobian* j, uint32_t task, uint32_t* hit, SymReg reg, Sinks* sinks)
{
    Builder* b = j->b;
    Compiler* c = &b->c;
    j->column = j->hits.at[*hit].column;
    readers_ask(&j->readers);
    for (; *hit < j->hits.count && j->hits.at[*hit].column == j->column; ++*hit)
        readers_name(&j->readers, j->hits.at[*hit].leaf);
    readers_rise(&j->readers);
    c->derive.moving = &j->readers.up;
    for (uint32_t i = 0; i < task_item_count(c, task); i++)
    {
        TaskItem item = task_item(c, PHASE_FLOW, task, i);
        map_clear(&j->memo);
        ScalarId value = differentiate(c, item.value.value, leaf, j, &j->memo);
        vec_push(b->arena, *sinks, (Sink){item.ctx, value, reg});
    }
    c->derive.moving = NULL;
}

// Partial derivatives of one task: registers, and code that fills them.
static void task_partials(Jacobian* j, uint32_t task)
{
    Builder* b = j->b;
    PartialList list = {0};
    Sinks sinks = {0};
    read_task(j, task);
    for (uint32_t hit = 0; hit < j->hits.count;)
    {
        Partial partial = {j->hits.at[hit].column, compiler_reg(&b->c, REG_TEMP)};
        vec_push(b->arena, list, partial);
        column_partials(j, task, &hit, partial.reg, &sinks);
    }
    emit_sinks(b->programs, sinks.at, sinks.count);
    map_set(&j->list_of, b->c.tasks.at[task].reg, j->lists.count);
    vec_push(b->arena, j->lists, list);
    j->total += list.count;
}

// Values in the order of compressed columns.
static void build_pattern(Jacobian* j)
{
    Builder* b = j->b;
    uint32_t n = time_column(j);
    VEC(Partial)* columns = arena_alloc(b->arena, sizeof(VEC(Partial)) * (n + 1));
    for (uint32_t row = 0; row < n; row++)
    {
        uint32_t list;
        if (!map_get(&j->list_of, sym_reg(REG_DERIV, row), &list))
            continue;
        for (uint32_t i = 0; i < j->lists.at[list].count; i++)
        {
            Partial p = j->lists.at[list].at[i];
            vec_push(b->arena, columns[p.column], (Partial){row, p.reg});
        }
    }
    for (uint32_t column = 0; column < n; column++)
    {
        vec_push(b->arena, b->jacobian_columns, (int32_t)b->jacobian_rows.count);
        for (uint32_t i = 0; i < columns[column].count; i++)
        {
            vec_push(b->arena, b->jacobian_rows, (int32_t)columns[column].at[i].column);
            vec_push(b->arena, b->jacobian_values, columns[column].at[i].reg);
        }
    }
    vec_push(b->arena, b->jacobian_columns, (int32_t)b->jacobian_rows.count);
    for (uint32_t row = 0; row < n; row++)
        vec_push(b->arena, b->jacobian_times, NO_REG);
    for (uint32_t i = 0; i < columns[n].count; i++)
        b->jacobian_times.at[columns[n].at[i].column] = columns[n].at[i].reg;
}

void build_jacobian(Builder* b, const uint32_t* slopes, uint32_t count)
{
    ProgramSpec spec = {.phase = PHASE_FLOW, .tasks = slopes, .task_count = count};
    Order order = order_tasks(&b->c, &spec);
    for (uint32_t i = 0; i < order.count; i++)
        if (order.looped[i])
            return;  // the derivative of a fixed point is left to differences
    Jacobian j = {.b = b};
    map_init(&j.list_of, b->arena);
    map_init(&j.memo, b->arena);
    readers_init(&j.readers, &b->c.scalars, b->arena);
    Order built;
    CodeRange values = build_program(b->programs, &spec, &built);
    uint32_t start = emit_begin(&b->programs->emitter);
    for (uint32_t i = 0; i < built.first[built.count] && j.total < PARTIALS_MAX; i++)
        task_partials(&j, built.tasks[i]);
    CodeRange partials = emit_end(&b->programs->emitter, start);
    if (j.total >= PARTIALS_MAX)
        return;
    b->draft.jacobian = (CodeRange){values.start, partials.end};
    b->draft.has_jacobian = true;
    build_pattern(&j);
}
