// Energy of bond graphs across jumps, power between instants (decision 0032).
#ifndef KAIROS_WATCH_BALANCE_H
#define KAIROS_WATCH_BALANCE_H

#include "kernel/kernel.h"

typedef struct Balance
{
    const kaiModel* model;
    Kernel* kernel;
    kaiJump jump;         // of the last instant
    double energy_scale;  // the most that a bond graph had stored at an instant
} Balance;

void balance_begin(Balance* balance);   // an instant
void balance_before(Balance* balance);  // before the junctions switch
kaiStatus balance_jump(Balance* balance);
kaiStatus balance_check(Balance* balance, bool instant);  // at a time that was reached, if the options ask for it

#endif
