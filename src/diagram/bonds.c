// Bond graphs: elements and junctions as text, bonds with half arrows, and for one set of modes the causal strokes and
// the switched junctions in the colour of their state. Storages in derivative causality, and bonds where two ends want
// the same, are marked.
#include "diagram/makers.h"

#include "base/sets.h"
#include "bond/causality.h"

#include <string.h>

static const Colour GREEN = {0, 115, 79, 255}, RED = {179, 71, 0, 255}, GREY = {119, 119, 119, 255};

typedef struct Bonds
{
    Diagram* diagram;
    const Labels* labels;
    const Flat* flat;
    int depth;
    const uint32_t* modes;  // per machine: the mode that is drawn
    int* stroke;            // per bond: 1 at the head, -1 at the tail
    bool* clash;            // per bond
    bool* derivative;       // per node: some port of it
    uint32_t* nodes;        // per node of the graph: that of the diagram + 1
    uint32_t *boxes, *groups;
    const bool* elements;  // per instance
    uint32_t* joined;      // per node of the graph: sets of ports that are connected
    uint32_t* members;     // per root of such a set: how many
} Bonds;

// The instance in which an element is written.
static uint32_t home_of(const Bonds* b, const FlatBondNode* node)
{
    uint32_t instance = b->flat->vars.at[node->e].instance;
    return b->elements[instance] ? b->flat->instances.at[instance].parent : instance;
}

// ---- causality

static bool is_on(const Bonds* b, const FlatBondNode* node)
{
    return node->machine == 0 || b->flat->machines.at[node->machine - 1].modes.at[b->modes[node->machine - 1]].on;
}

static void take(Bonds* b, const BondCausality* c)
{
    for (uint32_t i = 0; i < b->flat->bonds.count; i++)
    {
        b->stroke[i] = c->stroke[i] == BOND_STROKE_TO ? 1 : c->stroke[i] == BOND_STROKE_FROM ? -1 : 0;
        b->clash[i] = c->clash[i] >= 0;
    }
    for (uint32_t i = 0; i < b->flat->bond_nodes.count; i++)
        for (int port = c->graph->port_first[i]; port < c->graph->port_first[i + 1]; port++)
            b->derivative[i] |= c->derivative[port];
}

static void find_causality(Bonds* b)
{
    Arena* arena = b->diagram->arena;
    const BondGraph* graph = b->flat->bond_graph;
    bool* on = arena_array(arena, bool, graph->switch_count + 1);
    for (int i = 0; i < graph->switch_count; i++)
        on[i] = is_on(b, &b->flat->bond_nodes.at[graph->junction_of[i]]);
    BondCausality* c = bond_causality_create(graph, arena_allocator(arena));
    bond_causality_assign(c, on);
    take(b, c);
    bond_causality_destroy(c);
}

// ---- elements

static const char* element_title(const Bonds* b, const FlatBondNode* node)
{
    const char* name = label_name(b->labels, node->name, home_of(b, node));
    const char* word = bond_kind_word(node->kind) + bond_is_junction(node->kind);  // on paper a J0 is a 0
    return arena_printf(b->diagram->arena, "%s : %s", word, name);
}

// ---- nodes between parts: ports that are connected are one junction, outside the parts that they belong to

static bool is_plain_port(const Bonds* b, uint32_t index)
{
    const FlatBondNode* node = &b->flat->bond_nodes.at[index];
    return node->port && node->machine == 0;
}

static void join_ports(Bonds* b)
{
    uint32_t count = b->flat->bond_nodes.count;
    b->joined = arena_array(b->diagram->arena, uint32_t, count + 1);
    b->members = arena_array(b->diagram->arena, uint32_t, count + 1);
    sets_init(b->joined, count);
    for (uint32_t i = 0; i < b->flat->bonds.count; i++)
    {
        const FlatBond* bond = &b->flat->bonds.at[i];
        if (is_plain_port(b, bond->from) && is_plain_port(b, bond->to))
            sets_join(b->joined, bond->from, bond->to);
    }
    for (uint32_t i = 0; i < count; i++)
        b->members[sets_root(b->joined, i)]++;
}

