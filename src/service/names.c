// What a name is, where it is declared and used.
#include "kairos/settings.h"
#include "service/answers.h"

#include <math.h>
#include <string.h>

static bool take_position(const Document* d, const Json* question, int* line, int* column)
{
    return document_take_position(d, json_get(question, "position"), line, column);
}

int answer_symbol(Document* d, const Json* question)
{
    int line, column;
    if (d->program == NULL || !take_position(d, question, &line, &column))
        return -1;
    return kaiProgram_SymbolAt(d->program, d->path, line, column);
}

// ---- hover

// The first experiment of the model, so that a value is the one of a run; otherwise the model itself.
static void compile_for(Document* d, const char* model)
{
    kaiCompileOptions options = kaiDefaultCompileOptions();
    kaiExperiment experiment;
    options.model = model;
    for (int i = 0; kaiProgram_Experiment(d->program, i, &experiment); i++)
        if (experiment.model != NULL && strcmp(experiment.model, model) == 0)
        {
            options.experiment = experiment.name;
            break;
        }
    kaiModel_Free(d->model);
    d->model = NULL;
    kaiProgram_Compile(d->program, &options, &d->model);
}

// " = 9.81"; "" if there is none, or the text has errors.
static const char* value_text(Document* d, const kaiSymbol* symbol)
{
    kaiSymbol parent;
    kaiVariable variable;
    const char* text = "";
    bool has =
        symbol->kind == KAI_SYMBOL_PARAM || symbol->kind == KAI_SYMBOL_STATE || symbol->kind == KAI_SYMBOL_DISCRETE;
    if (!has || symbol->is_array || !kaiProgram_Symbol(d->program, symbol->parent, &parent) ||
        parent.kind != KAI_SYMBOL_MODEL)
        return text;
    compile_for(d, parent.name);
    if (kaiModel_Variable(d->model, kaiModel_FindVariable(d->model, symbol->name), &variable) && !isnan(variable.start))
    {
        char number[33];
        kaiNumber_Write(number, variable.start);
        text = arena_copy_string(d->arena, number, strlen(number));
        text = arena_printf(d->arena, symbol->kind == KAI_SYMBOL_PARAM ? " = %s" : " = %s at the start", text);
    }
    return text;
}

static const char* symbol_text(Document* d, const kaiSymbol* s)
{
    kaiSymbol parent;
    bool has_parent = kaiProgram_Symbol(d->program, s->parent, &parent);
    const char* unit = s->unit != NULL ? arena_printf(d->arena, " [%s]", s->unit) : "";
    const char* type =
        s->type == NULL ? "" : arena_printf(d->arena, s->kind == KAI_SYMBOL_EXPERIMENT ? " of %s" : " : %s", s->type);
    return arena_printf(d->arena, "```kai\n%s%s %s%s%s%s\n```\n%s%s%s%s%s",
                        s->is_event && s->kind != KAI_SYMBOL_EVENT ? "event " : "", kaiSymbolKind_Word(s->kind),
                        s->name, unit, type, value_text(d, s), s->description != NULL ? s->description : "",
                        s->description != NULL && has_parent ? "\n\n" : "", has_parent ? "of " : "",
                        has_parent ? kaiSymbolKind_Word(parent.kind) : "",
                        has_parent ? arena_printf(d->arena, " %s", parent.name) : "");
}

// A word of the language, or a setting.
static const char* word_text(Document* d, const char* word)
{
    char range[400];
    kaiLanguageWord known;
    const kaiSetting* setting = kaiSettings_Find(word);
    for (int i = 0; kaiLanguage_Word(i, &known); i++)
        if (known.usage != NULL && strcmp(known.word, word) == 0)
            return arena_printf(d->arena, "```kai\n%s\n```", known.usage);
    if (setting == NULL)
        return NULL;
    kaiSetting_Range(setting, range, sizeof range);
    return arena_printf(d->arena, "setting `%s`\n\n%s: %s. Default: %s", word, setting->text, range,
                        setting->otherwise);
}

void answer_hover(Document* d, const Json* question, JsonWriter* w)
{
    int line, column;
    size_t length = 0, from = 0;
    kaiSymbol symbol;
    const char* text = NULL;
    if (take_position(d, question, &line, &column))
        from = document_word(d, document_offset(d, line, column), &length);
    if (d->program != NULL && kaiProgram_Symbol(d->program, answer_symbol(d, question), &symbol))
        text = symbol_text(d, &symbol);
    else if (length > 0)
        text = word_text(d, arena_copy_string(d->arena, d->text + from, length));
    if (text == NULL)
    {
        json_put_null(w, "hover");
        return;
    }
    json_begin(w, "hover", '{');
    json_begin(w, "contents", '{');
    json_put_text(w, "kind", "markdown");
    json_put_text(w, "value", text);
    json_end(w, '}');
    json_begin(w, "range", '{');
    document_put_offset(d, w, "start", from);
    document_put_offset(d, w, "end", from + length);
    json_end(w, '}');
    json_end(w, '}');
}

