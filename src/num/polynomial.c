// Values of polynomials and isolation of their roots; polynomial.h has the contract.
#include "num/polynomial.h"

#include <float.h>
#include <string.h>

enum
{
    TERMS = POLYNOMIAL_DEGREE + 1,
    DEPTH = 56,    // bisections in a row; a cell is then as short as theta resolves
    CELLS = 4096,  // divided in all: never met, and an end to what no analysis foresaw
};

// ------------------------------------------------------------------------------------------------------------- values

double polynomial_plain(const double* c, int degree, double theta)
{
    double sum = c[degree];
    for (int k = degree - 1; k >= 0; k--)
    {
        sum = sum * theta + c[k];
    }
    return sum;
}

double polynomial_slope(const double* c, int degree, double theta)
{
    double sum = 0;
    for (int k = degree; k >= 1; k--)
    {
        sum = sum * theta + k * c[k];
    }
    return sum;
}

void polynomial_derivative(const double* c, int degree, double* derivative)
{
    derivative[0] = 0;
    for (int k = 1; k <= degree; k++)
    {
        derivative[k - 1] = k * c[k];
    }
}

// Horner with the rounding errors of every product and sum carried along (Graillat, Langlois, Louvet 2005): as if
// computed with twice the digits. Products are split by Veltkamp's method: fma may be a call.
static double compensated(const double* c, int degree, double theta)
{
    static const double SPLIT = 134217729;  // 2^27 + 1
    double high = SPLIT * theta;
    double theta_high = high - (high - theta), theta_low = theta - theta_high;
    double sum = c[degree], error = 0;
    for (int k = degree - 1; k >= 0; k--)
    {
        double product = sum * theta;
        double whole = SPLIT * sum;
        double sum_high = whole - (whole - sum), sum_low = sum - sum_high;
        double lost =
            sum_low * theta_low - (((product - sum_high * theta_high) - sum_low * theta_high) - sum_high * theta_low);
        double next = product + c[k];
        double part = next - product;
        lost += (product - (next - part)) + (c[k] - part);
        error = error * theta + lost;
        sum = next;
    }
    double value = sum + error;
    return isfinite(value) ? value : polynomial_plain(c, degree, theta);  // splitting overflows before Horner does
}

// Plain Horner where its error cannot change the sign nor more than some digits of it.
double polynomial_value(const double* c, int degree, double theta)
{
    double sum = c[degree], size = fabs(sum), at = fabs(theta);
    for (int k = degree - 1; k >= 0; k--)
    {
        sum = sum * theta + c[k];
        size = size * at + fabs(c[k]);
    }
    return fabs(sum) > 0x1p-20 * size ? sum : compensated(c, degree, theta);
}

bool polynomial_has_ended(const double* c, int k, double h, double part)
{
    enum
    {
        QUIET = 3
    };
    double rest = 0, power = 1, last = 0;
    for (int j = 1; j <= k; j++)
    {
        power *= h;
        double term = fabs(c[j]) * power;
        rest += term;
        if (j > k - QUIET && term > last)
            last = term;
    }
    double size = fabs(c[0]) + rest;
    return k > QUIET && isfinite(size) && rest > part * size && last <= part * size;
}

void polynomial_shift(const double* c, int degree, double by, double* shifted)
{
    if (shifted != c)
    {
        memcpy(shifted, c, sizeof(double) * (size_t)(degree + 1));
    }
    for (int i = 0; i < degree; i++)
    {
        for (int k = degree - 1; k >= i; k--)
        {
            shifted[k] += by * shifted[k + 1];
        }
    }
}

static inline int sign_of(double v)
{
    return (v > 0) - (v < 0);
}

// --------------------------------------------------------------------------------------------------------- refinement

// A bracket with different signs at its ends.
typedef struct Bracket
{
    double lo, hi, f_lo, f_hi;
} Bracket;

// Puts x, strictly inside, on its side. True: it is a root.
static bool bracket_take(Bracket* b, const double* c, int degree, double x)
{
    double f = polynomial_value(c, degree, x);
    if (sign_of(f) == sign_of(b->f_lo))
    {
        b->lo = x;
        b->f_lo = f;
        return false;
    }
    b->hi = x;
    b->f_hi = f;
    return f == 0;
}

static bool bracket_closed(const Bracket* b)
{
    double mid = 0.5 * (b->lo + b->hi);
    return !(mid > b->lo && mid < b->hi);
}

