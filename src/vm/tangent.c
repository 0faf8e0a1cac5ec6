// See tangent.h. The values are there already, so that a pass is one walk over the code; operators whose operands all
// stand still give 0 without looking at their derivative, which need not exist there (sqrt at 0).
#include "vm/tangent.h"
#include "base/dense.h"
#include "base/tolerance.h"
#include "model/code.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct Tangent
{
    const kaiModel* model;
    double *R, *D;
    const VmHost* host;
    bool rounding;  // D holds bounds of rounding errors instead
} Tangent;

static bool walk(const Tangent* w, uint32_t at, uint32_t end);

// ---- operators

static double times(double slope, double d)
{
    return d == 0 ? 0 : slope * d;
}

static double unary(uint32_t op, double a, double z, double d)
{
    switch (op)
    {
    case VM_MOVE: return d;
    case VM_NEG: return -d;
    case VM_SIN: return times(cos(a), d);
    case VM_COS: return times(-sin(a), d);
    case VM_TAN: return times(1 + z * z, d);
    case VM_ASIN: return times(1 / sqrt((1 - a) * (1 + a)), d);
    case VM_ACOS: return times(-1 / sqrt((1 - a) * (1 + a)), d);
    case VM_ATAN: return times(1 / (1 + a * a), d);
    case VM_SINH: return times(cosh(a), d);
    case VM_COSH: return times(sinh(a), d);
    case VM_TANH: return times(1 - z * z, d);
    case VM_EXP: return times(z, d);
    case VM_LOG: return times(1 / a, d);
    case VM_LOG10: return times(1 / (a * log(10)), d);
    case VM_SQRT: return times(0.5 / z, d);
    case VM_ABS: return a > 0 ? d : a < 0 ? -d : fabs(d);
    default: return 0;  // SIGN, FLOOR, NOT
    }
}

static double power(double a, double b, double z, double da, double db)
{
    return times(b * pow(a, b - 1), da) + times(z * log(a), db);
}

static double binary(uint32_t op, double a, double b, double z, double da, double db)
{
    double r;
    switch (op)
    {
    case VM_ADD: return da + db;
    case VM_SUB: return da - db;
    case VM_MUL: return times(b, da) + times(a, db);
    case VM_DIV: return times(1 / b, da) - times(z / b, db);
    case VM_POW: return power(a, b, z, da, db);
    case VM_ATAN2: r = a * a + b * b; return times(b / r, da) - times(a / r, db);
    case VM_HYPOT: return times(a / z, da) + times(b / z, db);
    case VM_MIN: return a < b ? da : a > b ? db : fmin(da, db);
    case VM_MAX: return a > b ? da : a < b ? db : fmax(da, db);
    default: return 0;  // relations, AND, OR
    }
}

static double row(const Tangent* w, const uint32_t* pc, bool size)
{
    uint32_t count = (uint32_t)w->R[pc[3]];
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        double x = w->R[pc[1] + i], c = w->R[pc[2] + i];
        double term = times(c, w->D[pc[1] + i]) + times(x, w->D[pc[2] + i]);
        sum += size && c * x < 0 ? -term : term;
    }
    return sum;
}

// A function that nobody can look into: a difference of order six along the direction.
static double external(const Tangent* w, const CodeItem* item)
{
    const uint32_t* pc = w->model->code + item->first_reg;
    enum
    {
        MOST = 1024  // arguments of a question to a block
    };
    double kept[2 + MOST], most = 0, size = 0, sum = 0;
    uint32_t count = item->reg_count;
    if (count > 2 + MOST)
        return NAN;
    for (uint32_t i = 0; i < count; i++)
        kept[i] = w->R[pc[i]];
    for (uint32_t i = 2; i < count; i++)
    {
        most = fmax(most, fabs(w->D[pc[i]]));
        size = fmax(size, fabs(w->R[pc[i]]));
    }
    double h = most > 0 ? DIFFERENCE_SIXTH * (size > 0 ? size : 1) / most : 0;
    static const double weights[] = {0.75, -0.15, 1.0 / 60};
    for (int k = -3; k <= 3 && most > 0; k++)
    {
        if (k == 0)
            continue;
        for (uint32_t i = 2; i < count; i++)
            w->R[pc[i]] = kept[i] + k * h * w->D[pc[i]];
        vm_run(w->model, w->R, (CodeRange){item->at, item->at + item->words}, w->host);
        sum += (k > 0 ? 1 : -1) * weights[(k > 0 ? k : -k) - 1] * w->R[pc[0]];
    }
    for (uint32_t i = 0; i < count; i++)
        w->R[pc[i]] = kept[i];
    return most > 0 ? sum / h : 0;
}

static double other(const Tangent* w, uint32_t op, const uint32_t* pc)
{
    const double *R = w->R, *D = w->D;
    switch (op)
    {
    case VM_SELECT: return R[pc[1]] != 0 ? D[pc[2]] : D[pc[3]];
    case VM_TABLE: return times(vm_table_slope(w->model, (uint32_t)R[pc[2]], R[pc[1]]), D[pc[1]]);
    case VM_ROW: return row(w, pc, false);
    case VM_ROW_SIZE: return row(w, pc, true);
    case VM_DELAYED: return NAN;  // its past has moved too, and nobody has kept how
    default: return 0;            // RANDOM, TABLE_ROWS, TABLE_SLOPE
    }
}

static bool rounds(uint32_t op)
{
    switch (op)
    {
    case VM_MOVE:
    case VM_NEG:
    case VM_ABS:
    case VM_MIN:
    case VM_MAX:
    case VM_SELECT: return false;
    default: return true;
    }
}

