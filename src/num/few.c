// A step of a linear field of few states (base/few.h), as `taylor` would take it to its horizon: orders are made and
// looked at until two in a row do not matter, products of integrals follow for all orders at once, the end is
// evaluated, all in one place. Between the events of a small circuit or mechanism asking others costs more than this.
//
// States go in pairs, which every machine of ours can: the operations of each are those of one alone. Vectors have
// room for whole pairs, and nothing is in it.
#include "num/few.h"

static const double NEGLIGIBLE = 0.02;  // of the tolerance, as in taylor.c

typedef double Pair __attribute__((vector_size(16)));
typedef int64_t Bits __attribute__((vector_size(16)));

typedef struct Quad  // of two states at most only `a` counts
{
    Pair a, b;
} Quad;

#define INLINE static inline __attribute__((always_inline))

INLINE Pair pair_at(const double* p)
{
    Pair v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE Quad quad_at(const double* p, bool more)
{
    Quad q = {pair_at(p), {0, 0}};
    if (more)
    {
        q.b = pair_at(p + 2);
    }
    return q;
}

INLINE void put(double* p, Quad q, bool more)
{
    memcpy(p, &q.a, sizeof q.a);
    if (more)
    {
        memcpy(p + 2, &q.b, sizeof q.b);
    }
}

INLINE Pair both(double v)
{
    return (Pair){v, v};
}

INLINE Pair size_of(Pair v)
{
    return (Pair)((Bits)v & (Bits){INT64_MAX, INT64_MAX});
}

// 1 / k.
static const double OVER[ODE_ORDER + 1] = {0,       1. / 1,  1. / 2,  1. / 3,  1. / 4,  1. / 5,  1. / 6,  1. / 7,
                                           1. / 8,  1. / 9,  1. / 10, 1. / 11, 1. / 12, 1. / 13, 1. / 14, 1. / 15,
                                           1. / 16, 1. / 17, 1. / 18, 1. / 19, 1. / 20, 1. / 21, 1. / 22, 1. / 23,
                                           1. / 24, 1. / 25, 1. / 26, 1. / 27, 1. / 28, 1. / 29, 1. / 30};

// -------------------------------------------------------------------------------------------------------------- orders

typedef struct Matrix
{
    Quad columns[FEW_STATES];
} Matrix;

INLINE Quad times(const Matrix* m, Quad c, bool more)
{
    Pair c0 = both(c.a[0]), c1 = both(c.a[1]);
    Quad sum = {m->columns[0].a * c0 + m->columns[1].a * c1, {0, 0}};
    if (more)
    {
        Pair c2 = both(c.b[0]), c3 = both(c.b[1]);
        sum.a = sum.a + m->columns[2].a * c2 + m->columns[3].a * c3;
        sum.b = m->columns[0].b * c0 + m->columns[1].b * c1 + m->columns[2].b * c2 + m->columns[3].b * c3;
    }
    return sum;
}

INLINE bool is_small(Pair c, Pair weight)
{
    Pair share = size_of(c) * weight;
    return share[0] <= NEGLIGIBLE && share[1] <= NEGLIGIBLE;
}

INLINE Pair weight_of(Pair x, Pair atol, double rtol)
{
    return 1 / (atol + rtol * size_of(x) + DBL_MIN);
}

// Products of integrals, by rows of the states that they are of: orders from + 1 to `to` of what they feed.
static void add_products(Ode* ode, const FewField* f, int from, int to)
{
    for (const FewProduct *p = f->products, *end = p + f->product_count; p < end; p++)
    {
        double x[ODE_ORDER], y[ODE_ORDER];
        for (int k = 0; k < to; k++)
        {
            x[k] = ode->dense[k][p->x];
            y[k] = ode->dense[k][p->y];
        }
        for (int k = from; k < to; k++)
        {
            double sum = 0;
            if (p->x == p->y)
            {
                for (int j = 0, i = k; j < i; j++, i--)
                {
                    sum += x[j] * x[i];
                }
                sum = k % 2 == 0 ? 2 * sum + x[k / 2] * x[k / 2] : 2 * sum;
            }
            else
            {
                for (int j = 0; j <= k; j++)
                {
                    sum += x[j] * y[k - j];
                }
            }
            ode->dense[k + 1][p->target] += p->factor * sum * OVER[k + 1];
        }
    }
}

// Whether what products feed does not matter at order k, whose power of h is given.
static bool are_products_small(const Ode* ode, const FewField* f, int k, double power)
{
    for (const FewProduct *p = f->products, *end = p + f->product_count; p < end; p++)
    {
        double scale = ode->atol[p->target] + ode->options.rtol * fabs(ode->x[p->target]) + DBL_MIN;
        if (!(fabs(ode->dense[k][p->target]) * power <= NEGLIGIBLE * scale))
        {
            return false;
        }
    }
    return true;
}

// Weights of what products feed are 0 until these are there.
static void leave_out(const FewField* f, Quad* weight)
{
    double w[FEW_STATES];
    memcpy(w, weight, sizeof w);
    for (uint32_t i = 0; i < f->product_count; i++)
    {
        w[f->products[i].target] = 0;
    }
    memcpy(weight, w, sizeof w);
}

// True: two orders in a row, the last ones, do not matter at h.
INLINE bool make_orders(Ode* ode, const FewField* f, double h, bool more, int* order)
{
    const double rtol = ode->options.rtol;
    Matrix m;
    for (int j = 0; j < (more ? 4 : 2); j++)
    {
        m.columns[j] = quad_at(f->columns[j], more);
    }
    Quad x = quad_at(ode->x, more), c = quad_at(ode->slope, more), atol = quad_at(ode->atol, more);
    Quad weight = {weight_of(x.a, atol.a, rtol), {0, 0}};
    if (more)
    {
        weight.b = weight_of(x.b, atol.b, rtol);
    }
    put(ode->dense[0], x, more);
    put(ode->dense[1], c, more);
    if (f->product_count > 0)
    {
        leave_out(f, &weight);
    }
    bool before = false;
    double power = h;
    for (int k = 1, made = 1;; k++, power *= h)
    {
        Pair by = both(power);
        bool small = is_small(c.a, weight.a * by) && (!more || is_small(c.b, weight.b * by));
        if (small && before)
        {
            *order = k;
            if (f->product_count == 0)
            {
                return true;
            }
            add_products(ode, f, made, k);
            made = k;
            if (are_products_small(ode, f, k, power) && are_products_small(ode, f, k - 1, power / h))
            {
                return true;
            }
        }
        if (k == ODE_ORDER)
        {
            add_products(ode, f, made, k);
            return false;
        }
        before = small;
        c = times(&m, c, more);
        if (k == 1 && f->rising)
        {
            Quad rises = quad_at(f->rises, more);
            c.a += rises.a;
            c.b += rises.b;
        }
        Pair over = both(OVER[k + 1]);
        c.a *= over;
        c.b *= over;
        put(ode->dense[k + 1], c, more);
    }
}

// ----------------------------------------------------------------------------------------------------------------- end

// The slopes at the end: those at the start, and what the field makes of the change.
INLINE Quad end_slope(const Ode* ode, const FewField* f, double h, Quad change, bool more)
{
    Matrix m;
    for (int j = 0; j < (more ? 4 : 2); j++)
    {
        m.columns[j] = quad_at(f->columns[j], more);
    }
    Quad slope = times(&m, change, more), start = quad_at(ode->slope, more);
    if (f->rising)
    {
        Quad rises = quad_at(f->rises, more);
        slope.a += rises.a * both(h);
        slope.b += rises.b * both(h);
    }
    slope.a += start.a;
    slope.b += start.b;
    return slope;
}

static void add_slopes(Ode* ode, const FewField* f)
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

INLINE bool make_end(Ode* ode, const FewField* f, double h, bool more, int order)
{
    Quad change = {{0, 0}, {0, 0}}, x = quad_at(ode->x, more), carry = quad_at(ode->dense[ODE_ORDER + 1], more), lost,
         end;
    Pair by = both(h);
    for (int k = order; k >= 1; k--)
    {
        Quad c = quad_at(ode->dense[k], more);
        change.a = (change.a + c.a) * by;
        if (more)
        {
            change.b = (change.b + c.b) * by;
        }
    }
    Quad slope = end_slope(ode, f, h, change, more);
    end.a = end_of(x.a, change.a, carry.a, &lost.a);
    Pair all = 0 * end.a + 0 * slope.a;
    if (more)
    {
        end.b = end_of(x.b, change.b, carry.b, &lost.b);
        all += 0 * end.b + 0 * slope.b;
    }
    put(ode->stage[2], lost, more);
    put(ode->x_start, end, more);
    put(ode->slope_start, slope, more);
    if (f->product_count > 0)
    {
        add_slopes(ode, f);
    }
    return all[0] == 0 && all[1] == 0;
}

// ---------------------------------------------------------------------------------------------------------------- step

INLINE FewOutcome take(Ode* ode, const FewField* f, double h, bool more, int* order)
{
    if (!make_orders(ode, f, h, more, order))
    {
        return FEW_LONG;
    }
    return make_end(ode, f, h, more, *order) ? FEW_WHOLE : FEW_BROKEN;
}

__attribute__((noinline)) static FewOutcome take_two(Ode* ode, const FewField* f, double h, int* order)
{
    return take(ode, f, h, false, order);
}

__attribute__((noinline)) static FewOutcome take_four(Ode* ode, const FewField* f, double h, int* order)
{
    return take(ode, f, h, true, order);
}

FewOutcome few_take(Ode* ode, const FewField* field, double h, int* order)
{
    return ode->n > 2 ? take_four(ode, field, h, order) : take_two(ode, field, h, order);
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
