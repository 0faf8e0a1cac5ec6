// A set of modes from one that differs by a switch: one more step of the elimination, instead of all of them.
//
// The solution has a column per switch for what its junction lacks to the ideal one. A junction that switches makes
// another quantity zero, its common one instead of its sum or the reverse; what it lacked before becomes unknown and is
// found from that: a pivot in its column (principal pivoting), which changes the rows that hang on it by one row. The
// rank stays what it is if the pivot is not zero; where storages are dependent, values are not unique or resistances
// may cancel, the set is eliminated anew. Entries are kept to twice the digits of a double, like the elimination
// itself, and after MOST switches the digits are refreshed.
#include "base/tolerance.h"
#include "bond/eliminate.h"
#include "bond/mode_parts.h"

#include <setjmp.h>
#include <string.h>

enum
{
    MOST = 40
};

typedef VEC(SparseEntry) WideRow;

static void load_row(Arena* arena, const BondMode* mode, int class, WideRow* row)
{
    row->count = 0;
    for (int k = mode->solution.start[class]; k < mode->solution.start[class + 1]; k++)
    {
        Quad value = (Quad)mode->solution.value[k] + mode->solution_low[k];
        vec_push(arena, *row, (SparseEntry){value, mode->solution.column[k]});
    }
}

// out = a + factor b, by columns; what cancels is left out.
static void add_rows(Arena* arena, const WideRow* a, Quad factor, const WideRow* b, WideRow* out)
{
    uint32_t i = 0, j = 0;
    out->count = 0;
    while (i < a->count || j < b->count)
    {
        int mine = i < a->count ? a->at[i].column : INT32_MAX, theirs = j < b->count ? b->at[j].column : INT32_MAX;
        SparseEntry entry = {0, mine < theirs ? mine : theirs};
        if (mine == theirs)
            entry.value = quad_add(a->at[i].value, factor * b->at[j].value, BOND_SWITCH_TOLERANCE);
        else
            entry.value = mine < theirs ? a->at[i].value : factor * b->at[j].value;
        i += mine <= theirs;
        j += theirs <= mine;
        if (entry.value != 0)
            vec_push(arena, *out, entry);
    }
}

static Quad entry_at(const WideRow* row, int column)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (row->at[i].column == column)
            return row->at[i].value;
    return 0;
}

// What the junction makes zero once it has switched, as a row over inputs and switches.
static void form_row(Arena* arena, const BondMode* base, int node, bool on, WideRow* form)
{
    const BondGraph* graph = base->graph;
    WideRow one = {0}, sum = {0};
    int flow = graph->nodes[node].kind == BOND_J1, count = on ? bond_degree(graph, node) : 1;
    for (int i = 0; i < count; i++)
    {
        int bond = bond_at(graph, node, i);
        load_row(arena, base, graph->class_of[2 * bond + (on ? !flow : flow)], &one);
        add_rows(arena, form, on ? bond_sign(graph, bond, node) : 1, &one, &sum);
        WideRow swap = *form;
        *form = sum;
        sum = swap;
    }
}

// b_column = (new - the rest of the form) / pivot, as a row.
static void solve_form(WideRow* form, int column, Quad pivot)
{
    for (uint32_t i = 0; i < form->count; i++)
        form->at[i].value = form->at[i].column == column ? 1 / pivot : -form->at[i].value / pivot;
}

static void store_rows(Arena* arena, const BondMode* base, int column, const WideRow* solved, BondMode* made)
{
    int capacity = base->solution.start[base->class_count] + (int)solved->count * base->class_count + 1, used = 0;
    WideRow row = {0}, sum = {0};
    made->solution.start = arena_array(arena, int, base->class_count + 1);
    made->solution.column = arena_array(arena, int, capacity);
    made->solution.value = arena_array(arena, double, capacity);
    made->solution_low = arena_array(arena, double, capacity);
    made->solution_middle = arena_array(arena, int, base->class_count + 1);
    for (int c = 0; c < base->class_count; c++)
    {
        int first = base->solution.start[c], count = base->solution.start[c + 1] - first, at = -1;
        for (int k = first; k < first + count; k++)
            at = base->solution.column[k] == column ? k : at;
        if (at < 0)
        {
            memcpy(made->solution.column + used, base->solution.column + first, sizeof(int) * (size_t)count);
            memcpy(made->solution.value + used, base->solution.value + first, sizeof(double) * (size_t)count);
            memcpy(made->solution_low + used, base->solution_low + first, sizeof(double) * (size_t)count);
            used += count;
        }
        else
        {
            load_row(arena, base, c, &row);
            Quad weight = row.at[at - first].value;
            row.at[at - first].value = 0;
            add_rows(arena, &row, weight, solved, &sum);
            for (uint32_t i = 0; i < sum.count; i++, used++)
            {
                made->solution.column[used] = sum.at[i].column;
                made->solution.value[used] = (double)sum.at[i].value;
                made->solution_low[used] = (double)(sum.at[i].value - made->solution.value[used]);
            }
        }
        made->solution.start[c + 1] = made->solution_middle[c] = used;
    }
}

static BondMode* switch_one(const BondMode* base, int index, const double* storage, Arena* arena,
                            kaiAllocator allocator)
{
    const BondGraph* graph = base->graph;
    int column = graph->input_count + index;
    bool* on = arena_array(arena, bool, graph->switch_count + 1);
    memcpy(on, base->on, (size_t)graph->switch_count * sizeof(bool));
    on[index] = !on[index];
    WideRow form = {0};
    form_row(arena, base, graph->junction_of[index], on[index], &form);
    Quad pivot = entry_at(&form, column);
    if (pivot == 0)
        return NULL;
    solve_form(&form, column, pivot);
    BondMode made = *base;
    made.on = on;
    made.switched = base->switched + 1;
    store_rows(arena, base, column, &form, &made);
    return mode_pack(&made, storage, allocator);
}

static bool is_plain(const BondMode* base)
{
    bool plain = !base->resistances_cancel && base->dependent_count == 0 && base->idle_count == 0;
    for (int n = 0; n < base->graph->node_count && plain; n++)
        plain = base->graph->nodes[n].kind != BOND_R || base->graph->nodes[n].parameter > 0;
    return plain && base->switched < MOST;
}

// The only switch in which `on` differs, or -1.
static int find_difference(const BondMode* base, const bool* on)
{
    int first = 0, last = base->graph->switch_count - 1;
    while (first < last && base->on[first] == on[first])
        first++;
    while (last > first && base->on[last] == on[last])
        last--;
    return first == last && base->on[first] != on[first] ? first : -1;
}

BondMode* bond_mode_switch(const BondMode* base, const bool* on, const double* storage, kaiAllocator allocator)
{
    volatile int index = is_plain(base) ? find_difference(base, on) : -1;
    jmp_buf fail;
    Arena arena;
    BondMode* volatile made = NULL;  // kept over a failed allocation
    if (index < 0)
        return NULL;
    arena_init(&arena, allocator, &fail);
    if (setjmp(fail) == 0)
        made = switch_one(base, index, storage, &arena, allocator);
    arena_free(&arena);
    return made;
}
