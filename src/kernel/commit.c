// The commit after a reaction (rule R4): all at once, reading the values of the reaction. Transitions, assignments,
// events to come, memories. Nothing here depends on the order of the text except the priority of transitions.
#include "kernel/commit.h"
#include "kernel/bonds.h"

#include <math.h>
#include <string.h>

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// ---- staging
// ---------------------------------------------------------------------------------------------------------

kaiStatus commit_fail_twice(Kernel* kernel, const Staged* first, uint32_t place, uint32_t var)
{
    kaiPlace at = model_place(kernel->model, first->place);
    return kernel_fail(kernel, place, "let one reaction do it, or put both into a `choose`",
                       "%s is assigned twice at t = %.17g, here and at %s:%d:%d",
                       model_string(kernel->model, kernel->model->vars[var].name), kernel->now.t,
                       at.file != NULL ? at.file : "the model", at.line, at.column);
}

kaiStatus commit_fail_value(Kernel* kernel, const Act* act, bool absent)
{
    const kaiModel* model = kernel->model;
    const char* name = model_string(model, model->vars[act->var].name);
    if (absent)
        return kernel_fail(kernel, act->place, "use `default(…, …)`, or ask `present(…)` first",
                           "the value for %s is absent at t = %.17g", name, kernel->now.t);
    return kernel_fail(kernel, model->reg_places[act->value] != 0 ? model->reg_places[act->value] : act->place,
                       "check the operands there: 0/0, a root or logarithm of a negative number?",
                       "the value for %s is not a number at t = %.17g", name, kernel->now.t);
}

// `entry` of a mode is present at the next tag.
static kaiStatus stage_entered(Kernel* kernel, const ModeInfo* mode)
{
    if (mode->entry == NO_REG)
        return KAI_OK;
    kaiStatus status = commit_stage_value(kernel, mode->entry, 1, 0, 0, true);
    if (status == KAI_OK)
        kernel->staged[kernel->stamps[mode->entry] - 1].flag = mode->entry;
    return status;
}

// `resume`: the modes inside, as they were left, are entered too.
static kaiStatus stage_resumed(Kernel* kernel, const ModeInfo* mode)
{
    const kaiModel* model = kernel->model;
    kaiStatus status = stage_entered(kernel, mode);
    for (uint32_t i = 0; i < mode->machine_count && status == KAI_OK; i++)
    {
        const Machine* inner = &model->machines[model->mode_machines[mode->first_machine + i]];
        status = stage_resumed(kernel, &model->modes[inner->first_mode + (uint32_t)kernel->R[inner->reg]]);
    }
    return status;
}

// Start values of what a mode declares, and of the machines in it, whose initial modes are entered (rule M2).
static kaiStatus stage_entry(Kernel* kernel, uint32_t machine, uint32_t mode)
{
    const kaiModel* model = kernel->model;
    const ModeInfo* info = &model->modes[model->machines[machine].first_mode + mode];
    kaiStatus status = kernel_run(kernel, info->reset);
    if (status == KAI_OK)
        status = stage_entered(kernel, info);
    for (uint32_t i = 0; i < info->reset_count && status == KAI_OK; i++)
    {
        const Reset* reset = &model->resets[info->first_reset + i];
        if (kernel->stamps[reset->target] == 0)
            status = commit_stage_value(kernel, reset->target, kernel->R[reset->value], 0, 0, true);
    }
    for (uint32_t i = 0; i < info->machine_count && status == KAI_OK; i++)
    {
        uint32_t inner = model->mode_machines[info->first_machine + i];
        status = commit_stage_value(kernel, model->machines[inner].reg, model->machines[inner].initial, 0, 0, true);
        if (status == KAI_OK)
            status = stage_entry(kernel, inner, model->machines[inner].initial);
    }
    return status;
}

// ---- choosing
// --------------------------------------------------------------------------------------------------------

