// Where names are used. A path begins with a local name (an argument, an index), a name of the model or, where modes
// are compared, a mode; each further step is a name of the model that the instance before it is of.
#include "api/symbols.h"

typedef struct Local
{
    const char* name;
    int symbol;
    const struct Local* outer;
} Local;

typedef struct Scope
{
    SymbolTable* table;
    int model;  // -1: none (functions)
    const Local* locals;
    const ModeList* siblings;  // modes that a transition may go to
} Scope;

static void walk_expr(const Scope* s, const Expr* e);
static void walk_items(const Scope* s, const ItemList* items);

// ---- names

static const SymbolEntry* entry(const Scope* s, int symbol)
{
    return symbol >= 0 ? &s->table->symbols.at[symbol] : NULL;
}

static int find_first(const Scope* s, const char* name)
{
    for (const Local* l = s->locals; l != NULL; l = l->outer)
        if (l->name == name)
            return l->symbol;
    if (s->model < 0)
        return -1;
    int found = symbols_find(entry(s, s->model)->members, name);
    return found >= 0 ? found : symbols_find(entry(s, s->model)->modes, name);
}

// A name of what `symbol` is an instance of.
static int find_member(const Scope* s, int symbol, const char* name)
{
    const SymbolEntry* e = entry(s, symbol);
    if (e == NULL || e->kind != KAI_SYMBOL_INSTANCE)
        return -1;
    const SymbolEntry* type = entry(s, symbols_find(&s->table->models, e->type));
    return type != NULL ? symbols_find(type->members, name) : -1;
}

static void walk_path(const Scope* s, const Path* path)
{
    int symbol = -1;
    for (uint32_t i = 0; path != NULL && i < path->steps.count; i++)
    {
        const PathStep* step = &path->steps.at[i];
        symbol = i == 0 ? find_first(s, step->name) : find_member(s, symbol, step->name);
        symbols_occur(s->table, symbol, step->span, false);
        walk_expr(s, step->index);
    }
}

// A name that runs over a range, known inside.
static Local bind(const Scope* s, const char* name, const Range* range)
{
    int symbol = -1;
    if (name != NULL)
        symbol = symbols_add(
            s->table,
            (SymbolEntry){.kind = KAI_SYMBOL_INDEX, .name = name, .parent = s->model, .span = range->index_span});
    return (Local){name, symbol, s->locals};
}

static void walk_range(const Scope* s, const Range* range)
{
    walk_expr(s, range->from);
    walk_expr(s, range->to);
}

// ---- expressions

static void walk_call(const Scope* s, const Expr* e)
{
    if (e->path != NULL && e->path->steps.count == 1)
        symbols_occur(s->table, symbols_find(&s->table->functions, e->path->steps.at[0].name),
                      e->path->steps.at[0].span, false);
    else
        walk_path(s, e->path);
}

static void walk_fold(const Scope* s, const Expr* e)
{
    Local local = bind(s, e->index, &e->range);
    Scope inner = *s;
    inner.locals = &local;
    walk_range(s, &e->range);
    walk_expr(&inner, e->a);
}

static void walk_expr(const Scope* s, const Expr* e)
{
    if (e == NULL)
        return;
    if (e->kind == EXPR_FOLD)
    {
        walk_fold(s, e);
        return;
    }
    if (e->kind == EXPR_CALL)
        walk_call(s, e);
    else if (e->kind == EXPR_PATH)
        walk_path(s, e->path);
    for (uint32_t i = 0; i < e->items.count; i++)
        walk_expr(s, e->items.at[i]);
    walk_expr(s, e->a);
    walk_expr(s, e->b);
    walk_expr(s, e->c);
}

// ---- items

static void walk_args(const Scope* s, const ArgList* args, const char* type)
{
    const SymbolEntry* model = entry(s, symbols_find(&s->table->models, type));
    const Map* members = model != NULL ? model->members : NULL;
    for (uint32_t i = 0; i < args->count; i++)
    {
        symbols_occur(s->table, symbols_find(members, args->at[i].name), args->at[i].span, false);
        walk_expr(s, args->at[i].value);
    }
}

static void walk_vars(const Scope* s, const Item* item)
{
    for (uint32_t i = 0; i < item->vars.count; i++)
    {
        const Var* v = &item->vars.at[i];
        Local local = bind(s, v->index, &v->range);
        Scope inner = *s;
        inner.locals = &local;
        walk_range(s, &v->range);
        walk_expr(&inner, v->init);
    }
}

