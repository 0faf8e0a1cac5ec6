// The past of a signal under `delay`: polynomials end to end, each of the time since its start. Pieces and their
// coefficients lie in two rings, so that what is old goes at no cost; a step that is cut takes its end away again.
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

// ---- memory that grows
// -----------------------------------------------------------------------------------------------

static bool grow_pieces(History* h, kaiAllocator a)
{
    uint32_t room = h->capacity < 64 ? 64 : 2 * h->capacity;
    HistoryPiece* made = a.alloc(a.user, NULL, 0, sizeof *made * room);
    if (made == NULL)
        return false;
    memset(made, 0, sizeof *made * room);  // what is not used yet goes into snapshots too
    for (uint32_t i = 0; i < h->count; i++)
        made[i] = *history_piece(h, i);
    if (h->pieces != NULL)
        a.alloc(a.user, h->pieces, sizeof *made * h->capacity, 0);
    h->pieces = made;
    h->capacity = room;
    h->first = 0;
    return true;
}

static uint32_t oldest_coefficient(const History* h)
{
    return h->count > 0 ? history_piece(h, 0)->first : h->next;
}

static bool grow_coefficients(History* h, kaiAllocator a, uint32_t wanted)
{
    uint32_t room = h->room < 128 ? 128 : h->room, oldest = oldest_coefficient(h);
    while (room < wanted)
        room *= 2;
    double* made = a.alloc(a.user, NULL, 0, sizeof *made * room);
    if (made == NULL)
        return false;
    memset(made, 0, sizeof *made * room);
    for (uint32_t i = oldest; i != h->next; i++)
        made[i & (room - 1)] = h->coefficients[i & (h->room - 1)];
    if (h->coefficients != NULL)
        a.alloc(a.user, h->coefficients, sizeof *made * h->room, 0);
    h->coefficients = made;
    h->room = room;
    return true;
}

bool history_push(History* h, kaiAllocator a, const HistoryPiece* piece, const double* c)
{
    uint32_t terms = piece->degree + 1u, wanted = h->next - oldest_coefficient(h) + terms;
    if ((h->count == h->capacity && !grow_pieces(h, a)) || (wanted > h->room && !grow_coefficients(h, a, wanted)))
        return false;
    HistoryPiece* made = history_piece(h, h->count++);
    *made = *piece;
    made->first = h->next;
    for (uint32_t k = 0; k < terms; k++)
        h->coefficients[h->next++ & (h->room - 1)] = c[k];
    return true;
}

void history_forget(History* h, double before)
{
    while (h->count > 2 && history_piece(h, 1)->start < before)
        history_drop(h);
}

void history_cut(History* h, double t)
{
    if (!(h->end > t))
        return;
    h->end = t;
    h->break_at = -INFINITY;
    while (h->count > 0 && history_piece(h, h->count - 1)->start >= t)
    {
        const HistoryPiece* last = history_piece(h, --h->count);
        h->next = last->first;
        h->order = last->start == t ? last->order : h->order;
    }
}

void history_clear(History* h)
{
    h->first = h->count = h->next = 0;
}

void history_free(History* h, kaiAllocator a)
{
    if (h->pieces != NULL)
        a.alloc(a.user, h->pieces, sizeof *h->pieces * h->capacity, 0);
    if (h->coefficients != NULL)
        a.alloc(a.user, h->coefficients, sizeof *h->coefficients * h->room, 0);
    *h = (History){0};
}

// ---- reading
// ---------------------------------------------------------------------------------------------------------

