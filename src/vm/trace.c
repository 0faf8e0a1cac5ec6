// Looking at code instead of running it: the search for the operator that made a NaN, or an infinity.
#include "model/code.h"
#include "vm/vm.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

// The instruction that writes `reg`: its word, or NULL. Linear in the code; only used when a run has failed.
static const uint32_t* find_writer(const kaiModel* model, CodeRange range, uint32_t reg, uint32_t* sources, VmOp* op)
{
    const uint32_t* found = NULL;
    CodeItem item;
    for (uint32_t at = range.start; at < range.end && code_item(model->code, at, range.end, &item); at += item.words)
        for (uint32_t i = 0; item.stride > 0 && i < item.reg_count; i += item.stride)
            if (model->code[item.first_reg + i] == reg)
            {
                found = model->code + item.first_reg + i;
                *sources = item.stride - 1;
                *op = (VmOp)item.op;
            }
    return found;
}

uint32_t vm_trace_nan(const kaiModel* model, const double* registers, CodeRange range, uint32_t reg)
{
    for (uint32_t steps = 0; steps < model->reg_count; steps++)
    {
        uint32_t sources = 0, next = NO_REG;
        VmOp op = VM_MOVE;
        const uint32_t* pc = find_writer(model, range, reg, &sources, &op);
        if (pc == NULL)
            return reg;
        for (uint32_t i = 1; i <= sources && next == NO_REG; i++)
            if (isnan(registers[pc[i]]) && pc[i] != reg)
                next = pc[i];
        for (uint32_t i = 0; op == VM_ROW && i < (uint32_t)registers[pc[3]] && next == NO_REG; i++)
            if (isnan(registers[pc[1] + i]))
                next = pc[1] + i;
        if (next == NO_REG)
            return reg;
        reg = next;
    }
    return reg;
}

static bool is_born_infinite(const double* registers, const uint32_t* pc, uint32_t sources)
{
    bool born = isinf(registers[pc[0]]);
    for (uint32_t i = 1; i <= sources; i++)
        born = born && isfinite(registers[pc[i]]);
    return born;
}

uint32_t vm_trace_infinite(const kaiModel* model, const double* registers, CodeRange range)
{
    CodeItem item;
    for (uint32_t at = range.start; at < range.end && code_item(model->code, at, range.end, &item); at += item.words)
        for (uint32_t i = 0; item.stride > 1 && i + item.stride <= item.reg_count; i += item.stride)
            if (is_born_infinite(registers, model->code + item.first_reg + i, item.stride - 1))
                return model->code[item.first_reg + i];
    return NO_REG;
}

const char* vm_say_operator(const kaiModel* model, const double* registers, CodeRange range, uint32_t reg, char* text,
                            size_t size)
{
    uint32_t sources = 0;
    VmOp op = VM_MOVE;
    const uint32_t* pc = find_writer(model, range, reg, &sources, &op);
    const char* sign = op == VM_ADD   ? "+"
                       : op == VM_SUB ? "-"
                       : op == VM_MUL ? "*"
                       : op == VM_DIV ? "/"
                       : op == VM_POW ? "^"
                                      : "";
    text[0] = 0;
    if (pc == NULL || sources < 1 || sources > 2 || op == VM_MOVE)
        return text;
    if (*sign != 0)
        snprintf(text, size, ": (%.9g) %s (%.9g)", registers[pc[1]], sign, registers[pc[2]]);
    else if (sources == 1)
        snprintf(text, size, ": %s(%.9g)", vm_op_name(op), registers[pc[1]]);
    else
        snprintf(text, size, ": %s(%.9g, %.9g)", vm_op_name(op), registers[pc[1]], registers[pc[2]]);
    for (char* c = text; *c != 0; c++)
        *c = (char)tolower((unsigned char)*c);
    return text;
}
