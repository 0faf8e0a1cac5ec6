// See file.h.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* refuse(int descriptor, size_t most, size_t* size)
{
    struct stat about;
    if (descriptor < 0 || fstat(descriptor, &about) != 0)
        return strerror(errno);
    if (!S_ISREG(about.st_mode))
        return S_ISDIR(about.st_mode) ? "it is a folder" : "it is no regular file";
    *size = (size_t)about.st_size;
    return *size <= most ? NULL : "it is larger than a file of its kind can be";
}

FILE* file_open_whole(const char* path, size_t most, size_t* size, const char** why)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *size = 0;
    *why = refuse(descriptor, most, size);
    FILE* file = *why == NULL ? fdopen(descriptor, "rb") : NULL;
    if (*why == NULL && file == NULL)
        *why = strerror(errno);
    if (file == NULL && descriptor >= 0)
        close(descriptor);
    return file;
}

// The room is made while the file is not open.
char* file_read_whole(Arena* arena, const char* path, size_t most, size_t* size, const char** why)
{
    FILE* file = file_open_whole(path, most, size, why);
    if (file == NULL)
        return NULL;
    fclose(file);
    char* bytes = arena_alloc(arena, *size + 1);
    size_t again;
    file = file_open_whole(path, most, &again, why);
    if (file == NULL)
        return NULL;
    if (fread(bytes, 1, *size, file) != *size)
        *why = ferror(file) ? strerror(errno) : "it has become shorter";
    fclose(file);
    return *why == NULL ? bytes : NULL;
}
