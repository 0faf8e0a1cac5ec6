// What guard.c and crossing.c share: signs, directions, sides of a level.
#ifndef KAIROS_KERNEL_GUARD_H
#define KAIROS_KERNEL_GUARD_H

#include "kernel/kernel.h"

static inline int sign_of(double g)
{
    return (g > 0) - (g < 0);
}

static inline bool is_crossing(const Guard* guard)
{
    return guard->kind == GUARD_UP || guard->kind == GUARD_DOWN || guard->kind == GUARD_CROSS;
}

static inline int8_t direction(const Kernel* kernel, const Guard* guard)
{
    switch (guard->kind)
    {
    case GUARD_LESS:
    case GUARD_LESS_EQUAL: return kernel->R[guard->latch] != 0 ? 1 : -1;
    case GUARD_UP:
    case GUARD_FLOOR_UP: return 1;
    case GUARD_DOWN:
    case GUARD_FLOOR_DOWN: return -1;
    default: return (int8_t)(kernel->R[guard->side] > 0 ? -1 : 1);
    }
}

// g as the search sees it.
static inline double guard_value(const Kernel* kernel, const Guard* guard)
{
    return kernel->R[guard->g] + kernel->guards[guard - kernel->model->guards].bias;
}

// Whether g lies where the guard has crossed, given what it remembers.
static inline bool is_past(const Kernel* kernel, const Guard* guard, double g)
{
    switch (guard->kind)
    {
    case GUARD_LESS: return (g < 0) != (kernel->R[guard->latch] != 0);
    case GUARD_LESS_EQUAL: return (g <= 0) != (kernel->R[guard->latch] != 0);
    case GUARD_FLOOR_UP: return g >= 0;
    case GUARD_FLOOR_DOWN: return g < 0;
    case GUARD_UP: return g > 0 && kernel->R[guard->side] <= 0;
    case GUARD_DOWN: return g < 0 && kernel->R[guard->side] >= 0;
    default: return g * kernel->R[guard->side] < 0;
    }
}

// The watched guards that read an island: for (GuardWalk w = {.island = …}; island_guard(kernel, &w);) … w.index …
typedef struct GuardWalk
{
    uint32_t island, at, index;
    ActiveWalk active;
} GuardWalk;

static inline bool island_guard(const Kernel* kernel, GuardWalk* w)
{
    const kaiModel* model = kernel->model;
    const IndexRange range = model->islands[w->island].guards;
    if (model->fused)  // all guards: those of modes that are not active must cost nothing
    {
        while (active_guard(kernel, &w->active))
            if (kernel->guards[w->index = w->active.index].active)
                return true;
        return false;
    }
    while (w->at < range.count)
        if (kernel->guards[w->index = model->island_guards[range.first + w->at++]].active)
            return true;
    return false;
}

// Those that read no other island.
static inline bool own_guard(const Kernel* kernel, GuardWalk* w)
{
    while (island_guard(kernel, w))
        if (kernel->model->guards[w->index].islands.count == 1)
            return true;
    return false;
}

#endif
