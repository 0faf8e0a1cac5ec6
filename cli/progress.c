// A bar, the position, a rate, the time left and when that will be.
#include "cli/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum
{
    BAR_WIDTH = 24,
    WIDTH = 79,
    WIDE = 100  // has room for a long bar and all the rest
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

// A line that is broken by the terminal cannot be written over: what does not fit is left out, the least important
// first.
static int terminal_width(void)
{
    struct winsize size;
    return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : WIDTH;
}

static void add(char* line, size_t size, const char* format, ...)
{
    char piece[100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    size_t length = strlen(line), width = (size_t)terminal_width();
    if (length + strlen(piece) <= width && length + strlen(piece) < size)
        strcpy(line + length, piece);
}

static void add_bar(char* line, size_t size, double part)
{
    char bar[BAR_WIDTH + 1];
    int width = terminal_width() < WIDE ? BAR_WIDTH / 3 : BAR_WIDTH;
    for (int i = 0; i < width; i++)
        bar[i] = (i + 0.5) / width < part ? '=' : ' ';
    bar[width] = 0;
    add(line, size, "[%s] %3.0f %%", bar, 100 * part);
}

static void add_end(char* line, size_t size, double seconds)
{
    static const struct
    {
        double seconds, most;
        const char* name;
    } units[] = {
        {1, 600, "s"}, {60, 120, "min"}, {3600, 48, "h"}, {86400, 1000, "days"}, {86400.0 * 365, INFINITY, "years"}};
    size_t k = 0;
    while (!(seconds < units[k].most * units[k].seconds) && units[k].most != INFINITY)
        k++;
    add(line, size, ", about %.*g %s left", seconds < 1e6 * units[k].seconds ? 4 : 2, round(seconds / units[k].seconds),
        units[k].name);
    if (units[k].seconds > 3600)
        return;
    char clock[16] = "";
    time_t end = time(NULL) + (time_t)seconds;
    struct tm local;
    if (localtime_r(&end, &local) != NULL)
        strftime(clock, sizeof clock, "%H:%M:%S", &local);
    add(line, size, " (%s)", clock);
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
    char line[256] = "";
    if (isfinite(p->stop))
        add_bar(line, sizeof line, part);
    add(line, sizeof line, isfinite(p->stop) ? "  %s = %.6g of %.6g" : "  %s = %.6g", what, at, p->stop);
    add(line, sizeof line, ", %.0f %s/s", (double)count / gone, unit);
    double own = at - p->start - p->passed;
    if (own > 0 && isfinite(p->stop))
        add_end(line, sizeof line, gone * (p->stop - at) / own);
    fprintf(stderr, "\r%s\033[K", line);
}

void progress_end(Progress* p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
