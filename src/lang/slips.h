// Signs of other languages and look-alikes from outside ASCII, with what was meant: the message names the remedy and
// the parser goes on as if it had been written.
#ifndef KAIROS_LANG_SLIPS_H
#define KAIROS_LANG_SLIPS_H

#include "lang/lexer.h"

typedef struct Slip
{
    const char* text;
    TokenKind meant;
    const char *message, *help;
} Slip;

// The slip at the start of `text`, or NULL; `length` receives its bytes.
const Slip* slip_find(const char* text, size_t available, size_t* length);
bool slip_starts(char c);
bool slip_lookalike(uint32_t code_point);

#endif
