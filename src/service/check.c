// Messages as diagnostics, and their help lines as edits.
//
// A help line is for people: "did you mean `g`?", "write `der(x)`". What it quotes may be meant to stand where the
// message points, or it may not. So each piece that could be is tried: an edit is offered if the text with it has fewer
// errors than before, and only then.
#include "service/answers.h"

#include <stdio.h>
#include <string.h>

void answer_error(JsonWriter* w, const char* sentence)
{
    json_put_text(w, "error", sentence);
}

static void put_notes(const Document* d, JsonWriter* w, const kaiError* m)
{
    json_begin(w, "relatedInformation", '[');
    for (int i = 0; i < m->note_count; i++)
    {
        if (m->notes[i].place.file == NULL)
            continue;
        json_begin(w, NULL, '{');
        document_put_location(d, w, "location", &m->notes[i].place);
        json_put_text(w, "message", m->notes[i].text);
        json_end(w, '}');
    }
    json_end(w, ']');
}

// What is wrong in another file is shown at the beginning of this one, with its place in words.
void answer_diagnostic(const Document* d, JsonWriter* w, const char* key, const kaiError* m)
{
    kaiPlace start = {d->path, 1, 1, 1, 1};
    bool here = document_has(d, &m->place);
    const char* message = m->message != NULL ? m->message : "";
    if (!here && m->place.file != NULL)
        message = arena_printf(d->arena, "%s:%d:%d: %s", m->place.file, m->place.line, m->place.column, message);
    json_begin(w, key, '{');
    document_put_range(d, w, "range", here ? &m->place : &start);
    json_put_count(w, "severity", m->severity == KAI_WARNING ? 2 : 1);
    if (m->code != NULL)
        json_put_text(w, "code", m->code);
    json_put_text(w, "source", "kairos");
    json_put_text(w, "message", message);
    if (m->note_count > 0)
        put_notes(d, w, m);
    json_begin(w, "data", '{');
    json_put_text(w, "help", m->help);
    json_end(w, '}');
    json_end(w, '}');
}

void answer_check(Document* d, const Json* question, JsonWriter* w)
{
    (void)question;
    json_begin(w, "diagnostics", '[');
    if (d->program == NULL)
        answer_diagnostic(d, w, NULL, &d->error);
    else
    {
        kaiStatus status = kaiProgram_Check(d->program);
        const kaiError* m;
        for (int i = 0; (m = kaiProgram_Message(d->program, i)) != NULL; i++)
            answer_diagnostic(d, w, NULL, m);
        if (status == KAI_ERR_MEMORY || (status != KAI_OK && kaiProgram_MessageCount(d->program) == 0))
            answer_diagnostic(d, w, NULL,
                              &(kaiError){.message = "the text could not be checked in the memory that it may use"});
    }
    json_end(w, ']');
}

// ---- edits

typedef struct Edit
{
    const Document* document;
    JsonWriter* writer;
    const char* message;
    size_t from, to;  // what the message points at
    int errors;       // of the text as it is
} Edit;

static int count_errors(const Document* d, const char* text)
{
    kaiProgram* program = document_program(d, text);
    if (program == NULL)
        return 1000000;
    kaiProgram_Check(program);
    int count = kaiProgram_ErrorCount(program);
    kaiProgram_Free(program);
    return count;
}

static void put_action(const Edit* e, const char* piece)
{
    const Document* d = e->document;
    JsonWriter* w = e->writer;
    json_begin(w, NULL, '{');
    json_put_text(w, "title", arena_printf(d->arena, e->from == e->to ? "write %s" : "replace by %s", piece));
    json_put_text(w, "kind", "quickfix");
    json_put_text(w, "fixes", e->message);
    json_begin(w, "edit", '{');
    json_begin(w, "changes", '{');
    json_begin(w, document_name(d, d->path), '[');
    json_begin(w, NULL, '{');
    json_begin(w, "range", '{');
    document_put_offset(d, w, "start", e->from);
    document_put_offset(d, w, "end", e->to);
    json_end(w, '}');
    json_put_text(w, "newText", piece);
    json_end(w, '}');
    json_end(w, ']');
    json_end(w, '}');
    json_end(w, '}');
    json_end(w, '}');
}

static bool try_edit(const Edit* e, const char* piece)
{
    const Document* d = e->document;
    const char* text = arena_printf(d->arena, "%.*s%s%s", (int)e->from, d->text, piece, d->text + e->to);
    bool better = count_errors(d, text) < e->errors;
    if (better)
        put_action(e, piece);
    return better;
}

// The word before the place, on its line: a message of the parser points behind what should be another word.
static bool take_word_before(const Document* d, Edit* e)
{
    e->to = e->from;
    while (e->to > 0 && d->text[e->to - 1] == ' ')
        e->to--;
    size_t length;
    e->from = document_word(d, e->to, &length);
    return length > 0;
}

static void try_piece(const Edit* e, const char* piece, size_t length)
{
    const char* copy = arena_copy_string(e->document->arena, piece, length);
    Edit before = *e;
    if (length == 0 || strstr(copy, "…") != NULL)
        return;  // a pattern, not a text
    if (!try_edit(e, copy) && take_word_before(e->document, &before))
        try_edit(&before, copy);
}

// What stands in backquotes; or, if nothing does, what follows "write ".
static void try_help(const Edit* e, const char* help)
{
    const char* open = strchr(help, '`');
    if (open == NULL && strncmp(help, "write ", 6) == 0)
        try_piece(e, help + 6, strcspn(help + 6, ";"));
    for (const char* close; open != NULL && (close = strchr(open + 1, '`')) != NULL; open = strchr(close + 1, '`'))
        try_piece(e, open + 1, (size_t)(close - open - 1));
}

static bool touches(const Document* d, const Json* range, const kaiPlace* place)
{
    int from_line, from_column, to_line, to_column;
    if (!document_take_position(d, json_get(range, "start"), &from_line, &from_column) ||
        !document_take_position(d, json_get(range, "end"), &to_line, &to_column))
        return true;
    return document_offset(d, from_line, from_column) <= document_offset(d, place->end_line, place->end_column) &&
           document_offset(d, to_line, to_column) >= document_offset(d, place->line, place->column);
}

void answer_actions(Document* d, const Json* question, JsonWriter* w)
{
    const kaiError* m;
    json_begin(w, "actions", '[');
    if (d->program != NULL)
        kaiProgram_Check(d->program);
    for (int i = 0; d->program != NULL && (m = kaiProgram_Message(d->program, i)) != NULL; i++)
    {
        if (m->help == NULL || m->severity != KAI_ERROR || !document_has(d, &m->place) ||
            !touches(d, json_get(question, "range"), &m->place))
            continue;
        Edit edit = {d,
                     w,
                     m->message,
                     document_offset(d, m->place.line, m->place.column),
                     document_offset(d, m->place.end_line, m->place.end_column),
                     kaiProgram_ErrorCount(d->program)};
        try_help(&edit, m->help);
    }
    json_end(w, ']');
}
