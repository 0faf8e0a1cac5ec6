// Scatters: every measure over every factor, one dot a run.
#include "plot/survey.h"

#include <math.h>
#include <stdio.h>

enum
{
    SIDE = 4,    // plates across and down
    DOTS = 3000  // of a plate: more look the same
};

static void draw_dots(const Survey* s, const Plate* p, const kaiChartColumn* x, const kaiChartColumn* y)
{
    int64_t step = (s->rows + DOTS - 1) / DOTS;
    double many = (double)(s->rows / step), radius = many > 500 ? 1.6 : 2.4;
    Colour colour = colour_fade(colour_of(0), many > 1000 ? 0.35 : many > 200 ? 0.55 : 0.8);
    Paint paint = {.fill = colour};
    if (s->look.coarse)
        paint = (Paint){.stroke = colour_of(0), .width = 1};
    for (int64_t i = 0; i < s->rows; i += step)
    {
        double a = axis_place(&p->x, x->values[i]), b = axis_place(&p->y, y->values[i]);
        if (!isfinite(a) || !isfinite(b))
            continue;
        if (s->look.coarse)
            canvas_line(s->canvas, a, b, a + 1, b, &paint);
        else
            canvas_ellipse(s->canvas, a, b, radius, radius, &paint);
    }
}

kaiStatus scatter_draw(Survey* s)
{
    Plate plates[SIDE * SIDE] = {0};
    char remark[160];
    int all_across = survey_count(s, true), all_down = survey_count(s, false);
    int across = all_across < SIDE ? all_across : SIDE, down = all_down < SIDE ? all_down : SIDE;
    for (int i = 0; i < across * down; i++)
    {
        const kaiChartColumn *x = survey_column(s, true, i % across), *y = survey_column(s, false, i / across);
        double low = 0, high = 1;
        survey_extent(s, x, &low, &high);
        survey_range(&plates[i].x, low, high);
        low = 0, high = 1;
        survey_extent(s, y, &low, &high);
        survey_range(&plates[i].y, low, high);
        plates[i].x_name = x->name;
        plates[i].x_unit = x->unit;
        plates[i].y_name = y->name;
        plates[i].y_unit = y->unit;
    }
    snprintf(remark, sizeof remark, "%d of %d factors, %d of %d measures", across, all_across, down, all_down);
    kaiStatus status =
        survey_open(s, across > 2 ? 960 : 720, across == 1 && down == 1 ? 440 : 40 + (across > 2 ? 230 : 280) * down);
    if (status != KAI_OK)
        return status;
    survey_plates(s, plates, across * down, across, across < all_across || down < all_down ? remark : NULL);
    for (int i = 0; i < across * down; i++)
        draw_dots(s, &plates[i], survey_column(s, true, i % across), survey_column(s, false, i / across));
    return survey_close(s, KAI_OK);
}
