// What a linear field still gets beyond an order from what is no state of it: the terms of what turns, and those of
// products. A state that stays where it is for two orders tells nothing of them: in q' = sin(t) - q from 0 both cancel
// at orders 4 and 5, and 1 - cos(t) begins with two zeros. All is taken by its size, so nothing cancels here.
#include "vm/tape.h"

#include <math.h>
#include <string.h>

// Of each row of an alone field the last coefficient is that of no order: what lies beyond is kept there.
enum
{
    BEYOND = SERIES_TERMS - 1
};

// The terms of orders from k on of what turns, at h: as those of an exponential.
static double beyond_turn(const TapeTurn* turn, int k, double h)
{
    double y = fabs(turn->z_rate) * h, term = turn->size;
    for (int i = 1; i <= k; i++)
        term *= y / i;
    return y < k + 1 ? term / (1 - y / (k + 1)) : turn->size > 0 ? INFINITY : 0;
}

// Zero times what is beyond all numbers may be any number.
static double known(double bound)
{
    return isnan(bound) ? INFINITY : bound;
}

// What turns has another value in `now` for the time of this, which is kept.
static void put_turns(const Tape* t, int k, double h)
{
    for (TapeTurn *turn = t->field.turns, *end = turn + t->field.turn_count; turn < end; turn++)
    {
        turn->kept_z = t->now[turn->z];
        turn->kept_w = t->now[turn->w];
        t->now[turn->z] = t->now[turn->w] = beyond_turn(turn, k, h);
    }
}

static void take_turns(const Tape* t)
{
    for (const TapeTurn *turn = t->field.turns, *end = turn + t->field.turn_count; turn < end; turn++)
    {
        t->now[turn->z] = turn->kept_z;
        t->now[turn->w] = turn->kept_w;
    }
}

// Terms of orders from k on of a product of two rows of which k are there.
static double beyond_product(const double* x, const double* y, int k, double h)
{
    double ends[SERIES_TERMS + 1], power = 1, sum = 0, powers[SERIES_TERMS];
    if (!(x[BEYOND] < INFINITY) || !(y[BEYOND] < INFINITY))
        return INFINITY;  // times a term that is 0, too
    for (int i = 0; i < k; i++, power *= h)
        powers[i] = power;
    ends[k] = y[BEYOND];
    for (int i = k; i > 0; i--)
        ends[i - 1] = ends[i] + fabs(y[i - 1]) * powers[i - 1];
    for (int i = 0; i < k; i++)
        sum += fabs(x[i]) * powers[i] * ends[k - i];
    return sum + (x[BEYOND] > 0 ? x[BEYOND] * ends[0] : 0);
}

static double beyond_row(const Tape* t, const TapeRow* row, const TapePiece* piece, int k, double h)
{
    double sum = 0;
    for (uint32_t i = 0; i < row->count; i++)
        if (t->now[piece[i].x] > 0)
            sum += fabs(piece[i].factor) * t->now[piece[i].x];
    piece += row->count;
    for (uint32_t i = 0; i < row->products; i++)
        sum += fabs(piece[i].factor) * beyond_product(t->rows + piece[i].x, t->rows + piece[i].y, k, h);
    return sum;
}

double tape_field_rest(const Tape* t, int k, double h, const double* weights, uint32_t states)
{
    const TapeField* f = &t->field;
    const TapePiece* piece = f->pieces;
    double most = 0;
    if (f->turn_count == 0 && !f->products)
        return 0;
    put_turns(t, k, h);
    for (uint32_t i = 0; i < states; i++)
        t->now[TAPE_INPUT + i] = 0;  // each order brings them anew
    for (const uint32_t *push = f->pushes, *end = push + 2 * (size_t)f->push_count; push < end; push += 2)
        t->rows[push[1] + BEYOND] = t->now[push[0]];
    for (uint32_t i = 0; i < f->row_count; i++)
    {
        const TapeRow* row = &f->rows[i];
        double beyond = beyond_row(t, row, piece, k, h);
        if (i >= f->between_count)
            most = most >= beyond * weights[row->target] ? most : known(beyond * weights[row->target]);
        else
            t->now[row->target] = known(beyond);
        if (i < f->between_count && t->row_of[row->target] != NO_REG)
            t->rows[t->row_of[row->target] + BEYOND] = known(beyond);
        piece += row->count + row->more;
    }
    take_turns(t);
    return most;
}
