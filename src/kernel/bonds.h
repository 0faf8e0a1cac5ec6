// Bond graphs in a run: the maps of the modes that are entered (bonds.c), their jumps (bond_jumps.c), and the switching
// at an instant (switching.c).
#ifndef KAIROS_KERNEL_BONDS_H
#define KAIROS_KERNEL_BONDS_H

#include "base/arena.h"
#include "bond/selection.h"
#include "kernel/kernel.h"
#include "kernel/passage.h"

#include <setjmp.h>

enum
{
    SWITCHING_MAX = 512,  // sets of modes tried in one a-posteriori run
    SETTLED_MAX = 64,     // sets committed at one instant that are remembered
};

// Where a number stands in the registers and in a vector, or how many of them there are.
typedef struct BondFeed
{
    uint32_t reg;
    int at;
} BondFeed;

// Outputs that have a row of coefficients, by block.
typedef struct BlockRows
{
    uint32_t *first, *outputs;  // per block its first place; outputs
    uint32_t* first_piece;      // per block
    BondFeed* pieces;           // registers that lie one behind the other, and how many
    size_t* size;               // per block: coefficients
    bool loaded;                // those of the present set lie in the registers
} BlockRows;

// The equations with the ratios and slopes of the moment (present.c).
typedef struct BondPresent
{
    BondGraph* graph;
    BondNet* net;
    BondNode* nodes;
    double *storage, *b1, *b2;
    const BondPart* varying;   // in this set of modes: storages depend on others by way of it, and it changes
    const BondPart* unsolved;  // and so that the equations do not say how
    const BondPart* varied;    // who depends by way of that
    bool tied;                 // a storage depends on what solvers let it drift from: a source, a ratio, a slope
    bool settled;              // the last jump was that of the present modes and inputs, and moved nothing
    bool steps;                // a ratio is read anew at instants
    Arena made;                // what is made with the equations, and anew with them, if one is
} BondPresent;

typedef struct BondStored
{
    uint32_t state, value;
} BondStored;

typedef struct BondKnown  // an input with its place in b1 or b2, and the largest that was seen
{
    const double *value, *most;
    double* kept;
} BondKnown;

// Where inputs of the model stand in the registers, and in b1, b2 and b0.
typedef struct BondFeeds
{
    BondFeed *values, *slopes, *impulses;
    uint32_t sources, value_count;  // values: first those that are not of storages
    uint32_t slope_count, impulse_count;
    BondKnown* known;  // values and slopes
    uint32_t known_count;
    BondStored* stored;  // of linear storages
    uint32_t stored_count;
} BondFeeds;

// Storages.
typedef struct BondStores
{
    uint32_t *parts, part_count;
    bool* sharing;  // per port: it depends on others alone
    bool* shared;   // per port: at this instant it took its share of what others store
    bool some;      // some port did
    uint32_t port_count;
} BondStores;

// What the last jump was.
typedef struct BondLast
{
    BondStatus status;
    bool lazy;    // it has no areas and values but those that signs ask for
    bool struck;  // there are areas
    bool still;   // nothing has moved
} BondLast;

// One connected graph.
typedef struct BondRun
{
    const BondSystem* system;
    BondGraph* graph;
    BondNet* net;
    bool entered;  // it has a set of modes
    BondLast last;
    bool* on;            // per switch
    uint32_t* machines;  // per switch
    int* input_of;       // per input of the system: its place in b
    int* column_of;      // and back; -1 = none
    BondFeeds feeds;
    int* port_of;  // per part: its place in x, the first of several; -1 = no storage
    int* node_of;  // per entry of b: the part
    BlockRows rows;
    int* loop;        // nodes that contradict each other
    double* nominal;  // per part: the parameter that the equations are made with
    double *storage, *b0, *b1, *b2, *z0, *z1, *dx;
    // balance.c: before the junctions switch
    BondMode **modes_before, **modes_now;  // per block
    double *b1_before, *b2_before, *z_before, stored_before;
    double* area;  // per unknown: sum over the rounds of a jump
    bool warned;   // that values are not unique
    BondStores stores;
    double* scratch;  // for inverses of matrices
    // select.c
    BondSelection* selection;  // NULL: no one-way junctions
    double* most;              // what it remembers
    bool linear;               // all inputs are sources and storages
    BondNode* nodes;
    BondEdge* edges;
    BondPresent present;
    Kernel* kernel;
} BondRun;

// Signs of one-way junctions, asked for once in a set of modes (select.c).
typedef struct BondSigns
{
    double* ties;        // per machine: 0, or what a value may be off by that no derivative moves
    double* tolerances;  // per machine: up to where the sign of a one-way junction was taken as 0
    uint64_t number;     // of the set that is judged
    uint64_t* asked;     // per transition: the set it was last asked in
    bool* fires;         // and whether it fires
    bool unjudged;       // the set that was committed last has not been asked about
} BondSigns;

