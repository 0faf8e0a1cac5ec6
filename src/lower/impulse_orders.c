// Who can carry an impulse, of which order, and who can jump: inferred for every variable to a fixed point, before
// anything runs (rule V3). An operator without a meaning for an impulse that its argument can carry is refused here;
// what only happens if two things coincide (a product, a switch at the moment of an impulse) is watched by the run
// (parts.c).
#include "base/text.h"
#include "lower/compiler.h"

#include <string.h>

// ---- orders
// ----------------------------------------------------------------------------------------------------------

static int most(int a, int b)
{
    return a > b ? a : b;
}

static int order_of(Compiler* c, const Node* node, NodeId n, const int arg[3])
{
    switch (node->op)
    {
    case NODE_DELTA: return 0;
    case NODE_VAR: return c->vars.at[node->aux].order;
    case NODE_ADD:
    case NODE_SUB:
    case NODE_LIST:
    case NODE_MUL: return most(arg[0], arg[1]);
    case NODE_DEFAULT: return most(arg[0], arg[1]);
    case NODE_NEG:
    case NODE_DIV:
    case NODE_SMOOTH:
    case NODE_VALUE:
    case NODE_PRE:
    case NODE_DELAY: return arg[0];
    case NODE_IF: return most(arg[1], arg[2]);
    case NODE_DER: (void)n; return arg[0] >= 0 ? arg[0] + 1 : node_jumps(c, node->arg[0]) ? 0 : -1;
    default: return -1;
    }
}

int node_order(Compiler* c, NodeId root)
{
    if (!c->has_impulses)
        return -1;
    VEC(NodeId) stack = {0};
    vec_push(c->arena, stack, root);
    while (stack.count > 0)
    {
        while (c->node_orders.count < c->flat->nodes.count)
            vec_push(c->arena, c->node_orders, 0);
        NodeId n = stack.at[stack.count - 1];
        const Node node = c->flat->nodes.at[n];
        int arg[3] = {-1, -1, -1};
        bool ready = true;
        for (int i = 0; i < node_op_arity((NodeOp)node.op); i++)
        {
            if (node.arg[i] == 0)
                continue;
            if (c->node_orders.at[node.arg[i]] == 0)
            {
                vec_push(c->arena, stack, node.arg[i]);
                ready = false;
            }
            else
                arg[i] = c->node_orders.at[node.arg[i]] - 2;
        }
        if (!ready)
            continue;
        int order = order_of(c, &node, n, arg);
        c->node_orders.at[n] = (int8_t)((order > ORDER_MAX ? ORDER_MAX : order) + 2);
        stack.count--;
    }
    return c->node_orders.at[root] - 2;
}

// ---- jumps
// -----------------------------------------------------------------------------------------------------------

static bool var_jumps(const Compiler* c, uint32_t v)
{
    const FlatVar* var = &c->flat->vars.at[v];
    switch (var->kind)
    {
    case VAR_PARAM: return false;
    case VAR_STATE:
    case VAR_SIGNAL: return c->vars.at[v].jumps;
    default: return true;
    }
}

// `pre(x)` is what x was: at the tag at which x jumps it does not, which is what a product with an impulse of that tag
// asks; it does at the next, and that is what `der` asks.
static bool jumps(Compiler* c, NodeId n, bool through_pre)
{
    const Node node = c->flat->nodes.at[n];
    switch (node.op)
    {
    case NODE_CONST:
    case NODE_TIME: return false;
    case NODE_PRE: return through_pre && (node.arg[1] != 0 || jumps(c, node.arg[0], true));
    case NODE_VAR: return var_jumps(c, node.aux);
    case NODE_MAP: return true;  // with its coefficients
    case NODE_ABS:
    case NODE_MIN:
    case NODE_MAX: break;
    case NODE_DER:
        if (c->flat->nodes.at[node.arg[0]].op == NODE_PRE && !through_pre)
            return false;
        return node_varies(c, node.arg[0]) != VARIES_NEVER;
    default:
        if (node.type != TYPE_REAL || is_kink((NodeOp)node.op) || node.op == NODE_HOLD || node.op == NODE_SAMPLE)
            return node_varies(c, n) != VARIES_NEVER;
        break;
    }
    for (int i = 0; i < node_op_arity((NodeOp)node.op); i++)
        if (node.arg[i] != 0 && jumps(c, node.arg[i], through_pre))
            return true;
    return false;
}

bool node_jumps(Compiler* c, NodeId n)
{
    return jumps(c, n, true);
}

