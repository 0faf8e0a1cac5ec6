// Contact that holds (rule C5). Along the flow from the end of an instant a guard is c0 + c1 s + c2 s² + …; the first
// term that counts, of order k, says where it goes. A guard that passes its level has k = 1 and nobody minds what the
// reactions did. But where a reaction assigned a state that a lower derivative hangs on (the velocity of a body, with
// k = 2), it has put the guard at rest on its level, for the field to take it through all the same: the event is over,
// nothing would stop the motion any more, and that is not what the reaction was written for. What the reaction did not
// decide (a counter, a body that is slowed down and passes) is a crossing like any other.
#include "watch/contact.h"

#include "base/tolerance.h"
#include "kernel/guard.h"
#include "model/code.h"
#include "watch/cause.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- making
// ----------------------------------------------------------------------------------------------------------

#define X(...) +1
enum
{
    FIELD_COUNT = 0 CONTACT_ARRAYS(X)
};
#undef X

static void list_fields(Contact* contact, Field fields[FIELD_COUNT])
{
    const kaiModel* model = contact->model;
    const Flow* flow = contact->flow;
    Field* f = fields;
#define X(type, name, count, saved) *f++ = FIELD_ARRAY(contact, name, (count), (saved));
    CONTACT_ARRAYS(X)
#undef X
}

bool contact_make(Contact* contact, Flow* flow, Motion* motion, Surfaces* surfaces)
{
    Field fields[FIELD_COUNT];
    *contact = (Contact){.model = flow->model, .kernel = flow->kernel, .flow = flow};
    contact->motion = motion;
    contact->surfaces = surfaces;
    list_fields(contact, fields);
    return fields_make(fields, FIELD_COUNT, flow->kernel->options->allocator);
}

void contact_free(Contact* contact)
{
    Field fields[FIELD_COUNT];
    if (contact->kernel == NULL)
        return;
    list_fields(contact, fields);
    fields_free(fields, FIELD_COUNT, contact->kernel->options->allocator);
}

// ---- what reactions assign
// -------------------------------------------------------------------------------------------

static void begin(Contact* contact)
{
    if (contact->instant == contact->kernel->instant_runs)
        return;
    contact->instant = contact->kernel->instant_runs;
    contact->state_count = contact->reacted_count = 0;
    contact->moved_by_impulse = false;
}

static void note_state(Contact* contact, uint32_t state)
{
    if (contact->assigned[state] == contact->instant)
        return;
    contact->assigned[state] = contact->instant;
    contact->before[state] = kernel_states(contact->kernel)[state];
    contact->states[contact->state_count++] = state;
}

// A state that integrates an impulse has its jump already when the commit begins: its value at the left limit is kept.
void contact_before(Contact* contact)
{
    const kaiModel* model = contact->model;
    for (uint32_t i = 0; i < model->now_states_count; i++)
        contact->left[i] = contact->kernel->R[model->now_states[i].state];
}

static void note_impulses(Contact* contact)
{
    const kaiModel* model = contact->model;
    for (uint32_t i = 0; i < model->now_states_count; i++)
    {
        uint32_t reg = model->now_states[i].state, state = reg - model->reg_first[REG_STATE];
        if (contact->assigned[state] == contact->instant || contact->kernel->R[reg] == contact->left[i])
            continue;
        note_state(contact, state);
        contact->before[state] = contact->left[i];
        contact->moved_by_impulse = true;
    }
}

static void note_reactions(Contact* contact)
{
    const Kernel* kernel = contact->kernel;
    for (uint32_t i = 0; i < kernel->reacted_count; i++)
    {
        if (contact->reactions[kernel->reacted[i]] == contact->instant)
            continue;
        contact->reactions[kernel->reacted[i]] = contact->instant;
        contact->reacted[contact->reacted_count++] = kernel->reacted[i];
    }
}

void contact_commit(Contact* contact)
{
    const Kernel* kernel = contact->kernel;
    const kaiModel* model = contact->model;
    begin(contact);
    for (uint32_t i = 0; i < kernel->staged_count; i++)
    {
        uint32_t state = kernel->staged[i].target - model->reg_first[REG_STATE];
        if (kernel->staged[i].flag == NO_REG && state < model->state_count)
            note_state(contact, state);
    }
    note_reactions(contact);
}

