// Definitions of efforts and flows. What follows from sources and storages in any mode is a sum of theirs; what belongs
// to a block is a row of coefficients times the inputs of that block (MAP), which the run fills in per set of modes;
// the rest are sums of these (bond/blocks.h). So a row is as long as its block, not as the graph.
#include "elab/bond_map.h"

#include "elab/constant.h"

static NodeId operate(const BondMap* m, NodeOp op, NodeId a, NodeId b, Span span)
{
    return flat_node(m->e->flat, op, TYPE_REAL, a, b, 0, 0, 0, span);
}

// ---- the graph, as the run will see it

static BondGraph* local_graph(Elab* e, uint32_t index)
{
    Flat* flat = e->flat;
    const FlatBondGraph* graph = &flat->graphs.at[index];
    BondGraph* local = bond_graph_component(flat->bond_graph, (int)index, e->arena);
    for (uint32_t i = 0; i < graph->nodes.count; i++)
    {
        FlatBondNode* node = &flat->bond_nodes.at[graph->nodes.at[i]];
        double value = 1;
        node->acts = node->kind;
        bool constant = node->kind == BOND_R && !node->free && node->parameter != NO_VAR;
        node->zero = constant && flat->vars.at[node->parameter].init != 0 &&
                     flat_eval_const(flat, flat->vars.at[node->parameter].init, &value) && value == 0;
        local->nodes[i].parameter = node->zero ? 0 : 1;
        local->nodes[i].wire = node->zero;
    }
    return local;
}

// Whether a resistance is 0 with another value of a parameter, and was not when the graph was taken apart: the model
// has to be compiled for that value.
bool bonds_change_with(Elab* e, uint32_t parameter, double number)
{
    Flat* flat = e->flat;
    NodeId kept = flat->vars.at[parameter].init, given = flat_const(flat, number, TYPE_REAL);
    bool changes = false;
    flat->vars.at[parameter].init = given;
    for (uint32_t i = 0; i < flat->bond_nodes.count && !changes; i++)
    {
        const FlatBondNode* node = &flat->bond_nodes.at[i];
        double value = 1;
        bool resists = node->kind == BOND_R && !node->free && !node->zero && node->parameter != NO_VAR;
        changes = resists && flat->vars.at[node->parameter].init != 0 &&
                  flat_eval_const(flat, flat->vars.at[node->parameter].init, &value) && value == 0;
    }
    flat->vars.at[parameter].init = kept;
    return changes;
}

static void find_input_vars(BondMap* m)
{
    const Flat* flat = m->e->flat;
    for (int n = 0; n < m->local->node_count; n++)
    {
        const FlatBondNode* node = &flat->bond_nodes.at[m->graph->nodes.at[n]];
        bool imposes = bond_is_source(node->kind) || bond_is_storage(node->kind);
        if (node->acts != node->kind)
        {
            m->input_var[m->local->input_first[n]] = node->given;
            continue;
        }
        for (int i = m->local->input_first[n]; i < m->local->input_first[n + 1]; i++)
        {
            uint32_t first = bond_imposes_flow(node->kind) ? node->f : node->e;
            m->input_var[i] = imposes ? first + (uint32_t)(i - m->local->input_first[n]) : NO_VAR;
        }
    }
}

static void find_may_depend(BondMap* m)
{
    m->may_depend = arena_array(m->e->arena, bool, m->local->node_count + 1);
    for (int i = 0; i < m->blocks->block_count; i++)
    {
        const BondBlock* block = &m->blocks->blocks[i];
        bool stores = block->graph->port_count > 0;
        for (int n = 0; n < block->graph->node_count; n++)
            if (stores && block->node_of[n] >= 0)
                m->may_depend[block->node_of[n]] = m->graph->depends = true;
    }
}

BondMap* bond_map_create(Elab* e, uint32_t index, SharedClasses* shared, int* local_bond)
{
    BondMap* m = arena_new(e->arena, BondMap);
    *m = (BondMap){.e = e, .graph = &e->flat->graphs.at[index], .shared = shared, .local_bond = local_bond};
    m->local = local_graph(e, index);
    bond_find_evaluated(m);
    m->whole_class = arena_array(e->arena, int, m->local->class_count + 1);
    for (uint32_t i = 0; i < m->graph->bonds.count; i++)
    {
        local_bond[m->graph->bonds.at[i]] = (int)i;
        for (uint32_t flow = 0; flow < 2; flow++)
            m->whole_class[m->local->class_of[2 * i + flow]] =
                e->flat->bond_graph->class_of[2 * m->graph->bonds.at[i] + flow];
    }
    m->input_var = arena_array(e->arena, uint32_t, m->local->input_count + 1);
    m->input_at = arena_array(e->arena, uint32_t, m->local->input_count + 1);
    m->lists = arena_array(e->arena, NodeId, m->blocks->block_count + 1);
    m->listed = arena_array(e->arena, bool, m->blocks->block_count + 1);
    find_input_vars(m);
    find_may_depend(m);
    return m;
}

