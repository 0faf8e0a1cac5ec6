// The interpreter. Code comes in runs of one operator (see model.h), so the dispatch is paid once a run and the loops
// inside are plain; this file is compiled without jump tables because an indirect branch with many targets mispredicts
// nearly always on virtual machines.
#include "vm/vm.h"

#include "base/newton.h"
#include "base/tolerance.h"
#include "vm/tangent.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The value of a table at u, or its slope: linear between the rows, constant beyond them.
static double table_value(const kaiModel* model, uint32_t index, double u, bool slope)
{
    const Table* table = &model->tables[index];
    const double* x = model->numbers + table->first_x;
    const double* y = model->numbers + table->first_y;
    uint32_t lo = 0, hi = table->rows - 1;
    if (!(u >= x[lo]))
        return slope ? 0 : y[lo];
    if (u >= x[hi])
        return slope ? 0 : y[hi];
    while (hi - lo > 1)
    {
        uint32_t mid = (lo + hi) / 2;
        if (u < x[mid])
            hi = mid;
        else
            lo = mid;
    }
    double rise = (y[hi] - y[lo]) / (x[hi] - x[lo]);
    return slope ? rise : y[lo] + (y[hi] - y[lo]) * ((u - x[lo]) / (x[hi] - x[lo]));
}

