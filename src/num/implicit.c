// Implicit methods of low order: backward Euler, the right Riemann sum, the trapezoidal rule, and the first step after
// a breakpoint (paper 004, sections 3.2.1 and 3.2.3).
//
// All solve z = base + gh f(t, z). Newton's iteration takes the Jacobian at the guess, and anew where it contracts by
// less than 1/2; it stops when the estimated rest of the error is below a hundredth of the tolerance of a step, and
// fails (TRIAL_CONVERGE) when it diverges or 12 iterations do not do. The step is then halved.
#include "base/tolerance.h"
#include "num/control.h"

enum
{
    NEWTON_MOST = 12,
    SWEEPS_MOST = 60,
};

// ------------------------------------------------------------------------------------------------------------- Newton

static int newton_matrix(Ode* ode, double t, double gh, const double* z, const double* fz)
{
    int status = ode_jacobian(ode, t, z, fz, fabs(gh), false);
    if (status != TRIAL_OK)
    {
        return status;
    }
    ode->state.stats.factorisations++;
    return linear_factor(ode->linear, 1 / gh, ode->jacobian->values) == 0 ? TRIAL_OK : TRIAL_SINGULAR;
}

// z moves by the solution of (I/gh - J) d = (base - z)/gh + f(z); the scaled length of the way. The last digit of z is
// none: where gh f is less than that, d stays what it is and z where it is, or goes to and fro.
static double newton_move(Ode* ode, double gh, const double* base, double* z, const double* fz, double* d)
{
    const int n = ode->n;
    for (int i = 0; i < n; i++)
    {
        d[i] = (base[i] - z[i]) / gh + fz[i];
    }
    linear_solve(ode->linear, d);
    double sum = 0;
    for (int i = 0; i < n; i++)
    {
        double scale = ode_scale(ode, i, base[i], z[i]), from = z[i];
        z[i] += d[i];
        bool still = fabs(z[i] - from) <= FIXED_POINT_STILL * fabs(from);
        double e = still ? 0 : d[i] / scale;
        sum += e * e;
    }
    ode->state.stats.newton_iterations++;
    return sqrt(sum / n);
}

static int newton_f(Ode* ode, double t, const double* z, double* fz)
{
    int status = ode_rhs(ode, t, z, fz);
    return status == TRIAL_OK && !ode_finite(ode->n, fz) ? TRIAL_SHRINK : status;
}

static int rounds_of(const Ode* ode, int otherwise)
{
    return ode->options.max_iterations > 0 ? ode->options.max_iterations : otherwise;
}

int ode_newton(Ode* ode, double t, double gh, const double* base, double* z, double* fz)
{
    double* d = ode->jacobian->delta;  // free between two Jacobians
    double before = 0, rate = 0;
    int status = newton_f(ode, t, z, fz);
    for (int k = 0; k < rounds_of(ode, NEWTON_MOST) && status == TRIAL_OK; k++)
    {
        if (k == 0 || rate > 0.5)
        {
            status = newton_matrix(ode, t, gh, z, fz);
            if (status != TRIAL_OK)
            {
                return status;
            }
        }
        double move = newton_move(ode, gh, base, z, fz, d);
        status = newton_f(ode, t, z, fz);
        rate = k > 0 && before > 0 ? move / before : 0.5;
        if (status != TRIAL_OK || !isfinite(move) || (k > 1 && rate > 4))
        {
            return status < 0 ? status : TRIAL_CONVERGE;
        }
        if (move == 0 || (k > 0 && rate < 1 && move * rate / (1 - rate) < NEWTON_REMAINDER) || move < NEWTON_STILL)
        {
            return TRIAL_OK;
        }
        before = move;
    }
    return status < 0 ? status : status == TRIAL_OK ? TRIAL_CONVERGE : status;
}

// ------------------------------------------------------------------------------------------------------ backward Euler

static int backward_trial(Ode* ode, double h, double t_end, double* error)
{
    (void)error;
    memcpy(ode->x_start, ode->x, sizeof(double) * (size_t)ode->n);
    return ode_newton(ode, t_end, h, ode->x, ode->x_start, ode->slope_start);
}

