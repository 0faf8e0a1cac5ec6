// See workspace.h. Memory comes from the arena, which may jump out: nothing of the system is open when it is asked.
#include "lsp/workspace.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum
{
    FILES_MOST = 1000,
    FOLDERS_MOST = 300,
    PATH_LONGEST = 2000,
    NAMES_SIZE = 64 << 10,  // of the names of one folder together
    TEXT_LARGEST = 4 << 20,
};

// Names one behind the other, each ended by 0; how many.
static int read_names(const char* folder, char* names)
{
    DIR* directory = opendir(folder);
    const struct dirent* entry;
    size_t used = 0;
    int count = 0;
    while (directory != NULL && (entry = readdir(directory)) != NULL)
    {
        size_t size = strlen(entry->d_name) + 1;
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "node_modules") == 0 || used + size > NAMES_SIZE)
            continue;
        memcpy(names + used, entry->d_name, size);
        used += size;
        count++;
    }
    if (directory != NULL)
        closedir(directory);
    return count;
}

static bool is_model(const char* name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".kai") == 0;
}

static void add_text(Document* d, const char* path, size_t size)
{
    const char* identity = document_identity(d, path);
    for (uint32_t i = 0; i < d->files.count; i++)
        if (strcmp(d->files.at[i].identity, identity) == 0)
            return;
    char* text = arena_alloc(d->arena, size + 1);
    FILE* file = fopen(path, "rb");
    size_t got = file != NULL ? fread(text, 1, size, file) : 0;
    bool whole = file != NULL && got == size;
    if (file != NULL)
        fclose(file);
    text[got] = 0;
    if (whole && strlen(text) == got)
        document_add_file(d, &d->files, path, text);
}

// `folders`: how many may still be looked into.
static void add_folder(Document* d, const char* folder, int* folders)
{
    char* names = arena_alloc(d->arena, NAMES_SIZE);
    const char* name = names;
    for (int i = read_names(folder, names); i > 0 && d->files.count < FILES_MOST; i--, name += strlen(name) + 1)
    {
        struct stat about;
        const char* path = arena_printf(d->arena, "%s/%s", folder, name);
        if (lstat(path, &about) != 0)
            continue;
        if (S_ISDIR(about.st_mode) && strlen(path) < PATH_LONGEST && (*folders)-- > 0)
            add_folder(d, path, folders);
        else if (S_ISREG(about.st_mode) && is_model(name) && about.st_size <= TEXT_LARGEST)
            add_text(d, path, (size_t)about.st_size);
    }
}

void workspace_add(Document* d, const char* folder, bool deep)
{
    int folders = deep ? FOLDERS_MOST : 0;
    add_folder(d, folder, &folders);
}
