// Builds the equations of one set of modes (rule B4). See mode.h and mode_parts.h.
//
// Method. 1. Classes by union-find. 2. Null space K of M: for positive resistances K is the null space of the structure
// in which every R has e = f = 0 (no power can come from anywhere), which holds only ±1 and ratios: ranks do not depend
// on resistances and are exact unless ratios are involved. Columns are eliminated in the order internal, sources,
// storages, so that a free column tells what its null vector moves. Among storages each row gives up the one of largest
// capacity, so that the small ones are dependent: then G is well scaled and small charges are not differences of large
// ones.
// 3. W follows from K without computation: the structure conserves power, so Σ (e k_f + f k_e) over the ends of all
// bonds is zero for every solution z and null vector k; collecting terms by input gives the weights. G = Wᵀ S K is then
// symmetric and, for positive slopes, definite on the dependent vectors. 4. M is eliminated without the free columns
// and without the rows of the dependent storages. 5. Idle vectors are made orthonormal in what the switched junctions
// leak along them (closed: s = ρ c, open: c = ρ s with one small ρ for all; c the common, s the summed quantity), and
// projected out.
#include "bond/mode_parts.h"

#include <math.h>
#include <string.h>

static const double RANK_TOLERANCE = 1e-13;   // ratios such as 3 * 0.1 and 0.3 are the same
static const double VALUE_TOLERANCE = 1e-30;  // of quadruple precision: only exact cancellation

typedef enum Level
{
    LEVEL_INTERNAL,
    LEVEL_SOURCE,
    LEVEL_STORAGE,
} Level;

typedef struct Builder
{
    Arena* arena;
    const BondGraph* graph;
    BondMode mode;  // pointers into the arena
    Level* level;   // per class
    double* slope;  // per class: Σ S of the storages that move with it
    int* last_row;  // per class of sources and storages: the input whose row is given up if the class is free
    double* worst;  // per class: slope of that storage
    bool* dropped;  // per input
    Elimination null;
    VEC(SparseEntry) row;
    VEC(int) dependent, idle;  // free classes
    int* vector_of;            // per class: index in `dependent` or `idle`, -1
    Quad** idle_vector;        // per idle vector: by class
    Quad** idle_form;          // and the linear form, by class, that reads its amount from a solution
    Elimination solution;
} Builder;

// ------------------------------------------------------------------------------------------------------------- classes

static int find_class(int* parent, int unknown)
{
    while (parent[unknown] != unknown)
    {
        parent[unknown] = parent[parent[unknown]];
        unknown = parent[unknown];
    }
    return unknown;
}

static void make_classes(Builder* b)
{
    const BondGraph* graph = b->graph;
    int unknowns = 2 * graph->bond_count;
    int* parent = arena_array(b->arena, int, unknowns + 1);
    for (int u = 0; u < unknowns; u++)
        parent[u] = u;
    for (int n = 0; n < graph->node_count; n++)
    {
        if (!bond_is_junction(graph->nodes[n].kind))
            continue;
        int flow = graph->nodes[n].kind == BOND_J1;
        for (int i = graph->bond_first[n] + 1; i < graph->bond_first[n + 1]; i++)
        {
            int one = find_class(parent, 2 * graph->bond_list[i - 1] + flow);
            int two = find_class(parent, 2 * graph->bond_list[i] + flow);
            parent[one > two ? one : two] = one > two ? two : one;
        }
    }
    b->mode.class_of = arena_array(b->arena, int, unknowns + 1);
    for (int u = 0; u < unknowns; u++)  // the root of a class is its lowest unknown
        b->mode.class_of[u] =
            find_class(parent, u) == u ? b->mode.class_count++ : b->mode.class_of[find_class(parent, u)];
}

static int class_e(const Builder* b, int bond)
{
    return b->mode.class_of[BOND_E(bond)];
}

static int class_f(const Builder* b, int bond)
{
    return b->mode.class_of[BOND_F(bond)];
}

