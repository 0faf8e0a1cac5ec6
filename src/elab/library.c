// Names of the library, and the files that hold them.
#include "elab/library.h"
#include "lang/idioms.h"

#include <stddef.h>

static const struct
{
    const char *file, *names;
} files[] = {
#define LIBRARY(file, names) {file, names},
#include "elab/library.def"
#undef LIBRARY
};

const char* library_advice(Arena* arena, const char* name)
{
    const char* advice = NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (idiom_lists(files[i].names, name))
            advice = advice ? arena_printf(arena, "%s, or `import \"%s\"`", advice, files[i].file)
                            : arena_printf(arena, "it is in the library: `import \"%s\"`", files[i].file);
    return advice;
}
