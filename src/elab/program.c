// A file with everything it imports: each file once, whichever way it is reached.
#include "elab/foreign.h"
#include "lang/parser.h"

#include <string.h>
#include <strings.h>

static const char* identity(Program* program, const char* path)
{
    return intern_string(program->names, files_identity(program->sources->files, program->arena, path));
}

typedef struct Loader
{
    Program* program;
    VEC(const char*) loaded;  // paths
    VEC(const char*) known;   // identities of the first of them: asked for when something is imported
} Loader;

static void parse_source(Loader* loader, uint32_t source)
{
    Program* program = loader->program;
    FileAst* file = parse_file(program->arena, program->names, program->sources, source + 1, program->diags);
    vec_push(program->arena, program->files, file);
    vec_push(program->arena, loader->loaded, program->sources->list.at[source].path);
}

// The number of its file; the count of files: it is not loaded.
static uint32_t find_loaded(Loader* loader, const char* name)
{
    uint32_t i = 0;
    while (loader->known.count < loader->loaded.count)
    {
        const char* path = loader->loaded.at[loader->known.count];
        vec_push(loader->program->arena, loader->known, identity(loader->program, path));
    }
    while (i < loader->known.count && loader->known.at[i] != name)
        i++;
    return i;
}

static const char* beside(Program* program, const char* importer, const char* path)
{
    const char* slash = strrchr(importer, '/');
    if (path[0] == '/' || !slash)
        return path;
    return arena_printf(program->arena, "%.*s/%s", (int)(slash - importer), importer, path);
}

static FileOutcome load_candidate(Loader* loader, const char* path, FileAst* importer)
{
    Program* program = loader->program;
    uint32_t source, number = find_loaded(loader, identity(program, path));
    const char* from = program->sources->list.at[importer->file - 1].path;
    kaiFileRequest request = {.path = path, .importer = from, .use = KAI_FILE_IMPORT};
    FileOutcome outcome = FILE_DONE;
    if (number == loader->loaded.count)
        outcome = sources_read(program->sources, &request, &source);
    if (outcome == FILE_DONE && number == loader->loaded.count)
        parse_source(loader, source);
    if (outcome == FILE_DONE)
        vec_push(program->arena, importer->sees, number);
    return outcome;
}

// `import "electrical"`, `import "electric.kai"`: the file of the library that was meant, or NULL.
static const char* near_import(Program* program, const char* path)
{
    static const char* const files[] = {"collisions.kai", "control.kai", "converters.kai", "detectors.kai",
                                        "electrical.kai", "events.kai",  "filters.kai",    "generators.kai",
                                        "hydraulic.kai",  "measure.kai", "random.kai",     "rotational.kai",
                                        "signals.kai",    "sources.kai", "thermal.kai",    "translational.kai"};
    enum
    {
        COUNT = sizeof files / sizeof *files
    };
    const char* with_ending = strstr(path, ".kai") ? path : arena_printf(program->arena, "%s.kai", path);
    for (int i = 0; i < COUNT; i++)
        if (strcasecmp(files[i], with_ending) == 0)
            return files[i];
    const char* near = strchr(path, '/') ? NULL : diag_nearest(with_ending, files, COUNT);
    return near || with_ending == path ? near : with_ending;
}

static void report_missing(Program* program, const Import* import, const char* why)
{
    Diag* diag = diag_error(program->diags, K_IMPORT_MISSING, import->span, "cannot read `%s`: %s", import->path, why);
    const char* near = near_import(program, import->path);
    if (near)
        diag_help(program->diags, diag, "did you mean `import \"%s\"`?", near);
    else
        diag_help(program->diags, diag, "imports are looked for beside the importing file%s%s",
                  program->library ? " and in " : "", program->library ? program->library : "");
}

void program_refuse(Program* program, Span span, const char* path)
{
    Diag* diag = diag_error(program->diags, K_FILE_REFUSED, span,
                            "`%s` lies outside the folders that this model may read", path);
    diag_help(program->diags, diag,
              "move it below the folder of the model, or if you trust the model allow it with --allow-files");
}

static void load_import(Loader* loader, FileAst* importer, const Import* import)
{
    Program* program = loader->program;
    const char* from = program->sources->list.at[importer->file - 1].path;
    FileOutcome beside_it = load_candidate(loader, beside(program, from, import->path), importer);
    if (beside_it == FILE_DONE)
        return;
    const char* why = program->sources->why;
    FileOutcome in_library = FILE_FAILED;
    if (program->library && import->path[0] != '/')
        in_library =
            load_candidate(loader, arena_printf(program->arena, "%s/%s", program->library, import->path), importer);
    if (in_library == FILE_DONE)
        return;
    program->import_missing = true;
    if (beside_it == FILE_REFUSED || in_library == FILE_REFUSED)
        program_refuse(program, import->span, import->path);
    else
        report_missing(program, import, why);
}

