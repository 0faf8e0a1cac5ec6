// The items of a model: declarations, definitions, instances, modes, bonds and the rest.
#include "base/spread.h"
#include "lang/idioms.h"
#include "lang/parse.h"

#include <string.h>

Item* parser_new_item(Parser* parser, ItemKind kind)
{
    Item* item = arena_new(parser->arena, Item);
    item->kind = kind;
    item->span = item->name_span = parser_span(parser);
    return item;
}

void parser_end_item(Parser* parser, Item* item, ItemList* items)
{
    item->span = parser_span_from(parser, item->span.start);
    vec_push(parser->arena, *items, item);
}

void parser_misplaced(Parser* parser, const char* message, const char* help)
{
    Diag* diag = parser_error(parser, K_MISPLACED, parser_span(parser), "%s", message);
    diag_help(parser->diags, diag, "%s", help);
}

// ---- declarations

// `state q = 0 nominal 1e-12`. The word is a name elsewhere.
static void parse_nominal(Parser* parser, const Item* item, Var* var)
{
    static const char word[] = "nominal";
    uint32_t length = parser->token.end - parser->token.start;
    bool here = item->decl == DECL_STATE && parser_at(parser, TOKEN_NAME) && parser_same_line(parser) &&
                !parser->panic && length == sizeof word - 1 &&
                memcmp(parser->lexer.text + parser->token.start, word, length) == 0;
    if (!here)
        return;
    parser_next(parser);
    var->nominal = parse_sum(parser);
}

static Expr* new_binary(Parser* parser, ExprOp op, Expr* a, Expr* b)
{
    Expr* expr = parser_new_expr(parser, EXPR_BINARY, 0);
    expr->span = a->span;
    expr->op = op;
    expr->a = a;
    expr->b = b;
    return expr;
}

static Expr* new_number(Parser* parser, double number, Span span)
{
    Expr* expr = parser_new_expr(parser, EXPR_NUMBER, 0);
    expr->span = span;
    expr->number = number;
    return expr;
}

// The value of a parameter where nothing is drawn. What is no distribution is told when the model is elaborated.
static Expr* spread_value(Parser* parser, const Expr* spread)
{
    bool call = spread->kind == EXPR_CALL && spread->path->steps.count == 1;
    for (int i = 0; call && i < SPREAD_KINDS; i++)
    {
        SpreadRule rule = spread_rule((SpreadKind)i);
        if (strcmp(spread->path->steps.at[0].name, rule.word) != 0 || spread->items.count != rule.count)
            continue;
        if (rule.nominal > 0)
            return i == SPREAD_EXPONENTIAL
                       ? new_binary(parser, OP_DIV, new_number(parser, 1, spread->span), spread->items.at[0])
                       : spread->items.at[rule.nominal - 1];
        Expr* sum = new_binary(parser, OP_ADD, spread->items.at[0], spread->items.at[1]);
        return new_binary(parser, OP_MUL, new_number(parser, 0.5, spread->span), sum);
    }
    return new_number(parser, 0, spread->span);
}

// `input Real u`: the type is passed over, and reported once.
static void parse_foreign_type(Parser* parser)
{
    Token next = parser_at(parser, TOKEN_NAME) ? parser_peek(parser) : parser->token;
    if (parser->panic || !parser_at(parser, TOKEN_NAME) || next.kind != TOKEN_NAME || next.breaks > 0 ||
        !idiom_is_type(parser_text(parser, parser->token)))
        return;
    Diag* diag = parser_slip(parser, K_UNEXPECTED, parser_span(parser), "a declaration has no type, here `%s`",
                             parser_text(parser, parser->token));
    diag_help(parser->diags, diag, "leave it out: `%s %s`", parser_text(parser, parser->last),
              parser_text(parser, next));
    parser_next(parser);
}

