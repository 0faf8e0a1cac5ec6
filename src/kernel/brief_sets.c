// Short programs (brief.c) for one set of modes: what is computed in the others is left out, there are no switches, and
// instructions stand in an order that makes few runs (vm/slice_order.c). A circuit is in few sets, again and again.
#include "kernel/course.h"

#include "kernel/guard.h"
#include "model/code.h"

#include <string.h>

enum
{
    SET_MET = 3  // times, before it has programs
};

static Slice* cut(Kernel* kernel, CodeRange range, void (*need)(const kaiModel*, uint8_t*), uint8_t* needed)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    memcpy(needed, kernel->brief->read, model->reg_count);
    need(model, needed);
    Slice* slice = slice_make(model, range, kernel->R, needed, a);
    if (slice != NULL)
        slice_order(slice, model, a);
    return slice;
}

// Copies go once it is known what the programs are (cut_sums).
static void tidy(Kernel* kernel, Slice* slice, const uint8_t* wanted)
{
    if (slice == NULL)
        return;
    slice_tidy(slice, kernel->model, wanted, kernel->options->allocator);
    slice_order(slice, kernel->model, kernel->options->allocator);
}

static void tidy_for(Kernel* kernel, Slice* slice, void (*need)(const kaiModel*, uint8_t*), uint8_t* wanted)
{
    memcpy(wanted, kernel->brief->read, kernel->model->reg_count);
    need(kernel->model, wanted);
    tidy(kernel, slice, wanted);
}

// ---- truths

// The instruction of a straight program that writes a register; NULL: none does. *op: its operator.
static const uint32_t* writer(const Slice* slice, uint32_t reg, uint32_t* op)
{
    CodeItem item;
    const uint32_t* found = NULL;
    for (uint32_t at = 0; at < slice->count && code_item(slice->words, at, slice->count, &item); at += item.words)
        for (uint32_t i = 0; i < item.reg_count; i += item.stride)
            if (slice->words[item.first_reg + i] == reg)
            {
                found = slice->words + item.first_reg + i;
                *op = item.op;
            }
    return found;
}

// Whether a truth is the latch where the argument is the last one: a choice between the two, as it was emitted.
static bool keeps_latch(const Slice* react, const Guard* guard)
{
    uint32_t op = VM_MOVE;
    const uint32_t* at = writer(react, guard->truth, &op);
    while (at != NULL && op == VM_MOVE)
        at = writer(react, at[1], &op);
    if (at == NULL || op != VM_SELECT || at[2] != guard->latch)
        return false;
    const uint32_t* equal = writer(react, at[1], &op);
    if (equal == NULL || op != VM_EQ || equal[2] != guard->last_g)
        return false;
    uint32_t argument = equal[1];
    const uint32_t* g = argument == guard->react_g ? equal : writer(react, guard->react_g, &op);
    return argument == guard->react_g || (g != NULL && op == VM_MOVE && g[1] == argument);
}

static bool is_zero(const kaiModel* model, uint32_t reg)
{
    return reg < model->reg_first[REG_PARAM] && model->constants[reg - model->reg_first[REG_CONST]] == 0;
}

// Whether a relation that does not keep its latch is false for every argument that is not negative, whatever the size
// of its terms: `(small ? 0 : g) < 0`, as it was emitted.
static bool needs_negative(const kaiModel* model, const Slice* react, const Guard* guard)
{
    uint32_t op = VM_MOVE;
    const uint32_t* at = writer(react, guard->truth, &op);
    while (at != NULL && op == VM_MOVE)
        at = writer(react, at[1], &op);
    at = at != NULL && op == VM_SELECT ? writer(react, at[3], &op) : NULL;
    if (at == NULL || op != VM_LT || !is_zero(model, at[2]))
        return false;
    const uint32_t* settled = writer(react, at[1], &op);
    uint32_t argument = at[1], copied = VM_MOVE;
    if (settled != NULL && op == VM_SELECT)
    {
        if (!is_zero(model, settled[2]))
            return false;
        argument = settled[3];
    }
    const uint32_t* g = writer(react, guard->react_g, &copied);
    return argument == guard->react_g || (g != NULL && copied == VM_MOVE && g[1] == argument);
}

// Whether an operator may ask what counts as rounding, which hangs on left limits (guard_rounding).
static bool asks_rounding(const Slice* slice)
{
    CodeItem item;
    bool asks = false;
    for (uint32_t at = 0; at < slice->count && code_item(slice->words, at, slice->count, &item); at += item.words)
        asks |= item.op == VM_SQRT || item.op == VM_LOG || item.op == VM_LOG10 || item.op == VM_ASIN ||
                item.op == VM_ACOS || item.op == VM_POW;
    return asks;
}

