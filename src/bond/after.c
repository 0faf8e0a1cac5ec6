// Areas and values after an instant, one by one. See after.h.
#include "bond/after.h"

#include "base/tolerance.h"
#include "bond/mode_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sized
{
    double *value, *size;
} Sized;

typedef struct AfterBlock
{
    unsigned long gathered, begun;  // the question that the inputs belong to, and the amounts
    bool moves;                     // storages that depend on each other did not agree
    Sized b1;                       // its inputs, after the jump
    Sized area, amount;             // along the dependent vectors: of areas, of values after
} AfterBlock;

typedef struct AfterMemo  // what has been asked for, per class
{
    Sized at;
    unsigned long* asked;
} AfterMemo;

typedef struct AfterPort  // of a storage outside of blocks
{
    int port, class;  // what flows into it
    double sign;
} AfterPort;

struct BondAfter
{
    const BondNet* net;
    const BondGraph* graph;
    const BondBlocks* blocks;
    AfterBlock* at;        // per block
    int* own;              // per class: what it is in its block
    AfterMemo memo[2];     // areas, values
    unsigned long number;  // of the present question
    const double *b1, *b2;
    bool flow;                 // nothing is settled
    double* own_b2;            // scratch, for any block
    Sized port, rate, vector;  //
    AfterPort* outside;
    int outside_count;
};

static Sized make_sized(Arena* arena, size_t count)
{
    return (Sized){arena_array(arena, double, count), arena_array(arena, double, count)};
}

static void list_outside(BondAfter* after, Arena* arena)
{
    const BondGraph* graph = after->graph;
    after->outside = arena_array(arena, AfterPort, (size_t)graph->port_count + 1);
    for (int n = 0; n < graph->node_count; n++)
        for (int p = graph->port_first[n]; p < graph->port_first[n + 1]; p++)
        {
            int bond = bond_at(graph, n, p - graph->port_first[n]);
            int imposed = graph->class_of[2 * bond + bond_imposes_flow(graph->nodes[n].kind)];
            double sign = graph->nodes[n].kind == BOND_C ? bond_sign(graph, bond, n) : 1;
            if (after->blocks->place[imposed] == BOND_KNOWN)
                after->outside[after->outside_count++] =
                    (AfterPort){p, graph->class_of[bond_storage_unknown(graph, n, bond)], sign};
        }
}

BondAfter* bond_after_create(BondNet* net, const BondGraph* graph, Arena* arena)
{
    BondAfter* after = arena_new(arena, BondAfter);
    const BondBlocks* blocks = after->blocks = bond_net_blocks(net);
    size_t classes = (size_t)graph->class_count + 1, inputs = 1;
    after->net = net;
    after->graph = graph;
    after->at = arena_array(arena, AfterBlock, blocks->block_count + 1);
    after->own = arena_array(arena, int, classes);
    for (int i = 0; i < 2; i++)
        after->memo[i] = (AfterMemo){make_sized(arena, classes), arena_array(arena, unsigned long, classes)};
    for (int i = 0; i < blocks->block_count; i++)
    {
        const BondBlock* block = &blocks->blocks[i];
        size_t own = (size_t)block->graph->input_count + 1, ports = (size_t)block->graph->port_count + 1;
        inputs = own > inputs ? own : inputs;
        after->at[i].b1 = make_sized(arena, own);
        after->at[i].area = make_sized(arena, ports);
        after->at[i].amount = make_sized(arena, ports);
        for (int k = 0; k < block->class_count; k++)
            after->own[block->classes[k]] = block->graph->class_of[block->unknowns[k]];
    }
    after->own_b2 = arena_array(arena, double, inputs);
    list_outside(after, arena);
    Sized* scratch[] = {&after->port, &after->rate, &after->vector};
    for (int i = 0; i < 3; i++)
        *scratch[i] = make_sized(arena, (size_t)graph->port_count + 1);
    return after;
}

// -----------------------------------------------------------------------------------------------------------------
// parts

static void settle(const BondAfter* after, double* value, double* size)
{
    if (!after->flow && fabs(*value) <= BOND_NOTHING * *size)
        *value = *size = 0;
}

static void gather(const BondAfter* after, int index)
{
    AfterBlock* at = &after->at[index];
    if (at->gathered == after->number)
        return;
    at->gathered = after->number;
    at->moves = false;
    bond_net_gather(after->net, index, after->b1, false, at->b1.value);
    for (int i = 0; i < after->blocks->blocks[index].graph->input_count; i++)
        at->b1.size[i] = fabs(at->b1.value[i]);
}

// The particular solution.
static double solve(const BondMode* mode, int class, Sized b1, double* size)
{
    double sum = 0, terms = 0;
    const BondRows* rows = &mode->solution;
    for (int k = rows->start[class]; k < mode->solution_middle[class]; k++)
        if (rows->column[k] < mode->graph->input_count)
        {
            sum += rows->value[k] * b1.value[rows->column[k]];
            terms += fabs(rows->value[k]) * b1.size[rows->column[k]];
        }
    *size = terms;
    return sum;
}

