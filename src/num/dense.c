// The state anywhere in the last step, from the coefficients that its method made (see method.h for the forms).
// Guards are located on this polynomial, so it is evaluated far more often than it is made.
#include "num/few.h"
#include "num/map.h"
#include "num/polynomial.h"

__attribute__((noinline)) static void make_now(Ode* ode)
{
    if (ode->state.form == FORM_LINEAR)  // also the backward Euler step of another method after a breakpoint
    {
        ode_prepare_linear(ode);
    }
    else if (ode->state.form == FORM_SERIES)  // whatever method `auto` has chosen since
    {
        map_expand(ode);
    }
    else
    {
        ode->method->prepare(ode);
    }
    ode->state.dense_ready = true;
}

static inline void make(Ode* ode)
{
    if (!ode->state.dense_ready)
    {
        make_now(ode);
    }
}

// The nested form at theta, for one component.
static inline double nested_at(const Ode* ode, OdeForm form, double theta, int i)
{
    double u = 1 - theta, sum = 0;
    if (form >= FORM_QUARTIC)
    {
        sum = u * ode->dense[3][i];
    }
    if (form >= FORM_CUBIC)
    {
        sum = u * (ode->dense[1][i] + theta * (ode->dense[2][i] + sum));
    }
    return ode->x_start[i] + theta * (ode->dense[0][i] + sum);
}

// Its derivative by theta.
static inline double nested_slope(const Ode* ode, OdeForm form, double theta, int i)
{
    double u = 1 - theta, r0 = ode->dense[0][i];
    if (form == FORM_LINEAR)
    {
        return r0;
    }
    double r3 = form >= FORM_QUARTIC ? ode->dense[3][i] : 0;
    double a = ode->dense[2][i] + u * r3;
    double b = ode->dense[1][i] + theta * a, db = a - theta * r3;
    return r0 + u * b + theta * (u * db - b);
}

// Around the end of the step: where it starts the state is that which it started from.
static inline double taylor_at(const Ode* ode, double theta, int i)
{
    if (theta == 0)
    {
        return ode->x_start[i];
    }
    double sum = 0;
    for (int k = ode->state.terms - 1; k >= 0; k--)
    {
        sum = sum * (theta - 1) + ode->dense[k][i];
    }
    return sum;
}

static inline double taylor_slope(const Ode* ode, double theta, int i)
{
    double sum = 0;
    for (int k = ode->state.terms - 1; k >= 1; k--)
    {
        sum = sum * (theta - 1) + k * ode->dense[k][i];
    }
    return sum;
}

// One component in any form; the switch is hoisted by callers that pass a constant form.
static inline double value_at(const Ode* ode, OdeForm form, double theta, int i)
{
    return form == FORM_TAYLOR ? taylor_at(ode, theta, i) : nested_at(ode, form, theta, i);
}

static inline double slope_at(const Ode* ode, OdeForm form, double theta, int i)
{
    return form == FORM_TAYLOR ? taylor_slope(ode, theta, i) : nested_slope(ode, form, theta, i);
}

static inline void fill(const Ode* ode, OdeForm form, double theta, double* x, double* slope)
{
    double per_h = slope ? 1 / ode->state.h : 0;
    for (int i = 0; i < ode->n; i++)
    {
        double value = value_at(ode, form, theta, i);
        if (slope)
        {
            slope[i] = per_h * slope_at(ode, form, theta, i);
        }
        x[i] = value;
    }
}

// The quartic is the inner loop of root location: pointers in registers, no branch.
static void fill_quartic(const Ode* ode, double theta, double* restrict x)
{
    const double* restrict x0 = ode->x_start, * restrict r0 = ode->dense[0], * restrict r1 = ode->dense[1];
    const double* restrict r2 = ode->dense[2], * restrict r3 = ode->dense[3];
    const double u = 1 - theta;
    const int n = ode->n;
    for (int i = 0; i < n; i++)
    {
        x[i] = x0[i] + theta * (r0[i] + u * (r1[i] + theta * (r2[i] + u * r3[i])));
    }
}

static inline double series_at(const Ode* ode, double tau, int i)
{
    double sum = 0;
    for (int k = ode->state.terms - 1; k >= 0; k--)
    {
        sum = sum * tau + ode->dense[k][i];
    }
    return sum;
}

static inline double series_slope(const Ode* ode, double tau, int i)
{
    double sum = 0;
    for (int k = ode->state.terms - 1; k >= 1; k--)
    {
        sum = sum * tau + k * ode->dense[k][i];
    }
    return sum;
}

