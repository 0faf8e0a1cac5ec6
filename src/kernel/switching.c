// The mythical mode algorithm (rule B3, papers 001 and 002): which junctions switch at this tag, one after the other on
// committed values, then all together on tentative ones, always from the same state; and the commit of what that ends
// in.
#include "base/tolerance.h"
#include "kernel/bonds.h"
#include "kernel/brief.h"

#include <math.h>
#include <string.h>

void switching_begin(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        BondStores* stores = &kernel->bonds->runs[i].stores;
        if (stores->some)
            memset(stores->shared, 0, sizeof(bool) * stores->port_count);
        stores->some = false;
    }
    kernel->bonds->settled_count = 0;
    kernel->bonds->is_quiet = kernel->bonds->stayed = false;
    if (kernel->bonds->slack != 1)
        select_slack(kernel, 1);
    kernel->bonds->signs.number++;
    kernel->hooks->begin_jumps(kernel->owner);
}

static uint32_t mode_of(const Kernel* kernel, uint32_t machine)
{
    return (uint32_t)kernel->R[kernel->model->machines[machine].reg];
}

// The transition of a junction whose guard holds in the registers, or NULL.
static const Transition* holding(Kernel* kernel, uint32_t machine, bool posterior)
{
    const kaiModel* model = kernel->model;
    const ModeInfo* mode = &model->modes[model->machines[machine].first_mode + mode_of(kernel, machine)];
    for (uint32_t i = 0; i < mode->transition_count; i++)
    {
        const Transition* t = &model->transitions[mode->first_transition + i];
        if (t->posterior != posterior)
            continue;
        if (t->one_way != 0 && posterior ? select_fires(kernel, machine, t)
                                         : kernel->R[model->reactions[t->reaction].fire] != 0)
            return t;
    }
    return NULL;
}

static uint32_t find_switches(Kernel* kernel, bool posterior)
{
    Bonds* bonds = kernel->bonds;
    uint32_t count = 0;
    for (uint32_t i = 0; i < bonds->junction_count; i++)
    {
        const Transition* t = holding(kernel, bonds->junctions[i], posterior);
        bonds->targets[i] = t != NULL ? t->to + 1 : 0;
        bonds->places[i] = t != NULL ? kernel->model->reactions[t->reaction].place : 0;
        count += t != NULL;
    }
    return count;
}

static void switch_junction(Kernel* kernel, uint32_t index)
{
    Bonds* bonds = kernel->bonds;
    bonds->reacted &= bonds->steady;
    kernel->R[kernel->model->machines[bonds->junctions[index]].reg] = bonds->targets[index] - 1;
    bonds->last_place = bonds->places[index];
    kernel->hooks->fires(kernel->owner, SIGN_SWITCH, bonds->junctions[index], bonds->places[index]);
    kernel->counters.switches++;
}

// Tentative values for the modes in the registers, from the committed state (invariance of state), as a row.
static kaiStatus try_modes(Kernel* kernel, bool* consistent)
{
    passage_leave_set(kernel);
    memcpy(kernel_states(kernel), kernel->bonds->states, sizeof(double) * kernel->model->state_count);
    kaiStatus status = bonds_jump(kernel, consistent);
    if (status == KAI_OK)
        select_judge(kernel);
    passage_note_set(kernel, false);
    passage_note_tag(kernel);
    kernel->bonds->trying = true;
    if (status == KAI_OK)
        status = brief_tag(kernel);
    kernel->bonds->trying = false;
    return status;
}

// ---- (a) a priori

static bool has_impulses(const Kernel* kernel)
{
    const Bonds* bonds = kernel->bonds;
    uint32_t count = bonds->struck ? bonds->impulse_count : bonds->other_count;
    for (uint32_t i = 0; i < count; i++)
        if (kernel->R[bonds->impulses[i]] != 0)
            return true;
    return false;
}

