// The a-posteriori run set by set. From one state X the run visits sets of modes; in each, every guard is a condition
// on X. So the sequences of sets are searched depth first with the conditions that lead along them: where none is left
// the branch ends, and sets that no state reaches are never looked at.
#include "prove/sets.h"

#include "prove/switching.h"

#include <string.h>

enum
{
    STARTS_MOST = 2048,
    DEPTH_MOST = 64
};

typedef struct ModeSet
{
    uint32_t* modes;  // per machine
    Frame* trial;
    Formulas equations;
} ModeSet;

typedef struct Sets
{
    Search* s;
    LogicSession session;
    Frame* base;
    Formulas known;  // of the committed state
    VEC(ModeSet) list;
    uint32_t path[DEPTH_MOST];
    uint32_t depth, longest;
    bool single;    // one at a time
    bool fallback;  // together came back somewhere, one at a time did not
    Verdict verdict;
} Sets;

static uint32_t machine_count(const Sets* t)
{
    return t->s->e->flat->machines.count;
}

static bool is_mine(const Sets* t, uint32_t m)
{
    Encoder* e = t->s->e;
    return e->flat->machines.at[m].junction != 0 && slot_group(e, e->machine_slot[m]) == t->s->group;
}

static uint32_t find_set(Sets* t, const uint32_t* modes)
{
    Encoder* e = t->s->e;
    for (uint32_t i = 0; i < t->list.count; i++)
        if (memcmp(t->list.at[i].modes, modes, sizeof *modes * machine_count(t)) == 0)
            return i;
    ModeSet set = {.modes = arena_array(e->arena, uint32_t, machine_count(t) + 1)};
    memcpy(set.modes, modes, sizeof *modes * machine_count(t));
    set.trial = circuit_set(e, t->base, t->s->group, modes);
    switching_guards(e, set.trial, t->s->group);
    encode_take_side(e, &set.equations);
    vec_push(e->arena, t->list, set);
    return t->list.count - 1;
}

// What the last model takes out of the set, and the condition for just that.
static bool read_switches(Sets* t, uint32_t set, uint32_t* next, Formula* region)
{
    Encoder* e = t->s->e;
    Logic* l = e->logic;
    const ModeSet* at = &t->list.at[set];
    bool any = false;
    memcpy(next, at->modes, sizeof *next * machine_count(t));
    *region = l->yes;
    for (uint32_t k = 0; k < e->flat->transitions.count; k++)
    {
        const FlatTransition* tr = &e->flat->transitions.at[k];
        Formula fires = at->trial->fires[e->flat->whens.count + k];
        if (!is_mine(t, tr->machine) || fires == NULL || fires == l->no)
            continue;
        bool holds = logic_value(l, fires) != 0;
        *region = logic_and(l, *region, holds ? fires : logic_not(l, fires));
        if (holds && !(any && t->single))
        {
            next[tr->machine] = tr->to;
            any = true;
        }
    }
    return any;
}

static void descend(Sets* t, uint32_t set);

// Together the sets came back. One at a time from the same first set, under the same conditions?
static void try_single(Sets* t)
{
    Sets alone = *t;
    alone.single = true;
    alone.depth = 0;
    alone.longest = 0;
    alone.verdict = VERDICT_NO;
    logic_session_push(&t->session);
    descend(&alone, t->path[0]);
    logic_session_pop(&t->session);
    t->list = alone.list;
    t->verdict = alone.verdict;
    t->fallback |= alone.verdict == VERDICT_NO;
}

static bool on_path(const Sets* t, uint32_t set)
{
    for (uint32_t i = 0; i < t->depth; i++)
        if (t->path[i] == set)
            return true;
    return false;
}

static void follow(Sets* t, uint32_t next)
{
    bool back = on_path(t, next);
    if (!back)
        descend(t, next);
    else if (t->single || !switching_many(t->s->e, t->s->group))
        t->verdict = VERDICT_YES;
    else
        try_single(t);
}

// All that can follow a set under the conditions in the session.
static void descend(Sets* t, uint32_t set)
{
    Encoder* e = t->s->e;
    uint32_t* next = arena_array(e->arena, uint32_t, machine_count(t) + 1);
    if (t->depth == DEPTH_MOST)
    {
        t->verdict = VERDICT_UNKNOWN;
        return;
    }
    t->path[t->depth++] = set;
    t->longest = t->depth - 1 > t->longest ? t->depth - 1 : t->longest;
    logic_session_push(&t->session);
    for (uint32_t i = 0; i < t->list.at[set].equations.count; i++)
        logic_session_add(&t->session, t->list.at[set].equations.at[i]);
    while (t->verdict == VERDICT_NO)
    {
        Verdict more = logic_session_ask(&t->session, logic_time_left(e->logic) / 2);
        if (more != VERDICT_YES)
        {
            t->verdict = more == VERDICT_NO ? VERDICT_NO : VERDICT_UNKNOWN;
            break;
        }
        Formula region;
        if (read_switches(t, set, next, &region))
        {
            logic_session_push(&t->session);
            logic_session_add(&t->session, region);
            follow(t, find_set(t, next));
            logic_session_pop(&t->session);
        }
        logic_session_add(&t->session, logic_not(e->logic, region));
    }
    logic_session_pop(&t->session);
    t->depth--;
}

// ---- from every set
// --------------------------------------------------------------------------------------------------

static uint32_t count_starts(const Sets* t)
{
    uint32_t count = 1;
    for (uint32_t m = 0; m < machine_count(t); m++)
        if (is_mine(t, m))
            count = count > STARTS_MOST ? count : count * t->s->e->flat->machines.at[m].modes.count;
    return count;
}

static bool next_start(const Sets* t, uint32_t* modes)
{
    for (uint32_t m = 0; m < machine_count(t); m++)
    {
        if (!is_mine(t, m))
            continue;
        if (++modes[m] < t->s->e->flat->machines.at[m].modes.count)
            return true;
        modes[m] = 0;
    }
    return false;
}

bool sets_fit(Search* s)
{
    Sets t = {.s = s};
    return count_starts(&t) <= STARTS_MOST;
}

Verdict sets_search(Search* s, SetsResult* result)
{
    Encoder* e = s->e;
    Sets t = {.s = s, .verdict = VERDICT_NO};
    t.base = frame_new(e, 0, false);
    t.base->loose = true;
    encode_modes(e, t.base, s->group, &t.known);
    if (s->region != 0)
        vec_push(e->arena, t.known, encode_condition(e, t.base, s->region));
    uint32_t* modes = arena_array(e->arena, uint32_t, machine_count(&t) + 1);
    encode_take_side(e, &t.known);
    t.session = logic_session_open(e->logic);
    for (uint32_t i = 0; i < t.known.count; i++)
        logic_session_add(&t.session, t.known.at[i]);
    do
    {
        uint32_t set = find_set(&t, modes);
        if (!logic_linear(e->logic, &t.known) || !logic_linear(e->logic, &t.list.at[set].equations))
            t.verdict = VERDICT_UNKNOWN;
        else
            descend(&t, set);
    } while (t.verdict == VERDICT_NO && next_start(&t, modes));
    logic_session_close(&t.session);
    *result = (SetsResult){.longest = t.longest, .fallback = t.fallback, .sets = t.list.count};
    return t.verdict;
}
