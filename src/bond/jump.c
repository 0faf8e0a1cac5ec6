// The jump at an instant (rule B4): areas of impulses and values after, for a set of modes. See mode.h.
//
// Every number is kept with the size of the terms it was summed from; what is below 1e-12 of that is exactly zero (rule
// B5) and then has no size, because nothing of it is left to be uncertain.
#include "base/tolerance.h"
#include "bond/mode_parts.h"

#include <math.h>
#include <string.h>

typedef struct Sized
{
    double *value, *size;
} Sized;

// Scratch of one jump.
typedef struct Jump
{
    const BondMode* mode;
    Sized b, z0, z1, rates, vector;  // inputs; classes; classes; extensities; dependent vectors before and
    double *amount, *amount_size;    // after G⁻¹
    double* idle;                    // per class: direction of infinity
} Jump;

static void settle(double* value, double* size)
{
    if (fabs(*value) <= BOND_NOTHING * *size)
        *value = *size = 0;
}

static Jump place(const BondMode* mode, double* work)
{
    size_t classes = (size_t)mode->class_count, inputs = (size_t)mode->input_count;
    size_t ports = (size_t)mode->graph->port_count;
    Jump jump = {.mode = mode};
    Sized* parts[] = {&jump.b, &jump.z0, &jump.z1, &jump.rates, &jump.vector};
    size_t lengths[] = {inputs, classes, classes, ports, ports};
    for (int i = 0; i < 5; i++)
    {
        *parts[i] = (Sized){work, work + lengths[i]};
        work += 2 * lengths[i];
    }
    jump.amount = work;
    jump.amount_size = work + ports;
    jump.idle = work + 2 * ports;
    return jump;
}

static void set_inputs(Jump* jump, const double* b)
{
    int given = jump->mode->graph->input_count;
    for (int i = 0; i < jump->mode->input_count; i++)
    {
        jump->b.value[i] = b && i < given ? b[i] : 0;
        jump->b.size[i] = fabs(jump->b.value[i]);
    }
}

// No impulses of sources, so no areas yet.
static void clear(Jump* jump)
{
    size_t classes = (size_t)jump->mode->class_count, ports = (size_t)jump->mode->graph->port_count;
    memset(jump->z0.value, 0, classes * sizeof(double));
    memset(jump->z0.size, 0, classes * sizeof(double));
    memset(jump->rates.value, 0, ports * sizeof(double));
    memset(jump->rates.size, 0, ports * sizeof(double));
}

// The particular solution for the inputs in jump->b.
static void solve(Jump* jump, Sized z)
{
    const BondMode* mode = jump->mode;
    for (int c = 0; c < mode->class_count; c++)
    {
        z.value[c] = z.size[c] = 0;
        for (int k = mode->solution.start[c]; k < mode->solution_middle[c]; k++)
        {
            int column = mode->solution.column[k];
            z.value[c] += mode->solution.value[k] * jump->b.value[column];
            z.size[c] += fabs(mode->solution.value[k]) * jump->b.size[column];
        }
    }
}

// Rates of the storages' intensities, S z.
static void set_rates(Jump* jump, Sized z)
{
    const BondMode* mode = jump->mode;
    const BondGraph* graph = mode->graph;
    for (int p = 0; p < graph->port_count; p++)
    {
        int node = mode->ports[p].node, first = graph->port_first[node], ports = graph->port_first[node + 1] - first;
        const double* block = mode->storage + graph->block_first[node] + (p - first) * ports;
        jump->rates.value[p] = jump->rates.size[p] = 0;
        for (int j = 0; j < ports; j++)
        {
            BondPort other = mode->ports[first + j];
            jump->rates.value[p] += block[j] * other.sign * z.value[other.unknown_class];
            jump->rates.size[p] += fabs(block[j]) * z.size[other.unknown_class];
        }
    }
}

// Wᵀ(S z + b) for the dependent vectors; b may be NULL.
static void set_vector(Jump* jump, const Sized* b, const double* plain)
{
    const BondMode* mode = jump->mode;
    for (int i = 0; i < mode->dependent_count; i++)
    {
        double sum = 0, size = 0;
        for (int k = mode->left.start[i]; k < mode->left.start[i + 1]; k++)
        {
            int input = mode->left.column[k];
            bool given = input < mode->graph->input_count;
            int port = given ? mode->port_of[input] : -1;
            double value = b ? b->value[input] : plain && given ? plain[input] : 0;
            double terms = b ? b->size[input] : fabs(value);
            sum += mode->left.value[k] * (value + (port >= 0 ? jump->rates.value[port] : 0));
            size += fabs(mode->left.value[k]) * (terms + (port >= 0 ? jump->rates.size[port] : 0));
        }
        settle(&sum, &size);
        jump->vector.value[i] = sum;
        jump->vector.size[i] = size;
    }
}

