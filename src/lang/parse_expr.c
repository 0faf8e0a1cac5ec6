// Expressions: a Pratt parser. The levels are those of the grammar, from `or` (weakest) to `^`.
// `parser->height` is the height of the tree parsed last: trees are never higher than PARSE_DEPTH.
#include "lang/idioms.h"
#include "lang/parse.h"

#include <string.h>

typedef enum Level
{
    LEVEL_NONE,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_RELATION,
    LEVEL_SUM,
    LEVEL_TERM,
    LEVEL_SIGN,
    LEVEL_POWER,
} Level;

typedef struct Infix
{
    Level level;
    ExprOp op;
} Infix;

static const Infix infixes[TOKEN_COUNT] = {
    [TOKEN_OR] = {LEVEL_OR, OP_OR},        [TOKEN_AND] = {LEVEL_AND, OP_AND},    [TOKEN_LT] = {LEVEL_RELATION, OP_LT},
    [TOKEN_LE] = {LEVEL_RELATION, OP_LE},  [TOKEN_GT] = {LEVEL_RELATION, OP_GT}, [TOKEN_GE] = {LEVEL_RELATION, OP_GE},
    [TOKEN_EQ] = {LEVEL_RELATION, OP_EQ},  [TOKEN_NE] = {LEVEL_RELATION, OP_NE}, [TOKEN_PLUS] = {LEVEL_SUM, OP_ADD},
    [TOKEN_MINUS] = {LEVEL_SUM, OP_SUB},   [TOKEN_STAR] = {LEVEL_TERM, OP_MUL},  [TOKEN_SLASH] = {LEVEL_TERM, OP_DIV},
    [TOKEN_CARET] = {LEVEL_POWER, OP_POW},
};

static Expr* parse_level(Parser* parser, Level least);

// A leaf or an inner node whose children were parsed before; the caller sets the height of the latter.
Expr* parser_new_expr(Parser* parser, ExprKind kind, uint32_t start)
{
    if (parser->nodes >= PARSE_NODES && !parser->stopped)
    {
        Diag* diag = parser_error(parser, K_TOO_LARGE, parser_span(parser),
                                  "this file has more than %d expressions; the rest is not read", PARSE_NODES);
        diag_help(parser->diags, diag, "use arrays and `for`, or `table(\"file.csv\", u)` for data");
        parser->stopped = true;
        parser->token.kind = TOKEN_END;
    }
    parser->height = 1;
    if (parser->stopped)
        return parser->error_expr;
    parser->nodes++;
    Expr* expr = arena_new(parser->arena, Expr);
    expr->kind = kind;
    expr->span = parser_span_from(parser, start);
    return expr;
}

static Expr* parser_grow(Parser* parser, Expr* expr, int height)
{
    parser->height = height + 1;
    if (height < PARSE_DEPTH)
        return expr;
    Diag* diag =
        parser_error(parser, K_TOO_DEEP, expr->span, "this expression is more than %d operators deep", PARSE_DEPTH);
    diag_help(parser->diags, diag, "split it: name parts of it with `signal`, or use `sum(i in 1..N, …)`");
    return parser->error_expr;
}

static int greater(int a, int b)
{
    return a > b ? a : b;
}

// ---- atoms

// Words that continue a construct: in front of them an expression is missing, rather than the word being its name.
static bool token_continues(TokenKind kind)
{
    switch (kind)
    {
    case TOKEN_THEN:
    case TOKEN_ELSE:
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_IN:
    case TOKEN_TO:
    case TOKEN_BY:
    case TOKEN_WITHIN:
    case TOKEN_EVERY:
    case TOKEN_IF: return true;
    default: return !token_is_word(kind);
    }
}