static void parse_var(Parser* parser, Item* item, const char* what)
{
    Var var = {0};
    parse_foreign_type(parser);
    if (parser_at(parser, TOKEN_NUMBER) && parser->last.kind == TOKEN_COMMA)
    {
        parser_expected(parser, what, "a decimal point is a point: `1.5`");
        return;
    }
    var.name = parser_name(parser, what, &var.span);
    if (parser->panic)
        return;
    parse_var_brackets(parser, &var);
    if (!parser->panic &&
        (parser_at(parser, TOKEN_EQUALS) || parser_at(parser, TOKEN_ASSIGN) || parser_at(parser, TOKEN_EQ)))
        var.init = parse_value(parser, TOKEN_EQUALS, "the name");
    else if (!parser->panic && item->decl == DECL_STATE && parser_at(parser, TOKEN_TILDE))
    {
        var.guessed = true;
        var.init = parse_value(parser, TOKEN_TILDE, "the name");
    }
    else if (!parser->panic && item->decl == DECL_PARAM && parser_at(parser, TOKEN_TILDE))
    {
        var.spread = parse_value(parser, TOKEN_TILDE, "the name");
        var.init = var.spread != NULL ? spread_value(parser, var.spread) : NULL;
    }
    parse_nominal(parser, item, &var);
    var.description = parser_string(parser);
    vec_push(parser->arena, item->vars, var);
}

// `param a = 1, param b = 2`
static void parse_repeated_word(Parser* parser)
{
    Diag* diag = parser_slip(parser, K_ITEM_LAYOUT, parser_span(parser), "`%s` stands once, before the first name",
                             token_text(parser->token.kind));
    diag_help(parser->diags, diag, "leave the second one out, or write `;` instead of the comma");
    parser_next(parser);
}

static void parse_decl(Parser* parser, ItemList* items)
{
    Item* item = parser_new_item(parser, ITEM_DECL);
    item->decl = DECL_PARAM + (parser->token.kind - TOKEN_PARAM);
    item->is_event = item->decl == DECL_EVENT;
    TokenKind first = parser->token.kind;
    parser_next(parser);
    bool directed = item->decl == DECL_INPUT || item->decl == DECL_OUTPUT;
    if (directed && parser_accept(parser, TOKEN_EVENT))
        item->is_event = true;
    do
    {
        if (parser->token.kind == first && parser->last.kind == TOKEN_COMMA)
            parse_repeated_word(parser);
        parse_var(parser, item, "a name to declare");
    } while (parser_accept(parser, TOKEN_COMMA));
    parser_end_item(parser, item, items);
}

static void parse_port(Parser* parser, ItemList* items)
{
    Item* item = parser_new_item(parser, ITEM_PORT);
    parser_next(parser);
    do
    {
        PowerPort port = {0};
        Span span;
        port.name = parser_name(parser, "the name of a port", &port.span);
        if (parser_accept(parser, TOKEN_COLON))
            port.domain = parser_name(parser, "the domain of a port", &span);
        if (!parser->panic)
            vec_push(parser->arena, item->ports, port);
    } while (parser_accept(parser, TOKEN_COMMA));
    parser_end_item(parser, item, items);
}

// ---- definitions and instances

static void parse_instance(Parser* parser, Item* item)
{
    item->kind = ITEM_INSTANCE;
    item->name = item->path->steps.at[0].name;
    item->path = NULL;
    item->value = NULL;
    parser_next(parser);
    item->island = parser_accept(parser, TOKEN_ISLAND);
    item->type = parser_name(parser, "the name of a model or element", &item->type_span);
    if (!parser->panic && parser_at(parser, TOKEN_LEFT_BRACKET) && parser->token.breaks == 0)
    {
        Span outer;
        parser_mark(parser, MARK_TIGHT);
        Token open = parser_open(parser, &outer);
        parse_array_range(parser, &item->index, &item->range);
        parser_close(parser, open, outer, TOKEN_RIGHT_BRACKET);
    }
    if (!parser->panic && parser_at(parser, TOKEN_LEFT_PAREN) && parser->token.breaks == 0)
        parse_args(parser, &item->args);
    item->is_switched = parser_accept(parser, TOKEN_SWITCHED);
    if (item->is_switched)
        parse_block(parser, "switched junction", parse_mode, &item->modes);
}

