// Steps of taylor that are looked at before they are taken: flights, along the parabolas of a field that has no more
// terms, and leaps, by the matrix of a linear field of few states. Whoever takes them searches their coefficients for
// what ends them, and says what came of it in one go: a step, its cut and the restart at its end, as the solver would
// have gone through them one after the other.
#include "num/choice.h"
#include "num/taylor.h"

// -------------------------------------------------------------------------------------------------------------- flight

static inline bool flies(const Ode* ode)
{
    const OdeState* s = &ode->state;
    return ode->method == &ode_taylor && s->expanded && s->slope_valid && !s->at_breakpoint && ode->n > 0 &&
           (ode->options.method != ODE_AUTO || s->choice.wish == s->choice.method) && s->form == FORM_POINT;
}

bool ode_flies(const Ode* ode)
{
    return flies(ode);
}

bool ode_flight(Ode* ode, int degree, double limit, OdeFlight* flight)
{
    const OdeState* s = &ode->state;
    TaylorAttempt a;
    if (!flies(ode) || taylor_expand_exact(ode, degree) != TRIAL_OK || !taylor_farthest(ode, limit, &a))
    {
        return false;
    }
    *flight = (OdeFlight){.start = s->t, .length = a.h, .degree = degree};
    for (int k = 0; k <= degree; k++)
    {
        flight->c[k] = ode->dense[k];
    }
    return true;
}

static inline bool relaunches(const Ode* ode)
{
    const OdeChoice* c = &ode->state.choice;
    return ode->method == &ode_taylor && ode->n > 0 && !ode->linear && ode->options.breakpoint == ODE_BREAK_SAME &&
           (ode->options.method != ODE_AUTO || c->wish == c->method);
}

bool ode_relaunches(const Ode* ode)
{
    return relaunches(ode);
}

static inline void begin_again(Ode* ode, double t)
{
    OdeState* s = &ode->state;
    ode_begin_again(s, t, false);
    s->slope_valid = s->expanded = true;
    s->at_breakpoint = s->jacobian_valid = false;
    s->stats.rhs_calls++;
    s->choice.held = s->choice.creeps = 0;
}

bool ode_relaunch(Ode* ode, double t, const double* x, const double* f)
{
    if (!relaunches(ode))
    {
        return false;
    }
    double* restrict to = ode->x, * restrict slope = ode->slope, * restrict carry = ode->dense[TAYLOR_CARRY], all = 0;
    for (int i = 0; i < ode->n; i++)
    {
        to[i] = x[i];
        slope[i] = f[i];
        carry[i] = 0;
        all += 0 * f[i];
    }
    if (!(all == 0))
    {
        return false;  // the restart that follows brings all of them again
    }
    begin_again(ode, t);
    return true;
}

void ode_fly(Ode* ode, const OdeFlight* flight, double theta)
{
    OdeState* s = &ode->state;
    double* restrict x = ode->x_start, * restrict slope = ode->slope_start, * restrict carry = ode->dense[TAYLOR_CARRY];
    double h = flight->length, tau = theta * h;
    for (int i = 0; i < ode->n; i++)
    {
        double a = flight->degree > 1 ? flight->c[2][i] : 0, b = flight->c[1][i];
        x[i] = (a * tau + b) * tau + flight->c[0][i];
        slope[i] = 2 * a * tau + b;
        carry[i] = 0;
    }
    ode_accept(ode, h, s->t + h, FORM_SERIES);
    s->terms = flight->degree + 1;
    s->dense_ready = true;
    s->t_start_low = s->t_low;
    s->next = h;
    s->narrow = 0;
    s->bounded = s->fresh = s->slope_valid = false;
    s->scale = theta;
    s->t = s->t_start + tau;
    s->t_low = s->t_start_low + (tau - (s->t - s->t_start));
    s->trial = s->t - s->t_start;
    if (ode->options.method == ODE_AUTO)
    {
        choice_flown(ode);
    }
    ode_note_event(ode);
}

// ---------------------------------------------------------------------------------------------------------------- leap

bool ode_leap(Ode* ode, double limit, OdeLeap* leap)
{
    const OdeSystem* system = ode->system;
    TaylorAttempt a;
    if (!flies(ode) || !system->few)
    {
        return false;
    }
    const FewField* field = system->few(ode->ctx);
    if (!field || !taylor_farthest(ode, limit, &a) || few_take(ode, field, a.h, &a.order) != FEW_WHOLE)
    {
        return false;
    }
    *leap = (OdeLeap){.start = ode->state.t,
                      .end = a.t_end,
                      .length = a.h,
                      .degree = a.order,
                      .c = ode->dense,
                      .x = ode->x_start,
                      .slopes = ode->slope_start};
    return true;
}

void ode_leap_take(Ode* ode, const OdeLeap* leap, double theta)
{
    OdeState* s = &ode->state;
    double x[FEW_STATES];
    TaylorAttempt a = {.h = leap->length, .t_end = leap->end, .order = leap->degree, .sure = true};
    s->trial = a.h;
    taylor_accept(ode, &a, INFINITY, false);
    if (ode->options.method == ODE_AUTO)
    {
        choice_flown(ode);
    }
    if (theta >= 1)
    {
        return;
    }
    few_fill(ode, leap->degree, theta * leap->length, x);
    for (int i = 0; i < ode->n; i++)
    {
        ode->x[i] = x[i];
        ode->dense[TAYLOR_CARRY][i] = 0;
    }
    s->carries = false;
    ode_end_at(s, theta);
    ode_note_event(ode);
}

double ode_leap_to(const Ode* ode, const OdeLeap* leap, double theta, double* x)
{
    few_fill(ode, leap->degree, theta * leap->length, x);
    return leap->start + theta * leap->length;
}

// What accept, ode_cut and ode_relaunch come to, one after the other.
void ode_leapt(Ode* ode, const OdeLeap* leap, double theta, const double* x, const double* f)
{
    OdeState* s = &ode->state;
    double length = theta * leap->length;
    for (int i = 0; i < ode->n; i++)
    {
        ode->x[i] = x[i];
        ode->slope[i] = f[i];
    }
    s->next = leap->length;
    if (theta < 1)
    {
        s->t = leap->start + length;
        s->t_low += length - (s->t - leap->start);
        s->trial = s->t - leap->start;
        ode_note_event(ode);
    }
    else
    {
        s->t = leap->end;
        s->t_low = 0;
        s->trial = length;
    }
    s->narrow = 0;
    s->bounded = s->fresh = false;
    s->terms = leap->degree + 1;
    s->stats.steps++;
    if (ode->options.method == ODE_AUTO)
    {
        choice_flown(ode);
    }
    begin_again(ode, s->t);
}
