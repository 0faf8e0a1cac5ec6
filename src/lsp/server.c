// The Language Server Protocol (3.17), without its transport: messages in, messages out, and the texts that are open.
//
// Diagnostics are pushed when no message waits, so that a burst of keystrokes is checked once. Texts come whole
// (TextDocumentSyncKind.Full): a model of 2,000 lines is 60 kB, less than reading it takes.
#include "base/error.h"
#include "lsp/workspace.h"
#include "service/service.h"

#include <stdlib.h>
#include <string.h>

enum
{
    NOT_READY = -32002,  // codes of JSON-RPC and of the protocol
    NOT_JSON = -32700,
    NO_METHOD = -32601,
    BAD_PARAMS = -32602,
    FAILED = -32803,
};

// A text that is open in the editor. Its strings and its program outlive the messages.
typedef struct OpenText
{
    char *uri, *path, *text;
    int64_t version;
    bool changed;  // its diagnostics are not those of its text
    struct OpenText* next;
} OpenText;

struct kaiLanguageServer
{
    kaiServiceOptions options;
    kaiSink send;
    OpenText* texts;
    char* root;  // the folder that is open; NULL: none is
    bool ready, closing;
    Arena arena;  // of one message
    jmp_buf fail;
    Document document;  // of one message
    kaiStatus sent;     // the first status of the sink that was not KAI_OK
    const char* message;
    size_t length;
};

// ---- texts

static void* resize(kaiLanguageServer* s, void* block, size_t old_size, size_t size)
{
    return s->options.allocator.alloc(s->options.allocator.user, block, old_size, size);
}

