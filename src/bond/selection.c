// Signs of efforts and flows after an instant, zero by the sizes of the run. See selection.h.
//
// Levels of a set of modes: 0 areas, 1 values, 2 … derivatives. With z = F(b1, b2) the flow of the set, the derivative
// of z is F(b1', b2') where b1' are the rates S z of the storages and the slopes of the sources: up to the third
// derivative of a source is known (at the top of a sine the second decides). Sizes go through the same rows with all
// signs positive.
#include "bond/selection.h"
#include "base/tolerance.h"

#include "bond/mode_parts.h"

#include <math.h>
#include <string.h>

enum
{
    LEVELS = 6,
    KEPT = 8,       // sets whose sizes are kept
    SIZES_KEPT = 3  // of areas, values and first derivatives
};

// Sizes of areas and values of a set of modes, as long as nothing has become larger: sets come again and again.
typedef struct SizesKept
{
    BondMode** modes;  // per block
    unsigned long grown, trimmed;
    bool known[SIZES_KEPT];
    double* size[SIZES_KEPT];
    BondSignRow* rows;    // per sum that is asked for
    BondSignRow* slopes;  // and its derivative
} SizesKept;

struct BondSelection
{
    BondNet* net;
    const BondGraph* graph;
    BondPort* ports;            // per extensity
    int* port_unknown;          // whose integral it is
    int* port_of;               // per input: -1 or the extensity
    double *b1_most, *b2_most;  // per input: the largest seen
    double slack;
    BondJudged judged;
    int known;                 // levels that are computed
    BondAfter* after[LEVELS];  // values that are computed when a sign asks for them
    double *inputs[LEVELS], *own_size[LEVELS];
    const double* size[LEVELS];
    bool sized[SIZES_KEPT];
    SizesKept kept[KEPT], *present;  // that of the set that is judged; NULL: not asked for yet
    int next_kept;
    uint32_t asked;
    unsigned long grown, regions_grown;  // how often something was larger than ever; when regions were measured
    double* sources[LEVELS + 1];         // derivatives of the sources: 1 slope, 2, 3; NULL = 0
    double* sources_most[LEVELS + 1];    // and their sizes
    const double* none;                  // zeros
    bool curved;                         // 2 and 3 have been asked for
    double *b1, *classes, *rates;
    double *own_b1, *own_b2, *own_classes, *own_rates, *amounts;  // of a block
    int* region_of;                                               // per node: parts of the graph that no TF or GY joins
    double* region_most[2];  // per region: the largest effort and flow that is imposed in it
    double* region_fast[2];  // and the largest slope of a source
    BondJumpRows jumps;
};

// Of the largest terms: areas and values as rule B5 has it; derivatives are less exact than values.
static const double NOTHING[LEVELS] = {BOND_NOTHING,       BOND_NOTHING,        BOND_RATES_NOTHING,
                                       BOND_RATES_NOTHING, BOND_CURVES_NOTHING, BOND_CURVES_NOTHING};

static void find_ports(BondSelection* s, Arena* arena)
{
    const BondGraph* graph = s->graph;
    s->ports = arena_array(arena, BondPort, graph->port_count + 1);
    s->port_unknown = arena_array(arena, int, graph->port_count + 1);
    s->port_of = arena_array(arena, int, graph->input_count + 1);
    for (int i = 0; i < graph->input_count; i++)
        s->port_of[i] = -1;
    for (int n = 0; n < graph->node_count; n++)
        for (int p = graph->port_first[n]; p < graph->port_first[n + 1]; p++)
        {
            int bond = bond_at(graph, n, p - graph->port_first[n]);
            int input = graph->input_first[n] + p - graph->port_first[n];
            double sign = graph->nodes[n].kind == BOND_C ? bond_sign(graph, bond, n) : 1;
            s->port_unknown[p] = bond_storage_unknown(graph, n, bond);
            s->ports[p] = (BondPort){graph->class_of[s->port_unknown[p]], input, n, sign};
            s->port_of[input] = p;
        }
}

