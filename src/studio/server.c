// The studio: what a request means. Pages are bytes that the program brought, questions go to the service, files to the
// folder. One question that runs belongs to one page: a newer one of the same page ends it.
#include "kairos/studio.h"

#include "base/error.h"
#include "part/home.h"
#include "studio/files.h"
#include "studio/guard.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum
{
    THREADS = 16,
    RUNS_MOST = 8,  // questions at a time that may take long: the other threads stay free for short ones
    REQUEST_LARGEST = 16 << 20,
    ENGINE_LARGEST = 16 << 20,
    PAGE_NAME = 40,
    HEADERS_SIZE = 700,
    ANSWER_STACK = 8 << 20,
};

// A question that may take long.
typedef struct Run
{
    bool used;
    char page[PAGE_NAME];
    volatile int interrupt;
    volatile double reached;  // model time
} Run;

struct kaiStudio
{
    kaiStudioOptions options;
    char folder[PATH_MAX], examples_path[PATH_MAX], library_path[PATH_MAX], address[100];
    const char* folders[1];
    Folder models, examples, library;
    Guard guard;
    const HttpPart* http;
    void* server;
    pthread_mutex_t lock;  // of the runs
    Run runs[RUNS_MOST];
    bool stopping;
};

static void* resize(const kaiStudio* s, void* block, size_t old_size, size_t size)
{
    return s->options.service.allocator.alloc(s->options.service.allocator.user, block, old_size, size);
}

// ---- runs

static void stop_runs(kaiStudio* s, const char* page)
{
    for (int i = 0; i < RUNS_MOST; i++)
        if (s->runs[i].used && (page == NULL || strcmp(s->runs[i].page, page) == 0))
            __atomic_store_n(&s->runs[i].interrupt, 1, __ATOMIC_RELAXED);  // budget_flag reads it
}

