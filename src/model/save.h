// Models as bytes, for files: what was compiled once is run elsewhere, later, or many times.
#ifndef KAIROS_MODEL_SAVE_H
#define KAIROS_MODEL_SAVE_H

#include "base/text.h"
#include "model/model.h"

// The bytes of a model, `*size` of them, from the allocator; the caller gives them back to it with that size. NULL: no
// memory.
void* model_save(const kaiModel* model, kaiAllocator allocator, size_t* size);

// The model that model_save wrote, validated. Its external functions are not there yet: model_bind opens their
// libraries, which is for the caller to allow. NULL: `why` says what is wrong with the bytes.
kaiModel* model_load(const void* bytes, size_t size, kaiAllocator allocator, Text* why);

#endif
