// A circuit goes through the same few sets of modes again and again, for the same few reasons. The way from one to the
// next is found by the rules of switching.c, which enter every set on it, make its jump and ask for its signs. It is
// kept with what decided it: for each sign the sum over the inputs of the graph that was clear of zero. Where these
// sums are clear again and have the same signs, the rules would find the same way, and only the set at its end is
// entered. A sum that is not clear is asked of the selection, where the net is in its set (at the beginning and at the
// end); anything else, and the rules have their way, from where the instant stood. What is kept follows from the model
// and from what bond/selection.h remembers; no snapshot holds it.
#include "kernel/passage.h"

#include "kernel/bonds.h"
#include "kernel/brief.h"

#include <math.h>
#include <string.h>

enum
{
    PASSAGE_VAIN = 4  // times that a way is recorded in vain before it is left alone
};

// ---- sets

static void free_set(PassageSet* set, kaiAllocator a)
{
    for (uint32_t i = 0; i < set->way_count; i++)
        if (set->ways[i].room > 0)
            a.alloc(a.user, set->ways[i].tests, sizeof(PassageTest) * set->ways[i].room, 0);
    a.alloc(a.user, set, set->size, 0);
}

void passages_free(Kernel* kernel)
{
    Passages* p = &kernel->bonds->passages;
    for (uint32_t i = 0; i < p->count; i++)
        free_set(p->sets[i], kernel->options->allocator);
    for (uint32_t i = 0; kernel->brief != NULL && i < kernel->brief->set_count; i++)
        kernel->brief->sets[i]->passages = NULL;
    *p = (Passages){.count = 0};
}

static const ModeInfo* junction_mode(const Kernel* kernel, uint32_t junction)
{
    const Machine* machine = &kernel->model->machines[kernel->bonds->junctions[junction]];
    return &kernel->model->modes[machine->first_mode + kernel_mode(kernel, machine)];
}

static double junction_at(const Kernel* kernel, uint32_t junction)
{
    return kernel->R[kernel->model->machines[kernel->bonds->junctions[junction]].reg];
}

// Its transitions on committed values. False: there is one on what follows that no sign decides, or too many.
static bool list_priors(const Kernel* kernel, PassageSet* set)
{
    const kaiModel* model = kernel->model;
    bool possible = true;
    for (uint32_t i = 0; i < kernel->bonds->junction_count; i++)
        for (uint32_t k = 0; k < junction_mode(kernel, i)->transition_count; k++)
        {
            const Transition* t = &model->transitions[junction_mode(kernel, i)->first_transition + k];
            possible &= !t->posterior || t->one_way != 0;
            if (!t->posterior && set->prior_count < 64)
                set->priors[set->prior_count].fire = model->reactions[t->reaction].fire;
            set->prior_count += !t->posterior;
        }
    return possible && set->prior_count <= 64;
}

static size_t block_count(const Kernel* kernel)
{
    return (size_t)bond_net_blocks(kernel->bonds->runs[0].net)->block_count;
}

// Room for all ways: the modes at their ends.
static PassageSet* make_set(Kernel* kernel)
{
    kaiAllocator a = kernel->options->allocator;
    size_t junctions = kernel->bonds->junction_count, blocks = block_count(kernel);
    size_t size = sizeof(PassageSet) + sizeof(double) * junctions * (PASSAGE_WAYS + 1) +
                  sizeof(BondMode*) * blocks * PASSAGE_WAYS + sizeof(PassagePrior) * (size_t)64;
    PassageSet* set = a.alloc(a.user, NULL, 0, size);
    if (set == NULL)
        return NULL;
    memset(set, 0, size);
    set->size = size;
    set->modes = (double*)(void*)(set + 1);
    set->ways[0].net = (BondMode**)(void*)(set->modes + junctions * (PASSAGE_WAYS + 1));
    for (size_t i = 1; i < PASSAGE_WAYS; i++)
        set->ways[i].net = set->ways[0].net + i * blocks;
    set->priors = (PassagePrior*)(void*)(set->ways[0].net + blocks * PASSAGE_WAYS);
    for (uint32_t i = 0; i < junctions; i++)
        set->modes[i] = junction_at(kernel, i);
    set->none = !list_priors(kernel, set);
    return set;
}

