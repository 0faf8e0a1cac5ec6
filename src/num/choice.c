// solver = auto: which method takes the next step of a system.
//
// taylor where f has power series, rk45 where it has none. Two things can make another method better for a while.
//
// A border. A solution with a branch point (x^1.5 where a contact begins, a square root where a tank runs empty) has
// series whose radius is the distance to that point: taylor creeps towards it, or away from it, in steps that change
// nothing. It shows in steps that fail, that are tried again and again, or that change the states by less than the
// square root of the tolerance. rk45 steps over such points; it does so with errors far below the tolerance, since the
// steps are few and taylor's are as small. It asks taylor now and then how far its next step would get.
//
// Stiffness. The direction in which the last term of a step points is that of the fastest mode: f some tolerances off
// in that direction tells its rate. If it decays, and the product of rate and step is as large as an explicit method
// allows, then stability limits the step and not accuracy. After some such steps an implicit method is tried, and kept
// if it gets on faster for its work: rosenbrock, or cvode_bdf for many states.
//
// A change is made before a step, when nobody reads the polynomial of the last one any more. What decides is in
// OdeState, so that a restored run decides alike.
#include "num/choice.h"

#include "num/control.h"
#include "num/sundials.h"

static const double LIMIT = 3;          // rate times step from which stability limits the step
static const double GAIN = 1.5;         // by which another method must be faster
static const double STRICT = 1e6;       // errors of 1/1000 of the tolerance where rk45 stands in for taylor
static const double RK45_WORK = 6;      // in evaluations of f
static const double IMPLICIT_WORK = 9;  // with a Jacobian, without its factors

enum
{
    VOTES = 3,
    VOTES_MOST = 3000,
    CREEPS = 3,
    TRIES = 3,       // of one step, from which on it counts as a creep
    SOON = 4,        // steps until rk45 asks taylor
    LATE = 64,       // the same after it has said no again and again
    TRIAL = 10,      // steps after which an implicit method must have shown its worth
    TRIAL_BDF = 80,  // the same of one that begins at order 1
    PROBE = 4,       // steps between two looks at stiffness
    MANY = 300,      // states from which on cvode_bdf serves better than rosenbrock
    MOST_DENSE = 400,
};

// -------------------------------------------------------------------------------------------------------------- change

static bool is_implicit(OdeMethod method)
{
    return method == ODE_ROSENBROCK || method == ODE_CVODE_BDF;
}

static OdeMethod first_method(const Ode* ode)
{
    return ode->system->series ? ODE_TAYLOR : ODE_RK45;
}

static void note_change(Ode* ode, OdeMethod method, OdeReason reason)
{
    OdeChoice* c = &ode->state.choice;
    int64_t place = c->change_count < ODE_CHANGES ? c->change_count : ODE_CHANGES - 1;
    c->changes[place] = (OdeChange){ode->state.t, method, reason};
    c->change_count++;
}

// The step that the new method begins with: none where nothing is known.
static double first_length(const OdeState* s, OdeMethod from, OdeMethod to)
{
    return to == ODE_RK45 && from == ODE_TAYLOR ? 0 : s->h > 0 ? s->h : 0;
}

static int change(Ode* ode, OdeMethod to, OdeReason reason)
{
    OdeState* s = &ode->state;
    OdeChoice* c = &s->choice;
    OdeMethod from = c->method;
    const char* trouble;
    const OdeMethodTable *table = method_table(to, &trouble), *before = ode->method;
    ode->method = table ? table : before;
    if (!table || ode_create_parts(ode) != ODE_OK)
    {
        ode->method = before;
        return ODE_ERR_MEMORY;
    }
    note_change(ode, to, reason);
    c->method = c->wish = to;
    c->explicit_rate = is_implicit(to) ? c->rate : c->explicit_rate;
    c->held = c->counted = c->votes = c->creeps = 0;
    c->wait = c->patience;
    s->strict = to == ODE_RK45 && reason == ODE_REASON_BORDER ? STRICT : 1;
    s->next = first_length(s, from, to);
    s->narrow = 0;
    s->t_low = s->t_start_low = 0;
    s->log_error = -13.3;
    s->looked = false;
    s->slope_valid &= to != ODE_TAYLOR;
    s->jacobian_valid = s->expanded = false;
    if (ode->method->restart)
    {
        ode->method->restart(ode);
    }
    return ODE_OK;
}