// How many rows of a table have an x below u.
static double table_rows(const kaiModel* model, uint32_t index, double u)
{
    const Table* table = &model->tables[index];
    const double* x = model->numbers + table->first_x;
    uint32_t lo = 0, hi = table->rows;
    while (lo < hi)
    {
        uint32_t mid = (lo + hi) / 2;
        if (x[mid] < u)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

// SplitMix64 of key, number and seed: draws that do not depend on each other or on the order in which they are made.
static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// 0 for what is no such number.
static uint64_t whole(double x)
{
    return x >= 0 && x < 0x1p64 ? (uint64_t)x : 0;
}

static double draw(double key, double number, double seed)
{
    uint64_t z = mix(mix(whole(key)) ^ mix(whole(seed) + 0x51ed270b7a3c1dafu));
    return (double)(mix(z ^ mix(whole(number))) >> 11) * 0x1p-53;
}

// An external function, of the arity that its declaration gives. It is trusted to have that many arguments.
static double call_external(const External* f, const double* R, const uint32_t* a)
{
    // clang-format off
    switch (f->arity)
    {
    case 0: return ((double (*)(void))f->function)();
    case 1: return ((double (*)(double))f->function)(R[a[0]]);
    case 2: return ((double (*)(double, double))f->function)(R[a[0]], R[a[1]]);
    case 3: return ((double (*)(double, double, double))f->function)(R[a[0]], R[a[1]], R[a[2]]);
    case 4: return ((double (*)(double, double, double, double))f->function)(R[a[0]], R[a[1]], R[a[2]], R[a[3]]);
    case 5: return ((double (*)(double, double, double, double, double))f->function)(R[a[0]], R[a[1]], R[a[2]], R[a[3]], R[a[4]]);
    case 6: return ((double (*)(double, double, double, double, double, double))f->function)(R[a[0]], R[a[1]], R[a[2]], R[a[3]], R[a[4]], R[a[5]]);
    case 7: return ((double (*)(double, double, double, double, double, double, double))f->function)(R[a[0]], R[a[1]], R[a[2]], R[a[3]], R[a[4]], R[a[5]], R[a[6]]);
    default: return ((double (*)(double, double, double, double, double, double, double, double))f->function)(R[a[0]], R[a[1]], R[a[2]], R[a[3]], R[a[4]], R[a[5]], R[a[6]], R[a[7]]);
    }
    // clang-format on
}

static double call(const External* f, const double* R, const uint32_t* a, const VmHost* host)
{
    if (f->block == 0)
        return call_external(f, R, a);
    return host->block != NULL ? host->block(host->blocks, f, R, a) : NAN;
}

// In pairs of pairs: rounding grows with the logarithm of the count, and a derivative that leaves zeros away
// (row_derivative in src/lower) has the same bits. `sum` holds the blocks of 8, 16, 32 … terms that wait for their
// neighbour.
static double row_sum(const double* x, const double* c, uint32_t count)
{
    double sum[32], rest;
    uint32_t i = 0, waiting = 0;
    for (; i + 8 <= count; i += 8, x += 8, c += 8)
    {
        double low = (c[0] * x[0] + c[1] * x[1]) + (c[2] * x[2] + c[3] * x[3]);
        double all = low + ((c[4] * x[4] + c[5] * x[5]) + (c[6] * x[6] + c[7] * x[7]));
        for (uint32_t block = i / 8; block % 2 == 1; block /= 2)
            all = sum[--waiting] + all;
        sum[waiting++] = all;
    }
    bool any = false;
    rest = 0;
    for (uint32_t size = 1; size < 8; size *= 2)  // the last 1, 2 and 4, the smallest first
    {
        if ((count & size) == 0)
            continue;
        uint32_t at = (count & 7u & ~(2 * size - 1));
        double part = c[at] * x[at];
        if (size > 1)
            part += c[at + 1] * x[at + 1];
        if (size > 2)
            part += c[at + 2] * x[at + 2] + c[at + 3] * x[at + 3];
        rest = any ? part + rest : part;
        any = true;
    }
    for (; waiting > 0; any = true)
        rest = any ? sum[--waiting] + rest : sum[--waiting];
    return rest;
}

// The same of fewer than eight terms, which most rows of circuits have.
static inline double row_sum_short(const double* x, const double* c, uint32_t count)
{
    if (count >= 8 || count == 0)
        return row_sum(x, c, count);
    double four = 0, rest = 0;
    if (count >= 4)
        four = (c[0] * x[0] + c[1] * x[1]) + (c[2] * x[2] + c[3] * x[3]);
    uint32_t at = count & 4, last = count & 3;
    if (last == 0)
        return four;
    rest = c[at] * x[at];
    if (last > 1)
        rest += c[at + 1] * x[at + 1];
    if (last > 2)
        rest += c[at + 2] * x[at + 2];
    return at > 0 ? four + rest : rest;
}

static double row_size(const double* x, const double* c, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += fabs(c[i] * x[i]);
    return sum;
}

static bool is_rounding(const VmHost* host, uint32_t op, double a)
{
    double excess = op == VM_ASIN || op == VM_ACOS ? fabs(a) - 1 : fabs(a);
    return host->rounding != NULL && excess <= host->rounding(host->ctx);
}

// The value of an operator whose argument is at the border of its domain but for rounding; where it has none there,
// that at |x|.
static double at_border(uint32_t op, double a, double b)
{
    switch (op)
    {
    case VM_SQRT: return 0;
    case VM_LOG: return log(fabs(a));
    case VM_LOG10: return log10(fabs(a));
    case VM_ASIN: return asin(copysign(1, a));
    case VM_ACOS: return acos(copysign(1, a));
    default: return b > 0 ? 0 : pow(fabs(a), b);
    }
}

// Beyond the domain of an operator (VmHost.beyond): the value at |x|, of asin and acos that at the border.
static double go_beyond(const VmHost* host, uint32_t op, double a, double b)
{
    if (host == NULL || isnan(a) || isnan(b))
        return NAN;
    if (host->beyond == NULL)
        return is_rounding(host, op, a) ? at_border(op, a, b) : NAN;
    ++*host->beyond;
    switch (op)
    {
    case VM_SQRT: return sqrt(fabs(a));
    case VM_LOG: return log(fabs(a));
    case VM_LOG10: return log10(fabs(a));
    case VM_ASIN: return asin(copysign(1, a));
    case VM_ACOS: return acos(copysign(1, a));
    default: return pow(fabs(a), b);
    }
}

#define UNARY(name, expression)                                                                                        \
    case VM_##name:                                                                                                    \
        for (; count > 0; count--, pc += 2)                                                                            \
        {                                                                                                              \
            double a = R[pc[1]];                                                                                       \
            R[pc[0]] = (expression);                                                                                   \
        }                                                                                                              \
        break;

// Of operators that are not defined everywhere.
#define PARTIAL(name, expression)                                                                                      \
    case VM_##name:                                                                                                    \
        for (; count > 0; count--, pc += 2)                                                                            \
        {                                                                                                              \
            double a = R[pc[1]], value = (expression);                                                                 \
            R[pc[0]] = isnan(value) ? go_beyond(host, op, a, 0) : value;                                               \
        }                                                                                                              \
        break;

#define BINARY(name, expression)                                                                                       \
    case VM_##name:                                                                                                    \
        for (; count > 0; count--, pc += 3)                                                                            \
        {                                                                                                              \
            double a = R[pc[1]], b = R[pc[2]];                                                                         \
            R[pc[0]] = (expression);                                                                                   \
        }                                                                                                              \
        break;

#define INDEXED(name, expression)                                                                                      \
    case VM_##name:                                                                                                    \
        for (; count > 0; count--, pc += 3)                                                                            \
        {                                                                                                              \
            double a = R[pc[1]];                                                                                       \
            uint32_t index = vm_constant(model, pc[2]);                                                                \
            R[pc[0]] = (expression);                                                                                   \
        }                                                                                                              \
        break;

// What looks beyond the registers: tables, histories, rows of maps, functions of others. Returns the word after the
// run.
__attribute__((noinline)) static const uint32_t* run_others(const kaiModel* model, double* R, const uint32_t* pc,
                                                            const VmHost* host)
{
    uint32_t op = *pc & 0xff, count = *pc >> 8;
    pc++;
    switch (op)
    {
        INDEXED(TABLE, table_value(model, index, a, false))
        INDEXED(TABLE_ROWS, table_rows(model, index, a))
        INDEXED(TABLE_SLOPE, table_value(model, index, a, true))
    case VM_DELAYED:
        for (; count > 0; count--, pc += 4)
            R[pc[0]] = host->delayed(host->ctx, vm_constant(model, pc[1]), R[pc[2]], vm_constant(model, pc[3]));
        break;
    case VM_ROW:
        for (; count > 0; count--, pc += 4)
            R[pc[0]] = row_sum_short(R + pc[1], R + pc[2], vm_constant(model, pc[3]));
        break;
    case VM_ROW_SIZE:
        for (; count > 0; count--, pc += 4)
            R[pc[0]] = row_size(R + pc[1], R + pc[2], vm_constant(model, pc[3]));
        break;
    case VM_CALL:
        R[pc[0]] = call(&model->externals[vm_constant(model, pc[1])], R, pc + 2, host);
        pc += count;
        break;
    default: __builtin_trap();  // code that no compiler of ours emits
    }
    return pc;
}

// Straight-line operators. Returns the word after the run.
static const uint32_t* run_operators(const kaiModel* model, double* R, const uint32_t* pc, const VmHost* host)
{
    uint32_t op = *pc & 0xff, count = *pc >> 8;
    const uint32_t* head = pc++;
    switch (op)
    {
        UNARY(MOVE, a)
        BINARY(ADD, a + b)
        BINARY(SUB, a - b)
        BINARY(MUL, a * b)
        BINARY(DIV, a / b)
        UNARY(NEG, -a)
        BINARY(LT, a < b ? 1.0 : 0.0)
        BINARY(LE, a <= b ? 1.0 : 0.0)
        BINARY(AND, a != 0 && b != 0 ? 1.0 : 0.0)
        BINARY(OR, a != 0 || b != 0 ? 1.0 : 0.0)
        UNARY(NOT, a == 0 ? 1.0 : 0.0)
        BINARY(EQ, a == b ? 1.0 : 0.0)
        BINARY(NE, a != b ? 1.0 : 0.0)
    case VM_SELECT:
        for (; count > 0; count--, pc += 4)
            R[pc[0]] = R[pc[1]] != 0 ? R[pc[2]] : R[pc[3]];
        break;
    case VM_RANDOM:
        for (; count > 0; count--, pc += 4)
            R[pc[0]] = draw(R[pc[1]], R[pc[2]], R[pc[3]]);
        break;
        UNARY(SIN, sin(a))
        UNARY(COS, cos(a))
        PARTIAL(SQRT, sqrt(a))
        UNARY(EXP, exp(a))
        PARTIAL(LOG, log(a))
    case VM_POW:
        for (; count > 0; count--, pc += 3)
        {
            double a = R[pc[1]], b = R[pc[2]], value = pow(a, b);
            R[pc[0]] = isnan(value) ? go_beyond(host, op, a, b) : value;
        }
        break;
        UNARY(ABS, fabs(a))
        UNARY(FLOOR, floor(a))
        UNARY(SIGN, (double)((a > 0) - (a < 0)))
        BINARY(MIN, a <= b ? a : b)
        BINARY(MAX, a >= b ? a : b)
        UNARY(TAN, tan(a))
        PARTIAL(ASIN, asin(a))
        PARTIAL(ACOS, acos(a))
        UNARY(ATAN, atan(a))
        BINARY(ATAN2, atan2(a, b))
        UNARY(SINH, sinh(a))
        UNARY(COSH, cosh(a))
        UNARY(TANH, tanh(a))
        PARTIAL(LOG10, log10(a))
        BINARY(HYPOT, hypot(a, b))
    default: return run_others(model, R, head, host);
    }
    return pc;
}

static uint32_t known_count(const double* R, uint32_t first, uint32_t count)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; i++)
        known += R[first + i] != 0;
    return known;
}

