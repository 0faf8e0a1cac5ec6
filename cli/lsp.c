// kairos lsp: the language server on standard input and output, for editors.
#include "cli/frame.h"
#include "cli/options.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    CHUNK = 65536,
    KEPT = 256 << 20,
};

// What has been read and not been used.
typedef struct Inbox
{
    char* bytes;
    size_t count, capacity;
} Inbox;

static kaiStatus write_message(void* user, const char* bytes, size_t size)
{
    (void)user;
    bool fine = printf("Content-Length: %zu\r\n\r\n", size) > 0 && fwrite(bytes, 1, size, stdout) == size;
    return fine && fflush(stdout) == 0 ? KAI_OK : KAI_ERR_IO;
}

// More bytes; false: there will be none.
static bool read_more(Inbox* in)
{
    if (in->count + CHUNK > in->capacity)
    {
        size_t capacity = 2 * in->capacity + CHUNK;
        char* more = realloc(in->bytes, capacity);
        if (more == NULL)
            return false;
        in->bytes = more;
        in->capacity = capacity;
    }
    ssize_t got;
    do
        got = read(0, in->bytes + in->count, CHUNK);
    while (got < 0 && errno == EINTR);
    in->count += got > 0 ? (size_t)got : 0;
    return got > 0;
}

static bool input_waits(void)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    return poll(&input, 1, 0) > 0;
}

static int serve(kaiLanguageServer* server)
{
    Inbox in = {0};
    size_t from, size;
    bool broken = false;
    kaiStatus status = KAI_OK;
    while (!broken && (status == KAI_OK || status == KAI_ERR_MEMORY))
    {
        FrameStatus frame = frame_find(in.bytes, in.count, &from, &size);
        broken = frame == FRAME_BROKEN;
        if (frame == FRAME_FOUND)
        {
            status = kaiLanguageServer_Message(server, in.bytes + from, size);
            in.count -= from + size;
            memmove(in.bytes, in.bytes + from + size, in.count);
            continue;
        }
        if (!broken && !input_waits())
            status = kaiLanguageServer_Idle(server);
        if (!broken && !read_more(&in))
            break;
    }
    free(in.bytes);
    if (broken)
        return fputs("kairos: standard input is no message of the Language Server Protocol\n", stderr), EXIT_FILE;
    return status == KAI_END ? EXIT_DONE : EXIT_MODEL;  // as the protocol wants it
}

static int take(void* user, const Arguments* a, Found found)
{
    int code = EXIT_DONE;
    if (found == FOUND_FILE)
        return usage_error("lsp takes no file: the editor sends the texts");
    take_rights(user, a, &code);  // --stdio is how clients ask for what it does anyway
    return code;
}

int command_lsp(int argc, char** argv)
{
    kaiProgramOptions source = source_options();
    source.limits.seconds = 5;
    int code = arguments_each(FOR_LSP, argc, argv, take, &source);
    if (code != EXIT_DONE)
        return code;
    // Each keystroke asks for what the last one gave back: a third of its time is the kernel's if it goes that far.
    mallopt(M_MMAP_THRESHOLD, KEPT);
    mallopt(M_TRIM_THRESHOLD, KEPT);
    kaiServiceOptions options = kaiDefaultServiceOptions();
    options.policy = source.policy;
    options.blocks = source.blocks;
    options.limits = source.limits;
    kaiError error;
    kaiSink sink = {write_message, NULL};
    kaiLanguageServer* server = kaiLanguageServer_Create(&options, &sink, &error);
    if (server == NULL)
        return fprintf(stderr, "kairos: %s\n", error.message), EXIT_RUN;
    code = serve(server);
    kaiLanguageServer_Free(server);
    return code;
}