static void raise_level(Builder* b, int class, Level level, int input, double slope)
{
    if (level > b->level[class] || (level == b->level[class] && (level == LEVEL_SOURCE || slope >= b->worst[class])))
    {
        b->last_row[class] = input;
        b->worst[class] = slope;
    }
    b->level[class] = level > b->level[class] ? level : b->level[class];
    b->slope[class] += slope;
}

static void classify_storage(Builder* b, int node, const double* storage)
{
    const BondGraph* graph = b->graph;
    int first = graph->bond_first[node], ports = graph->bond_first[node + 1] - first;
    for (int i = 0; i < ports; i++)
    {
        int bond = graph->bond_list[first + i], port = graph->port_first[node] + i;
        int class = b->mode.class_of[bond_storage_unknown(graph, node, bond)];
        int input = graph->input_first[node] + i;
        double sign = graph->nodes[node].kind == BOND_C ? bond_sign(graph, bond, node) : 1;
        b->mode.ports[port] = (BondPort){class, input, node, sign};
        b->mode.port_of[input] = port;
        raise_level(b, class, LEVEL_STORAGE, input, fabs(storage[graph->block_first[node] + i * ports + i]));
    }
}

// A resistance of zero imposes an effort, as a source does.
static bool imposes_effort(BondNode node)
{
    return node.kind == BOND_SE || (node.kind == BOND_R && node.parameter == 0);
}

static void classify(Builder* b, const double* storage)
{
    const BondGraph* graph = b->graph;
    b->level = arena_array(b->arena, Level, b->mode.class_count + 1);
    b->slope = arena_array(b->arena, double, b->mode.class_count + 1);
    b->worst = arena_array(b->arena, double, b->mode.class_count + 1);
    b->last_row = arena_array(b->arena, int, b->mode.class_count + 1);
    b->mode.ports = arena_array(b->arena, BondPort, graph->port_count + 1);
    b->mode.port_of = arena_array(b->arena, int, graph->input_count + 1);
    for (int i = 0; i < graph->input_count; i++)
        b->mode.port_of[i] = -1;
    for (int n = 0; n < graph->node_count; n++)
    {
        int bond = graph->bond_list[graph->bond_first[n]], input = graph->input_first[n];
        if (bond_is_storage(graph->nodes[n].kind))
            classify_storage(b, n, storage);
        else if (imposes_effort(graph->nodes[n]))
            raise_level(b, class_f(b, bond), LEVEL_SOURCE, input, 0);
        else if (graph->nodes[n].kind == BOND_SF)
            raise_level(b, class_e(b, bond), LEVEL_SOURCE, input, 0);
    }
}

// ---------------------------------------------------------------------------------------------------------------- rows

static void add_term(Builder* b, int column, Quad value)
{
    for (uint32_t i = 0; i < b->row.count; i++)
    {
        if (b->row.at[i].column == column)
        {
            b->row.at[i].value = quad_add(b->row.at[i].value, value, RANK_TOLERANCE);
            return;
        }
    }
    vec_push(b->arena, b->row, (SparseEntry){value, column});
}

static void end_row(Builder* b, Elimination* e)
{
    elimination_add_row(e, b->row.at, (int)b->row.count);
    b->row.count = 0;
}

static void add_input(Builder* b, int input)
{
    add_term(b, b->mode.class_count + input, -1);
}

static bool node_is_on(const Builder* b, int node)
{
    int index = b->graph->nodes[node].switch_index;
    return index < 0 || b->mode.on[index];
}

// The quantity that an ideal junction makes zero: the sum if it is ON, the common one if it is OFF. `leaks` gives the
// other, which is what it would leak if it were not ideal.
static void junction_terms(Builder* b, int node, bool leaks)
{
    const BondGraph* graph = b->graph;
    const int* list = graph->bond_list + graph->bond_first[node];
    int count = graph->bond_first[node + 1] - graph->bond_first[node];
    int flow = graph->nodes[node].kind == BOND_J1;
    if (node_is_on(b, node) == leaks)
        add_term(b, b->mode.class_of[2 * list[0] + flow], 1);
    else
        for (int i = 0; i < count; i++)
            add_term(b, b->mode.class_of[2 * list[i] + !flow], bond_sign(graph, list[i], node));
}

