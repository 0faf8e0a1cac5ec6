// Trouble that spreads over instants (rule C4), each kind told from what guards do at the instants where they fire:
// (c) Their times accumulate: the intervals shrink by a steady ratio. Three states after such events give the limit.
// (d) Impacts without end: reactions with jumps turn g back again and again within the resolution of time.
// zeno = continue (decision 0013): at the accumulation time the states that the guard reads and those that jumped are
// set to their limits and held there until the free field would move g off the level.
// A guard that fires costs a few comparisons; nothing is copied before its intervals look like a pattern.
#include "watch/zeno_parts.h"

#include "kernel/scene.h"

#include "base/tolerance.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* state_name(const Zeno* zeno, uint32_t state)
{
    return model_string(zeno->model, zeno->model->vars[zeno->model->state_vars[state]].name);
}

const char* zeno_guard_text(const Zeno* zeno, uint32_t guard)
{
    return model_string(zeno->model, zeno->model->guards[guard].text);
}

static bool is_crossing(const Guard* guard)
{
    return guard->kind == GUARD_UP || guard->kind == GUARD_DOWN || guard->kind == GUARD_CROSS;
}

static bool reads_state(const Zeno* zeno, uint32_t guard, uint32_t state)
{
    const Guard* g = &zeno->model->guards[guard];
    for (uint32_t i = 0; i < g->state_count; i++)
        if (zeno->model->guard_states[g->first_state + i] == (int32_t)state)
            return true;
    return false;
}

// ---- making and copying
// ----------------------------------------------------------------------------------------------

enum
{
    FIELD_COUNT = 0 ZENO_STATE(FIELD_ONE) ZENO_ARRAYS(FIELD_ONE)
};

static void list_fields(Zeno* owner, Field* f)
{
    const kaiModel* model = owner->model;
    ZENO_STATE(FIELD_PUT_PLAIN)
    ZENO_ARRAYS(FIELD_PUT_ARRAY)
}

bool zeno_make(Zeno* zeno, Flow* flow, const Sliding* sliding)
{
    Field fields[FIELD_COUNT];
    *zeno = (Zeno){.model = flow->model, .kernel = flow->kernel, .flow = flow, .sliding = sliding};
    zeno->off = strcmp(flow->kernel->options->zeno, "off") == 0;
    list_fields(zeno, fields);
    return fields_make(fields, FIELD_COUNT, flow->kernel->options->allocator);
}

void zeno_free(Zeno* zeno)
{
    Field fields[FIELD_COUNT];
    if (zeno->kernel == NULL)
        return;
    list_fields(zeno, fields);
    fields_free(fields, FIELD_COUNT, zeno->kernel->options->allocator);
}

size_t zeno_save_size(const Zeno* zeno)
{
    Field fields[FIELD_COUNT];
    list_fields((Zeno*)(uintptr_t)zeno, fields);
    return fields_size(fields, FIELD_COUNT);
}

char* zeno_save(const Zeno* zeno, char* block)
{
    Field fields[FIELD_COUNT];
    list_fields((Zeno*)(uintptr_t)zeno, fields);
    return fields_save(fields, FIELD_COUNT, block);
}

const char* zeno_load(Zeno* zeno, const char* block)
{
    Field fields[FIELD_COUNT];
    list_fields(zeno, fields);
    return fields_load(fields, FIELD_COUNT, block);
}

// ---- accumulation
// ----------------------------------------------------------------------------------------------------

static double* past(Zeno* zeno, int event)
{
    return zeno->zeno_past + (size_t)event * zeno->model->state_count;
}

static void remember_all(Zeno* zeno)
{
    size_t size = sizeof(double) * zeno->model->state_count;
    memmove(past(zeno, 0), past(zeno, 1), 2 * size);
    memcpy(past(zeno, 2), kernel_states(zeno->kernel), size);
}

