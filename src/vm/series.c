// Runs tapes: one pass makes one order of all series. tape.h says what the operators are, taylor's recurrences are in
// Jorba and Zou 2005, section 2, and Barrio 2005.
//
// In the sums below x, y, z, w are rows; order k of z is what is made, and orders below k are there.
#include "base/dense.h"
#include "vm/convolve.h"
#include "vm/tape.h"

#include <math.h>
#include <string.h>

// ---- convolutions
// ----------------------------------------------------------------------------------------------------

// Nothing but zeros up to order k: then roots and powers of it are 0 too, and so is log's and division's numerator.
static bool is_zero(const double* x, int k)
{
    bool zero = true;
    for (int j = 0; j <= k; j++)
        zero &= x[j] == 0;
    return zero;
}

double tape_root(const double* z, const double* x, int k)
{
    if (z[0] == 0)
        return is_zero(x, k) ? 0 : NAN;
    return (x[k] - square(z, k)) / (2 * z[0]);  // z[k] is 0 as yet
}

// x^e for a whole e >= 0 by products: right also where x starts at 0. Squares and multiplies whole rows up to k.
static double whole_power(const double* x, int e, int k)
{
    double base[SERIES_TERMS], out[SERIES_TERMS] = {1}, next[SERIES_TERMS];
    memcpy(base, x, sizeof(double) * (size_t)(k + 1));
    for (; e > 0; e /= 2)
    {
        if (e % 2 == 1)
        {
            for (int i = 0; i <= k; i++)
                next[i] = convolve(out, base, i, 0, i);
            memcpy(out, next, sizeof(double) * (size_t)(k + 1));
        }
        for (int i = 0; i <= k; i++)
            next[i] = convolve(base, base, i, 0, i);
        memcpy(base, next, sizeof(double) * (size_t)(k + 1));
    }
    return out[k];
}

double tape_power(const double* z, const double* x, double e, int k)
{
    if (x[0] == 0)
    {
        bool whole = e == floor(e) && e >= 0 && e < 1000;
        return whole ? whole_power(x, (int)e, k) : is_zero(x, k) && e > 0 ? 0 : NAN;
    }
    return convolve_weighted(z, x, k, 0, k - 1, e * k, -(e + 1)) / (k * x[0]);
}

// Order k of sum c[j] d^j, where d is x without its order 0: of d^j only the orders from j on count.
static double compose(const double* x, const double* c, int k)
{
    double power[SERIES_TERMS] = {1}, next[SERIES_TERMS], sum = 0;
    for (int j = 1; j <= k; j++)
    {
        for (int i = j; i <= k; i++)
            next[i] = convolve(x, power, i, 1, i - j + 1);
        memcpy(power + j, next + j, sizeof(double) * (size_t)(k - j + 1));
        power[j - 1] = 0;
        sum += c[j] * power[k];
    }
    return sum;
}

static double angle(const double* z, const double* y, const double* x, const double* w, int k)
{
    double sum = convolve_slope(y, x, k, 1, k) - convolve_slope(x, y, k, 1, k) - convolve_slope(z, w, k, 1, k - 1);
    return sum / (k * w[0]);
}

// ---- kinks and maps
// --------------------------------------------------------------------------------------------------

// The sign of what decides, once it has one. Inside a loop the order in work is computed more than once.
static inline int side_sign(TapeSide* side, double difference, int k)
{
    if (side->sign == 0 || side->order == k)
    {
        side->sign = (int8_t)tape_sign(difference);
        side->order = (int16_t)k;
    }
    return side->sign;
}

static inline bool takes_first(TapeSide* side, double difference, int k)
{
    int sign = side_sign(side, difference, k);
    return side->most ? sign >= 0 : sign <= 0;
}

static double row_now(const Tape* t, uint32_t first, uint32_t count)
{
    const TapeTerm* term = t->terms + first;
    double even = 0, odd = 0;
    uint32_t i = 0;
    for (; i + 1 < count; i += 2)
    {
        even += term[i].factor * t->now[term[i].slot];
        odd += term[i + 1].factor * t->now[term[i + 1].slot];
    }
    return i < count ? even + odd + term[i].factor * t->now[term[i].slot] : even + odd;
}

