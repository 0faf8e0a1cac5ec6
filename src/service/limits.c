// Which states kept the steps of a run short, over time: the run once more, watched step by step. Stretches have about
// the same number of steps each, so that a short one is where steps are short; when there are too many, two make one.
#include "service/running.h"

#include <string.h>

enum
{
    STRETCHES = 240,  // an even number
    STATES_MOST = 300,
};

typedef struct Stretch
{
    double from, to;
    int64_t steps;
    int64_t* by_state;
} Stretch;

typedef struct Limits
{
    const kaiSim* sim;
    int states, count;
    int64_t each;     // steps of a full stretch
    int64_t* before;  // of each state, when looked at last
    double t;         // of the latest row
    Stretch* list;
} Limits;

static void halve(Limits* l)
{
    for (int i = 0; i < STRETCHES / 2; i++)
    {
        Stretch a = l->list[2 * i], b = l->list[2 * i + 1];
        for (int k = 0; k < l->states; k++)  // in place: what is written has been read
            l->list[i].by_state[k] = a.by_state[k] + b.by_state[k];
        l->list[i].from = a.from;
        l->list[i].to = b.to;
        l->list[i].steps = a.steps + b.steps;
    }
    for (int i = STRETCHES / 2; i < STRETCHES; i++)
    {
        memset(l->list[i].by_state, 0, sizeof(int64_t) * (size_t)l->states);
        l->list[i].steps = 0;
    }
    l->count = STRETCHES / 2;
    l->each *= 2;
}

static Stretch* open_stretch(Limits* l)
{
    if (l->count > 0 && l->list[l->count - 1].steps < l->each)
        return &l->list[l->count - 1];
    if (l->count == STRETCHES)
        halve(l);
    Stretch* s = &l->list[l->count++];
    s->from = s->to = l->t;
    return s;
}

static kaiStatus watch(void* user, const kaiRow* row)
{
    Limits* l = user;
    if (row->t > l->t)
    {
        Stretch* s = open_stretch(l);
        s->steps++;
        s->to = row->t;
        for (int i = 0; i < l->states; i++)
        {
            int64_t steps = 0, rejected = 0;
            kaiSim_StateLimits(l->sim, i, &steps, &rejected);
            s->by_state[i] += steps - l->before[i];
            l->before[i] = steps;
        }
    }
    l->t = row->t;
    return KAI_OK;
}

static bool run_watched(Document* d, Limits* l)
{
    kaiSimOptions options = running_options(d, d->model);
    const int first = kaiModel_StateVariable(d->model, 0);
    kaiError error;
    options.profile = true;
    options.rows = "steps";
    options.row = watch;
    options.row_user = l;
    options.record = &first;
    options.record_count = 1;
    kaiSim_Free(d->sim);
    d->sim = kaiSim_Create(d->model, &options, &error);
    l->sim = d->sim;
    l->t = options.start;
    if (d->sim == NULL)
        return false;
    kaiSim_Run(d->sim);
    return true;
}

static void put_stretch(const Document* d, JsonWriter* w, const Limits* l, const Stretch* s)
{
    int worst = 0;
    for (int i = 1; i < l->states; i++)
        if (s->by_state[i] > s->by_state[worst])
            worst = i;
    json_begin(w, NULL, '{');
    json_put_number(w, "from", s->from);
    json_put_number(w, "to", s->to);
    json_put_count(w, "steps", s->steps);
    if (s->by_state[worst] > 0)
    {
        json_put_text(w, "state", kaiModel_VariableName(d->model, kaiModel_StateVariable(d->model, worst)));
        json_put_number(w, "share", (double)s->by_state[worst] / (double)s->steps);
    }
    json_end(w, '}');
}

void running_put_limits(Document* d, JsonWriter* w)
{
    Limits l = {.states = kaiModel_StateCount(d->model), .each = 1};
    if (l.states == 0 || l.states > STATES_MOST)
        return;
    l.before = arena_array(d->arena, int64_t, (size_t)l.states);
    l.list = arena_array(d->arena, Stretch, STRETCHES);
    for (int i = 0; i < STRETCHES; i++)
        l.list[i].by_state = arena_array(d->arena, int64_t, (size_t)l.states);
    if (!run_watched(d, &l))
        return;
    json_begin(w, "limits", '[');
    for (int i = 0; i < l.count; i++)
        put_stretch(d, w, &l, &l.list[i]);
    json_end(w, ']');
}
