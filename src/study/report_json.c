// The report for programs. Numbers read back as the same doubles; what is not a number (or not finite) is null.
#include "study/report.h"

#include <math.h>

typedef struct Json
{
    FILE* out;
    bool first;  // nothing stands in this object or list yet
} Json;

static void put_string(FILE* out, const char* text)
{
    fputc('"', out);
    for (; *text != 0; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 32)
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}

static void put_key(Json* j, const char* key)
{
    fputs(j->first ? "" : ",", j->out);
    j->first = false;
    if (key == NULL)
        return;
    put_string(j->out, key);
    fputc(':', j->out);
}

static void put_number(Json* j, const char* key, double value)
{
    char text[33];
    put_key(j, key);
    if (isfinite(value))
        kaiNumber_Write(text, value);
    fputs(isfinite(value) ? text : "null", j->out);
}

static void put_count(Json* j, const char* key, int64_t value)
{
    put_key(j, key);
    fprintf(j->out, "%lld", (long long)value);
}

// NULL: null.
static void put_text(Json* j, const char* key, const char* text)
{
    put_key(j, key);
    if (text == NULL)
        fputs("null", j->out);
    else
        put_string(j->out, text);
}

static void begin(Json* j, const char* key, char bracket)
{
    put_key(j, key);
    fputc(bracket, j->out);
    j->first = true;
}

static void end(Json* j, char bracket)
{
    fputc(bracket, j->out);
    j->first = false;
}

static void put_place(Json* j, const kaiPlace* place)
{
    put_text(j, "file", place->file);
    put_count(j, "line", place->line);
    put_count(j, "column", place->column);
}

// ---- the parts

static void put_steps(Json* j, const kaiReport* r)
{
    const kaiCounters* c = &r->counters;
    begin(j, "steps", '{');
    put_count(j, "accepted", c->steps);
    put_count(j, "rejected", c->rejected);
    put_count(j, "rejected_inaccurate", c->rejected - c->rejected_newton - c->rejected_broken);
    put_count(j, "rejected_newton", c->rejected_newton);
    put_count(j, "rejected_not_a_number", c->rejected_broken);
    put_number(j, "shortest", c->longest_step > 0 ? c->shortest_step : NAN);
    put_number(j, "shortest_at", c->longest_step > 0 ? c->shortest_at : NAN);
    put_number(j, "longest", c->longest_step > 0 ? c->longest_step : NAN);
    put_count(j, "rhs_calls", c->rhs_calls);
    put_count(j, "jacobian_calls", c->jacobian_calls);
    put_count(j, "restarts", c->restarts);
    begin(j, "limited_by", '[');
    for (int i = 0; i < r->limit_count; i++)
    {
        begin(j, NULL, '{');
        put_text(j, "state", r->limits[i].name);
        put_count(j, "steps", r->limits[i].steps);
        put_count(j, "rejected", r->limits[i].rejected);
        end(j, '}');
    }
    end(j, ']');
    end(j, '}');
}

// With solver = auto; otherwise empty.
static void put_methods(Json* j, const kaiSim* sim, int island)
{
    const char* method;
    int64_t steps;
    kaiMethodChange c;
    begin(j, "methods", '[');
    for (int i = 0; kaiSim_MethodSteps(sim, island, i, &method, &steps); i++)
    {
        begin(j, NULL, '{');
        put_text(j, "method", method);
        put_count(j, "steps", steps);
        end(j, '}');
    }
    end(j, ']');
    begin(j, "changes", '[');
    for (int i = 0; kaiSim_MethodChange(sim, island, i, &c); i++)
    {
        begin(j, NULL, '{');
        put_count(j, "number", c.number);
        put_number(j, "t", c.t);
        put_text(j, "method", c.method);
        put_text(j, "reason", c.reason);
        end(j, '}');
    }
    end(j, ']');
}

static void put_islands(Json* j, const kaiSim* sim)
{
    kaiIslandCounters c;
    begin(j, "islands", '[');
    for (int i = 0; kaiSim_IslandCount(sim, i, &c); i++)
    {
        begin(j, NULL, '{');
        put_text(j, "name", c.name);
        put_count(j, "states", c.states);
        put_count(j, "steps", c.steps);
        put_count(j, "rejected", c.rejected);
        put_count(j, "rollbacks", c.rollbacks);
        put_count(j, "thrown", c.thrown);
        put_number(j, "ahead", c.ahead);
        put_methods(j, sim, i);
        end(j, '}');
    }
    end(j, ']');
}

static void put_instants(Json* j, const kaiReport* r)
{
    const Profile* p = &r->profile;
    begin(j, "instants", '{');
    put_count(j, "count", r->counters.instants);
    put_count(j, "tags", r->counters.tags);
    begin(j, "by_tags", '[');
    for (int i = 1; i <= TAG_BINS; i++)
        if (p->tags[i] > 0)
        {
            begin(j, NULL, '{');
            put_count(j, i == TAG_BINS ? "tags_at_least" : "tags", i);
            put_count(j, "instants", p->tags[i]);
            end(j, '}');
        }
    end(j, ']');
    put_count(j, "most_tags", p->most_tags);
    put_number(j, "most_tags_at", p->most_tags > 0 ? p->most_at : NAN);
    end(j, '}');
}