// As few_fill.
static inline __attribute__((always_inline)) void fill_slopes(const Ode* ode, double tau, bool more, double* slope)
{
    Pair a = {0, 0}, b = {0, 0}, by = pair_both(tau), weight = pair_both(ode->state.terms - 1), one = pair_both(1);
    for (int k = ode->state.terms - 1; k >= 1; k--, weight -= one)
    {
        const double* c = ode->dense[k];
        a = a * by + weight * pair_at(c);
        if (more)
        {
            b = b * by + weight * pair_at(c + 2);
        }
    }
    pair_put(slope, a);
    pair_put(slope + 2, b);
}

static void fill_few(const Ode* ode, double tau, double* x, double* slope)
{
    double values[4], slopes[4];
    const int n = ode->n;
    few_fill(ode, ode->state.terms - 1, tau, values);
    if (slope && n > 2)
    {
        fill_slopes(ode, tau, true, slopes);
    }
    else if (slope)
    {
        fill_slopes(ode, tau, false, slopes);
    }
    for (int i = 0; i < n; i++)
    {
        x[i] = values[i];
    }
    for (int i = 0; slope && i < n; i++)
    {
        slope[i] = slopes[i];
    }
}

// Order by order: the coefficients of one order lie side by side.
static void fill_series(const Ode* ode, double tau, double* restrict x, double* restrict slope)
{
    const int n = ode->n, last = ode->state.terms - 1;
    if (n <= 4)
    {
        fill_few(ode, tau, x, slope);
        return;
    }
    memcpy(x, ode->dense[last], sizeof(double) * (size_t)n);
    for (int k = last - 1; k >= 0; k--)
    {
        const double* restrict c = ode->dense[k];
        for (int i = 0; i < n; i++)
        {
            x[i] = x[i] * tau + c[i];
        }
    }
    for (int k = last; slope && k >= 1; k--)
    {
        const double* restrict c = ode->dense[k];
        for (int i = 0; i < n; i++)
        {
            slope[i] = (k == last ? 0 : slope[i] * tau) + k * c[i];
        }
    }
}

static void copy_end(const Ode* ode, double* x, double* slope)
{
    size_t bytes = sizeof(double) * (size_t)ode->n;
    if (bytes > 0 && x != ode->x)
    {
        memcpy(x, ode->x, bytes);
    }
    if (bytes > 0 && slope && slope != ode->slope)
    {
        memcpy(slope, ode->slope, bytes);
    }
}

void ode_dense(Ode* ode, double theta, double* x, double* slope)
{
    OdeForm form = ode->state.form;
    if (form == FORM_POINT || ode->n == 0)
    {
        copy_end(ode, x, slope);
        return;
    }
    make(ode);
    theta *= ode->state.scale;
    switch (form)
    {
    case FORM_LINEAR: fill(ode, FORM_LINEAR, theta, x, slope); break;
    case FORM_CUBIC: fill(ode, FORM_CUBIC, theta, x, slope); break;
    case FORM_TAYLOR: fill(ode, FORM_TAYLOR, theta, x, slope); break;
    case FORM_SERIES: fill_series(ode, theta * ode->state.h, x, slope); break;
    default:
        if (slope)
        {
            fill(ode, FORM_QUARTIC, theta, x, slope);
        }
        else
        {
            fill_quartic(ode, theta, x);
        }
    }
}

double ode_dense_value(Ode* ode, double theta, int i)
{
    OdeForm form = ode->state.form;
    if (form == FORM_POINT)
    {
        return ode->x[i];
    }
    make(ode);
    theta *= ode->state.scale;
    return form == FORM_SERIES ? series_at(ode, theta * ode->state.h, i) : value_at(ode, form, theta, i);
}

void ode_dense_one(Ode* ode, double theta, int i, double* x, double* slope)
{
    OdeForm form = ode->state.form;
    if (form == FORM_POINT)
    {
        *x = ode->x[i];
        *slope = ode->slope[i];
        return;
    }
    make(ode);
    theta *= ode->state.scale;
    bool series = form == FORM_SERIES;
    *slope = series ? series_slope(ode, theta * ode->state.h, i) : 1 / ode->state.h * slope_at(ode, form, theta, i);
    *x = series ? series_at(ode, theta * ode->state.h, i) : value_at(ode, form, theta, i);
}

void ode_dense_some(Ode* ode, double theta, const int* index, int count, double* x)
{
    OdeForm form = ode->state.form;
    if (form != FORM_POINT && ode->n > 0)
    {
        make(ode);
    }
    theta *= ode->state.scale;
    for (int k = 0; k < count; k++)
    {
        int i = index[k];
        x[i] = form == FORM_POINT    ? ode->x[i]
               : form == FORM_SERIES ? series_at(ode, theta * ode->state.h, i)
                                     : value_at(ode, form, theta, i);
    }
}