// ---- where

void answer_definition(Document* d, const Json* question, JsonWriter* w)
{
    kaiSymbol symbol;
    if (d->program == NULL || !kaiProgram_Symbol(d->program, answer_symbol(d, question), &symbol) ||
        symbol.place.file == NULL)
        json_put_null(w, "location");
    else
        document_put_location(d, w, "location", &symbol.place);
}

void answer_references(Document* d, const Json* question, JsonWriter* w)
{
    kaiOccurrence at;
    int symbol = answer_symbol(d, question);
    const Json* declaration = json_get(json_get(question, "context"), "includeDeclaration");
    bool all = declaration == NULL || declaration->number != 0;
    json_begin(w, "locations", '[');
    for (int i = 0; symbol >= 0 && kaiProgram_Occurrence(d->program, i, &at); i++)
        if (at.symbol == symbol && (all || !at.declares))
            document_put_location(d, w, NULL, &at.place);
    json_end(w, ']');
}

// ---- outline

// Where the braces that follow are closed; the end of the line if there are none.
static size_t block_end(const Document* d, size_t from)
{
    int depth = 0;
    for (size_t i = from; i < d->length; i++)
    {
        char c = d->text[i];
        if (c == '"')
            i += strcspn(d->text + i + 1, "\"\n") + 1;
        else if (c == '/' && d->text[i + 1] == '/')
            i += strcspn(d->text + i, "\n") - 1;
        else if (c == '\n' && depth == 0)
            return i;
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        if (c == '}' && depth <= 0)
            return i + 1;
    }
    return d->length;
}

static int outline_kind(kaiSymbolKind kind)
{
    switch (kind)
    {
    case KAI_SYMBOL_MODEL: return 5;  // class
    case KAI_SYMBOL_FUNCTION:
    case KAI_SYMBOL_EXTERNAL: return 12;   // function
    case KAI_SYMBOL_EXPERIMENT: return 6;  // method
    case KAI_SYMBOL_PARAM: return 14;      // constant
    case KAI_SYMBOL_EVENT: return 24;      // event
    case KAI_SYMBOL_INSTANCE: return 19;   // object
    case KAI_SYMBOL_PORT:
    case KAI_SYMBOL_BOND: return 11;  // interface
    case KAI_SYMBOL_MODE: return 22;  // member of an enumeration
    default: return 13;               // variable
    }
}

static void put_symbol(Document* d, JsonWriter* w, int index, const kaiSymbol* s)
{
    size_t from = document_offset(d, s->place.line, s->place.column);
    size_t to = from + strlen(s->name);
    kaiSymbol child;
    bool block = s->parent < 0 || s->kind == KAI_SYMBOL_MODE;
    json_begin(w, NULL, '{');
    json_put_text(w, "name", s->name);
    json_put_text(w, "detail",
                  arena_printf(d->arena, "%s%s%s%s", kaiSymbolKind_Word(s->kind), s->unit != NULL ? " [" : "",
                               s->unit != NULL ? s->unit : "", s->unit != NULL ? "]" : ""));
    json_put_count(w, "kind", outline_kind(s->kind));
    json_begin(w, "range", '{');
    document_put_offset(d, w, "start", from);
    document_put_offset(d, w, "end", block ? block_end(d, from) : to);
    json_end(w, '}');
    json_begin(w, "selectionRange", '{');
    document_put_offset(d, w, "start", from);
    document_put_offset(d, w, "end", to);
    json_end(w, '}');
    json_begin(w, "children", '[');
    for (int i = index + 1; s->parent < 0 && kaiProgram_Symbol(d->program, i, &child) && child.parent >= 0; i++)
        if (child.parent == index && document_has(d, &child.place) && child.kind < KAI_SYMBOL_ARGUMENT)
            put_symbol(d, w, i, &child);
    json_end(w, ']');
    json_end(w, '}');
}

void answer_symbols(Document* d, const Json* question, JsonWriter* w)
{
    (void)question;
    kaiSymbol symbol;
    json_begin(w, "symbols", '[');
    for (int i = 0; d->program != NULL && kaiProgram_Symbol(d->program, i, &symbol); i++)
        if (symbol.parent < 0 && document_has(d, &symbol.place))
            put_symbol(d, w, i, &symbol);
    json_end(w, ']');
}

// ---- layout

void answer_format(Document* d, const Json* question, JsonWriter* w)
{
    (void)question;
    const char* text = NULL;
    if (d->program == NULL || kaiProgram_Format(d->program, &text) != KAI_OK)
    {
        answer_error(w, "a text with syntax errors has no layout");
        return;
    }
    json_begin(w, "edits", '[');
    if (strcmp(text, d->text) != 0)
    {
        json_begin(w, NULL, '{');
        json_begin(w, "range", '{');
        document_put_offset(d, w, "start", 0);
        document_put_offset(d, w, "end", d->length);
        json_end(w, '}');
        json_put_text(w, "newText", text);
        json_end(w, '}');
    }
    json_end(w, ']');
}
