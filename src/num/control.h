// Step size control: how long a trial step is, whether it stands, and how long the next one may be. One inline function
// per kind of control, so that each method gets a copy in which its trial step is a direct call.
//
// Variable step: PI control (Gustafsson; Hairer, Norsett and Wanner II.4 and IV.2): with err the root mean square of
// the scaled error, h_next = h / clamp(err^alpha / err_old^beta / safety). The powers are taken by short polynomials
// for log2 and exp2, right to 1e-3: a step size needs no more, it costs 3 ns instead of 40, and the result does not
// depend on the C library. Fails with ODE_ERR_STEP when the step falls below what t resolves.
//
// Fixed step: the step of the options, halved while a trial fails (paper 004, section 3.2.1) and doubled back after.
#ifndef KAIROS_NUM_CONTROL_H
#define KAIROS_NUM_CONTROL_H

#include "num/method.h"

typedef struct Control
{
    double alpha, beta;   // exponents of the error of this step and of the one before
    double grow, shrink;  // at most this factor up and down
    bool predict;  // also extrapolate the trend of the error (Gustafsson's predictive control, for stiff methods)
    OdeForm form;
} Control;

// A trial step of length h from (t, x): result in x_start, slope there in slope_start, scaled error of each component
// in stage[0], its mean square in *error. t_end is t + h, or the limit exactly.
typedef int Trial(Ode* ode, double h, double t_end, double* error);

