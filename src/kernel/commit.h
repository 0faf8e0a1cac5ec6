// What commit.c, plain.c and ordinary.c share: staging an assignment, applying what was staged.
#ifndef KAIROS_KERNEL_COMMIT_H
#define KAIROS_KERNEL_COMMIT_H

#include "kernel/kernel.h"

#include <math.h>

kaiStatus commit_fail_twice(Kernel* kernel, const Staged* first, uint32_t place, uint32_t var);
kaiStatus commit_fail_value(Kernel* kernel, const Act* act, bool absent);
bool commit_is_preempted(const Kernel* kernel, uint32_t ctx);
kaiStatus commit_take_transitions(Kernel* kernel, CommitResult* result);
void commit_change_modes(Kernel* kernel, CommitResult* result);

static inline kaiStatus commit_stage_value(Kernel* kernel, uint32_t target, double value, uint32_t place, uint32_t var,
                                           bool reset)
{
    uint32_t* stamp = &kernel->stamps[target];
    if (*stamp != 0 && !kernel->staged[*stamp - 1].reset)
        return commit_fail_twice(kernel, &kernel->staged[*stamp - 1], place, var);
    if (*stamp == 0)
        *stamp = ++kernel->staged_count;
    kernel->staged[*stamp - 1] =
        (Staged){.target = target, .flag = NO_REG, .value = value, .place = place, .reset = reset};
    return KAI_OK;
}

static inline kaiStatus commit_stage_act(Kernel* kernel, const Act* act)
{
    if (act->kind == ACT_HALT)
    {
        kernel->halted = true;
        kernel->halt_text = act->text;
        return KAI_OK;
    }
    bool absent = act->present != NO_REG && kernel->R[act->present] == 0;
    double value = kernel->R[act->value];
    if (absent || isnan(value))
        return commit_fail_value(kernel, act, absent);
    kaiStatus status = commit_stage_value(kernel, act->target, value, act->place, act->var, false);
    if (status == KAI_OK && act->kind == ACT_EMIT)
        kernel->staged[kernel->stamps[act->target] - 1].flag = act->flag;
    return status;
}

static inline kaiStatus commit_stage_reaction(Kernel* kernel, const Reaction* reaction)
{
    kernel->reacted[kernel->reacted_count++] = (uint32_t)(reaction - kernel->model->reactions);
    kaiStatus status = kernel_run(kernel, reaction->code);
    for (uint32_t i = 0; i < reaction->act_count && status == KAI_OK; i++)
        status = commit_stage_act(kernel, &kernel->model->acts[reaction->first_act + i]);
    return status;
}

static inline void commit_clear_events(Kernel* kernel, CommitResult* result)
{
    if (kernel->raised_count > 0)
        result->other |= kernel->model->instant_signals;
    for (uint32_t i = 0; i < kernel->raised_count; i++)
        kernel->R[kernel->raised[i]] = 0;
    kernel->raised_count = 0;
}

static inline bool commit_is_state(const kaiModel* model, uint32_t reg)
{
    return reg >= model->reg_first[REG_STATE] && reg < model->reg_first[REG_STATE] + model->state_count;
}

// guard.c: a relation that left its level in this instant was on it to the last bit. What moves it may leave it there,
// on another branch (max(x, 0) > 0 where x jumps below 0): it is not what it left as, and is read anew.
void guard_reread(Kernel* kernel, uint32_t target);

static inline void commit_apply_staged(Kernel* kernel, CommitResult* result)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < kernel->staged_count; i++)
    {
        const Staged* s = &kernel->staged[i];
        if (s->flag != NO_REG)
        {
            kernel_raise(kernel, s->flag);
            result->other = true;  // an event comes, whatever it carries
        }
        else if (kernel->R[s->target] != s->value)
        {
            result->state |= commit_is_state(model, s->target);
            result->other |= !commit_is_state(model, s->target);
            kernel_disturb(kernel, s->target);
            if (kernel->fired_count > 0)
                guard_reread(kernel, s->target);
        }
        if (s->flag != s->target)
            kernel->R[s->target] = s->value;
    }
}

// Tags go on: after a change of states p is the next one, after others m. Listeners hear of the one that is over.
static inline kaiStatus commit_next_tag(Kernel* kernel, const CommitResult* result)
{
    kaiTag at = kernel->now;
    kernel->now.m = result->state ? 0 : kernel->now.m + 1;
    kernel->now.p += result->state ? 1 : 0;
    kaiStatus status = kernel->hooks->round(kernel->owner, at, result->state);
    return status == KAI_OK ? kernel_check_limits(kernel) : status;
}

#endif