static uint32_t level_of(const Bonds* b, uint32_t instance)
{
    uint32_t level = 0;
    for (; instance != 0; instance = b->flat->instances.at[instance].parent)
        level++;
    return level;
}

static uint32_t common_instance(const Bonds* b, uint32_t x, uint32_t y)
{
    while (x != y)
        if (level_of(b, x) >= level_of(b, y))
            x = b->flat->instances.at[x].parent;
        else
            y = b->flat->instances.at[y].parent;
    return x;
}

// The innermost instance around all parts whose ports are in the set.
static uint32_t instance_around(const Bonds* b, uint32_t root)
{
    uint32_t around = UINT32_MAX;
    for (uint32_t i = 0; i < b->flat->bond_nodes.count; i++)
    {
        if (sets_root(b->joined, i) != root)
            continue;
        uint32_t outside = b->flat->instances.at[home_of(b, &b->flat->bond_nodes.at[i])].parent;
        around = around == UINT32_MAX ? outside : common_instance(b, around, outside);
    }
    return around;
}

static int outer_bonds(const Bonds* b, uint32_t root)
{
    int count = 0;
    for (uint32_t i = 0; i < b->flat->bonds.count; i++)
        count += (sets_root(b->joined, b->flat->bonds.at[i].from) == root) !=
                 (sets_root(b->joined, b->flat->bonds.at[i].to) == root);
    return count;
}

static void place_junction(Bonds* b, uint32_t index)
{
    uint32_t root = sets_root(b->joined, index);
    if (b->nodes[root] == 0)
    {
        uint32_t around = instance_around(b, root);
        bool dot = outer_bonds(b, root) == 2;  // it passes on what it joins
        const char* word = bond_kind_word(b->flat->bond_nodes.at[root].kind) + 1;
        uint32_t made = b->boxes[around] != 0 ? b->boxes[around]
                                              : 1 + diagram_node(b->diagram, dot ? SHAPE_DOT : SHAPE_TEXT,
                                                                 b->groups[around], dot ? NULL : word);
        b->nodes[root] = made;
        if (b->boxes[around] == 0)
        {
            b->diagram->nodes.at[made - 1].name = b->flat->bond_nodes.at[root].name;
            b->diagram->nodes.at[made - 1].accent = dot ? GREY : COLOUR(0x333333);
        }
    }
    b->nodes[index] = b->nodes[root];
}

static void place_element(Bonds* b, uint32_t index)
{
    const FlatBondNode* node = &b->flat->bond_nodes.at[index];
    uint32_t instance = home_of(b, node);
    if (is_plain_port(b, index) && b->members[sets_root(b->joined, index)] > 1)
    {
        place_junction(b, index);
        return;
    }
    if (b->boxes[instance] != 0)
    {
        b->nodes[index] = b->boxes[instance];
        return;
    }
    bool junction = bond_is_junction(node->kind);
    bool plain = node->port && bond_degree(b->flat->bond_graph, (int)index) == 2 &&
                 node->machine == 0;  // a port passes on what it joins
    DiagramShape shape = plain ? SHAPE_DOT : junction && node->machine != 0 ? SHAPE_ROUND : SHAPE_TEXT;
    uint32_t made = diagram_node(b->diagram, shape, b->groups[instance], plain ? NULL : element_title(b, node));
    DiagramNode* at = &b->diagram->nodes.at[made];
    at->name = node->name;
    if (plain)
        at->accent = GREY;
    if (node->machine != 0)
    {
        bool on = is_on(b, node);
        const FlatMode* mode = &b->flat->machines.at[node->machine - 1].modes.at[b->modes[node->machine - 1]];
        at->accent = on ? GREEN : RED;
        diagram_line(b->diagram, &at->lines, arena_printf(b->diagram->arena, "%s %s", mode->name, on ? "ON" : "OFF"));
    }
    if (b->derivative[index])
    {
        at->accent = RED;
        diagram_line(b->diagram, &at->lines, "derivative");
    }
    b->nodes[index] = made + 1;
}

