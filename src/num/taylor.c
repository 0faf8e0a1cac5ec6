// Taylor's method: the system makes the power series of its solution, a step evaluates it (Jorba and Zou 2005). The
// polynomial is the dense output; nothing is interpolated.
//
// Order and step. The horizon is what ends the step anyway: the limit, the longest step, the distance of the last
// events. Orders are added until two terms in a row are negligible there: then the step is the horizon, with the lowest
// order that does. Otherwise the order is that of the tolerance, and the step is as long as the last three terms allow
// (three, since symmetry may let two vanish). A solution that is a polynomial by structure is taken to the horizon.
//
// Check. f at the end of the step, which the next step needs anyway, gives the defect p' - f(p) there: about p + 1
// times the error by h. A step that fails, be it for a pole, an overflow or a term that was hidden behind zeros, is
// tried again with all orders first, and shorter after that. A linear field with constant factors has the next term,
// and what is left of sines and products in it, as the defect of its polynomial: where neither matters at the horizon
// the check is done, and f is not asked for. Where no term limits the step the defect inside it is asked for too.
//
// Rounding. What an update loses is carried on to the next (Kahan), steps end at representable times and are as long as
// the difference of those, and a cut keeps the digits that its time lacks: so errors grow as slowly as those of a
// random walk.
#include "num/taylor.h"
#include "base/tolerance.h"
#include "num/choice.h"
#include "num/control.h"
#include "num/map.h"

enum
{
    SPARE = 2,  // orders more, where a step costs much beside them, or fewer, where products are much of their cost
    ORDER_MOST =
        24,  // of a field that is not linear: beyond it nothing is gained, and at the finest tolerance digits are lost
    BLOCK = 8,         // states that are evaluated together: a line of the cache
    FEW = FEW_STATES,  // each of which is better evaluated by itself; orders of a short polynomial
};

static const double NEGLIGIBLE = 0.02;  // of the tolerance: terms that need not be taken into account
static const double LAST = 0.1;         // of the tolerance: the last term of a step
static const double OVERFLOWS = 1e280;  // tolerances: a coefficient like that is no use

// ---------------------------------------------------------------------------------------------------------- expansion

static int translate(Ode* ode, int status)
{
    if (status == 0)
    {
        return TRIAL_OK;
    }
    if (status == ODE_NO_SERIES)
    {
        return ODE_ERR_SERIES;
    }
    ode->state.stats.rhs_status = status;
    return status > 0 ? TRIAL_SHRINK : ODE_ERR_RHS;
}

// Order 0 at (t, x): f into `slope`.
static int expand_first(Ode* ode, double t, double* x, double* slope)
{
    double* rows[2] = {x, slope};
    ode->state.stats.rhs_calls++;
    return translate(ode, ode->system->series(ode->ctx, t, 0, 1, rows));
}

static int taylor_begin(Ode* ode)
{
    int status = expand_first(ode, ode->state.t, ode->x, ode->slope);
    ode->state.expanded = status == TRIAL_OK;
    if (!ode->state.carries)
    {
        memset(ode->dense[TAYLOR_CARRY], 0, sizeof(double) * (size_t)ode->n);
    }
    return status;
}

// The series of the system is not where it was: order 0 comes again before the next step.
static void taylor_restart(Ode* ode)
{
    ode->state.expanded = false;
}

// The order whose steps are the cheapest way through a unit of time. A step is as long as ε^(1/p), and p orders of few
// operators cost about p: then p is -ln ε, twice that of Jorba and Zou, who have p². Around there the cost is flat:
// between 16 and 24 orders at 1e-8 it changes by a tenth. Few states are nearer to p = -ln ε + 2, many to -ln ε - 2.
// Terms of a linear field fall faster than any power: the more of them, the longer the step.
static int highest_order(Ode* ode, int degree)
{
    if (degree == ODE_WHOLE)
    {
        return ODE_ORDER;
    }
    if (ode->highest > 0)
    {
        return ode->highest;
    }
    double tolerance = ode->options.rtol > STEP_RTOL_LEAST ? ode->options.rtol : STEP_RTOL_LEAST;
    int order = (int)ceil(1 - log(tolerance)) + (ode->n <= BLOCK ? SPARE : -SPARE);
    return ode->highest = order < 6 ? 6 : order > ORDER_MOST ? ORDER_MOST : order;
}

