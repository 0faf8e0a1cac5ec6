// A bond graph per block: its nodes, and sources in place of what is known around it. See blocks.h.
#include "bond/block_parts.h"

#include "base/sets.h"

#include <stdlib.h>

// One block while it is made.
typedef struct Draft
{
    VEC(BondNode) nodes;
    VEC(BondEdge) bonds;
    VEC(int) node_of, bond_of;            // of the whole graph; -1
    VEC(int) border_first, border_count;  // per node: pieces of what a source stands for
} Draft;

static int known_class(const Blocks* b, int bond)
{
    int e = b->graph->class_of[BOND_E(bond)], f = b->graph->class_of[BOND_F(bond)];
    return b->made->place[e] == BOND_KNOWN ? e : b->made->place[f] == BOND_KNOWN ? f : -1;
}

static int add_node(Blocks* b, Draft* d, BondNode node, int of, int first, int count)
{
    vec_push(b->arena, d->nodes, node);
    vec_push(b->arena, d->node_of, of);
    vec_push(b->arena, d->border_first, first);
    vec_push(b->arena, d->border_count, count);
    return (int)d->nodes.count - 1;
}

static void add_bond(Blocks* b, Draft* d, int from, int to, int of)
{
    vec_push(b->arena, d->bonds, (BondEdge){from, to});
    vec_push(b->arena, d->bond_of, of);
}

// All that is known around a junction as one source: it adds up there, and what cancels does so exactly.
static void border_junction(Blocks* b, Draft* d, int node, int local, const int* inside)
{
    const BondGraph* graph = b->graph;
    bool flow = graph->nodes[node].kind == BOND_J0;
    int bonds = 0;
    for (int i = 0; i < bond_degree(graph, node); i++)
    {
        int bond = bond_at(graph, node, i);
        if (inside[bond_other_end(graph, bond, node)] >= 0)
            continue;
        bonds++;
        pieces_add(b, graph->class_of[2 * bond + flow], bond_sign(graph, bond, node));
    }
    int first = (int)b->pieces.count, count = pieces_take(b);
    if (bonds == 0)
        return;
    BondNode source = {.kind = flow ? BOND_SF : BOND_SE, .switch_index = -1, .parameter = 1};
    add_bond(b, d, add_node(b, d, source, -1, first, count), local, -1);
}

// A bond of an element whose other end is outside.
static void border_bond(Blocks* b, Draft* d, int node, int local, int bond)
{
    const BondGraph* graph = b->graph;
    int class = known_class(b, bond);
    bool flow = graph->class_of[BOND_E(bond)] != class;
    BondNode source = {.kind = flow ? BOND_SF : BOND_SE, .switch_index = -1, .parameter = 1};
    int other = add_node(b, d, source, -1, b->made->first[class], b->made->count[class]);
    if (bond_sign(graph, bond, node) > 0)
        add_bond(b, d, other, local, bond);
    else
        add_bond(b, d, local, other, bond);
}

// Bonds between nodes of the block in the order of the whole graph: the sides of two-ports keep theirs.
static void inner_bonds(Blocks* b, Draft* d, const int* nodes, int count, const int* local)
{
    const BondGraph* graph = b->graph;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < bond_degree(graph, nodes[i]); k++)
        {
            int bond = bond_at(graph, nodes[i], k), other = bond_other_end(graph, bond, nodes[i]);
            if (local[other] < 0 && !bond_is_junction(graph->nodes[nodes[i]].kind))
                border_bond(b, d, nodes[i], local[nodes[i]], bond);
            else if (local[other] >= 0 && graph->bonds[bond].from == nodes[i])
                add_bond(b, d, local[graph->bonds[bond].from], local[graph->bonds[bond].to], bond);
        }
}

// Two-ports whose bonds both point in, or both out, and storages with several ports tell their bonds apart by order.
static int by_bond(const void* x, const void* y)
{
    const int *a = x, *c = y;
    int one = a[0] < 0 ? 0x7fffffff : a[0], two = c[0] < 0 ? 0x7fffffff : c[0];
    return one != two ? (one < two ? -1 : 1) : a[1] - c[1];
}