static char* keep(kaiLanguageServer* s, const char* text)
{
    size_t size = strlen(text) + 1;
    char* copy = resize(s, NULL, 0, size);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

static void forget(kaiLanguageServer* s, char* text)
{
    if (text != NULL)
        resize(s, text, strlen(text) + 1, 0);
}

static void free_text(kaiLanguageServer* s, OpenText* t)
{
    forget(s, t->uri);
    forget(s, t->path);
    forget(s, t->text);
    resize(s, t, sizeof *t, 0);
}

static OpenText* find_text(kaiLanguageServer* s, const char* uri)
{
    for (OpenText* t = s->texts; t != NULL; t = t->next)
        if (strcmp(t->uri, uri) == 0)
            return t;
    return NULL;
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// file:///a%20b → /a b; anything else is taken as a name.
static const char* path_of(kaiLanguageServer* s, const char* uri)
{
    if (strncmp(uri, "file://", 7) != 0)
        return uri;
    char *path = arena_alloc(&s->arena, strlen(uri)), *out = path;
    for (const char* at = uri + 7; *at != 0; at++)
    {
        int high = at[0] == '%' ? hex(at[1]) : -1, low = high >= 0 ? hex(at[2]) : -1;
        bool escaped = low >= 0 && high * 16 + low != 0;
        *out++ = escaped ? (char)(high * 16 + low) : *at;
        at += escaped ? 2 : 0;
    }
    return path;
}

static OpenText* add_text(kaiLanguageServer* s, const char* uri)
{
    OpenText* t = resize(s, NULL, 0, sizeof *t);
    if (t == NULL)
        arena_fail(&s->arena);
    *t = (OpenText){.uri = keep(s, uri), .path = keep(s, path_of(s, uri)), .next = s->texts};
    if (t->uri == NULL || t->path == NULL)
    {
        free_text(s, t);
        arena_fail(&s->arena);
    }
    s->texts = t;
    return t;
}

static void set_text(kaiLanguageServer* s, const Json* document, const char* text)
{
    const char* uri = json_text(document, "uri", NULL);
    if (uri == NULL || text == NULL)
        return;
    OpenText* t = find_text(s, uri);
    if (t == NULL)
        t = add_text(s, uri);
    char* copy = keep(s, text);
    if (copy == NULL)
        arena_fail(&s->arena);
    forget(s, t->text);
    t->text = copy;
    t->version = json_count(document, "version", 0);
    t->changed = true;
}

// ---- messages out

static void send_text(kaiLanguageServer* s, JsonWriter* w)
{
    if (s->sent == KAI_OK)
        s->sent = s->send.write(s->send.user, w->text.at, w->text.count);
}

static JsonWriter begin_message(kaiLanguageServer* s)
{
    JsonWriter w = {.arena = &s->arena};
    json_begin(&w, NULL, '{');
    json_put_text(&w, "jsonrpc", "2.0");
    return w;
}

static void send_error(kaiLanguageServer* s, const Json* id, int code, const char* sentence)
{
    JsonWriter w = begin_message(s);
    json_put_value(&w, "id", id);
    json_begin(&w, "error", '{');
    json_put_count(&w, "code", code);
    json_put_text(&w, "message", sentence);
    json_end(&w, '}');
    json_end(&w, '}');
    send_text(s, &w);
}

static void open_document(kaiLanguageServer* s, const OpenText* t)
{
    s->document =
        (Document){.arena = &s->arena, .options = &s->options, .path = t->path, .text = t->text, .uris = true};
    // What it imports is as the editor has it, not as the disk has it.
    for (const OpenText* other = s->texts; other != NULL; other = other->next)
        if (other != t && other->text != NULL)
            document_add_file(&s->document, &s->document.files, other->path, other->text);
    document_open(&s->document);
}

// The folder that is open, or that of the text.
static const char* workspace_of(kaiLanguageServer* s, const OpenText* t)
{
    const char* slash = strrchr(t->path, '/');
    if (s->root != NULL)
        return s->root;
    return slash != NULL && slash != t->path ? arena_copy_string(&s->arena, t->path, (size_t)(slash - t->path)) : ".";
}

static void take_root(kaiLanguageServer* s, const Json* params)
{
    const Json* folders = json_get(params, "workspaceFolders");
    const char* uri = json_text(params, "rootUri", NULL);
    if (folders != NULL && folders->first != NULL)
        uri = json_text(folders->first, "uri", uri);
    forget(s, s->root);
    s->root = uri != NULL ? keep(s, path_of(s, uri)) : NULL;
}

// The message of a Diagnostic is all that most editors show: the help belongs into it.
static void put_diagnostics(kaiLanguageServer* s, JsonWriter* w, const Json* list)
{
    json_begin(w, "diagnostics", '[');
    for (const Json* one = list != NULL ? list->first : NULL; one != NULL; one = one->next)
    {
        const char* help = json_text(json_get(one, "data"), "help", NULL);
        json_begin(w, NULL, '{');
        for (const Json* member = one->first; member != NULL; member = member->next)
            if (help != NULL && strcmp(member->key, "message") == 0)
                json_put_text(w, "message", arena_printf(&s->arena, "%s\nhelp: %s", member->text, help));
            else
                json_put_value(w, member->key, member);
        json_end(w, '}');
    }
    json_end(w, ']');
}

static void publish(kaiLanguageServer* s, OpenText* t, bool empty)
{
    JsonWriter w = begin_message(s), answer = {.arena = &s->arena};
    const char* trouble;
    const Json* list = NULL;
    if (!empty)
    {
        open_document(s, t);
        json_begin(&answer, NULL, '{');
        answer_check(&s->document, NULL, &answer);
        json_end(&answer, '}');
        list = json_get(json_read(&s->arena, answer.text.at, answer.text.count, &trouble), "diagnostics");
    }
    json_put_text(&w, "method", "textDocument/publishDiagnostics");
    json_begin(&w, "params", '{');
    json_put_text(&w, "uri", t->uri);
    json_put_count(&w, "version", t->version);
    put_diagnostics(s, &w, list);
    json_end(&w, '}');
    json_end(&w, '}');
    send_text(s, &w);
}

// ---- requests

static void put_capabilities(JsonWriter* w)
{
    static const char* const providers[] = {"hoverProvider",     "definitionProvider",     "referencesProvider",
                                            "renameProvider",    "documentSymbolProvider", "documentFormattingProvider",
                                            "codeActionProvider"};
    json_begin(w, "capabilities", '{');
    json_put_text(w, "positionEncoding", "utf-16");
    json_begin(w, "textDocumentSync", '{');
    json_put_bool(w, "openClose", true);
    json_put_count(w, "change", 1);
    json_end(w, '}');
    json_begin(w, "completionProvider", '{');
    json_begin(w, "triggerCharacters", '[');
    json_put_text(w, NULL, ".");
    json_end(w, ']');
    json_end(w, '}');
    for (size_t i = 0; i < sizeof providers / sizeof *providers; i++)
        json_put_bool(w, providers[i], true);
    json_end(w, '}');
    json_begin(w, "serverInfo", '{');
    json_put_text(w, "name", "kairos");
    json_put_text(w, "version", kaiVersion());
    json_end(w, '}');
}

// What is asked about a text: the question it becomes, and which member of the answer is the result.
static const struct
{
    const char *method, *question, *member;
} methods[] = {
    {"textDocument/completion", "complete", "items"},
    {"textDocument/hover", "hover", "hover"},
    {"textDocument/definition", "definition", "location"},
    {"textDocument/references", "references", "locations"},
    {"textDocument/rename", "rename", "edit"},
    {"textDocument/documentSymbol", "symbols", "symbols"},
    {"textDocument/formatting", "format", "edits"},
    {"textDocument/codeAction", "actions", "actions"},
};

static void send_result(kaiLanguageServer* s, const Json* id, const Json* result)
{
    JsonWriter w = begin_message(s);
    json_put_value(&w, "id", id);
    json_put_value(&w, "result", result);
    json_end(&w, '}');
    send_text(s, &w);
}

static void answer_about_text(kaiLanguageServer* s, const Json* id, const Json* params, size_t method)
{
    const char* uri = json_text(json_get(params, "textDocument"), "uri", "");
    const OpenText* t = find_text(s, uri);
    const char* trouble;
    if (t == NULL || t->text == NULL)
    {
        send_error(s, id, BAD_PARAMS, "this text is not open");
        return;
    }
    JsonWriter w = {.arena = &s->arena};
    open_document(s, t);
    if (strcmp(methods[method].question, "rename") == 0)
        workspace_add(&s->document, workspace_of(s, t), s->root != NULL);
    json_begin(&w, NULL, '{');
    service_find(methods[method].question)(&s->document, params, &w);
    json_end(&w, '}');
    const Json* answer = json_read(&s->arena, w.text.at, w.text.count, &trouble);
    const char* error = json_text(answer, "error", NULL);
    if (error != NULL)
        send_error(s, id, FAILED, error);
    else
        send_result(s, id, json_get(answer, methods[method].member));
}

static void answer_request(kaiLanguageServer* s, const char* method, const Json* id, const Json* params)
{
    if (strcmp(method, "initialize") == 0)
    {
        JsonWriter w = begin_message(s);
        take_root(s, params);
        json_put_value(&w, "id", id);
        json_begin(&w, "result", '{');
        put_capabilities(&w);
        json_end(&w, '}');
        json_end(&w, '}');
        s->ready = true;
        send_text(s, &w);
        return;
    }
    if (!s->ready)
    {
        send_error(s, id, NOT_READY, "the first request is `initialize`");
        return;
    }
    if (strcmp(method, "shutdown") == 0)
    {
        s->closing = true;
        send_result(s, id, NULL);
        return;
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].method, method) == 0)
        {
            answer_about_text(s, id, params, i);
            return;
        }
    send_error(s, id, NO_METHOD, "this server does not have that method");
}

