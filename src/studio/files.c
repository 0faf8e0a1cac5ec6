// See files.h. Paths are walked from the folder, a component at a time, with openat and O_NOFOLLOW: whatever a request
// names, nothing outside can be reached, and nothing that is swapped while it is looked at.
#include "studio/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    FILES_MOST = 1000,
    DEPTH_MOST = 6,
    TEXT_LARGEST = 8 << 20,
    NAME_LONGEST = 255,
    VERSION_SIZE = 64,
    NAMES_LARGEST = FILES_MOST * (NAME_LONGEST + 1),
};

bool folder_open(Folder* f, const char* path)
{
    f->descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return f->descriptor >= 0;
}

void folder_close(Folder* f)
{
    if (f->descriptor >= 0)
        close(f->descriptor);
    f->descriptor = -1;
}

// ---- paths

static bool is_model(const char* name)
{
    size_t length = strlen(name);
    return length > 4 && name[0] != '.' && strcmp(name + length - 4, ".kai") == 0;
}

// The folder that holds the last component of `path`, to be closed, and that component. -1: it is no path below.
static int walk(const Folder* f, const char* path, char name[NAME_LONGEST + 1])
{
    int at = f->descriptor >= 0 ? fcntl(f->descriptor, F_DUPFD_CLOEXEC, 0) : -1;
    for (int depth = 0; at >= 0 && depth <= DEPTH_MOST; depth++)
    {
        size_t length = strcspn(path, "/");
        if (length == 0 || length > NAME_LONGEST || path[0] == '.')
            break;
        memcpy(name, path, length);
        name[length] = 0;
        if (path[length] == 0)
        {
            if (is_model(name))
                return at;
            break;
        }
        int next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
        path += length + 1;
    }
    if (at >= 0)
        close(at);
    return -1;
}

static void put_trouble(JsonWriter* w, const char* sentence)
{
    json_put_text(w, "error", sentence);
}

static const char not_below[] = "only models, files *.kai, below the folder of the studio can be opened";

// ---- versions

static void version_of(const struct stat* s, char* text)
{
    snprintf(text, VERSION_SIZE, "%lld.%09ld-%lld-%llu", (long long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec,
             (long long)s->st_size, (unsigned long long)s->st_ino);
}

// A descriptor of a regular file; -1: there is none.
static int open_model(int folder, const char* name, struct stat* s)
{
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && (fstat(file, s) != 0 || !S_ISREG(s->st_mode)))
    {
        close(file);
        return -1;
    }
    return file;
}

void folder_look(const Folder* f, const char* path, JsonWriter* w)
{
    char name[NAME_LONGEST + 1], version[VERSION_SIZE];
    struct stat s;
    int folder = walk(f, path, name), file = folder >= 0 ? open_model(folder, name, &s) : -1;
    if (file >= 0)
        version_of(&s, version);
    json_put_text(w, "version", file >= 0 ? version : NULL);
    if (file >= 0)
        close(file);
    if (folder >= 0)
        close(folder);
}

// ---- reading

