// See design.h.
#include "study/design.h"

#include <math.h>

// ---- numbers that depend on their number alone

// The finaliser of splitmix64 (Steele, Lea and Flood 2014).
static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t bits_of(uint64_t seed, uint64_t run, uint64_t factor)
{
    return mix(mix(mix(seed) ^ run) ^ mix(factor ^ 0x51ed270b7a3c1dafu));
}

// The middle of one of 2⁵³ cells: neither 0 nor 1.
static double unit(uint64_t bits)
{
    return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

double design_draw(uint64_t seed, uint64_t run, uint64_t factor)
{
    return unit(bits_of(seed, run, factor));
}

uint64_t design_seed(uint64_t seed, uint64_t run)
{
    return bits_of(seed, run, UINT64_MAX) >> 12;  // no factor has this number
}

// A Feistel network over the smallest even number of bits that holds `count`, walked until it lands below.
uint64_t design_slice(uint64_t seed, uint64_t run, uint64_t count, uint64_t factor)
{
    enum
    {
        ROUNDS = 6
    };
    unsigned half = 1;
    while (half < 31 && (1ull << (2 * half)) < count)
        half++;
    uint64_t mask = (1ull << half) - 1, at = run;
    do
    {
        uint64_t left = at >> half, right = at & mask;
        for (uint64_t i = 0; i < ROUNDS; i++)
        {
            uint64_t next = left ^ (bits_of(seed ^ (i << 56), right, factor + 1000003) & mask);
            left = right;
            right = next;
        }
        at = left << half | right;
    } while (at >= count);
    return at;
}

// ---- Sobol

// Joe and Kuo, new-joe-kuo-6: degree, coefficients and first direction numbers of dimensions 2 to 16.
typedef struct SobolRow
{
    unsigned degree, coefficients, first[6];
} SobolRow;

static const SobolRow sobol_rows[SOBOL_MOST - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
};

enum
{
    SOBOL_BITS = 52
};

// Direction number k (from 0) as a fraction of 2^SOBOL_BITS.
static void directions(uint64_t factor, uint64_t* v)
{
    if (factor == 0)
    {
        for (unsigned k = 0; k < SOBOL_BITS; k++)
            v[k] = 1ull << (SOBOL_BITS - 1 - k);
        return;
    }
    const SobolRow* row = &sobol_rows[factor - 1];
    unsigned s = row->degree;
    for (unsigned k = 0; k < SOBOL_BITS; k++)
    {
        if (k < s)
        {
            v[k] = (uint64_t)row->first[k] << (SOBOL_BITS - 1 - k);
            continue;
        }
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (unsigned i = 1; i < s; i++)
            if ((row->coefficients >> (s - 1 - i) & 1) != 0)
                v[k] ^= v[k - i];
    }
}

double design_sobol(uint64_t seed, uint64_t run, uint64_t factor)
{
    uint64_t v[SOBOL_BITS], x = bits_of(seed, 0, factor) >> (64 - SOBOL_BITS), gray = run ^ (run >> 1);
    directions(factor, v);
    for (unsigned k = 0; k < SOBOL_BITS && gray >> k != 0; k++)
        if ((gray >> k & 1) != 0)
            x ^= v[k];
    return ((double)x + 0.5) / (double)(1ull << SOBOL_BITS);
}

// ---- distributions

static double ratio(const double* a, const double* b, double x)
{
    double above = a[7], below = b[7];
    for (int i = 6; i >= 0; i--)
    {
        above = above * x + a[i];
        below = below * x + b[i];
    }
    return above / below;
}

// The normal distribution: Wichura 1988, algorithm AS 241, 1e-16.
static double normal_quantile(double p)
{
    static const double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                               1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                               3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[] = {1,
                               4.2313330701600911252e+1,
                               6.8718700749205790830e+2,
                               5.3941960214247511077e+3,
                               2.1213794301586595867e+4,
                               3.9307895800092710610e+4,
                               2.8729085735721942674e+4,
                               5.2264952788528545610e+3};
    static const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                               3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                               2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[] = {1,
                               2.05319162663775882187e0,
                               1.67638483018380384940e0,
                               6.89767334985100004550e-1,
                               1.48103976427480074590e-1,
                               1.51986665636164571966e-2,
                               5.47593808499534494600e-4,
                               1.05075007164441684324e-9};
    static const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                               2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[] = {1,
                               5.99832206555887937690e-1,
                               1.36929880922735805310e-1,
                               1.48753612908506148525e-2,
                               7.86869131145613259100e-4,
                               1.84631831751005468180e-5,
                               1.42151175831644588870e-7,
                               2.04426310338993978564e-15};
    double q = p - 0.5;
    if (fabs(q) <= 0.425)
        return q * ratio(a, b, 0.180625 - q * q);
    double r = sqrt(-log(q < 0 ? p : 1 - p));
    double x = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
    return q < 0 ? -x : x;
}

static double triangular_quantile(double low, double likely, double high, double p)
{
    double width = high - low;
    if (width == 0)
        return low;
    double part = (likely - low) / width;
    return p < part ? low + sqrt(p * width * (likely - low)) : high - sqrt((1 - p) * width * (high - likely));
}

double design_quantile(kaiSpread kind, const double* v, double p)
{
    switch (kind)
    {
    case KAI_SPREAD_NORMAL: return v[0] + v[1] * normal_quantile(p);
    case KAI_SPREAD_UNIFORM: return v[0] + (v[1] - v[0]) * p;
    case KAI_SPREAD_LOGNORMAL: return v[0] * exp(v[1] * normal_quantile(p));
    case KAI_SPREAD_TRIANGULAR: return triangular_quantile(v[0], v[1], v[2], p);
    default: return -v[0] * log1p(-p);
    }
}
