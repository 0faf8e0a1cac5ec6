// What happens in an automaton at one time, tag by tag (docs/semantics.md: T3, R4, R6, R7, M1 to M3): all that holds
// reacts to the values of the tag, everything changes at once, until nothing changes. What it cannot decide makes an
// automaton `delicate`: what lies on its level and does not say where it goes, two things at almost one time, two
// assignments to one state, reactions without an end.
#ifndef KAIROS_TESTS_AUTOMATON_INSTANT_H
#define KAIROS_TESTS_AUTOMATON_INSTANT_H

#include "unit/automaton_reference.h"

#define HERE 1e-10  // of a level that has been reached
#define NEAR 1e-8   // of a level: it is about to be reached, but is not
#define AHEAD 1e-4  // how far is looked from a level to see where it goes

enum
{
    TAGS_MOST = 20,
    LAPS_MOST = 4,
};

// ---- what is watched

static inline bool is_smooth(const Reference* r, const Watch* w)
{
    return w->kind == WATCH_KINK && r->m->exprs[w->at].kind != EXPR_IF;
}

static inline bool is_one(const Watch* a, const Watch* b)
{
    return a->kind == b->kind && a->at == b->at && a->machine == b->machine && a->mode == b->mode;
}

// Whether anything hangs on it now: the guard of an exit counts when its timer has run out.
static inline bool matters(const Reference* r, const Watch* w)
{
    const Exit* e = w->kind == WATCH_GUARD ? exit_of(r, w) : NULL;
    return e == NULL || r->t - r->entered[w->machine] - e->dwell >= -ONE_TIME;
}

static inline void add_watch(Reference* r, WatchKind kind, int at, int machine)
{
    assert_true(r->watch_count < WATCHED);
    Watch* w = &r->watches[r->watch_count++];
    *w = (Watch){.kind = kind, .at = at, .machine = machine};
    if (kind == WATCH_GUARD || kind == WATCH_TIMER)
        w->mode = r->mode[machine];
}

// Kinks of an expression, those inside others first. `seen`: those that count already.
static inline void add_kinks(Reference* r, int expr, bool* seen)
{
    const Expr* e = &r->m->exprs[expr];
    if (e->kind < EXPR_ADD || seen[expr])
        return;
    seen[expr] = true;
    add_kinks(r, e->a, seen);
    if (expr_has_two(e->kind))
        add_kinks(r, e->b, seen);
    if (e->kind == EXPR_IF)
    {
        add_kinks(r, e->c, seen);
        add_kinks(r, e->d, seen);
    }
    if (e->kind >= EXPR_ABS)
        add_watch(r, WATCH_KINK, expr, 0);
}

static inline void add_machine(Reference* r, int machine, bool* seen)
{
    const Machine* of = &r->m->machines[machine];
    for (int k = 0; k < of->states; k++)
        add_kinks(r, rate_of(r, machine, k), seen);
    for (int k = 0; is_active(r, machine) && k < of->exit_count[r->mode[machine]]; k++)
    {
        add_kinks(r, of->exits[r->mode[machine]][k].guard, seen);
        add_watch(r, WATCH_GUARD, k, machine);
        add_watch(r, WATCH_TIMER, k, machine);
    }
}

// All that is active. Kinks come before what reads them.
static inline void find_watches(Reference* r)
{
    bool seen[EXPRS] = {0};
    r->watch_count = 0;
    for (int i = 0; i < r->m->when_count; i++)
    {
        add_kinks(r, r->m->whens[i].guard, seen);
        add_kinks(r, r->m->whens[i].rate, seen);
        add_watch(r, WATCH_WHEN, i, 0);
    }
    for (int i = 0; i < r->m->machine_count; i++)
        add_machine(r, i, seen);
}

// ---- where something goes that is on its level

static inline void value_ahead(Reference* r, bool free, double ahead, double* values)
{
    double x[STATES], end[STATES];
    memcpy(x, r->x, sizeof x);
    r->free = free;
    runge_kutta(r, r->t, x, ahead, end);
    for (int i = 0; i < r->watch_count; i++)
        values[i] = watch_value(r, &r->watches[i], r->t + ahead, end);
    r->free = false;
}

static inline void set_truth(Reference* r, Watch* w, bool truth)
{
    w->truth = truth;
    if (w->kind == WATCH_KINK)
        r->side[w->at] = truth;
}

