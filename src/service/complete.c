// Names that could stand at a place: of the model, of an instance behind a dot, of the language, settings of an
// experiment and their words. The text is usually broken where somebody types, so what surrounds the place is read off
// the text before it, and the names are those that the parser has found in the rest.
#include "kairos/settings.h"
#include "service/answers.h"

#include <string.h>

enum
{
    KIND_FUNCTION = 3,  // of CompletionItemKind
    KIND_FIELD = 5,
    KIND_VARIABLE = 6,
    KIND_CLASS = 7,
    KIND_MODULE = 9,
    KIND_PROPERTY = 10,
    KIND_VALUE = 12,
    KIND_KEYWORD = 14,
    KIND_ENUM_MEMBER = 20,
    KIND_CONSTANT = 21,
    KIND_EVENT = 23,
};

typedef struct Completion
{
    Document* document;
    JsonWriter* writer;
    const char* prefix;  // of the word that is being typed
    size_t prefix_length;
} Completion;

static void put_item(const Completion* c, const char* name, int kind, const char* detail, const char* about)
{
    if (strncmp(name, c->prefix, c->prefix_length) != 0)
        return;
    JsonWriter* w = c->writer;
    json_begin(w, NULL, '{');
    json_put_text(w, "label", name);
    json_put_count(w, "kind", kind);
    if (detail != NULL)
        json_put_text(w, "detail", detail);
    if (about != NULL)
        json_put_text(w, "documentation", about);
    json_end(w, '}');
}

static int item_kind(const kaiSymbol* s)
{
    switch (s->kind)
    {
    case KAI_SYMBOL_MODEL: return KIND_CLASS;
    case KAI_SYMBOL_FUNCTION:
    case KAI_SYMBOL_EXTERNAL: return KIND_FUNCTION;
    case KAI_SYMBOL_PARAM: return KIND_CONSTANT;
    case KAI_SYMBOL_EVENT: return KIND_EVENT;
    case KAI_SYMBOL_INSTANCE:
    case KAI_SYMBOL_EXPERIMENT: return KIND_MODULE;
    case KAI_SYMBOL_MODE: return KIND_ENUM_MEMBER;
    case KAI_SYMBOL_STATE: return KIND_FIELD;
    default: return s->is_event ? KIND_EVENT : KIND_VARIABLE;
    }
}

static void put_symbol(const Completion* c, const kaiSymbol* s)
{
    const char* unit = s->unit != NULL ? arena_printf(c->document->arena, " [%s]", s->unit) : "";
    const char* type = s->type != NULL ? arena_printf(c->document->arena, " %s", s->type) : "";
    const char* detail = arena_printf(c->document->arena, "%s%s%s%s", kaiSymbolKind_Word(s->kind),
                                      s->is_event && s->kind != KAI_SYMBOL_EVENT ? " event" : "", type, unit);
    put_item(c, s->name, item_kind(s), detail, s->description);
}

static int find_model(const Document* d, const char* name)
{
    kaiSymbol s;
    for (int i = 0; name != NULL && kaiProgram_Symbol(d->program, i, &s); i++)
        if (s.kind == KAI_SYMBOL_MODEL && strcmp(s.name, name) == 0)
            return i;
    return -1;
}

static int find_member(const Document* d, int model, const char* name, size_t length)
{
    kaiSymbol s;
    for (int i = 0; model >= 0 && kaiProgram_Symbol(d->program, i, &s); i++)
        if (s.parent == model && strlen(s.name) == length && memcmp(s.name, name, length) == 0)
            return i;
    return -1;
}

static void put_members(const Completion* c, int model)
{
    kaiSymbol s;
    for (int i = 0; model >= 0 && kaiProgram_Symbol(c->document->program, i, &s); i++)
        if (s.parent == model && s.kind != KAI_SYMBOL_INDEX)
            put_symbol(c, &s);
}

// ---- where we are

// The model or experiment that the place is in: the last whose name stands before it. -1: none.
static int enclosing(const Document* d, size_t offset)
{
    kaiSymbol s;
    int found = -1;
    size_t nearest = 0;
    for (int i = 0; kaiProgram_Symbol(d->program, i, &s); i++)
    {
        if ((s.kind != KAI_SYMBOL_MODEL && s.kind != KAI_SYMBOL_EXPERIMENT) || !document_has(d, &s.place))
            continue;
        size_t at = document_offset(d, s.place.line, s.place.column);
        if (at < offset && (found < 0 || at >= nearest))
        {
            found = i;
            nearest = at;
        }
    }
    return found;
}

// The model whose names count there.
static int model_around(const Document* d, int place)
{
    kaiSymbol s;
    if (!kaiProgram_Symbol(d->program, place, &s))
        return -1;
    return s.kind == KAI_SYMBOL_EXPERIMENT ? find_model(d, s.type) : place;
}

// Back over the index of an array.
static size_t before_index(const Document* d, size_t at)
{
    while (at > 0 && d->text[at - 1] == ']')
        while (at > 0 && d->text[--at] != '[')
            continue;
    return at;
}

// The model of what stands before the dot at `dot`: `a.b[2].`. -1: it is no instance.
static int model_before_dot(const Document* d, size_t dot, int model)
{
    kaiSymbol s;
    size_t end = before_index(d, dot), from = end;
    while (from > 0 && document_is_name_part(d->text[from - 1]))
        from--;
    if (from == end)
        return -1;
    int outer = from > 0 && d->text[from - 1] == '.' ? model_before_dot(d, from - 1, model) : model;
    if (!kaiProgram_Symbol(d->program, find_member(d, outer, d->text + from, end - from), &s))
        return -1;
    return s.kind == KAI_SYMBOL_INSTANCE ? find_model(d, s.type) : -1;
}

