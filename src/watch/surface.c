// See surface.h. With f the free field, columns c_i (the difference between the other field and f, or the direction of
// a contact) and a linear functional r_j for each surface (the derivative of g, or of g' along the motion), the motion
// is f + Σ u_i c_i with r_j = 0 for all j. A mean has u between 0 and 1, a contact can only push: where that ends the
// surface is left, with the configuration whose field leads away.
#include "watch/surface.h"

#include "base/tolerance.h"
#include "kernel/guard.h"

#include <math.h>
#include <string.h>

bool surfaces_wanted(const kaiSimOptions* options)
{
    return strcmp(options->zeno, "continue") == 0 || strcmp(options->zeno, "slide") == 0;
}

static uint32_t memory_count(const kaiModel* model)
{
    return model->reg_first[REG_VALUE] - model->reg_first[REG_MEMORY];
}

static size_t surfaces_room(const kaiModel* model, const kaiSimOptions* options)
{
    return surfaces_wanted(options) ? (size_t)SURFACES_MOST * model->state_count : 0;
}

static size_t memories_room(const kaiModel* model, const kaiSimOptions* options)
{
    return surfaces_wanted(options) ? (size_t)SURFACES_MOST * memory_count(model) : 0;
}

// ---- making and copying
// ----------------------------------------------------------------------------------------------

#define X(...) +1
enum
{
    FIELD_COUNT = (0 SURFACE_STATE(X)) + (0 SURFACE_ARRAYS(X))
};
#undef X

static void list_fields(Surfaces* s, Field fields[FIELD_COUNT])
{
    const kaiModel* model = s->model;
    const kaiSimOptions* options = s->kernel->options;
    Field* f = fields;
#define X(type, name) *f++ = FIELD_PLAIN(s, name);
    SURFACE_STATE(X)
#undef X
#define X(type, name, count, saved) *f++ = FIELD_ARRAY(s, name, (count), (saved));
    SURFACE_ARRAYS(X)
#undef X
}

bool surfaces_make(Surfaces* s, Flow* flow, Motion* motion)
{
    Field fields[FIELD_COUNT];
    *s = (Surfaces){.model = flow->model, .kernel = flow->kernel, .flow = flow, .motion = motion};
    list_fields(s, fields);
    return fields_make(fields, FIELD_COUNT, flow->kernel->options->allocator);
}

void surfaces_free(Surfaces* s)
{
    Field fields[FIELD_COUNT];
    if (s->kernel == NULL)
        return;
    list_fields(s, fields);
    fields_free(fields, FIELD_COUNT, s->kernel->options->allocator);
}

size_t surfaces_save_size(const Surfaces* s)
{
    Field fields[FIELD_COUNT];
    list_fields((Surfaces*)(uintptr_t)s, fields);
    return fields_size(fields, FIELD_COUNT);
}

char* surfaces_save(const Surfaces* s, char* block)
{
    Field fields[FIELD_COUNT];
    list_fields((Surfaces*)(uintptr_t)s, fields);
    return fields_save(fields, FIELD_COUNT, block);
}

const char* surfaces_load(Surfaces* s, const char* block)
{
    Field fields[FIELD_COUNT];
    list_fields(s, fields);
    return fields_load(fields, FIELD_COUNT, block);
}

// ---- fields
// ----------------------------------------------------------------------------------------------------------

static double* memories(const Surfaces* s)
{
    return s->kernel->R + s->model->reg_first[REG_MEMORY];
}

static double* column(const Surfaces* s, uint32_t i)
{
    return s->columns + (size_t)i * s->model->state_count;
}

static const double* jumps_of(const Surfaces* s, uint32_t i)
{
    return s->directions + (size_t)i * s->model->state_count;
}

// Registers in which the two configurations differ get the values of one of them.
static void configure(const Surfaces* s, uint32_t i, bool other)
{
    uint32_t n = memory_count(s->model);
    const double *here = s->here + (size_t)i * n, *there = s->there + (size_t)i * n;
    for (uint32_t k = 0; k < n; k++)
        if (here[k] != there[k])
            memories(s)[k] = other ? there[k] : here[k];
}

static void run_field(const Surfaces* s)
{
    vm_run(s->model, s->kernel->R, s->model->deriv, &s->kernel->host);
}

static double rate(const Surfaces* s, uint32_t guard, const double* field)
{
    return motion_rate(s->motion, guard, field);
}

