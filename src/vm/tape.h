// A tape: the operators that make one order of power series, for one vector of modes. Internal to src/vm.
//
// Slots are registers that move, one for each time one is written; `now[slot]` is the coefficient of the order in work,
// so that linear operators run over them as the interpreter runs over registers. What takes part in a convolution has a
// row of its own with all its coefficients (`row`), since those are read side by side.
#ifndef KAIROS_VM_TAPE_H
#define KAIROS_VM_TAPE_H

#include "vm/native.h"
#include "vm/series.h"

// Name, words of an instruction. z: result, x, y: what moves, c: a constant. Rows of w are read below order k only.
// clang-format off
#define TAPE_OPS(X)                                                                                                    \
    X(COPY, 2)      /* z x */                                                                                          \
    X(NEGATE, 2)    /* z x */                                                                                          \
    X(ADD, 3)       /* z x y */                                                                                        \
    X(SUBTRACT, 3)  /* z x y */                                                                                        \
    X(SCALE, 3)     /* z c x */                                                                                        \
    X(PER, 3)       /* z x c */                                                                                        \
    X(CHOOSE, 4)    /* z c x y: c != 0 ? x : y */                                                                      \
    X(ABSOLUTE, 3)  /* z x side */                                                                                     \
    X(EITHER, 4)    /* z x y side: min, max */                                                                         \
    X(PUSH, 1)      /* x into its row */                                                                               \
    X(FILL, 1)      /* a quad from its slots */                                                                        \
    X(MULTIPLY, 3)  /* z x y */                                                                                        \
    X(SQUARE, 2)    /* z x */                                                                                          \
    X(SQUARE_DOWN, 2) /* z x: -x² */                                                                                   \
    X(DIVIDE, 3)    /* z x y */                                                                                        \
    X(ROOT, 2)      /* z x */                                                                                          \
    X(POWER, 3)     /* z x c */                                                                                        \
    X(DERIVE, 3)    /* z x w: z' = w x' */                                                                             \
    X(DERIVE_DOWN, 3) /* z x w: z' = -w x' */                                                                          \
    X(TURN, 3)      /* z x w: the same of an x that moves as time does */                                              \
    X(TURN_DOWN, 3) /* z x w */                                                                                        \
    X(WAVE, 4)      /* z x w quad: z' = w x' and w' = -z x' */                                                         \
    X(SWELL, 4)     /* z x w quad: z' = w x' and w' = z x' */                                                          \
    X(OVER, 3)      /* z x w: z' = x' / w */                                                                           \
    X(OVER_DOWN, 3) /* z x w: z' = -x' / w */                                                                          \
    X(ANGLE, 4)     /* z y x w: z' = (x y' - y x') / w */                                                              \
    X(COMPOSE, 3)   /* z x y: the polynomial y of what x has moved by */                                               \
    X(GIVEN, 1)     /* z: its row is there since order 0 */                                                            \
    X(SUM, 3)       /* z first count: a sum of what moves with constant factors */                                     \
    X(ROW, 3)       /* z first count: a sum of terms of the tape */                                                    \
    X(GROUP, 1)     /* four of a kind at once */
// clang-format on

typedef enum TapeOp
{
#define X(name, words) TAPE_##name,
    TAPE_OPS(X)
#undef X
        TAPE_OP_COUNT
} TapeOp;

// The side that a kink is on: min and max take x or y, abs takes x or -x.
typedef struct TapeSide
{
    uint32_t reg_x, reg_y;  // values at order 0; abs: reg_y = NO_REG
    bool most;              // max
    int8_t sign;            // of x - y (abs: of x): the first coefficient that is not 0
    int16_t order;          // in which that was found
} TapeSide;

typedef struct TapeTerm  // of a row of a map: coefficient · value
{
    uint32_t slot, reg, coefficient;  // registers
    bool size;                        // of its absolute value
    double factor;                    // since order 0
} TapeTerm;

// A term of a sum that tape_sums.c has folded: its factor is the product of numbers that stand still, or one over them.
typedef struct TapeSum
{
    double factor;                // since order 0
    uint32_t slot, first, count;  // in `factors`
    uint32_t by;                  // linear field: of the product with this slot, or TAPE_ZERO
} TapeSum;

enum
{
    TAPE_OPPOSITE = 0  // as a factor: -1
};
// The slot of a factor, by which `over` divides.
static inline uint32_t tape_factor(uint32_t slot, bool over)
{
    return 2 * slot + over;
}
static inline uint32_t tape_factor_slot(uint32_t factor)
{
    return factor / 2;
}

