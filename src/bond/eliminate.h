// Gauss-Jordan elimination on sparse rows, one column at a time in the order the caller wants.
//
// The rows of a bond graph hold ±1, ratios and resistances; most columns have two or three entries. Arithmetic is in
// quadruple precision, because resistances span 15 decades and a conductance of 1e-9 added to one of 1e6 must survive
// being separated again. An entry that cancels to less than `tolerance` of its two terms is exactly zero: this is how
// ranks are decided, without a scale.
#ifndef KAIROS_BOND_ELIMINATE_H
#define KAIROS_BOND_ELIMINATE_H

#include "base/arena.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if LDBL_MANT_DIG < 113 && defined(__SIZEOF_FLOAT128__)
typedef __float128 Quad;
#else
typedef long double Quad;
#endif

typedef struct SparseEntry
{
    Quad value;
    int column;
} SparseEntry;

typedef struct SparseRow
{
    VEC(SparseEntry) entries;  // by column, no zeros
    bool used;                 // holds a pivot
} SparseRow;

typedef struct Elimination
{
    Arena* arena;
    int columns;  // those that may be pivots; entries beyond them ride along
    double tolerance;
    VEC(SparseRow) rows;
    VEC(int) * rows_of;  // per column: rows that have, or had, an entry there
    int* pivot_row;      // per column, -1: none
    int* open;           // per column: entries of rows without a pivot, with some that are gone
    VEC(SparseEntry) scratch;
} Elimination;

void elimination_init(Elimination* e, Arena* arena, int columns, double tolerance);

// A new row from entries in any order, distinct columns; zeros are left out. Returns its index.
int elimination_add_row(Elimination* e, const SparseEntry* entries, int count);

Quad sparse_get(const SparseRow* row, int column);

// Comparisons are calls where quadruple precision is made of calls: what bits can tell is told by them.
#if LDBL_MANT_DIG < 113 && defined(__SIZEOF_FLOAT128__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define QUAD_BITS
#endif

static inline bool quad_is_zero(Quad value)
{
#ifdef QUAD_BITS
    uint64_t bits[2];
    memcpy(bits, &value, sizeof bits);
    return (bits[0] | bits[1] << 1) == 0;  // all but the sign
#else
    return value == 0;
#endif
}

static inline Quad quad_abs(Quad value)
{
#ifdef QUAD_BITS
    uint64_t bits[2];
    memcpy(bits, &value, sizeof bits);
    bits[1] &= UINT64_MAX >> 1;
    memcpy(&value, bits, sizeof bits);
    return value;
#else
    return value < 0 ? -value : value;
#endif
}

// Whether a sum is at least 1e-6 of its larger term, so that no tolerance takes it for 0; false: that is to be
// compared.
static inline bool quad_holds(Quad sum, Quad a, Quad b)
{
#ifdef QUAD_BITS
    uint64_t of_sum[2], of_a[2], of_b[2];
    memcpy(of_sum, &sum, sizeof of_sum);
    memcpy(of_a, &a, sizeof of_a);
    memcpy(of_b, &b, sizeof of_b);
    int mine = (int)(of_sum[1] >> 48 & 0x7fff), one = (int)(of_a[1] >> 48 & 0x7fff),
        two = (int)(of_b[1] >> 48 & 0x7fff);
    return mine + 18 >= (one > two ? one : two) && mine > 0;
#else
    return (void)sum, (void)a, (void)b, false;
#endif
}
Quad quad_add(Quad a, Quad b, double tolerance);

// row += factor * other
void sparse_add(Elimination* e, int row, Quad factor, const SparseRow* other);

// Makes `column` a unit column: of the unused rows with an entry of at least 1/100 of the largest, the shortest becomes
// its row. False if there is none: the column depends on those before it.
bool elimination_pivot(Elimination* e, int column);

// The same with the row given; it must have the entry.
void elimination_pivot_at(Elimination* e, int row, int column);

// Unused rows with an entry in `column`, or a few more: what a pivot there would touch.
static inline int elimination_candidates(const Elimination* e, int column)
{
    return e->open[column];
}

#endif
