// The flow of an automaton (automaton.h) by the means of a textbook, and by nothing of Kairos: the classical
// Runge-Kutta method in short steps whose error is estimated from two halves, with what `delay` reads kept as cubic
// polynomials. What happens at an instant is in automaton_instant.h, how a run goes from one to the next in
// automaton_run.h.
#ifndef KAIROS_TESTS_AUTOMATON_REFERENCE_H
#define KAIROS_TESTS_AUTOMATON_REFERENCE_H

#include "unit/automaton.h"

#include <math.h>
#include <string.h>

#define ONE_TIME 1e-11  // of what is written in thousandths
#define STEP_MOST 1e-3
#define STEP_LEAST 1e-9

enum
{
    WATCHED = EXPRS,
    INSTANTS_MOST = 1000,
    LATE_MOST = 4 * INSTANTS_MOST,
    STEPS_MOST = 30000,
    POINTS_MOST = 2 * STEPS_MOST + 10,
};

typedef enum WatchKind
{
    WATCH_KINK,
    WATCH_WHEN,
    WATCH_GUARD,  // of an exit
    WATCH_TIMER,  // of an exit
} WatchKind;

typedef struct Watch  // of what is true where its value is positive
{
    WatchKind kind;
    int at, machine, mode;  // expression, reaction, or exit of the machine's mode
    bool truth;
    bool open;     // on its level: where it goes to is not known from its value
    double value;  // at this tag
} Watch;

typedef struct Late  // an event that comes out of a delay
{
    double due, value;
    int machine, lap;
} Late;

typedef struct Lates
{
    Late at[LATE_MOST];
    int count;
} Lates;

typedef struct Past  // what one delayed state has been
{
    double t[POINTS_MOST], x[POINTS_MOST], f[POINTS_MOST];
    int count;
} Past;

typedef struct Reference
{
    const Automaton* m;
    double tolerance, stretch;  // of a step; of all rates that are not constant
    double t, h, x[STATES], before[STATES], v[CLOCKS], heard[MACHINES], next_tick[CLOCKS], entered[MACHINES];
    long ticks[CLOCKS];
    int lap, entered_lap[MACHINES], break_lap[INSTANTS_MOST + 1];  // how many times of this kind were added up
    int mode[MACHINES], taken[MACHINES], path[MACHINES], count[WHENS];
    double taken_times[MACHINES], times[WHENS], told_times[MACHINES];
    bool told[MACHINES], when_truth[WHENS], side[EXPRS], free;  // free: kinks by their values, not by their sides
    double told_value[MACHINES], turned[EXPRS];                 // turned: when a kink did
    double breaks[INSTANTS_MOST + 1];                           // when something happened
    int break_count, next_break[DELAYS];
    Watch watches[WATCHED], arrived[WATCHED];
    int watch_count, arrived_count, steps;
    Past past[DELAYS];
    Lates late;
    bool adds_up;          // times have met that are long sums
    const char* delicate;  // why, or NULL
} Reference;

static inline void find_delicate(Reference* r, const char* why)
{
    r->delicate = r->delicate == NULL ? why : r->delicate;
}

// ---- values

// Between points i and i + 1.
static inline double past_between(const Past* p, int i, double s)
{
    double h = p->t[i + 1] - p->t[i], u = (s - p->t[i]) / h, w = 1 - u;
    return p->x[i] * w * w * (1 + 2 * u) + p->x[i + 1] * u * u * (3 - 2 * u) +
           h * u * w * (p->f[i] * w - p->f[i + 1] * u);
}

// At a jump two points have one time: the later one counts where now is at or after its coming out.
static inline double past_value(const Reference* r, int delay, double t)
{
    const Past* p = &r->past[delay];
    double s = t - r->m->delays[delay].time, now = r->t - r->m->delays[delay].time;
    if (s < -ONE_TIME || (s <= ONE_TIME && now < -ONE_TIME))
        return r->m->start[r->m->delays[delay].state];
    int low = 0, high = p->count - 1;
    while (high - low > 1)
    {
        int mid = (low + high) / 2;
        *(p->t[mid] <= fmax(now, p->t[0]) + ONE_TIME ? &low : &high) = mid;
    }
    if (p->count > 1 && p->t[high] <= now + ONE_TIME)
        low = high;
    while (low + 2 < p->count && p->t[low + 1] <= s && p->t[low + 2] > p->t[low + 1])
        low++;
    return low + 1 < p->count && p->t[low + 1] > p->t[low] ? past_between(p, low, s) : p->x[low];
}

static inline double evaluate(const Reference* r, int expr, double t, const double* x);

static inline double kink_argument(const Reference* r, int expr, double t, const double* x)
{
    const Expr* e = &r->m->exprs[expr];
    return evaluate(r, e->a, t, x) - (e->kind >= EXPR_MAX ? evaluate(r, e->b, t, x) : 0);
}

static inline double evaluate_kink(const Reference* r, int expr, double t, const double* x)
{
    const Expr* e = &r->m->exprs[expr];
    bool side = r->free ? kink_argument(r, expr, t, x) > 0 : r->side[expr];
    switch (e->kind)
    {
    case EXPR_ABS: return (side ? 1 : -1) * evaluate(r, e->a, t, x);
    case EXPR_ROOT:
    case EXPR_ROOT_IF: return side ? sqrt(fmax(0, evaluate(r, e->a, t, x))) : 0;
    case EXPR_POWER: return side ? pow(fmax(0, evaluate(r, e->a, t, x)), 1.5) : 0;
    case EXPR_MAX: return evaluate(r, side ? e->a : e->b, t, x);
    case EXPR_MIN: return evaluate(r, side ? e->b : e->a, t, x);
    default: return evaluate(r, side ? e->c : e->d, t, x);
    }
}

