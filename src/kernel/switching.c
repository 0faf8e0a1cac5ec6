// The mythical mode algorithm (rule B3, papers 001 and 002): which junctions switch at this tag, one after the other on
// committed values, then all together on tentative ones, always from the same state; and the commit of what that ends
// in.
#include "kernel/bonds.h"

#include <math.h>
#include <string.h>

void switching_begin(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->bonds->count; i++)
        memset(sim->bonds->runs[i].shared, 0, sizeof(bool) * sim->bonds->runs[i].shared_count);
    sim->bonds->settled_count = 0;
    sim->jump = (kaiJump){0};
}

static uint32_t mode_of(const kaiSim* sim, uint32_t machine)
{
    return (uint32_t)sim->R[sim->model->machines[machine].reg];
}

// The transition of a junction whose guard holds in the registers, or NULL.
static const Transition* holding(const kaiSim* sim, uint32_t machine, bool posterior)
{
    const kaiModel* model = sim->model;
    const ModeInfo* mode = &model->modes[model->machines[machine].first_mode + mode_of(sim, machine)];
    for (uint32_t i = 0; i < mode->transition_count; i++)
    {
        const Transition* t = &model->transitions[mode->first_transition + i];
        if (t->posterior == posterior && sim->R[model->reactions[t->reaction].fire] != 0)
            return t;
    }
    return NULL;
}

static uint32_t find_switches(kaiSim* sim, bool posterior)
{
    Bonds* bonds = sim->bonds;
    uint32_t count = 0;
    for (uint32_t i = 0; i < bonds->junction_count; i++)
    {
        const Transition* t = holding(sim, bonds->junctions[i], posterior);
        bonds->targets[i] = t != NULL ? t->to + 1 : 0;
        bonds->places[i] = t != NULL ? sim->model->reactions[t->reaction].place : 0;
        count += t != NULL;
    }
    return count;
}

static void switch_junction(kaiSim* sim, uint32_t index)
{
    Bonds* bonds = sim->bonds;
    sim->R[sim->model->machines[bonds->junctions[index]].reg] = bonds->targets[index] - 1;
    bonds->last_place = bonds->places[index];
    fired_switch(sim, bonds->junctions[index], bonds->places[index]);
    sim->counters.switches++;
}

// Tentative values for the modes in the registers, from the committed state (invariance of state), as a row.
static kaiStatus try_modes(kaiSim* sim, bool* consistent)
{
    memcpy(sim_states(sim), sim->bonds->states, sizeof(double) * sim->model->state_count);
    kaiStatus status = bonds_jump(sim, consistent);
    return status == KAI_OK ? record_tag(sim, true, false) : status;
}

// ---- (a) a priori

static kaiStatus switch_prior(kaiSim* sim, bool* consistent)
{
    Bonds* bonds = sim->bonds;
    bool first = true;
    kaiStatus status = KAI_OK;
    if (find_switches(sim, false) == 0)
        return try_modes(sim, consistent);
    for (uint32_t i = 0; i < bonds->junction_count && status == KAI_OK; i++)
    {
        if (bonds->targets[i] == 0)
            continue;
        sim->now.m += !first;
        first = false;
        switch_junction(sim, i);
        status = try_modes(sim, consistent);
    }
    return status;
}

// ---- (b) a posteriori

static double* tried_at(Bonds* bonds, uint32_t index)
{
    return bonds->tried + (size_t)index * bonds->junction_count;
}

static void note_tried(kaiSim* sim)
{
    Bonds* bonds = sim->bonds;
    double* row = tried_at(bonds, bonds->tried_count++);
    for (uint32_t i = 0; i < bonds->junction_count; i++)
        row[i] = sim->R[sim->model->machines[bonds->junctions[i]].reg];
}

// Index + 1 of the earlier set that equals the one in the registers.
static uint32_t tried_before(kaiSim* sim)
{
    Bonds* bonds = sim->bonds;
    for (uint32_t k = 0; k < bonds->tried_count; k++)
    {
        bool same = true;
        for (uint32_t i = 0; i < bonds->junction_count && same; i++)
            same = tried_at(bonds, k)[i] == sim->R[sim->model->machines[bonds->junctions[i]].reg];
        if (same)
            return k + 1;
    }
    return 0;
}

// The sets of modes from row `from` on, `width` numbers apart, as "F12 = stuck, F13 = contact; then …".
static void write_sets(const kaiSim* sim, const double* rows, size_t width, uint32_t from, uint32_t to, Text* text)
{
    const kaiModel* model = sim->model;
    for (uint32_t k = from; k < to; k++)
        for (uint32_t i = 0; i < sim->bonds->junction_count; i++)
        {
            const Machine* machine = &model->machines[sim->bonds->junctions[i]];
            const ModeInfo* mode = &model->modes[machine->first_mode + (uint32_t)rows[width * k + i]];
            text_say(text, "%s%s = %s",
                     i > 0      ? ", "
                     : k > from ? "; then "
                                : "",
                     model_string(model, machine->name), model_string(model, mode->name));
        }
}

