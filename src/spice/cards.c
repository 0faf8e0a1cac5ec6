// Lines to cards: comments go, continuations are joined, cards are cut into signs, files are included.
#include "spice/netlist.h"

#include <ctype.h>
#include <string.h>

enum
{
    INCLUDE_DEPTH = 32,
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

// ---- comments and continuations become blanks

static uint32_t line_end(const Source* source, uint32_t line)
{
    return line + 1 < source->line_starts.count ? source->line_starts.at[line + 1] : source->length;
}

// `;` and ` $ ` begin a comment, `*` one of a whole line.
static void blank_comment(char* text, uint32_t start, uint32_t end)
{
    uint32_t i = start;
    while (i < end && is_blank(text[i]))
        i++;
    if (i < end && text[i] == '*')
        memset(text + i, ' ', end - i);
    for (; i < end; i++)
    {
        bool dollar =
            text[i] == '$' && (i == start || is_blank(text[i - 1])) && (i + 1 >= end || is_blank(text[i + 1]));
        if (text[i] == ';' || dollar)
        {
            memset(text + i, ' ', end - i);
            return;
        }
    }
}

static uint32_t first_of(const char* text, uint32_t start, uint32_t end)
{
    while (start < end && is_blank(text[start]))
        start++;
    return start;
}

// ---- signs

static SignKind sign_kind(char c)
{
    switch (c)
    {
    case '(': return SIGN_OPEN;
    case ')': return SIGN_CLOSE;
    case '=': return SIGN_EQUALS;
    case ',': return SIGN_COMMA;
    case '{':
    case '\'': return SIGN_FORMULA;
    case '"': return SIGN_TEXT;
    default: return SIGN_WORD;
    }
}

// The end of {…}, '…' or "…" that begins at `at`; `end` if there is none.
static uint32_t closing(const char* text, uint32_t at, uint32_t end)
{
    char open = text[at], close = open == '{' ? '}' : open;
    int depth = 1;
    for (uint32_t i = at + 1; i < end; i++)
    {
        depth += open == '{' && text[i] == '{';
        depth -= text[i] == close;
        if (depth == 0)
            return i;
    }
    return end;
}

static Sign cut_sign(Netlist* n, uint32_t file, const char* text, uint32_t* at, uint32_t end)
{
    uint32_t start = *at, stop = start + 1, inner = start, inner_end;
    SignKind kind = sign_kind(text[start]);
    if (kind == SIGN_FORMULA || kind == SIGN_TEXT)
    {
        uint32_t last = closing(text, start, end);
        if (last == end)
            diag_error(n->diags, K_NETLIST_SYNTAX, (Span){file + 1, start, start + 1},
                       "`%c` is opened here and not closed on its card", text[start]);
        inner = start + 1;
        inner_end = last;
        stop = last < end ? last + 1 : end;
    }
    else
    {
        while (kind == SIGN_WORD && stop < end && !is_blank(text[stop]) && sign_kind(text[stop]) == SIGN_WORD)
            stop++;
        inner_end = stop;
    }
    *at = stop;
    return (Sign){.kind = kind,
                  .text = arena_copy_string(n->arena, text + inner, inner_end - inner),
                  .key = key_of(n, text + inner, inner_end - inner),
                  .span = {file + 1, start, stop}};
}

static Card* cut_card(Netlist* n, uint32_t file, uint32_t start, uint32_t end)
{
    const char* text = n->clean.at[file];
    VEC(Sign) signs = {0};
    Card* card = arena_new(n->arena, Card);
    while (end > start && is_blank(text[end - 1]))
        end--;
    card->span = (Span){file + 1, start, end};
    for (uint32_t at = first_of(text, start, end); at < end; at = first_of(text, at, end))
        vec_push(n->arena, signs, cut_sign(n, file, text, &at, end));
    vec_push(n->arena, signs, (Sign){.kind = SIGN_END, .text = "", .key = "", .span = {file + 1, end, end}});
    card->signs = signs.at;
    card->count = signs.count - 1;
    return card;
}

// ---- files

static void include(Netlist* n, const Card* card)
{
    const Sign* name = &card->signs[1];
    if (card->count < 2)
    {
        diag_error(n->diags, K_NETLIST_SYNTAX, card->span, "`.include` needs a file");
        return;
    }
    const char* importer = n->sources->list.at[card->span.file - 1].path;
    const char* folder = files_folder(n->arena, importer);
    bool absolute = name->text[0] == '/';
    const char* path =
        absolute || strcmp(folder, ".") == 0 ? name->text : arena_printf(n->arena, "%s/%s", folder, name->text);
    const char* identity = files_identity(n->sources->files, n->arena, path);
    for (uint32_t i = 0; i < n->open.count; i++)
        if (strcmp(n->open.at[i], identity) == 0 || n->open.count > INCLUDE_DEPTH)
        {
            diag_error(n->diags, K_NETLIST_SYNTAX, name->span, "%s includes itself", name->text);
            return;
        }
    kaiFileRequest request = {.path = path, .importer = importer, .use = KAI_FILE_IMPORT};
    uint32_t file;
    FileOutcome outcome = sources_read(n->sources, &request, &file);
    if (outcome != FILE_DONE)
    {
        diag_error(n->diags, outcome == FILE_REFUSED ? K_FILE_REFUSED : K_FILE, name->span, "%s cannot be read: %s",
                   path, n->sources->why);
        return;
    }
    vec_push(n->arena, n->open, identity);
    cards_read(n, file);
    n->open.count--;
}

// A script of ngspice is a program, not a circuit.
static bool skip_control(Netlist* n, const Card* card, bool* inside)
{
    const char* key = card->signs[0].key;
    if (strcmp(key, ".control") == 0)
    {
        Diag* d = diag_warning(n->diags, K_NETLIST_IDEAL, card->span, "the script up to `.endc` is left out");
        diag_help(n->diags, d, "analyses are experiments of the text that is made: `kairos run`, `plot`, `sweep`");
        *inside = true;
    }
    bool skipped = *inside;
    *inside &= strcmp(key, ".endc") != 0;
    return skipped;
}

// False: the rest of the file is not read.
static bool add_card(Netlist* n, Card* card, bool* control)
{
    if (card->count == 0 || skip_control(n, card, control))
        return true;
    const char* key = card->signs[0].key;
    if (strcmp(key, ".end") == 0)
        return false;
    if (strcmp(key, ".include") == 0 || strcmp(key, ".inc") == 0)
        include(n, card);
    else
        vec_push(n->arena, n->cards, card);
    return true;
}

// The first line of a netlist is its title, whatever it looks like.
static uint32_t take_title(Netlist* n, const Source* source)
{
    uint32_t end = line_end(source, 0), start = first_of(source->text, 0, end);
    while (end > start && is_blank(source->text[end - 1]))
        end--;
    if (start < end && source->text[start] == '*')
        start = first_of(source->text, start + 1, end);
    n->top->title = arena_copy_string(n->arena, source->text + start, end - start);
    const Card* card = cut_card(n, n->top->span.file - 1, start, end);
    const char* first = card->signs[0].text;
    if (card->count >= 4 && strchr("RLCVIEGDSX", toupper((unsigned char)first[0])) != NULL &&
        isdigit((unsigned char)first[strcspn(first, "0123456789")]) && strlen(first) <= 4)
    {
        Diag* d = diag_warning(n->diags, K_NETLIST_IDEAL, card->span,
                               "the first line of a netlist is its title: `%s` is no part of the circuit", first);
        diag_help(n->diags, d, "put a title above it");
    }
    return 1;
}

// The `+` of a continuation, and the end of the line before it.
static void join_line(char* clean, uint32_t card_end, uint32_t plus)
{
    clean[plus] = ' ';
    for (uint32_t i = card_end; i < plus; i++)
        clean[i] = ' ';
}

void cards_read(Netlist* n, uint32_t file)
{
    Source source = n->sources->list.at[file];
    char* clean = arena_copy_string(n->arena, source.text, source.length);
    while (n->clean.count <= file)
        vec_push(n->arena, n->clean, NULL);
    n->clean.at[file] = clean;
    uint32_t line = file == n->top->span.file - 1 ? take_title(n, &source) : 0;
    uint32_t start = 0, end = 0;
    bool has = false, control = false, more = true;
    for (; line < source.line_starts.count && more; line++)
    {
        uint32_t from = source.line_starts.at[line], to = line_end(&source, line);
        blank_comment(clean, from, to);
        uint32_t first = first_of(clean, from, to);
        if (first == to)
            continue;
        if (clean[first] == '+' && has)
            join_line(clean, end, first);
        else
        {
            more = !has || add_card(n, cut_card(n, file, start, end), &control);
            start = first;
        }
        has = true;
        end = to;
    }
    if (has && more)
        add_card(n, cut_card(n, file, start, end), &control);
}

const char* cards_between(Netlist* n, Span first, Span last)
{
    return arena_copy_string(n->arena, n->clean.at[first.file - 1] + first.start, last.end - first.start);
}
