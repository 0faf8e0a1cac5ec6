// Taking a graph apart: which class is zero in every null vector, known, a sum, or of a block. See blocks.h.
#include "bond/block_parts.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------- rows

// The sum of a plain junction; a class that comes in and goes out again is not in it.
static void collect_row(Blocks* b, int node, int* weight)
{
    const BondGraph* graph = b->graph;
    bool flow = graph->nodes[node].kind == BOND_J0;
    BlockRow row = {node, (int)b->entries.count, 0};
    for (int i = 0; i < bond_degree(graph, node); i++)
        weight[graph->class_of[2 * bond_at(graph, node, i) + flow]] += bond_sign(graph, bond_at(graph, node, i), node);
    for (int i = 0; i < bond_degree(graph, node); i++)
    {
        int class = graph->class_of[2 * bond_at(graph, node, i) + flow];
        if (weight[class] != 0)
            vec_push(b->arena, b->entries, (BondPiece){class, weight[class]});
        weight[class] = 0;
    }
    row.count = (int)b->entries.count - row.first;
    b->row_of[node] = (int)b->rows.count;
    vec_push(b->arena, b->rows, row);
}

static void collect_rows(Blocks* b)
{
    const BondGraph* graph = b->graph;
    int* weight = arena_array(b->arena, int, graph->class_count + 1);
    for (int n = 0; n < graph->node_count; n++)
    {
        b->row_of[n] = -1;
        if (is_plain_junction(graph, n))
            collect_row(b, n, weight);
    }
    for (uint32_t i = 0; i < b->entries.count; i++)
        b->users_first[b->entries.at[i].index + 1]++;
    for (int c = 0; c < graph->class_count; c++)
        b->users_first[c + 1] += b->users_first[c];
    b->users = arena_array(b->arena, int, b->entries.count + 1);
    int* next = arena_array(b->arena, int, graph->class_count + 1);
    for (uint32_t r = 0; r < b->rows.count; r++)
        for (int k = b->rows.at[r].first; k < b->rows.at[r].first + b->rows.at[r].count; k++)
        {
            int class = b->entries.at[k].index;
            b->users[b->users_first[class] + next[class]++] = (int)r;
        }
}

static void open_rows(Blocks* b)
{
    for (uint32_t r = 0; r < b->rows.count; r++)
        b->open[r] = b->rows.at[r].count;
}

// --------------------------------------------------------------------------------------------------------------- zeros

static void set_zero(Blocks* b, bool* zero, int class)
{
    if (zero[class])
        return;
    zero[class] = true;
    vec_push(b->arena, b->queue, class);
}

static void element_zeros(Blocks* b, int node, bool storages, bool* zero)
{
    const BondGraph* graph = b->graph;
    BondNode made = graph->nodes[node];
    bool resists = made.kind == BOND_R && made.parameter != 0 && !made.wire;
    bool both = resists || (storages && bond_is_storage(made.kind));
    for (int i = 0; i < bond_degree(graph, node) && !bond_is_junction(made.kind) && !bond_is_two_port(made.kind); i++)
    {
        int bond = bond_at(graph, node, i);
        bool flow = bond_imposes_flow(made.kind);
        set_zero(b, zero, graph->class_of[2 * bond + flow]);
        if (both)
            set_zero(b, zero, graph->class_of[2 * bond + !flow]);
    }
}

// e1 = n e2, f2 = n f1, e1 = r f2, e2 = r f1: what follows whatever the ratio.
static void two_port_zeros(Blocks* b, int node, bool* zero)
{
    const BondGraph* graph = b->graph;
    int one = bond_at(graph, node, 0), two = bond_at(graph, node, 1);
    bool gyrator = graph->nodes[node].kind == BOND_GY;
    if (zero[graph->class_of[gyrator ? BOND_F(two) : BOND_E(two)]])
        set_zero(b, zero, graph->class_of[BOND_E(one)]);
    if (zero[graph->class_of[BOND_F(one)]])
        set_zero(b, zero, graph->class_of[gyrator ? BOND_E(two) : BOND_F(two)]);
}

// Whatever one class is left with in a sum of zeros is zero.
static void settle_zero(Blocks* b, int class, bool* zero)
{
    for (int k = b->users_first[class]; k < b->users_first[class + 1]; k++)
    {
        BlockRow row = b->rows.at[b->users[k]];
        if (--b->open[b->users[k]] != 1)
            continue;
        for (int i = row.first; i < row.first + row.count; i++)
            if (!zero[b->entries.at[i].index])
                set_zero(b, zero, b->entries.at[i].index);
    }
}

