// Explicit Runge-Kutta methods: Dormand-Prince 5(4), Bogacki-Shampine 3(2), forward Euler.
//
// They are the workhorse of event-heavy models, where the bookkeeping of a solver costs more than f: no memory is
// touched but the stages, the last stage of a step is the first of the next (FSAL), and the dense output is made only
// when somebody asks (a guard crossed). A restart costs one evaluation of f.
// References: Dormand and Prince 1980; Bogacki and Shampine 1989; Hairer, Norsett and Wanner, Solving ODEs I,
// II.4-II.6.
//
// Failure modes of all three: f < 0 ends the step with ODE_ERR_RHS; a NaN or f > 0 shrinks the step until ODE_ERR_STEP.
#include "num/control.h"

// Scaled error of component i.
#define SHARE(e, before, after) ((e) / (atol[i] + rtol * ode_larger(fabs(before), fabs(after))))

#define F(time, at, into)                                                                                              \
    do                                                                                                                 \
    {                                                                                                                  \
        int status_ = ode_rhs(ode, (time), (at), (into));                                                              \
        if (status_ != TRIAL_OK)                                                                                       \
        {                                                                                                              \
            return status_;                                                                                            \
        }                                                                                                              \
    } while (0)

// ---------------------------------------------------------------------------------------------- Dormand-Prince 5(4)

// Stages 2 to 6 of the tableau; stage 1 is the slope at the start. y becomes the argument of stage 7, the result.
static int rk45_stages(Ode* ode, double h, double t_end, double* restrict y)
{
    const int n = ode->n;
    const double t = ode->state.t;
    const double* restrict x = ode->x;
    const double* restrict k1 = ode->slope;
    double* restrict k2 = ode->stage[0], * restrict k3 = ode->stage[1], * restrict k4 = ode->stage[2];
    double* restrict k5 = ode->stage[3], * restrict k6 = ode->stage[4];
    for (int i = 0; i < n; i++)
    {
        y[i] = x[i] + h * ((1. / 5) * k1[i]);
    }
    F(t + h * (1. / 5), y, k2);
    for (int i = 0; i < n; i++)
    {
        y[i] = x[i] + h * ((3. / 40) * k1[i] + (9. / 40) * k2[i]);
    }
    F(t + h * (3. / 10), y, k3);
    for (int i = 0; i < n; i++)
    {
        y[i] = x[i] + h * ((44. / 45) * k1[i] + (-56. / 15) * k2[i] + (32. / 9) * k3[i]);
    }
    F(t + h * (4. / 5), y, k4);
    for (int i = 0; i < n; i++)
    {
        y[i] = x[i] + h * ((19372. / 6561) * k1[i] + (-25360. / 2187) * k2[i] + (64448. / 6561) * k3[i] +
                           (-212. / 729) * k4[i]);
    }
    F(t + h * (8. / 9), y, k5);
    for (int i = 0; i < n; i++)
    {
        y[i] = x[i] + h * ((9017. / 3168) * k1[i] + (-355. / 33) * k2[i] + (46732. / 5247) * k3[i] +
                           (49. / 176) * k4[i] + (-5103. / 18656) * k5[i]);
    }
    F(t_end, y, k6);
    for (int i = 0; i < n; i++)
    {
        y[i] = x[i] + h * ((35. / 384) * k1[i] + (500. / 1113) * k3[i] + (125. / 192) * k4[i] +
                           (-2187. / 6784) * k5[i] + (11. / 84) * k6[i]);
    }
    return TRIAL_OK;
}

// The difference of the fifth and the fourth order solution. Its components replace stage 2, which nothing needs any
// more.
static double rk45_error(Ode* ode, double h)
{
    const int n = ode->n;
    const double rtol = ode->options.rtol;
    const double* restrict atol = ode->atol;
    const double* restrict x = ode->x, * restrict y = ode->x_start;
    const double* restrict k1 = ode->slope, * restrict k3 = ode->stage[1], * restrict k4 = ode->stage[2];
    const double* restrict k5 = ode->stage[3], * restrict k6 = ode->stage[4], * restrict k7 = ode->slope_start;
    double* restrict share = ode->stage[0];
    double sum = 0;
    for (int i = 0; i < n; i++)
    {
        double e = h * ((71. / 57600) * k1[i] + (-71. / 16695) * k3[i] + (71. / 1920) * k4[i] +
                        (-17253. / 339200) * k5[i] + (22. / 525) * k6[i] + (-1. / 40) * k7[i]);
        e = SHARE(e, x[i], y[i]);
        share[i] = e;
        sum += e * e;
    }
    return sum / n;
}

static int rk45_trial(Ode* ode, double h, double t_end, double* error)
{
    int status = rk45_stages(ode, h, t_end, ode->x_start);
    if (status != TRIAL_OK)
    {
        return status;
    }
    F(t_end, ode->x_start, ode->slope_start);
    *error = rk45_error(ode, h);
    return TRIAL_OK;
}

static int rk45_step(Ode* ode, double limit)
{
    static const Control control = {
        .alpha = 0.17, .beta = 0.04, .grow = 3.3219, .shrink = 2.3219, .form = FORM_QUARTIC};
    return control_step(ode, limit, &control, rk45_trial);
}