// s1 and s2 of graph.h: -1 for a port whose bond points the wrong way.
static void port_signs(const BondGraph* graph, int node, int* one, int* two, int* s1, int* s2)
{
    *one = graph->bond_list[graph->bond_first[node]];
    *two = graph->bond_list[graph->bond_first[node] + 1];
    *s1 = bond_sign(graph, *one, node);
    *s2 = -bond_sign(graph, *two, node);
}

static void two_port_row(Builder* b, int node, int which)
{
    int one, two, s1, s2;
    port_signs(b->graph, node, &one, &two, &s1, &s2);
    Quad ratio = b->graph->nodes[node].parameter;
    bool transformer = b->graph->nodes[node].kind == BOND_TF;
    if (transformer && which == 0)
    {
        add_term(b, class_e(b, one), 1);
        add_term(b, class_e(b, two), -ratio);
    }
    else if (transformer)
    {
        add_term(b, class_f(b, two), s2);
        add_term(b, class_f(b, one), -ratio * s1);
    }
    else
    {
        add_term(b, class_e(b, which == 0 ? one : two), 1);
        add_term(b, which == 0 ? class_f(b, two) : class_f(b, one), -ratio * (which == 0 ? s2 : s1));
    }
}

// Row `which` of an element in M.
static void element_row(Builder* b, int node, int which)
{
    const BondGraph* graph = b->graph;
    int bond = graph->bond_list[graph->bond_first[node] + which * bond_is_storage(graph->nodes[node].kind)];
    int sign = bond_sign(graph, bond, node);
    switch (graph->nodes[node].kind)
    {
    case BOND_SE:
    case BOND_C: add_term(b, class_e(b, bond), 1); break;
    case BOND_SF: add_term(b, class_f(b, bond), 1); break;
    case BOND_I: add_term(b, class_f(b, bond), sign); break;
    case BOND_R:
        add_term(b, class_e(b, bond), 1);
        add_term(b, class_f(b, bond), -(Quad)graph->nodes[node].parameter * sign);
        break;
    default: two_port_row(b, node, which);
    }
}

