// Linear bond graphs solved in another way than src/bond does it, to compare with: one row per end of every bond, no
// classes, Gauss-Jordan with complete pivoting in quadruple precision, ranks from the numbers; jumps by projection
// along the null space onto the consistent states; trajectories by the exponential of a matrix.
#ifndef KAIROS_TESTS_BOND_REFERENCE_H
#define KAIROS_TESTS_BOND_REFERENCE_H

#include "unit/bond_random.h"

#include <float.h>

#if LDBL_MANT_DIG < 113 && defined(__SIZEOF_FLOAT128__)
typedef __float128 Wide;
#else
typedef long double Wide;
#endif

enum
{
    UNKNOWNS = 2 * BENCH_BONDS,
    STATES = 64,
    NULLS = 64,
};

static inline Wide magnitude(Wide x)
{
    return x < 0 ? -x : x;
}

// ----------------------------------------------------------------------------------------------------- dense reduction

typedef struct Dense
{
    int rows, pivots, columns;  // the first `pivots` columns may hold pivots
    Wide* at;
    int *row_of, *column_of;  // pivot row of a column, pivot column of a row; -1
    double* largest;          // per row without a pivot: largest entry in a pivot column
    int *where, *filled;
} Dense;

static inline Dense dense_create(int rows, int pivots, int columns)
{
    Dense d = {rows, pivots, columns, NULL, NULL, NULL, NULL, NULL, NULL};
    d.at = calloc((size_t)rows * (size_t)columns + 1, sizeof(Wide));
    d.row_of = calloc((size_t)pivots + 1, sizeof(int));
    d.column_of = calloc((size_t)rows + 1, sizeof(int));
    d.largest = calloc((size_t)rows + 1, sizeof(double));
    d.where = calloc((size_t)rows + 1, sizeof(int));
    d.filled = calloc((size_t)columns + 1, sizeof(int));
    return d;
}

static inline void dense_free(Dense* d)
{
    free(d->at);
    free(d->row_of);
    free(d->column_of);
    free(d->largest);
    free(d->where);
    free(d->filled);
}

static inline Wide* entry(const Dense* d, int row, int column)
{
    return &d->at[(size_t)row * (size_t)d->columns + (size_t)column];
}

static inline void find_largest(Dense* d, int row)
{
    d->largest[row] = 0;
    for (int c = 0; c < d->pivots; c++)
    {
        double size = fabs((double)*entry(d, row, c));
        if (d->row_of[c] < 0 && size > d->largest[row])
        {
            d->largest[row] = size;
            d->where[row] = c;
        }
    }
}

// Divides a row by its pivot and lists its columns that are not zero; returns their number.
static inline int scale_row(Dense* d, int row, Wide pivot)
{
    int count = 0;
    for (int c = 0; c < d->columns; c++)
    {
        if (*entry(d, row, c) == 0)
            continue;
        *entry(d, row, c) /= pivot;
        d->filled[count++] = c;
    }
    return count;
}

static inline void subtract_row(Dense* d, int row, int pivot, Wide factor, int filled)
{
    for (int i = 0; i < filled; i++)
    {
        Wide term = factor * *entry(d, pivot, d->filled[i]), *place = entry(d, row, d->filled[i]);
        *place -= term;
        if (magnitude(*place) < (Wide)1e-28 * magnitude(term))
            *place = 0;
    }
}

// Reduces to unit columns; returns the rank. What stays below `nothing` is zero.
static inline int dense_reduce(Dense* d, double nothing)
{
    int rank = 0;
    for (int c = 0; c < d->pivots; c++)
        d->row_of[c] = -1;
    for (int r = 0; r < d->rows; r++)
    {
        d->column_of[r] = -1;
        find_largest(d, r);
    }
    for (;; rank++)
    {
        int best = -1;
        for (int r = 0; r < d->rows; r++)
            if (d->column_of[r] < 0 && d->largest[r] > nothing && (best < 0 || d->largest[r] > d->largest[best]))
                best = r;
        if (best < 0)
            return rank;
        int column = d->where[best];
        Wide pivot = *entry(d, best, column);
        int filled = scale_row(d, best, pivot);
        d->row_of[column] = best;
        d->column_of[best] = column;
        for (int r = 0; r < d->rows; r++)
        {
            Wide factor = r == best ? 0 : *entry(d, r, column);
            if (factor == 0)
                continue;
            subtract_row(d, r, best, factor, filled);
            *entry(d, r, column) = 0;
            if (d->column_of[r] < 0)
                find_largest(d, r);
        }
    }
}

