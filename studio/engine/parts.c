// A browser opens no shared objects: this stands for src/part. What a part would do is refused with a sentence that
// says where it can be had; diagrams have a layout of ours.
#include "diagram/placement.h"
#include "layered.h"
#include "part/home.h"

#include <unistd.h>

static const char* const refusals[] = {
#define X(id, name, purpose, runs_with, built_with)                                                                    \
    "the part for " purpose " does not run in a browser; the installed program has it",
    PARTS(X)
#undef X
};

const void* part_load(Part part, size_t size, const char** trouble)
{
    static const DiagramsPart diagrams = {.layout = layered_layout};
    if (part == PART_DIAGRAMS && size == sizeof diagrams)
        return &diagrams;
    *trouble = refusals[part];
    return NULL;
}

bool home_find(const char* tail, char* path)
{
    (void)tail;
    path[0] = 0;
    return false;
}

bool home_models(char* path)
{
    path[0] = 0;
    return false;
}