static void add_null_rows(Builder* b)
{
    const BondGraph* graph = b->graph;
    elimination_init(&b->null, b->arena, b->mode.class_count, RANK_TOLERANCE);
    for (int n = 0; n < graph->node_count; n++)
    {
        BondNode node = graph->nodes[n];
        int inputs = graph->input_first[n + 1] - graph->input_first[n];
        if (bond_is_junction(node.kind))
        {
            junction_terms(b, n, false);
            end_row(b, &b->null);
        }
        else if (node.kind == BOND_R && node.parameter != 0)
        {
            int bond = graph->bond_list[graph->bond_first[n]];
            add_term(b, class_e(b, bond), 1);
            end_row(b, &b->null);
            add_term(b, class_f(b, bond), 1);
            end_row(b, &b->null);
        }
        else
        {
            for (int i = 0; i < inputs; i++)
            {
                element_row(b, n, i);
                end_row(b, &b->null);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------- null space

// The column of `level` (or of any, -1) that fewest rows share; `tried` keeps those that are done.
static int next_column(const Builder* b, const Elimination* e, int level, const bool* tried)
{
    int best = -1, fewest = 0;
    for (int c = 0; c < b->mode.class_count; c++)
    {
        if (tried[c] || (level >= 0 && b->level[c] != (Level)level))
            continue;
        int count = elimination_candidates(e, c);
        if (best < 0 || count < fewest)
        {
            best = c;
            fewest = count;
        }
    }
    return best;
}

// What is left after internal and source columns says how storages depend on each other. In the coordinates of energy,
// √S times the unknown, the largest entry of a row is the one to give up.
static void eliminate_storages(Builder* b)
{
    for (uint32_t r = 0; r < b->null.rows.count; r++)
    {
        const SparseRow* row = &b->null.rows.at[r];
        if (row->used || row->entries.count == 0)
            continue;
        int best = -1;
        double largest = -1;
        for (uint32_t k = 0; k < row->entries.count; k++)
        {
            int class = row->entries.at[k].column;
            double size = fabs((double)row->entries.at[k].value) / sqrt(fmax(b->slope[class], 1e-280));
            if (size > largest)
            {
                largest = size;
                best = class;
            }
        }
        elimination_pivot_at(&b->null, (int)r, best);
    }
}

static void find_null_space(Builder* b)
{
    bool* tried = arena_array(b->arena, bool, b->mode.class_count + 1);
    for (int level = LEVEL_INTERNAL; level <= LEVEL_SOURCE; level++)
    {
        for (int c; (c = next_column(b, &b->null, level, tried)) >= 0;)
        {
            tried[c] = true;
            elimination_pivot(&b->null, c);
        }
    }
    eliminate_storages(b);
    b->dropped = arena_array(b->arena, bool, b->mode.input_count + 1);
    b->vector_of = arena_array(b->arena, int, b->mode.class_count + 1);
    for (int c = 0; c < b->mode.class_count; c++)
    {
        b->vector_of[c] = -1;
        if (b->null.pivot_row[c] >= 0)
            continue;
        bool dependent = b->level[c] == LEVEL_STORAGE;
        b->vector_of[c] = dependent ? (int)b->dependent.count : (int)b->idle.count;
        if (dependent)
            vec_push(b->arena, b->dependent, c);
        else
            vec_push(b->arena, b->idle, c);
        if (b->level[c] != LEVEL_INTERNAL)
            b->dropped[b->last_row[c]] = true;
    }
    b->mode.dependent_count = (int)b->dependent.count;
    b->mode.idle_count = (int)b->idle.count;
}

// Null vector of a free class, by class.
static void null_vector(const Builder* b, int free_class, Quad* k)
{
    for (int c = 0; c < b->mode.class_count; c++)
    {
        int row = b->null.pivot_row[c];
        k[c] = row >= 0 ? -sparse_get(&b->null.rows.at[row], free_class) : c == free_class;
    }
}

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
            junction_terms(b, n, false);
            if (node.switch_index >= 0)
                add_input(b, graph->input_count + node.switch_index);
            end_row(b, e);
        }
        for (int i = graph->input_first[n]; i < graph->input_first[n + 1]; i++)
        {
            if (b->dropped[i])
                continue;
            element_row(b, n, i - graph->input_first[n]);
            add_input(b, i);
            end_row(b, e);
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
    for (int c; (c = next_column(b, e, -1, tried)) >= 0;)
    {
        tried[c] = true;
        if (!elimination_pivot(e, c))
            return false;
    }
    return true;
}

// One row per class: inputs from the elimination of M, dependent vectors from the null space.
static void collect_solution(Builder* b, const Elimination* e)
{
    elimination_init(&b->solution, b->arena, 0, 1e-20);
    for (int c = 0; c < b->mode.class_count; c++)
    {
        const SparseRow* values = e->pivot_row[c] >= 0 ? &e->rows.at[e->pivot_row[c]] : NULL;
        for (uint32_t k = 0; values && k < values->entries.count; k++)
        {
            SparseEntry entry = values->entries.at[k];
            if (entry.column >= b->mode.class_count)
                vec_push(b->arena, b->row, (SparseEntry){-entry.value, entry.column - b->mode.class_count});
        }
        const SparseRow* null = b->null.pivot_row[c] >= 0 ? &b->null.rows.at[b->null.pivot_row[c]] : NULL;
        for (uint32_t k = 0; null && k < null->entries.count; k++)
        {
            SparseEntry entry = null->entries.at[k];
            if (entry.column != c && b->level[entry.column] == LEVEL_STORAGE)
                vec_push(b->arena, b->row,
                         (SparseEntry){-entry.value, b->mode.input_count + b->vector_of[entry.column]});
        }
        if (!null && b->level[c] == LEVEL_STORAGE)
            vec_push(b->arena, b->row, (SparseEntry){1, b->mode.input_count + b->vector_of[c]});
        end_row(b, &b->solution);
    }
}

static bool solve_values(Builder* b)
{
    Elimination e;
    elimination_init(&e, b->arena, b->mode.class_count, VALUE_TOLERANCE);
    if (add_value_rows(b, &e) > 0)
        e.tolerance = RANK_TOLERANCE;  // resistances may cancel
    drop_free_columns(b, &e);
    if (!eliminate_values(b, &e))
        return false;
    collect_solution(b, &e);
    return true;
}

// -------------------------------------------------------------------------------------------------------- idle vectors

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
        sum += a[i] * b[i];
        terms += quad_abs(a[i] * b[i]);
    }
    return quad_abs(sum) <= (Quad)1e-20 * terms ? 0 : sum;  // orthogonal means: touches nothing
}

static void subtract(Quad* a, Quad factor, const Quad* b, int count)
{
    for (int i = 0; i < count; i++)
        a[i] = quad_add(a[i], -factor * b[i], RANK_TOLERANCE);
}

static void scale(Quad* a, Quad factor, int count)
{
    for (int i = 0; i < count; i++)
        a[i] *= factor;
}

// What every switched junction leaks along a vector.
static void leaks_along(Builder* b, const Quad* vector, Quad* leak)
{
    for (int j = 0; j < b->graph->switch_count; j++)
    {
        junction_terms(b, b->graph->junction_of[j], true);
        leak[j] = 0;
        for (uint32_t i = 0; i < b->row.count; i++)
            leak[j] = quad_add(leak[j], b->row.at[i].value * vector[b->row.at[i].column], RANK_TOLERANCE);
        b->row.count = 0;
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
        junction_terms(b, b->graph->junction_of[j], true);
        for (uint32_t i = 0; i < b->row.count; i++)
            form[b->row.at[i].column] += leak[j] * b->row.at[i].value;
        b->row.count = 0;
    }
}

// Vectors that some switched junction leaks along are orthonormal in the leaks; the rest (loops of plain junctions) in
// their values, and the former are made orthogonal to them.
static void prepare_idle(Builder* b)
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
        null_vector(b, b->idle.at[i], b->idle_vector[i]);
        leaks_along(b, b->idle_vector[i], leak[i]);
    }
    for (int i = 0; i < count; i++)
        leaking[i] = normalise(b, leak, switches, i);
    for (int i = 0; i < count; i++)
        if (!leaking[i])
            normalise(b, b->idle_vector, classes, i);
    b->mode.leak = arena_array(b->arena, double, count* switches + 1);
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
static void project_idle(Builder* b)
{
    int classes = b->mode.class_count;
    for (int i = 0; i < b->mode.idle_count; i++)
    {
        int amount = elimination_add_row(&b->solution, NULL, 0);
        for (int c = 0; c < classes; c++)
            if (b->idle_form[i][c] != 0)
                sparse_add(&b->solution, amount, b->idle_form[i][c], &b->solution.rows.at[c]);
        for (int c = 0; c < classes; c++)
            if (b->idle_vector[i][c] != 0)
                sparse_add(&b->solution, c, -b->idle_vector[i][c], &b->solution.rows.at[amount]);
    }
}

