// kaiEval: floor 1 by itself, for foreign integrators. The kernel's hooks are answered from the states that the caller
// handed in; of the listeners only rows and the watch over instants that do not end are here.
#include "run/eval.h"

#include "base/error.h"
#include "base/tolerance.h"
#include "kernel/guard.h"
#include "run/options.h"
#include "watch/surface.h"

#include <math.h>
#include <string.h>

// ---- what the kernel asks
// --------------------------------------------------------------------------------------------

// The states of all islands were put into the registers when the instant began.
static void no_load(void* owner, uint32_t island, double t)
{
    (void)owner, (void)island, (void)t;
}

static kaiStatus run_slopes(void* owner, uint32_t island)
{
    kaiEval* eval = owner;
    return kernel_run(&eval->kernel, eval->model->islands[island].deriv);
}

static kaiStatus take_disturbed(void* owner)
{
    kaiEval* eval = owner;
    Kernel* kernel = &eval->kernel;
    IndexList list = kernel->disturbed;
    kernel->disturbed = (IndexList){kernel->restarted.at, 0};
    kernel->restarted = list;
    for (uint32_t i = 0; i < list.count; i++)
        kernel->island_disturbed[list.at[i]] = false;
    return KAI_OK;
}

static void no_index(void* owner, uint32_t index)
{
    (void)owner, (void)index;
}

static void no_unit(void* owner, uint32_t state, double unit)
{
    (void)owner, (void)state, (void)unit;
}

static kaiStatus no_before(void* owner, double t)
{
    (void)owner, (void)t;
    return KAI_OK;
}

static void nothing(void* owner)
{
    (void)owner;
}

static kaiStatus done(void* owner)
{
    (void)owner;
    return KAI_OK;
}

static void begin_instant(void* owner, double t, bool again)
{
    kaiEval* eval = owner;
    (void)t;
    if (again)
        record_again(&eval->record);
    endless_begin(&eval->endless);
}

static void keep_var(void* owner, uint32_t var)
{
    kaiEval* eval = owner;
    record_keep(&eval->record, var);
}

static kaiStatus write_tag(void* owner, bool left)
{
    kaiEval* eval = owner;
    if (left)
        record_begin(&eval->record);
    return record_tag(&eval->record, true, left);
}

static kaiStatus watch_round(void* owner, kaiTag at, bool state)
{
    kaiEval* eval = owner;
    return endless_watch(&eval->endless, at, state);
}

static void no_sign(void* owner, KernelSign sign, uint32_t index, uint32_t place)
{
    (void)owner, (void)sign, (void)index, (void)place;
}

static bool no_rest(void* owner, uint32_t guard)
{
    (void)owner;
    (void)guard;
    return false;
}

static int no_lead(void* owner, uint32_t guard)
{
    (void)owner;
    (void)guard;
    return 0;
}

// `settle` belongs to numeric impulses, `decide` to choice = all: why_not refuses both.
static const KernelHooks hooks = {
    .load = no_load,
    .slopes = run_slopes,
    .restart = take_disturbed,
    .look = no_index,
    .unit = no_unit,
    .before = no_before,
    .left = nothing,
    .after = done,
    .begin = begin_instant,
    .keep = keep_var,
    .tag = write_tag,
    .round = watch_round,
    .end = done,
    .armed = no_index,
    .reaches = no_lead,
    .stands = no_rest,
    .leads = no_lead,
    .fires = no_sign,
    .held = nothing,
    .decided = no_index,
    .begin_jumps = nothing,
    .before_jump = nothing,
    .settled = nothing,
    .jumped = done,
};

// ---- making
// ----------------------------------------------------------------------------------------------------------

static const char* why_not(const kaiModel* model, const kaiSimOptions* options)
{
    if (strcmp(options->choice, "all") == 0)
        return "choice = all goes back in time, and the states belong to the caller here: set choice = first or random";
    if (surfaces_wanted(options))
        return "zeno = continue holds states, which belong to the caller here: set zeno = stop";
    if (options->balance > 0)
        return "`balance` is checked along steps, which belong to the caller here: leave it out";
    if (model->reg_pulse != NO_REG)
        return "numeric impulses are made of steps, which belong to the caller here: set impulses = symbolic";
    for (uint32_t i = 0; i < model->delays_count; i++)
        if (model->delays[i].varies)
            return "a `delay` that varies needs the steps, which belong to the caller here: run the model with kaiSim, "
                   "as Co-Simulation does, or delay by a constant";
    return NULL;
}

