// Facts about variables that lowering needs: how often they change, whether they can be absent, whether their value
// hangs on events, whether they reach themselves. Each is the least fixed point over the graph of all references;
// components are visited in the order of what they need, so one pass over each is enough except inside loops.
#include "lower/compiler.h"

SymReg compiler_reg(Compiler* c, RegClass cls)
{
    return sym_reg(cls, c->reg_counts[cls]++);
}

void index_definitions(Compiler* c)
{
    for (uint32_t i = 0; i < c->flat->defs.count; i++)
    {
        const FlatDef* def = &c->flat->defs.at[i];
        VarInfo* info = &c->vars.at[def->var];
        vec_push(c->arena, c->next_def, 0);
        if (info->first_def[def->order] == 0)
            info->first_def[def->order] = i + 1;
        else
            c->next_def.at[info->last_def[def->order] - 1] = i + 1;
        info->last_def[def->order] = i + 1;
    }
    for (uint32_t i = 0; i < c->flat->implicits.count; i++)
        c->vars.at[c->flat->implicits.at[i].var].implicit = i + 1;
}

bool ctx_inside(const Flat* flat, uint32_t inner, uint32_t outer)
{
    for (; inner != outer; inner = flat->ctxs.at[inner].parent)
        if (inner == 0)
            return false;
    return true;
}

bool ctx_exclusive(const Flat* f, uint32_t a, uint32_t b)
{
    for (uint32_t x = a; x != 0; x = f->ctxs.at[x].parent)
        for (uint32_t y = b; y != 0; y = f->ctxs.at[y].parent)
            if (f->ctxs.at[x].machine == f->ctxs.at[y].machine && f->ctxs.at[x].mode != f->ctxs.at[y].mode)
                return true;
    return false;
}

uint32_t ctx_common(const Flat* flat, uint32_t a, uint32_t b)
{
    if (a == CTX_UNUSED)
        return b;
    while (!ctx_inside(flat, b, a))
        a = flat->ctxs.at[a].parent;
    return a;
}

// ---- references -----------------------------------------------------------------------------------------------------

// Kinks count with their spelled-out form.
void node_walk_push_arguments(Compiler* c, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    if (n < c->rewrites.count)
        walk_push(&c->nodes, c->rewrites.at[n]);
    for (int i = 0; i < node_op_arity((NodeOp)node.op); i++)
        walk_push(&c->nodes, node.arg[i]);
}

NodeId node_walk_next(Compiler* c)
{
    NodeId n = walk_pop(&c->nodes);
    if (n != 0)
        node_walk_push_arguments(c, n);
    return n;
}

// ---- preemption -----------------------------------------------------------------------------------------------------

// What the guards of preempting transitions read is found out before the mode reacts: it does not wait for the answer.
static void mark_tested(Compiler* c)
{
    walk_begin(&c->nodes);
    for (uint32_t i = 0; i < c->flat->transitions.count; i++)
        if (is_preempting(&c->flat->transitions.at[i]))
        {
            walk_push(&c->nodes, c->flat->transitions.at[i].trigger);
            walk_push(&c->nodes, c->flat->transitions.at[i].guard);
        }
    for (NodeId n; (n = walk_pop(&c->nodes)) != 0;)
    {
        const Node node = c->flat->nodes.at[n];
        if (node.op == NODE_PRE)
            continue;  // of the tag before
        node_walk_push_arguments(c, n);
        if (node.op != NODE_VAR || c->vars.at[node.aux].tested || c->flat->vars.at[node.aux].kind == VAR_STATE)
            continue;
        c->vars.at[node.aux].tested = true;
        for (uint32_t d = c->vars.at[node.aux].first_def[0]; d != 0; d = c->next_def.at[d - 1])
            walk_push(&c->nodes, c->flat->defs.at[d - 1].value);
    }
}

// ---- contexts of nodes ----------------------------------------------------------------------------------------------

static void mark(Compiler* c, NodeId root, uint32_t ctx, bool watched)
{
    mark_needed(c, root);
    walk_begin(&c->nodes);
    walk_push(&c->nodes, root);
    for (NodeId n; (n = node_walk_next(c)) != 0;)
    {
        c->node_ctxs.at[n] = ctx_common(c->flat, c->node_ctxs.at[n], ctx);
        c->asked.watched.at[n] |= watched;
    }
}

// They are nested, since all of it can be read where the delay stands.
uint32_t delay_home(Compiler* c, NodeId delay, uint32_t* var)
{
    const Node node = c->flat->nodes.at[delay];
    uint32_t home = 0;
    walk_begin(&c->nodes);
    walk_push(&c->nodes, node.arg[0]);
    walk_push(&c->nodes, node.arg[1]);
    for (NodeId n; (n = node_walk_next(c)) != 0;)
    {
        const Node* at = &c->flat->nodes.at[n];
        uint32_t ctx = at->op == NODE_VAR ? c->flat->vars.at[at->aux].ctx : 0;
        if (ctx == home || ctx_common(c->flat, home, ctx) != home)
            continue;
        home = ctx;
        *var = at->aux;
    }
    return home;
}

