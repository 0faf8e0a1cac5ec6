// A run: making it out of its floors, going on, values and counters. The public functions of a run.
#include "run/sim.h"

#include "base/error.h"
#include "base/tolerance.h"
#include "run/hostile.h"
#include "run/options.h"

#include <math.h>
#include <string.h>

// ---- making
// ----------------------------------------------------------------------------------------------------------

static bool make_floors(kaiSim* sim, const RunOptions* run)
{
    if (!kernel_make(&sim->kernel, sim->model, &sim->options, &sim_kernel_hooks, sim) ||
        !flow_make(&sim->flow, &sim->kernel, &run->ode, run->root, &sim_flow_hooks, sim) ||
        !record_make(&sim->record, &sim->kernel, ode_method_is_fixed(run->ode.method)) ||
        !motion_make(&sim->motion, &sim->flow) || !surfaces_make(&sim->surfaces, &sim->flow, &sim->motion) ||
        !sliding_make(&sim->sliding, &sim->flow, &sim->motion, &sim->surfaces) ||
        !zeno_make(&sim->zeno, &sim->flow, &sim->sliding) ||
        !contact_make(&sim->contact, &sim->flow, &sim->motion, &sim->surfaces) ||
        !endless_make(&sim->endless, &sim->kernel, &sim->record))
        return false;
    sim->flow.beats = beat_serves(&sim->flow);  // which hangs on who looks at instants
    sim->flow.strides = sim->flow.beats && stride_serves(&sim->flow);
    sim->kernel.budget = &sim->budget;
    sim->record.flow = &sim->flow;
    sim->steady = (Steady){&sim->record, &sim->zeno, &sim->sliding, &sim->contact};
    sim->balance = (Balance){.model = sim->model, .kernel = &sim->kernel};
    return true;
}

// All but the record, which hostile builds keep.
static void free_floors(kaiSim* sim)
{
    endless_free(&sim->endless);
    contact_free(&sim->contact);
    zeno_free(&sim->zeno);
    sliding_free(&sim->sliding);
    surfaces_free(&sim->surfaces);
    motion_free(&sim->motion);
    flow_free(&sim->flow);
    kernel_free(&sim->kernel);
}

#ifdef KAIROS_HOSTILE
bool sim_remake(kaiSim* sim)
{
    char why[600];
    RunOptions run;
    Record record = sim->record, made;
    free_floors(sim);
    bool fine = options_check(sim->model, &sim->options, &run, why, sizeof why) && make_floors(sim, &run);
    made = sim->record;
    sim->record = record;
    sim->kernel.counted = (IndexList){record.asked_present, record.asked_count};
    record_free(&made);
    return fine;
}
#endif

// What must be there before anything can be checked.
static bool check_call(const kaiModel* model, kaiError* error)
{
    if (model == NULL)
        error_set(error, KAI_ERR_USAGE, "there is no model");
    return model != NULL;
}

kaiSim* kaiSim_Create(const kaiModel* model, const kaiSimOptions* options, kaiError* failure)
{
    char why[600];
    RunOptions run;
    if (!check_call(model, failure))
        return NULL;
    if (!options_check(model, options, &run, why, sizeof why))
    {
        error_set(failure, KAI_ERR_USAGE, "%s", why);
        return NULL;
    }
    kaiAllocator a = options->allocator;
    kaiSim* sim = a.alloc(a.user, NULL, 0, sizeof *sim);
    if (sim != NULL)
    {
        memset(sim, 0, sizeof *sim);
        sim->model = model;
        sim->options = *options;
        budget_init(&sim->budget, a, options->limits, options->interrupt);
        sim->budget.patience = 0.05;  // seconds
        sim->options.allocator = budget_allocator(&sim->budget);
        sim->options.stop = smaller(options->stop, TIME_END);
        sim->method = run.ode.method;
    }
    if (sim == NULL || !make_floors(sim, &run))
    {
        const char* trouble = sim != NULL ? sim->flow.trouble : NULL;
        if (sim != NULL && sim->budget.end != BUDGET_LASTS)
            error_set(failure, budget_tell(&sim->budget, "the run", why, sizeof why), "%s", why);
        else if (trouble != NULL)
            error_set(failure, KAI_ERR_USAGE, "%s", trouble);
        else
            error_memory(failure);
        kaiSim_Free(sim);
        return NULL;
    }
    return sim;
}

void kaiSim_Free(kaiSim* sim)
{
    if (sim == NULL)
        return;
    kaiAllocator a = sim->options.allocator;
    record_free(&sim->record);
    free_floors(sim);
    if (sim->explore.decisions != NULL)
        a.alloc(a.user, sim->explore.decisions, sim->explore.decision_capacity * sizeof(Decision), 0);
    a = sim->budget.outer;
    a.alloc(a.user, sim, sizeof *sim, 0);
}

