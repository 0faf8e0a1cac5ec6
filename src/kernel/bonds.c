// Equations of bond graphs as the run needs them: made per set of modes when first entered (rule B2), kept, and written
// into registers as a map from inputs to outputs. Entering a set again is a copy.
#include "kernel/bonds.h"
#include "base/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- making

static void create_run(Kernel* kernel, Bonds* bonds, BondRun* run, const BondSystem* system)
{
    Arena* arena = &bonds->arena;
    uint32_t unknowns = 2 * system->link_count, parts = system->part_count, ports = 0, slopes = 0;
    *run = (BondRun){.system = system};
    arena_init(&run->present.made, kernel->options->allocator, &bonds->fail);
    for (uint32_t i = 0; i < parts; i++)
    {
        const BondPart* part = bonds_part(kernel, run, i);
        run->present.steps |= part->steps;
        ports += part->ports;
        slopes += part->ports * part->ports;
    }
    run->on = arena_array(arena, bool, parts + 1);
    run->machines = arena_array(arena, uint32_t, parts + 1);
    run->input_of = arena_array(arena, int, system->input_count + 1);
    run->column_of = arena_array(arena, int, unknowns + 1);
    run->feeds.values = arena_array(arena, BondFeed, system->input_count + 1);
    run->feeds.slopes = arena_array(arena, BondFeed, system->input_count + 1);
    run->feeds.impulses = arena_array(arena, BondFeed, system->input_count + 1);
    run->feeds.stored = arena_array(arena, BondStored, system->input_count + 1);
    run->feeds.known = arena_array(arena, BondKnown, 2 * system->input_count + 1);
    run->port_of = arena_array(arena, int, parts + 1);
    run->node_of = arena_array(arena, int, unknowns + 1);
    run->loop = arena_array(arena, int, 2 * unknowns + parts + 1);
    run->nominal = arena_array(arena, double, parts + 1);
    run->storage = arena_array(arena, double, slopes + 1);
    run->scratch = arena_array(arena, double, 2 * slopes + 1);
    double** vectors[] = {&run->b0,   &run->b1,        &run->b2,        &run->z0,      &run->z1,
                          &run->area, &run->b1_before, &run->b2_before, &run->z_before};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = arena_array(arena, double, unknowns + 1);
    run->dx = arena_array(arena, double, ports + 1);
    run->stores.shared = arena_array(arena, bool, ports + 1);
    run->stores.sharing = arena_array(arena, bool, ports + 1);
    run->stores.port_count = ports;
    run->stores.parts = arena_array(arena, uint32_t, parts + 1);
    for (uint32_t i = 0; i < parts; i++)
        if (bonds_part(kernel, run, i)->state != NO_REG)
            run->stores.parts[run->stores.part_count++] = i;
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
    bonds->struck = true;
    bonds->runs = arena_array(&bonds->arena, BondRun, bonds->count);
    for (uint32_t i = 0; i < bonds->count; i++)
        create_run(kernel, bonds, &bonds->runs[i], &model->bond_systems[i]);
    for (uint32_t i = 0; i < bonds->count; i++)
        bonds->steps |= bonds->runs[i].present.steps;
    create_switching(kernel, bonds);
    bonds->alone = bonds->junction_count == model->machines_count;
    bonds_list_impulses(model, bonds);
    for (uint32_t i = 0; i < bonds->count; i++)
        bonds->most_count += 4 * model->bond_systems[i].link_count;
    bonds->most = arena_array(&bonds->arena, double, bonds->most_count + 1);
    bonds->signs.ties = arena_array(&bonds->arena, double, model->machines_count + 1);
    bonds->signs.tolerances = arena_array(&bonds->arena, double, model->machines_count + 1);
    bonds->signs.asked = arena_array(&bonds->arena, uint64_t, model->transitions_count + 1);
    bonds->signs.fires = arena_array(&bonds->arena, bool, model->transitions_count + 1);
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
    bond_net_destroy(run->net);
    bond_graph_destroy(run->graph);
    run->net = NULL;
    run->graph = NULL;
    run->entered = false;
    run->selection = NULL;
    arena_free(&run->present.made);
    present_forget(run);
}

