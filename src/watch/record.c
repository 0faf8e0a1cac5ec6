// What a run leaves behind: rows for the caller (rules T4, T5), and the probes of `expect`.
#include "kernel/sim.h"

#include <math.h>
#include <string.h>

static bool same_time(double a, double b)
{
    return isfinite(a) && fabs(a - b) <= 2e-15 * fmax(fabs(a), fabs(b));
}

// ---- columns
// ---------------------------------------------------------------------------------------------------------

static void add_column(kaiSim* sim, uint32_t var)
{
    for (int i = 0; i < sim->column_count; i++)
        if (sim->column_vars[i] == var)
            return;
    const kaiModel* model = sim->model;
    const ModelVar* v = &model->vars[var];
    kaiColumn* column = &sim->columns[sim->column_count];
    *column = (kaiColumn){.name = model_string(model, v->title),
                          .kind = (kaiColumnKind)v->column,
                          .unit = v->unit != 0 ? model_string(model, v->unit) : NULL};
    if (v->kind == MODEL_MODE)
    {
        const Machine* machine = &model->machines[v->machine];
        column->mode_names = sim->mode_names + machine->first_mode;
        column->mode_count = (int)machine->mode_count;
    }
    sim->column_vars[sim->column_count++] = var;
    for (uint32_t k = 0; k < v->impulse_count; k++)
    {
        sim->columns[sim->column_count] = (kaiColumn){
            .name = model_string(model, model->impulse_titles[v->first_title + k]), .kind = KAI_COLUMN_REAL};
        sim->column_orders[sim->column_count] = (uint8_t)(k + 1);
        sim->column_vars[sim->column_count++] = var;
    }
}

static void keep_register(kaiSim* sim, uint32_t reg)
{
    if (reg != NO_REG)
        sim->kept[sim->kept_count++] = reg;
}

static void list_kept(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < model->vars_count; i++)
    {
        const ModelVar* var = &model->vars[i];
        if (var->hidden || var->kind == MODEL_PARAM)
            continue;
        keep_register(sim, var->reg);
        keep_register(sim, var->present);
        for (uint32_t k = 0; k < var->impulse_count; k++)
            keep_register(sim, var->impulse + k);
    }
    for (uint32_t i = 0; i < model->machines_count; i++)
        keep_register(sim, model->machines[i].reg);
}

kaiStatus record_create(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    list_kept(sim);
    for (uint32_t i = 0; i < model->modes_count; i++)
        sim->mode_names[i] = model_string(model, model->modes[i].name);
    bool chosen = sim->options.record != NULL;
    for (int i = 0; chosen && i < sim->options.record_count; i++)
        if (!sim->set[sim->options.record[i]]++)  // a variable that is named twice has one column
            add_column(sim, (uint32_t)sim->options.record[i]);
    memset(sim->set, 0, sizeof *sim->set * model->vars_count);
    for (uint32_t i = 0; i < model->records_count && !chosen; i++)
    {
        const RecordSet* set = &model->records[i];
        for (uint32_t k = 0; k < set->count; k++)
            add_column(sim, model->record_vars[set->first + k]);
        if (set->every > 0 && (sim->every == 0 || set->every < sim->every))
            sim->every = set->every;
    }
    if (model->records_count == 0 && !chosen)
        for (uint32_t i = 0; i < model->vars_count; i++)
            if (!model->vars[i].hidden && model->vars[i].kind != MODEL_PARAM)
            {
                sim->column_vars[sim->column_count] = NO_REG;
                add_column(sim, i);
            }
    for (uint32_t i = 0; i < model->probes_count; i++)
        sim->watches_extremes |= model->probes[i].kind == PROBE_MIN || model->probes[i].kind == PROBE_MAX;
    return KAI_OK;
}

const kaiColumn* kaiSim_Columns(const kaiSim* sim, int* count)
{
    if (sim == NULL || count == NULL)
        return NULL;
    *count = sim->column_count;
    return sim->columns;
}

// ---- values
// ----------------------------------------------------------------------------------------------------------

static bool ctx_active_in(const kaiModel* model, const double* R, uint32_t ctx)
{
    for (; ctx != 0; ctx = model->contexts[ctx].parent)
        if (R[model->machines[model->contexts[ctx].machine].reg] != model->contexts[ctx].mode)
            return false;
    return true;
}

// Presence by the registers R of some tag; `flow`: a left limit or a point of the solver, where events are absent.
static bool present_in(const kaiModel* model, const double* R, const ModelVar* var, bool flow)
{
    if (var->column == KAI_COLUMN_EVENT && flow)
        return false;
    if (var->present != NO_REG)
        return R[var->present] != 0;
    return var->ctx == 0 || ctx_active_in(model, R, var->ctx);
}