void contact_late(Contact* contact)
{
    const Kernel* kernel = contact->kernel;
    begin(contact);
    for (uint32_t i = 0; i < kernel->jump_count; i++)
    {
        note_state(contact, kernel->jumps[i].state);
        contact->before[kernel->jumps[i].state] = kernel->jumps[i].before;
    }
    note_reactions(contact);
}

// ---- where a guard goes
// ----------------------------------------------------------------------------------------------

typedef struct Lead
{
    double c[MOTION_ORDERS + 1];
    int order;  // of the first term that is more than rounding; 0: none is
} Lead;

static bool find_lead(Contact* contact, uint32_t guard, Lead* lead)
{
    double noise[MOTION_ORDERS + 1];
    lead->order = 0;
    if (guard_is_held(contact->flow, guard) || !motion_expand(contact->motion, guard, MOTION_ORDERS, lead->c))
        return false;
    motion_noise(contact->motion, guard, MOTION_ORDERS, noise);
    for (int k = MOTION_ORDERS; k > 0; k--)
        if (fabs(lead->c[k]) > noise[k])
            lead->order = k;
    return lead->order > 0;
}

// How far the guard gets from its level before its second derivative brings it back is below the rounding of what it
// reads: it cannot leave, whatever its first derivative says. The last impacts of a ball end so.
static bool is_too_slow(const Contact* contact, uint32_t index, const Lead* lead)
{
    const Guard* guard = &contact->model->guards[index];
    double size = 0, speed = lead->c[1], bend = lead->c[2];
    for (uint32_t i = 0; i < guard->state_count; i++)
    {
        uint32_t state = (uint32_t)contact->model->guard_states[guard->first_state + i];
        size += fabs(kernel_states(contact->kernel)[state]) * motion_sensitivity(contact->motion, index, state);
    }
    return speed * bend < 0 && speed * speed <= 4 * fabs(bend) * CONTACT_LIFT * size;
}

static inline bool is_one_term(const Contact* contact, uint32_t index)
{
    return contact->flow->guard_affine[index] && contact->model->guards[index].state_count == 1;
}

// Of an armed guard the first derivative is known: mostly it decides, and nothing has to be expanded. *slow: it is so
// small a part of its terms that it may not take the guard off its level.
static bool has_speed(const Contact* contact, uint32_t index, bool* slow)
{
    const Guard* guard = &contact->model->guards[index];
    double noise = 0;
    *slow = false;
    if (is_one_term(contact, index))
        return contact->kernel->guards[index].slope != 0;
    for (uint32_t i = 0; i < guard->state_count; i++)
    {
        uint32_t state = (uint32_t)contact->model->guard_states[guard->first_state + i];
        double rate = kernel_slopes(contact->kernel)[state];
        if (rate != 0)
            noise += CONTACT_ROUNDING * fabs(rate) * motion_sensitivity(contact->motion, index, state);
    }
    *slow = fabs(contact->kernel->guards[index].slope) * CONTACT_ROUNDING < CONTACT_SLOW * noise;
    return fabs(contact->kernel->guards[index].slope) > noise;
}

static bool reads_time(const kaiModel* model, CodeRange range)
{
    CodeItem item;
    for (uint32_t at = range.start; at < range.end && code_item(model->code, at, range.end, &item); at += item.words)
    {
        if (item.op == VM_DELAYED || item.op == VM_CALL)
            return true;
        for (uint32_t i = 0; i < item.reg_count; i++)
            if (model->code[item.first_reg + i] == model->reg_time)
                return true;
    }
    return false;
}

// An equilibrium of what does not depend on time: a body in the mode in which it rests.
static bool is_still(const Contact* contact, uint32_t index)
{
    const kaiModel* model = contact->model;
    IndexRange islands = model->guards[index].islands;
    bool still = islands.count > 0;
    for (uint32_t i = 0; i < islands.count && still; i++)
    {
        IndexRange states = model->islands[model->guard_islands[islands.first + i]].states;
        for (uint32_t k = 0; k < states.count && still; k++)
            still = kernel_slopes(contact->kernel)[model->island_states[states.first + k]] == 0;
        still &= !reads_time(model, model->islands[model->guard_islands[islands.first + i]].deriv);
    }
    return still;
}

static bool find_armed_lead(Contact* contact, uint32_t index, Lead* lead)
{
    const GuardState* state = &contact->kernel->guards[index];
    if (!state->active || guard_is_held(contact->flow, index))
        return false;
    bool slow, moves = has_speed(contact, index, &slow);
    if (!moves)
        return !is_still(contact, index) && find_lead(contact, index, lead);
    if (slow && find_lead(contact, index, lead) && lead->order == 1 && is_too_slow(contact, index, lead))
        return lead->order = 2, true;
    *lead = (Lead){.c = {state->g, state->slope}, .order = 1};
    return true;
}

