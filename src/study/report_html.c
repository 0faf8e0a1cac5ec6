// The report as one page: the text of the other reports in tables, and figures inside. No network, no script.
#include "study/report.h"

#include <math.h>
#include <stdarg.h>

static const char STYLE[] =
    "body{font:15px/1.5 system-ui,sans-serif;color:#222;max-width:62em;margin:2em auto;padding:0 1em}"
    "h1{font-size:1.5em;margin-bottom:.2em}h2{font-size:1.1em;margin-top:2em}"
    "table{border-collapse:collapse}td,th{padding:.2em .9em .2em 0;text-align:left;vertical-align:top;"
    "border-bottom:1px solid #ddd}td.n{text-align:right;font-variant-numeric:tabular-nums}"
    "code{font:13px ui-monospace,monospace}svg{max-width:100%;height:auto;margin:1em 0}"
    ".bar{display:inline-block;height:.7em;background:#0072b2}p.bad{color:#a33}";

static void put_escaped(FILE* out, const char* text)
{
    for (; *text != 0; text++)
        switch (*text)
        {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}

static void put_row(FILE* out, const char* name, const char* format, ...) __attribute__((format(printf, 3, 4)));

static void put_row(FILE* out, const char* name, const char* format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(out, "<tr><th>%s</th><td>", name);
    put_escaped(out, text);
    fputs("</td></tr>\n", out);
}

static void put_section(FILE* out, const char* title)
{
    fprintf(out, "<h2>%s</h2>\n<table>\n", title);
}

static void put_place(FILE* out, const kaiPlace* place)
{
    fputs("<td><code>", out);
    if (place->file != NULL)
    {
        put_escaped(out, place->file);
        fprintf(out, ":%d", place->line);
    }
    fputs("</code></td>", out);
}

// ---- the parts

// With solver = auto, of a model that is solved as a whole or of its first islands.
static void put_methods(FILE* out, const kaiSim* sim)
{
    enum
    {
        ISLANDS_SHOWN = 20
    };
    kaiMethodChange c;
    kaiIslandCounters island;
    for (int i = 0; i < ISLANDS_SHOWN && kaiSim_MethodChange(sim, i, 0, &c); i++)
        for (int k = 0; kaiSim_MethodChange(sim, i, k, &c); k++)
            put_row(out, c.method, "%s%sfrom t = %.9g on: %s", kaiSim_IslandCount(sim, i, &island) ? island.name : "",
                    kaiSim_IslandCount(sim, i, &island) ? ", " : "", c.t, c.reason);
}

static void put_run(FILE* out, const kaiReport* r)
{
    const kaiCounters* c = &r->counters;
    put_section(out, "The run");
    put_row(out, "time", "%.9g to %.9g", r->options.start, kaiSim_Now(r->profile.sim).t);
    put_row(out, "wall time", "%.3g s", r->profile.seconds);
    put_row(out, "solver", "%s, rtol %g, atol %g", r->options.solver, r->options.rtol,
            r->options.atol > 0 ? r->options.atol : r->options.rtol / 100);
    put_methods(out, r->profile.sim);
    put_row(out, "states", "%d", r->profile.state_count);
    put_row(out, "steps",
            "%lld, and %lld rejected (too inaccurate %lld, implicit equation not solved %lld, not a number %lld)",
            (long long)c->steps, (long long)c->rejected,
            (long long)(c->rejected - c->rejected_newton - c->rejected_broken), (long long)c->rejected_newton,
            (long long)c->rejected_broken);
    if (c->longest_step > 0)
        put_row(out, "step length", "%.3g (at t = %.9g) to %.3g", c->shortest_step, c->shortest_at, c->longest_step);
    put_row(out, "right-hand sides", "%lld", (long long)c->rhs_calls);
    put_row(out, "restarts", "%lld", (long long)c->restarts);
    put_row(out, "instants", "%lld with %lld tags", (long long)c->instants, (long long)c->tags);
    fputs("</table>\n", out);
}

static void put_bar(FILE* out, int64_t part, int64_t all)
{
    fprintf(out, "<td><span class=\"bar\" style=\"width:%.1fem\"></span></td>",
            all > 0 ? 20.0 * (double)part / (double)all : 0.0);
}

static void put_limits(FILE* out, const kaiReport* r)
{
    int64_t all = 0;
    for (int i = 0; i < r->limit_count; i++)
        all += r->limits[i].steps;
    if (r->limit_count == 0)
        return;
    put_section(out, "States that limit the steps");
    fputs("<tr><th>state</th><th>steps</th><th>rejected</th><th></th></tr>\n", out);
    for (int i = 0; i < r->limit_count && i < 50; i++)
    {
        fputs("<tr><td><code>", out);
        put_escaped(out, r->limits[i].name);
        fprintf(out, "</code></td><td class=\"n\">%lld</td><td class=\"n\">%lld</td>", (long long)r->limits[i].steps,
                (long long)r->limits[i].rejected);
        put_bar(out, r->limits[i].steps, all);
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void put_islands(FILE* out, const kaiReport* r)
{
    enum
    {
        ISLANDS_SHOWN = 50
    };
    kaiIslandCounters c;
    int i = 0;
    for (; i < ISLANDS_SHOWN && kaiSim_IslandCount(r->profile.sim, i, &c); i++)
    {
        if (i == 0)
        {
            put_section(out, "Islands");
            fputs("<tr><th>island</th><th>steps</th><th>rollbacks</th><th>thrown away</th></tr>\n", out);
        }
        fputs("<tr><td><code>", out);
        put_escaped(out, c.name);
        fprintf(out, "</code></td><td class=\"n\">%lld</td><td class=\"n\">%lld</td><td class=\"n\">%lld</td></tr>\n",
                (long long)c.steps, (long long)c.rollbacks, (long long)c.thrown);
    }
    if (i > 0)
        fputs("</table>\n", out);
}

static void put_tags(FILE* out, const kaiReport* r)
{
    put_section(out, "Tags per instant");
    fputs("<tr><th>tags</th><th>instants</th><th></th></tr>\n", out);
    for (int i = 1; i <= TAG_BINS; i++)
    {
        if (r->profile.tags[i] == 0)
            continue;
        fprintf(out, "<tr><td>%d%s</td><td class=\"n\">%lld</td>", i, i == TAG_BINS ? " or more" : "",
                (long long)r->profile.tags[i]);
        put_bar(out, r->profile.tags[i], r->counters.instants);
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
    if (r->profile.most_tags > 1)
        fprintf(out, "<p>The longest instant is at t = %.9g, with %lld tags.</p>\n", r->profile.most_at,
                (long long)r->profile.most_tags);
}

static void put_events(FILE* out, const kaiReport* r)
{
    int64_t count, touches;
    const char* text;
    kaiPlace place;
    put_section(out, "Events by guard");
    fputs("<tr><th>guard</th><th>place</th><th>events</th><th>touches</th></tr>\n", out);
    for (int i = 0; kaiSim_GuardCount(r->profile.sim, i, &count, &touches, &text, &place); i++)
    {
        if (count == 0 && touches == 0)
            continue;
        fputs("<tr><td><code>", out);
        put_escaped(out, text);
        fputs("</code></td>", out);
        put_place(out, &place);
        fprintf(out, "<td class=\"n\">%lld</td><td class=\"n\">%lld</td></tr>\n", (long long)count, (long long)touches);
    }
    fputs("</table>\n", out);
}

static void put_reactions(FILE* out, const Firings* f)
{
    put_section(out, "Clocks, reactions and transitions");
    fputs("<tr><th>kind</th><th>sets</th><th>place</th><th>fired</th></tr>\n", out);
    for (int i = 0; i < f->source_count; i++)
    {
        const Source* s = &f->sources[i];
        if (s->kind == KAI_FIRED_CROSSING)
            continue;
        fprintf(out, "<tr><td>%s</td><td><code>", report_kind(s->kind));
        put_escaped(out, s->kind == KAI_FIRED_CLOCK ? "" : s->text);
        fputs("</code></td>", out);
        put_place(out, &s->place);
        fprintf(out, "<td class=\"n\">%lld</td></tr>\n", (long long)s->count);
    }
    fputs("</table>\n", out);
}

static void put_accuracy(FILE* out, const Accuracy* a)
{
    put_section(out, "Accuracy");
    put_row(out, "second run", "rtol %g", a->rtol);
    if (a->problem != NULL)
        put_row(out, "it did not reach the end", "%s", a->problem);
    if (a->problem == NULL && a->state != NULL && a->difference == 0)
        put_row(out, "final states", "the same");
    if (a->problem == NULL && a->state != NULL && a->difference > 0)
        put_row(out, "final states", "differ by at most %.2g of their size, in %s: %.17g, finer %.17g", a->difference,
                a->state, a->coarse, a->fine);
    if (a->event != NULL)
        put_row(out, "event times", "differ by at most %.2g, at number %lld of %s: %.17g, finer %.17g",
                fabs(a->event_coarse - a->event_fine), (long long)a->event_rank, a->event->text, a->event_coarse,
                a->event_fine);
    if (a->instants != a->fine_instants && a->problem == NULL)
        put_row(out, "instants", "%lld, finer %lld: some event depends on the tolerance", (long long)a->instants,
                (long long)a->fine_instants);
    fputs("</table>\n", out);
}

void report_html(const kaiReport* r, FILE* out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>", out);
    put_escaped(out, r->title);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>", STYLE);
    put_escaped(out, r->title);
    fputs("</h1>\n<p><code>", out);
    put_escaped(out, r->file);
    fputs("</code> ", out);
    put_escaped(out, r->sweep);
    fputs("</p>\n", out);
    if (r->profile.status < 0)
    {
        fputs("<p class=\"bad\">The run failed: ", out);
        put_escaped(out, kaiSim_Failure(r->profile.sim)->message);
        fputs("</p>\n", out);
    }
    for (int i = 0; i < r->figure_count; i++)
        fprintf(out, "<figure>%s</figure>\n", r->figures[i]);
    put_run(out, r);
    put_limits(out, r);
    put_islands(out, r);
    put_tags(out, r);
    put_events(out, r);
    put_reactions(out, &r->profile.firings);
    if (r->compared)
        put_accuracy(out, &r->accuracy);
    fprintf(out, "<p>Kairos %s</p>\n</body></html>\n", kaiVersion());
}