// ------------------------------------------------------------------------------------------------------------- pieces

int ode_piece_degree(const Ode* ode)
{
    switch (ode->state.form)
    {
    case FORM_POINT: return 0;
    case FORM_LINEAR: return 1;
    case FORM_CUBIC: return 3;
    case FORM_QUARTIC: return 4;
    default: return ode->state.terms - 1;
    }
}

// The nested form multiplied out, in powers of theta.
static void expand_nested(const Ode* ode, OdeForm form, int i, double* c)
{
    double r1 = form >= FORM_CUBIC ? ode->dense[1][i] : 0, r2 = form >= FORM_CUBIC ? ode->dense[2][i] : 0;
    double r3 = form >= FORM_QUARTIC ? ode->dense[3][i] : 0;
    c[0] = ode->x_start[i];
    c[1] = ode->dense[0][i] + r1;
    if (form >= FORM_CUBIC)
    {
        c[2] = r2 + r3 - r1;
        c[3] = -(r2 + 2 * r3);
    }
    if (form >= FORM_QUARTIC)
    {
        c[4] = r3;
    }
}

void ode_piece(Ode* ode, int state, double* c)
{
    OdeForm form = ode->state.form;
    int degree = ode_piece_degree(ode);
    if (form == FORM_POINT)
    {
        c[0] = ode->x[state];
        return;
    }
    make(ode);
    for (int k = 0; k <= degree && form >= FORM_TAYLOR; k++)
    {
        c[k] = ode->dense[k][state];
    }
    if (form == FORM_SERIES)
    {
        return;
    }
    if (form == FORM_TAYLOR)
    {
        polynomial_shift(c, degree, -1, c);
    }
    else
    {
        expand_nested(ode, form, state, c);
    }
    double per_h = 1 / ode->state.h, power = per_h;
    for (int k = 1; k <= degree; k++, power *= per_h)
    {
        c[k] *= power;
    }
}

bool ode_is_series(const Ode* ode)
{
    return ode->state.form == FORM_SERIES;
}

bool ode_short_step(const Ode* ode, OdeShort* step)
{
    const OdeState* s = &ode->state;
    if (s->form != FORM_SERIES || s->terms < 2 || s->terms > 3 || ode->n > 4 || !s->dense_ready)
    {
        return false;
    }
    *step = (OdeShort){.n = ode->n,
                       .terms = s->terms,
                       .scale = s->scale,
                       .length = s->h,
                       .taken = s->stats.steps,
                       .c = {ode->dense[0], ode->dense[1], ode->dense[2]}};
    return true;
}

bool ode_short_piece(Ode* ode, int state, double c[3])
{
    if (ode->state.form != FORM_SERIES || ode->state.terms > 3)
    {
        return false;
    }
    make(ode);
    for (int k = 0; k < ode->state.terms; k++)
    {
        c[k] = ode->dense[k][state];
    }
    return true;
}

int ode_piece_add(Ode* ode, int state, double factor, int degree, double* c)
{
    if (ode->state.form != FORM_SERIES)
    {
        return -1;
    }
    make(ode);
    int last = ode->state.terms - 1, shared = degree < last ? degree : last;
    for (; degree < last; degree++)
    {
        c[degree + 1] = factor * ode->dense[degree + 1][state];
    }
    for (int k = 1; k <= shared; k++)
    {
        c[k] += factor * ode->dense[k][state];
    }
    return degree;
}

void ode_piece_order(Ode* ode, int k, double* coefficients)
{
    if (ode->state.form == FORM_SERIES && k < ode->state.terms)
    {
        make(ode);
        memcpy(coefficients, ode->dense[k], sizeof(double) * (size_t)ode->n);
        return;
    }
    int degree = ode_piece_degree(ode);
    for (int i = 0; i < ode->n; i++)
    {
        double c[ODE_VECTORS];
        ode_piece(ode, i, c);
        coefficients[i] = k <= degree ? c[k] : 0;
    }
}

double ode_reach(const Ode* ode, int state)
{
    const OdeState* s = &ode->state;
    if (s->form != FORM_SERIES)
    {
        return INFINITY;
    }
    if (!s->dense_ready)
    {
        return map_reach(ode, state);
    }
    double sum = 0, h = s->scale * s->h;
    for (int k = s->terms - 1; k >= 1; k--)
    {
        sum = (sum + fabs(ode->dense[k][state])) * h;
    }
    return sum;
}