kaiEval* kaiEval_Create(const kaiModel* model, const kaiSimOptions* options, kaiError* failure)
{
    char why[600];
    RunOptions run;
    bool fine = model != NULL && options_check(model, options, &run, why, sizeof why);
    const char* refused = model == NULL ? "there is no model" : fine ? why_not(model, options) : why;
    if (refused != NULL)
    {
        error_set(failure, KAI_ERR_USAGE, "%s", refused);
        return NULL;
    }
    kaiAllocator a = options->allocator;
    kaiEval* eval = a.alloc(a.user, NULL, 0, sizeof *eval);
    if (eval != NULL)
    {
        memset(eval, 0, sizeof *eval);
        eval->model = model;
        eval->options = *options;
        budget_init(&eval->budget, a, options->limits, options->interrupt);
        eval->options.allocator = budget_allocator(&eval->budget);
    }
    if (eval == NULL || !kernel_make(&eval->kernel, model, &eval->options, &hooks, eval) ||
        !record_make(&eval->record, &eval->kernel, true) ||
        !endless_make(&eval->endless, &eval->kernel, &eval->record) || !eval_watch_make(eval) || !eval_ahead_make(eval))
    {
        error_memory(failure);
        kaiEval_Free(eval);
        return NULL;
    }
    eval->kernel.budget = &eval->budget;
    eval->delays = eval_has_delays(eval);
    return eval;
}

void kaiEval_Free(kaiEval* eval)
{
    if (eval == NULL)
        return;
    kaiAllocator a = eval->options.allocator;
    eval_ahead_free(eval);
    eval_watch_free(eval);
    endless_free(&eval->endless);
    record_free(&eval->record);
    kernel_free(&eval->kernel);
    a = eval->budget.outer;
    a.alloc(a.user, eval, sizeof *eval, 0);
}

int kaiEval_StateCount(const kaiEval* eval)
{
    return eval != NULL ? (int)eval->model->state_count : 0;
}

int kaiEval_IndicatorCount(const kaiEval* eval)
{
    return eval != NULL ? (int)eval->model->guards_count : 0;
}

kaiStatus kaiEval_Set(kaiEval* eval, int variable, double value)
{
    if (eval == NULL || variable < 0 || (uint32_t)variable >= eval->model->vars_count)
        return KAI_ERR_USAGE;
    const kaiModel* model = eval->model;
    if (!model->vars[variable].settable)
        return KAI_ERR_USAGE;
    const ModelVar* var = &model->vars[variable];
    if (eval->started && var->kind != MODEL_INPUT)
        return KAI_ERR_USAGE;
    if (eval->started)
        kernel_set_input(&eval->kernel, var->reg);
    eval->kernel.R[var->reg] = value;
    eval->rated = false;
    if (!eval->started)
    {
        eval->kernel.set[variable] = 1;
        eval->kernel.set_values[variable] = value;
    }
    return KAI_OK;
}

kaiStatus kaiEval_Flow(kaiEval* eval, int variable, double value)
{
    if (eval == NULL || !eval->started || eval->inside || variable < 0 || (uint32_t)variable >= eval->model->vars_count)
        return KAI_ERR_USAGE;
    const ModelVar* var = &eval->model->vars[variable];
    if (var->kind != MODEL_INPUT || var->column == KAI_COLUMN_EVENT)
        return KAI_ERR_USAGE;
    Kernel* kernel = &eval->kernel;
    if (kernel->R[var->reg] == value)
        return KAI_OK;
    kernel_set_input(kernel, var->reg);
    for (uint32_t i = 0; i < kernel->outside_count; i++)
        if (kernel->outside[i] == var->reg)
            kernel->outside_before[i] = value;
    kernel->R[var->reg] = value;
    eval->rated = false;
    return KAI_OK;
}

bool kaiEval_Get(kaiEval* eval, int variable, double* value)
{
    if (eval == NULL || value == NULL || variable < 0 || (uint32_t)variable >= eval->model->vars_count)
        return false;
    const kaiModel* model = eval->model;
    const ModelVar* var = &model->vars[variable];
    if (eval->started && !eval->inside)  // the tag of an instant has its own values: nothing is to be pulled there
    {
        touch_var(&eval->kernel, (uint32_t)variable);
        eval->rated = false;
    }
    *value = eval->kernel.R[var->reg];
    bool present = var->present == NO_REG || eval->kernel.R[var->present] != 0;
    return present && (var->kind == MODEL_PARAM || kernel_ctx_active(&eval->kernel, var->ctx));
}

