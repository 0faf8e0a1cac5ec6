// See sliding.h. An event without a jump of a state changes what is discrete, and with it the field. Where the field
// before it led onto the level of a guard that fired, and the one after it leads back, the next event follows at once.
// Two such events in a row, the second back to the field before the first, are sliding, whichever guards fire: two
// crossings, one relation, transitions of a machine. Slopes that are rounding of their terms lead nowhere.
#include "watch/sliding.h"

#include "base/tolerance.h"
#include "kernel/guard.h"

#include <math.h>
#include <string.h>

// ---- making and copying
// ----------------------------------------------------------------------------------------------

#define X(...) +1
enum
{
    FIELD_COUNT = (0 SLIDING_STATE(X)) + (0 SLIDING_ARRAYS(X))
};
#undef X

static void list_fields(Sliding* s, Field fields[FIELD_COUNT])
{
    const kaiModel* model = s->model;
    Field* f = fields;
#define X(type, name) *f++ = FIELD_PLAIN(s, name);
    SLIDING_STATE(X)
#undef X
#define X(type, name, count, saved) *f++ = FIELD_ARRAY(s, name, (count), (saved));
    SLIDING_ARRAYS(X)
#undef X
}

bool sliding_make(Sliding* s, Flow* flow, Motion* motion, Surfaces* surfaces)
{
    Field fields[FIELD_COUNT];
    *s = (Sliding){.model = flow->model, .kernel = flow->kernel, .flow = flow, .motion = motion, .surfaces = surfaces};
    s->time = -INFINITY;
    list_fields(s, fields);
    if (!fields_make(fields, FIELD_COUNT, flow->kernel->options->allocator))
        return false;
    for (uint32_t i = 0; i < s->model->islands_count; i++)
        s->times[i] = -INFINITY;
    return true;
}

void sliding_free(Sliding* s)
{
    Field fields[FIELD_COUNT];
    if (s->kernel == NULL)
        return;
    list_fields(s, fields);
    fields_free(fields, FIELD_COUNT, s->kernel->options->allocator);
}

size_t sliding_save_size(const Sliding* s)
{
    Field fields[FIELD_COUNT];
    list_fields((Sliding*)(uintptr_t)s, fields);
    return fields_size(fields, FIELD_COUNT);
}

char* sliding_save(const Sliding* s, char* block)
{
    Field fields[FIELD_COUNT];
    list_fields((Sliding*)(uintptr_t)s, fields);
    return fields_save(fields, FIELD_COUNT, block);
}

const char* sliding_load(Sliding* s, const char* block)
{
    Field fields[FIELD_COUNT];
    list_fields(s, fields);
    return fields_load(fields, FIELD_COUNT, block);
}

// ---- fields
// ----------------------------------------------------------------------------------------------------------

static size_t memories_size(const Sliding* s)
{
    return sizeof(double) * (s->model->reg_first[REG_VALUE] - s->model->reg_first[REG_MEMORY]);
}

// The derivatives where the run stands, along surfaces if it is on any.
static void take_field(Sliding* s, double* field)
{
    for (uint32_t i = 0; i < s->model->islands_count; i++)
        island_load(s->flow, i, s->kernel->now.t);
    vm_run(s->model, s->kernel->R, s->model->deriv, &s->kernel->host);
    if (s->kernel->slides > 0)
        surfaces_bend(s->surfaces);
    memcpy(field, kernel_slopes(s->kernel), sizeof(double) * s->model->state_count);
}

static double rate(const Sliding* s, uint32_t guard, const double* field)
{
    return motion_rate(s->motion, guard, field);
}

// What of the slopes of a guard can be rounding, or is nothing that the states would notice in a second.
static double noise_of(const Sliding* s, uint32_t index)
{
    const Guard* guard = &s->model->guards[index];
    double noise = 0;
    for (uint32_t i = 0; i < guard->state_count; i++)
    {
        uint32_t state = (uint32_t)s->model->guard_states[guard->first_state + i];
        double size = fabs(s->before[state]) + fabs(s->after[state]);
        const Ode* ode = s->flow->island_odes[s->model->state_islands[state]];
        double nothing = ode_tolerance(ode, (int)s->model->state_slots[state]);
        noise += (CONTACT_ROUNDING * size + nothing) * motion_sensitivity(s->motion, index, state);
    }
    return noise;
}