static int backward_step(Ode* ode, double limit)
{
    return control_fixed(ode, limit, FORM_LINEAR, backward_trial);
}

// --------------------------------------------------------------------------------------------------- right Riemann sum

// Paper 003, equation 35: an integrator adds h times its input at the new time. Read for all integrators at once that
// is x1 = x0 + h f(t1, x1), in which a chain of integrators uses new values. Sweeps x1 <- x0 + h f(t1, x1) evaluate it
// as block-by-block simulation does: a chain of d integrators is exact, to the last bit, after d + 1 sweeps, since then
// nothing changes any more. Feedback through integrators is an algebraic loop: there the sweeps converge if h is small
// against the time constants, and where they do not, Newton solves the loop (it is backward Euler then).
int ode_riemann_trial(Ode* ode, double h, double t_end, double* error)
{
    const int n = ode->n;
    const double* x = ode->x;
    double *z = ode->x_start, *fz = ode->slope_start;
    (void)error;
    ode->state.trial = h;
    memcpy(z, x, sizeof(double) * (size_t)n);
    for (int sweep = 0; sweep < rounds_of(ode, SWEEPS_MOST); sweep++)
    {
        int status = newton_f(ode, t_end, z, fz);
        if (status != TRIAL_OK)
        {
            return status;
        }
        bool changed = false;
        for (int i = 0; i < n; i++)
        {
            double value = x[i] + h * fz[i];
            changed = changed || fabs(value - z[i]) > FIXED_POINT_STILL * fabs(value);
            z[i] = value;
        }
        if (!changed)
        {
            return TRIAL_OK;
        }
    }
    memcpy(z, x, sizeof(double) * (size_t)n);
    return ode_newton(ode, t_end, h, x, z, fz);
}

static int riemann_step(Ode* ode, double limit)
{
    return control_fixed(ode, limit, FORM_LINEAR, ode_riemann_trial);
}

// -------------------------------------------------------------------------------------------------------- trapezoidal

// The local error is -h^3/12 x'''. With the slope fm at the middle of the quadratic through the step,
// x''' = 4 (f0 - 2 fm + f1) / h^2, so the error is h/3 (f0 - 2 fm + f1): one evaluation more, and no memory of earlier
// steps, so that the rule restarts for free. (I - h/2 J)^-1 filters the stiff components, where fm means nothing
// (Shampine; Hairer and Wanner, IV.8).
static int trapezoid_error(Ode* ode, double h, double* error)
{
    const int n = ode->n;
    const double *x = ode->x, *z = ode->x_start, *f0 = ode->slope, *f1 = ode->slope_start;
    double *share = ode->stage[0], *middle = ode->stage[1];
    for (int i = 0; i < n; i++)
    {
        middle[i] = 0.5 * (x[i] + z[i]) + h / 8 * (f0[i] - f1[i]);
    }
    int status = ode_rhs(ode, ode->state.t + 0.5 * h, middle, share);
    if (status != TRIAL_OK)
    {
        return status;
    }
    for (int i = 0; i < n; i++)
    {
        share[i] = 2. / 3 * (f0[i] - 2 * share[i] + f1[i]);  // 2/h times the error: the matrix is (2/h) (I - h/2 J)
    }
    linear_solve(ode->linear, share);
    double sum = 0;
    for (int i = 0; i < n; i++)
    {
        share[i] /= ode_scale(ode, i, x[i], z[i]);
        sum += share[i] * share[i];
    }
    *error = sum / n;
    return TRIAL_OK;
}

static int trapezoid_trial(Ode* ode, double h, double t_end, double* error)
{
    const int n = ode->n;
    double* base = ode->stage[1];
    for (int i = 0; i < n; i++)
    {
        base[i] = ode->x[i] + 0.5 * h * ode->slope[i];
    }
    memcpy(ode->x_start, ode->x, sizeof(double) * (size_t)n);
    int status = ode_newton(ode, t_end, 0.5 * h, base, ode->x_start, ode->slope_start);
    return status == TRIAL_OK ? trapezoid_error(ode, h, error) : status;
}

