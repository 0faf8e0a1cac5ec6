// Values after an instant in which nothing jumps, one by one. See after.h.
#include "bond/after.h"

#include "base/tolerance.h"
#include "bond/mode_parts.h"

#include <math.h>
#include <stdlib.h>

typedef struct AfterBlock
{
    unsigned long begun;  // the question that the rest belongs to
    double* b1;           // its inputs
    double *amount, *amount_size;  // of the dependent vectors
} AfterBlock;

struct BondAfter
{
    const BondNet* net;
    const BondBlocks* blocks;
    AfterBlock* at;  // per block
    int* own;        // per class: what it is in its block
    double *value, *size;
    unsigned long *asked, number;  // per class: the question that they belong to; the present one
    const double *b1, *b2;
    bool flow;  // nothing is settled
    double *own_b2, *port, *port_size, *rate, *rate_size, *vector, *vector_size;  // scratch, for any block
};

BondAfter* bond_after_create(BondNet* net, const BondGraph* graph, Arena* arena)
{
    BondAfter* after = arena_new(arena, BondAfter);
    const BondBlocks* blocks = after->blocks = bond_net_blocks(net);
    size_t classes = (size_t)graph->class_count + 1, ports = (size_t)graph->port_count + 1, inputs = 1;
    after->net = net;
    after->at = arena_array(arena, AfterBlock, blocks->block_count + 1);
    after->own = arena_array(arena, int, classes);
    after->value = arena_array(arena, double, classes);
    after->size = arena_array(arena, double, classes);
    after->asked = arena_array(arena, unsigned long, classes);
    for (int i = 0; i < blocks->block_count; i++)
    {
        const BondBlock* block = &blocks->blocks[i];
        size_t own = (size_t)block->graph->input_count + 1;
        inputs = own > inputs ? own : inputs;
        after->at[i].b1 = arena_array(arena, double, own);
        after->at[i].amount = arena_array(arena, double, block->graph->port_count + 1);
        after->at[i].amount_size = arena_array(arena, double, block->graph->port_count + 1);
        for (int k = 0; k < block->class_count; k++)
            after->own[block->classes[k]] = block->graph->class_of[block->unknowns[k]];
    }
    double** vectors[] = {&after->port,      &after->port_size, &after->rate,
                          &after->rate_size, &after->vector,    &after->vector_size};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = arena_array(arena, double, ports);
    after->own_b2 = arena_array(arena, double, inputs);
    return after;
}

// ---------------------------------------------------------------------------------------------------------------- stands

static bool block_stands(const BondAfter* after, int index, const BondJump* jump)
{
    const BondMode* mode = bond_net_mode(after->net, index);
    double size, *b1 = after->at[index].b1;
    if (bond_mode_status(mode) == BOND_SINGULAR || mode->idle_count > 0)
        return false;
    if (mode->dependent_count == 0)
        return true;
    bond_net_gather(after->net, index, jump->b1, false, b1);
    for (int i = 0; i < mode->dependent_count; i++)
        if (!(fabs(mode_left_product(mode, i, b1, &size)) <= BOND_NOTHING * size))
            return false;
    return true;
}

bool bond_after_stands(BondAfter* after, const BondJump* jump, BondStatus* status)
{
    after->number++;
    after->b1 = jump->b1;
    after->b2 = jump->b2;
    after->flow = false;
    for (int i = 0; i < after->blocks->block_count; i++)
        if (!block_stands(after, i, jump))
            return false;
    *status = BOND_OK;
    return true;
}

void bond_after_flow(BondAfter* after, const double* b1, const double* b2)
{
    after->number++;
    after->b1 = b1;
    after->b2 = b2;
    after->flow = true;
}

// ---------------------------------------------------------------------------------------------------------------- blocks

// The particular solution.
static double solve(const BondMode* mode, int class, const double* b1, double* size)
{
    double sum = 0, terms = 0;
    const BondRows* rows = &mode->solution;
    for (int k = rows->start[class]; k < mode->solution_middle[class]; k++)
        if (rows->column[k] < mode->graph->input_count)
        {
            double term = rows->value[k] * b1[rows->column[k]];
            sum += term;
            terms += fabs(term);
        }
    *size = terms;
    return sum;
}

static void settle(const BondAfter* after, double* value, double* size)
{
    if (!after->flow && fabs(*value) <= BOND_NOTHING * *size)
        *value = *size = 0;
}

