// model_validate: one loop over the field lists, one walk through the code, and the few rules that join two tables.
#include "model/validate.h"

#include "model/code.h"
#include "model/fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Check
{
    const kaiModel* model;
    Text* why;
    uint8_t* marks;  // per word of code, and one after it: an instruction begins there
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

// Whether the value of a field that is one number is possible.
static bool check_value(const kaiModel* model, const ModelField* f, const char* record)
{
    uint32_t value = field_get(record, f), limit = array_count(model, f->array);
    uint64_t count;
    switch ((FieldRole)f->role)
    {
    case ROLE_FLAG:
    case ROLE_KIND: return value < f->limit;
    case ROLE_REG: return value < model->reg_count;
    case ROLE_REG_MAYBE: return value < model->reg_count || value == NO_REG;
    case ROLE_REGS: return value == NO_REG || check_registers(model, value, field_other(record, f));
    case ROLE_REGS_SQUARE:
        count = field_other(record, f);
        return value == NO_REG || check_registers(model, value, count * count);
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

static bool check_table(Check* k, const ModelTable* table)
{
    const char* record = table_at(k->model, table);
    uint32_t count = table_count(k->model, table), before = 0;
    for (uint32_t i = 0; i < count; i++, record += table->size)
        for (uint32_t n = 0; n < table->field_count; n++)
        {
            const ModelField* f = &table->fields[n];
            if (!check_field(k, f, record) || (f->role == ROLE_OFFSET && field_get(record, f) < before))
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
        return constant_below(m, at[1], m->delays_count, &n) && constant_below(m, at[3], DELAYED_ORDERS, &n);
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

static bool check_item(Check* k, const CodeItem* item)
{
    const kaiModel* m = k->model;
    if (item->op == VM_ARGUMENT || item->op == VM_EXTERNAL)
        return false;  // never code, not even in a run of none
    for (uint32_t i = 0; i < item->reg_count; i++)
        if (m->code[item->first_reg + i] >= m->reg_count)
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
        if (!code_item(m->code, at, m->code_count, &item) || !check_item(k, &item))
            return wrong(k, "code word %u is no instruction", at);
        k->marks[at] = 1;
    }
    k->marks[m->code_count] = 1;
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

// ---- what joins two tables ------------------------------------------------------------------------------------------

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
    return LENGTH(state_vars, m->state_count) && LENGTH(reg_places, m->reg_count) &&
           LENGTH(guard_slots, m->guard_states_count) && LENGTH(jacobian_columns, steep ? m->state_count + 1 : 0) &&
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

static bool is_saved(const kaiModel* m, uint32_t reg, uint32_t count)
{
    return reg == NO_REG || (reg <= m->saved_count && count <= m->saved_count - reg);
}

// What tags are compared by lies in the part of the registers that is copied.
static bool is_kept(const kaiModel* m, const ModelVar* var)
{
    return var->kind == MODEL_PARAM || (is_saved(m, var->reg, 1) && is_saved(m, var->present, 1) &&
                                        (var->impulse_count == 0 || is_saved(m, var->impulse, var->impulse_count)));
}

// Modes count within their machine; contexts lie inside each other.
// A machine stands once, in its own context, and each of its modes has one: so there are never more active contexts
// than contexts.
static bool check_contexts(Check* k)
{
    const kaiModel* m = k->model;
    for (uint32_t c = 0; c < m->contexts_count; c++)
        for (uint32_t i = 0; i < m->contexts[c].machines.count; i++)
        {
            const uint32_t* at = &m->ctx_machines[m->contexts[c].machines.first + i];
            if (m->machines[*at].ctx != c || (i > 0 && at[0] <= at[-1]))
                return wrong(k, "contexts %u has machines of others", c);
        }
    for (uint32_t i = 0; i < m->machines_count; i++)
        for (uint32_t n = 0; n < m->machines[i].mode_count; n++)
        {
            uint32_t ctx = m->modes[m->machines[i].first_mode + n].ctx;
            if (ctx == 0 || m->contexts[ctx].machine != i || m->contexts[ctx].mode != n)
                return wrong(k, "machines %u: a mode has the context of another", i);
        }
    return true;
}

static bool check_modes(Check* k)
{
    const kaiModel* m = k->model;
    for (uint32_t i = 0; i < m->machines_count; i++)
        for (uint32_t n = 0; n < m->machines[i].mode_count; n++)
        {
            const ModeInfo* mode = &m->modes[m->machines[i].first_mode + n];
            for (uint32_t t = 0; t < mode->transition_count; t++)
                if (m->transitions[mode->first_transition + t].to >= m->machines[i].mode_count)
                    return wrong(k, "machines %u: a transition leads to no mode", i);
        }
    if (!check_contexts(k))
        return false;
    for (uint32_t i = 1; i < m->contexts_count; i++)
        if (m->contexts[i].parent >= i || m->contexts[i].machine >= m->machines_count ||
            m->contexts[i].mode >= m->machines[m->contexts[i].machine].mode_count)
            return wrong(k, "contexts %u is the context of no mode", i);
    for (uint32_t i = 0; i < m->vars_count; i++)
        if (m->vars[i].kind == MODEL_MODE && m->vars[i].machine >= m->machines_count)
            return wrong(k, "vars %u is the mode of no machine", i);
    for (uint32_t i = 0; i < m->vars_count; i++)
        if (!is_kept(m, &m->vars[i]))
            return wrong(k, "vars %u is not among what a snapshot holds", i);
    for (uint32_t i = 0; i < m->machines_count; i++)
        if (!is_saved(m, m->machines[i].reg, 1))
            return wrong(k, "machines %u: its mode is not among what a snapshot holds", i);
    if (m->choice_count > m->reactions_count)
        return wrong(k, "there are more choices than reactions");
    for (uint32_t i = 0; i < m->reactions_count; i++)
        if (m->reactions[i].choice > m->choice_count)
            return wrong(k, "reactions %u belongs to no choice", i);
    return true;
}

static bool check_acts(Check* k)
{
    const kaiModel* m = k->model;
    for (uint32_t i = 0; i < m->acts_count; i++)
    {
        const Act* act = &m->acts[i];
        if (act->kind != ACT_HALT && (act->target == NO_REG || act->value == NO_REG || act->var >= m->vars_count))
            return wrong(k, "acts %u has no target", i);
        if (act->kind == ACT_EMIT && act->flag == NO_REG)
            return wrong(k, "acts %u emits nothing", i);
    }
    return true;
}

// Which registers a delay must have depends on what it delays.
static bool has_its_registers(const Delay* d)
{
    if (d->queue && (d->present == NO_REG || d->out_present == NO_REG))
        return false;
    if (d->event && !d->queue && d->out_present == NO_REG)
        return false;
    if (!d->event && (d->flow_value == NO_REG || d->flow_slope == NO_REG))
        return false;
    return d->event || !d->varies || d->edge != NO_REG;
}

// What its kind reads: crossings the side where g was, the others their truth. A signal with impulses has their
// weights, a loop what is known of its members.
static bool check_guards(Check* k)
{
    const kaiModel* m = k->model;
    for (uint32_t i = 0; i < m->guards_count; i++)
    {
        const Guard* g = &m->guards[i];
        bool crossing = g->kind == GUARD_UP || g->kind == GUARD_DOWN || g->kind == GUARD_CROSS;
        if (crossing ? g->side == NO_REG : g->truth == NO_REG)
            return wrong(k, "guards %u has no register where one of its kind has", i);
        if (g->one_way && m->bond_systems_count == 0)
            return wrong(k, "guards %u watches a junction, and there is no bond graph", i);
    }
    for (uint32_t i = 0; i < m->machines_count; i++)
        if (m->machines[i].junction && m->bond_systems_count == 0)
            return wrong(k, "machines %u is a junction, and there is no bond graph", i);
    for (uint32_t i = 0; i < m->vars_count; i++)
        if (m->vars[i].impulse_count > 0 && m->vars[i].impulse == NO_REG)
            return wrong(k, "vars %u has impulses without weights", i);
    for (uint32_t i = 0; i < m->components_count; i++)
        if (m->components[i].count > 0 && m->components[i].first_known == NO_REG)
            return wrong(k, "components %u does not say what is known", i);
    return true;
}

static bool check_probes(Check* k)
{
    const kaiModel* m = k->model;
    for (uint32_t i = 0; i < m->probes_count; i++)
    {
        const Probe* p = &m->probes[i];
        bool timed = p->kind == PROBE_AT || p->kind == PROBE_LEFT || p->kind == PROBE_INDEX;
        bool counted = p->kind == PROBE_INDEX || p->kind == PROBE_TIME_OF;
        if ((timed && p->time == NO_REG) || (counted && p->index == NO_REG))
            return wrong(k, "probes %u does not say when", i);
    }
    for (uint32_t i = 0; i < m->expectations_count; i++)
        if (m->expectations[i].target != NO_REG && m->expectations[i].within == NO_REG)
            return wrong(k, "expectations %u has no tolerance", i);
    return true;
}

static bool check_units(Check* k)
{
    const kaiModel* m = k->model;
    uint32_t counts[UNIT_KINDS] = {
        [UNIT_GUARD] = m->guards_count,         [UNIT_MEMORY] = m->memories_count, [UNIT_REACTION] = m->reactions_count,
        [UNIT_ASSERTION] = m->assertions_count, [UNIT_FAULT] = m->faults_count,    [UNIT_DELAY] = m->delays_count,
        [UNIT_TASK] = m->units_count,           [UNIT_ALL] = m->units_count};
    for (uint32_t i = 0; i < m->units_count; i++)
        if (m->units[i].index >= counts[m->units[i].kind])
            return wrong(k, "units %u is the unit of nothing", i);
    if (m->fused ? m->units_count != 3
                 : m->first_guard_unit > m->units_count || m->guards_count > m->units_count - m->first_guard_unit)
        return wrong(k, "the units of the guards are missing");
    for (uint32_t i = 0; i < m->state_slots_count; i++)
        if (m->state_slots[i] >= m->islands[m->state_islands[i]].states.count)
            return wrong(k, "state_slots %u is out of range", i);
    for (uint32_t i = 0; i < m->guard_slots_count; i++)
        if ((uint32_t)m->guard_slots[i] >= m->islands[m->state_islands[m->guard_states[i]]].states.count)
            return wrong(k, "guard_slots %u is out of range", i);
    for (uint32_t i = 0; i < m->delays_count; i++)
        if (!has_its_registers(&m->delays[i]))
            return wrong(k, "delays %u has no register where one of its kind has", i);
    return true;
}

// Numbers of nodes and bonds count within their graph.
static bool check_graph(const kaiModel* m, const BondSystem* s)
{
    for (uint32_t i = 0; i < s->link_count; i++)
    {
        const BondLink* link = &m->bond_links[s->first_link + i];
        if (link->from >= s->part_count || link->to >= s->part_count)
            return false;
    }
    for (uint32_t i = 0; i < s->input_count; i++)
        if (m->bond_inputs[s->first_input + i].node >= s->part_count)
            return false;
    for (uint32_t i = 0; i < s->output_count; i++)
    {
        const BondOutput* output = &m->bond_outputs[s->first_output + i];
        if (output->block > 0 && output->row == NO_REG)
            return false;
        for (uint32_t k = 0; k < output->column_count; k++)
            if (m->bond_columns[output->first_column + k].input >= s->input_count)
                return false;
        for (uint32_t t = 0; t < output->term_count; t++)
            if (m->bond_terms[output->first_term + t].bond >= s->link_count)
                return false;
    }
    return true;
}

static bool check_joints(Check* k)
{
    const kaiModel* m = k->model;
    for (uint32_t i = 0; i < m->bond_systems_count; i++)
        if (!check_graph(m, &m->bond_systems[i]))
            return wrong(k, "bond_systems %u: a part or bond is none of its own", i);
    for (uint32_t i = 0; i < m->tables_count; i++)
        if (m->tables[i].rows == 0)
            return wrong(k, "tables %u is empty", i);
    return check_modes(k) && check_acts(k) && check_guards(k) && check_probes(k) && check_units(k);
}

bool model_validate(const kaiModel* model, Text* why)
{
    kaiAllocator allocator = model->allocator;
    size_t size = (size_t)model->code_count + 1;
    Check k = {.model = model, .why = why, .marks = allocator.alloc(allocator.user, NULL, 0, size)};
    if (k.marks == NULL)
        return false;
    memset(k.marks, 0, size);
    bool fine = check_layout(&k) && check_strings(&k) && mark_items(&k);
    for (uint32_t i = 0; i < MODEL_TABLE_COUNT && fine; i++)
        fine = check_table(&k, &model_tables[i]);
    fine = fine && check_lengths(&k) && check_programs(&k) && check_joints(&k);
    allocator.alloc(allocator.user, k.marks, size, 0);
    return fine;
}