static int class_of(const BondMap* m, const BondTerm* term)
{
    return m->local->class_of[2 * m->local_bond[term->bond] + term->flow];
}

// ---- sums

typedef struct Summand
{
    NodeId value;
    int weight;
} Summand;

typedef VEC(Summand) Summands;

static NodeId signed_value(BondMap* m, NodeId value, int sign, Span span)
{
    return sign < 0 ? operate(m, NODE_NEG, value, 0, span) : value;
}

// Pairs of pairs: rounding and depth grow with the logarithm.
static NodeId add_up(BondMap* m, const Summand* list, uint32_t count, Span span)
{
    if (count == 0)
        return flat_const(m->e->flat, 0, TYPE_REAL);
    if (count > 1)
    {
        NodeId one = add_up(m, list, count / 2, span);
        return operate(m, NODE_ADD, one, add_up(m, list + count / 2, count - count / 2, span), span);
    }
    NodeId value = list->value;
    if (list->weight != 1 && list->weight != -1)
        value = operate(m, NODE_MUL, flat_const(m->e->flat, list->weight, TYPE_REAL), value, span);
    return signed_value(m, value, list->weight == -1 ? -1 : 1, span);
}

static NodeId known_value(BondMap* m, int class, int sign, Span span)
{
    Summands terms = {0};
    for (int i = 0; i < m->blocks->count[class]; i++)
    {
        BondPiece piece = m->blocks->pieces[m->blocks->first[class] + i];
        NodeId value = flat_var(m->e->flat, m->input_var[piece.index], span);
        value = operate(m, NODE_REGULAR, value, 0, span);
        vec_push(m->e->arena, terms, (Summand){value, sign * piece.weight});
    }
    return add_up(m, terms.at, terms.count, span);
}

bool bond_map_knows(const BondMap* m, const FlatBondOutput* output)
{
    return output->terms.count == 1 && m->blocks->place[class_of(m, &output->terms.at[0])] == BOND_KNOWN;
}

void bond_map_define_known(BondMap* m)
{
    for (uint32_t i = 0; i < m->graph->outputs.count; i++)
    {
        const FlatBondOutput* output = &m->graph->outputs.at[i];
        if (!output->mapped || !bond_map_knows(m, output))
            continue;
        Span span = m->e->flat->vars.at[output->var].span;
        const BondTerm* term = &output->terms.at[0];
        var_add_def(m->e, output->var, 0, 0, known_value(m, class_of(m, term), term->sign, span), span);
    }
}

// ---- rows

static NodeId push_input(BondMap* m, int block, uint32_t index, bool slope, NodeId list)
{
    const FlatBondInput* input = &m->graph->inputs.at[index];
    uint32_t var = slope ? input->slope : input->var;
    Span span = m->e->flat->vars.at[var].span;
    FlatBondBlock* made = &m->graph->blocks.at[block];
    vec_push(m->e->arena, made->columns, (BondColumn){index, slope});
    NodeId value = operate(m, NODE_REGULAR, flat_var(m->e->flat, var, span), 0, span);
    return operate(m, NODE_LIST, value, list, span);
}

// The inputs of a block: values, then slopes. All its rows share the list. The columns are found from the last to the
// first, as the list is.
static NodeId list_of(BondMap* m, int index)
{
    const BondBlock* block = &m->blocks->blocks[index];
    NodeId list = 0;
    if (m->listed[index])
        return m->lists[index];
    for (int slopes = 1; slopes >= 0; slopes--)
        for (int i = block->input_count; i-- > 0;)
        {
            uint32_t at = m->input_at[block->inputs[i]];
            if (at != 0 && (!slopes || m->graph->inputs.at[at - 1].slope != NO_VAR))
                list = push_input(m, index, at - 1, slopes != 0, list);
        }
    m->listed[index] = true;
    return m->lists[index] = list;
}