// 1 / tolerance of every state, where the step starts.
static void weigh(Ode* ode)
{
    const int n = ode->n;
    const double rtol = ode->options.rtol;
    const double* restrict x = ode->x, * restrict atol = ode->atol;
    double* restrict w = ode->stage[1];
    for (int i = 0; i < n; i++)
    {
        double scale = atol[i] + rtol * fabs(x[i]);
        w[i] = 1 / (scale > DBL_MIN ? scale : DBL_MIN);
    }
}

typedef struct Expansion
{
    int order;
    int made, likely;  // orders that are there, that were needed last
    bool whole;        // nothing is left out that matters at the horizon
    bool sure;         // and the defect is known to be small there: without the last term it would be that term
    double size[ODE_ORDER + 1];  // of the coefficients
} Expansion;

// The largest share of a coefficient of each order in the tolerance, at h = 1. Infinite if one is not a number.
static void measure_orders(const Ode* ode, Expansion* e)
{
    const int n = ode->n;
    const double* restrict w = ode->stage[1];
    for (int k = 1; k <= e->order; k++)
    {
        const double* restrict c = ode->dense[k];
        double most = 0, all = 0;
        for (int i = 0; i < n; i++)
        {
            double share = fabs(c[i]) * w[i];
            all += share;
            most = share > most ? share : most;
        }
        e->size[k] = all < INFINITY ? most : INFINITY;
    }
}

// Whether no state has a share of this order that matters at the horizon, whose power is given. *overflows: one share
// is no use any more; which, is not asked of all.
static bool is_negligible(const Ode* ode, int k, double power, bool* overflows)
{
    const double* restrict w = ode->stage[1], * restrict c = ode->dense[k];
    for (int i = 0; i < ode->n; i++)
    {
        double share = fabs(c[i]) * w[i];
        if (!(share * power <= NEGLIGIBLE))
        {
            *overflows = !(share <= OVERFLOWS);
            return false;
        }
    }
    return true;
}

// As many orders as the last step had are made at once: asking for one after the other costs as much as a small system
// does. Which of them are taken does not depend on it.
static int expand_beyond(Ode* ode, int highest, Expansion* e)
{
    int from = e->made, likely = e->likely < highest ? e->likely : highest;
    e->made = likely > from ? likely : from + 1;
    return translate(ode, ode->system->series(ode->ctx, ode->state.t, from, e->made, ode->dense));
}

// The orders end before the first coefficient that overflows, for a step that the last of them decide.
static int end_orders(const Ode* ode, Expansion* e)
{
    measure_orders(ode, e);
    for (int k = 2; k <= e->order; k++)
    {
        if (e->size[k] > OVERFLOWS)
        {
            e->order = k - 1;
            return k > 2 ? TRIAL_OK : ODE_ERR_SERIES;
        }
    }
    return TRIAL_OK;
}

// What is no state of a linear field is not told by the terms of its states, which may cancel it for a while. As an
// error of the step.
static bool is_rest_negligible(const Ode* ode, int order, double horizon)
{
    const OdeSystem* system = ode->system;
    double rest = system->rest ? system->rest(ode->ctx, order, horizon, ode->stage[1]) : 0;
    return rest * horizon <= NEGLIGIBLE * (order + 1);
}

// Up to `highest`, or until two terms in a row do not matter at the horizon: then their sizes need not be known. A
// coefficient that overflows ends it.
static int expand(Ode* ode, double horizon, int highest, bool early, bool linear, Expansion* e)
{
    double power = horizon;
    bool before = false, overflows = false;
    memcpy(ode->dense[0], ode->x, sizeof(double) * (size_t)ode->n);
    memcpy(ode->dense[1], ode->slope, sizeof(double) * (size_t)ode->n);
    e->whole = e->sure = false;
    for (e->order = 1;; e->order++)
    {
        if (e->order > e->made)
        {
            int status = expand_beyond(ode, highest, e);
            if (status != TRIAL_OK)
            {
                return status;
            }
        }
        bool small = is_negligible(ode, e->order, power, &overflows);
        e->whole = early && small && before && (!linear || is_rest_negligible(ode, e->order, horizon));
        if (e->whole)
        {
            return TRIAL_OK;
        }
        if (e->order == highest || (overflows && e->order > 1))
        {
            return end_orders(ode, e);
        }
        before = small;
        power *= horizon;
    }
}

