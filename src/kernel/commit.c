// The commit after a reaction (rule R4): all at once, reading the values of the reaction. Transitions, assignments,
// events to come, memories. Nothing here depends on the order of the text except the priority of transitions.
#include "kernel/sim.h"

#include <math.h>
#include <string.h>

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// ---- staging
// ---------------------------------------------------------------------------------------------------------

static kaiStatus fail_twice(kaiSim* sim, const Staged* first, uint32_t place, uint32_t var)
{
    kaiPlace at = model_place(sim->model, first->place);
    return sim_fail(sim, place, "let one reaction do it, or put both into a `choose`",
                    "%s is assigned twice at t = %.17g, here and at %s:%d:%d",
                    model_string(sim->model, sim->model->vars[var].name), sim->now.t,
                    at.file != NULL ? at.file : "the model", at.line, at.column);
}

static kaiStatus stage(kaiSim* sim, uint32_t target, double value, uint32_t place, uint32_t var, bool reset)
{
    uint32_t* stamp = &sim->stamps[target];
    if (*stamp != 0 && !sim->staged[*stamp - 1].reset)
        return fail_twice(sim, &sim->staged[*stamp - 1], place, var);
    if (*stamp == 0)
        *stamp = ++sim->staged_count;
    sim->staged[*stamp - 1] =
        (Staged){.target = target, .flag = NO_REG, .value = value, .place = place, .reset = reset};
    return KAI_OK;
}

static kaiStatus stage_act(kaiSim* sim, const Act* act)
{
    const kaiModel* model = sim->model;
    if (act->kind == ACT_HALT)
    {
        sim->halted = true;
        sim->halt_text = act->text;
        return KAI_OK;
    }
    const char* name = model_string(model, model->vars[act->var].name);
    if (act->present != NO_REG && sim->R[act->present] == 0)
        return sim_fail(sim, act->place, "use `default(…, …)`, or ask `present(…)` first",
                        "the value for %s is absent at t = %.17g", name, sim->now.t);
    double value = sim->R[act->value];
    if (isnan(value))
        return sim_fail(sim, model->reg_places[act->value] != 0 ? model->reg_places[act->value] : act->place,
                        "check the operands there: 0/0, a root or logarithm of a negative number?",
                        "the value for %s is not a number at t = %.17g", name, sim->now.t);
    kaiStatus status = stage(sim, act->target, value, act->place, act->var, false);
    if (status == KAI_OK && act->kind == ACT_EMIT)
        sim->staged[sim->stamps[act->target] - 1].flag = act->flag;
    return status;
}

static kaiStatus stage_reaction(kaiSim* sim, const Reaction* reaction)
{
    sim->reacted[sim->reacted_count++] = (uint32_t)(reaction - sim->model->reactions);
    kaiStatus status = sim_run_code(sim, reaction->code);
    for (uint32_t i = 0; i < reaction->act_count && status == KAI_OK; i++)
        status = stage_act(sim, &sim->model->acts[reaction->first_act + i]);
    return status;
}

// Start values of what a mode declares, and of the machines in it.
static kaiStatus stage_entry(kaiSim* sim, uint32_t machine, uint32_t mode)
{
    const kaiModel* model = sim->model;
    const ModeInfo* info = &model->modes[model->machines[machine].first_mode + mode];
    kaiStatus status = sim_run_code(sim, info->reset);
    for (uint32_t i = 0; i < info->reset_count && status == KAI_OK; i++)
    {
        const Reset* reset = &model->resets[info->first_reset + i];
        if (sim->stamps[reset->target] == 0)
            status = stage(sim, reset->target, sim->R[reset->value], 0, 0, true);
    }
    for (uint32_t i = 0; i < info->machine_count && status == KAI_OK; i++)
    {
        uint32_t inner = model->mode_machines[info->first_machine + i];
        status = stage(sim, model->machines[inner].reg, model->machines[inner].initial, 0, 0, true);
        if (status == KAI_OK)
            status = stage_entry(sim, inner, model->machines[inner].initial);
    }
    return status;
}

// ---- choosing
// --------------------------------------------------------------------------------------------------------

