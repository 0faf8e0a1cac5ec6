// A step of a linear field of few states (base/few.h), as `taylor` would take it to its horizon: orders are made and
// looked at until two in a row do not matter, products of integrals follow for all orders at once, the end is
// evaluated, all in one place. Between the events of a small circuit or mechanism asking others costs more than this.
//
// States go in pairs, which every machine of ours can: the operations of each are those of one alone. Vectors have
// room for whole pairs, and nothing is in it.
#include "num/few.h"

static const double NEGLIGIBLE = 0.02;  // of the tolerance, as in taylor.c

// What is left of the matrix where columns without factors are left out.
typedef enum Shape
{
    TWO,   // states at most
    TALL,  // four states, two columns
    FOUR,
} Shape;

typedef struct Quad  // of two states at most only `a` counts
{
    Pair a, b;
} Quad;

#define INLINE static inline __attribute__((always_inline))

INLINE Quad quad_at(const double* p, Shape shape)
{
    Quad q = {pair_at(p), {0, 0}};
    if (shape != TWO)
    {
        q.b = pair_at(p + 2);
    }
    return q;
}

INLINE void put(double* p, Quad q, Shape shape)
{
    pair_put(p, q.a);
    if (shape != TWO)
    {
        pair_put(p + 2, q.b);
    }
}

// 1 / k.
static const double OVER[ODE_ORDER + 1] = {0,       1. / 1,  1. / 2,  1. / 3,  1. / 4,  1. / 5,  1. / 6,  1. / 7,
                                           1. / 8,  1. / 9,  1. / 10, 1. / 11, 1. / 12, 1. / 13, 1. / 14, 1. / 15,
                                           1. / 16, 1. / 17, 1. / 18, 1. / 19, 1. / 20, 1. / 21, 1. / 22, 1. / 23,
                                           1. / 24, 1. / 25, 1. / 26, 1. / 27, 1. / 28, 1. / 29, 1. / 30};

// -------------------------------------------------------------------------------------------------------------- matrix

typedef struct Matrix
{
    Quad columns[FEW_STATES];
    uint32_t first, second;  // TALL: whose columns they are
} Matrix;

INLINE Matrix matrix_of(const FewField* f, Shape shape)
{
    Matrix m = {.first = f->used[0], .second = f->used[1]};
    m.columns[0] = quad_at(f->columns[shape == TALL ? m.first : 0], shape);
    m.columns[1] = quad_at(f->columns[shape == TALL ? m.second : 1], shape);
    if (shape == FOUR)
    {
        m.columns[2] = quad_at(f->columns[2], shape);
        m.columns[3] = quad_at(f->columns[3], shape);
    }
    return m;
}

INLINE Quad times(const Matrix* m, const double* c, Shape shape)
{
    Pair first = pair_both(c[shape == TALL ? m->first : 0]), second = pair_both(c[shape == TALL ? m->second : 1]);
    Quad sum = {m->columns[0].a * first + m->columns[1].a * second, {0, 0}};
    if (shape != TWO)
    {
        sum.b = m->columns[0].b * first + m->columns[1].b * second;
    }
    if (shape == FOUR)
    {
        Pair third = pair_both(c[2]), fourth = pair_both(c[3]);
        sum.a = sum.a + m->columns[2].a * third + m->columns[3].a * fourth;
        sum.b = sum.b + m->columns[2].b * third + m->columns[3].b * fourth;
    }
    return sum;
}

INLINE bool is_small(Quad c, Quad weight, Shape shape)
{
    Pair share = pair_size(c.a) * weight.a;
    if (!(share[0] <= NEGLIGIBLE && share[1] <= NEGLIGIBLE))
    {
        return false;
    }
    share = pair_size(c.b) * weight.b;
    return shape == TWO || (share[0] <= NEGLIGIBLE && share[1] <= NEGLIGIBLE);
}

INLINE Quad scaled(Quad v, double by)
{
    return (Quad){v.a * pair_both(by), v.b * pair_both(by)};
}

// 1 / tolerance; of what products feed 0, until these are there.
INLINE Quad weights_of(const Ode* ode, const FewField* f, Quad x, Shape shape)
{
    Quad atol = quad_at(ode->atol, shape), plain = quad_at(f->plain, shape);
    Pair rtol = pair_both(ode->options.rtol), least = pair_both(DBL_MIN);
    Quad weights = {plain.a / (atol.a + rtol * pair_size(x.a) + least), {0, 0}};
    if (shape != TWO)
    {
        weights.b = plain.b / (atol.b + rtol * pair_size(x.b) + least);
    }
    return weights;
}

// ------------------------------------------------------------------------------------------------------------ products

