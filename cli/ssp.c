// Systems of FMUs on the command line: kairos check system.ssp.
#include "cli/cli.h"

#include <string.h>

bool is_ssp(const char* path)
{
    size_t length = path != NULL ? strlen(path) : 0;
    return length > 4 && strcmp(path + length - 4, ".ssp") == 0;
}

int check_ssp(const char* path)
{
    kaiError error;
    kaiStatus status = kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error);
    if (status != KAI_OK)
        fprintf(stderr, "kairos: %s\n", error.message);
    return exit_code(status);
}
