// The settings of an experiment, by the table of settings/settings.def: `name = value` in the text, and the same from
// the call (`--name value`), which replaces what the text says.
#include "elab/elab.h"

#include <math.h>
#include <string.h>

// ---- one value

const char* word_written(const Expr* expr)
{
    if (expr->kind == EXPR_STRING)
        return expr->string;
    bool plain =
        expr->kind == EXPR_PATH && expr->order == 0 && expr->path->steps.count == 1 && !expr->path->steps.at[0].index;
    return plain ? expr->path->steps.at[0].name : NULL;
}

static bool find_word(Elab* e, const kaiSetting* rule, const Setting* setting, const char** word)
{
    enum
    {
        SENTENCE = 600
    };
    char* why = arena_alloc(e->arena, SENTENCE);
    const char* written = word_written(setting->value);
    int index = setting_word(rule, written);
    *word = index >= 0 ? rule->words[index].word : NULL;
    if (*word)
        return true;
    kaiSetting_CheckWord(rule, written ? written : "an expression", why, SENTENCE);
    Diag* diag = elab_error(e, K_UNKNOWN_CHOICE, setting->value->span, "%s", why);
    const char** words = arena_array(e->arena, const char*, rule->word_count + 1);
    for (int i = 0; i < rule->word_count; i++)
        words[i] = rule->words[i].word;
    const char* near = written ? diag_nearest(written, words, (uint32_t)rule->word_count) : NULL;
    if (near)
        elab_help(e, diag, "did you mean `%s`?", near);
    return false;
}

// A time, a plain number, or something in the unit of each state, which has no one dimension.
static void check_unit(Elab* e, const kaiSetting* rule, const Value* value, Span span)
{
    Dim dim = strcmp(rule->unit, "s") == 0 ? dim_second() : dim_none();
    if (strcmp(rule->unit, "state") != 0)
        value_check_dim(e, value, &dim, span, arena_printf(e->arena, "`%s`", rule->name));
}

static bool find_number(Elab* e, const kaiSetting* rule, const Setting* setting, double* number)
{
    Value value;
    char why[300];
    Span span = setting->value->span;
    if (!elaborate_constant(e, &(Env){.instance = 0}, setting->value, TYPE_REAL, &value, number))
        return false;
    check_unit(e, rule, &value, span);
    if (kaiSetting_CheckNumber(rule, *number, why, sizeof why))
        return true;
    elab_error(e, K_BAD_SETTING, span, "%s", why);
    return false;
}

// A condition on the state, asked of the model's own variables.
static void elaborate_region(Elab* e, const Setting* setting)
{
    Value value = elaborate_expr(e, &(Env){.instance = 0}, setting->value);
    if (!value_to_bool(e, &value, setting->value->span))
        return;
    e->flat->experiment.region = value.node;
    e->flat->experiment.region_span = setting->value->span;
}

static void keep(FlatExperiment* flat, SettingId id, double number, const char* word, Span span)
{
    switch (id)
    {
#define NUMBER(name, ...)                                                                                              \
    case SETTING_ID_##name:                                                                                            \
        flat->has_##name = true;                                                                                       \
        flat->name = number;                                                                                           \
        flat->name##_span = span;                                                                                      \
        break;
#define COUNT(name, ...) NUMBER(name, )
#define WORD(name, ...)                                                                                                \
    case SETTING_ID_##name:                                                                                            \
        flat->name = word;                                                                                             \
        flat->name##_span = span;                                                                                      \
        break;
#define MODEL_WORD(name, ...) WORD(name, )
#include "settings/settings.def"
    default: break;
    }
}

// What an experiment gives the model stands behind its name.
static bool is_of_model(const Elab* e, const char* name)
{
    bool found = false;
    for (uint32_t i = 0; i < e->flat->vars.count && !found; i++)
    {
        const FlatVar* var = &e->flat->vars.at[i];
        bool given = var->kind == VAR_PARAM || var->kind == VAR_STATE || var->kind == VAR_DISCRETE || var->input;
        found = given && strcmp(var->name, name) == 0;
    }
    return found;
}

static void report_unknown(Elab* e, const Setting* setting)
{
    const char* names[SETTING_ID_COUNT];
    for (int i = 0; i < SETTING_ID_COUNT; i++)
        names[i] = kaiSettings_Get(i)->name;
    Diag* diag =
        elab_error(e, K_UNKNOWN_SETTING, setting->name_span, "experiments have no setting `%s`", setting->name);
    if (diag != NULL && is_of_model(e, setting->name))
        elab_help(e, diag, "the model has `%s`: write `experiment … of Model(%s = …)`", setting->name, setting->name);
    else
        elab_suggest(e, diag, setting->name, names, SETTING_ID_COUNT);
}