// Repeats a block until its members are known. Knowing is monotone, so at most `count` rounds can add something.
static uint32_t run_fix(const kaiModel* model, double* R, const uint32_t* pc, const VmHost* host)
{
    uint32_t length = pc[1], first = pc[2], count = pc[3], component = pc[4];
    const uint32_t* body = pc + 5;
    memset(R + first, 0, sizeof(double) * count);
    for (uint32_t known = 0, before = 0;; before = known)
    {
        uint32_t failed = vm_run_words(model, R, body, body + length, host);
        if (failed != 0)
            return failed;
        known = known_count(R, first, count);
        if (known == count)
            return 0;
        if (known == before)
            return component + 1;
    }
}

_Static_assert((int)NEWTON_MAX <= (int)NEWTON_UNKNOWNS, "a block that can be compiled can be solved");

// One NEWTON word at work.
typedef struct Newton
{
    const kaiModel* model;
    double* R;
    const VmHost* host;
    uint32_t n, length;
    const uint32_t *derivatives, *body;
} Newton;

static uint32_t newton_evaluate(void* ctx)
{
    const Newton* w = ctx;
    return vm_run_words(w->model, w->R, w->body, w->body + w->length, w->host);
}

// The unknowns are rounded once, and so is what each operator of the block gives.
static bool newton_is_rounding(void* ctx)
{
    const Newton* w = ctx;
    const uint32_t *residuals = w->derivatives - w->n, *unknowns = residuals - w->n;
    uint32_t start = (uint32_t)(w->body - w->model->code);
    double* errors = w->host != NULL ? w->host->errors : NULL;
    if (errors == NULL)
        return false;
    memset(errors, 0, sizeof *errors * w->model->reg_count);
    for (uint32_t i = 0; i < w->n; i++)
        errors[unknowns[i]] = 0.5 * DBL_EPSILON * fabs(w->R[unknowns[i]]);
    bool within = vm_rounding(w->model, w->R, (CodeRange){start, start + w->length}, w->host, errors);
    for (uint32_t i = 0; i < w->n && within; i++)
        within = fabs(w->R[residuals[i]]) <= LOOP_RESIDUAL * errors[residuals[i]];
    return within;
}