// `storages`: those null vectors only that move none.
static void find_zeros(Blocks* b, bool storages, bool* zero)
{
    const BondGraph* graph = b->graph;
    VEC(int) two_ports = {0};
    open_rows(b);
    b->queue.count = 0;
    for (int n = 0; n < graph->node_count; n++)
    {
        element_zeros(b, n, storages, zero);
        if (bond_is_two_port(graph->nodes[n].kind))
            vec_push(b->arena, two_ports, n);
        int row = b->row_of[n];
        if (row >= 0 && b->rows.at[row].count == 1)
            set_zero(b, zero, b->entries.at[b->rows.at[row].first].index);
    }
    for (uint32_t done = 0; done < b->queue.count;)
    {
        for (; done < b->queue.count; done++)
            settle_zero(b, b->queue.at[done], zero);
        for (uint32_t i = 0; i < two_ports.count; i++)
            two_port_zeros(b, two_ports.at[i], zero);
    }
}

// Whether a source or storage stays what it is in any mode: a storage that no null vector moves, a source that meets no
// other.
static bool imposes(const Blocks* b, int node)
{
    const BondGraph* graph = b->graph;
    BondNode made = graph->nodes[node];
    bool source = bond_is_source(made.kind), imposing = source || bond_is_storage(made.kind);
    for (int i = 0; i < bond_degree(graph, node) && imposing; i++)
    {
        int answer = graph->class_of[2 * bond_at(graph, node, i) + !bond_imposes_flow(made.kind)];
        imposing = source ? b->zero_idle[answer] : b->zero_k[answer];
    }
    return imposing && !b->no_impose[node];
}

// --------------------------------------------------------------------------------------------------------------- known

void pieces_add(Blocks* b, int class, int weight)
{
    const BondBlocks* made = b->made;
    for (int i = made->first[class]; i < made->first[class] + made->count[class]; i++)
    {
        BondPiece piece = b->pieces.at[i];
        if (b->scratch[piece.index] == 0)
            vec_push(b->arena, b->touched, piece.index);
        b->scratch[piece.index] += weight * piece.weight;
    }
}

int pieces_take(Blocks* b)
{
    int count = 0;
    for (uint32_t i = 0; i < b->touched.count; i++)
    {
        int input = b->touched.at[i], weight = b->scratch[input];
        b->scratch[input] = 0;
        if (weight == 0)
            continue;
        vec_push(b->arena, b->pieces, (BondPiece){input, weight});
        count++;
    }
    b->touched.count = 0;
    return count;
}

static void set_known(Blocks* b, int class, int definer, int first, int count)
{
    b->made->place[class] = BOND_KNOWN;
    b->made->first[class] = first;
    b->made->count[class] = count;
    b->definer[class] = definer;
    vec_push(b->arena, b->queue, class);
}

static void impose_known(Blocks* b, int node)
{
    const BondGraph* graph = b->graph;
    BondKind kind = graph->nodes[node].kind;
    for (int i = 0; i < bond_degree(graph, node); i++)
    {
        int bond = bond_at(graph, node, i), class = graph->class_of[2 * bond + bond_imposes_flow(kind)];
        int sign = kind == BOND_I ? bond_sign(graph, bond, node) : 1;
        if (b->made->place[class] == BOND_KNOWN)
            continue;
        int first = (int)b->pieces.count;
        vec_push(b->arena, b->pieces, (BondPiece){graph->input_first[node] + i, sign});
        set_known(b, class, -1 - node, first, 1);
    }
}

static void define_known(Blocks* b, int index)
{
    BlockRow row = b->rows.at[index];
    int open = -1;
    for (int i = row.first; i < row.first + row.count; i++)
        if (b->made->place[b->entries.at[i].index] != BOND_KNOWN)
            open = i;
    if (open < 0 || b->no_row[index] || b->used[index] || abs(b->entries.at[open].weight) != 1)
        return;
    for (int i = row.first; i < row.first + row.count; i++)
        if (i != open)
            pieces_add(b, b->entries.at[i].index, -b->entries.at[i].weight * b->entries.at[open].weight);
    int first = (int)b->pieces.count, count = pieces_take(b);
    b->used[index] = true;
    set_known(b, b->entries.at[open].index, index, first, count);
}

