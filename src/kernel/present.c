// Storages that depend on each other by way of a ratio or slope that varies (rules B2, B4): a crank with masses on both
// sides, a gear that is shifted, a saturating coil behind a switch.
//
// Between instants the inputs make good what the map of the set lacks to the present ratio (elab/bond_varying.c). At an
// instant the equations are made with the ratios and slopes of the moment, in a net of their own: impulses pass a
// transformer in the ratio that it has, and what is stored is conserved to the last digit. Nonlinear storages are
// Newton's method by the rounds of bonds_jump, each with the slopes where the last one ended.
#include "base/tolerance.h"
#include "kernel/bonds.h"

#include <math.h>
#include <string.h>

// ---- which sets

// The element that owns input `input`, if it is a storage whose slope or a TF or GY whose ratio changes in a run.
static const BondPart* varying_part(const Kernel* kernel, const BondRun* run, int input)
{
    const BondPart* part = bonds_part(kernel, run, (uint32_t)run->node_of[input]);
    bool counts = part->state != NO_REG || bond_is_two_port((BondKind)part->kind);
    return part->free && counts ? part : NULL;
}

// Whether the derivative of an input is known: that of a storage or source is, by its slope or because it has none.
static bool has_rate(const Kernel* kernel, const BondRun* run, int input, bool inside)
{
    const BondPart* part = bonds_part(kernel, run, (uint32_t)run->node_of[input]);
    if (part->state != NO_REG)
        return inside;
    return part->acts != BOND_R || !part->free;
}

// Whether the row of `rate` says all about the derivative of what the ratio multiplies in row `row` of a TF or GY.
static bool rate_is_whole(Kernel* kernel, BondRun* run, int node, int row)
{
    const BondBlocks* blocks = bond_net_blocks(run->net);
    bool flow = run->nodes[node].kind == BOND_GY || row == 1;
    int class = run->graph->class_of[2 * bond_at(run->graph, node, row == 0) + flow], place = blocks->place[class];
    if (place < 0)
        return place == BOND_KNOWN;
    const BondBlock* block = &blocks->blocks[place];
    size_t inputs = (size_t)block->graph->input_count + 1;
    kaiAllocator a = kernel->options->allocator;
    size_t size = sizeof(double) * (2 * inputs + bond_work_size(block->graph));
    double* work = a.alloc(a.user, NULL, 0, size);
    int at = 0;
    while (block->classes[at] != class)
        at++;
    bool whole = work != NULL && bond_mode_rate_row(bond_net_mode(run->net, place), block->unknowns[at], work,
                                                    work + inputs, work + 2 * inputs);
    for (int i = 0; i < block->graph->input_count && whole; i++)
    {
        if (work[inputs + (size_t)i] == 0)
            continue;
        whole = block->input_of[i] < 0 || has_rate(kernel, run, block->input_of[i], true);
        for (int k = block->border[i]; k < block->border[i + 1] && whole; k++)
            whole = has_rate(kernel, run, block->known[k].index, false);
    }
    if (work != NULL)
        a.alloc(a.user, work, size, 0);
    return whole;
}

typedef struct Search
{
    Kernel* kernel;
    BondRun* run;
} Search;

static bool visit_input(Search* s, const BondDependence* d, int input)
{
    BondRun* run = s->run;
    const BondPart* part = varying_part(s->kernel, run, input);
    if (part == NULL)
        return true;
    run->present.varying = part;
    int node = run->node_of[input];
    if (part->state != NO_REG || rate_is_whole(s->kernel, run, node, input - run->graph->input_first[node]))
        return true;
    run->present.unsolved = part;
    run->present.varied = bonds_part(s->kernel, run, (uint32_t)d->node);
    return false;
}

static bool visit_dependence(void* user, const BondDependence* d)
{
    Search* s = user;
    bool fine = visit_input(s, d, s->run->graph->input_first[d->node]);
    for (int k = 0; k < d->count && fine; k++)
        if (d->coefficient[k] != 0)
            fine = visit_input(s, d, d->input[k]);
    return fine;
}

void present_find(Kernel* kernel, BondRun* run)
{
    run->present.varying = run->present.unsolved = NULL;
    if (run->linear)
        return;
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = bonds_part(kernel, run, i);
        if (part->nominal != NO_REG)
            kernel->R[part->nominal] =
                part->state != NO_REG ? run->storage[run->graph->block_first[i]] : run->nodes[i].parameter;
    }
    bond_net_dependents(run->net, visit_dependence, &(Search){kernel, run});
    // Whether sources contradict each other through a ratio is asked of the ratio itself, too.
    for (uint32_t i = 0; i < run->system->part_count && bond_net_status(run->net) == BOND_NOT_UNIQUE; i++)
        if (run->nodes[i].varies && run->present.varying == NULL)
            run->present.varying = bonds_part(kernel, run, i);
}