static uint32_t newton_matrix(void* ctx, double* J)
{
    const Newton* w = ctx;
    for (uint32_t i = 0; i < w->n * w->n; i++)
        J[i] = w->R[w->derivatives[i]];
    return 0;
}

// With the derivatives of the block; where they lead nowhere, with difference quotients.
static uint32_t newton_both(NewtonSystem* system, const double* start)
{
    for (uint32_t i = 0; i < system->n; i++)
        system->R[system->unknowns[i]] = start[i];
    system->matrix = newton_matrix;
    uint32_t failed = newton_solve(system);
    if (failed != NEWTON_LOST)
        return failed;
    for (uint32_t i = 0; i < system->n; i++)
        system->R[system->unknowns[i]] = start[i];
    system->matrix = NULL;
    return newton_solve(system);
}

// From where the last evaluation left the unknowns; if that leads nowhere, from zero. What the last evaluation found
// may be far away by now: all diodes of a bridge may block there, and nothing says which way to go. Fails (component +
// 1) if there is no solution within reach.
static uint32_t run_newton(const kaiModel* model, double* R, const uint32_t* pc, const VmHost* host)
{
    uint32_t n = pc[2];
    const uint32_t *unknowns = pc + 4, *residuals = unknowns + n, *derivatives = residuals + n;
    Newton w = {model, R, host, n, pc[1], derivatives, derivatives + (size_t)n * n};
    double start[NEWTON_MAX], last[NEWTON_MAX];
    for (uint32_t i = 0; i < n; i++)
        start[i] = isfinite(R[unknowns[i]]) ? R[unknowns[i]] : 0;
    NewtonSystem system = {.n = n,
                           .rounds = host != NULL ? host->rounds : 0,
                           .R = R,
                           .unknowns = unknowns,
                           .residuals = residuals,
                           .ctx = &w,
                           .evaluate = newton_evaluate,
                           .is_rounding = newton_is_rounding};
    uint32_t failed = newton_both(&system, start);
    if (failed != NEWTON_LOST)
        return failed;
    for (uint32_t i = 0; i < n; i++)
    {
        last[i] = R[unknowns[i]];
        start[i] = 0;
    }
    failed = newton_both(&system, start);
    if (failed != NEWTON_LOST)
        return failed;
    bool derivative = model->components[pc[3]].derivative;  // NaN, as that of √x at 0 is where it is written down
    for (uint32_t i = 0; i < n; i++)                        // a message shows these
        R[unknowns[i]] = derivative ? NAN : last[i];
    failed = newton_evaluate(&w);
    return failed != 0 || derivative ? failed : pc[3] + 1;
}

