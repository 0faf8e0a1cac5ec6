// See level.h.
#include "kernel/level.h"

#include "base/tolerance.h"

#include <float.h>
#include <math.h>

void level_begin(Levels* l, Kernel* kernel, uint32_t island)
{
    l->kernel = kernel;
    l->island = island;
    l->state_count = l->guard_count = 0;
    l->beyond = kernel->host.beyond;
    kernel->host.beyond = &kernel->beyond;  // one side of a level lies beyond what its relation keeps legal
}

void level_end(Levels* l)
{
    l->kernel->host.beyond = l->beyond;
}

int level_state(const Levels* l, uint32_t state)
{
    for (uint32_t s = 0; s < l->state_count; s++)
        if (l->states[s] == state)
            return (int)s;
    return -1;
}

bool level_has(const Levels* l, uint32_t guard)
{
    for (uint32_t j = 0; j < l->guard_count; j++)
        if (l->guards[j] == guard)
            return true;
    return false;
}

static const int32_t* states_of(const Levels* l, uint32_t guard)
{
    return l->kernel->model->guard_states + l->kernel->model->guards[guard].first_state;
}

bool level_add(Levels* l, uint32_t guard)
{
    uint32_t count = l->kernel->model->guards[guard].state_count, fresh = 0;
    const int32_t* states = states_of(l, guard);
    for (uint32_t i = 0; i < count; i++)
        fresh += level_state(l, (uint32_t)states[i]) < 0;
    if (l->guard_count == LEVEL_GUARDS || l->state_count + fresh > LEVEL_STATES)
        return false;
    l->guards[l->guard_count++] = guard;
    for (uint32_t i = 0; i < count; i++)
        if (level_state(l, (uint32_t)states[i]) < 0)
            l->states[l->state_count++] = (uint32_t)states[i];
    return true;
}

double level_tolerance(Kernel* kernel, uint32_t state)
{
    const kaiModel* model = kernel->model;
    double unit = 1, rtol = kernel->options->rtol, atol = kernel->options->atol;
    for (uint32_t i = 0; i < model->nominals_count; i++)
        if (model->nominals[i].target == model->reg_first[REG_STATE] + state)
            unit = kernel->R[model->nominals[i].value];
    return (atol > 0 ? atol : rtol / 100) * unit + rtol * fabs(kernel_states(kernel)[state]);
}

// ---- looking

void level_look(const Levels* l)
{
    const Island* island = &l->kernel->model->islands[l->island];
    vm_run(l->kernel->model, l->kernel->R, island->deriv, &l->kernel->host);
    vm_run(l->kernel->model, l->kernel->R, island->events, &l->kernel->host);
}

double level_value(const Levels* l, uint32_t guard)
{
    const Guard* g = &l->kernel->model->guards[guard];
    vm_run(l->kernel->model, l->kernel->R, g->code.end > g->code.start ? g->code : g->look, &l->kernel->host);
    return l->kernel->R[g->g];
}

void level_read(const Levels* l, double* g, double* field)
{
    for (uint32_t j = 0; j < l->guard_count; j++)
        g[j] = l->kernel->R[l->kernel->model->guards[l->guards[j]].g];
    for (uint32_t s = 0; s < l->state_count; s++)
        field[s] = kernel_slopes(l->kernel)[l->states[s]];
}

double level_along(const Levels* l, uint32_t j, const double* direction)
{
    double sum = 0;
    for (uint32_t s = 0; s < l->state_count; s++)
        sum += l->slopes[j][s] * direction[s];
    return sum;
}

// From the states alone where the derivative has no value (that of a root of 0).
double level_rate(const Levels* l, uint32_t j)
{
    double g[LEVEL_GUARDS], field[LEVEL_STATES], slope = l->kernel->R[l->kernel->model->guards[l->guards[j]].slope];
    level_read(l, g, field);
    return isfinite(slope) ? slope : level_along(l, j, field);
}

double level_difference(Levels* l)
{
    Kernel* kernel = l->kernel;
    double* time = &kernel->R[kernel->model->reg_time];
    double at, field[LEVEL_STATES], t = *time, step = kernel->options->rtol * (1 + fabs(t));
    level_keep(l);
    level_look(l);
    level_read(l, &at, field);
    for (uint32_t s = 0; s < l->state_count; s++)
        if (field[s] != 0 && isfinite(field[s]))
            step = fmin(step, level_tolerance(kernel, l->states[s]) / fabs(field[s]));
    for (uint32_t s = 0; s < l->state_count; s++)
        *level_at(l, s) += step * field[s];
    *time += step;
    double ahead = level_value(l, l->guards[0]);
    *time = t;
    level_restore(l);
    level_look(l);
    return (ahead - at) / step;
}

// ---- going there

void level_keep(Levels* l)
{
    for (uint32_t s = 0; s < l->state_count; s++)
        l->from[s] = *level_at(l, s);
}

void level_restore(Levels* l)
{
    for (uint32_t s = 0; s < l->state_count; s++)
        *level_at(l, s) = l->from[s];
}

