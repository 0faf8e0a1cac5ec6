// Making, driving and ending a run.
#include "kernel/bonds.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- failures
// --------------------------------------------------------------------------------------------------------

kaiStatus sim_fail(kaiSim* sim, uint32_t place, const char* help, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(sim->message, sizeof sim->message, format, args);
    va_end(args);
    if (help != NULL)
        snprintf(sim->help, sizeof sim->help, "%s", help);
    sim->failure = (kaiFailure){
        .status = KAI_ERR_RUN,
        .tag = sim->now,
        .place = model_place(sim->model, place),
        .text = sim->message,
        .help = help != NULL ? sim->help : NULL,
    };
    return KAI_ERR_RUN;
}

void sim_warn(kaiSim* sim, uint32_t place, const char* format, ...)
{
    if (sim->warning_count == sizeof sim->warnings / sizeof *sim->warnings)
        return;
    char* text = sim->warning_texts[sim->warning_count];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof sim->warning_texts[0], format, args);
    va_end(args);
    sim->warnings[sim->warning_count++] =
        (kaiFailure){.status = KAI_OK, .tag = sim->now, .place = model_place(sim->model, place), .text = text};
}

const kaiFailure* kaiSim_Warning(const kaiSim* sim, int index)
{
    return index >= 0 && (uint32_t)index < sim->warning_count ? &sim->warnings[index] : NULL;
}

// The members of a loop that are unknown, by name and part.
static int unknown_names(kaiSim* sim, const Component* loop, char* text, size_t size)
{
    const kaiModel* model = sim->model;
    size_t length = 0;
    int count = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < loop->count && length + 80 < size; i++)
    {
        const ModelVar* var = &model->vars[model->component_vars[loop->first_member + i]];
        if (sim->R[loop->first_known + i] == 0 && !var->hidden)
            length += (size_t)snprintf(text + length, size - length, "%s%s", count++ > 0 ? ", " : "",
                                       model_string(model, model->component_names[loop->first_name + i]));
    }
    return count;
}

static void known_inputs(kaiSim* sim, const Component* loop, char* text, size_t size)
{
    const kaiModel* model = sim->model;
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < loop->input_count && length + 80 < size; i++)
    {
        const ModelVar* var = &model->vars[model->component_vars[loop->first_input + i]];
        if (!var->hidden)
            length +=
                (size_t)snprintf(text + length, size - length, "%s%s = %.9g",
                                 length > 0 ? ", " : "; known: ", model_string(model, var->name), sim->R[var->reg]);
    }
}

// A block of equations that Newton's method finds no solution of: the values are those of its last step.
static kaiStatus fail_equations(kaiSim* sim, const Component* loop, uint32_t place)
{
    const kaiModel* model = sim->model;
    char values[300], known[300];
    size_t length = 0;
    for (uint32_t i = 0; i < loop->count && length + 80 < sizeof values; i++)
    {
        const ModelVar* var = &model->vars[model->component_vars[loop->first_member + i]];
        length += (size_t)snprintf(values + length, sizeof values - length, "%s%s = %.9g", length > 0 ? ", " : "",
                                   model_string(model, var->name), sim->R[var->reg]);
    }
    known_inputs(sim, loop, known, sizeof known);
    return sim_fail(sim, place,
                    "have they a solution here? Give the unknowns guesses near it, `unknown x = 3`; where an equation "
                    "does not change "
                    "with its unknown (a slope of 0) there is no way on",
                    "the equations could not be solved at t = %.17g: %s; last tried %s%s", sim->now.t,
                    model_string(model, loop->text), values, known);
}