static void find_known(Blocks* b)
{
    const BondGraph* graph = b->graph;
    open_rows(b);
    b->queue.count = 0;
    for (int n = 0; n < graph->node_count; n++)
    {
        b->held[n] = !imposes(b, n) && (bond_is_source(graph->nodes[n].kind) || bond_is_storage(graph->nodes[n].kind));
        if (imposes(b, n))
            impose_known(b, n);
        if (b->row_of[n] >= 0 && b->open[b->row_of[n]] == 1)
            define_known(b, b->row_of[n]);
    }
    for (uint32_t i = 0; i < b->queue.count; i++)
        for (int k = b->users_first[b->queue.at[i]]; k < b->users_first[b->queue.at[i] + 1]; k++)
            if (--b->open[b->users[k]] == 1)
                define_known(b, b->users[k]);
}

// ---------------------------------------------------------------------------------------------------------------- sums

static void need(Blocks* b, int class)
{
    b->degree[class]++;
}

static void count_needs(Blocks* b)
{
    const BondGraph* graph = b->graph;
    memset(b->degree, 0, (size_t)graph->class_count * sizeof(int));
    for (uint32_t r = 0; r < b->rows.count; r++)
        for (int i = b->rows.at[r].first; i < b->rows.at[r].first + b->rows.at[r].count && !b->used[r]; i++)
            need(b, b->entries.at[i].index);
    for (int n = 0; n < graph->node_count; n++)
    {
        if (is_plain_junction(graph, n) || !block_node_lives(b, n))
            continue;
        for (int i = 0; i < bond_degree(graph, n); i++)
        {
            need(b, graph->class_of[BOND_E(bond_at(graph, n, i))]);
            need(b, graph->class_of[BOND_F(bond_at(graph, n, i))]);
        }
    }
}

// At a junction whose common class is known: the class is the sum of the others.
static void define_sum(Blocks* b, int class)
{
    int index = -1, own = 0;
    for (int k = b->users_first[class]; k < b->users_first[class + 1]; k++)
        index = b->used[b->users[k]] ? index : b->users[k];
    if (index < 0 || b->no_row[index] || b->made->place[common_class(b->graph, b->rows.at[index].node)] != BOND_KNOWN)
        return;
    BlockRow row = b->rows.at[index];
    for (int i = row.first; i < row.first + row.count; i++)
        own = b->entries.at[i].index == class ? b->entries.at[i].weight : own;
    if (abs(own) != 1)
        return;
    b->used[index] = true;
    b->made->place[class] = BOND_SUM;
    b->made->first[class] = (int)b->pieces.count;
    b->made->count[class] = row.count - 1;
    b->definer[class] = index;
    vec_push(b->arena, b->sums, class);
    for (int i = row.first; i < row.first + row.count; i++)
    {
        BondPiece entry = b->entries.at[i];
        if (entry.index == class)
            continue;
        vec_push(b->arena, b->pieces, (BondPiece){entry.index, -entry.weight * own});
        if (--b->degree[entry.index] == 1 && b->made->place[entry.index] == 0)
            vec_push(b->arena, b->queue, entry.index);
    }
}

static void find_sums(Blocks* b)
{
    count_needs(b);
    b->queue.count = 0;
    b->sums.count = 0;
    for (int c = 0; c < b->graph->class_count; c++)
        if (b->degree[c] == 1 && b->made->place[c] == 0)
            vec_push(b->arena, b->queue, c);
    for (uint32_t i = 0; i < b->queue.count; i++)
        if (b->degree[b->queue.at[i]] == 1 && b->made->place[b->queue.at[i]] == 0)
            define_sum(b, b->queue.at[i]);
}

// ----------------------------------------------------------------------------------------------------------- conflicts

static void give_up(Blocks* b, int class)
{
    if (b->definer[class] >= 0)
        b->no_row[b->definer[class]] = true;
    else
        b->no_impose[-1 - b->definer[class]] = true;
}

// A class of what lives in blocks that is known although its row there says the same, or -1.
static int live_conflict(const Blocks* b, int node)
{
    const BondGraph* graph = b->graph;
    const int* place = b->made->place;
    BondKind kind = graph->nodes[node].kind;
    if (bond_is_junction(kind))
        return !is_plain_junction(graph, node) && place[common_class(graph, node)] != 0 ? common_class(graph, node)
                                                                                        : -1;
    for (int i = 0; i < bond_degree(graph, node); i++)
    {
        int e = graph->class_of[BOND_E(bond_at(graph, node, i))], f = graph->class_of[BOND_F(bond_at(graph, node, i))];
        if (block_node_lives(b, node) && place[e] != 0 && place[f] != 0)
            return e;
    }
    return -1;
}