static Expr* parse_missing(Parser* parser)
{
    Span span = parser_gap(parser);
    Diag* diag = parser_error(parser, K_MISSING_EXPRESSION, span, "an expression is missing %s this",
                              span.start == parser->token.start ? "before" : "after");
    if (parser_at(parser, TOKEN_IF))
        diag_help(parser->diags, diag, "an `if … then … else …` inside an expression stands in parentheses");
    else if (parser_at(parser, TOKEN_EQUALS))
        diag_help(parser->diags, diag, "`==` compares, `=` defines");
    else if (parser_at(parser, TOKEN_LEFT_BRACE))
        diag_help(parser->diags, diag, "a list is written `[1, 2, 3]`");
    else if (parser_at(parser, TOKEN_PRIME) && !parser->token.suspect)
        diag_help(parser->diags, diag, "a text stands in double quotes: `\"…\"`");
    else if (parser_at(parser, TOKEN_TILDE))
        diag_help(parser->diags, diag, "`not` negates a condition");
    else if (parser_at(parser, TOKEN_EVERY))
        diag_help(parser->diags, diag, "ticks are `clock(T)`");
    else if (parser->last.kind == TOKEN_EQUALS || parser->last.kind == TOKEN_ASSIGN)
        diag_help(parser->diags, diag, "write the value behind `%s`, on the same line", token_text(parser->last.kind));
    parser->height = 1;
    return parser->error_expr;
}

static Expr* parse_number(Parser* parser)
{
    uint32_t start = parser->token.start;
    double number = parser->token.number;
    parser_next(parser);
    Unit* unit = NULL;
    if (parser_at(parser, TOKEN_LEFT_BRACKET) && parser->token.breaks == 0)
    {
        parser_mark(parser, MARK_TIGHT);
        unit = parse_unit(parser);
    }
    Expr* expr = parser_new_expr(parser, EXPR_NUMBER, start);
    expr->number = number;
    expr->unit = unit;
    return expr;
}

static Expr* parse_string(Parser* parser)
{
    uint32_t start = parser->token.start;
    const char* text = parser_string(parser);
    Expr* expr = parser_new_expr(parser, EXPR_STRING, start);
    expr->string = text;
    return expr;
}

static Expr* parse_boolean(Parser* parser)
{
    uint32_t start = parser->token.start;
    bool value = parser_at(parser, TOKEN_TRUE);
    parser_next(parser);
    Expr* expr = parser_new_expr(parser, EXPR_BOOL, start);
    expr->boolean = value;
    return expr;
}

// expr { "," expr } up to the closing bracket; returns the greatest height.
static int parse_list(Parser* parser, ExprList* list)
{
    int height = 0;
    do
    {
        Expr* element = parse_expr(parser);
        height = greater(height, parser->height);
        if (!parser->stopped)
            vec_push(parser->arena, *list, element);
    } while (parser_accept(parser, TOKEN_COMMA));
    return height;
}

static Expr* parse_group(Parser* parser)
{
    uint32_t start = parser->token.start;
    if (!parser_enter(parser))
        return parser->error_expr;
    Span outer;
    Token open = parser_open(parser, &outer);
    Expr* expr = parse_expr(parser);
    parser_close(parser, open, outer, TOKEN_RIGHT_PAREN);
    parser_leave(parser);
    if (expr != parser->error_expr)
    {
        expr->parenthesised = true;
        expr->span = parser_span_from(parser, start);
    }
    return expr;
}

// `[i^2 for i in 1..3]` of other languages, and `[for i in 1..3: i^2]`.
static bool is_comprehension(Parser* parser)
{
    if (parser->panic || !parser_at(parser, TOKEN_FOR))
        return false;
    parser_expected(parser, "an element of the array",
                    "an array whose elements follow a rule is declared with an index: `param p[i in 1..3] = i^2`");
    return true;
}

static Expr* parse_array(Parser* parser)
{
    uint32_t start = parser->token.start;
    if (!parser_enter(parser))
        return parser->error_expr;
    Span outer;
    ExprList items = {0};
    Token open = parser_open(parser, &outer);
    int height = is_comprehension(parser) ? 0 : parse_list(parser, &items);
    if (!is_comprehension(parser))
        parser_close(parser, open, outer, TOKEN_RIGHT_BRACKET);
    parser_leave(parser);
    Expr* expr = parser_new_expr(parser, EXPR_ARRAY, start);
    expr->items = items;
    return parser_grow(parser, expr, height);
}

