// Conditions that cannot do what they seem to say. Equality of something that flows holds at single points of time that
// nobody looks for (rule E3); the edge of a Boolean signal made of events takes events at successive tags for one (E1).
#include "lower/compiler.h"

bool report_is_new(const Compiler* c, DiagCode code, Span span)
{
    for (uint32_t i = 0; i < c->diags->list.count; i++)
    {
        const Diag* diag = c->diags->list.at[i];
        if (diag->code == code && diag->span.file == span.file && diag->span.start == span.start)
            return false;
    }
    return true;
}

typedef struct Hunt
{
    Compiler* c;
    Map seen;
    VEC(NodeId) stack;
} Hunt;

static void push(Hunt* h, NodeId n)
{
    uint32_t seen;
    if (n == 0 || map_get(&h->seen, n, &seen))
        return;
    map_set(&h->seen, n, 1);
    vec_push(h->c->arena, h->stack, n);
}

static void begin(Hunt* h, Compiler* c, NodeId root)
{
    *h = (Hunt){.c = c};
    map_init(&h->seen, c->arena);
    push(h, root);
}

static void push_arguments(Hunt* h, const Node* node)
{
    for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
        push(h, node->arg[i]);
}

static void push_definitions(Hunt* h, uint32_t var)
{
    for (uint32_t d = h->c->vars.at[var].first_def[0]; d != 0; d = h->c->next_def.at[d - 1])
        push(h, h->c->flat->defs.at[d - 1].value);
}

// A state rests in a context if every derivative it can have there is written as 0.
static bool state_flows(const Compiler* c, uint32_t var, uint32_t ctx)
{
    for (uint32_t d = c->vars.at[var].first_def[1]; d != 0; d = c->next_def.at[d - 1])
    {
        const FlatDef* def = &c->flat->defs.at[d - 1];
        const Node* value = &c->flat->nodes.at[def->value];
        if (!ctx_exclusive(c->flat, def->ctx, ctx) && !(value->op == NODE_CONST && value->value == 0))
            return true;
    }
    return false;
}

// Whether a value changes between instants while the context is active.
static bool flows(Compiler* c, NodeId root, uint32_t ctx)
{
    Hunt h;
    begin(&h, c, root);
    while (h.stack.count > 0)
    {
        NodeId n = h.stack.at[--h.stack.count];
        const Node node = c->flat->nodes.at[n];
        if (node_varies(c, n) != VARIES_ALWAYS)
            continue;
        if (node.op == NODE_TIME)
            return true;
        if (node.op != NODE_VAR)
        {
            push_arguments(&h, &node);
            continue;
        }
        if (c->flat->vars.at[node.aux].kind == VAR_STATE && state_flows(c, node.aux, ctx))
            return true;
        push_definitions(&h, node.aux);
    }
    return false;
}

static void report_equality(Compiler* c, NodeId n, uint32_t ctx)
{
    const Node node = c->flat->nodes.at[n];
    if (!report_is_new(c, K_EQUALITY_OF_FLOW, node.span))
        return;
    int flowing = flows(c, node.arg[0], ctx) ? 0 : 1;
    const Node other = c->flat->nodes.at[node.arg[1 - flowing]];
    const char* a = flat_text(c->flat, c->arena, node.arg[flowing]);
    const char* b = flat_text(c->flat, c->arena, node.arg[1 - flowing]);
    const char* difference = other.op == NODE_CONST && other.value == 0 ? a : arena_printf(c->arena, "%s - %s", a, b);
    if (node.op == NODE_EQ)
    {
        Diag* diag = diag_error(c->diags, K_EQUALITY_OF_FLOW, node.span,
                                "`%s` flows: it equals `%s` at single points of time, which nobody looks for", a, b);
        diag_help(c->diags, diag,
                  "write `up(%s)` or `down(%s)` for the crossing, `%s >= %s` for what holds from then on", difference,
                  difference, a, b);
        return;
    }
    Diag* diag = diag_error(c->diags, K_EQUALITY_OF_FLOW, node.span,
                            "`%s` flows: the moment at which it begins to differ from `%s` cannot be located", a, b);
    diag_help(c->diags, diag, "write `abs(%s) > …` with the difference that matters", difference);
}

static bool is_truth_operator(NodeOp op)
{
    return op == NODE_AND || op == NODE_OR || op == NODE_NOT || op == NODE_EDGE || op == NODE_WHILE ||
           op == NODE_FILTER || op == NODE_PRESENT || op == NODE_DEFAULT || op == NODE_IF;
}

// What a trigger asks, through Boolean signals and events.
static void check_trigger(Compiler* c, NodeId trigger, uint32_t ctx)
{
    Hunt h;
    begin(&h, c, trigger);
    while (h.stack.count > 0)
    {
        const NodeId n = h.stack.at[--h.stack.count];
        const Node node = c->flat->nodes.at[n];
        bool equality = (node.op == NODE_EQ || node.op == NODE_NE) && node.aux == 0;
        if (equality && (flows(c, node.arg[0], ctx) || flows(c, node.arg[1], ctx)))
            report_equality(c, n, ctx);
        else if (node.op == NODE_VAR && node.type != TYPE_REAL)
            push_definitions(&h, node.aux);
        else if (is_truth_operator((NodeOp)node.op))
            push_arguments(&h, &node);
    }
}

