// Gauss-Jordan elimination on sparse rows. See eliminate.h.
#include "bond/eliminate.h"

#include <string.h>

void elimination_init(Elimination* e, Arena* arena, int columns, double tolerance)
{
    *e = (Elimination){.arena = arena, .columns = columns, .tolerance = tolerance};
    e->rows_of = arena_alloc(arena, sizeof *e->rows_of * (size_t)(columns + 1));
    e->pivot_row = arena_array(arena, int, columns + 1);
    e->open = arena_array(arena, int, columns + 1);
    for (int c = 0; c < columns; c++)
        e->pivot_row[c] = -1;
}

Quad quad_add(Quad a, Quad b, double tolerance)
{
    Quad sum = a + b;
    if (quad_holds(sum, a, b))
        return sum;
    Quad terms = quad_abs(a) > quad_abs(b) ? quad_abs(a) : quad_abs(b);
    return quad_abs(sum) <= (Quad)tolerance * terms ? 0 : sum;
}

static void note_entry(Elimination* e, int row, int column)
{
    if (column >= e->columns)
        return;
    vec_push(e->arena, e->rows_of[column], row);
    e->open[column] += !e->rows.at[row].used;
}

int elimination_add_row(Elimination* e, const SparseEntry* entries, int count)
{
    int index = (int)e->rows.count;
    SparseRow* row = vec_add(e->arena, e->rows);
    *row = (SparseRow){0};
    for (int i = 0; i < count; i++)
    {
        if (entries[i].value == 0)
            continue;
        vec_push(e->arena, row->entries, entries[i]);
        uint32_t at = row->entries.count - 1;  // insertion: rows have a handful of entries
        for (; at > 0 && row->entries.at[at - 1].column > entries[i].column; at--)
            row->entries.at[at] = row->entries.at[at - 1];
        row->entries.at[at] = entries[i];
        note_entry(e, index, entries[i].column);
    }
    return index;
}

Quad sparse_get(const SparseRow* row, int column)
{
    uint32_t low = 0, high = row->entries.count;
    while (low < high)
    {
        uint32_t middle = (low + high) / 2;
        if (row->entries.at[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row->entries.count && row->entries.at[low].column == column ? row->entries.at[low].value : 0;
}

// Merges both rows into the scratch row, then copies back: entries that cancel vanish, new ones are noted.
void sparse_add(Elimination* e, int index, Quad factor, const SparseRow* other)
{
    SparseRow* row = &e->rows.at[index];
    uint32_t i = 0, j = 0;
    e->scratch.count = 0;
    while (i < row->entries.count || j < other->entries.count)
    {
        int mine = i < row->entries.count ? row->entries.at[i].column : INT32_MAX;
        int theirs = j < other->entries.count ? other->entries.at[j].column : INT32_MAX;
        SparseEntry entry = {0, mine < theirs ? mine : theirs};
        if (mine == theirs)
            entry.value = quad_add(row->entries.at[i].value, factor * other->entries.at[j].value, e->tolerance);
        else
            entry.value = mine < theirs ? row->entries.at[i].value : factor * other->entries.at[j].value;
        if (theirs < mine)
            note_entry(e, index, theirs);
        i += mine <= theirs;
        j += theirs <= mine;
        if (!quad_is_zero(entry.value))
            vec_push(e->arena, e->scratch, entry);
    }
    row->entries.count = 0;
    for (uint32_t k = 0; k < e->scratch.count; k++)
        vec_push(e->arena, row->entries, e->scratch.at[k]);
}

void elimination_pivot_at(Elimination* e, int index, int column)
{
    SparseRow* row = &e->rows.at[index];
    Quad pivot = sparse_get(row, column);
    for (uint32_t k = 0; k < row->entries.count; k++)
    {
        SparseEntry* entry = &row->entries.at[k];
        entry->value = entry->column == column ? 1 : entry->value / pivot;
        if (entry->column < e->columns && e->open[entry->column] > 0)
            e->open[entry->column]--;
    }
    row->used = true;
    e->pivot_row[column] = index;
    uint32_t count = e->rows_of[column].count;
    for (uint32_t k = 0; k < count; k++)
    {
        int other = e->rows_of[column].at[k];
        Quad value = other == index ? 0 : sparse_get(&e->rows.at[other], column);
        if (!quad_is_zero(value))
            sparse_add(e, other, -value, &e->rows.at[index]);
    }
}

bool elimination_pivot(Elimination* e, int column)
{
    Quad largest = 0;
    int best = -1;
    for (int pass = 0; pass < 2; pass++)
    {
        for (uint32_t k = 0; k < e->rows_of[column].count; k++)
        {
            int index = e->rows_of[column].at[k];
            const SparseRow* row = &e->rows.at[index];
            Quad size = row->used ? 0 : quad_abs(sparse_get(row, column));
            if (pass == 0 && size > largest)
                largest = size;
            bool good = pass == 1 && size > 0 && size * 100 >= largest;
            if (good && (best < 0 || row->entries.count < e->rows.at[best].entries.count))
                best = index;
        }
    }
    if (best >= 0)
        elimination_pivot_at(e, best, column);
    return best >= 0;
}