static void remember_island(Zeno* zeno, uint32_t island)
{
    const kaiModel* model = zeno->model;
    const IndexRange states = model->islands[island].states;
    for (uint32_t i = states.first; i < states.first + states.count; i++)
    {
        uint32_t state = model->island_states[i];
        past(zeno, 0)[state] = past(zeno, 1)[state];
        past(zeno, 1)[state] = past(zeno, 2)[state];
        past(zeno, 2)[state] = kernel_states(zeno->kernel)[state];
    }
}

// Of many islands those that an event of the guard can reach: no other state jumps at it.
static void remember_states(Zeno* zeno, uint32_t guard)
{
    const Scene* scene = zeno->model->fused ? NULL : zeno->kernel->scenes[guard];
    if (zeno->tracked != guard + 1)
        zeno->tracked_count = 0;
    zeno->tracked = guard + 1;
    for (uint32_t i = 0; scene != NULL && i < scene->islands; i++)
        remember_island(zeno, scene_islands(scene)[i]);
    if (scene == NULL || scene->none)
        remember_all(zeno);
    zeno->tracked_count++;
}

// Where the value of a state after the events goes (Aitken). What is zero but for the size of
// the last motion becomes zero.
static double limit_of(Zeno* zeno, uint32_t state, double excursion)
{
    double a = past(zeno, 0)[state], b = past(zeno, 1)[state], c = past(zeno, 2)[state];
    double first = b - a, second = c - b, limit = c;
    if (fabs(second) < 0.99999 * fabs(first) && second != 0)
        limit = c + second * (second / first) / (1 - second / first);
    return fabs(limit) <= larger(excursion, 0.01 * fabs(c - limit)) ? 0 : limit;
}

static bool is_held(const Zeno* zeno, uint32_t guard, uint32_t state)
{
    double jump = zeno->kernel->R[zeno->model->reg_first[REG_STATE] + state] - zeno->zeno_left[state];
    return reads_state(zeno, guard, state) || jump != 0;
}

typedef struct Accumulation
{
    uint32_t guard;
    double ratio, limit, excursion;
} Accumulation;

// A state that the guard reads and that would still move at the limit (a floor that rises) cannot be held.
static bool can_hold(Zeno* zeno, const Accumulation* a)
{
    const kaiModel* model = zeno->model;
    double* x = kernel_states(zeno->kernel);
    double small = 0.01 * fabs(zeno->kernel->guards[a->guard].slope);
    memcpy(zeno->x, x, sizeof(double) * model->state_count);
    for (uint32_t i = 0; i < model->state_count; i++)
        if (is_held(zeno, a->guard, i))
            zeno->free_slope[i] = limit_of(zeno, i, a->excursion);
        else
            zeno->free_slope[i] = x[i];
    memcpy(x, zeno->free_slope, sizeof(double) * model->state_count);
    bool still = model->guards[a->guard].state_count > 0 && fabs(hold_free_slope(zeno, a->guard)) <= small;
    for (uint32_t i = 0; i < model->state_count; i++)
        still &= !reads_state(zeno, a->guard, i) || fabs(kernel_slopes(zeno->kernel)[i]) <= small;
    memcpy(x, zeno->x, sizeof(double) * model->state_count);
    return still;
}

static void say_limits(Zeno* zeno, const Accumulation* a, Text* values, Text* mode)
{
    const kaiModel* model = zeno->model;
    for (uint32_t i = 0, count = 0; i < model->state_count && count < 6; i++)
    {
        double jump = kernel_states(zeno->kernel)[i] - zeno->zeno_left[i];
        if (!is_held(zeno, a->guard, i))
            continue;
        const ModelVar* var = &model->vars[model->state_vars[i]];
        double limit = var_shown(var, limit_of(zeno, i, a->excursion));
        const char* unit = var_unit_said(model, var);
        text_say(values, "%s%s %s %.9g%s", count > 0 ? ", " : "", state_name(zeno, i),
                 jump != 0 ? "jumps towards" : "is", limit, unit);
        text_say(mode, "%s%s' = 0 at %s = %.6g%s", count++ > 0 ? " and " : "", state_name(zeno, i), state_name(zeno, i),
                 limit, unit);
    }
}

