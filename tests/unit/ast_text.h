// A syntax tree as one line of text, spans left out: what tests compare trees with.
#ifndef KAIROS_TESTS_AST_TEXT_H
#define KAIROS_TESTS_AST_TEXT_H

#include "lang/ast.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct AstText
{
    Arena* arena;
    VEC(char) text;
} AstText;

__attribute__((format(printf, 2, 3))) static void put(AstText* out, const char* format, ...)
{
    char small[128], *text = small;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if ((size_t)length >= sizeof small)
    {
        text = arena_alloc(out->arena, (size_t)length + 1);
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    for (int i = 0; i < length; i++)
        vec_push(out->arena, out->text, text[i]);
}

static void put_expr(AstText* out, const Expr* expr);

static void put_text(AstText* out, const char* text)
{
    if (text)
        put(out, " \"%s\"", text);
}

static void put_unit(AstText* out, const Unit* unit)
{
    if (!unit)
        return;
    put(out, "[");
    for (uint32_t i = 0; i < unit->terms.count; i++)
    {
        const UnitTerm* term = &unit->terms.at[i];
        if (term->name)
            put(out, "%s%s^%d", i ? " " : "", term->name, term->exponent);
        else
            put(out, "%s%.17g^%d", i ? " " : "", term->number, term->exponent);
    }
    put(out, "]");
}

static void put_path(AstText* out, const Path* path)
{
    for (uint32_t i = 0; i < path->steps.count; i++)
    {
        put(out, "%s%s", i ? "." : "", path->steps.at[i].name);
        if (path->steps.at[i].index)
        {
            put(out, "[");
            put_expr(out, path->steps.at[i].index);
            put(out, "]");
        }
    }
}

static void put_list(AstText* out, const ExprList* list)
{
    for (uint32_t i = 0; i < list->count; i++)
    {
        put(out, " ");
        put_expr(out, list->at[i]);
    }
}

static void put_range(AstText* out, const char* index, Range range)
{
    if (!index)
        return;
    put(out, "{%s ", index);
    put_expr(out, range.from);
    put(out, "..");
    put_expr(out, range.to);
    put(out, "}");
}

static void put_expr(AstText* out, const Expr* expr)
{
    static const char* const ops[] = {"?",   "+",   "-",       "*",     "/",        "^",      "<",     "<=",
                                      ">",   ">=",  "==",      "!=",    "and",      "or",     "-",     "+",
                                      "not", "sum", "product", "least", "greatest", "forall", "exists"};
    const char* op = ops[expr->op];
    if (expr->parenthesised)
        put(out, "<");
    switch (expr->kind)
    {
    case EXPR_ERROR: put(out, "ERROR"); break;
    case EXPR_NUMBER:
        put(out, "%.17g", expr->number);
        put_unit(out, expr->unit);
        break;
    case EXPR_STRING: put(out, "\"%s\"", expr->string); break;
    case EXPR_BOOL: put(out, expr->boolean ? "true" : "false"); break;
    case EXPR_ARRAY:
        put(out, "(array");
        put_list(out, &expr->items);
        put(out, ")");
        break;
    case EXPR_PATH:
        put_path(out, expr->path);
        for (int i = 0; i < expr->order; i++)
            put(out, "'");
        break;
    case EXPR_CALL:
        put(out, "(call ");
        put_path(out, expr->path);
        put_list(out, &expr->items);
        put(out, ")");
        break;
    case EXPR_IF: op = "if"; __attribute__((fallthrough));
    case EXPR_UNARY:
    case EXPR_BINARY:
        put(out, "(%s ", op);
        put_expr(out, expr->a);
        for (int i = 0; i < 2; i++)
            if (i ? expr->c : expr->b)
            {
                put(out, " ");
                put_expr(out, i ? expr->c : expr->b);
            }
        put(out, ")");
        break;
    case EXPR_FOLD:
        put(out, "(%s ", op);
        put_range(out, expr->index, expr->range);
        put(out, " ");
        put_expr(out, expr->a);
        put(out, ")");
        break;
    }
    if (expr->parenthesised)
        put(out, ">");
}

static void put_optional(AstText* out, const char* label, const Expr* expr)
{
    if (!expr)
        return;
    put(out, " %s", label);
    put_expr(out, expr);
}

static void put_items(AstText* out, const ItemList* items);

static void put_args(AstText* out, const ArgList* args)
{
    for (uint32_t i = 0; i < args->count; i++)
    {
        put(out, " %s=", args->at[i].name);
        put_expr(out, args->at[i].value);
    }
}

static void put_actions(AstText* out, const ActionList* actions)
{
    for (uint32_t i = 0; i < actions->count; i++)
    {
        const Action* action = &actions->at[i];
        put(out, " (%s", action->kind == ACTION_ASSIGN ? "set " : action->kind == ACTION_EMIT ? "emit " : "halt");
        if (action->target)
            put_path(out, action->target);
        put_optional(out, "", action->value);
        put_text(out, action->text);
        put(out, ")");
    }
}

static void put_modes(AstText* out, const ModeList* modes)
{
    static const char* const switches[] = {"", ":ON", ":OFF"};
    for (uint32_t i = 0; i < modes->count; i++)
    {
        const Mode* mode = modes->at[i];
        put(out, " (%smode %s%s", mode->initial ? "initial-" : "", mode->name, switches[mode->switch_state]);
        put_items(out, &mode->items);
        put(out, ")");
    }
}

static void put_var(AstText* out, const Var* var)
{
    put(out, " (%s", var->name);
    put_range(out, var->index, var->range);
    put_unit(out, var->unit);
    put_optional(out, "= ", var->init);
    put_text(out, var->description);
    put(out, ")");
}

static void put_item(AstText* out, const Item* item)
{
    static const char* const kinds[] = {"",      "port", "def",  "instance", "for",     "if",       "when",  "choose",
                                        "modes", "on",   "bond", "connect",  "initial", "equation", "assert"};
    static const char* const decls[] = {"param", "state", "discrete", "signal", "event", "input", "output", "unknown"};
    put(out, " (%s%s", item->kind == ITEM_DECL ? decls[item->decl] : kinds[item->kind],
        item->kind == ITEM_DECL && item->is_event && item->decl != DECL_EVENT ? "-event" : "");
    put(out, "%s%s%s", item->island ? "-island" : "", item->preempt ? "-preempt" : "", item->resume ? "-resume" : "");
    put_optional(out, "weight:", item->weight);
    if (item->name)
        put(out, " %s", item->name);
    if (item->type)
        put(out, ":%s", item->type);
    put_range(out, item->index, item->range);
    for (uint32_t i = 0; i < item->vars.count; i++)
        put_var(out, &item->vars.at[i]);
    for (uint32_t i = 0; i < item->ports.count; i++)
        put(out, " %s:%s", item->ports.at[i].name, item->ports.at[i].domain ? item->ports.at[i].domain : "");
    if (item->path)
    {
        put(out, " ");
        put_path(out, item->path);
    }
    for (int i = 0; i < item->order; i++)
        put(out, "'");
    for (uint32_t i = 0; i < item->paths.count; i++)
    {
        put(out, " ");
        put_path(out, item->paths.at[i]);
    }
    put_args(out, &item->args);
    put_optional(out, "", item->value);
    put_optional(out, "if ", item->guard);
    if (item->target)
        put(out, " ->%s", item->target);
    put_text(out, item->text);
    put(out, "%s", item->is_switched ? " switched" : "");
    put_items(out, &item->items);
    put_modes(out, &item->modes);
    put_actions(out, &item->actions);
    put(out, ")");
}

static void put_items(AstText* out, const ItemList* items)
{
    for (uint32_t i = 0; i < items->count; i++)
        put_item(out, items->at[i]);
}

static void put_setting(AstText* out, const Setting* setting)
{
    static const char* const kinds[] = {"set", "record", "plot", "sweep", "expect"};
    put(out, " (%s", kinds[setting->kind]);
    if (setting->name)
        put(out, " %s", setting->name);
    for (uint32_t i = 0; i < setting->paths.count; i++)
    {
        put(out, " ");
        put_path(out, setting->paths.at[i]);
    }
    if (setting->path)
    {
        put(out, " @");
        put_path(out, setting->path);
    }
    put_list(out, &setting->values);
    put_optional(out, "", setting->value);
    put_optional(out, "every ", setting->every);
    put_optional(out, "from ", setting->from);
    put_optional(out, "to ", setting->to);
    put_optional(out, "by ", setting->by);
    put_optional(out, "~ ", setting->target);
    put_optional(out, "within ", setting->within);
    put_text(out, setting->text);
    put(out, ")");
}

static const char* ast_text(Arena* arena, const FileAst* ast)
{
    AstText out = {.arena = arena};
    for (uint32_t i = 0; i < ast->imports.count; i++)
        put(&out, "(import \"%s\")", ast->imports.at[i].path);
    for (uint32_t i = 0; i < ast->functions.count; i++)
    {
        const Function* function = ast->functions.at[i];
        put(&out, "(function %s", function->name);
        for (uint32_t j = 0; j < function->params.count; j++)
            put(&out, " %s", function->params.at[j]);
        put_optional(&out, "= ", function->body);
        put_text(&out, function->symbol);
        put(&out, ")");
    }
    for (uint32_t i = 0; i < ast->models.count; i++)
    {
        put(&out, "(model %s", ast->models.at[i]->name);
        put_text(&out, ast->models.at[i]->description);
        put_items(&out, &ast->models.at[i]->items);
        put(&out, ")");
    }
    for (uint32_t i = 0; i < ast->experiments.count; i++)
    {
        const Experiment* experiment = ast->experiments.at[i];
        put(&out, "(experiment %s of %s", experiment->name, experiment->model);
        put_args(&out, &experiment->args);
        for (uint32_t j = 0; j < experiment->settings.count; j++)
            put_setting(&out, experiment->settings.at[j]);
        put(&out, ")");
    }
    vec_push(arena, out.text, '\0');
    return out.text.at;
}

#endif
