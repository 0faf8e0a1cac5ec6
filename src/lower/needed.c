// When a relation is asked for. `x > 0 and log(x) > 1` is false where x is negative, whatever the logarithm would be:
// there the relation on the right decides nothing, and it need not have a value (rule C1). The conditions that lie on
// the way from a root of an expression to a node, of `and`, `or` and `if` in the order of the text, make a path; a node
// that is reached in several ways has what these begin with in common.
#include "lower/compiler.h"

#include <math.h>

enum
{
    NOT_REACHED = 0xffffffffu,
    ALWAYS = 0,
};

static uint32_t need_common(const Compiler* c, uint32_t a, uint32_t b)
{
    while (a != b)
        if (c->asked.needs.at[a].depth >= c->asked.needs.at[b].depth)
            a = c->asked.needs.at[a].before;
        else
            b = c->asked.needs.at[b].before;
    return a;
}

static uint32_t need_and(Compiler* c, uint32_t before, NodeId condition, bool holds)
{
    for (uint32_t i = c->asked.needs.at[before].last; i != 0; i = c->asked.needs.at[i].next)
        if (c->asked.needs.at[i].condition == condition && c->asked.needs.at[i].holds == holds)
            return i;
    Need need = {
        .before = before, .condition = condition, .holds = holds, .depth = c->asked.needs.at[before].depth + 1};
    need.next = c->asked.needs.at[before].last;
    c->asked.needs.at[before].last = c->asked.needs.count;
    vec_push(c->arena, c->asked.needs, need);
    return c->asked.needs.count - 1;
}

typedef VEC(NodeId) NodeStack;

static void reach(Compiler* c, NodeStack* stack, NodeId n, uint32_t need)
{
    if (n == 0)
        return;
    uint32_t before = c->asked.of.at[n], now = before == NOT_REACHED ? need : need_common(c, before, need);
    if (now == before)
        return;
    c->asked.of.at[n] = now;
    vec_push(c->arena, *stack, n);
}

// The argument that decides whether those after it are asked for; they are if it `holds`, or if not.
static void reach_arguments(Compiler* c, NodeStack* stack, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    uint32_t need = c->asked.of.at[n];
    bool decides = node.op == NODE_IF || ((node.op == NODE_AND || node.op == NODE_OR) && node.type == TYPE_BOOL);
    if (node.op == NODE_SMOOTH)
        return;  // nothing in it is watched
    if (n < c->rewrites.count)
        reach(c, stack, c->rewrites.at[n], need);
    for (int i = 0; i < node_op_arity((NodeOp)node.op); i++)
    {
        bool after = decides && i > 0 && c->flat->nodes.at[node.arg[0]].type == TYPE_BOOL;
        bool holds = node.op == NODE_AND || (node.op == NODE_IF && i == 1);
        reach(c, stack, node.arg[i], after ? need_and(c, need, node.arg[0], holds) : need);
    }
}

void mark_needed(Compiler* c, NodeId root)
{
    NodeStack stack = {0};
    if (c->asked.needs.count == 0)
        vec_push(c->arena, c->asked.needs, (Need){0});
    while (c->asked.of.count < c->flat->nodes.count)
        vec_push(c->arena, c->asked.of, NOT_REACHED);
    reach(c, &stack, root, ALWAYS);
    while (stack.count > 0)
        reach_arguments(c, &stack, stack.at[--stack.count]);
}

// An operator that has no value for some arguments.
static bool is_partial(const Compiler* c, const Node* node)
{
    if (node->op != NODE_POW)
        return node->op == NODE_SQRT || node->op == NODE_LOG || node->op == NODE_LOG10 || node->op == NODE_ASIN ||
               node->op == NODE_ACOS;
    const Node* exponent = &c->flat->nodes.at[node->arg[1]];
    return exponent->op != NODE_CONST || exponent->value != floor(exponent->value);
}

static bool may_have_none(Compiler* c, NodeId root)
{
    walk_begin(&c->nodes);
    walk_push(&c->nodes, root);
    bool partial = false;
    for (NodeId n; (n = node_walk_next(c)) != 0;)
        partial |= is_partial(c, &c->flat->nodes.at[n]);
    return partial;
}

ScalarId relation_needed(Compiler* c, Phase phase, NodeId relation)
{
    ScalarId needed = scalar_const(&c->scalars, 1);
    uint32_t need = relation < c->asked.of.count ? c->asked.of.at[relation] : NOT_REACHED;
    if (need == NOT_REACHED || need == ALWAYS || !may_have_none(c, relation))
        return needed;
    for (; need != ALWAYS; need = c->asked.needs.at[need].before)
    {
        const Need at = c->asked.needs.at[need];
        Lowered condition = lower(c, phase, at.condition);
        ScalarId holds = at.holds ? condition.value : scalar_not(&c->scalars, condition.value);
        needed = scalar_and(&c->scalars, scalar_and(&c->scalars, condition.present, holds), needed);
    }
    return needed;
}
