// What `auto` needs of the solver block and of taylor, and these of it. Internal to src/num.
#ifndef KAIROS_NUM_CHOICE_H
#define KAIROS_NUM_CHOICE_H

#include "num/method.h"

// choice.c, for a block made with `auto`.
void choice_create(Ode* ode);  // the first method
void choice_destroy(Ode* ode);
void choice_restart(Ode* ode, bool fresh);  // the state or the field has changed
int choice_evaluate(Ode* ode);              // f there, with another method if this one cannot
int choice_step(Ode* ode, double limit);
void choice_flown(Ode* ode);  // taylor has taken a step that its terms did not limit
int choice_load(Ode* ode);    // a snapshot has been restored

// methods.c: NULL if it is of a part that is not there, as *trouble says.
const OdeMethodTable* method_table(OdeMethod method, const char** trouble);

// ode.c: what the method in use has not got yet; f where the solver stands; a step of the method in use.
int ode_create_parts(Ode* ode);
int ode_evaluate_start(Ode* ode);
int ode_method_step(Ode* ode, double limit);

// taylor.c
bool taylor_offer(Ode* ode, double limit, double* h, double* work);
double taylor_work(int order);  // in evaluations of f

#endif