// z += K a with G a = -vector.
static void add_dependents(Jump* jump, Sized z)
{
    const BondMode* mode = jump->mode;
    int n = mode->dependent_count;
    for (int i = 0; i < n; i++)
    {
        jump->amount[i] = jump->amount_size[i] = 0;
        for (int j = 0; j < n; j++)
        {
            jump->amount[i] -= mode->inverse[i * n + j] * jump->vector.value[j];
            jump->amount_size[i] += fabs(mode->inverse[i * n + j]) * jump->vector.size[j];
        }
        settle(&jump->amount[i], &jump->amount_size[i]);
    }
    for (int c = 0; c < mode->class_count; c++)
    {
        for (int k = mode->solution_middle[c]; k < mode->solution.start[c + 1]; k++)
        {
            int i = mode->solution.column[k] - mode->input_count;
            z.value[c] += mode->solution.value[k] * jump->amount[i];
            z.size[c] += fabs(mode->solution.value[k]) * jump->amount_size[i];
        }
        settle(&z.value[c], &z.size[c]);
    }
}

// What sources contradict each other by along an idle vector. Two that are equal now and part at once do too (two
// phases of a rectifier where they cross): *later then, and it is their rates that do.
static double contradiction(const BondMode* mode, int i, const BondJump* given, bool* later)
{
    const double* b2 = given->b2;
    double size, most = 0, amount = -mode_left_product(mode, mode->dependent_count + i, given->b1, &size);
    if (given->most)
        mode_left_product(mode, mode->dependent_count + i, given->most, &most);
    *later = fabs(amount) <= BOND_NOTHING * fmax(size, most);
    if (*later)
        amount = b2 ? -mode_left_product(mode, mode->dependent_count + i, b2, &size) : 0;
    return fabs(amount) <= BOND_NOTHING * size ? 0 : amount;
}

// Sources that contradict each other drive what leaks along the idle vectors: amount / ρ as the leak ρ vanishes. Finite
// is then what lies across the leaking junctions: it goes into the inputs. Returns whether there is a contradiction.
static bool drive_idle(Jump* jump, const BondJump* given)
{
    const BondMode* mode = jump->mode;
    bool driven = false;
    int switches = mode->graph->switch_count;
    memset(jump->idle, 0, (size_t)mode->class_count * sizeof(double));
    double* terms = jump->z1.size;  // free until z1 is made
    memset(terms, 0, (size_t)mode->class_count * sizeof(double));
    for (int i = 0; i < mode->idle_count; i++)
    {
        bool later;
        double amount = contradiction(mode, i, given, &later);
        if (amount == 0)
            continue;
        driven = true;
        for (int k = mode->idle.start[i]; k < mode->idle.start[i + 1]; k++)
        {
            jump->idle[mode->idle.column[k]] += amount * mode->idle.value[k];
            terms[mode->idle.column[k]] += fabs(amount * mode->idle.value[k]);
        }
        for (int j = 0; j < switches && !later; j++)
        {
            jump->b.value[mode->graph->input_count + j] += amount * mode->leak[i * switches + j];
            jump->b.size[mode->graph->input_count + j] += fabs(amount * mode->leak[i * switches + j]);
        }
    }
    for (int c = 0; c < mode->class_count; c++)
        settle(&jump->idle[c], &terms[c]);
    return driven;
}

static bool needs_delta_prime(const BondMode* mode, const double* b0)
{
    for (int i = 0; b0 && i < mode->dependent_count + mode->idle_count; i++)
    {
        double size, sum = mode_left_product(mode, i, b0, &size);
        if (fabs(sum) > BOND_NOTHING * size)
            return true;
    }
    return false;
}

static void write_out(const Jump* jump, const BondJump* out, bool driven)
{
    const BondMode* mode = jump->mode;
    for (int u = 0; u < 2 * mode->graph->bond_count; u++)
    {
        int c = mode->class_of[u];
        bool endless = driven && jump->idle[c] != 0;
        out->z0[u] = endless ? copysign(INFINITY, jump->idle[c]) : jump->z0.value[c];
        out->z1[u] = jump->z1.value[c];
        if (out->z0_size)
            out->z0_size[u] = endless ? INFINITY : jump->z0.size[c];
        if (out->z1_size)
            out->z1_size[u] = jump->z1.size[c];
    }
    for (int p = 0; p < mode->graph->port_count; p++)
        out->dx[p] = mode->ports[p].sign * jump->z0.value[mode->ports[p].unknown_class];
}

bool mode_is_plain(const BondMode* mode)
{
    return mode->dependent_count == 0 && mode->idle_count == 0 && !mode->resistances_cancel && !mode->slopes_cancel;
}

