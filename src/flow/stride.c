// Strides (decision 0325): orbits of models whose clocks tick. Instants are lean ones, which listeners note in one
// place. A step to one is a leap (decision 0360), of which neither the solver nor the island is told before the instant
// has turned out to be a lean one; where there is none, the solver takes the step, as in beat.c and flight.c. What
// turns out to be more is taken back with the step that led there, and comes again the general way.
#include "flow/guard_path.h"

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
    bool leaps;      // steps of linear fields of few states may be leaps
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

static inline void keep_kernel(Stride* s)
{
    Kernel* kernel = s->flow->kernel;
    s->kept.counters.guard_calls = kernel->counters.guard_calls;
    s->kept.counters.shortest_step = kernel->counters.shortest_step;
    s->kept.counters.shortest_at = kernel->counters.shortest_at;
    s->kept.counters.longest_step = kernel->counters.longest_step;
    s->kept.instant_time = kernel->instant_time;
    lean_keep(&s->lean);
}

static inline void keep(Stride* s)
{
    ode_keep(s->flow->island_odes[0], &s->kept.ode);
    keep_kernel(s);
}

static void set_instant(Kernel* kernel, double t)
{
    kernel->instant_time = kernel->load_time = kernel->flow_start = t;
}

// The instant has not been, nor the step to it, if it was `taken`.
static void go_back(Stride* s, bool taken)
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
    if (taken)
        ode_back(ode, &s->kept.ode);
    for (uint32_t i = 0; i < flow->model->state_count; i++)
        own->states[i] = ode_state(ode)[i];
    kernel->R[flow->model->reg_time] = kernel->now.t;
    series_begin(own->series, kernel->R, &kernel->host, &failed);
    lean_compute(kernel, &s->lean);
    flow->islands[0].loaded = kernel->now.t;
    flow->islands[0].sloped = kernel->moment;
    flow->islands[0].terms = 0;
    flow->islands[0].known = false;
}

static bool is_clear(const Flow* flow)
{
    const IslandState* island = &flow->islands[0];
    return flow->waiting.count == 1 && flow->looks.count == 0 && island->due && island->begun && !island->beyond &&
           !island->ends_beyond && flow->small_count == 0 && flow->kernel->now.t == ode_time(flow->island_odes[0]);
}

static inline RoutineGuard* find_guard(Routine* r, uint32_t index)
{
    for (uint32_t i = 0; i < r->guard_count; i++)
        if (r->guards[i].index == index)
            return &r->guards[i];
    return NULL;
}

