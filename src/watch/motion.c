// See motion.h. Nothing is made before somebody asks: most runs never do.
#include "watch/motion.h"

#include "base/tolerance.h"

#include <math.h>
#include <string.h>

static size_t room(const Motion* motion)
{
    return sizeof(double) * (motion->flow->model->state_count + 1) * (MOTION_ORDERS + 4);
}

bool motion_make(Motion* motion, Flow* flow)
{
    *motion = (Motion){.flow = flow};
    return true;
}

void motion_free(Motion* motion)
{
    if (motion->space == NULL)
        return;
    const kaiModel* model = motion->flow->model;
    kaiAllocator a = motion->flow->kernel->options->allocator;
    for (uint32_t i = 0; motion->fields != NULL && i < model->islands_count; i++)
        series_free(motion->fields[i]);
    for (uint32_t i = 0; motion->guards != NULL && i < model->guards_count; i++)
        series_free(motion->guards[i]);
    if (motion->fields != NULL)
        a.alloc(a.user, motion->fields, sizeof(Series*) * (model->islands_count + 1), 0);
    if (motion->guards != NULL)
        a.alloc(a.user, motion->guards, sizeof(Series*) * (model->guards_count + 1), 0);
    if (motion->x != NULL)
        a.alloc(a.user, motion->x, room(motion), 0);
    if (motion->listed != NULL)
        a.alloc(a.user, motion->listed, sizeof(uint32_t) * (model->state_count + 1), 0);
    series_space_free(motion->space);
    motion->space = NULL;
}

// ---- making
// ----------------------------------------------------------------------------------------------------------

static void* make_room(kaiAllocator a, size_t bytes)
{
    void* at = a.alloc(a.user, NULL, 0, bytes);
    if (at != NULL)
        memset(at, 0, bytes);
    return at;
}

static bool begin(Motion* motion)
{
    const kaiModel* model = motion->flow->model;
    kaiAllocator a = motion->flow->kernel->options->allocator;
    if (motion->space == NULL)
    {
        motion->space = series_space_create(model, a);
        if (motion->space == NULL)
            return false;
        motion->fields = make_room(a, sizeof(Series*) * (model->islands_count + 1));
        motion->guards = make_room(a, sizeof(Series*) * (model->guards_count + 1));
        motion->x = make_room(a, room(motion));
        motion->listed = make_room(a, sizeof(uint32_t) * (model->state_count + 1));
    }
    return motion->fields != NULL && motion->guards != NULL && motion->x != NULL && motion->listed != NULL;
}

static const uint32_t* states_of(const kaiModel* model, uint32_t island)
{
    return model->island_states + model->islands[island].states.first;
}

// States of the islands in the order in which they are gathered, and their derivatives behind them.
static uint32_t list_inputs(const kaiModel* model, const uint32_t* islands, uint32_t count, uint32_t* regs)
{
    uint32_t total = 0, at = 0;
    for (uint32_t i = 0; i < count; i++)
        total += model->islands[islands[i]].states.count;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < model->islands[islands[i]].states.count; k++, at++)
        {
            regs[at] = model->reg_first[REG_STATE] + states_of(model, islands[i])[k];
            regs[total + at] = model->reg_first[REG_DERIV] + states_of(model, islands[i])[k];
        }
    return total;
}

static Series* make_series(Motion* motion, const uint32_t* islands, uint32_t count, const Guard* guard)
{
    const kaiModel* model = motion->flow->model;
    kaiAllocator a = motion->flow->kernel->options->allocator;
    size_t bytes = sizeof(uint32_t) * (2 * (size_t)model->state_count + 1);
    uint32_t* regs = a.alloc(a.user, NULL, 0, bytes);
    if (regs == NULL)
        return NULL;
    uint32_t n = list_inputs(model, islands, count, regs);
    SeriesSpec spec = {.inputs = regs, .input_count = n, .outputs = regs + n, .output_count = n, .closed = true};
    if (guard != NULL)
    {
        spec = (SeriesSpec){.inputs = regs, .input_count = 2 * n, .outputs = &guard->g, .output_count = 1};
        spec.range = guard->code.end > guard->code.start ? guard->code : guard->look;
    }
    else
        spec.range = model->islands[islands[0]].deriv;
    Series* series = series_create(motion->space, &spec);
    a.alloc(a.user, regs, bytes, 0);
    return series;
}

// ---- expanding
// -------------------------------------------------------------------------------------------------------

