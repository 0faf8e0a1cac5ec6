// Inside src/lang: the state of a parse and what its parts (files, items, expressions, experiments) share.
//
// Errors: `parser_error` reports once and puts the parser into panic, in which nothing more is reported until the
// block that holds the broken item has skipped to the next one. `parser_slip` reports and goes on as if the right
// thing had been written.
#ifndef KAIROS_LANG_PARSE_H
#define KAIROS_LANG_PARSE_H

#include "lang/ast.h"
#include "lang/lexer.h"
#include "lang/parser.h"

enum
{
    PARSE_NODES = 2000000,  // expressions in one file; each takes about 200 bytes
};

// What the parser knows about a token and the formatter needs.
typedef enum MarkRole
{
    MARK_ITEM = 1,   // starts an item, mode, action, setting or top-level thing
    MARK_TIGHT = 2,  // no blank before it (and, for an operator, none behind)
    MARK_SIGN = 4,   // a unary operator: no blank behind
} MarkRole;

typedef struct Mark
{
    uint32_t offset;
    unsigned roles;
} Mark;
typedef VEC(Mark) MarkList;

typedef struct Parser
{
    Arena* arena;
    Interner* names;
    Diags* diags;
    Lexer lexer;
    Token token;  // the one that is looked at
    Token last;   // the one before it
    uint32_t file;
    bool panic;            // an error was reported and its item is not left yet
    bool muted;            // the item is already known to be out of place
    bool stopped;          // too large: the rest of the file is not read
    bool unclosed;         // a missing brace was reported
    bool arrows;           // in the trigger of a transition: `=>` is meant as `->`
    bool unit_group;       // inside the parentheses of a unit
    bool in_unit;          // inside the brackets of a unit
    bool compares;         // `=` in this expression can only be meant as `==`
    int open, panic_open;  // parentheses and brackets around the token; when the panic began
    Span bracket;          // the innermost of them
    int depth, height;     // nesting so far; height of the expression parsed last
    uint32_t nodes;
    uint32_t line_token;  // the token that begins the line, and its indentation
    uint32_t indent;
    Span lost;  // a brace whose closing one is missing, judged by indentation
    Expr* error_expr;
    const char* no_name;
    FileAst* ast;
    int balanced;     // the braces of the file: 1 they are, -1 they are not, 0 not asked yet
    MarkList* marks;  // or NULL
    char found[64];
} Parser;

// ---- tokens (parser.c)

void parser_next(Parser* parser);
Token parser_peek(const Parser* parser);  // the token after the one that is looked at
bool parser_accept(Parser* parser, TokenKind kind);
bool parser_expect(Parser* parser, TokenKind kind, const char* where);
const char* parser_name(Parser* parser, const char* what, Span* span);
const char* parser_take_name(Parser* parser, Span* span);  // whatever the token is
const char* parser_string(Parser* parser);                 // of an optional STRING, or NULL
void parser_mark(Parser* parser, unsigned roles);
const char* parser_text(const Parser* parser, Token token);  // as written

static inline bool parser_at(const Parser* parser, TokenKind kind)
{
    return parser->token.kind == kind;
}
static inline Span parser_span(const Parser* parser)
{
    return (Span){parser->file, parser->token.start, parser->token.end};
}
static inline Span parser_span_from(const Parser* parser, uint32_t start)
{
    return (Span){parser->file, start, parser->last.end > start ? parser->last.end : start};
}
// On the line of the token before, or inside brackets, where lines do not count.
static inline bool parser_same_line(const Parser* parser)
{
    return parser->token.breaks == 0 || parser->open > 0;
}

// ---- errors (recover.c)

bool parser_may_report(Parser* parser);
const char* parser_found(Parser* parser);  // "`x`" or "the end of the file"
#define parser_error(parser, code, span, ...)                                                                          \
    (parser_may_report(parser) ? diag_error((parser)->diags, code, span, __VA_ARGS__) : NULL)
#define parser_slip(parser, code, span, ...)                                                                           \
    ((parser)->panic || (parser)->muted ? NULL : diag_error((parser)->diags, code, span, __VA_ARGS__))
Span parser_gap(const Parser* parser);  // of the token, or of the one before if that ends the line
void parser_expected(Parser* parser, const char* what, const char* help);
void parser_unclosed(Parser* parser, Span open, const char* sign);
bool parser_line_defines(const Parser* parser);
void parser_sync(Parser* parser, uint32_t item_start);
bool parser_recover_brace(Parser* parser);
bool parser_enter(Parser* parser);  // one level deeper; false (and panic) if that is too deep
void parser_leave(Parser* parser);

// ---- blocks (block.c)

typedef void ParseOne(Parser* parser, void* list);
void parse_block(Parser* parser, const char* owner, ParseOne* one, void* list);
bool token_starts_item(TokenKind kind);
bool token_starts_file_part(TokenKind kind);

// ---- expressions (parse_expr.c), paths, units and ranges (parse_path.c)

Expr* parse_expr(Parser* parser);
Expr* parse_sum(Parser* parser);
Expr* parse_condition(Parser* parser);                                 // `=` is taken for `==`, and reported
Expr* parse_value(Parser* parser, TokenKind sign, const char* after);  // sign expr, on one line
Expr* parser_new_expr(Parser* parser, ExprKind kind, uint32_t start);
Path* parse_path(Parser* parser);
int parse_primes(Parser* parser);
Range parse_range(Parser* parser);
void parse_array_range(Parser* parser, const char** index, Range* range);
Unit* parse_unit(Parser* parser);
void parse_var_brackets(Parser* parser, Var* var);
void parse_args(Parser* parser, ArgList* args);
Token parser_open(Parser* parser, Span* outer);  // a bracket at the token: consumes it
void parser_close(Parser* parser, Token open, Span outer, TokenKind kind);

// ---- items (parse_item.c), reactions (parse_reaction.c), experiments (parse_experiment.c)

void parse_item(Parser* parser, void* items);
void parse_mode(Parser* parser, void* modes);
Item* parser_new_item(Parser* parser, ItemKind kind);
void parser_end_item(Parser* parser, Item* item, ItemList* items);
void parser_misplaced(Parser* parser, const char* message, const char* help);
void parse_when(Parser* parser, ItemList* items, Expr* weight);
void parse_transition(Parser* parser, ItemList* items, Expr* weight);
void parse_choose(Parser* parser, ItemList* items);
void parse_experiment(Parser* parser, FileAst* ast);
void parse_function(Parser* parser, FileAst* ast, bool external);
void parse_part_inside(Parser* parser);  // a part of the file where none can stand: read, and broken

FileAst* parse_file_marked(Arena* arena, Interner* names, const Sources* sources, uint32_t file, Diags* diags,
                           MarkList* marks);

#endif
