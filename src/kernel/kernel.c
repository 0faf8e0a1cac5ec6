// Making, copying and freeing a kernel; failures and warnings; the code of a model; what disturbs islands.
#include "kernel/blocks.h"
#include "kernel/bonds.h"
#include "kernel/brief.h"
#include "kernel/scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- failures
// --------------------------------------------------------------------------------------------------------

kaiStatus kernel_fail(Kernel* kernel, uint32_t place, const char* help, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(kernel->message, sizeof kernel->message, format, args);
    va_end(args);
    if (help != NULL)
        snprintf(kernel->help, sizeof kernel->help, "%s", help);
    kernel->failure = (kaiError){
        .status = KAI_ERR_RUN,
        .tag = kernel->now,
        .place = model_place(kernel->model, place),
        .message = kernel->message,
        .help = help != NULL ? kernel->help : NULL,
    };
    return KAI_ERR_RUN;
}

kaiStatus kernel_stop(Kernel* kernel)
{
    char why[200];
    kaiStatus status = budget_tell(kernel->budget, "the run", why, sizeof why);
    if (status == KAI_INTERRUPTED)
        kernel->failure =
            (kaiError){.status = status, .tag = kernel->now, .message = "interrupted before a step ended"};
    else
        kernel_fail(kernel, 0, "give it more with --time and --memory, or let it do less: record less, stop earlier",
                    "%s; it has come to t = %.17g", why, kernel->now.t);
    kernel->failure.status = status;
    return status;
}

kaiStatus kernel_exceed(Kernel* kernel, uint64_t limit, const char* what)
{
    kernel_fail(kernel, 0, "allow more, or let it do less: record less, stop earlier",
                "the run has more than %llu %s, the limit it was given; it has come to t = %.17g",
                (unsigned long long)limit, what, kernel->now.t);
    return kernel->failure.status = KAI_ERR_LIMIT;
}

void kernel_warn(Kernel* kernel, uint32_t place, const char* format, ...)
{
    if (kernel->warning_count == sizeof kernel->warnings.list / sizeof *kernel->warnings.list)
        return;
    char* text = kernel->warnings.texts[kernel->warning_count];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof kernel->warnings.texts[0], format, args);
    va_end(args);
    kernel->warnings.places[kernel->warning_count] = place;
    kernel->warnings.list[kernel->warning_count++] =
        (kaiError){.status = KAI_OK, .tag = kernel->now, .place = model_place(kernel->model, place), .message = text};
}

// The members of a loop that are unknown, by name and part.
static int unknown_names(Kernel* kernel, const Component* loop, char* text, size_t size)
{
    const kaiModel* model = kernel->model;
    size_t length = 0;
    int count = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < loop->count && length + 80 < size; i++)
    {
        const ModelVar* var = &model->vars[model->component_vars[loop->first_member + i]];
        if (kernel->R[loop->first_known + i] == 0 && !var->hidden)
            length += (size_t)snprintf(text + length, size - length, "%s%s", count++ > 0 ? ", " : "",
                                       model_string(model, model->component_names[loop->first_name + i]));
    }
    return count;
}

static void known_inputs(Kernel* kernel, const Component* loop, char* text, size_t size)
{
    const kaiModel* model = kernel->model;
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < loop->input_count && length + 80 < size; i++)
    {
        const ModelVar* var = &model->vars[model->component_vars[loop->first_input + i]];
        if (!var->hidden)
            length += (size_t)snprintf(text + length, size - length, "%s%s = %.9g%s",
                                       length > 0 ? ", " : "; known: ", model_string(model, var->name),
                                       var_shown(var, kernel->R[var->reg]), var_unit_said(model, var));
    }
}

// A block of equations that Newton's method finds no solution of: the values are those of its last step.
static kaiStatus fail_equations(Kernel* kernel, const Component* loop, uint32_t place)
{
    const kaiModel* model = kernel->model;
    char values[300], known[300];
    size_t length = 0;
    for (uint32_t i = 0; i < loop->count && length + 80 < sizeof values; i++)
    {
        const ModelVar* var = &model->vars[model->component_vars[loop->first_member + i]];
        length += (size_t)snprintf(values + length, sizeof values - length, "%s%s = %.9g%s", length > 0 ? ", " : "",
                                   model_string(model, var->name), var_shown(var, kernel->R[var->reg]),
                                   var_unit_said(model, var));
    }
    known_inputs(kernel, loop, known, sizeof known);
    return kernel_fail(
        kernel, place,
        "have they a solution here? Give the unknowns guesses near it, `unknown x = 3`; where an equation "
        "does not change with its unknown (a slope of 0) there is no way on",
        "the equations could not be solved at t = %.17g: %s; last tried %s%s", kernel->now.t,
        model_string(model, loop->text), values, known);
}