static bool reads(const Slice* slice, uint32_t reg)
{
    CodeItem item;
    bool found = false;
    for (uint32_t at = 0; at < slice->count && code_item(slice->words, at, slice->count, &item); at += item.words)
        for (uint32_t i = 0; i < item.reg_count; i++)
            found |= i % item.stride != 0 && slice->words[item.first_reg + i] == reg;
    return found;
}

// The reaction without truths, if all guards that are active are relations that keep their latches.
static void cut_sums(Kernel* kernel, BriefSet* set, uint8_t* needed)
{
    const kaiModel* model = kernel->model;
    bool keep = kernel->active_guards.count > 0;
    memcpy(needed, kernel->brief->read, model->reg_count);
    brief_need_react(model, needed);
    for (uint32_t i = 0; i < model->guards_count && keep; i++)
        keep = model->guards[i].truth == NO_REG || kernel->brief->read[model->guards[i].truth] == 0;
    for (uint32_t i = 0; i < kernel->active_guards.count && keep; i++)
    {
        const Guard* guard = &model->guards[kernel->active_guards.at[i]];
        keep = is_relation(guard) && guard->present == NO_REG && guard->react_present == NO_REG && !guard->time_only &&
               keeps_latch(set->react, guard);
        if (keep)
            needed[guard->truth] = 0;
    }
    kaiAllocator a = kernel->options->allocator;
    set->sums = keep ? slice_make(model, model->react, kernel->R, needed, a) : NULL;
    if (set->sums != NULL)
        slice_order(set->sums, model, a);
    set->clear = set->sums != NULL;
    for (uint32_t i = 0; i < kernel->active_guards.count && set->clear; i++)
        set->clear = needs_negative(model, set->react, &model->guards[kernel->active_guards.at[i]]);
    set->left = set->sums != NULL && kernel->brief->unmoved && !asks_rounding(set->react);
    for (uint32_t i = 0; i < kernel->active_guards.count && set->left; i++)  // a transition may read a truth
        set->left = !reads(set->sums, model->guards[kernel->active_guards.at[i]].last_g);
}

static void tidy_sums(Kernel* kernel, BriefSet* set, uint8_t* wanted)
{
    memcpy(wanted, kernel->brief->read, kernel->model->reg_count);
    brief_need_react(kernel->model, wanted);
    for (uint32_t i = 0; i < kernel->active_guards.count; i++)
    {
        uint32_t truth = kernel->model->guards[kernel->active_guards.at[i]].truth;
        if (truth != NO_REG)
            wanted[truth] = 0;
    }
    tidy(kernel, set->sums, wanted);
}

static void list_guards(Kernel* kernel, BriefSet* set)
{
    kaiAllocator a = kernel->options->allocator;
    double* R = kernel->R;
    set->guards = a.alloc(a.user, NULL, 0, sizeof(BriefGuard) * ((size_t)set->guard_count + 1));
    for (uint32_t i = 0; i < set->guard_count && set->guards != NULL; i++)
    {
        const Guard* guard = &kernel->model->guards[kernel->active_guards.at[i]];
        set->guards[i] = (BriefGuard){R + guard->argument, R + guard->last_g, R + guard->react_g,
                                      R + guard->latch,    R + guard->truth,  guard->latch};
    }
}

// True: each truth is known without the sizes of its terms. Where the argument has not changed it is the latch, and
// where it is not negative there may be no need to ask.
static inline bool keep_truths(const BriefSet* set)
{
    bool kept = true;
    for (const BriefGuard *at = set->guards, *end = at + set->guard_count; at < end && kept; at++)
    {
        bool same = *at->react_g == *at->last_g;
        kept = same || (set->clear && *at->react_g >= 0);
        *at->truth = same ? *at->latch : 0;
    }
    return kept;
}

static inline void take_left_limits(const BriefSet* set)
{
    for (const BriefGuard *at = set->guards, *end = at + set->guard_count; at < end; at++)
        *at->last_g = *at->argument = *at->react_g;
}

void brief_commit_set(Kernel* kernel, const BriefSet* set)
{
    for (const BriefGuard *at = set->guards, *end = at + set->guard_count; at < end; at++)
    {
        *at->last_g = *at->react_g;
        if (*at->latch == *at->truth)
            continue;
        *at->latch = *at->truth;
        kernel_disturb(kernel, at->latch_reg);
    }
}

void brief_react_set(Kernel* kernel, const BriefSet* set)
{
    Brief* brief = kernel->brief;
    bool owes = brief->owes, whole = set->sums == NULL || (brief->moved && !set->clear && !owes);
    brief->moved = brief->owes = false;
    if (!whole)
        slice_run(set->sums, kernel->model, kernel->R, &kernel->host);
    if (owes)
        take_left_limits(set);
    if (whole || !keep_truths(set))
        slice_run(set->react, kernel->model, kernel->R, &kernel->host);
}

