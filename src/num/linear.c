// LU factorisations of a I - J: dense, banded, and KLU through the part `sundials`. See linear.h.
//
// Dense and band are row-pivoted Gaussian elimination (Golub and Van Loan, 3.4 and 4.3). Each of them fails only on an
// exact zero pivot or a value that is not finite; near singularity shows as an iteration that does not converge.
#include "num/linear.h"

#include "num/sundials.h"

struct Linear
{
    LinearKind kind;
    int n;
    const int *column_start, *row_index;  // of J, or NULL
    double* lu;  // dense: column by column; band: LAPACK's band storage; sparse: values of a I - J
    int* pivot;
    int lower, upper, rows;     // band: below and above the diagonal; height of the storage
    int *start, *row, *source;  // sparse: pattern of a I - J; entry of J behind each, or -1
    double diagonal;            // sparse: a, of the last factorisation
    const SparseTable* table;   // sparse: the part
    Sparse* sparse;
    bool anew;  // sparse: choose pivots anew
    kaiAllocator allocator;
    size_t size;
};

// ------------------------------------------------------------------------------------------------------------- choice

static void band_of(int n, const int* column_start, const int* row_index, int* lower, int* upper)
{
    *lower = *upper = 0;
    for (int j = 0; j < n; j++)
    {
        for (int p = column_start[j]; p < column_start[j + 1]; p++)
        {
            int below = row_index[p] - j;
            *lower = below > *lower ? below : *lower;
            *upper = -below > *upper ? -below : *upper;
        }
    }
}

// Nanoseconds of one factorisation and six solutions (a step of Rodas4), fitted to measurements on ladders, stars and
// random patterns of five entries a row with 4 to 200 unknowns (gcc -O2): right to 30 %, which is enough, since the
// curves cross steeply. KLU's cost depends on fill-in, which is not known beforehand; 40 ns an entry allows for some.
static LinearKind choose(int n, const int* column_start, const int* row_index, bool has_sparse)
{
    if (!column_start || n < 4)
    {
        return LINEAR_DENSE;
    }
    int l, u;
    band_of(n, column_start, row_index, &l, &u);
    double size = n, lower = l, upper = u;
    double dense = 0.7 * (size * size * size / 3 + 6 * size * size) + 60 * size;
    double band = size * (100 + 0.7 * (lower * (lower + upper) + 6 * (2 * lower + upper)));
    double sparse = has_sparse ? 40.0 * column_start[n] : INFINITY;
    if (dense <= band && dense <= sparse)
    {
        return LINEAR_DENSE;
    }
    return band <= sparse ? LINEAR_BAND : LINEAR_SPARSE;
}

LinearKind linear_choose(int n, const int* column_start, const int* row_index)
{
    return choose(n, column_start, row_index, true);
}

const char* linear_trouble(int n, const int* column_start, const int* row_index)
{
    const char* trouble = NULL;
    bool sparse = linear_choose(n, column_start, row_index) == LINEAR_SPARSE;
    return sparse && n > LINEAR_MOST_WITHOUT_SPARSE && !sundials_load(&trouble) ? trouble : NULL;
}

LinearKind linear_kind(const Linear* linear)
{
    return linear->kind;
}

// ------------------------------------------------------------------------------------------------------------- create

// Pattern of a I - J: that of J with the whole diagonal. Returns the number of entries; arrays may be NULL to count.
static int add_diagonal(int n, const int* column_start, const int* row_index, int* start, int* row, int* source)
{
    int count = 0;
    for (int j = 0; j < n; j++)
    {
        bool diagonal = false;
        int p = column_start[j], end = column_start[j + 1];
        if (start)
        {
            start[j] = count;
        }
        while (p < end || !diagonal)
        {
            bool missing = !diagonal && (p == end || row_index[p] > j);
            int r = missing ? j : row_index[p];
            if (row)
            {
                row[count] = r;
                source[count] = missing ? -1 : p;
            }
            diagonal = diagonal || r == j;
            p += missing ? 0 : 1;
            count++;
        }
    }
    if (start)
    {
        start[n] = count;
    }
    return count;
}

static void size_of_kind(Linear* head, size_t* doubles, size_t* ints)
{
    size_t n = (size_t)head->n;
    *ints = n;
    if (head->kind == LINEAR_DENSE)
    {
        *doubles = n * n;
    }
    else if (head->kind == LINEAR_BAND)
    {
        band_of(head->n, head->column_start, head->row_index, &head->lower, &head->upper);
        head->rows = 2 * head->lower + head->upper + 1;
        *doubles = n * (size_t)head->rows;
    }
    else
    {
        size_t entries = (size_t)add_diagonal(head->n, head->column_start, head->row_index, NULL, NULL, NULL);
        *doubles = entries;
        *ints = n + 1 + 2 * entries;
    }
}

static int create_sparse(Linear* linear, size_t entries)
{
    linear->start = linear->pivot;
    linear->row = linear->start + linear->n + 1;
    linear->source = linear->row + entries;
    add_diagonal(linear->n, linear->column_start, linear->row_index, linear->start, linear->row, linear->source);
    linear->sparse = linear->table->create(linear->n, linear->start, linear->row, linear->allocator);
    linear->anew = true;
    return linear->sparse ? 0 : -1;
}

