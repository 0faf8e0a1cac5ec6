// Idle vectors: directions of the null space that move no extensity. See builder.h.
#include "base/tolerance.h"
#include "bond/builder.h"

#include <math.h>
#include <string.h>

static Quad quad_sqrt(Quad value)
{
    Quad root = sqrt((double)value);
    for (int i = 0; i < 3 && root > 0; i++)
        root = (root + value / root) / 2;
    return root;
}

// Entries of a vector that are not 0: most of them are.
typedef struct Support
{
    int count, *at;
} Support;

static Support support_of(Arena* arena, const Quad* a, int count)
{
    Support s = {.at = arena_array(arena, int, count + 1)};
    for (int i = 0; i < count; i++)
        if (!quad_is_zero(a[i]))
            s.at[s.count++] = i;
    return s;
}

static Quad dot(const Quad* a, const Quad* b, Support of_b)
{
    Quad sum = 0, terms = 0;
    for (int k = 0; k < of_b.count; k++)
    {
        int i = of_b.at[k];
        if (quad_is_zero(a[i]))
            continue;
        Quad term = a[i] * b[i];
        sum += term;
        terms += quad_abs(term);
    }
    return quad_abs(sum) <= (Quad)BOND_QUAD_NOTHING * terms ? 0 : sum;  // orthogonal means: touches nothing
}

static void subtract(Quad* a, Quad factor, const Quad* b, Support of_b)
{
    for (int k = 0; k < of_b.count; k++)
        a[of_b.at[k]] = quad_add(a[of_b.at[k]], -factor * b[of_b.at[k]], BOND_RANK_TOLERANCE);
}

static void scale(Quad* a, Quad factor, int count)
{
    for (int i = 0; i < count; i++)
        if (!quad_is_zero(a[i]))
            a[i] *= factor;
}

// What every switched junction leaks along a vector.
void idle_leaks(Builder* b, const Quad* vector, Quad* leak)
{
    if (b->leaks.columns == 0)
    {
        elimination_init(&b->leaks, b->arena, 1, 0);
        for (int j = 0; j < b->graph->switch_count; j++)
        {
            structure_junction(b, b->graph->junction_of[j], true);
            structure_end_row(b, &b->leaks);
        }
    }
    for (int j = 0; j < b->graph->switch_count; j++)
    {
        const SparseRow* row = &b->leaks.rows.at[j];
        leak[j] = 0;
        for (uint32_t i = 0; i < row->entries.count; i++)
        {
            Quad amount = vector[row->entries.at[i].column];
            if (!quad_is_zero(amount))
                leak[j] = quad_add(leak[j], row->entries.at[i].value * amount, BOND_RANK_TOLERANCE);
        }
    }
}

// Makes vector i of length one in `amount` and removes it from the others. False if it has no length.
static bool normalise(Builder* b, Quad** amount, int length, int i)
{
    int classes = b->mode.class_count;
    Support own = support_of(b->arena, amount[i], length), moved = support_of(b->arena, b->idle_vector[i], classes);
    Quad size = quad_sqrt(dot(amount[i], amount[i], own));
    if (!(size > 0))
        return false;
    if (amount[i] != b->idle_vector[i])
        scale(amount[i], 1 / size, length);
    scale(b->idle_vector[i], 1 / size, classes);
    for (int other = 0; other < b->mode.idle_count; other++)
    {
        Quad part = other == i ? 0 : dot(amount[other], amount[i], own);
        if (part == 0)
            continue;
        if (amount[other] != b->idle_vector[other])
            subtract(amount[other], part, amount[i], own);
        subtract(b->idle_vector[other], part, b->idle_vector[i], moved);
    }
    return true;
}

// The form that reads amount `leak`ᵀ (what the junctions leak) from a solution.
static void leak_form(Builder* b, const Quad* leak, Quad* form)
{
    for (int j = 0; j < b->graph->switch_count; j++)
    {
        if (quad_is_zero(leak[j]))
            continue;
        structure_junction(b, b->graph->junction_of[j], true);
        for (uint32_t i = 0; i < b->row.count; i++)
            form[b->row.at[i].column] += leak[j] * b->row.at[i].value;
        b->row.count = 0;
    }
}

// Vectors that some switched junction leaks along are orthonormal in the leaks; the rest (loops of plain junctions) in
// their values, and the former are made orthogonal to them.
void idle_prepare(Builder* b)
{
    int count = b->mode.idle_count, classes = b->mode.class_count, switches = b->graph->switch_count;
    b->idle_vector = arena_array(b->arena, Quad*, count + 1);
    b->idle_form = arena_array(b->arena, Quad*, count + 1);
    Quad** leak = arena_array(b->arena, Quad*, count + 1);
    bool* leaking = arena_array(b->arena, bool, count + 1);
    for (int i = 0; i < count; i++)
    {
        b->idle_vector[i] = arena_array(b->arena, Quad, classes);
        b->idle_form[i] = arena_array(b->arena, Quad, classes);
        leak[i] = arena_array(b->arena, Quad, switches + 1);
        nullspace_vector(b, b->idle.at[i], b->idle_vector[i]);
        idle_leaks(b, b->idle_vector[i], leak[i]);
    }
    for (int i = 0; i < count; i++)
        leaking[i] = normalise(b, leak, switches, i);
    for (int i = 0; i < count; i++)
        if (!leaking[i])
            normalise(b, b->idle_vector, classes, i);
    int leaks = count * switches + 1;
    b->mode.leak = arena_array(b->arena, double, leaks);
    for (int i = 0; i < count; i++)
    {
        for (int j = 0; j < switches && leaking[i]; j++)
            b->mode.leak[i * switches + j] = (double)leak[i][j];
        if (leaking[i])
            leak_form(b, leak[i], b->idle_form[i]);
        else
            memcpy(b->idle_form[i], b->idle_vector[i], (size_t)classes * sizeof(Quad));
    }
}

