// What the floors below ask of a run: who of its listeners hears what, and in which order. A hook is one call.
#include "run/sim.h"

#include "kernel/scene.h"

#include <math.h>

// ---- what the kernel asks
// --------------------------------------------------------------------------------------------

static void hook_load(void* owner, uint32_t island, double t)
{
    kaiSim* sim = owner;
    island_load(&sim->flow, island, t);
}

static kaiStatus hook_slopes(void* owner, uint32_t island)
{
    kaiSim* sim = owner;
    return island_slopes(&sim->flow, island);
}

static kaiStatus hook_restart(void* owner)
{
    kaiSim* sim = owner;
    return islands_restart(&sim->flow);
}

static void hook_look(void* owner, uint32_t guard)
{
    kaiSim* sim = owner;
    islands_look(&sim->flow, guard);
}

static void hook_unit(void* owner, uint32_t state, double unit)
{
    kaiSim* sim = owner;
    ode_set_unit(sim->flow.island_odes[sim->model->state_islands[state]], (int)sim->model->state_slots[state], unit);
}

static kaiStatus hook_before(void* owner, double t)
{
    kaiSim* sim = owner;
    return delay_before(&sim->flow, t);
}

static void hook_left(void* owner)
{
    kaiSim* sim = owner;
    if (kernel_numeric(&sim->kernel))
        pulse_left_limit(&sim->flow);
}

static kaiStatus hook_settle(void* owner, bool* moved)
{
    kaiSim* sim = owner;
    return kernel_numeric(&sim->kernel) ? pulse_settle(&sim->flow, moved) : KAI_OK;
}

static int hook_reaches(void* owner, uint32_t guard)
{
    kaiSim* sim = owner;
    return guard_reaches(&sim->flow, guard);
}

static bool hook_stands(void* owner, uint32_t guard)
{
    kaiSim* sim = owner;
    return guard_stands(&sim->flow, guard);
}

static kaiStatus hook_after(void* owner)
{
    kaiSim* sim = owner;
    return delay_instant(&sim->flow);
}

static void hook_begin(void* owner, double t, bool again)
{
    kaiSim* sim = owner;
    if (again)
        record_again(&sim->record);
    endless_begin(&sim->endless);
    contact_before(&sim->contact);
    if (sim->kernel.located_count > 0)
        sliding_before(&sim->sliding, t);
    else
        sim->sliding.at_once = false;
    if (sim->kernel.located_count > 0 || sim->kernel.hold_next < INFINITY)
        zeno_before(&sim->zeno, t);
}

static void hook_keep(void* owner, uint32_t var)
{
    kaiSim* sim = owner;
    record_keep(&sim->record, var);
}

static kaiStatus hook_tag(void* owner, bool left)
{
    kaiSim* sim = owner;
    return record_tag(&sim->record, true, left);
}

static kaiStatus hook_round(void* owner, kaiTag at, bool state)
{
    kaiSim* sim = owner;
    kaiStatus status = endless_watch(&sim->endless, at, state);
    if (status == KAI_ERR_RUN)
        contact_cycle(&sim->contact);
    return status;
}

static kaiStatus hook_end(void* owner)
{
    kaiSim* sim = owner;
    if (sim->zeno.off)
        return KAI_OK;
    bool fired = sim->kernel.fired_count > 0;  // clocks come as often as they are written
    kaiStatus status = surfaces_status(&sim->surfaces);
    if (status == KAI_OK && fired)
        status = sliding_after(&sim->sliding);
    if (status == KAI_OK && fired)
        status = zeno_after(&sim->zeno);
    return status == KAI_OK ? contact_watch(&sim->contact) : status;
}

static void hook_armed(void* owner, uint32_t guard)
{
    kaiSim* sim = owner;
    if (sim->flow.guard_terms != NULL)
        guard_affine_refresh(&sim->flow, guard);
    guard_armed(&sim->flow, guard);
    zeno_armed(&sim->zeno, guard);
}

static int hook_leads(void* owner, uint32_t guard)
{
    kaiSim* sim = owner;
    return contact_leads(&sim->contact, guard);
}

static void hook_fires(void* owner, KernelSign sign, uint32_t index, uint32_t place)
{
    kaiSim* sim = owner;
    if (sign == SIGN_REACTIONS)
        contact_commit(&sim->contact);
    if (sim->options.fired != NULL)
        fired_tell(&sim->kernel, sign, index, place);
}

static bool hook_calm(void* owner, double t)
{
    kaiSim* sim = owner;
    Kernel* kernel = &sim->kernel;
    bool tracked = kernel->located_count > 0 && sim->zeno.tracked == kernel->located[0] + 1;
    if (!(t < kernel->unseen.until))
        kernel->unseen.until = record_unseen_until(&sim->record);
    return (t < kernel->unseen.until || record_is_blind(&sim->record, t)) && !tracked &&
           kernel->hold_next == INFINITY && sliding_is_calm(&sim->sliding, t);
}

