// Arguments of a command by the table of options, and the help that is made of the same table.
#include "cli/options.h"

#include "cli/interrupt.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

typedef struct Option
{
    char letter;  // 0: none
    const char *name, *argument;
    unsigned commands;
    const char* text;
} Option;

static const Option options[] = {
#define OPTION(id, letter, name, argument, commands, text) {letter, name, argument, commands, text},
#include "cli/options.def"
#undef OPTION
};

enum
{
    OPTION_COUNT = sizeof options / sizeof *options,
    NAMES_MOST = 100,
};

const char* command_name(unsigned command)
{
    static const struct
    {
        unsigned id;
        const char* name;
    } names[] = {{FOR_RUN, "run"},         {FOR_CHECK, "check"},
                 {FOR_TEST, "test"},       {FOR_PLOT, "plot"},
                 {FOR_EXPLAIN, "explain"}, {FOR_PROVE, "prove"},
                 {FOR_GRAPH, "graph"},     {FOR_FMT, "fmt"},
                 {FOR_IMPORT, "import"},   {FOR_RESUME, "resume"},
                 {FOR_EXPORT, "export"},   {FOR_LSP, "lsp"},
                 {FOR_STUDIO, "studio"},   {FOR_LINEARIZE, "linearize"},
                 {FOR_STEADY, "steady"},   {FOR_SENSITIVITY, "sensitivity"},
                 {FOR_FIT, "fit"},         {FOR_OPTIMIZE, "optimize"},
                 {FOR_STUDY, "study"},     {FOR_MERGE, "merge"},
                 {FOR_COMPARE, "compare"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].id == command)
            return names[i].name;
    return "kairos";
}

// ---- settings as options

// Conditions on the states, and where the run begins, are what `prove` is asked about; the rest belongs to runs.
static bool has_setting(unsigned command, const kaiSetting* s)
{
    bool asked = s->kind == KAI_SETTING_CONDITION || strcmp(s->name, "start") == 0;
    bool runs = (command & (FOR_RUN | FOR_TEST | FOR_PLOT | FOR_EXPLAIN | FOR_EXPORT | FOR_ANALYSIS)) != 0;
    return s->kind == KAI_SETTING_CONDITION ? command == FOR_PROVE : runs || (asked && command == FOR_PROVE);
}

// max_step is --max-step; --max_step will do.
static bool is_setting_name(const char* setting, const char* name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (setting[i] != name[i] && !(setting[i] == '_' && name[i] == '-'))
            return false;
    return setting[length] == 0;
}

static void setting_option(const kaiSetting* s, char* text, size_t size)
{
    snprintf(text, size, "--%s", s->name);
    for (char* at = text; *at != 0; at++)
        *at = *at == '_' ? '-' : *at;
}

static const kaiSetting* find_setting(unsigned command, const char* name, size_t length)
{
    for (int i = 0; i < kaiSettings_Count(); i++)
    {
        const kaiSetting* s = kaiSettings_Get(i);
        if (has_setting(command, s) && is_setting_name(s->name, name, length))
            return s;
    }
    return NULL;
}

// ---- unknown ones

static const char* owner_of(const char* name, size_t length)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0)
            for (unsigned command = 1; command <= FOR_LAST; command *= 2)
                if ((options[i].commands & command) != 0)
                    return command_name(command);
    for (unsigned command = 1; command <= FOR_LAST; command *= 2)
        if (find_setting(command, name, length) != NULL)
            return command_name(command);
    return NULL;
}

static const char* nearest_option(unsigned command, const char* word)
{
    static char texts[NAMES_MOST][40];
    const char* names[NAMES_MOST];
    int count = 0;
    for (int i = 0; i < OPTION_COUNT && count < NAMES_MOST; i++)
        if ((options[i].commands & command) != 0)
        {
            snprintf(texts[count], sizeof texts[0], "--%s", options[i].name);
            names[count] = texts[count];
            count++;
        }
    for (int i = 0; i < kaiSettings_Count() && count < NAMES_MOST; i++)
        if (has_setting(command, kaiSettings_Get(i)))
        {
            setting_option(kaiSettings_Get(i), texts[count], sizeof texts[0]);
            names[count] = texts[count];
            count++;
        }
    return kaiWord_Nearest(word, names, count);
}

static Found unknown(const Arguments* a, const char* word, const char* name, size_t length)
{
    const char* command = command_name(a->command);
    const char* near = nearest_option(a->command, word);
    const char* owner = length > 0 ? owner_of(name, length) : NULL;
    if (near != NULL)
        usage_error("%s has no option `%s`; did you mean `%s`? See kairos %s --help", command, word, near, command);
    else if (owner != NULL)
        usage_error("%s has no option `%s`, %s has; see kairos %s --help", command, word, owner, command);
    else
        usage_error("%s has no option `%s`; see kairos %s --help", command, word, command);
    return FOUND_WRONG;
}

