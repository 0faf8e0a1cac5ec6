// See survey.h. The layout is that of figures: margins follow from the texts, so nothing is cut off.
#include "plot/survey.h"

#include "base/error.h"
#include "plot/figure.h"
#include "plot/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- columns

const kaiChartColumn* survey_column(const Survey* s, bool factor, int n)
{
    for (int i = 0; i < s->column_count; i++)
        if (s->columns[i].factor == factor && n-- == 0)
            return &s->columns[i];
    return NULL;
}

int survey_count(const Survey* s, bool factor)
{
    int count = 0;
    for (int i = 0; i < s->column_count; i++)
        count += s->columns[i].factor == factor;
    return count;
}

bool survey_extent(const Survey* s, const kaiChartColumn* column, double* low, double* high)
{
    bool any = false;
    for (int64_t i = 0; i < s->rows; i++)
    {
        double v = column->values[i];
        if (!isfinite(v))
            continue;
        *low = !any || v < *low ? v : *low;
        *high = !any || v > *high ? v : *high;
        any = true;
    }
    return any;
}

void* survey_get(const Survey* s, size_t size)
{
    kaiAllocator a = s->options->allocator;
    void* block = a.alloc(a.user, NULL, 0, size);
    if (block != NULL)
        memset(block, 0, size);
    else
        error_memory(s->error);
    return block;
}

void survey_free(const Survey* s, void* block, size_t size)
{
    kaiAllocator a = s->options->allocator;
    if (block != NULL)
        a.alloc(a.user, block, size, 0);
}

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

void survey_sort(double* values, int64_t count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
}

double survey_quantile(const double* sorted, int64_t count, double p)
{
    if (count == 0)
        return NAN;
    double at = p * (double)(count - 1);
    int64_t i = (int64_t)at, next = i + 1 < count ? i + 1 : i;
    return sorted[i] + (at - (double)i) * (sorted[next] - sorted[i]);
}

// ---- axes

void survey_range(Axis* axis, double low, double high)
{
    ticks_range(&low, &high);
    *axis = (Axis){.low = low, .high = high};
}

static Ticks make_ticks(const Axis* axis, int most, const char* unit)
{
    Ticks ticks = ticks_make(axis->low, axis->high, most < 2 ? 2 : most);
    if (unit_takes_prefix(unit))
        ticks_use_prefix(&ticks, axis->low, axis->high);
    return ticks;
}

static double tick_width(const Survey* s, const Ticks* ticks)
{
    double width = 0;
    char text[64];
    for (int i = 0; i < ticks->count; i++)
    {
        ticks_label(ticks, i, text, sizeof text);
        width = fmax(width, canvas_text_width(s->canvas, text, &s->look.tick));
    }
    return width;
}

static void set_x(const Survey* s, Plate* p)
{
    p->x.from = p->box.x;
    p->x.to = p->box.x + p->box.width - (s->look.coarse ? 1 : 0);
    for (int most = 10; most >= 2; most--)
    {
        p->x.ticks = make_ticks(&p->x, most, p->x_unit);
        double room = tick_width(s, &p->x.ticks) + (s->look.coarse ? 6 : 18);
        if (room * p->x.ticks.count <= p->box.width * 1.05)
            return;
    }
}

static void set_y(const Survey* s, Plate* p)
{
    p->y.from = p->box.y + p->box.height - (s->look.coarse ? 1 : 0);
    p->y.to = p->box.y;
    int most = (int)(p->box.height / (s->look.coarse ? 8 : 28));
    if (p->rows != NULL)
        p->y.ticks = (Ticks){.kind = TICKS_NONE, .step = 1};
    else
        p->y.ticks = make_ticks(&p->y, most > 8 ? 8 : most, p->y_unit);
}

// ---- layout

static double head_room(const Survey* s)
{
    return s->look.coarse ? 4 : 16;
}

static double foot_room(const Survey* s)
{
    if (s->look.coarse)
        return 12;
    return 8 + canvas_line_height(s->canvas, &s->look.tick) + canvas_line_height(s->canvas, &s->look.label);
}

static double left_room(const Survey* s, const Plate* p)
{
    double ticks = tick_width(s, &p->y.ticks);
    for (int i = 0; p->rows != NULL && i < p->row_count; i++)
        ticks = fmax(ticks, canvas_text_width(s->canvas, p->rows[i], &s->look.tick));
    ticks = fmin(ticks, 0.25 * canvas_width(s->canvas));
    if (s->look.coarse)
        return ceil(ticks / 2) * 2 + 6;
    return ticks + 7 + (p->y_name != NULL ? canvas_line_height(s->canvas, &s->look.label) + 8 : 10);
}

