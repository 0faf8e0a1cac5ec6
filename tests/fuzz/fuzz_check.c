// Text → all errors of every model and experiment, every listing, every symbol.
#include "fuzz/fuzz.h"

static void look_around(kaiProgram* program)
{
    kaiExperiment experiment;
    for (int i = 0; kaiProgram_Experiment(program, i, &experiment); i++)
        fuzz_demand(experiment.name != NULL && experiment.model != NULL);
    char line[100];
    for (int i = 1; i < 5; i++)
        kaiProgram_SourceLine(program, "fuzz.kai", i, line, sizeof line);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    if (size > FUZZ_TEXT)
        return -1;
    char* text = fuzz_text(bytes, size);
    kaiProgram* program = fuzz_open(text);
    if (program != NULL)
    {
        look_around(program);
        fuzz_read_messages(program, kaiProgram_Check(program));
        kaiCompileOptions options = kaiDefaultCompileOptions();
        for (int i = 0; kaiProgram_ListingWord(i) != NULL; i++)
        {
            const char* listing = NULL;
            kaiStatus status = kaiProgram_List(program, &options, kaiProgram_ListingWord(i), &listing);
            fuzz_demand((status == KAI_OK) == (listing != NULL));
        }
        kaiProgram_Free(program);
    }
    free(text);
    return 0;
}
