// Equations of bond graphs as the run needs them: made per set of modes when first entered (rule B2), kept, and written
// into registers as a map from inputs to outputs. Entering a set again is a copy.
#include "kernel/bonds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const BondPart* part_of(const Kernel* kernel, const BondRun* run, uint32_t index)
{
    return &kernel->model->bond_parts[run->system->first_part + index];
}

static const BondInput* input_at(const Kernel* kernel, const BondRun* run, uint32_t index)
{
    return &kernel->model->bond_inputs[run->system->first_input + index];
}

// ---- making

static void create_run(Kernel* kernel, Bonds* bonds, BondRun* run, const BondSystem* system)
{
    Arena* arena = &bonds->arena;
    uint32_t unknowns = 2 * system->link_count, parts = system->part_count, ports = 0, slopes = 0;
    *run = (BondRun){.system = system};
    for (uint32_t i = 0; i < parts; i++)
    {
        const BondPart* part = part_of(kernel, run, i);
        ports += part->ports;
        slopes += part->ports * part->ports;
    }
    run->on = arena_array(arena, bool, parts + 1);
    run->machines = arena_array(arena, uint32_t, parts + 1);
    run->input_of = arena_array(arena, int, system->input_count + 1);
    run->column_of = arena_array(arena, int, unknowns + 1);
    run->port_of = arena_array(arena, int, parts + 1);
    run->unknowns = arena_array(arena, int, unknowns + 1);
    run->nominal = arena_array(arena, double, parts + 1);
    run->storage = arena_array(arena, double, slopes + 1);
    run->scratch = arena_array(arena, double, 2 * slopes + 1);
    double** vectors[] = {&run->b0,   &run->b1,        &run->b2,        &run->z0,      &run->z1,
                          &run->area, &run->b1_before, &run->b2_before, &run->z_before};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = arena_array(arena, double, unknowns + 1);
    run->dx = arena_array(arena, double, ports + 1);
    run->shared = arena_array(arena, bool, ports + 1);
    run->shared_count = ports;
    for (uint32_t i = 0; i < unknowns; i++)
        run->unknowns[i] = (int)i;
    for (uint32_t i = 0; i < parts; i++)
        run->nominal[i] = 1;
}

static void create_switching(Kernel* kernel, Bonds* bonds)
{
    const kaiModel* model = kernel->model;
    Arena* arena = &bonds->arena;
    bonds->junctions = arena_array(arena, uint32_t, model->machines_count + 1);
    for (uint32_t i = 0; i < model->machines_count; i++)
        if (model->machines[i].junction)
            bonds->junctions[bonds->junction_count++] = i;
    bonds->values = arena_array(arena, double, model->reg_count - model->reg_first[REG_VALUE] + 1);
    bonds->states = arena_array(arena, double, model->state_count + 1);
    bonds->modes = arena_array(arena, double, bonds->junction_count + 1);
    bonds->targets = arena_array(arena, uint32_t, bonds->junction_count + 1);
    bonds->places = arena_array(arena, uint32_t, bonds->junction_count + 1);
    bonds->tried = arena_array(arena, double, (size_t)SWITCHING_MAX*(bonds->junction_count + 1));
    bonds->settled = arena_array(arena, double, (size_t)SETTLED_MAX*(bonds->junction_count + model->state_count + 1));
}

kaiStatus bonds_create(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    if (model->bond_systems_count == 0)
        return KAI_OK;
    Bonds* bonds = a.alloc(a.user, NULL, 0, sizeof *bonds);
    if (bonds == NULL)
        return KAI_ERR_MEMORY;
    memset(bonds, 0, sizeof *bonds);
    kernel->bonds = bonds;
    arena_init(&bonds->arena, a, &bonds->fail);
    if (setjmp(bonds->fail) != 0)
        return KAI_ERR_MEMORY;
    bonds->count = model->bond_systems_count;
    bonds->runs = arena_array(&bonds->arena, BondRun, bonds->count);
    for (uint32_t i = 0; i < bonds->count; i++)
        create_run(kernel, bonds, &bonds->runs[i], &model->bond_systems[i]);
    create_switching(kernel, bonds);
    for (uint32_t i = 0; i < bonds->count; i++)
        bonds->most_count += 4 * model->bond_systems[i].link_count;
    bonds->most = arena_array(&bonds->arena, double, bonds->most_count + 1);
    bonds->tolerances = arena_array(&bonds->arena, double, model->machines_count + 1);
    for (uint32_t i = 0, at = 0; i < bonds->count; at += 4 * model->bond_systems[i++].link_count)
    {
        bonds->runs[i].most = bonds->most + at;
        bonds->runs[i].kernel = kernel;
    }
    bonds->kept = arena_array(&bonds->arena, double, model->reg_count - model->reg_first[REG_VALUE] + 1);
    return KAI_OK;
}

