// Rodas4: a linearly implicit Runge-Kutta method of order 4 with 6 stages, L-stable and stiffly accurate, with an
// embedded method of order 3 and a dense output of order 3 (Hairer and Wanner, Solving ODEs II, IV.7 and VI.4).
//
// It serves small stiff systems: one-step, so it restarts for free after an event; no Newton iteration that could fail;
// one Jacobian and one factorisation per step. Needs df/dt where f depends on time: from the system, or by a
// difference. Stage i, in the variables u_i that save products with J:
//     (I/(h gamma) - J) u_i = f(t + alpha_i h, x + sum a_ij u_j) + sum c_ij/h u_j + h gamma_i df/dt,
// the result is the argument of the last stage plus u_6, and u_6 is the error estimate.
// Failure modes: as the explicit methods; ODE_ERR_LINEAR if the matrix stays singular down to the smallest step.
#include "num/control.h"

enum
{
    STAGES = 6,
};

static const double SLOPE_OFF = 0.1;  // of the tolerance
static const double CALM = 10;
static const double gamma_1 = 0.25;
static const double alpha[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double gamma_time[STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};

static const double a[STAGES][STAGES] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1},
};

static const double c[STAGES][STAGES] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
};

static const double d[2][STAGES - 1] = {
    {10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662},
    {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872},
};

// u_i is in stage[i + 1]; stage[0] is for the shares of the error.
static double* u(Ode* ode, int i)
{
    return ode->stage[i + 1];
}

static void add(int n, double* restrict sum, double factor, const double* restrict v)
{
    for (int k = 0; k < n; k++)
    {
        sum[k] += factor * v[k];
    }
}

// The Jacobian belongs to the start of the step: a rejected trial leaves it standing.
static int matrix(Ode* ode, double h)
{
    OdeState* s = &ode->state;
    if (!s->jacobian_valid)
    {
        int status = ode_jacobian(ode, s->t, ode->x, ode->slope, h, true);
        if (status != TRIAL_OK)
        {
            return status;
        }
        s->jacobian_valid = true;
    }
    s->stats.factorisations++;
    if (linear_factor(ode->linear, 1 / (h * gamma_1), ode->jacobian->values) != 0)
    {
        s->jacobian_valid = false;
        return TRIAL_SINGULAR;
    }
    return TRIAL_OK;
}

// Argument of f in stage i. One pass over the components: for two states calls and loops cost more than products.
static void argument(Ode* ode, int i, double* restrict y)
{
    const int n = ode->n;
    double* const* k = ode->stage + 1;
    for (int m = 0; m < n; m++)
    {
        double sum = ode->x[m];
        for (int j = 0; j < i; j++)
        {
            sum += a[i][j] * k[j][m];
        }
        y[m] = sum;
    }
}

// Right-hand side of stage i from f in it: the earlier stages and df/dt.
static void complete(Ode* ode, int i, double h)
{
    const int n = ode->n;
    const double per = 1 / h, time = h * gamma_time[i];
    const double* dfdt = ode->jacobian->dfdt;
    double* const* k = ode->stage + 1;
    for (int m = 0; m < n; m++)
    {
        double sum = 0;
        for (int j = 0; j < i; j++)
        {
            sum += c[i][j] * k[j][m];
        }
        k[i][m] += per * sum + time * dfdt[m];
    }
}

// Stage i; y becomes the argument of f.
static int stage(Ode* ode, int i, double h, double t_end, double* y)
{
    double* k = u(ode, i);
    if (i == 0)
    {
        memcpy(k, ode->slope, sizeof(double) * (size_t)ode->n);
    }
    else
    {
        argument(ode, i, y);
        int status = ode_rhs(ode, alpha[i] == 1 ? t_end : ode->state.t + alpha[i] * h, y, k);
        if (status != TRIAL_OK)
        {
            return status;
        }
    }
    complete(ode, i, h);
    linear_solve(ode->linear, k);
    return TRIAL_OK;
}