double taylor_work(int order)
{
    return 1 + order * (1 + order / 32.);
}

// ---------------------------------------------------------------------------------------------------------------- step

// The length at which the last three terms are within the tolerance. As a rule the first of them decides: then the
// others, at that length, are.
static double step_of(const Expansion* e)
{
    double h = INFINITY, power = INFINITY;  // h^k
    for (int k = e->order > 3 ? e->order - 2 : 1; k <= e->order; k++)
    {
        power *= h;
        if (!(e->size[k] * power <= LAST) && e->size[k] > 0)
        {
            power = LAST / e->size[k];
            h = pow(power, 1.0 / k);
        }
    }
    return h;
}

// Sum and slope of eight states from number i on, which stay in registers.
static void evaluate_block(const Ode* ode, int order, double h, int i, double* restrict sum, double* restrict slope)
{
    double value[BLOCK] = {0}, rate[BLOCK] = {0};
    for (int k = order; k >= 1; k--)
    {
        const double* restrict c = ode->dense[k] + i;
        const double weight = k;
        for (int j = 0; j < BLOCK; j++)
        {
            value[j] = (value[j] + c[j]) * h;
            rate[j] = rate[j] * h + weight * c[j];
        }
    }
    memcpy(sum, value, sizeof value);
    memcpy(slope, rate, sizeof rate);
}

// x(h) and p'(h): the end into x_start, the slope of the polynomial into stage[0]; what the sum loses into slope_start
// for the time being.
static void evaluate(Ode* ode, int order, double h)
{
    const int n = ode->n;
    double* restrict sum = ode->x_start, * restrict slope = ode->stage[0], * restrict lost = ode->slope_start;
    const double* restrict x = ode->x, * restrict carry = ode->dense[TAYLOR_CARRY];
    int i = 0;
    for (; i + BLOCK <= n; i += BLOCK)
    {
        evaluate_block(ode, order, h, i, sum + i, slope + i);
    }
    for (; i < n; i++)
    {
        double value = 0, rate = 0;
        for (int k = order; k >= 1; k--)
        {
            double c = ode->dense[k][i];
            value = (value + c) * h;
            rate = rate * h + k * c;
        }
        sum[i] = value;
        slope[i] = rate;
    }
    for (i = 0; i < n; i++)
    {
        double change = sum[i] + carry[i], end = x[i] + change;
        double part = end - x[i];
        lost[i] = (x[i] - (end - part)) + (change - part);
        sum[i] = end;
    }
}

// The defect at the end as an error of the step; shares into stage[0]. Tolerances below rounding ask for no more than
// that: f has its own.
static double measure(Ode* ode, int order, double h)
{
    const int n = ode->n;
    const double factor = h / (order + 1), rtol = ode_larger(ode->options.rtol, 0x1p-48);
    const double *x = ode->x, *y = ode->x_start, *f = ode->slope_start, *atol = ode->atol;
    double *share = ode->stage[0], most = 0, all = 0;
    for (int i = 0; i < n; i++)
    {
        double scale = atol[i] + rtol * ode_larger(fabs(x[i]), fabs(y[i]));
        share[i] = factor * (share[i] - f[i]) / (scale > DBL_MIN ? scale : DBL_MIN);
        all += 0 * share[i];
        most = fabs(share[i]) > most ? fabs(share[i]) : most;
    }
    return all == 0 ? most : INFINITY;
}

// The defect inside the step, as an error of the step: sin(t)^8 is nothing around 0 and at π, and much between them.
static int look_inside(Ode* ode, const TaylorAttempt* a, double* error)
{
    double at = WINDOW_LOOK_1 * a->h;
    evaluate(ode, a->order, at);
    ode->state.expanded = false;
    int status = expand_first(ode, ode->state.t + at, ode->x_start, ode->slope_start);
    if (status == TRIAL_OK)
    {
        *error = measure(ode, a->order, a->h);
    }
    return status;
}

