// The equations of bond graphs. Every connected part is a graph of its own; its sources and storages are the inputs of
// a linear map that depends on the modes of its junctions and that the run fills in (src/kernel/bonds.c).
#include "elab/bond_map.h"
#include "elab/bond_reach.h"

// ---- is it well formed

static void report_count(Elab* e, uint32_t index, const char* what)
{
    const FlatBondNode* node = &e->flat->bond_nodes.at[index];
    Diag* diag = elab_error_about(e, K_BOND_COUNT, node->owner_span, node->name, "`%s` %s", node->name, what);
    for (uint32_t i = 0, noted = 0; i < e->flat->bonds.count && noted < 4; i++)
    {
        const FlatBond* bond = &e->flat->bonds.at[i];
        if (bond->from != index && bond->to != index)
            continue;
        elab_note(e, diag, bond->span, "bond %s", bond->name);
        noted++;
    }
}

// A model that is only looked at, without an experiment, may be a part of others: its own ports are open then.
static bool check_port(Elab* e, uint32_t index, uint32_t count)
{
    const FlatBondNode* node = &e->flat->bond_nodes.at[index];
    bool outer = !e->options->experiment && e->bond_items.at[index].env->instance == 0;
    if (count >= (outer ? 1 : 2))
        return true;
    Diag* diag = elab_error_about(e, K_PORT_OPEN, node->owner_span, node->name, "port `%s` is not connected%s",
                                  node->name, count == 0 ? " to anything" : "");
    if (node->owner_span.file != node->span.file)
        elab_note(e, diag, node->span, "the port");
    for (uint32_t i = 0; count == 1 && i < e->flat->bonds.count; i++)
        if (e->flat->bonds.at[i].from == index || e->flat->bonds.at[i].to == index)
            elab_note(e, diag, e->flat->bonds.at[i].span, "its only bond");
    return false;
}

static bool check_node(Elab* e, uint32_t index, uint32_t count)
{
    const FlatBondNode* node = &e->flat->bond_nodes.at[index];
    bool two = bond_is_two_port(node->kind), matrix = node->matrix != NO_VAR;
    if (node->port)
        return check_port(e, index, count);
    if (count == 0)
        report_count(e, index, "has no bond");
    else if (two && count != 2)
        report_count(e, index, "has two sides and needs two bonds");
    else if (matrix && count != node->ports)
        report_count(e, index,
                     arena_printf(e->arena, "has a matrix of %u by %u and needs as many bonds, not %u", node->ports,
                                  node->ports, count));
    else if (!bond_is_junction(node->kind) && !two && !matrix && count > 1)
        report_count(e, index, "has more than one bond");
    else
        return true;
    return false;
}

static bool check_nodes(Elab* e)
{
    bool fine = true;
    uint32_t* count = arena_array(e->arena, uint32_t, e->flat->bond_nodes.count + 1);
    for (uint32_t i = 0; i < e->flat->bonds.count; i++)
    {
        count[e->flat->bonds.at[i].from]++;
        count[e->flat->bonds.at[i].to]++;
    }
    for (uint32_t i = 0; i < e->flat->bond_nodes.count; i++)
        fine &= check_node(e, i, count[i]);
    return fine;
}

// ---- the graph, and its connected parts

static void make_graph(Elab* e)
{
    Flat* flat = e->flat;
    BondNode* nodes = arena_array(e->arena, BondNode, flat->bond_nodes.count + 1);
    BondEdge* edges = arena_array(e->arena, BondEdge, flat->bonds.count + 1);
    int switches = 0;
    for (uint32_t i = 0; i < flat->bond_nodes.count; i++)
    {
        const FlatBondNode* node = &flat->bond_nodes.at[i];
        nodes[i] = (BondNode){.kind = node->kind, .switch_index = node->machine ? switches++ : -1, .parameter = 1};
    }
    for (uint32_t i = 0; i < flat->bonds.count; i++)
        edges[i] = (BondEdge){(int)flat->bonds.at[i].from, (int)flat->bonds.at[i].to};
    flat->bond_graph = bond_graph_in(e->arena, nodes, (int)flat->bond_nodes.count, edges, (int)flat->bonds.count);
}