// ---- one argument

static Found take_value(Arguments* a, char* attached, const char* argument)
{
    a->value = attached;
    if (attached == NULL && a->next < a->argc)
        a->value = a->argv[a->next++];
    if (a->value != NULL && a->value[0] != 0)
        return FOUND_OPTION;
    if (a->option == OPTION_TITLE && a->value != NULL)
        return FOUND_OPTION;  // a figure without a title
    usage_error("%s needs a value: %s %s", a->name, a->name, argument);
    return FOUND_WRONG;
}

static const char* setting_argument(const kaiSetting* s)
{
    switch (s->kind)
    {
    case KAI_SETTING_COUNT: return "N";
    case KAI_SETTING_WORD: return "WORD";
    case KAI_SETTING_CONDITION: return "CONDITION";
    default: return strcmp(s->unit, "s") == 0 ? "TIME" : "X";
    }
}

static Found found_long(Arguments* a, char* word)
{
    char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    char* attached = equals != NULL ? equals + 1 : NULL;
    snprintf(a->name, sizeof a->name, "%.*s", (int)(length + 2), word);
    for (int i = 0; i < OPTION_COUNT; i++)
    {
        const Option* o = &options[i];
        if ((o->commands & a->command) == 0 || strlen(o->name) != length || strncmp(o->name, name, length) != 0)
            continue;
        a->option = (OptionId)i;
        if (o->argument != NULL)
            return take_value(a, attached, o->argument);
        if (attached == NULL)
            return FOUND_OPTION;
        usage_error("%s takes no value, this is `%s`", a->name, attached);
        return FOUND_WRONG;
    }
    a->setting = find_setting(a->command, name, length);
    a->option = OPTION_SETTING;
    if (a->setting != NULL)
        return take_value(a, attached, setting_argument(a->setting));
    return unknown(a, a->name, name, length);
}

// One letter; what follows is its value, or more letters.
static Found found_letter(Arguments* a, char* letters)
{
    snprintf(a->name, sizeof a->name, "-%c", letters[0]);
    a->letters = NULL;
    for (int i = 0; i < OPTION_COUNT; i++)
    {
        const Option* o = &options[i];
        if ((o->commands & a->command) == 0 || o->letter != letters[0])
            continue;
        a->option = (OptionId)i;
        char* rest = letters[1] != 0 ? letters + 1 : NULL;
        if (o->argument != NULL)
            return take_value(a, rest != NULL && rest[0] == '=' ? rest + 1 : rest, o->argument);
        a->letters = rest;
        return FOUND_OPTION;
    }
    return unknown(a, a->name, letters, 0);
}

Found arguments_next(Arguments* a)
{
    a->value = NULL;
    if (a->letters != NULL)
        return found_letter(a, a->letters);
    if (a->next >= a->argc)
        return FOUND_END;
    char* word = a->argv[a->next++];
    if (!a->only_files && strcmp(word, "--") == 0)
    {
        a->only_files = true;
        return arguments_next(a);
    }
    if (!a->only_files && word[0] == '-' && word[1] != 0)
        return word[1] == '-' ? found_long(a, word) : found_letter(a, word + 1);
    a->value = word;
    return FOUND_FILE;
}

int arguments_each(unsigned command, int argc, char** argv, ArgumentUse* use, void* user)
{
    Arguments a = {.command = command, .argc = argc, .argv = argv};
    for (;;)
    {
        Found found = arguments_next(&a);
        if (found == FOUND_END || found == FOUND_WRONG)
            return found == FOUND_END ? EXIT_DONE : EXIT_USAGE;
        int code = use(user, &a, found);
        if (code != EXIT_DONE)
            return code;
    }
}

bool arguments_have(int argc, char** argv, OptionId option)
{
    const char letter[] = {'-', options[option].letter, 0};
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], letter) == 0 ||
            (strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, options[option].name) == 0))
            return true;
    return false;
}

// ---- lists

