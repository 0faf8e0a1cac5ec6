// Text → does time diverge, with a second to find out: an answer in words, or a sentence.
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    if (size > FUZZ_TEXT / 8)
        return -1;
    char* text = fuzz_text(bytes, size);
    kaiProgram* program = fuzz_open(text);
    kaiCompileOptions options = kaiDefaultCompileOptions();
    kaiProveOptions prove = kaiDefaultProveOptions();
    kaiExperiment first;
    kaiProof* proof = NULL;
    prove.timeout = 1;
    if (program != NULL && kaiProgram_Experiment(program, 0, &first))
        options.experiment = first.name;
    if (program != NULL)
    {
        kaiStatus status = kaiProgram_Prove(program, &options, &prove, &proof);
        fuzz_demand((status == KAI_OK) == (proof != NULL));
        if (proof != NULL)
            fuzz_demand(kaiProof_Text(proof)[0] != 0);
        else
            fuzz_read_messages(program, status);
    }
    kaiProof_Free(proof);
    kaiProgram_Free(program);
    free(text);
    return 0;
}