static double* row(const Motion* motion, int order)
{
    return motion->x + (size_t)order * (motion->flow->model->state_count + 1);
}

// Coefficients of the states of one island, from place `at` of the rows on.
static bool expand_island(Motion* motion, uint32_t island, uint32_t at, int orders)
{
    Kernel* kernel = motion->flow->kernel;
    const kaiModel* model = kernel->model;
    uint32_t n = model->islands[island].states.count, failed;
    if (n == 0)
        return true;
    if (motion->fields[island] == NULL)
        motion->fields[island] = make_series(motion, &island, 1, NULL);
    Series* series = motion->fields[island];
    if (series == NULL || series_begin(series, kernel->R, &kernel->host, &failed) != SERIES_OK)
        return false;
    for (uint32_t i = 0; i < n; i++)
    {
        motion->listed[at + i] = states_of(model, island)[i];
        row(motion, 1)[at + i] = kernel_slopes(kernel)[states_of(model, island)[i]];
    }
    for (int k = 1; k < orders; k++)
    {
        series_order(series, k, row(motion, k) + at, row(motion, k + 1) + at);
        for (uint32_t i = 0; i < n; i++)
            row(motion, k + 1)[at + i] /= k + 1;
    }
    return true;
}

// The guard reads states and derivatives: both rows of order k, one behind the other.
static bool expand_guard(Motion* motion, uint32_t index, uint32_t n, int orders, double* c)
{
    Kernel* kernel = motion->flow->kernel;
    const Guard* guard = &kernel->model->guards[index];
    double* inputs = row(motion, MOTION_ORDERS + 2);
    uint32_t failed;
    if (motion->guards[index] == NULL)
        motion->guards[index] =
            make_series(motion, kernel->model->guard_islands + guard->islands.first, guard->islands.count, guard);
    Series* series = motion->guards[index];
    if (series == NULL || series_begin(series, kernel->R, &kernel->host, &failed) != SERIES_OK)
        return false;
    c[0] = kernel->R[guard->g];
    for (int k = 1; k <= orders; k++)
    {
        for (uint32_t i = 0; i < n; i++)
        {
            inputs[i] = row(motion, k)[i];
            inputs[n + i] = (k + 1) * row(motion, k + 1)[i];
        }
        series_order(series, k, inputs, &c[k]);
        if (!isfinite(c[k]))
            return false;
    }
    return isfinite(c[0]);
}

bool motion_expand(Motion* motion, uint32_t guard, int orders, double* c)
{
    const kaiModel* model = motion->flow->model;
    const Guard* g = &model->guards[guard];
    uint32_t at = 0;
    if (!begin(motion))
        return false;
    for (uint32_t i = 0; i < g->islands.count; i++)
    {
        uint32_t island = model->guard_islands[g->islands.first + i];
        if (!expand_island(motion, island, at, orders + 1))
            return false;
        at += model->islands[island].states.count;
    }
    return expand_guard(motion, guard, at, orders, c);
}

// By how much the guard moves with one of its states.
static double sensitivity(const Motion* motion, const Guard* guard, uint32_t state)
{
    Kernel* kernel = motion->flow->kernel;
    CodeRange code = guard->code.end > guard->code.start ? guard->code : guard->look;
    double *x = &kernel_states(kernel)[state], before = *x, g = kernel->R[guard->g];
    double by = DIFFERENCE_PART * fmax(fabs(before), 1e-3);
    *x = before + by;
    vm_run(kernel->model, kernel->R, code, &kernel->host);
    double moved = kernel->R[guard->g] - g;
    *x = before;
    kernel->R[guard->g] = g;
    return isfinite(moved) ? fabs(moved) / by : 0;
}

void motion_noise(Motion* motion, uint32_t guard, int orders, double* noise)
{
    const kaiModel* model = motion->flow->model;
    const Guard* g = &model->guards[guard];
    memset(noise, 0, sizeof *noise * (size_t)(orders + 1));
    for (uint32_t i = 0; i < g->state_count; i++)
    {
        uint32_t state = (uint32_t)model->guard_states[g->first_state + i], at = 0;
        double weight = CONTACT_ROUNDING * sensitivity(motion, g, state);
        while (at < model->state_count && motion->listed[at] != state)
            at++;
        for (int k = 1; at < model->state_count && k <= orders; k++)
            noise[k] += weight * fabs(row(motion, k)[at]);
    }
}
