// Rest on levels that are reached in finite time (rule C7): h' = -2 sign(h) √|h| is at 0 after √h, and stays. The field
// has an infinite slope there, so a solver passes the level by its error, the field behind it leads back, and so on
// without end. Where a relation has crossed and its guard leads back to the level at once, though the rate vanishes on
// it, the states that it reads are put onto the level: a change below the error of a step. Vessels that level out come
// to rest together: the levels that lie within that error of the states, and share states, are reached at once.
//
// Where the states may go is asked of the field itself: it is looked at beside each of them, and what it changes by are
// the directions. Whatever the model conserves along its flow is conserved by these. The relations then are what they
// are on their levels.
#include "base/tolerance.h"
#include "kernel/guard.h"
#include "kernel/level.h"

enum
{
    REST_TAGS = 40,  // of an instant: levels that share states may disagree by their last bits
    REST_MOVES = 4,  // towards levels that are not affine in the states
    REST_TRIES = 4,  // with fewer levels each time
};

typedef struct Rest
{
    Levels levels;
    double fields[LEVEL_STATES][LEVEL_STATES];  // beside each state, less that where they are
    double rates[LEVEL_GUARDS];                 // how fast the guards move where one of them was
    double sizes[LEVEL_GUARDS];                 // and what that is the sum of
} Rest;

// ---- which levels

static bool may_come_to_rest(const Kernel* kernel, uint32_t index)
{
    const Guard* guard = &kernel->model->guards[index];
    return is_relation(guard) && guard->searched && !guard->time_only && !guard->one_way && guard->islands.count == 1 &&
           guard->state_count > 0 && kernel_ctx_active(kernel, guard->ctx) && guard_is_active(kernel, guard, false);
}

// Within what the solver may be wrong by.
static bool is_near(Levels* l, uint32_t index)
{
    Kernel* kernel = l->kernel;
    const Guard* guard = &kernel->model->guards[index];
    double at = level_value(l, index), off = 0;
    for (uint32_t i = 0; i < guard->state_count; i++)
    {
        uint32_t state = (uint32_t)kernel->model->guard_states[guard->first_state + i];
        double* x = &kernel_states(kernel)[state];
        double from = *x;
        *x = from + level_tolerance(kernel, state);
        off += fabs(level_value(l, index) - at);
        *x = from;
    }
    return fabs(level_value(l, index)) <= off;
}

static bool shares_state(const Levels* l, uint32_t index)
{
    const Guard* guard = &l->kernel->model->guards[index];
    for (uint32_t i = 0; i < guard->state_count; i++)
        if (level_state(l, (uint32_t)l->kernel->model->guard_states[guard->first_state + i]) >= 0)
            return true;
    return false;
}

// The levels that this one shares states with, those that these do, and so on, as far as they are near.
static void gather(Levels* l)
{
    const kaiModel* model = l->kernel->model;
    const IndexRange range = model->islands[l->island].guards;
    for (bool found = true; found;)
    {
        found = false;
        for (uint32_t i = 0; i < range.count; i++)
        {
            uint32_t index = model->island_guards[range.first + i];
            if (!level_has(l, index) && may_come_to_rest(l->kernel, index) && shares_state(l, index) &&
                is_near(l, index))
                found |= level_add(l, index);
        }
    }
}

// ---- where the states may go

// The relations as they would be where the states are now: one that rests on its level already lets nothing flow.
static void look_unlatched(const Levels* l)
{
    Kernel* kernel = l->kernel;
    double latches[LEVEL_GUARDS];
    level_look(l);
    for (uint32_t j = 0; j < l->guard_count; j++)
    {
        const Guard* guard = &kernel->model->guards[l->guards[j]];
        latches[j] = kernel->R[guard->latch];
        if (is_past(kernel, guard, kernel->R[guard->g]))
            kernel->R[guard->latch] = latches[j] == 0;
    }
    level_look(l);
    for (uint32_t j = 0; j < l->guard_count; j++)
        kernel->R[kernel->model->guards[l->guards[j]].latch] = latches[j];
}

static void sample(Rest* r)
{
    Levels* l = &r->levels;
    double here[LEVEL_STATES], g[LEVEL_GUARDS];
    level_look(l);
    level_read(l, g, here);
    for (uint32_t s = 0; s < l->state_count; s++)
    {
        double *x = level_at(l, s), from = *x, step = level_tolerance(l->kernel, l->states[s]), moved[LEVEL_GUARDS];
        *x = from + step;
        look_unlatched(l);
        level_read(l, moved, r->fields[s]);
        *x = from;
        for (uint32_t j = 0; j < l->guard_count; j++)
            l->slopes[j][s] = (moved[j] - g[j]) / step;
        for (uint32_t i = 0; i < l->state_count; i++)
            r->fields[s][i] -= here[i];
    }
    level_look(l);
}

static void move(Rest* r)
{
    Levels* l = &r->levels;
    double matrix[LEVEL_GUARDS][LEVEL_STATES], g[LEVEL_GUARDS], field[LEVEL_STATES], parts[LEVEL_STATES];
    level_read(l, g, field);
    for (uint32_t j = 0; j < l->guard_count; j++)
        for (uint32_t s = 0; s < l->state_count; s++)
            matrix[j][s] = level_along(l, j, r->fields[s]);
    level_solve(l, matrix, g, parts);
    for (uint32_t s = 0; s < l->state_count; s++)
        for (uint32_t i = 0; i < l->state_count; i++)
            *level_at(l, i) -= parts[s] * r->fields[s][i];
    level_look(l);
}