static void wish(Ode* ode, OdeMethod method, OdeReason reason)
{
    ode->state.choice.wish = method;
    ode->state.choice.reason = reason;
}

// ------------------------------------------------------------------------------------------------------------
// stiffness

// Its matrix must be of a size that can be factorised.
static OdeMethod implicit_method(const Ode* ode)
{
    const OdeSystem* f = ode->system;
    const char* trouble = NULL;
    if ((!f->column_start && f->n > MOST_DENSE) || linear_trouble(f->n, f->column_start, f->row_index))
    {
        return ODE_METHOD_COUNT;
    }
    bool band = linear_choose(f->n, f->column_start, f->row_index) == LINEAR_BAND;
    return f->n >= MANY && !band && method_table(ODE_CVODE_BDF, &trouble) ? ODE_CVODE_BDF : ODE_ROSENBROCK;
}

static double work_of(const Ode* ode)
{
    const OdeState* s = &ode->state;
    double n = ode->n;
    switch (s->choice.method)
    {
    case ODE_TAYLOR: return taylor_work(s->terms - 1);
    case ODE_RK45: return RK45_WORK;
    case ODE_CVODE_BDF: return 3;
    default: return IMPLICIT_WORK + (linear_kind(ode->linear) == LINEAR_DENSE ? n * n / 60 : 6);
    }
}

// The rate of the direction in which the error of the last step points: |Jv| by |v|, and whether it decays. In units of
// the tolerances, since states have sizes of their own.
static bool decays_fast(Ode* ode)
{
    const OdeState* s = &ode->state;
    double *share = ode->stage[0], *y = ode->stage[5], *f = ode->stage[6];
    double most = 0, along = 0, size = 0, change = 0;
    if (ode->method->shares)
    {
        ode->method->shares(ode);
    }
    for (int i = 0; i < ode->n; i++)
    {
        most = ode_larger(most, fabs(share[i]));
    }
    if (!(most > 0 && most < 1e300))
    {
        return false;
    }
    for (int i = 0; i < ode->n; i++)
    {
        y[i] = ode->x[i] + share[i] / most * ode_scale(ode, i, ode->x[i], ode->x[i]);
    }
    if (ode_rhs(ode, s->t, y, f) != TRIAL_OK)
    {
        return false;
    }
    for (int i = 0; i < ode->n; i++)
    {
        double scale = ode_scale(ode, i, ode->x[i], ode->x[i]);
        double v = (y[i] - ode->x[i]) / scale, d = (f[i] - ode->slope[i]) / scale;
        along += v * d;
        size += v * v;
        change += d * d;
    }
    double rate = sqrt(change / size);
    return s->h * rate > LIMIT && -along > 0.5 * rate * size;
}

// ------------------------------------------------------------------------------------------------- what a step teaches

// How much the last step of taylor changed, in tolerances, at most.
static double change_of(const Ode* ode)
{
    double most = 0;
    for (int i = 0; i < ode->n; i++)
    {
        most = ode_larger(most, fabs(ode->x[i] - ode->x_start[i]) / ode_scale(ode, i, ode->x[i], ode->x_start[i]));
    }
    return most;
}

static void learn_stiff(Ode* ode)
{
    OdeChoice* c = &ode->state.choice;
    OdeMethod method;
    if (c->votes == 0 && c->counted % PROBE != 0)
    {
        return;
    }
    c->votes = decays_fast(ode) ? c->votes + 1 : 0;
    ode->state.expanded = false;
    if (c->votes >= c->wanted && (method = implicit_method(ode)) != ODE_METHOD_COUNT)
    {
        wish(ode, method, ODE_REASON_STIFF);
    }
}

