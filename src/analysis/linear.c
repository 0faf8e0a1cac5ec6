// Linear systems around a point of a run: Jacobians column by column, poles, frequency response.
#include "kairos/analysis.h"

#include "analysis/point.h"
#include "analysis/ties.h"
#include "base/dense.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "num/eigen.h"
#include "run/variation_parts.h"

#include <math.h>
#include <string.h>

struct kaiLinear
{
    kaiAllocator allocator;
    kaiLinearSystem system;
    int *states, *inputs, *outputs;
    double *x, *slopes, *A, *B, *C, *D, *poles, *frequencies;
    double *by_state, *by_input;  // what ties storages that depend on others, by states and by inputs
    int* tied;                    // their states
    int tie_count;
    double* matrix;  // 2n × 2n: i ω - A as a real system
    double* right;
    uint32_t* pivots;
    double* block;
    size_t size;
};

kaiLinearOptions kaiDefaultLinearOptions(void)
{
    return (kaiLinearOptions){.cookie = KAI_COOKIE, .at = NAN};
}

// ---- which variables

static bool is_number(const ModelVar* var)
{
    return var->column == KAI_COLUMN_REAL && !var->hidden && var->present == NO_REG;
}

static int all_of(const kaiModel* model, bool inputs, int* list)
{
    int count = 0;
    for (uint32_t i = 0; i < model->vars_count; i++)
    {
        const ModelVar* var = &model->vars[i];
        bool wanted = inputs ? var->kind == MODEL_INPUT && var->settable : var->is_output;
        if (!wanted || !is_number(var))
            continue;
        if (list != NULL)
            list[count] = (int)i;
        count++;
    }
    return count;
}

static bool check_list(const kaiModel* model, const int* list, int count, bool inputs, kaiError* error)
{
    for (int i = 0; list != NULL && i < count; i++)
    {
        bool there = list[i] >= 0 && (uint32_t)list[i] < model->vars_count;
        const ModelVar* var = there ? &model->vars[list[i]] : NULL;
        bool fits = there && (inputs ? var->settable && (var->kind == MODEL_INPUT || var->kind == MODEL_PARAM)
                                     : var->column == KAI_COLUMN_REAL);
        if (fits)
            continue;
        error_set(error, KAI_ERR_USAGE,
                  there && inputs ? "%s is neither an input nor a parameter that can be set"
                  : there         ? "%s is no number that could be an output"
                                  : "there is no variable of this number%s",
                  there ? model_string(model, var->name) : "");
        return false;
    }
    return true;
}

// ---- making

static kaiLinear* make(const kaiModel* model, const kaiLinearOptions* o, kaiAllocator a)
{
    size_t n = model->state_count;
    size_t m = (size_t)(o->inputs != NULL ? o->input_count : all_of(model, true, NULL));
    size_t q = (size_t)(o->outputs != NULL ? o->output_count : all_of(model, false, NULL));
    size_t numbers = 4 * n + n * n + n * m + q * n + q * m + 4 * n * n + 2 * n + n * n + n * m;
    size_t size = sizeof(kaiLinear) + sizeof(double) * numbers + sizeof(uint32_t) * (2 * n + 2 * n + 2 * m + q + 1);
    kaiLinear* l = a.alloc(a.user, NULL, 0, size);
    if (l == NULL)
        return NULL;
    memset(l, 0, size);
    l->allocator = a;
    l->size = size;
    double* at = (double*)(void*)(l + 1);
    double** const parts[] = {&l->x, &l->slopes, &l->poles,  &l->frequencies, &l->A,        &l->B,
                              &l->C, &l->D,      &l->matrix, &l->right,       &l->by_state, &l->by_input};
    const size_t counts[] = {n, n, n, n, n * n, n * m, q * n, q * m, 4 * n * n, 2 * n, n * n, n * m};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; at += counts[i++])
        *parts[i] = at;
    l->pivots = (uint32_t*)(void*)at;
    l->states = (int*)(void*)(l->pivots + 2 * n);
    l->tied = l->states + n;
    l->inputs = l->tied + n;
    l->outputs = l->inputs + m;
    for (size_t i = 0; i < n; i++)
        l->states[i] = (int)model->state_vars[i];
    if (o->inputs != NULL && m > 0)
        memcpy(l->inputs, o->inputs, sizeof(int) * m);
    else
        all_of(model, true, l->inputs);
    if (o->outputs != NULL && q > 0)
        memcpy(l->outputs, o->outputs, sizeof(int) * q);
    else
        all_of(model, false, l->outputs);
    l->system = (kaiLinearSystem){NAN,       (int)n, (int)m, (int)q, l->states, l->inputs, l->outputs,    l->x,
                                  l->slopes, l->A,   l->B,   l->C,   l->D,      l->poles,  l->frequencies};
    return l;
}