bool node_jumps_beside_pre(Compiler* c, NodeId n)
{
    return jumps(c, n, false);
}

static void mark_assigned(Compiler* c, const FlatActions* actions)
{
    for (uint32_t i = 0; i < actions->count; i++)
        if (actions->at[i].kind == FLAT_ASSIGN)
            c->vars.at[actions->at[i].var].jumps = true;
}

// ---- fixed point
// -----------------------------------------------------------------------------------------------------

// One variable: true if something grew.
static bool update(Compiler* c, uint32_t v)
{
    VarInfo* info = &c->vars.at[v];
    VarKind kind = c->flat->vars.at[v].kind;
    int which = kind == VAR_STATE ? 1 : 0, order = -1, rhs = -1;
    bool jumps = info->jumps;
    if (kind != VAR_STATE && kind != VAR_SIGNAL)
        return false;
    for (uint32_t d = info->first_def[which]; d != 0; d = c->next_def.at[d - 1])
    {
        FlatDef def = c->flat->defs.at[d - 1];
        rhs = most(rhs, node_order(c, def.value));
        jumps |= which == 0 && (def.ctx != 0 || node_jumps(c, def.value));
    }
    jumps |= which == 1 && (rhs >= 0 || c->flat->vars.at[v].ctx != 0);
    order = which == 1 ? (rhs >= 0 ? rhs - 1 : -1) : rhs;
    bool grew = order > info->order || jumps != info->jumps || (which == 1 && rhs > info->rhs_order);
    info->order = (int8_t)most(order, info->order);
    info->rhs_order = (int8_t)(which == 1 ? most(rhs, info->rhs_order) : -1);
    info->jumps = jumps;
    return grew;
}

static bool mentions_impulses(const Flat* flat)
{
    for (NodeId n = 1; n < flat->nodes.count; n++)
        if (flat->nodes.at[n].op == NODE_DELTA || flat->nodes.at[n].op == NODE_DER || flat->nodes.at[n].op == NODE_AREA)
            return true;
    return false;
}

static void report_growth(Compiler* c, uint32_t v)
{
    const FlatVar* var = &c->flat->vars.at[v];
    diag_error(c->diags, K_IMPULSE_GROWS, var->span, "the order of the impulses of `%s` grows round a loop without end",
               var->name);
}

// ---- what has no meaning
// ---------------------------------------------------------------------------------------------

// Where an operand of `node` stands. Equal expressions are one node, with the place of the first: outside of its
// operator a name is shown where it is declared, and anything else as nowhere.
static Span operand_span(const Compiler* c, const Node* node, NodeId operand)
{
    const Node* x = &c->flat->nodes.at[operand];
    if (x->span.file == node->span.file && x->span.start >= node->span.start && x->span.end <= node->span.end)
        return x->span;
    return x->op == NODE_VAR ? c->flat->vars.at[x->aux].span : (Span){0};
}

static void note_operand(Compiler* c, Diag* d, const Node* node, NodeId operand, const char* text)
{
    Span at = operand_span(c, node, operand);
    if (at.file != 0)
        diag_note(c->diags, d, at, "%s", text);
}

static void refuse(Compiler* c, DiagCode code, const Node* node, NodeId culprit, const char* what)
{
    const Node* from = &c->flat->nodes.at[culprit];
    Diag* d = diag_error(c->diags, code, node->span, "%s: `%s` can carry an impulse", what,
                         flat_text(c->flat, c->arena, culprit));
    note_operand(c, d, node, culprit, "this operand carries it");
    if (from->op == NODE_VAR)
        diag_note(c->diags, d, c->flat->vars.at[from->aux].span, "`%s` is declared here",
                  c->flat->vars.at[from->aux].name);
    for (int i = 0; i < 2 && node_op_arity((NodeOp)node->op) == 2; i++)
        if (node->arg[i] != 0 && node->arg[i] != culprit)
            note_operand(c, d, node, node->arg[i],
                         node_order(c, node->arg[i]) >= 0 ? "and so does this one" : "the other operand");
}

static bool is_nonlinear(NodeOp op)
{
    return op == NODE_POW || (op >= NODE_SIN && op <= NODE_HYPOT) || is_kink(op) || op == NODE_TABLE ||
           op == NODE_ROWS || op == NODE_EXTERNAL;
}

typedef VEC(NodeId) EventList;

