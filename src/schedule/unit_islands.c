// What islands want of units: code of their derivatives, of the guards that are searched along their steps and of what
// goes into delays, and the lists of these.
#include "schedule/linker.h"

// ---- islands
// ---------------------------------------------------------------------------------------------------------

static void note_reads(Linker* k, uint32_t island)
{
    for (uint32_t i = 0; i < k->regs.count; i++)
        if (sym_class(k->regs.at[i]) == REG_MEMORY)
            vec_push(k->b->arena, k->b->island_reads, (RegLink){k->regs.at[i], island});
}

void unit_island_derivatives(Linker* k)
{
    Builder* b = k->b;
    for (uint32_t i = 0; i < b->islands.count; i++)
    {
        VEC(uint32_t) tasks = {0};
        for (uint32_t s = 0; s < b->islands.at[i].states.count; s++)
        {
            uint32_t state = b->island_states.at[b->islands.at[i].states.first + s], task;
            if (map_get(&b->c.task_of, sym_reg(REG_DERIV, state), &task))
                vec_push(b->arena, tasks, task);
        }
        ProgramSpec spec = {.phase = PHASE_FLOW, .tasks = tasks.at, .task_count = tasks.count};
        linker_read_program(k, &spec);
        note_reads(k, i);
        linker_request(b, FORM_PROGRAM, OWNER_ISLAND, i, &spec);
    }
}

// For a guard that reads nothing but time, and is searched for by itself: the first takes an island that has nothing
// yet.
static uint32_t time_island(Linker* k)
{
    Builder* b = k->b;
    const Island* last = &b->islands.at[b->islands.count - 1];
    if (last->states.count > 0 || last->place != 0 || k->time_searched)
        vec_push(b->arena, b->islands, (Island){.name = build_string(b, "time")});
    k->time_searched = true;
    return b->islands.count - 1;
}

static void add_guard_island(Builder* b, Guard* guard, uint32_t island)
{
    for (uint32_t i = 0; i < guard->islands.count; i++)
        if (b->guard_islands.at[guard->islands.first + i] == island)
            return;
    vec_push(b->arena, b->guard_islands, island);
    guard->islands.count++;
}

static void add_look(Linker* k, uint32_t index, Guard* guard)
{
    Builder* b = k->b;
    SymReg regs[] = {guard->g, guard->slope, guard->argument, guard->present};
    Sinks sinks = {0};
    uint32_t delay;
    for (int i = 0; i < 4; i++)
    {
        ScalarId value = sink_value(b, &b->event_index, regs[i]);
        if (value != 0)
            vec_push(b->arena, sinks, (Sink){guard->ctx, value, regs[i]});
    }
    ProgramSpec spec = {
        .phase = PHASE_FLOW, .sinks = sinks.at, .sink_count = sinks.count, .slopes_given = !guard->rates};
    linker_read_program(k, &spec);
    guard->islands = (IndexRange){b->guard_islands.count, 0};
    for (uint32_t i = 0; i < k->regs.count; i++)
    {
        RegClass cls = sym_class(k->regs.at[i]);
        if (cls == REG_STATE || cls == REG_DERIV)
            add_guard_island(b, guard, b->state_islands.at[sym_index(k->regs.at[i])]);
        else if (map_get(&k->delay_of, k->regs.at[i], &delay))
        {
            add_guard_island(b, guard, b->delays.at[delay].island);
            vec_push(b->arena, b->searched_delays, delay);
        }
    }
    if (guard->islands.count == 0 && !guard->time_only)
        add_guard_island(b, guard, time_island(k));
    // It is searched for along the steps of its island: one that begins to be watched, or whose level moves, in the
    // middle of a step must be looked for in the rest of it. (Those of several islands look for themselves.)
    if (guard->islands.count == 1)
        note_reads(k, b->guard_islands.at[guard->islands.first]);
    linker_request(b, FORM_PROGRAM, OWNER_GUARD, index, &spec);
}

void unit_island_looks(Linker* k)
{
    Builder* b = k->b;
    for (uint32_t i = 0; i < b->guards.count; i++)
        if (b->guards.at[i].searched)
        {
            Guard guard = b->guards.at[i];
            add_look(k, i, &guard);
            b->guards.at[i] = guard;
        }
    for (uint32_t i = 0; i < b->delays.count; i++)
    {
        Delay* d = &b->delays.at[i];
        if (d->event)
            continue;
        Sinks sinks = {0};
        vec_push(b->arena, sinks, (Sink){d->ctx, sink_value(b, &b->event_index, d->flow_value), d->flow_value});
        vec_push(b->arena, sinks, (Sink){d->ctx, sink_value(b, &b->event_index, d->flow_slope), d->flow_slope});
        if (d->varies)
            vec_push(b->arena, sinks, (Sink){d->ctx, sink_value(b, &b->event_index, d->time), d->time});
        ProgramSpec spec = {.phase = PHASE_FLOW, .sinks = sinks.at, .sink_count = sinks.count, .slopes_given = true};
        linker_read_program(k, &spec);
        note_reads(k, d->island);
        linker_request(b, FORM_PROGRAM, OWNER_DELAY, i, &spec);
    }
}