static void hook_count(void* owner)
{
    kaiSim* sim = owner;
    record_count(&sim->record);
}

static bool hook_sees(void* owner)
{
    kaiSim* sim = owner;
    return record_sees(&sim->record);
}

static kaiStatus hook_tags(void* owner, uint32_t tags)
{
    kaiSim* sim = owner;
    return record_tags(&sim->record, tags);
}

static kaiStatus hook_settles(void* owner)
{
    kaiSim* sim = owner;
    if (contact_is_calm(&sim->contact))
        return KAI_OK;
    scene_spread(&sim->kernel);
    contact_late(&sim->contact);
    return contact_watch(&sim->contact);
}

static kaiStatus hook_past(void* owner)
{
    kaiSim* sim = owner;
    if (sim->zeno.off)
        return KAI_OK;
    if (sim->kernel.fired_count > 0)
        sliding_calm(&sim->sliding);
    zeno_late(&sim->zeno);
    kaiStatus status = zeno_after(&sim->zeno);
    return status == KAI_OK ? hook_settles(sim) : status;
}

static bool hook_steady(void* owner, const Lean* lean)
{
    kaiSim* sim = owner;
    return steady_note(&sim->steady, lean);
}

static void hook_late(void* owner)
{
    kaiSim* sim = owner;
    endless_begin(&sim->endless);
    record_begin(&sim->record);
    zeno_late(&sim->zeno);
    contact_late(&sim->contact);
}

static void hook_held(void* owner)
{
    kaiSim* sim = owner;
    zeno_check_held(&sim->zeno);
    surfaces_check(&sim->surfaces);
}

static kaiStatus hook_decide(void* owner, bool fresh, uint32_t enabled, uint32_t* rank)
{
    return explore_decide(owner, fresh, enabled, rank);
}

static void hook_decided(void* owner, uint32_t reaction)
{
    kaiSim* sim = owner;
    sim->explore.decisions[sim->explore.decision_count - 1].reaction = reaction;
}

static void hook_begin_jumps(void* owner)
{
    kaiSim* sim = owner;
    balance_begin(&sim->balance);
}

static void hook_settled(void* owner)
{
    kaiSim* sim = owner;
    record_settled(&sim->record);
}

static void hook_before_jump(void* owner)
{
    kaiSim* sim = owner;
    balance_before(&sim->balance);
}

static kaiStatus hook_jumped(void* owner)
{
    kaiSim* sim = owner;
    return balance_jump(&sim->balance);
}

const KernelHooks sim_kernel_hooks = {
    .load = hook_load,
    .slopes = hook_slopes,
    .restart = hook_restart,
    .reaches = hook_reaches,
    .stands = hook_stands,
    .look = hook_look,
    .unit = hook_unit,
    .before = hook_before,
    .left = hook_left,
    .settle = hook_settle,
    .after = hook_after,
    .begin = hook_begin,
    .keep = hook_keep,
    .tag = hook_tag,
    .round = hook_round,
    .end = hook_end,
    .armed = hook_armed,
    .leads = hook_leads,
    .fires = hook_fires,
    .held = hook_held,
    .calm = hook_calm,
    .count = hook_count,
    .sees = hook_sees,
    .tags = hook_tags,
    .past = hook_past,
    .steady = hook_steady,
    .settles = hook_settles,
    .late = hook_late,
    .decide = hook_decide,
    .decided = hook_decided,
    .begin_jumps = hook_begin_jumps,
    .before_jump = hook_before_jump,
    .settled = hook_settled,
    .jumped = hook_jumped,
};

// ---- what the loop asks
// ----------------------------------------------------------------------------------------------

static kaiStatus hook_point(void* owner)
{
    kaiSim* sim = owner;
    record_begin(&sim->record);
    return record_tag(&sim->record, false, false);
}

static kaiStatus hook_between(void* owner, double from, double to)
{
    kaiSim* sim = owner;
    return record_step(&sim->record, from, to);
}

static kaiStatus hook_instant_end(void* owner)
{
    kaiSim* sim = owner;
    return record_instant_end(&sim->record);
}

static kaiStatus hook_passed(void* owner, uint32_t guard, double t)
{
    kaiSim* sim = owner;
    return zeno_turned(&sim->zeno, guard, t);
}

static bool hook_leaves(void* owner, double* theta)
{
    kaiSim* sim = owner;
    bool held = zeno_search(&sim->zeno, theta);
    return surfaces_search(&sim->surfaces, theta) || held;
}

static void hook_bend(void* owner)
{
    kaiSim* sim = owner;
    surfaces_bend(&sim->surfaces);
}

static kaiStatus hook_check(void* owner, bool instant)
{
    kaiSim* sim = owner;
    return balance_check(&sim->balance, instant);
}

const FlowHooks sim_flow_hooks = {
    .point = hook_point,
    .between = hook_between,
    .end = hook_instant_end,
    .passed = hook_passed,
    .leaves = hook_leaves,
    .bend = hook_bend,
    .check = hook_check,
};
