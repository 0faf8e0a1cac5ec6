// The points of a sweep: every combination of the swept values. The first sweep written varies slowest.
#ifndef KAIROS_CLI_SWEEP_H
#define KAIROS_CLI_SWEEP_H

#include "kairos/kairos.h"

enum
{
    SWEEP_MAX = 32  // dimensions
};

typedef struct SweepDimension
{
    const char* name;
    const double* values;
    int count;
    bool structural;  // the model must be compiled anew for each value
    double pinned;    // the one value that --set gave it
} SweepDimension;

typedef struct Sweep
{
    kaiProgram* program;
    const kaiCompileOptions* load;
    const kaiModel* model;  // with the values as written
    SweepDimension dimensions[SWEEP_MAX];
    int dimension_count;
    bool structural;  // any of them
    int64_t points;
    int64_t variants;  // how many models: the combinations of the structural values
} Sweep;

// NULL, or why these are not points that can be run. Keeps pointers to all three; must not be copied.
const char* sweep_plan(Sweep* sweep, const kaiModel* model, kaiProgram* program, const kaiCompileOptions* load);

void sweep_values(const Sweep* sweep, int64_t point, double values[SWEEP_MAX]);
// "a = 1, n = 3"
void sweep_describe(const Sweep* sweep, int64_t point, char* text, size_t size);

// The model of a point. Points that share their structural values share it.
typedef struct SweepVariant
{
    const kaiModel* model;  // NULL: none yet
    kaiModel* own;          // compiled for this variant
    int64_t index;
    kaiProgram* program;  // the one to ask: a program serves one thread. NULL: the sweep's
} SweepVariant;

int64_t sweep_variant_of(const Sweep* sweep, int64_t point);
// Some point of this variant.
int64_t sweep_point_of(const Sweep* sweep, int64_t variant);
// Makes `variant` the one of the point, compiling only if it is not yet. On failure the messages of its program say
// why.
kaiStatus sweep_model(const Sweep* sweep, int64_t point, SweepVariant* variant);
// The program that was asked.
kaiProgram* sweep_program(const Sweep* sweep, const SweepVariant* variant);
void sweep_variant_free(SweepVariant* variant);
// Gives a fresh sim of the variant's model the other values of the point.
kaiStatus sweep_set(const Sweep* sweep, int64_t point, const SweepVariant* variant, kaiSim* sim);

#endif
