// How fast a run with delays gets on. What goes into a delay is kept as polynomials, so a signal that is fast beside
// the run, or beside its delay, asks for more of them than any machine makes or holds; a delay that is nothing beside
// time lets no step go on. Both would run for ever: here they end in a sentence with the place and what to do.
//
// The bound grows with what was asked for: a number of polynomials for a part of the run. Who gives a limit of time has
// said how long it may take, and no other bound of time holds.
#include "base/tolerance.h"
#include "flow/flow.h"

#include <math.h>

enum
{
    PACE_PARTS = 200000,       // polynomials that are made before anything is said about their pace
    PACE_PAST_PARTS = 100000,  // the same of a past, which is kept whole
    PACE_STILL = 10000,        // steps in a row that lead nowhere; islands that wait for each other take a few
};

static kaiStatus too_fast(Flow* flow, uint32_t delay, double t, double length, double wanted)
{
    return kernel_fail(
        flow->kernel, flow->model->delays[delay].place,
        "delay something slower (the delayed sin(w*t) is sin(w*(t - T))), stop earlier, or say how long it "
        "may take with --time",
        "a delayed signal is too fast to be followed at t = %.17g: a polynomial of it is good for %.3g s, "
        "and %.3g s of it are wanted",
        t, length, wanted);
}

static double run_length(const Kernel* kernel)
{
    return kernel->options->stop - kernel->options->start;
}

kaiStatus pace_check(Flow* flow, uint32_t delay)
{
    Kernel* kernel = flow->kernel;
    History* h = &kernel->histories[delay];
    double T = kernel->R[flow->model->delays[delay].time], run = run_length(kernel), t = kernel->now.t;
    if (!budget_look_inside(kernel->budget))
        return kernel_stop(kernel);
    if (++h->paced < PACE_PARTS)
        return KAI_OK;
    double held = fmin(T, run), moved = t - h->paced_from;
    h->paced = 0;
    h->paced_from = t;
    if (moved < PACE_DELAY * held)
        return too_fast(flow, delay, t, moved / PACE_PARTS, held);
    bool timed = kernel->options->limits.seconds > 0;
    bool fast = !timed && isfinite(run) && moved < PACE_RUN * run;
    return fast ? too_fast(flow, delay, t, moved / PACE_PARTS, run) : KAI_OK;
}

kaiStatus pace_check_past(Flow* flow, uint32_t delay, double from, uint32_t parts)
{
    Kernel* kernel = flow->kernel;
    const History* past = &kernel->pasts[delay];
    double wanted = kernel->options->start - from, moved = past->end - from;
    if (!budget_look_inside(kernel->budget))
        return kernel_stop(kernel);
    if (parts % PACE_PAST_PARTS != 0 || moved >= parts / PACE_PAST_PARTS * PACE_PAST * wanted)
        return KAI_OK;
    return too_fast(flow, delay, past->end, moved / parts, wanted);
}

kaiStatus pace_check_delay(Flow* flow, uint32_t delay, double T, double t)
{
    if (t + T > t && !kernel_same_time(flow->kernel, t + T, t))
        return KAI_OK;
    return kernel_fail(flow->kernel, flow->model->delays[delay].place,
                       "a delay must be longer than what time can resolve, to 15 digits: leave this one out, or "
                       "start at 0",
                       "a transport delay of %g is nothing beside t = %.17g", T, t);
}

kaiStatus pace_check_step(Flow* flow, Pace* pace)
{
    double t = flow->kernel->now.t;
    pace->still = t == pace->time ? pace->still + 1 : 0;
    pace->time = t;
    if (pace->still < PACE_STILL)
        return KAI_OK;
    return kernel_fail(flow->kernel, 0, "what is due next is nothing beside time: start at 0, or wait longer",
                       "time does not go on at t = %.17g", t);
}