// g' of the free field, at the states x + by · way.
static double free_rate(Surfaces* s, uint32_t guard, const double* x, const double* way, double by)
{
    double* states = kernel_states(s->kernel);
    for (uint32_t i = 0; i < s->model->state_count; i++)
        states[i] = x[i] + by * way[i];
    run_field(s);
    double result = motion_rate(s->motion, guard, NULL);
    memcpy(states, x, sizeof(double) * s->model->state_count);
    return result;
}

// How g' changes along `way`: it is mostly linear in velocities, so a step that keeps half of the digits is exact.
static double bend_along(Surfaces* s, uint32_t guard, const double* way)
{
    double size = 0, length = 0;
    memcpy(s->x, kernel_states(s->kernel), sizeof(double) * s->model->state_count);
    for (uint32_t i = 0; i < s->model->state_count; i++)
    {
        if (way[i] == 0)
            continue;
        size = fmax(size, fabs(s->x[i]));
        length = fmax(length, fabs(way[i]));
    }
    double by = SURFACE_STEP * fmax(size, DIFFERENCE_LEAST) / length;
    if (length == 0)
        return 0;
    return (free_rate(s, guard, s->x, way, by) - free_rate(s, guard, s->x, way, -by)) / (2 * by);
}

static void make_columns(Surfaces* s)
{
    size_t size = sizeof(double) * s->model->state_count;
    for (uint32_t i = 0; i < s->count; i++)
    {
        if (s->surfaces[i].kind == SURFACE_CONTACT)
        {
            memcpy(column(s, i), jumps_of(s, i), size);
            continue;
        }
        configure(s, i, true);
        run_field(s);
        configure(s, i, false);
        for (uint32_t k = 0; k < s->model->state_count; k++)
            column(s, i)[k] = kernel_slopes(s->kernel)[k] - s->base[k];
    }
}

static void make_row(Surfaces* s, uint32_t j)
{
    uint32_t guard = s->surfaces[j].guard, n = s->model->state_count;
    double c[3];
    if (s->surfaces[j].kind == SURFACE_CONTACT)
    {
        for (uint32_t i = 0; i < s->count; i++)
            s->matrix[j][i] = bend_along(s, guard, column(s, i));
        s->matrix[j][s->count] = motion_expand(s->motion, guard, 2, c) ? -2 * c[2] : NAN;
        return;
    }
    double start = rate(s, guard, s->base);
    for (uint32_t i = 0; i < s->count; i++)
    {
        for (uint32_t k = 0; k < n; k++)
            s->x[k] = s->base[k] + column(s, i)[k];
        s->matrix[j][i] = rate(s, guard, s->x) - start;
    }
    s->matrix[j][s->count] = -start;
}

// Elimination with the largest pivot. False: no unique solution.
static bool solve(Surfaces* s, double* u)
{
    uint32_t n = s->count;
    for (uint32_t k = 0; k < n; k++)
    {
        uint32_t best = k;
        double size = 0;
        for (uint32_t i = k; i < n; i++)
            best = fabs(s->matrix[i][k]) > fabs(s->matrix[best][k]) ? i : best;
        for (uint32_t i = 0; i < n; i++)
            size = fmax(size, fabs(s->matrix[best][i]));
        if (!(fabs(s->matrix[best][k]) > SURFACE_PIVOT * size))
            return false;
        for (uint32_t i = 0; i <= n; i++)
        {
            double t = s->matrix[k][i];
            s->matrix[k][i] = s->matrix[best][i];
            s->matrix[best][i] = t;
        }
        for (uint32_t i = k + 1; i < n; i++)
            for (uint32_t j = n + 1; j-- > k;)
                s->matrix[i][j] -= s->matrix[k][j] * (s->matrix[i][k] / s->matrix[k][k]);
    }
    for (uint32_t k = n; k-- > 0;)
    {
        u[k] = s->matrix[k][n];
        for (uint32_t i = k + 1; i < n; i++)
            u[k] -= s->matrix[k][i] * u[i];
        u[k] /= s->matrix[k][k];
    }
    return true;
}

