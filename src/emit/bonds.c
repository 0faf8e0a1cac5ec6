// Tables of bond graphs: which register holds what their equations need and give. The equations themselves are made by
// the run, per set of modes (src/bond).
#include "emit/builder.h"

static SymReg var_reg(const Builder* b, uint32_t var)
{
    return var == NO_VAR ? NO_REG : b->c.vars.at[var].reg;
}

// Values that the programs `bonds` and `guesses` leave behind. Guesses hang on the values of the graph.
typedef struct Wanted
{
    Builder* b;
    Sinks sinks, guesses;
} Wanted;

static SymReg want(Wanted* w, bool guess, ScalarId value)
{
    SymReg dst = compiler_reg(&w->b->c, REG_TEMP);
    Sink sink = {0, value, dst};
    if (guess)
        vec_push(w->b->arena, w->guesses, sink);
    else
        vec_push(w->b->arena, w->sinks, sink);
    return dst;
}

static ScalarId one_leaf(Compiler* c, void* user, SymReg reg)
{
    return reg == *(SymReg*)user ? scalar_const(&c->scalars, 1) : 0;
}

// The derivative of a law with respect to the variable it is a function of.
static ScalarId law_slope(Builder* b, NodeId law, uint32_t var)
{
    Map memo;
    map_init(&memo, b->arena);
    SymReg reg = b->c.vars.at[var].reg;
    return differentiate(&b->c, lower(&b->c, PHASE_FLOW, law).value, one_leaf, &reg, &memo);
}

static ScalarId inverse(Builder* b, ScalarId value, Span span)
{
    return scalar_make(&b->c.scalars, VM_DIV, scalar_const(&b->c.scalars, 1), value, 0, span);
}

static SymReg parameter_of(Wanted* w, const FlatBondNode* node)
{
    Builder* b = w->b;
    bool storage = node->extensity != NO_VAR;
    ScalarId value = 0;
    if (node->acts != node->kind)
        return NO_REG;
    if (node->law && storage)
        value = law_slope(b, node->law, node->extensity);
    else if (node->law)
    {
        value = law_slope(b, node->law, node->law_gives_flow ? node->e : node->f);
        value = node->law_gives_flow ? inverse(b, value, node->span) : value;
    }
    else if (node->parameter != NO_VAR)
    {
        value = scalar_reg(&b->c.scalars, var_reg(b, node->parameter));
        value = storage ? inverse(b, value, node->span) : value;
    }
    return value ? want(w, node->free && !node->steps, value) : NO_REG;
}

// A storage whose slope changes in a run.
static bool is_varying(const Builder* b, const FlatBondNode* node)
{
    bool modulated = node->parameter != NO_VAR && b->c.flat->vars.at[node->parameter].kind != VAR_PARAM;
    return node->extensity != NO_VAR && (node->law || modulated);
}

static bool is_free(const Builder* b, const FlatBondNode* node)
{
    return (node->free && !node->steps) || is_varying(b, node);
}

// What such a storage gives, as a function of what it stores.
static SymReg law_of(Wanted* w, const FlatBondNode* node)
{
    Builder* b = w->b;
    if (!is_varying(b, node))
        return NO_REG;
    if (node->law)
        return want(w, false, lower(&b->c, PHASE_FLOW, node->law).value);
    ScalarId stored = scalar_reg(&b->c.scalars, var_reg(b, node->extensity));
    ScalarId capacity = scalar_reg(&b->c.scalars, var_reg(b, node->parameter));
    return want(w, false, scalar_make(&b->c.scalars, VM_DIV, stored, capacity, 0, node->span));
}

static void build_parts(Builder* b, const FlatBondGraph* graph, Wanted* w, uint32_t* local)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++)
    {
        const FlatBondNode* node = &b->c.flat->bond_nodes.at[graph->nodes.at[i]];
        local[graph->nodes.at[i]] = i;
        BondPart part = {.kind = (uint8_t)node->kind, .free = is_free(b, node), .machine = node->machine};
        part.steps = node->steps;
        part.acts = (uint8_t)node->acts;
        part.zero = node->zero;
        part.nominal = node->nominal > 0 ? b->c.coefficients + node->nominal - 1 : NO_REG;
        part.ports = node->ports;
        part.matrix = var_reg(b, node->matrix);
        part.slopes = var_reg(b, node->slopes);
        part.state = var_reg(b, node->extensity);
        part.parameter = parameter_of(w, node);
        part.law = law_of(w, node);
        part.ratio = bond_is_two_port(node->kind) && part.free ? var_reg(b, node->parameter) : NO_REG;
        part.name = build_string(b, node->owner);
        part.place = build_place(b, node->owner_span);
        vec_push(b->arena, b->bond_parts, part);
    }
}

