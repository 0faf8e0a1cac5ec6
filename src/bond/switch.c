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

#include <math.h>
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
        if (!quad_is_zero(entry.value))
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

// One junction that switches, or two of which neither can alone (a gyrator between them has no diagonal).
typedef struct Pivots
{
    int count, index[2];
    WideRow form[2], solved[2];
} Pivots;

static WideRow without(Arena* arena, const WideRow* row, const Pivots* p, int first)
{
    WideRow rest = {0};
    for (uint32_t i = 0; i < row->count; i++)
        if (row->at[i].column != first + p->index[0] && (p->count < 2 || row->at[i].column != first + p->index[1]))
            vec_push(arena, rest, row->at[i]);
    return rest;
}

// u_i = Σ q_k (new_k - the rest of form k), with what is new in the column of the junction.
static WideRow combine(Arena* arena, const Pivots* p, const WideRow* rest, const Quad* q, int first)
{
    WideRow sum = {0}, next = {0}, news = {0};
    for (int k = 0; k < p->count; k++)
    {
        add_rows(arena, &sum, -q[k], &rest[k], &next);
        WideRow swap = sum;
        sum = next;
        next = swap;
    }
    int low = p->count == 2 && p->index[1] < p->index[0];
    for (int k = 0; k < p->count; k++)
    {
        int i = low ? 1 - k : k;
        if (q[i] != 0)
            vec_push(arena, news, (SparseEntry){q[i], first + p->index[i]});
    }
    add_rows(arena, &sum, 1, &news, &next);
    return next;
}

// Solves the forms for what the junctions lacked.
static void solve_forms(Arena* arena, Pivots* p, int first)
{
    WideRow rest[2] = {{0}, {0}};
    Quad h[2][2] = {{0}};
    for (int i = 0; i < p->count; i++)
    {
        rest[i] = without(arena, &p->form[i], p, first);
        for (int k = 0; k < p->count; k++)
            h[i][k] = entry_at(&p->form[i], first + p->index[k]);
    }
    if (p->count == 1)
    {
        Quad q = 1 / h[0][0];
        p->solved[0] = combine(arena, p, rest, &q, first);
        return;
    }
    Quad determinant = h[0][0] * h[1][1] - h[0][1] * h[1][0];
    Quad q[2][2] = {{h[1][1] / determinant, -h[0][1] / determinant}, {-h[1][0] / determinant, h[0][0] / determinant}};
    for (int i = 0; i < 2; i++)
        p->solved[i] = combine(arena, p, rest, q[i], first);
}

// Rows under construction, one after the other.
typedef struct RowsMade
{
    VEC(int) column;
    VEC(double) value, low;
} RowsMade;

static void keep_row(Arena* arena, const WideRow* row, RowsMade* made)
{
    for (uint32_t i = 0; i < row->count; i++)
    {
        double value = (double)row->at[i].value;
        vec_push(arena, made->column, row->at[i].column);
        vec_push(arena, made->value, value);
        vec_push(arena, made->low, (double)(row->at[i].value - value));
    }
}

static void copy_row(Arena* arena, const BondMode* base, int c, RowsMade* made)
{
    for (int k = base->solution.start[c]; k < base->solution.start[c + 1]; k++)
    {
        vec_push(arena, made->column, base->solution.column[k]);
        vec_push(arena, made->value, base->solution.value[k]);
        vec_push(arena, made->low, base->solution_low[k]);
    }
}

static void store_rows(Arena* arena, const BondMode* base, const Pivots* p, BondMode* made)
{
    int first = base->graph->input_count;
    WideRow row = {0}, sum = {0};
    RowsMade rows = {0};
    made->solution.start = arena_array(arena, int, base->class_count + 1);
    made->solution_middle = arena_array(arena, int, base->class_count + 1);
    for (int c = 0; c < base->class_count; c++)
    {
        int at[2] = {-1, -1};
        for (int k = base->solution.start[c]; k < base->solution.start[c + 1]; k++)
            for (int i = 0; i < p->count; i++)
                if (base->solution.column[k] == first + p->index[i])
                    at[i] = k - base->solution.start[c];
        if (at[0] < 0 && at[1] < 0)
            copy_row(arena, base, c, &rows);
        else
        {
            Quad weight[2] = {0, 0};
            load_row(arena, base, c, &row);
            for (int i = 0; i < p->count; i++)
            {
                weight[i] = at[i] >= 0 ? row.at[at[i]].value : 0;
                if (at[i] >= 0)
                    row.at[at[i]].value = 0;
            }
            for (int i = 0; i < p->count; i++)
            {
                add_rows(arena, &row, weight[i], &p->solved[i], &sum);
                WideRow swap = row;
                row = sum;
                sum = swap;
            }
            keep_row(arena, &row, &rows);
        }
        made->solution.start[c + 1] = made->solution_middle[c] = (int)rows.column.count;
    }
    made->solution.column = rows.column.at;
    made->solution.value = rows.value.at;
    made->solution_low = rows.low.at;
}

static BondMode* switch_junctions(const BondMode* base, Pivots* p, const double* storage, Arena* arena,
                                  kaiAllocator allocator)
{
    const BondGraph* graph = base->graph;
    bool* on = arena_array(arena, bool, graph->switch_count + 1);
    memcpy(on, base->on, (size_t)graph->switch_count * sizeof(bool));
    for (int i = 0; i < p->count; i++)
        on[p->index[i]] = !on[p->index[i]];
    solve_forms(arena, p, graph->input_count);
    BondMode made = *base;
    made.on = on;
    made.switched = base->switched + p->count;
    store_rows(arena, base, p, &made);
    return mode_pack(&made, storage, allocator);
}

