// Orbits (decision 0325): many instants of a plain model of one island in one go. Up to a time that listeners have
// named nobody looks, and whoever runs to a stop asks for nothing in between: so the run does not hand over after each
// instant. The solver stands aside, as for a glide; of a step there are its coefficients, of an instant what the next
// one reads (kernel/lean.c). What is found to be more than an ordinary instant has not been: the orbit ends with the
// instant before it, all is written where everybody looks for it, and the general way takes the next one.
#include "flow/guard_path.h"

#include "kernel/lean.h"
#include "kernel/scene.h"
#include "num/glide.h"

#include <math.h>

typedef struct OrbitTime  // what a solver knows of time (OdeGlide)
{
    double t, low;  // low: what t lacks
    double last;    // of the last event
    double mean;    // of their distances
    double start;   // of the last step
    double length;  // that it would have had
} OrbitTime;

typedef struct Orbit
{
    Flow* flow;
    IslandSystem* own;
    Lean lean;
    OrbitTime now, next;
    double c[GLIDE_TERMS][GLIDE_STATES];  // of the step from here: states, slopes, half of what these change by
    double limit, until, ahead;
    int degree, n;
    uint32_t reads;  // slopes that the last of these hang on
    bool second;     // which are those that it was made for
    bool reacted;    // the instant that is not to be had begun
    uint64_t count;  // of instants
} Orbit;

enum
{
    ORBIT_SHORT = 8,  // one with fewer instants costs more than it spares
    ORBIT_PAUSE = 256,
};

bool orbit_serves(const Flow* flow)
{
    const kaiModel* model = flow->model;
    return flight_serves(flow) && model->clocks_count + model->blocks_count == 0 &&
           model->state_count <= GLIDE_STATES && flow->guard_terms == NULL && flow->island_systems[0].states != NULL &&
           flow->kernel->options->fired == NULL;
}

// ---- beginning
// -------------------------------------------------------------------------------------------------------

static bool is_clear(const Flow* flow)
{
    const IslandState* island = &flow->islands[0];
    return flow->waiting.count == 1 && flow->looks.count == 0 && island->due && island->begun && !island->beyond &&
           !island->ends_beyond && flow->small_count == 0 && flow->kernel->now.t == ode_time(flow->island_odes[0]);
}

static inline void take_start(Orbit* o, const double* x, const double* slopes)
{
    for (int i = 0; i < o->n; i++)
    {
        o->second &= o->c[1][i] == slopes[i] || (o->reads >> i & 1) == 0;
        o->c[0][i] = x[i];
        o->c[1][i] = slopes[i];
    }
}

static bool are_armed(const Kernel* kernel, const Routine* r)
{
    bool armed = true;
    for (uint32_t i = 0; i < r->guard_count; i++)
        armed &= r->guards[i].state->from == kernel->now.t && r->guards[i].state->active;
    return armed;
}

// The motion from here.
static inline void take_degree(Orbit* o)
{
    o->degree = o->flow->flight.degree = series_degree(o->own->series);
}

// Nothing has changed where it says no.
static bool begin(Orbit* o, Flow* flow, double until)
{
    Kernel* kernel = flow->kernel;
    Ode* ode = flow->island_odes[0];
    OdeGlide glide;
    OdeSpan step;
    uint32_t item;
    *o = (Orbit){.flow = flow, .own = &flow->island_systems[0]};
    if (!is_clear(flow))
        return false;
    if (isnan(flow->islands[0].loaded))
        ode_wake(ode);
    take_degree(o);
    o->limit = smaller(agenda_next(&kernel->agenda, &item), kernel->options->stop);
    o->until = smaller(until, kernel->unseen.until);
    if (!(kernel->now.t < o->until) || o->degree < 1 || o->degree > 2 || kernel->hold_next != INFINITY)
        return false;
    const Scene* scene = o->lean.scene = scene_of_modes(kernel);
    if (!lean_serves(kernel, scene) || !guards_are_plain(flow, scene->routine) || !are_armed(kernel, scene->routine) ||
        !ode_flies(ode) || !ode_take_off(ode, o->degree, &glide, &step))
        return false;
    o->lean.tag.now = kernel->now;
    o->now = (OrbitTime){.t = step.end, .low = glide.low, .last = glide.event_time, .mean = glide.event_mean};
    o->n = glide.n;
    o->reads = series_reads(o->own->series);
    take_start(o, ode_state(ode), ode_slope(ode));
    for (int k = 0; k < GLIDE_TERMS; k++)
        flow->flight.c[k] = o->c[k];
    return true;
}

// ---- one instant
// -----------------------------------------------------------------------------------------------------

// The step to the next crossing, as flight.c takes it. NULL: that is not plain to see.
static inline RoutineGuard* fly(Orbit* o)
{
    Flow* flow = o->flow;
    const OrbitTime* now = &o->now;
    double end, theta, *const rows[] = {o->c[0], o->c[1], o->c[2]};
    if (!o->second && o->degree > 1)
        series_run(o->own->series, 1, 2, rows);
    o->second = true;
    if (!glide_farthest(now->t == now->last ? now->mean : 0, now->low, now->t, o->limit, &flow->flight.length, &end))
        return NULL;
    flow->flight.start = now->t;
    RoutineGuard* crossed = guard_search_routine(flow, o->lean.scene->routine, &theta);
    if (crossed == NULL)
        return NULL;
    double tau = theta * flow->flight.length, *x = o->own->states;
    OrbitTime* next = &o->next;
    next->t = glide_end_at(now->t, now->low, tau, &next->low);
    if (!(next->t < o->until) || !glide_tells(now->mean, next->t - now->last, next->t) ||
        kernel_reached(flow->kernel, o->limit, next->t))
        return NULL;
    next->mean = glide_mean(now->mean, next->t - now->last);
    next->last = next->t;
    next->start = now->t;
    next->length = flow->flight.length;
    for (int i = 0; i < o->n; i++)
    {
        double a = o->degree > 1 ? o->c[2][i] : 0;
        x[i] = (a * tau + o->c[1][i]) * tau + o->c[0][i];
    }
    o->lean.length = tau;
    return crossed;
}

