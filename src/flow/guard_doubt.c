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

// Where p comes to be in doubt and where it no longer is, in turn: the roots of both, in order. How many.
static int find_edges(const GuardWindow* w, double edges[2 * GUARD_TERMS])
{
    PolynomialRoot near[GUARD_TERMS], far[GUARD_TERMS];
    Doubt less = doubt_of(&w->p, WINDOW_DOUBT), more = doubt_of(&w->p, -WINDOW_DOUBT);
    int count = polynomial_roots(less.c, less.degree, w->length, 0, near, GUARD_TERMS), all = 0;
    int others = count > 0 ? polynomial_roots(more.c, more.degree, w->length, 0, far, GUARD_TERMS) : 0;
    for (int i = 0, j = 0; i < count || j < others;)
    {
        bool first = j >= others || (i < count && near[i].after <= far[j].after);
        const PolynomialRoot* root = first ? &near[i++] : &far[j++];
        if (!root->touch)
            edges[all++] = root->after;
    }
    return all;
}

// The guard, where the doubt begins, is known better than its polynomial is.
static bool knows_better(const GuardWindow* w, double at)
{
    double rounding = guard_path_rounding(w->path, w->theta + at / w->path->length);
    return WINDOW_ROUNDINGS * rounding < WINDOW_DOUBT * polynomial_bound(w->p.c, w->p.degree, at, 0);
}

// What time can tell apart there, however long the step is.
static double place_at(const GuardWindow* w, double at)
{
    double t = guard_path_time(w->path, w->theta + at / w->path->length);
    return CROSSING_ULP * larger(fabs(w->path->start), fabs(t));
}

double guard_window_certain(const GuardWindow* w)
{
    double edges[2 * GUARD_TERMS];
    if (w->p.degree < 2 || polynomial_clear(w->p.c, w->p.degree, w->length, 0))
        return w->length;
    int count = find_edges(w, edges);
    for (int i = 0; i < count; i += 2)
    {
        double to = i + 1 < count ? edges[i + 1] : w->length, least = WINDOW_PLACES * place_at(w, edges[i]);
        double sharp = larger(WINDOW_SHARP * edges[i], least);
        if (to - edges[i] > sharp && edges[i] > least && knows_better(w, edges[i]))
            return edges[i];
    }
    return w->length;
}
