// Opening parts.
//
// The one thing in the library that belongs to the process and not to an object: which parts are open. The dynamic
// linker keeps such a list anyway, and there is nothing in it that could differ between two users of the library, so
// it is an array of atomic pointers here. A part is never closed: neither Z3 nor the libraries under Cairo can be
// unloaded. Two threads that open the same part at once get the same table. What failed is tried again the next time.
#include "part/part.h"

#include "part/home.h"
#include "part_stamp.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic(const PartHead*) opened[PART_COUNT];

static const struct
{
    const char* file;
    const char *absent, *broken, *starved, *foreign;  // sentences
} parts[] = {
#define FILE_OF(name) "libkairos-" name ".so"
#define X(id, name, purpose, runs_with, built_with)                                                                    \
    {FILE_OF(name),                                                                                                    \
     "the part for " purpose " is missing: there is no " FILE_OF(                                                      \
         name) " in the folder " KAIROS_PARTS_TAIL                                                                     \
               " of this installation; install all of Kairos, built after apt install " built_with,                    \
     FILE_OF(name) ", the part for " purpose                                                                           \
                   ", cannot be opened, probably for want of a library; apt install " runs_with,                       \
     "out of memory: " FILE_OF(name) ", the part for " purpose ", cannot be opened",                                   \
     FILE_OF(name) ", the part for " purpose ", belongs to another build of Kairos; install all of Kairos again"},
    PARTS(X)
#undef X
};

// The library as a file of this installation, or wherever the dynamic linker looks. An installation with a folder for
// parts takes none from elsewhere: mixing two only looks like luck.
static void* open_library(Part part, bool* found)
{
    char path[PATH_MAX + 64];
    bool has_folder = home_find(KAIROS_PARTS_TAIL, path);
    if (has_folder)
        strcat(strcat(path, "/"), parts[part].file);
    *found = has_folder && access(path, F_OK) == 0;
    void* library = dlopen(*found ? path : parts[part].file, RTLD_NOW | RTLD_LOCAL);
    *found = *found || library != NULL;
    return library;
}

// Why it was not opened. That memory ran out the dynamic linker tells in words only.
static const char* refusal(Part part, bool found)
{
    const char* error = dlerror();
    if (!found)
        return parts[part].absent;
    bool starved = error != NULL && (strstr(error, "allocate memory") != NULL || strstr(error, "map segment") != NULL);
    return starved ? parts[part].starved : parts[part].broken;
}

// Fontconfig, Graphviz and Z3 take no for an answer badly: where there is no room for their first steps, they crash. So
// a part is opened only if that much is left.
static bool has_room(Part part)
{
    size_t size = (size_t)(part == PART_PROOFS ? 128 : 16) << 20;
    void* room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room != MAP_FAILED && munmap(room, size) == 0;
}

static const PartHead* open_part(Part part, const char** trouble)
{
    bool found;
    void* library = open_library(part, &found);
    if (library == NULL)
    {
        *trouble = refusal(part, found);
        return NULL;
    }
    void* symbol = dlsym(library, PART_ENTRY);
    PartEntry* entry;
    memcpy(&entry, &symbol, sizeof entry);  // POSIX: a pointer to an object that is one to a function
    const PartHead* head = symbol != NULL ? entry() : NULL;
    bool ours = head != NULL && strcmp(head->stamp, PART_STAMP) == 0;
    *trouble = ours ? parts[part].starved : parts[part].foreign;
    if (ours && has_room(part))
        return head;
    dlclose(library);
    return NULL;
}

const void* part_load(Part part, size_t size, const char** trouble)
{
    const PartHead* head = atomic_load_explicit(&opened[part], memory_order_acquire);
    if (head == NULL)
        head = open_part(part, trouble);
    if (head == NULL)
        return NULL;
    *trouble = parts[part].foreign;
    if (head->size != size)
        return NULL;
    atomic_store_explicit(&opened[part], head, memory_order_release);
    return head;
}

// Fontconfig keeps its caches until the process ends, and Graphviz leaves a few hundred bytes of each layout behind;
// the leak checker of a sanitized build need not tell us.
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define KAIROS_LEAK_CHECK
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(KAIROS_LEAK_CHECK)
#pragma GCC visibility push(default)
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libgvc\n";
}
const char* __lsan_default_options(void);
const char* __lsan_default_options(void)
{
    return "print_suppressions=0";
}
#pragma GCC visibility pop
#endif
