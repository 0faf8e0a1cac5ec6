// Guards that are sums of states are polynomials of a step that are known without a series of their own. Mostly they
// are far from their levels, or parabolas, since free flight is the most frequent motion between events, or go one way
// from one side to the other: then the root is found at once, in one pass over the guards, with nothing listed and no
// window opened. Whatever is not plain to see (a guard past its level from the start, a touch, two crossings close
// together or close to the end of the step) is left to the general search. The guard itself, evaluated as the instant
// will do it, has the last word on where it crosses.
#include "flow/guard_short.h"

// ---- the last digits
// -------------------------------------------------------------------------------------------------

double guard_largest_term(const GuardPath* path, double g, double slope)
{
    const Flow* flow = path->flow;
    const Guard* guard = path->guard;
    double size = 0, rest = g;
    for (uint32_t i = 0; i < guard->state_count; i++)
    {
        int state = flow->model->guard_states[guard->first_state + i];
        double x = kernel_states(flow->kernel)[state], dx = kernel_slopes(flow->kernel)[state];
        double term = flow->guard_affine[path->index]      ? flow->guard_factors[guard->first_state + i] * x
                      : guard->state_count == 1 && dx != 0 ? slope / dx * x
                                                           : 0;
        size = larger(size, fabs(term));
        rest -= term;
    }
    return larger(size, fabs(rest));
}

double guard_push_past(const GuardPath* path, double at, double limit, double slope)
{
    return push_past(path, at, limit, slope, guard_path_value);
}

// ---- one guard
// -------------------------------------------------------------------------------------------------------

typedef struct Parabola
{
    double c[3];
    int degree;
} Parabola;

static void take_sum(const GuardPath* path, Sum* p)
{
    const Flow* flow = path->flow;
    const Guard* guard = path->guard;
    p->c[0] = flow->kernel->guards[path->index].g;
    p->degree = 0;
    for (uint32_t i = guard->first_state; i < guard->first_state + guard->state_count; i++)
        p->degree = ode_piece_add(island_ode(flow, path->island), flow->model->guard_slots[i], flow->guard_factors[i],
                                  p->degree, p->c);
}

// ---- all of an island
// ------------------------------------------------------------------------------------------------

static bool settle(const GuardPath* path, double slope, double first, double* theta)
{
    Kernel* kernel = path->flow->kernel;
    bool alone = path->flow->model->islands_count == 1;  // then it meets nothing
    double at = guard_push_past(path, first / path->length, 1, slope);
    if (!(at < 1))
        return false;
    kernel->located[kernel->located_count++] = path->index;
    kernel->guards[path->index].slack =
        alone ? 0 : guard_crossing_slack(path, guard_path_time(path, at), guard_value(kernel, path->guard), slope);
    *theta = at;
    return true;
}

GuardShort guard_search_short(Flow* flow, uint32_t island, double* theta)
{
    double first = INFINITY, second = INFINITY, slope = 0;
    Sum p;
    GuardPath path, nearest;
    if (!is_short(flow, island))
        return SHORT_UNSURE;
    for (GuardWalk w = {.island = island}; own_guard(flow->kernel, &w);)
    {
        GuardState* state = &flow->kernel->guards[w.index];
        path = guard_path_of_step(flow, w.index, island);
        if (!flow->guard_affine[w.index] || state->from != path.start || state->sliding != 0)
            return SHORT_UNSURE;
        state->until = state->from;  // the rest of the step is not looked at, if it is cut
        take_sum(&path, &p);
        double at = find_root(&path, p.c, p.degree);
        if (isnan(at))
            return SHORT_UNSURE;
        second = smaller(second, larger(first, at));
        if (at < first)
        {
            slope = polynomial_slope(p.c, p.degree, at);
            nearest = path;
            first = at;
        }
    }
    if (first == INFINITY)
        return SHORT_CLEAR;
    return stands_alone(&nearest, first, second) && settle(&nearest, slope, first, theta) ? SHORT_CROSSED
                                                                                          : SHORT_UNSURE;
}

// ---- several islands
// -------------------------------------------------------------------------------------------------

enum
{
    SHARES_MOST = 4,  // states of a sum that is evaluated from the pieces of its islands
};

typedef struct Share  // of one state
{
    IslandState* island;
    const double* c;
    uint32_t state;
    double first, part;  // where the window begins in the step, and its part of that
} Share;

typedef struct ShortWindow
{
    GuardPath path;  // first: see value_in_window
    Share shares[SHARES_MOST];
    uint32_t count;  // of the shares; 0: they are not known
} ShortWindow;

