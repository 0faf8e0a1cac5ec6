// What goes into `delay(u, T)`: the steps of the island that computes u, as polynomials. The polynomials of the states
// go through the power series of u's own code (vm/series), as for guards; where the series is cut off it is taken for
// as long as its last terms are below rounding and its end agrees with u itself, and expanded again from there. So u is
// resolved whatever the steps of the states are. Where u has no series it is fitted, in parts that are halved until the
// fit agrees with u between its nodes. The histories belong to the kernel.
//
// At an instant the right limit is compared with the left one; a jump comes out T later (rule D1).
#include "base/tolerance.h"
#include "flow/flow.h"
#include "num/polynomial.h"
#include "vm/tangent.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum
{
    PAST_PARTS = 1000000,
    PARTS_MOST = 2000,  // of one signal in one step; then the step is cut where it has got to
    FIT_DEGREE = 8,
    TERMS_LEAST = 8,  // of a series whose next term is too large for a double: with these it is cut off shorter
};

typedef struct Feed
{
    Flow* flow;
    Kernel* kernel;
    const Delay* d;
    History* h;
    CodeRange code;
    uint32_t reg;  // where the code leaves the signal
    Series* series;
    Ode* ode;              // NULL: the past before the start, which reads no states
    double start, length;  // of the step
} Feed;

// ---- series
// ----------------------------------------------------------------------------------------------------------

static bool has_code(const Delay* d)
{
    return d->code.end > d->code.start;
}

// Inputs are the states that its own code reads; where it has none, all of its island and then their derivatives.
static uint32_t input_count(const kaiModel* model, const Delay* d)
{
    return has_code(d) ? d->state_count : 2 * model->islands[d->island].states.count;
}

static uint32_t input_state(const kaiModel* model, const Delay* d, uint32_t i)
{
    return has_code(d) ? (uint32_t)model->guard_states[d->first_state + i]
                       : model->island_states[model->islands[d->island].states.first + i];
}

static Series* make_series(Flow* flow, const Delay* d)
{
    const kaiModel* model = flow->model;
    uint32_t count = input_count(model, d), states = has_code(d) ? count : count / 2;
    for (uint32_t i = 0; i < states; i++)
    {
        flow->feed_registers[i] = model->reg_first[REG_STATE] + input_state(model, d, i);
        if (!has_code(d))
            flow->feed_registers[states + i] = model->reg_first[REG_DERIV] + input_state(model, d, i);
    }
    SeriesSpec spec = {.range = has_code(d) ? d->code : d->look,
                       .inputs = flow->feed_registers,
                       .outputs = &d->flow_value,
                       .input_count = count,
                       .output_count = 1};
    return series_create(flow->series_space, &spec);
}

static Series* make_past(Flow* flow, const Delay* d)
{
    SeriesSpec spec = {.range = d->past_code, .outputs = &d->past, .output_count = 1};
    return series_create(flow->series_space, &spec);
}

static size_t rows_size(const Flow* flow)
{
    return sizeof(double) * ((size_t)flow->feed_capacity * (HISTORY_TERMS + 1) + 1);
}

bool feeds_create(Flow* flow)
{
    const kaiModel* model = flow->model;
    kaiAllocator a = flow->kernel->options->allocator;
    bool any = false;
    for (uint32_t i = 0; i < model->delays_count; i++)
    {
        if (model->delays[i].event)
            continue;
        uint32_t count = input_count(model, &model->delays[i]);
        flow->feed_capacity = count > flow->feed_capacity ? count : flow->feed_capacity;
        any = true;
    }
    if (!any)
        return true;
    if (flow->series_space == NULL)
        flow->series_space = series_space_create(model, a);
    flow->feed_rows = a.alloc(a.user, NULL, 0, rows_size(flow));
    flow->feed_registers = a.alloc(a.user, NULL, 0, sizeof(uint32_t) * (flow->feed_capacity + 1));
    if (flow->series_space == NULL || flow->feed_rows == NULL || flow->feed_registers == NULL)
        return false;
    memset(flow->feed_rows, 0, rows_size(flow));
    for (uint32_t i = 0; i < model->delays_count; i++)
    {
        const Delay* d = &model->delays[i];
        if (!d->event && (flow->feed_series[i] = make_series(flow, d)) == NULL)
            return false;
        if (d->past != NO_REG && (flow->past_series[i] = make_past(flow, d)) == NULL)
            return false;
    }
    return true;
}

