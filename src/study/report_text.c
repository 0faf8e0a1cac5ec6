// The report as people read it on a terminal.
#include "study/report.h"

enum
{
    SHOWN = 8  // states, reactions: the rest is counted
};

const char* report_kind(kaiFiredKind kind)
{
    static const char* const names[] = {"crossing", "clock", "when", "transition"};
    return names[kind];
}

static double per(double a, int64_t b)
{
    return b > 0 ? a / (double)b : 0;
}

static void print_title(const kaiReport* r, FILE* out)
{
    const kaiSimOptions* o = &r->options;
    fprintf(out, "%s\n", r->title);
    if (r->sweep[0] != 0)
        fprintf(out, "  %s\n", r->sweep);
    fprintf(out, "  time       %.9g to %.9g, in %.3g s of wall time\n", o->start, kaiSim_Now(r->profile.sim).t,
            r->profile.seconds);
    fprintf(out, "  solver     %s, rtol %g, atol %g", o->solver, o->rtol, o->atol > 0 ? o->atol : o->rtol / 100);
    if (o->step > 0)
        fprintf(out, ", step %g", o->step);
    if (o->max_step > 0)
        fprintf(out, ", max_step %g", o->max_step);
    if (sweep_explores(o))
        fprintf(out, "\n  choice     all: this is the branch that always takes the first alternative");
    fprintf(out, "\n  states     %d\n", r->profile.state_count);
}

// ---- methods

// "taylor 35 steps, rk45 12"
static void print_shares(const kaiSim* sim, int island, FILE* out)
{
    const char* method;
    int64_t steps;
    for (int i = 0; kaiSim_MethodSteps(sim, island, i, &method, &steps); i++)
        fprintf(out, "%s%s %lld%s", i > 0 ? ", " : "", method, (long long)steps,
                i > 0        ? ""
                : steps == 1 ? " step"
                             : " steps");
}

static void print_changes(const kaiSim* sim, int island, const char* indent, FILE* out)
{
    kaiMethodChange c;
    int64_t last = 0;
    for (int i = 0; kaiSim_MethodChange(sim, island, i, &c); i++)
    {
        if (c.number > last + 1)
            fprintf(out, "%s…\n", indent);
        fprintf(out, "%sfrom t = %.9g on %s: %s\n", indent, c.t, c.method, c.reason);
        last = c.number;
    }
}

static void print_methods(const kaiSim* sim, FILE* out)
{
    kaiIslandCounters islands;
    kaiMethodChange change;
    if (kaiSim_IslandCount(sim, 0, &islands) || !kaiSim_MethodChange(sim, 0, 0, &change))
        return;  // each island has its own
    fprintf(out, "  methods    ");
    print_shares(sim, 0, out);
    fprintf(out, "\n");
    print_changes(sim, 0, "             ", out);
}

// ---- steps

static void print_rejections(const kaiCounters* c, FILE* out)
{
    int64_t inaccurate = c->rejected - c->rejected_newton - c->rejected_broken;
    const char* between = ": ";
    if (c->rejected == 0)
        return;
    if (inaccurate > 0)
        fprintf(out, "%s%lld too inaccurate", between, (long long)inaccurate), between = ", ";
    if (c->rejected_newton > 0)
        fprintf(out, "%s%lld whose implicit equation was not solved", between, (long long)c->rejected_newton),
            between = ", ";
    if (c->rejected_broken > 0)
        fprintf(out, "%s%lld at which something was not a number", between, (long long)c->rejected_broken);
}

static void print_limits(const kaiReport* r, FILE* out)
{
    int64_t all = 0;
    for (int i = 0; i < r->limit_count; i++)
        all += r->limits[i].steps;
    for (int i = 0; i < r->limit_count && i < SHOWN; i++)
    {
        const Limit* l = &r->limits[i];
        fprintf(out, "  %s %s in %lld steps (%.0f %%)", i == 0 ? "limited by" : "          ", l->name,
                (long long)l->steps, 100 * per((double)l->steps, all));
        if (l->rejected > 0)
            fprintf(out, ", %lld rejected", (long long)l->rejected);
        fprintf(out, "\n");
    }
    if (r->limit_count > SHOWN)
        fprintf(out, "             and %d more states\n", r->limit_count - SHOWN);
}

