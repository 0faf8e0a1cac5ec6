// Courses: whole instants of a circuit, kept to be gone again. An instant that begins in the same set of modes, with
// the same reactions and transitions enabled, mostly has the same tags: the same reactions fire, and the same ways from
// set to set (passage.h) are taken. Such an instant is a list of stops. At each stop the reaction of its set runs, what
// fires is compared, the sums that decide its way are, and what fires assigns; that is all. Listeners, lists and
// counters are told once, at the end. Where anything turns out otherwise, what the stops have changed is put back, and
// circuit.c runs the instant from its first tag: by the same programs, sums and assignments, in the same order, so that
// nobody can tell which of the two it was. What is kept follows from the model; no snapshot holds it.
//
// Kept are instants that move no states: no reaction assigns one, and no way ends in a set whose storages depend on
// each other. All their guards are relations that keep their latches (BriefSet.sums).
#include "kernel/course.h"

#include "kernel/bonds.h"
#include "kernel/commit.h"

#include <math.h>
#include <string.h>

enum
{
    COURSE_VAIN = 8,   // times in a row that one is begun in vain, before it is left alone
    COURSE_ACTS = 32,  // assignments at one tag
    COURSE_JUNCTIONS = 64
};

// ---- making

static bool is_kept(const kaiModel* model, uint32_t reg)
{
    return reg >= model->reg_first[REG_STATE] && reg < model->reg_first[REG_VALUE];
}

static bool keeps_modes(const kaiModel* model)
{
    bool kept = true;
    for (uint32_t i = 0; i < model->machines_count; i++)
        kept &= is_kept(model, model->machines[i].reg);
    for (uint32_t i = 0; i < model->guards_count; i++)
        kept &= is_kept(model, model->guards[i].latch) && is_kept(model, model->guards[i].last_g);
    return kept;
}

// Registers that an instant can write, but for those of programs.
static size_t most_writes(const kaiModel* model)
{
    size_t guards = model->guards_count, other = raised_size(model) + model->machines_count + model->committed_count;
    return COURSE_STOPS * (4 * guards + other + 2 * COURSE_ACTS);  // one guard has fired at most (plain_serves)
}

// Of events that are counted each has to be seen at its tag.
bool course_make(Kernel* kernel, bool counts, const uint32_t* columns, uint32_t count)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    Courses* c = &kernel->brief->courses;
    size_t writes = most_writes(model), left = COURSE_STOPS * (size_t)model->guards_count;
    if (counts || kernel->brief->when_count > 64 || kernel->bonds->junction_count > COURSE_JUNCTIONS ||
        !keeps_modes(model))
        return true;
    c->size = sizeof(CourseWrite) * writes + sizeof(uint32_t) * (left + count);
    c->log = a.alloc(a.user, NULL, 0, c->size);
    if (c->log == NULL)
        return false;
    c->left = (uint32_t*)(void*)(c->log + writes);
    c->columns = c->left + left;
    c->column_count = count;
    for (uint32_t i = 0; i < count; i++)
        c->columns[i] = columns[i];
    return true;
}

void course_free(Kernel* kernel)
{
    kaiAllocator a = kernel->options->allocator;
    Courses* c = &kernel->brief->courses;
    if (c->log != NULL)
        a.alloc(a.user, c->log, c->size, 0);
    c->log = NULL;
}

void course_forget_set(BriefSet* set, kaiAllocator a)
{
    if (set->courses != NULL)
        a.alloc(a.user, set->courses, sizeof(Course) * COURSE_KEPT, 0);
    set->courses = NULL;
    set->course_count = 0;
}

// ---- recording

static Course* find(const BriefSet* set, uint64_t fires, uint64_t cause)
{
    Course* at = set->courses;
    for (Course* end = at + set->course_count; at < end; at++)
        if (at->stops[0].fires == fires && at->stops[0].cause == cause)
            return at;
    return NULL;
}

void course_begin(Kernel* kernel)
{
    Courses* c = &kernel->brief->courses;
    c->open = c->log != NULL && kernel->unseen.tags > 0 && !kernel->bonds->struck;
    c->draft.count = 0;
}