// Truth of all that is open as it is a moment later: first by the values of kinks, then once more with the sides that
// were found.
static inline void look_ahead(Reference* r)
{
    static double far[WATCHED], close[WATCHED], again[WATCHED];
    bool any = false;
    for (int i = 0; i < r->watch_count; i++)
        any |= r->watches[i].open;
    if (!any)
        return;
    value_ahead(r, true, AHEAD, far);
    value_ahead(r, true, AHEAD / 8, close);
    for (int i = 0; i < r->watch_count; i++)
        if (r->watches[i].open)
            set_truth(r, &r->watches[i], far[i] > 0);
    value_ahead(r, false, AHEAD, again);
    for (int i = 0; i < r->watch_count; i++)
    {
        const Watch* w = &r->watches[i];
        bool clear = fabs(far[i]) > NEAR && (far[i] > 0) == (close[i] > 0) && (far[i] > 0) == (again[i] > 0);
        if (w->open && !clear && !is_smooth(r, w) && matters(r, w))
            find_delicate(r, "stays on its level");
    }
}

// ---- truth at a tag

static inline bool has_arrived(const Reference* r, const Watch* w, bool* truth)
{
    for (int i = 0; i < r->arrived_count; i++)
        if (is_one(&r->arrived[i], w) && r->arrived[i].value == w->value)
        {
            *truth = r->arrived[i].truth;
            return true;
        }
    return false;
}

static inline void arrive(Reference* r, const Watch* w, bool truth)
{
    assert_true(r->arrived_count < WATCHED);
    r->arrived[r->arrived_count] = *w;
    r->arrived[r->arrived_count++].truth = truth;
}

// A timer of a mode that is entered just as it runs out is past its level or before it by rounding alone.
static inline bool timer_truth(Reference* r, const Watch* w, bool first)
{
    bool now = fabs(w->value) <= ONE_TIME;
    if (now && first)
        arrive(r, w, true);
    else if (now)
        find_delicate(r, "a timer runs out where it is entered");
    return w->value >= -ONE_TIME;
}

// At the first tag of an instant what is on its level has just come to it, and goes on. At a later one, and at the
// start, it has been put there: its relation does not hold, until the end of the instant (`leave`).
static inline void find_truth(Reference* r, Watch* w, bool first)
{
    w->value = watch_value(r, w, r->t, r->x);
    w->open = false;
    bool truth = w->value > 0;
    if (has_arrived(r, w, &truth))
        w->open = false;
    else if (w->kind == WATCH_TIMER)
        truth = timer_truth(r, w, first);
    else if (first ? fabs(w->value) <= HERE : w->value == 0)
        w->open = true;
    else if (fabs(w->value) <= NEAR && !is_smooth(r, w) && matters(r, w))
        find_delicate(r, "near its level at an instant");
    set_truth(r, w, truth);
}

static inline void keep_arrived(Reference* r)
{
    for (int i = 0; i < r->watch_count; i++)
        if (r->watches[i].open)
            arrive(r, &r->watches[i], r->watches[i].truth);
}

static inline void find_truths(Reference* r, bool first)
{
    find_watches(r);
    for (int i = 0; i < r->watch_count; i++)
        find_truth(r, &r->watches[i], first);
    if (!first)
        return;
    look_ahead(r);
    keep_arrived(r);
}

// Nothing has changed: what lies on its level leaves it now. False if that makes nothing true.
static inline bool leave(Reference* r)
{
    bool before[WATCHED], left = false;
    for (int i = 0; i < r->watch_count; i++)
        before[i] = r->watches[i].truth;
    look_ahead(r);
    keep_arrived(r);
    for (int i = 0; i < r->watch_count; i++)
        left |= r->watches[i].truth != before[i] && !is_smooth(r, &r->watches[i]);
    return left;
}

// ---- reactions

typedef struct Commit
{
    double x[STATES], v[CLOCKS], heard[MACHINES], told_value[MACHINES], entered[MACHINES];
    int mode[MACHINES];
    bool told[MACHINES], assigned[STATES], changed;
} Commit;

static inline void assign(Reference* r, Commit* c, int state, int value)
{
    if (value < 0)
        return;
    if (c->assigned[state])
        find_delicate(r, "two assignments");
    c->assigned[state] = true;
    c->x[state] = evaluate(r, value, r->t, r->x);
}