void feeds_free(Flow* flow)
{
    kaiAllocator a = flow->kernel->options->allocator;
    for (uint32_t i = 0; flow->feed_series != NULL && flow->past_series != NULL && i < flow->model->delays_count; i++)
    {
        series_free(flow->feed_series[i]);
        series_free(flow->past_series[i]);
    }
    if (flow->feed_rows != NULL)
        a.alloc(a.user, flow->feed_rows, rows_size(flow), 0);
    if (flow->feed_registers != NULL)
        a.alloc(a.user, flow->feed_registers, sizeof(uint32_t) * (flow->feed_capacity + 1), 0);
}

// ---- the signal along the step
// ---------------------------------------------------------------------------------------

static void load(const Feed* f, double t)
{
    f->kernel->R[f->flow->model->reg_time] = t;
    if (f->ode != NULL)
        island_look(f->flow, f->d->island, f->start, f->length, (t - f->start) / f->length, !has_code(f->d));
}

static double value_at(const Feed* f, double t)
{
    load(f, t);
    vm_run(f->flow->model, f->kernel->R, f->code, &f->kernel->host);
    return f->kernel->R[f->reg];
}

// Coefficients of all inputs around t, order by order: rows[k * count + i]. The highest degree.
static int load_rows(const Feed* f, double t, double* rows)
{
    const kaiModel* model = f->flow->model;
    uint32_t count = input_count(model, f->d), states = has_code(f->d) ? count : count / 2;
    if (f->ode == NULL || states == 0)
        return 0;
    int degree = ode_piece_degree(f->ode);
    double c[HISTORY_TERMS + 1];
    for (uint32_t i = 0; i < states; i++)
    {
        ode_piece(f->ode, (int)model->state_slots[input_state(model, f->d, i)], c);
        if (t != f->start)
            polynomial_shift(c, degree, t - f->start, c);
        for (int k = 1; k <= degree; k++)
            rows[(uint32_t)k * count + i] = c[k];
        for (int k = 1; states < count && k <= degree; k++)
            rows[(uint32_t)k * count + states + i] = k < degree ? (k + 1) * c[k + 1] : 0;
    }
    return degree;
}

typedef struct Part  // of the signal, from `from` on
{
    double from, length;
    int degree;
    bool ended;  // taken to have no terms beyond these
    double c[HISTORY_TERMS];
} Part;

// As long as the last terms are below rounding, so that what was cut off is.
static void resolve(Part* p)
{
    for (int round = 0; round < 60; round++)
    {
        double size = polynomial_bound(p->c, p->degree, p->length, 0), longest = p->length;
        if (!isfinite(size))
            longest = p->length / 1024;
        for (int k = p->degree; isfinite(size) && k > 0 && k > p->degree - 3; k--)
            if (p->c[k] != 0)
                longest = fmin(longest, pow(DBL_EPSILON / 2 * fmax(size, DELAY_NOTHING) / fabs(p->c[k]), 1. / k));
        if (longest >= p->length)
            return;
        p->length = fmin(longest, 0.95 * p->length);
    }
}

typedef void SetRange(Flow* flow, uint32_t reg, const double* c, uint32_t stride, int degree, double h);

// By how many units an operator moves while time and states do.
static double units_of(const Feed* f, int inputs, double length, SetRange* set)
{
    Flow* flow = f->flow;
    const kaiModel* model = flow->model;
    uint32_t count = f->ode != NULL ? input_count(model, f->d) : 0, states = has_code(f->d) ? count : count / 2;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t first = model->reg_first[i < states ? REG_STATE : REG_DERIV];
        set(flow, first + input_state(model, f->d, i % states), flow->feed_rows + count + i, count, inputs, length);
    }
    return ranges_walk(flow->ranges, model->code + f->code.start, f->code.end - f->code.start);
}

static void begin(const Feed* f, double middle, double half)
{
    ranges_begin(f->flow->ranges, f->kernel->R, &f->kernel->host, HIDDEN_STEP);
    ranges_set(f->flow->ranges, f->flow->model->reg_time, middle, half, 0);
}

