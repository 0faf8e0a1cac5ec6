// Two doubles at a time, which every machine of ours can: the operations of each are those of one alone.
#ifndef KAIROS_NUM_PAIR_H
#define KAIROS_NUM_PAIR_H

#include <stdint.h>
#include <string.h>

typedef double Pair __attribute__((vector_size(16)));
typedef int64_t PairBits __attribute__((vector_size(16)));

static inline Pair pair_at(const double* p)
{
    Pair v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void pair_put(double* p, Pair v)
{
    memcpy(p, &v, sizeof v);
}

static inline Pair pair_both(double v)
{
    return (Pair){v, v};
}

static inline Pair pair_size(Pair v)
{
    return (Pair)((PairBits)v & (PairBits){INT64_MAX, INT64_MAX});
}

#endif