// The events at which a value carries an impulse for certain, through gains, sums and signals with one definition.
static void sure_events(const Compiler* c, NodeId n, EventList* events, int depth)
{
    const Node node = c->flat->nodes.at[n];
    if (depth == 0)
        return;
    switch (node.op)
    {
    case NODE_DELTA: vec_push(c->arena, *events, node.arg[0]); break;
    case NODE_ADD:
    case NODE_SUB:
    case NODE_MUL: sure_events(c, node.arg[1], events, depth - 1);  // fall through
    case NODE_DIV:
    case NODE_NEG:
    case NODE_DER:
    case NODE_VALUE:
    case NODE_SMOOTH: sure_events(c, node.arg[0], events, depth - 1); break;
    case NODE_VAR:
    {
        uint32_t d = c->flat->vars.at[node.aux].kind == VAR_SIGNAL ? c->vars.at[node.aux].first_def[0] : 0;
        if (d != 0 && c->next_def.at[d - 1] == 0 && c->flat->defs.at[d - 1].ctx == 0)
            sure_events(c, c->flat->defs.at[d - 1].value, events, depth - 1);
        break;
    }
    default: break;
    }
}

// Both factors are impulses of the same event for certain.
static bool surely_together(const Compiler* c, NodeId a, NodeId b)
{
    enum
    {
        DEPTH = 12
    };
    EventList of_a = {0}, of_b = {0};
    const Node *x = &c->flat->nodes.at[a], *y = &c->flat->nodes.at[b];
    if (a == b || (x->op == NODE_DELTA && y->op == NODE_DELTA && x->arg[0] == y->arg[0]))
        return true;
    if (!c->decide)  // a run says when, and with which weights
        return false;
    sure_events(c, a, &of_a, DEPTH);
    sure_events(c, b, &of_b, DEPTH);
    for (uint32_t i = 0; i < of_a.count; i++)
        for (uint32_t k = 0; k < of_b.count; k++)
            if (of_a.at[i] == of_b.at[k])
                return true;
    return false;
}

// A `pre` without a derivative: its signal is defined through itself, and not constant between instants.
static NodeId endless_pre(Compiler* c, NodeId n)
{
    walk_begin(&c->nodes);
    walk_push(&c->nodes, n);
    while ((n = walk_pop(&c->nodes)) != 0)
    {
        const Node node = c->flat->nodes.at[n];
        for (int i = node_op_arity((NodeOp)node.op) - 1; i >= 0 && node.op != NODE_PRE; i--)
            walk_push(&c->nodes, node.arg[i]);
        if (node.op == NODE_PRE && c->vars.at[c->flat->nodes.at[node.arg[0]].aux].looped &&
            node_varies(c, node.arg[0]) == VARIES_ALWAYS)
            break;
    }
    walk_stop(&c->nodes);
    return n;
}

static void check_pre(Compiler* c, NodeId n, NodeId u, NodeId v)
{
    NodeId pre = node_order(c, v) > 0 && !c->numeric ? endless_pre(c, u) : 0;
    if (pre == 0)
        return;
    Diag* d = diag_error(c->diags, K_PRE_DERIVATIVE, c->flat->nodes.at[n].span,
                         "a product with a derivative of δ needs derivatives of `%s`, which has none: it is defined "
                         "through itself",
                         flat_text(c->flat, c->arena, pre));
    diag_note(c->diags, d, c->flat->nodes.at[pre].span, "this operand");
}

// ---- what always coincides

static bool same_event(const Flat* flat, NodeId a, NodeId b)
{
    const Node *x = &flat->nodes.at[a], *y = &flat->nodes.at[b];
    return a == b || (x->op == NODE_VAR && y->op == NODE_VAR && x->aux == y->aux);
}

// The definition of a signal that has one only; 0: it has none, several, or itself in it.
static NodeId only_definition(const Compiler* c, uint32_t var)
{
    const VarInfo* info = &c->vars.at[var];
    uint32_t d = info->first_def[0];
    bool direct = c->flat->vars.at[var].kind == VAR_SIGNAL && d != 0 && c->next_def.at[d - 1] == 0 && !info->looped;
    return direct ? c->flat->defs.at[d - 1].value : 0;
}