// Efforts and flows are compared with others of their region: behind a transformer they may have other units.
static void find_regions(BondSelection* s, Arena* arena)
{
    const BondGraph* graph = s->graph;
    s->region_of = arena_array(arena, int, graph->node_count + 1);
    int* queue = arena_array(arena, int, graph->node_count + 1);
    for (int i = 0; i < 2; i++)
    {
        s->region_most[i] = arena_array(arena, double, graph->node_count + 1);
        s->region_fast[i] = arena_array(arena, double, graph->node_count + 1);
    }
    for (int n = 0; n < graph->node_count; n++)
        s->region_of[n] = -1;
    for (int n = 0; n < graph->node_count; n++)
    {
        int count = 0;
        if (s->region_of[n] >= 0 || bond_is_two_port(graph->nodes[n].kind))
            continue;
        s->region_of[queue[count++] = n] = n;
        for (int done = 0; done < count; done++)
            for (int k = 0; k < bond_degree(graph, queue[done]); k++)
            {
                int other = bond_other_end(graph, bond_at(graph, queue[done], k), queue[done]);
                if (s->region_of[other] < 0 && !bond_is_two_port(graph->nodes[other].kind))
                    s->region_of[queue[count++] = other] = n;
            }
    }
}

static void size_regions(BondSelection* s)
{
    const BondGraph* graph = s->graph;
    if (s->regions_grown == s->grown)
        return;
    s->regions_grown = s->grown;
    for (int i = 0; i < 2; i++)
    {
        memset(s->region_most[i], 0, (size_t)graph->node_count * sizeof(double));
        memset(s->region_fast[i], 0, (size_t)graph->node_count * sizeof(double));
    }
    for (int n = 0; n < graph->node_count; n++)
    {
        BondKind kind = graph->nodes[n].kind;
        if (!bond_is_source(kind) && !bond_is_storage(kind))
            continue;
        double* most = &s->region_most[bond_imposes_flow(kind)][s->region_of[n]];
        double* fast = &s->region_fast[bond_imposes_flow(kind)][s->region_of[n]];
        for (int i = graph->input_first[n]; i < graph->input_first[n + 1]; i++)
        {
            *most = fmax(*most, s->b1_most[i]);
            *fast = fmax(*fast, s->b2_most[i]);
        }
    }
}

// Blocks are no larger than the graph but for the sources around them, of which a node has one per bond at most.
BondSelection* bond_selection_create(BondNet* net, const BondGraph* graph, double* most, uint32_t asked, Arena* arena)
{
    BondSelection* s = arena_new(arena, BondSelection);
    int unknowns = 2 * graph->bond_count + 1, inputs = graph->input_count + 1;
    int own = inputs + 2 * graph->bond_count, classes = unknowns + 2 * graph->node_count;
    s->net = net;
    s->graph = graph;
    s->slack = 1;
    s->asked = asked;
    s->b1_most = most;
    s->b2_most = most + graph->input_count;
    s->b1 = arena_array(arena, double, inputs);
    s->sources[1] = arena_array(arena, double, inputs);
    for (int k = 2; k < 4; k++)
    {
        s->sources[k] = arena_array(arena, double, inputs);
        s->sources_most[k] = arena_array(arena, double, inputs);
    }
    s->none = arena_array(arena, double, inputs);
    s->sources_most[1] = s->b2_most;
    s->classes = arena_array(arena, double, unknowns);
    s->rates = arena_array(arena, double, graph->port_count + 1);
    s->own_b1 = arena_array(arena, double, own);
    s->own_b2 = arena_array(arena, double, own);
    s->own_classes = arena_array(arena, double, classes);
    s->own_rates = arena_array(arena, double, graph->port_count + 1);
    s->amounts = arena_array(arena, double, graph->port_count + 1);
    for (int k = 1; k < LEVELS; k++)
    {
        s->after[k] = bond_after_create(net, graph, arena);
        s->inputs[k] = arena_array(arena, double, inputs);
        s->own_size[k] = arena_array(arena, double, unknowns);
    }
    for (int i = 0; i < KEPT; i++)
    {
        s->kept[i].modes = arena_array(arena, BondMode*, bond_net_blocks(net)->block_count + 1);
        s->kept[i].rows = arena_array(arena, BondSignRow, asked + 1);
        s->kept[i].slopes = arena_array(arena, BondSignRow, asked + 1);
        for (int k = 0; k < SIZES_KEPT; k++)
            s->kept[i].size[k] = arena_array(arena, double, unknowns);
    }
    s->grown = 1;
    s->jumps = bond_jump_rows_create(net, graph, s->none, arena);
    find_ports(s, arena);
    find_regions(s, arena);
    return s;
}

