// A reference for ideal circuits that shares nothing with Kairos: backward Euler on nodal equations, the diodes of
// every step as one linear complementarity problem, solved by Lemke's method. Impulses need no thought: in a step of
// length h a charge Q is a current Q/h, and a step of 1e-9 of the run follows every change of a switch. Two step
// lengths, extrapolated: first order becomes second where nothing switches inside.
//
//   nodes      A y = r - B z      capacitors C/h, inductors h/L, sources and closed switches as branches
//   diodes     w = c - Bᵀ y + ε z ≥ 0,  z ≥ 0,  w z = 0       z currents, w reverse voltages
//
// Leaks of 1e-12 S beside every diode and open switch and 1e-13 Ω in closed ones make A regular. In quadruple
// precision: these span 25 decades beside C/h.
#ifndef KAIROS_TESTS_CIRCUIT_REFERENCE_H
#define KAIROS_TESTS_CIRCUIT_REFERENCE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if LDBL_MANT_DIG < 113 && defined(__SIZEOF_FLOAT128__)
typedef __float128 Exact;
#else
typedef long double Exact;
#endif

enum
{
    CIRCUIT_PARTS = 64,
    CIRCUIT_NODES = 48,
    CIRCUIT_ORDER = CIRCUIT_NODES + CIRCUIT_PARTS,
    CIRCUIT_DIODES = 24,
    CIRCUIT_TIMES = 400,
};

typedef enum PartKind
{
    PART_R,
    PART_L,
    PART_C,
    PART_V,
    PART_I,
    PART_D,
    PART_S,
    PART_T,
} PartKind;

typedef struct Part
{
    PartKind kind;
    int a, b;                        // nodes, 0 is ground
    int c, d;                        // T: side 2
    double value;                    // R, L, C; V, I: constant; D: drop; T: v1 = value v2, i2 = value i1
    double start;                    // L: current from a to b, C: voltage from a to b
    double amplitude, omega, phase;  // V, I: value + amplitude sin(omega t + phase)
    double times[64];                // S: when it changes, ascending
    int time_count;
    bool closed;  // S: at the start
} Part;

typedef struct Network
{
    Part parts[CIRCUIT_PARTS];
    int part_count, node_count;
    double stop;
} Network;

typedef struct Reference
{
    const Network* n;
    double state[CIRCUIT_PARTS];  // L: current, C: voltage
    int row[CIRCUIT_PARTS];       // branches: their row, or -1
    int diode[CIRCUIT_DIODES], diode_count, order;
    Exact lu[CIRCUIT_ORDER][CIRCUIT_ORDER];
    int pivot[CIRCUIT_ORDER];
    Exact m[CIRCUIT_DIODES][CIRCUIT_DIODES];
    bool conducts[CIRCUIT_DIODES];                // in the last step: tried first
    Exact column[CIRCUIT_DIODES][CIRCUIT_ORDER];  // A⁻¹ B
    double h;
    bool closed[CIRCUIT_PARTS];
    double largest;  // current or voltage of the last step
    double reached;  // the last time at which there was a solution
} Reference;

static inline double reference_wave(const Part* p, double t)
{
    return p->value + p->amplitude * sin(p->omega * t + p->phase);
}

static inline void reference_stamp(Reference* r, int a, int b, Exact g)
{
    if (a > 0)
        r->lu[a - 1][a - 1] += g;
    if (b > 0)
        r->lu[b - 1][b - 1] += g;
    if (a > 0 && b > 0)
    {
        r->lu[a - 1][b - 1] -= g;
        r->lu[b - 1][a - 1] -= g;
    }
}

static inline void reference_branch(Reference* r, const Part* p, int row, Exact resistance)
{
    if (p->a > 0)
        r->lu[p->a - 1][row] += 1, r->lu[row][p->a - 1] += 1;
    if (p->b > 0)
        r->lu[p->b - 1][row] -= 1, r->lu[row][p->b - 1] -= 1;
    r->lu[row][row] -= resistance;
}

static inline void reference_transformer(Reference* r, const Part* p, int row)
{
    reference_branch(r, p, row, 1e-13);
    if (p->c > 0)
        r->lu[p->c - 1][row] -= p->value, r->lu[row][p->c - 1] -= p->value;
    if (p->d > 0)
        r->lu[p->d - 1][row] += p->value, r->lu[row][p->d - 1] += p->value;
}