static bool is_set(const Kernel* kernel, const PassageSet* set)
{
    bool same = true;
    for (uint32_t i = 0; i < kernel->bonds->junction_count && same; i++)
        same = set->modes[i] == junction_at(kernel, i);
    return same;
}

// That of the modes in the registers; NULL: it has none. Sets often follow one another in a circle.
static PassageSet* find_set(Kernel* kernel, bool make)
{
    Passages* p = &kernel->bonds->passages;
    BriefSet* here = kernel->brief->stale ? NULL : kernel->brief->set;
    if (here != NULL && here->passages != NULL)
        return here->passages->none ? NULL : here->passages;
    uint32_t looked = 0, i = p->last;
    for (; looked < p->count && !is_set(kernel, p->sets[i]); looked++)
        i = i + 1 < p->count ? i + 1 : 0;
    if (looked == p->count)
    {
        if (!make || p->count == PASSAGE_SETS || (p->sets[p->count] = make_set(kernel)) == NULL)
            return NULL;
        i = p->count++;
    }
    p->last = i;
    if (here != NULL)
        here->passages = p->sets[i];
    return p->sets[i]->none ? NULL : p->sets[i];
}

static uint64_t cause_of(const Kernel* kernel, const PassageSet* set)
{
    uint64_t cause = 0;
    for (uint32_t i = 0; i < set->prior_count; i++)
        cause |= (uint64_t)(kernel->R[set->priors[i].fire] != 0) << i;
    return cause;
}

static bool begins(const Kernel* kernel)
{
    return kernel->now.p == 0 && kernel->now.m == 0;
}

static Passage* find_way(Kernel* kernel, PassageSet* set, uint64_t cause)
{
    for (uint32_t i = 0; i < set->way_count; i++)
        if (set->ways[i].cause == cause && set->ways[i].begins == begins(kernel))
            return &set->ways[i];
    return NULL;
}

// Of a graph whose equations stand still, and with the usual rounding.
static bool serves(const Kernel* kernel)
{
    const Bonds* bonds = kernel->bonds;
    return kernel->brief != NULL && kernel->brief->follows && bonds->given && bonds->slack == 1 &&
           bonds->runs[0].selection != NULL && bonds->runs[0].present.varying == NULL && kernel->counters.instants > 1;
}

// ---- following

static bool is_clear(const Kernel* kernel, const PassageTest* test)
{
    double sum = 0, bound = test->bound + test->per_time * kernel_slack(kernel, kernel->now.t);
    for (uint32_t i = 0; i < test->count; i++)
        sum += test->weights[i] * kernel->R[test->regs[i]];
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
static bool is_found(Kernel* kernel, const PassageTest* test, Asking* asking)
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

// Those between two places. `jumped`: the net is in their set, after its jump.
static bool pass(Kernel* kernel, const Passage* way, uint32_t from, uint32_t to, bool jumped)
{
    BondSigns* signs = &kernel->bonds->signs;
    Asking asking = {.jumped = jumped};
    bool same = true;
    for (uint32_t i = from; i < to && same; i++)
    {
        const PassageTest* test = &way->tests[i];
        bool clear = is_clear(kernel, test);
        same = clear || is_found(kernel, test, &asking);
        if (!clear)
            continue;
        signs->tolerances[test->machine] = test->tolerance;
        signs->ties[test->machine] = 0;
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
        run->on[i] = bonds_is_on(kernel, run, i);
    bond_net_restore(run->net, way->net);
    run->rows.loaded = run->present.settled = false;
    run->present.tied = way->tied;
}

// Nothing jumps: storages depend on none of the others, or nothing is switched.
static void stay(Kernel* kernel)
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
        stay(kernel);
        return true;
    }
    bool quiet = bonds_jump(kernel, consistent) == KAI_OK && *consistent && last->lazy && !last->struck;
    kernel->bonds->signs.unjudged |= quiet;
    return quiet;
}