void kaiLinear_Free(kaiLinear* l)
{
    if (l != NULL)
        l->allocator.alloc(l->allocator.user, l, l->size, 0);
}

kaiLinearSystem kaiLinear_System(const kaiLinear* l)
{
    return l != NULL ? l->system : (kaiLinearSystem){.t = 0};
}

// ---- matrices

// What the motion in point->D does to slopes, outputs and ties: a column of A and C, or of B and D.
static bool take_column(kaiLinear* l, Point* p, double* above, double* below, double* ties, int column, int width)
{
    if (!point_move(p))
        return false;
    l->tie_count = ties_move(p, l->tied, p->ties);
    for (int k = 0; k < l->tie_count; k++)
        ties[k * width + column] = p->ties[k];
    for (int i = 0; i < p->n; i++)
        above[i * width + column] = p->D[p->model->reg_first[REG_DERIV] + (uint32_t)i];
    for (int i = 0; i < l->system.output_count; i++)
        below[i * width + column] = p->D[p->model->vars[l->outputs[i]].reg];
    return true;
}

// A parameter moves with all that was made of it at the start; states and time stand still.
static void move_input(Point* p, int variable, int* parameters)
{
    point_still(p);
    if (p->model->vars[variable].kind == MODEL_INPUT)
    {
        p->D[p->model->vars[variable].reg] = 1;
        return;
    }
    memcpy(p->D, variation_tangent(p->variation, (uint32_t)(*parameters)++), sizeof(double) * (size_t)p->regs);
    memset(p->D + p->model->reg_first[REG_STATE], 0, sizeof(double) * (size_t)p->n);
}

static bool fill(kaiLinear* l, Point* p)
{
    uint32_t state = p->model->reg_first[REG_STATE];
    int parameters = 0;
    bool ok = point_slopes(p);
    for (int j = 0; j < p->n && ok; j++)
    {
        point_still(p);
        p->D[state + (uint32_t)j] = 1;
        ok = take_column(l, p, l->A, l->C, l->by_state, j, p->n);
    }
    for (int j = 0; j < l->system.input_count && ok; j++)
    {
        move_input(p, l->inputs[j], &parameters);
        ok = take_column(l, p, l->B, l->D, l->by_input, j, l->system.input_count);
    }
    l->system.t = p->t;
    if (p->n > 0)
    {
        memcpy(l->x, p->x, sizeof(double) * (size_t)p->n);
        memcpy(l->slopes, p->f, sizeof(double) * (size_t)p->n);
    }
    return ok;
}

// ---- storages that depend on others are no states of their own

static kaiStatus check_inputs(const kaiLinear* l, const kaiModel* model, kaiError* error)
{
    for (int k = 0; k < l->tie_count; k++)
        for (int j = 0; j < l->system.input_count; j++)
            if (l->by_input[k * l->system.input_count + j] != 0)
                return error_set(error, KAI_ERR_RUN,
                                 "%s follows the input %s at once, so that what flows into it follows the slope of the "
                                 "input, which A, B, C and D cannot say: put a resistance between the two",
                                 model_string(model, model->vars[l->states[l->tied[k]]].name),
                                 model_string(model, model->vars[l->inputs[j]].name));
    return KAI_OK;
}

