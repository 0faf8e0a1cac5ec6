// A bond graph: what may be wrong with it, who is whose neighbour, and where each quantity lives. See graph.h.
#include "bond/graph.h"

#include "base/sets.h"
#include "base/tolerance.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// --------------------------------------------------------------------------------------------------------------- kinds

static const char* const words[] = {
#define X(name, word) [BOND_##name] = word,
    BOND_KINDS(X)
#undef X
};

const char* bond_kind_word(BondKind kind)
{
    return words[kind];
}

bool bond_kind_find(const char* word, BondKind* kind)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return *kind = (BondKind)i, true;
    return false;
}

// --------------------------------------------------------------------------------------------------------------- check

typedef struct Faults
{
    BondFault* at;
    int count, capacity;
} Faults;

static void add_fault(Faults* faults, BondFaultKind kind, int node, int bond)
{
    if (faults->count < faults->capacity)
        faults->at[faults->count] = (BondFault){kind, node, bond};
    faults->count++;
}

// The bonds at a node: how many, the second and the last of them.
static int bonds_at(const BondEdge* bonds, int bond_count, int node, int* second, int* last)
{
    int count = 0;
    for (int b = 0; b < bond_count; b++)
    {
        if (bonds[b].from != node && bonds[b].to != node)
            continue;
        count++;
        *last = b;
        if (count == 2)
            *second = b;
    }
    return count;
}

static void check_bonds(Faults* faults, const BondNode* nodes, int n, const BondEdge* bonds, int bond_count)
{
    BondKind kind = nodes[n].kind;
    int second = -1, last = -1;
    int count = bonds_at(bonds, bond_count, n, &second, &last);
    bool one_port = bond_is_source(kind) || kind == BOND_R;
    if (count == 0)
        add_fault(faults, BOND_FAULT_UNCONNECTED, n, -1);
    else if (one_port && count > 1)
        add_fault(faults, BOND_FAULT_TWO_BONDS, n, second);
    else if ((kind == BOND_TF || kind == BOND_GY) && count != 2)
        add_fault(faults, BOND_FAULT_NOT_TWO_PORT, n, last);
    for (int b = 0; b < bond_count; b++)
        if (bonds[b].from == n && bonds[b].to == n)
            add_fault(faults, BOND_FAULT_SELF, n, b);
}

static void check_switch(Faults* faults, const BondNode* nodes, int n)
{
    int index = nodes[n].switch_index;
    bool wrong = index < -1 || (index >= 0 && !bond_is_junction(nodes[n].kind));
    for (int other = 0; other < n && index >= 0; other++)
        wrong = wrong || nodes[other].switch_index == index;
    if (wrong)
        add_fault(faults, BOND_FAULT_SWITCH, n, -1);
}

int bond_graph_check(const BondNode* nodes, int node_count, const BondEdge* bonds, int bond_count, BondFault* faults,
                     int capacity)
{
    Faults found = {faults, 0, capacity};
    for (int n = 0; n < node_count; n++)
    {
        check_bonds(&found, nodes, n, bonds, bond_count);
        check_switch(&found, nodes, n);
        BondKind kind = nodes[n].kind;
        if ((kind == BOND_R || kind == BOND_TF || kind == BOND_GY) && !isfinite(nodes[n].parameter))
            add_fault(&found, BOND_FAULT_PARAMETER, n, -1);
    }
    return found.count;
}

// -------------------------------------------------------------------------------------------------------------- create

static int inputs_of(BondKind kind, int bonds)
{
    if (bond_is_junction(kind))
        return 0;
    return bond_is_storage(kind) ? bonds : bond_is_two_port(kind) ? 2 : 1;
}

// Side 1 of a TF or GY is the bond that points in; of two alike, the first.
static void order_sides(BondGraph* graph, int n)
{
    int* list = graph->bond_list + graph->bond_first[n];
    if (!bond_is_two_port(graph->nodes[n].kind) || bond_sign(graph, list[0], n) > 0 || bond_sign(graph, list[1], n) < 0)
        return;
    int out = list[0];
    list[0] = list[1];
    list[1] = out;
}

