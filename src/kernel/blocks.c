// See blocks.h.
#include "kernel/blocks.h"

#include "block/instance.h"

#include <stdio.h>
#include <string.h>

struct Blocks
{
    struct BlockPlace
    {
        Kernel* kernel;
        uint32_t number;
    } * places;  // what a block hands back when it says something
    BlockInstance* list;
};

static BlockInstance* instance(const Kernel* kernel, uint32_t number)
{
    return &kernel_blocks(kernel)->list[number];
}

// What a block says before it fails is kept as the reason; the rest is for the reader of the results.
static void hear(void* user, bool error, const char* text)
{
    const struct BlockPlace* place = user;
    const ModelBlock* block = &place->kernel->model->blocks[place->number];
    BlockInstance* b = instance(place->kernel, place->number);
    if (error)
        snprintf(b->said, sizeof b->said, "%s", text);
    else
        kernel_warn(place->kernel, block->place, "%s says: %s", model_string(place->kernel->model, block->name), text);
}

static bool is_interrupted(void* user)
{
    const struct BlockPlace* place = user;
    return !budget_look_inside(place->kernel->budget);
}

static double ask(void* blocks, const External* question, const double* registers, const uint32_t* arguments)
{
    const Blocks* all = blocks;
    return block_ask(&all->list[question->block - 1], (BlockQuestion)question->question, question->index, registers,
                     arguments);
}

static bool make_instance(Kernel* kernel, uint32_t number)
{
    const kaiModel* model = kernel->model;
    struct BlockPlace* place = &kernel_blocks(kernel)->places[number];
    *place = (struct BlockPlace){kernel, number};
    kaiBlockHost host = {.user = place,
                         .instance = model_string(model, model->blocks[number].name),
                         .start = kernel->options->start,
                         .stop = kernel->options->stop,
                         .tolerance = kernel->options->rtol,
                         .allocator = kernel->options->allocator,
                         .log = hear,
                         .interrupted = is_interrupted};
    return block_make(instance(kernel, number), model->blocks[number].block, &host);
}

static size_t room_of(uint32_t count)
{
    return sizeof(Blocks) + (sizeof(struct BlockPlace) + sizeof(BlockInstance)) * count;
}

bool blocks_create(Kernel* kernel)
{
    uint32_t count = kernel->model->blocks_count;
    kaiAllocator a = kernel->options->allocator;
    if (count == 0)
        return true;
    char* room = a.alloc(a.user, NULL, 0, room_of(count));
    if (room == NULL)
        return false;
    memset(room, 0, room_of(count));
    kernel->host.blocks = room;
    kernel_blocks(kernel)->list = (BlockInstance*)(void*)(room + sizeof(Blocks));
    kernel_blocks(kernel)->places = (struct BlockPlace*)(void*)(room + sizeof(Blocks) + sizeof(BlockInstance) * count);
    kernel->host.block = ask;
    for (uint32_t i = 0; i < count; i++)
        if (!make_instance(kernel, i))
            return false;
    return true;
}

void blocks_destroy(Kernel* kernel)
{
    uint32_t count = kernel->model->blocks_count;
    kaiAllocator a = kernel->options->allocator;
    if (kernel_blocks(kernel) == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        block_free(instance(kernel, i));
    a.alloc(a.user, kernel_blocks(kernel), room_of(count), 0);
    kernel->host.blocks = NULL;
}

void blocks_reset(Kernel* kernel)
{
    for (uint32_t i = 0; kernel_blocks(kernel) != NULL && i < kernel->model->blocks_count; i++)
        block_reset(instance(kernel, i));
}

kaiStatus blocks_check(Kernel* kernel)
{
    for (uint32_t i = 0; kernel_blocks(kernel) != NULL && i < kernel->model->blocks_count; i++)
    {
        const BlockInstance* b = instance(kernel, i);
        if (b->why[0] == 0)
            continue;
        kernel_fail(kernel, kernel->model->blocks[i].place, NULL, "%s", b->why);
        return kernel->failure.status = b->scarce ? KAI_ERR_MEMORY : KAI_ERR_RUN;
    }
    return KAI_OK;
}

bool blocks_want_steps(const Kernel* kernel)
{
    for (uint32_t i = 0; kernel_blocks(kernel) != NULL && i < kernel->model->blocks_count; i++)
        if (kernel->model->blocks[i].block->step_done != NULL)
            return true;
    return false;
}

kaiStatus blocks_step(Kernel* kernel, bool* event)
{
    for (uint32_t i = 0; kernel_blocks(kernel) != NULL && i < kernel->model->blocks_count; i++)
    {
        bool wanted = false;
        if (block_step(instance(kernel, i), &wanted) != KAI_OK)
            return blocks_check(kernel);
        *event |= wanted;
    }
    return KAI_OK;
}

// ---- copies

bool blocks_fixed(const Kernel* kernel, bool ahead, Text* why)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; kernel_blocks(kernel) != NULL && i < model->blocks_count; i++)
    {
        const kaiBlock* b = model->blocks[i].block;
        bool saves = b->fixed == NULL && b->save != NULL && b->restore != NULL;
        if (saves || (!ahead && !instance(kernel, i)->started))
            continue;
        text_say(why, "%s cannot be saved: %s", model_string(model, model->blocks[i].name),
                 b->fixed != NULL ? b->fixed : "the block has no functions for it");
        return true;
    }
    return false;
}

static size_t padded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

// A size of 0 stands for one that could not be saved.
size_t blocks_save_size(const Kernel* kernel)
{
    size_t sum = 0;
    for (uint32_t i = 0; kernel_blocks(kernel) != NULL && i < kernel->model->blocks_count; i++)
    {
        size_t size = 0;
        sum += 16 + (block_save_size(instance(kernel, i), &size) ? padded(size) : 0);
    }
    return sum;
}

char* blocks_save(const Kernel* kernel, char* at)
{
    for (uint32_t i = 0; kernel_blocks(kernel) != NULL && i < kernel->model->blocks_count; i++)
    {
        size_t size = 0;
        BlockInstance* b = instance(kernel, i);
        if (!block_save_size(b, &size) || !block_save(b, at + 16, size))
            size = 0;
        memset(at, 0, 16);
        memcpy(at, &size, sizeof size);
        at += 16 + padded(size);
    }
    return at;
}

const char* blocks_load(Kernel* kernel, const char* at, bool* ok)
{
    for (uint32_t i = 0; kernel_blocks(kernel) != NULL && i < kernel->model->blocks_count && *ok; i++)
    {
        size_t size;
        memcpy(&size, at, sizeof size);
        *ok = size > 0 && block_restore(instance(kernel, i), at + 16, size);
        at += 16 + padded(size);
    }
    return at;
}
