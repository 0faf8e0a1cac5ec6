// Rows where a curve bends, so that any program that draws straight lines between rows draws the curve. A stretch is
// halved as long as a recorded value lies off the line between its ends by a share of the range of its column; what is
// short beside the run may be off by more, so that a run of many events does not drown in rows.
#include "base/tolerance.h"
#include "watch/row.h"

#include <math.h>
#include <string.h>

typedef struct Curve
{
    Record* record;
    double share;    // of the range of a column, that a line may be off by
    double nothing;  // a value this small may be what rounding leaves of 0
    double end;      // of the stretch
    bool arcs;       // what moves in it are parabolas, whose coefficients are at hand
    int parts;       // that it is looked at in
} Curve;

enum
{
    CURVE_FIRST = 3,   // work row of the first halving
    CURVE_SURE = 3,    // halvings after which a small bend may be rounding
    CURVE_PLACES = 7,  // beside the middle, in the first part of a long stretch
};

static double* row_of(const Curve* curve, int index)
{
    return curve->record->curve + (size_t)index * (size_t)curve->record->column_count;
}

static void widen(Record* record, const double* values)
{
    for (int i = 0; i < record->column_count; i++)
    {
        if (!record->row_present[i] || !isfinite(values[i]))
            continue;
        if (!(record->lows[i] <= values[i]))
            record->lows[i] = values[i];
        if (!(record->highs[i] >= values[i]))
            record->highs[i] = values[i];
    }
}

// Between instants events are absent, and modes, parameters and memories hold still.
static bool is_still(const Record* record, int column)
{
    const kaiModel* model = record->model;
    const ModelVar* var = &model->vars[record->column_vars[column]];
    bool kind = var->kind == MODEL_PARAM || var->kind == MODEL_MODE || var->kind == MODEL_DISCRETE;
    return record->column_orders[column] > 0 || var->column == KAI_COLUMN_EVENT ||
           (kind && var->present == NO_REG && model->var_units[record->column_vars[column]] == NO_REG);
}

void curve_columns(Record* record)
{
    const kaiModel* model = record->model;
    for (int i = 0; i < record->column_count; i++)
    {
        if (is_still(record, i))
            continue;
        const ModelVar* var = &model->vars[record->column_vars[i]];
        uint32_t state = record->column_regs[i] - model->reg_first[REG_STATE];
        if (state >= model->state_count || model->var_units[record->column_vars[i]] != NO_REG ||
            var->present != NO_REG || var->column != KAI_COLUMN_REAL)
        {
            record->arc_count = -1;
            return;
        }
        record->arcs[record->arc_count++] = (uint32_t)i;
    }
}

static uint32_t arc_state(const Record* record, int arc)
{
    return record->column_regs[record->arcs[arc]] - record->model->reg_first[REG_STATE];
}

// Whether all that moves in the stretch are states in short steps (decision 0226).
static bool are_arcs(const Record* record)
{
    bool all = record->flow != NULL && record->kernel->bonds == NULL && record->arc_count > 0;
    for (int i = 0; i < record->arc_count && all; i++)
        all = record->flow->islands[record->model->state_islands[arc_state(record, i)]].terms > 0;
    return all;
}

// Values inside the stretch by their coefficients, with the bits that loading them would bring. What holds still is as
// in the first row. False: something is no number.
static bool look_at_arcs(const Curve* curve, double t, double* values)
{
    Record* record = curve->record;
    const Flow* flow = record->flow;
    bool sound = true;
    memcpy(values, row_of(curve, 0), sizeof *values * (size_t)record->column_count);
    for (int i = 0; i < record->arc_count; i++)
    {
        uint32_t column = record->arcs[i], state = arc_state(record, i), island = record->model->state_islands[state];
        double value = island_value(flow, &flow->islands[island], island_theta(flow, island, t), state);
        sound &= !isnan(value);
        if (!record->column_plain[column])
        {
            Scale si = var_scale(&record->model->vars[record->column_vars[column]]);
            value = scale_is_si(si) ? value : scale_from_si(si, value);
        }
        values[column] = value;
    }
    return sound;
}

static kaiStatus look(const Curve* curve, double t, double* values)
{
    Record* record = curve->record;
    if (curve->arcs && t < curve->end && look_at_arcs(curve, t, values))
    {
        widen(record, values);
        return KAI_OK;
    }
    kaiStatus status = inside_load(record, t, t >= curve->end);
    if (status != KAI_OK)
        return status;
    bool sound = row_load(record, true, values, record->row_present);
    widen(record, values);
    return sound ? KAI_OK : row_check(record, true, values, record->row_present);
}

// What rounding leaves of 0 bends everywhere, and would be halved without end: so a small bend of a signal must show in
// few halvings. States are polynomials: what their tolerance lets be seen is no rounding.
static double nothing_of(const Curve* curve, int column, int depth)
{
    const Record* record = curve->record;
    const kaiModel* model = record->model;
    uint32_t reg = record->column_regs[column];
    double size = 1;
    if (reg - model->reg_first[REG_STATE] >= model->state_count)
        return depth > CURVE_FIRST + CURVE_SURE ? curve->nothing : CURVE_SMALL * curve->nothing;
    for (uint32_t i = 0; i < model->nominals_count; i++)
        size = model->nominals[i].target == reg ? record->kernel->R[model->nominals[i].value] : size;
    Scale si = var_scale(&model->vars[record->column_vars[column]]);
    return fabs(scale_from_si(si, CURVE_SMALL * curve->nothing * size) - scale_from_si(si, 0));
}