static uint64_t mask_of(const Kernel* kernel)
{
    const Brief* brief = kernel->brief;
    uint64_t fires = 0;
    for (uint32_t i = 0; i < kernel->reacted_count; i++)
        for (uint32_t k = 0; k < brief->when_count; k++)
            if (brief->whens[k].reaction == &kernel->model->reactions[kernel->reacted[i]])
                fires |= (uint64_t)1 << k;
    return fires;
}

static bool is_plain(const Kernel* kernel, const Reaction* reaction)
{
    const kaiModel* model = kernel->model;
    bool plain = true;
    for (uint32_t i = 0; i < reaction->act_count && plain; i++)
    {
        const Act* act = &model->acts[reaction->first_act + i];
        plain = act->kind == ACT_ASSIGN && act->present == NO_REG && !commit_is_state(model, act->target) &&
                is_kept(model, act->target);
    }
    return plain;
}

static bool assigns_plainly(const Kernel* kernel)
{
    uint32_t acts = 0;
    bool plain = true;
    for (uint32_t i = 0; i < kernel->reacted_count && plain; i++)
    {
        const Reaction* reaction = &kernel->model->reactions[kernel->reacted[i]];
        acts += reaction->act_count;
        plain = is_plain(kernel, reaction);
    }
    return plain && acts <= COURSE_ACTS;
}

static bool is_timed(const Kernel* kernel)
{
    bool timed = false;
    for (uint32_t i = 0; i < kernel->fired_count; i++)
        timed |= kernel->model->guards[kernel->fired[i]].time_only;
    return timed;
}

// Modes that are left have guards and nothing else that forgets.
static bool leaves_plainly(const Kernel* kernel)
{
    bool plain = true;
    for (uint32_t i = 0; i < kernel->leaving_count; i++)
    {
        const Context* ctx = &kernel->model->contexts[kernel->leaving[i]];
        plain &= ctx->memories.count + ctx->machines.count == 0;
    }
    return plain;
}

void course_note(Kernel* kernel, BriefSet* set, const CommitResult* result)
{
    Courses* c = &kernel->brief->courses;
    const Passages* p = &kernel->bonds->passages;
    Course* draft = &c->draft;
    Passage* way = p->taken;
    bool led = way != NULL && way->modes != NULL;
    c->open &= set != NULL && set->sums != NULL && draft->count < COURSE_STOPS && (way != NULL || p->rests) &&
               !(led && (way->depends || is_timed(kernel))) && !result->state && assigns_plainly(kernel) &&
               leaves_plainly(kernel);
    if (!c->open)
        return;
    uint64_t cause = way != NULL ? way->cause : 0;
    draft->stops[draft->count++] = (CourseStop){
        .set = set, .way = way, .met = way != NULL ? way->met : 0, .cause = cause, .fires = mask_of(kernel)};
}

void course_end(Kernel* kernel, bool leaving)
{
    Courses* c = &kernel->brief->courses;
    kaiAllocator a = kernel->options->allocator;
    BriefSet* set = c->open && !leaving ? c->draft.stops[0].set : NULL;
    if (set == NULL || c->draft.stops[0].way == NULL)
        return;
    if (set->courses == NULL)
        set->courses = a.alloc(a.user, NULL, 0, sizeof(Course) * COURSE_KEPT);
    if (set->courses == NULL)
        return;
    Course* at = find(set, c->draft.stops[0].fires, c->draft.stops[0].cause);
    if (at == NULL && set->course_count == COURSE_KEPT)
        return;
    uint32_t vain = at != NULL ? at->vain : 0;
    if (at == NULL)
        at = &set->courses[set->course_count++];
    *at = c->draft;
    at->vain = vain;
    at->tags = 0;
    for (uint32_t i = 0; i < at->count; i++)
        at->tags += at->stops[i].way != NULL ? at->stops[i].way->tags : 1;
}

// ---- going

// What is put back if the instant turns out to be another.
typedef struct Before
{
    BriefSet* set;
    bool led;
    uint32_t raised, disturbed, settled, left;
} Before;

