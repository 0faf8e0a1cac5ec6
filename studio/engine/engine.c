// The service in a browser: one question at a time, in a worker that has this library to itself. A run is ended by
// ending its worker; limits end those that nobody watches.
#include "kairos/service.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default"), used))

static char* answer_text;
static size_t answer_size;
static volatile double reached;

static kaiStatus take(void* user, const char* bytes, size_t size)
{
    (void)user;
    free(answer_text);
    answer_text = malloc(size + 1);
    answer_size = 0;
    if (answer_text == NULL)
        return KAI_ERR_MEMORY;
    memcpy(answer_text, bytes, size);
    answer_size = size;
    return KAI_OK;
}

// Models and what they read lie below /models, the library where an installation has it.
EXPORTED int engine_answer(const char* question, size_t length)
{
    static const char* const folders[] = {"/models"};
    kaiServiceOptions options = kaiDefaultServiceOptions();
    kaiSink sink = {take, NULL};
    options.folder = folders[0];
    options.library = "/lib";
    options.policy.folders = folders;
    options.policy.folder_count = 1;
    options.limits = (kaiLimits){.seconds = 60, .memory = (size_t)1 << 30, .rows = 2000000, .tags = 20000000};
    options.reached = &reached;
    reached = NAN;
    answer_size = 0;
    return kaiService_Answer(&options, question, length, NULL, &sink);
}

EXPORTED const char* engine_text(void)
{
    return answer_text;
}

EXPORTED size_t engine_length(void)
{
    return answer_size;
}

// Where the model time of a run is to be read while it is answered.
EXPORTED const volatile double* engine_reached(void)
{
    return &reached;
}
