// Short programs for instants of circuits that nobody looks at. A reaction of a bond graph computes every effort and
// flow of every part, and it runs several times at an instant, once for each set of modes that is tried; what the
// kernel reads of it is little: what guards, reactions and memories compare, the inputs of the graph. So the programs
// are cut down to that and to what rows and probes show, once, when the run is made. Where a tag is looked at, the
// whole reaction runs again before: it is a function of registers that have not changed since.
#include "kernel/brief.h"

#include "kernel/bonds.h"
#include "kernel/course.h"
#include "kernel/scene.h"
#include "model/code.h"
#include "model/fields.h"

#include <string.h>

static void need(uint8_t* needed, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; first != NO_REG && i < count; i++)
        needed[first + i] = 1;
}

// All registers that a record of a table names.
static void need_record(const ModelTable* table, const char* record, uint8_t* needed)
{
    for (uint32_t k = 0; k < table->field_count; k++)
    {
        const ModelField* field = &table->fields[k];
        if (!field_is_register(field))
            continue;
        uint32_t count = field->role == ROLE_REGS || field->role == ROLE_REGS_SQUARE ? field_other(record, field) : 1;
        need(needed, field_get(record, field), field->role == ROLE_REGS_SQUARE ? count * count : count);
    }
}

static void need_table(const kaiModel* model, const ModelTable* table, uint8_t* needed)
{
    const char* record = table_at(model, table);
    for (uint32_t i = 0; i < table_count(model, table); i++, record += table->size)
        need_record(table, record, needed);
}

// Whether something reacts in a mode of a junction, so that it is asked whether that mode is left.
static bool has_inner_reactions(const kaiModel* model)
{
    bool inner = false;
    for (uint32_t i = 0; i < model->when_count + model->machines_count && !inner; i++)
    {
        uint32_t ctx = i < model->when_count ? model->reactions[i].ctx : model->machines[i - model->when_count].ctx;
        for (; ctx != 0 && !inner; ctx = model->contexts[ctx].parent)
            inner = model->machines[model->contexts[ctx].machine].junction;
    }
    return inner;
}

// Reactions, but for the transitions that a sign decides: nobody asks whether their guards hold.
static void need_reactions(const kaiModel* model, uint8_t* needed)
{
    const ModelTable* table = &model_tables[ARRAY_reactions];
    const char* records = table_at(model, table);
    bool inner = has_inner_reactions(model) || model->when_count + model->transitions_count != model->reactions_count;
    if (inner)
        need_table(model, table, needed);
    for (uint32_t i = 0; i < model->when_count; i++)
        need_record(table, records + (size_t)i * table->size, needed);
    for (uint32_t i = 0; i < model->transitions_count; i++)
        if (model->transitions[i].one_way == 0 || !model->transitions[i].posterior)
            need_record(table, records + (size_t)model->transitions[i].reaction * table->size, needed);
}

// Of a variable only that an event is there.
static void need_events(const kaiModel* model, uint8_t* needed)
{
    for (uint32_t i = 0; i < model->vars_count; i++)
    {
        const ModelVar* var = &model->vars[i];
        if (var->column != KAI_COLUMN_EVENT)
            continue;
        need(needed, var->reg, 1);
        need(needed, var->present, 1);
    }
}

// What programs read that others have computed. Guards may share one program.
static void need_read(const kaiModel* model, uint32_t* seen, uint8_t* needed)
{
    uint32_t last = 0;
    for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
        for (uint32_t k = 0; k < model_tables[t].field_count; k++)
        {
            const ModelTable* table = &model_tables[t];
            const char* record = table_at(model, table);
            CodeRange range, before = {0, 0};
            if (table->fields[k].role != ROLE_CODE)
                continue;
            for (uint32_t i = 0; i < table_count(model, table); i++, record += table->size)
            {
                memcpy(&range, record + table->fields[k].offset, sizeof range);
                if (range.start != before.start || range.end != before.end)
                    slice_mark_read(model, range, seen, &last, needed);
                before = range;
            }
        }
}

// For the reaction: all that is no variable. For the left limit: what memories take from it.
void brief_need_react(const kaiModel* model, uint8_t* needed)
{
    for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
        if (t != ARRAY_vars && t != ARRAY_reactions)
            need_table(model, &model_tables[t], needed);
    need_reactions(model, needed);
    need_events(model, needed);
}

// For a set of modes that is tried: what the graph is given, and the guards of junctions that no sign decides.
static void need_attempt(const kaiModel* model, uint8_t* needed)
{
    need_table(model, &model_tables[ARRAY_bond_inputs], needed);
    need_table(model, &model_tables[ARRAY_bond_parts], needed);
    need_events(model, needed);
    for (uint32_t i = 0; i < model->transitions_count; i++)
        if (model->transitions[i].one_way == 0 && model->transitions[i].posterior)
            need(needed, model->reactions[model->transitions[i].reaction].fire, 1);
}

