// Inside a variation: shared by its three files only.
#ifndef KAIROS_RUN_VARIATION_PARTS_H
#define KAIROS_RUN_VARIATION_PARTS_H

#include "run/variation.h"

// Rows of the sim that wait until the tangents have come to their time.
typedef struct RowBuffer
{
    char* at;
    size_t size, room, read;
    int columns;
} RowBuffer;

struct Variation
{
    const kaiModel* model;
    kaiAllocator allocator;
    uint32_t n, count, guards;  // states, directions
    kaiSim* sim;                // leads
    kaiEval* eval;              // its kernel stands where the tangents stand
    Ode* ode;                   // of states and tangents together
    OdeSystem system;
    int* variables;
    uint32_t* located;
    uint32_t located_count;
    char *block, *fresh;  // kernels: of the sim after the last instant; of the eval before any start
    size_t block_room, fresh_size;
    double* numbers;  // one block for what follows
    size_t number_count;
    double* D;                     // tangents of all registers, one direction after the other
    double* size;                  // per register: the largest it was
    double *nominal, *left, *sum;  // registers: after an instant, before it, a derivative in work
    double* dt;                    // of the last instant, per direction
    double* y;                     // states, then their tangents
    double* values;                // of the variables at the start
    double* steepest;              // per guard
    double* slopes;                // per state
    double t, since, shown_at;     // since: the instant before
    uint64_t tags, nominal_tags;   // of the instant that was run last; of the one that is differentiated
    uint64_t instants;             // of the sim, that have been gone through
    bool started, is_shown;
    VariationRow* row;
    void* user;
    RowBuffer rows;
};

double* variation_tangent(const Variation* v, uint32_t k);
// States and their tangents (y) at t into the registers.
void variation_load(Variation* v, double t, const double* y);

// variation_instant.c
kaiStatus variation_start_tangents(Variation* v, kaiError* error);
// The tangents at the left limit become those behind the instant, as of its own time.
kaiStatus variation_through(Variation* v, kaiError* error);
bool variation_had_instant(const Variation* v);

// variation_rows.c
kaiStatus variation_collect(void* variation, const kaiRow* row);
// The time of the next row that waits, if that lies ahead; inf: none does.
double variation_rows_next(const Variation* v);
// Rows up to now, but for those at `end`, if they belong to an instant.
kaiStatus variation_rows_until(Variation* v, double end);
// The first row of an instant (`left`), or all that are left.
kaiStatus variation_rows_instant(Variation* v, bool left);
void variation_rows_free(Variation* v);

#endif
