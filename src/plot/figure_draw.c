// The layout of a figure: title, bands of modes, panels one below the other with one time axis, legends right of the
// panels. Margins follow from the texts, so nothing is cut off.
#include "plot/figure_layout.h"
#include "plot/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

// Whether all signals of a panel are Boolean; or events that carry nothing but their presence.
static TicksKind kind_of(const Layout* l, int p)
{
    const FigurePanel* fp = &l->f->panels[p];
    bool all_bool = fp->count > 0 && fp->against < 0, all_bare = all_bool;
    for (int i = 0; i < fp->count; i++)
        all_bool &= l->f->columns[fp->columns[i]].kind == KAI_COLUMN_BOOL;
    for (int i = 0; i < l->panels[p].count; i++)
    {
        const Track* track = l->panels[p].series[i].track;
        all_bare &= track->event;
        for (int k = 0; k < track->mark_count && all_bare; k++)
            all_bare = track->marks[k].y == 1;
    }
    return all_bool ? TICKS_BOOL : all_bare ? TICKS_NONE : TICKS_PLAIN;
}

// Events of several signals that carry nothing: stems of different heights, so that those of one time are seen.
static void shorten_stems(Panel* panel)
{
    for (int i = 0; i < panel->count; i++)
        panel->series[i].stem = 1 - 0.8 * i / panel->count;
}

static void range_of(Layout* l, int p, bool of_x, Axis* axis)
{
    const kaiFigure* f = l->f;
    Panel* panel = &l->panels[p];
    TicksKind kind = of_x ? TICKS_PLAIN : kind_of(l, p);
    axis->log = of_x ? f->options.log_x : f->options.log_y && kind == TICKS_PLAIN;
    bool any = chart_range(panel->series, panel->count, of_x, f->shown_from, f->shown_to, axis);
    panel->is_empty |= !any;
    if (!any)
        axis->low = axis->log ? 1 : 0, axis->high = axis->log ? 10 : 1;
    if (axis->log)
    {
        double room = fmax(0.04 * log10(axis->high / axis->low), 0.05);
        axis->low = pow(10, log10(axis->low) - room), axis->high = pow(10, log10(axis->high) + room);
    }
    else
        ticks_range(&axis->low, &axis->high);
    if (!of_x && !axis->log)
        make_room_for_labels(panel, axis);
    if (!of_x && kind == TICKS_BOOL)
        axis->low = -0.15, axis->high = 1.15;
    if (!of_x && isfinite(f->options.y_from) && (!axis->log || f->options.y_from > 0))
        axis->low = f->options.y_from;
    if (!of_x && isfinite(f->options.y_to))
        axis->high = f->options.y_to;
    axis->ticks.kind = kind;
    if (kind == TICKS_NONE)
        shorten_stems(panel);
}