// Counting sort: bond_first[n + 1] is where the next bond of n goes, and ends as where those of n + 1 begin.
static void list_bonds(BondGraph* graph)
{
    int* next = graph->bond_first + 1;
    for (int b = 0; b < graph->bond_count; b++)
        for (int end = 0; end < 2; end++)
            graph->bond_first[(end == 0 ? graph->bonds[b].from : graph->bonds[b].to) + 1]++;
    for (int n = 0, before = 0, count; n < graph->node_count; n++, before += count)
    {
        count = next[n];
        next[n] = before;
    }
    for (int b = 0; b < graph->bond_count; b++)
        for (int end = 0; end < 2; end++)
            graph->bond_list[next[end == 0 ? graph->bonds[b].from : graph->bonds[b].to]++] = b;
    for (int n = 0; n < graph->node_count; n++)
        order_sides(graph, n);
}

static void unite(int* parent, int a, int b)
{
    sets_join((uint32_t*)parent, (uint32_t)a, (uint32_t)b);
}

// Classes by number, in the order of their roots, which are the lowest of each: all before i have their number, kept
// below zero until the end.
static int number_classes(int* parent, int count)
{
    int classes = 0;
    for (int i = 0; i < count; i++)
    {
        int root = i;
        while (parent[root] >= 0 && parent[root] != root)
            root = parent[root];
        parent[i] = root == i ? -++classes : parent[root];
    }
    for (int i = 0; i < count; i++)
        parent[i] = -parent[i] - 1;
    return classes;
}

static void find_classes(BondGraph* graph)
{
    for (int u = 0; u < 2 * graph->bond_count; u++)
        graph->class_of[u] = u;
    for (int n = 0; n < graph->node_count; n++)
    {
        graph->component_of[n] = n;
        bool flow = graph->nodes[n].kind == BOND_J1;
        for (int i = 1; bond_is_junction(graph->nodes[n].kind) && i < bond_degree(graph, n); i++)
            unite(graph->class_of, 2 * bond_at(graph, n, i - 1) + flow, 2 * bond_at(graph, n, i) + flow);
    }
    for (int b = 0; b < graph->bond_count; b++)
        unite(graph->component_of, graph->bonds[b].from, graph->bonds[b].to);
    graph->class_count = number_classes(graph->class_of, 2 * graph->bond_count);
    graph->component_count = number_classes(graph->component_of, graph->node_count);
}

static void number_quantities(BondGraph* graph)
{
    for (int n = 0; n < graph->node_count; n++)
    {
        BondNode node = graph->nodes[n];
        int bonds = graph->bond_first[n + 1] - graph->bond_first[n];
        int ports = bond_is_storage(node.kind) ? bonds : 0;
        graph->input_first[n + 1] = graph->input_first[n] + inputs_of(node.kind, bonds);
        graph->port_first[n + 1] = graph->port_first[n] + ports;
        graph->block_first[n + 1] = graph->block_first[n] + ports * ports;
        if (node.switch_index >= 0)
            graph->junction_of[node.switch_index] = n;
    }
    graph->input_count = graph->input_first[graph->node_count];
    graph->port_count = graph->port_first[graph->node_count];
    graph->block_size = graph->block_first[graph->node_count];
}

static int count_switches(const BondNode* nodes, int node_count)
{
    int count = 0;
    for (int n = 0; n < node_count; n++)
        count = nodes[n].switch_index >= count ? nodes[n].switch_index + 1 : count;
    return count;
}

BondGraph* bond_graph_create(const BondNode* nodes, int node_count, const BondEdge* bonds, int bond_count,
                             kaiAllocator allocator)
{
    enum
    {
        CHECKED = 200  // the check looks at every bond for every node
    };
    assert(node_count > CHECKED || bond_graph_check(nodes, node_count, bonds, bond_count, NULL, 0) == 0);
    int switches = count_switches(nodes, node_count);
    size_t table = (size_t)node_count + 1;
    size_t ints = 5 * table + 4 * (size_t)bond_count + (size_t)switches;
    size_t size = sizeof(BondGraph) + (size_t)node_count * sizeof *nodes + (size_t)bond_count * sizeof *bonds +
                  ints * sizeof(int);
    BondGraph* graph = allocator.alloc(allocator.user, NULL, 0, size);
    if (!graph)
        return NULL;
    memset(graph, 0, size);
    *graph = (BondGraph){.node_count = node_count, .bond_count = bond_count, .switch_count = switches};
    graph->allocator = allocator;
    graph->size = size;
    graph->nodes = (BondNode*)(graph + 1);
    graph->bonds = (BondEdge*)(graph->nodes + node_count);
    graph->bond_first = (int*)(graph->bonds + bond_count);
    graph->input_first = graph->bond_first + table;
    graph->port_first = graph->input_first + table;
    graph->block_first = graph->port_first + table;
    graph->bond_list = graph->block_first + table;
    graph->junction_of = graph->bond_list + 2 * (size_t)bond_count;
    graph->class_of = graph->junction_of + switches;
    graph->component_of = graph->class_of + 2 * (size_t)bond_count;
    memcpy(graph->nodes, nodes, (size_t)node_count * sizeof *nodes);
    if (bond_count > 0)
        memcpy(graph->bonds, bonds, (size_t)bond_count * sizeof *bonds);
    list_bonds(graph);
    number_quantities(graph);
    find_classes(graph);
    return graph;
}

