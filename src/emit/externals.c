// `external f(x) = "library:symbol"`: finds the library and the function when the model is compiled, so that a run
// starts only if everything it calls is there. The model opens it again (model_bind) and closes it when it is freed.
#include "emit/builder.h"

#include "block/text.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

typedef struct Search
{
    Builder* b;
    const FlatExternal* external;
    const char* tried;    // the places looked at, as text
    const char* found;    // the one that was opened
    const char* problem;  // of a file that is there and cannot be opened
} Search;

static const char* folder_of(Builder* b, Span span)
{
    const char* path = span.file != 0 ? b->c.sources->list.at[span.file - 1].path : "";
    const char* slash = strrchr(path, '/');
    return slash ? arena_printf(b->arena, "%.*s", (int)(slash - path), path) : ".";
}

// Opens nothing that is not there: a file with a defect must not be taken for a missing one.
static void* open_file(Search* s, const char* path)
{
    s->tried = arena_printf(s->b->arena, "%s%s%s", s->tried, *s->tried ? ", " : "", path);
    if (s->problem != NULL || access(path, F_OK) != 0)
        return NULL;
    void* library = dlopen(s->found = path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        s->problem = arena_printf(s->b->arena, "%s", dlerror());
    return library;
}

// The name as written, and what a library of that name is usually called.
static int candidates(Builder* b, const char* library, const char* names[3])
{
    names[0] = library;
    if (strstr(library, ".so") != NULL || strchr(library, '/') != NULL)
        return 1;
    names[1] = arena_printf(b->arena, "%s.so", library);
    names[2] = arena_printf(b->arena, "lib%s.so", library);
    return 3;
}

// Beside the file that declares it, then where the system keeps its libraries.
static void* open_library(Search* s)
{
    const char* library = s->external->library;
    const char* names[3];
    int count = candidates(s->b, library, names);
    void* found = NULL;
    if (library[0] == '/')
        return open_file(s, library);
    for (int i = 0; i < count && found == NULL; i++)
        found = open_file(s, arena_printf(s->b->arena, "%s/%s", folder_of(s->b, s->external->span), names[i]));
    for (int i = 0; i < count && found == NULL && s->problem == NULL && strchr(library, '/') == NULL; i++)
        found = dlopen(s->found = names[i], RTLD_NOW | RTLD_LOCAL);
    return found;
}

static void report_library(Search* s)
{
    const FlatExternal* x = s->external;
    Diags* diags = s->b->c.diags;
    if (s->problem != NULL)
    {
        Diag* diag = diag_error(diags, K_EXTERNAL_LIBRARY, x->span, "the library of %s cannot be opened: %s", x->name,
                                s->problem);
        diag_help(diags, diag, "build it for this machine as a shared library: cc -shared -fPIC -o FILE.so FILE.c");
        return;
    }
    bool anywhere = strchr(x->library, '/') == NULL;
    Diag* diag = diag_error(diags, K_EXTERNAL_LIBRARY, x->span, "there is no library `%s` for %s; tried %s%s",
                            x->library, x->name, s->tried, anywhere ? ", and the libraries of the system" : "");
    diag_help(diags, diag, "the path is relative to this file; build it with cc -shared -fPIC -o FILE.so FILE.c");
}

static void report_symbol(Builder* b, const FlatExternal* x)
{
    Diag* diag =
        diag_error(b->c.diags, K_EXTERNAL_SYMBOL, x->span, "library `%s` has no function `%s`", x->library, x->symbol);
    diag_help(b->c.diags, diag, "declare it `double %s(…)` in C and do not make it static", x->symbol);
}

static bool check_arity(Builder* b, const FlatExternal* x)
{
    if (x->arity <= EXTERNAL_ARITY_MAX)
        return true;
    Diag* diag = diag_error(b->c.diags, K_EXTERNAL_SYMBOL, x->span, "%s has %d arguments, external functions take %d",
                            x->name, x->arity, EXTERNAL_ARITY_MAX);
    diag_help(b->c.diags, diag, "split it into several functions");
    return false;
}

// Looks, and closes again: while the arena may run out of memory nothing must be open.
static bool find_external(Builder* b, const FlatExternal* x)
{
    Search search = {.b = b, .external = x, .tried = ""};
    if (!check_arity(b, x))
        return false;
    void* library = open_library(&search);
    bool found = library != NULL && dlsym(library, x->symbol) != NULL;
    if (library != NULL)
        dlclose(library);
    if (library == NULL)
        report_library(&search);
    else if (!found)
        report_symbol(b, x);
    External made = {.path = build_string(b, search.found), .symbol = build_string(b, x->symbol)};
    made.arity = (uint32_t)x->arity;
    vec_push(b->arena, b->externals, made);
    return found;
}

// Opening a library already runs code of it: a text that is not trusted must not come so far.
static void refuse_external(Builder* b, const FlatExternal* x)
{
    Diag* diag = diag_error(b->c.diags, K_EXTERNAL_REFUSED, x->span,
                            "`%s` is a C function of `%s`, and this model may not call any", x->name, x->library);
    diag_help(b->c.diags, diag, "if you trust the model and its library, allow it with --allow-external");
}

// ---- blocks

static void take_blocks(Builder* b)
{
    for (uint32_t i = 0; i < b->c.flat->blocks.count; i++)
    {
        const FlatBlock* x = &b->c.flat->blocks.at[i];
        ModelBlock made = {.name = build_string(b, x->name), .path = build_string(b, x->path)};
        made.variant = build_string(b, x->variant);
        made.shape = model_block_shape(x->block);
        made.place = build_place(b, x->span);
        made.library = x->library;
        made.block = x->block;
        vec_push(b->arena, b->blocks, made);
    }
}

_Static_assert((int)EXTERNAL_QUESTIONS == (int)BLOCK_QUESTIONS, "saved models are checked by this number");

static void take_question(Builder* b, const FlatExternal* x)
{
    External made = {.path = build_string(b, x->library), .symbol = build_string(b, x->symbol)};
    made.arity = (uint32_t)x->arity;
    made.block = x->block;
    block_question(x->symbol, &made.question, &made.index);
    vec_push(b->arena, b->externals, made);
}

static void refuse_block(Builder* b, const FlatBlock* x)
{
    Diag* diag = diag_error(b->c.diags, K_EXTERNAL_REFUSED, x->span,
                            "`%s` is an FMU with code of its own, and this model may not call any", x->path);
    diag_help(b->c.diags, diag, "if you trust it, allow it with --allow-external");
}

void find_externals(Builder* b)
{
    const Files* files = b->c.sources->files;
    bool allowed = files == NULL || files->allow_external;
    take_blocks(b);
    if (!allowed && b->c.flat->blocks.count > 0)
        refuse_block(b, &b->c.flat->blocks.at[0]);
    for (uint32_t i = 0; i < b->c.flat->externals.count; i++)
        if (b->c.flat->externals.at[i].block != 0)
            take_question(b, &b->c.flat->externals.at[i]);
        else if (allowed)
            find_external(b, &b->c.flat->externals.at[i]);
        else
            refuse_external(b, &b->c.flat->externals.at[i]);
}
