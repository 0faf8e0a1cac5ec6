// A tape in the making: what the files tape*.c share. Internal to src/vm.
#ifndef KAIROS_VM_TAPE_DRAFT_H
#define KAIROS_VM_TAPE_DRAFT_H

#include "vm/tape.h"

typedef struct Node
{
    uint8_t op;
    bool live, field;
    bool offset;          // linear, but for a number that stands still
    uint32_t z, x, y, w;  // as TAPE_OPS has them; NO_REG: none
    uint32_t part, level;
} Node;

typedef struct SlotInfo
{
    uint32_t reg, block;  // NO_REG: no register; 0: straight
    bool row, live, constant;
    bool first;            // order 0 of another is made from its own
    uint32_t part, ready;  // where it is made: 0, 0 before all parts
    uint32_t place;        // of its row
    uint32_t quad;         // tape_lanes.c: the last that begins with it + 1, or 0
    int degree;
    uint32_t uses;                  // operators and outputs that read it
    TapeSum multiple;               // tape_same.c: of another slot; of TAPE_ZERO: of itself
    uint32_t first_sum, sum_count;  // tape_sums.c: the terms that it is a sum of
    bool steady;                    // it moves as time does
    bool field, turned;             // tape_field.c: it belongs to the field; and turns
    bool plain;                     // to the linear part of it
    bool ends, outside;             // an output; read by others than the field
    bool still, driven;             // an input: its derivative is 0 as written; or anything else
    uint32_t made;                  // the node that makes it
} SlotInfo;

typedef struct PartInfo
{
    uint32_t rounds, unknowns, first;
} PartInfo;

#define DRAFT_LISTS(X)                                                                                                 \
    X(Node, nodes)                                                                                                     \
    X(Node, order) /* as written */                                                                                    \
    X(SlotInfo, slots)                                                                                                 \
    X(PartInfo, parts)                                                                                                 \
    X(TapeLoad, loads)                                                                                                 \
    X(TapeSide, sides)                                                                                                 \
    X(TapeTerm, terms)                                                                                                 \
    X(TapeSum, sums)                                                                                                   \
    X(TapeSum, linear) /* terms of the field */                                                                        \
    X(uint32_t, pushes)                                                                                                \
    X(TapeQuad, quads)                                                                                                 \
    X(TapeGroup, groups)                                                                                               \
    X(TapeRow, rows)                                                                                                   \
    X(TapeTurn, turns)                                                                                                 \
    X(uint32_t, factors)                                                                                               \
    X(uint32_t, table) /* nodes by their operands */                                                                   \
    X(uint32_t, loops)                                                                                                 \
    X(uint32_t, modes)                                                                                                 \
    X(uint32_t, aliases) /* registers that share the slot of another */                                                \
    X(uint32_t, words)                                                                                                 \
    X(TapePart, made)

typedef struct TapeDraft
{
    SeriesSpace* space;
    const kaiModel* model;
    const double* R;
#define X(type, name)                                                                                                  \
    struct                                                                                                             \
    {                                                                                                                  \
        type* at;                                                                                                      \
        uint32_t count, capacity;                                                                                      \
    } name;
    DRAFT_LISTS(X)
#undef X
    bool failed;     // no memory
    bool dry;        // only find out what moves
    bool changed;    // and something new does
    bool broken;     // something jumps or bends inside its operator: no end by structure
    uint32_t block;  // the loop in work, or 0
    uint32_t obstacle;
    uint32_t time_slot;
    uint32_t constants;  // loads of numbers that stand still, the first ones
    uint32_t field_sums, field_between,
        field_states;  // the first sum of the field, rows that are no states, all of the field
    bool whole;        // its series converges everywhere
} TapeDraft;

void* tape_draft_grown(TapeDraft* d, void* at, uint32_t* capacity, size_t size);

// Appends to a list of the draft; without memory the draft is marked and the value dropped.
#define APPEND(d, list, ...)                                                                                           \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((d)->list.count == (d)->list.capacity)                                                                     \
        {                                                                                                              \
            void* made_ = tape_draft_grown((d), (d)->list.at, &(d)->list.capacity, sizeof *(d)->list.at);              \
            if (made_ != NULL)                                                                                         \
                (d)->list.at = made_;                                                                                  \
        }                                                                                                              \
        if ((d)->list.count < (d)->list.capacity)                                                                      \
            (d)->list.at[(d)->list.count++] = (__VA_ARGS__);                                                           \
    } while (0)

// Where a quad lies.
static inline uint32_t tape_lane_place(uint32_t quad)
{
    return quad * TAPE_LANES * SERIES_TERMS;
}

static inline bool tape_is_straight(const TapeDraft* d, const Node* n)
{
    return d->parts.at[n->part].rounds == 1 && d->parts.at[n->part].unknowns == 0;
}

// Operands that are slots: the words after z, by operator.
static inline uint32_t tape_operand(const Node* n, int i)
{
    switch (n->op)
    {
    case TAPE_ROW:
    case TAPE_SUM:
    case TAPE_GIVEN: return NO_REG;
    case TAPE_ABSOLUTE: return i == 0 ? n->x : NO_REG;
    case TAPE_EITHER: return i == 0 ? n->x : i == 1 ? n->y : NO_REG;
    default: return i == 0 ? n->x : i == 1 ? n->y : n->w;
    }
}

enum
{
    PART_STEADY,  // what moves as time does
    PART_PUSHES,  // of the inputs, where no field does that
    PART_FIRST,   // the first of the code as written
};

static inline bool tape_moves(const TapeDraft* d, uint32_t reg)
{
    return d->space->slot_of[reg] != NO_REG;
}

// What a register moves by: nothing if it stands still.
static inline uint32_t tape_moving(const TapeDraft* d, uint32_t reg)
{
    return tape_moves(d, reg) ? d->space->slot_of[reg] : TAPE_ZERO;
}

// tape_walk.c: nodes, slots and parts of the code from `pc` to `end`.
uint32_t tape_add_slot(TapeDraft* d, uint32_t reg, bool constant);
void tape_walk(TapeDraft* d, const uint32_t* pc, const uint32_t* end);
// tape_layout.c: what the outputs need; who is read in a row; the highest order that is not 0, or SERIES_ENDLESS; the
// words, parts and loads.
void tape_find_live(TapeDraft* d, const Series* s);
void tape_find_rows(TapeDraft* d);
int tape_find_degree(TapeDraft* d, const Series* s);
void tape_lay_out(TapeDraft* d, const Series* s);
// tape_same.c: what is made twice is made once. What is needed has to be found before and again after it.
void tape_find_same(TapeDraft* d);
// tape_sums.c: after what is needed has been found. It has to be found again then.
void tape_fold_sums(TapeDraft* d, const Series* s);
void tape_keep_sums(TapeDraft* d);
void tape_keep_terms(TapeDraft* d);
void tape_count_uses(TapeDraft* d, const Series* s);
// tape_lanes.c: in `order`, which is sorted.
void tape_find_lanes(TapeDraft* d);
// tape_field.c: after sums.
void tape_find_field(TapeDraft* d, const Series* s);

#endif