struct Bonds
{
    Arena arena;
    jmp_buf fail;
    uint32_t count;
    BondRun* runs;
    uint32_t* junctions;  // machines that are junctions, in the order of the text
    uint32_t junction_count;
    // switching.c
    double* values;     // registers from VALUE on, as the reaction on committed values left them
    double* states;     // committed states
    double* modes;      // and modes, per junction
    uint32_t* targets;  // per junction: mode it switches to + 1; 0 = stays
    uint32_t* places;   // and the place of that transition
    double* tried;      // sets of modes of the a-posteriori run
    uint32_t tried_count;
    double* settled;  // sets of modes with states that were committed at this instant
    uint32_t settled_count;
    uint32_t last_place;  // of the last transition taken
    bool unshown;         // the set of modes that is tried has no row, because it shows nothing but the left limit
    // Registers that hold the weights of impulses: first those that are no areas of graphs.
    uint32_t *impulses, impulse_count, other_count;
    double* most;  // of all runs: saved with a snapshot
    uint32_t most_count;
    double* kept;   // registers from VALUE on, while something is looked up
    bool struck;    // there may be areas in the registers; false: there are none
    bool quiet;     // the last jump moved nothing
    bool is_quiet;  // at this instant, in the set that was committed last
    bool stayed;    // the last run at this instant followed a way that does not leave its set
    bool drifted;   // storages that depend on each other have been put together at this tag (passage_follow.c)
    bool reacted;   // the registers hold what `react` makes of the states and modes in them
    // What is read while sets are tried hangs on no modes, areas or rows, and sources hang on no states (brief.c): then
    // areas are not written, rows are not loaded, and a program runs only where states have moved.
    bool steady;
    bool given;    // inputs have been read at this tag, and stay while sets are tried, if they are steady
    bool later;    // so it is now: what was left out comes when somebody looks, or when a set is committed
    double slack;  // of the selection, in this instant
    bool steps;    // a ratio of one of the graphs is read anew at instants
    bool alone;    // all machines of the model are junctions
    bool trying;   // the values in the registers are those of a set of modes that may be left again
    BondSigns signs;
    Passages passages;
};

static inline const BondPart* bonds_part(const Kernel* kernel, const BondRun* run, uint32_t index)
{
    return &kernel->model->bond_parts[run->system->first_part + index];
}

static inline const BondInput* bonds_input(const Kernel* kernel, const BondRun* run, uint32_t index)
{
    return &kernel->model->bond_inputs[run->system->first_input + index];
}

// For what is made with the equations.
static inline Arena* bonds_arena(Kernel* kernel, BondRun* run)
{
    return run->present.steps ? &run->present.made : &kernel->bonds->arena;
}

// Whether the mode in the registers has this switch on.
static inline bool bonds_is_on(const Kernel* kernel, const BondRun* run, int index)
{
    const Machine* machine = &kernel->model->machines[run->machines[index]];
    return kernel->model->modes[machine->first_mode + kernel_mode(kernel, machine)].on;
}

// Parts of passage_follow.c. Whether the inputs of the graph are those of the last jump; whether nothing that a way
// hangs on has changed since it was kept.
static inline bool passage_same_inputs(const BondRun* run)
{
    const BondKnown *k = run->feeds.known, *end = k + run->feeds.known_count;
    while (k < end && *k->value == *k->kept)
        k++;
    return k == end && run->linear;
}

static inline bool passage_is_open(const BondRun* run, const Passage* way)
{
    return way->known && way->grown == bond_selection_grown(run->selection) &&
           way->trimmed == bond_net_trimmed(run->net);
}

