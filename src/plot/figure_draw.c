// The layout of a figure: title, bands of modes, panels one below the other with one time axis, legends right of the
// panels. Margins follow from the texts, so nothing is cut off.
#include "plot/figure.h"
#include "plot/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    PANEL_SERIES = FIGURE_SERIES * FIGURE_RUNS
};

typedef struct Panel
{
    ChartSeries* series;
    int count;
    bool is_empty;
    bool has_x_labels;
    Axis x, y;
    Box box;
} Panel;

typedef struct Layout
{
    kaiFigure* f;
    Canvas* c;
    Look look;
    ChartSeries* pool;
    Panel panels[FIGURE_PANELS];
    Box bands[FIGURE_BANDS];
    double left, right, top, bottom;  // margins
    Axis time;
} Layout;

// ---- size

static bool is_terminal(const kaiFigure* f)
{
    return f->format == CANVAS_TERMINAL;
}

void figure_size(const kaiFigure* f, double* width, double* height)
{
    int panels = f->panel_count > 0 ? f->panel_count : 1;
    double chosen_width = is_terminal(f) ? 80 : 720;
    double chosen_height = is_terminal(f) ? 24 : 90 + 24 * f->band_count + (panels == 1 ? 300 : 190 * panels);
    *width = f->options.width > 0 ? f->options.width : chosen_width;
    *height = f->options.height > 0 ? f->options.height : chosen_height;
    if (is_terminal(f))
    {
        *width *= 2;
        *height *= 4;
    }
}

// ---- series of a panel

static void gather(Layout* l)
{
    kaiFigure* f = l->f;
    ChartSeries* next = l->pool;
    for (int p = 0; p < f->panel_count; p++)
    {
        l->panels[p].series = next;
        for (int i = 0; i < f->series_count; i++)
            if (f->series[i].panel == p)
            {
                int colour = (int)(next - l->panels[p].series);
                double width = l->look.line + fmin(0.4 * colour, 1.2);
                *next++ = (ChartSeries){&f->series[i].track, f->series[i].label, colour_of(colour), width};
            }
        l->panels[p].count = (int)(next - l->panels[p].series);
    }
}

// The labels of impulses stand beside their tips.
static void make_room_for_labels(const Panel* panel, Axis* axis)
{
    double room = 0.06 * (axis->high - axis->low);
    bool up = false, down = false;
    for (int k = 0; k < panel->count; k++)
        for (int i = 0; i < panel->series[k].track->mark_count; i++)
        {
            const TrackMark* mark = &panel->series[k].track->marks[i];
            up |= mark->kind == MARK_IMPULSE && mark->y > 0;
            down |= mark->kind == MARK_IMPULSE && mark->y < 0;
        }
    axis->high += up ? room : 0;
    axis->low -= down ? room : 0;
}

static void range_of(const Layout* l, Panel* panel, bool of_x, Axis* axis)
{
    const kaiFigure* f = l->f;
    bool any = of_x ? chart_range_x(panel->series, panel->count, f->shown_from, f->shown_to, &axis->low, &axis->high)
                    : chart_range_y(panel->series, panel->count, f->shown_from, f->shown_to, &axis->low, &axis->high);
    panel->is_empty |= !any;
    if (!any)
        axis->low = 0, axis->high = 1;
    ticks_range(&axis->low, &axis->high);
    if (!of_x)
        make_room_for_labels(panel, axis);
}

// ---- vertical layout

// Room below a panel for tick labels and the name of the axis.
static double axis_room(const Layout* l)
{
    if (l->look.coarse)
        return 8 + (canvas_height(l->c) >= 80 ? 4 : 0);
    return 6 + canvas_line_height(l->c, &l->look.tick) + canvas_line_height(l->c, &l->look.label) + 2;
}

// Room above a panel: the common power of ten of its labels; in the terminal the names of its signals.
static double head_room(const Layout* l)
{
    return l->look.coarse ? 4 : 16;
}

