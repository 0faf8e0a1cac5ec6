// Rows and firings → instants (the public face). Only one instant is in work; of a single wanted one the nearest so far
// is kept.
#include "plot/instant.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- memory

static void* zeroed(kaiAllocator a, size_t size)
{
    void* block = a.alloc(a.user, NULL, 0, size);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

static void give(kaiAllocator a, void* block, size_t size)
{
    if (block != NULL)
        a.alloc(a.user, block, size, 0);
}

// Twice the room for `count` blocks of `element` bytes. False: none.
static bool grow(kaiAllocator a, void** at, size_t element, int from, int to)
{
    void* more = a.alloc(a.user, *at, element * (size_t)from, element * (size_t)to);
    if (more != NULL)
        *at = more;
    return more != NULL;
}

static void free_instant(const kaiInstants* v, Instant* x)
{
    kaiAllocator a = v->options.allocator;
    give(a, x->rows, v->stride * (size_t)x->tag_capacity);
    give(a, x->fired, sizeof *x->fired * (size_t)x->fired_capacity);
    *x = (Instant){0};
}

kaiInstants* kaiInstants_Create(const kaiFigureOptions* options, double at, const kaiColumn* columns, int column_count,
                                kaiError* error)
{
    if (!plot_check(options, columns, column_count, error))
        return NULL;
    kaiAllocator a = options->allocator;
    kaiInstants* v = zeroed(a, sizeof *v);
    error_memory(error);
    if (v == NULL)
        return NULL;
    *v = (kaiInstants){.options = *options, .at = at, .columns = columns, .column_count = column_count};
    v->stride = sizeof(TagEntry) + sizeof(double) * (size_t)column_count + ((size_t)column_count + 7) / 8 * 8;
    v->shown = zeroed(a, (size_t)column_count + 1);
    v->changing = zeroed(a, (size_t)column_count + 1);
    v->widths = zeroed(a, sizeof *v->widths * ((size_t)column_count + 1));
    if (v->shown != NULL && v->changing != NULL && v->widths != NULL && plot_format(options, &v->format, error))
    {
        error_clear(error);
        return v;
    }
    kaiInstants_Free(v);
    return NULL;
}

void kaiInstants_Free(kaiInstants* v)
{
    if (v == NULL)
        return;
    kaiAllocator a = v->options.allocator;
    free_instant(v, &v->current);
    for (int i = 0; i < v->count; i++)
        free_instant(v, &v->kept[i]);
    give(a, v->kept, sizeof *v->kept * (size_t)v->capacity);
    give(a, v->shown, (size_t)v->column_count + 1);
    give(a, v->changing, (size_t)v->column_count + 1);
    give(a, v->widths, sizeof *v->widths * ((size_t)v->column_count + 1));
    give(a, v, sizeof *v);
}

kaiStatus kaiInstants_Show(kaiInstants* v, const char* const* signals, int count, kaiError* error)
{
    if (v == NULL || count < 0 || (signals == NULL && count > 0))
        return error_set(error, KAI_ERR_USAGE, "there are no instants or no signals");
    for (int i = 0; i < count; i++)
    {
        int column = plot_find_column(v->columns, v->column_count, signals[i], error);
        if (column < 0)
            return KAI_ERR_USAGE;
        v->shown[column] = v->named = true;
    }
    return KAI_OK;
}

// ---- collecting

static bool keep(kaiInstants* v, Instant x)
{
    if (v->count == v->capacity)
    {
        int capacity = 2 * v->capacity + 4;
        if (!grow(v->options.allocator, (void**)&v->kept, sizeof *v->kept, v->capacity, capacity))
            return false;
        v->capacity = capacity;
    }
    v->kept[v->count++] = x;
    return true;
}

static bool is_wanted(const kaiInstants* v, const Instant* x)
{
    if (x->tag_count + (x->tag_count > 0 && x->fired_count > 0) < 2 || x->t < v->options.from || x->t > v->options.to)
        return false;
    return isnan(v->at) || v->count == 0 || fabs(x->t - v->at) < fabs(v->kept[0].t - v->at);
}

// All rows of the t in work are known.
static void close_current(kaiInstants* v)
{
    v->has_current = false;
    if (is_wanted(v, &v->current))
    {
        if (!isnan(v->at) && v->count > 0)
            free_instant(v, &v->kept[--v->count]);
        if (keep(v, v->current))
        {
            v->current = (Instant){0};
            return;
        }
        v->out_of_memory = true;
    }
    v->current.tag_count = v->current.fired_count = 0;  // its memory is used again
    v->current.more = 0;
}

static void open_at(kaiInstants* v, double t)
{
    if (v->has_current && v->current.t != t)
        close_current(v);
    if (!v->has_current)
        v->current.t = t;
    v->has_current = true;
    v->first_t = v->any ? v->first_t : t;
    v->last_t = t;
    v->any = true;
}

static char* row_at(const kaiInstants* v, const Instant* x, int tag)
{
    return x->rows + v->stride * (size_t)tag;
}

static bool reserve_tag(kaiInstants* v, Instant* x)
{
    kaiAllocator a = v->options.allocator;
    if (x->tag_count < x->tag_capacity)
        return true;
    int from = x->tag_capacity, to = 2 * from + 4;
    if (!grow(a, (void**)&x->rows, v->stride, from, to))
        return false;
    x->tag_capacity = to;
    return true;
}

kaiStatus kaiInstants_Row(void* instants, const kaiRow* row)
{
    if (instants == NULL || row == NULL)
        return KAI_ERR_USAGE;
    kaiInstants* v = instants;
    open_at(v, row->t);
    Instant* x = &v->current;
    if (x->tag_count == INSTANT_TAGS)
    {
        x->more++;
        return KAI_OK;
    }
    if (!reserve_tag(v, x))
        return KAI_ERR_MEMORY;
    size_t n = (size_t)v->column_count;
    char* at = row_at(v, x, x->tag_count++);
    memcpy(at, &(TagEntry){row->p, row->m}, sizeof(TagEntry));
    memcpy(at + sizeof(TagEntry), row->values, sizeof(double) * n);
    memcpy(at + sizeof(TagEntry) + sizeof(double) * n, row->present, n);
    return KAI_OK;
}

void kaiInstants_Fired(void* instants, const kaiFired* fired)
{
    if (instants == NULL || fired == NULL)
        return;
    kaiInstants* v = instants;
    open_at(v, fired->tag.t);
    Instant* x = &v->current;
    if (x->fired_count == INSTANT_TAGS)
        return;
    if (x->fired_count == x->fired_capacity)
    {
        int to = 2 * x->fired_capacity + 4;
        if (!grow(v->options.allocator, (void**)&x->fired, sizeof *x->fired, x->fired_capacity, to))
        {
            v->out_of_memory = true;
            return;
        }
        x->fired_capacity = to;
    }
    FiredEntry* e = &x->fired[x->fired_count++];
    *e = (FiredEntry){.p = fired->tag.p, .m = fired->tag.m, .kind = fired->kind, .line = fired->place.line};
    e->file = fired->place.file;
    snprintf(e->text, sizeof e->text, "%s", fired->text);
}

// ---- questions

TagEntry instant_tag(const kaiInstants* v, const Instant* x, int tag)
{
    TagEntry entry;
    memcpy(&entry, row_at(v, x, tag), sizeof entry);
    return entry;
}

bool instant_value(const kaiInstants* v, const Instant* x, int tag, int column, double* value)
{
    const char* row = row_at(v, x, tag);
    memcpy(value, row + sizeof(TagEntry) + sizeof(double) * (size_t)column, sizeof *value);
    return row[sizeof(TagEntry) + sizeof(double) * (size_t)v->column_count + (size_t)column] != 0;
}

bool instant_changed(const kaiInstants* v, const Instant* x, int tag, int column)
{
    double before, now;
    if (tag == 0)
        return false;
    bool had = instant_value(v, x, tag - 1, column, &before), has = instant_value(v, x, tag, column, &now);
    return had != has || (has && before != now);
}

int instant_choose(kaiInstants* v, const Instant* x)
{
    int count = 0;
    for (int i = 0; i < v->column_count; i++)
    {
        v->changing[i] = v->shown[i];
        for (int tag = 1; tag < x->tag_count && !v->named; tag++)
            v->changing[i] |= instant_changed(v, x, tag, i);
        count += v->changing[i];
    }
    return count;
}

void instant_cell(const kaiInstants* v, const Instant* x, int tag, int column, char* text, size_t size)
{
    double value;
    const kaiColumn* c = &v->columns[column];
    if (!instant_value(v, x, tag, column, &value))
        snprintf(text, size, "·");
    else if (c->kind == KAI_COLUMN_MODE && value >= 0 && value < c->mode_count)
        snprintf(text, size, "%s", c->mode_names[(int)value]);
    else
        ticks_number(fabs(value) < 1e-13 ? 0 : value, 6, text, size);
}

static bool is_before(TagEntry tag, const FiredEntry* f)
{
    return tag.p < f->p || (tag.p == f->p && tag.m <= f->m);
}

bool instant_fired_at(const kaiInstants* v, const Instant* x, int tag, const FiredEntry* f)
{
    bool reached = is_before(instant_tag(v, x, tag), f) || tag == 0;
    bool passed = tag + 1 < x->tag_count && is_before(instant_tag(v, x, tag + 1), f);
    return reached && !passed;
}

const char* instant_kind(kaiFiredKind kind)
{
    static const char* const names[] = {"crossing", "clock", "when", "transition"};
    return names[kind];
}

// ---- drawing

static kaiStatus check(const kaiInstants* v, kaiError* error)
{
    if (v->out_of_memory)
    {
        error_memory(error);
        return KAI_ERR_MEMORY;
    }
    if (v->count > 0)
        return KAI_OK;
    if (!v->any)
        error_set(error, KAI_ERR_USAGE, "there are no rows to look at");
    else
        error_set(error, KAI_ERR_USAGE, "there is no instant from t = %g to t = %g: the signals flow and nothing jumps",
                  fmax(v->options.from, v->first_t), fmin(v->options.to, v->last_t));
    return KAI_ERR_USAGE;
}

kaiStatus kaiInstants_Draw(kaiInstants* v, kaiError* error)
{
    if (v == NULL)
        return error_set(error, KAI_ERR_USAGE, "there are no instants");
    close_current(v);
    kaiStatus status = check(v, error);
    if (status != KAI_OK)
        return status;
    for (int i = 0; i < v->count; i++)
        for (int k = 0; k < v->kept[i].fired_count; k++)
        {
            FiredEntry* f = &v->kept[i].fired[k];
            if (v->options.source_line == NULL || f->file == NULL ||
                !v->options.source_line(v->options.source_user, f->file, f->line, f->source, sizeof f->source))
                f->source[0] = 0;
        }
    return v->format == CANVAS_TERMINAL ? instant_write(v, error) : instant_draw(v, error);
}
