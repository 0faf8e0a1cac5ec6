#include "base/newton.h"
#include "base/dense.h"
#include "base/tolerance.h"

typedef struct Work
{
    const NewtonSystem* s;
    double J[NEWTON_UNKNOWNS * NEWTON_UNKNOWNS], step[NEWTON_UNKNOWNS], from[NEWTON_UNKNOWNS];
} Work;

double newton_residual(const NewtonSystem* s)
{
    double size = 0;
    for (uint32_t i = 0; i < s->n; i++)
        size = fmax(size, isfinite(s->R[s->residuals[i]]) ? fabs(s->R[s->residuals[i]]) : INFINITY);
    return size;
}

// The full step from here.
static uint32_t find_step(Work* w)
{
    const NewtonSystem* s = w->s;
    uint32_t pivots[NEWTON_UNKNOWNS];
    for (uint32_t i = 0; i < s->n; i++)
    {
        w->step[i] = s->R[s->residuals[i]];
        w->from[i] = s->R[s->unknowns[i]];
    }
    uint32_t failed = s->matrix(s->ctx, w->J);
    if (failed != 0 || !dense_factor(w->J, pivots, s->n))
        return failed != 0 ? failed : NEWTON_LOST;
    dense_solve(w->J, pivots, w->step, s->n);
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

// A part of the step that makes the residual smaller. *moved: found.
static uint32_t search(Work* w, double before, bool* moved)
{
    enum
    {
        HALVINGS = 30
    };
    double part = 1;
    *moved = false;
    for (int k = 0; k <= HALVINGS && !*moved; k++, part /= 2)
    {
        uint32_t failed = move(w, part);
        if (failed != 0)
            return failed;
        *moved = newton_residual(w->s) < before;
    }
    return 0;
}

uint32_t newton_solve(const NewtonSystem* s)
{
    enum
    {
        ROUNDS = 60
    };
    Work w;  // not cleared: the matrix is large, and filled where it is used
    w.s = s;
    uint32_t failed = s->evaluate(s->ctx);
    for (int round = 0; round < (s->rounds > 0 ? s->rounds : ROUNDS) && failed == 0; round++)
    {
        double before = newton_residual(s);
        if (before == 0)
            return 0;
        failed = isfinite(before) ? find_step(&w) : NEWTON_LOST;
        if (failed != 0)
            return failed;
        bool moved;
        failed = search(&w, before, &moved);
        if (failed == 0 && !moved)  // as good as it gets: where we came from
        {
            failed = move(&w, 0);
            return failed != 0 ? failed : is_within(&w, LOOP_SMALL, LOOP_SMALL / 10) ? 0 : NEWTON_LOST;
        }
        if (failed != 0 || is_within(&w, LOOP_ROUNDING, 0))
            return failed;
    }
    return failed != 0 ? failed : NEWTON_LOST;
}
