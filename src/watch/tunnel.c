// Tunnelling (rule C4): a reaction turned g back from its level, and then g turned again before it had come back over
// the level; or a surface that turned g back every time, ever sooner, is passed. Crossings that nothing turns back, and
// jumps across a level, are not affected.
#include "watch/zeno_parts.h"

#include "base/tolerance.h"
#include "model/code.h"

#include <math.h>
#include <string.h>

// ---- tunnelling
// ------------------------------------------------------------------------------------------------------

// With zeno = continue the fall is drawn, under a warning; otherwise the run stops here.
static kaiStatus fail_tunnelled(Zeno* zeno, uint32_t index, double t, double lasted)
{
    static const char format[] = "tunnelled at t = %.15g: the solution passes the surface of %s, which turned it back "
                                 "until now; the last motion away from it, %.6g long at a speed of %.6g, was too small "
                                 "to come back over the level";
    ZenoGuard* z = &zeno->guards[index];
    uint32_t place = zeno->model->guards[index].place;
    double speed = fabs(z->rebound_slope);
    z->rebound = z->barrier = 0;
    z->reversals = 0;
    if (!surfaces_wanted(zeno->kernel->options))
    {
        kaiStatus status =
            kernel_fail(zeno->kernel, place,
                        "add a mode for motions below this size (a ball that rests), or locate the crossing exactly: "
                        "`down`, `up` or a relation without tolerance",
                        format, t, zeno_guard_text(zeno, index), lasted, speed);
        zeno->kernel->failure.tag.t = t;  // not the end of the step in which it shows
        return status;
    }
    kernel_warn(zeno->kernel, place, format, t, zeno_guard_text(zeno, index), lasted, speed);
    return KAI_OK;
}

// What a block watches is its own: a reaction may leave it watching for the way back, with the other sign, so that
// neither the side nor the direction of g says that something was turned back.
bool tunnel_asks_block(const Zeno* zeno, uint32_t index)
{
    const kaiModel* model = zeno->model;
    CodeRange code = model->guards[index].code;
    CodeItem item;
    for (uint32_t at = code.start; at < code.end && code_item(model->code, at, code.end, &item); at += item.words)
        if (item.op == VM_CALL)
            return true;
    return code.start == code.end;
}

// Only a jump turns something back against its field. What a field turns, with a relation or a mode of its own, and
// then lets pass, goes where its equations say.
bool tunnel_has_jumped(const Zeno* zeno)
{
    return zeno->kernel->now.p > 0;
}

// A reaction had turned g back. It must come over the level before it turns again by itself.
void zeno_armed(Zeno* zeno, uint32_t guard)
{
    const GuardState* g = &zeno->kernel->guards[guard];
    ZenoGuard* z = &zeno->guards[guard];
    if (g->fired != zeno->kernel->instant_runs)
        z->excursion = larger(z->excursion, fabs(g->g));
    if (z->rebound != 0 && g->fired != zeno->kernel->instant_runs && z->rebound * g->slope <= 0)
        z->rebound = 0;  // something else has turned it
    if (z->rebound != 0 && g->located != z->rebound_located)
        z->rebound = 0;  // it was back over its level, and a jump has taken it across once more
}

kaiStatus zeno_turned(Zeno* zeno, uint32_t index, double t)
{
    const GuardState* g = &zeno->kernel->guards[index];
    ZenoGuard* z = &zeno->guards[index];
    z->excursion = larger(z->excursion, fabs(g->g));
    if (z->rebound == 0 || zeno->off)
        return KAI_OK;
    double side = z->rebound * g->g, slope = z->rebound * g->slope;
    if (side > 0)
        z->rebound = 0;
    if (side > 0 || slope >= 0 || -side <= zeno_nothing_of(zeno))
        return KAI_OK;
    zeno->kernel->now.t = t;
    return fail_tunnelled(zeno, index, z->rebound_time, t - z->rebound_time);
}