// The derivatives of the free field are in the registers.
static bool bend(Surfaces* s)
{
    uint32_t n = s->model->state_count;
    double u[SURFACES_MOST];
    memcpy(s->base, kernel_slopes(s->kernel), sizeof(double) * n);
    make_columns(s);
    for (uint32_t j = 0; j < s->count; j++)
        make_row(s, j);
    bool unique = solve(s, u);
    for (uint32_t i = 0; i < s->count; i++)
        s->surfaces[i].share = unique ? u[i] : NAN;
    for (uint32_t i = 0; unique && i < s->count; i++)
        for (uint32_t k = 0; k < n; k++)
            s->base[k] += u[i] * column(s, i)[k];
    run_field(s);
    memcpy(kernel_slopes(s->kernel), s->base, sizeof(double) * n);
    return unique;
}

void surfaces_bend(Surfaces* s)
{
    if (s->count > 0)
        bend(s);
}

// ---- entering
// --------------------------------------------------------------------------------------------------------

static bool is_inside(const Surface* surface)
{
    return surface->kind == SURFACE_CONTACT ? surface->share >= 0 : surface->share >= 0 && surface->share <= 1;
}

// Guards that fired with it, and others that stand on the same surface and stay there, are not searched meanwhile.
static void quiet_guards(Surfaces* s)
{
    for (uint32_t i = 0; i < s->model->guards_count; i++)
    {
        const Guard* guard = &s->model->guards[i];
        GuardState* state = &s->kernel->guards[i];
        double size = 0, fast = 0;
        if (!guard->searched || guard->time_only || state->sliding != 0 || guard->state_count == 0)
            continue;
        for (uint32_t k = 0; k < guard->state_count; k++)
        {
            uint32_t x = (uint32_t)s->model->guard_states[guard->first_state + k];
            size = fmax(size, fabs(kernel_states(s->kernel)[x]));
            fast = fmax(fast, fabs(s->base[x]));
        }
        memcpy(s->x, s->base, sizeof(double) * s->model->state_count);
        double slope = rate(s, i, s->x), g = s->kernel->R[guard->g];
        if (fabs(g) <= SURFACE_ON * fmax(size, SURFACE_ON) && fabs(slope) <= SURFACE_ON * fmax(fast, SURFACE_ON))
            state->sliding = (uint8_t)s->count;
    }
}

static void begin_interval(Surfaces* s, Surface* surface)
{
    surface->interval = NO_REG;
    if (s->interval_count < INTERVALS_MOST)
    {
        surface->interval = s->interval_count;
        s->intervals[s->interval_count] = (SurfaceInterval){surface->guard, s->kernel->now.t, NAN};
    }
    s->interval_count++;
}

static bool enter(Surfaces* s, uint32_t guard, SurfaceKind kind)
{
    Surface* surface = &s->surfaces[s->count++];
    *surface = (Surface){.kind = (uint8_t)kind, .guard = guard};
    run_field(s);
    bool possible = bend(s);
    for (uint32_t i = 0; i < s->count; i++)
        possible &= is_inside(&s->surfaces[i]);
    if (!possible)
    {
        s->count--;
        return false;
    }
    begin_interval(s, surface);
    s->kernel->guards[guard].sliding = (uint8_t)s->count;
    for (uint32_t i = 0; i < s->kernel->fired_count; i++)
        if (s->kernel->guards[s->kernel->fired[i]].sliding == 0 && kind == SURFACE_FIELDS)
            s->kernel->guards[s->kernel->fired[i]].sliding = (uint8_t)s->count;
    quiet_guards(s);
    s->kernel->holds++;
    s->kernel->slides++;
    return true;
}

static bool has_room(const Surfaces* s)
{
    return surfaces_wanted(s->kernel->options) && s->count < SURFACES_MOST;
}

bool surfaces_enter_fields(Surfaces* s, uint32_t guard, const double* there)
{
    uint32_t n = memory_count(s->model);
    if (!has_room(s))
        return false;
    double *here = s->here + (size_t)s->count * n, *other = s->there + (size_t)s->count * n;
    memcpy(here, memories(s), sizeof(double) * n);
    memcpy(other, there, sizeof(double) * n);
    for (uint32_t i = 0; i < s->model->guards_count; i++)  // what guards remember of values is no configuration
    {
        uint32_t last = s->model->guards[i].last_g - s->model->reg_first[REG_MEMORY];
        other[last] = here[last];
    }
    for (uint32_t k = 0; k < n; k++)
        if (isnan(here[k]) || isnan(other[k]))
            other[k] = here[k] = 0;
    return enter(s, guard, SURFACE_FIELDS);
}

