// model_validate: one loop over the field lists, one walk through the code; joints.c has the rules that join two
// tables.
#include "model/validate.h"

#include "model/code.h"
#include "model/fields.h"
#include "model/joints.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Check
{
    const kaiModel* model;
    Text* why;
    uint8_t* marks;  // per word of code, and one after it: an instruction begins there
    uint8_t* modes;  // per register: it holds the mode of a machine, which nothing else may write
} Check;

__attribute__((format(printf, 2, 3))) static bool wrong(Check* k, const char* format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_say(k->why, "%s", text);
    return false;
}

// ---- fields ---------------------------------------------------------------------------------------------------------

static bool check_registers(const kaiModel* model, uint32_t first, uint64_t count)
{
    return first < model->reg_count && count <= model->reg_count - first;
}

// In one class of those that it may be in. A run that has no registers lies nowhere.
static bool check_set(const kaiModel* model, const ModelField* f, uint32_t first, uint64_t count)
{
    if (!check_registers(model, first, count))
        return false;
    for (int class = 0; class < REG_CLASS_COUNT && f->set != 0 && count > 0; class ++)
    {
        uint32_t end = class + 1 < REG_CLASS_COUNT ? model->reg_first[class + 1] : model->reg_count;
        if (first >= model->reg_first[class] && first + count <= end && (f->set & 1u << class) != 0)
            return true;
    }
    return f->set == 0 || count == 0;
}

static bool check_register(const kaiModel* model, const ModelField* f, const char* record)
{
    uint32_t value = field_get(record, f);
    uint64_t count = 1;
    if (f->role == ROLE_REG_FOR && value == NO_REG)
        return (f->limit & 1u << (uint8_t)record[f->other]) == 0;
    if (f->role == ROLE_REG_WITH && (value == NO_REG || field_other(record, f) == NO_REG))
        return value == field_other(record, f);
    if (f->role == ROLE_REGS || f->role == ROLE_REGS_SQUARE)
        count = field_other(record, f);
    if (f->role == ROLE_REGS_SQUARE)
        count *= count;
    return (value == NO_REG && f->role != ROLE_REG) || check_set(model, f, value, count);
}

// Whether the value of a field that is one number is possible.
static bool check_value(const kaiModel* model, const ModelField* f, const char* record)
{
    uint32_t value = field_get(record, f), limit = array_count(model, f->array);
    if (field_is_register(f))
        return check_register(model, f, record);
    switch ((FieldRole)f->role)
    {
    case ROLE_FLAG:
    case ROLE_KIND: return value < f->limit;
    case ROLE_SIGN: return value <= 1 || value == UINT8_MAX;
    case ROLE_STRING:
    case ROLE_PLACE:
    case ROLE_INDEX: return value < limit;
    case ROLE_INDEX_MAYBE: return value < limit || value == NO_REG;
    case ROLE_INDEX_ZERO: return value < limit || value == 0;
    case ROLE_INDEX_PLUS:
    case ROLE_OFFSET: return value <= limit;
    case ROLE_FIRST: return value <= limit && field_other(record, f) <= limit - value;
    case ROLE_BELOW: return value < field_other(record, f);
    case ROLE_STATE: return value < model->state_count;
    default: return true;
    }
}

static bool check_code_range(Check* k, CodeRange range)
{
    const kaiModel* m = k->model;
    return range.start == range.end ||
           (range.start < range.end && range.end <= m->code_count && k->marks[range.start] && k->marks[range.end]);
}

static bool check_field(Check* k, const ModelField* f, const char* record)
{
    IndexRange range;
    CodeRange code;
    switch ((FieldRole)f->role)
    {
    case ROLE_RANGE:
        memcpy(&range, record + f->offset, sizeof range);
        return range.first <= array_count(k->model, f->array) &&
               range.count <= array_count(k->model, f->array) - range.first;
    case ROLE_CODE: memcpy(&code, record + f->offset, sizeof code); return check_code_range(k, code);
    default: return f->size > sizeof(uint32_t) || check_value(k->model, f, record);
    }
}

static void mark_modes(Check* k)
{
    for (uint32_t i = 0; i < k->model->machines_count; i++)
        if (k->model->machines[i].reg < k->model->reg_count)
            k->modes[k->model->machines[i].reg] = 1;
}

// A mode is looked up by what is in its register.
static bool spares_modes(const Check* k, const ModelTable* table, const ModelField* f, const char* record)
{
    if (!field_is_register(f) || f->set == 0 || table == &model_tables[ARRAY_machines])
        return true;
    uint32_t first = field_get(record, f), count = f->role >= ROLE_REGS ? field_other(record, f) : 1;
    count = f->role == ROLE_REGS_SQUARE ? count * count : count;
    for (uint32_t i = 0; first != NO_REG && i < count; i++)
        if (k->modes[first + i])
            return false;
    return true;
}

