// Text → tokens, one at a time. Reports what is wrong with single tokens and hands on the token that was most likely
// meant (`&&` becomes `and`), marked as suspect, so that one slip gives one message.
#ifndef KAIROS_LANG_LEXER_H
#define KAIROS_LANG_LEXER_H

#include "base/intern.h"
#include "lang/diagnostics.h"

#include <locale.h>

typedef enum TokenKind
{
#define CLASS(name, text) TOKEN_##name,
#define SIGN(name, text) TOKEN_##name,
#define WORD(name, text) TOKEN_##name,
#include "lang/tokens.def"
#undef CLASS
#undef SIGN
#undef WORD
    TOKEN_COUNT,
    TOKEN_FIRST_WORD = TOKEN_IMPORT,
} TokenKind;

typedef struct Token
{
    TokenKind kind;
    uint32_t start, end;
    uint32_t breaks;  // line breaks between the token before and this one
    bool suspect;     // an error was reported in this token or in what was skipped before it
    double number;    // NUMBER
} Token;

typedef struct Lexer
{
    const char* text;
    uint32_t length, at, file;
    Diags* diags;        // NULL: look, do not report
    bool keep_comments;  // hand out COMMENT tokens
    bool block_open;     // there is no more end of a block comment ahead
    bool made;           // the text is ours: names may begin with $
    bool first;          // nothing handed out yet
    bool in_bracket;     // behind a `[`, on its line: there may be a unit
    locale_t locale;     // numbers have a point whatever the locale of the program
} Lexer;

void lexer_init(Lexer* lexer, const Sources* sources, uint32_t file, Diags* diags);
Token lexer_next(Lexer* lexer);
// The contents of a STRING token with its escapes resolved, in the arena.
const char* lexer_string(const Lexer* lexer, Token token, Arena* arena);

const char* token_text(TokenKind kind);  // "and", "(", "a name"
static inline bool token_is_word(TokenKind kind)
{
    return kind >= TOKEN_FIRST_WORD && kind < TOKEN_COUNT;
}
const char* const* token_words(uint32_t* count);

#endif
