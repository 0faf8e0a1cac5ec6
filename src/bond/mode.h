// The equations of a bond graph in one set of modes: flow between instants and jump at an instant, each one affine in
// the inputs. Rules B2, B4, B5. With the notation of B4 (M z = rows of all nodes, S the storages, K and W the null
// spaces of M):
//
//   flow   M z₁ = b₁                     M z₂ = S z₁ + b₂             the second resolves dependent storages
//   jump   M z₀ = b₀   M z₁ = S z₀ + b₁  M z₂ = S z₁ + b₂             z₀ areas, z₁ values after
//
// M, K and W do not depend on S nor on extensities: they are built once per set of modes. A mode is constant after
// bond_mode_create, but for bond_mode_storage; nothing but these two allocates or factors.
#ifndef KAIROS_BOND_MODE_H
#define KAIROS_BOND_MODE_H

#include "bond/graph.h"

typedef enum BondStatus
{
    BOND_OK,
    BOND_NOT_UNIQUE,  // the state is unique, the values of some bonds are not: split by equal leakage
    BOND_INCONSISTENT,  // sources, or their rates, contradict each other: areas are ±∞ along the loop; the set can only
                        // be mythical
    BOND_DELTA_PRIME,  // an impulse of a source meets a storage that depends on it, or another source: δ′
    BOND_SINGULAR,     // resistances cancel (negative r), or slopes of dependent storages do: no equations
} BondStatus;

typedef struct BondMode BondMode;

// `on` has switch_count entries, `storage` block_size. NULL if memory ran out. The graph must outlive the mode.
// `near`: NULL, or the result of bond_mode_near for `on`, from which most of the work is taken.
BondMode* bond_mode_create(const BondGraph* graph, const bool* on, const double* storage, const BondMode* near,
                           kaiAllocator allocator);
void bond_mode_destroy(BondMode* mode);

// The mode of `on` from one that differs by one switch. NULL if that is not possible: create it anew.
BondMode* bond_mode_switch(const BondMode* base, const bool* on, const double* storage, kaiAllocator allocator);

// A set is plain if no storage depends and everything is unique and no resistance can cancel others. The plain set that
// is nearest to `on` on the way from another one: `on` itself, or as many switches away as `on` has null vectors. NULL
// if memory ran out or digits would be lost.
bool bond_mode_plain(const BondMode* mode);
BondMode* bond_mode_near(const BondMode* plain, const bool* on, const double* storage, kaiAllocator allocator);

// The ON/OFF vector of a plain set near a mode that is not: a junction that leaks along each of its null vectors has
// switched. False if there is none along one of them: then no set is plain.
bool bond_mode_find_plain(const BondMode* mode, bool* on, kaiAllocator allocator);

// New slopes S (nonlinear storages): only the small matrix G = Wᵀ S K is factored again. BOND_OK or BOND_SINGULAR.
// No allocation. Modes whose slopes change cannot be shared between threads. Which storages count as dependent was
// decided by the slopes at creation: if they change by more than six decades, small flows lose digits; create anew
// then.
BondStatus bond_mode_storage(BondMode* mode, const double* storage);

BondStatus bond_mode_status(const BondMode* mode);  // before any input is known: OK, NOT_UNIQUE or SINGULAR
bool bond_mode_on(const BondMode* mode, int switch_index);
bool bond_mode_is(const BondMode* mode, const bool* on);
bool bond_mode_unique(const BondMode* mode, int unknown);  // of an entry of z
size_t bond_mode_size(const BondMode* mode);               // bytes

// -------------------------------------------------------------------------------------------------- dependent storages

// Ports of storages that depend on others or on sources (derivative causality): count, and for each its input row
// `port_input` with b[port_input] = Σ coefficient[i] b[input[i]] over the other inputs. The conserved combinations are
// the rest of the state.
typedef struct BondDependent
{
    int node, port, port_input;  // port: place in x
    int count;
    const int* input;
    const double* coefficient;
} BondDependent;

int bond_mode_dependents(const BondMode* mode);
BondDependent bond_mode_dependent(const BondMode* mode, int index);

// ---------------------------------------------------------------------------------------------------------------- flow

// Doubles that flow and jump need as scratch, for any mode of the graph.
size_t bond_work_size(const BondGraph* graph);

// z₁ from b₁ (sources, q/c, p/i, corrections) and b₂ (their derivatives with the extensities held, of storages
// too: what the derivative is more than S z; NULL = 0).
// BOND_INCONSISTENT if the sources contradict each other by more than 1e-9 of their size: z is then of no use.
BondStatus bond_mode_flow(const BondMode* mode, const double* b1, const double* b2, double* z, double* work);

// The same as rows: z[wanted[i]] = Σ over start[i] ≤ k < start[i + 1] of by_b1[k] b1[input[k]] + by_b2[k] b2[input[k]].
// Entries that are structurally zero are left out. needs_b2: some by_b2 is not zero: only then are derivatives asked
// for.
typedef struct BondMaps
{
    int row_count;
    int *start, *input;
    double *by_b1, *by_b2;
    bool needs_b2;
    kaiAllocator allocator;
    size_t size;
} BondMaps;

BondMaps* bond_mode_maps(const BondMode* mode, const int* wanted, int wanted_count, kaiAllocator allocator);
void bond_maps_destroy(BondMaps* maps);

// The derivative of an unknown in time as a row over all inputs of the graph, by_b1 and by_b2. False: it hangs on third
// derivatives too, which are not in the row.
bool bond_mode_rate_row(const BondMode* mode, int unknown, double* by_b1, double* by_b2, double* work);

// Fills the values again after bond_mode_storage; the pattern stays. No allocation.
void bond_mode_maps_update(const BondMode* mode, const int* wanted, BondMaps* maps, double* work);

// ---------------------------------------------------------------------------------------------------------------- jump

// Inputs: b0 impulses of the sources (NULL = 0), b1 values of the sources and q⁻/c, p⁻/i, b2 derivatives (NULL = 0).
// Outputs: z0 areas, z1 values after; area of x (x⁺ = x⁻ + dx: `dx` has port_count entries). Any of z0_size and z1_size
// may be NULL; they receive the size of the terms each value is the sum of, for comparing differences (rule B5). What
// is below 1e-12 of its terms is exactly zero, and so is dx of a storage that stays independent.
// BOND_DELTA_PRIME and BOND_SINGULAR leave the outputs as they were.
// Nonlinear storages: Newton by the caller, with S at the iterate x and b1 = law(x) - S (x - x⁻), until dx settles.
typedef struct BondJump
{
    const double *b0, *b1, *b2;
    double *z0, *z1, *dx;
    double *z0_size, *z1_size;
    const double*
        most;     // per input the largest b1 of the run, or NULL: sources that differ by rounding beside it agree
    bool* still;  // of a net: becomes true if there are no areas, so that nothing changes; NULL: nobody asks
} BondJump;

BondStatus bond_mode_jump(const BondMode* mode, const BondJump* jump, double* work);

// After BOND_INCONSISTENT from a jump or flow with these inputs (or BOND_DELTA_PRIME with b = b0): the nodes of the
// loop that contradicts itself, sources first. Writes at most node_count of them; returns how many.
int bond_mode_loop(const BondMode* mode, const double* b, int* nodes, double* work);

// Work that the source `node` did in a jump: value times area, and impulse times the mean of the value before and
// after. z_before may be NULL if no source has an impulse.
double bond_impulse_work(const BondGraph* graph, int node, const double* z_before, const BondJump* jump);

#endif
