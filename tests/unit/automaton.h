// Random hybrid automata: machines with states of their own that read each other's, one inside another, kinks and roots
// in fields and guards, reactions that reset states, also those of others, clocks that sample, events with a payload
// that come at once or later, delayed states. A number makes one automaton, always the same. automaton_text.h writes it
// out for Kairos, and automaton_reference.h simulates it and shares nothing with Kairos but this description.
//
// Every second one is on a grid: times, levels and starts are tenths or twentieths and some rates are constant, so that
// timers, ticks, crossings and what comes out of delays meet, and guards start on their level.
#ifndef KAIROS_TESTS_AUTOMATON_H
#define KAIROS_TESTS_AUTOMATON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum
{
    EXPRS = 900,
    STATES = 20,
    MACHINES = 4,  // the last of which may be inside the first
    MODES = 3,
    EXITS = 3,
    WHENS = 3,
    CLOCKS = 2,
    DELAYS = 2,
    OWN = 2,  // states of a machine beside its stopwatch
    TEXT = 32768,
};

typedef enum ExprKind
{
    EXPR_NUMBER,
    EXPR_TIME,
    EXPR_WAVE,     // sin(number*time + phase)
    EXPR_STATE,    // at
    EXPR_PRE,      // at: pre of a state
    EXPR_SAMPLED,  // at
    EXPR_HEARD,    // at
    EXPR_PAST,     // at
    EXPR_ADD,
    EXPR_SUBTRACT,
    EXPR_MULTIPLY,
    EXPR_OVER,  // a/(2 + b^2)
    EXPR_SIN,
    EXPR_ATAN,
    EXPR_TANH,
    EXPR_HYPOT,    // sqrt(1 + a^2)
    EXPR_LOG,      // log(1 + a^2)
    EXPR_ABS,      // from here on with a kink
    EXPR_ROOT,     // sqrt(max(a, 0))
    EXPR_ROOT_IF,  // if a > 0 then sqrt(a) else 0
    EXPR_POWER,    // max(a, 0)^1.5
    EXPR_MAX,
    EXPR_MIN,
    EXPR_IF,  // a > b ? c : d
} ExprKind;

typedef struct Expr
{
    ExprKind kind;
    int at, a, b, c, d;
    double number, phase;
} Expr;

typedef struct Exit  // on guard > 0 and stopwatch > dwell -> to { stopwatch := 0; state at := value; emit }
{
    int guard, to, at, value, payload;  // value, payload -1: there is none
    double dwell;
    bool resume;
} Exit;

typedef struct Machine
{
    int first, stopwatch, states, modes, outer;  // outer: the machine whose mode 0 it is in, or -1
    int rates[MODES][OWN], idle[MODES];          // idle: rates of its state in other modes of the outer one
    Exit exits[MODES][EXITS];
    int exit_count[MODES];
    int told_state, told_value;  // when it has emitted: state := value, or -1
    double told_late;            // so much later; 0: at the next tag
} Machine;

typedef struct When  // when guard > 0 { state := value }
{
    int guard, state, rate, at, value;
} When;

typedef struct Clock  // when clock(period, first) { sampled := value }
{
    double period, first;
    int value;
} Clock;

typedef struct Delay
{
    int state;
    double time;
} Delay;

typedef struct Automaton
{
    uint64_t draw;
    Expr exprs[EXPRS];
    double start[STATES], sampled[CLOCKS], stop;
    int read[STATES], read_count;  // states that expressions read: no stopwatches, which are 0 at so many instants
    Machine machines[MACHINES];
    When whens[WHENS];
    Clock clocks[CLOCKS];
    Delay delays[DELAYS];
    int expr_count, state_count, machine_count, when_count, clock_count, delay_count;
    bool grid;
    size_t length;
    char text[TEXT];
} Automaton;

static inline bool expr_has_two(ExprKind kind)
{
    return (kind >= EXPR_ADD && kind <= EXPR_OVER) || kind >= EXPR_MAX;
}

// ---- draws

static inline int draw(Automaton* m, int n)
{
    m->draw ^= m->draw << 13;
    m->draw ^= m->draw >> 7;
    m->draw ^= m->draw << 17;
    return (int)((uint32_t)(m->draw * UINT64_C(2685821657736338717) >> 33) % (uint32_t)n);
}

// In thousandths, as it is written.
static inline double draw_number(Automaton* m, double from, double to)
{
    double thousandths = 1000 * from + (to - from) * draw(m, 1000);
    return (double)(int64_t)thousandths / 1000;
}

// In steps of 1/parts on a grid.
static inline double draw_on_grid(Automaton* m, double from, double to, int parts)
{
    double x = draw_number(m, from, to);
    int whole = (int)(x * parts);
    return m->grid ? (double)(whole != 0 ? whole : 1) / parts : x;
}