// ---- between instants
// ------------------------------------------------------------------------------------------------

// Rates and guards have a meaning only after the first instant has settled the modes.
static bool is_ready(const kaiEval* eval, const double* x)
{
    return eval != NULL && eval->started && !eval->inside && x != NULL;
}

void eval_put_states(kaiEval* eval, double t, const double* x)
{
    Kernel* kernel = &eval->kernel;
    size_t size = sizeof(double) * eval->model->state_count;
    if (eval->rated && kernel->R[eval->model->reg_time] == t &&
        (size == 0 || memcmp(kernel_states(kernel), x, size) == 0))
        return;
    eval->rated = false;
    touch_moment(kernel, t);
    if (size > 0)
        memcpy(kernel_states(kernel), x, size);
}

void eval_get_states(kaiEval* eval, double* x)
{
    if (eval->model->state_count > 0)
        memcpy(x, kernel_states(&eval->kernel), sizeof(double) * eval->model->state_count);
}

// Rates and indicators are asked for at the same point, one after the other.
static kaiStatus run_rates(kaiEval* eval)
{
    if (eval->rated)
        return KAI_OK;
    kaiStatus status = kernel_run(&eval->kernel, eval->model->deriv);
    eval->rated = status == KAI_OK;
    return status;
}

kaiStatus kaiEval_Look(kaiEval* eval, double t, const double* x)
{
    if (!is_ready(eval, x))
        return KAI_ERR_USAGE;
    eval_put_states(eval, t, x);
    return KAI_OK;
}

kaiStatus kaiEval_Rates(kaiEval* eval, double t, const double* x, double* dx)
{
    if (!is_ready(eval, x) || dx == NULL)
        return KAI_ERR_USAGE;
    Kernel* kernel = &eval->kernel;
    eval_put_states(eval, t, x);
    kaiStatus status = run_rates(eval);
    if (status == KAI_OK && eval->model->state_count > 0)
        memcpy(dx, kernel_slopes(kernel), sizeof(double) * eval->model->state_count);
    return status;
}

// The columns of df/dx that v weighs.
static void add_columns(kaiEval* eval, const double* v, double* out)
{
    const kaiModel* model = eval->model;
    for (uint32_t i = 0; i < model->state_count; i++)
        out[i] = 0;
    for (uint32_t j = 0; j < model->state_count; j++)
        for (int32_t k = model->jacobian_columns[j]; k < model->jacobian_columns[j + 1]; k++)
            out[model->jacobian_rows[k]] += eval->kernel.R[model->jacobian_values[k]] * v[j];
}

