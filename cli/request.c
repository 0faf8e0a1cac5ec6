// From the command line to a compiled model and the options of its run.
#include "cli/request.h"

#include "cli/interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- options
// ---------------------------------------------------------------------------------------------------------

static bool parse_view(const char* text, kaiView* view)
{
    static const char* const names[] = {"full", "limits", "unique"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0)
        {
            *view = (kaiView)i;
            return true;
        }
    return false;
}

static int add_value(RunRequest* r, const char* text)
{
    int k = r->load.value_count;
    const char* equals = strchr(text, '=');
    if (k == OVERRIDE_MAX)
        return usage_error("at most %d --set", OVERRIDE_MAX);
    if (equals == NULL || equals == text || equals[1] == 0 || equals - text >= NAME_MAX_LENGTH)
        return usage_error("--set %s: it must read name=value", text);
    snprintf(r->value_names[k], NAME_MAX_LENGTH, "%.*s", (int)(equals - text), text);
    r->values[k] = (kaiGiven){r->value_names[k], equals + 1};
    r->load.values = r->values;
    r->load.value_count++;
    return EXIT_DONE;
}

// A plain number or a word is checked here, in one sentence and before any file is read; expressions when the model is
// compiled.
static int check_setting(const Arguments* a)
{
    char why[700];
    double number;
    const kaiSetting* s = a->setting;
    bool fine = true;
    if (s->kind == KAI_SETTING_WORD)
        fine = kaiSetting_CheckWord(s, a->value, why, sizeof why);
    else if (s->kind != KAI_SETTING_CONDITION && parse_number(a->value, &number))
        fine = kaiSetting_CheckNumber(s, number, why, sizeof why);
    if (fine)
        return EXIT_DONE;
    const char* words[64];
    int count = 0;
    for (; count < s->word_count && count < 64; count++)
        words[count] = s->words[count].word;
    const char* near = kaiWord_Nearest(a->value, words, count);
    return usage_error("%s: %s%s%s%s", a->name, why, near != NULL ? "; did you mean `" : "", near != NULL ? near : "",
                       near != NULL ? "`?" : "");
}

static int add_setting(RunRequest* r, const Arguments* a)
{
    int code = check_setting(a);
    if (code == EXIT_DONE && r->load.setting_count == SETTINGS_GIVEN_MAX)
        code = usage_error("at most %d settings", SETTINGS_GIVEN_MAX);
    if (code != EXIT_DONE)
        return code;
    r->settings[r->load.setting_count++] = (kaiGiven){a->setting->name, a->value};
    r->load.settings = r->settings;
    return EXIT_DONE;
}

static int set_file(RunRequest* r, const Arguments* a)
{
    if (r->source.path != NULL)
        return usage_error("%s takes one file; `%s` is a second one", command_name(a->command), a->value);
    r->source.path = a->value;
    return EXIT_DONE;
}

bool request_take(RunRequest* r, const Arguments* a, Found found, int* code)
{
    *code = EXIT_DONE;
    if (found == FOUND_FILE)
        return *code = set_file(r, a), true;
    switch (a->option)
    {
    case OPTION_EXPERIMENT: r->load.experiment = a->value; break;
    case OPTION_MODEL: r->load.model = a->value; break;
    case OPTION_SET: *code = add_value(r, a->value); break;
    case OPTION_SETTING: *code = add_setting(r, a); break;
    case OPTION_OUTPUT: r->output = a->value; break;
    case OPTION_QUIET: r->quiet = true; break;
    case OPTION_JSON: r->json = true; break;
    case OPTION_LIST: r->list = true; break;
    case OPTION_VALUES: r->all_values = true; break;
    case OPTION_CHECKPOINT:
        if (!parse_number(a->value, &r->checkpoint) || !(r->checkpoint > 0) || isinf(r->checkpoint))
            *code = usage_error("--checkpoint %s: it must be a positive time in s", a->value);
        break;
    case OPTION_INPUT: r->input = a->value; break;
    case OPTION_FMI_TYPE:
        r->fmi_type = a->value;
        if (strcmp(a->value, "me") != 0 && strcmp(a->value, "cs") != 0)
            *code = usage_error("--fmi-type is me or cs, not `%s`", a->value);
        break;
    case OPTION_PACE:
        if (!parse_number(a->value, &r->pace) || !(r->pace > 0) || isinf(r->pace))
            *code = usage_error("--pace %s: it must be a positive number", a->value);
        break;
    case OPTION_VIEW:
        if (!parse_view(a->value, &r->view))
            *code = usage_error("--view is full, limits or unique, not `%s`", a->value);
        break;
    default: return take_rights(&r->source, a, code);
    }
    return true;
}

