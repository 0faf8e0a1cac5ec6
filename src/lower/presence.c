// Values that can be absent where something reads them (rule V1). A derivative that is absent would leave its state, a
// guard that is absent would never hold, both without a word; an assigned value stops the run. So each of them must be
// there whenever its reader is active: what is known then is the context of the reader, the event that triggers it and
// the conditions around the value.
#include "lower/compiler.h"

enum
{
    STEPS_MAX = 20000,  // of one question; beyond it nothing is said
};

// What is known where a value is read, innermost first.
typedef struct Known
{
    const struct Known* up;
    NodeId present;  // this is there; 0: `ctx` is active
    uint32_t ctx;
} Known;

typedef struct Question
{
    Compiler* c;
    bool every_side;  // of an `if` whose condition is open: both sides must be there, or one is enough
    int steps;
    VEC(uint32_t) under_way;  // variables: a circle of definitions adds nothing
    NodeId culprit;           // why the value can be absent: an event, or a signal without a definition in `gap`
    uint32_t gap;
} Question;

static bool absent(Question* q, NodeId n, uint32_t ctx, const Known* known);

// ---- what is known

static const Known* know(Question* q, const Known* known, NodeId present, uint32_t ctx)
{
    Known* more = arena_new(q->c->arena, Known);
    *more = (Known){.up = known, .present = present, .ctx = ctx};
    return more;
}

static const Known* know_present(Question* q, NodeId n, const Known* known, int depth);

static const Known* know_true(Question* q, NodeId n, const Known* known, int depth)
{
    const Flat* f = q->c->flat;
    const Node node = f->nodes.at[n];
    if (depth == 0)
        return known;
    switch (node.op)
    {
    case NODE_AND: return know_true(q, node.arg[1], know_true(q, node.arg[0], known, depth - 1), depth - 1);
    case NODE_PRESENT: return know_present(q, node.arg[0], known, depth - 1);
    case NODE_EQ:
    {
        const Node a = f->nodes.at[node.arg[0]], b = f->nodes.at[node.arg[1]];
        if (a.type != TYPE_MODE || a.op != NODE_VAR || b.op != NODE_CONST)
            break;
        const FlatMachine* machine = &f->machines.at[f->vars.at[a.aux].machine];
        return know(q, known, 0, machine->modes.at[(uint32_t)b.value].ctx);
    }
    default: break;
    }
    return know_present(q, n, known, depth - 1);  // what is true is there
}

static const Known* know_false(Question* q, NodeId n, const Known* known, int depth)
{
    const Node node = q->c->flat->nodes.at[n];
    if (depth == 0)
        return known;
    if (node.op == NODE_NOT)
        return know_true(q, node.arg[0], known, depth - 1);
    if (node.op == NODE_OR)
        return know_false(q, node.arg[1], know_false(q, node.arg[0], known, depth - 1), depth - 1);
    return known;
}

static const Known* know_arguments(Question* q, const Node* node, const Known* known, int depth)
{
    for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
        if (node->arg[i] != 0)
            known = know_present(q, node->arg[i], known, depth - 1);
    return known;
}

// An operator is there only if its arguments are.
static const Known* know_present(Question* q, NodeId n, const Known* known, int depth)
{
    const Compiler* c = q->c;
    const Node node = c->flat->nodes.at[n];
    if (depth == 0 || node.op == NODE_CONST || node.op == NODE_TIME)
        return known;
    known = know(q, known, n, 0);
    switch (node.op)
    {
    case NODE_VAR:
    {
        uint32_t d = c->vars.at[node.aux].first_def[0];
        bool single = d != 0 && c->next_def.at[d - 1] == 0 && c->flat->vars.at[node.aux].kind != VAR_STATE;
        return single ? know_present(q, c->flat->defs.at[d - 1].value, known, depth - 1) : known;
    }
    case NODE_FILTER:
        known = know_present(q, node.arg[0], known, depth - 1);
        return know_true(q, node.arg[1], known, depth - 1);
    case NODE_EDGE:
    case NODE_WHILE: return know_true(q, node.arg[0], known, depth - 1);
    case NODE_DEFAULT:
    case NODE_IF:
    case NODE_PRESENT:
    case NODE_HOLD:
    case NODE_DELAY:
    case NODE_QUEUE:
    case NODE_PRE: return known;
    default: return know_arguments(q, &node, known, depth);
    }
}

