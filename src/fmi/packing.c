#include "fmi/packing.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static kaiStatus to_file(void* user, const char* bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size ? KAI_OK : KAI_ERR_IO;
}

kaiStatus packing_open(Packing* p, Arena* arena, const char* path, kaiError* error)
{
    struct stat found;
    *p = (Packing){.path = path};
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))  // it would be replaced, not written to
        return error_set(error, KAI_ERR_IO, "%s cannot be written: it is no file", path);
    char* partial = arena_printf(arena, "%s.part", path);
    p->out = fopen(partial, "wb");
    if (p->out == NULL)
        return error_set(error, KAI_ERR_IO, "%s cannot be written: %s", path, strerror(errno));
    p->partial = partial;
    p->sink = (kaiSink){to_file, p->out};
    return KAI_OK;
}

static kaiStatus say(const Packing* p, kaiStatus status, int reason, kaiError* error)
{
    if (error == NULL || error->message != NULL)  // whoever wrote has said more
        return status;
    if (status == KAI_ERR_MEMORY)
        return error_memory(error);
    return error_set(error, status, "%s cannot be written: %s", p->path,
                     status == KAI_ERR_LIMIT ? "an archive has at most 4 GB" : strerror(reason));
}

kaiStatus packing_close(Packing* p, kaiStatus status, kaiError* error)
{
    int reason = errno;
    bool closed = fclose(p->out) == 0;
    p->out = NULL;
    if (status == KAI_OK && (!closed || rename(p->partial, p->path) != 0))
    {
        reason = errno;
        status = KAI_ERR_IO;
    }
    if (status == KAI_OK)
        p->partial = NULL;
    packing_drop(p);
    return status == KAI_OK ? KAI_OK : say(p, status, reason, error);
}

void packing_drop(Packing* p)
{
    if (p->out != NULL)
        fclose(p->out);
    if (p->partial != NULL)
        unlink(p->partial);
    p->out = NULL;
    p->partial = NULL;
}
