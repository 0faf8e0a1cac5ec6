// Paths, indices, primes, ranges, units, arguments: the small things between brackets.
#include "lang/parse.h"

// ---- brackets

static const char unit_advice[] =
    "units are written `[m/s^2]`, `[kV]`, `[N*m]`, `[J/(kg*K)]`, `[1/min]`, `[degC]`, `[%]`";

// Inside brackets lines do not count and `=` in an expression is a slip.
Token parser_open(Parser* parser, Span* outer)
{
    Token open = parser->token;
    *outer = parser->bracket;
    parser->bracket = parser_span(parser);
    parser->open++;
    parser_next(parser);
    return open;
}

// What something that is not the closing bracket was meant for.
static const char* close_advice(const Parser* parser, Token open, TokenKind kind)
{
    TokenKind next = parser_peek(parser).kind;
    if (parser_at(parser, TOKEN_COMMA) && kind == TOKEN_RIGHT_PAREN && next == TOKEN_STRING)
        return "a text that explains follows without a comma: `assert x < 3 \"why\"`";
    if (parser_at(parser, TOKEN_COMMA) && kind == TOKEN_RIGHT_PAREN)
        return "a list is written `[1, 2, 3]`, a decimal point `1.5`";
    if (kind != TOKEN_RIGHT_BRACKET)
        return "is an operator missing before it, or a `)`?";
    return parser->lexer.text[open.start] == '[' && parser->in_unit
               ? unit_advice
               : "commas stand between elements, rows are lists: `[[1, 2], [3, 4]]`";
}

static bool token_ends_item(const Parser* parser)
{
    TokenKind kind = parser->token.kind;
    return parser->token.breaks > 0 || kind == TOKEN_END || kind == TOKEN_SEMICOLON || kind == TOKEN_LEFT_BRACE ||
           kind == TOKEN_RIGHT_BRACE || token_starts_file_part(kind);
}

void parser_close(Parser* parser, Token open, Span outer, TokenKind kind)
{
    Span span = {parser->file, open.start, open.end};
    if (!parser_accept(parser, kind) && !parser->panic)
    {
        if (token_ends_item(parser))
            parser_unclosed(parser, span, token_text(kind));
        else
        {
            Diag* diag = parser_error(parser, K_UNEXPECTED, parser_span(parser), "expected `%s`, found %s",
                                      token_text(kind), parser_found(parser));
            diag_note(parser->diags, diag, span, "to close the `%s` here", token_text(open.kind));
            diag_help(parser->diags, diag, "%s", close_advice(parser, open, kind));
        }
    }
    parser->bracket = outer;
    parser->open -= parser->open > 0;
}

// ---- paths

static void parse_index(Parser* parser, PathStep* step)
{
    int height = parser->height;
    if (!parser_at(parser, TOKEN_LEFT_BRACKET) || !parser_same_line(parser) || !parser_enter(parser))
        return;
    Span outer;
    parser_mark(parser, MARK_TIGHT);
    Token open = parser_open(parser, &outer);
    step->index = parse_expr(parser);
    if (parser->height < height)
        parser->height = height;
    parser_close(parser, open, outer, TOKEN_RIGHT_BRACKET);
    parser_leave(parser);
}

static void parse_step(Parser* parser, Path* path, bool first)
{
    PathStep step = {0};
    if (!first && parser_at(parser, TOKEN_MODE))
        step.name = parser_take_name(parser, &step.span);
    else
        step.name = parser_name(parser, "a name", &step.span);
    if (!parser->panic)
        parse_index(parser, &step);
    vec_push(parser->arena, path->steps, step);
}

// The machine of the model itself can be named: `mode == open`, `record mode`. A name behind it: a mode is declared.
static bool parse_at_own_mode(const Parser* parser)
{
    return parser_at(parser, TOKEN_MODE) && parser_same_line(parser) && parser_peek(parser).kind != TOKEN_NAME;
}

Path* parse_path(Parser* parser)
{
    Path* path = arena_new(parser->arena, Path);
    uint32_t start = parser->token.start;
    parse_step(parser, path, !parse_at_own_mode(parser));
    while (!parser->panic && parser_accept(parser, TOKEN_DOT))
        parse_step(parser, path, false);
    path->span = parser_span_from(parser, start);
    return path;
}

int parse_primes(Parser* parser)
{
    int order = 0;
    while (!parser->panic && parser_at(parser, TOKEN_PRIME))
    {
        if (parser->token.start != parser->last.end)
        {
            Diag* diag = parser_error(parser, K_UNEXPECTED, parser_span(parser), "`'` directly follows a name");
            diag_help(parser->diags, diag, "remove the blank before it: `x'`");
            return order;
        }
        parser_next(parser);
        order++;
    }
    return order;
}