// Whether a relation went there and back in this instant: on its level exactly, the field of the other side leads back
// at once.
static bool has_returned(const Sliding* s, uint32_t index)
{
    const GuardState* g = &s->kernel->guards[index];
    uint8_t kind = s->model->guards[index].kind;
    return (kind == GUARD_LESS || kind == GUARD_LESS_EQUAL) && g->crossed != 0 && g->crossed_first == -g->crossed;
}

// The way in which it came to its level.
static int way_of(const Sliding* s, uint32_t index)
{
    const GuardState* g = &s->kernel->guards[index];
    return has_returned(s, index) ? g->crossed_first : g->crossed;
}

// The field before the instant led through the level, the one after it leads back.
static bool is_pushed_onto(const Sliding* s, uint32_t index)
{
    int way = way_of(s, index);
    if (s->model->guards[index].time_only || way == 0)
        return false;
    double before = way * rate(s, index, s->before), after = way * rate(s, index, s->after), noise = noise_of(s, index);
    return before > noise && after < -noise;
}

// But for what the state would not notice in a second: a speed that is held at 0 is rounding, of either sign.
static bool is_same(const Sliding* s, const double* a, const double* b)
{
    bool same = true;
    for (uint32_t i = 0; i < s->model->state_count; i++)
    {
        const Ode* ode = s->flow->island_odes[s->model->state_islands[i]];
        double size = larger(fabs(a[i]), fabs(b[i])), nothing = ode_tolerance(ode, (int)s->model->state_slots[i]);
        same &= fabs(a[i] - b[i]) <= SLIDING_SAME * size + nothing;
    }
    return same;
}

// ---- the report
// ------------------------------------------------------------------------------------------------------

// By more than what two evaluations at one place differ by.
static bool differ(double a, double b)
{
    return fabs(a - b) > CONTACT_ROUNDING * larger(fabs(a), fabs(b));
}

static void say_field(const Sliding* s, const double* field, const double* other, Text* text)
{
    const kaiModel* model = s->model;
    for (uint32_t i = 0, count = 0; i < model->state_count && count < 6; i++)
        if (differ(field[i], other[i]))
            text_say(text, "%s%s' = %.9g", count++ > 0 ? ", " : "",
                     model_string(model, model->vars[model->state_vars[i]].name), field[i]);
}

static const char* side_name(const Guard* guard, int sign)
{
    if (guard->kind == GUARD_LESS || guard->kind == GUARD_LESS_EQUAL)
        return sign < 0 ? "where it holds" : "where it does not hold";
    return sign < 0 ? "below its level" : "above its level";
}

// The mean of both fields that stays on the surface (Filippov).
static void say_mean(const Sliding* s, uint32_t guard, Text* text)
{
    const kaiModel* model = s->model;
    double a = rate(s, guard, s->before), b = rate(s, guard, s->after), share = b / (b - a);
    for (uint32_t i = 0, count = 0; i < model->state_count && count < 6; i++)
    {
        double value = share * s->before[i] + (1 - share) * s->after[i];
        bool nothing = fabs(value) <= CONTACT_ROUNDING * larger(fabs(s->before[i]), fabs(s->after[i]));
        if (differ(s->before[i], s->after[i]))
            text_say(text, "%s%s' = %.6g", count++ > 0 ? ", " : "",
                     model_string(model, model->vars[model->state_vars[i]].name), nothing ? 0 : value);
    }
}

static kaiStatus fail(Sliding* s, uint32_t index, bool tried)
{
    const Guard* guard = &s->model->guards[index];
    int way = way_of(s, index);
    Text a = {0}, b = {0}, mean = {0};
    say_field(s, s->before, s->after, &a);
    say_field(s, s->after, s->before, &b);
    say_mean(s, index, &mean);
    s->kernel->now.t = s->since;
    return kernel_fail(
        s->kernel, guard->place,
        tried ? "give the motion along the surfaces a mode of its own: it is not unique, or there are too many of them"
              : "give the motion along the surface a mode of its own, switch with hysteresis, or set zeno = continue",
        "sliding at t = %.15g: both vector fields push the solution onto the surface of %s: %s %s, %s "
        "%s; along the surface their mean is %s",
        s->since, model_string(s->model, guard->text), a.at, side_name(guard, -way), b.at, side_name(guard, way),
        mean.at);
}

