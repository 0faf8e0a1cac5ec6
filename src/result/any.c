// A result in any format → rows. What a file is its first bytes say, so that a renamed file is read too. A CSV, which
// may come from a pipe, goes to its own reader.
#include "base/error.h"
#include "result/sheet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum Kind
{
    KIND_CSV,
    KIND_VCD,
    KIND_SHEET,
} Kind;

struct kaiReader
{
    kaiAllocator allocator;
    Kind kind;
    kaiCsvReader* csv;
    VcdReader* vcd;
    Sheet sheet;
};

typedef kaiStatus SheetMaker(Sheet* sheet, kaiError* error);

static SheetMaker* recognise(const unsigned char* first, size_t length, Kind* kind)
{
    static const unsigned char mat[8] = {51, 0, 0, 0, 4, 0, 0, 0};
    *kind = KIND_SHEET;
    if (length >= 6 && memcmp(first, "\x93NUMPY", 6) == 0)
        return npy_sheet;
    if (length >= 4 && memcmp(first, "PK\x03\x04", 4) == 0)
        return npz_sheet;
    if (length >= 8 && memcmp(first, "\x89HDF\r\n\x1a\n", 8) == 0)
        return hdf5_sheet;
    if (length >= 8 && memcmp(first, mat, 8) == 0)
        return mat_sheet;
    *kind = length >= 2 && first[0] == '$' && first[1] >= 'a' && first[1] <= 'z' ? KIND_VCD : KIND_CSV;
    return NULL;
}

// What cannot be looked into (a pipe, a folder, nothing) is left to the reader of CSV, which says what is wrong.
static SheetMaker* look(kaiReader* r, const char* path)
{
    struct stat status;
    unsigned char first[8];
    r->kind = KIND_CSV;
    if (strcmp(path, "-") == 0)
        return NULL;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return NULL;
    ssize_t count = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? pread(descriptor, first, 8, 0) : 0;
    SheetMaker* maker = count > 0 ? recognise(first, (size_t)count, &r->kind) : NULL;
    if (maker != NULL)
        r->sheet.descriptor = descriptor;
    else
        close(descriptor);
    return maker;
}

kaiReader* kaiReader_Open(const char* path, kaiAllocator a, kaiError* error)
{
    if (path == NULL || a.alloc == NULL)
        return error_set(error, KAI_ERR_USAGE, "a reader needs a path and an allocator"), NULL;
    kaiReader* r = memory_get(a, sizeof *r);
    if (r == NULL)
        return error_memory(error), NULL;
    r->allocator = r->sheet.allocator = a;
    r->sheet.descriptor = -1;
    snprintf(r->sheet.path, sizeof r->sheet.path, "%s", path);
    SheetMaker* maker = look(r, path);
    kaiStatus status = KAI_OK;
    error_clear(error);
    if (r->kind == KIND_CSV)
        status = (r->csv = kaiCsvReader_Open(path, a, error)) != NULL ? KAI_OK : KAI_ERR_IO;
    else if (r->kind == KIND_VCD)
        status = (r->vcd = vcd_make(path, a, error)) != NULL ? KAI_OK : KAI_ERR_IO;
    else
        status = maker(&r->sheet, error);
    if (status == KAI_OK)
        return r;
    kaiReader_Free(r);
    return NULL;
}

kaiStatus kaiReader_Read(kaiReader* r, const kaiCsvVisitor* visitor, kaiError* error)
{
    if (r == NULL || visitor == NULL || visitor->header == NULL || visitor->row == NULL)
        return error_set(error, KAI_ERR_USAGE, "a reader needs a visitor with header and row");
    switch (r->kind)
    {
    case KIND_CSV: return kaiCsvReader_Read(r->csv, visitor, error);
    case KIND_VCD: return vcd_read(r->vcd, visitor, error);
    default: break;
    }
    error_set(error, KAI_ERR_IO, "%s cannot be read", r->sheet.path);
    if (r->sheet.columns != NULL)
        return error_set(error, KAI_ERR_USAGE, "%s has been read", r->sheet.path);
    return sheet_read(&r->sheet, visitor, error);
}

const char* kaiReader_Remark(const kaiReader* r)
{
    if (r == NULL || r->kind == KIND_CSV)
        return r != NULL ? kaiCsvReader_Remark(r->csv) : NULL;
    if (r->kind == KIND_VCD)
        return vcd_remark(r->vcd);
    return r->sheet.remark[0] != 0 ? r->sheet.remark : NULL;
}

void kaiReader_SetInterrupt(kaiReader* r, const volatile int* interrupt)
{
    if (r != NULL)
        kaiCsvReader_SetInterrupt(r->csv, interrupt);
}

void kaiReader_Free(kaiReader* r)
{
    if (r == NULL)
        return;
    kaiCsvReader_Free(r->csv);
    vcd_reader_free(r->vcd);
    sheet_free(&r->sheet);
    memory_give(r->allocator, r, sizeof *r);
}