static bool check_table(Check* k, const ModelTable* table)
{
    const char* record = table_at(k->model, table);
    uint32_t count = table_count(k->model, table), before = 0;
    for (uint32_t i = 0; i < count; i++, record += table->size)
        for (uint32_t n = 0; n < table->field_count; n++)
        {
            const ModelField* f = &table->fields[n];
            if (!check_field(k, f, record) || !spares_modes(k, table, f, record) ||
                (f->role == ROLE_OFFSET && field_get(record, f) < before))
                return wrong(k, "%s %u: %s is out of range", table->name, i, f->name[0] != 0 ? f->name : "the value");
            before = f->role == ROLE_OFFSET ? field_get(record, f) : before;
        }
    return true;
}

// ---- code -----------------------------------------------------------------------------------------------------------

// A number that code finds in a register must be a constant: an index of a table, a delay or a function, a count.
static bool constant_below(const kaiModel* model, uint32_t reg, uint64_t limit, uint32_t* value)
{
    uint32_t index = reg - model->reg_first[REG_CONST];
    if (index >= model->constants_count)
        return false;
    double x = model->constants[index];
    if (!(x >= 0 && x < (double)limit))
        return false;
    *value = (uint32_t)x;
    return true;
}

// `at`: the registers of one instruction, result first.
static bool check_operands(const kaiModel* m, const CodeItem* item, const uint32_t* at)
{
    uint32_t n;
    switch (item->op)
    {
    case VM_TABLE:
    case VM_TABLE_SLOPE:
    case VM_TABLE_ROWS: return constant_below(m, at[2], m->tables_count, &n);
    case VM_DELAYED:
        return constant_below(m, at[1], m->delays_count, &n) && !m->delays[n].event &&
               constant_below(m, at[3], DELAYED_ORDERS, &n);
    case VM_CALL:
        return item->stride >= 2 && constant_below(m, at[1], m->externals_count, &n) &&
               item->stride == m->externals[n].arity + 2 &&
               (m->externals[n].block != 0 || m->externals[n].arity <= EXTERNAL_ARITY_MAX);
    case VM_ROW:
    case VM_ROW_SIZE:
        return constant_below(m, at[3], (uint64_t)m->reg_count + 1, &n) && check_registers(m, at[1], n) &&
               check_registers(m, at[2], n);
    default: return true;
    }
}

// Code never changes a constant or a mode: what is looked up by them has been checked.
static bool keeps_constants(const Check* k, const CodeItem* item)
{
    const kaiModel* m = k->model;
    const uint32_t* at = m->code + item->first_reg;
    uint32_t first = m->reg_first[REG_PARAM], unknowns = item->op == VM_NEWTON ? m->code[item->at + 2] : 0;
    for (uint32_t i = 0; item->stride > 0 && i < item->reg_count; i += item->stride)
        if (at[i] < first || k->modes[at[i]])
            return false;
    for (uint32_t i = 0; i < unknowns; i++)
        if (at[i] < first || k->modes[at[i]])
            return false;
    return true;
}

static bool check_item(Check* k, const CodeItem* item)
{
    const kaiModel* m = k->model;
    if (item->op == VM_ARGUMENT || item->op == VM_EXTERNAL)
        return false;  // never code, not even in a run of none
    for (uint32_t i = 0; i < item->reg_count; i++)
        if (m->code[item->first_reg + i] >= m->reg_count)
            return false;
    if (!keeps_constants(k, item))
        return false;
    for (uint32_t i = 0; item->stride > 0 && i < item->reg_count; i += item->stride)
        if (!check_operands(m, item, m->code + item->first_reg + i))
            return false;
    const uint32_t* pc = m->code + item->at;
    if (item->op == VM_CALL)
        return item->stride >= 2;
    if (item->op == VM_FIX)
        return check_registers(m, pc[2], pc[3]) && pc[4] < m->components_count;
    return item->op != VM_NEWTON || pc[3] < m->components_count;
}

static bool mark_items(Check* k)
{
    const kaiModel* m = k->model;
    CodeItem item;
    for (uint32_t at = 0; at < m->code_count; at += item.words)
    {
        if (!code_item(m->code, at, m->code_count, &item))
            return wrong(k, "code word %u is no instruction", at);
        k->marks[at] = 1;
    }
    k->marks[m->code_count] = 1;
    return true;
}

// After the tables, which operands are looked up in.
static bool check_items(Check* k)
{
    const kaiModel* m = k->model;
    CodeItem item;
    for (uint32_t at = 0; at < m->code_count; at += item.words)
        if (!code_item(m->code, at, m->code_count, &item) || !check_item(k, &item))
            return wrong(k, "code word %u is an instruction with wrong operands", at);
    return true;
}

static bool lands(const Check* k, uint32_t from, uint64_t offset, uint32_t end)
{
    uint64_t to = from + offset;
    return to <= end && k->marks[to];
}

static bool check_jumps(const Check* k, const CodeItem* item, uint32_t end)
{
    const uint32_t* pc = k->model->code + item->at;
    if (item->op == VM_JUMP)
        return pc[1] >= item->words && lands(k, item->at, pc[1], end);
    if (item->op != VM_SWITCH)
        return lands(k, item->at, (uint64_t)item->words + item->body, end);
    uint32_t base = item->at + item->words;
    for (uint32_t i = 0; i <= pc[2]; i++)
        if (!(pc[3 + i] == NO_REG && i < pc[2]) && !lands(k, base, pc[3 + i], end))
            return false;
    return true;
}

