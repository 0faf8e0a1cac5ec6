// A run that is watched step by step: tags of each instant, what fired when, how large the states became.
#include "study/profile.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Watch
{
    Profile* profile;
    const kaiModel* model;
    kaiRowFn* row;
    void* row_user;
} Watch;

static kaiStatus watch_row(void* user, const kaiRow* row)
{
    Watch* w = user;
    Profile* p = w->profile;
    double value;
    for (int i = 0; i < p->state_count; i++)
        if (kaiSim_Get(p->sim, kaiModel_StateVariable(w->model, i), &value))
            p->largest[i] = fmax(p->largest[i], fabs(value));
    return w->row != NULL ? w->row(w->row_user, row) : KAI_OK;
}

static void count_tags(Profile* p, int64_t tags)
{
    int bin = tags < TAG_BINS ? (int)tags : TAG_BINS;
    if (tags <= 0)
        return;
    p->tags[bin]++;
    if (tags > p->most_tags)
    {
        p->most_tags = tags;
        p->most_at = kaiSim_Now(p->sim).t;
    }
}

static void drive(Profile* p, const Subject* s)
{
    do
    {
        int64_t before = kaiSim_Counters(p->sim).tags;
        p->status = kaiSim_Step(p->sim);
        count_tags(p, kaiSim_Counters(p->sim).tags - before);
        if (s->options->progress != NULL)
            s->options->progress(s->options->user, p->sim);
    } while (p->status == KAI_INSTANT);
}

static double wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

kaiStatus profile_run(Profile* p, const Subject* s, kaiSimOptions options, kaiError* error)
{
    Watch watch = {p, s->model, options.row, options.row_user};
    *p = (Profile){.state_count = kaiModel_StateCount(s->model)};
    options.row = watch_row;
    options.row_user = &watch;
    options.fired = firings_add;
    options.fired_user = &p->firings;
    options.profile = true;
    p->largest = calloc((size_t)p->state_count + 1, sizeof *p->largest);
    if (p->largest == NULL)
        return error_memory(error);
    p->sim = kaiSim_Create(s->model, &options, error);
    if (p->sim == NULL)
        return error->status;
    kaiSweep_Set(s->sweep, 0, s->model, p->sim);
    double begun = wall_time();
    drive(p, s);
    p->seconds = wall_time() - begun;
    return KAI_OK;
}

void profile_free(Profile* p)
{
    kaiSim_Free(p->sim);
    firings_free(&p->firings);
    free(p->largest);
}

// ---- accuracy

kaiSimOptions profile_finer(kaiSimOptions o)
{
    o.rtol = fmax(o.rtol / 100, 1e-14);
    o.atol /= 100;
    o.step /= 10;
    o.row = NULL;
    return o;
}

// The state whose final values differ most in relation to its size in the runs.
static void compare_states(Accuracy* a, const kaiModel* model, const Profile* coarse, const Profile* fine)
{
    for (int i = 0; i < coarse->state_count; i++)
    {
        double x, y;
        int variable = kaiModel_StateVariable(model, i);
        if (!kaiSim_Get(coarse->sim, variable, &x) || !kaiSim_Get(fine->sim, variable, &y))
            continue;
        double d = x == y ? 0 : fabs(x - y) / fmax(fmax(coarse->largest[i], fine->largest[i]), 1e-300);
        if (a->state != NULL && d <= a->difference)
            continue;
        a->state = kaiModel_VariableName(model, variable);
        a->difference = d;
        a->coarse = x;
        a->fine = y;
    }
}

// The k-th crossing of each guard against the k-th of the same guard. Guards keep their order in both lists.
static void compare_events(Accuracy* a, const Firings* coarse, const Firings* fine)
{
    int64_t* first = calloc((size_t)fine->source_count + 1, sizeof *first);  // where to go on looking, per source
    int64_t* next = calloc((size_t)fine->count + 1, sizeof *next);           // the firing of the same source after it
    double most = 0;
    if (first == NULL || next == NULL)
        goto done;
    for (int64_t i = fine->count; i-- > 0;)
    {
        next[i] = first[fine->list[i].source];
        first[fine->list[i].source] = i + 1;
    }
    for (int64_t i = 0; i < coarse->count; i++)
    {
        const Firing* here = &coarse->list[i];
        int other = firings_find(fine, &coarse->sources[here->source]);
        if (other < 0 || first[other] == 0)
            continue;
        double t = fine->list[first[other] - 1].t;
        first[other] = next[first[other] - 1];
        a->event_count++;
        if (fabs(here->t - t) <= most)
            continue;
        most = fabs(here->t - t);
        a->event = &coarse->sources[here->source];
        a->event_rank = here->rank;
        a->event_coarse = here->t;
        a->event_fine = t;
    }
done:
    free(first);
    free(next);
}

static void compare_counts(Accuracy* a, const Firings* coarse, const Firings* fine)
{
    for (int i = 0; i < coarse->source_count && a->changed == NULL; i++)
    {
        int other = firings_find(fine, &coarse->sources[i]);
        int64_t count = other >= 0 ? fine->sources[other].count : 0;
        if (count == coarse->sources[i].count)
            continue;
        a->changed = &coarse->sources[i];
        a->changed_fine = count;
    }
}

void profile_compare(Accuracy* a, const kaiModel* model, const Profile* coarse, const Profile* fine)
{
    compare_states(a, model, coarse, fine);
    compare_events(a, &coarse->firings, &fine->firings);
    compare_counts(a, &coarse->firings, &fine->firings);
    a->instants = kaiSim_Counters(coarse->sim).instants;
    a->fine_instants = kaiSim_Counters(fine->sim).instants;
}
