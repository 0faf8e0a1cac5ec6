// Histograms: how often a column has which value. The width of a bin is that of Freedman and Diaconis (1981).
#include "plot/survey.h"

#include <math.h>
#include <stdio.h>

enum
{
    PLATES = 6,
    BINS_LEAST = 8,
    BINS_MOST = 60
};

typedef struct Histogram
{
    const kaiChartColumn* column;
    double low, width;
    int bins;
    double counts[BINS_MOST], most;
} Histogram;

static int bins_of(const Survey* s, const kaiChartColumn* column, double low, double high)
{
    size_t size = sizeof(double) * (size_t)s->rows;
    double* sorted = survey_get(s, size);
    int64_t count = 0;
    if (sorted == NULL)
        return -1;
    for (int64_t i = 0; i < s->rows; i++)
        if (isfinite(column->values[i]))
            sorted[count++] = column->values[i];
    survey_sort(sorted, count);
    double middle = survey_quantile(sorted, count, 0.75) - survey_quantile(sorted, count, 0.25);
    double width = 2 * middle / cbrt((double)count), bins = width > 0 ? ceil((high - low) / width) : BINS_LEAST;
    survey_free(s, sorted, size);
    return high > low ? (int)fmin(fmax(bins, BINS_LEAST), BINS_MOST) : 1;
}

static kaiStatus count_values(const Survey* s, const kaiChartColumn* column, Histogram* h)
{
    double low = 0, high = 0;
    survey_extent(s, column, &low, &high);
    *h = (Histogram){.column = column, .low = low, .bins = bins_of(s, column, low, high)};
    if (h->bins < 0)
        return KAI_ERR_MEMORY;
    h->width = (high - low) / h->bins;
    if (!(h->width > 0))  // one value
    {
        h->width = low != 0 ? 0.1 * fabs(low) : 1;
        h->low = low - h->width / 2;
    }
    for (int64_t i = 0; i < s->rows; i++)
    {
        double part = (column->values[i] - h->low) / h->width;
        if (isfinite(part))
            h->most = fmax(h->most, ++h->counts[part < h->bins ? (int)part : h->bins - 1]);
    }
    return KAI_OK;
}

static void draw_bars(const Survey* s, const Plate* p, const Histogram* h)
{
    Colour colour = colour_of(h->column->factor ? 5 : 0);
    Paint paint = {.stroke = {255, 255, 255, 255}, .fill = colour, .width = 0.6};
    double zero = axis_place(&p->y, 0);
    if (s->look.coarse)
        paint = (Paint){.stroke = colour, .fill = colour, .width = 1};
    for (int i = 0; i < h->bins; i++)
    {
        double from = axis_place(&p->x, h->low + i * h->width), to = axis_place(&p->x, h->low + (i + 1) * h->width),
               top = axis_place(&p->y, h->counts[i]);
        if (h->counts[i] > 0)
            canvas_rectangle(s->canvas, from, top, to - from, zero - top, &paint);
    }
}

kaiStatus histogram_draw(Survey* s)
{
    Histogram histograms[PLATES];
    Plate plates[PLATES] = {0};
    char remark[120];
    int count = s->column_count < PLATES ? s->column_count : PLATES, across = count > 2 ? 2 : 1;
    for (int i = 0; i < count; i++)
    {
        if (count_values(s, &s->columns[i], &histograms[i]) != KAI_OK)
            return KAI_ERR_MEMORY;
        const Histogram* h = &histograms[i];
        double room = h->bins == 1 ? 2 * h->width : 0;
        survey_range(&plates[i].x, h->low - room, h->low + h->bins * h->width + room);
        plates[i].y = (Axis){.low = 0, .high = 1.06 * fmax(h->most, 1)};
        plates[i].x_name = h->column->name;
        plates[i].x_unit = h->column->unit;
        plates[i].y_name = "runs";
    }
    snprintf(remark, sizeof remark, "%d more columns are not shown", s->column_count - count);
    kaiStatus status = survey_open(s, 720, count == 1 ? 380 : 60 + 220 * ((count + across - 1) / across));
    if (status != KAI_OK)
        return status;
    survey_plates(s, plates, count, across, s->column_count > count ? remark : NULL);
    for (int i = 0; i < count; i++)
        draw_bars(s, &plates[i], &histograms[i]);
    return survey_close(s, KAI_OK);
}
