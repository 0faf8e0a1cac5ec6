// Text → canonical layout: what can be laid out can be read again, is laid out as itself, and means the same (its flat
// equations are the same text).
#include "fuzz/fuzz.h"

// The flat equations; NULL: it has none. The caller frees it.
static char* flat_of(kaiProgram* program)
{
    const char* listing = NULL;
    kaiCompileOptions options = kaiDefaultCompileOptions();
    return kaiProgram_List(program, &options, "flat", &listing) == KAI_OK ? strdup(listing) : NULL;
}

static char* layout_of(kaiProgram* program)
{
    const char* text = NULL;
    return kaiProgram_Format(program, &text) == KAI_OK ? strdup(text) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    if (size > FUZZ_TEXT / 4)
        return -1;
    char* text = fuzz_text(bytes, size);
    kaiProgram* program = fuzz_open(text);
    char* once = program != NULL ? layout_of(program) : NULL;
    if (once != NULL)
    {
        kaiProgram* again = fuzz_open(once);
        fuzz_demand(again != NULL);
        char* twice = layout_of(again);
        fuzz_demand(twice != NULL && strcmp(once, twice) == 0);
        char *meant = flat_of(program), *means = flat_of(again);
        fuzz_demand((meant == NULL) == (means == NULL) && (meant == NULL || strcmp(meant, means) == 0));
        free(meant);
        free(means);
        free(twice);
        kaiProgram_Free(again);
    }
    free(once);
    kaiProgram_Free(program);
    free(text);
    return 0;
}
