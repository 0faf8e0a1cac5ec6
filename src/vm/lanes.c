// Runs groups of four operators (tape_lanes.c). What is said of rows in series.c holds here of four at once.
#include "vm/lanes.h"

// ---- where four are not alike: one by one
// -----------------------------------------------------------------------------

static void take_lane(const double* quad, int lane, int k, double* row)
{
    for (int j = 0; j <= k; j++)
        row[j] = quad[4 * j + lane];
}

static bool has_zero(const double* quad)
{
    return quad[0] == 0 || quad[1] == 0 || quad[2] == 0 || quad[3] == 0;
}

static Quad roots_apart(const double* z, const double* x, int k)
{
    double own[SERIES_TERMS], row[SERIES_TERMS];
    _Alignas(Pair) double out[TAPE_LANES];
    for (int i = 0; i < TAPE_LANES; i++)
    {
        take_lane(z, i, k - 1, own);
        take_lane(x, i, k, row);
        own[k] = 0;
        out[i] = tape_root(own, row, k);
    }
    return quad_at(out);
}

static Quad powers_apart(const double* z, const double* x, Quad exponents, int k)
{
    const double e[TAPE_LANES] = {exponents.a[0], exponents.a[1], exponents.b[0], exponents.b[1]};
    double own[SERIES_TERMS], row[SERIES_TERMS];
    _Alignas(Pair) double out[TAPE_LANES];
    for (int i = 0; i < TAPE_LANES; i++)
    {
        take_lane(z, i, k - 1, own);
        take_lane(x, i, k, row);
        out[i] = tape_power(own, row, e[i], k);
    }
    return quad_at(out);
}

// ---- operators
// ----------------------------------------------------------------------------------------------------------

static inline Quad roots(double* z, const double* x, int k)
{
    if (has_zero(z))
        return roots_apart(z, x, k);
    quad_put(z + 4 * k, quad_all(0));
    Quad above = quad_minus(quad_at(x + 4 * k), quad_square(z, k));
    return quad_over(above, quad_times(quad_all(2), quad_at(z)));
}

static inline Quad powers(const double* z, const double* x, Quad e, int k)
{
    if (has_zero(x))
        return powers_apart(z, x, e, k);
    Quad order = quad_all(k), step = quad_negative(quad_plus(e, quad_all(1)));
    Quad above = quad_weighted(z, x, k, 0, k - 1, quad_times(e, order), step);
    return quad_over(above, quad_times(order, quad_at(x)));
}

static inline Quad quotients(const double* z, const double* x, const double* y, int k)
{
    return quad_over(quad_minus(quad_at(x + 4 * k), quad_convolve(y, z, k, 1, k)), quad_at(y));
}

static inline Quad slopes(const double* x, const double* w, int k)
{
    return quad_slope(x, w, k, 1, k);
}

// z' = ± x' / w.
static inline Quad overs(const double* z, const double* x, const double* w, int k, bool down)
{
    Quad own = quad_over(quad_slope(z, w, k, 1, k - 1), quad_all(k)), first = quad_at(x + 4 * k);
    return quad_over(quad_minus(down ? quad_negative(first) : first, own), quad_at(w));
}

static inline void scatter(double* now, const uint32_t* slots, Quad v)
{
    now[slots[0]] = v.a[0];
    now[slots[1]] = v.a[1];
    now[slots[2]] = v.b[0];
    now[slots[3]] = v.b[1];
}

static inline Quad gather(const double* now, const uint32_t* slots)
{
    return (Quad){{now[slots[0]], now[slots[1]]}, {now[slots[2]], now[slots[3]]}};
}

static inline void keep(double* now, const TapeGroup* g, double* z, int k, Quad value)
{
    quad_put(z + 4 * k, value);
    scatter(now, g->z, value);
}

// Both of four pairs at once, whose weighted terms are the same.
static void pairs(Tape* t, const TapeGroup* g, int k, double sign)
{
    double *z = t->lanes + g->own, *w = t->lanes + g->y;
    const double *p = t->lanes + g->x + 4, *q = z + 4 * (k - 1), *r = w + 4 * (k - 1);
    Quad z0 = quad_all(0), z1 = z0, w0 = z0, w1 = z0, a = quad_all(1), b = quad_all(2), two = quad_all(2);
    int n = k;
    for (; n >= 2; n -= 2, p += 8, q -= 8, r -= 8)
    {
        Quad even = quad_times(a, quad_at(p)), odd = quad_times(b, quad_at(p + 4));
        z0 = quad_plus(z0, quad_times(even, quad_at(q)));
        z1 = quad_plus(z1, quad_times(odd, quad_at(q - 4)));
        w0 = quad_plus(w0, quad_times(even, quad_at(r)));
        w1 = quad_plus(w1, quad_times(odd, quad_at(r - 4)));
        a = quad_plus(a, two);
        b = quad_plus(b, two);
    }
    Quad with_z = quad_plus(z0, z1), with_w = quad_plus(w0, w1);
    if (n > 0)
    {
        Quad term = quad_times(a, quad_at(p));
        with_z = quad_plus(with_z, quad_times(term, quad_at(q)));
        with_w = quad_plus(with_w, quad_times(term, quad_at(r)));
    }
    with_z = quad_over(quad_times(quad_all(sign), with_z), quad_all(k));
    keep(t->now, g, z, k, quad_over(with_w, quad_all(k)));
    quad_put(w + 4 * k, with_z);
    scatter(t->now, g->w, with_z);
}

// One function an operator, for as many groups in a row as are of it: returns where they end.
typedef const uint32_t* RunGroups(Tape* t, const uint32_t* at, const uint32_t* end, int k);

