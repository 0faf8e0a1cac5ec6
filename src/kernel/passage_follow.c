// Following a way that passage.c has kept. The sums that decided it are evaluated in their order: where each is clear
// again and has its sign, the rules of switching.c would find the same way, and only the set at its end is entered. A
// sum that is not clear is asked of the selection, where the net is in its set (at the beginning and at the end).
// Anything else, and the rules have their way, from where the instant stood.
#include "kernel/bonds.h"
#include "kernel/brief.h"

#include <math.h>
#include <string.h>

// ---- signs

// `slack`: the time to which the instant is known.
static inline bool is_clear(const PassageTest* test, double slack)
{
    double sum = 0, bound = test->bound + test->per_time * slack;
    for (const PassageTerm *term = test->terms, *end = term + test->count; term < end; term++)
        sum += term->weight * *term->x;
    if (test->below)
        return fabs(sum) <= bound;
    return test->count > 0 && (test->sign == 0 ? fabs(sum) : test->sign * sum) > bound;
}

// How far the set that the net is in is known while signs are asked for.
typedef struct Asking
{
    bool jumped, judged;
} Asking;

// The selection's own answer there.
__attribute__((noinline)) static bool is_found(Kernel* kernel, const PassageTest* test, Asking* asking)
{
    bool consistent = true;
    if (!test->asks || (!asking->jumped && bonds_jump(kernel, &consistent) != KAI_OK))
        return false;
    if (!asking->judged)
        select_judge(kernel);
    asking->jumped = asking->judged = true;
    return consistent &&
           select_fires(kernel, test->machine, &kernel->model->transitions[test->transition]) == test->fires;
}

bool passage_pass(Kernel* kernel, const Passage* way, uint32_t from, uint32_t to, bool jumped)
{
    BondSigns* signs = &kernel->bonds->signs;
    double slack = kernel_slack(kernel, kernel->now.t);
    Asking asking = {.jumped = jumped};
    bool same = true;
    for (const PassageTest *test = way->tests + from, *end = way->tests + to; test < end && same; test++)
    {
        if (is_clear(test, slack))
        {
            signs->tolerances[test->machine] = test->tolerance;
            signs->ties[test->machine] = 0;
            continue;
        }
        same = is_found(kernel, test, &asking);
    }
    return same;
}

static void go_back(Kernel* kernel, bool reacted)
{
    Bonds* bonds = kernel->bonds;
    for (uint32_t i = 0; i < bonds->junction_count; i++)
        kernel->R[kernel->model->machines[bonds->junctions[i]].reg] = bonds->modes[i];
    memcpy(kernel_states(kernel), bonds->states, sizeof(double) * kernel->model->state_count);
    brief_restore(kernel);
    brief_begin(kernel);
    bonds->reacted = reacted;
}

// Its equations are at hand, as long as none have been given up.
static void enter_net(Kernel* kernel, const Passage* way)
{
    BondRun* run = &kernel->bonds->runs[0];
    for (int i = 0; i < run->graph->switch_count; i++)
        run->on[i] = way->on[i];
    bond_net_restore(run->net, way->net);
    run->rows.loaded = run->present.settled = false;
    run->present.tied = way->tied;
}

bool passage_load(Kernel* kernel, const Passage* way)
{
    BondRun* run = &kernel->bonds->runs[0];
    for (int i = 0; i < bond_net_blocks(run->net)->block_count; i++)
    {
        if (way->rows[i] == NULL)
            way->rows[i] = bonds_rows(kernel, run, i);
        if (way->rows[i] == NULL)
            return false;
        bonds_copy_rows(kernel, run, i, way->rows[i]);
    }
    run->rows.loaded = true;
    return true;
}

// Nothing jumps: storages depend on none of the others, or nothing is switched.
void passage_stay(Kernel* kernel)
{
    BondRun* run = &kernel->bonds->runs[0];
    bonds_clear_areas(kernel);
    kernel->bonds->quiet = true;
    memset(run->dx, 0, sizeof(double) * (size_t)run->graph->port_count);
    run->last = (BondLast){.status = BOND_OK, .lazy = true, .still = true};
    run->present.settled = false;
    kernel->bonds->signs.unjudged = true;
    kernel->brief->used = true;
}