static void arrange(const Survey* s, Plate* plates, int count, int across, double top, double bottom)
{
    const double left_edge = s->look.coarse ? 0 : 2;
    int down = (count + across - 1) / across;
    double width = floor((canvas_width(s->canvas) - left_edge) / across),
           height = (canvas_height(s->canvas) - top - bottom) / (down > 0 ? down : 1);
    if (s->look.coarse)
        height = floor(height / 4) * 4;
    for (int i = 0; i < count; i++)
    {
        Plate* p = &plates[i];
        double y = top + (double)(i / across) * height + head_room(s);
        p->box = (Box){0, y, 0, fmax(height - head_room(s) - foot_room(s), 8)};
        set_y(s, p);
    }
    for (int i = 0; i < count; i++)
    {
        double left = 0;
        for (int k = i % across; k < count; k += across)  // plates below each other begin at one line
            left = fmax(left, left_room(s, &plates[k]));
        Plate* p = &plates[i];
        p->box.x = left_edge + (double)(i % across) * width + left;
        p->box.width = fmax(width - left - p->right - (s->look.coarse ? 2 : 14), 10);
        set_x(s, p);
    }
}

// ---- texts

static void label(const char* name, const char* unit, const Ticks* ticks, char* text, size_t size)
{
    char shown[64];
    unit_text(unit, ticks->prefixed ? ticks->exponent : 0, shown, sizeof shown);
    snprintf(text, size, "%s%s%s", name != NULL ? name : "", shown[0] != 0 ? " " : "", shown);
}

static void draw_names(const Survey* s, const Plate* p)
{
    char name[300], note[100], text[450];
    TextStyle style = s->look.label;
    style.anchor = TEXT_MIDDLE;
    label(p->x_name, p->x_unit, &p->x.ticks, name, sizeof name);
    ticks_note(&p->x.ticks, note, sizeof note);
    snprintf(text, sizeof text, "%s%s%s", name, note[0] != 0 ? "   " : "", note);
    chart_fit_name(s->canvas, &style, p->box.width + 20, text, name, sizeof name);
    double below = s->look.coarse ? 11 : foot_room(s) - canvas_line_height(s->canvas, &style) + 8;
    canvas_text(s->canvas, p->box.x + p->box.width / 2, p->box.y + p->box.height + below, name, &style);
    ticks_note(&p->y.ticks, note, sizeof note);
    label(p->y_name, p->y_unit, &p->y.ticks, name, sizeof name);
    if (s->look.coarse)
    {
        snprintf(text, sizeof text, "%s %s", name, note);
        canvas_text(s->canvas, p->box.x, p->box.y - 1, text, &s->look.label);
        return;
    }
    style.upward = true;
    chart_fit_name(s->canvas, &style, p->box.height + 14, name, text, sizeof text);
    double width = p->rows != NULL ? 0 : tick_width(s, &p->y.ticks);
    canvas_text(s->canvas, p->box.x - width - 7 - 8, p->box.y + p->box.height / 2, text, &style);
    canvas_text(s->canvas, p->box.x, p->box.y - 4, note, &s->look.note);
}

static void draw_rows(const Survey* s, const Plate* p)
{
    TextStyle style = s->look.tick;
    style.anchor = TEXT_END;
    for (int i = 0; i < p->row_count; i++)
    {
        char text[200];
        chart_fit_name(s->canvas, &style, 0.25 * canvas_width(s->canvas), p->rows[i], text, sizeof text);
        double y = axis_place(&p->y, i) + (s->look.coarse ? 1 : 0.36 * style.size);
        canvas_text(s->canvas, p->box.x - (s->look.coarse ? 4 : 7), y, text, &style);
    }
}

void survey_plates(Survey* s, Plate* plates, int count, int across, const char* remark)
{
    Canvas* c = s->canvas;
    double top = s->look.coarse ? 0 : 4, bottom = remark != NULL ? (s->look.coarse ? 4 : 20) : 0;
    if (s->options->title != NULL)
    {
        TextStyle style = s->look.title;
        char text[300];
        style.anchor = TEXT_MIDDLE;
        chart_fit_title(c, &style, canvas_width(c) - 10, s->options->title, text, sizeof text);
        canvas_text(c, canvas_width(c) / 2, s->look.coarse ? 3 : 8 + canvas_ascent(c, &style), text, &style);
        top = s->look.coarse ? 4 : 10 + canvas_line_height(c, &style);
    }
    arrange(s, plates, count, across, top, bottom);
    for (int i = 0; i < count; i++)
    {
        chart_axis_x(c, &s->look, &plates[i].x, plates[i].box, true);
        chart_axis_y(c, &s->look, &plates[i].y, plates[i].box);
        if (plates[i].rows != NULL)
            draw_rows(s, &plates[i]);
        draw_names(s, &plates[i]);
    }
    if (remark != NULL)
        canvas_text(c, s->look.coarse ? 0 : 10, canvas_height(c) - (s->look.coarse ? 1 : 8), remark, &s->look.note);
}

