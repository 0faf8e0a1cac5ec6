// The CSV writer: fields, views, whole rows, and what happens when the output fails.
#include "result/csv.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/kairos-csv-XXXXXX";
static char path[64], part[64];

static int make_folder(void** state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/out.csv", folder);
    snprintf(part, sizeof part, "%s/out.csv.part", folder);
    return 0;
}

static int remove_folder(void** state)
{
    (void)state;
    unlink(path);
    unlink(part);
    return rmdir(folder);
}

static const char* const mode_names[] = {"falling", "at, \"rest\""};
static const kaiColumn columns[] = {
    {.name = "x", .kind = KAI_COLUMN_REAL},
    {.name = "on", .kind = KAI_COLUMN_BOOL},
    {.name = "hit", .kind = KAI_COLUMN_EVENT},
    {.name = "ball.mode", .kind = KAI_COLUMN_MODE, .mode_names = mode_names, .mode_count = 2},
};
static const kaiColumn one_column[] = {{.name = "x", .kind = KAI_COLUMN_REAL}};

// The content of a file, to be freed; NULL if there is none.
static char* content_of(const char* name)
{
    FILE* file = fopen(name, "rb");
    if (file == NULL)
        return NULL;
    char* text = calloc(1, 1 << 24);
    size_t size = fread(text, 1, (1 << 24) - 1, file);
    text[size] = 0;
    fclose(file);
    return text;
}

static void check_content(const char* expected)
{
    char* text = content_of(path);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
    assert_int_equal(access(part, F_OK), -1);
}

static Csv* open_csv(const char* name, const CsvOptions* options)
{
    const char* error = "not set";
    Csv* csv = csv_open(name, options, kaiDefaultAllocator(), &error);
    assert_non_null(csv);
    assert_null(error);
    return csv;
}

static kaiStatus put(Csv* csv, double t, int p, int m, double x)
{
    return csv_row(csv, &(kaiRow){.t = t, .p = p, .m = m, .values = &x, .present = (const uint8_t[]){1}});
}

static void test_fields(void** state)
{
    (void)state;
    Csv* csv = open_csv(path, &(CsvOptions){.columns = columns, .column_count = 4});
    kaiRow row = {.values = (const double[]){0.1, 1, 2.5, 0}, .present = (const uint8_t[]){1, 1, 1, 1}};
    assert_int_equal(csv_row(csv, &row), KAI_OK);
    row =
        (kaiRow){.t = 0.25, .p = -1, .values = (const double[]){7, 0, 7, 1}, .present = (const uint8_t[]){0, 1, 0, 1}};
    assert_int_equal(csv_row(csv, &row), KAI_OK);
    row = (kaiRow){.t = 0.25,
                   .p = 3,
                   .m = 12,
                   .values = (const double[]){-1e-9, 0, 0, 9},
                   .present = (const uint8_t[]){1, 0, 1, 1}};
    assert_int_equal(csv_row(csv, &row), KAI_OK);
    assert_int_equal(csv_close(csv, NULL), KAI_OK);
    check_content("t,p,m,x,on,hit,ball.mode\n"
                  "0,0,0,0.1,1,2.5,falling\n"
                  "0.25,-1,0,,0,,\"at, \"\"rest\"\"\"\n"
                  "0.25,3,12,-1e-9,,0,9\n");
}

static void test_names_are_quoted(void** state)
{
    (void)state;
    kaiColumn odd[] = {{.name = "a[1,2]"}, {.name = "say \"x\""}};
    Csv* csv = open_csv(path, &(CsvOptions){.columns = odd, .column_count = 2});
    assert_int_equal(csv_close(csv, NULL), KAI_OK);
    check_content("t,p,m,\"a[1,2]\",\"say \"\"x\"\"\"\n");
}

static void test_no_columns(void** state)
{
    (void)state;
    Csv* csv = open_csv(path, &(CsvOptions){0});
    assert_int_equal(csv_row(csv, &(kaiRow){.t = 1}), KAI_OK);
    assert_int_equal(csv_close(csv, NULL), KAI_OK);
    check_content("t,p,m\n1,0,0\n");
}

