// See bands.h.
#include "plot/bands.h"

static uint32_t modes_of(const Bands* b, int i)
{
    int mode = b->pieces[i].mode;
    return mode == BAND_MIXED ? b->pieces[i].modes : mode >= 0 && mode < 32 ? 1u << mode : 0;
}

// Of each pair of neighbours that are short one mixed piece.
static void merge(Bands* b)
{
    double width = (b->ends_at - b->pieces[0].from) / (BAND_MAX / 4);
    int out = 0;
    for (int i = 0; i < b->count; i++)
    {
        double end = i + 1 < b->count ? b->pieces[i + 1].from : b->ends_at;
        bool is_short = end - b->pieces[i].from < width;
        bool joins = out > 0 && is_short && b->pieces[out - 1].mode == BAND_MIXED;
        uint32_t modes = modes_of(b, i);
        if (joins)
        {
            b->pieces[out - 1].modes |= modes;
            continue;
        }
        b->pieces[out] = b->pieces[i];
        b->pieces[out].modes = modes;
        if (is_short)
            b->pieces[out].mode = BAND_MIXED;
        out++;
    }
    b->count = out;
}

void bands_value(Bands* b, double t, int mode)
{
    b->ends_at = t;
    if (b->count > 0 && b->pieces[b->count - 1].from == t)
    {
        b->pieces[b->count - 1].mode = mode;
        if (b->count > 1 && b->pieces[b->count - 2].mode == mode)
            b->count--;
        return;
    }
    if (b->count > 0 && b->pieces[b->count - 1].mode == mode)
        return;
    if (b->count == BAND_MAX)
        merge(b);
    if (b->count == BAND_MAX)
        return;
    b->pieces[b->count].from = t;
    b->pieces[b->count].mode = mode;
    b->count++;
}
