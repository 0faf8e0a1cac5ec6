// The options of a run: what the experiment says, defaults for the rest, and what cannot be.
#include "run/options.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- options
// ---------------------------------------------------------------------------------------------------------

static const char* word_or(const kaiModel* model, uint32_t word, const char* otherwise)
{
    return word != 0 ? model_string(model, word) : otherwise;
}

kaiSimOptions kaiModel_SimOptions(const kaiModel* model)
{
    if (model == NULL)
        return (kaiSimOptions){0};
    const ModelSettings* s = &model->settings;
    return (kaiSimOptions){
        .cookie = KAI_COOKIE,
        .start = s->start,
        .stop = s->stop,
        .rtol = s->rtol > 0 ? s->rtol : 1e-8,
        .atol = s->atol,
        .step = s->step,
        .max_step = s->max_step,
        .balance = s->balance,
        .solver = word_or(model, s->solver, model->reg_pulse != NO_REG ? "riemann" : "rk45"),
        .breakpoint_solver = word_or(model, s->breakpoint_solver, "same"),
        .root = word_or(model, s->root, "itp"),
        .choice = word_or(model, s->choice, "first"),
        .zeno = word_or(model, s->zeno, "stop"),
        .seed = s->seed,
        .max_microsteps = s->max_microsteps > 0 ? s->max_microsteps : 10000,
        .max_branches = s->max_branches > 0 ? s->max_branches : 1000,
        .max_choices = s->max_choices > 0 ? s->max_choices : 100000,
        .allocator = kaiDefaultAllocator(),
    };
}

static const char* solver_name(int index)
{
    return ode_method_name((OdeMethod)index);
}

static const char* root_name(int index)
{
    return root_method_name((RootMethod)index);
}

// "there is no solver `rk4`; there are rk45, … and cvode_bdf".
static void say_unknown(char* why, size_t size, const char* what, const char* name, const char* (*name_of)(int))
{
    int length = snprintf(why, size, "there is no %s `%.40s`; there are ", what, name);
    for (int i = 0; name_of(i) != NULL && length > 0 && (size_t)length < size; i++)
    {
        const char* between = i == 0 ? "" : name_of(i + 1) == NULL ? " and " : ", ";
        length += snprintf(why + length, size - (size_t)length, "%s%s", between, name_of(i));
    }
}

bool options_check(const kaiModel* model, const kaiSimOptions* o, OdeOptions* ode, RootMethod* root, char* why,
                   size_t size)
{
    bool numeric = model->reg_pulse != NO_REG;
    int method = ode_method_find(o->solver), root_method = root_method_find(o->root);
    *ode = ode_default_options();
    if (method < 0)
        say_unknown(why, size, "solver", o->solver, solver_name);
    else if (numeric && method != ODE_RIEMANN)
        snprintf(why, size,
                 "numeric impulses are integrated by the right Riemann sum: the solver is riemann, not %.40s",
                 o->solver);
    else if (root_method < 0)
        say_unknown(why, size, "root method", o->root, root_name);
    else if (choice_policy_find(o->choice) < 0)
        snprintf(why, size, "there is no choice `%.40s`; there are first, random and all", o->choice);
    else if (!(o->stop >= o->start) || !isfinite(o->start))
        snprintf(why, size, "the stop time %g lies before the start time %g", o->stop, o->start);
    else
    {
        ode->method = (OdeMethod)method;
        *root = (RootMethod)root_method;
        ode->rtol = o->rtol;
        ode->atol = o->atol > 0 ? o->atol : o->rtol / 100;
        ode->step = o->step;
        ode->max_step = o->max_step;
        ode->breakpoint = numeric                                               ? ODE_BREAK_SAME  // see pulse.c
                          : strcmp(o->breakpoint_solver, "ibe") == 0            ? ODE_BREAK_IBE
                          : strcmp(o->breakpoint_solver, "backward_euler") == 0 ? ODE_BREAK_BACKWARD_EULER
                                                                                : ODE_BREAK_SAME;
        return true;
    }
    return false;
}
