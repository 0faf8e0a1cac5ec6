// The solver taylor asks for power series: of all states, or of those of an island. vm/series makes them from the code
// of the derivatives.
#include "kernel/sim.h"

#include <math.h>
#include <string.h>

static kaiStatus fail_series(kaiSim* sim, uint32_t reg)
{
    return sim_fail(sim, sim->model->reg_places[reg], "choose another solver: rk45, or rosenbrock for stiff models",
                    "solver = taylor needs power series, and there is none of an external function, a random number or "
                    "a delayed signal (t = %.17g)",
                    sim->R[sim->model->reg_time]);
}

// Order 0 with registers that hold states and time.
static int begin(kaiSim* sim, Series* series, CodeRange code, double t)
{
    uint32_t failed;
    switch (series_begin(series, sim->R, &sim->host, &failed))
    {
    case SERIES_OK: return 0;
    case SERIES_NONE: fail_series(sim, failed); return ODE_NO_SERIES;
    case SERIES_LOOP:
        sim->now.t = t;
        sim_run_code(sim, code);
        return -1;
    default: return -1;
    }
}

static void divide(double* x, uint32_t count, int by)
{
    for (uint32_t i = 0; i < count; i++)
        x[i] /= by;
}

static int whole_series(void* ctx, double t, int from, int to, double* const* x)
{
    kaiSim* sim = ctx;
    const kaiModel* model = sim->model;
    for (int k = from; k < to; k++)
    {
        if (k == 0)
        {
            sim->R[model->reg_time] = t;
            memcpy(sim_states(sim), x[0], sizeof(double) * model->state_count);
            int status = begin(sim, sim->series, model->deriv, t);
            if (status != 0)
                return status;
            memcpy(x[1], sim_slopes(sim), sizeof(double) * model->state_count);
        }
        else
        {
            series_order(sim->series, k, x[k], x[k + 1]);
            divide(x[k + 1], model->state_count, k + 1);
        }
        if (sim->holds > 0)
            zeno_hold(sim, x[k + 1]);
    }
    return 0;
}

static int island_series(void* ctx, double t, int from, int to, double* const* x)
{
    IslandSystem* own = ctx;
    kaiSim* sim = own->sim;
    const Island* island = &sim->model->islands[own->island];
    const uint32_t* states = sim->model->island_states + island->states.first;
    for (int k = from; k < to; k++)
        if (k == 0)
        {
            sim->R[sim->model->reg_time] = t;
            sim->islands[own->island].loaded = NAN;
            for (uint32_t i = 0; i < island->states.count; i++)
                sim_states(sim)[states[i]] = x[0][i];
            int status = begin(sim, own->series, island->deriv, t);
            if (status != 0)
                return status;
            for (uint32_t i = 0; i < island->states.count; i++)
                x[1][i] = sim_slopes(sim)[states[i]];
        }
        else
        {
            series_order(own->series, k, x[k], x[k + 1]);
            divide(x[k + 1], island->states.count, k + 1);
        }
    return 0;
}

static int whole_degree(void* ctx)
{
    return series_degree(((kaiSim*)ctx)->series);
}

static int island_degree(void* ctx)
{
    return series_degree(((IslandSystem*)ctx)->series);
}

// Registers of the states in `states`, or of all.
static Series* make(kaiSim* sim, CodeRange code, const uint32_t* states, uint32_t count)
{
    const kaiModel* model = sim->model;
    uint32_t* registers = sim_alloc(sim, 2 * (size_t)count, sizeof(uint32_t));
    if (registers == NULL)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t state = states != NULL ? states[i] : i;
        registers[i] = model->reg_first[REG_STATE] + state;
        registers[count + i] = model->reg_first[REG_DERIV] + state;
    }
    SeriesSpec spec = {.range = code,
                       .inputs = registers,
                       .outputs = registers + count,
                       .input_count = count,
                       .output_count = count,
                       .closed = true};
    Series* series = series_create(sim->series_space, &spec);
    sim_release(sim, registers, 2 * (size_t)count, sizeof(uint32_t));
    return series;
}

static bool make_space(kaiSim* sim)
{
    if (sim->series_space == NULL)
        sim->series_space = series_space_create(sim->model, sim->options.allocator);
    return sim->series_space != NULL;
}

kaiStatus expansion_create(kaiSim* sim)
{
    if (!make_space(sim) || (sim->series = make(sim, sim->model->deriv, NULL, sim->model->state_count)) == NULL)
        return KAI_ERR_MEMORY;
    sim->system.series = whole_series;
    sim->system.degree = whole_degree;
    return KAI_OK;
}

kaiStatus expansion_create_island(kaiSim* sim, IslandSystem* own)
{
    const Island* island = &sim->model->islands[own->island];
    const uint32_t* states = sim->model->island_states + island->states.first;
    if (!make_space(sim) || (own->series = make(sim, island->deriv, states, island->states.count)) == NULL)
        return KAI_ERR_MEMORY;
    own->system.series = island_series;
    own->system.degree = island_degree;
    return KAI_OK;
}

void expansion_free(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->model->islands_count && sim->island_systems != NULL; i++)
        series_free(sim->island_systems[i].series);
    series_free(sim->series);
    series_space_free(sim->series_space);
}