// The columns of `m` for the tied states, times what these are of the others, join those of the others.
static void fold(const kaiLinear* l, double* m, int rows, int n, const double* of_others)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < l->tie_count; k++)
                m[i * n + j] += m[i * n + l->tied[k]] * of_others[k * n + j];
}

static bool is_tied(const kaiLinear* l, int state)
{
    bool tied = false;
    for (int k = 0; k < l->tie_count && !tied; k++)
        tied = l->tied[k] == state;
    return tied;
}

// What the tied states are of the others, from by_state: into `of_others`, tie_count × n, 0 in their own columns.
static bool solve_ties(kaiLinear* l, int n, double* of_others)
{
    uint32_t count = (uint32_t)l->tie_count;
    double* own = l->matrix;
    for (int k = 0; k < l->tie_count; k++)
        for (int i = 0; i < l->tie_count; i++)
            own[k * l->tie_count + i] = l->by_state[k * n + l->tied[i]];
    if (!dense_factor(own, l->pivots, count))
        return false;
    for (int j = 0; j < n; j++)
    {
        for (int k = 0; k < l->tie_count; k++)
            l->right[k] = is_tied(l, j) ? 0 : -l->by_state[k * n + j];
        dense_solve(own, l->pivots, l->right, count);
        for (int k = 0; k < l->tie_count; k++)
            of_others[k * n + j] = l->right[k];
    }
    return true;
}

// The rows and columns of the states that are left move together.
static void leave_out(kaiLinear* l, int n)
{
    int m = l->system.input_count, left = 0;
    for (int i = 0; i < n; i++)
    {
        if (is_tied(l, i))
            continue;
        l->states[left] = l->states[i];
        l->x[left] = l->x[i];
        l->slopes[left] = l->slopes[i];
        memmove(l->A + (size_t)left * (size_t)n, l->A + (size_t)i * (size_t)n, sizeof(double) * (size_t)n);
        memmove(l->B + (size_t)left * (size_t)m, l->B + (size_t)i * (size_t)m, sizeof(double) * (size_t)m);
        left++;
    }
    double* const matrices[] = {l->A, l->C};
    const int rows[] = {left, l->system.output_count};
    for (int which = 0; which < 2; which++)
        for (int i = 0, to = 0; i < rows[which]; i++)
            for (int j = 0; j < n; j++)
                if (!is_tied(l, j))
                    matrices[which][to++] = matrices[which][i * n + j];
    l->system.state_count = left;
}

static kaiStatus reduce(kaiLinear* l, const Point* p, kaiError* error)
{
    if (l->tie_count == 0)
        return KAI_OK;
    kaiStatus status = check_inputs(l, p->model, error);
    if (status != KAI_OK)
        return status;
    double* of_others = l->matrix + (size_t)l->tie_count * (size_t)l->tie_count;  // 4 n² are there
    if (!solve_ties(l, p->n, of_others))
        return error_set(error, KAI_ERR_RUN, "storages depend on each other at t = %.9g in a way that nothing resolves",
                         p->t);
    fold(l, l->A, p->n, p->n, of_others);
    fold(l, l->C, l->system.output_count, p->n, of_others);
    leave_out(l, p->n);
    return KAI_OK;
}

// A matrix in the units of the declarations: rows over columns.
static void show(const kaiModel* model, double* m, const int* rows, int row_count, const int* columns, int column_count)
{
    for (int i = 0; i < row_count; i++)
        for (int j = 0; j < column_count; j++)
            m[i * column_count + j] *=
                var_scale(&model->vars[columns[j]]).scale / var_scale(&model->vars[rows[i]]).scale;
}