int request_ready(RunRequest* r, unsigned command)
{
    if (r->source.path == NULL)
        return usage_error("%s needs a file; see kairos %s --help", command_name(command), command_name(command));
    if (is_fmu(r->source.path))
        return read_fmu(&r->source, r->fmi_type, &r->text);
    if (r->fmi_type != NULL)
        return usage_error("--fmi-type is for an FMU that is run alone; in a model write `fmu Name = \"file.fmu:%s\"`",
                           r->fmi_type);
    if (is_ssp(r->source.path))
        return read_ssp(&r->source, &r->folder, &r->path);
    return read_standard_input(&r->source, &r->text);
}

static int take(void* user, const Arguments* a, Found found)
{
    int code;
    request_take(user, a, found, &code);
    return code;
}

int request_parse(RunRequest* r, unsigned command, int argc, char** argv)
{
    int code = arguments_each(command, argc, argv, take, r);
    return code == EXIT_DONE ? request_ready(r, command) : code;
}

// ---- loading
// ---------------------------------------------------------------------------------------------------------

void request_begin(RunRequest* r)
{
    r->source = source_options();
    r->load = kaiDefaultCompileOptions();
    r->view = KAI_VIEW_FULL;
}

// The experiment to run if none was named: the first of the file.
static void choose_experiment(RunRequest* r)
{
    kaiExperiment first;
    bool open = r->load.experiment == NULL && r->load.model == NULL;
    if (!open || !kaiProgram_Experiment(r->program, 0, &first))
        return;
    r->load.experiment = first.name;
    r->chosen_of = kaiProgram_ExperimentCount(r->program);
}

int request_open(RunRequest* r)
{
    int code = r->program == NULL ? open_program(&r->source, &r->program) : EXIT_DONE;
    if (code == EXIT_DONE)
        choose_experiment(r);
    return code;
}

void request_close(RunRequest* r)
{
    kaiProgram_Free(r->program);
    free(r->text);
    free(r->path);
    remove_ssp(r->folder);
    r->program = NULL;
    r->text = r->path = r->folder = NULL;
}

int request_list(RunRequest* r)
{
    int code = request_open(r);
    return code == EXIT_DONE ? print_listing(r->program, &r->load, "names") : code;
}

int request_load(RunRequest* r, kaiModel** model)
{
    int code = request_open(r);
    return code == EXIT_DONE ? report_answer(r->program, kaiProgram_Compile(r->program, &r->load, model)) : code;
}

kaiSimOptions request_options(const RunRequest* r, const kaiModel* model)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.limits = r->source.limits;  // the rest of what the call says is in the model
    options.interrupt = interrupt_flag();
    return options;
}

void request_title(const RunRequest* r, const kaiModel* model, char* text, size_t size)
{
    int length = snprintf(text, size, "%s", kaiModel_Name(model));
    if (r->load.experiment != NULL && (size_t)length < size)
        length += snprintf(text + length, size - (size_t)length, ", experiment %s", r->load.experiment);
    if (r->chosen_of > 1 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, " (the first of %d)", r->chosen_of);
}

int request_run(unsigned command, int argc, char** argv, RequestWork* work)
{
    return request_go_on(command, argc, argv, NULL, work);
}

int request_go_on(unsigned command, int argc, char** argv, const kaiCheckpoint* resumed, RequestWork* work)
{
    static RunRequest request;  // large, and zero already: on the stack it would have to be made so
    request_begin(&request);
    request.argc = argc;
    request.argv = argv;
    request.resumed = resumed;
    int code = request_parse(&request, command, argc, argv);
    if (code == EXIT_DONE && request.list)
        code = request_list(&request);
    else if (code == EXIT_DONE)
    {
        interrupt_catch();
        kaiModel* model = NULL;
        code = request_load(&request, &model);
        if (code == EXIT_DONE)
            code = spare_inputs(request.program, request.output);
        if (code == EXIT_DONE)
            code = spare_file("--input", request.input, request.output);
        if (code == EXIT_DONE)
            code = work(&request, model);
        kaiModel_Free(model);
    }
    request_close(&request);
    return code;
}