static inline void put(Courses* c, double* at, double value)
{
    c->log[c->log_count++] = (CourseWrite){at, *at};
    *at = value;
}

static Before keep(Kernel* kernel)
{
    kernel->brief->courses.log_count = 0;
    return (Before){.set = kernel->brief->set,
                    .raised = kernel->raised_count,
                    .disturbed = kernel->disturbed.count,
                    .settled = kernel->bonds->settled_count};
}

static kaiStatus put_back(Kernel* kernel, const Before* before)
{
    Courses* c = &kernel->brief->courses;
    while (c->log_count > 0)
    {
        const CourseWrite* last = &c->log[--c->log_count];
        *last->at = last->before;
    }
    kernel->brief->moved = false;
    kernel->brief->set = before->set;
    kernel->raised_count = before->raised;
    while (kernel->disturbed.count > before->disturbed)
        kernel->island_disturbed[kernel->disturbed.at[--kernel->disturbed.count]] = false;
    kernel->bonds->settled_count = before->settled;
    kernel->bonds->is_quiet = false;
    return before->led ? bonds_enter(kernel) : KAI_OK;
}

static inline uint64_t fires_now(const Brief* brief)
{
    const CircuitWhen *when = brief->whens, *end = when + brief->when_count;
    uint64_t fires = 0;
    for (uint64_t bit = 1; when < end; when++, bit <<= 1)
        if (*when->fire != 0)
            fires |= bit;
    return fires;
}

static bool has_numbers(const Kernel* kernel)
{
    const Courses* c = &kernel->brief->courses;
    const uint32_t *at = c->columns, *end = at + c->column_count;
    while (at < end && !isnan(kernel->R[*at]))
        at++;
    return at == end;
}

// The values that are assigned; all are read before the first is written. False: one is no number.
static bool evaluate(Kernel* kernel, uint64_t fires, double* values)
{
    const Brief* brief = kernel->brief;
    bool numbers = true;
    for (const CircuitWhen* when = brief->whens; fires != 0 && numbers; fires >>= 1, when++)
    {
        if ((fires & 1) == 0)
            continue;
        const Act* act = &kernel->model->acts[when->reaction->first_act];
        numbers = when->reaction->code.start == when->reaction->code.end ||
                  kernel_run(kernel, when->reaction->code) == KAI_OK;
        for (const Act* end = act + when->reaction->act_count; act < end; act++, values++)
        {
            *values = kernel->R[act->value];
            numbers &= !isnan(*values);
        }
    }
    return numbers;
}

// As guard_reread: a relation that has left its level is read anew where what is assigned moves it.
static void reread(Kernel* kernel, uint32_t target)
{
    Courses* c = &kernel->brief->courses;
    for (uint32_t i = 0; i < kernel->fired_count; i++)
    {
        double* last = &kernel->R[kernel->model->guards[kernel->fired[i]].last_g];
        put(c, last, *last);
    }
    guard_reread(kernel, target);
}

// Whether it changes anything.
static bool assign(Kernel* kernel, uint64_t fires, const double* values)
{
    const Brief* brief = kernel->brief;
    bool changes = false;
    for (const CircuitWhen* when = brief->whens; fires != 0; fires >>= 1, when++)
    {
        const Act* act = &kernel->model->acts[when->reaction->first_act];
        const Act* end = (fires & 1) != 0 ? act + when->reaction->act_count : act;
        for (; act < end; act++, values++)
        {
            double* target = &kernel->R[act->target];
            if (*target == *values)
                continue;
            changes = true;
            kernel_disturb(kernel, act->target);
            if (kernel->fired_count > 0)
                reread(kernel, act->target);
            put(&kernel->brief->courses, target, *values);
        }
    }
    return changes;
}

