// The points of a sweep: every combination of the swept values. The first sweep written varies slowest.
#ifndef KAIROS_STUDY_SWEEP_H
#define KAIROS_STUDY_SWEEP_H

#include "kairos/study.h"

enum
{
    SWEEP_MAX = 32,       // dimensions
    SWEEP_NAME_MAX = 200  // letters of the name of a lead column
};

typedef struct SweepDimension
{
    const char *name, *unit;  // unit: NULL if it has none
    const double* values;
    int count;
    bool structural;  // the model must be compiled anew for each value
    double pinned;    // the one value that an override gave it
} SweepDimension;

// The model of a point. Points that share their structural values share it.
typedef struct SweepVariant
{
    const kaiModel* model;  // NULL: none yet
    kaiModel* own;          // compiled for this variant
    int64_t index;
    kaiProgram* program;  // the one to ask: a program serves one thread. NULL: the sweep's
} SweepVariant;

struct kaiSweep
{
    kaiProgram* program;
    const kaiCompileOptions* load;
    const kaiModel* model;  // with the values as written
    SweepDimension dimensions[SWEEP_MAX];
    int dimension_count;
    bool structural;  // any of them
    int64_t points;
    int64_t variants;      // how many models: the combinations of the structural values
    SweepVariant current;  // of kaiSweep_Model
};

// Some point of this variant.
int64_t sweep_point_of(const kaiSweep* sweep, int64_t variant);
// Makes `variant` the one of the point, compiling only if it is not yet. On failure the messages of its program say
// why.
kaiStatus sweep_model(const kaiSweep* sweep, int64_t point, SweepVariant* variant);
// The program that was asked.
kaiProgram* sweep_program(const kaiSweep* sweep, const SweepVariant* variant);
void sweep_variant_free(SweepVariant* variant);
// choice = all: a run is explored, it has outcomes.
bool sweep_explores(const kaiSimOptions* options);

#endif
