// Models whose inside is foreign: `fmu Motor = "motor.fmu"`, `external Motor = "motor.so:motor"`. The block is found
// and becomes the text of a model (src/block), which is read as if it had been imported.
#include "elab/foreign.h"
#include "block/text.h"
#include "elab/elaborate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char* beside(Program* program, Span span, const char* path)
{
    const char* importer = program->sources->list.at[span.file - 1].path;
    const char* slash = strrchr(importer, '/');
    if (path[0] == '/' || !slash)
        return path;
    return arena_printf(program->arena, "%.*s/%s", (int)(slash - importer), importer, path);
}

// ---- FMUs

// "motor.fmu:cs" → "motor.fmu" and "cs".
static const char* split_variant(Program* program, const char* path, const char** variant)
{
    const char* colon = strrchr(path, ':');
    *variant = "";
    if (!colon || strchr(colon, '/'))
        return path;
    *variant = colon + 1;
    return arena_copy_string(program->arena, path, (size_t)(colon - path));
}

static bool may_read(Program* program, const Foreign* foreign, const char* path)
{
    int descriptor;
    const char* why = "";
    const char* importer = program->sources->list.at[foreign->span.file - 1].path;
    kaiFileRequest request = {.path = path, .importer = importer, .use = KAI_FILE_BLOCK};
    FileOutcome outcome = files_open(program->sources->files, &request, &descriptor, &why);
    if (outcome == FILE_DONE)
        close(descriptor);
    if (outcome == FILE_REFUSED)
        program_refuse(program, foreign->path_span, foreign->path);
    else if (outcome != FILE_DONE)
    {
        Diag* diag = diag_error(program->diags, K_BLOCK_UNREADABLE, foreign->path_span, "cannot read `%s`: %s",
                                foreign->path, why);
        diag_help(program->diags, diag, "the path is relative to this file");
    }
    return outcome == FILE_DONE;
}

static void find_fmu(Program* program, const Foreign* foreign, ProgramBlock* found)
{
    kaiError error = {0};
    const char* variant;
    const char* path = beside(program, foreign->span, split_variant(program, foreign->path, &variant));
    if (!may_read(program, foreign, path))
        return;
    found->path = path;
    found->variant = variant;
    if (program->provider.open == NULL)
    {
        Diag* diag = diag_error(program->diags, K_BLOCK_UNREADABLE, foreign->span, "this program does not open FMUs");
        diag_help(program->diags, diag, "the program `kairos` does; a program of yours gives kaiFmu_Blocks");
        return;
    }
    kaiStatus status =
        program->provider.open(program->provider.user, path, variant, program->outer, &found->block, &error);
    if (status == KAI_OK)
        return;
    found->block = NULL;
    if (status == KAI_ERR_MEMORY)
        arena_fail(program->arena);
    Diag* diag = diag_error(program->diags, K_BLOCK_UNREADABLE, foreign->path_span, "%s", error.message);
    diag_help(program->diags, diag, "%s",
              error.help ? error.help : "`kairos check FILE.fmu` tells all that is wrong with it");
}

// ---- libraries of C

static void* open_library(Program* program, const Foreign* foreign, ProgramBlock* found, const char* library)
{
    const char* names[] = {library, arena_printf(program->arena, "%s.so", library),
                           arena_printf(program->arena, "lib%s.so", library)};
    for (int i = 0; i < 3; i++)
    {
        found->path = beside(program, foreign->span, names[i]);
        if (!strchr(found->path, '/'))
            found->path = arena_printf(program->arena, "./%s", found->path);
        if (access(found->path, F_OK) == 0)
            return dlopen(found->path, RTLD_NOW | RTLD_LOCAL);
    }
    return dlopen(found->path = library, RTLD_NOW | RTLD_LOCAL);
}

static bool is_whole(const kaiBlock* b)
{
    bool flows = b != NULL && (b->state_count > 0 || b->output_count > 0);
    return b != NULL && b->version == KAI_BLOCK_VERSION && b->open && b->close && b->begin && b->commit &&
           (!flows || (b->set && b->get_outputs)) && (b->state_count == 0 || b->get_rates) &&
           (b->indicator_count == 0 || b->get_indicators);
}

static void report_library(Program* program, const Foreign* foreign, const char* why)
{
    Diag* diag = diag_error(program->diags, K_BLOCK_UNREADABLE, foreign->path_span, "the block %s cannot be opened: %s",
                            foreign->name, why);
    diag_help(program->diags, diag,
              "write \"library:symbol\" with `const kaiBlock* symbol(void)` in C (kairos/block.h); build it with cc "
              "-shared -fPIC -o FILE.so FILE.c");
}

static void find_library(Program* program, const Foreign* foreign, ProgramBlock* found)
{
    typedef const kaiBlock* (*Maker)(void);
    const char* symbol;
    const char* library = split_variant(program, foreign->path, &symbol);
    if (program->sources->files != NULL && !program->sources->files->allow_external)
    {
        Diag* diag = diag_error(program->diags, K_EXTERNAL_REFUSED, foreign->span,
                                "`%s` is a block of `%s`, and this model may not call any", foreign->name, library);
        diag_help(program->diags, diag, "if you trust the model and its library, allow it with --allow-external");
        return;
    }
    found->variant = symbol;
    found->library = open_library(program, foreign, found, library);
    void* address = found->library != NULL ? dlsym(found->library, symbol) : NULL;
    if (address == NULL)
    {
        report_library(program, foreign, arena_printf(program->arena, "%s", dlerror()));
        return;
    }
    Maker maker;
    memcpy(&maker, &address, sizeof address);  // POSIX: a pointer to an object that is one to a function
    found->block = maker();
    if (is_whole(found->block))
        return;
    found->block = NULL;
    report_library(program, foreign, "it is of another version of Kairos, or functions of it are missing");
}

// ---- both

static void read_text(Program* program, const Foreign* foreign, const ProgramBlock* found, BlockReader* read,
                      void* user)
{
    const char* text = block_text(program->arena, foreign->name, found->block);
    const char* path = arena_printf(program->arena, "%s (%s)", found->path, foreign->name);
    uint32_t source = sources_add(program->sources, path, text, strlen(text));
    program->sources->list.at[source].made = true;
    FileAst* file = read(user, source);
    for (uint32_t i = 0; i < file->functions.count; i++)
        file->functions.at[i]->block = program->blocks.count;
    for (uint32_t i = 0; i < file->models.count; i++)
        file->models.at[i]->span = foreign->span;
}

void foreign_load(Program* program, const Foreign* foreign, BlockReader* read, void* user)
{
    uint32_t errors = program->diags->error_count;
    vec_push(program->arena, program->blocks, (ProgramBlock){.name = foreign->name, .span = foreign->span});
    ProgramBlock* found = &program->blocks.at[program->blocks.count - 1];
    if (foreign->fmu)
        find_fmu(program, foreign, found);
    else
        find_library(program, foreign, found);
    if (found->block != NULL)
        read_text(program, foreign, found, read, user);
    else if (program->diags->error_count > errors)
        program->import_missing = true;
}

void foreign_release(Program* program)
{
    for (uint32_t i = 0; i < program->blocks.count; i++)
    {
        const ProgramBlock* b = &program->blocks.at[i];
        if (b->block != NULL && b->block->hold != NULL)
            b->block->hold(b->block, -1);
        if (b->library != NULL)
            dlclose(b->library);
    }
    program->blocks.count = 0;
}