// Without the part a system of moderate size is stored as a full matrix or a band: slower, the same answer.
static bool find_sparse(Linear* head)
{
    const char* trouble;
    const SundialsPart* part = head->kind == LINEAR_SPARSE ? sundials_load(&trouble) : NULL;
    if (head->kind != LINEAR_SPARSE || part)
    {
        head->table = part ? part->sparse : NULL;
        return true;
    }
    head->kind = choose(head->n, head->column_start, head->row_index, false);
    return head->n <= LINEAR_MOST_WITHOUT_SPARSE;
}

Linear* linear_create(int n, const int* column_start, const int* row_index, kaiAllocator allocator)
{
    Linear head = {.kind = linear_choose(n, column_start, row_index),
                   .n = n,
                   .column_start = column_start,
                   .row_index = row_index,
                   .allocator = allocator};
    if (!find_sparse(&head))
    {
        return NULL;
    }
    size_t doubles, ints;
    size_of_kind(&head, &doubles, &ints);
    head.size = sizeof(Linear) + doubles * sizeof(double) + ints * sizeof(int);
    Linear* linear = allocator.alloc(allocator.user, NULL, 0, head.size);
    if (!linear)
    {
        return NULL;
    }
    memset(linear, 0, head.size);
    *linear = head;
    linear->lu = (double*)(linear + 1);
    linear->pivot = (int*)(linear->lu + doubles);
    if (linear->kind == LINEAR_SPARSE && create_sparse(linear, doubles) != 0)
    {
        linear_destroy(linear);
        return NULL;
    }
    return linear;
}

void linear_destroy(Linear* linear)
{
    if (!linear)
    {
        return;
    }
    if (linear->sparse)
    {
        linear->table->destroy(linear->sparse);
    }
    linear->allocator.alloc(linear->allocator.user, linear, linear->size, 0);
}

void linear_forget(Linear* linear)
{
    linear->anew = true;
}

// -------------------------------------------------------------------------------------------------------------- dense

static void fill_dense(Linear* linear, double a, const double* values)
{
    size_t n = (size_t)linear->n;
    if (!linear->column_start)
    {
        for (size_t i = 0; i < n * n; i++)
        {
            linear->lu[i] = -values[i];
        }
    }
    else
    {
        memset(linear->lu, 0, n * n * sizeof(double));
        for (int j = 0; j < linear->n; j++)
        {
            for (int p = linear->column_start[j]; p < linear->column_start[j + 1]; p++)
            {
                linear->lu[(size_t)j * n + (size_t)linear->row_index[p]] = -values[p];
            }
        }
    }
    for (size_t i = 0; i < n; i++)
    {
        linear->lu[i * n + i] += a;
    }
}

static int find_pivot(const double* column, int from, int end)
{
    int best = from;
    double size = fabs(column[from]);
    for (int i = from + 1; i < end; i++)
    {
        if (fabs(column[i]) > size)
        {
            size = fabs(column[i]);
            best = i;
        }
    }
    return best;
}

static void swap(double* v, int i, int k)
{
    double kept = v[i];
    v[i] = v[k];
    v[k] = kept;
}

// Left-looking by columns would touch less; right-looking keeps the inner loop along a column, which vectorises.
static int factor_dense(Linear* linear)
{
    const int n = linear->n;
    for (int k = 0; k < n; k++)
    {
        double* restrict column = linear->lu + (size_t)k * (size_t)n;
        int p = find_pivot(column, k, n);
        linear->pivot[k] = p;
        if (!(fabs(column[p]) > 0 && isfinite(column[p])))
        {
            return 1;
        }
        swap(column, k, p);
        double per = 1 / column[k];
        column[k] = per;  // solutions multiply: a division has four times the latency
        for (int i = k + 1; i < n; i++)
        {
            column[i] *= per;
        }
        for (int j = k + 1; j < n; j++)
        {
            double* restrict other = linear->lu + (size_t)j * (size_t)n;
            swap(other, k, p);
            double factor = other[k];
            for (int i = k + 1; i < n; i++)
            {
                other[i] -= column[i] * factor;
            }
        }
    }
    return 0;
}

