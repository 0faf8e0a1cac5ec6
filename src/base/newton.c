#include "base/newton.h"
#include "base/dense.h"
#include "base/tolerance.h"

#include <stddef.h>

typedef struct Work
{
    const NewtonSystem* s;
    double J[NEWTON_UNKNOWNS * NEWTON_UNKNOWNS], step[NEWTON_UNKNOWNS], from[NEWTON_UNKNOWNS];
    uint32_t pivots[NEWTON_UNKNOWNS];  // J is factored
} Work;

double newton_residual(const NewtonSystem* s)
{
    double size = 0;
    for (uint32_t i = 0; i < s->n; i++)
        size = fmax(size, isfinite(s->R[s->residuals[i]]) ? fabs(s->R[s->residuals[i]]) : INFINITY);
    return size;
}

static uint32_t fill_by_differences(Work* w)
{
    const NewtonSystem* s = w->s;
    double here[NEWTON_UNKNOWNS];
    uint32_t failed = 0;
    for (uint32_t i = 0; i < s->n; i++)
        here[i] = s->R[s->residuals[i]];
    for (uint32_t k = 0; k < s->n && failed == 0; k++)
    {
        double h = DIFFERENCE_PART * (1 + fabs(w->from[k]));
        s->R[s->unknowns[k]] = w->from[k] + h;
        failed = s->evaluate(s->ctx);
        for (uint32_t i = 0; i < s->n; i++)
            w->J[i * s->n + k] = (s->R[s->residuals[i]] - here[i]) / h;
        s->R[s->unknowns[k]] = w->from[k];
    }
    return failed;
}

// The full step from here.
static uint32_t find_step(Work* w)
{
    const NewtonSystem* s = w->s;
    for (uint32_t i = 0; i < s->n; i++)
    {
        w->step[i] = s->R[s->residuals[i]];
        w->from[i] = s->R[s->unknowns[i]];
    }
    uint32_t failed = s->matrix != NULL ? s->matrix(s->ctx, w->J) : fill_by_differences(w);
    if (failed != 0 || !dense_factor(w->J, w->pivots, s->n))
        return failed != 0 ? failed : NEWTON_LOST;
    dense_solve(w->J, w->pivots, w->step, s->n);
    return 0;
}

static bool is_within(const Work* w, double relative, double absolute)
{
    bool within = true;
    for (uint32_t i = 0; i < w->s->n; i++)
        within &= fabs(w->step[i]) <= absolute + relative * fabs(w->from[i]);
    return within;
}

static uint32_t move(Work* w, double part)
{
    const NewtonSystem* s = w->s;
    for (uint32_t i = 0; i < s->n; i++)
        s->R[s->unknowns[i]] = w->from[i] - part * w->step[i];
    return s->evaluate(s->ctx);
}

// What a part of the step has done to the residual.
typedef enum Gain
{
    GAIN_NONE,  // no part made it smaller
    GAIN_POOR,  // smaller by less than a quarter of what the slopes promise
    GAIN_GOOD,
} Gain;

static uint32_t search(Work* w, double before, Gain* gain)
{
    enum
    {
        HALVINGS = 30
    };
    double part = 1;
    *gain = GAIN_NONE;
    for (int k = 0; k <= HALVINGS && *gain == GAIN_NONE; k++, part /= 2)
    {
        uint32_t failed = move(w, part);
        if (failed != 0)
            return failed;
        double size = newton_residual(w->s);
        *gain = size >= before ? GAIN_NONE : size > (1 - part / 4) * before ? GAIN_POOR : GAIN_GOOD;
    }
    return 0;
}

static bool is_rounding(const NewtonSystem* s)
{
    return s->is_rounding != NULL && s->is_rounding(s->ctx);
}

// The next step that the present residual would ask for with the slopes of the last point.
static double next_size(const Work* w)
{
    const NewtonSystem* s = w->s;
    double next[NEWTON_UNKNOWNS], size = 0;
    for (uint32_t i = 0; i < s->n; i++)
        next[i] = s->R[s->residuals[i]];
    dense_solve(w->J, w->pivots, next, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        size = fmax(size, isfinite(next[i]) ? fabs(next[i]) : INFINITY);
    return size;
}

// The same by another measure, where residuals of different sizes hide each other: the next step should be shorter than
// this one (the natural monotonicity test: Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 3.1).
static uint32_t search_natural(Work* w, bool* moved)
{
    enum
    {
        HALVINGS = 40
    };
    double part = 1, size = 0;
    for (uint32_t i = 0; i < w->s->n; i++)
        size = fmax(size, fabs(w->step[i]));
    *moved = false;
    for (int k = 0; k <= HALVINGS && !*moved; k++, part /= 2)
    {
        uint32_t failed = move(w, part);
        if (failed != 0)
            return failed;
        *moved = next_size(w) < (1 - part / 4) * size;
    }
    return 0;
}

static bool has_empty_line(const double* J, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
    {
        bool row = true, column = true;
        for (uint32_t k = 0; k < n; k++)
        {
            row &= J[i * n + k] == 0;
            column &= J[k * n + i] == 0;
        }
        if (row || column)
            return true;
    }
    return false;
}

// All residuals are 0 where the unknowns are. An unknown that none of them changes with, here and a little away, is not
// determined: any value would do, and none is right.
static uint32_t check_determined(Work* w)
{
    const NewtonSystem* s = w->s;
    for (uint32_t i = 0; i < s->n; i++)
    {
        w->from[i] = s->R[s->unknowns[i]];
        w->step[i] = LOOP_AWAY * (1 + fabs(w->from[i]));
    }
    if (s->matrix != NULL && (s->matrix(s->ctx, w->J) != 0 || !has_empty_line(w->J, s->n)))
        return 0;
    uint32_t failed = move(w, 1);
    bool free = failed == 0 && newton_residual(s) == 0;
    if (failed == 0)
        failed = move(w, 0);
    return failed != 0 ? failed : free ? NEWTON_LOST : 0;
}

// An exponential is left behind by one of its e-fold at each step (10 V across a diode of 26 mV are 400 of them), so
// there are many rounds, each with a smaller residual.
uint32_t newton_solve(const NewtonSystem* s)
{
    enum
    {
        ROUNDS = 5000
    };
    Work w;  // not cleared: the matrix is large, and filled where it is used
    w.s = s;
    uint32_t failed = s->evaluate(s->ctx);
    for (int round = 0; round < (s->rounds > 0 ? s->rounds : ROUNDS) && failed == 0; round++)
    {
        double before = newton_residual(s);
        if (before == 0)
            return round == 0 ? check_determined(&w) : 0;
        failed = isfinite(before) ? find_step(&w) : NEWTON_LOST;
        if (failed != 0)
            return failed;
        Gain gain;
        failed = search(&w, before, &gain);
        if (failed == 0 && gain == GAIN_POOR && is_rounding(s))  // it would creep on by what its terms round by
            return 0;
        if (failed == 0 && gain == GAIN_NONE)  // as good as it gets: where we came from
        {
            failed = move(&w, 0);
            if (failed != 0 || is_within(&w, LOOP_SMALL, LOOP_SMALL / 10))
                return failed;
            if (is_rounding(s))
                return 0;
            bool moved;
            failed = search_natural(&w, &moved);
            if (failed != 0 || !moved)
                return failed != 0 ? failed : NEWTON_LOST;
        }
        bool rough = s->matrix == NULL && is_within(&w, LOOP_SMALL, LOOP_SMALL / 10);
        if (failed != 0 || rough || is_within(&w, LOOP_ROUNDING, 0))
            return failed;
    }
    return failed != 0 ? failed : NEWTON_LOST;
}