// NULL: as many run as may.
static Run* begin_run(kaiStudio* s, const char* page, bool replaces)
{
    Run* found = NULL;
    pthread_mutex_lock(&s->lock);
    if (replaces)
        stop_runs(s, page);
    for (int i = 0; i < RUNS_MOST && found == NULL; i++)
        if (!s->runs[i].used)
            found = &s->runs[i];
    if (found != NULL)
    {
        found->used = true;
        __atomic_store_n(&found->interrupt, (int)s->stopping, __ATOMIC_RELAXED);
        __atomic_store(&found->reached, &(double){NAN}, __ATOMIC_RELAXED);
        snprintf(found->page, sizeof found->page, "%s%s", replaces ? "" : "-", page);
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

static void end_run(kaiStudio* s, Run* run)
{
    pthread_mutex_lock(&s->lock);
    run->used = false;
    pthread_mutex_unlock(&s->lock);
}

// How far the run of a page has come; not a number if it has none.
static double look_at_run(kaiStudio* s, const char* page)
{
    double reached = NAN;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < RUNS_MOST; i++)
        if (s->runs[i].used && strcmp(s->runs[i].page, page) == 0)
            __atomic_load(&s->runs[i].reached, &reached, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&s->lock);
    return reached;
}

// ---- replies

static void send_reply(const HttpRequest* r, int status, const char* type, const void* body, size_t size)
{
    char headers[HEADERS_SIZE];
    // Styles of the editor are elements that it makes; everything else comes from here, and nobody may frame the page.
    snprintf(headers, sizeof headers,
             "Content-Type: %s\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: "
             "nosniff\r\n"
             "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
             "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
             "connect-src 'self'; "
             "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n",
             type);
    r->reply(r->connection, status, headers, body, size);
}

static void refuse(const HttpRequest* r, int status, const char* sentence)
{
    send_reply(r, status, "text/plain; charset=utf-8", sentence, strlen(sentence));
}

// ---- questions about files

typedef struct Question
{
    kaiStudio* studio;
    const HttpRequest* request;
    char* body;
    size_t length;
    Arena arena;
    jmp_buf fail;
    JsonWriter answer;
    Run* run;
    int status;
    bool answered;
} Question;

static void put_start(kaiStudio* s, JsonWriter* w)
{
    json_put_text(w, "folder", s->folder);
    json_put_text(w, "first", s->options.first);
    json_put_text(w, "version", kaiVersion());
}

// False: it is no question about files.
static bool answer_files(Question* q, const Json* body)
{
    kaiStudio* s = q->studio;
    JsonWriter* w = &q->answer;
    const char *what = json_text(body, "do", ""), *path = json_text(body, "path", "");
    const char *text = json_text(body, "text", NULL), *version = json_text(body, "version", NULL);
    json_begin(w, NULL, '{');
    bool known = true;
    if (strcmp(what, "start") == 0)
        put_start(s, w);
    else if (strcmp(what, "files") == 0)
        folder_list(&s->models, &q->arena, w);
    else if (strcmp(what, "examples") == 0)
        folder_list(&s->examples, &q->arena, w);
    else if (strcmp(what, "example") == 0)
        folder_read(&s->examples, &q->arena, path, w);
    else if (strcmp(what, "library") == 0)
        folder_read(&s->library, &q->arena, path, w);
    else if (strcmp(what, "read") == 0)
        folder_read(&s->models, &q->arena, path, w);
    else if (strcmp(what, "look") == 0)
        folder_look(&s->models, path, w);
    else if (strcmp(what, "write") == 0 && text != NULL)
        folder_write(&s->models, path, text, version, w);
    else if (strcmp(what, "progress") == 0)
        json_put_number(w, "reached", look_at_run(s, json_text(body, "page", "")));
    else if (strcmp(what, "stop") == 0)
    {
        pthread_mutex_lock(&s->lock);
        stop_runs(s, json_text(body, "page", ""));
        pthread_mutex_unlock(&s->lock);
    }
    else
        known = false;
    json_end(w, '}');
    return known;
}

// ---- questions about texts

static kaiStatus take_answer(void* user, const char* bytes, size_t size)
{
    Question* q = user;
    send_reply(q->request, 200, "application/json", bytes, size);
    return KAI_OK;
}

// Those that run a model, of which a page has one at a time; and those that are asked beside it.
static bool replaces_others(const char* what)
{
    return strcmp(what, "run") == 0;
}

static void answer_text(Question* q, const Json* body)
{
    kaiStudio* s = q->studio;
    kaiSink sink = {take_answer, q};
    q->run = begin_run(s, json_text(body, "page", ""), replaces_others(json_text(body, "do", "")));
    if (q->run == NULL)
    {
        refuse(q->request, 503, "too many questions at a time; ask again");
        return;
    }
    arena_free(&q->arena);  // the service reads the question itself
    arena_init(&q->arena, s->options.service.allocator, &q->fail);
    kaiServiceOptions options = s->options.service;
    options.reached = &q->run->reached;
    kaiStatus status = kaiService_Answer(&options, q->body, q->length, &q->run->interrupt, &sink);
    if (status != KAI_OK)
        refuse(q->request, 503, "there is not enough memory for an answer");
}

static void answer(Question* q)
{
    const char* trouble = NULL;
    const Json* body = json_read(&q->arena, q->body, q->length, &trouble);
    if (body == NULL)
        refuse(q->request, 400, trouble);
    else if (answer_files(q, body))
        send_reply(q->request, 200, "application/json", q->answer.text.at, q->answer.text.count);
    else
        answer_text(q, body);
}

static bool guarded(Question* q)
{
    if (setjmp(q->fail) != 0)
        return false;
    answer(q);
    return true;
}

static void* answer_alone(void* user)
{
    Question* q = user;
    q->answered = guarded(q);
    return NULL;
}

// Threads of servers have stacks of a hundred kilobytes; models are compiled and run on those of programs.
static bool answer_with_room(Question* q)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    bool made = pthread_attr_setstacksize(&attributes, ANSWER_STACK) == 0 &&
                pthread_create(&thread, &attributes, answer_alone, q) == 0;
    pthread_attr_destroy(&attributes);
    if (made)
        pthread_join(thread, NULL);
    return made && q->answered;
}