static kaiStatus fail_nonconstructive(kaiSim* sim, uint32_t component)
{
    const kaiModel* model = sim->model;
    const Component* loop = &model->components[component];
    char unknown[400], known[300];
    int count = unknown_names(sim, loop, unknown, sizeof unknown);
    known_inputs(sim, loop, known, sizeof known);
    uint32_t place = model->vars[model->component_vars[loop->first_member]].place;
    if (loop->newton && !model->vars[model->component_vars[loop->first_member]].hidden)
        return fail_equations(sim, loop, place);
    if (loop->newton)
        return sim_fail(
            sim, place, "is a law without a solution here, or with an infinite slope? Start closer to one",
            "the algebraic loop through a bond graph has no solution that could be found at t = %.17g; the loop: %s",
            sim->now.t, model_string(model, loop->text));
    return sim_fail(sim, place,
                    "break the loop with `pre`, define one of the signals without the others, or solve it with "
                    "`unknown` and `equation`",
                    "nonconstructive: %s %s unknown at t = %.17g%s; the loop: %s", unknown, count > 1 ? "are" : "is",
                    sim->now.t, known, model_string(model, loop->text));
}

kaiStatus sim_run_code(kaiSim* sim, CodeRange range)
{
    uint32_t failed = vm_run(sim->model, sim->R, range, &sim->host);
    return failed == 0 ? KAI_OK : fail_nonconstructive(sim, failed - 1);
}

static kaiStatus fail_nan(kaiSim* sim, uint32_t island)
{
    const kaiModel* model = sim->model;
    const Ode* ode = sim->island_odes[island];
    CodeRange code = model->islands[island].deriv;
    uint32_t count = model->islands[island].states.count, at = 0;
    for (uint32_t i = 0; i < count; i++)
        sim_states(sim)[island_state(sim, island, i)] = ode_state(ode)[i];
    sim->R[model->reg_time] = ode_time(ode);
    vm_run(model, sim->R, code, &sim->host);
    while (at + 1 < count && isfinite(sim_slopes(sim)[island_state(sim, island, at)]))
        at++;
    uint32_t state = island_state(sim, island, at), reg = model->reg_first[REG_DERIV] + state;
    uint32_t culprit = vm_trace_nan(model, sim->R, code, reg);
    const char* name = model_string(model, model->vars[model->state_vars[state]].name);
    return sim_fail(sim, model->reg_places[culprit],
                    "check the operands there: a division by 0, a root or logarithm of a negative number?",
                    "the derivative of %s is not a number at t = %.17g", name, ode_time(ode));
}

kaiStatus sim_ode_failed(kaiSim* sim, uint32_t island, int status)
{
    const kaiModel* model = sim->model;
    const Ode* ode = sim->island_odes[island];
    if (sim->failure.status != KAI_OK)
        return KAI_ERR_RUN;
    if (status == ODE_ERR_NAN)
        return fail_nan(sim, island);
    OdeStats stats = ode_stats(ode);
    const char* name =
        stats.worst >= 0
            ? model_string(model, model->vars[model->state_vars[island_state(sim, island, (uint32_t)stats.worst)]].name)
            : NULL;
    sim->now.t = ode_time(ode);
    uint32_t first = model->reg_first[REG_DERIV];
    for (uint32_t i = 0; sim_numeric(sim) && i < model->state_count; i++)
        if (!isfinite(sim->R[first + i]))
            return pulse_overflow(sim, i);
    if (status == ODE_ERR_STEP)
        return sim_fail(sim, 0, "a stiff model wants solver = rosenbrock or cvode_bdf; a pole cannot be passed",
                        "the step size became too small at t = %.17g%s%s", ode_time(ode),
                        name != NULL ? "; the error is largest in " : "", name != NULL ? name : "");
    return sim_fail(sim, 0, "try solver = rosenbrock or cvode_bdf, or a smaller step",
                    "the solver could not solve its implicit equations at t = %.17g", ode_time(ode));
}

// ---- contexts
// --------------------------------------------------------------------------------------------------------

bool sim_ctx_active(const kaiSim* sim, uint32_t ctx)
{
    const kaiModel* model = sim->model;
    for (; ctx != 0; ctx = model->contexts[ctx].parent)
    {
        const Context* at = &model->contexts[ctx];
        if (sim->R[model->machines[at->machine].reg] != at->mode)
            return false;
    }
    return true;
}