void bonds_destroy(Kernel* kernel)
{
    Bonds* bonds = kernel->bonds;
    if (bonds == NULL)
        return;
    for (uint32_t i = 0; i < bonds->count && bonds->runs != NULL; i++)
        forget_equations(&bonds->runs[i]);
    passages_free(kernel);
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

static void add_feed(BondFeed* feeds, uint32_t* count, uint32_t reg, int at)
{
    if (reg != NO_REG)
        feeds[(*count)++] = (BondFeed){reg, at};
}

static void list_known(const Kernel* kernel, BondRun* run)
{
    BondFeeds* feeds = &run->feeds;
    const double* most = run->most;
    feeds->known_count = 0;
    for (const BondFeed *f = feeds->values, *end = f + feeds->value_count; f < end; f++)
        feeds->known[feeds->known_count++] = (BondKnown){kernel->R + f->reg, most + f->at, run->b1 + f->at};
    most += run->graph->input_count;
    for (const BondFeed *f = feeds->slopes, *end = f + feeds->slope_count; f < end; f++)
        feeds->known[feeds->known_count++] = (BondKnown){kernel->R + f->reg, most + f->at, run->b2 + f->at};
}

static void list_feeds(Kernel* kernel, BondRun* run)
{
    BondFeeds* feeds = &run->feeds;
    feeds->value_count = feeds->slope_count = feeds->impulse_count = feeds->stored_count = 0;
    for (int storages = 0; storages < 2; storages++)
    {
        feeds->sources = feeds->value_count;
        for (uint32_t i = 0; i < run->system->input_count; i++)
        {
            const BondInput* input = bonds_input(kernel, run, i);
            if ((bonds_part(kernel, run, input->node)->state != NO_REG) != (storages == 1))
                continue;
            const BondPart* part = bonds_part(kernel, run, input->node);
            if (storages == 1 && !part->free)
                feeds->stored[feeds->stored_count++] = (BondStored){part->state + input->port, input->value};
            add_feed(feeds->values, &feeds->value_count, input->value, run->input_of[i]);
            add_feed(feeds->slopes, &feeds->slope_count, input->slope, run->input_of[i]);
            add_feed(feeds->impulses, &feeds->impulse_count, input->impulse, run->input_of[i]);
        }
    }
    list_known(kernel, run);
}

static void place_inputs(Kernel* kernel, BondRun* run)
{
    for (int i = 0; i < run->graph->input_count; i++)
        run->column_of[i] = -1;
    for (uint32_t i = 0; i < run->system->input_count; i++)
    {
        const BondInput* input = bonds_input(kernel, run, i);
        run->input_of[i] = run->graph->input_first[input->node] + (int)input->port;
        run->column_of[run->input_of[i]] = (int)i;
    }
    list_feeds(kernel, run);
    for (int n = 0; n < run->graph->node_count; n++)
        for (int i = run->graph->input_first[n]; i < run->graph->input_first[n + 1]; i++)
            run->node_of[i] = n;
    for (uint32_t i = 0; i < run->system->part_count; i++)
        run->port_of[i] = bonds_part(kernel, run, i)->state != NO_REG ? run->graph->port_first[i] : -1;
}

static void list_pieces(Kernel* kernel, BondRun* run, size_t blocks)
{
    const BondOutput* outputs = kernel->model->bond_outputs + run->system->first_output;
    BlockRows* rows = &run->rows;
    uint32_t count = 0;
    for (size_t block = 0; block < blocks; block++)
    {
        rows->first_piece[block] = count;
        for (uint32_t i = rows->first[block], end = rows->first[block + 1]; i < end;)
        {
            BondFeed* piece = &rows->pieces[count++];
            const BondOutput* output = &outputs[rows->outputs[i++]];
            *piece = (BondFeed){output->row, (int)output->column_count};
            for (; i < end && outputs[rows->outputs[i]].row == piece->reg + (uint32_t)piece->at; i++)
                piece->at += (int)outputs[rows->outputs[i]].column_count;
        }
    }
    rows->first_piece[blocks] = count;
}

// Which outputs have a row of which block.
static void place_rows(Kernel* kernel, BondRun* run)
{
    const BondSystem* system = run->system;
    Arena* arena = bonds_arena(kernel, run);
    const BondOutput* outputs = kernel->model->bond_outputs + system->first_output;
    size_t blocks = (size_t)bond_net_blocks(run->net)->block_count + 2;
    run->modes_before = arena_array(arena, BondMode*, blocks);
    run->modes_now = arena_array(arena, BondMode*, blocks);
    run->rows.first = arena_array(arena, uint32_t, blocks);
    run->rows.first_piece = arena_array(arena, uint32_t, blocks);
    run->rows.pieces = arena_array(arena, BondFeed, system->output_count + 1);
    run->rows.size = arena_array(arena, size_t, blocks);
    run->rows.outputs = arena_array(arena, uint32_t, system->output_count + 1);
    for (uint32_t i = 0; i < system->output_count; i++)
    {
        if (outputs[i].block == 0)
            continue;
        run->rows.first[outputs[i].block + 1]++;
        run->rows.size[outputs[i].block - 1] += outputs[i].column_count;
    }
    for (size_t i = 2; i < blocks; i++)
        run->rows.first[i] += run->rows.first[i - 1];
    for (uint32_t i = 0; i < system->output_count; i++)
        if (outputs[i].block > 0)
            run->rows.outputs[run->rows.first[outputs[i].block]++] = i;
    list_pieces(kernel, run, blocks - 2);
}

static kaiStatus fail_zero(Kernel* kernel, const BondPart* part)
{
    return kernel_fail(
        kernel, part->place,
        "compile it with 0 (`--set`, an override, 0 in the text), and any other value may follow: whether a "
        "resistance can be 0 decides how the graph is taken apart before the run",
        "the resistance of %s is 0 in this run, and was not when the model was compiled",
        model_string(kernel->model, part->name));
}

// A resistance that is 0, and was not when the model was compiled: the graph must come apart as it did then.
static kaiStatus check_zero(Kernel* kernel, BondRun* run)
{
    const BondSystem* system = run->system;
    const BondPart* wire = NULL;
    for (uint32_t i = 0; i < system->part_count && wire == NULL; i++)
        if (run->nodes[i].wire && !bonds_part(kernel, run, i)->zero)
            wire = bonds_part(kernel, run, i);
    if (wire == NULL)
        return KAI_OK;
    kaiAllocator a = kernel->options->allocator;
    BondNode* nodes = arena_array(bonds_arena(kernel, run), BondNode, system->part_count + 1);
    memcpy(nodes, run->nodes, sizeof *nodes * system->part_count);
    for (uint32_t i = 0; i < system->part_count; i++)
    {
        nodes[i].wire = bonds_part(kernel, run, i)->zero;
        nodes[i].parameter = nodes[i].kind == BOND_R && !nodes[i].wire ? 1 : nodes[i].parameter;
    }
    BondGraph* graph = bond_graph_create(nodes, (int)system->part_count, run->edges, (int)system->link_count, a);
    BondNet* net = graph != NULL ? bond_net_create(graph, a) : NULL;
    bool made = net != NULL, same = made && bond_blocks_equal(bond_net_blocks(net), bond_net_blocks(run->net));
    bond_net_destroy(net);
    bond_graph_destroy(graph);
    return same ? KAI_OK : made ? fail_zero(kernel, wire) : fail_memory(kernel);
}

static kaiStatus make_equations(Kernel* kernel, BondRun* run)
{
    const BondSystem* system = run->system;
    kaiAllocator a = kernel->options->allocator;
    Arena* arena = &kernel->bonds->arena;
    forget_equations(run);
    passages_free(kernel);
    if (setjmp(kernel->bonds->fail) != 0)
        return fail_memory(kernel);
    if (run->nodes == NULL)
    {
        run->nodes = arena_array(arena, BondNode, system->part_count + 1);
        run->edges = arena_array(arena, BondEdge, system->link_count + 1);
    }
    int switches = 0;
    for (uint32_t i = 0; i < system->part_count; i++)
    {
        const BondPart* part = bonds_part(kernel, run, i);
        run->nodes[i] = (BondNode){.kind = (BondKind)part->acts, .switch_index = -1, .parameter = run->nominal[i]};
        run->nodes[i].wire = part->acts == BOND_R && (part->zero || run->nominal[i] == 0);
        run->nodes[i].varies = part->free && bond_is_two_port((BondKind)part->kind);
        if (part->machine != 0)
        {
            run->machines[switches] = part->machine - 1;
            run->nodes[i].switch_index = switches++;
        }
    }
    for (uint32_t i = 0; i < system->link_count; i++)
    {
        const BondLink* link = &kernel->model->bond_links[system->first_link + i];
        run->edges[i] = (BondEdge){(int)link->from, (int)link->to};
    }
    run->graph = bond_graph_create(run->nodes, (int)system->part_count, run->edges, (int)system->link_count, a);
    run->net = run->graph != NULL ? bond_net_create(run->graph, a) : NULL;
    if (run->net == NULL)
        return fail_memory(kernel);
    kaiStatus status = check_zero(kernel, run);
    if (status != KAI_OK)
        return status;
    place_inputs(kernel, run);
    place_rows(kernel, run);
    select_start(kernel, run);
    return KAI_OK;
}

static kaiStatus fail_parameter(Kernel* kernel, const BondPart* part, double value)
{
    // The limit of a part that stores less and less is another part, which the compiled equations do not have.
    const char* help = "give it a finite value that is not 0";
    if (value == 0 && part->kind == BOND_C)
        help = "what stores nothing lets nothing through: leave the part out, or let a switch take it out";
    else if (value == 0 && part->kind == BOND_I)
        help = "what stores nothing is a wire: join its two ends, or let a switch bridge it";
    return kernel_fail(kernel, part->place, help, "the parameter of %s is %g at the start",
                       model_string(kernel->model, part->name), value);
}

// atol is meant for efforts and flows: a charge of 1e-6 is not small where 1e-6 F make 1 V of it.
static void set_unit(Kernel* kernel, uint32_t state, double capacity)
{
    if (isfinite(capacity) && capacity != 0)
        kernel->hooks->unit(kernel->owner, state - kernel->model->reg_first[REG_STATE], fabs(capacity));
}

static kaiStatus read_matrix(Kernel* kernel, BondRun* run, uint32_t index)
{
    const BondPart* part = bonds_part(kernel, run, index);
    kaiStatus status = multiport_invert(kernel, part, run->scratch);
    size_t slopes = (size_t)part->ports * part->ports;
    if (status == KAI_OK && run->graph != NULL)
        memcpy(run->storage + run->graph->block_first[index], kernel->R + part->slopes, sizeof(double) * slopes);
    for (uint32_t i = 0; i < part->ports; i++)
        set_unit(kernel, part->state + i, kernel->R[part->matrix + i * part->ports + i]);
    return status;
}

// What an element with a law is taken for in the equations is free, the law corrects it; but what the two differ by is
// subtracted again, so the slope of an exponential at rest (1e12 ohm) would cost all digits where it conducts. Within a
// few decades of the linear resistances around it nothing is lost.
static double moderate(const Kernel* kernel, const BondRun* run, double value)
{
    double logs = 0;
    int count = 0;
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = bonds_part(kernel, run, i);
        if (part->kind != BOND_R || part->free || !(run->nominal[i] > 0))
            continue;
        logs += log10(run->nominal[i]);
        count++;
    }
    double low = count > 0 ? pow(10, logs / count - 3) : BOND_GUESS_LEAST,
           high = count > 0 ? pow(10, logs / count + 3) : BOND_GUESS_MOST;
    return copysign(fmin(fmax(fabs(value), low), high), value);
}

