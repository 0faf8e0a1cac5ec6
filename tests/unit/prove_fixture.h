// For tests of proofs: a model as text, the answer, and what its report must say.
#ifndef KAIROS_TESTS_PROVE_FIXTURE_H
#define KAIROS_TESTS_PROVE_FIXTURE_H

#include "kairos/kairos.h"
#include "unit/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline kaiProof* ask(const char* text, const char* experiment, double seconds)
{
    LoadOptions load = load_default();
    char path[] = "/tmp/kairos-prove-XXXXXX";  // the witness imports the model
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE* out = fdopen(file, "w");
    fputs(text, out);
    fclose(out);
    load.path = path;
    load.experiment = experiment;
    kaiProveOptions options = kaiDefaultProveOptions();
    options.timeout = seconds;
    kaiProof* proof = NULL;
    kaiProgram* messages = NULL;
    kaiCompileOptions compile = load_compile(&load);
    kaiStatus status = load_program(&load, &messages);
    if (messages != NULL)
        status = kaiProgram_Prove(messages, &compile, &options, &proof);
    if (status != KAI_OK)
        fail_msg("not proved (%d): %s\n%s", status,
                 kaiProgram_MessageCount(messages) > 0 ? kaiProgram_MessageText(messages, 0, false) : "", text);
    kaiProgram_Free(messages);
    remove(path);
    return proof;
}

// The answer, and texts that the report must have (NULL ends the list).
static inline void answers(kaiAnswer expected, const char* text, ...)
{
    kaiProof* proof = ask(text, strstr(text, "experiment e of") != NULL ? "e" : NULL, 20);
    const char* said = kaiProof_Text(proof);
    if (kaiProof_Answer(proof) != expected)
        fail_msg("answer %d instead of %d for\n%s\n%s", kaiProof_Answer(proof), expected, text, said);
    if (expected == KAI_REFUTED && kaiProof_Replay(proof) == NULL)
        fail_msg("the witness does not loop:\n%s\n%s", said, kaiProof_Experiment(proof));
    va_list list;
    va_start(list, text);
    for (const char* part; (part = va_arg(list, const char*)) != NULL;)
        if (strstr(said, part) == NULL)
            fail_msg("the report does not say `%s`:\n%s", part, said);
    va_end(list);
    kaiProof_Free(proof);
}

#endif
