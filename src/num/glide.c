// A glide: steps of a short polynomial by structure without the solver, of which they are a few numbers. The same bits
// as taylor.c, where step_exact takes them, and ode.c.
#include "num/glide.h"

#include "num/control.h"

bool ode_take_off(const Ode* ode, int degree, OdeGlide* glide, OdeSpan* step)
{
    const OdeState* s = &ode->state;
    if (!ode_relaunches(ode) || degree < 1 || degree >= GLIDE_TERMS || ode->n > GLIDE_STATES || s->fresh ||
        s->narrow > 0 || s->caution > 0 || ode->options.max_step > 0 || ode->options.min_step > 0)
    {
        return false;
    }
    *glide = (OdeGlide){.low = s->t_low,
                        .start_low = s->t_start_low,
                        .event_time = s->event_time,
                        .event_mean = s->event_mean,
                        .next = s->next,
                        .n = (uint8_t)ode->n,
                        .degree = (uint8_t)degree};
    *step = (OdeSpan){s->t_start, s->t, s->scale, s->h};
    return true;
}

// As ode_begin_again.
void glide_restart(OdeGlide* glide, OdeSpan* step, double t)
{
    glide->low = glide->start_low = t == step->end ? glide->low : 0;
    *step = (OdeSpan){t, t, 1, 0};
    glide->restarts++;
    glide->calls++;
    glide->held = 0;
    glide->carries = false;
}

// As evaluate_few of taylor.c, of one state: where it ends, its slope there and what the sum loses.
static double end_of(const OdeGlide* glide, double h, const double* c, double carry, double* slope, double* lost)
{
    double sum = 0, rate = 0;
    for (int k = glide->degree; k >= 1; k--)
    {
        sum = (sum + c[k]) * h;
        rate = rate * h + k * c[k];
    }
    double change = sum + carry, end = c[0] + change, part = end - c[0];
    *slope = rate;
    *lost = (c[0] - (end - part)) + (change - part);
    return end;
}

static bool is_finite(const OdeGlide* glide, double h, const double* c, const double* carry)
{
    double all = 0, slope, lost;
    for (int i = 0; i < glide->n; i++)
    {
        double own = glide->carries ? carry[i] : 0;
        all += 0 * end_of(glide, h, c + GLIDE_TERMS * i, own, &slope, &lost) + 0 * slope;
    }
    return all == 0;
}

// With more steps choice.c would learn that taylor has been held for long; of degree 2 the general step of taylor.c,
// which this one is, weighs the coefficients.
bool glide_end(const OdeGlide* glide, const OdeSpan* step, const double* c, const double* carry, double* x,
               double* lost)
{
    enum
    {
        LONG = 7
    };
    double slope;
    if (glide->degree != 1 || glide->held == 0 || glide->held >= LONG || step->scale != 1)
    {
        return false;
    }
    for (int i = 0; i < glide->n; i++)
    {
        x[i] = end_of(glide, step->length, c + GLIDE_TERMS * i, glide->carries ? carry[i] : 0, &slope, &lost[i]);
    }
    return true;
}

void glide_resume(OdeGlide* glide)
{
    glide->calls++;
    glide->carries = true;
}

bool glide_step(OdeGlide* glide, OdeSpan* step, double limit, const double* c, const double* carry)
{
    double t = step->end, length, end;
    if (!(limit > t) ||
        !glide_farthest(t == glide->event_time ? glide->event_mean : 0, glide->low, t, limit, &length, &end) ||
        !is_finite(glide, length, c, carry))
    {
        return false;
    }
    *step = (OdeSpan){t, end, 1, length};
    glide->start_low = glide->low;
    glide->low = 0;
    glide->next = length;
    glide->steps++;
    glide->held++;
    return true;
}

// ----------------------------------------------------------------------------------------------------------------
// landing

// Where the last step of the solver began, and its end.
static void land_step(Ode* ode, const OdeGlide* glide, double h, const double* c, const double* carry)
{
    OdeState* s = &ode->state;
    for (int i = 0; i < ode->n; i++, c += GLIDE_TERMS)
    {
        for (int k = 0; k <= glide->degree; k++)
        {
            ode->dense[k][i] = c[k];
        }
        ode->x_start[i] = c[0];
        ode->slope_start[i] = c[1];
        ode->x[i] = end_of(glide, h, c, glide->carries ? carry[i] : 0, &ode->slope[i], &ode->dense[ODE_ORDER + 1][i]);
    }
    s->form = FORM_SERIES;
    s->terms = glide->degree + 1;
    s->carries = true;
    s->expanded = false;
}