// ---- notifications

static void close_text(kaiLanguageServer* s, const char* uri)
{
    OpenText** at = &s->texts;
    while (*at != NULL && strcmp((*at)->uri, uri) != 0)
        at = &(*at)->next;
    if (*at == NULL)
        return;
    OpenText* t = *at;
    publish(s, t, true);
    *at = t->next;
    free_text(s, t);
}

static const char* last_change(const Json* changes)
{
    const char* text = NULL;
    for (const Json* change = changes != NULL ? changes->first : NULL; change != NULL; change = change->next)
        text = json_text(change, "text", text);
    return text;
}

static void hear(kaiLanguageServer* s, const char* method, const Json* params)
{
    const Json* document = json_get(params, "textDocument");
    if (!s->ready)
        return;
    if (strcmp(method, "textDocument/didOpen") == 0)
        set_text(s, document, json_text(document, "text", NULL));
    else if (strcmp(method, "textDocument/didChange") == 0)
        set_text(s, document, last_change(json_get(params, "contentChanges")));
    else if (strcmp(method, "textDocument/didClose") == 0)
        close_text(s, json_text(document, "uri", ""));
    else if (strcmp(method, "textDocument/didSave") == 0)
        for (OpenText* t = s->texts; t != NULL; t = t->next)
            t->changed = true;  // others may import what was saved
}