// As contexts_leave, of what lies in registers.
static void leave(Kernel* kernel, uint32_t ctx, Before* before)
{
    const kaiModel* model = kernel->model;
    Courses* c = &kernel->brief->courses;
    IndexRange guards = model->contexts[ctx].guards;
    for (uint32_t i = 0; i < guards.count; i++)
    {
        uint32_t index = model->ctx_guards[guards.first + i];
        const Guard* guard = &model->guards[index];
        put(c, &kernel->R[guard->last_g], NAN);
        if (guard->side != NO_REG)
            put(c, &kernel->R[guard->side], 2);
        c->left[before->left++] = index;
    }
}

// The set at the end of a way: its modes, its equations, its values. *ctx: the modes that are left.
static bool lead(Kernel* kernel, const Passage* way, uint32_t* ctx, uint32_t* count)
{
    const Bonds* bonds = kernel->bonds;
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < bonds->junction_count; i++)
    {
        const Machine* machine = &model->machines[bonds->junctions[i]];
        double* mode = &kernel->R[machine->reg];
        if (*mode == way->modes[i])
            continue;
        ctx[(*count)++] = model->modes[machine->first_mode + (uint32_t)*mode].ctx;
        put(&kernel->brief->courses, mode, way->modes[i]);
    }
    passage_enter(kernel, way);
    passage_stay(kernel);
    return (way->before == way->count || passage_pass(kernel, way, way->before, way->count, false)) &&
           passage_load(kernel, way) && switching_note_settled(kernel) == KAI_OK;
}

static void clear_events(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->raised_count; i++)
        put(&kernel->brief->courses, &kernel->R[kernel->raised[i]], 0);
    kernel->raised_count = 0;
}

// As brief_commit_set.
static void commit_guards(Kernel* kernel, const BriefSet* set)
{
    Courses* c = &kernel->brief->courses;
    for (const BriefGuard *at = set->guards, *end = at + set->guard_count; at < end; at++)
    {
        if (*at->last_g != *at->react_g)
            put(c, at->last_g, *at->react_g);
        if (*at->latch == *at->truth)
            continue;
        put(c, at->latch, *at->truth);
        kernel_disturb(kernel, at->latch_reg);
    }
}

// What was found is committed. False: nothing follows, or it cannot be.
static bool commit(Kernel* kernel, const CourseStop* stop, const double* values, Before* before)
{
    bool led = stop->way != NULL && stop->way->modes != NULL;
    bool changes = led || (kernel->raised_count > 0 && kernel->model->instant_signals);
    uint32_t ctx[COURSE_JUNCTIONS], count = 0;
    before->led |= led;
    if (led && !lead(kernel, stop->way, ctx, &count))
        return false;
    if (stop->way != NULL && !led)
        passage_stay(kernel);
    clear_events(kernel);
    commit_guards(kernel, stop->set);
    for (uint32_t i = 0; i < count; i++)
        leave(kernel, ctx[i], before);
    return (stop->fires != 0 && assign(kernel, stop->fires, values)) || changes;
}

// One tag, but for what it leads to. `same`: so are the inputs of the graph. False: it is another.
static bool go_to(Kernel* kernel, const CourseStop* stop, bool same, double* values)
{
    const BondRun* run = &kernel->bonds->runs[0];
    const kaiModel* model = kernel->model;
    if (fires_now(kernel->brief) != stop->fires || passage_cause(stop->set->passages) != stop->cause ||
        !has_numbers(kernel) || (stop->fires != 0 && !evaluate(kernel, stop->fires, values)))
        return false;
    for (const Reset *c = model->committed, *end = c + model->committed_count; c < end; c++)
        put(&kernel->brief->courses, &kernel->R[c->target], kernel->R[c->value]);
    if (stop->way == NULL)
        return same;
    return stop->way->met == stop->met && passage_is_open(run, stop->way) && (same || passage_take_inputs(kernel)) &&
           passage_pass(kernel, stop->way, 0, stop->way->before, false);
}