static BondMode* switch_one(const BondMode* base, int index, const double* storage, Arena* arena,
                            kaiAllocator allocator)
{
    Pivots p = {.count = 1, .index = {index}};
    form_row(arena, base, base->graph->junction_of[index], !base->on[index], &p.form[0]);
    if (entry_at(&p.form[0], base->graph->input_count + index) == 0)
        return NULL;
    return switch_junctions(base, &p, storage, arena, allocator);
}

bool bond_mode_plain(const BondMode* base)
{
    bool plain = !base->resistances_cancel && base->dependent_count == 0 && base->idle_count == 0;
    for (int n = 0; n < base->graph->node_count && plain; n++)
        plain = base->graph->nodes[n].kind != BOND_R || base->graph->nodes[n].parameter > 0;
    return plain;
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
    volatile int index = bond_mode_plain(base) && base->switched < MOST ? find_difference(base, on) : -1;
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

// ---------------------------------------------------------------------------------------------------------------- near

// The next junctions that can switch towards `on`: one with a pivot of its own, or two with one together. False if
// there are none: what is left of the map between the junctions that differ is zero.
static bool find_pivots(Arena* arena, const BondMode* plain, const bool* on, Pivots* p)
{
    int first = plain->graph->input_count, switches = plain->graph->switch_count, count = 0;
    int* apart = arena_array(arena, int, switches + 1);
    WideRow* forms = arena_array(arena, WideRow, switches + 1);
    for (int j = 0; j < switches; j++)
    {
        if (plain->on[j] == on[j])
            continue;
        form_row(arena, plain, plain->graph->junction_of[j], on[j], &forms[count]);
        if (entry_at(&forms[count], first + j) != 0)
            return *p = (Pivots){.count = 1, .index = {j}, .form = {forms[count]}}, true;
        apart[count++] = j;
    }
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count; k++)
            if (entry_at(&forms[i], first + apart[k]) != 0 && entry_at(&forms[k], first + apart[i]) != 0)
                return *p = (Pivots){2, {apart[i], apart[k]}, {forms[i], forms[k]}, {{0}, {0}}}, true;
    return false;
}

BondMode* bond_mode_near(const BondMode* plain, const bool* on, const double* storage, kaiAllocator allocator)
{
    jmp_buf fail;
    Arena arena;
    const BondMode* volatile from = plain;  // kept over a failed allocation, like the next
    BondMode* volatile made = NULL;
    volatile bool more = true;
    while (more && from->switched < MOST)
    {
        BondMode* volatile next = NULL;
        arena_init(&arena, allocator, &fail);
        if (setjmp(fail) == 0)
        {
            Pivots p;
            more = find_pivots(&arena, from, on, &p);
            if (more)
                next = switch_junctions(from, &p, storage, &arena, allocator);
            else if (!made)
            {
                BondMode copy = *plain;
                made = mode_pack(&copy, storage, allocator);
            }
        }
        arena_free(&arena);
        if (more && !next)
            break;
        if (more)
        {
            bond_mode_destroy(made);
            from = made = next;
        }
    }
    if (!more)
        return made;
    bond_mode_destroy(made);
    return NULL;
}

// Gaussian elimination with the largest entry of a row as pivot, on what the junctions leak along the null vectors.
static bool choose_junctions(const BondMode* mode, double* leak, bool* on)
{
    int vectors = mode->dependent_count + mode->idle_count, switches = mode->graph->switch_count;
    for (int i = 0; i < vectors; i++)
    {
        double* row = leak + (size_t)i * (size_t)switches;
        int best = -1;
        for (int j = 0; j < switches; j++)
            if (fabs(row[j]) > (best < 0 ? BOND_CONTRADICTION : fabs(row[best])))
                best = j;
        if (best < 0)
            return false;
        on[best] = !on[best];
        for (int k = i + 1; k < vectors; k++)
        {
            double* other = leak + (size_t)k * (size_t)switches;
            double factor = other[best] / row[best];
            for (int j = 0; j < switches && factor != 0; j++)
                other[j] = j == best ? 0 : other[j] - factor * row[j];
        }
    }
    return true;
}

bool bond_mode_find_plain(const BondMode* mode, bool* on, kaiAllocator allocator)
{
    int vectors = mode->dependent_count + mode->idle_count, given = mode->graph->input_count;
    size_t size = ((size_t)vectors * (size_t)mode->graph->switch_count + 1) * sizeof(double);
    double* leak = mode->resistances_cancel ? NULL : allocator.alloc(allocator.user, NULL, 0, size);
    if (leak == NULL)
        return false;
    memset(leak, 0, size);
    memcpy(on, mode->on, (size_t)mode->graph->switch_count * sizeof(bool));
    for (int i = 0; i < vectors; i++)
        for (int k = mode->left.start[i]; k < mode->left.start[i + 1]; k++)
            if (mode->left.column[k] >= given)
                leak[i * mode->graph->switch_count + mode->left.column[k] - given] = mode->left.value[k];
    bool found = choose_junctions(mode, leak, on);
    allocator.alloc(allocator.user, leak, size, 0);
    return found;
}