static void forget_equations(BondRun* run)
{
    if (run->cache != NULL)
        bond_cache_destroy(run->cache);
    if (run->graph != NULL)
        bond_graph_destroy(run->graph);
    run->cache = NULL;
    run->graph = NULL;
    run->mode = NULL;
}

void bonds_destroy(Kernel* kernel)
{
    Bonds* bonds = kernel->bonds;
    if (bonds == NULL)
        return;
    for (uint32_t i = 0; i < bonds->count && bonds->runs != NULL; i++)
        forget_equations(&bonds->runs[i]);
    arena_free(&bonds->arena);
    kaiAllocator a = kernel->options->allocator;
    a.alloc(a.user, bonds, sizeof *bonds, 0);
    kernel->bonds = NULL;
}

// ---- the graph, once parameters are known

static kaiStatus fail_memory(Kernel* kernel)
{
    return kernel_fail(kernel, 0, "use a smaller model", "out of memory for the equations of a bond graph");
}

static void place_inputs(Kernel* kernel, BondRun* run)
{
    for (int i = 0; i < run->graph->input_count; i++)
        run->column_of[i] = -1;
    for (uint32_t i = 0; i < run->system->input_count; i++)
    {
        const BondInput* input = input_at(kernel, run, i);
        run->input_of[i] = run->graph->input_first[input->node] + (int)input->port;
        run->column_of[run->input_of[i]] = (int)i;
    }
    for (uint32_t i = 0; i < run->system->part_count; i++)
        run->port_of[i] = part_of(kernel, run, i)->state != NO_REG ? run->graph->port_first[i] : -1;
}

static kaiStatus make_equations(Kernel* kernel, BondRun* run)
{
    const BondSystem* system = run->system;
    kaiAllocator a = kernel->options->allocator;
    Arena* arena = &kernel->bonds->arena;
    forget_equations(run);
    if (setjmp(kernel->bonds->fail) != 0)
        return fail_memory(kernel);
    BondNode* nodes = arena_array(arena, BondNode, system->part_count + 1);
    BondEdge* edges = arena_array(arena, BondEdge, system->link_count + 1);
    int switches = 0;
    for (uint32_t i = 0; i < system->part_count; i++)
    {
        const BondPart* part = part_of(kernel, run, i);
        nodes[i] = (BondNode){.kind = (BondKind)part->kind, .switch_index = -1, .parameter = run->nominal[i]};
        if (part->machine != 0)
        {
            run->machines[switches] = part->machine - 1;
            nodes[i].switch_index = switches++;
        }
    }
    for (uint32_t i = 0; i < system->link_count; i++)
    {
        const BondLink* link = &kernel->model->bond_links[system->first_link + i];
        edges[i] = (BondEdge){(int)link->from, (int)link->to};
    }
    run->graph = bond_graph_create(nodes, (int)system->part_count, edges, (int)system->link_count, a);
    run->cache = run->graph != NULL ? bond_cache_create(run->graph, a) : NULL;
    if (run->cache == NULL)
        return fail_memory(kernel);
    run->work = arena_array(arena, double, bond_work_size(run->graph) + 1);
    place_inputs(kernel, run);
    select_start(kernel, run);
    return KAI_OK;
}

static kaiStatus fail_parameter(Kernel* kernel, const BondPart* part, double value)
{
    return kernel_fail(kernel, part->place, "give it a finite value that is not 0",
                       "the parameter of %s is %g at the start", model_string(kernel->model, part->name), value);
}

// atol is meant for efforts and flows: a charge of 1e-6 is not small where 1e-6 F make 1 V of it.
static void set_unit(Kernel* kernel, uint32_t state, double capacity)
{
    if (isfinite(capacity) && capacity != 0)
        kernel->hooks->unit(kernel->owner, state - kernel->model->reg_first[REG_STATE], fabs(capacity));
}

