// All tags of one t (rules T2-T4, R5): left limit, reactions and commits until nothing changes.
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void copy_left_limits(kaiSim* sim, bool start)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->memories_count; i++)
    {
        const Memory* memory = &model->memories[i];
        if (memory->left != NO_REG && !(start && memory->has_first))
            sim->R[memory->dst] = sim->R[memory->left];
    }
}

static kaiStatus check_assertions(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->assertions_count; i++)
    {
        const Assertion* a = &model->assertions[i];
        if (sim->R[a->broken] == 0)
            continue;
        return sim_fail(sim, a->place, NULL, "assertion failed at t = %.17g (tag %d, %d): %s%s%s", sim->now.t,
                        sim->now.p, sim->now.m, model_string(model, a->source), a->text != 0 ? ": " : "",
                        model_string(model, a->text));
    }
    return KAI_OK;
}

// ---- endless instants (rule R5)
// --------------------------------------------------------------------------------------

// What decides the rest of the instant: states and memories. Two equal ones within one t can never end.
static uint64_t state_hash(const kaiSim* sim)
{
    const kaiModel* model = sim->model;
    uint64_t h = 14695981039346656037u;
    for (uint32_t i = model->reg_first[REG_STATE]; i < model->reg_first[REG_VALUE]; i++)
    {
        uint64_t bits;
        memcpy(&bits, &sim->R[i], sizeof bits);
        h = (h ^ bits) * 1099511628211u;
        h ^= h >> 31;
    }
    return h;
}

static void changing_names(const kaiSim* sim, char* text, size_t size)
{
    const kaiModel* model = sim->model;
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < model->vars_count && length + 100 < size; i++)
    {
        const ModelVar* var = &model->vars[i];
        if (sim->changed[i] && !var->hidden && var->kind != MODEL_PARAM)
            length += (size_t)snprintf(text + length, size - length, "%s%s (line %d): %.6g, %.6g",
                                       length > 0 ? "; " : "", model_string(model, var->name),
                                       model->places[var->place].line, sim->earlier[i], sim->before[i]);
    }
}

static kaiStatus fail_chattering(kaiSim* sim, bool revisits, uint32_t tags, bool pinnacles)
{
    char names[700];
    changing_names(sim, names, sizeof names);
    return sim_fail(sim, 0,
                    revisits
                        ? "make the guards exclude each other, or add a mode to rest in"
                        : "raise max_microsteps if this should end; a signal that adds to its own `pre` never does",
                    "chattering Zeno at t = %.17g: %s after %u tags, the %s are endless; still changing: %s",
                    sim->now.t, revisits ? "the reactions repeat themselves" : "no end", tags,
                    pinnacles ? "pinnacles" : "microsteps", names[0] != 0 ? names : "nothing that has a name");
}

typedef struct Endless
{
    uint32_t tags, next_mark, changed_states;
    uint64_t marked;
} Endless;

// Brent's method: compares with one remembered state, moved at powers of two.
static kaiStatus watch_endless(kaiSim* sim, Endless* e, bool state_changed)
{
    e->tags++;
    e->changed_states += state_changed;
    if (e->tags < 8)
        return KAI_OK;
    uint64_t hash = state_hash(sim);
    if (e->next_mark != 0 && hash == e->marked)
        return fail_chattering(sim, true, e->tags, e->changed_states > 0);
    if (e->tags >= e->next_mark)
    {
        e->marked = hash;
        e->next_mark = e->tags * 2;
    }
    if (e->tags >= sim->options.max_microsteps)
        return fail_chattering(sim, false, e->tags, e->changed_states > 0);
    return KAI_OK;
}

// ---- the loop
// --------------------------------------------------------------------------------------------------------

static kaiStatus left_limit(kaiSim* sim, bool start)
{
    sim->now.p = -1;
    sim->now.m = 0;
    kaiStatus status = sim_run_code(sim, sim->model->flow);
    if (status == KAI_OK)
        status = sim_run_code(sim, sim->model->events);
    if (status != KAI_OK)
        return status;
    copy_left_limits(sim, start);
    guard_left_limit(sim);
    if (start)  // `pre(x, first)` is `first` there already, so what was written decides, not the flow
        status = sim_run_code(sim, sim->model->react);
    return status == KAI_OK ? record_tag(sim, true, true) : status;
}

// At the tag of an impulse the state already contains the jump (rule R2).
static void integrate_impulses(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->now_states_count; i++)
    {
        double* state = &sim->R[model->now_states[i].state];
        double now = sim->R[model->now_states[i].now];
        if (*state == now)
            continue;
        *state = now;
        sim->reaction_moved = sim->field_changed = true;
    }
}

