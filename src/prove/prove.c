// From a flat model to an answer: each group of slots is asked alone; one cycle is enough to refute, all groups must be
// proved to prove.
#include "prove/prove.h"

#include "prove/cure.h"
#include "prove/report.h"

#include <string.h>

typedef struct Work
{
    const ProveRequest* q;
    Logic logic;
    Encoder encoder;
    VEC(Search) searches;
} Work;

static bool is_known_group(const Work* w, uint32_t group)
{
    for (uint32_t i = 0; i < w->searches.count; i++)
        if (w->searches.at[i].group == group)
            return true;
    return false;
}

// Only what some reaction or memory can change is asked about.
static void find_groups(Work* w)
{
    const FlatExperiment* x = &w->q->flat->experiment;
    for (uint32_t i = 0; i < w->encoder.slots.count; i++)
    {
        uint32_t group = slot_group(&w->encoder, i);
        if (w->encoder.slots.at[i].written && !is_known_group(w, group))
            vec_push(
                w->q->arena, w->searches,
                (Search){.e = &w->encoder, .group = group, .region = x->region, .start = x->has_start ? x->start : 0});
    }
}

static Search* search_all(Work* w)
{
    Search* worst = NULL;
    for (uint32_t i = 0; i < w->searches.count; i++)
    {
        Search* s = &w->searches.at[i];
        search_group(s);
        if (s->answer == ANSWER_REFUTED)
            return s;
        if (s->answer == ANSWER_UNKNOWN)
            worst = s;
    }
    return worst;
}

static void say_proved(Work* w, Writer* out)
{
    uint32_t longest = 0;
    writer_say(out, "proved: from no state do the reactions of %s at one instant come back to where they were\n",
               w->q->flat->model_name);
    for (uint32_t i = 0; i < w->searches.count; i++)
    {
        const Search* s = &w->searches.at[i];
        longest = s->longest > longest ? s->longest : longest;
        if (s->ranks != NULL)
            writer_say(out,
                       "because no reaction of a cycle may raise %s, and each lowers one of them\n"
                       "  (that jumps shrink for ever without repeating is not excluded)\n",
                       s->ranks);
    }
    if (longest > 0)
        writer_say(out, "because no part of it has more than %u reactions in a row, from any state\n", longest);
    report_assumptions(w->q, &w->encoder, out);
}

static void say_unknown(Work* w, const Search* s, Writer* out)
{
    const Flat* f = w->q->flat;
    writer_say(out, "unknown: whether %s can switch for ever at one instant (%s)\n", f->model_name,
               s->reason != NULL ? s->reason : "no run confirms the cycle");
    for (uint32_t i = 0; i < w->encoder.vague.count; i++)
        writer_say(out, "  not decided: %s at %s\n", flat_text(f, w->q->arena, w->encoder.vague.at[i]),
                   report_place(w->q, f->nodes.at[w->encoder.vague.at[i]].span));
    for (uint32_t r = 0; r < w->encoder.reactions.count; r++)
    {
        const Reaction* at = &w->encoder.reactions.at[r];
        if (at->group != NO_SLOT && slot_group(&w->encoder, at->group) == s->group)
            writer_say(out, "  open: %s: %s\n", report_place(w->q, at->span), report_source(w->q, at->span));
    }
    writer_say(out,
               "help: give more time with --timeout, or restrict the states with `region = …` in the experiment\n");
}

static const char* vague_terms(Work* w)
{
    Writer out = {.arena = w->q->arena};
    for (uint32_t i = 0; i < w->encoder.vague.count; i++)
        writer_say(&out, "%s%s", i > 0 ? ", " : "", flat_text(w->q->flat, w->q->arena, w->encoder.vague.at[i]));
    return w->encoder.vague.count > 0 ? writer_text(&out) : NULL;
}

static void say_refuted(Work* w, const Search* s, Writer* out)
{
    report_cycle(w->q, s, out);
    const char* cure = cure_find(w->q, s);
    if (cure != NULL)
        writer_say(out, "cure: %s; then it is proved\n", cure);
}

static uint32_t find_state(const Flat* f, const char* name)
{
    for (uint32_t v = 0; v < f->vars.count; v++)
        if (f->vars.at[v].kind == VAR_STATE && strcmp(f->vars.at[v].name, name) == 0)
            return v;
    return UINT32_MAX;
}

// The part that was refuted, or the first that reads both states.
static Search* drawn_search(Work* w, Search* refuted, uint32_t x, uint32_t y)
{
    if (refuted != NULL && refuted->answer == ANSWER_REFUTED)
        return refuted;
    for (uint32_t i = 0; i < w->searches.count; i++)
    {
        Search* s = &w->searches.at[i];
        if (slot_concerns(s->e, s->e->var_slot[x], s->group) && slot_concerns(s->e, s->e->var_slot[y], s->group))
            return s;
    }
    return NULL;
}

static void draw(Work* w, Search* refuted, ProveResult* result)
{
    const ProveRequest* q = w->q;
    uint32_t x = find_state(q->flat, q->plot_x), y = find_state(q->flat, q->plot_y);
    if (x == UINT32_MAX || y == UINT32_MAX)
    {
        result->no_figure = arena_printf(q->arena, "there is no state `%s`", x == UINT32_MAX ? q->plot_x : q->plot_y);
        return;
    }
    Search* s = drawn_search(w, refuted, x, y);
    result->no_figure = s != NULL ? phase_draw(s, x, y, &result->figure) : "no guard reads both of these states";
    result->has_figure = result->no_figure == NULL;
}

static ProveResult answer(Work* w)
{
    Writer out = {.arena = w->q->arena};
    Search* s = search_all(w);
    ProveResult result = {.answer = s != NULL ? s->answer : ANSWER_PROVED};
    result.unsaid = vague_terms(w);
    if (s == NULL)
        say_proved(w, &out);
    else if (s->answer == ANSWER_UNKNOWN)
        say_unknown(w, s, &out);
    else
    {
        result.vague = w->encoder.vague.count > 0 || w->q->flat->graphs.count > 0;
        result.experiment = report_experiment(w->q, s);
        say_refuted(w, s, &out);
    }
    result.text = writer_text(&out);
    if (w->q->plot_x != NULL)
        draw(w, s, &result);
    return result;
}

ProveResult prove_model(const ProveRequest* request)
{
    Work w = {.q = request};
    jmp_buf fail, *outer = request->arena->fail;
    logic_open(&w.logic, request->arena, request->seconds);
    if (setjmp(fail) != 0)  // no memory: the solver's must be given back
    {
        logic_close(&w.logic);
        request->arena->fail = outer;
        longjmp(*outer, 1);
    }
    request->arena->fail = &fail;
    encode_open(&w.encoder, request->arena, request->flat, &w.logic);
    find_groups(&w);
    ProveResult result = answer(&w);
    request->arena->fail = outer;
    logic_close(&w.logic);
    return result;
}
