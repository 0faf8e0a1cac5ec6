// The options of a run: defaults from the table of settings, and checks. A caller that fills in kaiSimOptions by hand
// gets the same sentences as a text or a command line with the same mistake (settings/settings.c writes them).
#include "run/options.h"

#include "settings/settings.h"

#include "watch/surface.h"

#include <stdio.h>
#include <string.h>

// What kaiModel_SimOptions writes and memory that was never set does not hold by chance.
static const uint32_t options_cookie = 0x6b536f31u;

// ---- defaults

static const char* word_or(const kaiModel* model, uint32_t word, const char* otherwise)
{
    return word != 0 ? model_string(model, word) : otherwise;
}

static double number_or(double given, double otherwise)
{
    return isnan(given) ? otherwise : given;
}

// A saved model may hold any number: what is no count becomes one that options_check refuses.
static uint64_t count_or(double given, double otherwise)
{
    double number = number_or(given, otherwise);
    return number >= 0 && number < 0x1p63 ? (uint64_t)number : UINT64_MAX;
}

kaiSimOptions kaiModel_SimOptions(const kaiModel* model)
{
    if (model == NULL)
        return (kaiSimOptions){0};
    const ModelSettings* s = &model->settings;
    kaiSimOptions o = {.cookie = options_cookie, .allocator = kaiDefaultAllocator()};
#define NUMBER(name, unit, low, high, otherwise, ...) o.name = number_or(s->name, otherwise);
#define COUNT(name, from, to, otherwise, ...) o.name = count_or(s->name, otherwise);
#define WORD(name, list, otherwise, ...) o.name = word_or(model, s->name, otherwise);
#include "settings/settings.def"
    if (isnan(s->stop))
        o.stop = o.start + 10;
    if (s->solver == 0 && model->reg_pulse != NO_REG)
        o.solver = "riemann";  // numeric impulses know no other, see pulse.c
    return o;
}

// ---- checks

typedef struct Check
{
    const kaiModel* model;
    const kaiSimOptions* options;
    char* why;
    size_t size;
} Check;

// A number that stands for "not given" lies outside the range on purpose.
static bool check_number(const Check* c, SettingId id, double value, double otherwise)
{
    return value == otherwise || kaiSetting_CheckNumber(kaiSettings_Get((int)id), value, c->why, c->size);
}

// The words of an options struct may be the caller's own: nothing keeps them, and their meaning is taken here.
static bool check_word(const Check* c, SettingId id, const char* word)
{
    return kaiSetting_CheckWord(kaiSettings_Get((int)id), word, c->why, c->size);
}