static double title_room(const Layout* l)
{
    if (l->f->options.title == NULL)
        return l->look.coarse ? 0 : 4;
    return l->look.coarse ? 4 : 10 + canvas_line_height(l->c, &l->look.title);
}

static void arrange_rows(Layout* l)
{
    kaiFigure* f = l->f;
    double y = title_room(l), band = l->look.coarse ? 4 : 18, extra = 0;
    for (int i = 0; i < f->band_count; i++, y += band + (l->look.coarse ? 0 : 4))
        l->bands[i] = (Box){0, y + (l->look.coarse ? 0 : 4), 0, band};
    int last_in_time = -1;
    for (int p = 0; p < f->panel_count; p++)
        last_in_time = f->panels[p].against < 0 ? p : last_in_time;
    for (int p = 0; p < f->panel_count; p++)
    {
        l->panels[p].has_x_labels = f->panels[p].against >= 0 || p == last_in_time;
        extra += head_room(l) + (l->panels[p].has_x_labels ? axis_room(l) : 0);
    }
    double each = (canvas_height(l->c) - y - extra) / (f->panel_count > 0 ? f->panel_count : 1);
    each = fmax(l->look.coarse ? floor(each / 4) * 4 : each, l->look.coarse ? 8 : 24);
    for (int p = 0; p < f->panel_count; p++)
    {
        y += head_room(l);
        l->panels[p].box = (Box){0, y, 0, each};
        y += each + (l->panels[p].has_x_labels ? axis_room(l) : 0);
    }
}

// ---- horizontal layout

static double tick_width(const Layout* l, const Ticks* ticks)
{
    double width = 0;
    char text[64];
    for (int i = 0; i < ticks->count; i++)
    {
        ticks_label(ticks, i, text, sizeof text);
        width = fmax(width, canvas_text_width(l->c, text, &l->look.tick));
    }
    return width;
}

static bool has_legend(const Panel* panel)
{
    return panel->count > 1;
}

static double left_margin(const Layout* l)
{
    double ticks = 0, names = 0, widest = 0.22 * canvas_width(l->c);
    for (int p = 0; p < l->f->panel_count; p++)
        ticks = fmax(ticks, tick_width(l, &l->panels[p].y.ticks));
    for (int i = 0; i < l->f->band_count; i++)
        names = fmax(names, canvas_text_width(l->c, l->f->columns[l->f->band_columns[i]].name, &l->look.tick));
    if (l->look.coarse)
        return ceil(fmax(ticks, fmin(names, widest)) / 2) * 2 + 6;
    return fmax(ticks + 7 + canvas_line_height(l->c, &l->look.label) + 8, fmin(names, widest) + 10);
}

// The longest piece of a mode is too short for its name: the name stands right of the band.
static bool lacks_name(const Layout* l, int band, int mode)
{
    const Bands* b = &l->f->bands[band];
    double longest = 0, time = l->f->shown_to - l->f->shown_from, width = 0.75 * canvas_width(l->c);
    for (int i = 0; i < b->count; i++)
        if (b->pieces[i].mode == mode)
            longest = fmax(longest, (i + 1 < b->count ? b->pieces[i + 1].from : b->ends_at) - b->pieces[i].from);
    const char* name = l->f->columns[l->f->band_columns[band]].mode_names[mode];
    return longest > 0 && longest / time * width < canvas_text_width(l->c, name, &l->look.note) + 4;
}

// Draws the names that a band lacks, or only measures them; returns their width.
static double name_modes(const Layout* l, int band, int first_colour, bool draw)
{
    const kaiColumn* column = &l->f->columns[l->f->band_columns[band]];
    Box box = l->bands[band];
    double x = box.x + box.width + 10, from = x;
    for (int mode = 0; mode < column->mode_count && !l->look.coarse; mode++)
    {
        if (!lacks_name(l, band, mode))
            continue;
        Paint paint = {.fill = colour_fade(colour_of(first_colour + mode), 0.35)};
        if (draw)
        {
            canvas_rectangle(l->c, x, box.y + 4, 10, 10, &paint);
            canvas_text(l->c, x + 14, box.y + 13, column->mode_names[mode], &l->look.note);
        }
        x += 22 + canvas_text_width(l->c, column->mode_names[mode], &l->look.note);
    }
    return x - from;
}

