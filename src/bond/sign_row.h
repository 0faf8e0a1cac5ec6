// The sum that a sign asks about as one row over the inputs of the graph, in the set of modes that the net is in, for
// instants in which nothing jumps. It says the same as the sum of classes but for what is below 1e-12 of the terms:
// where it is clear of zero nothing else need be computed. It knows no models.
#ifndef KAIROS_BOND_SIGN_ROW_H
#define KAIROS_BOND_SIGN_ROW_H

#include "base/tolerance.h"
#include "bond/after.h"

enum
{
    SIGN_ROW_MOST = 16,     // entries
    SIGN_ROW_UNKNOWN = -1,  // it has not been made yet
    SIGN_ROW_NONE = -2,     // there are too many
};

typedef struct BondSignRow
{
    int count;
    int input[SIGN_ROW_MOST];  // of b1; behind those, of b2. Terms that cancel each other have their place, too
    double weight[SIGN_ROW_MOST];
    double size;  // the caller's
} BondSignRow;

void bond_sign_row_make(BondNet* net, const BondGraph* graph, const BondTerm* terms, int count, kaiAllocator allocator,
                        BondSignRow* row);

// Adds a class with its weight, to a row that has been made so far.
void bond_sign_row_add(BondNet* net, const BondGraph* graph, int class, double weight, kaiAllocator allocator,
                       BondSignRow* row);

// Rows of a jump: the area of a sum, and by what an extensity changes, found by trying what each input makes of them.
typedef struct BondJumpRows
{
    const BondGraph* graph;
    BondAfter* after;  // its own
    double *b1, *dx;
    const double* none;  // zeros
} BondJumpRows;

BondJumpRows bond_jump_rows_create(BondNet* net, const BondGraph* graph, const double* none, Arena* arena);
// False: the set has values that are not unique.
bool bond_jump_rows_make(BondJumpRows* rows, const BondTerm* terms, int count, int port, BondSignRow* area,
                         BondSignRow* change);

// The sum for these inputs. False: one of them is no smaller than the largest seen, so that sizes do not bound it.
static inline bool bond_sign_row_sum(const BondSignRow* row, int inputs, const double* const* b,
                                     const double* const* most, double* sum)
{
    bool within = true;
    *sum = 0;
    for (int i = 0; i < row->count; i++)
    {
        int which = row->input[i] >= inputs, at = row->input[i] - (which ? inputs : 0);
        double value = b[which][at], size = value < 0 ? -value : value;
        *sum += row->weight[i] * value;
        within &= size <= (1 - BOND_ROW_WITHIN) * most[which][at];
    }
    return within;
}

#endif
