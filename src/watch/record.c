// What a run leaves behind: rows for the caller (rules T4, T5), and the probes of `expect`.
#include "kernel/brief.h"
#include "watch/row.h"

#include <math.h>
#include <string.h>

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
        uint32_t title = v->first_title + k, unit = model->impulse_units[title];
        record->columns[record->column_count] = (kaiColumn){.name = model_string(model, model->impulse_titles[title]),
                                                            .kind = KAI_COLUMN_REAL,
                                                            .unit = unit != 0 ? model_string(model, unit) : NULL,
                                                            .impulse = (int)k + 1};
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

// Parts speak for themselves with the signals that they declare: the efforts and flows of the elements inside them are
// recorded by name, or where there is nothing else to show.
static bool shows_inner(const kaiModel* model)
{
    for (uint32_t i = 0; i < model->vars_count; i++)
    {
        const ModelVar* var = &model->vars[i];
        if (!var->hidden && !var->inner && var->kind != MODEL_PARAM && var->kind != MODEL_MODE)
            return false;
    }
    return true;
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
    bool inner = model->records_count == 0 && !chosen && shows_inner(model);
    if (model->records_count == 0 && !chosen)
        for (uint32_t i = 0; i < model->vars_count; i++)
            if (!model->vars[i].hidden && model->vars[i].kind != MODEL_PARAM && (inner || !model->vars[i].inner))
            {
                record->column_vars[record->column_count] = NO_REG;
                add_column(record, i);
            }
}

// What tags are told of. Where instants have no rows, whether a tag changed anything is asked by those who count tags,
// and by those whose variable no row could show.
static void subscribe(Record* record)
{
    const kaiModel* model = record->model;
    probes_subscribe(record);
    record->compares = record->instants;
    for (uint32_t i = 0; i < model->probes_count; i++)
    {
        uint8_t kind = (uint8_t)model->probes[i].kind;
        record->watches_extremes |= kind == PROBE_MIN || kind == PROBE_MAX;
        record->dates_events |= kind == PROBE_TIME_OF;
        record->asks_times |= kind == PROBE_AT || kind == PROBE_LEFT || kind == PROBE_INDEX;
        record->compares |= kind == PROBE_INDEX || model->vars[model->probes[i].var].hidden;
    }
    record->unseen = !record->instants && !record->compares;
    record->kernel->counted = (IndexList){record->asked_present, record->asked_count};
}

static bool is_blind(const Record* record)
{
    const kaiModel* model = record->model;
    bool blind = record->unseen && !record->left_probes;
    for (int i = 0; i < record->column_count; i++)
        blind &= record->column_regs[i] >= model->reg_first[REG_STATE] &&
                 record->column_regs[i] < model->reg_first[REG_VALUE];  // what is assigned is a number
    for (uint32_t i = 0; i < record->asked_count; i++)
        blind &= model->probes[record->asked[i]].kind == PROBE_COUNT &&
                 model->vars[model->probes[record->asked[i]].var].present != NO_REG;
    return blind;
}

// ---- making and copying
// ----------------------------------------------------------------------------------------------

enum
{
    FIELD_COUNT = 0 RECORD_STATE(FIELD_ONE) RECORD_ARRAYS(FIELD_ONE)
};

static void list_fields(Record* owner, Field* f)
{
    const kaiModel* model = owner->model;
    RECORD_STATE(FIELD_PUT_PLAIN)
    RECORD_ARRAYS(FIELD_PUT_ARRAY)
}

static uint32_t list_shown(const Record* record, uint32_t* shown)
{
    const kaiModel* model = record->model;
    uint32_t count = 0;
    for (int i = 0; i < record->column_count; i++)
    {
        shown[count++] = record->column_regs[i];
        shown[count++] = model->vars[record->column_vars[i]].present;
    }
    for (uint32_t i = 0; i < model->probes_count; i++)
    {
        shown[count++] = model->vars[model->probes[i].var].reg;
        shown[count++] = model->vars[model->probes[i].var].present;
    }
    return count;
}

