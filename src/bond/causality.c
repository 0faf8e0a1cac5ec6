// Sequential causality assignment. See causality.h; paper 002, section on causality; Karnopp, Margolis, Rosenberg,
// chapter 5.
//
// Order: junctions that are OFF, sources, storages with integral causality preferred, resistors, what is left; each in
// the order of declaration, each followed by all that it forces. A preference that leads to a contradiction is undone
// and the other causality taken. Clashes are read off the finished strokes.
//
// A junction is a *wall* if it fixes the strokes of all its bonds whatever is behind them: it is OFF, or a source of
// its own quantity hangs on it. What a switch changes reaches no further than the next wall that was one before.
#include "bond/causality.h"

#include <string.h>

typedef struct Assignment
{
    BondCausality* causality;
    const BondGraph* graph;
    int *region, *wall;           // flags: per bond; per node: fixed its bonds before
    int *queue, *queued, *trail;  // nodes to look at; flag per node; bonds that were assigned
    int head, tail, trail_count;
} Assignment;

BondCausality* bond_causality_create(const BondGraph* graph, kaiAllocator allocator)
{
    size_t bonds = (size_t)graph->bond_count, nodes = (size_t)graph->node_count;
    size_t ints = 2 * bonds + (4 * bonds + 3 * nodes + 2), flags = (size_t)(graph->port_count + graph->switch_count);
    size_t size = sizeof(BondCausality) + bonds * sizeof(BondStroke) + ints * sizeof(int) + flags * sizeof(bool);
    BondCausality* causality = allocator.alloc(allocator.user, NULL, 0, size);
    if (!causality)
        return NULL;
    memset(causality, 0, size);
    causality->graph = graph;
    causality->stroke = (BondStroke*)(causality + 1);
    causality->clash = (int*)(causality->stroke + bonds);
    causality->loop = causality->clash + bonds;
    causality->scratch = causality->loop + bonds;
    causality->derivative = (bool*)(causality->scratch + (4 * bonds + 3 * nodes + 2));
    causality->on = causality->derivative + graph->port_count;
    causality->allocator = allocator;
    causality->size = size;
    return causality;
}

void bond_causality_destroy(BondCausality* causality)
{
    if (causality)
        causality->allocator.alloc(causality->allocator.user, causality, causality->size, 0);
}

// ------------------------------------------------------------------------------------------------------------- strokes

static bool node_is_on(const BondCausality* causality, int node)
{
    int index = causality->graph->nodes[node].switch_index;
    return index < 0 || causality->on[index];
}

static BondStroke stroke_at(const BondGraph* graph, int bond, int node)
{
    return graph->bonds[bond].to == node ? BOND_STROKE_TO : BOND_STROKE_FROM;
}

static BondStroke stroke_away(const BondGraph* graph, int bond, int node)
{
    return graph->bonds[bond].to == node ? BOND_STROKE_FROM : BOND_STROKE_TO;
}

static int other_end(const BondGraph* graph, int bond, int node)
{
    return graph->bonds[bond].to == node ? graph->bonds[bond].from : graph->bonds[bond].to;
}

// What an element wants of its bond: the source must have it, the storage prefers it.
static BondStroke wanted_stroke(const BondGraph* graph, int bond, int node)
{
    BondKind kind = graph->nodes[node].kind;
    return kind == BOND_SE || kind == BOND_C ? stroke_away(graph, bond, node) : stroke_at(graph, bond, node);
}

// The stroke of the one bond that rules a junction which is ON: it brings the effort of a J0, the flow of a J1. The
// others, and all bonds of a junction that is OFF, have the opposite one.
static BondStroke ruling_stroke(const BondGraph* graph, int bond, int node)
{
    return graph->nodes[node].kind == BOND_J0 ? stroke_at(graph, bond, node) : stroke_away(graph, bond, node);
}

static BondStroke ruled_stroke(const BondGraph* graph, int bond, int node)
{
    return graph->nodes[node].kind == BOND_J0 ? stroke_away(graph, bond, node) : stroke_at(graph, bond, node);
}

// --------------------------------------------------------------------------------------------------------- propagation

