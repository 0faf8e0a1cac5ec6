// Runs files, and all files of folders, through a target once: what libFuzzer does with arguments, for every compiler.
// With -seconds=N it then goes on for N seconds with changed copies of them, blindly (no coverage is counted, no fuzzer
// has to be built): the sample that every change gets, tools/fuzz-sample. -last=FILE holds the input in work, for
// whoever looks after a crash.
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Those of mutator.c, in targets that take models; the first is for it.
size_t LLVMFuzzerMutate(uint8_t* bytes, size_t size, size_t most);
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* bytes, size_t size, size_t most, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerCustomCrossOver(const uint8_t* one, size_t one_size, const uint8_t* other,
                                                       size_t other_size, uint8_t* out, size_t most, unsigned seed);

enum
{
    LARGEST = 1 << 24,  // a file
    CHANGED = 1 << 14,  // an input that is changed
    INPUTS = 4000
};

typedef struct Input
{
    uint8_t* at;
    size_t size;
} Input;

static Input inputs[INPUTS];
static int count;
static uint64_t chance_state = 1;
static uint8_t* last;  // the size, 8 bytes, then the input

static uint32_t chance(uint32_t below)
{
    chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
    return below > 0 ? (uint32_t)(chance_state >> 33) % below : 0;
}

static void run_input(const uint8_t* bytes, size_t size)
{
    uint8_t* exact = malloc(size + (size == 0));  // so that a sanitizer sees the end
    fuzz_demand(exact != NULL);
    memcpy(exact, bytes, size);
    if (last != NULL && size <= CHANGED)
    {
        memcpy(last, &size, sizeof size);
        memcpy(last + sizeof size, bytes, size);
    }
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void run_file(const char* path)
{
    FILE* file = fopen(path, "rb");
    uint8_t* bytes = malloc(LARGEST);
    fuzz_demand(file != NULL && bytes != NULL && count < INPUTS);
    size_t size = fread(bytes, 1, LARGEST, file);
    fclose(file);
    fprintf(stderr, "%s\n", path);
    run_input(bytes, size);
    inputs[count++] = (Input){realloc(bytes, size + 1), size};
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

// ---- changes

// Takes `length` bytes out at `at`, or doubles them.
static size_t cut_or_double(uint8_t* bytes, size_t size, size_t most, bool doubles)
{
    size_t at = chance((uint32_t)size), length = 1 + chance((uint32_t)(size - at));
    if (!doubles)
        memmove(bytes + at, bytes + at + length, size - at - length);
    else if (size + length <= most)
        memmove(bytes + at + length, bytes + at, size - at);
    else
        return size;
    return doubles ? size + length : size - length;
}

// A 32-bit number of those that hurt.
static void put_number(uint8_t* bytes, size_t size)
{
    static const uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x7ff00000, 0x10000};
    uint32_t value = values[chance(sizeof values / sizeof *values)];
    size_t width = chance(2) != 0 ? 4 : 1;
    if (size >= width)
        memcpy(bytes + chance((uint32_t)(size - width + 1)), &value, width);
}

size_t LLVMFuzzerMutate(uint8_t* bytes, size_t size, size_t most)
{
    if (size == 0)
    {
        bytes[0] = (uint8_t)chance(256);
        return 1;
    }
    switch (chance(6))
    {
    case 0: bytes[chance((uint32_t)size)] ^= (uint8_t)(1u << chance(8)); return size;
    case 1: bytes[chance((uint32_t)size)] = (uint8_t)chance(256); return size;
    case 2: put_number(bytes, size); return size;
    case 3: return cut_or_double(bytes, size, most, false);
    case 4: return cut_or_double(bytes, size, most, true);
    default: bytes[chance((uint32_t)size)] = (uint8_t) "0123456789.,-+eEinf\n\"{}[]<>"[chance(27)]; return size;
    }
}

// The beginning of one and the end of the other.
static size_t join(uint8_t* bytes, size_t size, const Input* other, size_t most)
{
    size_t at = chance((uint32_t)size + 1), from = chance((uint32_t)other->size + 1);
    size_t length = other->size - from < most - at ? other->size - from : most - at;
    memcpy(bytes + at, other->at + from, length);
    return at + length;
}

static void run_changed(void)
{
    static uint8_t bytes[CHANGED], crossed[CHANGED];
    const Input *one = &inputs[chance((uint32_t)count)], *other = &inputs[chance((uint32_t)count)];
    size_t size = one->size < CHANGED ? one->size : CHANGED;
    memcpy(bytes, one->at, size);
    if (LLVMFuzzerCustomCrossOver != NULL && chance(2) == 0)
    {
        size_t from = other->size < CHANGED ? other->size : CHANGED;
        size = LLVMFuzzerCustomCrossOver(bytes, size, other->at, from, crossed, CHANGED, chance(1u << 30));
        memcpy(bytes, crossed, size);
    }
    else if (chance(8) == 0)
        size = join(bytes, size, other, CHANGED);
    for (uint32_t n = 1 + chance(4); n > 0; n--)
        size = LLVMFuzzerCustomMutator != NULL ? LLVMFuzzerCustomMutator(bytes, size, CHANGED, chance(1u << 30))
                                               : LLVMFuzzerMutate(bytes, size, CHANGED);
    run_input(bytes, size);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void keep_last(const char* path)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    fuzz_demand(file >= 0 && ftruncate(file, CHANGED + 8) == 0);
    last = mmap(NULL, CHANGED + 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    fuzz_demand(last != MAP_FAILED);
    close(file);
}

int main(int argc, char** argv)
{
    double seconds = 0;
    long tried = 0;
    for (int i = 1; i < argc; i++)
    {
        if (strncmp(argv[i], "-seconds=", 9) == 0)
            seconds = strtod(argv[i] + 9, NULL);
        else if (strncmp(argv[i], "-seed=", 6) == 0)
            chance_state = strtoull(argv[i] + 6, NULL, 10);
        else if (strncmp(argv[i], "-last=", 6) == 0)
            keep_last(argv[i] + 6);
        else
            run_path(argv[i]);
    }
    for (double end = now() + seconds; seconds > 0 && count > 0 && now() < end; tried++)
        run_changed();
    printf("%ld inputs\n", count + tried);
    for (int i = 0; i < count; i++)
        free(inputs[i].at);
    return 0;
}
