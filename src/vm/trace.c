// Looking at code instead of running it: the search for the operator that made a NaN.
#include "model/code.h"
#include "vm/vm.h"

#include <math.h>

// The instruction that writes `reg`: its word, or NULL. Linear in the code; only used when a run has failed.
static const uint32_t* find_writer(const kaiModel* model, CodeRange range, uint32_t reg, uint32_t* sources, bool* row)
{
    const uint32_t* found = NULL;
    CodeItem item;
    for (uint32_t at = range.start; at < range.end && code_item(model->code, at, range.end, &item); at += item.words)
        for (uint32_t i = 0; item.stride > 0 && i < item.reg_count; i += item.stride)
            if (model->code[item.first_reg + i] == reg)
            {
                found = model->code + item.first_reg + i;
                *sources = item.stride - 1;
                *row = item.op == VM_ROW;
            }
    return found;
}

uint32_t vm_trace_nan(const kaiModel* model, const double* registers, CodeRange range, uint32_t reg)
{
    for (uint32_t steps = 0; steps < model->reg_count; steps++)
    {
        uint32_t sources = 0, next = NO_REG;
        bool row = false;
        const uint32_t* pc = find_writer(model, range, reg, &sources, &row);
        if (pc == NULL)
            return reg;
        for (uint32_t i = 1; i <= sources && next == NO_REG; i++)
            if (isnan(registers[pc[i]]) && pc[i] != reg)
                next = pc[i];
        for (uint32_t i = 0; row && i < (uint32_t)registers[pc[3]] && next == NO_REG; i++)
            if (isnan(registers[pc[1] + i]))
                next = pc[1] + i;
        if (next == NO_REG)
            return reg;
        reg = next;
    }
    return reg;
}