static bool is_known(const Known* known, NodeId n)
{
    for (; known; known = known->up)
        if (known->present == n)
            return true;
    return false;
}

// ---- absence

static bool blame(Question* q, NodeId n, uint32_t gap)
{
    if (q->culprit == 0)
    {
        q->culprit = n;
        q->gap = gap;
    }
    return true;
}

static bool defined_in(const Compiler* c, uint32_t var, uint32_t ctx)
{
    for (;; ctx = c->flat->ctxs.at[ctx].parent)
    {
        if (definitions_cover(c, var, 0, ctx))
            return true;
        if (ctx == 0)
            return false;
    }
}

static bool defined_where(const Compiler* c, uint32_t var, uint32_t ctx, const Known* known)
{
    bool defined = defined_in(c, var, ctx);
    for (; known && !defined; known = known->up)
        defined = known->present == 0 && defined_in(c, var, known->ctx);
    return defined;
}

static bool known_exclude(const Flat* f, const Known* known, uint32_t ctx)
{
    for (; known; known = known->up)
        if (known->present == 0 && ctx_exclusive(f, known->ctx, ctx))
            return true;
    return false;
}

// The first mode inside `ctx` that lacks a definition.
static uint32_t find_gap(const Compiler* c, uint32_t var, int order, uint32_t ctx)
{
    const Flat* f = c->flat;
    for (uint32_t d = c->vars.at[var].first_def[order]; d != 0; d = c->next_def.at[d - 1])
    {
        uint32_t at = f->defs.at[d - 1].ctx;
        while (at != 0 && f->ctxs.at[at].parent != ctx)
            at = f->ctxs.at[at].parent;
        if (at == 0)
            continue;
        const FlatMachine* machine = &f->machines.at[f->ctxs.at[at].machine];
        for (uint32_t m = 0; m < machine->modes.count; m++)
            if (!definitions_cover(c, var, order, machine->modes.at[m].ctx))
                return find_gap(c, var, order, machine->modes.at[m].ctx);
    }
    return ctx;
}

static bool definitions_absent(Question* q, NodeId n, uint32_t ctx, const Known* known)
{
    Compiler* c = q->c;
    uint32_t var = c->flat->nodes.at[n].aux;
    for (uint32_t i = 0; i < q->under_way.count; i++)
        if (q->under_way.at[i] == var)
            return false;
    vec_push(c->arena, q->under_way, var);
    bool result = false;
    for (uint32_t d = c->vars.at[var].first_def[0]; d != 0 && !result; d = c->next_def.at[d - 1])
    {
        const FlatDef def = c->flat->defs.at[d - 1];
        if (ctx_exclusive(c->flat, def.ctx, ctx) || known_exclude(c->flat, known, def.ctx))
            continue;
        uint32_t inner = ctx_inside(c->flat, ctx, def.ctx) ? ctx : def.ctx;
        result = absent(q, def.value, inner, known);
    }
    q->under_way.count--;
    return result;
}

static bool var_absent(Question* q, NodeId n, uint32_t ctx, const Known* known)
{
    Compiler* c = q->c;
    uint32_t var = c->flat->nodes.at[n].aux;
    const FlatVar* flat = &c->flat->vars.at[var];
    const VarInfo* info = &c->vars.at[var];
    if (flat->kind == VAR_EVENT && info->first_def[0] == 0)  // emitted, or an input that nobody defines
        return blame(q, n, 0);
    if (flat->kind == VAR_EVENT || (flat->kind == VAR_SIGNAL && info->implicit == 0))
    {
        if (!info->maybe_absent || info->first_def[0] == 0)
            return false;
        if (!defined_where(c, var, ctx, known))
            return blame(q, n, find_gap(c, var, 0, 0));
        if (!definitions_absent(q, n, ctx, known))
            return false;
        if (flat->kind == VAR_EVENT && !flat->hidden)  // what is read, rather than what it is made of
        {
            q->culprit = n;
            q->gap = 0;
        }
        return true;
    }
    if (flat->kind == VAR_PARAM || flat->ctx == 0 || ctx_inside(c->flat, ctx, flat->ctx))
        return false;
    for (; known; known = known->up)
        if (known->present == 0 && ctx_inside(c->flat, known->ctx, flat->ctx))
            return false;
    return blame(q, n, flat->ctx);
}

