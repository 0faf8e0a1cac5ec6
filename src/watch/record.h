// What a run leaves behind: rows for the caller (rules T4, T5), and the probes of `expect`.
#ifndef KAIROS_WATCH_RECORD_H
#define KAIROS_WATCH_RECORD_H

#include "flow/flow.h"

typedef struct ProbeState
{
    double value;
    bool present;
    double left;  // `left`: the newest left limit
    bool left_present;
    int64_t count;
} ProbeState;

enum
{
    CURVE_DEPTH = 12,  // halvings of a stretch between two rows
    CURVE_ROWS = CURVE_DEPTH + 4,
    TAGS_MANY = 6,  // in one instant: it may turn out to be one without end, whose tags are shown
};

#define RECORD_STATE(X)                                                                                                \
    X(bool, tag_last_flow) /* they were left limits: events absent */                                                  \
    X(bool, tag_before_flow)                                                                                           \
    X(uint32_t, rank)       /* of the next recorded tag at this t (superdense index) */                                \
    X(uint64_t, grid_index) /* next row of `record … every` */                                                       \
    X(uint32_t, halvings)   /* stretches that samples did not resolve, in all */                                       \
    X(bool, row_due)        /* instants have no rows, but this one will have one */                                    \
    X(double, last_row_t)                                                                                              \
    X(bool, row_pending)  /* the left limit of the start, not recorded yet */                                          \
    X(bool, zero_pending) /* and the first tag, equal to it */

// Type, name, elements, how many of them a snapshot holds.
#define RECORD_ARRAYS(X)                                                                                               \
    X(ProbeState, probes, model->probes_count, model->probes_count)                                                    \
    X(bool, probe_late, model->probes_count, 0)        /* taken when an instant is over, not at its tags */            \
    X(uint32_t, asked, model->probes_count, 0)         /* the others */                                                \
    X(uint32_t, asked_present, model->probes_count, 0) /* whether their variables are there */                         \
    X(uint32_t, asked_regs, model->probes_count, 0)    /* and their values */                                          \
    X(double, tag_last, model->saved_count,                                                                            \
      model->saved_count) /* registers as the last tag of an instant left them */                                      \
    X(double, tag_before, model->saved_count, model->saved_count) /* and the tag before it */                          \
    X(uint32_t, kept, 2 * model->vars_count + model->impulse_titles_count + model->machines_count, 0)                  \
    X(kaiColumn, columns, model->vars_count + model->impulse_titles_count, 0)                                          \
    X(uint32_t, column_vars, model->vars_count + model->impulse_titles_count, 0)                                       \
    X(uint32_t, column_regs, model->vars_count + model->impulse_titles_count, 0)                                       \
    X(uint8_t, column_orders, model->vars_count + model->impulse_titles_count, 0)                                      \
    X(bool, column_plain, model->vars_count + model->impulse_titles_count,                                             \
      0) /* a number in SI that is always there */                                                                     \
    X(const char*, mode_names, model->modes_count, 0)                                                                  \
    X(double, row_values, model->vars_count + model->impulse_titles_count, 0)                                          \
    X(uint8_t, row_present, model->vars_count + model->impulse_titles_count, 0)                                        \
    X(double, pending_values, model->vars_count + model->impulse_titles_count,                                         \
      model->vars_count + model->impulse_titles_count)                                                                 \
    X(uint8_t, pending_present, model->vars_count + model->impulse_titles_count,                                       \
      model->vars_count + model->impulse_titles_count)                                                                 \
    X(double, lows, model->vars_count + model->impulse_titles_count,                                                   \
      model->vars_count + model->impulse_titles_count) /* of a column so far, to judge by what is a bend */            \
    X(double, highs, model->vars_count + model->impulse_titles_count, model->vars_count + model->impulse_titles_count) \
    X(uint32_t, arcs, model->vars_count + model->impulse_titles_count, 0) /* columns that are states (curve.c) */      \
    X(double, curve, CURVE_ROWS*(model->vars_count + model->impulse_titles_count), 0)

typedef struct Record
{
    const kaiModel* model;
    Kernel* kernel;
#define X(type, name) type name;
    RECORD_STATE(X)
#undef X
#define X(type, name, count, saved) type* name;
    RECORD_ARRAYS(X)
#undef X
    uint32_t asked_count;  // probes that tags of instants are asked for
    int64_t left_unseen;   // the instant whose left limit nobody sees, as record_sees has found
    bool asks_last;        // all of them want the last value, of what is always there
    uint32_t kept_count;   // registers that variables show
    uint32_t late_count;
    bool left_probes, tag_probes;  // some are asked at left limits, at the other tags of instants
    int column_count;              // order 0: the value; k + 1: the weight of δ⁽ᵏ⁾
    double every;
    const Flow* flow;       // or NULL
    int arc_count;          // -1: some column is neither a state nor still between instants
    bool curves;            // rows where a curve bends
    bool instants;          // tags of instants have rows
    bool compares;          // somebody asks what a tag changed
    bool counts;            // a probe counts events at tags
    bool unseen;            // neither: most tags have nobody to tell
    bool blind;             // and none has: columns are states or memories, probes count events
    bool watches_extremes;  // some probe wants a minimum or maximum
    bool dates_events;      // the time of an event
    bool asks_times;        // a value at a time
} Record;

// The variable of a column, and its order; -1 past the last.
static inline int record_column(const Record* record, int column, int* order)
{
    if (column < 0 || column >= record->column_count)
        return -1;
    *order = record->column_orders[column];
    return (int)record->column_vars[column];
}

bool record_make(Record* record, Kernel* kernel, bool fixed_steps);
void record_free(Record* record);
size_t record_save_size(const Record* record);
char* record_save(const Record* record, char* block);
const char* record_load(Record* record, const char* block);

void record_begin(Record* record);                              // a new t
kaiStatus record_tag(Record* record, bool instant, bool left);  // a tag of an instant, or a solver point
bool record_is_blind(const Record* record, double t);           // no tag at t has anybody to tell, but for record_count
// Before this time record_is_blind and record_step find nothing to do; -inf: they must be asked.
double record_unseen_until(const Record* record);
bool record_sees(Record* record);                      // values of a left limit that no column has
kaiStatus record_tags(Record* record, uint32_t tags);  // so many tags that nobody sees
void record_count(Record* record);                     // events that are present at a tag
// Of a lean instant: the bits of those that are present at a tag.
void record_count_bits(Record* record, uint64_t present);
kaiStatus record_step(Record* record, double start, double end);  // probes and grid rows inside
void record_settled(Record* record);  // a set of modes is to be committed: its values count as extremes
bool record_var_changed(const Record* record, uint32_t var);  // by the last tag: tag_before against tag_last
kaiStatus record_instant_end(Record* record);
void record_again(Record* record);  // tags of an instant go on a few ulp later: what drifted meanwhile is no change
void record_keep(Record* record, uint32_t var);  // a variable is touched: what it was before
kaiStatus record_expect(Record* record, uint32_t index, kaiExpectResult* result);

#endif
