// Algebraic equations: `unknown` declares what `equation a == b` determines (rule Q1). Here equations are paired with
// unknowns by structure, so that each unknown has one residual that must become 0; blocks and their solution follow
// from the schedule, as for the loops of bond graphs.
//
// Equations in the modes of one machine take turns: the k-th of each mode are one residual, an `if` over the modes. An
// unknown that stands in a mode (of an instance there) is determined in it.
#include "base/walk.h"
#include "elab/elab.h"

void elaborate_equation(Elab* e, const Work* work)
{
    const Expr* expr = work->item->value;
    if (expr->kind != EXPR_BINARY || expr->op != OP_EQ)
    {
        Diag* diag = elab_error(e, K_BAD_EQUATION, expr->span, "`equation` needs an equation");
        elab_help(e, diag, "write `equation a == b`");
        elaborate_expr(e, work->env, expr);  // for its own mistakes
        return;
    }
    Value a = elaborate_expr(e, work->env, expr->a), b = elaborate_expr(e, work->env, expr->b);
    bool fine = value_to_real(e, &a, expr->a->span);
    fine &= value_to_real(e, &b, expr->b->span);
    if (!fine)
        return;
    value_check_dim(e, &b, &a.dim, expr->b->span, "the other side");
    NodeId residual = flat_node(e->flat, NODE_SUB, TYPE_REAL, a.node, b.node, 0, 0, 0, expr->span);
    vec_push(e->arena, e->flat->equations,
             (FlatEquation){.ctx = work->env->ctx, .residual = residual, .span = expr->span});
}

// ---- residuals, one or one in each mode

typedef struct Slot
{
    NodeId residual;
    const char* text;
    Span span;
} Slot;
typedef VEC(Slot) SlotList;

typedef struct Matching
{
    Elab* e;
    VEC(uint32_t) unknowns;  // of the context at hand
    uint32_t* slot_of;       // per unknown: slot + 1
    VEC(uint32_t) * reads;   // per slot: unknowns, as indices
    uint32_t *visited, round;
} Matching;

static const char* equation_text(Elab* e, const FlatEquation* equation)
{
    const Node node = e->flat->nodes.at[equation->residual];
    kaiPlace at = sources_place(e->program->sources, equation->span);
    const char* text = node.op == NODE_SUB
                           ? arena_printf(e->arena, "%s == %s", flat_text(e->flat, e->arena, node.arg[0]),
                                          flat_text(e->flat, e->arena, node.arg[1]))
                           : arena_printf(e->arena, "%s == 0", flat_text(e->flat, e->arena, equation->residual));
    return at.file ? arena_printf(e->arena, "%s (%s:%d:%d)", text, at.file, at.line, at.column) : text;
}

static NodeId mode_test(Elab* e, uint32_t ctx, Span span)
{
    const FlatCtx* at = &e->flat->ctxs.at[ctx];
    NodeId mode = flat_var(e->flat, e->flat->machines.at[at->machine].mode_var, span);
    return flat_node(e->flat, NODE_EQ, TYPE_BOOL, mode, flat_const(e->flat, at->mode, TYPE_MODE), 0, 0, 0, span);
}

static NodeId active_test(Elab* e, uint32_t ctx, Span span)
{
    NodeId test = mode_test(e, ctx, span);
    while ((ctx = e->flat->ctxs.at[ctx].parent) != 0)
        test = flat_node(e->flat, NODE_AND, TYPE_BOOL, mode_test(e, ctx, span), test, 0, 0, 0, span);
    return test;
}

static NodeId choose(Elab* e, NodeId test, NodeId then, NodeId other, Span span)
{
    return flat_node(e->flat, NODE_IF, TYPE_REAL, test, then, other, 0, 0, span);
}

static SlotList collect(Elab* e, uint32_t ctx);

static bool report_uneven(Elab* e, const FlatMachine* machine, uint32_t mode, const SlotList* lists)
{
    uint32_t most = lists[0].count > lists[mode].count ? 0 : mode, least = most == 0 ? mode : 0;
    Diag* diag =
        elab_error(e, K_EQUATION_BALANCE, machine->modes.at[least].span,
                   "mode `%s` has %u equation%s, mode `%s` has %u", machine->modes.at[least].name, lists[least].count,
                   lists[least].count == 1 ? "" : "s", machine->modes.at[most].name, lists[most].count);
    elab_note(e, diag, lists[most].at[0].span, "an equation of mode `%s`", machine->modes.at[most].name);
    elab_help(e, diag, "write as many in every mode: an unknown that does not matter there needs `equation x == 0`");
    return false;
}

