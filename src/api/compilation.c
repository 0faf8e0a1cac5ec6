// Opening a compilation, running a piece of work in it, and reading its messages.
#include "api/compilation.h"

#include "lang/report.h"

#include <errno.h>
#include <string.h>

static const char* default_library(const kaiLoadOptions* options)
{
    if (options->library != NULL)
        return options->library;
#ifdef KAIROS_SOURCE_LIBRARY_DIR
    FILE* probe = fopen(KAIROS_SOURCE_LIBRARY_DIR "/README.md", "r");
    if (probe != NULL)
    {
        fclose(probe);
        return KAIROS_SOURCE_LIBRARY_DIR;
    }
#endif
#ifdef KAIROS_LIBRARY_DIR
    return KAIROS_LIBRARY_DIR;
#else
    return NULL;
#endif
}

static void set_up(Compilation* c, const kaiLoadOptions* options)
{
    arena_init(&c->arena, options->allocator, &c->fail);
    interner_init(&c->names, &c->arena);
    c->sources.arena = &c->arena;
    c->diags.arena = &c->arena;
    c->program = (Program){.arena = &c->arena,
                           .names = &c->names,
                           .sources = &c->sources,
                           .diags = &c->diags,
                           .library = default_library(options)};
}

static kaiStatus read_program(Compilation* c, const kaiLoadOptions* options)
{
    const char* path = options->path != NULL ? options->path : "model.kai";
    if (options->text != NULL)
        program_load_text(&c->program, path, options->text, strlen(options->text));
    else if (!program_load(&c->program, path))
    {
        if (c->diags.list.count == 0)
        {
            Diag* d = diag_error(&c->diags, K_FILE, (Span){0}, "%s cannot be read: %s", path, strerror(errno));
            diag_help(&c->diags, d, "check the name and the folder");
        }
        return KAI_ERR_IO;
    }
    return KAI_OK;
}

kaiStatus compilation_run(const kaiLoadOptions* options, Compilation** out, CompilationWork* work, void* user)
{
    *out = NULL;
    kaiAllocator a = options->allocator;
    Compilation* c = a.alloc(a.user, NULL, 0, sizeof *c);
    if (c == NULL)
        return KAI_ERR_MEMORY;
    memset(c, 0, sizeof *c);
    c->allocator = a;
    if (setjmp(c->fail) != 0)
    {
        kaiMessages_Free(c);
        return KAI_ERR_MEMORY;
    }
    set_up(c, options);
    kaiStatus status = read_program(c, options);
    if (status == KAI_OK)
        status = work(c, options, user);
    c->list = diags_publish(&c->diags, &c->sources, &c->count);
    *out = c;
    return status;
}

Flat* compilation_elaborate(Compilation* c, const kaiLoadOptions* options, const char* experiment, const char* model)
{
    Override* overrides = arena_array(&c->arena, Override, options->override_count + 1);
    for (int i = 0; i < options->override_count; i++)
        overrides[i] = (Override){options->overrides[i].name, options->overrides[i].value};
    ElabOptions elab = {
        .experiment = experiment, .model = model, .overrides = overrides, .override_count = options->override_count};
    return elaborate(&c->program, &elab);
}

int kaiMessages_Count(const kaiMessages* messages)
{
    return messages->count;
}

int kaiMessages_ErrorCount(const kaiMessages* messages)
{
    int count = 0;
    for (int i = 0; i < messages->count; i++)
        count += messages->list[i].severity == KAI_ERROR;
    return count;
}

const kaiDiagnostic* kaiMessages_Get(const kaiMessages* messages, int index)
{
    return &messages->list[index];
}

const char* kaiMessages_Text(kaiMessages* messages, int index, bool colour)
{
    if (setjmp(messages->fail) != 0)
        return messages->list[index].message;
    return report_diagnostic(&messages->arena, &messages->sources, &messages->list[index], colour, 0);
}

void kaiMessages_Free(kaiMessages* messages)
{
    if (messages == NULL)
        return;
    arena_free(&messages->arena);
    messages->allocator.alloc(messages->allocator.user, messages, sizeof *messages, 0);
}
