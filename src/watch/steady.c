// What listeners note of a lean instant (kernel/lean.c), in one place: one guard has fired, not at once after another
// one and far from any pattern; what was assigned has turned it back, or moved it on. Whatever looks like more is left
// to zeno.c, sliding.c, contact.c and tunnel.c, with nothing noted. The rules are theirs.
#include "watch/steady.h"

#include "watch/zeno_parts.h"

// So soon after the last one that it may follow at once, or that there are too many of them: no less than what
// sliding_at_once, returns_from_rounding and watch_instants say.
static inline bool is_close(const Steady* s, const Lean* lean, double t)
{
    double run = t - s->zeno->kernel->options->start, near = SLIDING_CLOSE * fabs(t);
    return !(t - s->sliding->time > larger(near, SLIDING_CLOSE * lean->length)) || !(run > SLIDING_START) ||
           !(t - s->zeno->last_instant > larger(near, INSTANTS_CLOSE * larger(run, ZENO_EARLY)));
}

// Nothing is pushed onto the level by what was assigned.
static inline bool is_free(const Steady* s, const Lean* lean, uint32_t index, bool turned)
{
    const Flow* flow = s->zeno->flow;
    if (!lean->jumps || lean->settles ||
        (turned && flow->guard_affine[index] && lean->tag.crossed->guard->state_count == 1))
        return true;
    Kernel* kernel = s->zeno->kernel;
    kernel->fired[0] = index;
    kernel->fired_count = kernel->jump_count = 1;
    return contact_is_calm(s->contact);
}

// As watch_times: far from a pattern.
static inline bool is_far(const Zeno* zeno, const ZenoGuard* z, const ZenoTimes* x, double t)
{
    double r = x->ratio;
    if (x->slowing >= ZENO_ROW)
        return false;
    if (!x->shrinks || x->pattern + 2 < zeno_evidence(r))
        return true;
    double limit = t + x->interval * r / (1 - r);
    return !z->holding && x->interval * r * r * r > ZENO_SHORT * (limit - zeno->kernel->options->start);
}

// As tunnel_watch. False: it may be that.
static inline bool is_no_tunnel(const ZenoGuard* z, int8_t crossed, double slope, double t, bool turned)
{
    enum
    {
        ROW = 4
    };
    return turned || crossed != z->barrier || !(t - z->barrier_time < z->barrier_interval) || z->reversals < ROW ||
           !(crossed * slope > 0);
}

__attribute__((always_inline)) static inline void note_barrier(const Kernel* kernel, ZenoGuard* z, int8_t crossed,
                                                               double t, bool turned, bool jumped)
{
    double interval = t - z->barrier_time;
    if (!turned && crossed != z->barrier)
        return;
    bool sooner = interval < z->barrier_interval && crossed == z->barrier;
    z->reversals = turned && sooner && jumped ? z->reversals + 1 : 0;
    z->longest = z->reversals > 0 ? larger(z->longest, interval) : interval;
    z->barrier = turned ? crossed : 0;
    z->barrier_time = t;
    z->barrier_interval = interval;
    z->last_instants = kernel->counters.instants;
}

// As tunnel_is_taken_beyond, which knows more.
static inline bool is_beyond(const Zeno* zeno, const Lean* lean, const GuardState* g, const ZenoGuard* z)
{
    if (fabs(g->slope) > zeno_nothing_of(zeno) && !(g->crossed * lean->tag.g < -REBOUND_JUMP * z->excursion) &&
        !(fabs(g->g) > 2 * fabs(lean->tag.g)))
        return false;
    return tunnel_is_taken_beyond(zeno, lean->tag.crossed->index);
}

// As zeno_armed, of those that have not fired.
static inline void note_others(Zeno* zeno, const Lean* lean)
{
    const Routine* r = lean->scene->routine;
    for (const RoutineGuard *at = r->guards, *end = at + r->guard_count; at < end; at++)
    {
        if (at == lean->tag.crossed)
            continue;
        ZenoGuard* z = &zeno->guards[at->index];
        z->excursion = larger(z->excursion, fabs(at->state->g));
        if (z->rebound != 0 && z->rebound * at->state->slope <= 0)
            z->rebound = 0;
    }
}

// As watch_fired, where that finds nothing.
__attribute__((always_inline)) static inline bool note_fired(const Steady* s, const Lean* lean)
{
    Zeno* zeno = s->zeno;
    const GuardState* g = lean->tag.crossed->state;
    ZenoGuard* z = &zeno->guards[lean->tag.crossed->index];
    double t = lean->tag.now.t;
    const bool watched = g->active, jumped = lean->tag.now.p > 0;
    bool turned = watched && g->crossed * g->slope < 0;
    bool rests = watched && z->barrier != 0 && z->barrier == g->crossed && !turned;
    if (is_close(s, lean, t) || !is_free(s, lean, lean->tag.crossed->index, turned) || zeno->tracked != 0 ||
        z->holding || (watched && !is_no_tunnel(z, g->crossed, g->slope, t, turned)))
        return false;
    if (!rests)
    {
        const ZenoTimes times = zeno_times(z, t);
        if (!(times.interval > 0) || !is_far(zeno, z, &times, t))
            return false;
        zeno_note_times(z, &times, t);
    }
    z->turned = watched ? turned : z->turned;
    if (turned)
    {
        z->flips = 0;
        z->jumps = jumped;
        z->last_flip = t;
    }
    if (watched)
        note_barrier(zeno->kernel, z, g->crossed, t, turned, jumped);
    z->located_g = lean->tag.g;
    z->located_at = zeno->kernel->instant_runs;
    bool back = turned && jumped && g->crossed * g->g >= 0;
    z->rebound = back && !is_beyond(zeno, lean, g, z) ? (int8_t)-g->crossed : 0;
    z->rebound_time = t;
    z->rebound_slope = g->slope;
    z->excursion = fabs(g->g);
    zeno->last_instant = t;
    zeno->short_instants = 0;
    return true;
}

static inline void note_motion(Sliding* sliding, double t)
{
    const kaiSimOptions* o = sliding->kernel->options;
    sliding->time = t;
    sliding->since = t - o->start <= SLIDING_START * smaller(1, o->stop - o->start) ? o->start : t;
    sliding->flips = 0;
    sliding->at_once = false;
}

__attribute__((always_inline)) static inline bool note_crossing(const Steady* s, const Lean* lean)
{
    if (!note_fired(s, lean))
        return false;
    note_motion(s->sliding, lean->tag.now.t);
    s->sliding->step = lean->length;
    return true;
}

// Clocks tick as often as they are written.
static inline bool note_tick(const Steady* s, const Lean* lean)
{
    if (lean->jumps && !lean->settles)
        return false;
    s->sliding->at_once = false;
    s->sliding->step = 0;
    return true;
}

bool steady_note(const Steady* s, const Lean* lean)
{
    const bool ticks = lean->tag.crossed == NULL;
    if (s->zeno->off || !(ticks ? note_tick(s, lean) : note_crossing(s, lean)))
        return false;
    if (lean->scene->routine->guard_count > (ticks ? 0 : 1))
        note_others(s->zeno, lean);
    if (lean->counted[0] != 0)
        record_count_bits(s->record, lean->counted[0]);
    if (lean->counted[1] != 0)
        record_count_bits(s->record, lean->counted[1]);
    return true;
}