// Whether whoever is told of a tag that nobody sees counts events, or waits for the last one.
static bool only_counts(Record* record)
{
    bool only = true;
    for (uint32_t i = 0; i < record->asked_count; i++)
    {
        uint8_t kind = (uint8_t)record->model->probes[record->asked[i]].kind;
        only &= kind == PROBE_COUNT || kind == PROBE_FINAL;
        record->counts |= kind == PROBE_COUNT;
    }
    return only;
}

// Where most tags have nobody to tell, reactions need not compute what nobody reads.
static bool make_brief(Record* record)
{
    const kaiSimOptions* options = record->kernel->options;
    kaiAllocator a = options->allocator;
    if (!record->unseen || options->fired != NULL || options->balance > 0)
        return true;
    size_t size = sizeof(uint32_t) * 2 * ((size_t)record->column_count + record->model->probes_count + 1);
    uint32_t* shown = a.alloc(a.user, NULL, 0, size);
    if (shown == NULL)
        return false;
    bool made = brief_make(record->kernel, shown, list_shown(record, shown));
    if (made && record->kernel->brief != NULL)
    {
        bool only = only_counts(record);
        made = brief_follow(record->kernel, only, record->counts, record->column_regs, (uint32_t)record->column_count);
    }
    a.alloc(a.user, shown, size, 0);
    return made;
}

