// See whole.h.
#include "cli/whole.h"

#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const WholeFile* file, int error)
{
    fprintf(stderr, "kairos: %s cannot be written: %s\n", file->path, strerror(error));
    return EXIT_FILE;
}

int whole_open(WholeFile* file, const char* path)
{
    struct stat found;
    *file = (WholeFile){.path = path, .out = stdout};
    if (path == NULL || strcmp(path, "-") == 0)
        return file->path = "standard output", EXIT_DONE;
    bool there = stat(path, &found) == 0;
    if (!there || S_ISREG(found.st_mode))
        snprintf(file->part, sizeof file->part, "%s.part", path);
    if (there && S_ISREG(found.st_mode) && access(path, W_OK) != 0)
        return file->out = NULL, failed(file, errno);
    file->out = fopen(file->part[0] != 0 ? file->part : path, "wb");
    return file->out != NULL ? EXIT_DONE : failed(file, errno);
}

int whole_close(WholeFile* file, int code)
{
    if (file->out == NULL)
        return code;
    errno = 0;
    bool fine = fflush(file->out) == 0 && !ferror(file->out);
    if (file->out != stdout)
    {
        fine = (file->part[0] == 0 || !fine || code != EXIT_DONE || fsync(fileno(file->out)) == 0) && fine;
        fine = fclose(file->out) == 0 && fine;
    }
    if (file->part[0] != 0 && code == EXIT_DONE && fine)
        fine = rename(file->part, file->path) == 0;
    int error = errno != 0 ? errno : EIO;
    if (file->part[0] != 0 && (code != EXIT_DONE || !fine))
        remove(file->part);
    file->out = NULL;
    return code != EXIT_DONE || fine ? code : failed(file, error);
}