// ---- ranges

Range parse_range(Parser* parser)
{
    Range range = {0};
    range.from = parse_sum(parser);
    int height = parser->height;
    if (!parser->panic && !parser_accept(parser, TOKEN_DOT_DOT))
        parser_expected(parser, "`..` in a range", "a range is written `1..N`, both ends included");
    range.to = parse_sum(parser);
    if (parser->height < height)
        parser->height = height;
    return range;
}

// The rest of "[" IDENT "in" range "]", from the name on.
void parse_array_range(Parser* parser, const char** index, Range* range)
{
    Span span;
    *index = parser_name(parser, "the name of an index", &span);
    if (!parser->panic && !parser_at(parser, TOKEN_IN))
        parser_expected(parser, "`in` after the index", "an array is written `[i in 1..N]`");
    parser_accept(parser, TOKEN_IN);
    *range = parse_range(parser);
    range->index_span = span;
}

// ---- units

static int parse_exponent(Parser* parser)
{
    if (parser_at(parser, TOKEN_RAISED))  // ² of m·s⁻²
    {
        int raised = (int)parser->token.number;
        parser_mark(parser, MARK_TIGHT);
        parser_next(parser);
        return raised;
    }
    if (!parser_at(parser, TOKEN_CARET))
        return 1;
    parser_mark(parser, MARK_TIGHT);
    if (!parser_accept(parser, TOKEN_CARET))
        return 1;
    if (parser_at(parser, TOKEN_MINUS))
        parser_mark(parser, MARK_TIGHT | MARK_SIGN);
    int sign = parser_accept(parser, TOKEN_MINUS) ? -1 : 1;
    double number = parser->token.number;
    if (!parser_at(parser, TOKEN_NUMBER))
        parser_expected(parser, "a whole number as exponent of the unit", "write `[m/s^2]` or `[s^-1]`");
    else if (number > 99 || number != (double)(int)number)
    {
        Diag* diag =
            parser_error(parser, K_BAD_UNIT, parser_span(parser), "the exponent of a unit is a whole number up to 99");
        diag_help(parser->diags, diag, "leave the unit out where there is none such");
    }
    else
    {
        parser_next(parser);
        return sign * (int)number;
    }
    return 1;
}

static void parse_unit_terms(Parser* parser, Unit* unit, int sign);

// `(kg*K)` of J/(kg*K); groups do not nest.
static bool parse_unit_group(Parser* parser, Unit* unit, int sign)
{
    Span outer;
    if (!parser_at(parser, TOKEN_LEFT_PAREN) || parser->unit_group)
        return false;
    Token open = parser_open(parser, &outer);
    parser->unit_group = true;
    parse_unit_terms(parser, unit, sign);
    parser->unit_group = false;
    parser_close(parser, open, outer, TOKEN_RIGHT_PAREN);
    return true;
}

static void parse_unit_term(Parser* parser, Unit* unit, int sign)
{
    UnitTerm term = {.span = parser_span(parser)};
    if (parse_unit_group(parser, unit, sign))
        return;
    if (parser_at(parser, TOKEN_NUMBER))
    {
        term.number = parser->token.number;
        parser_next(parser);
    }
    else if (parser_at(parser, TOKEN_NAME) || (token_is_word(parser->token.kind) && parser_same_line(parser)))
        term.name = parser_take_name(parser, &term.span);  // `in`: no unit, as the elaborator says
    else
        parser_expected(parser, "the name of a unit",
                        parser_at(parser, TOKEN_RIGHT_BRACKET) || parser_at(parser, TOKEN_MINUS)
                            ? "a plain number has no unit at all: leave the brackets out"
                            : unit_advice);
    term.exponent = parser->panic ? sign : sign * parse_exponent(parser);
    term.span = parser_span_from(parser, term.span.start);
    vec_push(parser->arena, unit->terms, term);
}

static bool unit_is_bare(const Unit* unit)
{
    for (uint32_t i = 0; i < unit->terms.count; i++)
        if (unit->terms.at[i].name)
            return false;
    return true;
}

static void unit_check(Parser* parser, const Unit* unit, bool declaration)
{
    if (parser->panic || !unit_is_bare(unit))
        return;
    Diag* diag = parser_slip(parser, K_BAD_UNIT, unit->span, "a number is not a unit");
    if (declaration)
        diag_help(parser->diags, diag, "an array is written `x[i in 1..3]`; a plain number has no unit at all");
    else
        diag_help(parser->diags, diag, "leave it out, or name a unit as in `5[s]`");
}