static void split_graphs(Elab* e)
{
    Flat* flat = e->flat;
    const BondGraph* graph = flat->bond_graph;
    for (int i = 0; i < graph->component_count; i++)
        vec_push(e->arena, flat->graphs, (FlatBondGraph){0});
    for (uint32_t i = 0; i < flat->bond_nodes.count; i++)
    {
        flat->bond_nodes.at[i].local = (int)flat->graphs.at[graph->component_of[i]].nodes.count;
        vec_push(e->arena, flat->graphs.at[graph->component_of[i]].nodes, i);
    }
    for (uint32_t i = 0; i < flat->bonds.count; i++)
        vec_push(e->arena, flat->graphs.at[graph->component_of[flat->bonds.at[i].from]].bonds, i);
}

// ---- values that are one variable (rule B5)

// Efforts of a J0 and flows of a J1 are equal whatever its mode, so where a source or storage imposes one of them, all
// are that one: exactly, and without the map.
static int class_of(const Elab* e, const BondTerm* term)
{
    return e->flat->bond_graph->class_of[2 * term->bond + term->flow];
}

static void impose(Elab* e, SharedClasses* s, uint32_t index, uint32_t port)
{
    const FlatBondNode* node = &e->flat->bond_nodes.at[index];
    bool flow = bond_imposes_flow(node->kind);
    BondTerm own;
    bond_terms(e->flat->bond_graph, (int)index, (int)port, flow, &own);
    int class = class_of(e, &own);
    if (s->imposed[class])
        return;
    s->imposed[class] = (flow ? node->f : node->e) + port + 1;
    s->sign[class] = own.sign;
}

static SharedClasses find_shared(Elab* e)
{
    int count = e->flat->bond_graph->class_count + 1;
    SharedClasses s = {arena_array(e->arena, uint32_t, count), arena_array(e->arena, int8_t, count)};
    for (int storages = 0; storages < 2; storages++)  // sources first
        for (uint32_t i = 0; i < e->flat->bond_nodes.count; i++)
        {
            BondKind kind = e->flat->bond_nodes.at[i].kind;
            bool wanted = storages ? bond_is_storage(kind) : bond_is_source(kind);
            for (uint32_t port = 0; wanted && port < e->flat->bond_nodes.at[i].ports; port++)
                impose(e, &s, i, port);
        }
    return s;
}

// ---- outputs

static void add_output(Elab* e, FlatBondGraph* graph, FlatBondOutput output, const BondTerm* terms, int count)
{
    output.area = e->vars.at[output.var].area - 1;
    for (int i = 0; i < count; i++)
        vec_push(e->arena, output.terms, terms[i]);
    vec_push(e->arena, graph->outputs, output);
}

// Whether the map defines `.e` or `.f` of a node: not what it imposes itself.
static bool is_mapped(BondKind kind, bool flow)
{
    return !(bond_is_source(kind) || bond_is_storage(kind)) || bond_imposes_flow(kind) != flow;
}

static void add_power_output(Elab* e, FlatBondGraph* graph, uint32_t index, int port, bool flow, uint32_t var)
{
    const BondGraph* all = e->flat->bond_graph;
    BondTerm* terms = arena_array(e->arena, BondTerm, bond_degree(all, (int)index));
    int count = bond_terms(all, (int)index, port, flow, terms);
    BondKind kind = all->nodes[index].kind;
    bool sum = bond_is_junction(kind) && flow != (kind == BOND_J1);
    FlatBondOutput output = {.var = var, .mapped = is_mapped(kind, flow)};
    output.zero = sum && e->flat->bond_nodes.at[index].machine == 0;
    add_output(e, graph, output, terms, count);
}

// The common variable of a junction comes before its sum.
static void element_outputs(Elab* e, FlatBondGraph* graph, uint32_t index)
{
    const FlatBondNode* node = &e->flat->bond_nodes.at[index];
    bool flow_first = node->kind == BOND_J1;
    for (uint32_t i = 0; i < node->ports; i++)
    {
        add_power_output(e, graph, index, (int)i, flow_first, (flow_first ? node->f : node->e) + i);
        add_power_output(e, graph, index, (int)i, !flow_first, (flow_first ? node->e : node->f) + i);
    }
    if (!bond_is_two_port(node->kind))
        return;
    add_power_output(e, graph, index, 1, false, node->e2);
    add_power_output(e, graph, index, 1, true, node->f2);
}

