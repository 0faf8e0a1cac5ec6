// See unit.h: an instance that runs, as the importer's part of a model (Model Exchange) or by itself (Co-Simulation).
#include "fmu/unit_inside.h"

#include "base/tolerance.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void unit_stands(Unit* unit)
{
    unit->rated = unit->looked && unit->rated;
    unit->watched = unit->looked && unit->watched;
    unit->looked = true;
}

bool unit_rates(Unit* unit, double* dx)
{
    if (!unit_ready(unit))
        return false;
    kaiStatus status = kaiEval_Rates(unit->eval, unit->t, unit->x, dx);
    unit_stands(unit);
    if (status == KAI_ERR_USAGE)
        return unit_refuse(unit, "there are no derivatives between the tags of an instant");
    return status == KAI_OK ? true : unit_run_failed(unit);
}

bool unit_indicators(Unit* unit, double* z)
{
    if (!unit_ready(unit))
        return false;
    kaiStatus status = kaiEval_Watch(unit->eval, unit->t, unit->x, z);
    unit_stands(unit);
    if (status == KAI_ERR_USAGE)
        return unit_refuse(unit, "there are no event indicators between the tags of an instant");
    return status == KAI_OK ? true : unit_run_failed(unit);
}

bool unit_set_time(Unit* unit, double t)
{
    if (!isfinite(t))
        return unit_refuse(unit, "%g is no time", t);
    unit->looked = unit->looked && unit->t == t;
    unit->t = t;
    return true;
}

void unit_set_states(Unit* unit, const double* x)
{
    if (unit->states == 0)
        return;
    memcpy(unit->x, x, sizeof *x * (size_t)unit->states);
    unit->looked = false;
}

bool unit_step_done(Unit* unit)
{
    if (!unit_ready(unit))
        return false;
    kaiStatus status = kaiEval_StepDone(unit->eval, unit->t, unit->x);
    unit_stands(unit);
    return status == KAI_OK ? true : unit_run_failed(unit);
}

// ---- instants
// --------------------------------------------------------------------------------------------------------

void unit_clear_events(Unit* unit)
{
    for (int i = 0; i < unit->record_count; i++)
        unit->tallies[unit->record[i]].present = false;
}

// Events that run together are no end of the world for the importer, which only sees ever more of them: they end here.
static bool watch_zeno(Unit* unit)
{
    double gap = unit->t - unit->zeno.time;
    bool near = gap >= 0 && gap <= FMU_ZENO_GAP * fabs(unit->t);
    unit->zeno.count = near ? unit->zeno.count + 1 : 0;
    unit->zeno.time = unit->t;
    if (unit->zeno.count < FMU_ZENO_COUNT || strcmp(unit->options.zeno, "off") == 0)
        return true;
    return unit_fail(unit,
                     "events accumulate at t = %.10g: %d instants followed each other within %.3g s; give the model a "
                     "state in which it rests, or set zeno = off",
                     unit->t, unit->zeno.count, FMU_ZENO_GAP * fabs(unit->t));
}

bool unit_begin_instant(Unit* unit)
{
    if (!watch_zeno(unit) || !unit_keep_before(unit))
        return false;
    unit_note(unit, "an instant at t = %.17g", unit->t);
    kaiStatus status = kaiEval_Begin(unit->eval, unit->t, unit->x);
    if (status == KAI_ERR_USAGE)
        return unit_refuse(unit, "time t = %.17g lies before the last event", unit->t);
    unit->inside = status == KAI_OK;
    return status == KAI_OK ? true : unit_run_failed(unit);
}

bool unit_one_tag(Unit* unit, bool* more)
{
    unit_clear_events(unit);
    if (!unit_post_events(unit))
        return false;
    kaiStatus status = kaiEval_Tag(unit->eval, unit->x, more);
    unit->inside = status == KAI_OK && *more;
    unit->looked = false;
    if (status != KAI_OK)
        return unit_run_failed(unit);
    return !*more || unit_keep_done(unit, -1, 0);
}

