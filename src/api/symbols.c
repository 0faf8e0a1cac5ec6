// Declarations, and the questions about them.
#include "api/symbols.h"

#include "base/utf8.h"

#include <string.h>

// ---- the table

int symbols_add(SymbolTable* t, SymbolEntry entry)
{
    int index = (int)t->symbols.count;
    if (entry.name == NULL)
        return -1;
    vec_push(t->arena, t->symbols, entry);
    symbols_occur(t, index, entry.span, true);
    return index;
}

// The name alone, whatever else the span holds.
void symbols_occur(SymbolTable* t, int symbol, Span span, bool declares)
{
    if (symbol < 0 || span.file == 0)
        return;
    span.end = span.start + (uint32_t)strlen(t->symbols.at[symbol].name);
    vec_push(t->arena, t->occurrences, (OccurrenceEntry){symbol, declares, span});
}

int symbols_find(const Map* map, const char* name)
{
    uint32_t found;
    return map != NULL && name != NULL && map_get(map, (uint64_t)(uintptr_t)name, &found) ? (int)found : -1;
}

static void enter(Map* map, const char* name, int symbol)
{
    if (symbol >= 0 && symbols_find(map, name) < 0)
        map_set(map, (uint64_t)(uintptr_t)name, (uint32_t)symbol);
}

static Map* new_map(Arena* arena)
{
    Map* map = arena_new(arena, Map);
    map_init(map, arena);
    return map;
}

// ---- declarations

static const char* unit_text(SymbolTable* t, const Unit* unit)
{
    if (unit == NULL || unit->span.file == 0)
        return NULL;
    const Source* source = &t->sources->list.at[unit->span.file - 1];
    uint32_t start = unit->span.start, end = unit->span.end;
    while (start < end && (source->text[start] == '[' || source->text[start] == ' '))
        start++;
    while (end > start && (source->text[end - 1] == ']' || source->text[end - 1] == ' '))
        end--;
    return arena_copy_string(t->arena, source->text + start, end - start);
}

static void add_member(SymbolTable* t, int model, SymbolEntry entry)
{
    entry.parent = model;
    int index = symbols_add(t, entry);
    if (model >= 0 && index >= 0)
        enter(t->symbols.at[model].members, entry.name, index);
}

static kaiSymbolKind kind_of(const Item* item)
{
    static const kaiSymbolKind kinds[] = {
        [DECL_PARAM] = KAI_SYMBOL_PARAM,   [DECL_STATE] = KAI_SYMBOL_STATE,    [DECL_DISCRETE] = KAI_SYMBOL_DISCRETE,
        [DECL_SIGNAL] = KAI_SYMBOL_SIGNAL, [DECL_EVENT] = KAI_SYMBOL_EVENT,    [DECL_INPUT] = KAI_SYMBOL_INPUT,
        [DECL_OUTPUT] = KAI_SYMBOL_OUTPUT, [DECL_UNKNOWN] = KAI_SYMBOL_SIGNAL,
    };
    return kinds[item->decl];
}

static void declare_vars(SymbolTable* t, int model, const Item* item)
{
    for (uint32_t i = 0; i < item->vars.count; i++)
    {
        const Var* v = &item->vars.at[i];
        add_member(t, model,
                   (SymbolEntry){.kind = kind_of(item),
                                 .name = v->name,
                                 .unit = unit_text(t, v->unit),
                                 .description = v->description,
                                 .is_event = item->is_event || item->decl == DECL_EVENT,
                                 .is_array = v->index != NULL,
                                 .span = v->span});
    }
}

static void declare_items(SymbolTable* t, int model, const ItemList* items);

static void declare_modes(SymbolTable* t, int model, const ModeList* modes)
{
    for (uint32_t i = 0; i < modes->count; i++)
    {
        const Mode* mode = modes->at[i];
        int index = symbols_add(
            t, (SymbolEntry){.kind = KAI_SYMBOL_MODE, .name = mode->name, .parent = model, .span = mode->span});
        enter(t->symbols.at[model].modes, mode->name, index);
        if (index >= 0)
            map_set(&t->modes, (uint64_t)(uintptr_t)mode, (uint32_t)index);
        declare_items(t, model, &mode->items);
    }
}