// ---- do they stay

static double size_along(const Levels* l, uint32_t guard, const double* field)
{
    double size = 0;
    for (uint32_t s = 0; s < l->state_count; s++)
        size += fabs(l->slopes[guard][s] * field[s]);
    return size;
}

// How fast the guards move where a state is back at where it was.
static void look_beside(Rest* r)
{
    Levels* l = &r->levels;
    double g[LEVEL_GUARDS], field[LEVEL_STATES];
    for (uint32_t j = 0; j < l->guard_count; j++)
        r->rates[j] = r->sizes[j] = 0;
    for (uint32_t s = 0; s < l->state_count; s++)
    {
        double *x = level_at(l, s), at = *x;
        *x = l->from[s];
        level_look(l);
        level_read(l, g, field);
        *x = at;
        for (uint32_t j = 0; j < l->guard_count; j++)
        {
            r->rates[j] = larger(r->rates[j], fabs(level_rate(l, j)));
            r->sizes[j] = larger(r->sizes[j], size_along(l, j, field));
        }
    }
    level_look(l);
}

// Of a guard that is flat on its level (tanh(x) - x at 0) the rate vanishes though its state does not rest.
static bool is_flat(const Rest* r, uint32_t j)
{
    const Levels* l = &r->levels;
    const Guard* guard = &l->kernel->model->guards[l->guards[j]];
    double g[LEVEL_GUARDS], field[LEVEL_STATES];
    level_read(l, g, field);
    return guard->curved && guard->state_count == 1 && fabs(level_along(l, j, field)) > REST_VANISHES * r->rates[j];
}

// On the level, not beside it: what stands still everywhere but for rounding has not come to rest.
static bool vanishes(const Rest* r, uint32_t j)
{
    bool stops = fabs(level_rate(&r->levels, j)) <= REST_VANISHES * r->rates[j];
    return r->rates[j] > REST_MOVES_BY * r->sizes[j] && stops && !is_flat(r, j);
}

// Leaves out the levels at which the rate does not vanish. True: there are none; all are left out where the first is.
static bool keep_still(Rest* r, uint32_t first)
{
    Levels* l = &r->levels;
    uint32_t kept = 0, count = l->guard_count;
    bool known = true;
    look_beside(r);
    for (uint32_t j = 0; j < count; j++)
    {
        bool fine = vanishes(r, j);
        known &= fine || l->guards[j] != first;
        if (fine)
            l->guards[kept++] = l->guards[j];
    }
    l->guard_count = known ? kept : 0;
    return kept == count;
}

// Puts them there.
static bool settles(Rest* r, uint32_t first)
{
    Levels* l = &r->levels;
    sample(r);
    for (int i = 0; i < REST_MOVES && !level_is_near_enough(l); i++)
        move(r);
    return level_is_near_enough(l) && level_meet(l) && keep_still(r, first);
}

static bool has_moved(const Levels* l)
{
    for (uint32_t s = 0; s < l->state_count; s++)
        if (*level_at(l, s) != l->from[s])
            return true;
    return false;
}

// What the field brings in its later derivatives moves it off the level that it was put onto: x' = exp(-t^2) - 1 - x
// is 0 at x = 0 up to t = 1e-8, by rounding, and x is on its way down.
static bool leaves_again(Levels* l, uint32_t first)
{
    const Kernel* kernel = l->kernel;
    if (kernel->hooks->leads(kernel->owner, first) == 0)
        return false;
    level_restore(l);
    return true;
}

static bool try_levels(Rest* r, uint32_t first)
{
    Levels* l = &r->levels;
    bool rests = false;
    level_keep(l);
    for (int i = 0; i < REST_TRIES && l->guard_count > 0 && !rests; i++)
    {
        uint32_t before = l->guard_count;
        rests = settles(r, first);
        if (!rests)
            level_restore(l);
        if (!rests && l->guard_count == before)
            break;
    }
    return rests && has_moved(l) && !leaves_again(l, first);
}

bool guard_rests(Kernel* kernel, uint32_t index)
{
    const Guard* guard = &kernel->model->guards[index];
    Rest r;
    if (!may_come_to_rest(kernel, index) || kernel->now.m > REST_TAGS || kernel->now.p > REST_TAGS)
        return false;
    level_begin(&r.levels, kernel, kernel->model->guard_islands[guard->islands.first]);
    if (!level_add(&r.levels, index))
        return false;
    gather(&r.levels);
    bool several = r.levels.guard_count > 1, rests = try_levels(&r, index);
    if (!rests && several)
    {
        level_begin(&r.levels, kernel, r.levels.island);
        level_add(&r.levels, index);
        rests = try_levels(&r, index);
    }
    if (rests)
        kernel_disturb_all(kernel);
    else
        level_look(&r.levels);
    level_end(&r.levels);
    return rests;
}

// The rate of a guard where its derivative has no value (that of a root of 0): what the field moves it by.
double guard_rate(Kernel* kernel, uint32_t index)
{
    const Guard* guard = &kernel->model->guards[index];
    Levels l;
    if (guard->islands.count != 1 || guard->state_count == 0)
        return 0;
    level_begin(&l, kernel, kernel->model->guard_islands[guard->islands.first]);
    double rate = level_add(&l, index) ? level_difference(&l) : 0;
    level_end(&l);
    return rate;
}