static Expr* parse_fold(Parser* parser, ExprOp op)
{
    uint32_t start = parser->token.start;
    if (!parser_enter(parser))
        return parser->error_expr;
    parser_next(parser);
    Expr fold = {.op_span = parser_span_from(parser, start)};
    int height = 1;
    if (parser_at(parser, TOKEN_LEFT_PAREN))
    {
        Span outer, span;
        parser_mark(parser, MARK_TIGHT);
        Token open = parser_open(parser, &outer);
        fold.index = parser_name(parser, "the name of an index", &span);
        if (!parser_accept(parser, TOKEN_IN))
            parser_expected(parser, "`in` after the index", "a fold runs over an index: `sum(i in 1..size(x), x[i])`");
        fold.range = parse_range(parser);
        fold.range.index_span = span;
        height = parser->height;
        parser_expect(parser, TOKEN_COMMA, "after the range");
        fold.a = parse_expr(parser);
        height = greater(height, parser->height);
        parser_close(parser, open, outer, TOKEN_RIGHT_PAREN);
    }
    else
        parser_expected(parser, "`(` after the fold", "write `sum(i in 1..N, x[i])`");
    parser_leave(parser);
    Expr* expr = parser_new_expr(parser, EXPR_FOLD, start);
    if (expr == parser->error_expr || !fold.a)
        return parser->error_expr;
    expr->op = op;
    expr->op_span = fold.op_span;
    expr->index = fold.index;
    expr->range = fold.range;
    expr->a = fold.a;
    return parser_grow(parser, expr, height);
}

static int parse_arguments(Parser* parser, ExprList* items)
{
    Span outer;
    int height = 0;
    if (!parser_enter(parser))
        return 0;
    parser_mark(parser, MARK_TIGHT);
    Token open = parser_open(parser, &outer);
    if (!parser_at(parser, TOKEN_RIGHT_PAREN))
        height = parse_list(parser, items);
    parser_close(parser, open, outer, TOKEN_RIGHT_PAREN);
    parser_leave(parser);
    return height;
}

static Expr* parse_path_or_call(Parser* parser)
{
    uint32_t start = parser->token.start;
    parser->height = 0;
    Path* path = parse_path(parser);
    int height = parser->height;
    ExprList items = {0};
    int order = parse_primes(parser);
    bool call = order == 0 && parser_at(parser, TOKEN_LEFT_PAREN) && parser_same_line(parser) && !parser->panic;
    if (call)
        height = greater(height, parse_arguments(parser, &items));
    Expr* expr = parser_new_expr(parser, call ? EXPR_CALL : EXPR_PATH, start);
    expr->path = path;
    expr->order = order;
    expr->items = items;
    return parser_grow(parser, expr, height);
}

// `x = 3 +` and on the next line `y = 1`: the operand is missing, `y` is not it.
static bool parse_at_next_item(const Parser* parser)
{
    return !parser_same_line(parser) && !parser->compares && parser_line_defines(parser);
}

// `any(i in …` and `all(i in …`: these two are no reserved words, events are called so.
static bool parse_at_named_fold(const Parser* parser, const char* word)
{
    uint32_t length = parser->token.end - parser->token.start;
    if (length != strlen(word) || memcmp(parser->lexer.text + parser->token.start, word, length) != 0)
        return false;
    Lexer lexer = parser->lexer;
    lexer.diags = NULL;
    return lexer_next(&lexer).kind == TOKEN_LEFT_PAREN && lexer_next(&lexer).kind == TOKEN_NAME &&
           lexer_next(&lexer).kind == TOKEN_IN;
}

static Expr* parse_atom(Parser* parser)
{
    switch (parser->panic ? TOKEN_END : parser->token.kind)
    {
    case TOKEN_NUMBER: return parse_number(parser);
    case TOKEN_STRING: return parse_string(parser);
    case TOKEN_TRUE:
    case TOKEN_FALSE: return parse_boolean(parser);
    case TOKEN_LEFT_PAREN: return parse_group(parser);
    case TOKEN_LEFT_BRACKET: return parse_array(parser);
    case TOKEN_SUM:
    case TOKEN_PRODUCT:
    case TOKEN_LEAST:
    case TOKEN_GREATEST:
    case TOKEN_FORALL:
    case TOKEN_EXISTS: return parse_fold(parser, FOLD_SUM + (parser->token.kind - TOKEN_SUM));
    case TOKEN_NAME:
        if (parse_at_named_fold(parser, "any"))
            return parse_fold(parser, FOLD_EXISTS);
        if (parse_at_named_fold(parser, "all"))
            return parse_fold(parser, FOLD_FORALL);
        if (parse_at_next_item(parser))
            return parse_missing(parser);
        return parse_path_or_call(parser);
    default:
        if (token_continues(parser->token.kind) || !parser_same_line(parser))
            return parse_missing(parser);
        if (parser_at(parser, TOKEN_INITIAL))
        {
            parser_expected(parser, "a value", idiom_function("initial"));
            return parser->error_expr;
        }
        return parse_path_or_call(parser);  // reports the word that cannot be a name
    }
}

