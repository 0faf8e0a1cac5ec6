// Preemption (rule M1, decision 0027): when a reaction or transition fires, and which modes do not react because a
// `preempt` transition leaves them.
#include "lower/compiler.h"

bool ctx_preemptible(const Flat* f, uint32_t ctx)
{
    for (; ctx != 0; ctx = f->ctxs.at[ctx].parent)
    {
        const FlatMode* mode = &f->machines.at[f->ctxs.at[ctx].machine].modes.at[f->ctxs.at[ctx].mode];
        for (uint32_t i = 0; i < mode->transitions.count; i++)
            if (is_preempting(&f->transitions.at[mode->transitions.at[i]]))
                return true;
    }
    return false;
}

ScalarId lower_fires_in(Compiler* c, Phase phase, NodeId trigger, NodeId guard)
{
    Scalars* s = &c->scalars;
    Lowered t = lower(c, phase, trigger);
    ScalarId fire = t.present;
    if (c->flat->nodes.at[trigger].type != TYPE_EVENT)
        fire = scalar_and(s, fire, t.value);
    if (guard == 0)
        return fire;
    Lowered g = lower(c, phase, guard);
    return scalar_and(s, fire, scalar_and(s, g.present, g.value));
}

ScalarId lower_fires(Compiler* c, NodeId trigger, NodeId guard)
{
    return lower_fires_in(c, PHASE_REACT, trigger, guard);
}

// A mode does not react at a tag at which a `preempt` transition leaves it, or a mode around it (rule M1).
ScalarId lower_preempted(Compiler* c, uint32_t ctx)
{
    const Flat* f = c->flat;
    ScalarId preempted = scalar_const(&c->scalars, 0);
    for (; ctx != 0; ctx = f->ctxs.at[ctx].parent)
    {
        const FlatMode* mode = &f->machines.at[f->ctxs.at[ctx].machine].modes.at[f->ctxs.at[ctx].mode];
        for (uint32_t i = 0; i < mode->transitions.count; i++)
        {
            const FlatTransition* t = &f->transitions.at[mode->transitions.at[i]];
            if (is_preempting(t))
                preempted = scalar_or(&c->scalars, preempted, lower_fires(c, t->trigger, t->guard));
        }
    }
    return preempted;
}
