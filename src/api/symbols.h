// What is declared where and used where, by names alone: types and units are not needed for it, and so it can be told
// of a text that is being written and has errors.
#ifndef KAIROS_API_SYMBOLS_H
#define KAIROS_API_SYMBOLS_H

#include "api/compilation.h"
#include "base/map.h"

typedef struct SymbolEntry
{
    kaiSymbolKind kind;
    const char* name;
    int parent;
    const char *type, *unit, *description;
    bool is_event, is_array;
    Span span;
    Map* members;  // MODEL: name → symbol
    Map* modes;    // MODEL: name of a mode → symbol, the first of that name
} SymbolEntry;

typedef struct OccurrenceEntry
{
    int symbol;
    bool declares;
    Span span;
} OccurrenceEntry;

struct SymbolTable
{
    Arena* arena;
    const Sources* sources;
    VEC(SymbolEntry) symbols;
    VEC(OccurrenceEntry) occurrences;
    Map models, functions;  // name → symbol
    Map modes;              // Mode → symbol
};

int symbols_add(SymbolTable* table, SymbolEntry entry);
void symbols_occur(SymbolTable* table, int symbol, Span span, bool declares);
// The symbol of a name in a map, or -1.
int symbols_find(const Map* map, const char* name);

// occurrences.c: everywhere a name is used. The declarations must be there.
void occurrences_collect(SymbolTable* table, const Program* program);

#endif
