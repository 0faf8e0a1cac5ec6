// What the files of an instance share and the functions of the standard do not see.
#ifndef KAIROS_FMU_UNIT_INSIDE_H
#define KAIROS_FMU_UNIT_INSIDE_H

#include "fmu/unit.h"

bool unit_make_run(Unit* unit);    // the run before its start, anew
bool unit_run_failed(Unit* unit);  // says what the run says; false
bool unit_give_inputs(Unit* unit);
bool unit_begin_instant(Unit* unit);
bool unit_one_tag(Unit* unit, bool* more);
bool unit_keep_before(Unit* unit);                             // the state before an instant
bool unit_keep_done(Unit* unit, int reference, double value);  // and what was done in it

#endif