#define RUN(name, ...)                                                                                                 \
    static const uint32_t* groups_##name(Tape* t, const uint32_t* at, const uint32_t* end, int k)                      \
    {                                                                                                                  \
        double* now = t->now;                                                                                          \
        for (const TapeGroup* g; at < end && (g = &t->groups[*at])->op == TAPE_##name; at++)                           \
        {                                                                                                              \
            const double *x = t->lanes + g->x, *y = t->lanes + g->y;                                                   \
            double* z = t->lanes + g->own;                                                                             \
            (void)now, (void)x, (void)y, (void)z;                                                                      \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        return at;                                                                                                     \
    }

RUN(MULTIPLY, scatter(now, g->z, quad_convolve(x, y, k, 0, k)))
RUN(SQUARE, scatter(now, g->z, quad_square(x, k)))
RUN(SQUARE_DOWN, scatter(now, g->z, quad_negative(quad_square(x, k))))
RUN(DIVIDE, keep(now, g, z, k, quotients(z, x, y, k)))
RUN(ROOT, keep(now, g, z, k, roots(z, x, k)))
RUN(POWER, keep(now, g, z, k, powers(z, x, gather(now, g->w), k)))
RUN(DERIVE, keep(now, g, z, k, quad_over(slopes(x, y, k), quad_all(k))))
RUN(DERIVE_DOWN, keep(now, g, z, k, quad_over(quad_negative(slopes(x, y, k)), quad_all(k))))
RUN(OVER, keep(now, g, z, k, overs(z, x, y, k, false)))
RUN(OVER_DOWN, keep(now, g, z, k, overs(z, x, y, k, true)))
RUN(WAVE, pairs(t, g, k, -1))
RUN(SWELL, pairs(t, g, k, 1))

static RunGroups* const run_groups[TAPE_OP_COUNT] = {
    [TAPE_MULTIPLY] = groups_MULTIPLY,
    [TAPE_SQUARE] = groups_SQUARE,
    [TAPE_SQUARE_DOWN] = groups_SQUARE_DOWN,
    [TAPE_DIVIDE] = groups_DIVIDE,
    [TAPE_ROOT] = groups_ROOT,
    [TAPE_POWER] = groups_POWER,
    [TAPE_DERIVE] = groups_DERIVE,
    [TAPE_DERIVE_DOWN] = groups_DERIVE_DOWN,
    [TAPE_OVER] = groups_OVER,
    [TAPE_OVER_DOWN] = groups_OVER_DOWN,
    [TAPE_WAVE] = groups_WAVE,
    [TAPE_SWELL] = groups_SWELL,
};

void tape_run_lanes(Tape* t, const uint32_t* at, uint32_t count, int k)
{
    for (const uint32_t* end = at + count; at < end;)
        at = run_groups[t->groups[*at].op](t, at, end, k);
}

// Both sums at once: j x[j] with z[k - j] and with w[k - j], in the order of `pairs`. The last term is not in the quad.
// Seldom more than one in a row: what all would share is not worth preparing.
__attribute__((noinline)) static Pair both(const double* quad, int k, Pair last)
{
    const double *p = quad + 4 + 2, *q = quad + 4 * (k - 1);
    Pair odd = {0, 0}, even = {0, 0}, fresh = last * pair_in(quad);
    int n = k;
    for (; n > 4; n -= 4, p += 16, q -= 16)
    {
        odd += pair_in(p) * pair_in(q);
        even += pair_in(p + 4) * pair_in(q - 4);
        odd += pair_in(p + 8) * pair_in(q - 8);
        even += pair_in(p + 12) * pair_in(q - 12);
    }
    if (n > 2)
    {
        odd += pair_in(p) * pair_in(q);
        even += pair_in(p + 4) * pair_in(q - 4);
        n -= 2;
        p += 8;
        q -= 8;
    }
    if (n == 1)
        return odd + even + fresh;
    odd += pair_in(p) * pair_in(q);
    return odd + (even + fresh);
}

static inline const uint32_t* run_pairs(Tape* t, const uint32_t* pc, uint32_t count, int k, double sign)
{
    double* now = t->now;
    for (; count > 0; count--, pc += 4)
    {
        double *quad = t->lanes + pc[3], rise = k * now[pc[1]];
        Pair last = {rise, rise}, sums = both(quad, k, last);
        Pair made = (Pair){sums[1], sign * sums[0]} / (Pair){k, k};
        pair_put(quad + 4 * k + 2, last);
        pair_put(quad + 4 * k, made);
        now[pc[0]] = made[0];
        now[pc[2]] = made[1];
    }
    return pc;
}

const uint32_t* tape_run_wave(Tape* t, const uint32_t* pc, uint32_t count, int k)
{
    return run_pairs(t, pc, count, k, -1);
}

const uint32_t* tape_run_swell(Tape* t, const uint32_t* pc, uint32_t count, int k)
{
    return run_pairs(t, pc, count, k, 1);
}

void tape_fill_lanes(Tape* t, const uint32_t* at, uint32_t count, int k)
{
    for (const uint32_t* end = at + count; at < end; at++)
    {
        const TapeQuad* quad = &t->quads[*at];
        quad_put(t->lanes + quad->place + 4 * k, gather(t->now, quad->slot));
    }
}

void tape_first_lanes(Tape* t)
{
    for (const TapeQuad *quad = t->quads, *end = quad + t->quad_count; quad < end; quad++)
        quad_put(t->lanes + quad->place, gather(t->rows, quad->first));
}
