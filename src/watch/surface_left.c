// Surfaces that were left along a tangent. Where a guard has not gone away from its level yet, the error of a dense
// output is larger than g, and a search would find crossings that are none. The guard waits until its slope says where
// it goes, or until it has come back over the level.
#include "base/tolerance.h"
#include "kernel/guard.h"
#include "watch/surface.h"

#include <math.h>

static void run_field(const Surfaces* s)
{
    vm_run(s->model, s->kernel->R, s->model->deriv, &s->kernel->host);
}

enum
{
    LEFT_FIRST = 100  // what a guard that waits has as its number
};

void surface_left_wait(Surfaces* s, uint32_t i, int with, double across)
{
    uint32_t place = 0;
    while (place < SURFACES_MOST && s->left[place].side != 0)
        place++;
    if (across == 0 || place == SURFACES_MOST)
        return;
    s->left[place] = (SurfaceLeft){s->surfaces[i].guard, (int8_t)(-with * sign_of(across)), false, fabs(across)};
    for (uint32_t k = 0; k < s->model->guards_count; k++)
        if (s->kernel->guards[k].sliding == i + 1)
            s->kernel->guards[k].sliding = (uint8_t)(LEFT_FIRST + place);
    s->kernel->holds++;
}

// It moves away for good, or has come back over the level. Derivatives are those in the registers.
static bool is_away(const Surfaces* s, const SurfaceLeft* left)
{
    double slope = motion_rate(s->motion, left->guard, NULL), g = s->kernel->R[s->model->guards[left->guard].g];
    return left->side * slope > SURFACE_AWAY * left->across || left->side * g < 0;
}

static bool is_away_at(Surfaces* s, const SurfaceLeft* left, double theta)
{
    const Ode* ode = s->flow->island_odes[0];
    double start = ode_step_start(ode), length = ode_time(ode) - start;
    island_look(s->flow, 0, start, length, theta, false);
    s->kernel->R[s->model->reg_time] = start + theta * length;
    run_field(s);
    return is_away(s, left);
}

bool surface_left_search(Surfaces* s, double* theta)
{
    enum
    {
        LOOKS = 64
    };
    bool found = false;
    for (uint32_t i = 0; i < SURFACES_MOST; i++)
        for (int k = 1; k <= LOOKS && s->left[i].side != 0; k++)
        {
            double at = *theta * k / LOOKS;
            if (!is_away_at(s, &s->left[i], at))
                continue;
            s->left[i].over = true;
            found = true;
            if (at < *theta)
                s->kernel->located_count = 0;
            *theta = at;
            break;
        }
    return found;
}

void surface_left_check(Surfaces* s)
{
    for (uint32_t i = 0; i < SURFACES_MOST; i++)
    {
        if (s->left[i].side == 0)
            continue;
        run_field(s);
        if (!s->left[i].over && !is_away(s, &s->left[i]))
            continue;
        s->left[i].side = 0;
        for (uint32_t k = 0; k < s->model->guards_count; k++)
            if (s->kernel->guards[k].sliding == LEFT_FIRST + i)
                s->kernel->guards[k].sliding = 0;
        s->kernel->holds--;
        kernel_disturb_all(s->kernel);
    }
}
