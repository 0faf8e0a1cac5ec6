// What record.c, probe.c, inside.c and curve.c share: one row, one probe.
#ifndef KAIROS_WATCH_ROW_H
#define KAIROS_WATCH_ROW_H

#include "watch/record.h"

// The next row of `record … every`.
static inline double record_grid(const Record* record)
{
    return record->kernel->options->start + (double)record->grid_index * record->every;
}
kaiStatus record_grid_next(Record* record);  // fails where its times cannot be told apart

// row.c. Presence by the registers R of some tag; `flow`: a left limit or a point of the solver, where events are
// absent.
bool row_present_in(const kaiModel* model, const double* R, const ModelVar* var, bool flow);
static inline bool row_var_always(const ModelVar* var)
{
    return var->present == NO_REG && var->ctx == 0 && var->column != KAI_COLUMN_EVENT;
}
static inline bool row_var_present(const Record* record, const ModelVar* var, bool flow)
{
    return row_var_always(var) || row_present_in(record->model, record->kernel->R, var, flow);
}
// False: some value is not a number, be it present or not.
bool row_load(const Record* record, bool flow, double* values, uint8_t* present);
kaiStatus row_check(Record* record, bool flow, const double* values, const uint8_t* present);
kaiStatus row_send(Record* record, kaiTag tag, const double* values, const uint8_t* present);
kaiStatus row_now(Record* record, bool flow);  // the row of where the run stands: loaded, checked, sent

// probe.c
void probes_subscribe(Record* record);  // before the run: which want to hear what
void probes_tag(Record* record, bool flow, bool left);
static inline void probes_last(Record* record)  // all want the last value
{
    for (uint32_t k = 0; k < record->asked_count; k++)
    {
        ProbeState* state = &record->probes[record->asked[k]];
        state->present = true;
        state->value = record->kernel->R[record->asked_regs[k]];
    }
}
void probes_end(Record* record);  // an instant is over
void probe_take(Record* record, uint32_t probe, bool flow);
void probe_take_extreme(Record* record, uint32_t probe, bool flow);

// inside.c: values at t, between two times at which something is due.
kaiStatus inside_load(Record* record, double t, bool end);  // `end`: of the stretch
// The place in [start, end] of the share u: not evenly, so that nothing periodic hides between samples.
static inline double inside_place(double start, double end, double u)
{
    return start + (end - start) * (u + 0.13 * u * (1 - u));
}

// What is this small is 0 where nothing is known about its size.
static inline double inside_nothing(const Record* record)
{
    const kaiSimOptions* options = record->kernel->options;
    return 1000 * (options->atol > 0 ? options->atol : options->rtol / 100);
}

// curve.c: rows where a curve bends, so that straight lines between rows show it.
kaiStatus curve_inside(Record* record, double start, double end);
void curve_columns(Record* record);  // once: which columns are states

#endif