// hi is a root: the last place before it that still has the old sign.
static void bracket_meet(Bracket* b, const double* c, int degree)
{
    for (double step = fabs(b->hi) * (0.5 * DBL_EPSILON); b->hi - step > b->lo; step *= 2)
    {
        double hi = b->hi;
        bracket_take(b, c, degree, hi - step);
        if (b->hi == hi)
        {
            return;
        }
    }
}

// Newton's iteration has settled at x: close in on it from both sides, in growing steps. True: x is a root.
static bool bracket_close(Bracket* b, const double* c, int degree, double x)
{
    double ulp = larger(fabs(x) * DBL_EPSILON, DBL_MIN);
    if (x > b->lo && x < b->hi && bracket_take(b, c, degree, x))
    {
        return true;
    }
    for (double step = ulp; !bracket_closed(b) && step < 1e3 * ulp; step *= 4)
    {
        double before = x - step, after = x + step;
        if (before > b->lo && before < b->hi && bracket_take(b, c, degree, before))
        {
            return true;
        }
        if (after < b->hi && after > b->lo && bracket_take(b, c, degree, after))
        {
            return true;
        }
        if (b->lo >= before && b->hi <= after)
        {
            break;
        }
    }
    return false;
}

// Close to the root inside the bracket, by plain arithmetic: Newton's method, halving where it leaves the bracket.
static double approach(const Bracket* b, const double* c, int degree)
{
    double lo = b->lo, hi = b->hi, x = lo - b->f_lo * ((hi - lo) / (b->f_hi - b->f_lo));
    for (int round = 0; round < 60; round++)
    {
        if (!(x > lo && x < hi))
        {
            x = lo + 0.5 * (hi - lo);
        }
        double f = c[degree], slope = 0;
        for (int k = degree - 1; k >= 0; k--)
        {
            slope = slope * x + f;
            f = f * x + c[k];
        }
        *((f > 0) == (b->f_lo > 0) ? &lo : &hi) = x;
        double next = x - f / slope;
        bool settled = fabs(next - x) <= FIXED_POINT_STILL * fabs(x);
        x = next;
        if (settled || !(hi - lo > DBL_EPSILON * fabs(hi)))
        {
            break;
        }
    }
    return x;
}

// Shrinks the bracket to neighbouring doubles, or to a root that is one: Newton's method inside the bracket from x on,
// halving where it leaves it or is slow. A root near 0 is resolved to 2^-80 of the step, below which no time can tell.
static void refine(Bracket* b, const double* c, int degree, double h, double x)
{
    double smallest = h * 0x1p-80, width;
    if (x > b->lo && x < b->hi)
    {
        bracket_close(b, c, degree, x);
        x = NAN;
    }
    width = b->hi - b->lo;
    for (int round = 0; b->f_hi != 0 && round < 400 && !bracket_closed(b) && b->hi - b->lo > smallest; round++)
    {
        if (!(x > b->lo && x < b->hi))
        {
            x = b->lo + 0.5 * (b->hi - b->lo);
        }
        if (!(x > b->lo && x < b->hi) || bracket_take(b, c, degree, x))
        {
            break;
        }
        double f = x == b->lo ? b->f_lo : b->f_hi;
        double next = x - f / polynomial_slope(c, degree, x);
        if (fabs(next - x) <= 4 * DBL_EPSILON * fabs(x))
        {
            if (bracket_close(b, c, degree, next))
            {
                break;
            }
            next = NAN;
        }
        bool slow = round % 4 == 3 && b->hi - b->lo > 0.25 * width;
        width = round % 4 == 3 ? b->hi - b->lo : width;
        x = slow ? NAN : next;
    }
    if (b->f_hi == 0)
    {
        bracket_meet(b, c, degree);
    }
}

// ---------------------------------------------------------------------------------------------------------- isolation

// A part of [0, h] with the Bernstein coefficients of p on it, the two ends among them.
typedef struct Cell
{
    double lo, hi;
    int depth;
    double b[TERMS];
} Cell;

typedef struct Isolation
{
    const double* c;
    int degree;
    double h, noise;  // the caller's noise
    double derivative[TERMS];
    PolynomialRoot* roots;
    int limit, count, cells;
    bool zero;     // p is within noise from 0 to h
    bool cluster;  // cells within noise wait for the first that is not
    double cluster_lo, cluster_hi, cluster_f_lo, cluster_f_hi;
} Isolation;

