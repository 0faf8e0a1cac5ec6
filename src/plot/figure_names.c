// What is written around the panels of a figure: title, names of axes with their units, legends, the names of modes,
// and what was left out.
#include "plot/figure_layout.h"
#include "plot/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Room below a panel for tick labels and the name of the axis.
double layout_axis_room(const Layout* l)
{
    if (l->look.coarse)
        return 8 + (canvas_height(l->c) >= 80 ? 4 : 0);
    return 6 + canvas_line_height(l->c, &l->look.tick) + canvas_line_height(l->c, &l->look.label) + 2;
}

// Room above a panel: the common power of ten of its labels; in the terminal the names of its signals.
double layout_head_room(const Layout* l)
{
    return l->look.coarse ? 4 : 16;
}

// The unit that columns share; NULL: none, or several.
const char* layout_shared_unit(const Layout* l, const int* columns, int count)
{
    const kaiColumn* all = l->f->columns;
    for (int i = 1; i < count; i++)
    {
        const char *a = all[columns[0]].unit, *b = all[columns[i]].unit;
        if (a == NULL || b == NULL || strcmp(a, b) != 0)
            return NULL;
    }
    return count > 0 ? all[columns[0]].unit : NULL;
}

// ---- texts

// "v [m/s]", or of several signals what they share: "[m/s]".
static void name_of(const Layout* l, const int* columns, int count, const Ticks* ticks, char* text, size_t size)
{
    char unit[64];
    const kaiColumn* all = l->f->columns;
    unit_text(layout_shared_unit(l, columns, count), ticks->prefixed ? ticks->exponent : 0, unit, sizeof unit);
    snprintf(text, size, "%s%s%s", count == 1 ? all[columns[0]].name : "", count == 1 && unit[0] != 0 ? " " : "", unit);
}

void layout_title(const Layout* l)
{
    char text[300];
    if (l->f->options.title == NULL)
        return;
    TextStyle style = l->look.title;
    style.anchor = TEXT_MIDDLE;
    double width = canvas_width(l->c);
    chart_fit_title(l->c, &style, width - 10, l->f->options.title, text, sizeof text);
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
    const Ticks* ticks = &l->panels[p].x.ticks;
    unit_text(l->f->options.time_unit, ticks->prefixed ? ticks->exponent : 0, unit, sizeof unit);
    if (fp->against >= 0)
        name_of(l, &fp->against, 1, ticks, name, sizeof name);
    else
        snprintf(name, sizeof name, "t%s%s", unit[0] != 0 ? " " : "", unit);
    ticks_note(&l->panels[p].x.ticks, note, sizeof note);
    snprintf(text, sizeof text, "%s%s%s", name, note[0] != 0 ? "   " : "", note);
    TextStyle style = l->look.label;
    style.anchor = TEXT_MIDDLE;
    Box box = l->panels[p].box;
    double below =
        l->look.coarse ? 11 : layout_axis_room(l) - canvas_line_height(l->c, &style) + canvas_ascent(l->c, &style);
    canvas_text(l->c, box.x + box.width / 2, box.y + box.height + below, text, &style);
}

static void draw_y_name(const Layout* l, int p)
{
    char name[200], note[100], text[200];
    const FigurePanel* fp = &l->f->panels[p];
    Box box = l->panels[p].box;
    TextStyle style = l->look.label;
    name_of(l, fp->columns, fp->count, &l->panels[p].y.ticks, name, sizeof name);
    ticks_note(&l->panels[p].y.ticks, note, sizeof note);
    style.anchor = TEXT_MIDDLE;
    style.upward = true;
    chart_fit_name(l->c, &style, box.height + 10, name, text, sizeof text);
    canvas_text(l->c, 6 + canvas_ascent(l->c, &style), box.y + box.height / 2, text, &style);
    canvas_text(l->c, box.x, box.y - 4, note, &l->look.note);
}

static void head_name(const Layout* l, int p, int i, bool bare, char* text, size_t size)
{
    char unit[64] = "";
    const Panel* panel = &l->panels[p];
    if (!bare)
        unit_text(l->f->columns[l->f->panels[p].columns[i % l->f->panels[p].count]].unit,
                  panel->y.ticks.prefixed ? panel->y.ticks.exponent : 0, unit, sizeof unit);
    snprintf(text, size, "%s%s%s", panel->series[i].name, unit[0] != 0 ? " " : "", unit);
}