static void take_message(kaiLanguageServer* s)
{
    const char* trouble = NULL;
    const Json* message = json_read(&s->arena, s->message, s->length, &trouble);
    const char* method = json_text(message, "method", NULL);
    const Json *id = json_get(message, "id"), *params = json_get(message, "params");
    if (message == NULL)
        send_error(s, NULL, NOT_JSON, trouble);
    else if (method != NULL && id != NULL)
        answer_request(s, method, id, params);
    else if (method != NULL && strcmp(method, "exit") == 0)
        s->sent = s->closing ? KAI_END : KAI_INTERRUPTED;
    else if (method != NULL)
        hear(s, method, params);
}

static void publish_changed(kaiLanguageServer* s)
{
    for (OpenText* t = s->texts; t != NULL; t = t->next)
        if (t->changed)
        {
            t->changed = false;
            publish(s, t, false);
            document_close(&s->document);
        }
}

// ---- the door

static bool guarded(kaiLanguageServer* s, void (*work)(kaiLanguageServer* server))
{
    if (setjmp(s->fail) != 0)
        return false;
    work(s);
    return true;
}

static kaiStatus serve(kaiLanguageServer* s, void (*work)(kaiLanguageServer* server))
{
    s->sent = KAI_OK;
    arena_init(&s->arena, s->options.allocator, &s->fail);
    bool fine = guarded(s, work);
    document_close(&s->document);
    arena_free(&s->arena);
    return fine ? s->sent : KAI_ERR_MEMORY;
}

kaiLanguageServer* kaiLanguageServer_Create(const kaiServiceOptions* options, const kaiSink* send, kaiError* error)
{
    if (!error_check_cookie(options != NULL ? &options->cookie : NULL, "kaiDefaultServiceOptions", error))
        return NULL;
    if (send == NULL || send->write == NULL)
        return error_set(error, KAI_ERR_USAGE, "a language server needs somewhere to send its messages"), NULL;
    kaiLanguageServer* s = options->allocator.alloc(options->allocator.user, NULL, 0, sizeof *s);
    if (s == NULL)
        return error_memory(error), NULL;
    memset(s, 0, sizeof *s);
    s->options = *options;
    s->send = *send;
    error_clear(error);
    return s;
}

void kaiLanguageServer_Free(kaiLanguageServer* s)
{
    if (s == NULL)
        return;
    while (s->texts != NULL)
    {
        OpenText* next = s->texts->next;
        free_text(s, s->texts);
        s->texts = next;
    }
    forget(s, s->root);
    resize(s, s, sizeof *s, 0);
}

kaiStatus kaiLanguageServer_Message(kaiLanguageServer* s, const char* message, size_t length)
{
    if (s == NULL || message == NULL)
        return KAI_ERR_USAGE;
    s->message = message;
    s->length = length;
    return serve(s, take_message);
}

kaiStatus kaiLanguageServer_Idle(kaiLanguageServer* s)
{
    return s != NULL ? serve(s, publish_changed) : KAI_ERR_USAGE;
}
