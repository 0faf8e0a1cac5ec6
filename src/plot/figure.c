// Rows → series and bands (the public face of figures). Drawing is in figure_draw.c.
#include "plot/figure.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

kaiFigureOptions kaiDefaultFigureOptions(void)
{
    return (kaiFigureOptions){.cookie = KAI_COOKIE,
                              .path = "-",
                              .from = -INFINITY,
                              .to = INFINITY,
                              .y_from = NAN,
                              .y_to = NAN,
                              .allocator = kaiDefaultAllocator()};
}

// ---- names

static int distance(const char* a, const char* b)
{
    enum
    {
        LONGEST = 63
    };
    int row[LONGEST + 1], la = (int)strnlen(a, LONGEST), lb = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= lb; j++)
        row[j] = j;
    for (int i = 1; i <= la; i++)
    {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= lb; j++)
        {
            int replace = diagonal + (a[i - 1] != b[j - 1]), shorter = row[j - 1] < row[j] ? row[j - 1] : row[j];
            diagonal = row[j];
            row[j] = replace < shorter + 1 ? replace : shorter + 1;
        }
    }
    return row[lb];
}

// "; did you mean `ball.x`?", or the first names that there are.
static void suggest(const kaiColumn* columns, int count, const char* name, char* text, size_t size)
{
    int best = -1, least = 3 + (int)strlen(name) / 4;
    for (int i = 0; i < count; i++)
    {
        const char* last = strrchr(columns[i].name, '.');
        int d = distance(name, columns[i].name);
        if (last != NULL && strcmp(last + 1, name) == 0)
            d = 1;  // the name without its path
        if (d < least)
            best = i, least = d;
    }
    if (best >= 0)
    {
        snprintf(text, size, "; did you mean `%s`?", columns[best].name);
        return;
    }
    size_t length = (size_t)snprintf(text, size, "; there are");
    for (int i = 0; i < count && i < 8 && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s `%s`", i > 0 ? "," : "", columns[i].name);
    if (count > 8 && length < size)
        snprintf(text + length, size - length, " and %d more", count - 8);
}

int plot_find_column(const kaiColumn* columns, int count, const char* name, kaiError* error)
{
    for (int i = 0; i < count; i++)
        if (strcmp(columns[i].name, name) == 0)
            return i;
    char near[600];
    suggest(columns, count, name, near, sizeof near);
    error_set(error, KAI_ERR_USAGE, "there is no signal `%s`%s", name, near);
    return -1;
}

// ---- making

bool plot_check(const kaiFigureOptions* options, const kaiColumn* columns, int column_count, kaiError* error)
{
    if (!error_check_cookie(options != NULL ? &options->cookie : NULL, "kaiDefaultFigureOptions", error))
        return false;
    if (options->path != NULL && options->allocator.alloc != NULL && column_count >= 0 &&
        (columns != NULL || column_count == 0))
        return true;
    error_set(error, KAI_ERR_USAGE, "a figure needs a path, an allocator and columns");
    return false;
}

bool plot_format(const kaiFigureOptions* options, CanvasFormat* format, kaiError* error)
{
    *format = CANVAS_TERMINAL;
    if (options->path == NULL || strcmp(options->path, "-") == 0 || canvas_format_of(options->path, format))
        return true;
    error_set(error, KAI_ERR_USAGE, "%s: a figure is a file that ends in .svg, .png, .pdf or .html", options->path);
    return false;
}

static bool find_panel(kaiFigure* f, const kaiPanel* panel, kaiError* error)
{
    if (panel->signals == NULL && panel->count > 0)
    {
        error_set(error, KAI_ERR_USAGE, "a panel has no signals");
        return false;
    }
    FigurePanel* p = &f->panels[f->panel_count++];
    p->against = -1;
    if (panel->against != NULL &&
        (p->against = plot_find_column(f->columns, f->column_count, panel->against, error)) < 0)
        return false;
    for (int i = 0; i < panel->count; i++)
    {
        int column = plot_find_column(f->columns, f->column_count, panel->signals[i], error);
        if (column < 0)
            return false;
        if (f->columns[column].kind == KAI_COLUMN_MODE)
            continue;  // a band
        if (p->count == FIGURE_SERIES)
        {
            error_set(error, KAI_ERR_USAGE, "a panel shows at most %d signals; put the others into a second one",
                      FIGURE_SERIES);
            return false;
        }
        p->columns[p->count++] = column;
    }
    f->panel_count -= p->count == 0;
    return true;
}

static void find_bands(kaiFigure* f)
{
    for (int i = 0; i < f->column_count; i++)
    {
        if (f->columns[i].kind != KAI_COLUMN_MODE)
            continue;
        if (f->band_count < FIGURE_BANDS)
            f->band_columns[f->band_count++] = i;
        else
            f->bands_left_out++;
    }
}

// A machine that has one mode only says nothing; and a figure without a time axis has no place for modes.
static void drop_dull_bands(kaiFigure* f)
{
    int kept = 0;
    f->phase_column =
        f->band_count > 0 && f->runs == 1 && f->columns[f->band_columns[0]].mode_count > 1 ? f->band_columns[0] : -1;
    bool in_time = f->panel_count == 0;
    for (int p = 0; p < f->panel_count; p++)
        in_time |= f->panels[p].against < 0;
    for (int i = 0; i < f->band_count; i++)
        if (in_time && f->columns[f->band_columns[i]].mode_count > 1)
        {
            f->band_columns[kept] = f->band_columns[i];
            f->bands[kept++] = f->bands[i];
        }
    f->band_count = kept;
}

// One run needs no name.
static void drop_run_label(kaiFigure* f)
{
    for (int i = 0; i < f->series_count && f->runs == 1; i++)
        snprintf(f->series[i].label, sizeof f->series[i].label, "%s", f->columns[f->series[i].column].name);
}

static void* zeroed(kaiAllocator a, size_t size)
{
    void* block = a.alloc(a.user, NULL, 0, size);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

static bool allocate(kaiFigure* f)
{
    kaiAllocator a = f->options.allocator;
    f->before = zeroed(a, sizeof *f->before * (size_t)(f->column_count + 1));
    f->before_present = zeroed(a, (size_t)f->column_count + 1);
    f->bands_size = sizeof *f->bands * (size_t)(f->band_count + 1);
    f->bands = zeroed(a, f->bands_size);
    return f->before != NULL && f->before_present != NULL && f->bands != NULL;
}

kaiFigure* kaiFigure_Create(const kaiFigureOptions* options, const kaiColumn* columns, int column_count,
                            const kaiPanel* panels, int panel_count, kaiError* error)
{
    if (!plot_check(options, columns, column_count, error))
        return NULL;
    if (panel_count < 0 || (panels == NULL && panel_count > 0))
        return error_set(error, KAI_ERR_USAGE, "there are no panels"), NULL;
    kaiFigure* f = zeroed(options->allocator, sizeof *f);
    error_memory(error);
    if (f == NULL)
        return NULL;
    f->options = *options;
    f->columns = columns;
    f->column_count = column_count;
    find_bands(f);
    bool paged = page_is_wanted(options->path),
         good = allocate(f) && (paged || plot_format(options, &f->format, error));
    if (good && panel_count > FIGURE_PANELS)
    {
        error_set(error, KAI_ERR_USAGE, "a figure has at most %d panels", FIGURE_PANELS);
        good = false;
    }
    for (int i = 0; good && i < panel_count; i++)
        good = find_panel(f, &panels[i], error);
    if (good && paged)
        good = (f->page = page_open(options, columns, column_count, error)) != NULL;
    if (good && kaiFigure_BeginRun(f, NULL) == KAI_OK)
    {
        error_clear(error);
        return f;
    }
    kaiFigure_Free(f);
    return NULL;
}

void kaiFigure_Free(kaiFigure* f)
{
    if (f == NULL)
        return;
    kaiAllocator a = f->options.allocator;
    page_discard(f->page);
    for (int i = 0; i < f->series_count; i++)
        track_free(&f->series[i].track);
    if (f->series != NULL)
        a.alloc(a.user, f->series, sizeof *f->series * (size_t)f->series_capacity, 0);
    if (f->before != NULL)
        a.alloc(a.user, f->before, sizeof *f->before * (size_t)(f->column_count + 1), 0);
    if (f->before_present != NULL)
        a.alloc(a.user, f->before_present, (size_t)f->column_count + 1, 0);
    if (f->bands != NULL)
        a.alloc(a.user, f->bands, f->bands_size, 0);
    a.alloc(a.user, f, sizeof *f, 0);
}

// ---- runs

// The columns x.impulse, x.impulse1, … of column x.
static void find_impulses(const kaiFigure* f, FigureSeries* s)
{
    const char* name = f->columns[s->column].name;
    size_t length = strlen(name);
    for (int i = 0; i < f->column_count; i++)
    {
        const char* other = f->columns[i].name;
        int order = f->columns[i].impulse - 1;
        if (order < 0 || strncmp(other, name, length) != 0 || strncmp(other + length, ".impulse", 8) != 0)
            continue;
        if (order < TRACK_ORDERS && order == s->impulse_count)
            s->impulses[s->impulse_count++] = i;
    }
}

static bool reserve_series(kaiFigure* f)
{
    kaiAllocator a = f->options.allocator;
    if (f->series_count < f->series_capacity)
        return true;
    int capacity = 2 * f->series_capacity + 8;
    FigureSeries* series =
        a.alloc(a.user, f->series, sizeof *series * (size_t)f->series_capacity, sizeof *series * (size_t)capacity);
    if (series == NULL)
        return false;
    f->series = series;
    f->series_capacity = capacity;
    return true;
}

static bool add_series(kaiFigure* f, int panel, int column, const char* label)
{
    if (!reserve_series(f))
        return false;
    FigureSeries* s = &f->series[f->series_count];
    *s = (FigureSeries){.panel = panel, .column = column, .against = f->panels[panel].against, .run = f->runs};
    find_impulses(f, s);
    const char* name = f->columns[column].name;
    if (label == NULL)
        snprintf(s->label, sizeof s->label, "%s", name);
    else if (f->panels[panel].count == 1)
        snprintf(s->label, sizeof s->label, "%s", label);
    else
        snprintf(s->label, sizeof s->label, "%s (%s)", name, label);
    bool event = f->columns[column].kind == KAI_COLUMN_EVENT;
    if (!track_open(&s->track, event, s->against >= 0, f->options.allocator))
    {
        track_free(&s->track);
        return false;
    }
    f->series_count++;
    return true;
}

static void finish_run(kaiFigure* f)
{
    for (int i = f->first_of_run; i < f->series_count; i++)
        track_finish(&f->series[i].track);
}

static kaiStatus begin_page_run(kaiFigure* f, const char* label, bool first)
{
    f->runs += !first;
    return first ? page_name_run(f->page, label) : page_begin_run(f->page, label);
}

kaiStatus kaiFigure_BeginRun(kaiFigure* f, const char* label)
{
    if (f == NULL)
        return KAI_ERR_USAGE;
    bool first = f->runs == 1 && !f->any;  // names the run that was begun with the figure
    if (f->runs == FIGURE_RUNS)
        return KAI_ERR_USAGE;
    if (f->page != NULL)
        return begin_page_run(f, label, first);
    finish_run(f);
    for (int i = 0; first && i < f->series_count; i++)
        track_free(&f->series[i].track);
    if (first)
        f->runs = f->series_count = 0;
    f->first_of_run = f->series_count;
    f->has_before = f->past_end = false;
    for (int p = 0; p < f->panel_count; p++)
        for (int i = 0; i < f->panels[p].count; i++)
            if (!add_series(f, p, f->panels[p].columns[i], label))
                return KAI_ERR_MEMORY;
    f->runs++;
    return KAI_OK;
}

kaiStatus kaiFigure_BeginPoints(kaiFigure* f, const char* label)
{
    kaiStatus status = kaiFigure_BeginRun(f, label);
    for (int i = f != NULL ? f->first_of_run : 0; status == KAI_OK && i < f->series_count; i++)
        f->series[i].dots = true;
    return status;
}

// ---- rows

static uint8_t mode_now(const kaiFigure* f, const double* values, const uint8_t* present)
{
    int column = f->band_count > 0 ? f->band_columns[0] : -1;
    return column >= 0 && present[column] && values[column] >= 0 && values[column] < 255 ? (uint8_t)values[column]
                                                                                         : 255;
}

static void feed(kaiFigure* f, double t, int p, const double* values, const uint8_t* present)
{
    for (int i = f->first_of_run; i < f->series_count; i++)
    {
        FigureSeries* s = &f->series[i];
        bool both = present[s->column] && (s->against < 0 || present[s->against]);
        TrackValue value = {s->against < 0 ? t : values[s->against], values[s->column], both, p, 255};
        if (s->against >= 0)
            value.mode = mode_now(f, values, present);
        track_value(&s->track, t, value);
        for (int k = 0; k < s->impulse_count; k++)
            if (present[s->impulses[k]])
                track_impulse(&s->track, k, values[s->impulses[k]]);
    }
    for (int i = 0; i < f->band_count && f->runs == 1; i++)
        bands_value(&f->bands[i], t, present[f->band_columns[i]] ? (int)values[f->band_columns[i]] : BAND_ABSENT);
}

static void note_time(kaiFigure* f, double t)
{
    f->first_t = f->any ? fmin(f->first_t, t) : t;
    f->last_t = f->any ? fmax(f->last_t, t) : t;
    f->any = true;
}

static kaiStatus add_to_page(kaiFigure* f, const kaiRow* row)
{
    if (!(row->t >= f->options.from && row->t <= f->options.to))
        return KAI_OK;
    f->rows++;
    return page_row(f->page, row);
}

void kaiFigure_Fired(void* figure, const kaiFired* fired)
{
    kaiFigure* f = figure;
    if (f != NULL && fired != NULL && f->page != NULL && fired->tag.t >= f->options.from &&
        fired->tag.t <= f->options.to)
        page_fired(f->page, fired);
}

kaiStatus kaiFigure_Row(void* figure, const kaiRow* row)
{
    if (figure == NULL || row == NULL)
        return KAI_ERR_USAGE;
    kaiFigure* f = figure;
    note_time(f, row->t);
    if (f->page != NULL)
        return add_to_page(f, row);
    if (row->t < f->options.from)
    {
        memcpy(f->before, row->values, sizeof *f->before * (size_t)f->column_count);
        memcpy(f->before_present, row->present, (size_t)f->column_count);
        f->before_t = row->t;
        f->has_before = true;
        return KAI_OK;
    }
    if (f->past_end)
        return KAI_OK;
    if (f->has_before)
        feed(f, f->before_t, 0, f->before, f->before_present);
    f->has_before = false;
    f->past_end = row->t > f->options.to;  // the first row behind is drawn too: curves reach the edge
    f->rows += !f->past_end;
    feed(f, row->t, row->p, row->values, row->present);
    return KAI_OK;
}

// ---- drawing

Canvas* plot_open_canvas(const kaiFigureOptions* o, CanvasFormat format, double width, double height, kaiStatus* status,
                         kaiError* error)
{
    const char* why = NULL;
    const char* path = o->path != NULL ? o->path : "-";
    CanvasOptions options = {path, format, width, height, o->title, o->colour, o->sink, o->allocator};
    Canvas* canvas = canvas_open(&options, &why);
    *status = canvas != NULL ? KAI_OK : canvas_refusal(why);
    if (*status == KAI_ERR_MEMORY)
        error_memory(error);
    else if (canvas == NULL)
        error_set(error, KAI_ERR_IO, "%s cannot be written: %s", path, why);
    return canvas;
}

static kaiStatus check_rows(const kaiFigure* f, kaiError* error)
{
    if (!f->any)
        error_set(error, KAI_ERR_USAGE, "there are no rows to draw");
    else if (f->rows == 0)
        error_set(error, KAI_ERR_USAGE, "nothing to draw from t = %g to t = %g: the rows go from t = %g to t = %g",
                  f->options.from, f->options.to, f->first_t, f->last_t);
    else if (f->panel_count == 0 && f->band_count == 0)
        error_set(error, KAI_ERR_USAGE, "there are no signals to draw");
    else
        return KAI_OK;
    return KAI_ERR_USAGE;
}

static kaiStatus close_page(kaiFigure* f, kaiError* error)
{
    PagePanel panels[FIGURE_PANELS];
    WebPage* page = f->page;
    for (int i = 0; i < f->panel_count; i++)
        panels[i] = (PagePanel){f->panels[i].columns, f->panels[i].count, f->panels[i].against};
    f->page = NULL;  // it frees itself
    return page_close(page, panels, f->panel_count, error);
}

kaiStatus kaiFigure_Draw(kaiFigure* f, kaiError* error)
{
    if (f == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no figure");
    finish_run(f);
    kaiStatus status = check_rows(f, error);
    if (status != KAI_OK)
        return status;
    if (f->page != NULL)
        return close_page(f, error);
    drop_dull_bands(f);
    drop_run_label(f);
    f->shown_from = fmax(f->options.from, f->first_t);
    f->shown_to = fmin(f->options.to, f->last_t);
    double width, height;
    figure_size(f, &width, &height);
    Canvas* canvas = plot_open_canvas(&f->options, f->format, width, height, &status, error);
    if (canvas == NULL)
        return status;
    status = figure_draw(f, canvas);
    if (status == KAI_OK)
        status = canvas_close(canvas);
    else
        canvas_discard(canvas);
    if (status == KAI_ERR_MEMORY)
        error_memory(error);
    else if (status != KAI_OK)
        error_set(error, KAI_ERR_IO, "%s could not be written", f->options.path);
    return status;
}
