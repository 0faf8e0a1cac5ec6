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

static Quad dot(const Quad* a, const Quad* b, int count)
{
    Quad sum = 0, terms = 0;
    for (int i = 0; i < count; i++)
    {
        if (quad_is_zero(a[i]) || quad_is_zero(b[i]))
            continue;
        sum += a[i] * b[i];
        terms += quad_abs(a[i] * b[i]);
    }
    return quad_abs(sum) <= (Quad)BOND_QUAD_NOTHING * terms ? 0 : sum;  // orthogonal means: touches nothing
}

static void subtract(Quad* a, Quad factor, const Quad* b, int count)
{
    for (int i = 0; i < count; i++)
        if (!quad_is_zero(b[i]))
            a[i] = quad_add(a[i], -factor * b[i], BOND_RANK_TOLERANCE);
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
    Quad size = quad_sqrt(dot(amount[i], amount[i], length));
    if (!(size > 0))
        return false;
    if (amount[i] != b->idle_vector[i])
        scale(amount[i], 1 / size, length);
    scale(b->idle_vector[i], 1 / size, classes);
    for (int other = 0; other < b->mode.idle_count; other++)
    {
        Quad part = other == i ? 0 : dot(amount[other], amount[i], length);
        if (part == 0)
            continue;
        if (amount[other] != b->idle_vector[other])
            subtract(amount[other], part, amount[i], length);
        subtract(b->idle_vector[other], part, b->idle_vector[i], classes);
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

// Forms of plain loops come second: they do not disturb what the junctions leak.
void idle_project(Builder* b)
{
    int classes = b->mode.class_count;
    for (int i = 0; i < b->mode.idle_count; i++)
    {
        int amount = elimination_add_row(&b->solution, NULL, 0);
        for (int c = 0; c < classes; c++)
            if (!quad_is_zero(b->idle_form[i][c]))
                sparse_add(&b->solution, amount, b->idle_form[i][c], &b->solution.rows.at[c]);
        for (int c = 0; c < classes; c++)
            if (!quad_is_zero(b->idle_vector[i][c]))
                sparse_add(&b->solution, c, -b->idle_vector[i][c], &b->solution.rows.at[amount]);
    }
}