// As far as nothing is hidden from a series that begins here (hidden.c): a signal that sleeps has one of nothing. What
// is not known at a single time either is in no shorter part.
static void stay_unhidden(const Feed* f, int inputs, Part* p)
{
    double least = 8 * DBL_EPSILON * fmax(fabs(p->from), p->length);
    for (; p->length > least; p->length *= 0.5)
    {
        begin(f, p->from + 0.5 * p->length, 0.5 * p->length);
        if (units_of(f, inputs, p->length, hidden_set_range) <= HIDDEN_STEP)
            return;
        begin(f, p->from + HIDDEN_PLACE * p->length, 0);
        if (units_of(f, inputs, p->length, hidden_set_place) > HIDDEN_STEP)
            return;
    }
}

static bool is_sharp(const Feed* f)
{
    uint8_t* answer = f->ode != NULL ? f->flow->feed_sharp : f->flow->past_sharp;
    return hidden_is_sharp(f->flow, f->flow->model->code + f->code.start, f->code.end - f->code.start,
                           answer + (f->d - f->flow->model->delays)) &&
           hidden_ranges(f->flow) != NULL;
}

// The series from where the history ends. False: there is none.
static bool expand(const Feed* f, Part* p)
{
    uint32_t failed, count = input_count(f->flow->model, f->d);
    Series* series = f->series;
    load(f, p->from);
    SeriesStatus status = series_begin(series, f->kernel->R, &f->kernel->host, &failed);
    f->flow->no_memory |= status == SERIES_MEMORY;
    if (status != SERIES_OK)
        return false;
    p->length = fmin(p->length, f->kernel->series_until - p->from);
    double *rows = f->flow->feed_rows, *zeros = rows + (size_t)f->flow->feed_capacity * HISTORY_TERMS;
    int inputs = load_rows(f, p->from, rows);
    if (is_sharp(f))
        stay_unhidden(f, inputs, p);
    p->c[0] = f->kernel->R[f->reg];
    for (p->degree = 0; p->degree + 1 < HISTORY_TERMS && !p->ended && isfinite(p->c[p->degree]);)
    {
        int k = ++p->degree;
        series_order(series, k, k <= inputs ? rows + (size_t)k * count : zeros, &p->c[k]);
        p->ended = k >= inputs + 3 && polynomial_has_ended(p->c, k, p->length, DELAY_QUIET);
    }
    if (!isfinite(p->c[p->degree]) && p->degree > TERMS_LEAST)
        p->degree--;
    if (!p->ended && isfinite(p->c[p->degree]))
        resolve(p);
    return isfinite(p->c[p->degree]);
}

// What the rounding of t makes of a signal that is fast beside it.
static double time_noise(const Part* p)
{
    double slope = 0;
    for (int k = p->degree; k > 0; k--)
        slope = slope * p->length + k * fabs(p->c[k]);
    return 2 * DBL_EPSILON * (fabs(p->from) + p->length) * slope;
}

static double misfit_at(const Feed* f, const Part* p, double part)
{
    return fabs(polynomial_plain(p->c, p->degree, part * p->length) - value_at(f, p->from + part * p->length));
}

// At the end; inside as well where terms may be missing that vanish there.
static double misfit_of_series(const Feed* f, const Part* p)
{
    double off = misfit_at(f, p, 1);
    return p->ended ? fmax(off, fmax(misfit_at(f, p, WINDOW_LOOK_1), misfit_at(f, p, WINDOW_LOOK_2))) : off;
}

// What the operators of the signal round by at the end of a part: cos(t^2) - 1 is 0 as long as its series is not, and
// is off by 1e-16 however short the part.
static double rounding_at_end(const Feed* f, const Part* p)
{
    const kaiModel* model = f->flow->model;
    double *bounds = rounding_bounds(f->flow), rounding = 0;
    if (bounds == NULL)
        return 0;
    value_at(f, p->from + p->length);
    for (uint32_t i = 0; i < model->state_count; i++)
        bounds[model->reg_first[REG_STATE] + i] = 0.5 * DBL_EPSILON * fabs(kernel_states(f->kernel)[i]);
    if (vm_rounding(model, f->kernel->R, f->code, &f->kernel->host, bounds))
        rounding = bounds[f->reg];
    memset(bounds, 0, sizeof(double) * model->reg_count);
    return isfinite(rounding) ? WINDOW_ROUNDINGS * rounding : 0;
}