// ---- going on
// --------------------------------------------------------------------------------------------------------

kaiStatus kaiSim_Step(kaiSim* sim)
{
    if (sim == NULL)
        return KAI_ERR_USAGE;
    kaiStatus status = hostile_visit(sim);
    return status == KAI_OK ? flow_step(&sim->flow) : status;
}

kaiStatus kaiSim_StepTo(kaiSim* sim, double t)
{
    if (sim == NULL || isnan(t))
        return KAI_ERR_USAGE;
    kaiStatus status = hostile_visit(sim);
    return status == KAI_OK ? flow_step_to(&sim->flow, t) : status;
}

enum
{
    RUN_INSTANTS = 1000000
};

kaiStatus kaiSim_Run(kaiSim* sim)
{
    if (sim == NULL)
        return KAI_ERR_USAGE;
    kaiStatus status;
    do
        status = kaiSim_RunTo(sim, INFINITY, RUN_INSTANTS);
    while (status == KAI_INSTANT);
    return status;
}

kaiStatus kaiSim_RunTo(kaiSim* sim, double t, int instants)
{
    if (sim == NULL || isnan(t) || instants < 1)
        return KAI_ERR_USAGE;
#ifdef KAIROS_HOSTILE
    instants = 1;  // each of them is visited
#endif
    kaiStatus status = hostile_visit(sim);
    return status == KAI_OK ? flow_run_to(&sim->flow, t, (uint64_t)instants) : status;
}

kaiStatus kaiSim_Post(kaiSim* sim, int variable, double value, double t, uint64_t* handle)
{
    if (sim == NULL)
        return KAI_ERR_USAGE;
    const kaiModel* model = sim->model;
    if (variable < 0 || (uint32_t)variable >= model->vars_count || model->vars[variable].kind != MODEL_INPUT)
        return KAI_ERR_USAGE;
    const ModelVar* var = &model->vars[variable];
    if (var->column != KAI_COLUMN_EVENT && !var->settable)
        return KAI_ERR_USAGE;
    double now = sim->flow.started ? sim->kernel.now.t : sim->options.start;
    if (t >= now)
        return delay_post(&sim->kernel, (uint32_t)variable, scale_to_si(var_scale(var), value), t, handle);
    kernel_fail(&sim->kernel, var->place, "post it for the present or later, or restore a snapshot from before it",
                "%s is posted for t = %.17g, which has passed: the run has come to t = %.17g",
                model_string(model, var->name), t, now);
    sim->kernel.failure.status = KAI_OK;  // the run itself has not failed
    return KAI_ERR_USAGE;
}

bool kaiSim_Cancel(kaiSim* sim, uint64_t handle)
{
    if (sim == NULL)
        return false;
    return queue_cancel(&sim->kernel.queue, handle);
}

// ---- values
// ----------------------------------------------------------------------------------------------------------

kaiStatus kaiSim_Set(kaiSim* sim, int variable, double value)
{
    if (sim == NULL)
        return KAI_ERR_USAGE;
    const kaiModel* model = sim->kernel.model;
    if (variable < 0 || (uint32_t)variable >= model->vars_count || !model->vars[variable].settable)
        return KAI_ERR_USAGE;
    const ModelVar* var = &model->vars[variable];
    if (sim->flow.started && var->kind != MODEL_INPUT)
        return KAI_ERR_USAGE;
    if (sim->flow.started)
        kernel_set_input(&sim->kernel, var->reg);
    value = scale_to_si(var_scale(var), value);
    sim->kernel.R[var->reg] = value;
    if (!sim->flow.started)
    {
        sim->kernel.set[variable] = 1;
        sim->kernel.set_values[variable] = value;
    }
    return KAI_OK;
}

kaiStatus kaiSim_SetSeed(kaiSim* sim, uint64_t seed)
{
    if (sim == NULL || sim->flow.started)
        return KAI_ERR_USAGE;
    kernel_seed(&sim->kernel, seed);
    return KAI_OK;
}

bool kaiSim_Get(kaiSim* sim, int variable, double* value)
{
    if (sim == NULL || value == NULL)
        return false;
    const kaiModel* model = sim->kernel.model;
    if (variable < 0 || (uint32_t)variable >= model->vars_count)
        return false;
    const ModelVar* var = &model->vars[variable];
    if (sim->flow.started)
        touch_var(&sim->kernel, (uint32_t)variable);
    *value = scale_from_si(var_scale(var), sim->kernel.R[var->reg]);
    bool present = var->present == NO_REG || sim->kernel.R[var->present] != 0;
    return present && (var->kind == MODEL_PARAM || kernel_ctx_active(&sim->kernel, var->ctx));
}