// Other guards whose events accumulate with these.
static void say_company(const Zeno* zeno, const Accumulation* a, Text* text)
{
    const ZenoGuard* own = &zeno->guards[a->guard];
    for (uint32_t i = 0; i < zeno->model->guards_count; i++)
    {
        const ZenoGuard* other = &zeno->guards[i];
        if (i == a->guard || other->pattern < 3 || fabs(other->last_ratio - a->ratio) > 0.05 * a->ratio ||
            own->last_time - other->last_time > 2 * own->last_interval)
            continue;
        kaiPlace place = model_place(zeno->model, zeno->model->guards[i].place);
        text_say(text, "; with it %s (%s:%d:%d)", zeno_guard_text(zeno, i), place.file != NULL ? place.file : "?",
                 place.line, place.column);
    }
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 1099511628211u;
}

// Modes of machines: an event after which they stand elsewhere does not continue the row of those before it.
static uint64_t modes_hash(const Zeno* zeno)
{
    uint64_t hash = 14695981039346656037u;
    for (uint32_t i = 0; i < zeno->model->machines_count; i++)
        hash = mix(hash, (uint64_t)zeno->kernel->R[zeno->model->machines[i].reg]);
    return hash;
}

// What a reaction would do: to which side of its limit it takes a state, and the values of all that is discrete.
static uint64_t effect_hash(Zeno* zeno, const Accumulation* a, const Reaction* reaction, uint64_t hash)
{
    const kaiModel* model = zeno->model;
    vm_run(model, zeno->kernel->R, reaction->code, &zeno->kernel->host);
    for (uint32_t i = 0; i < reaction->act_count; i++)
    {
        const Act* act = &model->acts[reaction->first_act + i];
        if (act->kind != ACT_ASSIGN)
            continue;
        double value = zeno->kernel->R[act->value];
        uint32_t state = act->target - model->reg_first[REG_STATE];
        if (state < model->state_count)
            value -= limit_of(zeno, state, a->excursion);
        hash = mix(hash, state < model->state_count ? (uint64_t)(1 + (value > 0) - (value < 0)) : (uint64_t)value);
    }
    return hash;
}

// What the event would do if it came with the states at limit + scale (left - limit).
static uint64_t answer_near_limit(Zeno* zeno, const Accumulation* a, double scale)
{
    const kaiModel* model = zeno->model;
    Kernel* kernel = zeno->kernel;
    double* x = kernel_states(kernel);
    uint64_t hash = 0;
    memcpy(zeno->registers, kernel->R, sizeof(double) * model->reg_count);
    for (uint32_t i = 0; i < model->state_count; i++)
    {
        double limit = is_held(zeno, a->guard, i) ? limit_of(zeno, i, a->excursion) : x[i];
        zeno->free_slope[i] = limit + scale * (zeno->zeno_left[i] - limit);
    }
    memcpy(x, zeno->free_slope, sizeof(double) * model->state_count);
    for (uint32_t i = 0; i < model->guards_count; i++)
        kernel->R[model->guards[i].last_g] = NAN;  // relations are taken anew
    if (is_crossing(&model->guards[a->guard]))
        kernel->R[model->guards[a->guard].latch] = 1;
    vm_run(model, kernel->R, model->react, &kernel->host);
    for (uint32_t i = 0; i < model->reactions_count; i++)
        if (kernel_ctx_active(kernel, model->reactions[i].ctx) && kernel->R[model->reactions[i].fire] != 0)
            hash = effect_hash(zeno, a, &model->reactions[i], mix(hash, i + 1));
    memcpy(kernel->R, zeno->registers, sizeof(double) * model->reg_count);
    return hash;
}

