// Every setting of the table with values below, at and above the ends of its range, NaN, infinities and wrong words: in
// the text of an experiment, in the call (LoadOptions.settings) and in kaiSimOptions. The loops go through the
// table, so that a new setting is tried without a line here.
#include "kairos/kairos.h"
#include "run/options.h"
#include "settings/settings.h"
#include "unit/load.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- values to try

typedef struct Trial
{
    double value;
    bool fine;
} Trial;

enum
{
    TRIALS = 12
};

static bool is_number(const kaiSetting* s)
{
    return s->kind == KAI_SETTING_NUMBER || s->kind == KAI_SETTING_COUNT;
}

static void add(Trial* trials, int* count, double value, bool fine)
{
    trials[(*count)++] = (Trial){value, fine};
}

// The ends themselves, and the next values on both sides of them (of counts: the next whole ones, and a half).
static int make_trials(const kaiSetting* s, Trial trials[TRIALS])
{
    bool whole = s->kind == KAI_SETTING_COUNT;
    int count = 0;
    double step_low = whole ? s->low + 1 : nextafter(s->low, INFINITY);
    double step_high = whole ? s->high - 1 : nextafter(s->high, -INFINITY);
    add(trials, &count, s->low, !s->above_low);
    add(trials, &count, s->high, !s->below_high);
    add(trials, &count, step_low, true);
    add(trials, &count, step_high, true);
    if (isfinite(s->low))
        add(trials, &count, whole ? s->low - 1 : nextafter(s->low, -INFINITY), false);
    if (isfinite(s->high))
        add(trials, &count, whole ? s->high + 2 : nextafter(s->high, INFINITY), false);
    if (whole)
        add(trials, &count, s->low + 0.5, false);
    add(trials, &count, NAN, false);
    add(trials, &count, -INFINITY, false);
    add(trials, &count, INFINITY, !s->below_high && s->high == INFINITY);
    return count;
}

// ---- the table

static void test_table(void** state)
{
    (void)state;
    assert_int_equal(kaiSettings_Count(), SETTING_ID_COUNT);
    assert_null(kaiSettings_Get(-1));
    assert_null(kaiSettings_Get(SETTING_ID_COUNT));
    assert_null(kaiSettings_Find("nothing"));
    for (int i = 0; i < kaiSettings_Count(); i++)
    {
        const kaiSetting* s = kaiSettings_Get(i);
        char range[400], cut[9];
        assert_ptr_equal(kaiSettings_Find(s->name), s);
        kaiSetting_Range(s, range, sizeof range);
        assert_true(range[0] != 0 && s->text[0] != 0 && s->otherwise[0] != 0);
        kaiSetting_Range(s, cut, sizeof cut);
        assert_true(strlen(cut) <= 8 && strncmp(cut, range, strlen(cut)) == 0);
        assert_true(!is_number(s) || s->low < s->high);
        assert_int_equal(s->kind == KAI_SETTING_WORD, s->word_count > 0);
    }
}

// The lists of words agree with those who own them.
static void test_words(void** state)
{
    (void)state;
    const kaiSetting *solver = kaiSettings_Find("solver"), *root = kaiSettings_Find("root");
    const kaiSetting* choice = kaiSettings_Find("choice");
    assert_int_equal(solver->word_count, ODE_METHOD_COUNT);
    for (int i = 0; i < solver->word_count; i++)
        assert_int_equal(ode_method_find(solver->words[i].word), i);
    assert_int_equal(root->word_count, ROOT_METHOD_COUNT);
    for (int i = 0; i < root->word_count; i++)
        assert_int_equal(root_method_find(root->words[i].word), i);
    assert_int_equal(choice->word_count, CHOICE_ALL + 1);
    for (int i = 0; i < choice->word_count; i++)
        assert_int_equal(choice_policy_find(choice->words[i].word), i);
    const kaiSetting* breakpoint = kaiSettings_Find("breakpoint_solver");
    assert_int_equal(setting_word(breakpoint, "same"), ODE_BREAK_SAME);
    assert_int_equal(setting_word(breakpoint, "backward_euler"), ODE_BREAK_BACKWARD_EULER);
    assert_int_equal(setting_word(breakpoint, "ibe"), ODE_BREAK_IBE);
}

