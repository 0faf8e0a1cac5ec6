// What a run leaves behind: rows for the caller (rules T4, T5), and the probes of `expect`.
#include "watch/record.h"

#include <math.h>
#include <string.h>

static bool same_time(double a, double b)
{
    return isfinite(a) && fabs(a - b) <= 2e-15 * fmax(fabs(a), fabs(b));
}

// ---- columns
// ---------------------------------------------------------------------------------------------------------

static void add_column(Record* record, uint32_t var)
{
    for (int i = 0; i < record->column_count; i++)
        if (record->column_vars[i] == var)
            return;
    const kaiModel* model = record->model;
    const ModelVar* v = &model->vars[var];
    kaiColumn* column = &record->columns[record->column_count];
    *column = (kaiColumn){.name = model_string(model, v->title),
                          .kind = (kaiColumnKind)v->column,
                          .unit = v->unit != 0 ? model_string(model, v->unit) : NULL};
    if (v->kind == MODEL_MODE)
    {
        const Machine* machine = &model->machines[v->machine];
        column->mode_names = record->mode_names + machine->first_mode;
        column->mode_count = (int)machine->mode_count;
    }
    record->column_vars[record->column_count++] = var;
    for (uint32_t k = 0; k < v->impulse_count; k++)
    {
        record->columns[record->column_count] = (kaiColumn){
            .name = model_string(model, model->impulse_titles[v->first_title + k]), .kind = KAI_COLUMN_REAL};
        record->column_orders[record->column_count] = (uint8_t)(k + 1);
        record->column_vars[record->column_count++] = var;
    }
}

static void keep_register(Record* record, uint32_t reg)
{
    if (reg != NO_REG)
        record->kept[record->kept_count++] = reg;
}

static void list_kept(Record* record)
{
    const kaiModel* model = record->model;
    for (uint32_t i = 0; i < model->vars_count; i++)
    {
        const ModelVar* var = &model->vars[i];
        if (var->hidden || var->kind == MODEL_PARAM)
            continue;
        keep_register(record, var->reg);
        keep_register(record, var->present);
        for (uint32_t k = 0; k < var->impulse_count; k++)
            keep_register(record, var->impulse + k);
    }
    for (uint32_t i = 0; i < model->machines_count; i++)
        keep_register(record, model->machines[i].reg);
}

static void choose_columns(Record* record)
{
    const kaiModel* model = record->model;
    list_kept(record);
    for (uint32_t i = 0; i < model->modes_count; i++)
        record->mode_names[i] = model_string(model, model->modes[i].name);
    bool chosen = record->kernel->options->record != NULL;
    for (int i = 0; chosen && i < record->kernel->options->record_count; i++)
        if (!record->kernel->set[record->kernel->options->record[i]]++)  // named twice: one column
            add_column(record, (uint32_t)record->kernel->options->record[i]);
    memset(record->kernel->set, 0, sizeof *record->kernel->set * model->vars_count);
    for (uint32_t i = 0; i < model->records_count && !chosen; i++)
    {
        const RecordSet* set = &model->records[i];
        for (uint32_t k = 0; k < set->count; k++)
            add_column(record, model->record_vars[set->first + k]);
        if (set->every > 0 && (record->every == 0 || set->every < record->every))
            record->every = set->every;
    }
    if (model->records_count == 0 && !chosen)
        for (uint32_t i = 0; i < model->vars_count; i++)
            if (!model->vars[i].hidden && model->vars[i].kind != MODEL_PARAM)
            {
                record->column_vars[record->column_count] = NO_REG;
                add_column(record, i);
            }
    for (uint32_t i = 0; i < model->probes_count; i++)
        record->watches_extremes |= model->probes[i].kind == PROBE_MIN || model->probes[i].kind == PROBE_MAX;
}

// ---- making and copying
// ----------------------------------------------------------------------------------------------

#define X(...) +1
enum
{
    FIELD_COUNT = (0 RECORD_STATE(X)) + (0 RECORD_ARRAYS(X))
};
#undef X