// States with a limit that is not 0 cannot be told from it any closer than this.
static double closest_scale(Zeno* zeno, const Accumulation* a)
{
    double scale = ZENO_CLOSEST;
    for (uint32_t i = 0; i < zeno->model->state_count; i++)
    {
        double limit = is_held(zeno, a->guard, i) ? limit_of(zeno, i, a->excursion) : 0;
        if (limit != 0)
            scale = larger(scale,
                           ZENO_TOLD * fabs(limit) / larger(fabs(zeno->zeno_left[i] - limit), ZENO_TOLD * fabs(limit)));
    }
    return scale;
}

// Closer to the limit something else is going to happen (a mode to rest in, below a speed): the events end there.
static bool ends_near_limit(Zeno* zeno, const Accumulation* a)
{
    uint64_t now = answer_near_limit(zeno, a, 1);
    for (double scale = 0.1, least = closest_scale(zeno, a); scale >= least; scale *= 0.1)
        if (answer_near_limit(zeno, a, scale) != now)
            return true;
    return false;
}

// `still`: the states can be held at their limits, so the mode to add is known.
static kaiStatus fail_accumulation(Zeno* zeno, const Accumulation* a, bool still)
{
    Text values = {0}, mode = {0}, company = {0};
    char help[290];
    say_limits(zeno, a, &values, &mode);
    say_company(zeno, a, &company);
    if (still)
        snprintf(help, sizeof help, "add a mode for what comes after it, with %.180s, or set zeno = continue", mode.at);
    else
        snprintf(help, sizeof help,
                 "add a mode for what comes after it, in which %.100s stays on its level; zeno = continue cannot hold "
                 "states that still move there",
                 zeno_guard_text(zeno, a->guard));
    return kernel_fail(zeno->kernel, zeno->model->guards[a->guard].place, help,
                       "Zeno: %s fires ever faster, each interval %.6g of the one before; the events accumulate at t = "
                       "%.15g, where %s%s",
                       zeno_guard_text(zeno, a->guard), a->ratio, a->limit,
                       values.length > 0 ? values.at : "no state jumps", company.at);
}

static kaiStatus start_hold(Zeno* zeno, const Accumulation* a)
{
    Text values = {0}, mode = {0};
    say_limits(zeno, a, &values, &mode);
    kernel_warn(
        zeno->kernel, zeno->model->guards[a->guard].place,
        "Zeno: %s fires ever faster, each interval %.6g of the one before; the run goes on from the accumulation "
        "at t = %.15g and holds %s",
        zeno_guard_text(zeno, a->guard), a->ratio, a->limit, mode.at);
    for (uint32_t i = 0; i < zeno->model->state_count; i++)
        if (is_held(zeno, a->guard, i) && zeno->kernel->hold_by[i] == 0)
        {
            zeno->kernel->hold_by[i] = a->guard + 1;
            zeno->kernel->hold_limit[i] = limit_of(zeno, i, a->excursion);
        }
    const GuardState* state = &zeno->kernel->guards[a->guard];
    ZenoGuard* z = &zeno->guards[a->guard];
    z->holding = true;
    z->hold_due = a->limit;
    z->barrier = state->crossed;
    z->pattern = 0;
    z->rebound = 0;
    zeno->kernel->holds++;
    hold_wait(zeno, smaller(zeno->kernel->hold_next, a->limit));
    zeno->tracked = zeno->tracked_count = 0;
    kernel_disturb_all(zeno->kernel);
    return KAI_OK;
}

// States that still move in the limit go along the surface, which the jumps of this event kept them on.
static bool go_along(Zeno* zeno, const Accumulation* a)
{
    const kaiModel* model = zeno->model;
    const double* x = kernel_states(zeno->kernel);
    island_load(zeno->flow, 0, zeno->kernel->now.t);
    for (uint32_t i = 0; i < model->state_count; i++)
        zeno->x[i] = x[i] - zeno->zeno_left[i];
    if (!surfaces_enter_contact(zeno->sliding->surfaces, a->guard, zeno->x))
        return false;
    kernel_warn(
        zeno->kernel, model->guards[a->guard].place,
        "Zeno: %s fires ever faster, each interval %.6g of the one before; the run goes on from the accumulation "
        "at t = %.15g, along the surface",
        zeno_guard_text(zeno, a->guard), a->ratio, a->limit);
    zeno->guards[a->guard].pattern = 0;
    zeno->guards[a->guard].rebound = 0;
    zeno->tracked = zeno->tracked_count = 0;
    kernel_disturb_all(zeno->kernel);
    return true;
}

