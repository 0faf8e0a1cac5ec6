// The best value of one parameter: Brent's method (1973, chapter 5), parabolas where they fit and golden sections where
// they do not, after a look at a few values between the ends, so that of several valleys the deepest is likely meant.
#include "kairos/analysis.h"

#include "base/error.h"
#include "base/tolerance.h"
#include "model/model.h"

#include <float.h>
#include <math.h>

typedef struct Search
{
    const kaiModel* model;
    const kaiOptimizeOptions* options;
    kaiSim* sim;
    kaiSnapshot* fresh;
    int runs;
    bool stopped;
} Search;

kaiOptimizeOptions kaiDefaultOptimizeOptions(void)
{
    return (kaiOptimizeOptions){.cookie = KAI_COOKIE, .variable = -1, .measure = -1};
}

static bool read_measure(const Search* s, double* value)
{
    if (s->options->measure >= 0)
        return kaiSim_Get(s->sim, s->options->measure, value);
    kaiExpectResult expect;
    if (kaiModel_MeasureCount(s->model) > 0)
        return kaiSim_Measure(s->sim, 0, value);
    bool there = kaiSim_Expect(s->sim, 0, &expect) == KAI_OK && expect.present;
    *value = there ? expect.value : NAN;
    return there;
}

// What is to become small. A run without a measure is worse than any other.
static double measure(Search* s, double x)
{
    double value;
    s->runs++;
    kaiStatus status = kaiSim_Restore(s->sim, s->fresh);
    if (status == KAI_OK)
        status = kaiSim_Set(s->sim, s->options->variable, x);
    if (status == KAI_OK)
        status = kaiSim_Run(s->sim);
    s->stopped |= status == KAI_INTERRUPTED;
    if (status != KAI_END || !read_measure(s, &value) || !isfinite(value))
        return INFINITY;
    return s->options->maximise ? -value : value;
}

typedef struct Triple  // x the best so far, w and v the next
{
    double a, b, x, w, v, fx, fw, fv, last, before;
} Triple;

static double propose(Triple* t, double tolerance)
{
    const double golden = 0.3819660112501051;
    double middle = (t->a + t->b) / 2, r = (t->x - t->w) * (t->fx - t->fv), q = (t->x - t->v) * (t->fx - t->fw),
           p = (t->x - t->v) * q - (t->x - t->w) * r, d = 2 * (q - r);
    p = d > 0 ? -p : p;
    d = fabs(d);
    bool parabola = isfinite(p) && isfinite(d) && fabs(t->before) > tolerance && fabs(p) < fabs(d * t->before / 2) &&
                    p > d * (t->a - t->x) && p < d * (t->b - t->x);
    t->before = parabola ? t->last : (t->x < middle ? t->b : t->a) - t->x;
    t->last = parabola ? p / d : golden * t->before;
    double u = t->x + t->last;
    if (parabola && (u - t->a < 2 * tolerance || t->b - u < 2 * tolerance))
        t->last = t->x < middle ? tolerance : -tolerance;
    return t->x + (fabs(t->last) >= tolerance ? t->last : copysign(tolerance, t->last));
}

static void take(Triple* t, double u, double fu)
{
    if (fu <= t->fx)
    {
        *(u < t->x ? &t->b : &t->a) = t->x;
        t->v = t->w, t->fv = t->fw;
        t->w = t->x, t->fw = t->fx;
        t->x = u, t->fx = fu;
        return;
    }
    *(u < t->x ? &t->a : &t->b) = u;
    if (fu <= t->fw || t->w == t->x)
    {
        t->v = t->w, t->fv = t->fw;
        t->w = u, t->fw = fu;
    }
    else if (fu <= t->fv || t->v == t->x || t->v == t->w)
        t->v = u, t->fv = fu;
}

