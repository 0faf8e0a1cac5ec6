// Looking at code instead of running it: listings, and the search for the operator that made a NaN.
#include "vm/vm.h"

#include <math.h>
#include <stdio.h>

// The instruction that writes `reg`: its word, or NULL. Linear in the code; only used when a run has failed.
static const uint32_t* find_writer(const kaiModel* model, CodeRange range, uint32_t reg, uint32_t* op)
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
            uint32_t size = 1 + (uint32_t)vm_op_arity((VmOp)word);
            pc++;
            for (uint32_t i = 0; i < count; i++, pc += size)
                if (pc[0] == reg)
                    found = pc, *op = word;
        }
    }
    return found;
}

uint32_t vm_trace_nan(const kaiModel* model, const double* registers, CodeRange range, uint32_t reg)
{
    for (uint32_t steps = 0; steps < model->reg_count; steps++)
    {
        uint32_t op = 0, next = NO_REG;
        const uint32_t* pc = find_writer(model, range, reg, &op);
        if (pc == NULL)
            return reg;
        for (int i = 1; i <= vm_op_arity((VmOp)op) && next == NO_REG; i++)
            if (isnan(registers[pc[i]]) && pc[i] != reg)
                next = pc[i];
        if (next == NO_REG)
            return reg;
        reg = next;
    }
    return reg;
}

static int list_operators(const uint32_t* pc, char* text, size_t size)
{
    int arity = vm_op_arity((VmOp)(*pc & 0xff));
    int length = snprintf(text, size, "%-8s x%u:", vm_op_name((VmOp)(*pc & 0xff)), *pc >> 8);
    uint32_t shown = (*pc >> 8) < 4 ? *pc >> 8 : 4;
    const uint32_t* at = pc + 1;
    for (uint32_t i = 0; i < shown; i++, at += 1 + arity)
    {
        length += snprintf(text + length, size - (size_t)length, " r%u <-", at[0]);
        for (int k = 1; k <= arity; k++)
            length += snprintf(text + length, size - (size_t)length, " r%u", at[k]);
        length += snprintf(text + length, size - (size_t)length, ";");
    }
    if (shown < *pc >> 8)
        snprintf(text + length, size - (size_t)length, " …");
    return 1 + (int)(*pc >> 8) * (1 + arity);
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
