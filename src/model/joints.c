// See joints.h. A run gives each list the room of the elements there are: so a list has each of them at most once, and
// what is found by number must be the record of that number.
#include "model/joints.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static bool wrong(Text* why, const char* format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_say(why, "%s", text);
    return false;
}

static bool is_rising(const uint32_t* list, IndexRange range)
{
    for (uint32_t i = 1; i < range.count; i++)
        if (list[range.first + i] <= list[range.first + i - 1])
            return false;
    return true;
}

// ---- machines and contexts ------------------------------------------------------------------------------------------

// Everything stands once, in its own context.
static bool check_context(const kaiModel* m, uint32_t c)
{
    const Context* context = &m->contexts[c];
    if (!is_rising(m->ctx_guards, context->guards) || !is_rising(m->ctx_whens, context->whens) ||
        !is_rising(m->ctx_memories, context->memories) || !is_rising(m->ctx_assertions, context->assertions) ||
        !is_rising(m->ctx_machines, context->machines))
        return false;
    for (uint32_t i = 0; i < context->guards.count; i++)
        if (m->guards[m->ctx_guards[context->guards.first + i]].ctx != c)
            return false;
    for (uint32_t i = 0; i < context->whens.count; i++)
    {
        uint32_t when = m->ctx_whens[context->whens.first + i];
        if (when >= m->when_count || m->reactions[when].ctx != c)
            return false;
    }
    for (uint32_t i = 0; i < context->memories.count; i++)
        if (m->memories[m->ctx_memories[context->memories.first + i]].ctx != c)
            return false;
    for (uint32_t i = 0; i < context->assertions.count; i++)
        if (m->assertions[m->ctx_assertions[context->assertions.first + i]].ctx != c)
            return false;
    for (uint32_t i = 0; i < context->machines.count; i++)
        if (m->machines[m->ctx_machines[context->machines.first + i]].ctx != c)
            return false;
    return true;
}

// Contexts lie inside each other, and each but the first is that of a mode.
static bool check_contexts(const kaiModel* m, Text* why)
{
    for (uint32_t i = 0; i < m->contexts_count; i++)
    {
        if (!check_context(m, i))
            return wrong(why, "contexts %u has what belongs to others", i);
        if (i > 0 && (m->contexts[i].parent >= i || m->contexts[i].machine >= m->machines_count ||
                      m->contexts[i].mode >= m->machines[m->contexts[i].machine].mode_count))
            return wrong(why, "contexts %u is the context of no mode", i);
    }
    return true;
}

static bool check_transitions(const kaiModel* m, const Machine* machine, const ModeInfo* mode)
{
    for (uint32_t i = 0; i < mode->transition_count; i++)
    {
        const Transition* t = &m->transitions[mode->first_transition + i];
        if (t->to >= machine->mode_count || t->reaction < m->when_count || m->reactions[t->reaction].ctx != mode->ctx)
            return false;
        if (t->one_way != 0 && (t->output == NO_REG || !machine->junction))
            return false;
    }
    return true;
}

// Each mode of a machine has the context that is its own, and the machines in it stand there.
static bool check_machine(const kaiModel* m, uint32_t index)
{
    const Machine* machine = &m->machines[index];
    for (uint32_t n = 0; n < machine->mode_count; n++)
    {
        const ModeInfo* mode = &m->modes[machine->first_mode + n];
        const Context* context = &m->contexts[mode->ctx];
        if (mode->ctx == 0 || context->machine != index || context->mode != n || context->parent != machine->ctx)
            return false;
        for (uint32_t i = 0; i < mode->machine_count; i++)
            if (m->machines[m->mode_machines[mode->first_machine + i]].ctx != mode->ctx)
                return false;
        if (!check_transitions(m, machine, mode))
            return false;
    }
    return true;
}

static bool check_machines(const kaiModel* m, Text* why)
{
    for (uint32_t i = 0; i < m->machines_count; i++)
        if (!check_machine(m, i))
            return wrong(why, "machines %u: a mode, transition or machine in it belongs to another", i);
    if (m->choice_count > m->reactions_count)
        return wrong(why, "there are more choices than reactions");
    for (uint32_t i = 0; i < m->reactions_count; i++)
        if (m->reactions[i].choice > m->choice_count || (i >= m->when_count && m->reactions[i].ctx == 0))
            return wrong(why, "reactions %u belongs to no choice or to no mode", i);
    return true;
}

// ---- variables ------------------------------------------------------------------------------------------------------

static bool is_saved(const kaiModel* m, uint32_t reg, uint32_t count)
{
    return reg == NO_REG || (reg <= m->saved_count && count <= m->saved_count - reg);
}