kaiStatus present_check(Kernel* kernel)
{
    for (uint32_t i = 0; i < kernel->bonds->count; i++)
    {
        const BondPart *part = kernel->bonds->runs[i].present.unsolved,
                       *storage = kernel->bonds->runs[i].present.varied;
        if (part != NULL)
            return kernel_fail(
                kernel, part->place,
                "let a spring (or a small compliance, inductance, capacitance) give way between them",
                "%s depends on other storages or sources through %s, whose ratio changes in the run, and what it "
                "turns is not given by storages and sources alone",
                model_string(kernel->model, storage->name), model_string(kernel->model, part->name));
    }
    return KAI_OK;
}

// The slope of a storage that has none at the start (a cubic spring at rest): the mean of others of its kind.
double present_usual_slope(const Kernel* kernel, const BondRun* run, uint32_t index)
{
    double logs = 0;
    int count = 0;
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = bonds_part(kernel, run, i);
        double value = part->parameter != NO_REG && part->state != NO_REG ? kernel->R[part->parameter] : 0;
        if (part->kind != bonds_part(kernel, run, index)->kind || !(isfinite(value) && value > 0))
            continue;
        logs += log(value);
        count++;
    }
    return count > 0 ? exp(logs / count) : 1;
}

// ---- the equations of the moment

void present_forget(BondRun* run)
{
    bond_net_destroy(run->present.net);
    bond_graph_destroy(run->present.graph);
    run->present.net = NULL;
    run->present.graph = NULL;
}

static void make_room(Kernel* kernel, BondRun* run)
{
    BondPresent* p = &run->present;
    Arena* arena = &kernel->bonds->arena;
    if (p->nodes == NULL)
    {
        p->nodes = arena_array(arena, BondNode, run->system->part_count + 1);
        p->storage = arena_array(arena, double, run->graph->block_size + 1);
        p->b1 = arena_array(arena, double, run->graph->input_count + 1);
        p->b2 = arena_array(arena, double, run->graph->input_count + 1);
    }
    if (p->net == NULL)
        memcpy(p->nodes, run->nodes, sizeof(BondNode) * run->system->part_count);
}

static double present_slope(double value, double usual)
{
    return fabs(value) > BOND_SLOPE_FLAT * fabs(usual) ? value : BOND_SLOPE_FLAT * usual;
}

// Ratios and slopes as they are. *turned: a ratio is not what it was.
static kaiStatus read_present(Kernel* kernel, BondRun* run, bool* turned)
{
    BondPresent* p = &run->present;
    kaiStatus status = kernel_run(kernel, kernel->model->bonds);
    if (status == KAI_OK)
        status = kernel_run(kernel, kernel->model->guesses);
    memcpy(p->storage, run->storage, sizeof(double) * (size_t)run->graph->block_size);
    *turned = false;
    for (uint32_t i = 0; i < run->system->part_count && status == KAI_OK; i++)
    {
        const BondPart* part = bonds_part(kernel, run, i);
        if (!part->free || part->parameter == NO_REG || part->kind == BOND_R)
            continue;
        double value = kernel->R[part->parameter];
        if (!isfinite(value))
            return kernel_fail(kernel, part->place,
                               part->state != NO_REG ? "look at its law where it is now" : KERNEL_TURN_ROUND,
                               "the ratio or slope of %s is %g, and storages depend on it",
                               model_string(kernel->model, part->name), value);
        if (part->state != NO_REG)
        {
            double* slope = &p->storage[run->graph->block_first[i]];
            *slope = present_slope(value, *slope);
            continue;
        }
        *turned |= p->nodes[i].parameter != value;
        p->nodes[i].parameter = value;
    }
    return status;
}

static kaiStatus enter_present(Kernel* kernel, BondRun* run)
{
    BondPresent* p = &run->present;
    kaiAllocator a = kernel->options->allocator;
    bool turned;
    if (setjmp(kernel->bonds->fail) != 0)
        return KAI_ERR_MEMORY;
    make_room(kernel, run);
    kaiStatus status = read_present(kernel, run, &turned);
    if (status != KAI_OK)
        return status;
    if (turned || p->net == NULL)
    {
        present_forget(run);
        p->graph =
            bond_graph_create(p->nodes, (int)run->system->part_count, run->edges, (int)run->system->link_count, a);
        p->net = p->graph != NULL ? bond_net_create(p->graph, a) : NULL;
    }
    if (p->net == NULL || !bond_net_enter(p->net, run->on, p->storage))
        return kernel_fail(kernel, 0, "use a smaller model", "out of memory for the equations of a bond graph");
    bond_net_storage(p->net, p->storage);
    return KAI_OK;
}

