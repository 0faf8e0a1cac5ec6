// Roots of a scalar function in [0, 1], given the values at both ends with different signs (paper 004, appendix A).
// Knows no models: the function is a callback of the local variable of a step, never of absolute time.
#ifndef KAIROS_NUM_ROOT_H
#define KAIROS_NUM_ROOT_H

#include <stdbool.h>

#define ROOT_METHODS(X)                                                                                                \
    X(ITP, "itp", "interpolate, truncate, project: superlinear, never worse than bisection")                           \
    X(ILLINOIS, "illinois", "regula falsi that halves the weight of a stale end (appendix A.4)")                       \
    X(BISECTION, "bisection", "halving (appendix A.1)")                                                                \
    X(SECANT, "secant", "secant, kept inside the bracket by halving (appendix A.2)")                                   \
    X(REGULA_FALSI, "regula_falsi", "false position (appendix A.3)")                                                   \
    X(NEWTON, "newton",                                                                                                \
      "Newton's method with the slope of the guard, kept inside the bracket by halving (appendix A.2)")

typedef enum RootMethod
{
#define X(name, text, about) ROOT_##name,
    ROOT_METHODS(X)
#undef X
        ROOT_METHOD_COUNT
} RootMethod;

const char* root_method_name(RootMethod method);
int root_method_find(const char* name);

typedef double RootFn(void* ctx, double theta);

typedef struct RootResult
{
    double before, after;  // the bracket at the end: the function has its old sign at `before` and not at `after`
    double f_before, f_after;
    int evaluations;
    bool converged;  // after - before <= tolerance, or f_after == 0
} RootResult;

// f(lo) = f_lo and f(hi) = f_hi must have different signs (f_hi may be 0; f_lo may not). The bracket is shrunk until it
// is shorter than `tolerance`; the root counts as the after-side `after`, where the crossing has completed.
RootResult root_find(RootMethod method, RootFn* f, void* ctx, double lo, double f_lo, double hi, double f_hi,
                     double tolerance);
// The same with the derivative of f, which Newton's method asks for; without it, it takes the secant.
RootResult root_find_sloped(RootMethod method, RootFn* f, RootFn* slope, void* ctx, double lo, double f_lo, double hi,
                            double f_hi, double tolerance);

#endif
