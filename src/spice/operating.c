// Where a run of SPICE starts: the operating point, with capacitors taken out and coils as wires. A dense system of
// node voltages and branch currents (modified nodal analysis), solved once.
#include "spice/netlist.h"

#include <math.h>
#include <string.h>

enum
{
    UNKNOWNS_MOST = 400,
};

typedef struct Operating
{
    Circuit* circuit;
    uint32_t nodes, count;  // unknowns: voltages of nodes, then currents of branches
    uint32_t* branch_of;    // by stamp
    double *a, *b;          // count × count, count
    double* leaking;        // the answer with a larger leak
} Operating;

void stamp_add(Circuit* c, Stamp stamp)
{
    c->unsolved |= !isfinite(stamp.value) && strchr("lc", stamp.kind) == NULL;
    vec_push(c->netlist->arena, c->stamps, stamp);
}

static bool has_branch(char kind)
{
    return strchr("vehldsw", kind) != NULL;
}

static bool is_switch(char kind)
{
    return strchr("dsw", kind) != NULL;
}

// Ground has no equation.
static bool is_row(const Operating* o, uint32_t node)
{
    return node >= o->nodes || !is_ground(o->circuit->nodes.at[node].key);
}

static void put(Operating* o, uint32_t row, uint32_t column, double value)
{
    if (is_row(o, row) && is_row(o, column))
        o->a[row * o->count + column] += value;
}

static bool find_control(const Operating* o, const char* key, uint32_t* branch)
{
    const Circuit* c = o->circuit;
    for (uint32_t i = 0; i < c->stamps.count; i++)
        if (c->stamps.at[i].key == key && has_branch(c->stamps.at[i].kind))
            return *branch = o->branch_of[i], true;
    return false;
}

// A current from a through the part to b that is `factor` times an unknown.
static void put_current(Operating* o, const Stamp* s, uint32_t column, double factor)
{
    put(o, s->a, column, factor);
    put(o, s->b, column, -factor);
}

static bool put_branch(Operating* o, const Stamp* s, uint32_t row)
{
    uint32_t control;
    put_current(o, s, row, 1);
    if (is_switch(s->kind) && !s->closed)
    {
        put(o, row, row, 1);
        return true;
    }
    put(o, row, s->a, 1);
    put(o, row, s->b, -1);
    if (s->kind == 'v' || s->kind == 'd')
        o->b[row] = s->value;
    if (s->kind == 'e')
    {
        put(o, row, s->c, -s->value);
        put(o, row, s->d, s->value);
    }
    if (s->kind == 'h')
    {
        if (!find_control(o, s->control, &control))
            return false;
        put(o, row, control, -s->value);
    }
    return true;
}

static bool put_stamp(Operating* o, uint32_t index)
{
    const Stamp* s = &o->circuit->stamps.at[index];
    uint32_t control;
    if (has_branch(s->kind))
        return put_branch(o, s, o->branch_of[index]);
    if (s->kind == 'r')
    {
        put_current(o, s, s->a, s->value);
        put_current(o, s, s->b, -s->value);
    }
    if (s->kind == 'g')
    {
        put_current(o, s, s->c, s->value);
        put_current(o, s, s->d, -s->value);
    }
    if (s->kind == 'f')
    {
        if (!find_control(o, s->control, &control))
            return false;
        put_current(o, s, control, s->value);
    }
    if (s->kind == 'i')
    {
        o->b[s->a] -= s->value;
        o->b[s->b] += s->value;
    }
    return true;
}

static void swap_rows(Operating* o, uint32_t i, uint32_t k)
{
    for (uint32_t j = 0; j < o->count; j++)
    {
        double kept = o->a[i * o->count + j];
        o->a[i * o->count + j] = o->a[k * o->count + j];
        o->a[k * o->count + j] = kept;
    }
    double kept = o->b[i];
    o->b[i] = o->b[k];
    o->b[k] = kept;
}

// Gauss-Jordan; the answer is in b. False: there is no single one.
static bool eliminate(Operating* o)
{
    uint32_t n = o->count;
    for (uint32_t i = 0; i < n; i++)
    {
        uint32_t best = i;
        double size = 0;
        for (uint32_t k = i; k < n; k++)
            if (fabs(o->a[k * n + i]) > fabs(o->a[best * n + i]))
                best = k;
        swap_rows(o, i, best);
        for (uint32_t j = 0; j < n; j++)
            size = fmax(size, fabs(o->a[i * n + j]));
        if (!(fabs(o->a[i * n + i]) > 1e-13 * size))
            return false;
        for (uint32_t k = 0; k < n; k++)
        {
            double factor = o->a[k * n + i] / o->a[i * n + i];
            if (k == i || factor == 0)
                continue;
            for (uint32_t j = i; j < n; j++)
                o->a[k * n + j] -= factor * o->a[i * n + j];
            o->b[k] -= factor * o->b[i];
        }
    }
    for (uint32_t i = 0; i < n; i++)
        o->b[i] /= o->a[i * n + i];
    return true;
}