static bool var_present(const kaiSim* sim, const ModelVar* var, bool flow)
{
    return present_in(sim->model, sim->R, var, flow);
}

static void load_row(const kaiSim* sim, bool flow, double* values, uint8_t* present)
{
    for (int i = 0; i < sim->column_count; i++)
    {
        const ModelVar* var = &sim->model->vars[sim->column_vars[i]];
        uint8_t order = sim->column_orders[i];
        values[i] = sim->R[order > 0 ? var->impulse + order - 1 : var->reg];
        present[i] = order > 0 ? !flow && values[i] != 0 : var_present(sim, var, flow);
    }
}

// The first NaN stops the run and names its operator; it is never carried on.
static kaiStatus check_row(kaiSim* sim, bool flow, const double* values, const uint8_t* present)
{
    const kaiModel* model = sim->model;
    for (int i = 0; i < sim->column_count; i++)
    {
        if (!present[i] || !isnan(values[i]))
            continue;
        const ModelVar* var = &model->vars[sim->column_vars[i]];
        uint32_t culprit = vm_trace_nan(model, sim->R, flow ? model->flow : model->react, var->reg);
        uint32_t place = model->reg_places[culprit] != 0 ? model->reg_places[culprit] : var->place;
        return sim_fail(sim, place, "check the operands there: 0/0, a root or logarithm of a negative number?",
                        "%s is not a number at t = %.17g", model_string(model, var->name), sim->now.t);
    }
    return KAI_OK;
}

static kaiStatus send_row(kaiSim* sim, kaiTag tag, const double* values, const uint8_t* present)
{
    sim->counters.rows++;
    sim->last_row_t = tag.t;
    if (sim->options.row == NULL)
        return KAI_OK;
    kaiRow row = {tag.t, tag.p, tag.m, values, present};
    kaiStatus status = sim->options.row(sim->options.row_user, &row);
    if (status == KAI_ERR_IO)
        sim->failure = (kaiError){.status = KAI_ERR_IO, .tag = tag, .message = "the result could not be written"};
    return status;
}

// An event that goes is no change of its own: it was present at its tag and that was recorded.
static bool differs(const kaiModel* model, const ModelVar* var, const double* before, bool before_flow,
                    const double* now, bool now_flow)
{
    bool present = present_in(model, now, var, now_flow);
    for (uint32_t k = 0; k < var->impulse_count && !now_flow; k++)
        if (now[var->impulse + k] != 0)
            return true;
    if (var->column == KAI_COLUMN_EVENT)
        return present;
    return present != present_in(model, before, var, before_flow) || (present && now[var->reg] != before[var->reg]);
}

bool record_var_changed(const kaiSim* sim, uint32_t var)
{
    if (!touch_has_var(sim, var))
        return false;
    return differs(sim->model, &sim->model->vars[var], sim->tag_before, sim->tag_before_flow, sim->tag_last,
                   sim->tag_last_flow);
}

static bool anything_changed(const kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (TouchWalk w = {0}; touch_next(sim, &sim->touched.vars, model->vars_count, &w);)
        if (!model->vars[w.index].hidden && model->vars[w.index].kind != MODEL_PARAM &&
            record_var_changed(sim, w.index))
            return true;
    return false;
}

void record_keep(const kaiSim* sim, uint32_t index, double* to)
{
    const ModelVar* var = &sim->model->vars[index];
    to[var->reg] = sim->R[var->reg];
    if (var->present != NO_REG)
        to[var->present] = sim->R[var->present];
    for (uint32_t k = 0; k < var->impulse_count; k++)
        to[var->impulse + k] = sim->R[var->impulse + k];
    for (uint32_t ctx = var->ctx; ctx != 0; ctx = sim->model->contexts[ctx].parent)
    {
        uint32_t mode = sim->model->machines[sim->model->contexts[ctx].machine].reg;
        to[mode] = sim->R[mode];
    }
}

// Keeps what the tag left in the registers that variables show, so that the next one can be compared with it.
static void keep_tag(kaiSim* sim, bool flow)
{
    double* older = sim->tag_before;
    sim->tag_before = sim->tag_last;
    sim->tag_before_flow = sim->tag_last_flow;
    sim->tag_last = older;
    sim->tag_last_flow = flow;
    for (uint32_t i = 0; i < sim->touched.vars.count; i++)
        record_keep(sim, sim->touched.vars.at[i], older);
    for (uint32_t i = 0; i < sim->kept_count && sim->model->fused; i++)
        older[sim->kept[i]] = sim->R[sim->kept[i]];
}