// What is left of the motion through the surface is taken by one more jump.
static void stop(Surfaces* s, uint32_t guard, const double* way)
{
    double across = bend_along(s, guard, way);
    run_field(s);
    double speed = motion_rate(s->motion, guard, NULL);
    for (uint32_t i = 0; across != 0 && i < s->model->state_count; i++)
        kernel_states(s->kernel)[i] -= speed / across * way[i];
}

bool surfaces_enter_contact(Surfaces* s, uint32_t guard, const double* way)
{
    uint32_t n = memory_count(s->model);
    if (!has_room(s))
        return false;
    memcpy(s->directions + (size_t)s->count * s->model->state_count, way, sizeof(double) * s->model->state_count);
    memset(s->here + (size_t)s->count * n, 0, sizeof(double) * n);
    memset(s->there + (size_t)s->count * n, 0, sizeof(double) * n);
    stop(s, guard, way);
    return enter(s, guard, SURFACE_CONTACT);
}

// ---- leaving
// ---------------------------------------------------------------------------------------------------------

static int leaves_with(const Surface* surface)
{
    return !(surface->share >= 0) ? -1 : surface->kind == SURFACE_FIELDS && surface->share > 1 ? 1 : 0;
}

// At theta of the step that was taken. The first surface that is left there, or `count`.
static uint32_t left_at(Surfaces* s, double theta)
{
    const Ode* ode = s->flow->island_odes[0];  // surfaces need a model that is solved as a whole
    double start = ode_step_start(ode), length = ode_time(ode) - start;
    island_look(s->flow, 0, start, length, theta, false);
    s->kernel->R[s->model->reg_time] = start + theta * length;
    run_field(s);
    bend(s);
    for (uint32_t i = 0; i < s->count; i++)
        if (leaves_with(&s->surfaces[i]) != 0)
            return i;
    return s->count;
}

static bool search_surfaces(Surfaces* s, double* theta)
{
    enum
    {
        LOOKS = 8  // into a step: a share that leaves its bounds and comes back is not passed over
    };
    double lo = 0, hi = NAN;
    if (s->count == 0)
        return false;
    for (int k = 1; k <= LOOKS && isnan(hi); k++)
    {
        double at = *theta * k / LOOKS;
        if (left_at(s, at) < s->count)
            hi = at;
        else
            lo = at;
    }
    if (isnan(hi))
        return false;
    while (hi - lo > ZENO_LEAVES)
    {
        double mid = 0.5 * (lo + hi);
        *(left_at(s, mid) < s->count ? &hi : &lo) = mid;
    }
    uint32_t i = left_at(s, hi);
    if (i < s->count)
        s->surfaces[i].leaving = (int8_t)leaves_with(&s->surfaces[i]);
    if (hi < *theta)
        s->kernel->located_count = 0;
    *theta = hi;
    return true;
}

// Back onto the surface, along its column, and a hair beyond it on the side to which it is left: neither the error of
// the steps nor rounding must decide on which.
static double project(Surfaces* s, uint32_t i, int with)
{
    uint32_t guard = s->surfaces[i].guard;
    const Guard* g = &s->model->guards[guard];
    if (s->surfaces[i].kind != SURFACE_FIELDS)
        return 0;
    run_field(s);
    memcpy(s->base, kernel_slopes(s->kernel), sizeof(double) * s->model->state_count);
    make_columns(s);
    double start = rate(s, guard, s->base), value = s->kernel->R[g->g];
    for (uint32_t k = 0; k < s->model->state_count; k++)
        s->x[k] = s->base[k] + column(s, i)[k];
    double across = rate(s, guard, s->x) - start, size = 0;
    for (uint32_t k = 0; k < g->state_count; k++)
        size = fmax(size, fabs(kernel_states(s->kernel)[s->model->guard_states[g->first_state + k]]));
    value += with * sign_of(across) * fmax(SURFACE_HAIR * size, TIME_NOTHING);
    for (uint32_t k = 0; across != 0 && k < s->model->state_count; k++)
        kernel_states(s->kernel)[k] -= value / across * column(s, i)[k];
    return across;
}

