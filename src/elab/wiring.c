// How a circuit is wired, in the words of who wires it: sources that contradict each other whatever the modes do, and
// parts that nothing ties to ground. Only what the structure and constants decide is said here; the rest is up to the
// run.
#include "elab/elab.h"

#include "base/sets.h"

#include <math.h>
#include <string.h>

enum
{
    NAMES_MOST = 6,
    IDEALS_MOST = 2000,  // the search for a loop is a walk over a tree, and linear in them at every step
};

// A wire of ideal sources from one potential to another.
typedef struct Ideal
{
    uint32_t from, to;  // classes of equal effort; the last one is zero
    uint32_t node;      // a source on it; NO_VAR: none, a plain wire
    double rise;        // effort at `to` over that at `from`
    bool tree;
} Ideal;

typedef struct Wiring
{
    Elab* e;
    const BondGraph* graph;
    uint32_t count;    // nodes; also the number of the class that is zero
    uint32_t* parent;  // of junctions J0 that have one effort
    VEC(Ideal) ideals;
} Wiring;

static BondKind kind_at(const Wiring* w, int node)
{
    return w->graph->nodes[node].kind;
}

static int other_end(const Wiring* w, int bond, int node)
{
    BondEdge edge = w->graph->bonds[bond];
    return edge.from == node ? edge.to : edge.from;
}

static double sign_into(const Wiring* w, int bond, int node)
{
    return w->graph->bonds[bond].to == node ? 1 : -1;
}

// ---- values

// What an input or signal with one definition is, as far as that is known before the run.
static bool known_value(const Elab* e, uint32_t var, double* value)
{
    for (int steps = 0; steps < 20; steps++)
    {
        const FlatVar* v = &e->flat->vars.at[var];
        if (v->kind == VAR_PARAM)
            return v->init && flat_eval_const(e->flat, v->init, value);
        uint32_t first = e->vars.at[var].first_def;
        if (first == 0 || e->def_next.at[first - 1] != 0 || e->flat->defs.at[first - 1].ctx != 0)
            return false;
        NodeId id = e->flat->defs.at[first - 1].value;
        if (id && flat_eval_const(e->flat, id, value))
            return true;
        if (!id || e->flat->nodes.at[id].op != NODE_VAR)
            return false;
        var = e->flat->nodes.at[id].aux;
    }
    return false;
}

static bool source_value(const Wiring* w, int node, double* value)
{
    const FlatBondNode* flat = &w->e->flat->bond_nodes.at[node];
    return known_value(w->e, flat->kind == BOND_SE ? flat->e : flat->f, value);
}

// ---- wires of ideal sources

// A junction of equal flow between two potentials with nothing but known sources of effort in it.
static bool as_ideal(const Wiring* w, int junction, Ideal* ideal)
{
    const BondGraph* g = w->graph;
    int ends = 0;
    *ideal = (Ideal){.node = NO_VAR};
    if (kind_at(w, junction) != BOND_J1 || g->nodes[junction].switch_index >= 0)
        return false;
    for (int k = g->bond_first[junction]; k < g->bond_first[junction + 1]; k++)
    {
        int bond = g->bond_list[k], other = other_end(w, bond, junction);
        double value = 0, sign = sign_into(w, bond, junction);
        if (kind_at(w, other) == BOND_J0 && g->nodes[other].switch_index < 0)
        {
            *(sign > 0 ? &ideal->from : &ideal->to) = (uint32_t)other;
            ends += sign > 0 ? 1 : 16;
        }
        else if (kind_at(w, other) == BOND_SE && source_value(w, other, &value))
        {
            ideal->rise += sign * value;
            ideal->node = (uint32_t)other;
        }
        else
            return false;
    }
    return ends == 17;
}