static uint64_t next_random(Kernel* kernel)
{
    uint64_t z = kernel->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double weight_of(const Kernel* kernel, const Reaction* r)
{
    double w = r->weight == NO_REG ? 1 : kernel->R[r->weight];
    return w > 0 ? w : 0;
}

int choice_policy_find(const char* name)
{
    static const char* const names[] = {[CHOICE_FIRST] = "first", [CHOICE_RANDOM] = "random", [CHOICE_ALL] = "all"};
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

// The next enabled alternative of a `choose` from reaction `from` on; reactions_count: none.
static uint32_t next_enabled(const Kernel* kernel, uint32_t choice, uint32_t from)
{
    const kaiModel* model = kernel->model;
    while (from < model->reactions_count &&
           (model->reactions[from].choice != choice || kernel->R[model->reactions[from].fire] == 0 ||
            !touch_reacts(kernel, from) || !kernel_ctx_active(kernel, model->reactions[from].ctx)))
        from++;
    return from;
}

// The rank of the alternative drawn. One without weight is never drawn; `enabled` if none has any.
static uint32_t draw_alternative(Kernel* kernel, uint32_t choice, uint32_t enabled)
{
    const kaiModel* model = kernel->model;
    double total = 0;
    for (uint32_t i = 0; (i = next_enabled(kernel, choice, i)) < model->reactions_count; i++)
        total += weight_of(kernel, &model->reactions[i]);
    double left = total * (double)(next_random(kernel) >> 11) * 0x1p-53;
    uint32_t rank = 0, drawn = enabled;
    for (uint32_t i = 0; (i = next_enabled(kernel, choice, i)) < model->reactions_count; i++, rank++)
    {
        double weight = weight_of(kernel, &model->reactions[i]);
        if (weight > 0)
            drawn = rank;  // if rounding leaves a rest, it belongs to the last
        if (left < weight)
            break;
        left -= weight;
    }
    return drawn;
}

// Only the alternative of this rank fires; the others wait. Its reaction, or reactions_count.
static uint32_t keep_alternative(Kernel* kernel, uint32_t choice, uint32_t rank)
{
    const kaiModel* model = kernel->model;
    uint32_t kept = model->reactions_count, k = 0;
    for (uint32_t i = 0; (i = next_enabled(kernel, choice, i)) < model->reactions_count; i++, k++)
        if (k == rank)
            kept = i;
        else
            kernel->R[model->reactions[i].fire] = 0;
    return kept;
}

// One enabled alternative of a `choose` stays (rule N1). *fresh: no other choice was made in this commit.
static kaiStatus choose_alternative(Kernel* kernel, uint32_t choice, bool* fresh)
{
    uint32_t enabled = 0, rank = 0;
    for (uint32_t i = 0; (i = next_enabled(kernel, choice, i)) < kernel->model->reactions_count; i++)
        enabled++;
    bool explored = kernel->policy == CHOICE_ALL && enabled > 1;
    if (kernel->policy == CHOICE_RANDOM && enabled > 0)
        rank = draw_alternative(kernel, choice, enabled);
    kaiStatus status = explored ? kernel->hooks->decide(kernel->owner, *fresh, enabled, &rank) : KAI_OK;
    if (status != KAI_OK)
        return status;
    uint32_t kept = keep_alternative(kernel, choice, rank);
    if (explored)
        kernel->hooks->decided(kernel->owner, kept);
    *fresh &= !explored;
    return KAI_OK;
}

static kaiStatus choose_alternatives(Kernel* kernel)
{
    bool fresh = true;
    kaiStatus status = KAI_OK;
    for (uint32_t k = 1; k <= kernel->model->choice_count && status == KAI_OK; k++)
        status = choose_alternative(kernel, k, &fresh);
    return status;
}

// ---- transitions
// -----------------------------------------------------------------------------------------------------

static const Transition* enabled_transition(const Kernel* kernel, const ModeInfo* mode)
{
    const kaiModel* model = kernel->model;
    for (int preempt = 1; preempt >= 0; preempt--)
        for (uint32_t i = 0; i < mode->transition_count; i++)
        {
            const Transition* t = &model->transitions[mode->first_transition + i];
            if (t->preempt == preempt && kernel->R[model->reactions[t->reaction].fire] != 0 &&
                touch_reacts(kernel, t->reaction))
                return t;
        }
    return NULL;
}

static bool leaves(const Kernel* kernel, uint32_t ctx, bool preempt)
{
    const kaiModel* model = kernel->model;
    for (; ctx != 0; ctx = model->contexts[ctx].parent)
    {
        const Machine* machine = &model->machines[model->contexts[ctx].machine];
        const Transition* t =
            enabled_transition(kernel, &model->modes[machine->first_mode + model->contexts[ctx].mode]);
        if (t != NULL && (t->preempt || !preempt))
            return true;
    }
    return false;
}

// A `preempt` transition is tested before its mode reacts (rule M1): what stands in the mode does not fire.
bool commit_is_preempted(const Kernel* kernel, uint32_t ctx)
{
    return leaves(kernel, ctx, true);
}

// A mode around is left at this tag: machines inside it move no more (rule M3).
static bool is_left(const Kernel* kernel, uint32_t ctx)
{
    return leaves(kernel, ctx, false);
}

static kaiStatus take_transition(Kernel* kernel, uint32_t index, const Transition* t, CommitResult* result)
{
    const kaiModel* model = kernel->model;
    const Machine* machine = &model->machines[index];
    const ModeInfo* to = &model->modes[machine->first_mode + t->to];
    kaiStatus status = t->resume ? stage_resumed(kernel, to) : stage_entry(kernel, index, t->to);
    if (status == KAI_OK)
        status = commit_stage_reaction(kernel, &model->reactions[t->reaction]);
    result->other = true;
    uint32_t from = kernel_mode(kernel, machine);
    if (from != t->to || !t->resume)
        kernel->leaving[kernel->leaving_count++] = model->modes[machine->first_mode + from].ctx;
    if (status == KAI_OK)
        status = commit_stage_value(kernel, machine->reg, t->to, 0, 0, false);
    return status;
}

kaiStatus commit_take_transitions(Kernel* kernel, CommitResult* result)
{
    const kaiModel* model = kernel->model;
    for (ActiveWalk w = {0}; active_machine(kernel, &w);)
    {
        uint32_t i = w.index;
        const Machine* machine = &model->machines[i];
        if (machine->junction || is_left(kernel, machine->ctx))
            continue;
        const ModeInfo* mode = &model->modes[machine->first_mode + kernel_mode(kernel, machine)];
        const Transition* t = enabled_transition(kernel, mode);
        kaiStatus status = t != NULL ? take_transition(kernel, i, t, result) : KAI_OK;
        if (status != KAI_OK)
            return status;
    }
    return KAI_OK;
}

static kaiStatus take_whens(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (ActiveWalk w = {0}; active_when(kernel, &w);)
        if (kernel->R[model->reactions[w.index].fire] != 0 &&
            !commit_is_preempted(kernel, model->reactions[w.index].ctx))
        {
            uint32_t i = w.index;
            kaiStatus status = commit_stage_reaction(kernel, &model->reactions[i]);
            if (status != KAI_OK)
                return status;
        }
    return KAI_OK;
}

// ---- applying
// --------------------------------------------------------------------------------------------------------

static void commit_memories(Kernel* kernel, CommitResult* result)
{
    const kaiModel* model = kernel->model;
    for (ActiveWalk w = {0}; active_memory(kernel, &w);)
    {
        const Memory* memory = &model->memories[w.index];
        double value = kernel->R[memory->src];
        result->other |= memory->pulse && value != 0;
        if (same_bits(value, kernel->R[memory->dst]))
            continue;
        kernel->R[memory->dst] = value;
        result->other |= memory->forces;
        kernel_disturb(kernel, memory->dst);
    }
}

// After all memories have been taken: what is left forgets, then the modes change.
void commit_change_modes(Kernel* kernel, CommitResult* result)
{
    for (uint32_t i = 0; i < kernel->leaving_count; i++)
        contexts_leave(kernel, kernel->leaving[i]);
    commit_apply_staged(kernel, result);
    if (kernel->leaving_count > 0 && kernel->model->fused)  // only walks over everything ask for the list
        contexts_refresh(kernel);
    if (kernel->leaving_count > 0)
        guard_enter(kernel);
}

// Also where an instant ended in a failure: with choice = all the run goes on from a snapshot before it.
void commit_forget(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->staged_count; i++)
        kernel->stamps[kernel->staged[i].target] = 0;
    kernel->staged_count = kernel->leaving_count = 0;
}

// A mode that is left forgets its guards, and so do machines inside it (contexts.c). Where it is entered again at once
// no register tells: it stands for a change.
static void touch_left(Kernel* kernel, uint32_t ctx)
{
    const kaiModel* model = kernel->model;
    const Context* c = &model->contexts[ctx];
    touch_register(kernel, model->machines[c->machine].reg);
    for (uint32_t i = 0; i < c->machines.count; i++)
    {
        const Machine* machine = &model->machines[model->ctx_machines[c->machines.first + i]];
        touch_left(kernel, model->modes[machine->first_mode + kernel_mode(kernel, machine)].ctx);
    }
}

// Whoever reads what this commit changes takes its left limit first; where everything is touched, it has it.
static kaiStatus touch_changes(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (ActiveWalk w = {0}; active_memory(kernel, &w);)
        if (!same_bits(kernel->R[model->memories[w.index].src], kernel->R[model->memories[w.index].dst]))
            touch_register(kernel, model->memories[w.index].dst);
    guard_touch(kernel);
    for (uint32_t i = 0; i < kernel->leaving_count; i++)
        touch_left(kernel, kernel->leaving[i]);
    for (uint32_t i = 0; i < kernel->staged_count; i++)
    {
        const Staged* s = &kernel->staged[i];
        if (s->flag != NO_REG)
            touch_register(kernel, s->flag);
        if (s->flag != NO_REG || kernel->R[s->target] != s->value)
            touch_register(kernel, s->target);
    }
    return touch_settle(kernel, false);
}

kaiStatus commit_stage(Kernel* kernel, CommitResult* result)
{
    kernel->reacted_count = 0;
    *result = (CommitResult){.state = kernel->reaction_moved};
    kernel->reaction_moved = false;
    kaiStatus status = kernel->model->choice_count > 0 ? choose_alternatives(kernel) : KAI_OK;
    if (status == KAI_OK)
        status = take_whens(kernel);
    bool moves = kernel->model->machines_count > 0 && (kernel->bonds == NULL || !kernel->bonds->alone);
    if (status == KAI_OK && moves)
        status = commit_take_transitions(kernel, result);
    if (status != KAI_OK)
        commit_forget(kernel);
    return status;
}

kaiStatus commit_apply(Kernel* kernel, CommitResult* result)
{
    const kaiModel* model = kernel->model;
    if (kernel->staged_count + kernel->reacted_count > 0 || model->now_states_count > 0)
        kernel->hooks->fires(kernel->owner, SIGN_REACTIONS, 0, 0);
    kaiStatus status = model->fused ? KAI_OK : touch_changes(kernel);
    if (status == KAI_OK)
    {
        if (model->memories_count > 0)
            commit_memories(kernel, result);
        commit_clear_events(kernel, result);
        guard_commit(kernel, result);
        if (model->delays_count > 0)
            status = delay_send(kernel, result);
        commit_change_modes(kernel, result);
    }
    commit_forget(kernel);
    return status;
}
