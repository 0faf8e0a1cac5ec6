// Builds the equations of one set of modes (rule B4): M without what is free, then everything in one block. See
// builder.h.
#include "base/tolerance.h"
#include "bond/builder.h"

#include <string.h>

// ------------------------------------------------------------------------------------------------------------ solution

static int add_value_rows(Builder* b, Elimination* e)
{
    const BondGraph* graph = b->graph;
    int negative = 0;
    for (int n = 0; n < graph->node_count; n++)
    {
        BondNode node = graph->nodes[n];
        negative += node.kind == BOND_R && node.parameter < 0;
        if (bond_is_junction(node.kind))
        {
            structure_junction(b, n, false);
            if (node.switch_index >= 0)
                structure_push(b, b->mode.class_count + graph->input_count + node.switch_index, -1);
            structure_end_row(b, e);
        }
        for (int i = graph->input_first[n]; i < graph->input_first[n + 1]; i++)
        {
            if (b->dropped[i])
                continue;
            structure_element(b, n, i - graph->input_first[n]);
            structure_push(b, b->mode.class_count + i, -1);
            structure_end_row(b, e);
        }
    }
    return negative;
}

// Free classes are zero in the particular solution: their columns go.
static void drop_free_columns(Builder* b, Elimination* e)
{
    for (uint32_t r = 0; r < e->rows.count; r++)
    {
        SparseRow* row = &e->rows.at[r];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < row->entries.count; k++)
        {
            int column = row->entries.at[k].column;
            if (column >= b->mode.class_count || b->vector_of[column] < 0)
                row->entries.at[kept++] = row->entries.at[k];
        }
        row->entries.count = kept;
    }
}

static bool eliminate_values(Builder* b, Elimination* e)
{
    bool* tried = arena_array(b->arena, bool, b->mode.class_count + 1);
    for (int c = 0; c < b->mode.class_count; c++)
        tried[c] = b->vector_of[c] >= 0;
    for (int c; (c = nullspace_next_column(b, e, -1, tried)) >= 0;)
    {
        tried[c] = true;
        if (!elimination_pivot(e, c))
            return false;
    }
    return true;
}

// Dependent vectors, from the null space, behind the inputs of a row.
static void push_dependents(Builder* b, int c)
{
    const SparseRow* null = b->null.pivot_row[c] >= 0 ? &b->null.rows.at[b->null.pivot_row[c]] : NULL;
    for (uint32_t k = 0; null && k < null->entries.count; k++)
    {
        SparseEntry entry = null->entries.at[k];
        if (entry.column != c && b->level[entry.column] == LEVEL_STORAGE)
            vec_push(b->arena, b->row, (SparseEntry){-entry.value, b->mode.input_count + b->vector_of[entry.column]});
    }
    if (!null && b->level[c] == LEVEL_STORAGE)
        vec_push(b->arena, b->row, (SparseEntry){1, b->mode.input_count + b->vector_of[c]});
}

// One row per class: inputs from the elimination of M, dependent vectors from the null space.
static void collect_solution(Builder* b, const Elimination* e)
{
    elimination_init(&b->solution, b->arena, 0, BOND_QUAD_NOTHING);
    for (int c = 0; c < b->mode.class_count; c++)
    {
        const SparseRow* values = e->pivot_row[c] >= 0 ? &e->rows.at[e->pivot_row[c]] : NULL;
        for (uint32_t k = 0; values && k < values->entries.count; k++)
        {
            SparseEntry entry = values->entries.at[k];
            if (entry.column >= b->mode.class_count)
                vec_push(b->arena, b->row, (SparseEntry){-entry.value, entry.column - b->mode.class_count});
        }
        push_dependents(b, c);
        structure_end_row(b, &b->solution);
    }
}

