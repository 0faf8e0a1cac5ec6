// kairos export: the archive. The model is read twice: once as any program, under its policy, so that what is wrong
// is said as always; then through a provider that keeps every file it hands out under a name relative to the model, so
// that the FMU can read the same text wherever it is unpacked, and no path of this machine is in it.
#include "fmi/export.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "fmi/describe.h"
#include "fmi/packing.h"
#include "fmi/sizes.h"
#include "fmi/terminals.h"
#include "fmi/zip.h"
#include "kairos/kairos.h"
#include "model/model.h"
#include "part/home.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The folder of the library inside an FMU: no file can have this name beside the model.
#define LIBRARY ":library"

typedef struct KeptFile
{
    const char* path;     // as the text names it, from the model's folder
    const char* archive;  // where it is in the archive
    char* bytes;
    size_t size;
} KeptFile;

typedef struct Export
{
    jmp_buf fail;
    Arena arena;
    const kaiProgramOptions* source;
    const kaiCompileOptions* which;
    const kaiFmuOptions* options;
    kaiError* error;
    VEC(KeptFile) files;
    kaiProgram* program;
    kaiModel* model;
    const char* folder;   // of the model
    const char* library;  // of this installation
    const char *config, *guid;
    const char* refused;  // why there is no Model Exchange; NULL: there is
    char* binary;
    size_t binary_size;
    Catalogue catalogue;
    Shapes shapes;    // 3.0
    SizeRules sizes;  // 3.0, if the text is inside
    SourceList sources;
    Packing packing;
} Export;

kaiFmuOptions kaiDefaultFmuOptions(void)
{
    return (kaiFmuOptions){.cookie = KAI_COOKIE, .version = 2};
}

// ---- files
// -----------------------------------------------------------------------------------------------------------

// What the caller names may be a pipe; what a text names is a regular file. NULL: *why tells.
static char* read_all(Arena* arena, const char* path, size_t* size, const char** why)
{
    FILE* in = fopen(path, "rb");
    VEC(char) text = {0};
    char piece[4096];
    size_t got;
    while (in != NULL && (got = fread(piece, 1, sizeof piece, in)) > 0)
        for (size_t i = 0; i < got; i++)
            vec_push(arena, text, piece[i]);
    bool ok = in != NULL && !ferror(in);
    *why = ok ? NULL : strerror(errno);
    if (in != NULL)
        fclose(in);
    *size = text.count;
    vec_push(arena, text, 0);
    return ok ? text.at : NULL;
}

static const char* real_path(Export* e, const kaiFileRequest* request)
{
    size_t lead = strlen(LIBRARY);
    if (request->use == KAI_FILE_MAIN)
        return e->source->path;
    if (strncmp(request->path, LIBRARY "/", lead + 1) == 0)
        return e->library != NULL ? arena_printf(&e->arena, "%s%s", e->library, request->path + lead) : NULL;
    return request->path[0] == '/' ? request->path : arena_printf(&e->arena, "%s/%s", e->folder, request->path);
}

static kaiStatus keep_file(void* user, const kaiFileRequest* request, const char** text, size_t* length,
                           const char** why)
{
    Export* e = user;
    for (uint32_t i = 0; i < e->files.count; i++)
        if (strcmp(e->files.at[i].path, request->path) == 0)
        {
            *text = e->files.at[i].bytes;
            *length = e->files.at[i].size;
            return KAI_OK;
        }
    KeptFile kept = {.path = arena_copy_string(&e->arena, request->path, strlen(request->path))};
    const char* real = real_path(e, request);
    *why = "no such file";
    if (real != NULL && request->use == KAI_FILE_MAIN)
        kept.bytes = read_all(&e->arena, real, &kept.size, why);
    else if (real != NULL)
        kept.bytes = file_read_whole(&e->arena, real, UINT32_MAX, &kept.size, why);
    if (kept.bytes == NULL)
        return KAI_ERR_IO;
    const char* tail = strrchr(request->path, '/');
    kept.archive = e->files.count == 0 ? "resources/model.kai"
                                       : arena_printf(&e->arena, "resources/%u-%s", e->files.count,
                                                      tail != NULL ? tail + 1 : request->path);
    vec_push(&e->arena, e->files, kept);
    *text = kept.bytes;
    *length = kept.size;
    return KAI_OK;
}

// ---- the model
// -------------------------------------------------------------------------------------------------------

