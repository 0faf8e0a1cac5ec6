// Giving a name another one, in every text that uses it: the one that is asked about, the one that declares it, and all
// others that came with the question. Nothing is changed unless everything in all of them goes on meaning what it
// meant.
#include "kairos/settings.h"
#include "service/answers.h"

#include <stdlib.h>
#include <string.h>

typedef struct Renaming
{
    Document* document;
    const char *from, *to;
    const char* file;    // that declares it, by its identity
    int line, column;    // of the declaration
    DocumentFiles all;   // every text that may use it, as it is
    DocumentFiles made;  // those that change, as they become
} Renaming;

static bool is_name(const char* name)
{
    kaiLanguageWord word;
    size_t length = 0;
    while (document_is_name_part(name[length]))
        length++;
    if (length == 0 || name[length] != 0 || (name[0] >= '0' && name[0] <= '9'))
        return false;
    for (int i = 0; kaiLanguage_Word(i, &word); i++)
        if (word.kind == KAI_WORD_RESERVED && strcmp(word.word, name) == 0)
            return false;
    return true;
}

// The declaration, in a program that may have it by way of an import; -1: it has not.
static int find_symbol(const Renaming* r, kaiProgram* program)
{
    kaiSymbol symbol;
    for (int i = 0; kaiProgram_Symbol(program, i, &symbol); i++)
        if (symbol.place.file != NULL && symbol.place.line == r->line && symbol.place.column == r->column &&
            strcmp(symbol.name, r->from) == 0 &&
            strcmp(document_identity(r->document, symbol.place.file), r->file) == 0)
            return i;
    return -1;
}

// A text as something that has lines and places.
static Document text_of(const Renaming* r, const DocumentFile* file)
{
    Document d = {.arena = r->document->arena, .options = r->document->options, .path = file->path, .text = file->text};
    d.uris = r->document->uris;
    document_find_lines(&d);
    return d;
}

static bool is_here(const Document* d, const kaiOccurrence* at, int symbol)
{
    return at->symbol == symbol && document_has(d, &at->place);
}

// The text with the new name at all places of the symbol; NULL: it has none.
static const char* renamed_text(const Renaming* r, const Document* d, kaiProgram* program, int symbol)
{
    JsonWriter text = {.arena = d->arena};
    kaiOccurrence at;
    size_t from = 0, length = strlen(r->to);
    bool found = false;
    for (int i = 0; kaiProgram_Occurrence(program, i, &at); i++)
    {
        if (!is_here(d, &at, symbol))
            continue;
        found = true;
        for (size_t to = document_offset(d, at.place.line, at.place.column); from < to; from++)
            vec_push(d->arena, text.text, d->text[from]);
        for (size_t k = 0; k < length; k++)
            vec_push(d->arena, text.text, r->to[k]);
        from = document_offset(d, at.place.end_line, at.place.end_column);
    }
    for (; from <= d->length; from++)
        vec_push(d->arena, text.text, from < d->length ? d->text[from] : 0);
    return found ? text.text.at : NULL;
}

static kaiProgram* open_other(const Renaming* r, int which, const DocumentFiles* files, const DocumentFile* file)
{
    kaiProgram_Free(r->document->others[which]);
    r->document->others[which] = document_other(r->document, files, file->path, file->text);
    return r->document->others[which];
}

// One text: its edits if it uses the name.
static void rename_in(Renaming* r, const DocumentFile* file, JsonWriter* w)
{
    kaiOccurrence at;
    if (strstr(file->text, r->from) == NULL)
        return;
    kaiProgram* program = open_other(r, 0, &r->all, file);
    int symbol = program != NULL ? find_symbol(r, program) : -1;
    if (symbol < 0)
        return;
    Document d = text_of(r, file);
    const char* text = renamed_text(r, &d, program, symbol);
    if (text == NULL)
        return;
    document_add_file(r->document, &r->made, file->path, text);
    json_begin(w, document_name(r->document, file->path), '[');
    for (int i = 0; kaiProgram_Occurrence(program, i, &at); i++)
        if (is_here(&d, &at, symbol))
        {
            json_begin(w, NULL, '{');
            document_put_range(&d, w, "range", &at.place);
            json_put_text(w, "newText", r->to);
            json_end(w, '}');
        }
    json_end(w, ']');
}