static void learn_series(Ode* ode, int64_t tries)
{
    OdeChoice* c = &ode->state.choice;
    bool tiny = c->votes == 0 && ode->state.bounded && change_of(ode) < 1 / sqrt(ode->options.rtol);
    c->creeps = tries >= TRIES ? CREEPS : tiny ? c->creeps + 1 : 0;
    c->patience = c->held >= 2 * SOON ? SOON : c->patience;
    c->fails = 0;
    if (c->creeps >= CREEPS)
    {
        wish(ode, ODE_RK45, ODE_REASON_BORDER);
    }
}

static int trial_of(OdeMethod method)
{
    return method == ODE_CVODE_BDF ? TRIAL_BDF : is_implicit(method) ? TRIAL : 0;
}

// An implicit method that does not pay is not asked again soon.
static void learn_implicit(Ode* ode)
{
    OdeChoice* c = &ode->state.choice;
    if (c->held == trial_of(c->method) && c->counted > 0 && c->rate < GAIN * c->explicit_rate)
    {
        c->wanted = c->wanted < VOTES_MOST ? 4 * c->wanted : VOTES_MOST;
        wish(ode, first_method(ode), ODE_REASON_PAYS);
    }
    else if (c->held > LATE)
    {
        c->wanted = VOTES;
    }
}

static void learn(Ode* ode, double limit, int64_t tries)
{
    OdeState* s = &ode->state;
    OdeChoice* c = &s->choice;
    bool own = c->method == ODE_TAYLOR ? s->bounded : s->t < limit;
    c->taken[c->method]++;
    c->held++;
    if (own)
    {
        double rate = s->h / (work_of(ode) * (double)(1 + tries));
        c->rate = c->counted++ == 0 ? rate : 0.7 * c->rate + 0.3 * rate;
    }
    if (is_implicit(c->method))
    {
        learn_implicit(ode);
        return;
    }
    if (own)
    {
        learn_stiff(ode);
    }
    if (c->method == ODE_TAYLOR)
    {
        learn_series(ode, tries);
    }
}

// ------------------------------------------------------------------------------------------------- the way back

// The rate of the fastest mode is at most this norm of the Jacobian, in units of the tolerances.
static double jacobian_norm(const Ode* ode)
{
    const OdeSystem* f = ode->system;
    double most = 0;
    for (int j = 0; j < ode->n; j++)
    {
        double sum = 0, size = ode_scale(ode, j, ode->x[j], ode->x[j]);
        int from = f->column_start ? f->column_start[j] : j * ode->n;
        int to = f->column_start ? f->column_start[j + 1] : from + ode->n;
        for (int p = from; p < to; p++)
        {
            int i = f->row_index ? f->row_index[p] : p - from;
            sum += fabs(ode->jacobian->values[p]) / ode_scale(ode, i, ode->x[i], ode->x[i]);
        }
        most = ode_larger(most, sum * size);
    }
    return most;
}

// What taylor would do from here; without series, what rk45 surely could.
static bool explicit_pays(Ode* ode, double limit)
{
    const OdeState* s = &ode->state;
    double h, work, rate = s->choice.method == ODE_RK45 ? s->next / RK45_WORK : s->choice.rate;
    if (ode->system->series)
    {
        return taylor_offer(ode, limit, &h, &work) && h / work > GAIN * rate;
    }
    return LIMIT / jacobian_norm(ode) / RK45_WORK > GAIN * rate;
}

// A method that stands in for the first one asks now and then whether that is better again.
static int look(Ode* ode, double limit)
{
    OdeChoice* c = &ode->state.choice;
    if (c->method == first_method(ode) || c->held <= trial_of(c->method) || --c->wait > 0)
    {
        return ODE_OK;
    }
    if (explicit_pays(ode, limit))
    {
        return change(ode, first_method(ode), ODE_REASON_PAYS);
    }
    c->patience = 2 * c->patience < LATE ? 2 * c->patience : LATE;
    c->wait = c->patience;
    return ODE_OK;
}

// ---------------------------------------------------------------------------------------------------------------- step

static bool can_help(int status)
{
    return status != ODE_OK && status != ODE_ERR_RHS && status != ODE_ERR_MEMORY;
}

