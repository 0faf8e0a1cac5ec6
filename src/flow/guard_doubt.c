// Where the polynomial of a guard does not tell (decision 0305). Its coefficients round by parts of themselves, so that
// around a place far from where it was expanded a cluster of roots is a blur: (x - 777)^2 - 1e-8, from x = 0 on, is
// within the rounding of 777^2 for a ten-thousandth before and after 777. The guard itself may know better there, and
// so does its polynomial around a nearer place: the window ends before the blur, and the next one begins there.
#include "flow/guard_window.h"

#include "base/tolerance.h"

#include <math.h>

// p without its zeros at 0, and `part` of each term taken off its first sign (or added to it): the first root of that
// is where p is no more (or where it is on the other side by more) than that part of what it is made of.
typedef struct Doubt
{
    double c[GUARD_TERMS];
    int degree;
} Doubt;

static Doubt doubt_of(const GuardPolynomial* p, double part)
{
    Doubt d = {.degree = -1};
    int first = 0;
    while (first < p->degree && p->c[first] == 0)
        first++;
    double by = p->c[first] < 0 ? part : -part;
    for (int k = first; k <= p->degree; k++)
        d.c[++d.degree] = p->c[k] + by * fabs(p->c[k]);
    return d;
}

// From *from to *to of the window nothing is certain. False: it is everywhere.
static bool find_doubt(const GuardWindow* w, double* from, double* to)
{
    PolynomialRoot roots[GUARD_TERMS];
    Doubt near = doubt_of(&w->p, WINDOW_DOUBT), far = doubt_of(&w->p, -WINDOW_DOUBT);
    int count = polynomial_roots(near.c, near.degree, w->length, 0, roots, GUARD_TERMS);
    if (count <= 0 || roots[0].touch || roots[0].from == 0)
        return false;
    *from = roots[0].before;
    *to = count > 1 ? roots[1].after : w->length;
    count = polynomial_roots(far.c, far.degree, w->length, 0, roots, GUARD_TERMS);
    if (count > 0)
        *to = smaller(*to, roots[0].after);
    return true;
}

// The guard, where the doubt begins, is known better than its polynomial is.
static bool knows_better(const GuardWindow* w, double at)
{
    double rounding = guard_path_rounding(w->path, w->theta + at / w->path->length);
    return WINDOW_ROUNDINGS * rounding < WINDOW_DOUBT * polynomial_bound(w->p.c, w->p.degree, at, 0);
}

double guard_window_certain(const GuardWindow* w)
{
    double from, to, place = guard_path_tolerance(w->path) * w->path->length;
    if (w->p.degree < 2 || polynomial_clear(w->p.c, w->p.degree, w->length, 0) || !find_doubt(w, &from, &to))
        return w->length;
    bool blurred = to - from > larger(WINDOW_SHARP * w->length, WINDOW_PLACES * place) && from > WINDOW_PLACES * place;
    return blurred && knows_better(w, from) ? from : w->length;
}
