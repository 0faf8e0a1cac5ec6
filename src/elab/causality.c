// Causality of bond graphs, for people: `kairos check --print causality`, and sources that contradict each other
// whatever the modes are. The equations do not need it (src/bond/mode.h).
#include "bond/causality.h"

#include "elab/elab.h"

enum
{
    SWITCHES_MAX = 6  // up to here every set of modes is looked at; beyond, the first one and one switch changed
};

typedef struct View
{
    Arena* arena;
    const Flat* flat;
    const FlatBondGraph* graph;
    const BondGraph* bonds;
    BondCausality* causality;
    VEC(uint32_t) switched;  // nodes
    bool* on;
} View;

static bool view_open(View* v, Arena* arena, const Flat* flat, uint32_t graph)
{
    *v = (View){.arena = arena, .flat = flat, .graph = &flat->graphs.at[graph]};
    for (uint32_t i = 0; i < v->graph->nodes.count; i++)
        if (flat->bond_nodes.at[v->graph->nodes.at[i]].machine)
            vec_push(arena, v->switched, v->graph->nodes.at[i]);
    v->on = arena_array(arena, bool, v->switched.count + 1);
    v->bonds = bond_graph_component(flat->bond_graph, (int)graph, arena);
    v->causality = bond_causality_create(v->bonds, kaiDefaultAllocator());
    return v->causality != NULL;
}

static void view_close(View* v)
{
    if (v->causality)
        bond_causality_destroy(v->causality);
}

static bool starts_on(const View* v, uint32_t index)
{
    const FlatMachine* machine = &v->flat->machines.at[v->flat->bond_nodes.at[v->switched.at[index]].machine - 1];
    return machine->modes.at[machine->initial].on;
}

// How many sets of modes are looked at, and the one with this number. Number 0 is where the run begins.
static uint32_t set_count(const View* v)
{
    return v->switched.count <= SWITCHES_MAX ? 1u << v->switched.count : v->switched.count + 1;
}

static void choose_set(View* v, uint32_t number)
{
    bool all = v->switched.count <= SWITCHES_MAX;
    for (uint32_t i = 0; i < v->switched.count; i++)
        v->on[i] = starts_on(v, i) ^ (all ? number >> i & 1 : number == i + 1);
}

static const FlatBondNode* node_at(const View* v, int index)
{
    return &v->flat->bond_nodes.at[v->graph->nodes.at[index]];
}

static const char* bond_text(const View* v, uint32_t bond)
{
    BondEdge edge = v->bonds->bonds[bond];
    BondStroke stroke = v->causality->stroke[bond];
    return arena_printf(v->arena, "%s %s->%s %s", node_at(v, edge.from)->name, stroke == BOND_STROKE_FROM ? "|" : "",
                        stroke == BOND_STROKE_TO ? "|" : "", node_at(v, edge.to)->name);
}

// ---- the listing

static const char* list_set(View* v, const char* text)
{
    Arena* arena = v->arena;
    text = arena_printf(arena, "%s  ", text);
    for (uint32_t i = 0; i < v->switched.count; i++)
        text = arena_printf(arena, "%s%s%s %s", text, i ? ", " : "", v->flat->bond_nodes.at[v->switched.at[i]].name,
                            v->on[i] ? "ON" : "OFF");
    return arena_printf(arena, "%s%s\n", text, v->switched.count ? ":" : "one set of modes:");
}

static const char* list_storage(View* v, const char* text, int node, int port)
{
    const FlatBondNode* flat = node_at(v, node);
    const char* name = flat->name;
    if (flat->matrix != NO_VAR)
        name = arena_printf(v->arena, "%s port %d", name, port - v->bonds->port_first[node] + 1);
    if (!v->causality->derivative[port])
        return arena_printf(v->arena, "%s    %s integral\n", text, name);
    int* others = arena_array(v->arena, int, v->bonds->node_count + 1);
    int count = bond_causality_depends(v->causality, port, others);
    text = arena_printf(v->arena, "%s    %s derivative, depends on", text, name);
    for (int i = 0; i < count; i++)
        text = arena_printf(v->arena, "%s%s %s", text, i ? "," : "", node_at(v, others[i])->name);
    return arena_printf(v->arena, "%s%s\n", text,
                        count                    ? ""
                        : flat->matrix != NO_VAR ? " its other ports"
                                                 : " nothing but its own constraint");
}