// The last set of a way, with its jump.
static bool enter_last(Kernel* kernel, const Passage* way, bool* consistent)
{
    Bonds* bonds = kernel->bonds;
    bool reacted = bonds->reacted, jumped;
    for (uint32_t i = 0; i < bonds->junction_count; i++)
        kernel->R[kernel->model->machines[bonds->junctions[i]].reg] = way->modes[i];
    enter_net(kernel, way);
    if (jump_last(kernel, way, consistent, &jumped) && pass(kernel, way, way->before, way->count, jumped))
        return true;
    go_back(kernel, reacted);
    bonds_enter(kernel);
    *consistent = true;
    return false;
}

static bool take_way(Kernel* kernel, const Passage* way, bool* consistent)
{
    Bonds* bonds = kernel->bonds;
    BondRun* run = &bonds->runs[0];
    if (way->grown != bond_selection_grown(run->selection) || way->trimmed != bond_net_trimmed(run->net) ||
        kernel->hooks->sees(kernel->owner, false, way->tags))
        return false;
    if (!pass(kernel, way, 0, way->before, false))
        return false;
    if (way->modes == NULL)
        stay(kernel);
    else if (!enter_last(kernel, way, consistent))
        return false;
    bonds->unshown = false;
    bonds->last_place = way->switches > 0 ? way->last_place : bonds->last_place;
    kernel->now.m += (int32_t)way->steps;
    kernel->counters.switches += way->switches;
    return true;
}