// `der(x) = …`, `x(0) = 3`, `connect(a, b)`: what stands in the parentheses decides.
static const char* parse_call_advice(const Parser* parser, const char* name)
{
    Lexer lexer = parser->lexer;
    lexer.diags = NULL;
    Token inner = lexer_next(&lexer), behind = lexer_next(&lexer);
    if (idiom_is_derivative(name))
        return inner.kind == TOKEN_NAME && behind.kind == TOKEN_RIGHT_PAREN
                   ? arena_printf(parser->arena, "a derivative is defined with `%s' = …`", parser_text(parser, inner))
                   : "a derivative is defined with `x' = …`";
    if (idiom_function(name))
        return idiom_function(name);
    if (inner.kind == TOKEN_NUMBER && behind.kind == TOKEN_RIGHT_PAREN && lexer_next(&lexer).kind == TOKEN_EQUALS)
        return "a start value stands in the declaration, `state x = 3`; a condition at the start is `initial x == 3`";
    return "nothing is called between items: a value is defined, `y = f(x)`, an instance is `name : Model(k = 3)`";
}

// `Real y(start = 1)`, `Resistor R1(R = 100)`: two names side by side.
static const char* parse_names_advice(const Parser* parser, const char* name)
{
    const char* second = parser_text(parser, parser->token);
    if (idiom_is_type(name))
        return arena_printf(parser->arena,
                            "write `state %s = 0` for what has a derivative, `discrete %s = 0` for what only actions "
                            "change, `signal %s = …` for the rest",
                            second, second, second);
    if (strcmp(name, "parameter") == 0 || strcmp(name, "constant") == 0 || strcmp(name, "const") == 0)
    {
        Token next = parser_peek(parser);
        bool typed = idiom_is_type(second) && next.kind == TOKEN_NAME && next.breaks == 0;
        return typed ? arena_printf(parser->arena, "write `param %s = …`", parser_text(parser, next)) : NULL;
    }
    if (idiom_item(name) || name[0] < 'A' || name[0] > 'Z')
        return NULL;
    return arena_printf(parser->arena, "an instance is written `%s : %s`, its arguments behind it, `(k = 3)`", second,
                        name);
}

static const char* parse_item_advice(const Parser* parser, const char* name)
{
    const char* names = parser_at(parser, TOKEN_NAME) ? parse_names_advice(parser, name) : NULL;
    if (names)
        return names;
    const char* idiom = idiom_item(name);
    if (idiom)
        return idiom;
    if (idiom_is_type(name))
        return "a declaration has no type: `state x = 0`, `discrete n = 0`, `signal y = …`";
    if (parser_at(parser, TOKEN_SLASH) && name[0] == 'd')
        return name[1] != 0 ? arena_printf(parser->arena, "a derivative is defined with `%s' = …`", name + 1)
                            : "a derivative is defined with `x' = …`";
    if (parser_at(parser, TOKEN_LEFT_PAREN))
        return parse_call_advice(parser, name);
    uint32_t count;
    const char* const* words = token_words(&count);
    const char* near = diag_nearest(name, words, count);
    for (uint32_t i = 0; i < count && !near; i++)  // `paramtr`: far, but it starts like a word
        near = strlen(words[i]) > 4 && strncmp(name, words[i], 4) == 0 ? words[i] : NULL;
    if (near && (parser_at(parser, TOKEN_NAME) || parser_at(parser, TOKEN_LEFT_BRACE)))
        return arena_printf(parser->arena, "did you mean `%s`?", near);
    return "an item is a declaration, `name = …`, `name' = …` or `name : Model`";
}

