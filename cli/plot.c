// kairos plot: a model or a result as a picture, or what happens inside its instants.
#include "cli/charts.h"
#include "cli/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// ---- panels

bool panels_begin(Panels* panels, const char* against)
{
    if (panels->count == PANELS_MAX)
        return false;
    panels->at[panels->count++] = (kaiPanel){panels->names + panels->name_count, 0, against};
    return true;
}

bool panels_add(Panels* panels, const char* name)
{
    if (panels->name_count == SIGNALS_MAX)
        return false;
    panels->names[panels->name_count++] = name;
    panels->at[panels->count - 1].count++;
    return true;
}

// ---- options

// A path is a name; anything else is an expression, which the model computes as a signal of that name.
static int add_expression(PlotRequest* r, const char* text)
{
    bool plain = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]'") == strlen(text);
    if (plain)
        return EXIT_DONE;
    if (r->run->load.signal_count == EXPRESSIONS_MAX)
        return usage_error("--signals: at most %d expressions", EXPRESSIONS_MAX);
    r->expressions[r->run->load.signal_count++] = (kaiGiven){text, text};
    r->run->load.signals = r->expressions;
    return EXIT_DONE;
}

// "a,b,c": one panel. The text is an argument of the program, which is ours to cut. A comma in brackets belongs to a
// name.
static int add_signals(PlotRequest* r, char* text)
{
    int depth = 0;
    bool end = false;
    if (!panels_begin(&r->wanted, NULL))
        return usage_error("--signals: a figure has at most %d panels", PANELS_MAX);
    for (char *from = text, *at = text; !end; at++)
    {
        depth += (*at == '[') - (*at == ']') + (*at == '(') - (*at == ')');
        end = *at == 0;
        if (!end && (*at != ',' || depth > 0))
            continue;
        *at = 0;
        from += strspn(from, " ");
        if (*from == 0 || !panels_add(&r->wanted, from))
            return usage_error("--signals must read a,b,c");
        int code = add_expression(r, from);
        if (code != EXIT_DONE)
            return code;
        from = at + 1;
    }
    return EXIT_DONE;
}

static int set_time(const char* option, const char* text, double* value)
{
    return parse_number(text, value) && isfinite(*value) ? EXIT_DONE
                                                         : usage_error("%s %s: it must be a number", option, text);
}

// "0:5", ":5", "0:".
static int set_range(PlotRequest* r, const char* text)
{
    const char* colon = strchr(text, ':');
    char low[64];
    snprintf(low, sizeof low, "%.*s", colon != NULL ? (int)(colon - text) : 0, text);
    double from = NAN, to = NAN;
    bool good = colon != NULL && (low[0] == 0 || parse_number(low, &from)) &&
                (colon[1] == 0 || parse_number(colon + 1, &to)) && !(from >= to);
    r->figure.y_from = from;
    r->figure.y_to = to;
    return good ? EXIT_DONE : usage_error("--y %s: it must read LOW:HIGH, as -1:5 or 0:", text);
}

static int set_log(PlotRequest* r, const char* text)
{
    r->figure.log_x = strchr(text, 'x') != NULL;
    r->figure.log_y = strchr(text, 'y') != NULL;
    return strspn(text, "xy") == strlen(text) ? EXIT_DONE : usage_error("--log %s: it must read x, y or xy", text);
}

static int set_size(PlotRequest* r, const char* text)
{
    char* end;
    r->figure.width = strtod(text, &end);
    r->figure.height = *end == 'x' ? strtod(end + 1, &end) : 0;
    if (*end != 0 || !(r->figure.width > 0) || !(r->figure.height > 0))
        return usage_error("--size %s: it must read WIDTHxHEIGHT, as 720x400 (or 80x24)", text);
    if (r->figure.width < 20 || r->figure.height < 8)
        return usage_error("--size %s is too small: at least 20x8 characters in the terminal, about 200x120 in a file",
                           text);
    bool fits = r->figure.width <= 20000 && r->figure.height <= 20000;
    return fits ? EXIT_DONE : usage_error("--size %s is too large: at most 20000x20000", text);
}

// False: the option is none of plot's own.
static bool take_own(PlotRequest* r, const Arguments* a, int* code)
{
    switch (a->option)
    {
    case OPTION_OUTPUT: r->figure.path = a->value; break;
    case OPTION_SIGNALS: *code = add_signals(r, a->value); break;
    case OPTION_AGAINST: r->against = a->value; break;
    case OPTION_CHART: r->chart = a->value; break;
    case OPTION_FROM: *code = set_time("--from", a->value, &r->figure.from); break;
    case OPTION_TO: *code = set_time("--to", a->value, &r->figure.to); break;
    case OPTION_Y_RANGE: *code = set_range(r, a->value); break;
    case OPTION_LOG: *code = set_log(r, a->value); break;
    case OPTION_OVERLAY: r->overlay = a->value; break;
    case OPTION_INSTANT: *code = set_time("--instant", a->value, &r->instant); break;
    case OPTION_INSTANTS: r->instants = true; break;
    case OPTION_SIZE: *code = set_size(r, a->value); break;
    case OPTION_TITLE:
        r->has_title = true;
        r->figure.title = a->value[0] != 0 ? a->value : NULL;
        break;
    case OPTION_QUIET: r->quiet = true; break;
    default: return false;
    }
    return true;
}