// ---- operators

static Expr* parse_unary(Parser* parser, ExprOp op, Level operand)
{
    Span sign = parser_span(parser);
    if (!parser_enter(parser))
        return parser->error_expr;
    if (op != OP_NOT)
        parser_mark(parser, MARK_SIGN);
    parser_next(parser);
    Expr* a = parse_level(parser, operand);
    int height = parser->height;
    parser_leave(parser);
    Expr* expr = parser_new_expr(parser, EXPR_UNARY, sign.start);
    if (expr == parser->error_expr)
        return expr;
    expr->op = op;
    expr->op_span = sign;
    expr->a = a;
    return parser_grow(parser, expr, height);
}

static Expr* parse_prefix(Parser* parser, Level least)
{
    if (parser_at(parser, TOKEN_MINUS))
        return parse_unary(parser, OP_NEG, LEVEL_SIGN);
    if (parser_at(parser, TOKEN_PLUS))
        return parse_unary(parser, OP_PLUS, LEVEL_SIGN);
    if (!parser_at(parser, TOKEN_NOT))
        return parse_atom(parser);
    if (least > LEVEL_NOT)
    {
        Diag* diag = parser_error(parser, K_UNEXPECTED, parser_span(parser), "`not` cannot follow this operator");
        diag_help(parser->diags, diag, "put it in parentheses: `(not …)`");
        return parser->error_expr;
    }
    return parse_unary(parser, OP_NOT, LEVEL_NOT);
}

// `=` where only a comparison makes sense. A path that begins its line before it is rather the next item, and a
// bracket above is not closed.
static Infix parse_equals_slip(Parser* parser, const Expr* left)
{
    if (parser->open > 0 && left->span.start == parser->line_token && left->kind == EXPR_PATH)
    {
        Diag* diag = parser_error(parser, K_UNCLOSED, parser->bracket, "this `%c` is not closed",
                                  parser->lexer.text[parser->bracket.start]);
        diag_note(parser->diags, diag, left->span, "a new item seems to start here");
        parser->panic_open = 0;
        return (Infix){LEVEL_NONE, OP_NONE};
    }
    Diag* diag = parser_slip(parser, K_WRONG_EQUALS, parser_span(parser), "`=` defines, it does not compare");
    diag_help(parser->diags, diag, "write `==`");
    return infixes[TOKEN_EQ];
}

static Infix parse_infix(Parser* parser, Level least, const Expr* left)
{
    Infix none = {LEVEL_NONE, OP_NONE};
    if (parser->panic)
        return none;
    if (parser_at(parser, TOKEN_EQUALS) && (parser->compares || parser->open > 0) && least <= LEVEL_RELATION)
        return parse_equals_slip(parser, left);
    if (parser->arrows && parser->token.suspect && parser_at(parser, TOKEN_GE))
        return none;
    Infix infix = infixes[parser->token.kind];
    return infix.level >= least ? infix : none;
}

static void parse_chain_slip(Parser* parser, const Expr* left, Infix infix)
{
    if (infix.level != LEVEL_RELATION || left->kind != EXPR_BINARY || left->parenthesised || left->op < OP_LT ||
        left->op > OP_NE)
        return;
    Diag* diag = parser_slip(parser, K_CHAINED_RELATION, parser_span(parser), "comparisons do not chain");
    diag_help(parser->diags, diag, "write `a < b and b < c`");
    parser->muted = true;  // until the item ends: one message for the whole chain
}

static Expr* parse_operand(Parser* parser, Infix infix)
{
    if (infix.level != LEVEL_POWER)
        return parse_level(parser, infix.level + 1);
    if (!parser_enter(parser))  // `^` takes the rest to its right: this is a recursion
        return parser->error_expr;
    Expr* exponent = parse_level(parser, LEVEL_SIGN);
    parser_leave(parser);
    return exponent;
}