static void sort_bonds(Blocks* b, Draft* d)
{
    uint32_t count = d->bonds.count;
    int(*order)[2] = arena_alloc(b->arena, sizeof *order * (count + 1));
    BondEdge* bonds = arena_array(b->arena, BondEdge, count + 1);
    for (uint32_t i = 0; i < count; i++)
    {
        order[i][0] = d->bond_of.at[i];
        order[i][1] = (int)i;
        bonds[i] = d->bonds.at[i];
    }
    qsort(order, count, sizeof *order, by_bond);
    for (uint32_t i = 0; i < count; i++)
    {
        d->bond_of.at[i] = order[i][0];
        d->bonds.at[i] = bonds[order[i][1]];
    }
}

// ------------------------------------------------------------------------------------------------------------- indices

static int by_number(const void* x, const void* y)
{
    return (*(const int*)x > *(const int*)y) - (*(const int*)x < *(const int*)y);
}

static void list_inputs(Blocks* b, BondBlock* block)
{
    int pieces = block->border[block->graph->input_count], count = 0;
    int* all = arena_array(b->arena, int, block->graph->input_count + pieces + 1);
    for (int i = 0; i < block->graph->input_count; i++)
        if (block->input_of[i] >= 0)
            all[count++] = block->input_of[i];
    for (int i = 0; i < pieces; i++)
        all[count++] = block->known[i].index;
    qsort(all, (size_t)count, sizeof *all, by_number);
    block->inputs = all;
    for (int i = 0; i < count; i++)
        if (i == 0 || all[i] != all[i - 1])
            all[block->input_count++] = all[i];
}

static void number_inputs(Blocks* b, BondBlock* block, const Draft* d)
{
    const BondGraph *graph = block->graph, *whole = b->graph;
    VEC(BondPiece) known = {0};
    block->input_of = arena_array(b->arena, int, graph->input_count + 1);
    block->border = arena_array(b->arena, int, graph->input_count + 1);
    block->port_of = arena_array(b->arena, int, graph->port_count + 1);
    block->switch_of = arena_array(b->arena, int, graph->switch_count + 1);
    for (int n = 0; n < graph->node_count; n++)
    {
        int of = d->node_of.at[n];
        for (int i = graph->input_first[n]; i < graph->input_first[n + 1]; i++)
        {
            block->input_of[i] = of >= 0 ? whole->input_first[of] + i - graph->input_first[n] : -1;
            for (int k = 0; k < d->border_count.at[n]; k++)
                vec_push(b->arena, known, b->pieces.at[d->border_first.at[n] + k]);
            block->border[i + 1] = (int)known.count;
        }
        for (int i = graph->port_first[n]; i < graph->port_first[n + 1]; i++)
            block->port_of[i] = whole->port_first[of] + i - graph->port_first[n];
        if (graph->nodes[n].switch_index >= 0)
            block->switch_of[graph->nodes[n].switch_index] = whole->nodes[of].switch_index;
    }
    block->known = known.at;
    list_inputs(b, block);
}

// The unknown of the block that every class of it is.
static void number_classes(Blocks* b, BondBlock* block, const Draft* d, int index, int* seen)
{
    const BondGraph *graph = block->graph, *whole = b->graph;
    VEC(int) classes = {0}, unknowns = {0};
    for (int u = 0; u < 2 * graph->bond_count; u++)
    {
        int of = d->bond_of.at[u / 2], class;
        BondEdge bond = graph->bonds[u / 2];
        if (of >= 0)
            class = whole->class_of[2 * of + u % 2];
        else if ((graph->nodes[bond.to].kind == BOND_J1) == (u % 2 == 1))
            class = common_class(whole, d->node_of.at[bond.to]);
        else
            continue;
        if (b->made->place[class] != index || seen[class])
            continue;
        seen[class] = 1;
        vec_push(b->arena, classes, class);
        vec_push(b->arena, unknowns, u);
    }
    block->class_count = (int)classes.count;
    block->classes = classes.at;
    block->unknowns = unknowns.at;
}

static void make_block(Blocks* b, int index, const int* nodes, int count, int* local, int* seen)
{
    BondBlock* block = &b->made->blocks[index];
    Draft d = {0};
    int switches = 0;
    for (int i = 0; i < count; i++)
    {
        BondNode node = b->graph->nodes[nodes[i]];
        if (node.switch_index >= 0)
        {
            b->made->block_of_switch[node.switch_index] = index;
            b->made->switch_place[node.switch_index] = switches;
            node.switch_index = switches++;
        }
        local[nodes[i]] = add_node(b, &d, node, nodes[i], 0, 0);
    }
    inner_bonds(b, &d, nodes, count, local);
    for (int i = 0; i < count; i++)
        if (bond_is_junction(b->graph->nodes[nodes[i]].kind))
            border_junction(b, &d, nodes[i], local[nodes[i]], local);
    sort_bonds(b, &d);
    block->graph = bond_graph_in(b->arena, d.nodes.at, (int)d.nodes.count, d.bonds.at, (int)d.bonds.count);
    block->node_of = d.node_of.at;
    number_inputs(b, block, &d);
    number_classes(b, block, &d, index, seen);
    for (int i = 0; i < count; i++)
        local[nodes[i]] = -1;
}

