// A text that names files is a stranger's wish. What it names is made canonical first, so that neither `..` nor a
// symbolic link leads out of the folders it may read, and the canonical path is what gets opened. Only regular files
// are read: opening a FIFO waits for a writer, and a device never ends. The file that the caller names is the caller's
// own business; it may be a pipe.
#include "lang/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void files_allow(Files* files, Arena* arena, const char* folder)
{
    if (folder == NULL)
        return;
    files->arena = arena;
    vec_push(arena, files->folders, arena_copy_string(arena, folder, strlen(folder)));
    vec_push(arena, files->roots, NULL);
}

const char* files_folder(Arena* arena, const char* path)
{
    const char* slash = strrchr(path, '/');
    if (slash == NULL)
        return ".";
    return slash == path ? "/" : arena_copy_string(arena, path, (size_t)(slash - path));
}

// Made canonical when the first file is held against it: most models name no files, and realpath looks at every folder
// on the way. NULL: it is not there.
static const char* root(const Files* files, uint32_t i)
{
    char real[PATH_MAX];
    if (files->roots.at[i] == NULL && realpath(files->folders.at[i], real) != NULL)
        files->roots.at[i] = arena_copy_string(files->arena, real, strcmp(real, "/") == 0 ? 0 : strlen(real));
    return files->roots.at[i];
}

static bool is_allowed(const Files* files, const char* real)
{
    for (uint32_t i = 0; i < files->folders.count; i++)
    {
        const char* folder = root(files, i);
        size_t length = folder != NULL ? strlen(folder) : 0;
        if (folder != NULL && strncmp(real, folder, length) == 0 && real[length] == '/')
            return true;
    }
    return false;
}

// ---- identity

// "a/./b/../c" → "a/c", by the text alone: a provider's paths need not be in any file system.
static const char* tidy_path(Arena* arena, const char* path)
{
    char* made = arena_alloc(arena, strlen(path) + 2);
    size_t length = 0, fixed = path[0] == '/' ? 1 : 0;
    if (fixed)
        made[length++] = '/';
    for (const char* part = path; *part;)
    {
        size_t size = strcspn(part, "/");
        bool up = size == 2 && part[0] == '.' && part[1] == '.';
        if (up && length > fixed && strcmp(made + length - 1, "/") != 0 && strcmp(made, "..") != 0 &&
            (length < 3 || strncmp(made + length - 3, "/..", 3) != 0))
        {
            while (length > fixed && made[length - 1] != '/')
                made[--length] = 0;
            if (length > fixed)
                made[--length] = 0;
        }
        else if (size > 0 && !(size == 1 && part[0] == '.') && !(up && fixed && length == fixed))
        {
            if (length > fixed)
                made[length++] = '/';
            memcpy(made + length, part, size);
            length += size;
        }
        part += size + (part[size] == '/');
    }
    return made;
}

const char* files_identity(const Files* files, Arena* arena, const char* path)
{
    char real[PATH_MAX];
    if (files != NULL && files->provider.read != NULL)
        return tidy_path(arena, path);
    return realpath(path, real) != NULL ? arena_copy_string(arena, real, strlen(real)) : path;
}

// ---- opening

// The path to open; NULL: *outcome and *why say why not.
static const char* check_path(const Files* files, const kaiFileRequest* request, char real[PATH_MAX],
                              FileOutcome* outcome, const char** why)
{
    if (request->use == KAI_FILE_MAIN || files == NULL || files->allow_files)
        return request->path;
    *outcome = FILE_FAILED;
    if (realpath(request->path, real) == NULL)
        return *why = strerror(errno), NULL;
    if (is_allowed(files, real))
        return real;
    *outcome = FILE_REFUSED;
    *why = "it lies outside the folders that the model may read";
    return NULL;
}

static const char* check_kind(const kaiFileRequest* request, int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return strerror(errno);
    if (S_ISDIR(status.st_mode))
        return strerror(EISDIR);
    return request->use == KAI_FILE_MAIN || S_ISREG(status.st_mode) ? NULL : "it is no regular file";
}

FileOutcome files_open(const Files* files, const kaiFileRequest* request, int* descriptor, const char** why)
{
    char real[PATH_MAX];
    FileOutcome outcome = FILE_FAILED;
    const char* path = check_path(files, request, real, &outcome, why);
    if (path == NULL)
        return outcome;
    int wait = request->use == KAI_FILE_MAIN ? 0 : O_NONBLOCK;
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | wait);
    if (*descriptor < 0)
        return *why = strerror(errno), FILE_FAILED;
    *why = check_kind(request, *descriptor);
    if (*why == NULL)
        return FILE_DONE;
    close(*descriptor);
    return FILE_FAILED;
}
