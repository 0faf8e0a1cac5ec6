// Compiled models as bytes: kaiModel_Save and back.
#include "base/error.h"
#include "kairos/block.h"
#include "model/save.h"

#include <dlfcn.h>
#include <string.h>

kaiStatus kaiModel_Save(const kaiModel* model, const kaiSink* sink)
{
    if (model == NULL || sink == NULL || sink->write == NULL)
        return KAI_ERR_USAGE;
    kaiAllocator a = kaiDefaultAllocator();
    size_t size = 0;
    void* bytes = model_save(model, a, &size);
    if (bytes == NULL)
        return KAI_ERR_MEMORY;
    kaiStatus status = sink->write(sink->user, bytes, size);
    a.alloc(a.user, bytes, size, 0);
    return status;
}

// A library that is opened belongs to the model from there on.
static const kaiBlock* make_block(const kaiModel* model, ModelBlock* b)
{
    typedef const kaiBlock* (*Maker)(void);
    Maker maker;
    b->opened = dlopen(model_string(model, b->path), RTLD_NOW | RTLD_LOCAL);
    void* symbol = b->opened != NULL ? dlsym(b->opened, model_string(model, b->variant)) : NULL;
    if (symbol == NULL)
        return NULL;
    memcpy(&maker, &symbol, sizeof symbol);  // POSIX: a pointer to an object that is one to a function
    const kaiBlock* made = maker();
    bool same = made != NULL && made->version == KAI_BLOCK_VERSION;
    if (same && made->hold != NULL)
        made->hold(made, 1);
    return same ? made : NULL;
}

// What the model was compiled with is opened again, from where it was.
static kaiStatus open_block(const kaiModel* model, ModelBlock* b, const kaiBlockProvider* blocks, kaiError* error)
{
    const char* path = model_string(model, b->path);
    if (b->library)
    {
        b->block = make_block(model, b);
        if (b->block == NULL)
            return error_set(error, KAI_ERR_IO, "%s, a block of the saved model, cannot be opened", path);
    }
    else if (blocks == NULL || blocks->open == NULL)
        return error_set(error, KAI_ERR_USAGE, "the saved model has FMUs in it, and nobody to open them: %s", path);
    else
    {
        const kaiBlock* found = NULL;
        kaiStatus status =
            blocks->open(blocks->user, path, model_string(model, b->variant), kaiDefaultAllocator(), &found, error);
        if (status != KAI_OK)
            return status;
        b->block = found;
    }
    return model_block_shape(b->block) == b->shape
               ? KAI_OK
               : error_set(error, KAI_ERR_IO, "%s is another one than the saved model was compiled with", path);
}

static kaiStatus bind(kaiModel* model, bool allow_external, const kaiBlockProvider* blocks, kaiError* error)
{
    ModelBlock* list = (ModelBlock*)model->blocks;  // still ours alone
    if (model->externals_count == 0)
        return KAI_OK;
    if (!allow_external)
        return error_set(error, KAI_ERR_USAGE, "the saved model calls C functions, which has not been allowed");
    for (uint32_t i = 0; i < model->blocks_count; i++)
    {
        kaiStatus status = open_block(model, &list[i], blocks, error);
        if (status != KAI_OK)
            return status;
    }
    if (!model_bind_functions(model))
        return error_set(error, KAI_ERR_IO, "a library of C functions that the saved model calls cannot be opened");
    return KAI_OK;
}

kaiStatus kaiModel_LoadSaved(const void* bytes, size_t size, bool allow_external, kaiModel** model, kaiError* error)
{
    return kaiModel_LoadSavedBlocks(bytes, size, allow_external, NULL, model, error);
}

kaiStatus kaiModel_LoadSavedBlocks(const void* bytes, size_t size, bool allow_external, const kaiBlockProvider* blocks,
                                   kaiModel** model, kaiError* error)
{
    Text why = {0};
    if (model != NULL)
        *model = NULL;
    if (bytes == NULL || model == NULL)
        return error_set(error, KAI_ERR_USAGE, "there are no bytes to load a model from, or no place for it");
    kaiModel* made = model_load(bytes, size, kaiDefaultAllocator(), &why);
    if (made == NULL)
        return error_set(error, KAI_ERR_IO, "%s", why.at);
    kaiStatus status = bind(made, allow_external, blocks, error);
    if (status == KAI_OK)
        *model = made;
    else
        model_free(made);
    return status;
}