// The setting whose value is being typed: `solver = ta|`. NULL: none.
static const kaiSetting* setting_before(const Document* d, size_t from)
{
    while (from > 0 && d->text[from - 1] == ' ')
        from--;
    if (from == 0 || d->text[from - 1] != '=')
        return NULL;
    size_t end = from - 1;
    while (end > 0 && d->text[end - 1] == ' ')
        end--;
    size_t begin = end;
    while (begin > 0 && document_is_name_part(d->text[begin - 1]))
        begin--;
    return kaiSettings_Find(arena_copy_string(d->arena, d->text + begin, end - begin));
}

static bool in_comment(const Document* d, size_t offset)
{
    bool quoted = false;
    size_t from = offset;
    while (from > 0 && d->text[from - 1] != '\n')
        from--;
    for (; from < offset; from++)
    {
        if (d->text[from] == '"')
            quoted = !quoted;
        if (!quoted && d->text[from] == '/' && d->text[from + 1] == '/')
            return true;
    }
    return quoted;
}

// ---- lists

static void put_words(const Completion* c)
{
    kaiLanguageWord word;
    for (int i = 0; kaiLanguage_Word(i, &word); i++)
        put_item(c, word.word,
                 word.kind == KAI_WORD_RESERVED ? KIND_KEYWORD
                 : word.kind == KAI_WORD_VALUE  ? KIND_VALUE
                                                : KIND_FUNCTION,
                 word.usage, NULL);
}

static void put_settings(const Completion* c)
{
    for (int i = 0; i < kaiSettings_Count(); i++)
    {
        const kaiSetting* s = kaiSettings_Get(i);
        put_item(c, s->name, KIND_PROPERTY, arena_printf(c->document->arena, "setting, default %s", s->otherwise),
                 s->text);
    }
}

static void put_top(const Completion* c)
{
    kaiSymbol s;
    for (int i = 0; kaiProgram_Symbol(c->document->program, i, &s); i++)
        if (s.parent < 0 && s.kind != KAI_SYMBOL_EXPERIMENT)
            put_symbol(c, &s);
}

static void put_all(const Completion* c, size_t from)
{
    kaiSymbol around;
    Document* d = c->document;
    int place = enclosing(d, from), model = model_around(d, place);
    bool experiment = kaiProgram_Symbol(d->program, place, &around) && around.kind == KAI_SYMBOL_EXPERIMENT;
    const kaiSetting* setting = experiment ? setting_before(d, from) : NULL;
    if (from > 0 && d->text[from - 1] == '.')
    {
        put_members(c, model_before_dot(d, from - 1, model));
        return;
    }
    if (setting != NULL && setting->kind == KAI_SETTING_WORD)
    {
        for (int i = 0; i < setting->word_count; i++)
            put_item(c, setting->words[i].word, KIND_ENUM_MEMBER, setting->name, setting->words[i].about);
        return;
    }
    put_members(c, model);
    if (experiment)
        put_settings(c);
    put_top(c);
    put_words(c);
}

void answer_complete(Document* d, const Json* question, JsonWriter* w)
{
    int line, column;
    json_begin(w, "items", '[');
    if (d->program != NULL && document_take_position(d, json_get(question, "position"), &line, &column))
    {
        size_t offset = document_offset(d, line, column), from = offset;
        while (from > 0 && document_is_name_part(d->text[from - 1]))
            from--;
        Completion c = {d, w, d->text + from, offset - from};
        if (!in_comment(d, offset))
            put_all(&c, from);
    }
    json_end(w, ']');
}

void answer_words(Document* d, const Json* question, JsonWriter* w)
{
    static const char* const kinds[] = {"reserved", "value", "function"};
    kaiLanguageWord word;
    (void)d, (void)question;
    json_begin(w, "words", '[');
    for (int i = 0; kaiLanguage_Word(i, &word); i++)
    {
        json_begin(w, NULL, '{');
        json_put_text(w, "word", word.word);
        json_put_text(w, "kind", kinds[word.kind]);
        json_end(w, '}');
    }
    json_end(w, ']');
}

static void put_setting(JsonWriter* w, const kaiSetting* s)
{
    char range[400];
    kaiSetting_Range(s, range, sizeof range);
    json_begin(w, NULL, '{');
    json_put_text(w, "name", s->name);
    json_put_text(w, "text", s->text);
    json_put_text(w, "range", range);
    json_put_text(w, "otherwise", s->otherwise);
    json_put_text(w, "unit", s->unit);
    json_begin(w, "words", '[');
    for (int i = 0; i < s->word_count; i++)
        json_put_text(w, NULL, s->words[i].word);
    json_end(w, ']');
    json_end(w, '}');
}

void answer_settings(Document* d, const Json* question, JsonWriter* w)
{
    (void)d, (void)question;
    json_begin(w, "settings", '[');
    for (int i = 0; i < kaiSettings_Count(); i++)
        if (kaiSettings_Get(i)->kind != KAI_SETTING_CONDITION)
            put_setting(w, kaiSettings_Get(i));
    json_end(w, ']');
    json_begin(w, "formats", '[');
    for (int i = 0; kaiFormat_Ending(i) != NULL; i++)
    {
        json_begin(w, NULL, '{');
        json_put_text(w, "ending", kaiFormat_Ending(i));
        json_put_text(w, "about", kaiFormat_About(i));
        json_end(w, '}');
    }
    json_end(w, ']');
}
