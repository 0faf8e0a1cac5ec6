// Functions, external functions and experiments.
#include "lang/parse.h"

// ---- functions

static void parse_parameters(Parser* parser, Function* function)
{
    Span outer, span;
    if (parser->panic || !parser_at(parser, TOKEN_LEFT_PAREN))
        return parser_expected(parser, "`(` after the name of a function", "write `function f(x) = x^2`");
    parser_mark(parser, MARK_TIGHT);
    Token open = parser_open(parser, &outer);
    if (!parser_at(parser, TOKEN_RIGHT_PAREN))
        do
        {
            const char* name = parser_name(parser, "the name of a parameter", &span);
            vec_push(parser->arena, function->params, name);
            vec_push(parser->arena, function->param_spans, span);
        } while (parser_accept(parser, TOKEN_COMMA));
    parser_close(parser, open, outer, TOKEN_RIGHT_PAREN);
}

static void parse_symbol(Parser* parser, Function* function)
{
    parser_expect(parser, TOKEN_EQUALS, "after the parameters");
    function->symbol = parser_string(parser);
    if (!function->symbol)
        parser_expected(parser, "a string", "an external function is written `external f(x) = \"library:symbol\"`");
}

void parse_function(Parser* parser, FileAst* ast, bool external)
{
    Function* function = arena_new(parser->arena, Function);
    parser_next(parser);
    function->name = parser_name(parser, "the name of a function", &function->span);
    parse_parameters(parser, function);
    if (parser->panic)
        return;
    if (external)
        parse_symbol(parser, function);
    else
        function->body = parse_value(parser, TOKEN_EQUALS, "the parameters");
    if (function->body || function->symbol)
        vec_push(parser->arena, ast->functions, function);
}

// ---- settings

static void parse_setting_paths(Parser* parser, Setting* setting)
{
    parser_next(parser);
    do
        vec_push(parser->arena, setting->paths, parse_path(parser));
    while (parser_accept(parser, TOKEN_COMMA));
}

static void parse_record(Parser* parser, Setting* setting)
{
    setting->kind = SETTING_RECORD;
    parse_setting_paths(parser, setting);
    if (parser_accept(parser, TOKEN_EVERY))
        setting->every = parse_condition(parser);
}

static void parse_plot(Parser* parser, Setting* setting)
{
    setting->kind = SETTING_PLOT;
    parse_setting_paths(parser, setting);
    if (parser_accept(parser, TOKEN_AGAINST))
        setting->path = parse_path(parser);
}

static void parse_sweep_list(Parser* parser, Setting* setting)
{
    if (!parser_at(parser, TOKEN_LEFT_PAREN))
        return parser_expected(parser, "`(` after `in`", "write `sweep p in (1, 2, 5)`");
    Span outer;
    Token open = parser_open(parser, &outer);
    do
        vec_push(parser->arena, setting->values, parse_expr(parser));
    while (parser_accept(parser, TOKEN_COMMA));
    parser_close(parser, open, outer, TOKEN_RIGHT_PAREN);
}

static void parse_sweep(Parser* parser, Setting* setting)
{
    setting->kind = SETTING_SWEEP;
    parser_next(parser);
    setting->path = parse_path(parser);
    if (parser_accept(parser, TOKEN_IN))
        return parse_sweep_list(parser, setting);
    if (!parser->panic && !parser_at(parser, TOKEN_FROM))
        parser_expected(parser, "`in` or `from`", "write `sweep p in (1, 2)` or `sweep p from 0 to 1 by 0.1`");
    parser_accept(parser, TOKEN_FROM);
    setting->from = parse_condition(parser);
    parser_expect(parser, TOKEN_TO, "in a sweep");
    setting->to = parse_condition(parser);
    parser_expect(parser, TOKEN_BY, "in a sweep");
    setting->by = parse_condition(parser);
}