static kaiStatus go_along(Sliding* s, uint32_t index)
{
    const Guard* guard = &s->model->guards[index];
    Text mean = {0};
    say_mean(s, index, &mean);
    if (!surfaces_enter_fields(s->surfaces, index, s->memories))
        return fail(s, index, true);
    if (!s->told)
        kernel_warn(
            s->kernel, guard->place,
            "sliding at t = %.15g: both vector fields push the solution onto the surface of %s; the run goes on "
            "along it, with %s",
            s->since, model_string(s->model, guard->text), mean.at);
    s->told = true;
    s->flips = 0;
    kernel_disturb_all(s->kernel);
    return islands_restart(s->flow);
}

// ---- instants
// --------------------------------------------------------------------------------------------------------

// What pushes the solution onto a surface are events of the islands that the surface is made of: in a large model
// others follow each other at once all the time.
static void note_time(Sliding* s, double t)
{
    const Kernel* kernel = s->kernel;
    s->time = t;
    if (s->model->islands_count == 1)  // `time` says it all
        return;
    for (uint32_t i = 0; i < kernel->restarted.count; i++)
        s->times[kernel->restarted.at[i]] = t;
    for (uint32_t i = 0; i < kernel->fired_count; i++)
    {
        IndexRange islands = s->model->guards[kernel->fired[i]].islands;
        for (uint32_t k = 0; k < islands.count; k++)
            s->times[s->model->guard_islands[islands.first + k]] = t;
    }
}

// A crossing is left with what rounding made of it, and a field that leads back slowly takes that over its slope: long
// beside the roundings of t, and still no time in which anything happens.
__attribute__((noinline)) static bool returns_from_rounding(const Sliding* s, double from, double to)
{
    Kernel* kernel = s->kernel;
    if (to - from <= INSTANTS_CLOSE * fabs(to))
        return true;
    for (uint32_t i = 0; i < kernel->located_count; i++)
    {
        const Guard* guard = &s->model->guards[kernel->located[i]];
        double terms = 0;
        for (uint32_t k = guard->first_state; k < guard->first_state + guard->state_count; k++)
        {
            uint32_t state = (uint32_t)s->model->guard_states[k];
            terms += motion_sensitivity(s->motion, kernel->located[i], state) * fabs(kernel_states(kernel)[state]);
        }
        if ((to - from) * fabs(kernel->guards[kernel->located[i]].slope) <= SLIDING_ROUNDING * terms)
            return true;
    }
    return false;
}

static inline bool is_at_once(const Sliding* s, double from, double to)
{
    return sliding_at_once(s, from, to) ||
           (to - from <= SLIDING_CLOSE * fabs(to) && returns_from_rounding(s, from, to));
}

__attribute__((noinline)) static bool follows_others(Sliding* s, double t)
{
    const Kernel* kernel = s->kernel;
    bool whole = s->model->islands_count == 1;
    double last = whole ? s->time : -INFINITY;
    s->step = 0;
    for (uint32_t i = 0; i < kernel->located_count; i++)
    {
        IndexRange islands = s->model->guards[kernel->located[i]].islands;
        for (uint32_t k = 0; k < islands.count; k++)
        {
            uint32_t island = s->model->guard_islands[islands.first + k];
            s->step = larger(s->step, island_length(s->flow, island));
            last = larger(last, s->times[island]);
        }
        last = islands.count == 0 ? s->time : last;
    }
    return kernel->located_count > 0 && is_at_once(s, last, t);
}

static inline bool follows_at_once(Sliding* s, double t)
{
    const Kernel* kernel = s->kernel;
    bool alone = s->model->islands_count == 1 && kernel->located_count == 1;
    if (!alone || s->model->guards[kernel->located[0]].islands.count != 1)
        return follows_others(s, t);
    s->step = ode_dense_length(s->flow->island_odes[0]);
    return is_at_once(s, s->time, t);
}

