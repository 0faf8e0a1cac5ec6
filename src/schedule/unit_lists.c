// The lists of units that need the numbers of registers: who reads a register, and what may disturb an island.
#include "schedule/builder.h"

#include <stddef.h>

// ---- readers of registers
// --------------------------------------------------------------------------------------------

typedef VEC(uint32_t) Numbers;

// Pairs (register, reader) → compressed rows, one for each STATE and MEMORY register.
static void compress(Builder* b, const RegLink* links, uint32_t count, uint32_t rows, Numbers* first, Numbers* list)
{
    const uint32_t* f = b->draft.reg_first;
    for (uint32_t i = 0; i <= rows; i++)
        vec_push(b->arena, *first, 0);
    for (uint32_t i = 0; i < count; i++)
        first->at[relocate(links[i].reg, f) - f[REG_STATE]]++;
    for (uint32_t i = 0, at = 0; i <= rows; i++)
    {
        uint32_t own = first->at[i];
        first->at[i] = at;
        at += own;
    }
    for (uint32_t i = 0; i < count; i++)
        vec_push(b->arena, *list, 0);
    for (uint32_t i = 0; i < count; i++)
        list->at[first->at[relocate(links[i].reg, f) - f[REG_STATE]]++] = links[i].reader;
    for (uint32_t i = rows; i > 0; i--)
        first->at[i] = first->at[i - 1];
    first->at[0] = 0;
}

// ---- what may disturb an island
// --------------------------------------------------------------------------------------

typedef struct Spread
{
    Builder* b;
    uint32_t round, work;
    uint32_t *units, *regs, *islands;  // the last round that reached them
    Numbers reg_stack, unit_stack, reached;
} Spread;

static void reach_reg(Spread* s, uint32_t reg)
{
    const kaiModel* m = &s->b->draft;
    if (reg == NO_REG || reg < m->reg_first[REG_STATE] || reg >= m->reg_first[REG_VALUE])
        return;
    uint32_t row = reg - m->reg_first[REG_STATE];
    if (s->regs[row] == s->round)
        return;
    s->regs[row] = s->round;
    vec_push(s->b->arena, s->reg_stack, row);
}

static void reach_island(Spread* s, uint32_t island)
{
    if (s->islands[island] == s->round)
        return;
    s->islands[island] = s->round;
    vec_push(s->b->arena, s->reached, island);
}

static void reach_unit(Spread* s, uint32_t unit)
{
    if (s->units[unit] == s->round)
        return;
    s->units[unit] = s->round;
    vec_push(s->b->arena, s->unit_stack, unit);
}

static void reach_transition(Spread* s, uint32_t index)
{
    Builder* b = s->b;
    const FlatTransition* t = &b->c.flat->transitions.at[index];
    const Machine* machine = &b->machines.at[t->machine];
    reach_reg(s, machine->reg);
    for (uint32_t i = 0; i < machine->mode_count; i++)
    {
        const ModeInfo* mode = &b->modes.at[machine->first_mode + i];
        reach_reg(s, mode->entry);
        for (uint32_t k = 0; k < mode->reset_count; k++)
            reach_reg(s, b->resets.at[mode->first_reset + k].target);
    }
}

// What the commit of a unit may change.
static void spread_unit(Spread* s, uint32_t index)
{
    Builder* b = s->b;
    const ModelUnit* u = &b->units.at[index];
    for (uint32_t i = 0; i < b->unit_hearers.at[index]; i++)
        reach_unit(s, b->unit_links.at[u->next.first + i]);
    s->work += b->unit_hearers.at[index];
    if (u->kind == UNIT_GUARD)
        reach_reg(s, b->guards.at[u->index].latch);
    else if (u->kind == UNIT_MEMORY)
        reach_reg(s, b->memories.at[u->index].dst);
    else if (u->kind == UNIT_REACTION)
    {
        const Reaction* r = &b->reactions.at[u->index];
        for (uint32_t i = 0; i < r->act_count; i++)
        {
            reach_reg(s, b->acts.at[r->first_act + i].target);
            reach_reg(s, b->acts.at[r->first_act + i].flag);
        }
        if (u->index >= b->c.flat->whens.count)
            reach_transition(s, u->index - b->c.flat->whens.count);
    }
}

static void spread_reg(Spread* s, uint32_t row)
{
    Builder* b = s->b;
    if (row < b->draft.state_count)
        reach_island(s, b->state_islands.at[row]);
    for (uint32_t i = b->reg_island_first.at[row]; i < b->reg_island_first.at[row + 1]; i++)
        reach_island(s, b->reg_islands.at[i]);
    for (uint32_t i = b->reg_unit_first.at[row]; i < b->reg_unit_first.at[row + 1]; i++)
        reach_unit(s, b->reg_units.at[i]);
    s->work += 1 + b->reg_unit_first.at[row + 1] - b->reg_unit_first.at[row];
}

static void spread_from(Spread* s, uint32_t reg)
{
    s->round++;
    s->reached.count = 0;
    reach_reg(s, reg);
    while (s->reg_stack.count > 0 || s->unit_stack.count > 0)
        if (s->reg_stack.count > 0)
            spread_reg(s, s->reg_stack.at[--s->reg_stack.count]);
        else
            spread_unit(s, s->unit_stack.at[--s->unit_stack.count]);
}

