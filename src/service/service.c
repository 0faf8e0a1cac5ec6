// One question, one answer: see kairos/service.h. The table of questions is here.
#include "service/service.h"

#include "service/running.h"

#include "base/error.h"

#include <string.h>

enum
{
    OTHERS_MOST = 1000,  // other texts of one question
};

static const struct
{
    const char* name;
    AnswerFn* answer;
} questions[] = {
    {"words", answer_words},           {"settings", answer_settings},     {"check", answer_check},
    {"actions", answer_actions},       {"complete", answer_complete},     {"hover", answer_hover},
    {"definition", answer_definition}, {"references", answer_references}, {"rename", answer_rename},
    {"symbols", answer_symbols},       {"format", answer_format},         {"run", answer_run},
    {"instant", answer_instant},       {"diagram", answer_diagram},       {"prove", answer_prove},
    {"explain", answer_explain},       {"figure", answer_figure},         {"result", answer_result},
};

AnswerFn* service_find(const char* name)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (strcmp(questions[i].name, name) == 0)
            return questions[i].answer;
    return NULL;
}

kaiServiceOptions kaiDefaultServiceOptions(void)
{
    return (kaiServiceOptions){.cookie = KAI_COOKIE, .allocator = kaiDefaultAllocator()};
}

typedef struct Question
{
    const char* text;
    size_t length;
    Arena arena;
    jmp_buf fail;
    Document document;
    JsonWriter answer;
} Question;

// NULL: the path leads out of the folder.
static const char* place_path(Question* q, const char* path)
{
    const char* folder = q->document.options->folder;
    if (folder == NULL)
        return path;
    bool out = path[0] == '/';
    for (const char* at = path; at != NULL; at = strchr(at, '/') != NULL ? strchr(at, '/') + 1 : NULL)
        out |= strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == 0);
    return out ? NULL : arena_printf(&q->arena, "%s/%s", folder, path);
}

// Other texts of the question, `others`: [{path, text}]. What lies outside of the folder is left out.
static void take_others(Question* q, const Json* others)
{
    for (const Json* o = others != NULL ? others->first : NULL; o != NULL && q->document.files.count < OTHERS_MOST;
         o = o->next)
    {
        const char *path = place_path(q, json_text(o, "path", "/")), *text = json_text(o, "text", NULL);
        if (path != NULL && text != NULL)
            document_add_file(&q->document, &q->document.files, path, text);
    }
}

static void answer(Question* q)
{
    const char* trouble = NULL;
    Document* d = &q->document;
    const Json* body = json_read(&q->arena, q->text, q->length, &trouble);
    AnswerFn* find = service_find(json_text(body, "do", ""));
    json_begin(&q->answer, NULL, '{');
    d->path = place_path(q, json_text(body, "path", "text.kai"));
    d->text = json_text(body, "text", NULL);
    if (body == NULL)
        answer_error(&q->answer, arena_printf(&q->arena, "the question is not JSON: %s", trouble));
    else if (find == NULL)
        answer_error(&q->answer, "there is no question of this name: `do` is check, complete, hover …");
    else if (d->text == NULL || d->path == NULL || d->path[0] == 0)
        answer_error(&q->answer, d->text == NULL ? "the question has no `text`" : "the path leads out of the folder");
    else
    {
        take_others(q, json_get(body, "others"));
        document_open(d);
        find(d, body, &q->answer);
    }
    json_end(&q->answer, '}');
}

// Not where the question lives: what changes between setjmp and longjmp must not be local to the function that jumps.
static kaiStatus guarded(Question* q)
{
    if (setjmp(q->fail) != 0)
        return KAI_ERR_MEMORY;
    answer(q);
    return KAI_OK;
}

kaiStatus kaiService_Answer(const kaiServiceOptions* options, const char* question, size_t length,
                            const volatile int* interrupt, const kaiSink* sink)
{
    if (options == NULL || !error_check_cookie(&options->cookie, "kaiDefaultServiceOptions", NULL) ||
        question == NULL || sink == NULL || sink->write == NULL)
        return KAI_ERR_USAGE;
    Question q = {.text = question, .length = length};
    arena_init(&q.arena, options->allocator, &q.fail);
    q.document = (Document){.arena = &q.arena, .options = options, .interrupt = interrupt};
    q.answer.arena = &q.arena;
    kaiStatus status = guarded(&q);
    if (status == KAI_OK)
        status = sink->write(sink->user, q.answer.text.at, q.answer.text.count);
    document_close(&q.document);
    arena_free(&q.arena);
    return status;
}