// -------------------------------------------------------------------------------------------------------- left vectors

static void push_entry(Builder* b, int column, Quad value)
{
    if (value != 0)
        vec_push(b->arena, b->row, (SparseEntry){value, column});
}

// The weight of every input of a node in Wᵀb, from the null vector k of the same number.
static void left_terms(Builder* b, int node, const Quad* k)
{
    const BondGraph* graph = b->graph;
    int input = graph->input_first[node], first = graph->bond_first[node];
    int bond = graph->bond_list[first];
    Quad sign = bond_sign(graph, bond, node);
    BondKind kind = graph->nodes[node].kind;
    if (imposes_effort(graph->nodes[node]))
        push_entry(b, input, sign * k[class_f(b, bond)]);
    else if (kind == BOND_SF)
        push_entry(b, input, sign * k[class_e(b, bond)]);
    else if (bond_is_storage(kind))
    {
        for (int p = graph->port_first[node]; p < graph->port_first[node + 1]; p++)
            push_entry(b, b->mode.ports[p].input, b->mode.ports[p].sign * k[b->mode.ports[p].unknown_class]);
    }
    else if (kind == BOND_TF || kind == BOND_GY)
    {
        int one, two, s1, s2;
        port_signs(graph, node, &one, &two, &s1, &s2);
        push_entry(b, input, s1 * k[class_f(b, one)]);
        push_entry(b, input + 1, kind == BOND_TF ? -k[class_e(b, two)] : -s2 * k[class_f(b, two)]);
    }
}

