// Loops over the fields of a struct. A pointer to some type is read and written as bytes: an lvalue of another pointer
// type would not be allowed to alias it.
#include "base/fields.h"

#include <string.h>

enum
{
    LINE = 64,  // of the cache, by guess
};

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

// Arrays begin where a line of the cache does, so that an element of one or two lines has no more. How far that is
// into the block stands before it.
static void* make_array(const Field* f, kaiAllocator allocator)
{
    char* block = allocator.alloc(allocator.user, NULL, 0, bytes_of(f) + LINE);
    if (block == NULL)
        return NULL;
    size_t off = LINE - (uintptr_t)block % LINE;
    memset(block, 0, bytes_of(f) + LINE);
    block[off - 1] = (char)off;
    return block + off;
}

bool fields_make(const Field* fields, size_t count, kaiAllocator allocator)
{
    for (size_t i = 0; i < count; i++)
    {
        if (fields[i].array == NULL)
            continue;
        void* made = make_array(&fields[i], allocator);
        memcpy(fields[i].array, &made, sizeof made);
        if (made == NULL)
            return false;
    }
    return true;
}

void fields_free(const Field* fields, size_t count, kaiAllocator allocator)
{
    for (size_t i = 0; i < count; i++)
    {
        char* array = fields[i].array != NULL ? get_pointer(&fields[i]) : NULL;
        if (array != NULL)
            allocator.alloc(allocator.user, array - array[-1], bytes_of(&fields[i]) + LINE, 0);
    }
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
