// Strides (decision 0325): orbits of models whose clocks tick. The solver takes the steps, as in beat.c and flight.c,
// and islands and guards are told of them; instants are lean ones, which listeners note in one place. What turns out to
// be more is taken back with the step that led there, and comes again the general way.
#include "flow/flow.h"

#include "kernel/lean.h"

#include <math.h>

typedef struct StrideKept  // before the step to the next instant
{
    OdeKept ode;
    kaiCounters counters;
    double instant_time;
} StrideKept;

typedef struct Stride
{
    Flow* flow;
    Lean lean;
    StrideKept kept;
    double until, unseen;
    uint64_t count;  // of instants
    bool over;       // the last of them took the general way, or has failed
    kaiStatus status;
} Stride;

enum
{
    STRIDE_SHORT = 8,  // one with fewer instants costs more than it spares
    STRIDE_PAUSE = 256,
};

bool stride_serves(const Flow* flow)
{
    const kaiModel* model = flow->model;
    return flow->kernel->plain && model->blocks_count == 0 && flow->guard_terms == NULL && flow->islands[0].base == 0 &&
           model->state_count > 0 && model->state_count <= FEW_STATES && flow->island_systems[0].series != NULL &&
           flow->kernel->options->fired == NULL;
}

// ---- back
// -----------------------------------------------------------------------------------------------------------

static void keep(Stride* s)
{
    Kernel* kernel = s->flow->kernel;
    ode_keep(s->flow->island_odes[0], &s->kept.ode);
    s->kept.counters.guard_calls = kernel->counters.guard_calls;
    s->kept.counters.shortest_step = kernel->counters.shortest_step;
    s->kept.counters.shortest_at = kernel->counters.shortest_at;
    s->kept.counters.longest_step = kernel->counters.longest_step;
    s->kept.instant_time = kernel->instant_time;
    lean_keep(&s->lean);
}

static void set_instant(Kernel* kernel, double t)
{
    kernel->instant_time = kernel->load_time = kernel->flow_start = t;
}

// The instant and the step to it have not been.
static void go_back(Stride* s)
{
    Flow* flow = s->flow;
    Kernel* kernel = flow->kernel;
    IslandSystem* own = &flow->island_systems[0];
    Ode* ode = flow->island_odes[0];
    uint32_t failed;
    for (uint32_t i = 0; i < kernel->due_clocks.count; i++)
        agenda_set(&kernel->agenda, kernel->due_clocks.at[i], schedule_clock_time(kernel, kernel->due_clocks.at[i]));
    kernel->due_clocks.count = kernel->located_count = 0;
    set_instant(kernel, s->kept.instant_time);
    kernel->counters.guard_calls = s->kept.counters.guard_calls;
    kernel->counters.shortest_step = s->kept.counters.shortest_step;
    kernel->counters.shortest_at = s->kept.counters.shortest_at;
    kernel->counters.longest_step = s->kept.counters.longest_step;
    ode_back(ode, &s->kept.ode);
    for (uint32_t i = 0; i < flow->model->state_count; i++)
        own->states[i] = s->kept.ode.x[i];
    kernel->R[flow->model->reg_time] = kernel->now.t;
    series_begin(own->series, kernel->R, &kernel->host, &failed);
    lean_compute(kernel, &s->lean);
    flow->islands[0].loaded = kernel->now.t;
    flow->islands[0].sloped = kernel->moment;
    flow->islands[0].terms = 0;
    flow->islands[0].known = false;
}

// ---- one instant
// -----------------------------------------------------------------------------------------------------

static bool is_clear(const Flow* flow)
{
    const IslandState* island = &flow->islands[0];
    return flow->waiting.count == 1 && flow->looks.count == 0 && island->due && island->begun && !island->beyond &&
           !island->ends_beyond && flow->small_count == 0 && flow->kernel->now.t == ode_time(flow->island_odes[0]);
}

// The guard that has crossed. False: it is none of the routine's.
static inline bool find_crossed(const Kernel* kernel, Routine* r, RoutineGuard** crossed)
{
    *crossed = NULL;
    if (kernel->located_count == 0)
        return kernel->due_clocks.count == 1;
    for (uint32_t i = 0; i < r->guard_count; i++)
        if (r->guards[i].index == kernel->located[0])
            *crossed = &r->guards[i];
    return kernel->located_count == 1 && *crossed != NULL;
}