static kaiStatus fail_loop(kaiSim* sim, const Text* cycle, uint32_t place)
{
    return sim_fail(sim, place,
                    "make one of the guards strict (`<` for `<=`), or add the sign of a flow or momentum to it",
                    "mythical loop at t = %.17g: no set of modes can stay, time cannot go on: %s; and again",
                    sim->now.t, cycle->at);
}

static void restore_modes(kaiSim* sim, const double* modes)
{
    for (uint32_t i = 0; i < sim->bonds->junction_count; i++)
        sim->R[sim->model->machines[sim->bonds->junctions[i]].reg] = modes[i];
}

// Switches what holds, all together or only the first declared. *looped: index + 1 of the set it came back to.
static kaiStatus switch_posterior(kaiSim* sim, bool together, bool* consistent, uint32_t* looped)
{
    Bonds* bonds = sim->bonds;
    *looped = 0;
    bonds->tried_count = 0;
    note_tried(sim);
    while (find_switches(sim, true) > 0)
    {
        bool done = false;
        for (uint32_t i = 0; i < bonds->junction_count && !(done && !together); i++)
            if (bonds->targets[i] != 0)
            {
                switch_junction(sim, i);
                done = true;
            }
        *looped = tried_before(sim);
        if (*looped != 0 || bonds->tried_count >= SWITCHING_MAX)
            return KAI_OK;
        note_tried(sim);
        sim->now.m++;
        kaiStatus status = try_modes(sim, consistent);
        if (status != KAI_OK)
            return status;
    }
    return KAI_OK;
}

static kaiStatus settle_posterior(kaiSim* sim, bool* consistent)
{
    uint32_t looped;
    kaiStatus status = switch_posterior(sim, true, consistent, &looped);
    if (status != KAI_OK || looped == 0)
        return status;
    restore_modes(sim, tried_at(sim->bonds, 0));
    sim->now.m++;
    status = try_modes(sim, consistent);
    if (status == KAI_OK)
        status = switch_posterior(sim, false, consistent, &looped);
    if (status != KAI_OK || looped == 0)
        return status;
    Text cycle = {0};
    write_sets(sim, sim->bonds->tried, sim->bonds->junction_count, looped - 1, sim->bonds->tried_count, &cycle);
    return fail_loop(sim, &cycle, sim->bonds->last_place);
}

// ---- (c) commit

static void leave_modes(kaiSim* sim, CommitResult* result)
{
    Bonds* bonds = sim->bonds;
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < bonds->junction_count; i++)
    {
        const Machine* machine = &model->machines[bonds->junctions[i]];
        if (sim->R[machine->reg] == bonds->modes[i])
            continue;
        sim->leaving[sim->leaving_count++] = model->modes[machine->first_mode + (uint32_t)bonds->modes[i]].ctx;
        result->other = true;
        islands_disturb_all(sim);
    }
}

// Changes below 1e-12 of what is there are rounding (rule B5): the committed value stays, to the bit.
static void settle_states(kaiSim* sim, CommitResult* result)
{
    double* states = sim_states(sim);
    for (uint32_t i = 0; i < sim->model->state_count; i++)
    {
        double before = sim->bonds->states[i];
        if (fabs(states[i] - before) <= 1e-12 * fabs(before))
            states[i] = before;
        result->state |= states[i] != before;
    }
    if (result->state)
        islands_disturb_all(sim);
}

// A set of modes that is committed with a state with which it was committed at this instant already: a mythical loop.
static kaiStatus note_settled(kaiSim* sim)
{
    Bonds* bonds = sim->bonds;
    size_t width = bonds->junction_count + sim->model->state_count;
    double* row = bonds->settled + width * bonds->settled_count;
    for (uint32_t i = 0; i < bonds->junction_count; i++)
        row[i] = sim->R[sim->model->machines[bonds->junctions[i]].reg];
    memcpy(row + bonds->junction_count, sim_states(sim), sizeof(double) * sim->model->state_count);
    for (uint32_t k = 0; k < bonds->settled_count; k++)
    {
        if (memcmp(bonds->settled + width * k, row, sizeof(double) * width) != 0)
            continue;
        Text cycle = {0};
        if (k + 1 == bonds->settled_count)  // back in one run: what it tried on the way
            write_sets(sim, bonds->tried, bonds->junction_count, 0, bonds->tried_count, &cycle);
        else
            write_sets(sim, bonds->settled, width, k, bonds->settled_count, &cycle);
        return fail_loop(sim, &cycle, bonds->last_place);
    }
    bonds->settled_count += bonds->settled_count + 1 < SETTLED_MAX;
    return KAI_OK;
}

