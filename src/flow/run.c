// The run loop: start, steps, instants, end. The agenda tells what comes next; only what is due is worked on.
#include "flow/guard_path.h"
#include "kernel/blocks.h"
#include "kernel/bonds.h"

#include <math.h>
#include <string.h>

// ---- start
// -----------------------------------------------------------------------------------------------------------

static kaiStatus check_start_values(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < model->state_count; i++)
        if (!isfinite(kernel_states(kernel)[i]))
        {
            const ModelVar* var = &model->vars[model->state_vars[i]];
            return kernel_fail(kernel, var->place, "give it a finite start value", "the start value of %s is %g",
                               model_string(model, var->name), kernel_states(kernel)[i]);
        }
    return KAI_OK;
}

static void apply_set_values(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->model->vars_count; i++)
        if (kernel->set[i])
            kernel->R[kernel->model->vars[i].reg] = kernel->set_values[i];
}

kaiStatus flow_prepare(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    kernel->flow_start = kernel->R[model->reg_time] = kernel->options->start;
    blocks_reset(kernel);
    delay_reset(kernel);
    apply_set_values(kernel);
    kaiStatus status = kernel_run(kernel, model->params);
    if (status == KAI_OK)
        status = kernel_run(kernel, model->start);
    apply_set_values(kernel);
    if (status == KAI_OK && kernel->bonds != NULL)
        status = bonds_start(kernel);
    if (status == KAI_OK)
        status = nominals_start(kernel);
    if (status == KAI_OK)
        status = guard_start(kernel);
    if (status == KAI_OK)
        status = initial_solve(kernel);
    if (blocks_check(kernel) != KAI_OK)
        return kernel->failure.status;
    return status == KAI_OK ? check_start_values(kernel) : status;
}

// What a start makes of parameters and start values.
static kaiStatus derive(Flow* flow)
{
    Kernel* kernel = flow->kernel;
    uint32_t count = kernel->model->vars_count;
    if (count > 0)
    {
        memcpy(kernel->started_set, kernel->set, count);
        memcpy(kernel->started_values, kernel->set_values, sizeof(double) * count);
    }
    if (kernel_numeric(kernel))
        pulse_start(flow);
    kaiStatus status = flow_prepare(kernel);
    flow->derived = status == KAI_OK;
    if (status == KAI_OK)
        status = delay_check(kernel);
    if (status == KAI_OK)
        status = delay_feed_pasts(flow);
    return status == KAI_OK ? delay_start(kernel) : status;
}

bool flow_is_derived(const Flow* flow)
{
    const Kernel* kernel = flow->kernel;
    uint32_t count = kernel->model->vars_count;
    return flow->derived &&
           (count == 0 || (memcmp(kernel->started_set, kernel->set, count) == 0 &&
                           memcmp(kernel->started_values, kernel->set_values, sizeof(double) * count) == 0));
}

kaiStatus flow_derive(Flow* flow)
{
    kernel_init_registers(flow->kernel);
    return derive(flow);
}

static kaiStatus run_start(Flow* flow)
{
    Kernel* kernel = flow->kernel;
    flow->started = true;
    kaiStatus status = derive(flow);
    if (status == KAI_OK)
        status = schedule_start(kernel);
    if (status == KAI_OK)
        status = instant_run(kernel, kernel->options->start, true);
    size_start(flow);
    if (status == KAI_OK)
        ahead_prepare(flow);
    if (status == KAI_OK)
        status = flow->hooks->end(flow->owner);
    return status == KAI_OK ? flow->hooks->check(flow->owner, true) : status;
}

// ---- steps
// -----------------------------------------------------------------------------------------------------------

// Of a crossing it is known how exactly it was located; of what is scheduled, as exactly as time is.
static double slack_of(const Flow* flow, uint32_t item)
{
    uint32_t guard = item - flow->model->clocks_count;
    bool located = item >= flow->model->clocks_count && guard < flow->model->guards_count;
    return located ? flow->kernel->guards[guard].slack : 0;
}

static bool is_scheduled(const Flow* flow, uint32_t item)
{
    uint32_t guard = item - flow->model->clocks_count;
    return item < flow->model->clocks_count ||
           (guard < flow->model->guards_count && flow->model->guards[guard].time_only);
}