static bool heads_fit(const Layout* l, int p, bool bare)
{
    char name[160];
    double width = 0;
    for (int i = 0; i < l->panels[p].count; i++)
    {
        head_name(l, p, i, bare, name, sizeof name);
        width += canvas_text_width(l->c, name, &l->look.label) + 4;
    }
    return width <= l->panels[p].box.width;
}

// The terminal has one line above a panel: the names, each in its colour.
static void draw_head(const Layout* l, int p)
{
    const Panel* panel = &l->panels[p];
    char note[100], text[200], name[160];
    // Runs of one signal are told by what they differ in; names that are too long together share one unit.
    bool runs = l->f->panels[p].count == 1 && panel->count > 1, bare = runs || !heads_fit(l, p, false);
    double x = panel->box.x;
    if (bare)
    {
        name_of(l, l->f->panels[p].columns, l->f->panels[p].count, &panel->y.ticks, text, sizeof text);
        canvas_text(l->c, x, panel->box.y - 1, text, &l->look.label);
        x += canvas_text_width(l->c, text, &l->look.label) + (text[0] != 0 ? 8 : 0);
    }
    double room = panel->box.x + panel->box.width - x - 4 * panel->count;
    double each = heads_fit(l, p, bare) ? INFINITY : fmax(room / (panel->count > 0 ? panel->count : 1), 16);
    for (int i = 0; i < panel->count; i++)
    {
        TextStyle style = l->look.label;
        style.colour = panel->series[i].colour;
        head_name(l, p, i, bare, name, sizeof name);
        chart_fit_name(l->c, &style, each, name, text, sizeof text);
        canvas_text(l->c, x, panel->box.y - 1, text, &style);
        x += canvas_text_width(l->c, text, &style) + 4;
    }
    ticks_note(&panel->y.ticks, note, sizeof note);
    canvas_text(l->c, x + 2, panel->box.y - 1, note, &l->look.note);
}

static void draw_sample(const Layout* l, const ChartSeries* series, double x, double y)
{
    Paint sample = {.stroke = series->colour, .width = 2};
    chart_dash(series, &sample);
    if (series->dots)
        canvas_ellipse(l->c, x + 8, y, 2.2, 2.2, &sample);
    else
        canvas_line(l->c, x, y, x + 16, y, &sample);
}

static void draw_head_legend(const Layout* l, int p)
{
    const Panel* panel = &l->panels[p];
    double x = panel->box.x + panel->box.width, y = panel->box.y - 8.5;
    for (int i = panel->count - 1; i >= 0; i--)
    {
        double width = canvas_text_width(l->c, panel->series[i].name, &l->look.label);
        x -= width + (i < panel->count - 1 ? 14 : 0);
        canvas_text(l->c, x, y + 0.36 * l->look.label.size, panel->series[i].name, &l->look.label);
        draw_sample(l, &panel->series[i], x - 22, y);
        x -= 22;
    }
}

// The colours of the modes of a curve in the phase plane.
static void draw_mode_legend(const Layout* l, int p)
{
    const Panel* panel = &l->panels[p];
    const kaiColumn* column = &l->f->columns[l->f->phase_column];
    double x = panel->box.x + panel->box.width, y = panel->box.y - 8.5;
    for (int i = l->mode_count - 1; i >= 0; i--)
    {
        double width = canvas_text_width(l->c, column->mode_names[i], &l->look.note);
        x -= width + (i < l->mode_count - 1 ? 12 : 0);
        if (x - 16 < panel->box.x)
            return;
        canvas_text(l->c, x, y + 0.36 * l->look.note.size, column->mode_names[i], &l->look.note);
        canvas_rectangle(l->c, x - 14, y - 4, 9, 9, &(Paint){.fill = l->modes[i]});
        x -= 16;
    }
}

static void draw_legend(const Layout* l, int p)
{
    const Panel* panel = &l->panels[p];
    double x = panel->box.x + panel->box.width + 10, line = canvas_line_height(l->c, &l->look.label) + 2;
    int most = (int)fmax(1, (panel->box.height + layout_head_room(l)) / line);
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
        draw_sample(l, &panel->series[i], x, y + line / 2);
        chart_fit_name(l->c, &l->look.label, l->right - 36, panel->series[i].name, text, sizeof text);
        canvas_text(l->c, x + 22, y + line / 2 + 0.36 * l->look.label.size, text, &l->look.label);
    }
}

// ---- modes

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

static bool same_modes(const kaiColumn* a, const kaiColumn* b)
{
    bool same = a->mode_count == b->mode_count;
    for (int i = 0; same && i < a->mode_count; i++)
        same = strcmp(a->mode_names[i], b->mode_names[i]) == 0;
    return same;
}