// A value of order 0 that no register has.
typedef enum TapeFirst
{
    FIRST_REGISTER,  // that one has it
    FIRST_SIN,
    FIRST_COS,
    FIRST_SINH,
    FIRST_COSH,
    FIRST_LOG,
    FIRST_SQUARE,        // x²
    FIRST_PLUS_SQUARE,   // 1 + x²
    FIRST_MINUS_SQUARE,  // 1 - x²
    FIRST_ROOT,          // sqrt(x)
    FIRST_SUM,           // x + y
    FIRST_PRODUCT,       // x y
    FIRST_NUMBER,        // a number
    FIRST_DELAYED,       // the whole row, from the host
    FIRST_TABLE_SLOPE,   // of table y at x, registers
} TapeFirst;

typedef struct TapeLoad  // what order 0 brings to a slot
{
    uint8_t first;
    bool constant;       // nothing else writes its slot
    bool turned;         // each of its orders is made from the one before in `now`
    uint32_t slot, row;  // row NO_REG: only now[slot]
    uint32_t x, y;       // slots, or registers
    double number;
    uint32_t reg;  // FIRST_DELAYED: the register that has the value
} TapeLoad;

// A row of the field (tape_field.c). Its terms are the next ones of the field's.
typedef struct TapeRow
{
    uint32_t target;          // a slot, or the state whose derivative it is
    uint32_t count;           // terms that move
    uint32_t products, more;  // products, and with them what moves as time does
    double rise;              // the last of these together: they have a first order only
} TapeRow;

typedef struct TapePiece  // a term of a row
{
    double factor;  // since order 0
    uint32_t x, y;  // its slot; of a product, where two rows begin
} TapePiece;

enum
{
    TAPE_LANES = 4
};

// Four rows side by side, order after order. One of a pair that is each other's derivative has both, and twice k x[k].
typedef struct TapeQuad
{
    uint32_t slot[TAPE_LANES];
    uint32_t first[TAPE_LANES];  // where order 0 is in `rows`
    uint32_t place;              // in `lanes`
    uint32_t next;               // while it is made: another that begins with the same slot, or 0
} TapeQuad;

typedef struct TapeGroup  // four operators at once: quads by their places in `lanes`
{
    uint32_t op;
    uint32_t own, x, y;
    uint32_t z[TAPE_LANES];  // slots of the results
    uint32_t w[TAPE_LANES];  // of the partners; of the exponents
} TapeGroup;

typedef struct TapeTurn  // z' = ± rate w, w' = ± rate z
{
    uint32_t z, w, angle;
    bool z_down, w_down;
    double z_rate, w_rate;  // since order 0
    double size;            // since order 1: of both at order 0
    double kept_z, kept_w;  // tape_rest.c
} TapeTurn;

typedef struct TapeField
{
    uint32_t turn_count, between_count, state_count, row_count, term_count, push_count;
    uint32_t first_sum;  // in the tape's `sums`, the terms
    TapeTurn* turns;
    TapeRow* rows;  // those of slots between, then those of its states, then last sums of the others
    TapePiece* pieces;
    TapePiece* stream;  // of the states: terms that move, the last one of a row with the number of its state + 1
    uint32_t* squares;  // products of states: piece and state
    const TapePiece* last_stream;  // where those of last sums begin
    const uint32_t* last_squares;
    uint32_t stream_count, square_count;
    bool rises;        // some of its rows move as time does
    bool lean;         // it has nothing but the stream
    bool idle;         // it has no rows but last sums
    bool products;     // it has products
    bool is_few;       // `few` is it
    uint64_t key;      // of its factors and rates, in these modes
    uint32_t inputs;   // what order 0 brings beside the states (tape_inputs.c)
    uint32_t* pushes;  // states and what turns: slot and row, where products or operators read it
    FewField* few;     // the same as a small matrix, since order 0; NULL: it is not such a field
} TapeField;

// Straight code, or a block that is repeated: a constructive loop `rounds` times, a loop of Newton's method twice.
typedef struct TapePart
{
    uint32_t start, end;  // words
    uint32_t rounds;      // 1: straight
    uint32_t unknowns;    // > 0: Newton
    uint32_t first;       // in `loops`: slots of unknowns and residuals, registers of the derivatives
    uint32_t matrix;      // in `matrices`
    int last;             // order: what moves as time does has none beyond the first, and is 0 from the second on
} TapePart;