// A delayed signal looks back beyond the mode that it is written in, as far as what it reads has existed: u(t - T) is
// what it is, whoever asks (rule L1).
static void mark_delays(Compiler* c)
{
    for (NodeId n = 1; n < c->node_ctxs.count; n++)
    {
        const Node* node = &c->flat->nodes.at[n];
        bool looks_back = node->op == NODE_DELAY && node->type != TYPE_EVENT;
        uint32_t var;
        if (looks_back && c->node_ctxs.at[n] != CTX_UNUSED && c->node_ctxs.at[n] != 0)
            mark(c, n, delay_home(c, n, &var), c->asked.watched.at[n]);
    }
}

// A relation that is read only when some event is present (the `if` of a `when`, an action) is evaluated
// there; it need not be watched between instants.
static bool is_event_trigger(const Flat* f, NodeId trigger)
{
    const Node* node = &f->nodes.at[trigger];
    switch (node->op)
    {
    case NODE_PRESENT: return is_event_trigger(f, node->arg[0]);
    case NODE_AND: return is_event_trigger(f, node->arg[0]) || is_event_trigger(f, node->arg[1]);
    case NODE_OR: return is_event_trigger(f, node->arg[0]) && is_event_trigger(f, node->arg[1]);
    case NODE_DEFAULT:
        return node->type == TYPE_EVENT && is_event_trigger(f, node->arg[0]) && is_event_trigger(f, node->arg[1]);
    case NODE_FILTER: return is_event_trigger(f, node->arg[0]);
    default: return node->type == TYPE_EVENT && node->op != NODE_EDGE && node->op != NODE_WHILE;
    }
}

static void mark_trigger(Compiler* c, NodeId trigger, NodeId guard, uint32_t ctx)
{
    mark(c, trigger, ctx, true);
    mark(c, guard, ctx, !is_event_trigger(c->flat, trigger));
}

static void mark_contexts(Compiler* c)
{
    Flat* f = c->flat;
    while (c->node_ctxs.count < f->nodes.count)
    {
        vec_push(c->arena, c->node_ctxs, CTX_UNUSED);
        vec_push(c->arena, c->asked.watched, 0);
    }
    for (uint32_t i = 0; i < f->defs.count; i++)
        mark(c, f->defs.at[i].value, f->defs.at[i].ctx, true);
    for (uint32_t i = 0; i < f->whens.count; i++)
        mark_trigger(c, f->whens.at[i].trigger, f->whens.at[i].guard, f->whens.at[i].ctx);
    for (uint32_t i = 0; i < f->transitions.count; i++)
        mark_trigger(c, f->transitions.at[i].trigger, f->transitions.at[i].guard, f->transitions.at[i].ctx);
    for (uint32_t i = 0; i < f->implicits.count; i++)
        mark(c, f->implicits.at[i].residual, 0, true);
    for (uint32_t i = 0; i < f->asserts.count; i++)
        mark(c, f->asserts.at[i].condition, f->asserts.at[i].ctx, true);  // the moment it breaks is located
    mark_delays(c);
}

// ---- facts ----------------------------------------------------------------------------------------------------------

bool is_relation(NodeOp op)
{
    return op >= NODE_LT && op <= NODE_NE;
}

static uint8_t varies_of_var(const Compiler* c, uint32_t v)
{
    switch (c->flat->vars.at[v].kind)
    {
    case VAR_PARAM: return VARIES_NEVER;
    case VAR_STATE: return VARIES_ALWAYS;
    case VAR_SIGNAL: return c->vars.at[v].variability;
    case VAR_INPUT: return c->flat->vars.at[v].type == TYPE_REAL ? VARIES_OUTSIDE : VARIES_AT_INSTANTS;
    default: return VARIES_AT_INSTANTS;
    }
}