static bool if_absent(Question* q, const Node* node, uint32_t ctx, const Known* known)
{
    enum
    {
        DEPTH = 40
    };
    if (absent(q, node->arg[0], ctx, known))
        return true;
    bool then = absent(q, node->arg[1], ctx, know_true(q, node->arg[0], known, DEPTH));
    bool other = (then || q->every_side) && absent(q, node->arg[2], ctx, know_false(q, node->arg[0], known, DEPTH));
    return q->every_side ? then || other : then && other;
}

static bool any_absent(Question* q, const Node* node, uint32_t ctx, const Known* known)
{
    for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
        if (node->arg[i] != 0 && absent(q, node->arg[i], ctx, known))
            return true;
    return false;
}

static bool absent(Question* q, NodeId n, uint32_t ctx, const Known* known)
{
    enum
    {
        DEPTH = 40
    };
    const Node node = q->c->flat->nodes.at[n];
    if (++q->steps > STEPS_MAX || is_known(known, n))
        return false;
    switch (node.op)
    {
    case NODE_CONST:
    case NODE_TIME:
    case NODE_PRESENT:
    case NODE_HOLD:
    case NODE_DELTA:
    case NODE_AREA: return false;
    case NODE_VAR: return var_absent(q, n, ctx, known);
    case NODE_DEFAULT:
    {
        Question first = *q;
        bool both = absent(&first, node.arg[0], ctx, known) && absent(q, node.arg[1], ctx, known);
        q->steps += first.steps - q->steps > 0 ? first.steps - q->steps : 0;
        return both;
    }
    case NODE_IF: return if_absent(q, &node, ctx, known);
    case NODE_AND:
        return absent(q, node.arg[0], ctx, known) ||
               absent(q, node.arg[1], ctx, know_true(q, node.arg[0], known, DEPTH));
    case NODE_OR:
        return absent(q, node.arg[0], ctx, known) ||
               absent(q, node.arg[1], ctx, know_false(q, node.arg[0], known, DEPTH));
    case NODE_SAMPLE: return absent(q, node.arg[1], ctx, known) || absent(q, node.arg[0], ctx, known);
    case NODE_DELAY:
        if (node.type != TYPE_EVENT)
            return absent(q, node.arg[0], ctx, known);
        return blame(q, n, 0);
    case NODE_PRE: return node.arg[1] == 0 && absent(q, node.arg[0], ctx, known);
    default: return node.type == TYPE_EVENT ? blame(q, n, 0) : any_absent(q, &node, ctx, known);
    }
}

// ---- reports

static const char* mode_text(const Compiler* c, uint32_t ctx)
{
    const FlatMachine* machine = &c->flat->machines.at[c->flat->ctxs.at[ctx].machine];
    return machine->modes.at[c->flat->ctxs.at[ctx].mode].name;
}

typedef enum Reader
{
    READS_RATE,
    READS_ACTION,
    READS_GUARD,
} Reader;

static void report(Question* q, Reader reader, const char* name, Span span)
{
    static const char* const whats[] = {[READS_RATE] = "the derivative of `%s` can be absent: `%s` %s%s",
                                        [READS_ACTION] = "the value for `%s` can be absent: `%s` %s%s",
                                        [READS_GUARD] = "this guard%s can be absent: `%s` %s%s"};
    Compiler* c = q->c;
    const Node why = c->flat->nodes.at[q->culprit];
    const char* text = flat_text(c->flat, c->arena, q->culprit);
    bool event = why.type == TYPE_EVENT;
    if (!report_is_new(c, K_CAN_BE_ABSENT, span))
        return;
    Diag* diag = diag_error(c->diags, K_CAN_BE_ABSENT, span, whats[reader], name, text,
                            event ? "is an event, there at its instants only" : "is not there in mode ",
                            event ? "" : mode_text(c, q->gap));
    if (event && reader == READS_GUARD)
        diag_help(c->diags, diag, "ask when it comes, `when %s if …`, or write `hold(%s, …)` for its last value", text,
                  text);
    else if (event)
        diag_help(c->diags, diag, "write `hold(%s, …)` for its last value, or `default(%s, …)`", text, text);
    else
        diag_help(c->diags, diag, "define it in mode %s, or write `default(%s, …)`", mode_text(c, q->gap), text);
    if (why.op == NODE_VAR)
        diag_note(c->diags, diag, c->flat->vars.at[why.aux].span, "`%s` is declared here", text);
}