static void build_inputs(Builder* b, const FlatBondGraph* graph, const uint32_t* local)
{
    for (uint32_t i = 0; i < graph->inputs.count; i++)
    {
        const FlatBondInput* input = &graph->inputs.at[i];
        const VarInfo* info = &b->c.vars.at[input->var];
        BondInput made = {.node = local[input->node], .port = input->port, .value = info->reg, .impulse = NO_REG};
        made.slope = var_reg(b, input->slope);
        made.by = var_reg(b, input->by);
        if (info->order >= 0)
            made.impulse = info->first_impulse;
        if (info->order > 0)
        {
            Diag* d = diag_error(b->c.diags, K_IMPULSE_NONLINEAR, b->c.flat->bond_nodes.at[input->node].span,
                                 "a source of a bond graph cannot carry δ′: no element could answer it");
            diag_help(b->c.diags, d, "give it δ at most, by delta(event, weight)");
        }
        vec_push(b->arena, b->bond_inputs, made);
    }
}

// Variables that expressions of the text read, at any depth: not those that only the graph itself needs.
static uint8_t* find_read(Builder* b)
{
    const Flat* flat = b->c.flat;
    uint8_t* read = arena_array(b->arena, uint8_t, flat->vars.count + 1);
    uint8_t* given = arena_array(b->arena, uint8_t, flat->vars.count + 1);
    Walk* walk = &b->c.nodes;
    walk_begin(walk);
    for (uint32_t i = 0; i < flat->bond_nodes.count; i++)
        for (uint32_t k = 0; flat->bond_nodes.at[i].extensity != NO_VAR && k < flat->bond_nodes.at[i].ports; k++)
            given[flat->bond_nodes.at[i].extensity + k] = 1;
    for (uint32_t g = 0; g < flat->graphs.count; g++)
        for (uint32_t i = 0; i < flat->graphs.at[g].outputs.count; i++)
            given[flat->graphs.at[g].outputs.at[i].var] = 1;
    for (uint32_t i = 0; i < flat->defs.count; i++)
        if (!given[flat->defs.at[i].var] && b->c.vars.at[flat->defs.at[i].var].bond_area == NO_REG)
            walk_push(walk, flat->defs.at[i].value);
    for (uint32_t i = 0; i < flat->whens.count; i++)
        walk_push(walk, flat->whens.at[i].trigger);
    for (uint32_t i = 0; i < flat->transitions.count; i++)
        walk_push(walk, flat->transitions.at[i].trigger);
    for (NodeId n; (n = node_walk_next(&b->c)) != 0;)
        if (flat->nodes.at[n].op == NODE_VAR)
            read[flat->nodes.at[n].aux] = 1;
    return read;
}

// The columns of a block, in the order of its rows. Returns where they begin.
static uint32_t build_columns(Builder* b, const FlatBondBlock* block)
{
    uint32_t first = b->bond_columns.count;
    for (uint32_t i = block->columns.count; i-- > 0;)
        vec_push(b->arena, b->bond_columns, block->columns.at[i]);
    return first;
}

static void build_outputs(Builder* b, const FlatBondGraph* graph, const uint32_t* local_bond)
{
    uint32_t* first = arena_array(b->arena, uint32_t, graph->blocks.count + 1);
    for (uint32_t i = 0; i < graph->blocks.count; i++)
        first[i] = build_columns(b, &graph->blocks.at[i]);
    for (uint32_t i = 0; i < graph->outputs.count; i++)
    {
        const FlatBondOutput* output = &graph->outputs.at[i];
        BondOutput made = {.var = output->var, .area = var_reg(b, output->area), .row = NO_REG};
        made.block = output->block;
        made.rate = output->rate;
        if (output->block > 0)
        {
            made.row = b->c.coefficients + output->row;
            made.first_column = first[output->block - 1];
            made.column_count = graph->blocks.at[output->block - 1].columns.count;
        }
        made.first_term = b->bond_terms.count;
        made.term_count = output->terms.count;
        for (uint32_t k = 0; k < output->terms.count; k++)
        {
            const BondTerm* term = &output->terms.at[k];
            vec_push(b->arena, b->bond_terms, (BondTerm){local_bond[term->bond], term->flow, term->sign});
        }
        if (made.area != NO_REG)
            b->c.vars.at[output->var].bond_area = made.area;
        vec_push(b->arena, b->bond_outputs, made);
    }
}

static void build_links(Builder* b, const FlatBondGraph* graph, const uint32_t* local, uint32_t* local_bond)
{
    for (uint32_t i = 0; i < graph->bonds.count; i++)
    {
        const FlatBond* bond = &b->c.flat->bonds.at[graph->bonds.at[i]];
        local_bond[graph->bonds.at[i]] = i;
        vec_push(
            b->arena, b->bond_links,
            (BondLink){local[bond->from], local[bond->to], build_string(b, bond->name), build_place(b, bond->span)});
    }
}

// ---- `pre` in arguments and junction guards is the committed value (rule B3)

static void note_pre(Builder* b, NodeId node)
{
    uint32_t cell;
    if (map_get(&b->c.cell_index, node, &cell))
        vec_push(
            b->arena, b->committed,
            (Reset){b->c.cells.at[cell].latch, var_reg(b, b->c.flat->nodes.at[b->c.flat->nodes.at[node].arg[0]].aux)});
}

