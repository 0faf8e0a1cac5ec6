// See range.h.
#include "vm/range.h"

#include "base/dense.h"
#include "model/code.h"
#include "vm/interval.h"

#include <string.h>

enum
{
    POWER_PLAIN = 8,  // powers up to this are polynomials that every method resolves
};

struct VmRanges
{
    const kaiModel* model;
    kaiAllocator allocator;
    const double* R;
    const VmHost* host;
    VmRange* at;       // per register
    uint32_t* stamps;  // the question that a range belongs to
    uint32_t stamp;
    const uint32_t* words;
    const uint8_t* unread;
    double limit, widest;
};

// ---- operators that can hide something

typedef struct Marking
{
    const kaiModel* model;
    const uint32_t* words;
    uint8_t *moved, *marks;
    bool grew, any;
} Marking;

static bool moves(const Marking* m, uint32_t reg)
{
    uint32_t state = m->model->reg_first[REG_STATE], rate = m->model->reg_first[REG_DERIV],
             count = m->model->state_count;
    return m->moved[reg] || reg == m->model->reg_time || (reg >= state && reg < state + count) ||
           (reg >= rate && reg < rate + count);
}

static bool is_constant(const kaiModel* model, uint32_t reg)
{
    return reg >= model->reg_first[REG_CONST] && reg < model->reg_first[REG_CONST] + model->constants_count;
}

static bool power_is_plain(const Marking* m, const uint32_t* pc)
{
    if (!is_constant(m->model, pc[2]))
        return false;
    double p = m->model->constants[pc[2] - m->model->reg_first[REG_CONST]];
    return p >= 1 && p <= POWER_PLAIN;
}

static bool may_be_sharp(uint32_t op)
{
    switch (op)
    {
    case VM_TAN:
    case VM_ATAN:
    case VM_SINH:
    case VM_COSH:
    case VM_TANH:
    case VM_EXP:
    case VM_LOG:
    case VM_LOG10:
    case VM_SQRT:
    case VM_DIV:
    case VM_POW:
    case VM_ATAN2:
    case VM_HYPOT:
    case VM_DELAYED: return true;
    default: return false;
    }
}

static bool is_sharp(const Marking* m, uint32_t op, const uint32_t* pc)
{
    switch (op)
    {
    case VM_DIV: return moves(m, pc[2]);
    case VM_POW: return (moves(m, pc[1]) || moves(m, pc[2])) && !power_is_plain(m, pc);
    case VM_ATAN2:
    case VM_HYPOT: return moves(m, pc[1]) || moves(m, pc[2]);
    case VM_DELAYED: return true;
    default: return may_be_sharp(op) && moves(m, pc[1]);
    }
}

static bool reads_motion(const Marking* m, const CodeItem* item, const uint32_t* pc)
{
    bool any = item->op == VM_DELAYED;
    if (item->op == VM_ROW || item->op == VM_ROW_SIZE)
    {
        for (uint32_t i = 0; i < vm_constant(m->model, pc[3]) && !any; i++)
            any = moves(m, pc[1] + i) || moves(m, pc[2] + i);
        return any;
    }
    for (uint32_t k = 1; k < item->stride && !any; k++)
        any = moves(m, pc[k]);
    return any;
}

static void set_moving(Marking* m, uint32_t reg)
{
    m->grew |= m->moved[reg] == 0;
    m->moved[reg] = 1;
}

static void mark_item(Marking* m, const CodeItem* item)
{
    const uint32_t *pc = m->words + item->first_reg, *end = pc + item->reg_count;
    if (item->op == VM_NEWTON)  // what is solved for moves with what it is solved from
        for (uint32_t i = 0; i < m->words[item->at + 2]; i++)
            set_moving(m, pc[i]);
    for (; item->stride > 0 && pc < end; pc += item->stride)
    {
        if (reads_motion(m, item, pc))
            set_moving(m, pc[0]);
        if (is_sharp(m, item->op, pc))
        {
            m->marks[pc[0]] = 1;
            m->any = true;
        }
    }
}