// Adds what the dependent vectors contribute.
static void add_vectors(const BondAfter* after, const BondMode* mode, int class, Sized amount, double* value,
                        double* size)
{
    for (int k = mode->solution_middle[class]; k < mode->solution.start[class + 1]; k++)
    {
        int i = mode->solution.column[k] - mode->input_count;
        *value += mode->solution.value[k] * amount.value[i];
        *size += fabs(mode->solution.value[k]) * amount.size[i];
    }
    settle(after, value, size);
}

// Rates of the storages' intensities, S z, for z in `port`.
static void set_rates(const BondAfter* after, const BondMode* mode)
{
    const BondGraph* graph = mode->graph;
    for (int p = 0; p < graph->port_count; p++)
    {
        int node = mode->ports[p].node, first = graph->port_first[node], ports = graph->port_first[node + 1] - first;
        const double* block = mode->storage + graph->block_first[node] + (p - first) * ports;
        after->rate.value[p] = after->rate.size[p] = 0;
        for (int j = 0; j < ports; j++)
        {
            after->rate.value[p] += block[j] * mode->ports[first + j].sign * after->port.value[first + j];
            after->rate.size[p] += fabs(block[j]) * after->port.size[first + j];
        }
    }
}

// G a = -vector.
static void set_amounts(const BondAfter* after, const BondMode* mode, Sized amount)
{
    int n = mode->dependent_count;
    for (int i = 0; i < n; i++)
    {
        double sum = 0, size = 0;
        for (int j = 0; j < n; j++)
        {
            sum -= mode->inverse[i * n + j] * after->vector.value[j];
            size += fabs(mode->inverse[i * n + j]) * after->vector.size[j];
        }
        settle(after, &sum, &size);
        amount.value[i] = sum;
        amount.size[i] = size;
    }
}

// ------------------------------------------------------------------------------------------------------------------
// jump

// Storages that depend on each other are put together: areas along the dependent vectors, and inputs after them.
static void put_together(const BondAfter* after, int index, const BondMode* mode)
{
    AfterBlock* at = &after->at[index];
    set_amounts(after, mode, at->area);
    for (int p = 0; p < mode->graph->port_count; p++)
    {
        after->port.value[p] = after->port.size[p] = 0;
        add_vectors(after, mode, mode->ports[p].unknown_class, at->area, &after->port.value[p], &after->port.size[p]);
    }
    set_rates(after, mode);
    for (int p = 0; p < mode->graph->port_count; p++)
    {
        at->b1.value[mode->ports[p].input] += after->rate.value[p];
        at->b1.size[mode->ports[p].input] += after->rate.size[p];
    }
}

static double block_area(const BondAfter* after, int index, int class, double* size)
{
    double value = *size = 0;
    if (after->at[index].moves)
        add_vectors(after, bond_net_mode(after->net, index), class, after->at[index].area, &value, size);
    return value;
}

static bool has_areas(const BondAfter* after, int index)
{
    const BondBlock* block = &after->blocks->blocks[index];
    double size;
    for (int i = 0; i < block->class_count; i++)
        if (block_area(after, index, after->own[block->classes[i]], &size) != 0 || size != 0)
            return true;
    return false;
}

// Whether storages that depend on others or on nothing have nothing at all: then they agree.
static bool are_empty(const BondAfter* after, const BondBlock* block, const BondMode* mode)
{
    const BondRows* left = &mode->left;
    bool empty = true;
    for (int k = left->start[0]; k < left->start[mode->dependent_count] && empty; k++)
    {
        int column = left->column[k];
        if (column < mode->graph->input_count)
            empty = block->input_of[column] >= 0 && after->b1[block->input_of[column]] == 0;
    }
    return empty;
}

// Whether anything moves in a block; *dx of its storages.
static bool jump_block(const BondAfter* after, int index, double* dx)
{
    const BondMode* mode = bond_net_mode(after->net, index);
    const BondBlock* block = &after->blocks->blocks[index];
    AfterBlock* at = &after->at[index];
    bool together = true;
    at->moves = false;
    for (int p = 0; p < mode->graph->port_count; p++)
        dx[block->port_of[p]] = 0;
    if (mode->dependent_count == 0 || are_empty(after, block, mode))
        return false;
    gather(after, index);
    for (int i = 0; i < mode->dependent_count; i++)
    {
        after->vector.value[i] = mode_left_product(mode, i, at->b1.value, &after->vector.size[i]);
        settle(after, &after->vector.value[i], &after->vector.size[i]);
        together &= after->vector.value[i] == 0 && after->vector.size[i] == 0;
    }
    if (together)
        return false;
    at->moves = true;
    put_together(after, index, mode);
    for (int p = 0; p < mode->graph->port_count; p++)
        dx[block->port_of[p]] = mode->ports[p].sign * after->port.value[p];
    return has_areas(after, index);
}

// Storages outside of blocks: what flows into them from inside.
static void jump_known(BondAfter* after, double* dx)
{
    for (const AfterPort *at = after->outside, *end = at + after->outside_count; at < end; at++)
        dx[at->port] = at->sign * bond_after_area(after, at->class);
}