static void parse_not_an_item(Parser* parser, const Path* path)
{
    bool next_line = parser->token.breaks > 0 || parser_at(parser, TOKEN_END) || parser_at(parser, TOKEN_RIGHT_BRACE) ||
                     parser_at(parser, TOKEN_SEMICOLON);
    Diag* diag = NULL;
    if (next_line)
        diag = parser_error(parser, K_UNEXPECTED, path->span, "expected `=`, `'` or `:` after `%s`",
                            path->steps.at[0].name);
    else
        diag = parser_error(parser, K_UNEXPECTED, parser_span(parser), "expected `=`, `'` or `:` after `%s`, found %s",
                            path->steps.at[0].name, parser_found(parser));
    if (diag && diag != &parser->diags->dropped)
        diag_help(parser->diags, diag, "%s", parse_item_advice(parser, path->steps.at[0].name));
}

static void parse_definition(Parser* parser, Item* item)
{
    bool plain = item->path->steps.count == 1 && !item->path->steps.at[0].index;
    if (item->order > 1 && !plain)
    {
        Diag* diag = parser_slip(parser, K_TOO_MANY_PRIMES, item->name_span,
                                 "a second derivative is defined for a plain name only");
        diag_help(parser->diags, diag, "introduce a state for the first derivative: `x[i]' = v[i]`, `v[i]' = …`");
    }
    item->value = parse_value(parser, TOKEN_EQUALS, "the name");
}

// `invariant : Checker(…)` is an instance, `invariant: x < 3` is not.
static bool starts_like_model(const Parser* parser)
{
    Token type = parser_peek(parser);
    char first = parser->lexer.text[type.start];
    return type.kind == TOKEN_NAME && first >= 'A' && first <= 'Z';
}

static void parse_name_item(Parser* parser, ItemList* items)
{
    Item* item = parser_new_item(parser, ITEM_DEF);
    item->value = parser->error_expr;
    item->path = parse_path(parser);
    bool plain = item->path->steps.count == 1 && !item->path->steps.at[0].index;
    item->order = parse_primes(parser);
    item->name_span = parser_span_from(parser, item->span.start);
    TokenKind kind = parser->token.kind;
    if (parser->panic)
        return;
    const char* idiom = kind == TOKEN_COLON && plain ? idiom_item(item->path->steps.at[0].name) : NULL;
    if (idiom && parser_peek(parser).kind != TOKEN_ISLAND && !starts_like_model(parser))
    {
        Diag* diag = parser_error(parser, K_UNEXPECTED, item->path->span, "there is no `%s:` in a model",
                                  item->path->steps.at[0].name);
        diag_help(parser->diags, diag, "%s", idiom);
    }
    else if (kind == TOKEN_COLON && plain && item->order == 0)
        parse_instance(parser, item);
    else if (kind == TOKEN_EQUALS || kind == TOKEN_ASSIGN || kind == TOKEN_EQ || item->order > 0)
        parse_definition(parser, item);
    else
        return parse_not_an_item(parser, item->path);
    parser_end_item(parser, item, items);
}

// ---- modes

static void parse_mode_switch(Parser* parser, Mode* mode)
{
    if (!parser_accept(parser, TOKEN_COLON))
        return;
    mode->switch_state = parser_at(parser, TOKEN_SWITCH_ON) ? 1 : parser_at(parser, TOKEN_SWITCH_OFF) ? 2 : 0;
    if (mode->switch_state)
        parser_next(parser);
    else
        parser_expected(parser, "`ON` or `OFF`", "a switched junction is ON or OFF in each of its modes");
}

void parse_mode(Parser* parser, void* modes)
{
    ModeList* list = modes;
    Mode* mode = arena_new(parser->arena, Mode);
    bool named = parser_at(parser, TOKEN_INITIAL) && parser_peek(parser).kind == TOKEN_MODE;
    if (!named && !parser_at(parser, TOKEN_MODE))
        return parser_misplaced(parser, "only modes stand here", "write `mode name { … }` around it");
    mode->initial = parser_accept(parser, TOKEN_INITIAL);
    parser_next(parser);
    mode->name = parser_name(parser, "the name of a mode", &mode->span);
    parse_mode_switch(parser, mode);
    parse_block(parser, "mode", parse_item, &mode->items);
    vec_push(parser->arena, *list, mode);
}