// A relation that is turned back comes over its level again after each event: only the one direction counts.
static bool counts(const Zeno* zeno, uint32_t guard)
{
    const GuardState* g = &zeno->kernel->guards[guard];
    const ZenoGuard* z = &zeno->guards[guard];
    return is_crossing(&zeno->model->guards[guard]) || z->barrier == 0 || g->crossed == z->barrier ||
           g->crossed_first == z->barrier;
}

// Blocks of C say where their indicators are 0, and need no band.
static bool has_library(const kaiModel* model)
{
    for (uint32_t i = 0; i < model->blocks_count; i++)
        if (model->blocks[i].library)
            return true;
    return false;
}

// Short enough, as a part of the run so far. A relation that turns nothing back (the top of a bounce) only follows the
// guard that does, and leaves the report to it.
static double short_part(const Zeno* zeno, uint32_t guard)
{
    const GuardState* g = &zeno->kernel->guards[guard];
    const ZenoGuard* z = &zeno->guards[guard];
    bool follows = g->active && z->barrier == 0 && !is_crossing(&zeno->model->guards[guard]);
    if (tunnel_is_foreign(zeno, guard))
        return has_library(zeno->model) ? ZENO_SHORT : ZENO_FOREIGN;
    return follows ? ZENO_FOLLOWS : ZENO_SHORT;
}

// Another guard is being followed, and its events can still accumulate: those that should have by now did not, and a
// guard that fired a few times and never again must not hide the rest.
static bool is_taken(const Zeno* zeno, uint32_t index, double t)
{
    return zeno->tracked != 0 && zeno->tracked != index + 1 && t <= zeno_limit_time(&zeno->guards[zeno->tracked - 1]);
}

// Intervals that shrink like a power of their number, d = C/n^p, have ratios that go to 1 and no pattern of their own;
// but 1/(1 - ratio) grows by 1/p each time. With p > 1 they accumulate, at d n/(p - 1) from here (sin(1/(1 - t)), paper
// 000, Fig. 17).
static kaiStatus watch_power(Zeno* zeno, uint32_t index)
{
    const ZenoGuard* z = &zeno->guards[index];
    double rest = z->last_interval * z->slowness / (1 - z->gain), limit = z->last_time + rest;
    if (z->slowing < ZENO_ROW || z->last_interval > ZENO_SHORT * (limit - zeno->kernel->options->start))
        return KAI_OK;
    return kernel_fail(
        zeno->kernel, zeno->model->guards[index].place,
        "end the run before it, or give it another motion from a time before it on",
        "Zeno: %s fires ever faster, the intervals shrink like 1/n^%.3g; the events accumulate at t = %.9g, "
        "where what swings has no left limit",
        zeno_guard_text(zeno, index), 1 / z->gain, limit);
}