static inline double sum_now(const Tape* t, uint32_t first, uint32_t count)
{
    const TapeSum *term = t->sums + first, *end = term + count;
    double sum = term->factor * t->now[term->slot];
    for (term++; term < end; term++)
        sum += term->factor * t->now[term->slot];
    return sum;
}

// ---- the tape
// --------------------------------------------------------------------------------------------------------

// One function an operator: `count` instructions from pc on, at order k. Returns where they end.
typedef const uint32_t* RunOp(Tape* t, const uint32_t* pc, uint32_t count, int k);

#define RUN(name) static const uint32_t* run_##name(Tape* t, const uint32_t* pc, uint32_t count, int k)

#define EACH(name, words, expression)                                                                                  \
    RUN(name)                                                                                                          \
    {                                                                                                                  \
        double* now = t->now;                                                                                          \
        (void)k;                                                                                                       \
        for (; count > 0; count--, pc += (words))                                                                      \
            now[pc[0]] = (expression);                                                                                 \
        return pc;                                                                                                     \
    }

#define ROW(i) (t->rows + t->row_of[pc[i]])

// The result goes into its row too.
#define EACH_ROW(name, words, expression)                                                                              \
    RUN(name)                                                                                                          \
    {                                                                                                                  \
        for (; count > 0; count--, pc += (words))                                                                      \
        {                                                                                                              \
            double* z = ROW(0);                                                                                        \
            double value = (expression);                                                                               \
            t->now[pc[0]] = z[k] = value;                                                                              \
        }                                                                                                              \
        return pc;                                                                                                     \
    }

EACH(COPY, 2, now[pc[1]])
EACH(NEGATE, 2, -now[pc[1]])
EACH(ADD, 3, now[pc[1]] + now[pc[2]])
EACH(SUBTRACT, 3, now[pc[1]] - now[pc[2]])
EACH(SCALE, 3, now[pc[1]] * now[pc[2]])
EACH(PER, 3, now[pc[1]] / now[pc[2]])
EACH(CHOOSE, 4, now[pc[1]] != 0 ? now[pc[2]] : now[pc[3]])
EACH(ABSOLUTE, 3, side_sign(&t->sides[pc[2]], now[pc[1]], k) * now[pc[1]])
EACH(EITHER, 4, takes_first(&t->sides[pc[3]], now[pc[1]] - now[pc[2]], k) ? now[pc[1]] : now[pc[2]])
EACH(SUM, 3, sum_now(t, pc[1], pc[2]))
EACH(ROW, 3, row_now(t, pc[1], pc[2]))
EACH(GIVEN, 1, t->rows[t->row_of[pc[0]] + (uint32_t)k])
EACH_ROW(MULTIPLY, 3, convolve(ROW(1), ROW(2), k, 0, k))
EACH_ROW(SQUARE, 2, square(ROW(1), k))
EACH_ROW(SQUARE_DOWN, 2, -square(ROW(1), k))
EACH_ROW(DIVIDE, 3, (ROW(1)[k] - convolve(ROW(2), z, k, 1, k)) / ROW(2)[0])
EACH_ROW(DERIVE, 3, convolve_slope(ROW(1), ROW(2), k, 1, k) / k)
EACH_ROW(DERIVE_DOWN, 3, -convolve_slope(ROW(1), ROW(2), k, 1, k) / k)
EACH_ROW(TURN, 3, ROW(1)[1] * ROW(2)[k - 1] / k)
EACH_ROW(TURN_DOWN, 3, -(ROW(1)[1] * ROW(2)[k - 1]) / k)
EACH_ROW(OVER, 3, (ROW(1)[k] - convolve_slope(z, ROW(2), k, 1, k - 1) / k) / ROW(2)[0])
EACH_ROW(OVER_DOWN, 3, (-ROW(1)[k] - convolve_slope(z, ROW(2), k, 1, k - 1) / k) / ROW(2)[0])
EACH_ROW(ROOT, 2, (z[k] = 0, tape_root(z, ROW(1), k)))
EACH_ROW(POWER, 3, tape_power(z, ROW(1), t->now[pc[2]], k))
EACH_ROW(COMPOSE, 3, compose(ROW(1), ROW(2), k))
EACH_ROW(ANGLE, 4, angle(z, ROW(1), ROW(2), ROW(3), k))

RUN(PUSH)
{
    for (; count > 0; count--, pc++)
        ROW(0)[k] = t->now[pc[0]];
    return pc;
}