static uint64_t next_random(kaiSim* sim)
{
    uint64_t z = sim->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double weight_of(const kaiSim* sim, const Reaction* r)
{
    double w = r->weight == NO_REG ? 1 : sim->R[r->weight];
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
static uint32_t next_enabled(const kaiSim* sim, uint32_t choice, uint32_t from)
{
    const kaiModel* model = sim->model;
    while (from < model->reactions_count &&
           (model->reactions[from].choice != choice || sim->R[model->reactions[from].fire] == 0 ||
            !touch_reacts(sim, from) || !sim_ctx_active(sim, model->reactions[from].ctx)))
        from++;
    return from;
}

// The rank of the alternative drawn. One without weight is never drawn; `enabled` if none has any.
static uint32_t draw_alternative(kaiSim* sim, uint32_t choice, uint32_t enabled)
{
    const kaiModel* model = sim->model;
    double total = 0;
    for (uint32_t i = 0; (i = next_enabled(sim, choice, i)) < model->reactions_count; i++)
        total += weight_of(sim, &model->reactions[i]);
    double left = total * (double)(next_random(sim) >> 11) * 0x1p-53;
    uint32_t rank = 0, drawn = enabled;
    for (uint32_t i = 0; (i = next_enabled(sim, choice, i)) < model->reactions_count; i++, rank++)
    {
        double weight = weight_of(sim, &model->reactions[i]);
        if (weight > 0)
            drawn = rank;  // if rounding leaves a rest, it belongs to the last
        if (left < weight)
            break;
        left -= weight;
    }
    return drawn;
}

// Only the alternative of this rank fires; the others wait. Its reaction, or reactions_count.
static uint32_t keep_alternative(kaiSim* sim, uint32_t choice, uint32_t rank)
{
    const kaiModel* model = sim->model;
    uint32_t kept = model->reactions_count, k = 0;
    for (uint32_t i = 0; (i = next_enabled(sim, choice, i)) < model->reactions_count; i++, k++)
        if (k == rank)
            kept = i;
        else
            sim->R[model->reactions[i].fire] = 0;
    return kept;
}

// One enabled alternative of a `choose` stays (rule N1). `fresh`: no other choice was made in this commit.
static kaiStatus choose_alternative(kaiSim* sim, uint32_t choice, bool fresh)
{
    uint32_t enabled = 0, rank = 0;
    for (uint32_t i = 0; (i = next_enabled(sim, choice, i)) < sim->model->reactions_count; i++)
        enabled++;
    bool explored = sim->policy == CHOICE_ALL && enabled > 1;
    if (sim->policy == CHOICE_RANDOM && enabled > 0)
        rank = draw_alternative(sim, choice, enabled);
    kaiStatus status = explored ? explore_decide(sim, fresh, enabled, &rank) : KAI_OK;
    if (status != KAI_OK)
        return status;
    uint32_t kept = keep_alternative(sim, choice, rank);
    if (explored)
        sim->decisions[sim->decision_count - 1].reaction = kept;
    return KAI_OK;
}

static kaiStatus choose_alternatives(kaiSim* sim)
{
    uint32_t before = sim->decision_count;
    kaiStatus status = KAI_OK;
    for (uint32_t k = 1; k <= sim->model->choice_count && status == KAI_OK; k++)
        status = choose_alternative(sim, k, sim->decision_count == before);
    return status;
}

// ---- transitions
// -----------------------------------------------------------------------------------------------------

static const Transition* enabled_transition(const kaiSim* sim, const ModeInfo* mode)
{
    const kaiModel* model = sim->model;
    for (int preempt = 1; preempt >= 0; preempt--)
        for (uint32_t i = 0; i < mode->transition_count; i++)
        {
            const Transition* t = &model->transitions[mode->first_transition + i];
            if (t->preempt == preempt && sim->R[model->reactions[t->reaction].fire] != 0 &&
                touch_reacts(sim, t->reaction))
                return t;
        }
    return NULL;
}

// A `preempt` transition is tested before its mode reacts (rule M1): what stands in the mode does not fire.
static bool is_preempted(const kaiSim* sim, uint32_t ctx)
{
    const kaiModel* model = sim->model;
    for (; ctx != 0; ctx = model->contexts[ctx].parent)
    {
        const Machine* machine = &model->machines[model->contexts[ctx].machine];
        const Transition* t = enabled_transition(sim, &model->modes[machine->first_mode + model->contexts[ctx].mode]);
        if (t != NULL && t->preempt)
            return true;
    }
    return false;
}

// `entry` is present at the next tag.
static kaiStatus stage_entered(kaiSim* sim, uint32_t entry)
{
    kaiStatus status = stage(sim, entry, 1, 0, 0, false);
    if (status == KAI_OK)
        sim->staged[sim->stamps[entry] - 1].flag = entry;
    return status;
}

static kaiStatus take_transition(kaiSim* sim, uint32_t index, const Transition* t, CommitResult* result)
{
    const kaiModel* model = sim->model;
    const Machine* machine = &model->machines[index];
    kaiStatus status = t->resume ? KAI_OK : stage_entry(sim, index, t->to);
    if (status == KAI_OK)
        status = stage_reaction(sim, &model->reactions[t->reaction]);
    result->other = true;
    uint32_t entry = model->modes[machine->first_mode + t->to].entry;
    if (status == KAI_OK && entry != NO_REG)
        status = stage_entered(sim, entry);
    uint32_t from = (uint32_t)sim->R[machine->reg];
    if (from != t->to)
        sim->leaving[sim->leaving_count++] = model->modes[machine->first_mode + from].ctx;
    if (status == KAI_OK)
        status = stage(sim, machine->reg, t->to, 0, 0, false);
    return status;
}

static kaiStatus take_transitions(kaiSim* sim, CommitResult* result)
{
    const kaiModel* model = sim->model;
    for (ActiveWalk w = {0}; active_machine(sim, &w);)
    {
        uint32_t i = w.index;
        const Machine* machine = &model->machines[i];
        if (machine->junction || is_preempted(sim, machine->ctx))
            continue;
        const ModeInfo* mode = &model->modes[machine->first_mode + (uint32_t)sim->R[machine->reg]];
        const Transition* t = enabled_transition(sim, mode);
        kaiStatus status = t != NULL ? take_transition(sim, i, t, result) : KAI_OK;
        if (status != KAI_OK)
            return status;
    }
    return KAI_OK;
}

static kaiStatus take_whens(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (ActiveWalk w = {0}; active_when(sim, &w);)
        if (sim->R[model->reactions[w.index].fire] != 0 && !is_preempted(sim, model->reactions[w.index].ctx))
        {
            uint32_t i = w.index;
            kaiStatus status = stage_reaction(sim, &model->reactions[i]);
            if (status != KAI_OK)
                return status;
        }
    return KAI_OK;
}

// ---- applying
// --------------------------------------------------------------------------------------------------------

static void commit_memories(kaiSim* sim, CommitResult* result)
{
    const kaiModel* model = sim->model;
    for (ActiveWalk w = {0}; active_memory(sim, &w);)
    {
        const Memory* memory = &model->memories[w.index];
        double value = sim->R[memory->src];
        result->other |= memory->pulse && value != 0;
        if (same_bits(value, sim->R[memory->dst]))
            continue;
        sim->R[memory->dst] = value;
        result->other |= memory->forces;
        islands_disturb(sim, memory->dst);
    }
}

static void clear_events(kaiSim* sim, CommitResult* result)
{
    if (sim->raised_count > 0)
        result->other |= sim->model->instant_signals;
    for (uint32_t i = 0; i < sim->raised_count; i++)
        sim->R[sim->raised[i]] = 0;
    sim->raised_count = 0;
}

static bool is_state(const kaiModel* model, uint32_t reg)
{
    return reg >= model->reg_first[REG_STATE] && reg < model->reg_first[REG_STATE] + model->state_count;
}

static void apply_staged(kaiSim* sim, CommitResult* result)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < sim->staged_count; i++)
    {
        const Staged* s = &sim->staged[i];
        if (s->flag != NO_REG)
        {
            sim_raise(sim, s->flag);
            result->other = true;  // an event comes, whatever it carries
        }
        else if (sim->R[s->target] != s->value)
        {
            result->state |= is_state(model, s->target);
            result->other |= !is_state(model, s->target);
            islands_disturb(sim, s->target);
        }
        if (s->flag != s->target)
            sim->R[s->target] = s->value;
    }
}