// ----------------------------------------------------------------------------------------------------------- reference

// z = solution b + null a; constraint b = 0; all over the inputs.
typedef struct Reference
{
    const Bench* t;
    int unknowns, inputs, nulls;
    Wide *solution, *null, *constraint;  // unknowns × inputs, unknowns × nulls, nulls × inputs
    Wide* slope;                         // Wᵀ S K, nulls × nulls
    Dense solve;                         // reduced [slope | 1]
    double* row_scale;
    double* column_scale;
    int rank;
    bool unique[UNKNOWNS];
} Reference;

static inline void put(Dense* d, int* row, int column, double value)
{
    *entry(d, *row, column) += (Wide)value;
}

static inline void junction_rows(const Bench* t, Dense* d, int node, int* row)
{
    const int* list = t->graph->bond_list + t->graph->bond_first[node];
    int count = t->graph->bond_first[node + 1] - t->graph->bond_first[node], index = t->nodes[node].switch_index;
    bool zero = t->nodes[node].kind == BOND_J0, on = index < 0 || t->on[index];
    for (int i = 0; i < count; i++, (*row)++)
    {
        int common = zero ? BOND_E(list[i]) : BOND_F(list[i]), first = zero ? BOND_E(list[0]) : BOND_F(list[0]);
        if (!on || i > 0)
            put(d, row, common, 1);
        if (on && i > 0)
            put(d, row, first, -1);
        for (int k = 0; k < count && on && i == 0; k++)
            put(d, row, zero ? BOND_F(list[k]) : BOND_E(list[k]), t->bonds[list[k]].to == node ? 1 : -1);
    }
}

static inline void element_rows(const Bench* t, Dense* d, int node, int* row)
{
    const int* list = t->graph->bond_list + t->graph->bond_first[node];
    int b = list[0], input = d->pivots + t->graph->input_first[node];
    double s = t->bonds[b].to == node ? 1 : -1, p = t->nodes[node].parameter;
    switch (t->nodes[node].kind)
    {
    case BOND_SE:
    case BOND_C: put(d, row, BOND_E(b), 1); break;
    case BOND_SF: put(d, row, BOND_F(b), 1); break;
    case BOND_I: put(d, row, BOND_F(b), s); break;
    case BOND_R:
        put(d, row, BOND_E(b), p > 1 ? 1 / p : 1);
        put(d, row, BOND_F(b), p > 1 ? -s : -p * s);
        put(d, row, input, p > 1 ? -1 / p : -1);
        (*row)++;
        return;
    default:
    {
        int one = list[0], two = list[1];
        double s1 = t->bonds[one].to == node ? 1 : -1, s2 = t->bonds[two].from == node ? 1 : -1;
        bool transformer = t->nodes[node].kind == BOND_TF;
        put(d, row, BOND_E(one), 1);
        put(d, row, transformer ? BOND_E(two) : BOND_F(two), transformer ? -p : -p * s2);
        put(d, row, input, -1);
        (*row)++;
        put(d, row, transformer ? BOND_F(two) : BOND_E(two), transformer ? s2 : 1);
        put(d, row, BOND_F(one), -p * s1);
        input++;
    }
    }
    put(d, row, input, -1);
    (*row)++;
}

