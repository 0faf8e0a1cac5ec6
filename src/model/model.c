// Packs a compiled model into one block: one allocation, one free, nothing that can dangle.
#include "model/model.h"

#include "base/hash.h"

#include <dlfcn.h>
#include <string.h>

static size_t packed_size(const kaiModel* draft)
{
    size_t size = model_align(sizeof *draft);
#define X(type, name, ...) size += model_align(sizeof(type) * draft->name##_count);
    MODEL_ARRAYS(X)
#undef X
    return size;
}

kaiModel* model_pack(const kaiModel* draft, kaiAllocator allocator)
{
    size_t size = packed_size(draft);
    char* block = allocator.alloc(allocator.user, NULL, 0, size);
    if (block == NULL)
        return NULL;
    memset(block, 0, size);
    kaiModel* model = (kaiModel*)block;
    *model = *draft;
    model->allocator = allocator;
    model->size = size;
    char* next = block + model_align(sizeof *draft);
#define X(type, name, ...)                                                                                             \
    if (draft->name##_count > 0)                                                                                       \
        memcpy(next, draft->name, sizeof(type) * draft->name##_count);                                                 \
    model->name = (const type*)next;                                                                                   \
    next += model_align(sizeof(type) * draft->name##_count);
    MODEL_ARRAYS(X)
#undef X
    return model;
}

static uint64_t add_variables(uint64_t hash, const kaiBlockVariable* list, uint32_t count)
{
    hash = hash_bytes(hash, &count, sizeof count);
    for (uint32_t i = 0; i < count; i++)
        hash = hash_bytes(hash, list[i].name, strlen(list[i].name) + 1);
    return hash;
}

double model_block_shape(const kaiBlock* block)
{
    uint64_t hash = HASH_START;
    if (block == NULL)
        return 0;
    hash = add_variables(hash, block->parameters, block->parameter_count);
    hash = add_variables(hash, block->inputs, block->input_count);
    hash = add_variables(hash, block->outputs, block->output_count);
    hash = add_variables(hash, block->states, block->state_count);
    hash = hash_bytes(hash, &block->indicator_count, sizeof block->indicator_count);
    return (double)(hash >> 32);
}

static bool bind_block(const kaiModel* model, ModelBlock* b)
{
    if (b->block == NULL)
        return false;
    if (b->library)
        b->opened = dlopen(model_string(model, b->path), RTLD_NOW | RTLD_LOCAL);
    if (b->block->hold != NULL)
        b->block->hold(b->block, 1);
    return !b->library || b->opened != NULL;
}

static void release_block(const ModelBlock* b)
{
    if (b->block != NULL && b->block->hold != NULL)
        b->block->hold(b->block, -1);
    if (b->opened != NULL)
        dlclose(b->opened);
}

bool model_bind(kaiModel* model)
{
    ModelBlock* blocks = (ModelBlock*)model->blocks;
    bool bound = true;
    for (uint32_t i = 0; i < model->blocks_count; i++)
        bound &= bind_block(model, &blocks[i]);
    return bound && model_bind_functions(model);
}

bool model_bind_functions(kaiModel* model)
{
    External* externals = (External*)model->externals;  // still ours alone
    for (uint32_t i = 0; i < model->externals_count; i++)
    {
        External* x = &externals[i];
        if (x->block != 0)
            continue;
        x->library = dlopen(model_string(model, x->path), RTLD_NOW | RTLD_LOCAL);
        void* symbol = x->library != NULL ? dlsym(x->library, model_string(model, x->symbol)) : NULL;
        memcpy(&x->function, &symbol, sizeof symbol);  // POSIX: a pointer to an object that is one to a function
        if (symbol == NULL)
            return false;
    }
    return true;
}

void model_free(kaiModel* model)
{
    if (model == NULL)
        return;
    for (uint32_t i = 0; i < model->externals_count; i++)
        if (model->externals[i].library != NULL)
            dlclose(model->externals[i].library);
    for (uint32_t i = 0; i < model->blocks_count; i++)
        release_block(&model->blocks[i]);
    if (model->start_values != NULL)
        model->allocator.alloc(model->allocator.user, model->start_values, sizeof(double) * (model->vars_count + 1), 0);
    model->allocator.alloc(model->allocator.user, model, model->size, 0);
}

kaiPlace model_place(const kaiModel* model, uint32_t place)
{
    const ModelPlace* p = &model->places[place];
    return (kaiPlace){
        .file = p->line > 0 ? model_string(model, p->file) : NULL,
        .line = p->line,
        .column = p->column,
        .end_line = p->line,
        .end_column = p->column + 1,
    };
}

int vm_op_arity(VmOp op)
{
    static const int arity[] = {
#define X(name, count) count,
        VM_OPS(X)
#undef X
    };
    return arity[op];
}

const char* vm_op_name(VmOp op)
{
    static const char* const names[] = {
#define X(name, count) #name,
        VM_OPS(X)
#undef X
    };
    return names[op];
}