// Parameters and slopes from the registers after `bonds`. *moved: a guess of a free element is far off.
static kaiStatus read_parameters(Kernel* kernel, BondRun* run, bool guesses, bool* moved)
{
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = bonds_part(kernel, run, i);
        kaiStatus status = part->matrix != NO_REG && !guesses ? read_matrix(kernel, run, i) : KAI_OK;
        if (status != KAI_OK)
            return status;
        bool guess = part->free && part->state == NO_REG;
        if (part->parameter == NO_REG || guess != guesses)
            continue;
        double value = kernel->R[part->parameter];
        if (part->state != NO_REG)
        {
            if (part->free && !(isfinite(value) && value != 0))
                value = present_usual_slope(kernel, run, i);
            run->storage[run->graph != NULL ? run->graph->block_first[i] : 0] = value;
            set_unit(kernel, part->state, 1 / value);
        }
        else if (part->free)
        {
            value = isfinite(value) && value != 0 ? value : run->nominal[i];
            value = part->kind == BOND_R ? moderate(kernel, run, value) : value;
            double ratio = fabs(value / run->nominal[i]);
            *moved |= !(ratio > 0.01 && ratio < 100);
            // Ratios of 1 all around a loop would be a rank that the graph does not have.
            *moved |= part->kind != BOND_R && run->nodes[i].parameter != value;
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

static bool moves_by_itself(const BondRun* run, int input)
{
    int column = run->column_of[input];
    return column >= 0 && bonds_input(run->kernel, run, (uint32_t)column)->slope != NO_REG;
}

// Storages that depend on each other alone keep together in every step: the rates of linear constraints are constant
// sums. Sources move, and so does what a ratio or slope that varies adds.
static bool visit_tie(void* user, const BondDependence* d)
{
    BondRun* run = user;
    run->present.tied = moves_by_itself(run, run->graph->input_first[d->node]);
    for (int k = 0; k < d->count && !run->present.tied; k++)
        run->present.tied = d->coefficient[k] != 0 && moves_by_itself(run, d->input[k]);
    return !run->present.tied;
}

void bonds_forget_registers(Kernel* kernel)
{
    kernel->bonds->struck = true;
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        kernel->bonds->runs[i].rows.loaded = false;
        if (kernel->bonds->runs[i].selection != NULL)
            bond_selection_forget(kernel->bonds->runs[i].selection);
    }
}

static kaiStatus load_run(Kernel* kernel, BondRun* run)
{
    for (int i = 0; i < bond_net_blocks(run->net)->block_count; i++)
        if (!bonds_load_rows(kernel, run, i))
            return fail_memory(kernel);
    run->rows.loaded = true;
    return KAI_OK;
}

static kaiStatus enter_run(Kernel* kernel, BondRun* run)
{
    bool same = run->entered;
    for (int i = 0; i < run->graph->switch_count; i++)
    {
        bool on = bonds_is_on(kernel, run, i);
        same &= run->on[i] == on;
        run->on[i] = on;
    }
    run->present.settled &= same;
    if (same && (run->rows.loaded || kernel->bonds->later) && run->linear)
        return KAI_OK;
    run->rows.loaded = false;
    if (!same)  // an instant may try as many sets as there are switches
        bond_net_trim(run->net, (size_t)64 << 20, run->modes_before);
    if (!bond_net_enter(run->net, run->on, run->storage))
        return fail_memory(kernel);
    run->entered = true;
    present_find(kernel, run);
    if (!same)
    {
        run->present.tied = false;
        bond_net_dependents(run->net, visit_tie, run);
    }
    return kernel->bonds->later ? KAI_OK : load_run(kernel, run);
}

kaiStatus bonds_load(Kernel* kernel)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < kernel->bonds->count && status == KAI_OK; i++)
        if (!kernel->bonds->runs[i].rows.loaded)
            status = load_run(kernel, &kernel->bonds->runs[i]);
    return status;
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

