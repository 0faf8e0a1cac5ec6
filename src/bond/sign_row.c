// See sign_row.h.
#include "bond/sign_row.h"

typedef struct Making
{
    const BondNet* net;
    const BondGraph* graph;
    const BondBlocks* blocks;
    kaiAllocator allocator;
    BondSignRow* row;
} Making;

static void put_entry(BondSignRow* row, int input, double weight)
{
    int k = 0;
    while (k < row->count && row->input[k] != input)
        k++;
    if (k == SIGN_ROW_MOST)
        row->count = SIGN_ROW_NONE;
    if (row->count < 0)
        return;
    if (k == row->count)
    {
        row->input[row->count] = input;
        row->weight[row->count++] = 0;
    }
    row->weight[k] += weight;
}

static void add_entry(Making* m, int input, double weight)
{
    put_entry(m->row, input, weight);
}

// What input `own` of a block weighs, by its value or its slope, as inputs of the graph.
static void add_own(Making* m, const BondBlock* block, int own, bool slope, double weight)
{
    int behind = slope ? m->graph->input_count : 0;
    if (weight == 0)
        return;
    if (block->input_of[own] >= 0)
        add_entry(m, behind + block->input_of[own], weight);
    for (int i = block->border[own]; i < block->border[own + 1] && block->input_of[own] < 0; i++)
        add_entry(m, behind + block->known[i].index, block->known[i].weight * weight);
}

static void add_block(Making* m, int index, int class, double weight)
{
    const BondBlock* block = &m->blocks->blocks[index];
    int k = 0;
    while (block->classes[k] != class)
        k++;
    BondMaps* maps = bond_mode_maps(bond_net_mode(m->net, index), &block->unknowns[k], 1, m->allocator);
    if (maps == NULL)
        m->row->count = SIGN_ROW_NONE;
    for (int i = 0; maps != NULL && i < maps->start[1]; i++)
    {
        add_own(m, block, maps->input[i], false, weight * maps->by_b1[i]);
        add_own(m, block, maps->input[i], true, weight * maps->by_b2[i]);
    }
    bond_maps_destroy(maps);
}

static void add_class(Making* m, int class, double weight)
{
    const BondBlocks* blocks = m->blocks;
    const BondPiece* pieces = blocks->pieces + blocks->first[class];
    if (blocks->place[class] >= 0)
    {
        add_block(m, blocks->place[class], class, weight);
        return;
    }
    for (int i = 0; i < blocks->count[class] && m->row->count >= 0; i++)
        if (blocks->place[class] == BOND_KNOWN)
            add_entry(m, pieces[i].index, weight * pieces[i].weight);
        else
            add_class(m, pieces[i].index, weight * pieces[i].weight);
}

void bond_sign_row_make(BondNet* net, const BondGraph* graph, const BondTerm* terms, int count, kaiAllocator allocator,
                        BondSignRow* row)
{
    Making m = {.net = net, .graph = graph, .blocks = bond_net_blocks(net), .allocator = allocator, .row = row};
    row->count = 0;
    for (int i = 0; i < count && row->count >= 0; i++)
        add_class(&m, graph->class_of[2 * terms[i].bond + terms[i].flow], terms[i].sign);
}

void bond_sign_row_add(BondNet* net, const BondGraph* graph, int class, double weight, kaiAllocator allocator,
                       BondSignRow* row)
{
    Making m = {.net = net, .graph = graph, .blocks = bond_net_blocks(net), .allocator = allocator, .row = row};
    add_class(&m, class, weight);
}

BondJumpRows bond_jump_rows_create(BondNet* net, const BondGraph* graph, const double* none, Arena* arena)
{
    return (BondJumpRows){.graph = graph,
                          .after = bond_after_create(net, graph, arena),
                          .b1 = arena_array(arena, double, graph->input_count + 1),
                          .dx = arena_array(arena, double, graph->port_count + 1),
                          .none = none};
}

bool bond_jump_rows_make(BondJumpRows* rows, const BondTerm* terms, int count, int port, BondSignRow* area,
                         BondSignRow* change)
{
    bool made = true, still;
    BondJump jump = {.b1 = rows->b1, .b2 = rows->none, .dx = rows->dx, .still = &still};
    area->count = change->count = 0;
    for (int i = 0; i < rows->graph->input_count && made; i++)
    {
        double sum = 0;
        rows->b1[i] = 1;
        made = bond_after_jump(rows->after, &jump);
        for (int k = 0; k < count && made && !still; k++)
            sum +=
                terms[k].sign * bond_after_area(rows->after, rows->graph->class_of[2 * terms[k].bond + terms[k].flow]);
        if (sum != 0)
            put_entry(area, i, sum);
        if (made && rows->dx[port] != 0)
            put_entry(change, i, rows->dx[port]);
        rows->b1[i] = 0;
    }
    return made && area->count > 0 && change->count > 0;
}