// ---- vertical layout

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
    y += layout_mode_names(l) > 0 ? 14 : 0;
    for (int i = 0; i < f->band_count; i++, y += band + (l->look.coarse ? 0 : 4))
        l->bands[i] = (Box){0, y + (l->look.coarse ? 0 : 4), 0, band};
    int last_in_time = -1;
    for (int p = 0; p < f->panel_count; p++)
        last_in_time = f->panels[p].against < 0 ? p : last_in_time;
    for (int p = 0; p < f->panel_count; p++)
    {
        l->panels[p].has_x_labels = f->panels[p].against >= 0 || p == last_in_time;
        extra += layout_head_room(l) + (l->panels[p].has_x_labels ? layout_axis_room(l) : 0);
    }
    extra += !l->look.coarse && (f->options.remark != NULL || f->bands_left_out > 0) ? 12 : 0;
    double each = (canvas_height(l->c) - y - extra) / (f->panel_count > 0 ? f->panel_count : 1);
    each = fmax(l->look.coarse ? floor(each / 4) * 4 : each, l->look.coarse ? 8 : 24);
    for (int p = 0; p < f->panel_count; p++)
    {
        y += layout_head_room(l);
        l->panels[p].box = (Box){0, y, 0, each};
        y += each + (l->panels[p].has_x_labels ? layout_axis_room(l) : 0);
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

static double right_margin(const Layout* l)
{
    double names = 0;
    for (int p = 0; p < l->f->panel_count; p++)
        for (int i = 0; i < l->panels[p].count && l->panels[p].count > 1 && !l->panels[p].head_legend; i++)
            names = fmax(names, canvas_text_width(l->c, l->panels[p].series[i].name, &l->look.label));
    if (l->look.coarse)
        return 2;
    return names > 0 ? fmin(names, 0.28 * canvas_width(l->c)) + 40 : 22;
}

static Ticks make_ticks(const Axis* axis, int most, const char* unit)
{
    Ticks ticks = axis->log ? ticks_make_log(axis->low, axis->high, most) : ticks_make(axis->low, axis->high, most);
    if (unit_takes_prefix(unit))
        ticks_use_prefix(&ticks, axis->low, axis->high);
    return ticks;
}

static int ticks_that_fit(const Layout* l, double width, const Axis* axis, const char* unit)
{
    for (int most = 12; most > 2; most--)
    {
        Ticks ticks = make_ticks(axis, most, unit);
        double room = tick_width(l, &ticks) + (l->look.coarse ? 6 : 18);
        if (room * ticks.count <= width * 1.05)
            return most;
    }
    return 2;
}

static void set_x(const Layout* l, Axis* axis, Box box, const char* unit)
{
    axis->from = box.x;
    axis->to = box.x + box.width - (l->look.coarse ? 1 : 0);
    axis->ticks = make_ticks(axis, ticks_that_fit(l, box.width, axis, unit), unit);
}

static void set_y(const Layout* l, Panel* panel)
{
    double line = l->look.coarse ? 8 : 28;
    panel->y.from = panel->box.y + panel->box.height - (l->look.coarse ? 1 : 0);
    panel->y.to = panel->box.y;
    int most = (int)(panel->box.height / line);
    TicksKind kind = panel->y.ticks.kind;
    if (kind == TICKS_BOOL)
        panel->y.ticks = ticks_make_bool();
    else if (kind == TICKS_NONE)
        panel->y.ticks = (Ticks){.kind = TICKS_NONE, .step = 1};
    else
        panel->y.ticks = make_ticks(&panel->y, most > 8 ? 8 : most, panel->y_unit);
}

static void widen(Axis* axis, double range)
{
    double middle = (axis->low + axis->high) / 2;
    axis->low = middle - range / 2;
    axis->high = middle + range / 2;
}

// Two lengths in one picture are as long as each other: a circle is round.
static void make_equal(Layout* l, int p)
{
    Panel* panel = &l->panels[p];
    const char *x = panel->x_unit, *y = panel->y_unit;
    if (x == NULL || y == NULL || strcmp(x, y) != 0 || panel->x.log || panel->y.log || isfinite(l->f->options.y_from) ||
        isfinite(l->f->options.y_to))
        return;
    double per_x = (panel->x.high - panel->x.low) / (panel->box.width);
    double per_y = (panel->y.high - panel->y.low) / panel->box.height;
    if (per_x < per_y)
        widen(&panel->x, per_y * panel->box.width);
    else
        widen(&panel->y, per_x * panel->box.height);
    set_y(l, panel);
}

// Names stand above a panel where they fit in one line: the picture keeps its width.
static void choose_legends(Layout* l)
{
    for (int p = 0; p < l->f->panel_count && !l->look.coarse; p++)
    {
        double width = 60;
        for (int i = 0; i < l->panels[p].count; i++)
            width += canvas_text_width(l->c, l->panels[p].series[i].name, &l->look.label) + 36;
        l->panels[p].head_legend = width < 0.8 * canvas_width(l->c);
    }
}

static void arrange_columns(Layout* l)
{
    kaiFigure* f = l->f;
    for (int p = 0; p < f->panel_count; p++)
    {
        l->panels[p].y_unit = layout_shared_unit(l, f->panels[p].columns, f->panels[p].count);
        l->panels[p].x_unit = f->panels[p].against >= 0 ? f->columns[f->panels[p].against].unit : f->options.time_unit;
        range_of(l, p, false, &l->panels[p].y);
        set_y(l, &l->panels[p]);
    }
    choose_legends(l);
    l->left = left_margin(l);
    l->right = right_margin(l);
    double width = fmax(canvas_width(l->c) - l->left - l->right, 20);
    for (int i = 0; i < f->band_count; i++)
        l->bands[i].x = l->left, l->bands[i].width = width;
    l->time = (Axis){.low = f->shown_from, .high = f->shown_to};
    if (!(l->time.high > l->time.low))
        ticks_range(&l->time.low, &l->time.high);
    set_x(l, &l->time, (Box){l->left, 0, width, 0}, f->options.time_unit);
    for (int p = 0; p < f->panel_count; p++)
    {
        Panel* panel = &l->panels[p];
        panel->box.x = l->left;
        panel->box.width = width;
        panel->x = l->time;
        if (f->panels[p].against >= 0)
        {
            range_of(l, p, true, &panel->x);
            make_equal(l, p);
            set_x(l, &panel->x, panel->box, panel->x_unit);
        }
        layout_tell_apart(l, panel);
    }
}

// ---- drawing

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
    layout_names(l, p);
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
        layout_gather(l);
        arrange_rows(l);
        arrange_columns(l);
        thin(l);
        layout_title(l);
        layout_bands(l);
        for (int p = 0; p < f->panel_count; p++)
            draw_panel(l, p);
        layout_remark(l);
        a.alloc(a.user, l->pool, pool_size, 0);
    }
    kaiStatus status = l->pool != NULL ? KAI_OK : KAI_ERR_MEMORY;
    a.alloc(a.user, l, sizeof *l, 0);
    return status;
}