// x at the end and f there. The carried digits are kept apart until the step stands. A polynomial by structure has no
// defect: its slope is f, and where an event cuts the step nobody asks for that.
static int attempt(Ode* ode, const TaylorAttempt* a, double* error)
{
    OdeState* s = &ode->state;
    const size_t bytes = sizeof(double) * (size_t)ode->n;
    if ((a->exact || a->sure) && ode->n <= FEW)
    {
        *error = few_evaluate(ode, a->order, a->h) ? 0 : INFINITY;
        return TRIAL_OK;
    }
    if (a->far && !a->exact && !a->sure)
    {
        int status = look_inside(ode, a, error);
        if (status != TRIAL_OK || !(*error <= 1))
        {
            return status;
        }
    }
    evaluate(ode, a->order, a->h);
    memcpy(ode->stage[2], ode->slope_start, bytes);
    if (a->exact || a->sure)
    {
        memcpy(ode->slope_start, ode->stage[0], bytes);
        *error = ode_finite(ode->n, ode->x_start) && ode_finite(ode->n, ode->slope_start) ? 0 : INFINITY;
        return TRIAL_OK;
    }
    s->expanded = false;
    int status = expand_first(ode, a->t_end, ode->x_start, ode->slope_start);
    if (status != TRIAL_OK)
    {
        return status;
    }
    *error = measure(ode, a->order, a->h);
    return TRIAL_OK;
}

void taylor_accept(Ode* ode, const TaylorAttempt* a, double natural, bool rejected)
{
    OdeState* s = &ode->state;
    double* carry = ode->dense[TAYLOR_CARRY];  // the lost digits belong to the step now
    ode->dense[TAYLOR_CARRY] = ode->stage[2];
    ode->stage[2] = carry;
    ode_accept(ode, a->h, a->t_end, FORM_SERIES);
    s->terms = a->order + 1;
    s->dense_ready = true;
    s->t_start_low = s->t_low;
    s->t_low = 0;
    s->expanded = !a->exact && !a->sure;
    s->slope_valid &= !a->sure;
    s->carries = true;
    s->next = natural < INFINITY ? natural : a->h;
    s->narrow = rejected ? 2 * a->h : 0;
    s->bounded = rejected || a->h >= 0.9 * natural;
    s->fresh = false;
}

// What is known to end the step. Right after an event the next one is expected in three times their mean distance.
static double horizon_of(const Ode* ode, double limit)
{
    const OdeState* s = &ode->state;
    bool last;
    double proposed = s->event_mean > 0 && s->t == s->event_time ? 3 * s->event_mean : INFINITY;
    return control_length(ode, limit, proposed, &last);
}

static void blame(Ode* ode, int status, double error)
{
    OdeStats* stats = &ode->state.stats;
    stats->rejected++;
    stats->broken += status == TRIAL_SHRINK || !(error < 1e300);
    stats->worst = -1;
    if (status == TRIAL_OK && error < 1e300)
    {
        control_blame(ode);
    }
}

// The expansion at the start, of which some orders are made; again if a check has moved the series of the system on.
static int prepare(Ode* ode, double horizon, bool early, int made, Expansion* e, bool* exact)
{
    OdeState* s = &ode->state;
    int status = s->expanded ? TRIAL_OK : expand_first(ode, s->t, ode->x, ode->slope);
    if (status != TRIAL_OK)
    {
        return status;
    }
    s->expanded = true;
    int degree = ode->system->degree ? ode->system->degree(ode->ctx) : ODE_ENDLESS;
    const bool linear = degree == ODE_WHOLE;
    *exact = degree <= ODE_ORDER;
    int* orders = ode->system->orders ? ode->system->orders(ode->ctx) : NULL;
    e->likely = orders ? *orders : 0;
    e->made = made;
    status = expand(ode, horizon, *exact ? degree : highest_order(ode, degree), early && !*exact, linear, e);
    e->sure = linear && e->whole;
    if (orders)
    {
        *orders = e->order;
    }
    return status;
}

// The length that a step may have, at most to the horizon, ending at a time that t can represent.
static bool set_length(Ode* ode, double limit, double proposed, TaylorAttempt* a)
{
    OdeState* s = &ode->state;
    bool last;
    double h = control_length(ode, limit, proposed, &last);
    a->t_end = last ? limit : s->t + h;
    a->h = (a->t_end - s->t) - s->t_low;
    return last || h >= ode_shortest(ode);
}

// A polynomial has no natural end, but what happens near its start (a ball that falls for half a second in a run
// without end) must not be nothing beside the step.
static double farthest(const OdeState* s)
{
    return 1e3 * (1 + fabs(s->t));
}