static void mark_all(Marking* m, uint32_t count)
{
    CodeItem item;
    do
    {
        m->grew = false;
        for (uint32_t at = 0; at < count && code_item(m->words, at, count, &item); at += item.words)
            mark_item(m, &item);
    } while (m->grew);  // once more than loops of definitions are deep
}

// Whether there is an operator at all that could: most programs have none.
static bool has_sharp(const uint32_t* words, uint32_t count)
{
    CodeItem item;
    bool any = false;
    for (uint32_t at = 0; !any && at < count && code_item(words, at, count, &item); at += item.words)
        any = may_be_sharp(item.op);
    return any;
}

bool ranges_mark_sharp(const kaiModel* model, const uint32_t* words, uint32_t count, uint8_t* marks)
{
    Marking m = {.model = model, .words = words, .moved = marks + model->reg_count, .marks = marks};
    if (has_sharp(words, count))
        mark_all(&m, count);
    return m.any;
}

void ranges_mark_unread(const kaiModel* model, const uint32_t* words, uint32_t count, uint8_t* marks)
{
    CodeItem item;
    for (uint32_t at = 0; at < count && code_item(words, at, count, &item); at += item.words)
        for (uint32_t i = 0; i < item.reg_count; i++)
        {
            const uint32_t *pc = words + item.first_reg + i, place = item.stride > 0 ? i % item.stride : 1;
            bool row = (item.op == VM_ROW || item.op == VM_ROW_SIZE) && (place == 1 || place == 2);
            if (place > 0)
                memset(marks + pc[0], 0, row ? vm_constant(model, words[item.first_reg + i - place + 3]) : 1);
        }
}

static void clear(uint8_t* marks, uint32_t first, uint32_t count)
{
    memset(marks + first, 0, count);
}

void ranges_clear_marks(const kaiModel* model, const uint32_t* words, uint32_t count, uint8_t* marks)
{
    CodeItem item;
    for (uint32_t at = 0; at < count && code_item(words, at, count, &item); at += item.words)
        for (uint32_t i = 0; i < item.reg_count; i++)
        {
            const uint32_t* pc = words + item.first_reg + i;
            bool row = (item.op == VM_ROW || item.op == VM_ROW_SIZE) && (i % item.stride == 1 || i % item.stride == 2);
            uint32_t many = row ? vm_constant(model, words[item.first_reg + i - i % item.stride + 3]) : 1;
            clear(marks, pc[0], many);
            clear(marks + model->reg_count, pc[0], many);
        }
}

// ---- ranges

VmRanges* ranges_create(const kaiModel* model, kaiAllocator a)
{
    size_t count = model->reg_count, size = sizeof(VmRanges) + count * (sizeof(VmRange) + sizeof(uint32_t));
    VmRanges* w = a.alloc(a.user, NULL, 0, size);
    if (w == NULL)
        return NULL;
    memset(w, 0, size);
    w->model = model;
    w->allocator = a;
    w->at = (VmRange*)(w + 1);
    w->stamps = (uint32_t*)(w->at + count);
    return w;
}

void ranges_free(VmRanges* w)
{
    if (w == NULL)
        return;
    size_t count = w->model->reg_count, size = sizeof(VmRanges) + count * (sizeof(VmRange) + sizeof(uint32_t));
    w->allocator.alloc(w->allocator.user, w, size, 0);
}

void ranges_begin(VmRanges* w, const double* registers, const VmHost* host, double limit)
{
    w->R = registers;
    w->host = host;
    w->limit = limit;
    w->widest = 0;
    if (++w->stamp == 0)
    {
        memset(w->stamps, 0, sizeof *w->stamps * w->model->reg_count);
        w->stamp = 1;
    }
}

static __attribute__((noinline)) void hold_still(const VmRanges* w, uint32_t reg)
{
    w->at[reg] = (VmRange){w->R[reg], w->R[reg], 0, 0};
    w->stamps[reg] = w->stamp;
}