// Variability from that of the arguments, which are in `arg`.
static uint8_t varies_of_node(const Compiler* c, const Node* node, const uint8_t arg[3])
{
    uint8_t most = arg[0] > arg[1] ? arg[0] : arg[1];
    most = most > arg[2] ? most : arg[2];
    switch (node->op)
    {
    case NODE_CONST: return VARIES_NEVER;
    case NODE_VAR: return varies_of_var(c, node->aux);
    case NODE_TIME: return VARIES_ALWAYS;
    case NODE_IF: return most;
    case NODE_LT:
    case NODE_LE:
    case NODE_GT:
    case NODE_GE:
    case NODE_EQ:
    case NODE_NE:
    case NODE_SIGN:
    case NODE_FLOOR:
    case NODE_CEIL:
    case NODE_ROUND:
    case NODE_SEGMENT:
    case NODE_ROWS: return most > VARIES_AT_INSTANTS ? VARIES_AT_INSTANTS : most;
    case NODE_UP:
    case NODE_DOWN:
    case NODE_CROSS:
    case NODE_EDGE:
    case NODE_WHILE:
    case NODE_FILTER:
    case NODE_CLOCK:
    case NODE_SAMPLE:
    case NODE_HOLD:
    case NODE_QUEUE:
    case NODE_PRESENT:
    case NODE_ENTRY:
    case NODE_UNIFORM:
    case NODE_NORMAL:
    case NODE_EXPONENTIAL: return VARIES_AT_INSTANTS;
    case NODE_MAP: return most > VARIES_AT_INSTANTS ? most : VARIES_AT_INSTANTS;  // its coefficients change
    case NODE_SMOOTH: return most > VARIES_NEVER ? VARIES_ALWAYS : most;
    default: return most;
    }
}

Variability node_varies(Compiler* c, NodeId root)
{
    VEC(NodeId) stack = {0};
    vec_push(c->arena, stack, root);
    while (stack.count > 0)
    {
        while (c->node_varies.count < c->flat->nodes.count)
            vec_push(c->arena, c->node_varies, 0);
        NodeId n = stack.at[stack.count - 1];
        const Node* node = &c->flat->nodes.at[n];
        uint8_t arg[3] = {0};
        bool ready = true;
        for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
        {
            if (node->arg[i] == 0)
                continue;
            if (c->node_varies.at[node->arg[i]] == 0)
            {
                vec_push(c->arena, stack, node->arg[i]);
                ready = false;
            }
            else
                arg[i] = (uint8_t)(c->node_varies.at[node->arg[i]] - 1);
        }
        if (!ready)
            continue;
        c->node_varies.at[n] = (uint8_t)(varies_of_node(c, node, arg) + 1);
        stack.count--;
    }
    return (Variability)(c->node_varies.at[root] - 1);
}

static bool is_event_op(const Node* node)
{
    return node->type == TYPE_EVENT;
}

// What one expression contributes to the facts of a variable, given the present facts of the others.
static void facts_of(Compiler* c, NodeId root, VarInfo* into)
{
    walk_begin(&c->nodes);
    walk_push(&c->nodes, root);
    for (NodeId n; (n = walk_pop(&c->nodes)) != 0;)
    {
        const Node* node = &c->flat->nodes.at[n];
        if (node->op == NODE_VAR)
        {
            const VarInfo* other = &c->vars.at[node->aux];
            bool event = c->flat->vars.at[node->aux].kind == VAR_EVENT;
            into->maybe_absent |= other->maybe_absent || event;
            into->event_dependent |= other->event_dependent || event;
        }
        if (node->op == NODE_DELTA || node->op == NODE_AREA)  // always there: no impulse is an impulse of weight 0
        {
            into->event_dependent = true;
            continue;
        }
        if (is_event_op(node))
            into->maybe_absent = into->event_dependent = true;
        if (node->op == NODE_HOLD || node->op == NODE_UP || node->op == NODE_DOWN || node->op == NODE_CROSS ||
            node->op == NODE_CLOCK)
            continue;
        node_walk_push_arguments(c, n);
    }
}

// default, present and hold can undo absence; this keeps the cheap analysis above sound but coarse, so expressions made
// of them alone are looked at once more.
static bool always_present(Compiler* c, NodeId n, int depth)
{
    const Node* node = &c->flat->nodes.at[n];
    if (depth == 0)
        return false;
    switch (node->op)
    {
    case NODE_CONST:
    case NODE_TIME:
    case NODE_PRESENT:
    case NODE_DELTA:
    case NODE_AREA:
    case NODE_HOLD: return true;
    case NODE_VAR: return c->flat->vars.at[node->aux].kind != VAR_EVENT && !c->vars.at[node->aux].maybe_absent;
    case NODE_DEFAULT: return always_present(c, node->arg[0], depth - 1) || always_present(c, node->arg[1], depth - 1);
    default:
        if (node->type == TYPE_EVENT)
            return false;
        for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
            if (node->arg[i] != 0 && !always_present(c, node->arg[i], depth - 1))
                return false;
        return true;
    }
}

