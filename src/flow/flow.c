// Making, copying and freeing what moves time; what to say when a solver fails.
#include "flow/guard_path.h"

#include <math.h>
#include <string.h>

// ---- failures
// --------------------------------------------------------------------------------------------------------

// The field where the solver stands, in the registers.
static void run_field(Flow* flow, uint32_t island)
{
    const kaiModel* model = flow->model;
    const Ode* ode = island_ode(flow, island);
    for (uint32_t i = 0; i < model->islands[island].states.count; i++)
        kernel_states(flow->kernel)[island_state(flow, island, i)] = ode_state(ode)[i];
    flow->kernel->R[model->reg_time] = ode_time(ode);
    vm_run(model, flow->kernel->R, model->islands[island].deriv, &flow->kernel->host);
}

// solver = taylor, and the equations have no power series here.
static kaiStatus fail_series(Flow* flow, uint32_t island)
{
    const kaiModel* model = flow->model;
    double t = ode_time(island_ode(flow, island));
    uint32_t obstacle = flow->island_systems[island].obstacle;
    CodeRange code = model->islands[island].deriv;
    char text[100];
    if (obstacle != NO_REG)
        return kernel_fail(flow->kernel, model->reg_places[obstacle],
                           "choose another solver: auto, or rosenbrock for stiff models",
                           "solver = taylor needs power series, and there is none of an external function or a random "
                           "number (t = %.17g)",
                           t);
    run_field(flow, island);
    uint32_t infinite = vm_trace_infinite(model, flow->kernel->R, code);
    if (infinite != NO_REG)
        return kernel_fail(flow->kernel, model->reg_places[infinite],
                           "choose solver = auto, which goes on with another method there, or keep the operand small",
                           "solver = taylor: there is no power series at t = %.17g, where an operator overflows%s", t,
                           vm_say_operator(model, flow->kernel->R, code, infinite, text, sizeof text));
    return kernel_fail(flow->kernel, 0, "choose another solver: auto or rk45, or rosenbrock for stiff models",
                       "solver = taylor: there is no power series at t = %.17g: a root or a power of 0?", t);
}

static kaiStatus fail_nan(Flow* flow, uint32_t island)
{
    const kaiModel* model = flow->model;
    const Ode* ode = island_ode(flow, island);
    CodeRange code = model->islands[island].deriv;
    uint32_t count = model->islands[island].states.count, at = 0;
    run_field(flow, island);
    while (at + 1 < count && isfinite(kernel_slopes(flow->kernel)[island_state(flow, island, at)]))
        at++;
    uint32_t state = island_state(flow, island, at), reg = model->reg_first[REG_DERIV] + state;
    uint32_t culprit = vm_trace_nan(model, flow->kernel->R, code, reg);
    const char* name = model_string(model, model->vars[model->state_vars[state]].name);
    char text[100];
    return kernel_fail(flow->kernel, model->reg_places[culprit],
                       "check the operands there: a division by 0, a root or logarithm of a negative number?",
                       "the derivative of %s is not a number at t = %.17g%s", name, ode_time(ode),
                       vm_say_operator(model, flow->kernel->R, code, culprit, text, sizeof text));
}

kaiStatus flow_ode_failed(Flow* flow, uint32_t island, int status)
{
    const kaiModel* model = flow->model;
    const Ode* ode = island_ode(flow, island);
    if (flow->kernel->failure.status != KAI_OK)
        return flow->kernel->failure.status;
    if (status == ODE_ERR_MEMORY)
    {
        kernel_fail(flow->kernel, 0, NULL, "out of memory at t = %.17g", ode_time(ode));
        flow->kernel->failure.status = KAI_ERR_MEMORY;
        return KAI_ERR_MEMORY;
    }
    if (delay_too_short(flow, island) != KAI_OK)
        return KAI_ERR_RUN;
    if (status == ODE_ERR_NAN)
        return fail_nan(flow, island);
    OdeStats stats = ode_stats(ode);
    const char* name =
        stats.worst >= 0
            ? model_string(model,
                           model->vars[model->state_vars[island_state(flow, island, (uint32_t)stats.worst)]].name)
            : NULL;
    flow->kernel->now.t = ode_time(ode);
    uint32_t first = model->reg_first[REG_DERIV];
    for (uint32_t i = 0; kernel_numeric(flow->kernel) && i < model->state_count; i++)
        if (!isfinite(flow->kernel->R[first + i]))
            return kernel_overflow(flow->kernel, i);
    if (status == ODE_ERR_SERIES)
        return fail_series(flow, island);
    if (status == ODE_ERR_STEP && edge_explain(flow, island) != KAI_OK)
        return KAI_ERR_RUN;
    if (status == ODE_ERR_STEP && strcmp(flow->kernel->options->solver, "taylor") == 0)
        return kernel_fail(
            flow->kernel, 0,
            "choose solver = auto, which goes on with another method where power series do not: at a root "
            "or a power of what comes to 0, or in a stiff model",
            "the step size of solver = taylor became too small at t = %.17g", ode_time(ode));
    if (status == ODE_ERR_STEP)
        return kernel_fail(flow->kernel, 0,
                           "a stiff model wants solver = rosenbrock or cvode_bdf; a pole cannot be passed",
                           "the step size became too small at t = %.17g%s%s", ode_time(ode),
                           name != NULL ? "; the error is largest in " : "", name != NULL ? name : "");
    return kernel_fail(flow->kernel, 0, "try solver = rosenbrock or cvode_bdf, or a smaller step",
                       "the solver could not solve its implicit equations at t = %.17g", ode_time(ode));
}