// A tag if there is one; what was set or posted meanwhile begins the next round of the same instant.
static bool go_on(Unit* unit, bool* more)
{
    *more = false;
    if (!unit_post_events(unit))
        return false;
    if (!unit->inside && !kaiEval_Pending(unit->eval, unit->t, unit->x))
    {
        unit_clear_events(unit);
        return kaiEval_Rearm(unit->eval, unit->t, unit->x) == KAI_OK || unit_run_failed(unit);
    }
    if (!unit->inside && !unit_begin_instant(unit))
        return false;
    if (!unit_one_tag(unit, more))
        return false;
    *more = *more || kaiEval_Pending(unit->eval, unit->t, unit->x);
    return true;
}

// An event that is a Boolean is discrete: it must be seen to end before event mode is left, or the next one would be no
// change. Clocks end by themselves.
static bool has_event_to_end(const Unit* unit)
{
    bool any = false;
    if (unit->version == 3 && unit->store.sizes.count == 0)
        return false;
    for (int i = 0; i < unit->record_count && !any; i++)
        any = unit->tallies[unit->record[i]].present && unit->model->vars[unit->record[i]].column == KAI_COLUMN_EVENT;
    return any;
}

bool unit_tag(Unit* unit, UnitEvents* events)
{
    size_t size = sizeof(double) * (size_t)unit->states;
    if (!unit_ready(unit))
        return false;
    if (size > 0)
        memcpy(unit->scratch, unit->x, size);
    bool more;
    do
    {
        if (!go_on(unit, &more))
            return false;
    } while (more && unit->store.whole);
    unit->halted = kaiEval_Halted(unit->eval);
    events->more = more || (!unit->store.whole && !unit->halted && has_event_to_end(unit));
    events->states_changed = size > 0 && memcmp(unit->scratch, unit->x, size) != 0;
    events->terminate = unit->halted;
    events->next = kaiEval_Next(unit->eval);
    return true;
}

// ---- Co-Simulation
// ---------------------------------------------------------------------------------------------------

bool unit_is_step(Unit* unit, double from, double length)
{
    double to = from + length, stop = unit->experiment.stop;
    if (!(length >= 0 && isfinite(to) &&
          fabs(from - unit->experiment.last) <= FMU_SAME_TIME * fmax(fabs(from), length)))
        return unit_refuse(unit, "a step from %.17g of length %g does not begin at %.17g, where the last one ended",
                           from, length, unit->experiment.last);
    return !(to - stop > FMU_SAME_TIME * fmax(fabs(stop), 1)) ||
           unit_refuse(unit, "a step to %.17g goes beyond the stop time %.17g that was said at the start", to, stop);
}

bool unit_advance(Unit* unit, double t, bool* instant)
{
    *instant = false;
    unit->looked = false;
    if (!unit_ready(unit) || !unit_give_inputs(unit))
        return false;
    kaiStatus status = kaiSim_StepTo(unit->sim, t);
    if (status < 0)
        return unit_run_failed(unit);
    *instant = status == KAI_INSTANT;
    unit->halted = kaiSim_HaltText(unit->sim) != NULL;
    unit->t = status == KAI_OK && !unit->halted ? t : kaiSim_Now(unit->sim).t;
    return true;
}

bool unit_step(Unit* unit, double t)
{
    bool instant = true;
    unit_clear_events(unit);
    while (instant && !unit->halted)
        if (!unit_advance(unit, t, &instant))
            return false;
    return true;
}

bool unit_settle(Unit* unit, UnitEvents* events)
{
    bool instant = false;
    if (unit->unsettled)
    {
        unit_clear_events(unit);
        if (!unit_advance(unit, unit->t, &instant))
            return false;
    }
    unit->unsettled = instant;
    *events = (UnitEvents){.more = instant, .terminate = unit->halted, .next = INFINITY};
    return true;
}