// The first band with the same modes: instances of one model share their colours and their names.
static int leader_of(const Layout* l, int band)
{
    const kaiColumn* own = &l->f->columns[l->f->band_columns[band]];
    int leader = 0;
    while (!same_modes(&l->f->columns[l->f->band_columns[leader]], own))
        leader++;
    return leader;
}

static int first_colour(const Layout* l, int band)
{
    int colour = 0, leader = leader_of(l, band);
    for (int i = 0; i < leader; i++)
        colour += leader_of(l, i) == i ? l->f->columns[l->f->band_columns[i]].mode_count : 0;
    return colour;
}

// Some band with these modes has no room for the name of this one.
static bool needs_name(const Layout* l, int leader, int mode)
{
    bool lacks = false;
    for (int i = leader; i < l->f->band_count; i++)
        lacks |= leader_of(l, i) == leader && lacks_name(l, i, mode);
    return lacks && !l->look.coarse;
}

// Names that do not fit into their bands stand in a line above them. Draws them from x on, or only measures; returns
// their width.
static double name_modes(const Layout* l, double x, double y, bool draw)
{
    double from = x;
    for (int i = 0; i < l->f->band_count; i++)
    {
        const kaiColumn* column = &l->f->columns[l->f->band_columns[i]];
        for (int mode = 0; mode < column->mode_count && leader_of(l, i) == i; mode++)
        {
            if (!needs_name(l, i, mode))
                continue;
            Paint paint = {.fill = colour_fade(colour_of(first_colour(l, i) + mode), 0.5)};
            if (draw)
            {
                canvas_rectangle(l->c, x, y - 9, 10, 10, &paint);
                canvas_text(l->c, x + 14, y, column->mode_names[mode], &l->look.note);
            }
            x += 26 + canvas_text_width(l->c, column->mode_names[mode], &l->look.note);
        }
    }
    return x - from;
}

double layout_mode_names(const Layout* l)
{
    return name_modes(l, 0, 0, false);
}

void layout_bands(const Layout* l)
{
    const kaiFigure* f = l->f;
    for (int i = 0; i < f->band_count; i++)
    {
        const kaiColumn* column = &f->columns[f->band_columns[i]];
        int colour = first_colour(l, i);
        char text[200];
        TextStyle style = l->look.tick;
        style.anchor = TEXT_END;
        Box box = l->bands[i];
        chart_fit_name(l->c, &style, l->left - (l->look.coarse ? 4 : 8), column->name, text, sizeof text);
        canvas_text(l->c, box.x - (l->look.coarse ? 4 : 7),
                    box.y + (l->look.coarse ? 3 : box.height / 2 + 0.36 * style.size), text, &style);
        canvas_group(l->c, column->name);
        chart_band(l->c, &l->look, &f->bands[i], column->mode_names, column->mode_count, colour, &l->time, box);
        canvas_ungroup(l->c);
    }
    double width = name_modes(l, 0, 0, false);
    if (width > 0)
    {
        Box box = l->bands[0];
        name_modes(l, fmax(box.x + box.width - width + 12, 6), box.y - 5, true);
    }
}

// What is not in the figure is said in it.
void layout_remark(const Layout* l)
{
    char text[300], bands[100] = "";
    const char* remark = l->f->options.remark;
    if (l->f->bands_left_out > 0)
        snprintf(bands, sizeof bands, "%sthe modes of %d more machines are not shown", remark != NULL ? "; " : "",
                 l->f->bands_left_out);
    if (l->look.coarse || (remark == NULL && bands[0] == 0))
        return;
    snprintf(text, sizeof text, "%.150s%s", remark != NULL ? remark : "", bands);
    TextStyle style = l->look.note;
    canvas_text(l->c, 6, canvas_height(l->c) - 5, text, &style);
}

static bool has_legend(const Panel* panel)
{
    return panel->count > 1;
}

void layout_names(const Layout* l, int p)
{
    const Panel* panel = &l->panels[p];
    if (l->look.coarse)
        draw_head(l, p);
    else
        draw_y_name(l, p);
    if (panel->has_x_labels)
        draw_x_name(l, p);
    if (has_legend(panel) && !l->look.coarse && panel->head_legend)
        draw_head_legend(l, p);
    else if (has_legend(panel) && !l->look.coarse)
        draw_legend(l, p);
    else if (panel->count == 1 && panel->series[0].modes != NULL && !l->look.coarse)
        draw_mode_legend(l, p);
}