// ---- options
// ---------------------------------------------------------------------------------------------------------

static const char* word_or(const kaiModel* model, uint32_t word, const char* otherwise)
{
    return word != 0 ? model_string(model, word) : otherwise;
}

kaiSimOptions kaiModel_SimOptions(const kaiModel* model)
{
    const ModelSettings* s = &model->settings;
    return (kaiSimOptions){
        .start = s->start,
        .stop = s->stop,
        .rtol = s->rtol > 0 ? s->rtol : 1e-8,
        .atol = s->atol,
        .step = s->step,
        .max_step = s->max_step,
        .balance = s->balance,
        .solver = word_or(model, s->solver, model->reg_pulse != NO_REG ? "riemann" : "rk45"),
        .breakpoint_solver = word_or(model, s->breakpoint_solver, "same"),
        .root = word_or(model, s->root, "itp"),
        .choice = word_or(model, s->choice, "first"),
        .zeno = word_or(model, s->zeno, "stop"),
        .seed = s->seed,
        .max_microsteps = s->max_microsteps > 0 ? s->max_microsteps : 10000,
        .max_branches = s->max_branches > 0 ? s->max_branches : 1000,
        .max_choices = s->max_choices > 0 ? s->max_choices : 100000,
        .allocator = kaiDefaultAllocator(),
    };
}

static const char* solver_name(int index)
{
    return ode_method_name((OdeMethod)index);
}

static const char* root_name(int index)
{
    return root_method_name((RootMethod)index);
}

// "there is no solver `rk4`; there are rk45, … and cvode_bdf".
static void say_unknown(char* why, size_t size, const char* what, const char* name, const char* (*name_of)(int))
{
    int length = snprintf(why, size, "there is no %s `%.40s`; there are ", what, name);
    for (int i = 0; name_of(i) != NULL && length > 0 && (size_t)length < size; i++)
    {
        const char* between = i == 0 ? "" : name_of(i + 1) == NULL ? " and " : ", ";
        length += snprintf(why + length, size - (size_t)length, "%s%s", between, name_of(i));
    }
}

static bool check_options(const kaiModel* model, const kaiSimOptions* o, OdeOptions* ode, RootMethod* root, char* why,
                          size_t size)
{
    bool numeric = model->reg_pulse != NO_REG;
    int method = ode_method_find(o->solver), root_method = root_method_find(o->root);
    *ode = ode_default_options();
    if (method < 0)
        say_unknown(why, size, "solver", o->solver, solver_name);
    else if (numeric && method != ODE_RIEMANN)
        snprintf(why, size,
                 "numeric impulses are integrated by the right Riemann sum: the solver is riemann, not %.40s",
                 o->solver);
    else if (root_method < 0)
        say_unknown(why, size, "root method", o->root, root_name);
    else if (choice_policy_find(o->choice) < 0)
        snprintf(why, size, "there is no choice `%.40s`; there are first, random and all", o->choice);
    else if (!(o->stop >= o->start) || !isfinite(o->start))
        snprintf(why, size, "the stop time %g lies before the start time %g", o->stop, o->start);
    else
    {
        ode->method = (OdeMethod)method;
        *root = (RootMethod)root_method;
        ode->rtol = o->rtol;
        ode->atol = o->atol > 0 ? o->atol : o->rtol / 100;
        ode->step = o->step;
        ode->max_step = o->max_step;
        ode->breakpoint = numeric                                               ? ODE_BREAK_SAME  // see pulse.c
                          : strcmp(o->breakpoint_solver, "ibe") == 0            ? ODE_BREAK_IBE
                          : strcmp(o->breakpoint_solver, "backward_euler") == 0 ? ODE_BREAK_BACKWARD_EULER
                                                                                : ODE_BREAK_SAME;
        return true;
    }
    return false;
}

