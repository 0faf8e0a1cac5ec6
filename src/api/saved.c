// Compiled models as bytes: kaiModel_Save and back.
#include "base/error.h"
#include "kairos/model.h"
#include "model/save.h"

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

static kaiStatus bind(kaiModel* model, bool allow_external, kaiError* error)
{
    if (model->externals_count == 0)
        return KAI_OK;
    if (!allow_external)
        return error_set(error, KAI_ERR_USAGE, "the saved model calls C functions, which has not been allowed");
    if (!model_bind(model))
        return error_set(error, KAI_ERR_IO, "a library of C functions that the saved model calls cannot be opened");
    return KAI_OK;
}

kaiStatus kaiModel_LoadSaved(const void* bytes, size_t size, bool allow_external, kaiModel** model, kaiError* error)
{
    Text why = {0};
    if (model != NULL)
        *model = NULL;
    if (bytes == NULL || model == NULL)
        return error_set(error, KAI_ERR_USAGE, "there are no bytes to load a model from, or no place for it");
    kaiModel* made = model_load(bytes, size, kaiDefaultAllocator(), &why);
    if (made == NULL)
        return error_set(error, KAI_ERR_IO, "%s", why.at);
    kaiStatus status = bind(made, allow_external, error);
    if (status == KAI_OK)
        *model = made;
    else
        model_free(made);
    return status;
}