// A start, an ordinary point, an instant with five tags, one without left limit, and two rows at one t that are no
// instant.
static void write_views(kaiView view)
{
    Csv* csv = open_csv(path, &(CsvOptions){.columns = one_column, .column_count = 1, .view = view});
    static const int rows[][3] = {{0, 0, 0}, {1, 0, 0}, {2, -1, 0}, {2, 0, 0}, {2, 0, 1},  {2, 1, 0},
                                  {2, 1, 1}, {3, 0, 0}, {3, 1, 0},  {3, 2, 0}, {4, -1, 0}, {5, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(put(csv, rows[i][0], rows[i][1], rows[i][2], (double)i), KAI_OK);
    assert_int_equal(csv_close(csv, NULL), KAI_OK);
}

static void test_view_full(void** state)
{
    (void)state;
    write_views(KAI_VIEW_FULL);
    check_content("t,p,m,x\n0,0,0,0\n1,0,0,1\n2,-1,0,2\n2,0,0,3\n2,0,1,4\n2,1,0,5\n2,1,1,6\n3,0,0,7\n3,1,0,8\n3,2,0,9\n"
                  "4,-1,0,10\n5,0,0,11\n");
}

static void test_view_limits(void** state)
{
    (void)state;
    write_views(KAI_VIEW_LIMITS);
    check_content("t,p,m,x\n0,0,0,0\n1,0,0,1\n2,-1,0,2\n2,1,1,6\n3,2,0,9\n4,-1,0,10\n5,0,0,11\n");
}

static void test_view_unique(void** state)
{
    (void)state;
    write_views(KAI_VIEW_UNIQUE);
    check_content("t,p,m,x\n0,0,0,0\n1,0,0,1\n2,1,1,6\n3,2,0,9\n4,-1,0,10\n5,0,0,11\n");
}

// Two runs of a sweep: the last row of the first has the t of the first row of the second, and both stay.
static void test_lead_columns(void** state)
{
    (void)state;
    const char* const names[] = {"run", "ball.e"};
    Csv* csv = open_csv(
        path,
        &(CsvOptions){
            .columns = one_column, .column_count = 1, .view = KAI_VIEW_UNIQUE, .lead_names = names, .lead_count = 2});
    csv_set_lead(csv, (const double[]){1, 0.5});
    assert_int_equal(put(csv, 0, 0, 0, 10), KAI_OK);
    assert_int_equal(put(csv, 0, 1, 0, 11), KAI_OK);
    csv_set_lead(csv, (const double[]){2, 0.75});
    assert_int_equal(put(csv, 0, 0, 0, 12), KAI_OK);
    assert_int_equal(csv_close(csv, NULL), KAI_OK);
    check_content("run,ball.e,t,p,m,x\n1,0.5,0,1,0,11\n2,0.75,0,0,0,12\n");
}

static void test_remark(void** state)
{
    (void)state;
    Csv* csv = open_csv(path, &(CsvOptions){.columns = one_column, .column_count = 1});
    assert_int_equal(put(csv, 0, 0, 0, 1), KAI_OK);
    assert_int_equal(csv_close(csv, "stopped at\nt = 0"), KAI_OK);
    check_content("t,p,m,x\n0,0,0,1\n");
    char line[100] = "", name[300];
    snprintf(name, sizeof name, "%s.status", path);
    FILE* file = fopen(name, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_string_equal(line, "stopped at t = 0\n");
    // A whole result has none, whatever was there before.
    csv = open_csv(path, &(CsvOptions){.columns = one_column, .column_count = 1});
    assert_int_equal(csv_close(csv, NULL), KAI_OK);
    assert_null(fopen(name, "r"));
}

// More than the buffer holds, in the view that looks ahead: every row arrives, in order, once.
static void test_large(void** state)
{
    (void)state;
    enum
    {
        COUNT = 60000
    };
    Csv* csv = open_csv(path, &(CsvOptions){.columns = one_column, .column_count = 1, .view = KAI_VIEW_UNIQUE});
    for (int i = 0; i < COUNT; i++)
    {
        assert_int_equal(put(csv, i, -1, 0, -i), KAI_OK);
        assert_int_equal(put(csv, i, 0, 0, i + 0.5), KAI_OK);
    }
    assert_int_equal(csv_close(csv, NULL), KAI_OK);
    char* text = content_of(path);
    const char* at = strchr(text, '\n') + 1;
    for (int i = 0; i < COUNT; i++)
    {
        char expected[64];
        int length = snprintf(expected, sizeof expected, "%d,0,0,%d.5\n", i, i);
        assert_memory_equal(at, expected, (size_t)length);
        at += length;
    }
    assert_int_equal(*at, 0);
    free(text);
}

// Rows wider than the usual buffer.
static void test_wide(void** state)
{
    (void)state;
    enum
    {
        WIDTH = 20000
    };
    kaiColumn* wide = calloc(WIDTH, sizeof *wide);
    double* values = calloc(WIDTH, sizeof *values);
    uint8_t* present = calloc(WIDTH, 1);
    for (int i = 0; i < WIDTH; i++)
    {
        wide[i].name = "x";
        values[i] = -1.2345678901234567e-300;
        present[i] = 1;
    }
    Csv* csv = open_csv(path, &(CsvOptions){.columns = wide, .column_count = WIDTH});
    for (int i = 0; i < 5; i++)
        assert_int_equal(csv_row(csv, &(kaiRow){.t = i, .values = values, .present = present}), KAI_OK);
    assert_int_equal(csv_close(csv, NULL), KAI_OK);
    char* text = content_of(path);
    int lines = 0;
    for (const char* at = text; *at != 0; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 6);
    free(text);
    free(wide);
    free(values);
    free(present);
}

static void test_name_appears_at_close(void** state)
{
    (void)state;
    unlink(path);
    Csv* csv = open_csv(path, &(CsvOptions){0});
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(part, F_OK), 0);
    assert_int_equal(csv_close(csv, NULL), KAI_OK);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(access(part, F_OK), -1);
}

static void check_refused(const char* name, const char* expected)
{
    const char* error = NULL;
    assert_null(csv_open(name, &(CsvOptions){0}, kaiDefaultAllocator(), &error));
    assert_string_equal(error, expected);
}

static void test_open_errors(void** state)
{
    (void)state;
    char name[96];
    snprintf(name, sizeof name, "%s/missing/out.csv", folder);
    check_refused(name, "the folder it should be in does not exist");
    check_refused(folder, "it is a folder");
    check_refused("", "the name is empty");
    snprintf(name, sizeof name, "%s/file/out.csv", folder);
    char* file = strstr(name, "/out.csv");
    *file = 0;
    close(open(name, O_CREAT | O_WRONLY, 0666));
    *file = '/';
    check_refused(name, "Not a directory");
    *file = 0;
    unlink(name);
}

// A device stays what it is.
static void test_device(void** state)
{
    (void)state;
    Csv* csv = open_csv("/dev/null", &(CsvOptions){.columns = one_column, .column_count = 1});
    for (int i = 0; i < 100000; i++)
        assert_int_equal(put(csv, i, 0, 0, i), KAI_OK);
    assert_int_equal(csv_close(csv, NULL), KAI_OK);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

// Writes until it fails or a million rows have passed.
static kaiStatus put_many(Csv* csv)
{
    kaiStatus status = KAI_OK;
    for (int i = 0; i < 1000000 && status == KAI_OK; i++)
        status = put(csv, i, 0, 0, 0.1 * i);
    return status;
}

static void test_full_device(void** state)
{
    (void)state;
    Csv* csv = open_csv("/dev/full", &(CsvOptions){.columns = one_column, .column_count = 1});
    assert_int_equal(put_many(csv), KAI_ERR_IO);
    assert_int_equal(put(csv, 1, 0, 0, 1), KAI_ERR_IO);
    assert_int_equal(csv_close(csv, NULL), KAI_ERR_IO);

    csv = open_csv("/dev/full", &(CsvOptions){0});  // known only at the end
    assert_int_equal(csv_close(csv, NULL), KAI_ERR_IO);
}

// A file that may not grow further, as on a full disk: no final name, and what is there ends with a whole row.
static void test_full_disk(void** state)
{
    (void)state;
    unlink(path);
    struct rlimit old;
    getrlimit(RLIMIT_FSIZE, &old);
    void (*old_handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 1000001, .rlim_max = old.rlim_max});
    Csv* csv = open_csv(path, &(CsvOptions){.columns = one_column, .column_count = 1});
    kaiStatus status = put_many(csv);
    kaiStatus closed = csv_close(csv, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, old_handler);
    assert_int_equal(status, KAI_ERR_IO);
    assert_int_equal(closed, KAI_ERR_IO);
    assert_int_equal(access(path, F_OK), -1);
    char* text = content_of(part);
    size_t length = strlen(text);
    assert_in_range(length, 900000, 1000001);
    assert_int_equal(text[length - 1], '\n');
    free(text);
}

// `kairos run … | head`: the reader goes, the run stops without a signal and without an error.
static void test_reader_goes(void** state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    Csv* csv = open_csv(name, &(CsvOptions){.columns = one_column, .column_count = 1});
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(put_many(csv), KAI_INTERRUPTED);
    assert_int_equal(csv_close(csv, "not read by anyone"), KAI_OK);
}

static void* refuse_after(void* user, void* block, size_t old_size, size_t size)
{
    int* left = user;
    if (size > 0 && (*left)-- <= 0)
        return NULL;
    return kaiDefaultAllocator().alloc(NULL, block, old_size, size);
}

static void test_allocation_fails(void** state)
{
    (void)state;
    const char* const names[] = {"run"};
    const CsvOptions options = {.lead_names = names, .lead_count = 1};
    for (int count = 0;; count++)
    {
        int left = count;
        const char* error = NULL;
        Csv* csv = csv_open(path, &options, (kaiAllocator){refuse_after, &left}, &error);
        if (csv != NULL)
        {
            assert_true(count > 3);
            assert_int_equal(csv_close(csv, NULL), KAI_OK);
            break;
        }
        assert_string_equal(error, "out of memory");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_names_are_quoted),
        cmocka_unit_test(test_no_columns),
        cmocka_unit_test(test_view_full),
        cmocka_unit_test(test_view_limits),
        cmocka_unit_test(test_view_unique),
        cmocka_unit_test(test_lead_columns),
        cmocka_unit_test(test_remark),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_name_appears_at_close),
        cmocka_unit_test(test_open_errors),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_full_device),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_reader_goes),
        cmocka_unit_test(test_allocation_fails),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