// All stops. The reaction of the first has run.
static bool go(Kernel* kernel, const Course* course, Before* before)
{
    Brief* brief = kernel->brief;
    const BondRun* run = &kernel->bonds->runs[0];
    const CourseStop *stop = course->stops, *last = stop + course->count - 1;
    double values[COURSE_ACTS];
    for (bool same = false;; stop++)
    {
        if (!go_to(kernel, stop, same, values) || commit(kernel, stop, values, before) != (stop < last))
            return false;
        if (stop == last)
            return true;
        brief->moved |= brief->set != stop[1].set;
        brief->set = stop[1].set;
        brief_react_set(kernel, stop[1].set);
        same = passage_same_inputs(run);
    }
}

// What listeners and lists are told of the whole.
static kaiStatus arrive(Kernel* kernel, const Course* course, const Before* before)
{
    Bonds* bonds = kernel->bonds;
    Brief* brief = kernel->brief;
    for (const CourseStop *stop = course->stops, *end = stop + course->count; stop < end; stop++)
    {
        const Passage* way = stop->way;
        kernel->now.m += stop > course->stops;
        if (way == NULL)
            continue;
        bonds->stayed = way->modes == NULL;
        bonds->last_place = way->switches > 0 ? way->last_place : bonds->last_place;
        kernel->now.m += (int32_t)way->steps;
        kernel->counters.switches += way->switches;
    }
    kernel->counters.tags += course->count;
    kernel->reaction += course->count;
    kernel->reacted_count = 0;
    bonds->is_quiet = true;
    bonds->unshown = false;
    if (before->led)
    {
        kernel_disturb_all(kernel);
        brief_take_set(kernel, brief->set);
        for (uint32_t i = 0; i < before->left; i++)
            contexts_drop_guard(kernel, brief->courses.left[i]);
    }
    kernel->hooks->before_jump(kernel->owner);
    return kernel->hooks->tags(kernel->owner, course->tags);
}

static bool may_go(const Kernel* kernel, const Course* course)
{
    uint64_t most = kernel->options->limits.tags;
    return course != NULL && course->vain < COURSE_VAIN && course->tags <= kernel->unseen.tags &&
           (most == 0 || (uint64_t)kernel->counters.tags + course->count <= most);
}

const Course* course_run(Kernel* kernel, bool* reacted, kaiStatus* status)
{
    Brief* brief = kernel->brief;
    BriefSet* set = brief->stale ? NULL : brief->set;
    *reacted = set != NULL && set->course_count > 0 && set->passages != NULL && passage_serves(kernel) &&
               !kernel->bonds->struck && kernel->unseen.tags > 0 && !is_timed(kernel);
    if (!*reacted)
        return NULL;
    brief->used = true;
    brief_react_set(kernel, set);
    Course* course = find(set, fires_now(brief), passage_cause(set->passages));
    if (!may_go(kernel, course))
        return NULL;
    Before before = keep(kernel);
    kernel->bonds->given = kernel->bonds->reacted = kernel->bonds->later = true;
    bool gone = go(kernel, course, &before);
    kernel->bonds->later = false;
    if (gone)
    {
        course->vain = 0;
        brief->courses.gone++;
        *status = arrive(kernel, course, &before);
        return course;
    }
    course->vain++;
    *reacted = false;
    *status = put_back(kernel, &before);
    return NULL;
}

// Guards lead on where nothing was to follow: who is told of each tag hears of those that are over.
kaiStatus course_tell(Kernel* kernel, const Course* course)
{
    kaiTag at = {kernel->now.t, 0, 0};
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < course->count && status == KAI_OK; i++, at.m++)
    {
        const CourseStop* stop = &course->stops[i];
        kernel->reacted_count = 0;
        for (uint32_t k = 0; k < kernel->brief->when_count; k++)
            if ((stop->fires >> k & 1) != 0)
                kernel->reacted[kernel->reacted_count++] =
                    (uint32_t)(kernel->brief->whens[k].reaction - kernel->model->reactions);
        if (kernel->reacted_count > 0)
            kernel->hooks->fires(kernel->owner, SIGN_REACTIONS, 0, 0);
        at.m += stop->way != NULL ? (int32_t)stop->way->steps : 0;
        if (i + 1 < course->count)
            status = kernel->hooks->round(kernel->owner, at, false);
    }
    return status;
}
