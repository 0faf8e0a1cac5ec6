// Instructions are collected in segments without control flow, sorted by their level in the data flow and their
// operator, and written as runs. Values are computed once per region: what an outer region has computed, an inner one
// may read.
#include "emit/emitter.h"

#include "model/code.h"

#include <stdlib.h>

void emitter_init(Emitter* e, Compiler* c)
{
    *e = (Emitter){.c = c, .next_region = 1, .segment_id = 1};
}

static void open_region(Emitter* e)
{
    vec_push(e->c->arena, e->regions, e->next_region++);
}

static void close_region(Emitter* e)
{
    e->regions.count--;
}

// ---- segments -------------------------------------------------------------------------------------------------------

static uint64_t* level_slot(Emitter* e, bool read, SymReg reg)
{
    RegClass cls = sym_class(reg);
    while (e->levels[cls].count <= sym_index(reg))
    {
        vec_push(e->c->arena, e->levels[cls], 0);
        vec_push(e->c->arena, e->reads[cls], 0);
    }
    return read ? &e->reads[cls].at[sym_index(reg)] : &e->levels[cls].at[sym_index(reg)];
}

static uint32_t level_of(Emitter* e, bool read, SymReg reg)
{
    uint64_t slot = *level_slot(e, read, reg);
    return slot >> 32 == e->segment_id ? (uint32_t)slot : 0;
}

static void raise_level(Emitter* e, bool read, SymReg reg, uint32_t level)
{
    if (level > level_of(e, read, reg))
        *level_slot(e, read, reg) = (uint64_t)e->segment_id << 32 | level;
}

static void note_span(Emitter* e, SymReg reg, Span span)
{
    RegClass cls = sym_class(reg);
    while (e->reg_spans[cls].count <= sym_index(reg))
        vec_push(e->c->arena, e->reg_spans[cls], (Span){0});
    if (e->reg_spans[cls].at[sym_index(reg)].file == 0)
        e->reg_spans[cls].at[sym_index(reg)] = span;
}

static uint32_t source_count(const Instruction* x)
{
    return x->call != NULL ? x->call_count : (uint32_t)vm_op_arity((VmOp)x->op);
}

// An instruction comes after the writes that it reads, and after earlier reads and writes of its result.
static void add_instruction(Emitter* e, Instruction made, Span span)
{
    const SymReg* src = made.call != NULL ? made.call : made.src;
    uint32_t level = level_of(e, false, made.dst), read = level_of(e, true, made.dst);
    level = read > level ? read : level;
    for (uint32_t i = 0; i < source_count(&made); i++)
    {
        uint32_t above = level_of(e, false, src[i]);
        level = above > level ? above : level;
    }
    made.level = ++level;
    made.order = e->segment.count;
    for (uint32_t i = 0; i < source_count(&made); i++)
        raise_level(e, true, src[i], level);
    vec_push(e->c->arena, e->segment, made);
    raise_level(e, false, made.dst, level);
    note_span(e, made.dst, span);
}