// By how much coefficients that are right to a few roundings leave p open on [0, theta].
static double noise_own(const Isolation* w, double theta)
{
    return 2 * DBL_EPSILON * polynomial_bound(w->c, w->degree, theta, 0);
}

static double noise_at(const Isolation* w, double theta)
{
    double own = noise_own(w, theta);
    return own > w->noise ? own : w->noise;
}

// The most sign changes that the sequence may have when what is within `open` of 0 may have either sign; the ends are
// known. 2 stands for all more.
static int variations(const double* b, int last, double open, bool ends)
{
    int plus = b[0] > 0 ? 0 : -99, minus = b[0] > 0 ? -99 : 0;
    if (!ends && fabs(b[0]) <= open)
    {
        plus = minus = 0;
    }
    for (int i = 1; i <= last; i++)
    {
        int to_plus = plus > minus + 1 ? plus : minus + 1, to_minus = minus > plus + 1 ? minus : plus + 1;
        bool either = fabs(b[i]) <= open && !(ends && i == last);
        plus = either || b[i] > 0 ? to_plus : -99;
        minus = either || !(b[i] > 0) ? to_minus : -99;
    }
    return plus > minus ? plus : minus;
}

static void report(Isolation* w, PolynomialRoot root)
{
    if (w->count < w->limit)
    {
        w->roots[w->count] = root;
    }
    w->count++;
}

// The crossing in a bracket, close to x.
static void report_from(Isolation* w, Bracket b, double x)
{
    int from = sign_of(b.f_lo), to = sign_of(b.f_hi);
    refine(&b, w->c, w->degree, w->h, x);
    report(w, (PolynomialRoot){b.lo, b.hi, from, to, false});
}

static void report_crossing(Isolation* w, double lo, double f_lo, double hi, double f_hi)
{
    Bracket b = {lo, hi, f_lo, f_hi};
    report_from(w, b, approach(&b, w->c, w->degree));
}

static void report_touch(Isolation* w, double at, int side)
{
    report(w, (PolynomialRoot){at, at, side, side, true});
}

// The cells that waited are one root.
static void flush(Isolation* w)
{
    if (!w->cluster)
    {
        return;
    }
    w->cluster = false;
    w->zero = w->cluster_lo == 0 && w->cluster_hi >= w->h;
    int from = sign_of(w->cluster_f_lo), to = sign_of(w->cluster_f_hi);
    if (from != to)
    {
        report_crossing(w, w->cluster_lo, w->cluster_f_lo, w->cluster_hi, w->cluster_f_hi);
    }
    else
    {
        report_touch(w, w->cluster_lo + 0.5 * (w->cluster_hi - w->cluster_lo), from);
    }
}

static void join_cluster(Isolation* w, const Cell* cell)
{
    if (!w->cluster)
    {
        w->cluster = true;
        w->cluster_lo = cell->lo;
        w->cluster_f_lo = cell->b[0];
    }
    w->cluster_hi = cell->hi;
    w->cluster_f_hi = cell->b[w->degree];
}

// Where p, which has at most one extremum in the cell, has it; an end of the cell if it has none inside.
static double extremum(const Isolation* w, const Cell* cell)
{
    int degree = w->degree - 1;
    Bracket b = {cell->lo, cell->hi, polynomial_value(w->derivative, degree, cell->lo),
                 polynomial_value(w->derivative, degree, cell->hi)};
    if (b.f_lo == 0 || b.f_hi == 0 || (b.f_lo > 0) == (b.f_hi > 0))
    {
        return fabs(b.f_lo) < fabs(b.f_hi) ? b.lo : b.hi;
    }
    refine(&b, w->derivative, degree, w->h, approach(&b, w->derivative, degree));
    return b.hi;
}

// A cell on which p rises and falls at most once, with the same sign at both ends: no root, a touch or two roots.
static void settle_unimodal(Isolation* w, const Cell* cell)
{
    double f_lo = cell->b[0], f_hi = cell->b[w->degree];
    double at = extremum(w, cell), f = polynomial_value(w->c, w->degree, at), open = noise_at(w, at);
    int side = sign_of(f_lo);
    if (side * f > open)
    {
        flush(w);
    }
    else if (fabs(f) <= open && w->cluster)
    {
        join_cluster(w, cell);
    }
    else if (fabs(f) <= open)
    {
        report_touch(w, at, side);
    }
    else
    {
        flush(w);
        report_crossing(w, cell->lo, f_lo, at, f);
        report_crossing(w, at, f, cell->hi, f_hi);
    }
}