typedef VEC(char) Letters;

static void add_text(Arena* arena, Letters* all, const char* text)
{
    for (; *text; text++)
        vec_push(arena, *all, *text);
}

static void list_causality(View* v, Letters* all)
{
    Arena* arena = v->arena;
    for (uint32_t i = 0; i < v->graph->bonds.count; i++)
    {
        const char* text = arena_printf(arena, "    %s", bond_text(v, i));
        if (v->causality->loop[i] >= 0)
            text = arena_printf(arena, "%s   (algebraic loop)", text);
        if (v->causality->clash[i] >= 0)
            text = arena_printf(arena, "%s   (clashes with %s)", text,
                                v->causality->clash[i] == (int)i ? "itself: both ends want to decide"
                                                                 : bond_text(v, (uint32_t)v->causality->clash[i]));
        add_text(arena, all, text);
        add_text(arena, all, "\n");
    }
    for (int i = 0; i < v->bonds->node_count; i++)
        for (int port = v->bonds->port_first[i]; port < v->bonds->port_first[i + 1]; port++)
            add_text(arena, all, list_storage(v, "", i, port));
}

char* causality_print(const Flat* flat, Arena* arena)
{
    Letters all = {0};
    if (flat->graphs.count == 0)
        add_text(arena, &all, "no bond graph\n");
    for (uint32_t g = 0; g < flat->graphs.count; g++)
    {
        View v;
        if (view_open(&v, arena, flat, g))
        {
            add_text(arena, &all,
                     arena_printf(arena, "bond graph %u of %u: %u elements and junctions, %u bonds, %u switched\n",
                                  g + 1, flat->graphs.count, v.graph->nodes.count, v.graph->bonds.count,
                                  v.switched.count));
            for (uint32_t k = 0; k < set_count(&v); k++)
            {
                choose_set(&v, k);
                bond_causality_assign(v.causality, v.on);
                add_text(arena, &all, list_set(&v, ""));
                list_causality(&v, &all);
            }
        }
        view_close(&v);
    }
    vec_push(arena, all, 0);
    return all.at;
}

// ---- sources that contradict each other

// The two sources at a clash that no switch can part.
static void report_clash(Elab* e, const View* v, uint32_t bond)
{
    uint32_t other = (uint32_t)v->causality->clash[bond];
    const FlatBond *a = &e->flat->bonds.at[v->graph->bonds.at[bond]],
                   *b = &e->flat->bonds.at[v->graph->bonds.at[other]];
    Diag* diag =
        elab_error(e, K_CAUSAL_CONFLICT, a->span,
                   "bonds %s and %s impose two values where there is one, whatever the modes", a->name, b->name);
    elab_note(e, diag, b->span, "the other bond");
}

static bool is_source_bond(const View* v, uint32_t bond)
{
    BondEdge edge = v->bonds->bonds[bond];
    return bond_is_source(v->bonds->nodes[edge.from].kind) || bond_is_source(v->bonds->nodes[edge.to].kind);
}

static void check_graph(Elab* e, View* v)
{
    if (v->switched.count > SWITCHES_MAX)
        return;  // some set may part them: the run tells
    uint8_t* always = arena_array(e->arena, uint8_t, v->graph->bonds.count + 1);
    for (uint32_t i = 0; i < v->graph->bonds.count; i++)
        always[i] = is_source_bond(v, i);
    for (uint32_t k = 0; k < set_count(v); k++)
    {
        choose_set(v, k);
        bond_causality_assign(v->causality, v->on);
        for (uint32_t i = 0; i < v->graph->bonds.count; i++)
            always[i] = always[i] && v->causality->clash[i] >= 0 && v->causality->clash[i] != (int)i &&
                        is_source_bond(v, (uint32_t)v->causality->clash[i]);
    }
    for (uint32_t i = 0; i < v->graph->bonds.count; i++)
        if (always[i])
        {
            report_clash(e, v, i);
            return;
        }
}

void check_causality(Elab* e)
{
    for (uint32_t g = 0; g < e->flat->graphs.count; g++)
    {
        View v;
        if (view_open(&v, e->arena, e->flat, g))
            check_graph(e, &v);
        view_close(&v);
    }
}
