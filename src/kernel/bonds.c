// Equations of bond graphs as the run needs them: made per set of modes when first entered (rule B2), kept, and written
// into registers as a map from inputs to outputs. Entering a set again is a copy.
#include "kernel/bonds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const BondPart* part_of(const kaiSim* sim, const BondRun* run, uint32_t index)
{
    return &sim->model->bond_parts[run->system->first_part + index];
}

static const BondInput* input_at(const kaiSim* sim, const BondRun* run, uint32_t index)
{
    return &sim->model->bond_inputs[run->system->first_input + index];
}

// ---- making

static void create_run(kaiSim* sim, Bonds* bonds, BondRun* run, const BondSystem* system)
{
    Arena* arena = &bonds->arena;
    uint32_t unknowns = 2 * system->link_count, parts = system->part_count, ports = 0, slopes = 0;
    *run = (BondRun){.system = system};
    for (uint32_t i = 0; i < parts; i++)
    {
        const BondPart* part = part_of(sim, run, i);
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

static void create_switching(kaiSim* sim, Bonds* bonds)
{
    const kaiModel* model = sim->model;
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

kaiStatus bonds_create(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    kaiAllocator a = sim->options.allocator;
    if (model->bond_systems_count == 0)
        return KAI_OK;
    Bonds* bonds = a.alloc(a.user, NULL, 0, sizeof *bonds);
    if (bonds == NULL)
        return KAI_ERR_MEMORY;
    memset(bonds, 0, sizeof *bonds);
    sim->bonds = bonds;
    arena_init(&bonds->arena, a, &bonds->fail);
    if (setjmp(bonds->fail) != 0)
        return KAI_ERR_MEMORY;
    bonds->count = model->bond_systems_count;
    bonds->runs = arena_array(&bonds->arena, BondRun, bonds->count);
    for (uint32_t i = 0; i < bonds->count; i++)
        create_run(sim, bonds, &bonds->runs[i], &model->bond_systems[i]);
    create_switching(sim, bonds);
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

void bonds_destroy(kaiSim* sim)
{
    Bonds* bonds = sim->bonds;
    if (bonds == NULL)
        return;
    for (uint32_t i = 0; i < bonds->count && bonds->runs != NULL; i++)
        forget_equations(&bonds->runs[i]);
    arena_free(&bonds->arena);
    kaiAllocator a = sim->options.allocator;
    a.alloc(a.user, bonds, sizeof *bonds, 0);
    sim->bonds = NULL;
}

// ---- the graph, once parameters are known

static kaiStatus fail_memory(kaiSim* sim)
{
    return sim_fail(sim, 0, "use a smaller model", "out of memory for the equations of a bond graph");
}

static void place_inputs(kaiSim* sim, BondRun* run)
{
    for (int i = 0; i < run->graph->input_count; i++)
        run->column_of[i] = -1;
    for (uint32_t i = 0; i < run->system->input_count; i++)
    {
        const BondInput* input = input_at(sim, run, i);
        run->input_of[i] = run->graph->input_first[input->node] + (int)input->port;
        run->column_of[run->input_of[i]] = (int)i;
    }
    for (uint32_t i = 0; i < run->system->part_count; i++)
        run->port_of[i] = part_of(sim, run, i)->state != NO_REG ? run->graph->port_first[i] : -1;
}

static kaiStatus make_equations(kaiSim* sim, BondRun* run)
{
    const BondSystem* system = run->system;
    kaiAllocator a = sim->options.allocator;
    Arena* arena = &sim->bonds->arena;
    forget_equations(run);
    if (setjmp(sim->bonds->fail) != 0)
        return fail_memory(sim);
    BondNode* nodes = arena_array(arena, BondNode, system->part_count + 1);
    BondEdge* edges = arena_array(arena, BondEdge, system->link_count + 1);
    int switches = 0;
    for (uint32_t i = 0; i < system->part_count; i++)
    {
        const BondPart* part = part_of(sim, run, i);
        nodes[i] = (BondNode){.kind = (BondKind)part->kind, .switch_index = -1, .parameter = run->nominal[i]};
        if (part->machine != 0)
        {
            run->machines[switches] = part->machine - 1;
            nodes[i].switch_index = switches++;
        }
    }
    for (uint32_t i = 0; i < system->link_count; i++)
    {
        const BondLink* link = &sim->model->bond_links[system->first_link + i];
        edges[i] = (BondEdge){(int)link->from, (int)link->to};
    }
    run->graph = bond_graph_create(nodes, (int)system->part_count, edges, (int)system->link_count, a);
    run->cache = run->graph != NULL ? bond_cache_create(run->graph, a) : NULL;
    if (run->cache == NULL)
        return fail_memory(sim);
    run->work = arena_array(arena, double, bond_work_size(run->graph) + 1);
    place_inputs(sim, run);
    return KAI_OK;
}

static kaiStatus fail_parameter(kaiSim* sim, const BondPart* part, double value)
{
    return sim_fail(sim, part->place, "give it a finite value that is not 0", "the parameter of %s is %g at the start",
                    model_string(sim->model, part->name), value);
}

// atol is meant for efforts and flows: a charge of 1e-6 is not small where 1e-6 F make 1 V of it.
static void set_unit(kaiSim* sim, uint32_t state, double capacity)
{
    if (isfinite(capacity) && capacity != 0)
    {
        uint32_t index = state - sim->model->reg_first[REG_STATE];
        ode_set_unit(sim->island_odes[sim->model->state_islands[index]], (int)sim->model->state_slots[index],
                     fabs(capacity));
    }
}

static kaiStatus read_matrix(kaiSim* sim, BondRun* run, uint32_t index)
{
    const BondPart* part = part_of(sim, run, index);
    kaiStatus status = multiport_invert(sim, part, run->scratch);
    size_t slopes = (size_t)part->ports * part->ports;
    if (status == KAI_OK && run->graph != NULL)
        memcpy(run->storage + run->graph->block_first[index], sim->R + part->slopes, sizeof(double) * slopes);
    for (uint32_t i = 0; i < part->ports; i++)
        set_unit(sim, part->state + i, sim->R[part->matrix + i * part->ports + i]);
    return status;
}

// Parameters and slopes from the registers after `bonds`. *moved: a guess of a free element is far off.
static kaiStatus read_parameters(kaiSim* sim, BondRun* run, bool guesses, bool* moved)
{
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = part_of(sim, run, i);
        kaiStatus status = part->matrix != NO_REG && !guesses ? read_matrix(sim, run, i) : KAI_OK;
        if (status != KAI_OK)
            return status;
        if (part->parameter == NO_REG || part->free != guesses)
            continue;
        double value = sim->R[part->parameter];
        if (part->state != NO_REG)
        {
            run->storage[run->graph != NULL ? run->graph->block_first[i] : 0] = value;
            set_unit(sim, part->state, 1 / value);
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
            return fail_parameter(sim, part, part->state != NO_REG ? 1 / value : value);
    }
    return KAI_OK;
}

// ---- entering a set of modes

// The row of an output: its terms' rows added, what cancels is 0 exactly.
static void map_row(const kaiSim* sim, const BondRun* run, const BondMaps* maps, const BondOutput* output, double* row,
                    double* size)
{
    const BondSystem* system = run->system;
    memset(row, 0, sizeof(double) * system->columns);
    memset(size, 0, sizeof(double) * system->columns);
    for (uint32_t t = 0; t < output->term_count; t++)
    {
        const BondTerm* term = &sim->model->bond_terms[output->first_term + t];
        int unknown = term->flow ? BOND_F((int)term->bond) : BOND_E((int)term->bond);
        for (int k = maps->start[unknown]; k < maps->start[unknown + 1]; k++)
        {
            int column = run->column_of[maps->input[k]];
            if (column < 0)
                continue;  // a constant resistor: its input is 0
            const BondInput* input = input_at(sim, run, (uint32_t)column);
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

static double* make_block(kaiSim* sim, BondRun* run)
{
    const BondSystem* system = run->system;
    BondMaps* maps = bond_mode_maps(run->mode, run->unknowns, 2 * (int)system->link_count, sim->options.allocator);
    if (maps == NULL || setjmp(sim->bonds->fail) != 0)
        return NULL;
    double* block = arena_array(&sim->bonds->arena, double, (size_t)system->output_count * system->columns + 1);
    double* size = arena_array(&sim->bonds->arena, double, system->columns + 1);
    double* row = block;
    for (uint32_t i = 0; i < system->output_count; i++)
    {
        const BondOutput* output = &sim->model->bond_outputs[system->first_output + i];
        if (!output->mapped)
            continue;
        map_row(sim, run, maps, output, row, size);
        row += system->columns;
    }
    bond_maps_destroy(maps);
    return block;
}

static size_t block_size(const kaiSim* sim, const BondRun* run)
{
    size_t rows = 0;
    for (uint32_t i = 0; i < run->system->output_count; i++)
        rows += sim->model->bond_outputs[run->system->first_output + i].mapped;
    return rows * run->system->columns;
}

// The storage that owns input `input`, if its slope changes in a run.
static const BondPart* varying_storage(const kaiSim* sim, const BondRun* run, int input)
{
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = part_of(sim, run, i);
        if (part->free && part->state != NO_REG && run->graph->input_first[i] == input)
            return part;
    }
    return NULL;
}

// Storages that follow from each other, or from sources: with a slope that changes the equations would change at every
// step.
static kaiStatus check_dependents(kaiSim* sim, BondRun* run)
{
    for (int i = 0; i < bond_mode_dependents(run->mode); i++)
    {
        BondDependent d = bond_mode_dependent(run->mode, i);
        const BondPart* part = varying_storage(sim, run, d.port_input);
        for (int k = 0; k < d.count && part == NULL; k++)
            part = varying_storage(sim, run, d.input[k]);
        if (part != NULL)
            return sim_fail(
                sim, part->place, "put a small resistance between them, or make it linear",
                "%s is nonlinear or modulated and depends on other storages or sources in this set of modes",
                model_string(sim->model, part->name));
    }
    return KAI_OK;
}

static kaiStatus enter_run(kaiSim* sim, BondRun* run)
{
    for (int i = 0; i < run->graph->switch_count; i++)
    {
        const Machine* machine = &sim->model->machines[run->machines[i]];
        run->on[i] = sim->model->modes[machine->first_mode + (uint32_t)sim->R[machine->reg]].on;
    }
    BondMode* mode = bond_cache_mode(run->cache, run->on, run->storage);
    if (mode == NULL)
        return fail_memory(sim);
    run->mode = mode;
    void** attached = bond_cache_attachment(run->cache, mode);
    if (*attached == NULL)
    {
        kaiStatus status = check_dependents(sim, run);
        if (status != KAI_OK)
            return status;
        *attached = make_block(sim, run);
    }
    if (*attached == NULL)
        return fail_memory(sim);
    if (run->system->map != NO_REG)
        memcpy(sim->R + run->system->map, *attached, sizeof(double) * block_size(sim, run));
    return KAI_OK;
}

kaiStatus bonds_enter(kaiSim* sim)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < sim->bonds->count && status == KAI_OK; i++)
        status = enter_run(sim, &sim->bonds->runs[i]);
    return status;
}

static kaiStatus read_all(kaiSim* sim, bool guesses, bool* moved)
{
    Bonds* bonds = sim->bonds;
    kaiStatus status = sim_run_code(sim, guesses ? sim->model->guesses : sim->model->bonds);
    for (uint32_t i = 0; i < bonds->count && status == KAI_OK; i++)
        status = read_parameters(sim, &bonds->runs[i], guesses, moved);
    return status;
}

// Free elements need a guess of their slope before there are values, and values before there is a slope: a few rounds.
kaiStatus bonds_start(kaiSim* sim)
{
    enum
    {
        ROUNDS = 5
    };
    Bonds* bonds = sim->bonds;
    bool moved = true;
    kaiStatus status = read_all(sim, false, &moved);
    for (int round = 0; round < ROUNDS && moved && status == KAI_OK; round++)
    {
        moved = false;
        for (uint32_t i = 0; i < bonds->count && status == KAI_OK; i++)
            status = make_equations(sim, &bonds->runs[i]);
        if (status == KAI_OK)
            status = read_all(sim, false, &moved);  // storages again: now they have a place
        if (status == KAI_OK)
            status = bonds_enter(sim);
        moved = false;
        if (status == KAI_OK)
            status = read_all(sim, true, &moved);
    }
    return status;
}

// ---- jumps

void bonds_read_inputs(kaiSim* sim, BondRun* run, bool impulses)
{
    size_t bytes = sizeof(double) * 2 * run->system->link_count;
    memset(run->b0, 0, bytes);
    memset(run->b1, 0, bytes);
    memset(run->b2, 0, bytes);
    for (uint32_t i = 0; i < run->system->input_count; i++)
    {
        const BondInput* input = input_at(sim, run, i);
        int at = run->input_of[i];
        run->b1[at] = sim->R[input->value];
        if (input->impulse != NO_REG && impulses)
            run->b0[at] = sim->R[input->impulse];
        if (input->slope != NO_REG)
            run->b2[at] = sim->R[input->slope];
    }
}

// With `impulses = numeric` guards compare the impulse as a number, its area over the length of a pulse, instead of the
// area (paper 001, section 4.3).
static double pulse_height(const kaiSim* sim)
{
    return sim_numeric(sim) ? 1 / sim->R[sim->model->reg_pulse] : 1;
}

static void write_areas(kaiSim* sim, BondRun* run)
{
    for (uint32_t i = 0; i < run->system->output_count; i++)
    {
        const BondOutput* output = &sim->model->bond_outputs[run->system->first_output + i];
        double area = 0, size = 0;
        for (uint32_t t = 0; t < output->term_count; t++)
        {
            const BondTerm* term = &sim->model->bond_terms[output->first_term + t];
            double value = run->area[term->flow ? BOND_F(term->bond) : BOND_E(term->bond)];
            area += term->sign * value;
            size += fabs(value);
        }
        bool rounding = fabs(area) <= 1e-12 * size && isfinite(size);
        sim->R[output->area] = isnan(area) || rounding ? 0 : area * pulse_height(sim);
    }
}

static bool move_states(kaiSim* sim, const BondRun* run)
{
    bool moved = false;
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = part_of(sim, run, i);
        for (uint32_t port = 0; run->port_of[i] >= 0 && port < part->ports; port++)
        {
            double dx = run->dx[run->port_of[i] + (int)port];
            double *state = &sim->R[part->state + port], before = *state;
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
static kaiStatus jump_run(kaiSim* sim, BondRun* run, bool first, bool* moved)
{
    bonds_read_inputs(sim, run, first);
    BondJump jump = {.b0 = run->b0, .b1 = run->b1, .b2 = run->b2, .z0 = run->z0, .z1 = run->z1, .dx = run->dx};
    run->status = bond_mode_jump(run->mode, &jump, run->work);
    if (run->status == BOND_SINGULAR)
        return sim_fail(sim, part_of(sim, run, 0)->place, "look for a negative resistance that cancels the others",
                        "the equations of the bond graph of %s have no unique solution in this set of modes",
                        model_string(sim->model, part_of(sim, run, 0)->name));
    if (run->status == BOND_DELTA_PRIME)
        return sim_fail(
            sim, part_of(sim, run, 0)->place, "let the impulse act on a storage",
            "an impulse of a source meets a storage that depends on it, or another source: that would be δ′");
    bool inconsistent = run->status == BOND_INCONSISTENT;
    for (uint32_t i = 0; i < 2 * run->system->link_count; i++)
        run->area[i] = inconsistent ? run->z0[i] : run->area[i] + run->z0[i];
    if (!inconsistent)
        *moved |= move_states(sim, run);
    write_areas(sim, run);
    return KAI_OK;
}

void bonds_clear_areas(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->model->bond_outputs_count; i++)
        sim->R[sim->model->bond_outputs[i].area] = 0;
    for (uint32_t i = 0; i < sim->bonds->count; i++)
        memset(sim->bonds->runs[i].area, 0, sizeof(double) * 2 * sim->bonds->runs[i].system->link_count);
}

kaiStatus bonds_jump(kaiSim* sim, bool* consistent)
{
    enum
    {
        ROUNDS = 30  // sources may read other graphs; then a jump here moves a source there
    };
    Bonds* bonds = sim->bonds;
    bonds_clear_areas(sim);
    kaiStatus status = bonds_enter(sim);
    bool moved = true;
    *consistent = true;
    for (int round = 0; moved && status == KAI_OK && round < ROUNDS; round++)
    {
        moved = false;
        status = sim_run_code(sim, sim->model->react);
        for (uint32_t i = 0; i < bonds->count && status == KAI_OK; i++)
            status = jump_run(sim, &bonds->runs[i], round == 0, &moved);
        for (uint32_t i = 0; i < bonds->count; i++)
            *consistent &= bonds->runs[i].status != BOND_INCONSISTENT;
    }
    // Guards read areas: once more, with all of them known.
    if (status == KAI_OK)
        status = sim_run_code(sim, sim->model->react);
    for (uint32_t i = 0; i < sim->model->carried_count && *consistent; i++)
        if (sim_ctx_active(sim, sim->model->carried[i].ctx))
            sim->R[sim->model->carried[i].state] += sim->R[sim->model->carried[i].area] / pulse_height(sim);
    return status;
}

// Parallel closed switches share a current by convention only (rule B4): who reads it should know.
static void warn_output(kaiSim* sim, BondRun* run, const BondOutput* output)
{
    for (uint32_t t = 0; t < output->term_count && !run->warned; t++)
    {
        const BondTerm* term = &sim->model->bond_terms[output->first_term + t];
        if (bond_mode_unique(run->mode, term->flow ? BOND_F((int)term->bond) : BOND_E((int)term->bond)))
            continue;
        const ModelVar* var = &sim->model->vars[output->var];
        sim_warn(
            sim, var->place,
            "%s is read and has no unique value in the modes from t = %.9g on: ideal parts in parallel (or floating) "
            "share it by equal leakage; put a small resistance into them if the share matters",
            model_string(sim->model, var->name), sim->now.t);
        run->warned = true;
    }
}

void bonds_warn_not_unique(kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->bonds->count; i++)
    {
        BondRun* run = &sim->bonds->runs[i];
        if (run->warned || bond_mode_status(run->mode) != BOND_NOT_UNIQUE)
            continue;
        for (uint32_t k = 0; k < run->system->output_count; k++)
        {
            const BondOutput* output = &sim->model->bond_outputs[run->system->first_output + k];
            if (output->read)
                warn_output(sim, run, output);
        }
    }
}

kaiStatus bonds_fail_inconsistent(kaiSim* sim)
{
    char names[300] = "";
    size_t length = 0;
    uint32_t place = 0;
    for (uint32_t i = 0; i < sim->bonds->count; i++)
    {
        BondRun* run = &sim->bonds->runs[i];
        if (run->status != BOND_INCONSISTENT || place != 0)
            continue;
        bonds_read_inputs(sim, run, true);
        int* loop = run->unknowns;  // long enough, and set again below
        int count = bond_mode_loop(run->mode, run->b1, loop, run->work);
        if (count == 0)  // equal now, and not any more at once
            count = bond_mode_loop(run->mode, run->b2, loop, run->work);
        for (int k = 0; k < count && length + 60 < sizeof names; k++)
        {
            const BondPart* part = part_of(sim, run, (uint32_t)loop[k]);
            place = place != 0 ? place : part->place;
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", k > 0 ? ", " : "",
                                       model_string(sim->model, part->name));
        }
        for (uint32_t k = 0; k < 2 * run->system->link_count; k++)
            run->unknowns[k] = (int)k;
    }
    return sim_fail(sim, place, "open a junction between them by a guard on area(…), or put a resistor between them",
                    "sources contradict each other at t = %.17g and no junction switches: %s", sim->now.t, names);
}