static Expr* parse_level(Parser* parser, Level least)
{
    Expr* left = parse_prefix(parser, least);
    int height = parser->height;
    for (;;)
    {
        Infix infix = parse_infix(parser, least, left);
        if (infix.level == LEVEL_NONE)
            break;
        parse_chain_slip(parser, left, infix);
        Span sign = parser_span(parser);
        parser_next(parser);
        Expr* right = parse_operand(parser, infix);
        height = greater(height, parser->height);
        Expr* expr = parser_new_expr(parser, EXPR_BINARY, left->span.start);
        if (expr == parser->error_expr)
            return expr;
        expr->op = infix.op;
        expr->op_span = sign;
        expr->a = left;
        expr->b = right;
        left = parser_grow(parser, expr, height);
        height = parser->height;
    }
    parser->height = height;
    return left;
}

static bool parser_at_name(const Parser* parser, const char* words)
{
    return !parser->panic && parser_at(parser, TOKEN_NAME) && idiom_lists(words, parser_text(parser, parser->token));
}

static Expr* parse_if(Parser* parser)
{
    uint32_t start = parser->token.start;
    Span sign = parser_span(parser);
    if (!parser_enter(parser))
        return parser->error_expr;
    parser_next(parser);
    Expr* a = parse_condition(parser);
    int height = parser->height;
    if (!parser->panic && !parser_at(parser, TOKEN_THEN))
        parser_expected(parser, "`then` behind the condition", "a choice is written `if condition then a else b`");
    parser_accept(parser, TOKEN_THEN);
    Expr* b = parse_expr(parser);
    height = greater(height, parser->height);
    if (parser_at_name(parser, " elseif elsif elif ElseIf "))
        parser_expected(parser, "`else` behind the value of `then`", "write `else if`");
    else if (!parser->panic && !parser_at(parser, TOKEN_ELSE))
        parser_expected(parser, "`else` and a value", "a choice has both: `if condition then a else b`");
    parser_accept(parser, TOKEN_ELSE);
    Expr* c = parse_expr(parser);
    height = greater(height, parser->height);
    parser_leave(parser);
    Expr* expr = parser_new_expr(parser, EXPR_IF, start);
    if (expr == parser->error_expr)
        return expr;
    expr->op_span = sign;
    expr->a = a;
    expr->b = b;
    expr->c = c;
    return parser_grow(parser, expr, height);
}

Expr* parse_expr(Parser* parser)
{
    if (parser_at(parser, TOKEN_IF) && !parser->panic)
        return parse_if(parser);
    return parse_level(parser, LEVEL_OR);
}

Expr* parse_sum(Parser* parser)
{
    return parse_level(parser, LEVEL_SUM);
}

Expr* parse_condition(Parser* parser)
{
    bool compares = parser->compares;
    parser->compares = true;
    Expr* expr = parse_expr(parser);
    parser->compares = compares;
    return expr;
}

// ---- the value of a definition

static void parse_equals(Parser* parser, TokenKind sign, const char* after)
{
    TokenKind kind = parser->token.kind;
    if (parser->panic || parser_accept(parser, sign))
        return;
    if (kind != TOKEN_EQUALS && kind != TOKEN_ASSIGN && kind != TOKEN_EQ)
    {
        parser_error(parser, K_UNEXPECTED, parser_span(parser), "expected `%s` after %s, found %s", token_text(sign),
                     after, parser_found(parser));
        return;
    }
    Diag* diag = parser_slip(parser, K_WRONG_EQUALS, parser_span(parser), "`%s` where `%s` is needed", token_text(kind),
                             token_text(sign));
    if (sign == TOKEN_EQUALS)
        diag_help(parser->diags, diag, "`=` defines; `:=` is for the actions of `when`, `==` compares");
    else
        diag_help(parser->diags, diag, "an action sets a value with `:=`");
    parser_next(parser);
}

Expr* parse_value(Parser* parser, TokenKind sign, const char* after)
{
    parse_equals(parser, sign, after);
    if (parser->panic)
        return parser->error_expr;
    if (parser_same_line(parser))
        return parse_expr(parser);
    Span span = {parser->file, parser->last.start, parser->last.end};
    bool item = parser_at(parser, TOKEN_IF) ? false : parser_line_defines(parser);
    if (item || parser_at(parser, TOKEN_END) || parser_at(parser, TOKEN_RIGHT_BRACE) ||
        token_starts_file_part(parser->token.kind))
        return parse_missing(parser);
    Diag* diag = parser_slip(parser, K_VALUE_LAYOUT, span, "the expression after `%s` starts on the same line",
                             token_text(sign));
    diag_help(parser->diags, diag, "move it up; it may continue on the next line after an operator");
    return parse_expr(parser);
}