bool brief_puts_off(Kernel* kernel)
{
    Brief* brief = kernel->brief;
    bool may = brief != NULL && !brief->left_seen && kernel->located_count == 0 && kernel->outside_count == 0 &&
               kernel->held_inputs == 0 && kernel->now.p < 0;
    const BriefSet* set = may ? brief_set(kernel) : NULL;
    bool waits = set != NULL && set->left;
    if (brief != NULL)
        brief->owes = waits;
    return waits;
}

// ---- sets

static void free_set(BriefSet* set, kaiAllocator a)
{
    slice_free(set->sums, a);
    slice_free(set->react, a);
    slice_free(set->events, a);
    slice_free(set->look, a);
    course_forget_set(set, a);
    if (set->guards != NULL)
        a.alloc(a.user, set->guards, sizeof(BriefGuard) * ((size_t)set->guard_count + 1), 0);
    a.alloc(a.user, set, set->size, 0);
}

static BriefSet* make_set(Kernel* kernel)
{
    kaiAllocator a = kernel->options->allocator;
    uint32_t guards = kernel->active_guards.count;
    size_t size = sizeof(BriefSet) + sizeof(uint32_t) * ((size_t)kernel->active_count + guards);
    BriefSet* set = a.alloc(a.user, NULL, 0, size);
    if (set == NULL)
        return NULL;
    *set = (BriefSet){.size = size, .count = kernel->active_count, .guard_count = guards};
    memcpy(set->contexts, kernel->active, sizeof(uint32_t) * kernel->active_count);
    memcpy(set->contexts + set->count, kernel->active_guards.at, sizeof(uint32_t) * guards);
    return set;
}

// Those of the present modes. Without memory there are none.
static void make_programs(Kernel* kernel, BriefSet* set)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    uint8_t* needed = a.alloc(a.user, NULL, 0, model->reg_count);
    if (needed == NULL)
        return;
    set->events = cut(kernel, model->events, brief_need_guards, needed);
    set->look = set->events != NULL ? cut(kernel, model->islands[0].events, brief_need_armed, needed) : NULL;
    set->react = set->look != NULL ? cut(kernel, model->react, brief_need_react, needed) : NULL;
    if (set->react != NULL)
    {
        cut_sums(kernel, set, needed);
        list_guards(kernel, set);
        if (set->guards == NULL)
        {
            slice_free(set->sums, a);
            set->sums = NULL;
            set->clear = set->left = false;
        }
        tidy_sums(kernel, set, needed);
        tidy_for(kernel, set->events, brief_need_guards, needed);
        tidy_for(kernel, set->look, brief_need_armed, needed);
        tidy_for(kernel, set->react, brief_need_react, needed);
    }
    a.alloc(a.user, needed, model->reg_count, 0);
}

static bool is_present(const Kernel* kernel, const BriefSet* set)
{
    return set->count == kernel->active_count &&
           memcmp(set->contexts, kernel->active, sizeof(uint32_t) * set->count) == 0;
}

static bool has_programs(const kaiModel* model)
{
    return model->islands_count == 1 && model->react.end - model->react.start <= BRIEF_WORDS &&
           slice_is_possible(model, model->islands[0].events);
}

static BriefSet* find(Kernel* kernel)
{
    Brief* brief = kernel->brief;
    BriefSet* set = NULL;
    for (uint32_t i = 0; i < brief->set_count && set == NULL; i++)
        if (is_present(kernel, brief->sets[i]))
            set = brief->sets[i];
    if (set == NULL && brief->set_count < BRIEF_SETS && has_programs(kernel->model) && (set = make_set(kernel)) != NULL)
        brief->sets[brief->set_count++] = set;
    if (set != NULL && ++set->met == SET_MET)
        make_programs(kernel, set);
    return set;
}

BriefSet* brief_find_set(Kernel* kernel)
{
    Brief* brief = kernel->brief;
    if (brief->set == NULL || !is_present(kernel, brief->set))
    {
        brief->set = find(kernel);
        brief->moved = true;
    }
    brief->stale = false;
    return brief->set != NULL && brief->set->react != NULL ? brief->set : NULL;
}

void brief_take_set(Kernel* kernel, BriefSet* set)
{
    kernel->active_count = set->count;
    for (uint32_t i = 0; i < set->count; i++)
        kernel->active[i] = set->contexts[i];
    kernel->active_guards.count = set->guard_count;
    for (uint32_t i = 0; i < set->guard_count; i++)
        kernel->active_guards.at[i] = set->contexts[set->count + i];
    kernel->scene.now = NULL;
    kernel->brief->moved |= kernel->brief->set != set;
    kernel->brief->set = set;
    kernel->brief->stale = false;
}

void brief_sets_free(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->brief->set_count; i++)
        free_set(kernel->brief->sets[i], kernel->options->allocator);
}