static void walk_actions(const Scope* s, const ActionList* actions)
{
    for (uint32_t i = 0; i < actions->count; i++)
    {
        walk_path(s, actions->at[i].target);
        walk_expr(s, actions->at[i].value);
    }
}

static void walk_modes(const Scope* s, const ModeList* modes)
{
    Scope inner = *s;
    inner.siblings = modes;
    for (uint32_t i = 0; i < modes->count; i++)
        walk_items(&inner, &modes->at[i]->items);
}

// Machines of one model may have modes of one name.
static void walk_target(const Scope* s, const Item* item)
{
    uint32_t symbol;
    for (uint32_t i = 0; s->siblings != NULL && i < s->siblings->count; i++)
    {
        const Mode* mode = s->siblings->at[i];
        if (mode->name == item->target && map_get(&s->table->modes, (uint64_t)(uintptr_t)mode, &symbol))
            symbols_occur(s->table, (int)symbol, item->target_span, false);
    }
}

static void walk_item(const Scope* outer, const Item* item)
{
    Scope inner = *outer;
    const Scope* s = &inner;
    walk_range(outer, &item->range);
    Local local = bind(outer, item->index, &item->range);
    if (item->index != NULL)
        inner.locals = &local;
    if (item->kind == ITEM_INSTANCE)
    {
        symbols_occur(s->table, symbols_find(&s->table->models, item->type), item->type_span, false);
        walk_args(s, &item->args, item->type);
    }
    if (item->target != NULL)
        walk_target(s, item);
    walk_vars(s, item);
    walk_path(s, item->path);
    for (uint32_t i = 0; i < item->paths.count; i++)
        walk_path(s, item->paths.at[i]);
    walk_expr(s, item->value);
    walk_expr(s, item->guard);
    walk_expr(s, item->weight);
    walk_actions(s, &item->actions);
    walk_modes(s, &item->modes);
    walk_items(s, &item->items);
}

static void walk_items(const Scope* s, const ItemList* items)
{
    for (uint32_t i = 0; i < items->count; i++)
        walk_item(s, items->at[i]);
}

// ---- files

static void walk_function(SymbolTable* t, const Function* f)
{
    Local* locals = arena_array(t->arena, Local, f->params.count + 1);
    Scope s = {.table = t, .model = -1};
    for (uint32_t i = 0; i < f->params.count; i++)
    {
        int symbol = symbols_add(t, (SymbolEntry){.kind = KAI_SYMBOL_ARGUMENT,
                                                  .name = f->params.at[i],
                                                  .parent = symbols_find(&t->functions, f->name),
                                                  .span = f->param_spans.at[i]});
        locals[i] = (Local){f->params.at[i], symbol, s.locals};
        s.locals = &locals[i];
    }
    walk_expr(&s, f->body);
}

static void walk_experiment(SymbolTable* t, const Experiment* x)
{
    Scope s = {.table = t, .model = symbols_find(&t->models, x->model)};
    symbols_occur(t, s.model, x->model_span, false);
    walk_args(&s, &x->args, x->model);
    for (uint32_t i = 0; i < x->settings.count; i++)
    {
        const Setting* setting = x->settings.at[i];
        for (uint32_t k = 0; k < setting->paths.count; k++)
            walk_path(&s, setting->paths.at[k]);
        walk_path(&s, setting->path);
        for (uint32_t k = 0; k < setting->values.count; k++)
            walk_expr(&s, setting->values.at[k]);
        const Expr* const parts[] = {setting->kind == SETTING_VALUE ? NULL : setting->value,
                                     setting->every,
                                     setting->from,
                                     setting->to,
                                     setting->by,
                                     setting->target,
                                     setting->within};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            walk_expr(&s, parts[k]);
    }
}

void occurrences_collect(SymbolTable* t, const Program* program)
{
    for (uint32_t f = 0; f < program->files.count; f++)
    {
        const FileAst* file = program->files.at[f];
        for (uint32_t i = 0; i < file->models.count; i++)
        {
            Scope s = {.table = t, .model = symbols_find(&t->models, file->models.at[i]->name)};
            walk_items(&s, &file->models.at[i]->items);
        }
        for (uint32_t i = 0; i < file->functions.count; i++)
            walk_function(t, file->functions.at[i]);
        for (uint32_t i = 0; i < file->experiments.count; i++)
            walk_experiment(t, file->experiments.at[i]);
    }
}
