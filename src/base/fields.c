// Loops over the fields of a struct. A pointer to some type is read and written as bytes: an lvalue of another pointer
// type would not be allowed to alias it.
#include "base/fields.h"

#include <string.h>

static size_t padded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static void* get_pointer(const Field* f)
{
    void* p;
    memcpy(&p, f->array, sizeof p);
    return p;
}

static size_t bytes_of(const Field* f)
{
    return f->count * f->size > 0 ? f->count * f->size : 1;
}

bool fields_make(const Field* fields, size_t count, kaiAllocator allocator)
{
    for (size_t i = 0; i < count; i++)
    {
        const Field* f = &fields[i];
        if (f->array == NULL)
            continue;
        void* made = allocator.alloc(allocator.user, NULL, 0, bytes_of(f));
        memcpy(f->array, &made, sizeof made);
        if (made == NULL)
            return false;
        memset(made, 0, bytes_of(f));
    }
    return true;
}

void fields_free(const Field* fields, size_t count, kaiAllocator allocator)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].array != NULL && get_pointer(&fields[i]) != NULL)
            allocator.alloc(allocator.user, get_pointer(&fields[i]), bytes_of(&fields[i]), 0);
}

static void* place_of(const Field* f)
{
    return f->array != NULL ? get_pointer(f) : f->plain;
}

size_t fields_size(const Field* fields, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += padded(fields[i].saved * fields[i].size);
    return size;
}

char* fields_save(const Field* fields, size_t count, char* block)
{
    for (size_t i = 0; i < count; i++)
    {
        size_t bytes = fields[i].saved * fields[i].size;
        if (bytes > 0)
            memcpy(block, place_of(&fields[i]), bytes);
        block += padded(bytes);
    }
    return block;
}

const char* fields_load(const Field* fields, size_t count, const char* block)
{
    for (size_t i = 0; i < count; i++)
    {
        size_t bytes = fields[i].saved * fields[i].size;
        if (bytes > 0)
            memcpy(place_of(&fields[i]), block, bytes);
        block += padded(bytes);
    }
    return block;
}
