// kairos plot: a model or a result as a picture, or what happens inside its instants.
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
        depth += (*at == '[') - (*at == ']');
        end = *at == 0;
        if (!end && (*at != ',' || depth > 0))
            continue;
        *at = 0;
        if (*from == 0 || !panels_add(&r->wanted, from))
            return usage_error("--signals must read a,b,c");
        from = at + 1;
    }
    return EXIT_DONE;
}

static int set_time(const char* option, const char* text, double* value)
{
    return parse_number(text, value) && isfinite(*value) ? EXIT_DONE
                                                         : usage_error("%s %s: it must be a number", option, text);
}

static int set_size(PlotRequest* r, const char* text)
{
    char* end;
    r->figure.width = strtod(text, &end);
    r->figure.height = *end == 'x' ? strtod(end + 1, &end) : 0;
    bool good = *end == 0 && r->figure.width >= 20 && r->figure.height >= 8 && r->figure.width <= 20000 &&
                r->figure.height <= 20000;
    return good ? EXIT_DONE : usage_error("--size %s: it must read WIDTHxHEIGHT, as 720x400 (or 80x24)", text);
}

static bool parse_range(PlotRequest* r, int argc, char** argv, int* i, int* code)
{
    const char* value;
    if ((value = option_value(argc, argv, i, "--from")) != NULL)
        *code = set_time("--from", value, &r->figure.from);
    else if ((value = option_value(argc, argv, i, "--to")) != NULL)
        *code = set_time("--to", value, &r->figure.to);
    else if (strcmp(argv[*i], "--instants") == 0)
        r->instants = true;
    else if ((value = option_value(argc, argv, i, "--instant")) != NULL)
        *code = set_time("--instant", value, &r->instant);
    else
        return false;
    return true;
}

// False: argument *i is none of plot's own.
static bool parse_option(PlotRequest* r, int argc, char** argv, int* i, int* code)
{
    const char* value;
    if ((value = option_value(argc, argv, i, "-o")) != NULL)
    {
        r->figure.path = value;
        if (value[0] == 0)
            *code = usage_error("-o needs the name of a figure (.svg, .png, .pdf), or - for the terminal");
    }
    else if ((value = option_value(argc, argv, i, "--signals")) != NULL)
        *code = add_signals(r, (char*)value);
    else if ((value = option_value(argc, argv, i, "--against")) != NULL)
        r->against = value;
    else if ((value = option_value(argc, argv, i, "--size")) != NULL)
        *code = set_size(r, value);
    else if ((value = option_value(argc, argv, i, "--title")) != NULL)
    {
        r->has_title = true;
        r->figure.title = value[0] != 0 ? value : NULL;
    }
    else if (strcmp(argv[*i], "--quiet") == 0)
        r->quiet = true;
    else
        return parse_range(r, argc, argv, i, code);
    return true;
}

// Takes its own options; the others, in their order, are those of a run.
static int parse(PlotRequest* r, int argc, char** argv)
{
    int code = EXIT_DONE, rest = 0;
    for (int i = 0; i < argc && code == EXIT_DONE; i++)
        if (!parse_option(r, argc, argv, &i, &code))
            argv[rest++] = argv[i];
    if (code == EXIT_DONE)
        code = request_parse(r->run, "plot", false, rest, argv);
    for (int i = 0; i < r->wanted.count; i++)
        r->wanted.at[i].against = r->against;
    if (code == EXIT_DONE && r->against != NULL && r->wanted.count == 0)
        return usage_error("--against needs --signals: what is drawn against %s?", r->against);
    if (code == EXIT_DONE && r->figure.from > r->figure.to)
        return usage_error("--from %g is behind --to %g", r->figure.from, r->figure.to);
    return code;
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

static bool is_model(const char* path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".kai") == 0;
}

int command_plot(int argc, char** argv)
{
    RunRequest run = request_begin();
    PlotRequest request = {.run = &run, .figure = kaiDefaultFigureOptions(), .instant = NAN};
    int code = parse(&request, argc, argv);
    if (code != EXIT_DONE)
        return code;
    fit_terminal(&request.figure);
    code = is_model(run.source.path) ? plot_model(&request) : plot_result(&request);
    request_close(&run);
    return code;
}