RUN(FILL)
{
    tape_fill_lanes(t, pc, count, k);
    return pc + count;
}

RUN(GROUP)
{
    tape_run_lanes(t, pc, count, k);
    return pc + count;
}

#define run_WAVE tape_run_wave
#define run_SWELL tape_run_swell

static RunOp* const run_op[] = {
#define X(name, words) run_##name,
    TAPE_OPS(X)
#undef X
};

static inline void run_words(Tape* t, const uint32_t* pc, const uint32_t* end, int k)
{
    while (pc < end)
        pc = run_op[*pc & 0xff](t, pc + 1, *pc >> 8, k);
}

void tape_run_part(Tape* t, const TapePart* part, int k)
{
    run_words(t, t->words + part->start, t->words + part->end, k);
}

// ---- loops of Newton's method
// ----------------------------------------------------------------------------------------
//
// The residuals r(u, …) are 0 along the flow. Their coefficient of order k is J u[k] + what does not depend on u[k],
// with the J of order 0: one linear system an order, with one factorisation for all.

static void set_slot(Tape* t, uint32_t slot, int k, double value)
{
    t->now[slot] = value;
    if (t->row_of[slot] != NO_REG)
        t->rows[t->row_of[slot] + (uint32_t)k] = value;
}

static void order_newton(Tape* t, const TapePart* part, int k)
{
    uint32_t n = part->unknowns;
    double* J = t->matrices + part->matrix;
    const uint32_t *unknowns = t->loops + part->first, *residuals = unknowns + n;
    double r[NEWTON_MAX];
    for (uint32_t i = 0; i < n; i++)
        set_slot(t, unknowns[i], k, 0);
    tape_run_part(t, part, k);
    for (uint32_t i = 0; i < n; i++)
        r[i] = -t->now[residuals[i]];
    dense_solve(J, tape_pivots(J, n), r, n);
    for (uint32_t i = 0; i < n; i++)
        set_slot(t, unknowns[i], k, r[i]);
    tape_run_part(t, part, k);
}

// ---- order 0
// ---------------------------------------------------------------------------------------------------------

static bool has_modes(const Tape* t, const double* R)
{
    for (uint32_t i = 0; i < t->mode_count; i++)
        if ((uint32_t)R[t->modes[2 * i]] != t->modes[2 * i + 1])
            return false;
    return true;
}

enum
{
    TAPES_KEPT = sizeof((Series*)0)->tapes / sizeof *((Series*)0)->tapes
};

static bool keep_tape(Series* s, Tape* made)
{
    if (made == NULL)
        return false;
    uint32_t at = s->tape_count < TAPES_KEPT ? s->tape_count++ : s->tape_next++ % TAPES_KEPT;
    tape_free(s->space, s->tapes[at]);
    s->tapes[at] = made;
    return true;
}

// A tape that serves all modes has the factors of its last constants. Rows of a circuit are constants that change with
// each set of modes, and come again: each of the last few has a tape of its own then, so that nothing is made anew.
// Sets follow one another as they did before. *known: the constants are those of the tape.
static Tape* find_twin(Series* s, const double* R, bool* known)
{
    uint32_t next = s->tape->follows;
    *known = true;
    if (next < s->tape_count && tape_has_constants(s->tapes[next], R))
        return s->tapes[next];
    if (tape_has_constants(s->tape, R))
        return s->tape;
    for (uint32_t i = 0; i < s->tape_count; i++)
        if (tape_has_constants(s->tapes[i], R))
        {
            s->tape->follows = i;
            return s->tapes[i];
        }
    *known = false;
    if (s->tape_count == TAPES_KEPT)
        return s->tapes[s->tape_next++ % TAPES_KEPT];
    Tape* made = tape_make(s, R);
    return keep_tape(s, made) ? made : s->tape;
}

static Tape* find_tape(Series* s, const double* R, bool* known)
{
    *known = false;
    if (s->tape != NULL && has_modes(s->tape, R))
        return s->tape->mode_count == 0 && s->tape->field.few != NULL ? find_twin(s, R, known) : s->tape;
    uint32_t next = s->tape != NULL ? s->tape->follows : s->tape_count;
    if (next < s->tape_count && has_modes(s->tapes[next], R))
        return s->tapes[next];
    for (uint32_t i = 0; i < s->tape_count; i++)
        if (has_modes(s->tapes[i], R))
        {
            if (s->tape != NULL)
                s->tape->follows = i;
            return s->tapes[i];
        }
    Tape* made = tape_make(s, R);
    return keep_tape(s, made) ? made : NULL;
}

