// Bytes → a question of the service, or lines of messages to a language server: what an editor or a page could send.
#include "fuzz/fuzz.h"
#include "service/json.h"

static kaiServiceOptions fuzz_service(void)
{
    kaiServiceOptions options = kaiDefaultServiceOptions();
    options.files.read = fuzz_no_file;
    options.limits = (kaiLimits){.seconds = 1, .memory = FUZZ_MEMORY, .rows = 500, .tags = 1000};
    return options;
}

// Whatever was asked, the answer is an object of JSON.
static kaiStatus demand_json(void* user, const char* bytes, size_t size)
{
    const char* trouble = NULL;
    Arena arena;
    jmp_buf fail;
    (void)user;
    arena_init(&arena, kaiDefaultAllocator(), &fail);
    const Json* answer = json_read(&arena, bytes, size, &trouble);
    fuzz_demand(answer != NULL && answer->kind == JSON_OBJECT);
    arena_free(&arena);
    return KAI_OK;
}

static void talk(char* text)
{
    static const char hello[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}";
    kaiServiceOptions options = fuzz_service();
    kaiSink sink = {demand_json, NULL};
    kaiLanguageServer* server = kaiLanguageServer_Create(&options, &sink, NULL);
    fuzz_demand(server != NULL && kaiLanguageServer_Message(server, hello, sizeof hello - 1) == KAI_OK);
    kaiStatus status = KAI_OK;
    for (char* line = text; status == KAI_OK && line != NULL;)
    {
        char* end = strchr(line, '\n');
        size_t length = end != NULL ? (size_t)(end - line) : strlen(line);
        status = kaiLanguageServer_Message(server, line, length);
        if (status == KAI_OK)
            status = kaiLanguageServer_Idle(server);
        line = end != NULL ? end + 1 : NULL;
    }
    fuzz_demand(status == KAI_OK || status == KAI_END || status == KAI_INTERRUPTED);
    kaiLanguageServer_Free(server);
}

// Questions that leave the process: to Z3, Graphviz or a file.
static bool leaves(const char* text)
{
    static const char* const words[] = {"prove", "diagram", "result", "figure"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]) != NULL)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    if (size < 2 || size > FUZZ_TEXT)
        return -1;
    char* text = fuzz_text(bytes, size);
    kaiServiceOptions options = fuzz_service();
    kaiSink sink = {demand_json, NULL};
    if (!leaves(text))
    {
        if (strstr(text, "\"method\"") != NULL)
            talk(text);
        else
            fuzz_demand(kaiService_Answer(&options, text, size, NULL, &sink) == KAI_OK);
    }
    free(text);
    return 0;
}