static int trapezoid_step(Ode* ode, double limit)
{
    static const Control control = {
        .alpha = 1. / 3, .beta = 0, .grow = 2.5, .shrink = 2.5, .predict = true, .form = FORM_CUBIC};
    return control_step(ode, limit, &control, trapezoid_trial);
}

// --------------------------------------------------------------------------------------------------------- breakpoints

// Backward Euler for one step with the error estimate h/2 (f1 - f0), which is its own local error to first order.
static int breakpoint_trial(Ode* ode, double h, double t_end, double* error)
{
    const int n = ode->n;
    int status = backward_trial(ode, h, t_end, error);
    if (status != TRIAL_OK)
    {
        return status;
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
    {
        double e = 0.5 * h * (ode->slope_start[i] - ode->slope[i]);
        e /= ode_scale(ode, i, ode->x[i], ode->x_start[i]);
        ode->stage[0][i] = e;
        sum += e * e;
    }
    *error = sum / n;
    return TRIAL_OK;
}

// The natural step of the method itself is kept for the step after.
static int breakpoint_backward(Ode* ode, double limit)
{
    static const Control control = {.alpha = 0.5, .beta = 0, .grow = 2.5, .shrink = 7, .form = FORM_LINEAR};
    OdeState* s = &ode->state;
    double natural = s->next;
    if (ode->method->fixed)
    {
        return control_fixed(ode, limit, FORM_LINEAR, backward_trial);
    }
    if (s->next <= 0)  // CVODE keeps no proposal of its own
    {
        int status = control_first(ode, limit, 1);
        if (status != ODE_OK)
        {
            return status;
        }
    }
    int status = control_step(ode, limit, &control, breakpoint_trial);
    s->next = natural;
    s->log_error = -13.3;
    return status;
}

// Impulse backward Euler: h forward, then h backward in time (Vlach). Time does not advance; the state becomes the
// right limit, with an error of the order h^2. h is a millionth of the next step, not below what t resolves.
static int breakpoint_impulse(Ode* ode, double limit)
{
    OdeState* s = &ode->state;
    double next = s->next > 0 ? s->next : limit - s->t;
    double h = ode_larger(STEP_IMPULSE * (next < limit - s->t ? next : limit - s->t), ode_smallest(s->t));
    double *z = ode->x_start, *fz = ode->slope_start, *back = ode->stage[0];
    memcpy(z, ode->x, sizeof(double) * (size_t)ode->n);
    int status = ode_newton(ode, s->t + h, h, ode->x, z, fz);
    if (status == TRIAL_OK)
    {
        memcpy(back, z, sizeof(double) * (size_t)ode->n);
        status = ode_newton(ode, s->t, -h, z, back, fz);
    }
    if (status != TRIAL_OK)
    {
        return status < 0 ? status : ode_failure(status);
    }
    memcpy(ode->x, back, sizeof(double) * (size_t)ode->n);
    memcpy(ode->slope, fz, sizeof(double) * (size_t)ode->n);
    return ODE_OK;
}

int ode_breakpoint_step(Ode* ode, double limit, bool* taken)
{
    bool impulse = ode->options.breakpoint == ODE_BREAK_IBE;
    int status = impulse ? breakpoint_impulse(ode, limit) : breakpoint_backward(ode, limit);
    ode->state.at_breakpoint = status != ODE_OK;
    *taken = !impulse;
    return status;
}

const OdeMethodTable ode_backward_euler = {.stages = 1,
                                           .terms = 1,
                                           .order = 1,
                                           .fixed = true,
                                           .matrix = true,
                                           .step = backward_step,
                                           .prepare = ode_prepare_linear};
const OdeMethodTable ode_riemann = {.stages = 1,
                                    .terms = 1,
                                    .order = 1,
                                    .fixed = true,
                                    .matrix = true,
                                    .step = riemann_step,
                                    .prepare = ode_prepare_linear};
const OdeMethodTable ode_trapezoid = {.stages = 2,
                                      .terms = 3,
                                      .order = 2,
                                      .matrix = true,
                                      .first_looked = true,
                                      .step = trapezoid_step,
                                      .prepare = ode_prepare_cubic};