static void declare_item(SymbolTable* t, int model, const Item* item)
{
    if (item->kind == ITEM_DECL)
        declare_vars(t, model, item);
    for (uint32_t i = 0; item->kind == ITEM_PORT && i < item->ports.count; i++)
        add_member(t, model,
                   (SymbolEntry){.kind = KAI_SYMBOL_PORT,
                                 .name = item->ports.at[i].name,
                                 .type = item->ports.at[i].domain,
                                 .span = item->ports.at[i].span});
    if (item->kind == ITEM_INSTANCE)
        add_member(t, model,
                   (SymbolEntry){.kind = KAI_SYMBOL_INSTANCE,
                                 .name = item->name,
                                 .type = item->type,
                                 .is_array = item->index != NULL,
                                 .span = item->name_span});
    if (item->kind == ITEM_BOND && item->name != NULL)
        add_member(t, model, (SymbolEntry){.kind = KAI_SYMBOL_BOND, .name = item->name, .span = item->name_span});
    declare_modes(t, model, &item->modes);
    declare_items(t, model, &item->items);
}

static void declare_items(SymbolTable* t, int model, const ItemList* items)
{
    for (uint32_t i = 0; i < items->count; i++)
        declare_item(t, model, items->at[i]);
}

static void declare_file(SymbolTable* t, const FileAst* file)
{
    for (uint32_t i = 0; i < file->models.count; i++)
    {
        const Model* m = file->models.at[i];
        int index = symbols_add(t, (SymbolEntry){.kind = KAI_SYMBOL_MODEL,
                                                 .name = m->name,
                                                 .parent = -1,
                                                 .description = m->description,
                                                 .span = m->span,
                                                 .members = new_map(t->arena),
                                                 .modes = new_map(t->arena)});
        enter(&t->models, m->name, index);
        if (index >= 0)
            declare_items(t, index, &m->items);
    }
    for (uint32_t i = 0; i < file->functions.count; i++)
    {
        const Function* f = file->functions.at[i];
        kaiSymbolKind kind = f->symbol != NULL ? KAI_SYMBOL_EXTERNAL : KAI_SYMBOL_FUNCTION;
        enter(&t->functions, f->name,
              symbols_add(t, (SymbolEntry){.kind = kind, .name = f->name, .parent = -1, .span = f->span}));
    }
    for (uint32_t i = 0; i < file->experiments.count; i++)
    {
        const Experiment* x = file->experiments.at[i];
        symbols_add(
            t, (SymbolEntry){
                   .kind = KAI_SYMBOL_EXPERIMENT, .name = x->name, .parent = -1, .type = x->model, .span = x->span});
    }
}

// ---- making it

static bool is_before(const OccurrenceEntry* a, const OccurrenceEntry* b)
{
    return a->span.file != b->span.file ? a->span.file < b->span.file : a->span.start < b->span.start;
}

// Merge sort: stable, and no worse on texts that are nearly in order.
static void sort(OccurrenceEntry* list, OccurrenceEntry* scratch, uint32_t count)
{
    if (count < 2)
        return;
    uint32_t half = count / 2, left = 0, right = half;
    sort(list, scratch, half);
    sort(list + half, scratch, count - half);
    for (uint32_t i = 0; i < count; i++)
    {
        bool take_right = left == half || (right < count && is_before(&list[right], &list[left]));
        scratch[i] = list[take_right ? right++ : left++];
    }
    memcpy(list, scratch, sizeof *list * count);
}