static void find_outputs(Elab* e, FlatBondGraph* graph)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        element_outputs(e, graph, graph->nodes.at[i]);
    for (uint32_t i = 0; i < graph->bonds.count; i++)
    {
        const FlatBond* bond = &e->flat->bonds.at[graph->bonds.at[i]];
        if (bond->e == NO_VAR)
            continue;
        add_output(e, graph, (FlatBondOutput){.var = bond->e, .mapped = true},
                   &(BondTerm){graph->bonds.at[i], false, 1}, 1);
        add_output(e, graph, (FlatBondOutput){.var = bond->f, .mapped = true}, &(BondTerm){graph->bonds.at[i], true, 1},
                   1);
    }
}

// ---- inputs

uint32_t bond_hidden_signal(Elab* e, const char* what, Span span)
{
    Env env = {.instance = 0};
    const char* name = arena_printf(e->arena, "$%s%u", what, e->flat->vars.count);
    uint32_t var = declare_var(e, &env, VAR_SIGNAL, TYPE_REAL, name, span);
    e->vars.at[var].type_progress = e->vars.at[var].init_progress = DONE;
    e->vars.at[var].given = true;
    return var;
}

static NodeId read(Elab* e, uint32_t var, Span span)
{
    return flat_var(e->flat, var, span);
}

static NodeId operate(Elab* e, NodeOp op, NodeId a, NodeId b, Span span)
{
    return flat_node(e->flat, op, TYPE_REAL, a, b, 0, 0, 0, span);
}

static void make_implicit(Elab* e, uint32_t var, NodeId residual, Span span)
{
    vec_push(e->arena, e->flat->implicits, (FlatImplicit){.var = var, .residual = residual, .span = span});
}

static void free_input(Elab* e, FlatBondGraph* graph, uint32_t index, uint32_t port, NodeId residual)
{
    Span span = e->flat->bond_nodes.at[index].span;
    uint32_t var = bond_hidden_signal(e, "free", span);
    make_implicit(e, var, residual, span);
    vec_push(e->arena, graph->inputs, (FlatBondInput){index, port, var, NO_VAR, NO_VAR});
}

// a = parameter * b
static NodeId gain_residual(Elab* e, const FlatBondNode* node, uint32_t a, uint32_t b)
{
    NodeId product = operate(e, NODE_MUL, read(e, node->parameter, node->span), read(e, b, node->span), node->span);
    return operate(e, NODE_SUB, read(e, a, node->span), product, node->span);
}

static void free_inputs(Elab* e, FlatBondGraph* graph, uint32_t index)
{
    const FlatBondNode node = e->flat->bond_nodes.at[index];
    if (node.kind == BOND_R && node.law)
        free_input(e, graph, index, 0,
                   operate(e, NODE_SUB, read(e, node.law_gives_flow ? node.f : node.e, node.span),
                           bond_law_in_loop(e, &node), node.span));
    else
        free_input(e, graph, index, 0, gain_residual(e, &node, node.e, node.f));
}

static void source_input(Elab* e, const BondMap* map, uint32_t index, uint8_t* marks)
{
    const FlatBondNode* node = &e->flat->bond_nodes.at[index];
    uint32_t var = node->acts != node->kind ? node->given : node->kind == BOND_SE ? node->e : node->f;
    Span span = node->span;
    FlatBondInput input = {index, 0, var, NO_VAR, NO_VAR};
    if (bond_value_returns(e, marks, var))
        marks[var] |= BOND_MARK_MAPPED;
    bool hangs = bond_value_reaches(e, marks, var, REACH_MAP);
    if (bond_slope_matters(map, index) && bond_value_reaches(e, marks, var, REACH_FLOW))
    {
        bool loops = hangs || bond_value_reaches(e, marks, var, REACH_STATE);
        NodeId slope = flat_node(e->flat, NODE_SLOPE, TYPE_REAL, read(e, var, span), 0, 0, hangs, 0, span);
        input.slope = bond_hidden_signal(e, "slope", span);
        e->flat->endless_slopes |= hangs;
        if (loops)
            make_implicit(e, input.slope, operate(e, NODE_SUB, read(e, input.slope, span), slope, span), span);
        else
            var_add_def(e, input.slope, 0, 0, slope, span);
    }
    // A source that hangs on the graph it drives: whatever both agree on.
    if (hangs)
    {
        FlatDef* def = &e->flat->defs.at[e->vars.at[var].first_def - 1];
        uint32_t wanted = bond_hidden_signal(e, "wanted", span);
        make_implicit(e, var, operate(e, NODE_SUB, read(e, var, span), read(e, wanted, span), span), span);
        def->var = wanted;
        e->vars.at[wanted].first_def = e->vars.at[var].first_def;
        e->vars.at[var].first_def = 0;
        marks[var] |= BOND_MARK_MAPPED;
    }
    vec_push(e->arena, map->graph->inputs, input);
}