typedef struct Tape
{
    size_t size;
    uint32_t mode_count, part_count, load_count, side_count, term_count, sum_count;
    uint32_t quad_count, matrix_count;
    uint32_t constant_count;  // of the loads, the first
    const uint32_t* modes;    // pairs: register, value
    uint32_t* outputs;        // slots
    uint32_t* words;
    uint32_t* row_of;    // per slot, where its row begins, or NO_REG
    uint32_t* first_at;  // and where its order 0 is, of those that have nothing else in `rows`, too
    TapePart* parts;
    TapeLoad* loads;
    TapeSide* sides;
    TapeTerm* terms;
    TapeSum* sums;
    uint32_t* factors;
    uint32_t* loops;
    TapeQuad* quads;
    TapeGroup* groups;
    double *now, *rows, *lanes, *matrices;
    uint32_t time_slot;
    uint32_t follows;   // the one that was found after it, of those that are kept
    uint32_t obstacle;  // the register that has no series, or NO_REG
    bool summed;        // factors of sums are those of the constants
    bool steady;        // the first part is what moves as time does
    bool straight;      // no other is a loop, and there is one
    bool bare;          // order 0 brings nothing to it
    bool firm;          // nothing but constants
    bool alone;         // there is nothing but the field
    int degree;
    int orders;  // series_orders
    TapeField field;
} Tape;

enum
{
    TAPE_ZERO = 0,    // the slot that is always 0
    TAPE_INPUT = 1,   // the first input
    STEADY_LAST = 2,  // order: what moves as time does is 0, and so are all orders after it
};

struct Series
{
    SeriesSpace* space;
    const uint32_t *code, *end;
    Hot hot;  // that code
    Tape* tape;
    int degree;    // of that
    bool settled;  // it serves all modes, and order 0 brings nothing to it
    bool closed;
    uint32_t *inputs, *outputs;
    uint32_t input_count, output_count;
    Tape* tapes[8];
    uint32_t tape_count, tape_next;
};

struct SeriesSpace
{
    const kaiModel* model;
    kaiAllocator allocator;
    uint32_t* slot_of;      // per register, while a tape is made; NO_REG: it does not move
    uint32_t* constant_of;  // and its slot as a constant
    struct TapeDraft* draft;
};

// The tape for the modes in `registers`; NULL: no memory.
Tape* tape_make(Series* series, const double* registers);
void tape_free(SeriesSpace* space, Tape* tape);
static inline int tape_sign(double v)
{
    return (v > 0) - (v < 0);
}

// The pivots lie behind the matrix of a loop.
static inline uint32_t* tape_pivots(double* J, uint32_t n)
{
    return (uint32_t*)(void*)(J + (size_t)n * n);
}

// Whether the factors of its sums are made of the constants in the registers.
bool tape_has_constants(const Tape* tape, const double* registers);
// Order 0: NO_REG, or the register of what could not be read.
// `known`: its constants are those in the registers.
uint32_t tape_load(Tape* tape, const kaiModel* model, const double* registers, const VmHost* host, bool known);
// Order k of a root and of a power; z[k] is 0 as yet.
double tape_root(const double* z, const double* x, int k);
double tape_power(const double* z, const double* x, double e, int k);
// lanes.c: groups and quads by their numbers, and pairs by themselves, at order k; order 0 of all quads.
void tape_run_lanes(Tape* tape, const uint32_t* groups, uint32_t count, int k);
const uint32_t* tape_run_wave(Tape* tape, const uint32_t* pc, uint32_t count, int k);
const uint32_t* tape_run_swell(Tape* tape, const uint32_t* pc, uint32_t count, int k);
void tape_fill_lanes(Tape* tape, const uint32_t* quads, uint32_t count, int k);
void tape_first_lanes(Tape* tape);
// Straight code or one round of a loop, at order k.
void tape_run_part(Tape* tape, const TapePart* part, int k);
// The field: factors and rates, after those of the sums and the first order of what moves as time does; order k
// of what turns and lies between, and order k + 1 of its states.
void tape_field_begin(Tape* tape);
void tape_field_run(const Tape* tape, int from, int to, double* const* x, uint32_t states);
// tape_inputs.c: what order 0 brings to the field beside its states, to be read and to be set; what tells its factors
// from others.
uint32_t tape_field_inputs(const Tape* tape);
void tape_field_get(const Tape* tape, double* inputs);
void tape_field_put(Tape* tape, const double* inputs);
uint64_t tape_field_key(const Tape* tape);
// tape_rest.c, of a field that is alone, after order k of it: a bound of the terms from order k on that its derivatives
// get from what is no state, within h; the largest, by the weights of the states.
double tape_field_rest(const Tape* tape, int k, double h, const double* weights, uint32_t states);
// tape_few.c: whether the field may be a small matrix; that of its factors.
bool tape_few_serves(const Tape* tape, uint32_t states);
void tape_few_fill(Tape* tape);
// Order k + 1 of the states that do not belong to it, after the operators.
void tape_field_end(const Tape* tape, int k, double* next);
struct TapeDraft* tape_draft_create(SeriesSpace* space);
void tape_draft_free(SeriesSpace* space);

#endif