static int take(void* user, const Arguments* a, Found found)
{
    PlotRequest* r = user;
    int code = EXIT_DONE;
    if (found == FOUND_FILE || !take_own(r, a, &code))
        request_take(r->run, a, found, &code);
    return code;
}

static int parse(PlotRequest* r, int argc, char** argv)
{
    int code = arguments_each(FOR_PLOT, argc, argv, take, r);
    if (code != EXIT_DONE)
        return code;
    for (int i = 0; i < r->wanted.count; i++)
        r->wanted.at[i].against = r->against;
    if (r->against != NULL && r->wanted.count == 0 && r->chart == NULL)
        return usage_error("--against needs --signals: what is drawn against %s?", r->against);
    if (r->figure.from > r->figure.to)
        return usage_error("--from %g is behind --to %g", r->figure.from, r->figure.to);
    return request_ready(r->run, FOR_PLOT);
}

// The picture fills the terminal it is for.
static void fit_terminal(kaiFigureOptions* figure)
{
    struct winsize size;
    if (strcmp(figure->path, "-") != 0 || !isatty(STDOUT_FILENO))
        return;
    figure->colour = getenv("NO_COLOR") == NULL;
    if (figure->width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 && size.ws_row >= 8)
    {
        figure->width = size.ws_col;
        figure->height = size.ws_row > 40 ? 40 : size.ws_row - 1;
    }
}

static bool ends_in(const char* path, const char* ending)
{
    size_t length = strlen(path), own = strlen(ending);
    return length > own && strcmp(path + length - own, ending) == 0;
}

bool draws_page(const PlotRequest* request)
{
    return ends_in(request->figure.path, ".html");
}

static bool is_model(const char* path)
{
    return ends_in(path, ".kai");
}

// What standard input holds: a model begins with one of five words, behind blanks and comments; a result with the name
// of a column.
static bool is_model_text(const char* text)
{
    static const char* const words[] = {"model", "import", "function", "external", "experiment"};
    for (text += strspn(text, " \t\r\n"); strncmp(text, "//", 2) == 0; text += strspn(text, " \t\r\n"))
        text += strcspn(text, "\n");
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncmp(text, words[i], length) == 0 && text[length] != ',')
            return true;
    return false;
}

// A result is read from standard input by its reader: what was read to look at it goes back there.
static int give_back(RunRequest* run)
{
    FILE* file = tmpfile();
    bool fine = file != NULL && fputs(run->text, file) >= 0 && fflush(file) == 0 &&
                lseek(fileno(file), 0, SEEK_SET) == 0 && dup2(fileno(file), STDIN_FILENO) == STDIN_FILENO;
    if (file != NULL)
        fclose(file);
    if (!fine)
    {
        fputs("kairos: standard input cannot be kept in a temporary file\n", stderr);
        return EXIT_FILE;
    }
    free(run->text);
    run->text = NULL;
    run->source.text = NULL;
    run->source.path = "-";
    return EXIT_DONE;
}

// The table of a study.
static int plot_study(PlotRequest* r)
{
    StudyChart chart;
    int code = chart_choose(&chart, r->figure.path, r->chart, NULL, -1);
    if (code == EXIT_DONE)
        code = names_split(&chart.against, "--against", r->against);
    chart.options = r->figure;
    for (int i = 0; i < r->wanted.name_count && chart.signals.count < CHART_COLUMNS; i++)
        chart.signals.at[chart.signals.count++] = r->wanted.names[i];
    code = code == EXIT_DONE ? chart_plot(&chart, r->run->source.path) : code;
    chart_close(&chart);
    return code;
}

int command_plot(int argc, char** argv)
{
    RunRequest run = {0};
    request_begin(&run);
    PlotRequest request = {.run = &run, .figure = kaiDefaultFigureOptions(), .instant = NAN};
    int code = parse(&request, argc, argv);
    if (code == EXIT_DONE && run.text != NULL && !is_model_text(run.text))
        code = give_back(&run);
    if (code == EXIT_DONE)
    {
        fit_terminal(&request.figure);
        bool model = run.text != NULL || is_model(run.source.path);
        code = !model && is_study_table(run.source.path) ? plot_study(&request)
               : !model                                  ? plot_result(&request)
               : run.list                                ? request_list(&run)
                                                         : plot_model(&request);
    }
    request_close(&run);
    return code;
}