static int by_level(const void* a, const void* b)
{
    const Instruction *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

// A call has as many sources as its function has arguments: a run of its own, all words of which are registers.
static void write_call(Emitter* e, const Instruction* x)
{
    vec_push(e->c->arena, e->code, VM_CALL | (x->call_count + 1) << 8);
    vec_push(e->c->arena, e->code, x->dst);
    for (uint32_t k = 0; k < x->call_count; k++)
        vec_push(e->c->arena, e->code, x->call[k]);
}

static void write_runs(Emitter* e, Instruction* list, uint32_t count)
{
    enum
    {
        RUN_MAX = 1 << 23
    };
    Arena* arena = e->c->arena;
    for (uint32_t i = 0; i < count;)
    {
        uint32_t end = i;
        if (list[i].call != NULL)
        {
            write_call(e, &list[i++]);
            continue;
        }
        while (end < count && list[end].op == list[i].op && list[end].level == list[i].level && end - i < RUN_MAX)
            end++;
        vec_push(arena, e->code, list[i].op | (end - i) << 8);
        for (; i < end; i++)
        {
            vec_push(arena, e->code, list[i].dst);
            for (int k = 0; k < vm_op_arity((VmOp)list[i].op); k++)
                vec_push(arena, e->code, list[i].src[k]);
        }
    }
}

static void flush(Emitter* e)
{
    if (e->segment.count > 0)
        qsort(e->segment.at, e->segment.count, sizeof *e->segment.at, by_level);
    write_runs(e, e->segment.at, e->segment.count);
    e->segment.count = 0;
    e->segment_id++;
}

// ---- values ---------------------------------------------------------------------------------------------------------

static ScalarPlace* place_slot(Emitter* e, ScalarId s)
{
    while (e->places.count < e->c->scalars.list.count)
        vec_push(e->c->arena, e->places, (ScalarPlace){0});
    return &e->places.at[s];
}

static bool region_open(const Emitter* e, uint32_t region)
{
    for (uint32_t i = e->regions.count; i-- > 0;)
        if (e->regions.at[i] == region)
            return true;
    return false;
}

static bool find_place(Emitter* e, ScalarId s, SymReg* reg)
{
    const Scalar* x = &e->c->scalars.list.at[s];
    if (x->op == SCALAR_REG)
        *reg = x->reg;
    else if (x->fixed)
    {
        if (s >= e->fixed.count || e->fixed.at[s] == 0)
            return false;
        *reg = e->fixed.at[s];
    }
    else
    {
        ScalarPlace place = *place_slot(e, s);
        if (place.region == 0 || !region_open(e, place.region))
            return false;
        *reg = place.reg;
    }
    return true;
}

static void place_scalar(Emitter* e, ScalarId s, SymReg reg)
{
    if (!e->c->scalars.list.at[s].fixed)
    {
        *place_slot(e, s) = (ScalarPlace){reg, e->regions.at[e->regions.count - 1]};
        return;
    }
    while (e->fixed.count < e->c->scalars.list.count)
        vec_push(e->c->arena, e->fixed, 0);
    e->fixed.at[s] = reg;
}

// The sources of a call: the index of its function and the arguments, whose values have been computed.
static void collect_call(Emitter* e, const Scalar* x, Instruction* into)
{
    VEC(SymReg) src = {0};
    SymReg reg = NO_REG;
    find_place(e, x->arg[1], &reg);
    vec_push(e->c->arena, src, reg);
    for (Scalar a = e->c->scalars.list.at[x->arg[0]]; a.op == VM_ARGUMENT; a = e->c->scalars.list.at[a.arg[1]])
    {
        find_place(e, a.arg[0], &reg);
        vec_push(e->c->arena, src, reg);
    }
    *into = (Instruction){.op = VM_CALL, .dst = into->dst, .call = src.at, .call_count = src.count};
}

// The values of a list side by side, for all rows of the region. Its first register counts as written when all are. A
// row needs every value of the list, so whoever computes them comes before the first row; round a loop that would not
// help, but loops through maps are solved by Newton's method, which gives its unknowns first.
static SymReg list_block(Emitter* e, ScalarId list)
{
    Compiler* c = e->c;
    while (e->blocks.count < c->scalars.list.count)
        vec_push(c->arena, e->blocks, (ScalarPlace){0});
    ScalarPlace* place = &e->blocks.at[list];
    if (place->region != 0 && region_open(e, place->region))
        return place->reg;
    *place = (ScalarPlace){sym_reg(REG_TEMP, c->reg_counts[REG_TEMP]), e->regions.at[e->regions.count - 1]};
    uint32_t last = 0;
    for (Scalar a = c->scalars.list.at[list]; a.op == VM_ARGUMENT; a = c->scalars.list.at[a.arg[1]])
    {
        SymReg from = NO_REG, dst = compiler_reg(c, REG_TEMP);
        find_place(e, a.arg[0], &from);
        add_instruction(e, (Instruction){.op = VM_MOVE, .dst = dst, .src = {from}}, a.span);
        last = level_of(e, false, dst) > last ? level_of(e, false, dst) : last;
    }
    raise_level(e, false, place->reg, last);
    return place->reg;
}

// A value of parameters alone is computed once, in the parameter program.
static void write_scalar(Emitter* e, ScalarId s, const SymReg src[3], SymReg dst)
{
    const Scalar x = e->c->scalars.list.at[s];
    if (x.op == VM_ARGUMENT)  // no code and no register: the call reads the values themselves
    {
        place_scalar(e, s, NO_REG);
        return;
    }
    if (x.fixed || dst == NO_REG)
        dst = compiler_reg(e->c, x.fixed ? REG_PARAM : REG_TEMP);
    Instruction made = {.op = x.op, .dst = dst, .src = {src[0], src[1], src[2]}};
    if (x.op == VM_EXTERNAL)
        collect_call(e, &x, &made);
    if (x.op == VM_ROW || x.op == VM_ROW_SIZE)
        made.src[0] = list_block(e, x.arg[0]);
    place_scalar(e, s, dst);
    if (!x.fixed)
    {
        add_instruction(e, made, x.span);
        return;
    }
    vec_push(e->c->arena, e->fixed_code, made);
    note_span(e, dst, x.span);
}

// Computes `root` (its own result into dst if dst is given and it has none yet) and what it needs, without recursion.
static SymReg compute(Emitter* e, ScalarId root, SymReg dst)
{
    e->stack.count = 0;
    vec_push(e->c->arena, e->stack, root);
    SymReg found = NO_REG;
    while (e->stack.count > 0)
    {
        ScalarId s = e->stack.at[e->stack.count - 1];
        if (find_place(e, s, &found))
        {
            e->stack.count--;
            continue;
        }
        const Scalar x = e->c->scalars.list.at[s];
        SymReg src[3] = {0};
        bool ready = true;
        for (int i = 0; i < vm_op_arity((VmOp)x.op); i++)
            if (!find_place(e, x.arg[i], &src[i]))
            {
                vec_push(e->c->arena, e->stack, x.arg[i]);
                ready = false;
            }
        if (ready)
            write_scalar(e, s, src, s == root ? dst : NO_REG);
    }
    find_place(e, root, &found);
    return found;
}

SymReg emit_value(Emitter* e, ScalarId value)
{
    return compute(e, value, NO_REG);
}

void emit_to(Emitter* e, ScalarId value, SymReg dst)
{
    SymReg found = compute(e, value, dst);
    if (found != dst)
        add_instruction(e, (Instruction){.op = VM_MOVE, .dst = dst, .src = {found}}, e->c->scalars.list.at[value].span);
}

void emit_constant(Emitter* e, double value, SymReg dst)
{
    emit_to(e, scalar_const(&e->c->scalars, value), dst);
}

// ---- programs and control -------------------------------------------------------------------------------------------

uint32_t emit_begin(Emitter* e)
{
    flush(e);
    open_region(e);
    return e->code.count;
}

CodeRange emit_end(Emitter* e, uint32_t start)
{
    flush(e);
    close_region(e);
    return (CodeRange){start, e->code.count};
}

CodeRange emit_parameters(Emitter* e)
{
    uint32_t start = e->code.count;
    for (uint32_t i = 0; i < e->fixed_code.count; i++)
    {
        e->fixed_code.at[i].level = i;  // in the order of their making: each after what it needs
        write_runs(e, &e->fixed_code.at[i], 1);
    }
    return (CodeRange){start, e->code.count};
}

SwitchPatch emit_switch(Emitter* e, SymReg mode, uint32_t count)
{
    flush(e);
    Arena* arena = e->c->arena;
    SwitchPatch patch = {.head = e->code.count, .count = count};
    vec_push(arena, e->code, VM_SWITCH);
    vec_push(arena, e->code, mode);
    vec_push(arena, e->code, count);
    for (uint32_t i = 0; i <= count; i++)
        vec_push(arena, e->code, NO_REG);
    return patch;
}

static uint32_t switch_base(const SwitchPatch* patch)
{
    return patch->head + 3 + patch->count + 1;
}

void emit_case(Emitter* e, SwitchPatch* patch, uint32_t mode)
{
    flush(e);
    open_region(e);
    e->code.at[patch->head + 3 + mode] = e->code.count - switch_base(patch);
}

void emit_case_end(Emitter* e, SwitchPatch* patch)
{
    flush(e);
    close_region(e);
    vec_push(e->c->arena, patch->jumps, e->code.count);
    vec_push(e->c->arena, e->code, VM_JUMP);
    vec_push(e->c->arena, e->code, 0);
}

void emit_switch_end(Emitter* e, SwitchPatch* patch)
{
    uint32_t end = e->code.count;
    e->code.at[patch->head + 3 + patch->count] = end - switch_base(patch);
    for (uint32_t i = 0; i < patch->jumps.count; i++)
        e->code.at[patch->jumps.at[i] + 1] = end - patch->jumps.at[i];
}

uint32_t emit_fix(Emitter* e, SymReg first_known, uint32_t count, uint32_t component)
{
    flush(e);
    open_region(e);
    uint32_t head = e->code.count;
    uint32_t words[] = {VM_FIX, 0, first_known, count, component};
    for (int i = 0; i < 5; i++)
        vec_push(e->c->arena, e->code, words[i]);
    return head;
}

void emit_fix_end(Emitter* e, uint32_t head)
{
    flush(e);
    close_region(e);
    e->code.at[head + 1] = e->code.count - head - 5;
}

uint32_t emit_newton(Emitter* e, uint32_t count, const SymReg* registers, uint32_t component)
{
    flush(e);
    open_region(e);
    uint32_t head = e->code.count;
    uint32_t words[] = {VM_NEWTON, 0, count, component};
    for (int i = 0; i < 4; i++)
        vec_push(e->c->arena, e->code, words[i]);
    for (uint32_t i = 0; i < newton_registers(count); i++)
        vec_push(e->c->arena, e->code, registers[i]);
    return head;
}

void emit_newton_end(Emitter* e, uint32_t head)
{
    flush(e);
    close_region(e);
    e->code.at[head + 1] = e->code.count - head - 4 - newton_registers(e->code.at[head + 2]);
}

void emit_relocate(Emitter* e, const uint32_t* reg_first)
{
    CodeItem item;
    for (uint32_t at = 0; at < e->code.count && code_item(e->code.at, at, e->code.count, &item); at += item.words)
        for (uint32_t i = 0; i < item.reg_count; i++)
        {
            uint32_t* word = &e->code.at[item.first_reg + i];
            *word = relocate(*word, reg_first);
        }
}