// Of a row each product rounds, and each of the sums on the way, which may be as large as all terms together.
static double row_error(const Tangent* w, const uint32_t* pc)
{
    uint32_t count = (uint32_t)w->R[pc[3]];
    double sum = 0, size = 0, sums = 1;
    for (uint32_t i = 0; i < count; i++)
    {
        double x = fabs(w->R[pc[1] + i]), c = fabs(w->R[pc[2] + i]);
        sum += times(c, w->D[pc[1] + i]) + times(x, w->D[pc[2] + i]);
        size += c * x;
    }
    for (uint32_t terms = 1; terms < count; terms *= 2)
        sums++;
    return sum + 0.5 * DBL_EPSILON * sums * size;
}

// What the operands are off by, each as far as it matters, and the rounding of the result itself.
static double error(const Tangent* w, const CodeItem* item, const uint32_t* pc)
{
    const double *R = w->R, *D = w->D;
    uint32_t op = item->op;
    double own = rounds(op) ? 0.5 * DBL_EPSILON * fabs(R[pc[0]]) : 0, sum;
    if (op == VM_CALL || op == VM_DELAYED)
        return own;
    if (op == VM_ROW || op == VM_ROW_SIZE)
        return row_error(w, pc);
    if (op >= VM_SELECT)
        sum = fabs(other(w, op, pc));
    else if (item->stride == 2)
        sum = fabs(unary(op, R[pc[1]], R[pc[0]], D[pc[1]]));
    else
        sum = fabs(binary(op, R[pc[1]], R[pc[2]], R[pc[0]], D[pc[1]], 0)) +
              fabs(binary(op, R[pc[1]], R[pc[2]], R[pc[0]], 0, D[pc[2]]));
    return sum + own;
}

static void run(const Tangent* w, const CodeItem* item)
{
    const uint32_t *pc = w->model->code + item->first_reg, *end = pc + item->reg_count;
    const double *R = w->R, *D = w->D;
    if (w->rounding)
    {
        for (; pc < end; pc += item->op == VM_CALL ? item->reg_count : item->stride)
            w->D[pc[0]] = error(w, item, pc);
        return;
    }
    if (item->op == VM_CALL)
    {
        w->D[pc[0]] = external(w, item);
        return;
    }
    bool plain = item->op < VM_SELECT;  // one or two operands, and nothing but their values
    for (; pc < end; pc += item->stride)
        if (plain && item->stride == 2)
            w->D[pc[0]] = unary(item->op, R[pc[1]], R[pc[0]], D[pc[1]]);
        else if (plain)
            w->D[pc[0]] = binary(item->op, R[pc[1]], R[pc[2]], R[pc[0]], D[pc[1]], D[pc[2]]);
        else
            w->D[pc[0]] = other(w, item->op, pc);
}

// ---- control

// Each member depends on others that were known before it: as many rounds as members settle the last.
static bool fix(const Tangent* w, const CodeItem* item)
{
    uint32_t rounds = w->model->code[item->at + 3], body = item->at + item->words;
    for (uint32_t i = 0; i < rounds; i++)
        if (!walk(w, body, body + item->body))
            return false;
    return true;
}

// The residuals stay 0: J du = -dr, with J by passes of its own, which see every way from an unknown to a residual.
static bool newton(const Tangent* w, const CodeItem* item)
{
    uint32_t n = w->model->code[item->at + 2], body = item->at + item->words, end = body + item->body;
    const uint32_t *unknowns = w->model->code + item->at + 4, *residuals = unknowns + n;
    double J[NEWTON_MAX * NEWTON_MAX], r[NEWTON_MAX];
    uint32_t pivots[NEWTON_MAX];
    for (uint32_t i = 0; i < n; i++)
        w->D[unknowns[i]] = 0;
    bool ok = walk(w, body, end);
    for (uint32_t i = 0; i < n; i++)
        r[i] = w->D[residuals[i]];
    for (uint32_t j = 0; j < n && ok; j++)
    {
        w->D[unknowns[j]] = 1;
        ok = walk(w, body, end);
        for (uint32_t i = 0; i < n; i++)
            J[i * n + j] = w->D[residuals[i]] - r[i];
        w->D[unknowns[j]] = 0;
    }
    if (!ok || !dense_factor(J, pivots, n))
        return false;
    dense_solve(J, pivots, r, n);
    for (uint32_t i = 0; i < n; i++)
        w->D[unknowns[i]] = -r[i];
    return walk(w, body, end);
}

static uint32_t switch_target(const Tangent* w, uint32_t at)
{
    const uint32_t* pc = w->model->code + at;
    uint32_t count = pc[2], mode = (uint32_t)w->R[pc[1]], offset = mode < count ? pc[3 + mode] : NO_REG;
    return at + 3 + count + 1 + (offset != NO_REG ? offset : pc[3 + count]);
}

static bool walk(const Tangent* w, uint32_t at, uint32_t end)
{
    CodeItem item;
    bool ok = true;
    while (at < end && ok && code_item(w->model->code, at, end, &item))
    {
        uint32_t next = at + item.words + item.body;
        switch (item.op)
        {
        case VM_SWITCH: next = switch_target(w, at); break;
        case VM_JUMP: next = at + w->model->code[at + 1]; break;
        case VM_FIX: ok = fix(w, &item); break;
        case VM_NEWTON: ok = newton(w, &item); break;
        default: run(w, &item); break;
        }
        at = next;
    }
    return ok;
}

bool vm_tangent(const kaiModel* model, double* registers, CodeRange range, const VmHost* host, double* tangents)
{
    Tangent w = {model, registers, tangents, host, false};
    return walk(&w, range.start, range.end);
}

bool vm_rounding(const kaiModel* model, double* registers, CodeRange range, const VmHost* host, double* errors)
{
    Tangent w = {model, registers, errors, host, true};
    return walk(&w, range.start, range.end);
}