static void left_vector(Builder* b, const Quad* k, Elimination* left)
{
    for (int n = 0; n < b->graph->node_count; n++)
        left_terms(b, n, k);
    Quad* leak = arena_array(b->arena, Quad, b->graph->switch_count + 1);
    SparseEntry* kept = b->row.at;
    uint32_t count = b->row.count;
    b->row.at = NULL;  // leaks_along needs the row itself
    b->row.count = b->row.capacity = 0;
    leaks_along(b, k, leak);
    for (uint32_t i = 0; i < count; i++)
        vec_push(b->arena, b->row, kept[i]);
    for (int j = 0; j < b->graph->switch_count; j++)
        push_entry(b, b->graph->input_count + j, leak[j]);
    end_row(b, left);
}

static void make_left(Builder* b, Elimination* left)
{
    elimination_init(left, b->arena, 0, VALUE_TOLERANCE);
    Quad* k = arena_array(b->arena, Quad, b->mode.class_count + 1);
    for (int i = 0; i < b->mode.dependent_count; i++)
    {
        null_vector(b, b->dependent.at[i], k);
        left_vector(b, k, left);
    }
    for (int i = 0; i < b->mode.idle_count; i++)
        left_vector(b, b->idle_vector[i], left);
}

// Vectors whose G entries can be other than zero: they move ports of one storage.
static void make_blocks(Builder* b, const Elimination* left)
{
    int* block = arena_array(b->arena, int, b->mode.dependent_count + 1);
    int* of_node = arena_array(b->arena, int, b->graph->node_count + 1);
    for (int n = 0; n < b->graph->node_count; n++)
        of_node[n] = -1;
    for (int i = 0; i < b->mode.dependent_count; i++)
    {
        block[i] = i;
        const SparseRow* row = &left->rows.at[i];
        for (uint32_t k = 0; k < row->entries.count; k++)
        {
            int column = row->entries.at[k].column;
            int port = column < b->graph->input_count ? b->mode.port_of[column] : -1;
            if (port < 0)
                continue;
            int* owner = &of_node[b->mode.ports[port].node];
            if (*owner >= 0)
            {
                int old = find_class(block, *owner), new = find_class(block, i);
                block[old > new ? old : new] = old > new ? new : old;
            }
            *owner = i;
        }
    }
    for (int i = 0; i < b->mode.dependent_count; i++)
        block[i] = find_class(block, i);
    b->mode.dependent_block = block;
}

// -------------------------------------------------------------------------------------------------------------- pack

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
                push_entry(b, entry.column, -entry.value / weight);
        }
        end_row(b, &rows);
    }
    b->mode.dependent_rows = rows_of(b, &rows, b->mode.dependent_count);
}