// ---- making
// ----------------------------------------------------------------------------------------------------------

void* sim_alloc(kaiSim* sim, size_t count, size_t size)
{
    kaiAllocator a = sim->options.allocator;
    size_t bytes = count * size > 0 ? count * size : 1;
    void* block = a.alloc(a.user, NULL, 0, bytes);
    if (block != NULL)
        memset(block, 0, bytes);
    return block;
}

void sim_release(kaiSim* sim, void* block, size_t count, size_t size)
{
    kaiAllocator a = sim->options.allocator;
    if (block != NULL)
        a.alloc(a.user, block, count * size > 0 ? count * size : 1, 0);
}

// Everything of fixed size that a run needs: field, number of elements.
#define SIM_ARRAYS(X)                                                                                                  \
    X(R, model->reg_count)                                                                                             \
    X(guards, model->guards_count)                                                                                     \
    X(probes, model->probes_count)                                                                                     \
    X(set, model->vars_count)                                                                                          \
    X(set_values, model->vars_count)                                                                                   \
    X(kept, 2 * model->vars_count + model->impulse_titles_count + model->machines_count)                               \
    X(tag_last, model->saved_count)                                                                                    \
    X(tag_before, model->saved_count)                                                                                  \
    X(staged, model->acts_count + model->resets_count + 2 * model->machines_count)                                     \
    X(stamps, model->reg_count)                                                                                        \
    X(candidates, 2 * model->guards_count)                                                                             \
    X(active, model->contexts_count)                                                                                   \
    X(leaving, model->machines_count)                                                                                  \
    X(small, model->state_count)                                                                                       \
    X(small_size, model->state_count)                                                                                  \
    X(located, model->guards_count)                                                                                    \
    X(zeno_past, 3 * (size_t)model->state_count)                                                                       \
    X(hold_limit, model->state_count)                                                                                  \
    X(hold_by, model->state_count)                                                                                     \
    X(raised, model->event_flags_count + model->clocks_count + model->delays_count + model->guards_count + 1)          \
    X(fired, model->guards_count)                                                                                      \
    X(reacted, model->reactions_count)                                                                                 \
    X(rounds, (size_t)(model->vars_count > 256 ? 16 : 64) * model->vars_count)                                         \
    X(zeno_left, model->state_count)                                                                                   \
    X(left_slope, model->state_count)                                                                                  \
    X(free_state, model->state_count)                                                                                  \
    X(free_slope, model->state_count)                                                                                  \
    X(limited, sim->options.profile ? model->state_count : 0)                                                          \
    X(refused, sim->options.profile ? model->state_count : 0)                                                          \
    X(x, model->state_count)                                                                                           \
    X(slopes, model->state_count)                                                                                      \
    X(histories, model->delays_count)                                                                                  \
    X(mode_names, model->modes_count)                                                                                  \
    X(columns, model->vars_count + model->impulse_titles_count)                                                        \
    X(column_vars, model->vars_count + model->impulse_titles_count)                                                    \
    X(column_orders, model->vars_count + model->impulse_titles_count)                                                  \
    X(row_values, model->vars_count + model->impulse_titles_count)                                                     \
    X(row_present, model->vars_count + model->impulse_titles_count)                                                    \
    X(pending_values, model->vars_count + model->impulse_titles_count)                                                 \
    X(pending_present, model->vars_count + model->impulse_titles_count)

static bool allocate_arrays(kaiSim* sim)
{
    const kaiModel* model = sim->model;
#define X(field, count)                                                                                                \
    if ((sim->field = sim_alloc(sim, (count), sizeof *sim->field)) == NULL)                                            \
        return false;
    SIM_ARRAYS(X)
#undef X
    return true;
}

