// Looking at code instead of running it: listings, and the search for the operator that made a NaN.
#include "vm/vm.h"

#include <math.h>
#include <stdio.h>

// The number of sources of the instructions in the run that begins with `head`; a call is a run of its own.
static uint32_t source_count(uint32_t head)
{
    return (head & 0xff) == VM_CALL ? (head >> 8) - 1 : (uint32_t)vm_op_arity((VmOp)(head & 0xff));
}

// The instruction that writes `reg`: its word, or NULL. Linear in the code; only used when a run has failed.
static const uint32_t* find_writer(const kaiModel* model, CodeRange range, uint32_t reg, uint32_t* sources, bool* row)
{
    const uint32_t *pc = model->code + range.start, *end = model->code + range.end;
    const uint32_t* found = NULL;
    while (pc < end)
    {
        uint32_t word = *pc & 0xff, count = *pc >> 8;
        if (word == VM_SWITCH)
            pc += 3 + pc[2] + 1;
        else if (word == VM_JUMP)
            pc += 2;
        else if (word == VM_FIX)
            pc += 5;
        else if (word == VM_NEWTON)
            pc += 4 + newton_registers(pc[2]);
        else
        {
            uint32_t size = 1 + source_count(*pc++);
            for (uint32_t i = 0; i < (word == VM_CALL ? 1 : count); i++, pc += size)
                if (pc[0] == reg)
                    found = pc, *sources = size - 1, *row = word == VM_ROW;
        }
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

static int list_operators(const uint32_t* pc, char* text, size_t size)
{
    int arity = (int)source_count(*pc);
    uint32_t count = (*pc & 0xff) == VM_CALL ? 1 : *pc >> 8, shown = count < 4 ? count : 4;
    int length = snprintf(text, size, "%-8s x%u:", vm_op_name((VmOp)(*pc & 0xff)), count);
    const uint32_t* at = pc + 1;
    for (uint32_t i = 0; i < shown; i++, at += 1 + arity)
    {
        length += snprintf(text + length, size - (size_t)length, " r%u <-", at[0]);
        for (int k = 1; k <= arity; k++)
            length += snprintf(text + length, size - (size_t)length, " r%u", at[k]);
        length += snprintf(text + length, size - (size_t)length, ";");
    }
    if (shown < count)
        snprintf(text + length, size - (size_t)length, " …");
    return 1 + (int)count * (1 + arity);
}

void vm_list(const kaiModel* model, CodeRange range, void (*line)(void* user, const char* text), void* user)
{
    const uint32_t *pc = model->code + range.start, *end = model->code + range.end;
    char text[400];
    while (pc < end)
    {
        uint32_t op = *pc & 0xff;
        if (op == VM_SWITCH)
        {
            snprintf(text, sizeof text, "SWITCH on r%u, %u modes", pc[1], pc[2]);
            pc += 3 + pc[2] + 1;
        }
        else if (op == VM_JUMP)
        {
            snprintf(text, sizeof text, "END OF MODE");
            pc += 2;
        }
        else if (op == VM_FIX)
        {
            snprintf(text, sizeof text, "FIXED POINT of %u signals, %u words", pc[3], pc[1]);
            pc += 5;
        }
        else if (op == VM_NEWTON)
        {
            snprintf(text, sizeof text, "NEWTON for %u unknowns, %u words", pc[2], pc[1]);
            pc += 4 + newton_registers(pc[2]);
        }
        else
            pc += list_operators(pc, text, sizeof text);
        line(user, text);
    }
}
