// Bytes → two results, of any kinds: compared, or refused with a sentence. The first two bytes say where the second
// begins.
#include "fuzz/fuzz.h"
#include "kairos/compare.h"

#include <sys/mman.h>
#include <unistd.h>

static int put(const uint8_t* bytes, size_t size, char path[60])
{
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_demand(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, 60, "/proc/self/fd/%d", file);
    return file;
}

static void on_difference(void* user, const kaiDifference* difference)
{
    (void)user;
    fuzz_demand(difference->text != NULL && difference->text[0] != 0 && difference->run != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    char first[60], second[60];
    if (size < 2 || size > FUZZ_TEXT)
        return -1;
    size_t middle = 2 + (size_t)(bytes[0] | bytes[1] << 8) % (size - 1);
    if (memmem(bytes, size, "\x89HDF", 4) != NULL)  // its library answers for itself
        return 0;
    int a = put(bytes + 2, middle - 2, first), b = put(bytes + middle, size - middle, second);
    kaiCompareOptions options = kaiDefaultCompareOptions();
    kaiComparison comparison;
    kaiError error = {0};
    options.difference = on_difference;
    kaiStatus status = kaiResult_Compare(first, second, &options, &comparison, &error);
    fuzz_demand(status == KAI_OK || error.message != NULL);
    close(a);
    close(b);
    return 0;
}