// Whether the definitions of `var` cover context `ctx` entirely: one stands in it, or all modes of a machine in it do.
bool definitions_cover(const Compiler* c, uint32_t var, int order, uint32_t ctx)
{
    const Flat* f = c->flat;
    for (uint32_t d = c->vars.at[var].first_def[order]; d != 0; d = c->next_def.at[d - 1])
        if (f->defs.at[d - 1].ctx == ctx)
            return true;
    for (uint32_t d = c->vars.at[var].first_def[order]; d != 0; d = c->next_def.at[d - 1])
    {
        uint32_t at = f->defs.at[d - 1].ctx;
        while (at != 0 && f->ctxs.at[at].parent != ctx)
            at = f->ctxs.at[at].parent;
        if (at == 0)
            continue;
        const FlatMachine* machine = &f->machines.at[f->ctxs.at[at].machine];
        bool all = true;
        for (uint32_t m = 0; m < machine->modes.count && all; m++)
            all = definitions_cover(c, var, order, machine->modes.at[m].ctx);
        if (all)
            return true;
    }
    return false;
}

static bool update_facts(Compiler* c, uint32_t v)
{
    const FlatVar* var = &c->flat->vars.at[v];
    VarInfo now = c->vars.at[v];
    if (var->kind == VAR_EVENT || (var->ctx != 0 && var->kind != VAR_PARAM))
        now.maybe_absent = true;
    if (var->kind == VAR_EVENT)
        now.event_dependent = true;
    if (now.implicit != 0)
        now.variability = VARIES_ALWAYS;
    else if (var->kind == VAR_SIGNAL && !definitions_cover(c, v, 0, 0))
        now.maybe_absent = true;
    now.modal = var->kind == VAR_SIGNAL;
    for (uint32_t d = now.first_def[0]; d != 0; d = c->next_def.at[d - 1])
    {
        NodeId value = c->flat->defs.at[d - 1].value;
        VarInfo found = {0};
        facts_of(c, value, &found);
        bool absent = found.maybe_absent && !always_present(c, value, 200);
        absent |= !now.tested && ctx_preemptible(c->flat, c->flat->defs.at[d - 1].ctx);
        now.maybe_absent |= absent;
        now.modal &= !absent;
        now.event_dependent |= found.event_dependent;
        uint8_t varies = (uint8_t)node_varies(c, value);
        now.variability = varies > now.variability ? varies : now.variability;
        if (c->flat->defs.at[d - 1].ctx != 0 && now.variability < VARIES_AT_INSTANTS)
            now.variability = VARIES_AT_INSTANTS;
    }
    VarInfo* old = &c->vars.at[v];
    bool changed = old->maybe_absent != now.maybe_absent || old->event_dependent != now.event_dependent ||
                   old->variability != now.variability || old->modal != now.modal;
    *old = now;
    return changed;
}

// The graph of all references between variables, `pre` included.
static Components reference_components(Compiler* c, uint32_t** first_out, uint32_t** edges_out)
{
    uint32_t n = c->vars.count;
    uint32_t* first = arena_array(c->arena, uint32_t, n + 1);
    VEC(uint32_t) edges = {0};
    for (uint32_t v = 0; v < n; v++)
    {
        first[v] = edges.count;
        walk_begin(&c->nodes);
        for (uint32_t d = c->vars.at[v].first_def[0]; d != 0; d = c->next_def.at[d - 1])
            walk_push(&c->nodes, c->flat->defs.at[d - 1].value);
        for (NodeId node; (node = node_walk_next(c)) != 0;)
            if (c->flat->nodes.at[node].op == NODE_VAR)
                vec_push(c->arena, edges, c->flat->nodes.at[node].aux);
    }
    first[n] = edges.count;
    *first_out = first;
    *edges_out = edges.at;
    return graph_components(c->arena, n, first, edges.at);
}

static bool refers_to_itself(uint32_t v, const uint32_t* first, const uint32_t* edges)
{
    for (uint32_t e = first[v]; e < first[v + 1]; e++)
        if (edges[e] == v)
            return true;
    return false;
}

void analyse(Compiler* c)
{
    for (NodeId n = 1, count = c->flat->nodes.count; n < count; n++)
        if (is_kink((NodeOp)c->flat->nodes.at[n].op) || c->flat->nodes.at[n].op == NODE_TABLE)
            rewrite_kink(c, n);
    mark_tested(c);
    uint32_t *first, *edges;
    Components components = reference_components(c, &first, &edges);
    for (uint32_t k = 0; k < components.count; k++)
    {
        uint32_t begin = components.first[k], end = components.first[k + 1];
        bool looped = end - begin > 1 || refers_to_itself(components.nodes[begin], first, edges);
        for (bool changed = true; changed;)
        {
            changed = false;
            for (uint32_t i = begin; i < end; i++)
                changed |= update_facts(c, components.nodes[i]);
            if (looped && changed)
                for (uint32_t i = 0; i < c->node_varies.count; i++)
                    c->node_varies.at[i] = 0;  // variability inside a loop may have grown: forget what followed from it
            changed &= looped;
        }
        for (uint32_t i = begin; i < end; i++)
            c->vars.at[components.nodes[i]].looped = looped;
    }
    mark_contexts(c);
}
