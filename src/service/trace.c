// See trace.h.
#include "service/trace.h"

#include <math.h>
#include <string.h>

static void* resize(const Trace* t, void* block, size_t old_size, size_t size)
{
    return t->allocator.alloc(t->allocator.user, block, old_size, size);
}

bool trace_init(Trace* t, kaiAllocator allocator, int columns)
{
    size_t memory = t->memory;
    *t = (Trace){.allocator = allocator, .memory = memory, .last_only = t->last_only, .reached = t->reached};
    if (columns > 0)
        t->values = resize(t, NULL, 0, sizeof *t->values * (size_t)columns);
    if (t->values == NULL)
        return columns == 0;
    memset(t->values, 0, sizeof *t->values * (size_t)columns);
    t->columns = columns;
    return true;
}

void trace_free(Trace* t)
{
    for (int i = 0; i < t->columns; i++)
        if (t->values[i] != NULL)
            resize(t, t->values[i], sizeof(double) * t->capacity, 0);
    if (t->values != NULL)
        resize(t, t->values, sizeof *t->values * (size_t)t->columns, 0);
    if (t->t != NULL)
        resize(t, t->t, sizeof *t->t * t->capacity, 0);
    if (t->p != NULL)
        resize(t, t->p, sizeof *t->p * t->capacity, 0);
    if (t->m != NULL)
        resize(t, t->m, sizeof *t->m * t->capacity, 0);
    if (t->fired != NULL)
        resize(t, t->fired, sizeof *t->fired * t->fired_capacity, 0);
    *t = (Trace){.allocator = t->allocator};
}

// A block that a failure leaves with the new size, while others have the old one, could not be freed with the size it
// has: so each is made anew, and all change places at the end.
static bool grow(Trace* t)
{
    Trace bigger = {.memory = t->memory, .last_only = t->last_only, .reached = t->reached};
    size_t capacity = t->capacity > 0 ? 2 * t->capacity : 256;
    if (t->memory > 0 && capacity * sizeof(double) * ((size_t)t->columns + 2) > t->memory)
        return false;
    bool fine = trace_init(&bigger, t->allocator, t->columns);
    bigger.capacity = capacity;
    for (int i = 0; fine && i < t->columns; i++)
        fine = (bigger.values[i] = resize(t, NULL, 0, sizeof(double) * capacity)) != NULL;
    fine = fine && (bigger.t = resize(t, NULL, 0, sizeof *t->t * capacity)) != NULL &&
           (bigger.p = resize(t, NULL, 0, sizeof *t->p * capacity)) != NULL &&
           (bigger.m = resize(t, NULL, 0, sizeof *t->m * capacity)) != NULL;
    for (int i = 0; fine && i < t->columns && t->rows > 0; i++)
        memcpy(bigger.values[i], t->values[i], sizeof(double) * t->rows);
    if (fine && t->rows > 0)
    {
        memcpy(bigger.t, t->t, sizeof *t->t * t->rows);
        memcpy(bigger.p, t->p, sizeof *t->p * t->rows);
        memcpy(bigger.m, t->m, sizeof *t->m * t->rows);
    }
    if (!fine)
    {
        trace_free(&bigger);
        return false;
    }
    bigger.rows = t->rows;
    bigger.fired = t->fired;
    bigger.fired_count = t->fired_count;
    bigger.fired_capacity = t->fired_capacity;
    t->fired = NULL;
    trace_free(t);
    *t = bigger;
    return true;
}

kaiStatus trace_row(void* user, const kaiRow* row)
{
    Trace* t = user;
    if (t->last_only && t->rows > 0 && t->t[0] != row->t)
        t->rows = 0;
    if (t->rows == t->capacity && !grow(t))
        return KAI_ERR_MEMORY;
    for (int i = 0; i < t->columns; i++)
        t->values[i][t->rows] = row->present[i] ? row->values[i] : NAN;
    t->t[t->rows] = row->t;
    t->p[t->rows] = row->p;
    t->m[t->rows] = row->m;
    t->rows++;
    if (t->reached != NULL)  // another thread looks
        __atomic_store(t->reached, &(double){row->t}, __ATOMIC_RELAXED);
    return KAI_OK;
}

// Cut between characters.
static void copy_text(char* to, const char* from)
{
    size_t length = strlen(from);
    if (length >= TRACE_TEXT)
    {
        length = TRACE_TEXT - 1;
        while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80)
            length--;
    }
    memcpy(to, from, length);
    to[length] = 0;
}

void trace_fired(void* user, const kaiFired* fired)
{
    Trace* t = user;
    if (t->last_only && t->fired_count > 0 && t->fired[0].tag.t != fired->tag.t)
        t->fired_count = 0;
    if (t->fired_count == t->fired_capacity)
    {
        size_t capacity = t->fired_capacity > 0 ? 2 * t->fired_capacity : 64;
        TraceFired* more = capacity <= TRACE_FIRED_MOST
                               ? resize(t, t->fired, sizeof *more * t->fired_capacity, sizeof *more * capacity)
                               : NULL;
        if (more == NULL)
            return;  // rows show that something happened, if not what
        t->fired = more;
        t->fired_capacity = capacity;
    }
    TraceFired* f = &t->fired[t->fired_count++];
    *f = (TraceFired){.tag = fired->tag, .kind = fired->kind, .place = fired->place};
    copy_text(f->text, fired->text != NULL ? fired->text : "");
}
