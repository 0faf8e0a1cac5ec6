// The jumps of bond graphs at an instant: what their inputs are, what moves, the impulses that it takes, and the
// projection of storages that have drifted (rules B4, B5).
#include "base/tolerance.h"
#include "kernel/bonds.h"
#include "kernel/brief.h"

#include <math.h>
#include <string.h>

// Entries that are no inputs of the model stay 0.
bool bonds_read_inputs(Kernel* kernel, BondRun* run, bool impulses)
{
    const BondFeeds* feeds = &run->feeds;
    const double* R = kernel->R;
    bool struck = false;
    for (const BondFeed *f = feeds->values, *end = f + feeds->value_count; f < end; f++)
        run->b1[f->at] = R[f->reg];
    for (const BondFeed *f = feeds->slopes, *end = f + feeds->slope_count; f < end; f++)
        run->b2[f->at] = R[f->reg];
    for (const BondFeed *f = feeds->impulses, *end = f + feeds->impulse_count; f < end; f++)
    {
        run->b0[f->at] = impulses ? R[f->reg] : 0;
        struck |= run->b0[f->at] != 0;
    }
    return struck;
}

// Whether a jump has moved what is given to the graph from outside, so that it has to be made again; or, with
// `storages`, anything that it is made from.
static bool inputs_moved(const Kernel* kernel, const BondRun* run, bool storages)
{
    const BondFeeds* feeds = &run->feeds;
    const double* R = kernel->R;
    bool moved = !run->linear;
    for (const BondFeed *f = feeds->values, *end = f + (storages ? feeds->value_count : feeds->sources);
         f < end && !moved; f++)
        moved = R[f->reg] != run->b1[f->at];
    for (const BondFeed *f = feeds->slopes, *end = f + feeds->slope_count; f < end && !moved; f++)
        moved = R[f->reg] != run->b2[f->at];
    for (const BondFeed *f = feeds->impulses, *end = f + feeds->impulse_count; storages && f < end && !moved; f++)
        moved = R[f->reg] != 0;
    return moved;
}

// With `impulses = numeric` guards compare the impulse as a number, its area over the length of a pulse, instead of the
// area (paper 001, section 4.3).
static double pulse_height(const Kernel* kernel)
{
    return kernel_numeric(kernel) ? 1 / kernel->R[kernel->model->reg_pulse] : 1;
}

static void write_areas(Kernel* kernel, BondRun* run)
{
    for (uint32_t i = 0; i < run->system->output_count; i++)
    {
        const BondOutput* output = &kernel->model->bond_outputs[run->system->first_output + i];
        double area = 0, size = 0;
        for (uint32_t t = 0; t < output->term_count; t++)
        {
            const BondTerm* term = &kernel->model->bond_terms[output->first_term + t];
            double value = run->area[term->flow ? BOND_F(term->bond) : BOND_E(term->bond)];
            area += term->sign * value;
            size += fabs(value);
        }
        bool rounding = fabs(area) <= BOND_NOTHING * size && isfinite(size);
        if (output->area != NO_REG)
            kernel->R[output->area] = isnan(area) || rounding ? 0 : area * pulse_height(kernel);
    }
}

static bool move_states(Kernel* kernel, const BondRun* run)
{
    bool moved = false;
    for (uint32_t k = 0; k < run->stores.part_count; k++)
    {
        uint32_t i = run->stores.parts[k];
        const BondPart* part = bonds_part(kernel, run, i);
        for (uint32_t port = 0; port < part->ports; port++)
        {
            double dx = run->dx[run->port_of[i] + (int)port];
            double *state = &kernel->R[part->state + port], before = *state;
            if (dx == 0)
                continue;
            *state += dx;
            if (fabs(*state) <= BOND_NOTHING * fabs(before))
                *state = 0;  // all of it went: what is left is rounding (rule B5)
            moved = true;
        }
    }
    return moved;
}

// Areas and values are computed when a sign asks for them, where nobody else does.
static bool jump_lazy(const Kernel* kernel, BondRun* run, const BondJump* jump)
{
    run->last.struck = false;
    run->last.lazy = jump->b0 == NULL && run->selection != NULL && run->present.varying == NULL &&
                     bond_selection_jump(run->selection, jump) && (*jump->still || kernel->bonds->later);
    run->last.still = run->last.lazy && *jump->still;
    if (run->last.lazy)
        run->last.status = BOND_OK;
    return run->last.lazy;
}

// What areas there are is known: the states move.
static void apply_jump(Kernel* kernel, BondRun* run, bool any, bool* moved, bool* struck)
{
    bool inconsistent = run->last.status == BOND_INCONSISTENT;
    if (!inconsistent)
        *moved |= move_states(kernel, run);
    *struck |= any;
    run->last.struck = any;
}