// A pole, a kink that nobody watches, or terms that vanish by symmetry show as a difference. A small one that does not
// shrink is the rounding of u.
static void agree(const Feed* f, Part* p)
{
    double last = INFINITY, least = 8 * DBL_EPSILON * fmax(fabs(p->from), p->length);
    while (p->length > least)
    {
        double off = misfit_of_series(f, p), size = polynomial_bound(p->c, p->degree, p->length, 0);
        if (off <= DELAY_AGREE * size + time_noise(p) + DELAY_NOTHING ||
            (off <= DELAY_ROUGH * size && off > 0.2 * last))
            return;
        if (last < INFINITY && off <= rounding_at_end(f, p))
            return;
        last = off;
        p->length *= 0.25;
    }
    p->length = fmax(p->length, least);
}

// ---- signals without a series
// ----------------------------------------------------------------------------------------

// The polynomial through u at the Chebyshev points, by Newton's divided differences.
static void fit_once(const Feed* f, Part* p)
{
    double at[FIT_DEGREE + 1], c[FIT_DEGREE + 1];
    for (int i = 0; i <= FIT_DEGREE; i++)
    {
        at[i] = 0.5 * p->length * (1 - cos(M_PI * i / FIT_DEGREE));
        c[i] = value_at(f, p->from + at[i]);
    }
    for (int j = 1; j <= FIT_DEGREE; j++)
        for (int i = FIT_DEGREE; i >= j; i--)
            c[i] = (c[i] - c[i - 1]) / (at[i] - at[i - j]);
    p->degree = FIT_DEGREE;
    memset(p->c, 0, sizeof p->c);
    for (int i = FIT_DEGREE; i >= 0; i--)  // p = c[i] + (t - at[i]) p
    {
        for (int k = FIT_DEGREE; k > 0; k--)
            p->c[k] = p->c[k - 1] - at[i] * p->c[k];
        p->c[0] = c[i] - at[i] * p->c[0];
    }
}

static double misfit(const Feed* f, const Part* p)
{
    static const double places[] = {0.03, 0.29, 0.55, 0.93};
    double most = 0;
    for (int i = 0; i < 4; i++)
        most = fmax(most, misfit_at(f, p, places[i]));
    return most;
}

static void fit(const Feed* f, Part* p)
{
    double rtol = fmax(f->kernel->options->rtol, DELAY_FIT_RTOL), least = DELAY_FIT_SHORTEST * p->length,
           last = INFINITY;
    for (;;)
    {
        fit_once(f, p);
        double off = misfit(f, p), size = polynomial_bound(p->c, p->degree, p->length, 0);
        if (off <= DELAY_FIT * rtol * size || p->length <= least || off > 0.9 * last)
            return;
        last = off;
        p->length *= 0.5;
    }
}

// ---- feeding
// ---------------------------------------------------------------------------------------------------------

// What all histories of the island know: code without a series may read any of them.
static double known_until(const Flow* flow, uint32_t island)
{
    const IndexRange delays = flow->model->islands[island].delays;
    double until = INFINITY;
    for (uint32_t i = 0; i < delays.count; i++)
    {
        uint32_t delay = flow->model->island_delays[delays.first + i];
        if (!flow->model->delays[delay].varies)
            until = fmin(until, flow->kernel->histories[delay].end + flow->kernel->R[flow->model->delays[delay].time]);
    }
    return until;
}

// Nobody reads what is older: guards look back to the last common step of their islands, no further.
static double keep_from(const Kernel* kernel, const Delay* d)
{
    return d->varies ? -INFINITY : kernel->now.t - 2 * kernel->R[d->time];
}

