// What joins two tables of a model: numbers that count within a machine, a graph or an island (LOCAL in tables.h),
// lists that have each element once, records that must belong to each other.
#ifndef KAIROS_MODEL_JOINTS_H
#define KAIROS_MODEL_JOINTS_H

#include "base/text.h"
#include "model/model.h"

// After the fields have been checked. False: `why` is a sentence, or empty if there is no memory.
bool joints_check(const kaiModel* model, Text* why);

// graphs.c: the bond graphs, likewise.
bool graphs_check(const kaiModel* model, Text* why);

#endif