// ---- probes
// ----------------------------------------------------------------------------------------------------------

static void take(kaiSim* sim, uint32_t probe, bool flow)
{
    const ModelVar* var = &sim->model->vars[sim->model->probes[probe].var];
    ProbeState* state = &sim->probes[probe];
    state->present = var_present(sim, var, flow);
    state->value = sim->R[var->reg];
}

static void take_left(kaiSim* sim, uint32_t probe, bool flow)
{
    const ModelVar* var = &sim->model->vars[sim->model->probes[probe].var];
    ProbeState* state = &sim->probes[probe];
    state->left_present = var_present(sim, var, flow);
    state->left = sim->R[var->reg];
}

static void settle_left(kaiSim* sim, uint32_t probe)
{
    ProbeState* state = &sim->probes[probe];
    state->present = state->left_present;
    state->value = state->left;
}

static void take_extreme(kaiSim* sim, uint32_t probe, bool flow)
{
    const Probe* p = &sim->model->probes[probe];
    const ModelVar* var = &sim->model->vars[p->var];
    ProbeState* state = &sim->probes[probe];
    double value = sim->R[var->reg];
    if (!var_present(sim, var, flow))
        return;
    if (!state->present || (p->kind == PROBE_MIN ? value < state->value : value > state->value))
        state->value = value;
    state->present = true;
}

static void take_event(kaiSim* sim, uint32_t probe, bool flow)
{
    const Probe* p = &sim->model->probes[probe];
    ProbeState* state = &sim->probes[probe];
    if (!var_present(sim, &sim->model->vars[p->var], flow))
    {
        if (p->kind == PROBE_COUNT)
            state->present = true, state->value = (double)state->count;
        return;
    }
    state->count++;
    if (p->kind == PROBE_COUNT)
        state->present = true, state->value = (double)state->count;
    else if ((double)state->count == sim->R[p->index])
    {
        state->present = true;
        state->value = sim->R[p->out] = sim->now.t;  // `at(time_of(…), …)` reads the register
    }
}

static void probe_tag(kaiSim* sim, bool flow, bool left)
{
    for (uint32_t i = 0; i < sim->model->probes_count; i++)  // first: others may ask for the time of an event
        if (sim->model->probes[i].kind == PROBE_TIME_OF && !left)
            take_event(sim, i, flow);
    for (uint32_t i = 0; i < sim->model->probes_count; i++)
    {
        const Probe* p = &sim->model->probes[i];
        switch (p->kind)
        {
        case PROBE_TIME_OF: break;
        case PROBE_MIN:
        case PROBE_MAX: take_extreme(sim, i, flow); break;
        case PROBE_FINAL: take(sim, i, flow); break;
        case PROBE_COUNT:
            if (!left)
                take_event(sim, i, flow);
            break;
        case PROBE_LEFT:
            if (left || flow)  // kept until it is known whether this is the time that was asked for
                take_left(sim, i, flow);
            if (same_time(sim->R[p->time], sim->now.t))
                settle_left(sim, i);
            break;
        case PROBE_AT:
            if (same_time(sim->R[p->time], sim->now.t))
                take(sim, i, flow);
            break;
        default:
            if (same_time(sim->R[p->time], sim->now.t) && sim->R[p->index] == sim->rank)
                take(sim, i, flow);
            break;
        }
    }
}

// ---- tags
// ------------------------------------------------------------------------------------------------------------

static void keep_pending(kaiSim* sim)
{
    load_row(sim, true, sim->pending_values, sim->pending_present);
    sim->row_pending = true;
    sim->zero_pending = false;
}

// The left limit of the start is recorded only if the start changes something (rule T3), so it and an equal first tag
// wait.
static kaiStatus send_pending(kaiSim* sim, bool changed)
{
    kaiStatus status = KAI_OK;
    if (!sim->row_pending)
        return status;
    double t = sim->now.t;
    if (changed)
        status = send_row(sim, (kaiTag){t, -1, 0}, sim->pending_values, sim->pending_present);
    if (status == KAI_OK && sim->zero_pending)
        status = send_row(sim, (kaiTag){t, 0, 0}, sim->pending_values, sim->pending_present);
    sim->row_pending = sim->zero_pending = false;
    return status;
}