static void add_areas(Kernel* kernel, BondRun* run)
{
    bool inconsistent = run->last.status == BOND_INCONSISTENT;
    for (uint32_t i = 0; i < 2 * run->system->link_count; i++)
        run->area[i] = inconsistent ? run->z0[i] : run->area[i] + run->z0[i];
    kernel->bonds->struck = true;
    write_areas(kernel, run);
}

// One round: *moved: states jumped; *struck: there are impulses. `blow`: NULL, or sources count with theirs, and it is
// set if they have some.
static kaiStatus jump_run(Kernel* kernel, BondRun* run, bool* blow, bool* moved, bool* struck)
{
    bool read = kernel->bonds->later && kernel->bonds->given;
    bool known = run->present.settled && (read || !inputs_moved(kernel, run, true));
    bool given = !read && bonds_read_inputs(kernel, run, blow != NULL);
    if (blow != NULL)
        *blow |= given;
    BondJump jump = {
        .b0 = given ? run->b0 : NULL, .b1 = run->b1, .b2 = run->b2, .z0 = run->z0, .z1 = run->z1, .dx = run->dx};
    run->present.settled = false;
    if (known)
        return KAI_OK;
    bool still = false;
    jump.most = run->most;
    jump.still = &still;
    if (jump_lazy(kernel, run, &jump))
    {
        if (!still)
            apply_jump(kernel, run, !select_moves_rounding(kernel, run), moved, struck);
        return KAI_OK;
    }
    kaiStatus entered = present_jump(kernel, run, &jump, &run->last.status);
    if (entered != KAI_OK)
        return entered;
    if (run->last.status == BOND_SINGULAR)
        return kernel_fail(kernel, bonds_part(kernel, run, 0)->place,
                           "look for a negative resistance that cancels the others",
                           "the equations of the bond graph of %s have no unique solution in this set of modes",
                           model_string(kernel->model, bonds_part(kernel, run, 0)->name));
    if (run->last.status == BOND_DELTA_PRIME)
        return kernel_fail(
            kernel, bonds_part(kernel, run, 0)->place, "let the impulse act on a storage",
            "an impulse of a source meets a storage that depends on it, or another source: that would be δ′");
    if (still)
        return KAI_OK;
    bool inconsistent = run->last.status == BOND_INCONSISTENT, any = false;
    if (!inconsistent && !given && select_moves_rounding(kernel, run))
        memset(run->z0, 0, sizeof(double) * 2 * run->system->link_count);  // states settle, but that is no impulse
    for (uint32_t i = 0; i < 2 * run->system->link_count; i++)
        any |= run->z0[i] != 0;
    if (any)
        add_areas(kernel, run);
    apply_jump(kernel, run, any, moved, struck);
    return KAI_OK;
}

// While sets are tried: what was left out of the present one.
kaiStatus bonds_complete(Kernel* kernel)
{
    Bonds* bonds = kernel->bonds;
    for (uint32_t i = 0; i < bonds->count; i++)
    {
        BondRun* run = &bonds->runs[i];
        if (!run->last.lazy || !run->last.struck)
            continue;
        BondJump jump = {.b1 = run->b1, .b2 = run->b2, .most = run->most, .z0 = run->z0, .z1 = run->z1, .dx = run->dx};
        run->last.lazy = false;
        run->last.status = bond_net_jump(run->net, &jump);
        add_areas(kernel, run);
    }
    return bonds_load(kernel);
}

static bool moves_nothing(const BondRun* run)
{
    bool nothing = true;
    for (uint32_t i = 0; i < run->stores.port_count && nothing; i++)
        nothing = run->dx[i] == 0;
    return nothing;
}

bool bonds_agree(Kernel* kernel, BondRun* run)
{
    bool still = false;
    BondJump jump = {
        .b1 = run->b1, .b2 = run->b2, .most = run->most, .z0 = run->z0, .z1 = run->z1, .dx = run->dx, .still = &still};
    run->present.settled = run->linear && jump_lazy(kernel, run, &jump) && still;
    return run->present.settled;
}

bool bonds_project(Kernel* kernel)
{
    bool moved = false;
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        BondRun* run = &kernel->bonds->runs[i];
        if ((run->selection == NULL && run->present.varying == NULL) || !run->entered ||
            !bond_net_has_dependents(run->net))
            continue;
        if (bonds_agree(kernel, run))
            continue;
        BondStatus status = BOND_OK;
        bool still = false;
        BondJump jump = {.b1 = run->b1, .b2 = run->b2, .most = run->most, .z0 = run->z0, .z1 = run->z1, .dx = run->dx};
        jump.still = &still;
        run->last.lazy = run->last.still = false;
        bool drift = present_jump(kernel, run, &jump, &status) == KAI_OK && status <= BOND_NOT_UNIQUE;
        run->present.settled = drift && run->linear && moves_nothing(run);
        if (run->present.settled)
        {
            run->last.status = status;
            continue;
        }
        drift = drift && (run->present.varying != NULL ? present_is_drift(kernel, run)
                                                       : bond_selection_is_drift(run->selection, run->storage, run->dx,
                                                                                 BOND_DRIFT * kernel->options->rtol));
        if (drift)
            moved |= move_states(kernel, run);
    }
    if (moved)
        memcpy(kernel->bonds->states, kernel_states(kernel), sizeof(double) * kernel->model->state_count);
    return moved;
}

