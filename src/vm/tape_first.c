// Order 0 of a tape: the values that the code has left in its registers, those that no register has, and what is made
// of them once for all orders: factors of sums, sides of kinks, matrices of loops.
#include "base/dense.h"
#include "vm/tape.h"

#include <math.h>
#include <string.h>

static void begin_newton(Tape* t, const TapePart* part, const double* R)
{
    uint32_t n = part->unknowns;
    const uint32_t* derivatives = t->loops + part->first + 2 * n;
    double* J = t->matrices + part->matrix;
    for (uint32_t i = 0; i < n * n; i++)
        J[i] = R[derivatives[i]];
    dense_factor(J, tape_pivots(J, n), n);  // singular: infinite coefficients, which no solver takes
}

static double first_of(const Tape* t, uint32_t slot)
{
    return t->rows[t->first_at[slot]];
}

static double first_value(const Tape* t, const TapeLoad* load, const kaiModel* model, const double* R)
{
    double x;
    switch (load->first)
    {
    case FIRST_REGISTER: return R[load->x];
    case FIRST_NUMBER: return load->number;
    case FIRST_TABLE_SLOPE: return vm_table_slope(model, vm_constant(model, load->y), R[load->x]);
    case FIRST_SUM: return first_of(t, load->x) + first_of(t, load->y);
    case FIRST_PRODUCT: return first_of(t, load->x) * first_of(t, load->y);
    default: x = first_of(t, load->x);
    }
    switch (load->first)
    {
    case FIRST_SIN: return sin(x);
    case FIRST_COS: return cos(x);
    case FIRST_SINH: return sinh(x);
    case FIRST_COSH: return cosh(x);
    case FIRST_LOG: return log(x);
    case FIRST_SQUARE: return x * x;
    case FIRST_PLUS_SQUARE: return 1 + x * x;
    case FIRST_MINUS_SQUARE: return (1 - x) * (1 + x);
    default: return sqrt(x);
    }
}

// The whole row of a delayed signal, or of a derivative of it.
static bool load_delayed(Tape* t, const TapeLoad* load, const kaiModel* model, const double* R, const VmHost* host)
{
    double c[SERIES_TERMS + DELAYED_ORDERS], *row = t->rows + load->row;
    int order = (int)load->number;
    if (host == NULL || host->delayed_series == NULL ||
        !host->delayed_series(host->ctx, vm_constant(model, load->x), R[load->y], SERIES_TERMS + order, c))
        return false;
    for (int i = 0; i < order; i++)
        for (int k = 0; k < SERIES_TERMS + order - 1 - i; k++)
            c[k] = (k + 1) * c[k + 1];
    memcpy(row, c, sizeof(double) * SERIES_TERMS);
    return true;
}

static double factor_of(const Tape* t, const TapeSum* term)
{
    double product = 1;
    for (uint32_t i = term->first; i < term->first + term->count; i++)
    {
        double c = t->now[tape_factor_slot(t->factors[i])];
        product = t->factors[i] == TAPE_OPPOSITE ? -product : t->factors[i] % 2 == 1 ? product / c : product * c;
    }
    return product;
}

// What only constants decide. What moves as time does has its first order from here on, until other parts run.
static void sum_up(Tape* t)
{
    for (uint32_t i = 0; i < t->sum_count; i++)
        t->sums[i].factor = factor_of(t, &t->sums[i]);
    t->now[t->time_slot] = 1;
    if (t->steady)
        tape_run_part(t, &t->parts[0], 1);
    tape_field_begin(t);
    t->summed = true;
    t->firm = t->obstacle == NO_REG && t->load_count == t->constant_count &&
              t->side_count + t->term_count + t->matrix_count == 0;
    t->bare = t->firm && t->load_count == 0;
    t->firm &= t->quad_count == 0;
}

bool tape_has_constants(const Tape* t, const double* R)
{
    const TapeLoad *load = t->loads, *end = load + t->constant_count;
    while (load < end && t->now[load->slot] == R[load->x])
        load++;
    return load == end && t->summed;
}

// Numbers that stand still in registers.
static void load_constants(Tape* t, const double* R)
{
    bool same = true;
    double* now = t->now;
    for (const TapeLoad *load = t->loads, *end = load + t->constant_count; load < end; load++)
        same &= now[load->slot] == R[load->x];
    if (same)
        return;
    t->summed = false;
    for (const TapeLoad *load = t->loads, *end = load + t->constant_count; load < end; load++)
    {
        now[load->slot] = R[load->x];
        if (load->row != NO_REG)
            t->rows[load->row] = R[load->x];
    }
}

uint32_t tape_load(Tape* t, const kaiModel* model, const double* R, const VmHost* host, bool known)
{
    if (!known)
        load_constants(t, R);
    for (uint32_t i = t->constant_count; i < t->load_count; i++)
    {
        const TapeLoad* load = &t->loads[i];
        if (load->first == FIRST_DELAYED)
        {
            if (!load_delayed(t, load, model, R, host))
                return load->reg;
            continue;
        }
        double value = load->first == FIRST_REGISTER ? R[load->x] : first_value(t, load, model, R);
        t->summed &= !load->constant || t->now[load->slot] == value;
        if (load->constant || load->turned)
            t->now[load->slot] = value;
        if (load->row != NO_REG)
            t->rows[load->row] = value;
    }
    if (t->quad_count > 0)
        tape_first_lanes(t);
    for (uint32_t i = 0; i < t->side_count; i++)
    {
        TapeSide* side = &t->sides[i];
        side->sign = (int8_t)tape_sign(R[side->reg_x] - (side->reg_y != NO_REG ? R[side->reg_y] : 0));
        side->order = 0;
    }
    for (uint32_t i = 0; i < t->term_count; i++)
    {
        TapeTerm* term = &t->terms[i];
        double c = R[term->coefficient];
        term->factor = term->size ? fabs(c) * (R[term->reg] < 0 ? -1 : 1) : c;
    }
    if (!t->summed)
        sum_up(t);
    for (uint32_t i = 0; i < t->part_count; i++)
        if (t->parts[i].unknowns > 0)
            begin_newton(t, &t->parts[i], R);
    return NO_REG;
}
