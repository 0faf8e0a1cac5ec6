// External functions are opaque: nothing is known about their derivatives. So is, for the next derivative, the slope of
// a source that hangs on what its graph gives: of those there is no end (lower_derivative). Where the value of a
// derivative would show in a result (`der`, the rule of Leibniz) it must be exact (rule V4), so what is opaque is
// refused there; a search direction (slopes of guards, Jacobians) may come from differences (differentiate.c).
#include "lower/compiler.h"

// `in_der`: under another `der`, where states count with their right-hand sides.
static void push_definitions(Compiler* c, uint32_t var, bool in_der)
{
    VarKind kind = c->flat->vars.at[var].kind;
    if (c->vars.at[var].implicit != 0)
        walk_push(&c->nodes, c->flat->implicits.at[c->vars.at[var].implicit - 1].residual);
    if (kind != VAR_SIGNAL && !(kind == VAR_STATE && in_der))
        return;
    for (uint32_t d = c->vars.at[var].first_def[kind == VAR_STATE]; d != 0; d = c->next_def.at[d - 1])
        walk_push(&c->nodes, c->flat->defs.at[d - 1].value);
}

// What is opaque and whose derivative the derivative of `root` needs; 0 = none.
static NodeId find_opaque(Compiler* c, NodeId root)
{
    bool in_der = false;
    walk_begin(&c->nodes);
    walk_push(&c->nodes, root);
    for (NodeId n; (n = walk_pop(&c->nodes)) != 0;)
    {
        const Node node = c->flat->nodes.at[n];
        if (node_varies(c, n) != VARIES_ALWAYS)
            continue;  // constant between instants: its derivative is 0, whatever made it
        if (node.op == NODE_EXTERNAL || (node.op == NODE_SLOPE && node.aux != 0))
        {
            walk_stop(&c->nodes);
            return n;
        }
        in_der |= node.op == NODE_DER;
        if (node.op == NODE_VAR)
            push_definitions(c, node.aux, in_der);
        for (int i = 0; i < node_op_arity((NodeOp)node.op); i++)
            walk_push(&c->nodes, node.arg[i]);
    }
    return 0;
}

static void say_external(Compiler* c, Span span, const Node* opaque)
{
    const char* name = c->flat->externals.at[opaque->aux].name;
    Diag* diag = diag_error(c->diags, K_EXTERNAL_DERIVATIVE, span,
                            "the derivative of the external function %s is needed here and not known", name);
    diag_note(c->diags, diag, opaque->span, "it is called here");
    diag_help(c->diags, diag, "declare a second external function for it, and apply the chain rule");
}

static void say_slope(Compiler* c, Span span, const Node* opaque)
{
    Diag* diag =
        diag_error(c->diags, K_SLOPE_DERIVATIVE, span,
                   "the second derivative of a source is needed here, and the source hangs on its own circuit");
    diag_note(c->diags, diag, opaque->span, "this source");
    diag_help(c->diags, diag,
              "put a resistor in series with the storage at the source, or let the source follow a state");
}

void refuse_opaque(Compiler* c, NodeId der)
{
    const Node node = c->flat->nodes.at[der];
    bool some = c->flat->externals.count > 0 || c->flat->endless_slopes;
    NodeId opaque = some ? find_opaque(c, node.arg[0]) : 0;
    if (opaque == 0 || c->refused == der)
        return;
    c->refused = der;
    const Node found = c->flat->nodes.at[opaque];
    if (found.op == NODE_EXTERNAL)
        say_external(c, node.span, &found);
    else
        say_slope(c, node.span, &found);
}
