// What the value of a source hangs on, so that bond_graph.c knows which sources have to be solved with the graphs they
// drive.
#include "elab/bond_reach.h"

// ---- as far as a goal

typedef struct Reach
{
    Elab* e;
    const uint8_t* marks;  // per variable
    ReachGoal goal;
    Map seen;  // variables
} Reach;

static bool reaches(Reach* r, NodeId id);

static bool reaches_var(Reach* r, uint32_t v)
{
    const Elab* e = r->e;
    uint32_t unused;
    VarKind kind = e->flat->vars.at[v].kind;
    if ((r->marks[v] & BOND_MARK_MAPPED) || (r->goal == REACH_FLOW && kind == VAR_STATE))
        return true;
    if (map_get(&r->seen, v, &unused))
        return false;
    map_set(&r->seen, v, 1);
    if (kind != VAR_SIGNAL && !(kind == VAR_STATE && r->goal == REACH_STATE))
        return false;
    for (uint32_t d = e->vars.at[v].first_def; d != 0; d = e->def_next.at[d - 1])
        if (e->flat->defs.at[d - 1].value && reaches(r, e->flat->defs.at[d - 1].value))
            return true;
    return false;
}

static bool reaches(Reach* r, NodeId id)
{
    const Node node = r->e->flat->nodes.at[id];
    if (node.op == NODE_VAR)
        return reaches_var(r, node.aux);
    if (node.op == NODE_TIME || node.op == NODE_DELAY)
        return r->goal == REACH_FLOW;
    if (node.op == NODE_PRE || node.op == NODE_HOLD || node.op == NODE_SAMPLE)
        return false;
    for (int i = 0; i < node_op_arity((NodeOp)node.op); i++)
        if (node.arg[i] && reaches(r, node.arg[i]))
            return true;
    return false;
}

bool bond_value_reaches(Elab* e, const uint8_t* marks, uint32_t var, ReachGoal goal)
{
    Reach r = {.e = e, .marks = marks, .goal = goal};
    map_init(&r.seen, e->arena);
    for (uint32_t d = e->vars.at[var].first_def; d != 0; d = e->def_next.at[d - 1])
        if (e->flat->defs.at[d - 1].value && reaches(&r, e->flat->defs.at[d - 1].value))
            return true;
    return false;
}

// ---- ratios that step

static bool steps(Reach* r, NodeId id);

// Switched junctions change their modes while sets of them are tried, where nothing is read anew.
static bool context_steps(const Flat* flat, uint32_t ctx)
{
    for (; ctx != 0; ctx = flat->ctxs.at[ctx].parent)
        if (flat->machines.at[flat->ctxs.at[ctx].machine].junction != 0)
            return false;
    return true;
}

static bool var_steps(Reach* r, uint32_t v)
{
    const Elab* e = r->e;
    const FlatVar* var = &e->flat->vars.at[v];
    uint32_t known;  // 0 while its definitions are looked at
    if (var->kind == VAR_PARAM || (var->kind == VAR_DISCRETE && !var->hidden))
        return true;
    if (var->kind != VAR_SIGNAL || var->unknown || r->marks[v] != 0)
        return false;
    if (map_get(&r->seen, v, &known))
        return known != 0;
    map_set(&r->seen, v, 0);
    bool all = e->vars.at[v].first_def != 0;
    for (uint32_t d = e->vars.at[v].first_def; d != 0 && all; d = e->def_next.at[d - 1])
    {
        const FlatDef def = e->flat->defs.at[d - 1];
        all = def.value != 0 && def.order == 0 && context_steps(e->flat, def.ctx) && steps(r, def.value);
    }
    map_set(&r->seen, v, all);
    return all;
}

static bool steps(Reach* r, NodeId id)
{
    const Node node = r->e->flat->nodes.at[id];
    bool operates = (node.op >= NODE_ADD && node.op <= NODE_SMOOTH) || node.op == NODE_TABLE;
    if (node.op == NODE_VAR)
        return var_steps(r, node.aux);
    if (!operates)
        return node.op == NODE_CONST || node.op == NODE_HOLD;
    for (int i = 0; i < node_op_arity((NodeOp)node.op); i++)
        if (node.arg[i] && !steps(r, node.arg[i]))
            return false;
    return true;
}

bool bond_value_steps(Elab* e, const uint8_t* marks, uint32_t var)
{
    Reach r = {.e = e, .marks = marks};
    map_init(&r.seen, e->arena);
    return var_steps(&r, var);
}

// ---- sources that hang on themselves by way of what a graph gives

typedef struct Return
{
    Elab* e;
    const uint8_t* marks;
    uint32_t var;
    Map seen;  // 2 * variable + whether an output was passed
} Return;

static bool definitions_return(Return* r, uint32_t var, bool passed);

static bool returns(Return* r, NodeId id, bool passed)
{
    const Node node = r->e->flat->nodes.at[id];
    uint32_t unused;
    if (node.op == NODE_VAR)
    {
        passed |= (r->marks[node.aux] & BOND_MARK_OUTPUT) != 0;
        if (node.aux == r->var && passed)
            return true;
        uint64_t key = 2 * (uint64_t)node.aux + passed;
        if (r->e->flat->vars.at[node.aux].kind != VAR_SIGNAL || map_get(&r->seen, key, &unused))
            return false;
        map_set(&r->seen, key, 1);
        return definitions_return(r, node.aux, passed);
    }
    if (node.op == NODE_DELAY || node.op == NODE_PRE || node.op == NODE_HOLD || node.op == NODE_SAMPLE)
        return false;
    for (int i = 0; i < node_op_arity((NodeOp)node.op); i++)
        if (node.arg[i] && returns(r, node.arg[i], passed))
            return true;
    return false;
}

static bool definitions_return(Return* r, uint32_t var, bool passed)
{
    for (uint32_t d = r->e->vars.at[var].first_def; d != 0; d = r->e->def_next.at[d - 1])
        if (r->e->flat->defs.at[d - 1].value && returns(r, r->e->flat->defs.at[d - 1].value, passed))
            return true;
    return false;
}

// What is known in any mode is no row of a map but a definition, so the map is not on the way; the circuit is, and
// decides the value. A loop of definitions that passes no graph is not solved.
bool bond_value_returns(Elab* e, const uint8_t* marks, uint32_t var)
{
    Return r = {.e = e, .marks = marks, .var = var};
    map_init(&r.seen, e->arena);
    return definitions_return(&r, var, false);
}
