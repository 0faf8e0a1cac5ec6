// See family.h. Outcomes are found first, by the choices that lead to them, and then each is run like any other run:
// what a run leaves behind is written the same way, and nothing of it has to outlive the exploration.
#include "service/family.h"

#include <stdio.h>
#include <string.h>

static void copy_decisions(const kaiSim* sim, Outcome* outcome)
{
    kaiDecision decision;
    for (int i = 0; i < DECISIONS_MOST && kaiSim_Decision(sim, i, &decision); i++)
        outcome->taken[outcome->count++] = decision.taken;
}

static kaiStatus take_outcome(void* user, kaiSim* sim, int branch, kaiStatus status)
{
    Family* f = user;
    (void)branch;
    (void)status;  // one that fails is an outcome too
    if (f->points >= FAMILY_MOST)
        return KAI_INTERRUPTED;
    Outcome* o = &f->outcomes[f->points++];
    copy_decisions(sim, o);
    kaiSim_OrderText(sim, o->label, sizeof o->label);
    return KAI_OK;
}

// Those that a bound leaves are shown, and that there are more.
static bool explore(Document* d, JsonWriter* w, Family* f)
{
    kaiSimOptions options = running_options(d, d->model);
    kaiExploration found;
    kaiError error;
    f->outcomes = arena_array(d->arena, Outcome, FAMILY_MOST);
    for (int i = 0; i < FAMILY_MOST; i++)
        f->outcomes[i].taken = arena_array(d->arena, int, DECISIONS_MOST);
    kaiSim_Free(d->sim);
    d->sim = kaiSim_Create(d->model, &options, &error);
    if (d->sim == NULL)
    {
        answer_diagnostic(d, w, "failure", &error);
        return false;
    }
    f->explored = true;
    kaiStatus status = kaiSim_Explore(d->model, d->sim, &(kaiExploreEvents){.end = take_outcome, .user = f}, &found);
    f->cut |= status != KAI_END;
    if (f->points == 0)  // then the run itself says why
    {
        f->points = 1;
        f->explored = false;
    }
    return true;
}

bool family_open(Document* d, JsonWriter* w, const kaiCompileOptions* compile, Family* f)
{
    kaiError error;
    *f = (Family){0};
    d->sweep = kaiSweep_Create(d->program, d->model, compile, &error);
    if (d->sweep == NULL)
    {
        answer_diagnostic(d, w, "failure", &error);
        return false;
    }
    const char* choice = kaiModel_SimOptions(d->model).choice;
    bool all = choice != NULL && strcmp(choice, "all") == 0;
    if (all && kaiSweep_ParameterCount(d->sweep) == 0)
        return explore(d, w, f);
    f->points = kaiSweep_PointCount(d->sweep);
    return true;
}

int64_t family_count(const Document* d, const Family* f)
{
    if (!f->explored && kaiSweep_IsStructural(d->sweep))
        return f->points < 1 ? f->points : 1;  // the others have other variables
    return f->points < FAMILY_MOST ? f->points : FAMILY_MOST;
}

const kaiModel* family_model(const Document* d, const Family* f, int64_t member)
{
    const kaiModel* model = NULL;
    if (member < 0 || member >= family_count(d, f))
        return NULL;
    return kaiSweep_Model(d->sweep, f->explored ? 0 : member, &model) == KAI_OK ? model : NULL;
}

void family_set(const Document* d, const Family* f, int64_t member, const kaiModel* model)
{
    kaiSweep_Set(d->sweep, f->explored ? 0 : member, model, d->sim);
    if (f->explored)
        kaiSim_Follow(d->sim, f->outcomes[member].taken, f->outcomes[member].count);
}

void family_describe(const Document* d, const Family* f, int64_t member, char* label, size_t size)
{
    label[0] = 0;
    if (f->explored)
        snprintf(label, size, "%s", f->outcomes[member].label);
    else if (kaiSweep_ParameterCount(d->sweep) > 0)
        kaiSweep_Describe(d->sweep, member, label, size);
}
