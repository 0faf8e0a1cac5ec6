// Parts of converters for circuit_reference.h, and a converter held against it.
#ifndef KAIROS_TESTS_CONVERTER_PARTS_H
#define KAIROS_TESTS_CONVERTER_PARTS_H

#include "unit/network_check.h"

static inline Part* add(Network* n, PartKind kind, int a, int b, double value)
{
    Part* p = &n->parts[n->part_count++];
    *p = (Part){.kind = kind, .a = a, .b = b, .value = value};
    n->node_count = a >= n->node_count ? a + 1 : b >= n->node_count ? b + 1 : n->node_count;
    if (b >= n->node_count)
        n->node_count = b + 1;
    return p;
}

static inline void add_sine(Network* n, int a, int b, double amplitude, double omega, double phase)
{
    Part* p = add(n, PART_V, a, b, 0);
    p->amplitude = amplitude;
    p->omega = omega;
    p->phase = phase;
}

// Closed from `from` to `to` of every period.
static inline void add_chopper(Network* n, int a, int b, double period, double from, double to)
{
    Part* p = add(n, PART_S, a, b, 0);
    p->closed = from == 0;
    for (int k = 0; k * period < n->stop; k++)
    {
        if (k > 0 || from > 0)
            p->times[p->time_count++] = (k + from) * period;
        if (to < 1 || from > 0)
            p->times[p->time_count++] = (k + to) * period;
        assert_true(p->time_count < 62);
    }
}

// A switch with an antiparallel diode.
static inline void add_leg(Network* n, int a, int b, double period, double from, double to)
{
    add_chopper(n, a, b, period, from, to);
    add(n, PART_D, b, a, 0);
}

static inline void add_transformer(Network* n, int a, int b, int c, int d, double ratio)
{
    int most = c > d ? c : d;
    Part* p = add(n, PART_T, a, b, ratio);
    p->c = c;
    p->d = d;
    n->node_count = most >= n->node_count ? most + 1 : n->node_count;
}

// A part of what a random network may differ by, 2e-3 of the largest, with steps short enough for it.
static inline void check_converter(const char* name, void (*make)(Network*), int steps, double rest, double part)
{
    static Network n;
    static Expected x;
    static char text[TEXT_SIZE];
    char why[400];
    memset(&n, 0, sizeof n);
    make(&n);
    if (!expect_states(&n, steps, &x) || x.end < n.stop)
        fail_msg("%s: the reference does not settle", name);
    for (int i = 0; i < n.part_count; i++)
        x.within[i] *= part;
    write_text(&n, &x, text);
    for (int i = 0; rest > 0 && i < n.part_count; i++)  // the current that ended is 0, to the last digit
        if (n.parts[i].kind == PART_L)
        {
            snprintf(strrchr(text, '}'), 100, "  expect at(%.17g, p%d.i) ~ 0 within 0\n}\n", rest * n.stop, i);
            break;
        }
    if (run(text, why, sizeof why) != AGREES)
        fail_msg("%s: %s\n%s", name, why, text);
}

#endif
