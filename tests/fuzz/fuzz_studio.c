// Bytes → requests to the studio, above the part that speaks HTTP: a request line, headers, an empty line, a body; "@"
// in the path stands for its word. Every request gets one reply with a sound status, and those without the word none
// but a refusal. The server is taken in as text: its handler is what a part calls.
#include "fuzz/fuzz.h"
#include "part/part.h"

#include <unistd.h>

static const void* fuzz_part(Part part, size_t size, const char** trouble);
#define part_load fuzz_part
#include "studio/server.c"  // NOLINT(bugprone-suspicious-include)

#include <unistd.h>
#undef part_load

typedef struct Wire
{
    char* headers[20];
    int header_count;
    const char* body;
    size_t left;
    int replies, status;
} Wire;

static const char* wire_header(void* connection, const char* name)
{
    Wire* wire = connection;
    size_t length = strlen(name);
    for (int i = 0; i < wire->header_count; i++)
        if (strncasecmp(wire->headers[i], name, length) == 0 && wire->headers[i][length] == ':')
            return wire->headers[i] + length + 1 + strspn(wire->headers[i] + length + 1, " ");
    return NULL;
}

static int wire_read(void* connection, void* bytes, size_t size)
{
    Wire* wire = connection;
    size_t count = size < wire->left ? size : wire->left;
    memcpy(bytes, wire->body, count);
    wire->body += count;
    wire->left -= count;
    return (int)count;
}

static void wire_reply(void* connection, int status, const char* headers, const void* body, size_t size)
{
    Wire* wire = connection;
    wire->replies++;
    wire->status = status;
    fuzz_demand(headers != NULL && (size == 0 || body != NULL));
    fuzz_demand(strlen(headers) > 2 && strcmp(headers + strlen(headers) - 2, "\r\n") == 0);
}

static void* wire_start(int* port, int threads, HttpHandler* handler, void* user, const char** why)
{
    (void)threads, (void)handler, (void)why;
    *port = 8080;
    return user;
}

static void wire_stop(void* server)
{
    (void)server;
}

static const void* fuzz_part(Part part, size_t size, const char** trouble)
{
    static const HttpPart http = {.start = wire_start, .stop = wire_stop};
    (void)part, (void)size, (void)trouble;
    return &http;
}

static kaiStudio* open_studio(void)
{
    kaiStudioOptions options = kaiDefaultStudioOptions();
    static char folder[] = "/tmp/kairos-fuzz-XXXXXX";
    kaiError error;
    fuzz_demand(mkdtemp(folder) != NULL);
    options.folder = options.examples = folder;
    options.service.files.read = fuzz_no_file;
    options.service.limits = (kaiLimits){.seconds = 1, .memory = FUZZ_MEMORY, .rows = 500, .tags = 1000};
    kaiStudio* made = kaiStudio_Start(&options, &error);
    fuzz_demand(made != NULL);
    rmdir(folder);  // it stays open, and whatever is written below it goes nowhere
    return made;
}

// Cuts at the next end of line; NULL: there is none.
static char* next_line(char** at)
{
    char* line = *at;
    char* end = strchr(line, '\n');
    if (end == NULL)
        return NULL;
    *end = 0;
    *at = end + 1;
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    static kaiStudio* studio;
    if (studio == NULL)
        studio = open_studio();
    if (size > FUZZ_TEXT || memmem(bytes, size, "prove", 5) != NULL || memmem(bytes, size, "diagram", 7) != NULL ||
        memmem(bytes, size, "figure", 6) != NULL || memmem(bytes, size, "result", 6) != NULL)
        return -1;
    char *text = fuzz_text(bytes, size), *at = text, *line = next_line(&at);
    char method[10] = "", path[200] = "", full[300];
    long long length = -1;
    if (line != NULL && sscanf(line, "%9s %199s %lld", method, path, &length) >= 2)
    {
        Wire wire = {0};
        bool knows = path[0] == '@';
        snprintf(full, sizeof full, "%s%s%s", knows ? "/" : "", knows ? studio->guard.token : "", path + knows);
        while ((line = next_line(&at)) != NULL && line[0] != 0 && wire.header_count < 20)
            wire.headers[wire.header_count++] = line;
        wire.body = at;
        wire.left = size - (size_t)(at - text);
        HttpRequest request = {&wire, method, full, length, wire_header, wire_read, wire_reply};
        handle(studio, &request);
        fuzz_demand(wire.replies == 1 && wire.status >= 200 && wire.status < 600);
        fuzz_demand(knows || wire.status >= 400);
    }
    free(text);
    return 0;
}
