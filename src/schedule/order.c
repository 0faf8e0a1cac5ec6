// From a set of wanted values to an order: close the set under need, then strongly connected components.
#include "schedule/order.h"

static uint32_t local_task(TaskGraph* g, uint32_t task)
{
    uint32_t index;
    if (map_get(&g->local, task, &index))
        return index;
    index = g->tasks.count;
    map_set(&g->local, task, index);
    vec_push(g->c->arena, g->tasks, task);
    return index;
}

// `solved`: who reads it may be found by Newton's method together with the derivative of a storage that depends on
// others. That cannot be given then.
static bool task_of_register(const TaskGraph* g, SymReg reg, bool solved, uint32_t* task)
{
    if (g->spec->start && map_get(&g->c->start_of, reg, task))
        return true;
    if (g->spec->slopes_given && sym_class(reg) == REG_DERIV && !solved)
        return false;
    return map_get(&g->c->task_of, reg, task);
}

// Adds every task that the pushed scalars read, and an edge to it.
static void follow(TaskGraph* g, bool edges, bool solved)
{
    uint32_t task;
    for (Scalar x; scalar_walk_next(&g->c->scalars, &x);)
    {
        if (x.op != SCALAR_REG || !task_of_register(g, x.reg, solved, &task))
            continue;
        uint32_t index = local_task(g, task);
        if (edges)
            vec_push(g->c->arena, g->edges, index);
    }
}

TaskGraph task_graph(Compiler* c, const ProgramSpec* spec)
{
    TaskGraph g = {.c = c, .spec = spec};
    map_init(&g.local, c->arena);
    for (uint32_t i = 0; i < spec->task_count; i++)
        local_task(&g, spec->tasks[i]);
    scalar_walk(&c->scalars);
    for (uint32_t i = 0; i < spec->sink_count; i++)
        scalar_walk_push(&c->scalars, spec->sinks[i].value);
    follow(&g, false, false);
    for (uint32_t i = 0; i < g.tasks.count; i++)
    {
        vec_push(c->arena, g.first, g.edges.count);
        push_task(c, spec->phase, g.tasks.at[i]);
        follow(&g, true, c->flat->solves_slopes && c->tasks.at[g.tasks.at[i]].kind == TASK_DERIVATIVE);
    }
    vec_push(c->arena, g.first, g.edges.count);
    return g;
}

static bool needs_itself(const TaskGraph* g, uint32_t v)
{
    for (uint32_t e = g->first.at[v]; e < g->first.at[v + 1]; e++)
        if (g->edges.at[e] == v)
            return true;
    return false;
}

Order graph_order(const TaskGraph* g)
{
    Arena* arena = g->c->arena;
    Components k = graph_components(arena, g->tasks.count, g->first.at, g->edges.at);
    Order order = {.count = k.count, .first = k.first, .tasks = k.nodes};
    order.looped = arena_array(arena, bool, k.count + 1);
    for (uint32_t i = 0; i < k.count; i++)
        order.looped[i] = k.first[i + 1] - k.first[i] > 1 || needs_itself(g, k.nodes[k.first[i]]);
    return order;
}

void order_globally(const TaskGraph* g, Order* order)
{
    for (uint32_t i = 0; i < g->tasks.count; i++)
        order->tasks[i] = g->tasks.at[order->tasks[i]];
}

void task_graph_release(TaskGraph* g)
{
    vec_release(g->c->arena, g->tasks);
    vec_release(g->c->arena, g->first);
    vec_release(g->c->arena, g->edges);
    map_release(&g->local);
}

Order order_tasks(Compiler* c, const ProgramSpec* spec)
{
    TaskGraph g = task_graph(c, spec);
    Order order = graph_order(&g);
    order_globally(&g, &order);
    task_graph_release(&g);
    return order;
}