static void look_at(Assignment* a, int node)
{
    int room = 2 * a->graph->bond_count + 1;
    if (a->queued[node])
        return;
    a->queued[node] = true;
    a->queue[a->tail] = node;
    a->tail = (a->tail + 1) % room;
}

static bool set_stroke(Assignment* a, int bond, BondStroke stroke)
{
    BondStroke* place = &a->causality->stroke[bond];
    if (*place != BOND_STROKE_NONE)
        return *place == stroke;
    *place = stroke;
    a->trail[a->trail_count++] = bond;
    look_at(a, a->graph->bonds[bond].from);
    look_at(a, a->graph->bonds[bond].to);
    return true;
}

static bool follow_junction(Assignment* a, int node)
{
    const BondGraph* graph = a->graph;
    int ruling = 0, open = 0, last_open = -1;
    for (int i = graph->bond_first[node]; i < graph->bond_first[node + 1]; i++)
    {
        int bond = graph->bond_list[i];
        BondStroke stroke = a->causality->stroke[bond];
        ruling += stroke == ruling_stroke(graph, bond, node);
        open += stroke == BOND_STROKE_NONE;
        last_open = stroke == BOND_STROKE_NONE ? bond : last_open;
    }
    if (!node_is_on(a->causality, node))
        return ruling == 0;
    if (ruling == 0 && open == 1)
        return set_stroke(a, last_open, ruling_stroke(graph, last_open, node));
    for (int i = graph->bond_first[node]; i < graph->bond_first[node + 1] && ruling > 0; i++)
        if (a->causality->stroke[graph->bond_list[i]] == BOND_STROKE_NONE)
            set_stroke(a, graph->bond_list[i], ruled_stroke(graph, graph->bond_list[i], node));
    return ruling == 1 || (ruling == 0 && open > 0);
}

// A transformer has one stroke at it, a gyrator both or none.
static bool follow_two_port(Assignment* a, int node)
{
    const BondGraph* graph = a->graph;
    const int* bonds = graph->bond_list + graph->bond_first[node];
    bool gyrator = graph->nodes[node].kind == BOND_GY;
    for (int i = 0; i < 2; i++)
    {
        BondStroke stroke = a->causality->stroke[bonds[i]];
        if (stroke == BOND_STROKE_NONE)
            continue;
        bool at = stroke == stroke_at(graph, bonds[i], node);
        int other = bonds[1 - i];
        return set_stroke(a, other, at == gyrator ? stroke_at(graph, other, node) : stroke_away(graph, other, node));
    }
    return true;
}

// All that the strokes so far force. False if they contradict each other.
static bool propagate(Assignment* a)
{
    bool agrees = true;
    int room = 2 * a->graph->bond_count + 1;
    while (a->head != a->tail)
    {
        int node = a->queue[a->head];
        a->head = (a->head + 1) % room;
        a->queued[node] = false;
        BondKind kind = a->graph->nodes[node].kind;
        if (bond_is_junction(kind))
            agrees = follow_junction(a, node) && agrees;
        else if (kind == BOND_TF || kind == BOND_GY)
            agrees = follow_two_port(a, node) && agrees;
    }
    return agrees;
}

// Tries a free choice, and if that contradicts something the opposite; keeps that in any case.
static void choose(Assignment* a, int bond, BondStroke stroke)
{
    a->trail_count = 0;
    set_stroke(a, bond, stroke);
    if (propagate(a))
        return;
    while (a->trail_count > 0)
        a->causality->stroke[a->trail[--a->trail_count]] = BOND_STROKE_NONE;
    set_stroke(a, bond, stroke == BOND_STROKE_TO ? BOND_STROKE_FROM : BOND_STROKE_TO);
    propagate(a);
}

// -------------------------------------------------------------------------------------------------------------- phases

// Whether this source makes a wall of the junction it hangs on.
static bool rules_junction(const BondCausality* causality, int source, int node)
{
    BondKind kind = causality->graph->nodes[source].kind, end = causality->graph->nodes[node].kind;
    return node_is_on(causality, node) && ((kind == BOND_SE && end == BOND_J0) || (kind == BOND_SF && end == BOND_J1));
}