static inline LeanEnd react(Stride* s, double t)
{
    Flow* flow = s->flow;
    Kernel* kernel = flow->kernel;
    RoutineGuard* crossed;
    if (!(t < s->unseen) || kernel_reached(kernel, t, kernel->instant_time) ||
        !find_crossed(kernel, s->lean.scene->routine, &crossed))
        return LEAN_BACK;
    s->lean.length = ode_dense_length(flow->island_odes[0]);
    island_load(flow, 0, t);
    set_instant(kernel, t);
    kernel->moment += 2;
    kernel->react_touches[0] = ++kernel->touch;
    LeanEnd end = lean_react(kernel, &s->lean, crossed, t);
    if (end == LEAN_BACK)
        set_instant(kernel, s->kept.instant_time);
    return end;
}

// After both tags. False: it has to be taken back.
static inline bool arm(Stride* s, LeanEnd end)
{
    Flow* flow = s->flow;
    Kernel* kernel = flow->kernel;
    kernel->located_count = 0;
    kernel->moment++;
    kernel->restarted.count = 0;
    if (end == LEAN_MOVED)
    {
        kernel->restarted.at[kernel->restarted.count++] = 0;
        if (!island_restarts_alone(flow) || !lean_arm(kernel, &s->lean))
            return false;
    }
    if (!kernel->hooks->steady(kernel->owner, &s->lean))
        return false;
    if (!s->lean.jumps)
        return true;
    lean_tell(kernel, &s->lean);
    s->status = kernel->hooks->settles(kernel->owner);
    return true;
}

static void land(Stride* s)
{
    Kernel* kernel = s->flow->kernel;
    uint32_t located = kernel->located_count;
    lean_land(kernel, &s->lean, 0);
    kernel->located_count = located;
}

// What stands before an instant that is not a lean one.
static bool take_general(Stride* s, double t)
{
    if (s->count > 0)
        land(s);
    s->status = flow_plain_instant(s->flow, t);
    s->status = s->status == KAI_INSTANT ? KAI_OK : s->status;
    s->count++;
    s->over = true;
    return false;
}

// To the next instant and through it. False: the stride is over.
static inline bool pass(Stride* s)
{
    Flow* flow = s->flow;
    Kernel* kernel = flow->kernel;
    double t;
    keep(s);
    bool flies = flow->flies && series_degree(flow->island_systems[0].series) <= 2;
    if (!(flies && flight_take(flow, s->until, &t)))
    {
        if (!beat_take(flow, s->until, &t))
            return false;
        s->status = flow->no_memory ? KAI_ERR_MEMORY : flow_arrive(flow, t);
        if (s->status != KAI_OK)
            return s->over = true, s->count++, false;
    }
    LeanEnd end = react(s, t);
    if (end == LEAN_BACK)
        return take_general(s, t);
    if (arm(s, end))
        return s->count++, s->status == KAI_OK;
    lean_take_back(kernel, &s->lean);
    go_back(s);
    return false;
}

static inline bool may_go_on(const Stride* s, uint64_t most)
{
    const Kernel* kernel = s->flow->kernel;
    uint64_t tags = kernel->options->limits.tags;
    return s->count < most && budget_look(kernel->budget) && kernel->now.t < s->until &&
           kernel->now.t + 2 * kernel_slack(kernel, kernel->options->stop) < kernel->options->stop &&
           (tags == 0 || (uint64_t)kernel->counters.tags + 2 <= tags);
}

static bool begin(Stride* s, Flow* flow, double until)
{
    Kernel* kernel = flow->kernel;
    if (!(kernel->now.t < kernel->unseen.until) || !is_clear(flow) || kernel->hold_next != INFINITY ||
        !ode_keeps(flow->island_odes[0]))
        return false;
    s->flow = flow;
    s->until = until;
    s->unseen = kernel->unseen.until;
    s->count = 0;
    s->over = false;
    s->status = KAI_OK;
    s->lean.scene = scene_of_modes(kernel);
    s->lean.tag = (LeanTag){.now = kernel->now};
    s->lean.settles = true;
    if (!lean_serves(kernel, s->lean.scene))
        return false;
    const Routine* r = s->lean.scene->routine;
    for (uint32_t i = 0; i < r->guard_count; i++)
        if (r->guards[i].state->from != kernel->now.t || !r->guards[i].state->active)
            return false;
    return true;
}

uint64_t stride_take(Flow* flow, double until, uint64_t most, kaiStatus* status)
{
    Stride s;
    if (flow->orbit_pause > 0 && flow->orbit_pause-- > 0)
        return 0;
    if (!begin(&s, flow, until))
        return 0;
    while (may_go_on(&s, most) && pass(&s))
        continue;
    bool brief = s.count < STRIDE_SHORT && s.count < most;
    flow->orbit_wait = !brief ? 0 : flow->orbit_wait < STRIDE_PAUSE ? 2 * flow->orbit_wait + 1 : STRIDE_PAUSE;
    flow->orbit_pause = flow->orbit_wait;
    if (s.count > 0 && !s.over)
        land(&s);
    *status = s.status;
    return s.count;
}