// With what goes evenly apart.
static inline const VmRange* look_up(const VmRanges* w, uint32_t reg)
{
    if (w->stamps[reg] != w->stamp)
        hold_still(w, reg);
    return &w->at[reg];
}

static inline VmRange whole(const VmRange* a)
{
    double reach = fabs(a->slope);
    if (reach == 0)
        return (VmRange){a->low, a->high, a->hidden, 0};
    VmRange z = interval(a->low - reach, a->high + reach);
    z.hidden = a->hidden;
    return z;
}

VmRange ranges_get(const VmRanges* w, uint32_t reg)
{
    return whole(look_up(w, reg));
}

static inline void put(VmRanges* w, uint32_t reg, VmRange z)
{
    w->at[reg] = z;
    w->stamps[reg] = w->stamp;
}

void ranges_set(VmRanges* w, uint32_t reg, double middle, double slope, double rest)
{
    VmRange a = interval(middle - rest, middle + rest);
    a.slope = isfinite(slope) ? slope : 0;
    put(w, reg, a);
}

// ---- operators that read more than registers

// From its values at the ends and at the rows in between: a part of a row is a part of its values, or no division of a
// step would ever narrow them.
static VmRange table(const VmRanges* w, const uint32_t* pc)
{
    uint32_t index = vm_constant(w->model, pc[2]);
    const Table* t = &w->model->tables[index];
    const double *x = w->model->numbers + t->first_x, *y = w->model->numbers + t->first_y;
    VmRange a = ranges_get(w, pc[1]),
            z = interval_of(vm_table(w->model, index, a.low), vm_table(w->model, index, a.high));
    double steep = 0;
    for (uint32_t i = 0; i < t->rows; i++)
    {
        if (interval_has(a, x[i]))
            z = (VmRange){smaller(z.low, y[i]), larger(z.high, y[i]), 0, 0};
        if (i > 0 && x[i] > a.low && x[i - 1] < a.high)
            steep = larger(steep, fabs((y[i] - y[i - 1]) / (x[i] - x[i - 1])));
    }
    return interval_pass(z, steep, a.hidden);
}

// Guards watch the rows of a table: in a step of the solver it has one slope.
static VmRange table_slope(const VmRanges* w, const uint32_t* pc)
{
    VmRange a = ranges_get(w, pc[1]);
    double slope = vm_table_slope(w->model, vm_constant(w->model, pc[2]), 0.5 * (a.low + a.high));
    return interval(slope, slope);
}

static VmRange row(const VmRanges* w, const uint32_t* pc, bool size)
{
    uint32_t count = vm_constant(w->model, pc[3]);
    VmRange sum = {0, 0, 0, 0};
    for (uint32_t i = 0; i < count; i++)
    {
        double unused;
        VmRange term = interval_mul(ranges_get(w, pc[1] + i), ranges_get(w, pc[2] + i));
        sum = interval_add(sum, size ? interval_unary(VM_ABS, term, &unused) : term);
    }
    return sum;
}

// A history has as many pieces as it took to follow the signal: that many units.
static VmRange delayed(const VmRanges* w, const uint32_t* pc, double* units)
{
    VmRange a = ranges_get(w, pc[2]), z = {w->R[pc[0]], w->R[pc[0]], 0, 0};
    if (w->host == NULL || w->host->delayed_range == NULL)
        return z;
    *units = w->host->delayed_range(w->host->ctx, vm_constant(w->model, pc[1]), a.low, a.high,
                                    vm_constant(w->model, pc[3]), &z.low, &z.high);
    return interval_pass(interval(z.low, z.high), INFINITY, a.hidden);
}

static VmRange choose(const VmRanges* w, const uint32_t* pc)
{
    VmRange a = ranges_get(w, pc[1]);
    if (a.low == 0 && a.high == 0)
        return ranges_get(w, pc[3]);
    return interval_has(a, 0) ? interval_hull(ranges_get(w, pc[2]), ranges_get(w, pc[3])) : ranges_get(w, pc[2]);
}