static double right_margin(const Layout* l)
{
    double names = 0, modes = 0;
    for (int i = 0; i < l->f->band_count; i++)
        modes = fmax(modes, name_modes(l, i, 0, false));
    for (int p = 0; p < l->f->panel_count; p++)
        for (int i = 0; i < l->panels[p].count && has_legend(&l->panels[p]); i++)
            names = fmax(names, canvas_text_width(l->c, l->panels[p].series[i].name, &l->look.label));
    if (l->look.coarse)
        return 2;
    return fmax(names > 0 ? fmin(names, 0.28 * canvas_width(l->c)) + 40 : 22,
                fmin(modes, 0.3 * canvas_width(l->c)) + 8);
}

static int ticks_that_fit(const Layout* l, double width, double low, double high)
{
    for (int most = 12; most > 2; most--)
    {
        Ticks ticks = ticks_make(low, high, most);
        double room = tick_width(l, &ticks) + (l->look.coarse ? 6 : 18);
        if (room * ticks.count <= width * 1.05)
            return most;
    }
    return 2;
}

static void set_x(const Layout* l, Axis* axis, Box box)
{
    axis->from = box.x;
    axis->to = box.x + box.width - (l->look.coarse ? 1 : 0);
    axis->ticks = ticks_make(axis->low, axis->high, ticks_that_fit(l, box.width, axis->low, axis->high));
}

static void set_y(const Layout* l, Panel* panel)
{
    double line = l->look.coarse ? 8 : 28;
    panel->y.from = panel->box.y + panel->box.height - (l->look.coarse ? 1 : 0);
    panel->y.to = panel->box.y;
    int most = (int)(panel->box.height / line);
    panel->y.ticks = ticks_make(panel->y.low, panel->y.high, most > 8 ? 8 : most);
}

static void arrange_columns(Layout* l)
{
    kaiFigure* f = l->f;
    for (int p = 0; p < f->panel_count; p++)
    {
        range_of(l, &l->panels[p], false, &l->panels[p].y);
        set_y(l, &l->panels[p]);
    }
    l->left = left_margin(l);
    l->right = right_margin(l);
    double width = fmax(canvas_width(l->c) - l->left - l->right, 20);
    for (int i = 0; i < f->band_count; i++)
        l->bands[i].x = l->left, l->bands[i].width = width;
    l->time = (Axis){.low = f->shown_from, .high = f->shown_to};
    if (!(l->time.high > l->time.low))
        ticks_range(&l->time.low, &l->time.high);
    set_x(l, &l->time, (Box){l->left, 0, width, 0});
    for (int p = 0; p < f->panel_count; p++)
    {
        Panel* panel = &l->panels[p];
        panel->box.x = l->left;
        panel->box.width = width;
        panel->x = l->time;
        if (f->panels[p].against >= 0)
        {
            range_of(l, panel, true, &panel->x);
            set_x(l, &panel->x, panel->box);
        }
    }
}

// ---- texts

// "v [m/s]", or of several signals what they share: "[m/s]".
static void name_of(const Layout* l, const int* columns, int count, char* text, size_t size)
{
    char unit[64];
    const kaiColumn* all = l->f->columns;
    bool shared = true;
    for (int i = 1; i < count; i++)
    {
        const char *a = all[columns[0]].unit, *b = all[columns[i]].unit;
        shared = shared && a != NULL && b != NULL && strcmp(a, b) == 0;
    }
    unit_text(shared ? all[columns[0]].unit : NULL, unit, sizeof unit);
    snprintf(text, size, "%s%s%s", count == 1 ? all[columns[0]].name : "", count == 1 && unit[0] != 0 ? " " : "", unit);
}

