// One row: the values of the columns where the run stands, and what they may not be.
#include "watch/row.h"

#include <math.h>
#include <string.h>

static bool ctx_active_in(const kaiModel* model, const double* R, uint32_t ctx)
{
    for (; ctx != 0; ctx = model->contexts[ctx].parent)
        if (R[model->machines[model->contexts[ctx].machine].reg] != model->contexts[ctx].mode)
            return false;
    return true;
}

bool row_present_in(const kaiModel* model, const double* R, const ModelVar* var, bool flow)
{
    if (var->column == KAI_COLUMN_EVENT && flow)
        return false;
    if (var->present != NO_REG)
        return R[var->present] != 0;
    return var->ctx == 0 || ctx_active_in(model, R, var->ctx);
}

bool row_load(const Record* record, bool flow, double* values, uint8_t* present)
{
    bool sound = true;
    for (int i = 0; i < record->column_count; i++)
    {
        values[i] = record->kernel->R[record->column_regs[i]];
        if (record->column_plain[i])
        {
            present[i] = true;
            sound &= !isnan(values[i]);
            continue;
        }
        const ModelVar* var = &record->model->vars[record->column_vars[i]];
        uint8_t order = record->column_orders[i];
        present[i] = order > 0 ? !flow && values[i] != 0 : row_var_present(record, var, flow);
        sound &= !isnan(values[i]);
        Scale si = var_scale(var);
        if (!scale_is_si(si))
            values[i] = order > 0 ? scale_difference(si, values[i]) : scale_from_si(si, values[i]);
    }
    return sound;
}

// Left of this time the operand grows beyond all bounds, and the operator swings with it (paper 000, Fig. 17).
static bool is_endless(const Kernel* kernel, const char* operator)
{
    bool swings = strncmp(operator, ": sin(", 6) == 0 || strncmp(operator, ": cos(", 6) == 0 ||
                  strncmp(operator, ": tan(", 6) == 0;
    return kernel->now.p < 0 && swings && strstr(operator, "inf)") != NULL;
}

static kaiStatus fail_endless(Kernel* kernel, uint32_t place, const char* name, const char* operator)
{
    return kernel_fail(
        kernel, place, "end the run before it, or give the signal another value from a time before it on",
        "%s has no left limit at t = %.17g%s: it swings without end before that time, ever faster, which "
        "is Zeno without any event",
        name, kernel->now.t, operator);
}

// The first NaN stops the run and names its operator; it is never carried on.
kaiStatus row_check(Record* record, bool flow, const double* values, const uint8_t* present)
{
    const kaiModel* model = record->model;
    for (int i = 0; i < record->column_count; i++)
    {
        if (!present[i] || !isnan(values[i]))
            continue;
        Kernel* kernel = record->kernel;
        if (kernel->short_delay.number > 0 && kernel->short_delay.time == kernel->now.t)
            return delay_fail(kernel, kernel->short_delay.number - 1, kernel->short_delay.value, kernel->now.t);
        const ModelVar* var = &model->vars[record->column_vars[i]];
        char text[100];
        uint32_t culprit = vm_trace_nan(model, record->kernel->R, flow ? model->flow : model->react, var->reg);
        uint32_t place = model->reg_places[culprit] != 0 ? model->reg_places[culprit] : var->place;
        const char* said =
            vm_say_operator(model, record->kernel->R, flow ? model->flow : model->react, culprit, text, sizeof text);
        if (is_endless(record->kernel, said))
            return fail_endless(record->kernel, place, model_string(model, var->name), said);
        return kernel_fail(
            record->kernel, place, "check the operands there: 0/0, a root or logarithm of a negative number?",
            "%s is not a number at t = %.17g%s", model_string(model, var->name), record->kernel->now.t, said);
    }
    return KAI_OK;
}

kaiStatus row_send(Record* record, kaiTag tag, const double* values, const uint8_t* present)
{
    Kernel* kernel = record->kernel;
    uint64_t most = kernel->options->limits.rows;
    if (most > 0 && (uint64_t)kernel->counters.rows >= most)
        return kernel_exceed(kernel, most, "rows");
    if (!budget_look_inside(kernel->budget))
        return kernel_stop(kernel);
    kernel->counters.rows++;
    record->last_row_t = tag.t;
    if (kernel->options->row == NULL)
        return KAI_OK;
    kaiRow row = {tag.t, tag.p, tag.m, values, present};
    kaiStatus status = kernel->options->row(kernel->options->row_user, &row);
    if (status == KAI_ERR_IO)
        kernel->failure = (kaiError){.status = KAI_ERR_IO, .tag = tag, .message = "the result could not be written"};
    return status;
}

kaiStatus row_now(Record* record, bool flow)
{
    bool sound = row_load(record, flow, record->row_values, record->row_present);
    kaiStatus status = sound ? KAI_OK : row_check(record, flow, record->row_values, record->row_present);
    return status == KAI_OK ? row_send(record, record->kernel->now, record->row_values, record->row_present) : status;
}