// `x == 2 +-0.1` would be x == 1.9: who writes the two signs as one means a tolerance.
static void refuse_plus_minus(Parser* parser, const Expr* expr)
{
    if (parser->panic || expr->kind != EXPR_BINARY)
        return;
    bool meant = expr->op == OP_ADD && expr->b->kind == EXPR_UNARY && expr->b->op == OP_NEG &&
                 expr->op_span.end == expr->b->span.start && !expr->b->parenthesised;
    if (!meant)
    {
        refuse_plus_minus(parser, expr->a);
        refuse_plus_minus(parser, expr->b);
        return;
    }
    Diag* diag =
        parser_slip(parser, K_FOREIGN_OPERATOR, expr->op_span, "`+-` is not an operator: a tolerance is meant");
    diag_help(parser->diags, diag, "write `expect x ~ 2 within 0.1`; a sum with a blank between the signs, `2 + -0.1`");
}

static void parse_expectation(Parser* parser, Setting* setting)
{
    setting->kind = SETTING_EXPECT;
    parser_next(parser);
    setting->value = parse_condition(parser);
    refuse_plus_minus(parser, setting->value);
    if (parser_accept(parser, TOKEN_TILDE))
    {
        setting->target = parse_condition(parser);
        if (!parser->panic && !parser_accept(parser, TOKEN_WITHIN))
            parser_expected(parser, "`within`", "say how near: `expect final(x) ~ 2 within 1e-6`");
        setting->within = parse_condition(parser);
    }
    setting->text = parser_string(parser);
}

static void parse_named_setting(Parser* parser, Setting* setting)
{
    setting->kind = SETTING_VALUE;
    setting->name = parser_name(parser, "the name of a setting", &setting->name_span);
    if (!parser->panic && parser_at(parser, TOKEN_NAME))  // `set p = 1`
        return parser_expected(parser, "`=` after the name of a setting",
                               "parameters are given where the model is named: `experiment name of Model(p = 1)`");
    setting->value = parse_value(parser, TOKEN_EQUALS, "the name of a setting");
}

static void parse_setting(Parser* parser, void* owner)
{
    Experiment* experiment = owner;
    Setting* setting = arena_new(parser->arena, Setting);
    setting->span = parser_span(parser);
    TokenKind kind = parser->token.kind;
    bool word_as_name = token_is_word(kind) && parser_peek(parser).kind == TOKEN_EQUALS;
    if (word_as_name)
        parser->token.breaks = 0;  // reported as a word that cannot be a name
    if (kind == TOKEN_NAME || word_as_name)
        parse_named_setting(parser, setting);
    else if (kind == TOKEN_RECORD)
        parse_record(parser, setting);
    else if (kind == TOKEN_PLOT)
        parse_plot(parser, setting);
    else if (kind == TOKEN_SWEEP)
        parse_sweep(parser, setting);
    else if (kind == TOKEN_EXPECT)
        parse_expectation(parser, setting);
    else
        return parser_misplaced(parser, "an experiment holds settings only",
                                "move this into the model; set its parameters in `experiment name of Model(p = 1)`");
    setting->span = parser_span_from(parser, setting->span.start);
    vec_push(parser->arena, experiment->settings, setting);
}

void parse_experiment(Parser* parser, FileAst* ast)
{
    Experiment* experiment = arena_new(parser->arena, Experiment);
    parser_next(parser);
    experiment->name = parser_name(parser, "the name of an experiment", &experiment->span);
    if (!parser_accept(parser, TOKEN_OF))
        parser_expected(parser, "`of` after the name of an experiment",
                        "an experiment is written `experiment name of Model { stop = 1 }`");
    experiment->model = parser_name(parser, "the name of a model", &experiment->model_span);
    if (!parser->panic && parser_at(parser, TOKEN_LEFT_PAREN) && parser->token.breaks == 0)
        parse_args(parser, &experiment->args);
    parse_block(parser, "experiment", parse_setting, experiment);
    vec_push(parser->arena, ast->experiments, experiment);
}