static void rule_all(Assignment* a, int node)
{
    for (int i = a->graph->bond_first[node]; i < a->graph->bond_first[node + 1]; i++)
        if (a->region[a->graph->bond_list[i]])
            set_stroke(a, a->graph->bond_list[i], ruled_stroke(a->graph, a->graph->bond_list[i], node));
}

// Walls first, before anything is followed: nothing passes them, so that regions never meet.
static void assign_walls(Assignment* a)
{
    const BondGraph* graph = a->graph;
    a->trail_count = 0;
    for (int n = 0; n < graph->node_count; n++)
    {
        int bond = graph->bond_list[graph->bond_first[n]], end = other_end(graph, bond, n);
        if (bond_is_junction(graph->nodes[n].kind) && !node_is_on(a->causality, n))
            rule_all(a, n);
        else if (bond_is_source(graph->nodes[n].kind) && rules_junction(a->causality, n, end))
        {
            if (a->region[bond])
                set_stroke(a, bond, wanted_stroke(graph, bond, n));
            rule_all(a, end);
        }
    }
    propagate(a);
}

static void assign_sources(Assignment* a)
{
    const BondGraph* graph = a->graph;
    for (int n = 0; n < graph->node_count; n++)
    {
        int bond = graph->bond_list[graph->bond_first[n]];
        if (!bond_is_source(graph->nodes[n].kind) || !a->region[bond])
            continue;
        a->trail_count = 0;
        set_stroke(a, bond, wanted_stroke(graph, bond, n));
        propagate(a);
    }
}

static void assign_storages(Assignment* a)
{
    const BondGraph* graph = a->graph;
    for (int n = 0; n < graph->node_count; n++)
    {
        for (int i = graph->bond_first[n]; i < graph->bond_first[n + 1] && bond_is_storage(graph->nodes[n].kind); i++)
        {
            int bond = graph->bond_list[i];
            if (a->region[bond] && a->causality->stroke[bond] == BOND_STROKE_NONE)
                choose(a, bond, wanted_stroke(graph, bond, n));
        }
    }
}

// A choice that is left to resistors, or to nobody, closes an algebraic loop through all that follows from it.
static void assign_loop(Assignment* a, int bond, BondStroke stroke)
{
    if (!a->region[bond] || a->causality->stroke[bond] != BOND_STROKE_NONE)
        return;
    choose(a, bond, stroke);
    for (int i = 0; i < a->trail_count; i++)
        a->causality->loop[a->trail[i]] = bond;
}

static void assign_rest(Assignment* a)
{
    const BondGraph* graph = a->graph;
    for (int n = 0; n < graph->node_count; n++)
    {
        int bond = graph->bond_list[graph->bond_first[n]];
        if (graph->nodes[n].kind == BOND_R)
            assign_loop(a, bond, stroke_at(graph, bond, n));
    }
    for (int b = 0; b < graph->bond_count; b++)
        assign_loop(a, b, BOND_STROKE_TO);
}

// ------------------------------------------------------------------------------------------------------------- clashes

// The first bond that rules a junction, other than `except`; -1: none.
static int ruler(const BondCausality* causality, int node, int except)
{
    const BondGraph* graph = causality->graph;
    for (int i = graph->bond_first[node]; i < graph->bond_first[node + 1]; i++)
    {
        int bond = graph->bond_list[i];
        if (bond != except && causality->stroke[bond] == ruling_stroke(graph, bond, node))
            return bond;
    }
    return -1;
}

static int junction_clash(const BondCausality* causality, int node, int bond)
{
    const BondGraph* graph = causality->graph;
    bool rules = causality->stroke[bond] == ruling_stroke(graph, bond, node);
    int other = ruler(causality, node, bond);
    if (!node_is_on(causality, node))
        return rules ? bond : -1;
    if (rules)
        return other;
    int first = graph->bond_list[graph->bond_first[node]], last = graph->bond_list[graph->bond_first[node + 1] - 1];
    return other >= 0 ? -1 : bond == first ? last : first;  // nobody rules: all of them
}

