// Texts of the flat model, shortened for the eye: the path of the instance goes, hidden variables are written out, and
// where the flat form has grown long (a function written out) the author's own words are shown.
#include "diagram/label.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum
{
    LONG = 46,  // characters: beyond them the source is tried
    DEPTH_MOST = 4,
};

typedef VEC(char) Chars;

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ']' || c == '$';
}

static const FlatDef* definition_of(const Flat* flat, uint32_t var)
{
    for (uint32_t i = 0; i < flat->defs.count; i++)
        if (flat->defs.at[i].var == var)
            return &flat->defs.at[i];
    return NULL;
}

static uint32_t find_hidden(const Flat* flat, const char* name, size_t length)
{
    for (uint32_t i = 0; i < flat->vars.count; i++)
    {
        const FlatVar* var = &flat->vars.at[i];
        const char* at = var->hidden ? strrchr(var->name, '$') : NULL;
        if (at != NULL && strlen(at) == length && strncmp(at, name, length) == 0)
            return i;
    }
    return UINT32_MAX;
}

static void put(const Labels* l, Chars* out, const char* text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        vec_push(l->arena, *out, text[i]);
}

static void put_relative(const Labels* l, Chars* out, const char* text, const char* prefix, int depth);

// The variable of a bond graph whose impulse's area this hidden one is, or NULL.
static const char* area_of(const Flat* flat, uint32_t var)
{
    for (uint32_t i = 0; i < flat->graphs.count; i++)
        for (uint32_t k = 0; k < flat->graphs.at[i].outputs.count; k++)
            if (flat->graphs.at[i].outputs.at[k].area == var)
                return flat->vars.at[flat->graphs.at[i].outputs.at[k].var].name;
    return NULL;
}

// `$3`: what it stands for. False: nothing is known about it.
static bool put_hidden(const Labels* l, Chars* out, const char* text, size_t length, const char* prefix, int depth)
{
    uint32_t var = find_hidden(l->flat, text, length);
    const char* area = var != UINT32_MAX ? area_of(l->flat, var) : NULL;
    if (area != NULL)
    {
        put_relative(l, out, arena_printf(l->arena, "area(%s)", area), prefix, depth);
        return true;
    }
    const FlatDef* def = var != UINT32_MAX ? definition_of(l->flat, var) : NULL;
    if (def == NULL || depth == DEPTH_MOST)
        return false;
    put_relative(l, out, flat_text(l->flat, l->arena, def->value), prefix, depth + 1);
    return true;
}

// Guards of junctions read `committed(x)`, which is written `x`, and `regular(x)`, which is written `post(x)`.
static bool put_junction_word(const Labels* l, Chars* out, const char** at, size_t length, const char* prefix,
                              int depth)
{
    bool committed = length == 9 && strncmp(*at, "committed(", 10) == 0;
    if (length == 7 && strncmp(*at, "regular(", 8) == 0)
    {
        put(l, out, "post", 4);
        *at += length;
        return true;
    }
    const char* close = committed ? strchr(*at, ')') : NULL;  // of a variable: there is no other bracket inside
    if (close == NULL)
        return false;
    put_relative(l, out, arena_printf(l->arena, "%.*s", (int)(close - *at - 10), *at + 10), prefix, depth);
    *at = close + 1;
    return true;
}

static void put_relative(const Labels* l, Chars* out, const char* text, const char* prefix, int depth)
{
    size_t cut = strlen(prefix);
    for (const char* at = text; *at != 0;)
    {
        bool begins = at == text || !is_name_char(at[-1]);
        if (begins && cut > 0 && strncmp(at, prefix, cut) == 0 && at[cut] == '.')
            at += cut + 1;
        size_t length = 1;
        while (is_name_char(at[0]) && is_name_char(at[length]))
            length++;
        if (put_junction_word(l, out, &at, length, prefix, depth))
            continue;
        const char* dollar = memchr(at, '$', length);
        if (dollar == NULL || !put_hidden(l, out, dollar, (size_t)(at + length - dollar), prefix, depth))
            put(l, out, at, length);
        at += length;
    }
}

static const char* relative(const Labels* l, const char* text, uint32_t instance)
{
    Chars out = {0};
    put_relative(l, &out, text, l->flat->instances.at[instance].name, 0);
    vec_push(l->arena, out, 0);
    return out.at;
}