static void test_sentences(void** state)
{
    (void)state;
    char why[300];
    const kaiSetting* rtol = kaiSettings_Find("rtol");
    assert_false(kaiSetting_CheckNumber(rtol, -1, why, sizeof why));
    assert_string_equal(why, "`rtol` must be a number from 0 and up to 1, not -1 (default: 1e-8)");
    assert_false(kaiSetting_CheckNumber(rtol, nextafter(1, 2), why, sizeof why));
    assert_non_null(strstr(why, "not 1.0000000000000002"));
    assert_false(kaiSetting_CheckWord(kaiSettings_Find("zeno"), "nonsense", why, sizeof why));
    assert_string_equal(why, "`zeno` must be stop, continue, slide or off, not `nonsense` (default: stop)");
    assert_false(kaiSetting_CheckWord(kaiSettings_Find("zeno"), NULL, why, sizeof why));
    assert_string_equal(why, "`zeno` must be stop, continue, slide or off, and it is not set (default: stop)");
    assert_false(kaiSetting_CheckWord(kaiSettings_Find("zeno"), "x", why, 10));
    assert_string_equal(why, "`zeno` mu");
    assert_false(kaiSetting_CheckNumber(kaiSettings_Find("zeno"), 1, NULL, 0));
    const char* const words[] = {"--stop", "--step"};
    assert_string_equal(kaiWord_Nearest("--stpo", words, 2), "--stop");
    assert_null(kaiWord_Nearest("--stpo", words, 0));
}

// ---- in the text and in the call

static bool loads(const char* text, const kaiGiven* given, bool experiment, char* said, size_t size)
{
    LoadOptions options = load_default();
    options.text = text;
    options.experiment = experiment ? "e" : NULL;
    options.settings = given;
    options.setting_count = given != NULL;
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    bool fine = load_model(&options, &model, &messages) == KAI_OK;
    said[0] = 0;
    for (int i = 0; i < kaiProgram_MessageCount(messages); i++)
        if (kaiProgram_Message(messages, i)->severity == KAI_ERROR)
            snprintf(said, size, "%s", kaiProgram_Message(messages, i)->message);
    kaiProgram_Free(messages);
    kaiModel_Free(model);
    return fine;
}

// `stop` belongs to `start`, and `rtol = 0` to `atol`: what is tried for one must not be refused for the other.
static const char* companion(const kaiSetting* s)
{
    return strcmp(s->name, "start") == 0  ? "stop = inf"
           : strcmp(s->name, "stop") == 0 ? "start = -1.7976931348623157e308"
           : strcmp(s->name, "rtol") == 0 ? "atol = 1e-9"
                                          : "";
}

static void write_number(char* text, size_t size, double value)
{
    if (isnan(value))
        snprintf(text, size, "0/0");
    else if (isinf(value))
        snprintf(text, size, value > 0 ? "inf" : "-inf");
    else
        snprintf(text, size, "%.17g", value);
}

static void try_text(const kaiSetting* s, const char* value, bool fine)
{
    char model[600], said[700];
    snprintf(model, sizeof model, "model M { state x = 1; x' = -x }\nexperiment e of M { %s; %s = %s }", companion(s),
             s->name, value);
    bool got = loads(model, NULL, true, said, sizeof said);
    if (got != fine)
        fail_msg("%s: %s", model, got ? "is accepted" : said);
    if (!fine && strcmp(value, "0/0") != 0 && strstr(said, s->name) == NULL && strstr(said, value) == NULL)
        fail_msg("%s: `%s` does not name the setting", model, said);
    snprintf(model, sizeof model, "model M { state x = 1; x' = -x }\nexperiment e of M { %s }", companion(s));
    kaiGiven given = {s->name, value};
    got = loads(model, &given, true, said, sizeof said);
    if (got != fine)
        fail_msg("--%s %s: %s", s->name, value, got ? "is accepted" : said);
    if (companion(s)[0] == 0 && loads("model M { state x = 1; x' = -x }", &given, false, said, sizeof said) != fine)
        fail_msg("--%s %s without an experiment: %s", s->name, value, said);
}

static void test_text(void** state)
{
    (void)state;
    Trial trials[TRIALS];
    char value[40];
    for (int i = 0; i < kaiSettings_Count(); i++)
    {
        const kaiSetting* s = kaiSettings_Get(i);
        int count = is_number(s) ? make_trials(s, trials) : 0;
        for (int k = 0; k < count; k++)
        {
            write_number(value, sizeof value, trials[k].value);
            try_text(s, value, trials[k].fine);
        }
        for (int k = 0; k < s->word_count; k++)
            if (strcmp(s->words[k].word, "numeric") != 0)  // which wants a solver
                try_text(s, s->words[k].word, true);
        if (s->kind == KAI_SETTING_WORD)
        {
            try_text(s, "nonsense", false);
            try_text(s, "3", false);
            try_text(s, "\"\"", false);
        }
        if (is_number(s))
            try_text(s, "nonsense", false);
    }
}