// e = q/c or its law, or a row of C⁻¹ times q; f = p/i.
static void define_storage(Elab* e, uint32_t index, uint32_t port)
{
    const FlatBondNode node = e->flat->bond_nodes.at[index];
    uint32_t var = (node.kind == BOND_C ? node.e : node.f) + port;
    uint32_t other = (node.kind == BOND_C ? node.f : node.e) + port;
    NodeId value = node.matrix != NO_VAR ? multiport_value(e, &node, port) : node.law;
    if (!value)
        value = operate(e, NODE_DIV, read(e, node.extensity, node.span), read(e, node.parameter, node.span), node.span);
    var_add_def(e, var, 0, 0, value, node.span);
    var_add_def(e, node.extensity + port, 0, 1, read(e, other, node.span), node.span);
    if (node.energy == NO_VAR || port + 1 < node.ports)
        return;
    NodeId sum = 0;
    for (uint32_t k = 0; k <= port; k++)
    {
        NodeId power = read(e, var - port + k, node.span), stored = read(e, node.extensity + k, node.span);
        NodeId product = operate(e, NODE_MUL, power, stored, node.span);
        sum = k ? operate(e, NODE_ADD, sum, product, node.span) : product;
    }
    NodeId half = flat_const(e->flat, 0.5, TYPE_REAL);
    var_add_def(e, node.energy, 0, 0, operate(e, NODE_MUL, half, sum, node.span), node.span);
}

static void define_storages(Elab* e)
{
    for (uint32_t i = 0; i < e->flat->bond_nodes.count; i++)
        for (uint32_t port = 0; e->flat->bond_nodes.at[i].extensity != NO_VAR && port < e->flat->bond_nodes.at[i].ports;
             port++)
            define_storage(e, i, port);
}

static void storage_input(Elab* e, FlatBondGraph* graph, uint32_t index, uint32_t port)
{
    const FlatBondNode* node = &e->flat->bond_nodes.at[index];
    uint32_t var = (node->kind == BOND_C ? node->e : node->f) + port;
    vec_push(e->arena, graph->inputs, (FlatBondInput){index, port, var, NO_VAR, NO_VAR});
}

static void find_inputs(Elab* e, BondMap* map, uint8_t* marks)
{
    FlatBondGraph* graph = map->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++)
    {
        uint32_t index = graph->nodes.at[i];
        FlatBondNode* node = &e->flat->bond_nodes.at[index];
        node->steps = bond_is_two_port(node->kind) && node->free && map->may_depend[node->local] &&
                      bond_value_steps(e, marks, node->parameter);
        if (node->steps || bond_varying_inputs(map, index))
            continue;
        if (bond_is_source(node->acts))
            source_input(e, map, index, marks);
        else if (node->extensity != NO_VAR)
            for (uint32_t port = 0; port < e->flat->bond_nodes.at[index].ports; port++)
                storage_input(e, graph, index, port);
        else if (node->free)
            free_inputs(e, graph, index);
    }
}

// ---- definitions