// ---- making and copying
// ----------------------------------------------------------------------------------------------

enum
{
    FIELD_COUNT = 0 FLOW_STATE(FIELD_ONE) FLOW_ARRAYS(FIELD_ONE) FLOW_LISTS(FIELD_ONE)
};

static void list_fields(Flow* owner, Field* f)
{
    const kaiModel* model = owner->model;
    FLOW_STATE(FIELD_PUT_PLAIN)
    FLOW_ARRAYS(FIELD_PUT_ARRAY)
    FLOW_LISTS(FIELD_PUT_LIST)
}

bool flow_make(Flow* flow, Kernel* kernel, const OdeOptions* options, RootMethod root, const FlowHooks* hooks,
               void* owner)
{
    Field fields[FIELD_COUNT];
    *flow = (Flow){.model = kernel->model, .kernel = kernel, .hooks = hooks, .owner = owner, .root = root};
    flow->trial = kernel->host;
    flow->trial.beyond = &flow->beyond;
    list_fields(flow, fields);
    return fields_make(fields, FIELD_COUNT, kernel->options->allocator) && islands_create(flow, options) == KAI_OK &&
           hidden_create(flow) && guard_paths_create(flow) && feeds_create(flow) &&
           (reaches_create(flow), flow->flies = flight_serves(flow), flow->beats = beat_serves(flow),
            flow->orbits = orbit_serves(flow), flow->strides = stride_serves(flow), true);
}

void flow_free(Flow* flow)
{
    Field fields[FIELD_COUNT];
    if (flow->kernel == NULL)
        return;
    for (uint32_t i = 0; flow->island_odes != NULL && i < flow->model->islands_count; i++)
        ode_destroy(flow->island_odes[i]);
    guard_paths_free(flow);
    feeds_free(flow);
    expansion_free(flow);
    hidden_free(flow);
    list_fields(flow, fields);
    fields_free(fields, FIELD_COUNT, flow->kernel->options->allocator);
}

static size_t padded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

size_t flow_save_size(const Flow* flow)
{
    Field fields[FIELD_COUNT];
    list_fields((Flow*)(uintptr_t)flow, fields);
    size_t size = fields_size(fields, FIELD_COUNT);
    for (uint32_t i = 0; i < flow->model->islands_count; i++)
        size += padded(ode_save_size(flow->island_odes[i]));
    return size;
}

char* flow_save(const Flow* flow, char* block)
{
    Field fields[FIELD_COUNT];
    for (uint32_t i = 0; i < flow->model->islands_count; i++)
        island_ode(flow, i);  // a solver that stood aside takes over
    list_fields((Flow*)(uintptr_t)flow, fields);
    block = fields_save(fields, FIELD_COUNT, block);
    for (uint32_t i = 0; i < flow->model->islands_count; i++)
    {
        ode_save(flow->island_odes[i], block);
        block += padded(ode_save_size(flow->island_odes[i]));
    }
    return block;
}

const char* flow_load(Flow* flow, const char* block, bool* ok)
{
    Field fields[FIELD_COUNT];
    list_fields(flow, fields);
    block = fields_load(fields, FIELD_COUNT, block);
    for (uint32_t i = 0; i < flow->model->islands_count; i++)
    {
        *ok &= ode_load(flow->island_odes[i], block) == ODE_OK;
        block += padded(ode_save_size(flow->island_odes[i]));
    }
    islands_refresh(flow);
    return block;
}