static void place_instances(Bonds* b)
{
    Arena* arena = b->diagram->arena;
    uint32_t count = b->flat->instances.count;
    int* level = arena_array(arena, int, count);
    bool* bonded = arena_array(arena, bool, count);  // holds elements, or has such an instance inside
    for (uint32_t i = 0; i < b->flat->bond_nodes.count; i++)
        for (uint32_t at = home_of(b, &b->flat->bond_nodes.at[i]); !bonded[at]; at = b->flat->instances.at[at].parent)
            bonded[at] = true;
    for (uint32_t i = 1; i < count; i++)
    {
        const FlatInstance* instance = &b->flat->instances.at[i];
        level[i] = level[instance->parent] + 1;
        if (b->boxes[instance->parent] != 0)
            b->boxes[i] = b->boxes[instance->parent];
        if (!bonded[i] || b->boxes[i] != 0)
            continue;
        const char* name = label_name(b->labels, instance->name, instance->parent);
        uint32_t group = b->groups[instance->parent];
        if (level[i] < b->depth)
            b->groups[i] = diagram_group(b->diagram, group, arena_printf(arena, "%s : %s", name, instance->model));
        else
        {
            uint32_t node = diagram_node(b->diagram, SHAPE_BOX, group, name);
            b->diagram->nodes.at[node].thick = true;
            b->diagram->nodes.at[node].name = instance->name;
            diagram_line(b->diagram, &b->diagram->nodes.at[node].lines, instance->model);
            b->boxes[i] = node + 1;
        }
    }
}

static void place_bond(Bonds* b, uint32_t index)
{
    const FlatBond* bond = &b->flat->bonds.at[index];
    uint32_t from = b->nodes[bond->from], to = b->nodes[bond->to];
    if (from == to)
        return;  // inside a box
    DiagramEdge* edge = diagram_edge(b->diagram, from - 1, to - 1);
    edge->arrow = ARROW_HALF;
    edge->stroke = b->stroke[index];
    edge->colour = b->clash[index] ? RED : COLOUR(0x333333);
    if (bond->e == NO_VAR)
        return;
    const char* name = b->flat->vars.at[bond->e].name;  // "name.e"
    const char* dot = strrchr(name, '.');
    diagram_line(b->diagram, &edge->label,
                 arena_printf(b->diagram->arena, "%.*s", dot != NULL ? (int)(dot - name) : (int)strlen(name), name));
}

bool bonds_make(Diagram* diagram, const Labels* labels, int depth, const uint32_t* modes)
{
    Arena* arena = diagram->arena;
    const Flat* flat = labels->flat;
    Bonds b = {.diagram = diagram,
               .labels = labels,
               .flat = flat,
               .depth = depth < 0 ? 1 << 20 : depth,
               .modes = modes,
               .stroke = arena_array(arena, int, flat->bonds.count + 1),
               .clash = arena_array(arena, bool, flat->bonds.count + 1),
               .derivative = arena_array(arena, bool, flat->bond_nodes.count + 1),
               .nodes = arena_array(arena, uint32_t, flat->bond_nodes.count + 1),
               .boxes = arena_array(arena, uint32_t, flat->instances.count + 1),
               .groups = arena_array(arena, uint32_t, flat->instances.count + 1),
               .elements = label_elements(labels)};
    if (flat->bond_nodes.count == 0)
        return false;
    find_causality(&b);
    join_ports(&b);
    place_instances(&b);
    for (uint32_t i = 0; i < flat->bond_nodes.count; i++)
        place_element(&b, i);
    for (uint32_t i = 0; i < flat->bonds.count && diagram->nodes.count <= DIAGRAM_MOST; i++)
        place_bond(&b, i);
    return true;
}
