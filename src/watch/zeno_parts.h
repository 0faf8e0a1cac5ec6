// What the files of Zeno share: zeno.c (events that accumulate, instants), hold.c, tunnel.c.
#ifndef KAIROS_WATCH_ZENO_PARTS_H
#define KAIROS_WATCH_ZENO_PARTS_H

#include "base/tolerance.h"
#include "watch/zeno.h"

#include <math.h>

// zeno.c
const char* zeno_guard_text(const Zeno* zeno, uint32_t guard);

enum
{
    ZENO_ROW = 100,  // gains in a row that make a power
};

// What an event makes of the intervals between those of its guard.
typedef struct ZenoTimes
{
    double interval, ratio, first_ratio;
    double slowness, gain;
    uint32_t pattern, slowing;
    bool shrinks, steady;
} ZenoTimes;

__attribute__((always_inline)) static inline ZenoTimes zeno_times(const ZenoGuard* z, double t)
{
    double interval = t - z->last_time, ratio = interval / z->last_interval;
    ZenoTimes x = {.interval = interval, .ratio = ratio, .first_ratio = ratio, .slowness = INFINITY, .gain = INFINITY};
    x.shrinks = ratio < 0.9999 && ratio > 0;  // the first event of all has no interval before it
    x.steady = x.shrinks && fabs(ratio - z->first_ratio) < smaller(0.01 * ratio, 0.02 * (1 - ratio));
    if (x.steady)
    {
        x.pattern = z->pattern + 1;
        x.first_ratio = z->first_ratio;
    }
    if (!(ratio < 1))  // no row goes on here, nor begins
        return x;
    x.slowness = 1 / (1 - ratio);
    double gain = x.slowness - z->slowness;
    bool steady = gain > 0.05 && gain < 0.9 && fabs(gain - z->gain) <= 0.1 * gain;
    x.slowing = steady ? z->slowing + 1 : 0;
    x.gain = steady ? z->gain + 0.05 * (gain - z->gain) : gain;
    return x;
}

static inline void zeno_note_times(ZenoGuard* z, const ZenoTimes* x, double t)
{
    z->last_time = t;
    z->last_interval = x->interval;
    z->last_ratio = x->ratio;
    z->first_ratio = x->first_ratio;
    z->pattern = x->pattern;
    z->slowing = x->slowing;
    z->slowness = x->slowness;
    z->gain = x->gain;
}

// Equal ratios in a row that make a pattern: fewer where each says more, for time ends sooner; more where the ratio is
// close to 1 and may still be on its way to it (sin(1/(1 - t)), whose intervals shrink, but not geometrically).
static inline double zeno_evidence(double ratio)
{
    double least = ratio > 0.6 ? 10 : ratio > 0.3 ? 6 : ratio > 0.05 ? 4 : ratio > 0.005 ? 3 : 2;
    return ratio > 0.95 ? 3 / (1 - ratio) : least;
}

static inline double zeno_limit_time(const ZenoGuard* z)
{
    return z->last_time + z->last_interval * z->last_ratio / (1 - z->last_ratio);
}

// What nobody would notice of a guard, or of its motion in a second.
static inline double zeno_nothing_of(const Zeno* zeno)
{
    const kaiSimOptions* o = zeno->kernel->options;
    return o->atol > 0 ? o->atol : o->rtol / 100;
}

// hold.c
double hold_free_slope(Zeno* zeno, uint32_t guard);  // of a guard, from the states in the registers, nothing held
void hold_wait(Zeno* zeno, double t);                // held states get their limits then
void hold_set_limits(Zeno* zeno, double t);          // those that are due

// tunnel.c
kaiStatus tunnel_watch(Zeno* zeno, uint32_t index, double t, bool turned);  // a guard has fired
bool tunnel_has_jumped(const Zeno* zeno);
bool tunnel_is_taken_beyond(const Zeno* zeno, uint32_t index);  // by a reaction, far beyond its level
bool tunnel_asks_block(const Zeno* zeno, uint32_t index);
static inline bool tunnel_is_foreign(const Zeno* zeno, uint32_t index)  // it belongs to a block
{
    return zeno->model->blocks_count > 0 && tunnel_asks_block(zeno, index);
}

#endif
