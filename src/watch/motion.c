// See motion.h. The series of guards are those that crossings are searched with; those of the field are made here.
#include "watch/motion.h"

#include "base/tolerance.h"
#include "flow/guard_path.h"

#include <math.h>
#include <string.h>

// ---- making
// ----------------------------------------------------------------------------------------------------------

static size_t row_length(const Motion* motion)
{
    return motion->flow->model->state_count + 1;
}

static size_t room(const Motion* motion)
{
    return sizeof(double) * row_length(motion) * (MOTION_ORDERS + 4);
}

static const uint32_t* states_of(const kaiModel* model, uint32_t island)
{
    return model->island_states + model->islands[island].states.first;
}

static Series* make_field(Motion* motion, uint32_t island)
{
    const kaiModel* model = motion->flow->model;
    kaiAllocator a = motion->flow->kernel->options->allocator;
    uint32_t n = model->islands[island].states.count;
    size_t bytes = sizeof(uint32_t) * (2 * (size_t)n + 1);
    uint32_t* regs = a.alloc(a.user, NULL, 0, bytes);
    if (regs == NULL)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
    {
        regs[i] = model->reg_first[REG_STATE] + states_of(model, island)[i];
        regs[n + i] = model->reg_first[REG_DERIV] + states_of(model, island)[i];
    }
    SeriesSpec spec = {.range = model->islands[island].deriv,
                       .inputs = regs,
                       .outputs = regs + n,
                       .input_count = n,
                       .output_count = n,
                       .closed = true};
    Series* series = series_create(motion->flow->series_space, &spec);
    a.alloc(a.user, regs, bytes, 0);
    return series;
}

bool motion_make(Motion* motion, Flow* flow)
{
    const kaiModel* model = flow->model;
    kaiAllocator a = flow->kernel->options->allocator;
    *motion = (Motion){.flow = flow};
    if (flow->pieces == NULL)
        return true;
    size_t bytes = sizeof(Series*) * (model->islands_count + 1);
    motion->fields = a.alloc(a.user, NULL, 0, bytes);
    if (motion->fields == NULL)
        return false;
    memset(motion->fields, 0, bytes);
    motion->x = a.alloc(a.user, NULL, 0, room(motion));
    if (motion->x == NULL)
        return false;
    memset(motion->x, 0, room(motion));
    for (uint32_t i = 0; i < model->islands_count; i++)
        if (model->islands[i].states.count > 0 && (motion->fields[i] = make_field(motion, i)) == NULL)
            return false;
    return true;
}

void motion_free(Motion* motion)
{
    if (motion->fields == NULL)
        return;
    const kaiModel* model = motion->flow->model;
    kaiAllocator a = motion->flow->kernel->options->allocator;
    for (uint32_t i = 0; i < model->islands_count; i++)
        series_free(motion->fields[i]);
    a.alloc(a.user, motion->fields, sizeof(Series*) * (model->islands_count + 1), 0);
    if (motion->x != NULL)
        a.alloc(a.user, motion->x, room(motion), 0);
    motion->fields = NULL;
}

// ---- expanding
// -------------------------------------------------------------------------------------------------------

static double* row(const Motion* motion, int order)
{
    return motion->x + (size_t)order * row_length(motion);
}

static bool begin(Motion* motion, Series* series)
{
    Kernel* kernel = motion->flow->kernel;
    uint32_t failed;
    SeriesStatus status = series == NULL ? SERIES_NONE : series_begin(series, kernel->R, &kernel->host, &failed);
    motion->flow->no_memory |= status == SERIES_MEMORY;
    return status == SERIES_OK;
}

// Coefficients of the states of one island, each in the place of its state.
static bool expand_island(Motion* motion, uint32_t island, int orders)
{
    Kernel* kernel = motion->flow->kernel;
    const kaiModel* model = kernel->model;
    const uint32_t *states = states_of(model, island), n = model->islands[island].states.count;
    double *in = row(motion, MOTION_ORDERS + 2), *out = in + n, *orders_of[MOTION_ORDERS + 2];
    if (n == 0)
        return true;
    if (!begin(motion, motion->fields[island]))
        return false;
    for (uint32_t i = 0; i < n; i++)
        row(motion, 1)[states[i]] = kernel_slopes(kernel)[states[i]];
    for (int k = 1; k < orders; k++)
    {
        for (uint32_t i = 0; i < n; i++)
            in[i] = row(motion, k)[states[i]];
        orders_of[k] = in;
        orders_of[k + 1] = out;
        series_run(motion->fields[island], k, k + 1, orders_of);
        for (uint32_t i = 0; i < n; i++)
            row(motion, k + 1)[states[i]] = out[i];
    }
    return true;
}

