// The impulses by which a set of modes shows that something happened in it (switching.c). Those of efforts and flows
// are the areas of a jump. Sums and multiples of areas are columns too, but say nothing that these have not said: where
// all areas are 0 so are they, which their code tells. So they need not be computed at tags that nobody looks at
// (brief.c).
#include "kernel/bonds.h"
#include "model/code.h"

// Whether an instruction gives 0 where the operands that are marked are 0.
static bool gives_zero(uint32_t op, const uint32_t* regs, const bool* zero)
{
    switch (op)
    {
    case VM_MOVE:
    case VM_NEG:
    case VM_DIV: return zero[regs[1]];
    case VM_MUL: return zero[regs[1]] || zero[regs[2]];
    case VM_ADD:
    case VM_SUB: return zero[regs[1]] && zero[regs[2]];
    case VM_SELECT: return zero[regs[2]] && zero[regs[3]];
    default: return false;
    }
}

// What is 0 after the reaction if all areas are. A register that several modes compute is 0 where all of them say so.
static void mark_zeros(const kaiModel* model, bool* zero, bool* written)
{
    CodeItem item;
    for (uint32_t i = 0; i < model->constants_count; i++)
        zero[model->reg_first[REG_CONST] + i] = model->constants[i] == 0;
    for (uint32_t at = model->react.start; at < model->react.end; at += item.words)
    {
        if (!code_item(model->code, at, model->react.end, &item))
            return;
        for (uint32_t i = 0; item.stride > 0 && i < item.reg_count; i += item.stride)
        {
            const uint32_t* regs = model->code + item.first_reg + i;
            bool gives = gives_zero(item.op, regs, zero);
            zero[regs[0]] = gives && (!written[regs[0]] || zero[regs[0]]);
            written[regs[0]] = true;
        }
    }
}

void bonds_list_impulses(const kaiModel* model, Bonds* bonds)
{
    Arena* arena = &bonds->arena;
    bool* areas = arena_array(arena, bool, model->reg_count + 1);
    bool* zero = arena_array(arena, bool, model->reg_count + 1);
    bonds->impulses = arena_array(arena, uint32_t, model->impulse_titles_count + 1);
    for (uint32_t i = 0; i < model->bond_outputs_count; i++)
        if (model->bond_outputs[i].area != NO_REG)
            areas[model->bond_outputs[i].area] = zero[model->bond_outputs[i].area] = true;
    mark_zeros(model, zero, arena_array(arena, bool, model->reg_count + 1));
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < model->vars_count; i++)
            for (uint32_t k = 0; k < model->vars[i].impulse_count; k++)
            {
                uint32_t reg = model->vars[i].impulse + k;
                if (pass == 0 ? areas[reg] || zero[reg] : !areas[reg])
                    continue;
                bonds->impulses[bonds->impulse_count++] = reg;
                bonds->other_count += pass == 0;
            }
}
