// What a step of a glide (ode.h) comes to, for those who take many of them.
#ifndef KAIROS_NUM_GLIDE_H
#define KAIROS_NUM_GLIDE_H

#include "base/tolerance.h"
#include "num/ode.h"

#include <math.h>

// How far a step from t may go that its own terms do not limit, where nobody has asked for shorter steps: its length,
// and *end. False: that is shorter than t resolves.
static inline bool glide_farthest(const OdeGlide* glide, double t, double limit, double* length, double* end)
{
    double most = glide->event_mean > 0 && t == glide->event_time ? 3 * glide->event_mean : INFINITY;
    double far = 1e3 * (1 + fabs(t)), least = TIME_SMALLEST_STEP * fabs(t);
    most = far < most ? far : most;
    bool last = t + most * CONTROL_STRETCH >= limit;
    *end = last ? limit : t + most;
    *length = (*end - t) - glide->low;
    return last || most >= (least > TIME_NOTHING ? least : TIME_NOTHING);
}

// As ode_leave.
static inline void glide_leave(OdeGlide* glide, OdeSpan* step, double theta)
{
    if (theta < 1 && step->end != step->start)
    {
        step->scale *= theta;
        double length = step->scale * step->length;
        step->end = step->start + length;
        glide->low = glide->start_low + (length - (step->end - step->start));
    }
    double distance = step->end - glide->event_time;
    if (!(distance > 0))
    {
        return;
    }
    glide->event_mean = glide->event_mean > 0 ? 0.8 * glide->event_mean + 0.2 * distance : distance;
    glide->event_time = step->end;
    if (glide->next > 3 * glide->event_mean)
    {
        glide->next = 3 * glide->event_mean;
    }
}

#endif
