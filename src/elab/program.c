// A file with everything it imports: each file once, whichever way it is reached.
#include "elab/elaborate.h"
#include "lang/parser.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// The name under which a file is known, so that `a.kai` and `./a.kai` are one. A text that is no file goes by its path.
static const char* identity(Program* program, const char* path)
{
    char real[PATH_MAX];
    return intern_string(program->names, realpath(path, real) ? real : path);
}

typedef struct Loader
{
    Program* program;
    VEC(const char*) loaded;  // identities
} Loader;

static void parse_source(Loader* loader, uint32_t source)
{
    Program* program = loader->program;
    FileAst* file = parse_file(program->arena, program->names, program->sources, source + 1, program->diags);
    vec_push(program->arena, program->files, file);
    vec_push(program->arena, loader->loaded, identity(program, program->sources->list.at[source].path));
}

static bool is_loaded(const Loader* loader, const char* name)
{
    for (uint32_t i = 0; i < loader->loaded.count; i++)
        if (loader->loaded.at[i] == name)
            return true;
    return false;
}

static const char* beside(Program* program, const char* importer, const char* path)
{
    const char* slash = strrchr(importer, '/');
    if (path[0] == '/' || !slash)
        return path;
    return arena_printf(program->arena, "%.*s/%s", (int)(slash - importer), importer, path);
}

static bool load_candidate(Loader* loader, const char* path)
{
    if (is_loaded(loader, identity(loader->program, path)))
        return true;
    uint32_t source;
    if (!sources_read(loader->program->sources, path, &source))
        return false;
    parse_source(loader, source);
    return true;
}

static void load_import(Loader* loader, const char* importer, const Import* import)
{
    Program* program = loader->program;
    if (load_candidate(loader, beside(program, importer, import->path)))
        return;
    int reason = errno;
    if (program->library &&
        load_candidate(loader, arena_printf(program->arena, "%s/%s", program->library, import->path)))
        return;
    Diag* diag = diag_error(program->diags, K_IMPORT_MISSING, import->span, "cannot read `%s`: %s", import->path,
                            strerror(reason));
    diag_help(program->diags, diag, "imports are looked for beside the importing file%s%s",
              program->library ? " and in " : "", program->library ? program->library : "");
}

static void report_duplicate(Program* program, const char* what, const char* name, Span first, Span second)
{
    Diag* diag = diag_error(program->diags, K_DUPLICATE_TOP_LEVEL, second, "%s `%s` is declared twice", what, name);
    diag_note(program->diags, diag, first, "first declared here");
    diag_help(program->diags, diag, "rename one of them");
}

// Reports every later one of a name.
#define REPORT_DUPLICATES(program, list, what)                                                                         \
    do                                                                                                                 \
    {                                                                                                                  \
        Map first;                                                                                                     \
        map_init(&first, (program)->arena);                                                                            \
        for (uint32_t i = 0, at; i < (list).count; i++)                                                                \
            if (map_get(&first, (uint64_t)(uintptr_t)(list).at[i]->name, &at))                                         \
                report_duplicate((program), (what), (list).at[i]->name, (list).at[at]->span, (list).at[i]->span);      \
            else                                                                                                       \
                map_set(&first, (uint64_t)(uintptr_t)(list).at[i]->name, i);                                           \
    } while (0)

static void collect(Program* program)
{
    for (uint32_t f = 0; f < program->files.count; f++)
    {
        FileAst* file = program->files.at[f];
        for (uint32_t i = 0; i < file->models.count; i++)
            vec_push(program->arena, program->models, file->models.at[i]);
        for (uint32_t i = 0; i < file->functions.count; i++)
            vec_push(program->arena, program->functions, file->functions.at[i]);
    }
    FileAst* main_file = program->files.at[0];
    for (uint32_t i = 0; i < main_file->experiments.count; i++)
        vec_push(program->arena, program->experiments, main_file->experiments.at[i]);
    REPORT_DUPLICATES(program, program->models, "model");
    REPORT_DUPLICATES(program, program->functions, "function");
    REPORT_DUPLICATES(program, program->experiments, "experiment");
}

static void load_all(Loader* loader, uint32_t source)
{
    Program* program = loader->program;
    uint32_t errors_before = program->diags->error_count;
    parse_source(loader, source);
    for (uint32_t f = 0; f < program->files.count; f++)  // grows while it runs
    {
        FileAst* file = program->files.at[f];
        const char* path = program->sources->list.at[file->file - 1].path;
        for (uint32_t i = 0; i < file->imports.count; i++)
            load_import(loader, path, &file->imports.at[i]);
    }
    collect(program);
    program->load_error_count = program->diags->error_count - errors_before;
}

bool program_load(Program* program, const char* path)
{
    Loader loader = {.program = program};
    uint32_t source;
    if (!sources_read(program->sources, path, &source))
        return false;
    load_all(&loader, source);
    return true;
}

void program_load_text(Program* program, const char* path, const char* text, size_t length)
{
    Loader loader = {.program = program};
    load_all(&loader, sources_add(program->sources, path, text, length));
}
