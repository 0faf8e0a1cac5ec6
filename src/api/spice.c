// Netlists of SPICE: memory, files and messages around src/spice.
#include "spice/spice.h"

#include "base/error.h"
#include "kairos/kairos.h"
#include "lang/report.h"

#include <locale.h>
#include <setjmp.h>
#include <string.h>

struct kaiSpice
{
    kaiAllocator allocator;
    jmp_buf fail;
    Arena arena;
    Files files;
    Sources sources;
    Diags diags;
    const char* text;
    const kaiError* list;
    int count;
};

// What the netlist may read: below its own folder, and those the caller names.
static void set_up(kaiSpice* s, const kaiProgramOptions* options, const char* path)
{
    s->files = (Files){.provider = options->files, .allow_files = options->policy.allow_files};
    files_allow(&s->files, &s->arena, files_folder(&s->arena, path));
    for (int i = 0; options->policy.folders != NULL && i < options->policy.folder_count; i++)
        files_allow(&s->files, &s->arena, options->policy.folders[i]);
    s->sources = (Sources){.arena = &s->arena, .files = &s->files};
    s->diags.arena = &s->arena;
}

static kaiStatus read_netlist(kaiSpice* s, const kaiProgramOptions* options, const char* path, uint32_t* file,
                              kaiError* error)
{
    kaiFileRequest request = {.path = path, .use = KAI_FILE_MAIN};
    if (options->text != NULL)
        *file = sources_add(&s->sources, path, options->text, strlen(options->text));
    else if (sources_read(&s->sources, &request, file) != FILE_DONE)
        return error_set(error, KAI_ERR_IO, "%s cannot be read: %s", path, s->sources.why);
    return KAI_OK;
}

static kaiStatus import(kaiSpice* s, const kaiProgramOptions* options, kaiError* error)
{
    if (setjmp(s->fail) != 0)
        return error_memory(error);
    arena_init(&s->arena, options->allocator, &s->fail);
    const char* path = options->path != NULL ? options->path : "circuit.cir";
    uint32_t file = 0;
    set_up(s, options, path);
    kaiStatus status = read_netlist(s, options, path, &file, error);
    if (status != KAI_OK)
        return status;
    s->text = spice_import(&s->arena, &s->sources, &s->diags, file);
    s->list = diags_publish(&s->diags, &s->sources, &s->count);
    for (int i = 0; i < s->count; i++)
        if (s->list[i].severity == KAI_ERROR)
            return error_copy(error, &s->list[i]), KAI_ERR_MODEL;
    return KAI_OK;
}

kaiStatus kaiSpice_Import(const kaiProgramOptions* options, kaiSpice** spice, kaiError* error)
{
    if (spice != NULL)
        *spice = NULL;
    if (error != NULL)
        *error = (kaiError){.status = KAI_OK};
    if (!error_check_cookie(options != NULL ? &options->cookie : NULL, "kaiDefaultProgramOptions", error))
        return KAI_ERR_USAGE;
    if (spice == NULL || options->allocator.alloc == NULL || (options->path == NULL && options->text == NULL))
        return error_set(error, KAI_ERR_USAGE, "there is no netlist, no allocator or no place for the answer");
    kaiAllocator a = options->allocator;
    kaiSpice* s = a.alloc(a.user, NULL, 0, sizeof *s);
    locale_t point = s != NULL ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : (locale_t)0;
    if (point == (locale_t)0)
    {
        if (s != NULL)
            a.alloc(a.user, s, sizeof *s, 0);
        return error_memory(error);
    }
    memset(s, 0, sizeof *s);
    s->allocator = a;
    locale_t before = uselocale(point);  // numbers have a point, whatever the caller's language
    kaiStatus status = import(s, options, error);
    uselocale(before);
    freelocale(point);
    if (status == KAI_OK || status == KAI_ERR_MODEL)
        *spice = s;
    else
        kaiSpice_Free(s);
    return status;
}

const char* kaiSpice_Text(const kaiSpice* spice)
{
    return spice != NULL ? spice->text : NULL;
}

int kaiSpice_MessageCount(const kaiSpice* spice)
{
    return spice != NULL ? spice->count : 0;
}

const kaiError* kaiSpice_Message(const kaiSpice* spice, int index)
{
    return spice != NULL && index >= 0 && index < spice->count ? &spice->list[index] : NULL;
}

const char* kaiSpice_MessageText(kaiSpice* spice, int index, bool colour)
{
    const kaiError* message = kaiSpice_Message(spice, index);
    if (message == NULL)
        return "";
    if (setjmp(spice->fail) != 0)
        return message->message;
    return report_diagnostic(&spice->arena, &spice->sources, message, colour, 0);
}

void kaiSpice_Free(kaiSpice* spice)
{
    if (spice == NULL)
        return;
    arena_free(&spice->arena);
    spice->allocator.alloc(spice->allocator.user, spice, sizeof *spice, 0);
}