static inline void reference_assemble(Reference* r)
{
    const Network* n = r->n;
    r->order = n->node_count - 1;
    for (int i = 0; i < n->part_count; i++)
    {
        PartKind kind = n->parts[i].kind;
        bool branch = kind == PART_V || kind == PART_T || (kind == PART_S && r->closed[i]);
        r->row[i] = branch ? r->order++ : -1;
    }
    for (int i = 0; i < r->order; i++)
        for (int j = 0; j < r->order; j++)
            r->lu[i][j] = 0;
    for (int i = 0; i < n->part_count; i++)
    {
        const Part* p = &n->parts[i];
        Exact h = r->h;
        switch (p->kind)
        {
        case PART_R: reference_stamp(r, p->a, p->b, 1 / (Exact)p->value); break;
        case PART_L: reference_stamp(r, p->a, p->b, h / p->value); break;
        case PART_C: reference_stamp(r, p->a, p->b, p->value / h); break;
        case PART_V: reference_branch(r, p, r->row[i], 1e-13); break;
        case PART_T: reference_transformer(r, p, r->row[i]); break;
        case PART_I: reference_stamp(r, p->a, p->b, 1e-12); break;
        case PART_D: reference_stamp(r, p->a, p->b, 1e-12); break;
        case PART_S:
            if (r->closed[i])
                reference_branch(r, p, r->row[i], 1e-13);
            else
                reference_stamp(r, p->a, p->b, 1e-12);
            break;
        }
    }
}

static inline Exact reference_abs(Exact a)
{
    return a < 0 ? -a : a;
}

static inline void reference_factor(Reference* r)
{
    for (int k = 0; k < r->order; k++)
    {
        int best = k;
        for (int i = k + 1; i < r->order; i++)
            if (reference_abs(r->lu[i][k]) > reference_abs(r->lu[best][k]))
                best = i;
        r->pivot[k] = best;
        for (int j = 0; j < r->order && best != k; j++)
        {
            Exact swap = r->lu[k][j];
            r->lu[k][j] = r->lu[best][j];
            r->lu[best][j] = swap;
        }
        for (int i = k + 1; i < r->order; i++)
        {
            if (r->lu[i][k] == 0)
                continue;
            r->lu[i][k] /= r->lu[k][k];
            for (int j = k + 1; j < r->order; j++)
                r->lu[i][j] -= r->lu[i][k] * r->lu[k][j];
        }
    }
}

static inline void reference_solve(const Reference* r, Exact* y)
{
    for (int k = 0; k < r->order; k++)
    {
        Exact swap = y[k];
        y[k] = y[r->pivot[k]];
        y[r->pivot[k]] = swap;
    }
    for (int i = 0; i < r->order; i++)
        for (int j = 0; j < i; j++)
            y[i] -= r->lu[i][j] * y[j];
    for (int i = r->order; i-- > 0;)
    {
        for (int j = i + 1; j < r->order; j++)
            y[i] -= r->lu[i][j] * y[j];
        y[i] /= r->lu[i][i];
    }
}

static inline Exact reference_across(const Part* p, const Exact* y)
{
    return (p->a > 0 ? y[p->a - 1] : 0) - (p->b > 0 ? y[p->b - 1] : 0);
}

// Matrices for the step length h and the switches as they are.
static inline void reference_prepare(Reference* r, double h)
{
    const Network* n = r->n;
    r->h = h;
    reference_assemble(r);
    reference_factor(r);
    for (int k = 0; k < r->diode_count; k++)
    {
        const Part* p = &n->parts[r->diode[k]];
        memset(r->column[k], 0, sizeof r->column[k]);
        if (p->a > 0)
            r->column[k][p->a - 1] -= 1;
        if (p->b > 0)
            r->column[k][p->b - 1] += 1;
        reference_solve(r, r->column[k]);
        for (int j = 0; j < r->diode_count; j++)
            r->m[j][k] = -reference_across(&n->parts[r->diode[j]], r->column[k]) + (j == k ? 1e-13 : 0);
    }
}

// w = q + M z ≥ 0, z ≥ 0 and w z = 0, but for the rounding of what the leaks make of the sources: where only they lead
// to ground, M has entries of 1e12.
static inline bool reference_holds(const Reference* r, const Exact* q, const Exact* z)
{
    for (int i = 0; i < r->diode_count; i++)
    {
        Exact w = q[i], size = reference_abs(q[i]);
        for (int j = 0; j < r->diode_count; j++)
        {
            w += r->m[i][j] * z[j];
            size += reference_abs(r->m[i][j] * z[j]);
        }
        Exact nothing = (Exact)1e-26 * size + (Exact)1e-12;
        if (z[i] < 0 || w < -nothing || (z[i] > 0 && w > nothing))
            return false;
    }
    return true;
}