static inline void reduce_structure(Reference* ref)
{
    const Bench* t = ref->t;
    Dense d = dense_create(ref->unknowns, ref->unknowns, ref->unknowns + ref->inputs);
    int row = 0;
    for (int n = 0; n < t->node_count; n++)
        bond_is_junction(t->nodes[n].kind) ? junction_rows(t, &d, n, &row) : element_rows(t, &d, n, &row);
    assert_int_equal(row, ref->unknowns);
    ref->nulls = ref->unknowns - dense_reduce(&d, 1e-30);
    assert_true(ref->nulls <= NULLS);
    ref->solution = calloc((size_t)(ref->unknowns * ref->inputs) + 1, sizeof(Wide));
    ref->null = calloc((size_t)(ref->unknowns * ref->nulls) + 1, sizeof(Wide));
    ref->constraint = calloc((size_t)(ref->nulls * ref->inputs) + 1, sizeof(Wide));
    int null = 0, constraint = 0;
    for (int u = 0; u < ref->unknowns; u++)
    {
        if (d.row_of[u] >= 0)
        {
            for (int i = 0; i < ref->inputs; i++)
                ref->solution[u * ref->inputs + i] = -*entry(&d, d.row_of[u], ref->unknowns + i);
            continue;
        }
        for (int other = 0; other < ref->unknowns; other++)
            if (d.row_of[other] >= 0)
                ref->null[other * ref->nulls + null] = -*entry(&d, d.row_of[other], u);
        ref->null[u * ref->nulls + null++] = 1;
    }
    for (int r = 0; r < ref->unknowns; r++)
    {
        if (d.column_of[r] >= 0)
            continue;
        Wide* weights = &ref->constraint[constraint++ * ref->inputs];
        double largest = 1;  // of what was eliminated: smaller by 1e-24 is rounding
        for (int i = 0; i < ref->inputs; i++)
            largest = fmax(largest, fabs((double)*entry(&d, r, ref->unknowns + i)));
        for (int i = 0; i < ref->inputs; i++)
        {
            Wide value = *entry(&d, r, ref->unknowns + i);
            weights[i] = magnitude(value) < (Wide)1e-24 * largest ? 0 : value;
        }
    }
    dense_free(&d);
}

// Rate of the intensity of a storage (all have one port here), from z.
static inline Wide rate(const Bench* t, int node, const Wide* z)
{
    int b = t->graph->bond_list[t->graph->bond_first[node]];
    Wide s = t->bonds[b].to == node ? 1 : -1;
    return t->storage[t->graph->block_first[node]] * (t->nodes[node].kind == BOND_C ? s * z[BOND_F(b)] : z[BOND_E(b)]);
}

// Wᵀ (S z + b) for every constraint, with the size of the terms.
static inline void residual(const Reference* ref, const Wide* z, const Wide* b, Wide* sum, double* size)
{
    const Bench* t = ref->t;
    for (int c = 0; c < ref->nulls; c++)
    {
        sum[c] = 0;
        size[c] = 0;
        for (int n = 0; n < t->node_count; n++)
        {
            for (int i = t->graph->input_first[n]; i < t->graph->input_first[n + 1]; i++)
            {
                Wide weight = ref->constraint[c * ref->inputs + i];
                if (weight == 0)
                    continue;
                Wide stored = z && bond_is_storage(t->nodes[n].kind) ? rate(t, n, z) : 0, given = b ? b[i] : 0;
                sum[c] += weight * (stored + given);
                size[c] += fabs((double)(weight * stored)) + fabs((double)(weight * given));
            }
        }
    }
}

static inline void make_slope(Reference* ref)
{
    int n = ref->nulls;
    ref->slope = calloc((size_t)(n * n) + 1, sizeof(Wide));
    Wide* z = calloc((size_t)ref->unknowns + 1, sizeof(Wide));
    Wide sum[NULLS];
    double size[NULLS];
    for (int k = 0; k < n; k++)
    {
        for (int u = 0; u < ref->unknowns; u++)
            z[u] = ref->null[u * n + k];
        residual(ref, z, NULL, sum, size);
        for (int c = 0; c < n; c++)  // what cancelled to the last digits of quadruple precision is no slope
            ref->slope[c * n + k] = magnitude(sum[c]) <= (Wide)1e-24 * size[c] ? 0 : sum[c];
    }
    free(z);
}

// Rows and columns scaled to one, then reduced together with the identity.
static inline void reduce_slope(Reference* ref)
{
    int n = ref->nulls;
    ref->row_scale = calloc((size_t)n + 1, sizeof(double));
    ref->column_scale = calloc((size_t)n + 1, sizeof(double));
    for (int i = 0; i < n; i++)
        ref->row_scale[i] = ref->column_scale[i] = 1;
    for (int sweep = 0; sweep < 6; sweep++)
    {
        for (int i = 0; i < n; i++)
        {
            double largest = 0;
            for (int k = 0; k < n; k++)
            {
                double row = fabs((double)ref->slope[i * n + k]) * ref->row_scale[i] * ref->column_scale[k];
                double column = fabs((double)ref->slope[k * n + i]) * ref->row_scale[k] * ref->column_scale[i];
                largest = fmax(largest, sweep % 2 ? row : column);
            }
            *(sweep % 2 ? &ref->row_scale[i] : &ref->column_scale[i]) /= largest > 0 ? largest : 1;
        }
    }
    ref->solve = dense_create(n, n, 2 * n);
    for (int i = 0; i < n; i++)
    {
        for (int k = 0; k < n; k++)
            *entry(&ref->solve, i, k) = ref->slope[i * n + k] * (Wide)ref->row_scale[i] * (Wide)ref->column_scale[k];
        *entry(&ref->solve, i, n + i) = 1;
    }
    ref->rank = dense_reduce(&ref->solve, 1e-25);
}

