// An indexed binary heap, ordered by time and, at equal times, by number.
#include "kernel/agenda.h"

#include "base/extreme.h"

#include <math.h>

// What is never due has no order: moving it must not cost the depth of the heap.
static int before(const Agenda* a, uint32_t x, uint32_t y)
{
    double s = a->times[x], t = a->times[y];
    return s < t || (s == t && s < INFINITY && x < y);
}

static void put(Agenda* a, uint32_t place, uint32_t item)
{
    a->heap[place] = item;
    a->where[item] = place;
}

static void sift_up(Agenda* a, uint32_t place, uint32_t item)
{
    for (; place > 0 && before(a, item, a->heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(a, place, a->heap[(place - 1) / 2]);
    put(a, place, item);
}

static void sift_down(Agenda* a, uint32_t place, uint32_t item)
{
    for (;;)
    {
        uint32_t child = 2 * place + 1;
        if (child >= a->count)
            break;
        if (child + 1 < a->count && before(a, a->heap[child + 1], a->heap[child]))
            child++;
        if (!before(a, a->heap[child], item))
            break;
        put(a, place, a->heap[child]);
        place = child;
    }
    put(a, place, item);
}

void agenda_init(Agenda* a)
{
    for (uint32_t i = 0; i < a->count; i++)
    {
        a->times[i] = INFINITY;
        put(a, i, i);
    }
}

void agenda_rebuild(Agenda* a)
{
    for (uint32_t i = 0; i < a->count; i++)
        put(a, i, i);
    for (uint32_t i = a->count / 2; i-- > 0;)
        sift_down(a, i, a->heap[i]);
}

void agenda_move(Agenda* a, uint32_t item, double t)
{
    double old = a->times[item];
    a->times[item] = t;
    if (t < old)
        sift_up(a, a->where[item], item);
    else if (t > old)
        sift_down(a, a->where[item], item);
}

static double last_below(const Agenda* a, double bound, uint32_t place)
{
    if (place >= a->count || !(a->times[a->heap[place]] <= bound))
        return -INFINITY;
    double left = last_below(a, bound, 2 * place + 1), right = last_below(a, bound, 2 * place + 2);
    return larger(a->times[a->heap[place]], larger(left, right));
}

double agenda_last(const Agenda* a, double bound)
{
    double last = -INFINITY;
    if (a->count > AGENDA_FEW)
        return last_below(a, bound, 0);
    for (uint32_t i = 0; i < a->count; i++)
        last = a->times[i] <= bound ? larger(last, a->times[i]) : last;
    return last;
}
