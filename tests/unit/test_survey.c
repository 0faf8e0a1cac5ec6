// Pictures of studies: quantiles of fans against their closed form, with runs and times thinned out; what tornados,
// maps and histograms show of numbers that are known.
#include "unit/load_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Text
{
    char* at;
    size_t size;
} Text;

static kaiStatus keep_text(void* user, const char* bytes, size_t size)
{
    Text* t = user;
    t->at = realloc(t->at, t->size + size + 1);
    memcpy(t->at + t->size, bytes, size);
    t->size += size;
    t->at[t->size] = 0;
    return KAI_OK;
}

static kaiFigureOptions to_text(Text* text)
{
    *text = (Text){0};
    kaiFigureOptions options = kaiDefaultFigureOptions();
    options.path = "picture.svg";
    options.sink = (kaiSink){keep_text, text};
    return options;
}

// ---- fans

enum
{
    RUNS = 3001,  // three times as many as are kept
    ROWS = 41
};

// Run k is the line x = (k/3000) t up to t = 4: the quantile p at t is p t.
static void quantiles_of_lines_are_lines(void** state)
{
    (void)state;
    Text text;
    kaiError error;
    kaiFigureOptions options = to_text(&text);
    kaiColumn column = {.name = "x", .kind = KAI_COLUMN_REAL};
    const char* name = "x";
    kaiFan* fan = kaiFan_Create(&options, &column, 1, &name, 1, &error);
    assert_non_null(fan);
    uint8_t present = 1;
    for (int k = 0; k < RUNS; k++)
    {
        kaiFan_BeginRun(fan);
        for (int i = 0; i < ROWS; i++)
        {
            double t = i == 1 ? 1e-7 : 4.0 * i / (ROWS - 1), x = k / 3000.0 * t;
            assert_int_equal(kaiFan_Row(fan, &(kaiRow){.t = t, .values = &x, .present = &present}), KAI_OK);
        }
    }
    int seen = 0;
    for (int at = 0; at <= 1024; at++)
        for (double p = 0.05; p < 1; p += 0.15)
        {
            double t, q = kaiFan_Quantile(fan, 0, at, p, &t);
            if (isnan(q))
                continue;
            seen++;
            assert_true(fabs(q - p * t) <= 2e-3 * t);  // every fourth run
        }
    assert_true(seen > 7 * 500);
    assert_int_equal(kaiFan_Draw(fan, &error), KAI_OK);
    assert_non_null(strstr(text.at, "751 of 3001 runs"));
    assert_non_null(strstr(text.at, "5 to 95 %"));
    kaiFan_Free(fan);
    free(text.at);
}

// A jump at t = 1 from 0 to 5: the value at 1 is the right one, and nothing is drawn between.
static void values_at_jumps_are_right_limits(void** state)
{
    (void)state;
    Text text;
    kaiFigureOptions options = to_text(&text);
    kaiColumn column = {.name = "x", .kind = KAI_COLUMN_REAL};
    const char* name = "x";
    kaiFan* fan = kaiFan_Create(&options, &column, 1, &name, 1, NULL);
    uint8_t present = 1;
    static const double times[] = {0, 0.5, 1, 1, 2}, values[] = {0, 0, 0, 5, 5};
    for (int i = 0; i < 5; i++)
        kaiFan_Row(fan, &(kaiRow){.t = times[i], .p = i == 3, .values = &values[i], .present = &present});
    for (int at = 0; at <= 1024; at++)
    {
        double t, q = kaiFan_Quantile(fan, 0, at, 0.5, &t);
        if (!isnan(q))
            assert_true(q == (t < 1 ? 0 : 5));
    }
    kaiFan_Free(fan);
    free(text.at);
}

// ---- charts

enum
{
    POINTS = 400
};

typedef struct Data
{
    double a[POINTS], b[POINTS], c[POINTS], y[POINTS];
} Data;

// y = 10 + 3 a - 2 b on a grid of 20 × 20; c is one number.
static Data make_data(void)
{
    Data d;
    for (int i = 0; i < POINTS; i++)
    {
        d.a[i] = i % 20;
        d.b[i] = (i / 20) / 10.0;
        d.c[i] = 7;
        d.y[i] = 10 + 3 * d.a[i] - 2 * d.b[i];
    }
    return d;
}

static int count_of(const char* text, const char* word)
{
    int count = 0;
    for (const char* at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        count++;
    return count;
}

static char* drawn(kaiChartKind kind, const Data* d)
{
    Text text;
    kaiError error = {0};
    kaiFigureOptions options = to_text(&text);
    const kaiChartColumn columns[] = {
        {"b", NULL, true, d->b}, {"a", "m", true, d->a}, {"c", NULL, true, d->c}, {"y", "s", false, d->y}};
    kaiStatus status = kaiChart_Draw(&options, kind, columns, 4, POINTS, &error);
    if (status != KAI_OK)
        print_message("%s\n", error.message);
    assert_int_equal(status, KAI_OK);
    return text.at;
}

// A plane is told exactly; a moves y by 3·(18.05 - 0.95), b by 2·(1.805 - 0.095): a stands on top, c at the bottom.
static void tornado_ranks_factors(void** state)
{
    (void)state;
    Data d = make_data();
    char* svg = drawn(KAI_CHART_TORNADO, &d);
    assert_non_null(strstr(svg, "R² = 1.000"));
    const char *a = strstr(svg, ">a<"), *b = strstr(svg, ">b<"), *c = strstr(svg, ">c<");
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    assert_true(c < b && b < a);  // rows are written from the bottom up
    free(svg);
    for (int i = 0; i < POINTS; i++)
        d.b[i] = d.a[i];  // two factors that are one cannot be told apart
    kaiError error;
    kaiFigureOptions options = kaiDefaultFigureOptions();
    options.path = "picture.svg";
    const kaiChartColumn columns[] = {{"b", NULL, true, d.b}, {"a", NULL, true, d.a}, {"y", NULL, false, d.y}};
    assert_int_equal(kaiChart_Draw(&options, KAI_CHART_TORNADO, columns, 3, POINTS, &error), KAI_ERR_USAGE);
    assert_non_null(strstr(error.message, "do not tell 2 factors apart"));
}

// A grid of 20 × 20 has a cell for each of its points; the least and the most are the ends of viridis.
static void map_has_a_cell_for_each_point(void** state)
{
    (void)state;
    Data d = make_data();
    char* svg = drawn(KAI_CHART_HEAT, &d);
    assert_int_equal(count_of(svg, "#440154"), 2);  // fill and stroke of one cell
    assert_int_equal(count_of(svg, "#fde725"), 2);
    assert_non_null(strstr(svg, "y [s]"));
    free(svg);
}

static void scatters_and_histograms_show_columns(void** state)
{
    (void)state;
    Data d = make_data();
    char* svg = drawn(KAI_CHART_SCATTER, &d);
    assert_true(count_of(svg, "<circle") + count_of(svg, "<ellipse") == 3 * POINTS);
    free(svg);
    svg = drawn(KAI_CHART_HISTOGRAM, &d);
    assert_int_equal(count_of(svg, ">runs<"), 4);
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_lines_are_lines),
        cmocka_unit_test(values_at_jumps_are_right_limits),
        cmocka_unit_test(tornado_ranks_factors),
        cmocka_unit_test(map_has_a_cell_for_each_point),
        cmocka_unit_test(scatters_and_histograms_show_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
