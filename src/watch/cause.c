// See cause.h. A slice of the program, asked for once at the end of a run that fails: clear code before fast code.
#include "watch/cause.h"

#include "model/code.h"

#include <string.h>

static bool mark(uint8_t* needed, uint32_t reg)
{
    if (reg == NO_REG || needed[reg] != 0)
        return false;
    needed[reg] = 1;
    return true;
}

// The sources of whatever in this item has a result that is needed.
static bool mark_item(const uint32_t* code, const CodeItem* item, uint8_t* needed)
{
    bool grew = false;
    for (uint32_t i = 0; item->stride > 0 && i < item->reg_count; i += item->stride)
        for (uint32_t k = 1; needed[code[item->first_reg + i]] != 0 && k < item->stride; k++)
            grew |= mark(needed, code[item->first_reg + i + k]);
    if (item->op == VM_NEWTON)  // unknowns follow from residuals
        for (uint32_t k = 0; k < item->reg_count; k++)
            grew |= mark(needed, code[item->first_reg + k]);
    return grew;
}

static bool mark_code(const kaiModel* model, CodeRange range, uint8_t* needed)
{
    CodeItem item;
    bool grew = false;
    for (uint32_t at = range.start; at < range.end && code_item(model->code, at, range.end, &item); at += item.words)
        grew |= mark_item(model->code, &item, needed);
    return grew;
}

static bool mark_memories(const kaiModel* model, uint8_t* needed)
{
    bool grew = false;
    for (uint32_t i = 0; i < model->memories_count; i++)
        if (needed[model->memories[i].dst] != 0)
            grew |= mark(needed, model->memories[i].src);
    return grew;
}

// What a reaction assigned or emitted, if it is needed, has the cause of that reaction.
static bool mark_acts(const kaiModel* model, const Reaction* reaction, uint8_t* needed)
{
    for (uint32_t i = 0; i < reaction->act_count; i++)
    {
        const Act* act = &model->acts[reaction->first_act + i];
        bool read =
            (act->target != NO_REG && needed[act->target] != 0) || (act->flag != NO_REG && needed[act->flag] != 0);
        if (read)
            return mark(needed, reaction->fire);
    }
    return false;
}

void cause_mark(const kaiModel* model, const uint32_t* list, uint32_t count, const uint32_t* all, uint32_t all_count,
                uint8_t* needed)
{
    memset(needed, 0, model->reg_count);
    for (uint32_t i = 0; i < count; i++)
        mark(needed, model->reactions[list[i]].fire);
    for (bool grew = true; grew;)
    {
        grew = mark_code(model, model->react, needed);
        grew |= mark_memories(model, needed);
        for (uint32_t i = 0; i < all_count; i++)
            grew |= mark_acts(model, &model->reactions[all[i]], needed);
    }
}
