// Junctions switch by their own rule, not with the transitions of other machines: first all whose guard holds on
// committed values, then, set after set from the same state, all whose guard holds on what the set would give.
#include "prove/switching.h"

static bool is_junction_of(Encoder* e, uint32_t machine, uint32_t group)
{
    return e->flat->machines.at[machine].junction != 0 && slot_group(e, e->machine_slot[machine]) == group;
}

bool switching_in_group(Encoder* e, uint32_t group)
{
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
        if (is_junction_of(e, m, group))
            return true;
    return false;
}

bool switching_many(Encoder* e, uint32_t group)
{
    int count = 0;
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
        count += is_junction_of(e, m, group);
    return count > 1;
}

static Formula guard_of(Encoder* e, Frame* f, uint32_t r)
{
    const Reaction* reaction = &e->reactions.at[r];
    Formula holds = encode_condition(e, f, reaction->trigger);
    if (reaction->guard != 0)
        holds = logic_and(e->logic, holds, encode_condition(e, f, reaction->guard));
    return encode_changed_guard(e, f, r, holds);
}

// Which transitions of a machine are taken in the frame; `free` narrows to where nothing was taken before.
static Formula take(Encoder* e, Frame* f, uint32_t machine, bool posterior, Formula may)
{
    Logic* l = e->logic;
    const FlatMachine* m = &e->flat->machines.at[machine];
    Formula any = l->no;
    for (uint32_t k = 0; k < m->modes.count; k++)
    {
        Formula here = logic_and(l, may, f->slots[e->machine_slot[machine] + k]);
        for (uint32_t i = 0; i < m->modes.at[k].transitions.count; i++)
        {
            uint32_t r = e->flat->whens.count + m->modes.at[k].transitions.at[i];
            if (e->reactions.at[r].transition->posterior != posterior)
                continue;
            Formula holds = guard_of(e, f, r);
            f->fires[r] = logic_and(l, here, holds);
            here = logic_and(l, here, logic_not(l, holds));
            any = logic_or(l, any, f->fires[r]);
        }
    }
    return any;
}

static void move(Encoder* e, const Frame* from, Frame* to, uint32_t machine, bool posterior)
{
    Logic* l = e->logic;
    const FlatMachine* m = &e->flat->machines.at[machine];
    uint32_t first = e->machine_slot[machine];
    for (uint32_t k = 0; k < m->modes.count; k++)
    {
        Formula enters = l->no, leaves = l->no;
        for (uint32_t t = 0; t < e->flat->transitions.count; t++)
        {
            const FlatTransition* at = &e->flat->transitions.at[t];
            Formula fires = from->fires[e->flat->whens.count + t];
            if (at->machine != machine || at->posterior != posterior || fires == NULL)
                continue;
            enters = at->to == k ? logic_or(l, enters, fires) : enters;
            leaves = at->from == k ? logic_or(l, leaves, fires) : leaves;
        }
        Formula next = logic_or(l, enters, logic_and(l, from->slots[first + k], logic_not(l, leaves)));
        encode_side(e, logic_equal(l, to->slots[first + k], next));
    }
}

Frame* switching_prior(Encoder* e, Frame* base, uint32_t group)
{
    Frame* trial = circuit_trial(e, base, group);
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
        if (is_junction_of(e, m, group))
        {
            take(e, base, m, false, e->logic->yes);
            move(e, base, trial, m, false);
        }
    return trial;
}

Frame* switching_posterior(Encoder* e, Frame* trial, uint32_t group, bool together)
{
    Frame* next = circuit_trial(e, trial->base, group);
    Formula may = e->logic->yes;
    trial->active = e->logic->no;
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
        if (is_junction_of(e, m, group))
        {
            Formula taken = take(e, trial, m, true, may);
            trial->active = logic_or(e->logic, trial->active, taken);
            if (!together)
                may = logic_and(e->logic, may, logic_not(e->logic, taken));
            move(e, trial, next, m, true);
        }
    return next;
}

void switching_guards(Encoder* e, Frame* trial, uint32_t group)
{
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
        if (is_junction_of(e, m, group))
            take(e, trial, m, true, e->logic->yes);
}

Formula switching_goes_on(Encoder* e, Frame* trial, uint32_t group)
{
    Formula any = e->logic->no;
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
        if (is_junction_of(e, m, group))
            any = logic_or(e->logic, any, take(e, trial, m, true, e->logic->yes));
    return any;
}

Formula switching_happened(Encoder* e, Frame* base, Frame* first, uint32_t group)
{
    Formula any = logic_not(e->logic, switching_same_modes(e, base, first, group));
    for (uint32_t t = 0; t < e->flat->transitions.count; t++)
    {
        uint32_t r = e->flat->whens.count + t;
        const FlatTransition* at = &e->flat->transitions.at[t];
        if (!is_junction_of(e, at->machine, group))
            continue;
        const Frame* f = at->posterior ? first : base;
        if (f->fires[r] != NULL)
            any = logic_or(e->logic, any, f->fires[r]);
    }
    return any;
}

static bool has_posterior(const Encoder* e, uint32_t machine)
{
    for (uint32_t t = 0; t < e->flat->transitions.count; t++)
        if (e->flat->transitions.at[t].machine == machine && e->flat->transitions.at[t].posterior)
            return true;
    return false;
}

Frame* switching_any_rest(Encoder* e, Frame* base, uint32_t group)
{
    Frame* trial = circuit_trial(e, base, group);
    Formulas modes = {0};
    encode_modes(e, trial, group, &modes);
    for (uint32_t i = 0; i < modes.count; i++)
        encode_side(e, modes.at[i]);
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
        if (is_junction_of(e, m, group))
        {
            take(e, base, m, false, e->logic->yes);
            if (!has_posterior(e, m))
                move(e, base, trial, m, false);
        }
    encode_side(e, logic_not(e->logic, switching_goes_on(e, trial, group)));
    return trial;
}

Formula switching_same_modes(Encoder* e, const Frame* a, const Frame* b, uint32_t group)
{
    Formula same = e->logic->yes;
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
        for (uint32_t k = 0; is_junction_of(e, m, group) && k < e->flat->machines.at[m].modes.count; k++)
        {
            uint32_t slot = e->machine_slot[m] + k;
            same = logic_and(e->logic, same, logic_equal(e->logic, a->slots[slot], b->slots[slot]));
        }
    return same;
}
