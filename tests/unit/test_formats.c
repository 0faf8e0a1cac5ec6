// Every format of results: rows are written and read back as the same bits, in every view; files that are cut off or
// changed are a sentence; memory that is refused is a status.
#include "kairos/kairos.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum
{
    COLUMNS = 6,
    ROWS = 2500  // more than a chunk of HDF5
};

static char folder[] = "/tmp/kairos-formats-XXXXXX";
static const char* const mode_names[] = {"falling", "Ruhe\xC3\xA4\xE2\x82\xAC", "x"};
// p is a name that the tag has too.
static const kaiColumn columns[COLUMNS] = {
    {.name = "p", .kind = KAI_COLUMN_REAL, .unit = "kg*m/s"},
    {.name = "on", .kind = KAI_COLUMN_BOOL},
    {.name = "hit", .kind = KAI_COLUMN_EVENT},
    {.name = "b[3].x", .kind = KAI_COLUMN_REAL, .unit = "m"},
    {.name = "ball.mode", .kind = KAI_COLUMN_MODE, .mode_names = mode_names, .mode_count = 3},
    {.name = "empty", .kind = KAI_COLUMN_REAL},
};

static int make_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void** state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

// Row k: three rows share a t, ⟨t, -1, 0⟩, ⟨t, 0, 0⟩, ⟨t, 1, 0⟩.
static kaiRow make_row(int k, double values[COLUMNS], uint8_t present[COLUMNS])
{
    static const int32_t jumps[] = {-1, 0, 1};
    double t = -0.5 + 0.1 * (k / 3);
    values[0] = k == 7 ? -INFINITY : k == 8 ? (double)NAN : exp(-0.01 * k) / 3;
    values[1] = k % 5 == 0;
    values[2] = k % 2 == 0 ? 1 : 0.1 * k;
    values[3] = k % 11 == 0 ? -0.0 : 1e-300 * k;
    values[4] = k / 10 % 3;
    for (int i = 0; i < COLUMNS; i++)
        present[i] = 1;
    present[2] = k % 3 == 1;
    present[4] = k % 100 != 42;
    present[5] = 0;
    present[0] = k != 9;
    return (kaiRow){t, jumps[k % 3], k % 7, values, present};
}

static kaiStatus write_rows(const char* path, kaiView view, kaiAllocator allocator, int count, const char* remark)
{
    static const char* const lead[] = {"run", "a"};
    kaiWriterOptions options = kaiDefaultWriterOptions();
    kaiError error = {0};
    bool sweep = strstr(path, "sweep") != NULL;
    options.path = path;
    options.view = view;
    options.start = -0.5;
    options.stop = 1000;
    options.allocator = allocator;
    options.title = "a title";
    options.constants = &(kaiConstant){"g", "m/s^2", "gravity", 9.81};
    options.constant_count = 1;
    options.lead_names = lead;
    options.lead_count = sweep ? 2 : 0;
    kaiWriter* writer = kaiWriter_Open(&options, columns, COLUMNS, &error);
    if (writer == NULL)
        return error.status;
    kaiStatus status = KAI_OK;
    for (int k = 0; k < count && status == KAI_OK; k++)
    {
        double values[COLUMNS];
        uint8_t present[COLUMNS];
        kaiRow row = make_row(k, values, present);
        if (sweep && k % 1000 == 0)
            kaiWriter_SetLead(writer, (double[]){1 + k / 1000, 0.5 * k});
        status = kaiWriter_Row(writer, &row);
        if (k == 100 && status == KAI_OK)
            status = kaiWriter_Flush(writer);
    }
    kaiStatus closed = kaiWriter_Close(writer, remark);
    return status != KAI_OK ? status : closed;
}

// ---- reading back

typedef struct Check
{
    kaiView view;
    const kaiColumn* columns;
    int next, rows, leads;
    char lead[100];
} Check;

static kaiStatus on_header(void* user, const kaiColumn* found, int count, bool* wanted)
{
    Check* c = user;
    assert_int_equal(count, COLUMNS);
    for (int i = 0; i < COLUMNS; i++)
    {
        assert_string_equal(found[i].name, columns[i].name);
        assert_true(wanted[i]);
        assert_true((found[i].kind == KAI_COLUMN_MODE) == (columns[i].kind == KAI_COLUMN_MODE));
    }
    c->columns = found;
    return KAI_OK;
}

static void same_value(const Check* c, int i, const kaiRow* got, const kaiRow* wanted)
{
    assert_int_equal(got->present[i] != 0, wanted->present[i] != 0);
    if (!wanted->present[i])
        return;
    if (columns[i].kind == KAI_COLUMN_MODE)
        assert_string_equal(c->columns[i].mode_names[(int)got->values[i]], mode_names[(int)wanted->values[i]]);
    else if (isnan(wanted->values[i]))
        assert_true(isnan(got->values[i]));
    else
        assert_memory_equal(&got->values[i], &wanted->values[i], sizeof(double));
}