// Right after a restart taylor may fail again and again, where each instant leads to a border: some do without then.
static int stand_in(Ode* ode)
{
    OdeChoice* c = &ode->state.choice;
    if (c->method == ODE_TAYLOR && c->held == 0)
    {
        c->fails++;
        c->skips = c->fails > 2 ? 1 << (c->fails < 8 ? c->fails - 2 : 6) : 0;
    }
    return change(ode, ODE_RK45, ODE_REASON_BORDER);
}

int choice_step(Ode* ode, double limit)
{
    OdeChoice* c = &ode->state.choice;
    int status = c->wish != c->method ? change(ode, c->wish, c->reason) : look(ode, limit);
    if (status != ODE_OK)
    {
        return status;
    }
    int64_t rejected = ode->state.stats.rejected;
    status = ode_method_step(ode, limit);
    if (can_help(status) && c->method != ODE_RK45 && stand_in(ode) == ODE_OK)
    {
        rejected = ode->state.stats.rejected;
        status = ode_method_step(ode, limit);
    }
    if (status == ODE_OK)
    {
        learn(ode, limit, ode->state.stats.rejected - rejected);
    }
    return status;
}

void choice_flown(Ode* ode)
{
    OdeChoice* c = &ode->state.choice;
    c->taken[ODE_TAYLOR]++;
    c->held++;
    learn_series(ode, 0);
}

// ------------------------------------------------------------------------------------------------- start and snapshots

void choice_create(Ode* ode)
{
    OdeChoice* c = &ode->state.choice;
    c->method = c->wish = first_method(ode);
    c->wanted = VOTES;
    c->patience = c->wait = SOON;
    ode->method = method_table(c->method, &(const char*){NULL});
}

void choice_destroy(Ode* ode)
{
    const char* trouble;
    bool kept = ode->options.method == ODE_AUTO && ode->cvode && !ode->method->destroy;
    const OdeMethodTable* table = kept ? method_table(ODE_CVODE_BDF, &trouble) : NULL;
    if (table)
    {
        table->destroy(ode);
    }
}

// What made rk45 stand in may be gone.
void choice_restart(Ode* ode, bool fresh)
{
    OdeChoice* c = &ode->state.choice;
    if (fresh)
    {
        c->change_count = 0;
        note_change(ode, c->method, ode->system->series ? ODE_REASON_SERIES : ODE_REASON_NO_SERIES);
    }
    if (c->wish != c->method)
    {
        change(ode, c->wish, c->reason);
    }
    if (c->method == ODE_RK45 && ode->system->series && c->skips-- <= 0)
    {
        change(ode, ODE_TAYLOR, ODE_REASON_INSTANT);
    }
    c->held = 0;
    c->creeps = 0;
}

int choice_evaluate(Ode* ode)
{
    int status = ode_evaluate_start(ode);
    if (can_help(status) && ode->state.choice.method != ODE_RK45 && stand_in(ode) == ODE_OK)
    {
        status = ode_evaluate_start(ode);
    }
    return status;
}

int choice_load(Ode* ode)
{
    const char* trouble;
    const OdeMethodTable* table = method_table(ode->state.choice.method, &trouble);
    ode->method = table ? table : ode->method;
    return table ? ode_create_parts(ode) : ODE_ERR_MEMORY;
}

// --------------------------------------------------------------------------------------------------- what is asked

OdeMethod ode_method(const Ode* ode)
{
    return ode->options.method == ODE_AUTO ? ode->state.choice.method : ode->options.method;
}

const char* ode_reason_text(OdeReason reason)
{
    static const char* const texts[] = {
#define X(name, text) text,
        ODE_REASONS(X)
#undef X
    };
    return texts[reason];
}

int64_t ode_change_count(const Ode* ode)
{
    return ode->state.choice.change_count;
}

OdeChange ode_change(const Ode* ode, int index)
{
    return ode->state.choice.changes[index];
}

int64_t ode_steps_of(const Ode* ode, OdeMethod method)
{
    return ode->state.choice.taken[method];
}

// Room for every method; never takes a step itself.
const OdeMethodTable ode_auto = {.stages = ODE_STAGES, .terms = ODE_VECTORS, .order = 15, .plans = true};