// The piece before leads into the part: whatever happened there did not matter to this signal.
static bool goes_on(const Feed* f, const Part* p)
{
    double before[HISTORY_TERMS], size = polynomial_bound(p->c, p->degree, p->length, 0), power = 1;
    uint32_t last = f->h->count - 1;
    if (f->h->count == 0)
        return false;
    double reach = fmin(p->length, p->from - history_piece(f->h, last)->start);
    history_expand(f->h, last, p->from, HISTORY_TERMS, before);
    for (int k = 0; k < HISTORY_TERMS; k++, power *= reach)
        if (!(fabs(before[k] - (k <= p->degree ? p->c[k] : 0)) * power <=
              DELAY_SMOOTH * f->kernel->options->rtol * size))
            return false;
    return true;
}

static kaiStatus remember(const Feed* f, const Part* p, double until)
{
    int degree = p->degree;
    while (degree > 0 && p->c[degree] == 0)
        degree--;
    HistoryPiece piece = {.start = p->from, .degree = (uint16_t)degree, .order = f->h->order};
    f->h->order = 0;
    if (piece.order > 1 && goes_on(f, p))
        piece.order = 0;
    history_forget(f->h, keep_from(f->kernel, f->d));
    double end = p->from + p->length;
    f->h->end = end > until || kernel_same_time(f->kernel, end, until) ? until : end;
    return delay_remember(f->kernel, f->h, &piece, p->c);
}

// One part more, at most to `until`. Where it reads what is not known yet it waits: h->end stays.
static kaiStatus feed_part(const Feed* f, double until)
{
    Part p = {.from = f->h->end, .length = until - f->h->end};
    f->kernel->series_until = INFINITY;
    bool series = expand(f, &p);
    if (f->flow->no_memory)
        return KAI_ERR_MEMORY;
    if (series && p.length > 0)
        agree(f, &p);
    else if (!series)
    {
        p.length = (f->ode != NULL ? fmin(until, known_until(f->flow, f->d->island)) : until) - p.from;
        if (p.length > 0)
            fit(f, &p);
    }
    return p.length > 0 ? remember(f, &p, until) : KAI_OK;
}

static Feed feed_of(Flow* flow, uint32_t index)
{
    const Delay* d = &flow->model->delays[index];
    Ode* ode = island_ode(flow, d->island);
    return (Feed){.flow = flow,
                  .kernel = flow->kernel,
                  .d = d,
                  .h = &flow->kernel->histories[index],
                  .code = has_code(d) ? d->code : d->look,
                  .reg = d->flow_value,
                  .series = flow->feed_series[index],
                  .ode = ode,
                  .start = ode_step_start(ode),
                  .length = ode_time(ode) - ode_step_start(ode)};
}

// All delays of an island go forward together, since one may read what another has just been fed. How far all got.
static kaiStatus feed_all(Flow* flow, uint32_t island, double until, double* reached)
{
    const IndexRange delays = flow->model->islands[island].delays;
    kaiStatus status = KAI_OK;
    for (uint32_t round = 0; round < PARTS_MOST && status == KAI_OK && *reached < until; round++)
    {
        *reached = until;
        for (uint32_t i = 0; i < delays.count && status == KAI_OK; i++)
        {
            uint32_t delay = flow->model->island_delays[delays.first + i];
            Feed f = feed_of(flow, delay);
            if (f.h->end < until)
                status = feed_part(&f, until);
            if (status == KAI_OK)
                status = pace_check(flow, delay);
            *reached = fmin(*reached, f.h->end);
        }
    }
    return status;
}

// After a step of the island.
kaiStatus delay_feed(Flow* flow, uint32_t island)
{
    const IndexRange delays = flow->model->islands[island].delays;
    Ode* ode = island_ode(flow, island);
    double start = ode_step_start(ode), until = ode_time(ode), reached = start;
    if (delays.count == 0 || !(until > start))
        return KAI_OK;
    kaiStatus status = feed_all(flow, island, until, &reached);
    if (status != KAI_OK || reached >= until)
        return status;
    if (!(reached > start))
        return kernel_fail(flow->kernel, flow->model->delays[flow->model->island_delays[delays.first]].place,
                           "a delay must be longer than what time can resolve",
                           "a delayed signal cannot be followed at t = %.17g", start);
    ode_cut(ode, (reached - start) / (until - start));
    delay_cut(flow, island, ode_time(ode));
    return KAI_OK;
}