static void find_ideals(Wiring* w)
{
    const BondGraph* g = w->graph;
    Ideal ideal;
    double value;
    for (int i = 0; i < g->node_count; i++)
        if (as_ideal(w, i, &ideal))
            vec_push(w->e->arena, w->ideals, ideal);
    for (int i = 0; i < g->bond_count; i++)
    {
        BondEdge edge = g->bonds[i];
        int source = kind_at(w, edge.from) == BOND_SE ? edge.from : edge.to;
        int junction = other_end(w, i, source);
        if (kind_at(w, source) == BOND_SE && kind_at(w, junction) == BOND_J0 && g->nodes[junction].switch_index < 0 &&
            source_value(w, source, &value))
            vec_push(w->e->arena, w->ideals,
                     (Ideal){.from = w->count, .to = (uint32_t)junction, .node = (uint32_t)source, .rise = value});
    }
    for (uint32_t i = 0; i < w->ideals.count; i++)
    {
        w->ideals.at[i].from = sets_root(w->parent, w->ideals.at[i].from);
        w->ideals.at[i].to = sets_root(w->parent, w->ideals.at[i].to);
    }
}

// ---- words

static int line_of(const Wiring* w, const FlatBondNode* node)
{
    return sources_place(w->e->program->sources, node->owner_span).line;
}

static const char* listed(const Wiring* w, const char* text, uint32_t node)
{
    const FlatBondNode* flat = &w->e->flat->bond_nodes.at[node];
    return arena_printf(w->e->arena, "%s%s%s (line %d)", text, text[0] ? ", " : "", flat->owner, line_of(w, flat));
}

static const char* unit_of(const Wiring* w, uint32_t node)
{
    const FlatBondNode* flat = &w->e->flat->bond_nodes.at[node];
    const char* unit = w->e->flat->vars.at[flat->kind == BOND_SE ? flat->e : flat->f].unit.text;
    return unit != NULL ? unit : "";
}

typedef struct SourceList
{
    uint32_t node[NAMES_MOST];
    uint32_t count;
} SourceList;

static void say_sources(const Wiring* w, const SourceList* list, const char* how)
{
    const char *values = "", *names = "";
    Elab* e = w->e;
    for (uint32_t i = 0; i < list->count; i++)
    {
        double value = 0;
        const char* unit = unit_of(w, list->node[i]);
        source_value(w, (int)list->node[i], &value);
        values = arena_printf(e->arena, "%s%s%g%s%s", values,
                              i == 0                ? ""
                              : i + 1 < list->count ? ", "
                                                    : " and ",
                              value, unit[0] ? " " : "", unit);
        names = listed(w, names, list->node[i]);
    }
    const FlatBondNode* last = &e->flat->bond_nodes.at[list->node[list->count - 1]];
    Diag* diag = elab_error_about(e, K_CAUSAL_CONFLICT, last->owner_span, names, "%s %s: %s", values, how, names);
    for (uint32_t i = 0; i + 1 < list->count; i++)
        elab_note(e, diag, e->flat->bond_nodes.at[list->node[i]].owner_span, "%s",
                  e->flat->bond_nodes.at[list->node[i]].owner);
}

// ---- loops

// The way from `at` to `goal` over the tree: adds the rises and the sources on it.
static bool walk(Wiring* w, uint32_t at, uint32_t goal, const Ideal* came, double* rise, SourceList* list)
{
    if (at == goal)
        return true;
    for (uint32_t i = 0; i < w->ideals.count; i++)
    {
        const Ideal* step = &w->ideals.at[i];
        if (!step->tree || step == came || (step->from != at && step->to != at))
            continue;
        bool up = step->from == at;
        if (!walk(w, up ? step->to : step->from, goal, step, rise, list))
            continue;
        *rise += up ? step->rise : -step->rise;
        if (step->node != NO_VAR && step->rise != 0 && list->count < NAMES_MOST)
            list->node[list->count++] = step->node;
        return true;
    }
    return false;
}