// The modes in which the instant begins. If they move nothing and a guard on what follows leaves them at once, they are
// those of the left limit, which has been shown: the first tag is that of the switch, as with a guard on committed
// values. `same`: the last set was tried with these inputs and moved nothing, so that everything is as it was found
// then.
static kaiStatus try_unswitched(Kernel* kernel, bool same, bool* consistent)
{
    Bonds* bonds = kernel->bonds;
    memcpy(kernel_states(kernel), bonds->states, sizeof(double) * kernel->model->state_count);
    kaiStatus status = same ? bonds_stay(kernel) : bonds_jump(kernel, consistent);
    if (status != KAI_OK)
        return status;
    if (!same)
        select_judge(kernel);
    passage_note_set(kernel, true);
    bool begins = kernel->now.p == 0 && kernel->now.m == 0 && kernel->counters.instants > 1;
    bool moved = memcmp(kernel_states(kernel), bonds->states, sizeof(double) * kernel->model->state_count) != 0;
    bonds->unshown = begins && !moved && *consistent && !has_impulses(kernel) && find_switches(kernel, true) > 0;
    if (bonds->unshown)
        return KAI_OK;
    passage_note_tag(kernel);
    return brief_tag(kernel);
}

static kaiStatus switch_prior(Kernel* kernel, bool same, bool* consistent)
{
    Bonds* bonds = kernel->bonds;
    bool first = true;
    kaiStatus status = KAI_OK;
    bonds->unshown = false;
    if (find_switches(kernel, false) == 0)
        return try_unswitched(kernel, same, consistent);
    for (uint32_t i = 0; i < bonds->junction_count && status == KAI_OK; i++)
    {
        if (bonds->targets[i] == 0)
            continue;
        kernel->now.m += !first;
        first = false;
        switch_junction(kernel, i);
        status = try_modes(kernel, consistent);
    }
    return status;
}

// ---- (b) a posteriori

static double* tried_at(Bonds* bonds, uint32_t index)
{
    return bonds->tried + (size_t)index * bonds->junction_count;
}

static void note_tried(Kernel* kernel)
{
    Bonds* bonds = kernel->bonds;
    double* row = tried_at(bonds, bonds->tried_count++);
    for (uint32_t i = 0; i < bonds->junction_count; i++)
        row[i] = kernel->R[kernel->model->machines[bonds->junctions[i]].reg];
}

// Index + 1 of the earlier set that equals the one in the registers.
static uint32_t tried_before(Kernel* kernel)
{
    Bonds* bonds = kernel->bonds;
    for (uint32_t k = 0; k < bonds->tried_count; k++)
    {
        bool same = true;
        for (uint32_t i = 0; i < bonds->junction_count && same; i++)
            same = tried_at(bonds, k)[i] == kernel->R[kernel->model->machines[bonds->junctions[i]].reg];
        if (same)
            return k + 1;
    }
    return 0;
}

static bool toggles(const double* rows, size_t width, uint32_t from, uint32_t to, uint32_t junction)
{
    for (uint32_t k = from + 1; k < to; k++)
        if (rows[width * k + junction] != rows[width * from + junction])
            return true;
    return false;
}

// The value that a junction has in the set that is being tried: its variable `name.e` or `name.f`.
static bool junction_value(const Kernel* kernel, const char* mode, char letter, double* value)
{
    const kaiModel* model = kernel->model;
    size_t length = strlen(mode) - strlen(".mode");
    for (uint32_t i = 0; i < model->vars_count; i++)
    {
        const char* name = model_string(model, model->vars[i].name);
        if (strncmp(name, mode, length) == 0 && name[length] == '.' && name[length + 1] == letter &&
            name[length + 2] == 0)
            return *value = kernel->R[model->vars[i].reg], true;
    }
    return false;
}

static void write_junction(const Kernel* kernel, const Machine* machine, double mode, Text* text)
{
    const kaiModel* model = kernel->model;
    const char* name = model_string(model, machine->name);
    double e = 0, f = 0;
    text_say(text, "%s = %s", name, model_string(model, model->modes[machine->first_mode + (uint32_t)mode].name));
    if (junction_value(kernel, name, 'e', &e) && junction_value(kernel, name, 'f', &f))
        text_say(text, " (e = %.4g, f = %.4g)", e, f);
}

// The sets of modes from row `from` on, `width` numbers apart, as "F12 = stuck (e = 3, f = 0); then …": of the
// junctions that toggle in them, with effort and flow in each set. The run ends with it: what is tried again for the
// values is not undone.
static void write_sets(Kernel* kernel, const double* rows, size_t width, uint32_t from, uint32_t to, Text* text)
{
    const Bonds* bonds = kernel->bonds;
    for (uint32_t k = from; k < to; k++)
    {
        bool consistent, first = true;
        for (uint32_t i = 0; i < bonds->junction_count; i++)
            kernel->R[kernel->model->machines[bonds->junctions[i]].reg] = rows[width * k + i];
        memcpy(kernel_states(kernel), bonds->states, sizeof(double) * kernel->model->state_count);
        bonds_jump(kernel, &consistent);
        brief_whole(kernel);
        for (uint32_t i = 0; i < bonds->junction_count; i++)
        {
            if (to - from > 1 && !toggles(rows, width, from, to, i))
                continue;
            text_say(text, "%s", !first ? ", " : k > from ? "; then " : "");
            write_junction(kernel, &kernel->model->machines[bonds->junctions[i]], rows[width * k + i], text);
            first = false;
        }
    }
}

