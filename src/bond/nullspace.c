// The null spaces of M: K on the right by elimination, W on the left by conservation of power. See builder.h.
#include "base/sets.h"
#include "base/tolerance.h"
#include "bond/builder.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------------------- null space

static void add_null_rows(Builder* b)
{
    const BondGraph* graph = b->graph;
    elimination_init(&b->null, b->arena, b->mode.class_count, BOND_RANK_TOLERANCE);
    for (int n = 0; n < graph->node_count; n++)
    {
        BondNode node = graph->nodes[n];
        int inputs = graph->input_first[n + 1] - graph->input_first[n];
        if (bond_is_junction(node.kind))
        {
            structure_junction(b, n, false);
            structure_end_row(b, &b->null);
        }
        else if (node.kind == BOND_R && node.parameter != 0)
        {
            int bond = graph->bond_list[graph->bond_first[n]];
            structure_push(b, class_e(b, bond), 1);
            structure_end_row(b, &b->null);
            structure_push(b, class_f(b, bond), 1);
            structure_end_row(b, &b->null);
        }
        else
        {
            for (int i = 0; i < inputs; i++)
            {
                structure_element(b, n, i);
                structure_end_row(b, &b->null);
            }
        }
    }
}

// The column of `level` (or of any, -1) that fewest rows share; `tried` keeps those that are done.
int nullspace_next_column(const Builder* b, const Elimination* e, int level, const bool* tried)
{
    int best = -1, fewest = 0;
    for (int c = 0; c < b->mode.class_count; c++)
    {
        if (tried[c] || (level >= 0 && b->level[c] != (Level)level))
            continue;
        int count = elimination_candidates(e, c);
        if (best < 0 || count < fewest)
        {
            best = c;
            fewest = count;
        }
        if (fewest <= 1)  // nothing is cheaper
            break;
    }
    return best;
}

// What is left after internal and source columns says how storages depend on each other. In the coordinates of energy,
// √S times the unknown, the largest entry of a row is the one to give up; of those that `lasting` names, if there are.
static void eliminate_storages(Builder* b, const bool* lasting)
{
    for (uint32_t r = 0; r < b->null.rows.count; r++)
    {
        const SparseRow* row = &b->null.rows.at[r];
        if (row->used || row->entries.count == 0)
            continue;
        int best = -1;
        double largest = -1;
        bool lasts = false;
        for (uint32_t k = 0; k < row->entries.count; k++)
        {
            int class = row->entries.at[k].column;
            double size = fabs((double)row->entries.at[k].value) / sqrt(fmax(b->slope[class], BOND_SLOPE_LEAST));
            bool kept = lasting != NULL && lasting[class];
            if (kept > lasts || (kept == lasts && size > largest))
            {
                largest = size;
                lasts = kept;
                best = class;
            }
        }
        elimination_pivot_at(&b->null, (int)r, best);
    }
}

static void eliminate(Builder* b, const bool* lasting)
{
    add_null_rows(b);
    bool* tried = arena_array(b->arena, bool, b->mode.class_count + 1);
    for (int level = LEVEL_INTERNAL; level <= LEVEL_SOURCE; level++)
    {
        for (int c; (c = nullspace_next_column(b, &b->null, level, tried)) >= 0;)
        {
            tried[c] = true;
            elimination_pivot(&b->null, c);
        }
    }
    eliminate_storages(b, lasting);
}

// A ratio that varies may pass zero: the slider of a crank follows from the crank at its dead points, the crank does
// not follow from the slider. Which storages the others follow from is therefore asked with such ratios near zero.
static bool* find_lasting(Builder* b)
{
    bool varies = false, *lasting = arena_array(b->arena, bool, b->mode.class_count + 1);
    for (int n = 0; n < b->graph->node_count; n++)
        varies |= b->graph->nodes[n].varies;
    if (!varies)
        return NULL;
    b->vanishing = BOND_VANISHING;
    eliminate(b, NULL);
    for (int c = 0; c < b->mode.class_count; c++)
        lasting[c] = b->level[c] == LEVEL_STORAGE && b->null.pivot_row[c] >= 0;
    b->vanishing = 1;
    return lasting;
}