static bool all_within(const double* b, int last, double open)
{
    bool within = true;
    for (int i = 0; i <= last; i++)
    {
        within &= fabs(b[i]) <= open;
    }
    return within;
}

// Says what is in the cell where that can be told. False: it has to be divided.
static bool settle(Isolation* w, const Cell* cell)
{
    const int n = w->degree;
    double noise = noise_at(w, cell->hi), open = (1 + n / 4.) * noise;  // rounding of the coefficients on the cell too
    bool apart = (cell->b[0] > 0) != (cell->b[n] > 0);
    int most = variations(cell->b, n, open, true);
    if (most == 0)
    {
        flush(w);
        return true;
    }
    if (most > 1)
    {
        double slopes[TERMS];
        for (int i = 0; i < n; i++)
        {
            slopes[i] = cell->b[i + 1] - cell->b[i];
        }
        int bends = variations(slopes, n - 1, noise_own(w, cell->hi), false);
        if (bends > 1)
        {
            if (!all_within(cell->b, n, open) && cell->depth < DEPTH && ++w->cells < CELLS)
            {
                return false;
            }
            join_cluster(w, cell);
            return true;
        }
        if (!apart)
        {
            settle_unimodal(w, cell);
            return true;
        }
    }
    flush(w);
    report_crossing(w, cell->lo, cell->b[0], cell->hi, cell->b[n]);
    return true;
}

// De Casteljau at the fraction `part`: the left half stays in `cell`, the right one goes to `right`.
static void divide(int n, Cell* cell, double part, double mid, double f_mid, Cell* right)
{
    double* b = right->b;
    double other = 1 - part;
    memcpy(b, cell->b, sizeof(double) * (size_t)(n + 1));
    for (int i = 1; i <= n; i++)
    {
        for (int j = 0; j <= n - i; j++)
        {
            b[j] = other * b[j] + part * b[j + 1];
        }
        cell->b[i] = b[0];
    }
    cell->b[n] = b[0] = f_mid;
    right->lo = mid;
    right->hi = cell->hi;
    cell->hi = mid;
    right->depth = ++cell->depth;
}

// A place to divide where p has a sign beyond doubt, if there is one: near the middle, but not on a root.
static double divide_at(const Isolation* w, const Cell* cell, double* f_best)
{
    static const double parts[] = {0.5, 0.53125, 0.453125, 0.578125, 0.390625, 0.640625};
    double best = 0.5, noise = 4 * noise_at(w, cell->hi);
    *f_best = 0;
    for (int i = 0; i < 6 && !(fabs(*f_best) > noise); i++)
    {
        double f = polynomial_value(w->c, w->degree, cell->lo + parts[i] * (cell->hi - cell->lo));
        if (fabs(f) > fabs(*f_best))
        {
            best = parts[i];
            *f_best = f;
        }
    }
    return best;
}

// b[i] = sum over k <= i of C(i, k) / C(n, k) c[k] h^k, by differences of a triangle: n²/2 sums, no products.
static void to_bernstein(const double* c, int n, double h, double* b)
{
    double power = 1, choose = 1;
    for (int k = 0; k <= n; k++)
    {
        b[k] = c[k] * power / choose;
        power *= h;
        choose = choose * (n - k) / (k + 1);
    }
    for (int i = 1; i <= n; i++)
    {
        for (int k = n; k >= i; k--)
        {
            b[k] += b[k - 1];
        }
    }
}

static void isolate(Isolation* w, double end)
{
    Cell stack[DEPTH + 2];
    const int n = w->degree;
    int top = 0;
    stack[0].lo = 0;
    stack[0].hi = end;
    stack[0].depth = 0;
    to_bernstein(w->c, n, end, stack[0].b);
    stack[0].b[n] = polynomial_value(w->c, n, end);
    if (all_within(stack[0].b, n, noise_at(w, end)))
    {
        w->zero = true;
        return;
    }
    while (top >= 0)
    {
        Cell* cell = &stack[top];
        if (settle(w, cell))
        {
            top--;
            continue;
        }
        double f = 0, part = divide_at(w, cell, &f);
        if (f == 0)  // underflow: nothing is there to be divided
        {
            join_cluster(w, cell);
            top--;
            continue;
        }
        double mid = cell->lo + part * (cell->hi - cell->lo);
        Cell left = *cell;
        divide(n, &left, part, mid, f, cell);
        stack[++top] = left;
    }
    flush(w);
}