static kaiStatus fail_loop(Kernel* kernel, const Text* cycle, uint32_t place)
{
    return kernel_fail(kernel, place,
                       "make one of the guards strict (`<` for `<=`), or add the sign of a flow or momentum to it",
                       "mythical loop at t = %.17g: no set of modes can stay, time cannot go on: %s; and again",
                       kernel->now.t, cycle->at);
}

static void restore_modes(Kernel* kernel, const double* modes)
{
    for (uint32_t i = 0; i < kernel->bonds->junction_count; i++)
        kernel->R[kernel->model->machines[kernel->bonds->junctions[i]].reg] = modes[i];
}

// Switches what holds, all together or only the first declared. *looped: index + 1 of the set it came back to.
static kaiStatus switch_posterior(Kernel* kernel, bool together, bool* consistent, uint32_t* looped)
{
    Bonds* bonds = kernel->bonds;
    *looped = 0;
    bonds->tried_count = 0;
    note_tried(kernel);
    while (find_switches(kernel, true) > 0)
    {
        bool done = false;
        for (uint32_t i = 0; i < bonds->junction_count && !(done && !together); i++)
            if (bonds->targets[i] != 0)
            {
                switch_junction(kernel, i);
                done = true;
            }
        *looped = bonds->tried_count < SWITCHING_MAX ? tried_before(kernel) : SWITCHING_MAX;  // as good as a loop
        if (*looped != 0)
            return KAI_OK;
        note_tried(kernel);
        kernel->now.m += !bonds->unshown;
        bonds->unshown = false;
        kaiStatus status = try_modes(kernel, consistent);
        if (status != KAI_OK)
            return status;
    }
    return KAI_OK;
}

// All together; if that comes back to a set, once more and only the first declared at a time; if that does too and
// there are one-way junctions, with more and more of what is small taken as zero.
static kaiStatus settle_posterior(Kernel* kernel, bool* consistent)
{
    enum
    {
        ATTEMPTS = 5
    };
    uint32_t looped = 0;
    kaiStatus status = switch_posterior(kernel, true, consistent, &looped);
    for (int i = 1; i < ATTEMPTS && status == KAI_OK && looped != 0; i++)
    {
        if (i > 1 &&
            !select_slack(kernel, 100 * kernel->bonds->slack))  // until the instant ends: no set goes back on itself
            break;
        restore_modes(kernel, tried_at(kernel->bonds, 0));
        kernel->now.m++;
        passage_give_up(kernel);
        status = try_modes(kernel, consistent);
        if (status == KAI_OK)
            status = switch_posterior(kernel, false, consistent, &looped);
    }
    if (status != KAI_OK || looped == 0)
        return status;
    Text cycle = {0};
    write_sets(kernel, kernel->bonds->tried, kernel->bonds->junction_count, looped - 1, kernel->bonds->tried_count,
               &cycle);
    return fail_loop(kernel, &cycle, kernel->bonds->last_place);
}

// ---- (c) commit

static void leave_modes(Kernel* kernel, CommitResult* result)
{
    Bonds* bonds = kernel->bonds;
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < bonds->junction_count; i++)
    {
        const Machine* machine = &model->machines[bonds->junctions[i]];
        if (kernel->R[machine->reg] == bonds->modes[i])
            continue;
        kernel->leaving[kernel->leaving_count++] = model->modes[machine->first_mode + (uint32_t)bonds->modes[i]].ctx;
        result->other = true;
        kernel_disturb_all(kernel);
    }
}

// Changes below 1e-12 of what is there are rounding (rule B5): the committed value stays, to the bit.
void switching_settle_states(Kernel* kernel, CommitResult* result)
{
    double* states = kernel_states(kernel);
    bool moved = false;
    for (uint32_t i = 0; i < kernel->model->state_count; i++)
    {
        double before = kernel->bonds->states[i];
        if (fabs(states[i] - before) <= BOND_NOTHING * fabs(before))
            states[i] = before;
        result->state |= states[i] != before && !result->state && !select_is_rounding(kernel, i, states[i] - before);
        moved |= states[i] != before;
    }
    if (moved)
        kernel_disturb_all(kernel);
}

