// The instructions of a straight program in an order that makes few runs of one operator, which is what the interpreter
// pays for (vm.c). Every instruction still follows those whose results it reads, and those that read or write what it
// writes: the bits stay. The operator is taken next that has the longest way of changes of operators before it, with
// all instructions of it that are ready.
#include "vm/slice.h"

#include "model/code.h"

#include <string.h>

enum
{
    ORDER_MOST = 160  // instructions: what is longer stays as it is, since all pairs are compared
};

typedef struct Order
{
    const kaiModel* model;
    const uint32_t* words;
    uint32_t count;
    uint32_t at[ORDER_MOST];  // per instruction: its registers
    uint8_t op[ORDER_MOST], stride[ORDER_MOST];
    uint16_t height[ORDER_MOST];  // changes of operators on the longest way behind it
    uint16_t waits[ORDER_MOST];   // for so many others
    bool placed[ORDER_MOST];
} Order;

static bool list_instructions(Order* order, const uint32_t* words, uint32_t count)
{
    CodeItem item;
    for (uint32_t at = 0; at < count; at += item.words)
    {
        if (!code_item(words, at, count, &item) || item.stride == 0 || item.stride > UINT8_MAX)
            return false;
        for (uint32_t i = 0; i < item.reg_count; i += item.stride)
        {
            if (order->count == ORDER_MOST)
                return false;
            order->at[order->count] = item.first_reg + i;
            order->op[order->count] = (uint8_t)item.op;
            order->stride[order->count++] = (uint8_t)item.stride;
        }
    }
    return true;
}

static bool reads(const Order* order, uint32_t i, uint32_t reg)
{
    const uint32_t* regs = order->words + order->at[i];
    bool row = order->op[i] == VM_ROW || order->op[i] == VM_ROW_SIZE, found = false;
    for (uint32_t k = 1; k < order->stride[i] && !found; k++)
        found = reg - regs[k] < (row && k < 3 ? vm_constant(order->model, regs[3]) : 1);
    return found;
}

// Whether b, which stands behind a, must stay there.
static bool follows(const Order* order, uint32_t a, uint32_t b)
{
    uint32_t first = order->words[order->at[a]], second = order->words[order->at[b]];
    return first == second || reads(order, b, first) || reads(order, a, second);
}

static void measure(Order* order)
{
    for (uint32_t i = order->count; i > 0; i--)
        for (uint32_t k = i; k < order->count; k++)
        {
            if (!follows(order, i - 1, k))
                continue;
            uint16_t height = (uint16_t)(order->height[k] + (order->op[k] != order->op[i - 1]));
            order->waits[k]++;
            order->height[i - 1] = height > order->height[i - 1] ? height : order->height[i - 1];
        }
}

// The next one: of the operator in work, if any is ready; or the one with the longest way behind it.
static uint32_t next_ready(const Order* order, uint32_t op)
{
    uint32_t best = order->count;
    for (uint32_t i = 0; i < order->count; i++)
    {
        if (order->placed[i] || order->waits[i] > 0)
            continue;
        if (order->op[i] == op)
            return i;
        if (best == order->count || order->height[i] > order->height[best])
            best = i;
    }
    return best;
}

static uint32_t write(Order* order, uint32_t* out)
{
    uint32_t length = 0, head = 0, op = UINT32_MAX;
    for (uint32_t n = 0; n < order->count; n++)
    {
        uint32_t i = next_ready(order, op);
        if (order->op[i] != op)
        {
            head = length;
            out[length++] = op = order->op[i];
        }
        out[head] += 1u << 8;
        memcpy(out + length, order->words + order->at[i], sizeof *out * order->stride[i]);
        length += order->stride[i];
        order->placed[i] = true;
        for (uint32_t k = i + 1; k < order->count; k++)
            order->waits[k] = (uint16_t)(order->waits[k] - (!order->placed[k] && follows(order, i, k)));
    }
    return length;
}

void slice_order(Slice* slice, const kaiModel* model, kaiAllocator a)
{
    size_t size = sizeof(Order) + slice->size + sizeof(uint32_t) * ORDER_MOST;  // each could be a run of its own
    Order* order = a.alloc(a.user, NULL, 0, size);
    if (order == NULL)
        return;
    memset(order, 0, sizeof *order);
    order->model = model;
    order->words = slice->words;
    if (list_instructions(order, slice->words, slice->count))
    {
        measure(order);
        uint32_t *out = (uint32_t*)(void*)(order + 1), length = write(order, out);
        if (length <= slice->count)
        {
            memcpy(slice->words, out, sizeof *out * length);
            slice->count = length;
        }
    }
    a.alloc(a.user, order, size, 0);
}