static Triple look(Search* s)
{
    enum
    {
        LOOKS = 16
    };
    const kaiOptimizeOptions* o = s->options;
    double best = INFINITY, h = (o->high - o->low) / LOOKS;
    int at = 0;
    for (int i = 0; i <= LOOKS && !s->stopped; i++)
    {
        double f = measure(s, i == LOOKS ? o->high : o->low + i * h);
        if (f < best)
            best = f, at = i;
    }
    double x = at == LOOKS ? o->high : o->low + at * h;
    return (Triple){.a = fmax(o->low, x - h),
                    .b = fmin(o->high, x + h),
                    .x = x,
                    .w = x,
                    .v = x,
                    .fx = best,
                    .fw = best,
                    .fv = best};
}

static kaiStatus search(Search* s, kaiOptimum* optimum, kaiError* error)
{
    enum
    {
        ROUNDS = 200
    };
    const kaiOptimizeOptions* o = s->options;
    double within = (o->within > 0 ? o->within : OPTIMUM_WITHIN) * (o->high - o->low);
    Triple t = look(s);
    for (int i = 0; i < ROUNDS && isfinite(t.fx) && !s->stopped; i++)
    {
        double tolerance = within / 2 + DBL_EPSILON * fabs(t.x), middle = (t.a + t.b) / 2;
        if (fabs(t.x - middle) <= 2 * tolerance - (t.b - t.a) / 2)
            break;
        double u = propose(&t, tolerance);
        take(&t, u, measure(s, u));
    }
    if (s->stopped)
        return error_set(error, KAI_ERR_RUN, "interrupted");
    if (!isfinite(t.fx))
        return error_set(error, KAI_ERR_RUN, "no run between %g and %g came to its end with a value to compare", o->low,
                         o->high);
    *optimum = (kaiOptimum){.value = t.x,
                            .measure = o->maximise ? -t.fx : t.fx,
                            .runs = s->runs,
                            .at_end = t.x - o->low <= 2 * within || o->high - t.x <= 2 * within};
    return KAI_OK;
}

static bool check(const kaiModel* model, const kaiOptimizeOptions* o, kaiError* error)
{
    kaiVariable v;
    if (!error_check_cookie(&o->cookie, "kaiDefaultOptimizeOptions", error))
        return false;
    if (!kaiModel_Variable(model, o->variable, &v) || !v.settable)
        return error_set(error, KAI_ERR_USAGE, "what is varied is a parameter or start value that can be set"), false;
    if (!(o->low < o->high) || !isfinite(o->high - o->low))
        return error_set(error, KAI_ERR_USAGE, "%s is looked for between two finite values, low and high", v.name),
               false;
    int asked = kaiModel_ExpectCount(model) + kaiModel_MeasureCount(model);
    if (o->measure < 0 ? asked == 0 : !kaiModel_Variable(model, o->measure, &v))
        return error_set(error, KAI_ERR_USAGE,
                         "nothing is measured: name a variable, or write an `expect` into the experiment"),
               false;
    if (o->measure < 0 && kaiModel_MeasureCount(model) == 0 && model->expectations[0].target == NO_REG)
        return error_set(error, KAI_ERR_USAGE,
                         "the first `expect` is a condition, either true or false: measure a number (of the program "
                         "with --measure), as `max(x)` or `final(x)`"),
               false;
    return true;
}

kaiStatus kaiOptimize(const kaiModel* model, const kaiSimOptions* sim, const kaiOptimizeOptions* options,
                      kaiOptimum* optimum, kaiError* error)
{
    if (model == NULL || sim == NULL || options == NULL || optimum == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no model, or there are no options");
    if (!check(model, options, error))
        return KAI_ERR_USAGE;
    kaiSimOptions own = *sim;
    kaiError why = {0};
    own.row = NULL;
    Search s = {.model = model, .options = options, .sim = kaiSim_Create(model, &own, &why)};
    if (s.sim == NULL)
        return error_copy(error, &why), why.status;
    s.fresh = kaiSim_Save(s.sim);
    kaiStatus status = s.fresh != NULL ? search(&s, optimum, error) : error_memory(error);
    kaiSnapshot_Free(s.fresh);
    kaiSim_Free(s.sim);
    return status;
}
