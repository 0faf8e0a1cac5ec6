// What one question to a program, or one run, may use: memory, time, and the patience of whoever can interrupt it.
// Every allocation of the library goes through a kaiAllocator, so a budget is one: it stands before the caller's,
// counts, and gives nothing once a limit is met. Whoever has no memory unwinds already; the budget knows why it was.
#ifndef KAIROS_BASE_BUDGET_H
#define KAIROS_BASE_BUDGET_H

#include "kairos/error.h"

#include <math.h>
#include <stdbool.h>

typedef enum BudgetEnd
{
    BUDGET_LASTS,
    BUDGET_MEMORY,
    BUDGET_TIME,
    BUDGET_INTERRUPTED,
} BudgetEnd;

typedef struct Budget
{
    kaiAllocator outer;
    kaiLimits limits;
    const volatile int* interrupt;  // NULL: nobody can
    size_t used;                    // bytes
    double deadline;                // on budget_clock; inf: none
    double patience;                // seconds that an interrupt waits for the end of a step
    double noticed;                 // when an interrupt was first seen in the middle of something; NaN: not yet
    BudgetEnd end;
} Budget;

void budget_init(Budget* budget, kaiAllocator outer, kaiLimits limits, const volatile int* interrupt);
// The allocator that counts. The budget must not move from here on.
kaiAllocator budget_allocator(Budget* budget);
// The time begins to count, anew; what ended is forgotten.
void budget_begin(Budget* budget);
// No limit holds any more: what says why it ended needs memory too. budget_begin sets them again.
void budget_lift(Budget* budget);

// The flag by which somebody else, a signal or another thread, asks for an end. Read in one piece; NULL: nobody can
// ask.
static inline bool budget_flag(const volatile int* interrupt)
{
    return interrupt != NULL && __atomic_load_n(interrupt, __ATOMIC_RELAXED) != 0;
}

// Between two steps of work: may it go on? NULL always may.
bool budget_look_now(Budget* budget);
static inline bool budget_look(Budget* budget)
{
    bool calm = budget == NULL || (budget->deadline == INFINITY && !budget_flag(budget->interrupt));
    return calm || budget_look_now(budget);
}
// The same in the middle of a step that would better come to its end: an interrupt waits for it, but not for long.
bool budget_look_closer(Budget* budget);
static inline bool budget_look_inside(Budget* budget)
{
    bool calm = budget == NULL || (budget->deadline == INFINITY && !budget_flag(budget->interrupt));
    return calm || budget_look_closer(budget);
}

// The same for whoever has only the allocator; one that is no budget always may.
bool budget_look_at(kaiAllocator allocator);

// The sentence for an end, and the status that goes with it: KAI_ERR_LIMIT, KAI_INTERRUPTED, or KAI_ERR_MEMORY if no
// limit was met. `what` is the subject: "the compilation", "the run".
kaiStatus budget_tell(const Budget* budget, const char* what, char* text, size_t size);

#endif
