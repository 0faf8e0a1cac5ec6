// KLU of SuiteSparse (Davis and Palamadai Natarajan 2010) behind SparseTable, and the entry of the part `sundials`. KLU
// fails only on an exact zero pivot; it takes its memory from malloc.
#include "base/tolerance.h"
#include "num/sundials.h"
#include "part_stamp.h"

#include <klu.h>

struct Sparse
{
    int n;
    int *start, *row;
    klu_common common;
    klu_symbolic* symbolic;
    klu_numeric* numeric;
    kaiAllocator allocator;
};

static void sparse_destroy(Sparse* s)
{
    if (s->numeric)
    {
        klu_free_numeric(&s->numeric, &s->common);
    }
    if (s->symbolic)
    {
        klu_free_symbolic(&s->symbolic, &s->common);
    }
    s->allocator.alloc(s->allocator.user, s, sizeof *s, 0);
}

static Sparse* sparse_create(int n, int* start, int* row, kaiAllocator allocator)
{
    Sparse* s = allocator.alloc(allocator.user, NULL, 0, sizeof *s);
    if (!s)
    {
        return NULL;
    }
    *s = (Sparse){.n = n, .start = start, .row = row, .allocator = allocator};
    klu_defaults(&s->common);
    s->symbolic = klu_analyze(n, start, row, &s->common);
    if (s->symbolic)
    {
        return s;
    }
    sparse_destroy(s);
    return NULL;
}

// Old pivots serve while they do not let the elements grow; klu_rgrowth costs less than choosing anew.
static bool refactor(Sparse* s, double* values)
{
    return klu_refactor(s->start, s->row, values, s->symbolic, s->numeric, &s->common) && s->common.status == KLU_OK &&
           klu_rgrowth(s->start, s->row, values, s->symbolic, s->numeric, &s->common) &&
           s->common.rgrowth > PIVOT_GROWTH;
}

static int sparse_factor(Sparse* s, double* values, bool anew)
{
    if (s->numeric && !anew && refactor(s, values))
    {
        return 0;
    }
    if (s->numeric)
    {
        klu_free_numeric(&s->numeric, &s->common);
    }
    s->numeric = klu_factor(s->start, s->row, values, s->symbolic, &s->common);
    return s->numeric && s->common.status == KLU_OK ? 0 : 1;
}

static void sparse_solve(Sparse* s, double* b)
{
    klu_solve(s->symbolic, s->numeric, s->n, 1, b, &s->common);
}

static const SparseTable sparse_table = {
    .create = sparse_create, .factor = sparse_factor, .solve = sparse_solve, .destroy = sparse_destroy};

static const SundialsPart part = {
    .head = {sizeof part, PART_STAMP}, .adams = &ode_cvode_adams, .bdf = &ode_cvode_bdf, .sparse = &sparse_table};

const PartHead* kairos_part(void)
{
    return &part.head;
}
