// A cycle in numbers: first as the solver found it, then as a run can start with it, with the simplest values that do.
#include "prove/search.h"

#include "elab/constant.h"

#include <math.h>

enum
{
    STEM_MOST = 4
};

static bool fires_at(Logic* l, const Frame* f, uint32_t r)
{
    if (f->fires[r] != NULL && logic_value(l, f->fires[r]) != 0)
        return true;
    for (uint32_t i = 0; i < f->trials.count; i++)
        if (fires_at(l, f->trials.at[i], r))
            return true;
    return false;
}

void witness_take(Search* s, const Frame* const* frames, uint32_t count, Witness* w)
{
    Encoder* e = s->e;
    Logic* l = e->logic;
    w->values = arena_array(e->arena, double*, count);
    w->fires = arena_array(e->arena, bool*, count);
    w->time = logic_value(l, e->time);
    for (uint32_t i = 0; i < count; i++)
    {
        w->values[i] = arena_array(e->arena, double, e->slots.count + 1);
        w->fires[i] = arena_array(e->arena, bool, e->reactions.count + 1);
        for (uint32_t k = 0; k < e->slots.count; k++)
            w->values[i][k] = logic_value(l, frames[i]->slots[k]);
        for (uint32_t r = 0; r < e->reactions.count && i + 1 < count; r++)
            w->fires[i][r] = fires_at(l, frames[i], r);
    }
}

void witness_from_cycle(Search* s, uint32_t length)
{
    s->witness = (Witness){.length = length};
    witness_take(s, (const Frame* const*)s->frames.at, length + 1, &s->witness);
}

// ---- simple values
// ---------------------------------------------------------------------------------------------------

// A start value that is known before the run.
static double declared(const Encoder* e, uint32_t v)
{
    double value;
    NodeId init = e->flat->vars.at[v].init;
    return init != 0 && flat_eval_const(e->flat, init, &value) ? value : 0;
}

static bool try_value(Search* s, Formulas* path, Formula slot, double value)
{
    Logic* l = s->e->logic;
    Formula wanted = logic_is_boolean(l, slot) ? (value != 0 ? slot : logic_not(l, slot))
                                               : logic_equal(l, slot, logic_number(l, value));
    vec_push(l->arena, *path, wanted);
    if (logic_ask(l, path, 1) == VERDICT_YES)
        return true;
    path->count--;
    return false;
}

static void simplify_slot(Search* s, Formulas* path, const Frame* first, uint32_t i)
{
    const Slot* slot = &s->e->slots.at[i];
    double now = logic_value(s->e->logic, first->slots[i]);
    double tries[] = {declared(s->e, slot->index), 0, 1, -1, round(now), round(10 * now) / 10, 2, -2, now};
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++)
        if (!isnan(tries[k]) && try_value(s, path, first->slots[i], tries[k]))
            return;
}

// The model of the path with the simplest values: those declared, small whole numbers, what was found.
void witness_simplify(Search* s, Formulas* path, const Frame* first)
{
    Encoder* e = s->e;
    for (uint32_t i = 0; i < e->slots.count; i++)
    {
        const Slot* slot = &e->slots.at[i];
        bool other = slot->written && slot_group(e, i) != s->group;
        if ((slot->kind == SLOT_STATE || slot->kind == SLOT_DISCRETE) && !other)
            simplify_slot(s, path, first, i);
    }
    logic_ask(e->logic, path, 5);
}

// ---- as a run starts
// -------------------------------------------------------------------------------------------------

static void add_initial_modes(Search* s, const Frame* f, Formulas* path)
{
    Encoder* e = s->e;
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
        vec_push(e->arena, *path, f->slots[e->machine_slot[m] + e->flat->machines.at[m].initial]);
}

// A sequence of `stem` reactions that leads into a cycle of `length`. Fills s->witness.
static bool try_start(Search* s, uint32_t stem, uint32_t length, bool initial, bool now)
{
    Encoder* e = s->e;
    Formulas path = {0};
    uint32_t count = stem + length + 1;
    Frame** frames = arena_array(e->arena, Frame*, count);
    e->calls.count = 0;
    frames[0] = frame_new(e, 0, true);
    encode_modes(e, frames[0], s->group, &path);
    encode_start(e, frames[0], s->group, &path);
    Formula start = logic_number(e->logic, s->start);
    vec_push(e->arena, path, now ? logic_equal(e->logic, e->time, start) : logic_at_most(e->logic, start, e->time));
    if (s->region != 0)
        vec_push(e->arena, path, encode_condition(e, frames[0], s->region));
    if (initial)
        add_initial_modes(s, frames[0], &path);
    for (uint32_t i = 0; i + 1 < count; i++)
    {
        frames[i + 1] = encode_step(e, frames[i], s->group, &path);
        vec_push(e->arena, path, frames[i]->active);
    }
    vec_push(e->arena, path, encode_same(e, frames[stem], frames[stem + length], s->group));
    if (logic_ask(e->logic, &path, logic_time_left(e->logic) / 4) != VERDICT_YES)
        return false;
    witness_simplify(s, &path, frames[0]);
    Witness w = {.at_start = true, .initial = initial, .first = e->first_choice, .stem = stem, .length = length};
    witness_take(s, (const Frame* const*)frames, count, &w);
    s->witness = w;
    return true;
}

static bool try_starts(Search* s, uint32_t length)
{
    for (int now = 1; now >= 0; now--)
        for (int initial = 1; initial >= 0; initial--)
            for (uint32_t total = length; total <= length + STEM_MOST; total++)
                for (uint32_t stem = 0; stem + length <= total; stem++)
                    if (try_start(s, stem, total - stem, initial, now))
                        return true;
    return false;
}

// A run that takes first alternatives is one run; `choice = all` may have to explore many before it comes to the cycle.
bool witness_from_start(Search* s, uint32_t length)
{
    s->e->first_choice = true;
    bool found = try_starts(s, length);
    s->e->first_choice = false;
    return found || (s->e->flat->choices.count > 0 && try_starts(s, length));
}
