// Levels that states are to be put onto, all at once: the guards, the states that they read, and how to get there. What
// is evaluated meanwhile are the derivatives of one island and its guards, with every relation latched as it is.
#ifndef KAIROS_KERNEL_LEVEL_H
#define KAIROS_KERNEL_LEVEL_H

#include "kernel/kernel.h"

enum
{
    LEVEL_STATES = 32,
    LEVEL_GUARDS = 96,
};

typedef struct Levels
{
    Kernel* kernel;
    uint32_t island, state_count, guard_count;
    uint32_t states[LEVEL_STATES], guards[LEVEL_GUARDS];
    double from[LEVEL_STATES];                  // the states, as level_keep found them
    double slopes[LEVEL_GUARDS][LEVEL_STATES];  // of the guards in the states
    uint32_t* beyond;                           // what the host had
} Levels;

void level_begin(Levels* l, Kernel* kernel, uint32_t island);
void level_end(Levels* l);
bool level_add(Levels* l, uint32_t guard);  // and its states; false: there is no room
bool level_has(const Levels* l, uint32_t guard);
int level_state(const Levels* l, uint32_t state);  // its place; -1: it is not read
static inline double* level_at(const Levels* l, uint32_t place)
{
    return &kernel_states(l->kernel)[l->states[place]];
}
double level_tolerance(Kernel* kernel, uint32_t state);  // the error that a step may make

// Derivatives and guards where the states are; one guard alone.
void level_look(const Levels* l);
double level_value(const Levels* l, uint32_t guard);
void level_read(const Levels* l, double* g, double* field);
double level_along(const Levels* l, uint32_t j, const double* direction);
double level_rate(const Levels* l, uint32_t j);
double level_difference(Levels* l);  // the rate of the first guard, without its derivative

void level_keep(Levels* l);
void level_restore(Levels* l);
// matrix · parts = g, as far as it can be: columns that are sums of others get 0.
void level_solve(const Levels* l, double (*matrix)[LEVEL_STATES], double* g, double* parts);
bool level_is_near_enough(const Levels* l);  // a few roundings
bool level_meet(Levels* l);                  // to the last bit; false: they cannot all be met

#endif