static inline void take_exit(Reference* r, int machine, int exit, Commit* c)
{
    const Machine* of = &r->m->machines[machine];
    const Exit* e = &of->exits[r->mode[machine]][exit];
    r->taken[machine]++;
    r->taken_times[machine] += r->t;
    r->path[machine] = (7 * r->path[machine] + EXITS * r->mode[machine] + exit + 1) % 1000003;
    c->x[of->stopwatch] = 0;
    c->entered[machine] = r->t;
    r->entered_lap[machine] = r->lap;
    assign(r, c, e->at, e->value);
    if (e->payload >= 0)
    {
        c->told[machine] = true;
        c->told_value[machine] = evaluate(r, e->payload, r->t, r->x);
    }
    c->mode[machine] = e->to;
    for (int i = 0; i < r->m->machine_count; i++)
        if (r->m->machines[i].outer == machine && e->to == 0 && !e->resume)
            c->mode[i] = 0;
    c->changed = true;
}

// The first exit whose guard holds and whose timer has run out. Outer machines come first, and what they leave does not
// react.
static inline bool find_exit(const Reference* r, int machine, int* exit)
{
    for (int i = 0; i + 1 < r->watch_count; i++)
    {
        const Watch *guard = &r->watches[i], *timer = &r->watches[i + 1];
        if (guard->kind == WATCH_GUARD && guard->machine == machine && guard->truth && timer->truth)
        {
            *exit = guard->at;
            return true;
        }
    }
    return false;
}

static inline void react_machines(Reference* r, Commit* c)
{
    bool left[MACHINES] = {0};
    for (int i = 0; i < r->m->machine_count; i++)
    {
        int outer = r->m->machines[i].outer, exit;
        if ((outer >= 0 && left[outer]) || !find_exit(r, i, &exit))
            continue;
        left[i] = true;
        take_exit(r, i, exit, c);
    }
}

static inline void react_whens(Reference* r, Commit* c)
{
    for (int i = 0; i < r->watch_count; i++)
    {
        const Watch* w = &r->watches[i];
        if (w->kind != WATCH_WHEN)
            continue;
        if (w->truth && !r->when_truth[w->at])
        {
            r->count[w->at]++;
            r->times[w->at] += r->t;
            c->changed = true;
            assign(r, c, r->m->whens[w->at].at, r->m->whens[w->at].value);
        }
        r->when_truth[w->at] = w->truth;
    }
}

static inline void hear(Reference* r, Commit* c, int machine, double value)
{
    c->heard[machine] = r->heard[machine] / 2 + value;
    r->told_times[machine] += r->t;
    c->changed = true;
    assign(r, c, r->m->machines[machine].told_state, r->m->machines[machine].told_value);
}

static inline void send(Reference* r, int machine, double value)
{
    assert_true(r->late.count < LATE_MOST);
    double due = r->t + r->m->machines[machine].told_late;
    r->late.at[r->late.count++] = (Late){.due = due, .value = value, .machine = machine, .lap = r->lap};
}

static inline void react_told(Reference* r, Commit* c)
{
    for (int i = 0; i < r->m->machine_count; i++)
        if (r->told[i] && r->m->machines[i].told_late > 0)
            send(r, i, r->told_value[i]);
        else if (r->told[i])
            hear(r, c, i, r->told_value[i]);
}

// The first of each machine that is due; another one comes at the next tag.
static inline void react_late(Reference* r, Commit* c)
{
    bool heard[MACHINES] = {0};
    for (int i = 0; i < r->late.count; i++)
        if (r->late.at[i].due <= r->t + ONE_TIME && !heard[r->late.at[i].machine])
        {
            heard[r->late.at[i].machine] = true;
            hear(r, c, r->late.at[i].machine, r->late.at[i].value);
            r->late.at[i].due = INFINITY;
        }
}

static inline void tick(Reference* r, Commit* c)
{
    const Automaton* m = r->m;
    for (int i = 0; i < m->clock_count; i++)
        if (r->next_tick[i] <= r->t + ONE_TIME)
        {
            c->v[i] = evaluate(r, m->clocks[i].value, r->t, r->x);
            c->changed = true;
            r->ticks[i]++;
            r->next_tick[i] = m->clocks[i].first + (double)r->ticks[i] * m->clocks[i].period;
        }
}