static NodeId row_value(BondMap* m, FlatBondOutput* output, int block, Span span)
{
    Flat* flat = m->e->flat;
    NodeId list = list_of(m, block);
    if (list == 0)
        return flat_const(flat, 0, TYPE_REAL);
    uint32_t columns = m->graph->blocks.at[block].columns.count;
    output->block = (uint32_t)block + 1;
    output->row = flat->coefficient_count;
    flat->coefficient_count += columns;
    for (uint32_t k = 0; k < columns && !m->e->too_large; k++)
        elab_count_loop(m->e, span);
    return flat_node(flat, NODE_MAP, TYPE_REAL, list, 0, 0, output->row, 0, span);
}

// ---- classes and outputs

static NodeId class_definition(BondMap* m, int class, FlatBondOutput* output, Span span);

// The value of a class, by a variable that has it: one of its own if there is none.
static NodeId class_value(BondMap* m, int class, Span span)
{
    SharedClasses* shared = m->shared;
    int whole = m->whole_class[class];
    if (!shared->imposed[whole])
    {
        uint32_t var = bond_hidden_signal(m->e, "class", span);
        shared->imposed[whole] = var + 1;
        shared->sign[whole] = 1;
        FlatBondOutput made = {.var = var, .area = NO_VAR, .mapped = true};
        for (int u = 0; made.terms.count == 0; u++)  // some bond that has it
            if (m->local->class_of[u] == class)
                vec_push(m->e->arena, made.terms, (BondTerm){m->graph->bonds.at[u / 2], u % 2 == 1, 1});
        NodeId value = class_definition(m, class, &made, span);
        var_add_def(m->e, var, 0, 0, value, span);
        vec_push(m->e->arena, m->graph->outputs, made);
    }
    NodeId value = flat_var(m->e->flat, shared->imposed[whole] - 1, span);
    value = operate(m, NODE_REGULAR, value, 0, span);  // impulses go through the jump
    return signed_value(m, value, shared->sign[whole], span);
}

static NodeId class_definition(BondMap* m, int class, FlatBondOutput* output, Span span)
{
    int place = m->blocks->place[class], sign = output->terms.at[0].sign;
    if (place == BOND_KNOWN)
        return known_value(m, class, sign, span);
    if (place != BOND_SUM)
        return row_value(m, output, place, span);
    Summands terms = {0};
    for (int i = 0; i < m->blocks->count[class]; i++)
    {
        BondPiece piece = m->blocks->pieces[m->blocks->first[class] + i];
        vec_push(m->e->arena, terms, (Summand){class_value(m, piece.index, span), sign * piece.weight});
    }
    return add_up(m, terms.at, terms.count, span);
}

// The sum of a switched junction: its classes are of its block, or known to it.
static NodeId sum_definition(BondMap* m, FlatBondOutput* output, Span span)
{
    int block = -1;
    for (uint32_t i = 0; i < output->terms.count; i++)
    {
        int place = m->blocks->place[class_of(m, &output->terms.at[i])];
        block = place >= 0 ? place : block;
    }
    if (block < 0)  // all known: the block is that of the common one
        block = m->blocks->place[class_of(m, &(BondTerm){output->terms.at[0].bond, !output->terms.at[0].flow, 1})];
    return row_value(m, output, block, span);
}

void bond_map_define(BondMap* m)
{
    for (int i = 0; i < m->blocks->block_count; i++)
        vec_push(m->e->arena, m->graph->blocks, (FlatBondBlock){0});
    for (uint32_t i = 0; i < m->graph->inputs.count; i++)
    {
        const FlatBondInput* input = &m->graph->inputs.at[i];
        int node = m->e->flat->bond_nodes.at[input->node].local;
        m->input_at[m->local->input_first[node] + (int)input->port] = i + 1;
    }
    for (uint32_t i = 0, count = m->graph->outputs.count; i < count && !m->e->too_large; i++)
    {
        FlatBondOutput output = m->graph->outputs.at[i];
        if (!output.mapped || bond_map_knows(m, &output))
            continue;
        Span span = m->e->flat->vars.at[output.var].span;
        NodeId value = output.zero              ? flat_const(m->e->flat, 0, TYPE_REAL)
                       : output.terms.count > 1 ? sum_definition(m, &output, span)
                                                : class_definition(m, class_of(m, &output.terms.at[0]), &output, span);
        var_add_def(m->e, output.var, 0, 0, value, span);
        m->graph->outputs.at[i] = output;
    }
}
