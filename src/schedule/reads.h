// What a value depends on between instants, looking through signals.
#ifndef KAIROS_SCHEDULE_READS_H
#define KAIROS_SCHEDULE_READS_H

#include "lower/compiler.h"

enum
{
    READS_TIME = 1,
    READS_CONTINUOUS = 2
};

typedef struct Reads
{
    uint32_t mask;   // READS_…
    uint32_t tasks;  // how many it looks through
    bool slopes;     // the derivative of a state is among it
    VEC(uint32_t) states;
} Reads;

Reads what_it_reads(Compiler* c, ScalarId root);
// The same, through the derivatives of states to what these are made of.
Reads what_its_rates_read(Compiler* c, ScalarId root);
// Whether a value changes between instants.
bool reads_continuous(Compiler* c, ScalarId value);

#endif