// The bond that keeps a source from having its way: the ruler of the junction it hangs on.
static int source_clash(const BondCausality* causality, int node, int bond)
{
    const BondGraph* graph = causality->graph;
    if (causality->stroke[bond] == wanted_stroke(graph, bond, node))
        return -1;
    int end = other_end(graph, bond, node), other = -1;
    if (bond_is_junction(graph->nodes[end].kind))
        other = ruler(causality, end, bond);
    return other >= 0 ? other : bond;
}

static int two_port_clash(const BondCausality* causality, int node, int bond)
{
    const BondGraph* graph = causality->graph;
    const int* bonds = graph->bond_list + graph->bond_first[node];
    int other = bond == bonds[0] ? bonds[1] : bonds[0];
    bool same = (causality->stroke[bond] == stroke_at(graph, bond, node)) ==
                (causality->stroke[other] == stroke_at(graph, other, node));
    return same == (graph->nodes[node].kind == BOND_GY) ? -1 : other;
}

static int clash_at(const BondCausality* causality, int node, int bond)
{
    BondKind kind = causality->graph->nodes[node].kind;
    if (bond_is_junction(kind))
        return junction_clash(causality, node, bond);
    if (bond_is_source(kind))
        return source_clash(causality, node, bond);
    return kind == BOND_TF || kind == BOND_GY ? two_port_clash(causality, node, bond) : -1;
}