bool passage_rests(Kernel* kernel)
{
    PassageSet* set = serves(kernel) ? find_set(kernel, false) : NULL;
    return set != NULL && cause_of(kernel, set) == 0 && !kernel->hooks->sees(kernel->owner, false, 1);
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

PassageEnd passage_follow(Kernel* kernel, bool* consistent, kaiStatus* status)
{
    PassageSet* set = serves(kernel) ? find_set(kernel, false) : NULL;
    Passage* way = set != NULL ? find_way(kernel, set, cause_of(kernel, set)) : NULL;
    if (way == NULL || !way->known || !take_way(kernel, way, consistent))
        return PASSAGE_NONE;
    kernel->bonds->passages.taken = way;
    *status = kernel->hooks->tags(kernel->owner, way->tags);
    return way->modes != NULL ? PASSAGE_LEADS : PASSAGE_STAYS;
}

// ---- recording

void passage_begin(Kernel* kernel, bool same)
{
    PassageDraft* draft = &kernel->bonds->passages.draft;
    draft->open = false;
    if (same || !serves(kernel) || kernel->hooks->sees(kernel->owner, false, 1))
        return;
    PassageSet* set = find_set(kernel, true);
    if (set == NULL)
        return;
    uint64_t cause = cause_of(kernel, set);
    Passage* way = find_way(kernel, set, cause);
    if (way == NULL && set->way_count < PASSAGE_WAYS)
    {
        way = &set->ways[set->way_count++];
        way->cause = cause;
        way->begins = begins(kernel);
    }
    if (way == NULL || way->met++ == 0 || way->vain == PASSAGE_VAIN)
        return;
    draft->open = draft->first = true;
    draft->failed = false;
    draft->from = draft->count = draft->tags = 0;
    draft->at = kernel->now;
    draft->switches = kernel->counters.switches;
    draft->set = set;
    draft->way = way;
}

// The set in work is left again. Its own values are not asked for when the way is followed, unless it is the first.
static void close_set(PassageDraft* draft, const BondRun* run)
{
    bool values = !bond_net_has_dependents(run->net);
    for (uint32_t i = draft->from; i < draft->count && !draft->first; i++)
    {
        draft->failed |= draft->tests[i].count == 0 || !(values || run->last.struck);
        draft->tests[i].asks = false;
    }
    draft->from = draft->count;
}

void passage_note_set(Kernel* kernel, bool first)
{
    PassageDraft* draft = &kernel->bonds->passages.draft;
    const BondRun* run = &kernel->bonds->runs[0];
    if (!draft->open)
        return;
    draft->first = first;
    draft->failed |= !run->last.lazy || run->last.status != BOND_OK || (first && run->last.struck);
}

void passage_note_tag(Kernel* kernel)
{
    kernel->bonds->passages.draft.tags++;
}

void passage_give_up(Kernel* kernel)
{
    kernel->bonds->passages.draft.failed = true;
}

void passage_leave_set(Kernel* kernel)
{
    PassageDraft* draft = &kernel->bonds->passages.draft;
    if (draft->open)
        close_set(draft, &kernel->bonds->runs[0]);
}

// A sum over inputs of the graph, as one over registers. Inputs that are none of the model are 0.
static void put_row(const Kernel* kernel, const BondReason* reason, PassageTest* test)
{
    const BondRun* run = &kernel->bonds->runs[0];
    int inputs = run->graph->input_count;
    for (int i = 0; i < reason->row.count; i++)
    {
        bool slope = reason->row.input[i] >= inputs;
        int column = run->column_of[reason->row.input[i] - (slope ? inputs : 0)];
        const BondInput* input = column >= 0 ? bonds_input(kernel, run, (uint32_t)column) : NULL;
        uint32_t reg = input == NULL ? NO_REG : slope ? input->slope : input->value;
        if (reg == NO_REG)
            continue;
        test->regs[test->count] = reg;
        test->weights[test->count++] = reason->row.weight[i];
    }
    test->bound = reason->bound;
    test->per_time = reason->per_time;
    test->sign = reason->sign;
    test->below = reason->below;
}

void passage_note_sign(Kernel* kernel, uint32_t machine, const Transition* t, int sign)
{
    Bonds* bonds = kernel->bonds;
    PassageDraft* draft = &bonds->passages.draft;
    BondReason reasons[BOND_REASONS];
    if (!draft->open || draft->failed)
        return;
    BondAsked asked = select_asked(kernel, t);
    int count = bond_selection_reasons(bonds->runs[0].selection, asked, kernel->options->rtol, sign, bonds->runs[0].dx,
                                       reasons);
    draft->failed |= draft->count + BOND_REASONS > PASSAGE_TESTS;
    for (int i = 0; i < (count > 0 ? count : 1) && !draft->failed; i++)
    {
        PassageTest* test = &draft->tests[draft->count++];
        *test = (PassageTest){.transition = (uint32_t)(t - kernel->model->transitions),
                              .machine = machine,
                              .fires = sign == t->one_way,
                              .asks = true,
                              .tolerance = bonds->signs.tolerances[machine]};
        if (count > 0)
            put_row(kernel, &reasons[i], test);
    }
}

static bool keep_tests(Kernel* kernel, const PassageDraft* draft, Passage* way)
{
    kaiAllocator a = kernel->options->allocator;
    if (draft->count > way->room)
    {
        PassageTest* tests =
            a.alloc(a.user, way->tests, sizeof *tests * way->room, sizeof *tests * (size_t)draft->count);
        if (tests == NULL)
            return false;
        way->tests = tests;
        way->room = draft->count;
    }
    if (draft->count > 0)
        memcpy(way->tests, draft->tests, sizeof(PassageTest) * draft->count);
    way->count = draft->count;
    return true;
}

void passage_end(Kernel* kernel, bool found)
{
    Bonds* bonds = kernel->bonds;
    PassageDraft* draft = &bonds->passages.draft;
    const BondRun* run = &bonds->runs[0];
    Passage* way = draft->way;
    if (!draft->open)
        return;
    draft->open = false;
    bool left = kernel->counters.switches != draft->switches;
    bool follows = found && !draft->failed && left != is_set(kernel, draft->set) && run->last.lazy && !run->last.struck;
    way->known = follows && keep_tests(kernel, draft, way);
    way->end = NULL;
    way->vain += !way->known;
    if (!way->known)
        return;
    way->before = left ? draft->from : draft->count;
    way->tags = draft->tags;
    way->steps = (uint32_t)(kernel->now.m - draft->at.m);
    way->switches = (uint32_t)(kernel->counters.switches - draft->switches);
    way->last_place = bonds->last_place;
    way->grown = bond_selection_grown(run->selection);
    way->trimmed = bond_net_trimmed(run->net);
    way->modes = left ? draft->set->modes + (size_t)bonds->junction_count * (size_t)(way - draft->set->ways + 1) : NULL;
    for (uint32_t i = 0; i < bonds->junction_count && left; i++)
        way->modes[i] = junction_at(kernel, i);
    bond_net_save(run->net, way->net);
    way->tied = run->present.tied;
    way->depends = bond_net_has_dependents(run->net);
}