// Which rows a view keeps: of three rows at one t the first and last, or the last.
static bool is_kept(kaiView view, int k)
{
    return view == KAI_VIEW_FULL || k % 3 == 2 || (view == KAI_VIEW_LIMITS && k % 3 == 0) || k == ROWS - 1;
}

static kaiStatus on_row(void* user, const kaiRow* got)
{
    Check* c = user;
    double values[COLUMNS];
    uint8_t present[COLUMNS];
    while (!is_kept(c->view, c->next))
        c->next++;
    kaiRow wanted = make_row(c->next++, values, present);
    assert_memory_equal(&got->t, &wanted.t, sizeof(double));
    assert_int_equal(got->p, wanted.p);
    assert_int_equal(got->m, wanted.m);
    for (int i = 0; i < COLUMNS; i++)
        same_value(c, i, got, &wanted);
    c->rows++;
    return KAI_OK;
}

static kaiStatus on_lead(void* user, const char* text)
{
    Check* c = user;
    c->leads++;
    snprintf(c->lead, sizeof c->lead, "%s", text);
    return KAI_OK;
}

static Check read_back(const char* path, kaiView view, const char* remark)
{
    Check check = {.view = view};
    kaiError error = {0};
    kaiReader* reader = kaiReader_Open(path, kaiDefaultAllocator(), &error);
    if (reader == NULL)
        print_message("%s\n", error.message);
    assert_non_null(reader);
    kaiCsvVisitor visitor = {on_header, on_row, on_lead, &check};
    assert_int_equal(kaiReader_Read(reader, &visitor, &error), KAI_OK);
    bool tells = strstr(path, ".npy") == NULL;  // an array has no place for it
    if (remark != NULL && tells)
        assert_string_equal(kaiReader_Remark(reader), remark);
    else
        assert_null(kaiReader_Remark(reader));
    kaiReader_Free(reader);
    return check;
}

static bool is(const char* ending, const char* name)
{
    return strcmp(ending, name) == 0;
}

static void test_same_rows(void** state)
{
    (void)state;
    char path[100];
    const char* ending;
    for (int f = 0; (ending = kaiFormat_Ending(f)) != NULL; f++)
        for (int view = KAI_VIEW_FULL; view <= KAI_VIEW_UNIQUE; view++)
        {
            snprintf(path, sizeof path, "%s/rows-%d.%s", folder, view, ending);
            const char* remark = view == KAI_VIEW_UNIQUE ? "stopped at t = 3" : NULL;
            assert_int_equal(write_rows(path, (kaiView)view, kaiDefaultAllocator(), ROWS, remark), KAI_OK);
            Check check = read_back(path, (kaiView)view, remark);
            int third = (ROWS + 2) / 3;
            assert_int_equal(check.rows, view == KAI_VIEW_FULL     ? ROWS
                                         : view == KAI_VIEW_LIMITS ? 2 * third - 1
                                                                   : third);
        }
}

static void test_sweeps(void** state)
{
    (void)state;
    char path[100];
    const char* ending;
    for (int f = 0; (ending = kaiFormat_Ending(f)) != NULL; f++)
    {
        snprintf(path, sizeof path, "%s/sweep.%s", folder, ending);
        kaiStatus status = write_rows(path, KAI_VIEW_FULL, kaiDefaultAllocator(), ROWS, NULL);
        if (is(ending, "vcd"))
        {
            assert_int_equal(status, KAI_ERR_USAGE);
            continue;
        }
        assert_int_equal(status, KAI_OK);
        Check check = read_back(path, KAI_VIEW_FULL, NULL);
        assert_int_equal(check.leads, 3);
        assert_string_equal(check.lead, "run = 3, a = 1000");
    }
}

static void test_no_rows(void** state)
{
    (void)state;
    char path[100];
    const char* ending;
    for (int f = 0; (ending = kaiFormat_Ending(f)) != NULL; f++)
    {
        snprintf(path, sizeof path, "%s/none.%s", folder, ending);
        assert_int_equal(write_rows(path, KAI_VIEW_FULL, kaiDefaultAllocator(), 0, NULL), KAI_OK);
        assert_int_equal(read_back(path, KAI_VIEW_FULL, NULL).rows, 0);
    }
}

// ---- what is wrong with a file

static kaiStatus any_header(void* user, const kaiColumn* found, int count, bool* wanted)
{
    (void)user, (void)found, (void)count, (void)wanted;
    return KAI_OK;
}

static kaiStatus any_row(void* user, const kaiRow* row)
{
    (void)row;
    ++*(int*)user;
    return KAI_OK;
}