static void need_flow(const kaiModel* model, uint8_t* needed)
{
    need_table(model, &model_tables[ARRAY_memories], needed);
    need_table(model, &model_tables[ARRAY_guards], needed);
}

// For the left limit of guards: what they compare. A slope is asked of those that cross, and of guards of time.
void brief_need_guards(const kaiModel* model, uint8_t* needed)
{
    for (uint32_t i = 0; i < model->guards_count; i++)
    {
        need(needed, model->guards[i].argument, 1);
        need(needed, model->guards[i].time_only ? model->guards[i].slope : NO_REG, 1);
    }
}

void brief_need_armed(const kaiModel* model, uint8_t* needed)
{
    need_table(model, &model_tables[ARRAY_guards], needed);
}

Slice* brief_of_modes(Kernel* kernel, CodeRange program)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    size_t size = (sizeof(uint32_t) + 1) * ((size_t)model->reg_count + 1);
    uint32_t* seen = a.alloc(a.user, NULL, 0, size);
    if (seen == NULL)
        return NULL;
    memset(seen, 0, size);
    uint8_t* needed = (uint8_t*)(seen + model->reg_count + 1);
    need_read(model, seen, needed);
    brief_need_react(model, needed);
    need_table(model, &model_tables[ARRAY_reactions], needed);  // no sign decides any of them here
    Slice* slice = slice_make(model, program, kernel->R, needed, a);
    if (slice != NULL)
        slice_order(slice, model, a);
    a.alloc(a.user, seen, size, 0);
    return slice;
}

// Models in which the states change between a reaction and its tag are left alone.
static bool is_possible(const Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    return kernel->bonds != NULL && model->fused && model->now_states_count == 0 && model->carried_count == 0 &&
           model->delays_count == 0 && !kernel_numeric(kernel) && kernel->policy != CHOICE_ALL &&
           slice_is_possible(model, model->react) && slice_is_possible(model, model->flow) &&
           slice_is_possible(model, model->events);
}

static bool cut_all(Kernel* kernel, const uint8_t* read, uint8_t* needed)
{
    const kaiModel* model = kernel->model;
    void (*const roots[])(const kaiModel*, uint8_t*) = {brief_need_react, need_flow, need_attempt, brief_need_guards};
    const CodeRange ranges[] = {model->react, model->flow, model->react, model->events};
    Slice** made[] = {&kernel->brief->react, &kernel->brief->flow, &kernel->brief->attempt, &kernel->brief->events};
    bool all = true;
    for (int i = 0; i < 4 && all; i++)
    {
        memcpy(needed, read, model->reg_count);
        roots[i](model, needed);
        *made[i] = slice_make(model, ranges[i], NULL, needed, kernel->options->allocator);
        all = *made[i] != NULL;
    }
    return all;
}

// ---- what is steady

// What changes while sets of modes are tried, but for states.
static void mark_tried(const Kernel* kernel, uint8_t* changes)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < model->machines_count; i++)
        if (model->machines[i].junction)
            changes[model->machines[i].reg] = 1;
    for (uint32_t i = 0; i < model->bond_outputs_count; i++)
    {
        need(changes, model->bond_outputs[i].row, model->bond_outputs[i].column_count);
        need(changes, model->bond_outputs[i].area, 1);
    }
    for (uint32_t i = 0; i < model->committed_count; i++)
        changes[model->committed[i].target] = 1;
}

static bool reads_any(const kaiModel* model, const Slice* slice, const uint8_t* changes)
{
    CodeItem item;
    bool any = false;
    for (uint32_t at = 0; at < slice->count && code_item(slice->words, at, slice->count, &item); at += item.words)
        for (uint32_t i = 0; i < item.reg_count; i++)
        {
            uint32_t k = item.stride > 0 ? i % item.stride : 1;
            uint32_t reg = slice->words[item.first_reg + i];
            uint32_t width = (item.op == VM_ROW || item.op == VM_ROW_SIZE) && (k == 1 || k == 2)
                                 ? vm_constant(model, slice->words[item.first_reg + i - k + 3])
                                 : 1;
            for (uint32_t w = 0; w < width && k > 0; w++)
                any |= changes[reg + w] != 0;
        }
    return any;
}

