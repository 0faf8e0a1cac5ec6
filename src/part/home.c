// The folder of the file that holds this code is tried as prefix, then those above it, then the configured prefix:
//   the folder itself        a build folder, a wheel, an FMU: everything below one folder
//   the one above            an installed program (bin), tests of a build
//   KAIROS_LIBRARY_DEPTH up  an installed shared library (lib, or lib/<architecture>)
// A build folder has the layout of an installation, so nothing here knows where the sources are.
#include "part/home.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

// By the name with which the program was started: in a root without /proc there is no other.
static bool started_as(char* file)
{
    const char* name = (const char*)getauxval(AT_EXECFN);
    return name != NULL && realpath(name, file) != NULL;
}

// The file with this code, without links: a program start should not pay for more than it asks, so realpath, which
// looks at every folder on the way, is for shared libraries only.
static bool own_file(char* file)
{
    Dl_info info;
    struct link_map* map = NULL;
    void* here;
    bool (*function)(char*) = own_file;
    memcpy(&here, &function, sizeof here);
    if (dladdr1(here, &info, (void**)&map, RTLD_DL_LINKMAP) == 0 || map == NULL)
        return false;
    if (map->l_name[0] != 0)
        return realpath(map->l_name, file) != NULL;
    ssize_t length = readlink("/proc/self/exe", file, PATH_MAX - 1);  // the program has no name there
    if (length <= 0)
        return started_as(file);
    file[length] = 0;
    return true;
}

// Cuts the last component off; false: there is none.
static bool go_up(char* folder)
{
    char* slash = strrchr(folder, '/');
    if (slash == NULL)
        return false;
    *slash = 0;
    return true;
}

static bool exists(const char* prefix, const char* tail, char* path)
{
    size_t length = strlen(prefix), more = strlen(tail) + 2;
    if (length + more > PATH_MAX)
        return false;
    memmove(path, prefix, length);
    path[length] = '/';
    memcpy(path + length + 1, tail, more - 1);
    return access(path, F_OK) == 0;
}

bool home_find(const char* tail, char* path)
{
    char folder[PATH_MAX];
    bool known = own_file(folder);
    for (int i = 0; known && i <= KAIROS_LIBRARY_DEPTH && go_up(folder); i++)
        if (exists(folder, tail, path))
            return true;
    return exists(KAIROS_PREFIX, tail, path);
}

bool home_models(char* path)
{
    return home_find(KAIROS_MODELS_TAIL, path);
}