bool record_make(Record* record, Kernel* kernel, bool fixed_steps)
{
    Field fields[FIELD_COUNT];
    const kaiModel* model = kernel->model;
    *record = (Record){.model = model, .kernel = kernel, .last_row_t = NAN};
    list_fields(record, fields);
    if (!fields_make(fields, FIELD_COUNT, kernel->options->allocator))
        return false;
    choose_columns(record);
    record->instants = strcmp(kernel->options->events, "off") != 0;
    subscribe(record);
    record->curves = strcmp(kernel->options->rows, "curve") == 0 && !fixed_steps;
    for (int i = 0; i < record->column_count; i++)
    {
        const ModelVar* var = &model->vars[record->column_vars[i]];
        record->column_regs[i] = record->column_orders[i] > 0 ? var->impulse + record->column_orders[i] - 1 : var->reg;
        record->column_plain[i] = record->column_orders[i] == 0 && row_var_always(var) && scale_is_si(var_scale(var));
        record->lows[i] = record->highs[i] = NAN;
    }
    for (int i = 0; i < record->column_count; i++)
        touch_show(kernel, record->column_vars[i]);
    for (uint32_t i = 0; i < model->probes_count; i++)
        touch_show(kernel, model->probes[i].var);
    touch_shown(kernel);
    record->blind = is_blind(record);
    curve_columns(record);
    return make_brief(record);
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

// ---- what a tag has changed
// ------------------------------------------------------------------------------------------

// An event that goes is no change of its own: it was present at its tag and that was recorded.
static bool differs(const kaiModel* model, const ModelVar* var, const double* before, bool before_flow,
                    const double* now, bool now_flow)
{
    bool present = row_present_in(model, now, var, now_flow);
    for (uint32_t k = 0; k < var->impulse_count && !now_flow; k++)
        if (now[var->impulse + k] != 0)
            return true;
    if (var->column == KAI_COLUMN_EVENT)
        return present;
    return present != row_present_in(model, before, var, before_flow) || (present && now[var->reg] != before[var->reg]);
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
    if (!record->compares && record->kernel->counters.instants > 1)  // the start is compared, whoever asks
        return;
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

// ---- tags
// ------------------------------------------------------------------------------------------------------------

static void keep_pending(Record* record)
{
    row_load(record, true, record->pending_values, record->pending_present);
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
    record->row_due |= !record->instants;
    changed &= record->instants;
    record->zero_pending &= record->instants;
    if (changed)
        status = row_send(record, (kaiTag){t, -1, 0}, record->pending_values, record->pending_present);
    if (status == KAI_OK && record->zero_pending)
        status = row_send(record, (kaiTag){t, 0, 0}, record->pending_values, record->pending_present);
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
        probes_tag(record, true, true);
        keep_pending(record);
    }
    else if (record->row_pending && !changed)
    {
        probes_tag(record, false, false);  // as index 0, or as index 1 if something changes later
        record->rank = 1;
        probes_tag(record, false, false);
        record->zero_pending = true;
    }
    else if (record->row_pending)
        record->rank = record->zero_pending ? 2 : 1;
}

// Whether it has to be known what the tag changes.
static bool is_compared(const Record* record, bool start)
{
    return record->compares || start || record->rank >= TAGS_MANY;
}

static bool on_grid(Record* record)
{
    return kernel_same_time(record->kernel, record_grid(record), record->kernel->now.t);
}

// Without rows of instants: whether this one has a row nevertheless, once it is over. The first tag has the time of
// all.
static bool is_row_due(Record* record, bool left)
{
    const kaiSimOptions* options = record->kernel->options;
    double t = record->kernel->now.t;
    return t == options->start || t >= options->stop || (left && record->every > 0 && on_grid(record));
}

__attribute__((noinline)) static kaiStatus fail_unseen(Record* record, bool left)
{
    row_load(record, left, record->row_values, record->row_present);
    return row_check(record, left, record->row_values, record->row_present);
}

// A tag without a row: a NaN ends the run all the same.
static inline kaiStatus check_unseen(Record* record, bool left)
{
    const double* R = record->kernel->R;
    const uint32_t *reg = record->column_regs, *end = reg + record->column_count;
    while (reg < end && !isnan(R[*reg]))
        reg++;
    return reg == end ? KAI_OK : fail_unseen(record, left);
}

static kaiStatus record_instant_tag(Record* record, bool left)
{
    bool start = record->kernel->counters.instants <= 1 && record->kernel->now.t == record->kernel->options->start,
         done = false;
    bool known = is_compared(record, start);
    if (known)
        keep_tag(record, left);
    record->row_due |= !record->instants && is_row_due(record, left);
    bool compared =
        start || (!left && record->kernel->now.m != 0);  // a tag with m = 0 is recorded whatever it changes (rule T4)
    bool changed = !compared || !known || anything_changed(record);
    if (!left && !changed && record->kernel->now.m != 0)
        return KAI_OK;
    if (start)
        record_start_tag(record, left, changed, &done);
    if (done)
        return KAI_OK;
    if (left ? record->left_probes : record->tag_probes)
        probes_tag(record, left, left);
    record->rank++;
    kaiStatus status = record->row_pending ? send_pending(record, true) : KAI_OK;
    if (status != KAI_OK)
        return status;
    return record->instants ? row_now(record, left) : check_unseen(record, left);
}

kaiStatus record_instant_end(Record* record)
{
    if (record->blind && record->kernel->simple && !record->row_due && !record->row_pending && !record->kernel->halted)
        return KAI_OK;  // probes that are asked late are so when somebody wants to know
    for (uint32_t i = 0; record->zero_pending && i < record->model->probes_count; i++)
    {
        const Probe* p = &record->model->probes[i];
        if (p->kind == PROBE_INDEX && record->kernel->R[p->index] == 1 &&
            kernel_same_time(record->kernel, record->kernel->R[p->time], record->kernel->now.t))
            record->probes[i].present = false;  // the start has one tag only
    }
    bool due = record->row_due;
    probes_end(record);
    kaiStatus status = send_pending(record, false);
    record->row_due = false;
    return status == KAI_OK && (due || (!record->instants && record->kernel->halted)) ? row_now(record, false) : status;
}

static kaiStatus record_point(Record* record)
{
    bool wanted = record->every == 0 || on_grid(record);
    if ((record->kernel->options->row == NULL || !wanted) && record->model->probes_count == 0)
        return KAI_OK;
    kaiStatus status = touch_rows(record->kernel);
    if (status != KAI_OK)
        return status;
    probes_tag(record, true, false);
    if (!wanted || record->kernel->options->row == NULL)
        return KAI_OK;
    return row_now(record, true);
}

kaiStatus record_grid_next(Record* record)
{
    double last = record_grid(record);
    record->grid_index++;
    if (!kernel_same_time(record->kernel, last, record_grid(record)))
        return KAI_OK;
    return kernel_fail(record->kernel, 0, "write a longer time after `every`",
                       "rows every %g s are closer together than time can resolve, at t = %.17g", record->every, last);
}

bool record_is_blind(const Record* record, double t)
{
    const Kernel* kernel = record->kernel;
    return record->blind && !record->row_pending && t < kernel->options->stop &&
           !(record->every > 0 && kernel_reached(kernel, record_grid(record), t));
}

double record_unseen_until(const Record* record)
{
    const Kernel* kernel = record->kernel;
    bool sees = record->asks_times || record->watches_extremes || !(record->every > 0);
    if (!record->blind || record->row_pending || record->row_due || sees)
        return -INFINITY;
    double grid = record_grid(record);
    return smaller(grid - 2 * kernel_slack(kernel, grid), kernel->options->stop);
}

void record_count(Record* record)
{
    const double* R = record->kernel->R;
    for (uint32_t i = 0; i < record->asked_count; i++)
    {
        if (R[record->asked_present[i]] == 0)
            continue;
        ProbeState* state = &record->probes[record->asked[i]];
        state->value = (double)++state->count;
    }
}

void record_count_bits(Record* record, uint64_t present)
{
    for (uint32_t i = 0; present != 0; i++, present >>= 1)
        if ((present & 1) != 0)
        {
            ProbeState* state = &record->probes[record->asked[i]];
            state->value = (double)++state->count;
        }
}

// A tag that nobody sees: no row of it is wanted, nothing is compared, and the next row of the grid lies later.
static bool is_unseen(const Record* record, bool left, uint32_t rank)
{
    const Kernel* kernel = record->kernel;
    double t = kernel->now.t;
    return record->unseen && kernel->counters.instants > 1 && rank < TAGS_MANY && !record->row_pending &&
           t < kernel->options->stop && !(left && record->every > 0 && kernel_reached(kernel, record_grid(record), t));
}

bool record_sees(Record* record)
{
    bool unseen = is_unseen(record, true, 0);
    record->left_unseen = unseen ? record->kernel->counters.instants : 0;
    return !unseen;
}

// The tags of an instant are numbered from its left limit on.
static inline bool is_left_unseen(const Record* record)
{
    return record->left_unseen == record->kernel->counters.instants || is_unseen(record, true, 0);
}

static inline void count_unseen(const Record* record, bool unseen)
{
    record->kernel->unseen.tags = unseen && record->rank < TAGS_MANY ? TAGS_MANY - record->rank : 0;
}

void record_begin(Record* record)
{
    record->rank = 0;
    count_unseen(record, is_unseen(record, false, 0));
}

// Of the last values those of the last tag alone are wanted.
kaiStatus record_tags(Record* record, uint32_t tags)
{
    record->rank += tags;
    record->kernel->unseen.tags -= tags;
    if (record->asks_last)
        probes_last(record);
    else
        for (uint32_t i = record->counts ? 0 : tags - 1; i < tags && record->tag_probes; i++)
            probes_tag(record, false, false);
    return check_unseen(record, false);
}

kaiStatus record_tag(Record* record, bool instant, bool left)
{
    record->rank = left ? 0 : record->rank;
    bool unseen = instant && (left ? is_left_unseen(record) : record->kernel->unseen.tags > 0);
    if (unseen)
    {
        if (left ? record->left_probes && !record->asks_last : record->tag_probes)  // tags follow
            probes_tag(record, left, left);
        record->rank++;
        count_unseen(record, true);
        return check_unseen(record, left);
    }
    kaiStatus status = instant ? record_instant_tag(record, left) : record_point(record);
    if (record->every > 0 && (left || !instant))
        while (status == KAI_OK && kernel_reached(record->kernel, record_grid(record), record->kernel->now.t))
            status = record_grid_next(record);
    count_unseen(record, instant && is_unseen(record, false, record->rank));
    return status;
}