static bool check_settings(const Check* c)
{
    const kaiSimOptions* o = c->options;
#define NUMBER(name, unit, low, high, otherwise, ...)                                                                  \
    if (!check_number(c, SETTING_ID_##name, o->name, otherwise))                                                       \
        return false;
#define COUNT(name, from, to, otherwise, ...)                                                                          \
    if (!check_number(c, SETTING_ID_##name, (double)o->name, otherwise))                                               \
        return false;
#define WORD(name, ...)                                                                                                \
    if (!check_word(c, SETTING_ID_##name, o->name))                                                                    \
        return false;
#include "settings/settings.def"
    return true;
}

// What looks at all states at one time, and a model whose islands stand at times of their own. A text that says it has
// no islands (schedule/islands.c); a caller may say it after the model was made.
static bool check_whole(const Check* c)
{
    const kaiSimOptions* o = c->options;
    bool continues = surfaces_wanted(o), all = strcmp(o->choice, "all") == 0;
    if (c->model->fused || (!continues && !all))
        return true;
    snprintf(
        c->why, c->size,
        "%s, but the %u island%s of this model have times of their own: compile it with islands = one, or with %s in "
        "its experiment",
        continues ? "zeno = continue needs all states at one time" : "choice = all compares all states at one time",
        c->model->islands_count, c->model->islands_count == 1 ? "" : "s",
        continues ? "zeno = continue" : "choice = all");
    return false;
}

static bool check_together(const Check* c)
{
    const kaiSimOptions* o = c->options;
    bool numeric = c->model->reg_pulse != NO_REG, fine = false;
    if (!check_whole(c))
        return false;
    if (numeric && strcmp(o->solver, "riemann") != 0)
        snprintf(c->why, c->size,
                 "numeric impulses are integrated by the right Riemann sum: the solver is riemann, not %.40s",
                 o->solver);
    else if (numeric && surfaces_wanted(o))
        snprintf(c->why, c->size,
                 "zeno = continue follows events to where they run together, and numeric impulses have a fixed step, "
                 "which passes over motions shorter than itself: set impulses = symbolic, or zeno = stop");
    else if (o->rtol == 0 && !(o->atol > 0))
        snprintf(c->why, c->size, "with rtol = 0 the absolute error alone is controlled: give `atol`");
    else if (o->max_step > 0 && o->min_step > o->max_step)
        snprintf(c->why, c->size, "`min_step` %g is longer than `max_step` %g", o->min_step, o->max_step);
    else if (!(o->stop >= o->start))
        snprintf(c->why, c->size, "the stop time %g lies before the start time %g: make `stop` larger", o->stop,
                 o->start);
    else
        fine = true;
    return fine;
}

static bool check_records(const Check* c)
{
    const kaiSimOptions* o = c->options;
    if (isnan(o->row_gap))
    {
        snprintf(c->why, c->size, "`row_gap` must be a time, not %g (0: no rows inside steps)", o->row_gap);
        return false;
    }
    if (o->record == NULL)
        return true;
    for (int i = 0; i < o->record_count; i++)
        if (o->record[i] < 0 || (uint32_t)o->record[i] >= c->model->vars_count)
        {
            snprintf(c->why, c->size, "`record` has variable %d at place %d, the model has the variables 0 to %d",
                     o->record[i], i, (int)c->model->vars_count - 1);
            return false;
        }
    if (o->record_count < 0)
        snprintf(c->why, c->size, "`record_count` must be from 0, not %d", o->record_count);
    return o->record_count >= 0;
}

static bool check_made(const kaiSimOptions* o, char* why, size_t size)
{
    const char* what = o == NULL                     ? "there are no options"
                       : o->cookie != options_cookie ? "the options were not made by kaiModel_SimOptions"
                       : o->allocator.alloc == NULL  ? "the options have no allocator"
                                                     : NULL;
    if (what != NULL)
        snprintf(why, size,
                 "%s: begin with `kaiSimOptions options = kaiModel_SimOptions(model)` and change what differs", what);
    return what == NULL;
}

bool options_check(const kaiModel* model, const kaiSimOptions* o, RunOptions* run, char* why, size_t size)
{
    Check c = {model, o, why, size};
    if (!check_made(o, why, size) || !check_settings(&c) || !check_together(&c) || !check_records(&c))
        return false;
    *run = (RunOptions){ode_default_options(), (RootMethod)root_method_find(o->root),
                        (ChoicePolicy)choice_policy_find(o->choice)};
    run->ode.method = (OdeMethod)ode_method_find(o->solver);
    run->ode.rtol = o->rtol;
    run->ode.atol = o->atol > 0 ? o->atol : o->rtol / 100;
    run->ode.step = o->step;
    run->ode.max_step = o->max_step;
    run->ode.min_step = o->min_step;
    run->ode.max_iterations = (int)o->max_iterations;
    const kaiSetting* breakpoint = kaiSettings_Get(SETTING_ID_breakpoint_solver);
    run->ode.breakpoint = model->reg_pulse != NO_REG  // see pulse.c
                              ? ODE_BREAK_SAME
                              : (OdeBreakpoint)setting_word(breakpoint, o->breakpoint_solver);
    return true;
}
