// A bar, the position, a rate, the time left and when that will be.
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum
{
    BAR_WIDTH = 24
};

double wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_begin(Progress* p, bool wanted, bool rows_to_stdout, double start, double stop)
{
    bool mixed = rows_to_stdout && isatty(1);
    *p = (Progress){.on = wanted && isatty(2) && !mixed, .start = start, .stop = stop, .begun = wall_time()};
    p->next_report = p->begun + 0.5;
}

static void write_bar(double part)
{
    char bar[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = (i + 0.5) / BAR_WIDTH < part ? '=' : ' ';
    bar[BAR_WIDTH] = 0;
    fprintf(stderr, "\r[%s] %3.0f %%", bar, 100 * part);
}

static void write_end(double seconds)
{
    if (!(seconds < 86400.0 * 365))
        return;
    char clock[16] = "";
    time_t end = time(NULL) + (time_t)seconds;
    struct tm local;
    if (localtime_r(&end, &local) != NULL)
        strftime(clock, sizeof clock, "%H:%M:%S", &local);
    fprintf(stderr, ", about %.0f s left (%s)", seconds, clock);
}

void progress_show(Progress* p, const char* what, double at, int64_t count, const char* unit)
{
    if (!p->on)
        return;
    double now = wall_time(), gone = now - p->begun;
    if (now < p->next_report)
        return;
    p->next_report = now + 0.2;
    p->shown = true;
    double part = p->stop > p->start ? (at - p->start) / (p->stop - p->start) : 1;
    write_bar(part);
    fprintf(stderr, "  %s = %.6g of %.6g, %.0f %s/s", what, at, p->stop, (double)count / gone, unit);
    if (part > 0)
        write_end(gone * (1 - part) / part);
    fputs("\033[K", stderr);
}

void progress_end(Progress* p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
