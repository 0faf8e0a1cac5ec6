// What an FMU carries in its resources (src/fmi/export.c puts it there): the text of the model and everything it reads,
// or the compiled model, and how it is to be compiled.
#ifndef KAIROS_FMU_STORE_H
#define KAIROS_FMU_STORE_H

#include "base/arena.h"
#include "fmi/shape.h"
#include "kairos/kairos.h"

typedef struct StoredFile
{
    const char *archive, *path;
    char* bytes;
    size_t size;
} StoredFile;

typedef VEC(kaiGiven) GivenList;

typedef struct Store
{
    Arena* arena;
    const char* folder;  // of the resources
    bool whole, compiled;
    const char *experiment, *model, *guid;
    VEC(StoredFile) files;
    VEC(kaiOverride) overrides;
    GivenList values, settings;
    SizeRules sizes;
} Store;

// False: `why` is a sentence.
bool store_open(Store* store, Arena* arena, const char* folder, char* why, size_t size);
// The model, with values that replace those of the text (structural parameters). NULL: `why` is a sentence.
kaiModel* store_compile(Store* store, const kaiOverride* overrides, int count, char* why, size_t size);
// The folder of a URI "file:///tmp/…" or of a plain path.
char* store_folder(Arena* arena, const char* uri);

#endif