// Every name must still mean what it meant.
static bool means_the_same(kaiProgram* before, kaiProgram* after)
{
    kaiOccurrence a, b;
    int count = kaiProgram_OccurrenceCount(before);
    bool same = before != NULL && after != NULL && kaiProgram_OccurrenceCount(after) == count;
    for (int i = 0; same && i < count; i++)
        same = kaiProgram_Occurrence(before, i, &a) && kaiProgram_Occurrence(after, i, &b) && a.symbol == b.symbol &&
               a.declares == b.declares;
    if (!same)
        return false;
    kaiProgram_Check(before);
    kaiProgram_Check(after);
    return kaiProgram_ErrorCount(after) <= kaiProgram_ErrorCount(before);
}

// All that change, and all others as they are.
static DocumentFiles texts_after(const Renaming* r)
{
    DocumentFiles files = {0};
    for (uint32_t i = 0; i < r->made.count; i++)
        vec_push(r->document->arena, files, r->made.at[i]);
    for (uint32_t i = 0; i < r->all.count; i++)
        vec_push(r->document->arena, files, r->all.at[i]);
    return files;
}

static bool is_fine(const Renaming* r)
{
    DocumentFiles after = texts_after(r);
    for (uint32_t i = 0; i < r->all.count; i++)
    {
        const DocumentFile* file = &r->all.at[i];
        const char* text = file->text;
        for (uint32_t k = 0; k < r->made.count; k++)
            if (r->made.at[k].path == file->path)
                text = r->made.at[k].text;
        // One that neither has the name nor gets it cannot tell a difference.
        if (strstr(file->text, r->from) == NULL && strstr(file->text, r->to) == NULL)
            continue;
        kaiProgram* old = open_other(r, 0, &r->all, file);
        kaiProgram* made = open_other(r, 1, &after, &(DocumentFile){.path = file->path, .text = text});
        if (!means_the_same(old, made))
            return false;
    }
    return true;
}

// This text and those that came with the question; false: the one that declares it is not among them.
static bool gather(Renaming* r)
{
    Document* d = r->document;
    document_add_file(d, &r->all, d->path, d->text);
    bool found = strcmp(r->all.at[0].identity, r->file) == 0;
    for (uint32_t i = 0; i < d->files.count; i++)
    {
        if (strcmp(d->files.at[i].identity, r->all.at[0].identity) == 0)
            continue;
        vec_push(d->arena, r->all, d->files.at[i]);
        found |= strcmp(d->files.at[i].identity, r->file) == 0;
    }
    return found;
}

static void put_edit(Renaming* r, JsonWriter* w)
{
    JsonWriter edit = {.arena = w->arena};
    json_begin(&edit, NULL, '{');
    json_begin(&edit, "changes", '{');
    for (uint32_t i = 0; i < r->all.count; i++)
        rename_in(r, &r->all.at[i], &edit);
    json_end(&edit, '}');
    json_end(&edit, '}');
    if (is_fine(r))
        json_put_raw(w, "edit", edit.text.at, edit.text.count);
    else
        answer_error(w, arena_printf(w->arena, "`%s` is taken: something would mean another thing", r->to));
}

void answer_rename(Document* d, const Json* question, JsonWriter* w)
{
    kaiSymbol symbol;
    Renaming r = {.document = d, .to = json_text(question, "newName", "")};
    if (d->program == NULL || !kaiProgram_Symbol(d->program, answer_symbol(d, question), &symbol) ||
        symbol.place.file == NULL)
    {
        answer_error(w, "there is no name here that could be changed");
        return;
    }
    r.from = arena_copy_string(d->arena, symbol.name, strlen(symbol.name));
    r.file = document_identity(d, symbol.place.file);
    r.line = symbol.place.line;
    r.column = symbol.place.column;
    if (!is_name(r.to))
        answer_error(
            w, arena_printf(d->arena, "`%s` cannot be a name: letters, digits and _, no word of the language", r.to));
    else if (!gather(&r))
        answer_error(
            w, arena_printf(d->arena, "`%s` is declared in %s, which is not open here", r.from, symbol.place.file));
    else
        put_edit(&r, w);
}
