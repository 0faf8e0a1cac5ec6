// Islands that glide. Where an island moves along short polynomials by structure (free flight, a fall), starts again at
// instants and is not read by a guard alone, its solver is not needed from one instant to the next: a step is two
// coefficients that order 0 brings and a length. It stands in the first lines of the island (IslandState, Glide,
// flow->shorts), and the solver, a block of two dozen lines, stays where the glide began. Whoever asks for it
// (island_ode) finds it where it would be: it lands. Landing is always possible and changes no bit.
#include "flow/flow.h"

#include "num/glide.h"

#include <math.h>
#include <string.h>

static double* coefficients(const Flow* flow, uint32_t island)
{
    return flow->shorts + PIECE_TERMS * (size_t)flow->islands[island].base;
}

static double* carried(const Flow* flow, uint32_t island)
{
    return flow->carried + flow->islands[island].base;
}

void island_land(const Flow* flow, uint32_t island)
{
    IslandState* s = &flow->islands[island];
    s->gliding = false;
    s->known = s->terms > 0;
    ode_land(flow->island_odes[island], &flow->glides[island].ode, &s->step, coefficients(flow, island),
             carried(flow, island));
}

// States and slopes where it starts again, from the registers. False: a slope is no number.
static bool take_start(Flow* flow, uint32_t island, uint32_t count)
{
    uint32_t base = flow->islands[island].base;
    const double *x = kernel_states(flow->kernel) + base, *f = kernel_slopes(flow->kernel) + base;
    double *c = coefficients(flow, island), all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += 0 * f[i];
    if (all != 0)
        return false;
    for (uint32_t i = 0; i < count; i++, c += PIECE_TERMS)
    {
        c[0] = x[i];
        c[1] = f[i];
        c[2] = 0;
    }
    return true;
}

// What take_step asks and a glide does not: nothing is held, tied, delayed or told of.
static bool may_glide(const Flow* flow, uint32_t island)
{
    const Kernel* kernel = flow->kernel;
    const IslandState* s = &flow->islands[island];
    return flow->model->islands_count > 1 && s->base != NO_REG && !s->watched && !kernel->options->profile &&
           kernel->bonds == NULL && !kernel_numeric(kernel) && flow->model->islands[island].delays.count == 0 &&
           series_is_settled(flow->island_systems[island].series);
}

bool island_takes_off(Flow* flow, uint32_t island, double t)
{
    IslandState* s = &flow->islands[island];
    Glide* glide = flow->glides + island;
    OdeGlide ode;
    OdeSpan step;
    if (!may_glide(flow, island) ||
        !ode_take_off(flow->island_odes[island], series_degree(flow->island_systems[island].series), &ode, &step) ||
        !take_start(flow, island, ode.n))
        return false;
    glide->ode = ode;
    glide->code = flow->model->islands[island].deriv;
    s->taken = ode_step_count(flow->island_odes[island]);
    s->step = step;
    s->gliding = true;
    glide_restart(&glide->ode, &s->step, t);
    return true;
}

bool island_relaunch(Flow* flow, uint32_t island, double t)
{
    Glide* glide = &flow->glides[island];
    Kernel* kernel = flow->kernel;
    kernel->R[flow->model->reg_time] = t;
    if (vm_run(flow->model, kernel->R, glide->code, &kernel->host) != 0)
        return false;
    // The step that ends here is still in the coefficients: whoever lands from there does so before they are replaced.
    if (!take_start(flow, island, glide->ode.n))
        return false;
    glide_restart(&glide->ode, &flow->islands[island].step, t);
    return true;
}

void island_leave(Flow* flow, uint32_t island, double t)
{
    glide_leave(&flow->glides[island].ode, &flow->islands[island].step, island_theta(flow, island, t));
}

// Of degree 2 the last coefficients, by the series of the island.
static bool take_curvature(Flow* flow, uint32_t island, int n)
{
    IslandSystem* own = &flow->island_systems[island];
    double x[PIECE_TERMS][GLIDE_STATES], *rows[PIECE_TERMS] = {x[0], x[1], x[2]}, *c = coefficients(flow, island);
    for (int i = 0; i < n; i++)
    {
        x[0][i] = c[PIECE_TERMS * i];
        x[1][i] = c[PIECE_TERMS * i + 1];
    }
    if (own->system.series(own, flow->islands[island].step.end, 1, 2, rows) != 0)
        return false;
    for (int i = 0; i < n; i++)
        c[PIECE_TERMS * i + 2] = x[2][i];
    return true;
}

// From the end of a step that nothing has ended before, as taylor does it: order 0 there, and what the sum has lost.
static bool go_on(Flow* flow, uint32_t island, double limit)
{
    IslandState* s = &flow->islands[island];
    Glide* glide = &flow->glides[island];
    Kernel* kernel = flow->kernel;
    OdeGlide ode = glide->ode;
    OdeSpan step = s->step;
    double x[GLIDE_STATES], lost[GLIDE_STATES], c[PIECE_TERMS * GLIDE_STATES];
    if (!glide_end(&ode, &step, coefficients(flow, island), carried(flow, island), x, lost))
        return false;
    s->loaded = NAN;
    kernel->R[flow->model->reg_time] = step.end;
    memcpy(kernel_states(kernel) + s->base, x, sizeof(double) * ode.n);
    if (vm_run(flow->model, kernel->R, glide->code, &kernel->host) != 0)
        return false;
    for (uint32_t i = 0; i < ode.n; i++)
    {
        c[PIECE_TERMS * i] = x[i];
        c[PIECE_TERMS * i + 1] = kernel_slopes(kernel)[s->base + i];
        c[PIECE_TERMS * i + 2] = 0;
    }
    glide_resume(&ode);
    if (!glide_step(&ode, &step, limit, c, lost))
        return false;
    glide->ode = ode;
    s->step = step;
    memcpy(coefficients(flow, island), c, sizeof(double) * PIECE_TERMS * ode.n);
    memcpy(carried(flow, island), lost, sizeof(double) * ode.n);
    return true;
}

static bool set_out(Flow* flow, uint32_t island, double limit)
{
    OdeGlide* glide = &flow->glides[island].ode;
    return (glide->degree == 1 || take_curvature(flow, island, glide->n)) &&
           glide_step(glide, &flow->islands[island].step, limit, coefficients(flow, island), NULL);
}

bool island_glides_on(Flow* flow, uint32_t island, double limit)
{
    IslandState* s = &flow->islands[island];
    if (s->beyond || s->ends_beyond || flow->kernel->holds + flow->kernel->slides > 0)
        return false;
    if (!(s->terms > 0 ? go_on(flow, island, limit) : set_out(flow, island, limit)))
        return false;
    s->taken++;
    s->terms = (uint8_t)(flow->glides[island].ode.degree + 1);
    return true;
}