enum
{
    NESTING_MAX = 64
};

// Nothing in a range, or in the body of a loop, leads out of it.
static bool check_flow(const Check* k, CodeRange range, int depth)
{
    CodeItem item;
    for (uint32_t at = range.start; at < range.end; at += item.words + item.body)
    {
        if (!code_item(k->model->code, at, range.end, &item) || !check_jumps(k, &item, range.end) || depth == 0)
            return false;
        uint32_t body = at + item.words;
        if (item.body > 0 && !check_flow(k, (CodeRange){body, body + item.body}, depth - 1))
            return false;
    }
    return true;
}

static bool check_programs(Check* k)
{
    for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
    {
        const ModelTable* table = &model_tables[t];
        const char* record = table_at(k->model, table);
        for (uint32_t i = 0; i < table_count(k->model, table); i++, record += table->size)
            for (uint32_t n = 0; n < table->field_count; n++)
            {
                CodeRange range;
                if (table->fields[n].role != ROLE_CODE)
                    continue;
                memcpy(&range, record + table->fields[n].offset, sizeof range);
                if (!check_flow(k, range, NESTING_MAX))
                    return wrong(k, "%s %u: the code of %s leads out of it", table->name, i, table->fields[n].name);
            }
    }
    return true;
}

// ---- lengths -------------------------------------------------------------------------------------------------------

static bool check_layout(Check* k)
{
    const kaiModel* m = k->model;
    bool fine = m->reg_first[0] == 0 && m->constants_count <= m->reg_first[REG_PARAM];
    for (int i = 1; i < REG_CLASS_COUNT; i++)
        fine &= m->reg_first[i - 1] <= m->reg_first[i];
    fine &= m->reg_first[REG_CLASS_COUNT - 1] <= m->reg_count && m->saved_count <= m->reg_count;
    fine &= m->state_count == m->reg_first[REG_STATE + 1] - m->reg_first[REG_STATE];
    fine &= m->state_count <= m->reg_first[REG_TEMP] - m->reg_first[REG_DERIV];
    fine &= m->reg_first[REG_DERIV] == m->saved_count;
    return fine || wrong(k, "the classes of registers do not fit together");
}

static bool check_length(Check* k, const char* name, uint32_t count, uint32_t wanted)
{
    return count == wanted || wrong(k, "%s has %u entries instead of %u", name, count, wanted);
}

static bool check_lengths(Check* k)
{
    const kaiModel* m = k->model;
    uint32_t rows = m->reg_first[REG_VALUE] - m->reg_first[REG_STATE];
    bool steep = m->has_jacobian;
    if (m->when_count > m->reactions_count || m->flow_unit_count > m->units_count || m->contexts_count == 0 ||
        m->islands_count == 0 || m->places_count == 0)
        return wrong(k, "a count is larger than what it counts");
#define LENGTH(array, wanted) check_length(k, #array, m->array##_count, wanted)
    return LENGTH(state_vars, m->state_count) && LENGTH(impulse_units, m->impulse_titles_count) &&
           LENGTH(reg_places, m->reg_count) && LENGTH(guard_slots, m->guard_states_count) &&
           LENGTH(jacobian_columns, steep ? m->state_count + 1 : 0) &&
           LENGTH(jacobian_values, m->jacobian_rows_count) && LENGTH(jacobian_times, steep ? m->state_count : 0) &&
           LENGTH(state_islands, m->state_count) && LENGTH(state_slots, m->state_count) &&
           LENGTH(reaction_units, m->reactions_count) && LENGTH(var_units, m->vars_count) &&
           LENGTH(var_nows, m->vars_count) && LENGTH(reg_vars, rows) && LENGTH(reg_unit_first, rows + 1) &&
           LENGTH(reg_island_first, rows + 1);
#undef LENGTH
}

static bool check_strings(Check* k)
{
    const kaiModel* m = k->model;
    return (m->strings_count > 0 && m->strings[0] == 0 && m->strings[m->strings_count - 1] == 0) ||
           wrong(k, "the last string does not end");
}

bool model_validate(const kaiModel* model, Text* why)
{
    kaiAllocator allocator = model->allocator;
    size_t size = (size_t)model->code_count + 1 + model->reg_count;
    if (model->reg_count != model->reg_places_count)  // before it asks for that much memory
        return text_say(why, "reg_places does not have one for each register"), false;
    Check k = {.model = model, .why = why, .marks = allocator.alloc(allocator.user, NULL, 0, size)};
    if (k.marks == NULL)
        return false;
    memset(k.marks, 0, size);
    k.modes = k.marks + model->code_count + 1;
    mark_modes(&k);
    bool fine = check_layout(&k) && check_strings(&k) && mark_items(&k);
    for (uint32_t i = 0; i < MODEL_TABLE_COUNT && fine; i++)
        fine = check_table(&k, &model_tables[i]);
    fine = fine && check_lengths(&k) && check_items(&k) && check_programs(&k) && joints_check(model, why);
    allocator.alloc(allocator.user, k.marks, size, 0);
    return fine;
}