static void* from_arena(void* user, void* old, size_t old_size, size_t new_size)
{
    (void)old, (void)old_size;
    return new_size > 0 ? arena_alloc(user, new_size) : NULL;
}

BondGraph* bond_graph_in(Arena* arena, const BondNode* nodes, int node_count, const BondEdge* bonds, int bond_count)
{
    return bond_graph_create(nodes, node_count, bonds, bond_count, (kaiAllocator){from_arena, arena});
}

BondGraph* bond_graph_component(const BondGraph* graph, int component, Arena* arena)
{
    BondNode* nodes = arena_array(arena, BondNode, graph->node_count + 1);
    BondEdge* bonds = arena_array(arena, BondEdge, graph->bond_count + 1);
    int* local = arena_array(arena, int, graph->node_count + 1);
    int node_count = 0, bond_count = 0, switches = 0;
    for (int n = 0; n < graph->node_count; n++)
    {
        if (graph->component_of[n] != component)
            continue;
        nodes[node_count] = graph->nodes[n];
        if (nodes[node_count].switch_index >= 0)
            nodes[node_count].switch_index = switches++;
        local[n] = node_count++;
    }
    for (int b = 0; b < graph->bond_count; b++)
        if (graph->component_of[graph->bonds[b].from] == component)
            bonds[bond_count++] = (BondEdge){local[graph->bonds[b].from], local[graph->bonds[b].to]};
    return bond_graph_in(arena, nodes, node_count, bonds, bond_count);
}

void bond_graph_destroy(BondGraph* graph)
{
    if (graph)
        graph->allocator.alloc(graph->allocator.user, graph, graph->size, 0);
}

// -------------------------------------------------------------------------------------------------------------- values

static BondTerm term_of(int bond, bool flow, int sign)
{
    return (BondTerm){(uint32_t)bond, flow, (int8_t)sign};
}

int bond_terms(const BondGraph* graph, int node, int port, bool flow, BondTerm* terms)
{
    BondKind kind = graph->nodes[node].kind;
    int bond = bond_at(graph, node, port), count = bond_degree(graph, node);
    if (!bond_is_junction(kind))
    {
        int sign = bond_is_two_port(kind) ? bond_side_sign(graph, node, port)
                   : bond_is_source(kind) ? 1
                                          : bond_sign(graph, bond, node);
        terms[0] = term_of(bond, flow, flow ? sign : 1);
        return 1;
    }
    if (flow == (kind == BOND_J1))
    {
        terms[0] = term_of(bond, flow, 1);
        return 1;
    }
    for (int i = 0; i < count; i++)
        terms[i] = term_of(bond_at(graph, node, i), flow, bond_sign(graph, bond_at(graph, node, i), node));
    return count;
}

void bond_junction_values(const BondGraph* graph, int node, bool on, const double* z, const double* size, double* e,
                          double* f)
{
    bool zero = graph->nodes[node].kind == BOND_J0;
    const int* list = graph->bond_list + graph->bond_first[node];
    int count = graph->bond_first[node + 1] - graph->bond_first[node];
    double common = z[zero ? BOND_E(list[0]) : BOND_F(list[0])], sum = 0, terms = 0;
    for (int i = 0; i < count && !on; i++)
    {
        int unknown = zero ? BOND_F(list[i]) : BOND_E(list[i]);
        sum += bond_sign(graph, list[i], node) * z[unknown];
        terms += size ? size[unknown] : fabs(z[unknown]);
    }
    if (fabs(sum) <= BOND_NOTHING * terms && isfinite(terms))
        sum = 0;
    *e = zero ? common : sum;
    *f = zero ? sum : common;
}

double bond_energy(const BondGraph* graph, int node, const double* storage, const double* x)
{
    int first = graph->port_first[node], ports = graph->port_first[node + 1] - first;
    const double* block = storage + graph->block_first[node];
    double energy = 0;
    for (int i = 0; i < ports; i++)
        for (int j = 0; j < ports; j++)
            energy += 0.5 * x[first + i] * block[i * ports + j] * x[first + j];
    return energy;
}