static void put_guards(Json* j, const kaiReport* r)
{
    int64_t count, touches;
    const char* text;
    kaiPlace place;
    double t;
    begin(j, "guards", '[');
    for (int i = 0; kaiSim_GuardCount(r->profile.sim, i, &count, &touches, &text, &place); i++)
    {
        begin(j, NULL, '{');
        put_text(j, "text", text);
        put_place(j, &place);
        put_count(j, "events", count);
        put_count(j, "touches", touches);
        put_number(j, "last_touch", kaiSim_GuardTouched(r->profile.sim, i, &t) ? t : NAN);
        end(j, '}');
    }
    end(j, ']');
    put_count(j, "guard_evaluations", r->counters.guard_calls);
}

static void put_slides(Json* j, const kaiSim* sim)
{
    const char* text;
    kaiPlace place;
    double from, to;
    begin(j, "slides", '[');
    for (int i = 0; kaiSim_Slide(sim, i, &from, &to, &text, &place); i++)
    {
        begin(j, NULL, '{');
        put_text(j, "text", text);
        put_place(j, &place);
        put_number(j, "from", from);
        put_number(j, "to", to);
        end(j, '}');
    }
    end(j, ']');
}

static void put_reactions(Json* j, const Firings* f)
{
    begin(j, "reactions", '[');
    for (int i = 0; i < f->source_count; i++)
    {
        if (f->sources[i].kind == KAI_FIRED_CROSSING)
            continue;
        begin(j, NULL, '{');
        put_text(j, "kind", report_kind(f->sources[i].kind));
        put_text(j, "text", f->sources[i].text);
        put_place(j, &f->sources[i].place);
        put_count(j, "count", f->sources[i].count);
        end(j, '}');
    }
    end(j, ']');
}

static void put_accuracy(Json* j, const Accuracy* a)
{
    begin(j, "accuracy", '{');
    put_number(j, "rtol", a->rtol);
    put_number(j, "step", a->step > 0 ? a->step : NAN);
    put_text(j, "problem", a->problem);
    put_text(j, "state", a->state);
    put_number(j, "difference", a->state != NULL ? a->difference : NAN);
    put_number(j, "final", a->state != NULL ? a->coarse : NAN);
    put_number(j, "final_finer", a->state != NULL ? a->fine : NAN);
    put_count(j, "crossings_compared", a->event_count);
    put_text(j, "crossing", a->event != NULL ? a->event->text : NULL);
    put_number(j, "crossing_number", a->event != NULL ? (double)a->event_rank : NAN);
    put_number(j, "crossing_time", a->event != NULL ? a->event_coarse : NAN);
    put_number(j, "crossing_time_finer", a->event != NULL ? a->event_fine : NAN);
    put_count(j, "instants", a->instants);
    put_count(j, "instants_finer", a->fine_instants);
    end(j, '}');
}

void report_json(const kaiReport* r, FILE* out)
{
    static const char* const ends[] = {"ok", "instant", "end", "interrupted"};
    const kaiError* failure = kaiSim_Failure(r->profile.sim);
    Json j = {.out = out, .first = true};
    begin(&j, NULL, '{');
    put_text(&j, "file", r->file);
    put_text(&j, "model", kaiModel_Name(r->model));
    put_text(&j, "experiment", r->experiment);
    put_text(&j, "sweep", r->sweep[0] != 0 ? r->sweep : NULL);
    put_text(&j, "status", r->profile.status < 0 ? "failed" : ends[r->profile.status]);
    put_text(&j, "failure", r->profile.status < 0 ? failure->message : NULL);
    put_number(&j, "start", r->options.start);
    put_number(&j, "end", kaiSim_Now(r->profile.sim).t);
    put_number(&j, "wall_seconds", r->profile.seconds);
    put_text(&j, "solver", r->options.solver);
    put_number(&j, "rtol", r->options.rtol);
    put_number(&j, "atol", r->options.atol > 0 ? r->options.atol : r->options.rtol / 100);
    put_count(&j, "states", r->profile.state_count);
    put_steps(&j, r);
    if (!kaiSim_IslandCount(r->profile.sim, 0, &(kaiIslandCounters){0}))
        put_methods(&j, r->profile.sim, 0);
    put_islands(&j, r->profile.sim);
    put_instants(&j, r);
    put_guards(&j, r);
    put_slides(&j, r->profile.sim);
    put_reactions(&j, &r->profile.firings);
    if (r->compared)
        put_accuracy(&j, &r->accuracy);
    end(&j, '}');
    fputc('\n', out);
}