static kaiStatus check_faults(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->faults_count; i++)
        if (sim->R[model->faults[i].condition] != 0)
            return sim_fail(sim, model->faults[i].place, "distribution theory gives this no meaning: separate the two in time, or use `pre`",
                            "%s, at t = %.17g", model_string(model, model->faults[i].text), sim->now.t);
    return KAI_OK;
}

static kaiStatus react_once(kaiSim* sim)
{
    sim->counters.tags++;
    kaiStatus status = sim_run_code(sim, sim->model->react);
    if (status == KAI_OK)
        status = check_faults(sim);
    integrate_impulses(sim);
    if (status == KAI_OK)
        status = check_assertions(sim);
    if (status == KAI_OK)
        status = record_tag(sim, true, false);
    return status;
}

static kaiStatus react_until_rest(kaiSim* sim)
{
    Endless endless = {0};
    for (;;)
    {
        kaiStatus status = react_once(sim);
        if (status != KAI_OK)
            return status;
        CommitResult result;
        status = commit_reaction(sim, &result);
        if (status != KAI_OK)
            return status;
        if (!result.state && !result.other)
        {
            bool leaving = false;
            status = guard_arm(sim, &leaving);
            if (status != KAI_OK || !leaving)
                return status;
        }
        sim->now.m = result.state ? 0 : sim->now.m + 1;
        sim->now.p += result.state ? 1 : 0;
        status = watch_endless(sim, &endless, result.state);
        if (status != KAI_OK)
            return status;
    }
}

// Event times of one guard that converge geometrically (rule C4): reported before time can no longer tell them apart.
static kaiStatus watch_guard(kaiSim* sim, uint32_t index, double t)
{
    enum
    {
        PATTERN = 10
    };  // equal ratios in a row
    GuardState* g = &sim->guards[index];
    double interval = t - g->last_time, ratio = interval / g->last_interval;
    bool steady = ratio < 0.9999 && ratio > 0 && fabs(ratio - g->last_ratio) < 0.01 * ratio;
    g->pattern = steady ? g->pattern + 1 : 0;
    g->last_time = t;
    g->last_interval = interval;
    g->last_ratio = ratio;
    double limit = t + interval * ratio / (1 - ratio);
    if (g->pattern < PATTERN || interval > 1e-7 * (limit - sim->options.start) ||
        strcmp(sim->options.zeno, "stop") != 0)
        return KAI_OK;
    const Guard* guard = &sim->model->guards[index];
    return sim_fail(
        sim, guard->place,
        "add a mode for what comes after it (a ball that rests, a contact that stays), or set zeno = continue",
        "Zeno: %s fires ever faster, each interval %.6g of the one before; the events accumulate at t = %.12g",
        model_string(sim->model, guard->text), ratio, limit);
}

static kaiStatus watch_zeno(kaiSim* sim, double t)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < sim->located_count && status == KAI_OK; i++)
        status = watch_guard(sim, sim->located[i], t);
    double previous = sim->last_instant;
    sim->last_instant = t;
    bool tiny = t - previous <= 1e-11 * (fabs(t) + 1e-3);
    sim->short_instants = tiny ? sim->short_instants + 1 : 0;
    if (status != KAI_OK || sim->short_instants < 1000)
        return status;
    return sim_fail(sim, 0, "give the regime after it a mode of its own (a ball that rests, a switch that stays)",
                    "Zeno: the last 1000 instants lie closer together than time can resolve, near t = %.17g", t);
}

kaiStatus instant_run(kaiSim* sim, double t, bool start)
{
    bool again = !start && t <= sim->instant_time + 4e-16 * fabs(t);
    sim->counters.instants += !again;
    kaiStatus status = KAI_OK;
    if (again)  // crossings a few ulp apart share one instant: its tags go on
    {
        t = sim->instant_time;
        sim->R[sim->model->reg_time] = t;
        sim->now.m++;
        status = sim_run_code(sim, sim->model->events);
        guard_left_limit(sim);
    }
    else
    {
        sim->now.t = t;
        sim->rank = 0;
        sim->R[sim->model->reg_time] = t;
        status = left_limit(sim, start);
        sim->now.p = 0;
        sim->now.m = 0;
    }
    if (status == KAI_OK && !start)
        status = watch_zeno(sim, t);
    if (status != KAI_OK)
        return status;
    sim->flow_start = t;
    sim->instant_time = t;
    if (start)
        schedule_enter_modes(sim);
    schedule_mark_due(sim, t);
    guard_apply_located(sim);
    status = react_until_rest(sim);
    return status == KAI_OK ? delay_instant(sim) : status;
}