static inline double evaluate(const Reference* r, int expr, double t, const double* x)
{
    const Expr* e = &r->m->exprs[expr];
    switch (e->kind)
    {
    case EXPR_NUMBER: return e->number;
    case EXPR_TIME: return t;
    case EXPR_WAVE: return sin(e->number * t + e->phase);
    case EXPR_STATE: return x[e->at];
    case EXPR_PRE: return r->before[e->at];
    case EXPR_SAMPLED: return r->v[e->at];
    case EXPR_HEARD: return r->heard[e->at];
    case EXPR_PAST: return past_value(r, e->at, t);
    default: break;
    }
    if (e->kind >= EXPR_ABS)
        return evaluate_kink(r, expr, t, x);
    double a = evaluate(r, e->a, t, x), b = expr_has_two(e->kind) ? evaluate(r, e->b, t, x) : 0;
    switch (e->kind)
    {
    case EXPR_ADD: return a + b;
    case EXPR_SUBTRACT: return a - b;
    case EXPR_MULTIPLY: return a * b;
    case EXPR_OVER: return a / (2 + b * b);
    case EXPR_SIN: return sin(a);
    case EXPR_ATAN: return atan(a);
    case EXPR_TANH: return tanh(a);
    case EXPR_HYPOT: return sqrt(1 + a * a);
    default: return log(1 + a * a);
    }
}

static inline const Exit* exit_of(const Reference* r, const Watch* w)
{
    return &r->m->machines[w->machine].exits[w->mode][w->at];
}

static inline double watch_value(const Reference* r, const Watch* w, double t, const double* x)
{
    switch (w->kind)
    {
    case WATCH_KINK: return kink_argument(r, w->at, t, x);
    case WATCH_WHEN: return evaluate(r, r->m->whens[w->at].guard, t, x);
    case WATCH_GUARD: return evaluate(r, exit_of(r, w)->guard, t, x);
    default: return t - r->entered[w->machine] - exit_of(r, w)->dwell;
    }
}

// ---- the flow

static inline bool is_active(const Reference* r, int machine)
{
    int outer = r->m->machines[machine].outer;
    return outer < 0 || r->mode[outer] == 0;
}

static inline int rate_of(const Reference* r, int machine, int state)
{
    const Machine* of = &r->m->machines[machine];
    return is_active(r, machine) ? of->rates[r->mode[machine]][state] : of->idle[r->mode[of->outer]];
}

static inline double slope(const Reference* r, int rate, double t, const double* x)
{
    double f = evaluate(r, rate, t, x);
    return r->m->exprs[rate].kind == EXPR_NUMBER ? f : r->stretch * f;
}

static inline void slopes(const Reference* r, double t, const double* x, double* f)
{
    const Automaton* m = r->m;
    for (int i = 0; i < m->machine_count; i++)
    {
        for (int k = 0; k < m->machines[i].states; k++)
            f[m->machines[i].first + k] = slope(r, rate_of(r, i, k), t, x);
        f[m->machines[i].stopwatch] = 1;
    }
    for (int i = 0; i < m->when_count; i++)
        f[m->whens[i].state] = slope(r, m->whens[i].rate, t, x);
}

// The classical method of order 4, from t and x.
static inline void runge_kutta(const Reference* r, double t, const double* x, double h, double* out)
{
    double k[4][STATES], at[STATES];
    int n = r->m->state_count;
    slopes(r, t, x, k[0]);
    for (int s = 1; s < 4; s++)
    {
        double part = s == 3 ? h : h / 2;
        for (int i = 0; i < n; i++)
            at[i] = x[i] + part * k[s - 1][i];
        slopes(r, t + part, at, k[s]);
    }
    for (int i = 0; i < n; i++)
        out[i] = x[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

// Two halves, and their middle.
static inline void halves(const Reference* r, double h, double* middle, double* out)
{
    runge_kutta(r, r->t, r->x, h / 2, middle);
    runge_kutta(r, r->t + h / 2, middle, h / 2, out);
}

// A step of at most h that is as exact as it shall be. Returns its length.
static inline double step(Reference* r, double h, double* middle, double* out)
{
    double whole[STATES];
    for (h = fmin(h, r->h);; h /= 2)
    {
        double error = 0;
        runge_kutta(r, r->t, r->x, h, whole);
        halves(r, h, middle, out);
        for (int i = 0; i < r->m->state_count; i++)
            error = fmax(error, fabs(whole[i] - out[i]));
        if (error > r->tolerance && h > STEP_LEAST)
            continue;
        double longer = h * fmin(4, 0.9 * pow(r->tolerance / (error + 1e-300), 0.2));
        r->h = fmin(STEP_MOST, longer < h ? h : longer);
        return h;
    }
}

// ---- the past

static inline void past_add(Reference* r)
{
    double f[STATES];
    slopes(r, r->t, r->x, f);
    for (int i = 0; i < r->m->delay_count; i++)
    {
        Past* p = &r->past[i];
        int state = r->m->delays[i].state;
        assert_true(p->count < POINTS_MOST);
        p->t[p->count] = r->t;
        p->x[p->count] = r->x[state];
        p->f[p->count++] = f[state];
    }
}

#endif
