// Storages of several ports, `C(c = [[2, 1], [1, 3]], q0 = [1, 0])` and `I(i = …, p0 = …)`: one extensity, effort and
// flow per port, coupled by a symmetric matrix. q = C e is what the text says; the equations need e = C⁻¹ q, and the
// run computes the inverse when it knows the parameters. Port k is the k-th bond in the order of the text.
#include "elab/elab.h"

uint32_t multiport_size(const Arg* matrix)
{
    return matrix->value->kind == EXPR_ARRAY ? matrix->value->items.count : 0;
}

void declare_multiport(Elab* e, uint32_t scope, FlatBondNode* node, const Arg* matrix)
{
    Env env = {.instance = scope};
    node->ports = multiport_size(matrix);
    node->matrix = e->flat->vars.count;
    for (uint32_t i = 0; i < node->ports * node->ports && !e->too_large; i++)
    {
        const char* name = arena_printf(e->arena, "%s[%u,%u]", matrix->name, i / node->ports + 1, i % node->ports + 1);
        uint32_t var = declare_var(e, &env, VAR_PARAM, TYPE_REAL, name, matrix->span);
        e->vars.at[var].type_progress = DONE;
        e->vars.at[var].given = true;
        declare_override(e, var);
        e->vars.at[var].init_progress = DONE;  // elaborate_matrix does it
        e->vars.at[var].init = matrix->value;
    }
    node->slopes = e->flat->vars.count;
    for (uint32_t i = 0; i < node->ports * node->ports && !e->too_large; i++)
        add_element_hidden(e, "inverse", matrix->span);
}

// The values of one row or of the start, one per port; NULL: reported.
static const Expr* values_given(Elab* e, const Env* env, const FlatBondNode* node, const Expr* expr, const char* what)
{
    const Expr* list = array_given(e, env, expr);
    if (list && list->items.count == node->ports)
        return list;
    Diag* diag = elab_error(e, K_BOND_ARGUMENT, expr->span, "%s of `%s` must be a list of %u, one value per port", what,
                            node->name, node->ports);
    elab_help(e, diag, "two ports: `C(c = [[2, 1], [1, 3]], q0 = [1, 0])`; the matrix is square and symmetric");
    return NULL;
}

static void elaborate_matrix(Elab* e, const FlatBondNode* node, const Env* env, const Expr* matrix)
{
    for (uint32_t i = 0; i < node->ports; i++)
    {
        const Expr* row = values_given(e, env, node, matrix->items.at[i], "a row of the matrix");
        for (uint32_t k = 0; row && k < node->ports; k++)
        {
            uint32_t var = node->matrix + i * node->ports + k;
            if (!e->flat->vars.at[var].init)  // else overridden
            {
                NodeId value = elaborate_real(e, env, row->items.at[k]);
                e->flat->vars.at[var].init = value;
            }
        }
    }
}

// Row `port` of the matrix whose first variable is `matrix`, times values.
static NodeId times_row(Elab* e, const FlatBondNode* node, uint32_t matrix, uint32_t port, const NodeId* values)
{
    NodeId sum = 0;
    for (uint32_t k = 0; k < node->ports; k++)
    {
        NodeId entry = flat_var(e->flat, matrix + port * node->ports + k, node->span);
        NodeId term = flat_node(e->flat, NODE_MUL, TYPE_REAL, entry, values[k], 0, 0, 0, node->span);
        sum = k ? flat_node(e->flat, NODE_ADD, TYPE_REAL, sum, term, 0, 0, 0, node->span) : term;
    }
    return sum;
}

// Extensities as given, or those that belong to the efforts or flows that are given.
static void elaborate_starts(Elab* e, const FlatBondNode* node, const Env* env, const MultiportArgs* args)
{
    const Arg* arg = args->start ? args->start : args->start_power;
    const Expr* list = arg ? values_given(e, env, node, arg->value, "the start") : NULL;
    NodeId* values = arena_array(e->arena, NodeId, node->ports + 1);
    bool fine = list != NULL;
    for (uint32_t i = 0; list && i < node->ports; i++)
        fine &= (values[i] = elaborate_real(e, env, list->items.at[i])) != 0;
    for (uint32_t i = 0; fine && i < node->ports; i++)
        if (!e->flat->vars.at[node->extensity + i].init)  // else overridden
        {
            NodeId value = args->start ? values[i] : times_row(e, node, node->matrix, i, values);
            e->flat->vars.at[node->extensity + i].init = value;
        }
}

void elaborate_multiport(Elab* e, uint32_t index, const Env* env, const MultiportArgs* args)
{
    const FlatBondNode node = e->flat->bond_nodes.at[index];
    Env constant = *env;
    constant.constant = true;
    elaborate_matrix(e, &node, &constant, args->matrix->value);
    elaborate_starts(e, &node, &constant, args);
}

NodeId multiport_value(Elab* e, const FlatBondNode* node, uint32_t port)
{
    NodeId* values = arena_array(e->arena, NodeId, node->ports + 1);
    for (uint32_t k = 0; k < node->ports; k++)
        values[k] = flat_var(e->flat, node->extensity + k, node->span);
    return times_row(e, node, node->slopes, port, values);
}