// An impulse of `event` (0: of any) that is certainly in n: a term of its sums, a factor of its products. 0 if none.
// Each node once: products of one signal with itself have 2ⁿ ways down.
static NodeId sure_delta(Compiler* c, NodeId n, NodeId event)
{
    walk_begin(&c->nodes);
    walk_push(&c->nodes, n);
    while ((n = walk_pop(&c->nodes)) != 0)
    {
        const Node* node = &c->flat->nodes.at[n];
        if (node->op == NODE_DELTA && (event == 0 || same_event(c->flat, node->arg[0], event)))
            break;
        switch (node->op)
        {
        case NODE_ADD:
        case NODE_SUB:
        case NODE_MUL: walk_push(&c->nodes, node->arg[1]);  // fallthrough
        case NODE_NEG:
        case NODE_DIV:
        case NODE_DER: walk_push(&c->nodes, node->arg[0]); break;
        case NODE_VAR: walk_push(&c->nodes, only_definition(c, node->aux)); break;
        default: break;
        }
    }
    walk_stop(&c->nodes);
    return n;
}

// `if e then … delta(e, w) …`: it switches whenever the impulse comes.
static void check_decision(Compiler* c, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    const Node* condition = &c->flat->nodes.at[node.arg[0]];
    while (condition->op == NODE_NOT)
        condition = &c->flat->nodes.at[condition->arg[0]];
    for (int i = 1; i <= 2 && condition->op == NODE_PRESENT; i++)
    {
        NodeId delta = sure_delta(c, node.arg[i], condition->arg[0]);
        if (delta == 0)
            continue;
        Diag* d = diag_error(c->diags, K_IMPULSE_DECISION, node.span,
                             "the decision switches exactly at the impulse `%s` that it decides",
                             flat_text(c->flat, c->arena, delta));
        diag_note(c->diags, d, condition->span, "this switches it");
        diag_note(c->diags, d, c->flat->nodes.at[delta].span, "and this is the impulse");
        return;
    }
}

// The one impulse of a sum; 0 if there are several, or it is not a plain one.
static NodeId only_delta(Compiler* c, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    bool left = node.arg[0] != 0 && node_order(c, node.arg[0]) >= 0;
    bool right = node.arg[1] != 0 && node_order(c, node.arg[1]) >= 0;
    switch (node.op)
    {
    case NODE_DELTA: return n;
    case NODE_NEG: return only_delta(c, node.arg[0]);
    case NODE_ADD:
    case NODE_SUB: return left != right ? only_delta(c, node.arg[left ? 0 : 1]) : 0;
    default: return 0;
    }
}

// v δ(e) where v' has a δ(e) of its own, with a weight that is not 0: v jumps at that tag.
static void check_factor(Compiler* c, NodeId n, NodeId u, NodeId v)
{
    const Node* factor = &c->flat->nodes.at[u];
    NodeId delta = sure_delta(c, v, 0);
    if (delta == 0 || factor->op != NODE_VAR || c->flat->vars.at[factor->aux].kind != VAR_STATE)
        return;
    uint32_t d = c->vars.at[factor->aux].first_def[1];
    NodeId own = d != 0 && c->next_def.at[d - 1] == 0 ? only_delta(c, c->flat->defs.at[d - 1].value) : 0;
    if (own == 0 || !same_event(c->flat, c->flat->nodes.at[own].arg[0], c->flat->nodes.at[delta].arg[0]))
        return;
    const Node* weight = &c->flat->nodes.at[c->flat->nodes.at[own].arg[1]];
    if (weight->op != NODE_CONST || weight->value == 0)
        return;
    Diag* diag = diag_error(c->diags, K_IMPULSE_JUMP, c->flat->nodes.at[n].span,
                            "`%s` jumps exactly when the impulse `%s` comes", flat_text(c->flat, c->arena, u),
                            flat_text(c->flat, c->arena, delta));
    diag_note(c->diags, diag, c->flat->nodes.at[own].span, "this makes it jump");
    diag_note(c->diags, diag, c->flat->nodes.at[delta].span, "and this is the impulse");
}

