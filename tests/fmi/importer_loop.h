// What the loops of the importer share: an instance that moves, by whatever method.
#ifndef KAIROS_TESTS_FMI_IMPORTER_LOOP_H
#define KAIROS_TESTS_FMI_IMPORTER_LOOP_H

#include "importer.h"

typedef struct Loop
{
    const Call* call;
    const Description* d;
    const Port* p;
    double t, *x, *z, *work;
    int states, indicators, instants, rounds;
    Events events;
    unsigned random;
    bool saved;
} Loop;

void loop_rates(Loop* m, double t, const double* x, double* dx);
void loop_watch(Loop* m, double t, const double* x, double* z);
void loop_iterate(Loop* m);           // event mode until nothing changes, and back
void loop_save_and_restore(Loop* m);  // if that is its style

// importer_cvode.c: Model Exchange by CVODE with its own search for roots.
void exchange_cvode(Loop* m);

// importer_depends.c: in continuous-time mode, whether unknowns stay where they are when something else moves than what
// the description says they depend on, and move in proportion where it says so. Prints what is not so.
void check_dependencies(Loop* m);

#endif
