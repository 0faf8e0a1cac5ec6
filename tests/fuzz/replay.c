// Runs files, and all files of folders, through a target once: what libFuzzer does with arguments, for every compiler.
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

static int count;

static void run_file(const char* path)
{
    FILE* file = fopen(path, "rb");
    uint8_t* bytes = malloc(1 << 24);
    fuzz_demand(file != NULL && bytes != NULL);
    size_t size = fread(bytes, 1, 1 << 24, file);
    fclose(file);
    uint8_t* exact = malloc(size + (size == 0));  // so that a sanitizer sees the end
    fuzz_demand(exact != NULL);
    memcpy(exact, bytes, size);
    free(bytes);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    count++;
}

static void run_path(const char* path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return;  // a target without such a folder
    DIR* folder = S_ISDIR(status.st_mode) ? opendir(path) : NULL;
    if (folder == NULL)
    {
        run_file(path);
        return;
    }
    for (struct dirent* entry; (entry = readdir(folder)) != NULL;)
    {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            run_path(name);
    }
    closedir(folder);
}

int main(int argc, char** argv)
{
    for (int i = 1; i < argc; i++)
        run_path(argv[i]);
    printf("%d inputs\n", count);
    return 0;
}
