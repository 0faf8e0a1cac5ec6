// Guards of time alone, ahead of time. A foreign integrator looks at indicators where its steps end, so of two
// crossings in one step it sees neither. Where a guard reads time and what stands still between instants
// (`sin(2*pi*f*time) > s`), nothing the integrator does can change when it crosses: that is found here when an instant
// ends, from the power series of the guard, and told as the next event time. A search that finds nothing ends after
// some windows with an event time at which nothing happens but the next search.
#include "base/tolerance.h"
#include "kernel/guard.h"
#include "model/code.h"
#include "num/polynomial.h"
#include "run/eval.h"
#include "vm/series.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum
{
    ORDERS = 20,        // of a series
    WINDOWS_MOST = 64,  // of one search
};

// ---- which guards
// ----------------------------------------------------------------------------------------------------

static bool is_input(const kaiModel* model, uint32_t reg)
{
    for (uint32_t i = 0; i < model->vars_count; i++)
        if (model->vars[i].kind == MODEL_INPUT && model->vars[i].reg == reg)
            return true;
    return false;
}

// What moves between instants other than time, or can be moved from outside.
static bool moves(const kaiModel* model, uint32_t reg)
{
    bool state = reg >= model->reg_first[REG_STATE] && reg < model->reg_first[REG_MEMORY];
    return state || is_input(model, reg);
}

static bool reads_time_alone(const kaiModel* model, const Guard* guard)
{
    CodeItem item;
    for (uint32_t at = guard->code.start; at < guard->code.end; at += item.words)
    {
        if (!code_item(model->code, at, guard->code.end, &item) || item.op == VM_DELAYED)
            return false;
        for (uint32_t i = 0; i < item.reg_count; i++)
            if (moves(model, model->code[item.first_reg + i]))
                return false;
    }
    return guard->code.end > guard->code.start;
}

static bool is_ahead(const kaiModel* model, const Guard* guard)
{
    return guard->searched && !guard->time_only && !guard->one_way && guard->state_count == 0 &&
           reads_time_alone(model, guard);
}

static size_t list_size(const kaiEval* eval)
{
    return sizeof(Series*) * (eval->model->guards_count + 1);
}

bool eval_ahead_make(kaiEval* eval)
{
    const kaiModel* model = eval->model;
    kaiAllocator a = eval->options.allocator;
    eval->ahead = a.alloc(a.user, NULL, 0, list_size(eval));
    if (eval->ahead == NULL)
        return false;
    memset(eval->ahead, 0, list_size(eval));
    for (uint32_t i = 0; i < model->guards_count; i++)
    {
        eval->indicators[i].due = INFINITY;
        if (!is_ahead(model, &model->guards[i]))
            continue;
        if (eval->ahead_space == NULL)
            eval->ahead_space = series_space_create(model, a);
        SeriesSpec spec = {.range = model->guards[i].code, .outputs = &model->guards[i].g, .output_count = 1};
        eval->ahead[i] = eval->ahead_space != NULL ? series_create(eval->ahead_space, &spec) : NULL;
        if (eval->ahead[i] == NULL)
            return false;
    }
    return true;
}

void eval_ahead_free(kaiEval* eval)
{
    kaiAllocator a = eval->options.allocator;
    for (uint32_t i = 0; eval->ahead != NULL && i < eval->model->guards_count; i++)
        series_free(eval->ahead[i]);
    series_space_free(eval->ahead_space);
    if (eval->ahead != NULL)
        a.alloc(a.user, eval->ahead, list_size(eval), 0);
}

// ---- the search
// ----------------------------------------------------------------------------------------------------

typedef struct Ahead
{
    kaiEval* eval;
    uint32_t guard;
    const Indicator* z;
    double from;  // of the window
    double c[ORDERS + 1];
    int degree;
} Ahead;

static double value_at(const Ahead* a, double t)
{
    Kernel* kernel = &a->eval->kernel;
    kernel->R[kernel->model->reg_time] = t;
    vm_run(kernel->model, kernel->R, kernel->model->guards[a->guard].code, &kernel->host);
    return guard_value(kernel, &kernel->model->guards[a->guard]);
}