// A set of modes that is committed with a state with which it was committed at this instant already: a mythical loop.
kaiStatus switching_note_settled(Kernel* kernel)
{
    Bonds* bonds = kernel->bonds;
    size_t width = bonds->junction_count + kernel->model->state_count;
    double* row = bonds->settled + width * bonds->settled_count;
    for (uint32_t i = 0; i < bonds->junction_count; i++)
        row[i] = kernel->R[kernel->model->machines[bonds->junctions[i]].reg];
    memcpy(row + bonds->junction_count, kernel_states(kernel), sizeof(double) * kernel->model->state_count);
    for (uint32_t k = 0; k < bonds->settled_count; k++)
    {
        if (memcmp(bonds->settled + width * k, row, sizeof(double) * width) != 0)
            continue;
        Text cycle = {0};
        if (k + 1 == bonds->settled_count)  // back in one run: what it tried on the way
            write_sets(kernel, bonds->tried, bonds->junction_count, 0, bonds->tried_count, &cycle);
        else
            write_sets(kernel, bonds->settled, width, k, bonds->settled_count, &cycle);
        return fail_loop(kernel, &cycle, bonds->last_place);
    }
    bonds->settled_count += bonds->settled_count + 1 < SETTLED_MAX;
    return KAI_OK;
}

// Ports of storages that depend on other storages in the present modes, and on nothing else: where a source takes part,
// it says what a collision does.
static bool visit_sharing(void* user, const BondDependence* d)
{
    BondRun* run = user;
    bool storages = d->count > 0;
    for (int k = 0; k < d->count && storages; k++)
        storages = d->coefficient[k] == 0 || bond_is_storage(run->graph->nodes[run->node_of[d->input[k]]].kind);
    run->stores.sharing[d->port] = storages;
    return true;
}

static void watch_port(Kernel* kernel, BondRun* run, const BondPart* part, int port, uint32_t state)
{
    double before = kernel->bonds->states[state], after = kernel_states(kernel)[state];
    // Storages that depend on each other drift apart by the error of the solver, and are put together again.
    bool moved = fabs(after - before) > BOND_DRIFT * kernel->options->rtol * fmax(fabs(before), fabs(after));
    bool now = run->stores.sharing[port];
    if (run->stores.shared[port] && !now)
        kernel_warn(kernel, part->place,
                    "%s shared what it stores with others and was parted from them at one instant, t = %.9g: without "
                    "time in between a lumped model cannot say what happens; let a guard wait, or refine the model",
                    model_string(kernel->model, part->name), kernel->now.t);
    run->stores.shared[port] = now && (moved || run->stores.shared[port]);
    run->stores.some |= run->stores.shared[port];
}

bool switching_shares(BondRun* run)
{
    bool shares = false;
    memset(run->stores.sharing, 0, sizeof(bool) * run->stores.port_count);
    bond_net_dependents(run->net, visit_sharing, run);
    for (uint32_t i = 0; i < run->stores.port_count; i++)
        shares |= run->stores.sharing[i];
    return shares;
}

// What is joined, shares what it stores and is parted again at one instant was never joined in time: the lumped model
// says nothing about that (paper 002, "The Nature and Effects of Discontinuities").
void switching_watch_sharing(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        BondRun* run = &kernel->bonds->runs[i];
        if (!run->stores.some && !bond_net_has_dependents(run->net))
            continue;
        memset(run->stores.sharing, 0, sizeof(bool) * run->stores.port_count);
        bond_net_dependents(run->net, visit_sharing, run);
        for (uint32_t s = 0; s < run->stores.part_count; s++)
        {
            uint32_t n = run->stores.parts[s];
            const BondPart* part = bonds_part(kernel, run, n);
            for (uint32_t k = 0; k < part->ports; k++)
                watch_port(kernel, run, part, run->port_of[n] + (int)k, part->state + k - model->reg_first[REG_STATE]);
        }
    }
}

