// A card read from left to right.
#include "spice/netlist.h"

#include <string.h>

const Sign* cursor_sign(const Cursor* c)
{
    uint32_t at = c->at < c->card->count ? c->at : c->card->count;
    return &c->card->signs[at];
}

const Sign* cursor_take(Cursor* c)
{
    const Sign* sign = cursor_sign(c);
    c->at += c->at < c->card->count;
    return sign;
}

bool cursor_accept(Cursor* c, SignKind kind)
{
    bool is = cursor_sign(c)->kind == kind;
    if (is)
        cursor_take(c);
    return is;
}

bool cursor_accept_word(Cursor* c, const char* key)
{
    const Sign* sign = cursor_sign(c);
    bool is = sign->kind == SIGN_WORD && strcmp(sign->key, key) == 0;
    if (is)
        cursor_take(c);
    return is;
}

bool cursor_at_assignment(const Cursor* c)
{
    return c->at + 1 < c->card->count && c->card->signs[c->at].kind == SIGN_WORD &&
           c->card->signs[c->at + 1].kind == SIGN_EQUALS;
}

// The value goes up to the next `name =`; a parenthesis around the whole list is no part of it.
static const Sign* take_value(Cursor* c)
{
    const Sign* last = cursor_sign(c);
    int depth = 0;
    while (cursor_sign(c)->kind != SIGN_END && (depth > 0 || !cursor_at_assignment(c)))
    {
        const Sign* sign = cursor_sign(c);
        depth += sign->kind == SIGN_OPEN;
        depth -= sign->kind == SIGN_CLOSE;
        if (depth < 0 || (depth == 0 && sign->kind == SIGN_COMMA))
            break;
        last = cursor_take(c);
    }
    return last;
}

bool cursor_assignments(Netlist* n, Cursor* c, Assignment** list, uint32_t* count)
{
    VEC(Assignment) found = {0};
    while (cursor_accept(c, SIGN_OPEN) || cursor_accept(c, SIGN_CLOSE) || cursor_accept(c, SIGN_COMMA) ||
           cursor_sign(c)->kind != SIGN_END)
    {
        if (cursor_sign(c)->kind == SIGN_END)
            break;
        if (!cursor_at_assignment(c))
        {
            Diag* d = diag_error(n->diags, K_NETLIST_SYNTAX, cursor_sign(c)->span,
                                 "`name = value` is expected here, not `%s`", cursor_sign(c)->text);
            diag_help(n->diags, d, "an expression with blanks in it stands in {…}");
            return false;
        }
        const Sign* name = cursor_take(c);
        cursor_take(c);
        const Sign* first = cursor_sign(c);
        const Sign* last = take_value(c);
        bool one = first == last && first->kind == SIGN_FORMULA;
        Span span = first->kind == SIGN_END ? first->span : span_join(first->span, last->span);
        vec_push(
            n->arena, found,
            (Assignment){name->text, name->key, one ? first->text : cards_between(n, first->span, last->span), span});
    }
    *list = found.at;
    *count = found.count;
    return true;
}