kaiStatus bonds_create(Kernel* kernel);
void bonds_destroy(Kernel* kernel);
kaiStatus bonds_start(Kernel* kernel);  // parameters are known: the equations of the first modes
kaiStatus bonds_enter(Kernel* kernel);  // the maps of the modes that the registers show
kaiStatus bonds_load(Kernel* kernel);   // their rows, which were left out
// bond_impulses.c: bonds->impulses
void bonds_list_impulses(const kaiModel* model, Bonds* bonds);
// bond_rows.c: the rows of the block's present set of modes, to the registers. False: no memory.
bool bonds_load_rows(Kernel* kernel, BondRun* run, int index);
const double* bonds_rows(Kernel* kernel, BondRun* run, int index);  // where they are kept; NULL: no memory
void bonds_copy_rows(Kernel* kernel, const BondRun* run, int index, const double* rows);
// Ratios that step are as the registers have them: the equations are made anew where one has changed. *turned: so it
// was.
kaiStatus bonds_turn(Kernel* kernel, bool* turned);
kaiStatus bonds_resume(Kernel* kernel);  // registers were loaded: both
// The jump that the states in the registers make in the modes in the registers: states and areas after it, and all
// values.
kaiStatus bonds_jump(Kernel* kernel, bool* consistent);
kaiStatus bonds_jump_entered(Kernel* kernel, bool* consistent);  // the net is in these modes
kaiStatus bonds_stay(Kernel* kernel);  // the same, where the last jump moved nothing and nothing has changed since
bool bonds_same_inputs(const Kernel* kernel);  // as the last jump read them, in the modes that it was made in
bool bonds_clear_areas(Kernel* kernel);        // false: there were some
kaiStatus bonds_complete(Kernel* kernel);      // areas and rows that were left out while sets of modes were tried
void bonds_forget_registers(Kernel* kernel);   // they come from a snapshot
void bonds_warn_not_unique(Kernel* kernel);    // about the modes that were committed
kaiStatus bonds_fail_inconsistent(Kernel* kernel);

// Sources, storages and corrections as the registers have them, to b0 (impulses, if wanted), b1 and b2.
// Whether there are impulses.
bool bonds_read_inputs(Kernel* kernel, BondRun* run, bool impulses);

// The jump of the present modes with the inputs that select_learn has read, if it is no more than what solver and
// rounding have let dependent storages drift. Whether there was one.
bool bonds_project(Kernel* kernel);
bool bonds_agree(Kernel* kernel, BondRun* run);  // there is none, as far as that is seen without solving for it
// Between instants: whether storages depend on sources that move, which no solver keeps to exactly; and the states in
// the registers put back onto them, all values being those of the time there.
typedef enum BondTies
{
    BOND_TIES_CONSTANT,  // with weights that do not vary
    BOND_TIES_ALL
} BondTies;
bool bonds_are_tied(const Kernel* kernel, BondTies ties);
void bonds_tie(Kernel* kernel, BondTies ties);

// present.c: storages that depend on others by way of a ratio or slope that varies
void present_find(Kernel* kernel, BondRun* run);  // in the modes that were entered
kaiStatus present_check(Kernel* kernel);          // the modes that are to be committed
void present_forget(BondRun* run);
kaiStatus present_jump(Kernel* kernel, BondRun* run, BondJump* jump, BondStatus* status);
void present_follow(Kernel* kernel, BondRun* run);  // dependent storages alone are put where the inputs in b1 want them
bool present_is_drift(const Kernel* kernel, const BondRun* run);                      // the changes in dx
double present_usual_slope(const Kernel* kernel, const BondRun* run, uint32_t part);  // of storages like this one

// select.c: signs of one-way junctions
void select_start(Kernel* kernel, BondRun* run);   // the graph is known
void select_learn(Kernel* kernel);                 // inputs as they are committed
void select_judge(Kernel* kernel);                 // the set of modes in the registers, after its jump
bool select_slack(Kernel* kernel, double factor);  // see bond_selection_slack; false: nothing to select
bool select_fires(Kernel* kernel, uint32_t machine, const Transition* t);
BondAsked select_asked(const Kernel* kernel, const Transition* t);
double select_tie(const Kernel* kernel, uint32_t ctx);
double select_tolerance(const Kernel* kernel, uint32_t ctx);  // of the junction whose mode the context is
// A change of a storage, and all those of a jump, that a one-way junction takes as 0.
bool select_is_rounding(const Kernel* kernel, uint32_t state, double change);
bool select_moves_rounding(const Kernel* kernel, const BondRun* run);

// multiport.c: the inverse of the matrix of a storage, into its registers. `scratch`: 2 ports² numbers.
kaiStatus multiport_invert(Kernel* kernel, const BondPart* part, double* scratch);

// switching.c: rule B3, after a reaction on committed values. Writes the rows of the instant.
void switching_begin(Kernel* kernel);
kaiStatus switching_run(Kernel* kernel, CommitResult* result);
// Parts of what commits a set: rounding in its states; storages that share what they store, and whether some do in the
// present set; a set and a state that have been committed at this instant.
void switching_settle_states(Kernel* kernel, CommitResult* result);
void switching_watch_sharing(Kernel* kernel);
bool switching_shares(BondRun* run);
kaiStatus switching_note_settled(Kernel* kernel);

// circuit.c: instants of circuits that nobody looks at
bool circuit_is(const Kernel* kernel);  // the model may have such
bool circuit_list(Kernel* kernel);      // then what they react with is listed; false: no memory
void circuit_forget(Kernel* kernel);
bool circuit_serves(const Kernel* kernel, double t);  // and this is one
kaiStatus circuit_run(Kernel* kernel, double t);

#endif