// Between two terms: `*`, `/`, or only a blank. Behind a `/` a blank would leave open what is divided.
static bool parse_unit_joint(Parser* parser, int outer, int* sign)
{
    if (parser_at(parser, TOKEN_STAR) || parser_at(parser, TOKEN_SLASH))
    {
        *sign = parser_at(parser, TOKEN_SLASH) ? -outer : outer;
        parser_mark(parser, MARK_TIGHT);
        parser_next(parser);
        parser_mark(parser, MARK_TIGHT);
        return true;
    }
    bool name = parser_at(parser, TOKEN_NAME) || (token_is_word(parser->token.kind) && !parser_at(parser, TOKEN_IN));
    if (parser->panic || !name || !parser_same_line(parser))
        return false;
    if (*sign == outer)
        return true;
    Diag* diag = parser_slip(parser, K_BAD_UNIT, parser_span(parser), "is this divided too?");
    diag_help(parser->diags, diag, "write `[J/(kg*K)]` or `[J/kg*K]`");
    return true;
}

// uterm { ( "*" | "/" | ) uterm }
static void parse_unit_terms(Parser* parser, Unit* unit, int outer)
{
    int sign = outer;
    do
        parse_unit_term(parser, unit, sign);
    while (!parser->panic && parse_unit_joint(parser, outer, &sign));
}

static Unit* parse_unit_rest(Parser* parser, Token open, Span outer, bool declaration)
{
    Unit* unit = arena_new(parser->arena, Unit);
    parser->in_unit = true;
    parse_unit_terms(parser, unit, 1);
    parser_mark(parser, MARK_TIGHT);
    parser_close(parser, open, outer, TOKEN_RIGHT_BRACKET);
    parser->in_unit = false;
    unit->span = parser_span_from(parser, open.start);
    unit_check(parser, unit, declaration);
    return unit;
}

Unit* parse_unit(Parser* parser)
{
    Span outer;
    Token open = parser_open(parser, &outer);
    return parse_unit_rest(parser, open, outer, false);
}

static bool parser_at_var_bracket(const Parser* parser)
{
    return !parser->panic && parser_at(parser, TOKEN_LEFT_BRACKET) && parser->token.breaks == 0;
}

// After a declared name: `[i in 1..N]`, `[unit]`, or the two in this order.
void parse_var_brackets(Parser* parser, Var* var)
{
    if (!parser_at_var_bracket(parser))
        return;
    Span outer;
    Token open = parser_open(parser, &outer);
    if (!parser_at(parser, TOKEN_NAME) || parser_peek(parser).kind != TOKEN_IN)
    {
        var->unit = parse_unit_rest(parser, open, outer, true);
        return;
    }
    if (parser->marks)  // the `[` itself, seen only now to belong to the name
        vec_push(parser->arena, *parser->marks, (Mark){open.start, MARK_TIGHT});
    parse_array_range(parser, &var->index, &var->range);
    parser_close(parser, open, outer, TOKEN_RIGHT_BRACKET);
    if (parser_at_var_bracket(parser))
        var->unit = parse_unit(parser);
}

// ---- arguments

static void parse_arg(Parser* parser, ArgList* args)
{
    Arg arg = {0};
    const char* advice = "arguments are named: `Ball(m = 2)`";
    if (!parser_at(parser, TOKEN_NAME) && !token_is_word(parser->token.kind))
        return parser_expected(parser, "the name of an argument", advice);
    arg.name = parser_name(parser, "the name of an argument", &arg.span);
    if (!parser_at(parser, TOKEN_EQUALS) && !parser_at(parser, TOKEN_ASSIGN) && !parser_at(parser, TOKEN_EQ))
        parser_expected(parser, "`=` after the name of an argument", advice);
    arg.value = parse_value(parser, TOKEN_EQUALS, "the name of an argument");
    vec_push(parser->arena, *args, arg);
}

void parse_args(Parser* parser, ArgList* args)
{
    Span outer;
    parser_mark(parser, MARK_TIGHT);
    Token open = parser_open(parser, &outer);
    if (!parser_at(parser, TOKEN_RIGHT_PAREN))
        do
            parse_arg(parser, args);
        while (parser_accept(parser, TOKEN_COMMA));
    parser_close(parser, open, outer, TOKEN_RIGHT_PAREN);
}