// What was given of the past, from `from` to the start.
static kaiStatus feed_past(Flow* flow, uint32_t index, double from)
{
    const Delay* d = &flow->model->delays[index];
    Feed f = {.flow = flow,
              .kernel = flow->kernel,
              .d = d,
              .h = &flow->kernel->pasts[index],
              .code = d->past_code,
              .reg = d->past,
              .series = flow->past_series[index]};
    double until = flow->kernel->options->start, held = flow->kernel->R[flow->model->reg_time];
    kaiStatus status = KAI_OK;
    history_clear(f.h);
    f.h->end = from;
    bool sound = true;
    for (uint32_t parts = 0; parts < PAST_PARTS && f.h->end < until && status == KAI_OK && sound; parts++)
    {
        status = feed_part(&f, until);
        if (status == KAI_OK)
            status = pace_check_past(flow, index, from, parts + 1);
        uint32_t last = f.h->count - 1;
        sound = f.h->count == 0 || isfinite(history_value(f.h, last, history_piece(f.h, last)->start, 0));
    }
    flow->kernel->R[flow->model->reg_time] = held;
    for (uint32_t i = 0; status == KAI_OK && i < f.h->count; i++)
        if (!isfinite(history_value(f.h, i, history_piece(f.h, i)->start, 0)))
            return kernel_fail(flow->kernel, d->place, "the past must have a value from start - T on",
                               "the past of a delayed signal is not a number at t = %.17g",
                               history_piece(f.h, i)->start);
    if (status == KAI_OK && f.h->end < until)
        return kernel_fail(flow->kernel, d->place, "give a past that is slower, or a shorter delay",
                           "the past of a delayed signal cannot be followed near t = %.17g", f.h->end);
    return status;
}

kaiStatus delay_feed_pasts(Flow* flow)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < flow->model->delays_count && status == KAI_OK; i++)
    {
        const Delay* d = &flow->model->delays[i];
        double T = flow->kernel->R[d->time];
        if (d->past != NO_REG)
            status = feed_past(flow, i, flow->kernel->options->start - (d->varies ? 2 * T : 1.001 * T));
    }
    return status;
}

// A delay that has grown reads what lies before all that was asked for.
kaiStatus delay_feed_back(Flow* flow, uint32_t index, double at)
{
    const History* past = &flow->kernel->pasts[index];
    double start = flow->kernel->options->start;
    if (flow->model->delays[index].past == NO_REG || past->count == 0)
        return KAI_OK;
    double first = history_piece(past, 0)->start;
    return at - first > 0.25 * (start - first) ? KAI_OK : feed_past(flow, index, start - 2 * (start - fmin(at, first)));
}

// The step ends earlier than it did.
void delay_cut(Flow* flow, uint32_t island, double t)
{
    const IndexRange delays = flow->model->islands[island].delays;
    for (uint32_t i = 0; i < delays.count; i++)
        history_cut(&flow->kernel->histories[flow->model->island_delays[delays.first + i]], t);
}

// ---- instants
// --------------------------------------------------------------------------------------------------------

static kaiStatus look_left(Flow* flow, uint32_t island, double t)
{
    const kaiModel* model = flow->model;
    const IndexRange delays = model->islands[island].delays;
    flow->kernel->R[model->reg_time] = t;
    flow->islands[island].loaded = NAN;
    island_load(flow, island, t);
    kaiStatus status = kernel_run(flow->kernel, model->islands[island].deriv);
    for (uint32_t i = 0; i < delays.count && status == KAI_OK; i++)
    {
        uint32_t delay = model->island_delays[delays.first + i];
        History* h = &flow->kernel->histories[delay];
        status = kernel_run(flow->kernel, model->delays[delay].look);
        h->left = flow->kernel->R[model->delays[delay].flow_value];
        h->left_slope = flow->kernel->R[model->delays[delay].flow_slope];
    }
    return status;
}

// What went in up to now was computed with what the instant is about to change.
kaiStatus delay_before(Flow* flow, double t)
{
    kaiStatus status = KAI_OK;
    double held = flow->kernel->R[flow->model->reg_time];
    for (uint32_t i = 0; i < flow->delaying.count && status == KAI_OK; i++)
    {
        uint32_t island = flow->delaying.at[i];
        if (!(t > flow->islands[island].pushed))
            continue;
        flow->islands[island].pushed = t;
        status = look_left(flow, island, t);
    }
    flow->kernel->R[flow->model->reg_time] = held;
    return status;
}

