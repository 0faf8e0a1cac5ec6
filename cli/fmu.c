// FMUs of anybody on the command line: kairos check thing.fmu.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

bool is_fmu(const char* path)
{
    size_t length = path != NULL ? strlen(path) : 0;
    return length > 4 && strcmp(path + length - 4, ".fmu") == 0;
}

static kaiStatus keep(void* user, const char* bytes, size_t count)
{
    char** text = user;
    *text = malloc(count + 1);
    if (*text == NULL)
        return KAI_ERR_MEMORY;
    memcpy(*text, bytes, count);
    (*text)[count] = 0;
    return KAI_OK;
}

// Naming the file is the permission to call it.
int read_fmu(kaiProgramOptions* source, const char* type, char** text)
{
    kaiError error;
    kaiSink sink = {.write = keep, .user = text};
    kaiStatus status = kaiFmu_Text(source->path, type != NULL ? type : "", &sink, &error);
    if (status != KAI_OK)
    {
        fprintf(stderr, "kairos: %s\n", error.message);
        return exit_code(status);
    }
    source->text = *text;
    source->policy.allow_external = true;
    return EXIT_DONE;
}

// With the permission to call it, also the calls in their order.
static kaiStatus walk_fmu(const char* path, const kaiProgramOptions* source)
{
    kaiError error;
    double seconds = source->limits.seconds > 0 ? source->limits.seconds : 30;
    kaiStatus status = kaiFmu_Walk(path, seconds, &error);
    if (status != KAI_OK)
        fprintf(stderr, "%s: error: %s\n", path, error.message);
    return status;
}

int check_fmu(const char* path, const kaiProgramOptions* source)
{
    kaiFmu* fmu = NULL;
    kaiError error;
    kaiStatus status = kaiFmu_Open(path, kaiDefaultAllocator(), &fmu, &error);
    if (fmu == NULL)
        fprintf(stderr, "kairos: %s\n", error.message);
    for (int i = 0; i < kaiFmu_MessageCount(fmu); i++)
    {
        const kaiError* m = kaiFmu_Message(fmu, i);
        const char* word = m->severity == KAI_ERROR ? "error" : "warning";
        if (m->place.file != NULL)
            fprintf(stderr, "%s/%s:%d: %s: %s\n", path, m->place.file, m->place.line, word, m->message);
        else
            fprintf(stderr, "%s: %s: %s\n", path, word, m->message);
    }
    kaiFmu_Free(fmu);
    if (status == KAI_OK && source->policy.allow_external)
        status = walk_fmu(path, source);
    return exit_code(status);
}