// Fourth order over the whole step (Hairer, Norsett and Wanner, II.6.12).
static void rk45_prepare(Ode* ode)
{
    const int n = ode->n;
    const double h = ode->state.h;
    const double* restrict k1 = ode->slope_start, * restrict k3 = ode->stage[1], * restrict k4 = ode->stage[2];
    const double* restrict k5 = ode->stage[3], * restrict k6 = ode->stage[4], * restrict k7 = ode->slope;
    double* restrict r3 = ode->dense[3];
    ode_prepare_cubic(ode);
    for (int i = 0; i < n; i++)
    {
        r3[i] = h * ((-12715105075. / 11282082432) * k1[i] + (87487479700. / 32700410799) * k3[i] +
                     (-10690763975. / 1880347072) * k4[i] + (701980252875. / 199316789632) * k5[i] +
                     (-1453857185. / 822651844) * k6[i] + (69997945. / 29380423) * k7[i]);
    }
}

// --------------------------------------------------------------------------------------------- Bogacki-Shampine 3(2)

// The estimate of the pair is -(z^3 + z^4)/48 of a state that decays, x' = z/h x: nothing at all where the step is its
// time constant. A second one, of the first three stages, is z^3/96 there, and less than the first elsewhere.
static double rk23_error(Ode* ode, double h)
{
    const int n = ode->n;
    const double rtol = ode->options.rtol;
    const double* restrict atol = ode->atol;
    const double* restrict x = ode->x, * restrict y = ode->x_start;
    const double* restrict k1 = ode->slope, * restrict k2 = ode->stage[1], * restrict k3 = ode->stage[2];
    const double* restrict k4 = ode->slope_start;
    double* restrict share = ode->stage[0];
    double sum = 0;
    for (int i = 0; i < n; i++)
    {
        double e = h * ((-5. / 72) * k1[i] + (1. / 12) * k2[i] + (1. / 9) * k3[i] + (-1. / 8) * k4[i]);
        double other = h * ((1. / 72) * k1[i] + (-1. / 24) * k2[i] + (1. / 36) * k3[i]);
        e = SHARE(fabs(e) < fabs(other) ? other : e, x[i], y[i]);
        share[i] = e;
        sum += e * e;
    }
    return sum / n;
}

static int rk23_trial(Ode* ode, double h, double t_end, double* error)
{
    const int n = ode->n;
    const double t = ode->state.t;
    const double* restrict x = ode->x, * restrict k1 = ode->slope;
    double* restrict y = ode->x_start, * restrict k2 = ode->stage[1], * restrict k3 = ode->stage[2];
    for (int i = 0; i < n; i++)
    {
        y[i] = x[i] + h * (0.5 * k1[i]);
    }
    F(t + 0.5 * h, y, k2);
    for (int i = 0; i < n; i++)
    {
        y[i] = x[i] + h * (0.75 * k2[i]);
    }
    F(t + 0.75 * h, y, k3);
    for (int i = 0; i < n; i++)
    {
        y[i] = x[i] + h * ((2. / 9) * k1[i] + (1. / 3) * k2[i] + (4. / 9) * k3[i]);
    }
    F(t_end, y, ode->slope_start);
    *error = rk23_error(ode, h);
    return TRIAL_OK;
}

static int rk23_step(Ode* ode, double limit)
{
    static const Control control = {.alpha = 0.28, .beta = 0.07, .grow = 3.3219, .shrink = 2.3219, .form = FORM_CUBIC};
    return control_step(ode, limit, &control, rk23_trial);
}

// ---------------------------------------------------------------------------------------------------- forward Euler

static int euler_trial(Ode* ode, double h, double t_end, double* error)
{
    const int n = ode->n;
    const double* restrict x = ode->x, * restrict k = ode->slope;
    double* restrict y = ode->x_start;
    (void)error;
    for (int i = 0; i < n; i++)
    {
        y[i] = x[i] + h * k[i];
    }
    F(t_end, y, ode->slope_start);
    return ode_finite(n, ode->slope_start) ? TRIAL_OK : TRIAL_SHRINK;
}

// The straight line is the dense output: at theta it is the Euler step of length theta h, so that a cut at an event is
// the same as a shorter step.
static int euler_step(Ode* ode, double limit)
{
    return control_fixed(ode, limit, FORM_LINEAR, euler_trial);
}

// ------------------------------------------------------------------------------------------------ shared dense outputs

void ode_prepare_linear(Ode* ode)
{
    const int n = ode->n;
    const double* restrict x = ode->x_start, * restrict y = ode->x;
    double* restrict r0 = ode->dense[0];
    for (int i = 0; i < n; i++)
    {
        r0[i] = y[i] - x[i];
    }
}

void ode_prepare_cubic(Ode* ode)
{
    const int n = ode->n;
    const double h = ode->state.h;
    const double* restrict x = ode->x_start, * restrict y = ode->x;
    const double* restrict k = ode->slope_start, * restrict l = ode->slope;
    double* restrict r0 = ode->dense[0], * restrict r1 = ode->dense[1], * restrict r2 = ode->dense[2];
    for (int i = 0; i < n; i++)
    {
        double difference = y[i] - x[i], bend = h * k[i] - difference;
        r0[i] = difference;
        r1[i] = bend;
        r2[i] = difference - h * l[i] - bend;
    }
}

const OdeMethodTable ode_rk45 = {
    .stages = 5, .terms = 4, .order = 5, .first_looked = true, .step = rk45_step, .prepare = rk45_prepare};
const OdeMethodTable ode_rk23 = {
    .stages = 3, .terms = 3, .order = 3, .first_looked = true, .step = rk23_step, .prepare = ode_prepare_cubic};
const OdeMethodTable ode_euler = {
    .stages = 1, .terms = 1, .order = 1, .fixed = true, .step = euler_step, .prepare = ode_prepare_linear};