double mode_plain_value(const BondMode* mode, int unknown, const double* b1, double* size)
{
    const BondRows* rows = &mode->solution;
    int c = mode->class_of[unknown], given = mode->graph->input_count;
    double sum = 0, terms = 0;
    for (int k = rows->start[c]; k < rows->start[c + 1] && rows->column[k] < given; k++)
    {
        double term = rows->value[k] * b1[rows->column[k]];
        sum += term;
        terms += fabs(term);
    }
    settle(&sum, &terms);
    *size = terms;
    return sum;
}

// Dependent storages agree with each other already: there are no areas, and without them no rates.
static bool is_together(const Jump* jump)
{
    bool together = true;
    for (int i = 0; i < jump->mode->dependent_count && together; i++)
        together = jump->vector.value[i] == 0 && jump->vector.size[i] == 0;
    return together;
}

static void put_together(Jump* jump)
{
    const BondMode* mode = jump->mode;
    add_dependents(jump, jump->z0);
    set_rates(jump, jump->z0);
    for (int p = 0; p < mode->graph->port_count; p++)
    {
        jump->b.value[mode->ports[p].input] += jump->rates.value[p];
        jump->b.size[mode->ports[p].input] += jump->rates.size[p];
    }
}

BondStatus bond_mode_jump(const BondMode* mode, const BondJump* out, double* work)
{
    Jump jump = place(mode, work);
    BondStatus status = bond_mode_status(mode);
    if (status == BOND_SINGULAR)
        return status;
    if (needs_delta_prime(mode, out->b0))
        return BOND_DELTA_PRIME;
    if (out->b0 != NULL)
    {
        set_inputs(&jump, out->b0);
        solve(&jump, jump.z0);
        set_rates(&jump, jump.z0);
    }
    else
        clear(&jump);
    set_inputs(&jump, out->b1);
    bool driven = drive_idle(&jump, out);
    set_vector(&jump, &jump.b, NULL);
    if (out->b0 != NULL || !is_together(&jump))
        put_together(&jump);
    solve(&jump, jump.z1);
    set_rates(&jump, jump.z1);
    set_vector(&jump, NULL, out->b2);
    add_dependents(&jump, jump.z1);
    write_out(&jump, out, driven);
    return driven ? BOND_INCONSISTENT : status;
}

// ---------------------------------------------------------------------------------------------------------------- loop

static int list_nodes(const BondMode* mode, const double* weight, int pass, int* nodes, int count)
{
    const BondGraph* graph = mode->graph;
    for (int n = 0; n < graph->node_count; n++)
    {
        BondNode node = graph->nodes[n];
        int wanted = bond_is_source(node.kind) ? 0 : bond_is_junction(node.kind) ? 2 : 1;
        bool there = node.switch_index >= 0 && weight[graph->input_count + node.switch_index] != 0;
        for (int i = graph->input_first[n]; i < graph->input_first[n + 1]; i++)
            there = there || weight[i] != 0;
        if (wanted == pass && there)
            nodes[count++] = n;
    }
    return count;
}

int bond_mode_loop(const BondMode* mode, const double* b, int* nodes, double* work)
{
    double *weight = work, *terms = work + mode->input_count;
    memset(weight, 0, 2 * (size_t)mode->input_count * sizeof(double));
    for (int i = 0; i < mode->dependent_count + mode->idle_count; i++)
    {
        double size, sum = mode_left_product(mode, i, b, &size);
        if (fabs(sum) <= BOND_NOTHING * size)
            continue;
        for (int k = mode->left.start[i]; k < mode->left.start[i + 1]; k++)
        {
            weight[mode->left.column[k]] += sum * mode->left.value[k];
            terms[mode->left.column[k]] += fabs(sum * mode->left.value[k]);
        }
    }
    for (int i = 0; i < mode->input_count; i++)
        settle(&weight[i], &terms[i]);
    int count = 0;
    for (int pass = 0; pass < 3; pass++)
        count = list_nodes(mode, weight, pass, nodes, count);
    return count;
}

// ---------------------------------------------------------------------------------------------------------------- work

double bond_impulse_work(const BondGraph* graph, int node, const double* z_before, const BondJump* jump)
{
    int bond = graph->bond_list[graph->bond_first[node]];
    bool effort = graph->nodes[node].kind == BOND_SE;
    int imposed = effort ? BOND_E(bond) : BOND_F(bond), answer = effort ? BOND_F(bond) : BOND_E(bond);
    double work = jump->z1[imposed] * jump->z0[answer];
    if (jump->z0[imposed] != 0)
        work += jump->z0[imposed] * 0.5 * ((z_before ? z_before[answer] : 0) + jump->z1[answer]);
    return -bond_sign(graph, bond, node) * work;
}