// Through variables that no text names: those of a bond graph.
static bool is_inside_graph(const Kernel* kernel, const Component* loop)
{
    const kaiModel* model = kernel->model;
    bool hidden = false;
    for (uint32_t i = 0; i < loop->count; i++)
        hidden |= model->vars[model->component_vars[loop->first_member + i]].hidden;
    return hidden && kernel->bonds != NULL;
}

// A transformer or gyrator whose ratio has no value: a crank that is written from its slider, at a dead point.
static const BondPart* part_at_dead_point(const Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->model->bond_parts_count; i++)
    {
        const BondPart* part = &kernel->model->bond_parts[i];
        if (part->free && bond_is_two_port((BondKind)part->kind) && part->ratio != NO_REG &&
            !isfinite(kernel->R[part->ratio]))
            return part;
    }
    return NULL;
}

static kaiStatus fail_dead_point(Kernel* kernel, const BondPart* part)
{
    return kernel_fail(kernel, part->place, KERNEL_TURN_ROUND, "the ratio of %s is %g at t = %.17g",
                       model_string(kernel->model, part->name), kernel->R[part->ratio], kernel->now.t);
}

kaiStatus kernel_lost(Kernel* kernel, uint32_t component)
{
    const kaiModel* model = kernel->model;
    const Component* loop = &model->components[component];
    char unknown[400], known[300];
    int count = unknown_names(kernel, loop, unknown, sizeof unknown);
    known_inputs(kernel, loop, known, sizeof known);
    uint32_t place = model->vars[model->component_vars[loop->first_member]].place;
    if (loop->newton && !is_inside_graph(kernel, loop))
        return fail_equations(kernel, loop, place);
    const BondPart* dead = loop->newton ? part_at_dead_point(kernel) : NULL;
    if (dead != NULL)
        return fail_dead_point(kernel, dead);
    if (loop->newton)
        return kernel_fail(
            kernel, place, "is a law without a solution here, or with an infinite slope? Start closer to one",
            "the algebraic loop through a bond graph has no solution that could be found at t = %.17g; the loop: %s",
            kernel->now.t, model_string(model, loop->text));
    return kernel_fail(
        kernel, place,
        "break the loop with `pre`, define one of the signals without the others, or solve it with `unknown` "
        "and `equation`",
        "nonconstructive: %s %s unknown at t = %.17g%s; the loop: %s", unknown, count > 1 ? "are" : "is", kernel->now.t,
        known, model_string(model, loop->text));
}

// An impulse took a state out of the numbers.
kaiStatus kernel_overflow(Kernel* kernel, uint32_t state)
{
    const kaiModel* model = kernel->model;
    const ModelVar* var = &model->vars[model->state_vars[state]];
    if (!kernel_numeric(kernel))
        return kernel_fail(kernel, var->place, "check the weights of the impulses that it integrates",
                           "an impulse makes %s %g at t = %.17g", model_string(model, var->name),
                           kernel_states(kernel)[state], kernel->now.t);
    int n = model->impulse_order + 1;
    return kernel_fail(kernel, var->place, "take a longer step, or impulses = symbolic",
                       "numeric impulses overflow in %s at t = %.17g: they grow like 1/h^%d = %.3g times their weights",
                       model_string(model, var->name), kernel->now.t, n, pow(kernel->R[model->reg_pulse], -n));
}

// ---- what changes from outside and what that disturbs
// ----------------------------------------------------------------

void kernel_disturb(Kernel* kernel, uint32_t reg)
{
    const kaiModel* model = kernel->model;
    uint32_t row = reg - model->reg_first[REG_STATE];
    if (row < model->state_count)
        kernel_disturb_island(kernel, model->state_islands[row]);
    for (uint32_t i = model->reg_island_first[row]; i < model->reg_island_first[row + 1]; i++)
        kernel_disturb_island(kernel, model->reg_islands[i]);
}

void kernel_disturb_all(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->model->islands_count; i++)
        kernel_disturb_island(kernel, i);
}

void kernel_set_input(Kernel* kernel, uint32_t reg)
{
    kernel->R[kernel->model->reg_time] = kernel->now.t;
    for (uint32_t i = 0; i < kernel->outside_count; i++)
        if (kernel->outside[i] == reg)
            return;
    if (kernel->outside_count == kernel->model->vars_count)
        return;
    kernel->outside_before[kernel->outside_count] = kernel->R[reg];
    kernel->outside[kernel->outside_count++] = reg;
}

