// What is shown between two times at which something is due: probes, the grid of `record … every`, points of a curve.
#include "base/tolerance.h"
#include "kernel/guard.h"
#include "watch/row.h"

#include <math.h>

// Between its ends a step is a polynomial, which may stray over the level that a relation keeps an operator from, by
// the error of the step, where the relation has not switched.
static bool strays(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < model->guards_count; i++)
    {
        const Guard* guard = &model->guards[i];
        bool relation = guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL;
        if (!relation || !kernel->guards[i].active || !kernel_ctx_active(kernel, guard->ctx))
            continue;
        vm_run(model, kernel->R, guard->code.end > guard->code.start ? guard->code : guard->look, &kernel->host);
        if (is_past(kernel, guard, guard_value(kernel, guard)))
            return true;
    }
    return false;
}

// A located crossing lies a rounding beyond such a level: so may the end.
kaiStatus inside_load(Record* record, double t, bool end)
{
    Kernel* kernel = record->kernel;
    touch_moment(kernel, t);
    kernel->now = (kaiTag){t, 0, 0};
    kernel->host.beyond = &kernel->beyond;
    kernel->beyond = 0;
    kaiStatus status = touch_rows(kernel);
    bool allowed = end || kernel->beyond == 0 || strays(kernel);
    kernel->host.beyond = NULL;
    if (allowed || status != KAI_OK)
        return status;
    touch_moment(kernel, t);
    return touch_rows(kernel);
}

static kaiStatus probe_inside(Record* record, double start, double end)
{
    for (uint32_t i = 0; i < record->model->probes_count; i++)
    {
        const Probe* p = &record->model->probes[i];
        if (p->kind != PROBE_AT && p->kind != PROBE_LEFT && p->kind != PROBE_INDEX)
            continue;
        double t = record->kernel->R[p->time];
        if (!(t > start && t < end) || kernel_same_time(record->kernel, t, start) ||
            kernel_same_time(record->kernel, t, end))
            continue;
        kaiStatus status = inside_load(record, t, false);
        if (status != KAI_OK)
            return status;
        if (p->kind != PROBE_INDEX || record->kernel->R[p->index] == 0)
            probe_take(record, i, true);
    }
    return KAI_OK;
}

static kaiStatus row_inside(Record* record, double t)
{
    kaiStatus status = inside_load(record, t, false);
    return status == KAI_OK ? row_now(record, true) : status;
}

static kaiStatus grid_inside(Record* record, double end)
{
    kaiStatus status = KAI_OK;
    while (status == KAI_OK)
    {
        double t = record_grid(record);
        if (!(t < end) || kernel_same_time(record->kernel, t, end))
            break;
        status = row_inside(record, t);
        if (status == KAI_OK)
            status = record_grid_next(record);
    }
    return status;
}

// Rows between the points of the solver for whoever wants to see a curve (kaiSimOptions.row_gap).
static kaiStatus gap_inside(Record* record, double start, double end)
{
    kaiStatus status = KAI_OK;
    double pieces = ceil((end - start) / record->kernel->options->row_gap);
    for (double k = 1; k < pieces && status == KAI_OK; k++)
        status = row_inside(record, start + k / pieces * (end - start));
    return status;
}

static double extreme_at(Record* record, uint32_t probe, double t, bool end)
{
    const Probe* p = &record->model->probes[probe];
    if (inside_load(record, t, end) != KAI_OK)
        return INFINITY;
    const ModelVar* var = &record->model->vars[p->var];
    if (!row_var_present(record, var, true))
        return INFINITY;
    probe_take_extreme(record, probe, true);
    return p->kind == PROBE_MIN ? record->kernel->R[var->reg] : -record->kernel->R[var->reg];
}

// Whether the extreme around sample k may beat the best so far: by no more than its neighbours rise.
static bool promises(const double* values, int count, int k, double best)
{
    double rise = larger(k > 0 ? values[k - 1] - values[k] : 0, k < count ? values[k + 1] - values[k] : 0);
    return !(values[k] - rise > best);
}

// Golden section between a and b, where a sample had no smaller neighbour.
static void descend(Record* record, uint32_t probe, double a, double b)
{
    const double golden = 0.6180339887498949;
    double x = b - golden * (b - a), y = a + golden * (b - a);
    double fx = extreme_at(record, probe, x, false), fy = extreme_at(record, probe, y, false);
    for (int round = 0; round < 40; round++)
    {
        if (fx < fy)
            b = y, y = x, fy = fx, x = b - golden * (b - a), fx = extreme_at(record, probe, x, false);
        else
            a = x, x = y, fx = fy, y = a + golden * (b - a), fy = extreme_at(record, probe, y, false);
    }
}