static bool solve_values(Builder* b)
{
    Elimination e;
    elimination_init(&e, b->arena, b->mode.class_count, BOND_VALUE_TOLERANCE);
    if (add_value_rows(b, &e) > 0)
        e.tolerance = BOND_RANK_TOLERANCE;  // resistances may cancel
    drop_free_columns(b, &e);
    if (!eliminate_values(b, &e))
        return false;
    collect_solution(b, &e);
    return true;
}

// The input of a free class is what the others say: its row is given up, so that no value may hang on it.
static void replace_input(Builder* b, int free_class, const Quad* k)
{
    int own = b->last_row[free_class];
    Elimination left;
    elimination_init(&left, b->arena, 0, BOND_VALUE_TOLERANCE);
    nullspace_left_vector(b, k, &left);
    Quad weight = sparse_get(&left.rows.at[0], own);
    for (int c = 0; c < b->mode.class_count; c++)
    {
        Quad value = sparse_get(&b->solution.rows.at[c], own);
        if (!quad_is_zero(value))
            sparse_add(&b->solution, c, -value / weight, &left.rows.at[0]);
    }
}

// And the class itself is zero in the particular solution.
static void free_class(Builder* b, int free)
{
    Quad* k = arena_array(b->arena, Quad, b->mode.class_count + 1);
    nullspace_vector(b, free, k);
    if (b->level[free] != LEVEL_INTERNAL)
        replace_input(b, free, k);
    for (int c = 0; c < b->mode.class_count; c++)
        if (c != free && !quad_is_zero(k[c]))
            sparse_add(&b->solution, c, -k[c], &b->solution.rows.at[free]);
    b->solution.rows.at[free].entries.count = 0;
}