// A guard that was located here and whose states were not assigned since is on its level, whatever the rounding.
static bool is_on_level(const Contact* contact, uint32_t index, const Lead* lead)
{
    const Guard* guard = &contact->model->guards[index];
    bool moved = contact->kernel->guards[index].fired != contact->kernel->instant_runs;
    double size = 0;
    for (uint32_t i = 0; i < guard->state_count; i++)
    {
        uint32_t state = (uint32_t)contact->model->guard_states[guard->first_state + i];
        moved |= contact->assigned[state] == contact->instant;
        size = larger(size, fabs(kernel_states(contact->kernel)[state]));
    }
    return !moved || fabs(lead->c[0]) <= CONTACT_ROUNDING * size;
}

int contact_leads(Contact* contact, uint32_t guard)
{
    Lead lead;
    return !is_still(contact, guard) && find_lead(contact, guard, &lead) ? sign_of(lead.c[lead.order]) : 0;
}

static bool reads(const Contact* contact, uint32_t index, uint32_t state)
{
    const Guard* guard = &contact->model->guards[index];
    for (uint32_t i = 0; i < guard->state_count; i++)
        if (contact->model->guard_states[guard->first_state + i] == (int32_t)state)
            return true;
    return false;
}

// Whether a derivative below the one that leads hangs on the state.
static bool decides(Contact* contact, uint32_t guard, const Lead* lead, uint32_t state)
{
    double c[MOTION_ORDERS + 1], *x = &kernel_states(contact->kernel)[state], before = *x;
    bool moved = false;
    if (lead->order == 1)
        return reads(contact, guard, state);
    *x = before + 0.01 * larger(fabs(before), larger(fabs(contact->before[state]), DIFFERENCE_LEAST));
    bool known = motion_expand(contact->motion, guard, lead->order - 1, c);
    *x = before;
    for (int k = 0; known && k < lead->order; k++)
        moved |= fabs(c[k] - lead->c[k]) > CONTACT_ROUNDING * larger(fabs(c[k]), fabs(lead->c[k]));
    return moved;
}

// ---- guards
// ----------------------------------------------------------------------------------------------------------

// The direction that the reactions answered: where it crossed, or the side on which a relation holds. 0: none.
static int direction_of(const Contact* contact, uint32_t index)
{
    const Kernel* kernel = contact->kernel;
    const Guard* guard = &contact->model->guards[index];
    const GuardState* state = &kernel->guards[index];
    if (guard->one_way || (!is_crossing(guard) && !is_relation(guard)))
        return 0;
    if (state->fired == kernel->instant_runs)
        return state->crossed;
    return is_crossing(guard) ? 0 : kernel->R[guard->latch] != 0 ? -1 : 1;
}

static bool assigns_decisive(const Contact* contact, const Reaction* reaction)
{
    const kaiModel* model = contact->model;
    for (uint32_t i = 0; i < reaction->act_count; i++)
    {
        const Act* act = &model->acts[reaction->first_act + i];
        uint32_t state = act->target - model->reg_first[REG_STATE];
        if (act->kind == ACT_ASSIGN && state < model->state_count && contact->decisive[state] &&
            contact->assigned[state] == contact->instant)
            return true;
    }
    return false;
}

// Whether the reactions that put the guard to rest are its own. Start values of a mode and impulses have no reaction of
// their own: then all of this instant are asked.
static bool is_cause(Contact* contact, uint32_t index)
{
    const Guard* guard = &contact->model->guards[index];
    uint32_t count = 0;
    for (uint32_t i = 0; i < contact->reacted_count; i++)
        if (assigns_decisive(contact, &contact->model->reactions[contact->reacted[i]]))
            contact->makers[count++] = contact->reacted[i];
    if (contact->reacted_count == 0)
        return true;
    cause_mark(contact->model, count > 0 ? contact->makers : contact->reacted,
               count > 0 ? count : contact->reacted_count, contact->reacted, contact->reacted_count, contact->needed);
    return contact->needed[guard->latch] != 0 || (guard->truth != NO_REG && contact->needed[guard->truth] != 0);
}

// ---- the report
// ------------------------------------------------------------------------------------------------------