static SymbolTable* make_table(kaiProgram* p)
{
    SymbolTable* t = arena_new(&p->arena, SymbolTable);
    *t = (SymbolTable){.arena = &p->arena, .sources = &p->sources};
    map_init(&t->models, t->arena);
    map_init(&t->functions, t->arena);
    map_init(&t->modes, t->arena);
    for (uint32_t i = 0; i < p->text.files.count; i++)
        declare_file(t, p->text.files.at[i]);
    occurrences_collect(t, &p->text);
    uint32_t count = t->occurrences.count;
    if (count > 0)
        sort(t->occurrences.at, arena_array(t->arena, OccurrenceEntry, count), count);
    return t;
}

// NULL: there is no program, or no memory.
static SymbolTable* table_of(kaiProgram* p)
{
    if (p == NULL || p->symbols != NULL)
        return p != NULL ? p->symbols : NULL;
    if (setjmp(p->fail) == 0)
        p->symbols = make_table(p);
    return p->symbols;
}

// ---- questions

const char* kaiSymbolKind_Word(kaiSymbolKind kind)
{
    static const char* const words[] = {"model",    "function", "external", "experiment", "param",  "state",
                                        "discrete", "signal",   "event",    "input",      "output", "port",
                                        "instance", "bond",     "mode",     "argument",   "index"};
    return (unsigned)kind < sizeof words / sizeof *words ? words[kind] : NULL;
}

int kaiProgram_SymbolCount(kaiProgram* program)
{
    const SymbolTable* t = table_of(program);
    return t != NULL ? (int)t->symbols.count : 0;
}

bool kaiProgram_Symbol(kaiProgram* program, int index, kaiSymbol* symbol)
{
    if (index < 0 || index >= kaiProgram_SymbolCount(program) || symbol == NULL)
        return false;
    const SymbolEntry* e = &program->symbols->symbols.at[index];
    *symbol = (kaiSymbol){.kind = e->kind,
                          .name = e->name,
                          .parent = e->parent,
                          .type = e->type,
                          .unit = e->unit,
                          .description = e->description,
                          .is_event = e->is_event,
                          .is_array = e->is_array,
                          .place = sources_place(&program->sources, e->span)};
    return true;
}

int kaiProgram_OccurrenceCount(kaiProgram* program)
{
    const SymbolTable* t = table_of(program);
    return t != NULL ? (int)t->occurrences.count : 0;
}

bool kaiProgram_Occurrence(kaiProgram* program, int index, kaiOccurrence* occurrence)
{
    if (index < 0 || index >= kaiProgram_OccurrenceCount(program) || occurrence == NULL)
        return false;
    const OccurrenceEntry* e = &program->symbols->occurrences.at[index];
    *occurrence = (kaiOccurrence){e->symbol, e->declares, sources_place(&program->sources, e->span)};
    return true;
}

// Byte offset of a line and column; false: the file or the line is not there.
static bool find_offset(const kaiProgram* p, const char* file, int line, int column, Span* at)
{
    size_t length;
    const char* text = sources_line(&p->sources, file, line, &length);
    for (uint32_t i = 0; text != NULL && column >= 1 && i < p->sources.list.count; i++)
    {
        const Source* source = &p->sources.list.at[i];
        if (strcmp(source->path, file) != 0)
            continue;
        at->file = i + 1;
        at->start = (uint32_t)(text - source->text) + (uint32_t)utf8_offset(text, length, (size_t)column - 1);
        return true;
    }
    return false;
}

int kaiProgram_SymbolAt(kaiProgram* program, const char* file, int line, int column)
{
    const SymbolTable* t = table_of(program);
    Span at;
    if (t == NULL || file == NULL || !find_offset(program, file, line, column, &at))
        return -1;
    int found = -1;
    for (uint32_t i = 0; i < t->occurrences.count; i++)
    {
        Span span = t->occurrences.at[i].span;  // a cursor right behind a name is at it too
        if (span.file == at.file && span.start <= at.start && at.start <= span.end)
            found = t->occurrences.at[i].symbol;
        if (found >= 0 && at.start < span.end)
            break;
    }
    return found;
}
