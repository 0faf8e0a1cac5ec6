// See eigen.h.
#include "num/eigen.h"

#include "base/tolerance.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double complex Complex;

enum
{
    ROUNDS = 60  // of QR for one eigenvalue
};

// Rows and columns of about the same size, by powers of two, which round nothing.
static void balance(double* a, int n)
{
    for (bool again = true; again;)
    {
        again = false;
        for (int i = 0; i < n; i++)
        {
            double column = 0, row = 0, factor = 1;
            for (int j = 0; j < n; j++)
                if (j != i)
                {
                    column += fabs(a[j * n + i]);
                    row += fabs(a[i * n + j]);
                }
            if (column == 0 || row == 0)
                continue;
            double sum = column + row;
            for (; column < row / 2; column *= 4)
                factor *= 2;
            for (; column > row * 2; column /= 4)
                factor /= 2;
            if ((column + row) / factor >= 0.95 * sum)
                continue;
            again = true;
            for (int j = 0; j < n; j++)
                a[i * n + j] /= factor;
            for (int j = 0; j < n; j++)
                a[j * n + i] *= factor;
        }
    }
}

// a := (1 - 2 v v') a (1 - 2 v v'), where v lives in the rows from `first` on.
static void reflect(double* a, int n, int first, const double* v)
{
    for (int j = 0; j < n; j++)
    {
        double sum = 0;
        for (int i = first; i < n; i++)
            sum += v[i] * a[i * n + j];
        for (int i = first; i < n; i++)
            a[i * n + j] -= 2 * sum * v[i];
    }
    for (int i = 0; i < n; i++)
    {
        double sum = 0;
        for (int j = first; j < n; j++)
            sum += v[j] * a[i * n + j];
        for (int j = first; j < n; j++)
            a[i * n + j] -= 2 * sum * v[j];
    }
}

static void reduce(double* a, int n, double* v)
{
    for (int k = 0; k + 2 < n; k++)
    {
        double norm = 0, length = 0;
        for (int i = k + 1; i < n; i++)
            norm = hypot(norm, a[i * n + k]);
        if (norm == 0)
            continue;
        for (int i = k + 1; i < n; i++)
            v[i] = a[i * n + k];
        v[k + 1] += copysign(norm, v[k + 1]);
        for (int i = k + 1; i < n; i++)
            length = hypot(length, v[i]);
        for (int i = k + 1; i < n; i++)
            v[i] /= length;
        reflect(a, n, k + 1, v);
        for (int i = k + 2; i < n; i++)
            a[i * n + k] = 0;
    }
}

// The eigenvalue of the last 2 × 2 block that is nearer to its corner; now and then something else, against cycles.
static Complex shift_of(const Complex* h, int n, int last, int round)
{
    Complex a = h[(last - 1) * n + last - 1], b = h[(last - 1) * n + last], c = h[last * n + last - 1],
            d = h[last * n + last];
    if (round % 10 == 9)
        return d + cabs(c);
    Complex half = (a - d) / 2, root = csqrt(half * half + b * c);
    Complex one = (a + d) / 2 + root, two = (a + d) / 2 - root;
    return cabs(one - d) < cabs(two - d) ? one : two;
}

// One QR step of the block first … last: rotations from the left, then the same from the right.
static void step(Complex* h, int n, int first, int last, Complex shift, Complex* c, Complex* s)
{
    for (int i = first; i <= last; i++)
        h[i * n + i] -= shift;
    for (int k = first; k < last; k++)
    {
        Complex x = h[k * n + k], y = h[(k + 1) * n + k];
        double r = hypot(cabs(x), cabs(y));
        c[k] = r > 0 ? x / r : 1;
        s[k] = r > 0 ? y / r : 0;
        for (int j = k; j <= last; j++)
        {
            Complex p = h[k * n + j], q = h[(k + 1) * n + j];
            h[k * n + j] = conj(c[k]) * p + conj(s[k]) * q;
            h[(k + 1) * n + j] = c[k] * q - s[k] * p;
        }
    }
    for (int k = first; k < last; k++)
        for (int i = first; i <= (k + 1 < last ? k + 1 : last); i++)
        {
            Complex p = h[i * n + k], q = h[i * n + k + 1];
            h[i * n + k] = p * c[k] + q * s[k];
            h[i * n + k + 1] = q * conj(c[k]) - p * conj(s[k]);
        }
    for (int i = first; i <= last; i++)
        h[i * n + i] += shift;
}

static bool iterate(Complex* h, int n, double norm, Complex* c, Complex* s)
{
    for (int last = n - 1, round = 0; last > 0;)
    {
        int first = last;
        for (; first > 0; first--)
        {
            double size = cabs(h[first * n + first]) + cabs(h[(first - 1) * n + first - 1]);
            if (cabs(h[first * n + first - 1]) <= EIGEN_SMALL * (size > 0 ? size : norm))
                break;
        }
        if (first == last)
        {
            last--;
            round = 0;
            continue;
        }
        if (round++ == ROUNDS)
            return false;
        step(h, n, first, last, shift_of(h, n, last, round), c, s);
    }
    return true;
}

typedef struct Value
{
    double real, imaginary;
} Value;

static int by_real(const void* a, const void* b)
{
    const Value *x = a, *y = b;
    double slack = EIGEN_REAL * (fabs(x->real) + fabs(y->real) + fabs(x->imaginary) + fabs(y->imaginary));
    if (fabs(x->real - y->real) > slack)
        return x->real < y->real ? 1 : -1;
    return (x->imaginary < y->imaginary) - (x->imaginary > y->imaginary);
}

static void take(const Complex* h, int n, double norm, Value* values, double* real, double* imaginary)
{
    for (int i = 0; i < n; i++)
    {
        Complex z = h[i * n + i];
        values[i] = (Value){creal(z), fabs(cimag(z)) <= EIGEN_REAL * norm ? 0 : cimag(z)};
    }
    qsort(values, (size_t)n, sizeof *values, by_real);
    for (int i = 0; i < n; i++)
    {
        real[i] = values[i].real;
        imaginary[i] = values[i].imaginary;
    }
}

kaiStatus eigen_values(const double* a, int n, double* real, double* imaginary, kaiAllocator allocator)
{
    size_t square = (size_t)n * (size_t)n, row = (size_t)n;
    size_t size =
        square * (sizeof(double) + sizeof(Complex)) + row * (sizeof(double) + 2 * sizeof(Complex) + sizeof(Value));
    double norm = 0;
    for (size_t i = 0; i < square; i++)
        norm += a[i] * a[i];
    if (n == 0 || !isfinite(norm))
        return n == 0 ? KAI_OK : KAI_ERR_RUN;
    char* block = allocator.alloc(allocator.user, NULL, 0, size);
    if (block == NULL)
        return KAI_ERR_MEMORY;
    Complex *h = (Complex*)(void*)block, *c = h + square, *s = c + row;
    double *b = (double*)(void*)(s + row), *v = b + square;
    Value* values = (Value*)(void*)(v + row);
    memcpy(b, a, sizeof(double) * square);
    balance(b, n);
    reduce(b, n, v);
    for (size_t i = 0; i < square; i++)
        h[i] = b[i];
    norm = sqrt(norm);
    bool ended = iterate(h, n, norm, c, s);
    if (ended)
        take(h, n, norm, values, real, imaginary);
    allocator.alloc(allocator.user, block, size, 0);
    return ended ? KAI_OK : KAI_ERR_RUN;
}
