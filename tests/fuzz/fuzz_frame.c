// Bytes → what an editor writes to the language server. However the bytes come in pieces, the messages are the same;
// none is longer than what came; each gets an answer that the server can give.
#include "cli/frame.h"
#include "fuzz/fuzz.h"

typedef struct Talk
{
    kaiLanguageServer* server;
    size_t messages, bytes;  // how many were found, and how many bytes they had
    FrameStatus end;
} Talk;

static kaiStatus forget(void* user, const char* bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return KAI_OK;
}

// Pieces of `step` bytes, in a block that ends where they do, so that a sanitizer sees whoever reads on.
static Talk read_stream(const uint8_t* bytes, size_t size, size_t step, kaiLanguageServer* server)
{
    Talk talk = {.server = server, .end = FRAME_WAITS};
    size_t used = 0, count = 0;
    while (talk.end != FRAME_BROKEN && (count < size || talk.end == FRAME_FOUND))
    {
        size_t from, length;
        if (talk.end == FRAME_WAITS)
            count = size - count > step ? count + step : size;
        char* block = malloc(count - used + (count == used));
        fuzz_demand(block != NULL);
        memcpy(block, bytes + used, count - used);
        talk.end = frame_find(block, count - used, &from, &length);
        if (talk.end == FRAME_FOUND)
        {
            fuzz_demand(from <= count - used && length <= count - used - from);
            if (server != NULL && kaiLanguageServer_Message(server, block + from, length) == KAI_OK)
                kaiLanguageServer_Idle(server);
            used += from + length;
            talk.messages++;
            talk.bytes += length;
        }
        free(block);
    }
    return talk;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    if (size < 2 || size > FUZZ_TEXT)
        return -1;
    kaiServiceOptions options = kaiDefaultServiceOptions();
    options.files.read = fuzz_no_file;
    options.limits = (kaiLimits){.seconds = 1, .memory = FUZZ_MEMORY, .rows = 500, .tags = 1000};
    kaiSink sink = {forget, NULL};
    kaiLanguageServer* server = kaiLanguageServer_Create(&options, &sink, NULL);
    fuzz_demand(server != NULL);
    Talk whole = read_stream(bytes + 1, size - 1, size, server),
         parted = read_stream(bytes + 1, size - 1, 1u + bytes[0], NULL);
    fuzz_demand(whole.messages == parted.messages && whole.bytes == parted.bytes);
    kaiLanguageServer_Free(server);
    return 0;
}
