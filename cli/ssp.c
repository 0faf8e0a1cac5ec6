// Systems of FMUs on the command line: kairos check system.ssp, and running one as the model that it is.
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// ---- running
// ---------------------------------------------------------------------------------------------------------

void remove_ssp(char* folder)
{
    char path[PATH_MAX];
    if (folder == NULL)
        return;
    DIR* list = opendir(folder);
    for (struct dirent* d = list != NULL ? readdir(list) : NULL; d != NULL; d = readdir(list))
        if (snprintf(path, sizeof path, "%s/%s", folder, d->d_name) < (int)sizeof path && d->d_name[0] != '.')
            unlink(path);
    if (list != NULL)
        closedir(list);
    rmdir(folder);
    free(folder);
}

static char* make_folder(void)
{
    const char* where = getenv("TMPDIR");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/kairos-ssp-XXXXXX", where != NULL && where[0] != 0 ? where : "/tmp");
    return mkdtemp(path) != NULL ? strdup(path) : NULL;
}

// Naming the file is the permission to call what is in it.
int read_ssp(kaiProgramOptions* source, char** folder, char** model)
{
    kaiError error;
    *folder = make_folder();
    if (*folder == NULL)
    {
        fprintf(stderr, "kairos: there is no folder for the FMUs of %s: %s\n", source->path, strerror(errno));
        return EXIT_FILE;
    }
    kaiStatus status = kaiSsp_Read(source->path, *folder, kaiDefaultAllocator(), &error);
    if (status != KAI_OK)
    {
        fprintf(stderr, "kairos: %s\n", error.message);
        return exit_code(status);
    }
    size_t size = strlen(*folder) + 20;
    *model = malloc(size);
    if (*model == NULL)
        return EXIT_RUN;
    snprintf(*model, size, "%s/system.kai", *folder);
    source->path = *model;
    source->policy.allow_external = true;
    return EXIT_DONE;
}
