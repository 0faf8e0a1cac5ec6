// The figures of a report, as SVG texts that can stand in one page: drawn into a file beside it, read back, removed.
#include "cli/figure.h"
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SWEEP_MOST = 12  // runs that are drawn over each other
};

static char* read_all(const char* path)
{
    FILE* in = fopen(path, "rb");
    if (in == NULL)
        return NULL;
    char* text = NULL;
    if (fseek(in, 0, SEEK_END) == 0)
    {
        long size = ftell(in);
        text = size >= 0 ? malloc((size_t)size + 1) : NULL;
        rewind(in);
        if (text != NULL)
            text[fread(text, 1, (size_t)size, in)] = 0;
    }
    fclose(in);
    return text;
}

// `id="clip1"` and `url(#clip1)` become those of this figure only: ids are shared by a whole page.
static char* make_ids_own(const char* text, int figure)
{
    static const char* const marks[] = {"id=\"", "url(#"};
    size_t size = strlen(text), count = 0;
    for (int m = 0; m < 2; m++)
        for (const char* at = text; (at = strstr(at, marks[m])) != NULL; at++)
            count++;
    char *made = malloc(size + 4 * count + 1), *out = made;
    for (const char* at = text; made != NULL && *at != 0;)
    {
        size_t length = 0;
        for (int m = 0; m < 2; m++)
            if (strncmp(at, marks[m], strlen(marks[m])) == 0)
                length = strlen(marks[m]);
        if (length == 0)
        {
            *out++ = *at++;
            continue;
        }
        memcpy(out, at, length);
        out += length;
        at += length;
        out += sprintf(out, "f%d-", figure);
    }
    if (made != NULL)
        *out = 0;
    return made;
}

static void take(Report* r, const char* path)
{
    char* text = read_all(path);
    remove(path);
    const char* svg = text != NULL ? strstr(text, "<svg") : NULL;  // what comes before is for a file of its own
    if (svg != NULL && r->figure_count < FIGURES_MOST)
    {
        r->figures[r->figure_count] = make_ids_own(svg, r->figure_count + 1);
        r->figure_count += r->figures[r->figure_count] != NULL;
    }
    free(text);
}

static void draw_run(Report* r, RunRequest* request, const char* path, double instant)
{
    PlotRequest* plot = calloc(1, sizeof *plot);
    if (plot == NULL)
        return;
    plot->run = request;
    plot->figure = kaiDefaultFigureOptions();
    plot->figure.path = path;
    plot->figure.title = r->title;
    plot->instant = instant;
    plot->quiet = plot->silent = true;
    if (plot_figure(plot, r->model) == EXIT_DONE)
        take(r, path);
    free(plot);
}

static void draw_model(Report* r, const RunRequest* request, const char* path, kaiDiagramKind kind)
{
    kaiDiagramOptions options = kaiDefaultDiagramOptions();
    options.path = path;
    options.kind = kind;
    if (kaiProgram_Diagram(request->program, &request->load, &options, NULL) == KAI_OK)
        take(r, path);
}

void report_figures(Report* r, RunRequest* request)
{
    char path[4200];
    snprintf(path, sizeof path, "%s.figure.svg", request->output);
    if (r->sweep_points <= SWEEP_MOST)
        draw_run(r, request, path, NAN);
    if (r->profile.most_tags > 2 && r->sweep_points <= 1)
        draw_run(r, request, path, r->profile.most_at);
    draw_model(r, request, path, KAI_DIAGRAM_ANY);
    draw_model(r, request, path, KAI_DIAGRAM_MODES);
}