static double measure(Ode* ode)
{
    const int n = ode->n;
    const double *x = ode->x, *y = ode->x_start, *last = u(ode, STAGES - 1);
    double *share = ode->stage[0], sum = 0;
    for (int i = 0; i < n; i++)
    {
        double e = last[i] / ode_scale(ode, i, x[i], y[i]);
        share[i] = e;
        sum += e * e;
    }
    return sum / n;
}

static int rosenbrock_trial(Ode* ode, double h, double t_end, double* error)
{
    double* y = ode->x_start;
    int status = matrix(ode, h);
    for (int i = 0; i < STAGES && status == TRIAL_OK; i++)
    {
        status = stage(ode, i, h, t_end, y);
    }
    if (status != TRIAL_OK)
    {
        return status;
    }
    add(ode->n, y, 1, u(ode, STAGES - 1));
    *error = measure(ode);
    if (!(*error <= 1))
    {
        // f at the end is not worth its price. Differences over a long step may be what is not a number: make them
        // anew.
        ode->state.jacobian_valid = *error < 1e300;
        return TRIAL_OK;
    }
    status = ode_rhs(ode, t_end, y, ode->slope_start);
    return status == TRIAL_OK && !ode_finite(ode->n, ode->slope_start) ? TRIAL_SHRINK : status;
}

static int rosenbrock_step(Ode* ode, double limit)
{
    static const Control control = {
        .alpha = 0.25, .beta = 0, .grow = 2.585, .shrink = 2.3219, .predict = true, .form = FORM_CUBIC};
    return control_step(ode, limit, &control, rosenbrock_trial);
}

// Whether f tells the way of every state: no rate changes by more than the states do in the step, as sizes that matter.
// Where one does, f is what its matrix damps, and its roundings are amplified.
static bool is_calm(const Ode* ode)
{
    const Jacobian* jacobian = ode->jacobian;
    const int n = ode->n, *start = jacobian->system->column_start, *row = jacobian->system->row_index;
    double* sums = jacobian->x;
    memset(sums, 0, sizeof(double) * (size_t)n);
    for (int j = 0; j < n; j++)
    {
        double size = ode_scale(ode, j, ode->x_start[j], ode->x[j]);
        for (int p = start ? start[j] : j * n; p < (start ? start[j + 1] : (j + 1) * n); p++)
        {
            sums[start ? row[p] : p - j * n] += fabs(jacobian->values[p]) * size;
        }
    }
    bool calm = true;
    for (int i = 0; i < n; i++)
    {
        calm &= fabs(ode->state.h) * sums[i] <= CALM * ode_scale(ode, i, ode->x_start[i], ode->x[i]);
    }
    return calm;
}

// The polynomial starts with f, where that makes a difference below the tolerance for all states (so that their sums
// stay): it would be off by the differences that the method is made with, and beside a start at rest a state would move
// the wrong way for a while.
static void start_with_slope(Ode* ode)
{
    const double *r0 = ode->dense[0], *f = ode->slope_start;
    double *r1 = ode->dense[1], h = ode->state.h;
    bool same = true;
    for (int i = 0; i < ode->n; i++)
    {
        double off = fabs(r0[i] + r1[i] - h * f[i]);
        same &= off <= SLOPE_OFF * ode_scale(ode, i, ode->x_start[i], ode->x[i]);
    }
    same = same && is_calm(ode);
    for (int i = 0; i < ode->n && same; i++)
    {
        r1[i] = h * f[i] - r0[i];
    }
}

static void rosenbrock_prepare(Ode* ode)
{
    const int n = ode->n;
    ode_prepare_linear(ode);
    for (int m = 0; m < 2; m++)
    {
        memset(ode->dense[m + 1], 0, sizeof(double) * (size_t)n);
        for (int j = 0; j < STAGES - 1; j++)
        {
            add(n, ode->dense[m + 1], d[m][j], u(ode, j));
        }
    }
    start_with_slope(ode);
}

const OdeMethodTable ode_rosenbrock = {.stages = STAGES + 1,
                                       .terms = 3,
                                       .order = 4,
                                       .matrix = true,
                                       .step = rosenbrock_step,
                                       .prepare = rosenbrock_prepare};