static void draw_title(const Layout* l)
{
    char text[300];
    if (l->f->options.title == NULL)
        return;
    TextStyle style = l->look.title;
    style.anchor = TEXT_MIDDLE;
    double width = canvas_width(l->c);
    chart_fit_text(l->c, &style, width - 10, l->f->options.title, text, sizeof text);
    // Over the panels, if it fits there; otherwise over the sheet.
    double middle = l->left + (width - l->left - l->right) / 2, half = canvas_text_width(l->c, text, &style) / 2;
    if (middle + half > width - 4 || middle - half < 4)
        middle = width / 2;
    canvas_text(l->c, middle, l->look.coarse ? 3 : 8 + canvas_ascent(l->c, &style), text, &style);
}

static void draw_x_name(const Layout* l, int p)
{
    char name[200], note[100], text[400], unit[64];
    const FigurePanel* fp = &l->f->panels[p];
    unit_text(l->f->options.time_unit, unit, sizeof unit);
    if (fp->against >= 0)
        name_of(l, &fp->against, 1, name, sizeof name);
    else
        snprintf(name, sizeof name, "t%s%s", unit[0] != 0 ? " " : "", unit);
    ticks_note(&l->panels[p].x.ticks, note, sizeof note);
    snprintf(text, sizeof text, "%s%s%s", name, note[0] != 0 ? "   " : "", note);
    TextStyle style = l->look.label;
    style.anchor = TEXT_MIDDLE;
    Box box = l->panels[p].box;
    double below = l->look.coarse ? 11 : axis_room(l) - canvas_line_height(l->c, &style) + canvas_ascent(l->c, &style);
    canvas_text(l->c, box.x + box.width / 2, box.y + box.height + below, text, &style);
}

static void draw_y_name(const Layout* l, int p)
{
    char name[200], note[100], text[200];
    const FigurePanel* fp = &l->f->panels[p];
    Box box = l->panels[p].box;
    TextStyle style = l->look.label;
    name_of(l, fp->columns, fp->count, name, sizeof name);
    ticks_note(&l->panels[p].y.ticks, note, sizeof note);
    style.anchor = TEXT_MIDDLE;
    style.upward = true;
    chart_fit_text(l->c, &style, box.height + 10, name, text, sizeof text);
    canvas_text(l->c, 6 + canvas_ascent(l->c, &style), box.y + box.height / 2, text, &style);
    canvas_text(l->c, box.x, box.y - 4, note, &l->look.note);
}

// The terminal has one line above a panel: the names, each in its colour.
static void draw_head(const Layout* l, int p)
{
    const Panel* panel = &l->panels[p];
    char note[100], text[160], unit[64];
    double x = panel->box.x;
    for (int i = 0; i < panel->count; i++)
    {
        TextStyle style = l->look.label;
        style.colour = panel->series[i].colour;
        unit_text(l->f->columns[l->f->panels[p].columns[i % l->f->panels[p].count]].unit, unit, sizeof unit);
        snprintf(text, sizeof text, "%.60s%s%s", panel->series[i].name, unit[0] != 0 ? " " : "", unit);
        canvas_text(l->c, x, panel->box.y - 1, text, &style);
        x += canvas_text_width(l->c, text, &style) + 4;
    }
    ticks_note(&panel->y.ticks, note, sizeof note);
    canvas_text(l->c, x + 2, panel->box.y - 1, note, &l->look.note);
}

static void draw_legend(const Layout* l, int p)
{
    const Panel* panel = &l->panels[p];
    double x = panel->box.x + panel->box.width + 10, line = canvas_line_height(l->c, &l->look.label) + 2;
    int most = (int)fmax(1, (panel->box.height + head_room(l)) / line);
    for (int i = 0; i < panel->count; i++)
    {
        char text[200], more[40];
        double y = panel->box.y + i * line;
        if (i == most - 1 && panel->count > most)
        {
            snprintf(more, sizeof more, "and %d more", panel->count - i);
            chart_fit_text(l->c, &l->look.note, l->right - 14, more, text, sizeof text);
            canvas_text(l->c, x, y + line * 0.75, text, &l->look.note);
            return;
        }
        Paint sample = {.stroke = panel->series[i].colour, .width = 2};
        canvas_line(l->c, x, y + line / 2, x + 16, y + line / 2, &sample);
        chart_fit_text(l->c, &l->look.label, l->right - 36, panel->series[i].name, text, sizeof text);
        canvas_text(l->c, x + 22, y + line / 2 + 0.36 * l->look.label.size, text, &l->look.label);
    }
}