// What the set that has been entered does to the states. False: it has impulses, or contradicts itself. *jumped: areas
// and values can be asked for.
static bool jump_last(Kernel* kernel, const Passage* way, bool* consistent, bool* jumped)
{
    const BondLast* last = &kernel->bonds->runs[0].last;
    *jumped = way->depends || !kernel->bonds->reacted;
    if (!*jumped)
    {
        passage_stay(kernel);
        return true;
    }
    bool quiet = bonds_jump_entered(kernel, consistent) == KAI_OK && *consistent && last->lazy && !last->struck;
    kernel->bonds->signs.unjudged |= quiet;
    return quiet;
}

void passage_enter(Kernel* kernel, const Passage* way)
{
    const Bonds* bonds = kernel->bonds;
    for (uint32_t i = 0; i < bonds->junction_count; i++)
        kernel->R[kernel->model->machines[bonds->junctions[i]].reg] = way->modes[i];
    enter_net(kernel, way);
}

// The last set of a way, with its jump.
static bool enter_last(Kernel* kernel, const Passage* way, bool* consistent)
{
    Bonds* bonds = kernel->bonds;
    bool reacted = bonds->reacted, jumped;
    passage_enter(kernel, way);
    if (jump_last(kernel, way, consistent, &jumped) && passage_pass(kernel, way, way->before, way->count, jumped))
        return true;
    go_back(kernel, reacted);
    bonds_enter(kernel);
    *consistent = true;
    return false;
}

// ---- a tag

// As they are now. False: one is larger than ever.
static inline bool read_inputs(const BondRun* run)
{
    const BondKnown *k = run->feeds.known, *end = k + run->feeds.known_count;
    while (k < end && !(fabs(*k->value) > *k->most))
    {
        *k->kept = *k->value;
        k++;
    }
    return k == end;
}

// The committed state, to come back to, and what is read as committed.
static void keep_committed(Kernel* kernel)
{
    Bonds* bonds = kernel->bonds;
    const kaiModel* model = kernel->model;
    double *R = kernel->R, *states = kernel_states(kernel);
    brief_begin(kernel);
    for (uint32_t i = 0; i < model->state_count; i++)
        bonds->states[i] = states[i];
    for (uint32_t i = 0; i < bonds->junction_count; i++)
        bonds->modes[i] = R[model->machines[bonds->junctions[i]].reg];
    for (const Reset *c = model->committed, *end = c + model->committed_count; c < end; c++)
        R[c->target] = R[c->value];
}

bool passage_take_inputs(Kernel* kernel)
{
    Bonds* bonds = kernel->bonds;
    BondRun* run = &bonds->runs[0];
    bonds->is_quiet = false;
    return read_inputs(run) && (!bond_net_has_dependents(run->net) || bonds_agree(kernel, run));
}

// What comes before any set is tried. False: an input is larger than ever, or storages that depend on each other have
// been put together.
static bool begin(Kernel* kernel, bool same)
{
    Bonds* bonds = kernel->bonds;
    BondRun* run = &bonds->runs[0];
    bool told = same && bonds->stayed;  // what was before is what was before the last tag
    if (!same)
    {
        bonds->is_quiet = false;
        if (!read_inputs(run))
            return false;
        if (bond_net_has_dependents(run->net) && !bonds_agree(kernel, run))
            bonds->drifted = bonds_project(kernel);
        if (bonds->drifted)
            return false;
    }
    keep_committed(kernel);
    if (!told)
        kernel->hooks->before_jump(kernel->owner);
    bonds->given = bonds->reacted = true;
    return true;
}

static void leave_modes(Kernel* kernel)
{
    Bonds* bonds = kernel->bonds;
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < bonds->junction_count; i++)
    {
        const Machine* machine = &model->machines[bonds->junctions[i]];
        if (kernel->R[machine->reg] != bonds->modes[i])
            kernel->leaving[kernel->leaving_count++] =
                model->modes[machine->first_mode + (uint32_t)bonds->modes[i]].ctx;
    }
    kernel_disturb_all(kernel);
}