static kaiStatus compile(Export* e, const kaiProgramOptions* source)
{
    kaiError error;
    kaiProgram_Free(e->program);
    kaiModel_Free(e->model);
    e->program = NULL;
    e->model = NULL;
    kaiStatus status = kaiProgram_Open(source, &e->program, &error);
    if (e->program == NULL)
        return error_copy(e->error, &error), status;
    if (status == KAI_OK)
        status = kaiProgram_Compile(e->program, e->which, &e->model);
    for (int i = 0; status != KAI_OK && i < kaiProgram_MessageCount(e->program); i++)
        if (kaiProgram_Message(e->program, i)->severity == KAI_ERROR)
            return error_copy(e->error, kaiProgram_Message(e->program, i)), status;
    return status;
}

static kaiStatus read_model(Export* e)
{
    char path[PATH_MAX];
    kaiStatus status = compile(e, e->source);
    if (status != KAI_OK)
        return status;
    const char* slash = e->source->path != NULL ? strrchr(e->source->path, '/') : NULL;
    e->folder = slash == NULL ? "." : arena_copy_string(&e->arena, e->source->path, (size_t)(slash - e->source->path));
    e->library = e->source->library != NULL ? e->source->library
                 : home_models(path)        ? arena_copy_string(&e->arena, path, strlen(path))
                                            : NULL;
    kaiProgramOptions again = *e->source;
    again.path = "model.kai";
    again.library = LIBRARY;
    again.policy = (kaiPolicy){.allow_files = false};
    again.files = (kaiFileProvider){.read = keep_file, .user = e};
    again.text = NULL;
    if (e->source->text != NULL)
    {
        size_t size = strlen(e->source->text);
        KeptFile kept = {"model.kai", "resources/model.kai", arena_copy_string(&e->arena, e->source->text, size), size};
        vec_push(&e->arena, e->files, kept);
    }
    status = compile(e, &again);
    return status == KAI_ERR_MODEL ? KAI_ERR_USAGE : status;  // it was fine, but not without the rights it had
}

// ---- what the binary is told
// ------------------------------------------------------------------------------------------------

static void say_given(Writer* w, const char* word, const kaiGiven* given, int count)
{
    for (int i = 0; i < count; i++)
        writer_say(w, "%s\t%s\t%s\n", word, given[i].name, given[i].text);
}

static const char* write_config(Export* e)
{
    Writer w = {.arena = &e->arena};
    const kaiCompileOptions* c = e->which;
    writer_put(&w, "kairos\t1\n");
    if (e->options->whole_instants)
        writer_put(&w, "whole\n");
    if (e->options->hide)
    {
        writer_put(&w, "compiled\n");
        return writer_text(&w);
    }
    if (c->experiment != NULL)
        writer_say(&w, "experiment\t%s\n", c->experiment);
    if (c->model != NULL)
        writer_say(&w, "model\t%s\n", c->model);
    for (int i = 0; i < c->override_count; i++)
        writer_say(&w, "override\t%s\t%.17g\n", c->overrides[i].name, c->overrides[i].value);
    say_given(&w, "set", c->values, c->value_count);
    say_given(&w, "setting", c->settings, c->setting_count);
    for (uint32_t i = 0; i < e->sizes.count; i++)
        writer_say(&w, "size\t%s\t%s\n", e->sizes.at[i].array, e->sizes.at[i].parameter);
    for (uint32_t i = 0; i < e->files.count; i++)
        writer_say(&w, "file\t%s\t%s\n", e->files.at[i].archive + strlen("resources/"), e->files.at[i].path);
    return writer_text(&w);
}

// Of everything that decides what the FMU is: the same text gives the same number, another one another.
static const char* make_guid(Export* e)
{
    uint64_t a = HASH_START, b = hash_mix(HASH_START);
    for (uint32_t i = 0; i < e->files.count; i++)
    {
        const KeptFile* f = &e->files.at[i];
        a = hash_bytes(hash_bytes(a, f->path, strlen(f->path) + 1), f->bytes, f->size);
        b = hash_mix(b ^ a);
    }
    a = hash_bytes(hash_bytes(a, e->config, strlen(e->config)), kaiVersion(), strlen(kaiVersion()));
    a = hash_bytes(a, &e->options->version, sizeof e->options->version);
    b = hash_mix(b ^ hash_mix(a));
    return arena_printf(&e->arena, "{%08x-%04x-%04x-%04x-%04x%08x}", (unsigned)(a >> 32), (unsigned)(a >> 16) & 0xffff,
                        (unsigned)a & 0xffff, (unsigned)(b >> 48) & 0xffff, (unsigned)(b >> 32) & 0xffff, (unsigned)b);
}