static kaiStatus watch_times(Zeno* zeno, uint32_t index, double t)
{
    const GuardState* g = &zeno->kernel->guards[index];
    ZenoGuard* z = &zeno->guards[index];
    const ZenoTimes times = zeno_times(z, t);
    double interval = times.interval, ratio = times.ratio;
    if (!(interval > 0) || z->holding)
        return KAI_OK;
    zeno_note_times(z, &times, t);
    kaiStatus status = watch_power(zeno, index);
    if (status != KAI_OK)
        return status;
    if (!times.steady && zeno->tracked == index + 1)
        zeno->tracked = 0;
    if (!times.shrinks)
        return KAI_OK;
    double enough = zeno_evidence(ratio), limit = zeno_limit_time(z);
    double enough_time = short_part(zeno, index) * (limit - zeno->kernel->options->start);
    if (z->pattern + 2 < enough || interval * ratio * ratio * ratio > enough_time || is_taken(zeno, index, t))
        return KAI_OK;
    uint64_t modes = modes_hash(zeno);
    if (modes != z->modes)
        zeno->tracked = 0;
    z->modes = modes;
    remember_states(zeno, index);
    if (z->pattern < enough || zeno->tracked_count < 3 || interval > enough_time)
        return KAI_OK;
    Accumulation a = {index, ratio, limit, fabs(g->slope) * interval};
    bool foreign = tunnel_is_foreign(zeno, index), go_on = !foreign && surfaces_wanted(zeno->kernel->options);
    if (!foreign && ends_near_limit(zeno, &a))
        return KAI_OK;
    bool still = !foreign && can_hold(zeno, &a);
    if (go_on && !still && go_along(zeno, &a))
        return islands_restart(zeno->flow);
    return still && go_on ? start_hold(zeno, &a) : fail_accumulation(zeno, &a, still);
}

// ---- impacts without end
// ---------------------------------------------------------------------------------------------

static kaiStatus fail_contact(Zeno* zeno, uint32_t index)
{
    return kernel_fail(
        zeno->kernel, zeno->model->guards[index].place,
        "add a mode for the contact that lasts (bodies that move together, a ball that rests)",
        "sliding at t = %.15g: the reactions to %s turn the solution back and the field brings it to the "
        "surface again, %u times within the resolution of time",
        zeno->kernel->now.t, zeno_guard_text(zeno, index), zeno->guards[index].flips);
}

static kaiStatus watch_flips(Zeno* zeno, uint32_t index, double t, bool turned)
{
    enum
    {
        IMPACTS = 24
    };
    ZenoGuard* z = &zeno->guards[index];
    bool again = z->turned && sliding_at_once(zeno->sliding, z->last_flip, t), jumped = zeno->kernel->now.p > 0;
    z->turned = turned;
    if (!turned)
        return KAI_OK;
    z->flips = again ? z->flips + 1 : 0;
    z->jumps = again ? z->jumps + jumped : jumped;
    z->last_flip = t;
    return z->flips >= IMPACTS && z->jumps > 0 ? fail_contact(zeno, index) : KAI_OK;
}

// ---- instants
// --------------------------------------------------------------------------------------------------------

// What the reactions of this instant will change is kept only while some guard is under suspicion.
void zeno_before(Zeno* zeno, double t)
{
    if (zeno->kernel->hold_next <= t + 4e-16 * fabs(t))
        hold_set_limits(zeno, t);
    bool tracked = false;
    for (uint32_t i = 0; i < zeno->kernel->located_count; i++)
    {
        ZenoGuard* z = &zeno->guards[zeno->kernel->located[i]];
        tracked |= zeno->tracked == zeno->kernel->located[i] + 1;
        z->located_g = zeno->kernel->R[zeno->model->guards[zeno->kernel->located[i]].last_g];
        z->located_at = zeno->kernel->instant_runs;
    }
    if (tracked)  // all states of a large model: not at every instant
        memcpy(zeno->zeno_left, kernel_states(zeno->kernel), sizeof(double) * zeno->model->state_count);
}

void zeno_late(Zeno* zeno)
{
    if (zeno->kernel->left.guard == NO_REG)
        return;
    ZenoGuard* z = &zeno->guards[zeno->kernel->left.guard];
    z->located_g = zeno->kernel->left.g;
    z->located_at = zeno->kernel->instant_runs;
}

static void toggle_relations(Zeno* zeno)
{
    for (uint32_t i = 0; i < zeno->kernel->fired_count; i++)
    {
        const Guard* guard = &zeno->model->guards[zeno->kernel->fired[i]];
        if (guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL)
            zeno->kernel->R[guard->latch] = zeno->kernel->R[guard->latch] == 0;
    }
}