static kaiStatus read_matrix(Kernel* kernel, BondRun* run, uint32_t index)
{
    const BondPart* part = part_of(kernel, run, index);
    kaiStatus status = multiport_invert(kernel, part, run->scratch);
    size_t slopes = (size_t)part->ports * part->ports;
    if (status == KAI_OK && run->graph != NULL)
        memcpy(run->storage + run->graph->block_first[index], kernel->R + part->slopes, sizeof(double) * slopes);
    for (uint32_t i = 0; i < part->ports; i++)
        set_unit(kernel, part->state + i, kernel->R[part->matrix + i * part->ports + i]);
    return status;
}

// Parameters and slopes from the registers after `bonds`. *moved: a guess of a free element is far off.
static kaiStatus read_parameters(Kernel* kernel, BondRun* run, bool guesses, bool* moved)
{
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = part_of(kernel, run, i);
        kaiStatus status = part->matrix != NO_REG && !guesses ? read_matrix(kernel, run, i) : KAI_OK;
        if (status != KAI_OK)
            return status;
        if (part->parameter == NO_REG || part->free != guesses)
            continue;
        double value = kernel->R[part->parameter];
        if (part->state != NO_REG)
        {
            run->storage[run->graph != NULL ? run->graph->block_first[i] : 0] = value;
            set_unit(kernel, part->state, 1 / value);
        }
        else if (part->free)
        {
            value = isfinite(value) && value != 0 ? value : run->nominal[i];
            double ratio = fabs(value / run->nominal[i]);
            *moved |= !(ratio > 0.01 && ratio < 100);
            run->nominal[i] = fmin(fmax(value, -1e12), 1e12);
        }
        else
            run->nominal[i] = value;
        if (!isfinite(value) || (part->state != NO_REG && value == 0 && !part->free))
            return fail_parameter(kernel, part, part->state != NO_REG ? 1 / value : value);
    }
    return KAI_OK;
}

// ---- entering a set of modes

// The row of an output: its terms' rows added, what cancels is 0 exactly.
static void map_row(const Kernel* kernel, const BondRun* run, const BondMaps* maps, const BondOutput* output,
                    double* row, double* size)
{
    const BondSystem* system = run->system;
    memset(row, 0, sizeof(double) * system->columns);
    memset(size, 0, sizeof(double) * system->columns);
    for (uint32_t t = 0; t < output->term_count; t++)
    {
        const BondTerm* term = &kernel->model->bond_terms[output->first_term + t];
        int unknown = term->flow ? BOND_F((int)term->bond) : BOND_E((int)term->bond);
        for (int k = maps->start[unknown]; k < maps->start[unknown + 1]; k++)
        {
            int column = run->column_of[maps->input[k]];
            if (column < 0)
                continue;  // a constant resistor: its input is 0
            const BondInput* input = input_at(kernel, run, (uint32_t)column);
            row[column] += term->sign * maps->by_b1[k];
            size[column] += fabs(maps->by_b1[k]);
            if (input->slope == NO_REG)
                continue;
            row[input->slope_column] += term->sign * maps->by_b2[k];
            size[input->slope_column] += fabs(maps->by_b2[k]);
        }
    }
    for (uint32_t i = 0; i < system->columns; i++)
        if (fabs(row[i]) <= 1e-13 * size[i])
            row[i] = 0;
}

static double* make_block(Kernel* kernel, BondRun* run)
{
    const BondSystem* system = run->system;
    BondMaps* maps = bond_mode_maps(run->mode, run->unknowns, 2 * (int)system->link_count, kernel->options->allocator);
    if (maps == NULL || setjmp(kernel->bonds->fail) != 0)
        return NULL;
    double* block = arena_array(&kernel->bonds->arena, double, (size_t)system->output_count * system->columns + 1);
    double* size = arena_array(&kernel->bonds->arena, double, system->columns + 1);
    double* row = block;
    for (uint32_t i = 0; i < system->output_count; i++)
    {
        const BondOutput* output = &kernel->model->bond_outputs[system->first_output + i];
        if (!output->mapped)
            continue;
        map_row(kernel, run, maps, output, row, size);
        row += system->columns;
    }
    bond_maps_destroy(maps);
    return block;
}

static size_t block_size(const Kernel* kernel, const BondRun* run)
{
    size_t rows = 0;
    for (uint32_t i = 0; i < run->system->output_count; i++)
        rows += kernel->model->bond_outputs[run->system->first_output + i].mapped;
    return rows * run->system->columns;
}