// Whether a value at the share u between two rows lies off the line, after some halvings.
static bool is_off(const Curve* curve, const double* a, const double* b, double u, const double* values, int depth)
{
    const Record* record = curve->record;
    for (int i = 0; i < record->column_count; i++)
    {
        if (!record->row_present[i] || record->columns[i].kind != KAI_COLUMN_REAL || record->column_orders[i] > 0)
            continue;
        double off = fabs(values[i] - (a[i] + u * (b[i] - a[i])));
        if (off > curve->share * (record->highs[i] - record->lows[i]) && off > CURVE_ROUNDING * fabs(values[i]) &&
            (off > curve->nothing + CURVE_ROUNDING * fabs(values[i]) ||
             off > nothing_of(curve, i, depth) + CURVE_ROUNDING * fabs(values[i])))
            return true;
    }
    return false;
}

// Whether it bends anywhere else. An S lies on the line in its middle, a parabola never; what swings often in a long
// stretch may lie on it at several places, so the first halves of one are asked at more.
static kaiStatus is_off_beside(const Curve* curve, double from, const double* a, double to, const double* b, int depth,
                               bool* off)
{
    double* values = row_of(curve, 2);
    int places = curve->parts > 1 ? CURVE_FIRST + CURVE_PLACES - depth : depth == CURVE_FIRST ? 2 : 1;
    kaiStatus status = KAI_OK;
    *off = false;
    for (int k = 0; k < (places > 1 ? places : 1) && status == KAI_OK && !*off; k++)
    {
        double u = 0.3 + 0.618034 * k;
        u -= floor(u);
        status = look(curve, from + u * (to - from), values);
        *off = status == KAI_OK && is_off(curve, a, b, u, values, depth);
    }
    return status;
}

// The rows between two ends, without these. `depth` is the number of the work row that the middle may have.
static kaiStatus bend(const Curve* curve, double from, const double* a, double to, const double* b, int depth)
{
    Record* record = curve->record;
    double mid = 0.5 * (from + to), *values = row_of(curve, depth);
    if (depth >= CURVE_ROWS || !(mid > from && mid < to))
        return KAI_OK;
    kaiStatus status = look(curve, mid, values);
    bool off = status == KAI_OK && is_off(curve, a, b, 0.5, values, depth);
    if (status == KAI_OK && !off && !curve->arcs)
        status = is_off_beside(curve, from, a, to, b, depth, &off);
    if (status != KAI_OK || !off)
        return status;
    status = bend(curve, from, a, mid, values, depth + 1);
    if (status == KAI_OK)
        status = row_send(record, (kaiTag){mid, 0, 0}, values, record->row_present);
    return status == KAI_OK ? bend(curve, mid, values, to, b, depth + 1) : status;
}

// A long stretch may swing many times between its ends.
static kaiStatus is_bent(const Curve* curve, double start, double end, int parts, bool* bent)
{
    double length = end - start, *values = row_of(curve, 2);
    kaiStatus status = KAI_OK;
    *bent = false;
    for (int k = 0; k < parts && status == KAI_OK && !*bent; k++)
    {
        double t = inside_place(start, end, (k + 0.37) / parts);
        status = look(curve, t, values);
        *bent = is_off(curve, row_of(curve, 0), row_of(curve, 1), (t - start) / length, values, CURVE_FIRST);
    }
    return status;
}

static kaiStatus draw_parts(const Curve* curve, double start, double end, int parts)
{
    Record* record = curve->record;
    double *from = row_of(curve, 0), *to = row_of(curve, 1), at = start;
    kaiStatus status = KAI_OK;
    for (int k = 1; k <= parts && status == KAI_OK; k++)
    {
        double next = k < parts ? start + (end - start) * k / parts : end;
        if (parts > 1)
            status = look(curve, next, to);
        if (status == KAI_OK)
            status = bend(curve, at, from, next, to, CURVE_FIRST);
        if (status == KAI_OK && k < parts)
            status = row_send(record, (kaiTag){next, 0, 0}, to, record->row_present);
        double* swap = from;
        from = to;
        to = swap;
        at = next;
    }
    return status;
}

// The values at the end of the stretch. The run is about to stop there for a value that is not a number: what came
// before is drawn.
static kaiStatus look_at_end(const Curve* curve, double start, double* end)
{
    Record* record = curve->record;
    double* values = row_of(curve, 1);
    kaiStatus status = inside_load(record, *end, true);
    bool nothing = false;
    if (status != KAI_OK)
        return status;
    row_load(record, true, values, record->row_present);
    for (int i = 0; i < record->column_count; i++)
        nothing |= record->row_present[i] && isnan(values[i]);
    if (nothing)
        return look(curve, *end -= CURVE_END * (*end - start), values);
    widen(record, values);
    return KAI_OK;
}

kaiStatus curve_inside(Record* record, double start, double end)
{
    const kaiSimOptions* options = record->kernel->options;
    double span = isfinite(options->stop) ? options->stop - options->start : INFINITY, length = end - start;
    double share = length >= CURVE_SHORT * span || span == INFINITY ? CURVE_FINE : CURVE_COARSE;
    int parts = span == INFINITY ? 4 : (int)smaller(16, ceil(16 * length / span));
    Curve curve = {record, share, inside_nothing(record), end, false, parts};
    bool bent = true;
    if (record->column_count == 0 || record->kernel->row_flows.count + record->kernel->row_islands.count == 0)
        return KAI_OK;
    kaiStatus status = look(&curve, start, row_of(&curve, 0));
    if (status == KAI_OK)
        status = look_at_end(&curve, start, &end);
    curve.arcs = are_arcs(record);
    if (status == KAI_OK && parts > 1)
        status = is_bent(&curve, start, end, parts, &bent);
    return status == KAI_OK && bent ? draw_parts(&curve, start, end, parts) : status;
}
