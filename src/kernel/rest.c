// Rest on a level that is reached in finite time (rule C7): h' = -2 sign(h) √|h| is at 0 after √h, and stays. The field
// has an infinite slope there, so a solver passes the level by its error, the field behind it leads back, and so on
// without end. Where a relation has crossed and its guard leads back to the level at once, though the rate vanishes on
// it, the states that it reads are put onto the level, in the direction in which they move (what they share is
// conserved): a change of the size of a rounding, as the crossing is located to that. The relation then is what it is
// on its level.
#include "base/tolerance.h"
#include "kernel/guard.h"

enum
{
    REST_STATES = 16,  // that a guard may read
    REST_TAGS = 40,    // of an instant: levels that share states may disagree by their last bits
    REST_ULPS = 8,
};

typedef struct Rest
{
    Kernel* kernel;
    const Guard* guard;
    uint32_t island;
    double* x[REST_STATES];  // registers
    double from[REST_STATES], field[REST_STATES];
} Rest;

static bool look(const Rest* r)
{
    Kernel* kernel = r->kernel;
    const kaiModel* model = kernel->model;
    return vm_run(model, kernel->R, model->islands[r->island].deriv, &kernel->host) == 0 &&
           vm_run(model, kernel->R, r->guard->look, &kernel->host) == 0;
}

static void find_states(Rest* r)
{
    Kernel* kernel = r->kernel;
    for (uint32_t i = 0; i < r->guard->state_count; i++)
    {
        uint32_t state = (uint32_t)kernel->model->guard_states[r->guard->first_state + i];
        r->x[i] = &kernel_states(kernel)[state];
        r->from[i] = *r->x[i];
        r->field[i] = kernel_slopes(kernel)[state];
    }
}

// A difference of two states may miss 0 by its last bit: a state is moved by a few of its own.
static bool is_met(Rest* r)
{
    const double* g = &r->kernel->R[r->guard->g];
    bool fine = look(r);
    for (uint32_t i = 0; i < r->guard->state_count && fine && *g != 0; i++)
    {
        double at = *r->x[i];
        for (int way = -1; way <= 1 && fine && *g != 0; way += 2)
        {
            double moved = at;
            for (int k = 0; k < REST_ULPS && fine && *g != 0; k++)
            {
                *r->x[i] = moved = nextafter(moved, way * HUGE_VAL);
                fine = look(r);
            }
        }
        if (fine && *g != 0)
            *r->x[i] = at;
    }
    return fine && *g == 0;
}

bool guard_rests(Kernel* kernel, uint32_t index)
{
    const Guard* guard = &kernel->model->guards[index];
    const GuardState* state = &kernel->guards[index];
    Rest r = {.kernel = kernel, .guard = guard};
    bool known = guard->islands.count == 1 && guard->state_count > 0 && guard->state_count <= REST_STATES;
    if (!known || kernel->now.m > REST_TAGS || !isfinite(state->g / state->slope))
        return false;
    r.island = kernel->model->guard_islands[guard->islands.first];
    find_states(&r);
    for (uint32_t i = 0; i < guard->state_count; i++)
        *r.x[i] = r.from[i] - state->g * (r.field[i] / state->slope);
    bool rests = is_met(&r) && fabs(kernel->R[guard->slope]) <= REST_VANISHES * fabs(state->slope);
    for (uint32_t i = 0; i < guard->state_count && !rests; i++)
        *r.x[i] = r.from[i];
    if (rests)
        kernel_disturb_all(kernel);
    else
        look(&r);
    return rests;
}