// NULL: q->status says why.
static char* read_body(Question* q)
{
    const HttpRequest* r = q->request;
    q->status = r->length > REQUEST_LARGEST ? 413 : 400;
    if (r->length < 0 || r->length > REQUEST_LARGEST)
        return NULL;
    char* body = resize(q->studio, NULL, 0, (size_t)r->length + 1);
    q->status = body != NULL ? 400 : 503;
    while (body != NULL && q->length < (size_t)r->length)
    {
        int got = r->read(r->connection, body + q->length, (size_t)r->length - q->length);
        if (got <= 0)
        {
            resize(q->studio, body, (size_t)r->length + 1, 0);
            return NULL;
        }
        q->length += (size_t)got;
    }
    return body;
}

static void take_question(kaiStudio* s, const HttpRequest* r)
{
    Question q = {.studio = s, .request = r};
    const char* type = r->header(r->connection, "Content-Type");
    if (type == NULL || strncmp(type, "application/json", 16) != 0)
    {
        refuse(r, 400, "questions are application/json");
        return;
    }
    q.body = read_body(&q);
    if (q.body == NULL)
    {
        refuse(r, q.status, "this request cannot be read: it is too large or cut off");
        return;
    }
    arena_init(&q.arena, s->options.service.allocator, &q.fail);
    q.answer.arena = &q.arena;
    if (!answer_with_room(&q))
        refuse(r, 503, "there is not enough memory for an answer");
    if (q.run != NULL)
        end_run(s, q.run);
    arena_free(&q.arena);
    resize(s, q.body, (size_t)r->length + 1, 0);
}

// ---- requests

// The engine that a shared page takes along, where `make playground` has built it. It belongs to the installation, not
// to the folder.
static void send_engine(kaiStudio* s, const HttpRequest* r)
{
    char path[PATH_MAX];
    struct stat about = {0};
    FILE* file = home_find("share/kairos/engine.json", path) ? fopen(path, "rb") : NULL;
    bool fits = file != NULL && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
                about.st_size <= ENGINE_LARGEST;
    size_t size = fits ? (size_t)about.st_size : 0;
    char* bytes = fits ? resize(s, NULL, 0, size) : NULL;
    if (bytes != NULL && fread(bytes, 1, size, file) == size)
        send_reply(r, 200, "application/json", bytes, size);
    else
        refuse(r, 404, "this installation has no engine for pages: make playground builds it");
    if (bytes != NULL)
        resize(s, bytes, size, 0);
    if (file != NULL)
        fclose(file);
}

static void handle(void* user, const HttpRequest* r)
{
    kaiStudio* s = user;
    int status;
    pthread_mutex_lock(&s->lock);
    pthread_mutex_unlock(&s->lock);
    const char* name = guard_admit(&s->guard, r, &status);
    bool reads = strcmp(r->method, "GET") == 0;
    if (name == NULL)
    {
        refuse(r, status, "this address is not complete, or another page has sent this request");
        return;
    }
    if (strcmp(r->method, "POST") == 0 && strcmp(name, "ask") == 0)
    {
        take_question(s, r);
        return;
    }
    if (reads && strcmp(name, "engine.json") == 0)
    {
        send_engine(s, r);
        return;
    }
    for (int i = 0; reads && i < s->options.file_count; i++)
        if (strcmp(s->options.files[i].name, name) == 0)
        {
            send_reply(r, 200, s->options.files[i].type, s->options.files[i].bytes, s->options.files[i].size);
            return;
        }
    refuse(r, reads ? 404 : 405, "there is nothing here");
}

// ---- start and stop

