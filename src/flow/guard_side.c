// The side of its level that a crossing remembers where its window ends and it does not fire (rule C2).
#include "base/tolerance.h"
#include "flow/guard_window.h"

#include <math.h>

// Beside the way that it has come, it hardly moves: it lies on its level for longer than time is known to.
bool guard_is_flat(const GuardPath* path, double g, double slope)
{
    double way = fabs(g - path->flow->kernel->guards[path->index].g);
    return path->guard->curved && fabs(slope) * path->length < GUARD_STEEP * way;
}

// What lies on its level at the end of a step, on its way through, came from the near side: where g was there already
// when its slope says that it was not, rounding has flattened it (log(1 + z^2) near z = 0), and it does not cross.
bool guard_came_flat(const GuardPath* path, double theta, double g, double slope)
{
    double back = GUARD_FLAT_BACK * guard_crossing_slack(path, guard_path_time(path, theta), g, slope);
    if (!(back < 0.5 * theta * path->length))
        return false;
    double before = guard_path_value(path, theta - back / path->length);
    return fabs(g - before) < GUARD_FLAT_PART * fabs(slope) * back;
}

// A crossing may turn where something else ends its window, without firing: there it remembers the side on which it is.
// On its level it is on its way to one, and nothing may start the island anew there and look where it has gone: s = (x
// - 1)*(2 - x) and `down(s)`, where `s > 0` switches an island that only hears of it.
void guard_keep_side(const GuardPath* path, double theta, double g, double slope)
{
    const Guard* guard = path->guard;
    Kernel* kernel = path->flow->kernel;
    double *side = &kernel->R[guard->side], end = guard_path_time(path, theta);
    if (!is_crossing(guard))
        return;
    bool through = slope * *side < 0 && !is_past(kernel, guard, slope) && !guard_is_flat(path, g, slope) &&
                   fabs(g) <= fabs(slope) * guard_crossing_slack(path, end, g, slope);
    bool turned = guard_has_turned(kernel, guard, g);
    if (!turned && !through)
        return;
    if (!guard_path_on_level(path, theta, g))
    {
        *side = turned ? sign_of(g) : *side;
        return;
    }
    if (!through)
        return;
    bool flat = guard_came_flat(path, theta, g, slope);
    guard_path_value(path, theta);  // which it has looked back from
    *side = flat ? *side : sign_of(slope);
}

// A crossing that another one ends the step for may have turned before.
void guard_keep_sides(Flow* flow, uint32_t island, double theta)
{
    for (uint32_t i = 0; i < flow->candidate_count; i++)
    {
        const Candidate* c = &flow->candidates[i];
        const Guard* guard = &flow->model->guards[c->guard];
        if (!is_crossing(guard) || c->after <= theta || c->side == flow->kernel->R[guard->side])
            continue;
        GuardPath path = guard_path_of_step(flow, c->guard, island);
        double slope = guard_path_slope(&path, theta);
        guard_keep_side(&path, theta, guard_path_value(&path, theta), slope);
    }
}
