// An archive on its way into a file: written beside it as `path`.part, and in its place when it is whole.
#ifndef KAIROS_FMI_PACKING_H
#define KAIROS_FMI_PACKING_H

#include "base/arena.h"
#include "kairos/error.h"

#include <stdio.h>

typedef struct Packing
{
    const char* path;
    char* partial;  // what would be left behind; NULL: nothing
    FILE* out;
    kaiSink sink;
} Packing;

// `path` must live as long. KAI_ERR_IO: *error says why it cannot be written; what is no file is not replaced by one.
kaiStatus packing_open(Packing* p, Arena* arena, const char* path, kaiError* error);
// `status` is what writing came to. If it is not KAI_OK, nothing is left, and *error gets a message if it has none yet.
kaiStatus packing_close(Packing* p, kaiStatus status, kaiError* error);
// Nothing is left of it; nothing happens to one that was never opened, or is closed. For jumps out of the writing.
void packing_drop(Packing* p);

#endif
