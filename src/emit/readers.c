#include "emit/readers.h"

void readers_init(Readers* r, const Scalars* scalars, Arena* arena)
{
    *r = (Readers){.scalars = scalars, .down.arena = arena, .up.arena = arena};
}

void readers_begin(Readers* r)
{
    walk_begin(&r->down);
    r->edges.count = r->leaves.count = 0;
}

// A scalar that is met for the first time has no readers yet.
static void meet(Readers* r, ScalarId scalar)
{
    if (scalar == 0 || walk_seen(&r->down, scalar))
        return;
    while (r->first.count <= scalar)
        vec_push(r->down.arena, r->first, 0);
    r->first.at[scalar] = 0;
    walk_push(&r->down, scalar);
}

static void add_edge(Readers* r, ScalarId scalar, ScalarId reader)
{
    meet(r, scalar);
    if (scalar == 0)
        return;
    vec_push(r->down.arena, r->edges, (ReaderEdge){reader, r->first.at[scalar]});
    r->first.at[scalar] = r->edges.count;
}

void readers_add(Readers* r, ScalarId root)
{
    meet(r, root);
    for (ScalarId id; (id = walk_pop(&r->down)) != 0;)
    {
        const Scalar* x = &r->scalars->list.at[id];
        if (x->op == SCALAR_REG)
            vec_push(r->down.arena, r->leaves, id);
        for (int i = 0; x->op != SCALAR_REG && i < vm_op_arity((VmOp)x->op); i++)
            add_edge(r, x->arg[i], id);
    }
}

void readers_rise(Readers* r)
{
    for (ScalarId id; (id = walk_pop(&r->up)) != 0;)
        for (uint32_t e = r->first.at[id]; e != 0; e = r->edges.at[e - 1].next)
            walk_push(&r->up, r->edges.at[e - 1].reader);
}