static FileAst* read_block(void* user, uint32_t source)
{
    Loader* loader = user;
    parse_source(loader, source);
    return loader->program->files.at[loader->program->files.count - 1];
}

static void load_foreign(Loader* loader, FileAst* importer, const Foreign* foreign)
{
    uint32_t before = loader->program->files.count;
    foreign_load(loader->program, foreign, read_block, loader);
    for (uint32_t i = before; i < loader->program->files.count; i++)
        vec_push(loader->program->arena, importer->sees, i);
}

// ---- what a file sees

bool* program_visible(const Program* program, uint32_t file)
{
    bool* visible = arena_array(program->arena, bool, program->files.count + 1);
    VEC(uint32_t) next = {0};
    vec_push(program->arena, next, file);
    visible[file] = true;
    for (uint32_t i = 0; i < next.count; i++)
    {
        const FileAst* at = program->files.at[next.at[i]];
        for (uint32_t k = 0; k < at->sees.count; k++)
            if (!visible[at->sees.at[k]])
            {
                visible[at->sees.at[k]] = true;
                vec_push(program->arena, next, at->sees.at[k]);
            }
    }
    return visible;
}

static void report_duplicate(Program* program, const char* what, const char* name, Span first, Span second)
{
    Diag* diag = diag_error(program->diags, K_DUPLICATE_TOP_LEVEL, second, "%s `%s` is declared twice", what, name);
    diag_note(program->diags, diag, first, "first declared here");
    diag_help(program->diags, diag, "rename one of them");
}

// Reports every later one of a name that a file sees without saying which: what it declares itself is its own, whatever
// it imports.
#define REPORT_DUPLICATES(program, list, what)                                                                         \
    do                                                                                                                 \
    {                                                                                                                  \
        Map first;                                                                                                     \
        map_init(&first, (program)->arena);                                                                            \
        for (uint32_t i = 0, at; i < (list).count; i++)                                                                \
            if (!map_get(&first, (uint64_t)(uintptr_t)(list).at[i]->name, &at))                                        \
                map_set(&first, (uint64_t)(uintptr_t)(list).at[i]->name, i);                                           \
            else if (is_ambiguous((program), &(list).at[at]->extent, &(list).at[i]->extent))                           \
            {                                                                                                          \
                report_duplicate((program), (what), (list).at[i]->name, (list).at[at]->span, (list).at[i]->span);      \
                (list).at[i]->extent.broken = (list).at[at]->extent.broken = true;                                     \
            }                                                                                                          \
    } while (0)

static uint32_t file_of(const Program* program, const Extent* extent)
{
    uint32_t i = 0;
    while (i + 1 < program->files.count && program->files.at[i]->file != extent->span.file)
        i++;
    return i;
}

// Of two files: whether they are one, or a third sees both, which declares neither.
static bool is_ambiguous(const Program* program, const Extent* a, const Extent* b)
{
    uint32_t first = file_of(program, a), second = file_of(program, b);
    for (uint32_t f = 0; f < program->files.count && first != second; f++)
    {
        const bool* visible = program_visible(program, f);
        if (f != first && f != second && visible[first] && visible[second])
            return true;
    }
    return first == second;
}

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
        for (uint32_t i = 0; i < file->imports.count; i++)
            load_import(loader, file, &file->imports.at[i]);
        for (uint32_t i = 0; i < file->foreigns.count; i++)
            load_foreign(loader, file, &file->foreigns.at[i]);
    }
    collect(program);
    program->load_error_count = program->diags->error_count - errors_before;
    if (program->load_error_count > 0)
        program_judge(program);
}

bool program_load(Program* program, const char* path)
{
    Loader loader = {.program = program};
    uint32_t source;
    kaiFileRequest request = {.path = path, .use = KAI_FILE_MAIN};
    if (sources_read(program->sources, &request, &source) != FILE_DONE)
        return false;
    load_all(&loader, source);
    return true;
}

void program_load_text(Program* program, const char* path, const char* text, size_t length)
{
    Loader loader = {.program = program};
    load_all(&loader, sources_add(program->sources, path, text, length));
}
