// An indexed heap, ordered by time and, at equal times, by number. Every place has four below it, which lie side by
// side with their times: a large heap is half as deep, and going down costs one look at memory a level.
#include "kernel/agenda.h"

#include "base/extreme.h"

#include <math.h>

// What is never due has no order: moving it must not cost the depth of the heap.
static int before(AgendaEntry x, AgendaEntry y)
{
    return x.time < y.time || (x.time == y.time && x.time < INFINITY && x.item < y.item);
}

static void put(Agenda* a, uint32_t place, AgendaEntry entry)
{
    a->heap[place] = entry;
    a->where[entry.item] = place;
}

static void sift_up(Agenda* a, uint32_t place, AgendaEntry entry)
{
    for (; place > 0 && before(entry, a->heap[(place - 1) / AGENDA_BELOW]); place = (place - 1) / AGENDA_BELOW)
        put(a, place, a->heap[(place - 1) / AGENDA_BELOW]);
    put(a, place, entry);
}

static void sift_down(Agenda* a, uint32_t place, AgendaEntry entry)
{
    for (;;)
    {
        uint32_t first = AGENDA_BELOW * place + 1,
                 last = first + AGENDA_BELOW < a->count ? first + AGENDA_BELOW : a->count;
        if (first >= a->count)
            break;
        uint32_t least = first;
        for (uint32_t i = first + 1; i < last; i++)
            if (before(a->heap[i], a->heap[least]))
                least = i;
        if (!before(a->heap[least], entry))
            break;
        put(a, place, a->heap[least]);
        place = least;
    }
    put(a, place, entry);
}

void agenda_init(Agenda* a)
{
    for (uint32_t i = 0; i < a->count; i++)
    {
        a->times[i] = INFINITY;
        put(a, i, (AgendaEntry){INFINITY, i});
    }
}

void agenda_rebuild(Agenda* a)
{
    for (uint32_t i = 0; i < a->count; i++)
        put(a, i, (AgendaEntry){a->times[i], i});
    for (uint32_t i = a->count / AGENDA_BELOW + 1; i-- > 0;)
        sift_down(a, i, a->heap[i]);
}

void agenda_move(Agenda* a, uint32_t item, double t)
{
    uint32_t place = a->where[item];
    double old = a->heap[place].time;
    if (t < old)
        sift_up(a, place, (AgendaEntry){t, item});
    else if (t > old)
        sift_down(a, place, (AgendaEntry){t, item});
}

void agenda_collect(const Agenda* a)
{
    for (uint32_t i = 0; a->count > AGENDA_FEW && i < a->count; i++)
        a->times[a->heap[i].item] = a->heap[i].time;
}

static double last_below(const Agenda* a, double bound, uint32_t place)
{
    if (place >= a->count || !(a->heap[place].time <= bound))
        return -INFINITY;
    double last = a->heap[place].time;
    for (uint32_t i = 1; i <= AGENDA_BELOW; i++)
        last = larger(last, last_below(a, bound, AGENDA_BELOW * place + i));
    return last;
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
