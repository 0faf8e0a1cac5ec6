// What `expect` asks of a run: values at times, extremes, events, taken as tags and points of the solver pass.
#include "kernel/bonds.h"
#include "watch/row.h"

#include <math.h>

void probe_take(Record* record, uint32_t probe, bool flow)
{
    const ModelVar* var = &record->model->vars[record->model->probes[probe].var];
    ProbeState* state = &record->probes[probe];
    state->present = row_var_present(record, var, flow);
    state->value = record->kernel->R[var->reg];
}

static void take_left(Record* record, uint32_t probe, bool flow)
{
    const ModelVar* var = &record->model->vars[record->model->probes[probe].var];
    ProbeState* state = &record->probes[probe];
    state->left_present = row_var_present(record, var, flow);
    state->left = record->kernel->R[var->reg];
}

static void settle_left(Record* record, uint32_t probe)
{
    ProbeState* state = &record->probes[probe];
    state->present = state->left_present;
    state->value = state->left;
}

void probe_take_extreme(Record* record, uint32_t probe, bool flow)
{
    const Probe* p = &record->model->probes[probe];
    const ModelVar* var = &record->model->vars[p->var];
    ProbeState* state = &record->probes[probe];
    double value = record->kernel->R[var->reg];
    if (!row_var_present(record, var, flow))
        return;
    if (!state->present || (p->kind == PROBE_MIN ? value < state->value : value > state->value))
        state->value = value;
    state->present = true;
}

static void take_event(Record* record, uint32_t probe, bool flow)
{
    const Probe* p = &record->model->probes[probe];
    ProbeState* state = &record->probes[probe];
    if (!row_var_present(record, &record->model->vars[p->var], flow))
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

void probes_tag(Record* record, bool flow, bool left)
{
    if (record->asks_last && (left || !flow))
    {
        probes_last(record);
        return;
    }
    // First: others may ask for the time of an event.
    for (uint32_t i = 0; i < record->model->probes_count && record->dates_events && !left; i++)
        if (record->model->probes[i].kind == PROBE_TIME_OF)
            take_event(record, i, flow);
    bool point = flow && !left;  // of the solver: what instants need not be asked is asked here
    for (uint32_t k = 0; k < (point ? record->model->probes_count : record->asked_count); k++)
    {
        uint32_t i = point ? k : record->asked[k];
        const Probe* p = &record->model->probes[i];
        switch (p->kind)
        {
        case PROBE_TIME_OF: break;
        case PROBE_MIN:
        case PROBE_MAX:
            if (record->kernel->bonds == NULL || !record->kernel->bonds->trying)
                probe_take_extreme(record, i, flow);
            break;
        case PROBE_FINAL: probe_take(record, i, flow); break;
        case PROBE_COUNT:
            if (!left)
                take_event(record, i, flow);
            break;
        case PROBE_LEFT:
            if (left || flow)  // kept until it is known whether this is the time that was asked for
                take_left(record, i, flow);
            if (kernel_same_time(record->kernel, record->kernel->R[p->time], record->kernel->now.t))
                settle_left(record, i);
            break;
        case PROBE_AT:
            if (kernel_same_time(record->kernel, record->kernel->R[p->time], record->kernel->now.t))
                probe_take(record, i, flow);
            break;
        default:
            if (kernel_same_time(record->kernel, record->kernel->R[p->time], record->kernel->now.t) &&
                record->kernel->R[p->index] == record->rank)
                probe_take(record, i, flow);
            break;
        }
    }
}

// The last value of what is remembered: the registers have it when the instant is over, and no tag need be asked.
static bool is_late(const Record* record, const Probe* p)
{
    const kaiModel* model = record->model;
    const ModelVar* var = &model->vars[p->var];
    bool kept = var->reg >= model->reg_first[REG_STATE] && var->reg < model->reg_first[REG_VALUE];
    return p->kind == PROBE_FINAL && kept && var->present == NO_REG && var->column != KAI_COLUMN_EVENT &&
           record->kernel->bonds == NULL;
}

void probes_subscribe(Record* record)
{
    record->asks_last = true;
    for (uint32_t i = 0; i < record->model->probes_count; i++)
    {
        const Probe* p = &record->model->probes[i];
        record->late_count += record->probe_late[i] = is_late(record, p);
        if (!record->probe_late[i])
        {
            const ModelVar* var = &record->model->vars[p->var];
            record->asks_last &= p->kind == PROBE_FINAL && row_var_always(var);
            record->asked_present[record->asked_count] = var->present;
            record->asked_regs[record->asked_count] = var->reg;
            record->asked[record->asked_count++] = i;
        }
        record->tag_probes |= !record->probe_late[i];
        record->left_probes |= !record->probe_late[i] && p->kind != PROBE_COUNT && p->kind != PROBE_TIME_OF;
    }
}

void probes_end(Record* record)
{
    for (uint32_t i = 0; i < record->model->probes_count && record->late_count > 0; i++)
        if (record->probe_late[i] && touch_var(record->kernel, record->model->probes[i].var) == KAI_OK)
            probe_take(record, i, false);
}

// Values that were only tried have a row, and are no extremes.
void record_settled(Record* record)
{
    for (uint32_t i = 0; i < record->model->probes_count; i++)
        if (record->model->probes[i].kind == PROBE_MIN || record->model->probes[i].kind == PROBE_MAX)
            probe_take_extreme(record, i, false);
}

// Instants that nobody saw have left the last values in the registers.
static void take_late(Record* record)
{
    for (uint32_t i = 0; i < record->model->probes_count; i++)
        if (record->probe_late[i] && touch_var(record->kernel, record->model->probes[i].var) == KAI_OK)
            probe_take(record, i, false);
}

kaiStatus record_expect(Record* record, uint32_t index, kaiExpectResult* result)
{
    const kaiModel* model = record->model;
    if (record->blind && record->kernel->simple)
        take_late(record);
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
                                .unit = x->unit != 0 ? model_string(model, x->unit) : NULL,
                                .place = model_place(model, x->place)};
    Scale si = {x->scale, x->offset};
    if (x->measured)
        result->value = scale_from_si(si, result->value);
    else if (result->has_target)
    {
        result->target = record->kernel->R[x->target];
        result->within = record->kernel->R[x->within];
        result->passed = result->present && fabs(result->value - result->target) <= result->within;
        result->value = scale_from_si(si, result->value);
        result->target = scale_from_si(si, result->target);
        result->within = scale_difference(si, result->within);
    }
    else
        result->passed = result->present && result->value != 0;
    return KAI_OK;
}