// The element that owns input `input`, if it is a storage whose slope or a TF or GY whose ratio changes in a run.
static const BondPart* varying_part(const Kernel* kernel, const BondRun* run, int input)
{
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = part_of(kernel, run, i);
        bool counts = part->state != NO_REG || bond_is_two_port((BondKind)part->kind);
        if (part->free && counts && run->graph->input_first[i] <= input && input < run->graph->input_first[i + 1])
            return part;
    }
    return NULL;
}

// Storages that follow from each other, or from sources, by way of something that changes: the equations would change
// at every step. A set that is only tried may be of that kind, one that stays may not.
static void find_varying(const Kernel* kernel, BondRun* run)
{
    run->varying = NULL;
    for (int i = 0; !run->linear && run->varying == NULL && i < bond_mode_dependents(run->mode); i++)
    {
        BondDependent d = bond_mode_dependent(run->mode, i);
        run->varying = varying_part(kernel, run, d.port_input);
        for (int k = 0; k < d.count && run->varying == NULL; k++)
            if (d.coefficient[k] != 0)
                run->varying = varying_part(kernel, run, d.input[k]);
        run->varied = run->varying != NULL ? part_of(kernel, run, (uint32_t)d.node) : NULL;
    }
}

kaiStatus bonds_check_varying(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        const BondPart *part = kernel->bonds->runs[i].varying, *storage = kernel->bonds->runs[i].varied;
        if (part == NULL)
            continue;
        if (part->state != NO_REG)
            return kernel_fail(
                kernel, part->place, "put a small resistance between them, or make it linear",
                "%s is nonlinear or modulated and depends on other storages or sources in this set of modes",
                model_string(kernel->model, part->name));
        return kernel_fail(kernel, part->place,
                           "let a spring (or a small compliance, inductance, capacitance) give way between them",
                           "%s depends on other storages or sources through %s, whose ratio changes in the run",
                           model_string(kernel->model, storage->name), model_string(kernel->model, part->name));
    }
    return KAI_OK;
}

static kaiStatus enter_run(Kernel* kernel, BondRun* run)
{
    for (int i = 0; i < run->graph->switch_count; i++)
    {
        const Machine* machine = &kernel->model->machines[run->machines[i]];
        run->on[i] = kernel->model->modes[machine->first_mode + (uint32_t)kernel->R[machine->reg]].on;
    }
    BondMode* mode = bond_cache_mode(run->cache, run->on, run->storage);
    if (mode == NULL)
        return fail_memory(kernel);
    run->mode = mode;
    find_varying(kernel, run);
    void** attached = bond_cache_attachment(run->cache, mode);
    if (*attached == NULL)
        *attached = make_block(kernel, run);
    if (*attached == NULL)
        return fail_memory(kernel);
    if (run->system->map != NO_REG)
        memcpy(kernel->R + run->system->map, *attached, sizeof(double) * block_size(kernel, run));
    return KAI_OK;
}

kaiStatus bonds_enter(Kernel* kernel)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < kernel->bonds->count && status == KAI_OK; i++)
        status = enter_run(kernel, &kernel->bonds->runs[i]);
    return status;
}

static kaiStatus read_all(Kernel* kernel, bool guesses, bool* moved)
{
    Bonds* bonds = kernel->bonds;
    kaiStatus status = kernel_run(kernel, guesses ? kernel->model->guesses : kernel->model->bonds);
    for (uint32_t i = 0; i < bonds->count && status == KAI_OK; i++)
        status = read_parameters(kernel, &bonds->runs[i], guesses, moved);
    return status;
}

// Free elements need a guess of their slope before there are values, and values before there is a slope: a few rounds.
kaiStatus bonds_start(Kernel* kernel)
{
    enum
    {
        ROUNDS = 5
    };
    Bonds* bonds = kernel->bonds;
    bool moved = true;
    kaiStatus status = read_all(kernel, false, &moved);
    for (int round = 0; round < ROUNDS && moved && status == KAI_OK; round++)
    {
        moved = false;
        for (uint32_t i = 0; i < bonds->count && status == KAI_OK; i++)
            status = make_equations(kernel, &bonds->runs[i]);
        if (status == KAI_OK)
            status = read_all(kernel, false, &moved);  // storages again: now they have a place
        if (status == KAI_OK)
            status = bonds_enter(kernel);
        moved = false;
        if (status == KAI_OK)
            status = read_all(kernel, true, &moved);
    }
    return status;
}

// ---- jumps