// Null vector k of the slope, which moves no storage, over the unknowns; what is rounding is zero.
static inline void idle_direction(const Reference* ref, int k, double* direction)
{
    int n = ref->nulls;
    double largest = 0;
    for (int u = 0; u < ref->unknowns; u++)
    {
        Wide sum = ref->null[u * n + k] * (Wide)ref->column_scale[k], size = magnitude(sum);
        for (int p = 0; p < n; p++)
        {
            if (ref->solve.row_of[p] < 0)
                continue;
            Wide term =
                ref->null[u * n + p] * *entry(&ref->solve, ref->solve.row_of[p], k) * (Wide)ref->column_scale[p];
            sum -= term;
            size += magnitude(term);
        }
        direction[u] = magnitude(sum) <= (Wide)1e-18 * size ? 0 : (double)sum;
        largest = fmax(largest, fabs(direction[u]));
    }
    for (int u = 0; u < ref->unknowns; u++)
        direction[u] = fabs(direction[u]) <= 1e-20 * largest ? 0 : direction[u];
}

static inline void find_unique(Reference* ref)
{
    double direction[UNKNOWNS];
    for (int u = 0; u < ref->unknowns; u++)
        ref->unique[u] = true;
    for (int k = 0; k < ref->nulls; k++)
    {
        if (ref->solve.row_of[k] >= 0)
            continue;
        idle_direction(ref, k, direction);
        for (int u = 0; u < ref->unknowns; u++)
            ref->unique[u] = ref->unique[u] && direction[u] == 0;
    }
}

static inline Reference* reference_create(const Bench* t)
{
    Reference* ref = calloc(1, sizeof *ref);
    ref->t = t;
    ref->unknowns = 2 * t->bond_count;
    ref->inputs = t->graph->input_count;
    reduce_structure(ref);
    make_slope(ref);
    reduce_slope(ref);
    find_unique(ref);
    return ref;
}

static inline void reference_free(Reference* ref)
{
    free(ref->solution);
    free(ref->null);
    free(ref->constraint);
    free(ref->slope);
    free(ref->row_scale);
    free(ref->column_scale);
    dense_free(&ref->solve);
    free(ref);
}

// z = solution b + null a with Wᵀ(S z + next) = 0. False if that cannot be. `uncertain`, unless NULL: the size of all
// terms.
static inline bool reference_solve(const Reference* ref, const Wide* b, const double* b_size, const Wide* next, Wide* z,
                                   double* uncertain)
{
    int n = ref->nulls;
    Wide sum[NULLS], a[NULLS] = {0}, terms[UNKNOWNS];
    double size[NULLS], a_size[NULLS] = {0};
    bool consistent = true;
    for (int u = 0; u < ref->unknowns; u++)
    {
        z[u] = terms[u] = 0;
        for (int i = 0; i < ref->inputs && b; i++)
        {
            if (ref->solution[u * ref->inputs + i] == 0)
                continue;
            z[u] += ref->solution[u * ref->inputs + i] * b[i];
            terms[u] += magnitude(ref->solution[u * ref->inputs + i]) * (b_size ? (Wide)b_size[i] : magnitude(b[i]));
        }
    }
    residual(ref, z, next, sum, size);
    for (int r = 0; r < n; r++)
    {
        Wide value = 0;
        double weighed = 0;
        for (int k = 0; k < n; k++)
        {
            Wide weight = *entry(&ref->solve, r, n + k) * (Wide)ref->row_scale[k];
            value -= weight * sum[k];
            weighed += fabs((double)weight) * size[k];
        }
        int column = ref->solve.column_of[r];
        if (column >= 0)
        {
            a[column] = value * (Wide)ref->column_scale[column];
            a_size[column] = weighed * ref->column_scale[column];
        }
        else
            consistent = consistent && fabs((double)value) <= 1e-10 * weighed;
    }
    for (int u = 0; u < ref->unknowns; u++)
    {
        if (uncertain)
            uncertain[u] = (double)terms[u];
        for (int k = 0; k < n; k++)
        {
            if (ref->null[u * n + k] == 0)
                continue;
            if (uncertain)
                uncertain[u] += fabs((double)ref->null[u * n + k]) * a_size[k];
            z[u] += ref->null[u * n + k] * a[k];
            terms[u] += magnitude(ref->null[u * n + k] * a[k]);
        }
        z[u] = magnitude(z[u]) < (Wide)1e-24 * terms[u] ? 0 : z[u];  // rounding of quadruple precision
    }
    return consistent;
}

