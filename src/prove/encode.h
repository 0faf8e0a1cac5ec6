// A flat model as formulas: what one reaction and its commit make of the state at a tag (rules R1-R7, M1-M3, N1).
//
// The state at a tag is a list of slots: variables that reactions change, the mode of each machine (one Boolean per
// mode), and what operators remember from the tag before. A frame has one formula per slot; a step relates two frames.
// What formulas cannot say exactly (sin, tables, draws, delayed signals) becomes an unknown of its own: then more can
// happen than really does, so "never" stays true and "possible" has to be tried.
#ifndef KAIROS_PROVE_ENCODE_H
#define KAIROS_PROVE_ENCODE_H

#include "elab/flat.h"
#include "prove/logic.h"

typedef struct Term
{
    Formula value, present;  // value NULL: not made yet
} Term;

typedef enum SlotKind
{
    SLOT_STATE,     // index = variable
    SLOT_DISCRETE,  // index = variable
    SLOT_MODE,      // index = machine, mode: whether it is in this mode
    SLOT_ENTRY,     // index = context: the mode was entered at the tag before
    SLOT_EVENT,     // index = variable: emitted at the tag before
    SLOT_PAYLOAD,   // index = variable: with this value
    SLOT_EDGE,      // node: whether it held at the tag before
    SLOT_PRE,       // node: its value at the tag before
    SLOT_PRE_HERE,  // node: whether that was present
    SLOT_HOLD,      // node: what is held
    SLOT_SIDE,      // node: the sign its argument had, 2 if not known
    SLOT_CROSSED,   // node: a jump across the level at the tag before
} SlotKind;

typedef struct Slot
{
    SlotKind kind;
    uint32_t index, mode;
    NodeId node;
    bool boolean;
    bool written;    // false: no reaction changes it, one formula serves all frames
    uint32_t group;  // representative of the slots that influence each other
    const char* name;
    Formula fixed;
} Slot;

enum
{
    NO_SLOT = 0xffffffffu,
    ANY_REST = 0xffffffffu
};

// A reaction: a `when`, or behind them a transition.
typedef struct Reaction
{
    const FlatWhen* when;
    const FlatTransition* transition;
    uint32_t ctx, choice;
    NodeId trigger, guard;
    const FlatActions* actions;
    Span span;
    uint32_t group;           // a slot that it reads or writes, NO_SLOT: none
    VEC(uint32_t) constants;  // slots that it reads and nobody writes
} Reaction;

typedef struct Circuit Circuit;

// One tag. Formulas of nodes and variables are made when asked for.
typedef struct Frame Frame;
struct Frame
{
    uint32_t number;
    Frame* base;         // a set of junction modes that is tried (rule B3): from this tag; NULL: a tag
    bool loose;          // efforts and flows may be anything: a state in which the storages do not fit the modes
    Circuit* circuits;   // per bond graph
    VEC(Frame*) trials;  // of a tag whose junctions switch: the sets that are tried
    Frame* committed;    // and the set that it ends in
    bool start;          // the first tag of a run: clocks may tick
    Formula* slots;
    Term *nodes, *vars;
    uint8_t* busy;     // per variable: its definition is being expanded
    Formula* enabled;  // per reaction: its guard holds in its mode (after `choose` has chosen)
    Formula* fires;    // per reaction: it takes part in the commit
    Formula active;    // the instant goes on after this tag
};

// A guard that is read differently, to see whether that would cure the model.
typedef struct Change
{
    NodeId relation;    // 0: none. Taken as strict
    uint32_t reaction;  // with `sign`: the reaction that also asks for it
    uint32_t var;
    int sign;  // 1: var > 0, 2: var >= 0, -1: var < 0, -2: var <= 0; 0: none
} Change;

enum
{
    CHANGES_MOST = 2
};

// The value of such a function at one number.
typedef struct VaguePoint
{
    uint8_t op;
    double argument, value;
} VaguePoint;

// A function that formulas cannot say, at one argument.
typedef struct VagueCall
{
    uint8_t op;
    Formula argument, value;
} VagueCall;

typedef struct Encoder
{
    Arena* arena;
    const Flat* flat;
    Logic* logic;
    VEC(Slot) slots;
    VEC(Reaction) reactions;
    uint32_t *var_slot, *var_payload, *machine_slot, *entry_slot;  // NO_SLOT: none
    Map node_slot, node_slot2;
    uint32_t *first_def, *next_def;    // per variable, per definition: definition of order 0 + 1
    uint32_t *first_rate, *next_rate;  // the same of order 1
    bool* impulsive;                   // per variable: its derivative contains `delta`
    struct Circuits* circuits;
    bool* decides;  // per variable: some guard depends on it; counters that nobody reads do not
    Formula time;
    Formula* inputs;    // per variable: an input of the root
    Formulas side;      // what the formulas made so far rest on
    VEC(NodeId) vague;  // nodes that formulas cannot say
    VEC(VagueCall) calls;
    VEC(VaguePoint) points;  // what is known of them
    Change changes[CHANGES_MOST];
    uint32_t change_count;
    bool first_choice;  // `choose` takes its first enabled alternative
    uint32_t inner;     // sets of junction modes that are tried at a tag after the first; ANY_REST: any that rests
    uint32_t unique;
} Encoder;

void encode_open(Encoder* e, Arena* arena, const Flat* flat, Logic* logic);

// deciding.c: fills `decides`.
void deciding_find(Encoder* e);

// slots.c: what there is to remember, and which of it influences which.
void slots_find(Encoder* e);
uint32_t slot_of_node(const Encoder* e, NodeId node);
uint32_t slot_group(Encoder* e, uint32_t slot);
// The slot belongs to the group, or a reaction of the group reads it.
bool slot_concerns(Encoder* e, uint32_t slot, uint32_t group);

// terms.c: expressions.
Frame* frame_new(Encoder* e, uint32_t number, bool start);
Term encode_node(Encoder* e, Frame* f, NodeId node);
Term encode_var(Encoder* e, Frame* f, uint32_t var, NodeId node);  // node: where it is read, for messages
Formula encode_condition(Encoder* e, Frame* f, NodeId node);       // present and true
Formula encode_ctx(Encoder* e, Frame* f, uint32_t ctx);            // the context is active
Formula encode_area(Encoder* e, Frame* f, NodeId node);            // the weight of δ
void encode_side(Encoder* e, Formula condition);
Term encode_vague(Encoder* e, NodeId node, bool boolean);  // an unknown for what formulas cannot say

// The guard of a reaction with the changes that are tried.
Formula encode_changed_guard(Encoder* e, Frame* f, uint32_t reaction, Formula holds);

// step.c: from one frame to the next, for the slots and reactions of one group.
Frame* encode_step(Encoder* e, Frame* from, uint32_t group, Formulas* into);
// Formulas that the terms made since the last step rest on.
void encode_take_side(Encoder* e, Formulas* into);
// A frame as a run starts from it.
void encode_start(Encoder* e, Frame* f, uint32_t group, Formulas* into);
// All slots of the group are the same in both.
Formula encode_same(Encoder* e, const Frame* a, const Frame* b, uint32_t group);
// Each machine is in exactly one mode.
void encode_modes(Encoder* e, const Frame* f, uint32_t group, Formulas* into);

#endif
