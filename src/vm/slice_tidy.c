// A straight program without copies that nobody asked for: what reads a copy reads what was copied, a result that is
// only copied is written where the copy was, and what nobody reads is left out. The registers that were asked for have
// the same bits.
#include "vm/slice.h"

#include "model/code.h"

#include <string.h>

enum
{
    TIDY_MOST = 160  // instructions: what is longer stays as it is, since all pairs are compared
};

typedef struct Tidy
{
    const kaiModel* model;
    uint32_t* words;
    const uint8_t* wanted;
    uint32_t count;
    uint32_t at[TIDY_MOST];  // per instruction: its registers
    uint8_t op[TIDY_MOST], stride[TIDY_MOST];
    bool gone[TIDY_MOST];
} Tidy;

static bool list_instructions(Tidy* t, uint32_t words)
{
    CodeItem item;
    for (uint32_t at = 0; at < words; at += item.words)
    {
        if (!code_item(t->words, at, words, &item) || item.stride == 0 || item.stride > UINT8_MAX)
            return false;
        for (uint32_t i = 0; i < item.reg_count; i += item.stride)
        {
            if (t->count == TIDY_MOST)
                return false;
            t->at[t->count] = item.first_reg + i;
            t->op[t->count] = (uint8_t)item.op;
            t->stride[t->count++] = (uint8_t)item.stride;
        }
    }
    return true;
}

static uint32_t* regs_of(const Tidy* t, uint32_t i)
{
    return t->words + t->at[i];
}

static bool is_row(const Tidy* t, uint32_t i)
{
    return t->op[i] == VM_ROW || t->op[i] == VM_ROW_SIZE;
}

// Whether operand k is the first of several registers.
static bool is_block(const Tidy* t, uint32_t i, uint32_t k)
{
    return is_row(t, i) && k < 3;
}

static bool reads_block(const Tidy* t, uint32_t i, uint32_t reg)
{
    const uint32_t* regs = regs_of(t, i);
    bool found = false;
    for (uint32_t k = 1; k < 3 && is_row(t, i) && !found; k++)
        found = reg - regs[k] < vm_constant(t->model, regs[3]);
    return found;
}

static bool reads(const Tidy* t, uint32_t i, uint32_t reg)
{
    bool found = reads_block(t, i, reg);
    for (uint32_t k = 1; k < t->stride[i] && !found; k++)
        found = !is_block(t, i, k) && regs_of(t, i)[k] == reg;
    return found;
}

static bool writes(const Tidy* t, uint32_t i, uint32_t reg)
{
    return !t->gone[i] && regs_of(t, i)[0] == reg;
}

// The copy that a register is before instruction `i`, as what was copied; or the register itself.
static uint32_t original(const Tidy* t, uint32_t i, uint32_t reg)
{
    uint32_t k = i;
    while (k > 0 && !writes(t, k - 1, reg))
        k--;
    if (k == 0 || t->op[k - 1] != VM_MOVE)
        return reg;
    uint32_t from = regs_of(t, k - 1)[1];
    for (; k < i; k++)
        if (writes(t, k, from))
            return reg;
    return from;
}

static void read_originals(Tidy* t)
{
    for (uint32_t i = 0; i < t->count; i++)
        for (uint32_t k = 1; k < t->stride[i]; k++)
            if (!is_block(t, i, k))
                regs_of(t, i)[k] = original(t, i, regs_of(t, i)[k]);
}

// The only instruction that writes a register; TIDY_MOST: there are others, or none.
static uint32_t only_writer(const Tidy* t, uint32_t reg)
{
    uint32_t found = TIDY_MOST, count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (writes(t, i, reg))
        {
            found = i;
            count++;
        }
    return count == 1 ? found : TIDY_MOST;
}

// Whether a result can be written to where copy `i` puts it.
static bool is_movable(const Tidy* t, uint32_t i, uint32_t from, uint32_t to)
{
    uint32_t writer = only_writer(t, from);
    bool movable = t->wanted[from] == 0 && writer < i && only_writer(t, to) == i;
    for (uint32_t k = 0; k < t->count && movable; k++)
        movable = t->gone[k] || (!reads_block(t, k, from) && !(k <= i && reads(t, k, to)));
    return movable;
}

static void write_in_place(Tidy* t)
{
    for (uint32_t i = 0; i < t->count; i++)
    {
        uint32_t to = regs_of(t, i)[0], from = regs_of(t, i)[1];
        if (t->op[i] != VM_MOVE || to == from || !is_movable(t, i, from, to))
            continue;
        regs_of(t, only_writer(t, from))[0] = to;
        t->gone[i] = true;
        for (uint32_t k = 0; k < t->count; k++)
            for (uint32_t r = 1; r < t->stride[k] && !t->gone[k]; r++)
                if (!is_block(t, k, r) && regs_of(t, k)[r] == from)
                    regs_of(t, k)[r] = to;
    }
}

static void leave_out(Tidy* t)
{
    for (uint32_t i = t->count; i > 0; i--)
    {
        uint32_t reg = regs_of(t, i - 1)[0];
        bool read = t->wanted[reg] != 0;
        for (uint32_t k = i; k < t->count && !read; k++)
            read = !t->gone[k] && reads(t, k, reg);
        t->gone[i - 1] |= !read;
    }
}

static uint32_t write_left(const Tidy* t, uint32_t* out)
{
    uint32_t length = 0, head = 0, op = UINT32_MAX;
    for (uint32_t i = 0; i < t->count; i++)
    {
        if (t->gone[i])
            continue;
        if (t->op[i] != op)
        {
            head = length;
            out[length++] = op = t->op[i];
        }
        out[head] += 1u << 8;
        memcpy(out + length, regs_of(t, i), sizeof *out * t->stride[i]);
        length += t->stride[i];
    }
    return length;
}

void slice_tidy(Slice* slice, const kaiModel* model, const uint8_t* wanted, kaiAllocator a)
{
    size_t words = slice->count, size = sizeof(Tidy) + sizeof(uint32_t) * (2 * words + TIDY_MOST);
    Tidy* t = a.alloc(a.user, NULL, 0, size);
    if (t == NULL)
        return;
    memset(t, 0, sizeof *t);
    t->model = model;
    t->words = (uint32_t*)(void*)(t + 1);
    t->wanted = wanted;
    memcpy(t->words, slice->words, sizeof(uint32_t) * words);
    if (list_instructions(t, slice->count))
    {
        read_originals(t);
        write_in_place(t);
        leave_out(t);
        uint32_t *out = t->words + words, length = write_left(t, out);
        if (length <= slice->count)
        {
            memcpy(slice->words, out, sizeof *out * length);
            slice->count = length;
        }
    }
    a.alloc(a.user, t, size, 0);
}