enum
{
    BLOCK = 4,  // orders of a square that are made at once
};

typedef struct Row  // of coefficients, with room for whole blocks
{
    double at[ODE_ORDER + BLOCK + 1];
} Row;

// Up to order count - 1, and as many zeros as fill up a block.
static inline void take_row(const Ode* ode, int state, int count, Row* row)
{
    for (int k = 0; k < count; k++)
    {
        row->at[k] = ode->dense[k][state];
    }
    pair_put(row->at + count, pair_both(0));
    pair_put(row->at + count + 2, pair_both(0));
}

// Order k of x², k > 0.
static inline double square_at(const double* x, int k)
{
    double sum = 0;
    const double *from = x, *to = x + k;
    for (; from < to; from++, to--)
    {
        sum += *from * *to;
    }
    return from == to ? 2 * sum + *from * *from : 2 * sum;
}

// Orders 1 to 8 of x², and more: the sums of square_at, four at a time.
static inline void square_row(const double* x, int count, double* z)
{
    z[1] = 2 * (x[0] * x[1]);
    z[2] = 2 * (x[0] * x[2]) + x[1] * x[1];
    z[3] = 2 * (x[0] * x[3] + x[1] * x[2]);
    z[4] = 2 * (x[0] * x[4] + x[1] * x[3]) + x[2] * x[2];
    if (count > 5)
    {
        z[5] = 2 * (x[0] * x[5] + x[1] * x[4] + x[2] * x[3]);
        z[6] = 2 * (x[0] * x[6] + x[1] * x[5] + x[2] * x[4]) + x[3] * x[3];
        z[7] = 2 * (x[0] * x[7] + x[1] * x[6] + x[2] * x[5] + x[3] * x[4]);
        z[8] = 2 * (x[0] * x[8] + x[1] * x[7] + x[2] * x[6] + x[3] * x[5]) + x[4] * x[4];
    }
    for (int k = 9; k < count; k++)
    {
        z[k] = square_at(x, k);
    }
}

static inline void multiply_rows(const double* x, const double* y, int count, double* z)
{
    for (int k = 1; k < count; k++)
    {
        double sum = 0;
        for (int j = 0; j <= k; j++)
        {
            sum += x[j] * y[k - j];
        }
        z[k] = sum;
    }
}

typedef struct Rows  // of the two states of a product; of a square they are one
{
    Row x, other;
    const Row* y;
} Rows;

static inline void take_rows(const Ode* ode, const FewProduct* p, int count, Rows* rows)
{
    take_row(ode, p->x, count, &rows->x);
    rows->y = &rows->x;
    if (p->x != p->y)
    {
        take_row(ode, p->y, count, &rows->other);
        rows->y = &rows->other;
    }
}

// Orders from + 1 to `to` of what products feed.
INLINE void add_products(Ode* ode, const FewField* f, int from, int to, Rows* rows)
{
    Row z;
    double** next = ode->dense + 1;
    for (const FewProduct *p = f->products, *end = p + f->product_count; p < end; p++, rows++)
    {
        take_rows(ode, p, to, rows);
        if (p->x == p->y)
        {
            square_row(rows->x.at, to, z.at);
        }
        else
        {
            multiply_rows(rows->x.at, rows->y->at, to, z.at);
        }
        const double factor = p->factor;
        const size_t target = (size_t)p->target;
        for (size_t k = (size_t)from, last = (size_t)to; k < last; k++)
        {
            next[k][target] += factor * z.at[k] * OVER[k + 1];
        }
    }
}

// Whether what products feed does not matter at order k, and at the one before; with the weights of order k.
static inline bool are_products_small(const Ode* ode, const FewField* f, int k, double h, double power)
{
    const double *last = ode->dense[k], *before = ode->dense[k - 1], rtol = ode->options.rtol;
    for (const FewProduct *p = f->products, *end = p + f->product_count; p < end; p++)
    {
        int i = p->target;
        double most = NEGLIGIBLE * (ode->atol[i] + rtol * fabs(ode->x[i]) + DBL_MIN);
        if (!(fabs(last[i]) * power <= most && fabs(before[i]) * power <= most * h))
        {
            return false;
        }
    }
    return true;
}

// The sizes of terms up to order k at h, in pairs; that of order k is not among the rows that products are made of.
static inline void measure_row(const Row* row, double last, int k, double h, double power, double* sizes)
{
    Pair by = pair_both(h * h), powers = {1, h};
    for (int i = 0; i < k; i += 2, powers *= by)
    {
        pair_put(sizes + i, pair_size(pair_at(row->at + i)) * powers);
    }
    sizes[k] = fabs(last) * power;
}

