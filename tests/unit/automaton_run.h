// An automaton from its start to its end: steps up to the first thing that happens in them, and instants
// (automaton_instant.h).
#ifndef KAIROS_TESTS_AUTOMATON_RUN_H
#define KAIROS_TESTS_AUTOMATON_RUN_H

#include "unit/automaton_instant.h"

// ---- what turns in a step

typedef struct Turn
{
    Watch* watch;  // or NULL
    double after;  // how far into the step
} Turn;

static inline double value_in(const Reference* r, const Watch* w, double after)
{
    double middle[STATES], x[STATES];
    halves(r, after, middle, x);
    return watch_value(r, w, r->t + after, x);
}

static inline double locate(const Reference* r, const Watch* w, double high)
{
    double low = 0;
    for (int i = 0; i < 60; i++)
    {
        double mid = 0.5 * (low + high);
        *((value_in(r, w, mid) > 0) != w->truth ? &high : &low) = mid;
    }
    return high;
}

// Where its value comes nearest to the level, between 0 and h, by the golden section.
static inline double nearest(const Reference* r, const Watch* w, double h)
{
    const double part = 0.6180339887498949, sign = w->truth ? 1 : -1;
    double low = 0, high = h;
    for (int i = 0; i < 50; i++)
    {
        double a = high - part * (high - low), b = low + part * (high - low);
        *(sign * value_in(r, w, a) < sign * value_in(r, w, b) ? &high : &low) =
            sign * value_in(r, w, a) < sign * value_in(r, w, b) ? b : a;
    }
    return 0.5 * (low + high);
}

// A way to the level and back inside a step: three values in a row whose parabola comes near.
static inline bool may_touch(double first, double middle, double last)
{
    double bend = 2 * (first - 2 * middle + last), rise = last - first, at = bend != 0 ? -rise / (2 * bend) : 1;
    double extreme = middle - rise * rise / (8 * bend), size = fmax(fabs(first), fabs(last));
    return bend != 0 && bend * middle > 0 && fabs(at) < 0.6 &&
           (extreme * middle <= 0 || fabs(extreme) < 0.01 * size + NEAR);
}

// Where the watch turns in a step of h, or infinity.
static inline double turns_in(Reference* r, const Watch* w, double h, const double* middle, const double* end)
{
    double first = watch_value(r, w, r->t, r->x), last = watch_value(r, w, r->t + h, end);
    double half = watch_value(r, w, r->t + h / 2, middle);
    if (w->kind == WATCH_TIMER)
        return w->truth || last < -ONE_TIME ? INFINITY : fmin(h, -first);
    if ((half > 0) != w->truth)
        return locate(r, w, h / 2);
    if ((last > 0) != w->truth)
        return locate(r, w, h);
    if ((first > 0) != w->truth || !may_touch(first, half, last))
        return INFINITY;
    double at = nearest(r, w, h), value = value_in(r, w, at);
    if ((value > 0) != w->truth && fabs(value) > NEAR / 10)
        return locate(r, w, at);
    if (fabs(value) <= NEAR / 10 && !is_smooth(r, w) && matters(r, w))
        find_delicate(r, "touches its level");
    return INFINITY;
}

// A step of at most h, to the first that turns in it.
static inline Turn advance(Reference* r, double h)
{
    double middle[STATES], x[STATES];
    if (++r->steps > STEPS_MOST)
        find_delicate(r, "too many steps");
    h = step(r, h, middle, x);
    Turn turn = {.after = h};
    for (int i = 0; i < r->watch_count; i++)
    {
        double at = turns_in(r, &r->watches[i], h, middle, x);
        if (at < turn.after || (at <= h && turn.watch == NULL))
            turn = (Turn){.watch = &r->watches[i], .after = at};
    }
    if (turn.watch != NULL)
        halves(r, turn.after, middle, x);
    r->t += turn.after;
    memcpy(r->x, x, sizeof x);
    past_add(r);
    return turn;
}

// ---- the run

// What changes comes out of delays later. What only comes out of one bends a slope there, which the next delay keeps
// exactly.
static inline void happen(Reference* r, bool start)
{
    if (instant(r, start) || start)
    {
        r->break_lap[r->break_count] = r->lap;
        r->breaks[r->break_count++] = r->t;
    }
    if (r->break_count >= INSTANTS_MOST)
        find_delicate(r, "too many instants");
    r->h = fmin(r->h, 1e-5);
    past_add(r);
}

// Nothing reacts to a kink without a jump: it has another side from now on, with all kinks of the same place.
static inline void turn_kink(Reference* r)
{
    for (int i = 0; i < r->watch_count; i++)
    {
        Watch* w = &r->watches[i];
        w->value = watch_value(r, w, r->t, r->x);
        w->open = w->kind == WATCH_KINK && is_smooth(r, w) && fabs(w->value) <= HERE;
    }
    look_ahead(r);
    r->h = fmin(r->h, 1e-5);
    past_add(r);
}

static inline void turned(Reference* r, const Watch* w)
{
    if (w->kind == WATCH_KINK)
    {
        if (!is_smooth(r, w) && r->t - r->turned[w->at] < 1e-4)
            find_delicate(r, "along a kink");
        r->turned[w->at] = r->t;
    }
    if (is_smooth(r, w))
        turn_kink(r);
    else
        happen(r, false);
}

// The next thing that is known to come.
static inline double next_due(const Reference* r)
{
    double due = INFINITY;
    for (int i = 0; i < r->m->clock_count; i++)
        due = fmin(due, r->next_tick[i]);
    for (int i = 0; i < r->m->delay_count; i++)
        if (r->next_break[i] < r->break_count)
            due = fmin(due, r->breaks[r->next_break[i]] + r->m->delays[i].time);
    for (int i = 0; i < r->late.count; i++)
        due = fmin(due, r->late.at[i].due);
    return due;
}

static inline void pass_breaks(Reference* r)
{
    for (int i = 0; i < r->m->delay_count; i++)
        while (r->next_break[i] < r->break_count &&
               r->breaks[r->next_break[i]] + r->m->delays[i].time <= r->t + ONE_TIME)
            r->next_break[i]++;
}

static inline void begin(Reference* r, const Automaton* m, double tolerance, double stretch)
{
    memset(r, 0, sizeof *r);
    r->m = m;
    r->tolerance = tolerance;
    r->stretch = stretch;
    r->h = 1e-5;
    for (int i = 0; i < EXPRS; i++)
        r->turned[i] = -1;
    memcpy(r->x, m->start, sizeof r->x);
    for (int i = 0; i < m->clock_count; i++)
    {
        r->next_tick[i] = m->clocks[i].first;
        r->v[i] = m->sampled[i];
    }
    past_add(r);
}

// To the end. Rates that are not constant are taken `stretch` times: an automaton that minds is none to compare with.
static inline void simulate(Reference* r, const Automaton* m, double tolerance, double stretch)
{
    begin(r, m, tolerance, stretch);
    happen(r, true);
    while (r->t < m->stop && r->delicate == NULL)
    {
        double due = next_due(r), end = fmin(due, m->stop);
        Turn turn = advance(r, end - r->t);
        bool came = due <= m->stop && r->t >= due - ONE_TIME;
        if (came)
            pass_breaks(r);
        if (came)
            happen(r, false);
        else if (turn.watch != NULL)
            turned(r, turn.watch);
    }
}

#endif