static void list_fields(Record* record, Field fields[FIELD_COUNT])
{
    const kaiModel* model = record->model;
    Field* f = fields;
#define X(type, name) *f++ = FIELD_PLAIN(record, name);
    RECORD_STATE(X)
#undef X
#define X(type, name, count, saved) *f++ = FIELD_ARRAY(record, name, (count), (saved));
    RECORD_ARRAYS(X)
#undef X
}

bool record_make(Record* record, Kernel* kernel)
{
    Field fields[FIELD_COUNT];
    const kaiModel* model = kernel->model;
    *record = (Record){.model = model, .kernel = kernel, .last_row_t = NAN};
    list_fields(record, fields);
    if (!fields_make(fields, FIELD_COUNT, kernel->options->allocator))
        return false;
    choose_columns(record);
    for (int i = 0; i < record->column_count; i++)
        touch_show(kernel, record->column_vars[i]);
    for (uint32_t i = 0; i < model->probes_count; i++)
        touch_show(kernel, model->probes[i].var);
    touch_shown(kernel);
    return true;
}

void record_free(Record* record)
{
    Field fields[FIELD_COUNT];
    if (record->kernel == NULL)
        return;
    list_fields(record, fields);
    fields_free(fields, FIELD_COUNT, record->kernel->options->allocator);
}

size_t record_save_size(const Record* record)
{
    Field fields[FIELD_COUNT];
    list_fields((Record*)(uintptr_t)record, fields);
    return fields_size(fields, FIELD_COUNT);
}

char* record_save(const Record* record, char* block)
{
    Field fields[FIELD_COUNT];
    list_fields((Record*)(uintptr_t)record, fields);
    return fields_save(fields, FIELD_COUNT, block);
}

const char* record_load(Record* record, const char* block)
{
    Field fields[FIELD_COUNT];
    list_fields(record, fields);
    return fields_load(fields, FIELD_COUNT, block);
}

