// The analytic Jacobian df/dx and df/dt: forward accumulation over the tasks in the order in which the derivative
// program computes them. Each signal carries its partial derivatives with respect to the states it depends on, and no
// others, so that a chain stays a chain.
#include "emit/builder.h"

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

typedef struct Jacobian
{
    Builder* b;
    Map list_of;  // register of a task → index in lists
    Map memo;     // of one derivative
    VEC(PartialList) lists;
    uint32_t total;
    uint32_t column;      // being differentiated for
    VEC(uint32_t) stamp;  // per column
    uint32_t round;
} Jacobian;

static uint32_t time_column(const Jacobian* j)
{
    return j->b->c.reg_counts[REG_STATE];
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
    for (uint32_t i = 0; i < partials->count; i++)
        if (partials->at[i].column == j->column)
            return scalar_reg(&c->scalars, partials->at[i].reg);
    return 0;
}

// The columns that an expression depends on, added to `columns`.
static void add_column(Jacobian* j, uint32_t column, PartialList* columns)
{
    while (j->stamp.count <= column)
        vec_push(j->b->arena, j->stamp, 0);
    if (j->stamp.at[column] == j->round)
        return;
    j->stamp.at[column] = j->round;
    vec_push(j->b->arena, *columns, (Partial){column, NO_REG});
}

static void add_columns(Jacobian* j, ScalarId root, PartialList* columns)
{
    Compiler* c = &j->b->c;
    uint32_t list;
    scalar_walk(&c->scalars);
    scalar_walk_push(&c->scalars, root);
    for (Scalar x; scalar_walk_next(&c->scalars, &x);)
        if (x.op != SCALAR_REG)
            continue;
        else if (sym_class(x.reg) == REG_STATE)
            add_column(j, sym_index(x.reg), columns);
        else if (x.reg == c->time)
            add_column(j, time_column(j), columns);
        else if (map_get(&j->list_of, x.reg, &list))
            for (uint32_t i = 0; i < j->lists.at[list].count; i++)
                add_column(j, j->lists.at[list].at[i].column, columns);
}

static int by_column(const void* a, const void* b)
{
    uint32_t x = ((const Partial*)a)->column, y = ((const Partial*)b)->column;
    return (x > y) - (x < y);
}

// Partial derivatives of one task: registers, and code that fills them.
static void task_partials(Jacobian* j, uint32_t task)
{
    Builder* b = j->b;
    Compiler* c = &b->c;
    PartialList list = {0};
    j->round++;
    for (uint32_t i = 0; i < task_item_count(c, task); i++)
        add_columns(j, task_item(c, PHASE_FLOW, task, i).value.value, &list);
    if (list.count > 0)
        qsort(list.at, list.count, sizeof *list.at, by_column);
    Sinks sinks = {0};
    for (uint32_t k = 0; k < list.count; k++)
    {
        list.at[k].reg = compiler_reg(c, REG_TEMP);
        j->column = list.at[k].column;
        for (uint32_t i = 0; i < task_item_count(c, task); i++)
        {
            TaskItem item = task_item(c, PHASE_FLOW, task, i);
            map_clear(&j->memo);
            ScalarId value = differentiate(c, item.value.value, leaf, j, &j->memo);
            vec_push(b->arena, sinks, (Sink){item.ctx, value, list.at[k].reg});
        }
    }
    emit_sinks(b->programs, sinks.at, sinks.count);
    map_set(&j->list_of, c->tasks.at[task].reg, j->lists.count);
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
