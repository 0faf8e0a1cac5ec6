// Energy of bond graphs (decision 0032): what a jump did to what is stored, and power balance as a check of a run.
//
// Between instants Σ e f of the sources = Σ e f into storages and resistors, from the values that everybody reads.
// Across a jump every bond carries (area of e)·(mean of f) + (area of f)·(mean of e), means of before and after: for a
// linear storage that is exactly what its energy changes by, for junctions that keep their mode, TF and GY it sums to
// zero, and what goes into a junction that switches is lost.
#include "watch/balance.h"
#include "base/tolerance.h"

#include "kernel/bonds.h"

#include <math.h>
#include <string.h>

static bool is_source(const BondPart* part)
{
    return part->kind == BOND_SE || part->kind == BOND_SF;
}

// ---- jumps

// Energy of all storages, about.
static double size_stored(const Balance* balance, const BondRun* run)
{
    double sum = 0;
    for (uint32_t i = 0; i < run->system->input_count; i++)
    {
        const BondInput* input = &balance->model->bond_inputs[run->system->first_input + i];
        const BondPart* part = bonds_part(balance->kernel, run, input->node);
        if (part->state != NO_REG)
            sum += 0.5 * balance->kernel->R[part->state + input->port] * balance->kernel->R[input->value];
    }
    return sum;
}

// Energy of the linear storages; what nonlinear ones store more is added by add_nonlinear.
static inline double stored(const Balance* balance, const BondRun* run)
{
    const double* R = balance->kernel->R;
    double sum = 0;
    for (const BondStored *s = run->feeds.stored, *end = s + run->feeds.stored_count; s < end; s++)
        sum += 0.5 * R[s->state] * R[s->value];
    return sum;
}

void balance_begin(Balance* balance)
{
    balance->jump = (kaiJump){0};
}

void balance_before(Balance* balance)
{
    for (uint32_t i = 0; i < balance->kernel->bonds->count; i++)
    {
        BondRun* run = &balance->kernel->bonds->runs[i];
        for (int k = 0; k < run->graph->input_count; k++)
        {
            run->b1_before[k] = run->b1[k];
            run->b2_before[k] = run->b2[k];
        }
        bond_net_save(run->net, run->modes_before);
        run->stored_before = stored(balance, run);
        double size = run->linear ? run->stored_before : size_stored(balance, run);
        balance->energy_scale = larger(balance->energy_scale, fabs(size));
    }
}

// What flowed into a node in a jump; NaN: an impulse met an impulse (δ through a resistor), which has no finite energy.
static double node_work(const BondRun* run, int node)
{
    const BondGraph* graph = run->graph;
    double sum = 0;
    for (int k = graph->bond_first[node]; k < graph->bond_first[node + 1]; k++)
    {
        int bond = graph->bond_list[k], e = BOND_E(bond), f = BOND_F(bond);
        double mean_e = 0.5 * (run->z_before[e] + run->z1[e]), mean_f = 0.5 * (run->z_before[f] + run->z1[f]);
        double work = run->area[e] * mean_f + run->area[f] * mean_e;
        if (run->area[e] != 0 && run->area[f] != 0)
            work = NAN;
        sum += bond_sign(graph, bond, node) * work;
    }
    return sum;
}

static bool has_jumped(const BondRun* run)
{
    for (uint32_t i = 0; i < 2 * run->system->link_count; i++)
        if (run->area[i] != 0)
            return true;
    return false;
}

// Values before the junctions switched.
static BondStatus flow_before(BondRun* run)
{
    bond_net_save(run->net, run->modes_now);
    bond_net_restore(run->net, run->modes_before);
    BondStatus status = bond_net_flow(run->net, run->b1_before, run->b2_before, run->z_before);
    bond_net_restore(run->net, run->modes_now);
    return status;
}

// A linear storage that did not agree with its surroundings before the jump (an inconsistent start, a source that
// stepped, storages that a junction joined): what flowed along its bonds is not what it stores more. The rest went
// where it goes when capacitors are joined, whatever their wires are.
static double settled_work(const Balance* balance, const BondRun* run, uint32_t index)
{
    const BondPart* part = bonds_part(balance->kernel, run, index);
    const BondGraph* graph = run->graph;
    double sum = 0;
    for (uint32_t i = 0; i < part->ports; i++)
    {
        int bond = bond_at(graph, (int)index, (int)i), sign = bond_sign(graph, bond, (int)index);
        bool flow = part->kind == BOND_I;
        int imposed = 2 * bond + flow, moved = 2 * bond + !flow;
        double own = run->b1_before[graph->input_first[index] + (int)i] * (flow ? sign : 1);
        double apart = run->z_before[imposed] - own;
        if (fabs(apart) > BALANCE_APART * fmax(fabs(own), fabs(run->z_before[imposed])))
            sum += 0.5 * sign * apart * run->area[moved];
    }
    return sum;
}