bool bond_after_jump(BondAfter* after, const BondJump* jump)
{
    bool moves = false;
    for (int i = 0; i < after->blocks->block_count; i++)
    {
        const BondMode* mode = bond_net_mode(after->net, i);
        if (bond_mode_status(mode) != BOND_OK)
            return false;
    }
    after->number++;
    after->b1 = jump->b1;
    after->b2 = jump->b2;
    after->flow = false;
    for (int i = 0; i < after->blocks->block_count; i++)
        moves |= jump_block(after, i, jump->dx);
    *jump->still = !moves;
    if (moves)
        jump_known(after, jump->dx);
    else
        memset(jump->dx, 0, (size_t)after->graph->port_count * sizeof(double));
    return true;
}

void bond_after_flow(BondAfter* after, const double* b1, const double* b2)
{
    after->number++;
    after->b1 = b1;
    after->b2 = b2;
    after->flow = true;
}

// ----------------------------------------------------------------------------------------------------------------
// values

// Wᵀ(S z + b₂) for the dependent vectors. The flow adds it up term by term.
static void set_vector(const BondAfter* after, const BondMode* mode, const double* b2)
{
    for (int i = 0; i < mode->dependent_count; i++)
    {
        double sum = 0, size = 0;
        for (int k = mode->left.start[i]; k < mode->left.start[i + 1]; k++)
        {
            int input = mode->left.column[k];
            bool given = input < mode->graph->input_count;
            int port = given ? mode->port_of[input] : -1;
            double value = given ? b2[input] : 0, rate = port >= 0 ? after->rate.value[port] : 0;
            sum += mode->left.value[k] * (after->flow ? rate : value + rate);
            sum += after->flow ? mode->left.value[k] * value : 0;
            size += fabs(mode->left.value[k]) * (fabs(value) + (port >= 0 ? after->rate.size[port] : 0));
        }
        settle(after, &sum, &size);
        after->vector.value[i] = sum;
        after->vector.size[i] = size;
    }
}

static void begin_block(const BondAfter* after, int index, const BondMode* mode)
{
    AfterBlock* at = &after->at[index];
    at->begun = after->number;
    gather(after, index);
    if (mode->dependent_count == 0)
        return;
    for (int p = 0; p < mode->graph->port_count; p++)
        after->port.value[p] = solve(mode, mode->ports[p].unknown_class, at->b1, &after->port.size[p]);
    bond_net_gather(after->net, index, after->b2, false, after->own_b2);
    set_rates(after, mode);
    set_vector(after, mode, after->own_b2);
    set_amounts(after, mode, at->amount);
}

static double block_value(const BondAfter* after, int index, int class, double* size)
{
    const BondMode* mode = bond_net_mode(after->net, index);
    const AfterBlock* at = &after->at[index];
    if (at->begun != after->number)
        begin_block(after, index, mode);
    double value = solve(mode, class, at->b1, size);
    add_vectors(after, mode, class, at->amount, &value, size);
    return value;
}

static double known_value(const BondAfter* after, const BondPiece* pieces, int count, double* size)
{
    double sum = 0;
    *size = 0;
    for (int i = 0; i < count; i++)
    {
        sum += pieces[i].weight * after->b1[pieces[i].index];
        *size += fabs(pieces[i].weight * after->b1[pieces[i].index]);
    }
    return sum;
}

static double ask(BondAfter* after, int kind, int class);

static double sum_up(BondAfter* after, int kind, const BondPiece* pieces, int count, double* size)
{
    double sum = 0, terms = 0;
    for (int i = 0; i < count; i++)
    {
        sum += pieces[i].weight * ask(after, kind, pieces[i].index);
        terms += abs(pieces[i].weight) * after->memo[kind].at.size[pieces[i].index];
    }
    bool nothing = fabs(sum) <= BOND_NOTHING * terms && isfinite(terms);
    if (after->flow)
        return sum;
    *size = nothing ? 0 : terms;
    return nothing || isnan(sum) ? 0 : sum;
}

static double ask(BondAfter* after, int kind, int class)
{
    const BondBlocks* blocks = after->blocks;
    const BondPiece* pieces = blocks->pieces + blocks->first[class];
    AfterMemo* memo = &after->memo[kind];
    int place = blocks->place[class], count = blocks->count[class];
    double *value = &memo->at.value[class], *size = &memo->at.size[class];
    if (memo->asked[class] == after->number)
        return *value;
    memo->asked[class] = after->number;
    if (place == BOND_SUM)
        *value = sum_up(after, kind, pieces, count, size);
    else if (kind == 1)
        *value = place == BOND_KNOWN ? known_value(after, pieces, count, size)
                                     : block_value(after, place, after->own[class], size);
    else
        *value = place == BOND_KNOWN ? (*size = 0) : block_area(after, place, after->own[class], size);
    return *value;
}

double bond_after_value(BondAfter* after, int class)
{
    return ask(after, 1, class);
}

double bond_after_area(BondAfter* after, int class)
{
    return ask(after, 0, class);
}
