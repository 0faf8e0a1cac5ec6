// What the targets share. A target is one function that takes any bytes and must come back: without a crash, a report
// of a sanitizer, or a broken promise (fuzz_demand). clang links it with libFuzzer; every other build links it with
// replay.c, which runs files through it once, so that each input that ever failed is a test of every build.
#ifndef KAIROS_FUZZ_FUZZ_H
#define KAIROS_FUZZ_FUZZ_H

#include "kairos/kairos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

#define fuzz_demand(condition)                                                                                         \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
        {                                                                                                              \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum
{
    FUZZ_MEMORY = 64 << 20,
    FUZZ_TEXT = 1 << 16,  // longer ones teach nothing
};

// No file is there but the text itself, and no library but this: a fuzzer must not read the disk.
static inline kaiStatus fuzz_no_file(void* user, const kaiFileRequest* request, const char** text, size_t* length,
                                     const char** why)
{
    (void)user, (void)request, (void)text, (void)length;
    *why = "no such file";
    return KAI_ERR_IO;
}

// The bytes as a text; the caller frees it. A 0 inside ends it, as it would in C.
static inline char* fuzz_text(const uint8_t* bytes, size_t size)
{
    char* text = malloc(size + 1);
    fuzz_demand(text != NULL);
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = 0;
    return text;
}

static inline kaiProgramOptions fuzz_options(const char* text)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    options.path = "fuzz.kai";
    options.text = text;
    options.files.read = fuzz_no_file;
    options.limits = (kaiLimits){.seconds = 2, .memory = FUZZ_MEMORY};
    return options;
}

// A text that is refused says why, and every message has words and a layout.
static inline void fuzz_read_messages(kaiProgram* program, kaiStatus status)
{
    int errors = 0;
    for (int i = 0; i < kaiProgram_MessageCount(program); i++)
    {
        const kaiError* message = kaiProgram_Message(program, i);
        fuzz_demand(message->message != NULL && message->message[0] != 0 && message->code != NULL);
        fuzz_demand(kaiProgram_MessageText(program, i, i % 2 == 1)[0] != 0);
        errors += message->severity == KAI_ERROR;
    }
    fuzz_demand(status != KAI_ERR_MODEL || errors > 0);
}

static inline kaiProgram* fuzz_open(const char* text)
{
    kaiProgramOptions options = fuzz_options(text);
    kaiProgram* program = NULL;
    kaiError error;
    kaiStatus status = kaiProgram_Open(&options, &program, &error);
    fuzz_demand(status <= 0 && (status == KAI_OK || error.message != NULL));
    if (program != NULL)
        fuzz_read_messages(program, status);
    return program;
}

// A short run: it ends, and one that fails says why.
static inline void fuzz_run_model(const kaiModel* model)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiError error;
    options.limits = (kaiLimits){.seconds = 0.3, .memory = FUZZ_MEMORY, .rows = 500, .tags = 1000};
    kaiSim* sim = kaiSim_Create(model, &options, &error);
    if (sim == NULL)
    {
        fuzz_demand(error.message != NULL);
        return;
    }
    kaiStatus status = KAI_OK;
    if (strcmp(options.choice, "all") == 0)
    {
        kaiExploreEvents events = {NULL, NULL, NULL};
        kaiExploration found;
        status = kaiSim_Explore(model, sim, &events, &found);
    }
    else
        status = kaiSim_Run(sim);
    fuzz_demand(status == KAI_END || (status < 0 && kaiSim_Failure(sim)->message != NULL));
    kaiExpectResult result;
    for (int i = 0; i < kaiModel_ExpectCount(model); i++)
        kaiSim_Expect(sim, i, &result);
    kaiSim_Free(sim);
}

#endif