// With a leak at every node, as in SPICE, where a node has no other way to ground, and a resistance in every coil,
// where two make a loop.
static bool solve_with(Operating* o, double leak)
{
    Circuit* c = o->circuit;
    memset(o->a, 0, sizeof(double) * o->count * o->count);
    memset(o->b, 0, sizeof(double) * o->count);
    for (uint32_t i = 0; i < o->nodes; i++)
        if (is_row(o, i))
            put(o, i, i, leak);
        else
            o->a[i * o->count + i] = 1;
    for (uint32_t i = 0; i < c->stamps.count; i++)
    {
        if (!put_stamp(o, i))
            return false;
        if (c->stamps.at[i].kind == 'l')
            put(o, o->branch_of[i], o->branch_of[i], -1e3 * leak);
    }
    for (uint32_t i = 0; i < o->nodes; i++)
        if (!is_row(o, i))
            o->b[i] = 0;
    return eliminate(o);
}

// What the leak decides grows as the leak shrinks: the current of a coil across a source, the voltage of a capacitor
// that a source of current fills. That is no operating point.
static bool solve_leaking(Operating* o)
{
    const double leak = 1e-12, more = 4, least = 1e-3;
    if (!solve_with(o, more * leak))
        return false;
    memcpy(o->leaking, o->b, sizeof(double) * o->count);
    if (!solve_with(o, leak))
        return false;
    for (uint32_t i = 0; i < o->count; i++)
        if (fabs(o->b[i]) > fmax(least, more / 2 * fabs(o->leaking[i])))
            return false;
    return true;
}

// Whether a switch of the present solution should be the other way. A diode: it blocks a voltage or carries a current
// backwards.
static bool is_wrong(const Operating* o, uint32_t index)
{
    const Stamp* s = &o->circuit->stamps.at[index];
    uint32_t control;
    double across = o->b[s->a] - o->b[s->b];
    if (s->kind == 'd')
        return s->closed ? o->b[o->branch_of[index]] < -1e-12 : across > s->value + 1e-9 * (1 + fabs(s->value));
    if (s->kind == 's')
        return s->closed != (o->b[s->c] - o->b[s->d] > s->value);
    return find_control(o, s->control, &control) && s->closed != (o->b[control] > s->value);
}

// One after the other, the first that is wrong, until none is: Bland's way through a complementarity problem.
static bool settle(Operating* o)
{
    Circuit* c = o->circuit;
    for (uint32_t round = 0; round < 50 + 4 * c->stamps.count; round++)
    {
        uint32_t i = 0;
        if (!solve_with(o, 0) && !solve_leaking(o))
            return false;
        while (i < c->stamps.count && !(is_switch(c->stamps.at[i].kind) && is_wrong(o, i)))
            i++;
        if (i == c->stamps.count)
            return true;
        c->stamps.at[i].closed = !c->stamps.at[i].closed;
    }
    return false;
}

// A residue of the elimination is nothing.
static double tidy(double value, double size)
{
    return fabs(value) > 1e-12 * size ? value : 0;
}

bool operating_solve(Netlist* n)
{
    Circuit* c = n->top;
    Operating o = {.circuit = c, .nodes = c->nodes.count, .count = c->nodes.count};
    o.branch_of = arena_array(n->arena, uint32_t, c->stamps.count + 1);
    for (uint32_t i = 0; i < c->stamps.count; i++)
        if (has_branch(c->stamps.at[i].kind))
            o.branch_of[i] = o.count++;
    if (c->unsolved || o.count > UNKNOWNS_MOST)
        return false;
    o.a = arena_array(n->arena, double, (size_t)o.count* o.count + 1);
    o.b = arena_array(n->arena, double, o.count + 1);
    o.leaking = arena_array(n->arena, double, o.count + 1);
    if (!settle(&o))
        return false;
    double volts = 0, amperes = 0;
    for (uint32_t i = 0; i < o.count; i++)
        *(i < o.nodes ? &volts : &amperes) = fmax(i < o.nodes ? volts : amperes, fabs(o.b[i]));
    for (uint32_t i = 0; i < c->stamps.count; i++)
    {
        Stamp* s = &c->stamps.at[i];
        s->answer = s->kind == 'l' ? tidy(o.b[o.branch_of[i]], amperes) : tidy(o.b[s->a] - o.b[s->b], volts);
    }
    return true;
}