static void read_anything(const char* path, const char* bytes, size_t size)
{
    FILE* file = fopen(path, "wb");
    fwrite(bytes, 1, size, file);
    fclose(file);
    kaiError error = {0};
    int rows = 0;
    kaiReader* reader = kaiReader_Open(path, kaiDefaultAllocator(), &error);
    assert_true(reader != NULL || error.message != NULL);
    kaiCsvVisitor visitor = {any_header, any_row, NULL, &rows};
    if (reader != NULL && kaiReader_Read(reader, &visitor, &error) != KAI_OK)
        assert_non_null(error.message);
    kaiReader_Free(reader);
}

// Cut off anywhere, or with one byte changed: rows or a sentence.
static void test_damaged(void** state)
{
    (void)state;
    char path[100], bad[100];
    const char* ending;
    static char bytes[200000], changed[sizeof bytes];
    for (int f = 0; (ending = kaiFormat_Ending(f)) != NULL; f++)
    {
        snprintf(path, sizeof path, "%s/whole.%s", folder, ending);
        snprintf(bad, sizeof bad, "%s/bad.%s", folder, ending);
        assert_int_equal(write_rows(path, KAI_VIEW_FULL, kaiDefaultAllocator(), 20, NULL), KAI_OK);
        FILE* file = fopen(path, "rb");
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        size_t step = is(ending, "h5") ? size / 40 : size / 400 + 1;
        for (size_t k = 0; k < size; k += step)
        {
            read_anything(bad, bytes, k);
            memcpy(changed, bytes, size);
            changed[k] = (char)(changed[k] ^ 0x55);
            if (!is(ending, "h5"))  // what the HDF5 library does with damaged files is its own
                read_anything(bad, changed, size);
        }
    }
}

// ---- memory

typedef struct Scarce
{
    int left;
    size_t held;
} Scarce;

static void* scarce(void* user, void* block, size_t old_size, size_t size)
{
    Scarce* s = user;
    if (size > 0 && s->left-- <= 0)
        return NULL;
    s->held += size - (block != NULL ? old_size : 0);
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

// Refusing every allocation in turn, writing and reading: a status, and nothing is left behind.
static void test_scarce(void** state)
{
    (void)state;
    char path[100];
    const char* ending;
    for (int f = 0; (ending = kaiFormat_Ending(f)) != NULL; f++)
    {
        snprintf(path, sizeof path, "%s/scarce.%s", folder, ending);
        bool wrote = false, read = false;
        for (int n = 0; n < 300 && !(wrote && read); n++)
        {
            Scarce writing = {.left = n}, reading = {.left = n};
            wrote = write_rows(path, KAI_VIEW_LIMITS, (kaiAllocator){scarce, &writing}, 300, NULL) == KAI_OK;
            assert_int_equal(writing.held, 0);
            if (!wrote)
                assert_int_equal(write_rows(path, KAI_VIEW_LIMITS, kaiDefaultAllocator(), 300, NULL), KAI_OK);
            kaiError error = {0};
            int rows = 0;
            kaiCsvVisitor visitor = {any_header, any_row, NULL, &rows};
            kaiReader* reader = kaiReader_Open(path, (kaiAllocator){scarce, &reading}, &error);
            read = reader != NULL && kaiReader_Read(reader, &visitor, &error) == KAI_OK;
            kaiReader_Free(reader);
            assert_int_equal(reading.held, 0);
        }
        assert_true(wrote && read);
    }
}

static void test_recorder(void** state)
{
    (void)state;
    kaiRecorderOptions options = kaiDefaultRecorderOptions();
    options.view = KAI_VIEW_LIMITS;
    kaiRecorder* recorder = kaiRecorder_Create(&options, COLUMNS, NULL);
    for (int k = 0; k < ROWS; k++)
    {
        double values[COLUMNS];
        uint8_t present[COLUMNS];
        kaiRow row = make_row(k, values, present);
        assert_int_equal(kaiRecorder_Row(recorder, &row), KAI_OK);
    }
    int at = 0;
    for (int k = 0; k < ROWS; k++)
    {
        double values[COLUMNS];
        uint8_t present[COLUMNS];
        kaiRow row = make_row(k, values, present);
        if (!is_kept(KAI_VIEW_LIMITS, k))
            continue;
        assert_true(kaiRecorder_Times(recorder)[at] == row.t);
        assert_int_equal(kaiRecorder_Jumps(recorder)[at], row.p);
        assert_int_equal(kaiRecorder_Reactions(recorder)[at], row.m);
        for (int i = 0; i < COLUMNS; i++)
        {
            double got = kaiRecorder_Column(recorder, i)[at];
            assert_int_equal(kaiNumber_IsAbsent(got), !present[i]);
            if (present[i])
                assert_memory_equal(&got, &values[i], sizeof got);
        }
        at++;
    }
    assert_int_equal(kaiRecorder_Count(recorder), at);
    kaiRecorder_Free(recorder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_rows), cmocka_unit_test(test_sweeps), cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_damaged),   cmocka_unit_test(test_scarce), cmocka_unit_test(test_recorder),
    };
    return cmocka_run_group_tests_name("formats", tests, make_folder, remove_folder);
}