static double largest(const double* x, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

// Without a Jacobian: the difference of f over a short way along v, whose length balances rounding and bending.
static kaiStatus difference(kaiEval* eval, double t, const double* x, const double* v, double* out)
{
    uint32_t n = eval->model->state_count;
    double* slopes = kernel_slopes(&eval->kernel);
    double* states = kernel_states(&eval->kernel);
    double size = largest(v, n), h = size > 0 ? DIFFERENCE_PART * fmax(largest(x, n), 1) / size : 0;
    kaiStatus status = kaiEval_Rates(eval, t, x, out);
    eval->rated = false;
    if (status != KAI_OK || h == 0)
    {
        for (uint32_t i = 0; i < n; i++)
            out[i] = 0;
        return status;
    }
    for (uint32_t i = 0; i < n; i++)
        states[i] = x[i] + h * v[i];
    status = kernel_run(&eval->kernel, eval->model->deriv);
    for (uint32_t i = 0; i < n; i++)
        out[i] = (slopes[i] - out[i]) / h;
    return status;
}

kaiStatus kaiEval_RatesAlong(kaiEval* eval, double t, const double* x, const double* v, double* out)
{
    if (!is_ready(eval, x) || v == NULL || out == NULL)
        return KAI_ERR_USAGE;
    if (!eval->model->has_jacobian)
        return difference(eval, t, x, v, out);
    eval_put_states(eval, t, x);
    eval->rated = false;
    kaiStatus status = kernel_run(&eval->kernel, eval->model->jacobian);
    if (status == KAI_OK)
        add_columns(eval, v, out);
    return status;
}

// Guards and their slopes for (t, x).
kaiStatus eval_look(kaiEval* eval, double t, const double* x)
{
    eval_put_states(eval, t, x);
    kaiStatus status = run_rates(eval);
    return status == KAI_OK ? kernel_run(&eval->kernel, eval->model->events) : status;
}

kaiStatus kaiEval_Indicators(kaiEval* eval, double t, const double* x, double* values)
{
    if (!is_ready(eval, x) || values == NULL)
        return KAI_ERR_USAGE;
    const Kernel* kernel = &eval->kernel;
    kaiStatus status = eval_look(eval, t, x);
    for (uint32_t i = 0; i < eval->model->guards_count; i++)
        values[i] = kernel->guards[i].active ? guard_value(kernel, &eval->model->guards[i]) : 1;
    return status;
}

static bool has_crossed(const Kernel* kernel, uint32_t guard)
{
    const Guard* g = &kernel->model->guards[guard];
    return kernel->guards[guard].active && is_past(kernel, g, guard_value(kernel, g));
}

bool kaiEval_Crossed(kaiEval* eval, double t, const double* x)
{
    if (!is_ready(eval, x) || eval_look(eval, t, x) != KAI_OK)
        return false;
    for (uint32_t i = 0; i < eval->model->guards_count; i++)
        if (has_crossed(&eval->kernel, i))
            return true;
    return false;
}

double eval_due(const kaiEval* eval)
{
    uint32_t item;
    return fmin(agenda_next(&eval->kernel.agenda, &item), delay_next_time(&eval->kernel));
}

double kaiEval_Next(const kaiEval* eval)
{
    return eval != NULL ? fmin(eval_due(eval), fmin(eval_ahead_next(eval), eval_delay_next(eval))) : INFINITY;
}

kaiStatus kaiEval_StepDone(kaiEval* eval, double t, const double* x)
{
    if (!is_ready(eval, x))
        return KAI_ERR_USAGE;
    Kernel* kernel = &eval->kernel;
    kaiStatus status = eval_look(eval, t, x);
    for (uint32_t i = 0; i < eval->model->guards_count && status == KAI_OK; i++)
    {
        const Guard* guard = &eval->model->guards[i];
        GuardState* state = &kernel->guards[i];
        if (!state->active)
            continue;
        state->g = guard_value(kernel, guard);
        state->slope = kernel->R[guard->slope];
        if (is_crossing(guard) && state->g != 0)
            kernel->R[guard->side] = sign_of(state->g);
        state->toward = direction(kernel, guard);
    }
    if (status == KAI_OK && eval->delays)
        status = eval_delay_feed(eval, t);
    eval->told = true;
    if (status == KAI_OK)
        eval_watch_loosen(eval);
    return status;
}

// ---- instants
// --------------------------------------------------------------------------------------------------------

kaiStatus kaiEval_Prepare(kaiEval* eval, double* x)
{
    if (eval == NULL || x == NULL || eval->started)
        return KAI_ERR_USAGE;
    Kernel* kernel = &eval->kernel;
    eval->started = eval->inside = true;
    kaiStatus status = flow_prepare(kernel);
    if (status == KAI_OK)
        status = delay_check(kernel);
    if (status == KAI_OK && eval->delays)
        status = eval_delay_start(eval);
    if (status == KAI_OK)
        status = schedule_start(kernel);
    if (status == KAI_OK)
        status = instant_begin(kernel, eval->options.start, true);
    eval_get_states(eval, x);
    return status;
}

// Inputs that were set since the tag before: the tag that comes sees them.
static kaiStatus take_outside(Kernel* kernel)
{
    if (kernel->outside_count == 0)
        return KAI_OK;
    for (uint32_t i = 0; i < kernel->outside_count; i++)
    {
        touch_register(kernel, kernel->outside[i]);
        kernel_disturb(kernel, kernel->outside[i]);
    }
    kernel->outside_count = 0;
    return touch_settle(kernel, false);
}

kaiStatus kaiEval_Tag(kaiEval* eval, double* x, bool* more)
{
    if (eval == NULL || x == NULL || more == NULL || !eval->inside)
        return KAI_ERR_USAGE;
    eval->rated = false;
    kaiStatus status = take_outside(&eval->kernel);
    if (status == KAI_OK)
        status = instant_react(&eval->kernel, more);
    if (status == KAI_OK && !*more)
        status = instant_end(&eval->kernel);
    if (status == KAI_OK && !*more)
        status = record_instant_end(&eval->record);
    eval->inside = status == KAI_OK && *more;
    eval_get_states(eval, x);
    if (status != KAI_OK || *more)
        return status;
    if (eval->delays)
        status = eval_look(eval, eval->kernel.now.t, x);
    if (status == KAI_OK && eval->delays)
        status = eval_delay_jumps(eval);
    return status == KAI_OK ? eval_watch_arm(eval, eval->kernel.now.t, x) : status;
}

static kaiStatus all_tags(kaiEval* eval, double* x)
{
    kaiStatus status = KAI_OK;
    for (bool more = true; more && status == KAI_OK;)
        status = kaiEval_Tag(eval, x, &more);
    return status;
}

kaiStatus kaiEval_Start(kaiEval* eval, double* x)
{
    kaiStatus status = kaiEval_Prepare(eval, x);
    return status == KAI_OK ? all_tags(eval, x) : status;
}

static void take_due(Kernel* kernel, double t)
{
    uint32_t item;
    while (kernel_reached(kernel, agenda_next(&kernel->agenda, &item), t))
    {
        agenda_set(&kernel->agenda, item, INFINITY);
        if (item < kernel->model->clocks_count)
            kernel->due_clocks.at[kernel->due_clocks.count++] = item;
        else
            kernel->located[kernel->located_count++] = item - kernel->model->clocks_count;
    }
}

static kaiStatus begin_located(kaiEval* eval, double t, double* x)
{
    take_due(&eval->kernel, t);
    eval->inside = true;
    eval->rated = false;
    kaiStatus status = instant_begin(&eval->kernel, t, false);
    eval_get_states(eval, x);
    return status;
}

kaiStatus kaiEval_Begin(kaiEval* eval, double t, double* x)
{
    if (!is_ready(eval, x) || !(t >= eval->kernel.now.t))
        return KAI_ERR_USAGE;
    kernel_hold_inputs(&eval->kernel);  // what they jump over is no crossing of the flow
    eval->rated = false;
    kaiStatus status = eval_look(eval, t, x);
    if (status == KAI_OK && eval->delays)
        status = eval_delay_feed(eval, t);
    if (status == KAI_OK)
        eval_watch_locate(eval);
    kernel_give_inputs(&eval->kernel);
    return status == KAI_OK ? begin_located(eval, t, x) : status;
}

kaiStatus kaiEval_Instant(kaiEval* eval, double t, double* x)
{
    if (!is_ready(eval, x) || !(t >= eval->kernel.now.t))
        return KAI_ERR_USAGE;
    Kernel* kernel = &eval->kernel;
    kaiStatus status = eval_look(eval, t, x);
    if (status == KAI_OK && eval->delays)
        status = eval_delay_feed(eval, t);
    if (status != KAI_OK)
        return status;
    for (uint32_t i = 0; i < eval->model->guards_count; i++)
        if (has_crossed(kernel, i))
            kernel->located[kernel->located_count++] = i;
    status = begin_located(eval, t, x);
    return status == KAI_OK ? all_tags(eval, x) : status;
}

kaiStatus kaiEval_Post(kaiEval* eval, int variable, double value)
{
    if (eval == NULL || !eval->started || variable < 0 || (uint32_t)variable >= eval->model->vars_count)
        return KAI_ERR_USAGE;
    const ModelVar* var = &eval->model->vars[variable];
    if (var->kind != MODEL_INPUT || var->column != KAI_COLUMN_EVENT)
        return KAI_ERR_USAGE;
    return delay_post(&eval->kernel, (uint32_t)variable, value, eval->kernel.now.t, NULL);
}

int kaiEval_ColumnVariable(const kaiEval* eval, int column, int* order)
{
    return eval != NULL && order != NULL ? record_column(&eval->record, column, order) : -1;
}

kaiTag kaiEval_Now(const kaiEval* eval)
{
    return eval != NULL ? eval->kernel.now : (kaiTag){0, 0, 0};
}

bool kaiEval_Halted(const kaiEval* eval)
{
    return eval != NULL && eval->kernel.halted;
}

const kaiError* kaiEval_Failure(const kaiEval* eval)
{
    return eval != NULL ? &eval->kernel.failure : NULL;
}