static bool is_tied(const BondRun* run, BondTies ties)
{
    return run->present.tied && (ties == BOND_TIES_ALL || run->present.varying == NULL);
}

bool bonds_are_tied(const Kernel* kernel, BondTies ties)
{
    bool tied = false;
    for (uint32_t i = 0; i < kernel->bonds->count && !tied; i++)
        tied = is_tied(&kernel->bonds->runs[i], ties);
    return tied;
}

void bonds_tie(Kernel* kernel, BondTies ties)
{
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        BondRun* run = &kernel->bonds->runs[i];
        if (!is_tied(run, ties))
            continue;
        bonds_read_inputs(kernel, run, false);
        BondJump jump = {.b1 = run->b1, .b2 = run->b2, .most = run->most, .z0 = run->z0, .z1 = run->z1, .dx = run->dx};
        run->present.settled = false;
        if (run->present.varying != NULL)
            present_follow(kernel, run);
        else if (bond_net_jump(run->net, &jump) <= BOND_NOT_UNIQUE)
            move_states(kernel, run);
    }
}

bool bonds_clear_areas(Kernel* kernel)
{
    bool clear = true;
    if (!kernel->bonds->struck)
        return true;
    kernel->bonds->struck = false;
    for (uint32_t i = 0; i < kernel->model->bond_outputs_count; i++)
    {
        uint32_t area = kernel->model->bond_outputs[i].area;
        if (area == NO_REG)
            continue;
        clear &= kernel->R[area] == 0;
        kernel->R[area] = 0;
    }
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
        memset(kernel->bonds->runs[i].area, 0, sizeof(double) * 2 * kernel->bonds->runs[i].system->link_count);
    return clear;
}

bool bonds_same_inputs(const Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        if (inputs_moved(kernel, &kernel->bonds->runs[i], true))
            return false;
    }
    return true;
}

kaiStatus bonds_stay(Kernel* kernel)
{
    bool clear = bonds_clear_areas(kernel);
    return (clear || kernel->bonds->steady) && kernel->bonds->reacted ? KAI_OK : brief_try(kernel);
}

static bool any_input_moved(const Kernel* kernel)
{
    bool moved = false;
    for (uint32_t i = 0; i < kernel->bonds->count && !moved; i++)
        moved = inputs_moved(kernel, &kernel->bonds->runs[i], false);
    return moved;
}

kaiStatus bonds_jump_entered(Kernel* kernel, bool* consistent)
{
    enum
    {
        ROUNDS = 30  // sources may read other graphs; then a jump here moves a source there
    };
    Bonds* bonds = kernel->bonds;
    bool reacted = (bonds_clear_areas(kernel) || bonds->steady) && bonds->reacted;
    bonds->quiet = true;
    if (bonds->steady)
        kernel->brief->used = true;  // a whole reaction was that of another set
    kaiStatus status = reacted ? KAI_OK : brief_try(kernel);
    bool moved = true;
    *consistent = true;
    for (int round = 0; moved && status == KAI_OK && round < ROUNDS; round++)
    {
        bool struck = false, blow = false;
        moved = false;
        for (uint32_t i = 0; i < bonds->count && status == KAI_OK; i++)
            status = jump_run(kernel, &bonds->runs[i], round == 0 ? &blow : NULL, &moved, &struck);
        for (uint32_t i = 0; i < bonds->count; i++)
            *consistent &= bonds->runs[i].last.status != BOND_INCONSISTENT;
        bonds->quiet &= !moved && !struck;
        // Guards read areas, and values after: what was there before the jump holds only if there was none.
        if (status == KAI_OK && (moved || struck))
        {
            status = brief_try(kernel);
            bonds->reacted = false;
        }
        // What an impulse of a source moves outside of blocks has its value after in the next round.
        moved = moved && status == KAI_OK && (blow || (!bonds->steady && any_input_moved(kernel)));
    }
    for (uint32_t i = 0; i < kernel->model->carried_count && *consistent; i++)
        if (kernel_ctx_active(kernel, kernel->model->carried[i].ctx))
            kernel->R[kernel->model->carried[i].state] +=
                kernel->R[kernel->model->carried[i].area] / pulse_height(kernel);
    return status;
}

kaiStatus bonds_jump(Kernel* kernel, bool* consistent)
{
    kaiStatus status = bonds_enter(kernel);
    *consistent = true;
    return status == KAI_OK ? bonds_jump_entered(kernel, consistent) : status;
}
