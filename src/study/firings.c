// A log of what fired, and a hash table of where it stands in the text.
#include "study/firings.h"

#include <stdlib.h>
#include <string.h>

enum
{
    LIST_MOST = 1000000
};

static uint64_t hash_of(kaiFiredKind kind, const kaiPlace* place, const char* text)
{
    uint64_t hash = 14695981039346656037u;
    hash = (hash ^ (uint64_t)kind) * 1099511628211u;
    hash = (hash ^ (uint64_t)place->line) * 1099511628211u;
    hash = (hash ^ (uint64_t)place->column) * 1099511628211u;
    for (; *text != 0; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static bool same(const Source* s, kaiFiredKind kind, const kaiPlace* place, const char* text)
{
    return s->kind == kind && s->place.line == place->line && s->place.column == place->column &&
           strcmp(s->text, text) == 0;
}

// The slot of a source, or the empty one where it belongs.
static int find_slot(const Firings* f, kaiFiredKind kind, const kaiPlace* place, const char* text)
{
    uint64_t mask = (uint64_t)f->slot_count - 1, at = hash_of(kind, place, text) & mask;
    while (f->slots[at] != 0 && !same(&f->sources[f->slots[at] - 1], kind, place, text))
        at = (at + 1) & mask;
    return (int)at;
}

static bool grow_slots(Firings* f)
{
    int count = f->slot_count > 0 ? 2 * f->slot_count : 64;
    int* slots = calloc((size_t)count, sizeof *slots);
    if (slots == NULL)
        return false;
    free(f->slots);
    f->slots = slots;
    f->slot_count = count;
    for (int i = 0; i < f->source_count; i++)
        f->slots[find_slot(f, f->sources[i].kind, &f->sources[i].place, f->sources[i].text)] = i + 1;
    return true;
}

static int add_source(Firings* f, const kaiFired* fired, int slot)
{
    if (f->source_count == f->source_capacity)
    {
        int capacity = f->source_capacity > 0 ? 2 * f->source_capacity : 32;
        Source* more = realloc(f->sources, sizeof *more * (size_t)capacity);
        if (more == NULL)
            return -1;
        f->sources = more;
        f->source_capacity = capacity;
    }
    char* text = strdup(fired->text);
    if (text == NULL)
        return -1;
    f->sources[f->source_count] = (Source){.kind = fired->kind, .place = fired->place, .text = text};
    f->slots[slot] = f->source_count + 1;
    return f->source_count++;
}

static bool log_time(Firings* f, int source, double t)
{
    f->cut |= f->count == LIST_MOST;
    if (f->cut)
        return true;
    if (f->count == f->capacity)
    {
        int64_t capacity = f->capacity > 0 ? 2 * f->capacity : 256;
        Firing* more = realloc(f->list, sizeof *more * (size_t)capacity);
        if (more == NULL)
            return false;
        f->list = more;
        f->capacity = capacity;
    }
    f->list[f->count++] = (Firing){source, f->sources[source].count, t};
    return true;
}

void firings_add(void* user, const kaiFired* fired)
{
    Firings* f = user;
    if (f->failed || (2 * f->source_count >= f->slot_count && !grow_slots(f)))
    {
        f->failed = true;
        return;
    }
    int slot = find_slot(f, fired->kind, &fired->place, fired->text);
    int source = f->slots[slot] != 0 ? f->slots[slot] - 1 : add_source(f, fired, slot);
    if (source >= 0)
        f->sources[source].count++;
    bool kept = source >= 0 && (fired->kind != KAI_FIRED_CROSSING || log_time(f, source, fired->tag.t));
    f->failed |= !kept;
}

int firings_find(const Firings* f, const Source* other)
{
    return f->slot_count > 0 ? f->slots[find_slot(f, other->kind, &other->place, other->text)] - 1 : -1;
}

void firings_free(Firings* f)
{
    for (int i = 0; i < f->source_count; i++)
        free(f->sources[i].text);
    free(f->sources);
    free(f->slots);
    free(f->list);
}