// ---- drawing

static void draw_bands(const Layout* l)
{
    const kaiFigure* f = l->f;
    int colour = 0;
    for (int i = 0; i < f->band_count; i++)
    {
        const kaiColumn* column = &f->columns[f->band_columns[i]];
        char text[200];
        TextStyle style = l->look.tick;
        style.anchor = TEXT_END;
        Box box = l->bands[i];
        chart_fit_text(l->c, &style, l->left - (l->look.coarse ? 4 : 8), column->name, text, sizeof text);
        canvas_text(l->c, box.x - (l->look.coarse ? 4 : 7),
                    box.y + (l->look.coarse ? 3 : box.height / 2 + 0.36 * style.size), text, &style);
        canvas_group(l->c, column->name);
        chart_band(l->c, &l->look, &f->bands[i], column->mode_names, column->mode_count, colour, &l->time, box);
        name_modes(l, i, colour, true);
        canvas_ungroup(l->c);
        colour += column->mode_count;
    }
}

static void draw_panel(const Layout* l, int p)
{
    const Panel* panel = &l->panels[p];
    chart_axis_x(l->c, &l->look, &panel->x, panel->box, panel->has_x_labels);
    chart_axis_y(l->c, &l->look, &panel->y, panel->box);
    for (int i = panel->count - 1; i >= 0; i--)  // the first on top
        chart_series(l->c, &l->look, &panel->series[i], &panel->x, &panel->y, panel->box);
    if (!l->look.coarse)
        chart_impulse_labels(l->c, &l->look, panel->series, panel->count, &panel->x, &panel->y, panel->box);
    if (panel->is_empty)
    {
        TextStyle style = l->look.note;
        style.anchor = TEXT_MIDDLE;
        canvas_text(l->c, panel->box.x + panel->box.width / 2, panel->box.y + panel->box.height / 2,
                    "absent throughout", &style);
    }
    if (l->look.coarse)
        draw_head(l, p);
    else
        draw_y_name(l, p);
    if (panel->has_x_labels)
        draw_x_name(l, p);
    if (has_legend(panel) && !l->look.coarse)
        draw_legend(l, p);
}

// Curves of more points than the sheet has dots get fewer: the file stays small and looks the same.
static void thin(Layout* l)
{
    double dot = l->look.coarse ? 1 : 0.5, time = l->time.high - l->time.low;
    for (int i = 0; i < l->f->series_count; i++)
        if (l->f->series[i].against < 0 && l->f->series[i].track.count > 2000)
            track_thin(&l->f->series[i].track, time * dot / (l->time.to - l->time.from));
}

kaiStatus figure_draw(kaiFigure* f, Canvas* canvas)
{
    kaiAllocator a = f->options.allocator;
    size_t pool_size = sizeof(ChartSeries) * (size_t)(f->series_count + 1);
    Layout* l = a.alloc(a.user, NULL, 0, sizeof *l);
    if (l == NULL)
        return KAI_ERR_MEMORY;
    *l = (Layout){.f = f, .c = canvas, .look = look_of(canvas), .pool = a.alloc(a.user, NULL, 0, pool_size)};
    if (l->pool != NULL)
    {
        gather(l);
        arrange_rows(l);
        arrange_columns(l);
        thin(l);
        draw_title(l);
        draw_bands(l);
        for (int p = 0; p < f->panel_count; p++)
            draw_panel(l, p);
        a.alloc(a.user, l->pool, pool_size, 0);
    }
    kaiStatus status = l->pool != NULL ? KAI_OK : KAI_ERR_MEMORY;
    a.alloc(a.user, l, sizeof *l, 0);
    return status;
}