static void check_loop(Wiring* w, const Ideal* closing)
{
    double rise = 0;
    SourceList list = {.count = 0};
    if (!walk(w, closing->from, closing->to, NULL, &rise, &list) || list.count == NAMES_MOST)
        return;
    double size = fabs(rise) + fabs(closing->rise);
    if (fabs(rise - closing->rise) <= 1e-9 * size)
        return;  // they agree
    if (closing->node != NO_VAR)
        list.node[list.count++] = closing->node;
    if (list.count == 1)
        say_sources(w, &list, "short-circuited");
    else
        say_sources(w, &list, list.count == 2 ? "in parallel" : "in a loop");
}

static void check_loops(Wiring* w)
{
    uint32_t* joined = arena_array(w->e->arena, uint32_t, w->count + 1);
    sets_init(joined, w->count + 1);
    for (uint32_t i = 0; i < w->ideals.count && w->ideals.count <= IDEALS_MOST; i++)
    {
        Ideal* ideal = &w->ideals.at[i];
        if (sets_root(joined, ideal->from) == sets_root(joined, ideal->to))
        {
            check_loop(w, ideal);
            continue;
        }
        ideal->tree = true;
        sets_join(joined, ideal->from, ideal->to);
    }
}

// ---- sources of flow that meet at a node and nothing else does

// The flow that a neighbour of a J0 imposes on it: a source, or a junction of equal flow with a source in it.
static bool imposed_flow(const Wiring* w, int neighbour, uint32_t* source, double* flow)
{
    const BondGraph* g = w->graph;
    if (kind_at(w, neighbour) == BOND_SF)
        return *source = (uint32_t)neighbour, source_value(w, neighbour, flow);
    if (kind_at(w, neighbour) != BOND_J1 || g->nodes[neighbour].switch_index >= 0)
        return false;
    for (int k = g->bond_first[neighbour]; k < g->bond_first[neighbour + 1]; k++)
    {
        int other = other_end(w, g->bond_list[k], neighbour);
        if (kind_at(w, other) == BOND_SF)
            return *source = (uint32_t)other, source_value(w, other, flow);
    }
    return false;
}

typedef struct Meeting
{
    SourceList list;
    double sum, size;
    bool free;  // something else takes what is left
} Meeting;

static void check_meetings(Wiring* w)
{
    const BondGraph* g = w->graph;
    Meeting* at = arena_array(w->e->arena, Meeting, w->count + 1);
    for (int i = 0; i < g->node_count; i++)
        for (int k = g->bond_first[i]; kind_at(w, i) == BOND_J0 && k < g->bond_first[i + 1]; k++)
        {
            int other = other_end(w, g->bond_list[k], i);
            Meeting* m = &at[sets_root(w->parent, (uint32_t)i)];
            uint32_t source;
            double flow;
            if (kind_at(w, other) == BOND_J0 && g->nodes[other].switch_index < 0)
                continue;
            if (!imposed_flow(w, other, &source, &flow) || m->list.count == NAMES_MOST)
            {
                m->free = true;
                continue;
            }
            m->list.node[m->list.count++] = source;
            m->sum += sign_into(w, g->bond_list[k], i) * flow;
            m->size += fabs(flow);
        }
    for (uint32_t i = 0; i < w->count; i++)
        if (!at[i].free && at[i].list.count > 1 && fabs(at[i].sum) > 1e-9 * at[i].size)
        {
            say_sources(w, &at[i].list, at[i].list.count == 2 ? "in series" : "into one node that nothing else leaves");
            return;  // the other end says the same
        }
}

// ---- floating parts

// Joins the potentials that a junction of equal flow only compares. False: it ties them to zero.
static bool compare_potentials(const Wiring* w, int junction, uint32_t* group, bool* tied)
{
    const BondGraph* g = w->graph;
    double balance = 0;
    int first = -1;
    for (int k = g->bond_first[junction]; k < g->bond_first[junction + 1]; k++)
    {
        int other = other_end(w, g->bond_list[k], junction);
        if (kind_at(w, other) != BOND_J0)
            continue;
        balance += sign_into(w, g->bond_list[k], junction);
        if (first >= 0)
            sets_join(group, (uint32_t)first, (uint32_t)other);
        first = other;
    }
    if (first >= 0 && balance != 0)
        tied[first] = true;
    return balance == 0;
}