static bool sources_stay(Kernel* kernel, uint8_t* changes, uint8_t* needed, bool* made)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    memset(needed, 0, model->reg_count);
    for (uint32_t i = 0; i < model->bond_systems_count; i++)
        for (uint32_t k = 0; k < model->bond_systems[i].input_count; k++)
        {
            const BondInput* input = &model->bond_inputs[model->bond_systems[i].first_input + k];
            bool stores = model->bond_parts[model->bond_systems[i].first_part + input->node].state != NO_REG;
            need(needed, stores ? NO_REG : input->value, 1);
            need(needed, input->slope, 1);
            need(needed, input->impulse, 1);
        }
    Slice* slice = slice_make(model, model->react, NULL, needed, a);
    *made = slice != NULL;
    memset(changes + model->reg_first[REG_STATE], 1, model->state_count);
    bool stay = *made && !reads_any(model, slice, changes);
    slice_free(slice, a);
    return stay;
}

// The registers that the attempt writes. False: some of them are more than values.
static bool list_written(Kernel* kernel)
{
    const Slice* slice = kernel->brief->attempt;
    CodeItem item;
    bool values = true;
    for (uint32_t at = 0; at < slice->count && code_item(slice->words, at, slice->count, &item); at += item.words)
        for (uint32_t i = 0; item.stride > 0 && i < item.reg_count; i += item.stride)
        {
            uint32_t reg = slice->words[item.first_reg + i];
            values &= reg >= kernel->model->reg_first[REG_VALUE];
            kernel->brief->written[kernel->brief->written_count++] = reg;
        }
    return values;
}

// And sources never have impulses.
static bool is_linear(const kaiModel* model)
{
    bool linear = true;
    for (uint32_t i = 0; i < model->bond_parts_count && linear; i++)
        linear = !model->bond_parts[i].free && !model->bond_parts[i].steps;
    for (uint32_t i = 0; i < model->bond_inputs_count && linear; i++)
        linear = model->bond_inputs[i].impulse == NO_REG;
    return linear;
}

static size_t written_size(const Brief* brief)
{
    return (sizeof(uint32_t) + sizeof(double)) * ((size_t)brief->attempt->count + 1);
}

// `work`: two numbers per register. False: no memory.
static bool find_steady(Kernel* kernel, uint8_t* work)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    bool made = true;
    memset(work, 0, model->reg_count);
    mark_tried(kernel, work);
    bool steady = is_linear(model) && !reads_any(model, kernel->brief->attempt, work);
    for (uint32_t i = 0; i < model->probes_count; i++)
        steady &= work[model->vars[model->probes[i].var].reg] == 0;
    if (!steady || !sources_stay(kernel, work, work + model->reg_count + 1, &made))
        return made;
    kernel->brief->kept = a.alloc(a.user, NULL, 0, written_size(kernel->brief));
    if (kernel->brief->kept == NULL)
        return false;
    kernel->brief->written = (uint32_t*)(kernel->brief->kept + kernel->brief->attempt->count + 1);
    kernel->bonds->steady = list_written(kernel);
    return true;
}

bool brief_make(Kernel* kernel, const uint32_t* shown, uint32_t count)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    size_t size = (sizeof(uint32_t) + 3) * ((size_t)model->reg_count + 1);
    if (!is_possible(kernel))
        return true;
    uint32_t* seen = a.alloc(a.user, NULL, 0, size);
    kernel->brief = a.alloc(a.user, NULL, 0, sizeof *kernel->brief);
    if (kernel->brief != NULL)
        *kernel->brief = (Brief){.stale = true};
    bool made = false;
    if (seen != NULL && kernel->brief != NULL)
    {
        memset(seen, 0, size);
        uint8_t* read = (uint8_t*)(seen + model->reg_count + 1);
        for (uint32_t i = 0; i < count; i++)
            need(read, shown[i], 1);
        for (uint32_t i = 0; i < kernel->bonds->other_count; i++)
            need(read, kernel->bonds->impulses[i], 1);
        need_read(model, seen, read);
        kernel->brief->read = a.alloc(a.user, NULL, 0, model->reg_count);
        if (kernel->brief->read != NULL)
            memcpy(kernel->brief->read, read, model->reg_count);
        made = kernel->brief->read != NULL && scene_serves_modes(kernel, &kernel->brief->unmoved) &&
               cut_all(kernel, read, read + model->reg_count + 1) && find_steady(kernel, read + model->reg_count + 1);
    }
    if (seen != NULL)
        a.alloc(a.user, seen, size, 0);
    return made;
}

bool brief_follow(Kernel* kernel, bool only, bool counts, const uint32_t* columns, uint32_t column_count)
{
    const Bonds* bonds = kernel->bonds;
    kernel->brief->follows = only && bonds->steady && bonds->count == 1 && bonds->other_count == 0;
    kernel->brief->circuit = circuit_is(kernel);
    return !kernel->brief->circuit || (circuit_list(kernel) && course_make(kernel, counts, columns, column_count));
}

