// A linear field of few states as one small matrix, with the products that feed integrals beside it, for whoever takes
// its steps himself. What lies between states and derivatives is multiplied out. Fields that turn, or whose products
// are not of states, have none.
#include "vm/tape.h"

#include <string.h>

enum
{
    BETWEEN = 8,  // rows that are multiplied out at most
};

typedef struct Combination  // of the states
{
    uint32_t slot;
    double factors[FEW_STATES], rise;
} Combination;

typedef struct Few
{
    const Tape* tape;
    FewField* field;
    uint32_t states, count;
    Combination between[BETWEEN];
} Few;

// Adds what one slot is made of. False: something that the matrix has no place for.
static bool add_slot(const Few* few, uint32_t slot, double factor, Combination* to)
{
    if (slot == TAPE_ZERO)
        return true;
    if (slot >= TAPE_INPUT && slot < TAPE_INPUT + few->states)
    {
        to->factors[slot - TAPE_INPUT] += factor;
        return true;
    }
    for (uint32_t i = 0; i < few->count; i++)
        if (few->between[i].slot == slot)
        {
            for (uint32_t j = 0; j < few->states; j++)
                to->factors[j] += factor * few->between[i].factors[j];
            to->rise += factor * few->between[i].rise;
            return true;
        }
    return false;
}

// The state whose row begins at a place, or FEW_STATES.
static uint32_t state_at(const Few* few, uint32_t place)
{
    uint32_t i = 0;
    while (i < few->states && few->tape->row_of[TAPE_INPUT + i] != place)
        i++;
    return i < few->states ? i : (uint32_t)FEW_STATES;
}

static bool add_product(const Few* few, const TapePiece* piece, uint32_t target)
{
    FewField* f = few->field;
    uint32_t x = state_at(few, piece->x), y = state_at(few, piece->y);
    if (x == FEW_STATES || y == FEW_STATES || f->product_count == FEW_PRODUCTS)
        return false;
    f->products[f->product_count++] = (FewProduct){piece->factor, (int)x, (int)y, (int)target};
    return true;
}

static bool add_row(const Few* few, const TapeRow* row, const TapePiece* piece, Combination* to)
{
    *to = (Combination){.slot = row->target, .rise = row->rise};
    for (uint32_t i = 0; i < row->count; i++)
        if (!add_slot(few, piece[i].x, piece[i].factor, to))
            return false;
    return true;
}

static bool fill(Few* few)
{
    const TapeField* f = &few->tape->field;
    const TapePiece* piece = f->pieces;
    Combination row;
    for (uint32_t i = 0; i < f->row_count; piece += f->rows[i].count + f->rows[i].more, i++)
    {
        bool between = i < f->between_count;
        if (!add_row(few, &f->rows[i], piece, &row) || (between && f->rows[i].products > 0))
            return false;
        if (between)
        {
            few->between[few->count++] = row;
            continue;
        }
        for (uint32_t k = 0; k < f->rows[i].products; k++)
            if (!add_product(few, piece + f->rows[i].count + k, row.slot))
                return false;
        for (uint32_t j = 0; j < few->states; j++)
            few->field->columns[j][row.slot] = row.factors[j];
        few->field->rises[row.slot] = row.rise;
        few->field->rising |= row.rise != 0;
    }
    return true;
}

// Whether nothing reads what products feed: so it is in a linear field.
static bool is_linear(const FewField* f, uint32_t states)
{
    for (uint32_t k = 0; k < f->product_count; k++)
        for (uint32_t i = 0; i < states; i++)
            if (f->columns[f->products[k].target][i] != 0 || f->products[k].x == f->products[k].target ||
                f->products[k].y == f->products[k].target)
                return false;
    return true;
}

static bool is_used(const FewField* f, uint32_t column)
{
    bool used = false;
    for (uint32_t i = 0; i < FEW_STATES; i++)
        used |= f->columns[column][i] != 0;
    return used;
}

static void list_used(FewField* f)
{
    uint32_t next = 0;
    for (int used = 1; used >= 0; used--)
    {
        for (uint32_t j = 0; j < FEW_STATES; j++)
            if (is_used(f, j) == used)
                f->used[next++] = j;
        f->used_count = used ? next : f->used_count;
    }
}

bool tape_few_serves(const Tape* t, uint32_t states)
{
    return t->degree == SERIES_WHOLE && t->alone && states <= FEW_STATES && t->field.turn_count == 0 &&
           t->field.between_count <= BETWEEN;
}

void tape_few_fill(Tape* t)
{
    FewField* field = t->field.few;
    Few few = {.tape = t, .field = field, .states = t->field.row_count - t->field.between_count};
    memset(field, 0, sizeof *field);
    t->field.is_few = fill(&few) && is_linear(field, few.states);
    list_used(field);
}