// After a rejection the next step does not leap either; a run may have been given its first step.
static double first_trial(const Ode* ode, double horizon, double natural)
{
    const OdeState* s = &ode->state;
    double h = natural < horizon ? natural : horizon;
    h = s->narrow > 0 && s->narrow < h ? s->narrow : h;
    h = s->fresh && ode->options.step > 0 && ode->options.step < h ? ode->options.step : h;
    return smaller(h, farthest(s));
}

// As far as a step may go that its own terms do not limit: what set_length makes of first_trial and horizon_of, where
// nobody has asked for shorter steps.
bool taylor_farthest(Ode* ode, double limit, TaylorAttempt* a)
{
    const OdeState* s = &ode->state;
    double most = s->t == s->event_time && s->event_mean > 0 ? 3 * s->event_mean : INFINITY, far = farthest(s);
    if (s->caution > 0 || ode->options.max_step > 0 || s->narrow > 0 || s->fresh)
    {
        return set_length(ode, limit, first_trial(ode, horizon_of(ode, limit), INFINITY), a);
    }
    most = far < most ? far : most;
    bool last = s->t + most * CONTROL_STRETCH >= limit;
    a->t_end = last ? limit : s->t + most;
    a->h = (a->t_end - s->t) - s->t_low;
    return last || most >= ode_shortest(ode);
}

// The coefficients of a polynomial by structure: nothing has to be weighed, for none is left out.
int taylor_expand_exact(Ode* ode, int degree)
{
    const int n = ode->n;
    double* restrict x = ode->dense[0], * restrict slope = ode->dense[1];
    for (int i = 0; i < n; i++)
    {
        x[i] = ode->x[i];
        slope[i] = ode->slope[i];
    }
    return degree > 1 ? translate(ode, ode->system->series(ode->ctx, ode->state.t, 1, degree, ode->dense)) : TRIAL_OK;
}

// A short polynomial by structure is taken to the horizon in one trial. True: the step is done, or has failed.
static bool step_exact(Ode* ode, double limit, int degree, int* status)
{
    OdeState* s = &ode->state;
    TaylorAttempt a = {.order = degree, .exact = true};
    if (taylor_expand_exact(ode, degree) != TRIAL_OK)
    {
        return false;
    }
    if (!taylor_farthest(ode, limit, &a))
    {
        *status = ODE_ERR_STEP;
        return true;
    }
    s->trial = a.h;
    if (!few_evaluate(ode, degree, a.h))
    {
        return false;  // the general way shortens it
    }
    taylor_accept(ode, &a, INFINITY, false);
    *status = ODE_OK;
    return true;
}

// A step to the horizon that has come before, of a linear field (map.c). True: it is done.
static bool step_mapped(Ode* ode, double limit)
{
    OdeState* s = &ode->state;
    TaylorAttempt a = {.sure = true};
    if (!map_serves(ode))
    {
        return false;
    }
    if (!s->expanded || !taylor_farthest(ode, limit, &a))
    {
        return false;
    }
    const OdeMap* map = map_find(ode, a.h);
    if (!map || !map_take(ode, map, a.h))
    {
        return false;
    }
    s->trial = a.h;
    a.order = map_terms(map) - 1;
    taylor_accept(ode, &a, INFINITY, false);
    s->dense_ready = false;
    return true;
}

// A step of a linear field of few states to the horizon. False: it does not get there, but *made orders are there.
static bool step_few(Ode* ode, const FewField* field, double limit, int* made)
{
    TaylorAttempt a = {.sure = true};
    if (!taylor_farthest(ode, limit, &a))
    {
        return false;
    }
    FewOutcome outcome = few_take(ode, field, a.h, &a.order);
    *made = outcome == FEW_LONG ? ODE_ORDER : 1;
    if (outcome != FEW_WHOLE)
    {
        return false;
    }
    ode->state.trial = a.h;
    taylor_accept(ode, &a, INFINITY, false);
    return true;
}

// The ways of a step to the horizon that are known before any order is made. To look for a map costs as much as the few
// states of a small matrix take to move.
static bool step_known(Ode* ode, double limit, int* made, int* status)
{
    const OdeSystem* system = ode->system;
    OdeState* s = &ode->state;
    // Order 0 is made here, so that the way does not hang on who has asked for what before (a snapshot forgets it).
    s->expanded = s->expanded || expand_first(ode, s->t, ode->x, ode->slope) == TRIAL_OK;
    int degree = s->expanded && system->degree ? system->degree(ode->ctx) : ODE_ENDLESS;
    if (degree <= FEW && degree >= 1 && ode->n <= FEW)
    {
        return step_exact(ode, limit, degree, status);
    }
    const FewField* field = degree == ODE_WHOLE && system->few ? system->few(ode->ctx) : NULL;
    return field ? step_few(ode, field, limit, made) : step_mapped(ode, limit);
}