// What tags are compared by lies in the part of the registers that is copied.
static bool is_kept(const kaiModel* m, const ModelVar* var)
{
    return var->kind == MODEL_PARAM || (is_saved(m, var->reg, 1) && is_saved(m, var->present, 1) &&
                                        (var->impulse_count == 0 || is_saved(m, var->impulse, var->impulse_count)));
}

// A state that integrates impulses belongs to one variable.
static bool check_now(const kaiModel* m, uint32_t index)
{
    uint32_t now = m->var_nows[index], state = m->vars[index].reg - m->reg_first[REG_STATE];
    return now == 0 || (state < m->state_count && m->state_vars[state] == index &&
                        m->now_states[now - 1].state == m->vars[index].reg);
}

static bool check_variables(const kaiModel* m, Text* why)
{
    uint32_t titles = 0;  // no two variables share a column
    for (uint32_t i = 0; i < m->vars_count; i++)
    {
        const ModelVar* var = &m->vars[i];
        if (var->kind == MODEL_MODE && var->machine >= m->machines_count)
            return wrong(why, "vars %u is the mode of no machine", i);
        if (var->settable && var->reg < m->reg_first[REG_PARAM])
            return wrong(why, "vars %u is a constant that can be set", i);
        if (!is_kept(m, var))
            return wrong(why, "vars %u is not among what a snapshot holds", i);
        if (var->impulse_count > 0 && (var->impulse == NO_REG))
            return wrong(why, "vars %u has impulses without weights", i);
        if (var->impulse_count > 0 && var->first_title != titles)
            return wrong(why, "vars %u has the columns of another", i);
        titles += var->impulse_count;
        if (!check_now(m, i) || (m->var_units[i] != NO_REG && m->var_units[i] >= m->flow_unit_count))
            return wrong(why, "vars %u has the unit or the state of another", i);
    }
    for (uint32_t i = 0; i < m->acts_count; i++)
        if (m->acts[i].kind != ACT_HALT && m->acts[i].var >= m->vars_count)
            return wrong(why, "acts %u has no target", i);
    return true;
}

// ---- guards and delays ----------------------------------------------------------------------------------------------

// Which of its registers a delay must have beside those that the list says.
static bool check_delay(const Delay* d)
{
    bool told = d->past_code.start != d->past_code.end;
    return (!d->queue || d->event) && (d->past == NO_REG || !d->event) && (told || d->past == NO_REG);
}

static bool check_watchers(const kaiModel* m, Text* why)
{
    for (uint32_t i = 0; i < m->guards_count; i++)
    {
        if (m->guards[i].one_way && m->bond_systems_count == 0)
            return wrong(why, "guards %u watches a junction, and there is no bond graph", i);
    }
    for (uint32_t i = 0; i < m->delays_count; i++)
        if (!check_delay(&m->delays[i]))
            return wrong(why, "delays %u has no register where one of its kind has", i);
    for (uint32_t i = 0; i < m->components_count; i++)
        if (m->components[i].count > 0 && m->components[i].first_known == NO_REG)
            return wrong(why, "components %u does not say what is known", i);
    for (uint32_t i = 0; i < m->tables_count; i++)
        if (m->tables[i].rows == 0)
            return wrong(why, "tables %u is empty", i);
    return true;
}

// ---- islands --------------------------------------------------------------------------------------------------------

// The states of an island know it and their number there.
static bool check_island(const kaiModel* m, uint32_t index)
{
    const Island* island = &m->islands[index];
    if (!is_rising(m->island_guards, island->guards) || !is_rising(m->island_delays, island->delays) ||
        !is_rising(m->island_clocks, island->clocks) || !is_rising(m->island_timers, island->timers) ||
        !is_rising(m->island_outs, island->outs))
        return false;
    for (uint32_t i = 0; i < island->delays.count; i++)
        if (m->delays[m->island_delays[island->delays.first + i]].event)
            return false;
    for (uint32_t i = 0; i < island->states.count; i++)
    {
        uint32_t state = m->island_states[island->states.first + i];
        if (m->state_islands[state] != index || m->state_slots[state] != i)
            return false;
    }
    return true;
}

// An island that has a guard is one of those that the guard reads.
static bool check_readers(const kaiModel* m)
{
    uint64_t listed = 0, read = 0;
    for (uint32_t i = 0; i < m->islands_count; i++)
    {
        IndexRange guards = m->islands[i].guards;
        listed += guards.count;
        for (uint32_t g = 0; g < guards.count; g++)
        {
            IndexRange islands = m->guards[m->island_guards[guards.first + g]].islands;
            bool found = false;
            for (uint32_t n = 0; n < islands.count && !found; n++)
                found = m->guard_islands[islands.first + n] == i;
            if (!found)
                return false;
        }
    }
    for (uint32_t i = 0; i < m->guards_count; i++)
        read += m->guards[i].islands.count;
    return listed == read;
}

