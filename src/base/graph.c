// Tarjan's strongly connected components without recursion: linear in the graph, whatever its depth.
#include "base/graph.h"

#include <stdbool.h>

typedef struct Tarjan
{
    const uint32_t *first, *edges;
    uint32_t *order, *low, *next;  // order 0 = not seen
    uint32_t *stack, *calls;
    uint32_t stack_count, call_count, seen;
    bool* on_stack;
    Components out;
    uint32_t emitted;
} Tarjan;

static void enter(Tarjan* t, uint32_t v)
{
    t->order[v] = t->low[v] = ++t->seen;
    t->next[v] = t->first[v];
    t->stack[t->stack_count++] = v;
    t->on_stack[v] = true;
    t->calls[t->call_count++] = v;
}

static void close_component(Tarjan* t, uint32_t root)
{
    Components* out = &t->out;
    for (uint32_t v = root + 1; v != root;)
    {
        v = t->stack[--t->stack_count];
        t->on_stack[v] = false;
        out->of[v] = out->count;
        out->nodes[t->emitted++] = v;
    }
    out->first[++out->count] = t->emitted;
}

static void visit(Tarjan* t, uint32_t start)
{
    enter(t, start);
    while (t->call_count > 0)
    {
        uint32_t v = t->calls[t->call_count - 1];
        if (t->next[v] < t->first[v + 1])
        {
            uint32_t w = t->edges[t->next[v]++];
            if (t->order[w] == 0)
                enter(t, w);
            else if (t->on_stack[w] && t->order[w] < t->low[v])
                t->low[v] = t->order[w];
            continue;
        }
        t->call_count--;
        if (t->call_count > 0)
        {
            uint32_t parent = t->calls[t->call_count - 1];
            if (t->low[v] < t->low[parent])
                t->low[parent] = t->low[v];
        }
        if (t->low[v] == t->order[v])
            close_component(t, v);
    }
}

Components graph_components(Arena* arena, uint32_t n, const uint32_t* first, const uint32_t* edges)
{
    Tarjan t = {.first = first, .edges = edges};
    t.order = arena_array(arena, uint32_t, n + 1);
    t.low = arena_array(arena, uint32_t, n + 1);
    t.next = arena_array(arena, uint32_t, n + 1);
    t.stack = arena_array(arena, uint32_t, n + 1);
    t.calls = arena_array(arena, uint32_t, n + 1);
    t.on_stack = arena_array(arena, bool, n + 1);
    t.out.first = arena_array(arena, uint32_t, n + 2);
    t.out.nodes = arena_array(arena, uint32_t, n + 1);
    t.out.of = arena_array(arena, uint32_t, n + 1);
    for (uint32_t v = 0; v < n; v++)
        if (t.order[v] == 0)
            visit(&t, v);
    uint32_t* scratch[] = {t.order, t.low, t.next, t.stack, t.calls};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
        arena_release(arena, scratch[i], sizeof **scratch * ((size_t)n + 1));
    arena_release(arena, t.on_stack, sizeof *t.on_stack * ((size_t)n + 1));
    return t.out;
}