// What a nonlinear storage stores more after the jump: the integral of its law over what it took, by Gauss's rule with
// three points on each of many parts.
static double stored_more(const Balance* balance, const BondPart* part)
{
    enum
    {
        PARTS = 64
    };
    static const double place[] = {-0.7745966692414834, 0, 0.7745966692414834}, weight[] = {5, 8, 5};
    Kernel* kernel = balance->kernel;
    double after = kernel->R[part->state], sum = 0;
    double before = kernel->bonds->states[part->state - kernel->model->reg_first[REG_STATE]];
    double step = (after - before) / PARTS;
    for (int i = 0; i < PARTS && step != 0; i++)
        for (int k = 0; k < 3; k++)
        {
            kernel->R[part->state] = before + (i + 0.5 + 0.5 * place[k]) * step;
            vm_run(kernel->model, kernel->R, kernel->model->bonds, &kernel->host);
            sum += weight[k] / 18 * kernel->R[part->law];
        }
    kernel->R[part->state] = after;
    return sum * step;
}

static bool has_impulses(const BondRun* run)
{
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        BondKind kind = run->graph->nodes[i].kind;
        int bond = run->graph->bond_list[run->graph->bond_first[i]];
        if (bond_is_source(kind) && run->area[kind == BOND_SE ? BOND_E(bond) : BOND_F(bond)] != 0)
            return true;
    }
    return false;
}

// A nonlinear storage: an impulse of a source counts by the mean, because what else is given by it does too; what it
// took from others it stores by its law, and the rest is lost.
static void add_nonlinear(const Balance* balance, const BondRun* run, uint32_t index, kaiJump* jump)
{
    double work = node_work(run, (int)index);
    double stores = has_impulses(run) ? work : stored_more(balance, bonds_part(balance->kernel, run, index));
    jump->after += stores;
    jump->lost += work - stores;
}

static void add_run(const Balance* balance, BondRun* run, kaiJump* jump)
{
    jump->before += run->stored_before;
    jump->after += stored(balance, run);
    if (!has_jumped(run) || flow_before(run) == BOND_INCONSISTENT)
        return;
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = bonds_part(balance->kernel, run, i);
        if (part->state != NO_REG && !part->free)
        {
            jump->met += settled_work(balance, run, i);
            continue;
        }
        if (part->state != NO_REG)
        {
            add_nonlinear(balance, run, i, jump);
            continue;
        }
        double work = node_work(run, (int)i);
        if (is_source(part))
            jump->given -= work;
        else
            jump->lost += work;
    }
}

// Nodes that changed nothing add rounding only.
static void settle(kaiJump* jump)
{
    double largest = fmax(fmax(fabs(jump->before), fabs(jump->after)), fabs(jump->given));
    if (fabs(jump->after - jump->before) <= BALANCE_NOTHING * largest)
        jump->after = jump->before;
    if (fabs(jump->lost) <= BALANCE_NOTHING * largest)
        jump->lost = 0;
    if (fabs(jump->met) <= BALANCE_NOTHING * largest)
        jump->met = 0;
    if (fabs(jump->given) <= BALANCE_NOTHING * largest)
        jump->given = 0;
}

static kaiStatus check_jump(Balance* balance, const kaiJump* jump)
{
    double missing = jump->before + jump->given - jump->after - jump->lost - jump->met;
    double largest = fmax(fmax(jump->before, jump->after), fmax(fabs(jump->given), fabs(jump->lost) + fabs(jump->met)));
    if (isnan(missing) || fabs(missing) <= balance->kernel->options->balance * largest)
        return KAI_OK;
    return kernel_fail(
        balance->kernel, bonds_part(balance->kernel, &balance->kernel->bonds->runs[0], 0)->place,
        "raise `balance`, or run without it",
        "the energy does not balance across the jump at t = %.17g: %g J were stored, sources gave %g, %g are "
        "stored, %g were lost and %g where they did not agree before: %g J are missing",
        balance->kernel->now.t, jump->before, jump->given, jump->after, jump->lost, jump->met, missing);
}