void bonds_read_inputs(Kernel* kernel, BondRun* run, bool impulses)
{
    size_t bytes = sizeof(double) * 2 * run->system->link_count;
    memset(run->b0, 0, bytes);
    memset(run->b1, 0, bytes);
    memset(run->b2, 0, bytes);
    for (uint32_t i = 0; i < run->system->input_count; i++)
    {
        const BondInput* input = input_at(kernel, run, i);
        int at = run->input_of[i];
        run->b1[at] = kernel->R[input->value];
        if (input->impulse != NO_REG && impulses)
            run->b0[at] = kernel->R[input->impulse];
        if (input->slope != NO_REG)
            run->b2[at] = kernel->R[input->slope];
    }
}

// With `impulses = numeric` guards compare the impulse as a number, its area over the length of a pulse, instead of the
// area (paper 001, section 4.3).
static double pulse_height(const Kernel* kernel)
{
    return kernel_numeric(kernel) ? 1 / kernel->R[kernel->model->reg_pulse] : 1;
}

static void write_areas(Kernel* kernel, BondRun* run)
{
    for (uint32_t i = 0; i < run->system->output_count; i++)
    {
        const BondOutput* output = &kernel->model->bond_outputs[run->system->first_output + i];
        double area = 0, size = 0;
        for (uint32_t t = 0; t < output->term_count; t++)
        {
            const BondTerm* term = &kernel->model->bond_terms[output->first_term + t];
            double value = run->area[term->flow ? BOND_F(term->bond) : BOND_E(term->bond)];
            area += term->sign * value;
            size += fabs(value);
        }
        bool rounding = fabs(area) <= 1e-12 * size && isfinite(size);
        kernel->R[output->area] = isnan(area) || rounding ? 0 : area * pulse_height(kernel);
    }
}

static bool move_states(Kernel* kernel, const BondRun* run)
{
    bool moved = false;
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = part_of(kernel, run, i);
        for (uint32_t port = 0; run->port_of[i] >= 0 && port < part->ports; port++)
        {
            double dx = run->dx[run->port_of[i] + (int)port];
            double *state = &kernel->R[part->state + port], before = *state;
            if (dx == 0)
                continue;
            *state += dx;
            if (fabs(*state) <= 1e-12 * fabs(before))
                *state = 0;  // all of it went: what is left is rounding (rule B5)
            moved = true;
        }
    }
    return moved;
}

// One round: *moved: states jumped.
static kaiStatus jump_run(Kernel* kernel, BondRun* run, bool first, bool* moved)
{
    bonds_read_inputs(kernel, run, first);
    BondJump jump = {.b0 = run->b0, .b1 = run->b1, .b2 = run->b2, .z0 = run->z0, .z1 = run->z1, .dx = run->dx};
    jump.most = run->most;
    run->status = bond_mode_jump(run->mode, &jump, run->work);
    if (run->status == BOND_SINGULAR)
        return kernel_fail(kernel, part_of(kernel, run, 0)->place,
                           "look for a negative resistance that cancels the others",
                           "the equations of the bond graph of %s have no unique solution in this set of modes",
                           model_string(kernel->model, part_of(kernel, run, 0)->name));
    if (run->status == BOND_DELTA_PRIME)
        return kernel_fail(
            kernel, part_of(kernel, run, 0)->place, "let the impulse act on a storage",
            "an impulse of a source meets a storage that depends on it, or another source: that would be δ′");
    bool inconsistent = run->status == BOND_INCONSISTENT;
    for (uint32_t i = 0; i < 2 * run->system->link_count; i++)
        run->area[i] = inconsistent ? run->z0[i] : run->area[i] + run->z0[i];
    if (!inconsistent)
        *moved |= move_states(kernel, run);
    write_areas(kernel, run);
    return KAI_OK;
}

void bonds_project(Kernel* kernel)
{
    bool moved = false;
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        BondRun* run = &kernel->bonds->runs[i];
        if (run->selection == NULL || run->mode == NULL || bond_mode_dependents(run->mode) == 0)
            continue;
        bonds_read_inputs(kernel, run, false);
        BondJump jump = {.b1 = run->b1, .b2 = run->b2, .most = run->most, .z0 = run->z0, .z1 = run->z1, .dx = run->dx};
        BondStatus status = bond_mode_jump(run->mode, &jump, run->work);
        if ((status == BOND_OK || status == BOND_NOT_UNIQUE) &&
            bond_selection_is_drift(run->selection, run->mode, run->dx, 1e3 * kernel->options->rtol))
            moved |= move_states(kernel, run);
    }
    if (moved)
        memcpy(kernel->bonds->states, kernel_states(kernel), sizeof(double) * kernel->model->state_count);
}