// Outputs that are an imposed variable, or one like it, or its negative.
static void share_outputs(Elab* e, FlatBondGraph* graph, SharedClasses* shared)
{
    for (uint32_t i = 0; i < graph->outputs.count; i++)
    {
        FlatBondOutput* output = &graph->outputs.at[i];
        if (!output->mapped || output->zero || output->terms.count != 1)
            continue;
        const BondTerm* term = &output->terms.at[0];
        int root = class_of(e, term);
        if (!shared->imposed[root])  // nobody imposes it: the first takes it from the map, the others from the first
        {
            shared->imposed[root] = output->var + 1;
            shared->sign[root] = term->sign;
            continue;
        }
        Span span = e->flat->vars.at[output->var].span;
        NodeId value = read(e, shared->imposed[root] - 1, span);
        if (term->sign * shared->sign[root] < 0)
            value = operate(e, NODE_NEG, value, 0, span);
        output->mapped = false;
        var_add_def(e, output->var, 0, 0, value, span);
    }
}

// There is room for the hidden variables that the inputs will add.
static uint8_t* mark_outputs(Elab* e)
{
    uint8_t* marks = arena_array(e->arena, uint8_t, e->flat->vars.count + 8 * e->flat->bond_nodes.count + 1);
    for (uint32_t g = 0; g < e->flat->graphs.count; g++)
        for (uint32_t i = 0; i < e->flat->graphs.at[g].outputs.count; i++)
            if (e->flat->graphs.at[g].outputs.at[i].mapped)
                marks[e->flat->graphs.at[g].outputs.at[i].var] |= BOND_MARK_OUTPUT;
    return marks;
}

// Which variables depend on the modes of a graph.
static void mark_mapped(Elab* e, BondMap* const* maps, uint8_t* marks)
{
    for (uint32_t g = 0; g < e->flat->graphs.count; g++)
        for (uint32_t i = 0; i < e->flat->graphs.at[g].outputs.count; i++)
        {
            const FlatBondOutput* output = &e->flat->graphs.at[g].outputs.at[i];
            if (output->mapped && !bond_map_knows(maps[g], output))
                marks[output->var] |= BOND_MARK_MAPPED;
        }
}

// Along every sequence of transitions ON and OFF should alternate (paper 002, "Controlled Junctions").
static void check_alternation(Elab* e)
{
    for (uint32_t i = 0; i < e->flat->transitions.count; i++)
    {
        const FlatTransition* t = &e->flat->transitions.at[i];
        const FlatMachine* machine = &e->flat->machines.at[t->machine];
        if (!machine->junction || machine->modes.at[t->from].on != machine->modes.at[t->to].on)
            continue;
        Diag* diag =
            elab_warning(e, K_SWITCH_ALTERNATES, t->span, "`%s` and `%s` are both %s", machine->modes.at[t->from].name,
                         machine->modes.at[t->to].name, machine->modes.at[t->from].on ? "ON" : "OFF");
        elab_note(e, diag, machine->modes.at[t->to].span, "the mode it leads to");
    }
}

// ---- states outside the graph that integrate impulses

// The area of the impulse in an expression that is linear in efforts and flows; 0 = none.
static NodeId area_of(Elab* e, NodeId id, int depth)
{
    const Node node = e->flat->nodes.at[id];
    if (depth == 0)
        return 0;
    if (node.op == NODE_VAR)
    {
        const VarInfo* info = &e->vars.at[node.aux];
        if (info->area)
            return read(e, info->area - 1, node.span);
        bool plain =
            e->flat->vars.at[node.aux].kind == VAR_SIGNAL && info->first_def && !e->def_next.at[info->first_def - 1];
        return plain ? area_of(e, e->flat->defs.at[info->first_def - 1].value, depth - 1) : 0;
    }
    NodeId a =
        node.op == NODE_ADD || node.op == NODE_SUB || node.op == NODE_NEG || node.op == NODE_MUL || node.op == NODE_DIV
            ? area_of(e, node.arg[0], depth - 1)
            : 0;
    NodeId b =
        node.op == NODE_ADD || node.op == NODE_SUB || node.op == NODE_MUL ? area_of(e, node.arg[1], depth - 1) : 0;
    switch (node.op)
    {
    case NODE_NEG: return a ? operate(e, NODE_NEG, a, 0, node.span) : 0;
    case NODE_ADD: return a && b ? operate(e, NODE_ADD, a, b, node.span) : a ? a : b;
    case NODE_SUB:
        return a && b ? operate(e, NODE_SUB, a, b, node.span) : a ? a : b ? operate(e, NODE_NEG, b, 0, node.span) : 0;
    case NODE_DIV: return a ? operate(e, NODE_DIV, a, node.arg[1], node.span) : 0;
    case NODE_MUL:
        if (a && b)
            return 0;  // e f: its impulse is no product of areas
        return a   ? operate(e, NODE_MUL, a, node.arg[1], node.span)
               : b ? operate(e, NODE_MUL, node.arg[0], b, node.span)
                   : 0;
    default: return 0;
    }
}