// Coefficient k of what the guard reads: its states, or all of its islands and then their derivatives (guard_path.c).
static void gather(const Motion* motion, const Guard* guard, int k, double* in)
{
    const kaiModel* model = motion->flow->model;
    uint32_t at = 0, half = 0;
    if (guard->code.end > guard->code.start)
    {
        for (uint32_t i = 0; i < guard->state_count; i++)
            in[i] = row(motion, k)[model->guard_states[guard->first_state + i]];
        return;
    }
    for (uint32_t i = 0; i < guard->islands.count; i++)
        half += model->islands[model->guard_islands[guard->islands.first + i]].states.count;
    for (uint32_t i = 0; i < guard->islands.count; i++)
    {
        uint32_t island = model->guard_islands[guard->islands.first + i];
        for (uint32_t s = 0; s < model->islands[island].states.count; s++, at++)
        {
            in[at] = row(motion, k)[states_of(model, island)[s]];
            in[half + at] = (k + 1) * row(motion, k + 1)[states_of(model, island)[s]];
        }
    }
}

bool motion_expand(Motion* motion, uint32_t guard, int orders, double* c)
{
    const Guard* g = &motion->flow->model->guards[guard];
    if (motion->fields == NULL)
        return false;
    for (uint32_t i = 0; i < g->islands.count; i++)
        if (!expand_island(motion, motion->flow->model->guard_islands[g->islands.first + i], orders + 1))
            return false;
    Series* series = guard_series(motion->flow, guard);
    if (series == NULL || !begin(motion, series))
        return false;
    c[0] = motion->flow->kernel->R[g->g];
    bool known = isfinite(c[0]);
    for (int k = 1; k <= orders && known; k++)
    {
        gather(motion, g, k, row(motion, MOTION_ORDERS + 2));
        series_order(series, k, row(motion, MOTION_ORDERS + 2), &c[k]);
        known = isfinite(c[k]);
    }
    return known;
}

// Code of a guard does nothing where its mode is not active: it gets the modes that it wants, for a moment.
typedef struct Modes
{
    uint32_t regs[16];
    double values[16];
    uint32_t count;
} Modes;

static Modes activate(const Motion* motion, uint32_t ctx)
{
    const kaiModel* model = motion->flow->model;
    double* R = motion->flow->kernel->R;
    Modes modes = {.count = 0};
    for (; ctx != 0 && modes.count < 16; ctx = model->contexts[ctx].parent)
    {
        uint32_t reg = model->machines[model->contexts[ctx].machine].reg;
        modes.regs[modes.count] = reg;
        modes.values[modes.count++] = R[reg];
        R[reg] = model->contexts[ctx].mode;
    }
    return modes;
}

static void restore(const Motion* motion, const Modes* modes)
{
    for (uint32_t i = 0; i < modes->count; i++)
        motion->flow->kernel->R[modes->regs[i]] = modes->values[i];
}

double motion_rate(const Motion* motion, uint32_t guard, const double* field)
{
    Kernel* kernel = motion->flow->kernel;
    const Guard* g = &kernel->model->guards[guard];
    bool own = g->slope_code.end > g->slope_code.start;
    if (field != NULL)
        memcpy(kernel_slopes(kernel), field, sizeof(double) * kernel->model->state_count);
    Modes modes = activate(motion, g->ctx);
    vm_run(kernel->model, kernel->R, own ? g->slope_code : g->look, &kernel->host);
    restore(motion, &modes);
    return kernel->R[g->slope];
}

static double factor_of(const Flow* flow, const Guard* guard, uint32_t state)
{
    double factor = 0;
    for (uint32_t i = guard->first_state; i < guard->first_state + guard->state_count; i++)
        factor += flow->model->guard_states[i] == (int32_t)state ? flow->guard_factors[i] : 0;
    return fabs(factor);
}

double motion_sensitivity(const Motion* motion, uint32_t guard, uint32_t state)
{
    if (motion->flow->guard_affine[guard])
        return factor_of(motion->flow, &motion->flow->model->guards[guard], state);
    Kernel* kernel = motion->flow->kernel;
    const Guard* g = &kernel->model->guards[guard];
    CodeRange code = g->code.end > g->code.start ? g->code : g->look;
    double *x = &kernel_states(kernel)[state], before = *x, kept = kernel->R[g->g];
    double by = DIFFERENCE_PART * larger(fabs(before), DIFFERENCE_LEAST);
    Modes modes = activate(motion, g->ctx);
    vm_run(kernel->model, kernel->R, code, &kernel->host);
    double value = kernel->R[g->g];
    *x = before + by;
    vm_run(kernel->model, kernel->R, code, &kernel->host);
    double moved = kernel->R[g->g] - value;
    restore(motion, &modes);
    *x = before;
    kernel->R[g->g] = kept;
    return isfinite(moved) ? fabs(moved) / by : 0;
}

void motion_noise(Motion* motion, uint32_t guard, int orders, double* noise)
{
    const kaiModel* model = motion->flow->model;
    const Guard* g = &model->guards[guard];
    memset(noise, 0, sizeof *noise * (size_t)(orders + 1));
    for (uint32_t i = 0; i < g->state_count; i++)
    {
        uint32_t state = (uint32_t)model->guard_states[g->first_state + i];
        double weight = CONTACT_ROUNDING * motion_sensitivity(motion, guard, state);
        for (int k = 1; k <= orders; k++)
            noise[k] += weight * fabs(row(motion, k)[state]);
    }
}