static void print_steps(const kaiReport* r, FILE* out)
{
    const kaiCounters* c = &r->counters;
    fprintf(out, "  steps      %lld, and %lld rejected", (long long)c->steps, (long long)c->rejected);
    print_rejections(c, out);
    fprintf(out, "; %.3g µs each\n", 1e6 * r->profile.seconds / (c->steps > 0 ? (double)c->steps : 1));
    if (c->longest_step > 0)
        fprintf(out, "             the shortest %.3g at t = %.9g, the longest %.3g\n", c->shortest_step, c->shortest_at,
                c->longest_step);
    print_limits(r, out);
    fprintf(out, "  rhs calls  %lld (%.3g per step)", (long long)c->rhs_calls,
            per((double)c->rhs_calls, c->steps + c->rejected));
    if (c->jacobian_calls > 0)
        fprintf(out, ", and %lld of the Jacobian", (long long)c->jacobian_calls);
    fprintf(out, "\n  restarts   %lld of the solver, because the state or the equations changed\n",
            (long long)c->restarts);
}

// ---- instants

static void print_tags(const Profile* p, FILE* out)
{
    const char* between = "             ";
    for (int i = 1; i <= TAG_BINS; i++)
        if (p->tags[i] > 0)
        {
            fprintf(out, "%s%lld of %d%s tag%s", between, (long long)p->tags[i], i, i == TAG_BINS ? " or more" : "",
                    i == 1 ? "" : "s");
            between = ", ";
        }
    if (p->most_tags > 1)
        fprintf(out, "; the longest at t = %.9g with %lld", p->most_at, (long long)p->most_tags);
    if (between[0] == ',')
        fprintf(out, "\n");
}

static void print_instants(const kaiReport* r, FILE* out)
{
    const kaiCounters* c = &r->counters;
    fprintf(out, "  instants   %lld with %lld tags (%.3g per instant)\n", (long long)c->instants, (long long)c->tags,
            per((double)c->tags, c->instants));
    print_tags(&r->profile, out);
    fprintf(out, "  guards     evaluated %lld times to locate %lld crossings\n", (long long)c->guard_calls,
            (long long)c->located);
}

static void print_islands(const kaiSim* sim, FILE* out)
{
    enum
    {
        ISLANDS_SHOWN = 20
    };
    kaiIslandCounters c;
    int i = 0;
    for (; kaiSim_IslandCount(sim, i, &c); i++)
    {
        if (i == 0)
            fprintf(out, "\nislands: parts with a solver of their own\n");
        if (i < ISLANDS_SHOWN)
            fprintf(out,
                    "  %-20s %d states, %lld steps, %lld rejected; rolled back %lld times, %lld steps thrown away; at "
                    "most %.3g ahead of the rest\n",
                    c.name, c.states, (long long)c.steps, (long long)c.rejected, (long long)c.rollbacks,
                    (long long)c.thrown, c.ahead);
        if (i < ISLANDS_SHOWN)
            print_changes(sim, i, "                       ", out);
    }
    if (i > ISLANDS_SHOWN)
        fprintf(out, "  and %d more\n", i - ISLANDS_SHOWN);
}

static void print_place(int64_t count, const char* text, const kaiPlace* place, FILE* out)
{
    if (place->file != NULL)
        fprintf(out, "  %8lld  %s:%d  %s", (long long)count, place->file, place->line, text);
    else
        fprintf(out, "  %8lld  %s", (long long)count, text);
}

static void print_events(const kaiSim* sim, FILE* out)
{
    int64_t count, touches;
    const char* text;
    kaiPlace place;
    int silent = 0, i = 0;
    fprintf(out, "\nevents by guard\n");
    for (; kaiSim_GuardCount(sim, i, &count, &touches, &text, &place); i++)
        if (count > 0)
        {
            print_place(count, text, &place, out);
            fprintf(out, "\n");
        }
        else
            silent++;
    if (i == 0)
        fprintf(out, "  the model has no guards\n");
    else if (silent > 0)
        fprintf(out, "  %8d  of %d guards never fired\n", silent, i);
}