void kernel_hold_inputs(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->outside_count; i++)
    {
        kernel->outside_after[i] = kernel->R[kernel->outside[i]];
        kernel->R[kernel->outside[i]] = kernel->outside_before[i];
    }
    kernel->held_inputs = kernel->outside_count;
}

void kernel_give_inputs(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->held_inputs; i++)
        kernel->R[kernel->outside[i]] = kernel->outside_after[i];
    kernel->held_inputs = 0;
}

// ---- making and copying
// ----------------------------------------------------------------------------------------------

#define X(...) +1
enum
{
    PLAIN_COUNT = 0 KERNEL_STATE(X),
    TOUCH_COUNT = 3 * (0 TOUCH_LISTS(X)),
    FIELD_COUNT = 1 + PLAIN_COUNT + TOUCH_COUNT + (0 KERNEL_ARRAYS(X)) + (0 KERNEL_LISTS(X))
};
#undef X

static void list_fields(Kernel* kernel, Field fields[FIELD_COUNT])
{
    const kaiModel* model = kernel->model;
    Field* f = fields;
    Bonds* bonds = kernel->bonds;  // what selections remember; the array itself is the bonds' own
    size_t most = bonds != NULL ? bonds->most_count : 0;
    *f++ = (Field){.name = "most", .plain = bonds != NULL ? bonds->most : NULL, .size = sizeof(double), .saved = most};
#define X(type, name) *f++ = FIELD_PLAIN(kernel, name);
    KERNEL_STATE(X)
#undef X
#define X(type, name, count, saved) *f++ = FIELD_ARRAY(kernel, name, (count), (saved));
    KERNEL_ARRAYS(X)
#undef X
#define X(name, count) *f++ = FIELD_ARRAY(kernel, name.at, (count), 0);
    KERNEL_LISTS(X)
#undef X
#define X(name, count)                                                                                                 \
    *f++ = FIELD_ARRAY(kernel, touched.name.at, (count), 0);                                                           \
    *f++ = FIELD_ARRAY(kernel, settled.name.at, (count), 0);                                                           \
    *f++ = FIELD_ARRAY(kernel, fresh.name.at, (count), 0);
    TOUCH_LISTS(X)
#undef X
}

static void seed_register(Kernel* kernel, uint64_t seed)
{
    if (kernel->model->reg_seed != NO_REG)
        kernel->R[kernel->model->reg_seed] = (double)(seed & 0xfffffffffffff);
}

void kernel_seed(Kernel* kernel, uint64_t seed)
{
    seed_register(kernel, seed);
    kernel->random = seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
}

void kernel_init_registers(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    memset(kernel->R, 0, sizeof(double) * model->reg_count);
    if (model->constants_count > 0)
        memcpy(kernel->R + model->reg_first[REG_CONST], model->constants, sizeof(double) * model->constants_count);
    for (uint32_t i = 0; i < model->starts_count; i++)
        kernel->R[model->starts[i].target] = model->numbers[model->starts[i].value];
    for (uint32_t i = 0; i < model->machines_count; i++)
        kernel->R[model->machines[i].reg] = model->machines[i].start;
    for (uint32_t i = 0; i < model->probes_count; i++)
        kernel->R[model->probes[i].out] = NAN;
    for (uint32_t i = 0; i < model->guards_count; i++)
    {
        kernel->R[model->guards[i].last_g] = NAN;
        kernel->guards[i].due = INFINITY;
        if (model->guards[i].side != NO_REG)
            kernel->R[model->guards[i].side] = 2;
    }
    seed_register(kernel, kernel->options->seed);
}