kaiStudioOptions kaiDefaultStudioOptions(void)
{
    kaiStudioOptions options = {.cookie = KAI_COOKIE, .service = kaiDefaultServiceOptions()};
    options.service.limits = (kaiLimits){.seconds = 20, .memory = (size_t)1 << 30, .rows = 4000000, .tags = 20000000};
    return options;
}

static bool find_folders(kaiStudio* s, kaiError* error)
{
    const char* folder = s->options.folder != NULL ? s->options.folder : ".";
    if (realpath(folder, s->folder) == NULL || !folder_open(&s->models, s->folder))
    {
        error_set(error, KAI_ERR_IO, "%s is no folder that can be opened", folder);
        return false;
    }
    bool has = s->options.examples != NULL ? realpath(s->options.examples, s->examples_path) != NULL
                                           : home_find("share/kairos/examples", s->examples_path);
    if (has)
        folder_open(&s->examples, s->examples_path);  // without them there is no gallery
    has = s->options.service.library != NULL ? realpath(s->options.service.library, s->library_path) != NULL
                                             : home_models(s->library_path);
    if (has)
        folder_open(&s->library, s->library_path);
    s->folders[0] = s->folder;
    s->options.service.folder = s->folder;
    if (s->options.service.policy.folder_count == 0)
    {
        s->options.service.policy.folders = s->folders;
        s->options.service.policy.folder_count = 1;
    }
    return true;
}

static bool start_server(kaiStudio* s, kaiError* error)
{
    const char* why = NULL;
    if (!guard_init(&s->guard))
        return error_set(error, KAI_ERR_IO, "the system gives no random numbers"), false;
    s->http = part_load(PART_STUDIO, sizeof *s->http, &why);
    if (s->http == NULL)
        return error_set(error, KAI_ERR_IO, "%s", why), false;
    s->guard.port = s->options.port;
    // Requests that come before the port is known wait for it.
    pthread_mutex_lock(&s->lock);
    s->server = s->http->start(&s->guard.port, THREADS, handle, s, &why);
    pthread_mutex_unlock(&s->lock);
    if (s->server == NULL)
        return error_set(error, KAI_ERR_IO, "port %d: %s", s->options.port, why), false;
    snprintf(s->address, sizeof s->address, "http://127.0.0.1:%d/%s/", s->guard.port, s->guard.token);
    return true;
}

kaiStudio* kaiStudio_Start(const kaiStudioOptions* options, kaiError* error)
{
    if (!error_check_cookie(options != NULL ? &options->cookie : NULL, "kaiDefaultStudioOptions", error))
        return NULL;
    if (!error_check_cookie(&options->service.cookie, "kaiDefaultServiceOptions", error))
        return NULL;
    if (options->port < 0 || options->port > 65535 || options->file_count < 0 ||
        (options->file_count > 0 && options->files == NULL))
        return error_set(error, KAI_ERR_USAGE,
                         "a port is a number up to 65535, and files are there if they are counted"),
               NULL;
    kaiAllocator allocator = options->service.allocator;
    kaiStudio* s = allocator.alloc(allocator.user, NULL, 0, sizeof *s);
    if (s == NULL)
        return error_memory(error), NULL;
    memset(s, 0, sizeof *s);
    s->options = *options;
    s->models.descriptor = s->examples.descriptor = s->library.descriptor = -1;
    pthread_mutex_init(&s->lock, NULL);
    if (!find_folders(s, error) || !start_server(s, error))
    {
        kaiStudio_Stop(s);
        return NULL;
    }
    error_clear(error);
    return s;
}

const char* kaiStudio_Address(const kaiStudio* s)
{
    return s != NULL ? s->address : "";
}

void kaiStudio_Stop(kaiStudio* s)
{
    if (s == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    stop_runs(s, NULL);
    pthread_mutex_unlock(&s->lock);
    if (s->server != NULL)
        s->http->stop(s->server);
    folder_close(&s->models);
    folder_close(&s->examples);
    folder_close(&s->library);
    pthread_mutex_destroy(&s->lock);
    resize(s, s, sizeof *s, 0);
}