static SeriesStatus begin_tape(Series* s, double* registers, const VmHost* host, uint32_t* failed)
{
    bool known;
    s->tape = find_tape(s, registers, &known);
    if (s->tape == NULL)
        return SERIES_MEMORY;
    s->degree = s->tape->degree;
    s->settled = s->tape->bare && s->tape->mode_count == 0;
    if (s->tape->bare || (known && s->tape->firm))
        return SERIES_OK;
    *failed =
        s->tape->obstacle != NO_REG ? s->tape->obstacle : tape_load(s->tape, s->space->model, registers, host, known);
    return *failed == NO_REG ? SERIES_OK : SERIES_NONE;
}

SeriesStatus series_begin(Series* s, double* registers, const VmHost* host, uint32_t* failed)
{
    *failed = hot_run(&s->hot, s->space->model, registers, s->code, s->end, host);
    if (*failed != 0)
        return SERIES_LOOP;
    return s->settled ? SERIES_OK : begin_tape(s, registers, host, failed);
}

static void run_parts(Tape* t, int k)
{
    for (const TapePart *part = t->parts + t->steady, *end = t->parts + t->part_count; part < end; part++)
    {
        if (part->unknowns > 0)
            order_newton(t, part, k);
        else
            for (uint32_t round = 0; round < part->rounds; round++)
                tape_run_part(t, part, k);
    }
}

static inline void load_order(Series* s, const double* in)
{
    Tape* t = s->tape;
    for (uint32_t i = 0; i < s->input_count; i++)
        t->now[TAPE_INPUT + i] = in[i];
}

// Time, and what moves as it does.
static void run_steady(Tape* t, int k)
{
    t->now[t->time_slot] = k == 1;
    if (t->steady && k <= t->parts[0].last)
        tape_run_part(t, &t->parts[0], k);
}

void series_order(Series* s, int k, const double* in, double* out)
{
    load_order(s, in);
    run_steady(s->tape, k);
    run_parts(s->tape, k);
    for (uint32_t i = 0; i < s->output_count; i++)
        out[i] = s->tape->now[s->tape->outputs[i]];
}

// What a field without rows does.
static inline void take_states(Tape* t, int k, const double* in, uint32_t states)
{
    for (uint32_t i = 0; i < states; i++)
        t->now[TAPE_INPUT + i] = in[i];
    for (const uint32_t *push = t->field.pushes, *end = push + 2 * (size_t)t->field.push_count; push < end; push += 2)
        t->rows[push[1] + (uint32_t)k] = t->now[push[0]];
}

// Parts that are straight lie one after the other, and are one.
__attribute__((noinline)) static void run_beside(Series* s, int from, int to, double* const* x)
{
    Tape* t = s->tape;
    const uint32_t states = s->input_count;
    const bool idle = t->field.idle, straight = t->straight;
    const uint32_t* first = straight ? t->words + t->parts[t->steady].start : NULL;
    const uint32_t* last = straight ? t->words + t->parts[t->part_count - 1].end : NULL;
    for (int k = from; k < to; k++)
    {
        if (k <= STEADY_LAST)
            run_steady(t, k);
        if (idle)
            take_states(t, k, x[k], states);
        else
            tape_field_run(t, k, k + 1, x, states);
        if (straight)
            run_words(t, first, last, k);
        else
            run_parts(t, k);
        tape_field_end(t, k, x[k + 1]);
    }
}

void series_run(Series* s, int from, int to, double* const* x)
{
    if (s->tape->alone)
        tape_field_run(s->tape, from, to, x, s->input_count);
    else
        run_beside(s, from, to, x);
}

int series_inputs(const Series* s, int room, double* inputs, uint64_t* key)
{
    const Tape* t = s->tape;
    if (t->degree != SERIES_WHOLE || !t->alone || t->field.products || (int)t->field.inputs > room)
        return -1;
    if (t->field.inputs > 0)
        tape_field_get(t, inputs);
    *key = t->field.key;
    return (int)t->field.inputs;
}