// Nothing has moved but modes.
static kaiStatus commit_still(Kernel* kernel, CommitResult* result)
{
    leave_modes(kernel);
    kernel->bonds->is_quiet = true;
    result->other = true;
    if (kernel->bonds->runs[0].stores.some)
        switching_watch_sharing(kernel);
    return switching_note_settled(kernel);
}

// Storages have been put together. Values are unique in the set at the end of a way, and nobody wants an extreme.
static kaiStatus commit_moved(Kernel* kernel, const Passage* way, CommitResult* result)
{
    kaiStatus status = KAI_OK;
    switching_settle_states(kernel, result);
    if (result->state)
        status = kernel->hooks->jumped(kernel->owner);
    if (status != KAI_OK)
        return status;
    leave_modes(kernel);
    kernel->bonds->is_quiet = kernel->bonds->quiet;
    result->other = true;
    brief_restore(kernel);
    if (way->shares || kernel->bonds->runs[0].stores.some)
        switching_watch_sharing(kernel);
    return switching_note_settled(kernel);
}

static kaiStatus arrive(Kernel* kernel, const Passage* way, CommitResult* result)
{
    Bonds* bonds = kernel->bonds;
    bool still = bonds->runs[0].last.still && bonds->reacted;
    bonds->stayed = way->modes == NULL;
    bonds->is_quiet = bonds->stayed;
    if (bonds->stayed)
        return KAI_OK;
    return still ? commit_still(kernel, result) : commit_moved(kernel, way, result);
}

static bool go(Kernel* kernel, const Passage* way)
{
    bool consistent = true;
    if (!passage_pass(kernel, way, 0, way->before, false))
        return false;
    if (way->modes == NULL)
        passage_stay(kernel);
    else if (!enter_last(kernel, way, &consistent))
        return false;
    kernel->bonds->unshown = false;
    kernel->bonds->last_place = way->switches > 0 ? way->last_place : kernel->bonds->last_place;
    kernel->now.m += (int32_t)way->steps;
    kernel->counters.switches += way->switches;
    return true;
}

static kaiStatus complete(Kernel* kernel, const Passage* way)
{
    bool plain = !kernel->bonds->runs[0].last.struck && passage_load(kernel, way);
    return plain ? KAI_OK : bonds_complete(kernel);
}

static bool take(Kernel* kernel, Passage* way, bool same, CommitResult* result, kaiStatus* status)
{
    Bonds* bonds = kernel->bonds;
    if (!begin(kernel, same))
        return false;
    bonds->later = true;
    bool taken = go(kernel, way);
    if (taken)
    {
        bonds->passages.taken = way;
        *status = kernel->hooks->tags(kernel->owner, way->tags);
        if (*status == KAI_OK && way->modes != NULL)
            *status = complete(kernel, way);
    }
    bonds->later = false;
    if (taken && *status == KAI_OK)
        *status = arrive(kernel, way, result);
    bonds->is_quiet &= taken;
    return taken;
}

bool passage_follow(Kernel* kernel, CommitResult* result, kaiStatus* status)
{
    const BondRun* run = &kernel->bonds->runs[0];
    PassageSet* set = passage_serves(kernel) && !result->state ? passage_find_set(kernel, false) : NULL;
    if (set == NULL)
        return false;
    bool same = kernel->bonds->is_quiet && passage_same_inputs(run);
    uint64_t cause = passage_cause(set);
    bool rests = same && cause == 0;
    Passage* way = rests ? NULL : passage_find(kernel, set, cause);
    bool open = way != NULL && passage_is_open(run, way);
    if (!(rests || open) || (rests ? 1 : way->tags) > kernel->unseen.tags)
        return false;
    if (!rests)
        return take(kernel, way, same, result, status);
    keep_committed(kernel);
    kernel->bonds->passages.rests = true;
    *status = kernel->hooks->tags(kernel->owner, 1);
    return true;
}

void passage_take_modes(Kernel* kernel)
{
    Passage* way = kernel->bonds->passages.taken;
    if (way != NULL && way->end != NULL)
    {
        brief_take_set(kernel, way->end);
        return;
    }
    contexts_refresh(kernel);
    if (way != NULL && brief_set(kernel) != NULL)
        way->end = kernel->brief->set;
}