// How many pieces start at `at` or before it; a start that `at` misses by rounding counts too.
static uint32_t pieces_before(const History* h, double at, double rounding)
{
    uint32_t lo = 0, hi = h->count;
    while (lo < hi)
    {
        uint32_t mid = (lo + hi) / 2;
        if (history_piece(h, mid)->start <= at + rounding)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

uint32_t history_find(const History* h, double at, double rounding, bool right)
{
    uint32_t count = pieces_before(h, at, rounding);
    for (uint32_t i = count; !right && i > 0 && history_piece(h, i - 1)->start >= at - rounding; i--)
        if (history_piece(h, i - 1)->order == 1)
            count = i - 1;
    return count > 0 ? count - 1 : HISTORY_NONE;
}

double history_piece_end(const History* h, uint32_t piece)
{
    return piece + 1 < h->count ? history_piece(h, piece + 1)->start : h->end;
}

double history_value(const History* h, uint32_t piece, double at, uint32_t order)
{
    const HistoryPiece* p = history_piece(h, piece);
    double theta = at - p->start, sum = 0;
    for (uint32_t k = p->degree + 1u; k-- > order;)
    {
        double factor = 1;
        for (uint32_t i = 0; i < order; i++)
            factor *= k - i;
        sum = sum * theta + factor * history_coefficient(h, p, k);
    }
    return sum;
}

void history_expand(const History* h, uint32_t piece, double at, int terms, double* c)
{
    const HistoryPiece* p = history_piece(h, piece);
    double by = at - p->start, shifted[HISTORY_TERMS];
    int degree = p->degree;
    for (int k = 0; k <= degree; k++)
        shifted[k] = history_coefficient(h, p, (uint32_t)k);
    for (int i = 0; i < degree && by != 0; i++)
        for (int k = degree - 1; k >= i; k--)
            shifted[k] += by * shifted[k + 1];
    for (int k = 0; k < terms; k++)
        c[k] = k <= degree ? shifted[k] : 0;
}

static void bound_piece(const History* h, uint32_t piece, double from, double to, uint32_t order, double* low,
                        double* high)
{
    double c[HISTORY_TERMS], half = 0.5 * (to - from), reach = 0, power = 1, middle = 0, factor = 1;
    history_expand(h, piece, from + half, HISTORY_TERMS, c);
    for (uint32_t i = 2; i <= order; i++)
        factor *= i;
    for (uint32_t k = order; k < HISTORY_TERMS; k++, power *= half)
    {
        *(k == order ? &middle : &reach) += k == order ? factor * c[k] : factor * fabs(c[k]) * power;
        factor *= (k + 1.0) / (k + 1.0 - order);
    }
    *low = fmin(*low, middle - reach);
    *high = fmax(*high, middle + reach);
}

uint32_t history_range(const History* h, double from, double to, uint32_t order, double* low, double* high)
{
    uint32_t before = pieces_before(h, from, 0), first = before > 0 ? before - 1 : 0, i = first;
    for (; i < h->count && (i == first || history_piece(h, i)->start < to); i++)
    {
        double start = fmax(from, history_piece(h, i)->start);
        double end = i + 1 < h->count ? fmin(to, history_piece(h, i + 1)->start) : to;
        if (end >= start)
            bound_piece(h, i, start, end, order, low, high);
    }
    return i - first;
}

// ---- snapshots
// -------------------------------------------------------------------------------------------------------

static size_t padded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

size_t history_save_size(const History* h)
{
    return padded(sizeof *h) + padded(sizeof *h->pieces * h->capacity) + padded(sizeof *h->coefficients * h->room);
}

char* history_save(const History* h, char* block)
{
    History plain = *h;
    plain.pieces = NULL;
    plain.coefficients = NULL;
    memcpy(block, &plain, sizeof plain);
    block += padded(sizeof plain);
    if (h->capacity > 0)
        memcpy(block, h->pieces, sizeof *h->pieces * h->capacity);
    block += padded(sizeof *h->pieces * h->capacity);
    if (h->room > 0)
        memcpy(block, h->coefficients, sizeof *h->coefficients * h->room);
    return block + padded(sizeof *h->coefficients * h->room);
}

// Room of `bytes`, with what the block holds.
static void* load_array(kaiAllocator a, const char** block, size_t bytes, bool* ok)
{
    if (bytes == 0)
        return NULL;
    void* made = a.alloc(a.user, NULL, 0, bytes);
    if (made != NULL)
        memcpy(made, *block, bytes);
    *ok &= made != NULL;
    *block += padded(bytes);
    return made;
}

const char* history_load(History* h, kaiAllocator a, const char* block, bool* ok)
{
    History from;
    memcpy(&from, block, sizeof from);
    block += padded(sizeof from);
    history_free(h, a);
    from.pieces = load_array(a, &block, sizeof *from.pieces * from.capacity, ok);
    from.coefficients = load_array(a, &block, sizeof *from.coefficients * from.room, ok);
    from.capacity = from.pieces != NULL ? from.capacity : 0;
    from.room = from.coefficients != NULL ? from.room : 0;
    from.count = from.pieces != NULL && (from.coefficients != NULL) ? from.count : 0;
    *h = from;
    return block;
}