static bool names_mode(const Question* q)
{
    return q->c->flat->nodes.at[q->culprit].type == TYPE_EVENT || q->gap != 0;
}

static void ask(Compiler* c, NodeId value, uint32_t ctx, const Known* known, Reader reader, const char* name, Span span)
{
    Question q = {.c = c, .every_side = reader != READS_ACTION};
    if (value != 0 && absent(&q, value, ctx, known) && q.steps <= STEPS_MAX && names_mode(&q))
        report(&q, reader, name, span);
}

static void check_rates(Compiler* c, uint32_t v)
{
    const FlatVar* var = &c->flat->vars.at[v];
    if (c->vars.at[v].first_def[1] != 0 && !definitions_cover(c, v, 1, var->ctx) &&
        report_is_new(c, K_NO_RATE_IN_MODE, var->span))
    {
        const char* mode = mode_text(c, find_gap(c, v, 1, var->ctx));
        Diag* diag = diag_error(c->diags, K_NO_RATE_IN_MODE, var->span, "state `%s` has no derivative in mode %s",
                                var->name, mode);
        diag_help(c->diags, diag, "define it in mode %s: `%s' = 0` if it rests there", mode, var->name);
    }
    for (uint32_t d = c->vars.at[v].first_def[1]; d != 0; d = c->next_def.at[d - 1])
    {
        const FlatDef def = c->flat->defs.at[d - 1];
        ask(c, def.value, def.ctx, NULL, READS_RATE, var->name, def.span);
    }
}

enum
{
    TRIGGER_DEPTH = 60
};

static void check_actions(Compiler* c, const FlatActions* actions, uint32_t ctx, const Known* known)
{
    for (uint32_t i = 0; i < actions->count; i++)
        if (actions->at[i].kind != FLAT_HALT)
            ask(c, actions->at[i].value, ctx, known, READS_ACTION, c->flat->vars.at[actions->at[i].var].name,
                actions->at[i].span);
}

// Of a `when` or a transition. The guard is asked where the trigger holds, the actions where both do.
static void check_reaction(Compiler* c, NodeId trigger, NodeId guard, const FlatActions* actions, uint32_t ctx)
{
    if (trigger == 0)
        return;
    Question q = {.c = c};
    const Node node = c->flat->nodes.at[trigger];
    const Known* known = NULL;
    if (node.op == NODE_EDGE || node.type == TYPE_BOOL)
        ask(c, node.op == NODE_EDGE ? node.arg[0] : trigger, ctx, NULL, READS_GUARD, "", node.span);
    known = node.type == TYPE_BOOL ? know_true(&q, trigger, known, TRIGGER_DEPTH)
                                   : know_present(&q, trigger, known, TRIGGER_DEPTH);
    if (guard != 0)
    {
        ask(c, guard, ctx, known, READS_GUARD, "", c->flat->nodes.at[guard].span);
        known = know_true(&q, guard, known, TRIGGER_DEPTH);
    }
    check_actions(c, actions, ctx, known);
}

// What events hang on: levels and crossings that are not there make none.
static void check_event_definition(Compiler* c, const FlatDef* def)
{
    const Node node = c->flat->nodes.at[def->value];
    bool level = node.op == NODE_EDGE || node.op == NODE_WHILE || node.op == NODE_UP || node.op == NODE_DOWN ||
                 node.op == NODE_CROSS;
    if (level)
        ask(c, node.arg[0], def->ctx, NULL, READS_GUARD, "", node.span);
}

void refuse_absence(Compiler* c)
{
    const Flat* f = c->flat;
    for (uint32_t v = 0; v < f->vars.count; v++)
        if (f->vars.at[v].kind == VAR_STATE)
            check_rates(c, v);
    for (uint32_t i = 0; i < f->whens.count; i++)
        check_reaction(c, f->whens.at[i].trigger, f->whens.at[i].guard, &f->whens.at[i].actions, f->whens.at[i].ctx);
    for (uint32_t i = 0; i < f->transitions.count; i++)
        if (!f->machines.at[f->transitions.at[i].machine].junction)
            check_reaction(c, f->transitions.at[i].trigger, f->transitions.at[i].guard, &f->transitions.at[i].actions,
                           f->transitions.at[i].ctx);
    for (uint32_t i = 0; i < f->defs.count; i++)
        if (f->vars.at[f->defs.at[i].var].kind == VAR_EVENT)
            check_event_definition(c, &f->defs.at[i]);
}