static void read_off(BondCausality* causality)
{
    const BondGraph* graph = causality->graph;
    causality->clash_count = causality->derivative_count = causality->loop_count = 0;
    for (int b = 0; b < graph->bond_count; b++)
    {
        int clash = clash_at(causality, graph->bonds[b].from, b);
        causality->clash[b] = clash >= 0 ? clash : clash_at(causality, graph->bonds[b].to, b);
        causality->clash_count += causality->clash[b] >= 0;
        causality->loop_count += causality->loop[b] == b;
    }
    for (int n = 0; n < graph->node_count; n++)
    {
        for (int p = graph->port_first[n]; p < graph->port_first[n + 1]; p++)
        {
            int bond = graph->bond_list[graph->bond_first[n] + p - graph->port_first[n]];
            causality->derivative[p] = causality->stroke[bond] != wanted_stroke(graph, bond, n);
            causality->derivative_count += causality->derivative[p];
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- region

static bool is_wall(const BondCausality* causality, int node)
{
    const BondGraph* graph = causality->graph;
    BondKind kind = graph->nodes[node].kind;
    if (!bond_is_junction(kind))
        return false;
    if (!node_is_on(causality, node))
        return true;
    for (int i = graph->bond_first[node]; i < graph->bond_first[node + 1]; i++)
    {
        int end = other_end(graph, graph->bond_list[i], node);
        if (bond_is_source(graph->nodes[end].kind) && rules_junction(causality, end, node))
            return true;
    }
    return false;
}

// Everything that node `start` reaches: through junctions that are no walls, and through two-ports.
static void reach(Assignment* a, int start)
{
    const BondGraph* graph = a->graph;
    look_at(a, start);
    while (a->head != a->tail)
    {
        int node = a->queue[a->head];
        a->head = (a->head + 1) % (2 * graph->bond_count + 1);
        a->queued[node] = false;
        for (int i = graph->bond_first[node]; i < graph->bond_first[node + 1]; i++)
        {
            int bond = graph->bond_list[i], end = other_end(graph, bond, node);
            BondKind kind = graph->nodes[end].kind;
            if (a->region[bond])
                continue;
            a->region[bond] = true;
            if (!a->wall[end] && (bond_is_junction(kind) || kind == BOND_TF || kind == BOND_GY))
                look_at(a, end);
        }
    }
}

static Assignment begin(BondCausality* causality)
{
    const BondGraph* graph = causality->graph;
    Assignment a = {.causality = causality, .graph = graph};
    a.region = causality->scratch;
    a.trail = a.region + graph->bond_count;
    a.queue = a.trail + graph->bond_count;
    a.queued = a.queue + 2 * graph->bond_count + 1;
    a.wall = a.queued + graph->node_count;
    memset(a.region, 0, (size_t)graph->bond_count * sizeof(int));
    memset(a.queued, 0, 2 * (size_t)graph->node_count * sizeof(int));
    return a;
}

static void assign(Assignment* a)
{
    BondCausality* causality = a->causality;
    causality->work = 0;
    for (int b = 0; b < a->graph->bond_count; b++)
    {
        if (!a->region[b])
            continue;
        causality->stroke[b] = BOND_STROKE_NONE;
        causality->loop[b] = -1;
        causality->work++;
    }
    assign_walls(a);
    assign_sources(a);
    assign_storages(a);
    assign_rest(a);
    read_off(causality);
}

void bond_causality_assign(BondCausality* causality, const bool* on)
{
    Assignment a = begin(causality);
    for (int j = 0; j < causality->graph->switch_count; j++)
        causality->on[j] = on[j];
    for (int b = 0; b < causality->graph->bond_count; b++)
        a.region[b] = true;
    assign(&a);
}

void bond_causality_switch(BondCausality* causality, const bool* on)
{
    const BondGraph* graph = causality->graph;
    Assignment a = begin(causality);
    for (int n = 0; n < graph->node_count; n++)
        a.wall[n] = is_wall(causality, n);  // a wall that changes is itself where the search begins
    for (int j = 0; j < graph->switch_count; j++)
        if (causality->on[j] != on[j])
            reach(&a, graph->junction_of[j]);
    for (int j = 0; j < graph->switch_count; j++)
        causality->on[j] = on[j];
    assign(&a);
}

// -------------------------------------------------------------------------------------------------------- dependencies

typedef struct Search
{
    const BondCausality* causality;
    int *stack, *seen;
    int count;
} Search;

static void visit(Search* search, int unknown)
{
    if (search->seen[unknown])
        return;
    search->seen[unknown] = true;
    search->stack[search->count++] = unknown;
}

// What a junction makes an unknown of: the common one of its ruler's, the summed one of all the others'.
static void visit_junction(Search* search, int node, int bond, int flow)
{
    const BondGraph* graph = search->causality->graph;
    bool common = (graph->nodes[node].kind == BOND_J1) == flow;
    if (!node_is_on(search->causality, node))
        return;
    for (int i = graph->bond_first[node]; i < graph->bond_first[node + 1]; i++)
    {
        int other = graph->bond_list[i];
        bool rules = search->causality->stroke[other] == ruling_stroke(graph, other, node);
        if (other != bond && (!common || rules))
            visit(search, 2 * other + flow);
    }
}

// The node at the end without stroke computes the effort, the one with it the flow. Returns the node if it is an end of
// the search: a source or a storage.
static int step(Search* search, int unknown)
{
    const BondGraph* graph = search->causality->graph;
    int bond = unknown / 2, flow = unknown % 2;
    bool at_to = (search->causality->stroke[bond] == BOND_STROKE_TO) == flow;
    int node = at_to ? graph->bonds[bond].to : graph->bonds[bond].from;
    BondKind kind = graph->nodes[node].kind;
    if (bond_is_source(kind) || bond_is_storage(kind))
        return node;
    if (bond_is_junction(kind))
        visit_junction(search, node, bond, flow);
    else if (kind == BOND_R)
        visit(search, 2 * bond + !flow);
    else
    {
        const int* bonds = graph->bond_list + graph->bond_first[node];
        int other = bonds[0] == bond ? bonds[1] : bonds[0];
        visit(search, 2 * other + (kind == BOND_GY ? !flow : flow));
    }
    return -1;
}

int bond_causality_depends(const BondCausality* causality, int port, int* nodes)
{
    const BondGraph* graph = causality->graph;
    int node = 0, count = 0;
    while (graph->port_first[node + 1] <= port)
        node++;
    int bond = graph->bond_list[graph->bond_first[node] + port - graph->port_first[node]];
    Search search = {.causality = causality};
    search.stack = causality->scratch;
    search.seen = search.stack + 2 * graph->bond_count;
    memset(search.seen, 0, 2 * (size_t)graph->bond_count * sizeof(int));
    visit(&search, graph->nodes[node].kind == BOND_C ? BOND_E(bond) : BOND_F(bond));
    while (search.count > 0)
    {
        int end = step(&search, search.stack[--search.count]);
        bool known = end < 0 || end == node;
        for (int i = 0; i < count; i++)
            known = known || nodes[i] == end;
        if (!known)
            nodes[count++] = end;
    }
    return count;
}