// A relation that leads back to its level with either of its values has not been turned back by what hangs on it: the
// error of a step took it across, as at a kink of a law.
static bool has_strayed(Zeno* zeno, uint32_t index)
{
    Kernel* kernel = zeno->kernel;
    const Guard* guard = &zeno->model->guards[index];
    const GuardState* g = &kernel->guards[index];
    bool relation = guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL;
    if (!relation || kernel->now.p > 0 || guard->islands.count != 1 || !(g->crossed * g->slope < 0))
        return false;
    uint32_t island = zeno->model->guard_islands[guard->islands.first];
    kernel->host.beyond = &kernel->beyond;
    double slope = 0;
    for (int side = 0; side < 2; side++)
    {
        toggle_relations(zeno);
        vm_run(zeno->model, kernel->R, zeno->model->islands[island].deriv, &kernel->host);
        vm_run(zeno->model, kernel->R, guard->look, &kernel->host);
        slope = side == 0 ? kernel->R[guard->slope] : slope;
    }
    kernel->host.beyond = NULL;
    return g->crossed * slope < 0;
}

static kaiStatus watch_fired(Zeno* zeno, uint32_t index, double t)
{
    const GuardState* g = &zeno->kernel->guards[index];
    ZenoGuard* z = &zeno->guards[index];
    if (has_strayed(zeno, index))
        return KAI_OK;
    bool watched = g->active && !tunnel_is_foreign(zeno, index), turned = watched && g->crossed * g->slope < 0;
    kaiStatus status = watched ? watch_flips(zeno, index, t, turned) : KAI_OK;
    bool rests = watched && z->barrier != 0 && z->barrier == g->crossed && !turned;  // nothing brings it back
    if (status == KAI_OK && counts(zeno, index) && !rests)
        status = watch_times(zeno, index, t);
    if (status == KAI_OK && watched)
        status = tunnel_watch(zeno, index, t, turned);
    bool back = turned && tunnel_has_jumped(zeno) && g->crossed * g->g >= 0;
    bool waits = back && !z->holding && !tunnel_is_taken_beyond(zeno, index);
    z->rebound = waits ? (int8_t)-g->crossed : 0;
    z->rebound_time = t;
    z->rebound_slope = g->slope;
    z->rebound_located = g->located;
    z->excursion = fabs(g->g);
    return status;
}

static bool has_searched(const Zeno* zeno)
{
    for (uint32_t i = 0; i < zeno->kernel->fired_count; i++)
        if (!zeno->model->guards[zeno->kernel->fired[i]].time_only)
            return true;
    return false;
}

static kaiStatus watch_instants(Zeno* zeno, double t)
{
    double run = larger(t - zeno->kernel->options->start, ZENO_EARLY);
    bool tiny = t - zeno->last_instant <= larger(INSTANTS_CLOSE * run, TIME_SMALLEST_STEP * fabs(t));
    if (!has_searched(zeno))
        return KAI_OK;  // clocks and timers come as often as they are written
    zeno->last_instant = t;
    zeno->short_instants = tiny ? zeno->short_instants + 1 : 0;
    if (zeno->short_instants < 1000)
        return KAI_OK;
    uint32_t last = zeno->kernel->fired_count > 0 ? zeno->kernel->fired[0] : NO_REG;
    return kernel_fail(zeno->kernel, last != NO_REG ? zeno->model->guards[last].place : 0,
                       "give the regime after it a mode of its own (a ball that rests, a switch that stays)",
                       "Zeno: the last 1000 instants lie closer together than time can resolve, near t = %.17g%s%s", t,
                       last != NO_REG ? "; the last one is " : "", last != NO_REG ? zeno_guard_text(zeno, last) : "");
}

kaiStatus zeno_after(Zeno* zeno)
{
    kaiStatus status = KAI_OK;
    if (zeno->off)
        return KAI_OK;
    for (uint32_t i = 0; i < zeno->kernel->fired_count; i++)
    {
        if (status == KAI_OK)
            status = watch_fired(zeno, zeno->kernel->fired[i], zeno->kernel->now.t);
    }
    return status == KAI_OK ? watch_instants(zeno, zeno->kernel->now.t) : status;
}