// M z = -q for the diodes in `conducts`, 0 for the others; whether that is the solution.
static inline bool reference_again(const Reference* r, const bool* conducts, const Exact* q, Exact* z)
{
    static Exact a[CIRCUIT_DIODES][CIRCUIT_DIODES + 1];
    int of[CIRCUIT_DIODES], n = 0;
    for (int i = 0; i < r->diode_count; i++)
    {
        z[i] = 0;
        if (conducts[i])
            of[n++] = i;
    }
    for (int i = 0; i < n; i++)
    {
        for (int j = 0; j < n; j++)
            a[i][j] = r->m[of[i]][of[j]];
        a[i][n] = -q[of[i]];
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
        {
            Exact factor = i != k && a[k][k] != 0 ? a[i][k] / a[k][k] : 0;
            for (int j = k; j <= n && factor != 0; j++)
                a[i][j] -= factor * a[k][j];
        }
    for (int k = 0; k < n; k++)
        z[of[k]] = a[k][k] != 0 ? a[k][n] / a[k][k] : 0;
    return reference_holds(r, q, z);
}

// Lemke's method: z, or false if it ends in a ray or does not end.
static inline bool reference_lemke(const Reference* r, const Exact* q, Exact* z)
{
    static Exact t[CIRCUIT_DIODES][2 * CIRCUIT_DIODES + 2];
    int n = r->diode_count, basis[CIRCUIT_DIODES], leaving = 0;
    Exact least = 0;
    for (int i = 0; i < n; i++)
    {
        for (int j = 0; j < n; j++)
        {
            t[i][j] = i == j;
            t[i][n + j] = -r->m[i][j];
        }
        t[i][2 * n] = -1;
        t[i][2 * n + 1] = q[i];
        basis[i] = i;
        z[i] = 0;
        if (q[i] < least)
            least = q[i], leaving = i;
    }
    if (least >= 0)
        return true;
    int entering = 2 * n;
    for (int round = 0; round < 60 * n + 200; round++)
    {
        Exact pivot = t[leaving][entering];
        for (int j = 0; j < 2 * n + 2; j++)
            t[leaving][j] /= pivot;
        for (int i = 0; i < n; i++)
        {
            Exact factor = t[i][entering];
            for (int j = 0; i != leaving && factor != 0 && j < 2 * n + 2; j++)
                t[i][j] -= factor * t[leaving][j];
        }
        int out = basis[leaving];
        basis[leaving] = entering;
        if (out == 2 * n)
        {
            for (int i = 0; i < n; i++)
                if (basis[i] >= n && basis[i] < 2 * n)
                    z[basis[i] - n] = t[i][2 * n + 1] > 0 ? t[i][2 * n + 1] : 0;
            return true;
        }
        entering = out < n ? out + n : out - n;
        leaving = -1;
        Exact best = 0;
        for (int i = 0; i < n; i++)
        {
            if (t[i][entering] <= (Exact)1e-28)
                continue;
            Exact ratio = (t[i][2 * n + 1] > 0 ? t[i][2 * n + 1] : 0) / t[i][entering];
            if (leaving < 0 || ratio < best || (ratio == best && basis[i] == 2 * n))
                best = ratio, leaving = i;
        }
        if (leaving < 0)
            return false;
    }
    return false;
}

// What Lemke's method says about who conducts is solved anew where its many pivots have cost digits. Ties can lead it
// astray: once more with a little more resistance in the diodes, of no account in a step.
static inline bool reference_conduct(Reference* r, const Exact* q, Exact* z)
{
    bool conducts[CIRCUIT_DIODES], found = reference_again(r, r->conducts, q, z);
    for (Exact more = 0; !found && more<(Exact)1e-7; more = more> 0 ? more * 100 : (Exact)1e-11)
    {
        for (int k = 0; k < r->diode_count; k++)
            r->m[k][k] += more * (k + 1);
        found = reference_lemke(r, q, z);
        for (int k = 0; k < r->diode_count; k++)
            conducts[k] = z[k] > 0;
        found = found && (reference_holds(r, q, z) || reference_again(r, conducts, q, z));
        for (int k = 0; k < r->diode_count; k++)
            r->m[k][k] -= more * (k + 1);
    }
    return found;
}

static inline bool reference_step(Reference* r, double t)
{
    const Network* n = r->n;
    static Exact y[CIRCUIT_ORDER];
    Exact q[CIRCUIT_DIODES] = {0}, z[CIRCUIT_DIODES];
    memset(y, 0, sizeof y);
    for (int i = 0; i < n->part_count; i++)
    {
        const Part* p = &n->parts[i];
        Exact flow = 0;  // from a to b through the part
        if (p->kind == PART_L)
            flow = r->state[i];
        else if (p->kind == PART_C)
            flow = -(Exact)p->value / r->h * r->state[i];
        else if (p->kind == PART_I)
            flow = -(Exact)reference_wave(p, t);
        else if (p->kind == PART_V)
            y[r->row[i]] += reference_wave(p, t);
        if (p->a > 0)
            y[p->a - 1] -= flow;
        if (p->b > 0)
            y[p->b - 1] += flow;
    }
    reference_solve(r, y);
    for (int k = 0; k < r->diode_count; k++)
        q[k] = n->parts[r->diode[k]].value - reference_across(&n->parts[r->diode[k]], y);
    if (!reference_conduct(r, q, z))
        return false;
    for (int k = 0; k < r->diode_count; k++)
        r->conducts[k] = z[k] > 0;
    for (int k = 0; k < r->diode_count; k++)
        for (int i = 0; i < r->order; i++)
            y[i] += z[k] * r->column[k][i];
    r->largest = 0;
    for (int i = 0; i < r->order; i++)
        r->largest = fmax(r->largest, fabs((double)y[i]));
    for (int k = 0; k < r->diode_count; k++)
        r->largest = fmax(r->largest, (double)z[k]);
    for (int i = 0; i < n->part_count; i++)
    {
        const Part* p = &n->parts[i];
        if (p->kind == PART_L)
            r->state[i] += (double)((Exact)r->h / p->value * reference_across(p, y));
        else if (p->kind == PART_C)
            r->state[i] = (double)reference_across(p, y);
    }
    return true;
}

// From one time to the next in steps of about h; the first ones short. False: no solution, or no end of a current.
static inline bool reference_interval(Reference* r, double from, double to, double h, bool switched)
{
    double tiny = 1e-9 * r->n->stop;
    r->reached = from;
    if (switched)
    {
        reference_prepare(r, tiny);
        for (int k = 0; k < 3; k++)
            if (!reference_step(r, from + (k + 1) * tiny) || (k == 2 && r->largest > 1e6))
                return false;
        from += 3 * tiny;
    }
    int steps = (int)ceil((to - from) / h);
    double length = (to - from) / steps;
    reference_prepare(r, length);
    for (int k = 0; k < steps; k++)
    {
        if (!reference_step(r, from + (k + 1) * length) || r->largest > 1e6)
            return false;
        r->reached = from + (k + 1) * length;
    }
    return true;
}

static inline bool reference_closed(const Part* p, double t)
{
    bool closed = p->closed;
    for (int i = 0; i < p->time_count && p->times[i] <= t; i++)
        closed = !closed;
    return closed;
}

static inline double reference_next(const Network* n, double t)
{
    double next = n->stop;
    for (int i = 0; i < n->part_count; i++)
        for (int k = 0; k < n->parts[i].time_count; k++)
            if (n->parts[i].times[k] > t && n->parts[i].times[k] < next)
                next = n->parts[i].times[k];
    return next;
}

// States at `times` (ascending, before the end, none where a switch changes), by steps of h. To the end of the run, or
// to where there is no solution any more (sources that meet, a current with nowhere to go): the time reached.
static inline double reference_run(const Network* n, double h, const double* times, int time_count,
                                   double (*states)[CIRCUIT_PARTS])
{
    static Reference r;
    memset(&r, 0, sizeof r);
    r.n = n;
    for (int i = 0; i < n->part_count; i++)
    {
        r.state[i] = n->parts[i].start;
        if (n->parts[i].kind == PART_D)
            r.diode[r.diode_count++] = i;
    }
    double t = 0;
    bool switched = true;
    for (int k = 0; k < time_count || t < n->stop;)
    {
        double wanted = k < time_count ? times[k] : n->stop, until = fmin(reference_next(n, t), wanted);
        for (int i = 0; i < n->part_count; i++)
            r.closed[i] = n->parts[i].kind == PART_S && reference_closed(&n->parts[i], t);
        if (!reference_interval(&r, t, until, h, switched))
            return r.reached;
        switched = until != wanted;
        t = until;
        if (!switched && k < time_count)
            memcpy(states[k++], r.state, sizeof r.state);
    }
    return n->stop;
}

#endif
