// An automaton (automaton.h) as a text for Kairos.
#ifndef KAIROS_TESTS_AUTOMATON_TEXT_H
#define KAIROS_TESTS_AUTOMATON_TEXT_H

#include "unit/automaton.h"

__attribute__((format(printf, 2, 3))) static inline void put(Automaton* m, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(m->text + m->length, TEXT - m->length, format, arguments);
    va_end(arguments);
    m->length += (size_t)n;
    assert_true(m->length < TEXT);
}

// Every letter a, b, c, d after `%` stands for an operand.
static const char* const expr_texts[] = {[EXPR_ADD] = "(%a + %b)",
                                         [EXPR_SUBTRACT] = "(%a - %b)",
                                         [EXPR_MULTIPLY] = "(%a*%b)",
                                         [EXPR_OVER] = "(%a/(2 + %b^2))",
                                         [EXPR_SIN] = "sin(%a)",
                                         [EXPR_ATAN] = "atan(%a)",
                                         [EXPR_TANH] = "tanh(%a)",
                                         [EXPR_HYPOT] = "sqrt(1 + %a^2)",
                                         [EXPR_LOG] = "log(1 + %a^2)",
                                         [EXPR_ABS] = "abs(%a)",
                                         [EXPR_ROOT] = "sqrt(max(%a, 0))",
                                         [EXPR_ROOT_IF] = "(if %a > 0 then sqrt(%a) else 0)",
                                         [EXPR_POWER] = "(max(%a, 0)^1.5)",
                                         [EXPR_MAX] = "max(%a, %b)",
                                         [EXPR_MIN] = "min(%a, %b)",
                                         [EXPR_IF] = "(if %a > %b then %c else %d)"};

static inline void put_expr(Automaton* m, int expr)
{
    const Expr* e = &m->exprs[expr];
    const int operands[] = {e->a, e->b, e->c, e->d};
    switch (e->kind)
    {
    case EXPR_NUMBER: put(m, "(%.3f)", e->number); return;
    case EXPR_TIME: put(m, "time"); return;
    case EXPR_WAVE: put(m, "sin(%.3f*time + %.3f)", e->number, e->phase); return;
    case EXPR_STATE: put(m, "x%d", e->at); return;
    case EXPR_PRE: put(m, "pre(x%d)", e->at); return;
    case EXPR_SAMPLED: put(m, "v%d", e->at); return;
    case EXPR_HEARD: put(m, "heard%d", e->at); return;
    case EXPR_PAST: put(m, "past%d", e->at); return;
    default: break;
    }
    for (const char* c = expr_texts[e->kind]; *c; c++)
        if (*c == '%')
            put_expr(m, operands[*++c - 'a']);
        else
            put(m, "%c", *c);
}

// BEFORE expr AFTER
static inline void put_line(Automaton* m, const char* before, int expr, const char* after)
{
    put(m, "%s", before);
    put_expr(m, expr);
    put(m, "%s", after);
}

static inline void put_assigned(Automaton* m, int state, int value)
{
    if (value >= 0)
        put(m, "; x%d := ", state), put_expr(m, value);
}

static inline void put_exit(Automaton* m, int machine, int mode, int exit)
{
    const Machine* of = &m->machines[machine];
    const Exit* e = &of->exits[mode][exit];
    put_line(m, "on ", e->guard, " > 0");
    put(m, " and x%d > %.3f -> %sm%d_%d { x%d := 0; taken%d := taken%d + 1; sum%d := sum%d + time", of->stopwatch,
        e->dwell, e->resume ? "resume " : "", machine, e->to, of->stopwatch, machine, machine, machine, machine);
    put(m, "; path%d := mod(7*path%d + %d, 1000003)", machine, machine, EXITS * mode + exit + 1);
    put_assigned(m, e->at, e->value);
    if (e->payload >= 0)
    {
        put(m, "; emit told%d(", machine);
        put_line(m, "", e->payload, ")");
    }
    put(m, " }\n");
}

static inline int machine_inside(const Automaton* m, int machine)
{
    for (int i = 0; i < m->machine_count; i++)
        if (m->machines[i].outer == machine)
            return i;
    return -1;
}

static inline void put_modes(Automaton* m, int machine);

static inline void put_mode(Automaton* m, int machine, int mode, int inside)
{
    const Machine* of = &m->machines[machine];
    put(m, "%smode m%d_%d {\n", mode == 0 ? "initial " : "", machine, mode);
    for (int k = 0; k < of->states; k++)
    {
        put(m, "x%d' = ", of->first + k);
        put_line(m, "", of->rates[mode][k], "\n");
    }
    if (inside >= 0 && mode == 0)
        put_modes(m, inside);
    else if (inside >= 0)
    {
        put(m, "x%d' = ", m->machines[inside].first);
        put_line(m, "", m->machines[inside].idle[mode], "\n");
    }
    for (int k = 0; k < of->exit_count[mode]; k++)
        put_exit(m, machine, mode, k);
    put(m, "}\n");
}

static inline void put_modes(Automaton* m, int machine)
{
    put(m, "modes {\n");
    for (int i = 0; i < m->machines[machine].modes; i++)
        put_mode(m, machine, i, machine_inside(m, machine));
    put(m, "}\n");
}

static inline void put_machine(Automaton* m, int i)
{
    const Machine* of = &m->machines[i];
    put(m, "  discrete taken%d = 0, sum%d = 0, path%d = 0, heard%d = 0, times%d = 0\n  x%d' = 1\n", i, i, i, i, i,
        of->stopwatch);
    put(m, "  event told%d", i);
    if (of->told_late > 0)
        put(m, ", late%d = delay(told%d, %.3f)", i, i, of->told_late);
    const char* told = of->told_late > 0 ? "late" : "told";
    put(m, "\n  when %s%d { heard%d := heard%d/2 + %s%d; times%d := times%d + time", told, i, i, i, told, i, i, i);
    put_assigned(m, of->told_state, of->told_value);
    put(m, " }\n");
    if (of->outer < 0)
        put_modes(m, i);
}

static inline void put_when(Automaton* m, int i)
{
    const When* w = &m->whens[i];
    put(m, "  discrete n%d = 0, s%d = 0\n  x%d' = ", i, i, w->state);
    put_line(m, "", w->rate, "\n");
    put_line(m, "  when ", w->guard, " > 0 { ");
    put(m, "n%d := n%d + 1; s%d := s%d + time", i, i, i, i);
    put_assigned(m, w->at, w->value);
    put(m, " }\n");
}

static inline void automaton_put(Automaton* m)
{
    put(m, "model M {\n");
    for (int i = 0; i < m->state_count; i++)
        put(m, "  state x%d = %.3f\n", i, m->start[i]);
    for (int i = 0; i < m->delay_count; i++)
        put(m, "  signal past%d = delay(x%d, %.3f)\n", i, m->delays[i].state, m->delays[i].time);
    for (int i = 0; i < m->clock_count; i++)
    {
        put(m, "  discrete v%d = %.3f\n  when clock(%.3f, %.3f) { v%d := ", i, m->sampled[i], m->clocks[i].period,
            m->clocks[i].first, i);
        put_line(m, "", m->clocks[i].value, " }\n");
    }
    for (int i = 0; i < m->when_count; i++)
        put_when(m, i);
    for (int i = 0; i < m->machine_count; i++)
        put_machine(m, i);
    put(m, "}\nexperiment apart of M { stop = %.3f }\n", m->stop);
    put(m, "experiment whole of M { stop = %.3f; islands = one }\n", m->stop);
}

#endif