static void test_units(void** state)
{
    (void)state;
    char said[300];
    const char* text = "model M { state x = 1; x' = -x }\nexperiment e of M { }";
    for (int i = 0; i < kaiSettings_Count(); i++)
    {
        const kaiSetting* s = kaiSettings_Get(i);
        kaiGiven metres = {s->name, "1[m]"}, seconds = {s->name, "1[s]"};
        if (!is_number(s) || strcmp(s->unit, "state") == 0)
            continue;
        assert_false(loads(text, &metres, true, said, sizeof said));
        assert_int_equal(loads(text, &seconds, true, said, sizeof said), strcmp(s->unit, "s") == 0);
    }
    kaiGiven any = {"atol", "1[mm]"};
    assert_true(loads(text, &any, true, said, sizeof said));
}

// ---- in the API

static kaiModel* load_decay(void)
{
    LoadOptions options = load_default();
    options.text = "model M { state x = 1; x' = -x }";
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    assert_int_equal(load_model(&options, &model, &messages), KAI_OK);
    kaiProgram_Free(messages);
    return model;
}

// Whether a sim is made of the options; if not, there is a sentence, which has `name` in it.
static bool creates(const kaiModel* model, const kaiSimOptions* options, const char* name)
{
    kaiError failure = {0};
    kaiSim* sim = kaiSim_Create(model, options, &failure);
    kaiSim_Free(sim);
    if (sim != NULL)
        return true;
    assert_int_equal(failure.status, KAI_ERR_USAGE);
    assert_non_null(failure.message);
    if (name != NULL && strstr(failure.message, name) == NULL)
        fail_msg("`%s` does not name %s", failure.message, name);
    return false;
}

static kaiSimOptions options_for(const kaiModel* model, const kaiSetting* s)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    if (strcmp(s->name, "start") == 0)
        options.stop = INFINITY;
    if (strcmp(s->name, "stop") == 0)
        options.start = -DBL_MAX;
    if (strcmp(s->name, "rtol") == 0)
        options.atol = 1e-6;
    return options;
}

static void try_number(const kaiModel* model, const kaiSetting* s, double* field, kaiSimOptions* options)
{
    Trial trials[TRIALS];
    int count = make_trials(s, trials);
    double otherwise = *field;
    for (int k = 0; k < count; k++)
    {
        *field = trials[k].value;
        bool unset = *field == otherwise && otherwise == 0;  // 0 stands for "not given" where it is out of range
        if (creates(model, options, s->name) != (trials[k].fine || unset))
            fail_msg("%s = %.17g", s->name, trials[k].value);
    }
}

static void try_count(const kaiModel* model, const kaiSetting* s, uint64_t* field, kaiSimOptions* options)
{
    const Trial trials[] = {{s->low, true},
                            {s->low - 1, s->low < 1},  // wraps for 0, and is not tried
                            {s->high, true},
                            {s->high + 2, false}};
    uint64_t otherwise = *field;
    for (int k = 0; k < 4; k++)
    {
        if (trials[k].value < 0)
            continue;
        *field = (uint64_t)trials[k].value;
        bool unset = *field == otherwise && otherwise == 0;  // as above
        if (creates(model, options, s->name) != (trials[k].fine || unset))
            fail_msg("%s = %.17g", s->name, trials[k].value);
    }
    *field = UINT64_MAX;
    assert_false(creates(model, options, s->name));
}

static void try_words(const kaiModel* model, const kaiSetting* s, const char** field, kaiSimOptions* options)
{
    for (int k = 0; k < s->word_count; k++)
    {
        *field = s->words[k].word;
        assert_true(creates(model, options, s->name));
    }
    *field = "nonsense";
    assert_false(creates(model, options, "nonsense"));
    *field = "";
    assert_false(creates(model, options, s->name));
    *field = NULL;
    assert_false(creates(model, options, s->name));
}

