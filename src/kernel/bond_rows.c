// The maps of bond graphs from inputs to outputs: for every output a row of what the inputs weigh in it, added up from
// the rows of the classes it consists of. Made once for a set of modes, kept with it, and copied to the registers when
// it is entered.
#include "base/tolerance.h"
#include "kernel/bonds.h"

#include <math.h>
#include <string.h>

// Rows of a block while they are made: what the inputs of the graph weigh in one of them.
typedef struct MapWork
{
    BondMaps* maps;         // rows of the classes of the block over its own inputs
    int* row_of;            // per class of the graph: its row in maps, -1
    double *by_b1, *by_b2;  // per input of the graph
    double *size1, *size2;
    const BondMode* mode;
    double *own_b1, *own_b2, *work;  // per input of the block; scratch
} MapWork;

static void add_entry(MapWork* w, int input, double by_b1, double by_b2)
{
    w->by_b1[input] += by_b1;
    w->by_b2[input] += by_b2;
    w->size1[input] += fabs(by_b1);
    w->size2[input] += fabs(by_b2);
}

// What input `own` of a block weighs, as inputs of the graph.
static void add_own(const BondBlock* block, MapWork* w, int own, double by_b1, double by_b2)
{
    if (block->input_of[own] >= 0)
        add_entry(w, block->input_of[own], by_b1, by_b2);
    for (int i = block->border[own]; i < block->border[own + 1]; i++)
        add_entry(w, block->known[i].index, block->known[i].weight * by_b1, block->known[i].weight * by_b2);
}

static void add_rate(const BondBlock* block, MapWork* w, int class, int sign)
{
    bond_mode_rate_row(w->mode, block->unknowns[w->row_of[class]], w->own_b1, w->own_b2, w->work);
    for (int i = 0; i < block->graph->input_count; i++)
        add_own(block, w, i, sign * w->own_b1[i], sign * w->own_b2[i]);
}

static void add_class(const BondRun* run, const BondBlock* block, MapWork* w, int class, int sign)
{
    const BondBlocks* blocks = bond_net_blocks(run->net);
    for (int i = 0; blocks->place[class] == BOND_KNOWN && i < blocks->count[class]; i++)
    {
        BondPiece piece = blocks->pieces[blocks->first[class] + i];
        add_entry(w, piece.index, sign * piece.weight, 0);
    }
    int row = blocks->place[class] >= 0 ? w->row_of[class] : -1;
    for (int k = row >= 0 ? w->maps->start[row] : 0; row >= 0 && k < w->maps->start[row + 1]; k++)
        add_own(block, w, w->maps->input[k], sign * w->maps->by_b1[k], sign * w->maps->by_b2[k]);
}

static double settled(double* value, double* size)
{
    double kept = fabs(*value) <= BOND_MAP_NOTHING * *size ? 0 : *value;
    *value = *size = 0;
    return kept;
}

// The row of an output: its terms' rows added, what cancels is 0 exactly.
static void map_row(const Kernel* kernel, const BondRun* run, const BondBlock* block, MapWork* w,
                    const BondOutput* output, double* row)
{
    for (uint32_t t = 0; t < output->term_count; t++)
    {
        const BondTerm* term = &kernel->model->bond_terms[output->first_term + t];
        int class = run->graph->class_of[2 * term->bond + term->flow];
        if (output->rate)
            add_rate(block, w, class, term->sign);
        else
            add_class(run, block, w, class, term->sign);
    }
    for (uint32_t i = 0; i < output->column_count; i++)
    {
        BondColumn column = kernel->model->bond_columns[output->first_column + i];
        int input = run->input_of[column.input];
        row[i] =
            column.slope ? settled(&w->by_b2[input], &w->size2[input]) : settled(&w->by_b1[input], &w->size1[input]);
    }
    for (int i = 0; i < block->input_count; i++)  // columns that are no inputs of the model
        w->by_b1[block->inputs[i]] = w->by_b2[block->inputs[i]] = w->size1[block->inputs[i]] =
            w->size2[block->inputs[i]] = 0;
}

static bool make_rows(Kernel* kernel, BondRun* run, int index, double* rows)
{
    const BondBlock* block = &bond_net_blocks(run->net)->blocks[index];
    kaiAllocator a = kernel->options->allocator;
    size_t inputs = (size_t)run->graph->input_count + 1, classes = (size_t)run->graph->class_count + 1;
    size_t own = (size_t)block->graph->input_count + 1, doubles = 4 * inputs + 2 * own + bond_work_size(block->graph);
    size_t size = doubles * sizeof(double) + classes * sizeof(int);
    MapWork w = {.maps = bond_mode_maps(bond_net_mode(run->net, index), block->unknowns, block->class_count, a)};
    double* scratch = a.alloc(a.user, NULL, 0, size);
    if (scratch != NULL && w.maps != NULL)
    {
        memset(scratch, 0, size);
        w.by_b1 = scratch;
        w.by_b2 = w.by_b1 + inputs;
        w.size1 = w.by_b2 + inputs;
        w.size2 = w.size1 + inputs;
        w.own_b1 = w.size2 + inputs;
        w.own_b2 = w.own_b1 + own;
        w.work = w.own_b2 + own;
        w.row_of = (int*)(scratch + doubles);
        w.mode = bond_net_mode(run->net, index);
        for (int i = 0; i < block->class_count; i++)
            w.row_of[block->classes[i]] = i;
        for (uint32_t i = run->rows.first[index]; i < run->rows.first[index + 1]; i++)
        {
            const BondOutput* output = &kernel->model->bond_outputs[run->system->first_output + run->rows.outputs[i]];
            map_row(kernel, run, block, &w, output, rows);
            rows += output->column_count;
        }
    }
    bool made = scratch != NULL && w.maps != NULL;
    if (scratch != NULL)
        a.alloc(a.user, scratch, size, 0);
    bond_maps_destroy(w.maps);
    return made;
}

const double* bonds_rows(Kernel* kernel, BondRun* run, int index)
{
    static const double none = 0;
    BondMode* mode = bond_net_mode(run->net, index);
    if (run->rows.size[index] == 0)
        return &none;
    bool fresh;
    double* rows =
        bond_cache_attachment(bond_net_cache(run->net, index), mode, sizeof(double) * run->rows.size[index], &fresh);
    return rows != NULL && (!fresh || make_rows(kernel, run, index, rows)) ? rows : NULL;
}

void bonds_copy_rows(Kernel* kernel, const BondRun* run, int index, const double* rows)
{
    const BondFeed* piece = run->rows.pieces + run->rows.first_piece[index];
    for (const BondFeed* end = run->rows.pieces + run->rows.first_piece[index + 1]; piece < end; piece++)
    {
        double* to = kernel->R + piece->reg;
        if (piece->at > 8)
            memcpy(to, rows, sizeof(double) * (size_t)piece->at);
        else
            for (int i = 0; i < piece->at; i++)
                to[i] = rows[i];
        rows += piece->at;
    }
}

bool bonds_load_rows(Kernel* kernel, BondRun* run, int index)
{
    const double* rows = bonds_rows(kernel, run, index);
    if (rows != NULL)
        bonds_copy_rows(kernel, run, index, rows);
    return rows != NULL;
}
