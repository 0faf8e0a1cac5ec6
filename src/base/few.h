// A field of few states that is linear with constant factors, but for integrals of products that nothing reads: what
// one room finds in a program and another takes steps with.
#ifndef KAIROS_BASE_FEW_H
#define KAIROS_BASE_FEW_H

#include <stdbool.h>
#include <stdint.h>

enum
{
    FEW_STATES = 4,
    FEW_PRODUCTS = 4,
};

typedef struct FewProduct  // factor · state x · state y, a term of the derivative of `target`
{
    double factor;
    int x, y, target;
} FewProduct;

typedef struct FewField
{
    double columns[FEW_STATES][FEW_STATES];  // [j][i]: the factor of state j in the derivative of state i
    double rises[FEW_STATES];                // by which the derivatives grow with time, beside that
    bool rising;                             // one of them does
    uint32_t used_count, used[FEW_STATES];   // columns that have factors, then others
    uint32_t product_count;
    FewProduct products[FEW_PRODUCTS];
} FewField;

#endif