void elaborate_setting(Elab* e, const Setting* setting)
{
    const kaiSetting* rule = kaiSettings_Find(setting->name);
    if (!rule)
    {
        report_unknown(e, setting);
        return;
    }
    double number = 0;
    const char* word = NULL;
    bool fine = false;
    switch (rule->kind)
    {
    case KAI_SETTING_WORD: fine = find_word(e, rule, setting, &word); break;
    case KAI_SETTING_CONDITION: elaborate_region(e, setting); break;
    default: fine = find_number(e, rule, setting, &number); break;
    }
    if (fine)
        keep(&e->flat->experiment, (SettingId)(rule - kaiSettings_Get(0)), number, word, setting->value->span);
}

// ---- from the call

// max_step → --max-step
static const char* option_name(Elab* e, const char* name)
{
    size_t length = strlen(name);
    char* option = arena_alloc(e->arena, length + 3);
    memcpy(option, "--", 2);
    for (size_t i = 0; i <= length; i++)
        option[i + 2] = name[i] == '_' ? '-' : name[i];
    return option;
}

void elaborate_given_settings(Elab* e)
{
    for (int i = 0; i < e->options->setting_count; i++)
    {
        const GivenSetting* given = &e->options->settings[i];
        const char* source = option_name(e, given->name);
        Expr* value = elaborate_given_text(e, source, given->text);
        Setting setting = {.kind = SETTING_VALUE, .span = value->span, .name_span = value->span, .value = value};
        setting.name = given->name;
        if (value->kind != EXPR_ERROR)
            elaborate_setting(e, &setting);
    }
}

// ---- together

static void check_times(Elab* e)
{
    const FlatExperiment* flat = &e->flat->experiment;
    double start = flat->has_start ? flat->start : 0;
    if (!flat->has_stop || flat->stop >= start)
        return;
    // The call comes after the text: what it gives is what made the two disagree.
    Span span = flat->has_start && flat->start_span.file > flat->stop_span.file ? flat->start_span : flat->stop_span;
    Diag* diag = elab_error(e, K_BAD_SETTING, span, "the run stops at %g before it starts at %g", flat->stop, start);
    elab_help(e, diag, "`stop` is a time, not a duration: make it larger than `start`");
}

// What kaiSimOptions refuses too (run/options.c); here it has a place.
static void check_steps(Elab* e)
{
    const FlatExperiment* x = &e->flat->experiment;
    if (x->has_rtol && x->rtol == 0 && !x->has_atol)
    {
        Diag* diag = elab_error(e, K_BAD_SETTING, x->rtol_span, "with rtol = 0 the absolute error alone is controlled");
        elab_help(e, diag, "give it too: `atol = 1e-9`, in the units of the states");
    }
    if (x->has_min_step && x->has_max_step && x->min_step > x->max_step)
    {
        Diag* diag = elab_error(e, K_BAD_SETTING, x->min_step_span, "`min_step` %g is longer than `max_step` %g",
                                x->min_step, x->max_step);
        elab_help(e, diag, "make it shorter, or leave one of them out");
    }
}

static bool is_word(const char* word, const char* text)
{
    return word && strcmp(word, text) == 0;
}

static void warn_idle(Elab* e, bool given, const char* name, Span span, const char* why)
{
    if (!given)
        return;
    Diag* diag = elab_warning(e, K_IDLE_SETTING, span, "`%s` has no effect: %s", name, why);
    elab_help(e, diag, "leave it out");
}

// Settings that another one, or the model, leaves without a meaning. Said, because who wrote them expects something.
static void warn_about_idle(Elab* e)
{
    const Flat* flat = e->flat;
    const FlatExperiment* x = &flat->experiment;
    const char* explores = "only `choice = all` has outcomes to count";
    bool all = is_word(x->choice, "all"),
         draws = flat->streams.count > 0 || is_word(x->choice, "random") || x->spreads.count > 0;
    warn_idle(e, x->has_max_branches && !all, "max_branches", x->max_branches_span, explores);
    warn_idle(e, x->has_max_choices && !all, "max_choices", x->max_choices_span, explores);
    warn_idle(e, x->has_seed && !draws, "seed", x->seed_span, "nothing in this model is drawn at random");
    warn_idle(e, x->has_balance && flat->bond_nodes.count == 0, "balance", x->balance_span,
              "this model has no bond graph");
}

void check_settings(Elab* e)
{
    check_times(e);
    check_steps(e);
    warn_about_idle(e);
}
