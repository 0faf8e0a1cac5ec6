// Short programs for instants of circuits that nobody looks at. A reaction of a bond graph computes every effort and
// flow of every part, and it runs several times at an instant, once for each set of modes that is tried; what the
// kernel reads of it is little: what guards, reactions and memories compare, the inputs of the graph. So the programs
// are cut down to that and to what rows and probes show, once, when the run is made. Where a tag is looked at, the
// whole reaction runs again before: it is a function of registers that have not changed since.
#include "kernel/brief.h"

#include "model/fields.h"

#include <string.h>

static void need(uint8_t* needed, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; first != NO_REG && i < count; i++)
        needed[first + i] = 1;
}

// All registers that the records of a table name.
static void need_table(const kaiModel* model, const ModelTable* table, uint8_t* needed)
{
    const char* record = table_at(model, table);
    for (uint32_t i = 0; i < table_count(model, table); i++, record += table->size)
        for (uint32_t k = 0; k < table->field_count; k++)
        {
            const ModelField* field = &table->fields[k];
            if (!field_is_register(field))
                continue;
            uint32_t count =
                field->role == ROLE_REGS || field->role == ROLE_REGS_SQUARE ? field_other(record, field) : 1;
            need(needed, field_get(record, field), field->role == ROLE_REGS_SQUARE ? count * count : count);
        }
}

// Of a variable only what happens: that an event is there, and impulses.
static void need_events(const kaiModel* model, uint8_t* needed)
{
    for (uint32_t i = 0; i < model->vars_count; i++)
    {
        const ModelVar* var = &model->vars[i];
        need(needed, var->impulse, var->impulse_count);
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
static void need_react(const kaiModel* model, uint8_t* needed)
{
    for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
        if (t != ARRAY_vars)
            need_table(model, &model_tables[t], needed);
    need_events(model, needed);
}

// For a set of modes that is tried: what the graph is given, and the guards of junctions that no sign decides.
static void need_attempt(const kaiModel* model, uint8_t* needed)
{
    need_table(model, &model_tables[ARRAY_bond_inputs], needed);
    need_table(model, &model_tables[ARRAY_bond_parts], needed);
    need_events(model, needed);
    for (uint32_t i = 0; i < model->transitions_count; i++)
        if (model->transitions[i].one_way == 0 || !model->transitions[i].posterior)
            need(needed, model->reactions[model->transitions[i].reaction].fire, 1);
}

static void need_flow(const kaiModel* model, uint8_t* needed)
{
    need_table(model, &model_tables[ARRAY_memories], needed);
    need_table(model, &model_tables[ARRAY_guards], needed);
}

Slice* brief_of_modes(Kernel* kernel)
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
    need_react(model, needed);
    Slice* slice = slice_make(model, model->react, kernel->R, needed, a);
    a.alloc(a.user, seen, size, 0);
    return slice;
}

// Models in which the states change between a reaction and its tag are left alone.
static bool is_possible(const Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    return kernel->bonds != NULL && model->fused && model->now_states_count == 0 && model->carried_count == 0 &&
           model->delays_count == 0 && !kernel_numeric(kernel) && kernel->policy != CHOICE_ALL &&
           slice_is_possible(model, model->react) && slice_is_possible(model, model->flow);
}

static bool cut_all(Kernel* kernel, const uint8_t* read, uint8_t* needed)
{
    const kaiModel* model = kernel->model;
    void (*const roots[])(const kaiModel*, uint8_t*) = {need_react, need_flow, need_attempt};
    const CodeRange ranges[] = {model->react, model->flow, model->react};
    Slice** made[] = {&kernel->brief->react, &kernel->brief->flow, &kernel->brief->attempt};
    bool all = true;
    for (int i = 0; i < 3 && all; i++)
    {
        memcpy(needed, read, model->reg_count);
        roots[i](model, needed);
        *made[i] = slice_make(model, ranges[i], NULL, needed, kernel->options->allocator);
        all = *made[i] != NULL;
    }
    return all;
}

bool brief_make(Kernel* kernel, const uint32_t* shown, uint32_t count)
{
    const kaiModel* model = kernel->model;
    kaiAllocator a = kernel->options->allocator;
    size_t size = (sizeof(uint32_t) + 2) * ((size_t)model->reg_count + 1);
    if (!is_possible(kernel))
        return true;
    uint32_t* seen = a.alloc(a.user, NULL, 0, size);
    kernel->brief = a.alloc(a.user, NULL, 0, sizeof *kernel->brief);
    if (kernel->brief != NULL)
        *kernel->brief = (Brief){0};
    bool made = false;
    if (seen != NULL && kernel->brief != NULL)
    {
        memset(seen, 0, size);
        uint8_t* read = (uint8_t*)(seen + model->reg_count + 1);
        for (uint32_t i = 0; i < count; i++)
            need(read, shown[i], 1);
        need_read(model, seen, read);
        made = cut_all(kernel, read, read + model->reg_count + 1);
    }
    if (seen != NULL)
        a.alloc(a.user, seen, size, 0);
    return made;
}

void brief_free(Kernel* kernel)
{
    kaiAllocator a = kernel->options->allocator;
    if (kernel->brief == NULL)
        return;
    slice_free(kernel->brief->react, a);
    slice_free(kernel->brief->flow, a);
    slice_free(kernel->brief->attempt, a);
    a.alloc(a.user, kernel->brief, sizeof *kernel->brief, 0);
    kernel->brief = NULL;
}

kaiStatus brief_try(Kernel* kernel)
{
    if (kernel->brief == NULL)
        return kernel_run(kernel, kernel->model->react);
    kernel->brief->used = true;
    slice_run(kernel->brief->attempt, kernel->model, kernel->R, &kernel->host);
    return KAI_OK;
}

kaiStatus brief_react(Kernel* kernel)
{
    if (kernel->brief == NULL)
        return kernel_run(kernel, kernel->model->react);
    kernel->brief->used = true;
    slice_run(kernel->brief->react, kernel->model, kernel->R, &kernel->host);
    return KAI_OK;
}

kaiStatus brief_tag(Kernel* kernel)
{
    bool whole = kernel->brief == NULL || !kernel->brief->used || !kernel->hooks->sees(kernel->owner, false);
    kaiStatus status = whole ? KAI_OK : brief_whole(kernel);
    return status == KAI_OK ? kernel->hooks->tag(kernel->owner, false) : status;
}

kaiStatus brief_flow(Kernel* kernel, bool seen)
{
    if (kernel->brief == NULL || seen || kernel->hooks->sees(kernel->owner, true))
        return kernel_run(kernel, kernel->model->flow);
    slice_run(kernel->brief->flow, kernel->model, kernel->R, &kernel->host);
    return KAI_OK;
}