// ---- derivatives
// -----------------------------------------------------------------------------------------------------

static bool is_state(const FmiVariable* v)
{
    return v->aspect == FMI_VALUE && v->state >= 0;
}

// All knowns are states and all unknowns their rates: the exact Jacobian of the model.
static bool along_states(Unit* unit, const uint32_t* unknowns, size_t unknown_count, const uint32_t* knowns,
                         size_t known_count, const double* seed, double* result, bool* done)
{
    const FmiVariable* list = unit->catalogue.list.at;
    double *v = unit->scratch, *out = unit->scratch + unit->states;
    *done = false;
    for (int i = 0; i < unit->states; i++)
        v[i] = 0;
    for (size_t i = 0; i < known_count; i++)
        if (is_state(&list[knowns[i]]))
            v[list[knowns[i]].state] = seed[i];
        else
            return true;
    for (size_t i = 0; i < unknown_count; i++)
        if (list[unknowns[i]].aspect != FMI_RATE)
            return true;
    kaiStatus status = kaiEval_RatesAlong(unit->eval, unit->t, unit->x, v, out);
    unit->looked = false;
    if (status != KAI_OK)
        return unit_run_failed(unit);
    for (size_t i = 0; i < unknown_count; i++)
        result[i] = out[list[unknowns[i]].state];
    *done = true;
    return true;
}

static bool get_all(Unit* unit, const uint32_t* list, size_t count, double* values)
{
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = unit_get(unit, list[i], &values[i]);
    return ok;
}

static bool move_knowns(Unit* unit, const uint32_t* knowns, size_t count, const double* values, const double* seed,
                        double h)
{
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = unit_set(unit, knowns[i], values[i] + h * seed[i]);
    return ok;
}

// Otherwise: central differences along the seed, with the step at which bending and rounding balance.
static bool along_differences(Unit* unit, const uint32_t* unknowns, size_t unknown_count, const uint32_t* knowns,
                              size_t known_count, const double* seed, double* result)
{
    double size = 0, most = 1;
    double* values = malloc(sizeof *values * (known_count + 2 * unknown_count + 1));
    if (values == NULL)
        return unit_fail(unit, "out of memory");
    double *before = values + known_count, *after = before + unknown_count;
    if (!get_all(unit, knowns, known_count, values))
        return free(values), false;
    for (size_t i = 0; i < known_count; i++)
    {
        size = fmax(size, fabs(seed[i]));
        most = fmax(most, fabs(values[i]));
    }
    double h = size > 0 ? FMU_DIFFERENCE * most / size : 0;
    bool ok = move_knowns(unit, knowns, known_count, values, seed, -h) &&
              get_all(unit, unknowns, unknown_count, before) &&
              move_knowns(unit, knowns, known_count, values, seed, h) && get_all(unit, unknowns, unknown_count, after);
    for (size_t i = 0; i < unknown_count && ok; i++)
        result[i] = h > 0 ? (after[i] - before[i]) / (2 * h) : 0;
    ok = move_knowns(unit, knowns, known_count, values, seed, 0) && ok;
    free(values);
    return ok;
}

bool unit_along(Unit* unit, const uint32_t* unknowns, size_t unknown_count, const uint32_t* knowns, size_t known_count,
                const double* seed, double* result)
{
    bool done;
    for (size_t i = 0; i < unknown_count; i++)
        if (unknowns[i] >= unit->catalogue.list.count)
            return unit_refuse(unit, "there is no variable with value reference %u", unknowns[i]);
    for (size_t i = 0; i < known_count; i++)
        if (knowns[i] >= unit->catalogue.list.count)
            return unit_refuse(unit, "there is no variable with value reference %u", knowns[i]);
    if (!unit_ready(unit) || !along_states(unit, unknowns, unknown_count, knowns, known_count, seed, result, &done))
        return false;
    return done || along_differences(unit, unknowns, unknown_count, knowns, known_count, seed, result);
}
