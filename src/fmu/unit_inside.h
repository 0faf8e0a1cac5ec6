// What the files of an instance share and the functions of the standard do not see.
#ifndef KAIROS_FMU_UNIT_INSIDE_H
#define KAIROS_FMU_UNIT_INSIDE_H

#include "fmu/unit.h"

// unit_structure.c: what value references are about, and room for the values.
void unit_take_model(Unit* unit);
// The model with these structural parameters, compiled if it is not there yet; the unit's to free. NULL: why not.
kaiModel* unit_model(Unit* unit, const kaiOverride* structure, int count, char* why, size_t size);
// Structural parameters as a list of kaiOverride, and the model of such a list.
typedef VEC(kaiOverride) OverrideList;
void unit_structure(Unit* unit, OverrideList* list);
bool unit_restructure(Unit* unit, const kaiOverride* list, int count);
double unit_to_si(const Unit* unit, int variable, double value);
double unit_from_si(const Unit* unit, int variable, double value);
bool unit_make_run(Unit* unit);      // the run before its start, anew
bool unit_run_failed(Unit* unit);    // says what the run says; false
void unit_stands(Unit* unit);        // the run stands where the unit does
void unit_clear_inputs(Unit* unit);  // nothing was set
bool unit_give_inputs(Unit* unit);   // Co-Simulation: what was set goes to the run
bool unit_post_events(Unit* unit);   // Model Exchange: events that were set
bool unit_begin_instant(Unit* unit);
bool unit_one_tag(Unit* unit, bool* more);
bool unit_keep_before(Unit* unit);                             // the state before an instant
bool unit_keep_done(Unit* unit, int reference, double value);  // and what was done in it

#endif