static void parse_modes(Parser* parser, ItemList* items)
{
    Item* item = parser_new_item(parser, ITEM_MODES);
    parser_next(parser);
    parse_block(parser, "list of modes", parse_mode, &item->modes);
    parser_end_item(parser, item, items);
}

// A mode outside `modes`: reported, parsed and forgotten, so that its contents are still checked.
static void parse_stray_mode(Parser* parser)
{
    ModeList forgotten = {0};
    Diag* diag =
        parser_slip(parser, K_MISPLACED, parser_span(parser), "a mode stands in `modes { … }` or `switched { … }`");
    diag_help(parser->diags, diag, "write `modes {` before the first mode and `}` after the last");
    parse_mode(parser, &forgotten);
}

static void parse_initial(Parser* parser, ItemList* items)
{
    if (parser_peek(parser).kind == TOKEN_MODE)
        return parse_stray_mode(parser);
    Item* item = parser_new_item(parser, ITEM_INITIAL);
    parser_next(parser);
    if (parser_at(parser, TOKEN_EQUATION) || parser_at(parser, TOKEN_LEFT_BRACE) || parser_at(parser, TOKEN_COLON))
        parser_expected(parser, "an equation", "write one `initial x == 1` for each; a start value is `state x = 1`");
    item->value = parse_condition(parser);
    parser_end_item(parser, item, items);
}

static void parse_equation(Parser* parser, ItemList* items)
{
    Item* item = parser_new_item(parser, ITEM_EQUATION);
    parser_next(parser);
    if (parser->token.breaks > 0 && parser_line_defines(parser))
    {
        Diag* diag = parser_error(parser, K_UNEXPECTED, parser_gap(parser), "`equation` is no heading");
        diag_help(
            parser->diags, diag,
            "definitions stand directly in the model, `y = …`, `x' = …`; what is to be solved is `equation a == b`");
        return;
    }
    item->value = parse_condition(parser);
    parser_end_item(parser, item, items);
}

// ---- the rest

static void parse_for(Parser* parser, ItemList* items)
{
    Item* item = parser_new_item(parser, ITEM_FOR);
    parser_next(parser);
    item->index = parser_name(parser, "the name of an index", &item->name_span);
    if (!parser->panic && !parser_accept(parser, TOKEN_IN))
        parser_expected(parser, "`in` after the index", "write `for i in 1..N { … }`");
    item->range = parse_range(parser);
    item->range.index_span = item->name_span;
    parse_block(parser, "`for`", parse_item, &item->items);
    parser_end_item(parser, item, items);
}

static void parse_option(Parser* parser, ItemList* items)
{
    Item* item = parser_new_item(parser, ITEM_IF);
    parser_next(parser);
    item->value = parse_condition(parser);
    if (!parser->panic && parser_at(parser, TOKEN_THEN))
    {
        Diag* diag = parser_error(parser, K_UNEXPECTED, parser_span(parser), "expected `{` after the condition");
        diag_help(parser->diags, diag, "`if … then … else …` is an expression; items stand in `if … { … }`");
    }
    parse_block(parser, "`if`", parse_item, &item->items);
    parser_end_item(parser, item, items);
}

static void parse_bond(Parser* parser, ItemList* items)
{
    Item* item = parser_new_item(parser, ITEM_BOND);
    parser_next(parser);
    if (parser_accept(parser, TOKEN_AS))
        item->name = parser_name(parser, "the name of a bond", &item->name_span);
    do
        vec_push(parser->arena, item->paths, parse_path(parser));
    while (parser_accept(parser, TOKEN_ARROW));
    if (!parser->panic && item->paths.count < 2)
        parser_expected(parser, "`->` in a bond", "a bond is written `bond a -> b`, or `bond as name a -> b`");
    parser_end_item(parser, item, items);
}

static void parse_connect(Parser* parser, ItemList* items)
{
    Item* item = parser_new_item(parser, ITEM_CONNECT);
    parser_next(parser);
    if (parser_at(parser, TOKEN_LEFT_PAREN))
        parser_expected(parser, "a port", "ports are joined without parentheses: `connect a.p, b.n`");
    do
        vec_push(parser->arena, item->paths, parse_path(parser));
    while (parser_accept(parser, TOKEN_COMMA));
    if (!parser->panic && item->paths.count < 2)
        parser_expected(parser, "`,` and a second port", "ports are joined with `connect a.p, b.n`");
    parser_end_item(parser, item, items);
}

