// See budget.h. The coarse clock costs a few nanoseconds and is a few milliseconds behind, which is fine for a limit.
#include "base/budget.h"

#include <stdio.h>
#include <time.h>

static double budget_clock(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC_COARSE, &now) != 0)  // not every system has it
        clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void budget_init(Budget* budget, kaiAllocator outer, kaiLimits limits, const volatile int* interrupt)
{
    *budget = (Budget){.outer = outer, .limits = limits, .interrupt = interrupt};
    budget_begin(budget);
}

void budget_begin(Budget* budget)
{
    budget->end = BUDGET_LASTS;
    budget->noticed = NAN;
    budget->deadline = budget->limits.seconds > 0 ? budget_clock() + budget->limits.seconds : INFINITY;
}

void budget_lift(Budget* budget)
{
    budget->end = BUDGET_LASTS;
    budget->deadline = NAN;
}

static bool is_lifted(const Budget* budget)
{
    return isnan(budget->deadline);
}

static bool end_with(Budget* budget, BudgetEnd end)
{
    if (budget->end == BUDGET_LASTS)
        budget->end = end;
    return false;
}

static bool look_at_clock(Budget* budget)
{
    if (budget->deadline == INFINITY || is_lifted(budget) || budget_clock() < budget->deadline)
        return true;
    return end_with(budget, BUDGET_TIME);
}

bool budget_look_now(Budget* budget)
{
    if (budget_flag(budget->interrupt) && !is_lifted(budget))
        return end_with(budget, BUDGET_INTERRUPTED);
    return look_at_clock(budget);
}

bool budget_look_closer(Budget* budget)
{
    if (!budget_flag(budget->interrupt))
        return look_at_clock(budget);
    double now = budget_clock();
    if (isnan(budget->noticed))
        budget->noticed = now;
    return now < budget->noticed + budget->patience ? true : end_with(budget, BUDGET_INTERRUPTED);
}

static bool admits(Budget* budget, size_t size)
{
    size_t limit = budget->limits.memory;
    if (limit == 0 || is_lifted(budget) || (size <= limit && budget->used <= limit - size))
        return true;
    return end_with(budget, BUDGET_MEMORY);
}

static void* budget_alloc(void* user, void* block, size_t old_size, size_t size)
{
    Budget* budget = user;
    size_t held = block != NULL ? old_size : 0;
    if (size > held && (!admits(budget, size - held) || !budget_look_inside(budget)))
        return NULL;
    void* made = budget->outer.alloc(budget->outer.user, block, old_size, size);
    if (made != NULL || size == 0)
        budget->used = budget->used - held + size;
    return made;
}

kaiAllocator budget_allocator(Budget* budget)
{
    return (kaiAllocator){budget_alloc, budget};
}

bool budget_look_at(kaiAllocator allocator)
{
    return allocator.alloc != budget_alloc || budget_look(allocator.user);
}

kaiStatus budget_tell(const Budget* budget, const char* what, char* text, size_t size)
{
    switch (budget->end)
    {
    case BUDGET_TIME:
        snprintf(text, size, "%s takes more than %g s, the limit it was given", what, budget->limits.seconds);
        return KAI_ERR_LIMIT;
    case BUDGET_MEMORY:
        snprintf(text, size, "%s needs more than %.3g MB of memory, the limit it was given", what,
                 (double)budget->limits.memory / 1e6);
        return KAI_ERR_LIMIT;
    case BUDGET_INTERRUPTED: snprintf(text, size, "%s was interrupted", what); return KAI_INTERRUPTED;
    case BUDGET_LASTS: break;
    }
    snprintf(text, size, "out of memory");
    return KAI_ERR_MEMORY;
}