static void swap(double* a, double* b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

// The largest entry left is the next pivot; what is nothing beside the first one is 0.
static bool choose_pivot(const Levels* l, double (*matrix)[LEVEL_STATES], uint32_t from, uint32_t* row,
                         uint32_t* column)
{
    double most = 0;
    for (uint32_t j = from; j < l->guard_count; j++)
        for (uint32_t s = from; s < l->state_count; s++)
            if (fabs(matrix[j][s]) > most)
            {
                most = fabs(matrix[j][s]);
                *row = j;
                *column = s;
            }
    return most > LEVEL_RANK * fabs(matrix[0][0]) && most > 0;
}

void level_solve(const Levels* l, double (*matrix)[LEVEL_STATES], double* g, double* parts)
{
    uint32_t order[LEVEL_STATES], rank = 0, row = 0, column = 0, n = l->state_count, m = l->guard_count;
    for (uint32_t s = 0; s < n; s++)
        order[s] = s;
    for (; rank < n && rank < m && choose_pivot(l, matrix, rank, &row, &column); rank++)
    {
        for (uint32_t s = 0; s < n; s++)
            swap(&matrix[rank][s], &matrix[row][s]);
        for (uint32_t j = 0; j < m; j++)
            swap(&matrix[j][rank], &matrix[j][column]);
        swap(&g[rank], &g[row]);
        uint32_t kept = order[rank];
        order[rank] = order[column];
        order[column] = kept;
        for (uint32_t j = rank + 1; j < m; j++)
        {
            double factor = matrix[j][rank] / matrix[rank][rank];
            for (uint32_t s = rank; s < n && factor != 0; s++)
                matrix[j][s] -= factor * matrix[rank][s];
            g[j] -= factor * g[rank];
        }
    }
    for (uint32_t s = 0; s < n; s++)
        parts[order[s]] = 0;
    for (uint32_t k = rank; k-- > 0;)
    {
        double sum = g[k];
        for (uint32_t s = k + 1; s < rank; s++)
            sum -= matrix[k][s] * parts[order[s]];
        parts[order[k]] = sum / matrix[k][k];
    }
}

// ---- to the last bit

enum
{
    LEVEL_NEWTON = 3,  // steps of Newton's method
    LEVEL_ULPS = 8,    // that a state may be moved by to meet a level
    LEVEL_ROOTS = 64,  // and one that others are measured by
};

static double shifted(double x, int ulps)
{
    for (; ulps > 0; ulps--)
        x = nextafter(x, HUGE_VAL);
    for (; ulps < 0; ulps++)
        x = nextafter(x, -HUGE_VAL);
    return x;
}

// 0, 1, -1, 2, -2 ...
static int turn(int k)
{
    return k % 2 != 0 ? (k + 1) / 2 : -(k / 2);
}

bool level_is_near_enough(const Levels* l)
{
    for (uint32_t j = 0; j < l->guard_count; j++)
    {
        double size = 0;
        for (uint32_t s = 0; s < l->state_count; s++)
            size += fabs(l->slopes[j][s]) * larger(fabs(*level_at(l, s)), fabs(l->from[s]));
        if (!(fabs(l->kernel->R[l->kernel->model->guards[l->guards[j]].g]) <= 2 * DBL_EPSILON * size))
            return false;
    }
    return true;
}

// How many states of a guard are not decided yet, and one of them.
static uint32_t count_free(const Levels* l, uint32_t j, const bool* fixed, uint32_t* one)
{
    const int32_t* states = states_of(l, l->guards[j]);
    uint32_t free = 0;
    for (uint32_t i = 0; i < l->kernel->model->guards[l->guards[j]].state_count; i++)
    {
        uint32_t s = (uint32_t)level_state(l, (uint32_t)states[i]);
        free += !fixed[s];
        *one = fixed[s] ? *one : s;
    }
    return free;
}

static bool meet_by(const Levels* l, uint32_t j, uint32_t s)
{
    double *x = level_at(l, s), from = *x, g = level_value(l, l->guards[j]);
    for (int k = 0; k < LEVEL_NEWTON && g != 0 && isfinite(g / l->slopes[j][s]); k++)
    {
        from = *x -= g / l->slopes[j][s];
        g = level_value(l, l->guards[j]);
    }
    if (fabs(from) < DBL_EPSILON * fabs(l->from[s]))  // Newton's method comes ever closer to 0, and has no ulps there
        from = 0;
    for (int k = 0; k <= 2 * LEVEL_ULPS; k++)
    {
        *x = shifted(from, turn(k));
        if (level_value(l, l->guards[j]) == 0)
            return true;
    }
    *x = from;
    return false;
}

// The guard with the fewest states that are not decided is next: none, and it is met or not; one, and that is moved
// until it is; more, and one of them stays where it is, the first of all where it was shifted to.
static bool meet_from(Levels* l, int shift)
{
    bool fixed[LEVEL_STATES] = {0}, met[LEVEL_GUARDS] = {0}, first = true;
    for (uint32_t left = l->guard_count; left > 0;)
    {
        uint32_t least = LEVEL_STATES + 1, best = 0, state = 0, one = 0;
        for (uint32_t j = 0; j < l->guard_count; j++)
        {
            uint32_t free = met[j] ? LEVEL_STATES + 1 : count_free(l, j, fixed, &one);
            if (free >= least)
                continue;
            least = free;
            best = j;
            state = one;
        }
        if (least > 1)
        {
            *level_at(l, state) = shifted(*level_at(l, state), first ? shift : 0);
            first = false;
        }
        else if (least == 1 ? !meet_by(l, best, state) : level_value(l, l->guards[best]) != 0)
            return false;
        else
        {
            met[best] = true;
            left--;
        }
        fixed[state] = true;
    }
    return true;
}

bool level_meet(Levels* l)
{
    double near[LEVEL_STATES];
    for (uint32_t s = 0; s < l->state_count; s++)
        near[s] = *level_at(l, s);
    for (int k = 0; k <= 2 * LEVEL_ROOTS; k++)
    {
        if (meet_from(l, turn(k)))
            return true;
        for (uint32_t s = 0; s < l->state_count; s++)
            *level_at(l, s) = near[s];
    }
    return false;
}