void nullspace_find(Builder* b)
{
    b->vanishing = 1;
    eliminate(b, find_lasting(b));
    b->dropped = arena_array(b->arena, bool, b->mode.input_count + 1);
    b->vector_of = arena_array(b->arena, int, b->mode.class_count + 1);
    for (int c = 0; c < b->mode.class_count; c++)
    {
        b->vector_of[c] = -1;
        if (b->null.pivot_row[c] >= 0)
            continue;
        bool dependent = b->level[c] == LEVEL_STORAGE;
        b->vector_of[c] = dependent ? (int)b->dependent.count : (int)b->idle.count;
        if (dependent)
            vec_push(b->arena, b->dependent, c);
        else
            vec_push(b->arena, b->idle, c);
        if (b->level[c] != LEVEL_INTERNAL)
            b->dropped[b->last_row[c]] = true;
    }
    b->mode.dependent_count = (int)b->dependent.count;
    b->mode.idle_count = (int)b->idle.count;
}

// Null vector of a free class, by class.
void nullspace_vector(const Builder* b, int free_class, Quad* k)
{
    for (int c = 0; c < b->mode.class_count; c++)
    {
        int row = b->null.pivot_row[c];
        k[c] = row >= 0 ? -sparse_get(&b->null.rows.at[row], free_class) : c == free_class;
    }
}

// -------------------------------------------------------------------------------------------------------- left vectors

// The weight of every input of a node in Wᵀb, from the null vector k of the same number.
static void left_terms(Builder* b, int node, const Quad* k)
{
    const BondGraph* graph = b->graph;
    int input = graph->input_first[node], first = graph->bond_first[node];
    int bond = graph->bond_list[first];
    Quad sign = bond_sign(graph, bond, node);
    BondKind kind = graph->nodes[node].kind;
    if (structure_imposes_effort(graph->nodes[node]))
        structure_push(b, input, sign * k[class_f(b, bond)]);
    else if (kind == BOND_SF)
        structure_push(b, input, sign * k[class_e(b, bond)]);
    else if (bond_is_storage(kind))
    {
        for (int p = graph->port_first[node]; p < graph->port_first[node + 1]; p++)
            structure_push(b, b->mode.ports[p].input, b->mode.ports[p].sign * k[b->mode.ports[p].unknown_class]);
    }
    else if (kind == BOND_TF || kind == BOND_GY)
    {
        int one = bond_at(graph, node, 0), two = bond_at(graph, node, 1);
        int s1 = bond_side_sign(graph, node, 0), s2 = bond_side_sign(graph, node, 1);
        structure_push(b, input, s1 * k[class_f(b, one)]);
        structure_push(b, input + 1, kind == BOND_TF ? -k[class_e(b, two)] : -s2 * k[class_f(b, two)]);
    }
}

void nullspace_left_vector(Builder* b, const Quad* k, Elimination* left)
{
    Quad* leak = arena_array(b->arena, Quad, b->graph->switch_count + 1);
    idle_leaks(b, k, leak);
    for (int n = 0; n < b->graph->node_count; n++)
        left_terms(b, n, k);
    for (int j = 0; j < b->graph->switch_count; j++)
        structure_push(b, b->graph->input_count + j, leak[j]);
    structure_end_row(b, left);
}

void nullspace_left(Builder* b, Elimination* left)
{
    elimination_init(left, b->arena, 0, BOND_VALUE_TOLERANCE);
    Quad* k = arena_array(b->arena, Quad, b->mode.class_count + 1);
    for (int i = 0; i < b->mode.dependent_count; i++)
    {
        nullspace_vector(b, b->dependent.at[i], k);
        nullspace_left_vector(b, k, left);
    }
    for (int i = 0; i < b->mode.idle_count; i++)
        nullspace_left_vector(b, b->idle_vector[i], left);
}

// Vectors whose G entries can be other than zero: they move ports of one storage.
void nullspace_blocks(Builder* b, const Elimination* left)
{
    int* block = arena_array(b->arena, int, b->mode.dependent_count + 1);
    int* of_node = arena_array(b->arena, int, b->graph->node_count + 1);
    for (int n = 0; n < b->graph->node_count; n++)
        of_node[n] = -1;
    for (int i = 0; i < b->mode.dependent_count; i++)
    {
        block[i] = i;
        const SparseRow* row = &left->rows.at[i];
        for (uint32_t k = 0; k < row->entries.count; k++)
        {
            int column = row->entries.at[k].column;
            int port = column < b->graph->input_count ? b->mode.port_of[column] : -1;
            if (port < 0)
                continue;
            int* owner = &of_node[b->mode.ports[port].node];
            if (*owner >= 0)
                sets_join((uint32_t*)block, (uint32_t)*owner, (uint32_t)i);
            *owner = i;
        }
    }
    for (int i = 0; i < b->mode.dependent_count; i++)
        block[i] = (int)sets_root((uint32_t*)block, (uint32_t)i);
    b->mode.dependent_block = block;
}