static void init_registers(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    memset(sim->R, 0, sizeof(double) * model->reg_count);
    if (model->constants_count > 0)
        memcpy(sim->R + model->reg_first[REG_CONST], model->constants, sizeof(double) * model->constants_count);
    for (uint32_t i = 0; i < model->starts_count; i++)
        sim->R[model->starts[i].target] = model->numbers[model->starts[i].value];
    for (uint32_t i = 0; i < model->machines_count; i++)
        sim->R[model->machines[i].reg] = model->machines[i].start;
    for (uint32_t i = 0; i < model->probes_count; i++)
        sim->R[model->probes[i].out] = NAN;
    for (uint32_t i = 0; i < model->guards_count; i++)
    {
        sim->R[model->guards[i].last_g] = NAN;
        sim->guards[i].due = INFINITY;
        if (model->guards[i].side != NO_REG)
            sim->R[model->guards[i].side] = 2;
    }
}

static kaiFailure usage_failure(const char* text)
{
    return (kaiFailure){.status = KAI_ERR_USAGE, .text = text};
}

kaiSim* kaiSim_Create(const kaiModel* model, const kaiSimOptions* options, kaiFailure* failure)
{
    static const char no_memory[] = "out of memory";
    OdeOptions ode_options;
    RootMethod root;
    kaiAllocator a = options->allocator;
    kaiSim* sim = a.alloc(a.user, NULL, 0, sizeof *sim);
    if (sim == NULL)
    {
        *failure = (kaiFailure){.status = KAI_ERR_MEMORY, .text = no_memory};
        return NULL;
    }
    memset(sim, 0, sizeof *sim);
    sim->model = model;
    sim->options = *options;
    static _Thread_local char why[300];
    if (!check_options(model, options, &ode_options, &root, why, sizeof why))
    {
        *failure = usage_failure(why);
        kaiSim_Free(sim);
        return NULL;
    }
    sim->root = root;
    sim->policy = (ChoicePolicy)choice_policy_find(options->choice);
    sim->host = (VmHost){sim, delay_value};
    bool made = allocate_arrays(sim) && bonds_create(sim) == KAI_OK && islands_create(sim, &ode_options) == KAI_OK;
    if (!made || record_create(sim) != KAI_OK)
    {
        *failure = (kaiFailure){.status = KAI_ERR_MEMORY, .text = no_memory};
        kaiSim_Free(sim);
        return NULL;
    }
    init_registers(sim);
    if (model->reg_seed != NO_REG)
        sim->R[model->reg_seed] = (double)(options->seed & 0xfffffffffffff);
    contexts_refresh(sim);
    touch_rows_create(sim);
    sim->now = (kaiTag){options->start, 0, 0};
    sim->instant_time = NAN;
    sim->hold_next = INFINITY;
    sim->round_slots = model->vars_count > 256 ? 16 : 64;
    sim->last_row_t = NAN;
    sim->random = options->seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    return sim;
}

void kaiSim_Free(kaiSim* sim)
{
    if (sim == NULL)
        return;
    const kaiModel* model = sim->model;
    bonds_destroy(sim);
    islands_free(sim);
    if (sim->histories != NULL)
        for (uint32_t i = 0; i < model->delays_count; i++)
            sim_release(sim, sim->histories[i].points, sim->histories[i].capacity, sizeof(HistoryPoint));
    queue_free(&sim->queue, sim->options.allocator);
    queue_free(&sim->held, sim->options.allocator);
    sim_release(sim, sim->decisions, sim->decision_capacity, sizeof(Decision));
#define X(field, count) sim_release(sim, sim->field, (count), sizeof *sim->field);
    SIM_ARRAYS(X)
#undef X
    kaiAllocator a = sim->options.allocator;
    a.alloc(a.user, sim, sizeof *sim, 0);
}

// ---- values
// ----------------------------------------------------------------------------------------------------------