// The start: its left limit waits (see send_pending), and counts as index 0 only if it will be recorded. *done: nothing
// more to do for this tag.
static void record_start_tag(kaiSim* sim, bool left, bool changed, bool* done)
{
    *done = left || (sim->row_pending && !changed);
    if (left)
    {
        probe_tag(sim, true, true);
        keep_pending(sim);
    }
    else if (sim->row_pending && !changed)
    {
        probe_tag(sim, false, false);  // as index 0, or as index 1 if something changes later
        sim->rank = 1;
        probe_tag(sim, false, false);
        sim->zero_pending = true;
    }
    else if (sim->row_pending)
        sim->rank = sim->zero_pending ? 2 : 1;
}

static kaiStatus record_instant_tag(kaiSim* sim, bool left)
{
    bool start = sim->counters.instants <= 1 && sim->now.t == sim->options.start, done = false;
    keep_tag(sim, left);
    bool compared = start || (!left && sim->now.m != 0);  // a tag with m = 0 is recorded whatever it changes (rule T4)
    bool changed = !compared || anything_changed(sim);
    if (!left && !changed && sim->now.m != 0)
        return KAI_OK;
    if (start)
        record_start_tag(sim, left, changed, &done);
    if (done)
        return KAI_OK;
    probe_tag(sim, left, left);
    sim->rank++;
    kaiStatus status = send_pending(sim, true);
    if (status == KAI_OK)
    {
        load_row(sim, left, sim->row_values, sim->row_present);
        status = check_row(sim, left, sim->row_values, sim->row_present);
    }
    return status == KAI_OK ? send_row(sim, sim->now, sim->row_values, sim->row_present) : status;
}

kaiStatus record_instant_end(kaiSim* sim)
{
    for (uint32_t i = 0; sim->zero_pending && i < sim->model->probes_count; i++)
    {
        const Probe* p = &sim->model->probes[i];
        if (p->kind == PROBE_INDEX && sim->R[p->index] == 1 && same_time(sim->R[p->time], sim->now.t))
            sim->probes[i].present = false;  // the start has one tag only
    }
    return send_pending(sim, false);
}

static bool on_grid(kaiSim* sim)
{
    return same_time(sim->options.start + (double)sim->grid_index * sim->every, sim->now.t);
}

static kaiStatus record_point(kaiSim* sim)
{
    bool wanted = sim->every == 0 || on_grid(sim);
    if ((sim->options.row == NULL || !wanted) && sim->model->probes_count == 0)
        return KAI_OK;
    kaiStatus status = touch_rows(sim);
    if (status != KAI_OK)
        return status;
    probe_tag(sim, true, false);
    if (!wanted || sim->options.row == NULL)
        return KAI_OK;
    load_row(sim, true, sim->row_values, sim->row_present);
    status = check_row(sim, true, sim->row_values, sim->row_present);
    return status == KAI_OK ? send_row(sim, sim->now, sim->row_values, sim->row_present) : status;
}

kaiStatus record_tag(kaiSim* sim, bool instant, bool left)
{
    kaiStatus status = instant ? record_instant_tag(sim, left) : record_point(sim);
    if (sim->every > 0)
        while (sim->options.start + (double)sim->grid_index * sim->every <= sim->now.t + 4e-16 * fabs(sim->now.t))
            sim->grid_index++;
    return status;
}

// ---- inside a step
// ---------------------------------------------------------------------------------------------------

static kaiStatus load_inside(kaiSim* sim, double t)
{
    touch_moment(sim, t);
    sim->now = (kaiTag){t, 0, 0};
    return touch_rows(sim);
}

static kaiStatus probe_inside(kaiSim* sim, double start, double end)
{
    for (uint32_t i = 0; i < sim->model->probes_count; i++)
    {
        const Probe* p = &sim->model->probes[i];
        if (p->kind != PROBE_AT && p->kind != PROBE_LEFT && p->kind != PROBE_INDEX)
            continue;
        double t = sim->R[p->time];
        if (!(t > start && t < end) || same_time(t, start) || same_time(t, end))
            continue;
        kaiStatus status = load_inside(sim, t);
        if (status != KAI_OK)
            return status;
        if (p->kind != PROBE_INDEX || sim->R[p->index] == 0)
            take(sim, i, true);
    }
    return KAI_OK;
}

static kaiStatus row_inside(kaiSim* sim, double t)
{
    kaiStatus status = load_inside(sim, t);
    if (status != KAI_OK)
        return status;
    load_row(sim, true, sim->row_values, sim->row_present);
    status = check_row(sim, true, sim->row_values, sim->row_present);
    return status == KAI_OK ? send_row(sim, sim->now, sim->row_values, sim->row_present) : status;
}

