// What a step of a glide (ode.h) comes to, for those who take many of them.
#ifndef KAIROS_NUM_GLIDE_H
#define KAIROS_NUM_GLIDE_H

#include "base/tolerance.h"
#include "num/ode.h"

#include <math.h>

// The shortest step at t.
static inline double glide_least(double t)
{
    double least = TIME_SMALLEST_STEP * fabs(t);
    return least > TIME_NOTHING ? least : TIME_NOTHING;
}

// How far a step from t may go that its own terms do not limit, where nobody has asked for shorter steps: its length,
// and *end. False: that is shorter than t resolves.
static inline bool glide_farthest(double mean, double low, double t, double limit, double* length, double* end)
{
    double most = mean > 0 ? 3 * mean : INFINITY;
    double far = 1e3 * (1 + fabs(t));
    most = far < most ? far : most;
    bool last = t + most * CONTROL_STRETCH >= limit;
    *end = last ? limit : t + most;
    *length = (*end - t) - low;
    return last || most >= glide_least(t);
}

// The end of a step of that length from t, and what it lacks.
static inline double glide_end_at(double t, double low, double length, double* end_low)
{
    double end = t + length;
    *end_low = low + (length - (end - t));
    return end;
}

// Whether an event so far from the last one tells something about steps: a first one has to be a step away.
static inline bool glide_tells(double mean, double distance, double t)
{
    return distance > (mean > 0 ? 0 : glide_least(t));
}

// The mean distance of events after one that is so far from the last.
static inline double glide_mean(double mean, double distance)
{
    return mean > 0 ? 0.8 * mean + 0.2 * distance : distance;
}

// As ode_leave.
static inline void glide_leave(OdeGlide* glide, OdeSpan* step, double theta)
{
    if (theta < 1 && step->end != step->start)
    {
        step->scale *= theta;
        step->end = glide_end_at(step->start, glide->start_low, step->scale * step->length, &glide->low);
    }
    double distance = step->end - glide->event_time;
    if (!glide_tells(glide->event_mean, distance, step->end))
    {
        return;
    }
    glide->event_mean = glide_mean(glide->event_mean, distance);
    glide->event_time = step->end;
    if (glide->next > 3 * glide->event_mean)
    {
        double most = 3 * glide->event_mean, least = glide_least(step->end);
        glide->next = most > least ? most : least;
    }
}

#endif