// After all memories have been taken: what is left forgets, then the modes change.
static void change_modes(kaiSim* sim, CommitResult* result)
{
    for (uint32_t i = 0; i < sim->leaving_count; i++)
        contexts_leave(sim, sim->leaving[i]);
    apply_staged(sim, result);
    if (result->other && sim->model->fused)  // only walks over everything ask for the list
        contexts_refresh(sim);
    sim->leaving_count = 0;
}

static void forget_staged(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->staged_count; i++)
        sim->stamps[sim->staged[i].target] = 0;
    sim->staged_count = 0;
}

// Whoever reads what this commit changes takes its left limit first; where everything is touched, it has it.
static kaiStatus touch_changes(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    if (model->fused)
        return KAI_OK;
    for (ActiveWalk w = {0}; active_memory(sim, &w);)
        if (!same_bits(sim->R[model->memories[w.index].src], sim->R[model->memories[w.index].dst]))
            touch_register(sim, model->memories[w.index].dst);
    guard_touch(sim);
    for (uint32_t i = 0; i < sim->staged_count; i++)
    {
        const Staged* s = &sim->staged[i];
        if (s->flag != NO_REG)
            touch_register(sim, s->flag);
        if (s->flag != NO_REG || sim->R[s->target] != s->value)
            touch_register(sim, s->target);
    }
    return touch_settle(sim, false);
}

kaiStatus commit_stage(kaiSim* sim, CommitResult* result)
{
    sim->reacted_count = 0;
    *result = (CommitResult){.state = sim->reaction_moved};
    sim->reaction_moved = false;
    kaiStatus status = choose_alternatives(sim);
    if (status == KAI_OK)
        status = take_whens(sim);
    if (status == KAI_OK)
        status = take_transitions(sim, result);
    if (status != KAI_OK)
        forget_staged(sim);
    return status;
}

kaiStatus commit_apply(kaiSim* sim, CommitResult* result)
{
    fired_reactions(sim);
    kaiStatus status = touch_changes(sim);
    if (status == KAI_OK)
    {
        commit_memories(sim, result);
        clear_events(sim, result);
        guard_commit(sim, result);
        status = delay_send(sim, result);
        change_modes(sim, result);
    }
    forget_staged(sim);
    return status;
}