// A junction goes into a block whole or not at all: if its sum does, its common class must be unknown, and if its sum
// has been used, its common class must not be. What breaks that is given up. False: nothing did.
static bool give_up_conflicts(Blocks* b)
{
    const BondGraph* graph = b->graph;
    const int* place = b->made->place;
    bool any = false;
    for (uint32_t r = 0; r < b->rows.count; r++)
    {
        int class = common_class(graph, b->rows.at[r].node);
        if (b->used[r] != (place[class] == 0))
            continue;
        any = true;
        if (b->used[r])
            b->no_row[r] = true;
        else
            give_up(b, class);
    }
    for (int n = 0; n < graph->node_count; n++)
    {
        int class = live_conflict(b, n);
        if (class >= 0)
            give_up(b, class);
        any |= class >= 0;
    }
    return any;
}

static bool take_apart(Blocks* b)
{
    enum
    {
        ROUNDS = 100
    };
    const BondGraph* graph = b->graph;
    for (int round = 0; round < ROUNDS; round++)
    {
        b->pieces.count = 0;
        memset(b->made->place, 0, (size_t)graph->class_count * sizeof(int));
        memset(b->used, 0, b->rows.count * sizeof(bool));
        find_known(b);
        find_sums(b);
        if (!give_up_conflicts(b))
            return block_graphs_make(b);
    }
    return false;
}

// Everything in one block.
static void keep_whole(Blocks* b)
{
    memset(b->no_impose, 1, (size_t)b->graph->node_count * sizeof(bool));
    memset(b->no_row, 1, b->rows.count * sizeof(bool));
    take_apart(b);
}

BondBlocks* bond_blocks_create(const BondGraph* graph, Arena* arena)
{
    Blocks* b = arena_new(arena, Blocks);
    size_t classes = (size_t)graph->class_count + 1, nodes = (size_t)graph->node_count + 1;
    *b = (Blocks){.arena = arena, .graph = graph, .made = arena_new(arena, BondBlocks)};
    *b->made = (BondBlocks){.graph = graph};
    int** ints[] = {&b->made->place, &b->made->first, &b->made->count, &b->definer, &b->degree};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        *ints[i] = arena_array(arena, int, classes);
    b->users_first = arena_array(arena, int, classes + 1);
    b->zero_k = arena_array(arena, bool, classes);
    b->zero_idle = arena_array(arena, bool, classes);
    b->held = arena_array(arena, bool, nodes);
    b->no_impose = arena_array(arena, bool, nodes);
    b->row_of = arena_array(arena, int, nodes);
    b->scratch = arena_array(arena, int, graph->input_count + 1);
    collect_rows(b);
    b->open = arena_array(arena, int, b->rows.count + 1);
    b->no_row = arena_array(arena, bool, b->rows.count + 1);
    b->used = arena_array(arena, bool, b->rows.count + 1);
    find_zeros(b, false, b->zero_k);
    find_zeros(b, true, b->zero_idle);
    if (!take_apart(b))
        keep_whole(b);
    b->made->pieces = b->pieces.at;
    b->made->sum_count = (int)b->sums.count;
    b->made->sums = b->sums.at;
    for (uint32_t i = 0; i < b->sums.count / 2; i++)  // the first to be taken away needs the others
    {
        int last = b->sums.at[b->sums.count - 1 - i];
        b->sums.at[b->sums.count - 1 - i] = b->sums.at[i];
        b->sums.at[i] = last;
    }
    return b->made;
}

// -------------------------------------------------------------------------------------------------------------- equal

static bool same_numbers(const int* a, const int* b, int count)
{
    return count == 0 || memcmp(a, b, sizeof *a * (size_t)count) == 0;
}

static bool same_pieces(const BondBlocks* a, const BondBlocks* b, int class)
{
    bool same = a->place[class] == b->place[class] && (a->place[class] >= 0 || a->count[class] == b->count[class]);
    for (int i = 0; i < a->count[class] && same && a->place[class] < 0; i++)
    {
        BondPiece one = a->pieces[a->first[class] + i], other = b->pieces[b->first[class] + i];
        same = one.index == other.index && one.weight == other.weight;
    }
    return same;
}

bool bond_blocks_equal(const BondBlocks* a, const BondBlocks* b)
{
    bool same = a->block_count == b->block_count && a->sum_count == b->sum_count &&
                same_numbers(a->sums, b->sums, a->sum_count);
    for (int c = 0; c < a->graph->class_count && same; c++)
        same = same_pieces(a, b, c);
    for (int i = 0; i < a->block_count && same; i++)
    {
        const BondBlock *one = &a->blocks[i], *other = &b->blocks[i];
        same = one->class_count == other->class_count && one->input_count == other->input_count &&
               same_numbers(one->classes, other->classes, one->class_count) &&
               same_numbers(one->inputs, other->inputs, one->input_count);
    }
    return same;
}