// The islands of a located guard stand where it was found in their steps, and go on from there: what is left of a step
// is known to a few ulp of its length only, which is too coarse beside the next crossing of the same guard. The step of
// an island that it reads alone has been cut there already, unless the guard was not awake when it was taken.
static void pin_islands(Flow* flow, uint32_t index, double t)
{
    const GuardState* g = &flow->kernel->guards[index];
    const IndexRange islands = flow->model->guards[index].islands;
    for (uint32_t i = 0; i < islands.count; i++)
    {
        uint32_t island = flow->model->guard_islands[islands.first + i];
        double start = island_start(flow, island), end = island_end(flow, island), h = end - start;
        double length = g->until - g->from;
        flow->islands[island].own = flow->kernel->touch + 1;
        if (islands.count == 1 && end <= t)
            return;
        kernel_disturb_island(flow->kernel, island);
        if (g->due != t || !(h > 0))
            continue;
        flow->islands[island].pin_time = t;
        flow->islands[island].pin =
            g->from == start && length == h ? g->theta : (g->from - start) / h + g->theta * (length / h);
    }
}

static kaiStatus take_due(Flow* flow, uint32_t item)
{
    const kaiModel* model = flow->model;
    agenda_set(&flow->kernel->agenda, item, INFINITY);
    if (item < model->clocks_count)
        flow->kernel->due_clocks.at[flow->kernel->due_clocks.count++] = item;
    else if (item < model->clocks_count + model->guards_count)
        flow->kernel->located[flow->kernel->located_count++] = item - model->clocks_count;
    else if (item < agenda_hold(flow->kernel))
        return islands_arrive(flow, item - model->clocks_count - model->guards_count);
    return KAI_OK;
}

// Takes what is due at `next` from the agenda. *found: something discrete is, and *t is its time: that of the clock or
// timer, if there is one, else of a delay, whatever the rounding of a crossing that is due with it.
static kaiStatus collect_due(Flow* flow, double next, bool* found, double* t)
{
    uint32_t item = 0;
    double at, slack = kernel_slack(flow->kernel, next), scheduled = -INFINITY, out = delay_next_time(flow->kernel);
    kaiStatus status = KAI_OK;
    *found = false;
    *t = next;
    while (status == KAI_OK &&
           (at = agenda_next(&flow->kernel->agenda, &item)) <= next + larger(slack, slack_of(flow, item)))
    {
        bool island = item >= agenda_island(flow->kernel, 0) && item < agenda_hold(flow->kernel);
        slack = larger(slack, slack_of(flow, item));
        if (is_scheduled(flow, item))
            scheduled = larger(scheduled, at);
        else if (!island)
            *t = larger(*t, at);
        *found |= !island;
        status = take_due(flow, item);
    }
    bool given_out = out <= next + slack;
    *found |= given_out;
    if (given_out && scheduled == -INFINITY)  // known but for the roundings of t + T
        scheduled = out;
    if (scheduled > -INFINITY)
        *t = larger(scheduled, flow->kernel->now.t);
    for (uint32_t i = 0; i < flow->kernel->located_count; i++)
    {
        pin_islands(flow, flow->kernel->located[i], *t);
        flow->kernel->guards[flow->kernel->located[i]].due = INFINITY;
    }
    *t = smaller(*t, flow->kernel->options->stop);
    return status;
}

static kaiStatus solver_point(Flow* flow, double t)
{
    Kernel* kernel = flow->kernel;
    bool shown = t >= kernel->options->stop;
    for (uint32_t i = 0; i < flow->waiting.count; i++)
        shown |= kernel->island_shown[flow->waiting.at[i]];
    kernel->now = (kaiTag){t, 0, 0};
    touch_moment(kernel, t);
    kaiStatus status = shown ? flow->hooks->point(flow->owner) : KAI_OK;
    if (status == KAI_OK)
        status = flow->hooks->check(flow->owner, false);
    return status == KAI_OK && kernel_numeric(kernel) ? pulse_step_done(flow) : status;
}

static kaiStatus run_instant(Flow* flow, double t)
{
    kaiStatus status = instant_run(flow->kernel, t, false);
    if (status == KAI_OK)
        status = flow->hooks->end(flow->owner);
    return status == KAI_OK ? flow->hooks->check(flow->owner, true) : status;
}

// Foreign code is told where a step ended, and set there first. *event: it wants an instant.
static kaiStatus finish_step(Flow* flow, double t, bool* event)
{
    Kernel* kernel = flow->kernel;
    kernel->now = (kaiTag){t, 0, 0};
    touch_moment(kernel, t);
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < flow->model->islands_count && status == KAI_OK; i++)
    {
        kernel->hooks->load(kernel->owner, i, t);
        status = kernel->hooks->slopes(kernel->owner, i);
    }
    return status == KAI_OK ? blocks_step(kernel, event) : status;
}

