// `table(file, u)` has a kink at each row. Where u moves between instants the segment that it is in is remembered, as
// `floor` remembers a whole number: its ends are watched, and in it the table is a straight line.
#include "lower/compiler.h"

enum
{
    ROWS_PLACE,  // x → the number of the row
    ROWS_ABOVE,  // -x, of the last row first: how many of these lie below -u, that many rows lie above u
    ROWS_BASE,   // segment → y at its origin; segment n begins at row n, 0 lies before the first row
    ROWS_RISE,   // segment → slope
    ROWS_LOW,    // segment → the row that it begins at, its origin; of 0 the first one
    ROWS_HIGH,   // segment → the row that it ends at; of the last one the last
    ROWS_TABLES
};

static double segment_number(const FlatTable* t, int what, int n)
{
    int last = t->rows - 1, low = n > 0 ? n - 1 : 0, high = n < last ? n : last;
    bool inside = n > 0 && n < t->rows;
    switch (what)
    {
    case ROWS_BASE: return t->y[low];
    case ROWS_RISE: return inside ? (t->y[high] - t->y[low]) / (t->x[high] - t->x[low]) : 0;
    case ROWS_LOW: return t->x[low];
    default: return t->x[high];
    }
}

// One of the tables by the number of the segment, or of the row.
static FlatTable derived_table(Compiler* c, const FlatTable* t, int what)
{
    int count = what <= ROWS_ABOVE ? t->rows : t->rows + 1;
    double* numbers = arena_alloc(c->arena, 2 * (size_t)count * sizeof *numbers);
    for (int n = 0; n < count; n++)
    {
        numbers[n] = what == ROWS_PLACE ? t->x[n] : what == ROWS_ABOVE ? -t->x[count - 1 - n] : n;
        numbers[count + n] = what <= ROWS_ABOVE ? n + 1 : segment_number(t, what, n);
    }
    FlatTable made = *t;
    made.rows = count;
    made.x = numbers;
    made.y = numbers + count;
    return made;
}

// Where the tables of `table` begin, which are made when they are first asked for.
static uint32_t rows_tables(Compiler* c, uint32_t table)
{
    uint32_t first = c->flat->tables.at[table].segments;
    if (first != 0)
        return first;
    first = c->flat->tables.at[table].segments = c->flat->tables.count;
    for (int what = 0; what < ROWS_TABLES; what++)
    {
        const FlatTable t = c->flat->tables.at[table];
        vec_push(c->arena, c->flat->tables, derived_table(c, &t, what));
    }
    return first;
}

static NodeId look_up(Compiler* c, uint32_t table, NodeId segment, Span s)
{
    return flat_node(c->flat, NODE_TABLE, TYPE_REAL, segment, 0, 0, table, 0, s);
}

NodeId rows_spell_out(Compiler* c, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    Span s = node.span;
    uint32_t first = rows_tables(c, node.aux);
    NodeId place = flat_node(c->flat, NODE_PLACE, TYPE_REAL, node.arg[0], 0, 0, node.aux, 0, s);
    NodeId segment = flat_node(c->flat, NODE_SEGMENT, TYPE_REAL, place, 0, 0, node.aux, 0, s);
    NodeId low = look_up(c, first + ROWS_LOW, segment, s), rise = look_up(c, first + ROWS_RISE, segment, s);
    NodeId beyond = flat_node(c->flat, NODE_SUB, TYPE_REAL, node.arg[0], low, 0, 0, 0, s);
    NodeId more = flat_node(c->flat, NODE_MUL, TYPE_REAL, rise, beyond, 0, 0, 0, s);
    return flat_node(c->flat, NODE_ADD, TYPE_REAL, look_up(c, first + ROWS_BASE, segment, s), more, 0, 0, 0, s);
}

// 1 - 1/(1 + beyond/scale): from 0 towards 1.
static ScalarId outside(Compiler* c, ScalarId beyond, double scale, Span span)
{
    Scalars* s = &c->scalars;
    ScalarId one = scalar_const(s, 1), part = scalar_make(s, VM_DIV, beyond, scalar_const(s, scale), 0, span);
    ScalarId shrunk = scalar_make(s, VM_DIV, one, scalar_make(s, VM_ADD, one, part, 0, span), 0, span);
    return scalar_make(s, VM_SUB, one, shrunk, 0, span);
}

// How many rows do not lie above u: the segment that it is in, whatever rounds.
static ScalarId segment_of(Compiler* c, uint32_t table, ScalarId u, Span span)
{
    Scalars* s = &c->scalars;
    uint32_t mirror = rows_tables(c, table) + ROWS_ABOVE;
    ScalarId turned = scalar_make(s, VM_NEG, u, 0, 0, span);
    ScalarId above = scalar_make(s, VM_TABLE_ROWS, turned, scalar_const(s, mirror), 0, span);
    return scalar_make(s, VM_SUB, scalar_const(s, c->flat->tables.at[table].rows), above, 0, span);
}

// A place that rounds to one of the next segment, or of the one before, is somewhere in its own.
static ScalarId within(Compiler* c, ScalarId place, ScalarId segment, Span span)
{
    Scalars* s = &c->scalars;
    ScalarId next = scalar_make(s, VM_ADD, segment, scalar_const(s, 1), 0, span);
    ScalarId middle = scalar_make(s, VM_ADD, segment, scalar_const(s, 0.5), 0, span);
    place = scalar_select(s, scalar_make(s, VM_LT, place, segment, 0, span), middle, place);
    return scalar_select(s, scalar_make(s, VM_LE, next, place, 0, span), middle, place);
}

// The segment that u is in and how far in it: rises with u from 0 to the number of rows + 1.
ScalarId rows_place(Compiler* c, uint32_t table, ScalarId u, Span span)
{
    Scalars* s = &c->scalars;
    uint32_t place = rows_tables(c, table) + ROWS_PLACE;
    const FlatTable* t = &c->flat->tables.at[table];
    double low = t->x[0], high = t->x[t->rows - 1], scale = t->rows > 1 ? high - low : 1;
    ScalarId first = scalar_const(s, low), last = scalar_const(s, high), one = scalar_const(s, 1);
    ScalarId before =
        scalar_make(s, VM_SUB, one, outside(c, scalar_make(s, VM_SUB, first, u, 0, span), scale, span), 0, span);
    ScalarId after = scalar_make(s, VM_ADD, scalar_const(s, t->rows),
                                 outside(c, scalar_make(s, VM_SUB, u, last, 0, span), scale, span), 0, span);
    ScalarId inside = scalar_make(s, VM_TABLE, u, scalar_const(s, place), 0, span);
    inside = scalar_select(s, scalar_make(s, VM_LE, last, u, 0, span), after, inside);
    inside = scalar_select(s, scalar_make(s, VM_LT, u, first, 0, span), before, inside);
    return within(c, inside, segment_of(c, table, u, span), span);
}

RowsEdge rows_edge(Compiler* c, uint32_t table, ScalarId u, ScalarId segment, bool up, Span span)
{
    Scalars* s = &c->scalars;
    uint32_t edges = rows_tables(c, table) + (up ? ROWS_HIGH : ROWS_LOW);
    ScalarId edge = scalar_make(s, VM_TABLE, segment, scalar_const(s, edges), 0, span);
    ScalarId rows = scalar_const(s, c->flat->tables.at[table].rows), none = scalar_const(s, 0);
    ScalarId ends = up ? scalar_make(s, VM_LT, segment, rows, 0, span) : scalar_make(s, VM_LT, none, segment, 0, span);
    return (RowsEdge){scalar_make(s, VM_SUB, u, edge, 0, span), ends};
}