// A name that the standard allows for the file of the binary.
static const char* identifier_of(Export* e)
{
    char* name = arena_printf(&e->arena, "%s", kaiModel_Name(e->model));
    for (char* at = name; *at != 0; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return isdigit((unsigned char)name[0]) || name[0] == 0 ? arena_printf(&e->arena, "_%s", name) : name;
}

static kaiStatus find_binary(Export* e)
{
    char path[PATH_MAX];
    const char* why = "it is missing";
    const char* tail =
        e->options->version == 2 ? KAIROS_PARTS_TAIL "/kairos-fmi2.so" : KAIROS_PARTS_TAIL "/kairos-fmi3.so";
    e->binary = home_find(tail, path) ? file_read_whole(&e->arena, path, UINT32_MAX, &e->binary_size, &why) : NULL;
    if (e->binary != NULL)
        return KAI_OK;
    return error_set(e->error, KAI_ERR_IO, "the binary of FMUs, %s of this installation, cannot be read: %s", tail,
                     why);
}

static kaiStatus find_sources(Export* e)
{
    static const char tail[] = KAIROS_PARTS_TAIL "/kairos-fmu-sources";
    char path[PATH_MAX];
    size_t size = 0;
    const char* why = "they are missing";
    const char* bundle = home_find(tail, path) ? file_read_whole(&e->arena, path, UINT32_MAX, &size, &why) : NULL;
    if (bundle != NULL && bundle_read(&e->sources, &e->arena, bundle, size, e->options->version))
        return KAI_OK;
    return error_set(e->error, KAI_ERR_IO, "the sources of FMUs, %s of this installation, cannot be read: %s", tail,
                     bundle != NULL ? "they are damaged" : why);
}

// Why the model cannot be moved by a foreign integrator; NULL: it can.
static const char* exchange_refused(Export* e)
{
    kaiSimOptions run = kaiModel_SimOptions(e->model);
    kaiError why;
    run.allocator = e->source->allocator;
    run.balance = 0;
    run.zeno = "stop";
    kaiEval* eval = kaiEval_Create(e->model, &run, &why);
    kaiEval_Free(eval);
    if (eval == NULL && why.status == KAI_ERR_MEMORY)
        arena_fail(&e->arena);
    return eval != NULL ? NULL : arena_printf(&e->arena, "%s", why.message);
}

static const char* describe(Export* e)
{
    kaiSimOptions run = kaiModel_SimOptions(e->model);
    Description d = {.arena = &e->arena,
                     .model = e->model,
                     .catalogue = &e->catalogue,
                     .sources = e->options->sources ? &e->sources : NULL,
                     .identifier = identifier_of(e),
                     .guid = e->guid,
                     .refused = e->refused = exchange_refused(e),
                     .start = run.start,
                     .stop = run.stop,
                     .tolerance = run.rtol > 0 ? run.rtol : run.atol,
                     .indicators = (int)e->model->guards_count};
    catalogue_make(&e->catalogue, &e->arena, e->model, e->options->version);
    catalogue_show(&e->catalogue, e->options->outputs, e->options->output_count);
    if (e->options->version == 3)
    {
        shapes_make(&e->shapes, &e->arena, &e->catalogue, e->model, &e->sizes);
        d.shapes = &e->shapes;
        d.hidden = e->options->hide;
    }
    depend_make(&d.dependence, &e->arena, e->model, &e->catalogue);
    return e->options->version == 2 ? describe_2(&d) : describe_3(&d);
}

// ---- writing
// ---------------------------------------------------------------------------------------------------------

static void add_resources(Export* e, ZipWriter* zip)
{
    zip_add(zip, "resources/kairos.txt", e->config, strlen(e->config));
    if (e->options->hide)
    {
        ZipMember bytes = {.arena = &e->arena};
        kaiSink sink = {zip_keep, &bytes};
        kaiStatus status = kaiModel_Save(e->model, &sink);
        if (zip->status == KAI_OK)
            zip->status = status;
        zip_add(zip, "resources/model.bin", bytes.text.at, bytes.text.count);
        return;
    }
    for (uint32_t i = 0; i < e->files.count; i++)
        zip_add(zip, e->files.at[i].archive, e->files.at[i].bytes, e->files.at[i].size);
}

static kaiStatus write_archive(Export* e, const char* description, const kaiSink* sink)
{
    ZipWriter zip = {.arena = &e->arena, .sink = sink};
    const char* platform = e->options->version == 2 ? "linux64" : "x86_64-linux";
    zip_add(&zip, "modelDescription.xml", description, strlen(description));
    zip_add(&zip, arena_printf(&e->arena, "binaries/%s/%s.so", platform, identifier_of(e)), e->binary, e->binary_size);
    add_resources(e, &zip);
    const char* terminals =
        e->options->version == 3 ? terminals_write(&e->arena, e->program, e->which, &e->shapes) : NULL;
    if (terminals != NULL)
        zip_add(&zip, "terminalsAndIcons/terminalsAndIcons.xml", terminals, strlen(terminals));
    bundle_add(&e->sources, &e->arena, &zip);
    if (e->options->sources && e->options->version == 3)
    {
        const char* build = bundle_describe(&e->sources, &e->arena, identifier_of(e));
        zip_add(&zip, "sources/buildDescription.xml", build, strlen(build));
    }
    return zip_finish(&zip);
}

static kaiStatus write_file(Export* e, const char* description)
{
    kaiStatus status = packing_open(&e->packing, &e->arena, e->options->path, e->error);
    return status == KAI_OK ? packing_close(&e->packing, write_archive(e, description, &e->packing.sink), e->error)
                            : status;
}

static kaiStatus export_all(Export* e)
{
    if (setjmp(e->fail) != 0)
        return error_memory(e->error);
    arena_init(&e->arena, e->source->allocator, &e->fail);
    kaiStatus status = read_model(e);
    if (status == KAI_OK)
        status = find_binary(e);
    if (status == KAI_OK && e->options->sources)
        status = find_sources(e);
    if (status != KAI_OK)
        return status;
    if (e->options->version == 3 && !e->options->hide)
        sizes_find(&e->sizes, &e->arena, e->program, e->which, e->model);
    e->config = write_config(e);
    e->guid = make_guid(e);
    e->config = arena_printf(&e->arena, "%sguid\t%s\n", e->config, e->guid);
    const char* description = describe(e);
    status =
        e->options->sink.write != NULL ? write_archive(e, description, &e->options->sink) : write_file(e, description);
    if (status == KAI_OK && e->refused != NULL && e->error != NULL)
    {
        error_set(e->error, KAI_OK, "the FMU has Co-Simulation and no Model Exchange: %s", e->refused);
        e->error->severity = KAI_WARNING;
    }
    return status;
}

bool export_has_options(const kaiProgramOptions* source, const kaiCompileOptions* which, const kaiFmuOptions* options,
                        kaiError* error)
{
    return error_check_cookie(source != NULL ? &source->cookie : NULL, "kaiDefaultProgramOptions", error) &&
           error_check_cookie(which != NULL ? &which->cookie : NULL, "kaiDefaultCompileOptions", error) &&
           error_check_cookie(options != NULL ? &options->cookie : NULL, "kaiDefaultFmuOptions", error);
}

bool export_has_places(const kaiProgramOptions* source, const kaiFmuOptions* options)
{
    return (options->path != NULL || options->sink.write != NULL) && source->allocator.alloc != NULL &&
           (source->path != NULL || source->text != NULL);
}

kaiStatus kaiFmu_Export(const kaiProgramOptions* source, const kaiCompileOptions* which, const kaiFmuOptions* options,
                        kaiError* error)
{
    error_clear(error);
    if (!export_has_options(source, which, options, error))
        return KAI_ERR_USAGE;
    if (!export_has_places(source, options) || (options->version != 2 && options->version != 3))
        return error_set(error, KAI_ERR_USAGE, "an FMU needs a model, a path, an allocator, and 2 or 3 as its version");
    kaiAllocator a = source->allocator;
    Export* e = a.alloc(a.user, NULL, 0, sizeof *e);
    if (e == NULL)
        return error_memory(error);
    memset(e, 0, sizeof *e);
    e->source = source;
    e->which = which;
    e->options = options;
    e->error = error;
    kaiStatus status = export_all(e);
    packing_drop(&e->packing);  // memory ran out on the way
    kaiModel_Free(e->model);
    kaiProgram_Free(e->program);
    arena_free(&e->arena);
    a.alloc(a.user, e, sizeof *e, 0);
    return status;
}
