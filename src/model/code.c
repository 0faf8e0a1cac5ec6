// See code.h.
#include "model/code.h"

static bool control_item(const uint32_t* pc, uint64_t room, CodeItem* item)
{
    switch (item->op)
    {
    case VM_SWITCH:
        if (room < 4 || pc[2] > room - 4)
            return false;
        item->words = 4 + pc[2];
        item->first_reg = item->at + 1;
        item->reg_count = 1;
        return true;
    case VM_JUMP: item->words = 2; return room >= 2;
    case VM_FIX:
        item->words = 5;
        item->first_reg = item->at + 2;
        item->reg_count = 1;
        item->body = room >= 5 ? pc[1] : 0;
        return room >= 5 && item->body <= room - 5;
    case VM_NEWTON:
        if (room < 4 || pc[2] > NEWTON_MAX || newton_registers(pc[2]) > room - 4)
            return false;
        item->reg_count = newton_registers(pc[2]);
        item->first_reg = item->at + 4;
        item->words = 4 + item->reg_count;
        item->body = pc[1];
        return item->body <= room - item->words;
    default: return false;
    }
}

bool code_item(const uint32_t* code, uint32_t at, uint32_t end, CodeItem* item)
{
    const uint32_t* pc = code + at;
    uint32_t count = *pc >> 8;
    *item = (CodeItem){.at = at, .op = *pc & 0xff};
    if (item->op >= VM_OP_COUNT)
        return control_item(pc, end - at, item);
    item->stride = item->op == VM_CALL ? count : 1 + (uint32_t)vm_op_arity((VmOp)item->op);
    item->first_reg = at + 1;
    item->reg_count = item->op == VM_CALL ? count : count * item->stride;
    item->words = 1 + item->reg_count;
    return item->words <= end - at;
}

static void print_run(const uint32_t* code, const CodeItem* item, Text* text)
{
    enum
    {
        SHOWN = 4
    };
    uint32_t count = item->stride > 0 ? item->reg_count / item->stride : 0;
    text_say(text, "%-8s x%u:", vm_op_name((VmOp)item->op), count);
    for (uint32_t i = 0; i < count && i < SHOWN; i++)
    {
        const uint32_t* at = code + item->first_reg + i * item->stride;
        text_say(text, " r%u <-", at[0]);
        for (uint32_t k = 1; k < item->stride; k++)
            text_say(text, " r%u", at[k]);
        text_say(text, ";");
    }
    if (count > SHOWN)
        text_say(text, " …");
}

void code_print(const uint32_t* code, const CodeItem* item, Text* text)
{
    const uint32_t* pc = code + item->at;
    switch (item->op)
    {
    case VM_SWITCH: text_say(text, "SWITCH on r%u, %u modes", pc[1], pc[2]); break;
    case VM_JUMP: text_say(text, "END OF MODE"); break;
    case VM_FIX: text_say(text, "FIXED POINT of %u signals, %u words", pc[3], pc[1]); break;
    case VM_NEWTON: text_say(text, "NEWTON for %u unknowns, %u words", pc[2], pc[1]); break;
    default: print_run(code, item, text); break;
    }
}
