// Newton's method with step halving, for the few unknowns of an algebraic block or of a start: the one iteration behind
// `unknown`/`equation`, nonlinear laws of bond graphs and `initial`. Unknowns and residuals are registers of the
// caller.
#ifndef KAIROS_BASE_NEWTON_H
#define KAIROS_BASE_NEWTON_H

#include <stdbool.h>
#include <stdint.h>

enum
{
    NEWTON_UNKNOWNS = 64,  // at most: the matrix is dense
};

static const uint32_t NEWTON_LOST = 0xffffffffu;

typedef struct NewtonSystem
{
    uint32_t n;
    int rounds;  // at most; 0 = as many as it takes to leave an exponential behind
    double* R;
    const uint32_t *unknowns, *residuals;  // registers
    void* ctx;
    uint32_t (*evaluate)(void* ctx);  // the residuals at the unknowns; not 0: broken off
    uint32_t (*matrix)(void* ctx,
                       double* J);   // their derivatives there, by rows; not 0: broken off; NULL: by differences
    bool (*is_rounding)(void* ctx);  // the residuals are no more than their own rounding; NULL: nobody knows
} NewtonSystem;

// From where the unknowns are, until the step is within rounding; the system has then been evaluated with their last
// values. 0; NEWTON_LOST: the matrix is singular, or the residual cannot be made smaller though the step is not small;
// or what broke off.
uint32_t newton_solve(const NewtonSystem* system);
double newton_residual(const NewtonSystem* system);  // the largest; inf if one is no number

#endif