// The guard that has crossed. False: it is none of the routine's.
static inline bool find_crossed(const Kernel* kernel, Routine* r, RoutineGuard** crossed)
{
    *crossed = NULL;
    if (kernel->located_count == 0)
        return kernel->due_clocks.count == 1;
    *crossed = find_guard(r, kernel->located[0]);
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

// ---- one instant, to which a leap leads
// -----------------------------------------------------------------------------------------------

typedef struct Leap
{
    RoutineGuard* crossed;  // NULL: a clock ticks
    uint32_t clock;
    double t, theta, x[FEW_STATES];  // its end
} Leap;

// The step to the next instant, with nothing of the solver changed. False: that is not plain to see.
static inline bool find_leap(Stride* s, Leap* leap)
{
    Flow* flow = s->flow;
    Kernel* kernel = flow->kernel;
    const Ode* ode = flow->island_odes[0];
    double tick;
    uint32_t index;
    if (!beat_is_next(flow, s->until, &leap->clock, &tick) || !island_leaps(flow, tick))
        return false;
    const OdeLeap* l = &flow->leap;
    leap->theta = 1;
    leap->t = tick;
    leap->crossed = NULL;
    if (l->end == tick && leap_is_clear(flow))
    {
        for (uint32_t i = 0; i < flow->model->state_count; i++)
            leap->x[i] = l->x[i];
        return leap->t < s->unseen && !kernel_reached(kernel, tick, kernel->instant_time);
    }
    flow->islands[0].loaded = NAN;
    if (!guard_search_leap(flow, &index, &leap->theta))
        return false;
    leap->crossed = find_guard(s->lean.scene->routine, index);
    if (leap->crossed == NULL || !leap->crossed->crossing)
        return false;
    double t = leap->t = ode_leap_to(ode, l, leap->theta, leap->x);
    return t > kernel->now.t && t + kernel_slack(kernel, t) < tick && t < s->unseen &&
           !kernel_reached(kernel, t, kernel->instant_time);
}

static inline LeanEnd react_there(Stride* s, const Leap* leap)
{
    Flow* flow = s->flow;
    Kernel* kernel = flow->kernel;
    double* x = flow->island_systems[0].states;
    for (uint32_t i = 0; i < flow->model->state_count; i++)
        x[i] = leap->x[i];
    if (leap->crossed == NULL)
    {
        agenda_set(&kernel->agenda, leap->clock, INFINITY);
        kernel->due_clocks.at[kernel->due_clocks.count++] = leap->clock;
    }
    s->lean.length = leap->theta * flow->leap.length;
    set_instant(kernel, leap->t);
    kernel->moment += 2;
    kernel->react_touches[0] = ++kernel->touch;
    return lean_react(kernel, &s->lean, leap->crossed, leap->t);
}

// As island_restarts_alone. False: it has to be taken back.
static inline bool start_there(Stride* s, const Leap* leap)
{
    Flow* flow = s->flow;
    Kernel* kernel = flow->kernel;
    IslandSystem* own = &flow->island_systems[0];
    uint32_t failed, n = flow->model->state_count;
    kernel->moment++;
    if (series_begin(own->series, kernel->R, &kernel->host, &failed) != SERIES_OK)
        return false;
    const double* slopes = island_rates(flow, own);
    double all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += 0 * slopes[i];
    if (!(all == 0) || !lean_arm(kernel, &s->lean) || !kernel->hooks->steady(kernel->owner, &s->lean))
        return false;
    ode_leapt(flow->island_odes[0], &flow->leap, leap->theta, own->states, slopes);
    IslandState* island = &flow->islands[0];
    island->loaded = leap->t;
    island->ahead = larger(island->ahead, leap->t - flow->leap.start);
    island->own = island->disturbed_at = kernel->touch;
    island->sloped = kernel->moment;
    return true;
}

// To the next instant and through it. False: the general way has to take the step, and nothing has changed.
__attribute__((noinline)) static bool pass_leaping(Stride* s)
{
    Flow* flow = s->flow;
    Kernel* kernel = flow->kernel;
    Leap leap;
    keep_kernel(s);
    if (!find_leap(s, &leap))
    {
        kernel->counters.guard_calls = s->kept.counters.guard_calls;
        return false;
    }
    s->status = leap.crossed == NULL ? leap_pass(flow, leap.t) : KAI_OK;
    LeanEnd end = s->status == KAI_OK ? react_there(s, &leap) : LEAN_BACK;
    if (end == LEAN_MOVED && start_there(s, &leap))
    {
        s->count++;
        if (s->lean.jumps)
        {
            lean_tell(kernel, &s->lean);
            s->status = kernel->hooks->settles(kernel->owner);
        }
        return true;
    }
    s->leaps = end != LEAN_STILL;
    if (end != LEAN_BACK)
        lean_take_back(kernel, &s->lean);
    kernel->now = s->lean.tag.now;
    go_back(s, false);
    return false;
}

// ---- many
// -----------------------------------------------------------------------------------------------------------

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
    if (s->leaps && island_is_few(flow) && pass_leaping(s))
        return s->status == KAI_OK;
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
    go_back(s, true);
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
    s->leaps = flow->island_systems[0].states != NULL;
    ode_wake(flow->island_odes[0]);
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