static void show_all(kaiLinear* l, const kaiModel* model)
{
    const kaiLinearSystem* s = &l->system;
    show(model, l->A, l->states, s->state_count, l->states, s->state_count);
    show(model, l->B, l->states, s->state_count, l->inputs, s->input_count);
    show(model, l->C, l->outputs, s->output_count, l->states, s->state_count);
    show(model, l->D, l->outputs, s->output_count, l->inputs, s->input_count);
    for (int i = 0; i < s->state_count; i++)
    {
        Scale unit = var_scale(&model->vars[l->states[i]]);
        l->x[i] = scale_from_si(unit, l->x[i]);
        l->slopes[i] = scale_difference(unit, l->slopes[i]);
    }
}

static kaiStatus linearize(kaiLinear* l, Point* p, const kaiLinearOptions* o, kaiError* error)
{
    kaiStatus status = o->steady ? point_settle(p, error) : KAI_OK;
    if (status != KAI_OK)
        return status;
    if (!fill(l, p))
        return error_set(error, KAI_ERR_RUN, "an expression has no derivative at t = %.9g", p->t);
    status = reduce(l, p, error);
    if (status != KAI_OK)
        return status;
    show_all(l, p->model);
    status = eigen_values(l->A, l->system.state_count, l->poles, l->frequencies, l->allocator);
    if (status == KAI_ERR_MEMORY)
        return error_memory(error);
    return status == KAI_OK ? KAI_OK
                            : error_set(error, KAI_ERR_RUN,
                                        "the poles at t = %.9g could not be computed: an entry of "
                                        "df/dx is not finite",
                                        p->t);
}

kaiLinear* kaiLinear_Create(const kaiModel* model, const kaiSimOptions* sim, const kaiLinearOptions* options,
                            kaiError* error)
{
    if (model == NULL || sim == NULL || options == NULL || sim->allocator.alloc == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no model, or there are no options"), NULL;
    if (!error_check_cookie(&options->cookie, "kaiDefaultLinearOptions", error) ||
        !check_list(model, options->inputs, options->input_count, true, error) ||
        !check_list(model, options->outputs, options->output_count, false, error))
        return NULL;
    kaiLinear* l = make(model, options, sim->allocator);
    if (l == NULL)
        return error_memory(error), NULL;
    int *moved = l->outputs + l->system.output_count, count = 0;  // room behind them
    for (int i = 0; i < l->system.input_count; i++)
        if (model->vars[l->inputs[i]].kind != MODEL_INPUT)
            moved[count++] = l->inputs[i];
    Point point;
    bool ok = point_open(&point, model, sim, options->at, moved, count, error);
    if (ok)
    {
        ok = linearize(l, &point, options, error) == KAI_OK;
        point_close(&point);
    }
    if (!ok)
        kaiLinear_Free(l);
    return ok ? l : NULL;
}

// ---- response

kaiStatus kaiLinear_Response(const kaiLinear* l, int output, int input, double omega, double* real, double* imaginary)
{
    if (l == NULL || real == NULL || imaginary == NULL || output < 0 || input < 0 || output >= l->system.output_count ||
        input >= l->system.input_count || !isfinite(omega))
        return KAI_ERR_USAGE;
    int n = l->system.state_count, m = l->system.input_count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            l->matrix[i * 2 * n + j] = l->matrix[(n + i) * 2 * n + n + j] = -l->A[i * n + j];
            l->matrix[i * 2 * n + n + j] = i == j ? -omega : 0;
            l->matrix[(n + i) * 2 * n + j] = i == j ? omega : 0;
        }
    for (int i = 0; i < n; i++)
    {
        l->right[i] = l->B[i * m + input];
        l->right[n + i] = 0;
    }
    if (n > 0 && !dense_factor(l->matrix, l->pivots, 2 * (uint32_t)n))
        return KAI_ERR_RUN;
    dense_solve(l->matrix, l->pivots, l->right, 2 * (uint32_t)n);
    *real = l->D[output * m + input];
    *imaginary = 0;
    for (int i = 0; i < n; i++)
    {
        *real += l->C[output * n + i] * l->right[i];
        *imaginary += l->C[output * n + i] * l->right[n + i];
    }
    return KAI_OK;
}