enum
{
    DEPTH = 40
};

static void find_carried(Elab* e)
{
    for (uint32_t i = 0, count = e->flat->defs.count; i < count; i++)
    {
        FlatDef def = e->flat->defs.at[i];
        if (def.order != 1 || e->vars.at[def.var].given || !def.value)
            continue;
        NodeId area = area_of(e, def.value, DEPTH);
        if (area)
            vec_push(e->arena, e->flat->carried, (FlatCarried){.var = def.var, .ctx = def.ctx, .area = area});
    }
}

// Signals that are sums of efforts and flows, or multiples: `signal p = s.e + r.e`. Those that are one by another name
// have its area.
static void find_sums(Elab* e)
{
    for (uint32_t i = 0, count = e->flat->defs.count; i < count; i++)
    {
        FlatDef def = e->flat->defs.at[i];
        const VarInfo* info = &e->vars.at[def.var];
        bool plain = def.order == 0 && def.ctx == 0 && !info->given && !info->area && def.value &&
                     info->first_def == i + 1 && !e->def_next.at[i];
        if (!plain || e->flat->vars.at[def.var].kind != VAR_SIGNAL || e->flat->nodes.at[def.value].op == NODE_VAR)
            continue;
        NodeId area = area_of(e, def.value, DEPTH);
        if (!area)
            continue;
        uint32_t hidden = bond_hidden_signal(e, "sum", def.span);
        var_add_def(e, hidden, 0, 0, area, def.span);
        vec_push(e->arena, e->flat->sums, (FlatSum){def.var, hidden});
    }
}

// area(x) of a signal that is made of efforts and flows: their areas, and its own impulses.
void resolve_areas(Elab* e)
{
    Flat* flat = e->flat;
    for (uint32_t i = 0, count = flat->bond_nodes.count > 0 ? flat->nodes.count : 0; i < count; i++)
    {
        Node own = flat->nodes.at[i];
        if (own.op != NODE_AREA || own.aux != 0)
            continue;
        NodeId area = area_of(e, own.arg[0], DEPTH);
        if (!area)
            continue;
        NodeId copy = flat->nodes.count;
        vec_push(flat->arena, flat->nodes, own);
        Node* sum = &flat->nodes.at[i];
        *sum = (Node){.op = NODE_ADD, .type = TYPE_REAL, .arg = {copy, area}, .depth = own.depth, .span = own.span};
    }
}

void define_bonds(Elab* e)
{
    if (e->error_count > 0 || e->flat->bond_nodes.count == 0)
        return;  // what seems to be missing may be what failed
    if (!check_nodes(e))
        return;
    check_alternation(e);
    make_graph(e);
    check_wiring(e);
    split_graphs(e);
    for (uint32_t i = 0; i < e->flat->graphs.count; i++)
        find_outputs(e, &e->flat->graphs.at[i]);
    uint8_t* marks = mark_outputs(e);
    SharedClasses shared = find_shared(e);
    BondMap** maps = arena_array(e->arena, BondMap*, e->flat->graphs.count + 1);
    int* local_bond = arena_array(e->arena, int, e->flat->bonds.count + 1);
    for (uint32_t i = 0; i < e->flat->graphs.count; i++)
    {
        share_outputs(e, &e->flat->graphs.at[i], &shared);
        maps[i] = bond_map_create(e, i, &shared, local_bond);
    }
    define_storages(e);
    for (uint32_t i = 0; i < e->flat->graphs.count; i++)
        bond_map_define_known(maps[i]);
    mark_mapped(e, maps, marks);
    for (uint32_t i = 0; i < e->flat->graphs.count; i++)
        find_inputs(e, maps[i], marks);
    find_carried(e);
    find_sums(e);
    for (uint32_t i = 0; i < e->flat->graphs.count; i++)
        bond_map_define(maps[i]);
    check_causality(e);
}