static void tie_groups(const Wiring* w, uint32_t* group, bool* tied)
{
    const BondGraph* g = w->graph;
    for (int i = 0; i < g->bond_count; i++)
    {
        BondEdge edge = g->bonds[i];
        bool from = kind_at(w, edge.from) == BOND_J0, to = kind_at(w, edge.to) == BOND_J0;
        if (from && to)
            sets_join(group, (uint32_t)edge.from, (uint32_t)edge.to);
        else if (from || to)
        {
            BondKind other = kind_at(w, from ? edge.to : edge.from);
            tied[from ? edge.from : edge.to] |= other != BOND_J1 && other != BOND_SF;
        }
    }
    for (int i = 0; i < g->node_count; i++)
        if (kind_at(w, i) == BOND_J1)
            compare_potentials(w, i, group, tied);
    for (int i = 0; i < g->node_count; i++)
        if (tied[i])
            tied[sets_root(group, (uint32_t)i)] = true;
}

static bool is_electrical(const Elab* e, uint32_t node)
{
    const char* domain = e->bond_items.at[node].domain;
    return e->flat->bond_nodes.at[node].port && domain != NULL && strcmp(domain, "electrical") == 0;
}

static void say_floating(const Wiring* w, uint32_t* group, uint32_t root, uint32_t first)
{
    Elab* e = w->e;
    const char* names = "";
    uint32_t count = 0;
    for (uint32_t i = first; i < w->count; i++)
    {
        bool again = sets_root(group, i) != root || !is_electrical(e, i);
        for (uint32_t k = first; k < i && !again; k++)
            again = sets_root(group, k) == root && is_electrical(e, k) &&
                    strcmp(e->flat->bond_nodes.at[k].owner, e->flat->bond_nodes.at[i].owner) == 0;
        if (again || ++count > NAMES_MOST)
            continue;
        names = listed(w, names, i);
    }
    Diag* diag = elab_warning(e, K_FLOATING, e->flat->bond_nodes.at[first].owner_span,
                              "floating: nothing ties %s%s to ground", names, count > NAMES_MOST ? ", …" : "");
    elab_help(e, diag,
              "connect a Ground to one of the terminals; without it only voltages between them have a meaning");
}

static void check_floating(Wiring* w)
{
    Elab* e = w->e;
    uint32_t* group = arena_array(e->arena, uint32_t, w->count + 1);
    bool* tied = arena_array(e->arena, bool, w->count + 1);
    for (uint32_t i = 0; i < w->count; i++)
        if (e->flat->bond_nodes.at[i].port && e->bond_items.at[i].env->instance == 0)
            return;  // a part of others is being looked at: they have the ground
    sets_init(group, w->count + 1);
    tie_groups(w, group, tied);
    for (uint32_t i = 0; i < w->count; i++)
    {
        uint32_t root = sets_root(group, i);
        if (tied[root] || !is_electrical(e, i))
            continue;
        say_floating(w, group, root, i);
        tied[root] = true;  // said
    }
}

void check_wiring(Elab* e)
{
    Wiring w = {.e = e, .graph = e->flat->bond_graph, .count = e->flat->bond_nodes.count};
    w.parent = arena_array(e->arena, uint32_t, w.count + 1);
    sets_init(w.parent, w.count + 1);
    for (int i = 0; i < w.graph->bond_count; i++)
    {
        BondEdge edge = w.graph->bonds[i];
        if (kind_at(&w, edge.from) == BOND_J0 && kind_at(&w, edge.to) == BOND_J0 &&
            w.graph->nodes[edge.from].switch_index < 0 && w.graph->nodes[edge.to].switch_index < 0)
            sets_join(w.parent, (uint32_t)edge.from, (uint32_t)edge.to);
    }
    find_ideals(&w);
    check_loops(&w);
    check_meetings(&w);
    check_floating(&w);
}