// Rates of the storages' intensities, S z.
static void set_rates(BondAfter* after, const BondMode* mode, const double* b1)
{
    const BondGraph* graph = mode->graph;
    for (int p = 0; p < graph->port_count; p++)
        after->port[p] = solve(mode, mode->ports[p].unknown_class, b1, &after->port_size[p]);
    for (int p = 0; p < graph->port_count; p++)
    {
        int node = mode->ports[p].node, first = graph->port_first[node], ports = graph->port_first[node + 1] - first;
        const double* block = mode->storage + graph->block_first[node] + (p - first) * ports;
        after->rate[p] = after->rate_size[p] = 0;
        for (int j = 0; j < ports; j++)
        {
            after->rate[p] += block[j] * mode->ports[first + j].sign * after->port[first + j];
            after->rate_size[p] += fabs(block[j]) * after->port_size[first + j];
        }
    }
}

// Wᵀ(S z + b₂) for the dependent vectors.
static void set_vector(BondAfter* after, const BondMode* mode, const double* b2)
{
    for (int i = 0; i < mode->dependent_count; i++)
    {
        double sum = 0, size = 0;
        for (int k = mode->left.start[i]; k < mode->left.start[i + 1]; k++)
        {
            int input = mode->left.column[k];
            bool given = input < mode->graph->input_count;
            int port = given ? mode->port_of[input] : -1;
            double value = given ? b2[input] : 0, rate = port >= 0 ? after->rate[port] : 0;
            sum += after->flow ? mode->left.value[k] * rate : mode->left.value[k] * (value + rate);
            sum += after->flow ? mode->left.value[k] * value : 0;
            size += fabs(mode->left.value[k]) * (fabs(value) + (port >= 0 ? after->rate_size[port] : 0));
        }
        settle(after, &sum, &size);
        after->vector[i] = sum;
        after->vector_size[i] = size;
    }
}

// G a = -vector.
static void set_amounts(const BondAfter* after, const BondMode* mode, AfterBlock* at)
{
    int n = mode->dependent_count;
    for (int i = 0; i < n; i++)
    {
        double amount = 0, size = 0;
        for (int j = 0; j < n; j++)
        {
            amount -= mode->inverse[i * n + j] * after->vector[j];
            size += fabs(mode->inverse[i * n + j]) * after->vector_size[j];
        }
        settle(after, &amount, &size);
        at->amount[i] = amount;
        at->amount_size[i] = size;
    }
}

static void begin_block(BondAfter* after, int index, const BondMode* mode)
{
    AfterBlock* at = &after->at[index];
    at->begun = after->number;
    bond_net_gather(after->net, index, after->b1, false, at->b1);
    if (mode->dependent_count == 0)
        return;
    bond_net_gather(after->net, index, after->b2, false, after->own_b2);
    set_rates(after, mode, at->b1);
    set_vector(after, mode, after->own_b2);
    set_amounts(after, mode, at);
}

static double block_value(BondAfter* after, int index, int class, double* size)
{
    const BondMode* mode = bond_net_mode(after->net, index);
    const AfterBlock* at = &after->at[index];
    if (at->begun != after->number)
        begin_block(after, index, mode);
    double value = solve(mode, class, at->b1, size);
    for (int k = mode->solution_middle[class]; k < mode->solution.start[class + 1]; k++)
    {
        int i = mode->solution.column[k] - mode->input_count;
        value += mode->solution.value[k] * at->amount[i];
        *size += fabs(mode->solution.value[k]) * at->amount_size[i];
    }
    settle(after, &value, size);
    return value;
}

// --------------------------------------------------------------------------------------------------------------- classes

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

static double sum_value(BondAfter* after, const BondPiece* pieces, int count, double* size)
{
    double sum = 0, terms = 0;
    for (int i = 0; i < count; i++)
    {
        sum += pieces[i].weight * bond_after_value(after, pieces[i].index);
        terms += abs(pieces[i].weight) * after->size[pieces[i].index];
    }
    bool nothing = fabs(sum) <= BOND_NOTHING * terms && isfinite(terms);
    if (after->flow)
        return sum;
    *size = nothing ? 0 : terms;
    return nothing || isnan(sum) ? 0 : sum;
}

double bond_after_value(BondAfter* after, int class)
{
    const BondBlocks* blocks = after->blocks;
    const BondPiece* pieces = blocks->pieces + blocks->first[class];
    int place = blocks->place[class];
    if (after->asked[class] == after->number)
        return after->value[class];
    after->asked[class] = after->number;
    double* size = &after->size[class];
    return after->value[class] = place >= 0            ? block_value(after, place, after->own[class], size)
                                 : place == BOND_KNOWN ? known_value(after, pieces, blocks->count[class], size)
                                                       : sum_value(after, pieces, blocks->count[class], size);
}