// To the next time at which anything is due, at most to `until`. KAI_INSTANT: it was an instant.
static kaiStatus proceed(Flow* flow, double until)
{
    Kernel* kernel = flow->kernel;
    uint32_t item;
    bool found = false;
    double t, next = smaller(agenda_next(&kernel->agenda, &item), delay_next_time(kernel));
    // As go_on asks of what comes out of a delay: where the two disagreed by a rounding error nothing would ever
    // happen.
    bool waits = until < next && until < kernel->options->stop && !kernel_reached(kernel, next, until);
    next = waits ? until : smaller(next, kernel->options->stop);
    kaiStatus status = next > kernel->now.t ? flow->hooks->between(flow->owner, kernel->now.t, next) : KAI_OK;
    if (status == KAI_OK && waits)  // nothing happens there: the run only stands there
    {
        kernel->now = (kaiTag){next, 0, 0};
        touch_moment(kernel, next);
        return KAI_OK;
    }
    if (status == KAI_OK)
        status = collect_due(flow, next, &found, &t);
    if (status != KAI_OK)
        return status;
    if (!found && blocks_want_steps(kernel))
        status = finish_step(flow, next, &found);
    if (status != KAI_OK)
        return status;
    if (!found)
        return solver_point(flow, next);
    ahead_fetch(flow);
    status = run_instant(flow, t);
    return status == KAI_OK ? KAI_INSTANT : status;
}

static bool is_over(const Kernel* kernel)
{
    double stop = kernel->options->stop;
    return kernel->halted || kernel->now.t >= stop || kernel_same_time(kernel, kernel->now.t, stop);
}

// An interrupt between two steps: the run can go on from here. A limit ends it.
static kaiStatus stand_still(Kernel* kernel)
{
    if (kernel->budget->end != BUDGET_INTERRUPTED)
        return kernel_stop(kernel);
    kernel->budget->end = BUDGET_LASTS;
    return KAI_INTERRUPTED;
}

// ---- plain models
// ----------------------------------------------------------------------------------------------------

// The instant at t, to which flight.c or beat.c has come. Where nobody sees it, and it was ordinary, there is nobody to
// tell either.
kaiStatus flow_plain_instant(Flow* flow, double t)
{
    Kernel* kernel = flow->kernel;
    bool unseen = t < kernel->unseen.until;
    kaiStatus status = unseen ? KAI_OK : flow->hooks->between(flow->owner, kernel->now.t, t);
    if (status != KAI_OK)
        return status;
    if (flow->small_count > 0)
        size_look(flow, 0);
    const Scene* scene =
        kernel->simple && !kernel_reached(kernel, t, kernel->instant_time) ? ordinary_scene(kernel, t) : NULL;
    if (scene == NULL)
        status = instant_run(kernel, t, false);
    else
        status = ordinary_run(kernel, scene, t);
    if (status == KAI_OK && (!unseen || kernel->halted))
        status = flow->hooks->end(flow->owner);
    return status == KAI_OK ? KAI_INSTANT : status;
}

// The only island stands where an instant is; the guard that has crossed there does not pass the end of its window.
kaiStatus flow_arrive(Flow* flow, double t)
{
    Kernel* kernel = flow->kernel;
    if (flow->model->guards_count == 0)
        return KAI_OK;
    if (flow->leapt)
        return kernel->located_count == 0 ? leap_pass(flow, t) : KAI_OK;
    if (kernel->located_count == 0)
        return islands_arrive(flow, 0);
    kernel->guards[kernel->located[0]].due = t;
    kaiStatus status = islands_arrive(flow, 0);
    kernel->guards[kernel->located[0]].due = INFINITY;
    return status;
}

// Whether nothing but the motion itself leads to the next instant: nobody waits, and nothing was set or posted.
static inline bool is_left_alone(const Kernel* kernel, double until)
{
    double stop = kernel->options->stop, t = kernel->now.t;
    return kernel->outside_count + kernel->queue.count + kernel->holds + kernel->slides == 0 && !kernel->halted &&
           t < until && t + 2 * kernel_slack(kernel, stop) < stop;
}