void record_begin(Record* record)
{
    record->rank = 0;
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

static bool var_present(const Record* record, const ModelVar* var, bool flow)
{
    return present_in(record->model, record->kernel->R, var, flow);
}

static void load_row(const Record* record, bool flow, double* values, uint8_t* present)
{
    for (int i = 0; i < record->column_count; i++)
    {
        const ModelVar* var = &record->model->vars[record->column_vars[i]];
        uint8_t order = record->column_orders[i];
        values[i] = record->kernel->R[order > 0 ? var->impulse + order - 1 : var->reg];
        present[i] = order > 0 ? !flow && values[i] != 0 : var_present(record, var, flow);
    }
}

// The first NaN stops the run and names its operator; it is never carried on.
static kaiStatus check_row(Record* record, bool flow, const double* values, const uint8_t* present)
{
    const kaiModel* model = record->model;
    for (int i = 0; i < record->column_count; i++)
    {
        if (!present[i] || !isnan(values[i]))
            continue;
        Kernel* kernel = record->kernel;
        if (kernel->short_delay > 0 && kernel->short_time == kernel->now.t)
            return delay_fail(kernel, kernel->short_delay - 1, kernel->short_value, kernel->now.t);
        const ModelVar* var = &model->vars[record->column_vars[i]];
        char text[100];
        uint32_t culprit = vm_trace_nan(model, record->kernel->R, flow ? model->flow : model->react, var->reg);
        uint32_t place = model->reg_places[culprit] != 0 ? model->reg_places[culprit] : var->place;
        return kernel_fail(
            record->kernel, place, "check the operands there: 0/0, a root or logarithm of a negative number?",
            "%s is not a number at t = %.17g%s", model_string(model, var->name), record->kernel->now.t,
            vm_say_operator(model, record->kernel->R, flow ? model->flow : model->react, culprit, text, sizeof text));
    }
    return KAI_OK;
}

static kaiStatus send_row(Record* record, kaiTag tag, const double* values, const uint8_t* present)
{
    record->kernel->counters.rows++;
    record->last_row_t = tag.t;
    if (record->kernel->options->row == NULL)
        return KAI_OK;
    kaiRow row = {tag.t, tag.p, tag.m, values, present};
    kaiStatus status = record->kernel->options->row(record->kernel->options->row_user, &row);
    if (status == KAI_ERR_IO)
        record->kernel->failure =
            (kaiError){.status = KAI_ERR_IO, .tag = tag, .message = "the result could not be written"};
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

bool record_var_changed(const Record* record, uint32_t var)
{
    if (!touch_has_var(record->kernel, var))
        return false;
    return differs(record->model, &record->model->vars[var], record->tag_before, record->tag_before_flow,
                   record->tag_last, record->tag_last_flow);
}

static bool anything_changed(const Record* record)
{
    const kaiModel* model = record->model;
    for (TouchWalk w = {0}; touch_next(record->kernel, &record->kernel->touched.vars, model->vars_count, &w);)
        if (!model->vars[w.index].hidden && model->vars[w.index].kind != MODEL_PARAM &&
            record_var_changed(record, w.index))
            return true;
    return false;
}

static void keep_var(const Record* record, uint32_t index, double* to)
{
    const ModelVar* var = &record->model->vars[index];
    to[var->reg] = record->kernel->R[var->reg];
    if (var->present != NO_REG)
        to[var->present] = record->kernel->R[var->present];
    for (uint32_t k = 0; k < var->impulse_count; k++)
        to[var->impulse + k] = record->kernel->R[var->impulse + k];
    for (uint32_t ctx = var->ctx; ctx != 0; ctx = record->model->contexts[ctx].parent)
    {
        uint32_t mode = record->model->machines[record->model->contexts[ctx].machine].reg;
        to[mode] = record->kernel->R[mode];
    }
}

void record_keep(Record* record, uint32_t var)
{
    keep_var(record, var, record->tag_last);
    keep_var(record, var, record->tag_before);
}

void record_again(Record* record)
{
    for (uint32_t i = 0; i < record->kept_count && record->model->fused; i++)
    {
        uint32_t reg = record->kept[i];
        record->tag_last[reg] = record->tag_before[reg] = record->kernel->R[reg];
    }
}

// Keeps what the tag left in the registers that variables show, so that the next one can be compared with it.
static void keep_tag(Record* record, bool flow)
{
    double* older = record->tag_before;
    record->tag_before = record->tag_last;
    record->tag_before_flow = record->tag_last_flow;
    record->tag_last = older;
    record->tag_last_flow = flow;
    for (uint32_t i = 0; i < record->kernel->touched.vars.count; i++)
        keep_var(record, record->kernel->touched.vars.at[i], older);
    for (uint32_t i = 0; i < record->kept_count && record->model->fused; i++)
        older[record->kept[i]] = record->kernel->R[record->kept[i]];
}

// ---- probes
// ----------------------------------------------------------------------------------------------------------

static void take(Record* record, uint32_t probe, bool flow)
{
    const ModelVar* var = &record->model->vars[record->model->probes[probe].var];
    ProbeState* state = &record->probes[probe];
    state->present = var_present(record, var, flow);
    state->value = record->kernel->R[var->reg];
}

static void take_left(Record* record, uint32_t probe, bool flow)
{
    const ModelVar* var = &record->model->vars[record->model->probes[probe].var];
    ProbeState* state = &record->probes[probe];
    state->left_present = var_present(record, var, flow);
    state->left = record->kernel->R[var->reg];
}

static void settle_left(Record* record, uint32_t probe)
{
    ProbeState* state = &record->probes[probe];
    state->present = state->left_present;
    state->value = state->left;
}

static void take_extreme(Record* record, uint32_t probe, bool flow)
{
    const Probe* p = &record->model->probes[probe];
    const ModelVar* var = &record->model->vars[p->var];
    ProbeState* state = &record->probes[probe];
    double value = record->kernel->R[var->reg];
    if (!var_present(record, var, flow))
        return;
    if (!state->present || (p->kind == PROBE_MIN ? value < state->value : value > state->value))
        state->value = value;
    state->present = true;
}

static void take_event(Record* record, uint32_t probe, bool flow)
{
    const Probe* p = &record->model->probes[probe];
    ProbeState* state = &record->probes[probe];
    if (!var_present(record, &record->model->vars[p->var], flow))
    {
        if (p->kind == PROBE_COUNT)
            state->present = true, state->value = (double)state->count;
        return;
    }
    state->count++;
    if (p->kind == PROBE_COUNT)
        state->present = true, state->value = (double)state->count;
    else if ((double)state->count == record->kernel->R[p->index])
    {
        state->present = true;
        state->value = record->kernel->R[p->out] = record->kernel->now.t;  // `at(time_of(…), …)` reads the register
    }
}

static void probe_tag(Record* record, bool flow, bool left)
{
    for (uint32_t i = 0; i < record->model->probes_count; i++)  // first: others may ask for the time of an event
        if (record->model->probes[i].kind == PROBE_TIME_OF && !left)
            take_event(record, i, flow);
    for (uint32_t i = 0; i < record->model->probes_count; i++)
    {
        const Probe* p = &record->model->probes[i];
        switch (p->kind)
        {
        case PROBE_TIME_OF: break;
        case PROBE_MIN:
        case PROBE_MAX: take_extreme(record, i, flow); break;
        case PROBE_FINAL: take(record, i, flow); break;
        case PROBE_COUNT:
            if (!left)
                take_event(record, i, flow);
            break;
        case PROBE_LEFT:
            if (left || flow)  // kept until it is known whether this is the time that was asked for
                take_left(record, i, flow);
            if (same_time(record->kernel->R[p->time], record->kernel->now.t))
                settle_left(record, i);
            break;
        case PROBE_AT:
            if (same_time(record->kernel->R[p->time], record->kernel->now.t))
                take(record, i, flow);
            break;
        default:
            if (same_time(record->kernel->R[p->time], record->kernel->now.t) &&
                record->kernel->R[p->index] == record->rank)
                take(record, i, flow);
            break;
        }
    }
}

// ---- tags
// ------------------------------------------------------------------------------------------------------------

static void keep_pending(Record* record)
{
    load_row(record, true, record->pending_values, record->pending_present);
    record->row_pending = true;
    record->zero_pending = false;
}

// The left limit of the start is recorded only if the start changes something (rule T3), so it and an equal first tag
// wait.
static kaiStatus send_pending(Record* record, bool changed)
{
    kaiStatus status = KAI_OK;
    if (!record->row_pending)
        return status;
    double t = record->kernel->now.t;
    if (changed)
        status = send_row(record, (kaiTag){t, -1, 0}, record->pending_values, record->pending_present);
    if (status == KAI_OK && record->zero_pending)
        status = send_row(record, (kaiTag){t, 0, 0}, record->pending_values, record->pending_present);
    record->row_pending = record->zero_pending = false;
    return status;
}

// The start: its left limit waits (see send_pending), and counts as index 0 only if it will be recorded. *done: nothing
// more to do for this tag.
static void record_start_tag(Record* record, bool left, bool changed, bool* done)
{
    *done = left || (record->row_pending && !changed);
    if (left)
    {
        probe_tag(record, true, true);
        keep_pending(record);
    }
    else if (record->row_pending && !changed)
    {
        probe_tag(record, false, false);  // as index 0, or as index 1 if something changes later
        record->rank = 1;
        probe_tag(record, false, false);
        record->zero_pending = true;
    }
    else if (record->row_pending)
        record->rank = record->zero_pending ? 2 : 1;
}

static kaiStatus record_instant_tag(Record* record, bool left)
{
    bool start = record->kernel->counters.instants <= 1 && record->kernel->now.t == record->kernel->options->start,
         done = false;
    keep_tag(record, left);
    bool compared =
        start || (!left && record->kernel->now.m != 0);  // a tag with m = 0 is recorded whatever it changes (rule T4)
    bool changed = !compared || anything_changed(record);
    if (!left && !changed && record->kernel->now.m != 0)
        return KAI_OK;
    if (start)
        record_start_tag(record, left, changed, &done);
    if (done)
        return KAI_OK;
    probe_tag(record, left, left);
    record->rank++;
    kaiStatus status = send_pending(record, true);
    if (status == KAI_OK)
    {
        load_row(record, left, record->row_values, record->row_present);
        status = check_row(record, left, record->row_values, record->row_present);
    }
    return status == KAI_OK ? send_row(record, record->kernel->now, record->row_values, record->row_present) : status;
}

kaiStatus record_instant_end(Record* record)
{
    for (uint32_t i = 0; record->zero_pending && i < record->model->probes_count; i++)
    {
        const Probe* p = &record->model->probes[i];
        if (p->kind == PROBE_INDEX && record->kernel->R[p->index] == 1 &&
            same_time(record->kernel->R[p->time], record->kernel->now.t))
            record->probes[i].present = false;  // the start has one tag only
    }
    return send_pending(record, false);
}

static bool on_grid(Record* record)
{
    return same_time(record->kernel->options->start + (double)record->grid_index * record->every,
                     record->kernel->now.t);
}

static kaiStatus record_point(Record* record)
{
    bool wanted = record->every == 0 || on_grid(record);
    if ((record->kernel->options->row == NULL || !wanted) && record->model->probes_count == 0)
        return KAI_OK;
    kaiStatus status = touch_rows(record->kernel);
    if (status != KAI_OK)
        return status;
    probe_tag(record, true, false);
    if (!wanted || record->kernel->options->row == NULL)
        return KAI_OK;
    load_row(record, true, record->row_values, record->row_present);
    status = check_row(record, true, record->row_values, record->row_present);
    return status == KAI_OK ? send_row(record, record->kernel->now, record->row_values, record->row_present) : status;
}

kaiStatus record_tag(Record* record, bool instant, bool left)
{
    kaiStatus status = instant ? record_instant_tag(record, left) : record_point(record);
    if (record->every > 0)
        while (record->kernel->options->start + (double)record->grid_index * record->every <=
               record->kernel->now.t + 4e-16 * fabs(record->kernel->now.t))
            record->grid_index++;
    return status;
}

// ---- inside a step
// ---------------------------------------------------------------------------------------------------

static kaiStatus load_inside(Record* record, double t)
{
    touch_moment(record->kernel, t);
    record->kernel->now = (kaiTag){t, 0, 0};
    return touch_rows(record->kernel);
}

static kaiStatus probe_inside(Record* record, double start, double end)
{
    for (uint32_t i = 0; i < record->model->probes_count; i++)
    {
        const Probe* p = &record->model->probes[i];
        if (p->kind != PROBE_AT && p->kind != PROBE_LEFT && p->kind != PROBE_INDEX)
            continue;
        double t = record->kernel->R[p->time];
        if (!(t > start && t < end) || same_time(t, start) || same_time(t, end))
            continue;
        kaiStatus status = load_inside(record, t);
        if (status != KAI_OK)
            return status;
        if (p->kind != PROBE_INDEX || record->kernel->R[p->index] == 0)
            take(record, i, true);
    }
    return KAI_OK;
}

static kaiStatus row_inside(Record* record, double t)
{
    kaiStatus status = load_inside(record, t);
    if (status != KAI_OK)
        return status;
    load_row(record, true, record->row_values, record->row_present);
    status = check_row(record, true, record->row_values, record->row_present);
    return status == KAI_OK ? send_row(record, record->kernel->now, record->row_values, record->row_present) : status;
}

static kaiStatus grid_inside(Record* record, double end)
{
    for (;; record->grid_index++)
    {
        double t = record->kernel->options->start + (double)record->grid_index * record->every;
        if (!(t < end) || same_time(t, end))
            return KAI_OK;
        kaiStatus status = row_inside(record, t);
        if (status != KAI_OK)
            return status;
    }
}

// Rows between the points of the solver for whoever wants to see a curve (kaiSimOptions.row_gap).
static kaiStatus gap_inside(Record* record, double start, double end)
{
    kaiStatus status = KAI_OK;
    double pieces = ceil((end - start) / record->kernel->options->row_gap);
    for (double k = 1; k < pieces && status == KAI_OK; k++)
        status = row_inside(record, start + k / pieces * (end - start));
    return status;
}

// Extremes between the points of the solver: golden section around every sample that is not beaten by a neighbour.
static double extreme_at(Record* record, uint32_t probe, double t)
{
    const Probe* p = &record->model->probes[probe];
    if (load_inside(record, t) != KAI_OK)
        return INFINITY;
    const ModelVar* var = &record->model->vars[p->var];
    if (!var_present(record, var, true))
        return INFINITY;
    take_extreme(record, probe, true);
    return p->kind == PROBE_MIN ? record->kernel->R[var->reg] : -record->kernel->R[var->reg];
}

static void extremes_inside(Record* record, uint32_t probe, double start, double end)
{
    enum
    {
        PARTS = 4
    };
    double values[PARTS + 1], h = (end - start) / PARTS;
    for (int k = 0; k <= PARTS; k++)
        values[k] = extreme_at(record, probe, k == PARTS ? end : start + k * h);
    for (int k = 0; k <= PARTS; k++)
    {
        bool low = k == 0 || values[k] <= values[k - 1], high = k == PARTS || values[k] <= values[k + 1];
        if (!low || !high || values[k] == INFINITY)
            continue;
        double a = start + (k > 0 ? k - 1 : 0) * h, b = start + (k < PARTS ? k + 1 : PARTS) * h;
        const double golden = 0.6180339887498949;
        double x = b - golden * (b - a), y = a + golden * (b - a);
        double fx = extreme_at(record, probe, x), fy = extreme_at(record, probe, y);
        for (int round = 0; round < 40; round++)
        {
            if (fx < fy)
                b = y, y = x, fy = fx, x = b - golden * (b - a), fx = extreme_at(record, probe, x);
            else
                a = x, x = y, fx = fy, y = a + golden * (b - a), fy = extreme_at(record, probe, y);
        }
    }
}

kaiStatus record_step(Record* record, double start, double end)
{
    kaiTag now = record->kernel->now;
    kaiStatus status = probe_inside(record, start, end);
    for (uint32_t i = 0; i < record->model->probes_count && record->watches_extremes; i++)
        if (record->model->probes[i].kind == PROBE_MIN || record->model->probes[i].kind == PROBE_MAX)
            extremes_inside(record, i, start, end);
    if (status == KAI_OK && record->every > 0 && record->kernel->options->row != NULL)
        status = grid_inside(record, end);
    if (status == KAI_OK && record->kernel->options->row_gap > 0 && record->every == 0 &&
        record->kernel->options->row != NULL)
        status = gap_inside(record, start, end);
    record->kernel->now = now;
    return status;
}

kaiStatus record_expect(Record* record, uint32_t index, kaiExpectResult* result)
{
    const kaiModel* model = record->model;
    for (uint32_t i = 0; i < model->probes_count; i++)
    {
        record->kernel->R[model->probes[i].out] = record->probes[i].value;
        record->kernel->R[model->probes[i].out_present] = record->probes[i].present;
    }
    kaiStatus status = kernel_run(record->kernel, model->expect);
    if (status != KAI_OK)
        return status;
    const Expectation* x = &model->expectations[index];
    *result = (kaiExpectResult){.has_target = x->target != NO_REG,
                                .value = record->kernel->R[x->value],
                                .present = record->kernel->R[x->value_present] != 0,
                                .source = model_string(model, x->source),
                                .text = model_string(model, x->text),
                                .place = model_place(model, x->place)};
    if (result->has_target)
    {
        result->target = record->kernel->R[x->target];
        result->within = record->kernel->R[x->within];
        result->passed = result->present && fabs(result->value - result->target) <= result->within;
    }
    else
        result->passed = result->present && result->value != 0;
    return KAI_OK;
}