// Whether the storage at this port depends on other storages in the present modes, and on nothing else: where a source
// takes part, it says what a collision does.
static bool shares(const BondRun* run, int port)
{
    for (int i = 0; i < bond_mode_dependents(run->mode); i++)
    {
        BondDependent d = bond_mode_dependent(run->mode, i);
        bool storages = d.port == port;
        for (int k = 0; k < d.count && storages; k++)
            for (int n = 0; n < run->graph->node_count; n++)
                if (run->graph->input_first[n] <= d.input[k] && d.input[k] < run->graph->input_first[n + 1])
                    storages &= d.coefficient[k] == 0 || bond_is_storage(run->graph->nodes[n].kind);
        if (storages && d.count > 0)
            return true;
    }
    return false;
}

static void watch_port(kaiSim* sim, BondRun* run, const BondPart* part, int port, uint32_t state)
{
    double before = sim->bonds->states[state], after = sim_states(sim)[state];
    // Storages that depend on each other drift apart by the error of the solver, and are put together again.
    bool moved = fabs(after - before) > 1e3 * sim->options.rtol * fmax(fabs(before), fabs(after));
    bool now = shares(run, port);
    if (run->shared[port] && !now)
        sim_warn(sim, part->place,
                 "%s shared what it stores with others and was parted from them at one instant, t = %.9g: without "
                 "time in between a lumped model cannot say what happens; let a guard wait, or refine the model",
                 model_string(sim->model, part->name), sim->now.t);
    run->shared[port] = now && (moved || run->shared[port]);
}

// What is joined, shares what it stores and is parted again at one instant was never joined in time: the lumped model
// says nothing about that (paper 002, "The Nature and Effects of Discontinuities").
static void watch_sharing(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < sim->bonds->count; i++)
    {
        BondRun* run = &sim->bonds->runs[i];
        for (uint32_t n = 0; n < run->system->part_count; n++)
        {
            const BondPart* part = &model->bond_parts[run->system->first_part + n];
            for (uint32_t k = 0; run->port_of[n] >= 0 && k < part->ports; k++)
                watch_port(sim, run, part, run->port_of[n] + (int)k, part->state + k - model->reg_first[REG_STATE]);
        }
    }
}

static void keep_committed(kaiSim* sim)
{
    Bonds* bonds = sim->bonds;
    const kaiModel* model = sim->model;
    uint32_t first = model->reg_first[REG_VALUE];
    memcpy(bonds->values, sim->R + first, sizeof(double) * (model->reg_count - first));
    memcpy(bonds->states, sim_states(sim), sizeof(double) * model->state_count);
    for (uint32_t i = 0; i < bonds->junction_count; i++)
        bonds->modes[i] = sim->R[model->machines[bonds->junctions[i]].reg];
    for (uint32_t i = 0; i < model->committed_count; i++)
        sim->R[model->committed[i].target] = sim->R[model->committed[i].value];
}

kaiStatus switching_run(kaiSim* sim, CommitResult* result)
{
    Bonds* bonds = sim->bonds;
    const kaiModel* model = sim->model;
    uint32_t first = model->reg_first[REG_VALUE];
    int64_t switches = sim->counters.switches;
    keep_committed(sim);
    balance_before(sim);
    bool consistent = true;
    kaiStatus status = switch_prior(sim, &consistent);
    if (status == KAI_OK)
        status = settle_posterior(sim, &consistent);
    if (status == KAI_OK && !consistent)
        status = bonds_fail_inconsistent(sim);
    if (status != KAI_OK)
        return status;
    CommitResult switched = {0};
    settle_states(sim, &switched);
    if (switched.state)
        status = balance_jump(sim);
    if (status != KAI_OK)
        return status;
    leave_modes(sim, &switched);
    // What the rest of the model sees of this tag are the committed values, not those tried on the way.
    memcpy(sim->R + first, bonds->values, sizeof(double) * (model->reg_count - first));
    // Junctions that switched and came back where they were may do so again: only a run that switches nothing is the
    // end.
    switched.other |= sim->counters.switches != switches;
    result->state |= switched.state;
    result->other |= switched.other;
    if (switched.state || switched.other)
        watch_sharing(sim);
    bonds_warn_not_unique(sim);
    return switched.state || switched.other ? note_settled(sim) : KAI_OK;
}
