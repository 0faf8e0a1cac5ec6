// See variation.h.
#include "run/variation.h"

#include "base/error.h"
#include "base/tolerance.h"
#include "kernel/bonds.h"
#include "kernel/guard.h"
#include "run/variation_parts.h"
#include "vm/tangent.h"

#include <math.h>
#include <string.h>

// ---- memory

static void* get(kaiAllocator a, size_t size)
{
    void* block = a.alloc(a.user, NULL, 0, size > 0 ? size : 1);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

static void drop(kaiAllocator a, void* block, size_t size)
{
    if (block != NULL)
        a.alloc(a.user, block, size > 0 ? size : 1, 0);
}

static bool make_numbers(Variation* v)
{
    kaiAllocator a = v->allocator;
    size_t regs = v->model->reg_count, n = v->n, k = v->count, room = 0;
    const struct
    {
        double** at;
        size_t count;
    } parts[] = {{&v->D, regs * k},         {&v->size, regs}, {&v->nominal, regs},  {&v->left, regs},
                 {&v->sum, regs},           {&v->dt, k},      {&v->y, n * (1 + k)}, {&v->values, k},
                 {&v->steepest, v->guards}, {&v->slopes, n}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        room += parts[i].count;
    v->number_count = room;
    v->numbers = get(a, sizeof(double) * room);
    if (v->numbers == NULL)
        return false;
    double* at = v->numbers;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    {
        *parts[i].at = at;
        at += parts[i].count;
    }
    v->variables = get(a, sizeof(int) * (k + 1));
    v->located = get(a, sizeof(uint32_t) * (v->guards + 1));
    return v->variables != NULL && v->located != NULL;
}

void variation_free(Variation* v)
{
    if (v == NULL)
        return;
    kaiAllocator a = v->allocator;
    if (v->ode != NULL)
        ode_destroy(v->ode);
    kaiSim_Free(v->sim);
    kaiEval_Free(v->eval);
    variation_rows_free(v);
    drop(a, v->block, v->block_room);
    drop(a, v->fresh, v->fresh_size);
    drop(a, v->located, sizeof(uint32_t) * (v->guards + 1));
    drop(a, v->variables, sizeof(int) * (v->count + 1));
    drop(a, v->numbers, sizeof(double) * v->number_count);
    drop(a, v, sizeof *v);
}

// ---- between instants

double* variation_tangent(const Variation* v, uint32_t k)
{
    return v->D + (size_t)k * v->model->reg_count;
}

// States and their tangents into the registers of the eval.
void variation_load(Variation* v, double t, const double* y)
{
    Kernel* kernel = &v->eval->kernel;
    uint32_t n = v->n, first = v->model->reg_first[REG_STATE];
    touch_moment(kernel, t);
    if (n == 0)
        return;
    memcpy(kernel->R + first, y, sizeof(double) * n);
    for (uint32_t k = 0; k < v->count; k++)
        memcpy(variation_tangent(v, k) + first, y + (size_t)(k + 1) * n, sizeof(double) * n);
}

// f and its tangents, from what is loaded.
static kaiStatus run_rates(Variation* v)
{
    Kernel* kernel = &v->eval->kernel;
    kaiStatus status = kernel_run(kernel, v->model->deriv);
    for (uint32_t k = 0; k < v->count && status == KAI_OK; k++)
        if (!vm_tangent(v->model, kernel->R, v->model->deriv, &kernel->host, variation_tangent(v, k)))
            status = KAI_ERR_RUN;
    return status;
}

static int rates(void* ctx, double t, const double* y, double* dy)
{
    Variation* v = ctx;
    uint32_t n = v->n, first = v->model->reg_first[REG_DERIV];
    variation_load(v, t, y);
    if (run_rates(v) != KAI_OK)
        return 1;  // a shorter step may do
    memcpy(dy, v->eval->kernel.R + first, sizeof(double) * n);
    for (uint32_t k = 0; k < v->count; k++)
        memcpy(dy + (size_t)(k + 1) * n, variation_tangent(v, k) + first, sizeof(double) * n);
    return 0;
}

// How steep guards have been, and how large states: what is small is measured against that.
static void look_around(Variation* v)
{
    Kernel* kernel = &v->eval->kernel;
    variation_load(v, ode_time(v->ode), ode_state(v->ode));
    uint32_t first = v->model->reg_first[REG_STATE];
    for (uint32_t i = 0; i < v->n; i++)
        v->size[first + i] = fmax(v->size[first + i], fabs(kernel->R[first + i]));
    if (kernel_run(kernel, v->model->deriv) != KAI_OK || kernel_run(kernel, v->model->events) != KAI_OK)
        return;
    for (uint32_t i = 0; i < v->guards; i++)
        if (guard_is_active(kernel, &v->model->guards[i], false))
            v->steepest[i] = fmax(v->steepest[i], fabs(kernel->R[v->model->guards[i].slope]));
}

static kaiStatus fail_solver(kaiError* error, double t)
{
    return error_set(error, KAI_ERR_RUN,
                     "the equations of the derivatives cannot be integrated beyond t = %.9g: an operator has no "
                     "derivative there (sqrt at 0, say), or grows beyond all numbers",
                     t);
}

// Along the run to t; steps end at the times of rows, so that these are as exact as the steps are. A row of the time at
// which the last call ended may have come with this one.
static kaiStatus integrate(Variation* v, double t, kaiError* error)
{
    kaiStatus status = v->t < t ? variation_rows_until(v, t) : KAI_OK;
    while (v->t < t && status == KAI_OK)
    {
        double end = fmin(t, variation_rows_next(v));
        if (v->n > 0)
        {
            if (ode_step(v->ode, end) != ODE_OK)
                return fail_solver(error, v->t);
            look_around(v);
            memcpy(v->y, ode_state(v->ode), sizeof(double) * v->n * (1 + (size_t)v->count));
        }
        v->t = v->n > 0 ? ode_time(v->ode) : end;
        status = variation_rows_until(v, t);
    }
    return status;
}

// ---- the sim after an instant: where the next piece begins

static bool save_block(Variation* v)
{
    size_t size = kernel_save_size(&v->sim->kernel);
    if (size > v->block_room)
    {
        drop(v->allocator, v->block, v->block_room);
        v->block = get(v->allocator, size);
        v->block_room = v->block != NULL ? size : 0;
    }
    if (v->block != NULL)
        kernel_save(&v->sim->kernel, v->block);
    return v->block != NULL;
}

// The eval with the registers of the sim; a graph has its equations made of their parameters.
static kaiStatus load_block(Variation* v)
{
    bool ok = true;
    Kernel* kernel = &v->eval->kernel;
    kernel_load(kernel, v->block, &ok);
    v->eval->started = true;
    return !ok ? KAI_ERR_MEMORY : kernel->bonds != NULL ? bonds_start(kernel) : KAI_OK;
}

static void take_states(Variation* v)
{
    for (uint32_t i = 0; i < v->n; i++)
    {
        double shown;  // asking loads the register, which is in SI units
        kaiSim_Get(v->sim, (int)v->model->state_vars[i], &shown);
        v->y[i] = kernel_states(&v->sim->kernel)[i];
    }
}

// The tangents of the states become those at the fixed time t, `dt` after that of the instant.
static kaiStatus begin_piece(Variation* v, kaiError* error)
{
    uint32_t n = v->n, first = v->model->reg_first[REG_STATE];
    v->since = v->t;
    take_states(v);
    if (!save_block(v))
        return error_memory(error);
    kaiStatus status = load_block(v);
    for (uint32_t k = 0; k < v->count; k++)
        memcpy(v->y + (size_t)(k + 1) * n, variation_tangent(v, k) + first, sizeof(double) * n);
    variation_load(v, v->t, v->y);
    if (status == KAI_OK)
        status = kernel_run(&v->eval->kernel, v->model->deriv);
    if (status != KAI_OK)
        return error_copy(error, &v->eval->kernel.failure);
    const double* f = kernel_slopes(&v->eval->kernel);
    for (uint32_t k = 0; k < v->count; k++)
    {
        for (uint32_t i = 0; i < n; i++)
            v->y[(size_t)(k + 1) * n + i] -= v->dt[k] != 0 ? f[i] * v->dt[k] : 0;
        variation_tangent(v, k)[v->model->reg_time] = 0;
    }
    variation_load(v, v->t, v->y);
    for (uint32_t i = 0; i < v->model->saved_count; i++)
        v->size[i] = fmax(v->size[i], isfinite(v->eval->kernel.R[i]) ? fabs(v->eval->kernel.R[i]) : 0);
    if (n > 0 && ode_restart(v->ode, v->t, v->y, false) != ODE_OK)
        return fail_solver(error, v->t);
    return KAI_OK;
}

// ---- making and stepping

static const char* why_not(const Variation* v)
{
    const kaiModel* model = v->model;
    for (uint32_t k = 0; k < v->count; k++)
    {
        int i = v->variables[k];
        if (i < 0 || (uint32_t)i >= model->vars_count || !model->vars[i].settable)
            return "a derivative is with respect to a parameter that can be set, or to the start value of a state or "
                   "discrete";
        if (model->vars[i].structural || model->vars[i].column == KAI_COLUMN_BOOL)
            return "a parameter that decides the structure, or that is true or false, has no derivatives";
    }
    for (uint32_t i = 0; i < model->delays_count; i++)
        if (!model->delays[i].event && !model->delays[i].queue)
            return "the model delays a signal, and its derivatives depend on those of the past, which are not "
                   "computed: "
                   "leave the delay out, or write it as a chain of first-order lags";
    return NULL;
}

static kaiSimOptions eval_options(const kaiSimOptions* from)
{
    kaiSimOptions options = *from;
    options.row = NULL;
    options.fired = NULL;
    options.balance = 0;  // the sim looks after these two
    options.zeno = "stop";
    return options;
}

static bool make_parts(Variation* v, const VariationOptions* o, kaiError* error)
{
    kaiSimOptions sim = *o->sim, eval = eval_options(o->sim);
    sim.row = o->row != NULL ? variation_collect : NULL;
    sim.row_user = v;
    v->eval = kaiEval_Create(v->model, &eval, error);
    v->sim = v->eval != NULL ? kaiSim_Create(v->model, &sim, error) : NULL;
    if (v->sim == NULL)
        return false;
    OdeOptions ode = ode_default_options();
    ode.method = ODE_AUTO;
    ode.rtol = VARIATION_RTOL;
    ode.atol = VARIATION_ATOL;
    v->system = (OdeSystem){.n = (int)(v->n * (1 + v->count)), .ctx = v, .rhs = rates};
    v->ode = v->n > 0 ? ode_create(&v->system, &ode, v->allocator) : NULL;
    if (v->n > 0 && v->ode == NULL)
        return error_memory(error), false;
    v->fresh_size = kernel_save_size(&v->eval->kernel);
    v->fresh = get(v->allocator, v->fresh_size);
    return v->fresh != NULL || (error_memory(error), false);
}

Variation* variation_create(const kaiModel* model, const VariationOptions* options, kaiError* error)
{
    kaiAllocator a = options->sim->allocator;
    Variation* v = get(a, sizeof *v);
    if (v == NULL)
        return error_memory(error), NULL;
    *v = (Variation){.model = model,
                     .allocator = a,
                     .n = model->state_count,
                     .count = (uint32_t)options->count,
                     .guards = model->guards_count,
                     .row = options->row,
                     .user = options->user};
    bool ok = make_numbers(v);
    if (!ok)
        error_memory(error);
    else if (v->count > 0)
        memcpy(v->variables, options->variables, sizeof(int) * v->count);
    const char* refused = ok ? why_not(v) : NULL;
    if (refused != NULL)
        error_set(error, KAI_ERR_USAGE, "%s", refused);
    if (!ok || refused != NULL || !make_parts(v, options, error))
    {
        variation_free(v);
        return NULL;
    }
    return v;
}

kaiStatus variation_set(Variation* v, int variable, double value)
{
    kaiStatus status = kaiSim_Set(v->sim, variable, value);
    if (status != KAI_OK)
        return status;
    return kaiEval_Set(v->eval, variable, scale_to_si(var_scale(&v->model->vars[variable]), value));
}

static kaiStatus start(Variation* v, kaiError* error)
{
    kaiStatus status = kaiSim_Step(v->sim);
    if (status < 0)
        return error_copy(error, kaiSim_Failure(v->sim));
    v->started = true;
    v->t = kaiSim_Now(v->sim).t;
    kaiStatus found = variation_start_tangents(v, error);
    if (found == KAI_OK)
        found = begin_piece(v, error);
    if (found == KAI_OK)
        found = variation_rows_instant(v, false);
    return found != KAI_OK ? found : status;
}

// Levels that the run has come to without crossing them, since the last look.
static kaiStatus check_touches(Variation* v, kaiError* error)
{
    for (uint32_t i = 0; i < v->guards; i++)
    {
        const GuardState* g = &v->sim->kernel.guards[i];
        if (g->touches == 0)
            continue;
        return error_set(error, KAI_ERR_RUN,
                         "the run touches the level of %s at t = %.9g and does not cross it: a small change of a "
                         "parameter may or may not make it cross, so that there is no derivative",
                         model_string(v->model, v->model->guards[i].text), v->sim->kernel.touch_times[i]);
    }
    return KAI_OK;
}

static kaiStatus check_held(const Variation* v, kaiError* error)
{
    if (v->sim->kernel.holds == 0)
        return KAI_OK;
    return error_set(error, KAI_ERR_RUN,
                     "from t = %.9g on the run slides along a surface, or rests on it (zeno = continue): derivatives "
                     "through that are not computed; write what holds there as a mode",
                     v->sim->kernel.now.t);
}

static kaiStatus step(Variation* v, double until, kaiError* error)
{
    if (!v->started)
        return start(v, error);
    kaiStatus status = kaiSim_StepTo(v->sim, until);
    if (status < 0 || status == KAI_INTERRUPTED)
        return status < 0 ? error_copy(error, kaiSim_Failure(v->sim)) : status;
    double t = kaiSim_Now(v->sim).t;
    kaiStatus found = check_touches(v, error);
    if (found == KAI_OK)
        found = check_held(v, error);
    if (found == KAI_OK)
        found = integrate(v, t, error);
    if (found != KAI_OK || !variation_had_instant(v))
        return found != KAI_OK ? found : status;
    found = variation_rows_instant(v, true);
    if (found == KAI_OK)
        found = variation_through(v, error);
    if (found == KAI_OK)
        found = begin_piece(v, error);
    if (found == KAI_OK)
        found = variation_rows_instant(v, false);
    return found != KAI_OK ? found : status;
}

kaiStatus variation_step(Variation* v, double until, kaiError* error)
{
    kaiStatus status = step(v, until, error);
    v->is_shown = false;
    v->shown_at = v->t;
    return status;
}

// ---- what is known

double variation_now(const Variation* v)
{
    return v->t;
}

const double* variation_states(const Variation* v)
{
    return v->y;
}

const double* variation_slopes(Variation* v)
{
    variation_load(v, v->t, v->y);
    if (kernel_run(&v->eval->kernel, v->model->deriv) != KAI_OK)
        return NULL;
    if (v->n > 0)
        memcpy(v->slopes, kernel_slopes(&v->eval->kernel), sizeof(double) * v->n);
    return v->slopes;
}

double variation_state(const Variation* v, int state, int index)
{
    return v->y[(size_t)(index + 1) * v->n + (size_t)state];
}

// d SI / d SI as the units show it.
static double shown_by(const Variation* v, int index, double derivative)
{
    return derivative * var_scale(&v->model->vars[v->variables[index]]).scale;
}

double variation_time(const Variation* v, int index)
{
    return shown_by(v, index, v->dt[index]);
}

double variation_shown(const Variation* v, int variable, int index, double derivative)
{
    return shown_by(v, index, derivative) / var_scale(&v->model->vars[variable]).scale;
}

kaiSim* variation_sim(Variation* v)
{
    return v->sim;
}

double variation_value(const Variation* v, int index)
{
    return scale_from_si(var_scale(&v->model->vars[v->variables[index]]), v->values[index]);
}