static inline int new_expr(Automaton* m, Expr e)
{
    assert_true(m->expr_count < EXPRS);
    m->exprs[m->expr_count] = e;
    return m->expr_count++;
}

static inline int draw_state(Automaton* m)
{
    return m->read[draw(m, m->read_count)];
}

static inline int draw_leaf(Automaton* m)
{
    Expr e = {.kind = EXPR_STATE};
    int kind = draw(m, 9);
    if (kind == 0)
        e = (Expr){.kind = EXPR_NUMBER, .number = draw_number(m, -2, 2)};
    else if (kind == 1)
    {
        e = (Expr){.kind = EXPR_WAVE, .number = draw_number(m, 0.5, 5)};
        e.phase = draw_number(m, 0, 6);
    }
    else if (kind == 2 && m->clock_count > 0)
        e = (Expr){.kind = EXPR_SAMPLED, .at = draw(m, m->clock_count)};
    else if (kind == 3 && m->delay_count > 0)
        e = (Expr){.kind = EXPR_PAST, .at = draw(m, m->delay_count)};
    else if (kind == 4)
        e = (Expr){.kind = EXPR_HEARD, .at = draw(m, m->machine_count)};
    else
        e.at = draw_state(m);
    return new_expr(m, e);
}

// max(x, x) is on its level for ever.
static inline bool is_same_leaf(const Expr* a, const Expr* b)
{
    return a->kind == b->kind && a->at == b->at && a->kind >= EXPR_STATE && a->kind < EXPR_ADD;
}

static inline int draw_expr(Automaton* m, int depth, bool kinks)
{
    if (depth == 0 || draw(m, 5) == 0)
        return draw_leaf(m);
    int first = EXPR_ADD, count = (kinks ? EXPR_IF : EXPR_LOG) - first + 1;
    Expr e = {.kind = (ExprKind)(first + draw(m, count))};
    e.a = draw_expr(m, depth - 1, kinks);
    do
        e.b = expr_has_two(e.kind) ? draw_expr(m, depth - 1, kinks) : 0;
    while (expr_has_two(e.kind) && is_same_leaf(&m->exprs[e.a], &m->exprs[e.b]));
    e.c = e.kind == EXPR_IF ? draw_expr(m, depth - 1, kinks) : 0;
    e.d = e.kind == EXPR_IF ? draw_expr(m, depth - 1, kinks) : 0;
    return new_expr(m, e);
}

static inline int make(Automaton* m, ExprKind kind, int a, int b)
{
    return new_expr(m, (Expr){.kind = kind, .a = a, .b = b});
}

static inline int make_number(Automaton* m, double number)
{
    return new_expr(m, (Expr){.kind = EXPR_NUMBER, .number = number});
}

// What a reaction assigns. A sum with `pre` tells the tags of one instant apart.
static inline int draw_value(Automaton* m)
{
    int value = draw_expr(m, 2, false);
    if (draw(m, 4) != 0)
        return value;
    int before = new_expr(m, (Expr){.kind = EXPR_PRE, .at = draw_state(m)});
    return make(m, EXPR_TANH, make(m, EXPR_ADD, value, before), 0);
}

// factor*tanh(…) - damping*x: states stay of moderate size.
static inline int draw_rate(Automaton* m, int state)
{
    if (m->grid && draw(m, 3) == 0)
        return make_number(m, draw(m, 2) == 0 ? -0.5 : 1);
    int push = make(m, EXPR_TANH, draw_expr(m, 3, true), 0), x = new_expr(m, (Expr){.kind = EXPR_STATE, .at = state});
    int factor = make_number(m, draw_number(m, 0.5, 3)), damping = make_number(m, draw_number(m, 0.1, 1.5));
    push = make(m, EXPR_MULTIPLY, factor, push);
    return make(m, EXPR_SUBTRACT, push, make(m, EXPR_MULTIPLY, damping, x));
}

// Levels of states, circles, products, parabolas, times, anything.
static inline int draw_guard(Automaton* m)
{
    int x = draw_leaf(m), y = draw_leaf(m), level = make_number(m, draw_on_grid(m, -0.8, 0.8, 10)), g = x;
    switch (draw(m, 7))
    {
    case 0: break;
    case 1: g = make(m, EXPR_ADD, make(m, EXPR_MULTIPLY, x, x), make(m, EXPR_MULTIPLY, y, y)); break;
    case 2: g = make(m, EXPR_MULTIPLY, x, y); break;
    case 3:
        g = make(m, EXPR_MULTIPLY, make(m, EXPR_SUBTRACT, x, level),
                 make(m, EXPR_SUBTRACT, x, make_number(m, draw_number(m, -0.8, 0.8))));
        break;
    case 4:
        g = new_expr(m, (Expr){.kind = EXPR_TIME});
        level = make_number(m, draw_on_grid(m, 0.1, 4, 20));
        break;
    default: g = draw_expr(m, 3, true);
    }
    return make(m, EXPR_SUBTRACT, g, level);
}