static VmRange other(const VmRanges* w, uint32_t op, const uint32_t* pc, double* units)
{
    VmRange still = {w->R[pc[0]], w->R[pc[0]], 0, 0};
    switch (op)
    {
    case VM_SELECT: return choose(w, pc);
    case VM_TABLE: return table(w, pc);
    case VM_TABLE_SLOPE: return table_slope(w, pc);
    case VM_ROW: return row(w, pc, false);
    case VM_ROW_SIZE: return row(w, pc, true);
    case VM_DELAYED: return delayed(w, pc, units);
    default: return still;  // RANDOM, TABLE_ROWS and what nobody can look into
    }
}

static VmRange times(const VmRange* a, double factor)
{
    VmRange z = interval_mul((VmRange){a->low, a->high, a->hidden, 0}, interval(factor, factor));
    z.slope = interval_times(factor, a->slope);
    return z;
}

static inline bool is_point(const VmRange* a)
{
    return a->low == a->high && a->slope == 0;
}

// What leaves even motion even: sums, and products with what stands still. They are most of a program, and run by run
// as in the interpreter.

static inline VmRange sum(const VmRange* a, const VmRange* b)
{
    VmRange z = interval_add(*a, *b);
    z.slope = a->slope + b->slope;
    return z;
}

static inline VmRange difference(const VmRange* a, const VmRange* b)
{
    VmRange z = a == b ? interval(0, 0) : interval_sub(*a, *b);
    z.slope = a->slope - b->slope;
    return z;
}

static inline VmRange product(const VmRange* a, const VmRange* b)
{
    if (is_point(b) || is_point(a))
        return is_point(b) ? times(a, b->low) : times(b, a->low);
    return a == b ? interval_square(whole(a)) : interval_mul(whole(a), whole(b));
}

static inline VmRange negative(const VmRange* a)
{
    return (VmRange){-a->high, -a->low, a->hidden, -a->slope};
}

#define RUN_UNARY(result)                                                                                              \
    for (; pc < end; pc += 2)                                                                                          \
    {                                                                                                                  \
        const VmRange* a = look_up(w, pc[1]);                                                                          \
        put(w, pc[0], result);                                                                                         \
    }                                                                                                                  \
    return true
#define RUN_BINARY(result)                                                                                             \
    for (; pc < end; pc += 3)                                                                                          \
    {                                                                                                                  \
        const VmRange *a = look_up(w, pc[1]), *b = look_up(w, pc[2]);                                                  \
        put(w, pc[0], result);                                                                                         \
    }                                                                                                                  \
    return true

// False: its operators are others.
static bool run_plain(VmRanges* w, const CodeItem* item)
{
    const uint32_t *pc = w->words + item->first_reg, *end = pc + item->reg_count;
    switch (item->op)
    {
    case VM_MOVE: RUN_UNARY(*a);
    case VM_NEG: RUN_UNARY(negative(a));
    case VM_ADD: RUN_BINARY(sum(a, b));
    case VM_SUB: RUN_BINARY(difference(a, b));
    case VM_MUL: RUN_BINARY(product(a, b));
    default: return false;
    }
}

static VmRange operate(const VmRanges* w, const CodeItem* item, const uint32_t* pc, double* units)
{
    if (item->op >= VM_SELECT)
        return other(w, item->op, pc, units);
    VmRange a = ranges_get(w, pc[1]);
    if (item->stride == 2)
        return interval_unary(item->op, a, units);
    return interval_binary(item->op, a, ranges_get(w, pc[2]), units);
}

// A result that nobody reads is not made.
static bool is_measured(VmRanges* w, const CodeItem* item, const uint32_t* pc)
{
    if (w->unread == NULL || w->unread[pc[0]] == 0 || item->op >= VM_SELECT)
        return false;
    const VmRange *a = look_up(w, pc[1]), *b = item->stride > 2 ? look_up(w, pc[2]) : a;
    double units = item->op == VM_POW && is_point(b) ? interval_power_units(whole(a), b->low)
                                                     : interval_units(item->op, whole(a), whole(b));
    w->widest = larger(w->widest, units);
    return true;
}