// After the states of a commit are known, with the values of its set of modes still in the registers.
kaiStatus balance_jump(Balance* balance)
{
    Bonds* bonds = balance->kernel->bonds;
    kaiJump jump = {0};
    for (uint32_t i = 0; i < bonds->count; i++)
        add_run(balance, &bonds->runs[i], &jump);
    settle(&jump);
    // A current that ends at -1e-16 A jumps to 0: nobody wants to read of that.
    balance->energy_scale = fmax(balance->energy_scale, jump.after);
    double moved = fmax(fabs(jump.after - jump.before), fmax(fabs(jump.given), fabs(jump.lost) + fabs(jump.met)));
    if (moved <= BALANCE_NOTHING * balance->energy_scale)
        return KAI_OK;
    if (balance->jump.jumps == 0)
        balance->jump.before = jump.before;
    balance->jump.jumps++;
    balance->jump.after = jump.after;
    balance->jump.given += jump.given;
    balance->jump.lost += jump.lost;
    balance->jump.met += jump.met;
    balance->kernel->counters.jumps++;
    balance->kernel->counters.energy_jumped += jump.after - jump.before;
    balance->kernel->counters.energy_given += jump.given;
    return balance->kernel->options->balance > 0 ? check_jump(balance, &jump) : KAI_OK;
}

// ---- between instants

typedef struct PowerSum
{
    double missing, largest;
    double effort, flow;           // the largest ones: where all powers vanish, what is left is their rounding
    const BondPart *part, *worst;  // of the largest power; of the largest difference from the equations
    double difference;
} PowerSum;

static double read_output(const Balance* balance, const BondOutput* output)
{
    return balance->kernel->R[balance->model->vars[output->var].reg];
}

// One port of an element: power from the values that are read, and from the equations of the set of modes.
static void add_power(const Balance* balance, const BondRun* run, uint32_t index, uint32_t port,
                      const BondOutput* outputs, PowerSum* sum)
{
    const BondPart* part = bonds_part(balance->kernel, run, index);
    int bond = run->graph->bond_list[run->graph->bond_first[index] + (int)port];
    int into = bond_sign(run->graph, bond, (int)index);
    double power = read_output(balance, &outputs[0]) * read_output(balance, &outputs[1]);
    if (is_source(part))  // its .f counts along the bond, those of the others into the element
        power *= into;
    double difference = fabs(power - into * run->z1[BOND_E(bond)] * run->z1[BOND_F(bond)]);
    sum->missing -= power;
    sum->effort = fmax(sum->effort, fabs(read_output(balance, &outputs[0])));
    sum->flow = fmax(sum->flow, fabs(read_output(balance, &outputs[1])));
    if (fabs(power) > sum->largest)
    {
        sum->largest = fabs(power);
        sum->part = part;
    }
    if (difference > sum->difference)
    {
        sum->difference = difference;
        sum->worst = part;
    }
}

static kaiStatus check_run(Balance* balance, BondRun* run)
{
    PowerSum sum = {0};
    const BondOutput* output = &balance->model->bond_outputs[run->system->first_output];
    bonds_read_inputs(balance->kernel, run, false);
    if (bond_net_flow(run->net, run->b1, run->b2, run->z1) == BOND_INCONSISTENT)
        return KAI_OK;
    for (uint32_t i = 0; i < run->system->part_count; i++)
    {
        const BondPart* part = bonds_part(balance->kernel, run, i);
        for (uint32_t port = 0; part->kind <= BOND_I && port < part->ports; port++)
            add_power(balance, run, i, port, output + 2 * port, &sum);
        output += part->kind == BOND_TF || part->kind == BOND_GY ? 4 : 2 * part->ports;
    }
    double rounding = BALANCE_NOTHING * sum.effort * sum.flow;
    if (fabs(sum.missing) <= fmax(balance->kernel->options->balance * sum.largest, rounding))
        return KAI_OK;
    const BondPart* worst = sum.worst != NULL ? sum.worst : sum.part;
    return kernel_fail(
        balance->kernel, worst->place, "tighten rtol and atol, or raise `balance`",
        "the power of the bond graph does not balance at t = %.17g: %g W of at most %g W are missing; %s is "
        "off by %g W",
        balance->kernel->now.t, fabs(sum.missing), sum.largest, model_string(balance->model, worst->name),
        sum.difference);
}

// A step does not compute all values by itself.
static kaiStatus check_all(Balance* balance, bool instant)
{
    Kernel* kernel = balance->kernel;
    kaiStatus status = instant ? KAI_OK : kernel_run(kernel, balance->model->flow);
    for (uint32_t i = 0; status == KAI_OK && i < kernel->bonds->count; i++)
        status = check_run(balance, &kernel->bonds->runs[i]);
    return status;
}

kaiStatus balance_check(Balance* balance, bool instant)
{
    const Kernel* kernel = balance->kernel;
    return kernel->bonds != NULL && kernel->options->balance > 0 ? check_all(balance, instant) : KAI_OK;
}