// The registers are those of before: whoever asks must not be noticed.
kaiStatus kaiSim_Rates(kaiSim* sim, double* rates)
{
    if (sim == NULL || rates == NULL || !sim->flow.started)
        return KAI_ERR_USAGE;
    Kernel* kernel = &sim->kernel;
    size_t size = sizeof(double) * kernel->model->reg_count;
    kaiAllocator a = sim->options.allocator;
    double* before = a.alloc(a.user, NULL, 0, size);
    if (before == NULL)
        return KAI_ERR_MEMORY;
    kaiError failure = kernel->failure;
    memcpy(before, kernel->R, size);
    kaiStatus status = kernel_run(kernel, kernel->model->deriv);
    if (status == KAI_OK && kernel->model->state_count > 0)
        memcpy(rates, kernel_slopes(kernel), sizeof *rates * kernel->model->state_count);
    memcpy(kernel->R, before, size);
    kernel->failure = failure;
    a.alloc(a.user, before, size, 0);
    return status;
}

const volatile int* kaiSim_Interrupt(const kaiSim* sim)
{
    return sim != NULL ? sim->options.interrupt : NULL;
}

const char* kaiSim_HaltText(const kaiSim* sim)
{
    return sim != NULL && sim->kernel.halted ? model_string(sim->kernel.model, sim->kernel.halt_text) : NULL;
}

kaiTag kaiSim_Now(const kaiSim* sim)
{
    return sim != NULL ? sim->kernel.now : (kaiTag){0};
}

const kaiError* kaiSim_Failure(const kaiSim* sim)
{
    return sim != NULL ? &sim->kernel.failure : NULL;
}

static void add_stats(kaiCounters* c, OdeStats s)
{
    c->steps += s.steps;
    c->rejected += s.rejected;
    c->rhs_calls += s.rhs_calls;
    c->jacobian_calls += s.jacobian_calls;
    c->restarts += s.restarts;
    c->rejected_newton += s.halvings;
    c->rejected_broken += s.broken;
}

kaiCounters kaiSim_Counters(const kaiSim* sim)
{
    if (sim == NULL)
        return (kaiCounters){0};
    kaiCounters c = sim->kernel.counters;
    for (uint32_t i = 0; i < sim->kernel.model->islands_count; i++)
    {
        add_stats(&c, ode_stats(island_ode(&sim->flow, i)));
        c.rollbacks += sim->flow.islands[i].rollbacks;
        c.thrown += sim->flow.islands[i].rollbacks;
    }
    return c;
}

bool kaiSim_IslandCount(const kaiSim* sim, int index, kaiIslandCounters* counters)
{
    if (sim == NULL || counters == NULL)
        return false;
    const kaiModel* model = sim->kernel.model;
    if (index < 0 || (uint32_t)index >= model->islands_count || model->fused)
        return false;
    const Island* island = &model->islands[index];
    const IslandState* s = &sim->flow.islands[index];
    OdeStats stats = ode_stats(island_ode(&sim->flow, (uint32_t)index));
    *counters = (kaiIslandCounters){.name = model_string(model, island->name),
                                    .place = model_place(model, island->place),
                                    .states = (int)island->states.count,
                                    .steps = stats.steps,
                                    .rejected = stats.rejected,
                                    .rollbacks = s->rollbacks,
                                    .thrown = s->rollbacks,
                                    .ahead = s->ahead};
    return true;
}

static const Ode* solver_of(const kaiSim* sim, int island)
{
    bool there = sim != NULL && island >= 0 && (uint32_t)island < sim->kernel.model->islands_count;
    return there ? island_ode(&sim->flow, (uint32_t)island) : NULL;
}

bool kaiSim_MethodChange(const kaiSim* sim, int island, int index, kaiMethodChange* change)
{
    const Ode* ode = solver_of(sim, island);
    if (ode == NULL || change == NULL || index < 0 || index >= ODE_CHANGES || index >= ode_change_count(ode))
        return false;
    OdeChange c = ode_change(ode, index);
    *change = (kaiMethodChange){c.t, ode_method_name(c.method), ode_reason_text(c.reason), index + 1};
    if (index == ODE_CHANGES - 1)
        change->number = ode_change_count(ode);
    return true;
}

bool kaiSim_MethodSteps(const kaiSim* sim, int island, int index, const char** method, int64_t* steps)
{
    const Ode* ode = solver_of(sim, island);
    if (ode == NULL || method == NULL || steps == NULL || index < 0)
        return false;
    for (int m = 0; m < ODE_METHOD_COUNT; m++)
    {
        *steps = ode_steps_of(ode, (OdeMethod)m);
        *method = ode_method_name((OdeMethod)m);
        if (*steps > 0 && index-- == 0)
            return true;
    }
    return false;
}

