// The first step after a start. Nothing bounds it but what it finds of its own error, a difference of values of f at
// the few places where the method asks for them. Where these lie whole periods apart, f is one number at all of them,
// and the error nothing: 1 - cos(20*pi*t) from 1 to 10 for the parts 0, 1/2, 3/4 and 1 of a step. So the polynomial of
// a first step is held against f at a place that is no simple part of it, and where they differ by far more than the
// error it is taken anew, shorter. Later steps grow from that one.
#include "num/control.h"

#include "base/tolerance.h"

enum
{
    ROUNDS_MOST = 16,
};

// f has no value there, or the one that the polynomial says.
static bool fits(Ode* ode)
{
    const OdeState* s = &ode->state;
    double *x = ode->spare[0], *f = ode->spare[1], *slope = ode->spare[2];
    ode_dense(ode, WINDOW_LOOK_1, x, slope);
    if (ode_rhs(ode, s->t_start + WINDOW_LOOK_1 * s->h, x, f) != TRIAL_OK || !ode_finite(ode->n, f))
    {
        return true;
    }
    double most = ode_larger(1, LEAP_MISFIT * control_exp2(s->log_error));
    for (int i = 0; i < ode->n; i++)
    {
        if (fabs(f[i] - slope[i]) * s->h > most * ode_scale(ode, i, ode->x_start[i], ode->x[i]))
        {
            return false;
        }
    }
    return true;
}

static void take_back(Ode* ode)
{
    OdeState* s = &ode->state;
    double caution = s->caution;
    ode_retreat(ode, 0, LEAP_BACK * s->h);
    s->caution = caution;
    memcpy(ode->slope, ode->slope_start, sizeof(double) * (size_t)ode->n);
    s->slope_valid = true;
}

int first_step(Ode* ode, double limit)
{
    OdeState* s = &ode->state;
    int status = ode->method->step(ode, limit);
    for (int round = 0; status == ODE_OK && round < ROUNDS_MOST; round++)
    {
        if (s->h < 4 * ode_shortest(ode) || fits(ode))
        {
            break;
        }
        take_back(ode);
        status = ode->method->step(ode, limit);
    }
    s->looked |= status == ODE_OK;
    return status;
}