// From one instant to the next without an agenda, where that is possible. False: it is not, as the general way will
// find.
static inline bool go_straight(Flow* flow, double until, kaiStatus* status)
{
    Kernel* kernel = flow->kernel;
    double t;
    if (!is_left_alone(kernel, until))
        return false;
    uint64_t passed = 0;
    if (flow->orbits && flow->silent > 1)
        passed = orbit_take(flow, until, flow->silent);
    else if (flow->strides && flow->silent > 1)
        passed = stride_take(flow, until, flow->silent, status);
    if (passed > 0)
    {
        flow->silent -= passed - 1;
        *status = *status == KAI_OK ? KAI_INSTANT : *status;
        return true;
    }
    if (flow->flies && flight_take(flow, until, &t))
    {
        *status = flow_plain_instant(flow, t);
        return true;
    }
    if (!flow->beats || !beat_take(flow, until, &t))
        return false;
    *status = flow->no_memory ? KAI_ERR_MEMORY : flow_arrive(flow, t);
    if (*status == KAI_OK)
        *status = flow_plain_instant(flow, t);
    return true;
}

// Nobody has seen the instant that is over, and whoever runs this does not want to know of it.
static inline bool is_silent(Flow* flow, kaiStatus status)
{
    const Kernel* kernel = flow->kernel;
    if (status != KAI_INSTANT || flow->silent < 2 || kernel->halted || !(kernel->now.t < kernel->unseen.until))
        return false;
    flow->silent--;
    return true;
}

// To the next instant, to `until` (KAI_OK), or to the end.
static kaiStatus go_on(Flow* flow, double until)
{
    Kernel* kernel = flow->kernel;
    Pace pace = {.time = NAN};
    for (;;)
    {
        if (!budget_look(kernel->budget))
            return stand_still(kernel);
        kaiStatus status = kernel_check_tags(kernel);
        if (status == KAI_OK && go_straight(flow, until, &status))
        {
            if (is_silent(flow, status))
                continue;
            return status;
        }
        if (status == KAI_OK)
            status = pace_check_step(flow, &pace);
        if (status != KAI_OK)
            return status;
        status = kernel->outside_count > 0 ? run_instant(flow, kernel->now.t) : KAI_OK;
        // Two events of one delay that are due now come at two tags; no step is taken between them, since a crossing
        // that it found would be forgotten when the second has its reactions.
        bool more = kernel_reached(kernel, delay_next_time(kernel), kernel->now.t);
        bool over = is_over(kernel);
        if (status == KAI_OK && !kernel->halted && !more)
            status = islands_advance(flow);
        if (status == KAI_OK && over)
            return KAI_END;
        if (status == KAI_OK && kernel->now.t >= until && !(more && kernel_same_time(kernel, until, kernel->now.t)))
            return KAI_OK;
        if (status == KAI_OK)
            status = proceed(flow, until);
        if (status != KAI_OK)
            return status;
    }
}

// Who asks after the end finds the states there, not where a guard was looked at last.
static void load_end(Flow* flow)
{
    for (uint32_t i = 0; i < flow->model->islands_count; i++)
        if (flow->islands[i].begun)
            island_load(flow, i, flow->kernel->now.t);
}

static kaiStatus fail_with(Flow* flow, kaiStatus status)
{
    Kernel* kernel = flow->kernel;
    flow->ended = true;
    if (blocks_check(kernel) != KAI_OK)  // whatever else came of it
        return kernel->failure.status;
    if (kernel->budget != NULL && kernel->budget->end != BUDGET_LASTS)  // also what could not allocate
        return kernel_stop(kernel);
    if (kernel->failure.status == KAI_OK)
        kernel->failure = (kaiError){.status = status, .tag = kernel->now, .message = "the run was stopped"};
    return status;
}

kaiStatus flow_run_to(Flow* flow, double until, uint64_t most)
{
    flow->silent = most;
    kaiStatus status = flow_step_to(flow, until);
    flow->silent = 0;
    return status;
}

kaiStatus flow_step_to(Flow* flow, double until)
{
    Kernel* kernel = flow->kernel;
    if (flow->ended)
        return kernel->failure.status != KAI_OK ? kernel->failure.status : KAI_END;
    bool begins = !flow->started;
    kaiStatus status = begins ? run_start(flow) : go_on(flow, until);
    if (status < 0)
        return fail_with(flow, status);
    if (begins && status == KAI_OK)
        status = KAI_INSTANT;  // the start
    if (status == KAI_INSTANT && kernel->halted)
        status = KAI_END;
    if (status == KAI_END)
    {
        load_end(flow);
        size_end(flow);
    }
    flow->ended |= status == KAI_END || kernel->failure.status == KAI_INTERRUPTED;
    return status;
}

kaiStatus flow_step(Flow* flow)
{
    return flow_step_to(flow, INFINITY);
}