// A surface that turned g back every time, ever sooner, and does not now, while nothing else happened.
kaiStatus tunnel_watch(Zeno* zeno, uint32_t index, double t, bool turned)
{
    enum
    {
        ROW = 4
    };
    const GuardState* g = &zeno->kernel->guards[index];
    ZenoGuard* z = &zeno->guards[index];
    double interval = t - z->barrier_time;
    if (!turned && g->crossed != z->barrier)
        return KAI_OK;  // on its way back
    bool sooner = interval < z->barrier_interval && g->crossed == z->barrier;
    bool alone = zeno->kernel->counters.instants - z->last_instants <= 1;
    if (!turned && sooner && alone && z->reversals >= ROW && interval < 0.1 * z->longest && g->crossed * g->slope > 0)
        return fail_tunnelled(zeno, index, t, interval);
    z->reversals = turned && sooner && tunnel_has_jumped(zeno) ? z->reversals + 1 : 0;
    z->longest = z->reversals > 0 ? larger(z->longest, interval) : interval;
    z->barrier = turned ? g->crossed : 0;
    z->barrier_time = t;
    z->barrier_interval = interval;
    z->last_instants = zeno->kernel->counters.instants;
    return KAI_OK;
}

// ---- what was turned back
// --------------------------------------------------------------------------------------------

static double value_of(const Zeno* zeno, const Guard* guard)
{
    CodeRange code = guard->code.end > guard->code.start ? guard->code : guard->look;
    vm_run(zeno->model, zeno->kernel->R, code, &zeno->kernel->host);
    return zeno->kernel->R[guard->g];
}

// The states that the guard reads, back onto its level by the shortest way.
static void go_to_level(const Zeno* zeno, const Guard* guard)
{
    const int32_t* states = zeno->model->guard_states + guard->first_state;
    double *x = kernel_states(zeno->kernel), g = value_of(zeno, guard), norm = 0;
    for (uint32_t i = 0; i < guard->state_count; i++)
    {
        double from = x[states[i]], by = DIFFERENCE_PART * larger(fabs(from), DIFFERENCE_LEAST);
        x[states[i]] = from + by;
        zeno->free_slope[states[i]] = (value_of(zeno, guard) - g) / by;
        x[states[i]] = from;
        norm += zeno->free_slope[states[i]] * zeno->free_slope[states[i]];
    }
    for (uint32_t i = 0; i < guard->state_count && norm > 0; i++)
        x[states[i]] -= g * zeno->free_slope[states[i]] / norm;
}

// Whether the field led back from the level itself after the reactions of this instant. Where it does not, they have
// not turned the guard back but moved it, to a place where the field is another one.
__attribute__((noinline)) static bool is_turned_on_level(const Zeno* zeno, uint32_t index)
{
    enum
    {
        ROUNDS = 3
    };
    const kaiModel* model = zeno->model;
    const Guard* guard = &model->guards[index];
    Kernel* kernel = zeno->kernel;
    memcpy(zeno->registers, kernel->R, sizeof(double) * model->reg_count);
    kernel->host.beyond = &kernel->beyond;
    for (int round = 0; round < ROUNDS; round++)
        go_to_level(zeno, guard);
    for (uint32_t i = 0; i < guard->islands.count; i++)
        vm_run(model, kernel->R, model->islands[model->guard_islands[guard->islands.first + i]].deriv, &kernel->host);
    vm_run(model, kernel->R, guard->look, &kernel->host);
    double slope = kernel->R[guard->slope];
    kernel->host.beyond = NULL;
    memcpy(kernel->R, zeno->registers, sizeof(double) * model->reg_count);
    return kernel->guards[index].crossed * slope < 0;
}

// A reaction that takes g far beyond its level turns nothing back: what follows is a motion on the other side. Nor does
// one that moves g and leaves the field on the level as it was; nor a jump that took it over the level from afar, as
// one that comes out of a delay; nor a slope that is what rounding left.
bool tunnel_is_taken_beyond(const Zeno* zeno, uint32_t index)
{
    const ZenoGuard* z = &zeno->guards[index];
    const GuardState* g = &zeno->kernel->guards[index];
    if (fabs(g->slope) <= zeno_nothing_of(zeno))
        return true;
    double left = z->located_at == zeno->kernel->instant_runs ? z->located_g : 0;
    if (g->crossed * left < -REBOUND_JUMP * z->excursion)
        return true;
    bool moved = fabs(g->g) > 2 * fabs(left);
    return moved && (fabs(g->g) > REBOUND_PART * z->excursion || !is_turned_on_level(zeno, index));
}