static void test_options(void** state)
{
    (void)state;
    kaiModel* model = load_decay();
    kaiSimOptions options;
    const kaiSetting* s;
#define NUMBER(name, ...)                                                                                              \
    s = kaiSettings_Find(#name);                                                                                       \
    options = options_for(model, s);                                                                                   \
    try_number(model, s, &options.name, &options);
#define COUNT(name, ...)                                                                                               \
    s = kaiSettings_Find(#name);                                                                                       \
    options = options_for(model, s);                                                                                   \
    try_count(model, s, &options.name, &options);
#define WORD(name, ...)                                                                                                \
    s = kaiSettings_Find(#name);                                                                                       \
    options = options_for(model, s);                                                                                   \
    try_words(model, s, &options.name, &options);
#include "settings/settings.def"
    kaiModel_Free(model);
}

static void test_unset_options(void** state)
{
    (void)state;
    kaiModel* model = load_decay();
    kaiSimOptions options;
    assert_false(creates(model, NULL, "kaiModel_SimOptions"));
    memset(&options, 0, sizeof options);
    assert_false(creates(model, &options, "kaiModel_SimOptions"));
    memset(&options, 0xA5, sizeof options);
    assert_false(creates(model, &options, "kaiModel_SimOptions"));
    options = kaiModel_SimOptions(model);
    options.allocator.alloc = NULL;
    assert_false(creates(model, &options, "allocator"));
    options = kaiModel_SimOptions(model);
    options.start = 2;
    options.stop = 1;
    assert_false(creates(model, &options, "stop"));
    options = kaiModel_SimOptions(model);
    options.row_gap = NAN;
    assert_false(creates(model, &options, "row_gap"));
    options = kaiModel_SimOptions(model);
    options.record = (const int[]){0, 99};
    options.record_count = 2;
    assert_false(creates(model, &options, "record"));
    options.record_count = -1;
    assert_false(creates(model, &options, "record_count"));
    options.record_count = 1;
    assert_true(creates(model, &options, NULL));
    kaiModel_Free(model);
}

// ---- what the call replaces

static void test_replaced(void** state)
{
    (void)state;
    kaiGiven given[] = {{"stop", "500[ms]"}, {"solver", "rosenbrock"}, {"seed", "2^3"}, {"max_step", "tau/4"}};
    LoadOptions options = load_default();
    options.text = "model M { param tau = 2; state x = 1; x' = -x/tau }\nexperiment e of M { stop = 3; rtol = 1e-5 }";
    options.experiment = "e";
    options.settings = given;
    options.setting_count = 4;
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    assert_int_equal(load_model(&options, &model, &messages), KAI_OK);
    kaiProgram_Free(messages);
    kaiSimOptions made = kaiModel_SimOptions(model);
    assert_true(made.stop == 0.5 && made.rtol == 1e-5 && made.seed == 8 && made.max_step == 0.5);
    assert_string_equal(made.solver, "rosenbrock");
    assert_true(made.start == 0 && made.atol == 0 && made.max_microsteps == 10000);
    kaiModel_Free(model);
}

static void test_values(void** state)
{
    (void)state;
    const struct
    {
        const char *name, *text;
        double value;  // NaN: refused
    } trials[] = {
        {"x", "50[cm]", 0.5}, {"x", "1/2", 0.5},   {"x", "-2", -2},   {"x", "sqrt(4)*pi", 2 * 3.141592653589793},
        {"x", "1[s]", NAN},   {"x", "g", NAN},     {"x", "2*g", NAN}, {"x", "1 2", NAN},
        {"x", "0/0", NAN},    {"x", "", NAN},      {"n", "3", 3},     {"on_", "true", 1},
        {"on_", "false", 0},  {"x", "heavy", NAN}, {"mode", "b", 1},  {"mode", "c", NAN}};
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
    {
        kaiGiven given = {trials[i].name, trials[i].text};
        LoadOptions options = load_default();
        options.text = "model M { param g = 9, on_ = false; state x [m] = 7; x' = 0; discrete n = 1\n"
                       "modes { initial mode a { } mode b { on g < 0 and on_ -> a } } }";
        options.values = &given;
        options.value_count = 1;
        kaiModel* model = NULL;
        kaiProgram* messages = NULL;
        kaiStatus status = load_model(&options, &model, &messages);
        double value = NAN;
        if (status == KAI_OK)
        {
            kaiVariable v;
            kaiModel_Variable(model, kaiModel_FindVariable(model, trials[i].name), &v);
            value = v.start;
        }
        if (!(value == trials[i].value || (isnan(value) && isnan(trials[i].value))))
            fail_msg("--set %s=%s gives %g", trials[i].name, trials[i].text, value);
        kaiProgram_Free(messages);
        kaiModel_Free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),         cmocka_unit_test(test_words),    cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_text),          cmocka_unit_test(test_units),    cmocka_unit_test(test_options),
        cmocka_unit_test(test_unset_options), cmocka_unit_test(test_replaced), cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
