// Listings: an expression as text, and the whole flat model for `kairos check --print flat`.
#include "base/text.h"
#include "elab/flat.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The shortest form that reads back as the same number.
static void put_number(Writer* text, double value)
{
    char buffer[40];
    for (int digits = 15; digits <= 17; digits++)
    {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    writer_put(text, buffer);
}

// ---- expressions

enum
{
    BIND_OR = 1,
    BIND_AND,
    BIND_NOT,
    BIND_RELATION,
    BIND_SUM,
    BIND_TERM,
    BIND_FACTOR,
    BIND_POWER,
    BIND_ATOM,
};

// clang-format off
static int binding(const Node* node)
{
    switch (node->op)
    {
    case NODE_IF: return 0;
    case NODE_OR: return BIND_OR;
    case NODE_FILTER:
    case NODE_AND: return BIND_AND;
    case NODE_NOT: return BIND_NOT;
    case NODE_LT:
    case NODE_LE:
    case NODE_GT:
    case NODE_GE:
    case NODE_EQ:
    case NODE_NE: return BIND_RELATION;
    case NODE_ADD:
    case NODE_SUB: return BIND_SUM;
    case NODE_MUL:
    case NODE_DIV: return BIND_TERM;
    case NODE_NEG: return BIND_FACTOR;
    case NODE_POW: return BIND_POWER;
    case NODE_CONST: return node->value < 0 ? BIND_FACTOR : BIND_ATOM;
    default: return BIND_ATOM;
    }
}

// clang-format on

static void put_node(Writer* text, const Flat* flat, NodeId id, int least);

static void put_constant(Writer* text, const Node* node)
{
    if (node->type == TYPE_BOOL)
        writer_put(text, node->value != 0 ? "true" : "false");
    else if (node->type == TYPE_MODE)
        writer_say(text, "#%d", (int)node->value);
    else
        put_number(text, node->value);
}

static void put_call(Writer* text, const Flat* flat, const Node* node)
{
    writer_put(text, node->op == NODE_EXTERNAL ? flat->externals.at[node->aux].name : node_op_text(node->op));
    writer_put(text, "(");
    bool table = node->op == NODE_TABLE || node->op == NODE_ROWS || node->op == NODE_PLACE;
    if (table)
        writer_say(text, "\"%s\", ", flat->tables.at[node->aux].path);
    for (int i = 0; i < 3 && node->arg[i]; i++)
    {
        writer_put(text, i ? ", " : "");
        put_node(text, flat, node->arg[i], 0);
    }
    if (table && flat->tables.at[node->aux].column > 2)
        writer_say(text, ", %d", flat->tables.at[node->aux].column);
    if (node->op == NODE_AREA && node->aux)
        writer_say(text, ", %u", node->aux);
    writer_put(text, ")");
}

static void put_list(Writer* text, const Flat* flat, const Node* node)
{
    for (;; node = &flat->nodes.at[node->arg[1]])
    {
        put_node(text, flat, node->arg[0], 0);
        if (!node->arg[1])
            return;
        writer_put(text, ", ");
    }
}

static const char* mode_text(const Flat* flat, uint32_t ctx)
{
    const FlatCtx* context = &flat->ctxs.at[ctx];
    return flat->machines.at[context->machine].modes.at[context->mode].name;
}

// `s.mode == fwd`, with the mode by its name.
static bool put_mode_test(Writer* text, const Flat* flat, const Node* node)
{
    const Node *a = &flat->nodes.at[node->arg[0]], *b = &flat->nodes.at[node->arg[1]], *at = a;
    if (a->type != TYPE_MODE || a->op == NODE_CONST || b->op != NODE_CONST)
        return false;
    while (at->op != NODE_VAR &&
           at->op != NODE_NONE)  // pre(s.mode), at(t, s.mode): the variable comes last but for `pre`
        at = &flat->nodes.at[at->arg[at->op == NODE_PRE ? 0 : node_op_arity(at->op) - 1]];
    if (at->op == NODE_NONE)
        return false;
    const FlatMachine* machine = &flat->machines.at[flat->vars.at[at->aux].machine];
    put_node(text, flat, node->arg[0], BIND_SUM);
    writer_say(text, " %s %s", node_op_text(node->op), machine->modes.at[(uint32_t)b->value].name);
    return true;
}

static void put_infix(Writer* text, const Flat* flat, const Node* node, int bind)
{
    bool tight = node->op == NODE_MUL || node->op == NODE_DIV || node->op == NODE_POW;
    if (bind == BIND_RELATION && put_mode_test(text, flat, node))
        return;
    bool right_first = node->op == NODE_POW, either = node->op == NODE_AND || node->op == NODE_OR;
    put_node(text, flat, node->arg[0], bind + (right_first || bind == BIND_RELATION));
    writer_say(text, tight ? "%s" : " %s ", node_op_text(node->op));
    put_node(text, flat, node->arg[1], bind + !(right_first || either));
}

static void put_operator(Writer* text, const Flat* flat, const Node* node, int bind)
{
    switch (node->op)
    {
    case NODE_NONE: writer_put(text, "?"); break;
    case NODE_CONST: put_constant(text, node); break;
    case NODE_VAR: writer_put(text, flat->vars.at[node->aux].name); break;
    case NODE_TIME: writer_put(text, "time"); break;
    case NODE_ENTRY: writer_say(text, "entry(%s)", mode_text(flat, node->aux)); break;
    case NODE_LIST: put_list(text, flat, node); break;
    case NODE_NEG:
    case NODE_NOT:
        writer_put(text, node->op == NODE_NEG ? "-" : "not ");
        put_node(text, flat, node->arg[0], bind);
        break;
    case NODE_IF:
        writer_put(text, "if ");
        put_node(text, flat, node->arg[0], 0);
        writer_put(text, " then ");
        put_node(text, flat, node->arg[1], 0);
        writer_put(text, " else ");
        put_node(text, flat, node->arg[2], 0);
        break;
    default:
        if (bind < BIND_ATOM)
            put_infix(text, flat, node, bind);
        else
            put_call(text, flat, node);
    }
}

static void put_node(Writer* text, const Flat* flat, NodeId id, int least)
{
    if (text->limit && text->text.count > text->limit)
        return;
    const Node* node = &flat->nodes.at[id];
    int bind = binding(node);
    writer_put(text, bind < least ? "(" : "");
    put_operator(text, flat, node, bind);
    writer_put(text, bind < least ? ")" : "");
}

enum
{
    EXPRESSION_LIMIT = 4000
};

const char* flat_text(const Flat* flat, Arena* arena, NodeId node)
{
    Writer text = {.arena = arena, .limit = EXPRESSION_LIMIT};
    put_node(&text, flat, node, 0);
    text.limit = 0;
    if (text.text.count > EXPRESSION_LIMIT)
        writer_put(&text, " …");
    return writer_text(&text);
}

// ---- listing

static void put_expression(Writer* text, const Flat* flat, NodeId node)
{
    writer_put(text, flat_text(flat, text->arena, node));
}

static void put_unit(Writer* text, const FlatVar* var)
{
    if (var->unit.known && var->unit.text)
        writer_say(text, " [%s]", var->unit.text);
}

static const char* kind_text(const FlatVar* var)
{
    static const char* const names[] = {"param", "state", "discrete", "signal", "event", "input", "mode"};
    return names[var->kind];
}

static void put_var(Writer* text, const Flat* flat, const FlatVar* var)
{
    writer_say(text, "  %s%s%s %s", var->kind != VAR_INPUT && var->input ? "input " : "", var->output ? "output " : "",
               kind_text(var), var->name);
    put_unit(text, var);
    if (var->init)
    {
        const Node* node = &flat->nodes.at[var->init];
        writer_put(text, " = ");
        if (node->op == NODE_CONST && node->type == TYPE_REAL && !scale_is_si(var->unit.si))
            put_number(text, scale_from_si(var->unit.si, node->value));
        else
            put_expression(text, flat, var->init);
    }
    writer_put(text, var->type == TYPE_BOOL ? "  // Boolean" : "");
    writer_put(text, var->structural ? "  // structural" : "");
    writer_put(text, var->emitted ? "  // emitted" : "");
    writer_put(text, "\n");
}

static void put_actions(Writer* text, const Flat* flat, const FlatActions* actions)
{
    writer_put(text, " {");
    for (uint32_t i = 0; i < actions->count; i++)
    {
        const FlatAction* action = &actions->at[i];
        writer_put(text, i ? "; " : " ");
        if (action->kind == FLAT_HALT)
        {
            writer_put(text, "halt");
            continue;
        }
        writer_say(text, action->kind == FLAT_ASSIGN ? "%s := " : "emit %s", flat->vars.at[action->var].name);
        writer_put(text, action->kind == FLAT_EMIT && action->value ? "(" : "");
        if (action->value)
            put_expression(text, flat, action->value);
        writer_put(text, action->kind == FLAT_EMIT && action->value ? ")" : "");
    }
    writer_put(text, actions->count ? " }" : "}");
}

static void put_guarded(Writer* text, const Flat* flat, NodeId trigger, NodeId guard)
{
    put_expression(text, flat, trigger);
    if (!guard)
        return;
    writer_put(text, " if ");
    put_expression(text, flat, guard);
}

static void put_choice(Writer* text, const Flat* flat, uint32_t choice, NodeId weight)
{
    if (choice)
        writer_say(text, "choice %u: ", choice);
    if (!weight)
        return;
    writer_put(text, "weight ");
    put_expression(text, flat, weight);
    writer_put(text, ": ");
}

// "in falling" with outer modes first, "in run / fast".
static void put_ctx(Writer* text, const Flat* flat, uint32_t ctx)
{
    const FlatCtx* context = &flat->ctxs.at[ctx];
    if (context->parent)
    {
        put_ctx(text, flat, context->parent);
        writer_put(text, " / ");
    }
    const FlatVar* mode = &flat->vars.at[flat->machines.at[context->machine].mode_var];
    const char* instance = flat->instances.at[mode->instance].name;
    writer_say(text, "%s%s%s", instance, *instance ? ":" : "", mode_text(flat, ctx));
}

// Definitions by context: one pass to link them, one to print, whatever the number of modes.
static uint32_t* group_defs(Writer* text, const Flat* flat, uint32_t** next)
{
    uint32_t* heads = arena_array(text->arena, uint32_t, flat->ctxs.count);
    *next = arena_array(text->arena, uint32_t, flat->defs.count + 1);
    for (uint32_t i = flat->defs.count; i-- > 0;)
    {
        (*next)[i] = heads[flat->defs.at[i].ctx];
        heads[flat->defs.at[i].ctx] = i + 1;
    }
    return heads;
}

static void put_definitions(Writer* text, const Flat* flat)
{
    uint32_t* next;
    uint32_t* heads = group_defs(text, flat, &next);
    for (uint32_t ctx = 0; ctx < flat->ctxs.count; ctx++)
    {
        if (!heads[ctx])
            continue;
        writer_put(text, ctx ? "definitions in " : "definitions");
        if (ctx)
            put_ctx(text, flat, ctx);
        writer_put(text, "\n");
        for (uint32_t i = heads[ctx]; i; i = next[i - 1])
        {
            const FlatDef* def = &flat->defs.at[i - 1];
            writer_say(text, "  %s%s = ", flat->vars.at[def->var].name, def->order ? "'" : "");
            put_expression(text, flat, def->value);
            writer_put(text, "\n");
        }
    }
}

static void put_reactions(Writer* text, const Flat* flat)
{
    writer_put(text, flat->whens.count ? "reactions\n" : "");
    for (uint32_t i = 0; i < flat->whens.count; i++)
    {
        const FlatWhen* when = &flat->whens.at[i];
        writer_put(text, "  ");
        if (when->ctx)
        {
            writer_put(text, "in ");
            put_ctx(text, flat, when->ctx);
            writer_put(text, ": ");
        }
        put_choice(text, flat, when->choice, when->weight);
        writer_put(text, "when ");
        put_guarded(text, flat, when->trigger, when->guard);
        put_actions(text, flat, &when->actions);
        writer_put(text, "\n");
    }
}

static void put_transition(Writer* text, const Flat* flat, const FlatMachine* machine, const FlatTransition* transition)
{
    writer_put(text, "    ");
    put_choice(text, flat, transition->choice, transition->weight);
    writer_put(text, transition->preempt ? "preempt on " : "on ");
    put_guarded(text, flat, transition->trigger, transition->guard);
    writer_say(text, " -> %s%s", transition->resume ? "resume " : "", machine->modes.at[transition->to].name);
    if (transition->actions.count)
        put_actions(text, flat, &transition->actions);
    writer_put(text, "\n");
}

static void put_machine(Writer* text, const Flat* flat, const FlatMachine* machine)
{
    writer_say(text, "machine %s", flat->vars.at[machine->mode_var].name);
    if (machine->ctx)
    {
        writer_put(text, " in ");
        put_ctx(text, flat, machine->ctx);
    }
    writer_put(text, "\n");
    for (uint32_t i = 0; i < machine->modes.count; i++)
    {
        const FlatMode* mode = &machine->modes.at[i];
        writer_say(text, "  %smode %s", i == machine->initial ? "initial " : "", mode->name);
        for (uint32_t k = 0; k < mode->states.count; k++)
            writer_say(text, "%s%s", k ? ", " : " resets ", flat->vars.at[mode->states.at[k]].name);
        writer_put(text, "\n");
        for (uint32_t k = 0; k < mode->transitions.count; k++)
            put_transition(text, flat, machine, &flat->transitions.at[mode->transitions.at[k]]);
    }
}

static void put_checks(Writer* text, const Flat* flat)
{
    for (uint32_t i = 0; i < flat->initials.count; i++)
    {
        writer_put(text, "initial ");
        put_expression(text, flat, flat->initials.at[i]);
        writer_put(text, "\n");
    }
    for (uint32_t i = 0; i < flat->asserts.count; i++)
    {
        writer_put(text, "assert ");
        put_expression(text, flat, flat->asserts.at[i].condition);
        writer_put(text, flat->asserts.at[i].ctx ? " in " : "");
        if (flat->asserts.at[i].ctx)
            put_ctx(text, flat, flat->asserts.at[i].ctx);
        writer_put(text, "\n");
    }
}

static void put_names(Writer* text, const Flat* flat, const char* what, const uint32_t* vars, uint32_t count)
{
    writer_say(text, "  %s", what);
    for (uint32_t i = 0; i < count; i++)
        writer_say(text, "%s %s", i ? "," : "", flat->vars.at[vars[i]].name);
}

static void put_expects(Writer* text, const Flat* flat)
{
    const FlatExperiment* experiment = &flat->experiment;
    for (uint32_t i = 0; i < experiment->expects.count; i++)
    {
        const FlatExpect* expect = &experiment->expects.at[i];
        writer_put(text, "  expect ");
        put_expression(text, flat, expect->value);
        if (expect->target)
        {
            writer_put(text, " ~ ");
            put_expression(text, flat, expect->target);
            writer_put(text, " within ");
            put_expression(text, flat, expect->within);
        }
        writer_put(text, "\n");
    }
}

static void put_sweeps(Writer* text, const Flat* flat)
{
    for (uint32_t i = 0; i < flat->experiment.sweeps.count; i++)
    {
        const FlatSweep* sweep = &flat->experiment.sweeps.at[i];
        writer_say(text, "  sweep %s in (", flat->vars.at[sweep->var].name);
        for (uint32_t k = 0; k < sweep->values.count; k++)
        {
            writer_put(text, k ? ", " : "");
            put_number(text, sweep->values.at[k]);
        }
        writer_put(text, ")\n");
    }
}

static void put_experiment(Writer* text, const Flat* flat)
{
    const FlatExperiment* experiment = &flat->experiment;
    writer_say(text, "experiment %s\n", experiment->name);
#define NUMBER(name, ...)                                                                                              \
    if (experiment->has_##name)                                                                                        \
    {                                                                                                                  \
        writer_put(text, "  " #name " = ");                                                                            \
        put_number(text, experiment->name);                                                                            \
        writer_put(text, "\n");                                                                                        \
    }
#define COUNT(name, ...) NUMBER(name, )
#define WORD(name, ...)                                                                                                \
    if (experiment->name)                                                                                              \
        writer_say(text, "  " #name " = %s\n", experiment->name);
#define MODEL_WORD(name, ...) WORD(name, )
#include "settings/settings.def"
    for (uint32_t i = 0; i < experiment->records.count; i++)
    {
        const FlatRecord* record = &experiment->records.at[i];
        put_names(text, flat, "record", record->vars.at, record->vars.count);
        if (record->every > 0)
            writer_say(text, " every %g", record->every);
        writer_put(text, "\n");
    }
    for (uint32_t i = 0; i < experiment->plots.count; i++)
    {
        const FlatPlot* plot = &experiment->plots.at[i];
        put_names(text, flat, "plot", plot->vars.at, plot->vars.count);
        if (plot->against)
            writer_say(text, " against %s", flat->vars.at[plot->against - 1].name);
        writer_put(text, "\n");
    }
    put_sweeps(text, flat);
    put_expects(text, flat);
}

char* flat_print(const Flat* flat, Arena* arena)
{
    Writer text = {.arena = arena};
    writer_say(&text, "model %s\n", flat->model_name);
    writer_put(&text, flat->vars.count ? "variables\n" : "");
    for (uint32_t i = 0; i < flat->vars.count; i++)
        put_var(&text, flat, &flat->vars.at[i]);
    put_definitions(&text, flat);
    put_reactions(&text, flat);
    for (uint32_t i = 0; i < flat->machines.count; i++)
        put_machine(&text, flat, &flat->machines.at[i]);
    put_checks(&text, flat);
    if (flat->experiment.name)
        put_experiment(&text, flat);
    return writer_text(&text);
}
