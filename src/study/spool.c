// A row is stored as its tag, its presence bytes and its values; nothing is formatted before its turn comes.
#include "study/spool.h"

#include <stdlib.h>
#include <string.h>

enum
{
    MEMORY_MAX = 1 << 20  // of one run; what is more goes to a temporary file
};

typedef struct Tag
{
    double t;
    int32_t p, m;
} Tag;

void spool_open(Spool* s, int column_count)
{
    *s = (Spool){.column_count = column_count};
}

static bool reserve(Spool* s, size_t more)
{
    if (s->size + more <= s->capacity)
        return true;
    size_t capacity = 2 * s->capacity + more + 4096;
    char* memory = realloc(s->memory, capacity);
    if (memory == NULL)
        return false;
    s->memory = memory;
    s->capacity = capacity;
    return true;
}

// Moves what is in memory to the file.
static kaiStatus spill(Spool* s)
{
    if (s->file == NULL && (s->file = tmpfile()) == NULL)
        return KAI_ERR_IO;
    if (fwrite(s->memory, 1, s->size, s->file) != s->size)
        return KAI_ERR_IO;
    s->size = 0;
    return KAI_OK;
}

static void put(Spool* s, const void* bytes, size_t size)
{
    if (size > 0)
        memcpy(s->memory + s->size, bytes, size);
    s->size += size;
}

kaiStatus spool_add(Spool* s, const kaiRow* row)
{
    size_t count = (size_t)s->column_count;
    Tag tag = {row->t, row->p, row->m};
    if (!reserve(s, sizeof tag + count * (sizeof(double) + 1)))
        return KAI_ERR_MEMORY;
    put(s, &tag, sizeof tag);
    put(s, row->values, count * sizeof(double));
    put(s, row->present, count);
    return s->size >= MEMORY_MAX ? spill(s) : KAI_OK;
}

static bool get(Spool* s, size_t* at, void* bytes, size_t size)
{
    if (s->file != NULL)
        return fread(bytes, 1, size, s->file) == size;
    if (*at + size > s->size)
        return false;
    if (size > 0)
        memcpy(bytes, s->memory + *at, size);
    *at += size;
    return true;
}

static kaiStatus replay_rows(Spool* s, double* values, uint8_t* present, kaiRowFn* row, void* user)
{
    size_t at = 0, count = (size_t)s->column_count;
    kaiStatus status = KAI_OK;
    Tag tag;
    while (status == KAI_OK && get(s, &at, &tag, sizeof tag))
    {
        if (!get(s, &at, values, count * sizeof *values) || !get(s, &at, present, count))
            return KAI_ERR_IO;
        status = row(user, &(kaiRow){tag.t, tag.p, tag.m, values, present});
    }
    return status == KAI_OK && s->file != NULL && ferror(s->file) ? KAI_ERR_IO : status;
}

kaiStatus spool_replay(Spool* s, kaiRowFn* row, void* user)
{
    if (s->file != NULL && (spill(s) != KAI_OK || fflush(s->file) != 0))
        return KAI_ERR_IO;
    if (s->file != NULL)
        rewind(s->file);
    double* values = malloc(sizeof *values * (size_t)(s->column_count + 1));
    uint8_t* present = malloc((size_t)s->column_count + 1);
    kaiStatus status = KAI_ERR_MEMORY;
    if (values != NULL && present != NULL)
        status = replay_rows(s, values, present, row, user);
    free(values);
    free(present);
    return status;
}

void spool_close(Spool* s)
{
    if (s->file != NULL)
        fclose(s->file);
    free(s->memory);
    *s = (Spool){0};
}