// All of it, ended; false: it cannot be read.
static bool read_all(int file, char* text, size_t size)
{
    size_t at = 0;
    while (at < size)
    {
        ssize_t got = read(file, text + at, size - at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        at += (size_t)got;
    }
    text[at] = 0;
    return at == size;
}

void folder_read(const Folder* f, Arena* arena, const char* path, JsonWriter* w)
{
    char name[NAME_LONGEST + 1], version[VERSION_SIZE];
    char* text = arena_alloc(arena, TEXT_LARGEST + 1);  // before anything is open: the arena may unwind
    struct stat s;
    int folder = walk(f, path, name), file = folder >= 0 ? open_model(folder, name, &s) : -1;
    bool large = file >= 0 && s.st_size > TEXT_LARGEST;
    bool fine = file >= 0 && !large && read_all(file, text, (size_t)s.st_size);
    if (file >= 0)
        close(file);
    if (folder >= 0)
        close(folder);
    if (!fine)
    {
        put_trouble(w, folder < 0 ? not_below
                       : large    ? "a file of this size is no model"
                                  : "there is no such file, or it cannot be read");
        return;
    }
    version_of(&s, version);
    json_put_text(w, "text", text);
    json_put_text(w, "version", version);
}

// ---- writing

static bool write_all(int file, const char* text, size_t size)
{
    while (size > 0)
    {
        ssize_t put = write(file, text, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        text += put;
        size -= (size_t)put;
    }
    return fsync(file) == 0;
}

// Under another name first: whatever happens, the file has its old text or its new one.
static bool replace(int folder, const char* name, const char* text, mode_t mode)
{
    char temporary[NAME_LONGEST + 32];
    snprintf(temporary, sizeof temporary, ".%.200s.%ld.part", name, (long)getpid());
    int file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file < 0)
        return false;
    bool fine = write_all(file, text, strlen(text));
    fine = close(file) == 0 && fine && renameat(folder, temporary, folder, name) == 0;
    if (!fine)
        unlinkat(folder, temporary, 0);
    return fine;
}

typedef struct Written
{
    const char* trouble;  // NULL: it is written
    bool conflict;
    char version[VERSION_SIZE];
} Written;

static bool find_version(int folder, const char* name, struct stat* s, char* version)
{
    int file = open_model(folder, name, s);
    version[0] = 0;
    if (file < 0)
        return false;
    version_of(s, version);
    close(file);
    return true;
}

static void write_model(int folder, const char* name, const char* text, const char* known, Written* result)
{
    struct stat s = {.st_mode = 0644};
    bool regular = find_version(folder, name, &s, result->version);
    bool exists = regular || faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    result->conflict = exists != (known != NULL) || (exists && strcmp(result->version, known) != 0);
    if (result->conflict)
        result->trouble = exists ? "the file has changed on the disk" : "the file is no longer there";
    else if (!replace(folder, name, text, s.st_mode & 0777) || !find_version(folder, name, &s, result->version))
        result->trouble = "the file cannot be written";
}

void folder_write(const Folder* f, const char* path, const char* text, const char* version, JsonWriter* w)
{
    char name[NAME_LONGEST + 1];
    Written result = {.trouble = not_below};
    int folder = walk(f, path, name);
    if (folder >= 0)
    {
        result.trouble = NULL;
        write_model(folder, name, text, version, &result);
        close(folder);
    }
    if (result.conflict)
        json_put_bool(w, "conflict", true);
    if (result.trouble != NULL)
        put_trouble(w, result.trouble);
    else
        json_put_text(w, "version", result.version);
}

// ---- listing

// Names, one behind the other, each ended. A folder is open while they are found, so memory comes from the allocator,
// which does not unwind.
typedef struct Names
{
    kaiAllocator allocator;
    char* at;
    size_t size, capacity;
    int count;
} Names;

static void add_name(Names* n, const char* name)
{
    size_t length = strlen(name) + 1;
    if (n->size + length > n->capacity)
    {
        size_t capacity = 2 * n->capacity + 4096;
        char* more = n->allocator.alloc(n->allocator.user, n->at, n->capacity, capacity);
        if (more == NULL)
            return;
        n->at = more;
        n->capacity = capacity;
    }
    memcpy(n->at + n->size, name, length);
    n->size += length;
    n->count++;
}

static int compare(const void* a, const void* b)
{
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

// Takes `folder` over.
static void list_below(int folder, const char* prefix, int depth, Names* names)
{
    DIR* entries = folder >= 0 ? fdopendir(folder) : NULL;
    char path[PATH_MAX];
    struct stat s;
    if (entries == NULL && folder >= 0)
        close(folder);
    for (struct dirent* e; entries != NULL && (e = readdir(entries)) != NULL && names->count < FILES_MOST;)
    {
        int length = snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] != 0 ? "/" : "", e->d_name);
        if (e->d_name[0] == '.' || length >= NAME_LONGEST ||
            fstatat(dirfd(entries), e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISDIR(s.st_mode) && depth < DEPTH_MOST && strcmp(e->d_name, "node_modules") != 0)
            list_below(openat(dirfd(entries), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), path,
                       depth + 1, names);
        else if (S_ISREG(s.st_mode) && is_model(e->d_name))
            add_name(names, path);
    }
    if (entries != NULL)
        closedir(entries);
}

void folder_list(const Folder* f, Arena* arena, JsonWriter* w)
{
    char* copy = arena_alloc(arena, NAMES_LARGEST);
    const char** sorted = arena_array(arena, const char*, FILES_MOST);
    Names names = {.allocator = arena->allocator};
    if (f->descriptor >= 0)
        list_below(openat(f->descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "", 0, &names);
    if (names.size > 0)
        memcpy(copy, names.at, names.size);
    if (names.at != NULL)
        names.allocator.alloc(names.allocator.user, names.at, names.capacity, 0);
    for (int i = 0; i < names.count; i++, copy += strlen(copy) + 1)
        sorted[i] = copy;
    qsort(sorted, (size_t)names.count, sizeof *sorted, compare);
    json_begin(w, "files", '[');
    for (int i = 0; i < names.count; i++)
        json_put_text(w, NULL, sorted[i]);
    json_end(w, ']');
}
