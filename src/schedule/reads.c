// See reads.h.
#include "schedule/reads.h"

static void read_register(Compiler* c, Reads* r, Map* seen, SymReg reg, bool through)
{
    uint32_t task;
    bool known = reg == c->time || sym_class(reg) == REG_STATE || (sym_class(reg) == REG_DERIV && !through);
    if (reg == c->time)
        r->mask |= READS_TIME;
    else if (sym_class(reg) == REG_STATE || sym_class(reg) == REG_DERIV)
        r->mask |= READS_CONTINUOUS;
    if (sym_class(reg) == REG_STATE)
        vec_push(c->arena, r->states, sym_index(reg));
    r->slopes |= sym_class(reg) == REG_DERIV;
    if (!known && map_get(&c->task_of, reg, &task) && !map_get(seen, task, NULL))
    {
        map_set(seen, task, 1);
        r->tasks++;
        push_task_items(c, PHASE_FLOW, task);
    }
}

static Reads read_all(Compiler* c, ScalarId root, bool through)
{
    Reads r = {0};
    map_clear(&c->scalars.asked);  // tasks
    scalar_walk(&c->scalars);
    scalar_walk_push(&c->scalars, root);
    for (Scalar x; scalar_walk_next(&c->scalars, &x);)
        if (x.op == SCALAR_REG)
            read_register(c, &r, &c->scalars.asked, x.reg, through);
        else if (x.op == VM_DELAYED)
            r.mask |= READS_CONTINUOUS;
    return r;
}

Reads what_it_reads(Compiler* c, ScalarId root)
{
    return read_all(c, root, false);
}

Reads what_its_rates_read(Compiler* c, ScalarId root)
{
    return read_all(c, root, true);
}

bool reads_continuous(Compiler* c, ScalarId value)
{
    return what_it_reads(c, value).mask != 0;
}