// The same from the equations of a set that differs by as many junctions as there are null vectors here: what these
// lack is free now, and for inputs that do not contradict each other the rest stays as it is. False if `near` is not
// such a set.
static bool take_values(Builder* b, const BondMode* near)
{
    int apart = 0, inputs = b->graph->input_count;
    for (int j = 0; j < b->graph->switch_count; j++)
        apart += near->on[j] != b->mode.on[j];
    if (apart != b->mode.dependent_count + b->mode.idle_count)
        return false;
    elimination_init(&b->solution, b->arena, 0, BOND_QUAD_NOTHING);
    for (int c = 0; c < b->mode.class_count; c++)
    {
        for (int k = near->solution.start[c]; k < near->solution.start[c + 1]; k++)
        {
            int column = near->solution.column[k], j = column - inputs;
            if (j < 0 || near->on[j] == b->mode.on[j])
                structure_push(b, column, (Quad)near->solution.value[k] + near->solution_low[k]);
        }
        structure_end_row(b, &b->solution);
    }
    for (int c = 0; c < b->mode.class_count; c++)
        if (b->vector_of[c] >= 0)
            free_class(b, c);
    for (int c = 0; c < b->mode.class_count; c++)
    {
        push_dependents(b, c);
        for (uint32_t i = 0; i < b->row.count; i++)
            vec_push(b->arena, b->solution.rows.at[c].entries, b->row.at[i]);
        b->row.count = 0;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------- pack

static BondRows rows_of(Builder* b, const Elimination* e, int count)
{
    BondRows rows = {.start = arena_array(b->arena, int, count + 1)};
    for (int i = 0; i < count; i++)
        rows.start[i + 1] = rows.start[i] + (int)e->rows.at[i].entries.count;
    rows.column = arena_array(b->arena, int, rows.start[count] + 1);
    rows.value = arena_array(b->arena, double, rows.start[count] + 1);
    for (int i = 0; i < count; i++)
    {
        for (uint32_t k = 0; k < e->rows.at[i].entries.count; k++)
        {
            rows.column[rows.start[i] + (int)k] = e->rows.at[i].entries.at[k].column;
            rows.value[rows.start[i] + (int)k] = (double)e->rows.at[i].entries.at[k].value;
        }
    }
    return rows;
}

// Wᵀb = 0 solved for the input that was given up.
static void collect_dependents(Builder* b, const Elimination* left)
{
    Elimination rows;
    elimination_init(&rows, b->arena, 0, 0);
    b->mode.dependent_port = arena_array(b->arena, int, b->mode.dependent_count + 1);
    for (int i = 0; i < b->mode.dependent_count; i++)
    {
        int own = b->last_row[b->dependent.at[i]];
        Quad weight = sparse_get(&left->rows.at[i], own);
        b->mode.dependent_port[i] = b->mode.port_of[own];
        for (uint32_t k = 0; k < left->rows.at[i].entries.count; k++)
        {
            SparseEntry entry = left->rows.at[i].entries.at[k];
            if (entry.column != own && entry.column < b->graph->input_count)
                structure_push(b, entry.column, -entry.value / weight);
        }
        structure_end_row(b, &rows);
    }
    b->mode.dependent_rows = rows_of(b, &rows, b->mode.dependent_count);
}

static void collect_parts(Builder* b, const Elimination* left)
{
    BondMode* mode = &b->mode;
    mode->solution = rows_of(b, &b->solution, mode->class_count);
    mode->solution_low = arena_array(b->arena, double, mode->solution.start[mode->class_count] + 1);
    for (int c = 0, k = 0; c < mode->class_count; c++)
        for (uint32_t i = 0; i < b->solution.rows.at[c].entries.count; i++, k++)
            mode->solution_low[k] = (double)(b->solution.rows.at[c].entries.at[i].value - mode->solution.value[k]);
    mode->left = rows_of(b, left, mode->dependent_count + mode->idle_count);
    mode->solution_middle = arena_array(b->arena, int, mode->class_count + 1);
    mode->unique = arena_array(b->arena, bool, mode->class_count + 1);
    Elimination idle;
    elimination_init(&idle, b->arena, 0, 0);
    for (int i = 0; i < mode->idle_count; i++)
    {
        for (int c = 0; c < mode->class_count; c++)
            structure_push(b, c, b->idle_vector[i][c]);
        structure_end_row(b, &idle);
    }
    mode->idle = rows_of(b, &idle, mode->idle_count);
    for (int c = 0; c < mode->class_count; c++)
    {
        int k = mode->solution.start[c];
        while (k < mode->solution.start[c + 1] && mode->solution.column[k] < mode->input_count)
            k++;
        mode->solution_middle[c] = k;
        mode->unique[c] = true;
        for (int i = 0; i < mode->idle_count; i++)
            mode->unique[c] = mode->unique[c] && quad_is_zero(b->idle_vector[i][c]);
    }
    collect_dependents(b, left);
}

// Sizes up and, with a block, copies: one list of the parts for both.
typedef struct Packer
{
    char* block;
    size_t used;
} Packer;

static void pack(Packer* packer, void* field, size_t bytes)
{
    if (packer->block)
    {
        void *old, *new = packer->block + packer->used;
        memcpy(&old, field, sizeof old);
        if (bytes > 0)
            memcpy(new, old, bytes);
        memcpy(field, &new, sizeof new);
    }
    packer->used += (bytes + 15) / 16 * 16;
}

static void pack_rows(Packer* packer, BondRows* rows, int count)
{
    size_t entries = (size_t)rows->start[count];
    pack(packer, &rows->value, entries * sizeof(double));
    pack(packer, &rows->column, entries * sizeof(int));
    pack(packer, &rows->start, ((size_t)count + 1) * sizeof(int));
}

static void pack_mode(Packer* packer, BondMode* mode)
{
    const BondGraph* graph = mode->graph;
    size_t classes = (size_t)mode->class_count, dependents = (size_t)mode->dependent_count;
    packer->used = (sizeof *mode + 15) / 16 * 16;
    pack(packer, &mode->on, (size_t)graph->switch_count * sizeof(bool));
    pack(packer, &mode->ports, (size_t)graph->port_count * sizeof(BondPort));
    pack(packer, &mode->port_of, (size_t)graph->input_count * sizeof(int));
    pack(packer, &mode->dependent_port, dependents * sizeof(int));
    pack(packer, &mode->dependent_block, dependents * sizeof(int));
    pack_rows(packer, &mode->solution, mode->class_count);
    pack(packer, &mode->solution_middle, classes * sizeof(int));
    pack(packer, &mode->solution_low, (size_t)mode->solution.start[classes] * sizeof(double));
    pack_rows(packer, &mode->left, mode->dependent_count + mode->idle_count);
    pack_rows(packer, &mode->idle, mode->idle_count);
    pack_rows(packer, &mode->dependent_rows, mode->dependent_count);
    pack(packer, &mode->leak, (size_t)mode->idle_count * (size_t)graph->switch_count * sizeof(double));
    pack(packer, &mode->unique, classes * sizeof(bool));
    pack(packer, &mode->storage, (size_t)graph->block_size * sizeof(double));
    pack(packer, &mode->inverse, dependents * dependents * sizeof(double));
    pack(packer, &mode->scratch, dependents * dependents * sizeof(Quad));
    pack(packer, &mode->scale, dependents * sizeof(double));
    pack(packer, &mode->done, dependents * sizeof(bool));
}

// -------------------------------------------------------------------------------------------------------------- create

static void build(Builder* b, const bool* on, const double* storage, const BondMode* near)
{
    const BondGraph* graph = b->graph;
    b->mode = (BondMode){.graph = graph, .input_count = graph->input_count + graph->switch_count};
    b->mode.on = arena_array(b->arena, bool, graph->switch_count + 1);
    for (int j = 0; j < graph->switch_count; j++)
        b->mode.on[j] = on[j];
    b->mode.class_of = graph->class_of;
    b->mode.class_count = graph->class_count;
    structure_classify(b, storage);
    nullspace_find(b);
    if (!(near && take_values(b, near)) && !solve_values(b))
    {
        b->mode.resistances_cancel = true;
        elimination_init(&b->solution, b->arena, 0, 0);
        for (int c = 0; c < b->mode.class_count; c++)
            structure_end_row(b, &b->solution);
    }
    idle_prepare(b);
    idle_project(b);
    Elimination left;
    nullspace_left(b, &left);
    nullspace_blocks(b, &left);
    collect_parts(b, &left);
    b->mode.storage = arena_array(b->arena, double, graph->block_size + 1);
    int dependents = b->mode.dependent_count, square = dependents * dependents + 1;
    b->mode.inverse = arena_array(b->arena, double, square);
    b->mode.scratch = arena_array(b->arena, Quad, square);
    b->mode.scale = arena_array(b->arena, double, dependents + 1);
    b->mode.done = arena_array(b->arena, bool, dependents + 1);
}

BondMode* mode_pack(BondMode* parts, const double* storage, kaiAllocator allocator)
{
    Packer packer = {0};
    pack_mode(&packer, parts);
    size_t size = packer.used;
    packer.block = allocator.alloc(allocator.user, NULL, 0, size);
    if (!packer.block)
        return NULL;
    memset(packer.block, 0, size);
    pack_mode(&packer, parts);
    BondMode* packed = (BondMode*)packer.block;
    *packed = *parts;
    packed->size = size;
    packed->allocator = allocator;
    bond_mode_storage(packed, storage);
    return packed;
}

BondMode* bond_mode_create(const BondGraph* graph, const bool* on, const double* storage, const BondMode* near,
                           kaiAllocator allocator)
{
    jmp_buf fail;
    Arena arena;
    BondMode* volatile packed = NULL;  // kept over a failed allocation
    arena_init(&arena, allocator, &fail);
    if (setjmp(fail) == 0)
    {
        Builder* b = arena_new(&arena, Builder);
        b->arena = &arena;
        b->graph = graph;
        build(b, on, storage, near);
        packed = mode_pack(&b->mode, storage, allocator);
    }
    arena_free(&arena);
    return packed;
}

void bond_mode_destroy(BondMode* mode)
{
    if (mode)
        mode->allocator.alloc(mode->allocator.user, mode, mode->size, 0);
}