static void land_start(Ode* ode, const double* c)
{
    OdeState* s = &ode->state;
    for (int i = 0; i < ode->n; i++, c += GLIDE_TERMS)
    {
        ode->x[i] = c[0];
        ode->slope[i] = c[1];
        ode->dense[ODE_ORDER + 1][i] = 0;
    }
    s->form = FORM_POINT;
    s->carries = false;
    s->expanded = true;
}

static void land_counters(Ode* ode, const OdeGlide* glide)
{
    OdeState* s = &ode->state;
    OdeChoice* choice = &s->choice;
    s->stats.steps += glide->steps;
    s->stats.restarts += glide->restarts;
    s->stats.rhs_calls += glide->calls;
    choice->held = choice->creeps = 0;
    if (ode->options.method == ODE_AUTO)
    {
        choice->taken[ODE_TAYLOR] += glide->steps;
        choice->held = glide->held;
        choice->fails = glide->steps > 0 ? 0 : choice->fails;
    }
}

void ode_land(Ode* ode, OdeGlide* glide, const OdeSpan* step, const double* c, const double* carry)
{
    OdeState* s = &ode->state;
    s->t_start = step->start;
    s->t = step->end;
    s->t_low = glide->low;
    s->t_start_low = glide->start_low;
    s->h = step->length;
    s->scale = step->scale;
    s->next = glide->next;
    s->event_time = glide->event_time;
    s->event_mean = glide->event_mean;
    s->log_error = -13.3;
    s->dense_ready = true;
    s->slope_valid = glide->held == 0 || step->scale == 1;
    s->at_breakpoint = s->jacobian_valid = false;
    s->bounded = glide->steps > 0 ? false : s->bounded;
    if (glide->held > 0)
    {
        s->trial = step->scale == 1 ? step->length : step->end - step->start;
        land_step(ode, glide, step->length, c, carry);
    }
    else
    {
        land_start(ode, c);
    }
    land_counters(ode, glide);
    glide->steps = glide->restarts = glide->calls = 0;
}

// -------------------------------------------------------------------------------------------------------- back, awake

_Static_assert(sizeof(OdeState) <= sizeof((OdeKept){0}.state), "a state fits");

bool ode_keeps(const Ode* ode)
{
    return ode->method == &ode_taylor && ode->n <= FEW_STATES && ode->n > 0;
}

// All but the changes of method, which are none.
static inline void copy_state(OdeState* to, const OdeState* from)
{
    const size_t first = offsetof(OdeState, choice.changes), rest = offsetof(OdeState, choice.taken);
    memcpy(to, from, first);
    memcpy((char*)to + rest, (const char*)from + rest, sizeof *to - rest);
}

void ode_keep(const Ode* ode, OdeKept* kept)
{
    copy_state((OdeState*)(void*)kept->state, &ode->state);
    for (int i = 0; i < ode->n; i++)
    {
        kept->x[i] = ode->x[i];
        kept->slope[i] = ode->slope[i];
        kept->carry[i] = ode->dense[ODE_ORDER + 1][i];
    }
}

void ode_back(Ode* ode, const OdeKept* kept)
{
    copy_state(&ode->state, (const OdeState*)(const void*)kept->state);
    for (int i = 0; i < ode->n; i++)
    {
        ode->x[i] = kept->x[i];
        ode->slope[i] = kept->slope[i];
        ode->dense[ODE_ORDER + 1][i] = kept->carry[i];
    }
}

// A snapshot holds no series. What was counted once is not counted again.
void ode_wake(Ode* ode)
{
    OdeState* s = &ode->state;
    double* rows[2] = {ode->x, ode->slope};
    if (ode->method == &ode_taylor && !s->expanded && s->slope_valid && s->form == FORM_POINT && ode->n > 0)
    {
        s->expanded = ode->system->series(ode->ctx, s->t, 0, 1, rows) == 0;
    }
}