static bool has_stepped(const Kernel* kernel, const BondRun* run)
{
    bool stepped = false;
    for (uint32_t i = 0; i < run->system->part_count && !stepped; i++)
    {
        const BondPart* part = bonds_part(kernel, run, i);
        stepped = part->steps && kernel->R[part->parameter] != run->nominal[i];
    }
    return stepped;
}

static kaiStatus turn_run(Kernel* kernel, BondRun* run)
{
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = bonds_part(kernel, run, i);
        if (!part->steps)
            continue;
        run->nominal[i] = kernel->R[part->parameter];
        if (!isfinite(run->nominal[i]))
            return kernel_fail(kernel, part->place, "look at what it is assigned, or defined by, at this instant",
                               "the ratio of %s is %g", model_string(kernel->model, part->name), run->nominal[i]);
    }
    return make_equations(kernel, run);
}

kaiStatus bonds_turn(Kernel* kernel, bool* turned)
{
    Bonds* bonds = kernel->bonds;
    kaiStatus status = KAI_OK;
    *turned = false;
    if (bonds->steps)
        status = kernel_run(kernel, kernel->model->bonds);
    for (uint32_t i = 0; i < bonds->count && bonds->steps && status == KAI_OK; i++)
    {
        if (!has_stepped(kernel, &bonds->runs[i]))
            continue;
        *turned = true;
        status = turn_run(kernel, &bonds->runs[i]);
    }
    return status == KAI_OK && *turned ? bonds_enter(kernel) : status;
}