int options_list(unsigned command, CompletedOption* list, int most)
{
    int count = 0;
    for (int i = 0; i < OPTION_COUNT && count < most; i++)
        if ((options[i].commands & command) != 0)
        {
            CompletedOption* o = &list[count++];
            *o = (CompletedOption){
                .letter = options[i].letter, .argument = options[i].argument, .text = options[i].text};
            snprintf(o->name, sizeof o->name, "%s", options[i].name);
        }
    for (int i = 0; i < kaiSettings_Count() && count < most; i++)
        if (has_setting(command, kaiSettings_Get(i)))
        {
            const kaiSetting* s = kaiSettings_Get(i);
            CompletedOption* o = &list[count++];
            char text[60];
            *o = (CompletedOption){.argument = setting_argument(s), .text = s->text, .setting = s};
            setting_option(s, text, sizeof text);
            snprintf(o->name, sizeof o->name, "%.39s", text + 2);
        }
    return count;
}

// ---- help

enum
{
    TEXT_COLUMN = 27,
    WIDTH = 80
};

// Characters, not bytes: texts are UTF-8.
static int width_of(const char* text, size_t length)
{
    int width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

void print_folded(FILE* out, const char* text, int column, int indent)
{
    for (bool first = true; *text != 0; first = false)
    {
        size_t length = strcspn(text, " ");
        int width = width_of(text, length);
        if (!first && column + 1 + width > WIDTH)
        {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        else if (!first)
        {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, length, out);
        column += width;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

// The option, and its text in the right column; beginning on the next line where the option is long.
static void print_option(FILE* out, const char* left, const char* text)
{
    int width = fprintf(out, "  %s", left);
    if (width + 1 < TEXT_COLUMN)
        fprintf(out, "%*s", TEXT_COLUMN - width, "");
    else
        fprintf(out, "\n%*s", TEXT_COLUMN, "");
    print_folded(out, text, TEXT_COLUMN, TEXT_COLUMN);
}

static void print_setting(FILE* out, const kaiSetting* s)
{
    char name[60], left[100], range[400], text[800];
    setting_option(s, name, sizeof name);
    kaiSetting_Range(s, range, sizeof range);
    snprintf(left, sizeof left, "    %s %s", name, setting_argument(s));
    snprintf(text, sizeof text, "%s: %s (default: %s)", s->text, range, s->otherwise);
    print_option(out, left, text);
}

void options_help(unsigned command, FILE* out)
{
    bool headed = false;
    char left[120], letter[8];
    fputs("\noptions\n", out);
    for (int i = 0; i < OPTION_COUNT; i++)
    {
        const Option* o = &options[i];
        if ((o->commands & command) == 0)
            continue;
        snprintf(letter, sizeof letter, o->letter != 0 ? "-%c, " : "    ", o->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->argument != NULL ? " " : "",
                 o->argument != NULL ? o->argument : "");
        print_option(out, left, o->text);
    }
    for (int i = 0; i < kaiSettings_Count(); i++)
    {
        if (!has_setting(command, kaiSettings_Get(i)))
            continue;
        if (!headed)
            fputs("\nsettings, which replace those of the experiment\n", out);
        headed = true;
        print_setting(out, kaiSettings_Get(i));
    }
}

kaiProgramOptions source_options(void)
{
    kaiProgramOptions source = kaiDefaultProgramOptions();
    struct sysinfo system;
    if (sysinfo(&system) == 0)
        source.limits.memory = (size_t)system.totalram / 4 * system.mem_unit;
    source.interrupt = interrupt_flag();
    source.blocks = kaiFmu_Blocks(false);
    return source;
}

// "2G", "500M", "64k", or bytes.
static int parse_memory(const char* text, size_t* memory)
{
    static const char letters[] = "kMGT";
    char* end;
    double size = strtod(text, &end);
    const char* letter = *end != 0 ? strchr(letters, *end) : NULL;
    for (const char* at = letters; letter != NULL && at <= letter; at++)
        size *= 1000;
    bool ended = end != text && *(end + (letter != NULL)) == 0;
    if (!ended || !(size >= 1e6) || size > 9e18)
        return usage_error("--memory %s: it must be a size from 1M, as 500M or 2G", text);
    *memory = (size_t)size;
    return EXIT_DONE;
}

static int parse_seconds(const char* text, double* seconds)
{
    if (parse_number(text, seconds) && *seconds > 0)
        return EXIT_DONE;
    return usage_error("--time %s: it must be a positive number of seconds", text);
}

bool take_rights(kaiProgramOptions* source, const Arguments* a, int* code)
{
    switch (a->option)
    {
    case OPTION_ALLOW_FILES: source->policy.allow_files = true; break;
    case OPTION_ALLOW_EXTERNAL: source->policy.allow_external = true; break;
    case OPTION_ISOLATE: source->blocks = kaiFmu_Blocks(true); break;
    case OPTION_TIME: *code = parse_seconds(a->value, &source->limits.seconds); break;
    case OPTION_MEMORY: *code = parse_memory(a->value, &source->limits.memory); break;
    default: return false;
    }
    return true;
}