static int taylor_step(Ode* ode, double limit)
{
    OdeState* s = &ode->state;
    Expansion e;
    TaylorAttempt a;
    int done = ODE_OK, made = 1;
    if (step_known(ode, limit, &made, &done))
    {
        return done;
    }
    double horizon = horizon_of(ode, limit);
    weigh(ode);
    int status = prepare(ode, horizon, made < ODE_ORDER, made, &e, &a.exact);  // all orders: it was not whole
    if (status != TRIAL_OK)
    {
        return status < 0 ? status : ODE_ERR_STEP;
    }
    double natural = a.exact || e.whole ? INFINITY : step_of(&e), proposed = first_trial(ode, horizon, natural);
    bool rejected = false;
    for (;;)
    {
        double error = 0;
        if (!set_length(ode, limit, proposed, &a))
        {
            return ODE_ERR_STEP;
        }
        a.order = e.order;
        a.sure = e.sure;
        a.far = natural == INFINITY;
        s->trial = a.h;
        status = attempt(ode, &a, &error);
        if (status < 0)
        {
            return status;
        }
        if (status == TRIAL_OK && error <= 1)
        {
            taylor_accept(ode, &a, natural, rejected);
            return ODE_OK;
        }
        blame(ode, status, error);
        bool more = e.whole && status == TRIAL_OK && error < 1e300;
        rejected = !more;
        if (more)
        {
            status = prepare(ode, horizon, false, 1, &e, &a.exact);
            if (status != TRIAL_OK)
            {
                return status < 0 ? status : ODE_ERR_STEP;
            }
            natural = step_of(&e);
            proposed = natural < proposed ? natural : proposed;
            continue;
        }
        double shrink = error < 1e300 && status == TRIAL_OK ? 0.8 * pow(error, -1.0 / (a.order + 1)) : 0.25;
        proposed = a.h * (shrink < 0.1 ? 0.1 : shrink > 0.7 ? 0.7 : shrink);
    }
}

// How far a step from here would get, and what it would cost in evaluations of f: an order k costs about one, and k/16
// more for its convolutions. False: there is no series, or none that is good for that step. The next step expands
// again.
bool taylor_offer(Ode* ode, double limit, double* h, double* work)
{
    OdeState* s = &ode->state;
    Expansion e;
    TaylorAttempt a = {0};
    double horizon = horizon_of(ode, limit), error = 0;
    weigh(ode);
    s->expanded = false;
    int status = prepare(ode, horizon, true, 1, &e, &a.exact);
    if (status == TRIAL_OK && set_length(ode, limit, a.exact || e.whole ? fmin(horizon, farthest(s)) : step_of(&e), &a))
    {
        a.order = e.order;
        status = attempt(ode, &a, &error);
    }
    else
    {
        status = ODE_ERR_SERIES;
    }
    s->expanded = s->slope_valid = false;
    *h = a.h;
    *work = taylor_work(e.order);
    return status == TRIAL_OK && error <= 1;
}

// The last term of the step.
static void taylor_shares(Ode* ode)
{
    const OdeState* s = &ode->state;
    double* share = ode->stage[0];
    memset(share, 0, sizeof(double) * (size_t)ode->n);
    if (s->form != FORM_SERIES || s->terms < 2)
    {
        return;
    }
    if (!s->dense_ready)
    {
        map_expand(ode);
        ode->state.dense_ready = true;
    }
    double power = pow(s->h, s->terms - 1);
    for (int i = 0; i < ode->n; i++)
    {
        share[i] = ode->dense[s->terms - 1][i] * power / ode_scale(ode, i, ode->x_start[i], ode->x[i]);
    }
}

const OdeMethodTable ode_taylor = {.stages = 3,
                                   .terms = ODE_VECTORS,
                                   .order = 15,
                                   .plans = true,
                                   .step = taylor_step,
                                   .begin = taylor_begin,
                                   .restart = taylor_restart,
                                   .shares = taylor_shares};