static void print_reactions(const Firings* f, FILE* out)
{
    bool first = true;
    for (int i = 0; i < f->source_count; i++)
    {
        const Source* s = &f->sources[i];
        if (s->kind == KAI_FIRED_CROSSING)
            continue;
        if (first)
            fprintf(out, "\nclocks, reactions and transitions\n");
        first = false;
        print_place(s->count, report_kind(s->kind), &s->place, out);
        fprintf(out, "%s%s\n", s->kind == KAI_FIRED_CLOCK ? "" : ": ", s->kind == KAI_FIRED_CLOCK ? "" : s->text);
    }
}

static void print_touches(const kaiSim* sim, FILE* out)
{
    int64_t count, touches;
    const char* text;
    kaiPlace place;
    bool first = true;
    double t;
    for (int i = 0; kaiSim_GuardCount(sim, i, &count, &touches, &text, &place); i++)
    {
        if (touches == 0)
            continue;
        if (first)
            fprintf(out, "\ntouches: the guard reached its level and turned back, which is no event\n");
        first = false;
        print_place(touches, text, &place, out);
        if (kaiSim_GuardTouched(sim, i, &t))
            fprintf(out, ", the last at t = %.9g", t);
        fprintf(out, "\n");
    }
}

// Where the run went along surfaces.
static void print_slides(const kaiSim* sim, FILE* out)
{
    const char* text;
    kaiPlace place;
    double from, to;
    for (int i = 0; kaiSim_Slide(sim, i, &from, &to, &text, &place); i++)
    {
        if (i == 0)
            fprintf(out, "\nalong surfaces: two fields, or a contact, kept the solution on the level of a guard\n");
        fprintf(out, "  from t = %.9g ", from);
        if (to == to)
            fprintf(out, "to %.9g", to);
        else
            fprintf(out, "to the end");
        fprintf(out, ": %s at %s:%d:%d\n", text, place.file != NULL ? place.file : "?", place.line, place.column);
    }
}

// ---- accuracy

static void print_event_times(const Accuracy* a, FILE* out)
{
    if (a->event_count == 0)
        return;
    if (a->event == NULL)
        fprintf(out, "  the times of all %lld crossings are the same\n", (long long)a->event_count);
    else
        fprintf(out, "  the times of %lld crossings differ by at most %.2g, at number %lld of %s: %.17g, finer %.17g\n",
                (long long)a->event_count,
                a->event_coarse > a->event_fine ? a->event_coarse - a->event_fine : a->event_fine - a->event_coarse,
                (long long)a->event_rank, a->event->text, a->event_coarse, a->event_fine);
}

static void print_accuracy(const Accuracy* a, FILE* out)
{
    fprintf(out, "\naccuracy, from a second run with rtol %g", a->rtol);
    if (a->step > 0)
        fprintf(out, " and step %g", a->step);
    fprintf(out, "\n");
    if (a->problem != NULL)
    {
        fprintf(out, "  the second run did not reach the end: %s\n", a->problem);
        return;
    }
    if (a->state == NULL)
        fprintf(out, "  there is no state to compare\n");
    else if (a->difference == 0)
        fprintf(out, "  the final states are the same\n");
    else
        fprintf(out, "  the final states differ by at most %.2g of their size, in %s: %.17g, finer %.17g\n",
                a->difference, a->state, a->coarse, a->fine);
    print_event_times(a, out);
    if (a->changed != NULL)
        fprintf(out, "  %s fires %lld times, in the finer run %lld: it depends on the tolerance\n", a->changed->text,
                (long long)a->changed->count, (long long)a->changed_fine);
    if (a->instants != a->fine_instants)
        fprintf(out, "  the finer run has %lld instants, not %lld: some event depends on the tolerance\n",
                (long long)a->fine_instants, (long long)a->instants);
}

void report_text(const kaiReport* r, FILE* out)
{
    print_title(r, out);
    print_methods(r->profile.sim, out);
    print_steps(r, out);
    print_instants(r, out);
    print_islands(r->profile.sim, out);
    print_events(r->profile.sim, out);
    print_reactions(&r->profile.firings, out);
    print_touches(r->profile.sim, out);
    print_slides(r->profile.sim, out);
    if (r->compared)
        print_accuracy(&r->accuracy, out);
}