enum
{
    SAMPLES_MOST = 256,  // in one stretch; then its halves are looked at
    HALVINGS_MOST = 10,
    HALVINGS_SMALL = 3,
    HALVINGS_OF_A_RUN = 4096,  // noise has no resolution: it must not be sought in every step
};

// Samples until straight lines between them show the curve. Their number; 0: not to be had. What is small may be
// rounding: it is not halved for long.
static int sample(Record* record, uint32_t probe, double start, double end, int halvings,
                  double values[SAMPLES_MOST + 1])
{
    int count = 4;
    double low = INFINITY, high = -INFINITY, nothing = inside_nothing(record), off = 0;
    for (int k = 0; k <= count; k++)
        values[k] = extreme_at(record, probe, inside_place(start, end, (double)k / count), k == count);
    if (values[0] == INFINITY)
        return count;  // absent, here and in all of the stretch
    for (; 2 * count <= SAMPLES_MOST; count *= 2)
    {
        off = 0;
        for (int k = count; k > 0; k--)
            values[2 * k] = values[k];
        for (int k = 0; k <= count; k++)
        {
            low = smaller(low, values[2 * k]);
            high = larger(high, values[2 * k]);
        }
        for (int k = 1; k < 2 * count; k += 2)
        {
            values[k] = extreme_at(record, probe, inside_place(start, end, 0.5 * k / count), false);
            off = larger(off, fabs(values[k] - 0.5 * (values[k - 1] + values[k + 1])));
        }
        if (!(off > CURVE_SAMPLED * (high - low) &&
              off > CURVE_ROUNDING * larger(fabs(low), fabs(high)) + CURVE_SMALL * nothing))
            return 2 * count;
    }
    return halvings < HALVINGS_SMALL || off > nothing ? 0 : SAMPLES_MOST;
}

// Extremes between the points of the solver: golden section around every sample that is not beaten by a neighbour.
static void extremes_inside(Record* record, uint32_t probe, double start, double end, int halvings)
{
    double values[SAMPLES_MOST + 1], mid = 0.5 * (start + end);
    int count = sample(record, probe, start, end, halvings, values);
    if (count == 0 && halvings < HALVINGS_MOST && record->halvings < HALVINGS_OF_A_RUN && mid > start && mid < end)
    {
        record->halvings++;
        extremes_inside(record, probe, start, mid, halvings + 1);
        extremes_inside(record, probe, mid, end, halvings + 1);
    }
    for (int k = 0; k <= count && count > 0; k++)
    {
        bool low = k == 0 || values[k] <= values[k - 1], high = k == count || values[k] <= values[k + 1];
        double best = record->probes[probe].value, sign = record->model->probes[probe].kind == PROBE_MIN ? 1 : -1;
        bool flat = (k == 0 || values[k] == values[k - 1]) && (k == count || values[k] == values[k + 1]);
        if (!low || !high || flat || values[k] == INFINITY || !promises(values, count, k, sign * best))
            continue;
        descend(record, probe, inside_place(start, end, (double)(k > 0 ? k - 1 : 0) / count),
                inside_place(start, end, (double)(k < count ? k + 1 : count) / count));
    }
}

__attribute__((noinline)) static kaiStatus show_inside(Record* record, double start, double end)
{
    kaiTag now = record->kernel->now;
    kaiStatus status = record->asks_times ? probe_inside(record, start, end) : KAI_OK;
    for (uint32_t i = 0; i < record->model->probes_count && record->watches_extremes; i++)
        if (record->model->probes[i].kind == PROBE_MIN || record->model->probes[i].kind == PROBE_MAX)
            extremes_inside(record, i, start, end, 0);
    if (status == KAI_OK && record->every > 0 && record->kernel->options->row != NULL)
        status = grid_inside(record, end);
    bool shown = status == KAI_OK && record->every == 0 && record->kernel->options->row != NULL;
    if (shown && record->kernel->options->row_gap > 0)
        status = gap_inside(record, start, end);
    else if (shown && record->curves)
        status = curve_inside(record, start, end);
    record->kernel->now = now;
    return status;
}

kaiStatus record_step(Record* record, double start, double end)
{
    bool sees = record->asks_times || record->watches_extremes || record->every == 0;
    bool shows = sees || kernel_reached(record->kernel, record_grid(record), end);
    return shows ? show_inside(record, start, end) : KAI_OK;
}