kaiStatus kaiSim_Set(kaiSim* sim, int variable, double value)
{
    const kaiModel* model = sim->model;
    if (variable < 0 || (uint32_t)variable >= model->vars_count || !model->vars[variable].settable)
        return KAI_ERR_USAGE;
    const ModelVar* var = &model->vars[variable];
    if (sim->started && var->kind != MODEL_INPUT)
        return KAI_ERR_USAGE;
    if (sim->started)
        islands_set(sim, var->reg);
    sim->R[var->reg] = value;
    if (!sim->started)
    {
        sim->set[variable] = 1;
        sim->set_values[variable] = value;
    }
    return KAI_OK;
}

bool kaiSim_Get(const kaiSim* sim, int variable, double* value)
{
    const kaiModel* model = sim->model;
    if (variable < 0 || (uint32_t)variable >= model->vars_count)
        return false;
    const ModelVar* var = &model->vars[variable];
    kaiSim* own = (kaiSim*)(uintptr_t)sim;  // nothing changes but that values are up to date
    if (sim->started)
        touch_var(own, (uint32_t)variable);
    *value = sim->R[var->reg];
    bool present = var->present == NO_REG || sim->R[var->present] != 0;
    return present && (var->kind == MODEL_PARAM || sim_ctx_active(sim, var->ctx));
}

const char* kaiSim_HaltText(const kaiSim* sim)
{
    return sim->halted ? model_string(sim->model, sim->halt_text) : NULL;
}

kaiTag kaiSim_Now(const kaiSim* sim)
{
    return sim->now;
}

const kaiFailure* kaiSim_Failure(const kaiSim* sim)
{
    return &sim->failure;
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
    kaiCounters c = sim->counters;
    for (uint32_t i = 0; i < sim->model->islands_count; i++)
    {
        add_stats(&c, ode_stats(sim->island_odes[i]));
        c.rollbacks += sim->islands[i].rollbacks;
        c.thrown += sim->islands[i].thrown;
    }
    return c;
}

bool kaiSim_IslandCount(const kaiSim* sim, int index, kaiIslandCounters* counters)
{
    const kaiModel* model = sim->model;
    if (index < 0 || (uint32_t)index >= model->islands_count || model->fused)
        return false;
    const Island* island = &model->islands[index];
    const IslandState* s = &sim->islands[index];
    OdeStats stats = ode_stats(sim->island_odes[index]);
    *counters = (kaiIslandCounters){.name = model_string(model, island->name),
                                    .place = model_place(model, island->place),
                                    .states = (int)island->states.count,
                                    .steps = stats.steps,
                                    .rejected = stats.rejected,
                                    .rollbacks = s->rollbacks,
                                    .thrown = s->thrown,
                                    .ahead = s->ahead};
    return true;
}

bool kaiSim_GuardCount(const kaiSim* sim, int index, int64_t* count, int64_t* touches, const char** text,
                       kaiPlace* place)
{
    if (index < 0 || (uint32_t)index >= sim->model->guards_count)
        return false;
    const Guard* guard = &sim->model->guards[index];
    *count = sim->guards[index].located;
    *touches = sim->guards[index].touches;
    *text = model_string(sim->model, guard->text);
    *place = model_place(sim->model, guard->place);
    return true;
}

bool kaiSim_GuardTouched(const kaiSim* sim, int index, double* t)
{
    if (index < 0 || (uint32_t)index >= sim->model->guards_count || sim->guards[index].touches == 0)
        return false;
    *t = sim->guards[index].touched;
    return true;
}

int kaiSim_WorstState(const kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->model->islands_count; i++)
    {
        int worst = ode_stats(sim->island_odes[i]).worst;
        if (worst >= 0)
            return kaiModel_StateVariable(sim->model, (int)island_state(sim, i, (uint32_t)worst));
    }
    return -1;
}

bool kaiSim_StateLimits(const kaiSim* sim, int state, int64_t* steps, int64_t* rejected)
{
    if (!sim->options.profile || state < 0 || (uint32_t)state >= sim->model->state_count)
        return false;
    *steps = sim->limited[state];
    *rejected = sim->refused[state];
    return true;
}
