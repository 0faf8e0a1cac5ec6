// The tables of a model in the making: see builder.h.
#include "schedule/builder.h"

#include "base/hash.h"

#include <string.h>

uint32_t build_string(Builder* b, const char* text)
{
    if (text == NULL || text[0] == 0)
        return 0;
    uint64_t key = hash_bytes(HASH_START, text, strlen(text));
    uint32_t at;
    if (map_get(&b->string_index, key, &at) && strcmp(b->strings.at + at, text) == 0)
        return at;
    at = b->strings.count;
    for (const char* p = text;; p++)
    {
        vec_push(b->arena, b->strings, *p);
        if (*p == 0)
            break;
    }
    map_set(&b->string_index, key, at);
    return at;
}

uint32_t build_place(Builder* b, Span span)
{
    if (span.file == 0)
        return 0;
    uint64_t key = (uint64_t)span.file << 32 | span.start;
    uint32_t at;
    if (map_get(&b->place_index, key, &at))
        return at;
    kaiPlace p = sources_place(b->c.sources, span);
    at = b->places.count;
    vec_push(b->arena, b->places, (ModelPlace){build_string(b, p.file), p.line, p.column});
    map_set(&b->place_index, key, at);
    return at;
}

SymReg react_result(Builder* b, uint32_t ctx, ScalarId value)
{
    SymReg dst = compiler_reg(&b->c, REG_TEMP);
    vec_push(b->arena, b->react_sinks, (Sink){ctx, value, dst});
    return dst;
}

void index_sinks(Builder* b)
{
    for (uint32_t i = 0; i < b->event_sinks.count; i++)
        map_set(&b->event_index, b->event_sinks.at[i].dst, i + 1);
    for (uint32_t i = 0; i < b->react_sinks.count; i++)
        map_set(&b->react_index, b->react_sinks.at[i].dst, i + 1);
}

ScalarId sink_value(Builder* b, Map* index, SymReg reg)
{
    uint32_t at;
    const Sinks* sinks = index == &b->event_index ? &b->event_sinks : &b->react_sinks;
    return reg != NO_REG && map_get(index, reg, &at) ? sinks->at[at - 1].value : 0;
}

uint32_t sink_ctx(Builder* b, Map* index, SymReg reg)
{
    uint32_t at = 0;
    map_get(index, reg, &at);
    return (index == &b->event_index ? b->event_sinks.at : b->react_sinks.at)[at - 1].ctx;
}

void builder_init(Builder* b, Arena* arena, const Flat* flat, Diags* diags, const Sources* sources)
{
    b->arena = arena;
    b->c = (Compiler){
        .arena = arena, .flat = flat_extend(arena, flat), .diags = diags, .sources = sources, .seed = NO_REG};
    b->c.nodes.arena = arena;
    map_init(&b->string_index, arena);
    map_init(&b->place_index, arena);
    map_init(&b->draw_uses, arena);
    map_init(&b->event_names, arena);
    map_init(&b->event_index, arena);
    map_init(&b->react_index, arena);
    map_init(&b->c.cell_index, arena);
    map_init(&b->c.pre_latches, arena);
    map_init(&b->c.event_flags, arena);
    map_init(&b->c.task_of, arena);
    map_init(&b->c.start_of, arena);
    map_init(&b->c.derived, arena);
    map_init(&b->c.slopes, arena);
    map_init(&b->c.impulse_index, arena);
    scalars_init(&b->c.scalars, arena);
    vec_push(arena, b->strings, 0);
    vec_push(arena, b->places, (ModelPlace){0});
    for (uint32_t i = 0; i < flat->vars.count; i++)
        vec_push(arena, b->c.vars,
                 (VarInfo){.reg = NO_REG, .present = NO_REG, .deriv = NO_REG, .bond_area = NO_REG, .sum_area = NO_REG});
    b->c.entries = arena_array(arena, SymReg, flat->ctxs.count + 1);
    for (uint32_t i = 0; i <= flat->ctxs.count; i++)
        b->c.entries[i] = NO_REG;
}