// Whether what is read as committed is what it was: values that hang on it still hold.
static bool keep_committed(Kernel* kernel)
{
    Bonds* bonds = kernel->bonds;
    const kaiModel* model = kernel->model;
    uint32_t first = model->reg_first[REG_VALUE];
    bool same = true;
    if (bonds->steady)
        brief_begin(kernel);
    else
        memcpy(bonds->values, kernel->R + first, sizeof(double) * (model->reg_count - first));
    memcpy(bonds->states, kernel_states(kernel), sizeof(double) * model->state_count);
    for (uint32_t i = 0; i < bonds->junction_count; i++)
        bonds->modes[i] = kernel->R[model->machines[bonds->junctions[i]].reg];
    for (uint32_t i = 0; i < model->committed_count; i++)
    {
        same &= kernel->R[model->committed[i].target] == kernel->R[model->committed[i].value];
        kernel->R[model->committed[i].target] = kernel->R[model->committed[i].value];
    }
    return same || bonds->steady;
}

// What the rest of the model sees of this tag are the committed values, not those tried on the way.
static void restore_values(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    uint32_t first = model->reg_first[REG_VALUE];
    if (kernel->bonds->steady)
        brief_restore(kernel);
    else
        memcpy(kernel->R + first, kernel->bonds->values, sizeof(double) * (model->reg_count - first));
}

// What was committed at this tag may have turned a ratio: the values of the reaction are those of the ratio before.
static kaiStatus turn_ratios(Kernel* kernel)
{
    bool turned;
    kaiStatus status = bonds_turn(kernel, &turned);
    if (status != KAI_OK || !turned)
        return status;
    kernel->bonds->is_quiet = false;
    kernel_disturb_all(kernel);
    return kernel_run(kernel, kernel->model->react);
}

static kaiStatus find_modes(Kernel* kernel, bool same, bool* consistent)
{
    passage_begin(kernel, same);
    kaiStatus status = switch_prior(kernel, same, consistent);
    if (status == KAI_OK)
        status = settle_posterior(kernel, consistent);
    passage_end(kernel, status == KAI_OK && *consistent);
    return status;
}

// What was found becomes what there is. `switches`: so many there were before.
static kaiStatus commit_modes(Kernel* kernel, bool consistent, int64_t switches, CommitResult* result)
{
    Bonds* bonds = kernel->bonds;
    CommitResult switched = {0};
    kernel->hooks->settled(kernel->owner);
    switching_settle_states(kernel, &switched);
    kaiStatus status = switched.state ? kernel->hooks->jumped(kernel->owner) : KAI_OK;
    if (status != KAI_OK)
        return status;
    leave_modes(kernel, &switched);
    bonds->is_quiet = consistent && bonds->quiet;
    restore_values(kernel);
    // Junctions that switched and came back where they were may do so again: only a run that switches nothing is the
    // end.
    switched.other |= kernel->counters.switches != switches;
    result->state |= switched.state;
    result->other |= switched.other;
    if (switched.state || switched.other)
        switching_watch_sharing(kernel);
    bonds_warn_not_unique(kernel);
    return switched.state || switched.other ? switching_note_settled(kernel) : KAI_OK;
}

kaiStatus switching_run(Kernel* kernel, CommitResult* result)
{
    Bonds* bonds = kernel->bonds;
    int64_t switches = kernel->counters.switches;
    kaiStatus status = KAI_OK;
    bonds->passages.taken = NULL;
    bonds->passages.rests = false;
    bonds->drifted = false;
    if (passage_follow(kernel, result, &status))
        return status;
    status = turn_ratios(kernel);
    if (status != KAI_OK)
        return status;
    bool same = bonds->is_quiet && bonds_same_inputs(kernel);
    bonds->reacted = keep_committed(kernel) && kernel->model->fused && !result->state;
    bonds->given = same;
    if ((!same || !bonds->steady) && !bonds->drifted)  // unsteady inputs may be those of a set that was tried
        select_learn(kernel);
    bonds->given |= !same && !bonds->drifted && !bonds_project(kernel);
    bonds->reacted &= bonds->given;
    if (!same || !bonds->stayed)  // otherwise what was before is what was before the last tag
        kernel->hooks->before_jump(kernel->owner);
    bool consistent = true;
    bonds->later = bonds->steady;
    status = find_modes(kernel, same && !bonds->signs.unjudged, &consistent);
    if (status == KAI_OK && bonds->later)
        status = bonds_complete(kernel);
    bonds->later = bonds->is_quiet = bonds->stayed = false;
    if (status != KAI_OK)
        return status;
    status = consistent ? present_check(kernel) : bonds_fail_inconsistent(kernel);
    return status == KAI_OK ? commit_modes(kernel, consistent, switches, result) : status;
}
