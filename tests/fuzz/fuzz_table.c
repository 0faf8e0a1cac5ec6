// Bytes → a table that a model reads, in all three ways; and an import.
#include "fuzz/fuzz.h"

typedef struct Bytes
{
    const uint8_t* at;
    size_t size;
} Bytes;

static kaiStatus provide(void* user, const kaiFileRequest* request, const char** text, size_t* length, const char** why)
{
    const Bytes* bytes = user;
    (void)request, (void)why;
    *text = (const char*)bytes->at;
    *length = bytes->size;
    return KAI_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    static const char text[] = "model M { state x = 0; x' = table(\"t.csv\", time) + table(\"t.csv\", time, 3)\n"
                               "  signal r = row(\"t.csv\", 2, 1), n = rows(\"t.csv\", inf) }\n"
                               "experiment e of M { stop = 2 }\n";
    static const char importing[] = "import \"t.kai\"\nmodel N { state x = 0; x' = 1 }\n";
    if (size > FUZZ_TEXT)
        return -1;
    Bytes all = {bytes, size};
    for (int i = 0; i < 2; i++)
    {
        kaiProgramOptions options = fuzz_options(i == 0 ? text : importing);
        options.files = (kaiFileProvider){provide, NULL, &all};
        kaiProgram* program = NULL;
        kaiModel* model = NULL;
        kaiCompileOptions compile = kaiDefaultCompileOptions();
        compile.experiment = i == 0 ? "e" : NULL;
        kaiProgram_Open(&options, &program, NULL);
        if (program != NULL)
            fuzz_read_messages(program, kaiProgram_Compile(program, &compile, &model));
        if (model != NULL)
            fuzz_run_model(model);
        kaiModel_Free(model);
        kaiProgram_Free(program);
    }
    return 0;
}