static void push_definitions(Compiler* c, uint32_t var)
{
    for (uint32_t d = c->vars.at[var].first_def[0]; d != 0; d = c->next_def.at[d - 1])
        walk_push(&c->nodes, c->flat->defs.at[d - 1].value);
}

// Follows signals, but not through the map of a graph: what hangs on that is no argument.
static void follow_pre(Builder* b)
{
    Compiler* c = &b->c;
    for (NodeId n; (n = walk_pop(&c->nodes)) != 0;)
    {
        const Node node = c->flat->nodes.at[n];
        if (node.op == NODE_PRE)
            note_pre(b, n);
        else if (node.op == NODE_VAR && c->vars.at[node.aux].bond_area == NO_REG)
            push_definitions(c, node.aux);
        else
            for (int i = 0; i < node_op_arity((NodeOp)node.op); i++)
                walk_push(&c->nodes, node.arg[i]);
    }
}

static void find_pre(Builder* b)
{
    Compiler* c = &b->c;
    walk_begin(&c->nodes);
    for (uint32_t i = 0; i < c->flat->bond_nodes.count; i++)
    {
        const FlatBondNode* node = &c->flat->bond_nodes.at[i];
        uint32_t var = node->kind == BOND_SE ? node->e : node->kind == BOND_SF ? node->f : node->parameter;
        if (var != NO_VAR)
            push_definitions(c, var);
        walk_push(&c->nodes, node->law);
    }
    for (uint32_t i = 0; i < c->flat->transitions.count; i++)
        if (c->flat->machines.at[c->flat->transitions.at[i].machine].junction)
            walk_push(&c->nodes, c->flat->transitions.at[i].trigger);
    follow_pre(b);
}

static CodeRange wanted_program(Builder* b, const Sinks* sinks)
{
    ProgramSpec spec = {.phase = PHASE_FLOW, .sinks = sinks->at, .sink_count = sinks->count};
    return sinks->count > 0 ? build_program(b->programs, &spec, NULL) : (CodeRange){0, 0};
}

void build_carried(Builder* b)
{
    for (uint32_t i = 0; i < b->c.flat->carried.count; i++)
    {
        FlatCarried carried = b->c.flat->carried.at[i];
        SymReg area = react_result(b, carried.ctx, lower(&b->c, PHASE_REACT, carried.area).value);
        vec_push(b->arena, b->carried, (Carried){carried.ctx, b->c.vars.at[carried.var].reg, area});
    }
}

void build_sums(Builder* b)
{
    for (uint32_t i = 0; i < b->c.flat->sums.count; i++)
    {
        FlatSum sum = b->c.flat->sums.at[i];
        if (b->c.vars.at[sum.var].order < 0)  // what it has of its own stands in its own columns
            b->c.vars.at[sum.var].sum_area = b->c.vars.at[sum.area].reg;
    }
}

// Transitions that fire by a sign name a variable so far.
static void find_one_way(Builder* b)
{
    uint32_t* output_of = arena_array(b->arena, uint32_t, b->c.flat->vars.count + 1);
    for (uint32_t i = 0; i < b->bond_outputs.count; i++)
        output_of[b->bond_outputs.at[i].var] = i;
    for (uint32_t i = 0; i < b->transitions.count; i++)
    {
        Transition* t = &b->transitions.at[i];
        t->output = t->one_way != 0 ? output_of[t->output] : NO_REG;
    }
}

void build_bonds(Builder* b)
{
    const Flat* flat = b->c.flat;
    Wanted w = {.b = b};
    uint32_t* local = arena_array(b->arena, uint32_t, flat->bond_nodes.count + 1);
    uint32_t* local_bond = arena_array(b->arena, uint32_t, flat->bonds.count + 1);
    for (uint32_t i = 0; i < flat->graphs.count; i++)
    {
        const FlatBondGraph* graph = &flat->graphs.at[i];
        BondSystem system = {0};
        system.first_part = b->bond_parts.count;
        system.part_count = graph->nodes.count;
        build_parts(b, graph, &w, local);
        system.first_link = b->bond_links.count;
        system.link_count = graph->bonds.count;
        build_links(b, graph, local, local_bond);
        system.first_input = b->bond_inputs.count;
        system.input_count = graph->inputs.count;
        build_inputs(b, graph, local);
        system.first_output = b->bond_outputs.count;
        system.output_count = graph->outputs.count;
        build_outputs(b, graph, local_bond);
        vec_push(b->arena, b->bond_systems, system);
    }
    find_pre(b);
    find_one_way(b);
    const uint8_t* read = find_read(b);
    for (uint32_t i = 0; i < b->bond_outputs.count; i++)
        b->bond_outputs.at[i].read = read[b->bond_outputs.at[i].var] != 0;
    b->draft.bonds = wanted_program(b, &w.sinks);
    b->draft.guesses = wanted_program(b, &w.guesses);
}