kaiStatus bonds_resume(Kernel* kernel)
{
    bool turned;
    kaiStatus status = bonds_turn(kernel, &turned);
    return status == KAI_OK ? bonds_enter(kernel) : status;
}

// ---- what is told

// Parallel closed switches share a current by convention only (rule B4): who reads it should know.
static void warn_output(Kernel* kernel, BondRun* run, const BondOutput* output)
{
    for (uint32_t t = 0; t < output->term_count && !run->warned; t++)
    {
        const BondTerm* term = &kernel->model->bond_terms[output->first_term + t];
        if (bond_net_unique(run->net, term->flow ? BOND_F((int)term->bond) : BOND_E((int)term->bond)))
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
        if (run->warned || bond_net_status(run->net) != BOND_NOT_UNIQUE)
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
        if (run->last.status != BOND_INCONSISTENT || place != 0)
            continue;
        bonds_read_inputs(kernel, run, true);
        int* loop = run->loop;
        int count = bond_net_loop(run->net, run->b1, loop);
        if (count == 0)  // equal now, and not any more at once
            count = bond_net_loop(run->net, run->b2, loop);
        for (int k = 0; k < count && length + 60 < sizeof names; k++)
        {
            const BondPart* part = bonds_part(kernel, run, (uint32_t)loop[k]);
            place = place != 0 ? place : part->place;
            length +=
                (size_t)snprintf(names + length, sizeof names - length, "%s%s (line %d)", k > 0 ? ", " : "",
                                 model_string(kernel->model, part->name), model_place(kernel->model, part->place).line);
        }
    }
    return kernel_fail(kernel, place,
                       "open a junction between them by a guard on area(…), or put a resistor between them",
                       "sources contradict each other at t = %.17g and no junction switches: %s", kernel->now.t, names);
}