static bool expand(Ahead* a)
{
    Kernel* kernel = &a->eval->kernel;
    Series* series = a->eval->ahead[a->guard];
    uint32_t failed;
    const double none = 0;
    kernel->R[kernel->model->reg_time] = a->from;
    if (series_begin(series, kernel->R, &kernel->host, &failed) != SERIES_OK)
        return false;
    a->c[0] = guard_value(kernel, &kernel->model->guards[a->guard]);
    a->degree = 0;
    for (int k = 1; k <= ORDERS && isfinite(a->c[k - 1]); k++)
    {
        series_order(series, k, &none, &a->c[k]);
        if (a->c[k] != 0)
            a->degree = k;
    }
    return isfinite(a->c[a->degree]) && isfinite(a->c[0]);
}

// As long as the last terms are below rounding, so that what was cut off is.
static double resolved(const Ahead* a, double length)
{
    for (int round = 0; round < 60; round++)
    {
        double size = polynomial_bound(a->c, a->degree, length, 0), longest = length;
        for (int k = a->degree; a->degree >= ORDERS - 2 && k > a->degree - 3; k--)
            if (a->c[k] != 0)
                longest = fmin(longest, pow(WINDOW_TERMS * size / fabs(a->c[k]), 1. / k));
        if (longest >= length)
            break;
        length = fmin(longest, 0.95 * length);
    }
    return length;
}

// How far the polynomial holds, at most `length`: its end agrees with the guard.
static double window_length(const Ahead* a, double length)
{
    length = resolved(a, length);
    for (int round = 0; round < 60; round++, length /= 4)
    {
        double size = polynomial_bound(a->c, a->degree, length, 0);
        double off = fabs(polynomial_plain(a->c, a->degree, length) - value_at(a, a->from + length));
        if (off <= WINDOW_AGREES * size)
            break;
    }
    return length;
}

// A root is known to the rounding of the polynomial: the event is where the guard itself has crossed for certain.
static double past_level(const Ahead* a, double t)
{
    double step = DBL_EPSILON * fmax(fabs(t), DBL_MIN / DBL_EPSILON);
    for (int round = 0; round < 40; round++, t += step, step *= 2)
        if (-a->z->toward * value_at(a, t) + a->z->bias <= 0)
            return t;
    return INFINITY;
}

static double first_root(const Ahead* a, double length)
{
    PolynomialRoot roots[ORDERS];
    int count = polynomial_roots(a->c, a->degree, length, GUARD_NOISE * fabs(a->c[0]), roots, ORDERS);
    for (int i = 0; i < count; i++)
        if (!roots[i].touch && roots[i].to == a->z->toward && roots[i].after > 0)
            return past_level(a, a->from + roots[i].after);
    return INFINITY;
}

static double search(kaiEval* eval, uint32_t guard, double t)
{
    Ahead a = {.eval = eval, .guard = guard, .z = &eval->indicators[guard], .from = t};
    double length = fmax(1, fabs(t));
    for (int round = 0; round < WINDOWS_MOST; round++)
    {
        if (!expand(&a))
            return INFINITY;  // its indicator has to do
        if (a.degree == 0)
            return INFINITY;  // it stands still
        length = window_length(&a, 8 * length);
        double due = first_root(&a, length);
        if (due < INFINITY)
            return due;
        if (!(a.from + length > a.from))
            return INFINITY;
        a.from += length;
    }
    return a.from;
}

void eval_ahead_arm(kaiEval* eval, double t)
{
    double* time = &eval->kernel.R[eval->model->reg_time];
    double held = *time;
    bool moved = false;
    for (uint32_t i = 0; i < eval->model->guards_count; i++)
    {
        if (eval->ahead[i] == NULL)
            continue;
        bool watched = eval->indicators[i].toward != 0;
        eval->indicators[i].due = watched ? search(eval, i, t) : INFINITY;
        moved |= watched;
    }
    *time = held;
    if (moved)
        eval->rated = false;
}

double eval_ahead_next(const kaiEval* eval)
{
    double next = INFINITY;
    for (uint32_t i = 0; eval->ahead_space != NULL && i < eval->model->guards_count; i++)
        next = fmin(next, eval->indicators[i].due);
    return next;
}