// ---------------------------------------------------------------------------------------------------------- projection

// Sums of a hundred thousand products: two doubles hold 32 digits, and cost a tenth of quadruple precision that is made
// of calls (Dekker 1971).
typedef struct Pair
{
    double high, low;
} Pair;

typedef struct PairRow
{
    int count, *column;
    Pair* value;
} PairRow;

// A row with a place for every column, and the size of the terms of each.
typedef struct DenseRow
{
    Pair* value;
    double* size;
    int columns;
} DenseRow;

static Pair pair_of(Quad value)
{
    double high = (double)value;
    return (Pair){high, (double)(value - high)};
}

static Pair split(double a)
{
    double c = 134217729.0 * a, high = c - (c - a);  // 2^27 + 1
    return (Pair){high, a - high};
}

static Pair pair_product(Pair a, Pair b)
{
    Pair x = split(a.high), y = split(b.high);
    double high = a.high * b.high;
    double low = ((x.high * y.high - high) + x.high * y.low + x.low * y.high) + x.low * y.low;
    return (Pair){high, low + (a.high * b.low + a.low * b.high)};
}

static Pair pair_sum(Pair a, Pair b)
{
    double sum = a.high + b.high, part = sum - a.high;
    double low = (a.high - (sum - part)) + (b.high - part) + a.low + b.low, high = sum + low;
    return (Pair){high, low - (high - sum)};
}

static PairRow pair_row(Arena* arena, int count)
{
    return (PairRow){count, arena_array(arena, int, count + 1), arena_array(arena, Pair, count + 1)};
}

static void read_row(const SparseRow* row, PairRow* pairs)
{
    pairs->count = (int)row->entries.count;
    for (int k = 0; k < pairs->count; k++)
    {
        pairs->column[k] = row->entries.at[k].column;
        pairs->value[k] = pair_of(row->entries.at[k].value);
    }
}

// row += factor * other
static void dense_add(DenseRow* row, Pair factor, const PairRow* other)
{
    for (int k = 0; k < other->count; k++)
    {
        int column = other->column[k];
        Pair term = pair_product(factor, other->value[k]);
        row->value[column] = pair_sum(row->value[column], term);
        row->size[column] = fmax(row->size[column], fabs(term.high));
    }
}

static bool is_left(const DenseRow* row, int column)
{
    return fabs(row->value[column].high) > BOND_QUAD_NOTHING * row->size[column];
}

static int count_left(const DenseRow* row)
{
    int count = 0;
    for (int i = 0; i < row->columns; i++)
        count += is_left(row, i);
    return count;
}

static void dense_clear(DenseRow* row)
{
    memset(row->value, 0, (size_t)row->columns * sizeof(Pair));
    memset(row->size, 0, (size_t)row->columns * sizeof(double));
}

// What is left of it, by column; the dense row is empty then.
static PairRow dense_take(DenseRow* row, Arena* arena)
{
    PairRow left = pair_row(arena, count_left(row));
    for (int i = 0, count = 0; i < row->columns; i++)
        if (is_left(row, i))
        {
            left.column[count] = i;
            left.value[count++] = row->value[i];
        }
    dense_clear(row);
    return left;
}

static void dense_write(DenseRow* row, Arena* arena, SparseRow* to)
{
    uint32_t wanted = (uint32_t)count_left(row);
    to->entries.count = 0;
    if (to->entries.capacity < wanted)
    {
        to->entries.at = arena_array(arena, SparseEntry, wanted);  // no more than that: rows become dense
        to->entries.capacity = wanted;
    }
    for (int i = 0; i < row->columns; i++)
        if (is_left(row, i))
        {
            SparseEntry entry = {(Quad)row->value[i].high + row->value[i].low, i};
            vec_push(arena, to->entries, entry);
        }
    dense_clear(row);
}

// What every idle vector takes away, over the inputs and dependent vectors.
static PairRow* find_amounts(Builder* b, DenseRow* row, PairRow* solution)
{
    PairRow* amounts = arena_array(b->arena, PairRow, b->mode.idle_count + 1);
    for (int i = 0; i < b->mode.idle_count; i++)
    {
        for (int c = 0; c < b->mode.class_count; c++)
        {
            if (quad_is_zero(b->idle_form[i][c]))
                continue;
            read_row(&b->solution.rows.at[c], solution);
            dense_add(row, pair_of(b->idle_form[i][c]), solution);
        }
        amounts[i] = dense_take(row, b->arena);
    }
    return amounts;
}

// Forms and vectors are orthonormal to each other, so that all amounts are read before anything is taken away.
void idle_project(Builder* b)
{
    DenseRow row = {.columns = b->mode.input_count + b->mode.dependent_count};
    if (b->mode.idle_count == 0)
        return;
    row.value = arena_array(b->arena, Pair, row.columns + 1);
    row.size = arena_array(b->arena, double, row.columns + 1);
    PairRow solution = pair_row(b->arena, row.columns), *amounts = find_amounts(b, &row, &solution);
    for (int c = 0; c < b->mode.class_count; c++)
    {
        bool moved = false;
        for (int i = 0; i < b->mode.idle_count; i++)
        {
            if (quad_is_zero(b->idle_vector[i][c]))
                continue;
            dense_add(&row, pair_of(-b->idle_vector[i][c]), &amounts[i]);
            moved = true;
        }
        if (!moved)
            continue;
        read_row(&b->solution.rows.at[c], &solution);
        dense_add(&row, (Pair){1, 0}, &solution);
        dense_write(&row, b->arena, &b->solution.rows.at[c]);
    }
}