bool kaiSim_GuardCount(const kaiSim* sim, int index, int64_t* count, int64_t* touches, const char** text,
                       kaiPlace* place)
{
    if (sim == NULL || count == NULL || touches == NULL || text == NULL || place == NULL)
        return false;
    if (index < 0 || (uint32_t)index >= sim->kernel.model->guards_count)
        return false;
    const Guard* guard = &sim->kernel.model->guards[index];
    *count = sim->kernel.guards[index].located;
    *touches = sim->kernel.guards[index].touches;
    *text = model_string(sim->kernel.model, guard->text);
    *place = model_place(sim->kernel.model, guard->place);
    return true;
}

const char* kaiSim_GuardName(const kaiSim* sim, int index)
{
    if (sim == NULL || index < 0 || (uint32_t)index >= sim->kernel.model->guards_count)
        return NULL;
    const Guard* guard = &sim->kernel.model->guards[index];
    return guard->name != 0 ? model_string(sim->kernel.model, guard->name) : NULL;
}

bool kaiSim_GuardTouched(const kaiSim* sim, int index, double* t)
{
    if (sim == NULL || t == NULL)
        return false;
    if (index < 0 || (uint32_t)index >= sim->kernel.model->guards_count || sim->kernel.guards[index].touches == 0)
        return false;
    *t = sim->kernel.touch_times[index];
    return true;
}

bool kaiSim_Slide(const kaiSim* sim, int index, double* from, double* to, const char** text, kaiPlace* place)
{
    if (sim == NULL || from == NULL || to == NULL || text == NULL || place == NULL || index < 0)
        return false;
    if ((uint32_t)index >= sim->surfaces.interval_count || index >= INTERVALS_MOST)
        return false;
    const SurfaceInterval* interval = &sim->surfaces.intervals[index];
    const Guard* guard = &sim->kernel.model->guards[interval->guard];
    *from = interval->from;
    *to = interval->to;
    *text = model_string(sim->kernel.model, guard->text);
    *place = model_place(sim->kernel.model, guard->place);
    return true;
}

int kaiSim_WorstState(const kaiSim* sim)
{
    if (sim == NULL)
        return -1;
    for (uint32_t i = 0; i < sim->kernel.model->islands_count; i++)
    {
        int worst = ode_stats(island_ode(&sim->flow, i)).worst;
        if (worst >= 0)
            return (int)sim->model->state_vars[island_state(&sim->flow, i, (uint32_t)worst)];
    }
    return -1;
}

bool kaiSim_StateLimits(const kaiSim* sim, int state, int64_t* steps, int64_t* rejected)
{
    if (sim == NULL || steps == NULL || rejected == NULL)
        return false;
    if (!sim->options.profile || state < 0 || (uint32_t)state >= sim->kernel.model->state_count)
        return false;
    *steps = sim->flow.limited[state];
    *rejected = sim->flow.refused[state];
    return true;
}

bool kaiSim_Jump(const kaiSim* sim, kaiJump* jump)
{
    if (sim == NULL || jump == NULL)
        return false;
    *jump = sim->balance.jump;
    return jump->jumps > 0;
}

int kaiSim_ColumnVariable(const kaiSim* sim, int column, int* order)
{
    return sim != NULL && order != NULL ? record_column(&sim->record, column, order) : -1;
}

const kaiColumn* kaiSim_Columns(const kaiSim* sim, int* count)
{
    if (sim == NULL || count == NULL)
        return NULL;
    *count = sim->record.column_count;
    return sim->record.columns;
}

const kaiError* kaiSim_Warning(const kaiSim* sim, int index)
{
    return sim != NULL && index >= 0 && (uint32_t)index < sim->kernel.warning_count ? &sim->kernel.warnings.list[index]
                                                                                    : NULL;
}

static bool is_asked(const kaiSim* sim, int64_t index, bool measured)
{
    return sim != NULL && index >= 0 && index < sim->model->expectations_count &&
           sim->model->expectations[index].measured == measured;
}

bool kaiSim_Measure(kaiSim* sim, int index, double* value)
{
    kaiExpectResult result;
    int64_t first = sim != NULL ? sim->model->expectations_count : 0;
    while (first > 0 && sim->model->expectations[first - 1].measured)
        first--;
    if (value == NULL || index < 0 || !is_asked(sim, first + index, true) ||
        record_expect(&sim->record, (uint32_t)(first + index), &result) != KAI_OK || !result.present)
        return false;
    *value = result.value;
    return true;
}

kaiStatus kaiSim_Expect(kaiSim* sim, int index, kaiExpectResult* result)
{
    if (result == NULL || !is_asked(sim, index, false))
        return KAI_ERR_USAGE;
    return record_expect(&sim->record, (uint32_t)index, result);
}