_Static_assert(VM_MOVE == 0 && VM_DIV == 4 && VM_NEG == 5, "vm_run_words has the operators up to VM_NEG");

__attribute__((noinline)) static uint32_t run_all(const kaiModel* model, double* R, const uint32_t* pc,
                                                  const uint32_t* end, const VmHost* host)
{
    while (pc < end)
    {
        uint32_t op = *pc & 0xff;
        if (op < VM_OP_COUNT)
            pc = run_operators(model, R, pc, host);
        else if (op == VM_SWITCH)
            pc = vm_switch_target(R, pc);
        else if (op == VM_JUMP)
            pc += pc[1];
        else if (op == VM_NEWTON)
        {
            uint32_t failed = run_newton(model, R, pc, host);
            if (failed != 0)
                return failed;
            pc += 4 + newton_registers(pc[2]) + pc[1];
        }
        else
        {
            uint32_t failed = run_fix(model, R, pc, host);
            if (failed != 0)
                return failed;
            pc += 5 + pc[1];
        }
    }
    return 0;
}

// Relations, what is made of them, modes, and rows of maps. NULL: it is none of these.
static inline const uint32_t* run_logic(const kaiModel* model, double* R, const uint32_t* head)
{
    uint32_t op = *head & 0xff, count = *head >> 8;
    const uint32_t* pc = head + 1;
    if (op == VM_SELECT)
        for (; count > 0; count--, pc += 4)
            R[pc[0]] = R[pc[1]] != 0 ? R[pc[2]] : R[pc[3]];
    else if (op == VM_LT)
        for (; count > 0; count--, pc += 3)
            R[pc[0]] = R[pc[1]] < R[pc[2]] ? 1.0 : 0.0;
    else if (op == VM_EQ)
        for (; count > 0; count--, pc += 3)
            R[pc[0]] = R[pc[1]] == R[pc[2]] ? 1.0 : 0.0;
    else if (op == VM_AND)
        for (; count > 0; count--, pc += 3)
            R[pc[0]] = R[pc[1]] != 0 && R[pc[2]] != 0 ? 1.0 : 0.0;
    else if (op == VM_OR)
        for (; count > 0; count--, pc += 3)
            R[pc[0]] = R[pc[1]] != 0 || R[pc[2]] != 0 ? 1.0 : 0.0;
    else if (op == VM_ROW)
        for (; count > 0; count--, pc += 4)
            R[pc[0]] = row_sum_short(R + pc[1], R + pc[2], vm_constant(model, pc[3]));
    else if (op == VM_ROW_SIZE)
        for (; count > 0; count--, pc += 4)
            R[pc[0]] = row_size(R + pc[1], R + pc[2], vm_constant(model, pc[3]));
    else if (op == VM_NOT)
        for (; count > 0; count--, pc += 2)
            R[pc[0]] = R[pc[1]] == 0 ? 1.0 : 0.0;
    else if (op == VM_ABS)
        for (; count > 0; count--, pc += 2)
            R[pc[0]] = fabs(R[pc[1]]);
    else if (op == VM_SWITCH)
        pc = vm_switch_target(R, head);
    else
        pc = op == VM_JUMP ? head + head[1] : NULL;
    return pc;
}