static void check_node(Compiler* c, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    NodeOp op = (NodeOp)node.op;
    for (int i = 0; i < 2 && (op == NODE_MUL || (op == NODE_DIV && i == 0)); i++)
    {
        check_pre(c, n, node.arg[1 - i], node.arg[i]);
        check_factor(c, n, node.arg[1 - i], node.arg[i]);
    }
    if (op == NODE_IF)
        check_decision(c, n);
    for (int i = 0; i < node_op_arity(op); i++)
    {
        if (node.arg[i] == 0 || op == NODE_LIST || node_order(c, node.arg[i]) < 0)
            continue;
        if (op == NODE_DIV && i == 1)
            refuse(c, K_IMPULSE_INVERSE, &node, node.arg[1], "a division by an impulse has no meaning");
        else if (is_nonlinear(op))
            refuse(c, K_IMPULSE_NONLINEAR, &node, node.arg[i], "a nonlinear function of an impulse has no meaning");
        else if (is_relation(op) || op == NODE_UP || op == NODE_DOWN || op == NODE_CROSS)
            refuse(c, K_IMPULSE_GUARD, &node, node.arg[i], "an impulse cannot be compared");
        else if (op == NODE_SAMPLE || op == NODE_HOLD)
            refuse(c, K_IMPULSE_SAMPLE, &node, node.arg[i], "an impulse has no value to sample or hold");
        else if (op == NODE_DELTA && i == 1)
            refuse(c, K_IMPULSE_PRODUCT, &node, node.arg[1], "an impulse with an impulse as weight has no meaning");
        else if (op == NODE_MUL && i == 0 && node_order(c, node.arg[1]) >= 0 &&
                 surely_together(c, node.arg[0], node.arg[1]))
            refuse(c, K_IMPULSE_PRODUCT, &node, node.arg[1], "a product of two impulses has no meaning");
    }
}

static void check_actions(Compiler* c, const FlatActions* actions)
{
    for (uint32_t i = 0; i < actions->count; i++)
        if (actions->at[i].value != 0 && node_order(c, actions->at[i].value) >= 0)
        {
            Node place = {.span = actions->at[i].span};
            refuse(c, K_IMPULSE_SAMPLE, &place, actions->at[i].value, "an impulse cannot be assigned or emitted");
        }
}

static void check_all(Compiler* c)
{
    Flat* flat = c->flat;
    for (NodeId n = 1; n < c->source_nodes; n++)
        check_node(c, n);
    for (uint32_t i = 0; i < flat->whens.count; i++)
        check_actions(c, &flat->whens.at[i].actions);
    for (uint32_t i = 0; i < flat->transitions.count; i++)
        check_actions(c, &flat->transitions.at[i].actions);
}

static void find_highest(Compiler* c)
{
    int highest = -1;
    for (NodeId n = 1; n < c->source_nodes; n++)
        if (node_order(c, n) > highest)
        {
            highest = node_order(c, n);
            c->highest = n;
        }
}

// ---- the pass
// --------------------------------------------------------------------------------------------------------

void infer_impulses(Compiler* c)
{
    Flat* flat = c->flat;
    for (uint32_t v = 0; v < c->vars.count; v++)
        c->vars.at[v].order = c->vars.at[v].rhs_order = -1;
    c->has_impulses = mentions_impulses(flat);
    if (!c->has_impulses)
        return;
    for (uint32_t i = 0; i < flat->whens.count; i++)
        mark_assigned(c, &flat->whens.at[i].actions);
    for (uint32_t i = 0; i < flat->transitions.count; i++)
        mark_assigned(c, &flat->transitions.at[i].actions);
    for (bool grew = true; grew;)
    {
        grew = false;
        for (uint32_t v = 0; v < c->vars.count; v++)
            grew |= update(c, v);
        for (uint32_t i = 0; i < c->node_orders.count; i++)
            c->node_orders.at[i] = 0;
    }
    for (uint32_t v = 0; v < c->vars.count; v++)
        if (c->vars.at[v].order >= ORDER_MAX || c->vars.at[v].rhs_order >= ORDER_MAX)
            report_growth(c, v);
    check_all(c);
    find_highest(c);
}

const char* order_text(Arena* arena, int order)
{
    return order < 0    ? "no impulse"
           : order == 0 ? "δ"
           : order == 1 ? "δ′"
           : order == 2 ? "δ″"
                        : arena_printf(arena, "δ(%d)", order);
}

char* print_impulses(Compiler* c)
{
    Writer text = {.arena = c->arena};
    for (uint32_t v = 0; v < c->vars.count; v++)
    {
        const FlatVar* var = &c->flat->vars.at[v];
        const VarInfo* info = &c->vars.at[v];
        if (var->hidden || (var->kind != VAR_STATE && var->kind != VAR_SIGNAL))
            continue;
        writer_say(&text, "%-30s %s%*s %s%s\n", var->name, order_text(c->arena, info->order),
                   info->order < 0   ? 2
                   : info->order < 3 ? 11 - (info->order > 0)
                                     : 8,
                   "", info->jumps || !c->has_impulses ? "can jump" : "continuous",
                   info->rhs_order >= 0 ? ", integrates impulses" : "");
    }
    return writer_text(&text);
}