static void shift(Surfaces* s, uint32_t i)
{
    uint32_t n = memory_count(s->model), last = --s->count;
    for (uint32_t k = 0; k < s->model->guards_count; k++)
    {
        GuardState* state = &s->kernel->guards[k];
        state->sliding = state->sliding == i + 1 ? 0 : state->sliding == last + 1 ? (uint8_t)(i + 1) : state->sliding;
    }
    if (i == last)
        return;
    s->surfaces[i] = s->surfaces[last];
    memcpy(s->directions + (size_t)i * s->model->state_count, s->directions + (size_t)last * s->model->state_count,
           sizeof(double) * s->model->state_count);
    memcpy(s->here + (size_t)i * n, s->here + (size_t)last * n, sizeof(double) * n);
    memcpy(s->there + (size_t)i * n, s->there + (size_t)last * n, sizeof(double) * n);
}

static void end_interval(Surfaces* s, const Surface* surface, double t)
{
    if (surface->interval != NO_REG)
        s->intervals[surface->interval].to = t;
}

static void leave(Surfaces* s, uint32_t i, int with)
{
    double across = with != 0 ? project(s, i, with) : 0;
    surface_left_wait(s, i, with, across);
    if (with > 0)
    {
        configure(s, i, true);
        contexts_refresh(s->kernel);
    }
    end_interval(s, &s->surfaces[i], s->kernel->now.t);
    shift(s, i);
    s->kernel->holds--;
    s->kernel->slides--;
    kernel_disturb_all(s->kernel);
}

// Other reactions may change what is discrete meanwhile. What only went over to the other side of the surface comes
// back; anything else ends the motion on it.
static bool is_reconfigured(const Surfaces* s, uint32_t i)
{
    uint32_t n = memory_count(s->model);
    const double *here = s->here + (size_t)i * n, *there = s->there + (size_t)i * n;
    bool changed = false;
    for (uint32_t k = 0; k < n; k++)
        changed |= here[k] != there[k] && memories(s)[k] != here[k] && memories(s)[k] != there[k];
    if (!changed)
        configure(s, i, false);
    return changed;
}

bool surfaces_search(Surfaces* s, double* theta)
{
    bool away = surface_left_search(s, theta);
    return search_surfaces(s, theta) || away;
}

// The speed with which a jump of states drives a contact off its surface; positive: through it. 0: it does not.
static double struck_with(const Surfaces* s, const Surface* surface)
{
    const Guard* guard = &s->model->guards[surface->guard];
    double fast = 0;
    if (surface->kind != SURFACE_CONTACT || s->kernel->now.p == 0)
        return 0;
    run_field(s);
    double speed = s->kernel->guards[surface->guard].crossed * motion_rate(s->motion, surface->guard, NULL);
    for (uint32_t k = 0; k < guard->state_count; k++)
        fast = fmax(fast, fabs(kernel_slopes(s->kernel)[s->model->guard_states[guard->first_state + k]]));
    return fabs(speed) > SURFACE_STRUCK * fast ? speed : 0;
}

static void check_struck(Surfaces* s)
{
    for (uint32_t i = s->count; i-- > 0;)
    {
        double speed = struck_with(s, &s->surfaces[i]);
        if (speed > 0)
            s->struck = s->surfaces[i].guard + 1;
        if (speed != 0)
            leave(s, i, 0);
    }
}

// What rests on a surface and is struck against it by another body would need the impacts of both in an order that the
// model does not give.
kaiStatus surfaces_status(Surfaces* s)
{
    if (s->struck == 0)
        return KAI_OK;
    const Guard* guard = &s->model->guards[s->struck - 1];
    return kernel_fail(
        s->kernel, guard->place,
        "let one reaction answer all impacts of such an instant, or add a mode for bodies that rest on each "
        "other",
        "contact at t = %.15g: what rests on the level of %s is driven through it by a jump of another "
        "reaction",
        s->kernel->now.t, model_string(s->model, guard->text));
}

void surfaces_check(Surfaces* s)
{
    surface_left_check(s);
    check_struck(s);
    for (uint32_t i = s->count; i-- > 0;)
        if (is_reconfigured(s, i))
            leave(s, i, 0);
    if (s->count == 0)
        return;
    contexts_refresh(s->kernel);
    run_field(s);
    bend(s);
    for (uint32_t i = s->count; i-- > 0;)
    {
        int with = s->surfaces[i].leaving != 0 ? s->surfaces[i].leaving : leaves_with(&s->surfaces[i]);
        if (with != 0)
            leave(s, i, with);
    }
}
