// Bytes → a result of any format as `kairos plot` reads it, and a checkpoint: rows or a sentence.
#include "fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct Copy
{
    const kaiColumn* columns;
    int column_count;
    int64_t rows;
} Copy;

static kaiStatus on_header(void* user, const kaiColumn* columns, int column_count, bool* wanted)
{
    Copy* copy = user;
    for (int i = 0; i < column_count; i++)
        fuzz_demand(columns[i].name != NULL && wanted[i]);
    copy->columns = columns;
    copy->column_count = column_count;
    return KAI_OK;
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Copy* copy = user;
    double sum = 0;
    for (int i = 0; i < copy->column_count; i++)
    {
        sum += row->present[i] ? row->values[i] : 0;
        if (row->present[i] && copy->columns[i].kind == KAI_COLUMN_MODE)  // a name that is there
            sum += (double)strlen(copy->columns[i].mode_names[(int)row->values[i]]);
    }
    copy->rows += 1 + (sum == 1e300);  // the values are looked at
    return KAI_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    char path[60];
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_demand(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    kaiError error = {0};
    Copy copy = {0};
    bool hdf5 = size > 3 && memcmp(bytes, "\x89HDF", 4) == 0;  // its library answers for itself
    kaiReader* reader = hdf5 ? NULL : kaiReader_Open(path, kaiDefaultAllocator(), &error);
    fuzz_demand(reader != NULL || error.message != NULL || hdf5);
    kaiCsvVisitor visitor = {on_header, on_row, NULL, &copy};
    kaiStatus status = reader != NULL ? kaiReader_Read(reader, &visitor, &error) : KAI_OK;
    fuzz_demand(status == KAI_OK || error.message != NULL);
    kaiReader_Free(reader);
    kaiCheckpoint* checkpoint = kaiCheckpoint_Read(path, &error);
    fuzz_demand(checkpoint != NULL || error.message != NULL);
    for (int i = 0; i < kaiCheckpoint_WordCount(checkpoint); i++)
        fuzz_demand(kaiCheckpoint_Word(checkpoint, i) != NULL);
    // The bytes as the mark of a result: it goes on there, or says why not.
    kaiCsvOptions options = kaiDefaultCsvOptions();
    options.path = path;
    options.mark = bytes;
    options.mark_size = size;
    kaiCsv* csv = kaiCsv_Open(&options, NULL, 0, &error);
    fuzz_demand(csv == NULL && error.message != NULL);  // no such file can be there
    kaiCheckpoint_Free(checkpoint);
    close(file);
    return 0;
}
