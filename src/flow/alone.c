// The only island of a model starts again at the end of an instant to which its step has led, with its states in the
// registers: what restart of island.c does, with nothing asked that such an island has not.
#include "flow/flow.h"

#include <math.h>

bool island_restarts_alone(Flow* flow)
{
    Kernel* kernel = flow->kernel;
    IslandState* s = &flow->islands[0];
    IslandSystem* own = &flow->island_systems[0];
    Ode* ode = flow->island_odes[0];
    double t = kernel->now.t;
    uint32_t failed;
    if (!s->begun || s->loaded != t || ode_time(ode) != t || !s->due || own->series == NULL || own->states == NULL ||
        kernel->holds + kernel->slides > 0)
        return false;
    kernel->R[flow->model->reg_time] = t;
    if (series_begin(own->series, kernel->R, &kernel->host, &failed) != SERIES_OK ||
        !ode_relaunch(ode, t, own->states, island_rates(flow, own)))
        return false;
    kernel->island_disturbed[0] = false;
    s->terms = 0;
    s->known = false;
    s->disturbed_at = kernel->touch;
    s->pin_time = NAN;
    s->sloped = kernel->moment;
    return true;
}