// -------------------------------------------------------------------------------------------------------------- blocks

// Joins the nodes of blocks that share an unknown. False: a bond that leaves a block carries nothing known.
static bool join_nodes(Blocks* b, uint32_t* parent)
{
    const BondGraph* graph = b->graph;
    int* owner = arena_array(b->arena, int, graph->class_count + 1);
    for (int n = 0; n < graph->node_count; n++)
    {
        for (int i = 0; i < 2 * bond_degree(graph, n) && block_node_lives(b, n); i++)
        {
            int bond = bond_at(graph, n, i / 2), class = graph->class_of[2 * bond + i % 2];
            if (b->made->place[class] == 0 && owner[class] != 0)
                sets_join(parent, (uint32_t)owner[class] - 1, (uint32_t)n);
            if (b->made->place[class] == 0)
                owner[class] = n + 1;
            if (!block_node_lives(b, bond_other_end(graph, bond, n)) && known_class(b, bond) < 0)
                return false;
        }
    }
    for (int c = 0; c < graph->class_count; c++)
        if (b->made->place[c] == 0 && owner[c] == 0)
            return false;
    return true;
}

// Nodes of blocks, those of one block side by side: node lists by counting.
static int number_blocks(Blocks* b, uint32_t* parent, int* block_of)
{
    int count = 0;
    for (int n = 0; n < b->graph->node_count; n++)
    {
        block_of[n] = -1;
        if (!block_node_lives(b, n))
            continue;
        int root = (int)sets_root(parent, (uint32_t)n);
        block_of[n] = root == n ? count++ : block_of[root];
    }
    return count;
}

static void place_classes(Blocks* b, const int* block_of)
{
    const BondGraph* graph = b->graph;
    int* place = arena_array(b->arena, int, graph->class_count + 1);
    for (int n = 0; n < graph->node_count; n++)
        for (int i = 0; i < 2 * bond_degree(graph, n) && block_of[n] >= 0; i++)
        {
            int class = graph->class_of[2 * bond_at(graph, n, i / 2) + i % 2];
            if (b->made->place[class] == 0)
                place[class] = block_of[n];
        }
    for (int c = 0; c < graph->class_count; c++)
        if (b->made->place[c] == 0)
            b->made->place[c] = place[c];
}

bool block_graphs_make(Blocks* b)
{
    const BondGraph* graph = b->graph;
    BondBlocks* made = b->made;
    size_t nodes = (size_t)graph->node_count + 1;
    uint32_t* parent = arena_array(b->arena, uint32_t, nodes);
    sets_init(parent, (uint32_t)graph->node_count);
    if (!join_nodes(b, parent))
        return false;
    int *block_of = arena_array(b->arena, int, nodes), *local = arena_array(b->arena, int, nodes);
    made->block_count = number_blocks(b, parent, block_of);
    made->blocks = arena_array(b->arena, BondBlock, made->block_count + 1);
    made->block_of_switch = arena_array(b->arena, int, graph->switch_count + 1);
    made->switch_place = arena_array(b->arena, int, graph->switch_count + 1);
    place_classes(b, block_of);
    int* first = arena_array(b->arena, int, made->block_count + 2);
    int *list = arena_array(b->arena, int, nodes), *seen = arena_array(b->arena, int, graph->class_count + 1);
    for (int n = 0; n < graph->node_count; n++)
    {
        local[n] = -1;
        if (block_of[n] >= 0)
            first[block_of[n] + 2]++;
    }
    for (int i = 0; i < made->block_count; i++)
        first[i + 2] += first[i + 1];
    for (int n = 0; n < graph->node_count; n++)
        if (block_of[n] >= 0)
            list[first[block_of[n] + 1]++] = n;
    for (int i = 0; i < made->block_count; i++)
        make_block(b, i, list + first[i], first[i + 1] - first[i], local, seen);
    return true;
}