static void run(VmRanges* w, const CodeItem* item)
{
    const uint32_t *pc = w->words + item->first_reg, *end = pc + item->reg_count;
    if (run_plain(w, item))
        return;
    for (; pc < end; pc += item->op == VM_CALL ? item->reg_count : item->stride)
    {
        if (is_measured(w, item, pc))
            continue;
        double units = 0;
        VmRange z = operate(w, item, pc, &units);
        w->widest = larger(w->widest, units);
        if (units > w->limit)
            z.hidden = interval_width(z);
        put(w, pc[0], z);
    }
}

// ---- control

static void walk(VmRanges* w, uint32_t at, uint32_t end);

// As many rounds as members settle the last.
static void fix(VmRanges* w, const CodeItem* item)
{
    uint32_t rounds = w->words[item->at + 3], body = item->at + item->words;
    for (uint32_t i = 0; i < rounds; i++)
        walk(w, body, body + item->body);
}

// The inverse of the derivatives of the residuals, as they were when the equations were solved last, row by row.
static bool invert(const VmRanges* w, const uint32_t* derivatives, uint32_t n, double* inverse)
{
    double J[NEWTON_MAX * NEWTON_MAX], column[NEWTON_MAX];
    uint32_t pivots[NEWTON_MAX];
    for (uint32_t i = 0; i < n * n; i++)
        J[i] = w->R[derivatives[i]];
    if (!dense_factor(J, pivots, n))
        return false;
    for (uint32_t j = 0; j < n; j++)
    {
        memset(column, 0, sizeof *column * n);
        column[j] = 1;
        dense_solve(J, pivots, column, n);
        for (uint32_t i = 0; i < n; i++)
            inverse[i * n + j] = column[i];
    }
    return true;
}

// To first order around the last solution: the residuals that the motion makes there, through the inverse.
static void newton(VmRanges* w, const CodeItem* item)
{
    uint32_t n = w->words[item->at + 2], body = item->at + item->words, end = body + item->body;
    const uint32_t *unknowns = w->words + item->at + 4, *residuals = unknowns + n;
    double inverse[NEWTON_MAX * NEWTON_MAX];
    VmRange moved[NEWTON_MAX];
    for (uint32_t i = 0; i < n; i++)
        put(w, unknowns[i], interval(w->R[unknowns[i]], w->R[unknowns[i]]));
    walk(w, body, end);
    if (!invert(w, residuals + n, n, inverse))
        return;
    for (uint32_t i = 0; i < n; i++)
    {
        moved[i] = ranges_get(w, unknowns[i]);
        for (uint32_t j = 0; j < n; j++)
        {
            double factor = inverse[i * n + j];
            moved[i] = interval_sub(moved[i], interval_mul(interval(factor, factor), ranges_get(w, residuals[j])));
        }
    }
    for (uint32_t i = 0; i < n; i++)
        put(w, unknowns[i], moved[i]);
    walk(w, body, end);
}

static void walk(VmRanges* w, uint32_t at, uint32_t end)
{
    CodeItem item;
    while (at < end && code_item(w->words, at, end, &item))
    {
        uint32_t next = at + item.words + item.body;
        switch (item.op)
        {
        case VM_SWITCH: next = (uint32_t)(vm_switch_target(w->R, w->words + at) - w->words); break;
        case VM_JUMP: next = at + w->words[at + 1]; break;
        case VM_FIX: fix(w, &item); break;
        case VM_NEWTON: newton(w, &item); break;
        default: run(w, &item); break;
        }
        at = next;
    }
}

double ranges_walk(VmRanges* w, const uint32_t* words, uint32_t count)
{
    return ranges_measure(w, words, count, NULL);
}

double ranges_measure(VmRanges* w, const uint32_t* words, uint32_t count, const uint8_t* unread)
{
    w->words = words;
    w->unread = unread;
    walk(w, 0, count);
    return w->widest;
}
