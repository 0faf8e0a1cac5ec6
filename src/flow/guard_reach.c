// A crossing that reaches its level from the side to which it fires, where something else happens (rules T6, C2): it
// is there, on whichever side rounding has left it, and what jumps back from there crosses. The search does not look
// for such a place, since nothing fires at it; the left limit of an instant asks, where a guard is close to its level.
#include "base/tolerance.h"
#include "flow/guard_path.h"

#include <math.h>
#include <string.h>

// Where the last steps of what it reads have begun; NaN: it reads no states, or some that have not begun.
static double window_start(const Flow* flow, const Guard* guard)
{
    double from = -INFINITY;
    for (uint32_t i = 0; i < guard->islands.count; i++)
    {
        uint32_t island = flow->model->guard_islands[guard->islands.first + i];
        if (!flow->islands[island].begun)
            return NAN;
        from = larger(from, island_start(flow, island));
    }
    return guard->islands.count > 0 ? from : NAN;
}

// At the end of the window.
static bool is_reached(const GuardPath* path, int from)
{
    double before = guard_path_value(path, 0), slope = guard_path_slope(path, 1);
    double g = guard_value(path->flow->kernel, path->guard), end = guard_path_time(path, 1);
    if (!(slope * from > 0) || fabs(slope) * path->length < GUARD_STEEP * fabs(g - before))
        return false;  // it goes the other way, or touches
    if (fabs(g) <= fabs(slope) * guard_crossing_slack(path, end, g, slope))
        return true;
    return !path->flow->guard_affine[path->index] && fabs(g) <= CROSSING_ROUNDINGS * guard_path_rounding(path, 1);
}

// What is in the registers is the left limit, and stays so. False: no memory.
static bool keep_registers(Flow* flow)
{
    kaiAllocator a = flow->kernel->options->allocator;
    size_t count = flow->model->reg_count;
    if (flow->guard_kept == NULL)
        flow->guard_kept = a.alloc(a.user, NULL, 0, guard_kept_size(flow));
    flow->no_memory |= flow->guard_kept == NULL;
    if (flow->guard_kept == NULL)
        return false;
    memcpy(flow->guard_kept, flow->kernel->R, sizeof(double) * count);
    for (uint32_t i = 0; i < flow->model->islands_count; i++)
        flow->guard_kept[count + i] = flow->islands[i].loaded;
    return true;
}

static void restore_registers(Flow* flow)
{
    size_t count = flow->model->reg_count;
    memcpy(flow->kernel->R, flow->guard_kept, sizeof(double) * count);
    for (uint32_t i = 0; i < flow->model->islands_count; i++)
        flow->islands[i].loaded = flow->guard_kept[count + i];
}

int guard_reaches(Flow* flow, uint32_t index)
{
    const Guard* guard = &flow->model->guards[index];
    double t = flow->kernel->now.t, start = window_start(flow, guard);
    int from = guard->kind == GUARD_UP ? -1 : 1;
    if (!(t > start) || !keep_registers(flow))
        return 0;
    GuardPath path = guard_path_of_window(flow, index, start, t);
    bool reached = is_reached(&path, from);
    restore_registers(flow);
    return reached ? from : 0;
}