void series_try(Series* s, const double* inputs, int to, double* const* x)
{
    tape_field_put(s->tape, inputs);
    tape_field_run(s->tape, 1, to, x, s->input_count);
}

double series_rest(const Series* s, int k, double h, const double* weights)
{
    return tape_field_rest(s->tape, k, h, weights, s->input_count);
}

const FewField* series_few(const Series* s)
{
    return s->tape != NULL && s->tape->field.is_few ? s->tape->field.few : NULL;
}

int* series_orders(Series* s)
{
    return &s->tape->orders;
}

bool series_is_settled(const Series* s)
{
    return s->settled;
}

int series_degree(const Series* s)
{
    return s->degree;
}

// ---- making
// ----------------------------------------------------------------------------------------------------------

static void* get(kaiAllocator a, size_t size)
{
    void* block = a.alloc(a.user, NULL, 0, size > 0 ? size : 1);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

SeriesSpace* series_space_create(const kaiModel* model, kaiAllocator a)
{
    SeriesSpace* space = get(a, sizeof *space);
    if (space == NULL)
        return NULL;
    *space = (SeriesSpace){.model = model, .allocator = a};
    space->slot_of = get(a, sizeof(uint32_t) * model->reg_count);
    space->constant_of = get(a, sizeof(uint32_t) * model->reg_count);
    space->draft = tape_draft_create(space);
    if (space->slot_of == NULL || space->constant_of == NULL || space->draft == NULL)
    {
        series_space_free(space);
        return NULL;
    }
    memset(space->slot_of, 0xff, sizeof(uint32_t) * model->reg_count);
    memset(space->constant_of, 0xff, sizeof(uint32_t) * model->reg_count);
    return space;
}

void series_space_free(SeriesSpace* space)
{
    if (space == NULL)
        return;
    kaiAllocator a = space->allocator;
    size_t size = sizeof(uint32_t) * space->model->reg_count;
    tape_draft_free(space);
    if (space->slot_of != NULL)
        a.alloc(a.user, space->slot_of, size > 0 ? size : 1, 0);
    if (space->constant_of != NULL)
        a.alloc(a.user, space->constant_of, size > 0 ? size : 1, 0);
    a.alloc(a.user, space, sizeof *space, 0);
}

static size_t series_size(uint32_t inputs, uint32_t outputs)
{
    return sizeof(Series) + sizeof(uint32_t) * ((size_t)inputs + outputs);
}

Series* series_create(SeriesSpace* space, const SeriesSpec* spec)
{
    Series* s = get(space->allocator, series_size(spec->input_count, spec->output_count));
    if (s == NULL)
        return NULL;
    s->space = space;
    s->code = spec->slice != NULL ? spec->slice->words : space->model->code + spec->range.start;
    s->end = spec->slice != NULL ? s->code + spec->slice->count : space->model->code + spec->range.end;
    s->closed = spec->closed;
    s->input_count = spec->input_count;
    s->output_count = spec->output_count;
    s->inputs = (uint32_t*)(s + 1);
    s->outputs = s->inputs + s->input_count;
    for (uint32_t i = 0; i < s->input_count; i++)
        s->inputs[i] = spec->inputs[i];
    for (uint32_t i = 0; i < s->output_count; i++)
        s->outputs[i] = spec->outputs[i];
    return s;
}

void series_free(Series* s)
{
    if (s == NULL)
        return;
    kaiAllocator a = s->space->allocator;
    for (uint32_t i = 0; i < s->tape_count; i++)
        tape_free(s->space, s->tapes[i]);
    a.alloc(a.user, s, series_size(s->input_count, s->output_count), 0);
}

uint32_t series_reads(const Series* s)
{
    const TapeField* f = &s->tape->field;
    uint32_t bits = 0;
    if (!s->settled || !f->lean || s->input_count > 32)
        return UINT32_MAX;
    for (const TapePiece* piece = f->stream; piece < f->last_stream; piece++)
        if (piece->x >= TAPE_INPUT && piece->x < TAPE_INPUT + s->input_count)
            bits |= UINT32_C(1) << (piece->x - TAPE_INPUT);
        else if (piece->x != TAPE_ZERO)
            return UINT32_MAX;
    return bits;
}

void series_fetch(const Series* series)
{
    if (series == NULL)
        return;
    __builtin_prefetch(series);
    __builtin_prefetch(&series->degree);
    __builtin_prefetch(series->code);
}