static void parse_assert(Parser* parser, ItemList* items)
{
    Item* item = parser_new_item(parser, ITEM_ASSERT);
    parser_next(parser);
    item->value = parse_condition(parser);
    if (!parser->panic && parser_at(parser, TOKEN_COMMA) && parser_peek(parser).kind == TOKEN_STRING)
        parser_expected(parser, "the end of the condition", "the text follows without a comma: `assert x < 3 \"why\"`");
    item->text = parser_string(parser);
    parser_end_item(parser, item, items);
}

static void parse_item_elsewhere(Parser* parser)
{
    switch (parser->token.kind)
    {
    case TOKEN_WEIGHT:
        return parser_misplaced(parser, "`weight` stands before an alternative of `choose`",
                                "write `choose { weight 2 : when … { … } }`");
    case TOKEN_EMIT:
    case TOKEN_HALT: return parser_misplaced(parser, "this is an action", "write `when event { … }` around it");
    case TOKEN_RECORD:
    case TOKEN_PLOT:
    case TOKEN_SWEEP:
    case TOKEN_EXPECT:
        return parser_misplaced(parser, "this belongs in an experiment",
                                "write `experiment name of Model { … }` below the model");
    case TOKEN_ELSE:
        return parser_expected(parser, "an item", "there is no `else` between items; write `if not … { … }`");
    default: return parser_expected(parser, "an item", "words of the language cannot be names");
    }
}

// No production has a word of the language before `=` or `'`: it was meant as a name.
static bool parser_at_word_as_name(const Parser* parser)
{
    if (!token_is_word(parser->token.kind))
        return false;
    TokenKind next = parser_peek(parser).kind;
    return next == TOKEN_EQUALS || next == TOKEN_PRIME || next == TOKEN_ASSIGN;
}

typedef void ParseItem(Parser* parser, ItemList* items);

static ParseItem* item_parser(TokenKind kind)
{
    static ParseItem* const parsers[TOKEN_COUNT] = {
        [TOKEN_NAME] = parse_name_item,    [TOKEN_PARAM] = parse_decl,      [TOKEN_STATE] = parse_decl,
        [TOKEN_DISCRETE] = parse_decl,     [TOKEN_SIGNAL] = parse_decl,     [TOKEN_EVENT] = parse_decl,
        [TOKEN_INPUT] = parse_decl,        [TOKEN_OUTPUT] = parse_decl,     [TOKEN_PORT] = parse_port,
        [TOKEN_FOR] = parse_for,           [TOKEN_IF] = parse_option,       [TOKEN_CHOOSE] = parse_choose,
        [TOKEN_MODES] = parse_modes,       [TOKEN_BOND] = parse_bond,       [TOKEN_CONNECT] = parse_connect,
        [TOKEN_ASSERT] = parse_assert,     [TOKEN_INITIAL] = parse_initial, [TOKEN_UNKNOWN] = parse_decl,
        [TOKEN_EQUATION] = parse_equation,
    };
    return parsers[kind];
}

void parse_item(Parser* parser, void* list)
{
    ItemList* items = list;
    if (parser_at_word_as_name(parser))
    {
        parser->token.breaks = 0;  // so that it is taken for the name it is meant to be
        return parse_name_item(parser, items);
    }
    TokenKind kind = parser->token.kind;
    if (kind == TOKEN_WHEN)
        return parse_when(parser, items, NULL);
    if (kind == TOKEN_ON || kind == TOKEN_PREEMPT)
        return parse_transition(parser, items, NULL);
    if (kind == TOKEN_MODE)
        return parse_stray_mode(parser);
    ParseItem* parse = item_parser(kind);
    if (parse)
        parse(parser, items);
    else
        parse_item_elsewhere(parser);
}