static IndexRange* range_in(Builder* b, uint32_t island, size_t offset)
{
    return (IndexRange*)((char*)&b->islands.at[island] + offset);
}

// (source, island) pairs → the list that they make, and in each island the range of its part.
static Numbers by_island(Builder* b, const RegLink* pairs, uint32_t count, size_t range_offset)
{
    Numbers list = {0};
    for (uint32_t i = 0; i < count; i++)
    {
        range_in(b, pairs[i].reader, range_offset)->count++;
        vec_push(b->arena, list, 0);
    }
    for (uint32_t i = 0, at = 0; i < b->islands.count; i++)
    {
        IndexRange* range = range_in(b, i, range_offset);
        range->first = at;
        at += range->count;
        range->count = 0;
    }
    for (uint32_t i = 0; i < count; i++)
    {
        IndexRange* range = range_in(b, pairs[i].reader, range_offset);
        list.at[range->first + range->count++] = pairs[i].reg;
    }
    return list;
}

typedef VEC(RegLink) Links;

enum
{
    WORK_MAX = 20000000,
    LINKS_MAX = 2000000
};

// What can be disturbed by `reg`, unless that costs more than a compilation may.
static void find_reached(Spread* s, uint32_t reg, const Links* links)
{
    s->reached.count = 0;
    if (s->work >= WORK_MAX || links->count >= LINKS_MAX)
        s->round++;
    else
        spread_from(s, reg);
}

static void link_reached(const Spread* s, uint32_t source, Links* links)
{
    for (uint32_t k = 0; k < s->reached.count; k++)
        vec_push(s->b->arena, *links, (RegLink){source, s->reached.at[k]});
}

// An island does not step over what is expected to disturb it. What is found too late only costs a roll back, so the
// search gives up where it would cost more than a compilation may.
static void find_limits(Builder* b)
{
    Spread s = {.b = b};
    s.units = arena_array(b->arena, uint32_t, b->units.count + 1);
    s.regs = arena_array(b->arena, uint32_t, b->reg_unit_first.count + 1);
    s.islands = arena_array(b->arena, uint32_t, b->islands.count + 1);
    Links clocks = {0}, timers = {0}, outs = {0};
    for (uint32_t i = 0; i < b->clocks.count; i++)
    {
        find_reached(&s, b->clocks.at[i].flag, &clocks);
        link_reached(&s, i, &clocks);
    }
    for (uint32_t i = 0; i < b->guards.count; i++)
    {
        if (!b->guards.at[i].time_only)
            continue;
        find_reached(&s, b->guards.at[i].latch, &timers);
        link_reached(&s, i, &timers);
    }
    bool* searched = arena_array(b->arena, bool, b->delays.count + 1);
    for (uint32_t i = 0; i < b->searched_delays.count; i++)
        searched[b->searched_delays.at[i]] = true;
    for (uint32_t i = 0; i < b->delays.count; i++)
    {
        const Delay* d = &b->delays.at[i];
        find_reached(&s, d->event ? d->out_present : d->out, &outs);
        if (searched[i])
            reach_island(&s, d->island);  // no window of the search spans a jump that comes out
        link_reached(&s, i, &outs);
    }
    Numbers list = by_island(b, clocks.at, clocks.count, offsetof(Island, clocks));
    b->island_clocks.at = list.at;
    b->island_clocks.count = list.count;
    list = by_island(b, timers.at, timers.count, offsetof(Island, timers));
    b->island_timers.at = list.at;
    b->island_timers.count = list.count;
    list = by_island(b, outs.at, outs.count, offsetof(Island, outs));
    b->island_outs.at = list.at;
    b->island_outs.count = list.count;
}

void finish_units(Builder* b)
{
    const uint32_t* f = b->draft.reg_first;
    uint32_t rows = f[REG_VALUE] - f[REG_STATE];
    Numbers first = {0}, list = {0}, island_first = {0}, islands = {0};
    compress(b, b->unit_reads.at, b->unit_reads.count, rows, &first, &list);
    compress(b, b->island_reads.at, b->island_reads.count, rows, &island_first, &islands);
    b->reg_unit_first.at = first.at;
    b->reg_unit_first.count = first.count;
    b->reg_units.at = list.at;
    b->reg_units.count = list.count;
    b->reg_island_first.at = island_first.at;
    b->reg_island_first.count = island_first.count;
    b->reg_islands.at = islands.at;
    b->reg_islands.count = islands.count;
    for (uint32_t i = 0; i < rows; i++)
        vec_push(b->arena, b->reg_vars, 0);
    for (uint32_t v = 0; v < b->vars.count; v++)
    {
        uint32_t regs[2] = {b->vars.at[v].reg, b->vars.at[v].present};
        for (int i = 0; i < 2; i++)
            if (regs[i] != NO_REG && regs[i] >= f[REG_STATE] && regs[i] < f[REG_VALUE])
                b->reg_vars.at[regs[i] - f[REG_STATE]] = v + 1;
    }
    if (!b->draft.fused)  // which waits for all that is due
        find_limits(b);
}
