// The node graph of a flat model: every distinct expression once, constants folded as they are built.
//
// An argument always has a smaller index than the node that uses it, so that later passes can walk the graph with a
// loop.
#include "elab/flat.h"

#include "elab/constant.h"

#include <string.h>

static const char* const op_texts[NODE_OP_COUNT] = {
#define X(name, arity, text) text,
    NODE_OPS(X)
#undef X
};

static const uint8_t op_arities[NODE_OP_COUNT] = {
#define X(name, arity, text) arity,
    NODE_OPS(X)
#undef X
};

const char* node_op_text(NodeOp op)
{
    return op_texts[op];
}

int node_op_arity(NodeOp op)
{
    return op_arities[op];
}

void flat_init(Flat* flat, Arena* arena)
{
    memset(flat, 0, sizeof *flat);
    flat->arena = arena;
    map_init(&flat->node_index, arena);
    vec_push(arena, flat->nodes, (Node){0});
    vec_push(arena, flat->ctxs, (FlatCtx){0});
}

// What an operator remembers depends on the mode it stands in: entering the mode starts it anew.
static bool op_has_memory(NodeOp op)
{
    switch (op)
    {
    case NODE_UP:
    case NODE_DOWN:
    case NODE_CROSS:
    case NODE_EDGE:
    case NODE_CLOCK:
    case NODE_HOLD:
    case NODE_DELAY:
    case NODE_ENTRY:
    case NODE_PRE:
    case NODE_UNIFORM:
    case NODE_NORMAL:
    case NODE_EXPONENTIAL: return true;
    default: return false;
    }
}

// Two draws are two numbers, however alike they are written.
static bool op_is_draw(NodeOp op)
{
    return op == NODE_UNIFORM || op == NODE_NORMAL || op == NODE_EXPONENTIAL;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

static uint64_t node_key(const Node* node)
{
    uint64_t bits;
    memcpy(&bits, &node->value, sizeof bits);
    uint64_t hash = mix(0x243F6A8885A308D3u, (uint64_t)node->op << 8 | node->type);
    hash = mix(hash, (uint64_t)node->arg[0] << 32 | node->arg[1]);
    hash = mix(hash, (uint64_t)node->arg[2] << 32 | node->aux);
    hash = mix(hash, node->ctx);
    return mix(hash, bits);
}

static bool nodes_equal(const Node* a, const Node* b)
{
    return a->op == b->op && a->type == b->type && memcmp(a->arg, b->arg, sizeof a->arg) == 0 && a->aux == b->aux &&
           a->ctx == b->ctx && memcmp(&a->value, &b->value, sizeof a->value) == 0;
}

static NodeId add_node(Flat* flat, const Node* node)
{
    uint64_t key = node_key(node);
    uint32_t found;
    while (map_get(&flat->node_index, key, &found) ||
           (flat->base != NULL && map_get(&flat->base->node_index, key, &found)))
    {
        if (nodes_equal(&flat->nodes.at[found], node))
            return found;
        key = mix(key, 1);  // two different nodes with one hash: look further
    }
    NodeId id = flat->nodes.count;
    vec_push(flat->arena, flat->nodes, *node);
    if (!op_is_draw(node->op))
        map_set(&flat->node_index, key, id);
    return id;
}

void flat_index(Flat* flat)
{
    map_init(&flat->node_index, flat->arena);
    for (NodeId n = 1; n < flat->nodes.count; n++)
    {
        uint64_t key = node_key(&flat->nodes.at[n]);
        while (map_get(&flat->node_index, key, NULL))
            key = mix(key, 1);
        if (!op_is_draw(flat->nodes.at[n].op))
            map_set(&flat->node_index, key, n);
    }
}

Flat* flat_extend(Arena* arena, const Flat* flat)
{
    Flat* own = arena_new(arena, Flat);
    *own = *flat;
    own->arena = arena;
    own->base = flat;
    map_init(&own->node_index, arena);
    own->nodes.at = arena_array(arena, Node, flat->nodes.capacity);
    memcpy(own->nodes.at, flat->nodes.at, sizeof(Node) * flat->nodes.count);
    own->tables = (FlatTables){0};
    for (uint32_t i = 0; i < flat->tables.count; i++)
        vec_push(arena, own->tables, flat->tables.at[i]);
    return own;
}

NodeId flat_const(Flat* flat, double value, ValueType type)
{
    return add_node(flat, &(Node){.op = NODE_CONST, .type = (uint8_t)type, .value = value});
}

NodeId flat_var(Flat* flat, uint32_t var, Span span)
{
    uint8_t type = (uint8_t)flat->vars.at[var].type;
    return add_node(flat, &(Node){.op = NODE_VAR, .type = type, .aux = var, .span = span});
}

static bool fold_constants(Flat* flat, const Node* node, NodeId* result)
{
    double arguments[3] = {0}, value;
    int arity = op_arities[node->op];
    if (arity == 0 || !constant_folds(node->op))
        return false;
    for (int i = 0; i < arity; i++)
    {
        const Node* argument = &flat->nodes.at[node->arg[i]];
        if (argument->op != NODE_CONST)
            return false;
        arguments[i] = argument->value;
    }
    if (!constant_apply(node->op, arguments, &value))
        return false;
    *result = flat_const(flat, value, node->type);
    return true;
}

// A decided condition leaves one branch; Boolean operators lose a decided operand.
static bool fold_logic(Flat* flat, const Node* node, NodeId* result)
{
    const Node* a = &flat->nodes.at[node->arg[0]];
    const Node* b = &flat->nodes.at[node->arg[1]];
    if (node->op == NODE_IF && a->op == NODE_CONST)
        return *result = a->value != 0 ? node->arg[1] : node->arg[2], true;
    if (node->op != NODE_AND && node->op != NODE_OR)
        return false;
    // Only the neutral element may go: `false and x` is absent where x is, and stays so.
    double neutral = node->op == NODE_AND;
    if (a->op == NODE_CONST && a->value == neutral)
        return *result = node->arg[1], true;
    if (b->op == NODE_CONST && b->value == neutral)
        return *result = node->arg[0], true;
    return false;
}

static uint16_t depth_above(const Flat* flat, const Node* node)
{
    uint16_t depth = 0;
    for (int i = 0; i < 3; i++)
        if (flat->nodes.at[node->arg[i]].depth > depth)
            depth = flat->nodes.at[node->arg[i]].depth;
    return depth < UINT16_MAX ? (uint16_t)(depth + 1) : depth;
}

NodeId flat_node(Flat* flat, NodeOp op, ValueType type, NodeId a, NodeId b, NodeId c, uint32_t aux, uint32_t ctx,
                 Span span)
{
    Node node = {.op = (uint8_t)op, .type = (uint8_t)type, .arg = {a, b, c}, .aux = aux, .span = span};
    node.ctx = op_has_memory(op) ? ctx : 0;
    NodeId folded;
    node.depth = depth_above(flat, &node);
    if (fold_constants(flat, &node, &folded) || fold_logic(flat, &node, &folded))
        return folded;
    return add_node(flat, &node);
}