// The k-th equations of all modes take turns.
static void collect_machine(Elab* e, uint32_t index, SlotList* slots)
{
    uint32_t count = e->flat->machines.at[index].modes.count;
    SlotList* lists = arena_array(e->arena, SlotList, count + 1);
    for (uint32_t m = 0; m < count; m++)
    {
        lists[m] = collect(e, e->flat->machines.at[index].modes.at[m].ctx);
        if (lists[m].count != lists[0].count && !report_uneven(e, &e->flat->machines.at[index], m, lists))
            return;
    }
    for (uint32_t k = 0; count > 0 && k < lists[0].count; k++)
    {
        Slot slot = lists[count - 1].at[k];
        for (uint32_t m = count - 1; m-- > 0;)
        {
            const FlatMode* mode = &e->flat->machines.at[index].modes.at[m];
            const Slot* other = &lists[m].at[k];
            slot.text = arena_printf(e->arena, "%s in mode %s, else %s", other->text, mode->name, slot.text);
            slot.residual =
                choose(e, mode_test(e, mode->ctx, other->span), other->residual, slot.residual, other->span);
            slot.span = other->span;
        }
        vec_push(e->arena, *slots, slot);
    }
}

// ---- who reads which unknown

// The definitions of a variable, through which an equation reads what they read.
static void push_definitions(Elab* e, Walk* walk, uint32_t var)
{
    for (uint32_t d = e->vars.at[var].first_def; d != 0; d = e->def_next.at[d - 1])
        if (e->flat->defs.at[d - 1].order == 0)
            walk_push(walk, e->flat->defs.at[d - 1].value);
}

static void push_arguments(Walk* walk, const Node* node)
{
    for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
        walk_push(walk, node->arg[i]);
}

// Through definitions; states and what is remembered are known when the equations are solved.
static void find_reads(Matching* m, NodeId root, uint32_t slot, Map* index)
{
    Elab* e = m->e;
    Walk walk = {.arena = e->arena};
    walk_begin(&walk);
    walk_push(&walk, root);
    for (NodeId n; (n = walk_pop(&walk)) != 0;)
    {
        const Node node = e->flat->nodes.at[n];
        uint32_t found;
        if (node.op == NODE_PRE || node.op == NODE_HOLD || node.op == NODE_SAMPLE || node.op == NODE_DELAY)
            continue;
        if (node.op == NODE_VAR && map_get(index, node.aux, &found))
            vec_push(e->arena, m->reads[slot], found);
        else if (node.op == NODE_VAR)
            push_definitions(e, &walk, node.aux);
        push_arguments(&walk, &node);
    }
}

static bool find_partner(Matching* m, uint32_t slot)
{
    for (uint32_t i = 0; i < m->reads[slot].count; i++)
    {
        uint32_t u = m->reads[slot].at[i];
        if (m->visited[u] == m->round)
            continue;
        m->visited[u] = m->round;
        if (m->slot_of[u] == 0 || find_partner(m, m->slot_of[u] - 1))
            return m->slot_of[u] = slot + 1, true;
    }
    return false;
}

// A maximum matching of the unknowns of a context with residuals.
static Matching match(Elab* e, uint32_t ctx, const SlotList* slots)
{
    Matching m = {.e = e};
    Map index;
    map_init(&index, e->arena);
    for (uint32_t v = 0; v < e->flat->vars.count; v++)
        if (e->flat->vars.at[v].unknown && e->flat->vars.at[v].ctx == ctx)
        {
            map_set(&index, v, m.unknowns.count);
            vec_push(e->arena, m.unknowns, v);
        }
    m.slot_of = arena_array(e->arena, uint32_t, m.unknowns.count + 1);
    m.visited = arena_array(e->arena, uint32_t, m.unknowns.count + 1);
    m.reads = arena_alloc(e->arena, sizeof *m.reads * (slots->count + 1));
    for (uint32_t s = 0; s < slots->count; s++)
    {
        m.reads[s].count = m.reads[s].capacity = 0;
        m.reads[s].at = NULL;
        find_reads(&m, slots->at[s].residual, s, &index);
    }
    for (uint32_t s = 0; s < slots->count; s++)
    {
        m.round++;
        find_partner(&m, s);
    }
    return m;
}

// ---- reports

typedef VEC(const char*) NameList;

// The states that an equation reads, through definitions.
static void find_states(Elab* e, NodeId root, NameList* names)
{
    Walk walk = {.arena = e->arena};
    walk_begin(&walk);
    walk_push(&walk, root);
    for (NodeId n; (n = walk_pop(&walk)) != 0;)
    {
        const Node node = e->flat->nodes.at[n];
        if (node.op == NODE_VAR && e->flat->vars.at[node.aux].kind == VAR_STATE)
            vec_push(e->arena, *names, e->flat->vars.at[node.aux].name);
        else if (node.op == NODE_VAR)
            push_definitions(e, &walk, node.aux);
        push_arguments(&walk, &node);
    }
}