static kaiStatus grid_inside(kaiSim* sim, double end)
{
    for (;; sim->grid_index++)
    {
        double t = sim->options.start + (double)sim->grid_index * sim->every;
        if (!(t < end) || same_time(t, end))
            return KAI_OK;
        kaiStatus status = row_inside(sim, t);
        if (status != KAI_OK)
            return status;
    }
}

// Rows between the points of the solver for whoever wants to see a curve (kaiSimOptions.row_gap).
static kaiStatus gap_inside(kaiSim* sim, double start, double end)
{
    kaiStatus status = KAI_OK;
    double pieces = ceil((end - start) / sim->options.row_gap);
    for (double k = 1; k < pieces && status == KAI_OK; k++)
        status = row_inside(sim, start + k / pieces * (end - start));
    return status;
}

// Extremes between the points of the solver: golden section around every sample that is not beaten by a neighbour.
static double extreme_at(kaiSim* sim, uint32_t probe, double t)
{
    const Probe* p = &sim->model->probes[probe];
    if (load_inside(sim, t) != KAI_OK)
        return INFINITY;
    const ModelVar* var = &sim->model->vars[p->var];
    if (!var_present(sim, var, true))
        return INFINITY;
    take_extreme(sim, probe, true);
    return p->kind == PROBE_MIN ? sim->R[var->reg] : -sim->R[var->reg];
}

static void extremes_inside(kaiSim* sim, uint32_t probe, double start, double end)
{
    enum
    {
        PARTS = 4
    };
    double values[PARTS + 1], h = (end - start) / PARTS;
    for (int k = 0; k <= PARTS; k++)
        values[k] = extreme_at(sim, probe, k == PARTS ? end : start + k * h);
    for (int k = 0; k <= PARTS; k++)
    {
        bool low = k == 0 || values[k] <= values[k - 1], high = k == PARTS || values[k] <= values[k + 1];
        if (!low || !high || values[k] == INFINITY)
            continue;
        double a = start + (k > 0 ? k - 1 : 0) * h, b = start + (k < PARTS ? k + 1 : PARTS) * h;
        const double golden = 0.6180339887498949;
        double x = b - golden * (b - a), y = a + golden * (b - a);
        double fx = extreme_at(sim, probe, x), fy = extreme_at(sim, probe, y);
        for (int round = 0; round < 40; round++)
        {
            if (fx < fy)
                b = y, y = x, fy = fx, x = b - golden * (b - a), fx = extreme_at(sim, probe, x);
            else
                a = x, x = y, fx = fy, y = a + golden * (b - a), fy = extreme_at(sim, probe, y);
        }
    }
}

kaiStatus record_step(kaiSim* sim, double start, double end)
{
    kaiTag now = sim->now;
    kaiStatus status = probe_inside(sim, start, end);
    for (uint32_t i = 0; i < sim->model->probes_count && sim->watches_extremes; i++)
        if (sim->model->probes[i].kind == PROBE_MIN || sim->model->probes[i].kind == PROBE_MAX)
            extremes_inside(sim, i, start, end);
    if (status == KAI_OK && sim->every > 0 && sim->options.row != NULL)
        status = grid_inside(sim, end);
    if (status == KAI_OK && sim->options.row_gap > 0 && sim->every == 0 && sim->options.row != NULL)
        status = gap_inside(sim, start, end);
    sim->now = now;
    return status;
}

kaiStatus kaiSim_Expect(kaiSim* sim, int index, kaiExpectResult* result)
{
    if (sim == NULL || result == NULL)
        return KAI_ERR_USAGE;
    const kaiModel* model = sim->model;
    if (index < 0 || (uint32_t)index >= model->expectations_count)
        return KAI_ERR_USAGE;
    for (uint32_t i = 0; i < model->probes_count; i++)
    {
        sim->R[model->probes[i].out] = sim->probes[i].value;
        sim->R[model->probes[i].out_present] = sim->probes[i].present;
    }
    kaiStatus status = sim_run_code(sim, model->expect);
    if (status != KAI_OK)
        return status;
    const Expectation* x = &model->expectations[index];
    *result = (kaiExpectResult){.has_target = x->target != NO_REG,
                                .value = sim->R[x->value],
                                .present = sim->R[x->value_present] != 0,
                                .source = model_string(model, x->source),
                                .text = model_string(model, x->text),
                                .place = model_place(model, x->place)};
    if (result->has_target)
    {
        result->target = sim->R[x->target];
        result->within = sim->R[x->within];
        result->passed = result->present && fabs(result->value - result->target) <= result->within;
    }
    else
        result->passed = result->present && result->value != 0;
    return KAI_OK;
}