// ---- edges of events

static bool made_of_events(Compiler* c, uint32_t var)
{
    Hunt h;
    begin(&h, c, 0);
    push_definitions(&h, var);
    while (h.stack.count > 0)
    {
        const Node node = c->flat->nodes.at[h.stack.at[--h.stack.count]];
        if (node.op == NODE_PRESENT && c->flat->nodes.at[node.arg[0]].type == TYPE_EVENT)
            return true;
        if (node.op == NODE_AND || node.op == NODE_OR)
            push_arguments(&h, &node);
        else if (node.op == NODE_VAR && node.type == TYPE_BOOL && c->flat->vars.at[node.aux].kind == VAR_SIGNAL)
            push_definitions(&h, node.aux);
    }
    return false;
}

static void check_edge(Compiler* c, const Node* edge)
{
    const Node of = c->flat->nodes.at[edge->arg[0]];
    if (of.op != NODE_VAR || c->flat->vars.at[of.aux].kind != VAR_SIGNAL || !made_of_events(c, of.aux) ||
        !report_is_new(c, K_EVENTS_AS_LEVEL, edge->span))
        return;
    const char* name = c->flat->vars.at[of.aux].name;
    Diag* diag = diag_warning(c->diags, K_EVENTS_AS_LEVEL, edge->span,
                              "`%s` is a Boolean signal made of events: those at successive tags are one edge", name);
    diag_note(c->diags, diag, c->flat->vars.at[of.aux].span, "declared here");
    diag_help(c->diags, diag, "declare `event %s = …`: then each of them is seen", name);
}

// ---- delays that look back beyond a mode

// What a mode declares has no value while the mode is not active; before it was entered first there is nothing but 0.
static void check_delay(Compiler* c, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    uint32_t var = 0;
    if (node.type == TYPE_EVENT || delay_home(c, n, &var) == 0 || !report_is_new(c, K_DELAY_OF_MODE, node.span))
        return;
    const char* name = c->flat->vars.at[var].name;
    Diag* diag = diag_warning(c->diags, K_DELAY_OF_MODE, node.span,
                              "`%s` is declared in a mode and has no past from before its entry: there it counts as 0, "
                              "or what it was when the mode was left",
                              name);
    diag_note(c->diags, diag, c->flat->vars.at[var].span, "declared here");
    diag_help(c->diags, diag, "declare `%s` outside of the modes", name);
}

// ---- transitions that are never taken

static bool comes_before(const FlatTransition* a, const FlatTransition* b)
{
    bool same = a->trigger == b->trigger && (a->guard == 0 || a->guard == b->guard);
    return same && a->choice == 0 && b->choice == 0 && (a->preempt || !b->preempt);
}

static void check_mode(Compiler* c, const FlatMode* mode)
{
    const Flat* f = c->flat;
    for (uint32_t i = 1; i < mode->transitions.count; i++)
        for (uint32_t k = 0; k < i; k++)
        {
            const FlatTransition *first = &f->transitions.at[mode->transitions.at[k]],
                                 *later = &f->transitions.at[mode->transitions.at[i]];
            if (!comes_before(first, later) || !report_is_new(c, K_NEVER_TAKEN, later->span))
                continue;
            Diag* diag = diag_warning(
                c->diags, K_NEVER_TAKEN, later->span,
                "this transition of mode %s is never taken: another one with this guard comes first", mode->name);
            diag_note(c->diags, diag, first->span, "this one");
            diag_help(c->diags, diag, "give them different guards, or put both into `choose`");
        }
}

void refuse_conditions(Compiler* c)
{
    const Flat* f = c->flat;
    for (uint32_t m = 0; m < f->machines.count; m++)
        for (uint32_t k = 0; k < f->machines.at[m].modes.count; k++)
            check_mode(c, &f->machines.at[m].modes.at[k]);
    for (uint32_t i = 0; i < f->whens.count; i++)
        check_trigger(c, f->whens.at[i].trigger, f->whens.at[i].ctx);
    for (uint32_t i = 0; i < f->transitions.count; i++)
        if (!f->machines.at[f->transitions.at[i].machine].junction)
            check_trigger(c, f->transitions.at[i].trigger, f->transitions.at[i].ctx);
    for (uint32_t i = 0; i < f->defs.count; i++)
        if (f->vars.at[f->defs.at[i].var].kind == VAR_EVENT)
            check_trigger(c, f->defs.at[i].value, f->defs.at[i].ctx);
    for (NodeId n = 1; n < c->source_nodes; n++)
    {
        if (f->nodes.at[n].op == NODE_EDGE)
            check_edge(c, &f->nodes.at[n]);
        if (f->nodes.at[n].op == NODE_DELAY)
            check_delay(c, n);
    }
}
