// Distributions that a parameter can have: their names, how many numbers they take, and which of them is the value of a
// run that draws nothing. The parser, the compiler and studies share the list.
#ifndef KAIROS_BASE_SPREAD_H
#define KAIROS_BASE_SPREAD_H

// Name, word, numbers, the number (from 1) that is the value without a draw; 0: the middle of the first two.
#define SPREADS(X)                                                                                                     \
    X(NORMAL, "normal", 2, 1)           /* mean, standard deviation */                                                 \
    X(UNIFORM, "uniform", 2, 0)         /* lowest, highest */                                                          \
    X(LOGNORMAL, "lognormal", 2, 1)     /* median, standard deviation of the logarithm */                              \
    X(TRIANGULAR, "triangular", 3, 2)   /* lowest, most likely, highest */                                             \
    X(EXPONENTIAL, "exponential", 1, 1) /* rate, as in a draw; kept is 1/rate, the mean */

typedef enum SpreadKind
{
#define X(name, word, count, nominal) SPREAD_##name,
    SPREADS(X)
#undef X
        SPREAD_KINDS
} SpreadKind;

typedef struct SpreadRule
{
    const char* word;
    unsigned count, nominal;
} SpreadRule;

static inline SpreadRule spread_rule(SpreadKind kind)
{
    static const SpreadRule rules[] = {
#define X(name, word, count, nominal) {word, count, nominal},
        SPREADS(X)
#undef X
    };
    return rules[kind];
}

#endif
