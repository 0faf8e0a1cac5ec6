// Rows of the leading sim, which is ahead of the tangents by a piece: they wait here, and are handed on when the
// tangents have come to their time. Tangents of signals are made when they are asked for.
#include "run/variation_parts.h"

#include "vm/tangent.h"

#include <math.h>
#include <string.h>

typedef struct RowHead
{
    double t;
    int32_t p, m;
} RowHead;

void variation_rows_free(Variation* v)
{
    if (v->rows.at != NULL)
        v->allocator.alloc(v->allocator.user, v->rows.at, v->rows.room, 0);
}

static size_t entry_size(int columns)
{
    return sizeof(RowHead) + (size_t)columns * sizeof(double) + (((size_t)columns + 7) & ~(size_t)7);
}

kaiStatus variation_collect(void* variation, const kaiRow* row)
{
    Variation* v = variation;
    RowBuffer* b = &v->rows;
    kaiSim_Columns(v->sim, &b->columns);
    size_t size = entry_size(b->columns);
    if (b->size + size > b->room)
    {
        size_t room = 2 * b->room + 64 * size;
        char* at = v->allocator.alloc(v->allocator.user, b->at, b->room, room);
        if (at == NULL)
            return KAI_ERR_MEMORY;
        b->at = at;
        b->room = room;
    }
    char* at = b->at + b->size;
    memcpy(at, &(RowHead){row->t, row->p, row->m}, sizeof(RowHead));
    at += sizeof(RowHead);
    if (b->columns > 0)
    {
        memcpy(at, row->values, sizeof(double) * (size_t)b->columns);
        memcpy(at + sizeof(double) * (size_t)b->columns, row->present, (size_t)b->columns);
    }
    b->size += size;
    return KAI_OK;
}

static bool peek(const RowBuffer* b, kaiRow* row)
{
    RowHead head;
    if (b->read == b->size)
        return false;
    const char* at = b->at + b->read;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    *row = (kaiRow){.t = head.t,
                    .p = head.p,
                    .m = head.m,
                    .values = (const double*)(const void*)at,
                    .present = (const uint8_t*)at + sizeof(double) * (size_t)b->columns};
    return true;
}

static kaiStatus hand_on(Variation* v, const kaiRow* row, bool known, bool instant)
{
    RowBuffer* b = &v->rows;
    kaiStatus status = v->row(v->user, v, row, known, instant);
    b->read += entry_size(b->columns);
    if (b->read == b->size)
        b->read = b->size = 0;
    return status;
}

double variation_rows_next(const Variation* v)
{
    kaiRow row;
    return peek(&v->rows, &row) && row.t > v->t ? row.t : INFINITY;
}

kaiStatus variation_rows_until(Variation* v, double end)
{
    kaiRow row;
    kaiStatus status = KAI_OK;
    bool ends = !variation_had_instant(v);
    while (status == KAI_OK && peek(&v->rows, &row) && row.t <= v->t && (row.t < end || ends))
    {
        v->is_shown = false;
        v->shown_at = v->t;
        status = hand_on(v, &row, true, false);
    }
    return status;
}

kaiStatus variation_rows_instant(Variation* v, bool left)
{
    kaiRow row, next;
    kaiStatus status = KAI_OK;
    v->is_shown = false;
    v->shown_at = v->t;
    if (left)
        return peek(&v->rows, &row) && row.p < 0 ? hand_on(v, &row, true, true) : KAI_OK;
    while (status == KAI_OK && peek(&v->rows, &row))
    {
        RowBuffer rest = v->rows;
        rest.read += entry_size(rest.columns);
        status = hand_on(v, &row, !peek(&rest, &next), true);
    }
    return status;
}

// ---- tangents of signals

// All signals at the time of the row, and how they move.
static bool show(Variation* v)
{
    Kernel* kernel = &v->eval->kernel;
    if (v->is_shown)
        return true;
    variation_load(v, v->shown_at, v->y);
    if (kernel_run(kernel, v->model->flow) != KAI_OK)
        return false;
    v->is_shown = true;
    for (uint32_t k = 0; k < v->count; k++)
        v->is_shown &= vm_tangent(v->model, kernel->R, v->model->flow, &kernel->host, variation_tangent(v, k));
    return v->is_shown;
}

double variation_of(Variation* v, int variable, int index)
{
    if (variable < 0 || (uint32_t)variable >= v->model->vars_count || index < 0 || (uint32_t)index >= v->count ||
        v->model->vars[variable].column != KAI_COLUMN_REAL || !show(v))
        return NAN;
    return variation_shown(v, variable, index, variation_tangent(v, (uint32_t)index)[v->model->vars[variable].reg]);
}
