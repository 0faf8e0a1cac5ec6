// See store.h.
#include "fmu/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

char* store_folder(Arena* arena, const char* uri)
{
    bool is_uri = strncmp(uri, "file:", 5) == 0;
    const char* from = is_uri ? uri + 5 : uri;
    if (is_uri && strncmp(from, "//", 2) == 0)
    {
        from += 2;
        const char* slash = strchr(from, '/');  // what is before it is a host
        from = slash != NULL ? slash : from;
    }
    char* path = arena_copy_string(arena, from, strlen(from));
    char* to = path;
    for (; *from != 0; from++)
    {
        bool escaped = is_uri && *from == '%' && hex(from[1]) >= 0 && hex(from[2]) >= 0;
        *to++ = escaped ? (char)(hex(from[1]) * 16 + hex(from[2])) : *from;
        from += escaped ? 2 : 0;
    }
    while (to > path + 1 && to[-1] == '/')
        to--;
    *to = 0;
    return path;
}

static char* read_file(Store* s, const char* name, size_t* size)
{
    FILE* in = fopen(arena_printf(s->arena, "%s/%s", s->folder, name), "rb");
    if (in == NULL)
        return NULL;
    long length = fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
    char* bytes = length >= 0 ? arena_alloc(s->arena, (size_t)length + 1) : NULL;
    rewind(in);
    bool ok = bytes != NULL && fread(bytes, 1, (size_t)length, in) == (size_t)length;
    fclose(in);
    *size = ok ? (size_t)length : 0;
    return ok ? bytes : NULL;
}

// "word\tfirst\tsecond"
static bool take_line(Store* s, char* line)
{
    char* first = strchr(line, '\t');
    if (first != NULL)
        *first++ = 0;
    char* second = first != NULL ? strchr(first, '\t') : NULL;
    if (second != NULL)
        *second++ = 0;
    if (strcmp(line, "whole") == 0)
        s->whole = true;
    else if (strcmp(line, "compiled") == 0)
        s->compiled = true;
    else if (first == NULL)
        return false;
    else if (strcmp(line, "kairos") == 0)
        return strcmp(first, "1") == 0;
    else if (strcmp(line, "experiment") == 0)
        s->experiment = first;
    else if (strcmp(line, "model") == 0)
        s->model = first;
    else if (strcmp(line, "guid") == 0)
        s->guid = first;
    else if (second == NULL)
        return false;
    else if (strcmp(line, "override") == 0)
        vec_push(s->arena, s->overrides, (kaiOverride){first, strtod(second, NULL)});
    else if (strcmp(line, "set") == 0)
        vec_push(s->arena, s->values, (kaiGiven){first, second});
    else if (strcmp(line, "setting") == 0)
        vec_push(s->arena, s->settings, (kaiGiven){first, second});
    else if (strcmp(line, "size") == 0)
        vec_push(s->arena, s->sizes, (SizeRule){first, second});
    else if (strcmp(line, "file") == 0)
        vec_push(s->arena, s->files, (StoredFile){first, second, NULL, 0});
    else
        return false;
    return true;
}

bool store_open(Store* s, Arena* arena, const char* folder, char* why, size_t size)
{
    size_t length = 0;
    *s = (Store){.arena = arena, .folder = folder};
    char* text = read_file(s, "kairos.txt", &length);
    if (text == NULL)
        return snprintf(why, size, "the resources of the FMU are not in %s: kairos.txt cannot be read", folder), false;
    for (char *line = text, *next; line != NULL && *line != 0; line = next)
    {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = 0;
        if (!take_line(s, line))
            return snprintf(why, size, "%s/kairos.txt is of another version, or damaged", folder), false;
    }
    return true;
}

static kaiStatus provide(void* user, const kaiFileRequest* request, const char** text, size_t* length, const char** why)
{
    Store* s = user;
    *why = "it is not in the FMU";
    for (uint32_t i = 0; i < s->files.count; i++)
    {
        StoredFile* f = &s->files.at[i];
        if (strcmp(f->path, request->path) != 0)
            continue;
        if (f->bytes == NULL)
            f->bytes = read_file(s, f->archive, &f->size);
        *text = f->bytes;
        *length = f->size;
        return f->bytes != NULL ? KAI_OK : KAI_ERR_IO;
    }
    return KAI_ERR_IO;
}

static kaiModel* load_compiled(Store* s, char* why, size_t size)
{
    size_t length = 0;
    kaiModel* model = NULL;
    kaiError error;
    char* bytes = read_file(s, "model.bin", &length);
    if (bytes == NULL)
        snprintf(why, size, "%s/model.bin cannot be read", s->folder);
    else if (kaiModel_LoadSaved(bytes, length, false, &model, &error) != KAI_OK)
        snprintf(why, size, "%s", error.message);
    return model;
}

static void say_error(kaiProgram* program, char* why, size_t size)
{
    for (int i = 0; i < kaiProgram_MessageCount(program); i++)
    {
        const kaiError* m = kaiProgram_Message(program, i);
        if (m->severity == KAI_ERROR)
        {
            snprintf(why, size, "%s:%d:%d: %s", m->place.file != NULL ? m->place.file : "-", m->place.line,
                     m->place.column, m->message);
            return;
        }
    }
}

// What was given where the FMU was made, but for what an importer gives instead.
static void take_values(Store* s, GivenList* values, const kaiOverride* overrides, int count)
{
    for (uint32_t i = 0; i < s->values.count; i++)
    {
        bool replaced = false;
        for (int k = 0; k < count; k++)
            replaced |= strcmp(overrides[k].name, s->values.at[i].name) == 0;
        if (!replaced)
            vec_push(s->arena, *values, s->values.at[i]);
    }
}

kaiModel* store_compile(Store* s, const kaiOverride* overrides, int count, char* why, size_t size)
{
    if (s->compiled)
        return load_compiled(s, why, size);
    GivenList values = {0};
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    kaiError error;
    options.path = "model.kai";
    options.library = ":library";
    options.files = (kaiFileProvider){.read = provide, .user = s};
    VEC(kaiOverride) all = {0};
    for (uint32_t i = 0; i < s->overrides.count; i++)
        vec_push(s->arena, all, s->overrides.at[i]);
    for (int i = 0; i < count; i++)
        vec_push(s->arena, all, overrides[i]);
    compile.experiment = s->experiment;
    compile.model = s->model;
    compile.overrides = all.at;
    compile.override_count = (int)all.count;
    take_values(s, &values, overrides, count);
    compile.values = values.at;
    compile.value_count = (int)values.count;
    compile.settings = s->settings.at;
    compile.setting_count = (int)s->settings.count;
    snprintf(why, size, "the model of the FMU cannot be compiled");
    if (kaiProgram_Open(&options, &program, &error) != KAI_OK)
        snprintf(why, size, "%s", error.message);
    else if (kaiProgram_Compile(program, &compile, &model) != KAI_OK)
        say_error(program, why, size);
    kaiProgram_Free(program);
    return model;
}
