// Roots of a scalar function in a bracket: bisection, secant, Newton, false position, Illinois (paper 004, appendix A)
// and ITP (Oliveira and Takahashi 2020).
//
// The crossing has completed at the after-side of the bracket, so a bracket must shrink from both ends. A method that
// interpolates well lands on one side of the root again and again; when its next point would lie within half a
// tolerance of an end, the point is pushed over the root by 0.6 tolerances, then 8 times further while that does not
// help. So all six end with a bracket of the wanted width and not only with a small value.
//
// Fails never: after 100 evaluations any method goes on by halving, which ends when two doubles are neighbours. A NaN
// counts as the after-side, so that the bracket closes on the place where the function stops being a number.
#include "num/root.h"
#include "base/tolerance.h"

#include <math.h>
#include <string.h>

enum
{
    PATIENCE = 100,  // evaluations after which halving takes over
};

typedef struct Search
{
    RootFn *f, *slope;
    void* ctx;
    double lo, hi, f_lo, f_hi;
    double tolerance;
    double push;                          // how far the next point is pushed when it falls on an end
    double last, f_last, older, f_older;  // secant: the two newest points
    double weight_lo, weight_hi;          // Illinois: what the values at stale ends are divided by
    double width;                         // ITP: width at the start
    double reach;  // ITP: half the width that halving would have left by now, and one halving more
    int evaluations, side;
} Search;

static const char* const names[] = {
#define X(name, text, about) text,
    ROOT_METHODS(X)
#undef X
};

const char* root_method_name(RootMethod method)
{
    return (unsigned)method < ROOT_METHOD_COUNT ? names[method] : NULL;
}

int root_method_find(const char* name)
{
    for (int i = 0; i < ROOT_METHOD_COUNT; i++)
    {
        if (strcmp(names[i], name) == 0)
        {
            return i;
        }
    }
    return -1;
}

static bool on_old_side(const Search* s, double value)
{
    return s->f_lo > 0 ? value > 0 : value < 0;
}

// False position with the weights of Illinois; both weights are 1 for plain false position.
static double propose_line(const Search* s)
{
    double a = s->f_lo / s->weight_lo, b = s->f_hi / s->weight_hi;
    return s->hi - (s->hi - s->lo) * (b / (b - a));
}

// The secant through the two newest points (A2), wherever they are.
static double propose_secant(const Search* s)
{
    return s->last - s->f_last * ((s->last - s->older) / (s->f_last - s->f_older));
}

// Interpolate, truncate towards the middle, project to where halving would still finish in time. kappa1 = 0.2 / width,
// kappa2 = 2, n0 = 1: the published defaults.
static double propose_itp(const Search* s)
{
    double width = s->hi - s->lo, middle = s->lo + 0.5 * width;
    double line = propose_line(s);
    double radius = s->reach - 0.5 * width;
    double sigma = middle >= line ? 1 : -1;
    double delta = 0.2 * width * width / s->width;
    double truncated = delta <= fabs(middle - line) ? line + sigma * delta : middle;
    return fabs(truncated - middle) <= radius ? truncated : middle - sigma * radius;
}

static double propose(const Search* s, RootMethod method)
{
    switch (s->evaluations < PATIENCE ? method : ROOT_BISECTION)
    {
    case ROOT_ITP: return propose_itp(s);
    case ROOT_ILLINOIS:
    case ROOT_REGULA_FALSI: return propose_line(s);
    case ROOT_NEWTON: return s->slope != NULL ? s->last - s->f_last / s->slope(s->ctx, s->last) : propose_secant(s);
    case ROOT_SECANT: return propose_secant(s);
    default: return s->lo + 0.5 * (s->hi - s->lo);
    }
}

// Where the function is really evaluated: inside the bracket, and not so close to an end that nothing is learnt.
static double place(Search* s, double point)
{
    double middle = s->lo + 0.5 * (s->hi - s->lo), near = 0.5 * s->tolerance;
    if (!(point >= s->lo && point <= s->hi))
    {
        return middle;
    }
    bool at_lo = point - s->lo < near, at_hi = s->hi - point < near;
    if (!at_lo && !at_hi)
    {
        s->push = 0.6 * s->tolerance;
        return point;
    }
    point = at_lo ? s->lo + s->push : s->hi - s->push;
    s->push *= 8;
    return point > s->lo && point < s->hi ? point : middle;
}

// Takes in the value at a new point. Illinois: an end that stays twice running loses half of its weight (A4).
static void take(Search* s, double point, double value, bool illinois)
{
    s->reach *= 0.5;
    s->older = s->last;
    s->f_older = s->f_last;
    s->last = point;
    s->f_last = value;
    if (on_old_side(s, value))
    {
        s->lo = point;
        s->f_lo = value;
        s->weight_hi = illinois && s->side == -1 ? 2 * s->weight_hi : 1;
        s->weight_lo = 1;
        s->side = -1;
        return;
    }
    s->hi = point;
    s->f_hi = value;
    s->weight_lo = illinois && s->side == 1 ? 2 * s->weight_lo : 1;
    s->weight_hi = 1;
    s->side = 1;
}

static Search start(RootFn* f, void* ctx, double lo, double f_lo, double hi, double f_hi, double tolerance)
{
    return (Search){
        .f = f,
        .ctx = ctx,
        .lo = lo,
        .hi = hi,
        .f_lo = f_lo,
        .f_hi = f_hi,
        .tolerance = tolerance > 0 ? tolerance : TIME_NOTHING,
        .push = 0.6 * tolerance,
        .last = hi,
        .f_last = f_hi,
        .older = lo,
        .f_older = f_lo,
        .weight_lo = 1,
        .weight_hi = 1,
        .width = hi - lo,
        .reach = hi - lo,
    };
}

RootResult root_find(RootMethod method, RootFn* f, void* ctx, double lo, double f_lo, double hi, double f_hi,
                     double tolerance)
{
    return root_find_sloped(method, f, NULL, ctx, lo, f_lo, hi, f_hi, tolerance);
}

RootResult root_find_sloped(RootMethod method, RootFn* f, RootFn* slope, void* ctx, double lo, double f_lo, double hi,
                            double f_hi, double tolerance)
{
    Search s = start(f, ctx, lo, f_lo, hi, f_hi, tolerance);
    s.slope = slope;
    bool neighbours = false;
    while (s.f_hi != 0 && s.hi - s.lo > s.tolerance && !neighbours)
    {
        double point = place(&s, propose(&s, method));
        neighbours = !(point > s.lo && point < s.hi);  // even the middle is an end
        if (!neighbours)
        {
            s.evaluations++;
            take(&s, point, f(ctx, point), method == ROOT_ILLINOIS);
        }
    }
    return (RootResult){
        .before = s.lo,
        .after = s.hi,
        .f_before = s.f_lo,
        .f_after = s.f_hi,
        .evaluations = s.evaluations,
        .converged = s.f_hi == 0 || s.hi - s.lo <= tolerance || neighbours,
    };
}