bool kernel_make(Kernel* kernel, const kaiModel* model, const kaiSimOptions* options, const KernelHooks* hooks,
                 void* owner)
{
    Field fields[FIELD_COUNT];
    *kernel = (Kernel){.model = model, .options = options, .hooks = hooks, .owner = owner};
    kernel->host = (VmHost){.ctx = kernel,
                            .delayed = delay_value,
                            .delayed_series = delay_series,
                            .delayed_range = delay_range,
                            .rounding = guard_rounding,
                            .native = &kernel->native,
                            .rounds = (int)options->max_iterations};
    kernel->policy = (ChoicePolicy)choice_policy_find(options->choice);
    list_fields(kernel, fields);
    if (!fields_make(fields, FIELD_COUNT, options->allocator))
        return false;
    kernel->agenda =
        (Agenda){agenda_size(model), kernel->due_times, kernel->due_heap + AGENDA_BEFORE, kernel->due_where};
    agenda_init(&kernel->agenda);
    kernel->queue.firsts = queue_groups(model) > 0 ? kernel->queue_firsts : NULL;
    kernel->host.errors = model->components_count > 0 ? kernel->errors : NULL;
    if (bonds_create(kernel) != KAI_OK || !blocks_create(kernel))
        return false;
    for (uint32_t i = 0; i < model->delays_count; i++)
        if (model->delays[i].varies)
            kernel->varying.at[kernel->varying.count++] = i;
    kernel->plain = plain_is(kernel);
    if (!scenes_begin(kernel))
        return false;
    kernel_init_registers(kernel);
    contexts_refresh(kernel);
    kernel->walked = &kernel->touched;
    kernel->now = (kaiTag){options->start, 0, 0};
    kernel->time_scale = fabs(options->start);
    kernel->clock_origin = strcmp(options->clocks, "start") == 0 ? options->start : 0;
    kernel->instant_time = NAN;
    kernel->hold_next = INFINITY;
    kernel->unseen.until = -INFINITY;
    kernel_seed(kernel, options->seed);
    return true;
}

void kernel_free(Kernel* kernel)
{
    Field fields[FIELD_COUNT];
    kaiAllocator a = kernel->options->allocator;
    brief_free(kernel);
    bonds_destroy(kernel);
    blocks_destroy(kernel);
    for (uint32_t i = 0; kernel->histories != NULL && kernel->pasts != NULL && i < kernel->model->delays_count; i++)
    {
        history_free(&kernel->histories[i], a);
        history_free(&kernel->pasts[i], a);
    }
    queue_free(&kernel->queue, a);
    queue_free(&kernel->held, a);
    scenes_free(kernel);
    native_free(&kernel->native);
    list_fields(kernel, fields);
    fields_free(fields, FIELD_COUNT, a);
}

static size_t padded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

size_t kernel_save_size(const Kernel* kernel)
{
    Field fields[FIELD_COUNT];
    list_fields((Kernel*)(uintptr_t)kernel, fields);
    size_t size = fields_size(fields, FIELD_COUNT) + padded(queue_save_size(&kernel->queue));
    for (uint32_t i = 0; i < kernel->model->delays_count; i++)
        size += history_save_size(&kernel->histories[i]) + history_save_size(&kernel->pasts[i]);
    return size + blocks_save_size(kernel);
}

char* kernel_save(const Kernel* kernel, char* block)
{
    Field fields[FIELD_COUNT];
    list_fields((Kernel*)(uintptr_t)kernel, fields);
    agenda_collect(&kernel->agenda);
    block = fields_save(fields, FIELD_COUNT, block);
    for (uint32_t i = 0; i < kernel->model->delays_count; i++)
        block = history_save(&kernel->pasts[i], history_save(&kernel->histories[i], block));
    queue_save(&kernel->queue, block);
    return blocks_save(kernel, block + padded(queue_save_size(&kernel->queue)));
}

const char* kernel_load(Kernel* kernel, const char* block, bool* ok)
{
    Field fields[FIELD_COUNT];
    list_fields(kernel, fields);
    block = fields_load(fields, FIELD_COUNT, block);
    for (uint32_t i = 0; i < kernel->model->delays_count && *ok; i++)
    {
        block = history_load(&kernel->histories[i], kernel->options->allocator, block, ok);
        block = *ok ? history_load(&kernel->pasts[i], kernel->options->allocator, block, ok) : block;
    }
    if (!*ok || !queue_load(&kernel->queue, kernel->options->allocator, block))
    {
        *ok = false;
        return block;
    }
    block = blocks_load(kernel, block + padded(queue_save_size(&kernel->queue)), ok);
    kernel->failure = (kaiError){0};
    kernel->unseen.until = -INFINITY;
    if (kernel->bonds != NULL)
        bonds_forget_registers(kernel);
    contexts_refresh(kernel);
    agenda_rebuild(&kernel->agenda);
    commit_forget(kernel);
    kernel->raised_count = kernel->disturbed.count = 0;
    kernel->located_count = kernel->due_clocks.count = 0;
    memset(kernel->island_disturbed, 0, kernel->model->islands_count);
    memset(kernel->island_looked, 0, sizeof(uint64_t) * kernel->model->islands_count);
    for (uint32_t i = 0; i < kernel->model->guards_count; i++)
        kernel->guards[i].armed = 0;
    touch_moment(kernel, kernel->now.t);
    return block;
}
