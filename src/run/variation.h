// A run and its derivatives: how states, memories, signals and the times of instants move when parameters or start
// values do, along the run and through its instants.
//
// Everything that a run remembers is its registers. A tangent is a direction in them, one for each parameter. Between
// instants only states move, by the variational equation, whose coefficients are the exact derivatives of the model
// (vm/tangent.h). An instant is a map of the registers, taken along the surface of the guard that fired (the saltation
// matrix of Aizerman and Gantmakher 1958 is this for one reset): the tangent is carried to the time of the crossing,
// through the map, and back to the time of the instant. The map itself is differentiated by differences of order six of
// the instant as the kernel runs it, so that whatever an instant can do has a derivative, or is found to have none.
//
// A leading kaiSim decides what happens when; its rows are handed on, each with the tangents of its time.
#ifndef KAIROS_RUN_VARIATION_H
#define KAIROS_RUN_VARIATION_H

#include "num/ode.h"
#include "run/eval.h"
#include "run/sim.h"

typedef struct Variation Variation;

// A row of the run. `known`: the tangents of its tag can be asked for (variation_of); at an instant with several tags
// they are at the first and the last. `instant`: it belongs to one, whose time moves by variation_time.
typedef kaiStatus VariationRow(void* user, Variation* variation, const kaiRow* row, bool known, bool instant);

typedef struct VariationOptions
{
    const kaiSimOptions* sim;  // row and row_user are not used
    const int* variables;      // whose values move: parameters, start values of states and discretes
    int count;
    VariationRow* row;  // NULL: none are wanted
    void* user;
} VariationOptions;

// NULL: *error says why.
Variation* variation_create(const kaiModel* model, const VariationOptions* options, kaiError* error);
void variation_free(Variation* variation);
// Before the start.
kaiStatus variation_set(Variation* variation, int variable, double value);
// To the end of the next instant (KAI_INSTANT; the first is the start), to `until` (KAI_OK) or to the end of the run
// (KAI_END). KAI_ERR_RUN: the run failed, or its derivatives do not exist; *error says which.
kaiStatus variation_step(Variation* variation, double until, kaiError* error);

// Where it stands, after the last instant or step: states in SI units.
double variation_now(const Variation* variation);
const double* variation_states(const Variation* variation);
const double* variation_slopes(Variation* variation);                      // f there; NULL: it cannot be evaluated
double variation_state(const Variation* variation, int state, int index);  // d x_state / d variable
// In the units of the declarations: d t / d variable of the last instant.
double variation_time(const Variation* variation, int index);
// d variable / d (variable `index`): of a real signal where the tangents are known. NaN: it has none.
double variation_of(Variation* variation, int variable, int index);
kaiSim* variation_sim(Variation* variation);
// d variable / d (variable `index`) in SI units as the declared units have it.
double variation_shown(const Variation* variation, int variable, int index, double derivative);
// After the start: the value that variable `index` has.
double variation_value(const Variation* variation, int index);

#endif
