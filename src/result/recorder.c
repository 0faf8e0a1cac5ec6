// Rows → columns: what a whole run recorded as contiguous arrays, one per column. Growing doubles every array, so that
// a row costs a store per column.
#include "base/error.h"
#include "result/format.h"

#include <math.h>

enum
{
    FIRST_ROWS = 256,
    TAG_ARRAYS = 3  // t, p and m lie before the columns
};

// Each knows its own capacity: when memory ends in the middle of growing, some have more than others, and nothing is
// lost.
typedef struct Array
{
    void* at;
    size_t size;  // of an element
    int64_t capacity;
} Array;

struct kaiRecorder
{
    kaiAllocator allocator;
    kaiView view;
    int column_count;
    int64_t count, capacity;
    bool last_is_left_limit;
    Array* arrays;
};

double kaiNumber_Absent(void)
{
    // A quiet NaN with a payload, as the missing values of R: every program sees that it is no number, and those who
    // look at the bits that it never was one.
    uint64_t bits = UINT64_C(0x7ff80000000007a2);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool kaiNumber_IsAbsent(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) && (bits & UINT64_C(0xffffffff)) == 0x7a2;
}

kaiRecorderOptions kaiDefaultRecorderOptions(void)
{
    return (kaiRecorderOptions){.cookie = KAI_COOKIE, .allocator = kaiDefaultAllocator()};
}

kaiRecorder* kaiRecorder_Create(const kaiRecorderOptions* o, int column_count, kaiError* error)
{
    if (!error_check_cookie(o != NULL ? &o->cookie : NULL, "kaiDefaultRecorderOptions", error))
        return NULL;
    if (column_count < 0 || o->allocator.alloc == NULL || o->view < KAI_VIEW_FULL || o->view > KAI_VIEW_UNIQUE)
        return error_set(error, KAI_ERR_USAGE, "a recorder needs columns, a view and an allocator"), NULL;
    kaiRecorder* r = memory_get(o->allocator, sizeof *r);
    Array* arrays = memory_get(o->allocator, sizeof *arrays * (size_t)(column_count + TAG_ARRAYS));
    if (r == NULL || arrays == NULL)
    {
        memory_give(o->allocator, r, sizeof *r);
        memory_give(o->allocator, arrays, sizeof *arrays * (size_t)(column_count + TAG_ARRAYS));
        return error_memory(error), NULL;
    }
    *r = (kaiRecorder){.allocator = o->allocator, .view = o->view, .column_count = column_count, .arrays = arrays};
    for (int i = 0; i < column_count + TAG_ARRAYS; i++)
        arrays[i].size = i == 1 || i == 2 ? sizeof(int32_t) : sizeof(double);
    error_clear(error);
    return r;
}

void kaiRecorder_Free(kaiRecorder* r)
{
    if (r == NULL)
        return;
    kaiAllocator a = r->allocator;
    for (int i = 0; i < r->column_count + TAG_ARRAYS; i++)
        if (r->arrays[i].at != NULL)
            a.alloc(a.user, r->arrays[i].at, (size_t)r->arrays[i].capacity * r->arrays[i].size, 0);
    memory_give(a, r->arrays, sizeof *r->arrays * (size_t)(r->column_count + TAG_ARRAYS));
    memory_give(a, r, sizeof *r);
}

static bool grow(kaiRecorder* r)
{
    int64_t to = r->capacity > 0 ? 2 * r->capacity : FIRST_ROWS;
    kaiAllocator a = r->allocator;
    for (int i = 0; i < r->column_count + TAG_ARRAYS; i++)
    {
        Array* array = &r->arrays[i];
        if (array->capacity >= to)
            continue;
        void* more = a.alloc(a.user, array->at, (size_t)array->capacity * array->size, (size_t)to * array->size);
        if (more == NULL)
            return false;
        array->at = more;
        array->capacity = to;
    }
    r->capacity = to;
    return true;
}

// Whether the last row goes, now that one of the same t follows it.
static bool is_replaced(const kaiRecorder* r, double t)
{
    bool same_t = r->count > 0 && ((const double*)r->arrays[0].at)[r->count - 1] == t;
    return same_t && (r->view == KAI_VIEW_UNIQUE || (r->view == KAI_VIEW_LIMITS && !r->last_is_left_limit));
}

kaiStatus kaiRecorder_Row(void* recorder, const kaiRow* row)
{
    kaiRecorder* r = recorder;
    if (r == NULL || row == NULL)
        return KAI_ERR_USAGE;
    bool same_t = r->count > 0 && ((const double*)r->arrays[0].at)[r->count - 1] == row->t;
    r->count -= is_replaced(r, row->t);
    if (r->count == r->capacity && !grow(r))
        return KAI_ERR_MEMORY;
    int64_t k = r->count++;
    ((double*)r->arrays[0].at)[k] = row->t;
    ((int32_t*)r->arrays[1].at)[k] = row->p;
    ((int32_t*)r->arrays[2].at)[k] = row->m;
    for (int i = 0; i < r->column_count; i++)
        ((double*)r->arrays[TAG_ARRAYS + i].at)[k] = result_value(row, i);
    r->last_is_left_limit = !same_t && row->p == -1;
    return KAI_OK;
}

int64_t kaiRecorder_Count(const kaiRecorder* r)
{
    return r != NULL ? r->count : 0;
}

int kaiRecorder_ColumnCount(const kaiRecorder* r)
{
    return r != NULL ? r->column_count : 0;
}

const double* kaiRecorder_Times(const kaiRecorder* r)
{
    return r != NULL ? r->arrays[0].at : NULL;
}

const int32_t* kaiRecorder_Jumps(const kaiRecorder* r)
{
    return r != NULL ? r->arrays[1].at : NULL;
}

const int32_t* kaiRecorder_Reactions(const kaiRecorder* r)
{
    return r != NULL ? r->arrays[2].at : NULL;
}

const double* kaiRecorder_Column(const kaiRecorder* r, int column)
{
    return r != NULL && column >= 0 && column < r->column_count ? r->arrays[TAG_ARRAYS + column].at : NULL;
}