// The sum over a window, which begins somewhere in the steps of the islands. *size: the largest of the states there.
// False: a step is none of these.
static bool take_window(ShortWindow* w, Parabola* p, double* size)
{
    const GuardPath* path = &w->path;
    const Flow* flow = path->flow;
    const kaiModel* model = flow->model;
    const uint32_t first = path->guard->first_state, count = path->guard->state_count;
    bool known = count <= SHARES_MOST;
    *p = (Parabola){.c = {flow->kernel->guards[path->index].g}, .degree = 2};
    *size = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t state = (uint32_t)model->guard_states[first + i], number = model->state_islands[state];
        IslandState* island = &flow->islands[number];
        const double* c = flow->shorts + PIECE_TERMS * (size_t)state;
        double by = path->start - island_start(flow, number), factor = flow->guard_factors[first + i],
               own[3] = {0, 0, 0};
        if (island->terms == 0)
        {
            if (!ode_short_piece(island_ode(flow, number), model->guard_slots[first + i], own))
                return false;
            known = false;
            c = own;
        }
        *size = larger(*size, fabs(c[0] + by * (c[1] + by * c[2])));
        p->c[1] += factor * (c[1] + 2 * by * c[2]);
        p->c[2] += factor * c[2];
        if (known)
            w->shares[i] = (Share){.island = island, .c = c, .state = state};
    }
    w->count = known ? count : 0;
    return true;
}

// As island_window_theta has it.
static void place_window(ShortWindow* w)
{
    for (uint32_t i = 0; i < w->count; i++)
    {
        Share* share = &w->shares[i];
        double start = share->island->step.start, h = share->island->step.end - start;
        bool whole = w->path.start == start && w->path.length == h;
        share->first = whole ? 0 : h > 0 ? (w->path.start - start) / h : 1;
        share->part = whole ? 1 : h > 0 ? w->path.length / h : 0;
        share->island->loaded = NAN;
    }
}

// As guard_path_value has it, whose code is asked for in any case.
static inline double value_in_window(const GuardPath* path, double theta)
{
    const ShortWindow* w = (const ShortWindow*)path;
    Flow* flow = path->flow;
    Kernel* kernel = flow->kernel;
    if (theta >= 1)
        return guard_path_value(path, theta);
    kernel->counters.guard_calls++;
    kernel->R[flow->model->reg_time] = guard_path_time(path, theta);
    for (uint32_t i = 0; i < w->count; i++)
    {
        const Share* share = &w->shares[i];
        double at = share->first + theta * share->part;
        kernel_states(kernel)[share->state] = island_value(flow, share->island, at, share->state);
    }
    vm_run(flow->model, kernel->R, path->guard->code, &flow->trial);
    return guard_value(kernel, path->guard);
}

// So close to its level where the window ends that it may count as crossed there.
static bool ends_near(const GuardPath* path, const Parabola* p)
{
    double far = TIME_GUARD_MOST * kernel_slack(path->flow->kernel, path->start + path->length);
    double end = p->c[0] + path->length * (p->c[1] + path->length * p->c[2]);
    return !(fabs(end) > far * fabs(p->c[1] + 2 * path->length * p->c[2]));
}

GuardShort guard_look_short(const GuardPath* path, double* theta, double* slope)
{
    const Flow* flow = path->flow;
    const GuardState* state = &flow->kernel->guards[path->index];
    PolynomialRoot roots[3];
    ShortWindow w;
    Parabola p;
    double size;
    if (!flow->guard_affine[path->index] || flow->root != ROOT_ITP || flow->kernel->holds > 0 ||
        path->guard->code.start == path->guard->code.end || is_past(flow->kernel, path->guard, state->g))
        return SHORT_UNSURE;
    w.path = *path;
    if (!take_window(&w, &p, &size))
        return SHORT_UNSURE;
    double noise = GUARD_NOISE_APART * size;
    if (polynomial_clear(p.c, p.degree, path->length, noise))
        return ends_near(path, &p) ? SHORT_UNSURE : SHORT_CLEAR;
    int count = polynomial_roots_closed(p.c, p.degree, path->length, noise, roots);
    double first = count == 0 && goes_one_way(p.c, p.degree) ? INFINITY : choose_root(path, roots, count);
    if (first == INFINITY)
        return ends_near(path, &p) ? SHORT_UNSURE : SHORT_CLEAR;
    if (isnan(first) || !stands_alone(path, first, INFINITY))
        return SHORT_UNSURE;
    *slope = p.c[1] + 2 * first * p.c[2];
    place_window(&w);
    double at = first / path->length;
    *theta = w.count > 0 ? push_past(&w.path, at, 1, *slope, value_in_window) : guard_push_past(path, at, 1, *slope);
    return *theta < 1 ? SHORT_CROSSED : SHORT_UNSURE;
}

// ---- flights
// ---------------------------------------------------------------------------------------------------------

// As ode_dense_some would evaluate it; the state, like all of the flight, has not been taken yet.
static inline double state_in_flight(const OdeFlight* f, int slot, double tau)
{
    double slope = f->degree > 1 ? f->c[2][slot] * tau + f->c[1][slot] : f->c[1][slot];
    return slope * tau + f->c[0][slot];
}

static inline double direct_in_flight(const GuardPath* path, double theta)
{
    Flow* flow = path->flow;
    uint32_t first = path->guard->first_state;
    double value = state_in_flight(&flow->flight, flow->model->guard_slots[first], theta * flow->flight.length);
    kernel_states(flow->kernel)[flow->model->guard_states[first]] = value;
    return value + flow->kernel->guards[path->index].bias;
}