void bonds_clear_areas(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->model->bond_outputs_count; i++)
        kernel->R[kernel->model->bond_outputs[i].area] = 0;
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
        memset(kernel->bonds->runs[i].area, 0, sizeof(double) * 2 * kernel->bonds->runs[i].system->link_count);
}

kaiStatus bonds_jump(Kernel* kernel, bool* consistent)
{
    enum
    {
        ROUNDS = 30  // sources may read other graphs; then a jump here moves a source there
    };
    Bonds* bonds = kernel->bonds;
    bonds_clear_areas(kernel);
    kaiStatus status = bonds_enter(kernel);
    bool moved = true;
    *consistent = true;
    for (int round = 0; moved && status == KAI_OK && round < ROUNDS; round++)
    {
        moved = false;
        status = kernel_run(kernel, kernel->model->react);
        for (uint32_t i = 0; i < bonds->count && status == KAI_OK; i++)
            status = jump_run(kernel, &bonds->runs[i], round == 0, &moved);
        for (uint32_t i = 0; i < bonds->count; i++)
            *consistent &= bonds->runs[i].status != BOND_INCONSISTENT;
    }
    // Guards read areas: once more, with all of them known.
    if (status == KAI_OK)
        status = kernel_run(kernel, kernel->model->react);
    for (uint32_t i = 0; i < kernel->model->carried_count && *consistent; i++)
        if (kernel_ctx_active(kernel, kernel->model->carried[i].ctx))
            kernel->R[kernel->model->carried[i].state] +=
                kernel->R[kernel->model->carried[i].area] / pulse_height(kernel);
    return status;
}

// Parallel closed switches share a current by convention only (rule B4): who reads it should know.
static void warn_output(Kernel* kernel, BondRun* run, const BondOutput* output)
{
    for (uint32_t t = 0; t < output->term_count && !run->warned; t++)
    {
        const BondTerm* term = &kernel->model->bond_terms[output->first_term + t];
        if (bond_mode_unique(run->mode, term->flow ? BOND_F((int)term->bond) : BOND_E((int)term->bond)))
            continue;
        const ModelVar* var = &kernel->model->vars[output->var];
        kernel_warn(
            kernel, var->place,
            "%s is read and has no unique value in the modes from t = %.9g on: ideal parts in parallel (or floating) "
            "share it by equal leakage; put a small resistance into them if the share matters",
            model_string(kernel->model, var->name), kernel->now.t);
        run->warned = true;
    }
}

void bonds_warn_not_unique(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        BondRun* run = &kernel->bonds->runs[i];
        if (run->warned || bond_mode_status(run->mode) != BOND_NOT_UNIQUE)
            continue;
        for (uint32_t k = 0; k < run->system->output_count; k++)
        {
            const BondOutput* output = &kernel->model->bond_outputs[run->system->first_output + k];
            if (output->read)
                warn_output(kernel, run, output);
        }
    }
}

kaiStatus bonds_fail_inconsistent(Kernel* kernel)
{
    char names[300] = "";
    size_t length = 0;
    uint32_t place = 0;
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        BondRun* run = &kernel->bonds->runs[i];
        if (run->status != BOND_INCONSISTENT || place != 0)
            continue;
        bonds_read_inputs(kernel, run, true);
        int* loop = run->unknowns;  // long enough, and set again below
        int count = bond_mode_loop(run->mode, run->b1, loop, run->work);
        if (count == 0)  // equal now, and not any more at once
            count = bond_mode_loop(run->mode, run->b2, loop, run->work);
        for (int k = 0; k < count && length + 60 < sizeof names; k++)
        {
            const BondPart* part = part_of(kernel, run, (uint32_t)loop[k]);
            place = place != 0 ? place : part->place;
            length +=
                (size_t)snprintf(names + length, sizeof names - length, "%s%s (line %d)", k > 0 ? ", " : "",
                                 model_string(kernel->model, part->name), model_place(kernel->model, part->place).line);
        }
        for (uint32_t k = 0; k < 2 * run->system->link_count; k++)
            run->unknowns[k] = (int)k;
    }
    return kernel_fail(kernel, place,
                       "open a junction between them by a guard on area(…), or put a resistor between them",
                       "sources contradict each other at t = %.17g and no junction switches: %s", kernel->now.t, names);
}
