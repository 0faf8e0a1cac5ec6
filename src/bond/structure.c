// The structure of a graph in one set of modes: unknowns that junctions make equal, what each class moves, and the rows
// of junctions and elements. See builder.h.
#include "bond/builder.h"

#include <math.h>

// ------------------------------------------------------------------------------------------------------------- classes

static void raise_level(Builder* b, int class, Level level, int input, double slope)
{
    if (level > b->level[class] || (level == b->level[class] && (level == LEVEL_SOURCE || slope >= b->worst[class])))
    {
        b->last_row[class] = input;
        b->worst[class] = slope;
    }
    b->level[class] = level > b->level[class] ? level : b->level[class];
    b->slope[class] += slope;
}

static void classify_storage(Builder* b, int node, const double* storage)
{
    const BondGraph* graph = b->graph;
    int first = graph->bond_first[node], ports = graph->bond_first[node + 1] - first;
    for (int i = 0; i < ports; i++)
    {
        int bond = graph->bond_list[first + i], port = graph->port_first[node] + i;
        int class = b->mode.class_of[bond_storage_unknown(graph, node, bond)];
        int input = graph->input_first[node] + i;
        double sign = graph->nodes[node].kind == BOND_C ? bond_sign(graph, bond, node) : 1;
        b->mode.ports[port] = (BondPort){class, input, node, sign};
        b->mode.port_of[input] = port;
        raise_level(b, class, LEVEL_STORAGE, input, fabs(storage[graph->block_first[node] + i * ports + i]));
    }
}

// A resistance of zero imposes an effort, as a source does.
bool structure_imposes_effort(BondNode node)
{
    return node.kind == BOND_SE || (node.kind == BOND_R && node.parameter == 0);
}

void structure_classify(Builder* b, const double* storage)
{
    const BondGraph* graph = b->graph;
    b->level = arena_array(b->arena, Level, b->mode.class_count + 1);
    b->slope = arena_array(b->arena, double, b->mode.class_count + 1);
    b->worst = arena_array(b->arena, double, b->mode.class_count + 1);
    b->last_row = arena_array(b->arena, int, b->mode.class_count + 1);
    b->mode.ports = arena_array(b->arena, BondPort, graph->port_count + 1);
    b->mode.port_of = arena_array(b->arena, int, graph->input_count + 1);
    for (int i = 0; i < graph->input_count; i++)
        b->mode.port_of[i] = -1;
    for (int n = 0; n < graph->node_count; n++)
    {
        int bond = graph->bond_list[graph->bond_first[n]], input = graph->input_first[n];
        if (bond_is_storage(graph->nodes[n].kind))
            classify_storage(b, n, storage);
        else if (structure_imposes_effort(graph->nodes[n]))
            raise_level(b, class_f(b, bond), LEVEL_SOURCE, input, 0);
        else if (graph->nodes[n].kind == BOND_SF)
            raise_level(b, class_e(b, bond), LEVEL_SOURCE, input, 0);
    }
}

// ---------------------------------------------------------------------------------------------------------------- rows

static void add_term(Builder* b, int column, Quad value)
{
    if (value == 0)  // a ratio that is 0 now
        return;
    for (uint32_t i = 0; i < b->row.count; i++)
    {
        if (b->row.at[i].column == column)
        {
            b->row.at[i].value = quad_add(b->row.at[i].value, value, BOND_RANK_TOLERANCE);
            return;
        }
    }
    vec_push(b->arena, b->row, (SparseEntry){value, column});
}

void structure_end_row(Builder* b, Elimination* e)
{
    elimination_add_row(e, b->row.at, (int)b->row.count);
    b->row.count = 0;
}

static bool node_is_on(const Builder* b, int node)
{
    int index = b->graph->nodes[node].switch_index;
    return index < 0 || b->mode.on[index];
}

// The quantity that an ideal junction makes zero: the sum if it is ON, the common one if it is OFF. `leaks` gives the
// other, which is what it would leak if it were not ideal.
void structure_junction(Builder* b, int node, bool leaks)
{
    const BondGraph* graph = b->graph;
    const int* list = graph->bond_list + graph->bond_first[node];
    int count = graph->bond_first[node + 1] - graph->bond_first[node];
    int flow = graph->nodes[node].kind == BOND_J1;
    if (node_is_on(b, node) == leaks)
        add_term(b, b->mode.class_of[2 * list[0] + flow], 1);
    else
        for (int i = 0; i < count; i++)
            add_term(b, b->mode.class_of[2 * list[i] + !flow], bond_sign(graph, list[i], node));
}

static void two_port_row(Builder* b, int node, int which)
{
    int one = bond_at(b->graph, node, 0), two = bond_at(b->graph, node, 1);
    int s1 = bond_side_sign(b->graph, node, 0), s2 = bond_side_sign(b->graph, node, 1);
    Quad ratio = b->graph->nodes[node].parameter * (b->graph->nodes[node].varies ? b->vanishing : 1);
    bool transformer = b->graph->nodes[node].kind == BOND_TF;
    if (transformer && which == 0)
    {
        add_term(b, class_e(b, one), 1);
        add_term(b, class_e(b, two), -ratio);
    }
    else if (transformer)
    {
        add_term(b, class_f(b, two), s2);
        add_term(b, class_f(b, one), -ratio * s1);
    }
    else
    {
        add_term(b, class_e(b, which == 0 ? one : two), 1);
        add_term(b, which == 0 ? class_f(b, two) : class_f(b, one), -ratio * (which == 0 ? s2 : s1));
    }
}

// Row `which` of an element in M.
void structure_element(Builder* b, int node, int which)
{
    const BondGraph* graph = b->graph;
    int bond = graph->bond_list[graph->bond_first[node] + which * bond_is_storage(graph->nodes[node].kind)];
    int sign = bond_sign(graph, bond, node);
    switch (graph->nodes[node].kind)
    {
    case BOND_SE:
    case BOND_C: add_term(b, class_e(b, bond), 1); break;
    case BOND_SF: add_term(b, class_f(b, bond), 1); break;
    case BOND_I: add_term(b, class_f(b, bond), sign); break;
    case BOND_R:
        add_term(b, class_e(b, bond), 1);
        add_term(b, class_f(b, bond), -(Quad)graph->nodes[node].parameter * sign);
        break;
    default: two_port_row(b, node, which);
    }
}

void structure_push(Builder* b, int column, Quad value)
{
    if (!quad_is_zero(value))
        vec_push(b->arena, b->row, (SparseEntry){value, column});
}