static inline void draw_exit(Automaton* m, const Machine* of, Exit* e)
{
    *e = (Exit){.guard = draw_guard(m), .value = -1, .payload = -1};
    e->to = draw(m, of->modes);
    e->dwell = draw_on_grid(m, 0.05, 0.4, 20);
    e->resume = draw(m, 2) == 0;
    if (draw(m, 2) == 0)
    {
        e->at = draw(m, 3) == 0 ? draw_state(m) : of->first + draw(m, of->states);
        e->value = draw_value(m);
    }
    if (draw(m, 3) == 0)
        e->payload = draw_expr(m, 1, false);
}

static inline void draw_machine(Automaton* m, Machine* machine)
{
    for (int i = 0; i < machine->modes; i++)
    {
        for (int k = 0; k < machine->states; k++)
            machine->rates[i][k] = draw_rate(m, machine->first + k);
        machine->exit_count[i] = 1 + draw(m, EXITS);
        for (int k = 0; k < machine->exit_count[i]; k++)
            draw_exit(m, machine, &machine->exits[i][k]);
    }
    machine->exits[0][0].payload = draw_expr(m, 1, false);
    for (int i = 0; i < MODES && machine->outer >= 0; i++)
        machine->idle[i] = draw_rate(m, machine->first);
    machine->told_state = draw_state(m);
    machine->told_value = draw(m, 2) == 0 ? draw_value(m) : -1;
}

static inline void draw_states(Automaton* m)
{
    for (int i = 0; i < m->machine_count; i++)
    {
        Machine* machine = &m->machines[i];
        machine->outer = i > 0 && i == m->machine_count - 1 && draw(m, 2) == 0 ? 0 : -1;
        machine->first = m->state_count;
        machine->states = machine->outer >= 0 ? 1 : 1 + draw(m, OWN);
        machine->modes = 1 + draw(m, MODES);
        machine->stopwatch = machine->first + machine->states;
        m->state_count = machine->stopwatch + 1;
        for (int k = 0; k < machine->states; k++)
            m->read[m->read_count++] = machine->first + k;
    }
    for (int i = 0; i < m->when_count; i++)
    {
        m->whens[i].state = m->state_count;
        m->read[m->read_count++] = m->state_count++;
    }
    for (int i = 0; i < m->state_count; i++)
        m->start[i] = draw_on_grid(m, -1, 1, 10);
    for (int i = 0; i < m->machine_count; i++)
        m->start[m->machines[i].stopwatch] = 0;
    for (int i = 0; i < m->delay_count; i++)
    {
        m->delays[i].state = draw_state(m);
        m->delays[i].time = draw_on_grid(m, 0.1, 0.8, 20);
    }
}

static inline void draw_when(Automaton* m, When* w)
{
    w->guard = draw_guard(m);
    w->rate = draw_rate(m, w->state);
    w->at = draw(m, 3) == 0 ? draw_state(m) : w->state;
    w->value = draw(m, 2) == 0 ? draw_value(m) : -1;
}

static inline void automaton_draw(Automaton* m, uint64_t seed)
{
    *m = (Automaton){.draw = seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
    for (int i = 0; i < 8; i++)
        draw(m, 2);
    m->grid = seed % 2 == 0;
    m->machine_count = 1 + draw(m, MACHINES);
    m->when_count = draw(m, WHENS + 1);
    m->clock_count = draw(m, CLOCKS + 1);
    m->delay_count = draw(m, DELAYS + 1);
    m->stop = draw_number(m, 1.5, 5);
    draw_states(m);
    for (int i = 0; i < m->machine_count; i++)
        draw_machine(m, &m->machines[i]);
    for (int i = 0; i < m->when_count; i++)
        draw_when(m, &m->whens[i]);
    for (int i = 0; i < m->clock_count; i++)
    {
        m->clocks[i].period = draw_on_grid(m, 0.1, 0.9, 20);
        m->clocks[i].first = draw_on_grid(m, 0.01, 0.5, 20);
        m->clocks[i].value = draw_expr(m, 2, false);
        m->sampled[i] = draw_number(m, -1, 1);
    }
    for (int i = 0; i < m->machine_count && seed % 5 == 3; i++)
        m->machines[i].told_late = draw_on_grid(m, 0.05, 0.6, 20);
}

#endif