// What is left of products beyond order k, by its size: their own terms may be 0 for a while between others.
INLINE bool is_rest_small(const Ode* ode, const FewField* f, int k, double h, double power, const Rows* rows)
{
    double x[ODE_ORDER + 2], other[ODE_ORDER + 2], *y, rtol = ode->options.rtol;
    for (const FewProduct *p = f->products, *end = p + f->product_count; p < end; p++, rows++)
    {
        double sum = 0, beyond = 0;
        measure_row(&rows->x, ode->dense[k][p->x], k, h, power, x);
        y = p->x == p->y ? x : other;
        if (y == other)
        {
            measure_row(rows->y, ode->dense[k][p->y], k, h, power, other);
        }
        for (int i = 0, j = k; i <= k; i++, j--)
        {
            beyond += y[j];
            sum += x[i] * beyond;
        }
        double most = NEGLIGIBLE * (ode->atol[p->target] + rtol * fabs(ode->x[p->target]) + DBL_MIN);
        if (!(fabs(p->factor) * sum * h <= most * (k + 1)))
        {
            return false;
        }
    }
    return true;
}

// Orders from + 1 to `to` of what products feed. True: neither the last two of them nor what comes after them matter.
__attribute__((noinline)) static bool take_products(Ode* ode, const FewField* f, int from, int to, double h,
                                                    double power)
{
    Rows rows[FEW_PRODUCTS];
    add_products(ode, f, from, to, rows);
    return are_products_small(ode, f, to, h, power) && is_rest_small(ode, f, to, h, power, rows);
}

// -------------------------------------------------------------------------------------------------------------- orders

// Order k + 1 from order k, at `c`.
INLINE Quad next_order(const FewField* f, const Matrix* m, const double* c, int k, Shape shape)
{
    Quad next = times(m, c, shape);
    if (k == 1 && f->rising)
    {
        Quad rises = quad_at(f->rises, shape);
        next.a += rises.a;
        next.b += rises.b;
    }
    return scaled(next, OVER[k + 1]);
}

// True: two orders in a row, the last ones, do not matter at h.
INLINE bool make_orders(Ode* ode, const FewField* f, const Matrix* m, double h, Shape shape, int* order)
{
    Quad x = quad_at(ode->x, shape), c = quad_at(ode->slope, shape), weights = weights_of(ode, f, x, shape);
    const bool products = f->product_count > 0;
    double power = 1;
    bool before = false;
    put(ode->dense[0], x, shape);
    put(ode->dense[1], c, shape);
    for (int k = 1, made = 1; k <= ODE_ORDER; k++)
    {
        weights = scaled(weights, h);
        power *= h;
        bool small = is_small(c, weights, shape);
        if (small && before)
        {
            *order = k;
            if (!products || take_products(ode, f, made, k, h, power))
            {
                return true;
            }
            made = k;
        }
        if (k == ODE_ORDER)
        {
            take_products(ode, f, made, k, h, power);
            break;
        }
        before = small;
        c = next_order(f, m, ode->dense[k], k, shape);
        put(ode->dense[k + 1], c, shape);
    }
    return false;
}

// ----------------------------------------------------------------------------------------------------------------- end

// The slopes at the end: those at the start, and what the field makes of the change.
INLINE Quad end_slope(const Ode* ode, const FewField* f, const Matrix* m, double h, Quad change, Shape shape)
{
    double by[FEW_STATES];
    put(by, change, shape);
    Quad slope = times(m, by, shape), start = quad_at(ode->slope, shape);
    if (f->rising)
    {
        Quad rises = scaled(quad_at(f->rises, shape), h);
        slope.a += rises.a;
        slope.b += rises.b;
    }
    slope.a += start.a;
    slope.b += start.b;
    return slope;
}

static inline void add_slopes(Ode* ode, const FewField* f)
{
    const double *x = ode->x, *end = ode->x_start;
    for (uint32_t i = 0; i < f->product_count; i++)
    {
        const FewProduct* p = &f->products[i];
        ode->slope_start[p->target] += p->factor * (end[p->x] * end[p->y] - x[p->x] * x[p->y]);
    }
}

// The sum with what the last one has lost (Kahan). What is lost now goes to *lost.
INLINE Pair end_of(Pair x, Pair change, Pair carry, Pair* lost)
{
    change += carry;
    Pair to = x + change, part = to - x;
    *lost = (x - (to - part)) + (change - part);
    return to;
}