static bool check_islands(const kaiModel* m, Text* why)
{
    if (!check_readers(m))
        return wrong(why, "a guard and an island do not know each other");
    for (uint32_t i = 0; i < m->islands_count; i++)
        if (!check_island(m, i))
            return wrong(why, "islands %u has what belongs to others", i);
    for (uint32_t i = 0; i < m->state_count; i++)
    {
        const IndexRange* states = &m->islands[m->state_islands[i]].states;
        if (m->state_slots[i] >= states->count || m->island_states[states->first + m->state_slots[i]] != i)
            return wrong(why, "state_slots %u is out of range", i);
    }
    for (uint32_t i = 0; i < m->guard_slots_count; i++)
        if ((uint32_t)m->guard_slots[i] != m->state_slots[m->guard_states[i]])
            return wrong(why, "guard_slots %u is out of range", i);
    return true;
}

// ---- units ----------------------------------------------------------------------------------------------------------

static bool all_between(const uint32_t* list, uint32_t first, uint32_t count, uint32_t least, uint32_t end)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[first + i] < least || list[first + i] >= end)
            return false;
    return true;
}

// What a unit needs are flow units, what changes with it are reaction units.
static bool check_links(const kaiModel* m, const ModelUnit* unit)
{
    return all_between(m->unit_links, unit->needs.first, unit->needs.count, 0, m->flow_unit_count) &&
           all_between(m->unit_links, unit->next.first, unit->next.count, m->flow_unit_count, m->units_count);
}

// Guards have their units one after the other; of each element there is at most one among the flow units, and one among
// the reaction units.
static bool check_elements(const kaiModel* m, uint8_t* seen, size_t size)
{
    const uint32_t counts[UNIT_KINDS] = {
        [UNIT_GUARD] = m->guards_count,         [UNIT_MEMORY] = m->memories_count, [UNIT_REACTION] = m->reactions_count,
        [UNIT_ASSERTION] = m->assertions_count, [UNIT_FAULT] = m->faults_count,    [UNIT_DELAY] = m->delays_count,
        [UNIT_TASK] = m->units_count,           [UNIT_ALL] = m->units_count};
    uint32_t first[UNIT_KINDS] = {0};
    for (uint32_t kind = 1; kind < UNIT_KINDS; kind++)
        first[kind] = first[kind - 1] + counts[kind - 1];
    memset(seen, 0, size);
    for (uint32_t i = 0; i < m->units_count; i++)
    {
        const ModelUnit* unit = &m->units[i];
        uint8_t half = i < m->flow_unit_count ? 1 : 2;
        bool alone = unit->kind != UNIT_TASK && unit->kind != UNIT_ALL;
        if (unit->index >= counts[unit->kind] || (alone && (seen[first[unit->kind] + unit->index] & half) != 0) ||
            !check_links(m, unit))
            return false;
        seen[first[unit->kind] + unit->index] |= half;
    }
    return true;
}

static bool check_guard_units(const kaiModel* m)
{
    if (m->fused)
        return m->units_count == 3 && m->flow_unit_count == 2;
    if (m->first_guard_unit > m->units_count || m->guards_count > m->units_count - m->first_guard_unit)
        return false;
    for (uint32_t i = 0; i < m->guards_count; i++)
    {
        const ModelUnit* unit = &m->units[m->first_guard_unit + i];
        if (unit->kind != UNIT_GUARD || unit->index != i || m->first_guard_unit < m->flow_unit_count)
            return false;
    }
    return true;
}

static bool check_units(const kaiModel* m, Text* why)
{
    kaiAllocator a = m->allocator;
    size_t size = (size_t)m->guards_count + m->memories_count + m->reactions_count + m->assertions_count +
                  m->faults_count + m->delays_count + 2 * (size_t)m->units_count + 1;
    uint8_t* seen = a.alloc(a.user, NULL, 0, size);
    if (seen == NULL)
        return false;
    bool fine = check_elements(m, seen, size);
    a.alloc(a.user, seen, size, 0);
    if (!fine || !check_guard_units(m))
        return wrong(why, "a unit is that of nothing, of something else or of what has one already");
    fine = m->fused || (all_between(m->reg_units, 0, m->reg_units_count, m->flow_unit_count, m->units_count) &&
                        all_between(m->always_units, 0, m->always_units_count, m->flow_unit_count, m->units_count) &&
                        all_between(m->reaction_units, 0, m->reaction_units_count, m->flow_unit_count, m->units_count));
    return fine || wrong(why, "a flow unit stands where reactions are meant");
}

bool joints_check(const kaiModel* m, Text* why)
{
    return check_contexts(m, why) && check_machines(m, why) && check_variables(m, why) && check_watchers(m, why) &&
           check_islands(m, why) && check_units(m, why) && graphs_check(m, why);
}