static void solve_dense(const Linear* linear, double* restrict b)
{
    const int n = linear->n;
    for (int k = 0; k < n; k++)
    {
        const double* restrict column = linear->lu + (size_t)k * (size_t)n;
        swap(b, k, linear->pivot[k]);  // one by one: later exchanges did not move the rows of earlier columns
        for (int i = k + 1; i < n; i++)
        {
            b[i] -= column[i] * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--)
    {
        const double* restrict column = linear->lu + (size_t)k * (size_t)n;
        b[k] *= column[k];
        for (int i = 0; i < k; i++)
        {
            b[i] -= column[i] * b[k];
        }
    }
}

// --------------------------------------------------------------------------------------------------------------- band

// Element (i, j) of the band: column j holds rows j - upper - lower ... j + lower; the first `lower` are for what
// pivoting fills in. Diagonal at row `lower + upper` of the column.
static double* band_column(const Linear* linear, int j)
{
    return linear->lu + (size_t)j * (size_t)linear->rows + (linear->lower + linear->upper);
}

static void fill_band(Linear* linear, double a, const double* values)
{
    memset(linear->lu, 0, (size_t)linear->n * (size_t)linear->rows * sizeof(double));
    for (int j = 0; j < linear->n; j++)
    {
        double* diagonal = band_column(linear, j);
        for (int p = linear->column_start[j]; p < linear->column_start[j + 1]; p++)
        {
            diagonal[linear->row_index[p] - j] = -values[p];
        }
        diagonal[0] += a;
    }
}

static int factor_band(Linear* linear)
{
    const int n = linear->n;
    for (int k = 0; k < n; k++)
    {
        int below = n - 1 - k < linear->lower ? n - 1 - k : linear->lower;
        int right = n - 1 - k < linear->lower + linear->upper ? n - 1 - k : linear->lower + linear->upper;
        double* column = band_column(linear, k);
        int p = find_pivot(column, 0, below + 1);
        linear->pivot[k] = p;
        if (!(fabs(column[p]) > 0 && isfinite(column[p])))
        {
            return 1;
        }
        swap(column, 0, p);
        double per = 1 / column[0];
        column[0] = per;
        for (int i = 1; i <= below; i++)
        {
            column[i] *= per;
        }
        for (int j = 1; j <= right; j++)
        {
            double* other = band_column(linear, k + j) - j;  // other[i] is element (k + i, k + j)
            swap(other, 0, p);
            double factor = other[0];
            for (int i = 1; i <= below && factor != 0; i++)
            {
                other[i] -= column[i] * factor;
            }
        }
    }
    return 0;
}

// One diagonal on each side, the commonest band (chains, ladders, diffusion): no inner loops.
static void solve_tridiagonal(const Linear* linear, double* restrict b)
{
    const int n = linear->n, rows = linear->rows;
    for (int k = 0; k < n - 1; k++)
    {
        const double* column = band_column(linear, k);
        double top = b[k], next = b[k + 1];
        bool swapped = linear->pivot[k] != 0;
        b[k] = swapped ? next : top;
        b[k + 1] = (swapped ? top : next) - column[1] * b[k];
    }
    double one = 0, two = 0;  // the solution one and two rows below
    for (int k = n - 1; k >= 0; k--)
    {
        const double* column = band_column(linear, k);
        double above = k + 1 < n ? column[rows - 1] * one : 0;
        above += k + 2 < n ? column[2 * rows - 2] * two : 0;
        two = one;
        one = (b[k] - above) * column[0];
        b[k] = one;
    }
}

static void solve_band(const Linear* linear, double* b)
{
    const int n = linear->n, above = linear->lower + linear->upper;
    for (int k = 0; k < n; k++)
    {
        const double* column = band_column(linear, k);
        int below = n - 1 - k < linear->lower ? n - 1 - k : linear->lower;
        swap(b, k, k + linear->pivot[k]);
        for (int i = 1; i <= below; i++)
        {
            b[k + i] -= column[i] * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--)
    {
        const double* column = band_column(linear, k);
        int up = k < above ? k : above;
        b[k] *= column[0];
        for (int i = 1; i <= up; i++)
        {
            b[k - i] -= column[-i] * b[k];
        }
    }
}

// ------------------------------------------------------------------------------------------------------------- sparse

static void fill_sparse(Linear* linear, double a, const double* values)
{
    for (int j = 0; j < linear->n; j++)
    {
        for (int p = linear->start[j]; p < linear->start[j + 1]; p++)
        {
            int source = linear->source[p];
            double value = source >= 0 ? -values[source] : 0;
            linear->lu[p] = linear->row[p] == j ? value + a : value;
        }
    }
}

static bool all_finite(const double* v, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
    {
        sum += 0 * v[i];
    }
    return sum == 0;
}

static int factor_sparse(Linear* linear)
{
    if (!all_finite(linear->lu, linear->start[linear->n]))
    {
        return 1;
    }
    bool anew = linear->anew;
    linear->anew = false;
    return linear->table->factor(linear->sparse, linear->lu, anew);
}

// ----------------------------------------------------------------------------------------------------------- dispatch

int linear_factor(Linear* linear, double a, const double* values)
{
    switch (linear->kind)
    {
    case LINEAR_DENSE: fill_dense(linear, a, values); return factor_dense(linear);
    case LINEAR_BAND: fill_band(linear, a, values); return factor_band(linear);
    default: fill_sparse(linear, a, values); return factor_sparse(linear);
    }
}

void linear_solve(Linear* linear, double* b)
{
    switch (linear->kind)
    {
    case LINEAR_DENSE: solve_dense(linear, b); break;
    case LINEAR_BAND:
        if (linear->lower == 1 && linear->upper == 1)
        {
            solve_tridiagonal(linear, b);
        }
        else
        {
            solve_band(linear, b);
        }
        break;
    default: linear->table->solve(linear->sparse, b);
    }
}