void brief_free(Kernel* kernel)
{
    kaiAllocator a = kernel->options->allocator;
    if (kernel->brief == NULL)
        return;
    if (kernel->brief->kept != NULL)
        a.alloc(a.user, kernel->brief->kept, written_size(kernel->brief), 0);
    brief_sets_free(kernel);
    circuit_forget(kernel);
    course_free(kernel);
    if (kernel->brief->read != NULL)
        a.alloc(a.user, kernel->brief->read, kernel->model->reg_count, 0);
    slice_free(kernel->brief->react, a);
    slice_free(kernel->brief->flow, a);
    slice_free(kernel->brief->attempt, a);
    slice_free(kernel->brief->events, a);
    a.alloc(a.user, kernel->brief, sizeof *kernel->brief, 0);
    kernel->brief = NULL;
}

// Committed values, before the first attempt writes over them.
static void keep_written(Kernel* kernel)
{
    Brief* brief = kernel->brief;
    for (uint32_t i = 0; i < brief->written_count && !brief->kept_some; i++)
        brief->kept[i] = kernel->R[brief->written[i]];
    brief->kept_some = true;
}

kaiStatus brief_try(Kernel* kernel)
{
    if (kernel->brief == NULL)
        return kernel_run(kernel, kernel->model->react);
    kernel->brief->used = true;
    if (kernel->bonds->later)
        keep_written(kernel);
    slice_run(kernel->brief->attempt, kernel->model, kernel->R, &kernel->host);
    return KAI_OK;
}

kaiStatus brief_react(Kernel* kernel)
{
    if (kernel->brief == NULL)
        return kernel_run(kernel, kernel->model->react);
    kernel->brief->used = true;
    const BriefSet* set = brief_set(kernel);
    if (set != NULL)
        brief_react_set(kernel, set);
    else
        slice_run(kernel->brief->react, kernel->model, kernel->R, &kernel->host);
    return KAI_OK;
}

void brief_begin(Kernel* kernel)
{
    kernel->brief->kept_all = kernel->brief->kept_some = false;
}

void brief_restore(Kernel* kernel)
{
    Brief* brief = kernel->brief;
    uint32_t first = kernel->model->reg_first[REG_VALUE];
    if (brief->kept_all)
        memcpy(kernel->R + first, kernel->bonds->values, sizeof(double) * (kernel->model->reg_count - first));
    for (uint32_t i = 0; i < brief->written_count && brief->kept_some; i++)
        kernel->R[brief->written[i]] = brief->kept[i];
}

kaiStatus brief_whole(Kernel* kernel)
{
    Brief* brief = kernel->brief;
    Bonds* bonds = kernel->bonds;
    if (brief == NULL || !brief->used)
        return KAI_OK;
    if (bonds->later)
    {
        uint32_t first = kernel->model->reg_first[REG_VALUE];
        if (!brief->kept_all)
            memcpy(bonds->values, kernel->R + first, sizeof(double) * (kernel->model->reg_count - first));
        brief->kept_all = true;
        kaiStatus status = bonds_complete(kernel);
        if (status != KAI_OK)
            return status;
    }
    brief->used = false;
    return kernel_run(kernel, kernel->model->react);
}

kaiStatus brief_tag(Kernel* kernel)
{
    bool whole = kernel->brief == NULL || !kernel->brief->used || kernel->unseen.tags > 0;
    kaiStatus status = whole ? KAI_OK : brief_whole(kernel);
    return status == KAI_OK ? kernel->hooks->tag(kernel->owner, false) : status;
}

kaiStatus brief_flow(Kernel* kernel, bool seen)
{
    if (kernel->brief == NULL)
        return kernel_run(kernel, kernel->model->flow);
    kernel->brief->left_seen = seen || kernel->hooks->sees(kernel->owner);
    if (kernel->brief->left_seen)
        return kernel_run(kernel, kernel->model->flow);
    slice_run(kernel->brief->flow, kernel->model, kernel->R, &kernel->host);
    return KAI_OK;
}

kaiStatus brief_events(Kernel* kernel)
{
    const BriefSet* set = kernel->brief != NULL ? brief_set(kernel) : NULL;
    bool located = kernel->located_count > 0;
    if (kernel->brief == NULL || kernel->brief->left_seen || (located && set == NULL))
        return kernel_run(kernel, kernel->model->events);
    Slice* slice = set == NULL ? kernel->brief->events : located ? set->look : set->events;
    slice_run(slice, kernel->model, kernel->R, &kernel->host);
    return KAI_OK;
}

kaiStatus brief_look(Kernel* kernel)
{
    const BriefSet* set = brief_set(kernel);
    if (set == NULL)
        return kernel_run(kernel, kernel->model->islands[0].events);
    slice_run(set->look, kernel->model, kernel->R, &kernel->host);
    return KAI_OK;
}