// log2 of a positive double, right to 1e-3; of 0 some number below -1000.
static inline double control_log2(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    double exponent = (double)(int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
    double m;
    memcpy(&m, &bits, sizeof m);
    return exponent - 2.153620718 + m * (3.047884161 + m * (-1.051875031 + m * 0.1582487046));
}

// 2^v for |v| < 1000, right to 1e-4.
static inline double control_exp2(double v)
{
    int whole = (int)(v + 1024) - 1024;
    double part = v - whole;
    uint64_t bits = (uint64_t)(whole + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power * (1 + part * (0.695556856 + part * (0.226173572 + part * 0.0781455737)));
}

// The step that is tried: the proposed one, not longer than the limits on a step, and the whole rest if it nearly
// reaches the end. *last tells that it ends at `limit`. A step may be stretched by 1e-7 of itself: less than any error
// estimate knows, enough to swallow the rounding of fixed steps.
static inline double control_length(const Ode* ode, double limit, double proposed, bool* last)
{
    const OdeState* s = &ode->state;
    double h = proposed;
    if (s->caution > 0 && h > s->caution)
    {
        h = s->caution;
    }
    if (ode->options.max_step > 0 && h > ode->options.max_step)
    {
        h = ode->options.max_step;
    }
    *last = s->t + h * CONTROL_STRETCH >= limit;
    return *last ? limit - s->t : h;
}

// After a step that failed outright or was too inaccurate: who is to blame, for the user who asks why steps are small.
void control_blame(Ode* ode);

// First step of a run: Hairer, Norsett and Wanner, II.4. Costs one evaluation of f.
int control_first(Ode* ode, double limit, double order);

static inline double control_factor(const Control* c, const OdeState* s, double h, double log_error)
{
    double power = c->alpha * log_error - c->beta * s->log_error + 0.152;  // 0.152 = -log2(safety 0.9)
    if (c->predict && s->form == c->form)
    {
        double before = s->log_error > -6.6 ? s->log_error : -6.6;  // not below 1e-2
        double trend = c->alpha * (2 * log_error - before) + control_log2(s->h / h) + 0.152;
        power = trend > power ? trend : power;
    }
    double low = -c->grow, high = c->shrink;  // log2 of the bounds
    power = power < low ? low : power > high ? high : power;
    return control_exp2(power);
}

// After a step of length h that failed: the shortest that was asked for is tried before the run fails.
static inline double control_retry(const Ode* ode, double h, double shorter)
{
    double least = ode->options.min_step;
    return h > least && shorter < least ? least : shorter;
}

// After a step that was cut down since f has no value beyond it, and in which a state that has a slope has not moved:
// has f a value where each of these is a little further on its way, by more than what rounding excuses? If not, the run
// has come to the border of a domain; near t = 0, where steps can be of any length, time alone would go on for ever.
bool control_stands(Ode* ode, double t_end);

// How long the step after one of length h, which stands, may be.
static inline void control_plan(Ode* ode, const Control* c, double h, double error, bool rejected)
{
    OdeState* s = &ode->state;
    double log_error = 0.5 * control_log2(error);
    double next = h / control_factor(c, s, h, log_error);
    // After a rejection do not grow at once; a step that was only clipped says nothing against the natural one.
    next = rejected && next > h ? h : next;
    s->next = !rejected && h < s->next && next < s->next ? s->next : next;
    s->next = ode_larger(s->next, ode->options.min_step);
    s->log_error = log_error > -13.3 ? log_error : -13.3;  // not below 1e-4
}

// One accepted step with error control.
static inline int control_step(Ode* ode, double limit, const Control* c, Trial* trial)
{
    OdeState* s = &ode->state;
    bool rejected = false, broken = false;
    int failure = TRIAL_OK;
    double proposed = ode_larger(s->next, ode->options.min_step);
    for (;;)
    {
        bool last;
        double h = control_length(ode, limit, proposed, &last);
        if (!last && h < ode_shortest(ode))
        {
            return ode_failure(failure);
        }
        double t_end = last ? limit : s->t + h;
        double error = 0;
        int status = trial(ode, h, t_end, &error);
        if (status < 0)
        {
            return status;
        }
        error *= s->strict;
        if (status == TRIAL_OK && error <= 1)
        {
            if (broken && control_stands(ode, t_end))
            {
                return ode_failure(TRIAL_SHRINK);
            }
            control_plan(ode, c, h, error, rejected);
            ode_accept(ode, h, t_end, c->form);
            return ODE_OK;
        }
        failure = status;
        rejected = true;
        s->stats.rejected++;
        s->stats.halvings += status == TRIAL_CONVERGE || status == TRIAL_SINGULAR;
        s->stats.broken += status == TRIAL_SHRINK || (status == TRIAL_OK && !(error < 1e300));
        broken = status != TRIAL_OK || !(error < 1e300);
        s->stats.worst = -1;  // a trial that broke off has no shares of the error
        if (status == TRIAL_OK)
        {
            control_blame(ode);
        }
        double shrink = 10;  // a NaN, or an error that overflows
        if (status == TRIAL_CONVERGE || status == TRIAL_SINGULAR)
        {
            shrink = 2;
        }
        else if (status == TRIAL_OK && error < 1e300)
        {
            double power = c->alpha * 0.5 * control_log2(error) + 0.152;
            shrink = control_exp2(power < 0.3 ? 0.3 : power > c->shrink ? c->shrink : power);
        }
        proposed = control_retry(ode, h, h / shrink);
    }
}

// One step of fixed size, halved while the trial does not succeed.
static inline int control_fixed(Ode* ode, double limit, OdeForm form, Trial* trial)
{
    OdeState* s = &ode->state;
    double proposed = s->next > 0 && s->next < ode->options.step ? s->next : ode->options.step;
    bool broken = false;
    for (;;)
    {
        bool last;
        double h = control_length(ode, limit, proposed, &last);
        double t_end = last ? limit : s->t + h;
        double error = 0;
        int status = trial(ode, h, t_end, &error);
        if (status < 0)
        {
            return status;
        }
        if (status == TRIAL_OK && broken && control_stands(ode, t_end))
        {
            return ode_failure(TRIAL_SHRINK);
        }
        if (status == TRIAL_OK)
        {
            s->next = 2 * proposed;
            ode_accept(ode, h, t_end, form);
            return ODE_OK;
        }
        s->stats.halvings += status != TRIAL_SHRINK;
        s->stats.broken += status == TRIAL_SHRINK;
        broken = true;
        s->stats.rejected++;
        proposed = 0.5 * h;
        if (proposed < ode_shortest(ode))
        {
            return ode_failure(status);
        }
    }
}

#endif