INLINE Quad change_of(const Ode* ode, int order, double h, Shape shape)
{
    Quad change = {{0, 0}, {0, 0}};
    Pair by = pair_both(h);
    for (int k = order; k >= 1; k--)
    {
        const double* c = ode->dense[k];
        change.a = (change.a + pair_at(c)) * by;
        if (shape != TWO)
        {
            change.b = (change.b + pair_at(c + 2)) * by;
        }
    }
    return change;
}

INLINE bool make_end(Ode* ode, const FewField* f, const Matrix* m, double h, Shape shape, int order)
{
    Quad x = quad_at(ode->x, shape), carry = quad_at(ode->dense[ODE_ORDER + 1], shape), lost = {{0, 0}, {0, 0}};
    Quad change = change_of(ode, order, h, shape), slope = end_slope(ode, f, m, h, change, shape), end = lost;
    end.a = end_of(x.a, change.a, carry.a, &lost.a);
    Pair all = 0 * end.a + 0 * slope.a;
    if (shape != TWO)
    {
        end.b = end_of(x.b, change.b, carry.b, &lost.b);
        all += 0 * end.b + 0 * slope.b;
    }
    put(ode->stage[2], lost, shape);
    put(ode->x_start, end, shape);
    put(ode->slope_start, slope, shape);
    if (f->product_count > 0)
    {
        add_slopes(ode, f);
    }
    return all[0] + all[1] == 0;
}

// ---------------------------------------------------------------------------------------------------------------- step

INLINE FewOutcome take(Ode* ode, const FewField* f, double h, Shape shape, int* order)
{
    Matrix m = matrix_of(f, shape);
    if (!make_orders(ode, f, &m, h, shape, order))
    {
        return FEW_LONG;
    }
    return make_end(ode, f, &m, h, shape, *order) ? FEW_WHOLE : FEW_BROKEN;
}

__attribute__((noinline)) static FewOutcome take_two(Ode* ode, const FewField* f, double h, int* order)
{
    return take(ode, f, h, TWO, order);
}

__attribute__((noinline)) static FewOutcome take_tall(Ode* ode, const FewField* f, double h, int* order)
{
    return take(ode, f, h, TALL, order);
}

__attribute__((noinline)) static FewOutcome take_four(Ode* ode, const FewField* f, double h, int* order)
{
    return take(ode, f, h, FOUR, order);
}

FewOutcome few_take(Ode* ode, const FewField* field, double h, int* order)
{
    const int n = ode->n;
    if (n % 2 == 1)  // whatever an overflow has left where there is no state
    {
        ode->x[n] = ode->slope[n] = ode->dense[ODE_ORDER + 1][n] = 0;
    }
    return n <= 2                   ? take_two(ode, field, h, order)
           : field->used_count <= 2 ? take_tall(ode, field, h, order)
                                    : take_four(ode, field, h, order);
}

// --------------------------------------------------------------------------------------------------- polynomials

// The polynomials of states i and i + 1 at h but for their constant terms, and their slopes.
static inline void evaluate_two(const Ode* ode, int degree, double h, int i, double sum[2], double rate[2])
{
    Pair s = {0, 0}, r = {0, 0}, by = {h, h};
    for (int k = degree; k >= 1; k--)
    {
        Pair c = pair_at(ode->dense[k] + i);
        s = (s + c) * by;
        r = r * by + (Pair){k, k} * c;
    }
    memcpy(sum, &s, sizeof s);
    memcpy(rate, &r, sizeof r);
}

static inline void evaluate_one(const Ode* ode, int degree, double h, int i, double* sum, double* rate)
{
    double s = 0, r = 0;
    for (int k = degree; k >= 1; k--)
    {
        double c = ode->dense[k][i];
        s = (s + c) * h;
        r = r * h + k * c;
    }
    *sum = s;
    *rate = r;
}

bool few_evaluate(Ode* ode, int degree, double h)
{
    double* restrict end = ode->x_start, * restrict slope = ode->slope_start, * restrict lost = ode->stage[2];
    const double* restrict x = ode->x, * restrict carry = ode->dense[ODE_ORDER + 1];
    double sum[FEW_STATES], rate[FEW_STATES], all = 0;
    const int n = ode->n;
    for (int i = 0; i + 1 < n; i += 2)
    {
        evaluate_two(ode, degree, h, i, sum + i, rate + i);
    }
    if (n % 2 == 1)
    {
        evaluate_one(ode, degree, h, n - 1, sum + n - 1, rate + n - 1);
    }
    for (int i = 0; i < n; i++)
    {
        double change = sum[i] + carry[i], to = x[i] + change, part = to - x[i];
        lost[i] = (x[i] - (to - part)) + (change - part);
        end[i] = to;
        slope[i] = rate[i];
        all += 0 * to + 0 * rate[i];
    }
    return all == 0;
}