static double code_in_flight(const GuardPath* path, double theta)
{
    Flow* flow = path->flow;
    const Guard* guard = path->guard;
    const int* slots = flow->model->guard_slots;
    double *x = kernel_states(flow->kernel), tau = theta * flow->flight.length;
    for (uint32_t i = guard->first_state; i < guard->first_state + guard->state_count; i++)
        x[flow->model->guard_states[i]] = state_in_flight(&flow->flight, slots[i], tau);
    flow->kernel->R[flow->model->reg_time] = guard_path_time(path, theta);
    vm_run(flow->model, flow->kernel->R, guard->code, &flow->kernel->host);
    return guard_value(flow->kernel, guard);
}

static double value_in_flight(const GuardPath* path, double theta)
{
    path->flow->kernel->counters.guard_calls++;
    return path->flow->guard_direct[path->index] ? direct_in_flight(path, theta) : code_in_flight(path, theta);
}

static inline void parabola_in_flight(const GuardPath* path, double g, Parabola* p)
{
    const Flow* flow = path->flow;
    const Guard* guard = path->guard;
    const OdeFlight* f = &flow->flight;
    *p = (Parabola){.c = {g}, .degree = f->degree};
    for (uint32_t i = guard->first_state, end = i + guard->state_count; i < end; i++)
    {
        int slot = flow->model->guard_slots[i];
        p->c[1] += flow->guard_factors[i] * f->c[1][slot];
        if (f->degree > 1)
            p->c[2] += flow->guard_factors[i] * f->c[2][slot];
    }
}

typedef struct FlightSearch
{
    double first, second, slope;
    GuardPath nearest;
} FlightSearch;

// Where a guard that stands at its start crosses. False: that is not plain to see.
__attribute__((always_inline)) static inline bool look_in_flight(Flow* flow, uint32_t index, const Guard* guard,
                                                                 const GuardState* state, FlightSearch* s)
{
    const OdeFlight* f = &flow->flight;
    const GuardPath path = {flow, index, guard, f->start, f->length, state->toward, 0};
    Parabola p;
    parabola_in_flight(&path, state->g, &p);
    double at = p.c[0] == 0 && p.degree == 2 ? find_return(&path, p.c) : NAN;
    at = isnan(at) ? find_root(&path, p.c, p.degree) : at;
    if (isnan(at))
        return false;
    s->second = smaller(s->second, larger(s->first, at));
    if (at < s->first)
    {
        s->slope = p.c[1] + 2 * at * p.c[2];
        s->nearest = path;
        s->first = at;
    }
    return true;
}

__attribute__((always_inline)) static inline bool settle_flight(Flow* flow, const FlightSearch* s, double* theta)
{
    const GuardPath* path = &s->nearest;
    if (!stands_alone(path, s->first, s->second))
        return false;
    double at = s->first / path->length;
    if (is_crossing(path->guard))       // on its level it has not crossed yet
        at += 0.51 * DBL_EPSILON * at;  // the next number
    *theta = smaller(at, 1);
    flow->kernel->counters.guard_calls++;
    double g = flow->guard_direct[path->index] ? direct_in_flight(path, *theta) : code_in_flight(path, *theta);
    if (!is_past(flow->kernel, path->guard, g))  // mostly it is
    {
        flow->kernel->counters.guard_calls--;  // the same place is asked for again
        *theta = push_past(path, at, 1, s->slope, value_in_flight);
    }
    return *theta < 1;
}

static inline bool is_known_in_flight(const Flow* flow, uint32_t index)
{
    CodeRange code = flow->model->guards[index].code;
    return flow->guard_affine[index] && code.start < code.end;
}

bool guard_search_flight(Flow* flow, uint32_t* index, double* theta)
{
    FlightSearch s = {.first = INFINITY, .second = INFINITY, .nearest = {.flow = flow}};
    for (uint32_t i = 0; i < flow->model->guards_count; i++)
    {
        const GuardState* state = &flow->kernel->guards[i];
        if (!state->active)
            continue;
        if (!is_known_in_flight(flow, i) || state->from != flow->flight.start || state->sliding != 0 ||
            !look_in_flight(flow, i, &flow->model->guards[i], state, &s))
            return false;
    }
    *index = s.nearest.index;
    return s.first < INFINITY && settle_flight(flow, &s, theta);
}

RoutineGuard* guard_search_routine(Flow* flow, Routine* r, double* theta)
{
    FlightSearch s = {.first = INFINITY, .second = INFINITY, .nearest = {.flow = flow}};
    RoutineGuard* found = NULL;
    for (RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
    {
        double first = s.first;
        if (!look_in_flight(flow, at->index, at->guard, at->state, &s))
            return NULL;
        found = s.first < first ? at : found;
    }
    return found != NULL && settle_flight(flow, &s, theta) ? found : NULL;
}

bool guards_are_plain(const Flow* flow, const Routine* r)
{
    bool plain = true;
    for (uint32_t i = 0; i < r->guard_count; i++)
        plain &= is_known_in_flight(flow, r->guards[i].index);
    return plain;
}