// The operators that short programs consist of, without what the others need: most programs of an instant have a
// handful of instructions, and setting up the interpreter would cost more than running them.
uint32_t vm_run_words(const kaiModel* model, double* R, const uint32_t* pc, const uint32_t* end, const VmHost* host)
{
    while (pc < end)
    {
        uint32_t op = *pc & 0xff, count = *pc >> 8;
        if (op > VM_NEG)
        {
            const uint32_t* next = run_logic(model, R, pc);
            if (next == NULL)
                return run_all(model, R, pc, end, host);
            pc = next;
            continue;
        }
        pc++;
        if (op == VM_MOVE)
            for (; count > 0; count--, pc += 2)
                R[pc[0]] = R[pc[1]];
        else if (op == VM_MUL)
            for (; count > 0; count--, pc += 3)
                R[pc[0]] = R[pc[1]] * R[pc[2]];
        else if (op == VM_ADD)
            for (; count > 0; count--, pc += 3)
                R[pc[0]] = R[pc[1]] + R[pc[2]];
        else if (op == VM_SUB)
            for (; count > 0; count--, pc += 3)
                R[pc[0]] = R[pc[1]] - R[pc[2]];
        else if (op == VM_NEG)
            for (; count > 0; count--, pc += 2)
                R[pc[0]] = -R[pc[1]];
        else
            for (; count > 0; count--, pc += 3)
                R[pc[0]] = R[pc[1]] / R[pc[2]];
    }
    return 0;
}

double vm_table(const kaiModel* model, uint32_t table, double u)
{
    return table_value(model, table, u, false);
}

double vm_table_slope(const kaiModel* model, uint32_t table, double u)
{
    return table_value(model, table, u, true);
}
