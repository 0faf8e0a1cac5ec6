// The solver taylor asks for power series of the states of an island. vm/series makes them from the code of the
// derivatives.
#include "flow/flow.h"
#include "model/code.h"

#include <math.h>

// Order 0 with registers that hold states and time.
static int begin(IslandSystem* own, CodeRange code, double t)
{
    Kernel* kernel = own->flow->kernel;
    uint32_t failed;
    kernel->unread = false;
    kernel->series_until = INFINITY;
    switch (series_begin(own->series, kernel->R, &kernel->host, &failed))
    {
    case SERIES_OK: return 0;
    case SERIES_NONE:
        if (kernel->unread)
            return 1;  // a shorter step reads what is known
        own->obstacle = failed;
        return ODE_NO_SERIES;
    case SERIES_LOOP:
        kernel->now.t = t;
        kernel_run(kernel, code);
        return -1;
    default:
        kernel_fail(kernel, 0, NULL, "out of memory at t = %.17g", t);
        kernel->failure.status = KAI_ERR_MEMORY;
        return -1;
    }
}

// States that zeno = continue holds do not move.
static void hold(const IslandSystem* own, double* x)
{
    const Kernel* kernel = own->flow->kernel;
    const IndexRange states = kernel->model->islands[own->island].states;
    for (uint32_t i = 0; i < states.count; i++)
        if (kernel->hold_by[kernel->model->island_states[states.first + i]] != 0)
            x[i] = 0;
}

static int begin_island(IslandSystem* own, double t, double* const* x)
{
    Kernel* kernel = own->flow->kernel;
    const Island* island = &kernel->model->islands[own->island];
    const uint32_t* states = kernel->model->island_states + island->states.first;
    kernel->R[kernel->model->reg_time] = t;
    own->flow->islands[own->island].loaded = NAN;
    if (kernel->slides > 0)
    {
        kernel_fail(kernel, 0, "choose another solver: rk45, or rosenbrock for stiff models",
                    "solver = taylor needs power series, and there is none of the motion along a surface (t = %.17g)",
                    t);
        return ODE_NO_SERIES;
    }
    for (uint32_t i = 0; i < island->states.count; i++)
        kernel_states(kernel)[states[i]] = x[0][i];
    int status = begin(own, island->deriv, t);
    own->until = kernel->series_until;
    for (uint32_t i = 0; status == 0 && i < island->states.count; i++)
        x[1][i] = kernel_slopes(kernel)[states[i]];
    if (status == 0 && kernel->holds > 0)
        hold(own, x[1]);
    return status;
}

static int run_held(IslandSystem* own, int from, int to, double* const* x)
{
    for (int k = from; k < to; k++)
    {
        series_run(own->series, k, k + 1, x);
        hold(own, x[k + 1]);
    }
    return 0;
}

// Order 0 at the end of a step is that of the next one. But a delayed signal of which the step itself is the next piece
// ended there when it was read: it is read again now that the piece is known.
static bool has_run_out(const IslandSystem* own, double t)
{
    return own->until <= t + kernel_slack(own->flow->kernel, t);
}

static int island_series(void* ctx, double t, int from, int to, double* const* x)
{
    IslandSystem* own = ctx;
    int status = from == 0 || (from == 1 && has_run_out(own, t)) ? begin_island(own, t, x) : 0,
        first = from > 0 ? from : 1;
    if (status != 0)
        return status;
    if (own->flow->kernel->holds > 0)
        return run_held(own, first, to, x);
    series_run(own->series, first, to, x);
    return 0;
}

static int island_degree(void* ctx)
{
    int degree = series_degree(((IslandSystem*)ctx)->series);
    return degree == SERIES_WHOLE ? ODE_WHOLE : degree;
}

static int* island_orders(void* ctx)
{
    return series_orders(((IslandSystem*)ctx)->series);
}

// What is held, or slides, does not move as its series says.
static int island_inputs(void* ctx, int room, double* inputs, uint64_t* key)
{
    const IslandSystem* own = ctx;
    const Kernel* kernel = own->flow->kernel;
    return kernel->holds + kernel->slides > 0 ? -1 : series_inputs(own->series, room, inputs, key);
}

static void island_try(void* ctx, const double* inputs, int to, double* const* x)
{
    series_try(((IslandSystem*)ctx)->series, inputs, to, x);
}

static double island_rest(void* ctx, int order, double h, const double* weights)
{
    return series_rest(((IslandSystem*)ctx)->series, order, h, weights);
}

static const FewField* island_few(void* ctx)
{
    const IslandSystem* own = ctx;
    const Kernel* kernel = own->flow->kernel;
    return kernel->holds + kernel->slides > 0 ? NULL : series_few(own->series);
}

static Series* make(Flow* flow, uint32_t index)
{
    const kaiModel* model = flow->model;
    const Island* island = &model->islands[index];
    const uint32_t *states = model->island_states + island->states.first, count = island->states.count;
    kaiAllocator a = flow->kernel->options->allocator;
    size_t bytes = sizeof(uint32_t) * (2 * (size_t)count + 1);
    uint32_t* registers = a.alloc(a.user, NULL, 0, bytes);
    if (registers == NULL)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
    {
        registers[i] = model->reg_first[REG_STATE] + states[i];
        registers[count + i] = model->reg_first[REG_DERIV] + states[i];
    }
    SeriesSpec spec = {.range = island->deriv,
                       .inputs = registers,
                       .outputs = registers + count,
                       .input_count = count,
                       .output_count = count,
                       .closed = true};
    Series* series = series_create(flow->series_space, &spec);
    a.alloc(a.user, registers, bytes, 0);
    return series;
}

static bool has_none(uint8_t op)
{
    return op == VM_CALL || op == VM_RANDOM;
}

bool expansion_exists(const Flow* flow, uint32_t island)
{
    const kaiModel* model = flow->model;
    const CodeRange range = model->islands[island].deriv;
    CodeItem item;
    for (uint32_t at = range.start; at < range.end && code_item(model->code, at, range.end, &item); at += item.words)
        if (has_none((uint8_t)item.op))
            return false;
    return true;
}

kaiStatus expansion_create(Flow* flow, IslandSystem* own)
{
    if (flow->series_space == NULL)
        flow->series_space = series_space_create(flow->model, flow->kernel->options->allocator);
    if (flow->series_space == NULL || (own->series = make(flow, own->island)) == NULL)
        return KAI_ERR_MEMORY;
    own->system.series = island_series;
    own->system.degree = island_degree;
    own->system.orders = island_orders;
    own->system.inputs = island_inputs;
    own->system.try_inputs = island_try;
    own->system.few = island_few;
    own->system.rest = island_rest;
    return KAI_OK;
}

void expansion_free(Flow* flow)
{
    for (uint32_t i = 0; i < flow->model->islands_count && flow->island_systems != NULL; i++)
        series_free(flow->island_systems[i].series);
    series_space_free(flow->series_space);
}
