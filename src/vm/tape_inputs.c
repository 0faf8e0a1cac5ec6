// A field without products is linear: its orders are sums of what order 0 brings to it, with factors that constants
// decide. What order 0 brings, beside its states, are the pairs that turn and the rises of what moves as time does. Who
// wants these factors sets one of them to 1 and the others to 0, and runs the orders.
#include "vm/tape.h"

#include <string.h>

static bool rises(const TapeRow* row)
{
    return row->more > row->products;
}

static bool is_pair(const TapeTurn* turn)  // not an exponential, which turns into itself
{
    return turn->w != turn->z;
}

uint32_t tape_field_inputs(const Tape* t)
{
    const TapeField* f = &t->field;
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->turn_count; i++)
        count += is_pair(&f->turns[i]) ? 2 : 1;
    for (uint32_t i = 0; f->rises && i < f->row_count; i++)
        count += rises(&f->rows[i]);
    return count;
}

void tape_field_get(const Tape* t, double* inputs)
{
    const TapeField* f = &t->field;
    for (const TapeTurn *turn = f->turns, *end = turn + f->turn_count; turn < end; turn++)
    {
        *inputs++ = t->now[turn->z];
        if (is_pair(turn))
            *inputs++ = t->now[turn->w];
    }
    for (uint32_t i = 0; f->rises && i < f->row_count; i++)
        if (rises(&f->rows[i]))
            *inputs++ = f->rows[i].rise;
}

void tape_field_put(Tape* t, const double* inputs)
{
    const TapeField* f = &t->field;
    for (const TapeTurn *turn = f->turns, *end = turn + f->turn_count; turn < end; turn++)
    {
        t->now[turn->z] = *inputs++;
        if (is_pair(turn))
            t->now[turn->w] = *inputs++;
    }
    for (uint32_t i = 0; f->rises && i < f->row_count; i++)
        if (rises(&f->rows[i]))
            f->rows[i].rise = *inputs++;
}

static uint64_t mix(uint64_t key, uint64_t bits)
{
    key = (key ^ bits) * 0x9e3779b97f4a7c15U;
    return key ^ (key >> 29);
}

static uint64_t mix_number(uint64_t key, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return mix(key, bits);
}

uint64_t tape_field_key(const Tape* t)
{
    const TapeField* f = &t->field;
    uint64_t key = 1;
    for (uint32_t i = 0; i < 2 * t->mode_count; i++)
        key = mix(key, t->modes[i]);
    for (uint32_t i = 0; i < f->term_count; i++)
        key = mix_number(key, f->pieces[i].factor);
    for (uint32_t i = 0; i < f->turn_count; i++)
        key = mix_number(mix_number(key, f->turns[i].z_rate), f->turns[i].w_rate);
    return key;
}