// A little more than what was seen: a voltage that creeps up to its end would have everything measured again each time.
static void learn(BondSelection* s, double* most, double value)
{
    if (!(fabs(value) > *most))
        return;
    *most = BOND_MOST_MARGIN * fabs(value);
    s->grown++;
}

void bond_selection_learn(BondSelection* s, const double* b1, const double* b2)
{
    for (int i = 0; i < s->graph->input_count; i++)
    {
        learn(s, &s->b1_most[i], b1[i]);
        learn(s, &s->b2_most[i], b2[i]);
    }
}

// --------------------------------------------------------------------------------------------------------------- sizes

// |S| times the sizes of what moves the storages, of a block or of the whole graph.
static void size_rates(const BondGraph* graph, const BondPort* all, const double* storage, const double* classes,
                       double* rates)
{
    for (int p = 0; p < graph->port_count; p++)
    {
        int node = all[p].node, first = graph->port_first[node], ports = graph->port_first[node + 1] - first;
        const double* block = storage + graph->block_first[node] + (p - first) * ports;
        rates[p] = 0;
        for (int j = 0; j < ports; j++)
            rates[p] += fabs(block[j]) * classes[all[first + j].unknown_class];
    }
}

// Adds what the dependent vectors contribute: |K G⁻¹ Wᵀ| of the rates of storages (NULL: of `inputs` alone) and inputs.
static void size_dependents(BondSelection* s, const BondMode* mode, const double* rates, const double* inputs)
{
    int n = mode->dependent_count, given = mode->graph->input_count;
    memset(s->amounts, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
    {
        double sum = 0;
        for (int k = mode->left.start[i]; k < mode->left.start[i + 1]; k++)
        {
            int input = mode->left.column[k], port = input < given ? mode->port_of[input] : -1;
            if (rates != NULL && port >= 0)
                sum += fabs(mode->left.value[k]) * rates[port];
            else if (input < given)
                sum += fabs(mode->left.value[k]) * inputs[input];
        }
        for (int j = 0; j < n; j++)
            s->amounts[j] += fabs(mode->inverse[j * n + i]) * sum;
    }
    for (int c = 0; c < mode->class_count; c++)
        for (int k = mode->solution_middle[c]; k < mode->solution.start[c + 1]; k++)
            s->own_classes[c] +=
                fabs(mode->solution.value[k]) * s->amounts[mode->solution.column[k] - mode->input_count];
}

// The classes of a block are found there.
static void keep_block(BondSelection* s, int index, const BondMode* mode)
{
    const BondBlock* block = &bond_net_blocks(s->net)->blocks[index];
    for (int i = 0; i < block->class_count; i++)
        s->classes[block->classes[i]] = s->own_classes[mode->class_of[block->unknowns[i]]];
}

static void keep_sizes(BondSelection* s, double* size)
{
    bond_net_sums(s->net, true, s->classes);
    for (int u = 0; u < 2 * s->graph->bond_count; u++)
        size[u] = s->classes[s->graph->class_of[u]];
}

static void size_areas(BondSelection* s, double* size)
{
    memset(s->classes, 0, (size_t)s->graph->class_count * sizeof(double));
    for (int i = 0; i < bond_net_blocks(s->net)->block_count; i++)
    {
        const BondMode* mode = bond_net_mode(s->net, i);
        bond_net_gather(s->net, i, s->b1_most, true, s->own_b1);
        memset(s->own_classes, 0, (size_t)mode->class_count * sizeof(double));
        size_dependents(s, mode, NULL, s->own_b1);
        keep_block(s, i, mode);
    }
    keep_sizes(s, size);
}

static void size_block(BondSelection* s, const BondMode* mode, const double* b1, const double* b2)
{
    for (int c = 0; c < mode->class_count; c++)
    {
        s->own_classes[c] = 0;
        for (int k = mode->solution.start[c]; k < mode->solution_middle[c]; k++)
            if (mode->solution.column[k] < mode->graph->input_count)
                s->own_classes[c] += fabs(mode->solution.value[k]) * b1[mode->solution.column[k]];
    }
    if (mode->dependent_count == 0)
        return;
    size_rates(mode->graph, mode->ports, mode->storage, s->own_classes, s->own_rates);
    size_dependents(s, mode, s->own_rates, b2);
}

static void size_flow(BondSelection* s, const double* b1, const double* b2, double* size)
{
    bond_net_known(s->net, b1, true, s->classes);
    for (int i = 0; i < bond_net_blocks(s->net)->block_count; i++)
    {
        bond_net_gather(s->net, i, b1, true, s->own_b1);
        bond_net_gather(s->net, i, b2, true, s->own_b2);
        size_block(s, bond_net_mode(s->net, i), s->own_b1, s->own_b2);
        keep_block(s, i, bond_net_mode(s->net, i));
    }
    keep_sizes(s, size);
}

// -------------------------------------------------------------------------------------------------------------- levels

// Inputs of the next level: rates of the storages, `slopes` of the others.
static void next_inputs(const BondSelection* s, const double* rates, const double* slopes, double* b)
{
    for (int i = 0; i < s->graph->input_count; i++)
        b[i] = s->port_of[i] >= 0 ? rates[s->port_of[i]] : slopes[i];
}

static double value_at(const BondSelection* s, int level, int unknown)
{
    const double* given = level == 0 ? s->judged.area : level == 1 ? s->judged.z : NULL;
    int class = s->graph->class_of[unknown];
    if (given != NULL)
        return given[unknown];
    return level == 0 ? bond_after_area(s->after[1], class) : bond_after_value(s->after[level], class);
}

static void set_rates(const BondSelection* s, int level, double* rates)
{
    const BondGraph* graph = s->graph;
    for (int p = 0; p < graph->port_count; p++)
        s->classes[p] = value_at(s, level, s->port_unknown[p]);
    for (int p = 0; p < graph->port_count; p++)
    {
        int node = s->ports[p].node, first = graph->port_first[node], ports = graph->port_first[node + 1] - first;
        const double* block = s->judged.storage + graph->block_first[node] + (p - first) * ports;
        rates[p] = 0;
        for (int j = 0; j < ports; j++)
            rates[p] += block[j] * s->ports[first + j].sign * s->classes[first + j];
    }
}

// What is known of the sources beyond their slopes, and how large that can be: a source that has been as large as b1
// with slopes as large as b2 moves by b2/b1 of itself.
static void ask_curve(BondSelection* s)
{
    if (s->curved || s->judged.curve == NULL)
        return;
    s->curved = true;
    s->judged.curve(s->judged.user, s->sources[2], s->sources[3]);
    for (int i = 0; i < s->graph->input_count; i++)
    {
        double pace = s->b1_most[i] > 0 ? s->b2_most[i] / s->b1_most[i] : 0;
        s->sources_most[2][i] = fmax(fabs(s->sources[2][i]), s->b2_most[i] * pace);
        s->sources_most[3][i] = fmax(fabs(s->sources[3][i]), s->b2_most[i] * pace * pace);
    }
}

// The derivative of order `order` of the sources, or their sizes.
static const double* source_at(const BondSelection* s, double* const* from, int order)
{
    return order < 4 && (order < 2 || s->curved) ? from[order] : s->none;
}

// The place of the present set among those that are kept; a new one takes that of the oldest.
static SizesKept* find_kept(BondSelection* s)
{
    int blocks = bond_net_blocks(s->net)->block_count;
    unsigned long trimmed = bond_net_trimmed(s->net);
    for (int i = 0; i < KEPT && s->present == NULL; i++)
    {
        bool same = s->kept[i].grown == s->grown && s->kept[i].trimmed == trimmed;
        for (int k = 0; k < blocks && same; k++)
            same = s->kept[i].modes[k] == bond_net_mode(s->net, k);
        if (same)
            s->present = &s->kept[i];
    }
    if (s->present != NULL)
        return s->present;
    SizesKept* kept = s->present = &s->kept[s->next_kept++ % KEPT];
    bond_net_save(s->net, kept->modes);
    kept->grown = s->grown;
    kept->trimmed = trimmed;
    memset(kept->known, 0, sizeof kept->known);
    for (uint32_t i = 0; i < s->asked; i++)
        kept->rows[i].count = kept->slopes[i].count = SIGN_ROW_UNKNOWN;
    return kept;
}

static void find_sizes(BondSelection* s, int level);

// The sizes of a derivative, from those of what it is the derivative of.
static void size_derivative(BondSelection* s, int level, double* size)
{
    find_sizes(s, level - 1);
    for (int u = 0; u < 2 * s->graph->bond_count; u++)
        s->classes[s->graph->class_of[u]] = s->size[level - 1][u];
    size_rates(s->graph, s->ports, s->judged.storage, s->classes, s->rates);
    next_inputs(s, s->rates, source_at(s, s->sources_most, level - 1), s->b1);
    size_flow(s, s->b1, source_at(s, s->sources_most, level), size);
}

static void make_sizes(BondSelection* s, int level, double* size)
{
    if (level == 0)
        size_areas(s, size);
    else if (level == 1)
        size_flow(s, s->b1_most, s->b2_most, size);
    else
        size_derivative(s, level, size);
}

// Those of derivatives hang on how sources curve, if they do.
static void find_sizes(BondSelection* s, int level)
{
    if (level >= SIZES_KEPT || s->sized[level])
        return;
    s->sized[level] = true;
    if (level > 1 && s->judged.curve != NULL)
    {
        s->size[level] = s->own_size[level];
        make_sizes(s, level, s->own_size[level]);
        return;
    }
    SizesKept* kept = find_kept(s);
    s->size[level] = kept->size[level];
    if (!kept->known[level])
        make_sizes(s, level, kept->size[level]);
    kept->known[level] = true;
}

static void add_level(BondSelection* s)
{
    int level = s->known++;
    ask_curve(s);
    find_sizes(s, level);
    if (level >= SIZES_KEPT)
    {
        s->size[level] = s->own_size[level];
        make_sizes(s, level, s->own_size[level]);
    }
    set_rates(s, level - 1, s->rates);
    next_inputs(s, s->rates, source_at(s, s->sources, level - 1), s->inputs[level]);
    bond_after_flow(s->after[level], s->inputs[level], source_at(s, s->sources, level));
}

bool bond_selection_jump(BondSelection* s, const BondJump* jump)
{
    return bond_after_jump(s->after[1], jump);
}

void bond_selection_judge(BondSelection* s, BondJudged judged)
{
    s->judged = judged;
    s->known = 2;
    s->curved = false;
    s->present = NULL;
    memcpy(s->sources[1], judged.b2, (size_t)s->graph->input_count * sizeof(double));
    memset(s->sized, 0, sizeof s->sized);
    size_regions(s);
}

// ---------------------------------------------------------------------------------------------------------------- sign

void bond_selection_slack(BondSelection* s, double factor)
{
    s->slack = factor;
}

// What an intensity moves by with its own extensity.
static double port_slope(const BondSelection* s, const double* storage, int port)
{
    int node = s->ports[port].node, first = s->graph->port_first[node];
    int ports = s->graph->port_first[node + 1] - first;
    return storage[s->graph->block_first[node] + (port - first) * (ports + 1)];
}

static double sum_terms(const BondSelection* s, int level, const BondTerm* terms, int count, double* size)
{
    double sum = 0;
    *size = 0;
    for (int i = 0; i < count; i++)
    {
        double term = value_at(s, level, (int)(2 * terms[i].bond + terms[i].flow));
        sum += terms[i].sign * term;
        *size += fabs(term);
    }
    return sum;
}

static double size_terms(const double* sizes, const BondTerm* terms, int count)
{
    double size = 0;
    for (int i = 0; i < count; i++)
        size += sizes[2 * terms[i].bond + terms[i].flow];
    return size;
}

// The largest of its kind around the first term: what is 1e-13 of it is what rounding leaves of it elsewhere.
static double region_size(const BondSelection* s, const BondTerm* term)
{
    const BondGraph* graph = s->graph;
    int node = graph->bonds[term->bond].from;
    if (s->region_of[node] < 0)
        node = graph->bonds[term->bond].to;
    return s->region_of[node] >= 0 ? s->region_most[term->flow][s->region_of[node]] : 0;
}

// Whether no derivative says where a value goes that is no more than what the solver may be wrong by: two capacitors
// that were charged alike and are emptied alike. Where nothing could move it, as between capacitors alone, the solver
// has no part in it, and it is what it is.
static bool is_tie(BondSelection* s, const BondTerm* terms, int count)
{
    if (s->known < 3)
        add_level(s);
    if (size_terms(s->size[2], terms, count) == 0)
        return false;
    for (int level = 2; level < LEVELS; level++)
    {
        if (level >= s->known)
            add_level(s);
        double now, sum = sum_terms(s, level, terms, count, &now);
        if (fabs(sum) > NOTHING[level] * fmax(size_terms(s->size[level], terms, count), now))
            return false;
    }
    return true;
}

// The row of a sum in the present set, or NULL if it is too long.
static BondSignRow* value_row(BondSelection* s, BondAsked asked)
{
    BondSignRow* row = &find_kept(s)->rows[asked.number];
    if (row->count == SIGN_ROW_UNKNOWN)
    {
        bond_sign_row_make(s->net, s->graph, asked.terms, asked.count, s->graph->allocator, row);
        find_sizes(s, 1);
        row->size = size_terms(s->size[1], asked.terms, asked.count);
    }
    return row->count >= 0 ? row : NULL;
}

// What a value of that row may be off by and still count as zero.
static double value_bound(const BondSelection* s, BondAsked asked, const BondSignRow* row)
{
    return larger(NOTHING[1] * s->slack * row->size, BOND_REGION_NOTHING * region_size(s, asked.terms));
}

// What a sum moves by, from what its storages do, where sources stand still.
static void make_slope_row(BondSelection* s, const BondSignRow* value, BondSignRow* row)
{
    const BondGraph* graph = s->graph;
    row->count = 0;
    for (int i = 0; i < value->count && row->count >= 0; i++)
    {
        int p = value->input[i] < graph->input_count ? s->port_of[value->input[i]] : -1;
        if (p < 0)
            continue;
        int node = s->ports[p].node, first = graph->port_first[node], ports = graph->port_first[node + 1] - first;
        const double* block = s->judged.storage + graph->block_first[node] + (p - first) * ports;
        for (int j = 0; j < ports && row->count >= 0; j++)
            bond_sign_row_add(s->net, graph, graph->class_of[s->port_unknown[first + j]],
                              value->weight[i] * block[j] * s->ports[first + j].sign, graph->allocator, row);
    }
}

static BondSignRow* slope_row(BondSelection* s, BondAsked asked, const BondSignRow* value)
{
    BondSignRow* row = &find_kept(s)->slopes[asked.number];
    if (row->count == SIGN_ROW_UNKNOWN)
    {
        make_slope_row(s, value, row);
        find_sizes(s, 2);
        row->size = size_terms(s->size[2], asked.terms, asked.count);
    }
    return row->count >= 0 ? row : NULL;
}

// The sign of the derivative of a value that is clearly none, where no storage depends on others and the derivative is
// clear: a current that has just ended. 0: it is not.
static int slope_sign(BondSelection* s, BondAsked asked, const BondSignRow* value)
{
    const double *b[] = {s->judged.b1, s->judged.b2}, *most[] = {s->b1_most, s->b2_most};
    double sum;
    if (!s->judged.derivatives || s->judged.curve != NULL || bond_net_has_dependents(s->net))
        return 0;
    BondSignRow* row = slope_row(s, asked, value);
    if (row == NULL || !bond_sign_row_sum(row, s->graph->input_count, b, most, &sum))
        return 0;
    return fabs(sum) > BOND_ROW_CLEAR * NOTHING[2] * row->size ? sum > 0 ? 1 : -1 : 0;
}

// The sign of a value that is clear of zero and of a tie, where nothing has moved, or that of its derivative: by their
// rows. 0: it is not.
static int clear_sign(BondSelection* s, BondAsked asked, double loose, double* tolerance)
{
    const double *b[] = {s->judged.b1, s->judged.b2}, *most[] = {s->b1_most, s->b2_most};
    double sum;
    if (s->judged.b1 == NULL)
        return 0;
    BondSignRow* row = value_row(s, asked);
    if (row == NULL || !bond_sign_row_sum(row, s->graph->input_count, b, most, &sum))
        return 0;
    double bound = value_bound(s, asked, row);
    int sign = sum > 0 ? 1 : -1;
    if (BOND_ROW_CLEAR * fabs(sum) <= bound)
        sign = slope_sign(s, asked, row);
    else if (!(fabs(sum) > BOND_ROW_CLEAR * larger(bound, loose * row->size)))
        return 0;
    *tolerance = sign != 0 ? bound : 0;
    return sign;
}

// A derivative a little below its bound that the next one contradicts decides nothing, and neither does the next one.
int bond_selection_sign(BondSelection* s, BondAsked asked, double loose, double* tolerance, double* tie)
{
    const BondTerm* terms = asked.terms;
    int count = asked.count, clear;
    *tolerance = *tie = 0;
    if ((clear = clear_sign(s, asked, loose, tolerance)) != 0)
        return clear;
    int most = s->judged.derivatives ? LEVELS : 2, sign = 0, hint = 0;
    for (int level = 0; level < most && (sign == 0 || level < 2); level++)
    {
        if (level >= s->known)
            add_level(s);
        double now, sum = sum_terms(s, level, terms, count, &now);
        if (level == 0 && now == 0)  // whatever the size, there is none
            continue;
        find_sizes(s, level);
        double size = fmax(size_terms(s->size[level], terms, count), isfinite(now) ? now : 0);
        double bound = NOTHING[level] * (level < 2 ? s->slack : 1) * size;
        if (level == 1)
            *tolerance = bound = fmax(bound, BOND_REGION_NOTHING * region_size(s, terms));
        if (level == 1 && sign == 0 && s->judged.derivatives && fabs(sum) <= loose * size && is_tie(s, terms, count))
        {
            *tie = loose * size;
            return 0;
        }
        if (sign == 0 && fabs(sum) > bound)
            sign = hint != 0 && hint != (sum > 0 ? 1 : -1) ? 0 : sum > 0 ? 1 : -1;
        if (sign == 0 && fabs(sum) > bound)
            return 0;
        if (level > 1 && hint == 0 && sign == 0 && fabs(sum) > BOND_HINT * bound)
            hint = sum > 0 ? 1 : -1;
    }
    return sign;
}

// ------------------------------------------------------------------------------------------------------------- reasons

static int reason_of_value(BondSelection* s, BondAsked asked, double loose, int sign, BondReason* reason)
{
    double now;
    const BondSignRow* row = value_row(s, asked);
    if (row == NULL)
        return 0;
    reason->row = *row;
    reason->bound = BOND_ROW_CLEAR * larger(value_bound(s, asked, row), loose * row->size);
    reason->per_time = 0;
    reason->below = false;
    reason->sign = (int8_t)sign;
    return sign * sum_terms(s, 1, asked.terms, asked.count, &now) > reason->bound;
}

// A value that is clearly none, and its derivative, which is clear (slope_sign).
static int reason_of_slope(BondSelection* s, BondAsked asked, int sign, BondReason* reasons)
{
    const double *b[] = {s->judged.b1, s->judged.b2}, *most[] = {s->b1_most, s->b2_most};
    double sum;
    const BondSignRow* row = s->judged.b1 != NULL ? value_row(s, asked) : NULL;
    if (row == NULL || !bond_sign_row_sum(row, s->graph->input_count, b, most, &sum))
        return 0;
    reasons[0] = (BondReason){.row = *row, .bound = value_bound(s, asked, row) / BOND_ROW_CLEAR, .below = true};
    if (!(fabs(sum) <= reasons[0].bound) || slope_sign(s, asked, row) != sign)
        return 0;
    row = slope_row(s, asked, row);
    reasons[1] = (BondReason){.row = *row, .bound = BOND_ROW_CLEAR * NOTHING[2] * row->size, .sign = (int8_t)sign};
    return 2;
}

// The change of an extensity that is farthest from rounding, which makes a jump of it.
static int leading_port(const BondSelection* s, const double* dx)
{
    int leading = 0;
    double most = -1;
    for (int p = 0; p < s->graph->port_count; p++)
    {
        int flow = bond_imposes_flow(s->graph->nodes[s->ports[p].node].kind), region = s->region_of[s->ports[p].node];
        double size = s->region_most[flow][region];
        double change = size > 0 ? fabs(port_slope(s, s->judged.storage, p) * dx[p]) / size : 0;
        if (change > most)
            leading = p;
        most = fmax(most, change);
    }
    return leading;
}

// An area decides before any value does, provided that there is a jump.
static int reason_of_area(BondSelection* s, BondAsked asked, int sign, const double* dx, BondReason* reasons)
{
    double now, sum = sum_terms(s, 0, asked.terms, asked.count, &now);
    int port = leading_port(s, dx);
    int flow = bond_imposes_flow(s->graph->nodes[s->ports[port].node].kind), region = s->region_of[s->ports[port].node];
    double slope = fabs(port_slope(s, s->judged.storage, port));
    if (s->graph->port_count == 0 || slope == 0 ||
        !bond_jump_rows_make(&s->jumps, asked.terms, asked.count, port, &reasons[0].row, &reasons[1].row))
        return 0;
    find_sizes(s, 0);
    reasons[0].bound = BOND_ROW_CLEAR * NOTHING[0] * s->slack * size_terms(s->size[0], asked.terms, asked.count);
    reasons[0].per_time = 0;
    reasons[0].sign = (int8_t)sign;
    reasons[1].bound = BOND_ROW_CLEAR * 2 * BOND_NOTHING * s->region_most[flow][region] / slope;
    reasons[1].per_time = BOND_ROW_CLEAR * s->region_fast[flow][region] / slope;
    reasons[1].sign = 0;
    reasons[0].below = reasons[1].below = false;
    return sign * sum > reasons[0].bound && fabs(dx[port]) > reasons[1].bound ? 2 : 0;
}

int bond_selection_reasons(BondSelection* s, BondAsked asked, double loose, int sign, const double* dx,
                           BondReason* reasons)
{
    double areas = 0;
    if (s->judged.area != NULL)
        sum_terms(s, 0, asked.terms, asked.count, &areas);
    if (sign == 0 || areas != 0)
        return 0;
    if (s->judged.area == NULL)
        return reason_of_area(s, asked, sign, dx, reasons);
    int count = reason_of_value(s, asked, loose, sign, reasons);
    return count > 0 ? count : reason_of_slope(s, asked, sign, reasons);
}

unsigned long bond_selection_grown(const BondSelection* s)
{
    return s->grown;
}

void bond_selection_forget(BondSelection* s)
{
    s->grown++;
}

bool bond_selection_is_drift(const BondSelection* s, const double* storage, const double* dx, double tolerance)
{
    for (int p = 0; p < s->graph->port_count; p++)
    {
        if (fabs(port_slope(s, storage, p) * dx[p]) > tolerance * s->b1_most[s->ports[p].input])
            return false;
    }
    return true;
}

bool bond_selection_is_rounding(BondSelection* s, const double* storage, int port, double dx, double time)
{
    int node = s->ports[port].node;
    int flow = bond_imposes_flow(s->graph->nodes[node].kind), region = s->region_of[node];
    size_regions(s);
    return fabs(port_slope(s, storage, port) * dx) <=
           2 * BOND_NOTHING * s->region_most[flow][region] + time * s->region_fast[flow][region];
}