static const char* state_name(const Contact* contact, uint32_t state)
{
    return model_string(contact->model, contact->model->vars[contact->model->state_vars[state]].name);
}

static double factorial(int k)
{
    return k > 1 ? k * factorial(k - 1) : 1;
}

// Its first derivative with the assigned states as they were.
static bool rate_before(Contact* contact, uint32_t guard, double* rate)
{
    double c[2], *x = kernel_states(contact->kernel);
    for (uint32_t i = 0; i < contact->state_count; i++)
    {
        uint32_t s = contact->states[i];
        double now = x[s];
        x[s] = contact->before[s];
        contact->before[s] = now;
    }
    bool known = motion_expand(contact->motion, guard, 1, c);
    for (uint32_t i = 0; i < contact->state_count; i++)
    {
        uint32_t s = contact->states[i];
        double old = x[s];
        x[s] = contact->before[s];
        contact->before[s] = old;
    }
    *rate = c[1];
    return known;
}

static const char* order_name(int order)
{
    static const char* const names[] = {"value", "first", "second",  "third", "fourth",
                                        "fifth", "sixth", "seventh", "eighth"};
    return names[order];
}

static kaiStatus fail(Contact* contact, uint32_t index, const Lead* lead, const char* how)
{
    const Guard* guard = &contact->model->guards[index];
    Text states = {0}, left = {0};
    double rate = 0;
    for (uint32_t i = 0; i < contact->state_count; i++)
        if (contact->decisive[contact->states[i]] && states.length < 160)
            text_say(&states, "%s%s", states.length > 0 ? ", " : "", state_name(contact, contact->states[i]));
    bool known = rate_before(contact, index, &rate);
    if (lead->order == 1)
        text_say(&left, "leaves the guard on its level");
    else
        text_say(&left, "leaves the %s derivative of the guard's expression at %.6g", order_name(lead->order - 1),
                 lead->c[lead->order - 1] * factorial(lead->order - 1) + 0.);
    if (lead->order > 1 && known)
        text_say(&left, " (%s was %.6g)", lead->order == 2 ? "it" : "the first", rate);
    return kernel_fail(contact->kernel, guard->place,
                       "add a mode for the contact that lasts (a ball that rests, bodies that move together), entered "
                       "with this event and left when the force turns, or set zeno = continue; zeno = off does not ask",
                       "contact at t = %.15g: the solution rests on the level of %.120s and is pushed against it: the "
                       "reaction assigns %s and %s, the %s %sis %.9g, and that leads through again%s",
                       contact->kernel->now.t, model_string(contact->model, guard->text), states.at, left.at,
                       order_name(lead->order), lead->order == 1 ? "derivative " : "",
                       lead->c[lead->order] * factorial(lead->order), how);
}

// ---- going on
// ---------------------------------------------------------------------------------------------------------

// A jump of 0 has no direction (a block that lies on the floor from the start): what would the reaction do a little
// later, if nothing held the body?
static void try_reaction(Contact* contact, uint32_t index, double* jump)
{
    enum
    {
        PART = 1000
    };
    const kaiModel* model = contact->model;
    Kernel* kernel = contact->kernel;
    const Guard* guard = &model->guards[index];
    double *x = kernel_states(kernel),
           later = (smaller(kernel->options->stop, kernel->now.t + 1) - kernel->now.t) / PART;
    memcpy(contact->registers, kernel->R, sizeof(double) * model->reg_count);
    vm_run(model, kernel->R, model->deriv, &kernel->host);
    for (uint32_t i = 0; i < model->state_count; i++)
        x[i] += later * kernel_slopes(kernel)[i];
    if (is_crossing(guard))
        kernel->R[guard->latch] = 1;
    vm_run(model, kernel->R, model->react, &kernel->host);
    for (uint32_t i = 0; i < contact->reacted_count; i++)
    {
        const Reaction* reaction = &model->reactions[contact->reacted[i]];
        if (kernel->R[reaction->fire] == 0)
            continue;
        vm_run(model, kernel->R, reaction->code, &kernel->host);
        for (uint32_t k = 0; k < reaction->act_count; k++)
        {
            const Act* act = &model->acts[reaction->first_act + k];
            uint32_t state = act->target - model->reg_first[REG_STATE];
            if (act->kind == ACT_ASSIGN && state < model->state_count)
                jump[state] = kernel->R[act->value] - x[state];
        }
    }
    memcpy(kernel->R, contact->registers, sizeof(double) * model->reg_count);
}