static inline void commit(Reference* r, const Commit* c)
{
    memcpy(r->before, r->x, sizeof r->x);
    memcpy(r->x, c->x, sizeof r->x);
    memcpy(r->v, c->v, sizeof r->v);
    memcpy(r->heard, c->heard, sizeof r->heard);
    memcpy(r->mode, c->mode, sizeof r->mode);
    memcpy(r->entered, c->entered, sizeof r->entered);
    memcpy(r->told, c->told, sizeof r->told);
    memcpy(r->told_value, c->told_value, sizeof r->told_value);
}

static inline bool react(Reference* r, bool first)
{
    Commit c = {.changed = false};
    memcpy(c.x, r->x, sizeof c.x);
    memcpy(c.v, r->v, sizeof c.v);
    memcpy(c.heard, r->heard, sizeof c.heard);
    memcpy(c.mode, r->mode, sizeof c.mode);
    memcpy(c.entered, r->entered, sizeof c.entered);
    react_whens(r, &c);
    react_machines(r, &c);
    react_told(r, &c);
    react_late(r, &c);
    if (first)
        tick(r, &c);
    commit(r, &c);
    return c.changed;
}

// ---- the end of an instant

// Time goes on with the sides that kinks have a moment later. A guard that has fired and is led back does not say what
// it is.
static inline void go_on(Reference* r)
{
    bool before[WATCHED];
    for (int i = 0; i < r->watch_count; i++)
    {
        Watch* w = &r->watches[i];
        before[i] = w->truth;
        w->open = w->kind != WATCH_TIMER && fabs(w->value) <= HERE;
    }
    look_ahead(r);
    for (int i = 0; i < r->watch_count; i++)
        if (r->watches[i].truth != before[i] && !is_smooth(r, &r->watches[i]) && matters(r, &r->watches[i]))
            find_delicate(r, "led back");
}

// What comes at this time, and from when on it was counted: `since`, `laps` times after another.
static inline void count_lap(Reference* r, double since, int laps, double* first, int* most)
{
    if (isnan(*first))
        *first = since;
    else if (fabs(since - *first) > ONE_TIME && (laps > LAPS_MOST || *most > LAPS_MOST))
        r->adds_up = true;
    *most = laps > *most ? laps : *most;
}

// How often times have been added up to make this one. Kairos takes two for one that differ by four units in the last
// place (T6): what meets after longer sums need not meet there, so a difference shows nothing.
static inline void find_lap(Reference* r)
{
    double first = NAN;
    int most = -1;
    bool ticks = false;
    for (int i = 0; i < r->m->clock_count; i++)
        ticks |= r->next_tick[i] <= r->t + ONE_TIME;
    if (ticks)
        first = 0;
    find_watches(r);
    for (int i = 0; i < r->watch_count; i++)
    {
        const Watch* w = &r->watches[i];
        if (w->kind == WATCH_TIMER && fabs(watch_value(r, w, r->t, r->x)) <= ONE_TIME)
            count_lap(r, r->entered[w->machine], r->entered_lap[w->machine], &first, &most);
    }
    for (int i = 0; i < r->break_count; i++)
        for (int k = 0; k < r->m->delay_count; k++)
            if (fabs(r->breaks[i] + r->m->delays[k].time - r->t) <= ONE_TIME)
                count_lap(r, r->breaks[i], r->break_lap[i], &first, &most);
    for (int i = 0; i < r->late.count; i++)
        if (fabs(r->late.at[i].due - r->t) <= ONE_TIME)
            count_lap(r, r->late.at[i].due - r->m->machines[r->late.at[i].machine].told_late, r->late.at[i].lap, &first,
                      &most);
    r->lap = ticks ? 0 : most + 1;
}

// Whether it has changed anything.
static inline bool instant(Reference* r, bool start)
{
    find_lap(r);
    r->arrived_count = 0;
    memcpy(r->before, r->x, sizeof r->x);
    bool changed = true, any = false;
    for (int tag = 0; changed && r->delicate == NULL; tag++)
    {
        find_truths(r, tag == 0 && !start);
        changed = react(r, tag == 0);
        if (!changed)
            changed = leave(r);
        any |= changed;
        if (tag > TAGS_MOST)
            find_delicate(r, "reactions without an end");
    }
    go_on(r);
    return any;
}

#endif
