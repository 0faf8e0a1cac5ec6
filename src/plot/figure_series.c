// The series of the panels: their order, colours and widths. Runs of a sweep over one signal have the colours of a
// ramp, curves that lie on each other are dashed, those of a phase plane have the colours of the modes.
#include "plot/figure_layout.h"
#include "plot/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- series of a panel

// Dark violet to yellow, as readers of every eyesight see it ordered (viridis).
static Colour ramp(double part)
{
    static const uint8_t stops[5][3] = {
        {0x44, 0x01, 0x54}, {0x3b, 0x52, 0x8b}, {0x21, 0x91, 0x8c}, {0x5e, 0xc9, 0x62}, {0xe3, 0xc8, 0x14}};
    double at = fmin(fmax(part, 0), 1) * 4;
    int i = at >= 4 ? 3 : (int)at;
    double s = at - i;
    return (Colour){(uint8_t)lround(stops[i][0] + s * (stops[i + 1][0] - stops[i][0])),
                    (uint8_t)lround(stops[i][1] + s * (stops[i + 1][1] - stops[i][1])),
                    (uint8_t)lround(stops[i][2] + s * (stops[i + 1][2] - stops[i][2])), 255};
}

static ChartSeries series_of(Layout* l, const FigureSeries* s, int number, bool ordered)
{
    const kaiFigure* f = l->f;
    Colour colour = ordered ? ramp((double)s->run / (f->runs - 1)) : colour_of(number);
    double wider = s->against >= 0 || ordered ? 0 : fmin(0.4 * number, 1.2);
    ChartSeries made = {
        .track = &s->track, .name = s->label, .colour = colour, .width = l->look.line + wider, .dots = s->dots};
    made.covers = ordered || s->dots || l->look.coarse ? 0 : number / PALETTE_COUNT;  // the colours begin again: dashed
    made.stem = 1;
    if (s->against >= 0 && f->phase_column >= 0 && f->panels[s->panel].count == 1)
        made.modes = l->modes, made.mode_count = l->mode_count;
    return made;
}

// Signals of several units over one axis: each unit stands in the legend, since it cannot stand at the axis.
static void name_units(Layout* l, int p)
{
    const FigurePanel* fp = &l->f->panels[p];
    if (fp->count < 2 || layout_shared_unit(l, fp->columns, fp->count) != NULL)
        return;
    for (int i = 0; i < l->f->series_count; i++)
    {
        FigureSeries* s = &l->f->series[i];
        char unit[32];
        unit_text(l->f->columns[s->column].unit, 0, unit, sizeof unit);
        size_t length = strlen(s->label);
        if (s->panel == p && unit[0] != 0 && length + strlen(unit) + 2 < sizeof s->label)
            snprintf(s->label + length, sizeof s->label - length, " %s", unit);
    }
}

void layout_gather(Layout* l)
{
    kaiFigure* f = l->f;
    ChartSeries* next = l->pool;
    const kaiColumn* column = f->phase_column >= 0 ? &f->columns[f->phase_column] : NULL;
    l->mode_count = column == NULL ? 0 : column->mode_count < MODES_COLOURED ? column->mode_count : MODES_COLOURED;
    for (int i = 0; i < l->mode_count; i++)
        l->modes[i] = colour_of(i);
    for (int p = 0; p < f->panel_count; p++)
    {
        bool ordered = f->runs >= RAMP_FROM && f->panels[p].count == 1 && !l->look.coarse;
        l->panels[p].series = next;
        if (!l->look.coarse)  // in the terminal each name has its unit
            name_units(l, p);
        for (int i = 0; i < f->series_count; i++)
            ordered &= f->series[i].panel != p || !f->series[i].dots;
        for (int i = 0; i < f->series_count; i++)
            if (f->series[i].panel == p)
            {
                int number = (int)(next - l->panels[p].series);
                *next++ = series_of(l, &f->series[i], number, ordered);
            }
        l->panels[p].count = (int)(next - l->panels[p].series);
    }
}

// ---- curves that lie on each other

static bool value_at(const Track* track, double t, double* y)
{
    int low = 0, high = track->count - 1;
    if (track->count < 2 || t < track->points[0].t || t > track->points[high].t)
        return false;
    while (high - low > 1)
    {
        int middle = (low + high) / 2;
        if (track->points[middle].t <= t)
            low = middle;
        else
            high = middle;
    }
    const TrackPoint *a = &track->points[low], *b = &track->points[high];
    if (b->link != LINK_LINE || !(b->t > a->t))
        return false;
    *y = a->y + (b->y - a->y) * (t - a->t) / (b->t - a->t);
    return true;
}

// Less than a line apart at nine of ten places.
static bool coincide(const Layout* l, const Axis* axis, const Track* a, const Track* b)
{
    enum
    {
        PLACES = 60
    };
    int seen = 0, together = 0;
    for (int i = 0; i < PLACES; i++)
    {
        double t = l->f->shown_from + (i + 0.5) / PLACES * (l->f->shown_to - l->f->shown_from), ya, yb;
        if (!value_at(a, t, &ya) || !value_at(b, t, &yb))
            continue;
        seen++;
        together += fabs(axis_place(axis, ya) - axis_place(axis, yb)) < 1;
    }
    return seen > PLACES / 4 && together * 10 >= seen * 9;
}

void layout_tell_apart(Layout* l, Panel* panel)
{
    for (int i = panel->count - 1; i >= 0 && panel->count <= FIGURE_SERIES; i--)
        for (int k = i + 1; k < panel->count && !panel->series[i].dots && !panel->series[i].track->against; k++)
            if (!panel->series[k].dots && coincide(l, &panel->y, panel->series[i].track, panel->series[k].track))
                panel->series[i].covers++;
}