// ---------------------------------------------------------------------------------------------------------- trajectory

enum
{
    ORDER = STATES + 2,  // extensities, time since the jump, one
};

// y := exp(a h) y by Taylor, in pieces of norm below one half. The caller has scaled y.
static inline void exponential(const double* a, int n, double h, double* y)
{
    double norm = 0;
    for (int i = 0; i < n; i++)
    {
        double row = 0;
        for (int j = 0; j < n; j++)
            row += fabs(a[i * ORDER + j]) * h;
        norm = fmax(norm, row);
    }
    int pieces = 1 + (int)(2 * norm);
    for (int piece = 0; piece < pieces; piece++)
    {
        double term[ORDER], next[ORDER] = {0};
        memcpy(term, y, (size_t)n * sizeof(double));
        for (int k = 1; k < 15; k++)
        {
            for (int i = 0; i < n; i++)
            {
                next[i] = 0;
                for (int j = 0; j < n; j++)
                    next[i] += a[i * ORDER + j] * term[j] * h / pieces / k;
            }
            memcpy(term, next, sizeof next);
            for (int i = 0; i < n; i++)
                y[i] += term[i];
        }
    }
}

// x' = A x + c + d t in the coordinates of energy, √S x, from what `column` says about the flow for given inputs.
typedef void Flow(void* who, const double* b1, const double* b2, double* dx);

static inline void make_matrix(const Bench* t, Flow* flow, void* who, double* a)
{
    int n = t->graph->port_count;
    double b1[2 * BENCH_NODES], none[2 * BENCH_NODES] = {0}, dx[STATES], root[STATES];
    for (int node = 0; node < t->node_count; node++)
        if (bond_is_storage(t->nodes[node].kind))
            root[t->graph->port_first[node]] = sqrt(t->storage[t->graph->block_first[node]]);
    memset(a, 0, ORDER * ORDER * sizeof(double));
    for (int k = 0; k < n + 2; k++)
    {
        memset(b1, 0, sizeof b1);
        for (int node = 0; node < t->node_count; node++)
        {
            int input = t->graph->input_first[node];
            if (k < n && bond_is_storage(t->nodes[node].kind) && t->graph->port_first[node] == k)
                b1[input] = root[k];
            else if (k >= n && !bond_is_storage(t->nodes[node].kind))
                for (int i = input; i < t->graph->input_first[node + 1]; i++)
                    b1[i] = k == n ? t->b2[i] : t->b1[i];
        }
        flow(who, b1, k == n + 1 ? t->b2 : none, dx);
        for (int i = 0; i < n; i++)
            a[i * ORDER + k] = root[i] * dx[i];
    }
    a[n * ORDER + n + 1] = 1;
}

static inline void reference_flow(void* who, const double* b1, const double* b2, double* dx)
{
    const Reference* ref = who;
    Wide b[2 * BENCH_NODES], next[2 * BENCH_NODES], z[UNKNOWNS];
    for (int i = 0; i < ref->inputs; i++)
    {
        b[i] = b1[i];
        next[i] = b2[i];
    }
    reference_solve(ref, b, NULL, next, z, NULL);
    for (int n = 0; n < ref->t->node_count; n++)
        if (bond_is_storage(ref->t->nodes[n].kind))
            dx[ref->t->graph->port_first[n]] =
                (double)(rate(ref->t, n, z) / (Wide)ref->t->storage[ref->t->graph->block_first[n]]);
}

// Time and the constant in units of 1/one, so that sources do not make the norm.
static inline void scale_drive(double* a, int n, double one)
{
    for (int i = 0; i < n; i++)
        for (int j = n; j < n + 2; j++)
            a[i * ORDER + j] /= one;
}

#endif