// Inputs as these equations need them: nothing is left to make good but what the change of a ratio adds.
static void read_inputs(const Kernel* kernel, BondRun* run, const BondJump* jump)
{
    BondPresent* p = &run->present;
    size_t bytes = sizeof(double) * (size_t)run->graph->input_count;
    memcpy(p->b1, jump->b1, bytes);
    memcpy(p->b2, jump->b2, bytes);
    double largest = 0;
    for (int i = 0; i < run->graph->input_count; i++)
        largest = fmax(largest, fabs(p->b2[i]));
    for (uint32_t i = 0; i < run->system->input_count; i++)
    {
        const BondInput* input = bonds_input(kernel, run, i);
        int at = run->input_of[i];
        const BondPart* part = bonds_part(kernel, run, input->node);
        bool stores = part->state != NO_REG, turns = part->free && bond_is_two_port((BondKind)part->kind);
        if (turns)
            p->b1[at] = 0;
        if (input->by == NO_REG)
            continue;
        int place = run->graph->block_first[input->node];
        double lacks = stores ? p->storage[place] - run->storage[place]
                              : p->nodes[input->node].parameter - run->nodes[input->node].parameter;
        double left = p->b2[at] - lacks * kernel->R[input->by];
        p->b2[at] = fabs(left) <= BOND_CONTRADICTION * largest ? 0 : left;  // what Newton's method leaves
    }
}

kaiStatus present_jump(Kernel* kernel, BondRun* run, BondJump* jump, BondStatus* result)
{
    if (run->present.varying == NULL)
    {
        *result = bond_net_jump(run->net, jump);
        return KAI_OK;
    }
    kaiStatus status = enter_present(kernel, run);
    if (status != KAI_OK)
        return status;
    BondJump now = *jump;
    read_inputs(kernel, run, jump);
    now.b1 = run->present.b1;
    now.b2 = run->present.b2;
    *result = bond_net_jump(run->present.net, &now);
    return KAI_OK;
}

// How much more energy a storage gains than the one that it follows, at the most: near a pole of a ratio its value is
// the error of the other's.
static double most_gain(const BondRun* run, const BondDependence* d, double slope)
{
    double most = 0, gain = 1;
    for (uint32_t i = 0; i < run->stores.part_count; i++)
        most = fmax(most, fabs(run->storage[run->graph->block_first[run->stores.parts[i]]]));
    for (int k = 0; k < d->count; k++)
    {
        const BondPart* part = varying_part(run->kernel, run, d->input[k]);
        double ratio = part != NULL && part->ratio != NO_REG ? run->kernel->R[part->ratio] : 1;
        gain *= d->coefficient[k] != 0 ? fmax(1, ratio * ratio) : 1;
    }
    return gain * most / fabs(slope);
}

// A step of Newton's method; of a linear storage it is all. A port of several would move what the others give.
static bool follow(void* user, const BondDependence* d)
{
    BondRun* run = user;
    const BondPart* part = bonds_part(run->kernel, run, (uint32_t)d->node);
    double usual = run->storage[run->graph->block_first[d->node]], sum = 0, size = 0;
    for (int k = 0; k < d->count; k++)
    {
        sum += d->coefficient[k] * run->b1[d->input[k]];
        size += fabs(d->coefficient[k] * run->b1[d->input[k]]);
    }
    double lacks = sum - run->b1[run->graph->input_first[d->node]];
    double slope = part->free ? present_slope(run->kernel->R[part->parameter], usual) : usual;
    double least = BOND_NOTHING * size, most = BOND_FOLLOW_MOST * size;
    bool drifts = part->ports == 1 && slope != 0 && fabs(lacks) > least && fabs(lacks) <= most;
    if (drifts && most_gain(run, d, slope) <= BOND_GAIN_MOST)
        run->kernel->R[part->state] += lacks / slope;
    return true;
}

void present_follow(Kernel* kernel, BondRun* run)
{
    if (vm_run(kernel->model, kernel->R, kernel->model->bonds, &kernel->host) == 0)
        bond_net_dependents(run->net, follow, run);
}

// In the measure of energy: what dependent storages have come apart by since they were put together.
bool present_is_drift(const Kernel* kernel, const BondRun* run)
{
    double apart = 0, stored = 0;
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = bonds_part(kernel, run, i);
        for (uint32_t k = 0; run->port_of[i] >= 0 && k < part->ports; k++)
        {
            double slope = run->present.storage[run->graph->block_first[i] + (int)(k * (part->ports + 1))];
            double dx = run->dx[run->port_of[i] + (int)k], x = kernel->R[part->state + k];
            apart += fabs(slope) * dx * dx;
            stored += fabs(slope) * x * x;
        }
    }
    return sqrt(apart) <= 10 * kernel->options->rtol * sqrt(stored);
}
