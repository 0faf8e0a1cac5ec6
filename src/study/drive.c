// Beside a run: the pace of real time, and telling how far it is. Rows are waited for where they are handed out, and
// not by cutting the run into slices: what is computed does not depend on the clock.
#include "kairos/drive.h"

#include "base/budget.h"

#include <math.h>
#include <time.h>

static double wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void begin(kaiDrive* d, double t)
{
    d->begun = true;
    d->start = t;
    d->since = wall_time();
    d->next = d->since + d->interval;
}

static bool is_interrupted(const kaiDrive* d)
{
    return budget_flag(d->interrupt);
}

// Sleeps in pieces, so that an interrupt is heard soon.
static void wait_until(const kaiDrive* d, double when)
{
    const double longest = 0.05;
    for (double rest; (rest = when - wall_time()) > 0 && !is_interrupted(d);)
    {
        double piece = fmin(rest, longest);
        nanosleep(&(struct timespec){(time_t)piece, (long)(1e9 * (piece - floor(piece)))}, NULL);
    }
}

kaiStatus kaiDrive_At(kaiDrive* d, double t)
{
    if (d == NULL || isnan(t))
        return KAI_ERR_USAGE;
    if (!d->begun)
        begin(d, t);
    if (d->pace > 0)
    {
        double due = d->since + (t - d->start) / d->pace;
        d->late = fmax(d->late, wall_time() - due);
        wait_until(d, due);
    }
    if (is_interrupted(d))
        return KAI_INTERRUPTED;
    if (d->progress == NULL || wall_time() < d->next)
        return KAI_OK;
    d->next = wall_time() + d->interval;
    return d->progress(d->user, t);
}

kaiStatus kaiSim_Drive(kaiSim* sim, kaiDrive* d)
{
    kaiStatus status = KAI_INSTANT, told = KAI_OK;
    if (sim == NULL || d == NULL)
        return KAI_ERR_USAGE;
    while (status == KAI_INSTANT && told == KAI_OK)
    {
        status = kaiSim_Step(sim);
        if (status == KAI_INSTANT || status == KAI_END)
            told = kaiDrive_At(d, kaiSim_Now(sim).t);
    }
    return told != KAI_OK && status >= 0 ? told : status;
}