// Roots of p at 0 are taken off exactly: what is left begins with its first coefficient that is not 0.
static int leave_start(const double* c, int degree, Isolation* w)
{
    int zeros = 0;
    while (c[zeros] == 0)
    {
        zeros++;
    }
    if (zeros > 0)
    {
        int to = sign_of(c[zeros]);
        report(w, (PolynomialRoot){.from = 0, .to = to, .touch = zeros % 2 == 0});
    }
    w->c = c + zeros;
    w->degree = degree - zeros;
    return zeros;
}

static int drop_beyond(double h, PolynomialRoot* roots, int count, int limit)
{
    while (count > 0 && count <= limit && (roots[count - 1].after > h || roots[count - 1].before >= h) &&
           !(roots[count - 1].touch && roots[count - 1].after == h))
    {
        count--;
    }
    if (count > 0 && count <= limit && roots[count - 1].after == h)
    {
        roots[count - 1].to = 0;
    }
    return count;
}

// c[1] outweighs all that could turn p round: at most one root, told by the ends.
static bool is_monotone(const double* c, int degree, double h)
{
    double sum = 0;
    for (int k = degree; k >= 2; k--)
    {
        sum = sum * h + k * fabs(c[k]);
    }
    return fabs(c[1]) * (1 - BOUND_ROUNDING) > sum * h;
}

// Free flight: a parabola whose extremum lies inside, well away from 0. False: not so, the general way decides.
static bool solve_parabola(Isolation* w, double f_end)
{
    const double c = w->c[0], b = w->c[1], a = w->c[2];
    const double at = -b / (2 * a), f = c + 0.5 * b * at, square = -4 * a * f;
    if (w->degree != 2 || !(at > 0 && at < w->h) || !(fabs(f) > 8 * noise_at(w, w->h)))
    {
        return false;
    }
    double far = -0.5 * (b + (b < 0 ? -1 : 1) * sqrt(square)), roots[2] = {c / far, far / a};
    double first = roots[0] < roots[1] ? roots[0] : roots[1], last = roots[0] < roots[1] ? roots[1] : roots[0];
    if ((f > 0) != (c > 0))
    {
        report_from(w, (Bracket){0, at, c, f}, first);
    }
    if ((f > 0) != (f_end > 0))
    {
        report_from(w, (Bracket){at, w->h, f, f_end}, last);
    }
    return true;
}

int polynomial_roots(const double* c, int degree, double h, double noise, PolynomialRoot* roots, int limit)
{
    Isolation w;  // its derivative is made where it is needed
    w.h = h;
    w.noise = noise;
    w.roots = roots;
    w.limit = limit;
    w.count = w.cells = 0;
    w.zero = w.cluster = false;
    while (degree > 0 && c[degree] == 0)
    {
        degree--;
    }
    double size = polynomial_bound(c, degree, h, 0);
    if (!(size > noise))
    {
        return POLYNOMIAL_ZERO;
    }
    int zeros = leave_start(c, degree, &w);
    // The caller's noise is one of p. Near its root at 0 what is left of p is larger than p: less of it is noise.
    for (int i = 0; i < zeros; i++)
    {
        w.noise /= h;
    }
    if (w.degree == 0 || polynomial_clear(w.c, w.degree, h, w.noise))
    {
        return w.count;
    }
    double f_end = polynomial_value(w.c, w.degree, h);
    bool ends = f_end == 0;
    if (!ends && is_monotone(w.c, w.degree, h))
    {
        if ((f_end > 0) != (w.c[0] > 0))
        {
            report_crossing(&w, 0, w.c[0], h, f_end);
        }
    }
    else if (ends || !solve_parabola(&w, f_end))
    {
        polynomial_derivative(w.c, w.degree, w.derivative);
        isolate(&w, ends ? h * (1 + 0x1p-20) : h);
    }
    if (w.zero)
    {
        return POLYNOMIAL_ZERO;
    }
    return ends ? drop_beyond(h, roots, w.count, limit) : w.count;
}
