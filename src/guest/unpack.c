// The binary of an FMU: what it needs is unpacked into a folder of its own when the first instance is made, and goes
// with the last one. Names were looked at when the archive was opened: none leads out of it.
#include "guest/guest.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    PATH_MOST = 4096
};

const char* guest_identifier(const Guest* g)
{
    return g->exchange ? g->described.exchange : g->described.cosimulation;
}

static bool is_needed(const Guest* g, const char* name)
{
    char binaries[100];
    snprintf(binaries, sizeof binaries, "binaries/%s/", g->described.platform);
    return strncmp(name, "resources/", 10) == 0 || strncmp(name, binaries, strlen(binaries)) == 0;
}

// The folders on the way to a file.
static bool make_folders(char* path, size_t from)
{
    for (char* at = path + from; *at != 0; at++)
    {
        if (*at != '/')
            continue;
        *at = 0;
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = '/';
        if (!made)
            return false;
    }
    return true;
}

static bool write_entry(Guest* g, const ArchiveEntry* entry)
{
    char path[PATH_MOST];
    int length = snprintf(path, sizeof path, "%s/%s", g->folder, entry->name);
    if (length < 0 || length >= PATH_MOST || !make_folders(path, strlen(g->folder) + 1))
        return false;
    if (entry->folder)
        return true;
    char* bytes = archive_read(&g->described.archive, entry);
    FILE* out = bytes != NULL ? fopen(path, "wbx") : NULL;
    bool written = out != NULL && fwrite(bytes, 1, entry->size, out) == entry->size;
    if (out != NULL)
        written &= fclose(out) == 0;
    return written;
}

// Only what was unpacked, in the order that it can go.
static void remove_entries(Guest* g)
{
    char path[PATH_MOST];
    for (uint32_t i = 0; i < g->described.archive.entries.count; i++)
    {
        const ArchiveEntry* entry = &g->described.archive.entries.at[i];
        snprintf(path, sizeof path, "%s/%s", g->folder, entry->name);
        if (is_needed(g, entry->name) && !entry->folder)
            unlink(path);
    }
    for (uint32_t i = 0; i < g->described.archive.entries.count; i++)
    {
        const ArchiveEntry* entry = &g->described.archive.entries.at[i];
        if (!is_needed(g, entry->name))
            continue;
        snprintf(path, sizeof path, "%s/%s", g->folder, entry->name);
        for (char* slash; (slash = strrchr(path, '/')) != NULL && slash > path + strlen(g->folder);)
        {
            *slash = 0;
            rmdir(path);
        }
    }
    rmdir(g->folder);
}

// What was unpacked in vain goes at once, so that another try begins anew.
static bool unpack(Guest* g, char* text, size_t size)
{
    const char* temporary = getenv("TMPDIR");
    int length = snprintf(g->folder, sizeof g->folder, "%s/kairos-fmu-XXXXXX",
                          temporary != NULL && strlen(temporary) < 200 ? temporary : "/tmp");
    bool folder = length < (int)sizeof g->folder && mkdtemp(g->folder) != NULL, made = folder;
    for (uint32_t i = 0; made && i < g->described.archive.entries.count; i++)
    {
        const ArchiveEntry* entry = &g->described.archive.entries.at[i];
        if (is_needed(g, entry->name))
            made = write_entry(g, entry);
    }
    if (made)
        return true;
    snprintf(text, size, "%s cannot be unpacked into %s: %s", g->path, g->folder,
             g->described.archive.why[0] != 0 ? g->described.archive.why : strerror(errno));
    if (folder)
        remove_entries(g);
    g->folder[0] = 0;
    return false;
}

static bool open_library(Guest* g, char* text, size_t size)
{
    char path[PATH_MOST];
    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", g->folder, g->described.platform, guest_identifier(g));
    g->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (g->library == NULL)
        snprintf(text, size, "the binary of %s cannot be opened: %s", g->path, dlerror());
    return g->library != NULL;
}

static bool load(Guest* g, bool open, char* text, size_t size)
{
    pthread_mutex_lock(&g->lock);
    volatile bool done = g->library != NULL;
    g->scarce = false;
    if (setjmp(g->fail) != 0)  // of the arena, in the middle of unpacking
    {
        g->scarce = true;
        snprintf(text, size, "there is no memory to unpack %s", g->path);
        remove_entries(g);
        g->folder[0] = 0;
    }
    else if (!done)
        done = (g->folder[0] != 0 || unpack(g, text, size)) && (!open || open_library(g, text, size));
    pthread_mutex_unlock(&g->lock);
    return done;
}

bool guest_load(Guest* g, char* text, size_t size)
{
    return load(g, true, text, size);
}

bool guest_unpack(Guest* g, char* text, size_t size)
{
    return load(g, false, text, size);
}

void* guest_symbol(const Guest* g, const char* name)
{
    return dlsym(g->library, name);
}

void guest_unload(Guest* g)
{
    if (g->library != NULL)
        dlclose(g->library);
    g->library = NULL;
    if (g->folder[0] != 0)
        remove_entries(g);
    g->folder[0] = 0;
}