// ---- the sheet

static kaiStatus format_of(const kaiFigureOptions* o, CanvasFormat* format, kaiError* error)
{
    *format = CANVAS_TERMINAL;
    if (o->path == NULL || strcmp(o->path, "-") == 0 || canvas_format_of(o->path, format))
        return KAI_OK;
    return error_set(error, KAI_ERR_USAGE, "%s: the picture of a study ends in .svg, .png or .pdf", o->path);
}

kaiStatus kaiChart_Check(const kaiFigureOptions* options, kaiError* error)
{
    CanvasFormat format;
    const char* why = NULL;
    if (!error_check_cookie(options != NULL ? &options->cookie : NULL, "kaiDefaultFigureOptions", error))
        return KAI_ERR_USAGE;
    kaiStatus status = format_of(options, &format, error);
    if (status == KAI_OK && !canvas_can(format, &why))
        status = error_set(error, KAI_ERR_IO, "%s cannot be written: %s", options->path, why);
    return status;
}

kaiStatus survey_open(Survey* s, double width, double height)
{
    const kaiFigureOptions* o = s->options;
    CanvasFormat format;
    kaiStatus status = format_of(o, &format, s->error);
    if (status != KAI_OK)
        return status;
    bool terminal = format == CANVAS_TERMINAL;
    width = o->width > 0 ? o->width : terminal ? 80 : width;
    height = o->height > 0 ? o->height : terminal ? 24 : height;
    s->canvas =
        plot_open_canvas(o, format, terminal ? 2 * width : width, terminal ? 4 * height : height, &status, s->error);
    if (s->canvas == NULL)
        return status;
    s->look = look_of(s->canvas);
    return KAI_OK;
}

kaiStatus survey_close(Survey* s, kaiStatus status)
{
    if (status == KAI_OK)
        status = canvas_close(s->canvas);
    else
        canvas_discard(s->canvas);
    s->canvas = NULL;
    if (status != KAI_OK)
        error_set(s->error, status == KAI_ERR_MEMORY ? status : KAI_ERR_IO, "%s could not be written%s",
                  s->options->path != NULL ? s->options->path : "the picture",
                  status == KAI_ERR_MEMORY ? ": out of memory" : "");
    return status;
}

const char* kaiChart_Word(int kind)
{
    static const char* const words[] = {"histogram", "scatter", "tornado", "heat"};
    return kind >= 0 && kind < 4 ? words[kind] : NULL;
}

static kaiStatus check(const Survey* s, kaiChartKind kind)
{
    int factors = survey_count(s, true), measures = survey_count(s, false), wanted = kind == KAI_CHART_HEAT ? 2 : 1;
    for (int i = 0; i < s->column_count; i++)
        if (s->columns[i].name == NULL || s->columns[i].values == NULL)
            return error_set(s->error, KAI_ERR_USAGE, "a column has a name and values");
    if (s->rows < 1 || s->column_count < 1)
        return error_set(s->error, KAI_ERR_USAGE, "there are no rows to draw");
    if (kind != KAI_CHART_HISTOGRAM && (factors < wanted || measures < 1))
        return error_set(s->error, KAI_ERR_USAGE, "a chart `%s` needs %s and a measure; there %s %d of %d columns",
                         kaiChart_Word((int)kind), wanted == 2 ? "two factors" : "a factor",
                         factors == 1 ? "is a factor," : "are factors,", factors, s->column_count);
    return KAI_OK;
}

kaiStatus kaiChart_Draw(const kaiFigureOptions* options, kaiChartKind kind, const kaiChartColumn* columns,
                        int column_count, int64_t row_count, kaiError* error)
{
    if (options == NULL || columns == NULL || column_count < 0 || kaiChart_Word((int)kind) == NULL)
        return error_set(error, KAI_ERR_USAGE, "there are no options, no columns, or no such chart");
    if (!error_check_cookie(&options->cookie, "kaiDefaultFigureOptions", error))
        return KAI_ERR_USAGE;
    Survey s = {options, columns, column_count, row_count, error, NULL, {0}};
    kaiStatus status = check(&s, kind);
    if (status != KAI_OK)
        return status;
    switch (kind)
    {
    case KAI_CHART_SCATTER: return scatter_draw(&s);
    case KAI_CHART_TORNADO: return tornado_draw(&s);
    case KAI_CHART_HEAT: return heat_draw(&s);
    default: return histogram_draw(&s);
    }
}