// As island_restarts_alone.
static inline bool start_again(Orbit* o)
{
    Flow* flow = o->flow;
    uint32_t failed;
    if (series_begin(o->own->series, flow->kernel->R, &flow->kernel->host, &failed) != SERIES_OK)
        return false;
    const double* slopes = island_rates(flow, o->own);
    double all = 0;
    for (int i = 0; i < o->n; i++)
        all += 0 * slopes[i];
    return all == 0;
}

// To the next instant and through it. False: it is more than that; the registers may have changed.
static inline bool pass(Orbit* o)
{
    Kernel* kernel = o->flow->kernel;
    RoutineGuard* crossed = fly(o);
    o->reacted = crossed != NULL;
    if (crossed == NULL)
        return false;
    lean_keep(&o->lean);
    if (lean_react(kernel, &o->lean, crossed, o->next.t) != LEAN_MOVED)
        return false;
    if (start_again(o) && lean_arm(kernel, &o->lean) && kernel->hooks->steady(kernel->owner, &o->lean))
        return true;
    lean_take_back(kernel, &o->lean);
    return false;
}

// The states of before the instant, and what is computed from them.
static void go_back(Orbit* o)
{
    Flow* flow = o->flow;
    Kernel* kernel = flow->kernel;
    uint32_t failed;
    double *x = o->own->states, *slopes = island_rates(flow, o->own);
    for (int i = 0; i < o->n; i++)
        x[i] = o->c[0][i];
    kernel->R[flow->model->reg_time] = kernel->now.t;
    if (!o->reacted)
        return;
    series_begin(o->own->series, kernel->R, &kernel->host, &failed);
    for (int i = 0; i < o->n; i++)
        slopes[i] = o->c[1][i];
    lean_compute(kernel, &o->lean);
}

static inline void go_on(Orbit* o)
{
    o->now = o->next;
    o->count++;
    o->ahead = larger(o->ahead, o->now.t - o->now.start);
    take_start(o, o->own->states, island_rates(o->flow, o->own));
    if (o->reads != UINT32_MAX)
        return;
    o->second = false;
    take_degree(o);
}

// ---- the end
// ---------------------------------------------------------------------------------------------------------

// As island_restarts_alone leaves it.
static void land(Orbit* o)
{
    Flow* flow = o->flow;
    Kernel* kernel = flow->kernel;
    IslandState* s = &flow->islands[0];
    const OrbitTime* now = &o->now;
    double c[GLIDE_TERMS * GLIDE_STATES];
    uint32_t count = (uint32_t)o->count;
    OdeGlide glide = {.low = now->low,
                      .start_low = now->low,
                      .event_time = now->last,
                      .event_mean = now->mean,
                      .next = smaller(now->length, 3 * now->mean),
                      .steps = count,
                      .restarts = count,
                      .calls = count,
                      .n = (uint8_t)o->n,
                      .degree = (uint8_t)o->degree};
    for (int i = 0; i < o->n; i++)
        for (int k = 0; k < GLIDE_TERMS; k++)
            c[GLIDE_TERMS * i + k] = o->c[k][i];
    lean_land(kernel, &o->lean, o->count);
    kernel->restarted.at[0] = 0;
    kernel->restarted.count = 1;
    ode_land(flow->island_odes[0], &glide, &(OdeSpan){now->t, now->t, 1, 0}, c, NULL);
    s->loaded = now->t;
    s->own = s->disturbed_at = kernel->touch;
    s->ahead = larger(s->ahead, o->ahead);
    s->terms = 0;
    s->known = false;
    s->pin_time = NAN;
    s->sloped = kernel->moment;
}

static inline bool may_go_on(const Orbit* o, uint64_t most)
{
    const Kernel* kernel = o->flow->kernel;
    uint64_t tags = kernel->options->limits.tags;
    return o->count < most && o->degree >= 1 && o->degree <= 2 && budget_look(kernel->budget) &&
           (tags == 0 || (uint64_t)kernel->counters.tags + 2 <= tags);
}

static void fly_around(Orbit* o, uint64_t most)
{
    kaiCounters* counters = &o->flow->kernel->counters;
    while (may_go_on(o, most))
    {
        int64_t calls = counters->guard_calls;
        if (!pass(o))
        {
            counters->guard_calls = calls;
            go_back(o);
            return;
        }
        go_on(o);
    }
}

uint64_t orbit_take(Flow* flow, double until, uint64_t most)
{
    Orbit o;
    if (flow->orbit_pause > 0 && flow->orbit_pause-- > 0)
        return 0;
    if (!begin(&o, flow, until))
        return 0;
    fly_around(&o, most);
    bool brief = o.count < ORBIT_SHORT && o.count < most;
    flow->orbit_wait = !brief ? 0 : flow->orbit_wait < ORBIT_PAUSE ? 2 * flow->orbit_wait + 1 : ORBIT_PAUSE;
    flow->orbit_pause = flow->orbit_wait;
    if (o.count > 0)
        land(&o);
    return o.count;
}