void sliding_before(Sliding* s, double t)
{
    Kernel* kernel = s->kernel;
    s->at_once = follows_at_once(s, t);
    if (!s->at_once)
        return;
    take_field(s, s->before);
    memcpy(s->memories, kernel->R + s->model->reg_first[REG_MEMORY], memories_size(s));
}

bool sliding_is_calm(Sliding* s, double t)
{
    s->at_once = follows_at_once(s, t);
    return !s->at_once;
}

static void begin_anew(Sliding* s, double t)
{
    double start = s->kernel->options->start;
    s->since = t - start <= SLIDING_START * smaller(1, s->kernel->options->stop - start) ? start : t;
    s->flips = 0;
}

void sliding_calm(Sliding* s)
{
    note_time(s, s->kernel->now.t);
    begin_anew(s, s->kernel->now.t);
}

static bool has_searched(const Sliding* s)
{
    for (uint32_t i = 0; i < s->kernel->fired_count; i++)
        if (!s->model->guards[s->kernel->fired[i]].time_only)
            return true;
    return false;
}

static uint32_t find_surface(const Sliding* s)
{
    for (uint32_t i = 0; i < s->kernel->fired_count; i++)
        if (s->kernel->guards[s->kernel->fired[i]].sliding == 0 && is_pushed_onto(s, s->kernel->fired[i]))
            return s->kernel->fired[i];
    return NO_REG;
}

// The field on the other side of a relation that went there and back is the one from which the flip before this came,
// with all that hangs on the relation: another relation, a sign.
static bool returns_to_first(Sliding* s, uint32_t index)
{
    if (s->flips == 0)
        return false;
    memcpy(s->after, s->first, sizeof(double) * s->model->state_count);
    if (!is_pushed_onto(s, index))
        return false;
    memcpy(s->memories, s->first_memories, memories_size(s));
    return true;
}

// Where there was no flip before, the field with the relation the other way.
static bool returns_at_first(Sliding* s, uint32_t index)
{
    Kernel* kernel = s->kernel;
    double *latch = &kernel->R[s->model->guards[index].latch], *memories = kernel->R + s->model->reg_first[REG_MEMORY];
    memcpy(s->first_memories, memories, memories_size(s));
    *latch = *latch == 0;
    guard_settle(kernel);
    take_field(s, s->after);
    bool pushed = is_pushed_onto(s, index);
    if (pushed)  // the side that it came back from, for whoever goes on along the surface
        memcpy(s->memories, memories, memories_size(s));
    memcpy(memories, s->first_memories, memories_size(s));
    vm_run(s->model, kernel->R, s->model->deriv, &kernel->host);  // as it was
    vm_run(s->model, kernel->R, s->model->events, &kernel->host);
    return pushed;
}

// One that went there and back: what it met on the other side is the field after, and the one before is again.
static uint32_t find_return(Sliding* s, bool* known)
{
    for (uint32_t i = 0; i < s->kernel->fired_count; i++)
    {
        uint32_t index = s->kernel->fired[i];
        if (s->kernel->guards[index].sliding != 0 || !has_returned(s, index))
            continue;
        *known = returns_to_first(s, index);
        if (*known || returns_at_first(s, index))
            return index;
    }
    return NO_REG;
}

kaiStatus sliding_after(Sliding* s)
{
    if (!has_searched(s))
        return KAI_OK;
    bool at_once = s->at_once && s->kernel->now.p == 0;
    double t = s->kernel->now.t;
    note_time(s, t);
    if (!at_once)
    {
        begin_anew(s, t);
        return KAI_OK;
    }
    take_field(s, s->after);
    uint32_t guard = find_surface(s);
    bool returned = guard == NO_REG && is_same(s, s->before, s->after);
    bool known = false;
    guard = returned ? find_return(s, &known) : guard;
    if (guard == NO_REG)
    {
        s->flips = 0;
        return KAI_OK;
    }
    if (known || (s->flips > 0 && is_same(s, returned ? s->before : s->after, s->first)))
        return surfaces_wanted(s->kernel->options) ? go_along(s, guard) : fail(s, guard, false);
    memcpy(s->first, s->before, sizeof(double) * s->model->state_count);
    memcpy(s->first_memories, s->memories, memories_size(s));
    s->flips++;
    return KAI_OK;
}