static void report_equation(Elab* e, const Slot* slot)
{
    NameList states = {0};
    find_states(e, slot->residual, &states);
    if (states.count == 0)
    {
        Diag* diag = elab_error(e, K_EQUATION_BALANCE, slot->span, "no unknown is left for this equation");
        elab_help(e, diag, "declare one more `unknown` that it determines, or remove it");
        return;
    }
    const char* list = "";
    for (uint32_t i = 0; i < states.count && i < 6; i++)
        list = arena_printf(e->arena, "%s%s`%s`", list, i == 0 ? "" : ", ", states.at[i]);
    Diag* diag =
        elab_error(e, K_EQUATION_INDEX, slot->span,
                   "no unknown is left for this equation: it ties states together, %s (the index is above 1)", list);
    elab_help(e, diag,
              "this equation would have to be differentiated: write its derivative, in which an unknown appears, "
              "or use fewer states");
}

static void report_unmatched(Matching* m, const SlotList* slots)
{
    Elab* e = m->e;
    bool* used = arena_array(e->arena, bool, slots->count + 1);
    for (uint32_t u = 0; u < m->unknowns.count; u++)
        if (m->slot_of[u] != 0)
            used[m->slot_of[u] - 1] = true;
    uint32_t before = e->error_count;
    for (uint32_t s = 0; s < slots->count; s++)
        if (!used[s])
            report_equation(e, &slots->at[s]);
    if (e->error_count != before)
        return;
    for (uint32_t u = 0; u < m->unknowns.count; u++)
        if (m->slot_of[u] == 0)
        {
            const FlatVar* var = &e->flat->vars.at[m->unknowns.at[u]];
            Diag* diag = elab_error(e, K_EQUATION_BALANCE, var->span, "no equation determines unknown `%s`", var->name);
            elab_help(e, diag, "write `equation … == …` with it: %u unknown%s need as many equations, here are %u",
                      m->unknowns.count, m->unknowns.count == 1 ? "" : "s", slots->count);
        }
}

// ---- all together

static void determine(Elab* e, uint32_t var, uint32_t ctx, const Slot* slot)
{
    NodeId residual = slot->residual;
    if (ctx != 0)  // where it does not exist it keeps to its guess
    {
        NodeId guess = e->flat->vars.at[var].init ? e->flat->vars.at[var].init : flat_const(e->flat, 0, TYPE_REAL);
        NodeId rest =
            flat_node(e->flat, NODE_SUB, TYPE_REAL, flat_var(e->flat, var, slot->span), guess, 0, 0, 0, slot->span);
        residual = choose(e, active_test(e, ctx, slot->span), residual, rest, slot->span);
    }
    vec_push(e->arena, e->flat->implicits,
             (FlatImplicit){.var = var, .residual = residual, .text = slot->text, .span = slot->span});
}

// The residuals of a context, without those that determine its own unknowns.
static SlotList settle(Elab* e, uint32_t ctx, const SlotList* slots)
{
    Matching m = match(e, ctx, slots);
    bool* used = arena_array(e->arena, bool, slots->count + 1);
    bool complete = true;
    for (uint32_t u = 0; u < m.unknowns.count; u++)
    {
        complete &= m.slot_of[u] != 0;
        if (m.slot_of[u] == 0)
            continue;
        used[m.slot_of[u] - 1] = true;
        determine(e, m.unknowns.at[u], ctx, &slots->at[m.slot_of[u] - 1]);
    }
    SlotList left = {0};
    for (uint32_t s = 0; s < slots->count; s++)
        if (!used[s])
            vec_push(e->arena, left, slots->at[s]);
    if ((!complete || (ctx == 0 && left.count > 0)) && e->error_count == 0)
        report_unmatched(&m, slots);
    return left;
}

static SlotList collect(Elab* e, uint32_t ctx)
{
    SlotList slots = {0};
    for (uint32_t i = 0; i < e->flat->equations.count; i++)
    {
        const FlatEquation* equation = &e->flat->equations.at[i];
        if (equation->ctx == ctx)
            vec_push(e->arena, slots, ((Slot){equation->residual, equation_text(e, equation), equation->span}));
    }
    for (uint32_t m = 0; m < e->flat->machines.count; m++)
        if (e->flat->machines.at[m].ctx == ctx && !e->flat->machines.at[m].junction)
            collect_machine(e, m, &slots);
    return settle(e, ctx, &slots);
}

void match_equations(Elab* e)
{
    bool any = e->flat->equations.count > 0;
    for (uint32_t v = 0; v < e->flat->vars.count && !any; v++)
        any = e->flat->vars.at[v].unknown;
    if (any && e->error_count == 0)  // with other mistakes nothing can be said about what is missing
        collect(e, 0);
}