// By more than rounding: two polynomials that meet give a value to the last digits only, and its slope to a few less.
static bool differ(double a, double b, double part)
{
    return !(fabs(a - b) <= part * fmax(fabs(a), fabs(b)));
}

// What goes in where the run stands.
static kaiStatus look_now(Flow* flow, const Delay* d)
{
    flow->kernel->R[flow->model->reg_time] = flow->kernel->now.t;
    island_load(flow, d->island, flow->kernel->now.t);
    kaiStatus status = island_slopes(flow, d->island);
    return status == KAI_OK ? kernel_run(flow->kernel, d->look) : status;
}

// The guard of the delay is looked for from here on.
static void watch_edge(Flow* flow, const Delay* d)
{
    const IndexRange islands = flow->model->guards[d->guard].islands;
    for (uint32_t i = 0; i < islands.count; i++)
        kernel_disturb_island(flow->kernel, flow->model->guard_islands[islands.first + i]);
    touch_guard(flow->kernel, d->guard);
}

// Where T varies: which jump comes out next. T may have jumped too.
static kaiStatus find_edges(Flow* flow)
{
    kaiStatus status = KAI_OK;
    bool found = false, leaving = false;
    for (uint32_t k = 0; k < flow->kernel->varying.count && status == KAI_OK; k++)
    {
        uint32_t i = flow->kernel->varying.at[k];
        const Delay* d = &flow->model->delays[i];
        if (!kernel_ctx_active(flow->kernel, d->ctx))
            continue;
        status = look_now(flow, d);
        double T = flow->kernel->R[d->time];
        if (status == KAI_OK && !(T > 0))
            status = delay_fail(flow->kernel, i, T, flow->kernel->now.t);
        if (status == KAI_OK)
            status = delay_feed_back(flow, i, flow->kernel->now.t - T);
        if (status != KAI_OK || !delay_find_edge(flow->kernel, i))
            continue;
        watch_edge(flow, d);
        found = true;
    }
    return status == KAI_OK && found ? guard_arm(flow->kernel, &leaving) : status;
}

// An instant may lie a rounding of its guard behind the end of the island's step. What jumps there begins there, and
// comes out T later to the digit: a solver that looks at the end of its step must not see it.
static void reach_instant(const Flow* flow, History* h)
{
    double t = flow->kernel->now.t;
    if (h->end < t && t - h->end <= TIME_GUARD_MOST * kernel_slack(flow->kernel, t))
        h->end = t;
}

// A jump of what goes in, or of its slope, is announced T later.
static kaiStatus announce_jump(Flow* flow, uint32_t delay)
{
    const Delay* d = &flow->model->delays[delay];
    History* h = &flow->kernel->histories[delay];
    kaiStatus status = look_now(flow, d);
    double value = flow->kernel->R[d->flow_value], slope = flow->kernel->R[d->flow_slope];
    bool jumps = differ(h->left, value, DELAY_JUMP) || differ(h->left_slope, slope, DELAY_KINK);
    h->left = value;
    h->left_slope = slope;
    h->order = jumps ? 1 : h->order == 1 ? 1 : 2;
    if (jumps)
        reach_instant(flow, h);
    return status == KAI_OK && jumps ? delay_jump(flow->kernel, delay) : status;
}

// After an instant, of the islands that it has disturbed.
kaiStatus delay_instant(Flow* flow)
{
    kaiStatus status = KAI_OK;
    for (uint32_t k = 0; k < flow->delaying.count && status == KAI_OK; k++)
    {
        uint32_t island = flow->delaying.at[k];
        const IndexRange* own = &flow->model->islands[island].delays;
        if (flow->islands[island].disturbed_at != flow->kernel->touch)
            continue;
        flow->islands[island].pushed = flow->kernel->now.t;
        for (uint32_t i = 0; i < own->count && status == KAI_OK; i++)
            status = announce_jump(flow, flow->model->island_delays[own->first + i]);
    }
    return status == KAI_OK ? find_edges(flow) : status;
}