static void collect_parts(Builder* b, const Elimination* left)
{
    BondMode* mode = &b->mode;
    mode->solution = rows_of(b, &b->solution, mode->class_count);
    mode->left = rows_of(b, left, mode->dependent_count + mode->idle_count);
    mode->solution_middle = arena_array(b->arena, int, mode->class_count + 1);
    mode->unique = arena_array(b->arena, bool, mode->class_count + 1);
    Elimination idle;
    elimination_init(&idle, b->arena, 0, 0);
    for (int i = 0; i < mode->idle_count; i++)
    {
        for (int c = 0; c < mode->class_count; c++)
            push_entry(b, c, b->idle_vector[i][c]);
        end_row(b, &idle);
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
            mode->unique[c] = mode->unique[c] && b->idle_vector[i][c] == 0;
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
    pack(packer, &mode->class_of, 2 * (size_t)graph->bond_count * sizeof(int));
    pack(packer, &mode->ports, (size_t)graph->port_count * sizeof(BondPort));
    pack(packer, &mode->port_of, (size_t)graph->input_count * sizeof(int));
    pack(packer, &mode->dependent_port, dependents * sizeof(int));
    pack(packer, &mode->dependent_block, dependents * sizeof(int));
    pack_rows(packer, &mode->solution, mode->class_count);
    pack(packer, &mode->solution_middle, classes * sizeof(int));
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

// ------------------------------------------------------------------------------------------------------------- create

static void build(Builder* b, const bool* on, const double* storage)
{
    const BondGraph* graph = b->graph;
    b->mode = (BondMode){.graph = graph, .input_count = graph->input_count + graph->switch_count};
    b->mode.on = arena_array(b->arena, bool, graph->switch_count + 1);
    for (int j = 0; j < graph->switch_count; j++)
        b->mode.on[j] = on[j];
    make_classes(b);
    classify(b, storage);
    add_null_rows(b);
    find_null_space(b);
    if (!solve_values(b))
    {
        b->mode.resistances_cancel = true;
        elimination_init(&b->solution, b->arena, 0, 0);
        for (int c = 0; c < b->mode.class_count; c++)
            end_row(b, &b->solution);
    }
    prepare_idle(b);
    project_idle(b);
    Elimination left;
    make_left(b, &left);
    make_blocks(b, &left);
    collect_parts(b, &left);
    b->mode.storage = arena_array(b->arena, double, graph->block_size + 1);
    int dependents = b->mode.dependent_count;
    b->mode.inverse = arena_array(b->arena, double, dependents* dependents + 1);
    b->mode.scratch = arena_array(b->arena, Quad, dependents * dependents + 1);
    b->mode.scale = arena_array(b->arena, double, dependents + 1);
    b->mode.done = arena_array(b->arena, bool, dependents + 1);
}

BondMode* bond_mode_create(const BondGraph* graph, const bool* on, const double* storage, kaiAllocator allocator)
{
    jmp_buf fail;
    Arena arena;
    arena_init(&arena, allocator, &fail);
    BondMode* mode = NULL;
    if (setjmp(fail) == 0)
    {
        Builder* b = arena_new(&arena, Builder);
        b->arena = &arena;
        b->graph = graph;
        build(b, on, storage);
        Packer packer = {0};
        pack_mode(&packer, &b->mode);
        size_t size = packer.used;
        packer.block = allocator.alloc(allocator.user, NULL, 0, size);
        if (packer.block)
        {
            memset(packer.block, 0, size);
            pack_mode(&packer, &b->mode);
            BondMode* packed = (BondMode*)packer.block;
            *packed = b->mode;
            packed->size = size;
            packed->allocator = allocator;
            bond_mode_storage(packed, storage);
            arena_free(&arena);
            return packed;
        }
    }
    arena_free(&arena);
    return mode;
}

void bond_mode_destroy(BondMode* mode)
{
    if (mode)
        mode->allocator.alloc(mode->allocator.user, mode, mode->size, 0);
}
