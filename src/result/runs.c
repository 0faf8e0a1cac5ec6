// A file of any format → runs in memory.
#include "result/runs.h"

#include "base/error.h"
#include "result/format.h"

#include <stdio.h>

static kaiStatus begin_run(Runs* r, const char* label)
{
    kaiAllocator a = r->allocator;
    if (r->count == r->capacity)
    {
        int more = 2 * r->capacity + 4;
        Run* at = a.alloc(a.user, r->at, sizeof *at * (size_t)r->capacity, sizeof *at * (size_t)more);
        if (at == NULL)
            return KAI_ERR_MEMORY;
        r->at = at;
        r->capacity = more;
    }
    kaiRecorderOptions options = kaiDefaultRecorderOptions();
    options.allocator = a;
    Run* run = &r->at[r->count];
    run->rows = kaiRecorder_Create(&options, r->column_count, NULL);
    if (run->rows == NULL)
        return KAI_ERR_MEMORY;
    snprintf(run->label, sizeof run->label, "%s", label);
    r->count++;
    return KAI_OK;
}

static kaiStatus on_header(void* user, const kaiColumn* columns, int count, bool* wanted)
{
    (void)wanted;
    Runs* r = user;
    r->columns = columns;
    r->column_count = count;
    return KAI_OK;
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Runs* r = user;
    kaiStatus status = r->count == 0 ? begin_run(r, "") : KAI_OK;
    return status == KAI_OK ? kaiRecorder_Row(r->at[r->count - 1].rows, row) : status;
}

static kaiStatus on_lead(void* user, const char* text)
{
    return begin_run(user, text);
}

kaiStatus runs_read(Runs* r, const char* path, kaiAllocator allocator, const volatile int* interrupt, kaiError* error)
{
    *r = (Runs){.allocator = allocator};
    kaiCsvVisitor visitor = {on_header, on_row, on_lead, r};
    kaiError why = {0};
    r->reader = kaiReader_Open(path, allocator, &why);
    kaiReader_SetInterrupt(r->reader, interrupt);
    kaiStatus status = r->reader != NULL ? kaiReader_Read(r->reader, &visitor, &why) : why.status;
    if (status == KAI_OK && r->count == 0)
        status = begin_run(r, "");
    if (status == KAI_ERR_MEMORY)
        return error_memory(error);
    return status == KAI_OK ? KAI_OK : error_copy(error, &why);
}

void runs_free(Runs* r)
{
    kaiAllocator a = r->allocator;
    for (int i = 0; i < r->count; i++)
        kaiRecorder_Free(r->at[i].rows);
    if (r->at != NULL)
        a.alloc(a.user, r->at, sizeof *r->at * (size_t)r->capacity, 0);
    kaiReader_Free(r->reader);
}

int runs_find(const Runs* r, const char* name)
{
    for (int i = 0; i < r->column_count; i++)
        if (strcmp(r->columns[i].name, name) == 0)
            return i;
    return -1;
}