// The text of a span on one line, or NULL.
static const char* source_text(const Labels* l, Span span)
{
    if (span.file == 0 || span.end <= span.start)
        return NULL;
    const Source* source = &l->sources->list.at[span.file - 1];
    Chars out = {0};
    for (uint32_t i = span.start; i < span.end; i++)
    {
        char c = source->text[i];
        bool blank = isspace((unsigned char)c) != 0;
        if (!blank)
            vec_push(l->arena, out, c);
        else if (out.count > 0 && out.at[out.count - 1] != ' ')
            vec_push(l->arena, out, ' ');
    }
    vec_push(l->arena, out, 0);
    return out.at;
}

static const char* shorter(const Labels* l, const char* text, Span span)
{
    if (strlen(text) <= LONG)
        return text;
    const char* written = source_text(l, span);
    bool whole = written != NULL && strchr(written, '=') != NULL;  // some spans are those of a name only
    return whole && strlen(written) < strlen(text) ? written : text;
}

const char* label_expression(const Labels* l, NodeId node, uint32_t instance)
{
    const Node* at = &l->flat->nodes.at[node];
    if (at->op == NODE_EDGE || at->op == NODE_PRESENT)
        node = at->arg[0];
    return relative(l, flat_text(l->flat, l->arena, node), instance);
}

const char* label_trigger(const Labels* l, NodeId trigger, NodeId guard, uint32_t instance)
{
    const char* text = label_expression(l, trigger, instance);
    return guard != 0 ? arena_printf(l->arena, "%s if %s", text, label_expression(l, guard, instance)) : text;
}

const char* label_junction_guard(const Labels* l, const FlatTransition* transition)
{
    const char* text = source_text(l, transition->span);
    const char* on = text != NULL ? strstr(text, "on ") : NULL;
    const char* arrow = on != NULL ? strstr(on, "->") : NULL;
    if (arrow == NULL)
        return NULL;
    while (arrow > on + 3 && arrow[-1] == ' ')
        arrow--;
    return arena_printf(l->arena, "%.*s", (int)(arrow - on - 3), on + 3);
}

const char* label_definition(const Labels* l, const FlatDef* def, uint32_t instance)
{
    const char* name = label_name(l, l->flat->vars.at[def->var].name, instance);
    const char* value = label_expression(l, def->value, instance);
    const char* text = arena_printf(l->arena, "%s%s = %s", name, def->order > 0 ? "'" : "", value);
    return shorter(l, text, def->span);
}

const char* label_rule(const Labels* l, const FlatDef* def, uint32_t instance)
{
    const char* text = label_definition(l, def, instance);
    const char* equals = def->order == 0 ? strstr(text, "= ") : NULL;
    if (equals != NULL)
        text = equals;
    if (def->ctx == 0)
        return text;
    const FlatCtx* ctx = &l->flat->ctxs.at[def->ctx];
    return arena_printf(l->arena, "%s: %s", l->flat->machines.at[ctx->machine].modes.at[ctx->mode].name, text);
}

const char* label_action(const Labels* l, const FlatAction* action, uint32_t instance)
{
    if (action->kind == FLAT_HALT)
        return "halt";
    const char* name = label_name(l, l->flat->vars.at[action->var].name, instance);
    const char* value = action->value != 0 ? relative(l, flat_text(l->flat, l->arena, action->value), instance) : NULL;
    if (action->kind == FLAT_EMIT)
        return value != NULL ? arena_printf(l->arena, "emit %s(%s)", name, value)
                             : arena_printf(l->arena, "emit %s", name);
    return shorter(l, arena_printf(l->arena, "%s := %s", name, value), action->span);
}

const char* label_name(const Labels* l, const char* path, uint32_t instance)
{
    return relative(l, path, instance);
}

const bool* label_elements(const Labels* l)
{
    const Flat* flat = l->flat;
    bool* elements = arena_array(l->arena, bool, flat->instances.count + 1);
    for (uint32_t i = 0; i < flat->bond_nodes.count; i++)
    {
        const FlatBondNode* node = &flat->bond_nodes.at[i];
        uint32_t instance = flat->vars.at[node->e].instance;
        elements[instance] |= instance != 0 && strcmp(flat->instances.at[instance].name, node->name) == 0;
    }
    return elements;
}