// zeno = continue: along the surface, with a force in the direction of the jumps. False: there is none that would do.
static bool go_along(Contact* contact, uint32_t index)
{
    const kaiModel* model = contact->model;
    double* jump = contact->jump;
    bool moved = false;
    if (!surfaces_wanted(contact->kernel->options))
        return false;
    memset(jump, 0, sizeof(double) * model->state_count);
    for (uint32_t i = 0; i < contact->state_count; i++)
    {
        uint32_t s = contact->states[i];
        jump[s] = contact->decisive[s] ? kernel_states(contact->kernel)[s] - contact->before[s] : 0;
        moved |= jump[s] != 0;
    }
    if (!moved)
        try_reaction(contact, index, jump);
    if (!surfaces_enter_contact(contact->surfaces, index, jump))
        return false;
    if (!contact->told)
        kernel_warn(
            contact->kernel, model->guards[index].place,
            "contact at t = %.15g: the solution rests on the level of %s and is pushed against it; the run goes "
            "on along it",
            contact->kernel->now.t, model_string(model, model->guards[index].text));
    contact->told = true;
    return true;
}

static kaiStatus conclude(Contact* contact, uint32_t index, const Lead* lead, const char* how)
{
    if (how != NULL || !go_along(contact, index))
        return fail(contact, index, lead, how != NULL ? how : "");
    kernel_disturb_all(contact->kernel);
    return islands_restart(contact->flow);
}

// It moves away from its level, by its first derivative: nothing holds it there.
static inline bool moves_away(const Contact* contact, uint32_t index, int direction)
{
    const GuardState* state = &contact->kernel->guards[index];
    bool slow;
    return state->active && direction * state->slope < 0 &&
           (is_one_term(contact, index) || (has_speed(contact, index, &slow) && !slow));
}

static kaiStatus look(Contact* contact, uint32_t index, const char* how)
{
    Lead lead;
    int direction = direction_of(contact, index);
    if (direction == 0 || (how == NULL && moves_away(contact, index, direction)))
        return KAI_OK;
    if (!(how == NULL ? find_armed_lead(contact, index, &lead) : find_lead(contact, index, &lead)))
        return KAI_OK;
    bool one_side = !contact->moved_by_impulse && (contact->model->guards[index].kind == GUARD_UP ||
                                                   contact->model->guards[index].kind == GUARD_DOWN);
    if (lead.order < (one_side ? 1 : 2) || direction * lead.c[lead.order] < 0 || !is_on_level(contact, index, &lead))
        return KAI_OK;
    bool decided = false;
    for (uint32_t i = 0; i < contact->state_count; i++)
        decided |= contact->decisive[contact->states[i]] = decides(contact, index, &lead, contact->states[i]);
    return decided && is_cause(contact, index) ? conclude(contact, index, &lead, how) : KAI_OK;
}

// In a model with an order of units only guards that the instant touched can have been put on their levels.
kaiStatus contact_watch(Contact* contact)
{
    Kernel* kernel = contact->kernel;
    kaiStatus status = KAI_OK;
    if (contact->instant != kernel->instant_runs)
        return KAI_OK;
    if (kernel->now.p > 0)
        note_impulses(contact);
    if (contact->state_count == 0)
        return KAI_OK;
    for (ActiveWalk w = {0}; status == KAI_OK && active_guard(kernel, &w);)
        status = look(contact, w.index, NULL);
    return status == KAI_OK && contact->flow->no_memory ? KAI_ERR_MEMORY : status;
}

bool contact_is_calm(const Contact* contact)
{
    const Kernel* kernel = contact->kernel;
    if (kernel->fired_count == 0)  // clocks have ticked: no guard has a direction that it came from
        return kernel->jump_count == 0;
    for (uint32_t i = 0; i < kernel->fired_count && kernel->jump_count > 0; i++)
        if (!moves_away(contact, kernel->fired[i], kernel->guards[kernel->fired[i]].crossed))
            return false;
    return true;
}

void contact_cycle(Contact* contact)
{
    const Kernel* kernel = contact->kernel;
    kaiStatus status = KAI_OK;
    if (contact->instant != kernel->instant_runs || contact->state_count == 0)
        return;
    for (uint32_t i = 0; i < kernel->fired_count && status == KAI_OK; i++)
        status = look(contact, kernel->fired[i], ", where the reaction fires again, without end: chattering Zeno");
}
