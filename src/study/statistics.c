// Statistics of a column: mean and variance by Welford's updates, extremes, and quantiles of a sample that thins itself
// out: beyond SAMPLE_MOST values it keeps those of every second run, then of every fourth. Which are kept depends on
// the numbers of the runs alone.
#include "kairos/study.h"

#include "base/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SAMPLE_MOST = 1 << 20
};

typedef struct Sample
{
    int64_t run;
    double value;
} Sample;

struct kaiStatistics
{
    kaiAllocator allocator;
    int64_t count, least_run, most_run;
    double mean, squares, least, most;
    Sample* sample;
    size_t sample_count, room;
    int64_t stride;
    bool sorted;
};

kaiStatistics* kaiStatistics_Create(kaiAllocator a)
{
    kaiStatistics* s = a.alloc != NULL ? a.alloc(a.user, NULL, 0, sizeof *s) : NULL;
    if (s != NULL)
        *s = (kaiStatistics){.allocator = a, .stride = 1, .least = INFINITY, .most = -INFINITY};
    return s;
}

void kaiStatistics_Free(kaiStatistics* s)
{
    if (s == NULL)
        return;
    kaiAllocator a = s->allocator;
    if (s->sample != NULL)
        a.alloc(a.user, s->sample, s->room * sizeof *s->sample, 0);
    a.alloc(a.user, s, sizeof *s, 0);
}

static void thin(kaiStatistics* s)
{
    size_t kept = 0;
    s->stride *= 2;
    for (size_t i = 0; i < s->sample_count; i++)
        if (s->sample[i].run % s->stride == 0)
            s->sample[kept++] = s->sample[i];
    s->sample_count = kept;
}

static kaiStatus keep(kaiStatistics* s, int64_t run, double value)
{
    if (s->sample_count == SAMPLE_MOST)
        thin(s);
    if (run % s->stride != 0)
        return KAI_OK;
    if (s->sample_count == s->room)
    {
        size_t room = s->room == 0 ? 256 : 2 * s->room;
        Sample* more = s->allocator.alloc(s->allocator.user, s->sample, s->room * sizeof *more, room * sizeof *more);
        if (more == NULL)
            return KAI_ERR_MEMORY;
        s->sample = more;
        s->room = room;
    }
    s->sample[s->sample_count++] = (Sample){run, value};
    s->sorted = false;
    return KAI_OK;
}

kaiStatus kaiStatistics_Add(kaiStatistics* s, int64_t run, double value)
{
    if (s == NULL || run < 0)
        return KAI_ERR_USAGE;
    if (isnan(value))
        return KAI_OK;
    s->count++;
    double away = value - s->mean;
    s->mean += away / (double)s->count;
    s->squares += away * (value - s->mean);
    if (value < s->least)
    {
        s->least = value;
        s->least_run = run;
    }
    if (value > s->most)
    {
        s->most = value;
        s->most_run = run;
    }
    return keep(s, run, value);
}

static int by_value(const void* a, const void* b)
{
    double x = ((const Sample*)a)->value, y = ((const Sample*)b)->value;
    return (x > y) - (x < y);
}

// Sorting moves values, not what they are: a question that changes nothing to be seen.
static void sort(const kaiStatistics* s)
{
    kaiStatistics* own = (kaiStatistics*)(uintptr_t)s;
    if (!s->sorted && s->sample_count > 0)
        qsort(own->sample, own->sample_count, sizeof *own->sample, by_value);
    own->sorted = true;
}

double kaiStatistics_Quantile(const kaiStatistics* s, double p)
{
    if (s == NULL || s->sample_count == 0 || !(p >= 0 && p <= 1))
        return NAN;
    sort(s);
    double at = p * (double)(s->sample_count - 1);
    size_t i = (size_t)at, next = i + 1 < s->sample_count ? i + 1 : i;
    return s->sample[i].value + (at - (double)i) * (s->sample[next].value - s->sample[i].value);
}

kaiSummary kaiStatistics_Summary(const kaiStatistics* s)
{
    static const double at[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    kaiSummary m = {.mean = NAN, .half = NAN, .deviation = NAN, .least = NAN, .most = NAN};
    for (int i = 0; i < 5; i++)
        m.quantiles[i] = kaiStatistics_Quantile(s, at[i]);
    if (s == NULL || s->count == 0)
        return m;
    m.count = s->count;
    m.mean = s->mean;
    m.least = s->least;
    m.most = s->most;
    m.least_run = s->least_run;
    m.most_run = s->most_run;
    if (s->count > 1)
    {
        double freedom = (double)(s->count - 1);
        m.deviation = sqrt(s->squares / freedom);
        m.half = student_975(freedom) * m.deviation / sqrt((double)s->count);
    }
    return m;
}

void kaiStatistics_Proportion(int64_t hits, int64_t count, double* low, double* high)
{
    const double z = 1.959963984540054;
    if (low == NULL || high == NULL)
        return;
    *low = 0;
    *high = 1;
    if (count <= 0 || hits < 0 || hits > count)
        return;
    double n = (double)count, p = (double)hits / n, middle = (p + z * z / (2 * n)) / (1 + z * z / n),
           half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    *low = hits == 0 ? 0 : middle - half;
    *high = hits == count ? 1 : middle + half;
}