// The guards that read one island only are looked at together: their search goes along with its steps.
void unit_island_events(Linker* k)
{
    Builder* b = k->b;
    for (uint32_t island = 0; island < b->islands.count; island++)
    {
        Sinks sinks = {0};
        bool rates = false;
        IndexRange own = b->islands.at[island].guards;
        for (uint32_t i = 0; i < own.count; i++)
        {
            const Guard* guard = &b->guards.at[b->island_guards.at[own.first + i]];
            SymReg regs[] = {guard->g, guard->slope, guard->argument, guard->present};
            rates |= guard->rates;
            for (int r = 0; r < 4 && guard->islands.count == 1; r++)
            {
                ScalarId value = sink_value(b, &b->event_index, regs[r]);
                if (value != 0)
                    vec_push(b->arena, sinks, (Sink){guard->ctx, value, regs[r]});
            }
        }
        ProgramSpec spec = {.phase = PHASE_FLOW, .sinks = sinks.at, .sink_count = sinks.count, .slopes_given = !rates};
        linker_request(b, FORM_PROGRAM, OWNER_ISLAND_EVENTS, island, &spec);
    }
}

void unit_island_guards(Builder* b)
{
    for (uint32_t i = 0; i < b->guard_islands.count; i++)
        b->islands.at[b->guard_islands.at[i]].guards.count++;
    for (uint32_t i = 0, at = 0; i < b->islands.count; i++)
    {
        b->islands.at[i].guards.first = at;
        at += b->islands.at[i].guards.count;
        b->islands.at[i].guards.count = 0;
    }
    for (uint32_t i = 0; i < b->guard_islands.count; i++)
        vec_push(b->arena, b->island_guards, 0);
    for (uint32_t g = 0; g < b->guards.count; g++)
        for (uint32_t i = 0; i < b->guards.at[g].islands.count; i++)
        {
            IndexRange* own = &b->islands.at[b->guard_islands.at[b->guards.at[g].islands.first + i]].guards;
            b->island_guards.at[own->first + own->count++] = g;
        }
}

void unit_island_delays(Builder* b)
{
    for (uint32_t d = 0; d < b->delays.count; d++)
        if (!b->delays.at[d].event)
        {
            b->islands.at[b->delays.at[d].island].delays.count++;
            vec_push(b->arena, b->island_delays, 0);
        }
    for (uint32_t i = 0, at = 0; i < b->islands.count; i++)
    {
        b->islands.at[i].delays.first = at;
        at += b->islands.at[i].delays.count;
        b->islands.at[i].delays.count = 0;
    }
    for (uint32_t d = 0; d < b->delays.count; d++)
        if (!b->delays.at[d].event)
        {
            IndexRange* own = &b->islands.at[b->delays.at[d].island].delays;
            b->island_delays.at[own->first + own->count++] = d;
        }
}

void unit_island_fuse(Builder* b)
{
    Linker k = {.b = b};
    VEC(uint32_t) slopes = {0};
    for (uint32_t i = 0; i < b->c.tasks.count; i++)
        if (b->c.tasks.at[i].kind == TASK_RIGHT_HAND_SIDE)
            vec_push(b->arena, slopes, i);
    Sinks inputs = {0};
    for (uint32_t i = 0; i < b->delays.count; i++)
        if (!b->delays.at[i].event)
            vec_push(b->arena, inputs,
                     (Sink){b->delays.at[i].ctx, sink_value(b, &b->event_index, b->delays.at[i].flow_value), 0});
    ProgramSpec deriv = {.phase = PHASE_FLOW,
                         .tasks = slopes.at,
                         .task_count = slopes.count,
                         .sinks = inputs.at,
                         .sink_count = inputs.count};
    linker_read_program(&k, &deriv);
    note_reads(&k, 0);
    Island* all = &b->islands.at[0];
    all->deriv = b->draft.deriv;
    all->events = b->draft.events;
    for (uint32_t i = 0; i < b->guards.count; i++)
    {
        Guard* guard = &b->guards.at[i];
        guard->look = b->draft.events;
        guard->islands = (IndexRange){b->guard_islands.count, 1};
        vec_push(b->arena, b->guard_islands, 0);
    }
    for (uint32_t i = 0; i < b->delays.count; i++)
        b->delays.at[i].look = b->draft.events;
}
