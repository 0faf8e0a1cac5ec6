// A circuit goes through the same few sets of modes again and again, for the same few reasons. The way from one to the
// next is found by the rules of switching.c, which enter every set on it, make its jump and ask for its signs. It is
// kept with what decided it: for each sign the sum over the inputs of the graph that was clear of zero. Where these
// sums are clear again and have the same signs, the rules would find the same way (passage_follow.c). What is kept
// follows from the model and from what bond/selection.h remembers; no snapshot holds it.
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
    {
        kernel->brief->sets[i]->passages = NULL;
        kernel->brief->sets[i]->course_count = 0;
    }
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
                set->priors[set->prior_count].fire = &kernel->R[model->reactions[t->reaction].fire];
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
    size_t switches = (size_t)kernel->bonds->runs[0].graph->switch_count + 1;
    size_t size = sizeof(PassageSet) + sizeof(double) * junctions * (PASSAGE_WAYS + 1) +
                  (sizeof(BondMode*) + sizeof(double*)) * blocks * PASSAGE_WAYS + sizeof(PassagePrior) * (size_t)64 +
                  sizeof(bool) * switches * PASSAGE_WAYS;
    PassageSet* set = a.alloc(a.user, NULL, 0, size);
    if (set == NULL)
        return NULL;
    memset(set, 0, size);
    set->size = size;
    set->modes = (double*)(void*)(set + 1);
    set->ways[0].net = (BondMode**)(void*)(set->modes + junctions * (PASSAGE_WAYS + 1));
    set->ways[0].rows = (const double**)(void*)(set->ways[0].net + blocks * PASSAGE_WAYS);
    set->priors = (PassagePrior*)(void*)(set->ways[0].rows + blocks * PASSAGE_WAYS);
    set->ways[0].on = (bool*)(set->priors + 64);
    for (size_t i = 1; i < PASSAGE_WAYS; i++)
    {
        set->ways[i].net = set->ways[0].net + i * blocks;
        set->ways[i].rows = set->ways[0].rows + i * blocks;
        set->ways[i].on = set->ways[0].on + i * switches;
    }
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

// Sets often follow one another in a circle.
PassageSet* passage_find_set(Kernel* kernel, bool make)
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

static bool begins(const Kernel* kernel)
{
    return kernel->now.p == 0 && kernel->now.m == 0;
}

Passage* passage_find(const Kernel* kernel, PassageSet* set, uint64_t cause)
{
    for (uint32_t i = 0; i < set->way_count; i++)
        if (set->ways[i].cause == cause && set->ways[i].begins == begins(kernel))
            return &set->ways[i];
    return NULL;
}

// Of a graph whose equations stand still, and with the usual rounding.
bool passage_serves(const Kernel* kernel)
{
    const BondRun* run = &kernel->bonds->runs[0];
    return kernel->brief != NULL && kernel->brief->follows && kernel->bonds->slack == 1 && run->selection != NULL &&
           run->present.varying == NULL && run->present.unsolved == NULL && kernel->counters.instants > 1;
}

// ---- recording

void passage_begin(Kernel* kernel, bool same)
{
    PassageDraft* draft = &kernel->bonds->passages.draft;
    draft->open = false;
    if (same || !kernel->bonds->given || !passage_serves(kernel) || kernel->unseen.tags == 0)
        return;
    PassageSet* set = passage_find_set(kernel, true);
    if (set == NULL)
        return;
    uint64_t cause = passage_cause(set);
    Passage* way = passage_find(kernel, set, cause);
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
        test->terms[test->count++] = (PassageTerm){&kernel->R[reg], reason->row.weight[i]};
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
    memset(way->rows, 0, sizeof *way->rows * block_count(kernel));
    for (int i = 0; i < run->graph->switch_count; i++)
        way->on[i] = bonds_is_on(kernel, run, i);
    way->tied = run->present.tied;
    way->depends = bond_net_has_dependents(run->net);
    way->shares = way->depends && switching_shares(&bonds->runs[0]);
}
